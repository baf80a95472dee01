"""A sheet for people who judge replacements, and what they have answered: a CSV with a column for each of them.

The sheet shows what stood in the text: it is as secret as that.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from io import StringIO
from typing import Final

from embanon.annotations import Pair
from embanon.errors import InputError
from embanon.measures.chunks import said

COLUMNS: Final = ("number", "document", "start", "end", "type", "original", "replacement", "around")
YES: Final = frozenset("yes y 1 true x sí si sim ja".split())
NO: Final = frozenset("no n 0 false não nao nein".split())
NEAR: Final = 80
"""Characters of the text on either side."""
FORMULA: Final = ("=", "+", "-", "@", "\t", "\r")
"""What spreadsheets would calculate at the beginning of a cell."""


@dataclass(frozen=True, slots=True)
class Answers:
    """Whether replacements suit: a row for each, a column for each rater, `None` where there is no answer."""

    raters: tuple[str, ...]
    rows: tuple[tuple[bool | None, ...], ...]


def sheet(pairs: Sequence[Pair], raters: Sequence[str]) -> str:
    """Write a row for each replacement that says more than a type, once for what reads the same in a document."""
    file = StringIO()
    writer = csv.writer(file, lineterminator="\r\n")
    writer.writerow((*COLUMNS, *raters))
    for number, row in enumerate(_rows(pairs), 1):
        writer.writerow((number, *map(_cell, row), *("" for _ in raters)))
    return file.getvalue()


def _rows(pairs: Sequence[Pair]) -> Iterator[tuple[str, ...]]:
    for pair in pairs:
        text, seen = pair.gold.text, set[tuple[str, str, str]]()
        for one in pair.output.mentions:
            what = (one.type or "", text[one.start : one.end], one.replacement or "")
            if said(one.replacement) and what not in seen:
                seen.add(what)
                before, after = text[max(0, one.start - NEAR) : one.start], text[one.end : one.end + NEAR]
                around = " ".join(f"{before}[[{what[1]}]]{after}".split())
                yield pair.gold.id, str(one.start), str(one.end), *what, around


def _cell(value: str) -> str:
    return f"'{value}" if value.startswith(FORMULA) else value


def answered(text: str, name: str) -> Answers:
    """Read a sheet that was filled in; `name` says in errors where it is from.

    Yes and no may be written in four languages, as 1 and 0 or as x; an empty cell is no answer.
    """
    text = text.removeprefix("\ufeff")
    try:
        rows = list(csv.reader(StringIO(text, newline=""), delimiter=_delimiter(text), strict=True))
    except csv.Error as error:
        raise InputError(f"{name}: is no CSV; save the sheet as CSV in UTF-8") from error
    if not rows or tuple(rows[0][: len(COLUMNS)]) != COLUMNS:
        raise InputError(f"{name}: is no sheet of replacements; its first columns are {', '.join(COLUMNS)}")
    raters, found = tuple(rows[0][len(COLUMNS) :]), list[tuple[bool | None, ...]]()
    for number, row in enumerate(rows[1:], 2):
        cells = [*row, *("" for _ in rows[0])][len(COLUMNS) : len(rows[0])]
        if any(row):
            answers = zip(cells, raters, strict=True)
            found.append(tuple(_answer(cell, f"{name}, row {number}, {rater}") for cell, rater in answers))
    return Answers(raters, tuple(found))


def _delimiter(text: str) -> str:
    """Tell what parts cells: spreadsheets of some countries save semicolons."""
    first = text.partition("\n")[0]
    return max(",;\t", key=first.count)


def _answer(cell: str, where: str) -> bool | None:
    word = cell.strip().casefold()
    if word in YES or word in NO:
        return word in YES
    if word:
        raise InputError(f"{where}: is neither yes nor no; write yes, no, or leave it empty")
    return None
