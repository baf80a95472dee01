"""From bytes to documents: one file a family of formats, and the table of them."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import BinaryIO, Final

from embanon.document import Document
from embanon.errors import ConfigError, InputError
from embanon.read import jsonl, text
from embanon.read.limits import LIMITS, Limits

Reader = Callable[[BinaryIO, str, "str | None", Limits], Iterator[Document]]

TEXT: Final = "text"

FORMATS: Final[dict[str, Reader]] = {
    "jsonl": jsonl.documents,
    "jsonl.gz": jsonl.zipped_documents,
    TEXT: text.documents,  # also any other ending: it is plain text, or is refused as none
}
"""Name of a format -> what reads it."""

ENDINGS: Final = {format: format for format in FORMATS} | {"txt": TEXT}
"""How the name of a file ends -> its format."""

STDIN: Final = "-"


def read(
    path: str,
    encoding: str | None = None,
    format: str | None = None,
    limits: Limits = LIMITS,
) -> Iterator[Document]:
    """Give the documents of a file, or of standard input for "-", whose format is plain text unless named.

    Nothing is given before all of the input is known to be readable. The encoding is that of plain text.
    """
    if format is not None and format not in FORMATS:
        raise ConfigError(f"no format {format!r}; known: {', '.join(FORMATS)}")
    reader = FORMATS[format or format_of(path) or TEXT]
    if path == STDIN:
        if sys.stdin is None:  # as Python has it where it was started with `<&-`
            raise InputError("-: standard input is closed; name a file, or send a text: embanon … - < FILE")
        yield from reader(sys.stdin.buffer, path, encoding, limits)
        return
    with opened(path) as stream:
        yield from reader(stream, path, encoding, limits)


def format_of(path: str) -> str | None:
    """Give the format that a name says, or `None`."""
    return next((format for ending, format in ENDINGS.items() if path.lower().endswith(f".{ending}")), None)


def opened(path: str) -> BinaryIO:
    """Open a file to read its bytes."""
    try:
        return Path(path).open("rb")
    except (OSError, ValueError) as exc:
        raise refusal(path, exc) from exc


def refusal(path: str, exc: OSError | ValueError) -> InputError:
    """Say why a file cannot be opened."""
    if isinstance(exc, FileNotFoundError):
        return InputError(f"{path}: no such file; check the name, or use - for standard input")
    if isinstance(exc, IsADirectoryError):
        return InputError(f"{path}: is a folder; name its files, such as {path.rstrip('/')}/*.txt")
    if isinstance(exc, PermissionError):
        if Path(path).is_dir():  # as Windows says it
            return InputError(f"{path}: is a folder; name its files")
        return InputError(f"{path}: may not be read; change its permissions (chmod u+r)")
    reason = getattr(exc, "strerror", None) or "not a possible name"
    return InputError(f"{path!r}: cannot be opened ({reason})")
