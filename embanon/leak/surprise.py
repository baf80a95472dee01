"""How surprising it is what users learn: where they read, and how much of it, against what is usual.

*Where*: what an insider of a folder opens in it surprises nobody: somebody who opened documents there weeks ago, or
whose group has. For others it is as surprising as outsiders are rare among those who open anything there, now and in
the weeks before: `-log(a + (1 - a) r)`, where a is how much of an insider somebody is, and r the share of outsiders.
When a project starts, and a whole team reads in, all of them are outsiders, and nothing is surprising.

*How much*: the worth of what is opened for the first time, times that surprise, in a day, a week and a month, against
one's own past. What is usual is shrunk to what is usual for all, as if so many days of that had been seen of everybody
(a Poisson-gamma model), and it is no less than a part of the most that one ever learnt in as long a time. What is
learnt counts by how much likelier it is for somebody who learns as much as this: `y log(y/e) - (y + n) log((y + n) / (e
+ n))` for y where e is usual, and n is how steady somebody is known to be.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

import numpy as np
from numpy.typing import ArrayLike

from embanon.leak.regression import Floats, Ints

WINDOWS: Final = {"day": 1, "week": 7, "month": 30}
"""Days over which what is learnt is summed up."""
OWN_LAG: Final = 21
"""Days until it is usual what somebody opened: slow leaks are to stay surprising."""
GROUP_LAG: Final = 7
"""Days until it is usual what a group opened."""
OWN_DOCUMENTS: Final = 2.0
"""Documents in a folder by which somebody is half an insider."""
GROUP_DOCUMENTS: Final = 3.0
"""And by which a colleague is."""
OWN_SHARE: Final = 0.03
"""And the share of all that one opens that this must be more than."""
UNKNOWN_SHARE: Final = 0.1
"""Of outsiders in a folder that nobody else opened, as if one document had said so."""
FLOOR: Final = 0.25
"""What surprises at one's own place, so that much of it surprises as well."""
STEADY: Final = 6.0
"""Documents of the highest worth after which more of them do not make anybody steadier: people are not dice."""
RECORD: Final = 0.4
"""The share of the most that somebody ever learnt in as long a time which is still usual."""
NEWCOMER_DOCUMENTS: Final = 8.0
"""Documents after which much less is granted to somebody new, of whom nobody knows where they belong."""
NEWCOMER_SHARE: Final = 0.8
"""What is granted to begin with."""
GROUP_SHARE: Final = 0.3
"""The share of a group by whom a folder is half theirs."""
FEWEST_COLLEAGUES: Final = 3
"""One colleague alone does not make a folder that of a group."""
RECENT_DAYS: Final = 10
LONG_DAYS: Final = 60
"""Days in which outsiders of a folder are counted: a project may have started just now."""
RECENT_WEIGHT: Final = 15.0
"""Documents that the longer time counts beside the shorter."""
LEAST_SHARE: Final = 1e-4
PRIOR_DAYS: Final = 30.0
"""Days of the most that a document is worth that are taken for seen, before anything is."""


@dataclass(frozen=True, slots=True, eq=False)
class Reading:
    """What users opened for the first time: a cell for each user, folder and day, in this order; all count from 0."""

    users: Ints
    folders: Ints
    days: Ints
    documents: Floats
    worth: Floats
    """Of what they may not know."""
    allowed: Floats
    """The share of documents of which they may know all."""
    people: int
    span: int
    """Days."""
    starts: Ints = field(init=False, repr=False)
    """Of each cell, the first one of its user and folder."""
    keys: Ints = field(init=False, repr=False)

    def __post_init__(self) -> None:
        pairs = self.users * (int(self.folders.max(initial=0)) + 1) + self.folders
        begins = np.append(True, pairs[1:] != pairs[:-1])[: len(pairs)]
        object.__setattr__(self, "starts", np.maximum.accumulate(np.where(begins, np.arange(len(pairs)), 0)))
        object.__setattr__(self, "keys", pairs * (self.span + 1) + self.days + 1)

    def places(self, lag: int) -> Ints:
        """Return of each cell how many of its user and folder, and all before, are at least so many days older."""
        return np.searchsorted(self.keys, self.keys - np.minimum(lag, self.days + 1), "right")

    def by_day(self, rows: Ints, weights: Floats, size: int) -> Floats:
        """Return sums of cells by row and day, from the first day on."""
        sums = np.bincount(rows * self.span + self.days, weights, size * self.span)
        return np.cumsum(sums.reshape(size, self.span), axis=1)


def surprise_of(reading: Reading, groups: Mapping[int, Sequence[int]]) -> Floats:
    """Return how surprising it is that users read where they did; `groups` are those of each user."""
    size, days, folders, users = reading.documents, reading.days, reading.folders, reading.users
    sums, starts, here = _running(size), reading.starts, np.arange(1, len(size) + 1)
    table = reading.by_day(users, size, reading.people)
    before = _until(table, users, days - OWN_LAG)
    familiar = _saturate(sums[reading.places(OWN_LAG)] - sums[starts], OWN_DOCUMENTS + OWN_SHARE * before)
    outside = (1 - familiar) * (1 - _colleagues(reading, sums, table, groups))
    count = int(folders.max()) + 1
    every = reading.by_day(folders, size, count)
    share = np.full(len(days), UNKNOWN_SHARE)
    for length, weight, entitled in ((LONG_DAYS, 1.0, reading.allowed), (RECENT_DAYS, RECENT_WEIGHT, 0.0)):
        foreign = outside * (1 - entitled)
        sums_foreign, strange = _running(size * foreign), reading.by_day(folders, size * foreign, count)
        older = reading.places(length)
        others = _within(every, folders, days, length) - (sums[here] - sums[older])
        outsiders = _within(strange, folders, days, length) - (sums_foreign[here] - sums_foreign[older])
        share = (np.maximum(outsiders, 0) + weight * share) / (np.maximum(others, 0) + weight)
    granted = NEWCOMER_SHARE * np.exp(-before / NEWCOMER_DOCUMENTS)
    inside = 1 - outside * (1 - granted)
    return np.asarray(FLOOR - np.log(inside + (1 - inside) * np.clip(share, LEAST_SHARE, 1.0)))


