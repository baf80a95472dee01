"""Make up places: of the same kind and about as many inhabitants, and in each other where a phrase says so."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial
from itertools import islice
from string import ascii_uppercase
from typing import Final

from embanon.entities import fold_text
from embanon.language import Cue, Frequencies, Lexicon
from embanon.replace.methods import KeyedChoice
from embanon.replace.surrogates.invented_words import SubstituteRegistry, invent_word, match_case
from embanon.replace.surrogates.siblings import likeliest_concept, siblings
from embanon.taxonomy import Climber, load_tables

LONGEST: Final = 32
"""Characters of a name."""
CANDIDATE_COUNT: Final = 40
"""Places of which the first that texts of the language speak of is taken."""
KEPT: Final = int(Cue.STOP | Cue.CONNECTOR | Cue.DETERMINER | Cue.PARTICLE | Cue.DIRECTION)
"""What a word of an address may be that is no name."""
STREETS: Final = "straße strasse gasse platz weg allee ring damm ufer".split()
"""Ends of German names of streets, which are written in one word."""
_DIGIT: Final = re.compile(r"\d")
_LETTER: Final = re.compile("[A-Z]")
_NAME: Final = re.compile(r"[^\W\d_]+(?:[ '’-][^\W\d_]+)*")
_TOKEN: Final = re.compile(r"\d+|[^\W\d_]+(?:['’-][^\W\d_]+)*")


class PlaceSubstitutes:
    """One substitute for each place of a text."""

    def __init__(self, climber: Climber, keyed: KeyedChoice, taken: SubstituteRegistry) -> None:
        self._climber, self._keyed, self._taken = climber, keyed, taken
        self._lexicon, self._frequencies = Lexicon.load(climber.language), Frequencies.load(climber.language)
        self._known: dict[str, tuple[str, int] | None] = {}
        """The folded name -> what stands for it, and its concept."""

    def substitute_for(self, written: str, kind: str) -> str | None:
        """Return what stands for a place, a postcode or an address."""
        if kind in ("postcode", "coordinates"):
            codes = self._code_candidates(written, letters=kind == "postcode")
            return self._taken.take_first(codes, fold_text(written))
        if any(map(str.isdecimal, written)) or kind == "address":
            return self._taken.take_first(self._address_candidates(written), fold_text(written))
        parts, within = list[str](), None
        for part in reversed(written.split(",")):
            bare = part.strip()
            place = self._place_for(bare, within)
            if place is None:
                return None
            parts.append(part.replace(bare, match_case(bare, place[0]) if bare.isupper() else place[0]))
            within = place[1]
        return ",".join(reversed(parts))

    def _place_for(self, name: str, within: int | None) -> tuple[str, int] | None:
        low = fold_text(name)
        if low not in self._known:
            self._known[low] = self._choose_place(name, within)
        return self._known[low]

    def _choose_place(self, name: str, within: int | None) -> tuple[str, int] | None:
        concept = likeliest_concept(self._climber, name, "LOC")
        if concept is None:
            return None
        store, original = concept
        labels: dict[str, int] = {}

        def named() -> Iterator[str]:
            for sibling in siblings(store, original, self._keyed, name, within=within):
                label = store.label(sibling, self._climber.language) or ""
                if _NAME.fullmatch(label) and len(label) <= LONGEST and label[:1].isupper():
                    labels[label] = sibling
                    yield label

        labels_in_order = sorted(islice(named(), CANDIDATE_COUNT), key=lambda label: not self._is_known(label))
        label = self._taken.take_first(labels_in_order, fold_text(name))
        return None if label is None else (label, labels[label])

    def _is_known(self, label: str) -> bool:
        """Return whether texts of the language speak of a place: of Graz rather than of Dingtao."""
        known = self._frequencies
        return known is not None and all(known.share(word) is not None for word in label.split())

    def existing_substitute(self, name: str) -> str | None:
        """Return what stands for a place already, where it is named again."""
        known = self._known.get(fold_text(name))
        return known[0] if known else None

    def _code_candidates(self, written: str, *, letters: bool) -> Iterator[str]:
        for number in self._keyed.tries("LOC.signs", written):
            made = _other_digits(written, number)
            yield _LETTER.sub(partial(_other_letter, number), made) if letters else made

    def _address_candidates(self, written: str) -> Iterator[str]:
        """Return addresses with the same word for a street, and another name and number."""
        heads = [found for found in _TOKEN.finditer(written) if self._lexicon.flags(found[0]) & Cue.PLACE_HEAD]
        # Harbour Road is no harbor: only one word says what it is.
        tables = load_tables(self._climber.language)
        last = tables is not None and tables.text("nouns", "position") != "first"
        head = heads[-1 if last else 0].start() if heads else -1
        for number in self._keyed.tries("LOC.address", written):
            made = _TOKEN.sub(partial(self._replace_token, number, head), written)
            if fold_text(_DIGIT.sub("", made)) != fold_text(_DIGIT.sub("", written)):
                yield made

    def _replace_token(self, number: int, head: int, match: re.Match[str]) -> str:
        token, number = match[0], number >> match.start() % 128
        if token.isdecimal():
            return _other_digits(token, number)
        if len(token) == 1 and token.isupper():  # 3B
            return _LETTER.sub(partial(_other_letter, number), token)
        street = next((end for end in STREETS if token.lower().endswith(end) and len(token) > len(end)), "")
        if street:
            return match_case(token, invent_word(number, len(token) - len(street)) + street)
        flags = self._lexicon.flags(token)
        kept = match.start() == head or flags & KEPT or (token.islower() and flags & Cue.PLACE_HEAD)
        return token if kept else match_case(token, invent_word(number, len(token)))


def _other_letter(number: int, match: re.Match[str]) -> str:
    """Return any letter but the one that stands there."""
    return ascii_uppercase[(ord(match[0]) - ord("A") + 1 + (number >> match.start()) % 25) % 26]


def _other_digits(written: str, number: int) -> str:
    """Return other digits in the same places, the first of a number not 0 unless it was."""
    shown, first = list[str](), True
    for sign in written:
        if sign.isdecimal():
            number, digit = divmod(number, 9)
            shown.append(str(digit + 1) if first and sign != "0" else str((int(sign) + 1 + digit) % 10))
        else:
            shown.append(sign)
        first = not sign.isdecimal()
    return "".join(shown)
