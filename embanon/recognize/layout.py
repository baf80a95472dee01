"""Where in its line each token stands: in which cell, behind which label, in brackets or quotes.

All is local to a paragraph (a blank line ends one), so that pieces of a text give what the whole gives.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]
Flags = NDArray[np.bool_]
Codes = NDArray[np.uint8]

SOFT_BREAK, LINE_BREAK, PARAGRAPH_BREAK = 2, 3, 4
"""The gaps before tokens that begin lines, in a paragraph that seems to go on and elsewhere, and paragraphs."""
COLUMN_GAP: Final = 3
"""So many characters between two tokens part two cells."""
LONGEST_LABEL: Final = 6
"""Tokens of a cell within which its colon stands."""

COLON, BAR, OPENS, CLOSES, QUOTE = range(1, 6)
MARKS: Final = {
    ":": COLON, "|": BAR, "(": OPENS, "[": OPENS, ")": CLOSES, "]": CLOSES, **dict.fromkeys('"“„”«»', QUOTE),
}  # fmt: skip


def mark_codes(words: Sequence[str]) -> NDArray[np.uint8]:
    """Return what marks of punctuation some words are; 0 for all others."""
    return np.array([MARKS.get(word, 0) for word in words], np.uint8)


@dataclass(frozen=True, slots=True)
class Layout:
    """Lines and cells of a text, by token."""

    line: Ints
    """The number of each token's line."""
    line_start: Ints
    """The first token of each line, and the number of tokens at the end."""
    place_in_line: Ints
    from_line_end: Ints
    colon: Ints
    """The token of the colon that a token stands behind in its cell, -1 where there is none."""
    cell_start: Ints
    """The first token of each token's cell."""
    is_bracketed: Flags
    is_quoted: Flags
    gap: NDArray[np.int8] = field(repr=False)

    @classmethod
    def from_tokens(cls, start: NDArray[Any], end: NDArray[Any], gap: NDArray[np.int8], marks: Codes) -> Layout:
        """Cut tokens into lines and cells; there is at least one token."""
        size = len(start)
        opens_line = gap >= LINE_BREAK
        opens_line[0] = True
        line_start = np.append(np.flatnonzero(opens_line), size)
        line = np.cumsum(opens_line) - 1
        places = np.arange(size)
        opens_cell = opens_line.copy()
        opens_cell[1:] |= (start[1:] - end[:-1] >= COLUMN_GAP) | (marks[:-1] == BAR)
        cell_start = np.maximum.accumulate(np.where(opens_cell, places, 0))
        colons = (marks == COLON) & (places - cell_start < LONGEST_LABEL) & (places > cell_start)
        last_colon = np.maximum.accumulate(np.where(colons, places, -1))
        first_colon = _first_in_cell(colons, cell_start)
        behind = (last_colon >= cell_start) & (first_colon < places)
        first, line_end = line_start[line], line_start[line + 1]
        depth = _running(marks == OPENS, first) - _running(marks == CLOSES, first)
        quotes = _running(marks == QUOTE, first)
        return cls(
            line, line_start, places - first, line_end - 1 - places, np.where(behind, first_colon, -1), cell_start,
            depth > 0, quotes % 2 == 1, gap,
        )  # fmt: skip


def _first_in_cell(flags: Flags, cell_start: Ints) -> Ints:
    """Return for each token the first flagged one of its cell up to it, its own number where there is none."""
    size = len(flags)
    places = np.arange(size)
    first = np.full(size, size)
    marked = np.flatnonzero(flags)
    np.minimum.at(first, cell_start[marked], marked)
    result: Ints = np.minimum(first[cell_start], places)
    return result


def _running(flags: Flags, first: Ints) -> Ints:
    """Count the flags in each token's line before the token."""
    total: Ints = np.cumsum(flags) - flags
    result: Ints = total - total[first]
    return result
