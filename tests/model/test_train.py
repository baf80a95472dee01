"""Training: what a model has counted is what its corpus has, whatever the batches, threads and languages."""

from __future__ import annotations

import logging
import os
import subprocess
import sys
from collections import Counter, defaultdict
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from embanon.config.settings import Config, TrainingSettings
from embanon.document import FORMS, TYPES, Document
from embanon.errors import InputError
from embanon.io.read.corpus import Corpus, CorpusDocument
from embanon.language.normalize import entity_key, key, words_of
from embanon.model import backends
from embanon.model.model import Model
from embanon.model.task import MAX_TEXT_LENGTH, TrainingTask, TrainingTexts
from embanon.model.train import train
from embanon.storage.folder import load
from embanon.text.analyzer import TaggingCache, load_analyzer, load_caching_analyzer
from embanon.text.find import find_all, gather_statistics

ROOT = Path(__file__).parents[2]
SMALL = TrainingSettings(dimensions=4, epochs=1, threads=1, buckets=500)

TEXTS = (
    "Ada Lovelace was born in London on 10 December 1815. The red house belongs to Ada Lovelace.",
    "THE RED HOUSE was sold. Bob Berger, a violin teacher, met Ada Lovelace in the red house.",
    "The Acme Corporation sued Bob Berger for breach of contract. The court in Berlin agreed.",
    "Carla Diaz has chronic asthma. The hospital in London treated her. Application no. 12345/06.",
)


def sources(*texts: str, entities: tuple[str | None, ...] = (), language: str | None = None) -> list[CorpusDocument]:
    """Return a document a text."""
    about = (*entities, *[None] * len(texts))
    return [CorpusDocument(Document(f"d{n}", text, language), about[n]) for n, text in enumerate(texts)]


def trained(corpus: list[CorpusDocument], folder: Path, **options: Any) -> Model:
    train(corpus, folder / "m", config=Config(train=replace(SMALL, **options)))
    return Model.open(folder / "m")


def counted(model: Model) -> dict[str, tuple[int, ...]]:
    """Return what a model says of each phrase: count, documents, capitals, persons and its postings."""
    table = model.phrases
    assert table.capitals is not None
    columns = (table.counts.tolist(), table.documents.tolist(), table.capitals.tolist(), table.persons.tolist())
    return {
        name: (*(column[n] for column in columns), *model.documents_with(n).tolist())
        for n, name in enumerate(table.keys)
    }


def naive(corpus: list[CorpusDocument], config: Config) -> dict[str, tuple[int, ...]]:
    """Count the phrases of documents that are there once, the slow way."""
    texts = [source.document.text for source in corpus]
    once = [source.document for n, source in enumerate(corpus) if texts.index(source.document.text) == n]
    counts, capitals, persons = Counter[str](), Counter[str](), Counter[str]()
    held = defaultdict[str, set[int]](set)
    statistics = gather_statistics(once, config=config)
    for number, analysis in enumerate(find_all(once, config=config, statistics=statistics)):
        phrases = analysis.phrases
        for start, end, type in zip(phrases.start, phrases.end, phrases.type, strict=True):
            written = analysis.document.text[start:end]
            counts[key(written)] += 1
            capitals[key(written)] += written[0].isupper()
            persons[key(written)] += TYPES[type] == "PERSON"
            held[key(written)].add(number)
    return {
        name: (count, len(held[name]), capitals[name], persons[name], *sorted(held[name]))
        for name, count in counts.items()
    }


def test_counts_are_those_of_the_phrases(tmp_path: Path) -> None:
    corpus = sources(*TEXTS)
    model = trained(corpus, tmp_path)
    assert counted(model) == naive(corpus, Config())
    assert {"12345/06", "chronic asthma", "ada lovelace", "red house"} <= set(model.phrases.keys)
    assert model.phrases.counts.tolist() == sorted(model.phrases.counts.tolist(), reverse=True)
    assert model.card["units"] == sum(row[0] for row in naive(corpus, Config()).values())
    assert model.phrases.forms is not None
    place = int(model.phrases.keys.find(["10 december 1815"])[0])
    assert FORMS[model.phrases.forms[place]] == "date"


