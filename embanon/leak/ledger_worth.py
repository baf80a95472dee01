"""Compute what documents are worth, and how many of a folder disclose an entity how much: the heat map."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from embanon.leak.ledger import among, asked, chunks, merge
from embanon.leak.ledger_documents import Last
from embanon.leak.ledger_rows import band
from embanon.leak.ledger_schema import DISCLOSURES, DOCUMENTS, ENTITIES, HEAT, SCANNED
from embanon.leak.ledger_sql import sql

Rows = Sequence[Mapping[Any, Any]]
"""What a version discloses."""
Values = Mapping[int, tuple[float, float]]
"""Entity -> value and threshold."""


VALUED: Final = among(sql.select(ENTITIES.c.id, ENTITIES.c.value, ENTITIES.c.threshold), ENTITIES.c.id)
TOLD: Final = among(sql.select(DISCLOSURES), DISCLOSURES.c.version)
CHANGE: Final = (
    sql.update(DOCUMENTS)
    .where(DOCUMENTS.c.id == sql.bindparam("its"))
    .values(version=sql.bindparam("last"), worth=sql.bindparam("cost"), entity=sql.bindparam("by"))
)


def worth(told: Rows, values: Values) -> tuple[float, int]:
    """Give what it would cost if a document got out, and by which entity; what may be told there costs nothing."""
    costs = ((values[row["entity"]][0] * row["risk"], row["entity"]) for row in told if not row["allowed"])
    return max(costs, default=(0.0, 0))


def valued(connection: sql.Connection, entities: Iterable[int]) -> Values:
    """Give the value and the threshold of entities."""
    return {row.id: (row.value, row.threshold) for row in asked(connection, VALUED, set(entities))}


class Heat:
    """Documents of each folder, entity and band of risk, and how many of them are at or above the threshold."""

    def __init__(self) -> None:
        self.cells = defaultdict[tuple[int, int, int], list[int]](lambda: [0, 0])

    def count(self, folder: int, told: Rows, values: Values, sign: int = 1) -> None:
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


def replace(
    connection: sql.Connection, before: Sequence[Last], made: Mapping[int, tuple[int, Rows]], values: Values
) -> None:
    """Count documents by their new versions, and what these disclose, instead of those before."""
    old = disclosures(connection, [one.version for one in before if one.version])
    values = {**values, **valued(connection, {row["entity"] for rows in old.values() for row in rows} - values.keys())}
    heat = Heat()
    for one in before:
        heat.count(one.folder, old.get(one.version, ()), values, -1)
        heat.count(one.folder, made[one.id][1], values)
    heat.add(connection)
    _set(connection, [(document, *version) for document, version in made.items()], values)


def revalue(connection: sql.Connection) -> None:
    """Compute anew which version of a document is its last, what that is worth, and the heat map."""
    heat = Heat()
    last = (
        sql.select(SCANNED.c.document, sql.func.max(SCANNED.c.id).label("id")).group_by(SCANNED.c.document).subquery()
    )
    query = sql.select(DOCUMENTS.c.id, DOCUMENTS.c.folder, sql.func.coalesce(last.c.id, 0).label("last"))
    query = query.join(last, last.c.document == DOCUMENTS.c.id, isouter=True).order_by(DOCUMENTS.c.id)
    for some in chunks(connection.execute(query).all()):
        told = disclosures(connection, [row.last for row in some])
        values = valued(connection, (row["entity"] for rows in told.values() for row in rows))
        for row in some:
            heat.count(row.folder, told.get(row.last, ()), values)
        _set(connection, [(row.id, row.last, told.get(row.last, ())) for row in some], values)
    connection.execute(sql.delete(HEAT))
    heat.add(connection)


def _set(connection: sql.Connection, changes: Sequence[tuple[int, int, Rows]], values: Values) -> None:
    """Write down the last version of documents, and what it is worth."""
    rows = []
    for document, version, told in changes:
        cost, entity = worth(told, values)
        rows.append({"its": document, "last": version, "cost": cost, "by": entity})
    connection.execute(CHANGE, rows)


def disclosures(connection: sql.Connection, versions: Sequence[int]) -> dict[int, list[Mapping[Any, Any]]]:
    """Give what versions disclose."""
    found = defaultdict[int, list[Mapping[Any, Any]]](list)
    for row in asked(connection, TOLD, versions):
        found[row.version].append(row._mapping)
    return found
