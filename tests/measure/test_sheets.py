"""Sheets that people fill in: what stands there, who may read it, and what several people say together."""

from __future__ import annotations

import csv
import json
import re
import stat
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from embanon.errors import InputError
from embanon.measure.formats.ratings import read_sheets
from embanon.measure.sheets import COLUMNS, summarize_ratings

Run = Callable[..., "subprocess.CompletedProcess[str]"]
Row = dict[str, str]

TEXT = "=Ada Berger\nlives in Velland. She is a botanist, and met the mayor of Torland in 1994 \x1b[31mthere."
EDITS = {"Ada Berger": "Person 1", "Velland": "a country", "botanist": "@scientist", "mayor of Torland": "an\nofficial",
         "1994": "the 1990s"}  # fmt: skip
PRIVATE = re.compile("Ada|Berger|Velland|Torland|botanist")


def spans(edits: dict[str, str] = EDITS) -> list[list[Any]]:
    return [[TEXT.index(word), TEXT.index(word) + len(word), "MISC", new] for word, new in edits.items()]


def write(name: str, *rows: Any) -> None:
    Path(name).write_text("".join(json.dumps(row) + "\n" for row in rows))


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, inside: Run) -> Run:
    """Return a function that runs the command in this process, in a folder with an output and originals."""
    monkeypatch.chdir(tmp_path)
    write("in.jsonl", {"id": "1", "text": TEXT}, {"id": "2", "text": "Nothing."})
    write("out.jsonl", {"id": "1", "spans": spans()}, {"id": "2", "spans": []})
    return inside


def sheet(name: str) -> list[Row]:
    with Path(name).open(encoding="utf-8-sig", newline="") as file:
        return list(csv.DictReader(file))


# Making one


def test_a_sheet(here: Run) -> None:
    done = here("sheet", "out.jsonl", "in.jsonl", "-o", "s.csv")
    assert (done.returncode, done.stdout) == (0, "")
    assert done.stderr == (
        "embanon: 4 replacements to rate; the sheet shows originals, keep it as secret as they are\n"
    )
    assert stat.S_IMODE(Path("s.csv").stat().st_mode) == 0o600
    rows = sheet("s.csv")
    assert tuple(rows[0]) == COLUMNS == ("row", "original in context", "replacement", "suitable", "true")
    assert {row["replacement"] for row in rows} == {"a country", "'@scientist", "an official", "the 1990s"}
    assert all((row["suitable"], row["true"]) == ("", "") for row in rows)
    (first,) = (row for row in rows if row["replacement"] == "a country")
    assert first["original in context"] == (
        "'=Ada Berger lives in [[Velland]]. She is a botanist, and met the mayor of Torland in 1994 \ufffd[31mthere."
    )
    assert all(re.fullmatch("r[0-9a-f]{12}", row["row"]) for row in rows)


def test_how_many_and_by_which_chance(here: Run) -> None:
    found = []
    for number, words in enumerate((["--seed", "1"], ["--seed", "1"], ["--seed", "2"], ["--count", "9"])):
        here("sheet", "out.jsonl", "in.jsonl", "-o", f"{number}.csv", "--count", "2", *words)
        found.append([row["row"] for row in sheet(f"{number}.csv")])
    assert found[0] == found[1] != found[2]
    assert [len(some) for some in found] == [2, 2, 2, 4]
    assert set(found[0]) | set(found[2]) <= set(found[3])


def test_originals_of_any_kind(here: Run) -> None:
    write("tab.json", [{"doc_id": "1", "text": TEXT, "annotations": {}}, {"doc_id": "2", "text": "Nothing."}])
    Path("in.csv").write_text(f'id,text\n1,"{TEXT}"\n2,Nothing.\n', newline="")
    write("peers.jsonl", *({"system": name, "spans": {"1": [s[:2] + s[3:] for s in spans()]}} for name in "ab"))
    for originals in ("in.jsonl", "tab.json", "in.csv"):
        assert here("sheet", "out.jsonl", originals, "-o", "s.csv").returncode == 0
        assert len(sheet("s.csv")) == 4
    assert here("sheet", "peers.jsonl", "in.jsonl", "--system", "b", "-o", "s.csv").returncode == 0
    assert len(sheet("s.csv")) == 4


