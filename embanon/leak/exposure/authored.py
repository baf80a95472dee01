"""Texts with their authors: mails, mailboxes, and rows of chats and posts, one by one.

An author is their address, or the value of a field; names that are written before an address are names of its owner.
"""

from __future__ import annotations

import mailbox
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import nullcontext, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from io import BytesIO
from typing import Any, BinaryIO, Final

from embanon.document import Document
from embanon.entities import fold_text
from embanon.errors import ConfigError, InputError
from embanon.io import (
    FORMATS,
    TEXT,
    ReadOptions,
    SourceDocument,
    format_of,
    open_gzip,
    open_source,
    read_stream,
    read_table,
    rows,
)

SENDER: Final = "from"
"""The header that says who wrote a mail."""
MAILBOX_SUFFIX: Final = ".mbox"
DATE_FIELDS: Final = ("date", "time", "timestamp", "created_at", "created", "ts", "datum", "fecha", "data")
"""Where rows usually say when, unless a field is named."""
MAX_FIELD: Final = 500
"""Characters of who wrote a text: what is longer is none."""
ADDRESS: Final = re.compile(r"[\w.+'-]+@[\w-]+(?:\.[\w-]+)+")
MILLISECONDS: Final = 1e11
"""From this number on a time is in milliseconds."""
EARLIEST: Final = 100_000_000
"""Seconds since 1970 below which a number is no time."""


@dataclass(frozen=True, slots=True)
class Author:
    """Who wrote a text: an address or the name of a user, and the names that go with it."""

    key: str = field(repr=False)
    names: tuple[str, ...] = field(default=(), repr=False)


@dataclass(frozen=True, slots=True)
class AuthoredText:
    """A text, who wrote it, and when, as far as that is known."""

    document: Document
    author: Author | None = field(repr=False)
    day: str | None = None
    """Such as 2026-11-20."""
    headers: tuple[tuple[str, int, int], ...] = ()
    """Where the headers of a mail stand in the text, by name."""


@dataclass(frozen=True, slots=True)
class AuthorColumns:
    """The fields of rows, and the header of mails, that are read."""

    by: str = SENDER
    text: str = "text"
    id: str = "id"
    date: str | None = None
    """`None` means the first of the usual ones."""

    def __post_init__(self) -> None:
        """Refuse names of nothing."""
        if not self.by.strip():
            raise ConfigError("--by is empty; name the header or the field that says who wrote a text, such as from")


def parse_author(written: str) -> Author | None:
    """Return who is meant by a header or a field; `None` where nobody is."""
    written = " ".join(written.split())[:MAX_FIELD]
    address = ADDRESS.search(written)
    if address is None:
        name = written.strip(" \"'<>()")
        return Author(fold_text(name), (name,)) if name else None
    name = (written[: address.start()] + written[address.end() :]).strip(" \"'<>(),;")
    return Author(address[0].lower(), (name,) if name else ())


def parse_day(written: Any) -> str | None:
    """Return the day of a date as mails, exports and clocks write it; `None` where it is none."""
    if isinstance(written, int | float) and not isinstance(written, bool):
        seconds = written / 1000 if written > MILLISECONDS else float(written)
        with suppress(ValueError, OverflowError, OSError):
            return datetime.fromtimestamp(seconds, UTC).date().isoformat() if seconds >= EARLIEST else None
    if not isinstance(written, str) or not written.strip():
        return None
    with suppress(ValueError):
        return datetime.fromisoformat(written.strip()).date().isoformat()
    with suppress(ValueError):
        return parse_day(float(written))
    with suppress(ValueError, TypeError, IndexError):
        return parsedate_to_datetime(written).date().isoformat()
    return None


