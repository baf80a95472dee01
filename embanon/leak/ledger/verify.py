"""Verify that all entries are as they were written, and recompute what derives from them."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from hashlib import sha256
from itertools import groupby, islice
from operator import attrgetter
from typing import Any, Final

from embanon.leak.ledger.chain import (
    CHAINED_COLUMNS,
    DISCLOSURE_COLUMNS,
    HASH_BYTES,
    BatchSums,
    ChainHead,
    Fault,
    LedgerKeys,
    entry_values,
)
from embanon.leak.ledger.documents import revalue_documents
from embanon.leak.ledger.knowledge import parse_facts, rebuild_knowledge
from embanon.leak.ledger.permissions import NO_WINDOWS, is_allowed, read_windows
from embanon.leak.ledger.schema import (
    BATCHES,
    COMPUTED_TABLES,
    DISCLOSURES,
    DOCUMENTS,
    ENTITIES,
    HEAD,
    LEARNED,
    METADATA,
    TEXTS,
    TOMBSTONES,
    VALUATIONS,
    VERSIONS,
    WAITING,
    sql,
)
from embanon.leak.ledger.store import FIRST_LINK, Ledger, translate_errors
from embanon.leak.misuse import FACT, distinct_places

MAX_FAULTS: Final = 1_000
"""Faults that are reported."""
MAX_SEARCHED_BATCHES: Final = 20
"""Batches in which it is searched for what was removed."""
ROWS_AT_ONCE: Final = 10_000
ENTRY_KEYS: Final = {"accesses": ("user", "time", "document")}
"""What an entry is named by; else its number."""


@dataclass(frozen=True, slots=True)
class VerificationResult:
    """What was found."""

    batches: int
    entries: int
    faults: tuple[Fault, ...]

    @property
    def sound(self) -> bool:
        """Return whether everything is as it was written."""
        return not self.faults


def verify(ledger: Ledger, head: ChainHead | None = None, computed: bool = False) -> VerificationResult:
    """Check all entries and their chain; against a head that was kept elsewhere, also that nothing is cut off.

    What is computed is checked on demand, by computing it anew: writers have to wait for that.
    """
    run = _Verification(ledger.secrets)
    with ledger.reading() as connection:
        connection = connection.execution_options(yield_per=ROWS_AT_ONCE)
        steps: list[tuple[str, Callable[[sql.Connection], None]]] = [("batches", partial(run.check_batches, head=head))]
        steps += [(table, partial(run.check_entries, table=table)) for table in CHAINED_COLUMNS]
        steps += [("disclosures", run.check_strays), ("texts", run.check_texts), ("tombstones", run.check_tombstones)]
        for name, step in [*steps, ("batches", run.check_sums)]:
            try:
                step(connection)
            except (TypeError, ValueError, OverflowError, MemoryError):  # SQLite takes any value in any column
                run.add_fault("holds what no ledger writes", name)
    faults = [*run.faults]
    if computed and not faults:
        what = "is not what its entries give; run: embanon leak rebuild"
        faults += [Fault(what, name) for name in differing_tables(ledger)]
    return VerificationResult(run.last, run.count, tuple(faults))


class _Verification:
    """One walk through a ledger."""

    def __init__(self, secrets: LedgerKeys) -> None:
        self.secrets = secrets
        self.sums = BatchSums()
        self.faults = list[Fault]()
        self.erased = dict[int, tuple[int, int]]()
        self.count = 0
        self.last = 0
        self.chained = dict[int, tuple[str, int, bytes]]()
        """Of each batch its kind, its size, and the sum of its marks."""
        self.places = dict[int, bytearray]()
        """Of batches, at which places something was seen: sums alone could be balanced by what is there twice."""

    def add_fault(self, what: str, table: str = "", batch: int = 0, place: int = -1, about: str = "") -> None:
        """Note a fault; not more than anybody reads."""
        if len(self.faults) < MAX_FAULTS:
            numbers = batch if isinstance(batch, int) else 0, place if isinstance(place, int) else -1
            self.faults.append(Fault(what, table, *numbers, about))

    def check_entries(self, connection: sql.Connection, table: str) -> None:
        """Check the mark of each entry of a table."""
        for values, row in _read_versions(connection) if table == "versions" else _read_entries(connection, table):
            self.count += 1
            if self.secrets.sign_entry(table, row.batch, row.place, values) != row.mark:
                about = " ".join(str(getattr(row, name)) for name in ENTRY_KEYS.get(table, ("id",)))
                self.add_fault("was changed, moved or added", table, row.batch, row.place, about)
            elif table == "events" and row.kind == "erasure":
                detail = json.loads(row.detail)
                self.erased[row.id] = detail["entries"], int(detail["sum"], 16)
            self.take_place(table, row)

    def take_place(self, table: str, row: Any) -> None:
        """Note that a place of a batch is taken."""
        self.sums.add(row.batch, row.mark)
        if (places := self.places.get(row.batch)) is None:
            return  # its batch is missing or was changed, which is told
        if not 0 <= row.place < len(places) or places[row.place]:
            self.add_fault("stands where nothing does, or something else", table, row.batch, row.place)
        else:
            places[row.place] = 1

    def check_strays(self, connection: sql.Connection) -> None:
        """Find what is disclosed behind the last version; what is before it was read with a version."""
        last = sql.select(sql.func.coalesce(sql.func.max(VERSIONS.c.id), -(1 << 63))).scalar_subquery()
        query = sql.select(DISCLOSURES.c.version).where(DISCLOSURES.c.version > last).distinct().limit(MAX_FAULTS)
        for version in connection.execute(query).scalars():
            self.add_fault("was added", "disclosures", about=str(version))

    def check_texts(self, connection: sql.Connection) -> None:
        """Check that texts are those of the phrases beside which they stand."""
        for row in connection.execute(sql.select(TEXTS)):
            if not isinstance(row.text, str) or self.secrets.hash_phrase(row.text) != row.phrase:
                self.add_fault("was changed or added", "texts", about=str(row.phrase))

    def check_tombstones(self, connection: sql.Connection) -> None:
        """Check that what is erased was erased by an event that says so."""
        sums = defaultdict[int, list[int]](lambda: [0, 0])
        for row in connection.execute(sql.select(TOMBSTONES)):
            self.count += 1
            self.take_place("tombstones", row)
            sums[row.event][0] += 1
            sums[row.event][1] ^= self.secrets.hash_erased(row.mark)
        for event in sorted(sums.keys() | self.erased.keys()):
            if tuple(sums[event]) != self.erased.get(event, (0, 0)):
                self.add_fault("does not account for the entries erased by it", "events", about=str(event))

    def check_batches(self, connection: sql.Connection, head: ChainHead | None) -> None:
        """Check that batches follow each other, up to the one written last."""
        before, links = FIRST_LINK, dict[int, bytes]()
        wanted = head.batch if head else -1
        for row in connection.execute(sql.select(BATCHES).order_by(BATCHES.c.number)):
            for missing in range(self.last + 1, min(row.number, self.last + MAX_FAULTS)):
                self.add_fault("was removed", "batch", missing)
            if self.secrets.link_batch(before, row.number, row.kind, row.at, row.size, row.digest) != row.chained:
                self.add_fault("was changed, or does not follow the one before it", "batch", row.number)
            else:
                self.places[row.number] = bytearray(row.size)
            self.chained[row.number] = row.kind, row.size, row.digest
            self.last, before = row.number, row.chained
            if self.last == wanted:
                links[wanted] = before
        last = connection.execute(sql.select(HEAD)).one()
        if (last.batch, last.chained) != (self.last, before):
            self.add_fault("was removed at its end: the last batch is not the one written last", "chain")
        if head and (last.ledger.hex() != head.ledger or (wanted and links.get(wanted, b"").hex() != head.chained)):
            self.add_fault("does not lead to the head that was exported", "chain", head.batch)

    def check_sums(self, connection: sql.Connection) -> None:
        """Check that batches hold what they held."""
        searched = 0
        for number, (kind, size, digest) in self.chained.items():
            if not self.sums.matches(number, size, digest):
                searched += 1
                missing = _missing_places(connection, number, size) if searched <= MAX_SEARCHED_BATCHES else []
                for place in missing:
                    self.add_fault("was removed", "entry", number, place)
                if not missing:
                    self.add_fault("does not hold what it held", kind, number)
        for number in self.sums.unmatched_batches():
            self.add_fault("holds entries and is not in the chain", "batch", number)


def _read_entries(connection: sql.Connection, name: str) -> Iterator[tuple[tuple[Any, ...], Any]]:
    table = METADATA.tables[name]
    names = CHAINED_COLUMNS[name]
    columns = [table.c[one] for one in (*names, "batch", "place", "mark")]
    for row in connection.execute(sql.select(*columns)):
        yield tuple(row[: len(names)]), row


def _read_versions(connection: sql.Connection) -> Iterator[tuple[tuple[Any, ...], Any]]:
    """Return versions with what they disclose, both read once and in order."""
    take = entry_values("versions")
    told_columns = [DISCLOSURES.c[name] for name in ("version", *DISCLOSURE_COLUMNS)]
    told_query = sql.select(*told_columns).order_by(DISCLOSURES.c.version, DISCLOSURES.c.entity)
    query = sql.select(VERSIONS).order_by(VERSIONS.c.id)
    with connection.execute(told_query) as result, connection.execute(query) as rows:
        disclosed = result.mappings()
        disclosure = disclosed.fetchone()
        for row in rows:
            of_version = list[Mapping[Any, Any]]()
            while disclosure is not None and not _is_later(disclosure["version"], row.id):
                # What belongs to a version that is not there shows in the next one.
                of_version.append(disclosure if disclosure["version"] == row.id else {**disclosure, "entity": None})
                disclosure = disclosed.fetchone()
            yield take({**row._mapping, "disclosures": of_version}), row


def _is_later(version: Any, last: int) -> bool:
    """Return whether a version comes later; SQLite orders whatever is no number behind all numbers."""
    return not isinstance(version, int | float) or version > last


def _missing_places(connection: sql.Connection, number: int, size: int) -> list[int]:
    """Search a batch for what was removed from it."""
    places = set[int]()
    for table in (*(METADATA.tables[name] for name in CHAINED_COLUMNS), TOMBSTONES):
        places.update(connection.execute(sql.select(table.c.place).where(table.c.batch == number)).scalars())
    return list(islice((place for place in range(size) if place not in places), MAX_FAULTS))  # a size may be a lie


# What is computed


def rebuild(ledger: Ledger) -> None:
    """Compute anew all that is computed from entries."""
    with ledger.writing("rebuilt") as batch:
        _recompute(batch.connection)
        batch.add_event("rebuilt", {})


def differing_tables(ledger: Ledger) -> Sequence[str]:
    """Name the tables that would differ if they were computed anew; nothing is changed."""
    with translate_errors(ledger.where), ledger.engine.connect().execution_options(writes=True) as connection:
        transaction = connection.begin()
        try:
            connection.execute(sql.select(HEAD).with_for_update())
            before = _digests(connection)
            _recompute(connection)
            after = _digests(connection)
        finally:
            transaction.rollback()
    return [name for name, digest in before.items() if after[name] != digest]


def _recompute(connection: sql.Connection) -> None:
    last = sql.select(sql.func.max(VALUATIONS.c.id)).group_by(VALUATIONS.c.entity)
    for row in connection.execute(sql.select(VALUATIONS).where(VALUATIONS.c.id.in_(last))).all():
        change = sql.update(ENTITIES).where(ENTITIES.c.id == row.entity)
        connection.execute(change.values(value=row.value, threshold=row.threshold))
    revalue_documents(connection)
    rebuild_knowledge(connection)


def _digests(connection: sql.Connection) -> dict[str, bytes]:
    digests = {}
    documents = sql.select(DOCUMENTS.c.id, DOCUMENTS.c.version, DOCUMENTS.c.worth, DOCUMENTS.c.entity)
    entities = sql.select(ENTITIES.c.id, ENTITIES.c.value, ENTITIES.c.threshold)
    questions = {"entities": entities.order_by(ENTITIES.c.id), "documents": documents.order_by(DOCUMENTS.c.id)}
    for table in (*COMPUTED_TABLES, WAITING):
        query = sql.select(table).order_by(*table.primary_key)
        questions[table.name] = query.where(table.c.documents > 0) if "documents" in table.c else query
    for name, query in questions.items():
        digest = sha256()
        for row in connection.execute(query):
            digest.update(ascii(tuple(row)).encode())
        digests[name] = digest.digest()[:HASH_BYTES]
    return digests | {LEARNED.name: _digest_knowledge(connection)}


def _digest_knowledge(connection: sql.Connection) -> bytes:
    """Digest what users know, however many steps they learnt it in."""
    digest = sha256()
    query = sql.select(LEARNED.c.user, LEARNED.c.facts).order_by(LEARNED.c.user, LEARNED.c.batch)
    windows = read_windows(connection, connection.execute(sql.select(LEARNED.c.user).distinct()).scalars())
    for user, rows in groupby(connection.execute(query), attrgetter("user")):
        data = b"".join(row.facts if isinstance(row.facts, bytes) else b"?" for row in rows)
        if not len(data) % FACT.itemsize:  # else it is damaged, and nothing that is computed is like it
            facts = parse_facts(data)
            allowed = is_allowed(facts, windows.get(user, NO_WINDOWS))
            data = facts[distinct_places(facts, allowed)].tobytes()
        digest.update(ascii((user, data)).encode())
    return digest.digest()[:HASH_BYTES]
