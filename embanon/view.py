"""Show results in a terminal: tables, and texts with their phrases marked.

Control characters of a text are never sent to the terminal, which would obey them.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Sequence
from typing import Final, TextIO

from embanon.document import TYPES

COLORS: Final = dict(zip(TYPES, (213, 117, 120, 222, 209, 203, 147, 252), strict=True))
"""Type -> color of the 256 that terminals have; light enough to be read on black, used as background."""

# Controls but tab and line feed; marks that turn the direction of what follows; halves of a broken encoding.
UNSAFE: Final = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")

WIDEST: Final = 80
"""Columns of a cell; a longer one is cut."""

Span = tuple[int, int, str]


def table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Lay out rows in columns; numbers to the right."""
    cells = [tuple(_cell(cell) for cell in row) for row in rows]
    widths = [max(map(len, column)) for column in zip(header, *cells, strict=True)]
    right = [all(row[index].isdecimal() for row in cells) for index in range(len(header))]
    lines = []
    for row in (tuple(header), *cells):
        parts = (
            cell.rjust(width) if to_right else cell.ljust(width)
            for cell, width, to_right in zip(row, widths, right, strict=True)
        )
        lines.append("  ".join(parts).rstrip())
    return "\n".join(lines) + "\n"


def wants_color(choice: str, stream: TextIO) -> bool:
    """Decide on color: as asked, else in a terminal that has it, unless NO_COLOR is set."""
    if choice != "auto":
        return choice == "always"
    return stream.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def legend(color: bool) -> str:
    """Give the line that explains the marks."""
    if not color:
        return "[phrase]TYPE\n"
    return " ".join(_paint(name, name) for name in TYPES) + "\n"


def marked(text: str, spans: Sequence[Span]) -> str:
    """Put phrases in brackets with their type behind: readable without color."""
    return _view(text, spans, lambda phrase, type: f"[{phrase}]{type}")


def colored(text: str, spans: Sequence[Span]) -> str:
    """Color phrases by type."""
    return _view(text, spans, _paint)


def _view(text: str, spans: Sequence[Span], mark: Callable[[str, str], str]) -> str:
    parts, position = [], 0
    for start, end, type in spans:
        if start >= position:
            parts += [safe(text[position:start]), mark(safe(text[start:end]), type)]
            position = end
    return "".join([*parts, safe(text[position:])])


def _paint(phrase: str, type: str) -> str:
    # A color that is left on at the end of a line would fill the rest of it.
    return "\n".join(f"\x1b[30;48;5;{COLORS.get(type, 252)}m{line}\x1b[0m" for line in phrase.split("\n"))


def safe(text: str) -> str:
    """Replace what a terminal would obey, character by character."""
    return UNSAFE.sub("\ufffd", text.replace("\r\n", "\n"))


def _cell(text: str) -> str:
    line = " ".join(safe(text).split())
    return line if len(line) <= WIDEST else line[: WIDEST - 1] + "…"
