"""Find in a ledger what is sensitive as a whole and no entity explains: a second opinion beside what is disclosed."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from heapq import nsmallest
from typing import Any, Final

from embanon.leak.ledger.ledger import Ledger, chunks
from embanon.leak.ledger.records import UNKNOWN_SENSITIVITY, display_name
from embanon.leak.ledger.schema import DISCLOSURES, DOCUMENTS, ENTITIES, FOLDERS, HAS_SENSITIVITY, VERSIONS
from embanon.leak.ledger.sql import sql

IS_EXPLAINED: Final = (
    sql.select(DISCLOSURES.c.entity)
    .join(ENTITIES, ENTITIES.c.id == DISCLOSURES.c.entity)
    .where((DISCLOSURES.c.version == VERSIONS.c.id) & (DISCLOSURES.c.risk >= ENTITIES.c.threshold))
    .exists()
)
"""That a version discloses an entity, be it allowed or not."""
IS_LAST_VERSION: Final = (DOCUMENTS.c.id == VERSIONS.c.document) & (DOCUMENTS.c.version == VERSIONS.c.id)


@dataclass(frozen=True, slots=True)
class SensitiveDocument:
    """A document that is sensitive by what is in it, of no entity of the policy."""

    document: str
    folder: str
    label: str | None
    sensitivity: float


@dataclass(frozen=True, slots=True)
class SensitivitySummary:
    """What is said of whole documents."""

    documents: int = 0
    """Of which it was asked."""
    unknown: int = 0
    """Of which nothing can be said."""
    sensitive: int = 0
    """At or above the limit, and explained by no entity."""
    limit: float = 1.0
    top: tuple[SensitiveDocument, ...] = ()
    """The most sensitive of these."""


def summarize_sensitivity(connection: sql.Connection, limit: float, most: int) -> SensitivitySummary:
    """Gather what is said of documents as they are now."""
    asked, unknown = connection.execute(_count_query()).one()
    if not asked:
        return SensitivitySummary(limit=limit)
    above = _unexplained_query(limit)
    sensitive = connection.execute(sql.select(sql.func.count()).select_from(above.subquery())).scalar() or 0
    top = above.order_by(VERSIONS.c.sensitivity.desc(), VERSIONS.c.id.desc()).limit(most)
    return SensitivitySummary(
        asked, int(unknown or 0), sensitive, limit, tuple(map(_sensitive_document, connection.execute(top)))
    )


def summarize_documents(ledger: Ledger, names: Iterable[str], limit: float, most: int) -> SensitivitySummary:
    """Gather what is said of some documents."""
    documents, unknown, sensitive, top = 0, 0, 0, list[SensitiveDocument]()
    with ledger.reading() as connection:
        for some in chunks(names):
            keyed = {ledger.secrets.hash_name("document", name): name for name in some}
            among = DOCUMENTS.c.keyed.in_(list(keyed))
            asked, unsaid = connection.execute(_count_query().where(among)).one()
            documents, unknown = documents + asked, unknown + int(unsaid or 0)
            rows = connection.execute(_unexplained_query(limit).where(among)).all() if asked else []
            sensitive += len(rows)
            told = (SensitiveDocument(keyed[row.keyed], row.folder, row.label, row.sensitivity) for row in rows)
            top = nsmallest(most, [*top, *told], key=lambda one: (-one.sensitivity, one.document))
    return SensitivitySummary(documents, unknown, sensitive, limit, tuple(top))


def _count_query() -> Any:
    unknown = sql.func.sum(sql.case((VERSIONS.c.sensitivity == UNKNOWN_SENSITIVITY, 1), else_=0))
    return (
        sql.select(sql.func.count(), unknown)
        .select_from(VERSIONS)
        .join(DOCUMENTS, IS_LAST_VERSION)
        .where(HAS_SENSITIVITY)
    )


def _unexplained_query(limit: float) -> Any:
    columns = DOCUMENTS.c.name, DOCUMENTS.c.keyed, FOLDERS.c.name.label("folder"), VERSIONS.c.label
    query = sql.select(*columns, VERSIONS.c.sensitivity).select_from(VERSIONS).join(DOCUMENTS, IS_LAST_VERSION)
    query = query.join(FOLDERS, FOLDERS.c.id == DOCUMENTS.c.folder)
    return query.where((VERSIONS.c.sensitivity >= limit) & ~IS_EXPLAINED)


def _sensitive_document(row: Any) -> SensitiveDocument:
    return SensitiveDocument(display_name(row), row.folder, row.label, row.sensitivity)
