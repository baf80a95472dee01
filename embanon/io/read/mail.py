"""E-mail (.eml): sender, recipients, subject, and the parts that are text.

The source is the message written anew: the headers that people read, decoded, and the parts of text as UTF-8,
so that phrases in it can be replaced. Headers that machines read (ids, routes, signatures) tell whom a message is
of, and are not in the text, nor are attachments, which are documents behind it if they are asked for. Restoring an
anonymized message returns this source.
"""

from __future__ import annotations

import re
from codecs import BOM_UTF8
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field, replace
from email import message_from_bytes
from email.errors import InvalidBase64CharactersDefect, InvalidBase64LengthDefect, MessageError
from email.header import decode_header
from email.message import Message
from email.policy import compat32
from typing import Any, BinaryIO, Final

from embanon.errors import DecodingError, InputError
from embanon.io.read import text
from embanon.io.read.attachments import read_attachments
from embanon.io.read.html_page import ESCAPES as HTML_ESCAPES, HtmlScanner
from embanon.io.read.source_map import PARAGRAPH, ReadOptions, SourceDocument, SourceMapBuilder, unescaped
from embanon.io.read.text import read_bytes

HEADERS: Final = ("From", "To", "Cc", "Bcc", "Reply-To", "Subject")
"""The headers that are kept, in this order."""
TEXT_SUBTYPES: Final = ("plain", "html")
MULTIPLE: Final = frozenset("alternative digest mixed parallel related report signed".split())
MAX_PARTS: Final = 1000
MAX_DEPTH: Final = 50
MAX_HEADER_LENGTH: Final = 100_000
MAX_FILE_NAME: Final = 1000
BREAKS: Final = re.compile(r"[\r\n]+[ \t]*")
CONTROLS: Final = re.compile("[\x00-\x08\x0b-\x1f\x7f]")
SIGNATURE_SUFFIXES: Final = ("signature", "seal")
"""Ends of the names of headers that hold letters by chance."""
DAMAGED: Final = (InvalidBase64CharactersDefect, InvalidBase64LengthDefect)
BOUNDARY: Final = "=_part_{}"

HEADER, PLAIN, HTML = range(3)


def _escape_header(text: str) -> str:
    """Escape a part of a header, which is one line."""
    return CONTROLS.sub(" ", BREAKS.sub(" ", text))


ESCAPES: Final = (_escape_header, unescaped, *HTML_ESCAPES)


def documents(stream: BinaryIO, name: str, reading: ReadOptions) -> Iterator[SourceDocument]:
    """Yield the document of a message, whose id is the name of the file; attachments behind it if they are wanted."""
    data = read_bytes(stream, name, reading.encoding, reading.limits, marked=True)
    line_end = "\r\n" if b"\r\n" in data[:MAX_HEADER_LENGTH] else "\n"
    try:
        message = message_from_bytes(data.removeprefix(BOM_UTF8), policy=compat32)
        read = list(_read_message(message, name, line_end, reading))
    except RecursionError as exc:
        raise InputError(f"{name}: its parts are nested too deep") from exc
    yield from read


def _read_message(
    message: Message[str, str], name: str, line_end: str, reading: ReadOptions, depth: int = 0
) -> Iterator[SourceDocument]:
    writing = _MessageWriter(name, line_end, reading.encoding)
    writing.message(message)
    if not writing.headers:
        raise InputError(f"{name}: is no e-mail: it has none of the headers {', '.join(HEADERS)}")
    laying, headers = SourceMapBuilder("".join(writing.parts), ESCAPES), list[tuple[str, int, int]]()
    for kind, start, end in writing.text_spans:
        laying.add_gap(PARAGRAPH)
        if kind == HEADER and start < end:
            place = laying.length
            headers.append((writing.names[start], place, place + end - start))
        if kind == HTML:
            HtmlScanner(laying, HTML).read(start, end)
            laying.flush_deferred()
        else:
            laying.add_text(start, end, kind)
    attached, unread = list[SourceDocument](), writing.attachments
    if reading.whole:
        attached, unread = read_attachments(
            unread, name, reading, depth, lambda part, its, deep: _read_message(part, its, line_end, reading, deep)
        )
    for _, part in unread:
        writing.drop_attachment(part)
    counts = (("attachments are left out", len(unread)), ("damaged parts are left out", writing.damaged_parts))
    left_out = tuple(f"{what} ({count})" for what, count in counts if count)
    source = laying.build(name, left_out=left_out)
    sent = decode_header_value(message.get("Date") or "")
    yield replace(source, headers=tuple(headers), sent=sent, dropped="\n\n".join(writing.dropped))
    yield from attached


def sources(stream: BinaryIO, name: str, reading: ReadOptions) -> Iterator[SourceDocument]:
    """Yield a message that was written by this module."""
    yield from text.sources(stream, name, replace(reading, encoding=None))


