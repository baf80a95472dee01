"""Models of other tools' files, models to share, and `embanon model`: vectors as theirs, and no secret left."""

from __future__ import annotations

import json
import os
import random
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from embanon.config.settings import Config, TrainingSettings
from embanon.document import Document
from embanon.errors import ConfigError, EmbanonError
from embanon.io.read.corpus import CorpusDocument
from embanon.model.convert import ExportOptions, convert, export
from embanon.model.foreign import ForeignEmbeddings, read_foreign
from embanon.model.model import Model, Step
from embanon.model.train import train
from embanon.model.verify import verify
from embanon.storage.folder import MODEL, load

Run = Callable[..., Any]
SECRET = "Geheimnis"
WORDS = ["Paris", "paris", "New_York", "heart_attack", "U.S.", "Größe", "don't", "日本", "attack", SECRET]
WORDS += [f"word{chr(97 + n)}x" for n in range(20)]
STRANGERS = ["unheard", "Parisian", "größer", "x" * 50, "日本語"]


@pytest.fixture(scope="session")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[Path, Any]]:
    """Return files that the real libraries have written, each with a way to ask the library for a vector."""
    import fasttext
    from gensim.models import FastText, KeyedVectors, Word2Vec
    from gensim.models.fasttext import save_facebook_model

    folder = tmp_path_factory.mktemp("files")
    draw = random.Random(3)
    sentences = [draw.choices(WORDS, k=8) for _ in range(150)]
    (folder / "corpus.txt").write_text("\n".join(map(" ".join, sentences)), encoding="utf-8")
    options: dict[str, Any] = {"vector_size": 8, "min_count": 1, "epochs": 1, "seed": 1, "workers": 1}
    words, grams = Word2Vec(sentences, **options), FastText(sentences, bucket=300, **options)
    words.wv.save_word2vec_format(str(folder / "a.bin"), binary=True)
    words.wv.save_word2vec_format(str(folder / "a.txt.gz"))
    words.wv.save_word2vec_format(str(folder / "glove.txt"), write_header=False)
    words.wv.save(str(folder / "a.kv"))
    grams.save(str(folder / "grams.model"))
    save_facebook_model(grams, str(folder / "facebook.bin"))
    library = fasttext.train_unsupervised(
        str(folder / "corpus.txt"), minCount=1, dim=8, epoch=1, thread=1, bucket=300, verbose=0
    )
    library.save_model(str(folder / "library.bin"))
    known = library.get_words()
    rows = [f"{word} {' '.join(map(str, library.get_word_vector(word)))} \n" for word in known]  # as its program does
    (folder / "library.vec").write_text(f"{len(known)} 8\n" + "".join(rows), encoding="utf-8")
    text = KeyedVectors.load_word2vec_format(str(folder / "a.txt.gz"))
    theirs = {"a.bin": words.wv, "a.txt.gz": text, "glove.txt": text, "a.kv": words.wv}
    theirs |= {"grams.model": grams.wv, "facebook.bin": grams.wv}
    asked = {name: vectors.get_vector for name, vectors in theirs.items()}
    asked["library.vec"] = library.get_word_vector
    asked["library.bin"] = lambda word: np.mean(
        [library.get_input_vector(int(n)) for n in library.get_subwords(word)[1]], axis=0
    )
    return {name: (folder / name, ask) for name, ask in asked.items()}


PLAIN = ("a.bin", "a.txt.gz", "glove.txt", "a.kv", "library.vec")
WITH_SUBWORDS = ("grams.model", "facebook.bin", "library.bin")


@pytest.mark.parametrize("name", [*PLAIN, *WITH_SUBWORDS])
def test_converted_vectors_are_those_of_the_library(name: str, files: Any, tmp_path: Path) -> None:
    path, ask = files[name]
    convert(read_foreign(path, trust_pickle=True), tmp_path / "m", dtype="float32", language="en")
    model = Model.open(tmp_path / "m")
    verify(tmp_path / "m")
    found = model.find(WORDS)
    assert set(found.steps) == {Step.EXACT}
    for word, vector in zip(WORDS, found.vectors, strict=True):
        np.testing.assert_allclose(vector, ask(word), atol=1e-6)
    unknown = model.find(STRANGERS)
    assert (unknown.numbers == -1).all()
    for word, step, vector in zip(STRANGERS, unknown.steps, unknown.vectors, strict=True):
        if name in WITH_SUBWORDS:
            assert step == Step.SUBWORDS
            np.testing.assert_allclose(vector, ask(word), atol=1e-6)
        else:
            assert step == Step.UNKNOWN
            assert np.isnan(vector).all()


