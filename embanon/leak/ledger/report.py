"""What reports read from a ledger: which documents cost most, where they lie, who knows how much, and alerts.

Whatever a report shows is computed when it is written (`schema`), so that it is not read from all entries.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np

from embanon.leak.alerts import Alert, Exposed, Standing, above_worth, find_alerts
from embanon.leak.ledger.adoption import adopt_people
from embanon.leak.ledger.chain import HASH_BYTES
from embanon.leak.ledger.documents import entity_names
from embanon.leak.ledger.exposures import EXPOSURE, MONTH_BITS, parse_exposures
from embanon.leak.ledger.knowledge import counting_facts, parse_facts
from embanon.leak.ledger.lookups import COUNT_UNKNOWN
from embanon.leak.ledger.permissions import NO_WINDOWS, is_allowed, read_windows
from embanon.leak.ledger.records import DAY_MILLISECONDS, RISK_BANDS, display_name
from embanon.leak.ledger.schema import (
    DOCUMENTS,
    ENTITIES,
    EVENTS,
    EXPOSURES,
    FOLDERS,
    HEAT,
    KNOWLEDGE,
    LEARNED,
    STANDINGS,
    TEXTS,
    USERS,
    VERSIONS,
    sql,
)
from embanon.leak.ledger.store import Ledger, select_in
from embanon.leak.misuse import Facts
from embanon.leak.policy import Policy

PSEUDONYM: Final = re.compile("[0-9a-f]{12}")
ALERT_DAYS: Final = 30
"""Days that alerts go back, unless it is said."""


@dataclass(frozen=True, slots=True)
class HeatCell:
    """Documents of a folder that disclose an entity."""

    folder: str
    entity: str = field(repr=False)
    documents: int
    above: int
    """At or above the threshold."""
    bands: tuple[int, ...]
    """By tenths of risk."""


@dataclass(frozen=True, slots=True)
class EntityKnowledge:
    """What somebody knows of an entity."""

    user: str
    entity: str = field(repr=False)
    known: float
    phrases: int


@dataclass(frozen=True, slots=True)
class UserHistory:
    """A user over time."""

    user: str
    worth: float
    days: tuple[Standing, ...]


@dataclass(frozen=True, slots=True)
class DocumentChange:
    """A document that a scan found new, changed, or gone."""

    document: str
    what: str
    before: float
    after: float


@dataclass(frozen=True, slots=True)
class AlertEvidence:
    """A phrase that somebody learnt on a day, and the document it was in."""

    document: str
    entity: str = field(repr=False)
    phrase: str
    """Its pseudonym."""
    risk: float
    text: str | None = field(default=None, repr=False)
    """As it is written, where the ledger may keep that."""


@dataclass(frozen=True, slots=True)
class UserAlert:
    """An alert, its user, what they learnt, and the names of what it is about."""

    alert: Alert
    user: str
    evidence: tuple[AlertEvidence, ...]
    entities: tuple[str, ...] = field(repr=False)
    """What is worth most first."""
    folder: str


@dataclass(frozen=True, slots=True)
class LedgerSummary:
    """How much there is."""

    documents: int
    unscanned: int
    users: int
    accesses: int
    scans: int
    untold: int
    """Documents of which hints can say nothing, as their words are not known."""


def read_summary(connection: sql.Connection) -> LedgerSummary:
    """Count what there is."""

    def count(question: Any) -> int:
        return connection.execute(question).scalar() or 0

    number = sql.func.count()
    return LedgerSummary(
        count(sql.select(number).select_from(DOCUMENTS).where(DOCUMENTS.c.version > 0)),
        count(sql.select(number).select_from(DOCUMENTS).where(DOCUMENTS.c.version == 0)),
        count(sql.select(number).select_from(USERS)),
        int(count(sql.select(sql.func.sum(STANDINGS.c.opened)))),
        count(sql.select(number).select_from(EVENTS).where(EVENTS.c.kind == "scan")),
        count(COUNT_UNKNOWN),
    )


def read_heat(connection: sql.Connection, names: Mapping[int, str]) -> tuple[HeatCell, ...]:
    """Return how many documents of each folder disclose each entity."""
    cells = defaultdict[tuple[str, str], list[int]](lambda: [0] * (RISK_BANDS + 1))
    query = sql.select(HEAT, FOLDERS.c.name).join(FOLDERS, FOLDERS.c.id == HEAT.c.folder)
    for row in connection.execute(query.where(HEAT.c.documents > 0)):
        cell = cells[row.name, names[row.entity]]
        cell[row.band] += row.documents
        cell[RISK_BANDS] += row.above
    return tuple(
        HeatCell(*cell, sum(counts[:RISK_BANDS]), counts[RISK_BANDS], tuple(counts[:RISK_BANDS]))
        for cell, counts in sorted(cells.items())
    )


def user_names(connection: sql.Connection, users: Iterable[int]) -> dict[int, str]:
    """Return the names of users, or their pseudonyms."""
    return {row.id: display_name(row) for row in select_in(connection, sql.select(USERS), USERS.c.id, users)}


def find_users(
    ledger: Ledger, policy: Policy, shown: int, user: str | None = None
) -> tuple[tuple[UserHistory, ...], tuple[EntityKnowledge, ...]]:
    """Return who knows most, or a user alone, with what each knows; and what is known of each entity by them.

    What they may know by the policy does not count.
    """
    adopt_people(ledger, policy)
    with ledger.reading() as connection:
        only = None if user is None else find_user_ids(ledger, connection, user)
        histories = top_users(connection, shown, only)
        users = {one.days[0].user: one.user for one in histories}
        names = entity_names(ledger, connection, policy)
        query = sql.select(KNOWLEDGE).where(KNOWLEDGE.c.user.in_(list(users)))
        rows = connection.execute(query.order_by(KNOWLEDGE.c.known.desc(), KNOWLEDGE.c.entity))
        known = (EntityKnowledge(users[row.user], names[row.entity], row.known, row.phrases) for row in rows)
        return histories, tuple(known)


def find_user_ids(ledger: Ledger, connection: sql.Connection, user: str) -> list[int]:
    """Find users by name, or by the pseudonym shown for them."""
    same = USERS.c.keyed == ledger.secrets.hash_user(user)
    if PSEUDONYM.fullmatch(user):
        low = bytes.fromhex(user)
        same |= USERS.c.keyed.between(low.ljust(HASH_BYTES, b"\0"), low.ljust(HASH_BYTES, b"\xff"))
    return list(connection.execute(sql.select(USERS.c.id).where(same)).scalars())


def top_users(connection: sql.Connection, shown: int, only: list[int] | None = None) -> tuple[UserHistory, ...]:
    """Return who knows most, over time."""
    worth = sql.func.max(STANDINGS.c.worth).label("worth")
    query = sql.select(STANDINGS.c.user, worth).group_by(STANDINGS.c.user)
    query = query if only is None else query.where(STANDINGS.c.user.in_(only))
    most = connection.execute(query.order_by(worth.desc(), STANDINGS.c.user).limit(shown))
    users = {row.user: row.worth for row in most}
    days = defaultdict[int, list[Standing]](list)
    rows = sql.select(STANDINGS).where(STANDINGS.c.user.in_(list(users)))
    for row in connection.execute(rows.order_by(STANDINGS.c.user, STANDINGS.c.day)):
        days[row.user].append(Standing(*row))
    names = user_names(connection, users)
    return tuple(UserHistory(names[user], worth, tuple(days[user])) for user, worth in users.items())


def top_knowers(connection: sql.Connection, names: Mapping[int, str], shown: int) -> tuple[EntityKnowledge, ...]:
    """Return who knows most of each entity."""
    most_first = (KNOWLEDGE.c.known.desc(), KNOWLEDGE.c.user)
    place = sql.func.row_number().over(partition_by=KNOWLEDGE.c.entity, order_by=most_first)
    ranked = sql.select(KNOWLEDGE, place.label("place")).subquery()
    query = sql.select(ranked).where(ranked.c.place <= shown).order_by(ranked.c.entity, ranked.c.place)
    rows = connection.execute(query).all()
    users = user_names(connection, {row.user for row in rows})
    return tuple(EntityKnowledge(users[row.user], names[row.entity], row.known, row.phrases) for row in rows)


# Documents and alerts


def alert_start_day(connection: sql.Connection, today: int) -> int:
    """Return the day from which alerts are sought: so many before the last one on which somebody opened something.

    Days that are yet to come count only where there are no others: a clock was wrong.
    """
    day = sql.select(sql.func.max(STANDINGS.c.day))
    last = connection.execute(day.where(STANDINGS.c.day <= today + 1)).scalar()
    return (today if last is None else int(last)) - ALERT_DAYS


def explained_alerts(
    ledger: Ledger, policy: Policy, since: int | None = None, groups: Mapping[str, str] | None = None, shown: int = 10,
    user: str | None = None,
) -> list[UserAlert]:  # fmt: skip
    """Return alerts from a day on, or recent ones, by the rules of a policy; with their users and what these learnt."""
    adopt_people(ledger, policy)
    with ledger.reading() as connection:
        since = alert_start_day(connection, ledger.clock() // DAY_MILLISECONDS) if since is None else since
        alerts = find_alerts_since(ledger, connection, policy, since, groups or {})
        if user is not None:
            only = set(find_user_ids(ledger, connection, user))
            alerts = [one for one in alerts if one.user in only]
        users = user_names(connection, {one.user for one in alerts})
        names = entity_names(ledger, connection, policy)
        folders = folder_names(connection, (alert.folder for alert in alerts))
        return [
            UserAlert(
                alert, users[alert.user], tuple(_find_evidence(connection, alert, names, shown)),
                tuple(names[entity] for entity in learnt_entities(alert)), folders.get(alert.folder, ""),
            )
            for alert in alerts
        ]  # fmt: skip


def learnt_entities(alert: Alert) -> tuple[int, ...]:
    """Return the entities that an alert is about, what is worth most first."""
    return tuple(one.entity for one in alert.learnt) or ((alert.entity,) if alert.entity >= 0 else ())


def folder_names(connection: sql.Connection, folders: Iterable[int]) -> dict[int, str]:
    """Return the names of folders."""
    rows = select_in(connection, sql.select(FOLDERS.c.id, FOLDERS.c.name), FOLDERS.c.id, set(folders))
    return {row.id: row.name for row in rows}


def find_alerts_since(
    ledger: Ledger, connection: sql.Connection, policy: Policy, since: int, groups: Mapping[str, str]
) -> list[Alert]:
    """Find alerts from a day on."""
    settings, highest = policy.alerts, policy.highest_value
    groups_of = _groups_by_id(ledger, connection, policy, groups)
    last = max(ledger.clock() // DAY_MILLISECONDS + 1, since + ALERT_DAYS)  # days yet to come: a clock was wrong
    exposed = _load_exposed(connection, since - settings.days).opened_between(since - settings.days, last)
    alerts = find_alerts(exposed, settings, highest, since, groups_of)
    alerts = [alert for alert in alerts if alert.value >= settings.least * highest]
    if settings.worth != -1:
        alerts += above_worth(_load_standings(connection, since), settings.worth, since)
    return sorted(alerts, key=lambda one: (one.day, one.user, one.rule))


def _load_exposed(connection: sql.Connection, first: int) -> Exposed:
    """Return what users opened from a day on that discloses something, and what that is worth of what they may not."""
    query = sql.select(EXPOSURES).where(EXPOSURES.c.month >= first >> MONTH_BITS).order_by(EXPOSURES.c.user)
    rows = connection.execute(query).all()
    opened = parse_exposures(b"".join(row.opened for row in rows))
    sizes = [len(row.opened) // EXPOSURE.itemsize for row in rows]
    users = np.repeat(np.array([row.user for row in rows], np.int64), sizes)
    days, entities = opened["day"].astype(np.int64), opened["entity"].astype(np.int64)
    values = np.zeros(int(entities.max(initial=0)) + 1)
    for id, value in connection.execute(sql.select(ENTITIES.c.id, ENTITIES.c.value)):
        if id < len(values):
            values[id] = value
    worth = values[entities] * opened["risk"]
    for user, windows in read_windows(connection, {row.user for row in rows}).items():
        start, end = np.searchsorted(users, [user, user + 1])
        worth[start:end][is_allowed(opened[start:end], windows)] = 0.0
    return Exposed(users, days, opened["document"], opened["folder"].astype(np.int64), entities, worth)


def _load_standings(connection: sql.Connection, since: int) -> list[Standing]:
    """Return what users knew from a day on, and once before it."""
    day = STANDINGS.c.day
    before = sql.select(STANDINGS.c.user, sql.func.max(day).label("day")).where(day < since)
    last = before.group_by(STANDINGS.c.user).subquery()
    same = (last.c.user == STANDINGS.c.user) & (last.c.day == day)
    questions = sql.select(STANDINGS).join(last, same), sql.select(STANDINGS).where(day >= since)
    return [Standing(*row) for one in questions for row in connection.execute(one)]


def _groups_by_id(
    ledger: Ledger, connection: sql.Connection, policy: Policy, groups: Mapping[str, str]
) -> dict[int, tuple[str, ...]]:
    """Return the groups of users: those that are given, else those of the policy."""
    members = defaultdict[bytes, list[str]](list)
    for user, group in groups.items():
        members[ledger.secrets.hash_user(user)].append(group)
    if not groups:
        for group, users in policy.people().groups.items():
            for user in users:
                members[ledger.secrets.hash_user(user)].append(group)
    rows = connection.execute(sql.select(USERS.c.id, USERS.c.keyed)) if members else ()
    return {id: tuple(members[hash]) for id, hash in rows if hash in members}


def known_facts(connection: sql.Connection, user: int, alert: Alert | None = None) -> Facts:
    """Return what a user has learnt that counts; or what made an alert.

    Where they learnt fast, that is of its day; where they know too much, all of the entity until then.
    """
    blobs = connection.execute(sql.select(LEARNED.c.facts).where(LEARNED.c.user == user)).scalars()
    windows = read_windows(connection, [user]).get(user, NO_WINDOWS)
    facts = counting_facts(parse_facts(b"".join(blobs)), windows)
    if alert is not None and alert.rule == "worth":
        facts = facts[(facts["day"] <= alert.day) & (facts["entity"] == alert.entity)]
    elif alert is not None:
        facts = facts[(facts["day"] >= alert.since) & (facts["day"] <= alert.day)]
    return facts


def document_names(connection: sql.Connection, versions: Iterable[int]) -> dict[int, str]:
    """Return the name of the document of each version."""
    query = sql.select(VERSIONS.c.id, DOCUMENTS.c.name, DOCUMENTS.c.keyed)
    query = query.join(DOCUMENTS, DOCUMENTS.c.id == VERSIONS.c.document)
    return {row.id: display_name(row) for row in connection.execute(query.where(VERSIONS.c.id.in_(list(versions))))}


def _find_evidence(
    connection: sql.Connection, alert: Alert, names: Mapping[int, str], shown: int
) -> Iterator[AlertEvidence]:
    """Find the riskiest phrases that made an alert."""
    facts = known_facts(connection, alert.user, alert)
    facts = facts[np.lexsort((facts["phrase"], -facts["risk"]))][:shown]
    documents = document_names(connection, facts["version"].tolist())
    texts = sql.select(TEXTS).where(TEXTS.c.phrase.in_(facts["phrase"].tolist()))
    written = {row.phrase: row.text for row in connection.execute(texts)}
    for entity, _, phrase, risk, version in facts.tolist():
        pseudonym = f"{phrase & (1 << 64) - 1:016x}"
        yield AlertEvidence(documents[version], names[entity], pseudonym, risk, written.get(phrase))
