"""What the table of letters is made of: gold, rates, floors, calibration, and names that are left."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from embanon.measure.annotations import DIRECT, QUASI
from eval.letters import (
    OTHER,
    RATES,
    Letter,
    Replaced,
    anonymize,
    bins,
    covered,
    expected_error,
    floors,
    hidden_entities,
    identifying,
    is_meant,
    places,
    plain,
    proper_nouns,
    proposals,
    rates,
    table,
    worst,
)

TEXT = "Ada Berger (ada@example.org) wrote to Mr Kolb from Graz. Berger and Graz are far away."


def at(words: str, number: int = 0) -> tuple[int, int]:
    start = -1
    for _ in range(number + 1):
        start = TEXT.index(words, start + 1)
    return start, start + len(words)


def mention(words: str, identifier: str, type: str, entity: str, *accept: str, number: int = 0) -> dict[str, Any]:
    start, end = at(words, number)
    return {
        "start": start, "end": end, "type": type, "identifier": identifier, "entity": entity, "accept": list(accept),
    }  # fmt: skip


ROW: dict[str, Any] = {
    "id": "1", "language": "en", "text": TEXT, "protect": [{"name": "Ada Berger", "type": "PERSON", "aliases": []}],
    "mentions": [
        mention("Ada Berger", DIRECT, "PERSON", "ada"), mention("ada@example.org", DIRECT, "CODE", "mail"),
        mention("Mr Kolb", OTHER, "PERSON", "kolb"), mention("Graz", QUASI, "LOC", "graz", "a city", "Austria"),
        mention("Berger", DIRECT, "PERSON", "ada", number=1), mention("Graz", QUASI, "LOC", "graz", number=1),
    ],
    "keep": [list(at("wrote to")), list(at("are far away"))],
}  # fmt: skip
LETTER = Letter.from_row(ROW)


def replaced(*edits: tuple[str, int, str | None]) -> list[Replaced]:
    return [Replaced(*at(words, number), replacement) for words, number, replacement in edits]


# edits, and the hits and totals of direct, quasi, keep, precision, recall, kept, bare, said
COUNTS: dict[str, tuple[list[Replaced], list[tuple[int, int]]]] = {
    "nothing": ([], [(0, 2), (0, 1), (2, 2), (0, 0), (0, 8), (15, 15), (0, 0), (0, 0)]),
    "one of two mentions": (
        replaced(("Ada Berger", 0, "Person 1"), ("Graz", 0, "A city")),
        [(0, 2), (0, 1), (2, 2), (3, 3), (3, 8), (12, 15), (0, 2), (1, 1)],
    ),
    "all of a person, and what is to stay": (
        replaced(("Ada Berger", 0, "Person 1"), ("Berger", 1, "***"), ("far", 0, "quite near")),
        [(1, 2), (0, 1), (1, 2), (3, 4), (3, 8), (11, 15), (1, 3), (0, 0)],
    ),
    "the same again": (
        replaced(("Graz", 0, "Graz"), ("Graz", 1, "Graz")),
        [(0, 2), (0, 1), (2, 2), (0, 0), (0, 8), (15, 15), (0, 2), (0, 2)],
    ),
    "others, by a system that only masks": (
        replaced(("Mr Kolb", 0, None)),
        [(0, 2), (0, 1), (2, 2), (0, 0), (0, 8), (15, 15), (0, 0), (0, 0)],
    ),
}


@pytest.mark.parametrize("name", COUNTS)
def test_rates_count(name: str) -> None:
    edits, wanted = COUNTS[name]
    assert rates(LETTER, edits) == wanted
    assert len(wanted) == len(RATES)


def test_an_address_is_covered_without_its_signs() -> None:
    masked = covered(LETTER, replaced(("ada", 0, None), ("example", 0, None), ("org", 0, None)))
    assert hidden_entities(LETTER, masked, DIRECT) == (1, 2)


def test_whom_a_letter_is_about() -> None:
    person = LETTER.person
    assert person is not None
    assert person.name == "Ada Berger"
    illness = {"name": "gout", "type": "DEM"}
    firm = {"name": "Kolb Ltd", "type": "ORG"}
    assert Letter.from_row(ROW | {"protect": [*ROW["protect"], illness]}).person == person
    assert Letter.from_row(ROW | {"protect": [*ROW["protect"], firm]}).person is None
    assert Letter.from_row(ROW | {"protect": "everyone"}).person is None
    for name, meant in {"Ada Berger": True, "Berger": True, "Mr Berger": True, "Ada Kolb": False, "AB": False}.items():
        assert is_meant(name, person, "en") is meant


def test_replacements_are_compared_without_articles() -> None:
    assert plain("  The  old City ") == plain("an old city") == "old city"
    assert plain("einer Stadt") == plain("eine Stadt") == "stadt"
    assert plain("lake") == "lake"


def test_names_are_found_as_words_or_within() -> None:
    low, mail = TEXT.lower(), LETTER.mentions[1]
    assert list(places(low, "ada", mail)) == [at("ada")]
    assert list(places(low, "exa", mail)) == []
    assert list(places(low, "exampl", mail)) == [at("exampl")]


def test_anonymized_letters_and_floors() -> None:
    outcomes = anonymize([LETTER], "strict")
    assert rates(LETTER, outcomes[0].edits)[0] == (2, 2)
    assert outcomes[0].left == set()
    assert not outcomes[0].warned
    masks = dict(floors(outcomes))
    spans = {label: [TEXT[one.start : one.end] for one in some[0]] for label, some in masks.items()}
    assert "far away" not in spans["floor: proper nouns, numbers"]
    assert "Kolb" in spans["floor: proper nouns, numbers"]
    assert {TEXT[start:end] for start, end in proper_nouns(LETTER)} >= {"Ada", "Graz"}
    lines = list(table("some", [LETTER], [outcomes[0].edits]))
    assert [line.split()[0] for line in lines] == ["some", "en"]
    other = Letter.from_row(ROW | {"language": "de"})
    lines = list(table("some", [LETTER, other], [outcomes[0].edits, []]))
    assert [line.split()[:2] for line in lines[1:]] == [
        ["en", "1.000"], ["de", "0.000"], ["worst", "0.000"], ["all", "0.500"],
    ]  # fmt: skip


def test_a_letter_that_names_nobody_warns() -> None:
    nobody = Letter.from_row(ROW | {"protect": [{"name": "Eva Marchetti", "type": "PERSON"}]})
    assert anonymize([nobody], "strict")[0].warned


def test_the_worst_is_the_largest_of_what_says_nothing() -> None:
    assert worst("bare", [0.2, None, 0.4]) == 0.4
    assert worst("F1", [0.2, None, 0.4]) == 0.2
    assert worst("said", [None]) is None


def test_expected_error() -> None:
    gold = np.array([False, False, True, True])
    assert expected_error(np.array([0.0, 0.0, 1.0, 1.0]), gold) == 0.0
    assert expected_error(np.array([0.5] * 4), gold) == 0.0
    assert expected_error(np.array([0.0, 0.04, 0.7, 0.8]), gold) == pytest.approx(0.02 / 2 + 0.3 / 4 + 0.2 / 4)
    assert bins(np.array([0.05, 1.0, 0.95]), gold[:3]) == [(1, 0.05, 0.0), (2, 0.975, 0.5)]
    outcome = anonymize([LETTER], "strict")[0]
    risks, identifies = identifying(outcome)
    assert identifies.any()
    assert not np.isnan(risks).any()
    assert len(risks) == len(identifies) < len(outcome.anonymized.scored_document.phrases)  # Mr Kolb is left out


def test_proposals_are_those_of_the_command(tmp_path: Path) -> None:
    text = "Ada Berger lives in Graz. Ada Berger is a judge. She met Ben Kolb."
    known = Letter.from_row(ROW | {"id": "2", "text": text, "mentions": [], "keep": []})
    assert proposals([known], tmp_path)["2"][0] == "Ada Berger"
