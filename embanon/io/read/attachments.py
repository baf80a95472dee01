"""Attachments of mail as documents of their own, by the formats of files: what is none of them is left out."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from email.message import Message
from io import BytesIO
from typing import Final, TypeAlias

from embanon.errors import ConfigError, InputError
from embanon.io.read import FORMATS, TEXT, format_of, read_stream
from embanon.io.read.source_map import ReadOptions, SourceDocument
from embanon.io.read.text import check_encoding

Part: TypeAlias = "Message[str, str]"
MessageReader = Callable[[Part, str, int], Iterator[SourceDocument]]
"""Reads a message that is attached, by its name and how deep it lies."""

SUBTYPES: Final = {
    "html": "html", "xhtml+xml": "html", "csv": "csv", "tab-separated-values": "tsv", "markdown": "markdown",
    "x-ndjson": "jsonl", "jsonl": "jsonl",
}  # fmt: skip
"""What a part says that it is -> its format, where its name says nothing."""
TEXT_SUBTYPES: Final = re.compile(r"octet-stream|(.*[+-])?(json|xml|yaml|toml|javascript|sh)")
"""What else may be plain text, beside all of `text/`: reading it tells."""
ASCII: Final = ("ascii", "us-ascii")
"""What says little: many a program says so of UTF-8."""
MAX_NESTED: Final = 10
"""Messages within messages."""


def read_attachments(
    parts: Iterable[tuple[str, Part]], mail: str, reading: ReadOptions, depth: int, read_message: MessageReader
) -> tuple[list[SourceDocument], list[tuple[str, Part]]]:
    """Return the documents of attachments, all of them read, and the parts that cannot be read, by their names."""
    documents, unread = list[SourceDocument](), list[tuple[str, Part]]()
    for number, (file, part) in enumerate(parts, 1):
        name = file or f"attachment {number}"
        try:
            documents += [_name_document(one, name, mail) for one in _read(part, name, reading, depth, read_message)]
        except (InputError, ConfigError):
            unread.append((file, part))
    return documents, unread


def _read(
    part: Part, name: str, reading: ReadOptions, depth: int, read_message: MessageReader
) -> Iterator[SourceDocument]:
    if part.get_content_type() == "message/rfc822" and part.is_multipart():
        if depth >= MAX_NESTED:
            raise InputError(f"{name}: lies in more than {MAX_NESTED} messages")
        for nested in part.get_payload():
            if isinstance(nested, Message):
                yield from read_message(nested, name, depth + 1)
        return
    data = part.get_payload(decode=True)
    format = _format(part, name)
    if part.defects or format is None or not isinstance(data, bytes):
        raise InputError(f"{name}: is of no format that can be read")
    limits = replace(reading.limits, total=reading.limits.buffered)
    declared = reading.encoding or part.get_content_charset()
    declared = None if declared in ASCII else declared
    known = FORMATS[format]
    encoding = check_encoding(declared) if declared and known.module not in ("jsonl", "mail") else None
    yield from read_stream(known, BytesIO(data), name, replace(reading, encoding=encoding, limits=limits))


def _format(part: Part, name: str) -> str | None:
    main, kind = part.get_content_maintype(), part.get_content_subtype()
    if known := format_of(name) or SUBTYPES.get(kind):
        return known
    return TEXT if main == "text" or (main == "application" and TEXT_SUBTYPES.fullmatch(kind)) else None


def _name_document(source: SourceDocument, name: str, mail: str) -> SourceDocument:
    """Return a document with the name of its mail, its attachment and its place in that."""
    inside = source.document.id
    behind = inside if inside == name or inside.startswith((f"{name}#", f"{name}:")) else f"{name}#{inside}"
    document = replace(source.document, id=f"{mail}#{behind}")
    return replace(source, document=document, attachment=name)
