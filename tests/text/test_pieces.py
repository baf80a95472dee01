"""Pieces: joined they are the text, and they have its paragraphs."""

from __future__ import annotations

import time
from collections.abc import Iterator

import pytest
from hypothesis import given, strategies as st

from embanon.text.analyzer import PARAGRAPH_BREAK, split_pieces

TEXTS = st.text(st.sampled_from("ab \n\r\t\u2029\u0301\u200d\U0001f1e6\U0001f3fb\ud83d\ude00é"), max_size=80)

CASES = {
    "paragraphs": ("aaaa\n\nbbbb\n\ncccc", 12, 40, ["aaaa\n\nbbbb\n\n", "cccc"]),
    "last break that fits": ("a\n\nb\n\nccccccc", 6, 40, ["a\n\nb\n\n", "ccccccc"]),
    "blank line with spaces": ("aaaa\n \t\nbbbb", 8, 40, ["aaaa\n \t\n", "bbbb"]),
    "line ends of Windows": ("aaaa\r\n\r\nbbbb", 8, 40, ["aaaa\r\n\r\n", "bbbb"]),
    "paragraph separator": ("aaaa\u2029bbbb", 5, 40, ["aaaa\u2029", "bbbb"]),
    "line break is no paragraph": ("aaaa\nbbbb", 5, 40, ["aaaa\nbbbb"]),
    "long paragraph stays whole": ("aaaa bbbb cccc\n\nd", 4, 40, ["aaaa bbbb cccc\n\n", "d"]),
    "too long: at the last line": ("aa\nbb cc dd ee", 4, 10, ["aa\n", "bb cc dd ", "ee"]),
    "too long: at the last space": ("aaa bbb ccc ddd", 4, 10, ["aaa bbb ", "ccc ddd"]),
    "too long: anywhere": ("aaaaaaaaaa", 2, 4, ["aaaa", "aaaa", "aa"]),
    "too long: not before a mark": ("aaae\u0301aaa", 2, 4, ["aaa", "e\u0301aa", "a"]),
    "too long: not in a flag": ("aaa\U0001f1e9\U0001f1eaa", 2, 4, ["aaa", "\U0001f1e9\U0001f1eaa"]),
    "too long: only marks": ("\u0301" * 6, 2, 4, ["\u0301" * 4, "\u0301" * 2]),
    "empty": ("", 2, 4, []),
}


def paragraph_bounds(text: str) -> Iterator[tuple[int, int]]:
    """Return the bounds of each paragraph that is not blank, without the breaks around it."""
    start = 0
    for match in PARAGRAPH_BREAK.finditer(text):
        if not text[start : match.start()].isspace() and start < match.start():
            yield start, match.start()
        start = match.end()
    if start < len(text) and not text[start:].isspace():
        yield start, len(text)


@pytest.mark.parametrize("name", CASES)
def test_pieces_are_cut_where_the_text_says(name: str) -> None:
    text, size, longest, expected = CASES[name]
    assert [piece for _, piece in split_pieces(text, size, longest)] == expected


@given(TEXTS, st.integers(1, 12), st.integers(0, 12))
def test_pieces_are_the_text_and_bounded(text: str, size: int, more: int) -> None:
    whole = list(split_pieces(text, size, size + more))
    assert "".join(piece for _, piece in whole) == text
    for offset, piece in whole:
        assert piece
        assert text[offset : offset + len(piece)] == piece
        assert len(piece) <= size + more


@given(TEXTS, st.integers(1, 12))
def test_pieces_have_the_paragraphs_of_the_whole(text: str, size: int) -> None:
    found = [
        (offset + start, offset + end)
        for offset, piece in split_pieces(text, size, 1000)
        for start, end in paragraph_bounds(piece)
    ]
    assert found == list(paragraph_bounds(text))


@given(st.text())
def test_paragraphs_slice_back_and_hold_all_that_is_not_blank(text: str) -> None:
    bounds = list(paragraph_bounds(text))
    assert all(not text[start:end].isspace() for start, end in bounds)
    assert "".join(text.split()) == "".join("".join(text[start:end].split()) for start, end in bounds)


@pytest.mark.parametrize("unit", ["\n", "\n ", " ", "a", "\u0301", "\u2029", "\r\n", "a\n\nb ", "\U0001f1e6"])
def test_time_grows_with_length_only(unit: str) -> None:
    seconds = []
    for length in (500_000, 2_000_000):
        text = unit * (length // len(unit))
        started = time.process_time()
        assert sum(len(piece) for _, piece in split_pieces(text)) == len(text)
        assert sum(1 for _ in paragraph_bounds(text)) >= 0
        seconds.append(time.process_time() - started)
    assert seconds[1] < 16 * seconds[0] + 0.5


def test_a_size_of_nothing_is_refused() -> None:
    with pytest.raises(ValueError, match="size"):
        list(split_pieces("a", 0))
