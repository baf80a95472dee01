"""The analyzer of one language: from pieces of text to tagged tokens to phrases in columns."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass, field, fields
from functools import lru_cache, partial
from typing import Final

import numpy as np
from numpy.typing import NDArray

from embanon.language import TAGGED_LANGUAGES as TAGGED_LANGUAGES, Cue, Lexicon
from embanon.recognize import Labeler, Labels, load_labeler
from embanon.text.cutter import PhraseCutter
from embanon.text.grammar import PhraseSpans, describe_forms
from embanon.text.joins import EMPTY_STATISTICS, CorpusStatistics, NameJoiner
from embanon.text.noun_chunker import NounChunker
from embanon.text.tagger import ScriptTagger, Tagger, load_tagger
from embanon.text.tokens import BEFORE_NUMBER, UNLESS_NUMBER, TokenFeatures, Tokens, WordFormCache, tokenize


@dataclass(frozen=True, slots=True)
class TaggedText:
    """A text's tokens with what is known of them."""

    tokens: Tokens
    features: TokenFeatures = field(repr=False)
    tags: NDArray[np.uint8] = field(repr=False)


@dataclass(frozen=True, slots=True)
class Analyzer:
    """Everything that reading one language needs."""

    language: str
    lexicon: Lexicon
    tagger: Tagger | ScriptTagger
    forms: WordFormCache = field(repr=False)
    cutter: PhraseCutter = field(repr=False)
    abbreviations: dict[str, bool | str] = field(repr=False)
    labeler: Labeler | None = field(default=None, repr=False)

    @classmethod
    def create(cls, language: str, tagger: Tagger | ScriptTagger, labeler: Labeler | None = None) -> Analyzer:
        """Load what a language needs, with a tagger, and a labeler of mentions where there is one."""
        lexicon = Lexicon.load(language)
        columns = tagger.columns() | {"facts": partial(describe_forms, lexicon=lexicon)}
        forms = WordFormCache(columns | (labeler.columns() if labeler else {}))
        cutter = PhraseCutter.for_language(language, tagger.tags)
        return cls(language, lexicon, tagger, forms, cutter, collect_abbreviations(lexicon), labeler)

    def tag(self, text: str) -> TaggedText:
        """Cut into tokens and tag them."""
        tokens = tokenize(text, self.abbreviations, self.language)
        features = self.forms.look_up(tokens.words)
        return TaggedText(tokens, features, self.tagger.tag(features, tokens.starts_sentence))

    def label(self, analyzed: TaggedText) -> Labels | None:
        """Label what is a mention of what; `None` in a language without a labeler, or where there is nothing."""
        if self.labeler is None:
            return None
        tokens, features = analyzed.tokens, analyzed.features
        return self.labeler.label(
            features.ids, features.columns, analyzed.tags, tokens.start, tokens.end, tokens.gap, tokens.starts_sentence
        )

    def cut(
        self,
        analyzed: TaggedText,
        statistics: CorpusStatistics = EMPTY_STATISTICS,
        chunker: NounChunker | None = None,
    ) -> PhraseSpans:
        """Cut into phrases, noun phrases by the user's grammar where there is one."""
        if not len(analyzed.tokens):
            none = np.zeros(0, dtype=np.int64)
            return PhraseSpans(none, none, none.astype(np.uint8), none.astype(np.uint8))
        cutter, tokens, features = self.cutter, analyzed.tokens, analyzed.features
        symbols = cutter.assign_symbols(tokens, features, analyzed.tags, statistics)
        if chunker is not None:
            return chunker.cut(cutter, tokens, analyzed.tags, symbols)
        flags = features.per_token("facts", "flags")
        joiner = NameJoiner.for_text(
            self.language, flags, cutter.tag_symbols[analyzed.tags] == ADJECTIVE_SYMBOL, statistics.joined_names
        )
        return joiner.join(tokens, cutter.cut(tokens, symbols))


def collect_abbreviations(lexicon: Lexicon) -> dict[str, bool | str]:
    """Return the abbreviations that keep their period, and whether a sentence may end there."""
    abbreviations: dict[str, bool | str] = {}
    for table in (lexicon.exact, lexicon.folded, lexicon.capitalized):
        for word, bits in table.items():
            if bits & (Cue.ABBREVIATION | Cue.NUMBER_ABBREVIATION):
                ends: bool | str = not bits & (Cue.TITLE | Cue.NUMBER_MARK | Cue.REFERENCE)
                dated = lexicon.flags(word.capitalize()) & (Cue.MONTH | Cue.WEEKDAY)
                ends = UNLESS_NUMBER if ends and dated else ends
                for form in {word} if table is lexicon.exact else {word, word.capitalize(), word.upper()}:
                    abbreviations[form] = ends if bits & Cue.ABBREVIATION else BEFORE_NUMBER
    return abbreviations


ADJECTIVE_SYMBOL: Final = ord("A")


