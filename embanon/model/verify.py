"""Check every number of a model, where opening it only checks sizes."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from embanon.errors import DataError
from embanon.model.model import Model
from embanon.model.vectors import Vectors, row_lengths, slices
from embanon.storage import MODEL, Arrays, KeyIndex, Keys, check_unchanged, load, select_prefix


def verify(path: Path) -> None:
    """Refuse a model whose bytes have changed since it was saved, or that was never sound."""
    check_unchanged(path)
    model = Model.open(path)
    _, arrays = load(path)
    if wrong := find_problems(model, arrays):
        raise DataError(f"{path}: does not make sense: {', '.join(wrong)}; {MODEL.repair_advice}")


def find_problems(model: Model, arrays: Arrays) -> list[str]:
    """Name the arrays that contradict themselves or each other."""
    return [*_damaged_vocabularies(arrays), *_damaged_vectors(arrays), *_invalid_references(model)]


def _damaged_vocabularies(arrays: Arrays) -> Iterator[str]:
    for name in sorted(arrays):
        prefix, _, column = name.rpartition(".")
        if column == "ends":
            keys = Keys.from_arrays(select_prefix(arrays, prefix))
            try:
                index = KeyIndex.from_keys(keys)
            except DataError:
                yield prefix
                continue
            if not (
                np.array_equal(index.hashes, keys.hash_index.hashes)
                and np.array_equal(index.numbers, keys.hash_index.numbers)
            ):
                yield prefix


def _damaged_vectors(arrays: Arrays) -> Iterator[str]:
    for name in sorted(arrays):
        if name.endswith(".data"):
            prefix = name.removesuffix(".data")
            vectors = Vectors.from_arrays(select_prefix(arrays, prefix))
            parts = (
                np.allclose(row_lengths(vectors.read_rows(part)), vectors.norms[part]) for part in slices(len(vectors))
            )
            if not all(parts):  # what is not finite is near nothing
                yield prefix


def _invalid_references(model: Model) -> Iterator[str]:
    variants, documents, size = model.variants, model.documents, len(model.documents)
    if not (all_below(variants.numbers, len(model.phrases)) and (variants.hashes[1:] > variants.hashes[:-1]).all()):
        yield "variants"
    starts = model.postings.starts
    sizes = np.diff(starts)
    if starts[0] or not is_non_decreasing(starts) or (size and not np.array_equal(sizes, model.phrases.documents)):
        yield "postings.starts"
    if not all_below(model.postings.documents, size):
        yield "postings.documents"
    if not (all_below(documents.gram_documents, size) and is_non_decreasing(documents.gram_hashes)):
        yield "documents.gram_hashes"
    if not (all_below(documents.entities, len(model.entities)) and np.min(documents.entities, initial=-1) >= -1):
        yield "documents.entities"


def is_non_decreasing(numbers: NDArray[np.integer[Any]]) -> bool:
    """Return whether no number is less than the one before."""
    return bool((numbers[1:] >= numbers[:-1]).all())


def all_below(numbers: NDArray[np.integer[Any]], size: int) -> bool:
    """Return whether all numbers are less than a size."""
    return not len(numbers) or int(np.max(numbers)) < size
