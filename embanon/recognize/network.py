"""Read tokens in their context: a small convolutional network, with layers that all languages share.

A word is the sum of the vectors of its features, computed once each. A token sees two words on either side, the label
before it, the first word of its line and the mean of its paragraph; each later layer looks a little further. Arrays
alone, no framework; what the layers say is trained by embeddings/build/recognizer.py.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache
from typing import Final, Self

import numpy as np
from numpy.typing import NDArray

from embanon.data import find_resource, open_archive, pack_archive
from embanon.recognize.features import PADDING, Rows, TokenPlaces

Scores = NDArray[np.float32]
Vectors = NDArray[np.float16]
"""Of words, which are kept: half as large."""

FORMAT: Final = 2
WINDOW: Final = (-2, -1, 0, 1, 2)
REACH: Final = (1, 2, 4)
"""How far the tokens stand that each further layer looks at, on either side."""
SMALL: Final = 1e-5
BLOCK: Final = 2000
"""Tokens that are read at a time, if paragraphs allow."""


class ArrayArchive:
    """What is kept as a compressed archive of its arrays."""

    __slots__: tuple[str, ...] = ()

    def to_bytes(self) -> bytes:
        """Write as a compressed archive of arrays."""
        return pack_archive(format=np.array([FORMAT]), **{name: getattr(self, name) for name in self.__slots__})

    @classmethod
    def from_bytes(cls, data: bytes, name: str = "labeler") -> Self:
        """Read what `to_bytes` wrote; never unpickles."""
        with open_archive(data, name, FORMAT) as arrays:
            return cls(*(arrays[column] for column in cls.__slots__))


@dataclass(frozen=True, slots=True)
class Network(ArrayArchive):
    """The layers that all languages share, and the features of words that they share: arrays only."""

    keys: NDArray[np.uint32] = field(repr=False)
    values: NDArray[np.int8] = field(repr=False)
    scale: Scores = field(repr=False)
    """Of each dimension of `values`."""
    norm: Scores = field(repr=False)
    """What words' vectors are stretched by, and moved by."""
    context: Scores = field(repr=False)
    window: Scores = field(repr=False)
    """Of the words in WINDOW, the label and the first word of the line."""
    paragraph: Scores = field(repr=False)
    bias: Scores = field(repr=False)
    around: Scores = field(repr=False)
    around_bias: Scores = field(repr=False)
    back: Scores = field(repr=False)
    back_bias: Scores = field(repr=False)
    labels: Scores = field(repr=False)
    labels_bias: Scores = field(repr=False)
    transitions: Scores = field(repr=False)
    names: Scores = field(repr=False)
    names_bias: Scores = field(repr=False)
    name_transitions: Scores = field(repr=False)
    judge: Scores = field(repr=False)
    judge_bias: Scores = field(repr=False)
    kinds: Scores = field(repr=False)
    kinds_bias: Scores = field(repr=False)

    def normalize(self, vectors: Scores) -> Vectors:
        """Return vectors of words with mean 0 and deviation 1, stretched and moved as was learnt."""
        centered = vectors - vectors.mean(axis=1, keepdims=True)
        deviation = np.sqrt((centered**2).mean(axis=1, keepdims=True) + SMALL)
        result: Vectors = (centered / deviation * self.norm[0] + self.norm[1]).astype(np.float16)
        return result

    def read(self, words: Vectors, ids: Rows, places: TokenPlaces) -> Reading:
        """Read the tokens of a text; `words` are the vectors of forms, `ids` the number of each token's form."""
        vectors = np.zeros((len(ids) + 1, self.context.shape[1]), np.float32)
        vectors[:-1] = self._describe(places.context)
        vectors[:-1] += words[ids]
        lines = self._of_lines(words, ids, places, vectors[:-1])
        states = np.zeros((places.size, len(self.bias)), np.float32)
        opens = places.paragraph
        ends = np.append(opens[1:], len(ids))
        begin = 0
        while begin < len(opens):  # so many paragraphs at a time that they stay in the processor's cache
            end = max(begin + 1, int(np.searchsorted(ends, opens[begin] + BLOCK, side="right")))
            tokens = slice(int(opens[begin]), int(ends[end - 1]))
            place = places.place[tokens]
            states[place[0] : place[-1] + 1] = self._read_block(vectors[tokens], lines[tokens], place - place[0])
            begin = end
        return Reading(self, places.place, states, states[places.place], vectors)

    def _read_block(self, vectors: Scores, lines: Scores, place: Rows) -> Scores:
        """Return the states of the rows of some paragraphs, of which `place` are those of tokens."""
        count = int(place[-1]) + 1
        low, high = PADDING, PADDING + count
        padded = np.zeros((count + 2 * PADDING, vectors.shape[1]), np.float32)
        padded[place + PADDING] = vectors
        inner = padded[low + WINDOW[0] : high + WINDOW[0]] @ self.window[0]
        for number, offset in enumerate(WINDOW[1:], start=1):
            inner += padded[low + offset : high + offset] @ self.window[number]
        inner += self.bias
        inner[place] += lines
        np.maximum(inner, 0, out=inner)
        is_token = np.zeros((count, 1), np.float32)
        is_token[place] = 1
        states = np.zeros((count + 2 * PADDING, inner.shape[1]), np.float32)
        np.multiply(inner, is_token, out=states[low:high])
        for number, reach in enumerate(REACH):
            hidden = states[low:high] @ self.around[number, 1]
            hidden += states[low - reach : high - reach] @ self.around[number, 0]
            hidden += states[low + reach : high + reach] @ self.around[number, 2]
            hidden += self.around_bias[number]
            np.maximum(hidden, 0, out=hidden)
            update = hidden @ self.back[number]
            update += self.back_bias[number]
            update *= is_token
            states[low:high] += update
        return states[low:high]

    def _describe(self, context: Rows) -> Scores:
        """Return what the places of tokens add to their words."""
        marks = np.zeros((len(context), len(self.context)), np.float32)
        marks[np.arange(len(context))[:, None], context] = 1
        result: Scores = marks @ self.context
        return result

    def _of_lines(self, words: Vectors, ids: Rows, places: TokenPlaces, vectors: Scores) -> Scores:
        """Return what the label before a token, the first word of its line and its paragraph add."""
        layout = places.layout
        firsts = words[ids[layout.line_start[:-1]]].astype(np.float32) @ self.window[len(WINDOW) + 1]
        total = firsts[layout.line]
        total[layout.line_start[:-1]] = 0
        behind = np.flatnonzero(layout.colon >= 0)
        colons, which = np.unique(layout.colon[behind], return_inverse=True)
        total[behind] += (words[ids[np.maximum(colons - 1, 0)]].astype(np.float32) @ self.window[len(WINDOW)])[which]
        length = np.diff(np.append(places.paragraph, len(ids)))
        means = np.add.reduceat(vectors, places.paragraph, axis=0) / length[:, None].astype(np.float32)
        result: Scores = total + np.repeat(means @ self.paragraph, length, axis=0)
        return result


