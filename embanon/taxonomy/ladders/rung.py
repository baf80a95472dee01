"""What a ladder is made of, and what a caller may know of a phrase's surroundings."""

from __future__ import annotations

from dataclasses import dataclass, field

Step = tuple[str, str]
"""A label and its kind, before a ladder numbers and checks it."""


@dataclass(frozen=True, slots=True)
class ComputedRung:
    """A true generalization of a phrase.

    `level` counts from 1, the most specific. `kind` says what the label is: `year`, `decade`, `range`; `type` labels
    say no more than the phrase's type does, and `person` is the place of a number that is given later.
    """

    label: str = field(repr=False)
    level: int
    kind: str


@dataclass(frozen=True, slots=True)
class Context:
    """What stands before and after a phrase in its sentence, and the phrase's head, as far as a caller knows them."""

    before: str = field(default="", repr=False)
    after: str = field(default="", repr=False)
    head: str = field(default="", repr=False)


NO_CONTEXT = Context()
