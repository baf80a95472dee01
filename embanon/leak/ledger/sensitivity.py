"""Find in a ledger what is sensitive as a whole and no entity explains: a second opinion beside what is disclosed."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from heapq import nsmallest
from typing import Any, Final

from embanon.leak.ledger.ledger import Ledger, chunks
from embanon.leak.ledger.rows import UNKNOWN, name_of
from embanon.leak.ledger.schema import DISCLOSURES, DOCUMENTS, ENTITIES, FOLDERS, OPINION, SCANNED
from embanon.leak.ledger.sql import sql

EXPLAINED: Final = (
    sql.select(DISCLOSURES.c.entity)
    .join(ENTITIES, ENTITIES.c.id == DISCLOSURES.c.entity)
    .where((DISCLOSURES.c.version == SCANNED.c.id) & (DISCLOSURES.c.risk >= ENTITIES.c.threshold))
    .exists()
)
"""That a version discloses an entity, be it allowed or not."""
LAST: Final = (DOCUMENTS.c.id == SCANNED.c.document) & (DOCUMENTS.c.version == SCANNED.c.id)


@dataclass(frozen=True, slots=True)
class Sensed:
    """A document that is sensitive by what is in it, of no entity of the policy."""

    document: str
    folder: str
    label: str | None
    sensitivity: float


@dataclass(frozen=True, slots=True)
class Opinions:
    """What is said of whole documents."""

    documents: int = 0
    """Of which it was asked."""
    unknown: int = 0
    """Of which nothing can be said."""
    sensitive: int = 0
    """At or above the limit, and explained by no entity."""
    limit: float = 1.0
    top: tuple[Sensed, ...] = ()
    """The most sensitive of these."""


def opinions(connection: sql.Connection, limit: float, most: int) -> Opinions:
    """Gather what is said of documents as they are now."""
    asked, unknown = connection.execute(_counted()).one()
    if not asked:
        return Opinions(limit=limit)
    above = _unexplained(limit)
    sensitive = connection.execute(sql.select(sql.func.count()).select_from(above.subquery())).scalar() or 0
    top = above.order_by(SCANNED.c.sensitivity.desc(), SCANNED.c.id.desc()).limit(most)
    return Opinions(asked, int(unknown or 0), sensitive, limit, tuple(map(_sensed, connection.execute(top))))


def opinions_of(ledger: Ledger, names: Iterable[str], limit: float, most: int) -> Opinions:
    """Gather what is said of some documents."""
    documents, unknown, sensitive, top = 0, 0, 0, list[Sensed]()
    with ledger.reading() as connection:
        for some in chunks(names):
            keyed = {ledger.secrets.keyed("document", name): name for name in some}
            among = DOCUMENTS.c.keyed.in_(list(keyed))
            asked, unsaid = connection.execute(_counted().where(among)).one()
            documents, unknown = documents + asked, unknown + int(unsaid or 0)
            rows = connection.execute(_unexplained(limit).where(among)).all() if asked else []
            sensitive += len(rows)
            told = (Sensed(keyed[row.keyed], row.folder, row.label, row.sensitivity) for row in rows)
            top = nsmallest(most, [*top, *told], key=lambda one: (-one.sensitivity, one.document))
    return Opinions(documents, unknown, sensitive, limit, tuple(top))


def _counted() -> Any:
    unknown = sql.func.sum(sql.case((SCANNED.c.sensitivity == UNKNOWN, 1), else_=0))
    return sql.select(sql.func.count(), unknown).select_from(SCANNED).join(DOCUMENTS, LAST).where(OPINION)


def _unexplained(limit: float) -> Any:
    columns = DOCUMENTS.c.name, DOCUMENTS.c.keyed, FOLDERS.c.name.label("folder"), SCANNED.c.label
    query = sql.select(*columns, SCANNED.c.sensitivity).select_from(SCANNED).join(DOCUMENTS, LAST)
    query = query.join(FOLDERS, FOLDERS.c.id == DOCUMENTS.c.folder)
    return query.where((SCANNED.c.sensitivity >= limit) & ~EXPLAINED)


def _sensed(row: Any) -> Sensed:
    return Sensed(name_of(row), row.folder, row.label, row.sensitivity)
