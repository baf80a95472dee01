"""Make up places: of the same kind and country and about as many inhabitants; and addresses that could be there."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial
from itertools import chain, islice
from string import ascii_uppercase
from typing import Final

from embanon.entities import fold_text
from embanon.language import Cue, Frequencies, Lexicon
from embanon.replace.edit import splice
from embanon.replace.methods import KeyedChoice
from embanon.replace.surrogates.invented_words import SubstituteRegistry, match_case
from embanon.replace.surrogates.pools import adjectives, listed_names, names_behind
from embanon.replace.surrogates.siblings import containing_places, likeliest_concept, siblings, towns_of
from embanon.taxonomy import Climber, Store, load_tables

LONGEST: Final = 32
"""Characters of a name."""
CANDIDATE_COUNT: Final = 40
"""Places of which the first that texts of the language speak of is taken."""
KEPT: Final = int(Cue.STOP | Cue.CONNECTOR | Cue.DETERMINER | Cue.PARTICLE | Cue.DIRECTION)
"""What a word of an address may be that is no name."""
TOWNS: Final = frozenset(("town", "city"))
"""Kinds of places that are a town whether it is known or not."""
LIKELY_AT_HOME: Final = 0.05
"""The probability from which a name means a place in such a country: Halle is there rather than in Belgium."""
ACRONYM_LENGTH: Final = 3
"""The most letters of a country's acronym: UK."""
_DIGIT: Final = re.compile(r"\d")
_LETTER: Final = re.compile("[A-Z]")
_NAME: Final = re.compile(r"[^\W\d_]+(?:[ '’-][^\W\d_]+)*")
_TOKEN: Final = re.compile(r"\d+|[ºª]|[^\W\d_ºª]+(?:['’-][^\W\d_]+)*")
_COMMA: Final = re.compile(r"(,\s+|\s*[·;\n]\s*|\s+[–-]\s+|\s+in\s+(?=\d))")
_COUNTRY: Final = re.compile("iso:[A-Z]{2}")
_POSTCODE: Final = re.compile(r"\d{4}")
_ROAD: Final = re.compile(r"[- ]?\d+\b(?! ?\d?[A-Z])")
"""What follows the letters of a road: A87, N-320."""
_NAME_MARKS: Final = re.compile("n(?:c{0,2}n)*")
"""The words of a name with what joins them: Villanueva de la Jara."""


