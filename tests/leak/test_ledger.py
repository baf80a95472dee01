"""Ledgers, on SQLite and on PostgreSQL: what is written, what is read again, and that nothing changes unseen."""

from __future__ import annotations

import io
import os
import sqlite3
import stat
import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest
import sqlalchemy as sql

import embanon.leak
from embanon.errors import ConfigError, DataError, InputError, MissingExtraError
from embanon.leak.access import import_log, parse_day
from embanon.leak.ledger.chain import ChainHead
from embanon.leak.ledger.erase import erase_before, erase_user
from embanon.leak.ledger.records import EntityDisclosure, RiskyPhrase, ScanResult, folder_of
from embanon.leak.ledger.report import explained_alerts
from embanon.leak.ledger.scan import LedgerScan
from embanon.leak.ledger.schema import HEAD, VERSION, migrate
from embanon.leak.ledger.store import Ledger, read_ledger_key
from embanon.leak.ledger.verify import differing_tables, rebuild, verify
from embanon.leak.policy import AlertSettings, LedgerSettings, Policy, PolicyEntity
from tests.leak.ledgers import KEY, KINDS, POLICY, document_disclosures, filled, found, report, where

A = found("lab/a.txt", ("Bluebird", [("cobalt", 0.5), ("anode", 0.25)]), ("Zenith", [("cobalt", 0.5)]))
B = found("lab/b.txt", ("Bluebird", [("fair in May", 0.75)]))
C = found("sales/c.txt")
LOG = """\
2026-05-04T09:00:00Z,ada,lab/a.txt
2026-05-04T10:00:00Z,bob,sales/c.txt
2026-05-05T09:00:00Z,ada,lab/b.txt
2026-05-05T09:30:00Z,ada,lab/a.txt
2026-05-06T09:00:00Z,bob,lab/later.txt
"""


