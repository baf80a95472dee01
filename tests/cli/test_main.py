"""The installed command: what it writes where, how it ends, and that bad input never ends in a traceback."""

from __future__ import annotations

import argparse
import contextlib
import gzip
import json
import os
import shlex
import signal
import subprocess
import sys
import tracemalloc
from collections.abc import Callable
from itertools import islice
from pathlib import Path

import numpy as np
import pytest

from embanon.cli.commands.phrases import _render
from embanon.document import TYPES, Document, Phrases
from embanon.text.find import Analysis

ROOT = Path(__file__).parents[2]
Run = Callable[..., "subprocess.CompletedProcess[str]"]

TEXT = "Ada Lovelace was born in London on 10 December 1815."
SECRET = "Geheimnis"


@pytest.fixture
def letter(tmp_path: Path) -> Path:
    path = tmp_path / "letter.txt"
    path.write_text(TEXT, encoding="utf-8")
    return path


def test_table(embanon: Run, letter: Path) -> None:
    done = embanon("phrases", letter)
    heading, header, *rows = done.stdout.splitlines()
    assert (done.returncode, done.stderr) == (0, "")
    assert heading == f"== {letter} (en)"
    assert header.split() == ["start", "end", "type", "kind", "form", "phrase"]
    for row in rows:
        start, end, type, _, _, phrase = row.split(maxsplit=5)
        assert TEXT[int(start) : int(end)] == phrase
        assert type in TYPES
    assert any(row.endswith("Ada Lovelace") for row in rows)


def test_json(embanon: Run, letter: Path) -> None:
    done = embanon("phrases", "--json", letter)
    row = json.loads(done.stdout)
    assert (done.returncode, row["id"], row["language"]) == (0, str(letter), "en")
    assert {"start", "end", "type", "kind", "form"} <= set(row["phrases"][0])
    assert "Lovelace" not in done.stdout
    with_text = json.loads(embanon("phrases", "--json", "--text", letter).stdout)
    assert all(phrase["text"] == TEXT[phrase["start"] : phrase["end"]] for phrase in with_text["phrases"])


def test_view(embanon: Run, letter: Path) -> None:
    plain = embanon("phrases", "--view", letter).stdout
    assert "\x1b" not in plain
    assert "[Ada Lovelace]" in plain
    colored = embanon("phrases", "--view", "--color", "always", letter).stdout
    assert "mAda Lovelace\x1b[0m" in colored


def test_standard_input(embanon: Run) -> None:
    done = embanon("phrases", "--json", "-", stdin=TEXT.encode())
    assert (done.returncode, json.loads(done.stdout)["id"]) == (0, "-")
    rows = b'{"id": "1", "text": "Ada Lovelace"}\n{"id": "2", "text": ""}'
    done = embanon("phrases", "--json", "--format", "jsonl", "-", stdin=rows)
    assert [json.loads(line)["id"] for line in done.stdout.splitlines()] == ["1", "2"]
    done = embanon("phrases", "--json", "--format", "jsonl.gz", "-", stdin=gzip.compress(rows))
    assert [json.loads(line)["id"] for line in done.stdout.splitlines()] == ["1", "2"]
    assert embanon("phrases", "--json", "--format", "jsonl", "-", stdin=rows + b"\n{").stdout == ""


def test_an_empty_file_is_a_document_without_phrases(embanon: Run, tmp_path: Path) -> None:
    (tmp_path / "empty.txt").touch()
    done = embanon("phrases", "--json", tmp_path / "empty.txt")
    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(done.stdout)["phrases"] == []


