"""What is personal in a ledger: users in any spelling, erased without a trace, and nothing secret in messages."""

from __future__ import annotations

import io
import json
import os
import signal
import sqlite3
import stat
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
import sqlalchemy as sql

from embanon.cli.main import main
from embanon.errors import ConfigError, DataError
from embanon.io.terminal import UNSAFE
from embanon.leak.access import import_log
from embanon.leak.alerts import Standing, above_worth
from embanon.leak.ledger.erase import erase_before, erase_user, vacuum
from embanon.leak.ledger.report import explained_alerts, find_users
from embanon.leak.ledger.schema import TEXTS
from embanon.leak.ledger.store import Ledger, insert
from embanon.leak.ledger.verify import verify
from embanon.leak.policy import AlertSettings, LedgerSettings
from tests.leak.ledgers import KEY, KINDS, POLICY, document, filled, found, where

NAMED = replace(POLICY, ledger=LedgerSettings(users="name"), alerts=AlertSettings(worth=1.0))
COMPOSED, APART = "Jos\u00e9 Garc\u00eda", "jose\u0301 GARCI\u0301A"
PROJECT = """\
[[entities]]
name = "Bluebird"
kind = "project"
sensitivity = 4
[alerts]
worth = 1.0
[ledger]
days = 30
"""


@pytest.fixture(params=KINDS)
def ledger(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Ledger]:
    with Ledger.open(where(request.param, tmp_path), KEY, create=True) as ledger:
        yield ledger


def read_in(ledger: Ledger, lines: str) -> None:
    import_log(ledger, io.BytesIO(lines.encode()), "log", NAMED)


def test_a_user_is_one_in_any_spelling(ledger: Ledger) -> None:
    filled(ledger, *map(document, range(4)))
    read_in(ledger, f"1777896000,{COMPOSED},folder 0/0\n1777896001,{APART},folder 1/1\n")
    read_in(ledger, f"1777896002,{APART.upper()},folder 2/2\n")
    for name in (COMPOSED, APART):
        [one], known = find_users(ledger, POLICY, 10, name)
        assert (one.user, sum(day.opened for day in one.days)) == (COMPOSED, 3)
        assert {some.entity for some in known} == {"Bluebird", "Zenith"}
        assert {one.user for one in explained_alerts(ledger, NAMED, 0, {APART: "one"}, user=name)} == {COMPOSED}
    assert find_users(ledger, POLICY, 10, ledger.secrets.hash_user(APART).hex()[:12])[0]
    assert find_users(ledger, POLICY, 10, "another") == ((), ())
    assert erase_user(ledger, APART) == 4
    assert find_users(ledger, POLICY, 10) == ((), ())


def test_nothing_is_left_of_who_is_erased(ledger: Ledger, tmp_path: Path) -> None:
    filled(ledger, *map(document, range(30)))
    rows = [f"{1_777_896_000 + n},Xaverine{n % 40},folder {n % 3}/{n % 60},open" for n in range(800)]
    read_in(ledger, "\n".join([*rows, "1777896000,Xaverine7,home/Xaverine7/private/diary,read by XQ7", ""]))
    erase_user(ledger, "Xaverine7")
    assert vacuum(ledger)
    with ledger.reading() as connection:
        tables = sql.inspect(connection).get_table_names()
        kept = "".join(str(connection.execute(sql.text(f'SELECT * FROM "{table}"')).all()) for table in tables)
    assert "Xaverine8" in kept
    kept += "".join(file.read_bytes().decode("latin-1") for file in tmp_path.glob("ledger.db*"))
    assert not [word for word in ("Xaverine7'", "home/", "diary", "XQ7") if word in kept]
    told = verify(ledger, computed=True)
    assert told.sound, list(map(str, told.faults))
    assert erase_before(ledger, 1 << 20) == 39 + 780 + 30 + 0  # users, accesses, and documents that no scan has seen
    assert verify(ledger, computed=True).sound
    for file in tmp_path.glob("ledger.db*"):
        assert stat.S_IMODE(file.stat().st_mode) == 0o600, file


