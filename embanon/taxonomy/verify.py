"""Check every number of a taxonomy, which opening it does not."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from embanon.document import TYPES
from embanon.errors import DataError
from embanon.language import key
from embanon.model import all_below, is_non_decreasing
from embanon.storage import BLOCK_SIZE, TAXONOMY, Arrays, check_unchanged, hash_keys, load
from embanon.taxonomy.concept import LINKS, UPWARD_LINKS
from embanon.taxonomy.store import ENDS, NO_TYPE, RUNS, Store, owners

WEIGHTS: Final = ("concepts.weights", "concepts.information", "labels.weights", "senses.weights")
UPWARD_CODES: Final = [LINKS.index(kind) for kind in UPWARD_LINKS]


def verify(path: Path) -> None:
    """Refuse a taxonomy whose bytes have changed since it was saved, or that was never sound."""
    check_unchanged(path, TAXONOMY)
    store = Store.open(path)
    _, arrays = load(path, TAXONOMY)
    if wrong := problems(store, arrays):
        raise DataError(f"{path}: does not make sense: {', '.join(wrong)}; {TAXONOMY.repair_advice}")


def problems(store: Store, arrays: Arrays) -> list[str]:
    """Name the arrays that contradict themselves or each other."""
    wrong = [*_orders(arrays), *_ranges(store, arrays)]
    return wrong or [*_texts(store, arrays), *_information(arrays)]  # which are read as the others say


def _orders(arrays: Arrays) -> Iterator[str]:
    yield from (name for name in (*RUNS, *ENDS) if not is_non_decreasing(arrays[name]))
    for name in ("concepts.hashes", "senses.keys"):
        if not (arrays[name][1:] > arrays[name][:-1]).all():
            yield name


def _ranges(store: Store, arrays: Arrays) -> Iterator[str]:
    size, languages = len(store), len(store.languages)
    limits = {
        "broader.concepts": size, "senses.concepts": size, "broader.kinds": len(LINKS), "concepts.hidden": 2,
        "labels.languages": languages, "senses.languages": languages,
    }  # fmt: skip
    yield from (name for name, limit in limits.items() if not all_below(arrays[name], limit))
    if not np.isin(arrays["concepts.types"], [*range(len(TYPES)), NO_TYPE]).all():
        yield "concepts.types"
    for name in WEIGHTS:
        if not (np.isfinite(arrays[name]) & (arrays[name] >= 0)).all():
            yield name


def _texts(store: Store, arrays: Arrays) -> Iterator[str]:
    """Check that the keys that are searched are those of the labels."""
    try:
        same = np.array_equal(_hashes(map(store.id, range(len(store)))), arrays["concepts.hashes"])
    except DataError:
        same = False
    if not same:
        yield "concepts.ids"
        return
    keys = np.unique(_hashes(key(label.text) for concept in store.concepts() for label in concept.labels))
    if not np.array_equal(keys, arrays["senses.keys"]):
        yield "labels.blob"


def _hashes(texts: Iterable[str]) -> NDArray[np.int64]:
    source, hashes = iter(texts), [np.zeros(0, np.int64)]
    while batch := list(islice(source, BLOCK_SIZE)):
        hashes.append(hash_keys(batch).view(np.int64))
    return np.concatenate(hashes)


def _information(arrays: Arrays) -> Iterator[str]:
    """Check that nothing has more information than what it is broader than."""
    bits = arrays["concepts.information"]
    upwards = np.isin(arrays["broader.kinds"], UPWARD_CODES)
    children = owners(arrays["broader.starts"])[upwards]
    if (bits[arrays["broader.concepts"][upwards]] > bits[children]).any():
        yield "concepts.information"
