"""The named instruments of measures: taggers, information weights, similarity and tokenizers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from typing import cast

import numpy as np
from numpy.typing import NDArray

from embanon.measure.metrics import chunks, clinical, tab
from embanon.measure.metrics.chunks import PhraseFinder
from embanon.measure.metrics.clinical import SentenceCounter
from embanon.measure.metrics.information import FrequencyInformation, Information, PhraseInformation
from embanon.measure.metrics.similarity import Similarity
from embanon.measure.metrics.tab import UninformativeFinder
from embanon.measure.metrics.tags import ShippedTagger, TextTagger
from embanon.taxonomy import Climber, climber

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


def shipped_climber(language: str) -> Climber:
    """Climb the shipped taxonomies."""
    return climber(language=language.partition("-")[0])


@dataclass(frozen=True, slots=True)
class Instruments:
    """What all measures of an evaluation look with."""

    tags: TextTagger = field(default_factory=ShippedTagger)
    information: Information = field(default_factory=FrequencyInformation)
    """What precision is weighed by."""
    bits: PhraseInformation = field(default_factory=FrequencyInformation)
    """What is kept is counted in; of replacements as well, which stand nowhere."""
    similarity: Similarity | None = None
    climber_for: Callable[[str], Climber] = field(default=shipped_climber, repr=False)
    """Gives what climbs taxonomies in a language: what is true of a phrase, and broader."""
    find_phrases: PhraseFinder = field(default=chunks.noun_phrases, repr=False)
    find_uninformative: UninformativeFinder = field(default=tab.uninformative_characters, repr=False)
    count_sentences: SentenceCounter = field(default=clinical.count_sentences, repr=False)

    def describe(self) -> dict[str, str]:
        """Name them, for tables."""
        names = {"parts of speech": self.tags.name, "words weighed by": self.information.name}
        names["kept counted in"] = self.bits.name
        return names | ({"replacements compared by": self.similarity.name} if self.similarity else {})

    def with_caches(self) -> Instruments:
        """Look at each text once, however many outputs there are of it."""
        if isinstance(self.bits, _CachedBits):
            return self
        # What is counted of phrases that stand nowhere does not depend on what else is masked around them.
        alone = hasattr(self.information, "bits")
        return replace(
            self, information=_CachedInformation(self.information) if alone else self.information,
            bits=_CachedBits(self.bits), find_phrases=cache(self.find_phrases),
            find_uninformative=cache(self.find_uninformative),
            count_sentences=cache(self.count_sentences),
        )  # fmt: skip


@dataclass(frozen=True, slots=True)
class _CachedInformation:
    """Information of the words of a text that many outputs mask; each is computed once, in context."""

    inner: Information = field(repr=False)
    _known: dict[tuple[str, str], dict[int, float]] = field(default_factory=dict, init=False, repr=False)

    @property
    def name(self) -> str:
        return self.inner.name

    def weigh(self, text: str, spans: Ints, language: str) -> Floats:
        """Ask for what is new."""
        known = self._known.setdefault((text, language), {})
        keys = (spans[:, 0] << 32 | spans[:, 1]).tolist()
        new = np.array([key not in known for key in keys], np.bool_)
        if new.any():
            places, weights = np.flatnonzero(new).tolist(), self.inner.weigh(text, spans[new], language).tolist()
            known.update(zip((keys[place] for place in places), weights, strict=True))
        return np.fromiter(map(known.__getitem__, keys), np.float64, len(keys))


class _CachedBits(_CachedInformation):
    """The same, of replacements as well."""

    __slots__ = ()

    def bits(self, phrases: Sequence[str], language: str) -> Floats:
        """Ask for all."""
        return cast(PhraseInformation, self.inner).bits(phrases, language)
