"""Seals: which text a table of solutions is of, edited or not."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from hypothesis import given, strategies as st

from embanon.data import find_resource
from embanon.replace.rewrite import Solution
from embanon.replace.seals import is_altered, is_of_text, seal_of

SOLUTIONS = [
    Solution("d", 0, 10, 0, 8, "Ada Berger", "Person 1", "PERSON", "e1", 1.0, 0.1),
    Solution("d", 20, 24, 18, 24, "Graz", "a city", "LOC", "e1", None, 0.25),
]
LETTERS = [
    json.loads(line)["text"] for line in find_resource("examples", "letters.jsonl").read_text("utf-8").splitlines()
]


@given(st.text(max_size=300))
def test_any_text_is_itself(text: str) -> None:
    assert is_of_text(seal_of("d", text, SOLUTIONS), text)


@pytest.mark.parametrize("text", LETTERS)
def test_a_letter_is_known_edited_and_in_part(text: str) -> None:
    seal = seal_of("d", text, [])
    half = text[: len(text) // 2]
    assert all(is_of_text(seal, one) for one in (text.upper(), " ".join(text.split()), half, text + half))
    assert not any(is_of_text(seal, other) for other in LETTERS if other != text)
    assert not is_of_text(seal, "")


def test_a_line_that_is_missing_changed_or_new_is_seen() -> None:
    seal = seal_of("d", "Person 1 of a city", SOLUTIONS)
    renamed = [replace(one, document="other") for one in SOLUTIONS]
    assert not is_altered(seal, SOLUTIONS)
    assert not is_altered(seal, renamed)
    changed = replace(SOLUTIONS[0], original="Eva Berger")
    assert all(is_altered(seal, rows) for rows in (SOLUTIONS[:1], [changed, SOLUTIONS[1]], [*SOLUTIONS, changed], []))


@pytest.mark.parametrize("sketch", ["", "no base 64", "AAA=", "é"])
def test_a_damaged_sketch_is_no_error(sketch: str) -> None:
    seal = replace(seal_of("d", "some words of a text", []), original=sketch)
    assert is_of_text(seal, "some words of a text") in (True, False)
