"""Bootstrap intervals of measures: whole documents are resampled, as they are the units of a corpus."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

from embanon.attack import SAMPLES, SEED, TAIL, WILSON, IntervalEstimate
from embanon.linkage import wilson_interval
from embanon.measure.metrics.share import EQUAL, Scores, Share, divide, f_score

CELLS: Final = 1 << 22
"""Counts that are drawn at once."""

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


def resampled_ratios(shares: list[Share], *, samples: int = SAMPLES, seed: int = SEED) -> list[Floats]:
    """Return the ratio of each share in each sample of documents; the samples are the same for all shares."""
    parts = np.stack([part for one in shares for part in (one.hits, one.totals)], axis=1)
    whole = np.concatenate([times @ parts for times in _samples(len(parts), samples, seed)])
    return [divide(whole[:, place], whole[:, place + 1]) for place in range(0, 2 * len(shares), 2)]


def _samples(size: int, samples: int, seed: int) -> Iterable[Ints]:
    """Return how often each sample has each document: all samples at once, or of large corpora some at a time."""
    if size * samples <= CELLS:
        return (_sampled(size, samples, seed),)
    chance, step = np.random.default_rng(seed), max(CELLS // size, 1)
    return (_times(chance, size, min(step, samples - first)) for first in range(0, samples, step))


@lru_cache(maxsize=1)
def _sampled(size: int, samples: int, seed: int) -> Ints:
    """Draw once for all measures of an output."""
    return _times(np.random.default_rng(seed), size, samples)


def _times(chance: np.random.Generator, size: int, samples: int) -> Ints:
    return chance.multinomial(size, np.full(size, 1 / size), samples) if size else np.zeros((samples, 0), np.int64)


def share_bounds(share: Share, *, samples: int = SAMPLES, seed: int = SEED) -> IntervalEstimate | None:
    """Return the bounds of a share; `None` where it has no value."""
    return _bounds_of_samples(share.value, share, resampled_ratios([share], samples=samples, seed=seed)[0])


def f_bounds(
    scores: Scores, beta: float = EQUAL, *, samples: int = SAMPLES, seed: int = SEED
) -> IntervalEstimate | None:
    """Return the bounds of F; `None` where it has no value."""
    precision, recall = resampled_ratios([scores.precision, scores.recall], samples=samples, seed=seed)
    return _bounds_of_samples(scores.f(beta), scores.precision + scores.recall, f_score(precision, recall, beta))


def _bounds_of_samples(value: float | None, share: Share, samples: Floats) -> IntervalEstimate | None:
    """Take quantiles; where all samples are equal, as if each document were one case."""
    if value is None:
        return None
    low, high = _quantiles(samples)
    if high - low > 1e-12 or not 0 <= value <= 1:
        return IntervalEstimate(value, low, high)
    documents = int(np.count_nonzero(share.totals))
    return IntervalEstimate(value, *wilson_interval(value * documents, documents), WILSON)


def _quantiles(samples: Floats) -> tuple[float, float]:
    """Return the bounds of what samples have a value for."""
    low, high = np.quantile(samples[~np.isnan(samples)], TAIL)
    return float(low), float(high)
