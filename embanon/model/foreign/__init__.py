"""Embedding files of other tools: one file a family of formats, and the table of them."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from embanon.errors import ConfigError, InputError
from embanon.model.foreign.source import open_embeddings
from embanon.model.subwords import Subwords


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
        return (
            "word2vec text" if _is_vector_line(head[header.end() :], int(header[0].split()[1])) else "word2vec binary"
        )
    return "GloVe text" if _is_vector_line(head, 1) else None


def _is_vector_line(head: bytes, dimensions: int) -> bool:
    """Return whether a line ends in numbers; of one longer than what is looked at, what is seen of it."""
    line, newline, _ = head.partition(b"\n")
    fields = line.split()
    if not newline and len(head) == HEAD_BYTES:
        fields = fields[len(fields) // 2 : -1]
    numbers = fields[-dimensions:] if len(fields) > dimensions else fields[1:]
    return bool(numbers) and all(NUMBER.fullmatch(number) for number in numbers)