@dataclass(slots=True)
class _MessageWriter:
    """A writer of the source of a message."""

    name: str
    line_end: str
    """Of a line."""
    encoding: str | None
    parts: list[str] = field(default_factory=list)
    text_spans: list[tuple[int, int, int]] = field(default_factory=list)
    headers: int = 0
    names: dict[int, str] = field(default_factory=dict)
    """Of headers, by where their values begin."""
    attachments: list[tuple[str, Message[str, str]]] = field(default_factory=list, repr=False)
    """Files, by their names."""
    damaged_parts: int = 0
    dropped: list[str] = field(default_factory=list, repr=False)
    """Text that is not written: headers for machines, and text around parts."""
    _length: int = 0
    _part_count: int = 0

    def message(self, message: Message[str, str]) -> None:
        """Write the headers and all parts."""
        for name in HEADERS:
            for written, value in message.raw_items():  # which are not yet read for what they say
                if written.lower() == name.lower():
                    self.headers += 1
                    self._write(f"{name}: ")
                    self.names[self._length] = name
                    self._place(HEADER, decode_header_value(value))
                    self._write(self.line_end)
        self._write(f"MIME-Version: 1.0{self.line_end}")
        tree = self._tree(message, 0)
        if tree is None:
            self._write(f"Content-Type: text/plain; charset=utf-8{self.line_end}{self.line_end}")
        else:
            self._part(tree, "0")

    def _tree(self, part: Message[str, str], depth: int) -> Any:
        """Return the text of a part: `(subtype, text)`, `(subtype, [parts])`, or `None`."""
        self._part_count += 1
        self._drop(part, depth)
        if depth > MAX_DEPTH or self._part_count > MAX_PARTS:
            raise InputError(f"{self.name}: has more than {MAX_PARTS} parts, or parts nested deeper than {MAX_DEPTH}")
        if part.get_content_maintype() == "multipart":
            content = part.get_payload() if part.is_multipart() else []
            self.damaged_parts += not content
            subtrees = [self._tree(one, depth + 1) for one in content if isinstance(one, Message)]
            kept = [one for one in subtrees if one is not None]
            return kept[0] if len(kept) == 1 else (part.get_content_subtype(), kept) if kept else None
        is_file = part.get_filename() is not None or part.get_content_disposition() == "attachment"
        if part.get_content_maintype() != "text" or part.get_content_subtype() not in TEXT_SUBTYPES or is_file:
            name = _file_name(part)
            self.attachments.append((name, part))
            self.dropped.append(name)
            return None
        return part.get_content_subtype(), self._text(part)

    def _drop(self, part: Message[str, str], depth: int) -> None:
        for name, value in part.raw_items():
            if not (name.lower().endswith(SIGNATURE_SUFFIXES) or (depth == 0 and name.title() in HEADERS)):
                self.dropped.append(f"{name}: {decode_header_value(value)}")
        self.dropped += filter(None, (part.preamble, part.epilogue))

    def drop_attachment(self, part: Message[str, str]) -> None:
        """Drop the text of an attachment, such as a forwarded message."""
        for nested in part.walk():
            if nested is not part:
                self._drop(nested, 1)
            data = None if nested.is_multipart() else nested.get_payload(decode=True)
            if isinstance(data, bytes) and b"\0" not in data:
                with suppress(UnicodeError, LookupError):
                    self.dropped.append(data.decode(str(nested.get_content_charset() or "utf-8")))

    def _text(self, part: Message[str, str]) -> str:
        data = part.get_payload(decode=True)
        self.damaged_parts += any(isinstance(one, DAMAGED) for one in part.defects)
        data = data if isinstance(data, bytes) else b""
        declared = self.encoding or str(part.get_content_charset() or "utf-8")
        for codec in ("utf-8" if declared.lower() in ("us-ascii", "ascii") else declared, "utf-8"):
            try:
                decoded = data.decode(codec)
                decoded.encode("utf-8")  # which some codecs read that nothing can write
            except (UnicodeError, LookupError):
                continue
            return self.line_end.join(re.split("\r\n|\r|\n", decoded))
        raise DecodingError(
            f"{self.name}: part {self._part_count} is not in the encoding that it says; --encoding names one"
        )

    def _part(self, tree: Any, number: str) -> None:
        subtype, content = tree
        if isinstance(content, str):
            kind = f"Content-Type: text/{subtype}; charset=utf-8{self.line_end}"
            self._write(f"{kind}Content-Transfer-Encoding: 8bit{self.line_end}{self.line_end}")
            self._place(HTML if subtype == "html" else PLAIN, content)
            return
        boundary = BOUNDARY.format(number)
        kind = f'multipart/{_safe_subtype(subtype)}; boundary="{boundary}"'
        self._write(f"Content-Type: {kind}{self.line_end}{self.line_end}")
        for place, child in enumerate(content):
            self._write(f"--{boundary}{self.line_end}")
            self._part(child, f"{number}.{place}")
            self._write(self.line_end)
        self._write(f"--{boundary}--{self.line_end}")

    def _place(self, kind: int, text: str) -> None:
        start = self._length
        self._write(text)
        self.text_spans.append((kind, start, self._length))

    def _write(self, text: str) -> None:
        self.parts.append(text)
        self._length += len(text)


def _file_name(part: Message[str, str]) -> str:
    """Return the name of the file that a part is, decoded."""
    with suppress(LookupError, ValueError, TypeError):  # of what is no possible name
        return decode_header_value(part.get_filename() or "")[:MAX_FILE_NAME]
    return ""


def _safe_subtype(subtype: str) -> str:
    """Return a subtype of multipart if it is a known one, so that it gives nothing away."""
    return subtype if subtype in MULTIPLE else "mixed"


def decode_header_value(value: Any) -> str:
    """Decode a header; a part that cannot be decoded stays as it is."""
    written = (
        BREAKS.sub(" ", str(value))[:MAX_HEADER_LENGTH].encode("utf-8", "surrogateescape").decode("utf-8", "replace")
    )
    try:
        decoded = "".join(
            part.decode(codec or "utf-8", "replace") if isinstance(part, bytes) else part
            for part, codec in decode_header(written)
        )
    except (MessageError, LookupError, ValueError):
        decoded = written
    return _escape_header(decoded.encode("utf-8", "replace").decode("utf-8")).strip()
