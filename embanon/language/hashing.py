"""Hashes of words and features as numbers, and where they stand in a sorted table."""

from __future__ import annotations

import zlib
from collections.abc import Iterable
from typing import Final

import numpy as np
from numpy.typing import NDArray

LONGEST_WORD: Final = 40
"""Longer words are tagged by their first and last characters."""


def hash_text(name: str, seed: int = 0) -> int:
    """Hash a name to 32 bits; a seed goes before it: `digest("ab") == digest("b", digest("a"))`."""
    return zlib.crc32(name.encode("utf-8", "surrogatepass"), seed)


def hash_texts(names: Iterable[str]) -> NDArray[np.uint32]:
    """Hash names to 32 bits."""
    return np.array([hash_text(name) for name in names], dtype=np.uint32)


def find_positions(sorted_keys: NDArray[np.uint32], keys: NDArray[np.uint32]) -> NDArray[np.int64]:
    """Return the place of each key among sorted ones, -1 where it is not there."""
    if not len(sorted_keys):
        return np.full(len(keys), -1, dtype=np.int64)
    place = np.minimum(np.searchsorted(sorted_keys, keys), len(sorted_keys) - 1)
    return np.where(sorted_keys[place] == keys, place, -1)
