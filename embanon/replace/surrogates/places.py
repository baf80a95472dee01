"""Make up places: of the same kind and about as many inhabitants, and in each other where a phrase says so."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial
from itertools import islice
from string import ascii_uppercase
from typing import Final

from embanon.entities.entity import folded
from embanon.language.frequencies import Frequencies
from embanon.language.lexicon import Cue, Lexicon
from embanon.replace.surrogates.keyed import TRIES, Keyed
from embanon.replace.surrogates.siblings import meant, siblings
from embanon.replace.surrogates.words import Taken, invented, like
from embanon.taxonomy.climb import Climber

LONGEST: Final = 32
"""Characters of a name."""
LOOKED_AT: Final = 40
"""Places of which the first that texts of the language speak of is taken."""
KEPT: Final = int(Cue.STOP | Cue.CONNECTOR | Cue.DETERMINER | Cue.PARTICLE | Cue.DIRECTION)
"""What a word of an address may be that is no name."""
STREETS: Final = "straße strasse gasse platz weg allee ring damm ufer".split()
"""Ends of German names of streets, which are written in one word."""
_DIGIT: Final = re.compile(r"\d")
_LETTER: Final = re.compile("[A-Z]")
_NAME: Final = re.compile(r"[^\W\d_]+(?:[ '’-][^\W\d_]+)*")
_TOKEN: Final = re.compile(r"\d+|[^\W\d_]+(?:['’-][^\W\d_]+)*")


class Places:
    """Gives each place of a text one substitute."""

    def __init__(self, climber: Climber, keyed: Keyed, taken: Taken) -> None:
        self._climber, self._keyed, self._taken = climber, keyed, taken
        self._lexicon, self._frequencies = Lexicon.load(climber.language), Frequencies.load(climber.language)
        self._known: dict[str, tuple[str, int] | None] = {}
        """The folded name -> what stands for it, and its concept."""

    def of(self, written: str, kind: str) -> str | None:
        """Give what stands for a place, a postcode or an address."""
        if kind in ("postcode", "coordinates"):
            return self._taken.first(self._signs(written, letters=kind == "postcode"), folded(written))
        if any(map(str.isdecimal, written)) or kind == "address":
            return self._taken.first(self._addresses(written), folded(written))
        said, within = list[str](), None
        for part in reversed(written.split(",")):
            bare = part.strip()
            found = self._one(bare, within)
            if found is None:
                return None
            said.append(part.replace(bare, like(bare, found[0]) if bare.isupper() else found[0]))
            within = found[1]
        return ",".join(reversed(said))

    def _one(self, name: str, within: int | None) -> tuple[str, int] | None:
        low = folded(name)
        if low not in self._known:
            self._known[low] = self._chosen(name, within)
        return self._known[low]

    def _chosen(self, name: str, within: int | None) -> tuple[str, int] | None:
        concept = meant(self._climber, name, "LOC")
        if concept is None:
            return None
        store, original = concept
        labels: dict[str, int] = {}

        def named() -> Iterator[str]:
            for one in siblings(store, original, self._keyed, name, within=within):
                label = store.label(one, self._climber.language) or ""
                if _NAME.fullmatch(label) and len(label) <= LONGEST and label[:1].isupper():
                    labels[label] = one
                    yield label

        labels_in_order = sorted(islice(named(), LOOKED_AT), key=lambda label: not self._is_known(label))
        label = self._taken.first(labels_in_order, folded(name))
        return None if label is None else (label, labels[label])

    def _is_known(self, label: str) -> bool:
        """Say that texts of the language speak of a place: of Graz rather than of Dingtao."""
        known = self._frequencies
        return known is not None and all(known.share(word) is not None for word in label.split())

    def known(self, name: str) -> str | None:
        """Give what stands for a place already, where it is named again."""
        found = self._known.get(folded(name))
        return found[0] if found else None

    def _signs(self, written: str, *, letters: bool) -> Iterator[str]:
        for number in islice(self._keyed.numbers("LOC.signs", written), TRIES):
            made = _other_digits(written, number)
            yield _LETTER.sub(partial(_other_letter, number), made) if letters else made

    def _addresses(self, written: str) -> Iterator[str]:
        """Give addresses with the same word for a street, and another name and number."""
        heads = [found for found in _TOKEN.finditer(written) if self._lexicon.flags(found[0]) & Cue.PLACE_HEAD]
        # Harbour Road is no harbor: only one word says what it is.
        head = heads[-1 if self._climber.language in ("en", "de") else 0].start() if heads else -1
        for number in islice(self._keyed.numbers("LOC.address", written), TRIES):
            made = _TOKEN.sub(partial(self._token, number, head), written)
            if folded(_DIGIT.sub("", made)) != folded(_DIGIT.sub("", written)):
                yield made

    def _token(self, number: int, head: int, found: re.Match[str]) -> str:
        token, number = found[0], number >> found.start() % 128
        if token.isdecimal():
            return _other_digits(token, number)
        if len(token) == 1 and token.isupper():  # 3B
            return _LETTER.sub(partial(_other_letter, number), token)
        street = next((end for end in STREETS if token.lower().endswith(end) and len(token) > len(end)), "")
        if street:
            return like(token, invented(number, len(token) - len(street)) + street)
        flags = self._lexicon.flags(token)
        kept = found.start() == head or flags & KEPT or (token.islower() and flags & Cue.PLACE_HEAD)
        return token if kept else like(token, invented(number, len(token)))


def _other_letter(number: int, found: re.Match[str]) -> str:
    """Give any letter but the one that stands there."""
    return ascii_uppercase[(ord(found[0]) - ord("A") + 1 + (number >> found.start()) % 25) % 26]


def _other_digits(written: str, number: int) -> str:
    """Give other digits in the same places, the first of a number not 0 unless it was."""
    shown, first = list[str](), True
    for sign in written:
        if sign.isdecimal():
            number, digit = divmod(number, 9)
            shown.append(str(digit + 1) if first and sign != "0" else str((int(sign) + 1 + digit) % 10))
        else:
            shown.append(sign)
        first = not sign.isdecimal()
    return "".join(shown)
