"""Rewrite a text by its edits in one pass, and keep what undoes them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

from embanon.errors import InputError
from embanon.generalize import Edit


@dataclass(frozen=True, slots=True)
class Solution:
    """One line of the table of solutions: where a replacement stands, and what stood there."""

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
        """Give the fields by name."""
        return {name: getattr(self, name) for name in self.__slots__}


def rewrite(id: str, text: str, edits: Sequence[Edit]) -> tuple[str, list[Solution]]:
    """Give the text with all edits done, and its table of solutions."""
    parts, solutions, last, length = list[str](), list[Solution](), 0, 0
    for edit in edits:
        kept = text[last : edit.start]
        parts += (kept, edit.replacement)
        at = length + len(kept)
        length = at + len(edit.replacement)
        entity = f"e{edit.entity + 1}" if edit.entity >= 0 else ""
        solutions.append(Solution(
            id, edit.start, edit.end, at, length, text[edit.start : edit.end], edit.replacement, edit.type, entity,
            edit.risk, edit.replacement_risk,
        ))  # fmt: skip
        last = edit.end
    return "".join((*parts, text[last:])), solutions


@dataclass(frozen=True, slots=True)
class Restored:
    """A text in which originals stand again."""

    text: str = field(repr=False)
    placed: int
    missing: tuple[Solution, ...] = ()
    """Those whose replacement was not found."""


def restore(id: str, text: str, solutions: Sequence[Solution]) -> Restored:
    """Put originals back: where they were, and in a text that was edited, where their replacements are found."""
    ordered = sorted(solutions, key=lambda one: one.at)
    if all(text[one.at : one.to] == one.replacement for one in ordered) and not _overlap(ordered):
        spans = [(one.at, one.to, one.original) for one in ordered]
        return Restored(_put(text, spans), len(spans))
    spans, missing, taken = [], [], list[tuple[int, int]]()
    for one in sorted(ordered, key=lambda one: -len(one.replacement)):
        place = _nearest(text, one, taken)
        if place is None:
            missing.append(one)
        else:
            taken.append(place)
            spans.append((*place, one.original))
    return Restored(_put(text, sorted(spans)), len(spans), tuple(sorted(missing, key=lambda one: one.at)))


def _overlap(ordered: Sequence[Solution]) -> bool:
    return any(one.to > other.at for one, other in pairwise(ordered))


def _put(text: str, spans: Sequence[tuple[int, int, str]]) -> str:
    parts, last = list[str](), 0
    for start, end, original in spans:
        parts += (text[last:start], original)
        last = end
    return "".join((*parts, text[last:]))


def _nearest(text: str, one: Solution, taken: Sequence[tuple[int, int]]) -> tuple[int, int] | None:
    """Find the free occurrence of a replacement that is nearest to where it stood, in any case."""
    low, wanted = text.casefold(), one.replacement.casefold()
    if len(low) != len(text):
        low, wanted = text, one.replacement
    found, at = list[tuple[int, int]](), low.find(wanted)
    while at >= 0:
        span = (at, at + len(wanted))
        inside = (at and text[at - 1].isalnum()) or text[span[1] : span[1] + 1].isdecimal()
        if not inside and not any(start < span[1] and span[0] < end for start, end in taken):
            found.append(span)
        at = low.find(wanted, at + 1)
    return min(found, key=lambda span: abs(span[0] - one.at), default=None)


def check_same(solutions: Sequence[Solution], id: str) -> None:
    """Refuse solutions of another document."""
    if any(one.document != id for one in solutions):
        raise InputError(f"{id}: the solutions are of another document")
