"""An opened model: every answer says what it stands on, equals a naive count, and survives whatever was stored."""

from __future__ import annotations

import json
import os
import pickle
import random
import re
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from embanon.config.settings import Config, TrainingSettings
from embanon.document import Document
from embanon.errors import DataError
from embanon.io.read.corpus import CorpusDocument
from embanon.model.convert import convert
from embanon.model.foreign import ForeignEmbeddings
from embanon.model.model import Model, Step
from embanon.model.train import train
from embanon.model.verify import find_problems, verify
from embanon.storage.folder import Arrays, load
from embanon.storage.keys import Keys
from embanon.text.find import gather_statistics

ROOT = Path(__file__).parents[2]
PEOPLE = ("Ada Lovelace", "Charles Babbage", "Alan Turing", "Grace Hopper")
THINGS = ("analytical engine", "punched card", "heart attack", "steam engine", "naval base", "old compiler")
CITIES = ("London", "Turin", "Paris", "Boston", "New York")
SECRET = "Geheimnis"


def letter(n: int) -> str:
    person, thing, city = PEOPLE[n % 4], THINGS[n % 6], CITIES[n % 5]
    return (
        f"{person} came from {city} and wrote about the {thing} and the {THINGS[(n // 2) % 6]} there. In the "
        f"{n + 1800} report, the secretary praised the {thing} once more in {city}, before the committee met again in "
        f"{city}."
    )


def made_up(seed: int, words: int) -> str:
    """Return a text that has no run of words in common with another."""
    draw = random.Random(seed)
    return " ".join("".join(draw.choices("aeioustrnlm", k=6)) for _ in range(words)) + "."


LETTERS = [letter(n) for n in range(32)]
LONG = [made_up(n, 80) for n in range(6)]
SHORT = [made_up(100 + n, 8 + n % 5) for n in range(20)]
TINY = ["Call Ada Lovelace.", "To Paris!", "Yes.", "?!"]
TEXTS = [*LETTERS, *LONG, *SHORT, *TINY]
ABOUT = [f"{PEOPLE[n % 4]} (person)" if n % 7 else None for n in range(len(LETTERS))]
DOCUMENTS = [Document(f"d{n}", text, "en") for n, text in enumerate(TEXTS)]


def trained(folder: Path, **options: Any) -> Model:
    about = chain(ABOUT, [None] * len(TEXTS))
    sources = [CorpusDocument(document, entity) for document, entity in zip(DOCUMENTS, about, strict=False)]
    settings = TrainingSettings(dimensions=16, epochs=2, threads=1, dtype="float32", buckets=300, **options)
    train(sources, folder, config=Config(train=settings))
    return Model.open(folder)


@pytest.fixture(scope="session")
def model(tmp_path_factory: pytest.TempPathFactory) -> Model:
    return trained(tmp_path_factory.mktemp("models") / "words.model")


@pytest.fixture(scope="session")
def subwords(tmp_path_factory: pytest.TempPathFactory) -> Model:
    return trained(tmp_path_factory.mktemp("models") / "subwords.model", backend="fasttext")


def number(model: Model, phrase: str) -> int:
    found = model.find([phrase])
    assert found.steps[0] == Step.EXACT
    return int(found.numbers[0])


# What a phrase is


@pytest.mark.parametrize(
    ("phrase", "step", "known"),
    [
        ("heart attack", Step.EXACT, True),
        ("  Heart\nATTACK ", Step.EXACT, True),
        ("heart-attacks", Step.VARIANT, True),
        ("Ada Lovelace's", Step.VARIANT, True),
        ("Âdä Lovelace", Step.VARIANT, True),
        ("the attack of Ada", Step.PARTS, False),
        ("heart zzzz", Step.PARTS, False),
        ("zzzz", Step.UNKNOWN, False),
        ("180.1", Step.UNKNOWN, False),
        ("", Step.UNKNOWN, False),
        (" \t", Step.UNKNOWN, False),
        ("?!", Step.UNKNOWN, False),
        ("\ud800", Step.UNKNOWN, False),
        ("x" * 100_000, Step.UNKNOWN, False),
    ],
)
def test_the_path_of_a_phrase(model: Model, phrase: str, step: Step, known: bool) -> None:
    found = model.find([phrase])
    assert (found.steps[0], found.numbers[0] >= 0) == (step, known)
    assert np.isnan(found.vectors).all() == (step == Step.UNKNOWN)
    assert np.isnan(found.vectors).any() == (step == Step.UNKNOWN)
    if known:
        np.testing.assert_array_equal(found.vectors, model.phrases.vectors.rows(found.numbers))


