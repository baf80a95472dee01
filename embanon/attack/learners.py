"""Attackers who learn from public text: classifiers with one class a candidate, and means of word vectors.

`NaiveBayes` counts words: the shares of a class are mixed half and half with those of all classes together. Over 542
candidates it names as many as TF-IDF does; with a constant added to each count instead, or as a softmax regression on
the sentences, a classifier names fewer (eval/results/attacks.txt). `SentenceClassifier` has vectors of sentences, as of
a transformer, and a linear discriminant over them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from embanon.linkage import AdditiveAttacker, Floats, Ints, TermPostings, WordCounts, count_words, sum_by_index
from embanon.model import Model

MIXED: Final = 0.5
"""The share of all classes in each."""
SENTENCE: Final = re.compile(r"(?<=[.!?])\s+|\s*\n\s*")

TextVectorizer = Callable[[Sequence[str]], NDArray[Any]]
"""Gives a row for each text; NaN where nothing of it is known."""
Span = tuple[int, int]


class NaiveBayes(AdditiveAttacker):
    """Multinomial naive Bayes whose classes are equally likely: logarithms of probabilities, but for a constant."""

    __slots__ = ()

    @classmethod
    def from_postings(cls, postings: TermPostings) -> NaiveBayes:
        """Learn from the words of each class; which of its sentences has them makes no difference."""
        terms = np.repeat(np.arange(len(postings.documents)), postings.documents)
        lengths = np.bincount(postings.candidates, postings.counts, postings.size)
        shares = postings.counts / lengths[postings.candidates]
        every = sum_by_index(terms, postings.counts, len(postings.documents)) / max(postings.counts.sum(), 1.0)
        likelier = np.log1p((1 - MIXED) * shares / (MIXED * every[terms]))
        return cls(postings, likelier, np.ones(len(postings.documents)))

    def query_weights(self, rows: Ints, counts: Floats) -> Floats:
        """Count each occurrence."""
        return counts


@dataclass(frozen=True, slots=True, eq=False)
class SentenceClassifier:
    """A linear discriminant over vectors of sentences; a text scores as its sentences do on average."""

    vectors: TextVectorizer = field(repr=False)
    weights: Floats = field(repr=False)
    """A column for each candidate."""
    constants: Floats = field(repr=False)
    """NaN for a candidate without a known sentence, who scores as the last of the others."""

    @classmethod
    def from_texts(cls, vectors: TextVectorizer, texts: Sequence[str]) -> SentenceClassifier:
        """Learn from the sentences of the text about each candidate."""
        cut = [[text[start:end] for start, end in sentence_spans(text)] for text in texts]
        rows = np.asarray(vectors([one for some in cut for one in some]), np.float64)
        owners = np.repeat(np.arange(len(texts)), [len(some) for some in cut])
        known = ~np.isnan(rows).any(axis=1) if len(rows) else np.zeros(0, np.bool_)
        rows, owners = rows[known], owners[known]
        size = rows.shape[1] if rows.ndim == 2 else 0
        counts = np.bincount(owners, minlength=len(texts))
        means = np.zeros((len(texts), size))
        np.add.at(means, owners, rows)
        means /= np.maximum(counts, 1)[:, None]
        spread = rows - means[owners]
        within = spread.T @ spread / max(len(rows), 1)
        typical = float(np.trace(within)) / max(size, 1) or 1.0
        shrunk = size / max(size + len(rows), 1)  # the fewer sentences, the more alike directions are taken to spread
        weights = np.linalg.solve((1 - shrunk) * within + shrunk * typical * np.eye(size), means.T)
        constants = np.where(counts > 0, -0.5 * (means.T * weights).sum(axis=0), np.nan)
        return cls(vectors, np.asarray(weights, np.float64), constants)

    def score(self, text: str) -> Floats:
        """Score all candidates for a text; all alike where no sentence is known."""
        return np.asarray(self.score_sentences(text)[1].mean(axis=0), np.float64)

    def score_sentences(self, text: str) -> tuple[list[Span], Floats]:
        """Return where the known sentences of a text are, and score all candidates for each."""
        spans = sentence_spans(text)
        rows = np.asarray(self.vectors([text[start:end] for start, end in spans]), np.float64)
        known = np.flatnonzero(~np.isnan(rows).any(axis=1)) if len(spans) else np.zeros(0, np.int64)
        if not len(known):
            return [], np.zeros((1, len(self.constants)))
        scores = rows[known] @ self.weights + self.constants
        last = np.nan_to_num(np.nanmin(scores, axis=1, keepdims=True))
        return [spans[place] for place in known.tolist()], np.where(np.isnan(scores), last, scores)


def sentence_spans(text: str) -> list[Span]:
    """Return where the sentences of a text are, by their signs alone."""
    bounds, last = list[Span](), 0
    for match in SENTENCE.finditer(text):
        bounds.append((last, match.start()))
        last = match.end()
    return [(start, end) for start, end in (*bounds, (last, len(text))) if any(map(str.isalnum, text[start:end]))]


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
        vector = mean_vector(self.model, words)
        return np.asarray(self.means @ unit_vectors(vector - self.common if vector.any() else vector), np.float64)

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
    table, listed = model.words, list(words)
    numbers = table.keys.find(listed)
    places = np.flatnonzero(numbers >= 0)
    numbers = numbers[places]
    if not len(numbers):
        return [], np.zeros((0, model.dimensions))
    counts = np.array([words[listed[place]] for place in places.tolist()], np.float64)
    vectors = np.nan_to_num(unit_vectors(table.vectors.rows(numbers)))
    return [listed[place] for place in places.tolist()], (counts * model.rarity(table, numbers))[:, None] * vectors


def unit_vectors(vectors: Any) -> Floats:
    """Make rows 1 long; those of zeros stay."""
    return np.asarray(vectors / np.maximum(np.linalg.norm(vectors, axis=-1, keepdims=True), 1e-9), np.float64)
