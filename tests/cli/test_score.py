"""`embanon score`, `entities` and `doctor`: what they write and never write, what they refuse, and how they end."""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import SECRET

Done = subprocess.CompletedProcess[str]
Run = Callable[..., Done]

TEXT = "Ada Berger is an actress. She won a prize in Velland in 1994. Ben Marsk is a chemist. He met Berger."
PLAIN = "Ada Berger wrote about the old mill and the garden in Paris. She praised the steam engine of the city."
FOREIGN = "Ada Berger " + " ".join(f"zor{chr(97 + number)}ax" for number in range(26)) + "."
PUBLIC = [
    {"name": "Ada Berger", "text": "Ada Berger, an actress of Velland, took a prize in 1994. She sings in Torland."},
    {"title": "Ben Marsk", "text": "Ben Marsk is a chemist in Torland; he studies enzymes and acids there."},
    {"name": "Cora Imbry", "text": "Cora Imbry is a sailor who crossed the ocean on a raft, in a storm."},
]  # fmt: skip
KEYS = ["id", "risk", "anonymity", "phrases", "unknown", "embanon"]
PHRASE_KEYS = ["start", "end", "type", "risk", "entity", "why", "identifier", "confidential"]


def lines(path: Path, *rows: Any) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, inside: Run) -> Run:
    """Return a function that runs the command in this process, in a folder with some texts."""
    work = tmp_path / "work"
    work.mkdir()
    monkeypatch.chdir(work)
    (work / "t.txt").write_text(TEXT)
    (work / "plain.txt").write_text(PLAIN)
    (work / "e").write_text("Ada Berger\n")
    (work / "bad.txt").write_bytes(b"\xff" + SECRET.encode())
    lines(work / "b.jsonl", *PUBLIC)
    rows = [{"id": "1", "text": TEXT, "protect": ["Ada Berger"], "who": "Ben Marsk"},
            {"id": "2", "text": TEXT, "protect": "everyone", "who": []}]  # fmt: skip
    lines(work / "l.jsonl", *rows)
    return inside


def rows(done: Done) -> list[dict[str, Any]]:
    return [json.loads(line) for line in done.stdout.splitlines()]


# What is written


def test_the_contract(here: Run, letters: Path) -> None:
    for more in ([], ["--model", letters], ["--background", "b.jsonl"], ["--preset", "maximal"]):
        done = here("score", "t.txt", "--entities", "e", "--json", *more)
        assert done.returncode == 0
        (row,) = rows(done)
        assert list(row) == KEYS
        assert row["id"] == "t.txt"
        assert row["unknown"] == sum(one["risk"] is None for one in row["phrases"]) == 1
        assert row["risk"] == 1
        for one in row["phrases"]:
            assert list(one) == PHRASE_KEYS
            assert one["entity"] in ("e1", None)
            assert one["why"].keys() >= {"kind", "rarity", "documents", "attribution", "inherited"}
        told = [TEXT[one["start"] : one["end"]] for one in row["phrases"] if one["risk"] == 1]
        assert told[0] == "Ada Berger"
        assert told[-1] == "Berger"
        assert not re.search(r"Ada|Berger|Velland|actress|Marsk|NaN", done.stdout)
    assert rows(here("score", "t.txt", "--entities", "e", "--json"))[0]["anonymity"] is None


def test_originals_only_when_asked(here: Run) -> None:
    (row,) = rows(here("score", "t.txt", "--entities", "e", "--json", "--show-original"))
    for one in row["phrases"]:
        assert list(one) == [*PHRASE_KEYS, "text", "name"]
        assert one["text"] == TEXT[one["start"] : one["end"]]
        assert one["name"] == {"e1": "Ada Berger", None: None}[one["entity"]]
    (row,) = rows(here("score", "t.txt", "--protect", "everyone", "--json", "--show-original"))
    assert {one["name"] for one in row["phrases"]} == {None}


