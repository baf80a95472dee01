"""Find documents in a ledger, and add them: by what stands for their names, and by their folders."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from embanon.leak.ledger.ledger import Batch, select_in, where_in
from embanon.leak.ledger.records import MENTION, EntityDisclosure, RiskyPhrase, folder_of, storable
from embanon.leak.ledger.schema import DISCLOSURES, DOCUMENTS, FOLDERS, VERSIONS
from embanon.leak.ledger.sql import sql
from embanon.leak.policy import LedgerSettings

LAST_VERSIONS: Final = where_in(
    sql.select(
        DOCUMENTS.c.id, DOCUMENTS.c.keyed, DOCUMENTS.c.folder, DOCUMENTS.c.version, VERSIONS.c.content,
        VERSIONS.c.fingerprint, sql.func.coalesce(VERSIONS.c.number, 0).label("number"),
    ).join(VERSIONS, VERSIONS.c.id == DOCUMENTS.c.version, isouter=True),
    DOCUMENTS.c.keyed,
)  # fmt: skip
DOCUMENTS_BY_KEY: Final = where_in(sql.select(DOCUMENTS.c.keyed, DOCUMENTS.c.id), DOCUMENTS.c.keyed)
FOLDERS_BY_NAME: Final = where_in(sql.select(FOLDERS.c.name, FOLDERS.c.id), FOLDERS.c.name)


@dataclass(frozen=True, slots=True)
class LastVersion:
    """A document and its last version; number 0 is none, where it is only known from accesses."""

    id: int
    keyed: bytes
    folder: int
    version: int = 0
    content: bytes | None = None
    fingerprint: bytes | None = None
    number: int = 0


def find_last_versions(connection: sql.Connection, keyed: Iterable[bytes]) -> list[LastVersion]:
    """Find documents with their last version."""
    rows: Iterator[tuple[Any, ...]] = map(tuple, select_in(connection, LAST_VERSIONS, keyed))
    return [LastVersion(*row) for row in rows]


def add_documents(
    batch: Batch, fresh: Mapping[bytes, tuple[str, str | None]], kept: LedgerSettings
) -> list[LastVersion]:
    """Add documents by name and folder, without any version yet."""
    if not fresh:
        return []
    readable = kept.documents == "path"
    folders = dict[bytes, str]()
    for hash, (name, folder) in fresh.items():
        told = folder_of(name, kept.depth) if folder is None else folder
        folders[hash] = storable(told) if readable else batch.secrets.hash_name("document", told).hex()
    numbers = _add_folders(batch, sorted(set(folders.values())))
    added = [LastVersion(id, hash, numbers[folders[hash]]) for id, hash in enumerate(fresh, batch.next_id(DOCUMENTS))]
    batch.add(DOCUMENTS, [
        {
            "id": one.id, "keyed": one.keyed, "name": storable(fresh[one.keyed][0]) if readable else None,
            "folder": one.folder, "version": 0, "worth": 0.0, "entity": 0,
        }
        for one in added
    ])  # fmt: skip
    return added


def _add_folders(batch: Batch, names: Sequence[str]) -> dict[str, int]:
    known: dict[str, int] = {row.name: row.id for row in select_in(batch.connection, FOLDERS_BY_NAME, names)}
    new = [name for name in names if name not in known]
    if new:
        first = batch.next_id(FOLDERS)
        batch.add(FOLDERS, [{"id": id, "name": name} for id, name in enumerate(new, first)])
        known |= {name: id for id, name in enumerate(new, first)}
    return known


def read_disclosed(
    connection: sql.Connection, version: int, mentions: bytes, names: Mapping[int, str]
) -> tuple[EntityDisclosure, ...]:
    """Read again what a version discloses; phrases are what stands for them."""
    seen = defaultdict[int, list[RiskyPhrase]](list)
    for entity, start, end, phrase, risk in np.frombuffer(mentions, MENTION).tolist():
        seen[entity].append(RiskyPhrase(phrase, risk, start, end))
    rows = connection.execute(
        sql.select(DISCLOSURES).where(DISCLOSURES.c.version == version).order_by(DISCLOSURES.c.entity)
    )
    return tuple(
        EntityDisclosure(names[row.entity], row.strength, row.risk, tuple(seen[row.entity]), bool(row.allowed))
        for row in rows
        if row.entity in names
    )
