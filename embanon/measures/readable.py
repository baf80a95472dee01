"""Whether the result reads well: faults of grammar that the original did not have, by replacement.

A word model says nothing of that (rare names give way to frequent words, so any replacement looks more fluent), so
perplexity is not measured.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from embanon.annotations import Pair
from embanon.measures.faults import FAULTS, faults
from embanon.measures.share import Share
from embanon.measures.spans import language_of
from embanon.replace.placeholders import MARK


@dataclass(frozen=True, slots=True, eq=False)
class Readable:
    """New faults for each mention that is masked."""

    faults: Share
    """Of documents in a language that has rules; others have nothing to count."""
    by_rule: Mapping[str, int] = field(default_factory=dict)
    unknown: int = 0
    """Documents in other languages."""


def readable(pairs: Sequence[Pair]) -> Readable:
    """Count faults by rule."""
    rows, by_rule, unknown = list[tuple[float, float]](), Counter[str](), 0
    for pair in pairs:
        language = language_of(pair.gold)
        if language not in FAULTS:
            unknown += 1
            rows.append((0.0, 0.0))
            continue
        found = faults(pair.gold.text, published(pair), language)
        by_rule.update(found)
        rows.append((float(sum(found.values())), float(len(pair.output.mentions))))
    return Readable(Share.rows(rows), dict(sorted(by_rule.items())), unknown)


def published(pair: Pair) -> str:
    """Give the text as it reads when it is masked; of mentions that overlap the first stays."""
    text, parts, last = pair.gold.text, list[str](), 0
    for one in sorted(pair.output.mentions, key=lambda one: (one.start, -one.end)):
        if one.start >= last:
            parts += (text[last : one.start], MARK if one.replacement is None else one.replacement)
            last = one.end
    return "".join((*parts, text[last:]))
