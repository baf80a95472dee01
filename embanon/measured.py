"""What is measured of an output, group by group: the table of all measures, with what each of them needs.

A measure gives a share, whose rows are documents, so that its bounds and its value in each document are known; or the
reason why there is none, which is never 0.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np

from embanon.annotations import Pair
from embanon.measures import tab, words
from embanon.measures.information import Information, OfFrequencies
from embanon.measures.intervals import Interval, interval, interval_f
from embanon.measures.share import EQUAL, Scores, Share
from embanon.measures.tags import Shipped, Tags

RECALL_TWICE: Final = 2.0
DIGITS: Final = 4


@dataclass(frozen=True, slots=True)
class Instruments:
    """What measures look with, each with its name."""

    tags: Tags = field(default_factory=Shipped)
    information: Information = field(default_factory=OfFrequencies)


@dataclass(frozen=True, slots=True)
class Figure:
    """A measure of an output; where there is no value, why."""

    group: str
    name: str
    value: float | None
    bounds: Interval | None = None
    reason: str = ""

    def to_dict(self) -> dict[str, Any]:
        """Give value and bounds, or the reason."""
        if self.value is None:
            return {"value": None, "reason": self.reason}
        bounds = self.bounds
        found: dict[str, Any] = {"value": round(self.value, DIGITS)}
        if bounds:
            found |= {"low": round(bounds.low, DIGITS), "high": round(bounds.high, DIGITS), "bounds": bounds.how}
        return found


@dataclass(frozen=True, slots=True)
class F:
    """The mean of precision and recall, of which the second may count more."""

    scores: Scores
    beta: float = EQUAL


Quantity = Share | F | float | None
Row = tuple[str, Quantity, str]
"""The name of a measure, what it gives, and why it may have no value."""
Measure = Callable[[Sequence[Pair], Instruments], Iterator[Row]]

EMPTY: Final = "nothing to count"
UNTOLD: Final = "the gold does not tell direct identifiers from others"
UNTYPED: Final = "gold or output has no types"


def _scores(scores: Scores, prefix: str = "") -> Iterator[Row]:
    yield f"{prefix}P", scores.precision, "nothing is masked"
    yield f"{prefix}R", scores.recall, "nothing is to be masked"
    yield f"{prefix}F1", F(scores), EMPTY


def _words(pairs: Sequence[Pair], _with: Instruments) -> Iterator[Row]:
    found = words.word_scores(pairs)
    yield from _scores(found)
    yield "F2", F(found, RECALL_TWICE), EMPTY


def _mentions(pairs: Sequence[Pair], _with: Instruments) -> Iterator[Row]:
    found = words.mention_scores(pairs)
    yield from _scores(found.exact, "exact ")
    yield from _scores(found.covered, "covered ")


def _entities(pairs: Sequence[Pair], _with: Instruments) -> Iterator[Row]:
    yield "R", words.entity_recall(pairs), "nothing is to be masked"


def _tab(pairs: Sequence[Pair], using: Instruments) -> Iterator[Row]:
    found = tab.tab(pairs, using.tags, using.information)
    yield "ER_di", found.direct, UNTOLD
    yield "ER_qi", found.quasi, UNTOLD
    yield "ER", found.entities, "nothing is to be masked"
    yield "R", found.recall, "nothing is to be masked"
    yield "P", found.precision, "nothing is masked"
    yield "WP", found.weighted, "nothing is masked"


def _types(pairs: Sequence[Pair], _with: Instruments) -> Iterator[Row]:
    found = words.word_scores_by_type(pairs)
    if set(found) <= {words.UNTYPED}:
        yield "by type", None, UNTYPED
        return
    for type, scores in found.items():
        yield f"{type or 'untyped'} P", scores.precision, "the output has none of this type"
        yield f"{type or 'untyped'} R", scores.recall, "the gold has none of this type"


GROUPS: Final[dict[str, Measure]] = {
    "words": _words,
    "mentions": _mentions,
    "entities": _entities,
    "TAB": _tab,
    "types": _types,
}
"""Name of a group -> what measures it."""


def figures(pairs: Sequence[Pair], using: Instruments, *, bounds: bool, seed: int) -> Iterator[Figure]:
    """Give all measures of an output; bounds cost most of the time."""
    for group, measure in GROUPS.items():
        for name, quantity, reason in measure(pairs, using):
            value, found = _value(quantity), None
            if bounds and value is not None:
                found = _bounds(quantity, seed)
            yield Figure(group, name, value, found, "" if value is not None else reason)


def _value(quantity: Quantity) -> float | None:
    if isinstance(quantity, Share):
        return quantity.value
    value = quantity.scores.f(quantity.beta) if isinstance(quantity, F) else quantity
    return None if value is None or np.isnan(value) else value


def _bounds(quantity: Quantity, seed: int) -> Interval | None:
    if isinstance(quantity, Share):
        return interval(quantity, seed=seed)
    return interval_f(quantity.scores, quantity.beta, seed=seed) if isinstance(quantity, F) else None
