"""`embanon anonymize` and `restore`: what they write and never write, what they refuse, and how they end."""

from __future__ import annotations

import json
import os
import re
import stat
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import embanon.replace.solutions
from embanon.config.settings import METHODS
from embanon.errors import ConfigError, OutputError
from tests.conftest import SECRET

Done = subprocess.CompletedProcess[str]
Run = Callable[..., Done]

TEXT = "Ada Berger is an oboist. She won a prize in Velland in 1994. Ben Marsk is a chemist. He met Berger.\n"
KEYS = ["id", "text", "edits", "embanon"]
EDIT_KEYS = ["start", "end", "replacement", "risk", "replacement_risk", "type", "entity", "rung"]


def lines(path: str, *rows: Any) -> None:
    Path(path).write_text("".join(json.dumps(row) + "\n" for row in rows))


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, inside: Run) -> Run:
    """Return a function that runs the command in this process, in a folder with some texts."""
    work = tmp_path / "work"
    work.mkdir()
    monkeypatch.chdir(work)
    monkeypatch.setattr(embanon.replace.solutions, "SCRYPT_COST", {"n": 16, "r": 8, "p": 1})
    Path("t.txt").write_text(TEXT)
    Path("u.txt").write_text("Berger left Velland.\r\n")
    Path("e").write_text("Ada Berger\n")
    Path("key").write_text("a long random text\n")
    Path("empty").touch()
    Path("bad.txt").write_bytes(b"\xff" + SECRET.encode())
    lines("l.jsonl", {"id": "1", "text": TEXT, "protect": ["Ada Berger"], "who": SECRET, "language": "en"},
          {"id": "2", "text": TEXT, "protect": "everyone"})  # fmt: skip
    lines("half.jsonl", {"id": "1", "text": TEXT, "protect": ["Ada Berger"]}, {"id": "2"})
    return inside


def rows(text: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in text.splitlines()]


def test_a_text(here: Run) -> None:
    done = here("anonymize", "t.txt", "--entities", "e", "-o", "out.txt", "--solutions", "table")
    assert (done.returncode, done.stdout) == (0, "")
    shown = Path("out.txt").read_text()
    assert shown.startswith("Person 1 is ")
    assert not re.search("Ada|Berger|Velland|1994", shown)
    assert stat.S_IMODE(Path("table").stat().st_mode) == 0o600
    done = here("restore", "out.txt", "--solutions", "table", "-o", "back.txt")
    assert (done.returncode, Path("back.txt").read_text()) == (0, TEXT)
    assert sorted(one.name for one in Path().iterdir() if one.name.startswith(".")) == []


@pytest.mark.parametrize("method", [method for method in METHODS if method != "fill"])
def test_methods(here: Run, method: str) -> None:
    done = here("anonymize", "t.txt", "--entities", "e", "--method", method, "--solutions", "table")
    assert done.returncode == (method == "keep")  # the risk remains
    assert ("Berger" in done.stdout) == (method == "keep")
    Path("o.txt").write_text(done.stdout)
    back = here("restore", "o.txt", "--solutions", "table")
    assert (back.returncode, back.stdout) == (0, TEXT)


def test_what_may_be_left_of_a_name_is_said(here: Run) -> None:
    Path("w.txt").write_text("Will Orlan left.\nThen tom saw will.\n")
    done = here("anonymize", "w.txt", "--protect", "Will Orlan")
    assert done.returncode == 1
    assert "w.txt: 1 word stays that may be a name of e1: line 2; add what is one as an alias" in done.stderr
    assert "Orlan" not in done.stdout + done.stderr


def test_the_contract(here: Run) -> None:
    done = here("anonymize", "l.jsonl", "--solutions", "table")
    first, second = rows(done.stdout)
    assert (done.returncode, first["id"], second["id"]) == (0, "1", "2")
    for row in (first, second):
        assert list(row) == KEYS
        parts, last = [], 0
        for edit in row["edits"]:
            assert list(edit) == EDIT_KEYS
            assert edit["entity"] in ("e1", None)
            parts += [TEXT[last : edit["start"]], edit["replacement"]]
            last = edit["end"]
        assert row["text"] == "".join([*parts, TEXT[last:]])
        assert not re.search(f"Berger|Velland|{SECRET}", json.dumps(row))
        assert row["embanon"].keys() >= {"version", "model"}
    assert "Marsk" not in second["text"]
    Path("o.jsonl").write_text(done.stdout)
    back = here("restore", "o.jsonl", "--solutions", "table")
    assert (back.returncode, rows(back.stdout)) == (0, [{"id": "1", "text": TEXT}, {"id": "2", "text": TEXT}])


