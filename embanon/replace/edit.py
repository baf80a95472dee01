"""The edit of a text: what stands instead of a phrase, and what is known of both."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

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
            "entity": f"e{self.entity + 1}" if self.entity >= 0 else None, "rung": self.rung,
        }  # fmt: skip
