"""Word frequencies: which words are known, how frequent they are, and what they say of documents."""

from __future__ import annotations

import pickle
import zipfile
from io import BytesIO

import numpy as np
import pytest
from hypothesis import given, strategies as st

from embanon.data import find_resource
from embanon.errors import DataError
from embanon.language.frequencies import TAGGED_LANGUAGES, TYPICAL_DOCUMENT_LENGTH, Frequencies
from embanon.language.lemmas import fold_word


def shipped(language: str) -> Frequencies:
    frequencies = Frequencies.load(language)
    assert frequencies is not None
    return frequencies


ORDERS = [
    # language, words from the most to the least frequent
    ("en", "the house serendipity"),
    ("en", "and John Angelina"),
    ("es", "de casa abogada"),
    ("pt", "que casa advogada"),
    ("de", "und Haus Rechtsanwältin"),
]


@pytest.mark.parametrize(("language", "words"), ORDERS)
def test_frequent_words_come_first(language: str, words: str) -> None:
    frequencies = shipped(language)
    shares, idf = frequencies.shares(words.split()), frequencies.idf(words.split())
    assert (np.diff(shares) < 0).all()
    assert (np.diff(idf) > 0).all()
    assert 0 < shares.min() <= shares.max() < 0.1


SAME = [
    ("en", "HOUSE", "house"),
    ("en", "don’t", "don't"),
    ("en", "cafe\u0301", "café"),
    ("es", "Corazo\u0301n", "corazón"),
    ("pt", "NÃO", "não"),
    ("de", "Straße", "STRASSE"),
    ("de", "u\u0308ber", "Über"),
]


@pytest.mark.parametrize(("language", "word", "other"), SAME)
def test_spellings_of_one_word_have_one_share(language: str, word: str, other: str) -> None:
    frequencies = shipped(language)
    assert frequencies.share(word) == frequencies.share(other) is not None


UNKNOWN = [
    "", " ", "\n", "house ", "the house", "xqzzyv", "-", "'", "...", "0", "7", "1975", "00", "2nd", "b2b", "h²o", "½",
    "٣", "一", "😀", "\ud800", "\0", "a" * 100_000, "house\nthe", "\u0301",
]  # fmt: skip


@pytest.mark.parametrize("word", UNKNOWN, ids=lambda word: ascii(word[:10]))
@pytest.mark.parametrize("language", TAGGED_LANGUAGES)
def test_what_is_no_known_word_is_unknown(language: str, word: str) -> None:
    frequencies = shipped(language)
    assert frequencies.share(word) is None
    assert np.isnan(frequencies.shares([word])).all()
    assert np.isnan(frequencies.idf([word])).all()


@pytest.mark.parametrize("language", TAGGED_LANGUAGES)
def test_made_up_words_are_unknown(language: str) -> None:
    """A hash of 32 bits would know several of them."""
    words = [f"{head}{tail}" for head in shipped(language).words for tail in ("qx", "zvq")]
    assert np.isnan(shipped(language).shares(words)).all()


@pytest.mark.parametrize("language", ["fr", "", "xx", "EN/../en", "english"])
def test_other_languages_have_none(language: str) -> None:
    assert Frequencies.load(language) is None


@pytest.mark.parametrize(("name", "language"), [("en-US", "en"), ("PT_br", "pt"), ("de", "de")])
def test_regions_share_one_table(name: str, language: str) -> None:
    assert Frequencies.load(name) is Frequencies.load(language)


@given(st.lists(st.text() | st.sampled_from(["the", "House", "serendipity"])), st.sampled_from(TAGGED_LANGUAGES))
def test_many_words_are_looked_up_as_one(words: list[str], language: str) -> None:
    frequencies = shipped(language)
    single = [frequencies.share(word) for word in words]
    expected = np.array([np.nan if share is None else share for share in single], dtype=np.float64)
    np.testing.assert_array_equal(frequencies.shares(words), expected)
    assert frequencies.idf(words).shape == (len(words),)


@pytest.mark.parametrize("language", TAGGED_LANGUAGES)
def test_documents_stand_for_the_rarest_word(language: str) -> None:
    frequencies = shipped(language)
    rarest = min(frequencies.words, key=frequencies.words.__getitem__)
    in_documents = -np.expm1(-frequencies.shares([rarest])[0] * TYPICAL_DOCUMENT_LENGTH)
    assert frequencies.document_count * in_documents == pytest.approx(1, rel=1e-3)
    idf = frequencies.idf(list(frequencies.words))
    assert 0 <= idf.min() < 0.02
    assert (
        idf.max()
        == frequencies.idf([rarest])[0]
        == pytest.approx(1 - np.log2(1.5) / np.log2(frequencies.document_count))
    )


def small() -> Frequencies:
    return Frequencies("en", {"ab": 1, "abc": 0, "b": 2, "é": 0}, np.array([1e-6, 1e-3, 0.1, np.nan]))


