"""Types and kinds of phrases: a table of cases, and what must hold whatever the text is."""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from embanon.document import FORMS, TYPES
from embanon.errors import DataError
from embanon.text.analyzer import Analyzer, load_analyzer
from embanon.text.grammar import PATTERNS, PhraseSpans
from embanon.text.kinds import KIND_TYPES, KINDS, PhraseTypes, assign_kinds
from embanon.text.names import NAME_CLASSES, load_evidence

TABLE = Path(__file__).parents[1] / "cases" / "types.toml"
CASES: list[dict[str, Any]] = tomllib.loads(TABLE.read_text("utf-8"))["case"]
ROWS = [(case["id"], case, phrase) for case in CASES for phrase in case["expect"]]

PARAGRAPHS = (
    "Mr Bertram Vane met Odile Marsh, a lawyer, in Lisbon, Portugal. Vane paid £4,500 for 3 kg of tea.",
    "Vane is a village; Marsh lives there: nos. 19, 20 and 21.",
    "Vollmer & Pike (“VP”) sued Pike under Article 8, at age 34, for three years",
    "“",
    "Dr.",
    "of 34 years",
    "12345 Lisbon",
)

HOSTILE = {
    "nothing": "",
    "blanks": " \n\n\t ",
    "one-word": "Lisbon",
    "brackets": "(" * 20_000,
    "names": "Vane " * 20_000,
    "listed-names": "Vane, " * 20_000,
    "numbers-with-slashes": "40213/09 " * 20_000,
    "initials": "J. " * 20_000,
    "long-word": "V" * 100_000,
    "quotes": "“Vane” " * 10_000,
    "surrogate": "Mr \ud800Vane in \udfff Lisbon",
    "nul": "Mr\x00Vane\x00 12345 Lisbon",
    "no-latin": "宇野沢 祐次 は 東京 に いる。 सितम्बर Ավետիք",
}


@cache
def reader(language: str) -> Analyzer:
    """Open a layer, or skip where its tagger is not there."""
    try:
        return load_analyzer(language)
    except DataError:
        pytest.skip(f"no tagger of {language} yet")


def typed(language: str, text: str) -> tuple[list[str], PhraseTypes]:
    """Return the phrases of a text and their types."""
    lines = reader(language)
    analyzed = lines.tag(text)
    cut = lines.cut(analyzed)
    tokens = analyzed.tokens
    found = [
        text[tokens.start[first] : tokens.end[last - 1]]
        for first, last in zip(cut.first.tolist(), cut.last.tolist(), strict=True)
    ]
    return found, assign_kinds(tokens, analyzed.features, cut, lines.lexicon)


def labels(result: PhraseTypes) -> list[str]:
    """Give `TYPE.kind` of every phrase."""
    return [
        f"{TYPES[type_]}.{KINDS[kind]}" for type_, kind in zip(result.type.tolist(), result.kind.tolist(), strict=True)
    ]


@pytest.mark.parametrize(("case", "phrase"), [row[1:] for row in ROWS], ids=[f"{r[0]}: {r[2]}" for r in ROWS])
def test_cases(case: dict[str, Any], phrase: str) -> None:
    found, result = typed(case["language"], case["text"])
    given = {label for name, label in zip(found, labels(result), strict=True) if name == phrase}
    assert given == {case["expect"][phrase]}


def test_tables_are_complete() -> None:
    assert len(ROWS) >= 80
    assert {case["language"] for case in CASES} == {"en", "es", "pt", "de"}
    assert len({case["id"] for case in CASES}) == len(CASES)
    assert len(set(KINDS)) == len(KINDS) == len(KIND_TYPES) < 256
    assert {number for _, number, _ in load_evidence().entries} == set(range(len(NAME_CLASSES)))


@pytest.mark.parametrize(
    ("text", "phrase", "form"),
    [
        ("He wrote “The Glass Orchard” there.", "The Glass Orchard", "title"),
        ("The film Copper Meridian (1994) won.", "Copper Meridian (1994)", "title"),
        ("The Social Aid Office (“SAO”) refused.", "SAO", "name"),
        ("The Danish painter left.", "Danish", "common"),
        ("A painter left.", "painter", "common"),
        ("On 3 May 1987 she left.", "3 May 1987", "date"),
        ("It lasted for three years.", "three years", "quantity"),
        ("Under Article 8 she left.", "Article 8", "reference"),
        ("Application no. 40213/09 was lodged.", "40213/09", "code"),
        ("She met Odile Marsh.", "Odile Marsh", "name"),
    ],
)
def test_forms(text: str, phrase: str, form: str) -> None:
    found, result = typed("en", text)
    assert FORMS[result.form[found.index(phrase)]] == form


def test_paragraphs_one_by_one_give_what_the_whole_gives() -> None:
    whole = labels(typed("en", "\n\n".join(PARAGRAPHS))[1])
    assert whole == [label for text in PARAGRAPHS for label in labels(typed("en", text)[1])]


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
@pytest.mark.parametrize("language", ["en", "es", "de"])
def test_any_text_gets_types(language: str, text: str) -> None:
    found, result = typed(language, text)
    for column, names in ((result.type, TYPES), (result.kind, KINDS), (result.form, FORMS)):
        assert column.dtype == np.uint8
        assert len(column) == len(found)
        assert not len(column) or column.max() < len(names)
    assert result.type.tolist() == [KIND_TYPES[kind] for kind in result.kind.tolist()]


@pytest.mark.parametrize("pattern", range(len(PATTERNS)), ids=PATTERNS)
def test_any_cut_gets_types(pattern: int) -> None:
    """Return every token, then everything at once, as a phrase of each pattern, which no grammar would do."""
    lines = reader("en")
    analyzed = lines.tag("In 1996/97, of “Mr J. Vane (1994)”: nos. 19-20 & Lake 34 years.\n\nof years of")
    size = len(analyzed.tokens)
    symbols = lines.cut(analyzed).symbols
    for first, last in ((range(size), range(1, size + 1)), ([0], [size]), ([size - 1], [size])):
        columns = np.array(first, dtype=np.int64), np.array(last, dtype=np.int64)
        cut = PhraseSpans(*columns, np.full(len(columns[0]), pattern, dtype=np.uint8), symbols)
        assert len(assign_kinds(analyzed.tokens, analyzed.features, cut, lines.lexicon).kind) == len(columns[0])
