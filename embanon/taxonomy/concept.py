"""What a builder of taxonomies gives: concepts with their labels, and what is broader than each."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

LINKS: Final = ("subclass", "instance", "part", "located-in", "occupation", "member", "related")
"""Why a concept is broader, in the order of their codes: a kind of, an instance of, a part of, in, who works as, of."""
UPWARDS: Final = frozenset(("subclass", "instance", "located-in", "occupation"))
"""Links whose broader concept can be said truly instead of the narrower one; a part is not its whole."""

ANY: Final = "mul"
"""The language of a label that is the same in all: a code, a chemical formula."""


@dataclass(frozen=True, slots=True)
class Label:
    """What a concept is called; of one language, the first is shown and the others only find it.

    `weight` is how often the label means this concept where that is counted (of a word of WordNet), else 0.
    """

    language: str
    text: str
    weight: float = 0.0


@dataclass(frozen=True, slots=True)
class Broader:
    """A concept that is broader than another, by its id, and why."""

    id: str
    link: str


@dataclass(frozen=True, slots=True)
class Concept:
    """A thing or a kind of things.

    `id` is its own in the source: `wn:02084071-n`, `Q5`, `geo:2950159`. `type` is one of TAB's eight where all of it
    is of that type. `weight` says how well known it is: inhabitants, occurrences, links; it is its prior where labels
    have none. `hidden` concepts are climbed through and never shown: too abstract, or of maintenance.
    """

    id: str
    labels: tuple[Label, ...] = field(default=())
    broader: tuple[Broader, ...] = ()
    type: str = ""
    weight: float = 0.0
    hidden: bool = False
