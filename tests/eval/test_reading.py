"""Sheets for readers, and the ledger of what they found."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from eval.reading import _apart, ledger, main, read_faults, read_key

ROW = {"id": "1", "language": "en", "genre": "letter", "text": "Ada Berger wrote to Mr Kolb. He lives in Graz.",
       "protect": [{"name": "Ada Berger", "type": "PERSON", "aliases": []}]}  # fmt: skip


@pytest.fixture
def data(tmp_path: Path) -> Path:
    for name, rows in (("letters/dev", [ROW]), ("wikibios/gold", []), ("tab/gold", [])):
        path = tmp_path / f"{name}.jsonl.gz"
        path.parent.mkdir()
        path.write_bytes(gzip.compress("".join(json.dumps(row) + "\n" for row in rows).encode()))
    return tmp_path


def test_sheets_are_written_read_and_counted(data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder, systems = tmp_path / "sheets", ("--system", "embanon", "--system", "tags")
    assert main(["sheets", "--data", str(data), "--out", str(folder), "--documents", "1", *systems]) == 0
    key = read_key(folder / "key.tsv")
    assert {row["system"] for row in key} == {"embanon", "tags"}
    sheet = (folder / "en.txt").read_text("utf-8")
    assert "[[1: Ada Berger -> Person 1]]" in sheet
    assert "[PERSON 1]" in sheet
    assert "embanon" not in sheet
    readers = [tmp_path / "one.tsv", tmp_path / "other.tsv"]
    ours = next(row["code"] for row in key if row["system"] == "embanon")
    readers[0].write_text(f"{ours}\t1\tFALSE\tno person\n{ours}\tleft\tDIRECT\n\n")
    readers[1].write_text(f"{ours}\t1\tFALSE\n")
    assert main(["ledger", str(folder), *map(str, readers)]) == 0
    lines = capsys.readouterr().out.splitlines()
    found = next(line.split() for line in lines if line.startswith("embanon, all"))
    assert found[2:] == ["1", "10", "100.0", "0.0", "0.0", "0.0", "100.0", "100.0", *["0.0"] * 6]
    assert "embanon, kappa of each two readers: 1.00" in lines


@pytest.mark.parametrize("line", ["en-01\t1", "en-02\t1\tFALSE", "en-01\t1\tfalse", "no tabs at all"])
def test_a_line_that_is_none_is_told(tmp_path: Path, line: str) -> None:
    path = tmp_path / "faults.tsv"
    path.write_text(f"en-01\t1\tFALSE\n{line}\n")
    with pytest.raises(SystemExit, match="line 2"):
        read_faults(path, frozenset(("en-01",)))


def test_of_places_that_overlap_the_first_and_longest_stays() -> None:
    edits = [(5, 9, "c"), (0, 3, "a"), (0, 6, "b"), (9, 10, "d")]
    assert list(_apart(edits)) == [(0, 6, "b"), (9, 10, "d")]


def test_nothing_read_is_no_fault() -> None:
    row = {"code": "en-01", "system": "x", "language": "en", "genre": "g", "words": "0", "places": "0"}
    assert list(ledger([row], []))[-1] == "x, kappa of each two readers: -"
