"""What a corpus says of its words, gathered in a first pass and then an explicit, immutable value."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final

import numpy as np

from embanon.grammar import NAME_PATTERN, Cut
from embanon.tokens import UPPER, Tokens

PERSONAL: Final = frozenset(b"Tg")
"""Symbols that open the name of a person, to which an `of` does not belong."""
MIN_DOCUMENTS: Final = 2
MIN_SHARE: Final = 0.3
MIN_COUNT: Final = 2

CLOSING: Final = ord(")")

# Symbols that may stand between two parts of one name; `of`, `of the`, `&` and `:` join always.
JOINING: Final = frozenset((b"f", b"fd", b"&", b":", b"fQ", b"Qd", b"QQ"))
PERHAPS: Final = frozenset(
    (
        b"a",
        b"p",
        b"pd",
        b"Q",
        b"d",
        b"'",
        b"ad",
        b"/",
        b",",
        b"~",
        b"fp",
        b"pf",
        b"v",
        b"fN",
        b"fA",
        b"V",
        b"A",
        b"N",
    )
)


@dataclass(frozen=True, slots=True)
class Statistics:
    """Facts about a corpus.

    `capital[word]`: the share of a lower-case form's places inside sentences where it has a capital.
    `joins`: names of two parts and what joins them, in lower case, that stand so in at least two documents.
    """

    capital: Mapping[str, float] = field(default_factory=dict, repr=False)
    joins: frozenset[str] = field(default_factory=frozenset, repr=False)


NONE: Final = Statistics()


def neighbors(tokens: Tokens, cut: Cut) -> Iterator[tuple[int, bytes]]:
    """Give each name that the next one may continue, by its number, with the symbols between the two."""
    names = np.flatnonzero(cut.pattern == NAME_PATTERN)
    left, right = names[:-1], names[1:]
    between = cut.first[right] - cut.last[left]
    near = (right == left + 1) & (between >= 1) & (between <= 2)
    if not near.any():
        return
    breaks = np.concatenate([[0], np.cumsum(tokens.sentence | (tokens.gap >= 3))])
    left, right = left[near], right[near]
    near = breaks[cut.first[right] + 1] == breaks[cut.last[left]]
    symbols = cut.symbols.tobytes()
    for number in left[near].tolist():
        yield number, symbols[cut.last[number] : cut.first[number + 1]]


def key(tokens: Tokens, cut: Cut, first: int, last: int) -> str:
    """Give the key of a run of tokens; what stands in brackets at the end is no part of it."""
    while cut.symbols[last - 1] == CLOSING:
        last = first + cut.symbols[first:last].tobytes().rindex(b"(")
    return " ".join(tokens.words[first:last]).lower()


class Gathering:
    """Counts of a corpus, document by document."""

    def __init__(self) -> None:
        self._inside: Counter[str] = Counter()
        self._capital: Counter[str] = Counter()
        self._names: Counter[str] = Counter()
        self._joined: dict[str, tuple[int, str, str]] = {}

    def add(self, tokens: Tokens, cut: Cut) -> None:
        """Count one document."""
        inside = ~tokens.sentence
        capital = tokens.first == UPPER
        for place in np.flatnonzero(inside & (tokens.first <= UPPER) & (tokens.first >= UPPER - 1)).tolist():
            word = tokens.words[place].lower()
            self._inside[word] += 1
            self._capital[word] += bool(capital[place])
        names = np.flatnonzero(cut.pattern == NAME_PATTERN).tolist()
        first, last = cut.first.tolist(), cut.last.tolist()
        self._names.update({key(tokens, cut, first[n], last[n]) for n in names})
        joined = {}
        for number, between in neighbors(tokens, cut):
            if between in PERHAPS:
                sides = (
                    key(tokens, cut, first[number], last[number]),
                    key(tokens, cut, first[number + 1], last[number + 1]),
                )
                joined[key(tokens, cut, first[number], last[number + 1])] = sides
        for name, (left, right) in joined.items():
            self._joined[name] = (self._joined.get(name, (0, "", ""))[0] + 1, left, right)

    def statistics(self) -> Statistics:
        """Give what has been counted so far."""
        capital = {word: self._capital[word] / n for word, n in self._inside.items() if n >= MIN_COUNT}
        joins = frozenset(
            name
            for name, (count, left, right) in self._joined.items()
            if count >= MIN_DOCUMENTS and count >= MIN_SHARE * min(self._names[left], self._names[right])
        )
        return Statistics(capital, joins)


def join(tokens: Tokens, cut: Cut, statistics: Statistics) -> Cut:
    """Join names that are parts of one."""
    first, last = cut.first, cut.last
    continues = np.zeros(len(first), dtype=bool)
    symbols = cut.symbols.tobytes()
    for number, between in neighbors(tokens, cut):
        person = symbols[first[number]] in PERSONAL and between[:1] == b"f"
        plural = between == b"'" and tokens.words[last[number]] in "'\u2019"  # Magistrates' Court
        continues[number] = plural or (between in JOINING and not person) or (
            between in PERHAPS and key(tokens, cut, int(first[number]), int(last[number + 1])) in statistics.joins
        )
    if not continues.any():
        return cut
    begins = ~np.concatenate([[False], continues[:-1]])
    return Cut(first[begins], last[~continues], cut.pattern[begins], cut.symbols)
