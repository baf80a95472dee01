"""Find out whether all entries are as they were written, and compute anew what is computed from them."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, Final

from embanon.leak.ledger import START, Ledger, told
from embanon.leak.ledger_chain import BYTES, DISCLOSED, HELD, Fault, Head, Secrets, Sums, held
from embanon.leak.ledger_learn import relearn
from embanon.leak.ledger_schema import (
    BATCHES,
    COMPUTED,
    DISCLOSURES,
    DOCUMENTS,
    ENTITIES,
    HEAD,
    METADATA,
    SCANNED,
    TOMBSTONES,
    VALUES,
)
from embanon.leak.ledger_sql import sql
from embanon.leak.ledger_worth import revalue

MOST: Final = 1_000
"""Faults that are told."""
SEARCHED: Final = 20
"""Batches in which it is searched for what was removed."""
AT_ONCE: Final = 10_000
KEYS: Final = {"accesses": ("user", "time", "document")}
"""What an entry is named by; else its number."""


@dataclass(frozen=True, slots=True)
class Verified:
    """What was found."""

    batches: int
    entries: int
    faults: tuple[Fault, ...]

    @property
    def sound(self) -> bool:
        """Say whether everything is as it was written."""
        return not self.faults


def verify(ledger: Ledger, head: Head | None = None, computed: bool = False) -> Verified:
    """Check all entries and their chain; against a head that was kept elsewhere, also that nothing is cut off.

    What is computed is checked on demand, by computing it anew: writers have to wait for that.
    """
    run = _Run(ledger.secrets)
    with ledger.reading() as connection:
        connection = connection.execution_options(yield_per=AT_ONCE)
        for table in HELD:
            run.entries(connection, table)
        run.strays(connection)
        run.tombstones(connection)
        batches = run.chain(connection, head)
    faults = [*run.faults]
    if computed and not faults:
        faults += [Fault("is not what its entries give; run: embanon leak rebuild", name) for name in differing(ledger)]
    return Verified(batches, run.count, tuple(faults[:MOST]))


class _Run:
    """One walk through a ledger."""

    def __init__(self, secrets: Secrets) -> None:
        self.secrets = secrets
        self.sums = Sums()
        self.faults = list[Fault]()
        self.erased = dict[int, tuple[int, int]]()
        self.count = 0

    def entries(self, connection: sql.Connection, table: str) -> None:
        """Check the mark of each entry of a table."""
        for values, row in _versions(connection) if table == "versions" else _rows(connection, table):
            self.count += 1
            if self.secrets.mark(table, row.batch, row.place, values) != row.mark:
                about = " ".join(str(getattr(row, name)) for name in KEYS.get(table, ("id",)))
                self.faults.append(Fault("was changed, moved or added", table, row.batch, row.place, about))
            elif table == "events" and row.kind == "erasure":
                detail = json.loads(row.detail)
                self.erased[row.id] = detail["entries"], int(detail["sum"], 16)
            self.sums.add(row.batch, row.mark)

    def strays(self, connection: sql.Connection) -> None:
        """Find what is disclosed behind the last version; what is before it was read with a version."""
        last = sql.select(sql.func.coalesce(sql.func.max(SCANNED.c.id), 0)).scalar_subquery()
        query = sql.select(DISCLOSURES.c.version).where(DISCLOSURES.c.version > last).distinct().limit(MOST)
        for version in connection.execute(query).scalars():
            self.faults.append(Fault("was added", "disclosures", about=str(version)))

    def tombstones(self, connection: sql.Connection) -> None:
        """Check that what is erased was erased by an event that says so."""
        found = defaultdict[int, list[int]](lambda: [0, 0])
        for row in connection.execute(sql.select(TOMBSTONES)):
            self.count += 1
            self.sums.add(row.batch, row.mark)
            found[row.event][0] += 1
            found[row.event][1] ^= self.secrets.buried(row.mark)
        for event in sorted(found.keys() | self.erased.keys()):
            if tuple(found[event]) != self.erased.get(event, (0, 0)):
                self.faults.append(Fault("does not account for the entries erased by it", "events", about=str(event)))

    def chain(self, connection: sql.Connection, head: Head | None) -> int:
        """Check that batches follow each other, and hold what they held."""
        last, before, links, searched = 0, START, dict[int, bytes](), 0
        wanted = head.batch if head else -1
        for row in connection.execute(sql.select(BATCHES).order_by(BATCHES.c.number)):
            for missing in range(last + 1, min(row.number, last + MOST)):
                self.faults.append(Fault("was removed", "batch", missing))
            if self.secrets.link(before, row.number, row.kind, row.at, row.size, row.digest) != row.chained:
                self.faults.append(Fault("was changed, or does not follow the one before it", "batch", row.number))
            if not self.sums.agree(row.number, row.size, row.digest):
                searched += 1
                found = list(_missing(connection, row.number, row.size)) if searched <= SEARCHED else []
                self.faults += found or [Fault("does not hold what it held", row.kind, row.number)]
            last, before = row.number, row.chained
            if last == wanted:
                links[last] = before
        self.faults += [Fault("holds entries and is not in the chain", "batch", number) for number in self.sums.rest()]
        own = connection.execute(sql.select(HEAD)).one()
        if (own.batch, own.chained) != (last, before):
            self.faults.append(Fault("was removed at its end: the last batch is not the one written last", "chain"))
        if head and (own.ledger.hex() != head.ledger or (wanted and links.get(wanted, b"").hex() != head.chained)):
            self.faults.append(Fault("does not lead to the head that was exported", "chain", head.batch))
        return last


def _rows(connection: sql.Connection, name: str) -> Iterator[tuple[tuple[Any, ...], Any]]:
    table = METADATA.tables[name]
    names = HELD[name]
    columns = [table.c[one] for one in (*names, "batch", "place", "mark")]
    for row in connection.execute(sql.select(*columns)):
        yield tuple(row[: len(names)]), row


def _versions(connection: sql.Connection) -> Iterator[tuple[tuple[Any, ...], Any]]:
    """Give versions with what they disclose, both read once and in order."""
    take = held("versions")
    told_columns = [DISCLOSURES.c[name] for name in ("version", *DISCLOSED)]
    told_query = sql.select(*told_columns).order_by(DISCLOSURES.c.version, DISCLOSURES.c.entity)
    query = sql.select(SCANNED).order_by(SCANNED.c.id)
    with connection.execute(told_query) as result, connection.execute(query) as rows:
        disclosed = result.mappings()
        one = disclosed.fetchone()
        for row in rows:
            some = []
            while one is not None and one["version"] <= row.id:  # a lower one belongs to no version: it shows here
                some.append(one)
                one = disclosed.fetchone()
            yield take({**row._mapping, "disclosures": some}), row


def _missing(connection: sql.Connection, number: int, size: int) -> Iterator[Fault]:
    """Search a batch for what was removed from it."""
    places = set[int]()
    for table in (*(METADATA.tables[name] for name in HELD), TOMBSTONES):
        places.update(connection.execute(sql.select(table.c.place).where(table.c.batch == number)).scalars())
    for place in sorted(set(range(size)) - places)[:MOST]:
        yield Fault("was removed", "entry", number, place)


# What is computed


def rebuild(ledger: Ledger) -> None:
    """Compute anew all that is computed from entries."""
    with ledger.writing("rebuilt") as batch:
        _compute(batch.connection)
        batch.event("rebuilt", {})


def differing(ledger: Ledger) -> Sequence[str]:
    """Name the tables that would differ if they were computed anew; nothing is changed."""
    with told(ledger.where), ledger.engine.connect().execution_options(writes=True) as connection:
        transaction = connection.begin()
        try:
            connection.execute(sql.select(HEAD).with_for_update())
            before = _digests(connection)
            _compute(connection)
            after = _digests(connection)
        finally:
            transaction.rollback()
    return [name for name, digest in before.items() if after[name] != digest]


def _compute(connection: sql.Connection) -> None:
    last = sql.select(sql.func.max(VALUES.c.id)).group_by(VALUES.c.entity)
    for row in connection.execute(sql.select(VALUES).where(VALUES.c.id.in_(last))).all():
        change = sql.update(ENTITIES).where(ENTITIES.c.id == row.entity)
        connection.execute(change.values(value=row.value, threshold=row.threshold))
    revalue(connection)
    relearn(connection)


def _digests(connection: sql.Connection) -> dict[str, bytes]:
    found = {}
    documents = sql.select(DOCUMENTS.c.id, DOCUMENTS.c.version, DOCUMENTS.c.worth, DOCUMENTS.c.entity)
    entities = sql.select(ENTITIES.c.id, ENTITIES.c.value, ENTITIES.c.threshold)
    questions = {"entities": entities.order_by(ENTITIES.c.id), "documents": documents.order_by(DOCUMENTS.c.id)}
    for table in COMPUTED:
        query = sql.select(table).order_by(*table.primary_key)
        questions[table.name] = query.where(table.c.documents > 0) if "documents" in table.c else query
    for name, query in questions.items():
        digest = sha256()
        for row in connection.execute(query):
            digest.update(ascii(tuple(row)).encode())
        found[name] = digest.digest()[:BYTES]
    return found
