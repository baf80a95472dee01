"""When users know too much, or learn faster than is usual."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

import numpy as np

from embanon.leak.policy import AlertSettings
from embanon.leak.regression import Floats, Ints

ROUNDING_MARGIN: Final = 1 + 1e-9
"""Factor of a limit, so that rounding does not put a user above it who learns the same each day."""


@dataclass(frozen=True, slots=True)
class Standing:
    """What a user knew at the end of a day on which they opened something."""

    user: int
    day: int
    opened: int
    worth: float
    total: float
    entity: int


@dataclass(frozen=True, slots=True)
class Alert:
    """A user who knows too much, or learns too fast."""

    rule: str
    user: int
    day: int
    value: float
    limit: float
    entity: int = field(compare=False, default=-1)


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


@dataclass(frozen=True, slots=True)
class AlertLimits:
    """The limits of the rules, in grades or money."""

    worth: float
    minimum_gain: float
    alerts: AlertSettings

    @classmethod
    def from_settings(cls, alerts: AlertSettings, highest: float) -> AlertLimits:
        """Set limits by what the most valuable entity is worth."""
        return cls(0.75 * highest if alerts.worth == -1 else alerts.worth, alerts.least * highest, alerts)


def find_alerts(
    standings: Sequence[Standing], limits: AlertLimits, since: int, groups: Mapping[int, str] | None = None
) -> list[Alert]:
    """Find who, from a day on, came to know too much, or learnt far more in a day than is usual.

    What is learnt in a day is by how much the sum over entities grows. Whoever has no group is in one with all others.
    """
    table = _build_table(standings, since, limits.alerts.days, groups or {})
    if table is None:
        return []
    entities = {(one.user, one.day): one.entity for one in standings if one.day >= since}
    alerts = []
    for name, rule in RULES.items():
        value, limit = rule(table, limits)
        for row, column in np.argwhere(value[:, table.past_columns :] > limit[:, table.past_columns :]).tolist():
            column += table.past_columns
            user, day = int(table.users[row]), int(table.days[column])
            entity = entities.get((user, day), -1)
            alerts.append(Alert(name, user, day, float(value[row, column]), float(limit[row, column]), entity))
    return sorted(alerts, key=lambda one: (one.day, one.user, one.rule))


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


def _above_worth(table: _DayTable, limits: AlertLimits) -> tuple[Floats, Floats]:
    """Return what is known where it was not above the limit on the day of activity before."""
    before = np.fmax.accumulate(np.where(np.isnan(table.worth), -1.0, table.worth), axis=1)
    before = np.maximum(
        np.concatenate((table.earlier_worth[:, None], before[:, :-1]), axis=1), table.earlier_worth[:, None]
    )
    fresh = np.where(before >= limits.worth, np.nan, table.worth)
    return fresh, np.full_like(fresh, np.nextafter(limits.worth, 0))


def _above_own_past(table: _DayTable, limits: AlertLimits) -> tuple[Floats, Floats]:
    """Set what is learnt in a day against one's own days before it, and a few usual ones of one's group.

    Without these, whoever has learnt nothing so far would stand out by the first thing that they learn.
    """
    limit, rules = np.empty_like(table.gains), limits.alerts
    for group in np.unique(table.groups):
        rows = table.groups == group
        sums = [_sum_before(one, rules.days) for one in _moments(table.gains[rows])]
        together = [one.sum(axis=0, keepdims=True) for one in sums]
        days = np.maximum(together[0], 1)
        past = [one + rules.active * every / days for one, every in zip(sums, together, strict=True)]
        limit[rows] = np.maximum(_usual_limit(past, rules.own, 2 * rules.active), limits.minimum_gain)
    return table.gains, limit


def _above_group(table: _DayTable, limits: AlertLimits) -> tuple[Floats, Floats]:
    """Set what is learnt in a day against all other days of all in one's group, until this one."""
    limit, rules = np.full_like(table.gains, np.inf), limits.alerts
    for group in np.unique(table.groups):
        rows = table.groups == group
        if rows.sum() < rules.active:
            continue
        others = []
        for sums in _moments(table.gains[rows]):
            together = sums.sum(axis=0, keepdims=True)
            others.append(_sum_before(together, rules.days) + together - sums)
        limit[rows] = np.maximum(_usual_limit(others, rules.group, rules.active), limits.minimum_gain)
    return table.gains, limit


RULES: Final[dict[str, Callable[[_DayTable, AlertLimits], tuple[Floats, Floats]]]] = {
    "worth": _above_worth,
    "own past": _above_own_past,
    "group": _above_group,
}
"""What gives of each user and day a value, and the limit that it must be above."""


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
