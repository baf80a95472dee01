"""How identifying each phrase is, by its kind and its rarity, whoever it is about.

A name, title, date, number or quantity counts 1 and the rarity of the whole phrase; a common phrase the rarity of its
rarest word, and a little if one of those stands in its base noun phrase; both as much more or less as its kind tells
(what a person is counts more, which law it was less); a reference nothing; a code always the most. Rarity is inverse
document frequency between 0 and about 1, of the model's corpus, or of the language at large.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import chain, islice
from typing import Any, Final, Protocol

import numpy as np
from numpy.typing import NDArray

from embanon.document import FORMS, Floats, Ints, Phrases
from embanon.language import Frequencies, key, words_of
from embanon.model import Model

CODE, COMMON, NUMBER, REFERENCE = (FORMS.index(form) for form in ("code", "common", "number", "reference"))
KIND_BONUSES: Final = {
    "common": {
        "DEM.nationality": 0.7, "DEM.role": 0.4, "DEM.group": 0.4, "DEM.language": 0.4, "DEM.illness": 0.4,
        "DEM.kin": 0.3, "MISC.work": 0.2,
    },
    "name": {
        "LOC.country": 0.2, "LOC.city": 0.2, "PERSON.full-name": 0.1, "PERSON.name": 0.1, "MISC.law": -0.5,
        "DEM.role": -0.1,
    },
    "date": {"DATETIME.year": 0.4, "DATETIME.date": 0.2, "DATETIME.month": 0.1},
    "number": {"QUANTITY.ordinal": -0.4},
    "quantity": {"DATETIME.duration": -0.1},
}  # fmt: skip
"""What the kind of a phrase adds, by its form: found on three annotated sets at once, where their mean gains."""
SPELLED_NUMBER_BONUS: Final = -0.3
"""What a number in words adds: `two` and `first` say less than 2 and 1st."""
INHERITED_BONUS: Final = 0.3
"""What a common phrase gains from a name, date or number in its base noun phrase."""
NUMBER_RARITY: Final = 0.6
"""The rarity of a number in a language at large: any one is rare, but numbers are not."""
MAX_SCORE: Final = 2.0
"""The score of power 1."""
SCALED_POWER: Final = (0.0, 0.28, 0.645, 1.0)
SCALED_RISK: Final = (0.0, 0.2, 0.5, 1.0)
"""Half of a score, and the risk it is worth: it was tuned to mask from .28 (strict) and from .645 (standard) on."""
CACHE_SIZE: Final = 1 << 19
"""Words that are remembered."""


class Rarity(Protocol):
    """Where inverse document frequencies come from; NaN where nothing is known."""

    @property
    def documents(self) -> int:
        """Return the number of documents that rarity is counted in."""

    def phrases(self, keys: Sequence[str]) -> tuple[Floats, Ints]:
        """Return the rarity of whole phrases by their keys, the documents that have them, -1 where not counted."""

    def words(self, words: Sequence[str]) -> Floats:
        """Return the rarity of words."""


@dataclass(frozen=True, slots=True)
class CorpusRarity:
    """The rarity of a model's corpus; what it does not have is rarer than all that it has."""

    model: Model
    documents: int = field(init=False)
    _max_bits: float = field(init=False, repr=False)
    _cache: dict[str, float] = field(default_factory=dict, init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Take the number of documents."""
        object.__setattr__(self, "documents", max(int(self.model.card["documents"]), 2))
        object.__setattr__(self, "_max_bits", float(np.log2(self.documents)))

    def _idf(self, documents: NDArray[Any]) -> Floats:
        bits = -np.log2((documents + 0.5) / self.documents)
        return np.asarray(np.clip(bits, 0.0, self._max_bits + 1) / self._max_bits, np.float64)

    def phrases(self, keys: Sequence[str]) -> tuple[Floats, Ints]:
        """Look whole phrases up."""
        table = self.model.phrases
        numbers = table.keys.find(keys)
        documents = np.where(numbers >= 0, table.documents[numbers].astype(np.int64), 0)
        return self._idf(documents), documents

    def words(self, words: Sequence[str]) -> Floats:
        """Look words up."""
        return _look_up_cached(words, self._cache, self._word_rarity)

    def _word_rarity(self, words: Sequence[str]) -> Floats:
        table = self.model.words
        numbers = table.keys.find(words)
        return self._idf(np.where(numbers >= 0, table.documents[numbers].astype(np.int64), 0))


@dataclass(frozen=True, slots=True)
class LanguageRarity:
    """The rarity of a language at large, for want of a corpus: that of a phrase is the one of its rarest word."""

    frequencies: Frequencies
    documents: int = field(init=False)
    _cache: dict[str, float] = field(default_factory=dict, init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Take the number of documents."""
        object.__setattr__(self, "documents", self.frequencies.document_count)

    def phrases(self, keys: Sequence[str]) -> tuple[Floats, Ints]:
        """Take the rarest word of each."""
        return rarest_word(self, keys), np.full(len(keys), -1)

    def words(self, words: Sequence[str]) -> Floats:
        """Look words up; no table lists numbers."""
        return _look_up_cached(words, self._cache, self._word_rarity)

    def _word_rarity(self, words: Sequence[str]) -> Floats:
        rarities = self.frequencies.idf(words)
        numbers = [place for place, word in enumerate(words) if any(map(str.isdecimal, word))]
        rarities[numbers] = np.where(np.isnan(rarities[numbers]), NUMBER_RARITY, rarities[numbers])
        return rarities


def _look_up_cached(words: Sequence[str], seen: dict[str, float], look_up: Callable[[Sequence[str]], Floats]) -> Floats:
    """Look words up of which most were looked up before: texts repeat them, and arrays are slow to ask for a few."""
    if new := [word for word in dict.fromkeys(words) if word not in seen]:
        if len(seen) > CACHE_SIZE:
            seen.clear()
            new = list(dict.fromkeys(words))
        seen.update(zip(new, look_up(new).tolist(), strict=True))
    return np.fromiter(map(seen.__getitem__, words), np.float64, len(words))


@dataclass(frozen=True, slots=True)
class LabelRarity:
    """The rarity of words that we write ourselves: what a corpus lacks is as rare as in the language at large.

    A small corpus lacks most words, which says nothing of them.
    """

    rarity: Rarity
    language: str
    _cache: dict[str, float] = field(default_factory=dict, init=False, repr=False, compare=False)

    @property
    def documents(self) -> int:
        """Return the number of documents of the corpus."""
        return self.rarity.documents

    def phrases(self, keys: Sequence[str]) -> tuple[Floats, Ints]:
        """Look whole phrases up in the corpus."""
        return self.rarity.phrases(keys)

    def words(self, words: Sequence[str]) -> Floats:
        """Look words up in the corpus, else in the language."""
        return _look_up_cached(words, self._cache, self._word_rarity)

    def _word_rarity(self, words: Sequence[str]) -> Floats:
        rarities, at_large = self.rarity.words(words), Frequencies.load(self.language)
        if not isinstance(self.rarity, CorpusRarity) or at_large is None:
            return rarities
        lacking = self.rarity.model.words.keys.find(words) < 0
        return np.where(lacking, np.fmin(rarities, LanguageRarity(at_large).words(words)), rarities)


def rarest_word(rarity: Rarity, keys: Sequence[str]) -> Floats:
    """Return the rarity of the rarest word of each phrase that is known; NaN where none is."""
    words = [words_of(one) for one in keys]
    rarities = iter(rarity.words(list(chain.from_iterable(words))).tolist())
    known = (
        max((value for value in islice(rarities, len(some)) if value == value), default=math.nan) for some in words
    )
    return np.fromiter(known, np.float64, len(words))


@dataclass(frozen=True, slots=True, eq=False)
class PhrasePowers:
    """How identifying each phrase is, and why."""

    power: Floats
    """Between 0 and 1; NaN where nothing is known of any part of a phrase."""
    rarity: Floats
    documents: Ints
    inherited: NDArray[np.bool_]


def scale_score(score: Floats) -> Floats:
    """Return the risk that scores are worth, on the scale of probabilities."""
    return np.interp(score / MAX_SCORE, SCALED_POWER, SCALED_RISK)  # keeps NaN


@cache
def _kind_bonuses(kinds: tuple[str, ...]) -> Floats:
    """Return what each form (a row) and kind (a column) adds."""
    bonuses = np.zeros((len(FORMS), len(kinds)))
    for form, row in KIND_BONUSES.items():
        for kind, added in row.items():
            if kind in kinds:
                bonuses[FORMS.index(form), kinds.index(kind)] = added
    return bonuses


def measure_powers(text: str, phrases: Phrases, rarity: Rarity) -> PhrasePowers:
    """Return how identifying the phrases of a text are."""
    starts, ends, forms = phrases.start.tolist(), phrases.end.tolist(), phrases.form
    keys = [key(text[start:end]) for start, end in zip(starts, ends, strict=True)]
    named = (forms != COMMON) & (forms != REFERENCE)
    known, documents = rarity.phrases(keys)
    common = np.flatnonzero(forms == COMMON)
    known = known.copy()
    known[common] = rarest_word(rarity, [keys[place] for place in common.tolist()])
    holding = np.zeros(int(np.max(phrases.base, initial=-1)) + 1, np.bool_)
    holding[phrases.base[named]] = True
    inherited = (forms == COMMON) & holding[phrases.base]
    worded = [keys[place].replace("-", "").replace(" ", "").isalpha() for place in np.flatnonzero(forms == NUMBER)]
    score = known + named + INHERITED_BONUS * inherited + _kind_bonuses(phrases.kinds)[forms, phrases.kind]
    score[forms == NUMBER] += SPELLED_NUMBER_BONUS * np.array(worded, np.float64)
    power = scale_score(score)
    power[forms == REFERENCE] = 0.0
    power[forms == CODE] = 1.0
    return PhrasePowers(power, known, documents, inherited)
