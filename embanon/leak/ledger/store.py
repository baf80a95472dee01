"""A ledger: the database of what was found and who opened it, written by one at a time, all or nothing.

A file is SQLite, an address such as `postgresql://user@host/name` PostgreSQL. Reading and writing do not wait for each
other.
"""

from __future__ import annotations

import contextlib
import json
import logging
import os
import stat
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, Final, TypeVar

from embanon.errors import ConfigError, DataError, EmbanonError, MissingExtraError
from embanon.io import replace_file
from embanon.leak.ledger.chain import HASH_BYTES, ChainHead, LedgerKeys, entry_values, xor_marks
from embanon.leak.ledger.schema import (
    BATCHES,
    EVENTS,
    HEAD,
    METADATA,
    VERSION,
    migrate,
    postgresql,
    sql,
    sqlite,
    version_of,
)
from embanon.replace import random_secret, read_key

LOG: Final = logging.getLogger(__name__)
Value = TypeVar("Value")
Select = sql.Select[Any]

FILE_NAME: Final = "ledger.db"
LOCK_TIMEOUT: Final = 120.0
"""Seconds that a writer waits for another."""
COPY_MIN_ROWS: Final = 500
"""Rows from which PostgreSQL is sent them in one stream."""
KEYS_PER_QUERY: Final = 5_000
"""Keys in a question."""
ADVISORY_LOCK: Final = 0x656D6261
"""What PostgreSQL calls the making of a ledger by."""
FIRST_LINK: Final = bytes(32)


def read_ledger_key(path: str | Path, create: bool = False) -> bytes:
    """Read the key of a ledger; or make one, by chance, that its owner alone can read."""
    file = Path(path)
    if create and not file.exists():
        _make_key(file)
    secret = read_key(str(file))
    _warn_if_readable(file, stat.S_IRWXG | stat.S_IRWXO, "this key")
    return secret


def _warn_if_readable(file: Path, whom: int, what: str) -> None:
    if os.name == "posix" and file.stat().st_mode & whom:
        LOG.warning("%s: others may read %s; run: chmod 600 %s", file, what, file)


def _make_key(file: Path) -> None:
    """Write a key where there is none; another process that does the same finds a whole one, or makes it."""
    aside = file.with_name(f".embanon-{random_secret().hex()[:16]}")
    try:
        replace_file(aside, random_secret().hex().encode() + b"\n")
        with contextlib.suppress(FileExistsError):  # the other one was first
            file.hardlink_to(aside)
    except OSError as exc:
        raise ConfigError(f"{file}: cannot be written ({exc.strerror}); name another --key-file") from exc
    finally:
        with contextlib.suppress(OSError):
            aside.unlink(missing_ok=True)


def now_milliseconds() -> int:
    """Return the time, since 1970."""
    return time.time_ns() // 1_000_000


@dataclass(frozen=True, slots=True, eq=False)
class Ledger:
    """An open ledger; each process opens it for itself."""

    where: str
    engine: sql.Engine = field(repr=False)
    secrets: LedgerKeys = field(repr=False)
    clock: Callable[[], int] = field(default=now_milliseconds, repr=False)

    @classmethod
    def open(
        cls, where: str | Path, secret: bytes, create: bool = False, clock: Callable[[], int] = now_milliseconds
    ) -> Ledger:
        """Open a ledger, or make one where there is none."""
        engine, name = _create_engine(str(where), create)
        try:
            with translate_errors(name), engine.connect() as connection, connection.begin():
                ready = version_of(connection, name) == VERSION
            if not ready:
                _create_tables(engine, name, secret, create)
            with translate_errors(name), engine.connect() as connection, connection.begin():
                head = connection.execute(sql.select(HEAD)).one()
            secrets = LedgerKeys.derive(secret, head.ledger)
            if secrets.proof != head.proof:
                raise ConfigError(f"{name}: was made with another key; name its key with --key-file")
        except EmbanonError:
            engine.dispose()
            raise
        return cls(name, engine, secrets, clock)

    def close(self) -> None:
        """Leave the database."""
        self.engine.dispose()

    def __enter__(self) -> Ledger:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @contextmanager
    def reading(self) -> Iterator[sql.Connection]:
        """Read one state of the ledger, whatever is written meanwhile."""
        with translate_errors(self.where), self.engine.connect() as connection:
            if self.engine.dialect.name == "postgresql":
                connection = connection.execution_options(isolation_level="REPEATABLE READ")
            with connection.begin():
                yield connection

    @contextmanager
    def writing(self, kind: str) -> Iterator[Batch]:
        """Add a batch, all of it or nothing; other writers wait."""
        with (
            translate_errors(self.where),
            self.engine.connect().execution_options(writes=True) as connection,
            connection.begin(),
        ):
            head = connection.execute(LOCK_HEAD).one()
            batch = Batch(connection, self.secrets, head.batch + 1, kind, self.clock(), head.chained)
            yield batch
            batch.seal()

    def head(self) -> ChainHead:
        """Return the last link of the chain, to be kept elsewhere."""
        with self.reading() as connection:
            row = connection.execute(sql.select(HEAD)).one()
        return ChainHead(row.ledger.hex(), row.batch, row.chained.hex())


