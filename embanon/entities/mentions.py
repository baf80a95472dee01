"""Who a text speaks of: the entities to protect, wherever they are named, and the other people that are present."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Final

from embanon.entities.entity import (
    CODE_CHARACTERS,
    ENTITY_CACHE_SIZE,
    LOWERCASE_NAME_SHARE,
    MIN_LENGTH_IN_CODES,
    UNSPACED_SCRIPT,
    Entity,
    _name_forms,
    _NameForms,
    distinctive_words,
    split_name,
)
from embanon.language import Frequencies
from embanon.text import VisibleText, words_of_name

WORD_JOINER: Final = r"(?:[*_`~]*\s[\s>|*_`~]{0,40}|[-‐-―−]\s{0,40}|[_./\\+·]|%20|&(?:nbsp|#160|#32);)"
"""What may stand between these words instead, as in names of files, addresses, quoted lines and where a line ends."""
PARAGRAPH_BREAK: Final = re.compile(r"\n[ \t\r>|]*\n")

Span = tuple[int, int]


@lru_cache(maxsize=ENTITY_CACHE_SIZE)
def _joined_pattern(words: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile(WORD_JOINER.join(map(re.escape, words)))


def find_name(low: str, name: str) -> Iterator[Span]:
    """Find a whole name in a folded text, whatever joins its words: red-falcon is Red Falcon."""
    words = split_name(name)
    if len(words) < 2:
        yield from find_word(low, name)
    elif all(word in low for word in words):
        pattern, at = _joined_pattern(words), 0
        while match := pattern.search(low, at):
            if is_whole(low, *match.span()):
                yield match.span()
            at = match.start() + 1


def find_word(low: str, word: str, *, whole: bool = True) -> Iterator[Span]:
    """Find a word in a text; `whole` leaves out what is in the middle of a longer one."""
    at = low.find(word)
    while at >= 0:
        end = at + len(word)
        if not whole or is_whole(low, at, end):
            yield at, end
        at = low.find(word, end)


def _extends_word(sign: str, last: str) -> bool:
    """Return whether a sign beside the last one of a name makes it a part of a longer word.

    Where words run on none does.
    """
    return sign.isalnum() and sign.isdecimal() == last.isdecimal() and not UNSPACED_SCRIPT.match(sign)


def find_mentions(entity: Entity, text: str, low: str, language: str) -> list[Span]:
    """Find where a text names an entity, whatever the phrases are: whole names, parts with a capital, acronyms.

    `low` is the folded text.
    """
    names, mentions = _name_forms(entity, language), list[Span]()
    for name in names.full_names:
        mentions += (
            span for span in find_name(low, name)
            if not PARAGRAPH_BREAK.search(text, *span) and (not text[span[0]].islower() or _is_lowercase_name(name,
            names, low, *span))
        )  # fmt: skip
    whole = sorted(mentions)
    for part in names.parts:
        for start, end in find_word(low, part):
            if _stands_out(text[start], part, language) and not _is_within(whole, start, end):
                mentions.append((start, end))
    for form in names.acronyms:
        mentions += (span for span in find_word(text, form) if not _is_within(whole, *span))
    return sorted(set(mentions))


def _is_in_code(low: str, start: int, end: int) -> bool:
    """Return whether letters or digits stand on both sides of a name, or mixed on one; bea2 and 2bea are no code."""
    before, behind = low[max(start - MIN_LENGTH_IN_CODES, 0) : start], low[end : end + MIN_LENGTH_IN_CODES]
    left, right = (
        before[len(before.rstrip(CODE_CHARACTERS)) :],
        behind[: len(behind) - len(behind.lstrip(CODE_CHARACTERS))],
    )
    beside = left or right
    return bool(left and right) or not (beside.isalpha() or beside.isdecimal() or not beside)


def is_whole(low: str, start: int, end: int) -> bool:
    """Return whether what stands in a folded text is not in the middle of a longer word, nor a few letters of a
    code."""
    before, behind = low[start - 1 : start] if start else "", low[end : end + 1]
    if (before and _extends_word(before, low[start])) or (behind and _extends_word(behind, low[end - 1])):
        return False
    beside = before.isalnum() or behind.isalnum()
    return end - start >= MIN_LENGTH_IN_CODES or not (beside and _is_in_code(low, start, end))


def _is_lowercase_name(name: str, names: _NameForms, low: str, start: int, end: int) -> bool:
    """Return whether a name stands there in small letters, and no ordinary word.

    Will_paginate and marks name nobody.
    """
    if name in names.common_words:
        beside = low[max(start - 1, 0) : start] + low[end : end + 1]
        return "_" not in beside and not any(map(str.isdecimal, beside))
    return name not in names.inflected_common_words


def _is_within(spans: Sequence[Span], start: int, end: int) -> bool:
    near = bisect_left(spans, (start + 1, 0)) - 1
    return near >= 0 and end <= spans[near][1]


def _stands_out(first: str, word: str, language: str) -> bool:
    """Return whether a word is a part of a name: it has a capital, or it is no ordinary word."""
    if not first.islower():
        return True
    frequencies = Frequencies.load(language)
    return frequencies is not None and (frequencies.share(word) or 0) < LOWERCASE_NAME_SHARE


MIN_EMBEDDED_LENGTH: Final = 5
"""Letters of a part of a name that is looked for inside other tokens."""

JOINING_CHARACTERS: Final = frozenset("#@_./\\-+0123456789")
"""What joins a name to others in a token that is no word."""


@dataclass(frozen=True, slots=True)
class EntityMentions:
    """Where a text has a name of an entity, and where inside addresses, hashtags and other tokens."""

    type: str
    spans: list[tuple[int, int]]
    embedded: list[tuple[int, int]]

    @staticmethod
    def find(entity: Entity, text: str, low: str, language: str) -> EntityMentions:
        """Find them; `low` is the folded text."""
        return EntityMentions(
            entity.type, find_mentions(entity, text, low, language), find_embedded(entity, text, low, language)
        )

    def in_original(self, visible: VisibleText) -> EntityMentions:
        """Return where they stand in a text of which they were found in what is visible."""
        return replace(self, spans=visible.spans(self.spans), embedded=visible.spans(self.embedded))


def find_embedded(entity: Entity, text: str, low: str, language: str) -> list[tuple[int, int]]:
    """Find long parts of a name, and names that are run together, inside addresses, hashtags, file names and so on."""
    spans = []
    for part in distinctive_words(entity, language):
        if len(part) >= MIN_EMBEDDED_LENGTH:
            spans += [span for span in find_word(low, part, whole=False) if _is_set_off(text, *span)]
    for name in joined_names(entity):
        spans += find_word(low, name, whole=False)
    return spans


def joined_names(entity: Entity) -> list[str]:
    """Return names of several words as one."""
    joined = ["".join(words) for words in map(words_of_name, entity.names) if len(words) > 1]
    return [name for name in joined if len(name) >= MIN_EMBEDDED_LENGTH]


def _is_set_off(text: str, start: int, end: int) -> bool:
    """Return whether a part of a name is parted from what is beside it: by a joint, an end of the word, or its case."""
    before, after = text[start - 1 : start] if start else "", text[end : end + 1]
    return (
        before in JOINING_CHARACTERS
        or after in JOINING_CHARACTERS
        or before.isalnum() != after.isalnum()
        or (before.islower() and text[start].isupper())
        or (after.isupper() and text[end - 1].islower())
        or (after.islower() and text[start:end].isupper())
    )
