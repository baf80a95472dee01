"""What each user knows, kept up to date: by the version that a document had when they opened it.

Only what is new to them is written, so that neither the order in which logs are read nor how often they open the same
counts.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from operator import attrgetter
from typing import Any, Final

import numpy as np

from embanon.leak.ledger.exposures import update_exposures
from embanon.leak.ledger.permissions import NO_WINDOWS, Windows, is_allowed, read_windows, span_edges
from embanon.leak.ledger.records import MENTION
from embanon.leak.ledger.schema import (
    ACCESSES,
    ENTITIES,
    EXPOSURES,
    KNOWLEDGE,
    LEARNED,
    STANDINGS,
    USERS,
    VERSIONS,
    WAITING,
    sql,
)
from embanon.leak.ledger.store import chunks, insert, select_in, upsert
from embanon.leak.misuse import FACT, Facts, KnowledgeHistory, distinct_places
from embanon.leak.regression import Ints

USERS_AT_ONCE: Final = 100
"""Users of whom everything that they know is held at once."""
CACHE_BYTES: Final = 256 << 20
"""Bytes of knowledge that are kept from one batch to the next."""


@dataclass(slots=True)
class KnowledgeCache:
    """What users know, as long as nobody else writes to the ledger."""

    batch: int = -1
    facts: dict[int, Facts] = field(default_factory=dict, repr=False)
    size: int = 0

    def invalidate(self, batch: int) -> None:
        """Forget everything if there was another batch than the last one of ours; and if this one fails, later."""
        if self.batch != batch:
            self.facts, self.size = {}, 0
        self.batch = -1

    def pop(self, user: int) -> Facts | None:
        """Take out what a user knows, if it is there."""
        facts = self.facts.pop(user, None)
        self.size -= 0 if facts is None else facts.nbytes
        return facts

    def put(self, user: int, facts: Facts) -> None:
        """Keep what a user knows, while there is room."""
        if self.size + facts.nbytes <= CACHE_BYTES:
            self.size += facts.nbytes
            self.facts[user] = facts


@dataclass(frozen=True, slots=True)
class OpenedDocument:
    """A document that somebody opened, in numbers of the ledger."""

    user: int
    time: int
    document: int
    day: int
    batch: int = 0
    """In which that was written; versions that are of a later one were not known by then."""


def update_knowledge(
    connection: sql.Connection,
    batch: int,
    opened: Sequence[OpenedDocument],
    memory: KnowledgeCache,
    counted: bool = False,
) -> int:
    """Teach users what they opened, and compute what they know by now; return how much of it no scan has seen."""
    if not opened:
        return 0
    library = _VersionLibrary.load(connection, {one.document for one in opened})
    waits = [one for one in opened if one.document not in library.versions]
    rows = {(one.document, one.user, one.time): one.day for one in waits}
    upsert(connection, WAITING, [
        {"document": document, "user": user, "time": time, "day": day} for (document, user, time), day in rows.items()
    ])  # fmt: skip
    update_exposures(connection, library.opened_versions(opened))
    by_user = {user: list(some) for user, some in groupby(sorted(opened, key=attrgetter("user")), attrgetter("user"))}
    values = {row.id: row.value for row in connection.execute(sql.select(ENTITIES.c.id, ENTITIES.c.value))}
    for users in chunks(by_user, USERS_AT_ONCE):
        pupils = _UserBatch.load(connection, {user: by_user[user] for user in users}, memory)
        pupils.update(connection, batch, library, values, counted)
    return len(waits)


@dataclass(frozen=True, slots=True, eq=False)
class _UserBatch:
    """Some users, what they opened, what they know, and the days of which something is said already."""

    opened: dict[int, list[OpenedDocument]]
    memory: KnowledgeCache
    known: dict[int, Facts] = field(repr=False)
    later_days: dict[int, list[int]] = field(repr=False)
    windows: dict[int, Windows] = field(repr=False)

    @classmethod
    def load(
        cls, connection: sql.Connection, opened: dict[int, list[OpenedDocument]], memory: KnowledgeCache
    ) -> _UserBatch:
        """Recall what users know."""
        later = _later_days(connection, {user: min(one.day for one in some) for user, some in opened.items()})
        return cls(opened, memory, _load_facts(connection, opened, memory), later, read_windows(connection, opened))

    def update(
        self, connection: sql.Connection, batch: int, library: _VersionLibrary, values: dict[int, float], counted: bool
    ) -> None:
        """Write down what is new to them, and what they know by it."""
        learnt, standings, knowledge = list[dict[str, Any]](), list[dict[str, Any]](), list[dict[str, Any]]()
        for user, documents in self.opened.items():
            old, windows = self.known[user], self.windows.get(user, NO_WINDOWS)
            facts = np.concatenate((old, library.facts_for(documents, windows)))
            allowed = is_allowed(facts, windows)
            places = distinct_places(facts, allowed)
            self.memory.put(user, facts[places])
            fresh, counting = facts[places[places >= len(old)]], facts[places[~allowed[places]]]
            course = KnowledgeHistory.from_facts(counting)
            if len(fresh):
                learnt.append({"user": user, "batch": batch, "facts": fresh.tobytes()})
                knowledge.extend(_knowledge_rows(user, course))
            counts = Counter[int]() if counted else Counter(one.day for one in documents)
            days = {day: counts[day] for day in {*self.later_days[user], *counts}}
            standings.extend(_standing_rows(user, course, days, values))
        insert(connection, LEARNED, learnt)
        upsert(connection, KNOWLEDGE, knowledge)
        upsert(connection, STANDINGS, standings, ("opened",))


def _knowledge_rows(user: int, course: KnowledgeHistory) -> Iterator[dict[str, Any]]:
    columns = (column.tolist() for column in (course.entities, course.known[-1:].ravel(), course.phrases))
    for entity, known, phrases in zip(*columns, strict=True):
        yield {"user": user, "entity": entity, "known": known, "phrases": phrases}


def _standing_rows(
    user: int, course: KnowledgeHistory, days: dict[int, int], values: dict[int, float]
) -> Iterator[dict[str, Any]]:
    """Yield what a user knew at the end of some days, and how much they opened on each."""
    worth, total, entity = (column.tolist() for column in course.worth(values))
    ordered = sorted(days)
    for day, place in zip(ordered, np.searchsorted(course.days, ordered, side="right").tolist(), strict=True):
        now = (worth[place - 1], total[place - 1], entity[place - 1]) if place else (0.0, 0.0, -1)
        yield {"user": user, "day": day, "opened": days[day], "worth": now[0], "total": now[1], "entity": now[2]}


def _later_days(connection: sql.Connection, first: dict[int, int]) -> dict[int, list[int]]:
    """Return the days from the first one on of which something is said already: what is learnt now may change them."""
    days = defaultdict[int, list[int]](list)
    query = sql.select(STANDINGS.c.user, STANDINGS.c.day).where(STANDINGS.c.day >= min(first.values()))
    for row in select_in(connection, query, STANDINGS.c.user, first):
        if row.day >= first[row.user]:
            days[row.user].append(row.day)
    return days


def _load_facts(connection: sql.Connection, users: Iterable[int], memory: KnowledgeCache) -> dict[int, Facts]:
    """Return what users know, remembered or read."""
    remembered = {user: memory.pop(user) for user in users}
    known = {user: facts for user, facts in remembered.items() if facts is not None}
    blobs = {user: list[bytes]() for user in remembered if user not in known}
    query = sql.select(LEARNED.c.user, LEARNED.c.facts).order_by(LEARNED.c.batch)
    for row in select_in(connection, query, LEARNED.c.user, blobs):
        blobs[row.user].append(row.facts)
    return known | {user: parse_facts(b"".join(parts)) for user, parts in blobs.items()}


def parse_facts(data: bytes) -> Facts:
    """Read facts."""
    facts: Facts = np.frombuffer(data, FACT)
    return facts


@dataclass(frozen=True, slots=True, eq=False)
class _VersionLibrary:
    """Versions of documents, and what is in them."""

    versions: dict[int, list[tuple[int, int, int]]]
    """Document -> (since when, batch, place), as they were written."""
    ids: Ints
    starts: Ints
    mentions: Facts = field(repr=False)

    @classmethod
    def load(cls, connection: sql.Connection, documents: Iterable[int]) -> _VersionLibrary:
        """Read all versions of documents."""
        versions, ids, blobs = defaultdict[int, list[tuple[int, int, int]]](list), list[int](), list[bytes]()
        columns = (VERSIONS.c.id, VERSIONS.c.document, VERSIONS.c.since, VERSIONS.c.batch, VERSIONS.c.mentions)
        rows = select_in(connection, sql.select(*columns), VERSIONS.c.document, documents)
        for id, document, since, batch, mentions in rows:
            versions[document].append((since, batch, len(ids)))
            ids.append(id)
            blobs.append(mentions)
        starts = np.cumsum([0, *(len(blob) // MENTION.itemsize for blob in blobs)])
        for some_versions in versions.values():
            some_versions.sort(key=lambda one: ids[one[2]])
        return cls(dict(versions), np.array(ids, np.int64), starts, np.frombuffer(b"".join(blobs), MENTION))

    def facts_for(self, opened: Iterable[OpenedDocument], windows: Windows) -> Facts:
        """Return what was there to learn, once for each span of days on which somebody may know the same."""
        first, edges = dict[tuple[int, int], int](), span_edges(windows)
        for document in opened:
            place = self._place_of(document)
            if place is not None:
                once = place, bisect_right(edges, document.day)
                first[once] = min(first.get(once, document.day), document.day)
        places, days = np.array([place for place, _ in first], np.int64), np.array(list(first.values()), np.int64)
        sizes = self.starts[places + 1] - self.starts[places]
        ends = np.cumsum(sizes)
        gathered = np.arange(ends[-1] if len(ends) else 0) + np.repeat(self.starts[places] - ends + sizes, sizes)
        facts = np.empty(len(gathered), FACT)
        for name in ("entity", "phrase", "risk"):
            facts[name] = self.mentions[name][gathered]
        facts["day"], facts["version"] = np.repeat(days, sizes), np.repeat(self.ids[places], sizes)
        return facts

    def _place_of(self, document: OpenedDocument) -> int | None:
        """Return the place of the version that somebody opened."""
        versions = self.versions.get(document.document)
        if not versions:
            return None
        there = [version for version in versions if version[1] < document.batch] or versions[:1]
        past = [version for version in there if version[0] <= document.time]
        return (max(past) if past else min(there))[2]

    def opened_versions(self, opened: Iterable[OpenedDocument]) -> Iterator[tuple[int, int, int, int]]:
        """Yield the user, day, document and version of what a scan has seen."""
        for document in opened:
            place = self._place_of(document)
            if place is not None:
                yield document.user, document.day, document.document, int(self.ids[place])


def rebuild_exposures(connection: sql.Connection) -> None:
    """Compute anew which telling documents users opened."""
    connection.execute(sql.delete(EXPOSURES))
    columns = (ACCESSES.c.user, ACCESSES.c.time, ACCESSES.c.document, ACCESSES.c.day, ACCESSES.c.batch)
    for user in connection.execute(sql.select(USERS.c.id).order_by(USERS.c.id)).scalars().all():
        rows = connection.execute(sql.select(*columns).where(ACCESSES.c.user == user)).all()
        opened = [OpenedDocument(*row) for row in rows]
        library = _VersionLibrary.load(connection, {one.document for one in opened})
        update_exposures(connection, library.opened_versions(opened))


def rebuild_knowledge(connection: sql.Connection, users: Sequence[int] | None = None) -> None:
    """Compute anew what users know, from the accesses that are there; all users where none are named."""
    for table in (LEARNED, KNOWLEDGE, STANDINGS, EXPOSURES, WAITING):
        for chunk in [None] if users is None else chunks(users):
            connection.execute(sql.delete(table) if chunk is None else sql.delete(table).where(table.c.user.in_(chunk)))
    columns = (ACCESSES.c.user, ACCESSES.c.time, ACCESSES.c.document, ACCESSES.c.day, ACCESSES.c.batch)
    names = sql.select(USERS.c.id).order_by(USERS.c.id)
    for chunk in chunks(connection.execute(names).scalars() if users is None else users, USERS_AT_ONCE):
        for user in chunk:
            rows = connection.execute(sql.select(*columns).where(ACCESSES.c.user == user)).all()
            update_knowledge(connection, 0, [OpenedDocument(*row) for row in rows], KnowledgeCache())


def revalue_users(connection: sql.Connection, users: Sequence[int] | None = None) -> None:
    """Compute anew what is worth that which users know, of all users where none are named."""
    values = {row.id: row.value for row in connection.execute(sql.select(ENTITIES.c.id, ENTITIES.c.value))}
    everybody = connection.execute(sql.select(LEARNED.c.user).distinct()).scalars() if users is None else users
    for chunk in chunks(everybody, USERS_AT_ONCE):
        known, windows = _load_facts(connection, chunk, KnowledgeCache()), read_windows(connection, chunk)
        days = _later_days(connection, dict.fromkeys(chunk, -(1 << 31)))
        connection.execute(sql.delete(KNOWLEDGE).where(KNOWLEDGE.c.user.in_(chunk)))
        knowledge, standings = list[dict[str, Any]](), list[dict[str, Any]]()
        for user in chunk:
            course = KnowledgeHistory.from_facts(counting_facts(known[user], windows.get(user, NO_WINDOWS)))
            knowledge.extend(_knowledge_rows(user, course))
            standings.extend(_standing_rows(user, course, dict.fromkeys(days[user], 0), values))
        insert(connection, KNOWLEDGE, knowledge)
        upsert(connection, STANDINGS, standings, ("opened",))


def counting_facts(facts: Facts, windows: Windows) -> Facts:
    """Return what somebody knows and might not know when they learnt it, distinct and in order."""
    allowed = is_allowed(facts, windows)
    places = distinct_places(facts, allowed)
    return facts[places[~allowed[places]]]
