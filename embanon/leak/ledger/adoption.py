"""Take over from a policy who may know what; what somebody may know does not count against them."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Final

from embanon.language import key
from embanon.leak.ledger.knowledge import rebuild_knowledge, revalue_users
from embanon.leak.ledger.permissions import (
    Window,
    merge_windows,
    parse_windows,
    span_edges,
    stored_windows,
    windows_in_force,
)
from embanon.leak.ledger.records import DAY_MILLISECONDS
from embanon.leak.ledger.schema import ENTITIES, PERMISSIONS, STANDINGS, USERS, sql
from embanon.leak.ledger.store import Batch, Ledger, select_in
from embanon.leak.people import Grant
from embanon.leak.policy import Policy

SALT_BYTES: Final = 8


def adopt_people(ledger: Ledger, policy: Policy) -> int:
    """Take over who may know what, where that changed; return of how many users and members of groups.

    What these know is valued anew, by the days on which they opened it.
    """
    with ledger.reading() as connection:
        if not _changed_windows(ledger, connection, policy):
            return 0
    with ledger.writing("people") as batch:
        changed = _changed_windows(ledger, batch.connection, policy)
        ids = range(batch.next_id(PERMISSIONS), 1 << 62)
        batch.add(PERMISSIONS, [
            {"id": id, "keyed": keyed, "windows": windows, "salt": os.urandom(SALT_BYTES)}
            for id, (keyed, windows) in zip(ids, changed.items(), strict=False)
        ])  # fmt: skip
        _value_again(batch, changed)
    return len(changed)


def entity_numbers(ledger: Ledger, connection: sql.Connection, policy: Policy) -> dict[int, int]:
    """Return the numbers of entities by their places in a policy; of those that a scan has seen."""
    known = {row.keyed: row.id for row in connection.execute(sql.select(ENTITIES.c.keyed, ENTITIES.c.id))}
    hashes = (ledger.secrets.hash_name("entity", key(item.name)) for item in policy.entities)
    return {place: known[hash] for place, hash in enumerate(hashes) if hash in known}


def ledger_windows(grants: Iterable[Grant], numbers: dict[int, int]) -> list[Window]:
    """Return what somebody may know, in numbers of the ledger."""
    return [(numbers[one.entity], one.since, one.until) for one in grants if one.entity in numbers]


def _changed_windows(ledger: Ledger, connection: sql.Connection, policy: Policy) -> dict[bytes, bytes]:
    """Return the windows of users of whom the ledger has others."""
    people, stored = policy.people(), stored_windows(connection)
    if not people.grants and not any(stored.values()):
        return {}
    numbers, today = entity_numbers(ledger, connection, policy), ledger.clock() // DAY_MILLISECONDS
    users = [user for user in people.grants if not people.groups.get(user)]
    given = {ledger.secrets.hash_user(user): ledger_windows(people.grants[user], numbers) for user in users}
    wanted = {keyed: merge_windows(windows) for keyed, windows in given.items() if keyed not in stored}
    wanted |= {keyed: windows_in_force(given.get(keyed, ()), before, today) for keyed, before in stored.items()}
    return {keyed: windows for keyed, windows in wanted.items() if windows != stored.get(keyed, b"")}


def _value_again(batch: Batch, changed: dict[bytes, bytes]) -> None:
    """Compute anew what users know; from what they opened where some of their days count now, and others do not."""
    days = sql.select(STANDINGS.c.user, sql.func.min(STANDINGS.c.day), sql.func.max(STANDINGS.c.day), USERS.c.keyed)
    days = days.join(USERS, USERS.c.id == STANDINGS.c.user).group_by(STANDINGS.c.user, USERS.c.keyed)
    rows = list(select_in(batch.connection, days, USERS.c.keyed, changed))
    edges = {keyed: span_edges(parse_windows(windows)) for keyed, windows in changed.items()}
    again = [user for user, first, last, keyed in rows if any(first < edge <= last for edge in edges[keyed])]
    rebuild_knowledge(batch.connection, again)
    revalue_users(batch.connection, sorted({row[0] for row in rows}.difference(again)))
