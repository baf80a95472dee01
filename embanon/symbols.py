"""What a word form is for the grammar, whatever its context: one symbol, by tables."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from embanon.language.lexicon import Cue, Lexicon

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
    "°": "u", "''": '"', "``": '"', "№": "#",
}  # fmt: skip

# Shapes of numbers, the first that fits.
_NUMBERS: Final = tuple(
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
    if word[:1].isupper() and (word[1:] == "." or (len(word) == 1 and word not in "AIEYO")):
        return ord("I")  # an initial
    lower = word.lower()
    if lower in _OF.get(language, ()):
        return ord("f")
    if lower in _AND.get(language, ()):
        return ord("a")
    if flags & _EVERY_CUE:
        case = "upper" if word[:1].isupper() else "lower" if word[:1].islower() else ""
        for cue, without, needed, said in _CUES:
            if flags & cue and not flags & without and (not needed or needed == case):
                return said
    if not any(map(str.isalpha, word)):
        return ord("!")
    return ord("w")


FACTS: Final = np.dtype([("flags", np.int64), ("symbol", np.uint8), ("upper", np.bool_)])


def facts(words: Sequence[str], lexicon: Lexicon) -> NDArray[Any]:
    """Give what phrases read of forms: their cues, their symbol, and whether they are in capitals."""
    flags = list(map(lexicon.flags, words))
    rows = [
        (bits, symbol(word, bits, lexicon.language), len(word) > 1 and word.isupper())
        for word, bits in zip(words, flags, strict=True)
    ]
    return np.array(rows, dtype=FACTS)
