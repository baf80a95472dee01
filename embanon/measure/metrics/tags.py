"""Parts of speech of a text, by the shipped tagger or by a pipeline of spaCy, named so that tables can say which."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from embanon.text import load_analyzer, split_pieces

Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class TaggedText:
    """Tokens with their universal parts of speech (`ADP`, `DET` ..), which are empty where they are not known."""

    spans: Ints
    words: list[str] = field(repr=False)
    tags: list[str] = field(repr=False)


class TextTagger(Protocol):
    """Gives parts of speech."""

    @property
    def name(self) -> str:
        """Name where they come from, for tables."""

    def tag(self, text: str, language: str) -> TaggedText:
        """Cut a text into tokens and tag them."""

    def __hash__(self) -> int:
        """Return its hash, so that its results can be cached."""


class ShippedTagger:
    """The project's own tokens and tagger (English, German, Portuguese, Spanish; elsewhere scripts stand in)."""

    name = "embanon"

    def tag(self, text: str, language: str) -> TaggedText:
        """Tag piece by piece."""
        reader = load_analyzer(language)
        # Of a contraction the first part counts: `no` in Portuguese is a preposition first.
        names = [name.partition("+")[0] for name in reader.tagger.tags]
        spans, words, tags = [np.zeros((0, 2), np.int64)], list[str](), list[str]()
        for offset, piece in split_pieces(text):
            analyzed = reader.tag(piece)
            spans.append(np.stack([analyzed.tokens.start, analyzed.tokens.end], axis=1).astype(np.int64) + offset)
            words += analyzed.tokens.words
            tags += map(names.__getitem__, analyzed.tags.tolist())
        return TaggedText(np.concatenate(spans), words, tags)


@dataclass(frozen=True, slots=True)
class SpacyTagger:
    """A pipeline of spaCy that the user has loaded."""

    pipeline: Callable[[str], Any] = field(repr=False)

    @property
    def name(self) -> str:
        """Name the model and its version."""
        meta = getattr(self.pipeline, "meta", {})
        return f"spaCy {meta.get('lang', '')}_{meta.get('name', '')} {meta.get('version', '')}".strip()

    def tag(self, text: str, language: str) -> TaggedText:
        """Tag by the pipeline, whatever the language."""
        tokens = [token for token in self.pipeline(text) if not token.is_space]
        spans = np.array([(token.idx, token.idx + len(token)) for token in tokens], np.int64).reshape(-1, 2)
        return TaggedText(spans, [token.text for token in tokens], [token.pos_ for token in tokens])
