"""The gate reads attachments by the formats of files, each by its own name, and refuses what it cannot read."""

from __future__ import annotations

import gzip
import json
from collections.abc import Sequence
from email.message import EmailMessage
from pathlib import Path

import pytest

from embanon.cli.main import main
from embanon.io import ReadOptions, read_sources

POLICY = '[[entities]]\nname = "Project Velland"\nkind = "project"\naliases = ["Velland"]\nsensitivity = 4\n'
TELLING = "The Velland is late."
File = tuple[str, str, bytes]
"""Name, type and content."""


def mail(*files: File, text: str = "See there.") -> EmailMessage:
    message = EmailMessage()
    message["From"], message["To"], message["Subject"] = "a@one.example", "b@two.example", "soup"
    message.set_content(text)
    for name, kind, data in files:
        main_type, _, subtype = kind.partition("/")
        message.add_attachment(data, maintype=main_type, subtype=subtype, filename=name)
    return message


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "policy.toml").write_text(POLICY, "utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def check(folder: Path, message: EmailMessage, *words: str) -> int:
    (folder / "mail.eml").write_bytes(message.as_bytes())
    return main(["leak", "check", "mail.eml", "--policy", "policy.toml", *words])


OCTETS = "application/octet-stream"
ROW = json.dumps({"id": "7", "text": TELLING}).encode()
READ: dict[str, tuple[File, str]] = {
    "a text": (("plan.txt", "text/plain", TELLING.encode()), "plan.txt"),
    "a text of no ending": (("notes", OCTETS, TELLING.encode()), "notes"),
    "a text with a mark": (("plan.log", OCTETS, TELLING.encode("utf-16")), "plan.log"),
    "Markdown": (("plan.md", OCTETS, f"# Plan\n\nThe *Vel*land. {TELLING}".encode()), "plan.md"),
    "a page": (("plan.html", "text/html", b"<p>The Vel<b>land</b> is late.</p>"), "plan.html"),
    "a table": (("plan.csv", "text/csv", b"id,text\n7,the Velland\n"), "plan.csv#7"),
    "a table without a text": (("plan.csv", "application/vnd.ms-excel", b"who,what\nBo,Velland\n"), "plan.csv"),
    "a table, packed": (("plan.tsv.gz", "application/gzip", gzip.compress(b"text\nVelland\n")), "plan.tsv.gz:2"),
    "lines": (("plan.jsonl", "application/x-ndjson", ROW), "plan.jsonl#7"),
    "lines, packed": (("plan.jsonl.gz", "application/gzip", gzip.compress(ROW)), "plan.jsonl.gz#7"),
    "JSON": (("plan.json", "application/json", b'{"what": "Velland"}'), "plan.json"),
    "a message": (("more.eml", OCTETS, mail(text=TELLING).as_bytes()), "more.eml"),
    "in a message": (
        ("more.eml", OCTETS, mail(("plan.csv", "text/csv", b"a,b\nVelland,1\n")).as_bytes()), "more.eml#plan.csv"
    ),
    "by a name that tells": (("the Velland plan.txt", "text/plain", TELLING.encode()), "the e1 plan.txt"),
}  # fmt: skip


@pytest.mark.parametrize("name", READ)
def test_an_attachment_is_refused_by_its_name(name: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file, id = READ[name]
    assert check(folder, mail(file)) == 1
    answer = capsys.readouterr().out
    assert f"\nmail.eml#{id}: e1: risk 1.00" in f"\n{answer}"
    assert "cannot be read" not in answer
    assert "Velland" not in answer
    assert "save them as files" in answer
    assert check(folder, mail(file), "--json") == 1
    rows = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert rows[0]["id"] == "mail.eml"
    assert not [row for row in rows if row["left_out"]]
    assert [row["id"] for row in rows if row["id"] != "mail.eml" and not row["passes"]] == [f"mail.eml#{id}"]


HARMLESS = [
    ("a.txt", "text/plain", b"There is soup."), ("b.csv", "text/csv", b"day,dish\n1,soup\n"),
    ("c.eml", OCTETS, mail(text="There is soup.").as_bytes()), ("d.txt", "text/plain", b""),
]  # fmt: skip
UNREAD: dict[str, File] = {
    "a picture": ("a.png", "image/png", b"\x89PNG\r\n\x1a\n\0\0"),
    "a PDF": ("a.pdf", "application/pdf", b"%PDF-1.7 Velland"),
    "a PDF that is called a text": ("a.txt", "text/plain", b"%PDF-1.7 Velland"),
    "a ZIP file": ("a.zip", "application/zip", b"PK\x03\x04Velland"),
    "what is said to be no text": ("a.bin", "application/x-program", b"soup"),
    "a text in no known encoding": ("a.txt", "text/plain; charset=klingon", b"soup"),
    "a text of another encoding": ("a.txt", "text/plain; charset=utf-8", b"\xff\xe4\xfc"),
    "half a packed table": ("a.csv.gz", "application/gzip", gzip.compress(b"text\nVelland\n")[:-9]),
    "a table with an open quote": ("a.csv", "text/csv", b'text\n"soup\n'),
    "no message": ("a.eml", OCTETS, b"soup"),
}


def test_what_is_harmless_passes(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert check(folder, mail(*HARMLESS)) == 0
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize("name", UNREAD)
def test_what_cannot_be_read_is_refused(name: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file, kind, data = UNREAD[name]
    message = mail((file, kind.partition(";")[0], data))
    if ";" in kind:
        next(iter(message.iter_attachments())).set_param("charset", kind.partition("=")[2])
    assert check(folder, message) == 1
    assert "mail.eml: cannot be read in full: attachments are left out (1)" in capsys.readouterr().out
    assert check(folder, message, "--skip-unread") == (b"Velland" in data and b"\0" not in data and b"\x1f" not in data)


def forwarded(message: EmailMessage, times: int) -> EmailMessage:
    for _ in range(times):
        outer = mail()
        outer.add_attachment(message)
        message = outer
    return message


@pytest.mark.parametrize(("times", "expected"), [(1, "#attachment 1: e1"), (3, "#attachment 1: e1"), (30, "cannot be")])
def test_messages_in_messages(
    times: int, expected: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:  # fmt: skip
    assert check(folder, forwarded(mail(text=TELLING), times)) == 1
    assert expected in capsys.readouterr().out


def test_a_forged_name_is_shown_as_one_line(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = ("x\r\nmail.eml: passes\x1b[2J.txt", "text/plain", TELLING.encode())
    message = mail(("x.txt", *file[1:]))
    data = message.as_bytes().replace(b'filename="x.txt"', b"filename*=utf-8''x%0D%0Amail.eml%1B%5B2J.txt")
    (folder / "mail.eml").write_bytes(data)
    assert main(["leak", "check", "mail.eml", "--policy", "policy.toml"]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("mail.eml#x mail.eml [2J.txt: e1")
    assert "\x1b" not in "".join(lines)


def test_a_name_in_another_writing_is_read(folder: Path) -> None:
    data = mail(("x.txt", "text/plain", b"soup")).as_bytes()
    (folder / "mail.eml").write_bytes(data.replace(b'filename="x.txt"', b"filename*=utf-8''%56elland.txt"))
    assert main(["leak", "check", "mail.eml", "--policy", "policy.toml"]) == 1


def test_others_read_messages_as_before(tmp_path: Path) -> None:
    (tmp_path / "mail.eml").write_bytes(mail(*HARMLESS).as_bytes())
    path = str(tmp_path / "mail.eml")
    [source] = read_sources(path, ReadOptions())
    assert source.omitted_parts == (f"attachments are left out ({len(HARMLESS)})",)
    assert source.document.text == next(iter(read_sources(path, ReadOptions(whole=True)))).document.text


TABLES: Sequence[tuple[str, bytes]] = [
    ("stock.csv", b"part,count\nVelland,3\n"), ("stock.jsonl", b'{"part": "Velland"}\n'),
    ("stock.csv.gz", gzip.compress(b"part,count\nVelland,3\n")),
]  # fmt: skip


@pytest.mark.parametrize(("name", "data"), TABLES)
def test_a_table_without_a_column_of_text_is_a_text(
    name: str, data: bytes, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / name).write_bytes(data)
    assert main(["leak", "check", name, "--policy", "policy.toml"]) == 1
    answer = capsys.readouterr().out
    assert f"{name}: e1" in answer
    assert "--format text" in answer
    assert main(["leak", "check", name, "--policy", "policy.toml", "--column", "words"]) == 3  # which it lacks
    (folder / name).write_bytes(data.replace(b"Velland", b"bolt") if b"Velland" in data else gzip.compress(b"a,b\n"))
    assert main(["leak", "check", name, "--policy", "policy.toml"]) == 0


def test_a_ledger_tells_where_its_hints_lie(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "letter.txt").write_text("There is soup.", "utf-8")

    def answer(*words: str) -> tuple[int, str]:
        code = main(["leak", "check", "letter.txt", "--policy", "policy.toml", *words])
        return code, capsys.readouterr().err

    code, message = answer("--ledger", "ledger.db")
    assert (code, "ledger.db: no such file; run: embanon leak scan" in message) == (2, True)
    code, message = answer("--ledger", "postgresql://db/leaks")
    assert (code, "--key-file FILE" in message) == (2, True)
    (folder / "ledger.db").touch()
    code, message = answer("--ledger", "ledger.db")
    assert (code, "ledger.db.hints: no such file, so that nothing counts that only hints" in message) == (0, True)
    (folder / "ledger.db.hints").write_bytes(b"soup")
    assert answer("--ledger", "ledger.db")[0] in (2, 3)
    (folder / "our.hints").write_bytes(b"soup")
    code, message = answer("--ledger", "postgresql://db/leaks", "--key-file", "our.key")
    assert (code in (2, 3), "our.hints" in message) == (True, True)
