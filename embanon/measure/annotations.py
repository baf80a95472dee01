"""The nouns of evaluation: what people marked in a text, and what a system masked of it. Offsets are code points."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

DIRECT: Final = "DIRECT"
QUASI: Final = "QUASI"
NO_MASK: Final = "NO_MASK"
IDENTIFIERS: Final = (DIRECT, QUASI, NO_MASK)
"""How a mention identifies the protected entity: alone, together with others, or not at all."""


@dataclass(frozen=True, slots=True)
class Mention:
    """A span that is marked; what is not known of it is `None`."""

    start: int
    end: int
    type: str | None = None
    entity: str | None = field(default=None, repr=False)
    """Mentions of one annotator with the same entity are one; `None` is an entity of its own."""
    identifier: str | None = None
    """One of `IDENTIFIERS`; of gold that does not say it, `None`: to be masked."""
    replacement: str | None = field(default=None, repr=False)
    """The replacement, of a system that replaces."""
    quoted: str | None = field(default=None, repr=False, compare=False)
    """The words that stand there as a file says: to be compared with the text."""


@dataclass(frozen=True, slots=True)
class Annotation:
    """What one annotator marked."""

    annotator: str
    mentions: tuple[Mention, ...]

    @property
    def mentions_to_mask(self) -> tuple[Mention, ...]:
        """Return the mentions that are to be masked."""
        return tuple(one for one in self.mentions if one.identifier != NO_MASK)


@dataclass(frozen=True, slots=True)
class GoldDocument:
    """A text with what people marked in it, each annotator apart."""

    id: str
    text: str = field(repr=False)
    annotations: tuple[Annotation, ...]
    language: str | None = None


@dataclass(frozen=True, slots=True)
class MaskedDocument:
    """What a system masked of a document."""

    id: str
    mentions: tuple[Mention, ...]


@dataclass(frozen=True, slots=True)
class DocumentPair:
    """A document with gold and what a system masked of it."""

    gold: GoldDocument
    output: MaskedDocument
