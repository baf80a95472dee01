"""Turn an attacker's scores into probabilities, and those into observed link rates."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from embanon.errors import ConfigError
from embanon.linkage.attackers import Floats, Ints, ranks

Flags = NDArray[np.bool_]

Z_95: Final = 1.959964
"""Of the normal distribution: bounds hold for 95 of 100."""
SEARCH_STEPS: Final = 60
GOLDEN_SECTION: Final = (math.sqrt(5) - 1) / 2
MAX_TEMPERATURE_RATIO: Final = 1e4
"""By how much the temperature may differ from the spread of the scores, up or down."""


def posterior(scores: Floats, temperature: float) -> Floats:
    """Return the probability of each candidate; of a row for each document if there are rows."""
    if not temperature > 0:
        raise ConfigError(f"a temperature is above 0, not {temperature}")
    warm = np.exp((scores - scores.max(axis=-1, keepdims=True)) / temperature)
    return np.asarray(warm / warm.sum(axis=-1, keepdims=True), np.float64)


def effective_candidates(probabilities: Floats) -> float:
    """Return the effective number of candidates: e to the entropy."""
    positive = probabilities[probabilities > 0]
    return float(np.exp(-(positive * np.log(positive)).sum()))


def wilson_interval(hits: float, cases: int) -> tuple[float, float]:
    """Return the 95 % bounds of a share, from its count and the number of cases; 0 to 1 without cases."""
    if not cases:
        return 0.0, 1.0
    share, square = hits / cases, Z_95**2
    middle = (share + square / (2 * cases)) / (1 + square / cases)
    reach = Z_95 * math.sqrt(share * (1 - share) / cases + square / (4 * cases**2)) / (1 + square / cases)
    return max(middle - reach, 0.0), min(middle + reach, 1.0)


@dataclass(frozen=True, slots=True)
class LinkRate:
    """How often documents of some stated probability were linked, within which bounds, and how many there were."""

    share: float
    low: float
    high: float
    cases: int


@dataclass(frozen=True, slots=True)
class CalibrationStep:
    """Documents whose stated probability is from `least` on were linked so often; steps never go down."""

    min_probability: float
    hits: int
    cases: int

    @property
    def link_rate(self) -> LinkRate:
        """Return the share and its bounds."""
        return LinkRate(self.hits / self.cases, *wilson_interval(self.hits, self.cases), self.cases)


@dataclass(frozen=True, slots=True)
class Calibration:
    """The temperature that makes scores probabilities, and what they proved to be worth."""

    temperature: float
    steps: tuple[CalibrationStep, ...]

    def link_rate(self, stated: float) -> LinkRate:
        """Return how often documents with this stated probability were linked; the lowest step covers all below it."""
        place = sum(step.min_probability <= stated for step in self.steps) - 1
        return self.steps[max(place, 0)].link_rate


def calibrate(rows: Floats, true: Ints) -> Calibration:
    """Learn from documents whose candidate is known: a row of scores for each.

    They have to be different documents: one under several masks is not several cases, and bounds would be too narrow.
    """
    if not len(rows) or not len(rows) == len(true):
        raise ConfigError(f"{len(rows)} documents have {len(true)} known candidates; give at least one, and all")
    temperature = _temperature(rows, true)
    stated = posterior(rows, temperature)[np.arange(len(rows)), true]
    return Calibration(temperature, fit_steps(stated, ranks(rows, true) < 2))


def _temperature(rows: Floats, true: Ints) -> float:
    """Find under which temperature the known candidates are likeliest: by golden section, as there is one valley."""
    spread = float((rows.max(axis=1) - rows.mean(axis=1)).mean()) or 1.0
    true_scores = rows[np.arange(len(rows)), true]
    best = rows.max(axis=1)

    def surprise(logarithm: float) -> float:
        warm = math.exp(logarithm)
        return float((np.log(np.exp((rows - best[:, None]) / warm).sum(axis=1)) + (best - true_scores) / warm).mean())

    low, high = math.log(spread / MAX_TEMPERATURE_RATIO), math.log(spread * MAX_TEMPERATURE_RATIO)
    left, right = high - GOLDEN_SECTION * (high - low), low + GOLDEN_SECTION * (high - low)
    at_left, at_right = surprise(left), surprise(right)
    for _ in range(SEARCH_STEPS):
        if at_left <= at_right:
            high, right, at_right = right, left, at_left
            left = high - GOLDEN_SECTION * (high - low)
            at_left = surprise(left)
        else:
            low, left, at_left = left, right, at_right
            right = low + GOLDEN_SECTION * (high - low)
            at_right = surprise(right)
    return math.exp((low + high) / 2)


def fit_steps(stated: Floats, hit: Flags) -> tuple[CalibrationStep, ...]:
    """Fit shares that never go down as the stated probability goes up: pool adjacent violators."""
    values, place = np.unique(stated, return_inverse=True)
    cases, hits = np.bincount(place), np.bincount(place, hit)
    steps = list[CalibrationStep]()
    for least, linked, count in zip(values.tolist(), hits.astype(int).tolist(), cases.tolist(), strict=True):
        step = CalibrationStep(least, linked, count)
        while steps and steps[-1].hits * step.cases >= step.hits * steps[-1].cases:
            last = steps.pop()
            step = CalibrationStep(last.min_probability, last.hits + step.hits, last.cases + step.cases)
        steps.append(step)
    return tuple(steps)