@lru_cache(maxsize=16)
def load_analyzer(language: str) -> Analyzer:
    """Open the layer of a language, once while it is in use; without a tagger, the script stands in."""
    is_tagged = language in TAGGED_LANGUAGES
    if not is_tagged:
        return Analyzer.create(language, ScriptTagger(Lexicon.load(language)))
    tagger = load_tagger(language)
    return Analyzer.create(language, tagger, load_labeler(language, tagger.tags))


@lru_cache(maxsize=16)
def load_grammar(language: str) -> Analyzer:
    """Open the layer of a language without its labeler, which needs the text around a phrase."""
    tagger = load_tagger(language) if language in TAGGED_LANGUAGES else ScriptTagger(Lexicon.load(language))
    return Analyzer.create(language, tagger)


@dataclass(slots=True)
class TaggingCache:
    """The first texts that were tagged, in any language: so many characters of them."""

    texts: dict[tuple[str, str], TaggedText] = field(default_factory=dict, repr=False)
    characters: int = 0


@dataclass(frozen=True, slots=True)
class CachingAnalyzer(Analyzer):
    """A layer that keeps the first texts it has tagged, for a second pass."""

    cache: TaggingCache = field(default_factory=TaggingCache, repr=False)

    def tag(self, text: str) -> TaggedText:
        """Cut into tokens and tag them, or remember."""
        kept, name = self.cache, (self.language, text)
        tagged = kept.texts.get(name)
        if tagged is None:
            tagged = Analyzer.tag(self, text)
            if kept.characters + len(text) <= MAX_CACHED_CHARACTERS:
                kept.texts[name] = tagged
                kept.characters += len(text)
        return tagged


def load_caching_analyzer(language: str, kept: TaggingCache) -> Analyzer:
    """Open a layer that remembers; each call gives a new one."""
    known = load_analyzer(language)
    return CachingAnalyzer(**{item.name: getattr(known, item.name) for item in fields(known)}, cache=kept)


MAX_CACHED_CHARACTERS: Final = 1 << 24
"""Characters: their tokens take about three hundred megabytes."""


# A text is cut at its paragraph breaks, so that a long one is read in bounded memory.
PIECE_SIZE: Final = 131_072
"""Characters of a piece, if paragraphs allow."""

MAX_PIECE_SIZE: Final = 4_194_304
"""Characters of a piece, whatever the paragraphs."""

PARAGRAPH_BREAK: Final = re.compile("\n(?:[ \t\r\f\v]*\n)+|\u2029")
"""A paragraph break: blank lines, or the character made for it."""

CLUSTER_SEARCH_LENGTH: Final = 64
"""Characters that are looked at for one that can be parted from the next."""

SPACES: Final = "".join(filter(str.isspace, map(chr, range(0x3001))))
JOINERS: Final = "\u200c\u200d"


def split_pieces(text: str, size: int = PIECE_SIZE, longest: int = MAX_PIECE_SIZE) -> Iterator[tuple[int, str]]:
    """Yield (offset, piece) in order, cut at paragraph breaks; joined, the pieces are the text. No piece is empty."""
    if not 0 < size <= longest:
        raise ValueError("0 < size <= longest")
    start = 0
    while start < len(text):
        end = _piece_end(text, start, size, longest)
        yield start, text[start:end]
        start = end


def _piece_end(text: str, start: int, size: int, longest: int) -> int:
    """Return where the piece from `start` ends: at the last break within the size, else at the first one after it."""
    if len(text) - start <= size:
        return len(text)
    breaks = [match.start() for match in PARAGRAPH_BREAK.finditer(text, start, start + size)]
    if breaks and (whole := PARAGRAPH_BREAK.match(text, breaks[-1], min(len(text), start + longest))):
        return whole.end()  # blank lines beyond the size are of the same break
    if match := PARAGRAPH_BREAK.search(text, start, min(len(text), start + longest)):
        return match.end()
    return len(text) if len(text) - start <= longest else _end_within_paragraph(text, start, start + longest)


def _end_within_paragraph(text: str, start: int, end: int) -> int:
    """Return the last line break, else the last space, else the last place where no character is torn."""
    for separators in ("\n", SPACES):
        cut = max(text.rfind(separator, start + 1, end) for separator in separators) + 1
        if cut > start and not _is_inside_grapheme(text, cut):
            return cut
    nearby = range(end, max(start, end - CLUSTER_SEARCH_LENGTH), -1)
    return next((cut for cut in nearby if not _is_inside_grapheme(text, cut)), end)


def _is_inside_grapheme(text: str, cut: int) -> bool:
    """Return whether the characters on both sides are seen as one: the common cases of UAX #29."""
    before, after = text[cut - 1], text[cut]
    return (
        (before, after) == ("\r", "\n")
        or before in JOINERS
        or after in JOINERS
        or unicodedata.category(after).startswith("M")
        or "\U0001f3fb" <= after <= "\U0001f3ff"  # skin tones
        or ("\U0001f1e6" <= before <= "\U0001f1ff" and "\U0001f1e6" <= after <= "\U0001f1ff")  # flags
        or ("\ud800" <= before <= "\udbff" and "\udc00" <= after <= "\udfff")  # halves of a broken encoding
    )
