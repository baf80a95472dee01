"""Who may know what and when, in numbers of the ledger; users are pseudonyms, known or yet to come."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

import numpy as np

from embanon.errors import DataError
from embanon.leak.ledger.schema import PERMISSIONS, USERS, sql
from embanon.leak.ledger.store import select_in
from embanon.leak.misuse import Facts
from embanon.leak.regression import Flags

WINDOW: Final = np.dtype([("entity", "<u4"), ("since", "<i4"), ("until", "<i4")])
"""Days, the first and the last of them among them, on which somebody may know an entity."""
Windows = np.ndarray[tuple[int], np.dtype[np.void]]
Window = tuple[int, int, int]
NO_WINDOWS: Final[Windows] = np.zeros(0, WINDOW)


def merge_windows(windows: Iterable[Window]) -> bytes:
    """Return windows in order, as the ledger keeps them: those that overlap or follow each other are one."""
    merged = list[Window]()
    for entity, since, until in sorted(windows):
        if merged and merged[-1][0] == entity and since <= merged[-1][2] + 1:
            merged[-1] = entity, merged[-1][1], max(until, merged[-1][2])
        else:
            merged.append((entity, since, until))
    return np.array(merged, WINDOW).tobytes()


def parse_windows(data: bytes) -> Windows:
    """Read windows."""
    if not isinstance(data, bytes) or len(data) % WINDOW.itemsize:
        raise DataError("the ledger holds of who may know what that which no ledger writes; run: embanon leak verify")
    windows: Windows = np.frombuffer(data, WINDOW)
    return windows


def windows_in_force(given: Iterable[Window], before: bytes, today: int) -> bytes:
    """Return the windows that a policy gives; of an entity of which it gives none, what ended today if not before.

    So whoever is taken out of a policy has learnt lawfully what they learnt until then.
    """
    wanted = list(given)
    named = {entity for entity, _, _ in wanted}
    ended = ((entity, since, min(until, today)) for entity, since, until in _rows(before) if entity not in named)
    return merge_windows([*wanted, *(window for window in ended if window[1] <= window[2])])


def _rows(data: bytes) -> list[Window]:
    rows: Any = parse_windows(data).tolist()
    return list(rows)


def stored_windows(connection: sql.Connection) -> dict[bytes, bytes]:
    """Return the last windows of all users that a policy ever named, by their pseudonyms."""
    query = sql.select(PERMISSIONS.c.keyed, PERMISSIONS.c.windows).order_by(PERMISSIONS.c.id)
    return {row.keyed: row.windows for row in connection.execute(query)}


def read_windows(connection: sql.Connection, users: Iterable[int]) -> dict[int, Windows]:
    """Return the windows of those users who have any."""
    query = sql.select(USERS.c.id, PERMISSIONS.c.windows).join(PERMISSIONS, PERMISSIONS.c.keyed == USERS.c.keyed)
    rows = select_in(connection, query.order_by(PERMISSIONS.c.id), USERS.c.id, users)
    return {row.id: parse_windows(row.windows) for row in rows}


def is_allowed(facts: Facts, windows: Windows = NO_WINDOWS) -> Flags:
    """Return which facts somebody learnt when they might."""
    allowed = np.zeros(len(facts), bool)
    for entity, since, until in windows.tolist():
        allowed |= (facts["entity"] == entity) & (facts["day"] >= since) & (facts["day"] <= until)
    return allowed


def span_edges(windows: Windows) -> list[int]:
    """Return the days on which what somebody may know becomes another."""
    return sorted({*windows["since"].tolist(), *(windows["until"] + 1).tolist()})
