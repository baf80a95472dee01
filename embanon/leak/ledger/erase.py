"""Erase personal data: of a user who asks for it, or past its retention period.

A tombstone stays in the place of each entry: its batch, its place and its mark, so that the chain still holds. What the
mark was made of had a salt among it, which is gone as well.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from typing import Any, Final

from embanon.errors import InputError
from embanon.leak.ledger.chain import HASH_BYTES
from embanon.leak.ledger.knowledge import rebuild_knowledge
from embanon.leak.ledger.schema import (
    ACCESSES,
    DOCUMENTS,
    EVENTS,
    EXPOSURES,
    FOLDERS,
    KNOWLEDGE,
    LEARNED,
    PERMISSIONS,
    STANDINGS,
    TOMBSTONES,
    USERS,
    VERSIONS,
    WAITING,
    sql,
)
from embanon.leak.ledger.store import Batch, Ledger, chunks, driver_connection, translate_errors

USER_TABLES: Final = (LEARNED, KNOWLEDGE, STANDINGS, EXPOSURES, WAITING)


def erase_user(ledger: Ledger, user: str) -> int:
    """Erase a user, and all that they opened and know; return how many entries that were."""
    with ledger.writing("erasure") as batch:
        keyed = ledger.secrets.hash_user(user)
        id = batch.connection.execute(sql.select(USERS.c.id).where(USERS.c.keyed == keyed)).scalar()
        named = sql.select(PERMISSIONS.c.id).where(PERMISSIONS.c.keyed == keyed).limit(1)  # by a policy alone
        if id is None and batch.connection.execute(named).first() is None:
            raise InputError(
                f"{ledger.where}: knows nobody of this name; write it as the access log does, or look there again"
            )
        for table in USER_TABLES:
            batch.connection.execute(sql.delete(table).where(table.c.user == id))
        opened = set(batch.connection.execute(sql.select(ACCESSES.c.document).where(ACCESSES.c.user == id)).scalars())
        wanted = {ACCESSES: ACCESSES.c.user == id, PERMISSIONS: PERMISSIONS.c.keyed == keyed, USERS: USERS.c.id == id}
        return _replace_by_tombstones(batch, wanted, "user", opened)


def erase_before(ledger: Ledger, day: int) -> int:
    """Erase what was opened before a day, and what nobody would know without it; return how many entries that were.

    Who opened nothing since then is erased as well.
    """
    with ledger.writing("erasure") as batch:
        old = ACCESSES.c.day < day
        users = list(batch.connection.execute(sql.select(ACCESSES.c.user).where(old).distinct()).scalars())
        if not users:
            return 0
        staying = sql.select(ACCESSES.c.user).where(ACCESSES.c.day >= day)
        leaving = USERS.c.id.not_in(staying) & USERS.c.id.in_(sql.select(ACCESSES.c.user).where(old))
        opened = set(batch.connection.execute(sql.select(ACCESSES.c.document).where(old).distinct()).scalars())
        permitted = PERMISSIONS.c.keyed.in_(sql.select(USERS.c.keyed).where(leaving))
        count = _replace_by_tombstones(batch, {PERMISSIONS: permitted, USERS: leaving, ACCESSES: old}, "age", opened)
        for chunk in chunks(users):
            rebuild_knowledge(batch.connection, chunk)
        return count


def vacuum(ledger: Ledger) -> bool:
    """Write anew what is left, so that nothing erased lies in free pages or logs; return whether that could be.

    While others read a file, what they read stays until they are done.
    """
    with translate_errors(ledger.where), ledger.engine.connect() as connection, driver_connection(connection) as driver:
        if connection.dialect.name == "postgresql":
            driver.autocommit = True
            for table in (*USER_TABLES, ACCESSES, PERMISSIONS, USERS, DOCUMENTS, FOLDERS):
                columns = [one for one in table.c if isinstance(one.type, sql.Text | sql.LargeBinary)]
                if columns:  # statistics of a column quote what is in it, until its type is set
                    types = (f'ALTER "{one.name}" TYPE {one.type.compile(connection.dialect)}' for one in columns)
                    driver.execute(f'ALTER TABLE "{table.name}" {", ".join(types)}')
                driver.execute(f'VACUUM (FULL, ANALYZE) "{table.name}"')
            driver.execute("VACUUM pg_statistic")
            driver.autocommit = False
            return True
        driver.execute("VACUUM")
        busy, _, _ = driver.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
        return not busy


def _replace_by_tombstones(batch: Batch, wanted: dict[sql.Table, Any], why: str, opened: set[int]) -> int:
    """Put tombstones in the place of entries, and write down how many, and what their marks sum up to.

    Of documents that were opened, those go as well that no scan has seen and that nobody else opened: the path of such
    a one may say whose it was.
    """
    count, total, event = 0, 0, batch.next_id(EVENTS)
    for table, where in chain(wanted.items(), _unscanned(batch.connection, opened)):  # the latter once those are gone
        count, total = _put_tombstones(batch, table, where, event, count, total)
    batch.add_event("erasure", {"why": why, "entries": count, "sum": f"{total:0{2 * HASH_BYTES}x}"})
    return count


def _unscanned(connection: sql.Connection, opened: set[int]) -> Iterator[tuple[sql.Table, Any]]:
    """Return documents that are only known from accesses which are gone, and then the folders that held no other."""
    for chunk in chunks(opened):
        query = sql.select(DOCUMENTS.c.id, DOCUMENTS.c.folder)
        documents = connection.execute(query.where(DOCUMENTS.c.id.in_(chunk) & (DOCUMENTS.c.version == 0))).all()
        ids = [row.id for row in documents]
        for column in (ACCESSES.c.document, VERSIONS.c.document) if ids else ():
            there = set(connection.execute(sql.select(column).where(column.in_(ids)).distinct()).scalars())
            ids = [id for id in ids if id not in there]
        if ids:
            yield DOCUMENTS, DOCUMENTS.c.id.in_(ids)
            folders = FOLDERS.c.id.in_({row.folder for row in documents})
            yield FOLDERS, folders & FOLDERS.c.id.not_in(sql.select(DOCUMENTS.c.folder))


def _put_tombstones(batch: Batch, table: sql.Table, where: Any, event: int, count: int, total: int) -> tuple[int, int]:
    marks = sql.select(table.c.mark).where(where).execution_options(yield_per=10_000)
    for mark in batch.connection.execute(marks).scalars():
        count, total = count + 1, total ^ batch.secrets.hash_erased(mark)
    buried = sql.select(table.c.batch, table.c.place, table.c.mark, sql.literal(event)).where(where)
    batch.connection.execute(sql.insert(TOMBSTONES).from_select(["batch", "place", "mark", "event"], buried))
    batch.connection.execute(sql.delete(table).where(where))
    return count, total
