"""Shingles of texts: words that stand close to each other, with what they tell together, as keyed hashes.

A word tells as much as it is rare in its language; numbers and the few words that are everywhere tell nothing, and are
left out. Two words that stand close are a shingle, in either order, if they tell enough together; common words are one
in longer runs. So texts of the same words in another order, with other numbers, share most of their shingles.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from hashlib import blake2b
from itertools import chain
from math import log10
from typing import Final, TypeVar

import numpy as np
from numpy.typing import NDArray

from embanon.language import TAGGED_LANGUAGES, Frequencies, key
from embanon.leak.regression import Floats, Ints
from embanon.model import MULTIPLIER

Words = NDArray[np.uint64]
Hashes = NDArray[np.uint32]
AnyInteger = TypeVar("AnyInteger", np.uint32, np.int64)

TOKEN: Final = re.compile(r"\w+|[.!?]+(?=\s)|\n[ \t>|]*\n")
"""A word, or where a sentence may end."""
COMMON_WORD_SHARE: Final = 0.01
"""The share of all words of a language from which one is everywhere."""
MAX_INFORMATION: Final = 7.0
"""What the rarest words tell, and those that no language knows, in powers of ten."""
GRAIN: Final = 16
"""Steps of what a word tells, so that sums are exact."""
MIN_LETTERS: Final = 3
STEM_LETTERS: Final = 12
"""Letters by which words are told apart."""
SPAN: Final = 3
"""Words that stand so close to each other are a pair."""
MIN_SHINGLE_INFORMATION: Final = 6.0
MAX_RUN: Final = 5
"""Words of a run of common ones."""
MAX_CACHED_WORDS: Final = 1 << 18
BREAK: Final = -1.0
"""The information of where a sentence ends."""


@cache
def _frequencies() -> tuple[Frequencies, ...]:
    return tuple(table for table in map(Frequencies.load, TAGGED_LANGUAGES) if table)


def word_information(word: str) -> float:
    """Return what a word (a key) tells, in powers of ten: 0 for one that is everywhere, and for numbers."""
    if len(word) < MIN_LETTERS or not word.isalpha():
        return 0.0
    share = max((table.share(word) or 0.0 for table in _frequencies()), default=0.0)
    if share >= COMMON_WORD_SHARE:
        return 0.0
    return round(min(-log10(max(share, 1e-12)), MAX_INFORMATION) * GRAIN) / GRAIN


@dataclass(frozen=True, slots=True, eq=False)
class TellingWords:
    """The words of some texts that tell anything, one text after the other."""

    hashes: Words = field(repr=False)
    information: Floats = field(repr=False)
    texts: Ints
    """The text of each."""
    sentences: Ints
    """The sentence of each, counted through all texts."""
    places: Ints
    """Which token of its text each is."""
    text_count: int


class WordHasher:
    """Reads texts as telling words, each by a keyed hash."""

    def __init__(self, salt: bytes) -> None:
        self.salt = salt
        self._clear()

    def __repr__(self) -> str:
        return "WordHasher()"

    def _clear(self) -> None:
        self._numbers = _WordNumbers()
        self._hashes = np.zeros(0, np.uint64)
        self._information = np.zeros(0)

    def read(self, texts: Sequence[str]) -> TellingWords:
        """Read texts."""
        if len(self._numbers) > MAX_CACHED_WORDS:
            self._clear()
        tokens = [TOKEN.findall(text) for text in texts]
        lengths = np.array([len(one) for one in tokens], np.int64)
        numbers = np.array(list(map(self._numbers.__getitem__, chain.from_iterable(tokens))), np.int64)
        self._learn_words()
        information = self._information[numbers]
        texts_of = np.repeat(np.arange(len(texts)), lengths)
        ends = information == BREAK
        ends |= np.diff(texts_of, prepend=0) > 0
        sentences = np.cumsum(ends)
        telling = np.flatnonzero(information > 0)
        first = np.concatenate([[0], np.cumsum(lengths)])
        return TellingWords(
            self._hashes[numbers[telling]], information[telling], texts_of[telling], sentences[telling],
            telling - first[texts_of[telling]], len(texts),
        )  # fmt: skip

    def _learn_words(self) -> None:
        new = self._numbers.new
        if new:
            self._hashes = np.append(self._hashes, np.array([self._hash(key(one)) for one in new], np.uint64))
            self._information = np.append(self._information, [self._tell(one) for one in new])
            self._numbers.new = []

    def _hash(self, word: str) -> int:
        stem = word[:STEM_LETTERS].encode("utf-8", "surrogatepass")
        return int.from_bytes(blake2b(stem, digest_size=8, key=self.salt).digest(), "little")

    @staticmethod
    def _tell(token: str) -> float:
        return word_information(key(token)) if token[0].isalnum() or token[0] == "_" else BREAK

    def digest(self, text: str) -> int:
        """Return a keyed digest of a text, or of a name."""
        written = text.encode("utf-8", "surrogatepass")
        return int.from_bytes(blake2b(written, digest_size=8, key=self.salt).digest(), "little")


class _WordNumbers(dict[str, int]):
    """Tokens by number, in the order in which they are seen."""

    def __init__(self) -> None:
        self.new: list[str] = []

    def __missing__(self, token: str) -> int:
        self[token] = number = len(self)
        self.new.append(token)
        return number


def token_spans(text: str, places: Ints) -> Iterator[tuple[int, int]]:
    """Yield where tokens stand in a text, by their places in order."""
    wanted = set(places.tolist())
    yield from (match.span() for place, match in enumerate(TOKEN.finditer(text)) if place in wanted)


def sort_stably(values: NDArray[AnyInteger]) -> tuple[NDArray[AnyInteger], Ints]:
    """Return numbers below 2**32 in order, and where each was: faster than to sort their places."""
    both = values.astype(np.uint64) << np.uint64(32) | np.arange(len(values), dtype=np.uint64)
    both.sort()
    return (both >> np.uint64(32)).astype(values.dtype), (both & np.uint64(0xFFFFFFFF)).astype(np.int64)


@dataclass(frozen=True, slots=True, eq=False)
class Shingles:
    """The shingles of some texts, in their order."""

    hashes: Hashes = field(repr=False)
    words: Ints
    """The first word of each, among the telling words."""
    lasts: Ints
    weights: Floats = field(repr=False)

    @classmethod
    def from_words(cls, words: TellingWords) -> Shingles:
        """Put words together."""
        spread = words.hashes * MULTIPLIER
        spread ^= spread >> np.uint64(31)
        parts = [*_pairs(words, spread), _runs(words, spread)]
        mixed, firsts, lasts, weights = (np.concatenate(column) for column in zip(*parts, strict=True))
        firsts, order = sort_stably(firsts)
        mixed = (mixed ^ mixed >> np.uint64(29)) * MULTIPLIER
        hashes = (mixed >> np.uint64(32)).astype(np.uint32)
        return cls(hashes[order], firsts, lasts[order], weights[order] / (2 * SPAN))


_Part = tuple[Words, Ints, Ints, Floats]
"""Hashes, first and last words, and what they tell."""


def _pairs(words: TellingWords, spread: Words) -> Iterator[_Part]:
    for step in range(1, SPAN + 1):
        if len(spread) <= step:
            return
        both = words.information[:-step] + words.information[step:]
        kept = np.flatnonzero(
            (both >= MIN_SHINGLE_INFORMATION)
            & (words.texts[:-step] == words.texts[step:])
            & (spread[:-step] != spread[step:])
        )
        yield spread[kept] + spread[kept + step], kept, kept + step, both[kept]


def _runs(words: TellingWords, spread: Words) -> _Part:
    """Return runs of three words or more, each as short as it can be to tell enough."""
    total = np.concatenate([[0.0], np.cumsum(words.information)])
    ends = np.searchsorted(total, total[:-1] + MIN_SHINGLE_INFORMATION)
    length = ends - np.arange(len(spread))
    last = np.minimum(ends, len(spread)) - 1
    kept = np.flatnonzero(
        (length > 2) & (length <= MAX_RUN) & (ends <= len(spread)) & (words.texts[last] == words.texts)
    )
    sums = np.concatenate([np.zeros(1, np.uint64), np.cumsum(spread, dtype=np.uint64)])
    return sums[ends[kept]] - sums[kept] + np.uint64(1), kept, last[kept], total[ends[kept]] - total[kept]
