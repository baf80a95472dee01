"""The grammar of phrases: the symbol of each word form, patterns over symbols, and the columns of what they match."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from operator import itemgetter
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from embanon.data import read_toml
from embanon.language import Cue, Lexicon, has_trait, phrase_words
from embanon.text.tokens import TokenFeatures, Tokens

_TABLE: Final = read_toml("ontologies", "lexicon", "symbols.toml")


def read_pattern(table: Mapping[str, Any], name: str) -> str:
    """Return a pattern of a table; in braces it names other patterns, or lists of words as alternatives."""

    def read_part(part: re.Match[str]) -> str:
        return read_pattern(table, part[1]) if part[1] in table["patterns"] else "|".join(table[part[1]].split())

    return re.sub(r"\{([a-z_]+)\}", read_part, "".join(table["patterns"][name]))


def _cue_bits(names: str) -> int:
    return sum(int(Cue[name]) for name in names.split())


_SYMBOL_OF_MARK: Final = {mark: symbol for symbol, marks in _TABLE["marks"].items() for mark in marks.split()}
_NUMBER_SHAPES: Final = tuple((re.compile(pattern), symbol) for pattern, symbol in _TABLE["numbers"]["shapes"])
_CUES: Final = tuple(
    (_cue_bits(cues), _cue_bits(without), case, ord(symbol)) for cues, symbol, case, without in _TABLE["cues"]["rows"]
)
_EVERY_CUE: Final = sum({row[0] for row in _CUES if row[0].bit_count() == 1}) | int(Cue.NATIONALITY | Cue.DEM)


def form_symbol(word: str, flags: int, language: str) -> int:
    """Return the symbol that the form alone suggests; `w` where the tag and the sentence decide."""
    mark = _SYMBOL_OF_MARK.get(word)
    if mark is not None:
        return ord(mark)
    if word[:1].isdigit() or word[1:2].isdigit():
        for pattern, name in _NUMBER_SHAPES:
            if pattern.fullmatch(word):
                return ord(name)
        return ord("k") if any(map(str.isalnum, word)) else ord("!")
    if word[:1].isupper() and (word[1:] == "." or (len(word) == 1 and word not in "AIEYO")):
        return ord("I")  # an initial
    lower = word.lower()
    if lower in phrase_words(language, "of"):
        return ord("f")
    if lower in phrase_words(language, "and"):
        return ord("a")
    if flags & _EVERY_CUE:
        case = "upper" if word[:1].isupper() else "lower" if word[:1].islower() else ""
        for cue, without, needed, symbol in _CUES:
            if flags & cue and not flags & without and (not needed or needed == case):
                return symbol
    if not any(map(str.isalpha, word)):
        return ord("!")
    return ord("w")


FACTS_DTYPE: Final = np.dtype([("flags", np.int64), ("symbol", np.uint8), ("upper", np.bool_)])


def describe_forms(words: Sequence[str], lexicon: Lexicon) -> NDArray[Any]:
    """Return what phrases read of forms: their cues, their symbol, and whether they are in capitals."""
    flags = list(map(lexicon.flags, words))
    rows = [
        (bits, form_symbol(word, bits, lexicon.language), len(word) > 1 and word.isupper())
        for word, bits in zip(words, flags, strict=True)
    ]
    return np.array(rows, dtype=FACTS_DTYPE)


def compile_grammar(language: str, without: Collection[str] = ()) -> re.Pattern[bytes]:
    """Compile the patterns of a language; the name of the group that matched says what was found.

    Patterns that are left out match nothing, and keep their numbers.
    """
    variants = {"common": "common_before_adjectives"} if has_trait(language, "adjectives_follow") else {}
    patterns = "|".join(
        f"(?P<{name}>(?=[{starts}])(?:{read_pattern(_TABLE, variants.get(name, name))}))"
        if name not in without
        else f"(?P<{name}>(?!))"
        for name, starts in _TABLE["starts"].items()
    )
    every = "".join(sorted(set("".join(_TABLE["starts"].values()))))
    return re.compile(f"(?=[{every}])(?:{patterns})".encode("ascii"))


PATTERNS: Final = tuple(_TABLE["starts"])
"""Names of the patterns in the order of their codes."""
NAME_PATTERN: Final = PATTERNS.index("name")
COMMON_PATTERN: Final = PATTERNS.index("common")
DATE_PATTERN: Final = PATTERNS.index("date")
LINED_PATTERN: Final = PATTERNS.index("lined")
TITLE_PATTERN: Final = PATTERNS.index("title")


@dataclass(frozen=True, slots=True)
class PhraseSpans:
    """Phrases in columns, by token: the first, the one after the last, the pattern; and all tokens' symbols."""

    first: NDArray[np.int64]
    last: NDArray[np.int64]
    pattern: NDArray[np.uint8]
    symbols: NDArray[np.uint8] = field(repr=False)


