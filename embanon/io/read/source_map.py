"""A document as it lies in its file: the text that is read, and where each part of it stands in the source.

A part of the text is a piece of the source as it stands, or one sign that the source writes otherwise (`&amp;`), or
white space between what the source has apart, as two cells. What is marked up inside a sentence leaves no gap.
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
"""Writes a text in the notation of a place in the source."""
Offsets = tuple[int, int]
Ints = NDArray[np.int64]

SPACE, LINE, PARAGRAPH = " ", "\n", "\n\n"
"""What parts two pieces."""


def unescaped(text: str) -> str:
    """Write a text where nothing has a meaning of its own."""
    return text


@dataclass(frozen=True, slots=True)
class TextColumns:
    """Which columns of a table hold text, which its id, and which are written as they are."""

    texts: tuple[str, ...] = ("text",)
    id: str | None = None
    """`None` is `id` where there is one, else the number of the row."""
    carried: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ReadOptions:
    """How an input is read."""

    encoding: str | None = None
    """`None` is that of the format: UTF-8, or as the file says itself."""
    columns: TextColumns = field(default_factory=TextColumns)
    limits: Limits = LIMITS


@dataclass(frozen=True, slots=True, eq=False)
class SourceMap:
    """The pieces of a text in order: where each begins in it, and where it stands in the source."""

    text_start: Ints
    start: Ints
    end: Ints
    is_verbatim: NDArray[np.bool_]
    """Whether it stands in the source sign for sign."""
    notation: Ints
    """The number of its escape."""


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
    """Where the source has words that are no text, as scripts."""
    omitted_parts: tuple[str, ...] = ()
    """What of the file is not in the source."""
    record_id: str = ""
    """Its id in its file, where that has more than one."""
    id_span: Offsets | None = None
    """Where the source has the id."""
    prefix: str = field(default="", repr=False)
    """What is written before it, as the header of a table."""
    dropped: str = field(default="", repr=False)
    """What the file says besides that is not in the source, as headers for machines."""

    @property
    def text_outside(self) -> str:
        """Return what is said of it outside of its text: in scripts, other fields, headers, its id."""
        unread = (self.raw[start:end] for start, end in self.unread_spans)
        parts = (self.prefix, *unread, *_json_strings(self.document.fields), self.record_id, self.dropped)
        return "\n\n".join(filter(None, parts))


def _json_strings(value: Any) -> Iterator[str]:
    """Return the texts in a value of JSON, keys as well."""
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
    """Lays out a source piece by piece."""

    def __init__(self, raw: str, escapes: Sequence[Escape]) -> None:
        self.raw, self.escapes = raw, tuple(escapes)
        self.unread_spans: list[Offsets] = []
        self._shown: list[str] = []
        self._rows: list[tuple[int, int, int, bool, int]] = []
        self._length = 0
        self._gap = ""
        self._asides: list[tuple[Callable[[int, int, int], None], Offsets, int]] = []

    def add_text(self, start: int, end: int, notation: int = 0) -> None:
        """Read a piece of the source as it stands."""
        if start < end:
            self._add(self.raw[start:end], start, end, True, notation)

    def add_decoded(self, start: int, end: int, shown: str, notation: int = 0) -> None:
        """Read a piece of the source that means something else than it says."""
        if shown:
            self._add(shown, start, end, shown == self.raw[start:end], notation)

    def add_gap(self, parting: str) -> None:
        """Part what comes next from what was before."""
        self._gap = max(self._gap, parting, key=lambda one: (one.count("\n"), len(one)))

    def defer(self, read: Callable[[int, int, int], None], start: int, end: int, notation: int) -> None:
        """Read a piece of the source behind everything else, as it would tear a sentence here."""
        if start < end:
            self._asides.append((read, (start, end), notation))

    def flush_deferred(self) -> None:
        """Read what was put aside, a paragraph each."""
        asides, self._asides = self._asides, []
        for read, (start, end), notation in asides:
            self.add_gap(PARAGRAPH)
            read(start, end, notation)
        self.add_gap(PARAGRAPH)

    def build(self, id: str, codec: str = "utf-8", mark: bytes = b"", left_out: Sequence[str] = ()) -> SourceDocument:
        """Return what is laid out."""
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
    """Return a text as an encoding can write it: without accents that it lacks, and with a question mark at worst."""
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
