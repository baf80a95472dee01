"""The nouns that flow through embanon: documents, phrases, identifiers. All offsets are half-open code points."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Final

TYPES: Final = ("PERSON", "ORG", "LOC", "DATETIME", "DEM", "CODE", "QUANTITY", "MISC")
"""TAB's eight types, in the order of their codes."""

FORMS: Final = ("name", "title", "date", "number", "quantity", "reference", "code", "common")
"""How a phrase is written, which decides how its rarity is read (scoring)."""


@dataclass(frozen=True, slots=True)
class Identifier:
    """A structured identifier; `checked` says that its checksum or registry rule was verified."""

    start: int
    end: int
    type: str
    kind: str
    checked: bool = False


@dataclass(frozen=True, slots=True)
class Phrase:
    """A unit of text that can be masked: `doc.text[start:end]`, its head at `head_start:head_end`.

    `base` numbers the base noun phrase that it belongs to: phrases that touch share the number.
    """

    start: int
    end: int
    type: str
    kind: str
    form: str
    head_start: int
    head_end: int
    base: int

    def to_dict(self) -> dict[str, Any]:
        """Give the fields by name, ready for JSON."""
        return {name: getattr(self, name) for name in self.__slots__}


@dataclass(frozen=True, slots=True)
class Document:
    """A text with its id and language (`None` until given or detected). The text never shows in a repr."""

    id: str
    text: str = field(repr=False)
    language: str | None = None