def test_words_are_counted(tmp_path: Path) -> None:
    model = trained(sources(*TEXTS), tmp_path)
    spoken = [words_of(key(text)) for text in TEXTS]
    counts = Counter(word for words in spoken for word in words)
    held = Counter(word for words in spoken for word in set(words))
    table = model.words
    assert dict(zip(table.keys, table.counts.tolist(), strict=True)) == counts
    assert dict(zip(table.keys, table.documents.tolist(), strict=True)) == held
    persons = Counter[str]()
    for name, (_, _, _, person, *_) in counted(model).items():
        persons.update({word: person * words_of(name).count(word) for word in set(words_of(name))})
    assert dict(zip(table.keys, table.persons.tolist(), strict=True)) == {word: persons[word] for word in counts}


SENTENCES = st.sampled_from(
    [*(sentence.strip() + "." for text in TEXTS for sentence in text.split(". ")), "", "Gute Nacht, Herr Müller."]
)


@settings(max_examples=12)
@given(documents=st.lists(st.lists(SENTENCES, min_size=1, max_size=3).map(" ".join), min_size=1, max_size=6))
def test_law_counts(documents: list[str], tmp_path_factory: pytest.TempPathFactory) -> None:
    corpus, config = sources(*documents), Config()
    expected = naive(corpus, config)
    folder = tmp_path_factory.mktemp("law")
    if not expected:
        with pytest.raises(InputError, match="no phrase to learn from"):
            trained(corpus, folder)
        return
    model = trained(corpus, folder)
    assert counted(model) == expected
    assert len(model.documents) == len(set(documents)) == model.card["documents"]
    assert model.card["corpus"]["repeated"] == len(documents) - len(set(documents))
    assert np.isfinite(model.phrases.vectors.norms).all()


