"""Add spans to the phrases of a text: names that no phrase has, tokens that hold one, rare words."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Final

import numpy as np

from embanon.document import FORMS, TYPES, Flags, Phrases
from embanon.entities import EntityMentions
from embanon.language import key
from embanon.risk.power import Rarity

NAME: Final = FORMS.index("name")
TypedSpan = tuple[int, int, str]
"""Where a phrase to add starts and ends, and its type."""

TOKEN_BEFORE: Final = re.compile(r"[^\s,;()<>\"“”]*$")

TOKEN_AFTER: Final = re.compile(r"[^\s,;()<>\"“”]*")

MAX_TOKEN_REACH: Final = 200
"""Characters of such a token to either side of the name."""

ANY_WORD: Final = re.compile(r"\w[\w\u0300-\u036f]*")
"""With accents behind the letters."""


def phrase_spans(phrases: Phrases) -> list[tuple[int, int]]:
    """Return where phrases start and end."""
    return list(zip(phrases.start.tolist(), phrases.end.tolist(), strict=True))


def overlaps_any(phrases: Phrases, spans: Sequence[tuple[int, int]]) -> Flags:
    """Return which phrases overlap any of the spans."""
    overlaps = np.zeros(len(phrases), bool)
    if spans:
        starts, ends = (np.array(column) for column in zip(*spans, strict=True))
        first = np.searchsorted(phrases.end, starts, side="right")
        last = np.searchsorted(phrases.start, ends, side="left")
        for a, b in zip(first.tolist(), last.tolist(), strict=True):
            overlaps[a:b] = True
    return overlaps


def add_name_phrases(phrases: Phrases, mentions: Iterable[EntityMentions], text: str) -> Phrases:
    """Add what names a protected entity and is in no phrase, and let no phrase cut a name.

    These are stray parts of the name, and tokens that hold one.
    """
    added = list[TypedSpan]()
    for mention in mentions:
        type = mention.type if mention.type in TYPES else "MISC"
        added += [(start, end, type) for start, end in mention.spans]
        for start, end in mention.embedded:
            place = int(np.searchsorted(phrases.end, start, side="right"))
            if place < len(phrases) and phrases.start[place] <= start and end <= phrases.end[place]:
                continue
            before, after = (
                TOKEN_BEFORE.search(text[max(0, start - MAX_TOKEN_REACH) : start]),
                TOKEN_AFTER.match(text[end : end + MAX_TOKEN_REACH]),
            )
            begin = start - len(before[0]) if before else start
            added.append((begin, end + len(after[0]) if after else end, "CODE"))
    return add_spans(*_merge_cut_phrases(phrases, added))


def _merge_cut_phrases(phrases: Phrases, spans: Sequence[TypedSpan]) -> tuple[Phrases, list[TypedSpan]]:
    """Take away phrases that cut a span, and give the span so that it has all of them."""
    kept, wanted = np.ones(len(phrases), bool), []
    for start, end, type in spans:
        first = int(np.searchsorted(phrases.end, start, side="right"))
        last = int(np.searchsorted(phrases.start, end, side="left"))
        if first < last and not (phrases.start[first] <= start and end <= phrases.end[first]):
            kept[first:last] = False
            start, end = min(start, int(phrases.start[first])), max(end, int(phrases.end[last - 1]))
        wanted.append((start, end, type))
    return (phrases if kept.all() else phrases.select(kept)), _merge_typed_spans(wanted)


def _merge_typed_spans(spans: Sequence[TypedSpan]) -> list[TypedSpan]:
    """Put spans in order, those that overlap as one, of the type of the longest."""
    merged, longest = list[TypedSpan](), 0
    for start, end, type in sorted(spans):
        if not merged or start >= merged[-1][1]:
            merged.append((start, end, type))
            longest = end - start
            continue
        begin, until, known = merged[-1]
        merged[-1] = (begin, max(until, end), type if end - start > longest else known)
        longest = max(longest, end - start)
    return merged


def add_rare_words(text: str, phrases: Phrases, rarity: Rarity, least: float) -> Phrases:
    """Add rare words that are in no phrase."""
    words = [(one.start(), one.end(), key(one[0])) for one in ANY_WORD.finditer(text)]
    rare = np.nan_to_num(rarity.words([word for *_, word in words]), nan=1.0) >= least
    spans = [(start, end, "MISC") for (start, end, _), is_rare in zip(words, rare, strict=True) if is_rare]
    return add_spans(phrases, spans)


def add_spans(phrases: Phrases, spans: Sequence[TypedSpan]) -> Phrases:
    """Add spans of a type as phrases, where none is."""
    taken, added = phrase_spans(phrases), []
    last = 0
    for start, end, type in sorted(set(spans)):
        near = int(np.searchsorted(phrases.start, end)) - 1
        if start >= last and (near < 0 or taken[near][1] <= start):
            added.append((start, end, type))
            last = end
    if not added:
        return phrases
    kinds = phrases.kinds or ("MISC.other",)
    of_type = {type: next((n for n, kind in enumerate(kinds) if kind.startswith(type)), 0) for _, _, type in added}
    base = int(np.max(phrases.base)) + 1 if len(phrases) else 0
    starts, ends = (np.array([row[column] for row in added], np.int64) for column in (0, 1))
    columns = [
        starts, ends, np.array([TYPES.index(type) for *_, type in added], np.uint8),
        np.array([of_type[type] for *_, type in added], phrases.kind.dtype),
        np.full(len(added), NAME, np.uint8), starts, ends, np.arange(base, base + len(added)),
    ]  # fmt: skip
    names = ("start", "end", "type", "kind", "form", "head_start", "head_end", "base")
    whole = [np.concatenate([getattr(phrases, name), column]) for name, column in zip(names, columns, strict=True)]
    order = np.argsort(whole[0], kind="stable")
    chance = None
    if phrases.chance is not None:  # nothing was learnt of what is added
        chance = np.append(phrases.chance, np.full(len(added), np.nan, np.float32))[order]
    return Phrases.from_columns([column[order] for column in whole], kinds, chance)
