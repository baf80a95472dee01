"""Join names that are parts of one: by the words between them, their own words, and corpus statistics.

What a corpus says of its words is gathered in a first pass, and then an explicit, immutable value.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from embanon.language import Cue, has_trait
from embanon.text.grammar import DATE_PATTERN, NAME_PATTERN, PhraseSpans
from embanon.text.tokens import LOWER, UPPER, Tokens

# Symbols between two parts of one name: these join always,
ALWAYS_JOINING: Final = frozenset((b"f", b"fd", b"&", b":", b"fQ", b"Qd", b"QQ"))
# and these if the corpus knows the whole from at least two documents.
JOINING_IF_KNOWN: Final = frozenset(
    b"a p pd Q d ' ad / fp pf v fN fA V A N".split()  # of, and, for, for the, a capitalized The …
)
ROLE_SYMBOLS: Final = frozenset(b"TBR")
"""Symbols of a person's role, to which an `of` does not belong: the `Bishop` of `Ravenna`."""
ROLE_SYMBOL: Final = ord("B")
TITLE_SYMBOL: Final = ord("T")
CLOSING_BRACKET: Final = ord(")")
YEAR_SYMBOL: Final = ord("4")
POSSESSED_HEADS: Final = int(Cue.ORG_HEAD | Cue.PLACE_HEAD)
AWARD_HEADS: Final = int(Cue.AWARD_HEAD)
DATABLE_HEADS: Final = int(Cue.EVENT_HEAD | Cue.AWARD_HEAD)


def joinable_names(tokens: Tokens, cut: PhraseSpans) -> Iterator[tuple[int, bytes]]:
    """Return each name that the next one may continue, by its number, with the symbols between the two."""
    names = np.flatnonzero(cut.pattern == NAME_PATTERN)
    left, right = names[:-1], names[1:]
    between = cut.first[right] - cut.last[left]
    near = (right == left + 1) & (between >= 1) & (between <= 2)
    if not near.any():
        return
    breaks = np.concatenate([[0], np.cumsum(tokens.starts_sentence | (tokens.gap >= 3))])
    left, right = left[near], right[near]
    near = breaks[cut.first[right] + 1] == breaks[cut.last[left]]
    symbols = cut.symbols.tobytes()
    for number in left[near].tolist():
        yield number, symbols[cut.last[number] : cut.first[number + 1]]


def name_key(tokens: Tokens, cut: PhraseSpans, first: int, last: int) -> str:
    """Return the key of a run of tokens; what stands in brackets at the end is no part of it."""
    while cut.symbols[last - 1] == CLOSING_BRACKET:
        last = first + cut.symbols[first:last].tobytes().rindex(b"(")
    return " ".join(tokens.words[first:last]).lower()


