"""Split a text into tokens, sentences and paragraphs, by array operations over code points.

Every rule is local to a paragraph (a blank line ends one), so that pieces cut at blank lines give what the whole
gives, and many documents can be cut as one text joined by blank lines.

What is known of a distinct word form (its shape, cues, rows of scores) is computed once and kept: a token then costs
one dictionary look-up. This is only a cache: results never depend on what it holds, and it forgets all when it has
grown too large.
"""

from __future__ import annotations

import threading
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from embanon.language import has_trait

Ints = NDArray[np.int32]
Bools = NDArray[np.bool_]

# Classes of characters. The order matters: WORD..MARK are what words are made of.
OTHER, SPACE, NEWLINE, LOWER, UPPER, LETTER, DIGIT, MARK = range(8)
APOSTROPHE, HYPHEN, PERIOD, COMMA, COLON, SLASH = range(8, 14)
TERMINAL, CLOSER, OPENER, IDEOGRAPH, PARAGRAPH, UNDERSCORE = range(14, 20)

_SPECIAL: Final = {
    "\n": NEWLINE, "\r": NEWLINE, "\x85": NEWLINE, "\u2028": NEWLINE, "\u2029": PARAGRAPH, "\x0b": NEWLINE,
    "\x0c": NEWLINE, "'": APOSTROPHE, "\u2019": APOSTROPHE, "\u02bc": APOSTROPHE, "-": HYPHEN, "\u2010": HYPHEN,
    "\u2011": HYPHEN, "\u00ad": MARK, "\u200d": MARK, "\u200c": MARK, ".": PERIOD, ",": COMMA, ":": COLON,
    "\u200b": SPACE, "/": SLASH, "!": TERMINAL, "?": TERMINAL, "\u2026": TERMINAL, "\u3002": TERMINAL,
    "\uff01": TERMINAL, "\uff1f": TERMINAL, "\u0964": TERMINAL, "\u061f": TERMINAL, "\u06d4": TERMINAL,
    '"': CLOSER, "_": UNDERSCORE,
}  # fmt: skip
_CATEGORY: Final = {
    "Ll": LOWER, "Lu": UPPER, "Lt": UPPER, "Lo": LETTER, "Lm": LETTER, "Nd": DIGIT, "Nl": LETTER, "Mn": MARK,
    "Mc": MARK, "Me": MARK, "Zs": SPACE, "Zl": NEWLINE, "Zp": PARAGRAPH, "Cc": SPACE, "Cf": SPACE, "Pe": CLOSER,
    "Pf": CLOSER, "Ps": OPENER, "Pi": OPENER,
}  # fmt: skip
# Scripts written without spaces: each run is cut into single characters, which phrases then join again.
UNSPACED_SCRIPTS: Final = (
    (0x0E00, 0x0EFF), (0x1000, 0x109F), (0x1780, 0x17FF), (0x2E80, 0x2FFF), (0x3005, 0x3007), (0x3040, 0x30FF),
    (0x3400, 0x4DBF), (0x4E00, 0x9FFF), (0xF900, 0xFAFF), (0x20000, 0x3FFFF),
)  # fmt: skip
_TABLE_SIZE: Final = 0x3000


def _character_classes(codes: NDArray[np.uint32]) -> NDArray[np.uint8]:
    """Return the classes of code points by their categories, but of those that have a class of their own."""
    categories = map(unicodedata.category, map(chr, codes.tolist()))
    classes = np.array([_CATEGORY.get(category, OTHER) for category in categories], dtype=np.uint8)
    for low, high in UNSPACED_SCRIPTS:
        classes[(low <= codes) & (codes <= high) & (classes == LETTER)] = IDEOGRAPH
    for char, kind in _SPECIAL.items():
        classes[codes == ord(char)] = kind
    return classes


_CLASS_OF_CODE_POINT: Final = _character_classes(np.arange(_TABLE_SIZE, dtype=np.uint32))