def test_what_is_published(here: Run) -> None:
    done = here("anonymize", "l.jsonl", "--publish", "--solutions", "table")
    for row in rows(done.stdout):
        assert list(row) == ["id", "text", "embanon"]
        assert row["id"] not in ("1", "2")
    Path("o.jsonl").write_text(done.stdout)
    assert [row["text"] for row in rows(here("restore", "o.jsonl", "--solutions", "table").stdout)] == [TEXT, TEXT]


def test_standard_streams(here: Run) -> None:
    done = here("anonymize", "-", "--entities", "e", stdin=TEXT.encode())
    assert (done.returncode, done.stdout.startswith("Person 1 is ")) == (0, True)
    done = here("anonymize", "-", "--format", "jsonl", stdin=Path("l.jsonl").read_bytes())
    assert [list(row) for row in rows(done.stdout)] == [KEYS, KEYS]


def test_line_ends_stay(here: Run) -> None:
    here("anonymize", "u.txt", "--entities", "e", "-o", "o.txt", "--solutions", "table")
    assert Path("o.txt").read_bytes().endswith(b".\r\n")
    here("restore", "o.txt", "--solutions", "table", "-o", "b.txt")
    assert Path("b.txt").read_bytes() == b"Berger left Velland.\r\n"


def test_presets_and_limits(here: Run) -> None:
    text = f"{TEXT} She was praised in the garden of a friend, before the committee met in the hall of the city."
    lines("p.jsonl", {"id": "1", "text": text, "protect": ["Ada Berger"]})
    counts = []
    for words in (["--limit", "1"], [], ["--preset", "strict"], ["--preset", "maximal"]):
        counts.append(len(rows(here("anonymize", "p.jsonl", *words).stdout)[0]["edits"]))
    assert counts == sorted(counts)
    assert counts[0] < counts[-1]


def test_one_of_several_is_unreadable(here: Run) -> None:
    for bad in ("bad.txt", "half.jsonl", "none.txt"):
        done = here("anonymize", "t.txt", bad, "u.txt", "--entities", "e")
        assert done.returncode == 3
        assert bad in done.stderr
        assert done.stdout.startswith("Person 1 is ")
        assert done.stdout.endswith(".\r\n")
        assert done.stdout.count("Person 1 ") == 2


def test_nothing_is_written_where_all_fail(here: Run) -> None:
    Path("o.txt").write_text("old")
    done = here("anonymize", "bad.txt", "half.jsonl", "--entities", "e", "-o", "o.txt", "--solutions", "table")
    assert (done.returncode, Path("o.txt").read_text(), Path("table").exists()) == (3, "old", False)
    here("anonymize", "t.txt", "--entities", "e", "-o", "a.txt", "--solutions", "table")
    done = here("restore", "bad.txt", "half.jsonl", "--solutions", "table", "-o", "o.txt")
    assert (done.returncode, Path("o.txt").read_text()) == (3, "old")


MISTAKES: dict[str, tuple[str, int, str]] = {
    "nobody": ("t.txt", 2, "nobody to protect is given"),
    "output is input": ("t.txt --entities e -o t.txt", 2, "an output has the name of an input"),
    "output is input otherwise": ("t.txt --entities e -o ../work/t.txt", 2, "an output has the name of an input"),
    "table is input": ("t.txt --entities e --solutions t.txt", 2, "an output has the name of an input"),
    "table is output": ("t.txt --entities e -o o --solutions o", 2, "or of another output"),
    "output is entities": ("t.txt --entities e -o e", 2, "an output has the name of an input"),
    "output is key": ("t.txt --entities e -o key --solutions o --key-file key", 2, "the name of an input"),
    "key without table": ("t.txt --entities e --key-file key", 2, "no table to encrypt"),
    "no key": ("t.txt --entities e --solutions o --key-file none", 3, "none: cannot be read"),
    "empty key": ("t.txt --entities e --solutions o --key-file empty", 2, "empty: is empty"),
    "a folder as key": ("t.txt --entities e --solutions o --key-file .", 3, "cannot be read"),
    "anonymity alone": ("t.txt --entities e --anonymity 3", 2, "--background FILE"),
    "limit": ("t.txt --entities e --limit 2", 2, "--limit must be"),
    "method": ("t.txt --entities e --method erase", 2, "invalid choice"),
    "no store": ("t.txt --entities e --store none", 3, "none"),
    "no model": ("t.txt --entities e --model none", 3, "none"),
    "no such encoding": ("t.txt --entities e --encoding klingon", 2, "klingon"),
    "no entities": ("t.txt --entities none", 3, "none"),
}  # fmt: skip


