"""`embanon leak`: what its actions write and never write, what they refuse, and how they end."""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from embanon.cli.commands.leak import ACTIONS
from embanon.cli.main import main
from tests.leak.ledgers import where

Done = subprocess.CompletedProcess[str]
Run = Callable[..., Done]

POSIX = pytest.mark.skipif(os.name != "posix", reason="of POSIX")
SUPERUSER = pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="nothing is kept from root")
POLICY = """\
[[entities]]
name = "Geheimnis"
kind = "project"
sensitivity = 4
folders = ["docs/lab"]
[[entities]]
name = "Willow Tarn"
kind = "person"
sensitivity = 2
[alerts]
worth = 3.0
"""
LOG = "time,user,document\n2026-05-04T09:00:00Z,ada,docs/a.txt\n2026-05-05T09:00:00Z,bob,docs/b.txt\n"
SCAN = ("leak", "scan", "docs", "--policy", "policy.toml", "--ledger", "l.db")
USERS = ("leak", "users", "--policy", "policy.toml", "--ledger", "l.db")


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, inside: Run) -> Run:
    """Return a function that runs the command in this process, in a folder with a policy and some texts."""
    work = tmp_path / "work"
    (work / "docs" / "lab").mkdir(parents=True)
    monkeypatch.chdir(work)
    Path("policy.toml").write_text(POLICY)
    Path("docs/a.txt").write_text("All about Geheimnis was said by Willow Tarn, in May 2031.")
    Path("docs/b.txt").write_text("The canteen is closed.")
    Path("docs/lab/c.txt").write_text("Geheimnis works.")
    Path("log.csv").write_text(LOG)
    return inside


# Beginning


def test_a_policy_is_begun_and_checked(here: Run) -> None:
    assert here("leak", "init", "new.toml").returncode == 0
    assert here("leak", "check-policy", "new.toml").stdout == "new.toml: nothing is amiss; entities: 1\n"
    again = here("leak", "init", "new.toml")
    assert (again.returncode, "is there already" in again.stderr) == (2, True)


def test_what_is_amiss_is_told_by_its_place(here: Run) -> None:
    Path("policy.toml").write_text('[[entities]]\nname = "Geheimnis"\naliases = ["the"]\nsensitivity = 4\n')
    done = here("leak", "check-policy", "policy.toml", "--json")
    assert done.returncode == 1
    assert [json.loads(line)["where"] for line in done.stdout.splitlines()] == ["entities[0].aliases[0]"]
    assert "Geheimnis" not in done.stdout
    for number in range(12):
        Path(f"docs/{number}.txt").write_text("Geheimnis is everywhere.")
    done = here("leak", "check-policy", "policy.toml", "docs")
    assert "stands in 14 of 15 documents" in done.stdout


WRONG = [
    (("leak",), 2, "required: ACTION"),
    (("leak", "nothing"), 2, "invalid choice"),
    (("leak", "scan", "docs", "--ledger", "l.db"), 2, "required: --policy; see: embanon leak scan --help"),
    (("leak", "scan", "docs", "--policy", "none.toml", "--ledger", "l.db"), 2, "run: embanon leak init none.toml"),
    (("leak", "scan", "none", "--policy", "policy.toml", "--ledger", "l.db"), 3, "none: no such file"),
    ((*SCAN, "--jobs", "-1"), 2, "--jobs must be"),
    ((*SCAN, "--fail-above", "2"), 2, "--fail-above must be"),
    ((*SCAN, "--model", "none"), 3, "none"),
    ((*SCAN, "--encoding", "none"), 2, "none"),
    ((*SCAN[:-1], "docs"), 2, "docs: is a folder"),
    ((*SCAN[:-1], "docs/a.txt"), 2, "--key-file"),
    ((*SCAN[:-1], "none/l.db"), 2, "none/l.db"),
    ((*SCAN[:-1], "mysql://host/db", "--key-file", "k"), 2, "not mysql"),
    ((*SCAN[:-1], "postgresql://host/db"), 2, "needs its key"),
    ((*USERS,), 2, "run: embanon leak scan"),
    (("leak", "verify", "--ledger", "none.db"), 2, "none.db"),
    (("leak", "head", "--ledger", "none.db"), 2, "none.db"),
    (("leak", "erase", "--ledger", "none.db"), 2, "nothing to erase"),
    (("leak", "erase", "--before", "never", "--ledger", "none.db"), 2, "2026-05-04"),
    (("leak", "access", "log.csv", "--policy", "policy.toml", "--ledger", "none.db"), 2, "none.db"),
    (("leak", "users", "--since", "May", "--policy", "policy.toml", "--ledger", "none.db"), 2, "2026-05-04"),
]  # fmt: skip


