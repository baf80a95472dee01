"""Make up four months in five companies, for `eval.leakers`: who is in which group, and who opens what.

The worlds differ in kind. Engineers work on one to three projects at a time, each of which is one secret of its own. A
hospital has wards, in which the same few illnesses are treated, staff that rotate, shifts at weekends, documents that
are read for days alone, and no list of who may know what. Lawyers work on many small matters, several of which are of
one client, and new ones begin each week. A bank has many deals between its desks; a ministry dossiers that are read for
long, and no list either. In each there are newcomers and people who change group, assistants who read for others,
managers and auditors who read widely, vacations, ends of quarters, starts of projects at which a whole team reads in,
notices that everybody opens, people whom somebody forgot to put on a list, and people who help out elsewhere for some
days: none of them is a leaker. How much each reads is heavy-tailed, by person and by day.

What documents disclose is that of real ones (`Paper`): a document of the world tells of entities as one paper does,
with its phrases and their risks. A folder holds the papers of its subjects, and others.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np

from embanon.leak.misuse import combined_risk

PAST, WATCHED = 90, 30
DAYS: Final = PAST + WATCHED
FIRST_DAY: Final = 20_458
"""Monday, the 5th of January 2026."""
ORDINARY: Final = 195
DISCLOSED: Final = 0.5
"""The risk from which a paper is about an entity."""
SECRET_VALUE: Final = 5.0
SECRET_FOLDER: Final = "board/merger"
LEAKERS: Final = ("mass reader", "slow drip", "last week", "curious", "one secret")
LISTED_HELP: Final = 5
"""Documents from which on somebody who helps out is put on the list for these days, where there is one."""
FORGOTTEN: Final = 0.12
"""Of those who work on a unit, the share whom nobody has put on its list."""
STRAY: Final = 3e-5
"""Of what is opened elsewhere, the share that is of the one secret: few have a way in."""
Floats = np.ndarray[Any, np.dtype[np.float64]]
Ints = np.ndarray[Any, np.dtype[np.int64]]


@dataclass(frozen=True, slots=True)
class Paper:
    """What a real document discloses: of each entity, by number, phrases and their risks."""

    told: Mapping[int, tuple[tuple[int, float], ...]]

    def risk(self, entity: int) -> float:
        """Return what it tells of an entity."""
        return combined_risk([risk for _, risk in self.told.get(entity, ())])

    @property
    def subject(self) -> int:
        """Return the entity that it discloses best; -1 where it discloses none."""
        found = max(self.told, key=lambda one: (self.risk(one), len(self.told[one]), one), default=-1)
        return found if found >= 0 and self.risk(found) >= DISCLOSED else -1


@dataclass(frozen=True, slots=True)
class Kind:
    """In what a world differs from others."""

    name: str
    groups: int
    units: int
    """Projects, wards or matters: what has a folder."""
    per_user: tuple[int, int]
    """The fewest and the most units of a person."""
    subjects: int
    """Of a unit."""
    shares: tuple[float, float, float, float]
    """Of what a person reads: in units of their own, in what is for all, in others of their group, anywhere else."""
    documents: int
    """Of a unit."""
    recency: float
    """Days after which a document is read a third as often."""
    weekend: float
    """How much is read on a day of a weekend, beside others."""
    rotating: float
    """The share of people who are elsewhere each other week."""
    start_every: float
    """Days from one start of a unit to the next."""
    may: str
    """Whom a policy lets know an entity: the `group` that has it and its team, the `team`, or `nobody` but those who
    read widely."""
    rate: float
    """Documents that are opened on a usual day, the median of people."""


DEVELOPED: Final = (
    Kind("engineers", 9, 15, (1, 3), 1, (0.74, 0.14, 0.08, 0.04), 420, 25, 0.03, 0.0, 14, "group", 5.0),
    Kind("hospital", 12, 12, (1, 1), 3, (0.80, 0.08, 0.0, 0.12), 700, 4, 0.55, 0.12, 60, "nobody", 7.0),
    Kind("lawyers", 8, 60, (2, 6), 1, (0.78, 0.08, 0.10, 0.04), 110, 15, 0.25, 0.02, 5, "team", 4.0),
)
"""With which rules were made."""
UNSEEN: Final = (
    Kind("bank", 14, 40, (1, 4), 2, (0.70, 0.12, 0.12, 0.06), 160, 10, 0.05, 0.05, 9, "group", 6.0),
    Kind("ministry", 10, 30, (2, 5), 1, (0.66, 0.18, 0.10, 0.06), 260, 40, 0.01, 0.0, 20, "nobody", 3.5),
)
"""At which nobody looked before the rules stood."""
KINDS: Final = DEVELOPED + UNSEEN


@dataclass(slots=True)
class Person:
    """Somebody who opens documents."""

    name: str
    group: int
    units: list[int]
    rate: float
    role: str = "staff"
    joined: int = -1
    moved: int = -1
    before: list[int] = field(default_factory=list)
    """Units before they changed group."""
    away: tuple[tuple[int, int], ...] = ()
    leaks: str = ""
    strength: float = 0.0
    leak_days: tuple[int, int] = (0, 0)
    helps: tuple[tuple[int, int, int, int], ...] = ()
    """Where they help out: from which day to which, in which unit, and how much a day."""


@dataclass(frozen=True, slots=True)
class World:
    """A company over time."""

    kind: Kind
    values: Floats
    """Of entities."""
    may: tuple[tuple[str, ...], ...]
    """Of entities: groups whose people may know it."""
    helpers: tuple[tuple[int, str, int, int], ...]
    """Entity, and who may know it from which day to which, as they help out."""
    groups: Mapping[str, tuple[str, ...]]
    """Name -> people, at the end."""
    peers: Mapping[str, str]
    """Person -> the group by which they are compared."""
    documents: tuple[tuple[str, int], ...]
    """Path and paper."""
    people: tuple[Person, ...]
    opened: tuple[tuple[int, int, int], ...]
    """Person, day and document, in order."""


def build_world(kind: Kind, papers: Sequence[Paper], seed: int) -> World:
    """Make up a world by chance."""
    return _Builder(kind, papers, np.random.default_rng([seed, KINDS.index(kind)])).build()


class _Builder:
    def __init__(self, kind: Kind, papers: Sequence[Paper], chance: np.random.Generator) -> None:
        self.kind, self.papers, self.chance = kind, papers, chance
        self.entities = 1 + max(entity for paper in papers for entity in paper.told)
        subjects = [paper.subject for paper in papers]
        self.by_subject = [[n for n, about in enumerate(subjects) if about == e] for e in range(self.entities)]
        self.harmless = [n for n, about in enumerate(subjects) if about < 0]
        self.documents, self.births = list[tuple[str, int]](), list[Floats]()
        self.folders = list[Ints]()
        self.popular = list[Floats]()

    def build(self) -> World:
        """Return the world."""
        kind, chance = self.kind, self.chance
        self.secret = int(chance.choice([e for e in range(self.entities) if 20 <= len(self.by_subject[e]) <= 120]))
        self.values = chance.choice([1.0, 2.0, 3.0, 4.0], self.entities, p=[0.3, 0.35, 0.25, 0.1])
        self.values[self.secret] = SECRET_VALUE
        subjects = chance.permutation([e for e in range(self.entities) if e != self.secret])
        self.subjects = [
            [int(subjects[(unit * kind.subjects + n) % len(subjects)]) for n in range(kind.subjects)]
            for unit in range(kind.units)
        ]
        self.unit_group = chance.permutation(np.arange(kind.units) % kind.groups)
        self.starts = self._starts()
        for unit in range(kind.units):
            self._folder(f"{kind.name}/unit-{unit:02}", self.subjects[unit], kind.documents, self.starts[unit])
        self._folder("common/notices", [], 900, -400)
        self._folder(SECRET_FOLDER, [self.secret], 40, -40)
        self.common, self.board = kind.units, kind.units + 1
        people = self._people()
        leakers = self._leakers(people)
        everybody = people + leakers
        opened = [access for number, person in enumerate(everybody) for access in self._life(number, person)]
        return World(
            kind, self.values, *self._policy(everybody), tuple(self.documents), tuple(everybody),
            tuple(sorted(opened, key=lambda one: (one[1], one[0]))),
        )  # fmt: skip

    # Documents

    def _starts(self) -> list[float]:
        """Say when units begin: most long ago, some in these days."""
        starts, day = [-400.0] * self.kind.units, float(self.chance.exponential(self.kind.start_every))
        for unit in self.chance.permutation(self.kind.units).tolist():
            if day >= DAYS:
                break
            starts[unit] = day
            day += float(self.chance.exponential(self.kind.start_every)) + 1
        return starts

    def _folder(self, path: str, subjects: Sequence[int], count: int, begun: float) -> None:
        """Fill a folder: two thirds tell of its subjects, if it has any; the others of anything, or of nothing."""
        chance, first = self.chance, len(self.documents)
        births = np.where(
            chance.random(count) < 0.5, chance.uniform(begun, begun + 5, count), chance.uniform(begun, DAYS, count)
        )  # fmt: skip
        for number in range(count):
            draw = chance.random()
            if subjects and draw < (1.0 if path == SECRET_FOLDER else 0.65):
                paper = int(chance.choice(self.by_subject[int(chance.choice(subjects))]))
            elif draw < (0.80 if subjects else 0.05):
                paper = int(chance.integers(len(self.papers)))
            else:
                paper = int(chance.choice(self.harmless))
            if path != SECRET_FOLDER and self.secret in self.papers[paper].told and chance.random() < 0.9:
                paper = int(chance.choice(self.harmless))  # what was told of it was found, and taken out
            self.documents.append((f"{path}/{number:04}.txt", paper))
        self.births.append(np.sort(births))
        self.folders.append(np.arange(first, first + count))
        self.popular.append(chance.pareto(1.5, count) + 0.2)

    def _pick(self, unit: int, day: int, size: int, *, old: bool = False) -> list[int]:
        """Return documents of a folder that are there: late ones and popular ones rather than others."""
        here = self.folders[unit]
        age = day - self.births[unit]
        weights = self.popular[unit] * np.where(age < 0, 0.0, 1.0 if old else 0.05 + np.exp(-age / self.kind.recency))
        total = weights.sum()
        if size <= 0 or total <= 0:
            return []
        size = min(size, int((weights > 0).sum()))
        return [int(one) for one in self.chance.choice(here, size, replace=False, p=weights / total)]

    # People

    def _people(self) -> list[Person]:
        chance, kind = self.chance, self.kind
        sizes = chance.dirichlet(np.full(kind.groups, 3.0))
        people = list[Person]()
        for number in range(ORDINARY):
            group = number if number < kind.groups else int(chance.choice(kind.groups, p=sizes))
            role = str(chance.choice(
                ["staff", "assistant", "manager", "auditor", "newcomer", "mover", "part-time"],
                p=[0.70, 0.06, 0.05, 0.02, 0.07, 0.04, 0.06],
            ))  # fmt: skip
            people.append(self._person(f"person-{number:03}", group, role))
        for person in people:
            if person.role == "assistant":
                bosses = chance.choice(len(people), 3, replace=False)
                person.units = sorted({unit for one in bosses for unit in people[one].units})
        for person in [person for person in people if person.role == "manager"][:5]:
            person.units = [*person.units, self.board]
        return people

    def _person(self, name: str, group: int, role: str) -> Person:
        chance = self.chance
        rate = float(self.kind.rate * np.exp(0.6 * chance.standard_normal()))
        person = Person(name, group, self._units(group), rate * (0.5 if role == "part-time" else 1.0), role)
        if role == "newcomer":
            person.joined = int(chance.integers(20, DAYS - 2))
        elif role == "mover":
            person.moved, person.before = int(chance.integers(30, DAYS - 5)), person.units
            person.group = int(chance.choice([one for one in range(self.kind.groups) if one != group]))
            person.units = self._units(person.group)
        elif role == "manager":
            person.units = [int(one) for one in np.flatnonzero(self.unit_group == group)] or person.units
            person.rate *= 1.5
        elif role == "auditor":
            person.units = [self.common]
        away, starts = list[tuple[int, int]](), chance.uniform(0, DAYS, chance.poisson(1.2))
        for start in starts.tolist():
            away.append((int(start), int(start + chance.choice([3, 7, 14, 21]))))
        person.away, person.helps = tuple(away), tuple(self._helps())
        return person

    def _units(self, group: int) -> list[int]:
        low, high = self.kind.per_user
        count = int(self.chance.integers(low, high + 1))
        near = np.flatnonzero(self.unit_group == group)
        own = max(count - (self.chance.random() < 0.2), 1)
        chosen: list[int] = self.chance.permutation(near)[:own].tolist()
        while len(chosen) < count:  # some work for other groups as well
            chosen = sorted({*chosen, int(self.chance.integers(self.kind.units))})
        return chosen

    def _leakers(self, people: Sequence[Person]) -> list[Person]:
        """Return one leaker of each sort, who was as others are before."""
        leakers = list[Person]()
        for leaks in LEAKERS:
            person = self._person(
                f"leaker-{leaks.replace(' ', '-')}", int(self.chance.integers(self.kind.groups)), "staff"
            )
            start = int(self.chance.integers(PAST + 1, DAYS - 6))
            person.leaks, person.strength = leaks, float(self.chance.choice([1.0, 2.0, 4.0]))
            length = {"mass reader": 1, "slow drip": 28, "last week": 7, "curious": 3, "one secret": 1}[leaks]
            start = PAST + 1 if leaks == "slow drip" else start
            person.leak_days = start, start + length - 1
            person.away = tuple((a, b) for a, b in person.away if b < PAST)
            leakers.append(person)
        return leakers

    # What they do

    def _life(self, number: int, person: Person) -> Iterator[tuple[int, int, int]]:
        """Yield what a person opens."""
        chance, kind = self.chance, self.kind
        recent = list[int]()
        bursts = {unit: self.starts[unit] for unit in person.units if unit < kind.units and self.starts[unit] > 0}
        rotating, audited = chance.random() < kind.rotating, person.units
        for day in range(DAYS):
            if person.role == "auditor" and day % 14 == 0:
                audited = [int(chance.integers(kind.units)), self.common]
            units = self._units_on(day, person, rotating, audited)
            amount = self._amount(day, person)
            picked = list[int]()
            if amount > 0:
                count = int(chance.poisson(amount * chance.gamma(1.5, 1 / 1.5)))
                for place, size in enumerate(chance.multinomial(count, kind.shares).tolist()):
                    picked += self._read(place, size, day, person, units, recent)
                for unit, start in bursts.items():
                    if start <= day < start + 4:
                        picked += self._pick(unit, day, int(chance.poisson(8 * np.exp(0.5 * chance.standard_normal()))))
                for start, end, unit, size in person.helps:
                    if start <= day <= end:
                        picked += self._pick(unit, day, size, old=True)
            if person.leaks and person.leak_days[0] <= day <= person.leak_days[1]:
                picked += self._leak(day, person)
            recent = [*picked, *recent][:60]
            yield from ((number, day, document) for document in dict.fromkeys(picked))

    def _units_on(self, day: int, person: Person, rotating: bool, audited: list[int]) -> list[int]:
        if person.role == "auditor":
            return audited
        if day < person.moved:
            return person.before
        if 0 <= person.moved <= day < person.moved + 14 and self.chance.random() < 0.2:
            return person.before  # what is to be handed over
        if rotating and day // 7 % 2:
            return [int((person.units[0] + 1 + day // 14) % self.kind.units)]
        return person.units

    def _amount(self, day: int, person: Person) -> float:
        """Return how much a person is likely to open on a day."""
        if day < person.joined or any(start <= day < end for start, end in person.away):
            return 0.0
        amount = person.rate * (self.kind.weekend if day % 7 >= 5 else 1.0)
        amount *= 1.6 if 80 <= day < 90 and person.group % 3 == 0 else 1.25 if 80 <= day < 90 else 1.0  # a quarter ends
        amount *= 1.6 if 110 <= day < 116 and person.group % 4 == 1 else 1.0  # a deadline
        amount *= 2.0 if any(end <= day < end + 2 for _, end in person.away) else 1.0
        if 0 <= person.joined <= day < person.joined + 20 or 0 <= person.moved <= day < person.moved + 14:
            amount *= 2.2
        return amount if self.chance.random() > 0.06 else 0.0

    def _read(self, place: int, size: int, day: int, person: Person, units: list[int], recent: list[int]) -> list[int]:
        """Return what is read where; two of five were open before."""
        chance, picked = self.chance, list[int]()
        again = int(chance.binomial(size, 0.4)) if recent else 0
        picked += [int(one) for one in chance.choice(recent, again)] if again and place == 0 else []
        new = size - len(picked)
        reading_in = 0 <= max(person.joined, person.moved) <= day < max(person.joined, person.moved) + 20
        if place == 0:
            for unit, some in zip(units, chance.multinomial(new, _shares(len(units))).tolist(), strict=True):
                picked += self._pick(unit, day, some, old=reading_in or person.role == "auditor")
        elif place == 1:
            picked += self._pick(self.common, day, new)
        else:
            near = np.flatnonzero(self.unit_group == person.group)
            for _ in range(new):
                unit = int(chance.choice(near)) if place == 2 and len(near) else int(chance.integers(self.kind.units))
                picked += self._pick(self.board if chance.random() < STRAY else unit, day, 1)
        return picked

    def _helps(self) -> list[tuple[int, int, int, int]]:
        """Say when a person helps out elsewhere: from which day to which, where, and how much a day."""
        helps = list[tuple[int, int, int, int]]()
        for start in self.chance.uniform(0, DAYS, self.chance.poisson(0.12 * DAYS / 30)).tolist():
            days, size = int(self.chance.integers(1, 5)), 1 + int(self.chance.geometric(0.3))
            unit = int(self.chance.integers(self.kind.units))
            helps.append((int(start), int(start) + days - 1, unit, -(-size // days)))
        return helps

    def _leak(self, day: int, person: Person) -> list[int]:
        """Return what a leaker opens beside their work."""
        chance, strength = self.chance, person.strength
        others = [
            unit for unit in range(self.kind.units)
            if unit not in person.units and self.starts[unit] < PAST and self.unit_group[unit] != person.group
        ]  # fmt: skip
        if person.leaks == "mass reader":  # all that a search brings up
            own = [doc for unit in person.units for doc in self._pick(unit, day, int(30 * strength), old=True)]
            far = [
                doc
                for unit in chance.choice(others, 5)
                for doc in self._pick(int(unit), day, int(7 * strength), old=True)
            ]
            return own[: int(35 * strength)] + far
        if person.leaks == "slow drip":
            units = [int(chance.choice(others[:4])) for _ in range(chance.poisson(1 + 2 * strength))]
            return [] if day % 7 >= 5 else [doc for unit in units for doc in self._pick(unit, day, 1, old=True)]
        if person.leaks == "last week":
            own = [doc for unit in person.units for doc in self._pick(unit, day, int(10 * strength), old=True)]
            far = [doc for unit in others[:3] for doc in self._pick(unit, day, int(3 * strength), old=True)]
            return [] if day % 7 >= 5 else own[: int(12 * strength)] + far
        if person.leaks == "curious":
            return self._pick(others[0], day, int(7 * strength), old=True)
        return self._pick(self.board, day, int(strength), old=True)

    # Policies

    def _policy(
        self, people: Sequence[Person]
    ) -> tuple[
        tuple[tuple[str, ...], ...], tuple[tuple[int, str, int, int], ...], dict[str, tuple[str, ...]], dict[str, str]
    ]:
        """Return who may know each entity, for good or as helpers, who is in which group, and who are peers."""
        groups: dict[str, tuple[str, ...]] = {
            f"group-{one:02}": tuple(person.name for person in people if person.group == one)
            for one in range(self.kind.groups)
        }
        peers = {person.name: f"group-{person.group:02}" for person in people}
        groups["wide"] = tuple(person.name for person in people if person.role in ("auditor", "manager"))
        groups["board"] = tuple(person.name for person in people if self.board in person.units)
        allowed = [["wide"] if e != self.secret else ["board"] for e in range(self.entities)]
        for unit, subjects in enumerate(self.subjects):
            names = [f"group-{self.unit_group[unit]:02}"] if self.kind.may == "group" else []
            if self.kind.may != "nobody":
                names.append(f"team-{unit:02}")
                members = [person.name for person in people if unit in person.units]
                groups[names[-1]] = tuple(name for name in members if self.chance.random() > FORGOTTEN)
            for subject in subjects:
                allowed[subject] += names
        listed = self.kind.may != "nobody"
        helpers = [
            (subject, person.name, start, end)
            for person in people for start, end, unit, size in person.helps
            for subject in self.subjects[unit]
            if listed and size * (end - start + 1) >= LISTED_HELP and self.chance.random() > FORGOTTEN
        ]  # fmt: skip
        return tuple(tuple(names) for names in allowed), tuple(helpers), groups, peers


def _shares(count: int) -> Floats:
    """Return how somebody who has several units divides their time."""
    weights = 0.6 ** np.arange(count)
    return np.asarray(weights / weights.sum())
