"""Information of words and phrases in bits, by which precision and utility are weighted; each method has a name.

Where a word is, with what is around it, only a language model looks at
(`embanon.measure.metrics.masked_language_model`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final, Protocol

import numpy as np
from numpy.typing import NDArray

from embanon.language import Frequencies, key, words_of
from embanon.model import Model
from embanon.risk import CorpusRarity, rarest_word

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

UNLISTED: Final = 2.0
"""How many times rarer than the rarest listed word one is that is not listed."""
REMEMBERED: Final = 1 << 16
"""Phrases whose information is remembered."""


class Information(Protocol):
    """Weighs the spans of a text by their information."""

    @property
    def name(self) -> str:
        """Name where that comes from, for tables."""

    def weigh(self, text: str, spans: Ints, language: str) -> Floats:
        """Return a number of 0 or more for each span; for what is not known at least as much as for what is."""


class PhraseInformation(Information, Protocol):
    """Says it of phrases that stand nowhere as well: of replacements."""

    def bits(self, phrases: Sequence[str], language: str) -> Floats:
        """Return the information of each phrase, 0 of one without a word."""


class UniformInformation:
    """The same information for every span that has a word."""

    name = "uniform"

    def weigh(self, text: str, spans: Ints, language: str) -> Floats:
        """Return 1 for each span."""
        return np.ones(len(spans))

    def bits(self, phrases: Sequence[str], language: str) -> Floats:
        """Return 1 for each phrase that has a word."""
        return np.array([bool(words_of(phrase)) for phrase in phrases], np.float64)


class FrequencyInformation:
    """The share of a word among all words of the language; of a phrase, that of its rarest word."""

    name = "shipped word frequencies"

    def weigh(self, text: str, spans: Ints, language: str) -> Floats:
        """Look each span up by itself."""
        return self.bits(_written(text, spans), language)

    def bits(self, phrases: Sequence[str], language: str) -> Floats:
        """Look words up; a language without a list has that of English."""
        known = Frequencies.load(language) or Frequencies.load("en")
        assert known is not None
        words = [words_of(key(phrase)) for phrase in phrases]
        shares = known.shares([word for some in words for word in some])
        least = float(np.min(known.levels[:-1], initial=0.5)) / UNLISTED
        return _max_by_phrase(-np.log2(np.where(np.isnan(shares), least, shares)), words)


@dataclass(frozen=True, slots=True)
class CorpusInformation:
    """The share of the documents of a model's corpus that have a phrase; if none has, that of its rarest word."""

    rarity: CorpusRarity = field(repr=False)
    _known: dict[str, float] = field(default_factory=dict, init=False, repr=False, compare=False)
    name = "documents of the model's corpus"

    @classmethod
    def from_model(cls, model: Model) -> CorpusInformation:
        """Take the corpus of a model."""
        return cls(CorpusRarity(model))

    def weigh(self, text: str, spans: Ints, language: str) -> Floats:
        """Look each span up by itself."""
        return self.bits(_written(text, spans), language)

    def bits(self, phrases: Sequence[str], language: str = "") -> Floats:
        """Look phrases up, whatever the language."""
        keys = list(map(key, phrases))
        if new := [one for one in dict.fromkeys(keys) if one not in self._known]:
            if len(self._known) > REMEMBERED:
                self._known.clear()
                new = list(dict.fromkeys(keys))
            self._known.update(zip(new, self._bits(new).tolist(), strict=True))
        return np.array([self._known[one] for one in keys], np.float64)

    def _bits(self, keys: Sequence[str]) -> Floats:
        rarity, documents = self.rarity.phrases(keys)
        alone = np.nan_to_num(rarest_word(self.rarity, keys), nan=1.0)
        shares = np.where(documents > 0, rarity, alone) * np.log2(self.rarity.documents)
        return np.where([bool(words_of(one)) for one in keys], shares, 0.0)


def _written(text: str, spans: Ints) -> list[str]:
    return [text[start:end] for start, end in spans.tolist()]


def _max_by_phrase(bits: Floats, words: Sequence[Sequence[str]]) -> Floats:
    """Return the highest information of a word in each phrase, 0 without words."""
    sizes = np.array([len(some) for some in words], np.int64)
    most = np.zeros(len(words))
    if len(bits):
        most[sizes > 0] = np.maximum.reduceat(bits, (np.cumsum(sizes) - sizes)[sizes > 0])
    return most
