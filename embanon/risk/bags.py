"""Texts as bags of words that can be compared, and the scale on which to compare them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

TAIL_Z: Final = 1.645
"""Where one in twenty begins, if the middle is 0."""


@dataclass(frozen=True, slots=True, eq=False)
class Scale:
    """The middle of what unrelated texts reach, and how far from there their tail begins."""

    middle: float
    width: float

    @classmethod
    def from_values(cls, values: Floats) -> Scale:
        """Measure values of unrelated texts, of which one in twenty is in the tail."""
        middle, tail = np.quantile(values, [0.5, 0.95])
        return cls(float(middle), max(float(tail - middle), 1e-6) / TAIL_Z)

    def __call__(self, values: Floats) -> Floats:
        return (values - self.middle) / self.width


@dataclass(frozen=True, slots=True, eq=False)
class BagOfWords:
    """Texts as words: which text has which word how often; texts are numbered from 0 to `size`."""

    texts: Ints = field(repr=False)
    words: Ints = field(repr=False)
    counts: Floats = field(repr=False)
    size: int

    @classmethod
    def from_words(cls, texts: Ints, words: Ints, size: int, vocabulary: int) -> BagOfWords:
        """Count the words of each text; -1 is no word."""
        pairs, counts = np.unique((texts * vocabulary + words)[words >= 0], return_counts=True)
        return cls(pairs // max(vocabulary, 1), pairs % max(vocabulary, 1), counts.astype(np.float64), size)

    def weights(self, rarity: Floats) -> Floats:
        """Weigh words by logarithmic frequency and rarity, the words of each text together 1 long."""
        found = np.log1p(self.counts) * rarity[self.words]
        lengths = np.sqrt(np.bincount(self.texts, found**2, self.size))
        return np.asarray(found / np.maximum(lengths[self.texts], 1e-9))

    def dot(self, contrast: Floats, rarity: Floats) -> Floats:
        """Multiply each text with the weights of words."""
        weights = self.weights(rarity) * contrast[self.words]
        return np.asarray(np.bincount(self.texts, weights, self.size), np.float64)
