"""Write down who opened what, each time once."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from embanon.leak.ledger.documents import KNOWN, add_documents
from embanon.leak.ledger.learn import Memory, Opened, learn
from embanon.leak.ledger.ledger import Batch, Ledger, among, asked
from embanon.leak.ledger.rows import DAY, storable
from embanon.leak.ledger.schema import ACCESSES, DOCUMENTS, USERS, WAITING
from embanon.leak.ledger.sql import sql
from embanon.leak.policy import Kept

SALT: Final = 8
OF_USERS: Final = among(sql.select(USERS.c.keyed, USERS.c.id), USERS.c.keyed)
AT_ONCE: Final = 100_000
"""Accesses that are written, or read again, at once."""


@dataclass(frozen=True, slots=True)
class Access:
    """That a user opened a document: when, in milliseconds since 1970, and on which day where he was."""

    user: str = field(repr=False)
    document: str
    time: int
    day: int
    action: str = ""


@dataclass(frozen=True, slots=True)
class Written:
    """What became of accesses."""

    new: int = 0
    known: int = 0
    """That were in the ledger before, or twice in what was given."""
    waiting: int = 0
    """Of the new ones, to documents that no scan has seen."""

    def __add__(self, other: Written) -> Written:
        return Written(self.new + other.new, self.known + other.known, self.waiting + other.waiting)


def write(ledger: Ledger, accesses: Sequence[Access], kept: Kept, memory: Memory | None = None) -> Written:
    """Write down accesses, all of them or none; those that are there already are left."""
    memory = memory or Memory()
    with ledger.writing("accesses") as batch:
        users, documents = _users(batch, accesses, kept), _documents(batch, accesses, kept)
        found = {
            (users[one.user], one.time, documents[one.document], storable(one.action)): one.day for one in accesses
        }
        there = _there(batch.connection, found)
        new = [(*one, day) for one, day in found.items() if one not in there]
        salts = os.urandom(SALT * len(new))
        names = ("user", "time", "document", "action", "day", "salt")
        rows = [
            dict(zip(names, (*one, salts[place * SALT : (place + 1) * SALT]), strict=True))
            for place, one in enumerate(new)
        ]
        batch.add(ACCESSES, rows)
        opened = [Opened(user, time, document, day, batch.number) for user, time, document, _, day in new]
        memory.since(batch.number - 1)
        waiting = learn(batch.connection, batch.number, opened, memory)
    memory.batch = batch.number if batch.marks else batch.number - 1
    return Written(len(new), len(accesses) - len(new), waiting)


def settle(ledger: Ledger) -> int:
    """Teach users what they opened before it was scanned; say how many accesses waited for that."""
    total = 0
    ready = sql.select(WAITING).join(DOCUMENTS, DOCUMENTS.c.id == WAITING.c.document).where(DOCUMENTS.c.version > 0)
    while True:
        with ledger.writing("settled") as batch:
            rows = batch.connection.execute(ready.limit(AT_ONCE)).all()
            if not rows:
                return total
            opened = [Opened(row.user, row.time, row.document, row.day) for row in rows]
            learn(batch.connection, batch.number, opened, Memory(), counted=True)
            keys = [{f"its_{name}": getattr(row, name) for name in ("document", "user", "time")} for row in rows]
            gone = (WAITING.c[name] == sql.bindparam(f"its_{name}") for name in ("document", "user", "time"))
            batch.connection.execute(sql.delete(WAITING).where(*gone), keys)
            batch.event("settled", {"accesses": len(rows)})
            total += len(rows)


def _users(batch: Batch, accesses: Iterable[Access], kept: Kept) -> dict[str, int]:
    """Give the numbers of users, by each of their spellings; add those that are new."""
    keyed = {name: batch.secrets.user(name) for name in dict.fromkeys(one.user for one in accesses)}
    names = {hash: name for name, hash in reversed(keyed.items())}
    known: dict[bytes, int] = {row.keyed: row.id for row in asked(batch.connection, OF_USERS, names)}
    fresh = [hash for hash in names if hash not in known][::-1]
    if fresh:
        known |= {hash: id for id, hash in enumerate(fresh, batch.next(USERS))}
        named = kept.users == "name"
        batch.add(USERS, [
            {
                "id": known[hash], "keyed": hash, "name": storable(names[hash]) if named else None,
                "salt": os.urandom(SALT),
            }
            for hash in fresh
        ])  # fmt: skip
    return {name: known[hash] for name, hash in keyed.items()}


def _documents(batch: Batch, accesses: Iterable[Access], kept: Kept) -> dict[str, int]:
    """Give the numbers of documents; add those that no scan has seen."""
    keyed = {batch.secrets.keyed("document", name): name for name in dict.fromkeys(one.document for one in accesses)}
    known: dict[bytes, int] = {row.keyed: row.id for row in asked(batch.connection, KNOWN, keyed)}
    fresh = {hash: (name, None) for hash, name in keyed.items() if hash not in known}
    known |= {one.keyed: one.id for one in add_documents(batch, fresh, kept)}
    return {keyed[hash]: id for hash, id in known.items()}


def _there(connection: sql.Connection, found: Mapping[tuple[int, int, int, str], int]) -> set[tuple[Any, ...]]:
    """Give those that are there, asked day by day: a clock that jumps would make one span of all years."""
    there, days = set[tuple[Any, ...]](), defaultdict[int, list[tuple[int, int]]](list)
    for user, time, _, _ in found:
        days[time // DAY].append((user, time))
    columns = (ACCESSES.c.user, ACCESSES.c.time, ACCESSES.c.document, ACCESSES.c.action)
    for some in days.values():
        users, times = {user for user, _ in some}, [time for _, time in some]
        query = sql.select(*columns).where(ACCESSES.c.time.between(min(times), max(times)))
        there.update(row for row in map(tuple, asked(connection, among(query, ACCESSES.c.user), users)) if row in found)
    return there
