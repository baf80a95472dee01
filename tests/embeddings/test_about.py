"""Learning of whom documents are about: which candidates are right, and a whole run on documents made up."""

from __future__ import annotations

import gzip
import json
import tomllib
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from embanon.entities import Candidate
from embeddings.build.about import (
    Case,
    build_cases,
    choose_sharpness,
    fit,
    is_right,
    main,
    mentions_of,
    read_letters,
    to_toml,
)

NAMES = ("Ada Berger", "Ruth Velland", "Emma Tolland", "Clara Orrin", "Nora Tarn", "Lucy Marsk")


def letter(number: int) -> dict[str, Any]:
    name, doctor = NAMES[number % len(NAMES)], "Peter Kolb"
    text = f"Patient: {name}, born 1962\nDoctor: Dr. {doctor}\n\n{name} was admitted in May.\n\nDr. {doctor}\n"
    mentions = []
    for entity, written in (("patient", name), ("doctor", doctor)):
        at = text.find(written)
        while at >= 0:
            mentions.append({"start": at, "end": at + len(written), "type": "PERSON", "entity": entity})
            at = text.find(written, at + 1)
    protect = [{"name": name, "type": "PERSON", "aliases": []}]
    return {
        "id": f"{number}", "language": "en", "genre": f"genre {number % 6}", "text": text, "protect": protect,
        "mentions": mentions,
    }  # fmt: skip


def test_right() -> None:
    row = letter(0)
    own, others = mentions_of(row, row["protect"][0])
    assert [row["text"][slice(*span)] for span in own] == ["Ada Berger"] * 2
    assert [row["text"][slice(*span)] for span in others] == ["Peter Kolb"] * 2
    assert is_right(Candidate("PERSON", tuple(own), ("Ada Berger",)), own, others, row["protect"][0])
    assert not is_right(Candidate("PERSON", tuple(others), ("Peter Kolb",)), own, others, row["protect"][0])
    assert is_right(Candidate("PERSON", ((0, 3),), ("ada berger",)), [], others, row["protect"][0])
    assert [case.right.sum() for case in build_cases([row])] == [1]


def test_fit() -> None:
    """What only the right one has weighs more than nothing, what only the wrong one has less."""
    rows, right = np.array([[1.0, 0.0], [0.0, 1.0]]), np.array([1.0, 0.0])
    weights = fit([rows] * 20, [right] * 20)
    assert weights[0] > 0 > weights[1]
    case = Case("en", "", "one person", (), right)
    assert choose_sharpness([case], [rows @ weights]) > 1
    assert tomllib.loads(to_toml(["“a”, share", "b"], weights))["weights"].keys() == {"“a”, share", "b"}


def test_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = [letter(number) for number in range(24)]
    rows.append({**letter(0), "protect": "everyone"})
    path = tmp_path / "letters.jsonl.gz"
    path.write_bytes(gzip.compress("\n".join(map(json.dumps, rows)).encode()))
    assert len(read_letters([path])) == 24
    out = tmp_path / "weights.toml"
    assert main(["--letters", str(path), "--test", str(path), "--out", str(out)]) == 0
    written = capsys.readouterr().out
    assert written.startswith("24 documents, 6 genres")
    assert "one person         24   1.000   1.000" in written
    first = out.read_text("utf-8")
    assert tomllib.loads(first)["weights"]["patient right before"] > 0
    main(["--letters", str(path), "--out", str(out)])
    assert out.read_text("utf-8") == first
