"""The gate: what it refuses and why, what it lets pass, and that the command which it names makes a document pass."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
from pathlib import Path
from random import Random

import pytest

from embanon.cli.main import main
from embanon.leak.gate import Reason, Verdict, masking_command

ROOT = Path(__file__).parents[2]
POLICY = """
[[entities]]
name = "Project Velland"
kind = "project"
aliases = ["Velland", "VX-77"]
sensitivity = 4
folders = ["research"]
labels = ["STRICTLY CONFIDENTIAL"]

[[entities]]
name = "Ada Berger"
kind = "person"
sensitivity = 2
threshold = 0.5
"""
TELLING = "Dear all, the Velland is late. Nobody is to know.\n"
HARMLESS = "Dear all, the canteen has soup today.\n"
MESSAGE = "From: a@one.example\nTo: b@two.example\nSubject: {}\n\nHello, how are you?\n"
ATTACHED = """From: a@one.example
Subject: soup
MIME-Version: 1.0
Content-Type: multipart/mixed; boundary="x"

--x
Content-Type: text/plain

Hello.
--x
Content-Type: application/pdf
Content-Disposition: attachment; filename="plan.pdf"
Content-Transfer-Encoding: base64

JVBERg==
--x--
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "policy.toml").write_text(POLICY, "utf-8")
    (tmp_path / "research").mkdir()
    monkeypatch.chdir(tmp_path)
    return tmp_path


def check(*words: str) -> int:
    return main(["leak", "check", *words, "--policy", "policy.toml"])


CASES = {
    "what names it is refused": (TELLING, [], 1),
    "an alias with a digit": ("The parts of VX-77 are here.", [], 1),
    "however it is written": ("the VELLAND is late", [], 1),
    "a person": ("Ada Berger is ill today.", [], 1),
    "what does not is not": (HARMLESS, [], 0),
    "nothing at all": ("", [], 0),
    "a limit that everything keeps": (TELLING, ["--limit", "1.0"], 1),
    "marked as it may be": (TELLING, ["--label", "STRICTLY CONFIDENTIAL"], 0),
    "marked otherwise": (TELLING, ["--label", "internal"], 1),
    "marked, and leaving": (TELLING, ["--label", "STRICTLY CONFIDENTIAL", "--leaving"], 1),
    "quietly": (TELLING, ["--quiet"], 1),
}


@pytest.mark.parametrize(("text", "words", "code"), CASES.values(), ids=CASES)
def test_the_exit_code_decides(text: str, words: list[str], code: int, folder: Path) -> None:
    (folder / "letter.txt").write_text(text, "utf-8")
    assert check("letter.txt", *words) == code


def test_it_is_said_why_without_names(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "letter.txt").write_text(TELLING, "utf-8")
    assert check("letter.txt") == 1
    said = capsys.readouterr().out
    assert said.startswith("letter.txt: e1: risk 1.00, limit 0.5, strongest phrase 1.00, 1 phrase at 14-21\n")
    assert TELLING[14:21] == "Velland"
    assert "embanon anonymize letter.txt" in said
    assert "Velland" not in said
    assert check("letter.txt", "--show-original") == 1
    assert "e1 (Project Velland)" in capsys.readouterr().out


