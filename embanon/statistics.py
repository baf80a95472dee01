"""What a corpus says of its words, gathered in a first pass and then an explicit, immutable value."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final

import numpy as np

from embanon.grammar import NAME_PATTERN, Cut
from embanon.joins import ALWAYS, PERHAPS, key, neighbors
from embanon.tokens import LOWER, UPPER, Tokens

MIN_DOCUMENTS: Final = 2
MIN_SHARE: Final = 0.3
MIN_COUNT: Final = 2


@dataclass(frozen=True, slots=True)
class Statistics:
    """Facts about a corpus.

    `capital[word]`: the share of a lower-case form's places inside sentences where it has a capital.
    `joins`: names of two parts and what joins them, in lower case, that stand so in at least two documents.
    """

    capital: Mapping[str, float] = field(default_factory=dict, repr=False)
    joins: frozenset[str] = field(default_factory=frozenset, repr=False)


NONE: Final = Statistics()


class Gathering:
    """Counts of a corpus, document by document."""

    def __init__(self) -> None:
        self._inside: Counter[str] = Counter()
        self._capital: Counter[str] = Counter()
        self._names: Counter[str] = Counter()
        self._joined: dict[str, tuple[int, str, str]] = {}

    def add(self, pieces: Iterable[tuple[Tokens, Cut]]) -> None:
        """Count one document, given in one or more pieces."""
        present: set[str] = set()
        joined: dict[str, tuple[str, str]] = {}
        for tokens, cut in pieces:
            self._count_words(tokens)
            first, last = cut.first.tolist(), cut.last.tolist()
            names = np.flatnonzero(cut.pattern == NAME_PATTERN).tolist()
            present.update(key(tokens, cut, first[n], last[n]) for n in names)
            for number, between in neighbors(tokens, cut):
                if between in PERHAPS or between in ALWAYS:
                    left = key(tokens, cut, first[number], last[number])
                    right = key(tokens, cut, first[number + 1], last[number + 1])
                    joined[key(tokens, cut, first[number], last[number + 1])] = (left, right)
        self._names.update(present)
        for name, (left, right) in joined.items():
            self._joined[name] = (self._joined.get(name, (0, "", ""))[0] + 1, left, right)

    def _count_words(self, tokens: Tokens) -> None:
        letters = (tokens.first == UPPER) | (tokens.first == LOWER)
        for place in np.flatnonzero(~tokens.sentence & letters).tolist():
            word = tokens.words[place]
            self._inside[word.lower()] += 1
            self._capital[word.lower()] += word[0].isupper()

    def statistics(self) -> Statistics:
        """Give what has been counted so far."""
        capital = {word: self._capital[word] / n for word, n in self._inside.items() if n >= MIN_COUNT}
        joins = frozenset(
            name
            for name, (count, left, right) in self._joined.items()
            if count >= MIN_DOCUMENTS and count >= MIN_SHARE * min(self._names[left], self._names[right])
        )
        return Statistics(capital, joins)
