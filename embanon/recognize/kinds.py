"""What mentions may be: of what type and kind (a school, the number of a file), or nothing that identifies."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import numpy as np
from numpy.typing import NDArray

from embanon.document import TYPES

LEARNED_KINDS: Final[Mapping[str, tuple[str, ...]]] = {
    "PERSON": ("full-name", "first-name", "surname", "initials", "nickname"),
    "ORG": (
        "company", "health", "school", "authority", "police", "court", "club", "church", "party", "union", "media",
        "shop", "department", "group", "organization",
    ),
    "LOC": ("address", "postcode", "town", "district", "region", "country", "site", "nature", "place"),
    "DATETIME": (
        "date", "year", "month", "weekday", "time", "holiday", "season", "decade", "period", "relative",
    ),
    "DEM": (
        "age", "role", "education", "nationality", "origin", "language", "religion", "politics", "union", "illness",
        "treatment", "disability", "sexuality", "kin", "offense", "appearance", "hobby", "status", "habit", "trait",
    ),
    "CODE": (
        "id-number", "phone", "e-mail", "url", "account-number", "plate", "case-number", "handle", "ip", "code",
    ),
    "QUANTITY": ("money", "measure", "count", "percentage", "duration"),
    "MISC": ("event", "work", "project", "award", "vehicle", "product", "law", "animal", "object", "other"),
}  # fmt: skip
"""The kinds that can be told apart, by type."""
KIND_NAMES: Final = tuple(f"{type}.{kind}" for type in TYPES for kind in LEARNED_KINDS[type])
KIND_BOUNDS: Final = np.cumsum([0, *(len(LEARNED_KINDS[type]) for type in TYPES)])
"""Where the kinds of each type begin, and where the last ones end."""
NOTHING: Final = len(KIND_NAMES)
"""What stands behind the kinds: no mention."""
LEAST: Final = 1e-9


def _shares(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return rows that add up to one."""
    total: NDArray[np.float64] = values.sum(axis=1, keepdims=True)
    return values / np.maximum(total, LEAST)


def type_chances(chances: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return how likely each mention is of each type, if it is one."""
    return _shares(np.add.reduceat(chances[:, :NOTHING], KIND_BOUNDS[:-1], axis=1))


def likeliest_kinds(
    chances: NDArray[np.float64], types: NDArray[np.uint8]
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Return the likeliest kind of each mention of a type, as an index into KIND_NAMES, and its chance there."""
    kinds, types = np.arange(NOTHING), types.astype(np.int64)
    others = (kinds < KIND_BOUNDS[types][:, None]) | (kinds >= KIND_BOUNDS[types + 1][:, None])
    within = np.where(others, 0.0, chances[:, :NOTHING] + LEAST)
    best: NDArray[np.int64] = within.argmax(axis=1)
    return best, within[np.arange(len(best)), best] / within.sum(axis=1)
