"""Folders, patterns and many formats on the command line: what is written where, and what is not."""

from __future__ import annotations

import gzip
import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from embanon.errors import ConfigError, OutputError
from embanon.io.files import replace_file
from tests.conftest import SECRET

Done = subprocess.CompletedProcess[str]
Run = Callable[..., Done]

ADA = "Ada Berger left Velland in 1994.\n"
FILES = {
    "a.txt": ADA.encode(),
    "page.html": b"<p><b>Ada</b> Berger left &amp; sang.</p>\n",
    "sub/notes.md": b"# Ada\r\n\r\n**Ada** Berger left.\r\n",
    "sub/cases.csv": b'id,text\n1,"Ada Berger ""left"""\n2,Nothing of her.\n',
    "l.jsonl.gz": gzip.compress(b'{"id": "1", "text": "Ada Berger left."}\n', mtime=0),
    "Ada Berger/letter of Berger.txt": b"\xff\xfe" + ADA.encode("utf-16-le"),
    "none.txt": b"It rains.\n",
    ".hidden.txt": ADA.encode(),
}


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, inside: Run) -> Run:
    """Return a function that runs the command in this process, in a folder with a folder of texts."""
    monkeypatch.chdir(tmp_path)
    for name, data in FILES.items():
        (path := Path("in", name)).parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    Path("e").write_text("Ada Berger\n")
    return inside


def below(folder: str) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes() for path in Path(folder).rglob("*") if path.is_file()
    }


MANY = ("anonymize", "in", "--entities", "e", "-o", "out", "--language", "en", "--solutions", "table")


def test_a_folder(here: Run) -> None:
    done = here(*MANY)
    assert done.returncode == 1, done.stderr  # some documents name nobody
    written = below("out")
    assert sorted(written) == [
        "a.txt", "folder-1/file-2.txt", "l.jsonl.gz", "none.txt", "page.html", "sub/cases.csv", "sub/notes.md",
    ]  # fmt: skip
    for data in written.values():
        text = gzip.decompress(data) if data.startswith(b"\x1f\x8b") else data.replace(b"\x00", b"")
        assert not re.search(b"Ada|Berger|Velland|1994", text)
    assert written["page.html"] == b"<p><b>Person 1</b> left &amp; sang.</p>\n"
    assert written["sub/notes.md"] == b"# Person 1\r\n\r\n**Person 1** left.\r\n"
    assert written["sub/cases.csv"] == b'id,text\n1,"Person 1 ""left"""\n2,Nothing of her.\n'
    assert written["folder-1/file-2.txt"].startswith(b"\xff\xfeP\x00")
    done = here("restore", "out", "--solutions", "table", "-o", "back")
    assert (done.returncode, done.stderr) == (0, "")
    assert below("back") == {name: data for name, data in FILES.items() if not name.startswith(".")}


def test_a_file_of_a_folder_comes_back_alone(here: Run) -> None:
    here(*MANY)
    done = here("restore", "out/page.html", "--solutions", "table")
    assert (done.returncode, done.stdout) == (0, FILES["page.html"].decode())
    done = here("restore", "out/sub/cases.csv", "--solutions", "table", "-o", "x.csv")
    assert (done.returncode, Path("x.csv").read_bytes()) == (0, FILES["sub/cases.csv"])


def test_files_that_cannot_be_read_are_listed(here: Run) -> None:
    Path("in/pic.txt").write_bytes(b"\x89PNG\r\n\x00" + SECRET.encode())
    Path("in/bad.txt").write_bytes(SECRET.encode() + b"\xff")
    Path("in/bad.csv").write_text(f"a,b\n{SECRET},1\n")
    os.mkfifo("in/pipe.txt")
    Path("in/gone.txt").symlink_to("nothing")
    done = here(*MANY)
    assert done.returncode == 3
    listed = done.stderr.partition("inputs are left out:\n")
    assert listed[0].endswith("embanon: 5 of 12 ")
    for name in (
        "pic.txt: is an image",
        "bad.txt: byte 9",
        "bad.csv: has no column 'text'",
        "pipe.txt: is no file",
        "gone",
    ):
        assert f"embanon:   in/{name}" in listed[2]
    assert len(below("out")) == 7


