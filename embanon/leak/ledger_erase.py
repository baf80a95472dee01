"""Erase what is personal: of a user who asks for it, or that is older than it may be kept.

A tombstone stays in the place of each entry: its batch, its place and its mark, so that the chain still holds. What the
mark was made of had a salt among it, which is gone as well.
"""

from __future__ import annotations

from typing import Any, Final

from embanon.errors import InputError
from embanon.leak.ledger import Batch, Ledger, chunks
from embanon.leak.ledger_chain import BYTES
from embanon.leak.ledger_learn import relearn
from embanon.leak.ledger_schema import ACCESSES, EVENTS, KNOWLEDGE, LEARNED, STANDINGS, TOMBSTONES, USERS, WAITING
from embanon.leak.ledger_sql import sql

OF_A_USER: Final = (LEARNED, KNOWLEDGE, STANDINGS, WAITING)


def erase_user(ledger: Ledger, user: str) -> int:
    """Erase a user, and all that he opened and knows; say how many entries that were."""
    with ledger.writing("erasure") as batch:
        keyed = ledger.secrets.user(user)
        id = batch.connection.execute(sql.select(USERS.c.id).where(USERS.c.keyed == keyed)).scalar()
        if id is None:
            raise InputError(
                f"{ledger.where}: knows nobody of this name; write it as the access log does, or look there again"
            )
        for table in OF_A_USER:
            batch.connection.execute(sql.delete(table).where(table.c.user == id))
        return _bury(batch, {ACCESSES: ACCESSES.c.user == id, USERS: USERS.c.id == id}, "user")


def retain(ledger: Ledger, day: int) -> int:
    """Erase what was opened before a day, and what nobody would know without it; say how many entries that were.

    Who opened nothing since then is erased as well.
    """
    with ledger.writing("erasure") as batch:
        old = ACCESSES.c.day < day
        users = list(batch.connection.execute(sql.select(ACCESSES.c.user).where(old).distinct()).scalars())
        if not users:
            return 0
        staying = sql.select(ACCESSES.c.user).where(ACCESSES.c.day >= day)
        leaving = USERS.c.id.not_in(staying) & USERS.c.id.in_(sql.select(ACCESSES.c.user).where(old))
        count = _bury(batch, {USERS: leaving, ACCESSES: old}, "age")
        for some in chunks(users):
            relearn(batch.connection, some)
        return count


def _bury(batch: Batch, wanted: dict[sql.Table, Any], why: str) -> int:
    """Put tombstones in the place of entries, and write down how many, and what their marks sum up to."""
    count, total, event = 0, 0, batch.next(EVENTS)
    for table, where in wanted.items():
        marks = sql.select(table.c.mark).where(where).execution_options(yield_per=10_000)
        for mark in batch.connection.execute(marks).scalars():
            count, total = count + 1, total ^ batch.secrets.buried(mark)
        buried = sql.select(table.c.batch, table.c.place, table.c.mark, sql.literal(event)).where(where)
        names = ["batch", "place", "mark", "event"]
        batch.connection.execute(sql.insert(TOMBSTONES).from_select(names, buried))
        batch.connection.execute(sql.delete(table).where(where))
    batch.event("erasure", {"why": why, "entries": count, "sum": f"{total:0{2 * BYTES}x}"})
    return count
