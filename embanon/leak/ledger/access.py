"""Accesses to documents, each recorded once."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from embanon.leak.ledger.documents import add_documents, numbers_by
from embanon.leak.ledger.knowledge import KnowledgeCache, OpenedDocument, update_knowledge
from embanon.leak.ledger.records import DAY_MILLISECONDS, storable
from embanon.leak.ledger.schema import ACCESSES, DOCUMENTS, USERS, WAITING, sql
from embanon.leak.ledger.store import Batch, Ledger, select_in
from embanon.leak.policy import LedgerSettings

SALT_BYTES: Final = 8
BATCH_SIZE: Final = 100_000
"""Accesses that are written, or read again, at once."""


@dataclass(frozen=True, slots=True)
class Access:
    """A document that a user opened: when, in milliseconds since 1970, and on which day of the log's time zone."""

    user: str = field(repr=False)
    document: str
    time: int
    day: int
    action: str = ""


@dataclass(frozen=True, slots=True)
class WriteCounts:
    """What became of accesses."""

    new: int = 0
    known: int = 0
    """That were in the ledger before, or twice in what was given."""
    waiting: int = 0
    """Of the new ones, to documents that no scan has seen."""

    def __add__(self, other: WriteCounts) -> WriteCounts:
        return WriteCounts(self.new + other.new, self.known + other.known, self.waiting + other.waiting)


def write_accesses(
    ledger: Ledger, accesses: Sequence[Access], kept: LedgerSettings, memory: KnowledgeCache | None = None
) -> WriteCounts:
    """Write down accesses, all of them or none; those that are there already are left."""
    memory = memory or KnowledgeCache()
    with ledger.writing("accesses") as batch:
        users, documents = _user_ids(batch, accesses, kept), _document_ids(batch, accesses, kept)
        wanted = {
            (users[one.user], one.time, documents[one.document], storable(one.action)): one.day for one in accesses
        }
        there = _existing_accesses(batch.connection, wanted)
        new = [(*one, day) for one, day in wanted.items() if one not in there]
        salts = os.urandom(SALT_BYTES * len(new))
        names = ("user", "time", "document", "action", "day", "salt")
        rows = [
            dict(zip(names, (*access, salts[place * SALT_BYTES : (place + 1) * SALT_BYTES]), strict=True))
            for place, access in enumerate(new)
        ]
        batch.add(ACCESSES, rows)
        opened = [OpenedDocument(user, time, document, day, batch.number) for user, time, document, _, day in new]
        memory.invalidate(batch.number - 1)
        waiting = update_knowledge(batch.connection, batch.number, opened, memory)
    memory.batch = batch.number if batch.marks else batch.number - 1
    return WriteCounts(len(new), len(accesses) - len(new), waiting)


def settle_waiting(ledger: Ledger) -> int:
    """Teach users what they opened before it was scanned; return how many accesses waited for that."""
    total = 0
    ready = sql.select(WAITING).join(DOCUMENTS, DOCUMENTS.c.id == WAITING.c.document).where(DOCUMENTS.c.version > 0)
    while True:
        with ledger.writing("settled") as batch:
            rows = batch.connection.execute(ready.limit(BATCH_SIZE)).all()
            if not rows:
                return total
            opened = [OpenedDocument(row.user, row.time, row.document, row.day) for row in rows]
            update_knowledge(batch.connection, batch.number, opened, KnowledgeCache(), counted=True)
            keys = [{f"its_{name}": getattr(row, name) for name in ("document", "user", "time")} for row in rows]
            gone = (WAITING.c[name] == sql.bindparam(f"its_{name}") for name in ("document", "user", "time"))
            batch.connection.execute(sql.delete(WAITING).where(*gone), keys)
            batch.add_event("settled", {"accesses": len(rows)})
            total += len(rows)


def _user_ids(batch: Batch, accesses: Iterable[Access], kept: LedgerSettings) -> dict[str, int]:
    """Return the numbers of users, by each of their spellings; add those that are new."""
    keyed = {name: batch.secrets.hash_user(name) for name in dict.fromkeys(one.user for one in accesses)}
    names = {hash: name for name, hash in reversed(keyed.items())}
    known: dict[bytes, int] = numbers_by(batch.connection, USERS, "keyed", names)
    fresh = [hash for hash in names if hash not in known][::-1]
    if fresh:
        known |= {hash: id for id, hash in enumerate(fresh, batch.next_id(USERS))}
        named = kept.users == "name"
        batch.add(USERS, [
            {
                "id": known[hash], "keyed": hash, "name": storable(names[hash]) if named else None,
                "salt": os.urandom(SALT_BYTES),
            }
            for hash in fresh
        ])  # fmt: skip
    return {name: known[hash] for name, hash in keyed.items()}


def _document_ids(batch: Batch, accesses: Iterable[Access], kept: LedgerSettings) -> dict[str, int]:
    """Return the numbers of documents; add those that no scan has seen."""
    keyed = {
        batch.secrets.hash_name("document", name): name for name in dict.fromkeys(one.document for one in accesses)
    }
    known: dict[bytes, int] = numbers_by(batch.connection, DOCUMENTS, "keyed", keyed)
    fresh = {hash: (name, None) for hash, name in keyed.items() if hash not in known}
    known |= {one.keyed: one.id for one in add_documents(batch, fresh, kept)}
    return {keyed[hash]: id for hash, id in known.items()}


def _existing_accesses(
    connection: sql.Connection, wanted: Mapping[tuple[int, int, int, str], int]
) -> set[tuple[Any, ...]]:
    """Return those that are there, asked day by day: a clock that jumps would make one span of all years."""
    there, days = set[tuple[Any, ...]](), defaultdict[int, list[tuple[int, int]]](list)
    for user, time, _, _ in wanted:
        days[time // DAY_MILLISECONDS].append((user, time))
    columns = (ACCESSES.c.user, ACCESSES.c.time, ACCESSES.c.document, ACCESSES.c.action)
    for pairs in days.values():
        users, times = {user for user, _ in pairs}, [time for _, time in pairs]
        query = sql.select(*columns).where(ACCESSES.c.time.between(min(times), max(times)))
        rows = map(tuple, select_in(connection, query, ACCESSES.c.user, users))
        there.update(row for row in rows if row in wanted)
    return there
