"""What commands share that write files: which may be written over, the key of a table, all of a file or nothing."""

from __future__ import annotations

import argparse
import getpass
import gzip
import os
import sys
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from embanon.errors import ConfigError, InputError, OutputError
from embanon.io import (
    FORMATS,
    JSON_LINES_FORMATS,
    STDIN,
    TEXT,
    Format,
    ProgressLine,
    SourceDocument,
    format_of,
    replace_file,
    resolve_link,
    write,
)
from embanon.replace import read_key
from embanon.workflow.folders import Input

PROGRESS_MIN_BYTES: Final = 1 << 18
"""Bytes of input from which it is said how far a work is."""


def progress_line(files: Sequence[Input]) -> ProgressLine:
    """Return the line that says how far a work is; of a short one nothing is said."""
    return ProgressLine.for_stream(sys.stderr if sum(one.size for one in files) >= PROGRESS_MIN_BYTES else None)


def check_outputs(files: Sequence[str], *outputs: str | None, others: Sequence[str | None] = ()) -> None:
    """Refuse to write over what is read, twice to one file, or where no file can be; before any work is done."""
    named = [Path(name).resolve() for name in outputs if name and name != STDIN]
    read_ = {Path(name).resolve() for name in (*files, *others) if name and name != STDIN}
    if len(set(named)) < len(named) or read_.intersection(named):
        raise ConfigError("an output has the name of an input or of another output; name another file")
    for path in (Path(name) for name in outputs if name and name != STDIN):
        if path.is_dir():
            raise ConfigError(f"{path}: is a folder; name a file for what is written")
        special = path.exists() and not path.is_file()  # a pipe or a device, which is written to
        if not special and not (path.parent.is_dir() and os.access(path.parent, os.W_OK)):
            raise OutputError(f"{path}: its folder is not there, or cannot be written; make it, or name another file")


def is_json_lines(path: str, format: str | None) -> bool:
    """Return whether an input is JSON Lines."""
    return (format or format_of(path)) in JSON_LINES_FORMATS


def input_format(path: str, format: str | None) -> Format:
    """Return the format of an input."""
    return FORMATS[format or format_of(path) or TEXT]


OutputPart = tuple[str, SourceDocument | None]
"""What becomes of a file, and the first of its documents."""


def encode_text(text: str, first: SourceDocument | None, zipped: bool = False) -> bytes:
    """Return a text in the encoding of its file, with its byte-order mark, packed or not."""
    try:
        data = first.byte_order_mark + text.encode(first.codec) if first else text.encode("utf-8")
    except UnicodeEncodeError:  # which quotes the text
        name = first.document.id if first else "the text"
        raise InputError(f"{name}: has a sign that its encoding cannot write; save it as UTF-8") from None
    return compress(data) if zipped else data


def join_parts(parts: Sequence[OutputPart]) -> bytes:
    """Return one file in its encoding, and several as one in UTF-8."""
    return encode_text(*parts[0]) if len(parts) == 1 else "".join(text for text, _ in parts).encode("utf-8")


def compress(data: bytes) -> bytes:
    """Return a gzip file, the same at every second."""
    return gzip.compress(data, mtime=0)


def read_table_key(options: argparse.Namespace, *, twice: bool) -> bytes | None:
    """Return the key of the table: of a file, or asked for."""
    if options.key_file:
        return read_key(options.key_file)
    if not options.passphrase:
        return None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", getpass.GetPassWarning)  # what is piped is not shown
            first = getpass.getpass("passphrase: ")
            same = not first or not twice or getpass.getpass("again: ") == first
    except EOFError:
        raise ConfigError("nobody is there to give a passphrase; name a file that holds it: --key-file FILE") from None
    if not first or not same:
        raise ConfigError("no passphrase, or two that differ")
    return first.encode()


def write_all(path: str, parts: Sequence[str], mode: int = 0o666) -> None:
    """Write all, or nothing."""
    write_bytes(path, [part.encode("utf-8") for part in parts], mode)


def write_bytes(path: str, parts: Sequence[bytes], mode: int = 0o666) -> None:
    """Write all, or nothing; to a terminal, as it can show it."""
    if path == STDIN:
        for part in parts:
            _send(part)
        return
    data = b"".join(parts)
    try:
        replace_file(resolve_link(path), compress(data) if path.lower().endswith(".gz") else data, mode)
    except OSError as exc:
        raise OutputError(f"{path}: cannot be written ({exc.strerror}); make room, or name another file") from exc


def _send(data: bytes) -> None:
    """Send bytes to standard output as they are, unless somebody looks at it."""
    if sys.stdout.isatty():
        write(data.decode("utf-8", "replace"))
        return
    write("")
    sys.stdout.flush()
    sys.stdout.buffer.write(data)
