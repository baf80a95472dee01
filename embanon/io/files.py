"""Write a file whole or not at all."""

from __future__ import annotations

import contextlib
import os
import secrets
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO


def replace_file(path: Path, data: bytes, mode: int = 0o600) -> None:
    """Replace a file once the new one is whole and on disk; by default, only its owner may read it.

    A pipe or a device is written to directly, as it cannot be replaced.
    """
    with open_replacement(path, mode) as file:
        file.write(data)


@contextlib.contextmanager
def open_replacement(path: Path, mode: int = 0o600) -> Iterator[BinaryIO]:
    """Open what replaces a file, as `replace_file` does, when all is written."""
    if path.exists() and not path.is_file():
        with path.open("wb") as file:
            yield file
        return
    aside = path.with_name(f".embanon-{secrets.token_hex(8)}")  # no longer than any name may be
    try:
        with os.fdopen(os.open(aside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode), "wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        aside.replace(path)
    finally:  # also where the process is told to end
        with contextlib.suppress(OSError):  # where its folder is none, there is nothing to put away
            aside.unlink(missing_ok=True)


def resolve_link(path: str | Path) -> Path:
    """Return the file that a path leads to, following links such as `/dev/stdout`."""
    return Path(path).resolve() if Path(path).is_file() else Path(path)
