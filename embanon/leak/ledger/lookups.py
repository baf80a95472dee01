"""What a ledger knows of some documents: their contents, what they disclose, and how sensitive they are."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from heapq import nsmallest
from pathlib import Path
from typing import Any, Final

from embanon.io import STDIN
from embanon.leak.ledger.records import MOSTLY_UNKNOWN, UNKNOWN_SENSITIVITY, display_name
from embanon.leak.ledger.scan import LedgerScan
from embanon.leak.ledger.schema import (
    CURRENT,
    DISCLOSURES,
    DOCUMENTS,
    ENTITIES,
    FOLDERS,
    HAS_SENSITIVITY,
    VERSIONS,
    sql,
)
from embanon.leak.ledger.store import Ledger, chunks, select_in

MAX_SHOWN: Final = 10
COUNT_UNKNOWN: Final = (
    sql.select(sql.func.count()).select_from(DOCUMENTS).join(VERSIONS, VERSIONS.c.id == DOCUMENTS.c.version)
    .where(VERSIONS.c.unknown == MOSTLY_UNKNOWN)
)  # fmt: skip


def known_contents(scan: LedgerScan, contents: Iterable[bytes]) -> set[bytes]:
    """Return the contents of which it is known, by this scan's model and policy, what they disclose."""
    keyed = {scan.ledger.secrets.hash_name("content", one): one for one in contents}
    query = sql.select(VERSIONS.c.content).where(VERSIONS.c.fingerprint == scan.fingerprint)
    with scan.ledger.reading() as connection:
        return {keyed[row.content] for row in select_in(connection, query, VERSIONS.c.content, keyed)}


def missing_documents(ledger: Ledger, folders: Sequence[str], files: Sequence[str], seen: set[str]) -> Iterator[str]:
    """Return documents below folders, or of files with many, that are in a ledger and were not seen.

    Where paths are not to be read in the ledger, that cannot be told. A file that is there, and was not seen because it
    could not be read, is not missing.
    """
    columns = (DOCUMENTS.c.name, DOCUMENTS.c.keyed, FOLDERS.c.name.label("folder"))
    readable = VERSIONS.c.content.is_not(None) & DOCUMENTS.c.name.is_not(None)
    query = sql.select(*columns).select_from(CURRENT).where(readable)
    with ledger.reading() as connection:
        for row in connection.execution_options(yield_per=10_000).execute(query.order_by(DOCUMENTS.c.id)):
            if row.name in seen or ledger.secrets.hash_name("document", row.name) != row.keyed:
                continue
            is_file = row.folder == "." or row.name.startswith(row.folder.rstrip("/") + "/")
            file = row.name if is_file else row.folder  # what is not below its folder is a row of that file
            if row.folder in files or (any(_is_below(file, one) for one in folders) and not _may_exist(file)):
                yield row.name


def _is_below(file: str, folder: str) -> bool:
    if file == STDIN:
        return False
    if folder == ".":
        return not Path(file).is_absolute() and not file.startswith("../")
    return file.startswith(folder.rstrip("/") + "/")


def _may_exist(path: str) -> bool:
    try:
        Path(path).lstat()
    except (FileNotFoundError, NotADirectoryError):
        return False
    except (OSError, ValueError):
        return True
    return True


@dataclass(frozen=True, slots=True)
class WorstDisclosure:
    """What a document discloses most, of what it may not."""

    document: str
    worth: float
    risk: float
    entity: int
    """Its number in the policy."""
    near_copy_of: str | None = None
    """A document that it, or a passage of it, nearly repeats."""


@dataclass(slots=True)
class ScanOutcome:
    """What documents disclose where that is not allowed."""

    top: list[WorstDisclosure] = field(default_factory=list)
    violation_count: int = 0
    """Documents at or above the threshold of an entity."""
    entities: Counter[int] = field(default_factory=Counter)
    """Of each entity, the documents at or above its threshold."""
    unknown_count: int = 0
    """Documents of whose words so few are known that nothing can be said of what they hint at."""


