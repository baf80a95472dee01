"""Rows of numbers, stored as they are, in half precision or in bytes; computed in single precision."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from embanon.errors import DataError

DTYPES: Final = ("float16", "float32", "int8")
MAX_BYTE: Final = 127
BLOCK_SIZE: Final = 8192
"""Rows that are unpacked at a time: ten megabytes of a usual model."""
THREADS: Final = min(os.cpu_count() or 1, 4)
MISMATCH_MESSAGE: Final = "the arrays of vectors do not fit together; run: embanon model verify MODEL"


@dataclass(frozen=True, slots=True, eq=False)
class Vectors:
    """Vectors by number; `scales` is what a stored byte counts, `norms` are the lengths of the rows as read."""

    data: NDArray[Any] = field(repr=False)
    scales: NDArray[np.float32] = field(repr=False)
    norms: NDArray[np.float32] = field(repr=False)

    @classmethod
    def from_rows(cls, rows: NDArray[np.floating[Any]], dtype: str = "float32") -> Vectors:
        """Store rows; a row with something that is not a finite number, or too long, is unknown and has norm 0."""
        data = np.empty(rows.shape, dtype)
        scales = np.ones(len(rows) if dtype == "int8" else 0, np.float32)
        vectors = cls(data, scales, np.zeros(len(rows), np.float32))
        for part in slices(len(rows)):
            chunk = rows[part].astype(np.float32)
            chunk[~has_direction(row_lengths(chunk))] = 0
            if dtype == "int8":
                largest = np.abs(chunk).max(axis=1, initial=0) / MAX_BYTE
                scales[part] = np.where(largest > 0, largest, 1)
                chunk = np.clip(np.rint(chunk / scales[part, None]), -MAX_BYTE, MAX_BYTE)
            elif dtype == "float16":
                chunk = np.clip(chunk, -65504, 65504)
            data[part] = chunk
            vectors.norms[part] = row_lengths(vectors.read_rows(part))
        return vectors

    def __len__(self) -> int:
        return len(self.data)

    @property
    def dimensions(self) -> int:
        """Return the length of a row."""
        return int(self.data.shape[1])

    def read_rows(self, which: slice | NDArray[np.int64]) -> NDArray[np.float32]:
        """Return rows as they are stored; one that is unknown is zero."""
        rows = self.data[which].astype(np.float32)
        if len(self.scales):
            rows *= self.scales[which][:, None]
        return rows

    def rows(self, numbers: ArrayLike) -> NDArray[np.float32]:
        """Return the vectors of some numbers; of -1, and of a vector that is all zero, not-a-number."""
        which = np.asarray(numbers, np.int64)
        known = self.has_vector(which)
        rows = np.full((len(which), self.dimensions), np.nan, np.float32)
        rows[known] = self.read_rows(which[known])
        return rows

    def has_vector(self, numbers: ArrayLike) -> NDArray[np.bool_]:
        """Return which numbers have a vector."""
        which = np.asarray(numbers, np.int64)
        if not len(self):
            return np.zeros(which.shape, bool)
        known: NDArray[np.bool_] = (which >= 0) & (self.norms[np.maximum(which, 0)] > 0)
        return known

    def cosines(self, queries: NDArray[np.float32], numbers: ArrayLike | None = None) -> NDArray[np.float32]:
        """Return the cosine of each query (a row) to each number (a column), to all by default; unknown is NaN.

        A number that is named often is computed once: `queries @ vectors.T`, by slices.
        """
        directions = unit_rows(queries)
        if numbers is None:
            return self._products(directions, None)
        which = np.maximum(np.asarray(numbers, np.int64), -1)
        seen = np.zeros(len(self) + 1, bool)
        seen[which] = True  # the last place stands for -1
        distinct = np.flatnonzero(seen[:-1])
        cosines = np.full((len(directions), len(self) + 1), np.nan, np.float32)
        cosines[:, distinct] = self._products(directions, distinct)
        return cosines[:, which]

    def _products(self, directions: NDArray[np.float32], which: NDArray[np.int64] | None) -> NDArray[np.float32]:
        size = len(self) if which is None else len(which)
        result = np.empty((len(directions), size), np.float32)

        def fill(part: slice) -> None:
            chosen: slice | NDArray[np.int64] = part if which is None else which[part]
            norms = self.norms[chosen]
            result[:, part] = directions @ self.read_rows(chosen).T / np.where(norms > 0, norms, np.nan)

        if size <= BLOCK_SIZE:
            fill(slice(0, size))
            return result
        # Unpacking is most of the work, and leaves the interpreter to others meanwhile.
        with ThreadPoolExecutor(THREADS) as pool:
            list(pool.map(fill, slices(size)))
        return result

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return what is stored."""
        return {"data": self.data, "scales": self.scales, "norms": self.norms}

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[Any]]) -> Vectors:
        """Take what was stored, and see that its sizes agree."""
        try:
            vectors = cls(arrays["data"], arrays["scales"], arrays["norms"])
        except KeyError as exc:
            raise DataError(MISMATCH_MESSAGE) from exc
        scales = len(vectors.data) if vectors.data.dtype == np.int8 else 0
        if vectors.data.ndim != 2 or len(vectors.norms) != len(vectors.data) or len(vectors.scales) != scales:
            raise DataError(MISMATCH_MESSAGE)
        return vectors


def row_lengths(rows: NDArray[np.floating[Any]]) -> NDArray[np.float32]:
    """Return the length of each row, also of one whose squares are beyond single precision."""
    with np.errstate(over="ignore", invalid="ignore"):
        squares: NDArray[np.float64] = np.einsum("ij,ij->i", rows, rows, dtype=np.float64)
        return np.sqrt(squares).astype(np.float32)


def unit_rows(rows: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return rows of length 1; one that has no direction is unknown."""
    sizes = row_lengths(rows)[:, None]
    unknown = np.full_like(rows, np.nan)
    units: NDArray[np.float32] = np.divide(rows, sizes, out=unknown, where=has_direction(sizes))
    return units


def has_direction(sizes: NDArray[np.float32]) -> NDArray[np.bool_]:
    """Return which lengths are of rows that have a direction: those that single precision can divide by."""
    is_direction: NDArray[np.bool_] = (sizes >= np.finfo(np.float32).tiny) & (sizes < np.inf)
    return is_direction


def slices(size: int, step: int = BLOCK_SIZE) -> Iterator[slice]:
    """Return consecutive slices."""
    return (slice(first, min(first + step, size)) for first in range(0, size, step))
