"""What may be a label: one line of text that a reader can be shown."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Final

MAX_LABEL_LENGTH: Final = 400
"""Characters; what is longer describes a concept, and does not name it."""

INVISIBLE: Final = re.compile("[\x00-\x1f\x7f-\x9f\xad\u200b\u200e\u200f\u202a-\u202e\u2060\u2066-\u2069\ufeff]")
"""Control characters and what steers the direction or the break of a line: it would change the text around it."""
SURROGATES: Final = re.compile("[\ud800-\udfff]")


def clean_label(text: str) -> str | None:
    """Return a label with single spaces and without control characters; `None` where it is empty or too long."""
    if not (text.isascii() and text.isprintable()):
        text = SURROGATES.sub("\ufffd", INVISIBLE.sub(_space_or_nothing, text))
    text = " ".join(text.split())
    return text if 0 < len(text) <= MAX_LABEL_LENGTH else None


def _space_or_nothing(match: re.Match[str]) -> str:
    return " " if match[0].isspace() else ""


LINKS: Final = ("subclass", "instance", "part", "located-in", "occupation", "member", "related")
"""Why a concept is broader, in the order of their codes: a kind of, an instance of, a part of, in, who works as, of."""
UPWARD_LINKS: Final = frozenset(("subclass", "instance", "located-in", "occupation"))
"""Links whose broader concept can be said truly instead of the narrower one; a part is not its whole."""

ANY_LANGUAGE: Final = "mul"
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
