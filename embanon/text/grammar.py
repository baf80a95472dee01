"""The grammar of phrases: the symbol of each word form, patterns over symbols, and the columns of what they match."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache
from operator import itemgetter
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from embanon.language import Cue, Lexicon, has_trait, phrase_words
from embanon.text.tokens import TokenFeatures, Tokens

# Punctuation and marks whose symbol is told by the form alone.
_SYMBOL_OF_MARK: Final = {
    ",": ",", "(": "(", ")": ")", "[": "(", "]": ")", ":": ":", "/": "/", ".": ".", "%": "%", "#": "#", "§": "r",
    "§§": "r", "$": "$", "£": "$", "€": "$", "¥": "$", "US$": "$", "R$": "$", "&": "&", "-": "-", "\u2010": "-",
    "\u2011": "-", "\u2013": "~", "\u2014": "~", "--": "~", "'s": "'", "\u2019s": "'", "'": "'", "\u2019": "'",
    '"': '"', "\u201c": '"', "\u201d": '"', "\u201e": '"', "\u00ab": '"', "\u00bb": '"', "\u2018": "`",
    "°": "u", "''": '"', "``": '"', "№": "#",
}  # fmt: skip

# Shapes of numbers, the first that fits.
_NUMBER_SHAPES: Final = tuple(
    (re.compile(pattern), symbol)
    for pattern, symbol in (
        (r"(?:1[5-9]|20)\d\d", "4"),
        (r"(?:0?[1-9]|[12]\d|3[01])\.?", "3"),
        (r"\d+", "0"),
        (r"(?:0?[1-9]|[12]\d|3[01])[/.](?:0?[1-9]|1[0-2])[/.](?:\d\d){1,2}", "F"),
        (r"(?:0?[1-9]|1[0-2])/(?:0?[1-9]|[12]\d|3[01])/(?:\d\d){1,2}", "F"),
        (r"(?:1[5-9]|20)\d\d[/.](?:0?[1-9]|1[0-2])[/.](?:0?[1-9]|[12]\d|3[01])", "F"),
        (r"(?:[01]?\d|2[0-4])[:h][0-5]\d(?::[0-5]\d)?h?", "H"),
        (r"\d{1,3}[/]\d{1,3}|\d{4}/\d\d?", "9"),
        (r"\.\d+", "9"),
        (r"\d[\d.,'\u2019]*", "9"),
        (r"(?:1[5-9]|20)?\d0['\u2019]?s|(?:1[5-9]|20)?\d0er(?:n|jahre[n]?)?", "E"),
        (r"\d+-?[jJ]ährig\w*", "Y"),
        (r"(?:[01]?\d|2[0-4])h", "H"),
        (r"\d+(?:st|nd|rd|th|er|º|ª|°|\.º|\.ª)", "o"),
        (r"\d+(?:[.,]\d+)?(?:km|kg|mg|cm|mm|ml|m|g|k|bn|mph|kHz|MHz|GB|MB)", "9"),
    )
)

# What a cue makes of a form, the first row that fits: the cue, the cue that must be missing, the case of the first
# letter (any, upper, lower), the symbol.
_CUES: Final = tuple(
    (int(cue), int(without), case, ord(name))
    for cue, without, case, name in (
        (Cue.MONTH, 0, "", "M"), (Cue.WEEKDAY, 0, "", "W"), (Cue.DECADE, 0, "", "E"), (Cue.ERA, 0, "", "c"),
        (Cue.SCALE, 0, "", "m"), (Cue.NUMBER_WORD, 0, "", "n"), (Cue.ORDINAL_WORD, 0, "", "o"),
        (Cue.TIME_UNIT, 0, "", "t"), (Cue.DAYPART, 0, "", "h"), (Cue.SEASON, 0, "", "S"),
        (Cue.TIME_MODIFIER, 0, "", "i"), (Cue.AGE, 0, "", "y"), (Cue.REFERENCE, 0, "", "r"),
        (Cue.NUMBER_MARK, 0, "", "#"), (Cue.TITLE, 0, "upper", "T"), (Cue.SUFFIX_NAME, 0, "upper", "x"),
        (Cue.NATIONALITY | Cue.DEM, 0, "", "D"), (Cue.VAGUE, 0, "lower", "j"), (Cue.CURRENCY, 0, "", "$"),
        (Cue.UNIT, 0, "", "u"), (Cue.DETERMINER, 0, "", "d"), (Cue.PARTICLE, Cue.STOP, "lower", "v"),
        (Cue.CONNECTOR, 0, "", "p"),
    )
)  # fmt: skip
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


_NUMERAL: Final = r"(?:[0349n](?:-?[nm]){0,4}|m)"

# German writes the day with a period (3. Mai), Spanish and Portuguese join by "de"; one table serves all four.
DATES: Final = (
    r"(?:[3o]\.?,){0,3}[3o]\.?[apfd~-][3o]\.?f?M(?:,?f?4)?",
    r"(?:W,?d?)?[3o]\.?(?:f?d?)?M(?:,?f?4)?",
    r"(?:[3o]\.?[-~](?=[3o]\.?f?M))?(?:W,?)?M[3o]?(?:[-~]M?[3])?(?:,?f?4)?",
    r"(?:W,?)?F(?:,?H)?",
    r"4-[30]-[30]",
    r"(?:i-?)?E",
    r"(?<=\()4(?=[-~][4)])",  # a span of life is two dates
    r"(?:i-?)?(?:Sf?)?4(?:[-~/][340](?!-))?(?!-?[tunm%$]|-y)c?",
    r"(?:i-?)?[o3]-?c{1,2}",
    r"c[0x]",
    r"tf?4",
    r"Hh?(?:[-~]Hh?)?",
    r"[309]h",
    r"Wh?",
    r"S",
)
QUANTITIES: Final = (
    "Y",
    rf"y[fp]?{_NUMERAL}(?:-?t)?(?:-?y)?",
    rf"{_NUMERAL}-?t-?y",
    rf"\${_NUMERAL}\$?",
    rf"{_NUMERAL}[fD]?\${{1,2}}(?:\(\$\))?",
    rf"{_NUMERAL}(?:[-~]{_NUMERAL})?%",
    rf"{_NUMERAL}(?:[-~]{_NUMERAL})?-?[tu](?:\.?/?[ut])?(?:a?{_NUMERAL}[tu]?)?",
)
NUMBER: Final = rf"{_NUMERAL}(?:[-~]{_NUMERAL}){{0,2}}|o"
# A law's numbers, and nothing that is a date or an amount: Articles 3 and 8, section 12(3), Article 6 § 1 and Rule 39.
_NUMBERED: Final = r"[-#(.r/]{0,3}[039knox]\)?(?!\.?f?d?M|-?[tu$%m])"
REFERENCE: Final = rf"r\.?(?:#\.?)?(?:{_NUMBERED}|4(?!\.?f?d?M))(?:[,~]?[apdf]{{0,2}}{_NUMBERED}){{0,8}}"

# Quoted titles: up to nine tokens with a capital or a digit among them.
TITLE: Final = r"\{(?=[^{}\n]{0,8}[PgBDQ0349])[^{}\n]{1,9}\}|<(?=[^<>\n]{0,8}[PgBDQ0349])[^<>\n]{1,9}>"
_YEAR: Final = r"(?:\(4(?:[~-][03])?\))?"  # a work with its year is one unit: Gia (1998), Moonlight (1985–89)
# Only a title has small words inside and its year behind: Friends with Money (2006).
_DATED_WORK: Final = r"[PBQ](?:-?[PBQDxk30SNA]|[pafdv&'](?=[pafdv]{0,2}[PBQD])){0,12}\(4\)"
_NAME_PREFIX: Final = r"(?:(?:T\.?){1,3}(?:[fv]{1,2}d?)?(?=[PgBQv])|v{1,3}(?=[Pg])|(?:D-?){1,2}(?=P)|Q{1,2}(?=[PgB]))?"
_NAME_PART: Final = r"-[PgBNGAVnT3k0Dwp]|[PgBxDk30]|v{1,3}Q?-?[Pg]|Q{1,3}[PgBD3]|/[PgB]|,x|\{[PgB]{1,3}\}(?=[PgBv])"
_NAME_SUFFIX: Final = rf"(?:\((?:[PgB]{{2,4}}|[NGAVwn]{{1,2}})\))?{_YEAR}(?:[ANG]{{0,3}}G(?![ANG]))?"
NAME: Final = rf"{_DATED_WORK}|{_NAME_PREFIX}[PgB](?:{_NAME_PART}){{0,20}}(?:Q(?=\(4\)))?{_NAME_SUFFIX}"
_MODIFIER: Final = r"(?:(?:[ANGVPgn3DwoEpijv]-){1,4}[ANGVwtpP]|[ANG])"


def common_pattern(*, adjectives_after: bool) -> str:
    """Return the pattern of a common noun phrase; Romance adjectives follow the noun."""
    if adjectives_after:
        return r"[Ao]{0,4}(?:[NG]-){0,3}[NG](?:-[NGA])?A{0,3}"
    return rf"(?:(?<=[dA])V)?{_MODIFIER}{{0,8}}(?:(?:[ANGVPgn3DwoEpjv]-){{1,4}}[NG]|[NG])"


def compile_grammar(language: str) -> re.Pattern[bytes]:
    """Compile the patterns of a language; the name of the group that matched says what was found."""
    romance = has_trait(language, "adjectives_follow")
    # What each pattern can start with: it is looked at first, which makes the whole four times faster.
    rows = (
        ("title", "{<", TITLE),
        ("reference", "r", REFERENCE),
        ("lined", "03", r"(?<=\n)[03][.)]"),
        ("date", "WM3oF4iESHtc09", "|".join(DATES)),
        ("quantity", "Yy0349nm$", "|".join(QUANTITIES)),
        ("name", "PgBQDTvo", NAME),
        ("common", "ANGoVPgn3DwEpij", common_pattern(adjectives_after=romance)),
        ("number", "0349nmo", NUMBER),
        ("dem", "D", r"D(?:-D)?"),
        ("role", "RT", r"R{1,3}|T"),
        ("code", "k", "k"),
    )
    patterns = "|".join(f"(?P<{name}>(?=[{starts}])(?:{pattern}))" for name, starts, pattern in rows)
    every = "".join(sorted({char for _, starts, _ in rows for char in starts}))
    return re.compile(f"(?=[{every}])(?:{patterns})".encode("ascii"))


PATTERNS: Final = (
    "title", "reference", "lined", "date", "quantity", "name", "common", "number", "dem", "role", "code",
)  # fmt: skip
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
        if language in ("es", "pt"):
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


def find_list_relations(view: TypingColumns, first: Ints, last: Ints) -> tuple[Bools, Bools, Bools]:
    """Return which phrases continue a list from the one before, only stand behind its comma, or are its alias."""
    listed, alias = np.zeros(len(first), dtype=bool), np.zeros(len(first), dtype=bool)
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
    alias[1:] = near & (next_symbol == ord("(")) & ((between == 1) | is_in(second_symbol, "{<"))
    return listed, behind, alias