class PlaceSubstitutes:
    """One substitute for each place of a text."""

    def __init__(self, climber: Climber, keyed: KeyedChoice, taken: SubstituteRegistry) -> None:
        self.climber, self._keyed, self._taken = climber, keyed, taken
        self._lexicon, self._frequencies = Lexicon.load(climber.language), Frequencies.load(climber.language)
        self._known: dict[str, tuple[str, int] | None] = {}
        """The folded name -> what stands for it, and its concept."""
        self._homes = listed_names(climber.language, "homes")
        self._home = next(iter(self._homes), "")
        self._streets: dict[str, str | None] = {}
        tables = load_tables(climber.language)
        # Harbour Road is no harbor: only one word says what it is.
        self._is_head_last = tables is not None and tables.text("nouns", "position") != "first"

    def substitute_for(self, written: str, kind: str) -> str | None:
        """Return what stands for a place, a postcode or an address."""
        if kind == "coordinates" or (kind == "postcode" and written == written.upper()):
            codes = (code for code in self._code_candidates(written, letters=kind == "postcode") if code != written)
            return self._taken.take_first(codes, fold_text(written))
        if any(map(str.isdecimal, written)) or kind in ("address", "postcode"):
            return self._taken.take_first(self._address_candidates(written), fold_text(written))
        parts, within = list[str](), None
        for part in reversed(written.split(",")):
            bare = part.strip()
            place = self._place_for(bare, within, is_town=kind in TOWNS)
            if place is None:
                return None
            is_acronym = bare.isupper() and len(bare) <= ACRONYM_LENGTH
            parts.append(part.replace(bare, place[0] if is_acronym else match_case(bare, place[0])))
            within = place[1]
        return ",".join(reversed(parts))

    def _place_for(self, name: str, within: int | None, *, is_town: bool = False) -> tuple[str, int] | None:
        low = fold_text(name)
        if self._known.get(low) is None:
            self._known[low] = self._choose_place(name, within, is_town)
        return self._known[low]

    def _choose_place(self, name: str, within: int | None, is_town: bool) -> tuple[str, int] | None:
        concept = self.concept_of(name)
        if concept is not None:
            store, original = concept
            areas = self._areas_of(store, original) if within is None else (within,)
            near = (siblings(store, original, self._keyed, name, within=area) for area in areas)
            candidates: Iterator[int] = chain.from_iterable(near)
        elif is_town and _NAME.fullmatch(name) and (known := self.climber.stores.get("places")):
            store, candidates = known, self._keyed.choices("LOC.town", name, towns_of(known, self._home))
        else:
            return None
        labels: dict[str, int] = {}

        def named() -> Iterator[str]:
            for sibling in candidates:
                label = store.label(sibling, self.climber.language) or ""
                if label not in labels and _NAME.fullmatch(label) and len(label) <= LONGEST and label[:1].isupper():
                    labels[label] = sibling
                    yield label

        labels_in_order = sorted(islice(named(), CANDIDATE_COUNT), key=lambda label: not self._is_known(label))
        label = self._taken.take_first(labels_in_order, fold_text(name))
        return None if label is None else (label, labels[label])

    def concept_of(self, name: str) -> tuple[Store, int] | None:
        """Return what a name means as a place: rather in a country of the language than elsewhere."""
        concept = likeliest_concept(self.climber, name, "LOC")
        if concept is None or _COUNTRY.fullmatch(concept[0].id(concept[1])):
            return concept
        store, senses = concept[0], concept[0].senses(name, self.climber.language)
        likely = [sense.concept for sense in reversed(senses) if sense.probability >= LIKELY_AT_HOME]
        by_country = {_country_of(store, place): place for place in likely}
        return store, next((by_country[home] for home in (self._home, *self._homes) if home in by_country), concept[1])

    def is_at_home(self, name: str) -> bool:
        """Return whether a name is that of a place in the country that the text is of."""
        concept = self.concept_of(name)
        return concept is not None and _country_of(*concept) == self._home

    def _areas_of(self, store: Store, place: int) -> tuple[int | None, ...]:
        """Return the country and the continent of a place, the continent of a country; `None` where there is none."""
        continent, country = next(reversed(list(containing_places(store, place))), None), _country_of(store, place)
        self._home = country if country in self._homes else self._home
        return (continent,) if not country or store.find(country) == place else (store.find(country), continent)

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
            made = other_digits(written, number)
            yield _LETTER.sub(partial(_other_letter, number), made) if letters else made

    def _address_candidates(self, written: str) -> Iterator[str]:
        """Return addresses with the same words for what they name, and other names, towns and numbers."""
        for number in self._keyed.tries("LOC.address", written):
            parts = [self._replace_part(part, number >> place) for place, part in enumerate(_COMMA.split(written))]
            made, names = "".join(part for part, _ in parts), {named for _, named in parts}
            if True in names or (False not in names and made != written):
                yield made

    def _replace_part(self, part: str, number: int) -> tuple[str, bool | None]:
        """Return another part of an address, and whether a name in it changed; `None` where it has none."""
        tokens = list(_TOKEN.finditer(part))
        heads = [token.start() for token in tokens if self._is_head(token[0])]
        head = heads[-1 if self._is_head_last else 0] if heads else -1
        marks = "".join("k" if token.start() == head else self._mark(part, token) for token in tokens)
        tells_street = heads or _DIGIT.search(part) or any(self._street_end(token[0]) for token in tokens)
        is_street = bool(tells_street) and not _POSTCODE.search(part)
        edits = [
            (*token.span(), _LETTER.sub(partial(_other_letter, number), other_digits(token[0], number >> place)))
            for place, token in enumerate(tokens) if marks[place] == "s"
        ]  # fmt: skip
        for run in _NAME_MARKS.finditer(marks):
            start, end = tokens[run.start()].start(), tokens[run.end() - 1].end()
            before = tokens[run.start() - 1][0].lower() if run.start() else ""
            made = self._name_for(part[start:end], before, is_street=is_street, has_head=head >= 0)
            if made is None:
                return part, False
            edits.append((start, end, match_case(part[start:end], made)))
        return splice(part, sorted(edits)), "n" in marks or (False if heads else None)

    def _is_head(self, token: str) -> bool:
        """Return whether a word says what an address names; a German compound has a name in it as well."""
        low = token.lower()
        flags = self._lexicon.folded.get(low, 0) | self._lexicon.capitalized.get(low, 0)
        return bool(flags & Cue.PLACE_HEAD) or low in listed_names(self.climber.language, "heads")

    def _mark(self, part: str, token: re.Match[str]) -> str:
        """Return `n` for a word of a name, `s` for other signs that change, `c` for what may join names, else `k`."""
        word, behind = token[0], part[token.end() :]
        is_unit = word.lower() in listed_names(self.climber.language, "units") and not behind[:1].isalpha()
        is_road = word.isupper() and len(word) <= 2 and _ROAD.match(behind)
        if word.islower() or is_unit or is_road or (self._lexicon.flags(word) & KEPT and not word.isupper()):
            return "c" if word.islower() else "k"
        return "s" if len(word) == 1 or word.isdecimal() or part[token.start() - 1 : token.start()].isdecimal() else "n"

    def _name_for(self, name: str, before: str, *, is_street: bool, has_head: bool) -> str | None:
        """Return another name for a town or a street, behind a word that may tell its gender."""
        if not is_street:
            place = self._place_for(name, None, is_town=True)
            return place[0] if place else None
        low, language = fold_text(name), self.climber.language
        if low not in self._streets:
            pool, is_adjective = names_behind(language, before), has_head and name.endswith("er")
            pool = (adjectives(language) if is_adjective else ()) or listed_names(language, "trees") or pool
            end = self._street_end(name) or ("weg" if language == "de" and not has_head else "")
            words = (f"{word}{end}" for word in self._keyed.choices("LOC.street", low, pool))
            self._streets[low] = self._taken.take_first(words, f"LOC {low}")
        return self._streets[low]

    def _street_end(self, name: str) -> str:
        """Return how a name of a street ends that is one word."""
        ends = listed_names(self.climber.language, "ends")
        return next((end for end in ends if name.lower().endswith(end)), "")


def _country_of(store: Store, place: int) -> str:
    """Return the id of the country that a place is or lies in, or nothing."""
    ids = map(store.id, (place, *containing_places(store, place)))
    return next((id for id in ids if _COUNTRY.fullmatch(id)), "")


def _other_letter(number: int, match: re.Match[str]) -> str:
    """Return any letter but the one that stands there."""
    return ascii_uppercase[(ord(match[0]) - ord("A") + 1 + (number >> match.start()) % 25) % 26]


def other_digits(written: str, number: int) -> str:
    """Return other digits in the same places, the first of a number not 0 unless it was."""
    shown, first = list[str](), True
    for sign in written:
        if sign.isdecimal():
            is_leading = first and sign != "0"
            number, digit = divmod(number, 8 if is_leading else 9)
            shown.append(str((int(sign) + digit) % 9 + 1) if is_leading else str((int(sign) + 1 + digit) % 10))
        else:
            shown.append(sign)
        first = not sign.isdecimal()
    return "".join(shown)