def test_parts_of_words_come_last(subwords: Model) -> None:
    found = subwords.find(["heart attack", "Heart-attacks", "attack heart", "lovelacean", "", "?!"])
    steps = [Step.EXACT, Step.VARIANT, Step.PARTS, Step.SUBWORDS, Step.UNKNOWN, Step.SUBWORDS]
    assert found.steps[:5].tolist() == steps[:5]
    assert subwords.subwords is not None
    np.testing.assert_array_equal(found.vectors[3], subwords.subwords.vector("lovelacean"))
    assert np.isnan(found.vectors[4]).all()


def test_parts_weigh_what_they_tell(model: Model) -> None:
    words = [int(place) for place in model.words.keys.find(["ada", "engine"])]
    rows = model.words.vectors.rows(words)
    weights = np.log2(
        len(TEXTS)
        / (np.array([sum(word in text.lower().split() for text in TEXTS) for word in ("ada", "engine")]) + 0.5)
    )
    expected = weights @ (rows / np.linalg.norm(rows, axis=1, keepdims=True))
    np.testing.assert_allclose(model.find(["engine Ada"]).vectors[0], expected, rtol=0.2)
    np.testing.assert_allclose(model.rarity(model.words, words), weights, rtol=0.1)


def test_many_are_found_as_one_by_one(model: Model, subwords: Model) -> None:
    phrases = ["heart attack", "zzzz", "Heart attacks", "", "the attack", "heart attack", *model.phrases.keys]
    for one in (model, subwords):
        together = one.find(phrases)
        for place, phrase in enumerate(phrases):
            alone = one.find([phrase])
            assert (alone.numbers[0], alone.steps[0]) == (together.numbers[place], together.steps[place])
            np.testing.assert_array_equal(alone.vectors[0], together.vectors[place])
        assert one.find([]).vectors.shape == (0, 16)


def test_of_a_phrase_without_a_vector_the_step_is_that_of_its_parts(model: Model) -> None:
    card, arrays = load(model.path)
    place = number(model, "heart attack")
    norms, data = arrays["phrases.vectors.norms"].copy(), arrays["phrases.vectors.data"].copy()
    norms[place] = data[place] = 0
    found = Model(model.path, card, arrays | {"phrases.vectors.norms": norms, "phrases.vectors.data": data}).find(
        ["heart attack"]
    )
    assert (found.numbers[0], found.steps[0]) == (place, Step.PARTS)
    assert not np.isnan(found.vectors).any()


# How near phrases are


def test_cosines_are_those_of_numpy(model: Model) -> None:
    rows = model.phrases.vectors.rows(range(len(model.phrases))).astype(float)
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    phrases = ["London", "zzzz", "heart attack", "Heart attacks", "London"]
    numbers = model.find(phrases).numbers
    expected = np.where(numbers >= 0, rows[numbers] @ rows[number(model, "Ada Lovelace")], np.nan)
    found, steps = model.similarity("Ada Lovelace", phrases)
    np.testing.assert_allclose(found, expected, atol=1e-6)
    assert steps.tolist() == [Step.EXACT, Step.UNKNOWN, Step.EXACT, Step.VARIANT, Step.EXACT]
    batch = model.cosines(["Ada Lovelace", "zzzz"], numbers)
    np.testing.assert_allclose(batch[0], expected, atol=1e-6)
    assert np.isnan(batch[1]).all()
    assert np.isnan(model.similarity("zzzz", phrases)[0]).all()
    assert model.similarity("London", [])[0].shape == (0,)
    assert model.cosines([], numbers).shape == (0, 5)


def test_neighbors(model: Model) -> None:
    for phrase in ("Ada Lovelace", "Ada-Lovelace", "the attack"):
        found = model.neighbors(phrase, 1000)
        keys = [near for near, _ in found]
        assert len(keys) == len(set(keys)) == len(model.phrases) - (phrase != "the attack")
        assert "ada lovelace" not in keys or phrase == "the attack"
        cosines = [cosine for _, cosine in found]
        assert cosines == sorted(cosines, reverse=True)
        assert cosines == pytest.approx(model.similarity(phrase, keys)[0].tolist(), abs=1e-5)
        assert model.neighbors(phrase, 3) == found[:3]
    assert model.neighbors("zzzz") == model.neighbors("") == []


