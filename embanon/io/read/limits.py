"""Limits on input: one that unpacks to more than memory is refused, not tried."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import BinaryIO, Final

from embanon.errors import InputError


@dataclass(frozen=True, slots=True)
class Limits:
    """Bytes, after unpacking."""

    text: int = 256 << 20  # a plain text file
    markup: int = 32 << 20  # a page, Markdown or a message, whose pieces are held as well
    line: int = 64 << 20  # a line of JSON
    total: int = 8 << 30  # all lines of a file
    buffered: int = 256 << 20  # lines of standard input, which is held until its last line is known to be good


LIMITS: Final = Limits()


@contextmanager
def read_errors(name: str) -> Iterator[None]:
    """Turn errors of reading into messages, those of a broken gzip file included."""
    try:
        yield
    except gzip.BadGzipFile:
        raise
    except IsADirectoryError as exc:
        raise InputError(f"{name}: is a folder; name its files") from exc
    except OSError as exc:
        raise InputError(f"{name}: cannot be read ({exc.strerror})") from exc


@contextmanager
def open_gzip(stream: BinaryIO, name: str) -> Iterator[BinaryIO]:
    """Open a gzip file for reading; it can seek only if its source can."""
    with gzip.GzipFile(fileobj=stream) as content:
        try:
            yield content  # type: ignore[misc]
        except (EOFError, zlib.error, gzip.BadGzipFile) as exc:
            raise InputError(f"{name}: is not a whole gzip file; fetch or pack it again") from exc
