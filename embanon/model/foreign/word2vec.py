"""word2vec's binary and text formats, and GloVe's, which is the text one without a header; each also as .gz."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import count, takewhile
from pathlib import Path
from typing import BinaryIO, Final

import numpy as np
from numpy.typing import NDArray

from embanon.errors import InputError
from embanon.model.foreign import (
    BLOCK_BYTES,
    MAX_WORD_BYTES,
    NUMBER,
    ForeignEmbeddings,
    check_embeddings,
    decode_word,
    is_gzipped,
    open_embeddings,
    refuse_dimensions,
    refuse_size,
)

FLOAT: Final = np.dtype("<f4")
MAX_LINE_BYTES: Final = 1 << 22
INITIAL_ROWS: Final = 1 << 12
"""Room that is made where the size of a file does not prove how many rows it has."""
HEADER: Final = re.compile(rb"([0-9]{1,40})[ \t]+([0-9]{1,40})\s*")

Rows = tuple[list[str], NDArray[np.float32]]


def read_binary(path: Path) -> ForeignEmbeddings:
    """Read word2vec's binary format: a word, a space, its numbers as bytes."""
    with open_embeddings(path) as stream:
        words, dimensions = _read_header(stream, path)
        # A word may be empty: a record is a space and its numbers at least.
        refuse_size(words * (1 + dimensions * FLOAT.itemsize), path, is_gzipped(stream))
        rows = _read_records(stream, path, words, dimensions)
    return _foreign("word2vec binary", rows, path)


def read_text(path: Path) -> ForeignEmbeddings:
    """Read word2vec's text format: a line of the numbers of words and dimensions, then a line a word."""
    with open_embeddings(path) as stream:
        words, dimensions = _read_header(stream, path)
        # The least is a space and a digit a number, and the end of the line, which the last one may lack.
        refuse_size(words * (1 + 2 * dimensions) - 1, path, is_gzipped(stream))
        rows = _read_lines(stream, path, 2, dimensions, words, is_gzipped(stream))
    if len(rows[0]) != words:
        raise InputError(f"{path}: has {len(rows[0]):,} records, its header says {words:,}; it is truncated or corrupt")
    return _foreign("word2vec text", rows, path)


def read_headless(path: Path) -> ForeignEmbeddings:
    """Read GloVe's text format: a line a word, the first of which says the dimensions."""
    with open_embeddings(path) as stream:
        line = _read_line(stream, path, 1)
        if HEADER.fullmatch(line):
            raise InputError(f"{path}: begins with a header, which GloVe has not; read it as word2vec text")
        fields = line.split()[1:]
        # The first word, too, may have spaces inside.
        dimensions = sum(1 for _ in takewhile(NUMBER.fullmatch, reversed(fields)))
        refuse_dimensions(dimensions, path)
    with open_embeddings(path) as stream:
        rows = _read_lines(stream, path, 1, dimensions, None, True)
    return _foreign("GloVe text", rows, path)


def _foreign(kind: str, rows: Rows, path: Path) -> ForeignEmbeddings:
    return check_embeddings(ForeignEmbeddings(kind, *rows, counts=None, output=None, subwords=None), path)


def _read_header(stream: BinaryIO, path: Path) -> tuple[int, int]:
    header = HEADER.fullmatch(stream.readline(128))
    if header is None:
        raise InputError(f"{path}: does not begin with its numbers of words and dimensions, as word2vec files do")
    words, dimensions = int(header[1]), int(header[2])
    refuse_dimensions(dimensions, path)
    return words, dimensions


def _read_records(stream: BinaryIO, path: Path, words: int, dimensions: int) -> Rows:
    size = dimensions * FLOAT.itemsize
    rows = np.empty((INITIAL_ROWS if is_gzipped(stream) else words, dimensions), FLOAT)
    keys: list[str] = []
    flat = rows.data.cast("B") if rows.size else memoryview(b"")
    for place, (word, numbers) in enumerate(_records(stream, path, words, size)):
        if place == len(rows):
            rows = _grow_rows(rows, words)
            flat = rows.data.cast("B")
        keys.append(decode_word(word, path, f"record {place + 1}"))
        flat[place * size : (place + 1) * size] = numbers
    return keys, rows[: len(keys)].astype(np.float32, copy=False)


def _records(stream: BinaryIO, path: Path, words: int, size: int) -> Iterator[tuple[bytes, memoryview]]:
    """Return the words and the bytes of their numbers, reading in blocks."""
    data, view, start = b"", memoryview(b""), 0
    for record in range(1, words + 1):
        space = data.find(b" ", start, start + MAX_WORD_BYTES)
        while space < 0 or len(data) - space <= size:
            if space < 0 and len(data) - start >= MAX_WORD_BYTES:
                raise InputError(f"{path}: record {record} has no word; the file is corrupt, or has spaces in words")
            more = stream.read(BLOCK_BYTES)
            if not more:
                raise InputError(f"{path}: ends in record {record} of {words:,}; fetch or save it again")
            data, start = data[start:] + more, 0
            view, space = memoryview(data), data.find(b" ", 0, MAX_WORD_BYTES)
        # Some tools end each record with a newline, which then comes before the next word.
        yield data[start:space].lstrip(b"\n"), view[space + 1 : space + 1 + size]
        start = space + 1 + size
    if (data[start:] + stream.read(BLOCK_BYTES)).strip(b"\r\n"):
        raise InputError(f"{path}: goes on after the {words:,} records of its header; it is corrupt")


def _read_lines(stream: BinaryIO, path: Path, first: int, dimensions: int, words: int | None, unproven: bool) -> Rows:
    rows = np.empty((INITIAL_ROWS if unproven else words or 0, dimensions), np.float32)
    keys: list[str] = []
    with np.errstate(over="ignore"):  # what does not fit is infinite, and refused as such
        for number in count(first):
            line = _read_line(stream, path, number)
            if not line:
                return keys, rows[: len(keys)]
            if line.isspace():
                continue
            word, numbers = _parse_line(line, path, number, dimensions)
            if len(keys) == words:
                raise InputError(f"{path}: line {number} is beyond the {words:,} that the first one says; correct it")
            if len(keys) == len(rows):
                rows = _grow_rows(rows, words)
            rows[len(keys)] = numbers
            keys.append(decode_word(word, path, f"line {number}"))
    raise AssertionError("lines end")


def _parse_line(line: bytes, path: Path, number: int, dimensions: int) -> tuple[bytes, NDArray[np.float32]]:
    """Return the word of a line and its numbers; a word may have spaces inside, which the last numbers tell."""
    line = line.rstrip()
    word, *fields = line.split(b" ")
    if len(fields) != dimensions or b"" in fields:
        word, *fields = line.rsplit(None, dimensions) or [b""]
    try:
        if len(fields) == dimensions:
            return word, np.array(fields, np.float32)
    except ValueError:
        pass  # the message would quote the field
    raise InputError(f"{path}: line {number} is not a word and {dimensions} numbers; the file is corrupt")


def _read_line(stream: BinaryIO, path: Path, number: int) -> bytes:
    line = stream.readline(MAX_LINE_BYTES)
    if len(line) == MAX_LINE_BYTES:
        raise InputError(f"{path}: line {number} is longer than {MAX_LINE_BYTES:,} bytes; it is no text of embeddings")
    return line


def _grow_rows(rows: NDArray[np.float32], most: int | None) -> NDArray[np.float32]:
    size = 2 * len(rows) if most is None else min(2 * len(rows), most)
    grown = np.empty((size, rows.shape[1]), rows.dtype)
    grown[: len(rows)] = rows
    return grown