def read_authored(
    path: str, columns: AuthorColumns, reading: ReadOptions, format: str | None = None,
    left_out: list[str] | None = None,
) -> Iterator[AuthoredText]:  # fmt: skip
    """Yield the texts of a file with their authors, as they are read; messages of a mailbox may be left out."""
    if path.lower().endswith(MAILBOX_SUFFIX) and format is None:
        yield from _read_mailbox(path, columns, reading, [] if left_out is None else left_out)
        return
    known = FORMATS[format or format_of(path) or TEXT]
    with open_source(path) as stream:
        if known.has_rows:
            with open_gzip(stream, path) if known.is_gzipped else nullcontext(stream) as content:
                yield from _read_rows(content, path, columns, reading, known.delimiter)
        else:
            for source in read_stream(known, stream, path, reading):
                yield _from_source(source, columns)


def read_all_authored(
    paths: Iterable[str], columns: AuthorColumns, reading: ReadOptions, format: str | None, left_out: list[str]
) -> Iterator[AuthoredText]:
    """Yield the texts of many files; what cannot be read is noted, and the others go on."""
    for path in paths:
        try:
            yield from read_authored(path, columns, reading, format, left_out)
        except InputError as exc:
            left_out.append(str(exc))


def _read_mailbox(
    path: str, columns: AuthorColumns, reading: ReadOptions, left_out: list[str]
) -> Iterator[AuthoredText]:  # fmt: skip
    """Yield the messages of a mailbox, one in memory at a time."""
    with open_source(path) as stream:
        if not stream.read(5).startswith(b"From "):
            raise InputError(f"{path}: is no mailbox, which begins with From and an address")
    box = mailbox.mbox(path, create=False)
    try:
        for number, place in enumerate(box.keys(), 1):
            name = f"{path}#{number}"
            try:
                sources = list(read_stream(FORMATS["eml"], BytesIO(box.get_bytes(place)), name, reading))
            except InputError as exc:
                left_out.append(str(exc))
                continue
            yield from (_from_source(source, columns) for source in sources)
    finally:
        box.close()


def _from_source(source: SourceDocument, columns: AuthorColumns) -> AuthoredText:
    """Return a mail with its author; of a text without headers nobody knows who wrote it."""
    text = source.document.text
    written = next((text[start:end] for name, start, end in source.headers if name.lower() == columns.by.lower()), "")
    return AuthoredText(source.document, parse_author(written), parse_day(source.sent), source.headers)


def _read_rows(
    stream: BinaryIO, path: str, columns: AuthorColumns, reading: ReadOptions, delimiter: str
) -> Iterator[AuthoredText]:  # fmt: skip
    numbered: Iterable[tuple[int, Mapping[str, Any]]]
    if delimiter:
        table = read_table(stream, path, reading.encoding, reading.limits, delimiter)
        for column, option in ((columns.text, "--column"), (columns.by, "--by")):
            table.require(path, column, f"name it with {option}")
        numbered = table.rows
    else:
        numbered = rows(stream, path, reading.limits, reading.limits.total)
    for line, row in numbered:
        if text := _from_row(row, path, line, columns):
            yield text


def _from_row(row: Mapping[str, Any], path: str, line: int, columns: AuthorColumns) -> AuthoredText | None:
    """Return a row; `None` where it has no text, as rows that say that somebody has joined."""
    text = row.get(columns.text)
    for column in (columns.text, columns.by):
        if column not in row:
            option = "--column" if column == columns.text else "--by"
            raise InputError(f"{path}, line {line}: key {column!r} is missing; name it with {option}")
    if not isinstance(text, str) or not text.strip():
        return None
    id = row.get(columns.id)
    by = row[columns.by]
    fields = (columns.date,) if columns.date else DATE_FIELDS
    day = next(filter(None, (parse_day(row.get(one)) for one in fields)), None)
    name = str(id) if isinstance(id, str | int) and str(id).strip() else f"{path}:{line}"
    author = parse_author(str(by)) if isinstance(by, str | int) and not isinstance(by, bool) else None
    language = row.get("language")
    document = Document(name, text, language if isinstance(language, str) and language.isalpha() else None)
    return AuthoredText(document, author, day)
