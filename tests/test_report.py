"""The report: what is in it, what never is, and that it stands alone."""

from __future__ import annotations

import csv
import io
import json
import re
from html.parser import HTMLParser
from pathlib import Path

import pytest

from embanon.cli import main
from embanon.report import chart

TEXT = (
    "Ada Berger (born 5 June 1975) is a Norwegian cardiologist at the Velland Clinic. She moved to Bergen in 2003. "
    "Write to ada.berger@velland.example <b>now</b>."
)
SECRETS = ("Berger", "1975", "Velland", "Bergen", "ada.berger")


class Page(HTMLParser):
    """Sees that tags are closed, and keeps them and their attributes."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.seen: list[tuple[str, list[tuple[str, str | None]]]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.append((tag, attrs))
        if tag not in ("meta", "rect", "line"):
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.append((tag, attrs))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


@pytest.fixture
def letter(tmp_path: Path) -> Path:
    (tmp_path / "letter.txt").write_text(TEXT, "utf-8")
    (tmp_path / "protect.jsonl").write_text("Ada Berger\n", "utf-8")
    return tmp_path / "letter.txt"


def report(letter: Path, *words: str) -> str:
    out = letter.parent / "out"
    options = ["--entities", str(letter.parent / "protect.jsonl"), "--language", "en", "-o", str(out)]
    assert main(["report", str(letter), *options, *words]) == 0
    return out.read_text("utf-8")


def test_the_page_stands_alone_and_hides_originals(letter: Path) -> None:
    found = report(letter)
    page = Page()
    page.feed(found)
    assert page.open == []
    assert not {tag for tag, _ in page.seen} & {"script", "link", "img", "iframe", "object"}
    assert not [value for _, attributes in page.seen for name, value in attributes if name in ("src", "href")]
    assert not re.search(r"https?:|@import|url\(", found)
    assert not [secret for secret in SECRETS if secret in found]
    assert "PERSON 1" in found
    assert "&lt;b&gt;now" in found


def test_originals_stand_in_it_only_when_asked_for(letter: Path) -> None:
    found = report(letter, "--show-original")
    assert all(secret in found for secret in SECRETS)
    assert "as secret as the texts" in found


def test_a_table_of_edits(letter: Path) -> None:
    rows = list(csv.DictReader(io.StringIO(report(letter, "--as", "csv"))))
    assert rows[0]["replacement"] == "PERSON 1"
    assert "original" not in rows[0]
    assert all(float(row["replacement_risk"]) < 0.645 for row in rows)


def test_the_numbers(letter: Path) -> None:
    row = json.loads(report(letter, "--as", "json"))
    assert row["risk_before"] == 1.0
    assert row["risk_after"] < row["limit"] == 0.645
    assert row["settings"]["preset"] == "standard"


def test_an_output_that_is_an_input_is_refused(letter: Path) -> None:
    assert main(["report", str(letter), "--protect", "Ada Berger", "-o", str(letter)]) == 2
    assert letter.read_text("utf-8") == TEXT


def test_what_cannot_be_read_writes_nothing(tmp_path: Path) -> None:
    assert main(["report", str(tmp_path / "none.txt"), "--protect", "Ada Berger", "-o", str(tmp_path / "x")]) == 3
    assert not (tmp_path / "x").exists()


def test_a_chart_of_nothing() -> None:
    assert chart(([], []), 0.645).count("<rect") == 20


def test_one_edit_for_several_phrases(tmp_path: Path) -> None:
    text = "Ada Berger lived in Oslo, Stavanger and Trondheim, in Bergen, and in the towns of Molde, Bodø and Narvik."
    (tmp_path / "a.txt").write_text(text, "utf-8")
    out = tmp_path / "out.csv"
    words = ["report", str(tmp_path / "a.txt"), "--protect", "everyone", "--language", "en", "--as", "csv"]
    assert main([*words, "-o", str(out)]) in (0, 1)
    rows = list(csv.DictReader(io.StringIO(out.read_text("utf-8"))))
    assert len(rows) < 8
    assert all(row["why"] for row in rows)
