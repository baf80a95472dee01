"""Write down what entities are worth; where that changes, what documents and knowledge are worth changes with it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from embanon.language import key
from embanon.leak.ledger.documents import LastVersion
from embanon.leak.ledger.knowledge import revalue_users
from embanon.leak.ledger.ledger import Ledger, chunks, select_in, upsert, where_in
from embanon.leak.ledger.records import risk_band, storable
from embanon.leak.ledger.schema import DISCLOSURES, DOCUMENTS, ENTITIES, HEAT, VALUATIONS, VERSIONS
from embanon.leak.ledger.sql import sql
from embanon.leak.policy import Policy


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
        rows = [
            {"id": numbers[hash], "keyed": hash, "name": storable(wanted[hash].name) if named else None}
            for hash in new
        ]  # fmt: skip
        values = {hash: dict(zip(("value", "threshold"), worth[hash], strict=True)) for hash in (*new, *changed)}
        batch.add(ENTITIES, [row | values[hash] for row, hash in zip(rows, new, strict=True)])
        first = batch.next_id(VALUATIONS)
        batch.add(
            VALUATIONS, [{"id": id, "entity": numbers[one]} | values[one] for id, one in enumerate(values, first)]
        )
        for hash in changed:
            change = sql.update(ENTITIES).where(ENTITIES.c.id == numbers[hash])
            batch.connection.execute(change.values(**values[hash]))
        if changed:
            revalue_documents(batch.connection)
            revalue_users(batch.connection)
    return {key(item.name): numbers[hash] for hash, item in wanted.items()}


def entity_names(ledger: Ledger, connection: sql.Connection, policy: Policy | None) -> dict[int, str]:
    """Return the names of entities as a policy knows them, or the ledger where it may; else what stands for them."""
    rows = connection.execute(sql.select(ENTITIES.c.id, ENTITIES.c.keyed, ENTITIES.c.name)).all()
    items = policy.entities if policy else ()
    known = {ledger.secrets.hash_name("entity", key(item.name)): item.name for item in items}
    return {row.id: known.get(row.keyed) or row.name or row.keyed.hex()[:12] for row in rows}


DisclosureRows = Sequence[Mapping[Any, Any]]
"""What a version discloses."""
EntityValues = Mapping[int, tuple[float, float]]
"""Entity -> value and threshold."""


SELECT_VALUES: Final = where_in(sql.select(ENTITIES.c.id, ENTITIES.c.value, ENTITIES.c.threshold), ENTITIES.c.id)
SELECT_DISCLOSURES: Final = where_in(sql.select(DISCLOSURES), DISCLOSURES.c.version)
UPDATE_DOCUMENT: Final = (
    sql.update(DOCUMENTS)
    .where(DOCUMENTS.c.id == sql.bindparam("its"))
    .values(version=sql.bindparam("last"), worth=sql.bindparam("cost"), entity=sql.bindparam("by"))
)


def document_worth(told: DisclosureRows, values: EntityValues) -> tuple[float, int]:
    """Return what it would cost if a document got out, and by which entity; what may be told there costs nothing."""
    costs = ((values[row["entity"]][0] * row["risk"], row["entity"]) for row in told if not row["allowed"])
    return max(costs, default=(0.0, 0))


def read_values(connection: sql.Connection, entities: Iterable[int]) -> EntityValues:
    """Return the value and the threshold of entities."""
    return {row.id: (row.value, row.threshold) for row in select_in(connection, SELECT_VALUES, set(entities))}


class HeatCounter:
    """Documents of each folder, entity and band of risk, and how many of them are at or above the threshold."""

    def __init__(self) -> None:
        self.cells = defaultdict[tuple[int, int, int], list[int]](lambda: [0, 0])

    def count(self, folder: int, told: DisclosureRows, values: EntityValues, sign: int = 1) -> None:
        """Count a document, or take it out."""
        for row in told:
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
    values = {
        **values,
        **read_values(connection, {row["entity"] for rows in old.values() for row in rows} - values.keys()),
    }
    heat = HeatCounter()
    for one in before:
        heat.count(one.folder, old.get(one.version, ()), values, -1)
        heat.count(one.folder, made[one.id][1], values)
    heat.save(connection)
    _update_documents(connection, [(document, *version) for document, version in made.items()], values)


def revalue_documents(connection: sql.Connection) -> None:
    """Compute anew which version of a document is its last, what that is worth, and the heat map."""
    heat = HeatCounter()
    last = (
        sql.select(VERSIONS.c.document, sql.func.max(VERSIONS.c.id).label("id"))
        .group_by(VERSIONS.c.document)
        .subquery()
    )
    query = sql.select(DOCUMENTS.c.id, DOCUMENTS.c.folder, sql.func.coalesce(last.c.id, 0).label("last"))
    query = query.join(last, last.c.document == DOCUMENTS.c.id, isouter=True).order_by(DOCUMENTS.c.id)
    for some in chunks(connection.execute(query).all()):
        told = disclosures_by_version(connection, [row.last for row in some])
        values = read_values(connection, (row["entity"] for rows in told.values() for row in rows))
        for row in some:
            heat.count(row.folder, told.get(row.last, ()), values)
        _update_documents(connection, [(row.id, row.last, told.get(row.last, ())) for row in some], values)
    connection.execute(sql.delete(HEAT))
    heat.save(connection)


def _update_documents(
    connection: sql.Connection, changes: Sequence[tuple[int, int, DisclosureRows]], values: EntityValues
) -> None:
    """Write down the last version of documents, and what it is worth."""
    rows = []
    for document, version, told in changes:
        cost, entity = document_worth(told, values)
        rows.append({"its": document, "last": version, "cost": cost, "by": entity})
    connection.execute(UPDATE_DOCUMENT, rows)


def disclosures_by_version(connection: sql.Connection, versions: Sequence[int]) -> dict[int, list[Mapping[Any, Any]]]:
    """Return what versions disclose."""
    found = defaultdict[int, list[Mapping[Any, Any]]](list)
    for row in select_in(connection, SELECT_DISCLOSURES, versions):
        found[row.version].append(row._mapping)
    return found
