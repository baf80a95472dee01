"""Pages have the figures of the committed results: each is a reference of a template to a cell of one."""

from __future__ import annotations

import re
from decimal import Decimal
from pathlib import Path

import pytest

from embanon.errors import DataError
from eval.figures import README, REFERENCE, RESULTS, TEMPLATES, figure, fill, renew, written

ALLOWED = {
    r"\bF1\b": "the name of a measure",
    r"\b4-grams\b": "the name of an attacker",
    r"\bBM25\b": "the name of an attacker",
    r"\bword2vec\b": "the name of a peer",
    r"\bt = 0\.25": "the limit that a peer was published with",
    r"\([\d,]+(?: spans)?\)": "how many gold spans a set has, which does not depend on a run",
}
"""Digits that are no figures."""

JUDGED = {"reading", "replaced", "truth", "wikidata_ladders"}
"""Results that people have to read first: made as their modules say."""

RESULT = """\
Machine 1; Python 3.11

First heading

            P     R    95 %
set one    every  0.500 .5 [0.400, 0.600]
           strict 1,234.5 0.0005 12
set two    every  0.700
           strict: 0.9
           strict 0.8

Second heading, 12

set one    7,000 ms (bar 0.5)
set three  84x, 10,000 of 10,000 done -0.25
"""


@pytest.fixture
def results(tmp_path: Path) -> Path:
    (tmp_path / "some.txt").write_text(RESULT, encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize("page", TEMPLATES, ids=lambda page: page.name)
def test_a_page_has_the_figures_of_the_results(page: Path) -> None:
    assert renew(page, TEMPLATES[page]) == page.read_text(encoding="utf-8"), "run: make readme"


def test_no_figure_is_written_by_hand() -> None:
    text = "".join(template.read_text(encoding="utf-8") for template in TEMPLATES.values())
    rest = re.sub("`[^`]+`", "", REFERENCE.sub("", text))
    for pattern in ALLOWED:
        assert re.search(pattern, rest), f"{pattern} is allowed and not there"
        rest = re.sub(pattern, "", rest)
    assert [line for line in rest.splitlines() if re.search(r"\d", line)] == []


def template(folder: Path, text: str) -> Path:
    path = folder / "figures.md"
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("reference", "value"),
    [
        ("some.txt: First heading / set one / every / 1", "0.500"),
        ("some.txt: First heading / set one every / 2", "0.400"),
        ("some.txt: First heading / set one / strict / 1", "1,234.5"),
        ("some.txt: First heading / set one / strict / 1 | -3", "1,000"),
        ("some.txt: First heading / set one / strict / 2 | 2 e2", "0.05"),
        ("some.txt: First heading / set one / strict / 3 | 1", "12.0"),
        ("some.txt: First heading / set two / strict / 1", "0.8"),
        ("some.txt: set two / strict: / 1", "0.9"),
        ("some.txt: set two / strict: / 1 | 0 e2", "90"),
        ("some.txt: Second heading, / 1", "12"),
        ("some.txt: Second heading, / set one / 1 | 1 e-3", "7.0"),
        ("some.txt: Second heading, / set one / 2", "0.5"),
        ("some.txt: set three / 1", "84"),
        ("some.txt: set three / 4", "-0.25"),
        ("some.txt: … done / 2", "10,000"),
        ("some.txt: … done / 1", "84"),
        ("some.txt: Machine / 2", "3.11"),
    ],
)
def test_a_reference_gives_a_figure(reference: str, value: str, results: Path) -> None:
    assert fill(template(results, f"It is {{{reference}}} here."), results) == f"It is {value} here."


@pytest.mark.parametrize(
    ("reference", "message"),
    [
        ("other.txt: set one / 1", "there is no other.txt in eval/results"),
        ("../some.txt: set one / 1", "not of the form"),
        ("some.txt: set one", "not of the form"),
        ("some.txt: set one / 0", "not of the form"),
        ("some.txt: set four / 1", "no lines have 'set four', where one must"),
        ("some.txt: set one / 1", "2 lines have 'set one', where one must"),
        ("some.txt: strict / 1", "2 lines have 'strict', where one must"),
        ("some.txt: First heading / set three / 1", "no lines have 'set three', where one must"),
        ("some.txt: set two / set three / 1", "no lines have 'set three', where one must"),
        ("some.txt: set two / stric / 1", "no lines have 'stric', where one must"),
        ("some.txt: set two / strict / 2", "1 numbers stand there, none is number 2"),
    ],
)
def test_a_reference_to_nothing_says_so(reference: str, message: str, results: Path) -> None:
    with pytest.raises(DataError) as raised:
        fill(template(results, f"one line\nand {{{reference}}} here"), results)
    assert str(raised.value).startswith(f"figures.md, line 2, {{{reference}}}: {message}")


def test_a_page_without_its_marks_says_so(results: Path, tmp_path: Path) -> None:
    page, part = tmp_path / "page.md", template(results, "\\1 new\n")
    begin, end = "<!-- figures: begin -->\n", "<!-- figures: end -->"
    page.write_text(f"a\n{begin}old\n{end}\nb", encoding="utf-8")
    assert renew(page, part, results) == f"a\n{begin}\\1 new\n{end}\nb"
    page.write_text(f"a\n{end}\nb", encoding="utf-8")
    with pytest.raises(DataError, match="has lost its lines"):
        renew(page, part, results)


@pytest.mark.parametrize(
    ("value", "places", "text"),
    [("0.25", 1, "0.3"), ("0.5", 0, "1"), ("-0.04", 1, "-0.0"), ("585677", -3, "586,000"), ("1.000", None, "1.000")],
)
def test_numbers_are_rounded_as_people_do(value: str, places: int | None, text: str) -> None:
    assert written(Decimal(value), places) == text


def test_make_bench_writes_every_result() -> None:
    benches = re.search(r"^BENCHES := (.+)$", (README.parent / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)
    assert benches
    assert all((RESULTS.parent / f"{name}.py").is_file() for name in benches[1].split())
    assert {path.stem for path in RESULTS.glob("*.txt")} == {*benches[1].split(), *JUDGED}


PUBLISHED = {
    "wikiactors: / Presidio, published": {7: "0.469"},
    "wikiactors: / spaCy, published": {7: "0.683"},
    "wikiactors: / Word2Vec_t=0.25, published": {1: "0.736", 4: "0.918", 7: "0.817"},
    "wikiactors: / people, published": {7: "1.000"},
    "tab: / Presidio, published": {7: "0.679"},
    "tab: / spaCy, published": {7: "0.720"},
}
"""What was found on the same masks before, by other code."""


@pytest.mark.parametrize("row", PUBLISHED)
def test_published_masks_reproduce(row: str) -> None:
    for column, value in PUBLISHED[row].items():
        assert figure(f"quality.txt: {row} / {column}") == value