def test_duplicates_are_counted_once_and_said(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    corpus = [
        *sources(*TEXTS),
        CorpusDocument(Document("again", TEXTS[0])),
        CorpusDocument(Document("again", TEXTS[1])),
    ]
    model = trained(corpus, tmp_path)
    assert counted(model) == naive(sources(*TEXTS), Config())
    assert list(model.documents.ids) == ["d0", "d1", "d2", "d3"]
    assert model.card["corpus"]["repeated"] == 2
    assert [record.getMessage() for record in caplog.records] == [
        "2 documents that the corpus or the model has already, counted once"
    ]


def test_batches_do_not_matter(tmp_path: Path) -> None:
    short = [f"{TEXTS[n % 4]} Case no. {n} of the archive." for n in range(300)]
    long = "\n\n".join(f"Dietrich Hahn saw ward {n} of the hospital." for n in range(4000))  # more than a piece
    corpus = sources(*short[:150], long, *short[150:])
    model = trained(corpus, tmp_path)
    assert counted(model) == naive(corpus, Config())
    assert list(model.documents.ids) == [f"d{n}" for n in range(301)]


def test_ids_differ_and_are_found_quickly(tmp_path: Path) -> None:
    corpus = [CorpusDocument(Document("same", f"The house no. {n}.")) for n in range(3000)]
    model = trained(corpus, tmp_path)
    assert list(model.documents.ids)[:3] == ["same", "same#2", "same#3"]
    assert len(set(model.documents.ids)) == 3000


ABOUT = ("Ada Lovelace", None, "BOB  Berger (cellist)", "ada lovelace (countess)")


@pytest.mark.parametrize(
    ("entities", "names", "numbers"),
    [
        ("given", ["ada lovelace", "bob berger"], [0, -1, 1, 0]),
        ("first", ["ada lovelace", "bob berger", "acme corporation", "carla diaz"], [0, 1, 2, 3]),
        ("none", [], [-1, -1, -1, -1]),
    ],
)
def test_entities(entities: str, names: list[str], numbers: list[int], tmp_path: Path) -> None:
    model = trained(sources(*TEXTS, entities=ABOUT), tmp_path, entities=entities)
    assert list(model.entities) == names
    assert model.documents.entities.tolist() == numbers
    assert model.card["entities"] == len(names)
    assert [model.find_entity(name) for name in names] == list(range(len(names)))


@pytest.mark.parametrize("backend", ["word2vec", "fasttext-library", "fasttext-gensim"])
@pytest.mark.parametrize("entities", ["given", "none"])
def test_entity_vectors(backend: str, entities: str, tmp_path: Path) -> None:
    options = {"backend": backend, "entities": entities, "entity_vectors": True, "epochs": 2}
    model = trained(sources(*TEXTS, entities=ABOUT), tmp_path, **options)
    arrays = load(tmp_path / "m")[1]
    assert len(model.phrases.vectors) == len(model.phrases)
    if entities == "none":
        assert "entities.vectors.data" not in arrays
    else:
        assert arrays["entities.vectors.data"].shape == (2, 4)
        assert (arrays["entities.vectors.norms"] > 0).all()
    assert ("subwords" in arrays) == (backend != "word2vec")
    assert model.output is not None


@pytest.mark.parametrize("backend", ["word2vec", "fasttext-library", "fasttext-gensim"])
@pytest.mark.parametrize("dtype", ["float16", "float32", "int8"])
def test_back_ends_give_every_phrase_a_vector(backend: str, dtype: str, tmp_path: Path) -> None:
    model = trained(sources(*TEXTS), tmp_path, backend=backend, dtype=dtype)
    assert model.phrases.vectors.has_vector(np.arange(len(model.phrases))).all()
    assert model.phrases.vectors.data.dtype == dtype


def test_no_grow_saves_half(tmp_path: Path) -> None:
    trained(sources(*TEXTS), tmp_path, grow=False)
    assert not [name for name in load(tmp_path / "m")[1] if "output" in name]


def test_nearness_is_learnt(tmp_path: Path) -> None:
    """Phrases that share contexts are near: what all of this is for."""
    sick, law = (("asthma", "bronchitis"), ("hospital", "inhaler")), (("fraud", "theft"), ("court", "judge"))
    places = [(whats, wheres, n) for n in range(100) for whats, wheres in (sick, law)]
    texts = [
        f"The {what} was seen by the {wheres[n % 2]}. The {wheres[n // 2 % 2]} knows the {what}. Case no. {n}{what[1]}."
        for whats, wheres, n in places
        for what in whats
    ]
    model = trained(sources(*texts), tmp_path, dimensions=12, epochs=8, sample=0.0)
    near, far = model.similarity("asthma", ["bronchitis", "fraud"])[0]
    assert near > far + 0.2


# The same bytes


SCRIPT = """
import sys
from pathlib import Path
from embanon.cli.main import main
sys.exit(main(["train", sys.argv[1], "-o", sys.argv[2], "--deterministic", "--dimensions", "6", "--quiet",
               "--epochs", "2", "--backend", sys.argv[3], "--entity-vectors"]))
"""


@pytest.mark.parametrize("backend", ["word2vec", "fasttext-library", "fasttext-gensim"])
def test_the_same_bytes_in_two_processes(backend: str, tmp_path: Path) -> None:
    rows = (f'"{ABOUT[n % 4] or ""}","{TEXTS[n % 4]} No. {n}."\n' for n in range(40))
    (tmp_path / "c.csv").write_text("title,text\n" + "".join(rows))
    sums = []
    for seed in ("1", "2"):
        target = tmp_path / f"m{seed}"
        subprocess.run(
            [sys.executable, "-c", SCRIPT, str(tmp_path / "c.csv"), str(target), backend],
            env={**os.environ, "PYTHONPATH": str(ROOT), "PYTHONHASHSEED": seed, "EMBANON_TRAIN_BUCKETS": "500"},
            check=True,
            capture_output=True,
        )
        files = sorted(target.iterdir())
        assert len(files) > 20
        sums.append({file.name: sha256(file.read_bytes()).hexdigest() for file in files})
    assert sums[0] == sums[1]


def test_threads_change_vectors_alone(tmp_path: Path) -> None:
    corpus = sources(*(f"{TEXTS[n % 4]} Case no. {n}." for n in range(200)))
    cards = []
    for threads in (1, 3):
        (tmp_path / str(threads)).mkdir()
        model = trained(corpus, tmp_path / str(threads), threads=threads)
        assert counted(model) == naive(corpus, Config())
        cards.append({name: model.card[name] for name in ("phrases", "words", "units", "documents")})
    assert cards[0] == cards[1]


def test_processors_are_counted_where_the_system_does_not_say(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(os, "sched_getaffinity", raising=False)
    assert trained(sources(*TEXTS), tmp_path, threads=0).card["training"]["threads"] == os.cpu_count()


# Languages and odd texts

LANGUAGES = {
    "es": "El señor García vive en Madrid desde el 3 de mayo de 2003. La casa roja es de la señora López.",
    "de": "Herr Müller wohnt seit dem 3. Mai 2003 in der Straße am See. Das rote Haus gehört Frau Weiß.",
    "pl": "Jan Kowalski mieszka w Krakowie od 3 maja 2003. Czerwony dom należy do Anny Nowak.",
    "ar": "ولد محمد علي في القاهرة سنة 1950. البيت الأحمر ملك فاطمة حسن.",
    "he": "אברהם כהן גר בירושלים משנת 1950. הבית האדום שייך לשרה לוי.",
    "ja": "山田太郎は1950年に東京で生まれた。赤い家は鈴木花子のものだ。",
    "en": "😀 Bob 😀😀 saw 👩‍👩‍👧 in the ﬁne café of Zoë on 3 May 2003. İstanbul, the ΣΊΣΥΦΟΣ\u2028and Ⅻ.",
}


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("backend", ["word2vec", "fasttext-library", "fasttext-gensim"])
def test_languages(language: str, backend: str, tmp_path: Path) -> None:
    corpus = sources(LANGUAGES[language], language=language)
    model = trained(corpus, tmp_path, backend=backend)
    assert counted(model) == naive(corpus, Config())
    assert (model.card["language"], model.card["languages"]) == (language, [language])
    found = model.find(list(model.phrases.keys))
    assert found.numbers.tolist() == list(range(len(model.phrases)))


def test_mixed_languages(tmp_path: Path) -> None:
    corpus = [source for code in LANGUAGES for source in sources(LANGUAGES[code], language=code)] * 2
    corpus = [
        replace(source, document=replace(source.document, text=f"{source.document.text} {n}"))
        for n, source in enumerate(corpus)
    ]
    model = trained(corpus, tmp_path)
    assert counted(model) == naive(corpus, Config())
    assert model.card["languages"] == sorted(LANGUAGES)
    assert set(model.statistics) == set(LANGUAGES)


def test_languages_are_detected_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from embanon.text import find

    asked = []
    detect = find.detect
    monkeypatch.setattr(find, "detect", lambda text, default: (asked.append(text), detect(text, default))[1])
    trained(sources(*LANGUAGES.values(), *TEXTS), tmp_path)
    assert sorted(asked) == sorted([*LANGUAGES.values(), *TEXTS])


def test_remembered_texts_are_bounded_whatever_the_languages(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("embanon.text.analyzer.MAX_CACHED_CHARACTERS", 100)
    kept = TaggingCache()
    layers = [load_caching_analyzer(code, kept) for code in ("en", "de")]
    for text in ("a" * 60, "b" * 60, "c" * 30):
        for one in layers:
            first, again = one.tag(text), one.tag(text)
            assert first.tags.tolist() == again.tags.tolist() == load_analyzer(one.language).tag(text).tags.tolist()
    assert {(language, text[0]) for language, text in kept.texts} == {("en", "a"), ("en", "c")}
    assert kept.characters == 90


@pytest.mark.parametrize("texts", [("",), (" \n ", "…"), ("and of the",)], ids=["empty", "blank", "stop words"])
def test_without_phrases(texts: tuple[str, ...], tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"no phrase to learn from.*--text-column"):
        trained(sources(*texts), tmp_path)
    assert not list(tmp_path.iterdir())


def test_empty_documents_and_one_phrase(tmp_path: Path) -> None:
    model = trained(sources("", "the house", " "), tmp_path)
    assert counted(model) == {"house": (1, 1, 0, 0, 1)}
    assert list(model.documents.ids) == ["d0", "d1", "d2"]


# What back-ends are given


def test_a_document_longer_than_a_text_of_gensim(tmp_path: Path) -> None:
    text = "\n\n".join(f"House {n}." for n in range(3000))
    model = trained(sources(text, entities=("Bob",)), tmp_path, entity_vectors=True, window=7)
    assert model.card["units"] >= 3000 > MAX_TEXT_LENGTH
    assert model.phrases.vectors.has_vector(np.arange(len(model.phrases))).all()


SIZES = {"short": [20] * 30, "long": [3000] * 3, "many": [50] * 2000, "odd": [3001, 1, 0, 0, 20], "one": [1]}


def given_out(sizes: list[int], about: bool, options: TrainingSettings, progress: Any = lambda _: None) -> TrainingTask:
    numbers = np.random.default_rng(0).integers(0, 50, sum(sizes)).astype(np.int32)
    bounds = np.cumsum([0, *sizes])
    texts = TrainingTexts(numbers, bounds, np.full(len(sizes), 50 if about else -1), options.window, progress)
    counts = np.bincount(numbers, minlength=50) + 1
    return TrainingTask(texts, np.append(counts, [len(sizes)] * about), [f"w{n}" for n in range(50)], options)


@pytest.mark.parametrize("about", [False, True], ids=["alone", "about"])
@pytest.mark.parametrize("sizes", SIZES.values(), ids=SIZES)
@pytest.mark.parametrize("window", [1, 7, 10, 1000])
def test_texts_weigh_what_they_say(window: int, sizes: list[int], about: bool) -> None:
    texts = given_out(sizes, about, replace(SMALL, window=window)).texts
    given = list(texts)
    assert sum(map(len, given)) == texts.token_count
    assert [number for text in given for number in text if number < 50] == texts.sequence.tolist()
    assert max(map(len, given)) <= 2 * MAX_TEXT_LENGTH  # gensim leaves out what is longer than ten thousand
    assert {text[0] for text in given} == {50} or not about


@pytest.mark.parametrize("backend", ["word2vec", "fasttext-gensim"])
@pytest.mark.parametrize("about", [False, True], ids=["alone", "about"])
@pytest.mark.parametrize("name", ["short", "long", "many", "odd"])
def test_the_rate_of_learning_falls_to_its_end(
    name: str, about: bool, backend: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    from gensim.models import Word2Vec

    rates: list[float] = []
    next_rate = Word2Vec._get_next_alpha

    def listening(self: Any, progress: float, epoch: int) -> Any:
        rates.append(next_rate(self, progress, epoch))
        return rates[-1]

    monkeypatch.setattr(Word2Vec, "_get_next_alpha", listening)
    options = replace(SMALL, backend=backend, epochs=3, window=7)
    with caplog.at_level(logging.WARNING):
        backends.train(given_out(SIZES[name], about, options))
    assert rates[0] == options.rate
    assert rates == sorted(rates, reverse=True)
    # One text is one step: three long ones leave a little more.
    assert rates[-1] < options.rate * (0.13 if name == "odd" else 0.05)
    assert not caplog.records  # gensim says so where the words are not those that it was promised


class StoppedError(Exception):
    pass


def test_who_stops_a_training_is_not_waited_for(tmp_path: Path) -> None:
    def stop(step: str, _done: float, _of: float) -> None:
        if step == "training":
            raise StoppedError

    with pytest.raises(StoppedError):
        train(sources(*TEXTS), tmp_path / "m", config=Config(train=SMALL), progress=stop)
    assert not list(tmp_path.iterdir())


def test_steps_are_told(tmp_path: Path) -> None:
    rows: list[tuple[str, float, float]] = []
    (tmp_path / "c.txt").write_text(TEXTS[0])
    corpus, config = Corpus((str(tmp_path / "c.txt"),)), Config(train=replace(SMALL, epochs=3))
    card = train(corpus, tmp_path / "m", config=config, progress=lambda *row: rows.append(row))
    assert list(dict.fromkeys(step for step, _, _ in rows)) == [
        "statistics", "phrases", "", "training", "vectors", "saving",
    ]  # fmt: skip
    done = [(done, of) for step, done, of in rows if step == "training"]
    assert done == sorted(done)
    assert done[-1] == (3 * card["units"], 3 * card["units"])
    assert [row for row in rows if row[0] == "phrases"][-1][1:] == (len(TEXTS[0]), len(TEXTS[0]))


def test_no_text_is_in_the_card(tmp_path: Path) -> None:
    model = trained(sources(*TEXTS, entities=ABOUT), tmp_path)
    card = (tmp_path / "m" / "model.toml").read_text().casefold()
    assert not [phrase for phrase in model.phrases.keys if phrase in card]
    assert "d0" not in model.card
    assert entity_key("Ada Lovelace") not in repr(model)
