"""Kinds of mentions: those of their type alone, from what their paragraph says, whatever the words are."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, strategies as st

from embanon.document import TYPES
from embanon.language import TAGGED_LANGUAGES
from embanon.recognize import KIND_NAMES, NOTHING, likeliest_kinds, type_chances
from embanon.text import load_analyzer

ODD = ("", "x" * 100_000, "🙂", "e\u0301", "אדה", "\ufeff", "1/2", "'")


def judged(text: str, mention: str, language: str = "en") -> np.ndarray:
    """Return the chances of a mention in a text."""
    analyzer = load_analyzer(language)
    analyzed = analyzer.tag(text)
    labels, tokens = analyzer.label(analyzed), analyzed.tokens
    assert labels is not None
    start = text.index(mention)
    first = int(np.searchsorted(tokens.end, start, side="right"))
    last = int(np.searchsorted(tokens.start, start + len(mention), side="left"))
    return labels.reading.judge(np.array([first]), np.array([last]))


def told(chances: np.ndarray, type: str) -> str:
    kinds, share = likeliest_kinds(chances, np.array([TYPES.index(type)], np.uint8))
    assert 0 < share[0] <= 1
    return KIND_NAMES[kinds[0]]


@pytest.mark.parametrize(
    ("language", "text", "mention", "kind"),
    [
        ("en", "She was admitted to Hexham General Hospital on Monday.", "Hexham General Hospital", "ORG.health"),
        ("en", "He is a pupil at Beckside Primary School since 2019.", "Beckside Primary School", "ORG.school"),
        ("de", "Klage vor dem Amtsgericht Weilburg erhoben", "Amtsgericht Weilburg", "ORG.court"),
        ("es", "Trabaja en Conservas Rial, S.L. desde 2009.", "Conservas Rial, S.L.", "ORG.company"),
        ("pt", "Está internada no Hospital de Valverde desde ontem.", "Hospital de Valverde", "ORG.health"),
        ("en", "Phone: 07700 900482", "07700 900482", "CODE.phone"),
    ],
)
def test_kinds(language: str, text: str, mention: str, kind: str) -> None:
    assert told(judged(text, mention, language), kind.partition(".")[0]) == kind


@pytest.mark.parametrize("language", TAGGED_LANGUAGES)
@given(words=st.lists(st.sampled_from(ODD), min_size=1, max_size=5), type=st.sampled_from(TYPES))
def test_whatever_it_is_the_kind_is_of_its_type(language: str, words: list[str], type: str) -> None:
    analyzer = load_analyzer(language)
    analyzed = analyzer.tag(" ".join(words))
    labels = analyzer.label(analyzed)
    assert (labels is None) == (not len(analyzed.tokens))
    if labels is None:
        return
    chances = labels.reading.judge(np.array([0]), np.array([len(analyzed.tokens)]))
    assert chances.sum() == pytest.approx(1)
    assert type_chances(chances).sum() == pytest.approx(1)
    assert told(chances, type).startswith(f"{type}.")


@pytest.mark.parametrize(
    ("language", "text", "mention", "type"),
    [
        ("en", "Seen by S. Iqbal on Monday.", "S. Iqbal", "PERSON"),
        ("de", "Sie wohnt in 39104 Magdeburg seit 2011.", "Magdeburg", "LOC"),
        ("es", "Nacida el 12/07/1958 en Soria.", "12/07/1958", "DATETIME"),
        ("pt", "tel. 933 048 127 (noite)", "933 048 127", "CODE"),
    ],
)
def test_types(language: str, text: str, mention: str, type: str) -> None:
    chances = judged(text, mention, language)
    assert TYPES[type_chances(chances)[0].argmax()] == type
    assert chances[0, NOTHING] < 0.5


@pytest.mark.parametrize(("language", "text"), [("en", "Plan: 1. see below"), ("de", "Datum: siehe oben")])
def test_what_is_no_mention(language: str, text: str) -> None:
    assert judged(text, text.partition(":")[0], language)[0, NOTHING] > 0.5


def test_no_mentions_are_no_rows() -> None:
    analyzer = load_analyzer("en")
    labels = analyzer.label(analyzer.tag("Plan"))
    assert labels is not None
    none = np.zeros(0, np.int64)
    assert labels.reading.judge(none, none).shape == (0, NOTHING + 1)


def test_nothing_looks_beyond_its_paragraph() -> None:
    alone = judged("Rialto", "Rialto")
    np.testing.assert_allclose(judged("School\n\nRialto\n\nHospital", "Rialto"), alone, rtol=1e-4)


def test_spans_may_overlap() -> None:
    analyzer = load_analyzer("en")
    labels = analyzer.label(analyzer.tag("Hexham General Hospital in Hexham"))
    assert labels is not None
    first, last = np.array([0, 1, 0]), np.array([3, 3, 5])
    together = labels.reading.judge(first, last)
    for number in range(3):
        alone = labels.reading.judge(first[number : number + 1], last[number : number + 1])
        np.testing.assert_allclose(together[number], alone[0], rtol=1e-4)