# Who goes with what


def test_entities(model: Model) -> None:
    for n, person in enumerate(PEOPLE):
        for spelling in (person, person.upper(), f"{person} (writer)"):
            entity = model.find_entity(spelling)
            assert entity is not None
            expected = [place for place, about in enumerate(ABOUT) if about and about.startswith(person)]
            assert model.documents_about(entity).tolist() == expected
        assert n == 0 or entity != model.find_entity(PEOPLE[0])
    for stranger in ("Lovelace", "London", "", "(person)"):
        assert model.find_entity(stranger) is None


def holders(phrase: str) -> list[int]:
    return [n for n, text in enumerate(TEXTS) if re.search(rf"\b{re.escape(phrase)}\b", text)]


def test_documents_of_phrases(model: Model) -> None:
    phrases = [*PEOPLE, *CITIES, "committee", *(str(n + 1800) for n in range(len(LETTERS)))]
    for phrase in phrases:
        place = number(model, phrase)
        assert model.documents_with(place).tolist() == holders(phrase)
        assert model.phrases.documents[place] == len(holders(phrase))
        assert model.phrases.counts[place] == sum(len(re.findall(rf"\b{phrase}\b", text)) for text in TEXTS)
    assert model.documents_with(-1).tolist() == []
    numbers = [*model.find(phrases).numbers, -1]
    for documents in ([], [0], [3, 3, 7], range(len(TEXTS))):
        expected = [len({*holders(phrase)} & {*documents}) for phrase in phrases]
        assert model.count_together(numbers, documents).tolist() == [*expected, 0]
    assert model.count_together([], [1]).tolist() == []


def test_statistics_are_those_that_were_gathered(model: Model) -> None:
    expected = gather_statistics(DOCUMENTS, config=Config())["en"]
    found = model.statistics["en"]
    assert {*model.statistics} == {"en"}
    assert dict(found.capitalized_share) == pytest.approx(dict(expected.capitalized_share), abs=1e-6)
    assert {*found.joined_names} == {*expected.joined_names}


# Documents that are nearly the same


@pytest.mark.parametrize("n", range(len(TEXTS)), ids=lambda n: f"{len(TEXTS[n].split())} words")
def test_a_document_is_found_again(model: Model, n: int) -> None:
    assert n in model.near_duplicates(TEXTS[n])
    if len(re.findall(r"\w+", TEXTS[n])):
        assert n in model.near_duplicates("  " + TEXTS[n].upper().replace(" ", "\n") + "\n")


@pytest.mark.parametrize("n", range(len(LONG)))
def test_a_changed_document_is_found_again(model: Model, n: int) -> None:
    words, place = LONG[n].split(), len(LETTERS) + n
    changed = [word if number % 20 else "changed" for number, word in enumerate(words)]
    for text in (
        changed,
        words[:40],
        words[30:75],
        [*words, *made_up(900 + n, 100).split()],
        [*made_up(800 + n, 300).split(), *words],
        [*words[40:], *words[:40]],
    ):
        assert model.near_duplicates(" ".join(text)).tolist() == [place]


def test_strangers_are_not_the_same(model: Model) -> None:
    for text in (
        "",
        " ",
        "!",
        "Yes",
        "No.",
        "Call Grace Hopper.",
        "one two three four five six",
        *map(made_up, range(500, 530), range(30)),
    ):
        assert model.near_duplicates(text).tolist() == (
            [TINY.index("Yes.") + len(TEXTS) - len(TINY)] if text == "Yes" else []
        )
    shuffled = LONG[0].split()
    random.Random(1).shuffle(shuffled)
    assert model.near_duplicates(" ".join(shuffled)).tolist() == []
    assert model.near_duplicates("\ud800 " * 20).tolist() == []


def test_a_corpus_of_hardly_any_words(tmp_path: Path) -> None:
    sources = [CorpusDocument(Document("a", "Ada Lovelace")), CorpusDocument(Document("b", "London."))]
    train(
        sources, tmp_path / "m", config=Config(train=TrainingSettings(dimensions=2, epochs=1, threads=1), language="en")
    )
    opened = Model.open(tmp_path / "m")
    assert [opened.near_duplicates(text).tolist() for text in ("ada lovelace", "London", "Ada")] == [[0], [1], []]


# Opening