@pytest.mark.parametrize(
    ("phrase", "key", "step"),
    [
        ("Paris", "Paris", Step.EXACT),
        ("paris", "paris", Step.EXACT),
        ("PARIS", "paris", Step.VARIANT),
        ("New_York", "New_York", Step.EXACT),
        ("New York", "New_York", Step.VARIANT),
        ("new york", "New_York", Step.VARIANT),
        ("heart attacks", "heart_attack", Step.VARIANT),
        ("US", "U.S.", Step.VARIANT),
        ("GRÖSSE", "Größe", Step.VARIANT),
        ("Grosse", "Größe", Step.VARIANT),
        ("dont", "don't", Step.VARIANT),
        ("Attack Paris", None, Step.PARTS),
        ("york", None, Step.UNKNOWN),
        ("", None, Step.UNKNOWN),
    ],
)
def test_cased_keys_are_found_exactly_and_by_other_case(
    phrase: str, key: str | None, step: Step, files: Any, tmp_path: Path
) -> None:
    convert(read_foreign(files["a.bin"][0]), tmp_path / "m", language="en")
    model = Model.open(tmp_path / "m")
    found = model.find([phrase])
    assert found.steps[0] == step
    assert (model.phrases.keys[int(found.numbers[0])] if key else found.numbers[0]) == (key or -1)


@pytest.mark.parametrize("dtype", ["float32", "float16", "int8"])
def test_converted_models_know_no_documents(dtype: str, files: Any, tmp_path: Path) -> None:
    convert(read_foreign(files["library.bin"][0]), tmp_path / "m", dtype=dtype, license=f"free \x00\n'\"{SECRET}")
    model = Model.open(tmp_path / "m")
    assert model.card["corpus"]["license"] == f"free \x00\n'\"{SECRET}"
    assert (model.find_entity("Paris"), model.near_duplicates("Paris Paris").tolist(), model.statistics) == (
        None,
        [],
        {},
    )
    assert model.documents_with(0).tolist() == model.documents_about(0).tolist() == []
    assert model.count_together([0, -1], []).tolist() == [0, 0]
    exact, _ = model.similarity("Paris", ["Paris"])
    assert exact[0] == pytest.approx(1, abs=1e-5)
    with pytest.raises(ConfigError, match="public as it is"):
        export(model, tmp_path / "public")


def test_rows_that_are_no_vectors_are_unknown(tmp_path: Path) -> None:
    rows = np.array([[1, 2], [0, 0], [np.nan, 1]], np.float32)
    counts = np.array([2**40, -5, 1])
    convert(ForeignEmbeddings("test", ["a", "b", ""], rows, counts, None, None), tmp_path / "m")
    model = Model.open(tmp_path / "m")
    found = model.find(["a", "b", ""])
    assert (found.numbers.tolist(), found.steps.tolist()) == ([0, 1, 2], [Step.EXACT, Step.UNKNOWN, Step.UNKNOWN])
    assert np.isnan(found.vectors[1:]).all()
    assert model.neighbors("b") == []


# Models to share

COMMON = ("heart attack", "steam engine", "London")
RARE = ("Quetzalcoatl", "xylophone repair", "zugzwang")
PERSON = "Wilhelmina Vandersloot"


def letter(n: int) -> str:
    rare = f" She mentioned {RARE[n % 3]}, and ward {n + 7_770_001}." if n < 12 else ""
    return f"{PERSON} had a heart attack. London was far away. A steam engine stood near the house.{rare}"


@pytest.fixture(scope="session")
def private(tmp_path_factory: pytest.TempPathFactory) -> Path:
    target = tmp_path_factory.mktemp("private") / "private.model"
    sources = [
        CorpusDocument(Document(f"patient-{n:04}", letter(n) + f" On day {n}.", "en"), f"Hieronymus{n} (ward)")
        for n in range(24)
    ]
    options = TrainingSettings(dimensions=8, epochs=1, threads=1, entity_vectors=True, license="free")
    train(sources, target, config=Config(train=options))
    return target


def bytes_of(model: Path) -> bytes:
    return b"\n".join(path.read_bytes().lower() for path in sorted(model.iterdir()))