def classify_characters(text: str) -> tuple[NDArray[np.uint32], NDArray[np.uint8]]:
    """Return each character's code point and class."""
    codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype="<u4")
    classes = _CLASS_OF_CODE_POINT[np.minimum(codes, _TABLE_SIZE - 1)]
    high = np.flatnonzero(codes >= _TABLE_SIZE)
    if high.size:
        unique, inverse = np.unique(codes[high], return_inverse=True)
        classes[high] = _character_classes(unique)[inverse]
    returns = np.flatnonzero(codes[:-1] == 13)
    classes[returns[codes[returns + 1] == 10]] = SPACE  # CR LF is one line break
    return codes, classes


@dataclass(frozen=True, slots=True)
class Tokens:
    """Tokens in columns: their offsets, the words themselves, and what stands before each.

    `gap`: 0 nothing, 1 space, 2 soft line break, 3 hard line break, 4 paragraph break. `sentence`: whether one
    starts here. `first`: class of the first character.
    """

    start: Ints
    end: Ints
    words: list[str] = field(repr=False)
    gap: NDArray[np.int8]
    starts_sentence: Bools
    first: NDArray[np.uint8]

    def __len__(self) -> int:
        return len(self.words)


_IS_LETTER: Final = np.zeros(256, dtype=bool)
_IS_LETTER[[LOWER, UPPER, LETTER, MARK]] = True
_IS_WORD: Final = _IS_LETTER.copy()
_IS_WORD[DIGIT] = True
_IS_BLANK: Final = np.zeros(256, dtype=bool)
_IS_BLANK[[SPACE, NEWLINE, PARAGRAPH]] = True
_JOINS_DIGITS: Final = np.zeros(256, dtype=bool)
_JOINS_DIGITS[[PERIOD, COMMA, COLON, SLASH, APOSTROPHE]] = True
_IS_REPEATABLE: Final = np.zeros(256, dtype=bool)  # the same character again and again is one token: "...", "--", "!!!"
_IS_REPEATABLE[[PERIOD, HYPHEN, TERMINAL, OTHER, UNDERSCORE, APOSTROPHE]] = True


def shift(values: Bools, by: int) -> Bools:
    """Return for each item the one before it (1) or after it (-1); nothing at the ends."""
    result = np.zeros_like(values)
    if by > 0:
        result[1:] = values[:-1]
    else:
        result[:-1] = values[1:]
    return result


def _token_starts(codes: NDArray[np.uint32], classes: NDArray[np.uint8], *, split_hyphens: bool) -> Bools:
    """Return for each character whether a token starts there (blanks start none)."""
    padded = np.zeros(len(codes) + 3, dtype=np.uint8)  # one before, two after
    padded[1:-2] = classes
    padded[0] = padded[-1] = padded[-2] = SPACE
    before, here, after = padded[:-3], padded[1:-2], padded[2:-1]
    word = _IS_WORD[here]
    word_before = _IS_WORD[before]
    joined = word & word_before
    joined |= (here == MARK) & ~_IS_BLANK[before]  # a mark stays with what it marks, whatever that is
    joined[1:] |= _IS_REPEATABLE[here[1:]] & (codes[1:] == codes[:-1])
    joined |= (codes == ord("$")) & (before == UPPER)  # R$, US$
    # Glue inside words and numbers: a connector joins left and right if both neighbors are of its kind.
    letters, letters_before, letters_after = _IS_LETTER[here], _IS_LETTER[before], _IS_LETTER[after]
    digit_before, digit_after = before == DIGIT, after == DIGIT
    glue = _JOINS_DIGITS[here] & digit_before & digit_after
    glue |= (here == APOSTROPHE) & word_before & letters_after
    glue |= (here == UNDERSCORE) & word_before & _IS_WORD[after]
    # A period between letters: "U.S", "e.g", "site.com", but not "end.Next".
    glue |= (here == PERIOD) & letters_before & ((after == LOWER) | (after == LETTER))
    single = letters & ~word_before  # a letter that starts a word
    single_before = shift(single, 1)
    # Letters after "U." count as single too: "U.S.A": the letter right of a period that is right of a letter.
    dotted_before = shift((before == PERIOD) & letters & shift(letters_before, 1), 1)
    glue |= (here == PERIOD) & (single_before | dotted_before) & (after == UPPER)
    glue |= (here == PERIOD) & digit_before & shift((codes == 0xBA) | (codes == 0xAA), -1)  # 14.º
    if not split_hyphens:
        glue |= (here == HYPHEN) & word_before & letters_after
    joined |= glue | (shift(glue, 1) & word)
    joined |= shift((here == PERIOD) & digit_after & _IS_BLANK[before], 1)  # .225
    # The period of an initial or of a dotted abbreviation ("J.", "U.S.") stays with it, "I." apart.
    upper_single = shift((here == UPPER) & single & (codes != ord("I")), 1)
    # At the end of a line one letter is no initial: "Sex: M."
    line_ends = (after == NEWLINE) | (after == PARAGRAPH) | shift(codes == ord("\r"), -1)
    line_ends[-1:] = True
    joined |= (here == PERIOD) & ((upper_single & ~line_ends) | dotted_before) & (after != PERIOD)
    return ~joined & ~_IS_BLANK[here]