def test_a_file_that_vanishes(here: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    from embanon.workflow import outputs as command

    real = command.find_inputs

    def named(paths: list[str]) -> object:
        found = real(paths)
        Path("in/a.txt").unlink()
        return found

    monkeypatch.setattr(command, "find_inputs", named)
    done = here(*MANY)
    assert (done.returncode, "in/a.txt: no such file" in done.stderr, len(below("out"))) == (3, True, 6)


def test_patterns_and_several_files(here: Run) -> None:
    done = here("anonymize", "in/*.txt", "in/sub/notes.md", "--entities", "e", "-o", "new/")
    assert done.returncode == 1
    assert sorted(below("new")) == ["a.txt", "none.txt", "notes.md"]
    Path("other").mkdir()
    Path("other/a.txt").write_text(ADA)
    Path("there").mkdir()
    here("anonymize", "in/a.txt", "other/a.txt", "--entities", "e", "-o", "there", "--solutions", "t")
    assert sorted(below("there")) == ["a-2.txt", "a.txt"]
    here("restore", "there", "--solutions", "t", "-o", "back")
    assert set(below("back").values()) == {ADA.encode()}


# name: words, code, what is said
MISTAKES = {
    "no output": ("in", 2, "is a folder; name one for what is written: -o FOLDER"),
    "itself": ("in -o in", 2, "lies in a folder that is read"),
    "inside": ("in -o in/out", 2, "lies in a folder that is read"),
    "a file": ("in -o e", 2, "e: is no folder"),
    "empty": ("nothing -o out", 3, "has no file"),
    "no match": ("in/*.xyz -o out/", 3, "no file matches"),
    "jobs": ("in -o out --jobs -1", 2, "--jobs must be"),
    "id key alone": ("in -o out --id-key e", 2, "--publish"),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_mistakes(name: str, here: Run) -> None:
    words, code, message = MISTAKES[name]
    Path("nothing").mkdir()
    before = below(".")
    done = here("anonymize", "--entities", "e", *words.split())
    assert (done.returncode, message in done.stderr) == (code, True), done.stderr
    assert below(".") == before


def test_nothing_is_written_outside_or_over_an_input(here: Run, tmp_path: Path) -> None:
    Path("elsewhere").mkdir()
    Path("out").mkdir()
    Path("out/sub").symlink_to(tmp_path / "elsewhere")
    done = here(*MANY)
    assert (done.returncode, done.stderr.count("would lie outside out"), len(below("out"))) == (2, 2, 5)
    assert below("elsewhere") == {}
    here("anonymize", "in/a.txt", "--entities", "e", "-o", "one/", "--solutions", "t")
    rows = [json.loads(line) for line in Path("t").read_text().splitlines()]
    rows.append(rows[0] | {"document": "a.txt", "original": "../../evil.txt", "type": "FILE"})
    Path("t").write_text("".join(json.dumps(row) + "\n" for row in rows))
    done = here("restore", "one/", "--solutions", "t", "-o", "x/y")
    assert (done.returncode, Path("../evil.txt").exists(), Path("evil.txt").exists()) == (2, False, False)
    done = here("anonymize", "in/a.txt", "in/page.html", "--entities", "e", "-o", "in")
    assert done.returncode == 2
    assert (Path("in/a.txt").read_bytes(), Path("in/page.html").read_bytes()) == (FILES["a.txt"], FILES["page.html"])


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_that_may_not_be_written(here: Run) -> None:
    Path("out").mkdir(mode=0o500)
    done = here(*MANY)
    assert (done.returncode, "cannot be written" in done.stderr) == (141, True)


def test_everyone_is_in_no_name(here: Run) -> None:
    Path("in/0017.txt").write_text("She sang.\n")
    done = here("anonymize", "in", "--protect", "everyone", "-o", "out", "--solutions", "t")
    assert done.returncode == 0, done.stderr
    names = [name for name in below("out") if not re.fullmatch(r"((file|folder)-\d+/?)+(\.\w+)*", name)]
    assert sorted(names) == ["0017.txt", "a.txt", "l.jsonl.gz"]
    here("restore", "out", "--solutions", "t", "-o", "back")
    assert set(below("back")) == {name for name in FILES if not name.startswith(".")} | {"0017.txt"}


def test_published(here: Run) -> None:
    Path("key").write_text("a long random text")
    names = []
    for out in ("one", "two", "three"):
        key = ["--id-key", "key"] if out != "three" else []
        here("anonymize", "in", "--entities", "e", "-o", out, "--publish", "--solutions", f"{out}.t", *key)
        names.append(set(below(out)))
        assert all(re.fullmatch(r"[0-9a-f]{16}(\.\w+)+", name) for name in names[-1])
    assert names[0] == names[1]
    assert not names[0] & names[2]
    [table] = [data.decode() for name, data in below("one").items() if name.endswith(".csv")]
    assert re.fullmatch(r'id,text\n[0-9a-f]{16},"Person 1 ""left"""\n[0-9a-f]{16},Nothing of her.\n', table)
    here("restore", "one", "--solutions", "one.t", "-o", "back")
    back = below("back")
    assert back.pop("l.jsonl.gz")
    assert back == {name: data for name, data in FILES.items() if name in back}
    assert len(back) == 6


def test_any_number_of_processes_gives_the_same(here: Run, tmp_path: Path) -> None:
    rows = [{"id": str(n), "text": f"Ada Berger left Velland in {1900 + n}. " * 60} for n in range(90)]
    Path("in/many.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    Path("in/bad.txt").write_bytes(b"\xff")
    Path("key").write_text("a long random text")
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}
    same = ["--method", "substitute", "--pseudonym-key", "key", "--language", "en"]
    for jobs in ("1", "2"):
        words = ["in", "--entities", "e", "-o", f"out{jobs}", "--solutions", f"table{jobs}", "--jobs", jobs, *same]
        command = [sys.executable, "-m", "embanon", "anonymize", *words]
        done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, timeout=100, check=False)
        assert (done.returncode, b"in/bad.txt: byte 0" in done.stderr) == (3, True), done.stderr
    assert below("out1") == below("out2")
    assert Path("table1").read_bytes() == Path("table2").read_bytes()
    assert len(below("out1")) == 8


def test_ids_that_come_again(here: Run) -> None:
    Path("d.csv").write_text("id,text\n1,Ada Berger left.\n1,Berger sang.\n")
    here("anonymize", "d.csv", "--entities", "e", "--solutions", "t", "-o", "o.csv")
    done = here("restore", "o.csv", "--solutions", "t")
    assert (done.returncode, done.stdout) == (0, Path("d.csv").read_text())


def test_published_rows_without_ids(here: Run) -> None:
    Path("d.csv").write_text("text\nAda Berger left.\nBerger sang.\n")
    here("anonymize", "d.csv", "--entities", "e", "--solutions", "t", "-o", "o.csv", "--publish")
    assert Path("o.csv").read_text() == "text\nPerson 1 left.\nPerson 1 sang.\n"
    assert here("restore", "o.csv", "--solutions", "t").stdout == Path("d.csv").read_text()


def test_several_in_one_file_are_utf_8(here: Run) -> None:
    Path("u.txt").write_bytes(b"\xff\xfe" + "Ada Berger: é\n".encode("utf-16-le"))
    here("anonymize", "u.txt", "in/a.txt", "--entities", "e", "--language", "en", "-o", "o.txt")
    assert Path("o.txt").read_text("utf-8").startswith("Person 1: é\nPerson 1 left ")


def test_columns_and_what_is_carried(here: Run) -> None:
    Path("c.csv").write_text("nr,report,who,ward,note\n7,Ada Berger left.,Ada Berger,W3,x\n")
    words = ("anonymize", "c.csv", "--column", "report", "--id-column", "nr", "--protect-field", "who")
    assert here(*words, "--carry", "ward").stdout == "nr,report,ward\n7,Person 1 left.,W3\n"
    done = here(*words, "--carry", "who")
    assert (done.returncode, "a part of a protected name is in what is not read" in done.stderr) == (1, True)
    assert here("score", "c.csv", "--column", "report", "--protect-field", "who").stdout.startswith("== c.csv:2 (en)\n")
    line = {"id": "1", "text": "Ada Berger left.", "ward": "W3", "note": "x", "language": "en"}
    Path("c.jsonl").write_text(json.dumps(line) + "\n")
    words = ("anonymize", "c.jsonl", "--entities", "e", "--solutions", "t", "--carry")
    row = json.loads(here(*words, "ward", "--carry", "none", "-o", "o.jsonl").stdout or Path("o.jsonl").read_text())
    assert list(row) == ["id", "text", "edits", "embanon", "ward"]
    assert json.loads(here("restore", "o.jsonl", "--solutions", "t").stdout) == {
        "id": "1", "text": "Ada Berger left.", "ward": "W3",
    }  # fmt: skip
    assert here(*words, "edits").returncode == 2


# name: file, content, what is said
BESIDE = {
    "script": ("x.html", "Ada Berger left.<script>var who = 'berger'</script>", "in what is not read"),
    "class": ("x.html", "<p class=ada-berger>Ada Berger left.", "in what is not read"),
    "name of an attribute": ("x.html", "<p berger>Ada Berger left.", "in what is not read"),
    "script of others": ("x.html", "Ada Berger left.<script>var x = 'border'</script>", ""),
    "id": ("x.jsonl", '{"id": "berger-1", "text": "Ada Berger left."}', "the id has a part"),
    "fence": ("x.md", "Ada Berger left.\n\n``` berger\nx\n```\n", "in what is not read"),
}


@pytest.mark.parametrize("name", BESIDE)
def test_names_in_what_is_not_read_are_told(name: str, here: Run) -> None:
    file, content, message = BESIDE[name]
    Path(file).write_text(content)
    done = here("anonymize", file, "--entities", "e", "--language", "en")
    assert (done.returncode, message in done.stderr, "Berger left" in done.stdout) == (bool(message), True, False)


def test_what_is_anonymized_again_stays(here: Run) -> None:
    done = here(*MANY)
    before = {name: data for name, data in below("out").items() if name.startswith(("page", "sub"))}
    done = here("anonymize", "out", "--entities", "e", "-o", "again", "--language", "en")
    assert done.returncode == 1
    assert len(before) == 3
    assert {name: data for name, data in below("again").items() if name in before} == before


@pytest.mark.parametrize("command", ["score", "phrases", "report", "entities"])
def test_other_commands_read_folders_and_formats(command: str, here: Run) -> None:
    words = [] if command in ("phrases", "entities") else ["--entities", "e"]
    done = here(command, "in", *words)
    assert done.returncode in (0, 1), done.stderr
    for name in ("in/page.html", "in/sub/notes.md"):
        assert name in done.stdout
    assert "<b>" not in done.stdout


def test_offsets_are_of_what_is_seen(here: Run) -> None:
    row = json.loads(here("phrases", "in/page.html", "--json").stdout)
    assert (row["phrases"][0]["start"], row["phrases"][0]["end"]) == (0, 10)


def test_a_killed_process_leaves_whole_files_and_a_table(here: Run, tmp_path: Path) -> None:
    for number in range(300):
        Path(f"in/{number}.txt").write_text(ADA * 20)
    command = [sys.executable, "-m", "embanon", *MANY]
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}
    process = subprocess.Popen(command, cwd=tmp_path, env=environment, stderr=subprocess.DEVNULL)
    while not Path("out/0.txt").exists() and process.poll() is None:
        time.sleep(0.02)
    process.send_signal(signal.SIGTERM)
    assert process.wait(60) == -signal.SIGTERM
    written = {name: data for name, data in below("out").items() if re.fullmatch(r"\d+\.txt", name)}
    assert 0 < len(written) < 300
    assert len(set(written.values())) == 1
    documents = {json.loads(line)["document"] for line in Path("table").read_text().splitlines()}
    assert documents >= set(written)