def test_what_is_shared_says_nothing_rare_and_nobody(private: Path, tmp_path: Path) -> None:
    everything = bytes_of(private)
    secrets = ["wilhelmina", "vandersloot", "hieronymus", "patient-", "7770001", "ward"]
    assert all(secret.encode() in everything for secret in (*secrets, "quetzalcoatl", "zugzwang"))
    export(Model.open(private), tmp_path / "m", ExportOptions(min_documents=6))
    verify(tmp_path / "m")
    public, model = bytes_of(tmp_path / "m"), Model.open(tmp_path / "m")
    for secret in (
        "wilhelmina",
        "vandersloot",
        "hieronymus",
        "patient-",
        "77700",
        "quetzalcoatl",
        "xylophone",
        "zugzwang",
    ):
        assert secret.encode() not in public
    assert model.find(COMMON).steps.tolist() == [Step.EXACT] * 3
    assert model.find([PERSON, *RARE]).steps.tolist() == [Step.UNKNOWN] * 4
    for table in (model.phrases, model.words):
        assert len(table)
        assert (table.documents >= 6).all()
    assert (len(model.documents), len(model.entities), model.statistics, model.output) == (0, 0, {}, None)
    assert not [
        name for name in load(tmp_path / "m")[1] if name.startswith(("statistics", "entities.vectors", "output"))
    ]
    old = load(private)[0]
    assert {"checksum", "repeated"}.isdisjoint(model.card["corpus"])
    assert old["corpus"]["checksum"].encode() not in public
    assert (model.card["public"], model.card["least"], model.card["corpus"]["license"]) == (True, 6, "free")
    # No hash of what is left out is left either.
    before, digests = Model.open(private), np.concatenate([model.phrases.keys.hash_index.hashes, model.variants.hashes])
    gone = before.phrases.keys.find([PERSON.lower(), RARE[0].lower()])
    assert (gone >= 0).all()
    from embanon.storage.keys import hash_keys as hashed

    assert not np.isin(hashed([PERSON.lower(), RARE[0].lower()]), digests).any()


def test_what_is_shared_answers_as_before(private: Path, tmp_path: Path) -> None:
    before = Model.open(private)
    export(before, tmp_path / "m", ExportOptions(dtype="float32"))
    after = Model.open(tmp_path / "m")
    found, expected = after.find(COMMON), before.find(COMMON)
    np.testing.assert_allclose(found.vectors, expected.vectors, atol=1e-6)
    for column in ("counts", "documents", "persons"):
        now, then = getattr(after.phrases, column), getattr(before.phrases, column)
        assert now[found.numbers].tolist() == then[expected.numbers].tolist()


def test_the_most_frequent_are_kept(private: Path, tmp_path: Path) -> None:
    card = export(Model.open(private), tmp_path / "m", ExportOptions(phrases=2, words=6))
    model = Model.open(tmp_path / "m")
    assert card["phrases"] == len(model.phrases) <= 2
    assert card["words"] == len(model.words) == 6
    assert min(model.phrases.counts, default=24) == 24


def test_a_model_may_have_nothing_to_share(private: Path, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="nothing"):
        export(Model.open(private), tmp_path / "m", ExportOptions(min_documents=1000))
    assert not (tmp_path / "m").exists()
    with pytest.raises(ConfigError, match="at least 2"):
        export(Model.open(private), tmp_path / "m", ExportOptions(min_documents=1))


def test_subwords_are_not_shared(tmp_path: Path) -> None:
    sources = [CorpusDocument(Document(str(n), letter(n), "en")) for n in range(9)]
    options = TrainingSettings(backend="fasttext", dimensions=4, epochs=1, threads=1, buckets=50)
    train(sources, tmp_path / "m", config=Config(train=options))
    with pytest.raises(ConfigError, match="subwords"):
        export(Model.open(tmp_path / "m"), tmp_path / "public")


# The command


def test_info(embanon: Run, private: Path) -> None:
    done = embanon("model", "info", "--json", private)
    card = json.loads(done.stdout)
    assert (done.returncode, done.stderr, card["documents"], card["backend"]) == (0, "", 24, "word2vec")
    assert card["bytes"] == sum(path.stat().st_size for path in private.glob("*.npy"))
    table = embanon("model", "info", private).stdout
    assert "corpus.license" in table
    assert "wilhelmina" not in (done.stdout + table).lower()