@pytest.mark.parametrize(("words", "code", "said"), WRONG, ids=[" ".join(words[1:]) or "none" for words, *_ in WRONG])
def test_what_is_wrong_is_said(here: Run, words: tuple[str, ...], code: int, said: str) -> None:
    done = here(*words)
    assert (done.returncode, done.stdout) == (code, "") or (code, words[2]) == (3, "none")
    assert said in done.stderr


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("sensitivity = 9", "entities[0].sensitivity must be from 1 to 5"),
        ("owners = 3", "did you mean"),
        ('kind = "projekt"', "entities[0].kind"),
        ('sample_files = ["none.txt"]', "none.txt"),
    ],
)
def test_a_wrong_policy_is_refused_before_a_ledger_is_made(here: Run, line: str, said: str) -> None:
    Path("policy.toml").write_text(f'[[entities]]\nname = "Geheimnis"\nsensitivity = 3\n{line}\n'.replace(
        "sensitivity = 3\nsens", "sens"))  # fmt: skip
    done = here(*SCAN)
    assert done.returncode in (2, 3)
    assert said in done.stderr


# Scans


def test_a_scan_is_summed_up(here: Run) -> None:
    done = here(*SCAN, "--json")
    found = json.loads(done.stdout)
    assert done.returncode == 0
    assert {name: found[name] for name in ("documents", "scored", "unchanged", "left_out", "above")} == {
        "documents": 3, "scored": 3, "unchanged": 0, "left_out": 0, "above": 1,
    }  # fmt: skip
    assert found["entities"] == {"e1": 1, "e2": 1}
    assert found["top"] == [{"document": "docs/a.txt", "worth": 4.0, "risk": 1.0, "entity": "e1"}]
    text = here(*SCAN).stdout
    assert "documents: 3; unchanged: 3\n" in text
    assert "docs/a.txt" in text
    assert "Geheimnis" not in text
    assert "Geheimnis" in here(*SCAN, "--show-original").stdout


@pytest.mark.parametrize(
    ("options", "code"),
    [((), 0), (("--fail",), 1), (("--fail-above", "1"), 1), (("--fail", "--top", "0"), 1)],
)
def test_it_fails_on_what_may_not_be(here: Run, options: tuple[str, ...], code: int) -> None:
    assert here(*SCAN, *options).returncode == code
    assert here(*SCAN, *options).returncode == code  # also where nothing is scored again
    Path("docs/a.txt").unlink()
    assert here(*SCAN, *options).returncode == 0  # what is allowed to be where it is never fails


def test_its_files_are_for_their_owner_alone(here: Run) -> None:
    here(*SCAN)
    if os.name == "posix":
        assert {oct(Path(name).stat().st_mode & 0o777) for name in ("l.db", "l.db.key")} == {"0o600"}
    assert b"Geheimnis" not in Path("l.db").read_bytes()
    assert b"Willow" not in Path("l.db").read_bytes()


def test_standard_input_is_a_document(here: Run) -> None:
    done = here("leak", "scan", "-", "--policy", "policy.toml", "--ledger", "l.db", "--json", stdin=b"Geheimnis!")
    assert json.loads(done.stdout)["top"][0]["document"] == "-"


def test_what_cannot_be_read_is_counted_and_the_others_are_done(here: Run) -> None:
    Path("docs/d.txt").write_bytes(b"\xff Geheimnis")
    Path("docs/e.jsonl").write_text('{"id": "1"')
    done = here(*SCAN, "--json")
    assert (done.returncode, json.loads(done.stdout)["left_out"], json.loads(done.stdout)["scored"]) == (3, 2, 3)
    assert "2 of 5 inputs are left out" in done.stderr
    assert "docs/d.txt" in done.stderr


def test_what_is_read_in_part_is_said(here: Run) -> None:
    Path("docs/m.eml").write_text(
        "From: a@one.example\nSubject: soup\nContent-Type: multipart/mixed; boundary=x\n\n--x\n\nHello.\n--x\n"
        "Content-Type: application/pdf\nContent-Transfer-Encoding: base64\n\nJVBERg==\n--x--\n"
    )
    for _ in range(2):
        done = here(*SCAN, "--json")
        assert (done.returncode, json.loads(done.stdout)["partial"]) == (0, 1)
        assert "a part of 1 documents cannot be read" in done.stderr


def test_its_own_files_are_no_documents(here: Run) -> None:
    Path("log.csv").unlink()
    for _ in range(2):
        found = json.loads(here("leak", "scan", ".", "--json", *SCAN[3:]).stdout)
        assert (found["documents"], found["left_out"]) == (3, 0)


