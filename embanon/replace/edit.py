"""The edit of a text, and the replacements that are not words: tags, numbers, marks, masks."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from embanon.document import entity_label

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
