"""Whoever can write to the database and lacks the key: nothing that he does to a ledger stays unseen."""

from __future__ import annotations

import io
import sqlite3
from collections.abc import Sequence
from contextlib import closing, suppress
from dataclasses import replace
from datetime import date
from pathlib import Path
from shutil import copy

import pytest
import sqlalchemy as sql

from embanon.cli.main import main
from embanon.errors import DataError, EmbanonError
from embanon.leak.access import import_log
from embanon.leak.ledger.chain import CHAINED_COLUMNS
from embanon.leak.ledger.erase import erase_user
from embanon.leak.ledger.schema import BATCHES, DISCLOSURES, METADATA, TEXTS, TOMBSTONES
from embanon.leak.ledger.store import Ledger
from embanon.leak.ledger.verify import rebuild, verify
from embanon.leak.people import Permission
from embanon.leak.policy import LedgerSettings
from tests.leak.ledgers import KEY, POLICY, filled, found, log

BLUEBIRD, ZENITH = POLICY.entities
KEPT = replace(
    POLICY, ledger=LedgerSettings(users="name", text=True),
    entities=(replace(BLUEBIRD, may=(Permission("dora", until=date(2026, 5, 4)), Permission("bob"))), ZENITH),
)  # fmt: skip
PAPERS = (
    found("lab/a.txt", ("Bluebird", [("cobalt", 0.5), ("anode", 0.25)]), ("Zenith", [("cobalt", 0.5)])),
    found("lab/b.txt", ("Bluebird", [("fair in May", 0.75)]), label="SECRET"),
)
LOG = """\
2026-05-04T09:00:00Z,ada,lab/a.txt,open
2026-05-04T10:00:00Z,bob,lab/b.txt,open
2026-05-05T09:00:00Z,ada,lab/b.txt,copy
2026-05-06T09:00:00Z,bob,lab/later.txt,open
2026-05-06T10:00:00Z,carl,lab/a.txt,open
"""
STRANGE = ("'x'", "-1", "4611686018427387904", "1.5", "x''", "NULL", "x'00112233445566778899aabbccddeeff'")


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make a ledger with some of everything."""
    path = tmp_path_factory.mktemp("made") / "ledger.db"
    with Ledger.open(path, KEY, create=True) as ledger:
        filled(ledger, *PAPERS, policy=KEPT)
        import_log(ledger, io.BytesIO(LOG.encode()), "log", KEPT)
        erase_user(ledger, "carl")
        assert verify(ledger, ledger.head(), computed=True).sound
    return path


@pytest.fixture
def file(made: Path, tmp_path: Path) -> Path:
    """Return a ledger with some of everything."""
    return Path(copy(made, tmp_path))


def faults(file: Path, computed: bool = False) -> list[str]:
    with Ledger.open(file, KEY) as ledger:
        return [str(fault) for fault in verify(ledger, computed=computed).faults]


def without_keys(database: sqlite3.Connection, table: str) -> None:
    """Take from a table all that keeps its rows apart."""
    database.execute(f"CREATE TABLE bare AS SELECT * FROM {table}")
    database.execute(f"DROP TABLE {table}")
    database.execute(f"ALTER TABLE bare RENAME TO {table}")


TABLES = {name: CHAINED_COLUMNS[name] for name in CHAINED_COLUMNS} | {
    "versions": (*CHAINED_COLUMNS["versions"], "sketch", "mentions", "sensitivity"),
    "disclosures": tuple(DISCLOSURES.c.keys()), "tombstones": tuple(TOMBSTONES.c.keys()),
    "batches": tuple(BATCHES.c.keys()), "texts": tuple(TEXTS.c.keys()),
}  # fmt: skip
MARKED = ("batch", "place", "mark")
COLUMNS = [
    (table, column)
    for table, names in TABLES.items()
    for column in dict.fromkeys((*names, *(MARKED if table in CHAINED_COLUMNS else ())))
]


@pytest.mark.parametrize(("table", "column"), COLUMNS, ids=[f"{table}.{column}" for table, column in COLUMNS])
def test_no_value_can_be_exchanged(table: str, column: str, file: Path) -> None:
    with closing(sqlite3.connect(file)) as database:
        without_keys(database, table)
        database.commit()
        for value in STRANGE:
            old = database.execute(f"SELECT rowid, {column} FROM {table} LIMIT 1").fetchone()
            database.execute(f"UPDATE {table} SET {column} = {value} WHERE rowid = ?", old[:1])
            database.commit()
            with suppress(EmbanonError):  # where it cannot be read at all, that is said as well
                same = database.execute(f"SELECT {column} FROM {table} WHERE rowid = ?", old[:1]).fetchone() == old[1:]
                assert same or faults(file), value
            database.execute(f"UPDATE {table} SET {column} = ? WHERE rowid = ?", old[::-1])
            database.commit()
    assert faults(file) == []


def dependent(marks: Sequence[bytes]) -> list[int]:
    """Choose an even number of marks whose sum is nothing: among 130 there are always some."""
    held = dict[int, tuple[int, int]]()
    for place, mark in enumerate(marks):
        rest, chosen = int.from_bytes(mark) << 1 | 1, 1 << place
        while rest and rest.bit_length() in held:
            other, of = held[rest.bit_length()]
            rest, chosen = rest ^ other, chosen ^ of
        if not rest:
            return [one for one in range(place + 1) if chosen >> one & 1]
        held[rest.bit_length()] = rest, chosen
    raise ValueError("too few marks")


def test_removed_entries_cannot_be_balanced_by_others_twice(tmp_path: Path) -> None:
    file = tmp_path / "ledger.db"
    with Ledger.open(file, KEY, create=True) as ledger:
        filled(ledger, *PAPERS)
        import_log(ledger, io.BytesIO(log(200).encode()), "log", POLICY)
    with closing(sqlite3.connect(file)) as database:
        without_keys(database, "accesses")
        rows = database.execute("SELECT place, mark FROM accesses ORDER BY place").fetchall()
        gone = dependent([mark for _, mark in rows])
        stays = next(place for number, (place, _) in enumerate(rows) if number not in gone)
        for number in gone:
            database.execute("DELETE FROM accesses WHERE place = ?", rows[number][:1])
            database.execute("INSERT INTO accesses SELECT * FROM accesses WHERE place = ? LIMIT 1", (stays,))
        database.commit()
    assert f"accesses stands where nothing does, or something else (batch 5, place {stays})" in faults(file)


# what is not held by the chain: what is done to it, and what is told
LOOSE = {
    "a text exchanged": ("UPDATE texts SET text = 'harmless' WHERE text = 'cobalt'", False, "texts"),
    "a text added": ("INSERT INTO texts VALUES (7, 'invented')", False, "texts 7 was changed or added"),
    "knowledge emptied": ("UPDATE learned SET facts = x''", True, "learned is not what its entries give"),
    "knowledge damaged": ("UPDATE learned SET facts = x'01'", True, "learned is not what its entries give"),
    "knowledge that is none": ("UPDATE learned SET facts = 1.5", True, "learned is not what its entries give"),
    "a fact taken out": ("DELETE FROM learned WHERE user = 1", True, "learned is not what its entries give"),
    "what waits taken out": ("DELETE FROM waiting", True, "waiting is not what its entries give"),
    "a user's day": ("DELETE FROM standings WHERE user = 1", True, "standings is not what its entries give"),
    "heat": ("UPDATE heat SET above = 0", True, "heat is not what its entries give"),
}


@pytest.mark.parametrize("name", LOOSE)
def test_what_no_chain_holds_is_checked_as_well(name: str, file: Path) -> None:
    statement, computed, told = LOOSE[name]
    with closing(sqlite3.connect(file)) as database:
        database.execute(statement)
        database.commit()
    assert any(told in fault for fault in faults(file, computed))
    if computed:
        with Ledger.open(file, KEY) as ledger:
            rebuild(ledger)
        assert faults(file, computed) == []


def test_a_ledger_that_begins_twice_is_refused(file: Path) -> None:
    with closing(sqlite3.connect(file)) as database:
        without_keys(database, "ledger")
        database.execute("INSERT INTO ledger SELECT * FROM ledger")
        database.commit()
    with pytest.raises(DataError, match="restore it from a backup"):
        faults(file)


def test_facts_are_the_same_in_whatever_steps_they_were_learnt(tmp_path: Path) -> None:
    lines = log(40).splitlines(keepends=True)
    with Ledger.open(tmp_path / "ledger.db", KEY, create=True) as ledger:
        filled(ledger, *(found(f"folder {n % 3}/{n}", ("Bluebird", [("shared", 0.5), (f"own {n}", 0.2)]))
                         for n in range(20)))  # fmt: skip
        for line in reversed(lines):
            import_log(ledger, io.BytesIO(line.encode()), "log", POLICY)
        assert verify(ledger, computed=True).sound


def test_disclosures_of_no_version_show(tmp_path: Path) -> None:
    with Ledger.open(tmp_path / "ledger.db", KEY, create=True) as ledger:
        filled(ledger, policy=POLICY)
        with ledger.engine.begin() as connection:
            connection.execute(sql.insert(METADATA.tables["disclosures"]), {
                "version": 0, "entity": 1, "strength": 1.0, "risk": 1.0, "phrases": 1, "allowed": 0,
            })  # fmt: skip
    assert faults(tmp_path / "ledger.db") == ["disclosures 0 was added"]


def test_a_report_says_whether_the_ledger_is_whole(
    file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("ledger.db.key").write_bytes(KEY)
    Path("policy.toml").write_text('[[entities]]\nname = "Bluebird"\nsensitivity = 4\n', "utf-8")
    report = ["leak", "report", "--ledger", file.name, "--policy", "policy.toml", "--as"]
    assert main([*report, "html"]) == 0
    assert "not verified" in capsys.readouterr().out
    assert main([*report, "html", "--verify"]) == 0
    assert "verified: whole" in capsys.readouterr().out
    with closing(sqlite3.connect(file)) as database:
        database.execute("UPDATE documents SET worth = 0")
        database.commit()
    assert main([*report, "html"]) == 0
    assert "not as it was written" not in capsys.readouterr().out
    for kind in ("html", "text", "json", "csv"):
        assert main([*report, kind, "--verify"]) == 3
        told = capsys.readouterr()
        assert "is not as it was written, in 1 cases; run: embanon leak verify --computed" in told.err
        said = {"html": "not whole: 1 faults", "text": "not whole: 1 faults", "json": '"faults":1'}
        assert said.get(kind, "") in told.out.replace('"faults": 1', '"faults":1')


@pytest.fixture
def two(tmp_path: Path) -> tuple[Path, Path]:
    """Return two ledgers of one key that hold the same."""
    files = tmp_path / "one.db", tmp_path / "two.db"
    for file in files:
        with Ledger.open(file, KEY, create=True) as ledger:
            filled(ledger, *PAPERS, policy=KEPT)
            import_log(ledger, io.BytesIO(LOG.encode()), "log", KEPT)
    return files


@pytest.mark.parametrize("table", [*CHAINED_COLUMNS, "batches"])
def test_rows_of_another_ledger_show(table: str, two: tuple[Path, Path]) -> None:
    with closing(sqlite3.connect(two[0])) as database:
        database.execute("ATTACH ? AS other", (str(two[1]),))
        database.execute(f"DELETE FROM {table}")
        database.execute(f"INSERT INTO {table} SELECT * FROM other.{table}")
        database.commit()
    assert faults(two[0])
    assert faults(two[1]) == []
