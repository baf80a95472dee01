"""Attackers who learn from sentences about each candidate whose they are: one class a candidate.

`NaiveBayes` counts words: the shares of a class are mixed half and half with those of all classes together. Over 542
candidates it names as many as TF-IDF does; with a constant added to each count instead, or as a softmax regression on
the sentences, a classifier names fewer (eval/results/attacks.txt). `SentenceClassifier` has vectors of sentences, as of
a transformer, and a linear discriminant over them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from embanon.linkage import AdditiveAttacker, Floats, Ints, TermPostings, sum_by_index

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
        own = postings.counts / lengths[postings.candidates]
        every = sum_by_index(terms, postings.counts, len(postings.documents)) / max(postings.counts.sum(), 1.0)
        likelier = np.log1p((1 - MIXED) * own / (MIXED * every[terms]))
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
        """Score all candidates for a text; nothing is told where no sentence is known."""
        return np.asarray(self.score_sentences(text)[1].mean(axis=0), np.float64)

    def score_sentences(self, text: str) -> tuple[list[Span], Floats]:
        """Return where the known sentences of a text are, and score all candidates for each."""
        spans = sentence_spans(text)
        rows = np.asarray(self.vectors([text[start:end] for start, end in spans]), np.float64)
        known = np.flatnonzero(~np.isnan(rows).any(axis=1)) if len(spans) else np.zeros(0, np.int64)
        if not len(known):
            return [], np.zeros((1, len(self.constants)))
        found = rows[known] @ self.weights + self.constants
        last = np.nan_to_num(np.nanmin(found, axis=1, keepdims=True))
        return [spans[place] for place in known.tolist()], np.where(np.isnan(found), last, found)


def sentence_spans(text: str) -> list[Span]:
    """Return where the sentences of a text are, by their signs alone."""
    bounds, last = list[Span](), 0
    for found in SENTENCE.finditer(text):
        bounds.append((last, found.start()))
        last = found.end()
    return [(start, end) for start, end in (*bounds, (last, len(text))) if any(map(str.isalnum, text[start:end]))]
