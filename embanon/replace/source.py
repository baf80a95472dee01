"""Edits of what was read, as edits of the source: markup inside a phrase stays, and what it marked goes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from embanon.io import SourceDocument, SourceMap, make_encodable
from embanon.replace.edit import Edit


@dataclass(frozen=True, slots=True)
class _SourcePart:
    """A piece of the source that goes, and what comes."""

    start: int
    end: int
    text: str
    edit: int


def map_to_source(laid: SourceDocument, edits: Sequence[Edit]) -> list[Edit]:
    """Return edits of the text as edits of its source, in order and without overlap.

    Each has one place, so that it is found again by what stands there: from the first sign of the phrase to the last,
    with the markup between, and with the edits inside this markup.
    """
    if laid.source_map is None:
        if laid.codec.startswith("utf"):
            return list(edits)
        return [replace(edit, replacement=make_encodable(edit.replacement, laid.codec)) for edit in edits]
    parts = [part for number, edit in enumerate(edits) for part in _parts(laid, laid.source_map, number, edit)]
    return [
        _merge_group(laid.raw, group, edits) for group in _group_overlapping(sorted(parts, key=lambda part: part.start))
    ]


def _parts(laid: SourceDocument, pieces: SourceMap, number: int, edit: Edit) -> Iterator[_SourcePart]:
    """Return the pieces of the source that an edit takes away; the replacement comes instead of the first."""
    first = int(np.searchsorted(pieces.text_start, edit.start, side="right")) - 1
    last = int(np.searchsorted(pieces.text_start, edit.end, side="left"))
    fresh = True
    for place in range(first, last):
        start, end = int(pieces.start[place]), int(pieces.end[place])
        if pieces.is_verbatim[place]:
            moved = start - int(pieces.text_start[place])
            start, end = max(start, edit.start + moved), min(end, edit.end + moved)
        if start < end:
            text = laid.escapes[int(pieces.notation[place])](edit.replacement) if fresh else ""
            yield _SourcePart(start, end, make_encodable(text, laid.codec), number)
            fresh = False


def _group_overlapping(parts: Sequence[_SourcePart]) -> Iterator[list[_SourcePart]]:
    """Put together the parts of an edit, and those of others that lie among them."""
    ends: dict[int, int] = {}
    for part in parts:
        ends[part.edit] = max(ends.get(part.edit, 0), part.end)
    group, reach = list[_SourcePart](), 0
    for part in parts:
        if group and part.start >= reach:
            yield group
            group = []
        group.append(part)
        reach = max(reach, ends[part.edit])
    if group:
        yield group


def _merge_group(raw: str, group: Sequence[_SourcePart], edits: Sequence[Edit]) -> Edit:
    texts, last = list[str](), group[0].start
    for part in group:
        texts += (raw[last : part.start], part.text)
        last = max(last, part.end)
    own = [edits[number] for number in dict.fromkeys(part.edit for part in group)]
    risks = [edit.risk for edit in own]
    return replace(
        own[0], start=group[0].start, end=last, replacement="".join(texts),
        risk=None if None in risks else max(risk for risk in risks if risk is not None),
        replacement_risk=max(edit.replacement_risk for edit in own),
    )  # fmt: skip
