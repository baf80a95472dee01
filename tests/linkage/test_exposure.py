"""What an attacker with public text finds, of a text as it is and masked."""

from __future__ import annotations

import json

import numpy as np
import pytest

from embanon.config.settings import Config
from embanon.document import Document
from embanon.entities.entity import Entity
from embanon.errors import ConfigError
from embanon.linkage.exposure import Attackers
from embanon.risk.score import ScoredPhrases, Scorer
from embanon.text.find import find_phrases

PUBLIC = {
    "Ada Berger (singer)": "Ada Berger sang arias at the opera of Velland. Her opera loved arias by Ada Berger.",
    "Ben Marsk": "Ben Marsk studied enzymes in Torland. His enzymes made the acids of Torland known.",
    "Cora Tolland": "Cora Tolland sailed the ocean on a raft. Her raft crossed the ocean in a storm.",
    "Dan Imbry": "Dan Imbry painted horses and the sea. The horses of Dan Imbry hang in museums.",
}
TEXT = "She sang arias at the opera of Velland. Later she kept horses and a raft."
ADA = Entity("Ada Berger")


@pytest.fixture(scope="module")
def attackers() -> Attackers:
    return Attackers.from_texts(list(PUBLIC), list(PUBLIC.values()))


@pytest.fixture(scope="module")
def scored() -> ScoredPhrases:
    found = find_phrases(Document("x", TEXT, "en"), config=Config(language="en"))
    return Scorer("en").score(TEXT, found.phrases, found.sentences, [ADA])


@pytest.mark.parametrize(
    ("entity", "target"),
    [
        (ADA, 0), (Entity("ADA BERGER (singer)"), 0), (Entity("Zita", ("Ben Marsk",)), 1), (Entity("Zita Orlan"), None),
        (Entity("Berger"), None),
    ],
)  # fmt: skip
def test_targets(entity: Entity, target: int | None, attackers: Attackers) -> None:
    assert attackers.find_target(entity) == target


def test_two_of_one_name_are_no_target() -> None:
    found = Attackers.from_texts(["Ada Berger (singer)", "Ada Berger (chemist)"], ["sang arias", "studied acids"])
    assert found.find_target(ADA) is None
    assert found.find_target(Entity("Ada Berger (chemist)")) == 1


@pytest.mark.parametrize("count", [0, 1])
def test_too_few_candidates(count: int) -> None:
    with pytest.raises(ConfigError, match="at least two"):
        Attackers.from_texts(["Ada"] * count, ["sang"] * count)


@pytest.mark.parametrize("texts", [["", ""], ["a", "b"], ["ein wort", "王小明"], ["same words", "same words"]])
def test_background_with_nothing_in_it(texts: list[str], scored: ScoredPhrases) -> None:
    found = Attackers.from_texts(["Ada", "Ben"], texts).measure_exposure(TEXT, scored, 0, 0.5)
    for one in (found.open, found.masked):
        assert (one["rank"], one["candidates"]) == (1.5, 2)
        assert 1 <= one["effective"] <= 2
        assert not np.isnan(one["bounds"]).any()


def test_masked_is_not_easier_than_open(attackers: Attackers, scored: ScoredPhrases) -> None:
    for limit in (0.01, 0.3, 0.645, 1.0):
        found = attackers.measure_exposure(TEXT, scored, 0, limit)
        assert found.open["rank"] == 1
        assert found.masked["rank"] >= found.open["rank"]
        assert found.masked["effective"] >= found.open["effective"]
        for one in (found.open, found.masked):
            assert 1 <= one["rank"] <= one["candidates"] == 4
            low, high = one["bounds"]
            assert 0 <= low <= one["probability"] <= high <= 1
    nothing = attackers.measure_exposure(TEXT, scored, 0, 2.0)
    known = scored.risk[~np.isnan(scored.risk)]
    assert (known < 2).all()
    assert nothing.open == found.open


def test_nothing_masked_changes_nothing(attackers: Attackers) -> None:
    text = "She sang arias at the opera."
    found = find_phrases(Document("x", text, "en"), config=Config(language="en"))
    scored = Scorer("en").score(text, found.phrases, found.sentences, [ADA])
    assert not scored.unknown_count
    exposure = attackers.measure_exposure(text, scored, 0, 1.1)
    assert exposure.open == exposure.masked


def test_the_contract(attackers: Attackers, scored: ScoredPhrases) -> None:
    found = attackers.measure_exposure(TEXT, scored, 0, 0.5).to_dict()
    assert list(found) == ["rank", "effective", "candidates", "probability", "bounds", "masked"]
    assert list(found["masked"]) == ["rank", "effective", "candidates", "probability", "bounds"]
    assert json.loads(json.dumps(found, allow_nan=False)) == found
    assert "Ada" not in repr(attackers)


def test_risks_are_raised_until_attackers_fail(attackers: Attackers, scored: ScoredPhrases) -> None:
    limit = 0.99
    raised, reached = attackers.raise_until_hidden(TEXT, scored, 0, limit, 1)
    assert reached
    assert attackers.measure_exposure(TEXT, raised, 0, limit).masked["rank"] > 1
    before, after = scored.at_least(limit), raised.at_least(limit)
    assert (after >= before).all()
    assert (raised.linked == (after & ~before)).all()
    assert raised.linked.any()
    assert (raised.owner[raised.linked] == 0).all()
    assert (raised.risk[~raised.linked] == scored.risk[~raised.linked])[~np.isnan(scored.risk[~raised.linked])].all()
    assert not scored.linked.any(), "a result changed"


def test_words_outside_phrases_stay(attackers: Attackers) -> None:
    text = "She sang."
    found = find_phrases(Document("x", text, "en"), config=Config(language="en"))
    scored = Scorer("en").score(text, found.phrases, found.sentences, [ADA])
    assert attackers.raise_until_hidden(text, scored, 0, 0.5, 2)[1] is False


def test_a_rank_that_nobody_can_have(attackers: Attackers, scored: ScoredPhrases) -> None:
    with pytest.raises(ConfigError, match="nobody can be behind rank 4"):
        attackers.raise_until_hidden(TEXT, scored, 0, 0.5, 4)
