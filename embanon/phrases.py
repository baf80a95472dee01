"""Find the phrases of a text: useful units to mask, minimal, with exact offsets."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from embanon.forms import Found
from embanon.grammar import TITLE_PATTERN, Cut, compile_grammar
from embanon.lexicon import Cue, Lexicon
from embanon.statistics import Statistics
from embanon.tokens import UPPER, Tokens

_OF: Final = {
    "en": {"of"}, "es": {"de", "del"}, "pt": {"de", "do", "da", "dos", "das"}, "de": {"von", "vom"},
}  # fmt: skip
_AND: Final = {"en": {"and"}, "es": {"y", "e"}, "pt": {"e"}, "de": {"und"}}

# Punctuation and marks whose symbol is told by the form alone.
_MARKS: Final = {
    ",": ",", "(": "(", ")": ")", "[": "(", "]": ")", ":": ":", "/": "/", ".": ".", "%": "%", "#": "#", "§": "r",
    "§§": "r", "$": "$", "£": "$", "€": "$", "¥": "$", "US$": "$", "R$": "$", "&": "&", "-": "-", "\u2010": "-",
    "\u2011": "-", "\u2013": "~", "\u2014": "~", "--": "~", "'s": "'", "\u2019s": "'", "'": "'", "\u2019": "'",
    '"': '"', "\u201c": '"', "\u201d": '"', "\u201e": '"', "\u00ab": '"', "\u00bb": '"', "\u2018": "`",
    "%": "%", "°": "u", "''": '"', "``": '"', "№": "#",
}  # fmt: skip

# Shapes of numbers, the first that fits.
_NUMBERS: Final = tuple(
    (re.compile(pattern), symbol)
    for pattern, symbol in (
        (r"(?:1[5-9]|20)\d\d", "4"),
        (r"0?[1-9]|[12]\d|3[01]", "3"),
        (r"\d+", "0"),
        (r"(?:0?[1-9]|[12]\d|3[01])[/.](?:0?[1-9]|1[0-2])[/.](?:\d\d){1,2}", "F"),
        (r"(?:0?[1-9]|1[0-2])/(?:0?[1-9]|[12]\d|3[01])/(?:\d\d){1,2}", "F"),
        (r"(?:1[5-9]|20)\d\d[/.](?:0?[1-9]|1[0-2])[/.](?:0?[1-9]|[12]\d|3[01])", "F"),
        (r"(?:[01]?\d|2[0-4])[:h][0-5]\d(?::[0-5]\d)?h?", "H"),
        (r"\d{1,3}[/]\d{1,3}|\d{4}/\d\d?", "9"),
        (r"\d[\d.,'\u2019]*", "9"),
        (r"(?:(?:1[5-9]|20)\d)?0['\u2019]?s|(?:1[5-9]|20)?\d0er(?:n|jahre[n]?)?", "E"),
        (r"\d+(?:st|nd|rd|th|er|º|ª|°|\.º|\.ª)", "o"),
        (r"\d+(?:[.,]\d+)?(?:km|kg|mg|cm|mm|ml|m|g|k|bn|mph|kHz|MHz|GB|MB)", "9"),
    )
)

_CUES: Final = (
    (Cue.MONTH, "M"), (Cue.WEEKDAY, "W"), (Cue.DECADE, "E"), (Cue.ERA, "c"), (Cue.SCALE, "m"),
    (Cue.NUMBER_WORD, "n"), (Cue.ORDINAL_WORD, "o"), (Cue.TIME_UNIT, "t"), (Cue.DAYPART, "h"), (Cue.SEASON, "S"),
    (Cue.TIME_MODIFIER, "i"), (Cue.AGE, "y"), (Cue.REFERENCE, "r"), (Cue.NUMBER_MARK, "#"),
    (Cue.SUFFIX_NAME, "x"), (Cue.TITLE, "T"), (Cue.NATIONALITY | Cue.DEM, "D"),
)  # fmt: skip
_NAMES: Final = int(Cue.GIVEN_NAME | Cue.SURNAME | Cue.CITY | Cue.COUNTRY | Cue.REGION | Cue.CONTINENT)


def symbol(word: str, flags: int, language: str) -> int:
    """Give the symbol that the form alone suggests; `w` where the tag and the sentence decide."""
    mark = _MARKS.get(word)
    if mark is not None:
        return ord(mark)
    if word[:1].isdigit() or word[1:2].isdigit():
        for pattern, name in _NUMBERS:
            if pattern.fullmatch(word):
                return ord(name)
        return ord("k") if any(map(str.isalnum, word)) else ord("!")
    if word[:1].isupper() and (word[1:] == "." or len(word) == 1 and word not in "AIEYO"):
        return ord("I")  # an initial
    lower = word.lower()
    if lower in _OF.get(language, ()):
        return ord("f")
    if lower in _AND.get(language, ()):
        return ord("a")
    for cue, name in _CUES:
        if flags & cue and (name not in "Tx" or word[:1].isupper()):
            return ord(name)
    if flags & (Cue.UNIT | Cue.CURRENCY):
        return ord("$" if flags & Cue.CURRENCY else "u")
    if flags & Cue.DETERMINER:
        return ord("d")
    if flags & Cue.PARTICLE and not flags & Cue.STOP and word[:1].islower():
        return ord("v")
    if flags & Cue.CONNECTOR:
        return ord("p")
    if not any(map(str.isalpha, word)):
        return ord("!")
    return ord("w")


def _is_in(symbols: NDArray[np.uint8], members: str) -> NDArray[np.bool_]:
    table = np.zeros(256, dtype=bool)
    table[[ord(char) for char in members]] = True
    return table[symbols]


def _shift(values: NDArray[Any], by: int, fill: int = 0) -> NDArray[Any]:
    """Move a column so that each place sees its neighbor at `by`."""
    result = np.full_like(values, fill)
    if by > 0:
        result[:-by] = values[by:]
    else:
        result[-by:] = values[:by]
    return result


@dataclass(frozen=True, slots=True)
class Cutter:
    """Cut tagged tokens of one language into phrases."""

    language: str
    tags: tuple[str, ...]
    grammar: re.Pattern[bytes] = field(repr=False)
    tag_symbols: NDArray[np.uint8] = field(repr=False)
    function_tags: NDArray[np.bool_] = field(repr=False)

    @classmethod
    def of(cls, language: str, tags: tuple[str, ...]) -> Cutter:
        """Prepare for a language and the tag set of its tagger."""
        names = {"NOUN": "N", "PROPN": "P", "ADJ": "A", "VERB": "V", "NUM": "n", "ADP": "p", "DET": "d"}
        symbols = [ord(names.get(tag.split("+")[0], "w")) for tag in tags]
        function = [
            tag.split("+")[0] in {"DET", "ADP", "CCONJ", "SCONJ", "PRON", "AUX", "PART"} for tag in tags
        ]
        return cls(language, tags, compile_grammar(language), np.array(symbols, np.uint8), np.array(function))

    def symbols(
        self, tokens: Tokens, found: Found, tags: NDArray[np.uint8], statistics: Statistics
    ) -> NDArray[np.uint8]:
        """Give each token its symbol."""
        size = len(tokens)
        ids = found.ids
        symbols: NDArray[np.uint8] = found.columns["symbol"][ids].copy()
        flags: NDArray[np.int64] = found.columns["flags"][ids]
        capital = tokens.first == UPPER
        gap = tokens.gap
        gap_after = _shift(gap, 1, 1)
        begins = tokens.sentence.copy()
        # After an opening quote or bracket at a sentence's start, the next word starts it too.
        opener = _is_in(symbols, '"`(-~!')
        begins |= _shift(begins & opener, -1)
        by_tag = self.tag_symbols[tags]
        word = _is_in(symbols, "w")
        # A sentence in capitals says nothing by its capitals.
        starts = np.flatnonzero(tokens.sentence)
        alphabetic = word | _is_in(symbols, "fapdTvDMWtuyr")
        counts = np.add.reduceat(alphabetic.astype(np.int32), starts)
        upper = found.columns["upper"][ids] & alphabetic
        shouted = np.add.reduceat(upper.astype(np.int32), starts) * 10 > counts * 7
        silent = np.add.reduceat((capital & alphabetic).astype(np.int32), starts) == 0
        which = np.cumsum(tokens.sentence) - 1
        shouted, silent = shouted[which], silent[which]
        # Marks that need their neighbors.
        quote = _is_in(symbols, '"`')
        opens = (
            (gap > 0) & (gap_after == 0)
            | (_is_in(_shift(symbols, -1), "(-~{") & (gap_after == 0))
            | tokens.sentence
        )
        single = _is_in(symbols, "`") | (_is_in(symbols, "'") & (gap > 0) & (gap_after == 0))
        symbols[quote & opens] = ord("{")
        symbols[quote & ~opens] = ord("}")
        symbols[single] = ord("<")
        hyphen = _is_in(symbols, "-")
        symbols[hyphen & ((gap > 0) | (gap_after > 0))] = ord("~")
        initial = _is_in(symbols, "I")
        # Words whose cue needs a context they do not have are ordinary words.
        before, after = _shift(symbols, -1, 10), _shift(symbols, 1, 10)
        numeric_before = _is_in(before, "0349nmE-$/")
        weak = _is_in(symbols, "tu") & ~numeric_before
        weak |= _is_in(symbols, "$") & ~_is_in(before, "0349nmf") & ~_is_in(after, "0349nm")
        weak |= _is_in(symbols, "y") & ~(numeric_before | _is_in(before, "t")) & ~_is_in(after, "0349nmfp")
        weak |= _is_in(symbols, "r") & ~_is_in(after, "0349k(#rnx.") & ~_is_in(_shift(symbols, 1, 10), "P")
        weak |= _is_in(symbols, "i") & ~_is_in(after, "SE4cMo-d3")
        weak |= _is_in(symbols, "#") & ~_is_in(after, "0349k.")
        weak |= _is_in(symbols, "m") & ~_is_in(before, "0349nm$-")
        weak |= _is_in(symbols, "M") & (self._tagged(tags, "AUX", "VERB")) & ~_is_in(after, "34,f")
        weak |= _is_in(symbols, "Sh") & self._tagged(tags, "VERB", "ADJ", "ADV")
        weak |= _is_in(symbols, "n") & self._tagged(tags, "PRON", "DET") & ~capital
        weak |= _is_in(symbols, "x") & ~_is_in(before, "wP,")
        weak |= _is_in(symbols, "D") & self._tagged(tags, "VERB", "ADV")
        named = capital & ~begins & (_shift(capital & ~begins, -1) & (gap == 1) | _shift(capital, 1) & (gap_after == 1))
        weak |= _is_in(symbols, "SnorhtcE") & named & ~_is_in(after, "4(0c")  # Fantastic Four, Part II, Fourth Section
        symbols[weak] = ord("w")
        word |= weak
        symbols[word] = by_tag[word]
        # Proper names.
        function = self.function_tags[tags] & ~(flags & _NAMES > 0)
        if self.language == "de":
            proper = word & capital & (by_tag == ord("P"))
        else:
            proper = word & capital & ~function
            common = begins & ~(by_tag == ord("P"))
            common &= ~((flags & _NAMES > 0) & (flags & int(Cue.AMBIGUOUS | Cue.STOP) == 0))
            proper &= ~common
            title = word & capital & function & ~begins
            title |= _is_in(symbols, "fapd") & capital & ~begins
            symbols[title & ~shouted] = ord("Q")
        if statistics.capital:
            self._initials(tokens, begins & word & capital, proper, statistics)
        proper = np.where(shouted, word & (by_tag == ord("P")), proper)
        proper |= silent & (by_tag == ord("P")) & word
        symbols[word & (symbols == ord("P"))] = ord("N")
        symbols[proper | initial] = ord("P")
        symbols[
            proper
            & (flags & int(Cue.GIVEN_NAME) > 0)
            & (flags & int(Cue.ORG_HEAD | Cue.CITY | Cue.COUNTRY) == 0)
        ] = ord("g")
        # Titles stand before names; alone they are nouns, or part of a name ("Secretary of State").
        title = _is_in(symbols, "T")
        follows = _is_in(_shift(symbols, 1, 10), "PgTvQ")
        symbols[title & ~follows & (begins | ~capital)] = ord("N")
        symbols[title & ~follows & ~begins & capital] = ord("B")
        assert len(symbols) == size
        return symbols

    def _tagged(self, tags: NDArray[np.uint8], *names: str) -> NDArray[np.bool_]:
        return np.isin(tags, [number for number, tag in enumerate(self.tags) if tag.split("+")[0] in names])

    @staticmethod
    def _initials(
        tokens: Tokens, places: NDArray[np.bool_], proper: NDArray[np.bool_], statistics: Statistics
    ) -> None:
        """Decide by the corpus which words that start a sentence are proper (changes `proper`)."""
        words, capital = tokens.words, statistics.capital
        for place in np.flatnonzero(places).tolist():
            ratio = capital.get(words[place].lower())
            if ratio is not None:
                proper[place] = ratio >= 0.5

    def cut(self, tokens: Tokens, symbols: NDArray[np.uint8]) -> Cut:
        """Match the grammar."""
        breaks = tokens.sentence | (tokens.gap >= 3)
        places = np.arange(len(tokens)) + np.cumsum(breaks)
        line = np.full(len(tokens) + int(breaks.sum()) + 1, ord("|"), dtype=np.uint8)
        line[places[tokens.gap >= 3] - 1] = ord("\n")
        line[places] = symbols
        owner = np.full(len(line) + 1, len(tokens), dtype=np.int64)
        owner[places] = np.arange(len(tokens))
        spans = [(m.start(), m.end(), m.lastindex) for m in self.grammar.finditer(line.tobytes())]
        if not spans:
            none = np.zeros(0, dtype=np.int64)
            return Cut(none, none, none.astype(np.uint8), symbols)
        start, end, pattern = np.array(spans, dtype=np.int64).T
        quoted = pattern - 1 == TITLE_PATTERN  # the quotes stay outside
        return Cut(owner[start] + quoted, owner[end - 1] + 1 - quoted, (pattern - 1).astype(np.uint8), symbols)


def word_columns(language: str, lexicon: Lexicon) -> dict[str, Any]:
    """Give the columns of forms that phrases read."""

    def flags(words: Sequence[str]) -> NDArray[np.int64]:
        return lexicon.flags_many(words)

    def symbols(words: Sequence[str]) -> NDArray[np.uint8]:
        return np.array([symbol(word, lexicon.flags(word), language) for word in words], dtype=np.uint8)

    def upper(words: Sequence[str]) -> NDArray[np.bool_]:
        return np.array([word.isupper() and len(word) > 1 for word in words], dtype=bool)

    return {"flags": flags, "symbol": symbols, "upper": upper}
