"""What the language at large says of words: how many pages have each, and which a text may have whoever wrote it.

A collection of papers knows how diplomats write, and not that everybody has lunch. What is learnt from papers alone
takes each word that they seldom use for a hint; draws of ordinary words, taken for passages about nothing, tell which
words say nothing, and so do its shares where a small collection has too few pages to tell what is rare.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final

import numpy as np

from embanon.language import TYPICAL_DOCUMENT_LENGTH, Frequencies
from embanon.leak.regression import Floats, Ints

FUNCTION_SHARE: Final = 2e-4
"""The share of all words from which one says nothing about what is spoken of."""
ORDINARY_SHARE: Final = 5e-6
"""The share from which one is known to who speaks the language."""
UNLISTED_SHARE: Final = 1e-9
"""The share of a word that no list has."""


@dataclass(frozen=True, slots=True, eq=False)
class OrdinaryLanguage:
    """The words of a language at large; nothing is known of one without a list."""

    frequencies: Frequencies | None = field(repr=False)

    @classmethod
    def load(cls, language: str) -> OrdinaryLanguage:
        """Load the list of a language."""
        return cls(Frequencies.load(language))

    def shares(self, words: Sequence[str]) -> Floats:
        """Return the share of each word among all words."""
        if self.frequencies is None:
            return np.full(len(words), UNLISTED_SHARE)
        shares = self.frequencies.shares(words)
        return np.asarray(np.where(np.isnan(shares), UNLISTED_SHARE, shares), np.float64)

    def page_shares(self, words: Sequence[str]) -> Floats:
        """Return the share of pages that have each word."""
        return np.asarray(-np.expm1(-self.shares(words) * TYPICAL_DOCUMENT_LENGTH))

    def frequent_words(self, count: int) -> list[str]:
        """Return the most frequent words, those that say nothing left out."""
        if self.frequencies is None:
            return []
        levels = self.frequencies.levels
        telling = [word for word, level in self.frequencies.words.items() if levels[level] < FUNCTION_SHARE]
        telling.sort(key=lambda word: -levels[self.frequencies.words[word]] if self.frequencies else 0.0)
        return telling[:count]

    def draw(self, words: Sequence[str], length: int, count: int, seed: int) -> Ints:
        """Draw so many passages of such a length, each a row of the places of words."""
        shares = self.shares(words) if self.frequencies else np.zeros(0)
        if not shares.any():
            return np.zeros((0, length), np.int64)
        return np.random.default_rng(seed).choice(len(shares), (count, length), p=shares / shares.sum())


@dataclass(frozen=True, slots=True, eq=False)
class Strangeness:
    """Counts the words of a text that neither a vocabulary nor the language at large knows."""

    known: frozenset[str] = field(repr=False)
    wordless: frozenset[str] = field(repr=False)
    """Numbers, and words that say nothing of what is spoken of."""
    language: OrdinaryLanguage = field(repr=False)

    @classmethod
    def build(cls, vocabulary: Iterable[str], language: str) -> Strangeness:
        """Take the words of a vocabulary, and those of its language."""
        ordinary, words = OrdinaryLanguage.load(language), list(vocabulary)
        silent = ordinary.shares(words) >= FUNCTION_SHARE
        wordless = {word for word, says_nothing in zip(words, silent.tolist(), strict=True)
                    if says_nothing or word.isdecimal()}  # fmt: skip
        return cls(frozenset(words), frozenset(wordless), ordinary)

    def count(self, words: Iterable[str]) -> tuple[int, bool]:
        """Count the strange words of a text, and say whether these are most of what could tell something."""
        telling = set(words) - self.wordless
        lacking = [word for word in telling.difference(self.known) if not word.isdecimal()]
        strange = int((self.language.shares(lacking) < ORDINARY_SHARE).sum()) if lacking else 0
        return strange, strange > len(telling) / 2
