"""What users know of each entity by now, what it is worth, and when they learn faster than is usual.

Misuseability (Harel et al. 2012): `K = 1 − Π (1 − risk)` over the *distinct* risky phrases that somebody has seen, each
with its highest risk; it is worth `M = max_e value_e · K_e`, and `Σ_e` beside it. Logarithms are summed as whole
multiples of 2^-36, so that no order of opening can change what comes out, and nothing new can lower it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from embanon.leak.policy import AlertSettings
from embanon.leak.regression import Flags, Floats, Ints

FACT: Final = np.dtype([("entity", "<u4"), ("day", "<i4"), ("phrase", "<i8"), ("risk", "<f8"), ("version", "<i8")])
"""A phrase (keyed) of an entity that somebody knows: since when, its risk, and from which version of a document."""
Facts = np.ndarray[tuple[int], np.dtype[np.void]]

LOG_UNIT: Final = 2.0**-36
LOG_CERTAIN: Final = -40.0
"""The logarithm of what is left by a phrase of risk 1: in floating point, nothing."""
HASH_MULTIPLIER: Final = np.uint64(0x9E3779B97F4A7C15)
"""What tells phrases of one entity from those of another, in one number."""
ALLOWED_OFFSET: Final = np.uint64(0xC2B2AE3D27D4EB4F)
"""What tells phrases that somebody might know from the same ones, in that number."""
MAX_DENSE_SPAN: Final = 1 << 20
"""Numbers that are so near to each other need not be sorted."""
ROUNDING_MARGIN: Final = 1 + 1e-9
"""Factor of a limit, so that rounding does not put a user above it who learns the same each day."""
KNOWN_DIGITS: Final = 9
"""Digits of what is known: what units round off is not shown."""


def combined_risk(risks: ArrayLike) -> float:
    """Return what is known after seeing distinct phrases of some risks."""
    return float(_known_share(_log_unknown(np.asarray(risks, np.float64)).sum()))


def _log_unknown(risks: Floats) -> Ints:
    """Return the logarithm of what stays unknown, in units."""
    with np.errstate(divide="ignore"):
        logarithms = np.log1p(-risks)
    return np.rint(np.maximum(logarithms, LOG_CERTAIN) / LOG_UNIT).astype(np.int64)


def _known_share(left: ArrayLike) -> Floats:
    return np.asarray(np.round(-np.expm1(np.asarray(left) * LOG_UNIT), KNOWN_DIGITS) + 0.0)


def distinct_places(facts: Facts, allowed: Flags | None = None) -> Ints:
    """Return the places of facts without those that say nothing: a phrase known before of the same entity, as risky.

    A phrase of an entity stands together, from the highest risk to the lowest, which was known first. What somebody
    might know when they learnt it says nothing of what they learnt when they might not, nor the other way round.
    """
    names = _phrase_names(facts)
    if allowed is not None:
        names[allowed] += ALLOWED_OFFSET
    order = np.argsort(names, kind="stable")  # fast where most are in order: what was known before
    begins = _run_starts(names[order])
    several = ~(begins & np.append(begins[1:], True))
    repeated = facts[order[several]]
    within = np.lexsort((repeated["version"], repeated["day"], -repeated["risk"], names[order[several]]))
    order[several] = order[several][within]
    # The earliest day so far, which begins anew with each phrase: what follows in the order has no higher risk.
    groups: Ints = np.cumsum(begins)[several]
    days = repeated["day"][within] - groups * (1 << 33)
    kept, new = np.ones(len(facts), bool), np.ones(len(repeated), bool)
    new[1:] = days[1:] < np.minimum.accumulate(days)[:-1]
    kept[several] = new
    return np.asarray(order[kept], np.int64)


def _phrase_names(facts: Facts) -> NDArray[np.uint64]:
    """Return a number for each phrase of an entity; chance does not make two of one."""
    phrases = np.ascontiguousarray(facts["phrase"]).view(np.uint64)
    return np.asarray(phrases + facts["entity"] * HASH_MULTIPLIER, np.uint64)


def _run_starts(*columns: NDArray[np.generic]) -> Flags:
    """Return where a run of equal rows begins."""
    begins = np.ones(len(columns[0]), bool)
    begins[1:] = np.any([column[1:] != column[:-1] for column in columns], axis=0)
    return begins


def _unique_inverse(values: Ints) -> tuple[Ints, Ints]:
    """Return distinct values in order, and the place of each among them."""
    low, span = int(values.min()), int(values.max() - values.min())
    if span > MAX_DENSE_SPAN:
        distinct, places = np.unique(values, return_inverse=True)
        return distinct, places
    there = np.zeros(span + 1, bool)
    there[values - low] = True
    return np.flatnonzero(there) + low, (np.cumsum(there) - 1)[values - low]


@dataclass(frozen=True, slots=True, eq=False)
class KnownPhrases:
    """The distinct phrases that somebody knows, each with its highest risk, whenever they learnt it."""

    names: NDArray[np.uint64]
    """In order."""
    entities: Ints
    unknown: Ints
    """Logarithms of what each leaves unknown, in units."""

    @classmethod
    def from_facts(cls, facts: Facts) -> KnownPhrases:
        """Take what is distinct."""
        names = _phrase_names(facts)
        order = np.lexsort((-facts["risk"], names))
        kept = order[_run_starts(names[order])] if len(order) else order
        return cls(names[kept], facts["entity"][kept].astype(np.int64), _log_unknown(facts["risk"][kept]))

    def known(self, more: KnownPhrases | None = None) -> dict[int, float]:
        """Return what is known of each entity, with what else somebody would learn."""
        entities, unknown = self.entities, self.unknown
        if more is not None:
            places = np.minimum(np.searchsorted(self.names, more.names), max(len(self.names) - 1, 0))
            before = np.zeros(len(more.names), np.int64)
            if len(self.names):
                before = np.where(self.names[places] == more.names, self.unknown[places], 0)
            entities = np.concatenate((entities, more.entities))
            unknown = np.concatenate((unknown, np.minimum(more.unknown - before, 0)))
        distinct, place = np.unique(entities, return_inverse=True)
        shares = _known_share(np.bincount(place, unknown, len(distinct)))
        return dict(zip(distinct.tolist(), shares.tolist(), strict=True))


@dataclass(frozen=True, slots=True, eq=False)
class KnowledgeHistory:
    """What somebody knew of each entity at the end of each day on which they learnt something."""

    days: Ints
    entities: Ints
    known: Floats
    """Days × entities."""
    phrases: Ints
    """Of each entity, distinct ones."""

    @classmethod
    def from_facts(cls, facts: Facts) -> KnowledgeHistory:
        """Follow facts through time, distinct and in their order."""
        if not len(facts):
            return cls(np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros((0, 0)), np.zeros(0, np.int64))
        left, begins = _log_unknown(facts["risk"]), _run_starts(facts["entity"], facts["phrase"])
        # Below each fact stands what was known of its phrase before it, at a lower risk: only the rest is new.
        before = np.where(np.append(begins[1:], True), 0, np.append(left[1:], 0))
        days, day = _unique_inverse(facts["day"].astype(np.int64))
        entities, entity = _unique_inverse(facts["entity"].astype(np.int64))
        # Whole numbers, and exact as long as anything is left to be known.
        cells = np.bincount(day * len(entities) + entity, left - before, len(days) * len(entities))
        table = np.cumsum(cells.reshape(len(days), len(entities)), axis=0)
        return cls(days, entities, _known_share(table), np.bincount(entity[begins], minlength=len(entities)))

    def worth(self, values: Mapping[int, float]) -> tuple[Floats, Floats, Ints]:
        """Return for each day the most that is worth something, the sum, and the entity that is worth most (-1.

        None).
        """
        each = self.known * np.array([values.get(entity, 0.0) for entity in self.entities.tolist()])
        if not each.size:
            return np.zeros(len(self.days)), np.zeros(len(self.days)), np.full(len(self.days), -1)
        return each.max(axis=1), np.cumsum(each, axis=1)[:, -1], self.entities[each.argmax(axis=1)]


# Alerts


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
    begins = _run_starts(row)
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
