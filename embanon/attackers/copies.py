"""Tell texts that an attacker has as they are: to find whom they are about is a look-up then."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from embanon.model.duplicates import grams
from embanon.storage.keys import digests, key, words_of

SHARE: Final = 0.5
"""Of the runs of words of a text, as many stand in a copy of it."""


def copied(texts: Sequence[str], known: Sequence[str]) -> NDArray[np.bool_]:
    """Say which texts stand, wholly or in good part, in what is known."""
    own, owners = _runs(texts)
    shared = np.bincount(owners[np.isin(own, _runs(known)[0])], minlength=len(texts))
    return np.asarray(shared >= np.maximum(SHARE * np.bincount(owners, minlength=len(texts)), 1), np.bool_)


def _runs(texts: Sequence[str]) -> tuple[NDArray[np.uint64], NDArray[np.int64]]:
    """Give a sample of the runs of words of texts, with the number of the text of each."""
    words = [digests(words_of(key(text))) for text in texts]
    bounds = np.cumsum([0, *map(len, words)])
    return grams(np.concatenate(words), bounds) if words else (np.zeros(0, np.uint64), np.zeros(0, np.int64))
