"""Label tokens: of what type each mention is, where it begins, and how likely each token belongs to one.

A linear-chain conditional random field. What a word form says at each place around it is summed once and kept; a
token then costs a few look-ups of rows, and all lines are decoded together, place by place.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import pairwise
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from embanon.data import find_resource, open_archive, pack_archive
from embanon.document import TYPES
from embanon.language import LANGUAGES, Lexicon, find_positions, hash_texts, sum_hashed_rows
from embanon.recognize.features import (
    OFFSETS,
    Rows,
    TokenColumns,
    context_rows,
    describe_words,
    hash_features,
)

Scores = NDArray[np.float32]

FORMAT: Final = 1
LABELS: Final = ("O", *(f"{letter}-{type}" for type in TYPES for letter in "BI"))
"""Outside, and for each type whether a mention begins or goes on."""
OUTSIDE: Final = 0
FORBIDDEN: Final = -1e4
LONGEST_CHAIN: Final = 120
"""Tokens that are decoded together: a longer line is cut at its sentences, a longer sentence anywhere."""
SHORT_LINE: Final = 60
"""Tokens of a line that is decoded whole, whatever sentences it has."""


def allowed_transitions() -> tuple[Scores, Scores]:
    """Return what is added to each transition and to each first label: a mention goes on only where one is."""
    between = np.zeros((len(LABELS), len(LABELS)), np.float32)
    inside = np.arange(2, len(LABELS), 2)
    between[:, inside] = FORBIDDEN
    between[inside, inside] = between[inside - 1, inside] = 0
    first = np.zeros(len(LABELS), np.float32)
    first[inside] = FORBIDDEN
    return between, first


@dataclass(frozen=True, slots=True)
class LabelerWeights:
    """What training leaves for a language: arrays only.

    `keys` are sorted hashes of features of words, `values[feature, offset, label]`; `shared[row, label]` and
    `local[row, label]` the tables that tokens look up, `scales` what a unit of each of the three is worth. `words` are
    sorted hashes of word forms whose `clusters` are known.
    """

    keys: NDArray[np.uint32] = field(repr=False)
    values: NDArray[np.int8] = field(repr=False)
    shared: NDArray[np.int8] = field(repr=False)
    local: NDArray[np.int8] = field(repr=False)
    scales: Scores = field(repr=False)
    transitions: Scores = field(repr=False)
    words: NDArray[np.uint32] = field(repr=False)
    clusters: NDArray[np.int32] = field(repr=False)

    def to_bytes(self) -> bytes:
        """Write as a compressed archive of arrays."""
        arrays = {name: getattr(self, name) for name in self.__slots__}
        return pack_archive(format=np.array([FORMAT]), **arrays)

    @classmethod
    def from_bytes(cls, data: bytes, name: str = "labeler") -> LabelerWeights:
        """Read what `to_bytes` wrote; never unpickles."""
        with open_archive(data, name, FORMAT) as arrays:
            return cls(*(arrays[column] for column in cls.__slots__))


def word_clusters(words: Sequence[str], known: NDArray[np.uint32], clusters: NDArray[Any]) -> NDArray[np.int64]:
    """Return the cluster of each word as written, else in small letters, else with a capital; -1 where unknown."""
    result = np.full(len(words), -1, np.int64)
    if not len(known):
        return result
    for written in (list(words), [word.lower() for word in words], [word.capitalize() for word in words]):
        missing = np.flatnonzero(result < 0)
        places = find_positions(known, hash_texts([written[place] for place in missing.tolist()]))
        result[missing[places >= 0]] = clusters[places[places >= 0]]
    return result


@dataclass(frozen=True, slots=True)
class Labels:
    """The label of each token, as an index into LABELS, and how likely it belongs to a mention of each type."""

    label: NDArray[np.uint8]
    inside: Scores
    """One column per type."""


@dataclass(frozen=True, slots=True)
class Labeler:
    """A labeler ready to run on word forms that have its columns."""

    weights: LabelerWeights
    lexicon: Lexicon = field(repr=False)

    def columns(self) -> dict[str, Any]:
        """Return the columns of forms that labeling reads."""
        return {"label_scores": self._score_words, "layout": self._describe_words}

    def _clusters(self, words: Sequence[str]) -> NDArray[np.int64]:
        return word_clusters(words, self.weights.words, self.weights.clusters)

    def _describe_words(self, words: Sequence[str]) -> NDArray[Any]:
        return describe_words(words, self._clusters(words))

    def _score_words(self, words: Sequence[str]) -> NDArray[np.int16]:
        """Sum the weights of each word's features: words × offsets × labels."""
        known = zip(words, map(self.lexicon.flags, words), self._clusters(words).tolist(), strict=True)
        hashes = [hash_features(word, cues, cluster) for word, cues, cluster in known]
        return sum_hashed_rows(self.weights.keys, self.weights.values, hashes)

    def score(self, columns: TokenColumns, words: NDArray[np.int16]) -> Scores:
        """Return what speaks for each label at each token; `words` are the rows of the word forms."""
        weights = self.weights
        padded, places = columns.ids, columns.places
        around = words[padded[places - 2], 0].astype(np.int32)
        for number, offset in enumerate(OFFSETS[1:], start=1):
            around += words[padded[places + offset], number]
        shared, local = context_rows(columns)
        scores = around * weights.scales[0]
        scores += _sum_rows(weights.shared, shared) * weights.scales[1]
        scores += _sum_rows(weights.local, local) * weights.scales[2]
        result: Scores = scores.astype(np.float32)
        return result

    def label(
        self, ids: Rows, features: dict[str, NDArray[Any]], tags: NDArray[np.uint8], start: NDArray[Any],
        end: NDArray[Any], gap: NDArray[np.int8], sentence: NDArray[np.bool_],
    ) -> Labels:  # fmt: skip
        """Label the tokens of a text by the numbers of their forms, their tags, offsets and gaps."""
        if not len(ids):
            return Labels(np.zeros(0, np.uint8), np.zeros((0, len(TYPES)), np.float32))
        columns = TokenColumns.build(ids, features["layout"], tags, start, end, gap)
        scores = self.score(columns, features["label_scores"])
        chains = Chains.cut(columns.layout.line_start, sentence)
        between, first = allowed_transitions()
        return decode(scores, self.weights.transitions + between, first, chains)


