"""Tell parts of speech by script alone, for languages without a tagger: capitals, digits, stop words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

import numpy as np
from numpy.typing import NDArray

from embanon.language import Cue, Lexicon
from embanon.text.forms import FeatureFunction, TokenFeatures

TAGS: Final = ("X", "NOUN", "PROPN", "NUM", "PUNCT")
_X, _NOUN, _PROPN, _NUM, _PUNCT = range(5)
MAX_FUNCTION_WORD: Final = 3
"""Letters of a lower-case word that is taken for a function word where no list of stop words is known."""


@dataclass(frozen=True, slots=True)
class ScriptTagger:
    """Stands in for a tagger; has its interface."""

    lexicon: Lexicon = field(repr=False)
    tags: tuple[str, ...] = TAGS

    def columns(self) -> dict[str, FeatureFunction]:
        """Return the column of forms that tagging reads."""
        return {"script": self._tag_forms}

    def _tag_forms(self, words: Sequence[str]) -> NDArray[np.uint8]:
        known = bool(self.lexicon.folded)
        return np.array([self._tag(word, known) for word in words], dtype=np.uint8)

    def _tag(self, word: str, known: bool) -> int:
        if not any(map(str.isalpha, word)):
            return _NUM if any(map(str.isdigit, word)) else _PUNCT
        stop = bool(self.lexicon.flags(word.lower()) & Cue.STOP)
        if stop or (word.islower() and not known and len(word) <= MAX_FUNCTION_WORD):
            return _X
        return _PROPN if word[0].isupper() else _NOUN

    def tag(self, found: TokenFeatures, sentence: NDArray[np.bool_]) -> NDArray[np.uint8]:
        """Return the number of each word's tag in `tags`."""
        tags: NDArray[np.uint8] = found.columns["script"][found.ids].copy()
        return tags