Ints = NDArray[np.int64]
Codes = NDArray[np.uint8]
Bools = NDArray[np.bool_]


@cache
def _membership_table(symbols: str) -> Bools:
    table = np.zeros(256, dtype=bool)
    table[list(symbols.encode("ascii"))] = True
    return table


def is_in(symbols: Codes, members: str) -> Bools:
    """Return which symbols are among those of a string."""
    return _membership_table(members)[symbols]


_BIT_OF_SYMBOL: Final = np.zeros(256, dtype=np.int64)
for _bit, _symbol in enumerate(b"FM3o4EcSWHhy$%tuDTBgxv0QP&9(fkI/Y-"):
    _BIT_OF_SYMBOL[_symbol] = 1 << _bit


@cache
def bits_of_symbols(symbols: str) -> int:
    """Return the bits of some symbols, as `View.bits` has them."""
    bits = 0
    for symbol in symbols.encode("ascii"):
        bits |= int(_BIT_OF_SYMBOL[symbol])
    return bits


def has_cue(flags: Ints, cue: int) -> Bools:
    """Return which flags have any of the bits of a cue, or of some symbols."""
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
    def build(cls, tokens: Tokens, features: TokenFeatures, cut: PhraseSpans, language: str) -> TypingColumns:
        """Build the columns from tokens and the phrases that were cut."""
        flags = np.append(features.per_token("facts", "flags"), 0)
        symbols = np.append(cut.symbols, ord("\n")).astype(np.uint8)
        starts_segment = np.append(tokens.starts_sentence | (tokens.gap >= 3), True)
        paragraph = np.cumsum(tokens.gap >= 4, dtype=np.int64)
        length = np.append(tokens.end - tokens.start, 0)
        first, last, pattern = cut.first, cut.last, cut.pattern
        if has_trait(language, "adjectives_follow"):
            head = first_in_span(np.flatnonzero((symbols == ord("N")) | (symbols == ord("G"))), first, last - 1)
        else:
            head = last - 1
        return cls(
            [*tokens.words, ""], flags, symbols, _BIT_OF_SYMBOL[symbols], starts_segment, length, paragraph,
            features.ids, first, last, pattern, flags[head], language,
        )  # fmt: skip

    def words_at(self, places: Ints) -> tuple[str, ...]:
        """Return the words at some places; one call for all, as each place has to be read by itself."""
        words: tuple[str, ...] = itemgetter(0, 0, *places.tolist())(self.words)
        return words[2:]


def find_list_relations(view: TypingColumns, first: Ints, last: Ints) -> tuple[Bools, Bools]:
    """Return which phrases continue a list from the one before, or only stand behind its comma."""
    listed = np.zeros(len(first), dtype=bool)
    start, stop = first[1:], last[:-1]
    between = start - stop
    next_symbol, second_symbol = view.symbols[stop], view.symbols[np.minimum(stop + 1, len(view.words) - 1)]
    breaks = np.cumsum(view.starts_segment)
    near = (between <= 2) & (breaks[start] == breaks[stop - 1])
    listed[1:] = near & is_in(next_symbol, ",a/") & ((between == 1) | ((between == 2) & (second_symbol == ord("a"))))
    # A comma alone joins no two names: the second may be where the first is. A list has three, or an "and".
    chain = np.cumsum(~listed) - 1
    ands = np.zeros(len(first), dtype=bool)
    ands[1:] = (next_symbol == ord("a")) | (second_symbol == ord("a")) & (between == 2)
    behind = listed.copy()
    strength = np.bincount(chain, weights=listed * (1 + (ands & listed)), minlength=1)
    listed &= strength[chain] >= 2
    behind &= ~listed
    return listed, behind
