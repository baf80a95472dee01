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

from embanon.errors import InputError
from embanon.io.read.jsonl import NAMES, SURROGATES
from embanon.io.read.limits import LIMITS, Limits, unzipped
from embanon.io.read.text import decode, whole
from embanon.taxonomy.sources.unpacked import GZIP, Source

TOO_DEEP: Final = "JSON that is too deep or too large"


@dataclass(frozen=True, slots=True)
class Row:
    """A value of JSON, and where it stands: the file, and its line or number."""

    where: str
    value: Any = field(repr=False)

    def refuse(self, message: str) -> NoReturn:
        """Say what is wrong here."""
        raise InputError(f"{self.where}: {message}")

    def get(self, key: str, kind: type, *, missing: str = "") -> Any:
        """Give what a key of this object holds, which is of a kind."""
        if key not in self.value:
            self.refuse(f"key {key!r} is missing{missing and f'; {missing}'}")
        value = self.value[key]
        if not isinstance(value, kind):
            self.refuse(f"key {key!r} must be {NAMES[kind]}, not {named(value)}")
        return clean(value) if isinstance(value, str) else value


def named(value: Any) -> str:
    """Say what kind of JSON a value is."""
    return NAMES[type(value)]


def clean(text: str) -> str:
    """Replace lone surrogates, which no encoding can write."""
    return SURROGATES.sub("\ufffd", text)


def rows(path: str, limits: Limits = LIMITS) -> list[Row]:
    """Give the values of a file, at least one: of lines of JSON one each, else the one that fills it."""
    with io.BufferedReader(Source(path)) as stream:
        if stream.peek(len(GZIP)).startswith(GZIP):
            with unzipped(stream, path) as content:
                text = written(content, path, limits)
        else:
            text = written(stream, path, limits)
    if not text.strip():
        raise InputError(f"{path}: is empty; where no document is marked there is an empty list, []")
    return list(_of_lines(text, path)) or [Row(path, _parsed(text, path))]


def objects(found: list[Row]) -> Iterator[Row]:
    """Give the objects of some values; lists have them as items."""
    for row in found:
        several = isinstance(row.value, list)
        items = [Row(f"{row.where}, item {n}", item) for n, item in enumerate(row.value, 1)] if several else [row]
        for item in items:
            if not isinstance(item.value, dict):
                item.refuse(f"must be an object, not {named(item.value)}")
            yield item


def written(stream: BinaryIO, name: str, limits: Limits = LIMITS) -> str:
    """Give what stands in a file of UTF-8, or of a UTF that its mark tells: no other encoding can be named here."""
    try:
        return decode(whole(stream, name, None, limits), name)
    except InputError as exc:
        what, _, advice = str(exc).rpartition("; ")
        if "--encoding" not in advice:
            raise
        raise type(exc)(f"{what}; save the file as UTF-8") from None


def _of_lines(text: str, path: str) -> Iterator[Row]:
    """Give the value of each line; none where the first value goes on behind its line, or is the only one."""
    lines = [(number, line) for number, line in enumerate(text.split("\n"), 1) if line and not line.isspace()]
    if len(lines) < 2:
        return
    try:
        first = _decoded(lines[0][1])
    except (ValueError, RecursionError, InputError):
        return
    yield Row(f"{path}, line {lines[0][0]}", first)
    for number, line in lines[1:]:
        yield Row(f"{path}, line {number}", _parsed(line, f"{path}, line {number}", line=False))


def _parsed(text: str, where: str, *, line: bool = True) -> Any:
    try:
        return _decoded(text)
    except json.JSONDecodeError as exc:
        place = f"line {exc.lineno}, column {exc.colno}" if line else f"column {exc.colno}"
        raise InputError(f"{where}, {place}: not JSON ({exc.msg}); fetch or write the file again") from None
    except _TwiceError:
        raise InputError(f"{where}: an object has the same key twice; each document may be there once") from None
    except (RecursionError, ValueError):
        raise InputError(f"{where}: {TOO_DEEP}, or a number that is none; write the file again") from None


class _TwiceError(ValueError):
    """A key that is there twice, of which one value would be lost."""


def _decoded(text: str) -> Any:
    return json.loads(text, object_pairs_hook=_once, parse_constant=_refuse)


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise _TwiceError
    return found


def _refuse(_name: str) -> NoReturn:
    raise ValueError
