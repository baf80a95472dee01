"""Look at every number of a model: what opening it trusts is seen to be so."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from embanon.errors import DataError
from embanon.model.model import Model
from embanon.model.vectors import Vectors, lengths, slices
from embanon.storage.folder import MODEL, Arrays, load, unchanged, under
from embanon.storage.keys import Index, Keys


def verify(path: Path) -> None:
    """Refuse a model whose bytes have changed since it was saved, or that was never sound."""
    unchanged(path)
    model = Model.open(path)
    _, arrays = load(path)
    if wrong := problems(model, arrays):
        raise DataError(f"{path}: does not make sense: {', '.join(wrong)}; {MODEL.mend}")


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
            if not (same(index.hashes, keys.hashed.hashes) and same(index.numbers, keys.hashed.numbers)):
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
    if not (below(variants.numbers, len(model.phrases)) and (variants.hashes[1:] > variants.hashes[:-1]).all()):
        yield "variants"
    starts = model.postings.starts
    sizes = np.diff(starts)
    if starts[0] or not rising(starts) or (size and not same(sizes, model.phrases.documents)):
        yield "postings.starts"
    if not below(model.postings.documents, size):
        yield "postings.documents"
    if not (below(documents.gram_documents, size) and rising(documents.gram_hashes)):
        yield "documents.gram_hashes"
    if not (below(documents.entities, len(model.entities)) and np.min(documents.entities, initial=-1) >= -1):
        yield "documents.entities"


def same(one: NDArray[np.integer[Any]], other: NDArray[np.integer[Any]]) -> bool:
    """Tell whether two arrays hold the same numbers."""
    return np.array_equal(one, other)


def rising(numbers: NDArray[np.integer[Any]]) -> bool:
    """Tell whether no number is less than the one before."""
    return bool((numbers[1:] >= numbers[:-1]).all())


def below(numbers: NDArray[np.integer[Any]], size: int) -> bool:
    """Tell whether all numbers are less than a size."""
    return not len(numbers) or int(np.max(numbers)) < size