def test_names_that_are_no_utf_8_have_a_table(here: Run) -> None:
    name = os.fsdecode(b"in/caf\xe9.txt")
    try:
        Path(name).write_text(ADA)
    except OSError:
        pytest.skip("names of files are UTF-8 here")
    assert here("anonymize", "in", "--entities", "e", "-o", "out", "--solutions", "t").returncode in (0, 1)
    assert here("restore", "out", "--solutions", "t", "-o", "back").returncode == 0
    assert Path(name.replace("in/", "back/")).read_text() == ADA


def test_a_report_is_not_written_over_what_a_folder_has(here: Run) -> None:
    assert here("report", "in", "--entities", "e", "-o", "in/a.txt").returncode == 2
    assert Path("in/a.txt").read_bytes() == FILES["a.txt"]


def test_a_report_with_originals_is_of_its_owner(here: Run) -> None:
    for words, mode in (((), 0o666), (("--show-original",), 0o600)):
        here("report", "in/a.txt", "--entities", "e", "-o", "r.html", *words)
        assert Path("r.html").stat().st_mode & 0o777 & ~mode == 0
    assert Path("r.html").stat().st_mode & 0o777 == 0o600


def test_a_table_beside_what_it_restores_is_no_text(here: Run) -> None:
    here("anonymize", "in/a.txt", "--entities", "e", "-o", "out/", "--solutions", "table")
    Path("table").rename("out/table")
    assert here("restore", "out", "--solutions", "out/table", "-o", "back").returncode == 0
    assert sorted(below("back")) == ["a.txt"]


