"""Words, mentions and entities: against sets and loops, and what must hold of any documents."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given, settings

from embanon.measure.annotations import NO_MASK, QUASI, DocumentPair, MaskedDocument, Mention
from embanon.measure.metrics.share import Share, quartiles
from embanon.measure.metrics.words import (
    entity_recall,
    entity_recall_by_type,
    mention_scores,
    mention_scores_by_type,
    specificity,
    word_scores,
    word_scores_by_type,
)
from tests.measure.measured import CORPORA, mention, pair, unite_annotators, whole, words_with_cuts

Sums = dict[str, tuple[float, float]]
TEXT = "Dr. Ada Berger (born 1961) sang in Oslo, Norway; Ada's 42 songs."


def signs(mentions: Sequence[Mention]) -> set[int]:
    return {n for one in mentions for n in range(one.start, one.end)}


def reference(pairs: Sequence[DocumentPair], type: str | None = None) -> Sums:
    """Count by sets, sign by sign."""
    sums: dict[str, list[float]] = {}

    def add(name: str, hits: float, of: float) -> None:
        row = sums.setdefault(name, [0.0, 0.0])
        row[0] += hits
        row[1] += of

    for one in pairs:
        text, output = one.gold.text, one.output.mentions
        for annotation in one.gold.annotations:
            gold = [some for some in annotation.mentions if some.identifier != NO_MASK]
            words = [set(range(a, b)) for a, b in words_with_cuts(text)]
            typed = [some for some in gold if type is None or (some.type or "") == type]
            asked = [some for some in output if type is None or (some.type or "") == type]
            for name, own, other in (("precision", asked, gold), ("recall", typed, output)):
                here = [word for word in words if word & signs(own)]
                add(f"words {name}", sum(bool(word & signs(other)) for word in here), len(here))
            left = [word for word in words if not word & signs(gold)]
            add("specificity", sum(not word & signs(output) for word in left), len(left))
            for name, own, other in (("precision", output, gold), ("recall", gold, output)):
                for span in {(some.start, some.end) for some in own}:
                    inside = set(range(*span))
                    told = {n for n in inside if text[n].isalnum()} or {n for n in inside if not text[n].isspace()}
                    add(f"exact {name}", span in {(some.start, some.end) for some in other}, 1)
                    add(f"covered {name}", told <= signs(other), 1)
                    add(f"overlap {name}", bool(inside & signs(other)), 1)
            every = {some.entity if some.entity is not None else id(some) for some in gold}
            for entity in every:
                told = set()
                for some in gold:
                    if (some.entity if some.entity is not None else id(some)) == entity:
                        inside = set(range(some.start, some.end))
                        told |= {n for n in inside if text[n].isalnum()} or {n for n in inside if not text[n].isspace()}
                add("entities", told <= signs(output), 1)
    return {name: (hits, of) for name, (hits, of) in sums.items()}


def measured(pairs: Sequence[DocumentPair]) -> dict[str, Share]:
    found, scores = {"entities": entity_recall(pairs), "specificity": specificity(pairs)}, mention_scores(pairs)
    named = {"words": word_scores(pairs), "exact": scores.exact, "covered": scores.covered, "overlap": scores.overlap}
    for name, one in named.items():
        found |= {f"{name} precision": one.precision, f"{name} recall": one.recall}
    return found


def agree(found: dict[str, Share], expected: Sums) -> None:
    for name, share in found.items():
        hits, of = expected.get(name, (0, 0))
        assert share.sums == (hits, of), name
        assert share.value == (pytest.approx(hits / of, abs=1e-9) if of else None), name


CASES = {
    "a part of a word": ([whole(TEXT, "Berger")], whole(TEXT, "Berg"), (1.0, 1.0, 1.0)),
    "a sign between words": ([whole(TEXT, "Ada Berger")], whole(TEXT, "Ada", "Berger ("), (1.0, 1.0, 1.0)),
    "one of two words": ([whole(TEXT, "Ada Berger")], whole(TEXT, "Ada"), (1.0, 0.5, 2 / 3)),
    "too much": ([whole(TEXT, "Ada")], whole(TEXT, "Ada Berger"), (0.5, 1.0, 2 / 3)),
    "elsewhere": ([whole(TEXT, "Ada")], whole(TEXT, "Oslo"), (0.0, 0.0, 0.0)),
    "harmless": ([[mention(TEXT, "Oslo", NO_MASK)]], whole(TEXT, "Oslo"), (0.0, None, 0.0)),
    "nothing masked": ([whole(TEXT, "Ada")], [], (None, 0.0, 0.0)),
    "nothing marked": ([[]], whole(TEXT, "Ada"), (0.0, None, 0.0)),
    "nothing at all": ([[]], [], (None, None, None)),
    "nobody marked": ([], whole(TEXT, "Ada"), (None, None, None)),
    "two people": ([whole(TEXT, "Ada Berger"), whole(TEXT, "Oslo")], whole(TEXT, "Ada"), (0.5, 1 / 3, 0.4)),
}


@pytest.mark.parametrize("case", CASES)
def test_words(case: str) -> None:
    golds, output, (precision, recall, f) = CASES[case]
    documents = [pair(TEXT, golds, output)]
    found = word_scores(documents)
    assert found.precision.value == precision
    assert found.recall.value == (None if recall is None else pytest.approx(recall))
    assert found.f() == (None if f is None else pytest.approx(f))
    agree(measured(documents), reference(documents))


MENTIONS = {
    "the same": (whole(TEXT, "Ada Berger"), whole(TEXT, "Ada Berger"), (1, 1, 1)),
    "without its sign": (whole(TEXT, "Dr."), whole(TEXT, "Dr"), (0, 1, 1)),
    "in two parts": (whole(TEXT, "Ada Berger"), whole(TEXT, "Ada", "Berger"), (0, 1, 1)),
    "a part": (whole(TEXT, "Ada Berger"), whole(TEXT, "Berger"), (0, 0, 1)),
    "a neighbor": (whole(TEXT, "Ada"), whole(TEXT, " Berger"), (0, 0, 0)),
    "twice": ([*whole(TEXT, "Ada"), mention(TEXT, "Ada", type="ORG")], whole(TEXT, "Ada"), (1, 1, 1)),
    "a sign alone": (whole(TEXT, ";"), whole(TEXT, "Oslo"), (0, 0, 0)),
    "a sign alone, masked": (whole(TEXT, ";"), whole(TEXT, "Norway;"), (0, 1, 1)),
}


@pytest.mark.parametrize("case", MENTIONS)
def test_mentions(case: str) -> None:
    gold, output, expected = MENTIONS[case]
    found = mention_scores([pair(TEXT, [gold], output)])
    values = [one.recall.value for one in (found.exact, found.covered, found.overlap)]
    assert values == list(expected)


def test_types() -> None:
    gold = [mention(TEXT, "Ada Berger", type="PERSON"), mention(TEXT, "Oslo", type="LOC"), mention(TEXT, "1961")]
    output = [mention(TEXT, "Ada", type="ORG"), mention(TEXT, "Oslo, Norway", type="LOC")]
    documents = [pair(TEXT, [gold], output)]
    found = {name: (one.precision.value, one.recall.value) for name, one in word_scores_by_type(documents).items()}
    assert found == {"": (None, 0.0), "LOC": (0.5, 1.0), "ORG": (1.0, None), "PERSON": (None, 0.5)}
    mentions = {
        name: (one.covered.precision.value, one.covered.recall.value, one.overlap.recall.value)
        for name, one in mention_scores_by_type(documents).items()
    }
    assert mentions == {"": (None, 0, 0), "LOC": (0, 1, 1), "ORG": (1, None, None), "PERSON": (None, 0, 1)}
    entities = {name: one.value for name, one in entity_recall_by_type(documents).items()}
    assert entities == {"": 0.0, "LOC": 1.0, "ORG": None, "PERSON": 0.0}


def test_people_may_be_taken_as_one() -> None:
    golds = [[mention(TEXT, "Ada", QUASI, "e1"), mention(TEXT, "Oslo", QUASI, "e2")], whole(TEXT, "Ada", "Norway")]
    document = pair(TEXT, golds, whole(TEXT, "Ada", "Norway"))
    one = DocumentPair(unite_annotators(document.gold), document.output)
    assert len(one.gold.annotations) == 1
    assert word_scores([one]).recall.sums == (2, 3)
    assert word_scores([document]).recall.sums == (3, 4)
    assert {some.entity for some in one.gold.annotations[0].mentions} == {"a0/e1", "a0/e2", None}
    assert unite_annotators(pair(TEXT, [], []).gold).annotations == ()


def test_how_documents_spread() -> None:
    documents = [
        pair("a b c d", [whole("a b c d", "a")], whole("a b c d", *some)) for some in ("a", "ab", "abc", "abcd")
    ]
    documents.append(pair("a", [whole("a", "a")], whole("a", "a")))  # nothing is harmless there
    share = specificity(documents)
    assert share.value == pytest.approx((3 + 2 + 1 + 0) / 12)
    found = quartiles(share)
    assert (found["least"], found["median"], found["most"]) == (0.0, 0.5, 1.0)
    assert quartiles(Share.from_rows([])) == {}
    scores = word_scores(documents)
    assert scores.recall.value == 1.0
    precision = scores.precision.value
    assert precision is not None
    assert scores.f(2) == pytest.approx(5 * precision / (4 * precision + 1))


def test_no_documents() -> None:
    assert {share.value for share in measured([]).values()} == {None}
    assert word_scores_by_type([]) == {}


@settings(max_examples=150)
@given(CORPORA)
def test_any_documents(documents: list[DocumentPair]) -> None:
    found = measured(documents)
    agree(found, reference(documents))
    assert all(share.value is None or 0 <= share.value <= 1 for share in found.values())
    mentions, entities = mention_scores_by_type(documents), entity_recall_by_type(documents)
    for type, share in entities.items():  # with whatever some documents lack of a type
        whole = entity_recall(documents, lambda one, type=type: (one.type or "") == type)
        assert (share.hits.tolist(), share.totals.tolist()) == (whole.hits.tolist(), whole.totals.tolist())
        found = mention_scores(documents, lambda one, type=type: (one.type or "") == type)
        for one, other in ((mentions[type].exact, found.exact), (mentions[type].covered, found.covered)):
            assert one.recall.sums == other.recall.sums
            assert one.precision.sums == other.precision.sums
    for type, scores in word_scores_by_type(documents).items():
        expected = reference(documents, type)
        assert scores.precision.sums == expected.get("words precision", (0, 0))
        assert scores.recall.sums == expected.get("words recall", (0, 0))


@settings(max_examples=60)
@given(CORPORA)
def test_masking_more_never_lowers_recall(documents: list[DocumentPair]) -> None:
    more = [
        DocumentPair(one.gold, MaskedDocument("x", (*one.output.mentions, Mention(0, len(one.gold.text)))))
        for one in documents
    ]
    before, after = measured(documents), measured(more)
    for name in ("words recall", "covered recall", "overlap recall", "exact recall", "entities"):
        assert (before[name].hits <= after[name].hits).all(), name
    assert (before["specificity"].hits >= after["specificity"].hits).all()


@settings(max_examples=60)
@given(CORPORA)
def test_gold_is_right_against_itself(documents: list[DocumentPair]) -> None:
    own = [
        DocumentPair(
            unite_annotators(one.gold),
            MaskedDocument(
                "x", unite_annotators(one.gold).annotations[0].mentions_to_mask if one.gold.annotations else ()
            ),
        )
        for one in documents
    ]
    found = measured(own)
    assert {share.value for share in found.values()} <= {1.0, None}