def _split_clitics(starts: Bools, codes: NDArray[np.uint32], classes: NDArray[np.uint8]) -> None:
    """Start a token at English 's 'd 'm 're 've 'll and n't (changes `starts`)."""
    places = np.flatnonzero(classes == APOSTROPHE)
    places = places[(places > 0) & (places < len(codes) - 1)]
    if not places.size:
        return
    places = places[_IS_WORD[classes[places - 1]] & ~starts[places + 1]]
    lower = np.full(len(codes) + 4, 32, dtype=np.uint32)
    lower[: len(codes)] = codes | 32  # ASCII letters lower-cased; others do not matter here
    word = np.zeros(len(codes) + 4, dtype=bool)
    word[: len(codes)] = _IS_WORD[classes]
    first, second, ends_first, ends_second = lower[places + 1], lower[places + 2], ~word[places + 2], ~word[places + 3]
    short = ends_first & np.isin(first, [ord("s"), ord("d"), ord("m")])
    is_re_or_ve = np.isin(first, [ord("r"), ord("v")]) & (second == ord("e"))
    long = ends_second & (is_re_or_ve | ((first == ord("l")) & (second == ord("l"))))
    starts[places[short | long]] = True
    nots = places[ends_first & (first == ord("t")) & (lower[places - 1] == ord("n")) & ~starts[places - 1]]
    starts[nots - 1] = True


Abbreviations = Mapping[str, bool | str]
BEFORE_NUMBER: Final = "number"
"""The value of an abbreviation that is one only before a number."""
UNLESS_NUMBER: Final = "unless number"
"""The value of one behind which a sentence may end, but not before a number."""
MIN_WRAPPED_LINE: Final = 40  # a shorter line than this was not broken because it was full


def _gaps(classes: NDArray[np.uint8], start: Ints, end: Ints, first: NDArray[np.uint8]) -> NDArray[np.int8]:
    """Return what stands before each token.

    A line break is soft if the next word would not have fitted on the line (by the longest line of the
    paragraph), or if a line that ends in no punctuation goes on in lower case.
    """
    size = len(start)
    gap = np.zeros(size, dtype=np.int8)
    gap[1:] = start[1:] > end[:-1]
    gap[0] = 4
    newline = np.flatnonzero(classes == NEWLINE)
    if newline.size:
        after = np.searchsorted(start, newline)  # the first token after each line break
        breaks = np.bincount(after[after < size], minlength=size)
        gap[(breaks == 1) & (gap < 3)] = 3
        gap[breaks > 1] = 4
    divider = np.searchsorted(start, np.flatnonzero(classes == PARAGRAPH))
    gap[divider[divider < size]] = 4
    opening = np.flatnonzero(gap >= 3)  # the first token of each line
    if opening.size == np.count_nonzero(gap == 4):
        return gap
    closing = np.append(opening[1:], size) - 1  # the last token of each line
    length = end[closing] - start[opening]
    paragraph = np.cumsum(gap[opening] == 4) - 1
    longest = np.maximum.reduceat(length, np.flatnonzero(gap[opening] == 4))[paragraph]
    line = np.flatnonzero(gap[opening] == 3)
    here, previous = opening[line], line - 1
    full = (length[previous] >= MIN_WRAPPED_LINE) & (length[previous] + 1 + end[here] - start[here] > longest[previous])
    goes_on = (first[here] == LOWER) & _IS_WORD[first[closing[previous]]]
    gap[here[full | goes_on]] = 2
    return gap


