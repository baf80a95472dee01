"""The text layer of one language: from text to tagged tokens to phrases in columns."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

from embanon.forms import Forms, Found
from embanon.grammar import Cut
from embanon.lexicon import Cue, Lexicon
from embanon.phrases import Cutter, word_columns
from embanon.statistics import NONE, Statistics, join
from embanon.tagger import Tagger, load
from embanon.tokens import Tokens, tokenize


@dataclass(frozen=True, slots=True)
class Analyzed:
    """A text's tokens with what is known of them."""

    tokens: Tokens
    found: Found = field(repr=False)
    tags: NDArray[np.uint8] = field(repr=False)


@dataclass(frozen=True, slots=True)
class Layer:
    """Everything that reading one language needs."""

    language: str
    lexicon: Lexicon
    tagger: Tagger
    forms: Forms = field(repr=False)
    cutter: Cutter = field(repr=False)
    abbreviations: dict[str, bool] = field(repr=False)

    @classmethod
    def of(cls, language: str, tagger: Tagger) -> Layer:
        """Put the parts together."""
        lexicon = Lexicon.load(language)
        forms = Forms(tagger.columns() | word_columns(language, lexicon))
        return cls(language, lexicon, tagger, forms, Cutter.of(language, tagger.tags), abbreviations(lexicon))

    def tag(self, text: str) -> Analyzed:
        """Cut into tokens and tag them."""
        tokens = tokenize(text, self.abbreviations, english=self.language == "en")
        found = self.forms.look_up(tokens.words)
        return Analyzed(tokens, found, self.tagger.tag(found, tokens.sentence))

    def cut(self, analyzed: Analyzed, statistics: Statistics = NONE) -> Cut:
        """Cut into phrases."""
        if not len(analyzed.tokens):
            none = np.zeros(0, dtype=np.int64)
            return Cut(none, none, none.astype(np.uint8), none.astype(np.uint8))
        symbols = self.cutter.symbols(analyzed.tokens, analyzed.found, analyzed.tags, statistics)
        return join(analyzed.tokens, self.cutter.cut(analyzed.tokens, symbols), statistics)


def abbreviations(lexicon: Lexicon) -> dict[str, bool]:
    """Give the abbreviations that keep their period, and whether a sentence may end there."""
    found = {}
    for table in (lexicon.exact, lexicon.folded, lexicon.capitalized):
        for word, bits in table.items():
            if bits & Cue.ABBREVIATION:
                for form in {word, word.capitalize(), word.upper()} if table is not lexicon.exact else {word}:
                    found[form] = not bits & (Cue.TITLE | Cue.NUMBER_MARK | Cue.REFERENCE)
    return found


TAGGED: Final = ("en", "es", "pt", "de")
"""Languages with a shipped tagger."""


@cache
def layer(language: str) -> Layer:
    """Open the layer of a language once for this process."""
    return Layer.of(language, load(language))
