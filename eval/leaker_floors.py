"""Plain rules beside which `eval.leakers` sets those of embanon.

* `documents`, `worth`: whoever opens more, or learns more, on a day than all but one of two hundred did in the month
  before.
* `before`: what embanon had until there was a simulation: six standard deviations above one's own usual day, or that of
  one's group, or three quarters of the worth of the most valuable entity known.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from embanon.leak.alerts import Standing

Floats = np.ndarray[Any, np.dtype[np.float64]]
Ints = np.ndarray[Any, np.dtype[np.int64]]
ROUNDING_MARGIN: Final = 1 + 1e-9
DEVIATIONS: Final = 6.0
DAYS: Final = 60
ACTIVE: Final = 5
LEAST: Final = 0.05


def highest_days(amounts: Mapping[tuple[int, int], float], since: int, days: int = 30) -> set[tuple[int, int]]:
    """Return users and days above what all but one of two hundred users reached in the days before."""
    reached = dict[int, float]()
    for (user, day), amount in amounts.items():
        if since - days <= day < since:
            reached[user] = max(reached.get(user, 0.0), amount)
    ordered = sorted(reached.values(), reverse=True)
    limit = ordered[min(round(len(reached) / 200), len(ordered) - 1)]
    return {one for one, amount in amounts.items() if one[1] >= since and amount > limit}


@dataclass(frozen=True, slots=True, eq=False)
class _DayTable:
    """All users × the last days: what they learnt each day, NaN where they opened nothing."""

    users: Ints
    days: Ints
    worth: Floats
    gains: Floats
    groups: Ints
    earlier_worth: Floats
    """What each user's knowledge was worth before these days."""
    past_columns: int
    """Columns that are the past alone."""


def deviating(
    standings: Sequence[Standing], highest: float, since: int, groups: Mapping[int, str]
) -> set[tuple[int, int]]:
    """Return users and days that stood out by the rules before: six standard deviations, or three quarters known."""
    table = _build_table(standings, since, 60, groups)
    if table is None:
        return set()
    raised = set[tuple[int, int]]()
    for rule in (_above_worth, _above_own_past, _above_group):
        value, limit = rule(table, highest)
        for row, column in np.argwhere(value[:, table.past_columns :] > limit[:, table.past_columns :]).tolist():
            raised.add((int(table.users[row]), int(table.days[column + table.past_columns])))
    return raised


def _build_table(standings: Sequence[Standing], since: int, past: int, groups: Mapping[int, str]) -> _DayTable | None:
    # Only days on which somebody opened something: clocks may have jumped by centuries.
    days = np.unique([one.day for one in standings])
    first = max(int(np.searchsorted(days, since)) - past, 0) if len(days) else 0
    if not len(days) or days[-1] < since:
        return None
    ordered = sorted(standings, key=lambda one: (one.user, one.day))
    users, row = np.unique([one.user for one in ordered], return_inverse=True)
    column = np.searchsorted(days, [one.day for one in ordered]) - first
    total = np.array([one.total for one in ordered])
    gain = np.diff(total, prepend=0.0)
    begins = np.append(True, row[1:] != row[:-1])
    gain[begins] = total[begins]
    worth, gains = (np.full((len(users), len(days) - first), np.nan) for _ in range(2))
    kept = column >= 0
    worth[row[kept], column[kept]] = np.array([one.worth for one in ordered])[kept]
    gains[row[kept], column[kept]] = gain[kept]
    earlier = np.full(len(users), -1.0)
    np.maximum.at(earlier, row[~kept], np.array([one.worth for one in ordered])[~kept])
    _, group = np.unique([groups.get(user, "") for user in users.tolist()], return_inverse=True)
    return _DayTable(users, days[first:], worth, gains, group, earlier, int(np.searchsorted(days[first:], since)))


def _above_worth(table: _DayTable, highest: float) -> tuple[Floats, Floats]:
    """Return what is known where it was not above the limit on the day of activity before."""
    before = np.fmax.accumulate(np.where(np.isnan(table.worth), -1.0, table.worth), axis=1)
    before = np.maximum(
        np.concatenate((table.earlier_worth[:, None], before[:, :-1]), axis=1), table.earlier_worth[:, None]
    )
    fresh = np.where(before >= 0.75 * highest, np.nan, table.worth)
    return fresh, np.full_like(fresh, np.nextafter(0.75 * highest, 0))


def _above_own_past(table: _DayTable, highest: float) -> tuple[Floats, Floats]:
    """Set what is learnt in a day against one's own days before it, and a few usual ones of one's group.

    Without these, whoever has learnt nothing so far would stand out by the first thing that they learn.
    """
    limit = np.empty_like(table.gains)
    for group in np.unique(table.groups):
        rows = table.groups == group
        sums = [_sum_before(one, DAYS) for one in _moments(table.gains[rows])]
        together = [one.sum(axis=0, keepdims=True) for one in sums]
        days = np.maximum(together[0], 1)
        past = [one + ACTIVE * every / days for one, every in zip(sums, together, strict=True)]
        limit[rows] = np.maximum(_usual_limit(past, DEVIATIONS, 2 * ACTIVE), LEAST * highest)
    return table.gains, limit


def _above_group(table: _DayTable, highest: float) -> tuple[Floats, Floats]:
    """Set what is learnt in a day against all other days of all in one's group, until this one."""
    limit = np.full_like(table.gains, np.inf)
    for group in np.unique(table.groups):
        rows = table.groups == group
        if rows.sum() < ACTIVE:
            continue
        others = []
        for sums in _moments(table.gains[rows]):
            together = sums.sum(axis=0, keepdims=True)
            others.append(_sum_before(together, DAYS) + together - sums)
        limit[rows] = np.maximum(_usual_limit(others, DEVIATIONS, ACTIVE), LEAST * highest)
    return table.gains, limit


def _moments(gains: Floats) -> Iterator[Floats]:
    """Return whether there is something of each day, how much was learnt on it, and the square of that."""
    there = ~np.isnan(gains)
    learnt = np.where(there, gains, 0.0)
    yield from (there.astype(np.float64), learnt, learnt**2)


def _sum_before(values: Floats, days: int) -> Floats:
    """Sum rows up over so many days before each day."""
    sums = np.cumsum(values, axis=1) - values
    sums[:, days:] -= sums[:, :-days].copy()
    return sums


def _usual_limit(sums: Sequence[Floats], deviations: float, fewest: int) -> Floats:
    """Return the mean and so many standard deviations above; infinite where too few are known.

    On most days most people learn nothing new: medians are nothing then, and whoever learns anything would stand out.
    """
    count, total, squares = sums
    many = np.maximum(count, 1)
    spread = np.sqrt(np.maximum(squares / many - (total / many) ** 2, 0.0))
    return np.where(count >= fewest, (total / many + deviations * spread) * ROUNDING_MARGIN, np.inf)
