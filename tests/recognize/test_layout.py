"""Where tokens stand: in which line and cell, behind which label, in brackets or quotes."""

from __future__ import annotations

import numpy as np
import pytest

from embanon.recognize import Layout
from embanon.recognize.layout import mark_codes
from embanon.text.tokens import Tokens, tokenize


def layout_of(text: str) -> tuple[Tokens, Layout, np.ndarray]:
    tokens = tokenize(text)
    marks = mark_codes(tokens.words)
    return tokens, Layout.from_tokens(tokens.start, tokens.end, tokens.gap, marks), marks


@pytest.mark.parametrize(
    ("text", "word", "label"),
    [
        ("Patient: Maria Lopez", "Lopez", "Patient"),
        ("Patient: Maria Lopez", "Patient", None),
        ("Age: 44      Sex: female", "female", "Sex"),
        ("Age: 44      Sex: female", "Sex", None),
        ("Age: 44\nFemale", "Female", None),
        ("Goal | Weight: 3 | Self", "3", "Weight"),
        ("Goal | Weight: 3 | Self", "Self", None),
        ("She came and went and came again: no", "no", None),
    ],
)
def test_what_label_a_word_has(text: str, word: str, label: str | None) -> None:
    tokens, layout, _ = layout_of(text)
    colon = layout.colon[tokens.words.index(word)]
    assert (tokens.words[colon - 1] if colon >= 0 else None) == label


def test_brackets_and_quotes() -> None:
    tokens, layout, _ = layout_of('She (a nurse) said "no" then.')
    assert [word for word, inside in zip(tokens.words, layout.is_bracketed, strict=True) if inside] == [
        "a",
        "nurse",
        ")",
    ]
    assert [word for word, inside in zip(tokens.words, layout.is_quoted, strict=True) if inside] == ["no", '"']


def test_lines_and_cells_are_numbered() -> None:
    tokens, layout, _ = layout_of("A: b\nC  d    e")
    assert layout.line.tolist() == [0, 0, 0, 1, 1, 1]
    assert layout.line_start.tolist() == [0, 3, 6]
    assert [tokens.words[first] for first in layout.cell_start.tolist()] == ["A", "A", "A", "C", "C", "e"]
    assert layout.colon.tolist() == [-1, -1, 1, -1, -1, -1]


@pytest.mark.parametrize("text", ["x", ":", "|", "((", "a:b:c", '"', "\ud800 \u0301", "العربية: 12"])
def test_any_text_has_places(text: str) -> None:
    tokens, layout, _ = layout_of(text)
    assert len(layout.line) == len(tokens) == len(layout.place_in_line)
