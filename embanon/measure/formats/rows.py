"""JSON of any layout: a value that fills a file, or one a line; both packed or not.

What is read is told from what stands there, not from the name. Offsets are of texts as they are written, so a lone
surrogate becomes U+FFFD and nothing else is changed.
"""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, BinaryIO, Final, NoReturn

from embanon.document import language_code
from embanon.errors import InputError
from embanon.io import JSON_TYPE_NAMES, LIMITS, SURROGATES, Limits, decode, open_gzip, read_bytes
from embanon.taxonomy import GZIP, CountingReader

TOO_DEEP: Final = "JSON that is too deep or too large"


@dataclass(frozen=True, slots=True)
class JsonRow:
    """A JSON value and its place: the file, and its line or number."""

    where: str
    value: Any = field(repr=False)

    def refuse(self, message: str) -> NoReturn:
        """Raise an error that names this place."""
        raise InputError(f"{self.where}: {message}")

    def get(self, key: str, kind: type, *, missing: str = "") -> Any:
        """Return what a key of this object holds, which is of a kind."""
        if key not in self.value:
            self.refuse(f"key {key!r} is missing{missing and f'; {missing}'}")
        value = self.value[key]
        if not isinstance(value, kind):
            self.refuse(f"key {key!r} must be {JSON_TYPE_NAMES[kind]}, not {json_kind(value)}")
        return replace_surrogates(value) if isinstance(value, str) else value

    @property
    def language(self) -> str | None:
        """Return the code of the language that this object names."""
        language = self.value.get("language")
        return language_code(language) if isinstance(language, str) else None


def first_object(value: Any) -> dict[str, Any]:
    """Return an object, or the first one of a list; an empty one where there is none."""
    first = value[0] if isinstance(value, list) and value else value
    return first if isinstance(first, dict) else {}


def json_kind(value: Any) -> str:
    """Return the name of the kind of JSON a value is."""
    return JSON_TYPE_NAMES[type(value)]


def replace_surrogates(text: str) -> str:
    """Replace lone surrogates, which no encoding can write."""
    return SURROGATES.sub("\ufffd", text)


def read_rows(path: str, limits: Limits = LIMITS) -> list[JsonRow]:
    """Return the values of a file, at least one: of lines of JSON one each, else the one that fills it."""
    with io.BufferedReader(CountingReader(path)) as stream:
        if stream.peek(len(GZIP)).startswith(GZIP):
            with open_gzip(stream, path) as content:
                text = read_utf(content, path, limits)
        else:
            text = read_utf(stream, path, limits)
    if not text.strip():
        raise InputError(f"{path}: is empty; where no document is marked there is an empty list, []")
    return list(_line_rows(text, path)) or [JsonRow(path, _parsed(text, path))]


def objects(rows: list[JsonRow]) -> Iterator[JsonRow]:
    """Return the objects of some values; lists have them as items."""
    for row in rows:
        several = isinstance(row.value, list)
        items = [JsonRow(f"{row.where}, item {n}", item) for n, item in enumerate(row.value, 1)] if several else [row]
        for item in items:
            if not isinstance(item.value, dict):
                item.refuse(f"must be an object, not {json_kind(item.value)}")
            yield item


def read_utf(stream: BinaryIO, name: str, limits: Limits = LIMITS) -> str:
    """Return the contents of a file in UTF-8, or in the UTF of its byte order mark; no others are read."""
    try:
        return decode(read_bytes(stream, name, None, limits), name)
    except InputError as exc:
        what, _, advice = str(exc).rpartition("; ")
        if "--encoding" not in advice:
            raise
        raise type(exc)(f"{what}; save the file as UTF-8") from None


def _line_rows(text: str, path: str) -> Iterator[JsonRow]:
    """Return the value of each line; none where the first value goes on behind its line, or is the only one."""
    lines = [(number, line) for number, line in enumerate(text.split("\n"), 1) if line and not line.isspace()]
    if len(lines) < 2:
        return
    try:
        first = _decoded(lines[0][1])
    except (ValueError, RecursionError, InputError):
        return
    yield JsonRow(f"{path}, line {lines[0][0]}", first)
    for number, line in lines[1:]:
        yield JsonRow(f"{path}, line {number}", _parsed(line, f"{path}, line {number}", line=False))


def _parsed(text: str, where: str, *, line: bool = True) -> Any:
    try:
        return _decoded(text)
    except json.JSONDecodeError as exc:
        place = f"line {exc.lineno}, column {exc.colno}" if line else f"column {exc.colno}"
        raise InputError(f"{where}, {place}: not JSON ({exc.msg}); fetch or write the file again") from None
    except _DuplicateKeyError:
        raise InputError(f"{where}: an object has the same key twice; each document may be there once") from None
    except (RecursionError, ValueError):
        raise InputError(f"{where}: {TOO_DEEP}, or a number that is none; write the file again") from None


class _DuplicateKeyError(ValueError):
    """A key that is there twice, of which one value would be lost."""


def _decoded(text: str) -> Any:
    return json.loads(text, object_pairs_hook=_unique_keys, parse_constant=_reject_constant)


def _unique_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    table = dict(pairs)
    if len(table) < len(pairs):
        raise _DuplicateKeyError
    return table


def _reject_constant(_name: str) -> NoReturn:
    raise ValueError
