"""Group the names of a text that mean the same: spellings, short forms, acronyms, reversed names."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Final

from embanon.language import Frequencies, key, spelling_variant

ARTICLES: Final = frozenset("the a an el la los las o os as der die das il le les".split())
FUNCTION_WORDS: Final = ARTICLES | frozenset(
    "of de del da do das dos di du der des von van and y e und et for für para & at in on".split()
)
ACRONYM: Final = re.compile(r"(?:[^\W\d_a-z]\.?){2,8}")
SHORTENABLE_TYPES: Final = frozenset(("PERSON", "ORG", "MISC"))
"""Types whose names are cut short: New York is not short for New York Harbor."""
ACRONYM_TYPES: Final = frozenset(("ORG", "MISC", "LOC", "CODE"))
"""Types that acronyms may stand for, whichever of them they are given themselves."""

COMMON_WORD_SHARE: Final = 5e-5
"""The share of words from which one is too common to be short for a name by itself: Benefits for Benefits Agency."""

Words = tuple[str, ...]


@lru_cache(maxsize=65_536)
def words_of_name(name: str) -> Words:
    """Return the words of a name as they are compared: no accents, signs, possessive or article."""
    words = tuple(spelling_variant(key(name), str).split())
    return words[1:] if len(words) > 1 and words[0] in ARTICLES else words


@lru_cache(maxsize=65_536)
def possible_acronyms(name: str) -> frozenset[str]:
    """Return the acronyms that a name of several words may have: with its small words, and without."""
    parts = re.split(r"[\s/,]+|-(?=[^\W\d_])", name.partition(" (")[0])
    words = [part for word in parts if (part := word.strip("\"'“”()."))]
    if words and words[0].lower() in ARTICLES:
        words = words[1:]
    if len(words) < 2:
        return frozenset()
    capitals = [word for word in words if word[:1].isupper()]
    large = [word for word in words if word.lower() not in FUNCTION_WORDS]
    forms = ("".join(word[0] for word in some).upper() for some in (words, capitals, large))
    return frozenset(form for form in forms if len(form) > 1)


def group_names(names: Sequence[tuple[str, str]], language: str = "") -> list[int]:
    """Number the names of a text (with their types) so that those that mean the same share the first one's place."""
    groups = _DisjointSets(len(names))
    words = [words_of_name(name) for name, _ in names]
    first: dict[tuple[Words, str], int] = {}
    for place, (key_words, (_, type)) in enumerate(zip(words, names, strict=True)):
        groups.join(first.setdefault((key_words, type), place), place)
    kinds = [(key_words, type, place) for (key_words, type), place in first.items() if key_words]
    _join_acronyms(names, kinds, groups)
    _join_reordered(kinds, groups)
    _join_short_forms(names, kinds, groups, Frequencies.load(language))
    return [groups.root(place) for place in range(len(names))]


class _DisjointSets:
    """Disjoint groups of places; the earliest place names its group."""

    def __init__(self, size: int) -> None:
        self._up = list(range(size))

    def root(self, place: int) -> int:
        while self._up[place] != place:
            self._up[place] = self._up[self._up[place]]
            place = self._up[place]
        return place

    def join(self, place: int, other: int) -> None:
        low, high = sorted((self.root(place), self.root(other)))
        self._up[high] = low


_DistinctNames = Iterable[tuple[Words, str, int]]


def _join_acronyms(names: Sequence[tuple[str, str]], kinds: _DistinctNames, groups: _DisjointSets) -> None:
    """Join acronyms with the nearest name that they abbreviate."""
    long: dict[str, list[int]] = defaultdict(list)
    for _, type, place in kinds:
        if type in ACRONYM_TYPES:
            for form in possible_acronyms(names[place][0]):
                long[form].append(place)
    for _, type, place in kinds:
        name = names[place][0].strip("()[] ")
        if type in ACRONYM_TYPES and ACRONYM.fullmatch(name) and (others := long.get(name.replace(".", ""))):
            groups.join(min(others, key=lambda other: abs(other - place)), place)


def _join_reordered(kinds: _DistinctNames, groups: _DisjointSets) -> None:
    """Join names of the same words in another order: University of Cambridge, Cambridge University."""
    seen: dict[tuple[frozenset[str], str], int] = {}
    for words, type, place in kinds:
        content = frozenset(word for word in words if word not in FUNCTION_WORDS)
        if len(content) > 1:
            groups.join(seen.setdefault((content, type), place), place)


def _join_short_forms(
    names: Sequence[tuple[str, str]], kinds: _DistinctNames, groups: _DisjointSets, frequencies: Frequencies | None
) -> None:
    """Join names with the nearest longer one that begins or ends with them."""
    longer: dict[tuple[Words, str], list[int]] = defaultdict(list)
    for words, type, place in kinds:
        if type in SHORTENABLE_TYPES and len(words) <= 12:
            for size in range(1, len(words)):
                for part in {words[:size], words[-size:]}:
                    longer[part, type].append(place)
    for words, type, place in kinds:
        common = frequencies is not None and len(words) == 1 and (frequencies.share(words[0]) or 0) > COMMON_WORD_SHARE
        common = common and type != "PERSON"
        if (others := longer.get((words, type))) and names[place][0][:1].isupper() and not common:
            groups.join(min(others, key=lambda other: (abs(other - place), other)), place)