# name: the options, the exit code, what is said
BAD: dict[str, tuple[tuple[str, ...], int, str]] = {
    "no originals": (("out.jsonl", "-o", "s.csv"), 2, "a sheet needs an output and its originals"),
    "no file": (("out.jsonl", "in.jsonl"), 2, "name a file for the sheet: -o sheet.csv"),
    "none": (("out.jsonl", "in.jsonl", "-o", "s.csv", "--count", "0"), 2, "--count must be a number from 1"),
    "over an input": (("out.jsonl", "in.jsonl", "-o", "in.jsonl"), 2, "an output has the name of an input"),
    "which system": (("out.jsonl", "in.jsonl", "-o", "s.csv", "--system", "x"), 2, "must name one of: out"),
    "standard input twice": (("-", "-", "-o", "s.csv"), 2, "- is named more than once"),
    "other originals": (("out.jsonl", "other.jsonl", "-o", "s.csv"), 3, "lacks documents of the output: '2'"),
    "changed originals": (("out.jsonl", "short.jsonl", "-o", "s.csv"), 3, "document '1', span 2: 21-28 lies outside"),
    "nothing to rate": (("tags.jsonl", "in.jsonl", "-o", "s.csv"), 3, "no replacement that says more than a type"),
    "a sheet that is made and read": (("--read", "a.csv", "-o", "s.csv"), 2, "--output makes a sheet"),
    "a sheet twice": (("--read", "a.csv", "b.csv", "./a.csv"), 2, "a.csv: is named twice, and agrees with itself"),
    "a sheet that is not there": (("--read", "a.csv"), 3, "a.csv: no such file"),
}  # fmt: skip


@pytest.mark.parametrize("name", BAD)
def test_what_is_refused(name: str, here: Run) -> None:
    write("other.jsonl", {"id": "1", "text": TEXT})
    write("short.jsonl", {"id": "1", "text": TEXT[:20]}, {"id": "2", "text": "Nothing."})
    write("tags.jsonl", {"id": "1", "spans": spans({"Velland": "[LOC 1]", "Ada Berger": "***"})})
    words, code, message = BAD[name]
    done = here("sheet", *words)
    assert (done.returncode, done.stdout, Path("s.csv").exists()) == (code, "", False)
    assert message in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert not PRIVATE.search(done.stderr)


# Reading them


def filled(
    name: str, suitable: Sequence[str], true: Sequence[str] = (), delimiter: str = ",", codec: str = "utf-8"
) -> str:
    lines = [delimiter.join(COLUMNS)]
    answers = [*true, *[""] * (len(suitable) - len(true))]
    for number, (one, other) in enumerate(zip(suitable, answers, strict=True)):
        lines.append(delimiter.join((f"r{number}", "Geheimnis", "x", one, other)))
    Path(name).write_bytes("\r\n".join(lines).encode(codec))
    return name


