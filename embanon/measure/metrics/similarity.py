"""Similarity in meaning of two texts, by which utility is weighted; each method has a name."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from embanon.attack import unit_vectors
from embanon.language import key, words_of
from embanon.model import Model

Floats = NDArray[np.float64]


class Similarity(Protocol):
    """Says how near two texts are."""

    @property
    def name(self) -> str:
        """Name the model and how it puts words together, for tables."""

    def similarity(self, text: str, other: str) -> float | None:
        """Return a number from 0 to 1; nothing where it cannot say."""


@dataclass(frozen=True, slots=True, eq=False)
class VectorSimilarity:
    """The cosine of a model's vectors, less what all have in common: of whole phrases, or means of words by rarity."""

    model: Model
    uses_phrases: bool
    _common: Floats = field(init=False, repr=False)
    _known: dict[str, Floats] = field(default_factory=dict, init=False, repr=False)

    def __post_init__(self) -> None:
        """Take the mean of all vectors by how often each occurs; without it any two words are near."""
        table = self.model.words
        rows = unit_vectors(np.nan_to_num(table.vectors.rows(np.arange(len(table)))).astype(np.float64))
        object.__setattr__(self, "_common", np.average(rows, axis=0, weights=table.documents[:]))

    @property
    def name(self) -> str:
        """The name, by what is pooled."""
        return "vectors of phrases" if self.uses_phrases else "means of word vectors"

    def similarity(self, text: str, other: str) -> float | None:
        """Return the cosine of two texts, 0 where it is less; nothing where no word of one is known."""
        first, second = self._vector(text), self._vector(other)
        return max(min(float(first @ second), 1.0), 0.0) if first.any() and second.any() else None

    def _vector(self, text: str) -> Floats:
        vector = self._known.get(text)
        if vector is None:
            vector = self._known[text] = (
                self._phrase_vector(text) if self.uses_phrases else self._mean_word_vector(text)
            )
        return vector

    def _phrase_vector(self, text: str) -> Floats:
        lookup = self.model.find([text])
        if lookup.numbers[0] >= 0:
            return unit_vectors(unit_vectors(lookup.vectors.astype(np.float64))[0] - self._common)
        return self._mean_word_vector(text)

    def _mean_word_vector(self, text: str) -> Floats:
        """Return the mean of words, weighted by rarity."""
        table = self.model.words
        numbers = table.keys.find(words_of(key(text)))
        numbers = numbers[numbers >= 0]
        rows = unit_vectors(unit_vectors(table.vectors.rows(numbers).astype(np.float64)) - self._common)
        return unit_vectors(self.model.rarity(table, numbers) @ np.nan_to_num(rows))