def test_a_pickled_model_opens_again(model: Model, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(model.path.parent)
    relative = pickle.dumps(Model.open(model.path.name))
    assert len(relative) < 1000
    monkeypatch.chdir("/")
    again = pickle.loads(relative)
    assert again.find(["heart attack"]).numbers == model.find(["heart attack"]).numbers


def test_a_model_shows_nothing(model: Model) -> None:
    shown = f"{model!r} {model.phrases!r} {model.documents!r} {model.find(['heart attack'])!r} {model.statistics!r}"
    assert "heart" not in shown
    assert "Ada" not in shown
    assert repr(model) == f"Model({str(model.path)!r})"


PROCESS = """
import json, sys, time
import numpy as np
from embanon.model.model import Model
def kilobytes():
    rows = [line.split() for line in open("/proc/self/smaps_rollup")]
    return {row[0]: int(row[1]) for row in rows[1:]}
def private(found):
    return found["Private_Clean:"] + found["Private_Dirty:"]
before = kilobytes()
started = time.process_time()
model = Model.open(sys.argv[1])
opened = time.process_time() - started
total = sum(float(model.phrases.vectors.data[n : n + 1000].sum()) for n in range(0, 30_000, 1000))
model.find(["w7", "w29999"])
after = kilobytes()
print(json.dumps([opened, private(after) - private(before), after["Rss:"] - before["Rss:"]]))
"""


@pytest.mark.skipif(not Path("/proc/self/smaps_rollup").exists(), reason="asks Linux")
def test_processes_share_a_model(tmp_path: Path) -> None:
    rows = np.ones((30_000, 300), np.float32)
    convert(
        ForeignEmbeddings("test", [f"w{n}" for n in range(30_000)], rows, None, None, None),
        tmp_path / "m",
        dtype="float32",
    )
    mine = Model.open(tmp_path / "m")
    assert mine.phrases.vectors.data.sum() == rows.size  # all of it is mapped here
    process = subprocess.run(
        [sys.executable, "-c", PROCESS, str(tmp_path / "m")], capture_output=True, check=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)}, text=True,
    )  # fmt: skip
    opened, private, mapped = json.loads(process.stdout)
    assert opened < 0.1
    assert mapped > 34_000
    assert private < 10_000


# Models that make no sense


def ask_everything(model: Model) -> None:
    phrases = ["heart attack", "Heart-attacks", "the attack", "zzzz", "", *PEOPLE, *CITIES]
    found = model.find(phrases)
    size = len(model.phrases)
    assert ((found.numbers >= -1) & (found.numbers < size)).all()
    model.similarity("Ada Lovelace", phrases)
    model.cosines(["Ada Lovelace"], found.numbers)
    model.neighbors("heart attack")
    for keys in (model.phrases.keys, model.words.keys, model.entities, model.documents.ids):
        assert len([*keys]) == len(keys)
    for entity in (0, model.find_entity("Ada Lovelace") or 0):
        assert (model.documents_about(entity) < len(model.documents)).all()
    for place in range(size):
        assert (model.documents_with(place) < len(model.documents)).all()
    model.count_together(found.numbers, range(len(model.documents)))
    for text in TEXTS:
        assert (model.near_duplicates(text) < len(model.documents)).all()
    for statistics in model.statistics.values():
        assert len([statistics.capitalized_share.get(word) for word in statistics.capitalized_share]) == len(
            statistics.capitalized_share
        )
        assert len([*statistics.joined_names]) == len(statistics.joined_names)


def changes(array: Any) -> Iterator[tuple[str, Any]]:
    """Return what may become of an array, and how that is called."""
    draw = np.random.default_rng(1)
    yield "missing", None
    yield "empty", array[:0]
    yield "cut", array[:-1]
    yield "longer", np.concatenate([array, array[:1]])
    yield "reversed", array[::-1]
    yield "zero", np.zeros_like(array)
    yield "ones", np.frombuffer(b"\xff" * array.nbytes, array.dtype).reshape(array.shape)
    yield "noise", np.frombuffer(draw.bytes(array.nbytes), array.dtype).reshape(array.shape)
    yield "other axes", array[None]
    yield "flat", array.reshape(-1)
    yield "wide", np.repeat(array[..., None], 2, -1)
    for dtype in ("f8", "f4", "i8", "u1", "?"):
        yield dtype, array.astype(dtype)