def test_a_line_a_document(here: Run) -> None:
    done = here("score", "l.jsonl", "--json", "--protect-field", "who")
    first, second = rows(done)
    assert (done.returncode, first["id"], second["id"]) == (0, "1", "2")
    assert {one["entity"] for one in first["phrases"]} == {"e1", "e2"}
    named = [TEXT[one["start"] : one["end"]] for one in second["phrases"] if one["why"]["named"]]
    assert named == ["Ada Berger", "Ben Marsk", "Berger"]


def test_a_table(here: Run, letters: Path) -> None:
    done = here("score", "t.txt", "--entities", "e", "--others", "keep")
    table = done.stdout.splitlines()
    assert (done.returncode, table[0]) == (0, "== t.txt (en)")
    assert re.fullmatch(r"1\.00 +PERSON +e1 +Ada Berger +names e1; .*", table[2])
    assert re.fullmatch(r"unknown +(?:LOC|MISC) +e1 +Velland +nothing is known .*", table[3])
    assert re.search(r"\d of 8 phrases at or above 0\.5; 1 unknown; risks from 0 to 1: \|", done.stdout)
    assert table[-1].startswith("rarity is that of the language at large")
    assert "Marsk" not in done.stdout
    masked = here("score", "t.txt", "--entities", "e").stdout
    assert re.search(r"\d of 8 phrases at or above 0\.5; 1 unknown", masked)
    assert re.search(r"\n[01]\.\d\d +PERSON +e1 +Ben Marsk +", masked)
    assert "language at large" not in here("score", "t.txt", "--entities", "e", "--model", letters).stdout
    (Path("none.txt")).write_text("")
    done = here("score", "none.txt", "--entities", "e")
    assert (done.returncode, "0 of 0 phrases" in done.stdout) == (1, True)


def test_limits_and_presets(here: Run) -> None:
    counts = []
    for words in (["--limit", "1"], [], ["--preset", "strict"], ["--preset", "maximal"], ["--limit", "0.001"]):
        found = re.search(r"(\d+) of (\d+) phrases", here("score", "t.txt", "--entities", "e", *words).stdout)
        assert found
        counts.append(int(found[1]))
    assert counts == sorted(counts)
    assert len(set(counts)) > 2


def test_a_view(here: Run) -> None:
    done = here("score", "t.txt", "--entities", "e", "--others", "keep", "--view")
    legend, head, text, *rest = done.stdout.split("\n")
    assert (done.returncode, legend, head, rest) == (0, "[phrase]RISK of 100", "== t.txt (en)", [""])
    assert text.startswith("[Ada Berger]100 is an [actress]")
    assert re.search(r"\[Velland\]100 in \[1994\][5-9]\d\. \[Ben Marsk\]0 is a", text)
    assert re.sub(r"\[(.*?)\]\d+", r"\1", text) == TEXT
    done = here("score", "t.txt", "--entities", "e", "--view")
    assert re.search(r"\. \[Ben Marsk\](?:[5-9]\d|100) is a", done.stdout)
    done = here("score", "t.txt", "--entities", "e", "--view", "--color", "always")
    assert re.sub(r"\x1b\[[\d;]*m", "", done.stdout.split("\n", 2)[2]) == TEXT + "\n"
    assert "\x1b[30;48;5;203mAda Berger\x1b[0m" in done.stdout


def test_a_text_cannot_command_the_terminal(here: Run) -> None:
    Path("evil.txt").write_bytes(b"Ada Berger saw \x1b[31mVelland\x1b[0m and\nOld\nTorland.\r\n")
    for words in ([], ["--view"], ["--explain", "Velland"], ["--json", "--show-original"]):
        assert "\x1b" not in here("score", "evil.txt", "--entities", "e", *words).stdout
    text = here("score", "evil.txt", "--entities", "e", "--view", "--color", "always").stdout
    assert not re.search(r"\x1b(?!\[(30;48;5;\d+|0)m)", text)


