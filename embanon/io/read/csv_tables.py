"""Tables: CSV and TSV, a header and then one row per document, with quotes where a field has line breaks.

The delimiter is a comma or, where the header has semicolons and no comma, a semicolon; in TSV it is a tab.
A quote within a field is written twice. Rows come as they are read: an error is found when it is reached.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import BinaryIO, Final

from embanon.errors import InputError, MissingTextError
from embanon.io.read.limits import Limits
from embanon.io.read.text import decode_chunks

COMMA, SEMICOLON, TAB = ",", ";", "\t"

SHOWABLE_NAME: Final = re.compile(r"[\w .:/()-]{1,40}")
"""Names of columns that are quoted in a message: what is longer may be a text, in a file without a header."""
MAX_SHOWN_COLUMNS: Final = 20
MAX_FIELD_SIZE: Final = (1 << 31) - 1
"""The largest limit that `csv` takes everywhere."""


@dataclass(frozen=True, slots=True)
class Table:
    """The columns of a table, in order, and its rows with the numbers of their first lines."""

    columns: tuple[str, ...]
    rows: Iterator[tuple[int, dict[str, str]]] = field(repr=False)

    def require(self, name: str, column: str, advice: str) -> None:
        """Refuse a table that lacks a column, or has it twice."""
        if self.columns.count(column) != 1:
            problem = "has more than one column" if column in self.columns else "has no column"
            known = f"its columns are: {self.describe_columns()}"
            raise MissingTextError(f"{name}: {problem} {column!r}; {known}; {advice}")

    def describe_columns(self) -> str:
        """Name the columns for a message."""
        names = [name if SHOWABLE_NAME.fullmatch(name) else f"({len(name)} characters)" for name in self.columns]
        return ", ".join(names[:MAX_SHOWN_COLUMNS]) + (", …" if len(names) > MAX_SHOWN_COLUMNS else "")


def read_table(stream: BinaryIO, name: str, encoding: str | None, limits: Limits, delimiter: str) -> Table:
    """Read the header; the rows are read as they are asked for."""
    numbered = records(stream, name, encoding, limits, delimiter)
    _, header = next(numbered, (0, []))
    columns = tuple(column.strip() for column in header)
    if not any(columns):
        raise InputError(f"{name}: is empty; its first line must name the columns")
    return Table(columns, _rows(numbered, columns, name))


def records(
    stream: BinaryIO, name: str, encoding: str | None, limits: Limits, delimiter: str
) -> Iterator[tuple[int, list[str]]]:
    """Yield the fields of each row that is not blank, with the number of its first line."""
    lines = _Lines(decode_chunks(stream, name, encoding), name, limits)
    return _records(lines, detect_delimiter(lines.peek(), delimiter))


def detect_delimiter(header: str, delimiter: str) -> str:
    """Return the delimiter of a table, scored_document by its header."""
    return SEMICOLON if delimiter == COMMA and SEMICOLON in header and COMMA not in header else delimiter


def _rows(
    numbered: Iterator[tuple[int, list[str]]], columns: tuple[str, ...], name: str
) -> Iterator[tuple[int, dict[str, str]]]:
    for number, record in numbered:
        if len(record) != len(columns):
            raise InputError(
                f"{name}, line {number}: has {len(record)} fields, and the header has {len(columns)}; "
                "put quotes around fields with delimiters or line breaks"
            )
        yield number, dict(zip(columns, record, strict=True))


def _records(lines: _Lines, delimiter: str) -> Iterator[tuple[int, list[str]]]:
    reader = csv.reader(lines, delimiter=delimiter, strict=True)
    longest = min(lines.limits.line, MAX_FIELD_SIZE)
    while True:
        first = lines.begin()
        # The limit is one for all threads and all users of the library: it is ours only while a row is read.
        before = csv.field_size_limit(longest)
        try:
            record = next(reader, None)
        except csv.Error as exc:
            message = f"{lines.name}, line {first}: its quotes do not match"
            raise InputError(f'{message}; write a quote within a field twice ("")') from exc
        finally:
            csv.field_size_limit(before)
        if record is None:
            return
        if record:
            yield first, record


class _Lines:
    """The lines of a chunked text, counted and measured, as an iterator for `csv`."""

    def __init__(self, texts: Iterator[str], name: str, limits: Limits) -> None:
        self.name, self.limits = name, limits
        self._number, self._first, self._size = 0, 1, 0
        self._lines = self._split(texts)
        self._peeked: str | None = None

    def peek(self) -> str:
        """Return the first line that is not blank, without consuming it."""
        for line in self._lines:
            if not line.isspace():
                self._peeked = line
                return line
            self._number += 1
        return ""

    def begin(self) -> int:
        """Begin a row, and return the number of its first line."""
        self._first, self._size = self._number + 1, 0
        return self._first

    def __iter__(self) -> Iterator[str]:
        return self

    def __next__(self) -> str:
        if self._peeked is None:
            line = next(self._lines)
        else:
            line, self._peeked = self._peeked, None
        self._number += 1
        self._size += len(line)
        self._refuse_long(self._size)
        return line

    def _split(self, texts: Iterator[str]) -> Iterator[str]:
        parts: list[str] = []
        held = total = 0
        for text in texts:
            held, total = held + len(text), total + len(text)
            if total > self.limits.total:
                raise InputError(f"{self.name}: has more than {self.limits.total >> 20} MB; split it")
            parts.append(text)
            if "\n" not in text and "\r" not in text:
                self._refuse_long(held)
                continue
            lines = list(io.StringIO("".join(parts), newline=""))
            # The end of the last one may be to come, as the line feed of a carriage return.
            parts, held = lines[-1:], len(lines[-1])
            yield from lines[:-1]
        yield from io.StringIO("".join(parts), newline="")

    def _refuse_long(self, size: int) -> None:
        if size > self.limits.line:
            raise InputError(
                f"{self.name}, line {self._first}: a row of more than {self.limits.line >> 20} MB; "
                "is a quote not closed? Else split its text"
            )
