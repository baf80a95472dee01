"""Agreement of people who marked the same texts: counted by hand, and where nobody could disagree."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from eval.annotators import main

TEXT = "Ada Berger met Bob in Graz. She left."


def entry(words: str, type: str, identifier: str = "DIRECT") -> dict[str, Any]:
    start = TEXT.index(words)
    return {
        "entity_type": type, "entity_mention_id": f"m{start}", "start_offset": start, "end_offset": start + len(words),
        "span_text": words, "identifier_type": identifier, "entity_id": f"e{start}", "edit_type": "check",
    }  # fmt: skip


def write(path: Path, *texts: dict[str, list[dict[str, Any]]]) -> str:
    rows = [
        {"doc_id": str(number), "text": TEXT, "annotations": {
            name: {"entity_mentions": mentions} for name, mentions in text.items()
        }}
        for number, text in enumerate(texts)
    ]  # fmt: skip
    path.write_text(json.dumps(rows))
    return str(path)


def table(capsys: pytest.CaptureFixture[str]) -> dict[str, list[str]]:
    lines = capsys.readouterr().out.splitlines()
    return {line[:24].strip(): line[24:].split() for line in lines[3:]}


ADA, PART = entry("Ada Berger", "PERSON"), entry("Berger", "PERSON")
GRAZ, KEPT = entry("Graz", "LOC"), entry("Graz", "LOC", "NO_MASK")


def test_two_annotators(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([write(tmp_path / "gold.json", {"a": [ADA, GRAZ], "b": [PART, GRAZ]})]) == 0
    found = table(capsys)
    # Of 8 words one is masked by one alone: 3 and 2 of 8, by chance 3·2 + 5·6 of 64.
    observed, chance = 7 / 8, (3 * 2 + 5 * 6) / 64
    assert found["words, masked"][:3] == ["8", "0.875", f"{(observed - chance) / (1 - chance):.3f}"]
    assert found["stretches, exactly"][:2] == ["2", "0.500"]
    exact, masi, jaccard = (float(found[f"stretches, {name}"][-1]) for name in ("exactly", "MASI", "Jaccard"))
    assert exact < masi < jaccard < 1


def test_three_annotators_of_whom_one_has_not_seen_all(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    texts = {"a": [ADA, GRAZ], "b": [ADA, KEPT], "c": [ADA, GRAZ]}, {"a": [ADA], "b": []}
    assert main([write(tmp_path / "gold.json", *texts)]) == 0
    found = table(capsys)
    assert found["words, masked"][0] == "16"
    assert found["words, masked"][1] == f"{(7 + 1 / 3) / 8:.3f}"  # of the first text alone, which all have seen
    assert found["stretches, MASI"][1:3] == ["-", "-"]


def test_one_annotator_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SystemExit, match="have one annotator; name gold of several"):
        main([write(tmp_path / "gold.json", {"a": [ADA]})])


def test_files_that_are_not_there_are_named() -> None:
    with pytest.raises(SystemExit, match=r"nowhere\.json: no such file"):
        main(["nowhere.json"])
