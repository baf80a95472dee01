"""When users learn so much, or where nobody expects them, that somebody should ask them: seldom by chance.

Of each user and day it is said how surprising it is what they learnt in the day, week and month until then
(`surprise`). From which score on that is an alert is read off what users reached in the month before: so that by chance
as many are alerted as the policy says, whatever the company is like.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

import numpy as np

from embanon.leak.policy import AlertSettings
from embanon.leak.regression import Flags, Floats, Ints
from embanon.leak.surprise import FLOOR, WINDOWS, Reading, WindowScores, score_windows, surprise_of

USERS_OF_SETTING: Final = 200
DAYS_OF_SETTING: Final = 30
"""For so many users and days a policy says how many false alarms there may be."""
TAIL_SHARE: Final = 0.1
"""Of users, by their highest score in a month: those whose scores tell how fast higher ones become rare."""
PRIOR_TAIL: Final = {"day": (2.6, 1.2), "week": (2.1, 1.2), "month": (2.3, 1.4)}
"""Where the tail begins, and the mean by which it goes on, before anything is known of a company."""
TAIL_SHAPE: Final = 0.15
"""How much heavier the tail is than an exponential one (of a generalized Pareto distribution)."""
PRIOR_USERS: Final = 20.0
"""In the tail, whom that counts for."""
LARGEST_EXCESS: Final = 6.0
"""Of the usual mean: somebody who leaked in that month does not hide the next one."""
LEARNING_DAYS: Final = 14
"""Days from the first one on in which nothing is usual yet, so that nobody is named."""
MOST_DAYS: Final = 3660
"""Days that are looked at, the last ones: clocks may have jumped by centuries."""
QUIET_DAYS: Final = 30
"""Days for which a user is not named again, as what was told would be counted again in weeks and months."""
LOUDER: Final = 2.0
"""Unless what they learn is by so much more surprising."""


@dataclass(frozen=True, slots=True)
class Standing:
    """What a user knew at the end of a day on which they opened something."""

    user: int
    day: int
    opened: int
    worth: float
    total: float
    entity: int


@dataclass(frozen=True, slots=True, eq=False)
class Exposed:
    """Documents that users opened, a row for each entity that they disclose: of what it is worth to that user."""

    users: Ints
    days: Ints
    documents: Ints
    folders: Ints
    entities: Ints
    worth: Floats
    """0 where the user may know the entity."""

    def opened_between(self, first: int, last: int) -> Exposed:
        """Return what was opened from a day on until another."""
        kept = (self.days >= first) & (self.days <= last)
        if kept.all():
            return self
        return Exposed(
            self.users[kept], self.days[kept], self.documents[kept], self.folders[kept], self.entities[kept],
            self.worth[kept],
        )  # fmt: skip


@dataclass(frozen=True, slots=True)
class LearnedEntity:
    """What documents that somebody opened disclose of an entity."""

    entity: int
    documents: int
    worth: float


@dataclass(frozen=True, slots=True)
class Alert:
    """A user who learns too much, or knows too much."""

    rule: str
    """`day`, `week` or `month`: over which time; or `worth`."""
    user: int
    day: int
    value: float
    """What was learnt is worth: the documents opened for the first time, each by what it discloses most of."""
    limit: float
    """What they usually learn in as long a time; of the rule `worth`, the limit."""
    entity: int = field(compare=False, default=-1)
    since: int = field(compare=False, default=-1)
    """The first day."""
    documents: int = field(compare=False, default=0)
    learnt: tuple[LearnedEntity, ...] = field(compare=False, default=())
    """By entity, what is worth most first."""
    folder: int = field(compare=False, default=-1)
    """The one that surprises most."""
    folder_documents: int = field(compare=False, default=0)
    outsiders: float = field(compare=False, default=1.0)
    """Of what is opened in that folder, about the share that is opened by others who do not belong there."""
    peers: float = field(compare=False, default=0.0)
    """The most that somebody else of their groups learnt in that time, else of all."""
    group: str = field(compare=False, default="")


def find_alerts(
    exposed: Exposed, settings: AlertSettings, highest: float, since: int, groups: Mapping[int, Sequence[str]]
) -> list[Alert]:
    """Find who, from a day on, learnt what is surprising; `highest` is the most that an entity is worth."""
    last = int(exposed.days.max(initial=since))
    exposed = exposed.opened_between(max(since - settings.days, last - MOST_DAYS), last)
    if not highest or not np.any(exposed.days >= since):
        return []
    first = int(exposed.days.min())
    documents = _Documents.first_opened(exposed, first)
    reading = documents.reading()
    numbers = {
        name: place for place, name in enumerate(dict.fromkeys(name for some in groups.values() for name in some))
    }
    people = {user: place for place, user in enumerate(documents.people.tolist())}
    member_of = {
        people[user]: [numbers[name] for name in names] for user, names in groups.items() if user in people
    }  # fmt: skip
    surprise = surprise_of(reading, member_of)
    start = max(since - first, LEARNING_DAYS)
    scores = score_windows(reading, surprise, max(start - DAYS_OF_SETTING, 0), highest, settings.active)
    limits = alert_limits(scores, start, settings.false_alarms, len(people))
    explain = _Explainer(documents, reading, surprise, highest, settings, groups, first)
    return [explain.alert(*each) for each in _raised(scores, limits, start)]


def _raised(scores: WindowScores, limits: Mapping[str, float], start: int) -> Iterator[tuple[int, int, str]]:
    """Yield users, days and the window by which they stand out most; each user once, unless there is more to say."""
    ratios = np.stack([values / limits[name] for name, values in scores.scores.items()])
    best, highest = ratios.argmax(axis=0), ratios.max(axis=0)
    named = dict[int, tuple[int, float]]()
    for place in np.flatnonzero(highest > 1).tolist():
        user, day = int(scores.users[place]), int(scores.days[place])
        quiet, before = named.get(user, (-1, 0.0))
        if day > quiet or highest[place] >= LOUDER * before:
            named[user] = day + QUIET_DAYS, float(highest[place])
            if day >= start:
                yield user, day, list(scores.scores)[best[place]]


def alert_limits(scores: WindowScores, start: int, false_alarms: float, users: int) -> dict[str, float]:
    """Return the score of each window above which there are as many false alarms by chance as may be.

    The highest score of each user in the month before tells how high scores are that mean nothing: the highest tenth
    of users tells how these fall off, mixed with what is known of other companies.
    """
    share = false_alarms / USERS_OF_SETTING / len(scores.scores)
    before = scores.days < start
    limits = dict[str, float]()
    for name in scores.scores:
        begin, mean = PRIOR_TAIL[name]
        highest = np.zeros(users)
        np.maximum.at(highest, scores.users[before], scores.scores[name][before])
        highest = np.sort(highest)[::-1]
        count = int(TAIL_SHARE * users)
        if count and before.any():
            seen = highest[count]
            excess = np.minimum(highest[:count] - seen, LARGEST_EXCESS * mean)
            weight = count + PRIOR_USERS
            mean = (float(excess.sum()) + PRIOR_USERS * mean) / weight
            begin = (count * float(seen) + PRIOR_USERS * begin) / weight
        rare = (TAIL_SHARE / min(share, TAIL_SHARE)) ** TAIL_SHAPE - 1
        limits[name] = begin + mean * (1 - TAIL_SHAPE) / TAIL_SHAPE * rare
    return limits


@dataclass(frozen=True, slots=True, eq=False)
class _Documents:
    """Documents that users opened for the first time, by user, folder and day; users by their place, days from 0."""

    people: Ints
    folder_ids: Ints
    users: Ints
    folders: Ints
    days: Ints
    worth: Floats
    rows: Ints
    """Where the entities of each begin, in the order of `entities`."""
    sizes: Ints
    """And how many they are."""
    entities: Ints
    entity_worth: Floats
    span: int

    @classmethod
    def first_opened(cls, exposed: Exposed, first: int) -> _Documents:
        """Take each document on the first day on which a user opened it."""
        people, users = _distinct(exposed.users)
        folder_ids, folders = _distinct(exposed.folders)
        document_ids, documents = _distinct(exposed.documents)
        days = exposed.days - first
        span = int(days.max()) + 1
        order = np.argsort((users * len(document_ids) + documents) * span + days, kind="stable")
        opened = (users * len(document_ids) + documents)[order]
        begins = _run_starts(opened)
        order = order[days[order] == days[order][begins][np.cumsum(begins) - 1]]
        rows = np.flatnonzero(_run_starts((users * len(document_ids) + documents)[order]))
        worth, sizes = np.maximum.reduceat(exposed.worth[order], rows), np.diff(np.append(rows, len(order)))
        each = order[rows]
        users, folders, days = users[each], folders[each], days[each]
        by_cell = np.argsort((users * len(folder_ids) + folders) * span + days, kind="stable")
        return cls(
            people, folder_ids, users[by_cell], folders[by_cell], days[by_cell], worth[by_cell], rows[by_cell],
            sizes[by_cell], exposed.entities[order], exposed.worth[order], span,
        )  # fmt: skip

    def reading(self) -> Reading:
        """Return what was read by user, folder and day."""
        starts = np.flatnonzero(_run_starts((self.users * len(self.folder_ids) + self.folders) * self.span + self.days))
        documents = np.diff(np.append(starts, len(self.users))).astype(np.float64)
        worth = np.add.reduceat(self.worth, starts)
        allowed = np.add.reduceat((self.worth == 0).astype(np.float64), starts) / documents
        cells = self.users[starts], self.folders[starts], self.days[starts], documents, worth, allowed
        return Reading(*cells, len(self.people), self.span)


def _run_starts(values: Ints) -> Flags:
    """Return where a run of equal values begins."""
    return np.append(True, values[1:] != values[:-1])


def _distinct(ids: Ints) -> tuple[Ints, Ints]:
    """Return distinct numbers of a ledger in order, and the place of each among them: they are dense, and from 1 on."""
    there = np.zeros(int(ids.max()) + 1, bool)
    there[ids] = True
    return np.flatnonzero(there), (np.cumsum(there) - 1)[ids]


@dataclass(frozen=True, slots=True, eq=False)
class _Explainer:
    """Says of an alert what was learnt, where, and against what."""

    documents: _Documents
    reading: Reading
    surprise: Floats
    highest: float
    settings: AlertSettings
    groups: Mapping[int, Sequence[str]]
    first: int

    def alert(self, user: int, day: int, window: str) -> Alert:
        """Return an alert of what somebody learnt until a day."""
        size, opened = WINDOWS[window], self.documents
        mine = (opened.users == user) & (opened.days <= day) & (opened.days > day - size) & (opened.worth > 0)
        learnt = self._learnt(np.flatnonzero(mine))
        folder, strange = self._strangest(user, day, size)
        peers, group = self._peers(user, day, size)
        return Alert(
            window, int(opened.people[user]), day + self.first, float(opened.worth[mine].sum()),
            self._usual(user, day, size), learnt[0].entity if learnt else -1, day + self.first - size + 1,
            int(mine.sum()), learnt, int(opened.folder_ids[folder]), int((opened.folders[mine] == folder).sum()),
            float(np.exp(FLOOR - strange)), peers, group,
        )  # fmt: skip

    def _learnt(self, places: Ints) -> tuple[LearnedEntity, ...]:
        opened, by_entity = self.documents, dict[int, list[float]]()
        for place in places.tolist():
            for row in range(opened.rows[place], opened.rows[place] + opened.sizes[place]):
                if opened.entity_worth[row] > 0:
                    by_entity.setdefault(int(opened.entities[row]), []).append(float(opened.entity_worth[row]))
        learnt = (LearnedEntity(entity, len(worth), sum(worth)) for entity, worth in by_entity.items())
        return tuple(sorted(learnt, key=lambda one: (-one.worth, one.entity)))

    def _strangest(self, user: int, day: int, size: int) -> tuple[int, float]:
        """Return the folder that adds most to the score, and how surprising it is there."""
        reading = self.reading
        mine = np.flatnonzero((reading.users == user) & (reading.days <= day) & (reading.days > day - size))
        score = np.bincount(reading.folders[mine], (reading.worth * self.surprise)[mine])
        folder = int(score.argmax())
        there = mine[reading.folders[mine] == folder]
        return folder, float(np.average(self.surprise[there], weights=reading.documents[there]))

    def _usual(self, user: int, day: int, size: int) -> float:
        """Return what somebody learnt in as long a time before, on average."""
        opened = self.documents
        mine = opened.users == user
        begun = int(opened.days[mine].min())
        before = float(opened.worth[mine & (opened.days <= day - size)].sum())
        return before * size / max(day - size + 1 - begun, size)

    def _peers(self, user: int, day: int, size: int) -> tuple[float, str]:
        """Return the most that somebody else learnt in that time: in the largest of their groups, else of all."""
        opened = self.documents
        mine = set(self.groups.get(int(opened.people[user]), ()))
        sizes = {name: sum(name in names for names in self.groups.values()) for name in mine}
        group = max(sizes, key=lambda name: (sizes[name], name), default="")
        others = np.array([
            place != user and (not group or group in self.groups.get(who, ()))
            for place, who in enumerate(opened.people.tolist())
        ])  # fmt: skip
        recent = (opened.days <= day) & (opened.days > day - size)
        sums = np.bincount(opened.users[recent], opened.worth[recent], len(others))
        return float(sums[others].max(initial=0.0)), group


def above_worth(standings: Sequence[Standing], limit: float, since: int) -> Iterator[Alert]:
    """Yield who came to know more than a limit, where they did not on their last day before."""
    known = dict[int, float]()
    for standing in sorted(standings, key=lambda one: (one.user, one.day)):
        if standing.day >= since and standing.worth >= limit > known.get(standing.user, -1.0):
            yield Alert("worth", standing.user, standing.day, standing.worth, limit, standing.entity, standing.day)
        known[standing.user] = max(known.get(standing.user, -1.0), standing.worth)
