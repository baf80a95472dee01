"""Confidence intervals of a mean over documents, by resampling the documents."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from embanon.linkage import wilson_interval

SAMPLES: Final = 1000
SEED: Final = 1
TAIL: Final = (0.025, 0.975)
BOOTSTRAP, WILSON = "bootstrap", "wilson"


@dataclass(frozen=True, slots=True)
class IntervalEstimate:
    """A mean, and within which bounds 95 of 100 samples of the documents have it."""

    value: float
    low: float
    high: float
    method: str = BOOTSTRAP
    """How the bounds were found."""

    def to_dict(self) -> dict[str, float]:
        """Return the three, rounded."""
        return {name: round(getattr(self, name), 4) for name in ("value", "low", "high")}


def estimate_mean(
    values: NDArray[Any], *, least: float = 0.0, most: float = 1.0, samples: int = SAMPLES, seed: int = SEED
) -> IntervalEstimate:  # fmt: skip
    """Draw the documents anew; at least one is needed.

    Samples of equals do not differ, but other documents might: then bounds are those of a share, between the least
    and the most that a value may be.
    """
    mean, draw = float(values.mean()), np.random.default_rng(seed)
    if (values == values[0]).all():
        span = most - least
        low, high = wilson_interval((mean - least) / span * len(values), len(values)) if span > 0 else (0.0, 0.0)
        return IntervalEstimate(mean, min(least + span * low, mean), max(least + span * high, mean), WILSON)
    if np.isin(values, (0, 1)).all():  # how many of the drawn are hits is binomial
        drawn = draw.binomial(len(values), mean, samples) / len(values)
    else:
        drawn = np.array([values[draw.integers(len(values), size=len(values))].mean() for _ in range(samples)])
    low, high = np.quantile(drawn, TAIL).tolist()
    return IntervalEstimate(mean, low, high)


def estimate_ratio(
    hits: NDArray[Any], cases: NDArray[Any], *, samples: int = SAMPLES, seed: int = SEED
) -> IntervalEstimate:
    """Return the share of hits among cases, with bounds over documents, each of which has some of both."""
    if not cases.sum():
        return IntervalEstimate(float("nan"), 0.0, 1.0, WILSON)
    share, draw = float(hits.sum() / cases.sum()), np.random.default_rng(seed)
    if share in (0.0, 1.0) or (cases > 0).sum() < 2:
        return IntervalEstimate(share, *wilson_interval(float(hits.sum()), int(cases.sum())), WILSON)
    chosen = draw.integers(len(cases), size=(samples, len(cases)))
    total = cases[chosen].sum(axis=1)
    low, high = np.quantile(hits[chosen].sum(axis=1)[total > 0] / total[total > 0], TAIL).tolist()
    return IntervalEstimate(share, low, high)
