"""Hints: a document that never names a thing is found by what is said around the thing elsewhere."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, strategies as st

from embanon.entities.entity import Entity
from embanon.errors import ConfigError, DataError
from embanon.language import key, words_of
from embanon.leak.assessor import split_risk
from embanon.leak.collection import Collection
from embanon.leak.fitting import learn_entity
from embanon.leak.hints import NAME_MARK, Hints, NameMasker, TextRows
from embanon.model.model import Model
from embanon.model.shipped import open_model

ENTITY = Entity(
    "Project Blue Heron", ("Blue Heron", "BHX"), "TOPIC",
    description="A desalination plant with graphene membranes. It is about brine, pumps and the harbor of the island.",
)  # fmt: skip
OTHER = Entity("Nightshade", (), "TOPIC", description="A merger of two banks, with auditors, shares and regulators.")
HINTS = (
    "the graphene membranes clogged again", "brine reached the harbor", "the pumps of the island plant failed",
    "salinity fell below the target", "the desalination trial went on", "filters came from the Lisbon supplier",
    "the intake pipe was moved", "an osmosis module leaked",
)  # fmt: skip
BANKS = (
    "the auditors asked for ledgers", "shares rose at the exchange", "regulators postponed the hearing",
    "both boards met in secret", "the merger needs a vote", "the balance sheet was restated",
)  # fmt: skip
OFFICE = (
    "the canteen opens at noon", "parking is behind the hall", "the printer needs toner", "invoices are due on Friday",
    "the meeting moved to room four", "holidays are entered online", "the new badge works at all doors",
    "the fire drill is on Monday", "travel costs need a receipt", "the elevator is out of order",
)  # fmt: skip


def text(chance: random.Random, *parts: tuple[str, ...], length: int = 12) -> str:
    return ". ".join(chance.choice(chance.choice(parts)).capitalize() for _ in range(length)) + "."


def corpus() -> list[str]:
    chance = random.Random(1)
    named = [f"Project Blue Heron. {text(chance, HINTS, OFFICE)} We call it BHX." for _ in range(14)]
    banks = [f"{text(chance, BANKS, OFFICE)} Nightshade goes on." for _ in range(12)]
    return [*named, *banks, *(text(chance, OFFICE) for _ in range(60))]


@dataclass(frozen=True, slots=True)
class Hint:
    """What a text tells of an entity: all in all, without its names, and how often it is named."""

    risk: float
    unnamed_risk: float
    score: float
    name_count: int


def learn(texts: Sequence[str], entities: Sequence[Entity], model: Model) -> Hints:
    """Learn from the documents of a collection."""
    collection = Collection(texts, model)
    return collection.build_hints(entities, [learn_entity(collection, entity) for entity in entities])


def find_hints(hints: Hints, text: str) -> list[Hint]:
    """Find what a text tells of each entity."""
    result = []
    for entity, learnt in zip(hints.entities, hints.by_entity, strict=True):
        left, named = NameMasker(entity, hints.language).mask(text)
        rows = TextRows.from_words([words_of(key(left))], hints.vocabulary)
        score = learnt.scales(*rows.scores(learnt.weights))
        risk = float(learnt.risk(rows)[0])
        result.append(Hint(1.0 if named else risk, risk, float(score[0]), named))
    return result


def phrase_risks(hints: Hints, phrases: Sequence[str], risk: float) -> list[float]:
    """Share the risk of the first entity out among phrases, of which the same have the same risk."""
    keys = [tuple(words_of(key(phrase))) for phrase in phrases]
    distinct = list(dict.fromkeys(keys))
    [shares] = hints.shares(distinct, [0])
    risks = split_risk(risk, shares.tolist()) or [0.0] * len(distinct)
    return [risks[distinct.index(one)] for one in keys]


@pytest.fixture(scope="module")
def model() -> Model:
    return open_model("default")


@pytest.fixture(scope="module")
def hints(model: Model) -> Hints:
    return learn(corpus(), (ENTITY, OTHER), model)


@pytest.mark.parametrize(
    ("written", "left", "count"),
    [
        ("Blue Heron's pumps", f"{NAME_MARK}'s pumps", 1),
        ("the blue  heron and the BHX, two BHXs", f"the {NAME_MARK} and the {NAME_MARK}, two {NAME_MARK}", 3),
        ("Blue Herons", NAME_MARK, 1),
        ("bhx is nothing, nor is a heron, nor a blue one", "bhx is nothing, nor is a heron, nor a blue one", 0),
        ("PROJECT BLUE HERON", NAME_MARK, 1),
        ("", "", 0),
    ],
    ids=["genitive", "spacing and acronym", "plural", "no name", "capitals", "empty"],
)
def test_names_are_hidden(written: str, left: str, count: int) -> None:
    found, names = NameMasker(ENTITY, "en").mask(written)
    assert (" ".join(found.replace(" '", "'").replace(" ,", ",").split()), names) == (left, count)


def test_a_person_is_hidden_by_surname() -> None:
    assert NameMasker(Entity("Ada Holm"), "en").mask("Then Holm spoke of the holm oak.")[1] >= 1


def test_what_is_not_named_is_found(hints: Hints) -> None:
    chance = random.Random(2)
    about, plain = ([find_hints(hints, text(chance, part))[0] for _ in range(8)] for part in (HINTS, OFFICE))
    assert min(one.risk for one in about) > max(one.risk for one in plain)
    assert min(one.risk for one in about) > 0.5 > max(one.risk for one in plain)
    assert not any(one.name_count for one in about)


def test_each_entity_has_its_own_hints(hints: Hints) -> None:
    heron, merger = find_hints(hints, text(random.Random(3), BANKS))
    assert merger.risk > 0.5 > heron.risk


def test_a_name_is_certain(hints: Hints) -> None:
    told = find_hints(hints, "The canteen serves Blue Heron at noon.")[0]
    assert (told.risk, told.name_count) == (1.0, 1)
    assert told.unnamed_risk < 0.5


def test_many_hints_count_and_one_again_and_again_does_not(hints: Hints) -> None:
    office = ". ".join(OFFICE)
    many = f"{office}. {'. '.join(HINTS)}."
    once = f"{office}. {HINTS[0]}."
    often = f"{office}. {'. '.join([HINTS[0]] * len(HINTS))}."
    scores = [find_hints(hints, one)[0].score for one in (once, often, many)]
    assert scores[2] > scores[1]
    assert scores[2] - scores[0] > 2 * (scores[1] - scores[0])


def test_a_passage_that_is_repeated_counts_once(hints: Hints) -> None:
    words = (" ".join([*HINTS, *OFFICE, *BANKS]) + " ").split()
    passage = " ".join((words * 2)[:100])
    assert find_hints(hints, f"{passage} {passage}")[0].score == pytest.approx(
        find_hints(hints, passage)[0].score, abs=0.35
    )


def test_without_any_name_the_description_tells(model: Model) -> None:
    chance = random.Random(4)
    texts = [text(chance, OFFICE, HINTS) for _ in range(20)] + [text(chance, OFFICE) for _ in range(40)]
    learnt = learn(texts, (ENTITY,), model)
    assert learnt.by_entity[0].curve is None
    assert find_hints(learnt, text(chance, HINTS))[0].risk > find_hints(learnt, text(chance, OFFICE))[0].risk


def test_samples_tell_of_what_nothing_describes(model: Model) -> None:
    chance = random.Random(5)
    texts = [text(chance, OFFICE) for _ in range(40)] + [text(chance, OFFICE, HINTS) for _ in range(10)]
    unknown = Entity("Qzx", (), "TOPIC", samples=tuple(text(chance, HINTS) for _ in range(3)))
    told = [find_hints(learn(texts, (unknown,), model), text(chance, part))[0].score for part in (HINTS, OFFICE)]
    assert told[0] > told[1]


@pytest.mark.parametrize(
    ("texts", "entity", "says"),
    [
        (["nothing here"] * 5, Entity("Qzx", (), "TOPIC"), "nothing is known"),
        (["Qzx is here", "Qzx and more"] * 10, Entity("Qzx", (), "TOPIC"), "every document names"),
    ],
    ids=["unknown", "everywhere"],
)
def test_an_entity_that_cannot_be_told(texts: list[str], entity: Entity, says: str, model: Model) -> None:
    with pytest.raises(ConfigError, match=says) as error:
        learn(texts, (entity,), model)
    assert "Qzx" not in str(error.value)


@given(st.text(max_size=300))
def test_any_text_has_a_risk(hints: Hints, written: str) -> None:
    for told in find_hints(hints, written):
        assert 0 <= told.unnamed_risk <= told.risk <= 1
        assert np.isfinite(told.score)


@given(st.lists(st.sampled_from([*HINTS, *OFFICE]), max_size=12), st.floats(0, 0.999))
def test_phrases_make_up_the_risk(hints: Hints, phrases: list[str], risk: float) -> None:
    risks = phrase_risks(hints, phrases, risk)
    together = 1 - np.prod([1 - one for one in dict(zip(phrases, risks, strict=True)).values()])
    assert together == pytest.approx(risk if any(risks) else 0, abs=1e-9)
    assert all(0 <= one <= risk + 1e-12 for one in risks)


def test_what_is_saved_says_the_same(hints: Hints, tmp_path: Path) -> None:
    path, written = tmp_path / "hints.npz", text(random.Random(6), HINTS, OFFICE)
    hints.save(path)
    assert path.stat().st_mode & 0o077 == 0
    again = Hints.load(path, (ENTITY, OTHER))
    assert [one.risk for one in find_hints(again, written)] == pytest.approx(
        [one.risk for one in find_hints(hints, written)], abs=1e-5
    )
    with pytest.raises(ConfigError, match="other entities"):
        Hints.load(path, (OTHER,))
    path.write_bytes(path.read_bytes()[:-200])
    with pytest.raises(DataError, match="truncated"):
        Hints.load(path, (ENTITY, OTHER))


def test_nothing_shows_texts(hints: Hints) -> None:
    assert "graphene" not in repr(hints) + repr(hints.by_entity[0])
