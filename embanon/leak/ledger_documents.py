"""Find documents in a ledger, and add them: by what stands for their names, and by their folders."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from embanon.leak.ledger import Batch, chunks
from embanon.leak.ledger_rows import MENTION, Disclosed, Seen, folder_of, storable
from embanon.leak.ledger_schema import DISCLOSURES, DOCUMENTS, FOLDERS, SCANNED
from embanon.leak.ledger_sql import sql
from embanon.leak.policy import Kept


def last(connection: sql.Connection, keyed: Iterable[bytes]) -> list[sql.RowMapping]:
    """Give documents with their last version; one that is only known from accesses has number 0."""
    number = sql.func.coalesce(SCANNED.c.number, 0).label("number")
    version = (SCANNED.c.content, SCANNED.c.fingerprint, number)
    query = sql.select(DOCUMENTS.c.id, DOCUMENTS.c.keyed, DOCUMENTS.c.version, *version)
    query = query.join(SCANNED, SCANNED.c.id == DOCUMENTS.c.version, isouter=True)
    return [
        row
        for some in chunks(keyed)
        for row in connection.execute(query.where(DOCUMENTS.c.keyed.in_(some))).mappings().all()
    ]


def add_documents(batch: Batch, fresh: Mapping[bytes, tuple[str, str | None]], kept: Kept) -> dict[bytes, int]:
    """Add documents by name and folder, without any version yet."""
    if not fresh:
        return {}
    readable = kept.documents == "path"
    folders = dict[str, str]()
    for name, folder in fresh.values():
        told = folder_of(name, kept.depth) if folder is None else folder
        folders[name] = storable(told) if readable else batch.secrets.keyed("document", told).hex()
    numbers = _add_folders(batch, sorted(set(folders.values())))
    first = batch.next(DOCUMENTS)
    rows = [
        {
            "id": id, "keyed": hash, "name": storable(name) if readable else None, "folder": numbers[folders[name]],
            "version": 0, "worth": 0.0, "entity": 0,
        }
        for id, (hash, (name, _)) in enumerate(fresh.items(), first)
    ]  # fmt: skip
    batch.add(DOCUMENTS, rows)
    return {row["keyed"]: row["id"] for row in rows}  # type: ignore[misc]


def _add_folders(batch: Batch, names: Sequence[str]) -> dict[str, int]:
    known = dict[str, int]()
    for some in chunks(names):
        query = sql.select(FOLDERS.c.name, FOLDERS.c.id).where(FOLDERS.c.name.in_(some))
        known |= {row.name: row.id for row in batch.connection.execute(query)}
    new = [name for name in names if name not in known]
    if new:
        first = batch.next(FOLDERS)
        batch.add(FOLDERS, [{"id": id, "name": name} for id, name in enumerate(new, first)])
        known |= {name: id for id, name in enumerate(new, first)}
    return known


def disclosed_of(
    connection: sql.Connection, version: int, mentions: bytes, names: Mapping[int, str]
) -> tuple[Disclosed, ...]:
    """Read again what a version discloses; phrases are what stands for them."""
    seen = defaultdict[int, list[Seen]](list)
    for entity, start, end, phrase, risk in np.frombuffer(mentions, MENTION).tolist():
        seen[entity].append(Seen(phrase, risk, start, end))
    rows = connection.execute(
        sql.select(DISCLOSURES).where(DISCLOSURES.c.version == version).order_by(DISCLOSURES.c.entity)
    )
    return tuple(
        Disclosed(names[row.entity], row.strength, row.risk, tuple(seen[row.entity]), bool(row.allowed))
        for row in rows
        if row.entity in names
    )
