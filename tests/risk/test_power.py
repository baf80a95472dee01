"""How identifying phrases are: a table by form and kind, and what holds for any text."""

from __future__ import annotations

import time

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from embanon.config.settings import PRESETS, Config, TrainingSettings
from embanon.document import FORMS, Document, Phrases
from embanon.io.read.corpus import CorpusDocument
from embanon.language.frequencies import Frequencies
from embanon.model.model import Model
from embanon.model.train import train
from embanon.risk.power import (
    KIND_BONUSES,
    CorpusRarity,
    LabelRarity,
    LanguageRarity,
    PhrasePowers,
    Rarity,
    measure_powers,
    rarest_word,
    scale_score,
)
from embanon.text.find import find_phrases

FREQUENCIES = Frequencies.load("en")
assert FREQUENCIES is not None
LANGUAGE = LanguageRarity(FREQUENCIES)
LETTERS = [
    f"Ada Berger wrote about the {thing} of {town}. The old {thing} stood in {town} since {1900 + number}."
    for number, (thing, town) in enumerate([("bridge", "Paris"), ("bridge", "Turin"), ("steam engine", "Paris")] * 12)
] + ["Call Orrin Tolland about the astrolabe."]


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> CorpusRarity:
    folder = tmp_path_factory.mktemp("models") / "letters.model"
    sources = [CorpusDocument(Document(f"d{number}", text, "en"), None) for number, text in enumerate(LETTERS)]
    train(sources, folder, config=Config(train=TrainingSettings(dimensions=8, epochs=1, threads=1, dtype="float32")))
    return CorpusRarity(Model.open(folder))


def of(text: str, *rows: tuple[str, str, str], rarity: Rarity = LANGUAGE) -> PhrasePowers:
    """Measure the phrases of a text, each given by its words, form and kind; those that touch share a base."""
    kinds = tuple(dict.fromkeys(kind for _, _, kind in rows))
    start = np.array([text.index(words) for words, _, _ in rows], np.int64)
    end = start + [len(words) for words, _, _ in rows]
    base = np.cumsum(np.append(True, start[1:] > end[:-1] + 1)) - 1 if len(rows) else start
    forms = np.array([FORMS.index(form) for _, form, _ in rows], np.uint8)
    numbers = np.array([kinds.index(kind) for _, _, kind in rows], np.uint8)
    return measure_powers(text, Phrases(start, end, forms * 0, numbers, forms, start, end, base, kinds), rarity)


def one(phrase: str, form: str, kind: str = "MISC.other", rarity: Rarity = LANGUAGE) -> float:
    return float(of(phrase, (phrase, form, kind), rarity=rarity).power[0])


def idf(word: str) -> float:
    return float(LANGUAGE.words([word])[0])


def worth(half_score: float) -> float:
    """Return what half a score is worth as a risk: the presets' former limits are their present ones."""
    return float(scale_score(np.array(2 * half_score)))


def test_what_a_score_is_worth() -> None:
    limits = [PRESETS[preset][0] for preset in ("strict", "standard")]
    assert [worth(0.28), worth(0.645)] == pytest.approx(limits)
    assert (worth(0), worth(1), worth(7)) == (0, 1, 1)
    assert np.isnan(worth(float("nan")))


@pytest.mark.parametrize(
    ("phrase", "form", "kind", "expected"),
    [
        ("Article 6", "reference", "MISC.law", 0.0),
        ("zzzqx", "reference", "MISC.other", 0.0),
        ("j@x.org", "code", "CODE.e-mail", 1.0),
        ("zzzqx", "code", "CODE.other", 1.0),
        ("zzzqx", "common", "MISC.other", None),
        ("Zzzqx", "name", "PERSON.surname", None),
        ("?!", "common", "MISC.other", None),
        ("the bridge", "common", "MISC.other", idf("bridge") / 2),
        ("painter", "common", "DEM.role", (idf("painter") + 0.4) / 2),
        ("Paris", "name", "LOC.city", (1 + idf("paris") + 0.2) / 2),
        ("Paris", "title", "LOC.city", (1 + idf("paris")) / 2),
        ("May", "date", "DATETIME.month", (1 + idf("may") + 0.1) / 2),
        ("two", "number", "QUANTITY.number", (1 + idf("two") - 0.3) / 2),
        ("twenty-two", "number", "QUANTITY.number", (1 + max(idf("twenty"), idf("two")) - 0.3) / 2),
        ("second", "number", "QUANTITY.ordinal", (1 + idf("second") - 0.4 - 0.3) / 2),
    ],
)
def test_kinds_and_rarity(phrase: str, form: str, kind: str, expected: float | None) -> None:
    found = one(phrase, form, kind)
    assert np.isnan(found) if expected is None else found == pytest.approx(worth(expected))


