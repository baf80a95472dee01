from __future__ import annotations

import numpy as np
from hypothesis import given, strategies as st

from embanon.document import FORMS, TYPES, Phrases
from embanon.text.overlay import (
    RANK_DENIED,
    RANK_IDENTIFIER,
    RANK_PATTERN,
    OverlaySpan,
    number_base_phrases,
    overlay,
    remove_allowed,
    resolve_overlaps,
)

TEXT = "Peter Miller lives at 12 Baker Street in London, near Peter's brother."
KINDS = ("MISC.other",)


def phrases(*spans: tuple[int, int]) -> Phrases:
    start = np.array([a for a, _ in spans], dtype=np.int64)
    end = np.array([b for _, b in spans], dtype=np.int64)
    codes = np.zeros(len(spans), dtype=np.uint8)
    return Phrases(start, end, codes, codes, codes, start, end, start * 0, KINDS)


def at(text: str) -> tuple[int, int]:
    start = TEXT.index(text)
    return start, start + len(text)


def words(found: Phrases) -> list[str]:
    return [TEXT[phrase.start : phrase.end] for phrase in found]


def unit(text: str, rank: int = RANK_IDENTIFIER) -> OverlaySpan:
    return OverlaySpan(*at(text), "LOC", "LOC.address", rank)


def test_a_unit_replaces_what_it_covers() -> None:
    found = overlay(phrases(at("Peter Miller"), at("12"), at("Baker Street")), [unit("12 Baker Street")], TEXT)
    assert words(found) == ["Peter Miller", "12 Baker Street"]
    assert found[1].kind == "LOC.address"


def test_the_rest_of_a_phrase_stays() -> None:
    found = overlay(phrases(at("Baker Street in London")), [unit("12 Baker Street")], TEXT)
    assert words(found) == ["12 Baker Street", "in London"]
    found = overlay(phrases(at("Peter Miller lives")), [unit("Miller")], TEXT)
    assert words(found) == ["Peter", "Miller", "lives"]
    assert words(overlay(phrases(at("London,")), [unit("London")], TEXT)) == ["London"]


def test_settle_by_rank_then_length() -> None:
    long, short = unit("12 Baker Street"), unit("Baker Street in London", RANK_PATTERN)
    assert resolve_overlaps([long, short]) == [short]
    assert resolve_overlaps([long, unit("12"), unit("Street")]) == [long]
    assert resolve_overlaps([unit("12"), unit("Baker"), unit("London", RANK_DENIED)]) == [
        unit("12"),
        unit("Baker"),
        unit("London", RANK_DENIED),
    ]
    assert resolve_overlaps([]) == []


def test_allowed_places_are_left_out_unless_denied() -> None:
    found = phrases(at("Peter Miller"), at("London"))
    assert words(remove_allowed(found, [at("London,")], [])) == ["Peter Miller"]
    assert words(remove_allowed(found, [at("Peter")], [])) == ["Peter Miller", "London"]
    assert words(remove_allowed(found, [at("London")], [unit("London", RANK_DENIED)])) == ["Peter Miller", "London"]


def test_phrases_that_touch_share_a_base() -> None:
    found = phrases(at("Peter"), at("Miller"), at("lives"), at("12"), at("London"))
    assert number_base_phrases(found, TEXT).tolist() == [0, 0, 0, 1, 2]
    assert number_base_phrases(phrases(), TEXT).tolist() == []


SPANS = st.lists(st.tuples(st.integers(0, len(TEXT) - 1), st.integers(1, 12)), max_size=8)


@given(SPANS, SPANS)
def test_nothing_overlaps_and_no_word_is_lost(under: list[tuple[int, int]], over: list[tuple[int, int]]) -> None:
    below = []
    for start, length in sorted(under):
        if not below or start >= below[-1][1]:
            below.append((start, min(start + length, len(TEXT))))
    units = resolve_overlaps(
        OverlaySpan(a, min(a + n, len(TEXT)), TYPES[0], "PERSON.x", rank) for rank, (a, n) in enumerate(over)
    )
    found = overlay(phrases(*below), units, TEXT)
    assert np.all(found.start[1:] >= found.end[:-1])
    assert np.all(found.start < found.end)
    covered = {place for phrase in found for place in range(phrase.start, phrase.end)}
    wanted = {place for a, b in below for place in range(a, b) if TEXT[place].isalnum()}
    assert wanted <= covered
    assert {(unit.start, unit.end) for unit in units} <= {(phrase.start, phrase.end) for phrase in found}
    assert all(phrase.form in FORMS for phrase in found)
