"""Embedding files of other tools: the table of their kinds, and what the readers of each share."""

from __future__ import annotations

import gzip
import io
import logging
import re
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from importlib import import_module
from pathlib import Path
from typing import Any, BinaryIO, Final

import numpy as np
from numpy.typing import NDArray

from embanon.errors import ConfigError, DecodingError, InputError
from embanon.model.subwords import Subwords

LOG: Final = logging.getLogger(__name__)

GZIP: Final = b"\x1f\x8b"
MAX_GZIP_RATIO: Final = 1032
"""Bytes that a byte of gzip can become at most."""
BLOCK_BYTES: Final = 1 << 20
MAX_DIMENSIONS: Final = 1 << 16
MAX_WORD_BYTES: Final = 1 << 16
"""Bytes: longer ones are a sign of a file that is read at the wrong place."""


@dataclass(frozen=True, slots=True, eq=False)
class ForeignEmbeddings:
    """What a file of another tool holds."""

    kind: str  # as in READERS, for gensim with the name of the class that it saved
    keys: list[str] = field(repr=False)
    vectors: NDArray[np.float32] = field(repr=False)  # keys x dimensions, what the tool itself answers for a known word
    counts: NDArray[np.int64] | None = field(repr=False)  # of occurrences, `None` where the file does not tell
    output: NDArray[np.float32] | None = field(repr=False)  # weights of negative sampling, a row a key
    subwords: Subwords | None


READERS: Final = {
    "word2vec binary": ("embanon.model.foreign.word2vec", "read_binary"),
    "word2vec text": ("embanon.model.foreign.word2vec", "read_text"),
    "GloVe text": ("embanon.model.foreign.word2vec", "read_headless"),
    "fastText": ("embanon.model.foreign.fasttext", "read_fasttext"),
    "gensim": ("embanon.model.foreign.gensim", "read_gensim"),
}
"""Kind of file -> the module and the function that read it."""

KIND_BY_SUFFIX: Final = {
    ".bin": "word2vec binary",
    ".vec": "word2vec text",
    ".ftz": "fastText",
    ".kv": "gensim",
    ".model": "gensim",
}
"""How the name of a file ends -> its kind, where its beginning does not tell: its reader says what is wrong."""

GENSIM_ADVICE: Final = (
    "save it as plain vectors, in gensim: model.wv.save_word2vec_format('vectors.bin', binary=True); "
    "then convert vectors.bin"
)
PICKLE_WARNING: Final = (
    "is a pickle of gensim, and loading it runs whatever its maker wrote into it; where you trust the file, add "
    f"--trust-pickle (in Python: trust_pickle=True), else {GENSIM_ADVICE}"
)
HEAD_BYTES: Final = 1 << 16
FASTTEXT_MAGIC: Final = (793712314).to_bytes(4, "little")
PICKLE_START: Final = re.compile(rb"\x80[\x02-\x05]")
HEADER: Final = re.compile(rb"[0-9]{1,40}[ \t]+[0-9]{1,40}[ \t\r]*\n")
NUMBER: Final = re.compile(rb"(?i)[-+]?(?:(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:e[-+]?[0-9]+)?|nan|inf(?:inity)?)")


def read_foreign(path: Path, kind: str | None = None, *, trust_pickle: bool = False) -> ForeignEmbeddings:
    """Read an embedding file of another tool, whose kind is found unless named.

    Nothing of the file is run, but for gensim's own files, which need `trust_pickle`. What is read may be mapped from
    the file: keep it until the result is stored.
    """
    if kind is not None and kind not in READERS:
        raise ConfigError(f"no kind of embedding file {kind!r}; known: {', '.join(READERS)}")
    kind_of_file = kind or _kind_of(path)
    if kind_of_file == "gensim" and not trust_pickle:
        raise ConfigError(f"{path}: {PICKLE_WARNING}")
    module, function = READERS[kind_of_file]
    reader: Callable[[Path], ForeignEmbeddings] = getattr(import_module(module), function)
    return reader(path)


def _kind_of(path: Path) -> str:
    with open_embeddings(path) as stream:
        head = stream.read(HEAD_BYTES)
    if not head:
        raise InputError(f"{path}: is empty; fetch or save it again")
    kind = _kind_of_head(head) or KIND_BY_SUFFIX.get(Path(path.name.removesuffix(".gz")).suffix)
    if kind is None:
        raise InputError(f"{path}: is not an embedding file of a kind that embanon reads: {', '.join(READERS)}")
    return kind


def _kind_of_head(head: bytes) -> str | None:
    if head.startswith(FASTTEXT_MAGIC):
        return "fastText"
    if PICKLE_START.match(head):
        return "gensim"
    if header := HEADER.match(head):
        is_text = _is_vector_line(head[header.end() :], int(header[0].split()[1]))
        return "word2vec text" if is_text else "word2vec binary"
    return "GloVe text" if _is_vector_line(head, 1) else None


def _is_vector_line(head: bytes, dimensions: int) -> bool:
    """Return whether a line ends in numbers; of one longer than what is looked at, what is seen of it."""
    line, newline, _ = head.partition(b"\n")
    fields = line.split()
    if not newline and len(head) == HEAD_BYTES:
        fields = fields[len(fields) // 2 : -1]
    numbers = fields[-dimensions:] if len(fields) > dimensions else fields[1:]
    return bool(numbers) and all(NUMBER.fullmatch(number) for number in numbers)


# What the readers share


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