def _sum_rows(table: NDArray[np.int8], rows: Sequence[Rows]) -> NDArray[np.int32]:
    """Return the sum of the rows of a table that each token looks up."""
    total = table[rows[0]].astype(np.int32)
    for row in rows[1:]:
        total += table[row]
    return total


@dataclass(frozen=True, slots=True)
class Chains:
    """Runs of tokens that are decoded each by itself, the longest first, and their tokens place by place."""

    order: Rows
    """The tokens: the first ones of all chains, then the second ones …"""
    counts: tuple[int, ...]
    """How many chains have so many tokens."""

    @classmethod
    def cut(cls, line_start: Rows, sentence: NDArray[np.bool_]) -> Chains:
        """Cut lines into chains; `line_start` ends with the number of tokens."""
        size = int(line_start[-1])
        length = np.diff(line_start)
        opens = sentence & np.repeat(length > SHORT_LINE, length)
        opens[line_start[:-1]] = True
        starts = np.flatnonzero(opens)
        within = np.arange(size) - np.repeat(starts, np.diff(np.append(starts, size)))
        starts = np.flatnonzero(within % LONGEST_CHAIN == 0)
        return cls.of_runs(starts, np.diff(np.append(starts, size)))

    @classmethod
    def of_runs(cls, starts: Rows, lengths: Rows) -> Chains:
        """Arrange runs of tokens by their starts and lengths."""
        longest_first = np.argsort(-lengths, kind="stable")
        starts, lengths = starts[longest_first], lengths[longest_first]
        counts = np.bincount(lengths)[::-1].cumsum()[::-1][1:]
        order = np.concatenate([starts[:count] + step for step, count in enumerate(counts.tolist())])
        return cls(order, tuple(counts.tolist()))


def decode(scores: Scores, transitions: Scores, first: Scores, chains: Chains) -> Labels:
    """Return the likeliest labels of each chain, and the probabilities of types at each token."""
    ordered = scores[chains.order]
    bounds = np.cumsum([0, *chains.counts]).tolist()
    best = np.empty(len(scores), np.uint8)
    best[chains.order] = _likeliest(ordered, transitions, first, bounds)
    chance = np.empty((len(scores), len(TYPES)), np.float32)
    chance[chains.order] = _type_chances(ordered, transitions, first, bounds)
    return Labels(best, chance)


def _likeliest(scores: Scores, transitions: Scores, first: Scores, bounds: Sequence[int]) -> NDArray[np.uint8]:
    """Return the labels of the best path of each chain (Viterbi)."""
    best = scores[: bounds[1]] + first
    steps = [best]
    came_from = list[NDArray[Any]]()
    into = transitions.T
    for low, high in pairwise(bounds[1:]):
        reached = best[: high - low, None, :] + into
        came_from.append(reached.argmax(axis=2).astype(np.uint8))
        best = reached.max(axis=2) + scores[low:high]
        steps.append(best)
    labels = np.empty(len(scores), np.uint8)
    later = np.zeros(0, np.uint8)
    for number in range(len(steps) - 1, -1, -1):
        here = steps[number].argmax(axis=1).astype(np.uint8)
        if len(later):
            here[: len(later)] = came_from[number][np.arange(len(later)), later]
        labels[bounds[number] : bounds[number + 1]] = later = here
    return labels


def _type_chances(scores: Scores, transitions: Scores, first: Scores, bounds: Sequence[int]) -> Scores:
    """Return how likely each token belongs to a mention of each type (forward and backward)."""
    likelihood = np.exp(scores - scores.max(axis=1, keepdims=True))
    between = np.exp(transitions)
    forward = likelihood.copy()
    forward[: bounds[1]] *= np.exp(first)
    previous = _normalized(forward[: bounds[1]])
    forward[: bounds[1]] = previous
    for low, high in pairwise(bounds[1:]):
        previous = _normalized((previous[: high - low] @ between) * likelihood[low:high])
        forward[low:high] = previous
    backward = np.ones_like(forward)
    spans = list(pairwise(bounds))
    for (low, _), (later, high) in zip(spans[-2::-1], spans[:0:-1], strict=True):
        following = _normalized(backward[later:high] * likelihood[later:high])
        backward[low : low + high - later] = following @ between.T
    chance = _normalized(forward * backward)
    result: Scores = chance[:, 1::2] + chance[:, 2::2]
    return result


def _normalized(rows: Scores) -> Scores:
    """Divide rows by their sums."""
    total: Scores = rows / np.maximum(rows.sum(axis=1, keepdims=True), 1e-30)
    return total


@lru_cache(maxsize=len(LANGUAGES))
def load_labeler(language: str) -> Labeler:
    """Open the shipped labeler of a language (`en`, `es`, `pt`, `de`)."""
    name = f"{language}.npz"
    data = find_resource("embeddings", "recognizer", name).read_bytes()
    return Labeler(LabelerWeights.from_bytes(data, name), Lexicon.load(language))
