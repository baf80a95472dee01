"""How likely a phrase helps to single out somebody: a calibrated probability.

What the labeler has learnt of mentions, what kind of phrase it is, how rare, and where else in its document the same
stands are added up as evidence. Weights are learnt from people's decisions on letters, judgments, biographies and
clinical records (embeddings/build/identification.py). What nothing was learnt of keeps its power as its risk.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

from embanon.data import find_resource, open_archive, pack_archive
from embanon.document import FORMS, TYPES, Flags, Floats, Ints, Phrases
from embanon.language import LANGUAGES, key
from embanon.risk.power import PhrasePowers

FORMAT: Final = 1
CHANCE_BOUNDS: Final = (-5.0, -4.0, -3.0, -2.0, -1.2, -0.5, 0.0, 0.5, 1.2, 2.0, 3.0, 4.0, 5.0)
"""Where the logarithm of the odds of being a mention is cut into classes."""
POWER_BOUNDS: Final = (0.1, 0.2, 0.28, 0.36, 0.44, 0.52, 0.6, 0.645, 0.7, 0.8, 0.9, 0.97)
LENGTH_BOUNDS: Final = (2, 3, 5, 8, 12, 20, 32, 48)
"""Characters of a phrase."""
UNKNOWN_KIND: Final = 0
MAX_ODDS: Final = 1e4
BEFORE: Final = "\n:(|[\"„“«-–/,.;"
"""What may stand before a phrase, blanks apart, and says what kind of place it has."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """What is seen of each phrase: by name, its class in each respect, and how many classes there are."""

    columns: Mapping[str, tuple[Ints, int]] = field(repr=False)

    @classmethod
    def gather(
        cls, text: str, phrases: Phrases, powers: PhrasePowers, kinds: Sequence[str], language: str, *, modeled: bool
    ) -> Evidence:
        """Look at the phrases of a text; `modeled` says that rarity was counted in texts of this kind."""
        assert phrases.chance is not None
        odds = _log_odds(phrases.chance)
        chance, chances = np.digitize(odds, CHANCE_BOUNDS), len(CHANCE_BOUNDS) + 1
        power = np.digitize(np.nan_to_num(powers.power, nan=1.0), POWER_BOUNDS)
        power_count = len(POWER_BOUNDS) + 1
        type, form = phrases.type.astype(np.int64), phrases.form.astype(np.int64)
        kind = _known_kinds(phrases, kinds)
        length = np.digitize(phrases.end - phrases.start, LENGTH_BOUNDS)
        written = [text[start:end] for start, end in zip(phrases.start.tolist(), phrases.end.tolist(), strict=True)]
        look = np.array([_look(part) for part in written], np.int64)
        elsewhere = np.digitize(_highest_elsewhere(written, odds), CHANCE_BOUNDS[::2])
        spoken = LANGUAGES.index(language) + 1 if language in LANGUAGES else 0
        placed = _places_before(text, phrases)
        columns = {
            "chance": (chance, chances),
            "type, chance": (type * chances + chance, len(TYPES) * chances),
            "form, chance": (form * chances + chance, len(FORMS) * chances),
            "form, power": (form * power_count + power, len(FORMS) * power_count),
            "type, power": (type * power_count + power, len(TYPES) * power_count),
            "kind": (kind, len(kinds) + 1),
            "kind, sure": (kind * 3 + np.digitize(odds, (-2.0, 2.0)), 3 * (len(kinds) + 1)),
            "type, length": (type * 9 + length, len(TYPES) * 9),
            "type, look": (type * 8 + look, len(TYPES) * 8),
            "elsewhere, chance": (elsewhere * chances + chance, 8 * chances),
            "place, type": (placed * len(TYPES) + type, (len(BEFORE) + 2) * len(TYPES)),
            "language, chance": (spoken * chances + chance, (len(LANGUAGES) + 1) * chances),
            "inherited": (powers.inherited.astype(np.int64), 2),
        }
        if modeled:  # rarity in texts of its kind is other evidence than rarity at large
            columns |= {f"modeled {name}": columns[name] for name in MODELED}
        return cls(columns)


MODELED: Final = ("chance", "type, chance", "form, power", "type, power", "kind", "inherited")
"""What counts by itself where a model of the texts is at hand."""


def _log_odds(chance: NDArray[np.float32]) -> Floats:
    likely = np.nan_to_num(chance.astype(np.float64), nan=0.0)
    return np.log(np.clip(likely / np.maximum(1 - likely, 1 / MAX_ODDS), 1 / MAX_ODDS, MAX_ODDS))


def _known_kinds(phrases: Phrases, kinds: Sequence[str]) -> Ints:
    """Return the numbers of the kinds that weights know, from 1 on."""
    number = {kind: place for place, kind in enumerate(kinds, start=UNKNOWN_KIND + 1)}
    known = np.array([number.get(kind, UNKNOWN_KIND) for kind in phrases.kinds] or [UNKNOWN_KIND], np.int64)
    return known[phrases.kind.astype(np.int64)] if phrases.kinds else np.zeros(len(phrases), np.int64)


def _look(written: str) -> int:
    """Return whether a phrase opens with a capital, has digits, has several words."""
    return written[:1].isupper() + 2 * any(map(str.isdigit, written)) + 4 * (" " in written)


def _highest_elsewhere(written: Sequence[str], odds: Floats) -> Floats:
    """Return the highest odds of the same phrase at other places; the lowest where it stands once."""
    places: dict[str, list[int]] = {}
    for place, part in enumerate(written):
        places.setdefault(key(part), []).append(place)
    highest = np.full(len(written), CHANCE_BOUNDS[0] - 1)
    for same in places.values():
        if len(same) > 1:
            ranked = sorted(same, key=odds.__getitem__)
            highest[same] = odds[ranked[-1]]
            highest[ranked[-1]] = odds[ranked[-2]]
    return highest


def _places_before(text: str, phrases: Phrases) -> Ints:
    """Return what stands before each phrase: 0 for a word, else which mark."""
    before = [_mark_before(text, start) for start in phrases.start.tolist()]
    return np.array(before, np.int64)


def _mark_before(text: str, start: int) -> int:
    while start > 0 and text[start - 1] in " \t\u00a0":
        start -= 1
    return BEFORE.find(text[start - 1]) + 1 if start else len(BEFORE) + 1


@dataclass(frozen=True, slots=True)
class Identification:
    """What each class of evidence adds to the odds; the kinds in the order of their classes."""

    kinds: tuple[str, ...]
    weights: Mapping[str, Floats] = field(repr=False)
    bias: float = 0.0

    def probability(
        self, text: str, phrases: Phrases, powers: PhrasePowers, language: str, *, modeled: bool
    ) -> Floats:
        """Return how likely each phrase helps to single out somebody; its power where nothing was learnt of it."""
        if phrases.chance is None or not len(phrases):
            return powers.power
        evidence = Evidence.gather(text, phrases, powers, self.kinds, language, modeled=modeled)
        odds = np.full(len(phrases), self.bias)
        for name, (column, _) in evidence.columns.items():
            odds += self.weights[name][column]
        unknown: Flags = np.isnan(phrases.chance)
        return np.where(unknown, powers.power, 1 / (1 + np.exp(-odds)))

    def to_bytes(self) -> bytes:
        """Write as a compressed archive of arrays."""
        tables = {name.replace(", ", "__").replace(" ", "_"): table for name, table in self.weights.items()}
        return pack_archive(
            format=np.array([FORMAT]), kinds=np.array(self.kinds), bias=np.array([self.bias]),
            names=np.array(list(self.weights)), **tables,
        )  # fmt: skip

    @classmethod
    def from_bytes(cls, data: bytes, name: str = "identification") -> Identification:
        """Read what `to_bytes` wrote; never unpickles."""
        with open_archive(data, name, FORMAT) as arrays:
            names = arrays["names"].tolist()
            tables = {one: arrays[one.replace(", ", "__").replace(" ", "_")] for one in names}
            return cls(tuple(arrays["kinds"].tolist()), tables, float(arrays["bias"][0]))


@cache
def load_identification() -> Identification:
    """Open the shipped weights."""
    name = "weights.npz"
    return Identification.from_bytes(find_resource("embeddings", "identification", name).read_bytes(), name)
