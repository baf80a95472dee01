"""Spans in columns, and the characters and words they cover, for the measures to count."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

from embanon.measure.annotations import GoldDocument, Mention

Ints = NDArray[np.int64]
Flags = NDArray[np.bool_]

WORD: Final = re.compile(r"\w+")
LANGUAGE: Final = "en"
"""Of a document that does not say its own."""
REMEMBERED: Final = 1024
"""Texts of which words and letters are remembered: all measures ask for the same ones."""


def span_array(mentions: Iterable[Mention]) -> Ints:
    """Return where mentions start and end, a row each, in their order."""
    return np.array([(one.start, one.end) for one in mentions], np.int64).reshape(-1, 2)


@lru_cache(maxsize=REMEMBERED)
def word_spans(text: str) -> Ints:
    """Return where words start and end, not to be written to."""
    spans = np.array([found.span() for found in WORD.finditer(text)], np.int64).reshape(-1, 2)
    spans.setflags(write=False)
    return spans


def mark_characters(length: int, spans: Ints) -> Flags:
    """Return which characters are inside any of the spans."""
    starts, ends = (np.bincount(spans[:, side], minlength=length + 1) for side in (0, 1))
    return np.asarray(np.cumsum((starts - ends)[:length]) > 0, np.bool_)


def count_flagged(flags: Flags, spans: Ints) -> Ints:
    """Count the characters of each span that have a flag."""
    before = np.zeros(len(flags) + 1, np.int64)
    flags.cumsum(out=before[1:])
    return np.asarray(before[spans[:, 1]] - before[spans[:, 0]], np.int64)


def clip_words(words: Ints, spans: Ints) -> tuple[Ints, Ints]:
    """Return the words of each span, cut where it cuts them, and the number of the span of each."""
    first = np.searchsorted(words[:, 1], spans[:, 0], "right")
    sizes = np.maximum(np.searchsorted(words[:, 0], spans[:, 1], "left") - first, 0)
    owner = np.repeat(np.arange(len(spans)), sizes)
    place = np.repeat(first - np.cumsum(sizes) + sizes, sizes) + np.arange(int(sizes.sum()))
    clipped = np.stack(
        [np.maximum(words[place, 0], spans[owner, 0]), np.minimum(words[place, 1], spans[owner, 1])], axis=1
    )
    return clipped, owner


def lie_within(spans: Ints, by: Ints) -> Flags:
    """Return which spans lie wholly inside a single other span."""
    if not len(by):
        return np.zeros(len(spans), np.bool_)
    order = by[np.argsort(by[:, 0], kind="stable")]
    furthest = np.append(-1, np.maximum.accumulate(order[:, 1]))
    return np.asarray(furthest[np.searchsorted(order[:, 0], spans[:, 0], "right")] >= spans[:, 1], np.bool_)


def merge_spans(spans: Ints) -> Ints:
    """Return spans in order, those that share a character as one: what is masked twice is masked once."""
    if len(spans) < 2:
        return spans
    order = spans[np.lexsort((spans[:, 1], spans[:, 0]))]
    furthest = np.maximum.accumulate(order[:, 1])
    opens = np.append(True, order[1:, 0] >= furthest[:-1])
    last = np.append(np.flatnonzero(opens)[1:], len(order)) - 1
    return np.stack([order[opens, 0], furthest[last]], axis=1)


def overlaps(spans: Ints, others: Ints) -> Flags:
    """Return which spans overlap any of the others."""
    length = int(max(spans[:, 1].max(initial=0), others[:, 1].max(initial=0)))
    return np.asarray(count_flagged(mark_characters(length, others), spans) > 0, np.bool_)


def distinct(spans: Ints) -> Ints:
    """Return each span once, in order."""
    return np.unique(spans, axis=0).reshape(-1, 2)


@lru_cache(maxsize=REMEMBERED)
def telling_characters(text: str) -> tuple[Flags, Flags]:
    """Return which characters are letters or digits, and which are not spaces: the fallback where there are none."""
    letters = np.fromiter(map(str.isalnum, text), np.bool_, len(text))
    dark = ~np.fromiter(map(str.isspace, text), np.bool_, len(text))
    for flags in (letters, dark):
        flags.setflags(write=False)
    return letters, dark


def fully_masked(telling: tuple[Flags, Flags], masked: Flags, spans: Ints) -> Flags:
    """Return which spans have all their letters and digits masked."""
    letters, dark = telling
    alone = count_flagged(letters, spans) == 0
    left = np.where(alone, count_flagged(dark & ~masked, spans), count_flagged(letters & ~masked, spans))
    return np.asarray(left == 0, np.bool_)


def base_language(gold: GoldDocument) -> str:
    """Return the language of a document, without its region."""
    return (gold.language or LANGUAGE).replace("_", "-").partition("-")[0].lower()
