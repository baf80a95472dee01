"""Check what a language model made of a sentence: it may mend the joints of what was put in, and nothing else.

The joints are the articles in a replacement and right before it, and the prepositions that are one word with them. An
article may take another form: a before a vowel is an, el before a feminine la, mit ein mit einem. It may come where a
replacement has none, as *hat Krankheit*. None goes, turns definite or plural, or has a case that its preposition had
already: all that may say something else.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from itertools import pairwise
from typing import Final

from embanon.language import noun_gender

TOKEN: Final = re.compile(r"\[[^\[\]]*\]|[^\W_]+(?:[-'’.,/:][^\W_]+)*|[^\w\s]|_")
MAX_CHANGED: Final = 3
"""Tokens that may come, and that may go, at one place."""
ARTICLES: Final[Mapping[str, Mapping[str, str]]] = {
    language: {form: row.split()[0] for row in rows.split("|") for form in row.split()}
    for language, rows in {
        "en": "a an",
        "es": "el la|los las|un una|unos unas",
        "pt": "o|os as|um uma|uns umas",
        "de": "der die das den dem|ein eine einen einem einer",
    }.items()
}
"""The forms of articles -> the first of those that say the same."""
GENDERS: Final[Mapping[str, str]] = {
    form: gender
    for gender, forms in {"m": "el los un unos o os um uns", "f": "la las una unas as uma umas"}.items()
    for form in forms.split()
}
JOINED: Final[Mapping[str, Mapping[str, str]]] = {
    "en": {},
    "es": {"al": "a el", "del": "de el"},
    "pt": {
        "no": "em o", "nos": "em os", "nas": "em as", "num": "em um", "numa": "em uma", "do": "de o", "dos": "de os",
        "das": "de as", "ao": "a o", "aos": "a os",
    },
    "de": {
        "im": "in dem", "ins": "in das", "am": "an dem", "ans": "an das", "zum": "zu dem", "zur": "zu der",
        "vom": "von dem", "beim": "bei dem",
    },
}  # fmt: skip
"""Prepositions with an article -> both."""
CASES: Final[Mapping[str, frozenset[str]]] = {
    **dict.fromkeys("aus bei mit nach von zu".split(), frozenset("dem der den einem einer".split())),
    **dict.fromkeys("durch gegen ohne".split(), frozenset("den die das einen eine ein".split())),
}
"""German prepositions with one case -> the articles in it."""

INDEFINITE: Final = frozenset("a an un una um uma ein eine einen einem einer".split())
HOLDING: Final = frozenset(
    """no not never none neither nor few little any all every each some many much several most half only both one and or
    on at to in by of as no nunca ni pocos pocas poco poca cada todo toda todos todas y e o u en de a como não nem pouco
    pouca poucos poucas ou em nicht kein keine keinen keinem keiner nie wenig wenige jeder jede jedes alle und oder
    als""".split()
)
"""Words behind which an article that comes says something else: few workers, on trial."""

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
    old, new = [token[0] for token in first], [token[0] for token in second]
    for tag, low, high, begin, end in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if tag == "equal":
            same = _gaps(before, first[low:high]) == _gaps(after, second[begin:end])
        elif low == high:
            starts = low in inside and low - 1 not in inside
            same = starts and _may_come(new[begin:end], old[low - 1 : low], old[low], language)
        else:
            is_near = begin < end and near.issuperset(range(low, high))
            ahead = old[low - 1].lower() if low else ""
            follows = old[high] if high < len(old) else ""
            same = is_near and _is_joint(old[low:high], new[begin:end], ahead, follows, language)
        if not same:
            return False
    return _is_spaced(after, second) or _gaps(before, first) == _gaps(after, second)


def _is_joint(old: Sequence[str], new: Sequence[str], ahead: str, follows: str, language: str) -> bool:
    """Return whether tokens between two others are articles of the same kind, with their prepositions."""
    if max(len(old), len(new)) > MAX_CHANGED or old[:1] == new[:1]:
        return False
    apart = [list(_taken_apart(words, language)) for words in (old, new)]
    if len(apart[0]) != len(apart[1]):
        return False
    kinds = ARTICLES[language]
    for place, (article, other) in enumerate(zip(*apart, strict=True)):
        if article == other:
            continue
        if article not in kinds or kinds.get(other) != kinds[article]:
            return False
        preposition = apart[0][place - 1] if place else ahead
        if language == "de" and (article in CASES.get(preposition, {article}) or other not in CASES[preposition]):
            return False
        if language in ("es", "pt") and noun_gender(follows.lower(), language) != GENDERS[other]:
            return False
    return True


def _may_come(new: Sequence[str], ahead: Sequence[str], follows: str, language: str) -> bool:
    """Return whether what comes between two tokens is an indefinite article that was missing."""
    if len(new) != 1 or new[0] not in INDEFINITE or new[0] not in ARTICLES[language]:
        return False
    before = ahead[0].lower() if ahead else ""
    is_held = not before.isalpha() or before in HOLDING or before in ARTICLES[language] or before in JOINED[language]
    agrees = language not in ("es", "pt") or noun_gender(follows, language) == GENDERS[new[0]]
    return not is_held and agrees and follows[:1].isalpha()


def _taken_apart(words: Sequence[str], language: str) -> Iterator[str]:
    """Yield words in small letters, of prepositions with an article both."""
    for word in map(str.lower, words):
        yield from JOINED[language].get(word, word).split()


def without_joints(phrase: str, language: str) -> str:
    """Return a phrase without articles and the prepositions that are one word with them."""
    words = (word for word in phrase.split() if word not in ARTICLES.get(language, ()))
    return " ".join(JOINED[language].get(word, word).split()[0] if language in JOINED else word for word in words)


def _gaps(text: str, tokens: Sequence[re.Match[str]]) -> list[str]:
    """Return what stands between tokens that follow each other."""
    return [text[one.end() : other.start()] for one, other in pairwise(tokens)]


def _is_spaced(text: str, tokens: Sequence[re.Match[str]]) -> bool:
    """Return whether nothing stands around tokens, and between them nothing or a space."""
    return (
        bool(tokens)
        and tokens[0].start() == 0
        and tokens[-1].end() == len(text)
        and set(_gaps(text, tokens)) <= {"", " "}
    )
