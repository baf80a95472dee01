"""Gzip: bytes unpacked as they are read, and what is no gzip file, or only the beginning of one, is refused."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import BinaryIO

from embanon.errors import InputError


@contextmanager
def unzipped(stream: BinaryIO, name: str) -> Iterator[BinaryIO]:
    """Give what a gzip file holds; it can always go back, but only as its source can."""
    with gzip.GzipFile(fileobj=stream) as content:
        try:
            yield content  # type: ignore[misc]
        except (EOFError, zlib.error, gzip.BadGzipFile) as exc:
            raise InputError(f"{name}: is not a whole gzip file; fetch or pack it again") from exc
