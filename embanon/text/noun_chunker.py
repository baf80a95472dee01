"""Noun phrases by the user's own grammar: a chunk grammar of NLTK over the tags of a text.

Quoted titles, references, dates, amounts and codes stay as they are, for a tag does not tell them; a chunk is cut
around them. What the labeler sees, identifiers and the user's patterns are laid over chunks as over any phrase.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cache
from itertools import pairwise
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from embanon.config import NLTK_CHUNKER, NOUN_PHRASE, TAG_JOINER, PhraseSettings, compile_chunk_grammar
from embanon.errors import ConfigError
from embanon.text.cutter import PhraseCutter
from embanon.text.grammar import COMMON_PATTERN, NAME_PATTERN, PATTERNS, PhraseSpans, compile_grammar, is_in
from embanon.text.tokens import Tokens

REPLACED: Final = ("name", "common")
"""The patterns of noun phrases, instead of which chunks stand."""
ABSORBED: Final = tuple(PATTERNS.index(name) for name in ("number", "dem", "role"))
"""The patterns of words that may be part of a chunk: `two dogs`, `Swedish author`."""
LONGEST_SENTENCE: Final = 500
"""Tokens that the grammar sees at once."""
NAME_SYMBOLS: Final = "PgB"
CAPITALIZED: Final = "PgBQTD"
"""Symbols of words with a capital that says something: the `The` of a name is no article."""
_OUTER_TAGS: Final = frozenset(("PUNCT", "SYM"))


@cache
def _grammar_without_noun_phrases(language: str) -> Any:
    return compile_grammar(language, REPLACED)


@dataclass(frozen=True, slots=True)
class NounChunker:
    """A compiled grammar, and the languages whose noun phrases it decides; none are all."""

    parser: Any = field(repr=False)
    languages: tuple[str, ...] = ()

    @classmethod
    def from_settings(cls, settings: PhraseSettings) -> NounChunker | None:
        """Compile the grammar of the settings; `None` where noun phrases are embanon's own."""
        if settings.chunker != NLTK_CHUNKER:
            return None
        return cls(compile_chunk_grammar(settings.grammar), settings.grammar_languages)

    def applies_to(self, language: str) -> bool:
        """Return whether the grammar is for a language."""
        return not self.languages or language in self.languages

    def cut(
        self, cutter: PhraseCutter, tokens: Tokens, tags: NDArray[np.uint8], symbols: NDArray[np.uint8]
    ) -> PhraseSpans:
        """Cut into phrases: those of embanon's grammar that are no noun phrases, and chunks around them."""
        others = replace(cutter, grammar=_grammar_without_noun_phrases(cutter.language)).cut(tokens, symbols)
        absorbed = np.isin(others.pattern, ABSORBED)
        taken = _covered(others, ~absorbed, len(tokens))
        is_outer = np.array([tag in _OUTER_TAGS for tag in cutter.tags]) | cutter.is_function_tag
        outer = is_outer[tags] & ~is_in(symbols, CAPITALIZED)
        chunks = list(self._chunks(cutter.tags, tokens, tags))
        rows = [
            (first, last, _pattern(symbols[first:last]))
            for chunk in chunks
            for first, last in _trimmed(*chunk, taken, outer)
        ]
        inside = np.zeros(len(tokens), bool)
        for first, last, _ in rows:
            inside[first:last] = True
        for place in np.flatnonzero(absorbed).tolist():
            first, last = int(others.first[place]), int(others.last[place])
            rows += [(*run, int(others.pattern[place])) for run in _trimmed(first, last, inside, outer)]
        kept = np.flatnonzero(~absorbed)
        columns = np.array(rows, np.int64).reshape(-1, 3)
        firsts = np.concatenate([others.first[kept], columns[:, 0]])
        lasts = np.concatenate([others.last[kept], columns[:, 1]])
        patterns = np.concatenate([others.pattern[kept].astype(np.int64), columns[:, 2]])
        order = np.argsort(firsts, kind="stable")
        return PhraseSpans(firsts[order], lasts[order], patterns[order].astype(np.uint8), symbols)

    def _chunks(self, names: tuple[str, ...], tokens: Tokens, tags: NDArray[np.uint8]) -> Iterator[tuple[int, int]]:
        """Return the first and the past-the-last token of each chunk, sentence by sentence."""
        from nltk.tree import Tree

        written = [name.replace("+", TAG_JOINER) for name in names]
        leaves = [(place, written[tag]) for place, tag in enumerate(tags.tolist())]
        breaks = np.flatnonzero(tokens.starts_sentence | (tokens.gap >= 3)).tolist()
        for begin, end in _sentences([0, *breaks, len(leaves)]):
            try:
                tree = self.parser.parse(Tree("S", leaves[begin:end]))
            except TimeoutError as exc:
                raise ConfigError(
                    f"phrases.grammar: took too long for a sentence of {end - begin} words; make its rules simpler"
                ) from exc
            yield from _noun_phrases(tree)


def _sentences(breaks: list[int]) -> Iterator[tuple[int, int]]:
    """Return where sentences begin and end; long ones in parts."""
    for begin, end in pairwise(breaks):
        for start in range(begin, end, LONGEST_SENTENCE):
            yield start, min(start + LONGEST_SENTENCE, end)


def _noun_phrases(tree: Any) -> Iterator[tuple[int, int]]:
    """Return the outermost noun phrases of a tree."""
    for child in tree:
        if isinstance(child, tuple):
            continue
        if child.label() == NOUN_PHRASE:
            places = child.leaves()
            yield places[0][0], places[-1][0] + 1
        else:
            yield from _noun_phrases(child)


def _covered(spans: PhraseSpans, chosen: NDArray[np.bool_], size: int) -> NDArray[np.bool_]:
    """Return which tokens are part of the spans that are chosen."""
    change = np.zeros(size + 1, np.int64)
    np.add.at(change, spans.first[chosen], 1)
    np.add.at(change, spans.last[chosen], -1)
    covered: NDArray[np.bool_] = np.cumsum(change)[:-1] > 0
    return covered


def _trimmed(first: int, last: int, taken: NDArray[np.bool_], outer: NDArray[np.bool_]) -> Iterator[tuple[int, int]]:
    """Return the runs of a chunk that are not taken, without determiners and the like at their ends.

    A chunk that is nothing else stays: it is what the grammar says.
    """
    start, whole = first, not taken[first:last].any()
    while start < last:
        end = start
        while end < last and not taken[end]:
            end += 1
        inner = np.flatnonzero(~outer[start:end])
        if len(inner):
            yield start + int(inner[0]), start + int(inner[-1]) + 1
        elif whole:
            yield start, end
        start = end + 1


def _pattern(symbols: NDArray[np.uint8]) -> int:
    """Return whether a chunk is a name: one of its words is."""
    return NAME_PATTERN if is_in(symbols, NAME_SYMBOLS).any() else COMMON_PATTERN
