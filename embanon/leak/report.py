"""Gather what a report of a ledger says: what costs most, where it lies, who knows it, and what has changed.

Entities are `e1, e2 …` in the order of the policy, as everywhere; names, and what phrases say, only with originals.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import count
from typing import Final

from embanon.language.normalize import key
from embanon.leak.findings import Alarm, Changes, Findings, Protected, Shown, Told
from embanon.leak.heat import examples, opaque
from embanon.leak.hiding import Hiding
from embanon.leak.ledger.ledger import Ledger, chunks
from embanon.leak.ledger.report import (
    Changed,
    alerts_since,
    heat_of,
    knowers_of,
    people_of,
    recent,
    summary_of,
    user_names,
)  # fmt: skip
from embanon.leak.ledger.rows import DAY, UNKNOWN, name_of
from embanon.leak.ledger.schema import (
    DISCLOSURES,
    DOCUMENTS,
    ENTITIES,
    EVENTS,
    FOLDERS,
    SCANNED,
)  # fmt: skip
from embanon.leak.ledger.sensitivity import Opinions, opinions
from embanon.leak.ledger.sql import sql
from embanon.leak.ledger.worth import entity_names
from embanon.leak.misuse import Alert
from embanon.leak.originals import Originals, Reread
from embanon.leak.policy import Policy
from embanon.leak.quoting import Phrases
from embanon.leak.sensitivity import SENSITIVE

SHOWN: Final = 50
"""Documents, users and changes that are listed."""
LOOKED_THROUGH: Final = 2_000
"""Documents, those worth most, among which those are sought that disclose where they may not."""
ALARMS: Final = 200
"""Alerts that are listed, the last ones."""
AT_ONCE: Final = 1_000
"""Documents that are read at once."""


@dataclass(frozen=True, slots=True)
class Look:
    """What is shown of a ledger."""

    original: bool = False
    shown: int = SHOWN
    since: int | None = None
    """The day from which alerts and changes count; else what is recent, and the last scan."""
    above: float = SENSITIVE
    """The probability from which documents are taken for sensitive."""


def gather(
    ledger: Ledger, policy: Policy, look: Look | None = None, groups: Mapping[str, str] | None = None,
    reread: Reread | None = None,
) -> Findings:  # fmt: skip
    """Gather what a report says; `reread` gives the text of a document anew, where originals are shown."""
    look = look or Look()
    with ledger.reading() as connection:
        since = recent(connection, ledger.clock() // DAY) if look.since is None else look.since
        entities = labels(ledger, connection, policy)
        names = entity_names(ledger, connection, policy)
        said = {name: entities[id].label for id, name in names.items()}
        phrases = Phrases(connection, Originals(ledger, connection, reread) if look.original else None)
        hide = Hiding() if look.original else Hiding.of(policy)
        most = max(LOOKED_THROUGH, look.shown)
        documents = [hidden(one, hide) for one in documents_of(connection, entities, most)]
        outside = [one for one in documents if one.outside]
        found = alerts_since(ledger, connection, policy, since, groups or {})
        heat = opaque(heat_of(connection, names), said, hide)
        people = people_of(connection, look.shown)
        return Findings(
            summary=summary_of(connection),
            entities=tuple(one if look.original else replace(one, name=None) for one in entities.values()),
            top=phrases.put(documents[: look.shown]),
            outside=phrases.put(outside[: look.shown]),
            all_looked_through=len(documents) < LOOKED_THROUGH,
            heat=heat,
            examples={cell: phrases.put(some) for cell, some in examples(heat, documents).items()}
            if look.original
            else {},
            people=people,
            learnt={one.user: phrases.learnt(one.days[-1].user, entities) for one in people if look.original},
            knowers=tuple(replace(one, entity=said[one.entity]) for one in knowers_of(connection, names, look.shown)),
            alerts=len(found),
            alarms=tuple(_alarms(found[-ALARMS:], phrases, entities, hide)),
            since=since,
            changes=_changes(connection, look, hide),
            currency=policy.currency,
            original=look.original,
            opinions=_opinions(connection, look, hide),
        )  # fmt: skip


def labels(ledger: Ledger, connection: sql.Connection, policy: Policy) -> dict[int, Protected]:
    """Give entities by their number: those of the policy in its order, then those that it no longer has."""
    hashes = [ledger.secrets.keyed("entity", key(item.name)) for item in policy.entities]
    places = {hash: place for place, hash in enumerate(hashes)}
    rows = connection.execute(sql.select(ENTITIES).order_by(ENTITIES.c.id)).all()
    found, gone = dict[int, Protected](), count(len(hashes) + 1)
    for row in sorted(rows, key=lambda row: places.get(row.keyed, len(hashes))):
        place = places.get(row.keyed)
        name = row.name if place is None else policy.entities[place].name
        number = next(gone) if place is None else place + 1
        found[row.id] = Protected(f"e{number}", name, row.value, row.threshold, place is None)
    return found


def hidden(one: Shown, hide: Hiding) -> Shown:
    """Hide names in what is said of a document."""
    label = None if one.label is None else hide(one.label)
    return replace(one, document=hide(one.document), folder=hide(one.folder), label=label)


def _opinions(connection: sql.Connection, look: Look, hide: Hiding) -> Opinions:
    """Give what is said of whole documents, names hidden as everywhere."""
    found = opinions(connection, look.above, look.shown)
    told = (
        replace(one, document=hide(one.document), folder=hide(one.folder), label=one.label and hide(one.label))
        for one in found.top
    )
    return replace(found, top=tuple(told))


# Documents


def documents_of(
    connection: sql.Connection, entities: Mapping[int, Protected], most: int | None, least: float = 0.0
) -> Iterator[Shown]:
    """Give the documents that are worth most, and more than the least, as they come; without their phrases."""
    columns = (DOCUMENTS.c.version, DOCUMENTS.c.name, DOCUMENTS.c.keyed, DOCUMENTS.c.worth, SCANNED.c.sensitivity)
    query = sql.select(*columns, FOLDERS.c.name.label("folder"), SCANNED.c.label)
    query = query.join(FOLDERS, FOLDERS.c.id == DOCUMENTS.c.folder).join(SCANNED, SCANNED.c.id == DOCUMENTS.c.version)
    query = query.where(DOCUMENTS.c.worth > least).order_by(DOCUMENTS.c.worth.desc(), DOCUMENTS.c.id).limit(most)
    for rows in connection.execute(query.execution_options(yield_per=AT_ONCE)).partitions():
        told = _told(connection, [row.version for row in rows], entities)
        for row in rows:
            stated = None if row.sensitivity == UNKNOWN else row.sensitivity
            some = told.get(row.version, ())
            yield Shown(row.version, name_of(row), row.folder, row.label, row.worth, some, stated)


def _told(
    connection: sql.Connection, versions: Sequence[int], entities: Mapping[int, Protected]
) -> dict[int, tuple[Told, ...]]:
    """Give what versions of documents disclose, what costs most first."""
    found = defaultdict[int, list[Told]](list)
    for some in chunks(versions):
        for row in connection.execute(sql.select(DISCLOSURES).where(DISCLOSURES.c.version.in_(some))):
            entity, allowed = entities[row.entity], bool(row.allowed)
            worth, above = 0.0 if allowed else entity.value * row.risk, row.risk >= entity.threshold
            told = Told(row.entity, entity.label, row.risk, row.strength, row.phrases, worth, allowed, above)
            found[row.version].append(told)
    return {
        version: tuple(sorted(some, key=lambda one: (-one.worth, -one.risk, one.number)))
        for version, some in found.items()
    }


# Alerts


def _alarms(
    found: Sequence[Alert], phrases: Phrases, entities: Mapping[int, Protected], hide: Hiding
) -> Iterator[Alarm]:
    """Give alerts, each with whom it is about and what he learnt; that which is worth most says of which entity."""
    users = user_names(phrases.connection, {one.user for one in found})
    for one in found:
        learnt = phrases.learnt(one.user, entities, one)
        entity = learnt[0].entity if learnt else ""
        yield Alarm(one, users[one.user], entity, tuple(replace(some, document=hide(some.document)) for some in learnt))


# Changes


def _changes(connection: sql.Connection, look: Look, hide: Hiding) -> Changes:
    """Say what the last scan found otherwise than the one before; or all scans from a day on."""
    scans = connection.execute(
        sql.select(EVENTS.c.id, EVENTS.c.at).where(EVENTS.c.kind == "scan").order_by(EVENTS.c.id)
    ).all()
    if not scans:
        return Changes()
    begun = scans[-1] if look.since is None else next((one for one in scans if one.at >= look.since * DAY), None)
    last = sql.select(EVENTS.c.id).where((EVENTS.c.kind == "scan ended") & (EVENTS.c.event == scans[-1].id))
    ended = connection.execute(last).scalar() is not None
    if begun is None:
        return Changes(scans[-1].at, ended)
    if begun.id == scans[0].id:
        return Changes(begun.at, ended, first=True)
    found = _compared(connection, begun.id)
    number = sql.func.count()
    up = sql.func.sum(sql.case((found.c.after > found.c.before, 1), else_=0))
    down = sql.func.sum(sql.case((found.c.after < found.c.before, 1), else_=0))
    rows = connection.execute(sql.select(found.c.what, number, up, down).group_by(found.c.what)).all()
    if not rows:
        return Changes(begun.at, ended)
    counts = {what: int(number) for what, number, _, _ in rows}
    counts |= {"risk up": sum(int(row[2]) for row in rows), "risk down": sum(int(row[3]) for row in rows)}
    by = sql.func.abs(found.c.after - found.c.before).desc(), found.c.document
    most = sql.select(found).order_by(*by).limit(look.shown).subquery()
    named = sql.select(DOCUMENTS.c.name, DOCUMENTS.c.keyed, most).join(most, most.c.document == DOCUMENTS.c.id)
    listed = sorted(connection.execute(named), key=lambda row: (-abs(row.after - row.before), row.document))
    changed = (Changed(hide(name_of(row)), row.what, row.before, row.after) for row in listed)
    return Changes(begun.at, ended, False, counts, tuple(changed))


def _compared(connection: sql.Connection, scan: int) -> sql.Subquery:
    """Set the last version of documents beside the last one from before a scan."""
    number = SCANNED.c.number
    span = sql.select(SCANNED.c.document, sql.func.min(number).label("low"), sql.func.max(number).label("high"))
    spans = span.where(SCANNED.c.scan >= scan).group_by(SCANNED.c.document).subquery()
    new, old = SCANNED.alias("new"), SCANNED.alias("old")
    what = sql.case((new.c.content.is_(None), "gone"), (old.c.content.is_(None), "new"), else_="changed")
    before = sql.func.coalesce(old.c.worth, 0.0).label("before")
    query = sql.select(spans.c.document, what.label("what"), before, new.c.worth.label("after")).select_from(spans)
    query = query.join(new, (new.c.document == spans.c.document) & (new.c.number == spans.c.high))
    query = query.join(old, (old.c.document == spans.c.document) & (old.c.number == spans.c.low - 1), isouter=True)
    return query.subquery()
