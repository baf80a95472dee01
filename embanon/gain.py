"""Say what a replacement would give back to an attacker with public text: linkage gain."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from embanon.linkage.attackers import Background, Seen, bag, best_rivals
from embanon.linkage.postings import Ints

MOST: Final = 0.1
"""The gain from which a replacement is left for a more general one."""
SCALE: Final = 100


@dataclass(frozen=True, slots=True, eq=False)
class Gain:
    """Weighs labels for one document: by what speaks for the target, and not for those whom it resembles."""

    background: Background
    target: int
    rivals: Ints = field(repr=False)
    _known: dict[str, float] = field(default_factory=dict, init=False, repr=False)

    @classmethod
    def of(cls, masked: str, background: Background, target: int) -> Gain:
        """Find the rivals that the masked text leaves."""
        return cls(background, target, best_rivals(background.tfidf.scores(bag(masked)), target))

    def __call__(self, label: str) -> float:
        """Sum over the words of a label: rarity times the weight for the target, less the mean of its rivals'."""
        found = self._known.get(label)
        if found is None:
            attacker = self.background.tfidf
            _, rows, counts = attacker.postings.known(bag(label))
            telling = Seen.of(attacker, rows).telling(self.target, self.rivals)
            found = self._known[label] = SCALE * float(attacker.asked(rows, counts) @ telling)
        return found

    def is_small(self, label: str) -> bool:
        """Say that a label gives nothing back that counts."""
        return self(label) <= MOST