def test_an_empty_folder(here: Run) -> None:
    Path("empty").mkdir()
    done = here("leak", "scan", "empty", "--policy", "policy.toml", "--ledger", "l.db")
    assert (done.returncode, "empty: has no file" in done.stderr) == (3, True)


@POSIX
def test_loops_of_links_end_and_broken_links_are_told(here: Run) -> None:
    Path("docs/loop").symlink_to(Path("docs").resolve())
    Path("docs/self").symlink_to("self")
    Path("docs/broken.txt").symlink_to("nothing")
    os.mkfifo("docs/pipe")
    Path(os.fsdecode(b"docs/caf\xe9.txt")).write_text("Geheimnis at the caf\u00e9")
    done = here(*SCAN, "--json")
    found = json.loads(done.stdout)
    assert (done.returncode, found["documents"], found["left_out"], found["above"]) == (3, 4, 3, 2)


@POSIX
@SUPERUSER
def test_what_may_not_be_read_or_written(here: Run) -> None:
    Path("docs/b.txt").chmod(0)
    done = here(*SCAN, "--json")
    assert (done.returncode, json.loads(done.stdout)["scored"]) == (3, 2)
    Path("closed").mkdir(mode=0o500)
    done = here(*SCAN[:-1], "closed/l.db")
    assert (done.returncode, done.stdout) == (2, "")
    assert "closed/l.db.key: cannot be written" in done.stderr
    for name in ("l.db", "l.db.key"):
        Path(name).rename(f"docs/{name}")
    Path("docs").chmod(0o500)
    done = here("leak", "scan", "policy.toml", *SCAN[3:-1], "docs/l.db")
    Path("docs").chmod(0o700)
    assert done.returncode == 3


def test_a_ledger_of_a_newer_version(here: Run) -> None:
    here(*SCAN)
    with sqlite3.connect("l.db") as database:
        database.execute("UPDATE ledger SET version = 99")
    database.close()
    for words in (SCAN, USERS, ("leak", "verify", "--ledger", "l.db")):
        done = here(*words)
        assert (done.returncode, done.stdout) == (3, "")
        assert "pip install -U embanon" in done.stderr


def test_another_key(here: Run) -> None:
    here(*SCAN)
    Path("other").write_text("another key\n")
    Path("other").chmod(0o600)
    for words in (SCAN, USERS, ("leak", "verify", "--ledger", "l.db")):
        done = here(*words, "--key-file", "other")
        assert (done.returncode, done.stdout) == (2, "")
        assert "was made with another key" in done.stderr
    Path("l.db.key").unlink()
    assert "--key-file" in here(*SCAN).stderr  # it makes no new one
    assert not Path("l.db.key").exists()


# Accesses


def test_a_log_is_imported_once(here: Run) -> None:
    here(*SCAN)
    log = ("leak", "access", "log.csv", "--policy", "policy.toml", "--ledger", "l.db")
    assert here(*log).stdout == "log.csv: lines: 2; new: 2\n"
    assert here(*log).stdout == "log.csv: lines: 2; known: 2\n"
    bad = LOG + "2026-05-06T09:00:00Z,Geheimnis\n2026-05-06T09:00:00Z,ada,docs/unknown.txt\n"
    done = here("leak", "access", "-", *log[3:], "--json", stdin=bad.encode())
    found = json.loads(done.stdout)
    assert (done.returncode, found["new"], found["waiting"], found["bad"]["lines"]) == (3, 1, 1, [4])
    assert "-, line 4: has 2 columns" in done.stderr
    Path("docs/unknown.txt").write_text("Geheimnis again")
    assert "accesses that waited for this scan: 1" in here(*SCAN).stdout


def test_logs_that_cannot_be_read_are_named(here: Run) -> None:
    here(*SCAN)
    Path("bad.csv").write_text("user,document\nada,x\n")
    done = here("leak", "access", "none.csv", "bad.csv", "log.csv", "--policy", "policy.toml", "--ledger", "l.db")
    assert (done.returncode, done.stdout) == (3, "log.csv: lines: 2; new: 2\n")
    assert "2 of 3 inputs are left out" in done.stderr


