"""Let a language model on the user's own machine mend the sentences in which something was replaced.

It sees them one by one, as they are published. What it answers is used where it changes the joints of what was put in
alone (`checks`) and names nothing risky that was not there; else the sentence stays. What it changes becomes an edit of
its own, so that tables of solutions undo it as well.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Final

from embanon.replace.checks import WORD
from embanon.replace.edit import NO_LADDER, Edit, splice
from embanon.replace.polishing.checks import is_mended, without_joints
from embanon.replace.polishing.language_models import LanguageModel

POLISHED: Final = "polished"
"""What is chosen of a sentence that was mended."""
SHORTEST, LONGEST = 4, 80
"""Words of a sentence that is mended."""
ENDS: Final = re.compile(r"[.!?…][\"”»“')\]]*$")
NEVER_MENDED: Final = frozenset(("person", "keep"))
"""What needs no mending: numbers of people, and what is kept."""

RiskyPhrases = Callable[[str], frozenset[str]]
"""Which phrases of a sentence are at or above the limit."""


@dataclass(frozen=True, slots=True)
class Polisher:
    """Mends the sentences of a document."""

    model: LanguageModel
    language: str
    risky_phrases: RiskyPhrases = field(repr=False)

    def polish(self, text: str, edits: Sequence[Edit], sentences: Sequence[int]) -> list[Edit]:
        """Return the edits of a text, of which those in sentences that read better now are one."""
        result, place = list[Edit](), 0
        for start, end in _sentences(text, sentences):
            first = place
            while first < len(edits) and edits[first].end <= start:
                first += 1
            last = first
            while last < len(edits) and edits[last].start < end:
                last += 1
            inside = list(edits[first:last])
            is_whole = bool(inside) and inside[0].start >= start and inside[-1].end <= end
            if is_whole:  # what is masked in part would be shown in part
                result += [*edits[place:first], *self._mend(text, start, end, inside)]
                place = last
        return [*result, *edits[place:]]

    def _mend(self, text: str, start: int, end: int, edits: list[Edit]) -> list[Edit]:
        """Return the edits of a sentence, or the one that makes it the mended sentence."""
        if not _may_be_mended(text[start:end], edits):
            return edits
        before, replaced = "", list[tuple[int, int]]()
        for number, edit in enumerate(edits):
            before += text[edits[number - 1].end if number else start : edit.start]
            if edit.rung not in NEVER_MENDED and edit.type != "CODE":
                replaced.append((len(before), len(before) + len(edit.replacement)))
            before += edit.replacement
        before += text[edits[-1].end : end]
        after = self.model.mend(before, self.language)
        if after is None or not is_mended(before, after, replaced, self.language):
            return edits
        known, risky = (
            {without_joints(phrase, self.language) for phrase in self.risky_phrases(sentence)}
            for sentence in (before, after)
        )
        if not risky <= known:
            return edits
        return _as_edits(text, start, end, edits, after)


def _sentences(text: str, starts: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Yield where the sentences of running text begin and end, without white space; lines end them as well."""
    for start, end in pairwise(sorted({*starts, 0, len(text)})):
        for match in re.finditer(r"[^\s][^\n]*", text[start:end]):
            yield start + match.start(), start + match.start() + len(match[0].rstrip())


def _may_be_mended(written: str, edits: Sequence[Edit]) -> bool:
    """Return whether a sentence is one of running text that has more than numbers of people and codes put in."""
    count = len(WORD.findall(written))
    has_words = any(edit.rung not in NEVER_MENDED and edit.type != "CODE" for edit in edits)
    return has_words and SHORTEST <= count <= LONGEST and bool(ENDS.search(written))


def _as_edits(text: str, start: int, end: int, edits: Sequence[Edit], after: str) -> list[Edit]:
    """Return edits that make a sentence the mended one: those before and behind what changed, and one for that."""
    first, last = 0, len(edits)
    while first < last and after.startswith(_written(text, start, edits[first].end, edits[: first + 1])):
        first += 1
    while last > first and after.endswith(_written(text, edits[last - 1].start, end, edits[last - 1 :])):
        last -= 1
    if first == last:  # what changed touches no edit: the nearest goes with it
        first, last = (first - 1, last) if first else (first, last + 1)
    left = edits[first - 1].end if first else start
    right = edits[last].start if last < len(edits) else end
    opening = _written(text, start, left, edits[:first])
    closing = _written(text, right, end, edits[last:])
    if not after.startswith(opening) or not after.endswith(closing) or len(opening) + len(closing) > len(after):
        left, right, opening, closing, first, last = start, end, "", "", 0, len(edits)
    mended = after[len(opening) : len(after) - len(closing)]
    left, right, mended = _without_same_ends(text, left, right, mended, edits[first:last])
    whole = _one_edit(left, right, mended, edits[first:last])
    result = [*edits[:first], whole, *edits[last:]]
    return result if _written(text, start, end, result) == after else [_one_edit(start, end, after, edits)]


def _one_edit(start: int, end: int, mended: str, edits: Sequence[Edit]) -> Edit:
    """Return one edit that stands for several."""
    riskiest = max(edits, key=lambda edit: edit.risk if edit.risk is not None else 1.0)
    return replace(
        riskiest, start=start, end=end, replacement=mended, rung=POLISHED, ladder=NO_LADDER, rung_index=-1,
        replacement_risk=max(edit.replacement_risk for edit in edits),
    )  # fmt: skip


def _without_same_ends(text: str, left: int, right: int, mended: str, edits: Sequence[Edit]) -> tuple[int, int, str]:
    """Leave out what is the same at both ends, up to the first and last edit, in whole words."""
    ahead, behind = text[left : edits[0].start], text[edits[-1].end : right]
    same = 0
    for match in re.finditer(r"\S+\s+", ahead):
        if not mended.startswith(ahead[: match.end()]):
            break
        same = match.end()
    left, mended = left + same, mended[same:]
    same = 0
    for match in reversed(list(re.finditer(r"\s+\S+", behind))):
        if not mended.endswith(behind[match.start() :]):
            break
        same = len(behind) - match.start()
    return left, right - same, mended[: len(mended) - same]


def _written(text: str, start: int, end: int, edits: Iterable[Edit]) -> str:
    """Return a part of a text with its edits done."""
    return splice(text[start:end], ((edit.start - start, edit.end - start, edit.replacement) for edit in edits))
