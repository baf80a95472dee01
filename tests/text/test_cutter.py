from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from embanon.text.analyzer import load_analyzer
from embanon.text.cutter import head_spans
from embanon.text.grammar import PATTERNS, compile_grammar, form_symbol

CASES = tomllib.loads((Path(__file__).parents[1] / "cases" / "phrases.toml").read_text(encoding="utf-8"))["case"]


def cut(text: str, language: str = "en") -> list[str]:
    reader = load_analyzer(language)
    analyzed = reader.tag(text)
    found = reader.cut(analyzed)
    tokens = analyzed.tokens
    return [text[tokens.start[a] : tokens.end[b - 1]] for a, b in zip(found.first, found.last, strict=True)]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_phrases_are_useful_units(case: dict[str, Any]) -> None:
    found = cut(case["text"], case.get("language", "en"))
    if "all" in case:
        assert found == case["all"]
    assert [phrase for phrase in case.get("some", []) if phrase not in found] == []
    assert [phrase for phrase in case.get("none", []) if phrase in found] == []


def test_cases_have_ids_of_their_own() -> None:
    ids = [case["id"] for case in CASES]
    assert len(set(ids)) == len(ids)


@pytest.mark.parametrize(
    ("text", "language", "phrase", "head"),
    [
        ("the University of Oxford", "en", "University of Oxford", "University"),
        ("metastatic breast cancer", "en", "metastatic breast cancer", "cancer"),
        ("He met Peter Brown.", "en", "Peter Brown", "Brown"),
        ("She saw Harbour Nights (2010).", "en", "Harbour Nights (2010)", "Nights"),
        ("dolor abdominal agudo", "es", "dolor abdominal agudo", "dolor"),
    ],
)
def test_heads(text: str, language: str, phrase: str, head: str) -> None:
    reader = load_analyzer(language)
    analyzed = reader.tag(text)
    found, tokens = reader.cut(analyzed), analyzed.tokens
    first, last = head_spans(found, romance=language == "es")
    number = cut(text, language).index(phrase)
    assert text[tokens.start[first[number]] : tokens.end[last[number] - 1]] == head


@pytest.mark.parametrize(
    ("word", "expected"),
    [("1999", "4"), ("31", "3"), ("32", "0"), ("3.5", "9"), ("1990s", "E"), ("12/03/2010", "F"), ("10:30", "H"),
     ("2nd", "o"), ("A4", "k"), (".225", "9"), ("§", "r"), ("J.", "I"), ("\ud800", "!"), ("🙂", "!"), ("", "w")],
)  # fmt: skip
def test_symbol_of_a_form(word: str, expected: str) -> None:
    assert chr(form_symbol(word, 0, "en")) in (expected, "!" if word == "" else expected)


@pytest.mark.parametrize("language", ["en", "es", "pt", "de"])
def test_grammar_names_every_pattern(language: str) -> None:
    groups = compile_grammar(language).groupindex
    assert tuple(sorted(groups, key=groups.__getitem__)) == PATTERNS


def test_nothing_in_nothing_out() -> None:
    assert cut("") == []
    assert cut(" \n\t\n ") == []
    assert np.array_equal(load_analyzer("en").cut(load_analyzer("en").tag("")).first, [])