def test_what_raters_say_together(here: Run) -> None:
    filled("a.csv", ["yes", "Y", "no", "", "1"], ["ja", "sí", "nein", "não", "TRUE"])
    filled("b.csv", [" no", "yes", "no ", "yes", "?"], ["x", "s", "n", "n", "falsch"], ";", "utf-8-sig")
    filled("c.tsv", ["yes", "yes", "0", "no", "no"], ["yes", "yes", "no", "no", "yes"], "\t", "utf-16")
    done = here("sheet", "--read", "a.csv", "b.csv", "--json")
    suitable, true = map(json.loads, done.stdout.splitlines())
    # Both rated three: yes/no, yes/yes, no/no; agreement 2/3, by chance 2/3·1/3 + 1/3·2/3 = 4/9.
    assert suitable == {
        "question": "suitable", "raters": 2, "rows": 5, "missing": 2, "share": 0.625, "low": suitable["low"],
        "high": suitable["high"], "kappa": 0.4, "agreement": 0.6667, "of": "Cohen",
        "alpha": 0.4444,
    }  # fmt: skip
    assert suitable["low"] < 0.625 < suitable["high"]
    assert (true["share"], true["missing"], true["agreement"]) == (0.5, 0, 0.8)
    suitable, true = map(json.loads, here("sheet", "--read", "a.csv", "b.csv", "c.tsv", "--json").stdout.splitlines())
    assert (suitable["of"], suitable["raters"], suitable["missing"]) == ("Fleiss", 3, 2)
    assert true["kappa"] == pytest.approx(1 - (2 / 15) / (1 - (8 / 15) ** 2 - (7 / 15) ** 2), abs=1e-4)


def test_a_table(here: Run) -> None:
    filled("a.csv", ["yes", "yes"])
    done = here("sheet", "--read", "a.csv")
    assert [line.split() for line in done.stdout.splitlines()[1:]] == [
        ["suitable", "1.000", "0.342-1.000", "1", "2", "0", "of", "2"], ["true", "-", "1", "2", "2", "of", "2"],
    ]  # fmt: skip
    filled("b.csv", ["yes", "yes"])
    done = here("sheet", "--read", "a.csv", "b.csv")
    assert done.stdout.splitlines()[1].split()[-4:] == ["1.000", "-", "Cohen's", "-"]  # nobody could disagree


def test_a_sheet_goes_round(here: Run) -> None:
    here("sheet", "out.jsonl", "in.jsonl", "-o", "s.csv")
    Path("t.csv").write_bytes(Path("s.csv").read_bytes())
    (suitable, true) = summarize_ratings(read_sheets(["s.csv", "t.csv"]))
    assert (suitable.rows, suitable.missing, suitable.share, true.bounds) == (4, 8, None, None)


def test_rows_that_a_rater_left_out_are_not_rated(here: Run) -> None:
    filled("a.csv", ["yes", "no", "yes"])
    filled("b.csv", ["yes", "no"])
    assert next(summarize_ratings(read_sheets(["a.csv", "b.csv"]))).missing == 1
    assert next(summarize_ratings(read_sheets(["b.csv", "a.csv"]))).missing == 1
    Path("c.csv").write_text("row,suitable,true\nr0,yes,\nother,no,\n")
    with pytest.raises(
        InputError, match=r"c\.csv: has rows that a\.csv lacks \(1\); give all raters copies of one sheet"
    ):
        read_sheets(["c.csv", "a.csv"])


# name: the sheet, what is said
BAD_SHEETS = {
    "empty": ("", "x.csv: is empty"),
    "only a header": (",".join(COLUMNS), "x.csv: has no row; make a sheet"),
    "another table": ("id,text\n1,Geheimnis", "x.csv: has no column 'row'; its columns are: id, text"),
    "another word": ("row,suitable,true\nr1,Geheimnis,", "line 2, column 'suitable': must be yes or no, or empty"),
    "no row": ("row,suitable,true\n,yes,", "line 2: column 'row' is empty"),
    "a row twice": ("row,suitable,true\nr1,yes,\nr1,no,", "line 3: has a row that is there already"),
    "too few fields": ("row,suitable,true\nr1,yes", "line 2: has 2 fields, and the header has 3"),
    "an open quote": ('row,suitable,true\nr1,"yes,', "its quotes do not match"),
    "no text": ("\x00\x01", "is not text"),
}


@pytest.mark.parametrize("name", BAD_SHEETS)
def test_bad_sheets(name: str, here: Run) -> None:
    content, message = BAD_SHEETS[name]
    Path("x.csv").write_text(content)
    done = here("sheet", "--read", "x.csv")
    assert (done.returncode, done.stdout) == (3, "")
    assert message in done.stderr
