"""Topics: what tells of one is found without its name, and a text without it is like any other."""

from __future__ import annotations

import pickle
import random
import time
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from embanon.config.settings import Config, ScoreSettings, TrainingSettings, TypeLimits
from embanon.document import Document, Phrases
from embanon.entities.entity import Entity
from embanon.entities.protected import ProtectedEntities, ProtectionRules
from embanon.errors import ConfigError
from embanon.io.read.corpus import CorpusDocument
from embanon.model.model import Model
from embanon.model.train import train
from embanon.risk.topic_model import MIN_DOCUMENTS, BagOfWords, Scale, TopicModel
from embanon.risk.topics import STANDARD_RISK, TopicRisk, measure_topic_risk
from embanon.scoring import score_all
from embanon.text.find import find_phrases

THEMES = {
    "asthma": (
        "inhaler", "chronic bronchitis", "lung specialist", "steroid spray", "pollen season", "wheezing cough",
        "breathing test", "allergy clinic", "airway inflammation", "peak flow meter",
    ),
    "sailing": (
        "mainsail", "harbor master", "spinnaker pole", "tidal current", "wooden hull", "anchor chain", "racing yacht",
        "lighthouse keeper", "compass bearing", "deck crew",
    ),
    "farming": (
        "wheat harvest", "dairy cow", "tractor engine", "grain silo", "seed potato", "barn door", "crop rotation",
        "plough horse", "milk quota", "sheep dog",
    ),
}  # fmt: skip
COMMON = ("long letter", "old friend", "town hall", "next week", "small room", "evening meal", "new year", "open door")
ASTHMA = Entity("asthma", type="TOPIC")
SECRET = "zzyzzyva"