@pytest.fixture(params=KINDS)
def address(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    return where(request.param, tmp_path)


@pytest.fixture
def ledger(address: str) -> Iterator[Ledger]:
    with Ledger.open(address, KEY, create=True) as ledger:
        yield ledger


def read_in(ledger: Ledger, log: str = LOG, policy: Policy = POLICY) -> None:
    import_log(ledger, io.BytesIO(log.encode()), "log", policy)


def run(ledger: Ledger, question: str) -> None:
    with ledger.engine.begin() as connection:
        connection.execute(sql.text(question))


# Scans


def test_what_a_scan_finds_is_read_again(ledger: Ledger) -> None:
    scan = LedgerScan.begin(ledger, POLICY)
    assert scan.record([A, B, C]) == 3
    told = document_disclosures(ledger, "lab/a.txt", POLICY)
    phrase = ledger.secrets.hash_phrase
    assert told == (
        EntityDisclosure(
            "Bluebird", 0.5, 0.5, (RiskyPhrase(phrase("Cobalt"), 0.5, 0, 1), RiskyPhrase(phrase("anode"), 0.25, 1, 2))
        ),
        EntityDisclosure("Zenith", 0.5, 0.5, (RiskyPhrase(phrase("cobalt"), 0.5, 0, 1),)),
    )
    made = report(ledger, POLICY)
    assert [(one.document, one.worth, one.entity, one.risk) for one in made.top] == [
        ("lab/b.txt", 3.0, "Bluebird", 0.75), ("lab/a.txt", 2.0, "Bluebird", 0.5),
    ]  # fmt: skip
    assert [(one.folder, one.entity, one.documents, one.above) for one in made.heat] == [
        ("lab", "Bluebird", 2, 1), ("lab", "Zenith", 1, 0),
    ]  # fmt: skip
    assert made.heat[0].bands == (0, 0, 0, 0, 0, 1, 0, 1, 0, 0)
    assert (made.summary.documents, made.summary.scans) == (3, 1)
    with pytest.raises(InputError, match="is not in the ledger"):
        document_disclosures(ledger, "none.txt")


def test_a_scan_leaves_what_it_knows(ledger: Ledger) -> None:
    scan = filled(ledger, A, B, C)
    documents = [(one.name, one.content) for one in (A, B, C)]
    assert scan.find_current([*documents, ("new.txt", b"n")]) == {"lab/a.txt", "lab/b.txt", "sales/c.txt"}
    again = LedgerScan.begin(ledger, POLICY)
    assert again.find_current([*documents[:2], ("sales/c.txt", b"other")]) == {"lab/a.txt", "lab/b.txt"}
    assert (again.record([A, B]), again.record([A, A, replace(C, content=b"other")])) == (0, 1)
    other = LedgerScan.begin(ledger, POLICY, b"another model")
    assert other.find_current(documents) == set()
    assert other.record([A]) == 1


def test_a_version_takes_the_place_of_the_one_before(ledger: Ledger) -> None:
    scan = filled(ledger, A, B)
    scan = LedgerScan.begin(ledger, POLICY)
    scan.record([found("lab/a.txt", ("Bluebird", [("cobalt", 1.0)]), content="new")])
    scan.record_gone(["lab/b.txt", "never.txt"])
    made = report(ledger, POLICY)
    assert [(one.document, one.worth) for one in made.top] == [("lab/a.txt", 4.0)]
    assert [(one.entity, one.documents, one.above) for one in made.heat] == [("Bluebird", 1, 1)]
    assert [(one.document, one.what, one.before, one.after) for one in made.changes] == [
        ("lab/b.txt", "gone", 3.0, 0.0), ("lab/a.txt", "changed", 2.0, 4.0),
    ]  # fmt: skip
    assert document_disclosures(ledger, "lab/b.txt") == ()
    assert scan.record_gone(["lab/b.txt"]) == 0
    assert scan.record([A, B]) == 2  # as they were
    assert [one.worth for one in report(ledger).top] == [3.0, 2.0]
    assert differing_tables(ledger) == []


def test_the_same_content_need_not_be_scanned_twice(ledger: Ledger) -> None:
    scan = filled(ledger, A)
    twin = scan.find_same_content(A.content)
    assert twin is not None
    scan.record([replace(twin, name="copy.txt")])
    assert document_disclosures(ledger, "copy.txt", POLICY) == document_disclosures(ledger, "lab/a.txt", POLICY)
    assert scan.find_same_content(b"unknown") is None
    scan.record([replace(C, near_duplicate_of="lab/a.txt", sketch=b"sketch")])
    assert [(name, sketch) for _, name, sketch in scan.sketches()] == [("sales/c.txt", b"sketch")]


def test_what_is_allowed_costs_nothing(ledger: Ledger) -> None:
    [told] = B.disclosed
    filled(ledger, replace(B, disclosed=(replace(told, allowed=True),)))
    made = report(ledger, POLICY)
    assert (made.top, made.heat) == ((), ())
    read_in(ledger)
    assert report(ledger, POLICY).people[0].worth == 3.0  # who reads it knows it all the same


def test_no_text_is_kept_unless_asked(ledger: Ledger, tmp_path: Path) -> None:
    def everything() -> str:
        with ledger.reading() as connection:
            tables = sql.inspect(connection).get_table_names()
            return "".join(str(connection.execute(sql.text(f'SELECT * FROM "{table}"')).all()) for table in tables)

    hidden = replace(POLICY, ledger=LedgerSettings(documents="keyed"))
    filled(ledger, A, policy=hidden)
    read_in(ledger, LOG.replace("ada", "friederike"), hidden)
    kept = everything()
    assert not [word for word in ("cobalt", "Bluebird", "friederike", "lab/", "a.txt", "sales") if word in kept]
    assert report(ledger, hidden).top[0].entity == "Bluebird"
    open_to_all = replace(POLICY, ledger=LedgerSettings(users="name", text=True), alerts=AlertSettings(worth=1.0))
    filled(ledger, replace(B, name="lab/new.txt"), policy=open_to_all)
    read_in(ledger, "2026-05-04T09:00:00Z,eve,lab/new.txt\n", open_to_all)
    [(alert, [evidence])] = [
        (one.alert, one.evidence) for one in explained_alerts(ledger, open_to_all, 0) if one.user == "eve"
    ]
    assert (evidence.text, evidence.document, alert.value) == ("fair in May", "lab/new.txt", 3.0)


SEEN = RiskyPhrase("a", 0.5, 0, 1)
TOLD = EntityDisclosure("Bluebird", 0.5, 0.5, (SEEN,))

NOT_SAID: dict[str, Callable[[], object]] = {
    "risk 0": lambda: RiskyPhrase("a", 0, 0, 1),
    "not a number": lambda: RiskyPhrase("a", float("nan"), 0, 1),
    "no place": lambda: RiskyPhrase("a", 0.5, 1, 1),
    "risk above 1": lambda: EntityDisclosure("Bluebird", 0.5, 1.1),
    "strength below 0": lambda: EntityDisclosure("Bluebird", -0.1, 0.5),
}


@pytest.mark.parametrize("name", NOT_SAID)
def test_what_a_scan_cannot_say(name: str) -> None:
    with pytest.raises(ValueError):
        NOT_SAID[name]()


def test_what_a_scan_may_not_say(ledger: Ledger) -> None:
    scan = LedgerScan.begin(ledger, POLICY)
    with pytest.raises(ValueError, match="disclosed once"):
        scan.record([A, ScanResult("twice", b"a", (TOLD, TOLD))])
    with pytest.raises(ConfigError, match="not in its policy"):
        scan.record([A, ScanResult("stranger", b"a", (replace(TOLD, entity="Nobody"),))])
    assert report(ledger).summary.documents == 0
    assert verify(ledger).sound


FOLDERS = {
    "none": ("a.txt", ".", 2), "one": ("x/a.txt", "x", 2), "two": ("x/y/a.txt", "x/y", 2),
    "three": ("x/y/z/a.txt", "x/y", 2), "from the root": ("/x/y/z/a.txt", "/x/y", 2), "no depth": ("x/a.txt", ".", 0),
}  # fmt: skip


@pytest.mark.parametrize("name", FOLDERS)
def test_folders(name: str) -> None:
    path, folder, depth = FOLDERS[name]
    assert folder_of(path, depth) == folder


def test_names_that_are_no_text(ledger: Ledger) -> None:
    odd = os.fsdecode(b"lab/caf\xe9\x00.txt")
    scan = filled(ledger, replace(A, name=odd))
    assert scan.find_current([(odd, A.content)]) == {odd}
    assert document_disclosures(ledger, odd)
    assert verify(ledger).sound


# What entities are worth


def test_another_value_counts_for_what_was_found_before(ledger: Ledger) -> None:
    filled(ledger, A, B)
    read_in(ledger)
    items = PolicyEntity("Bluebird", sensitivity=1, threshold=0.5), PolicyEntity("Zenith", sensitivity=5)
    changed = replace(POLICY, entities=items)
    LedgerScan.begin(ledger, changed)
    made = report(ledger, changed)
    assert [(one.document, one.worth, one.entity) for one in made.top] == [
        ("lab/a.txt", 2.5, "Zenith"), ("lab/b.txt", 0.75, "Bluebird"),
    ]  # fmt: skip
    assert [(one.entity, one.above) for one in made.heat] == [("Bluebird", 2), ("Zenith", 0)]
    assert [(day.opened, day.worth) for day in made.people[0].days] == [(1, 2.5), (2, 2.5)]
    assert differing_tables(ledger) == []
    assert verify(ledger, computed=True).sound


# Chains

# what somebody without the key does: where that shows
ATTACKS = {
    "a risk lowered": ("UPDATE disclosures SET risk = 0.1 WHERE version = 1", "versions 1 was changed"),
    "a disclosure removed": ("DELETE FROM disclosures WHERE version = 2", "versions 2 was changed"),
    "a disclosure added": ("INSERT INTO disclosures VALUES (99, 1, 1.0, 1.0, 1, 0)", "disclosures 99 was added"),
    "a document renamed": ("UPDATE documents SET name = 'x' WHERE id = 1", "documents 1 was changed"),
    "a version removed": ("DELETE FROM versions WHERE id = 2", "entry was removed"),
    "an access changed": ('UPDATE accesses SET document = 3 WHERE "user" = 1 AND document = 1', "accesses 1"),
    "an access removed": ('DELETE FROM accesses WHERE "user" = 2 AND document = 3', "entry was removed (batch"),
    "accesses reordered": ('UPDATE accesses SET place = 10 - place WHERE "user" = 1', "was changed, moved"),
    "a user exchanged": ("UPDATE users SET salt = (SELECT salt FROM users WHERE id = 2) WHERE id = 1", "users 1"),
    "a value lowered": ("UPDATE valuations SET value = 1 WHERE id = 1", "valuations 1 was changed"),
    "an event changed": ("UPDATE events SET at = at + 1 WHERE id = 1", "events 1 was changed"),
    "a batch changed": ("UPDATE batches SET at = at + 1 WHERE number = 2", "batch was changed, or does not"),
    "a batch removed": ("DELETE FROM batches WHERE number = 2", "batch was removed (batch 2)"),
    "a false erasure": ("INSERT INTO tombstones SELECT batch, place, mark, 1 FROM accesses", "does not account"),
}


@pytest.mark.parametrize("name", ATTACKS)
def test_what_is_changed_shows(name: str, ledger: Ledger) -> None:
    filled(ledger, A, B, C)
    read_in(ledger)
    assert verify(ledger, ledger.head(), computed=True).sound
    question, expected = ATTACKS[name]
    run(ledger, question)
    told = verify(ledger)
    assert any(expected in str(fault) for fault in told.faults), list(map(str, told.faults))


def test_what_is_computed_is_checked_too(ledger: Ledger) -> None:
    filled(ledger, A, B, C)
    read_in(ledger)
    changes = {"standings": "worth = 0", "knowledge": "known = 0", "documents": "worth = 0", "entities": "value = 1"}
    for table, change in changes.items():
        run(ledger, f"UPDATE {table} SET {change}")
        assert verify(ledger).sound
        told = verify(ledger, computed=True).faults
        assert [str(fault) for fault in told] == [f"{table} is not what its entries give; run: embanon leak rebuild"]
        rebuild(ledger)
        assert verify(ledger, computed=True).sound


def test_what_is_cut_off_shows_against_a_head_that_was_kept(address: str) -> None:
    with Ledger.open(address, KEY, create=True) as ledger:
        filled(ledger, A)
        early = ledger.head()
        read_in(ledger)
        head = ledger.head()
        assert verify(ledger, early).sound
        assert verify(ledger, head).sound
        assert head == ChainHead(**head.to_row())
        for table in ("accesses", "users"):
            run(ledger, f"DELETE FROM {table}")
        run(ledger, f"DELETE FROM documents WHERE batch > {early.batch}")
        run(ledger, f"DELETE FROM folders WHERE batch > {early.batch}")
        run(ledger, f"DELETE FROM events WHERE batch > {early.batch}")
        run(ledger, f"DELETE FROM batches WHERE number > {early.batch}")
        assert [str(fault) for fault in verify(ledger).faults] == [
            "chain was removed at its end: the last batch is not the one written last"
        ]
        with ledger.engine.begin() as connection:
            rolled = {"batch": early.batch, "chained": bytes.fromhex(early.chained)}
            connection.execute(sql.update(HEAD).values(rolled))
        assert verify(ledger).sound  # nobody can tell
        assert [fault.what for fault in verify(ledger, head).faults] == ["does not lead to the head that was exported"]


def test_two_ledgers_cannot_be_compared(tmp_path: Path) -> None:
    ledgers = [Ledger.open(tmp_path / name, KEY, create=True) for name in ("a.db", "b.db")]
    assert len({ledger.secrets.hash_phrase("cobalt") for ledger in ledgers}) == 2
    for ledger in ledgers:
        ledger.close()


# Erasing


def test_a_user_is_erased_and_the_chain_still_holds(ledger: Ledger) -> None:
    filled(ledger, A, B, C)
    read_in(ledger)
    head = ledger.head()
    before = report(ledger)
    assert erase_user(ledger, "ada") == 4  # three accesses, and who she is
    after = report(ledger)
    assert [len(one.people) for one in (before, after)] == [2, 1]
    assert (after.knowers, after.summary.accesses) == ((), 2)
    told = verify(ledger, head, computed=True)
    assert told.sound, list(map(str, told.faults))
    with pytest.raises(InputError, match="knows nobody of this name"):
        erase_user(ledger, "ada")
    run(ledger, "DELETE FROM tombstones WHERE place = (SELECT min(place) FROM tombstones)")
    assert not verify(ledger).sound


def test_what_is_too_old_is_erased(ledger: Ledger) -> None:
    filled(ledger, A, B, C)
    read_in(ledger, LOG + "2026-05-03T09:00:00Z,carl,lab/b.txt\n")
    assert erase_before(ledger, parse_day("2026-05-05")) == 4  # carl with what he opened, and two accesses
    made = report(ledger, POLICY)
    assert {(one.entity, one.phrases) for one in made.knowers} == {("Bluebird", 3), ("Zenith", 1)}  # seen again later
    assert [[day.day for day in one.days] for one in made.people] == [
        [parse_day("2026-05-05")],
        [parse_day("2026-05-06")],
    ]
    assert verify(ledger, computed=True).sound
    assert erase_before(ledger, parse_day("2026-05-05")) == 0


# Opening


def test_files_of_a_ledger_are_their_owners_alone(tmp_path: Path) -> None:
    key = tmp_path / "ledger.key"
    secret = read_ledger_key(key, create=True)
    assert (read_ledger_key(key, create=True), len(secret)) == (secret, 64)
    with Ledger.open(tmp_path / "l.db", secret, create=True) as ledger:
        filled(ledger, A)
        for file in tmp_path.iterdir():
            assert stat.S_IMODE(file.stat().st_mode) == 0o600, file
        with ledger.reading() as connection:
            assert connection.exec_driver_sql("PRAGMA journal_mode").scalar() == "wal"


def test_a_key_that_others_may_read_is_told(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    key = tmp_path / "ledger.key"
    key.write_text("secret")
    key.chmod(0o644)
    assert read_ledger_key(key) == b"secret"
    assert "chmod 600" in caplog.text


def test_a_key_is_made_once(tmp_path: Path) -> None:
    with ThreadPoolExecutor(8) as pool:
        keys = set(pool.map(lambda _: read_ledger_key(tmp_path / "ledger.key", create=True), range(8)))
    assert len(keys) == 1
    assert [file.name for file in tmp_path.iterdir()] == ["ledger.key"]
    with pytest.raises(ConfigError, match="cannot be written"):
        read_ledger_key(tmp_path / "no" / "ledger.key", create=True)
    with pytest.raises(InputError, match="cannot be read"):
        read_ledger_key(tmp_path / "none.key")


def test_what_needs_the_extra_says_so() -> None:
    code = """
import importlib, sys
sys.modules["sqlalchemy"] = None
from embanon.errors import MissingExtraError
for name in sys.argv[1:]:
    try:
        importlib.import_module(f"embanon.leak.{name}")
    except MissingExtraError as exc:
        print(name, exc)
"""
    names = {file.stem for file in Path(embanon.leak.__path__[0]).glob("*.py")}
    free = {"__init__", "alerts", "ledger_chain", "ledger_rows", "misuse", "policy"}
    arguments = [sys.executable, "-c", code, *sorted(free & names), *sorted(names)]
    done = subprocess.run(arguments, capture_output=True, text=True, check=True)
    said = "SQLAlchemy is not installed; run: pip install 'embanon[leak]'"
    told = [line.partition(" ") for line in done.stdout.splitlines()]
    assert {message for _, _, message in told} == {said}
    assert not free & {name for name, _, _ in told}


def test_postgresql_needs_an_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "psycopg", None)
    with pytest.raises(MissingExtraError, match=r"embanon\[postgres\]"):
        Ledger.open("postgresql://me@127.0.0.1:1/name", KEY)


def test_another_key_is_refused(address: str) -> None:
    Ledger.open(address, KEY, create=True).close()
    with pytest.raises(ConfigError, match="was made with another key"):
        Ledger.open(address, b"other")


def test_a_ledger_of_a_newer_version_is_refused(address: str) -> None:
    with Ledger.open(address, KEY, create=True) as ledger:
        run(ledger, "UPDATE ledger SET version = 99")
    with pytest.raises(
        DataError, match=rf"version 99, and this embanon reads up to {VERSION}; update it: pip install -U embanon"
    ):
        Ledger.open(address, KEY, create=True)


def test_an_older_ledger_becomes_a_new_one(ledger: Ledger) -> None:
    filled(ledger, A)

    def widen(connection: sql.Connection) -> None:
        connection.execute(sql.text("ALTER TABLE events ADD COLUMN host TEXT"))

    def rename(connection: sql.Connection) -> None:
        connection.execute(sql.text("UPDATE events SET host = 'here'"))

    steps: dict[int, Callable[[sql.Connection], None]] = {VERSION: widen, VERSION + 1: rename}
    for _ in range(2):  # the second time there is nothing to do
        with ledger.engine.begin() as connection:
            assert migrate(connection, "ledger", VERSION + 2, steps)
    with ledger.reading() as connection:
        assert connection.execute(sql.text("SELECT version FROM ledger")).scalar() == VERSION + 2
        assert set(connection.execute(sql.text("SELECT host FROM events")).scalars()) == {"here"}
    assert verify(ledger).sound
    with pytest.raises(DataError, match=f"version {VERSION + 2}"), ledger.engine.begin() as connection:
        migrate(connection, "ledger")


def test_a_step_that_fails_changes_nothing(ledger: Ledger) -> None:
    def broken(connection: sql.Connection) -> None:
        connection.execute(sql.text("ALTER TABLE events ADD COLUMN host TEXT"))
        raise DataError("no")

    with pytest.raises(DataError), ledger.engine.begin() as connection:
        migrate(connection, "ledger", VERSION + 1, {VERSION: broken})
    with ledger.reading() as connection:
        assert "host" not in {column["name"] for column in sql.inspect(connection).get_columns("events")}


def test_a_ledger_without_its_beginning_is_refused(address: str) -> None:
    with Ledger.open(address, KEY, create=True) as ledger:
        run(ledger, "DELETE FROM ledger")
    with pytest.raises(DataError, match="restore it from a backup"):
        Ledger.open(address, KEY, create=True)


def test_other_tables_are_left_alone(address: str) -> None:
    engine = sql.create_engine(address if "://" in address else f"sqlite:///{address}")
    with engine.begin() as connection:
        connection.execute(sql.text("CREATE TABLE theirs (id INTEGER)"))
    engine.dispose()
    with pytest.raises(DataError, match="holds other tables and no ledger"):
        Ledger.open(address, KEY, create=True)


# what is opened as a ledger: what the message says
REFUSED = {
    "missing": (lambda folder: folder / "none.db", "no such ledger; run: embanon leak scan"),
    "a folder": (lambda folder: folder, "is a folder; name a file in it"),
    "a text": (lambda folder: folder / "text.db", "is no ledger, or a damaged one"),
    "empty": (lambda folder: folder / "empty.db", "holds no ledger yet"),
    "in memory": (lambda folder: "sqlite://", "needs a file"),
    "no such database": (lambda folder: "mysql://host/name", "not mysql://"),
    "no address": (lambda folder: "://", "no file and no address"),
    "nobody there": (lambda folder: "postgresql://me:hunter2@127.0.0.1:1/name", "127.0.0.1:1/name: cannot be reached"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_no_ledger(name: str, tmp_path: Path) -> None:
    (tmp_path / "text.db").write_text("hardly a database, " * 100)
    (tmp_path / "empty.db").touch()
    path, message = REFUSED[name]
    with pytest.raises((ConfigError, DataError)) as caught:
        Ledger.open(path(tmp_path), KEY)
    assert message in str(caught.value)
    assert "hunter2" not in str(caught.value)


def test_a_folder_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="cannot be written"):
        Ledger.open(tmp_path / "no" / "l.db", KEY, create=True)


def test_errors_quote_nothing(ledger: Ledger) -> None:
    with pytest.raises(DataError) as caught, ledger.reading() as connection:
        connection.execute(sql.text("SELECT 'cobalt' FROM nowhere"))
    assert "cobalt" not in str(caught.value)
    assert caught.value.__suppress_context__


def test_what_may_only_be_read_is_not_written(tmp_path: Path) -> None:
    address = sql.make_url(where("postgresql", tmp_path))
    with Ledger.open(address.render_as_string(hide_password=False), KEY, create=True) as ledger:
        filled(ledger, A, B)
    options = f"{address.query['options']} -cdefault_transaction_read_only=on"
    alone = address.update_query_dict({"options": options}).render_as_string(hide_password=False)
    with Ledger.open(alone, KEY) as ledger:
        assert report(ledger, POLICY).summary.documents
        assert verify(ledger).sound
        with pytest.raises(DataError, match="may not be opened or written"):
            LedgerScan.begin(ledger, POLICY)


def test_sqlite_is_asked_by_others_meanwhile(tmp_path: Path) -> None:
    with Ledger.open(tmp_path / "l.db", KEY, create=True) as ledger:
        filled(ledger, A)
        with ledger.writing("test") as batch:
            batch.add_event("test", {})
            other = sqlite3.connect(tmp_path / "l.db")
            assert other.execute("SELECT count(*) FROM events").fetchone()[0] == 2
            other.close()
