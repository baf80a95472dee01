"""Coreference and the clinical task: worked examples, and counts by sets and loops."""

from __future__ import annotations

from collections.abc import Sequence
from time import process_time

import pytest
from hypothesis import given, settings

from embanon.measure.annotations import DIRECT, NO_MASK, DocumentPair, MaskedDocument, Mention
from embanon.measure.metrics.clinical import clinical_scores, count_sentences, merge_neighbors
from embanon.measure.metrics.coreference import availability, b_cubed, relevance
from tests.measure.measured import CORPORA, mention, pair, unite_annotators, whole

TEXT = "a b c d e"


def marked(clusters: Sequence[str]) -> list[Mention]:
    """Return each letter of each cluster the cluster's number."""
    return [mention(TEXT, one, entity=f"e{number}") for number, some in enumerate(clusters) for one in some]


B_CUBED = {
    "worked example": (("abc", "d"), ("ab", "cd"), 3 / 4, 2 / 3),
    "the same": (("abc", "d"), ("d", "abc"), 1.0, 1.0),
    "all one": (("ab", "cd"), ("abcd",), 0.5, 1.0),
    "all alone": (("ab", "cd"), ("a", "b", "c", "d"), 1.0, 0.5),
    "one not found": (("ab",), ("a",), 1.0, (1 / 2 + 0) / 2),
    "one too many": (("a",), ("ab",), (1 / 2 + 0) / 2, 1.0),
    "none found": (("ab",), (), None, 0.0),
    "none there": ((), ("ab",), 0.0, None),
}


@pytest.mark.parametrize("case", B_CUBED)
def test_b_cubed(case: str) -> None:
    gold, system, precision, recall = B_CUBED[case]
    found = b_cubed([pair(TEXT, [marked(gold)], marked(system))])
    assert found.precision.value == (None if precision is None else pytest.approx(precision, abs=1e-9))
    assert found.recall.value == (None if recall is None else pytest.approx(recall, abs=1e-9))


@settings(max_examples=80)
@given(CORPORA)
def test_gold_against_itself_is_right(documents: list[DocumentPair]) -> None:
    own = [DocumentPair(unite_annotators(one.gold), MaskedDocument("x",
    tuple(m for a in unite_annotators(one.gold).annotations for m in a.mentions)))
           for one in documents]  # fmt: skip
    found = b_cubed(own)
    assert found.precision.value in (None, pytest.approx(1.0))
    assert found.recall.value in (None, pytest.approx(1.0))
    other = b_cubed(documents)
    assert all(one.value is None or 0 <= one.value <= 1 + 1e-12 for one in (other.precision, other.recall))


@settings(max_examples=80)
@given(CORPORA)
def test_b_cubed_mention_by_mention(documents: list[DocumentPair]) -> None:
    def together(some: Sequence[Mention]) -> dict[tuple[int, int], set[tuple[int, int]]]:
        of = {(one.start, one.end): one.entity or (one.start, one.end) for one in some}
        return {span: {other for other in of if of[other] == of[span]} for span in of}

    parts = [(together(one.output.mentions), together(some.mentions)) for one in documents
             for some in one.gold.annotations]  # fmt: skip
    expected = [[len(own[span] & other.get(span, set())) / len(own[span]) for own, other in some for span in own]
                for some in (parts, [(gold, system) for system, gold in parts])]  # fmt: skip
    found = b_cubed(documents)
    for share, values in ((found.precision, expected[0]), (found.recall, expected[1])):
        assert share.value == (pytest.approx(sum(values) / len(values), abs=1e-9) if values else None)


def test_many_mentions_of_one_entity_take_no_longer_each() -> None:
    def time(count: int) -> float:
        some = [Mention(place, place + 1, None, "e") for place in range(count)]
        document, began = pair("a" * count, [some], some), process_time()
        assert b_cubed([document]).precision.value == 1
        return process_time() - began

    assert min(time(12_000) for _ in range(3)) < 24 * min(time(1_500) for _ in range(3))


def test_mentions_without_an_entity_are_alone() -> None:
    assert b_cubed([pair(TEXT, [whole(TEXT, "a", "b")], whole(TEXT, "a", "b"))]).f() == 1.0
    assert b_cubed([]).recall.value is None


