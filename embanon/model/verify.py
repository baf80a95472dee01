"""Look at every number of a model: what opening it trusts is seen to be so."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from embanon.errors import DataError
from embanon.model.folder import Arrays, damaged, load, under
from embanon.model.keys import Index, Keys
from embanon.model.model import Model
from embanon.model.vectors import Vectors, lengths, slices


def verify(path: Path) -> None:
    """Refuse a model whose bytes have changed since it was saved, or that was never sound."""
    if changed := damaged(path):
        raise DataError(f"{path}: changed since it was saved: {', '.join(changed)}; restore a copy, or train it anew")
    model = Model.open(path)
    _, arrays = load(path)
    if wrong := problems(model, arrays):
        raise DataError(f"{path}: does not make sense: {', '.join(wrong)}; restore a copy, or train it anew")


def problems(model: Model, arrays: Arrays) -> list[str]:
    """Name the arrays that contradict themselves or each other."""
    return [*_vocabularies(arrays), *_vectors(arrays), *_places(model)]


def _vocabularies(arrays: Arrays) -> Iterator[str]:
    for name in sorted(arrays):
        prefix, _, column = name.rpartition(".")
        if column == "ends":
            keys = Keys.from_arrays(under(arrays, prefix))
            try:
                index = Index.of(keys)
            except DataError:
                yield prefix
                continue
            if not (_same(index.hashes, keys.hashed.hashes) and _same(index.numbers, keys.hashed.numbers)):
                yield prefix


def _vectors(arrays: Arrays) -> Iterator[str]:
    for name in sorted(arrays):
        if name.endswith(".data"):
            prefix = name.removesuffix(".data")
            vectors = Vectors.from_arrays(under(arrays, prefix))
            parts = (np.allclose(lengths(vectors.read(part)), vectors.norms[part]) for part in slices(len(vectors)))
            if not all(parts):  # what is not finite is near nothing
                yield prefix


def _places(model: Model) -> Iterator[str]:
    variants, documents, size = model.variants, model.documents, len(model.documents)
    if not (_below(variants.numbers, len(model.phrases)) and (variants.hashes[1:] > variants.hashes[:-1]).all()):
        yield "variants"
    starts = model.postings.starts
    sizes = np.diff(starts)
    if starts[0] or not _rising(starts) or (size and not _same(sizes, model.phrases.documents)):
        yield "postings.starts"
    if not _below(model.postings.documents, size):
        yield "postings.documents"
    if not (_below(documents.gram_documents, size) and _rising(documents.gram_hashes)):
        yield "documents.gram_hashes"
    if not (_below(documents.entities, len(model.entities)) and documents.entities.min(initial=-1) >= -1):
        yield "documents.entities"


def _same(one: NDArray[np.integer[Any]], other: NDArray[np.integer[Any]]) -> bool:
    return np.array_equal(one, other)


def _rising(numbers: NDArray[np.uint64]) -> bool:
    return bool((numbers[1:] >= numbers[:-1]).all())


def _below(numbers: NDArray[np.integer[Any]], size: int) -> bool:
    return not len(numbers) or int(numbers.max()) < size