def text_about(theme: str, seed: int, named: bool = False, size: int = 12) -> str:
    draw = random.Random(f"{theme}{seed}")
    things = [*draw.choices(THEMES[theme], k=size), *draw.choices(COMMON, k=size // 2), *([theme] * named)]
    draw.shuffle(things)
    return " ".join(f"He wrote about the {one} and of the {two}." for one, two in pairwise(things))


def documents(each: int) -> list[Document]:
    texts = [text_about(theme, seed, named=seed % 12 > 0) for theme in THEMES for seed in range(each)]
    return [Document(f"d{number}", text, "en") for number, text in enumerate(texts)]


def trained(folder: Path, each: int) -> Model:
    config = Config(train=TrainingSettings(dimensions=16, epochs=8, threads=1, dtype="float32"))
    train([CorpusDocument(document, None) for document in documents(each)], folder, config=config)
    return Model.open(folder)


@pytest.fixture(scope="session")
def calibration(tmp_path_factory: pytest.TempPathFactory) -> TopicModel:
    return TopicModel.for_model(trained(tmp_path_factory.mktemp("topics") / "m", 60))


@pytest.fixture(scope="session")
def thin(tmp_path_factory: pytest.TempPathFactory) -> TopicModel:
    return TopicModel.for_model(trained(tmp_path_factory.mktemp("topics") / "thin", 8))


def found(text: str, calibration: TopicModel) -> Phrases:
    return find_phrases(Document("t", text, "en"), config=Config(), statistics=calibration.model.statistics).phrases


def scored(text: str, calibration: TopicModel, entity: Entity = ASTHMA) -> TopicRisk:
    return measure_topic_risk(text, found(text, calibration), entity, calibration)


# What is near


def test_texts_about_a_topic_are_told_without_its_name(calibration: TopicModel) -> None:
    near = [scored(text_about("asthma", seed), calibration) for seed in range(1000, 1020)]
    far = [scored(text_about(theme, seed), calibration) for theme in ("sailing", "farming") for seed in range(20)]
    assert min(one.document for one in near) >= STANDARD_RISK
    assert np.mean([one.document >= STANDARD_RISK for one in far]) <= 0.15
    assert min(one.z for one in near) > max(one.z for one in far)
    assert all(one.named == 0 and one.calibrated for one in near)


def test_phrases_of_the_topic_risk_more_than_those_of_another(calibration: TopicModel) -> None:
    text = f"{text_about('asthma', 1000)} {text_about('sailing', 1000)}"
    phrases = found(text, calibration)
    risk = measure_topic_risk(text, phrases, ASTHMA, calibration).risk.tolist()
    written = [text[start:end] for start, end in zip(phrases.start, phrases.end, strict=True)]
    own, other = (
        np.mean([one for one, phrase in zip(risk, written, strict=True) if phrase in THEMES[theme]])
        for theme in ("asthma", "sailing")
    )
    assert own > other


@pytest.mark.parametrize(
    ("entity", "text", "named"),
    [
        (ASTHMA, "His asthma is bad. A severe Asthma came again.", 2),
        (ASTHMA, "An asthmatic friend, an aster.", 1),
        (Entity("lung disease", type="TOPIC"), "Two lung diseases and a lung.", 1),
        (Entity("wheezing", aliases=("pollen season",), type="TOPIC"), "The pollen seasons were long.", 1),
        (Entity("sail", type="TOPIC"), "The sailing yacht.", 1),
        (Entity("art", type="TOPIC"), "The party met an artist.", 0),
    ],
    ids=["any case", "derived", "both words", "alias", "beginning", "short names are whole words"],
)
def test_what_names_a_topic(calibration: TopicModel, entity: Entity, text: str, named: int) -> None:
    entity = Entity(entity.name, (*entity.aliases, "inhaler"), "TOPIC")
    outcome = scored(text, calibration, entity)
    assert outcome.named == named == int((outcome.risk == 1).sum())
    assert (outcome.document == 1) == (named > 0)


def test_samples_and_descriptions_stand_for_a_name_that_is_unknown(calibration: TopicModel) -> None:
    described = Entity(SECRET, type="TOPIC", description="inhaler, wheezing cough and allergy clinic")
    sampled = Entity(SECRET, type="TOPIC", samples=tuple(text_about("asthma", 2000 + n) for n in range(3)))
    for entity in (described, sampled):
        near, far = (scored(text_about(theme, 3000), calibration, entity).z for theme in ("asthma", "sailing"))
        assert near > far


# Laws


@settings(max_examples=25)
@given(seed=st.integers(0, 10**6), theme=st.sampled_from(sorted(THEMES)), named=st.booleans(), limit=st.floats(0.05, 1))
def test_masking_at_a_limit_brings_a_text_below_it(
    calibration: TopicModel, seed: int, theme: str, named: bool, limit: float
) -> None:
    text = text_about(theme, seed, named, size=6)
    phrases = found(text, calibration)
    outcome = measure_topic_risk(text, phrases, ASTHMA, calibration)
    left = measure_topic_risk(text, phrases.select(~(outcome.risk >= limit)), ASTHMA, calibration)
    assert not left.document >= limit
    assert left.named == 0
    if outcome.named == 0:
        assert np.nanmax(outcome.risk) <= outcome.document


@settings(max_examples=25)
@given(seed=st.integers(0, 10**6), theme=st.sampled_from(sorted(THEMES)))
def test_the_same_phrase_risks_the_same_everywhere(calibration: TopicModel, seed: int, theme: str) -> None:
    text = text_about(theme, seed)
    phrases = found(text, calibration)
    risk = measure_topic_risk(text, phrases, ASTHMA, calibration).risk
    seen: dict[str, float] = {}
    for start, end, one in zip(phrases.start, phrases.end, risk.tolist(), strict=True):
        assert seen.setdefault(text[start:end].casefold(), one) == one
    again = measure_topic_risk(text, phrases.select(np.ones(len(phrases), bool)), ASTHMA, calibration)
    np.testing.assert_array_equal(again.risk, risk)


def test_running_values_are_those_of_what_is_left(calibration: TopicModel) -> None:
    text = text_about("asthma", 5)
    phrases = found(text, calibration)
    outcome = measure_topic_risk(text, phrases, ASTHMA, calibration)
    for limit in np.unique(outcome.risk)[1:]:
        left = measure_topic_risk(text, phrases.select(outcome.risk < limit), ASTHMA, calibration)
        assert left.z < outcome.z


def test_one_in_twenty_unrelated_texts_is_in_the_tail() -> None:
    values = np.random.default_rng(1).normal(0.4, 0.1, 1000)
    scale = Scale.from_values(values)
    assert np.mean(scale(values) >= 1.645) == pytest.approx(0.05, abs=0.002)
    assert np.median(scale(values)) == pytest.approx(0, abs=1e-9)


def test_a_bag_of_nothing_is_empty() -> None:
    bag = BagOfWords.from_words(np.zeros(0, np.int64), np.zeros(0, np.int64), 0, 5)
    assert len(bag.weights(np.ones(5))) == 0


# What cannot be told


@pytest.mark.parametrize("text", ["", "...", f"{SECRET} {SECRET}s."], ids=["empty", "signs", "unknown"])
def test_a_text_of_which_nothing_is_known_is_unknown(calibration: TopicModel, text: str) -> None:
    outcome = scored(text, calibration)
    assert np.isnan([outcome.document, outcome.similarity, outcome.z]).all()
    assert np.isnan(outcome.risk).all()
    assert outcome.unknown == len(outcome.risk)


@pytest.mark.parametrize("name", [SECRET, "", "?"])
def test_a_topic_that_the_model_does_not_know_cannot_be_protected(calibration: TopicModel, name: str) -> None:
    with pytest.raises(ConfigError, match="knows nothing of a topic") as caught:
        scored("The inhaler.", calibration, Entity(name, type="TOPIC"))
    assert SECRET not in str(caught.value)


def test_a_model_with_few_documents_says_so(thin: TopicModel) -> None:
    assert len(thin.model.documents) < 2 * MIN_DOCUMENTS
    outcome = scored(text_about("asthma", 3), thin)
    assert not outcome.calibrated
    assert 0 <= outcome.document <= 1


def test_nothing_shows_the_text(calibration: TopicModel) -> None:
    shown = repr(scored("The inhaler of asthma.", calibration)) + repr(calibration.topic(ASTHMA))
    assert "asthma" not in shown
    assert "array" not in shown


def test_a_calibration_can_be_sent_to_a_process(calibration: TopicModel) -> None:
    other = pickle.loads(pickle.dumps(calibration))
    text = text_about("asthma", 9)
    assert scored(text, other).z == scored(text, calibration).z


def test_a_long_text_costs_no_more_than_looking_it_up(calibration: TopicModel) -> None:
    text = " ".join(f"{text_about('asthma', seed)} The {seed}th wheat silo {seed}." for seed in range(80))
    phrases = found(text, calibration)
    written = [text[start:end] for start, end in zip(phrases.start, phrases.end, strict=True)]
    assert len(phrases) > 2000

    def seconds(task: object) -> float:
        assert callable(task)
        times = []
        for _ in range(3):
            begin = time.process_time()
            task()
            times.append(time.process_time() - begin)
        return min(times)

    assert seconds(lambda: measure_topic_risk(text, phrases, ASTHMA, calibration)) < 10 * seconds(
        lambda: calibration.model.find(written)
    )


def test_what_tells_of_a_topic_has_the_limit_of_its_type(calibration: TopicModel) -> None:
    given = ProtectionRules(ProtectedEntities((ASTHMA,)))
    text = f"{text_about('sailing', 1)} {text_about('asthma', 1, size=2)}"

    config = Config(score=ScoreSettings(limits=TypeLimits(MISC=0.9)))
    judged = next(iter(score_all([Document("t", text, "en")], given, config=config, model=calibration.model)))
    scored, plain = judged.scored, judged.scored.risk
    assert scored.topical.any()
    own = np.array([phrase.type == "MISC" for phrase in scored.phrases])
    assert (scored.at_least(judged.limits) == np.where(own, plain >= 0.9, plain >= STANDARD_RISK)).all()
    assert ((plain >= STANDARD_RISK) & (plain < 0.9) & own & scored.topical).any(), (
        "a limit of its own makes a difference"
    )