MISLEADING = {
    "entities",
    "gram_hashes",
    "gram_documents",
    "forms",
    "capitals",
    "persons",
    "counts",
    "documents",
    "digests",
    "shares",
    "output",
    "data",
    "norms",
    "subwords",
}
"""Whatever they hold may be so: only their checksums tell."""


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_whatever_is_in_an_array_is_answered_or_named(
    model: Model, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> None:
    for whole in (model, request.getfixturevalue("subwords")):
        card, arrays = load(whole.path)
        arrays = {name: np.array(array) for name, array in arrays.items()}
        assert find_problems(whole, arrays) == []
        for name, array in arrays.items():
            if whole is not model and name != "subwords":
                continue  # as in the other
            for change, changed in changes(array):
                said = answered(
                    whole, card, {k: v for k, v in {**arrays, name: changed}.items() if v is not None}, monkeypatch
                )
                same = changed is not None and changed.dtype == array.dtype and np.array_equal(changed, array)
                assert (
                    said
                    or same
                    or name.startswith("variants.")
                    or name.rpartition(".")[2] in MISLEADING
                    or changed is None
                ), (name, change)


def answered(whole: Model, card: dict[str, Any], arrays: Arrays, patch: pytest.MonkeyPatch) -> str:
    """Ask a model everything, and give what it or its verification says is wrong."""
    patch.setattr("embanon.model.model.load", lambda _: (card, arrays))
    said = ""
    for ask in (ask_everything, lambda model: model):
        try:
            opened = Model.open(whole.path)
            ask(opened)
            said += "".join(find_problems(opened, arrays))
        except DataError as exc:
            said += str(exc)
    return said


def listed(*changes: tuple[str, Any]) -> list[Any]:
    return [pytest.param(key, value, id=f"{key} {value!r:.20}") for key, value in changes]


@pytest.mark.parametrize(
    ("key", "value"),
    listed(
        *((key, value) for key in ("documents", "units", "dimensions") for value in (None, "5", -1, 2**70, 1.5)),
        ("language", 5), ("language", None), ("corpus", None), ("corpus", "x"), ("dtype", None), ("backend", 3),
        ("subwords", None), ("subwords", 3), ("subwords", {"minimum": 1}), ("subwords", {"minimum": "a", "maximum": 5}),
    ),
)  # fmt: skip
def test_cards_that_lack_what_is_asked(subwords: Model, key: str, value: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    card, arrays = load(subwords.path)
    changed = {name: item for name, item in {**card, key: value}.items() if item is not None}
    monkeypatch.setattr("embanon.model.model.load", lambda _: (changed, arrays))
    with pytest.raises(DataError, match="the card lacks"):
        Model.open(subwords.path)


@pytest.mark.parametrize("language", ["../../etc", "xx", "", "EN-us", "\0", "e" * 10_000])
def test_a_language_is_no_path(model: Model, language: str, monkeypatch: pytest.MonkeyPatch) -> None:
    card, arrays = load(model.path)
    monkeypatch.setattr("embanon.model.model.load", lambda _: ({**card, "language": language}, arrays))
    ask_everything(Model.open(model.path))


def test_wrong_numbers_under_right_checksums_are_named(model: Model, tmp_path: Path) -> None:
    from embanon.storage.folder import save

    card, arrays = load(model.path)
    verify(model.path)
    keys = Keys.from_strings([*model.phrases.keys][::-1]).arrays()
    for name, changed in (
        ("phrases", {f"phrases.{column}": keys[column] for column in ("blob", "ends")}),
        ("postings.documents", {"postings.documents": arrays["postings.documents"] + np.uint32(5)}),
        ("phrases.vectors", {"phrases.vectors.norms": arrays["phrases.vectors.norms"] * np.float32(2)}),
    ):
        save(tmp_path / "m", arrays | changed, card)
        with pytest.raises(DataError, match=rf"does not make sense: {re.escape(name)}\b"):
            verify(tmp_path / "m")


def test_a_look_up_is_quick(model: Model) -> None:
    phrases = ["heart attack", "Ada Lovelace", "London"] * 3000
    numbers = model.find(phrases).numbers
    for ask, limit in ((lambda: model.find(phrases), 0.5), (lambda: model.cosines(PEOPLE, numbers), 0.05)):
        assert min(seconds(ask) for _ in range(3)) < limit


def seconds(ask: Callable[[], Any]) -> float:
    started = time.process_time()
    ask()
    return time.process_time() - started
