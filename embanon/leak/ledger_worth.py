"""Compute what documents are worth, and how many of a folder disclose an entity how much: the heat map."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from embanon.leak.ledger import chunks, merge
from embanon.leak.ledger_rows import band
from embanon.leak.ledger_schema import DISCLOSURES, DOCUMENTS, ENTITIES, HEAT, SCANNED
from embanon.leak.ledger_sql import sql

Rows = Sequence[sql.RowMapping]


def worth(disclosed: Iterable[Mapping[Any, Any]], values: Mapping[int, float]) -> tuple[float, int]:
    """Give what it would cost if a document got out, and by which entity; what may be told there costs nothing."""
    costs = ((values[row["entity"]] * row["risk"], row["entity"]) for row in disclosed if not row["allowed"])
    return max(costs, default=(0.0, 0))


def valued(connection: sql.Connection, entities: Iterable[int]) -> dict[int, tuple[float, float]]:
    """Give the value and the threshold of entities."""
    found = dict[int, tuple[float, float]]()
    for some in chunks(set(entities)):
        query = sql.select(ENTITIES.c.id, ENTITIES.c.value, ENTITIES.c.threshold).where(ENTITIES.c.id.in_(some))
        found |= {row.id: (row.value, row.threshold) for row in connection.execute(query)}
    return found


class Heat:
    """Documents of each folder, entity and band of risk, and how many of them are at or above the threshold."""

    def __init__(self) -> None:
        self.cells = defaultdict[tuple[int, int, int], list[int]](lambda: [0, 0])

    def count(self, folder: int, told: Rows, values: Mapping[int, tuple[float, float]], sign: int = 1) -> None:
        """Count a document, or take it out."""
        for row in told:
            if not row["allowed"]:
                cell = self.cells[folder, row["entity"], band(row["risk"])]
                cell[0] += sign
                cell[1] += sign * int(row["risk"] >= values[row["entity"]][1])

    def add(self, connection: sql.Connection) -> None:
        """Add to what is counted."""
        names = ("folder", "entity", "band", "documents", "above")
        cells = sorted((cell, counts) for cell, counts in self.cells.items() if any(counts))
        rows = [dict(zip(names, (*cell, *counts), strict=True)) for cell, counts in cells]
        merge(connection, HEAT, rows, ("documents", "above"))


def replace(connection: sql.Connection, before: Mapping[int, int], made: Mapping[int, int]) -> None:
    """Count documents by their new versions instead of those before."""
    folders = dict[int, int]()
    for some in chunks(made):
        query = sql.select(DOCUMENTS.c.id, DOCUMENTS.c.folder).where(DOCUMENTS.c.id.in_(some))
        folders |= {row.id: row.folder for row in connection.execute(query)}
    told = _disclosures(connection, [*filter(None, before.values()), *made.values()])
    values = valued(connection, (row["entity"] for rows in told.values() for row in rows))
    heat, changes = Heat(), []
    for document, version in made.items():
        heat.count(folders[document], told.get(before[document], ()), values, -1)
        heat.count(folders[document], told.get(version, ()), values)
        changes.append((document, version, told.get(version, ())))
    heat.add(connection)
    _set(connection, changes, values)


def revalue(connection: sql.Connection) -> None:
    """Compute anew which version of a document is its last, what that is worth, and the heat map."""
    heat = Heat()
    last = (
        sql.select(SCANNED.c.document, sql.func.max(SCANNED.c.id).label("id")).group_by(SCANNED.c.document).subquery()
    )
    query = sql.select(DOCUMENTS.c.id, DOCUMENTS.c.folder, sql.func.coalesce(last.c.id, 0).label("last"))
    query = query.join(last, last.c.document == DOCUMENTS.c.id, isouter=True).order_by(DOCUMENTS.c.id)
    for some in chunks(connection.execute(query).all()):
        told = _disclosures(connection, [row.last for row in some])
        values = valued(connection, (row["entity"] for rows in told.values() for row in rows))
        for row in some:
            heat.count(row.folder, told.get(row.last, ()), values)
        _set(connection, [(row.id, row.last, told.get(row.last, ())) for row in some], values)
    connection.execute(sql.delete(HEAT))
    heat.add(connection)


def _set(
    connection: sql.Connection, changes: Sequence[tuple[int, int, Rows]], values: Mapping[int, tuple[float, float]]
) -> None:
    """Write down the last version of documents, and what it is worth."""
    worths = {entity: value for entity, (value, _) in values.items()}
    rows = []
    for document, version, told in changes:
        cost, entity = worth(told, worths)
        rows.append({"its": document, "last": version, "cost": cost, "by": entity})
    connection.execute(CHANGE, rows)


CHANGE: Final = (
    sql.update(DOCUMENTS)
    .where(DOCUMENTS.c.id == sql.bindparam("its"))
    .values(version=sql.bindparam("last"), worth=sql.bindparam("cost"), entity=sql.bindparam("by"))
)


def _disclosures(connection: sql.Connection, versions: Iterable[int]) -> dict[int, list[sql.RowMapping]]:
    found = defaultdict[int, list[sql.RowMapping]](list)
    for some in chunks(versions):
        query = sql.select(DISCLOSURES).where(DISCLOSURES.c.version.in_(some))
        for row in connection.execute(query).mappings():
            found[row["version"]].append(row)
    return found
