"""Find near-duplicate documents, which share runs of eight words."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

GRAM_WORDS: Final = 8
"""Words that two documents must share in a row to be nearly the same."""
SAMPLING_STEP: Final = 4
"""One in so many runs of words is kept."""
MAX_SHARING_DOCUMENTS: Final = 20
"""The most documents that may share a run; one in more of them is a formula, which proves nothing."""
MULTIPLIER: Final = np.uint64(0x9E3779B97F4A7C15)

Ints = NDArray[np.int64]


def document_of_each(bounds: Ints) -> Ints:
    """Return the document that each place of a sequence belongs to."""
    return np.repeat(np.arange(len(bounds) - 1), np.diff(bounds))


def sample_gram_hashes(words: NDArray[np.uint64], bounds: Ints) -> tuple[NDArray[np.uint64], Ints]:
    """Return a sample of the runs of words as hashes, and the document of each; `words` are hashes too.

    A document shorter than a run is one run, and of one without a run in the sample the least is kept.
    """
    owner = document_of_each(bounds)
    hashed = np.zeros(len(words), np.uint64)
    for step in range(min(GRAM_WORDS, len(words))):
        hashed[: len(words) - step] = hashed[: len(words) - step] * MULTIPLIER + words[step:]
    sizes = np.diff(bounds)
    inside = np.arange(len(words)) + GRAM_WORDS <= np.repeat(bounds[1:], sizes)
    hashed ^= hashed >> np.uint64(32)
    kept = inside & (hashed % np.uint64(SAMPLING_STEP) == 0)
    kept |= _least_grams(hashed, inside, owner, np.bincount(owner[kept], minlength=len(sizes)) == 0)
    short = np.flatnonzero((sizes > 0) & (sizes < GRAM_WORDS))
    whole = np.array([_hash_short_document(words[bounds[n] : bounds[n + 1]]) for n in short.tolist()], np.uint64)
    return distinct_grams(np.append(hashed[kept], whole), np.append(owner[kept], short))


def _least_grams(
    hashed: NDArray[np.uint64], inside: NDArray[np.bool_], owner: Ints, without: NDArray[np.bool_]
) -> NDArray[np.bool_]:
    """Return the least run of each document that is without one."""
    places = np.flatnonzero(inside & without[owner])
    least = np.full(len(without), np.iinfo(np.uint64).max)
    np.minimum.at(least, owner[places], hashed[places])
    is_least = np.zeros(len(hashed), bool)
    is_least[places] = hashed[places] == least[owner[places]]
    return is_least


def distinct_grams(hashes: NDArray[np.uint64], documents: Ints) -> tuple[NDArray[np.uint64], Ints]:
    """Return the distinct pairs, in order."""
    order = np.lexsort((documents, hashes))
    hashes, documents = hashes[order], documents[order]
    new = np.append(True, (np.diff(hashes) != 0) | (np.diff(documents) != 0))[: len(hashes)]
    return hashes[new], documents[new]


def _hash_short_document(words: NDArray[np.uint64]) -> int:
    total = 0
    for word in words.tolist():
        total = (total * int(MULTIPLIER) + word) & (2**64 - 1)
    return total ^ (total >> 32)


def drop_common_grams(hashes: NDArray[np.uint64], documents: Ints) -> tuple[NDArray[np.uint64], Ints]:
    """Leave out the runs that too many documents share; pairs are in order of their hash."""
    _, place, counts = np.unique(hashes, return_inverse=True, return_counts=True)
    rare = counts[place] <= MAX_SHARING_DOCUMENTS
    return hashes[rare], documents[rare]
