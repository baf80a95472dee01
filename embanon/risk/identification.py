"""How likely a phrase helps to single out somebody: a calibrated probability.

Nearly all evidence is in the labeler's chance that the phrase is a mention of what identifies, by its type; where the
same stands elsewhere in the document counts a little more. Rarity, kind, length and place in the line add nothing that
the labeler has not weighed: they were tried. Weights are learnt from what people decided on letters, judgments,
biographies and clinical records (embeddings/build/identification.py).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

from embanon.data import find_resource, open_archive, pack_archive
from embanon.document import FORMS, TYPES, Floats, Ints, Phrases
from embanon.language import key

FORMAT: Final = 1
CHANCE_BOUNDS: Final = (-5.0, -4.0, -3.0, -2.0, -1.2, -0.5, 0.0, 0.5, 1.2, 2.0, 3.0, 4.0, 5.0)
"""Where the logarithm of the odds of being a mention is cut into classes."""
CHANCES: Final = len(CHANCE_BOUNDS) + 1
ELSEWHERE_BOUNDS: Final = (-4.0, -2.0, 0.0, 2.0, 4.0)
MAX_ODDS: Final = 1e4
REFERENCE: Final = FORMS.index("reference")


@dataclass(frozen=True, slots=True)
class Evidence:
    """What is seen of each phrase: by name, its class in each respect."""

    columns: Mapping[str, Ints] = field(repr=False)

    @classmethod
    def gather(cls, text: str, phrases: Phrases, chance: NDArray[np.float32]) -> Evidence:
        """Look at the phrases of a text and their chances to be mentions."""
        odds = _log_odds(chance)
        level, type = np.digitize(odds, CHANCE_BOUNDS), phrases.type.astype(np.int64)
        written = [text[start:end] for start, end in zip(phrases.start.tolist(), phrases.end.tolist(), strict=True)]
        elsewhere = np.digitize(_highest_elsewhere(written, odds), ELSEWHERE_BOUNDS)
        return cls({"chance": level, "type": type * CHANCES + level, "elsewhere": elsewhere * CHANCES + level})


SIZES: Final = {"chance": CHANCES, "type": len(TYPES) * CHANCES, "elsewhere": (len(ELSEWHERE_BOUNDS) + 1) * CHANCES}
"""How many classes there are in each respect."""


def _log_odds(chance: NDArray[np.float32]) -> Floats:
    likely = np.nan_to_num(chance.astype(np.float64), nan=0.0)
    odds: Floats = np.log(np.clip(likely / np.maximum(1 - likely, 1 / MAX_ODDS), 1 / MAX_ODDS, MAX_ODDS))
    return odds


def _highest_elsewhere(written: Sequence[str], odds: Floats) -> Floats:
    """Return the highest odds of the same phrase at other places; the lowest where it stands once."""
    places: dict[str, list[int]] = {}
    for place, phrase in enumerate(written):
        places.setdefault(key(phrase), []).append(place)
    highest = np.full(len(written), CHANCE_BOUNDS[0])
    for same in places.values():
        if len(same) > 1:
            ranked = sorted(same, key=odds.__getitem__)
            highest[same] = odds[ranked[-1]]
            highest[ranked[-1]] = odds[ranked[-2]]
    return highest


@dataclass(frozen=True, slots=True)
class Identification:
    """What each class of evidence adds to the odds."""

    weights: Mapping[str, Floats] = field(repr=False)
    bias: float = 0.0

    def of_evidence(self, evidence: Evidence) -> Floats:
        """Return the probability that evidence makes."""
        odds = self.bias + sum(self.weights[name][column] for name, column in evidence.columns.items())
        probability: Floats = 1 / (1 + np.exp(-odds))
        return probability

    def probability(self, text: str, phrases: Phrases, power: Floats) -> Floats:
        """Return how likely each phrase helps to single out somebody; its power where the labeler was not asked."""
        if phrases.chance is None or not len(phrases):
            return power
        known = self.of_evidence(Evidence.gather(text, phrases, phrases.chance))
        known[phrases.form == REFERENCE] = 0.0  # a rule, a page and the like are there for anybody
        return np.where(np.isnan(phrases.chance), power, known)

    def to_bytes(self) -> bytes:
        """Write as a compressed archive of arrays."""
        return pack_archive(format=np.array([FORMAT]), bias=np.array([self.bias]), **self.weights)

    @classmethod
    def from_bytes(cls, data: bytes, name: str = "identification") -> Identification:
        """Read what `to_bytes` wrote; never unpickles."""
        with open_archive(data, name, FORMAT) as arrays:
            return cls({one: arrays[one] for one in SIZES}, float(arrays["bias"][0]))


@cache
def load_identification() -> Identification:
    """Open the shipped weights."""
    name = "weights.npz"
    return Identification.from_bytes(find_resource("embeddings", "identification", name).read_bytes(), name)