def _sentence_starts(tokens_gap: NDArray[np.int8], kind: NDArray[np.uint8], first: NDArray[np.uint8]) -> Bools:
    """Return where sentences start: after a terminal and what closes it, before a capital, a digit or a quote."""
    ends = kind == TERMINAL
    begins = tokens_gap >= 3
    closer = (first == CLOSER) | (first == APOSTROPHE)
    spaced = tokens_gap >= 1
    opens = ~np.isin(first, (LOWER, COMMA, COLON, PERIOD, TERMINAL, OTHER))
    after = shift(ends, 1)
    for _ in range(2):  # quotes and brackets that close the sentence: at most two
        after |= shift(after & closer & ~spaced, 1)
    return begins | (after & spaced & opens)


def _unspaced_sentence_starts(
    classes: NDArray[np.uint8], start: Ints, end: Ints, kind: NDArray[np.uint8], gap: NDArray[np.int8]
) -> Bools:
    """Return where sentences start although the space was forgotten: `a politician.Born in 1975`."""
    starts = np.zeros(len(start), dtype=bool)
    here = np.flatnonzero((kind[1:-1] == TERMINAL) & (gap[1:-1] == 0) & (gap[2:] == 0)) + 2
    before = classes[end[here - 2] - 1]
    word = (end[here - 2] - start[here - 2] > 2) & ((before == LOWER) | (before == DIGIT))
    here = here[(word | (before == CLOSER)) & (end[here] - start[here] > 1)]
    around = classes[start[here]] == UPPER
    starts[here[around & (classes[np.minimum(start[here] + 1, len(classes) - 1)] == LOWER)]] = True
    return starts


def _abbreviation_periods(
    text: str, start: Ints, end: Ints, first: NDArray[np.uint8], dots: NDArray[np.int64], known: Abbreviations
) -> tuple[NDArray[np.int64], Bools]:
    """Return the periods that belong to the abbreviation before them, and whether a sentence may end there."""
    dots = dots[_IS_LETTER[first[dots - 1]]]
    words = zip(start[dots - 1].tolist(), end[dots - 1].tolist(), strict=True)
    endings: list[bool | str | None] = [known.get(text[a:b]) if known else None for a, b in words]
    # Of an abbreviation that only counts before a number ("no. 5"), the number must follow.
    for place in [place for place, ending in enumerate(endings) if isinstance(ending, str)]:
        end_of_dot = int(end[dots[place] - 1]) + 1
        number = text[end_of_dot : end_of_dot + 4].lstrip(" \u00a0")[:1].isdigit()
        endings[place] = False if number else True if endings[place] is UNLESS_NUMBER else None
    which = np.array([ending is not None for ending in endings], dtype=bool)
    return dots[which], np.array([bool(ending) for ending in endings], dtype=bool)[which]