def test_names_with_signs_that_nobody_sees_are_replaced(here: Run) -> None:
    for name in ("Ber\u00adger", "Ｂｅｒｇｅｒ", "B\u0435rger", "Be\u200brger"):
        Path("in", f"{name}.txt").write_text(ADA)
    here("anonymize", "in", "--entities", "e", "-o", "out", "--solutions", "t")
    assert not [name for name in below("out") if re.search("[Bb]e|Ｂ|rger", name)]


def test_a_table_names_no_impossible_files(here: Run) -> None:
    here("anonymize", "in/a.txt", "--entities", "e", "-o", "out/", "--solutions", "t")
    row = json.loads(Path("t").read_text().splitlines()[0])
    for name in ("a\0b", "x" * 300, "../x", ""):
        more = {**row, "type": "FILE", "document": "a.txt", "original": name, "replacement": "a.txt"}
        Path("u").write_text(Path("t").read_text() + json.dumps(more) + "\n")
        words = ["restore", "out", "--solutions", "u", "-o", "back"]
        done = subprocess.run([sys.executable, "-m", "embanon", *words], capture_output=True, check=False)
        assert done.returncode in (ConfigError.exit_code, OutputError.exit_code)


@pytest.mark.parametrize(
    ("page", "code"),
    [
        ("<script>x = 'Berger'</script>", 1),
        (r"<script>x = 'B\u0065rger'</script>", 1),
        (r"<script>x = 'B\x65rger'</script>", 1),
        ("<p onclick='f(\"B&#101;rger\")'>x</p>", 1),
        ("<link href='/B%65rger.css'>", 1),
        ("<a href='data:text/plain;base64,QWRhIEJlcmdlcg=='>x</a>", 1),
        ("<a href='data:text/plain;base64,QWRhIEJlcmdlcg%%%'>x</a>", 1),
        ("<img src='data:image/png;base64,QWRhIEJlcmdlcg=='>", 0),  # whose letters are those of chance
        (r"<script>x = '\ud83d B\u00e9 %ff &# ;base64,A'</script>", 0),
    ],
)
def test_what_is_not_read_is_told(here: Run, page: str, code: int) -> None:
    Path("p.html").write_text(f"<p>Ada Berger left.</p>{page}")
    done = here("anonymize", "p.html", "--entities", "e", "-o", "o.html")
    assert (done.returncode, "a part of a protected name is in what is not read" in done.stderr) == (code, code == 1)


def test_the_longest_names_can_be_written(here: Run) -> None:
    name = "x" * 251 + ".txt"
    Path("in", name).write_text(ADA)
    assert here("anonymize", "in", "--entities", "e", "-o", "out", "--solutions", "t").returncode in (0, 1)
    assert name in below("out")


def test_nothing_half_done_stays_where_writing_is_interrupted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(_: int) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("os.fsync", interrupted)
    with pytest.raises(KeyboardInterrupt):
        replace_file(tmp_path / "table", b"Ada Berger")
    assert list(tmp_path.iterdir()) == []
