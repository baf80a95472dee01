"""JSON Lines: one object per line, `{"id": …, "text": …, "language": …}`; further keys are for other commands.

A lone surrogate, which JSON can escape but no encoding can write, is read as U+FFFD: offsets stay, a warning
is logged. A byte-order mark before the first line is not part of it; within a text it is a character.
"""

from __future__ import annotations

import gzip
import json
import logging
import re
from collections.abc import Iterator
from functools import partial
from typing import Any, BinaryIO, Final

from embanon.document import LANGUAGE_CODE_HELP, Document, language_code
from embanon.errors import DecodingError, InputError, MissingTextError
from embanon.io.read.limits import Limits, read_errors
from embanon.io.read.source_map import ReadOptions, SourceDocument

LOG: Final = logging.getLogger(__name__)

DOCUMENT_KEYS: Final = frozenset(("id", "text", "language"))
SURROGATES: Final = re.compile("[\ud800-\udfff]")
EXAMPLE: Final = '{"id": "1", "text": "…"}'
JSON_TYPE_NAMES: Final = {
    str: "a string", int: "a number", float: "a number", bool: "true or false", list: "a list", dict: "an object",
    type(None): "null",
}  # fmt: skip


def documents(stream: BinaryIO, name: str, encoding: str | None, limits: Limits) -> Iterator[Document]:
    """Yield the documents of all lines, after the last one is known to be good."""
    _refuse_encoding(encoding, name)
    below = stream.fileobj if isinstance(stream, gzip.GzipFile) else stream
    yield from _read_validated(stream, name, limits, below is not None and below.seekable())


def sources(stream: BinaryIO, name: str, reading: ReadOptions) -> Iterator[SourceDocument]:
    """Yield the documents of all lines; the source of each is its text."""
    for document in documents(stream, name, reading.encoding, reading.limits):
        yield SourceDocument(document, document.text, record_id=document.id)


def rows(stream: BinaryIO, name: str, limits: Limits, total: int) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield the objects of all lines as they come, each with the number of its line."""
    for number, line in _lines(stream, name, limits.line, total):
        if not line.isspace():
            yield number, _object(line, f"{name}, line {number}")


def _refuse_encoding(encoding: str | None, name: str) -> None:
    if encoding and encoding.lower().replace("_", "-") not in ("utf-8", "utf8", "utf-8-sig"):
        raise InputError(f"{name}: JSON Lines are always UTF-8; convert the file, and leave out --encoding")


def _read_validated(stream: BinaryIO, name: str, limits: Limits, twice: bool) -> Iterator[Document]:
    """Check all lines before the first document is yielded, reading them twice or keeping them."""
    if not twice:
        yield from list(_parsed(stream, name, limits, limits.buffered, warn=True))
        return
    start = stream.tell()
    for _ in _parsed(stream, name, limits, limits.total):
        pass
    stream.seek(start)
    yield from _parsed(stream, name, limits, limits.total, warn=True)


def _parsed(stream: BinaryIO, name: str, limits: Limits, total: int, warn: bool = False) -> Iterator[Document]:
    for number, row in rows(stream, name, limits, total):
        where = f"{name}, line {number}"
        for key in ("id", "text"):
            if key not in row:
                raise MissingTextError(f"{where}: key {key!r} is missing; a line looks like {EXAMPLE}")
        for key in ("id", "text", "language"):
            if key in row and not isinstance(row[key], str) and not (key == "language" and row[key] is None):
                raise InputError(f"{where}: key {key!r} must be a string, not {JSON_TYPE_NAMES[type(row[key])]}")
        id, text = (_replace_surrogates(row[key], where, key, warn) for key in ("id", "text"))
        rest = {key: value for key, value in row.items() if key not in DOCUMENT_KEYS}
        yield Document(id, text, checked_language(row.get("language"), f"{where}: key 'language'"), rest)


def _lines(stream: BinaryIO, name: str, longest: int, total: int) -> Iterator[tuple[int, bytes]]:
    """Yield numbered lines; only a line feed ends one."""
    size = 0
    with read_errors(name):
        for number, line in enumerate(iter(partial(stream.readline, longest + 1), b""), 1):
            size += len(line)
            if len(line) > longest:
                raise InputError(f"{name}, line {number}: has more than {longest >> 20} MB; split its text")
            if size > total:
                raise InputError(f"{name}: has more than {total >> 20} MB; split it (split -C 100m)")
            yield number, line.removeprefix(b"\xef\xbb\xbf") if number == 1 else line


def _object(line: bytes, where: str) -> dict[str, Any]:
    try:
        row = json.loads(line.decode("utf-8"))
    except UnicodeDecodeError as exc:
        raise DecodingError(f"{where}: byte {exc.start} is not UTF-8; save the file as UTF-8") from exc
    except json.JSONDecodeError as exc:
        place = f"{where}, column {exc.colno}"
        raise InputError(f"{place}: not JSON ({exc.msg}); a line looks like {EXAMPLE}") from exc
    except (RecursionError, ValueError) as exc:  # nested too deep, or a number of too many digits
        raise InputError(f"{where}: JSON that is too deep or too large; a line looks like {EXAMPLE}") from exc
    if not isinstance(row, dict):
        raise InputError(f"{where}: must be an object, not {JSON_TYPE_NAMES[type(row)]}; a line looks like {EXAMPLE}")
    return row


def checked_language(language: str | None, where: str) -> str | None:
    """Return the short code of a row's language; an invalid value may be anything, and is not quoted."""
    code = language_code(language) if language is not None else None
    if language is not None and code is None:
        raise InputError(f"{where}: {LANGUAGE_CODE_HELP}; leave it out where it is not known")
    return code


def _replace_surrogates(text: str, where: str, key: str, warn: bool) -> str:
    clean, count = SURROGATES.subn("\ufffd", text)
    if count and warn:
        LOG.warning("%s: %d lone surrogates in key %r are read as U+FFFD", where, count, key)
    return clean
