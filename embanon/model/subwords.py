"""fastText's character n-grams, for vectors of words that a model does not know.

A word stands between `<` and `>`; its n-grams are counted in code points and hashed as UTF-8 bytes into buckets.
An n-gram of a single character that is the first or the last of these is none. fastText's words have no spaces: in
a model of phrases another character stands for them. What `get_subwords` of fastText
names beside the n-grams, the number of a known word itself, is no bucket and is not given here. Both fastText and
gensim compute all of this alike but for `</s>`, the end of a line: fastText gives it no n-grams, gensim does, and
so does this file; `foreign.fasttext` keeps to fastText where a file of it knows `</s>`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

OFFSET: Final = 2166136261
PRIME: Final = 16777619

BLOCK_SIZE: Final = 4096
"""Rows that are added at a time, and characters whose n-grams are hashed at a time: both bound memory."""
MOST_BYTES_OF_A_CHARACTER: Final = 4


@dataclass(frozen=True, slots=True, eq=False)
class Subwords:
    """The vectors of the n-grams of `minimum` to `maximum` characters, a row a bucket."""

    minimum: int
    maximum: int
    vectors: NDArray[Any] = field(repr=False)  # buckets x dimensions, float32 or float16
    space: str = " "  # what stands between the words of a phrase

    @property
    def buckets(self) -> int:
        """Return the number of rows that n-grams share."""
        return len(self.vectors)

    def rows(self, word: str) -> list[int]:
        """Return the buckets of the n-grams of a word, from its first character on, the shorter first."""
        if not self.buckets:
            return []
        return list(map(int, self._all_rows([word])[1]))

    def vector(self, word: str) -> NDArray[np.float32] | None:
        """Return the mean of the rows of a word's n-grams, or `None` when it has none."""
        rows = self.rows(word)
        return (self._sum(rows) / len(rows)).astype(np.float32) if rows else None

    def compose(self, words: Sequence[str], word_vectors: NDArray[np.float32]) -> NDArray[np.float32]:
        """Return the vectors of known words: the mean of a word's own row and those of its n-grams."""
        if not self.buckets:
            return np.array(word_vectors, np.float32)
        result = np.empty(word_vectors.shape, np.float32)
        for first, last in _blocks(words):
            if last - first == 1:
                rows = self.rows(words[first])
                result[first] = (self._sum(rows) + word_vectors[first]) / (len(rows) + 1)
            else:
                self._compose_block(words[first:last], word_vectors[first:last], result[first:last])
        return result

    def decompose(self, words: Sequence[str], vectors: NDArray[np.float32]) -> NDArray[np.float32]:
        """Return the own rows of known words, of which and of their n-grams `compose` makes these vectors."""
        parts = self.compose(words, np.zeros_like(vectors))
        return np.asarray((vectors - parts) * (self._gram_counts(words) + 1)[:, None], np.float32)

    def count_occurrences(self, words: Sequence[str], counts: NDArray[Any]) -> NDArray[np.float64]:
        """Return how often each bucket occurs in words that occur so often."""
        totals = np.zeros(self.buckets)
        for first, last in _blocks(words):
            owners, rows = self._all_rows(words[first:last])
            totals += np.bincount(rows, counts[first:last][owners], self.buckets)
        return totals

    def without_unseen(self, words: Sequence[str]) -> Subwords:
        """Return these with zeros for n-grams that no word has: what they begin with is chance, and no knowledge."""
        is_seen = np.zeros(self.buckets, np.bool_)
        for first, last in _blocks(words) if self.buckets else ():
            is_seen[self._all_rows(words[first:last])[1]] = True
        return replace(self, vectors=np.where(is_seen[:, None], self.vectors, np.zeros((), self.vectors.dtype)))

    def _gram_counts(self, words: Sequence[str]) -> NDArray[np.int64]:
        lengths = np.fromiter((len(word) + 2 for word in words), np.int64, len(words))
        sizes = range(max(self.minimum, 1), self.maximum + 1) if self.buckets else range(0)
        counts = sum((np.maximum(lengths - size + 1, 0) for size in sizes), np.zeros_like(lengths))
        return counts - 2 * (1 in sizes)  # a single < and > are none

    def _compose_block(
        self, words: Sequence[str], word_vectors: NDArray[np.float32], result: NDArray[np.float32]
    ) -> None:
        owners, rows = self._all_rows(words)
        counts = np.bincount(owners, minlength=len(words))
        has_grams = counts > 0
        result[:] = word_vectors
        if len(rows):
            starts = (np.cumsum(counts) - counts)[has_grams]
            result[has_grams] += np.add.reduceat(self.vectors[rows], starts, axis=0, dtype=np.float32)
        result /= (counts + 1).astype(np.float32)[:, None]

    def _all_rows(self, words: Sequence[str]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return words' numbers, sorted, and the buckets of their n-grams, as `rows` has them."""
        # A lone surrogate, which no file can hold, is hashed too: a look-up must not fail.
        text = "".join(f"<{word.replace(' ', self.space)}>" for word in words).encode("utf-8", "surrogatepass")
        data = np.frombuffer(text + bytes(MOST_BYTES_OF_A_CHARACTER), np.uint8)
        # fastText adds bytes as signed characters, so that those from 128 on fill the upper bits: FNV-1a does not.
        signed = data.view(np.int8).astype(np.uint32)
        starts = np.flatnonzero((data[: len(text)] & 0xC0) != 0x80)
        widths = np.diff(starts, append=len(text))
        lengths = np.fromiter((len(word) + 2 for word in words), np.int64, len(words))
        owner = np.repeat(np.arange(len(words)), lengths)
        ends = np.cumsum(lengths)[owner]  # where the word of each character ends
        begins = ends - lengths[owner]
        first = np.arange(len(starts))
        values = np.full(len(starts), OFFSET, np.uint32)
        places, rows = [], []
        for size in range(1, min(self.maximum, int(np.max(lengths))) + 1):
            fits = first + size <= ends[first]
            first, values = first[fits], values[fits]
            added = first + size - 1
            for byte in range(MOST_BYTES_OF_A_CHARACTER):
                mixed = (values ^ signed[starts[added] + byte]) * np.uint32(PRIME)
                values = np.where(byte < widths[added], mixed, values)
            if size >= self.minimum:
                inner = (first != begins[first]) & (first + 1 != ends[first]) if size == 1 else slice(None)
                places.append(first[inner])
                rows.append(values[inner].astype(np.int64) % self.buckets)
        if not rows:
            return np.empty(0, np.int64), np.empty(0, np.int64)
        unsorted = np.concatenate(places)
        order = np.argsort(unsorted, kind="stable")
        return owner[unsorted[order]], np.concatenate(rows)[order]

    def _sum(self, rows: list[int]) -> NDArray[np.float64]:
        # In single precision the sum over a long word would lose the sixth digit.
        result = np.zeros(self.vectors.shape[1], np.float64)
        for first in range(0, len(rows), BLOCK_SIZE):
            result += self.vectors[rows[first : first + BLOCK_SIZE]].sum(axis=0, dtype=np.float64)
        return result


def _blocks(words: Sequence[str]) -> list[tuple[int, int]]:
    """Cut into runs of few characters; a word longer than that is alone."""
    blocks, first, characters = [], 0, 0
    for place, word in enumerate(words):
        if characters + len(word) > BLOCK_SIZE and place > first:
            blocks.append((first, place))
            first, characters = place, 0
        characters += len(word) + 2
    return [*blocks, (first, len(words))] if words else blocks