def test_availability_and_relevance() -> None:
    golds = [
        [mention(TEXT, "a", DIRECT, "e1"), mention(TEXT, "b", DIRECT, "e1")],
        [mention(TEXT, "c", DIRECT), mention(TEXT, "d", NO_MASK)],
    ]
    found = availability([pair(TEXT, golds, [])], lambda phrase, type: phrase in "bd")
    assert found.sums == (1, 2)
    assert relevance([(True, True, None), (False, True, True), (None, None, None)]).sums == (4, 5)
    assert relevance([]).value is None


# --- Clinical ----------------------------------------------------------------------------------------------------

NOTE = "Nombre: Pedro De Miguel. Domicilio: Calle Romero, 23. Edad: 53."


def of(what: str, type: str) -> Mention:
    return mention(NOTE, what, type=type)


GOLD = [of("Pedro", "NAME"), of("De Miguel", "NAME"), of("Calle Romero, 23", "STREET"), of("53", "AGE")]
CLINICAL = {
    "all": (GOLD, (4, 4, 4), (4, 4, 4), (3, 3, 3), (5, 5, 5), 0),
    "another type": ([*GOLD[:3], of("53", "ID")], (3, 4, 4), (4, 4, 4), (3, 3, 3), (5, 5, 5), 1),
    "two as one": ([of("Pedro De Miguel", "NAME"), *GOLD[2:]], (2, 3, 4), (2, 3, 4), (3, 3, 3), (3, 3, 3), 2),
    "one as two": (
        [*GOLD[:2], of("Calle Romero", "STREET"), of("23", "STREET"), GOLD[3]],
        (3, 5, 4), (3, 5, 4), (3, 3, 3), (5, 5, 5), 1,
    ),
    "one missed": (GOLD[:3], (3, 3, 4), (3, 3, 4), (2, 2, 3), (4, 4, 5), 1),
    "one too many": ([*GOLD, of("Edad", "AGE")], (4, 5, 4), (4, 5, 4), (1, 2, 3), (5, 6, 5), 0),
    "none": ([], (0, 0, 4), (0, 0, 4), (0, 0, 3), (0, 0, 4), 4),
}  # fmt: skip
"""Hits, masked, marked: of entities, strict, merged; then hits of the task with all masked and marked; missed."""


@pytest.mark.parametrize("case", CLINICAL)
def test_clinical(case: str) -> None:
    output, *expected, missed = CLINICAL[case]
    found = clinical_scores([pair(NOTE, [GOLD], output, "es")])
    for scores, (hits, masked, wanted) in zip(
        (found.entities, found.strict, found.merged, found.task), expected, strict=True
    ):
        assert scores.precision.sums == (hits, masked)
        assert scores.recall.sums == (hits, wanted)
    assert found.leak.sums == (missed, 3)


def test_sentences_are_counted_for_each_annotator_and_may_be_given() -> None:
    found = clinical_scores([pair(NOTE, [GOLD, []], [], "es")], lambda text, language: 5)
    assert found.leak.sums == (4, 10)
    assert count_sentences("Ada sang. Berger came.\n\nNobody saw them.", "en") == 3
    assert clinical_scores([pair("", [[]], [])]).leak.value is None
    assert clinical_scores([pair(NOTE, [], GOLD)]).strict.precision.value is None


NEIGHBORS = {
    "signs between": ("a, b.", [(0, 1), (3, 4)], {(0, 4)}),
    "a word between": ("a x b", [(0, 1), (4, 5)], {(0, 1), (4, 5)}),
    "one in another": ("abc d", [(0, 3), (1, 2), (4, 5)], {(0, 5)}),
    "touching": ("abc", [(0, 1), (1, 3)], {(0, 3)}),
    "an emoji between": ("a 😀 b", [(0, 1), (4, 5)], {(0, 5)}),
    "none": ("a", [], set()),
}


@pytest.mark.parametrize("case", NEIGHBORS)
def test_neighbors(case: str) -> None:
    text, spans, expected = NEIGHBORS[case]
    assert merge_neighbors(text, spans) == expected