def test_an_explanation(here: Run) -> None:
    done = here("score", "t.txt", "--entities", "e", "--others", "keep", "--explain", "The CHEMIST")
    assert done.returncode == 0
    assert re.fullmatch(
        r"== t\.txt \(en\)\n77-84  chemist  \(DEM\)\n  risk 0\.\d\d: .* hardly speaks of e1 of 2 here \(0\.0\d\)\n"
        r"  power 0\.\d\d, attribution 0\.\d\d\n", done.stdout)  # fmt: skip
    whoever = here("score", "t.txt", "--entities", "e", "--explain", "chemist").stdout
    assert re.search(r"chemist .*\n  risk 0\.\d\d: (may be|hardly|reads as) what identifies \(0\.\d\d\)\n", whoever)
    assert "risk unknown: nothing is known" in here("score", "t.txt", "--entities", "e", "--explain", "velland").stdout
    assert here("score", "t.txt", "--entities", "e", "--explain", "Berger").stdout.count("names e1") == 2
    for none in ("", " ", SECRET):
        assert here("score", "t.txt", "--entities", "e", "--explain", none).stdout == "== t.txt (en)\nno such phrase\n"


def test_an_attacker(here: Run) -> None:
    (row,) = rows(here("score", "t.txt", "--entities", "e", "--background", "b.jsonl", "--json"))
    attack = row["anonymity"]
    assert list(attack) == ["rank", "effective", "candidates", "probability", "bounds", "masked"]
    assert (attack["rank"], attack["candidates"]) == (1, 3)
    assert attack["masked"]["rank"] >= 1
    done = here("score", "t.txt", "--entities", "e", "--background", "b.jsonl")
    assert "an attacker with the background: as it is: rank 1 of 3, as among " in done.stdout
    raised = here("score", "t.txt", "--entities", "e", "--background", "b.jsonl", "--anonymity", "2", "--json")
    (more,) = rows(raised)
    behind = more["anonymity"]["masked"]["rank"] > 1
    assert raised.returncode == (not behind)
    assert behind or raised.stderr.endswith("t.txt: not behind rank 2: words outside its phrases give it away\n")
    assert here("score", "t.txt", "--entities", "e", "--background", "b.jsonl", "--anonymity", "1").returncode == 0
    for before, after in zip(row["phrases"], more["phrases"], strict=True):
        assert before["risk"] == after["risk"] or (after["risk"] == 0.5 and after["why"]["linked"])
    assert any(one["why"]["linked"] for one in more["phrases"])


def test_an_attacker_who_does_not_know_the_entity(here: Run) -> None:
    done = here("score", "plain.txt", "--protect", "Zita Orlan", "--background", "b.jsonl", "--json")
    assert rows(done)[0]["anonymity"] is None
    done = here("score", "t.txt", "--protect", "Marsk", "--background", "b.jsonl", "--anonymity", "1")
    assert (done.returncode, "not behind rank 1: the background has no text about" in done.stderr) == (1, True)


# How it ends


def test_what_ends_with_1(here: Run) -> None:
    done = here("score", "plain.txt", "--protect", SECRET, "--protect", "Ada Berger")
    assert (done.returncode, done.stderr) == (
        1,
        "embanon: warning: plain.txt: does not name e1; check the spelling, or add aliases\n",
    )
    done = here("score", "plain.txt", "--protect", SECRET)
    assert done.returncode == 1
    assert done.stderr.endswith(
        "does not name e1: scored as if all of it were about them; check the spelling, or add aliases\n"
    )
    lines(Path("n.jsonl"), {"id": "7", "text": PLAIN, "protect": [SECRET]})
    assert "warning: n.jsonl, 7: does not name e1" in here("score", "n.jsonl").stderr
    for limit, code in (("1", 1), ("0.5", 1)):
        assert here("score", "t.txt", "--entities", "e", "--fail-above", limit).returncode == code
    Path("harmless.txt").write_text("Nothing at all.")
    assert here("score", "harmless.txt", "--protect", "everyone", "--fail-above", "0.9").returncode == 0


