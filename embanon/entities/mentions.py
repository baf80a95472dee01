"""Who a text speaks of: the entities to protect, wherever they are named, and the other people that are present."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from embanon.entities.aliases import discover_aliases, is_acronym
from embanon.entities.entity import Entity, _name_forms, _NameForms, distinctive_words
from embanon.entities.folding import fold_text
from embanon.entities.search import find_parts
from embanon.entities.spellings import every_spelling
from embanon.entities.words import Span, find_name, find_word, merge_spans
from embanon.text import VisibleText, words_of_name

PARAGRAPH_BREAK: Final = re.compile(r"\n[ \t\r>|]*\n")


def find_mentions(entity: Entity, text: str, low: str, language: str) -> list[Span]:
    """Find where a text names an entity, whatever the phrases are: whole names, parts with a capital, acronyms.

    `low` is the folded text.
    """
    return _search(entity, text, low, language)[0]


def _search(entity: Entity, text: str, low: str, language: str) -> tuple[list[Span], list[Span]]:
    """Find where a text names an entity, and where it may do so."""
    names, mentions = _name_forms(entity, language), list[Span]()
    for name in names.full_names:
        mentions += (
            span for span in find_name(low, name)
            if not PARAGRAPH_BREAK.search(text, *span) and (not text[span[0]].islower() or _is_lowercase_name(name,
            names, low, *span))
        )  # fmt: skip
    whole = sorted(mentions)
    sure, doubtful = find_parts(entity, text, low, language, whole)
    mentions += (span for span in sure if not _is_within(whole, *span))
    every = sorted(set(mentions))
    merged = merge_spans(every)
    return every, sorted(span for span in set(doubtful) if not _is_within(merged, *span))


def _search_aliases(
    entity: Entity, aliases: Sequence[str], text: str, low: str, language: str
) -> tuple[list[Span], list[Span]]:
    """Find names that a text gives an entity: in small letters they may be ordinary words."""
    sure, doubtful = list[Span](), list[Span]()
    for alias in aliases:
        alone = replace(entity, name=alias, aliases=())
        parts = ([], []) if len(alias.split()) > 1 else find_parts(alone, text, low, language, [])
        whole = [span for span in find_name(low, fold_text(alias)) if not text[span[0]].islower()]
        sure += (*parts[0], *(() if is_acronym(alias) else whole))
        doubtful += parts[1]
    return sure, doubtful


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


MIN_EMBEDDED_LENGTH: Final = 5
"""Letters of a part of a name that is looked for inside other tokens."""

JOINING_CHARACTERS: Final = frozenset("#@_./\\-+0123456789")
"""What joins a name to others in a token that is no word."""


@dataclass(frozen=True, slots=True)
class EntityMentions:
    """Where a text has a name of an entity, and where inside addresses, hashtags and other tokens."""

    type: str
    spans: list[Span]
    embedded: list[Span]
    doubtful: list[Span] = field(default_factory=list)
    """Where a word may be its name, or no name at all."""

    @staticmethod
    def find(entity: Entity, text: str, low: str, language: str) -> EntityMentions:
        """Find them; `low` is the folded text."""
        sure, doubtful = _search(entity, text, low, language)
        if aliases := discover_aliases(entity, text, low, sure, language):
            more, perhaps = _search_aliases(entity, aliases, text, low, language)
            sure = sorted({*sure, *more})
            doubtful = sorted({*doubtful, *perhaps})
        embedded = find_embedded(entity, text, low, language)
        known = merge_spans([*sure, *embedded])
        return EntityMentions(entity.type, sure, embedded, [span for span in doubtful if not _is_within(known, *span)])

    def in_original(self, visible: VisibleText) -> EntityMentions:
        """Return where they stand in a text of which they were found in what is visible."""
        return replace(
            self, spans=visible.spans(self.spans), embedded=visible.spans(self.embedded),
            doubtful=visible.spans(self.doubtful),
        )  # fmt: skip


def find_embedded(entity: Entity, text: str, low: str, language: str) -> list[tuple[int, int]]:
    """Find long parts of a name, and names that are run together, inside addresses, hashtags, file names and so on."""
    spans = []
    for part in every_spelling(distinctive_words(entity, language)):
        if len(part) >= MIN_EMBEDDED_LENGTH:
            spans += [span for span in find_word(low, part, whole=False) if _is_set_off(text, *span)]
    for name in every_spelling(joined_names(entity)):
        spans += find_word(low, name, whole=False)
    return spans


def joined_names(entity: Entity) -> list[str]:
    """Return names of several words as one."""
    joined = ["".join(words) for words in map(words_of_name, entity.names) if len(words) > 1]
    return [name for name in joined if len(name) >= MIN_EMBEDDED_LENGTH]


def _is_set_off(text: str, start: int, end: int) -> bool:
    """Return whether a part of a name is parted from what is beside it: by a joint, an end of the word, or its case."""
    before, after = text[start - 1 : start] if start else "", text[end : end + 1]
    before = "" if before == "." and not text[max(start - 2, 0) : start - 1].isalnum() else before
    after = "" if after == "." and not text[end + 1 : end + 2].isalnum() else after
    return (
        before in JOINING_CHARACTERS
        or after in JOINING_CHARACTERS
        or before.isalnum() != after.isalnum()
        or (before.islower() and text[start].isupper())
        or (after.isupper() and text[end - 1].islower())
        or (after.islower() and text[start:end].isupper())
    )
