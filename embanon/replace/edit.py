"""The edit of a text, and the replacements that are not words: tags, numbers, marks, masks."""

from __future__ import annotations

import re
import sys
import unicodedata
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from embanon.document import TYPES, entity_label

if TYPE_CHECKING:
    from embanon.taxonomy import Rung


@dataclass(frozen=True, slots=True)
class ScreenedLadder:
    """The rungs of a phrase, most specific first: those that are harmless, and all of them."""

    harmless: tuple[Rung, ...] = ()
    rungs: tuple[Rung, ...] = ()


NO_LADDER: Final = ScreenedLadder()


@dataclass(frozen=True, slots=True)
class Edit:
    """A replacement in a text: `text[start:end]` becomes `replacement`.

    No edit reaches beyond its phrase but for one exception: the article, preposition or other words directly before
    the phrase that agree with it, where they change. In a list it may stand for several phrases.
    """

    start: int
    end: int
    replacement: str = field(repr=False)
    risk: float | None
    """Of what stood there; `None` where nothing is known of it."""
    replacement_risk: float
    type: str
    entity: int
    """The number of the entity that it was risky for; -1 where for none."""
    rung: str
    """What was chosen: the kind of the rung, else the method."""
    group: int
    """Shared by phrases that mean the same."""
    ladder: ScreenedLadder = NO_LADDER
    """From which its rung was chosen; what is finer is as secret as the original."""
    rung_index: int = -1
    """Of the rung that was chosen, among the harmless ones; -1 where none was."""

    def to_dict(self) -> dict[str, Any]:
        """Return it as the contract has it."""
        return {
            "start": self.start, "end": self.end, "replacement": self.replacement, "risk": self.risk,
            "replacement_risk": self.replacement_risk, "type": self.type,
            "entity": entity_label(self.entity), "rung": self.rung,
        }  # fmt: skip


SUPPRESSION_MARK: Final = "***"
"""The mark for anything suppressed: its length reveals nothing."""
PLACEHOLDER: Final = re.compile(rf"\b(PERSON) (\d{{1,9}})\b|\[({'|'.join(TYPES)}) (\d{{1,9}})\]|\*\*\*|(?<= )\[\d+\]")
NUMBER_SUFFIX: Final = re.compile(r" \[\d+\]")


@dataclass(frozen=True, slots=True)
class ExistingPlaceholders:
    """What an earlier run has put into a text: where, and the highest number of each type."""

    spans: tuple[tuple[int, int], ...]
    highest: Mapping[str, int]

    @staticmethod
    def from_text(text: str, edits: Any = None) -> ExistingPlaceholders:
        """Find it: what no text has but by us, and what the edits of an earlier run, if they came along, have put."""
        spans, highest = list(_spans_of_edits(text, edits)), dict[str, int]()
        for match in PLACEHOLDER.finditer(text):
            spans.append(match.span())
            if type := match[1] or match[3]:
                highest[type] = max(highest.get(type, 0), int(match[2] or match[4]))
        return ExistingPlaceholders(tuple(sorted(spans)), highest)

    def covers(self, start: int, end: int) -> bool:
        """Return whether it has a part of the text."""
        place = bisect_right(self.spans, (start, sys.maxsize)) - 1
        return place >= 0 and end <= self.spans[place][1]


def _spans_of_edits(text: str, edits: Any) -> Iterator[tuple[int, int]]:
    """Return where the edits of a line of our own output stand in its text; those that do not fit are none."""
    shift = 0
    for edit in edits if isinstance(edits, list) else ():
        match edit:
            case {"start": int(start), "end": int(end), "replacement": str(replacement)}:
                at = start + shift
                if at < 0 or not text.startswith(replacement, at):
                    return  # the text has changed since: from here on nothing is where it was
                shift += len(replacement) - (end - start)
                yield at, at + len(replacement)


def mask_characters(phrase: str) -> str:
    """Replace letters and digits by signs of their class; what is between stays."""
    return "".join(_masked_characters(phrase))


def _masked_characters(phrase: str) -> Iterator[str]:
    for sign in phrase:
        if not unicodedata.combining(sign):  # accents that stand alone would tell letters
            yield "9" if sign.isnumeric() else "X" if sign.isupper() else "x" if sign.isalpha() else sign


def splice(text: str, replacements: Iterable[tuple[int, int, str]]) -> str:
    """Return a text with other words at some places, which are in order and do not overlap."""
    parts, last = list[str](), 0
    for start, end, replacement in replacements:
        parts += (text[last:start], replacement)
        last = end
    return "".join((*parts, text[last:]))
