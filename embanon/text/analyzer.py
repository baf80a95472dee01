"""The text layer of one language: from text to tagged tokens to phrases in columns."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from functools import lru_cache, partial
from typing import Final

import numpy as np
from numpy.typing import NDArray

from embanon.language.lexicon import Cue, Lexicon
from embanon.text.corpus_statistics import NONE, Statistics
from embanon.text.cutter import Cutter
from embanon.text.forms import Forms, Found
from embanon.text.grammar import Cut, facts
from embanon.text.joins import Joiner
from embanon.text.script_tagger import ScriptTagger
from embanon.text.tagger import Tagger, load
from embanon.text.tokens import BEFORE_NUMBER, UNLESS_NUMBER, Tokens, tokenize


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
    tagger: Tagger | ScriptTagger
    forms: Forms = field(repr=False)
    cutter: Cutter = field(repr=False)
    abbreviations: dict[str, bool | str] = field(repr=False)

    @classmethod
    def of(cls, language: str, tagger: Tagger | ScriptTagger) -> Layer:
        """Put the parts together."""
        lexicon = Lexicon.load(language)
        forms = Forms(tagger.columns() | {"facts": partial(facts, lexicon=lexicon)})
        return cls(language, lexicon, tagger, forms, Cutter.of(language, tagger.tags), abbreviations(lexicon))

    def tag(self, text: str) -> Analyzed:
        """Cut into tokens and tag them."""
        tokens = tokenize(text, self.abbreviations, self.language)
        found = self.forms.look_up(tokens.words)
        return Analyzed(tokens, found, self.tagger.tag(found, tokens.sentence))

    def cut(self, analyzed: Analyzed, statistics: Statistics = NONE) -> Cut:
        """Cut into phrases."""
        if not len(analyzed.tokens):
            none = np.zeros(0, dtype=np.int64)
            return Cut(none, none, none.astype(np.uint8), none.astype(np.uint8))
        cutter, tokens, found = self.cutter, analyzed.tokens, analyzed.found
        symbols = cutter.symbols(tokens, found, analyzed.tags, statistics)
        flags = found.of("facts", "flags")
        joiner = Joiner.of(self.language, flags, cutter.tag_symbols[analyzed.tags] == ADJECTIVE, statistics.joins)
        return joiner.join(tokens, cutter.cut(tokens, symbols))


def abbreviations(lexicon: Lexicon) -> dict[str, bool | str]:
    """Give the abbreviations that keep their period, and whether a sentence may end there."""
    found: dict[str, bool | str] = {}
    for table in (lexicon.exact, lexicon.folded, lexicon.capitalized):
        for word, bits in table.items():
            if bits & (Cue.ABBREVIATION | Cue.NUMBER_ABBREVIATION):
                ends: bool | str = not bits & (Cue.TITLE | Cue.NUMBER_MARK | Cue.REFERENCE)
                dated = lexicon.flags(word.capitalize()) & (Cue.MONTH | Cue.WEEKDAY)
                ends = UNLESS_NUMBER if ends and dated else ends
                for form in {word} if table is lexicon.exact else {word, word.capitalize(), word.upper()}:
                    found[form] = ends if bits & Cue.ABBREVIATION else BEFORE_NUMBER
    return found


ADJECTIVE: Final = ord("A")
TAGGED: Final = ("en", "es", "pt", "de")
"""Languages with a shipped tagger."""


@lru_cache(maxsize=16)
def layer(language: str) -> Layer:
    """Open the layer of a language, once while it is in use; without a tagger, the script stands in."""
    return Layer.of(language, load(language) if language in TAGGED else ScriptTagger(Lexicon.load(language)))


@dataclass(slots=True)
class Kept:
    """The first texts that were tagged, in any language: so many characters of them."""

    texts: dict[tuple[str, str], Analyzed] = field(default_factory=dict, repr=False)
    characters: int = 0


@dataclass(frozen=True, slots=True)
class Remembering(Layer):
    """A layer that keeps the first texts it has tagged, for a second pass."""

    kept: Kept = field(default_factory=Kept, repr=False)

    def tag(self, text: str) -> Analyzed:
        """Cut into tokens and tag them, or remember."""
        kept, name = self.kept, (self.language, text)
        found = kept.texts.get(name)
        if found is None:
            found = Layer.tag(self, text)
            if kept.characters + len(text) <= REMEMBERED:
                kept.texts[name] = found
                kept.characters += len(text)
        return found


def remembering(language: str, kept: Kept) -> Layer:
    """Open a layer that remembers; each call gives a new one."""
    known = layer(language)
    return Remembering(**{item.name: getattr(known, item.name) for item in fields(known)}, kept=kept)


REMEMBERED: Final = 1 << 24
"""Characters: their tokens take about three hundred megabytes."""
