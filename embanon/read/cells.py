"""Tables (CSV, TSV) as documents: all cells of text in a row are one, a paragraph each.

The source of a row is what is written of it: its id, its cells of text and those that are carried, as they stand in
the file, quotes and all.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache, partial
from io import BytesIO, StringIO
from typing import BinaryIO, Final

from embanon.config import CODE_HELP, language_code
from embanon.document import Document
from embanon.errors import InputError
from embanon.read.laid import PARAGRAPH, Laid, Laying, Place, Reading
from embanon.read.tabular import COMMA, SEMICOLON, TAB, Table, delimiter_of, table
from embanon.read.text import decoded, whole

ID: Final = "id"
LANGUAGE: Final = "language"
FORMULAS: Final = ("=", "+", "-", "@", "\t", "\r")
"""What begins so is run by spreadsheets."""
BARE, BARE_FIRST, QUOTED, QUOTED_FIRST = range(4)
"""Notations: of a cell without quotes or with them, and of what begins it."""


def documents(stream: BinaryIO, name: str, reading: Reading, delimiter: str = COMMA) -> Iterator[Laid]:
    """Give a document a row, after the last row is known to be good."""
    columns = reading.columns
    found = _File.read(stream, name, reading, delimiter)
    for column in (*columns.texts, *columns.carried, *([columns.id] if columns.id else [])):
        if found.columns.count(column) != 1:
            problem = "has more than one column" if column in found.columns else "has no column"
            known = f"its columns are: {found.described}; name those of text with --column"
            raise InputError(f"{name}: {problem} {column!r}; {known}")
    id = found.columns.index(columns.id or ID) if columns.id or found.columns.count(ID) == 1 else None
    texts = [place for place, one in enumerate(found.columns) if one in columns.texts]
    kept = [place for place, one in enumerate(found.columns)
            if place in texts or place == id or one in columns.carried]  # fmt: skip
    yield from found.laid(kept, texts, id)


def tabs(stream: BinaryIO, name: str, reading: Reading) -> Iterator[Laid]:
    """Give a document a row of a table with tabs."""
    yield from documents(stream, name, reading, TAB)


def sources(stream: BinaryIO, name: str, reading: Reading, delimiter: str = COMMA) -> Iterator[Laid]:
    """Give the rows as they stand in the file, with their ids."""
    found = _File.read(stream, name, reading, delimiter)
    column = reading.columns.id or ID
    id = found.columns.index(column) if found.columns.count(column) == 1 else None
    for one in found.laid(list(range(len(found.columns))), [], id):
        yield replace(one, pieces=None)


def tab_sources(stream: BinaryIO, name: str, reading: Reading) -> Iterator[Laid]:
    """Give the rows of a table with tabs as they stand in the file."""
    yield from sources(stream, name, reading, TAB)


@dataclass(frozen=True, slots=True)
class _Cell:
    """Where a cell stands in its file, and where its content."""

    whole: Place
    inside: Place
    quoted: bool


@dataclass(frozen=True, slots=True)
class _File:
    """A table and its text."""

    name: str
    text: str
    codec: str
    mark: bytes
    delimiter: str
    columns: tuple[str, ...]
    described: str
    header: tuple[list[_Cell], str]
    rows: list[tuple[int, dict[str, str], list[_Cell], str]]

    @classmethod
    def read(cls, stream: BinaryIO, name: str, reading: Reading, delimiter: str) -> _File:
        """Read a table as others do, and find its cells in its text."""
        data = whole(stream, name, reading.encoding, reading.limits)
        text, codec, mark = decoded(data, name, reading.encoding)
        known: Table = table(BytesIO(data), name, reading.encoding, reading.limits, delimiter)
        first = next((line for line in StringIO(text, newline="") if not line.isspace()), "")
        delimiter = delimiter_of(first, delimiter)
        lines = _cells(text, delimiter)
        header = next(row for row in lines if len(row[0]) > 1 or text[slice(*row[0][0].whole)].strip())
        filled = (row for row in lines if len(row[0]) > 1 or row[0][0].whole[0] < row[0][0].whole[1])
        rows = []
        for number, values in known.rows:
            cells, end = next(filled, ([], ""))
            if dict(zip(known.columns, [_said(text, cell) for cell in cells], strict=False)) != values:
                raise InputError(f"{name}, line {number}: its quotes do not match")
            rows.append((number, values, cells, end))
        return cls(name, text, codec, mark, delimiter, known.columns, known.described(), header, rows)

    def laid(self, kept: list[int], texts: list[int], id: int | None) -> Iterator[Laid]:
        """Give the rows with some of their cells."""
        before = self._written(kept, *self.header)[0]
        for number, (_, values, cells, end) in enumerate(self.rows, 2):
            raw, places = self._written(kept, cells, end)
            laying = Laying(raw, _escapes(self.delimiter))
            for place, cell in zip(kept, places, strict=True):
                if place in texts:
                    _lay(laying, cell)
                elif place != id:
                    laying.unread.append(cell.inside)
            own = values[self.columns[id]].strip() if id is not None else ""
            document = Document(
                own or f"{self.name}:{number}", "", self._language(number, values),
                {column: value or [] for column, value in values.items()},
            )  # fmt: skip
            one = laying.laid(document.id, self.codec, self.mark)
            document = replace(document, text=one.document.text)
            at = places[kept.index(id)].inside if id is not None and own else None
            yield replace(one, document=document, own=own or str(number), id=at, before=before)
            before = ""

    def _written(self, kept: list[int], cells: list[_Cell], end: str) -> tuple[str, list[_Cell]]:
        """Give some cells of a row as they stand in the file, and where they are then."""
        parts, places, length = list[str](), list[_Cell](), 0
        for place in kept:
            cell = cells[place]
            moved = length - cell.whole[0]
            inside = cell.inside[0] + moved, cell.inside[1] + moved
            parts.append(self.text[slice(*cell.whole)])
            length += len(parts[-1]) + 1
            places.append(_Cell((length - 1 - len(parts[-1]), length - 1), inside, cell.quoted))
        return self.delimiter.join(parts) + end, places

    def _language(self, number: int, values: dict[str, str]) -> str | None:
        written = values.get(LANGUAGE, "").strip()
        code = language_code(written) if written else None
        if written and not code:
            raise InputError(f"{self.name}, row {number}: column {LANGUAGE!r}: {CODE_HELP}; leave it empty")
        return code


def _cells(text: str, delimiter: str) -> Iterator[tuple[list[_Cell], str]]:
    """Cut a text into rows of cells, each with the end of its line."""
    pattern, last, row = _pattern(delimiter), 0, list[_Cell]()
    while found := pattern.match(text, last):
        quoted = found.start(1) >= 0
        cell = found.span(1) if quoted else found.span(2)
        row.append(_Cell((found.start(), found.start(3)), cell, quoted))
        last = found.end()
        if found[3] != delimiter:
            yield row, found[3]
            row = []
            if last == len(text):
                return


@cache
def _pattern(delimiter: str) -> re.Pattern[str]:
    one = re.escape(delimiter)
    return re.compile(rf'(?:"((?:[^"]++|"")*+)"|([^{one}\r\n]*+))({one}|\r\n|\n|\r|\Z)')


def _said(text: str, cell: _Cell) -> str:
    inside = text[slice(*cell.inside)]
    return inside.replace('""', '"') if cell.quoted else inside


def _lay(laying: Laying, cell: _Cell) -> None:
    """Read a cell; its first sign is a piece of its own, as what begins a cell may be a formula."""
    start, end = cell.inside
    notation = QUOTED if cell.quoted else BARE
    laying.gap(PARAGRAPH)
    quotes = [one.start() for one in re.finditer('""', laying.raw[start:end])] if cell.quoted else []
    last, first = start, notation + 1
    for place in (*(start + one for one in quotes), end):
        if last == start < place:
            laying.text(start, start + 1, first)
            last = start + 1
        laying.text(last, place, notation)
        last = place
        if place < end:
            laying.sign(place, place + 2, '"', notation)
            last = place + 2


@cache
def _escapes(delimiter: str) -> tuple[partial[str], ...]:
    return (
        partial(_bare, delimiter=delimiter, first=False), partial(_bare, delimiter=delimiter, first=True),
        partial(_quoted, first=False), partial(_quoted, first=True),
    )  # fmt: skip


def _bare(text: str, delimiter: str, first: bool) -> str:
    """Write a part of a cell without quotes, which cannot have all signs."""
    other = SEMICOLON if delimiter == COMMA else COMMA
    text = re.sub(r"[\r\n\t]+", " ", text).replace('"', "'").replace(delimiter, other)
    return _harmless(text, first)


def _quoted(text: str, first: bool) -> str:
    return _harmless(text.replace('"', '""'), first)


def _harmless(text: str, first: bool) -> str:
    """Keep a spreadsheet from running what begins a cell."""
    return f"'{text}" if first and text.startswith(FORMULAS) else text
