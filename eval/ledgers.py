"""Measure ledgers: `python -m eval.ledgers --documents 100000 --accesses 1000000 [--ledger postgresql://…]`.

Documents are made up, each of which discloses every entity by two phrases out of thousands: more than real ones do. So
are the accesses, of users that open some documents far more often than others, evenly over a hundred days. The floor of
a report is to count all accesses where they are written, which is the least that one without computed tables would do.
"""

from __future__ import annotations

import argparse
import io
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np

from embanon.leak.access import import_log
from embanon.leak.ledger import Ledger
from embanon.leak.ledger_report import alarms, report
from embanon.leak.ledger_rows import Disclosed, Found, Seen
from embanon.leak.ledger_scan import Scan
from embanon.leak.ledger_verify import verify
from embanon.leak.policy import Item, Policy
from eval.speed import machine

LIBRARIES: Final = ("sqlalchemy", "psycopg", "numpy")
PHRASES: Final = 5_000
"""Of each entity."""
START: Final = 1_700_000_000
DAYS: Final = 100
AT_ONCE: Final = 500


@dataclass(frozen=True, slots=True)
class Size:
    """How much there is."""

    documents: int
    entities: int
    accesses: int
    users: int


def name_of(number: int) -> str:
    """Give the path of a document."""
    return f"folder {number % 40}/part {number % 7}/{number}.txt"


def document(number: int, entities: int, chance: np.random.Generator) -> Found:
    """Make up what is found in a document."""
    risks = np.round(chance.uniform(0.01, 0.3, (entities, 2)), 3).tolist()
    phrases = chance.integers(0, PHRASES, (entities, 2)).tolist()
    told = tuple(
        Disclosed(
            f"Entity {entity}", max(risks[entity]), max(risks[entity]),
            tuple(
                Seen(phrase * entities + entity, risk, 10 * place, 10 * place + 5)
                for place, (phrase, risk) in enumerate(zip(phrases[entity], risks[entity], strict=True))
            ),
        )
        for entity in range(entities)
    )  # fmt: skip
    return Found(name_of(number), number.to_bytes(8), told, 1000)


def log(size: Size, chance: np.random.Generator) -> bytes:
    """Make up an access log."""
    times = np.sort(chance.integers(0, DAYS * 86_400, size.accesses)) + START
    users = chance.integers(0, size.users, size.accesses)
    opened = (size.documents * chance.random(size.accesses) ** 2).astype(np.int64)
    rows = zip(times.tolist(), users.tolist(), opened.tolist(), strict=True)
    return "".join(f"{at},user {user},{name_of(number)}\n" for at, user, number in rows).encode()


def timed(do: Callable[[], Any]) -> float:
    """Give the seconds that something takes."""
    started = time.perf_counter()
    do()
    return time.perf_counter() - started


def measured(ledger: Ledger, size: Size) -> Iterator[str]:
    """Give the lines of the table."""
    chance = np.random.default_rng(1)
    policy = Policy(entities=tuple(Item(f"Entity {n}", sensitivity=1 + n % 5) for n in range(size.entities)))
    scan, seconds = Scan.begin(ledger, policy), 0.0
    for start in range(0, size.documents, AT_ONCE):
        end = min(start + AT_ONCE, size.documents)
        found = [document(number, size.entities, chance) for number in range(start, end)]
        seconds += timed(lambda found=found: scan.record(found))  # type: ignore[misc]
    yield f"documents written, {AT_ONCE} at once{'':16}{seconds / size.documents * 1000:10.2f} ms each"
    single = [document(size.documents + number, size.entities, chance) for number in range(200)]
    seconds = timed(lambda: [scan.record([one]) for one in single])
    yield f"documents written, each on its own{'':12}{seconds / len(single) * 1000:10.2f} ms each"
    data = io.BytesIO(log(size, chance))
    yield f"access log read in{'':28}{timed(lambda: import_log(ledger, data, 'log', policy)):10.1f} s"
    yield f"report{'':40}{timed(lambda: report(ledger, policy)):10.2f} s"
    since = START // 86_400 + DAYS - 30
    yield f"alerts of thirty days{'':25}{timed(lambda: alarms(ledger, policy, since)):10.2f} s"
    yield f"floor: accesses counted{'':23}{timed(lambda: _counted(ledger)):10.2f} s"
    yield f"verified{'':38}{timed(lambda: verify(ledger)):10.1f} s"


def _counted(ledger: Ledger) -> None:
    with ledger.reading() as connection:
        connection.exec_driver_sql('SELECT "user", day, count(*) FROM accesses GROUP BY "user", day').all()


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(prog="python -m eval.ledgers", description=__doc__)
    parser.add_argument("--ledger", help="address of an empty database; else a file of SQLite")
    parser.add_argument("--documents", type=int, default=100_000)
    parser.add_argument("--entities", type=int, default=20)
    parser.add_argument("--accesses", type=int, default=1_000_000)
    parser.add_argument("--users", type=int, default=1_000)
    parser.add_argument("--data", type=Path, help=argparse.SUPPRESS)  # as all of `make bench`
    options = parser.parse_args(arguments)
    size = Size(options.documents, options.entities, options.accesses, options.users)
    print(f"{machine(LIBRARIES)}\n{size}\n", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        where = options.ledger or f"{folder}/ledger.db"
        with Ledger.open(where, b"a key to measure by", create=True) as ledger:
            print(f"on {ledger.engine.dialect.name}", flush=True)
            for line in measured(ledger, size):
                print(line, flush=True)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
