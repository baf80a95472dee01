"""Documents to learn from: from five, or from three samples, something is learnt, with caution."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest

from embanon.language import key, words_of
from embanon.leak.document_sample import DocumentSample
from embanon.leak.hints import Hints, TextRows
from embanon.model.model import Model
from embanon.model.shipped import open_model
from tests.leak.test_hints import BANKS, ENTITY, HINTS, OFFICE, text


@pytest.fixture(scope="module")
def model() -> Model:
    return open_model("default")


def learn(model: Model, texts: list[str], samples: tuple[str, ...] = ()) -> Hints | None:
    draw = DocumentSample.for_entities([replace(ENTITY, samples=samples)], "en")
    for number, written in enumerate(texts):
        draw.add(number.to_bytes(8), written)
    return draw.learn(model, "en")


def risk(hints: Hints, written: str) -> float:
    return float(hints.by_entity[0].risk(TextRows.from_words([words_of(key(written))], hints.vocabulary))[0])


def office(count: int) -> list[str]:
    chance = Random(4)
    return [text(chance, OFFICE, BANKS) for _ in range(count)]


def named(count: int) -> list[str]:
    chance = Random(5)
    return [f"Blue Heron goes on. {text(chance, HINTS, OFFICE)}" for _ in range(count)]


def test_of_four_documents_nothing_is_learnt(model: Model) -> None:
    assert learn(model, [*office(3), *named(1)]) is None
    assert learn(model, []) is None


@pytest.mark.parametrize("count", [5, 12, 40])
def test_of_five_something_is(model: Model, count: int) -> None:
    hints = learn(model, [*office(count - 2), *named(2)])
    assert hints is not None
    about, other = text(Random(6), HINTS), text(Random(6), OFFICE)
    assert risk(hints, about) > risk(hints, other)
    assert risk(hints, other) < 0.2
    assert risk(hints, "Lunch is at noon in the yard.") < 0.2


def test_where_all_name_it_ordinary_texts_are_what_is_usual(model: Model) -> None:
    hints = learn(model, named(6))
    assert hints is not None
    assert risk(hints, text(Random(6), HINTS)) > risk(hints, "I am ill today and stay at home, the canteen is closed.")


def test_three_samples_are_enough_for_a_guess(model: Model) -> None:
    chance = Random(7)
    samples = tuple(text(chance, HINTS) for _ in range(3))
    assert learn(model, [], samples[:2]) is None
    hints = learn(model, [], samples)
    assert hints is not None
    assert risk(hints, "Lunch is at noon in the yard.") < risk(hints, text(Random(8), HINTS)) <= 0.4


def test_documents_without_a_word_break_nothing(model: Model) -> None:
    hints = learn(model, ["", "1234", "🙂", "مرحبا", "\x00\x01"])
    assert hints is not None
    assert 0 <= risk(hints, "anything at all") <= 1
    assert 0 <= risk(hints, "") <= 1


SENTENCES = (
    "Brine the turkey for ninety minutes.", "Please clean the column again.", "The membrane of my ear hurts.",
    "The plant swells.",
)  # fmt: skip


@pytest.mark.parametrize("count", [0, 1, 4, 6, 20])
def test_a_word_of_a_short_sample_refuses_nothing(model: Model, count: int) -> None:
    samples = (
        "The sorbent of column three recovers ninety percent lithium from geothermal brine.",
        "The desalination membrane is fouling with barium scale again.",
        "Ion exchange resin beads in the pilot plant at Soultz swell.",
    )
    hints = learn(model, office(count), samples)
    assert hints is not None
    assert max(risk(hints, sentence) for sentence in SENTENCES) <= 0.4


def test_it_is_counted_of_what_nothing_is_learnt(model: Model) -> None:
    draw = DocumentSample.for_entities([ENTITY], "en")
    for number, written in enumerate(named(25)):
        draw.add(number.to_bytes(8), written)
    draw.learn(model, "en")
    assert draw.untaught == 1