MISTAKES: dict[str, tuple[str, int, str]] = {
    "nobody": ("t.txt", 2, "nobody to protect is given"),
    "empty entities": ("t.txt --entities {empty}", 2, "names nobody to protect"),
    "no entities": ("t.txt --entities {none}", 3, "no such file"),
    "bad entities": ("t.txt --entities bad.txt", 3, "is not UTF-8"),
    "a name of signs": ("t.txt --protect ?", 3, "must have a letter or digit"),
    "limit 0": ("t.txt --entities e --limit 0", 2, "--limit must be above 0, and at most 1"),
    "limit 2": ("t.txt --entities e --limit 2", 2, "--limit must be"),
    "limit -1": ("t.txt --entities e --limit -1", 2, "--limit must be"),
    "limit nan": ("t.txt --entities e --limit nan", 2, "--limit must be"),
    "limit word": ("t.txt --entities e --limit x", 2, "invalid float value"),
    "attribution": ("t.txt --entities e --attribution-limit 1.1", 2, "score.attribution_limit must be from 0 to 1"),
    "preset": ("t.txt --entities e --preset lax", 2, "invalid choice"),
    "scorer": ("t.txt --entities e --scorer x", 2, "invalid choice"),
    "cosine": ("t.txt --entities e --scorer cosine", 2, "cosine needs vectors"),
    "fail above": ("t.txt --entities e --fail-above 1.5", 2, "--fail-above must be from 0 to 1"),
    "fail nan": ("t.txt --entities e --fail-above nan", 2, "--fail-above must be from 0 to 1"),
    "anonymity": ("t.txt --entities e --anonymity 2", 2, "--anonymity needs public text"),
    "negative": ("t.txt --entities e --background b.jsonl --anonymity -1", 2, "must be a rank from 1"),
    "too many": ("t.txt --entities e --background b.jsonl --anonymity 3", 2, "nobody can be behind rank 3 of 3"),
    "one candidate": ("t.txt --entities e --background {one}", 2, "at least two candidates"),
    "bad background": ("t.txt --entities e --background bad.txt", 3, "is not UTF-8"),
    "no background": ("t.txt --entities e --background {none}", 3, "no such file"),
    "no model": ("t.txt --entities e --model {none}", 3, "{none}"),
    "folder as model": ("t.txt --entities e --model {folder}", 3, "{folder}"),
    "file as model": ("t.txt --entities e --model t.txt", 3, "t.txt"),
    "stdin twice": ("- --entities - --json", 2, "named more than once"),
    "two views": ("t.txt --entities e --json --view", 2, "not allowed with"),
    "encoding": ("t.txt --entities e --encoding klingon", 2, "unknown"),
    "field": ("l.jsonl --protect-field whom", 3, "1: key 'whom' of --protect-field is missing"),
    "no text": ("{none} --entities e", 3, "no such file"),
    "not text": ("bad.txt --entities e", 3, "is not UTF-8"),
    "config preset": ("t.txt --entities e --config {preset}", 2, "score.preset must be one of standard"),
    "config limit": ("t.txt --entities e --config {limit}", 2, "score.limit must be above 0"),
    "config scorer": ("t.txt --entities e --config {scorer}", 2, "score.scorer must be one of risk, cosine"),
    "config attribution": ("t.txt --entities e --config {attribution}", 2, "score.attribution_limit must be from 0"),
    "config type": ("t.txt --entities e --config {type}", 2, "score.limit"),
    "config key": ("t.txt --entities e --config {key}", 2, "limit"),
    "config cosine": ("t.txt --entities e --config {cosine}", 2, "cosine needs vectors"),
}  # fmt: skip
CONFIGS = {
    "preset": "preset = 'lax'", "limit": "limit = 1.5", "scorer": f"scorer = '{SECRET}'", "key": "limt = 0.5",
    "attribution": "attribution_limit = -0.1", "type": "limit = 'high'", "cosine": "scorer = 'cosine'",
}  # fmt: skip