@pytest.mark.parametrize("name", MISTAKES)
def test_mistakes(here: Run, name: str) -> None:
    words, code, message = MISTAKES[name]
    before = {one.name: one.read_bytes() for one in Path().iterdir()}
    done = here("anonymize", *words.split())
    assert (done.returncode, done.stdout) == (code, "")
    assert message in done.stderr
    assert {one.name: one.read_bytes() for one in Path().iterdir()} == before


def test_where_nothing_can_be_written(embanon: Run, tmp_path: Path) -> None:
    (tmp_path / "t.txt").write_text(TEXT)
    (tmp_path / "shut").mkdir(mode=0o500)
    places = ["no/o", "t.txt/o", *([] if os.geteuid() == 0 else ["shut/o"])]
    for place in places:
        for options in (("-o", tmp_path / place), ("-o", tmp_path / "new", "--solutions", tmp_path / place)):
            done = embanon("anonymize", tmp_path / "t.txt", "--protect", "Berger", *options)
            assert (done.returncode, "cannot be written" in done.stderr) == (141, True)
            assert sorted(one.name for one in tmp_path.iterdir() if one.name != "work") == ["shut", "t.txt"]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes with names here")
def test_a_pipe_or_device_is_written_to_and_stays(embanon: Run, tmp_path: Path) -> None:
    (tmp_path / "t.txt").write_text(TEXT)
    (tmp_path / "t").symlink_to("real")
    (tmp_path / "real").write_text("old")
    os.mkfifo(tmp_path / "pipe")
    reader = subprocess.Popen(["cat", tmp_path / "pipe"], stdout=subprocess.PIPE)
    words = ("anonymize", tmp_path / "t.txt", "--protect", "Berger", "-o")
    assert embanon(*words, tmp_path / "pipe").returncode == 0
    out = reader.communicate(timeout=20)[0].decode()
    assert "Person 1" in out
    assert stat.S_ISFIFO((tmp_path / "pipe").stat().st_mode)
    assert embanon(*words, tmp_path / "t").returncode == 0
    assert ((tmp_path / "t").is_symlink(), (tmp_path / "real").read_text()) == (True, out)


def test_a_folder_is_no_file_to_write(here: Run) -> None:
    Path("some").mkdir()
    done = here("anonymize", "t.txt", "--entities", "e", "-o", "o.txt", "--solutions", "some")
    assert (done.returncode, done.stderr) == (2, "embanon: some: is a folder; name a file for what is written\n")


def test_nobody_to_give_a_passphrase(here: Run) -> None:
    done = here("anonymize", "t.txt", "--entities", "e", "-o", "o.txt", "--solutions", "t", "--passphrase")
    assert (done.returncode, "--key-file FILE" in done.stderr) == (2, True)


@pytest.mark.parametrize("command", ["score", "anonymize", "report"])
def test_a_language_without_tagger_is_said_once(command: str, here: Run) -> None:
    done = here(command, "t.txt", "u.txt", "--protect", "Berger", "--language", "fr")
    assert done.stderr.count("no tagger for 'fr': phrases are found by script alone") == 1


def test_whoever_is_not_named(here: Run) -> None:
    done = here("anonymize", "t.txt", "--protect", "Zita Orlan")
    assert done.returncode == 1
    assert "does not name e1: scored as if all of it were about them" in done.stderr
    assert "Orlan" not in done.stderr


# Restoring


@pytest.fixture
def table(here: Run) -> str:
    here("anonymize", "t.txt", "--entities", "e", "-o", "o.txt", "--solutions", "table", "--key-file", "key")
    return "table"


def test_sealed(here: Run, table: str) -> None:
    assert b"Berger" not in Path(table).read_bytes()
    assert here("restore", "o.txt", "--solutions", table, "--key-file", "key").stdout == TEXT
    Path("other").write_text("another")
    done = here("restore", "o.txt", "--solutions", table, "--key-file", "other")
    assert (done.returncode, done.stdout, "another key" in done.stderr) == (3, "", True)
    done = here("restore", "o.txt", "--solutions", table)
    assert (done.returncode, "--key-file FILE" in done.stderr) == (2, True)


