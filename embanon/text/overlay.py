"""Resolve overlaps: user rules and structured identifiers take precedence over phrases of the grammar."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeVar
from unicodedata import combining

import numpy as np
from numpy.typing import NDArray

from embanon.document import COLUMNS, FORMS, TYPES, Identifier, Phrases
from embanon.language import HYPHENS

RANK_DENIED, RANK_PATTERN, RANK_IDENTIFIER = range(3)
"""Ranks of what lies over the grammar's phrases: deny lists, the users' patterns, identifiers."""

BLANKS: Final = frozenset(f" \u00a0\t{HYPHENS}")


@dataclass(frozen=True, slots=True)
class OverlaySpan:
    """A place that is a phrase whatever the grammar says; the lowest rank goes first."""

    start: int
    end: int
    type: str
    kind: str
    rank: int


AnySpan = TypeVar("AnySpan", OverlaySpan, Identifier)


def by_rank(unit: OverlaySpan) -> tuple[int, int, int]:
    """Return what puts units in order: the rank, the length, the start."""
    return unit.rank, unit.start - unit.end, unit.start


def resolve_overlaps(spans: Iterable[AnySpan], priority: Callable[[Any], tuple[int, ...]] = by_rank) -> list[AnySpan]:
    """Keep spans that do not overlap: those of the lowest priority, of equals the first."""
    kept: list[AnySpan] = []
    cluster: list[AnySpan] = []
    end = -1
    for span in sorted(spans, key=lambda span: span.start):
        if span.start >= end:
            kept += _resolve_cluster(sorted(cluster, key=priority))
            cluster = []
        cluster.append(span)
        end = max(end, span.end)
    return kept + _resolve_cluster(sorted(cluster, key=priority))


def _resolve_cluster(ranked: Sequence[AnySpan]) -> list[AnySpan]:
    """Resolve spans that overlap in a chain, the first ones first."""
    kept: list[AnySpan] = []
    for span in ranked:
        place = bisect_right(kept, span.start, key=lambda other: other.start)
        free = place == 0 or kept[place - 1].end <= span.start
        if free and (place == len(kept) or span.end <= kept[place].start):
            kept.insert(place, span)
    return kept


def overlay(phrases: Phrases, units: Sequence[OverlaySpan], text: str) -> Phrases:
    """Replace phrases by the units over them; what remains of a phrase stays a phrase, so that nothing is lost."""
    if not units:
        return phrases
    keep = np.ones(len(phrases), dtype=bool)
    kinds = list(phrases.kinds)
    number = {kind: n for n, kind in enumerate(kinds)}
    rows: list[tuple[int, ...]] = []
    unit_start = np.array([unit.start for unit in units])
    unit_end = np.array([unit.end for unit in units])
    low = np.searchsorted(phrases.end, unit_start, side="right")
    high = np.searchsorted(phrases.start, unit_end, side="left")
    touched = sorted({place for a, b in zip(low.tolist(), high.tolist(), strict=True) for place in range(a, b)})
    for place in touched:
        keep[place] = False
        row = [int(getattr(phrases, name)[place]) for name in COLUMNS]
        start, end = row[0], row[1]
        first = int(np.searchsorted(unit_end, start, side="right"))
        while first < len(units) and units[first].start < end:
            rows += remainder(text, row, start, units[first].start)
            start = units[first].end
            first += 1
        rows += remainder(text, row, start, end)
    for unit in units:
        if unit.kind not in number:
            number[unit.kind] = len(kinds)
            kinds.append(unit.kind)
        form = FORMS.index("code" if unit.type == "CODE" else "name")
        rows.append((unit.start, unit.end, TYPES.index(unit.type), number[unit.kind], form, unit.start, unit.end, 0))
    columns = [
        np.concatenate([getattr(phrases, name)[keep], column])
        for name, column in zip(COLUMNS, zip(*rows, strict=True), strict=True)
    ]
    order = np.argsort(columns[0], kind="stable")
    types = [getattr(phrases, name).dtype for name in COLUMNS]
    types[COLUMNS.index("kind")] = np.dtype(np.int64)
    return Phrases.from_columns(
        [column[order].astype(kind) for column, kind in zip(columns, types, strict=True)], tuple(kinds)
    )


def remainder(text: str, row: Sequence[int], start: int, end: int) -> list[tuple[int, ...]]:
    """Return what is left of a phrase between two offsets, without blanks and marks at its ends."""
    while start < end and not text[start].isalnum():
        start += 1
    while start < end and not (text[end - 1].isalnum() or combining(text[end - 1])):
        end -= 1
    if start >= end:
        return []
    head_start, head_end = max(start, row[5]), min(end, row[6])
    if head_start >= head_end:
        head_start, head_end = start, end
    return [(start, end, *row[2:5], head_start, head_end, 0)]


def remove_allowed(phrases: Phrases, allowed: Sequence[tuple[int, int]], denied: Sequence[OverlaySpan]) -> Phrases:
    """Leave out the phrases that lie inside an allowed place, but for those that are denied."""
    if not allowed or not len(phrases):
        return phrases
    starts = np.array([start for start, _ in sorted(allowed)])
    ends = np.maximum.accumulate(np.array([end for _, end in sorted(allowed)]))
    place = np.searchsorted(starts, phrases.start, side="right") - 1
    inside = (place >= 0) & (ends[place] >= phrases.end)
    inside &= ~np.isin(phrases.start, [unit.start for unit in denied])
    return phrases.select(~inside)


def number_base_phrases(phrases: Phrases, text: str) -> NDArray[np.int64]:
    """Number the base noun phrases: phrases with at most one blank between them share a number."""
    if not len(phrases):
        return phrases.base
    gap = phrases.start[1:] - phrases.end[:-1]
    touches = gap == 0
    single = np.flatnonzero(gap == 1)
    touches[single] = [text[end] in BLANKS for end in phrases.end[single].tolist()]
    return np.concatenate([[0], np.cumsum(~touches)])
