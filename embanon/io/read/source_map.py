"""A document in its file: the text that is read, and where each part of it stands in the source.

A part of the text is a verbatim piece of the source, a character that the source encodes (`&amp;`), or
white space between separate parts of the source, such as cells. Markup inside a sentence leaves no gap.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from embanon.document import Document
from embanon.io.read.limits import LIMITS, Limits

Escape = Callable[[str], str]
"""A function that escapes a text for a place in the source."""
Offsets = tuple[int, int]
Ints = NDArray[np.int64]

SPACE, LINE, PARAGRAPH = " ", "\n", "\n\n"
"""Separators of pieces."""


def unescaped(text: str) -> str:
    """Return the text as it is, where nothing needs escaping."""
    return text


@dataclass(frozen=True, slots=True)
class TextColumns:
    """The columns of a table that hold text, its id, and values that are written unchanged."""

    texts: tuple[str, ...] = ("text",)
    id: str | None = None
    """`None` means the column `id` if there is one, else the number of the row."""
    carried: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ReadOptions:
    """How an input is read."""

    encoding: str | None = None
    """`None` means that of the format: UTF-8, or as the file declares."""
    columns: TextColumns = field(default_factory=TextColumns)
    limits: Limits = LIMITS
    whole: bool = False
    """Whether nothing may be passed over: attachments of mail are documents behind it, and tables without a column of
    text are plain text."""


@dataclass(frozen=True, slots=True, eq=False)
class SourceMap:
    """The pieces of a text in order: where each begins in it, and where it stands in the source."""

    text_start: Ints
    start: Ints
    end: Ints
    is_verbatim: NDArray[np.bool_]
    """Whether the source has the piece verbatim."""
    notation: Ints
    """The index of the escape function."""


@dataclass(frozen=True, slots=True)
class SourceDocument:
    """A document and its source; without pieces, its text is the source."""

    document: Document
    raw: str = field(repr=False)
    source_map: SourceMap | None = field(default=None, repr=False)
    escapes: tuple[Escape, ...] = (unescaped,)
    codec: str = "utf-8"
    byte_order_mark: bytes = b""
    """The byte-order mark of the file."""
    unread_spans: tuple[Offsets, ...] = ()
    """Offsets of words in the source that are not text, such as scripts."""
    omitted_parts: tuple[str, ...] = ()
    """Parts of the file that are not in the source."""
    record_id: str = ""
    """Its id in its file, where that has more than one."""
    id_span: Offsets | None = None
    """Offsets of the id in the source."""
    prefix: str = field(default="", repr=False)
    """Text that is written before the source, such as the header of a table."""
    attachment: str = field(default="", repr=False)
    """The name of the attachment that it is or stands in."""
    headers: tuple[tuple[str, int, int], ...] = ()
    """Where the headers of mail stand in the text, by name."""
    sent: str = ""
    """When mail was sent, as it says."""
    dropped: str = field(default="", repr=False)
    """Text of the file that is not in the source, such as headers for machines."""

    @property
    def text_outside(self) -> str:
        """Return what the file has outside of the text: scripts, other fields, headers, the id."""
        unread = (self.raw[start:end] for start, end in self.unread_spans)
        parts = (self.prefix, *unread, *_json_strings(self.document.fields), self.record_id, self.dropped)
        return "\n\n".join(filter(None, parts))


def _json_strings(value: Any) -> Iterator[str]:
    """Yield the strings in a JSON value, keys included."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for name, item in value.items():
            yield name
            yield from _json_strings(item)
    elif isinstance(value, list):
        for item in value:
            yield from _json_strings(item)


class SourceMapBuilder:
    """Builds the map of a source piece by piece."""

    def __init__(self, raw: str, escapes: Sequence[Escape]) -> None:
        self.raw, self.escapes = raw, tuple(escapes)
        self.unread_spans: list[Offsets] = []
        self._shown: list[str] = []
        self._rows: list[tuple[int, int, int, bool, int]] = []
        self._length = 0
        self._gap = ""
        self._asides: list[tuple[Callable[[int, int, int], None], Offsets, int]] = []

    def add_text(self, start: int, end: int, notation: int = 0) -> None:
        """Add a verbatim piece of the source."""
        if start < end:
            self._add(self.raw[start:end], start, end, True, notation)

    def add_decoded(self, start: int, end: int, shown: str, notation: int = 0) -> None:
        """Add a piece of the source that is encoded."""
        if shown:
            self._add(shown, start, end, shown == self.raw[start:end], notation)

    @property
    def length(self) -> int:
        """Return how long the text is so far, with the gap before what comes next."""
        return self._length + len(self._gap if self._length else "")

    def add_gap(self, parting: str) -> None:
        """Separate the next piece from the last."""
        self._gap = max(self._gap, parting, key=lambda one: (one.count("\n"), len(one)))

    def defer(self, read: Callable[[int, int, int], None], start: int, end: int, notation: int) -> None:
        """Defer a piece of the source to the end, as it would break a sentence here."""
        if start < end:
            self._asides.append((read, (start, end), notation))

    def flush_deferred(self) -> None:
        """Add the deferred pieces, each as a paragraph."""
        asides, self._asides = self._asides, []
        for read, (start, end), notation in asides:
            self.add_gap(PARAGRAPH)
            read(start, end, notation)
        self.add_gap(PARAGRAPH)

    def build(self, id: str, codec: str = "utf-8", mark: bytes = b"", left_out: Sequence[str] = ()) -> SourceDocument:
        """Return the document with its source map."""
        self.flush_deferred()
        columns = [np.array(column) for column in zip(*self._rows, strict=True)] or [np.zeros(0, np.int64)] * 5
        at, start, end, exact, notation = columns
        pieces = SourceMap(at, start, end, exact.astype(bool), notation)
        document = Document(id, "".join(self._shown))
        unread = tuple(self.unread_spans)
        return SourceDocument(document, self.raw, pieces, self.escapes, codec, mark, unread, tuple(left_out))

    def _add(self, shown: str, start: int, end: int, exact: bool, notation: int) -> None:
        if self._gap and self._length:
            self._put(self._gap, start, start, False, notation)
        self._gap = ""
        self._put(shown, start, end, exact, notation)

    def _put(self, shown: str, start: int, end: int, exact: bool, notation: int) -> None:
        self._shown.append(shown)
        self._rows.append((self._length, start, end, exact, notation))
        self._length += len(shown)


PLAIN_SUBSTITUTES: Final = {"’": "'", "‘": "'", "“": '"', "”": '"', "–": "-", "—": "-", "…": "..."}


def make_encodable(text: str, codec: str) -> str:
    """Return a text that an encoding can write: without accents that it lacks, or with question marks at worst."""
    try:
        text.encode(codec)
    except UnicodeEncodeError:
        return "".join(_encodable_character(sign, codec) for sign in text)
    return text


def _encodable_character(sign: str, codec: str) -> str:
    for choice in (sign, PLAIN_SUBSTITUTES.get(sign, ""), unicodedata.normalize("NFKD", sign)[:1]):
        try:
            choice.encode(codec)
        except UnicodeEncodeError:
            continue
        if choice:
            return choice
    return "?"
