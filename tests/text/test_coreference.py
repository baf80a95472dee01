"""Grouping names: a table of texts, and what holds for any names."""

from __future__ import annotations

import time
from itertools import pairwise

import pytest
from hypothesis import given, strategies as st

from embanon.document import TYPES
from embanon.text.coreference import group_names, possible_acronyms

CASES = [
    ("an acronym after its name", ["ORG:Veterans of Velland Union", "ORG:VVU"], [0, 0]),
    ("an acronym with the small word", ["ORG:Bank of Orrin", "ORG:BOO", "ORG:BO"], [0, 0, 0]),
    ("an acronym with periods", ["ORG:United Velland Parties", "ORG:U.V.P."], [0, 0]),
    ("the nearest of two", ["ORG:Tarn Vale Club", "ORG:Tolland Velland Council", "ORG:TVC"], [0, 1, 1]),
    ("no acronym of a person", ["PERSON:Ada Berger", "ORG:AB"], [0, 1]),
    ("an acronym of a program typed otherwise", ["MISC:Orrin Training Program", "ORG:OTP"], [0, 0]),
    ("case and article", ["ORG:The Velland Post", "ORG:VELLAND POST"], [0, 0]),
    ("a possessive", ["ORG:Velland", "ORG:Velland's"], [0, 0]),
    ("accents", ["LOC:Córdoba", "LOC:Cordoba"], [0, 0]),
    ("a short form before", ["ORG:Haka", "ORG:FC Haka"], [0, 0]),
    ("a short form after", ["ORG:Tarn Rough Riders", "ORG:Rough Riders", "ORG:Riders"], [0, 0, 0]),
    ("no short form from the middle", ["ORG:Tarn Rough Riders", "ORG:Rough"], [0, 1]),
    ("places are not cut short", ["LOC:New York Harbor", "LOC:New York"], [0, 1]),
    ("a person by surname", ["PERSON:Ada Berger", "PERSON:Berger"], [0, 0]),
    ("turned around", ["ORG:University of Velland", "ORG:Velland University"], [0, 0]),
    ("other types stay apart", ["ORG:Velland", "LOC:Velland"], [0, 1]),
    ("common words are no short forms", ["ORG:Tarn school", "ORG:school"], [0, 1]),
    ("nothing but signs", ["MISC:“”", "MISC:…", "MISC:“”"], [0, 1, 0]),
]


def typed(rows: list[str]) -> list[tuple[str, str]]:
    return [(name, type) for type, _, name in (row.partition(":") for row in rows)]


@pytest.mark.parametrize(("rows", "expected"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_cases(rows: list[str], expected: list[int]) -> None:
    assert group_names(typed(rows)) == expected


def test_initials_leave_articles_and_brackets_out() -> None:
    assert "VNL" in possible_acronyms("The Velland-National League (second division)")
    assert not possible_acronyms("Velland")


KNOWN = st.sampled_from([row.partition(":")[2] for case in CASES for row in case[1]])
NAMES = st.lists(st.tuples(st.text(max_size=20) | KNOWN, st.sampled_from(TYPES)), max_size=20)


@given(NAMES)
def test_groups_are_named_by_their_first_place(names: list[tuple[str, str]]) -> None:
    found = group_names(names)
    assert len(found) == len(names)
    for place, of in enumerate(found):
        assert of <= place
        assert found[of] == of


@given(NAMES)
def test_the_same_name_is_in_one_group(names: list[tuple[str, str]]) -> None:
    doubled = group_names([*names, *names])
    assert doubled[: len(names)] == doubled[len(names) :]


def test_time_grows_with_the_number_of_names() -> None:
    def seconds(size: int) -> float:
        names = [(f"Orrin {number} Vale Club", "ORG") for number in range(size)] + [("Club", "ORG")] * size
        best = 1e9
        for _ in range(3):
            begin = time.process_time()
            group_names(names)
            best = min(best, time.process_time() - begin)
        return best

    took = [seconds(size) for size in (500, 2000)]
    assert all(later < 12 * earlier for earlier, later in pairwise(took))
