"""Tables (CSV, TSV) as documents: one per row, with a paragraph for each cell of text.

The source of a row is what is written of it: its id, its cells of text and the carried ones, as they stand in
the file, quotes and all.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cache, partial
from io import BytesIO, StringIO
from itertools import islice
from typing import Any, BinaryIO, Final

from embanon.errors import InputError
from embanon.io.read.csv_tables import COMMA, SEMICOLON, Table, detect_delimiter, read_table
from embanon.io.read.jsonl import checked_language
from embanon.io.read.source_map import PARAGRAPH, Offsets, ReadOptions, SourceDocument, SourceMapBuilder
from embanon.io.read.text import decode_with_codec, read_bytes

ID: Final = "id"
LANGUAGE: Final = "language"
RESERVED_COLUMNS: Final = ("others", "edits")
"""Columns that mean nothing to us, as keys of a line do."""
FORMULA_PREFIXES: Final = ("=", "+", "-", "@", "\t", "\r")
"""What begins so is run by spreadsheets."""
BARE, BARE_FIRST, QUOTED, QUOTED_FIRST = range(4)
"""Notations: of a cell without quotes or with them, and of what begins it."""


def documents(stream: BinaryIO, name: str, reading: ReadOptions, delimiter: str = COMMA) -> Iterator[SourceDocument]:
    """Yield a document per row, after the last row is known to be good."""
    columns, table_file = reading.columns, _TableFile.from_stream(stream, name, reading, delimiter)
    known = table_file.table()
    for column in (*columns.texts, *columns.carried, *([columns.id] if columns.id else [])):
        known.require(name, column, "name those of text with --column")
    id = columns.id or (ID if known.columns.count(ID) == 1 else None)
    wanted = {*columns.texts, *columns.carried, id}
    kept = [place for place, column in enumerate(known.columns) if column in wanted]
    yield from table_file.source_documents(kept, [place for place in kept if known.columns[place] in columns.texts], id)


def sources(stream: BinaryIO, name: str, reading: ReadOptions, delimiter: str = COMMA) -> Iterator[SourceDocument]:
    """Yield the rows as they stand in the file, with their ids."""
    table_file = _TableFile.from_stream(stream, name, reading, delimiter)
    columns = table_file.table().columns
    id = reading.columns.id or ID
    for source in table_file.source_documents(list(range(len(columns))), [], id if columns.count(id) == 1 else None):
        yield replace(source, source_map=None)


@dataclass(frozen=True, slots=True)
class _Cell:
    """Where a cell and its content stand in the file."""

    outer: Offsets
    content: Offsets
    is_quoted: bool


_Line = tuple[list[_Cell], str]
"""Cells, and the end of the line."""


@dataclass(frozen=True, slots=True)
class _TableFile:
    """A table and its text."""

    name: str
    data: bytes = field(repr=False)
    text: str = field(repr=False)
    codec: str
    byte_order_mark: bytes
    delimiter: str
    reading: ReadOptions

    @classmethod
    def from_stream(cls, stream: BinaryIO, name: str, reading: ReadOptions, delimiter: str) -> _TableFile:
        """Read a table, and check all of its rows."""
        data = read_bytes(stream, name, reading.encoding, reading.limits)
        text, codec, mark = decode_with_codec(data, name, reading.encoding)
        table_file = cls(name, data, text, codec, mark, delimiter, reading)
        for number, (values, _, _) in enumerate(table_file.rows(), 2):
            table_file.language(number, values)
        return table_file

    def table(self) -> Table:
        """Return the table as other readers see it."""
        return read_table(BytesIO(self.data), self.name, self.reading.encoding, self.reading.limits, self.delimiter)

    def lines(self) -> Iterator[_Line]:
        """Return the header and the rows as they stand in the text."""
        first = next((line for line in StringIO(self.text, newline="") if not line.isspace()), "")
        lines = _cells(self.text, detect_delimiter(first, self.delimiter))
        yield next(line for line in lines if len(line[0]) > 1 or self.text[slice(*line[0][0].outer)].strip())
        yield from (line for line in lines if len(line[0]) > 1 or line[0][0].outer[0] < line[0][0].outer[1])

    def rows(self) -> Iterator[tuple[dict[str, str], list[_Cell], str]]:
        """Yield the rows with their cells."""
        known = self.table()
        lines = islice(self.lines(), 1, None)
        for number, values in known.rows:
            cells, end = next(lines, ([], ""))
            if dict(zip(known.columns, [_cell_value(self.text, cell) for cell in cells], strict=False)) != values:
                raise InputError(f"{self.name}, line {number}: its quotes do not match")
            yield values, cells, end

    def source_documents(self, kept: list[int], texts: list[int], id: str | None) -> Iterator[SourceDocument]:
        """Yield the rows as documents with the chosen cells, by their indexes."""
        columns = self.table().columns
        header, end = next(self.lines())
        delimiter = detect_delimiter(self.text[header[0].outer[0] : header[-1].outer[1]], self.delimiter)
        before = self._written(kept, header, end, delimiter)[0]
        for number, (values, cells, end) in enumerate(self.rows(), 2):
            raw, places = self._written(kept, cells, end, delimiter)
            laying, at = SourceMapBuilder(raw, _escapes(delimiter)), None
            for place, cell in zip(kept, places, strict=True):
                if place in texts:
                    _map_cell(laying, cell)
                elif columns[place] != id:
                    laying.unread_spans.append(cell.content)
                elif values[id].strip():
                    at = cell.content
            record_id = values[id].strip() if id else ""
            fields: dict[str, Any] = {
                column: value or [] for column, value in values.items() if column not in RESERVED_COLUMNS
            }
            mapped = laying.build(record_id or f"{self.name}:{number}", self.codec, self.byte_order_mark)
            document = replace(mapped.document, language=self.language(number, values), fields=fields)
            yield replace(mapped, document=document, record_id=record_id or str(number), id_span=at, prefix=before)
            before = ""

    def _written(self, kept: list[int], cells: list[_Cell], end: str, delimiter: str) -> tuple[str, list[_Cell]]:
        """Return the chosen cells of a row as they stand in the file, and their new places."""
        parts, places, length = list[str](), list[_Cell](), 0
        for place in kept:
            cell = cells[place]
            moved = length - cell.outer[0]
            inside = cell.content[0] + moved, cell.content[1] + moved
            parts.append(self.text[slice(*cell.outer)])
            length += len(parts[-1]) + 1
            places.append(_Cell((length - 1 - len(parts[-1]), length - 1), inside, cell.is_quoted))
        return delimiter.join(parts) + end, places

    def language(self, number: int, values: dict[str, str]) -> str | None:
        """Return the short code of the language that a row names."""
        where = f"{self.name}, row {number}: column {LANGUAGE!r}"
        return checked_language(values.get(LANGUAGE, "").strip() or None, where)


def _cells(text: str, delimiter: str) -> Iterator[_Line]:
    """Split a text into rows of cells, each with the end of its line."""
    pattern, last, row = _pattern(delimiter), 0, list[_Cell]()
    while match := pattern.match(text, last):
        quoted = match.start(1) >= 0
        cell = match.span(1) if quoted else match.span(2)
        row.append(_Cell((match.start(), match.start(3)), cell, quoted))
        last = match.end()
        if match[3] != delimiter:
            yield row, match[3]
            row = []
            if last == len(text):
                return


@cache
def _pattern(delimiter: str) -> re.Pattern[str]:
    escaped = re.escape(delimiter)
    return re.compile(rf'(?:"((?:[^"]++|"")*+)"|([^{escaped}\r\n]*+))({escaped}|\r\n|\n|\r|\Z)')


def _cell_value(text: str, cell: _Cell) -> str:
    inside = text[slice(*cell.content)]
    return inside.replace('""', '"') if cell.is_quoted else inside


def _map_cell(laying: SourceMapBuilder, cell: _Cell) -> None:
    """Map a cell; its first character is a piece of its own, as a formula may begin there."""
    start, end = cell.content
    notation = QUOTED if cell.is_quoted else BARE
    laying.add_gap(PARAGRAPH)
    quotes = [one.start() for one in re.finditer('""', laying.raw[start:end])] if cell.is_quoted else []
    last, first = start, notation + 1
    for place in (*(start + one for one in quotes), end):
        if last == start < place:
            laying.add_text(start, start + 1, first)
            last = start + 1
        laying.add_text(last, place, notation)
        last = place
        if place < end:
            laying.add_decoded(place, place + 2, '"', notation)
            last = place + 2


@cache
def _escapes(delimiter: str) -> tuple[partial[str], ...]:
    return (
        partial(_escape_bare, delimiter=delimiter, first=False), partial(_escape_bare, delimiter=delimiter, first=True),
        partial(_escape_quoted, first=False), partial(_escape_quoted, first=True),
    )  # fmt: skip


def _escape_bare(text: str, delimiter: str, first: bool) -> str:
    """Escape a part of an unquoted cell, which cannot hold all characters."""
    other = SEMICOLON if delimiter == COMMA else COMMA
    text = re.sub(r"[\r\n\t]+", " ", text).replace('"', "'").replace(delimiter, other)
    return _defuse_formula(text, first)


def _escape_quoted(text: str, first: bool) -> str:
    return _defuse_formula(text.replace('"', '""'), first)


def _defuse_formula(text: str, first: bool) -> str:
    """Keep spreadsheets from running a cell as a formula."""
    return f"'{text}" if first and text.startswith(FORMULA_PREFIXES) else text