def test_a_passphrase(here: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    answers = ["one", "one", "one", "two", "three", ""]
    monkeypatch.setattr("getpass.getpass", lambda _: answers.pop(0))
    words = ("--entities", "e", "--passphrase", "--solutions", "t", "-o")
    assert here("anonymize", "t.txt", *words, "a.txt").returncode == 0
    assert here("restore", "a.txt", "--solutions", "t", "--passphrase").stdout == TEXT
    for name in ("b.txt", "c.txt"):
        done = here("anonymize", "t.txt", *words, name)
        assert (done.returncode, Path(name).exists()) == (2, False)


def test_a_table_is_not_written_over(here: Run, table: str) -> None:
    before = Path(table).read_bytes()
    for output in (table, "o.txt", "key"):
        done = here("restore", "o.txt", "--solutions", table, "--key-file", "key", "-o", output)
        assert (done.returncode, "an output has the name of an input" in done.stderr) == (2, True)
    assert Path(table).read_bytes() == before


def test_what_is_missing_is_counted(here: Run, table: str) -> None:
    Path("o.txt").write_text(Path("o.txt").read_text().replace("Person 1 is", "She is"))
    done = here("restore", "o.txt", "--solutions", table, "--key-file", "key")
    assert done.returncode == 1
    assert re.search(r"o\.txt: 1 of \d replacements were not found", done.stderr)
    assert done.stdout.startswith("She is")
    assert done.stdout.endswith("He met Berger.\n")


def test_the_table_of_another_text(here: Run) -> None:
    here("anonymize", "l.jsonl", "-o", "o.jsonl", "--solutions", "table")
    lines("other.jsonl", {"id": "1", "text": "Person 1"}, {"id": "9", "text": "Person 1"})
    done = here("restore", "other.jsonl", "--solutions", "table", "-o", "back.jsonl")
    assert (done.returncode, Path("back.jsonl").exists()) == (2, False)
    assert "other.jsonl, 9: the table has nothing of it" in done.stderr or "9: the table has nothing" in done.stderr


def test_help_has_examples(here: Run) -> None:
    for command in ("anonymize", "restore"):
        done = here(command, "--help")
        assert (done.returncode, "examples:" in done.stdout) == (0, True)


def test_several_texts_in_one_file_have_no_table(here: Run) -> None:
    words = ("anonymize", "t.txt", "u.txt", "--entities", "e", "-o")
    done = here(*words, "o.txt", "--solutions", "table")
    assert (done.returncode, Path("o.txt").exists(), Path("table").exists()) == (2, False, False)
    assert "name a folder: -o FOLDER/" in done.stderr
    assert here(*words, "o/", "--solutions", "table").returncode == 0


@pytest.mark.parametrize("table", ["missing/table", "folder"])
def test_a_table_that_cannot_be_written_is_told_before_anything_is(here: Run, table: str) -> None:
    Path("folder").mkdir()
    Path("texts").mkdir()
    Path("texts/t.txt").write_text(TEXT)
    words = ["anonymize", "texts", "--entities", "e", "-o", "out", "--solutions", table]
    done = subprocess.run([sys.executable, "-m", "embanon", *words], capture_output=True, text=True, check=False)
    assert done.returncode in (ConfigError.exit_code, OutputError.exit_code)
    assert not Path("out").exists()


def test_settings_are_not_written_over(here: Run) -> None:
    Path("c.toml").write_text('language = "en"\n')
    for words in (("anonymize",), ("report",)):
        done = here(*words, "t.txt", "--entities", "e", "--config", "c.toml", "-o", "c.toml")
        assert (done.returncode, Path("c.toml").read_text()) == (2, 'language = "en"\n')


@pytest.mark.parametrize("codec", ["utf-7", "raw_unicode_escape"])
def test_half_a_sign_is_refused(here: Run, codec: str) -> None:
    Path("h.txt").write_bytes(b"Ada Berger met \\ud800 +2AA- today.")
    done = here("anonymize", "h.txt", "--entities", "e", "--encoding", codec, "-o", "o.txt")
    assert done.returncode in (0, 3)
    assert "Berger" not in done.stderr
