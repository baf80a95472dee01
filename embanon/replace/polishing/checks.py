"""Check what a language model made of a sentence: it may mend the joints of what was put in, and nothing else.

The joints are the articles and prepositions in a replacement and right before it. Articles may change, come or go, and
prepositions take another form; none comes, goes or becomes another one, as they say where, whose and to whom. A German
article may change behind a preposition only: elsewhere its case says who did what. All else must be as it was.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from difflib import SequenceMatcher
from itertools import pairwise
from typing import Final

TOKEN: Final = re.compile(r"\[[^\[\]]*\]|[^\W_]+(?:[-'’.,/:][^\W_]+)*|[^\w\s]|_")
MAX_CHANGED: Final = 3
"""Tokens that may come, and that may go, at one place."""
ARTICLES: Final[Mapping[str, frozenset[str]]] = {
    "en": frozenset("a an the".split()),
    "es": frozenset("el la los las un una unos unas".split()),
    "pt": frozenset("o os as um uma uns umas".split()),
    "de": frozenset("der die das den dem des ein eine einen einem einer eines".split()),
}
FORMS: Final[Mapping[str, Mapping[str, str]]] = {
    language: {form: row.split()[0] for row in rows.split("|") for form in row.split()}
    for language, rows in {
        "en": "in at on",
        "es": "a al|de del|en",
        "pt": "em no na nos nas num numa|de do da dos das|ao à aos às",
        "de": "in im ins|an am ans|zu zum zur|von vom|bei beim|auf|aus|mit|nach|seit|für|gegen|durch|um|über|unter|vor",
    }.items()
}
"""The forms of prepositions, with and without articles -> the preposition; English ones for places are one."""
HOLDING: Final = frozenset(
    """no not never none neither nor few little any all every each some many much several most half only both
    no nunca ni pocos pocas poco poca cada todo toda todos todas não nem pouco pouca poucos poucas
    nicht kein keine keinen keinem keiner nie wenig wenige jeder jede jedes alle""".split()
)
"""Words beside which an article that comes or goes says something else: few workers, a few workers."""

Span = tuple[int, int]


def is_mended(before: str, after: str, replaced: Sequence[Span], language: str) -> bool:
    """Return whether the second sentence is the first, but for the joints of what was put in at some places."""
    if not after or after == before or not after.isprintable() or language not in ARTICLES:
        return False
    first, second = list(TOKEN.finditer(before)), list(TOKEN.finditer(after))
    inside = {
        place for start, end in replaced for place, token in enumerate(first)
        if token.end() > start and token.start() < end
    }  # fmt: skip
    near = inside | {place - 1 for place in inside}
    old, new = [token[0].lower() for token in first], [token[0].lower() for token in second]
    for tag, low, high, begin, end in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        is_near = near.issuperset(range(low, high)) and (low < high or low in inside or low in near)
        beside = (old[low - 1] if low else "", old[high] if high < len(old) else "")
        if tag != "equal" and not (is_near and _is_joint(old[low:high], new[begin:end], beside, language)):
            return False
    return _same_case(first, second) and _same_gaps(before, first, after, second)


def without_joints(phrase: str, language: str) -> str:
    """Return a phrase without articles and prepositions."""
    joints = (ARTICLES.get(language, ()), FORMS.get(language, ()))
    return " ".join(word for word in phrase.split() if not any(word in words for words in joints))


def _is_joint(old: Sequence[str], new: Sequence[str], beside: tuple[str, str], language: str) -> bool:
    """Return whether tokens between two others differ in articles and in forms of their prepositions alone."""
    if max(len(old), len(new)) > MAX_CHANGED:
        return False
    articles, forms = ARTICLES[language], FORMS[language]
    if any(word not in articles and word not in forms for word in (*old, *new)):
        return False
    if [forms[word] for word in old if word in forms] != [forms[word] for word in new if word in forms]:
        return False
    if language == "de" and beside[0] not in forms and not (old and new and old[0] in forms and new[0] in forms):
        return False
    counts = [sum(word in articles for word in words) for words in (old, new)]
    return counts[0] == counts[1] or HOLDING.isdisjoint(beside)


def _same_case(first: Sequence[re.Match[str]], second: Sequence[re.Match[str]]) -> bool:
    """Return whether every word has its capitals, but at the begin of the sentence."""
    old, new = ([token[0] for token in tokens[1:] if token[0] != token[0].lower()] for tokens in (first, second))
    opens = first[0][0] if first else ""
    return old == new or [opens, *old] == new or old == [second[0][0], *new]


def _same_gaps(before: str, first: Sequence[re.Match[str]], after: str, second: Sequence[re.Match[str]]) -> bool:
    """Return whether there is nothing between tokens but single spaces, where that was so before."""
    gaps = {after[one.end() : other.start()] for one, other in pairwise(second)}
    known = {before[one.end() : other.start()] for one, other in pairwise(first)}
    ends = after[: second[0].start()] + after[second[-1].end() :] if second else after
    return gaps <= known | {"", " "} and not ends
