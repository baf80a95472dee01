"""The benchmark's measures against a computation of their own, sign by sign, and the paper's example."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings

from embanon.measure.annotations import DIRECT, NO_MASK, QUASI, Annotation, DocumentPair, MaskedDocument, Mention
from embanon.measure.metrics.information import FrequencyInformation, UniformInformation
from embanon.measure.metrics.tab import TabScores, tab_scores
from embanon.measure.metrics.tags import ShippedTagger, SpacyTagger, TaggedText
from tests.measure.measured import CORPORA, GOLDS, JUDGMENT, SYSTEM_A, SYSTEM_B, mention, pair, whole, words_with_cuts

MUTE = {"ADP", "PART", "CCONJ", "DET"}
SILENT = {"mr", "mrs", "ms", "no", "nr", "about"}
Parts = dict[str, tuple[float, float]]


class Spelled:
    """Parts of speech by the words themselves, so that tests do not hang on a tagger."""

    name = "spelled"

    def tag(self, text: str, language: str) -> TaggedText:
        spans = words_with_cuts(text)
        found = [text[a:b] for a, b in spans]
        tags = ["ADP" if one in ("of", "on") else "DET" if one in ("the", "a", "an") else "NOUN" for one in found]
        return TaggedText(np.array(spans, np.int64).reshape(-1, 2), found, tags)


def weight(word: str) -> float:
    """Return some information of a word, another for each length."""
    return 0.5 + len(word) / 7


class Lengths:
    name = "lengths"

    def weigh(self, text: str, spans: np.ndarray, language: str) -> np.ndarray:
        return np.array([weight(text[a:b]) for a, b in spans.tolist()])


def reference(pairs: Sequence[DocumentPair], ic: Callable[[str], float]) -> Parts:
    """Compute sums by sets and loops, from the definitions alone."""
    sums = {name: [0.0, 0.0] for name in ("direct", "quasi", "entities", "recall", "mentions", "precision", "weighted")}
    for one in pairs:
        text = one.gold.text
        tagged = Spelled().tag(text, "en")
        silent = {n for n, sign in enumerate(text) if sign in " ,.-;:/&()[]–'\"’“”"}
        for (a, b), word, tag in zip(tagged.spans.tolist(), tagged.words, tagged.tags, strict=True):
            if tag in MUTE or word.lower() in SILENT:
                silent |= set(range(a, b))
        masked = {n for some in one.output.mentions for n in range(some.start, some.end)}

        def hidden(a: int, b: int, safe: frozenset[int] = frozenset(silent | masked)) -> bool:
            return all(n in safe for n in range(a, b))

        def cut(a: int, b: int, text: str = text) -> list[tuple[int, int]]:
            return [(a + x, a + y) for x, y in words_with_cuts(text[a:b])]

        for annotation in one.gold.annotations:
            groups: dict[object, list[Mention]] = {}
            for place, some in enumerate(annotation.mentions):
                groups.setdefault(some.entity if some.entity is not None else ("alone", place), []).append(some)
            for group in groups.values():
                if {some.identifier for some in group} == {NO_MASK}:
                    continue
                done = all(hidden(some.start, some.end) for some in group if some.identifier != NO_MASK)
                kinds = ["entities"]
                if group[0].identifier is not None:
                    kinds.append("direct" if group[0].identifier == DIRECT else "quasi")
                for kind in kinds:
                    sums[kind][0] += done
                    sums[kind][1] += 1
                for some in group:
                    sums["mentions"][0] += hidden(some.start, some.end)
                    sums["mentions"][1] += 1
                    for a, b in cut(some.start, some.end):
                        sums["recall"][0] += hidden(a, b)
                        sums["recall"][1] += 1
        # Output spans that share a sign are one: runs of signs in which neighbors are in a span together.
        joined: list[list[int]] = []
        for some in sorted(one.output.mentions, key=lambda some: (some.start, some.end)):
            if joined and some.start < joined[-1][1]:
                joined[-1][1] = max(joined[-1][1], some.end)
            else:
                joined.append([some.start, some.end])
        for a, b in (word for run in joined for word in cut(*run)):
            by = sum(
                any(some.start <= a and b <= some.end for some in annotation.mentions if some.identifier != NO_MASK)
                for annotation in one.gold.annotations
            )
            for name, worth in (("precision", 1.0), ("weighted", ic(text[a:b]))):
                sums[name][0] += worth * by
                sums[name][1] += worth * len(one.gold.annotations)
    return {name: (hits, of) for name, (hits, of) in sums.items()}


def agree(found: TabScores, expected: Parts) -> None:
    for name, (hits, of) in expected.items():
        value = getattr(found, name).value
        if of == 0:
            assert value is None, name
        else:
            assert value == pytest.approx(hits / of, abs=1e-9), name


# --- The example of the paper ------------------------------------------------------------------------------------


def test_the_papers_first_system() -> None:
    found = tab_scores([pair(JUDGMENT, GOLDS, SYSTEM_A)])
    assert (found.direct.value, found.quasi.value, found.precision.value) == (1.0, 0.4, 1.0)
    assert (found.direct.sums, found.quasi.sums, found.precision.sums) == ((4, 4), (2, 5), (14, 14))


def test_the_papers_second_system() -> None:
    found = tab_scores([pair(JUDGMENT, GOLDS, SYSTEM_B)])
    assert (found.direct.value, found.quasi.value) == (0.5, 0.6)
    assert (found.direct.sums, found.quasi.sums) == ((2, 4), (3, 5))
    assert found.precision.sums == (9 + 10, 26)
    assert found.precision.value == pytest.approx(0.73, abs=0.005)


def test_a_tagger_of_the_users_own() -> None:
    found = tab_scores([pair(JUDGMENT, GOLDS, SYSTEM_B)], Spelled(), Lengths())
    agree(found, reference([pair(JUDGMENT, GOLDS, SYSTEM_B)], weight))


# --- Cases -------------------------------------------------------------------------------------------------------

TEXT = "Mr Ada Berger of the Berlin court, no. 42/05, sang on 3 May 1961 with Ada's dog."
CASES: dict[str, tuple[str, list[list[Mention]], list[Mention], dict[str, float | None]]] = {
    "annotators differ": (
        TEXT,
        [[mention(TEXT, "Ada Berger", DIRECT, "a")], [mention(TEXT, "Berlin", QUASI, "b")]],
        whole(TEXT, "Ada Berger"),
        {"direct": 1.0, "quasi": 0.0, "entities": 0.5, "recall": 2 / 3, "mentions": 0.5, "precision": 0.5},
    ),
    "one mention is left": (
        TEXT,
        [[mention(TEXT, "Ada Berger", DIRECT, "a"), mention(TEXT, "Ada", DIRECT, "a", nth=2)]],
        whole(TEXT, "Ada Berger"),
        {"direct": 0.0, "quasi": None, "recall": 2 / 3, "mentions": 0.5, "precision": 1.0},
    ),
    "direct by its first mention": (
        TEXT,
        [[mention(TEXT, "Ada Berger", DIRECT, "a"), mention(TEXT, "Ada", QUASI, "a", nth=2)]],
        [],
        {"direct": 0.0, "quasi": None, "precision": None},
    ),
    "quasi by its first mention": (
        TEXT,
        [[mention(TEXT, "Ada", QUASI, "a", nth=2), mention(TEXT, "Ada Berger", DIRECT, "a")]],
        [],
        {"direct": None, "quasi": 0.0},
    ),
    "a harmless mention may stay": (
        TEXT,
        [[mention(TEXT, "Ada Berger", DIRECT, "a"), mention(TEXT, "dog", NO_MASK, "a")]],
        whole(TEXT, "Ada Berger"),
        {"direct": 1.0, "recall": 2 / 3, "mentions": 0.5, "precision": 1.0},
    ),
    "harmless alone is no entity": (
        TEXT,
        [[mention(TEXT, "Ada Berger", NO_MASK, "a")]],
        whole(TEXT, "Ada"),
        {"direct": None, "quasi": None, "entities": None, "recall": None, "mentions": None, "precision": 0.0},
    ),
    "titles, prepositions, articles and signs may be seen": (
        TEXT,
        [[mention(TEXT, "Mr Ada Berger of the Berlin court, no. 42/05", DIRECT, "a")]],
        whole(TEXT, "Ada Berger", "Berlin court", "42/05"),
        {"direct": 1.0, "recall": 1.0},
    ),
    "a verb may not": (
        TEXT,
        [[mention(TEXT, "sang on", DIRECT, "a")]],
        whole(TEXT, " on"),
        {"direct": 0.0, "recall": 0.5},
    ),
    "a sign that is not listed may not": (
        "5 € !",
        [[Mention(0, 3, None, "a", QUASI)]],
        [Mention(0, 1)],
        {"quasi": 0.0, "recall": 1.0},
    ),
    "a part of a word": (
        TEXT,
        [[mention(TEXT, "Berger", DIRECT, "a")]],
        [mention(TEXT, "Berg")],
        {"direct": 0.0, "recall": 0.0, "precision": 1.0},
    ),
    "two parts of one mention": (
        TEXT,
        [[mention(TEXT, "Ada Berger", DIRECT, "a")]],
        whole(TEXT, "Ada", "Berger"),
        {"direct": 1.0, "precision": 1.0},
    ),
    "a word in two mentions of one annotator": (
        TEXT,
        [[mention(TEXT, "Ber", DIRECT, "a"), Mention(10, 13, None, "b", DIRECT)]],
        whole(TEXT, "Berger"),
        {"direct": 1.0, "precision": 0.0},  # neither has the word
    ),
    "mentions that overlap": (
        TEXT,
        [[mention(TEXT, "3 May 1961", QUASI, "a"), mention(TEXT, "1961", QUASI, "b")]],
        whole(TEXT, "1961"),
        {"quasi": 0.5, "recall": 2 / 4, "precision": 1.0},
    ),
    "masked twice is masked once": (
        TEXT,
        [[mention(TEXT, "Ada", DIRECT, "a")]],
        whole(TEXT, "Ada Berger", "Ada", "Ada Berger"),
        {"direct": 1.0, "precision": 0.5},
    ),
    "nothing masked": (
        TEXT,
        [[mention(TEXT, "Berlin", QUASI, "a")]],
        [],
        {"quasi": 0.0, "recall": 0.0, "precision": None, "weighted": None},
    ),
    "nobody marked": (TEXT, [], whole(TEXT, "Ada"), {"direct": None, "recall": None, "precision": None}),
    "somebody marked nothing": (TEXT, [[]], whole(TEXT, "Ada"), {"direct": None, "recall": None, "precision": 0.0}),
    "no identifiers are given": (
        TEXT,
        [[mention(TEXT, "Ada Berger")]],
        whole(TEXT, "Ada Berger"),
        {"direct": None, "quasi": None, "entities": 1.0, "recall": 1.0},
    ),
    "an empty text": ("", [[]], [], {"direct": None, "recall": None, "precision": None}),
    "signs of many characters": (
        "👩\u200d👧 cafe\u0301 Ana",
        [[mention("👩\u200d👧 cafe\u0301 Ana", "👩\u200d👧 cafe\u0301", DIRECT, "a")]],
        [mention("👩\u200d👧 cafe\u0301 Ana", "👩\u200d👧 cafe")],
        {"direct": 0.0, "precision": 1.0},  # the accent is seen
    ),
    "right to left": (
        "קוראים לי משה כהן.",
        [[mention("קוראים לי משה כהן.", "משה כהן", DIRECT, "a")]],
        whole("קוראים לי משה כהן.", "משה", "כהן."),
        {"direct": 1.0, "recall": 1.0, "precision": 1.0},
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_cases(case: str) -> None:
    text, golds, output, expected = CASES[case]
    documents = [pair(text, golds, output)]
    found = tab_scores(documents)
    for name, value in expected.items():
        assert getattr(found, name).value == (value if value is None else pytest.approx(value, abs=1e-12)), name
    agree(tab_scores(documents, Spelled(), Lengths()), reference(documents, weight))


def test_all_cases_together() -> None:
    documents = [pair(text, golds, output) for text, golds, output, _ in CASES.values()]
    documents += [pair(JUDGMENT, GOLDS, SYSTEM_A)]
    agree(tab_scores(documents, Spelled(), Lengths()), reference(documents, weight))
    agree(tab_scores(documents, Spelled()), reference(documents, lambda _: 1.0))


def test_of_no_documents_nothing_is_known() -> None:
    found = tab_scores([])
    assert {getattr(found, name).value for name in ("direct", "quasi", "recall", "mentions", "precision")} == {None}


@settings(max_examples=200)
@given(CORPORA)
def test_any_documents(documents: list[DocumentPair]) -> None:
    agree(tab_scores(documents, Spelled(), Lengths()), reference(documents, weight))


@settings(max_examples=100)
@given(CORPORA)
def test_masking_more_never_lowers_recall(documents: list[DocumentPair]) -> None:
    more = [
        DocumentPair(one.gold, MaskedDocument("x", (*one.output.mentions, Mention(0, len(one.gold.text) // 2))))
        for one in documents
    ]
    before, after = tab_scores(documents, Spelled()), tab_scores(more, Spelled())
    for name in ("direct", "quasi", "entities", "recall", "mentions", "precision", "weighted"):
        low, high = getattr(before, name), getattr(after, name)
        assert low.value is None or 0 <= low.value <= 1
        if name not in ("precision", "weighted"):
            assert (low.hits <= high.hits).all()
            assert (low.totals == high.totals).all()


@settings(max_examples=50)
@given(CORPORA)
def test_what_a_person_masked_is_all_right_for_that_person(documents: list[DocumentPair]) -> None:
    own = [
        DocumentPair(
            replace(one.gold, annotations=one.gold.annotations[:1]),
            MaskedDocument("x", one.gold.annotations[0].mentions_to_mask),
        )
        for one in documents
        if one.gold.annotations
    ]
    found = tab_scores(own, Spelled())
    assert {found.direct.value, found.quasi.value, found.entities.value} <= {1.0, None}


# --- Where tags and information come from ------------------------------------------------------------------------


def test_the_shipped_tagger_has_all_pieces_of_a_text() -> None:
    text = "Ada of the court.\n\n" * 9000 + "Mr Berger."
    found = ShippedTagger().tag(text, "en")
    assert [text[a:b] for a, b in found.spans[-3:].tolist()] == ["Mr", "Berger", "."]
    assert [text[a:b] for a, b in found.spans.tolist()] == found.words
    assert found.tags[:3] == ["PROPN", "ADP", "DET"]


def test_a_pipeline_of_spacy() -> None:
    spacy = pytest.importorskip("spacy")
    pipeline = spacy.blank("en")
    tags = SpacyTagger(pipeline)
    assert tags.name.startswith("spaCy en_")
    found = tags.tag("Ada  of\nBerlin", "en")
    assert found.words == ["Ada", "of", "Berlin"]
    assert found.spans.tolist() == [[0, 3], [5, 7], [8, 14]]
    assert set(found.tags) == {""}  # a blank pipeline knows none: then only words and signs are silent
    documents = [pair(TEXT, [[mention(TEXT, "Mr Ada", DIRECT)]], whole(TEXT, "Ada"))]
    assert tab_scores(documents, tags).direct.value == 1.0


def test_rare_words_weigh_more_by_shipped_frequencies() -> None:
    text = "the Berlin kurkaev 10424 the"
    one = FrequencyInformation()
    bits = one.weigh(text, np.array(words_with_cuts(text)), "en")
    assert bits[0] < bits[1] < bits[2] == bits[3]
    assert one.bits(["the Berlin", "***", "", "Berlin"], "en").tolist() == [bits[1], 0.0, 0.0, bits[1]]
    found = tab_scores(
        [pair(text, [[mention(text, "kurkaev", DIRECT)]], whole(text, "kurkaev", "the"))], information=one
    )
    assert found.weighted.value == pytest.approx(bits[2] / (bits[2] + bits[0]))
    assert one.weigh("", np.zeros((0, 2), np.int64), "xx").shape == (0,)
    assert UniformInformation().bits(["a", "**"], "en").tolist() == [1.0, 0.0]


def test_texts_are_not_shown() -> None:
    shown = repr(tab_scores([pair(JUDGMENT, GOLDS, SYSTEM_A)])) + repr(
        Annotation("a", (mention(TEXT, "Ada", DIRECT, "Ada"),))
    )
    assert "Ada" not in shown
    assert "Osman" not in shown


@pytest.mark.parametrize("language", ["en-US", "en_GB", "pt", "fr", "he", None])
def test_any_language(language: str | None) -> None:
    documents = [pair(TEXT, [whole(TEXT, "Ada Berger")], whole(TEXT, "Ada Berger"), language)]
    assert tab_scores(documents, information=FrequencyInformation()).weighted.value == 1.0