@dataclass(frozen=True, slots=True)
class NameJoiner:
    """What joining looks at: cues and adjectives by token, and the names that the corpus has joined."""

    flags: NDArray[np.int64]
    is_adjective: NDArray[np.bool_]
    known_names: Collection[str]
    personal_symbols: frozenset[int] = ROLE_SYMBOLS
    english: bool = True

    @classmethod
    def for_text(
        cls, language: str, flags: NDArray[np.int64], adjective: NDArray[np.bool_], known: Collection[str]
    ) -> NameJoiner:
        """Prepare for a text; in English a given name is as personal as a role."""
        english = has_trait(language, "persons_without_of")
        return cls(flags, adjective, known, ROLE_SYMBOLS | {ord("g")} if english else ROLE_SYMBOLS, english)

    def join(self, tokens: Tokens, cut: PhraseSpans) -> PhraseSpans:
        """Join names by their words, and years with the event that they date; then what the corpus knows."""
        by_words = self._find_joins(tokens, cut, self._belongs_by_words)
        cut = _merge_phrases(cut, self._mark_dated_events(tokens, cut) | by_words)
        return _merge_phrases(cut, self._find_joins(tokens, cut, self._belongs_by_corpus)) if self.known_names else cut

    def _find_joins(
        self, tokens: Tokens, cut: PhraseSpans, test: Callable[[Tokens, PhraseSpans, int, bytes], bool]
    ) -> NDArray[np.bool_]:
        marked = np.zeros(len(cut.first), dtype=bool)
        for number, between in joinable_names(tokens, cut):
            marked[number] = test(tokens, cut, number, between)
        return marked

    def _belongs_by_words(self, tokens: Tokens, cut: PhraseSpans, number: int, between: bytes) -> bool:
        """Return whether the next name belongs to this one by the words."""
        end = int(cut.last[number])
        if between in ALWAYS_JOINING:
            if between == b":":
                return self._is_subtitle(tokens, cut, number)
            return not self._is_of_person(cut, number, between)
        if between == b"'":  # Magistrates' Court, St Mary's Hospital
            return tokens.words[end] in "'\u2019" or bool(self.flags[cut.last[number + 1] - 1] & POSSESSED_HEADS)
        if between == b"a":  # Foreign and Commonwealth Office
            return bool(self.is_adjective[end - 1])
        # Minister for Health
        return between == b"p" and cut.symbols[end - 1] == ROLE_SYMBOL and tokens.words[end].lower() in _FOR_WORDS

    def _is_subtitle(self, tokens: Tokens, cut: PhraseSpans, number: int) -> bool:
        """Return whether a subtitle follows, with its year behind it, and not the value of a label (`Town: Rome`)."""
        dated = cut.symbols[cut.last[number + 1] - 1] == CLOSING_BRACKET
        return bool(dated and tokens.first[cut.first[number + 1]] == UPPER)

    def _belongs_by_corpus(self, tokens: Tokens, cut: PhraseSpans, number: int, between: bytes) -> bool:
        """Return whether the next name belongs to this one by the corpus."""
        personal = self._is_of_person(cut, number, between)
        if between not in JOINING_IF_KNOWN and not personal:
            return False
        end = int(cut.last[number])
        if personal and cut.symbols[cut.first[number]] == TITLE_SYMBOL:
            return False  # Mr Forbes of the Foreign Office
        if between == b"p" and self.flags[end - 1] & AWARD_HEADS:
            return False  # an award, and what for
        is_other = between[:1] == b"p" and tokens.words[end].lower() not in _FOR_WORDS
        if is_other and cut.symbols[end - 1] in self.personal_symbols:
            return False  # the Prosecutor at the Court
        return name_key(tokens, cut, int(cut.first[number]), int(cut.last[number + 1])) in self.known_names

    def _is_of_person(self, cut: PhraseSpans, number: int, between: bytes) -> bool:
        # In English an `of` does not belong to a person at all; elsewhere it may: Dr. José de la Fuente.
        first = cut.symbols[cut.first[number]] if self.english else 0
        return between[:1] == b"f" and not self.personal_symbols.isdisjoint((first, cut.symbols[cut.last[number] - 1]))

    def _mark_dated_events(self, tokens: Tokens, cut: PhraseSpans) -> NDArray[np.bool_]:
        """Mark the years that belong to the event behind them: 1962 FIFA World Cup."""
        marked = np.zeros(len(cut.first), dtype=bool)
        if len(marked) < 2:
            return marked
        start, last = cut.first[1:], cut.last[1:]
        year = (cut.pattern[:-1] == DATE_PATTERN) & (cut.last[:-1] - cut.first[:-1] == 1)
        year &= cut.symbols[cut.first[:-1]] == YEAR_SYMBOL
        event = (cut.pattern[1:] == NAME_PATTERN) & (self.flags[last - 1] & DATABLE_HEADS > 0)
        marked[:-1] = (
            year & event & (start == cut.last[:-1]) & (tokens.gap[start] == 1) & ~tokens.starts_sentence[start]
        )
        return marked


_FOR_WORDS: Final = frozenset(("for", "para", "f\u00fcr"))


def _merge_phrases(cut: PhraseSpans, continues: NDArray[np.bool_]) -> PhraseSpans:
    """Merge each phrase that continues with the next."""
    if not continues.any():
        return cut
    begins = ~np.concatenate([[False], continues[:-1]])
    return PhraseSpans(cut.first[begins], cut.last[~continues], cut.pattern[~continues], cut.symbols)


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