def _running(values: Floats) -> Floats:
    return np.concatenate(([0.0], np.cumsum(values)))


def _until(sums: Floats, rows: Ints, days: Ints) -> Floats:
    """Return the sums of rows until some days; 0 before the first."""
    return np.where(days >= 0, sums[rows, np.maximum(days, 0)], 0.0)


def _within(sums: Floats, rows: Ints, days: Ints, size: int) -> Floats:
    """Return the sums over so many days that end with some."""
    return np.asarray(sums[rows, days] - _until(sums, rows, days - size))


def _saturate(values: Floats, half: Floats | float) -> Floats:
    """Return 0 for nothing, a half at a value, and nearly 1 for much more."""
    squares = np.maximum(values, 0) ** 2
    return np.asarray(squares / (squares + half**2))


def _colleagues(reading: Reading, sums: Floats, table: Floats, groups: Mapping[int, Sequence[int]]) -> Floats:
    """Return which share of a group are insiders of a folder: of that group of a user where it is highest."""
    memberships, share = defaultdict[int, list[int]](list), np.zeros(len(reading.users))
    for user in range(reading.people):
        for group in groups.get(user, ()):
            memberships[group].append(user)
    if not memberships:
        return share
    read = sums[1:] - sums[reading.starts]
    half = GROUP_DOCUMENTS + OWN_SHARE * table[reading.users, -1]
    now, before = (_saturate(documents, half) for documents in (read, read - reading.documents))
    lagged = _saturate(sums[reading.places(GROUP_LAG)] - sums[reading.starts], half)
    firsts = np.searchsorted(reading.users, np.arange(reading.people + 1)).tolist()
    for members in memberships.values():
        if len(members) < 2:
            continue
        rows = np.concatenate([np.arange(firsts[user], firsts[user + 1]) for user in members])
        folders, place = np.unique(reading.folders[rows], return_inverse=True)
        size, days = len(folders) * reading.span, reading.days[rows]
        steps = np.bincount(place * reading.span + days, (now - before)[rows], size)
        course: Floats = np.cumsum(steps.reshape(len(folders), reading.span), axis=1)
        insiders = _until(course, place, days - GROUP_LAG) - lagged[rows]
        share[rows] = np.maximum(share[rows], insiders / max(len(members) - 1, FEWEST_COLLEAGUES))
    return _saturate(share, GROUP_SHARE)


@dataclass(frozen=True, slots=True, eq=False)
class WindowScores:
    """Of users and days on which they learnt something: how surprising it is what they learnt until then."""

    users: Ints
    days: Ints
    scores: dict[str, Floats]
    """Of each window."""


def score_windows(reading: Reading, surprise: Floats, first: int, unit: float, active: float) -> WindowScores:
    """Score what was learnt from a day on; a unit is the most that a document is worth."""
    joined = np.full(reading.people, reading.span)
    np.minimum.at(joined, reading.users, reading.days)
    arrived = np.cumsum(np.bincount(joined, minlength=reading.span)[: reading.span])
    lived = np.append(0.0, np.cumsum(arrived))
    learnt = reading.by_day(reading.users, reading.worth * surprise, reading.people)
    everybody = np.append(0.0, learnt.sum(axis=0))
    who, when = np.nonzero(np.diff(learnt, axis=1, prepend=0.0) > 0)
    who, when = who[when >= first], when[when >= first]
    scores = dict[str, Floats]()
    for name, size in WINDOWS.items():
        past, now = _until(learnt, who, when - size), _within(learnt, who, when, size)
        before = np.maximum(when - size + 1, 0)
        usual = (everybody[before] + unit) / (lived[before] + PRIOR_DAYS)
        expected = size * (past + active * usual) / (np.maximum(before - joined[who], 0) + active)
        windows = learnt.copy()
        windows[:, size:] -= learnt[:, :-size]
        record = _until(np.maximum.accumulate(windows, axis=1), who, when - size)
        steady = np.minimum(1 + past / unit, STEADY)
        scores[name] = deviance(now / unit, np.maximum(expected, RECORD * record) / unit, steady)
    return WindowScores(who, when, scores)


def deviance(learnt: ArrayLike, expected: ArrayLike, shape: ArrayLike) -> Floats:
    """Return how much likelier it is for somebody who learns as much as this than it usually is; 0 for less."""
    learnt, expected, shape = (np.asarray(value, np.float64) for value in (learnt, expected, shape))
    more = np.maximum(learnt, np.maximum(expected, 1e-12))
    wide = (more + shape) / (np.maximum(expected, 1e-12) + shape)
    value = more * np.log(more / np.maximum(expected, 1e-12)) - (more + shape) * np.log(wide)
    return np.where(learnt > expected, np.maximum(value, 0.0), 0.0)
