"""Agreement of annotators beyond chance, as NLTK computes it: Cohen's kappa, Fleiss' kappa, Krippendorff's alpha."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from functools import partial
from numbers import Real
from typing import Any, Final

from embanon.errors import ConfigError

Ratings = Sequence[Sequence[Hashable | None]]
"""A row for each item, a column for each rater; `None` is no rating."""
Distance = Callable[[Any, Any], float]

PAIR: Final = 2
NOMINAL: Final = "nominal"
INTERVAL: Final = "interval"
DISTANCES: Final = {
    NOMINAL: "binary_distance",
    INTERVAL: "interval_distance",
    "jaccard": "jaccard_distance",
    "masi": "masi_distance",
}
"""Names of distances -> functions of `nltk.metrics.distance`. The last two compare frozen sets, interval numbers."""


@dataclass(frozen=True, slots=True)
class Agreement:
    """Agreement beyond chance, and what it rests on."""

    value: float | None
    """`None` without ratings, and where there is but one category, so that nobody could disagree."""
    observed: float | None
    """Share of pairs of ratings that are the same; `None` with a distance, and of alpha, which takes disagreement."""
    items: int
    """That are compared."""
    missing: int
    """Ratings that are not there, of all items."""


def cohen(ratings: Ratings, distance: str | Distance = NOMINAL) -> Agreement:
    """Compare two raters, item by item; an item that one of them left out is not compared.

    A distance weighs how far apart two ratings are (Cohen 1968).
    """
    if any(len(row) > PAIR for row in ratings):
        raise ConfigError("Cohen's kappa compares two raters; of more, Fleiss' kappa or Krippendorff's alpha")
    rated = [row for row in ratings if len(row) == PAIR and None not in row]
    return _agreement(ratings, rated, _kappa if distance == NOMINAL else _weighted_kappa, distance)


def fleiss(ratings: Ratings) -> Agreement:
    """Compare any number of raters, who need not be the same for all items, over those that most raters have rated.

    All items that are compared have as many ratings: as many as most of those have that two at least have rated.
    """
    rated = [[label for label in row if label is not None] for row in ratings]
    sizes = Counter(len(row) for row in rated if len(row) >= PAIR)
    usual = max(sizes, key=lambda size: (sizes[size], size), default=0)
    return _agreement(ratings, [row for row in rated if len(row) == usual], _multi_pi)


def krippendorff(ratings: Ratings, distance: str | Distance = NOMINAL) -> Agreement:
    """Compare any number of raters over the items that two at least have rated."""
    rated = [row for row in ratings if sum(label is not None for label in row) >= PAIR]
    return _agreement(ratings, rated, _alpha, distance)


def _agreement(
    ratings: Ratings,
    compared: Ratings,
    coefficient: Callable[[Any], tuple[float, float | None]],
    distance: str | Distance = NOMINAL,
) -> Agreement:
    """Return a coefficient of the items that are compared."""
    from nltk.metrics.agreement import AnnotationTask

    missing = sum(label is None for row in ratings for label in row)
    triples = [
        (rater, item, label)
        for item, row in enumerate(compared)
        for rater, label in enumerate(row)
        if label is not None
    ]
    labels = {label for _, _, label in triples}
    if distance == INTERVAL and not all(isinstance(label, Real) for label in labels):
        raise ConfigError("distance interval compares numbers, and some ratings are none; choose nominal")
    if len(labels) < 2:  # nobody could disagree; NLTK says 1
        return Agreement(None, 1.0 if labels else None, len(compared), missing)
    value, observed = coefficient(AnnotationTask(triples, _distance(distance)))
    return Agreement(value, observed, len(compared), missing)


def _distance(distance: str | Distance) -> Distance:
    """Return a function of NLTK, or the user's own."""
    from nltk.metrics import distance as functions

    if callable(distance):
        return distance
    if distance not in DISTANCES:
        raise ConfigError(f"distance must be one of {', '.join(DISTANCES)}")
    return partial(_unless_same, getattr(functions, DISTANCES[distance]))


def _unless_same(distance: Distance, label: Any, other: Any) -> float:
    """Return a distance, which NLTK does not have of two empty sets."""
    return 0.0 if label == other else float(distance(label, other))


def _kappa(task: Any) -> tuple[float, float | None]:
    return task.kappa_pairwise(0, 1), task.Ao(0, 1)


def _weighted_kappa(task: Any) -> tuple[float, float | None]:
    return task.weighted_kappa_pairwise(0, 1), None


def _multi_pi(task: Any) -> tuple[float, float | None]:
    """Return Fleiss' kappa of 1971, which NLTK has as multi-pi; its `multi_kappa` is another one."""
    return task.pi(), task.avg_Ao()


def _alpha(task: Any) -> tuple[float, float | None]:
    return task.alpha(), None
