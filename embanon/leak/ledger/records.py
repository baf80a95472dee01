"""The records of a document, as a scan writes them and as a ledger returns them."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import PurePath
from typing import Any, Final

import numpy as np

MENTION: Final = np.dtype(
    [("entity", "<u4"), ("start", "<u4"), ("end", "<u4"), ("phrase", "<i8"), ("risk", "<f8")]
)  # fmt: skip
"""One place of a phrase (keyed) in a text, as half-open code points, and its risk to an entity."""
UNKNOWN_SENSITIVITY: Final = -1.0
"""The sensitivity of a document of which nothing can be said."""
MOSTLY_UNKNOWN: Final = -1
"""The unknown words of a document that are so many that nothing can be said of what it hints at."""
DAY_MILLISECONDS: Final = 86_400_000
"""In milliseconds."""
RISK_BANDS: Final = 10
"""Into which risks are counted; the last one holds 1 as well."""


@dataclass(frozen=True, slots=True)
class RiskyPhrase:
    """A phrase of a text that discloses an entity: as it is written, or its pseudonym in a ledger."""

    phrase: str | int = field(repr=False)
    risk: float
    start: int
    end: int

    def __post_init__(self) -> None:
        if not (0 < self.risk <= 1 and 0 <= self.start < self.end):  # false for what is not a number, too
            raise ValueError("a phrase that is kept has a risk above 0 and at most 1, and a place in the text")


@dataclass(frozen=True, slots=True)
class EntityDisclosure:
    """What a document tells of an entity: by its strongest phrase, and by all of them together."""

    entity: str = field(repr=False)
    strength: float
    risk: float
    phrases: tuple[RiskyPhrase, ...] = ()
    allowed: bool = False
    near_copy_of: str | None = field(default=None, repr=False)
    """What a document is called of which it has a passage, or nearly."""

    def __post_init__(self) -> None:
        if not (0 < self.risk <= 1 and 0 <= self.strength <= 1):
            raise ValueError("what is disclosed has a risk above 0 and at most 1, and a strength from 0 to 1")


@dataclass(frozen=True, slots=True)
class ScanResult:
    """What a scan says of a document. Without content it is gone.

    `since` is when it came to be like that, in milliseconds since 1970, if that was not when it was scanned: who opened
    it then knows this version. What was read of logs before stays as it is.
    """

    name: str
    content: bytes = field(repr=False)
    disclosed: tuple[EntityDisclosure, ...] = ()
    length: int = 0
    unknown_words: int = 0
    label: str | None = None
    folder: str | None = None
    since: int | None = None
    near_duplicate_of: str | bytes | None = None
    """A document that it, or a passage of it, nearly repeats: its name, or what the ledger knows it by."""
    sketch: bytes | None = field(default=None, repr=False)
    """What near duplicates are found by."""
    sensitivity: float | None = None
    """The probability that it is sensitive as a whole; -1 where unknown, `None` if not asked for."""

    def __post_init__(self) -> None:
        if self.sensitivity is not None and not (self.sensitivity == UNKNOWN_SENSITIVITY or 0 <= self.sensitivity <= 1):
            raise ValueError("a sensitivity is from 0 to 1, or -1")


def folder_of(name: str, depth: int) -> str:
    """Return the first folders of a path."""
    parts = PurePath(name).parent.parts
    anchored = bool(parts) and parts[0] in ("/", "\\")
    return PurePath(*parts[: depth + anchored]).as_posix() if parts and depth else "."


def display_name(row: Any) -> str:
    """Return the name of a document or user, or its pseudonym."""
    return str(row.name or row.keyed.hex()[:12])


def storable(name: str) -> str:
    """Return a name as any database takes it: names of files may hold bytes that are not text."""
    return name.encode("utf-8", "replace").decode("utf-8").replace("\0", "?")


def risk_band(risk: float) -> int:
    """Return the band of a risk."""
    return min(int(risk * RISK_BANDS), RISK_BANDS - 1)