def test_statistics_of_a_server_do_not_quote_who_is_erased(tmp_path: Path) -> None:
    with Ledger.open(where("postgresql", tmp_path), KEY, create=True) as ledger:
        filled(ledger, *map(document, range(30)))
        rows = [f"{1_777_896_000 + n},Xaverine{n % 9},home/Xaverine{n % 9}/{n}" for n in range(400)]
        read_in(ledger, "\n".join(rows))

        def quoted() -> set[str]:
            query = "SELECT tablename, histogram_bounds::text, most_common_vals::text FROM pg_stats"
            with ledger.reading() as connection:
                rows = connection.execute(sql.text(f"{query} WHERE schemaname = current_schema()")).all()
            return {row[0] for row in rows if "Xaverine" in str(row)}

        with ledger.engine.connect() as connection:
            connection.execution_options(isolation_level="AUTOCOMMIT").execute(sql.text("ANALYZE"))
        assert quoted() == {"users", "documents", "folders"}
        for number in range(9):
            erase_user(ledger, f"Xaverine{number}")
        assert vacuum(ledger)
        assert quoted() == set()
        assert verify(ledger, computed=True).sound


def test_alarms_of_a_day_do_not_repeat_what_was_known_long_before() -> None:
    standings = [Standing(1, 1, 1, 4.0, 4.0, 1), Standing(1, 79, 1, 4.0, 4.0, 1)]
    assert [one.day for one in above_worth(standings, 3.0, 0)] == [1]
    assert list(above_worth(standings, 3.0, 79)) == []


# Messages

ADDRESSES = (
    "postgresql://me:hunter2@host:port/name", "postgresql://me:hunter2@[::1/name", "mysql://me:hunter2@host/name",
    "postgresql://127.0.0.1:1/name?user=me&password=hunter2", "postgresql://me:hunter2@127.0.0.1:1/name",
    "postgresql://127.0.0.1:1/name?hunter2=1", "postgresql+other://me:hunter2@host/name",
)  # fmt: skip


@pytest.mark.parametrize("address", ADDRESSES)
def test_no_password_is_said(address: str) -> None:
    with pytest.raises((ConfigError, DataError)) as caught:
        Ledger.open(address, KEY)
    assert "hunter2" not in str(caught.value)


