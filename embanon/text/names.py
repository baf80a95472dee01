"""Evidence on the type of each name from its own words."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

from embanon.data import read_toml
from embanon.language import (
    PERSON_CUES,
    PLACE_CUES,
    Cue,
    Lexicon,
    first_words_of_places,
    has_trait,
)
from embanon.text.grammar import (
    TITLE_PATTERN,
    Bools,
    Ints,
    TypingColumns,
    bits_of_symbols,
    combine_flags,
    first_in_span,
    has_cue,
)

NAME_CLASSES: Final = (
    ("person", "full-name"), ("org", "organization"), ("loc", "place"), ("work", "work"), ("award", "award"),
    ("event", "event"), ("law", "law"), ("role", "role"), ("ill", "illness"), ("day", "holiday"),
    ("group", "group"), ("kin", "kin"),
)  # fmt: skip
"""What a name may be, and the kind that it has when nothing finer is known."""
CLASS_NUMBER: Final = {name: number for number, (name, _) in enumerate(NAME_CLASSES)}


@dataclass(frozen=True, slots=True)
class EvidenceWeights:
    """What each observation is worth to each class: the rows of `ontologies/lexicon/evidence.toml`."""

    row: Mapping[str, int]
    entries: tuple[tuple[int, int, np.float32], ...]


@cache
def load_evidence() -> EvidenceWeights:
    """Read what observations are worth."""
    weights = read_toml("ontologies", "lexicon", "evidence.toml")
    entries = tuple(
        (row, CLASS_NUMBER[name], np.float32(worth))
        for row, worths in enumerate(weights.values())
        for name, worth in worths.items()
    )
    return EvidenceWeights({name: row for row, name in enumerate(weights)}, entries)


@dataclass(frozen=True, slots=True)
class NameEvidence:
    """What has been observed of some names: a row of each observation, all of them absent at first."""

    rows: NDArray[np.float32]

    @classmethod
    def for_names(cls, count: int) -> NameEvidence:
        """Start without any observation of so many names."""
        return cls(np.zeros((len(load_evidence().row), count), dtype=np.float32))

    def __getitem__(self, name: str) -> Bools:
        noted: Bools = self.rows[load_evidence().row[name]] != 0
        return noted

    def __setitem__(self, name: str, values: Bools) -> None:
        self.rows[load_evidence().row[name]] = values

    def note(self, observations: Mapping[str, Bools]) -> None:
        """Note several observations."""
        for name, values in observations.items():
            self[name] = values

    def scores(self) -> NDArray[np.float32]:
        """Add up what a name's own words are worth.

        The table is small and mostly zeros: adding its entries is faster than a matrix product of observations
        and worths, starts no threads and rounds alike on all machines.
        """
        scores = np.zeros((len(NAME_CLASSES), self.rows.shape[1]), dtype=np.float32)
        noted = np.any(self.rows != 0, axis=1).tolist()
        for row, number, worth in load_evidence().entries:
            if noted[row]:
                scores[number] += worth * self.rows[row]
        return scores


@dataclass(frozen=True, slots=True)
class NameColumns:
    """The names of a view: their numbers among its phrases, and the tokens and bits that evidence asks for.

    What stands in brackets at the end is no part of the name proper: it is from `first` to `end`, its last word
    is `tail`. The head is the last word before an "of" or the first word, by the language.
    """

    phrase_numbers: Ints
    first: Ints
    last: Ints
    end: Ints
    head: Ints
    tail: Ints
    token_count: Ints
    word_count: Ints  # as size, but Stow-on-the-Fen is one word
    symbol_bits: Ints  # bits of its symbols
    cue_bits: Ints  # of all its words
    place_cues: Ints  # place cues of the whole name

    @classmethod
    def build(cls, view: TypingColumns, number: Ints, lexicon: Lexicon) -> NameColumns:
        """Gather the columns of some phrases of a view."""
        first, last = view.first[number], view.last[number]
        end = first_in_span(np.flatnonzero(view.symbols == ord("(")), first + 1, last)
        before_of = first_in_span(np.flatnonzero(view.symbols == ord("f")), first + 1, end) - 1
        head = first if has_trait(view.language, "adjectives_follow") else before_of
        size = end - first
        hyphens = np.concatenate([[0], np.cumsum(view.symbols == ord("-"))])
        words = np.maximum(size - 2 * (hyphens[end] - hyphens[first]), 1)
        bits, cues = combine_flags(view.symbol_bits, first, end), combine_flags(view.flags, first, end)
        places = _look_up_places(view, (first, end), bits, lexicon)
        return cls(number, first, last, end, head, end - 1, size, words, bits, cues, places)


def observe_names(view: TypingColumns, names: NameColumns) -> NameEvidence:
    """Note what the words of each name say of it; what stands beside it, the labeler weighs."""
    evidence = NameEvidence.for_names(len(names.first))
    bracket = names.end < names.last
    year = view.symbols[np.minimum(names.end + 1, names.last)] == ord("4")
    evidence["year in brackets"] = bracket & year
    evidence["quoted"] = view.pattern[names.phrase_numbers] == TITLE_PATTERN
    evidence.note(_person_evidence(view, names))
    evidence.note(_organization_evidence(view, names, evidence["quoted"]))
    evidence.note(_place_evidence(view, names))
    evidence.note(_other_evidence(view, names))
    return evidence


def _look_up_places(view: TypingColumns, span: tuple[Ints, Ints], symbol_bits: Ints, lexicon: Lexicon) -> Ints:
    """Return the place cues of each whole name, with AMBIGUOUS where it stands."""
    first, end = span
    size, flags = end - first, view.flags[first]
    places: Ints = np.where(size == 1, flags & (PLACE_CUES | int(Cue.AMBIGUOUS)), 0)
    # The look-up of several words is the one loop: only where no title or given name rules it out.
    no_people = PLACE_CUES | int(Cue.AMBIGUOUS | Cue.PLACE_HEAD | Cue.PARTICLE)
    people = has_cue(flags, Cue.GIVEN_NAME) & ~has_cue(flags, no_people)
    people |= (view.symbols[first] == ord("T")) & ~has_cue(flags, Cue.PARTICLE)
    candidates = np.flatnonzero((size > 1) & (size <= 4) & ~has_cue(symbol_bits, bits_of_symbols("x&")) & ~people)
    known: dict[str, int] = {}
    openings = first_words_of_places(lexicon)
    for place, start, stop in zip(
        candidates.tolist(), first[candidates].tolist(), end[candidates].tolist(), strict=True
    ):
        if view.words[start].lower() not in openings:
            continue
        name = " ".join(view.words[start:stop])
        cues = known.get(name)
        if cues is None:
            cues = known[name] = lexicon.place_cues(name)
        places[place] = cues
    return places


def _are_in_capitals(view: TypingColumns, places: Ints) -> Bools:
    """Return which words are in capitals and no initials, as acronyms are."""
    upper = np.array(list(map(str.isupper, view.words_at(places))))
    result: Bools = upper & (view.length[places] > 1)
    candidates = np.flatnonzero(result)
    result[candidates] = [not word.endswith(".") for word in view.words_at(places[candidates])]
    return result


def _are_dotted_initials(view: TypingColumns, places: Ints) -> Bools:
    """Return which words are initials with their period."""
    result: Bools = view.length[places] == 2
    candidates = np.flatnonzero(result)
    result[candidates] = [word[1:] == "." for word in view.words_at(places[candidates])]
    return result


def are_given_names(view: TypingColumns, places: Ints) -> Bools:
    """Return which words are given names."""
    result: Bools = (view.symbols[places] == ord("g")) | has_cue(view.flags[places], Cue.GIVEN_NAME)
    return result


def _person_evidence(view: TypingColumns, names: NameColumns) -> dict[str, Bools]:
    """Return what the words of each name say for a person."""
    first, tail = names.first, names.tail
    symbol, several = view.symbols[first], names.word_count > 1
    given, titled = are_given_names(view, first), symbol == ord("T")
    office = (names.word_count > 2) & has_cue(view.flags[names.head], Cue.ORG_HEAD)
    return {
        "always": np.ones(len(first), dtype=bool),
        "title first": titled,
        "title first, organization's head": titled & office,
        "given first": given,
        "given first, ambiguous": given & has_cue(view.flags[first], Cue.AMBIGUOUS) & ~several,
        "surname last": has_cue(view.flags[tail], Cue.SURNAME),
        "initial": (symbol == ord("P")) & several & _are_dotted_initials(view, first),
        "suffix of names": several & (view.symbols[tail] == ord("x")),
        "particle": several & has_cue(names.symbol_bits, bits_of_symbols("v")),
        "given twice": several & given & (view.symbols[np.minimum(first + 1, tail)] == ord("g")),
        "two to four names": several & (names.word_count < 5) & ~has_cue(names.symbol_bits, bits_of_symbols("Q0Df")),
        "five or more words": names.word_count > 4,
    }


def _organization_evidence(view: TypingColumns, names: NameColumns, quoted: Bools) -> dict[str, Bools]:
    """Return what the words of each name say for an organization."""
    first, head, tail, several = names.first, names.head, names.tail, names.word_count > 1
    first_flags, head_flags, tail_flags = view.flags[first], view.flags[head], view.flags[tail]
    acronym = _are_in_capitals(view, tail)
    company = has_cue(tail_flags, Cue.ORG_SUFFIX) | has_cue(names.symbol_bits, bits_of_symbols("&"))
    house = (head != tail) & has_cue(head_flags, Cue.PLACE_HEAD)
    return {
        "organization's head": has_cue(head_flags, Cue.ORG_HEAD),
        "organization's first": several & (head != first) & has_cue(first_flags, Cue.ORG_HEAD),
        "organization's word": has_cue(names.cue_bits, Cue.ORG_HEAD),
        "company's suffix": several & company,
        "known organization": has_cue(np.where(several, head_flags, first_flags), Cue.ORG_NAME),
        "house of an organization": house & has_cue(tail_flags, Cue.ORG_HEAD),
        "acronym": acronym & ~several,
        "acronym first or last": several & (acronym != _are_in_capitals(view, first)) & ~are_given_names(view, first),
        "acronym, quoted": acronym & ~several & quoted,
    }


def _place_evidence(view: TypingColumns, names: NameColumns) -> dict[str, Bools]:
    """Return what the words of each name say for a place."""
    first, head, several, places = names.first, names.head, names.word_count > 1, names.place_cues
    first_flags, tail_place = view.flags[first], has_cue(view.flags[names.tail], PLACE_CUES)
    headed, known = has_cue(view.flags[head], Cue.PLACE_HEAD), has_cue(places, PLACE_CUES)
    abroad = several & has_cue(first_flags, PLACE_CUES) & ~known
    abroad &= ~are_given_names(view, first) & ~has_cue(first_flags, Cue.DIRECTION)
    article = ~has_cue(names.symbol_bits, bits_of_symbols("f")) & (view.symbols[first - 1] == ord("d"))
    return {
        "place's head": several & headed,
        "place's head, one word": ~several & headed,
        "place's first": several & (head != first) & has_cue(first_flags, Cue.PLACE_HEAD),
        "country": has_cue(places, Cue.COUNTRY | Cue.CONTINENT),
        "region": has_cue(places, Cue.REGION),
        "major city": has_cue(places, Cue.MAJOR),
        "city": has_cue(places, Cue.CITY),
        "place, ambiguous": has_cue(places, Cue.AMBIGUOUS),
        "place of several words": several & known,
        "place last": several & tail_place,
        "place first": abroad,
        "place first, after an article": abroad & article,
        "direction first": several & has_cue(first_flags, Cue.DIRECTION) & tail_place,
    }


def _other_evidence(view: TypingColumns, names: NameColumns) -> dict[str, Bools]:
    """Return what the words of each name say for a work, an event, a role, a group and so on."""
    symbol, several, symbol_bits = view.symbols[names.first], names.word_count > 1, names.symbol_bits
    head_flags, tail_flags = view.flags[names.head], view.flags[names.tail]
    person_last = has_cue(tail_flags, PERSON_CUES) | (view.symbols[names.tail] == ord("g"))
    group = has_cue(head_flags, Cue.NATIONALITY | Cue.DEM | Cue.LANGUAGE)
    return {
        "work's head": has_cue(head_flags, Cue.WORK_HEAD),
        "award's head": has_cue(head_flags, Cue.AWARD_HEAD),
        "event's head": has_cue(head_flags, Cue.EVENT_HEAD),
        "law's head": has_cue(head_flags, Cue.LAW_HEAD),
        "year first": several & (symbol == ord("4")),
        "function word": has_cue(symbol_bits, bits_of_symbols("Q")),
        "number": several & has_cue(symbol_bits, bits_of_symbols("0349")),
        "role": has_cue(symbol_bits, bits_of_symbols("B")) | has_cue(head_flags, Cue.ROLE),
        "role, then a name": (symbol == ord("B")) & several & person_last,
        "illness": has_cue(head_flags, Cue.HEALTH),
        "holiday": has_cue(head_flags, Cue.HOLIDAY),
        "kin": ~several & has_cue(head_flags, Cue.KIN),
        "group": group,
        "group, one word": ~several & group & ~are_given_names(view, names.first),
    }
