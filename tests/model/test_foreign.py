"""Embedding files of other tools: the same vectors as theirs, and nothing but a message for what is broken."""

from __future__ import annotations

import gzip
import logging
import os
import pickle
import random
import struct
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from embanon.errors import ConfigError, DecodingError, EmbanonError, InputError
from embanon.model.foreign import READERS, ForeignEmbeddings, read_foreign

SECRET = "Geheimnis"
LETTERS = "abcdefgäßéñ日本рус😀\u0301'-"


def made_up(seed: int, number: int) -> list[str]:
    draw = random.Random(seed)
    return ["".join(draw.choices(LETTERS, k=draw.randint(1, 12))) for _ in range(number)]


WORDS = list(dict.fromkeys([SECRET, *made_up(1, 300)]))
UNKNOWN = ["x", "x" * 300, "zzq", "🏴‍☠️", "e\u0301a", "\x85", *made_up(2, 200)]


@pytest.fixture(scope="session")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    draw = random.Random(3)
    path = tmp_path_factory.mktemp("corpus") / "corpus.txt"
    path.write_text("\n".join(" ".join(draw.choices(WORDS, k=8)) for _ in range(300)), encoding="utf-8")
    return path


@pytest.fixture(scope="session")
def sentences(corpus: Path) -> list[list[str]]:
    return [line.split(" ") for line in corpus.read_text(encoding="utf-8").split("\n")]


@pytest.fixture(scope="session")
def vectors(sentences: list[list[str]]) -> Any:
    from gensim.models import Word2Vec

    return Word2Vec(sentences, vector_size=10, min_count=1, epochs=1, seed=1, workers=1)


@pytest.fixture(scope="session")
def grams(sentences: list[list[str]]) -> Any:
    from gensim.models import FastText

    return FastText(sentences, vector_size=10, min_count=1, epochs=1, bucket=700, seed=1, workers=1)


@pytest.fixture(scope="session")
def library(corpus: Path) -> Any:
    import fasttext

    return fasttext.train_unsupervised(
        str(corpus), minCount=1, dim=10, epoch=1, thread=1, bucket=700, verbose=0, minn=2, maxn=5
    )


@pytest.fixture
def model(library: Any, tmp_path: Path) -> Path:
    path = tmp_path / "model.bin"
    library.save_model(str(path))
    return path


# word2vec and GloVe


def written(vectors: Any, folder: Path, name: str) -> Path:
    path = folder / name
    bare = name.startswith("glove")
    vectors.wv.save_word2vec_format(str(path), binary=".bin" in name, write_header=not bare)
    return path


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("a.bin", "word2vec binary"),
        ("a.bin.gz", "word2vec binary"),
        ("a.txt", "word2vec text"),
        ("a.vec.gz", "word2vec text"),
        ("glove.txt", "GloVe text"),
        ("glove.txt.gz", "GloVe text"),
    ],
)
@pytest.mark.parametrize("named", [False, True])
def test_word2vec_and_glove_are_read_as_gensim_does(
    vectors: Any, tmp_path: Path, name: str, kind: str, named: bool
) -> None:
    from gensim.models import KeyedVectors

    path = written(vectors, tmp_path, name)
    if name.startswith("glove"):
        theirs = vectors.wv  # gensim leaves a file open
    else:
        theirs = KeyedVectors.load_word2vec_format(str(path), binary=".bin" in name)
    read = read_foreign(path, kind if named else None)
    assert (read.kind, read.counts, read.output, read.subwords) == (kind, None, None, None)
    assert read.keys == theirs.index_to_key
    np.testing.assert_allclose(read.vectors, theirs.vectors, atol=1e-6)
    assert read.vectors.dtype == np.float32
    assert SECRET not in repr(read)


