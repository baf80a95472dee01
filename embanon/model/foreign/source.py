"""What the readers of other tools' files share: opening, comparing sizes before room is made, checking the result."""

from __future__ import annotations

import gzip
import io
import logging
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Final

import numpy as np
from numpy.typing import NDArray

from embanon.errors import DecodingError, InputError

if TYPE_CHECKING:
    from embanon.model.foreign import ForeignEmbeddings

LOG: Final = logging.getLogger(__name__)

GZIP: Final = b"\x1f\x8b"
MAX_GZIP_RATIO: Final = 1032
"""Bytes that a byte of gzip can become at most."""
BLOCK_BYTES: Final = 1 << 20
MAX_DIMENSIONS: Final = 1 << 16
MAX_WORD_BYTES: Final = 1 << 16
"""Bytes: longer ones are a sign of a file that is read at the wrong place."""


@contextmanager
def open_embeddings(path: Path) -> Iterator[BinaryIO]:
    """Open a file, unpacking gzip; whatever fails when reading it is an `InputError`."""
    try:
        if path.exists() and not path.is_file():  # a pipe would wait, and cannot be read twice
            raise InputError(f"{path}: is {'a folder; name a file in it' if path.is_dir() else 'no file'}")
        with _open(path) as stream:
            if stream.peek(2)[:2] == GZIP:
                with gzip.GzipFile(fileobj=stream) as unzipped, io.BufferedReader(unzipped, BLOCK_BYTES) as buffered:
                    yield buffered
            else:
                yield stream
    except (EOFError, zlib.error, gzip.BadGzipFile) as exc:
        raise InputError(f"{path}: is not a whole gzip file; fetch or pack it again") from exc
    except FileNotFoundError as exc:
        raise InputError(f"{path}: no such file; check the name") from exc
    except PermissionError as exc:
        raise InputError(f"{path}: may not be read; change its permissions (chmod u+r)") from exc
    except MemoryError as exc:
        raise InputError(f"{path}: is too large for the memory of this machine") from exc
    except OSError as exc:
        raise InputError(f"{path}: cannot be read ({exc.strerror})") from exc


def _open(path: Path) -> io.BufferedReader:
    try:
        return path.open("rb")
    except ValueError as exc:
        raise InputError(f"{str(path)!r}: is not a possible name") from exc


def is_gzipped(stream: BinaryIO) -> bool:
    """Return whether `opened` unpacks."""
    return isinstance(stream, io.BufferedReader) and isinstance(stream.raw, gzip.GzipFile)


def refuse_size(asked: int, path: Path, packed: bool = False) -> None:
    """Compare what a header asks for, in bytes, with what the file can hold, before anything is allocated."""
    held = path.stat().st_size * (MAX_GZIP_RATIO if packed else 1)
    if asked > held:
        raise InputError(
            f"{path}: its header asks for at least {asked:,} bytes, the file has {'at most ' * packed}{held:,}; "
            "it is truncated or corrupt: fetch or save it again"
        )


def refuse_dimensions(dimensions: int, path: Path) -> None:
    """Refuse numbers of dimensions that no embedding has."""
    if not 0 < dimensions <= MAX_DIMENSIONS:
        raise InputError(f"{path}: has vectors of {dimensions:,} dimensions; 1 to {MAX_DIMENSIONS:,} can be read")


def decode_word(word: bytes, path: Path, where: str) -> str:
    """Decode a word, or name the record where it is."""
    try:
        return word.decode("utf-8")
    except UnicodeDecodeError as exc:
        # Not `from exc`: the error's message would quote the word.
        reason = exc.reason
    raise DecodingError(f"{path}: the word of {where} is not UTF-8 ({reason}); write the file again as UTF-8")


def check_embeddings(foreign: ForeignEmbeddings, path: Path) -> ForeignEmbeddings:
    """Refuse what is no number, keep the first of words that are there twice."""
    if not foreign.keys:
        raise InputError(f"{path}: holds no words; train or save it again")
    _refuse_non_finite(foreign.vectors, path, "the vector of record")
    if foreign.output is not None:
        _refuse_non_finite(foreign.output, path, "the output weights of record")
    if foreign.subwords is not None:
        _refuse_non_finite(foreign.subwords.vectors, path, "the vector of subword bucket")
    return _drop_repeated_keys(foreign, path)


def _refuse_non_finite(rows: NDArray[Any], path: Path, what: str) -> None:
    step = max(1, BLOCK_BYTES // rows.shape[1])
    for first in range(0, len(rows), step):
        finite = np.isfinite(rows[first : first + step])
        if not finite.all():
            place = first + int(np.argmin(finite.all(axis=1))) + 1
            raise InputError(f"{path}: {what} {place} holds what is not a finite number; the file is corrupt")


def _drop_repeated_keys(foreign: ForeignEmbeddings, path: Path) -> ForeignEmbeddings:
    places: dict[str, int] = {}
    for place, key in enumerate(foreign.keys):
        places.setdefault(key, place)
    repeated = len(foreign.keys) - len(places)
    if not repeated:
        return foreign
    LOG.warning("%s: words that are there more than once: %d times; the first of each is kept", path, repeated)
    kept = np.fromiter(places.values(), np.int64, len(places))
    return replace(
        foreign,
        keys=list(places),
        vectors=foreign.vectors[kept],
        counts=None if foreign.counts is None else foreign.counts[kept],
        output=None if foreign.output is None else foreign.output[kept],
    )