@pytest.mark.parametrize("command", [["verify"], ["rebuild"], ["verify", "--json"], ["head"]])
def test_commands_do_not_repeat_a_password(
    command: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    url = sql.make_url(where("postgresql", tmp_path)).set(password="hunter2")
    address = url.render_as_string(hide_password=False)
    (tmp_path / "key").write_bytes(KEY)
    Ledger.open(address, KEY, create=True).close()
    assert main(["leak", *command, "--ledger", address, "--key-file", str(tmp_path / "key")]) == 0
    assert "hunter2" not in "".join(capsys.readouterr())


def test_what_the_driver_of_a_server_says_is_not_repeated(tmp_path: Path) -> None:
    with Ledger.open(where("postgresql", tmp_path), KEY, create=True) as ledger:
        rows = [{"phrase": 1, "text": "cobalt"} for _ in range(1000)]
        with pytest.raises(DataError, match="the database refuses what is asked") as caught, ledger.writing("x") as one:
            insert(one.connection, TEXTS, rows)
        assert "cobalt" not in str(caught.value)
        with pytest.raises(DataError, match="cannot be reached"):
            cut_off(ledger)
        filled(ledger, document(1))  # the next one works again
        assert verify(ledger).sound


def cut_off(ledger: Ledger) -> None:
    """Write while the server ends the connection."""
    with ledger.writing("x") as batch:
        os.kill(int(batch.connection.exec_driver_sql("SELECT pg_backend_pid()").scalar() or 0), signal.SIGTERM)
        insert(batch.connection, TEXTS, [{"phrase": number, "text": "cobalt"} for number in range(1000)])


def test_odd_names_of_files_are_names_of_files(tmp_path: Path) -> None:
    for name in ("what?.db", "a%41.db", "with #.db", "caf\u00e9.db"):
        Ledger.open(tmp_path / name, KEY, create=True).close()
        assert (tmp_path / name).is_file()


def test_a_ledger_that_anybody_may_read_is_told(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    Ledger.open(tmp_path / "ledger.db", KEY, create=True).close()
    assert not caplog.text
    (tmp_path / "ledger.db").chmod(0o644)
    Ledger.open(tmp_path / "ledger.db", KEY).close()
    assert "chmod 600" in caplog.text


FULL = """
import resource, sys
from tests.leak.ledgers import KEY, POLICY, document, filled
from embanon.errors import DataError
from embanon.leak.ledger.store import Ledger
with Ledger.open(sys.argv[1], KEY, create=True) as ledger:
    filled(ledger, document(1))
    resource.setrlimit(resource.RLIMIT_FSIZE, (300_000, 300_000))
    try:
        filled(ledger, *map(document, range(20_000)))
    except DataError as exc:
        print(exc)
"""


@pytest.mark.skipif(os.name != "posix", reason="limits are of POSIX")
def test_a_full_disk_loses_the_last_step_alone(tmp_path: Path) -> None:
    path = os.pathsep.join([str(Path(__file__).parents[2]), str(Path(__file__).parent)])
    done = subprocess.run(
        [sys.executable, "-c", FULL, str(tmp_path / "ledger.db")], capture_output=True, text=True, check=False,
        env=os.environ | {"PYTHONPATH": path},
    )  # fmt: skip
    assert "the disk fails, or lets no file grow; nothing of the last step was written" in done.stdout, done.stderr
    with Ledger.open(tmp_path / "ledger.db", KEY) as ledger:
        assert verify(ledger, computed=True).sound


# Commands


def test_users_hides_names_and_access_keeps_what_the_policy_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("policy.toml").write_text(PROJECT, "utf-8")
    Path("ledger.db.key").write_bytes(KEY)
    with Ledger.open("ledger.db", KEY, create=True) as ledger:
        filled(ledger, found("plans/Bluebird/a.txt", ("Bluebird", [("cobalt", 0.9)])))
        today = ledger.clock() // 86_400_000
    days = (today - 31, today - 29)
    lines = [f"{day * 86_400},{user},plans/Bluebird/a.txt" for day, user in zip(days, ("ada", "Bob"), strict=True)]
    Path("log.csv").write_text("\n".join(lines), "utf-8")
    options = ["--policy", "policy.toml", "--ledger", "ledger.db"]
    monkeypatch.setattr("embanon.leak.ledger.store.LOCK_TIMEOUT", 0.1)
    with closing(sqlite3.connect("ledger.db", isolation_level=None)) as reader:
        reader.execute("BEGIN").connection.execute("SELECT * FROM users").fetchall()
        assert main(["leak", "access", "log.csv", *options]) == 0
    told = capsys.readouterr().err
    assert "erased that are older than the policy keeps them: 2" in told
    assert "others are reading" in told
    assert main(["leak", "users", *options]) == 0
    told = capsys.readouterr().out
    assert "plans/e1/a.txt" in told
    assert "Bluebird" not in told
    assert main(["leak", "users", *options, "--show-original", "--user", "BOB"]) == 0
    assert "plans/Bluebird/a.txt" in capsys.readouterr().out
    assert main(["leak", "users", *options, "--user", "ada"]) == 3
    assert main(["leak", "erase", "bob", "--ledger", "ledger.db"]) == 0
    assert main(["leak", "verify", "--computed", "--ledger", "ledger.db"]) == 0


def test_commands_send_no_controls_to_a_terminal(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("policy.toml").write_text(PROJECT.replace("days = 30", 'days = 0\nusers = "name"'), "utf-8")
    Path("ledger.db.key").write_bytes(KEY)
    with Ledger.open("ledger.db", KEY, create=True) as ledger:
        filled(ledger, found("a\x1b[2K\nb.txt", ("Bluebird", [("cobalt", 0.9)])))
        row = {"time": ledger.clock(), "user": "ada\x1b[1A\u202e", "document": "a\x1b[2K\nb.txt"}
    Path("log.jsonl").write_text(json.dumps(row), "utf-8")
    options = ["--policy", "policy.toml", "--ledger", "ledger.db"]
    assert main(["leak", "access", "log.jsonl", *options]) == 0
    assert main(["leak", "users", *options]) == 0
    with closing(sqlite3.connect("ledger.db")) as database:
        database.execute("UPDATE accesses SET document = 'x\x1b[1A'")
        database.commit()
    assert main(["leak", "verify", "--ledger", "ledger.db"]) == 3
    told = capsys.readouterr().out
    assert "knows 3.60 of e1" in told
    assert "was changed, moved or added" in told
    assert not UNSAFE.search(told)


CUT = {
    "more than the first line names": "time,user,document\n1777896000,ada,a, b.txt\n1777896000,ada,a.txt\n",
    "more than there are": "1777896000,ada,a, b, c.txt\n1777896000,ada,a.txt\n",
}


@pytest.mark.parametrize("name", CUT)
def test_a_name_with_a_comma_is_not_cut(name: str, tmp_path: Path) -> None:
    with Ledger.open(tmp_path / "ledger.db", KEY, create=True) as ledger:
        made = import_log(ledger, io.BytesIO(CUT[name].encode()), "log", POLICY)
        assert (made.written.new, made.bad.count) == (1, 1)
        assert "put what has a comma in quotes" in made.reasons[0].reason
        assert import_log(ledger, io.BytesIO(b'1777896000,ada,"a, b.txt",read,\n'), "log", POLICY).written.new == 1