def tokenize(text: str, abbreviations: Abbreviations | None = None, language: str = "en") -> Tokens:
    """Cut a text into tokens.

    `abbreviations` keep their period (`Mr.`); the value says whether a sentence may end there (`etc.`), or that it
    is one only before a number (`no.`).
    English splits clitics and hyphens (as its treebanks do): `John|'s`, `low|-|budget`. German ordinals keep their
    period: `3. Mai`.
    """
    english = has_trait(language, "splits_words")
    codes, classes = classify_characters(text)
    starts = _token_starts(codes, classes, split_hyphens=english)
    if english:
        _split_clitics(starts, codes, classes)
    inside = ~_IS_BLANK[classes]
    last = np.ones(len(codes), dtype=bool)
    last[:-1] = starts[1:] | ~inside[1:]
    start = np.flatnonzero(starts).astype(np.int32)
    end = (np.flatnonzero(inside & last) + 1).astype(np.int32)
    if not len(start):
        none = np.zeros(0, dtype=np.int8)
        return Tokens(start, end, [], none, none.astype(bool), none.astype(np.uint8))
    first = classes[start]
    kind = np.where((first == PERIOD) | (first == TERMINAL), TERMINAL, 0).astype(np.uint8)
    dots = np.flatnonzero((first == PERIOD) & (end - start == 1))
    dots = dots[dots > 0]
    dots = dots[start[dots] == end[dots - 1]]
    # "I." is an initial behind a capitalized word: Mr I. Foighel; not so in "than I. He".
    initial = dots[(end[dots - 1] - start[dots - 1] == 1) & (codes[start[dots - 1]] == ord("I")) & (dots > 1)]
    initial = initial[(first[initial - 2] == UPPER) & (start[initial - 1] == end[initial - 2] + 1)]
    initial = initial[classes[end[initial - 2]] == SPACE]
    where, ending = _abbreviation_periods(text, start, end, first, dots, abbreviations or {})
    where, ending = np.append(where, initial), np.append(ending, np.zeros(len(initial), dtype=bool))
    if has_trait(language, "ordinal_periods"):
        ordinal = dots[(first[dots - 1] == DIGIT) & (end[dots - 1] - start[dots - 1] <= 2)]
        where, ending = np.append(where, ordinal), np.append(ending, np.zeros(len(ordinal), dtype=bool))
    if len(where):
        end[where - 1] += 1
        kind[where - 1] = np.where(ending, TERMINAL, 0)
        keep = np.ones(len(start), dtype=bool)
        keep[where] = False
        start, end, first, kind = start[keep], end[keep], first[keep], kind[keep]
    gap = _gaps(classes, start, end, first)
    words = [text[a:b] for a, b in zip(start.tolist(), end.tolist(), strict=True)]
    sentence = _sentence_starts(gap, kind, first) | _unspaced_sentence_starts(classes, start, end, kind, gap)
    return Tokens(start, end, words, gap, sentence, first)


FeatureFunction = Callable[[Sequence[str]], NDArray[Any]]

MAX_FORMS: Final = 60_000
"""Distinct forms that are kept."""
BATCH: Final = 1024


@dataclass(frozen=True, slots=True)
class TokenFeatures:
    """The numbers of the words asked for, and the columns that they index."""

    ids: NDArray[np.int64]
    columns: dict[str, NDArray[Any]] = field(repr=False)

    def per_token(self, column: str, name: str = "") -> NDArray[Any]:
        """Return a column for each of the words, or one field of it."""
        values = self.columns[column]
        return (values[name] if name else values)[self.ids]


class WordFormCache:
    """Columns of facts about word forms. The first form is the empty one, number 0."""

    def __init__(self, columns: dict[str, FeatureFunction]) -> None:
        self._make = columns
        self._lock = threading.Lock()
        self._clear()

    def __getstate__(self) -> dict[str, Any]:
        return {"columns": self._make}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__init__(**state)  # type: ignore[misc]

    def _clear(self) -> None:
        self._ids: dict[str, int] = {"": 0}
        self._columns = {name: make([""]) for name, make in self._make.items()}

    def _add_words(self, words: Sequence[str]) -> None:
        if len(self._ids) > MAX_FORMS:
            self._clear()
        new = list(dict.fromkeys(word for word in words if word not in self._ids))
        first, needed = len(self._ids), len(self._ids) + len(new)
        for name, column in self._columns.items():
            if needed > len(column):  # grow by doubling; readers keep the old array, whose rows stay right
                grown = np.zeros((max(needed, 2 * len(column)), *column.shape[1:]), column.dtype)
                grown[:first] = column[:first]
                self._columns[name] = column = grown
            for low in range(0, len(new), BATCH):
                batch = new[low : low + BATCH]
                column[first + low : first + low + len(batch)] = self._make[name](batch)
        self._ids.update(zip(new, range(first, needed), strict=True))

    def look_up(self, words: Sequence[str]) -> TokenFeatures:
        """Number the words, learning those that are new."""
        with self._lock:
            ids = list(map(self._ids.get, words))
            if None in ids:
                self._add_words(words)
                ids = list(map(self._ids.get, words))
            return TokenFeatures(np.array(ids, dtype=np.int64), dict(self._columns))
