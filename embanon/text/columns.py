"""What types are read from: the phrases of a piece of text and its tokens, in columns."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache
from operator import itemgetter
from typing import Final

import numpy as np
from numpy.typing import NDArray

from embanon.text.forms import TokenFeatures
from embanon.text.grammar import PhraseSpans
from embanon.text.tokens import Tokens

Ints = NDArray[np.int64]
Codes = NDArray[np.uint8]
Bools = NDArray[np.bool_]


@cache
def _membership_table(symbols: str) -> Bools:
    table = np.zeros(256, dtype=bool)
    table[list(symbols.encode("ascii"))] = True
    return table


def is_in(symbols: Codes, members: str) -> Bools:
    """Say which symbols are among some, written as one string."""
    return _membership_table(members)[symbols]


_BIT_OF_SYMBOL: Final = np.zeros(256, dtype=np.int64)
for _bit, _symbol in enumerate(b"FM3o4EcSWHhy$%tuDTBgxv0QP&9(fkI/Y-"):
    _BIT_OF_SYMBOL[_symbol] = 1 << _bit


@cache
def bits_of_symbols(symbols: str) -> int:
    """Return the bits of some symbols, as `View.bits` has them."""
    found = 0
    for symbol in symbols.encode("ascii"):
        found |= int(_BIT_OF_SYMBOL[symbol])
    return found


def has_cue(flags: Ints, cue: int) -> Bools:
    """Say which flags have any of the bits of a cue, or of some symbols."""
    result: Bools = (flags & int(cue)) != 0
    return result


def combine_flags(values: Ints, first: Ints, last: Ints) -> Ints:
    """Join the bits of the tokens of each span; `values` has one item more than there are tokens."""
    if not len(first):
        return np.zeros(0, dtype=np.int64)
    bounds = np.empty(2 * len(first), dtype=np.int64)
    bounds[::2], bounds[1::2] = first, last
    result: Ints = np.bitwise_or.reduceat(values, bounds)[::2]
    return result


def first_in_span(places: Ints, start: Ints, end: Ints) -> Ints:
    """Return the first of the sorted places in each span, the span's end where there is none."""
    if not len(places):
        return end
    number = np.searchsorted(places, start)
    return np.where(number < len(places), np.minimum(places[np.minimum(number, len(places) - 1)], end), end)


def shift(values: Bools, by: int) -> Bools:
    """Let each item see the one before it (1) or after it (-1); those at the ends see nothing."""
    result = np.zeros_like(values)
    if by > 0:
        result[1:] = values[:-1]
    else:
        result[:-1] = values[1:]
    return result


@dataclass(frozen=True, slots=True)
class TypingColumns:
    """A piece of text and its phrases; token columns have one item more, so that `last` is always a place."""

    words: list[str] = field(repr=False)
    flags: Ints
    symbols: Codes
    symbol_bits: Ints
    starts_segment: Bools  # whether the token starts a sentence or a line: what is before it says nothing
    length: Ints
    paragraph: Ints
    form_ids: Ints
    first: Ints
    last: Ints
    pattern: Codes
    head_flags: Ints  # flags of each phrase's head
    language: str

    @classmethod
    def build(cls, tokens: Tokens, found: TokenFeatures, cut: PhraseSpans, language: str) -> TypingColumns:
        """Put the columns together."""
        flags = np.append(found.per_token("facts", "flags"), 0)
        symbols = np.append(cut.symbols, ord("\n")).astype(np.uint8)
        apart = np.append(tokens.starts_sentence | (tokens.gap >= 3), True)
        paragraph = np.cumsum(tokens.gap >= 4, dtype=np.int64)
        length = np.append(tokens.end - tokens.start, 0)
        first, last, pattern = cut.first, cut.last, cut.pattern
        if language in ("es", "pt"):
            head = first_in_span(np.flatnonzero((symbols == ord("N")) | (symbols == ord("G"))), first, last - 1)
        else:
            head = last - 1
        return cls(
            [*tokens.words, ""], flags, symbols, _BIT_OF_SYMBOL[symbols], apart, length, paragraph, found.ids,
            first, last, pattern, flags[head], language,
        )  # fmt: skip

    def words_at(self, places: Ints) -> tuple[str, ...]:
        """Return the words at some places; one call for all, as each place has to be read by itself."""
        words: tuple[str, ...] = itemgetter(0, 0, *places.tolist())(self.words)
        return words[2:]


def find_list_relations(view: TypingColumns, first: Ints, last: Ints) -> tuple[Bools, Bools, Bools]:
    """Say of each phrase whether it goes on a list from the one before, behind its comma, or is its alias."""
    listed, alias = np.zeros(len(first), dtype=bool), np.zeros(len(first), dtype=bool)
    start, stop = first[1:], last[:-1]
    between = start - stop
    one, two = view.symbols[stop], view.symbols[np.minimum(stop + 1, len(view.words) - 1)]
    breaks = np.cumsum(view.starts_segment)
    near = (between <= 2) & (breaks[start] == breaks[stop - 1])
    listed[1:] = near & is_in(one, ",a/") & ((between == 1) | ((between == 2) & (two == ord("a"))))
    # A comma alone joins no two names: the second may be where the first is. A list has three, or an "and".
    chain = np.cumsum(~listed) - 1
    ands = np.zeros(len(first), dtype=bool)
    ands[1:] = (one == ord("a")) | (two == ord("a")) & (between == 2)
    behind = listed.copy()
    strength = np.bincount(chain, weights=listed * (1 + (ands & listed)), minlength=1)
    listed &= strength[chain] >= 2
    behind &= ~listed
    alias[1:] = near & (one == ord("(")) & ((between == 1) | is_in(two, "{<"))
    return listed, behind, alias
