"""fastText's own models, `.bin`: arguments, dictionary, input matrix, output matrix.

See `args.cc`, `dictionary.cc`, `densematrix.cc` and `fasttext.cc` of the library. The matrices stay in the file and
are mapped: such a model is often larger than memory. A word's vector is the mean of its rows, as in the library of
2016 to 2024 and in gensim; `fasttext-community` 0.11 scales `get_word_vector` to unit length besides.
"""

from __future__ import annotations

import mmap
import struct
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from embanon.errors import InputError
from embanon.model.foreign import (
    FASTTEXT_MAGIC,
    MAX_WORD_BYTES,
    ForeignEmbeddings,
    check_embeddings,
    decode_word,
    is_gzipped,
    open_embeddings,
    refuse_dimensions,
    refuse_size,
)
from embanon.model.subwords import Subwords

MAGIC: Final = int.from_bytes(FASTTEXT_MAGIC, "little")
VERSIONS: Final = (11, 12)
NEGATIVE_SAMPLING: Final = 2
SUPERVISED: Final = 3
END_OF_LINE: Final = "</s>"
"""The only word that has no n-grams."""

HEADER_FORMAT: Final = struct.Struct("<2i")
ARGUMENTS_FORMAT: Final = struct.Struct("<12id")
DICTIONARY_FORMAT: Final = struct.Struct("<3i2q")
ENTRY_FORMAT: Final = struct.Struct("<qb")  # after the word and a zero byte
SHAPE_FORMAT: Final = struct.Struct("<?2q")
FLOAT: Final = np.dtype("<f4")

MAX_NGRAM_LENGTH: Final = 1 << 10
"""The usual value is 6; a file with a larger one is corrupt, and would take forever."""


@dataclass(frozen=True, slots=True)
class Arguments:
    """What the model was trained with, as far as it is needed here."""

    dimensions: int
    loss: int
    buckets: int
    minimum: int
    maximum: int


class _MappedReader:
    """A place in a mapped file."""

    def __init__(self, path: Path, data: mmap.mmap) -> None:
        self.path, self.data, self.place = path, data, 0

    def take(self, form: struct.Struct) -> tuple[int, ...]:
        self.refuse_beyond_end(form.size)
        values = form.unpack_from(self.data, self.place)
        self.place += form.size
        return values

    def matrix(self, what: str) -> NDArray[np.float32]:
        """Map a matrix: nothing of it is read yet."""
        quantized, rows, columns = self.take(SHAPE_FORMAT)
        if quantized:
            raise InputError(f"{self.path}: is quantized, which loses precision; convert the .bin it was made from")
        if rows < 0 or columns < 0:
            raise InputError(f"{self.path}: its {what} matrix is of {rows} × {columns}; the file is corrupt")
        self.refuse_beyond_end(rows * columns * FLOAT.itemsize)
        # The place is rarely a multiple of four; numpy copies blocks of it when it computes.
        values = np.frombuffer(self.data, FLOAT, rows * columns, self.place)
        self.place += values.nbytes
        return values.reshape(rows, columns)

    def refuse_beyond_end(self, size: int) -> None:
        """Refuse what goes beyond the end, before it is asked for."""
        refuse_size(self.place + size, self.path)


def read_fasttext(path: Path) -> ForeignEmbeddings:
    """Read a model of the fastText library: words' vectors as it answers them, and the subwords for all others."""
    with open_embeddings(path) as stream:
        if is_gzipped(stream):
            raise InputError(f"{path}: is packed; unpack it first: gunzip -k {path.name}")
        refuse_size(HEADER_FORMAT.size, path)
        # Stays open as long as an array lives that is mapped from it.
        source = _MappedReader(path, mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ))
    arguments = _arguments(source)
    keys, counts = _dictionary(source)
    input_rows = source.matrix("input")
    output = source.matrix("output")
    if input_rows.shape != (len(keys) + arguments.buckets, arguments.dimensions):
        raise InputError(f"{path}: its input matrix is not of the words and buckets that it names; the file is corrupt")
    if source.place != len(source.data):
        raise InputError(f"{path}: goes on after its output matrix; the file is corrupt")
    word_rows, grams = input_rows[: len(keys)], input_rows[len(keys) :]
    subwords = Subwords(arguments.minimum, arguments.maximum, grams) if arguments.maximum and len(grams) else None
    # Composing would spread what is not finite to words that are; `checked` finds it in the n-grams' own row.
    with np.errstate(invalid="ignore", over="ignore"):
        vectors = np.array(word_rows, np.float32) if subwords is None else subwords.compose(keys, word_rows)
    if END_OF_LINE in keys:
        place = keys.index(END_OF_LINE)
        vectors[place] = word_rows[place]
    is_sampled = arguments.loss == NEGATIVE_SAMPLING
    if is_sampled and output.shape != word_rows.shape:
        raise InputError(f"{path}: its output matrix has not a row a word; the file is corrupt")
    weights = output if is_sampled else None
    return check_embeddings(ForeignEmbeddings("fastText", keys, vectors, counts, weights, subwords), path)


def _arguments(source: _MappedReader) -> Arguments:
    magic, version = source.take(HEADER_FORMAT)
    if magic != MAGIC or version not in VERSIONS:
        raise InputError(
            f"{source.path}: is no fastText model of version {' or '.join(map(str, VERSIONS))}; "
            "save it with a newer fastText, or as word2vec text"
        )
    dimensions, _, _, _, _, _, loss, model, buckets, minimum, maximum, _, _ = source.take(ARGUMENTS_FORMAT)
    if model == SUPERVISED:
        raise InputError(
            f"{source.path}: is a classifier, whose vectors tell labels apart and no meanings; "
            "train the words with: fasttext skipgram"
        )
    refuse_dimensions(dimensions, source.path)
    if buckets < 0 or minimum < 0 or not 0 <= maximum <= MAX_NGRAM_LENGTH:
        raise InputError(f"{source.path}: has impossible sizes of n-grams or buckets; the file is corrupt")
    return Arguments(dimensions, loss, buckets, minimum, maximum)


def _dictionary(source: _MappedReader) -> tuple[list[str], NDArray[np.int64]]:
    size, words, labels, _, pruned = source.take(DICTIONARY_FORMAT)
    if size < 0 or labels != 0 or size != words or pruned > 0:
        raise InputError(f"{source.path}: has a dictionary of a classifier, or a corrupt one; it cannot be read")
    source.refuse_beyond_end(size * (1 + ENTRY_FORMAT.size))
    keys, counts = [], np.empty(size, np.int64)
    data, place = source.data, source.place
    for number in range(size):
        end = data.find(b"\x00", place, place + MAX_WORD_BYTES)
        if end < 0 or end + 1 + ENTRY_FORMAT.size > len(data):
            raise InputError(f"{source.path}: ends or breaks off in word {number + 1} of {size:,}; it is corrupt")
        keys.append(decode_word(data[place:end], source.path, f"record {number + 1}"))
        counts[number], kind = ENTRY_FORMAT.unpack_from(data, end + 1)
        if kind != 0 or counts[number] < 0:
            raise InputError(f"{source.path}: word {number + 1} has an impossible count or type; the file is corrupt")
        place = end + 1 + ENTRY_FORMAT.size
    source.place = place
    return keys, counts