@dataclass(frozen=True, slots=True)
class Reading:
    """What the network makes of the tokens of a text: a state of each, in rows with room between paragraphs."""

    network: Network = field(repr=False)
    place: Rows = field(repr=False)
    states: Scores = field(repr=False)
    tokens: Scores = field(repr=False)
    """The states of tokens alone."""
    vectors: Scores = field(repr=False)
    """Of tokens alone, and an empty one."""

    def label_scores(self) -> Scores:
        """Return what speaks for each label of mentions at each token."""
        result: Scores = self.tokens @ self.network.labels + self.network.labels_bias
        return result

    def name_scores(self) -> Scores:
        """Return what speaks for each label of names at each token."""
        result: Scores = self.tokens @ self.network.names + self.network.names_bias
        return result

    def describe(self, first: Rows, last: Rows) -> Scores:
        """Return what is seen of each span: its words and states, and those beside it in its paragraph."""
        begin, end, empty = self.place[first], self.place[last - 1], len(self.place)
        length = (last - first).astype(np.float32)[:, None]
        before = np.where(self.place[first - 1] == begin - 1, first - 1, empty)
        after = np.where(self.place[np.minimum(last, empty - 1)] == end + 1, last, empty)
        return np.concatenate(
            [
                _sums(self.states, begin, end + 1) / length, self.states[begin], self.states[end],
                self.states[begin - 1], self.states[end + 1], _sums(self.vectors, first, last) / length,
                self.vectors[first], self.vectors[last - 1], self.vectors[before], self.vectors[after],
            ],
            axis=1,
        )  # fmt: skip

    def judge(self, first: Rows, last: Rows) -> NDArray[np.float64]:
        """Return how likely each span, from its first token to before its last, is of each kind, or no mention."""
        network = self.network
        if not len(first):
            return np.zeros((0, len(network.kinds_bias)))
        hidden = np.maximum(self.describe(first, last) @ network.judge + network.judge_bias, 0)
        scores = (hidden @ network.kinds + network.kinds_bias).astype(np.float64)
        chances: NDArray[np.float64] = np.exp(scores - scores.max(axis=1, keepdims=True))
        chances /= chances.sum(axis=1, keepdims=True)
        return chances


def _sums(rows: Scores, first: Rows, last: Rows) -> Scores:
    """Return the sums of runs of rows, which may overlap; a row follows the last."""
    result: Scores = np.add.reduceat(rows, np.stack([first, last], axis=1).ravel(), axis=0)[::2]
    return result


@cache
def load_network() -> Network:
    """Open the shipped layers."""
    name = "network.npz"
    return Network.from_bytes(find_resource("embeddings", "recognizer", name).read_bytes(), name)
