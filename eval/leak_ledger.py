"""Make up a large ledger, to see what reports of it take.

Each document discloses each of twenty entities by a phrase, and each user opens two thousand documents in a year. Rows
are sent to the database in columns, without the marks that hold them in their chain (so that `embanon leak verify`
would refuse it), and with all that is computed beside them as the library would compute it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np
import sqlalchemy as sql

from embanon.leak.ledger.chain import LedgerKeys
from embanon.leak.ledger.documents import UPDATE_DOCUMENT
from embanon.leak.ledger.exposures import EXPOSURE, MIN_RISK, MONTH_BITS
from embanon.leak.ledger.records import MENTION, RISK_BANDS
from embanon.leak.ledger.scan import LedgerScan
from embanon.leak.ledger.schema import (
    ACCESSES,
    DISCLOSURES,
    DOCUMENTS,
    EXPOSURES,
    FOLDERS,
    HEAT,
    KNOWLEDGE,
    LEARNED,
    STANDINGS,
    USERS,
    VERSIONS,
)  # fmt: skip
from embanon.leak.ledger.store import Ledger
from embanon.leak.misuse import FACT, KnowledgeHistory
from embanon.leak.policy import Policy, PolicyEntity

ENTITIES: Final = 20
PHRASES: Final = 100
"""Of each entity."""
DEPARTMENTS, YEARS = 20, 10
"""Folders are of both."""
OPENED: Final = 2_000
"""By each user in a year."""
YEAR: Final = 365
FIRST: Final = 20_454
"""The first day, since 1970."""
DAY: Final = 86_400_000
CHANGED: Final = 0.02
"""Of the documents, by the second scan; a tenth of them is gone."""
AT_ONCE: Final = 50_000
MARK: Final = bytes(16)
SKETCH: Final = bytes(256)
ALLOWED: Final = 0.1
THRESHOLD: Final = Policy().threshold
Columns = Mapping[str, Iterable[Any]]


@dataclass(frozen=True, slots=True)
class Made:
    """What chance has chosen."""

    values: np.ndarray[Any, np.dtype[np.float64]]
    risks: np.ndarray[Any, np.dtype[np.float64]]
    """Entities × phrases."""
    allowed: np.ndarray[Any, np.dtype[np.bool_]]
    """Folders × entities."""
    told: np.ndarray[Any, np.dtype[np.int16]]
    """Documents × entities: which phrase."""
    heat: np.ndarray[Any, np.dtype[np.int64]]
    """Folders × entities × bands: documents, and those at or above the threshold."""
    secrets: LedgerKeys = field(repr=False)
    chance: np.random.Generator = field(repr=False)


def policy() -> Policy:
    """Return a policy of made-up entities."""
    return Policy(
        entities=tuple(
            PolicyEntity(f"Project {number}", "project", sensitivity=1.0 + number % 5) for number in range(ENTITIES)
        )
    )


def user_name(id: int) -> str:
    """Return what a user is called in access logs."""
    return f"user-{id}"


def document_name(id: int) -> str:
    """Return what a document is called."""
    folder = (id - 1) % (DEPARTMENTS * YEARS)
    return f"department-{folder % DEPARTMENTS}/{2000 + folder // DEPARTMENTS}/document-{id}.txt"


def as_toml(made: Policy) -> str:
    """Write a policy of names and grades."""
    rows = (f'[[entities]]\nname = "{item.name}"\nsensitivity = {item.sensitivity}\n' for item in made.entities)
    return "\n".join(rows)


def fill(ledger: Ledger, documents: int, accesses: int, seed: int = 1) -> Made:
    """Fill an empty ledger with a first scan, and with a year of accesses."""
    made_policy, chance = policy(), np.random.default_rng(seed)
    scan = LedgerScan.begin(ledger, made_policy)
    risks = 0.28 + 0.72 * chance.beta(1, 8, (ENTITIES, PHRASES))
    allowed = chance.random((DEPARTMENTS * YEARS, ENTITIES)) < ALLOWED
    told = chance.integers(0, PHRASES, (documents, ENTITIES), np.int16)
    heat = np.zeros((DEPARTMENTS * YEARS, ENTITIES, RISK_BANDS, 2), np.int64)
    made = Made(
        np.array([item.value for item in made_policy.entities]), risks, allowed, told, heat, ledger.secrets, chance
    )
    with ledger.writing("made up") as batch:
        connection = batch.connection
        names = [f"department-{n % DEPARTMENTS}/{2000 + n // DEPARTMENTS}" for n in range(DEPARTMENTS * YEARS)]
        load(connection, FOLDERS, {"id": range(1, len(names) + 1), "name": names})
        for start in range(0, documents, AT_ONCE):
            numbers = np.arange(start, min(start + AT_ONCE, documents))
            _documents(connection, made, scan.id, numbers, names)
        _heat(connection, heat)
        _users(connection, made, accesses)
    scan.end({"documents": documents})
    return made


def scan_again(ledger: Ledger, made: Made) -> None:
    """Write down a second scan, which found a part of the documents changed and some gone."""
    scan, documents = LedgerScan.begin(ledger, policy()), len(made.told)
    with ledger.writing("made up") as batch:
        numbers = np.sort(made.chance.choice(documents, int(documents * CHANGED), replace=False))
        _count(made, numbers, np.zeros(len(numbers), bool), -1)
        made.told[numbers] = made.chance.integers(0, PHRASES, (len(numbers), ENTITIES), np.int16)
        _documents(batch.connection, made, scan.id, numbers)
        batch.connection.execute(sql.delete(HEAT))
        _heat(batch.connection, made.heat)
    scan.end({"documents": documents, "changed": len(numbers)})


def _documents(
    connection: sql.Connection, made: Made, scan: int, numbers: Any, folders: Sequence[str] = ()
) -> None:  # fmt: skip
    """Write versions of documents, and the documents as they then are: the first ones where folders are given."""
    ids, size, first = numbers + 1, len(numbers), bool(folders)
    version = ids if first else np.arange(len(made.told), len(made.told) + size) + 1
    folder, entity = numbers % (DEPARTMENTS * YEARS), np.arange(ENTITIES) + 1
    gone = np.zeros(size, bool) if first else made.chance.random(size) < 0.1
    risk, allowed = _count(made, numbers, gone)
    worths = np.where(allowed | gone[:, None], 0.0, risk * made.values)
    worth = worths.max(axis=1)
    # As the library has it: of two that cost as much, the later one; none where nothing costs.
    by = np.where(worth > 0, ENTITIES - worths[:, ::-1].argmax(axis=1), 0)
    keyed = [int(id).to_bytes(16) for id in ids]
    if first:
        names = list(map(document_name, ids.tolist()))
        load(connection, DOCUMENTS, {
            "id": ids, "keyed": [made.secrets.hash_name("document", name) for name in names], "name": names,
            "folder": folder + 1, "version": version, "worth": worth,
            "entity": by,
        })  # fmt: skip
    else:
        rows = zip(ids.tolist(), version.tolist(), worth.tolist(), by.tolist(), strict=True)
        connection.execute(
            UPDATE_DOCUMENT, [dict(zip(("its", "last", "cost", "by"), row, strict=True)) for row in rows]
        )
    mentions = np.zeros((size, ENTITIES), MENTION)
    mentions["entity"], mentions["start"], mentions["end"] = entity, 10 * entity - 10, 10 * entity - 1
    mentions["phrase"], mentions["risk"] = entity * PHRASES + made.told[numbers], risk
    load(connection, VERSIONS, {
        "id": version, "document": ids, "number": [1 if first else 2] * size, "scan": [scan] * size,
        "since": [(FIRST + (0 if first else YEAR)) * DAY] * size,
        "content": [None if away else hash for away, hash in zip(gone, keyed, strict=True)],
        "fingerprint": [MARK] * size, "length": [2000] * size, "unknown": [0] * size, "label": [None] * size,
        "near": [0] * size, "worth": worth, "sketch": [SKETCH] * size,
        "mentions": [b"" if away else row.tobytes() for away, row in zip(gone, mentions, strict=True)],
    })  # fmt: skip
    here = ~gone
    told, count = risk[here].ravel(), int(here.sum())
    load(connection, DISCLOSURES, {
        "version": np.repeat(version[here], ENTITIES), "entity": np.tile(entity, count), "strength": told,
        "risk": told, "phrases": np.ones(len(told), int), "allowed": allowed[here].ravel().astype(int),
    })  # fmt: skip


def _count(made: Made, numbers: Any, gone: Any, sign: int = 1) -> tuple[Any, Any]:
    """Count documents in the heat map, or take them out; give their risks, and of whom they may tell."""
    folder, entity = numbers % (DEPARTMENTS * YEARS), np.arange(ENTITIES)
    risk, allowed = made.risks[entity, made.told[numbers]], made.allowed[folder]
    band, counted = np.minimum((risk * RISK_BANDS).astype(int), RISK_BANDS - 1), ~allowed & ~gone[:, None]
    for place, least in enumerate((0.0, THRESHOLD)):
        np.add.at(made.heat[..., place], (folder[:, None], entity, band), sign * (counted & (risk >= least)))
    return risk, allowed


def _heat(connection: sql.Connection, heat: Any) -> None:
    folder, entity, band = np.nonzero(heat[..., 0])
    documents, above = heat[folder, entity, band].T
    columns = {"folder": folder + 1, "entity": entity + 1, "band": band, "documents": documents, "above": above}
    load(connection, HEAT, columns)


def _users(connection: sql.Connection, made: Made, accesses: int) -> None:
    """Write what users opened, and what they know by it."""
    users = max(1, accesses // OPENED)
    ids = np.arange(users) + 1
    load(connection, USERS, {
        "id": ids, "keyed": [made.secrets.hash_user(user_name(id)) for id in ids.tolist()], "name": [None] * users,
        "salt": [bytes(8)] * users,
    })  # fmt: skip
    values = dict(enumerate(made.values.tolist(), 1))
    standings, knowledge, exposed = _Rows(STANDINGS), _Rows(KNOWLEDGE), _Rows(EXPOSURES)
    for user in ids.tolist():
        size = accesses // users
        times = np.unique(made.chance.integers(FIRST * DAY, (FIRST + YEAR) * DAY, size))
        opened, days = made.chance.integers(0, len(made.told), len(times)), times // DAY
        load(connection, ACCESSES, {
            "user": [user] * len(times), "time": times, "document": opened + 1, "action": ["read"] * len(times),
            "day": days, "salt": [bytes(8)] * len(times),
        })  # fmt: skip
        months, blobs = _exposures(made, opened, days)
        exposed.add(connection, [user] * len(months), months, np.array(blobs, object))
        facts = _facts(made, opened, days)
        load(connection, LEARNED, {"user": [user], "batch": [1], "facts": [facts.tobytes()]})
        course = KnowledgeHistory.from_facts(facts)
        knowledge.add(connection, [user] * len(course.entities), course.entities, course.known[-1], course.phrases)
        active, counts = np.unique(days, return_counts=True)
        worth, total, entity = course.worth(values)
        place = np.searchsorted(course.days, active, side="right") - 1
        standings.add(connection, [user] * len(active), active, counts, worth[place], total[place], entity[place])
    for rows in (standings, knowledge, exposed):
        rows.flush(connection)


def _exposures(made: Made, opened: Any, days: Any) -> tuple[list[int], list[bytes]]:
    """Return what disclosed something, by month: each document once a day."""
    day, document = np.unique(np.stack([days, opened]), axis=1)
    risks = made.risks[np.arange(ENTITIES), made.told[document]]
    row, entity = np.nonzero(risks >= MIN_RISK)
    rows = np.zeros(len(row), EXPOSURE)
    rows["day"], rows["document"], rows["entity"] = day[row], document[row] + 1, entity + 1
    rows["folder"], rows["risk"] = document[row] % (DEPARTMENTS * YEARS) + 1, risks[row, entity]
    months, starts = np.unique(rows["day"] >> MONTH_BITS, return_index=True)
    return months.tolist(), [part.tobytes() for part in np.split(rows, starts[1:])]


def _facts(made: Made, opened: Any, days: Any) -> Any:
    """Return what was learnt from documents: each phrase on the first day, from the first document of that day."""
    order = np.lexsort((opened, days))
    phrases = (np.arange(ENTITIES) + 1) * PHRASES + made.told[opened[order]]
    phrase, first = np.unique(phrases, return_index=True)
    at = order[first // ENTITIES]
    facts = np.zeros(len(phrase), FACT)
    facts["entity"], facts["phrase"] = phrase // PHRASES, phrase
    facts["risk"] = made.risks[phrase // PHRASES - 1, phrase % PHRASES]
    facts["day"], facts["version"] = days[at], opened[at] + 1
    return facts


class _Rows:
    """Gathers rows until they are worth a question."""

    def __init__(self, table: sql.Table) -> None:
        self.table, self.parts, self.size = table, list[tuple[Any, ...]](), 0

    def add(self, connection: sql.Connection, *columns: Any) -> None:
        self.parts.append(columns)
        self.size += len(columns[0])
        if self.size >= AT_ONCE:
            self.flush(connection)

    def flush(self, connection: sql.Connection) -> None:
        """Write what is gathered."""
        if self.parts:
            columns = (np.concatenate(some) for some in zip(*self.parts, strict=True))
            load(connection, self.table, dict(zip(self.table.c.keys(), columns, strict=True)))
        self.parts, self.size = [], 0


def load(connection: sql.Connection, table: sql.Table, columns: Columns) -> None:
    """Add rows that are given in columns, as fast as the database takes them; entries have no mark."""
    given = {name: some.tolist() if isinstance(some, np.ndarray) else list(some) for name, some in columns.items()}
    size = len(next(iter(given.values())))
    if "mark" in table.c:
        given |= {"batch": [0] * size, "place": list(range(size)), "mark": [MARK] * size}
    names, rows = ", ".join(f'"{name}"' for name in given), zip(*given.values(), strict=True)
    driver: Any = connection.connection.driver_connection
    if connection.dialect.name != "postgresql":
        signs = ", ".join("?" * len(given))
        driver.executemany(f'INSERT INTO "{table.name}" ({names}) VALUES ({signs})', rows).close()
        return
    with driver.cursor() as cursor, cursor.copy(f'COPY "{table.name}" ({names}) FROM STDIN') as copy:
        for row in rows:
            copy.write_row(row)
