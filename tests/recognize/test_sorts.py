"""Kinds of mentions: those of their type alone, from what their paragraph says, whatever the words are."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, strategies as st

from embanon.document import TYPES
from embanon.errors import DataError
from embanon.language import TAGGED_LANGUAGES
from embanon.recognize.layout import PARAGRAPH_BREAK
from embanon.recognize.sorts import KIND_NAMES, NOTHING, SortWeights, likeliest_kinds, load_sorter, type_chances

ODD = ("", "x" * 100_000, "🙂", "e\u0301", "אדה", "\ufeff", "1/2", "'")


def told(words: str, begin: int, end: int, type: str, language: str = "en", gap: list[int] | None = None) -> str:
    parts = words.split(" ")
    gaps = np.array(gap or [1] * len(parts), np.int8)
    judged = load_sorter(language).judge(parts, gaps, [begin], [end])
    kinds, chances = likeliest_kinds(judged, np.array([TYPES.index(type)], np.uint8))
    assert 0 < chances[0] <= 1
    return KIND_NAMES[kinds[0]]


@pytest.mark.parametrize(
    ("language", "words", "begin", "end", "kind"),
    [
        ("en", "admitted to Hexham General Hospital on Monday", 2, 5, "ORG.health"),
        ("en", "a pupil at Beckside Primary School since 2019", 3, 6, "ORG.school"),
        ("de", "Klage vor dem Amtsgericht Weilburg erhoben", 3, 5, "ORG.court"),
        ("es", "trabaja en Conservas Rial , S.L. desde 2009", 2, 6, "ORG.company"),
        ("pt", "sócio do Clube Desportivo Valverde há anos", 2, 5, "ORG.club"),
        ("en", "Phone : 07700 900482", 2, 4, "CODE.phone"),
    ],
)
def test_kinds(language: str, words: str, begin: int, end: int, kind: str) -> None:
    assert told(words, begin, end, kind.partition(".")[0], language) == kind


@pytest.mark.parametrize("language", TAGGED_LANGUAGES)
@given(words=st.lists(st.sampled_from(ODD), min_size=1, max_size=5), type=st.sampled_from(TYPES))
def test_whatever_it_is_the_kind_is_of_its_type(language: str, words: list[str], type: str) -> None:
    gap = np.ones(len(words), np.int8)
    judged = load_sorter(language).judge(words, gap, [0], [len(words)])
    assert judged.sum() == pytest.approx(1)
    assert type_chances(judged).sum() == pytest.approx(1)
    kinds, chances = likeliest_kinds(judged, np.array([TYPES.index(type)], np.uint8))
    assert KIND_NAMES[kinds[0]].startswith(f"{type}.")
    assert 0 < chances[0] <= 1


@pytest.mark.parametrize(
    ("language", "words", "begin", "end", "type"),
    [
        ("en", "seen by S. Iqbal on Monday", 2, 4, "PERSON"),
        ("de", "wohnt in 39104 Magdeburg seit 2011", 3, 4, "LOC"),
        ("es", "nacida el 12/07/1958 en Soria", 2, 3, "DATETIME"),
        ("pt", "tel. 933 048 127 ( noite )", 1, 4, "CODE"),
    ],
)
def test_types(language: str, words: str, begin: int, end: int, type: str) -> None:
    parts = words.split(" ")
    judged = load_sorter(language).judge(parts, np.ones(len(parts), np.int8), [begin], [end])
    assert TYPES[type_chances(judged)[0].argmax()] == type
    assert judged[0, NOTHING] < 0.5


@pytest.mark.parametrize(("language", "words"), [("en", "Plan : 1. see below"), ("de", "Datum : siehe oben")])
def test_what_is_no_mention(language: str, words: str) -> None:
    parts = words.split(" ")
    assert load_sorter(language).judge(parts, np.ones(len(parts), np.int8), [0], [1])[0, NOTHING] > 0.5


def test_no_mentions_are_no_rows() -> None:
    assert load_sorter("en").judge([], np.zeros(0, np.int8), [], []).shape == (0, NOTHING + 1)


def test_nothing_looks_beyond_its_paragraph() -> None:
    alone = load_sorter("en").hash_mentions(["Rialto"], np.array([4], np.int8), [0], [1])
    gap = np.array([4, PARAGRAPH_BREAK, PARAGRAPH_BREAK], np.int8)
    assert load_sorter("en").hash_mentions(["School", "Rialto", "Hospital"], gap, [1], [2]) == alone


def test_weights_go_round_and_damage_is_said() -> None:
    weights = load_sorter("pt").weights
    again = SortWeights.from_bytes(weights.to_bytes())
    assert (again.keys == weights.keys).all()
    assert (again.values == weights.values).all()
    with pytest.raises(DataError, match="reinstall"):
        SortWeights.from_bytes(weights.to_bytes()[:1000])
