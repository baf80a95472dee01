"""What commands share that write files: which may be written over, the key of a table, all of a file or nothing."""

from __future__ import annotations

import argparse
import getpass
from collections.abc import Sequence
from pathlib import Path

from embanon.commands import write
from embanon.errors import ConfigError, OutputError
from embanon.files import replace_file
from embanon.keyed import read_key
from embanon.read import STDIN, format_of


def check_outputs(files: Sequence[str], *outputs: str | None, others: Sequence[str | None] = ()) -> None:
    """Refuse to write over what is read, or twice to one file."""
    named = [Path(name).resolve() for name in outputs if name and name != STDIN]
    read_ = {Path(name).resolve() for name in (*files, *others) if name and name != STDIN}
    if len(set(named)) < len(named) or read_.intersection(named):
        raise ConfigError("an output has the name of an input or of another output; name another file")


def is_lines(path: str, format: str | None) -> bool:
    """Say whether an input is JSON Lines."""
    return (format or format_of(path) or "").startswith("jsonl")


def secret(options: argparse.Namespace, *, twice: bool) -> bytes | None:
    """Give the key of the table: of a file, or asked for."""
    if options.key_file:
        return read_key(options.key_file)
    if not options.passphrase:
        return None
    first = getpass.getpass("passphrase: ")
    if not first or (twice and getpass.getpass("again: ") != first):
        raise ConfigError("no passphrase, or two that differ")
    return first.encode()


def write_all(path: str, parts: Sequence[str]) -> None:
    """Write all, or nothing."""
    if path == STDIN:
        for part in parts:
            write(part)
        return
    try:
        replace_file(Path(path), "".join(parts).encode("utf-8"), 0o666)
    except OSError as exc:
        raise OutputError(f"{path}: cannot be written ({exc.strerror}); make room, or name another file") from exc