@pytest.mark.parametrize("name", MISTAKES)
def test_mistakes(name: str, here: Run, tmp_path: Path) -> None:
    words, code, message = MISTAKES[name]
    places = {name: tmp_path / f"{name}.toml" for name in CONFIGS} | {
        "none": tmp_path / "none", "folder": tmp_path / "folder", "empty": tmp_path / "empty", "one": tmp_path / "one",
    }  # fmt: skip
    for config, text in CONFIGS.items():
        places[config].write_text(f"[score]\n{text}\n")
    places["folder"].mkdir()
    places["empty"].write_text("\n")
    lines(places["one"], PUBLIC[0])
    done = here("score", *words.format(**places).split())
    assert (done.returncode, done.stdout) == (code, ""), done.stderr
    assert message.format(**places) in done.stderr
    assert SECRET not in done.stderr


def test_settings_of_a_file(here: Run) -> None:
    Path("embanon.toml").write_text("[score]\npreset = 'strict'\n")
    assert "at or above 0.2;" in here("score", "t.txt", "--entities", "e").stdout
    assert "at or above 0.9;" in here("score", "t.txt", "--entities", "e", "--limit", "0.9").stdout


def test_what_can_be_read_is_done(here: Run) -> None:
    done = here("score", "t.txt", "bad.txt", "none.txt", "plain.txt", "--entities", "e", "--json")
    assert done.returncode == 3
    assert [row["id"] for row in rows(done)] == ["t.txt", "plain.txt"]
    assert len(done.stderr.splitlines()) == 2
    done = here("score", "plain.txt", "l.jsonl", "--json")
    assert (done.returncode, [row["id"] for row in rows(done)]) == (2, ["1", "2"])


@pytest.mark.parametrize(("value", "code"), [([5], 3), ("", 3), ([], 2), (None, 2)])
@pytest.mark.parametrize("piped", [False, True])
def test_nothing_is_written_of_a_file_with_a_bad_line(value: Any, code: int, piped: bool, here: Run) -> None:
    path = lines(Path("x.jsonl"), {"id": "1", "text": TEXT, "protect": [SECRET]},
                 {"id": "2", "text": TEXT, "protect": value})  # fmt: skip
    if piped:
        done = here("score", "-", "--format", "jsonl", "--json", stdin=path.read_bytes())
    else:
        done = here("score", path, "--json")
    assert (done.returncode, done.stdout) == (code, "")
    assert SECRET not in done.stderr


def test_standard_input(here: Run) -> None:
    done = here("score", "-", "--entities", "e", "--json", stdin=TEXT.encode())
    assert (done.returncode, rows(done)[0]["id"]) == (0, "-")
    done = here("score", "t.txt", "--entities", "-", "--json", stdin=b"Ada Berger\n")
    assert done.stdout == here("score", "t.txt", "--entities", "e", "--json").stdout
    piped = here("score", "-", "--format", "jsonl", "--json", stdin=Path("l.jsonl").read_bytes())
    assert piped.stdout == here("score", "l.jsonl", "--json").stdout


def test_a_model_that_does_not_know_the_words(here: Run, letters: Path) -> None:
    Path("f.txt").write_text(FOREIGN)
    done = here("score", "f.txt", "--entities", "e", "--model", letters, "--json", "--language", "en")
    assert re.search(
        r"warning: f\.txt: the model does not know 9\d% of the words; .*; low risks mean little", done.stderr
    )
    assert here("score", "plain.txt", "--entities", "e", "--model", letters, "--json").stderr == ""


def test_cosines(here: Run, letters: Path) -> None:
    done = here("score", "plain.txt", "--entities", "e", "--model", letters, "--scorer", "cosine", "--json")
    (row,) = rows(done)
    assert (done.returncode, row["phrases"][0]["risk"]) == (0, 1)
    assert all(one["risk"] is None or 0 <= one["risk"] <= 1 for one in row["phrases"])


# Entities