def test_the_words_of_text_may_have_spaces_inside(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes("3 2\nNew York 1 2\n. . . 3 4 \r\na\u00a0b\t5\t6\n".encode())
    read = read_foreign(path)
    assert read.keys == ["New York", ". . .", "a\u00a0b"]
    assert read.vectors.tolist() == [[1, 2], [3, 4], [5, 6]]
    path.write_bytes(b"at x@y 1e0 -.5 3\nb 1 2 3\n")
    assert (read := read_foreign(path)).keys == ["at x@y", "b"]
    assert read.kind == "GloVe text"


def test_word2vec_with_newlines_after_records(tmp_path: Path) -> None:
    path = tmp_path / "a.bin"
    path.write_bytes(b"2 1\nab " + struct.pack("<f", 1) + b"\ncd " + struct.pack("<f", 2) + b"\n")
    read = read_foreign(path)
    assert (read.keys, read.vectors.tolist()) == (["ab", "cd"], [[1], [2]])


def test_of_words_that_are_there_twice_the_first_is_kept(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    path = tmp_path / "a.txt"
    path.write_text(f"{SECRET} 1 2\nb 3 4\n{SECRET} 5 6\n")
    with caplog.at_level(logging.WARNING):
        read = read_foreign(path)
    assert (read.keys, read.vectors.tolist()) == ([SECRET, "b"], [[1, 2], [3, 4]])
    assert "1 times" in caplog.text
    assert SECRET not in caplog.text


# fastText


def test_fasttext_is_read_as_the_library_does(library: Any, model: Path) -> None:
    read = read_foreign(model)
    words, counts = library.get_words(include_freq=True)
    assert (read.kind, read.keys) == ("fastText", words)
    assert "</s>" in words
    assert read.counts is not None
    assert read.counts.tolist() == counts.tolist()
    assert np.array_equal(read.output, library.get_output_matrix())
    for word, vector in zip(read.keys, read.vectors, strict=True):
        as_library(library, word, vector)


@pytest.mark.parametrize("word", [word for word in UNKNOWN if word not in WORDS], ids=lambda word: ascii(word)[:20])
def test_unknown_words_are_as_the_library_has_them(library: Any, model: Path, word: str) -> None:
    read = read_foreign(model)
    assert read.subwords is not None
    numbers = [int(number) - len(read.keys) for number in library.get_subwords(word)[1]]
    assert read.subwords.rows(word) == numbers
    vector = read.subwords.vector(word)
    assert vector is not None
    as_library(library, word, vector)


def as_library(library: Any, word: str, vector: NDArray[np.float32]) -> None:
    rows = [library.get_input_vector(int(number)) for number in library.get_subwords(word)[1]]
    np.testing.assert_allclose(vector, np.mean(rows, axis=0), atol=1e-6)
    theirs = library.get_word_vector(word)  # of unit length in some versions
    np.testing.assert_allclose(unit(vector), unit(theirs), atol=2e-6)


def unit(vector: NDArray[np.float32]) -> NDArray[np.float64]:
    wide = vector.astype(np.float64)
    return wide / np.linalg.norm(wide)


def test_fasttext_is_read_as_gensim_does(model: Path) -> None:
    from gensim.models.fasttext import load_facebook_vectors

    theirs, read = load_facebook_vectors(str(model)), read_foreign(model)
    assert read.subwords is not None
    assert read.keys == theirs.index_to_key
    ends = read.keys.index("</s>")  # which has n-grams in gensim only
    np.testing.assert_allclose(np.delete(read.vectors, ends, 0), np.delete(theirs.vectors, ends, 0), atol=1e-6)
    for word in UNKNOWN:
        if word not in theirs.key_to_index:
            np.testing.assert_allclose(read.subwords.vector(word), theirs[word], atol=1e-6)


@pytest.mark.parametrize("options", [{"loss": "hs"}, {"maxn": 0}], ids=["no negative sampling", "no subwords"])
def test_fasttext_without_parts(corpus: Path, tmp_path: Path, options: dict[str, Any]) -> None:
    import fasttext

    trained = fasttext.train_unsupervised(
        str(corpus), **{"minCount": 1, "dim": 4, "epoch": 1, "thread": 1, "bucket": 90, "verbose": 0, **options}
    )
    trained.save_model(str(tmp_path / "a.bin"))
    read = read_foreign(tmp_path / "a.bin")
    assert (read.output is None) == ("loss" in options)
    assert (read.subwords is None) == ("maxn" in options)
    for word, vector in zip(read.keys, read.vectors, strict=True):
        as_library(trained, word, vector)


def test_classifiers_of_fasttext_are_refused(tmp_path: Path) -> None:
    import fasttext

    labelled = tmp_path / "labelled.txt"
    labelled.write_text("".join(f"__label__{number % 2} word{number}\n" for number in range(400)))
    trained = fasttext.train_supervised(str(labelled), dim=4, epoch=1, thread=1, verbose=0, minCount=1)
    trained.save_model(str(tmp_path / "a.bin"))
    with pytest.raises(InputError, match=r"is a classifier.*skipgram"):
        read_foreign(tmp_path / "a.bin")
    trained.quantize(str(labelled))
    trained.save_model(str(tmp_path / "a.ftz"))
    with pytest.raises(InputError, match="is a classifier"):
        read_foreign(tmp_path / "a.ftz")


# gensim


def saved(model: Any, folder: Path, **options: Any) -> Path:
    folder.mkdir(exist_ok=True)
    model.save(str(folder / "a.model"), **options)
    return folder / "a.model"


def trusted(path: Path) -> ForeignEmbeddings:
    return read_foreign(path, trust_pickle=True)


@pytest.mark.parametrize("apart", [False, True], ids=["one file", "arrays beside"])
def test_gensim_models_are_read_as_gensim_does(vectors: Any, grams: Any, tmp_path: Path, apart: bool) -> None:
    for number, model in enumerate((vectors, grams.wv) if apart else (vectors.wv, grams)):
        words = getattr(model, "wv", model)
        read = trusted(saved(model, tmp_path / str(number), sep_limit=100 if apart else 1 << 30))
        assert read.kind == f"gensim {type(model).__name__}"
        assert read.keys == words.index_to_key
        np.testing.assert_allclose(read.vectors, words.vectors, atol=1e-6)
        assert np.array_equal(read.counts, words.expandos["count"])
        if model is not words:
            assert np.array_equal(read.output, model.syn1neg)
        assert (read.subwords is not None) == hasattr(words, "vectors_ngrams")
    assert read.subwords is not None
    for word in UNKNOWN:
        if word not in grams.wv.key_to_index:
            np.testing.assert_allclose(read.subwords.vector(word), grams.wv[word], atol=1e-6)


def test_words_of_doc2vec_are_read(sentences: list[list[str]], tmp_path: Path) -> None:
    from gensim.models.doc2vec import Doc2Vec, TaggedDocument

    documents = [TaggedDocument(sentence, [number]) for number, sentence in enumerate(sentences)]
    trained = Doc2Vec(documents, vector_size=5, min_count=1, epochs=1)
    read = trusted(saved(trained, tmp_path))
    assert (read.kind, read.keys) == ("gensim Doc2Vec", trained.wv.index_to_key)
    np.testing.assert_allclose(read.vectors, trained.wv.vectors, atol=1e-6)
    with pytest.raises(InputError, match="is no word"):
        trusted(saved(trained.dv, tmp_path / "tags"))


def test_counts_that_gensim_makes_up_are_unknown(vectors: Any, tmp_path: Path) -> None:
    from gensim.models import KeyedVectors

    loaded = KeyedVectors.load_word2vec_format(str(written(vectors, tmp_path, "a.bin")), binary=True)
    assert trusted(saved(loaded, tmp_path / "saved")).counts is None


@pytest.mark.parametrize("name", ["model-from-gensim-3.8.0.w2v", "word2vec_3.3", "old_w2v_models/w2v_3.4.0.mdl"])
def test_older_models_of_gensim_are_read(name: str) -> None:
    from gensim.models import Word2Vec
    from gensim.test.utils import datapath

    path = datapath(name)
    if not Path(path).exists():
        pytest.skip("this gensim is installed without its test data")
    theirs, read = Word2Vec.load(path), trusted(Path(path))
    assert read.keys == theirs.wv.index_to_key
    np.testing.assert_allclose(read.vectors, theirs.wv.vectors, atol=1e-6)
    assert np.array_equal(read.counts, theirs.wv.expandos["count"])


class Call:
    """A pickle that calls something when it is read."""

    def __init__(self, function: Any, *arguments: Any, state: Any = None) -> None:
        self.reduced = (function, arguments, state)

    def __reduce__(self) -> Any:
        return self.reduced


def test_no_pickle_is_loaded_that_is_not_trusted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("a.kv", "a.model", "a"):
        path = tmp_path / name
        path.write_bytes(pickle.dumps({"a": Call(os.system, "touch attacked")}))
        for kind in (None, "gensim"):
            with pytest.raises(ConfigError, match=r"runs whatever .* --trust-pickle .*save_word2vec_format"):
                read_foreign(path, kind)
    assert sorted(file.name for file in tmp_path.iterdir()) == ["a", "a.kv", "a.model"]


def keyed(**attributes: Any) -> Call:
    """Return what is pickled as gensim's class, with attributes of its own."""
    from gensim.models import KeyedVectors

    usual = {"index_to_key": [SECRET, "b"], "vectors": np.eye(2, dtype=np.float32), "__numpys": []}
    empty = {"__scipys": [], "__ignoreds": [], "__recursive_saveloads": [], "expandos": {}, "vector_size": 2}
    return Call(KeyedVectors, 2, state=empty | usual | attributes)


@pytest.mark.parametrize(
    ("attributes", "message"),
    [
        pytest.param({}, None, id="good"),
        pytest.param({"vectors": np.eye(3, dtype=np.float32)}, "not a vector a word", id="too many rows"),
        pytest.param({"vectors": np.array([[1, np.nan], [1, 1]], np.float32)}, "record 1 holds", id="nan"),
        pytest.param({"vectors": np.array([[1, 2], [1e300, 1]])}, "record 2 holds", id="beyond float32"),
        pytest.param({"vectors": np.array([[1, 2], [3, 4]], object)}, "gensim cannot load it", id="objects"),
        pytest.param({"vectors": np.ones((2, 0), np.float32)}, "0 dimensions", id="no dimensions"),
        pytest.param({"vectors": np.ones(2, np.float32)}, "no rows of numbers", id="one dimension"),
        pytest.param({"vectors": None}, "cannot load|not a vector a word", id="no vectors"),
        pytest.param({"index_to_key": [SECRET, None]}, "record 2 is no word", id="no word"),
        pytest.param({"index_to_key": []}, "not a vector a word", id="no words"),
        pytest.param({"__numpys": ["vectors"]}, "a file that belongs beside it", id="no side file"),
    ],
)
def test_what_gensim_would_not_save(attributes: dict[str, Any], message: str | None, tmp_path: Path) -> None:
    path = tmp_path / "a.kv"
    path.write_bytes(pickle.dumps(keyed(**attributes)))
    if message is None:
        assert trusted(path).keys == [SECRET, "b"]
    else:
        refused(path, message)


def test_what_gensim_cannot_load(vectors: Any, tmp_path: Path) -> None:
    path = saved(vectors.wv, tmp_path, separately=["vectors"])
    beside = tmp_path / "a.model.vectors.npy"
    beside.write_bytes(beside.read_bytes()[:-5])
    refused(path, "a file that belongs beside it")
    path = saved(vectors, tmp_path / "whole")
    whole = path.read_bytes()
    for size in (3, len(whole) // 2, len(whole) - 1):
        path.write_bytes(whole[:size])
        refused(path, "gensim cannot load it")


# What is broken


def refused(path: Path, message: str, kind: str | None = None) -> None:
    with pytest.raises(EmbanonError, match=message) as caught:
        read_foreign(path, kind, trust_pickle=True)
    assert SECRET not in f"{caught.value!r} {caught.value.__cause__!r} {caught.value.__context__!r}"


FLOATS = struct.pack("<2f", 1, 2)
BINARY = b"2 2\nGeheimnis " + FLOATS + b"b " + FLOATS


@pytest.mark.parametrize(
    ("name", "data", "message"),
    [
        ("a.bin", b"", "is empty"),
        ("a", b"\x00\xff junk" * 99, "is not an embedding file"),
        ("a.bin", b"\x00\xff junk" * 99, "does not begin with its numbers"),
        ("a.vec", b"\x00\xff junk" * 99, "does not begin with its numbers"),
        ("a.kv", b"\x00\xff junk" * 99, "gensim cannot load it"),
        ("a.ftz", b"\x00\xff junk" * 99, "is no fastText model"),
        ("a.ftz", b"\x00", "asks for at least 8 bytes"),
        ("a.txt", b"Geheimnis of a text\nthat has no numbers\n", "is not an embedding file"),
        ("a.bin", BINARY[:-1], "ends in record 2 of 2"),
        ("a.bin", BINARY[:30], "asks for at least 18 bytes|ends in record 2"),
        ("a.bin", BINARY + b"c", "goes on after"),
        ("a.bin", b"1000000000 300\nGeheimnis " + FLOATS, "asks for at least 1,201,000,000,000 bytes"),
        (
            "a.bin.gz",
            gzip.compress(b"1000000000 300\nGeheimnis " + FLOATS, mtime=0),
            "asks for at least 1,201,000,000,000",
        ),
        ("a.bin", b"9" * 40 + b" 9\nGeheimnis " + FLOATS, "asks for at least"),
        ("a.bin", b"2 0\nGeheimnis " + FLOATS, "vectors of 0 dimensions"),
        ("a.bin", b"2 70000\nGeheimnis " + FLOATS, "vectors of 70,000 dimensions"),
        ("a.bin", b"0 2\n", "holds no words"),
        ("a.bin", b"1 2\nGeheimnis\xff " + FLOATS, "the word of record 1 is not UTF-8"),
        ("a.bin", b"1 2\nGeheimnis " + struct.pack("<2f", 1, float("inf")), "record 1 holds what is not a finite"),
        ("a.bin", b"1 2\n" + b"x" * 99_999, "record 1 has no word"),
        ("a.txt", b"1 2\nGeheimnis 1 nan\n", "record 1 holds what is not a finite"),
        ("a.txt", b"1 2\nGeheimnis 1 1e99\n", "record 1 holds what is not a finite"),
        ("a.txt", b"2 2\nGeheimnis 1 2\nb 3\n", "line 3 is not a word and 2 numbers"),
        ("a.txt", b"2 2\nGeheimnis 1 2\nb 3 Geheimnis\n", "line 3 is not a word and 2 numbers"),
        ("a.txt", b"3 2\nGeheimnis 1 2\nb 3 4\n", "has 2 records, its header says 3"),
        ("a.txt", b"1 2\nGeheimnis 1 2\nb 3 4\n", "line 3 is beyond the 1"),
        ("a.txt", b"1 2\nGeheimnis\xff 1 2\n", "the word of line 2 is not UTF-8"),
        ("a.txt", b"900000000 300\nGeheimnis 1 2\n", "asks for at least 540,"),
        ("a.txt", b"Geheimnis 1 2\nb 1 2 \xff\n", "line 2 is not a word"),
        ("a.txt", b"Geheimnis 1 2\n" + b"1" * (1 << 22), "line 2 is longer than"),
        ("a.txt.gz", gzip.compress(b"Geheimnis 1 2\n" * 99, mtime=0)[:-12], "is not a whole gzip file"),
        ("a.txt.gz", gzip.compress(b"Geheimnis 1 2\n" * 99, mtime=0)[:30] + b"junk" * 9, "is not a whole gzip file"),
    ],
)
def test_broken_files_are_refused(name: str, data: bytes, message: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_bytes(data)
    refused(path, message)


@pytest.mark.parametrize("kind", READERS)
def test_every_kind_refuses_what_is_not_its(kind: str, vectors: Any, model: Path, tmp_path: Path) -> None:
    files = [written(vectors, tmp_path, name) for name in ("a.bin", "a.txt", "a.bin.gz")]
    files += [model, saved(vectors, tmp_path)]
    for path in files:
        if trusted(path).kind.partition(" ")[0] != kind.partition(" ")[0]:
            refused(path, path.name, kind)
    (tmp_path / "empty").touch()
    refused(tmp_path / "empty", "empty", kind)


def test_fasttext_cut_anywhere_is_refused(model: Path) -> None:
    whole = model.read_bytes()
    draw = random.Random(5)
    for size in [4, 7, 8, 60, 63, 64, 91, 92, 100, len(whole) - 1, *draw.sample(range(8, len(whole)), 60)]:
        model.write_bytes(whole[:size])
        refused(model, "asks for at least|breaks off|is no fastText")
    model.write_bytes(whole + b"\x00")
    refused(model, "goes on after")
    model.write_bytes(gzip.compress(whole, mtime=0))
    refused(model, "gunzip")


def patched(data: bytes, place: int, form: str, value: Any) -> bytes:
    return data[:place] + struct.pack(form, value) + data[place + struct.calcsize(form) :]


@pytest.mark.parametrize(
    ("place", "form", "value", "message"),
    [
        pytest.param(4, "<i", 13, "no fastText model of version", id="version"),
        pytest.param(8, "<i", -1, "-1 dimensions", id="dimensions"),
        pytest.param(8, "<i", 11, "input matrix is not of", id="other dimensions"),
        pytest.param(40, "<i", 1 << 30, "input matrix is not of", id="buckets"),
        pytest.param(40, "<i", -1, "impossible sizes", id="negative buckets"),
        pytest.param(48, "<i", 1 << 30, "impossible sizes", id="endless n-grams"),
        pytest.param(64, "<i", 1 << 30, "corrupt", id="words"),
        pytest.param(64, "<q", (1 << 31) - 1 << 32 | (1 << 31) - 1, "asks for at least 21,", id="words of gigabytes"),
        pytest.param(-17, "<?", True, "is quantized", id="quantized"),
        pytest.param(-16, "<q", 1 << 40, "asks for at least", id="rows of terabytes"),
        pytest.param(-16, "<q", -1, "is of -1", id="negative rows"),
    ],
)
def test_fasttext_with_one_number_changed(
    place: int, form: str, value: Any, message: str, model: Path, library: Any
) -> None:
    whole = model.read_bytes()
    rows, columns = library.get_output_matrix().shape
    if place < 0:
        place += len(whole) - rows * columns * 4
    model.write_bytes(patched(whole, place, form, value))
    refused(model, message)


def test_fasttext_with_what_is_no_number(model: Path) -> None:
    whole = model.read_bytes()
    model.write_bytes(patched(whole, len(whole) - 4, "<f", float("nan")))
    refused(model, f"output weights of record {len(WORDS) + 1} holds")


def test_changed_bytes_are_refused_or_read(vectors: Any, model: Path, tmp_path: Path) -> None:
    draw = random.Random(8)
    texts = [written(vectors, tmp_path, name) for name in ("b.bin", "b.txt")]
    for path in (model, *texts):
        whole = path.read_bytes()
        for _ in range(100):
            data = bytearray(whole)
            for place in draw.sample(range(min(len(whole), draw.choice([100, 5000]))), 3):
                data[place] = draw.randrange(256)
            path.write_bytes(data)
            with suppress(EmbanonError):
                assert isinstance(read_foreign(path), ForeignEmbeddings)


def test_what_cannot_be_opened(tmp_path: Path) -> None:
    refused(tmp_path, "is a folder")
    refused(tmp_path / "none.bin", "no such file")
    refused(Path("a\x00b"), "not a possible name")
    refused(Path(os.devnull), "is no file")
    with pytest.raises(ConfigError, match=r"no kind .* known: word2vec binary"):
        read_foreign(tmp_path, "embedding")
    for kind in READERS:
        refused(tmp_path / "none.bin", "no such file", kind)
        refused(tmp_path, "is a folder", kind)


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="root may read everything")
def test_what_may_not_be_read(tmp_path: Path) -> None:
    path = tmp_path / "a.bin"
    path.write_bytes(BINARY)
    path.chmod(0)
    refused(path, "may not be read")


def test_decoding_errors_are_of_their_kind(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes(b"a\xff 1 2\n")
    with pytest.raises(DecodingError, match=r"line 1 .*UTF-8"):
        read_foreign(path)


def test_reading_is_about_as_fast_as_gensim(tmp_path: Path) -> None:
    from gensim.models import KeyedVectors

    vectors = KeyedVectors(100)
    rows = np.random.default_rng(1).normal(size=(20_000, 100)).astype(np.float32)
    vectors.add_vectors([f"word{number}" for number in range(20_000)], rows)
    binary, text = str(tmp_path / "a.bin"), str(tmp_path / "a.txt")
    vectors.save_word2vec_format(binary, binary=True)
    vectors.save_word2vec_format(text)
    for path, theirs in (
        (binary, lambda path: KeyedVectors.load_word2vec_format(path, binary=True)),
        (text, KeyedVectors.load_word2vec_format),
    ):
        ours = min(seconds(lambda path=path: read_foreign(Path(path))) for _ in range(2))
        assert ours < 3 * seconds(lambda path=path, theirs=theirs: theirs(path))


def seconds(run: Callable[[], Any]) -> float:
    started = time.process_time()
    run()
    return time.process_time() - started
