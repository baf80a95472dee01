"""How far people agree beyond chance: Cohen's kappa of two raters, Fleiss' of any number; `None` is no rating."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Kappa:
    """Agreement beyond chance, how much there is and how much chance gives, and what it rests on."""

    value: float | None
    """`None` without ratings, and where there is but one category, so that nobody could disagree."""
    observed: float | None
    chance: float | None
    items: int
    """That two raters at least have rated."""
    missing: int
    """Ratings that are not there, of all items."""


def cohen(ratings: Sequence[tuple[Hashable | None, Hashable | None]]) -> Kappa:
    """Compare two raters, item by item; an item that one of them left out is not compared."""
    both = [(one, other) for one, other in ratings if one is not None and other is not None]
    missing = sum((one is None) + (other is None) for one, other in ratings)
    if not both:
        return Kappa(None, None, None, 0, missing)
    first, second = Counter(one for one, _ in both), Counter(other for _, other in both)
    observed = sum(one == other for one, other in both) / len(both)
    chance = sum(first[name] * second[name] for name in first) / len(both) ** 2
    return _kappa(observed, chance, len(both), missing)


def fleiss(ratings: Sequence[Sequence[Hashable | None]]) -> Kappa:
    """Compare any number of raters: a row for each item, a column for each rater.

    Items may have fewer ratings than others: each counts as one item, those with less than two do not count.
    """
    missing = sum(one is None for row in ratings for one in row)
    counts = [Counter(one for one in row if one is not None) for row in ratings]
    rated = [(row, row.total()) for row in counts if row.total() > 1]
    if not rated:
        return Kappa(None, None, None, 0, missing)
    observed = sum(sum(n * (n - 1) for n in row.values()) / (size * (size - 1)) for row, size in rated) / len(rated)
    total, every = sum(size for _, size in rated), Counter[Hashable]()
    for row, _ in rated:
        every.update(row)
    return _kappa(observed, sum(n * n for n in every.values()) / total**2, len(rated), missing)


def _kappa(observed: float, chance: float, items: int, missing: int) -> Kappa:
    value = (observed - chance) / (1 - chance) if chance < 1 else None
    return Kappa(value, observed, chance, items, missing)
