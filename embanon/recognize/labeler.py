"""Label tokens: of what type each mention is, where it begins, and how likely each token belongs to one.

A small network reads the tokens in their context; over what it says of each, conditional random fields find the
mentions that identify and the names of people, organizations and places. All lines are decoded together, place by
place.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import pairwise
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from embanon.data import find_resource
from embanon.document import TYPES
from embanon.language import LANGUAGES, Lexicon, find_positions, hash_texts, sum_hashed_rows
from embanon.recognize.features import Rows, TokenPlaces, hash_features
from embanon.recognize.layout import mark_codes
from embanon.recognize.network import ArrayArchive, Network, Reading, Scores, Vectors, load_network

LABELS: Final = ("O", *(f"{letter}-{type}" for type in TYPES for letter in "BI"))
"""Outside, and for each type whether a mention begins or goes on."""
NAME_LABELS: Final = LABELS[:7]
"""The labels of names: those of the first three types, people, organizations and places."""
OUTSIDE: Final = 0
FORBIDDEN: Final = -1e4
LONGEST_CHAIN: Final = 120
"""Tokens that are decoded together: a longer line is cut at its sentences, a longer sentence anywhere."""
SHORT_LINE: Final = 60
"""Tokens of a line that is decoded whole, whatever sentences it has."""


def allowed_transitions(size: int = len(LABELS)) -> tuple[Scores, Scores]:
    """Return what is added to each transition and to each first label: a mention goes on only where one is."""
    between = np.zeros((size, size), np.float32)
    inside = np.arange(2, size, 2)
    between[:, inside] = FORBIDDEN
    between[inside, inside] = between[inside - 1, inside] = 0
    first = np.zeros(size, np.float32)
    first[inside] = FORBIDDEN
    return between, first


@dataclass(frozen=True, slots=True)
class LabelerWeights(ArrayArchive):
    """What training leaves for a language, beside the layers that all share: arrays only.

    `keys` are sorted hashes of features of words, `values[feature]` their vectors, `scale` what a unit of each
    dimension is worth. `words` are sorted hashes of word forms whose `clusters` are known.
    """

    keys: NDArray[np.uint32] = field(repr=False)
    values: NDArray[np.int8] = field(repr=False)
    scale: Scores = field(repr=False)
    words: NDArray[np.uint32] = field(repr=False)
    clusters: NDArray[np.int32] = field(repr=False)


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
    """What is seen of each token: its label, as an index into LABELS, and how likely it belongs to a mention."""

    label: NDArray[np.uint8]
    inside: Scores
    """One column per type."""
    name: NDArray[np.uint8]
    """The label among names, whether they identify or not, as an index into NAME_LABELS."""
    mark: NDArray[np.uint8]
    """Which mark of punctuation it is (see `layout`), 0 for none."""
    reading: Reading = field(repr=False)


@dataclass(frozen=True, slots=True)
class Labeler:
    """A labeler ready to run on word forms that have its columns."""

    weights: LabelerWeights
    network: Network
    lexicon: Lexicon = field(repr=False)
    tags: tuple[str, ...]
    """The names of the tags of its tokens."""

    def columns(self) -> dict[str, Any]:
        """Return the columns of forms that labeling reads."""
        return {"vector": self.embed_words, "mark": mark_codes}

    def embed_words(self, words: Sequence[str]) -> Vectors:
        """Return the vectors of words, each the sum of those of its features."""
        weights, network = self.weights, self.network
        clusters = word_clusters(words, weights.words, weights.clusters).tolist()
        known = zip(words, map(self.lexicon.flags, words), clusters, strict=True)
        hashes = [hash_features(word, cues, cluster) for word, cues, cluster in known]
        shared = sum_hashed_rows(network.keys, network.values, [one for one, _ in hashes]) * network.scale
        local = sum_hashed_rows(weights.keys, weights.values, [one for _, one in hashes]) * weights.scale
        return network.normalize(shared + local)

    def label(
        self, ids: Rows, features: dict[str, NDArray[Any]], tags: NDArray[np.uint8], start: NDArray[Any],
        end: NDArray[Any], gap: NDArray[np.int8], sentence: NDArray[np.bool_],
    ) -> Labels | None:  # fmt: skip
        """Label the tokens of a text by the numbers of their forms, tags, offsets and gaps; `None` without any."""
        if not len(ids):
            return None
        marks = features["mark"][ids]
        places = TokenPlaces.of_tokens(tags, self.tags, start, end, gap, marks)
        reading = self.network.read(features["vector"], ids, places)
        chains = Chains.cut(places.layout.line_start, sentence)
        label, inside = decode(reading.label_scores(), self.network.transitions, chains)
        name = likeliest_labels(reading.name_scores(), self.network.name_transitions, chains)
        return Labels(label, inside, name, marks, reading)


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
        lengths = np.diff(np.append(starts, size))
        longest_first = np.argsort(-lengths, kind="stable")
        starts, lengths = starts[longest_first], lengths[longest_first]
        counts = np.bincount(lengths)[::-1].cumsum()[::-1][1:]
        order = np.concatenate([starts[:count] + step for step, count in enumerate(counts.tolist())])
        return cls(order, tuple(counts.tolist()))

    def bounds(self) -> list[int]:
        """Return where the tokens at each place of a chain begin in `order`, and where the last end."""
        result: list[int] = np.cumsum([0, *self.counts]).tolist()
        return result


def decode(scores: Scores, transitions: Scores, chains: Chains) -> tuple[NDArray[np.uint8], Scores]:
    """Return the likeliest labels of each chain, and the probabilities of types at each token."""
    between, first = allowed_transitions(len(transitions))
    chance = np.empty((len(scores), len(transitions) // 2), np.float32)
    chance[chains.order] = _type_chances(scores[chains.order], transitions + between, first, chains.bounds())
    return likeliest_labels(scores, transitions, chains), chance


def likeliest_labels(scores: Scores, transitions: Scores, chains: Chains) -> NDArray[np.uint8]:
    """Return the likeliest labels of each chain."""
    between, first = allowed_transitions(len(transitions))
    best = np.empty(len(scores), np.uint8)
    best[chains.order] = _likeliest(scores[chains.order], transitions + between, first, chains.bounds())
    return best


def _likeliest(scores: Scores, transitions: Scores, first: Scores, bounds: Sequence[int]) -> NDArray[np.uint8]:
    """Return the labels of the best path of each chain (Viterbi).

    Labels are rows, chains are columns. Whatever goes before, a token may be outside or begin a mention; it goes on
    only behind the beginning or the inside of one.
    """
    inside = np.arange(2, len(transitions), 2)
    opening = np.append(OUTSIDE, inside - 1)
    into, goes_on, stays = transitions[:, opening, None], transitions[inside - 1, inside], transitions[inside, inside]
    best = np.ascontiguousarray((scores[: bounds[1]] + first).T)
    steps = [best]
    for low, high in pairwise(bounds[1:]):
        known = best[:, : high - low]
        reached = np.empty_like(known)
        most = known[0] + into[0]
        for label in range(1, len(known)):
            np.maximum(most, known[label] + into[label], out=most)
        reached[opening] = most
        reached[inside] = np.maximum(known[inside - 1] + goes_on[:, None], known[inside] + stays[:, None])
        reached += scores[low:high].T
        steps.append(best := reached)
    labels = np.empty(len(scores), np.uint8)
    later = np.zeros(0, np.uint8)
    for number in reversed(range(len(steps))):
        here = steps[number].argmax(axis=0).astype(np.uint8)
        # Chains that go on have the label from which the next one was reached.
        here[: len(later)] = (steps[number][:, : len(later)] + transitions[:, later]).argmax(axis=0)
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
def load_labeler(language: str, tags: tuple[str, ...]) -> Labeler:
    """Open the shipped labeler of a language (`en`, `es`, `pt`, `de`), for tokens with such tags."""
    name = f"{language}.npz"
    data = find_resource("embeddings", "recognizer", name).read_bytes()
    return Labeler(LabelerWeights.from_bytes(data, name), load_network(), Lexicon.load(language), tags)
