"""Check what a language model made of a sentence: it may mend the joints of what was put in, and nothing else.

In a replacement and right beside it, articles and prepositions that carry no more than grammar may change, come or go,
commas as well, and a word may have another ending. All else, and everything with a digit or in brackets, must be as it
was: an article further off may say who did what.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from difflib import SequenceMatcher
from itertools import pairwise
from typing import Final

from embanon.language import Cue, Lemmatizer, Lexicon

TOKEN: Final = re.compile(r"\[[^\[\]]*\]|[^\W_]+(?:[-'’.,/:][^\W_]+)*|[^\w\s]|_")
REACH: Final = 1
"""Tokens on either side of a replacement that may change."""
MAX_CHANGED: Final = 3
"""Tokens that may come, and that may go, at one place."""
GRAMMATICAL: Final[Mapping[str, frozenset[str]]] = {
    "en": frozenset("a an the in at on of to".split()),
    "es": frozenset("el la los las un una unos unas en a de al del".split()),
    "pt": frozenset("o a os as um uma uns umas em de ao à aos às do da dos das no na nos nas num numa".split()),
    "de": frozenset(
        """der die das den dem des ein eine einen einem einer eines in im ins an am ans auf zu zum zur von vom bei
        beim""".split()
    ),
}
"""Words that may change beside a replacement: they say no more than how it is joined."""
COMMA: Final = ","
FIXED: Final = int(
    Cue.STOP | Cue.PRONOUN | Cue.DETERMINER | Cue.CONNECTOR | Cue.NUMBER_WORD | Cue.ORDINAL_WORD | Cue.MONTH
    | Cue.WEEKDAY | Cue.TITLE | Cue.KIN
)  # fmt: skip
"""Words that have no other ending: he is not she, may not must."""

Span = tuple[int, int]


def is_mended(before: str, after: str, replaced: Sequence[Span], language: str) -> bool:
    """Return whether the second sentence is the first, but for the joints of what was put in at some places."""
    if not after or after == before or not after.isprintable() or language not in GRAMMATICAL:
        return False
    first, second = list(TOKEN.finditer(before)), list(TOKEN.finditer(after))
    near = {
        place for start, end in replaced for place, token in enumerate(first)
        if token.end() > start and token.start() < end
    }  # fmt: skip
    near = {other for place in near for other in range(place - REACH, place + REACH + 1)}
    old, new = [token[0] for token in first], [token[0] for token in second]
    for tag, low, high, begin, end in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        is_near = bool(near.intersection(range(low, max(high, low + 1)))) or (low == high and low - 1 in near)
        if tag != "equal" and not (is_near and _is_joint(old[low:high], new[begin:end], language, opens=low == 0)):
            return False
    return _same_gaps(before, first, after, second)


def _is_joint(old: Sequence[str], new: Sequence[str], language: str, *, opens: bool) -> bool:
    """Return whether tokens differ in grammar alone."""
    if max(len(old), len(new)) > MAX_CHANGED:
        return False
    words = GRAMMATICAL[language]
    rest = [[word for word in tokens if word.lower() not in words and word != COMMA] for tokens in (old, new)]
    if len(rest[0]) != len(rest[1]):
        return False
    pairs = list(zip(*rest, strict=True))
    if opens and pairs and pairs[0][0] != pairs[0][1] and pairs[0][0].lower() == pairs[0][1].lower():
        pairs = pairs[1:]  # a capital that came or went at the begin of the sentence
    return all(one == other or _is_other_ending(one, other, language) for one, other in pairs)


def _is_other_ending(word: str, other: str, language: str) -> bool:
    """Return whether two words are forms of one that may change beside what was put in."""
    if not (word.isalpha() and other.isalpha()) or word[:1].isupper() != other[:1].isupper():
        return False
    flags = Lexicon.load(language).flags
    if (flags(word.lower()) | flags(other.lower())) & FIXED:
        return False
    lemmas = Lemmatizer.load(language).lemmas
    return not {*lemmas(word), *lemmas(word.lower())}.isdisjoint((*lemmas(other), *lemmas(other.lower())))


def _same_gaps(before: str, first: Sequence[re.Match[str]], after: str, second: Sequence[re.Match[str]]) -> bool:
    """Return whether there is nothing between tokens but single spaces, where that was so before."""
    gaps = {after[one.end() : other.start()] for one, other in pairwise(second)}
    known = {before[one.end() : other.start()] for one, other in pairwise(first)}
    ends = after[: second[0].start()] + after[second[-1].end() :] if second else after
    return gaps <= known | {"", " "} and not ends