def test_entities_are_what_score_reads(here: Run) -> None:
    done = here("entities", "t.txt", "l.jsonl", "--all")
    first, *more = rows(done)
    assert done.returncode == 0
    scores = [one.pop("score") for one in first["protect"]]
    assert first["id"] == "t.txt"
    assert first["protect"][0] == {"name": "Ada Berger", "aliases": ["Berger"], "type": "PERSON", "rank": 1}
    assert {"Ben Marsk"} <= {one["name"] for one in first["protect"] if one["type"] == "PERSON"}
    assert [one["rank"] for one in first["protect"]] == list(range(1, len(scores) + 1))
    assert 1 >= scores[0] > 0.5 > scores[1] >= 0
    (likely,) = rows(here("entities", "t.txt"))
    assert [one["name"] for one in likely["protect"]] == ["Ada Berger"]
    assert [row["id"] for row in more] == ["1", "2"]
    Path("found").write_text(done.stdout)
    done = here("score", "t.txt", "l.jsonl", "--entities", "found", "--json")
    assert (done.returncode, done.stderr) == (0, "")
    assert all({one["entity"] for one in row["phrases"]} >= {"e1", "e2"} for row in rows(done)[:2])


@pytest.mark.parametrize(
    ("text", "names", "every"),
    [
        (
            "Ada Berger is a baker. She once met Ben Marsk. Later Ada Berger left.",
            ["Ada Berger"],
            ["Ada Berger", "Ben Marsk"],
        ),
        ("Nothing happened in Velland.", [], []),
        ("", [], []),
        ("Ada\tBerger came. Ada\nBerger left. \x1b[31mAda Berger.", ["Ada Berger"], ["Ada Berger"]),
    ],
)  # fmt: skip
def test_entities_of(text: str, names: list[str], every: list[str], here: Run) -> None:
    Path("x.txt").write_text(text)
    for words, expected in (([], names), (["--all"], every)):
        done = here("entities", "x.txt", *words)
        assert done.returncode == (not expected)
        assert len(done.stdout.splitlines()) == 1
        assert [one["name"] for one in rows(done)[0]["protect"]] == expected
        Path("found").write_text(done.stdout)
        assert here("score", "x.txt", "--entities", "found", "--json").returncode == (0 if expected else 2)


def test_entities_of_what_cannot_be_read(here: Run) -> None:
    done = here("entities", "bad.txt", "t.txt")
    assert (done.returncode, len(rows(done))) == (3, 1)
    assert SECRET not in done.stderr
    assert rows(here("entities", "-", stdin=TEXT.encode()))[0]["id"] == "-"


# Doctor


def test_doctor(here: Run, letters: Path) -> None:
    Path("f.txt").write_text(FOREIGN)
    done = here("doctor", "plain.txt", "--model", letters)
    assert (done.returncode, done.stderr) == (0, "")
    assert re.search(r"^fit +yes$", done.stdout, re.MULTILINE)
    done = here("doctor", "f.txt", "--model", letters, "--language", "en")
    assert done.returncode == 1
    assert re.search(r"^fit +the model does not know 9\d% of the words; train one", done.stdout, re.MULTILINE)
    assert "zor" not in done.stdout
    assert here("doctor", "plain.txt", "--model", letters, "--language", "de").returncode == 1


def test_doctor_as_json(here: Run, letters: Path) -> None:
    done = here("doctor", "plain.txt", "bad.txt", "t.txt", "--model", letters, "--json")
    first, _ = rows(done)
    assert done.returncode == 3
    assert list(first) == ["id", "fit", "words", "strange", "steps", "language", "spoken", "same"]
    assert (first["id"], first["fit"], first["spoken"]) == ("plain.txt", True, "en")


def test_doctor_without_a_model(here: Run, tmp_path: Path) -> None:
    done = here("doctor", "plain.txt", "--model", tmp_path / "none")
    assert (done.returncode, done.stdout) == (3, "")
    assert str(tmp_path / "none") in done.stderr


def test_help_has_examples(here: Run) -> None:
    for command in ("score", "entities", "doctor"):
        done = here(command, "--help")
        assert (done.returncode, "examples:" in done.stdout) == (0, True)
