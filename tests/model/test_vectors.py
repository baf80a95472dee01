"""Vectors: what is stored is what was given, as near as its kind can be; what is unknown is never near to anything."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st
from numpy.typing import NDArray

from embanon.errors import DataError
from embanon.model.vectors import DTYPES, Vectors, unit_rows

RANDOM = np.random.default_rng(5)
ROWS = RANDOM.normal(size=(50, 20)).astype(np.float32)
BOUNDS = {"float32": 1e-6, "float16": 2e-3, "int8": 2e-2}
"""How far a cosine may be from that of what was given."""


def plain(queries: NDArray[Any], rows: NDArray[Any]) -> NDArray[np.float64]:
    a, b = queries.astype(float), rows.astype(float)
    return (a / np.linalg.norm(a, axis=1, keepdims=True)) @ (b / np.linalg.norm(b, axis=1, keepdims=True)).T


def stored(vectors: Vectors) -> Vectors:
    return Vectors.from_arrays({name: array.copy() for name, array in vectors.arrays().items()})


def test_float32_is_exact() -> None:
    np.testing.assert_array_equal(stored(Vectors.from_rows(ROWS)).rows(range(50)), ROWS)


@pytest.mark.parametrize("scale", [1e-3, 1.0, 1e3])
@pytest.mark.parametrize("dtype", DTYPES)
def test_cosines_are_near_those_of_what_was_given(dtype: str, scale: float) -> None:
    vectors = stored(Vectors.from_rows(ROWS * np.float32(scale), dtype))
    assert vectors.data.dtype == dtype
    np.testing.assert_allclose(vectors.cosines(ROWS), plain(ROWS, ROWS), atol=BOUNDS[dtype])
    np.testing.assert_allclose(vectors.norms, np.linalg.norm(vectors.rows(range(50)), axis=1), rtol=1e-6)
    own = vectors.cosines(vectors.rows(range(50)))
    assert np.abs(own).max() <= 1 + 1e-6
    np.testing.assert_allclose(own.diagonal(), 1, atol=1e-6)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("bad", [[np.nan, 1], [np.inf, 1], [-np.inf, np.nan], [0, 0]])
def test_a_row_without_direction_is_unknown(bad: list[float], dtype: str) -> None:
    vectors = stored(Vectors.from_rows(np.array([[1, 2], bad, [2, 1]], np.float32), dtype))
    assert vectors.has_vector([0, 1, 2, -1, -7]).tolist() == [True, False, True, False, False]
    assert np.isnan(vectors.rows([1, -1, -7])).all()
    found = vectors.cosines(np.array([[1, 0]], np.float32))
    assert np.isnan(found[0]).tolist() == [False, True, False]
    assert np.isnan(vectors.cosines(np.array([[1, 0]], np.float32), [1, -1, -7, 0])[0]).tolist() == [True] * 3 + [False]


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("size", [1e-45, 1e-44, 1e-38, 1e-30, 1e-9, 1e5, 1e19, 1e25, 2e38, 3.4e38])
def test_rows_of_extreme_length_are_right_or_unknown(size: float, dtype: str) -> None:
    vectors = Vectors.from_rows(np.array([[size, size], [1, 0]], np.float32), dtype)
    found = vectors.cosines(np.array([[1, 0], [1, 1]], np.float32))[:, 0]
    if vectors.has_vector([0])[0]:
        np.testing.assert_allclose(found, [np.sqrt(0.5), 1], atol=0.3 if size < 1e-37 else 0.01)
    else:
        assert np.isnan(found).all()
    assert vectors.has_vector([0])[0] or dtype != "float32" or not 2e-38 < size < 3e38


@pytest.mark.parametrize("query", [[np.nan, np.nan], [np.nan, 1], [0, 0], [np.inf, 0], [3e38, 3e38]])
def test_an_unknown_query_is_near_nothing(query: list[float]) -> None:
    vectors = Vectors.from_rows(np.eye(2, dtype=np.float32))
    queries = np.array([query, [1, 0]], np.float32)
    for found in (vectors.cosines(queries), vectors.cosines(queries, [0, 1])):
        assert np.isnan(found[0]).all()
        assert found[1].tolist() == [1, 0]


@pytest.mark.parametrize("size", [2e-38, 1e-30, 1, 1e30])
def test_a_query_of_any_length(size: float) -> None:
    found = Vectors.from_rows(np.eye(2, dtype=np.float32)).cosines(np.array([[size, 0]], np.float32))
    np.testing.assert_allclose(found, [[1, 0]])


@given(
    st.lists(st.integers(-1, 49), max_size=80),
    st.integers(0, 4),
    st.sampled_from(DTYPES),
    st.sampled_from([1, 7, 8192]),
)
def test_cosines_by_slices_are_those_of_all(numbers: list[int], queries: int, dtype: str, step: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("embanon.model.vectors.slices.__defaults__", (step,))
        vectors = Vectors.from_rows(ROWS, dtype)
        found = vectors.cosines(ROWS[:queries], numbers)
        every = vectors.cosines(ROWS[:queries])
    which = np.array(numbers, int)
    expected = np.where(which >= 0, plain(ROWS[:queries], vectors.rows(range(50)))[:, which], np.nan)
    assert found.shape == (queries, len(numbers))
    assert found.dtype == np.float32
    np.testing.assert_allclose(found, expected, atol=1e-5)
    np.testing.assert_allclose(found, np.where(which >= 0, every[:, which], np.nan), atol=1e-5)


@pytest.mark.parametrize("dtype", DTYPES)
def test_an_empty_table(dtype: str) -> None:
    vectors = stored(Vectors.from_rows(np.zeros((0, 4), np.float32), dtype))
    assert (len(vectors), vectors.dimensions) == (0, 4)
    assert np.isnan(vectors.rows([-1, -1])).all()
    assert vectors.rows([]).shape == (0, 4)
    assert vectors.cosines(np.ones((2, 4), np.float32)).shape == (2, 0)
    assert np.isnan(vectors.cosines(np.ones((2, 4), np.float32), [-1])).all()


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", [(1000, 1), (1, 1000), (1, 1)])
def test_narrow_and_wide(shape: tuple[int, int], dtype: str) -> None:
    rows = RANDOM.normal(size=shape).astype(np.float32)
    vectors = stored(Vectors.from_rows(rows, dtype))
    np.testing.assert_allclose(vectors.cosines(rows[:3]), plain(rows[:3], rows), atol=0.02)


def test_numbers_that_are_not_there_are_an_error() -> None:
    vectors = Vectors.from_rows(ROWS)
    for ask in (vectors.rows, vectors.has_vector, lambda numbers: vectors.cosines(ROWS[:1], numbers)):
        with pytest.raises(IndexError):
            ask([51])


@pytest.mark.parametrize(
    "changed",
    [
        pytest.param({"data": np.zeros(3, np.int8)}, id="one axis"),
        pytest.param({"norms": np.zeros(2, np.float32)}, id="too few norms"),
        pytest.param({"scales": np.zeros(0, np.float32)}, id="bytes without scales"),
        pytest.param({"data": np.zeros((3, 2), np.float32)}, id="floats with scales"),
        pytest.param({"scales": None}, id="no scales"),
        pytest.param({"norms": None}, id="no norms"),
        pytest.param({"data": None}, id="no data"),
    ],
)
def test_sizes_that_do_not_fit_are_refused(changed: dict[str, Any]) -> None:
    arrays = Vectors.from_rows(ROWS[:3, :2], "int8").arrays() | changed
    with pytest.raises(DataError, match="embanon model verify"):
        Vectors.from_arrays({name: array for name, array in arrays.items() if array is not None})


def test_units() -> None:
    rows = np.array([[3, 4], [0, 0], [np.nan, 1]], np.float32)
    np.testing.assert_allclose(unit_rows(rows), [[0.6, 0.8], [np.nan] * 2, [np.nan] * 2], rtol=1e-6)
    assert unit_rows(np.zeros((0, 3), np.float32)).shape == (0, 3)


def test_numbers_are_not_shown() -> None:
    assert repr(Vectors.from_rows(ROWS)) == "Vectors()"