def test_json_has_a_line_for_each_document(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines = [json.dumps({"id": str(number), "text": text}) for number, text in enumerate((TELLING, HARMLESS))]
    (folder / "letters.jsonl").write_text("\n".join(lines), "utf-8")
    assert check("letters.jsonl", "--json") == 1
    rows = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    place = {"start": 14, "end": 21}
    reason = {"entity": "e1", "risk": 1.0, "strength": 1.0, "limit": 0.5, "phrases": [place]}
    assert rows == [
        {"id": "0", "passes": False, "reasons": [reason], "left_out": []},
        {"id": "1", "passes": True, "reasons": [], "left_out": []},
    ]
    assert check("letters.jsonl", "--json", "--show-original") == 1
    row = json.loads(capsys.readouterr().out.splitlines()[0])
    assert row["reasons"][0]["phrases"] == [place | {"text": "Velland"}]


@pytest.mark.skipif(sys.platform == "win32", reason="links of Unix")
@pytest.mark.parametrize("link", ["hard", "file", "folder"])
def test_a_link_in_an_allowed_folder_allows_nothing_elsewhere(link: str, folder: Path) -> None:
    file, name = folder / "all" / "sales" / "letter.txt", folder / "all" / "research" / "letter.txt"
    for one in (file, name):
        one.parent.mkdir(parents=True)
    file.write_text(TELLING, "utf-8")
    (folder / "policy.toml").write_text(POLICY.replace('"research"', '"all/research"'), "utf-8")
    if link == "hard":
        name.hardlink_to(file)
    else:
        (name if link == "file" else name.parent / "sales").symlink_to(file if link == "file" else file.parent)
    assert check("all") == 1


def test_a_folder_may_be_where_it_is_allowed(folder: Path) -> None:
    (folder / "research" / "plan.txt").write_text(TELLING, "utf-8")
    assert check("research/plan.txt") == 0
    assert check("research") == 0
    assert check("research/plan.txt", "--leaving") == 1


BAD = {
    "no such file": (["missing.txt"], 3),
    "no text": (["policy.bin"], 3),
    "a limit out of bounds": (["letter.txt", "--limit", "0"], 2),
    "standard input twice": (["-", "-"], 2),
    "no such policy": (["letter.txt", "--policy", "missing.toml"], 2),
    "no such model": (["letter.txt", "--model", "missing.model"], 2),
    "what can be read, and what cannot": (["letter.txt", "missing.txt"], 3),
}


@pytest.mark.parametrize(("words", "code"), BAD.values(), ids=BAD)
def test_what_cannot_be_judged_does_not_pass(words: list[str], code: int, folder: Path) -> None:
    (folder / "letter.txt").write_text(TELLING, "utf-8")
    (folder / "policy.bin").write_bytes(bytes(range(256)))
    given = ["leak", "check", *words] + ([] if "--policy" in words else ["--policy", "policy.toml"])
    found = main(given)
    assert found == code or (words[-1] == "missing.model" and found in (2, 3))


MAIL = {
    "refused by its subject": (MESSAGE.format("the Velland"), [], 1),
    "let pass": (MESSAGE.format("soup"), [], 0),
    "with what cannot be read": (ATTACHED, [], 1),
    "with what need not be read": (ATTACHED, ["--skip-unread"], 0),
    "no mail": ("hello", [], 3),
    "with a name in a header for machines": ("X-Comment: Velland\n" + MESSAGE.format("soup"), [], 1),
    "with a signature": ("X-Signature: ab/Velland+c\n" + MESSAGE.format("soup"), [], 0),
    "with a name around its parts": (ATTACHED.replace("\n\n--x", "\n\nVelland\n--x", 1), ["--skip-unread"], 1),
    "with a name in the name of a file": (ATTACHED.replace("plan.pdf", "Velland.pdf"), ["--skip-unread"], 1),
    "with a text attached": (
        ATTACHED.replace("application/pdf", "text/csv").replace("JVBERg==", "VmVsbGFuZAo="),
        ["--skip-unread"],
        1,
    ),
    "with a message attached": (
        ATTACHED.replace("application/pdf", "message/rfc822")
        .replace("JVBERg==", MESSAGE.format("Velland"))
        .replace("base64", "7bit"),
        ["--skip-unread"],
        1,
    ),
    "with parts that nothing parts": (
        MESSAGE.format("soup").replace("\n\n", "\nContent-Type: multipart/mixed\n\n"),
        [],
        1,
    ),
    "with letters that are no code": (
        MESSAGE.format("soup").partition("\n\n")[0] + "\nContent-Transfer-Encoding: base64\n\n!V!mVsbGFuZ",
        [],
        1,
    ),
}


@pytest.mark.parametrize(("message", "words", "code"), MAIL.values(), ids=MAIL)
def test_mail_comes_on_standard_input(message: str, words: list[str], code: int, folder: Path) -> None:
    command = [sys.executable, "-m", "embanon", "leak", "check", "-", "--format", "eml", "--policy", "policy.toml"]
    done = subprocess.run(
        [*command, *words], input=message, capture_output=True, text=True, check=False, cwd=folder,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
    )  # fmt: skip
    assert done.returncode == code, done.stderr
    assert "Velland" not in done.stdout + done.stderr


BESIDES = {
    "a.html": ("<p>soup</p><script>var velland = 1</script>", 1),
    "b.html": ("<p class='menu'>soup</p><script>var soup = 1</script>", 0),
    "a.jsonl": ('{"id": "1", "text": "soup", "of": {"title": ["about\\nVelland"]}}\n', 1),
    "b.jsonl": ('{"id": "velland-1", "text": "soup"}\n', 1),
    "c.jsonl": ('{"id": "1", "text": "soup", "of": {"title": ["soup"], "n": 1}}\n', 0),
    "a.csv": ("id,text,about\n1,soup,Velland\n", 1),
    "b.csv": ("id,text,velland\n1,soup,\n", 1),
    "c.csv": ("id,text,about\n1,soup,soup\n", 0),
}


@pytest.mark.parametrize("name", BESIDES)
def test_names_outside_of_the_text_are_refused(name: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text, code = BESIDES[name]
    (folder / name).write_text(text, "utf-8")
    assert check(name) == code
    assert ("e1: named in what is not its text" in capsys.readouterr().out) == bool(code)
    assert check(name, "--label", "STRICTLY CONFIDENTIAL") == 0


@pytest.mark.skipif(sys.platform == "win32", reason="a shell of Unix")
@pytest.mark.parametrize("name", ["letter.txt", "it's late; $(touch gone).txt", "-v.txt", "two\nlines.txt"])
def test_the_command_that_is_named_makes_it_pass(
    name: str, folder: Path, programs: dict[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / name).write_text(TELLING, "utf-8")
    given = f"./{name}" if name.startswith("-") else name
    assert check(given) == 1
    command = capsys.readouterr().out.partition("run: ")[2]
    done = subprocess.run(["sh", "-c", command], capture_output=True, text=True, check=False, cwd=folder, env=programs)
    assert done.returncode == 0, done.stderr
    [written] = folder.glob("*.anonymized.txt")
    assert "Velland" not in written.read_text("utf-8")
    assert check(f"./{written.name}") == 0
    assert not (folder / "gone").exists()


def test_the_fix_is_quoted_and_has_no_name() -> None:
    reason = Reason("e12", 0.9, 0.5, 0.2, ((0, 4),), "Project Velland", ("some",))
    again = Reason("e2", 0.9, 0.5, 0.7, (), "Ada Berger")
    said = masking_command(
        [Verdict("x", (reason, again))], "a b.txt", "our policy.toml", model="m.model", format="text"
    )
    first, second = said.split(" | ")
    assert shlex.split(first) == ["embanon", "leak", "entities", "e2", "e12", "--policy", "our policy.toml"]
    words = ["embanon", "anonymize", "a b.txt", "--entities", "-", "--method", "suppress", "--limit", "0.2", "--model"]
    assert shlex.split(second) == [*words, "m.model", "--format", "text", "-o", "a b.anonymized.txt"]


def test_entities_go_through_a_pipe(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["leak", "entities", "e2", "e1", "--policy", "policy.toml", "--names"]) == 0
    rows = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert rows == [
        {"name": "Ada Berger", "aliases": [], "type": "PERSON"},
        {"name": "Project Velland", "aliases": ["Velland", "VX-77"], "type": "MISC"},
    ]
    assert main(["leak", "entities", "e3", "--policy", "policy.toml"]) == 2
    assert "e1 to e2" in capsys.readouterr().err


# What need not be named

AROUND = "cobalt anode charger electrolyte voltage battery lithium cathode coating furnace".split()
DULL = (
    "the meeting about office carpet paint lunch holiday parking coffee printer window chair lamp floor visit train "
    "hotel ticket city review form letter stamp calendar desk phone manager colleague weekend"
).split()


def dull(chance: Random, count: int = 40) -> str:
    return " ".join(chance.choices(DULL, k=count))


def test_what_a_scan_has_learnt_refuses_what_names_nobody(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    chance = Random(1)
    hints = [["Velland", *chance.sample(AROUND, 4)] if n % 6 == 0 else chance.sample(AROUND, n % 6 == 1)
             for n in range(240)]  # fmt: skip
    rows = [json.dumps({"id": str(n), "text": f"{dull(chance)} {' '.join(some)} {dull(chance)}"})
            for n, some in enumerate(hints)]  # fmt: skip
    (folder / "letters.jsonl").write_text("\n".join(rows), "utf-8")
    where = ["--ledger", "ledger.db", "--policy", "policy.toml"]
    assert main(["leak", "scan", "letters.jsonl", *where, "--hints", "our.hints", "--language", "en"]) == 0
    (folder / "telling.txt").write_text(f"{dull(chance)} {' '.join(AROUND)}", "utf-8")
    (folder / "dull.txt").write_text(dull(chance), "utf-8")
    assert check("telling.txt", "--language", "en") == 0  # names alone count
    capsys.readouterr()
    assert check("telling.txt", "dull.txt", "--hints", "our.hints", "--language", "en") == 1
    said = capsys.readouterr().out
    assert said.startswith("telling.txt: e1: risk ")
    assert "dull.txt" not in said
    (folder / "other.txt").write_text("Eine Batterie ohne Kobalt lädt in wenigen Minuten, sagt das Büro.", "utf-8")
    assert check("other.txt", "--hints", "our.hints", "--language", "en") == 5  # of which nothing can be said
    assert "most of its telling words are in no list" in capsys.readouterr().out
    assert check("other.txt", "--hints", "our.hints", "--language", "en", "--json") == 5
    assert json.loads(capsys.readouterr().out) == {
        "id": "other.txt", "passes": False, "reasons": [], "left_out": [], "unknown": True,
    }  # fmt: skip
    assert check("other.txt", "--hints", "our.hints", "--language", "en", "--skip-unread") == 0
    assert check("other.txt", "--language", "en") == 0  # names alone count
    (folder / "policy.toml").write_text(POLICY.replace("Velland", "Other"), "utf-8")
    assert check("telling.txt", "--hints", "our.hints", "--language", "en") in (2, 3)  # learnt for another policy
    assert check("telling.txt", "--hints", "missing.hints", "--language", "en") in (2, 3)
    (folder / "policy.toml").write_text(POLICY, "utf-8")
    (folder / "ledger.db.hints").write_bytes((folder / "our.hints").read_bytes())
    capsys.readouterr()
    assert check("telling.txt", "--ledger", "ledger.db", "--language", "en") == 1  # whose hints lie beside it
    assert capsys.readouterr().out.startswith("telling.txt: e1: risk ")


@pytest.mark.parametrize(("unknown", "code"), [("exit", 5), ("refuse", 1), ("warn", 0)])
def test_the_policy_says_what_becomes_of_the_unknown(
    folder: Path, capsys: pytest.CaptureFixture[str], unknown: str, code: int
) -> None:
    chance = Random(1)
    rows = [json.dumps({"id": str(n), "text": f"{dull(chance)} {'Velland' if n % 3 else ''}"}) for n in range(40)]
    (folder / "letters.jsonl").write_text("\n".join(rows), "utf-8")
    (folder / "policy.toml").write_text(f'{POLICY}\n[gate]\nunknown = "{unknown}"\n', "utf-8")
    where = ["--ledger", "ledger.db", "--policy", "policy.toml", "--language", "en"]
    assert main(["leak", "scan", "letters.jsonl", *where]) == 0
    (folder / "other.txt").write_text("Eine Batterie ohne Kobalt lädt in wenigen Minuten, sagt das Büro.", "utf-8")
    (folder / "named.txt").write_text("Eine Batterie, sagt das Büro von Velland, lädt in wenigen Minuten.", "utf-8")
    capsys.readouterr()
    assert main(["leak", "check", "other.txt", *where]) == code
    assert "unknown: most of its telling words" in capsys.readouterr().out
    assert main(["leak", "check", "other.txt", "named.txt", *where]) == 1
    assert main(["leak", "check", "other.txt", *where, "--json"]) == code
    row = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert (row["passes"], row["unknown"]) == (unknown == "warn", True)