# name: file name, bytes, exit code, what standard error says
BAD = {
    "binary": ("x.txt", bytes(range(256)), 3, "is not text"),
    "wrong encoding": ("x.txt", f"{SECRET} caf\xe9".encode("latin-1"), 3, "byte 13 (line 1) is not UTF-8"),
    "not json": ("x.jsonl", SECRET.encode(), 3, "line 1, column 1: not JSON"),
    "second line": ("x.jsonl", b'{"id": "1", "text": "a"}\n{"id": "2"}', 3, "line 2: key 'text' is missing"),
    "not gzip": ("x.jsonl.gz", b"{}", 3, "not a whole gzip file"),
    "pdf": ("x.pdf", b"%PDF-1.7", 3, "pdftotext"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_input_is_named_and_nothing_is_written_for_it(name: str, embanon: Run, tmp_path: Path) -> None:
    file, data, code, message = BAD[name]
    (tmp_path / file).write_bytes(data)
    done = embanon("phrases", "--json", tmp_path / file)
    assert (done.returncode, done.stdout) == (code, "")
    assert message in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert SECRET not in done.stderr


def test_of_several_inputs_only_broken_ones_are_left_out(embanon: Run, letter: Path, tmp_path: Path) -> None:
    (empty := tmp_path / "empty").mkdir()
    done = embanon("phrases", "--json", tmp_path / "none.txt", letter, empty)
    assert done.returncode == 3
    assert [json.loads(line)["id"] for line in done.stdout.splitlines()] == [str(letter)]
    assert [line.partition(": ")[2] for line in done.stderr.splitlines()] == [
        f"{tmp_path}/none.txt: no such file; check the name, or use - for standard input",
        f"{empty}: has no file that is not hidden; name another folder",
    ]


def test_lone_surrogates_in_json_are_read_and_told(embanon: Run, tmp_path: Path) -> None:
    (tmp_path / "x.jsonl").write_text(r'{"id": "1", "text": "Ada Love\ud800lace"}')
    done = embanon("phrases", "--json", "--text", tmp_path / "x.jsonl")
    assert done.returncode == 0
    assert "warning" in done.stderr
    assert "U+FFFD" in done.stderr


def test_what_a_terminal_would_obey_is_not_sent(embanon: Run, tmp_path: Path) -> None:
    (tmp_path / "x.txt").write_text("Ada Love\x1b]0;owned\x07lace and Bob \u202eSmith. " + "x" * 200)
    for option in ("--view", "--color=always"):
        done = embanon("phrases", option, tmp_path / "x.txt")
        assert "\x1b]" not in done.stdout
        assert "\u202e" not in done.stdout


DANGEROUS = "\x1b\x9b\x85\u061c\u200e\u202e\u2066\x7f"


@pytest.mark.parametrize("options", [[], ["--view"], ["--view", "--color=always"], ["--json"], ["--json", "--text"]])
def test_nothing_of_a_row_is_obeyed(options: list[str], embanon: Run, tmp_path: Path) -> None:
    id, text = f"a{DANGEROUS}\n== b", f"Ada {DANGEROUS} Berger met Bob\u2028{DANGEROUS}Smith."
    (tmp_path / "x.jsonl").write_text(json.dumps({"id": id, "text": text, "language": "en"}))
    done = embanon("phrases", *options, tmp_path / "x.jsonl")
    written = done.stdout.replace("\x1b[", "") if "--color=always" in options else done.stdout
    assert done.returncode == 0
    assert not set(DANGEROUS) & set(written)
    assert sum(line.startswith("== ") for line in done.stdout.splitlines()) == (0 if "--json" in options else 1)
    if "--json" in options:
        assert "\u2028" not in done.stdout
        row = json.loads(done.stdout)
        assert row["id"] == id
        assert all(p["text"] == text[p["start"] : p["end"]] for p in row["phrases"] if "text" in p)


def test_a_bad_language_is_an_error_that_is_not_obeyed(embanon: Run, tmp_path: Path) -> None:
    (tmp_path / "x.jsonl").write_text(r'{"id": "1", "text": "a", "language": "x\u001b[31m"}')
    done = embanon("phrases", tmp_path / "x.jsonl")
    assert (done.returncode, done.stdout) == (3, "")
    assert "line 1: key 'language'" in done.stderr
    assert "\x1b" not in done.stderr + embanon("phrases", "--\x1b[31m", "-").stderr


def test_languages_are_normalized(embanon: Run, letter: Path) -> None:
    assert json.loads(embanon("phrases", "--json", "--language", "EN", letter).stdout)["language"] == "en"


def many(size: int) -> Analysis:
    """Return a text of many phrases that were never looked for."""
    text = "Ada Berger and " * size
    start = np.arange(size) * 15
    codes = np.zeros(size, dtype=np.uint8)
    phrases = Phrases(start, start + 10, codes, codes, codes, start + 4, start + 10, np.arange(size), ("PERSON.name",))
    return Analysis(Document("x", text), phrases, "en", False)


def options(**given: bool) -> argparse.Namespace:
    return argparse.Namespace(**{"json": False, "view": False, "text": False} | given)


@pytest.mark.parametrize("size", [0, 1, 4095, 4096, 4097, 10_000])
def test_slices_make_one_whole(size: int) -> None:
    analysis = many(size)
    row = json.loads("".join(_render(analysis, options(json=True, text=True), False)))
    assert [phrase["start"] for phrase in row["phrases"]] == analysis.phrases.start.tolist()
    assert {phrase["text"] for phrase in row["phrases"]} <= {"Ada Berger"}
    table = "".join(_render(analysis, options(), False)).splitlines()
    assert len(table) == size + 2
    assert len({line.index("PERSON ") for line in table[2:]}) <= 1
    view = "".join(_render(analysis, options(view=True), False))
    assert view == "== x (en)\n" + "[Ada Berger]PERSON and " * size + "\n"


@pytest.mark.parametrize("how", [{"json": True, "text": True}, {"view": True}, {}], ids=["json", "view", "table"])
def test_writing_takes_little_memory(how: dict[str, bool]) -> None:
    analysis = many(300_000)
    list(islice(_render(analysis, options(**how), False), 2))
    tracemalloc.start()
    for _ in _render(analysis, options(**how), False):
        pass
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 2 * len(analysis.document.text)  # it was more than 60


def test_a_language_without_tagger_is_told_once(embanon: Run, tmp_path: Path) -> None:
    row = json.dumps({"id": "1", "text": "Jan Kowalski mieszka w Krakowie.", "language": "pl"})
    (tmp_path / "x.jsonl").write_text(f"{row}\n{row}\n{row}\n")
    done = embanon("phrases", "--json", tmp_path / "x.jsonl")
    assert done.returncode == 0
    assert done.stderr.count("'pl'") == 1


@pytest.mark.parametrize(
    ("unit", "size"),
    [("Ada Lovelace was here. ", 3_000_000), ("a", 10_000_000)]
    + [(unit, 1_000_000) for unit in ("(", "1", "- ", "é", "\u0301", "A. ")],
)
def test_long_lines_are_read(unit: str, size: int, embanon: Run, tmp_path: Path) -> None:
    (tmp_path / "x.txt").write_text(unit * (size // len(unit.encode())), encoding="utf-8")
    assert embanon("phrases", "--json", tmp_path / "x.txt").returncode == 0


def test_standard_input_is_read_once(embanon: Run) -> None:
    for arguments in (["-", "-"], ["-", "--corpus", "-"]):
        done = embanon("phrases", *arguments, stdin=TEXT.encode())
        assert (done.returncode, done.stdout) == (2, "")
        assert "- is named more than once" in done.stderr


def test_format_and_encoding_of_a_corpus(embanon: Run, tmp_path: Path) -> None:
    row = '{"id": "1", "text": "Jörg Berger"}\n'.encode()
    (tmp_path / "c.jsonl").write_bytes(row)
    (tmp_path / "c.data").write_bytes(row)
    (tmp_path / "c.txt").write_text("Jörg Berger", encoding="cp1252")
    (tmp_path / "x.txt").write_text("Jörg Berger", encoding="cp1252")
    (tmp_path / "x.data").write_bytes(row)
    corpora = ["--corpus", tmp_path / "c.jsonl", "--corpus", tmp_path / "c.txt"]
    done = embanon("phrases", "--json", "--encoding", "cp1252", *corpora, tmp_path / "x.txt")
    assert (done.returncode, done.stderr) == (0, "")
    corpora = ["--corpus", tmp_path / "c.jsonl", "--corpus", tmp_path / "c.data"]
    done = embanon("phrases", "--json", "--format", "jsonl", *corpora, tmp_path / "x.data")
    assert (done.returncode, done.stderr) == (0, "")
    done = embanon("phrases", "--corpus", tmp_path / "c.txt", tmp_path / "c.jsonl")
    assert (done.returncode, done.stdout) == (3, "")


@pytest.mark.parametrize("missing", [["--corpus", "none.txt", "-"], ["none.txt"]], ids=["corpus", "file"])
def test_a_view_of_nothing_writes_nothing(missing: list[str], embanon: Run) -> None:
    done = embanon("phrases", "--view", *missing, stdin=TEXT.encode())
    assert (done.returncode, done.stdout) == (3, "")
    assert "none.txt: no such file" in done.stderr


@pytest.mark.skipif(sys.platform == "win32", reason="shells of Unix")
@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        ("phrases - <&-", 3, "standard input is closed"),
        ("phrases letter.txt >&-", 141, "standard output is closed"),
        ("phrases none.txt 2>&-", 3, ""),
    ]
    + [
        (f"{arguments} >/dev/full", 141, "standard output cannot be written (No space left on device)")
        for arguments in ("phrases letter.txt", "phrases --json letter.txt", "config", "--help", "phrases --help")
        if Path("/dev/full").exists()
    ],
)
@pytest.mark.parametrize("unbuffered", ["", "1"], ids=["buffered", "unbuffered"])
def test_streams_that_are_closed_or_full(
    arguments: str, code: int, message: str, unbuffered: str, command: list[str], letter: Path
) -> None:
    done = subprocess.run(
        ["sh", "-c", f"{shlex.join(command)} {arguments}"],
        cwd=letter.parent,
        env={**os.environ, "PYTHONPATH": str(ROOT), "PYTHONUNBUFFERED": unbuffered},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout) == (code, "")
    assert message in done.stderr
    assert len(done.stderr.splitlines()) == bool(message)
    assert "internal error" not in done.stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["phrases"], "required"),
        (["phrase", "x"], "did you mean 'phrases'?"),
        ([], "required"),
        (["phrases", "--colour", "x"], "did you mean '--color'?; see: embanon phrases --help"),
        (["phrases", "-", "--language", "English"], "two or three small letters"),
        (["score", "-", "--preset", "strikt"], "invalid choice: 'strikt'"),
        (["phrases", "-", "--encoding", "utf-88"], "unknown"),
        (["phrases", "-", "--config", "none.toml"], "none.toml: cannot be read"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_mistakes_on_the_command_line(arguments: list[str], message: str, embanon: Run) -> None:
    done = embanon(*arguments)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert message in done.stderr


def test_config_says_what_is_in_force(embanon: Run, tmp_path: Path) -> None:
    (tmp_path / "my.toml").write_text("[[deny]]\nwords = ['Acme', 'Initech']\n")
    done = embanon("config", "--config", tmp_path / "my.toml", "--json", "--language", "pt")
    rows = {row["key"]: (row["value"], row["from"]) for row in map(json.loads, done.stdout.splitlines())}
    assert rows["language"] == ("pt", "option")
    assert rows["phrases.identifiers"] == (True, "default")
    assert rows["deny[0].words"] == ("2 of them", f"file {tmp_path}/my.toml")
    assert embanon("config", EMBANON_LANGUAGE="es").stdout.splitlines()[1].split() == [
        "language", '"es"', "environment", "EMBANON_LANGUAGE",
    ]  # fmt: skip


def test_users_rules_are_kept_to(embanon: Run, letter: Path, tmp_path: Path) -> None:
    (tmp_path / "my.toml").write_text(
        "[[patterns]]\nname='word'\ntype='CODE'\nregex='b[o]rn'\n[allow]\nwords=['London']\n[deny]\nwords=['was']\n"
    )
    done = embanon("phrases", "--json", "--text", "--config", tmp_path / "my.toml", letter)
    phrases = {phrase["text"]: phrase["type"] for phrase in json.loads(done.stdout)["phrases"]}
    assert phrases["born"] == "CODE"
    assert phrases["was"] == "MISC"
    assert "London" not in phrases


def test_a_reader_that_goes_away_is_no_error(command: list[str], tmp_path: Path) -> None:
    (tmp_path / "x.jsonl").write_text(f'{{"id": "1", "text": "{TEXT}"}}\n' * 5000)
    process = subprocess.Popen(
        [*command, "phrases", "--json", str(tmp_path / "x.jsonl")],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    assert process.stdout
    assert process.stderr
    process.stdout.readline()
    process.stdout.close()
    assert process.stderr.read() == b""
    process.stderr.close()
    assert process.wait(60) == 141


@pytest.mark.skipif(sys.platform == "win32", reason="signals of Unix")
@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, -signal.SIGTERM)])
def test_killed_quietly(number: signal.Signals, code: int, command: list[str]) -> None:
    process = subprocess.Popen(
        [*command, "phrases", "-"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        # What a shell runs in the background ignores an interrupt, and so would this.
        preexec_fn=lambda: signal.signal(number, signal.SIG_DFL),
    )
    assert process.stdin
    assert process.stdout
    assert process.stderr
    with process.stdin, process.stdout, process.stderr:
        process.stdin.write(b"word " * 20_000)  # more than a pipe holds: it returns once the command is reading
        process.stdin.flush()
        assert ended(process, number) == code
        assert (process.stdout.read(), process.stderr.read()) == (b"", b"")


def ended(process: subprocess.Popen[bytes], number: signal.Signals) -> int:
    """Interrupt until it ends: a signal that comes just before Python waits for the system is heard with the next."""
    for _ in range(30):
        process.send_signal(number)
        with contextlib.suppress(subprocess.TimeoutExpired):
            return process.wait(2)
    return process.wait(1)


def test_a_fault_of_our_own_does_not_quote_the_text(embanon: Run, letter: Path, tmp_path: Path) -> None:
    # The interpreter runs this file before the command: the only way to break a command from outside.
    (tmp_path / "sitecustomize.py").write_text(
        f"import embanon.io.read.text as t\ndef broken(*a): raise KeyError('{SECRET}')\nt.decode_with_codec = broken\n"
    )
    path = os.pathsep.join([str(tmp_path), str(ROOT)])
    done = embanon("phrases", letter, PYTHONPATH=path)
    assert (done.returncode, done.stdout) == (4, "")
    assert "internal error (KeyError" in done.stderr
    assert SECRET not in done.stderr
    assert "Traceback" in embanon("phrases", letter, PYTHONPATH=path, EMBANON_DEBUG="1").stderr


def test_import_is_quick() -> None:
    """What takes time to import is imported when it is used; `make bench-speed` prints the milliseconds."""
    code = (
        "import embanon, sys; "
        "print([name for name in ('numpy', 'regex', 'stdnum', 'phonenumbers', 'eld') if name in sys.modules])"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, text=True).stdout == "[]\n"
