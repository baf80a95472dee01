"""The result of every measure: a ratio of sums, kept by document, so that documents can be resampled.

A mean over documents is such a ratio as well: that of each document's value, over 1.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

DIGITS: Final = 4
EQUAL: Final = 1.0
"""The beta that weighs precision and recall alike; 2 weighs recall more."""


@dataclass(frozen=True, slots=True, eq=False)
class Share:
    """Hits over all there is, document by document, in the order of the pairs."""

    hits: Floats = field(repr=False)
    totals: Floats = field(repr=False)

    @classmethod
    def from_rows(cls, rows: Iterable[tuple[float, float]]) -> Share:
        """Take the hits of each document, and of how much."""
        both = np.array(list(rows), np.float64).reshape(-1, 2)
        return cls(both[:, 0].copy(), both[:, 1].copy())

    @classmethod
    def from_values(cls, values: Iterable[float | None]) -> Share:
        """Take the value of each document; `None` and NaN do not count."""
        array = np.array([np.nan if one is None else one for one in values], np.float64)
        known = ~np.isnan(array)
        return cls(np.where(known, array, 0.0), known.astype(np.float64))

    @property
    def sums(self) -> tuple[float, float]:
        """Return the sums of both."""
        return float(self.hits.sum()), float(self.totals.sum())

    @property
    def value(self) -> float | None:
        """Return the ratio; `None` of nothing."""
        hits, total = self.sums
        return hits / total if total > 0 else None

    @property
    def values(self) -> Floats:
        """Return the ratio of each document, NaN of nothing."""
        return divide(self.hits, self.totals)

    @property
    def document_mean(self) -> Share:
        """Return the mean of the documents' ratios instead of the ratio of their sums."""
        return Share.from_values(self.values.tolist())

    def __getitem__(self, place: int) -> Share:
        """Return the share of a single document."""
        return Share(self.hits[[place]], self.totals[[place]])

    def __add__(self, other: Share) -> Share:
        return Share(self.hits + other.hits, self.totals + other.totals)


def share_columns(rows: Iterable[Sequence[tuple[float, float]]], count: int) -> list[Share]:
    """Return so many shares, of which each document has its hits and of how much, a row."""
    whole = np.array(list(rows), np.float64).reshape(-1, count, 2)
    return [Share(whole[:, place, 0].copy(), whole[:, place, 1].copy()) for place in range(count)]


@dataclass(frozen=True, slots=True, eq=False)
class Scores:
    """How much of what is masked had to be, and how much of what had to be is."""

    precision: Share
    recall: Share

    def f(self, beta: float = EQUAL) -> float | None:
        """Return the F score; `None` where there is nothing to find and nothing found."""
        pair = [np.array([np.nan if one.value is None else one.value]) for one in (self.precision, self.recall)]
        value = float(f_score(pair[0], pair[1], beta)[0])
        return None if np.isnan(value) else value


def f_score(precision: Floats, recall: Floats, beta: float = EQUAL) -> Floats:
    """Return the F score of each precision and recall: 0 where either is 0, NaN where unknown."""
    square = beta * beta
    whole = divide((1 + square) * precision * recall, square * precision + recall)
    return np.where((precision == 0) | (recall == 0), 0.0, whole)


def divide(hits: Floats, totals: Floats) -> Floats:
    """Divide, NaN by nothing."""
    return np.asarray(np.divide(hits, totals, out=np.full(hits.shape, np.nan), where=totals > 0), np.float64)


QUARTERS: Final = {"least": 0.0, "first quarter": 0.25, "median": 0.5, "third quarter": 0.75, "most": 1.0}


def quartiles(share: Share) -> dict[str, float]:
    """Return how the documents' values spread, from the least to the most; nothing where no document has one."""
    values = share.values[~np.isnan(share.values)]
    quantiles = np.quantile(values, list(QUARTERS.values())).tolist() if len(values) else ()
    return dict(zip(QUARTERS, quantiles, strict=False))


def rounded(value: float | None) -> float | None:
    """Return a value as tables have it; `None` where it is not known."""
    return None if value is None or np.isnan(value) else round(value, DIGITS)
