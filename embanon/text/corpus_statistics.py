"""What a corpus says of its words, gathered in a first pass and then an explicit, immutable value."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final

import numpy as np
from numpy.typing import ArrayLike

from embanon.text.grammar import NAME_PATTERN, PhraseSpans
from embanon.text.joins import ALWAYS_JOINING, JOINING_IF_KNOWN, joinable_names, name_key
from embanon.text.tokens import LOWER, UPPER, Tokens

MIN_DOCUMENTS: Final = 2
MIN_SHARE: Final = 0.3
MIN_COUNT: Final = 2


@dataclass(frozen=True, slots=True)
class CorpusStatistics:
    """Facts about a corpus.

    `capital[word]`: the share of a lower-case form's places inside sentences where it has a capital.
    `joins`: names of two parts and what joins them, in lower case, that stand so in at least two documents.
    """

    capitalized_share: Mapping[str, float] = field(default_factory=dict, repr=False)
    joined_names: Collection[str] = field(default_factory=frozenset, repr=False)


EMPTY_STATISTICS: Final = CorpusStatistics()


class StatisticsCounter:
    """Counts of a corpus, document by document."""

    def __init__(self) -> None:
        self._inside: Counter[str] = Counter()
        self._capital: Counter[str] = Counter()
        self._names: Counter[str] = Counter()
        self._joined: dict[str, tuple[int, str, str]] = {}

    def add(self, pieces: Iterable[tuple[Tokens, PhraseSpans]], starts: ArrayLike = (0,)) -> None:
        """Count one document, given in one or more pieces, or the documents that start so in one piece."""
        present: set[tuple[int, str]] = set()
        joined: dict[tuple[int, str], tuple[str, str]] = {}
        for tokens, cut in pieces:
            self._count_words(tokens)
            if not len(cut.first):
                continue
            first, last = cut.first.tolist(), cut.last.tolist()
            document = np.searchsorted(starts, tokens.start[cut.first], side="right").tolist()
            names = np.flatnonzero(cut.pattern == NAME_PATTERN).tolist()
            present.update((document[n], name_key(tokens, cut, first[n], last[n])) for n in names)
            for number, between in joinable_names(tokens, cut):
                if between in JOINING_IF_KNOWN or between in ALWAYS_JOINING:
                    left = name_key(tokens, cut, first[number], last[number])
                    right = name_key(tokens, cut, first[number + 1], last[number + 1])
                    whole = name_key(tokens, cut, first[number], last[number + 1])
                    joined[document[number], whole] = (left, right)
        self._names.update(name for _, name in present)
        for (_, name), (left, right) in joined.items():
            self._joined[name] = (self._joined.get(name, (0, "", ""))[0] + 1, left, right)

    def _count_words(self, tokens: Tokens) -> None:
        words, upper = tokens.words, tokens.first == UPPER
        inside = ~tokens.starts_sentence & (upper | (tokens.first == LOWER))
        for counter, places in ((self._inside, inside), (self._capital, inside & upper)):
            counter.update([words[place].lower() for place in np.flatnonzero(places).tolist()])

    def statistics(self) -> CorpusStatistics:
        """Return what has been counted so far."""
        capital = {word: self._capital[word] / n for word, n in self._inside.items() if n >= MIN_COUNT}
        joins = frozenset(
            name
            for name, (count, left, right) in self._joined.items()
            if count >= MIN_DOCUMENTS and count >= MIN_SHARE * min(self._names[left], self._names[right])
        )
        return CorpusStatistics(capital, joins)
