"""Rewrite a text by its edits in one pass, and keep what reverses them.

In the source of a text, markup inside a phrase stays, and what it marked goes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any, Final

import numpy as np

from embanon.document import entity_label
from embanon.io import SourceDocument, SourceMap, make_encodable
from embanon.replace.edit import Edit, splice

Placement = tuple[int, int, str]
"""Where something is put, and what."""
SEAL: Final = "TEXT"
"""The type of a solution that is no edit: it is about the text as a whole."""
MAX_LOOKAHEAD: Final = 200
"""How many places further on one is looked for."""


@dataclass(frozen=True, slots=True)
class Solution:
    """One line of the table of solutions: the place of a replacement, and its original."""

    document: str
    start: int
    end: int
    """In the original text."""
    at: int
    to: int
    """In the anonymized text."""
    original: str = field(repr=False)
    replacement: str = field(repr=False)
    type: str
    entity: str
    risk: float | None
    replacement_risk: float

    def to_dict(self) -> dict[str, Any]:
        """Return the fields by name."""
        return {name: getattr(self, name) for name in self.__slots__}


def rewrite(id: str, text: str, edits: Sequence[Edit]) -> tuple[str, list[Solution]]:
    """Return the text with all edits done, and its table of solutions."""
    parts, solutions, last, length = list[str](), list[Solution](), 0, 0
    for edit in edits:
        kept = text[last : edit.start]
        parts += (kept, edit.replacement)
        at = length + len(kept)
        length = at + len(edit.replacement)
        entity = entity_label(edit.entity) or ""
        solutions.append(Solution(
            id, edit.start, edit.end, at, length, text[edit.start : edit.end], edit.replacement, edit.type, entity,
            edit.risk, edit.replacement_risk,
        ))  # fmt: skip
        last = edit.end
    return "".join((*parts, text[last:])), solutions


@dataclass(frozen=True, slots=True)
class RestoredText:
    """A text in which originals stand again."""

    text: str = field(repr=False)
    restored_count: int
    missing: tuple[Solution, ...] = ()
    """Those whose replacement was not found."""


def restore(id: str, text: str, solutions: Sequence[Solution]) -> RestoredText:
    """Put originals back: where they were, and in a text that was edited, where their replacements are found."""
    edits = (one for one in solutions if one.type != SEAL)
    ordered = sorted(edits, key=lambda solution: (solution.at, solution.to))
    taken = bytearray(len(text))
    unchanged = all(text[solution.at : solution.to] == solution.replacement for solution in ordered)
    if unchanged and not any(one.to > other.at for one, other in pairwise(ordered)):
        spans = [(solution.at, solution.to, solution.original) for solution in ordered]
        for solution in ordered:
            taken[solution.at : solution.to] = b"\1" * (solution.to - solution.at)
        doubled = _restore_duplicates(text, ordered, taken, flags=0)
        return RestoredText(splice(text, sorted((*spans, *doubled)) if doubled else spans), len(spans))
    same: dict[str, list[Solution]] = {}
    for solution in ordered:
        same.setdefault(" ".join(solution.replacement.casefold().split()), []).append(solution)
    spans, missing = list[Placement](), list[Solution]()
    for alike in sorted(same.values(), key=lambda alike: -len(alike[0].replacement)):
        places = _find_unclaimed(text, alike[0].replacement, taken, re.IGNORECASE)
        for solution, place in zip(alike, _assign_places(alike, places), strict=True):
            if place is None:
                missing.append(solution)
            else:
                taken[place[0] : place[1]] = b"\1" * (place[1] - place[0])
                spans.append((*place, solution.original))
    placed = len(spans)
    spans += _restore_duplicates(text, ordered, taken, re.IGNORECASE)
    return RestoredText(splice(text, sorted(spans)), placed, tuple(sorted(missing, key=lambda solution: solution.at)))


def _find_unclaimed(text: str, replacement: str, taken: bytearray, flags: int) -> list[tuple[int, int]]:
    """Find the free places of a replacement as whole words, whatever its white space and apostrophes."""
    words = [re.sub("['’]", "['’]", re.escape(word)) for word in replacement.split()]
    if not words:
        return []
    before = r"(?<!\w)" if replacement.strip()[0].isalnum() else ""
    last = replacement.strip()[-1]
    after = r"(?!\d)" if last.isdecimal() else r"(?!\w|\s\[\d+\])" if last.isalnum() else ""
    matches = re.finditer(before + r"\s+".join(words) + after, text, flags)
    return [one.span() for one in matches if not any(taken[one.start() : one.end()])]


def _assign_places(same: Sequence[Solution], places: Sequence[tuple[int, int]]) -> list[tuple[int, int] | None]:
    """Return the place of each solution of a replacement, in order; where there are too few or many, the nearest."""
    wanted, starts = [solution.at for solution in same], [start for start, _ in places]
    if len(starts) >= len(wanted):
        return [places[number] for number in _nearest_in_order(wanted, starts)]
    assigned: list[tuple[int, int] | None] = [None] * len(same)
    for number, place in zip(_nearest_in_order(starts, wanted), places, strict=True):
        assigned[number] = place
    return assigned


def _nearest_in_order(few: Sequence[int], many: Sequence[int]) -> Iterator[int]:
    """Yield for each of a few offsets the number of the nearest of many, in order, each once."""
    first = 0
    for number, offset in enumerate(few):  # leave one for each that follows
        last = min(len(many) - (len(few) - number), first + MAX_LOOKAHEAD)
        best = min(range(first, last + 1), key=lambda place: abs(many[place] - offset))
        yield best
        first = best + 1


NUMBERED: Final = re.compile(r"(?:PERSON|Person|Persona|Pessoa) \d+|\[[^\[\]]+ \d+\]")
"""Replacements that no text has but by ours: where one is doubled, both are restored."""


def _restore_duplicates(text: str, ordered: Sequence[Solution], taken: bytearray, flags: int) -> list[Placement]:
    """Restore what only we write, and is doubled: it stands for the same in further places."""
    first = {one.replacement: one.original for one in reversed(ordered) if NUMBERED.fullmatch(one.replacement)}
    return [
        (*place, original)
        for replacement, original in first.items()
        for place in _find_unclaimed(text, replacement, taken, flags)
    ]  # fmt: skip


@dataclass(frozen=True, slots=True)
class _SourcePart:
    """A piece of the source that goes, and what comes."""

    start: int
    end: int
    text: str
    edit: int


def map_to_source(source: SourceDocument, edits: Sequence[Edit]) -> list[Edit]:
    """Return edits of the text as edits of its source, in order and without overlap.

    Each has one place, so that it is found again by what stands there: from the first sign of the phrase to the last,
    with the markup between, and with the edits inside this markup.
    """
    if source.source_map is None:
        if source.codec.startswith("utf"):
            return list(edits)
        return [replace(edit, replacement=make_encodable(edit.replacement, source.codec)) for edit in edits]
    parts = [part for number, edit in enumerate(edits) for part in _parts(source, source.source_map, number, edit)]
    return [
        _merge_group(source.raw, group, edits)
        for group in _group_overlapping(sorted(parts, key=lambda part: part.start))
    ]


def _parts(source: SourceDocument, pieces: SourceMap, number: int, edit: Edit) -> Iterator[_SourcePart]:
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
            text = source.escapes[int(pieces.notation[place])](edit.replacement) if fresh else ""
            yield _SourcePart(start, end, make_encodable(text, source.codec), number)
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
    merged = [edits[number] for number in dict.fromkeys(part.edit for part in group)]
    risks = [edit.risk for edit in merged]
    return replace(
        merged[0], start=group[0].start, end=last, replacement="".join(texts),
        risk=None if None in risks else max(risk for risk in risks if risk is not None),
        replacement_risk=max(edit.replacement_risk for edit in merged),
    )  # fmt: skip