def scan_outcome(
    ledger: Ledger, names: Iterable[str], numbers: Mapping[int, int], limit: float | None = None, shown: int = MAX_SHOWN
) -> ScanOutcome:
    """Return what documents disclose; `numbers` are those of the entities of the policy, by those of the ledger.

    A limit takes the place of the thresholds of all entities.
    """
    outcome = ScanOutcome()
    columns = (DOCUMENTS.c.keyed, DISCLOSURES.c.entity, DISCLOSURES.c.risk, ENTITIES.c.value, ENTITIES.c.threshold)
    query = sql.select(*columns).join(DISCLOSURES, DISCLOSURES.c.version == DOCUMENTS.c.version)
    query = query.join(ENTITIES, ENTITIES.c.id == DISCLOSURES.c.entity).where(DISCLOSURES.c.allowed == 0)
    with ledger.reading() as connection:
        for chunk in chunks(names):
            keyed = {ledger.secrets.hash_name("document", name): name for name in chunk}
            among = DOCUMENTS.c.keyed.in_(list(keyed))
            outcome.unknown_count += connection.execute(COUNT_UNKNOWN.where(among)).scalar() or 0
            best, above = dict[str, WorstDisclosure](), set[str]()
            for row in connection.execute(query.where(among)):
                name, number = keyed[row.keyed], numbers.get(row.entity, -1)
                if number < 0:
                    continue
                disclosure = WorstDisclosure(name, row.value * row.risk, row.risk, number)
                if name not in best or disclosure.worth > best[name].worth:
                    best[name] = disclosure
                if row.risk >= (row.threshold if limit is None else limit):
                    above.add(name)
                    outcome.entities[number] += 1
            outcome.violation_count += len(above)
            # of those that are worth the same, the first by name: the database gives them in the order of keys
            outcome.top = nsmallest(shown, [*outcome.top, *best.values()], key=lambda one: (-one.worth, one.document))
        sources = _near_sources(ledger, connection, [one.document for one in outcome.top])
    outcome.top = [replace(one, near_copy_of=sources.get(one.document)) for one in outcome.top]
    return outcome


def _near_sources(ledger: Ledger, connection: sql.Connection, names: Sequence[str]) -> dict[str, str]:
    """Return what documents, or passages of them, nearly repeat."""
    keyed = {ledger.secrets.hash_name("document", name): name for name in names}
    before, source = VERSIONS.alias(), DOCUMENTS.alias()
    query = sql.select(DOCUMENTS.c.keyed.label("copy"), source.c.name, source.c.keyed)
    query = query.join(VERSIONS, VERSIONS.c.id == DOCUMENTS.c.version).join(before, before.c.id == VERSIONS.c.near)
    query = query.join(source, source.c.id == before.c.document)
    return {keyed[row.copy]: display_name(row) for row in select_in(connection, query, DOCUMENTS.c.keyed, keyed)}


IS_EXPLAINED: Final = (
    sql.select(DISCLOSURES.c.entity)
    .join(ENTITIES, ENTITIES.c.id == DISCLOSURES.c.entity)
    .where((DISCLOSURES.c.version == VERSIONS.c.id) & (DISCLOSURES.c.risk >= ENTITIES.c.threshold))
    .exists()
)
"""Whether a version discloses an entity, be it allowed or not."""
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
    """How sensitive whole documents are."""

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
    """Sum up how sensitive all documents are now."""
    asked, unknown = connection.execute(_count_query()).one()
    if not asked:
        return SensitivitySummary(limit=limit)
    above = _unexplained_query(limit)
    sensitive = connection.execute(sql.select(sql.func.count()).select_from(above.subquery())).scalar() or 0
    rows = connection.execute(above.order_by(VERSIONS.c.sensitivity.desc(), VERSIONS.c.id.desc()).limit(most))
    top = (SensitiveDocument(display_name(row), row.folder, row.label, row.sensitivity) for row in rows)
    return SensitivitySummary(asked, int(unknown or 0), sensitive, limit, tuple(top))


def summarize_documents(ledger: Ledger, names: Iterable[str], limit: float, most: int) -> SensitivitySummary:
    """Sum up how sensitive some documents are."""
    documents, unknown, sensitive, top = 0, 0, 0, list[SensitiveDocument]()
    with ledger.reading() as connection:
        for chunk in chunks(names):
            keyed = {ledger.secrets.hash_name("document", name): name for name in chunk}
            among = DOCUMENTS.c.keyed.in_(list(keyed))
            asked, unsaid = connection.execute(_count_query().where(among)).one()
            documents, unknown = documents + asked, unknown + int(unsaid or 0)
            rows = connection.execute(_unexplained_query(limit).where(among)).all() if asked else []
            sensitive += len(rows)
            top += [SensitiveDocument(keyed[row.keyed], row.folder, row.label, row.sensitivity) for row in rows]
            top = nsmallest(most, top, key=lambda one: (-one.sensitivity, one.document))
    return SensitivitySummary(documents, unknown, sensitive, limit, tuple(top))


def _count_query() -> Any:
    unknown = sql.func.sum(sql.case((VERSIONS.c.sensitivity == UNKNOWN_SENSITIVITY, 1), else_=0))
    query = sql.select(sql.func.count(), unknown).select_from(VERSIONS).join(DOCUMENTS, IS_LAST_VERSION)
    return query.where(HAS_SENSITIVITY)


def _unexplained_query(limit: float) -> Any:
    columns = DOCUMENTS.c.name, DOCUMENTS.c.keyed, FOLDERS.c.name.label("folder"), VERSIONS.c.label
    query = sql.select(*columns, VERSIONS.c.sensitivity).select_from(VERSIONS).join(DOCUMENTS, IS_LAST_VERSION)
    query = query.join(FOLDERS, FOLDERS.c.id == DOCUMENTS.c.folder)
    return query.where((VERSIONS.c.sensitivity >= limit) & ~IS_EXPLAINED)
