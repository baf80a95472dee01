"""Labels near a protected topic are no replacement in a text about it."""

from __future__ import annotations

import pytest

from embanon.config.settings import Config
from embanon.document import Document
from embanon.entities.entity import Entity
from embanon.entities.protected import ProtectedEntities, ProtectionRules
from embanon.replace.checks import TopicNearness
from embanon.risk.topic_model import TopicModel
from embanon.scoring import score_all
from tests.risk.test_topics import ASTHMA, COMMON, THEMES, text_about, trained

TEXT = text_about("asthma", 1, named=True)


@pytest.fixture(scope="module")
def calibration(tmp_path_factory: pytest.TempPathFactory) -> TopicModel:
    return TopicModel.for_model(trained(tmp_path_factory.mktemp("nearness") / "m", 60))


def nearness(calibration: TopicModel, *protect: Entity, limit: float = 0.645) -> TopicNearness | None:
    given = ProtectionRules(ProtectedEntities(protect))
    judged = next(
        score_all([Document("x", TEXT)], given, config=Config(language="en"), model=calibration.model)
    )  # fmt: skip
    return TopicNearness.for_document(TEXT, judged.scored, protect, limit, calibration)


def test_what_is_of_the_topic_is_near(calibration: TopicModel) -> None:
    near = nearness(calibration, ASTHMA, limit=0.01)
    assert near is not None
    of = [near.is_far(f"a {one}") for one in THEMES["asthma"]]
    assert sum(of) <= 1
    assert not near.is_far("asthma")
    assert not near.is_far("an asthma patient")
    assert near.is_far("zzyzzyva")  # nothing is known of it
    far = [near.is_far(one) for theme in ("sailing", "farming") for one in THEMES[theme]]
    assert sum(far) >= 10
    assert "asthma" not in repr(near)


def test_what_is_left_says_how_near_is_too_near(calibration: TopicModel) -> None:
    strict, open_ = nearness(calibration, ASTHMA, limit=0.01), nearness(calibration, ASTHMA, limit=1.0)
    assert strict is not None
    assert open_ is not None
    words = [*COMMON, *(one for some in THEMES.values() for one in some)]
    assert {one for one in words if strict.is_far(one)} <= {one for one in words if open_.is_far(one)}


def test_nobody_asks_where_no_topic_is_protected(calibration: TopicModel) -> None:
    assert nearness(calibration, Entity("Ada Berger")) is None
