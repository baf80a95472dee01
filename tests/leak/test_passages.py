"""Passages: what a sentence or a mail tells is measured by texts as short as it is."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest
from hypothesis import given, strategies as st

from embanon.language import key, words_of
from embanon.leak.hints import Hints, TextRows
from embanon.leak.ordinary import OrdinaryLanguage, Strangeness
from embanon.leak.passages import NO_PASSAGES, PassageScale, PassageScales, cautious_spread
from embanon.leak.regression import LogisticCurve
from embanon.model.model import Model
from embanon.model.shipped import open_model
from tests.leak.test_hints import ENTITY, HINTS, OTHER, corpus, learn

SCALES = PassageScales(
    (
        PassageScale(10.0, (0.0, 2.0), (0.0, 2.0), LogisticCurve(1.0, -4.0)),
        PassageScale(40.0, (0.0, 1.0), (0.0, 1.0), LogisticCurve(2.0, -5.0)),
    ),
    160.0,
)


@pytest.fixture(scope="module")
def hints() -> Hints:
    return learn(corpus(), (ENTITY, OTHER), open_model("default"))


def risks(hints: Hints, *texts: str) -> list[float]:
    rows = TextRows.from_words([words_of(key(text)) for text in texts], hints.vocabulary)
    return hints.by_entity[0].risk(rows).tolist()


@given(st.lists(st.floats(-50, 50), min_size=2, max_size=6), st.floats(1, 500))
def test_what_is_nearer_is_riskier(scores: list[float], words: float) -> None:
    near = np.sort(np.array(scores))
    logits = SCALES.logits(np.full(len(near), words), near, near, near)
    assert (np.diff(logits) >= -1e-9).all()


def test_lengths_between_two_are_between_them() -> None:
    words = np.array([1.0, 10.0, 20.0, 40.0, 160.0, 900.0])
    one = np.full(6, 4.0)
    logits = SCALES.logits(words, one, one, np.full(6, 7.0))
    assert logits[0] == -4.0
    assert logits[1] == -2.0
    assert logits[3] == 3.0
    assert logits[1] < logits[2] < logits[3]
    assert logits[4] == logits[5] == 7.0
    assert SCALES.is_passage(words).tolist() == [True, True, True, True, False, False]
    assert not NO_PASSAGES.is_passage(words).any()


def test_what_is_stored_comes_back() -> None:
    assert PassageScales.from_numbers(SCALES.to_numbers()) == SCALES
    assert PassageScales.from_numbers(NO_PASSAGES.to_numbers()) == NO_PASSAGES


def test_few_scores_spread_as_usual() -> None:
    usual = np.random.default_rng(1).normal(5, 2, 500)
    middle, spread = cautious_spread(np.zeros(0), usual)
    assert middle == pytest.approx(usual.mean())
    assert spread == pytest.approx(usual.std(), rel=1e-6)
    middle, spread = cautious_spread(np.array([1.0, 1.0]), usual)
    assert middle == 1.0
    assert 1.0 < spread < 2.0


@pytest.mark.parametrize(
    "text",
    [
        "Lunch is at noon in the yard.", "I am ill today and stay at home.", "Thanks, see you on Friday!", "Ok.",
        "The printer needs toner again, and the meeting moved to room four.",
    ],
)  # fmt: skip
def test_a_harmless_sentence_passes(hints: Hints, text: str) -> None:
    assert risks(hints, text)[0] < 0.2


def test_a_telling_sentence_is_found(hints: Hints) -> None:
    telling = f"{HINTS[0].capitalize()}, {HINTS[1]}, and {HINTS[4]}."
    assert risks(hints, telling)[0] > 0.5


def test_one_word_is_not_enough(hints: Hints) -> None:
    alone, together = risks(hints, "The brine was here for lunch.", "The brine of the desalination membranes leaked.")
    assert alone < together


@pytest.mark.parametrize(
    ("text", "is_unknown"),
    [
        ("Lunch is at noon in the yard.", False), ("", False), ("Yes, it is.", False), ("12 34 56", False),
        ("Die Filteranlage der Entsalzung muss morgen früh gewartet werden.", True),
        ("Qwrtz plmnk sdfgh the xcvbn.", True), ("Мы откроем завод у гавани", True),
        ("The zorbent recovers graphene from brine near the harbor.", False),
    ],
)  # fmt: skip
def test_of_strange_words_nothing_is_told(hints: Hints, text: str, is_unknown: bool) -> None:
    strangeness = Strangeness.build(hints.vocabulary.places, "en")
    assert strangeness.count(words_of(key(text)))[1] is is_unknown


def test_without_a_list_all_but_known_words_are_strange() -> None:
    assert OrdinaryLanguage.load("ja").frequent_words(5) == []
    assert OrdinaryLanguage.load("ja").draw(["a", "b"], 3, 2, 1).shape == (0, 3)
    assert Strangeness.build(["graphene"], "ja").count(["graphene", "membrane", "pump"]) == (2, True)


def test_ordinary_words_are_frequent_and_tell_something() -> None:
    words = OrdinaryLanguage.load("en").frequent_words(500)
    assert len(words) == 500
    assert "the" not in words
    drawn = OrdinaryLanguage.load("en").draw(["the", "graphene"], 50, 1, 1)
    assert (drawn == 0).mean() > 0.9


def test_probabilities_of_sentences_are_true(model: Model) -> None:
    """Of sentences that were not learnt from, as many are about the thing as risks say."""
    texts = corpus()
    learnt = learn(texts[::2], (ENTITY,), model)
    chance, stated, about = Random(5), 0.0, 0
    for text in texts[1::2]:
        parts = [part for part in text.split(". ") if "Heron" not in part and "BHX" not in part]
        sentence = ". ".join(chance.sample(parts, 3)).lower()
        stated += risks(learnt, sentence)[0]
        about += "Heron" in text
    assert abs(stated - about) / (len(texts) // 2) < 0.15


@pytest.fixture(scope="module")
def model() -> Model:
    return open_model("default")