def test_the_kinds_of_the_table_are_of_forms() -> None:
    assert set(KIND_BONUSES) <= set(FORMS)


def test_a_common_phrase_inherits_from_what_stands_in_its_base() -> None:
    text = "Paris bridge and bridge"
    found = of(text, ("Paris", "name", "LOC.city"), ("bridge", "common", "MISC.other"))
    assert found.inherited.tolist() == [False, True]
    assert found.power[1] == pytest.approx(worth((idf("bridge") + 0.3) / 2))
    apart = of("Article 6 bridge", ("Article 6", "reference", "MISC.law"), ("bridge", "common", "MISC.other"))
    assert not apart.inherited.any()


def test_a_collection_says_how_rare_its_phrases_are(model: CorpusRarity) -> None:
    rare, known = model.phrases(["orrin tolland", "ada berger", "nobody here"])
    assert known.tolist() == [1, 36, 0]
    assert rare[1] < rare[0] < rare[2]
    assert rare[1] < 0.01
    assert np.all(np.diff(model.words(["the", "bridge", "astrolabe", "zzzqx"])) > 0)
    found = [one(name, "name", rarity=model) for name in ("Ada Berger", "Orrin Tolland", "Nobody Here")]
    assert found[0] < found[1] < found[2] == 1
    assert one("2 zzzqx", "number", rarity=model) > one("two", "number", rarity=model)
    assert model.documents == len(LETTERS)


def test_what_a_collection_lacks_is_as_rare_in_a_label_as_in_the_language(model: CorpusRarity) -> None:
    labels = LabelRarity(model, "en")
    words = ["bridge", "astrolabe", "building", "zyxgard"]
    at_large, counted, found = (one.words(words) for one in (LANGUAGE, model, labels))
    assert found.tolist() == [counted[0], counted[1], at_large[2], counted[3]]
    assert at_large[2] < counted[2]
    assert labels.documents == model.documents
    assert LabelRarity(LANGUAGE, "en").words(["building"]) == at_large[2]
    assert LabelRarity(model, "xx").words(["building"]) == counted[2]


def test_without_a_collection_no_document_is_counted() -> None:
    found = of("Paris", ("Paris", "name", "LOC.city"))
    assert found.documents.tolist() == [-1]
    assert LANGUAGE.documents > 1000


def test_the_rarest_word_that_is_known_counts() -> None:
    found = rarest_word(LANGUAGE, ["the astrolabe", "zzzqx astrolabe", "zzzqx", "", "?!"])
    np.testing.assert_allclose(found, [idf("astrolabe")] * 2 + [np.nan] * 3)
    assert len(rarest_word(LANGUAGE, [])) == 0


WORDS = st.sampled_from("the Ada Berger Paris bridge two 1975 Article 6 of zzzqx painter , . j@x.org first".split())
TEXTS = st.lists(WORDS, max_size=25).map(" ".join) | st.text(max_size=80)


@given(TEXTS)
@settings(max_examples=60)
def test_power_is_between_0_and_1_or_unknown(text: str) -> None:
    for language in ("en", "de"):
        phrases = find_phrases(Document("x", text, language), config=Config()).phrases
        found = measure_powers(text, phrases, LANGUAGE)
        assert found.power.shape == found.rarity.shape == found.documents.shape == (len(phrases),)
        known = found.power[~np.isnan(found.power)]
        assert np.all((known >= 0) & (known <= 1))
        alike: dict[tuple[str, str, str, bool], float] = {}
        for phrase, power, inherited in zip(phrases, found.power.tolist(), found.inherited.tolist(), strict=True):
            how = (text[phrase.start : phrase.end], phrase.form, phrase.kind, inherited)
            assert alike.setdefault(how, power) == pytest.approx(power, nan_ok=True)


@given(st.sampled_from(FORMS), st.lists(st.sampled_from("the bridge astrolabe painter may two".split()), min_size=2))
def test_rarer_is_never_less(form: str, words: list[str]) -> None:
    words = sorted(words, key=idf)
    found = [one(word, form) for word in words]
    if form != "number":
        assert found == sorted(found)
    assert one(" ".join(words), "common") == pytest.approx(one(words[-1], "common"))


def test_nothing_has_no_power() -> None:
    assert len(of("").power) == 0


def test_huge_texts_take_a_moment() -> None:
    size = 50_000
    start = np.arange(size, dtype=np.int64) * 7
    codes = np.zeros(size, np.uint8)
    form = np.full(size, FORMS.index("common"), np.uint8)
    phrases = Phrases(start, start + 6, codes, codes, form, start, start + 6, np.arange(size), ("MISC.other",))
    begin = time.process_time()
    found = measure_powers("bridge " * size, phrases, LANGUAGE)
    assert time.process_time() - begin < 5
    assert np.ptp(found.power) == 0
