"""An attacker who compares texts by the mean of their words' vectors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from embanon.linkage import Floats, WordCounts, count_words
from embanon.model import Model


@dataclass(frozen=True, slots=True, eq=False)
class EmbeddingAttacker:
    """An attacker who compares means of word vectors, each weighted by its rarity, less what all have in common."""

    model: Model
    means: Floats = field(repr=False)
    common: Floats = field(repr=False)

    @classmethod
    def from_texts(cls, model: Model, texts: Sequence[str]) -> EmbeddingAttacker:
        """Take the means of texts; one of which no word is known is like none."""
        means = np.stack([mean_vector(model, count_words(text)) for text in texts])
        common = means.mean(axis=0)
        return cls(model, means.any(axis=1, keepdims=True) * unit_vectors(means - common), common)

    def scores(self, words: WordCounts) -> Floats:
        """Score all candidates; words of which none is known say nothing."""
        own = mean_vector(self.model, words)
        return np.asarray(self.means @ unit_vectors(own - self.common if own.any() else own), np.float64)

    def telling(self, words: WordCounts, target: int, rivals: Sequence[int]) -> Mapping[str, float]:
        """Return what each known word adds to the target's score, less the mean of its rivals'."""
        known, rows = weighted_vectors(self.model, words)
        whole = float(np.linalg.norm(rows.sum(axis=0))) or 1.0
        length = float(np.linalg.norm(mean_vector(self.model, words) - self.common)) or 1.0
        direction = self.means[target] - (self.means[list(rivals)].mean(axis=0) if len(rivals) else 0.0)
        return dict(zip(known, (rows @ direction / (whole * length)).tolist(), strict=True))


def mean_vector(model: Model, words: WordCounts) -> Floats:
    """Return the mean vector of words, 1 long; zeros where none is known."""
    return unit_vectors(weighted_vectors(model, words)[1].sum(axis=0))


def weighted_vectors(model: Model, words: WordCounts) -> tuple[list[str], Floats]:
    """Return the words that a model knows, each with its vector.

    As long as the word is frequent here, and rare else.
    """
    table, some = model.words, list(words)
    numbers = table.keys.find(some)
    places = np.flatnonzero(numbers >= 0)
    numbers = numbers[places]
    if not len(numbers):
        return [], np.zeros((0, model.dimensions))
    counts = np.array([words[some[place]] for place in places.tolist()], np.float64)
    vectors = np.nan_to_num(unit_vectors(table.vectors.rows(numbers)))
    return [some[place] for place in places.tolist()], (counts * model.rarity(table, numbers))[:, None] * vectors


def unit_vectors(vectors: Any) -> Floats:
    """Make rows 1 long; those of zeros stay."""
    return np.asarray(vectors / np.maximum(np.linalg.norm(vectors, axis=-1, keepdims=True), 1e-9), np.float64)
