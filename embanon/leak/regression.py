"""A logistic regression on texts as weighted words, fitted by Newton's method with conjugate gradients."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Flags = NDArray[np.bool_]

# Not scikit-learn: its logistic regression takes no offset, which is how `collection` begins with a description. Where
# there is none it finds the same (scores within 0.02 on 4,000 texts), so that it would only be a second one.
NEWTON_STEPS: Final = 12
"""Newton's steps at most; five to eight are usual."""
CONJUGATE_STEPS: Final = 20
"""Steps of conjugate gradients inside one of them."""
TOLERANCE: Final = 1e-3
"""What is left of the slope when a fit is good enough, beside that at the start."""


@dataclass(frozen=True, slots=True, eq=False)
class SparseRows:
    """Texts as sparse rows: value n is in row `texts[n]`, ascending, and column `words[n]`."""

    texts: Ints = field(repr=False)
    words: Ints = field(repr=False)
    values: Floats = field(repr=False)
    size: int
    width: int

    def dot(self, weights: Floats) -> Floats:
        """Multiply each row with the weights of columns."""
        return np.asarray(np.bincount(self.texts, self.values * weights[self.words], self.size), np.float64)

    def dot_transposed(self, weights: Floats) -> Floats:
        """Sum the rows, each times its weight."""
        return np.asarray(np.bincount(self.words, self.values * weights[self.texts], self.width), np.float64)

    def multiply(self, vectors: Floats) -> Floats:
        """Return for each row the sum of the vectors of its columns, each times its value."""
        products = np.empty((self.size, vectors.shape[1]))
        for column in range(vectors.shape[1]):
            products[:, column] = self.dot(vectors[:, column])
        return products

    def take(self, chosen: Flags) -> SparseRows:
        """Return some of the rows."""
        kept, numbers = chosen[self.texts], np.cumsum(chosen) - 1
        return SparseRows(numbers[self.texts[kept]], self.words[kept], self.values[kept], int(chosen.sum()), self.width)

    def stack(self, other: SparseRows) -> SparseRows:
        """Put the rows of another below these."""
        return SparseRows(
            np.concatenate([self.texts, other.texts + self.size]), np.concatenate([self.words, other.words]),
            np.concatenate([self.values, other.values]), self.size + other.size, self.width,
        )  # fmt: skip


def sigmoid(logits: Floats) -> Floats:
    """Return probabilities."""
    return np.asarray(0.5 * (1 + np.tanh(logits / 2)))


def fit(
    rows: SparseRows, dense: Floats, about: Flags, counted: Floats, offset: Floats, ridge: float
) -> tuple[Floats, Floats, float]:  # fmt: skip
    """Return the weights of words, those of the columns of `dense`, and the bias.

    Each row counts `counted` times, and has its `offset` before anything is learnt; `ridge` holds all weights but
    the bias near 0.
    """
    width, target = rows.width, about.astype(np.float64)
    held = np.append(np.full(width + dense.shape[1], ridge), 1e-6)

    def score(flat: Floats) -> Floats:
        return np.asarray(rows.dot(flat[:width]) + dense @ flat[width:-1] + flat[-1])

    def back(each: Floats) -> Floats:
        return np.concatenate([rows.dot_transposed(each), dense.T @ each, [each.sum()]])

    def loss(flat: Floats, logits: Floats) -> float:
        missed = np.logaddexp(0, np.where(about, -logits, logits))
        return _inner_product(counted, missed) + _inner_product(held, flat**2) / 2

    flat = np.zeros(len(held))
    logits = offset + score(flat)
    now, first = loss(flat, logits), 0.0
    for _ in range(NEWTON_STEPS):
        stated = sigmoid(logits)
        slope = back(counted * (stated - target)) + held * flat
        size = _inner_product(slope, slope) ** 0.5
        first = first or size
        if size <= TOLERANCE * first:
            break
        bend = counted * stated * (1 - stated)
        step = _solve_step(lambda way, bend=bend: back(bend * score(way)) + held * way, -slope, held)  # type: ignore[misc]
        change, length = score(step), 1.0
        while length > TOLERANCE and (later := loss(flat + length * step, logits + length * change)) > now:
            length /= 2
        if length <= TOLERANCE:
            break
        flat, logits, now = flat + length * step, logits + length * change, later
    return flat[:width], flat[width:-1], float(flat[-1])


def _solve_step(bent: Callable[[Floats], Floats], right: Floats, held: Floats) -> Floats:
    """Solve for a step, as well as a few conjugate gradients can."""
    step, rest = np.zeros(len(right)), right.copy()
    way, size = rest.copy(), _inner_product(rest, rest)
    enough = 0.01 * size
    for _ in range(CONJUGATE_STEPS):
        if size <= enough:
            break
        image = bent(way)
        length = size / _inner_product(way, image)
        step += length * way
        rest -= length * image
        before, size = size, _inner_product(rest, rest)
        way = rest + size / before * way
    return step


def _inner_product(left: Floats, other: Floats) -> float:
    """Return the inner product, on one thread: several wait for each other longer than they multiply."""
    return float(np.einsum("i,i", left, other))


def balance_classes(about: Flags, counted: Floats) -> Floats:
    """Count both kinds of rows the same in sum, all together as many times as there are rows."""
    sums = np.bincount(about, counted, 2)
    return np.asarray(counted / np.maximum(sums, 1e-9)[about.astype(int)] * len(about) / 2)


@dataclass(frozen=True, slots=True)
class LogisticCurve:
    """What share of texts of a score is positive: a logistic curve."""

    slope: float
    bias: float

    @classmethod
    def fit(cls, scores: Floats, about: Flags, weights: Floats | None = None) -> LogisticCurve:
        """Fit the curve, with Platt's caution: even the best score is not certain. Texts count by their weights."""
        positive = int(about.sum())
        high, low = (positive + 1) / (positive + 2), 1 / (len(about) - positive + 2)
        doubled = np.concatenate([scores, scores])[:, None]
        answer = np.repeat([True, False], len(scores))
        share = np.where(about, high, low)
        empty = SparseRows(np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros(0), len(answer), 0)
        counted = np.concatenate([share, 1 - share]) * (1.0 if weights is None else np.concatenate([weights, weights]))
        _, slope, bias = fit(empty, doubled, answer, counted, np.zeros(len(answer)), 1e-6)
        return cls(max(float(slope[0]), 0.0), bias)

    def logits(self, scores: Floats) -> Floats:
        """Return the logits of the shares."""
        return np.asarray(self.slope * scores + self.bias)

    def __call__(self, scores: Floats) -> Floats:
        return sigmoid(self.logits(scores))
