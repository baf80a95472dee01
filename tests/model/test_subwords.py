"""fastText's n-grams: the same as gensim's and as those of the library, whatever the word."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, strategies as st

from embanon.model.subwords import Subwords

WORDS = st.text(max_size=12) | st.text("<>/s aé日😀\u0301", max_size=12)


def subwords(minimum: int = 3, maximum: int = 6, buckets: int = 1000, kind: type = np.float32) -> Subwords:
    vectors = np.random.default_rng(7).normal(size=(buckets, 5)).astype(kind)
    return Subwords(minimum, maximum, vectors)


@given(WORDS, st.integers(0, 4), st.integers(0, 7), st.sampled_from([1, 7, 2_000_000]))
def test_rows_are_those_of_gensim(word: str, minimum: int, maximum: int, buckets: int) -> None:
    from gensim.models.fasttext import ft_ngram_hashes

    theirs = ft_ngram_hashes(word, minimum, maximum, buckets) if maximum else []
    assert Subwords(minimum, maximum, np.zeros((buckets, 0), np.float32)).rows(word) == theirs


@given(st.lists(WORDS, max_size=6), st.integers(0, 4), st.integers(0, 7))
def test_composing_all_at_once_is_composing_each(words: list[str], minimum: int, maximum: int) -> None:
    table = subwords(minimum, maximum)
    own = np.arange(len(words) * 5, dtype=np.float32).reshape(-1, 5)
    for word, row, vector in zip(words, own, table.compose(words, own), strict=True):
        rows = table.rows(word)
        expected = (row.astype(float) + table.vectors[rows].astype(float).sum(axis=0)) / (len(rows) + 1)
        np.testing.assert_allclose(vector, expected, atol=2e-6)


@pytest.mark.parametrize(
    ("word", "minimum", "count"),
    [
        pytest.param("", 1, 1, id="no word has <> alone"),
        pytest.param("", 3, 0, id="and none of three"),
        pytest.param("a", 1, 4, id="single < and > are none: a, <a, a>, <a>"),
        pytest.param("日本", 3, 3, id="code points, not bytes"),
        pytest.param("\ud800", 3, 1, id="a lone surrogate"),
    ],
)
def test_single_brackets_and_short_words(word: str, minimum: int, count: int) -> None:
    assert len(subwords(minimum).rows(word)) == count


@pytest.mark.parametrize("kind", [np.float32, np.float16])
def test_a_vector_is_the_mean_of_the_rows(kind: type) -> None:
    table = subwords(kind=kind)
    for word in ("Größe", "x" * 20_000):
        vector = table.vector(word)
        assert vector is not None
        assert vector.dtype == np.float32
        np.testing.assert_allclose(vector, table.vectors[table.rows(word)].astype(float).mean(axis=0), atol=1e-5)


def test_a_word_without_ngrams_is_unknown() -> None:
    assert subwords().vector("") is None
    assert subwords(minimum=2, maximum=0).vector("word") is None
    assert Subwords(3, 6, np.empty((0, 5), np.float32)).vector("word") is None


def test_a_long_word_among_short_ones() -> None:
    table = subwords()
    words = ["a", "long" * 3000, "b"]
    composed = table.compose(words, np.zeros((3, 5), np.float32))
    for word, vector in zip(words, composed, strict=True):
        rows = table.rows(word)
        np.testing.assert_allclose(vector, table.vectors[rows].astype(float).sum(axis=0) / (len(rows) + 1), atol=1e-5)


def test_vectors_are_not_shown() -> None:
    assert repr(subwords()) == "Subwords(minimum=3, maximum=6, space=' ')"


def test_parts_that_no_word_has_are_zero() -> None:
    table = subwords(buckets=100_000, kind=np.float16)
    taught = table.without_unseen(["opera house", "film"])
    assert taught.vectors.dtype == np.float16
    assert {*np.flatnonzero(taught.vectors.any(axis=1))} == {*table.rows("opera house"), *table.rows("film")}
    np.testing.assert_array_equal(taught.vector("film"), table.vector("film"))
    stranger = taught.vector("日本")
    assert stranger is not None
    assert not stranger.any()
    assert not subwords(buckets=0).without_unseen(["film"]).buckets
