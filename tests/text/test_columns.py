"""What stands at the same place of its line is of one type."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import groupby

import numpy as np
import pytest

from embanon.document import TYPES
from embanon.text.analyzer import load_analyzer
from embanon.text.columns import complete_columns

WARD = """Bed | Name | Notes
1 | Velland, Ada | fluids
2 | BIRD, A | home Monday
3 | Marsh, Orrin | no visitors
4 | Price, Ivor | –
5 | Vacant 2 | –"""
ROTA = """NAME              SHIFT     ROOM
Ada Velland       early     7
Flood             late      8
Orrin Marsh       early     9
Tree, Cherry      night     7"""
CHAT = """priya: who owns the plant
summer: mine, since last summer
priya: it is dead
jackdaw: not me
summer: oh no"""


def alike(text: str, seen: dict[str, str], language: str = "en") -> dict[str, str]:
    """Return what is completed, with its type, where some phrases of a text are seen with theirs."""
    reader = load_analyzer(language)
    tagged = reader.tag(text)
    labels, tokens = reader.label(tagged), tagged.tokens
    if labels is None:
        return {}
    label, inside = np.zeros_like(labels.label), np.zeros_like(labels.inside)
    for phrase, type in seen.items():
        for start in (match.start() for match in re.finditer(re.escape(phrase), text)):
            at = np.flatnonzero((tokens.start >= start) & (tokens.end <= start + len(phrase)))
            label[at] = 2 + 2 * TYPES.index(type)
            label[at[0]] -= 1
            inside[at, TYPES.index(type)] = 1.0
    flags = tagged.features.per_token("facts", "flags")
    labels, forced = complete_columns(replace(labels, label=label, inside=inside), tokens, flags, text)
    found = dict[str, str]()
    for is_forced, group in groupby(
        range(len(tokens)), key=lambda place: (forced[place], int(labels.inside[place].argmax()))
    ):
        places = list(group)
        if is_forced[0]:
            found[text[tokens.start[places[0]] : tokens.end[places[-1]]]] = TYPES[is_forced[1]]
    return found


def test_a_column_of_names_names_people() -> None:
    people = {"Velland, Ada": "PERSON", "Marsh, Orrin": "PERSON", "Price, Ivor": "PERSON"}
    assert alike(WARD, people) == {"BIRD, A": "PERSON"}


def test_what_is_seen_in_part_is_seen_whole() -> None:
    people = {"Velland, Ada": "PERSON", "Marsh, Orrin": "PERSON", "Ivor": "PERSON"}
    assert alike(WARD, people) == {"BIRD, A": "PERSON", "Price, Ivor": "PERSON"}


def test_columns_without_lines_begin_below_each_other() -> None:
    people = {"Ada Velland": "PERSON", "Orrin Marsh": "PERSON"}
    assert alike(ROTA, people) == {"Flood": "PERSON", "Tree, Cherry": "PERSON"}


def test_tabs_part_cells() -> None:
    text = "1\tAda Velland\tfluids\n2\tBird\thome\n3\tOrrin Marsh\t–\n4\tIvor Price\t–"
    assert alike(text, {"Ada Velland": "PERSON", "Orrin Marsh": "PERSON", "Ivor Price": "PERSON"}) == {"Bird": "PERSON"}


def test_codes_are_completed_by_their_shape() -> None:
    text = "A | PB-5512 | 10\nB | PB-5530 | 20\nC | PB-5541 | 30\nD | 14 | 40"
    assert alike(text, {"PB-5512": "CODE", "PB-5541": "CODE"}) == {"PB-5530": "CODE"}


def test_who_speaks_more_than_once_in_a_chat_is_somebody() -> None:
    assert alike(CHAT, {"priya": "PERSON"}) == {"summer": "PERSON"}  # and not the summer, nor who speaks once


def test_where_hardly_anyone_is_seen_nobody_is_completed() -> None:
    assert alike(f"{CHAT}\n" * 2, {"jackdaw": "PERSON"}) == {}


@pytest.mark.parametrize(
    "text",
    [
        "", "|", "a | b", "| | |\n| | |\n| | |", "::::\n::::\n::::", "a: b\na: b\na: b", "a\tb\nc\td\ne\tf",
        "😀 | é | ab\n😀 | é | ab\n😀 | é | ab", "א | ב\nג | ד\nה | ו",
        "Name: Ada\nDate: 3 May\nTel: 555 0172", "- / - / -\n" * 4,
    ],
)  # fmt: skip
def test_nothing_is_completed_where_nothing_is_seen(text: str) -> None:
    assert alike(text, {}) == {}


def test_a_byname_in_brackets_is_somebody() -> None:
    text = 'Carmen Vargas ("la Carmela") came, and Orrin Marsh (the treasurer) and Ada ("").'
    people = {"Carmen Vargas": "PERSON", "Orrin Marsh": "PERSON", "Ada": "PERSON"}
    assert alike(text, people) == {"la Carmela": "PERSON"}


def test_brackets_may_be_open_at_the_end() -> None:
    for text in ('Carmen Vargas ("la Carmela"', 'Carmen Vargas ("', 'Carmen Vargas ("la Carmela'):
        assert alike(text, {"Carmen Vargas": "PERSON"}) == {}


def test_a_party_of_a_contract_has_no_byname() -> None:
    assert alike('Ada Berger ("the Company") pays.', {"Ada Berger": "PERSON"}) == {}


def test_who_asks_in_an_interview_is_nobody() -> None:
    text = "Doctor: since when?\nAda: May.\nDoctor: and now?\nAda: worse.\nDoctor: thanks."
    assert alike(text, {"Ada": "PERSON"}) == {}


def test_what_a_cell_cuts_goes_on_beside_it() -> None:
    text = "Leeds   Ada Hill   7\nYork   Tom Hale   8\nThurso   Flood   9"
    seen = {"Ada Hill": "PERSON", "Tom Hale": "PERSON", "Thurso   Flood": "LOC"}
    assert alike(text, seen) == {"Flood": "PERSON"}


def test_a_form_is_no_chat() -> None:
    text = "Ada: yes\nDate: 3 May\nPlace: Velland"
    assert alike(text, {"Ada": "PERSON"}) == {}
