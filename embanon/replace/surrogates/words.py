"""What may stand in a text instead: nothing that stands there, tells a protected name, or stands for something else."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from embanon.entities.entity import folded
from embanon.entities.mentions import occurrences
from embanon.replace.checks import Forbidden
from embanon.risk.power import Rarity
from embanon.taxonomy.climb import Climber


class Taken:
    """The values of one text, real and made up."""

    def __init__(self, text: str, forbidden: Forbidden) -> None:
        self._low, self._forbidden = folded(text), forbidden
        self._for: dict[str, str] = {}

    def is_free(self, value: str, original: str) -> bool:
        """Say whether a value may stand for an original."""
        low = folded(value)
        if self._for.get(low, original) != original or self._forbidden.has(value):
            return False
        return next(occurrences(self._low, low), None) is None

    def is_forbidden(self, word: str) -> bool:
        """Say that a word is one of a name that is protected."""
        return self._forbidden.has(word)

    def first(self, values: Iterable[str], original: str) -> str | None:
        """Take the first value that may stand for an original; `None` where there is none."""
        found = next((value for value in values if self.is_free(value, original)), None)
        if found is not None:
            self.take(found, original)
        return found

    def take(self, value: str, original: str) -> None:
        """Keep a value for an original."""
        self._for[folded(value)] = original


def is_somebody(name: str, rarity: Rarity, climber: Climber) -> bool:
    """Say that a whole name is known: in the corpus that rarity is counted in, or in a taxonomy."""
    if int(rarity.phrases([name.lower()])[1][0]) > 0:
        return True
    return any(store.senses(name, climber.language) for store in climber.stores.values())


STARTS: Final = "b br d dr f g gr h k l m n p pr r s st t tr v w z".split()
VOWELS: Final = "a e i o u".split()
JOINTS: Final = "b d g l ll m n nd r rn s st t v x z lm nt rd".split()
ENDS: Final = ("", "l", "n", "r", "s", "x")
SHORTEST: Final = 4


def invented(number: int, length: int = 7) -> str:
    """Put a word together from syllables, of about this length and at least four letters."""
    wanted, word = max(min(length, 10), SHORTEST), ""
    while len(word) < wanted:
        number, at = divmod(number, len(JOINTS if word else STARTS))
        word += (JOINTS if word else STARTS)[at]
        number, at = divmod(number, len(VOWELS))
        word += VOWELS[at]
    return word + ENDS[number % len(ENDS)]


def like(written: str, word: str) -> str:
    """Write a word with the capitals of another."""
    if len(written) > 1 and written.isupper():
        return word.upper()
    if written[:1].isupper():
        return word[:1].upper() + word[1:]
    return word.lower() if written.islower() else word
