"""Write a model as fastText does, for its library, gensim and whatever else reads `.bin`: the opposite of `fasttext`.

A known phrase gets the row with which, and with those of its n-grams, fastText makes the vector that the model has.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, BinaryIO, Final

import numpy as np
from numpy.typing import NDArray

from embanon.errors import ConfigError, OutputError
from embanon.io import open_replacement
from embanon.model.foreign.fasttext import (
    ARGUMENTS_FORMAT,
    DICTIONARY_FORMAT,
    END_OF_LINE,
    ENTRY_FORMAT,
    FLOAT,
    HEADER_FORMAT,
    MAGIC,
    NEGATIVE_SAMPLING,
    SHAPE_FORMAT,
    VERSIONS,
)
from embanon.model.model import Model
from embanon.model.subwords import Subwords
from embanon.model.task import SPACE_SIGN
from embanon.model.vectors import slices

SKIP_GRAM: Final = 2
UPDATE_RATE: Final = 100
WORD: Final = 0
NOT_PRUNED: Final = -1


def write_fasttext(model: Model, path: Path) -> int:
    """Write all phrases that have a vector, and return how many they are; who has the file has their names."""
    space = model.subwords.space if model.subwords else " " if model.card.get("verbatim") else SPACE_SIGN
    words: dict[bytes, int] = {}
    for number in np.flatnonzero(model.phrases.vectors.has_vector(np.arange(len(model.phrases)))).tolist():
        written = model.phrases.keys[number].replace(" ", space).replace("\0", space).encode("utf-8", "replace")
        words.setdefault(written, number)  # a_b and a b are the same there
    words.pop(END_OF_LINE.encode(), None)
    if not words:
        raise ConfigError(f"{model.path}: has no vectors to write; train it on more")
    numbers = np.fromiter(words.values(), np.int64, len(words))
    try:
        with open_replacement(path) as stream:
            _write_head(stream, model, list(words), model.phrases.counts[numbers].tolist())
            _write_input(stream, model, numbers, [word.decode() for word in words])
            _write_output(stream, model, numbers)
    except OSError as exc:
        raise OutputError(f"{path}: cannot be written ({exc.strerror}); choose another name or place") from exc
    return len(words)


def _write_head(stream: BinaryIO, model: Model, words: list[bytes], counts: list[int]) -> None:
    training: Mapping[str, Any] = model.card.get("training", {})
    parts = model.subwords or Subwords(0, 0, np.zeros((0, model.dimensions), np.float32))
    window, epochs, negative = (int(training.get(name, 5)) for name in ("window", "epochs", "negative"))
    stream.write(HEADER_FORMAT.pack(MAGIC, VERSIONS[-1]))
    stream.write(ARGUMENTS_FORMAT.pack(
        model.dimensions, window, epochs, 1, negative, 1, NEGATIVE_SAMPLING, SKIP_GRAM, parts.buckets,
        parts.minimum, parts.maximum, UPDATE_RATE, float(training.get("sample", 1e-4)),
    ))  # fmt: skip
    stream.write(DICTIONARY_FORMAT.pack(len(words), len(words), 0, sum(counts), NOT_PRUNED))
    for word, count in zip(words, counts, strict=True):
        stream.write(word + b"\0" + ENTRY_FORMAT.pack(count, WORD))


def _write_input(stream: BinaryIO, model: Model, numbers: NDArray[np.int64], words: list[str]) -> None:
    parts = model.subwords
    stream.write(SHAPE_FORMAT.pack(False, len(words) + (parts.buckets if parts else 0), model.dimensions))
    for part in slices(len(words)):
        rows = model.phrases.vectors.rows(numbers[part])
        _write_rows(stream, parts.decompose(words[part], rows) if parts else rows)
    if parts:
        for part in slices(parts.buckets):
            _write_rows(stream, parts.vectors[part])


def _write_output(stream: BinaryIO, model: Model, numbers: NDArray[np.int64]) -> None:
    """Write the weights of negative sampling, or zeros: fastText asks for a row a word."""
    stream.write(SHAPE_FORMAT.pack(False, len(numbers), model.dimensions))
    for part in slices(len(numbers)):
        known = model.output[numbers[part]] if model.output is not None else None
        _write_rows(stream, np.zeros((len(numbers[part]), model.dimensions)) if known is None else known)


def _write_rows(stream: BinaryIO, rows: NDArray[Any]) -> None:
    stream.write(rows.astype(FLOAT).tobytes())
