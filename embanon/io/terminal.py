"""Show results: tables, JSON, CSV, and texts with their phrases marked, in parts that never hold it all.

Control characters in a text are never sent to the terminal, which would obey them.
"""

from __future__ import annotations

import csv
import io
import json
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, TextIO, TypeVar

from embanon.document import TYPES

COLORS: Final = dict(zip(TYPES, (213, 117, 120, 222, 209, 203, 147, 252), strict=True))
"""Type -> color of the 256 that terminals have; light enough to be read on black, used as background."""

# Controls but tab and line feed; marks that turn the direction of what follows; halves of a broken encoding.
UNSAFE: Final = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")

# What JSON lets stand as it is. The line and paragraph separators end a line for some readers of lines.
UNSAFE_IN_JSON: Final = re.compile("[\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")

MAX_CELL_WIDTH: Final = 80
"""Columns of a cell; a longer one is cut."""

TypedSpan = tuple[int, int, str]
Value = TypeVar("Value")


# Not rich: what is piped must be laid out here in any case, so that rich would replace none of these lines;
# it takes 100 ms and 90 modules to import.
def format_table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Align rows in columns, numbers to the right."""
    cells = [tuple(_cell(cell) for cell in row) for row in rows]
    widths = [max(map(len, column)) for column in zip(header, *cells, strict=True)]
    right = [all(row[index].isdecimal() for row in cells) for index in range(len(header))]
    signed = [width if to_right else -width for width, to_right in zip(widths, right, strict=True)]
    return format_rows([header, *cells], signed)


def format_rows(rows: Iterable[Sequence[str]], widths: Sequence[int]) -> str:
    """Align rows in columns of known widths; a positive width aligns right, a negative one left, 0 not at all."""
    laid_out = []
    for row in rows:
        cells = map(_cell, row)
        parts = (
            cell.rjust(width) if width > 0 else cell.ljust(-width) for cell, width in zip(cells, widths, strict=True)
        )
        laid_out.append("  ".join(parts).rstrip() + "\n")
    return "".join(laid_out)


def count_noun(count: int, noun: str) -> str:
    """Return a count with its noun: 1 document, 2 documents."""
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def as_json(value: Any) -> str:
    """Return a value as one line of JSON, with control characters escaped; types that JSON lacks become text."""
    text = json.dumps(value, ensure_ascii=False, default=str)
    return UNSAFE_IN_JSON.sub(lambda found: f"\\u{ord(found.group()):04x}", text)


def wants_color(choice: str, stream: TextIO) -> bool:
    """Return whether to use color: as requested, else in a terminal that has it, unless NO_COLOR is set."""
    if choice != "auto":
        return choice == "always"
    return stream.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def legend(color: bool) -> str:
    """Return the line that explains the colors of types."""
    if not color:
        return "[phrase]TYPE\n"
    return " ".join(_color_by_type(name, name) for name in TYPES) + "\n"


def highlight_types(text: str, spans: Iterable[TypedSpan], color: bool) -> Iterator[str]:
    """Return a text in parts, with phrases colored by type, or in brackets followed by their type."""
    mark = _color_by_type if color else lambda phrase, type: f"[{phrase}]{type}"
    return _highlight(text, spans, mark)


def _highlight(text: str, spans: Iterable[tuple[int, int, Value]], mark: Callable[[str, Value], str]) -> Iterator[str]:
    """Yield a text in parts, each span with its mark; a span that overlaps an earlier one is left out."""
    position = 0
    for start, end, value in spans:
        if start >= position:
            yield replace_unsafe(text[position:start])
            yield mark(replace_unsafe(text[start:end]), value)
            position = end
    yield replace_unsafe(text[position:])


RISK_COLORS: Final = (230, 229, 221, 215, 203)
"""Colors from harmless to risky."""


def heat_legend(color: bool) -> str:
    """Return the line that explains the colors of risks."""
    if not color:
        return "[phrase]RISK of 100\n"
    return " ".join(_colored(f"{step * 20}-{step * 20 + 20}", color) for step, color in enumerate(RISK_COLORS)) + "\n"


def highlight_risks(text: str, spans: Iterable[tuple[int, int, float]], color: bool) -> Iterator[str]:
    """Return a text in parts, with phrases colored by risk, or in brackets followed by the risk in percent."""
    mark = _color_by_risk if color else lambda phrase, risk: f"[{phrase}]{round(100 * risk)}"
    return _highlight(text, spans, mark)


def _color_by_risk(phrase: str, risk: float) -> str:
    return _colored(phrase, RISK_COLORS[min(int(risk * len(RISK_COLORS)), len(RISK_COLORS) - 1)])


def _color_by_type(phrase: str, type: str) -> str:
    return _colored(phrase, COLORS.get(type, 252))


def _colored(phrase: str, color: int) -> str:
    # A color that is left on at the end of a line would fill the rest of it.
    return "\n".join(f"\x1b[30;48;5;{color}m{line}\x1b[0m" for line in phrase.split("\n"))


def replace_unsafe(text: str) -> str:
    """Replace control characters one by one."""
    return UNSAFE.sub("\ufffd", text.replace("\r\n", "\n"))


def heading(id: str, language: str) -> str:
    """Return the heading of a document, in one line whatever its id."""
    return f"== {' '.join(replace_unsafe(id).splitlines())} ({replace_unsafe(language)})\n"


def _cell(text: str) -> str:
    line = " ".join(replace_unsafe(text).split())
    return line if len(line) <= MAX_CELL_WIDTH else line[: MAX_CELL_WIDTH - 1] + "…"


FORMULA_PREFIXES: Final = ("=", "+", "-", "@", "\t", "\r", "\n", "\uff1d", "\uff0b", "\uff0d", "\uff20")
"""What a formula begins with, in wide characters as well."""
GUARD: Final = "'"
"""What stands before it, so that it is text."""


def to_csv(columns: Sequence[str], rows: Iterable[Mapping[str, Any]]) -> str:
    """Return rows as CSV, with the named columns."""
    out = io.StringIO()
    writer = csv.DictWriter(out, columns, lineterminator="\n")
    writer.writeheader()
    writer.writerows({name: defuse_formula(row[name]) for name in columns} for row in rows)
    return out.getvalue()


def defuse_formula(value: Any) -> Any:
    """Keep spreadsheets from running a cell as a formula."""
    value = " < ".join(value) if isinstance(value, list) else value
    return f"{GUARD}{value}" if isinstance(value, str) and value[:1] in FORMULA_PREFIXES else value