def test_neighbors(embanon: Run, private: Path) -> None:
    done = embanon("model", "neighbors", "--json", "-n", "3", private, "Heart attack")
    found = json.loads(done.stdout)
    assert (done.returncode, done.stderr, found["step"]) == (0, "", "exact")
    expected = [(near, round(cosine, 4)) for near, cosine in Model.open(private).neighbors("heart attack", 3)]
    assert [(row["phrase"], row["similarity"]) for row in found["neighbors"]] == expected
    done = embanon("model", "neighbors", private, "-", stdin=b"heart-attacks\r\nmore\n")
    assert (done.returncode, len(done.stdout.splitlines())) == (0, 11)
    assert "another spelling" in done.stderr
    done = embanon("model", "neighbors", private, "the engine of London")
    assert "made of its words" in done.stderr
    for phrase in (SECRET, "", os.fsdecode(b"\xff\xfe")):
        done = embanon("model", "neighbors", private, phrase)
        assert (done.returncode, done.stdout, SECRET in done.stderr) == (1, "", False)
        assert "does not know the phrase" in done.stderr
    done = embanon("model", "neighbors", "--json", private, SECRET)
    assert (done.returncode, json.loads(done.stdout)) == (1, {"step": "unknown", "neighbors": []})


def test_a_phrase_on_standard_input_may_be_anything(embanon: Run, private: Path) -> None:
    for data in (b"", b"\n", b"\xff\xfe\n", b"\x00", SECRET.encode(), b"x" * 1_000_000):
        done = embanon("model", "neighbors", private, "-", stdin=data, PYTHONIOENCODING="utf-8:strict")
        assert (done.returncode, done.stdout) == (3 if b"\xff" in data else 1, "")
        assert SECRET not in done.stderr
        assert "internal" not in done.stderr


def test_verify(embanon: Run, private: Path, tmp_path: Path) -> None:
    done = embanon("model", "verify", private)
    assert (done.returncode, done.stdout, done.stderr) == (0, f"{private}: whole\n", "")
    broken = tmp_path / "broken.model"
    shutil.copytree(private, broken)
    with (broken / "postings.documents.npy").open("r+b") as stream:
        stream.seek(-1, 2)
        stream.write(b"\xff")
    done = embanon("model", "verify", broken)
    assert (done.returncode, done.stdout) == (3, "")
    assert "changed since it was saved: postings.documents.npy" in done.stderr


def test_convert_and_export(embanon: Run, files: Any, private: Path, tmp_path: Path) -> None:
    target = tmp_path / "c.model"
    done = embanon("model", "convert", files["a.txt.gz"][0], "-o", target, "--dtype", "float32", "--language", "en")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == f"{target}: {len(WORDS)} vectors of 8 dimensions, from word2vec text\n"
    np.testing.assert_allclose(Model.open(target).find(["Paris"]).vectors[0], files["a.txt.gz"][1]("Paris"), atol=1e-6)
    public = tmp_path / "p.model"
    done = embanon("model", "export", "--public", private, "-o", public, "--least", "6", "--dtype", "int8")
    model = Model.open(public)
    assert done.stdout == f"{public}: {len(model.phrases)} phrases and {len(model.words)} words\n"
    assert model.card["dtype"] == "int8"


