"""The tables of a ledger, alike on SQLite and PostgreSQL, and how those of an older version become the present ones.

*Entries* are only ever added; each has a batch, a place in it, and a mark that holds it there (`chain`). What is
*computed* from them is kept beside them, so that reports do not read them all; `verify.rebuild` computes it anew.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from embanon.errors import DataError, MissingExtraError

try:
    import sqlalchemy as sql
    from sqlalchemy.dialects import postgresql, sqlite
except ImportError as exc:
    raise MissingExtraError("SQLAlchemy", "leak") from exc

__all__ = ["postgresql", "sql", "sqlite"]  # all modules of the ledger take SQLAlchemy from here


VERSION: Final = 4
METADATA: Final = sql.MetaData()
INTEGER: Final = sql.BigInteger().with_variant(sql.Integer, "sqlite")
"""64 bits: in SQLite, where any whole number has them, INTEGER needs no index beside the table."""
HASH: Final = sql.LargeBinary(16)


def _integer(name: str, **options: Any) -> sql.Column[Any]:
    return sql.Column(name, INTEGER, nullable=False, **options)


def _primary_key(name: str) -> sql.Column[Any]:
    return sql.Column(name, INTEGER, primary_key=True, autoincrement=False)


def _required(name: str, type: Any, **options: Any) -> sql.Column[Any]:
    return sql.Column(name, type, nullable=False, **options)


def _entry_table(name: str, *columns: Any, **options: Any) -> sql.Table:
    """Make a table of entries."""
    marked = _integer("batch"), _integer("place"), _required("mark", HASH)
    return sql.Table(name, METADATA, *columns, *marked, **options)


HEAD: Final = sql.Table(
    "ledger", METADATA,
    _primary_key("id"),  # always 1: whoever writes locks this row
    _required("version", sql.Integer),
    _required("ledger", HASH),  # by chance: what keys are made for
    _required("proof", HASH),  # that a key is the right one
    _integer("batch"),
    _required("chained", sql.LargeBinary(32)),
)  # fmt: skip
BATCHES: Final = sql.Table(
    "batches", METADATA,
    _primary_key("number"), _required("kind", sql.Text), _integer("at"), _integer("size"),
    _required("digest", HASH), _required("chained", sql.LargeBinary(32)),
)  # fmt: skip

# Entries

EVENTS: Final = _entry_table(
    "events",
    _primary_key("id"), _integer("at"), _required("kind", sql.Text),
    sql.Column("event", INTEGER),  # that it ends, such as a scan
    _required("detail", sql.Text),
)  # fmt: skip
ENTITIES: Final = _entry_table(
    "entities", _primary_key("id"), _required("keyed", HASH, unique=True), sql.Column("name", sql.Text),
    # Computed: the last of its values.
    _required("value", sql.Float), _required("threshold", sql.Float),
)  # fmt: skip
VALUATIONS: Final = _entry_table(
    "valuations", _primary_key("id"), _integer("entity"),
    _required("value", sql.Float), _required("threshold", sql.Float),
)  # fmt: skip
FOLDERS: Final = _entry_table("folders", _primary_key("id"), _required("name", sql.Text, unique=True))
DOCUMENTS: Final = _entry_table(
    "documents", _primary_key("id"), _required("keyed", HASH, unique=True), sql.Column("name", sql.Text),
    _integer("folder"),
    # Computed: the last version (0: it is only known from accesses), what it is worth, and of which entity.
    _integer("version"), _required("worth", sql.Float), _integer("entity"),
    sql.Index("by_worth", "worth"),
)  # fmt: skip
VERSIONS: Final = _entry_table(
    "versions", _primary_key("id"), _integer("document"), _integer("number"), _integer("scan"), _integer("since"),
    sql.Column("content", HASH),  # none: the document is gone
    _required("fingerprint", HASH), _integer("length"), _integer("unknown"),
    sql.Column("label", sql.Text),
    _integer("near"),  # a version that it, or a passage of it, nearly repeats; 0: none
    _required("worth", sql.Float),  # when it was scanned
    sql.Column("sketch", sql.LargeBinary), _required("mentions", sql.LargeBinary),
    sql.Column("sensitivity", sql.Float),  # of the whole; -1: nothing can be said of it; none: nobody asked
    sql.Index("by_document", "document", "number", unique=True),
    sql.Index("by_content", "content"), sql.Index("by_scan", "scan"),
)  # fmt: skip
HAS_SENSITIVITY: Final = VERSIONS.c.sensitivity.is_not(None)
sql.Index("by_sensitivity", VERSIONS.c.sensitivity, sqlite_where=HAS_SENSITIVITY, postgresql_where=HAS_SENSITIVITY)
DISCLOSURES: Final = sql.Table(  # covered by the mark of their version
    "disclosures", METADATA,
    _primary_key("version"), _primary_key("entity"),
    _required("strength", sql.Float), _required("risk", sql.Float),
    _required("phrases", sql.Integer), _required("allowed", sql.SmallInteger),
    sqlite_with_rowid=False,
)  # fmt: skip
USERS: Final = _entry_table(
    "users", _primary_key("id"), _required("keyed", HASH, unique=True), sql.Column("name", sql.Text),
    _required("salt", sql.LargeBinary(8)),
)  # fmt: skip
ACCESSES: Final = _entry_table(
    "accesses", _primary_key("user"), _primary_key("time"), _primary_key("document"),
    sql.Column("action", sql.Text, primary_key=True),
    _integer("day"),  # where the log was written
    _required("salt", sql.LargeBinary(8)),
    sqlite_with_rowid=False,
)  # fmt: skip
PERMISSIONS: Final = _entry_table(
    "permissions",
    _primary_key("id"),  # the last one of a user counts
    _required("keyed", HASH),  # as in users, which may not have them yet
    _required("windows", sql.LargeBinary), _required("salt", sql.LargeBinary(8)),
    sql.Index("by_permitted", "keyed"),
)  # fmt: skip
TOMBSTONES: Final = sql.Table(
    "tombstones", METADATA,
    _primary_key("batch"), _primary_key("place"), _required("mark", HASH), _integer("event"),
    sqlite_with_rowid=False,
)  # fmt: skip
TEXTS: Final = sql.Table("texts", METADATA, _primary_key("phrase"), _required("text", sql.Text))
"""Phrases as they are written, where a policy asks for that; in no chain, so that they can be deleted."""

# Computed

HEAT: Final = sql.Table(
    "heat", METADATA,
    _primary_key("folder"), _primary_key("entity"), _primary_key("band"), _integer("documents"), _integer("above"),
    sqlite_with_rowid=False,
)  # fmt: skip
LEARNED: Final = sql.Table(
    "learned", METADATA,
    _primary_key("user"), _primary_key("batch"), _required("facts", sql.LargeBinary),
)  # fmt: skip
STANDINGS: Final = sql.Table(
    "standings", METADATA,
    _primary_key("user"), _primary_key("day"), _integer("opened"),
    _required("worth", sql.Float), _required("total", sql.Float), _integer("entity"),
    sqlite_with_rowid=False,
)  # fmt: skip
KNOWLEDGE: Final = sql.Table(
    "knowledge", METADATA,
    _primary_key("user"), _primary_key("entity"), _required("known", sql.Float), _integer("phrases"),
    sqlite_with_rowid=False,
)  # fmt: skip
EXPOSURES: Final = sql.Table(  # documents that disclose something, by thirty-two days
    "exposures", METADATA,
    _primary_key("user"), _primary_key("month"), _required("opened", sql.LargeBinary),
    sqlite_with_rowid=False,
)  # fmt: skip
WAITING: Final = sql.Table(  # accesses to documents that are not scanned yet
    "waiting", METADATA,
    _primary_key("document"), _primary_key("user"), _primary_key("time"), _integer("day"),
    sqlite_with_rowid=False,
)  # fmt: skip
CURRENT: Final = DOCUMENTS.join(VERSIONS, VERSIONS.c.id == DOCUMENTS.c.version).join(
    FOLDERS, FOLDERS.c.id == DOCUMENTS.c.folder
)
"""Documents as they are now, and their folders."""
COMPUTED_TABLES: Final = (HEAT, STANDINGS, KNOWLEDGE, EXPOSURES)

Migration = Callable[[sql.Connection], None]


def _with_sensitivity(connection: sql.Connection) -> None:
    """Let versions say how sensitive they are: of those that are there, nobody asked."""
    connection.execute(sql.text("ALTER TABLE versions ADD COLUMN sensitivity DOUBLE PRECISION"))
    connection.execute(
        sql.text("CREATE INDEX by_sensitivity ON versions (sensitivity) WHERE sensitivity IS NOT NULL")
    )  # fmt: skip


def _with_permissions(connection: sql.Connection) -> None:
    """Let the ledger say who may know what: until now, nobody may."""
    PERMISSIONS.create(connection)


def _with_exposures(connection: sql.Connection) -> None:
    """Keep what disclosed something when it was opened, of all accesses until now."""
    from embanon.leak.ledger.knowledge import rebuild_exposures  # which knows these tables

    EXPOSURES.create(connection, checkfirst=True)
    rebuild_exposures(connection)


MIGRATIONS: Final[Mapping[int, Migration]] = {1: _with_sensitivity, 2: _with_permissions, 3: _with_exposures}
"""Version -> what makes the tables of it those of the next."""


def migrate(
    connection: sql.Connection, where: str, version: int = VERSION, migrations: Mapping[int, Migration] = MIGRATIONS
) -> bool:
    """Bring the tables to a version, one step after the other; return whether there are any."""
    present = version_of(connection, where)
    if present is None:
        return False
    if present > version:
        raise DataError(
            f"{where}: is a ledger of version {present}, and this embanon reads up to {version}; "
            "update it: pip install -U embanon"
        )
    for step in range(present, version):
        migrations[step](connection)
        connection.execute(sql.update(HEAD).values(version=step + 1))
    return True


def version_of(connection: sql.Connection, where: str) -> int | None:
    """Return the version of the tables; nothing where there are none."""
    tables = set(sql.inspect(connection).get_table_names())
    if HEAD.name not in tables:
        if tables:
            raise DataError(f"{where}: holds other tables and no ledger; name another file or database")
        return None
    versions = connection.execute(sql.select(HEAD.c.version)).scalars().all()
    if len(versions) != 1 or not isinstance(versions[0], int):
        raise DataError(f"{where}: has lost what it begins with; restore it from a backup")
    return versions[0]
