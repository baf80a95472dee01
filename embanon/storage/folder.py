"""A model or a taxonomy as a folder: memory-mapped arrays, and a card that describes them.

What is written stands aside until it is whole: a full disk or a killed process leaves the old folder as it was. Of
processes that write the same folder, one does so at a time, and the others wait.
Files are readable by their owner alone, for a model is as secret as its corpus.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import math
import os
import re
import shutil
import stat
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, Final

import numpy as np
from numpy.typing import NDArray

from embanon.errors import ConfigError, DataError, OutputError
from embanon.storage.lock import locked

FORMAT: Final = 1
MAX_CARD_BYTES: Final = 1 << 20
ARRAY_NAME: Final = re.compile(r"[a-z0-9_-]+(\.[a-z0-9_-]+)*")
TEMPORARY_SUFFIXES: Final = (".part", ".previous")
"""What a name ends with while a model is saved."""
NPY_HEADER: Final = re.compile(
    rb"\x93NUMPY\x01\x00(?s:(.{2}))"
    rb"\{'descr': '(\|[iu]1|<[iu][248]|<f[248])', 'fortran_order': False, 'shape': \(([0-9, ]{0,60})\), \} *\n"
)
"""How NumPy begins an array of numbers; no other beginning is read, and nothing in it is evaluated."""
MAX_HEADER_BYTES: Final = 256

Arrays = dict[str, NDArray[Any]]


@dataclass(frozen=True, slots=True)
class FolderKind:
    """What a folder holds: its name, that of its card, the command that makes one, and what to do when it is broken."""

    name: str
    card: str
    make_command: str
    repair_advice: str
    file_advice: str
    """What to do where a file is named instead."""


MODEL: Final = FolderKind(
    "model", "model.toml", "embanon train CORPUS -o", "restore a copy, or train it anew",
    "make one: embanon model convert FILE -o MODEL",
)  # fmt: skip
TAXONOMY: Final = FolderKind(
    "taxonomy", "taxonomy.toml", "embanon ontology build SOURCE -o", "restore a copy, or compile it anew",
    "build it first: embanon ontology build {file} -o {stem}.store",
)  # fmt: skip
TABLE_NAME: Final = re.compile(r"(?i).+\.[ct]sv(?:\.gz)?")


def save(folder: Path, arrays: Mapping[str, NDArray[Any]], card: Mapping[str, Any], noun: FolderKind = MODEL) -> None:
    """Write a model; one that is there is replaced when the new one is whole."""
    with locked(folder):
        _save(folder, arrays, card, noun)


def _save(folder: Path, arrays: Mapping[str, NDArray[Any]], card: Mapping[str, Any], noun: FolderKind) -> None:
    check_target(folder, noun)
    place = Path(os.path.realpath(folder))  # a link stays, and what it leads to is replaced
    aside = place.with_name(place.name + TEMPORARY_SUFFIXES[0])
    try:
        _discard(aside, noun)
        aside.mkdir(mode=0o700, parents=False)
        files = {name: _write_array(aside / f"{name}.npy", array) for name, array in arrays.items()}
        written = to_toml({**card, "format": FORMAT, "files": files}).encode()
        if len(written) > MAX_CARD_BYTES:
            raise ConfigError(f"{folder}: its card would be too large; shorten the license")
        with _create_file(aside / noun.card) as stream:
            stream.write(written)
        _swap(aside, place, noun)
    except OSError as exc:
        raise OutputError(f"{folder}: cannot be saved ({exc.strerror or exc}); what was there is as it was") from exc
    finally:
        with contextlib.suppress(OSError):
            _discard(aside, noun)


def check_target(folder: Path, noun: FolderKind = MODEL) -> None:
    """Refuse, before any work, a place where no model can be written."""
    if folder.name.endswith(TEMPORARY_SUFFIXES):
        raise ConfigError(f"{folder}: ends as a name does while a {noun.name} is saved; choose another")
    place = Path(os.path.realpath(folder))
    if not place.name:
        raise ConfigError(f"{folder}: is no name for a {noun.name}; choose another")
    try:
        if not place.parent.is_dir():
            raise ConfigError(f"{folder}: its folder does not exist; make it first (mkdir -p)")
        if not _is_removable(place, noun):
            raise ConfigError(f"{folder}: is there and is no {noun.name}, or holds other files; choose another name")
        for end in TEMPORARY_SUFFIXES:
            if not _is_removable(aside := place.with_name(place.name + end), noun):
                raise ConfigError(f"{aside}: its name is needed while a {noun.name} is saved; rename it, or remove it")
    except OSError as exc:
        raise OutputError(f"{folder}: cannot be a {noun.name} ({exc.strerror}); choose another name or place") from exc
    if not os.access(place.parent, os.W_OK):
        raise OutputError(f"{folder}: its folder may not be written; choose another, or change its permissions")


def _is_removable(folder: Path, noun: FolderKind) -> bool:
    """Return whether a folder is missing, or has only files of a model and may be removed without asking."""
    try:
        return stat.S_ISDIR(folder.lstat().st_mode) and all(
            (path.suffix == ".npy" or path.name == noun.card) and (path.is_file() or not os.path.lexists(path))
            for path in folder.iterdir()
        )
    except FileNotFoundError:  # also while another process removes it
        return True


def _swap(aside: Path, folder: Path, noun: FolderKind) -> None:
    previous = folder.with_name(folder.name + TEMPORARY_SUFFIXES[1])
    there = folder.exists()
    if there:
        _discard(previous, noun)
        folder.rename(previous)
    try:
        aside.rename(folder)
    except OSError:
        if there:
            previous.rename(folder)
        raise
    with contextlib.suppress(OSError):
        _discard(previous, noun)


def _discard(folder: Path, noun: FolderKind) -> None:
    if folder.exists() and _is_removable(folder, noun):
        shutil.rmtree(folder)


@contextlib.contextmanager
def _create_file(path: Path) -> Iterator[BinaryIO]:
    """Open a new file for its owner alone, and see that it is on the disk."""
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as stream:
        yield stream
        stream.flush()
        os.fsync(stream.fileno())


def _write_array(path: Path, array: NDArray[Any]) -> dict[str, Any]:
    array = np.ascontiguousarray(array)
    with _create_file(path) as stream:  # numpy's own writing does not say why it fails
        np.lib.format.write_array_header_1_0(stream, np.lib.format.header_data_from_array_1_0(array))
        stream.write(array.data)
    return {"bytes": path.stat().st_size, "sha256": _checksum(path)}


def _checksum(path: Path) -> str:
    _file_size(path)
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def load(folder: Path, noun: FolderKind = MODEL) -> tuple[dict[str, Any], Arrays]:
    """Return the card of a model, and its arrays, mapped and not read."""
    card = read_card(folder, noun)
    return card, {name: _map_array(folder / f"{name}.npy", row, noun) for name, row in card["files"].items()}


def read_card(folder: Path, noun: FolderKind = MODEL) -> dict[str, Any]:
    """Read what a model says of itself."""
    path = folder / noun.card
    try:
        _file_size(path)
        with path.open("rb") as stream:
            data = stream.read(MAX_CARD_BYTES + 1)
        if len(data) > MAX_CARD_BYTES:
            raise DataError(f"{path}: is too large to be the card of a {noun.name}")
        card = tomllib.loads(data.decode("utf-8"))
    except FileNotFoundError as exc:
        raise DataError(_missing_message(folder, noun)) from exc
    except NotADirectoryError as exc:
        what = f"is a {'table' if TABLE_NAME.fullmatch(folder.name) else 'file'}, not a {noun.name}"
        stem = folder.with_name(folder.name.lstrip(".").partition(".")[0] or noun.name)
        raise DataError(f"{folder}: {what}; {noun.file_advice.format(file=folder, stem=stem)}") from exc
    except OSError as exc:
        raise DataError(f"{path}: cannot be read ({exc.strerror})") from exc
    except (ValueError, RecursionError) as exc:
        raise DataError(f"{path}: is not the card of a {noun.name}, or is damaged") from exc
    if card.get("format") != FORMAT:
        raise DataError(f"{path}: is not of format {FORMAT}, which this embanon reads; make it anew")
    files = card.get("files")
    if not isinstance(files, dict) or not all(map(ARRAY_NAME.fullmatch, files)):
        raise DataError(f"{path}: names no files; the {noun.name} is damaged")
    return card


def _missing_message(folder: Path, noun: FolderKind) -> str:
    previous = folder.with_name(folder.name + TEMPORARY_SUFFIXES[1]) if folder.name else folder
    if (previous / noun.card).is_file():
        return f"{folder}: was being replaced when it was interrupted; rename {previous} to get it back"
    what = f"has no {noun.card}, so it is no {noun.name}" if folder.is_dir() else f"no such {noun.name}"
    return f"{folder}: {what}; make one: {noun.make_command} {folder if folder.name else 'NAME'}"


def _map_array(path: Path, row: Any, noun: FolderKind) -> NDArray[Any]:
    """Map an array; its header is believed only as far as the file goes."""
    try:
        size = _file_size(path)
        if not isinstance(row, dict) or row.get("bytes") != size:
            raise DataError(f"{path}: has not the size that {noun.card} says; the {noun.name} is damaged")
        with path.open("rb") as stream:
            header = NPY_HEADER.match(stream.read(MAX_HEADER_BYTES))
        if header is None:
            raise DataError(f"{path}: is not an array of a {noun.name}")
        start, dtype = header.end(), np.dtype(header[2].decode("ascii"))
        shape = tuple(int(axis) for axis in header[3].decode("ascii").split(",") if axis.strip())
        if int.from_bytes(header[1], "little") + 10 != start or start + math.prod(shape) * dtype.itemsize != size:
            raise DataError(f"{path}: its header and its size do not agree; the {noun.name} is damaged")
        if size == start:
            return np.zeros(shape, dtype)
        return np.memmap(path, dtype, "r", start, shape).view(np.ndarray)  # its own indexing takes ten times longer
    except FileNotFoundError as exc:
        raise DataError(f"{path}: is missing; the {noun.name} is damaged") from exc
    except (OSError, ValueError, TypeError, OverflowError) as exc:
        raise DataError(f"{path}: cannot be read as an array; the {noun.name} is damaged") from exc


def _file_size(path: Path) -> int:
    """Return the size of a file, and refuse a pipe, which would be waited for."""
    status = path.stat()
    if not stat.S_ISREG(status.st_mode):
        raise OSError(errno.EINVAL, "is no file")
    return status.st_size


def damaged_files(folder: Path, noun: FolderKind = MODEL) -> list[str]:
    """Return the names of files whose bytes are not those that were saved."""
    damaged = []
    for name, row in read_card(folder, noun)["files"].items():
        path = folder / f"{name}.npy"
        try:
            checksum = _checksum(path)
        except OSError:
            checksum = ""
        if not checksum or not isinstance(row, dict) or checksum != row.get("sha256"):
            damaged.append(path.name)
    return damaged


def check_unchanged(folder: Path, noun: FolderKind = MODEL) -> None:
    """Refuse what has changed since it was saved."""
    if changed := damaged_files(folder, noun):
        raise DataError(f"{folder}: changed since it was saved: {', '.join(changed)}; {noun.repair_advice}")


def select_prefix(arrays: Mapping[str, NDArray[Any]], prefix: str) -> Arrays:
    """Return the arrays whose names begin so, without the beginning."""
    return {name.removeprefix(prefix + "."): array for name, array in arrays.items() if name.startswith(prefix + ".")}


def add_prefix(prefix: str, arrays: Mapping[str, NDArray[Any]]) -> Arrays:
    """Put a beginning before the names of arrays."""
    return {f"{prefix}.{name}": array for name, array in arrays.items()}


def to_toml(table: Mapping[str, Any]) -> str:
    """Write a table of strings, numbers, lists of them, and tables; halves of characters become question marks."""
    import tomlkit

    return tomlkit.dumps(table).encode("utf-8", "replace").decode("utf-8")