def test_what_is_written_is_read() -> None:
    found = Frequencies.from_bytes(small().to_bytes(), "en")
    assert found.words == small().words
    np.testing.assert_array_equal(found.levels, small().levels)
    assert small().to_bytes() == small().to_bytes()


@given(
    st.dictionaries(st.text(st.characters(exclude_characters="\n", codec="utf-8"), min_size=1), st.just(0), min_size=1)
)
def test_any_words_are_written_and_read(words: dict[str, int]) -> None:
    frequencies = Frequencies("en", words, np.array([0.5, np.nan]))
    assert Frequencies.from_bytes(frequencies.to_bytes(), "en").words == words


def archive(**changes: object) -> bytes:
    with np.load(BytesIO(small().to_bytes())) as arrays:
        found = dict(arrays) | {name: np.asarray(value) for name, value in changes.items()}
    buffer = BytesIO()
    np.savez_compressed(buffer, **found)
    return buffer.getvalue()


def terabytes() -> bytes:
    """Return a small archive whose words claim to be ten terabytes."""
    header, buffer = BytesIO(), BytesIO(archive())
    np.lib.format.write_array_header_1_0(header, {"descr": "|u1", "fortran_order": False, "shape": (10**13,)})
    with zipfile.ZipFile(buffer) as before, zipfile.ZipFile(changed := BytesIO(), "w") as after:
        for name in before.namelist():
            after.writestr(name, header.getvalue() if name == "rests.npy" else before.read(name))
    return changed.getvalue()


WHOLE = find_resource("embeddings", "frequencies", "pt.npz").read_bytes()
BROKEN = {
    "empty": b"",
    "half": WHOLE[: len(WHOLE) // 2],
    "one byte short": WHOLE[:-1],
    "corrupt": WHOLE[:50_000] + bytes(1000) + WHOLE[51_000:],
    "text": b"the 0.05\n",
    "pickle": pickle.dumps({"the": 0.05}),
    "of another kind": find_resource("embeddings", "lemmas", "en.npz").read_bytes(),
    "later format": archive(format=[2]),
    "level that is missing": archive(number=np.array([0, 0, 1, 3], np.uint8)),
    "numbers of another type": archive(number=[0.0, 0.0, 1.0, 2.0]),
    "words in rows": archive(shared=np.zeros((4, 1), np.uint8)),
    "word too few": archive(shared=np.zeros(3, np.uint8)),
    "share above 1": archive(levels=[0.1, 0.2, 1.1]),
    "share unknown": archive(levels=[0.1, 0.2, np.nan]),
    "no levels": archive(levels=np.zeros(0)),
    "not UTF-8": archive(rests=np.array([255, 10, 10, 10], np.uint8)),
    "terabytes": terabytes(),
    "objects": archive(rests=np.array([{}], dtype=object)),
}


@pytest.mark.parametrize("data", BROKEN.values(), ids=BROKEN.keys())
def test_broken_files_are_refused(data: bytes) -> None:
    with pytest.raises(DataError, match="reinstall embanon"):
        Frequencies.from_bytes(data, "en", "en.npz")


def test_processes_open_the_file_themselves() -> None:
    data = pickle.dumps(shipped("es"))
    assert len(data) < 200
    assert pickle.loads(data) is shipped("es")
    copy = pickle.loads(pickle.dumps(small()))
    assert copy.words == small().words


def test_nothing_of_the_words_shows() -> None:
    assert repr(shipped("en")) == "Frequencies(language='en')"


def test_together_they_are_small() -> None:
    folder = find_resource("embeddings", "frequencies")
    assert sum(len((folder / f"{language}.npz").read_bytes()) for language in TAGGED_LANGUAGES) <= 1_500_000


@pytest.mark.parametrize("language", TAGGED_LANGUAGES)
def test_the_words_are_those_that_can_be_asked_for(language: str) -> None:
    words = shipped(language).words
    assert all(fold_word(word) == word for word in words)
    assert not [word for word in words if any(map(str.isnumeric, word)) or any(map(str.isspace, word))]


@pytest.mark.parametrize("language", TAGGED_LANGUAGES)
def test_shares_are_those_of_the_library(language: str) -> None:
    wordfreq = pytest.importorskip("wordfreq")
    words = [word for word in list(shipped(language).words)[::50] if wordfreq.tokenize(word, language) == [word]]
    expected = [wordfreq.zipf_frequency(word, language) for word in words]
    assert len(words) > 1000
    # Rounded to 0.05, where the library itself rounds to 0.01.
    np.testing.assert_allclose(9 + np.log10(shipped(language).shares(words)), expected, atol=0.0251, rtol=0)


@pytest.mark.parametrize("language", ["pt"])
def test_the_builder_gives_the_shipped_bytes(language: str) -> None:
    pytest.importorskip("wordfreq")
    from embeddings.build.frequencies import build

    assert build(language).words == shipped(language).words
    np.testing.assert_array_equal(build(language).levels, shipped(language).levels)
