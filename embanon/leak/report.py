"""The contents of a ledger report: what costs most, where it lies, who knows it, and what has changed.

Entities are `e1, e2 …` in the order of the policy, as everywhere; names, and what phrases say, only with originals.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import count
from typing import Final, TypeVar

from embanon.language import key
from embanon.leak.alert_text import describe_alert
from embanon.leak.alerts import Alert
from embanon.leak.findings import (
    Disclosure,
    ExplainedAlert,
    Findings,
    ReportedDocument,
    ReportedEntity,
    ScanChanges,
    mask_names,
    pick_examples,
)
from embanon.leak.ledger.adoption import adopt_people
from embanon.leak.ledger.documents import entity_names
from embanon.leak.ledger.lookups import SensitiveDocument, SensitivitySummary, summarize_sensitivity
from embanon.leak.ledger.records import DAY_MILLISECONDS, UNKNOWN_SENSITIVITY, display_name
from embanon.leak.ledger.report import (
    DocumentChange,
    alert_start_day,
    document_names,
    find_alerts_since,
    folder_names,
    learnt_entities,
    read_heat,
    read_summary,
    top_knowers,
    top_users,
    user_names,
)  # fmt: skip
from embanon.leak.ledger.schema import (
    CURRENT,
    DISCLOSURES,
    DOCUMENTS,
    ENTITIES,
    EVENTS,
    FOLDERS,
    VERSIONS,
    sql,
)  # fmt: skip
from embanon.leak.ledger.store import Ledger, select_in
from embanon.leak.originals import DocumentReader, NameHider, Originals, PhraseQuoter
from embanon.leak.policy import Policy
from embanon.leak.sensitivity import SENSITIVE_ABOVE

AnyDocument = TypeVar("AnyDocument", ReportedDocument, SensitiveDocument)
MAX_SHOWN: Final = 50
"""Documents, users and changes that are listed."""
MAX_SEARCHED: Final = 2_000
"""Documents, those worth most, among which those are sought that disclose where they may not."""
MAX_ALERTS: Final = 200
"""Alerts that are listed, the last ones."""
ROWS_AT_ONCE: Final = 1_000
"""Documents that are read at once."""


@dataclass(frozen=True, slots=True)
class LeakReportOptions:
    """What is shown of a ledger."""

    original: bool = False
    max_rows: int = MAX_SHOWN
    since: int | None = None
    """The day from which alerts and changes count; else what is recent, and the last scan."""
    sensitive_above: float = SENSITIVE_ABOVE
    """The probability from which documents are taken for sensitive."""


def gather_findings(
    ledger: Ledger, policy: Policy, look: LeakReportOptions | None = None, groups: Mapping[str, str] | None = None,
    reread: DocumentReader | None = None,
) -> Findings:  # fmt: skip
    """Gather what a report says; `reread` gives the text of a document anew, where originals are shown."""
    look = look or LeakReportOptions()
    adopt_people(ledger, policy)
    with ledger.reading() as connection:
        since = alert_start_day(connection, ledger.clock() // DAY_MILLISECONDS) if look.since is None else look.since
        entities = label_entities(ledger, connection, policy)
        names = entity_names(ledger, connection, policy)
        labels = {name: entities[id].label for id, name in names.items()}
        phrases = PhraseQuoter(connection, Originals(ledger, connection, reread) if look.original else None)
        hide = NameHider() if look.original else NameHider.from_policy(policy)
        most = max(MAX_SEARCHED, look.max_rows)
        documents = [_hide_source(hide_names(one, hide), hide) for one in top_documents(connection, entities, most)]
        outside = [one for one in documents if one.disallowed]
        alerts = find_alerts_since(ledger, connection, policy, since, groups or {})
        heat = mask_names(read_heat(connection, names), labels, hide)
        examples = pick_examples(heat, documents) if look.original else {}
        people = top_users(connection, look.max_rows)
        return Findings(
            summary=read_summary(connection),
            entities=tuple(one if look.original else replace(one, name=None) for one in entities.values()),
            top=phrases.quote(documents[: look.max_rows]),
            outside=phrases.quote(outside[: look.max_rows]),
            all_looked_through=len(documents) < MAX_SEARCHED,
            heat=heat,
            examples={cell: phrases.quote(some) for cell, some in examples.items()},
            people=people,
            learnt={one.user: phrases.learned_phrases(one.days[-1].user, entities) for one in people if look.original},
            knowers=top_knowers(connection, {id: entity.label for id, entity in entities.items()}, look.max_rows),
            alerts=len(alerts),
            alarms=tuple(_explain_alerts(alerts[-MAX_ALERTS:], phrases, entities, hide)),
            since=since,
            changes=_changes(connection, look, hide),
            currency=policy.currency,
            original=look.original,
            opinions=_summarize_sensitivity(connection, look, hide),
        )  # fmt: skip


def label_entities(ledger: Ledger, connection: sql.Connection, policy: Policy) -> dict[int, ReportedEntity]:
    """Return entities by their number: those of the policy in its order, then those that it no longer has."""
    hashes = [ledger.secrets.hash_name("entity", key(item.name)) for item in policy.entities]
    places = {hash: place for place, hash in enumerate(hashes)}
    rows = connection.execute(sql.select(ENTITIES).order_by(ENTITIES.c.id)).all()
    labeled, gone = dict[int, ReportedEntity](), count(len(hashes) + 1)
    for row in sorted(rows, key=lambda row: places.get(row.keyed, len(hashes))):
        place = places.get(row.keyed)
        name = row.name if place is None else policy.entities[place].name
        number = next(gone) if place is None else place + 1
        labeled[row.id] = ReportedEntity(f"e{number}", name, row.value, row.threshold, place is None)
    return labeled


def hide_names(document: AnyDocument, hide: NameHider) -> AnyDocument:
    """Hide the names of entities in the name, folder and label of a document."""
    label = document.label and hide(document.label)
    return replace(document, document=hide(document.document), folder=hide(document.folder), label=label)


def _hide_source(document: ReportedDocument, hide: NameHider) -> ReportedDocument:
    """Hide the names of entities in the name of what a document nearly repeats."""
    return replace(document, near_copy_of=document.near_copy_of and hide(document.near_copy_of))


def _summarize_sensitivity(connection: sql.Connection, look: LeakReportOptions, hide: NameHider) -> SensitivitySummary:
    """Return how sensitive whole documents are, names hidden as everywhere."""
    summary = summarize_sensitivity(connection, look.sensitive_above, look.max_rows)
    return replace(summary, top=tuple(hide_names(document, hide) for document in summary.top))


# Documents


def top_documents(
    connection: sql.Connection, entities: Mapping[int, ReportedEntity], most: int | None, least: float = 0.0
) -> Iterator[ReportedDocument]:
    """Return the documents that are worth most, and more than the least, as they come; without their phrases."""
    columns = (DOCUMENTS.c.version, DOCUMENTS.c.name, DOCUMENTS.c.keyed, DOCUMENTS.c.worth, VERSIONS.c.sensitivity)
    query = sql.select(*columns, FOLDERS.c.name.label("folder"), VERSIONS.c.label, VERSIONS.c.near).select_from(CURRENT)
    query = query.where(DOCUMENTS.c.worth > least).order_by(DOCUMENTS.c.worth.desc(), DOCUMENTS.c.id).limit(most)
    for rows in connection.execute(query.execution_options(yield_per=ROWS_AT_ONCE)).partitions():
        disclosures = _read_disclosures(connection, [row.version for row in rows], entities)
        sources = document_names(connection, {row.near for row in rows} - {0})
        for row in rows:
            stated = None if row.sensitivity == UNKNOWN_SENSITIVITY else row.sensitivity
            disclosed = disclosures.get(row.version, ())
            details = row.folder, row.label, row.worth, disclosed, stated, sources.get(row.near)
            yield ReportedDocument(row.version, display_name(row), *details)


def _read_disclosures(
    connection: sql.Connection, versions: Sequence[int], entities: Mapping[int, ReportedEntity]
) -> dict[int, tuple[Disclosure, ...]]:
    """Return what versions of documents disclose, what costs most first."""
    disclosures = defaultdict[int, list[Disclosure]](list)
    for row in select_in(connection, sql.select(DISCLOSURES), DISCLOSURES.c.version, versions):
        entity, allowed = entities[row.entity], bool(row.allowed)
        worth, above = 0.0 if allowed else entity.value * row.risk, row.risk >= entity.threshold
        disclosure = Disclosure(row.entity, entity.label, row.risk, row.strength, row.phrases, worth, allowed, above)
        disclosures[row.version].append(disclosure)
    return {
        version: tuple(sorted(rows, key=lambda one: (-one.worth, -one.risk, one.number)))
        for version, rows in disclosures.items()
    }


# Alerts


def _explain_alerts(
    alerts: Sequence[Alert], phrases: PhraseQuoter, entities: Mapping[int, ReportedEntity], hide: NameHider
) -> Iterator[ExplainedAlert]:
    """Yield alerts with their users and what these learnt, and the entity of which that is worth most."""
    users = user_names(phrases.connection, {one.user for one in alerts})
    folders = folder_names(phrases.connection, {one.folder for one in alerts})
    for alert in alerts:
        learnt = phrases.learned_phrases(alert.user, entities, alert)
        labels = [entities[entity].label for entity in learnt_entities(alert)]
        yield ExplainedAlert(
            alert, users[alert.user], labels[0] if labels else "",
            tuple(replace(some, document=hide(some.document)) for some in learnt),
            describe_alert(alert, labels, hide(folders.get(alert.folder, ""))),
        )  # fmt: skip


# Changes


def _changes(connection: sql.Connection, look: LeakReportOptions, hide: NameHider) -> ScanChanges:
    """Return what the last scan changed, or all scans from a day on."""
    scans = connection.execute(
        sql.select(EVENTS.c.id, EVENTS.c.at).where(EVENTS.c.kind == "scan").order_by(EVENTS.c.id)
    ).all()
    if not scans:
        return ScanChanges()
    begun = (
        scans[-1]
        if look.since is None
        else next((one for one in scans if one.at >= look.since * DAY_MILLISECONDS), None)
    )
    last = sql.select(EVENTS.c.id).where((EVENTS.c.kind == "scan ended") & (EVENTS.c.event == scans[-1].id))
    ended = connection.execute(last).scalar() is not None
    if begun is None:
        return ScanChanges(scans[-1].at, ended)
    if begun.id == scans[0].id:
        return ScanChanges(begun.at, ended, first=True)
    changes = _compare_versions(connection, begun.id)
    number = sql.func.count()
    up = sql.func.sum(sql.case((changes.c.after > changes.c.before, 1), else_=0))
    down = sql.func.sum(sql.case((changes.c.after < changes.c.before, 1), else_=0))
    rows = connection.execute(sql.select(changes.c.what, number, up, down).group_by(changes.c.what)).all()
    if not rows:
        return ScanChanges(begun.at, ended)
    counts = {what: int(number) for what, number, _, _ in rows}
    counts |= {"risk up": sum(int(row[2]) for row in rows), "risk down": sum(int(row[3]) for row in rows)}
    by = sql.func.abs(changes.c.after - changes.c.before).desc(), changes.c.document
    most = sql.select(changes).order_by(*by).limit(look.max_rows).subquery()
    named = sql.select(DOCUMENTS.c.name, DOCUMENTS.c.keyed, most).join(most, most.c.document == DOCUMENTS.c.id)
    listed = sorted(connection.execute(named), key=lambda row: (-abs(row.after - row.before), row.document))
    changed = (DocumentChange(hide(display_name(row)), row.what, row.before, row.after) for row in listed)
    return ScanChanges(begun.at, ended, False, counts, tuple(changed))


def _compare_versions(connection: sql.Connection, scan: int) -> sql.Subquery:
    """Set the last version of documents beside the last one from before a scan."""
    number = VERSIONS.c.number
    span = sql.select(VERSIONS.c.document, sql.func.min(number).label("low"), sql.func.max(number).label("high"))
    spans = span.where(VERSIONS.c.scan >= scan).group_by(VERSIONS.c.document).subquery()
    new, old = VERSIONS.alias("new"), VERSIONS.alias("old")
    what = sql.case((new.c.content.is_(None), "gone"), (old.c.content.is_(None), "new"), else_="changed")
    before = sql.func.coalesce(old.c.worth, 0.0).label("before")
    query = sql.select(spans.c.document, what.label("what"), before, new.c.worth.label("after")).select_from(spans)
    query = query.join(new, (new.c.document == spans.c.document) & (new.c.number == spans.c.high))
    query = query.join(old, (old.c.document == spans.c.document) & (old.c.number == spans.c.low - 1), isouter=True)
    return query.subquery()