@dataclass(slots=True)
class Batch:
    """Entries that are written together."""

    connection: sql.Connection
    secrets: LedgerKeys
    number: int
    kind: str
    at: int
    previous_link: bytes
    marks: list[bytes] = field(default_factory=list)

    def add(self, table: sql.Table, rows: Sequence[dict[str, Any]]) -> None:
        """Add entries to a table, each marked as what it is and where."""
        take = entry_values(table.name)
        for row in rows:
            place = len(self.marks)
            mark = self.secrets.sign_entry(table.name, self.number, place, take(row))
            row |= {"batch": self.number, "place": place, "mark": mark}
            self.marks.append(mark)
        names = set(table.c.keys())
        insert(self.connection, table, [{name: row[name] for name in row if name in names} for row in rows])

    def next_id(self, table: sql.Table) -> int:
        """Return the next number of a table."""
        return (self.connection.execute(_highest_id(table)).scalar() or 0) + 1

    def add_event(self, kind: str, detail: Mapping[str, Any], about: int | None = None) -> int:
        """Add that something begins, ends or is done."""
        id, written = self.next_id(EVENTS), json.dumps(detail, sort_keys=True)
        self.add(EVENTS, [{"id": id, "at": self.at, "kind": kind, "event": about, "detail": written}])
        return id

    def seal(self) -> None:
        """Chain what was added to the batch before; if nothing was, there is no batch."""
        if not self.marks:
            return
        size, digest = len(self.marks), xor_marks(self.marks)
        link = self.secrets.link_batch(self.previous_link, self.number, self.kind, self.at, size, digest)
        row = {"number": self.number, "kind": self.kind, "at": self.at, "size": size, "digest": digest, "chained": link}
        self.connection.execute(_insert_statement(BATCHES), row)
        self.connection.execute(MOVE_HEAD, {"last": self.number, "link": link})


# Questions that both databases answer alike


def chunks(values: Iterable[Value], size: int = KEYS_PER_QUERY) -> Iterator[list[Value]]:
    """Return values in lists that fit a question."""
    items = list(values)
    for start in range(0, len(items), size):
        yield items[start : start + size]


def select_in(
    connection: sql.Connection, query: Select, column: sql.ColumnElement[Any], values: Iterable[Any]
) -> Iterator[Any]:
    """Return the rows where a column has one of some values, however many these are."""
    for chunk in chunks(values):
        yield from connection.execute(query.where(column.in_(chunk)))


def insert(connection: sql.Connection, table: sql.Table, rows: Sequence[Mapping[str, Any]]) -> None:
    """Add rows with the same columns; many of them as fast as the database can take them."""
    if not rows:
        return
    if connection.dialect.name != "postgresql" or len(rows) < COPY_MIN_ROWS:
        connection.execute(_insert_statement(table), list(rows))
        return
    names = list(rows[0])
    columns = ", ".join(f'"{name}"' for name in names)
    into = f'COPY "{table.name}" ({columns}) FROM STDIN'
    with driver_connection(connection) as driver, driver.cursor() as cursor, cursor.copy(into) as copy:
        for row in rows:
            copy.write_row([row[name] for name in names])


@contextmanager
def driver_connection(connection: sql.Connection) -> Iterator[Any]:
    """Return the connection of the driver itself; what fails there is said as `told` hears it."""
    try:
        yield connection.connection.driver_connection
    except connection.dialect.loaded_dbapi.Error as exc:
        raise sql.exc.DatabaseError("", None, exc, hide_parameters=True) from None


def upsert(
    connection: sql.Connection, table: sql.Table, rows: Sequence[Mapping[str, Any]], added: Sequence[str] = ()
) -> None:
    """Add rows, or put them in the place of those with their key; some columns are added to what is there."""
    if not rows:
        return
    connection.execute(_upsert_statement(table, connection.dialect.name, tuple(rows[0]), tuple(added)), list(rows))


# Statements that are said for each document are made once.
LOCK_HEAD: Final = sql.select(HEAD).with_for_update()
MOVE_HEAD: Final = sql.update(HEAD).values(batch=sql.bindparam("last"), chained=sql.bindparam("link"))


@cache
def _insert_statement(table: sql.Table) -> sql.Insert:
    return sql.insert(table)


@cache
def _highest_id(table: sql.Table) -> Select:
    return sql.select(sql.func.max(table.c.id))


@cache
def _upsert_statement(table: sql.Table, dialect: str, names: tuple[str, ...], added: tuple[str, ...]) -> Any:
    made: Any = (postgresql if dialect == "postgresql" else sqlite).insert(table)
    keys = [column.name for column in table.primary_key]
    new = {
        name: table.c[name] + made.excluded[name] if name in added else made.excluded[name]
        for name in names
        if name not in keys
    }
    return made.on_conflict_do_update(index_elements=keys, set_=new)


# Opening


