"""Checks of surrogates: not already in the text, no protected name, and not in use for something else."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from embanon.entities import find_word, fold_text
from embanon.replace.checks import ForbiddenWords
from embanon.risk import Rarity
from embanon.taxonomy import Climber


class SubstituteRegistry:
    """The values of one text, real and made up."""

    def __init__(self, text: str, forbidden: ForbiddenWords) -> None:
        self._low, self._forbidden = fold_text(text), forbidden
        self._for: dict[str, str] = {}

    def is_free(self, value: str, original: str) -> bool:
        """Return whether a value may stand for an original."""
        low = fold_text(value)
        if self._for.get(low, original) != original or self._forbidden.matches(value):
            return False
        return next(find_word(self._low, low), None) is None

    def is_forbidden(self, word: str) -> bool:
        """Return whether a word is one of a name that is protected."""
        return self._forbidden.matches(word)

    def take_first(self, values: Iterable[str], original: str) -> str | None:
        """Take the first value that may stand for an original; `None` where there is none."""
        free = next((value for value in values if self.is_free(value, original)), None)
        if free is not None:
            self.take(free, original)
        return free

    def take(self, value: str, original: str) -> None:
        """Keep a value for an original."""
        self._for[fold_text(value)] = original


def is_known_name(name: str, rarity: Rarity, climber: Climber) -> bool:
    """Return whether a whole name is known: in the corpus that rarity is counted in, or in a taxonomy."""
    if int(rarity.phrases([name.lower()])[1][0]) > 0:
        return True
    return any(store.senses(name, climber.language) for store in climber.stores.values())


STARTS: Final = "b br d dr f g gr h k l m n p pr r s st t tr v w z".split()
VOWELS: Final = "a e i o u".split()
JOINTS: Final = "b d g l ll m n nd r rn s st t v x z lm nt rd".split()
ENDS: Final = ("", "l", "n", "r", "s", "x")
SHORTEST: Final = 4


def invent_word(number: int, length: int = 7) -> str:
    """Put a word together from syllables, of about this length and at least four letters."""
    wanted, word = max(min(length, 10), SHORTEST), ""
    while len(word) < wanted:
        number, at = divmod(number, len(JOINTS if word else STARTS))
        word += (JOINTS if word else STARTS)[at]
        number, at = divmod(number, len(VOWELS))
        word += VOWELS[at]
    return word + ENDS[number % len(ENDS)]


def match_case(written: str, word: str) -> str:
    """Write a word with the capitals of another."""
    if len(written) > 1 and written.isupper():
        return word.upper()
    if written[:1].isupper():
        return word[:1].upper() + word[1:]
    return word.lower() if written.islower() else word