def test_files_of_gensim_must_be_trusted(embanon: Run, files: Any, tmp_path: Path) -> None:
    target = tmp_path / "c.model"
    done = embanon("model", "convert", files["a.kv"][0], "-o", target)
    assert (done.returncode, done.stdout, target.exists()) == (2, "", False)
    assert "runs whatever its maker wrote into it; where you trust the file, add --trust-pickle" in done.stderr
    done = embanon("model", "convert", "--trust-pickle", files["a.kv"][0], "-o", target)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == f"{target}: {len(WORDS)} vectors of 8 dimensions, from gensim KeyedVectors\n"


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        pytest.param(["info", "NONE"], 3, "no such model; make one: embanon train", id="no model"),
        pytest.param(["info", "FILE"], 3, "embanon model convert", id="file"),
        pytest.param(["info", "FOLDER"], 3, "has no model.toml", id="folder"),
        pytest.param(["info", "TIME"], 3, "lacks", id="card of something else"),
        pytest.param(["verify", "NONE"], 3, "no such model", id="verify nothing"),
        pytest.param(["neighbors", "MODEL", SECRET, "-n", "0"], 2, "--count must be at least 1", id="none wanted"),
        pytest.param(["neighbors", "MODEL", SECRET, "-n", "x"], 2, "invalid int", id="no number"),
        pytest.param(["neighbors", "MODEL"], 2, "PHRASE", id="no phrase"),
        pytest.param(["neighbors", "NONE", SECRET], 3, "no such model", id="neighbors of nothing"),
        pytest.param(["convert", "NONE", "-o", "NEW"], 3, "no such file", id="convert nothing"),
        pytest.param(["convert", "FILE", "-o", "NEW"], 3, "is not an embedding file", id="convert text"),
        pytest.param(["convert", "FILE", "-o", "FOLDER"], 2, "is there and is no model", id="foreign folder"),
        pytest.param(["convert", "FILE", "-o", "FILE"], 2, "is there and is no model", id="onto itself"),
        pytest.param(["convert", "FILE", "-o", "NONE/a/b"], 2, "mkdir -p", id="no folder"),
        pytest.param(["convert", "FILE", "-o", "x.part"], 2, "choose another", id="our own name"),
        pytest.param(["convert", "FILE", "-o", "x" * 300], 141, "too long", id="too long"),
        pytest.param(["convert", "FILE", "-o", "NEW", "--kind", "x"], 2, "no kind", id="kind"),
        pytest.param(["convert", "FILE", "-o", "NEW", "--dtype", "x"], 2, "invalid choice", id="dtype"),
        pytest.param(["convert", "FILE"], 2, "-o/--output", id="no output"),
        pytest.param(["export", "MODEL", "-o", "NEW"], 2, "--public", id="not public"),
        pytest.param(["export", "--public", "MODEL", "-o", "NEW", "--least", "1"], 2, "at least 2", id="least 1"),
        pytest.param(["export", "--public", "MODEL", "-o", "NEW", "--least", "-9"], 2, "at least 2", id="least -9"),
        pytest.param(["export", "--public", "NONE", "-o", "NEW"], 3, "no such model", id="export nothing"),
        pytest.param(["export", "--public", "MODEL", "-o", "NEW", "--least", "999"], 2, "nothing", id="nothing left"),
        pytest.param([], 2, "ACTION", id="no action"),
        pytest.param(["fly"], 2, "invalid choice", id="no such action"),
    ],
)
def test_bad_input(arguments: list[str], code: int, message: str, embanon: Run, private: Path, tmp_path: Path) -> None:
    places = {name: tmp_path / name.lower() for name in ("NONE", "FILE", "FOLDER", "NEW", "TIME")} | {"MODEL": private}
    places["FILE"].write_text(f"{SECRET} of a letter\n")
    for name in ("FOLDER", "TIME"):
        places[name].mkdir()
        (places[name] / "letter.txt").write_text(SECRET)
    (places["TIME"] / MODEL.card).write_text("format = 1\nx = 2020-01-01\nfiles = {}\n")
    given = [
        str(places.get(word.partition("/")[0], word)) + word.partition("/")[2] if word in places else word
        for word in arguments
    ]
    given = [word if not word.startswith("NONE/") else str(places["NONE"] / word[5:]) for word in given]
    done = embanon("model", *given)
    assert (done.returncode, done.stdout) == (code, "")
    assert message in done.stderr
    assert SECRET not in done.stderr
    assert "internal" not in done.stderr
    assert not places["NEW"].exists()
    assert places["FILE"].read_text() == f"{SECRET} of a letter\n"


def test_a_card_with_what_json_lacks(embanon: Run, private: Path, tmp_path: Path) -> None:
    copy = tmp_path / "m"
    shutil.copytree(private, copy)
    card = copy / MODEL.card
    card.write_text('day = 2020-01-01\nodd = nan\nlines = "a\\nb\\u001b]0;x"\n' + card.read_text())
    for options in ([], ["--json"]):
        done = embanon("model", "info", copy, *options)
        assert (done.returncode, done.stderr) == (0, "")
        assert "2020-01-01" in done.stdout
        assert "\x1b" not in done.stdout


def test_every_failure_is_one_of_ours(private: Path, tmp_path: Path) -> None:
    card = (private / MODEL.card).read_bytes()
    draw = np.random.default_rng(2)
    copy = tmp_path / "m"
    shutil.copytree(private, copy)
    for _ in range(150):
        changed = bytearray(card)
        for place in draw.integers(0, len(card), 2):
            changed[place] = draw.integers(32, 127)
        (copy / MODEL.card).write_bytes(changed)
        try:
            Model.open(copy).find(["heart attack", "the engine", SECRET])
        except EmbanonError as exc:
            error = str(exc)
        else:
            error = ""
        assert SECRET not in error