DATABASE_MESSAGES: Final = (
    (("locked",), "another process has been writing for too long; try again"),
    (("not a database", "malformed"), "is no ledger, or a damaged one; name another file"),
    (("full", "no space"), "the disk is full; nothing of the last step was written"),
    (("i/o error",), "the disk fails, or lets no file grow; nothing of the last step was written"),
    (("readonly", "read-only", "permission denied", "unable to open"),
        "may not be opened or written; check its permissions and folder"),
    (("connect",), "cannot be reached; check that the server runs, its address and user"),
)  # fmt: skip
"""Text in a database's message -> our own message; the first match counts."""


@contextmanager
def translate_errors(name: str) -> Iterator[None]:
    """Raise errors of a database in our words: its own may quote what is secret."""
    try:
        yield
    except sql.exc.DBAPIError as exc:
        reason = str(exc.orig).lower() + (" connect" if exc.connection_invalidated else "")
        if isinstance(exc, sql.exc.DatabaseError):
            for parts, message in DATABASE_MESSAGES:
                if any(part in reason for part in parts):
                    raise DataError(f"{name}: {message}") from exc
        raise DataError(f"{name}: the database refuses what is asked ({type(exc.orig).__name__})") from None


def _create_engine(where: str, create: bool) -> tuple[sql.Engine, str]:
    """Return what connects, and a name for messages, which has no password."""
    try:
        url = sql.make_url(where) if "://" in where else sql.URL.create("sqlite", database=where)
    except (sql.exc.ArgumentError, ValueError):  # which quote what they cannot read
        raise ConfigError("the ledger is no file and no address such as postgresql://user@host/name") from None
    if url.drivername in ("postgres", "postgresql"):
        url = url.set(drivername="postgresql+psycopg")
    if url.get_backend_name() not in ("sqlite", "postgresql"):
        raise ConfigError(f"a ledger is a file of SQLite, or postgresql://…, not {url.get_backend_name()}://…")
    if url.get_backend_name() == "sqlite":
        return _create_sqlite_engine(url, create)
    try:
        engine = sql.create_engine(url, hide_parameters=True, pool_pre_ping=True)
    except (ImportError, sql.exc.NoSuchModuleError) as exc:
        raise MissingExtraError("psycopg", "postgres") from exc
    return engine, url.set(query={}).render_as_string(hide_password=True)  # passwords may stand in a query as well


def _create_sqlite_engine(url: sql.URL, create: bool) -> tuple[sql.Engine, str]:
    path = Path(url.database or "")
    if not url.database or url.database == ":memory:":
        raise ConfigError("a ledger needs a file, which others can open as well")
    if path.is_dir():
        raise ConfigError(f"{path}: is a folder; name a file in it, such as {path / FILE_NAME}")
    if not path.exists():
        if not create:
            raise ConfigError(f"{path}: no such ledger; run: embanon leak scan --ledger {path}")
        try:
            os.close(os.open(path, os.O_WRONLY | os.O_CREAT, 0o600))
        except OSError as exc:
            raise ConfigError(f"{path}: cannot be written ({exc.strerror}); name another file") from exc
    _warn_if_readable(path, stat.S_IRWXO, "who opened what")
    engine = sql.create_engine(url, hide_parameters=True, connect_args={"timeout": LOCK_TIMEOUT})
    sql.event.listen(engine, "connect", _configure_sqlite)
    sql.event.listen(engine, "begin", _begin_transaction)
    return engine, str(path)


def _configure_sqlite(connection: Any, _: Any) -> None:
    """Let readers and a writer work at once; what is written survives the end of the process at any moment."""
    connection.isolation_level = None  # transactions begin where we say
    _retry_while_locked(lambda: connection.execute("PRAGMA journal_mode = WAL").fetchone())
    for setting in ("synchronous = NORMAL", "temp_store = MEMORY", "cache_size = -65536", "secure_delete = ON"):
        connection.execute(f"PRAGMA {setting}").close()


def _retry_while_locked(do: Callable[[], object]) -> None:
    """Try again while another process does the same: SQLite does not wait when it changes its journal."""
    import sqlite3

    for left in range(100, -1, -1):
        try:
            do()
            return
        except sqlite3.OperationalError as exc:
            if not left or "lock" not in str(exc):
                raise
            time.sleep(0.05)


def _begin_transaction(connection: sql.Connection) -> None:
    writes = connection.get_execution_options().get("writes")
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")


def _create_tables(engine: sql.Engine, name: str, secret: bytes, create: bool) -> None:
    """Make the tables, or bring them up to date: one process alone."""
    with translate_errors(name), engine.connect().execution_options(writes=True) as connection, connection.begin():
        if engine.dialect.name == "postgresql":
            connection.execute(sql.select(sql.func.pg_advisory_xact_lock(ADVISORY_LOCK)))
        if migrate(connection, name):
            return
        if not create:
            raise DataError(f"{name}: holds no ledger yet; run: embanon leak scan")
        METADATA.create_all(connection)
        ledger = os.urandom(HASH_BYTES)
        proof = LedgerKeys.derive(secret, ledger).proof
        row = {"id": 1, "version": VERSION, "ledger": ledger, "proof": proof, "batch": 0, "chained": FIRST_LINK}
        connection.execute(sql.insert(HEAD), row)
