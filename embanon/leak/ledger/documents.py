"""The documents of a ledger, and what they and the entities are worth; where that changes, all follows."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from embanon.language import key
from embanon.leak.ledger.knowledge import revalue_users
from embanon.leak.ledger.records import MENTION, EntityDisclosure, RiskyPhrase, folder_of, risk_band, storable
from embanon.leak.ledger.schema import DISCLOSURES, DOCUMENTS, ENTITIES, FOLDERS, HEAT, VALUATIONS, VERSIONS, sql
from embanon.leak.ledger.store import Batch, Ledger, chunks, select_in, upsert
from embanon.leak.policy import LedgerSettings, Policy

LAST_VERSIONS: Final = sql.select(
    DOCUMENTS.c.id, DOCUMENTS.c.keyed, DOCUMENTS.c.folder, DOCUMENTS.c.version, VERSIONS.c.content,
    VERSIONS.c.fingerprint, sql.func.coalesce(VERSIONS.c.number, 0).label("number"),
).join(VERSIONS, VERSIONS.c.id == DOCUMENTS.c.version, isouter=True)  # fmt: skip


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
    return [LastVersion(*row) for row in select_in(connection, LAST_VERSIONS, DOCUMENTS.c.keyed, keyed)]


def add_documents(
    batch: Batch, fresh: Mapping[bytes, tuple[str, str | None]], kept: LedgerSettings
) -> list[LastVersion]:
    """Add documents by name and folder, without any version yet."""
    if not fresh:
        return []
    readable = kept.documents == "path"
    folders = dict[bytes, str]()
    for hash, (name, folder) in fresh.items():
        path = folder_of(name, kept.depth) if folder is None else folder
        folders[hash] = storable(path) if readable else batch.secrets.hash_name("document", path).hex()
    numbers = _add_folders(batch, sorted(set(folders.values())))
    added = [LastVersion(id, hash, numbers[folders[hash]]) for id, hash in enumerate(fresh, batch.next_id(DOCUMENTS))]
    batch.add(DOCUMENTS, [
        {
            "id": document.id, "keyed": document.keyed, "folder": document.folder, "version": 0, "worth": 0.0,
            "entity": 0, "name": storable(fresh[document.keyed][0]) if readable else None,
        }
        for document in added
    ])  # fmt: skip
    return added


def numbers_by(connection: sql.Connection, table: sql.Table, name: str, values: Iterable[Any]) -> dict[Any, int]:
    """Return the numbers of entries by the values of a column, those that there are."""
    rows = select_in(connection, sql.select(table), table.c[name], values)
    return {row._mapping[name]: row.id for row in rows}


def _add_folders(batch: Batch, names: Sequence[str]) -> dict[str, int]:
    known = numbers_by(batch.connection, FOLDERS, "name", names)
    new = [name for name in names if name not in known]
    if new:
        first = batch.next_id(FOLDERS)
        batch.add(FOLDERS, [{"id": id, "name": name} for id, name in enumerate(new, first)])
        known |= {name: id for id, name in enumerate(new, first)}
    return known


def read_disclosed(
    connection: sql.Connection, version: int, mentions: bytes, names: Mapping[int, str]
) -> tuple[EntityDisclosure, ...]:
    """Read again what a version discloses, with pseudonyms for phrases."""
    seen = defaultdict[int, list[RiskyPhrase]](list)
    for entity, start, end, phrase, risk in np.frombuffer(mentions, MENTION).tolist():
        seen[entity].append(RiskyPhrase(phrase, risk, start, end))
    query = sql.select(DISCLOSURES).where(DISCLOSURES.c.version == version).order_by(DISCLOSURES.c.entity)
    return tuple(
        EntityDisclosure(names[row.entity], row.strength, row.risk, tuple(seen[row.entity]), bool(row.allowed))
        for row in connection.execute(query)
        if row.entity in names
    )


def adopt_policy(ledger: Ledger, policy: Policy) -> dict[str, int]:
    """Take over what entities are worth, and give their numbers by the key of their name."""
    wanted = {ledger.secrets.hash_name("entity", key(item.name)): item for item in policy.entities}
    worth = {hash: (float(item.value), float(policy.threshold_of(item))) for hash, item in wanted.items()}
    with ledger.writing("policy") as batch:
        known = {row.keyed: row for row in batch.connection.execute(sql.select(ENTITIES))}
        new = [hash for hash in wanted if hash not in known]
        changed = [hash for hash, row in known.items() if hash in worth and (row.value, row.threshold) != worth[hash]]
        numbers = {hash: row.id for hash, row in known.items()}
        numbers |= {hash: id for id, hash in enumerate(new, batch.next_id(ENTITIES))}
        named = policy.ledger.text
        values = {hash: dict(zip(("value", "threshold"), worth[hash], strict=True)) for hash in (*new, *changed)}
        batch.add(ENTITIES, [
            {"id": numbers[hash], "keyed": hash, "name": storable(wanted[hash].name) if named else None, **values[hash]}
            for hash in new
        ])  # fmt: skip
        valued = enumerate(values, batch.next_id(VALUATIONS))
        batch.add(VALUATIONS, [{"id": id, "entity": numbers[hash], **values[hash]} for id, hash in valued])
        for hash in changed:
            change = sql.update(ENTITIES).where(ENTITIES.c.id == numbers[hash])
            batch.connection.execute(change.values(**values[hash]))
        if changed:
            revalue_documents(batch.connection)
            revalue_users(batch.connection)
    return {key(item.name): numbers[hash] for hash, item in wanted.items()}


def entity_names(ledger: Ledger, connection: sql.Connection, policy: Policy | None) -> dict[int, str]:
    """Return the names of entities from the policy, or the ledger where allowed; else their pseudonyms."""
    rows = connection.execute(sql.select(ENTITIES.c.id, ENTITIES.c.keyed, ENTITIES.c.name)).all()
    items = policy.entities if policy else ()
    known = {ledger.secrets.hash_name("entity", key(item.name)): item.name for item in items}
    return {row.id: known.get(row.keyed) or row.name or row.keyed.hex()[:12] for row in rows}


DisclosureRows = Sequence[Mapping[Any, Any]]
"""What a version discloses."""
EntityValues = Mapping[int, tuple[float, float]]
"""Entity -> value and threshold."""


UPDATE_DOCUMENT: Final = (
    sql.update(DOCUMENTS)
    .where(DOCUMENTS.c.id == sql.bindparam("its"))
    .values(version=sql.bindparam("last"), worth=sql.bindparam("cost"), entity=sql.bindparam("by"))
)


def document_worth(disclosed: DisclosureRows, values: EntityValues) -> tuple[float, int]:
    """Return the cost if a document leaked, and of which entity; what is allowed there costs nothing."""
    costs = ((values[row["entity"]][0] * row["risk"], row["entity"]) for row in disclosed if not row["allowed"])
    return max(costs, default=(0.0, 0))


def read_values(connection: sql.Connection, entities: Iterable[int]) -> EntityValues:
    """Return the value and the threshold of entities."""
    rows = select_in(connection, sql.select(ENTITIES), ENTITIES.c.id, set(entities))
    return {row.id: (row.value, row.threshold) for row in rows}


class HeatCounter:
    """Documents of each folder, entity and band of risk, and how many of them are at or above the threshold."""

    def __init__(self) -> None:
        self.cells = defaultdict[tuple[int, int, int], list[int]](lambda: [0, 0])

    def count(self, folder: int, disclosed: DisclosureRows, values: EntityValues, sign: int = 1) -> None:
        """Count a document, or take it out."""
        for row in disclosed:
            if not row["allowed"]:
                cell = self.cells[folder, row["entity"], risk_band(row["risk"])]
                cell[0] += sign
                cell[1] += sign * int(row["risk"] >= values[row["entity"]][1])

    def save(self, connection: sql.Connection) -> None:
        """Add to what is counted."""
        names = ("folder", "entity", "band", "documents", "above")
        cells = sorted((cell, counts) for cell, counts in self.cells.items() if any(counts))
        rows = [dict(zip(names, (*cell, *counts), strict=True)) for cell, counts in cells]
        upsert(connection, HEAT, rows, ("documents", "above"))


def replace_versions(
    connection: sql.Connection,
    before: Sequence[LastVersion],
    made: Mapping[int, tuple[int, DisclosureRows]],
    values: EntityValues,
) -> None:
    """Count documents by their new versions, and what these disclose, instead of those before."""
    old = disclosures_by_version(connection, [one.version for one in before if one.version])
    further = {row["entity"] for rows in old.values() for row in rows} - values.keys()
    values = {**values, **read_values(connection, further)}
    heat = HeatCounter()
    for last in before:
        heat.count(last.folder, old.get(last.version, ()), values, -1)
        heat.count(last.folder, made[last.id][1], values)
    heat.save(connection)
    _update_documents(connection, [(document, *version) for document, version in made.items()], values)


def revalue_documents(connection: sql.Connection) -> None:
    """Compute anew which version of a document is its last, what that is worth, and the heat map."""
    heat = HeatCounter()
    newest = sql.select(VERSIONS.c.document, sql.func.max(VERSIONS.c.id).label("id"))
    last = newest.group_by(VERSIONS.c.document).subquery()
    query = sql.select(DOCUMENTS.c.id, DOCUMENTS.c.folder, sql.func.coalesce(last.c.id, 0).label("last"))
    query = query.join(last, last.c.document == DOCUMENTS.c.id, isouter=True).order_by(DOCUMENTS.c.id)
    for chunk in chunks(connection.execute(query).all()):
        disclosed = disclosures_by_version(connection, [row.last for row in chunk])
        values = read_values(connection, (row["entity"] for rows in disclosed.values() for row in rows))
        for row in chunk:
            heat.count(row.folder, disclosed.get(row.last, ()), values)
        _update_documents(connection, [(row.id, row.last, disclosed.get(row.last, ())) for row in chunk], values)
    connection.execute(sql.delete(HEAT))
    heat.save(connection)


def _update_documents(
    connection: sql.Connection, changes: Sequence[tuple[int, int, DisclosureRows]], values: EntityValues
) -> None:
    """Write down the last version of documents, and what it is worth."""
    rows = []
    for document, version, disclosed in changes:
        cost, entity = document_worth(disclosed, values)
        rows.append({"its": document, "last": version, "cost": cost, "by": entity})
    connection.execute(UPDATE_DOCUMENT, rows)


def disclosures_by_version(connection: sql.Connection, versions: Sequence[int]) -> dict[int, list[Mapping[Any, Any]]]:
    """Return what versions disclose."""
    disclosed = defaultdict[int, list[Mapping[Any, Any]]](list)
    for row in select_in(connection, sql.select(DISCLOSURES), DISCLOSURES.c.version, versions):
        disclosed[row.version].append(row._mapping)
    return disclosed