def test_what_users_know(here: Run) -> None:
    here(*SCAN)
    assert "embanon leak access" in here(*USERS).stderr  # nobody has opened anything
    here("leak", "access", "log.csv", "--policy", "policy.toml", "--ledger", "l.db")
    rows = [json.loads(line) for line in here(*USERS, "--json").stdout.splitlines()]
    people = {row["user"]: row for row in rows if "worth" in row}
    assert sorted((row["worth"], row["total"], row["opened"], row["last"]) for row in people.values()) == [
        (0.0, 0.0, 1, "2026-05-05"), (4.0, 6.0, 1, "2026-05-04"),
    ]  # fmt: skip
    (alert,) = (row for row in rows if "alert" in row)
    assert (alert["alert"], alert["day"], alert["value"], alert["limit"]) == ("worth", "2026-05-04", 4.0, 3.0)
    assert {one["document"] for one in alert["evidence"]} == {"docs/a.txt"}
    assert "Geheimnis" not in json.dumps(rows)
    assert "ada" not in people
    ada = json.loads(here(*USERS, "--user", "ada", "--json", "--show-original").stdout.splitlines()[0])
    assert {one["entity"]: one["known"] for one in ada["knows"]} == {"Geheimnis": 1.0, "Willow Tarn": 1.0}
    again = here(*USERS, "--user", "-", "--json", "--show-original", stdin=b"ada\n")
    assert json.loads(again.stdout.splitlines()[0]) == ada
    assert (here(*USERS, "--fail").returncode, here(*USERS, "--fail", "--since", "2026-05-05").returncode) == (1, 0)
    eve = here(*USERS, "--user", "eve")
    assert (eve.returncode, "knows nobody of this name" in eve.stderr, "eve" in eve.stderr) == (3, True, False)


def test_users_are_erased(here: Run) -> None:
    here(*SCAN)
    here("leak", "access", "log.csv", "--policy", "policy.toml", "--ledger", "l.db")
    done = here("leak", "erase", "-", "--ledger", "l.db", stdin=b"ada\neve\n")
    assert (done.returncode, done.stdout) == (3, "entries erased of a user: 2\n")
    assert "knows nobody of this name" in done.stderr
    assert len(here(*USERS, "--json").stdout.splitlines()) == 1
    assert (
        "entries erased from before 2030-01-01: 2"
        in here("leak", "erase", "--before", "2030-01-01", *USERS[-2:]).stdout
    )
    assert here("leak", "verify", "--ledger", "l.db", "--computed").returncode == 0


# Holding


def test_what_is_changed_shows(here: Run) -> None:
    here(*SCAN)
    assert here("leak", "head", "--ledger", "l.db", "-o", "head.json").returncode == 0
    verify = ("leak", "verify", "--ledger", "l.db", "--head", "head.json")
    assert here(*verify).stdout.startswith("l.db: whole; batches: ")
    with sqlite3.connect("l.db") as database:
        database.execute("UPDATE documents SET name = 'docs/z.txt' WHERE name = 'docs/a.txt'")
    database.close()
    done = here(*verify)
    assert (done.returncode, "documents" in done.stdout, "was changed" in done.stdout) == (3, True, True)
    assert json.loads(here(*verify, "--json").stdout)["faults"]
    Path("head.json").write_text("[]")
    assert (here(*verify).returncode, here(*verify).stdout) == (3, "")
    refused = here("leak", "head", "--ledger", "l.db", "-o", "l.db")
    assert (refused.returncode, refused.stdout) == (2, "")


def test_what_is_computed_is_computed_anew(here: Run) -> None:
    here(*SCAN)
    with sqlite3.connect("l.db") as database:
        database.execute("UPDATE documents SET worth = 0")
    database.close()
    verify = ("leak", "verify", "--ledger", "l.db", "--computed")
    assert "embanon leak rebuild" in here(*verify).stdout
    assert here("leak", "rebuild", "--ledger", "l.db").returncode == 0
    assert here(*verify).returncode == 0


def test_all_of_it_on_postgresql(here: Run, tmp_path: Path) -> None:
    server = ("--ledger", where("postgresql", tmp_path), "--key-file", "key")
    assert json.loads(here(*SCAN[:-2], *server, "--json").stdout)["scored"] == 3
    assert here("leak", "access", "log.csv", *SCAN[3:5], *server).stdout == "log.csv: lines: 2; new: 2\n"
    assert len(here("leak", "users", *SCAN[3:5], *server, "--json").stdout.splitlines()) == 3
    assert json.loads(here("leak", "head", *server).stdout)["batch"] > 0
    assert here("leak", "erase", "ada", *server).returncode == 0
    assert here("leak", "verify", *server, "--computed").returncode == 0


# Help


@pytest.mark.parametrize("action", ACTIONS)
def test_every_action_has_an_example(action: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["leak", action, "--help"]) == 0
    assert f"\n  embanon leak {action}" in capsys.readouterr().out.partition("example")[2]


def test_only_what_is_asked_for_is_imported() -> None:
    code = "import sys; from embanon.cli.main import main; main(['leak', 'init', '--help'])\n"
    unasked = {"sqlalchemy", "embanon.leak.ledger.store", "embanon.cli.commands.leak.scan"}
    code += f"assert not {unasked} & set(sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
