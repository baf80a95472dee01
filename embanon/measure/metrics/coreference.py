"""Coreference of mentions (B³), the share of entities with a known generalization, and whether it suits."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence

from embanon.measure.annotations import DocumentPair, Mention
from embanon.measure.metrics.share import Scores, Share
from embanon.measure.metrics.tab import entities_to_mask

Span = tuple[int, int]
Clusters = Mapping[Span, str | Span]
"""What each mention is of: an entity, or itself alone."""
HasBroader = Callable[[str, str], bool]
"""Says whether a knowledge base has something broader than a phrase of a type."""


def b_cubed(pairs: Sequence[DocumentPair]) -> Scores:
    """Compare whom mentions mean, micro over mentions (`by_document` of both gives the mean over documents).

    A mention that only one side has is right in nothing. Mentions without an entity are each one of their own; of
    several with the same offsets, the last counts.
    """
    precision, recall = list[tuple[float, float]](), list[tuple[float, float]]()
    for pair in pairs:
        system, every = clusters(pair.output.mentions), [clusters(one.mentions) for one in pair.gold.annotations]
        precision.append((sum(_b_cubed_sum(system, gold) for gold in every), float(len(system) * len(every))))
        recall.append((sum(_b_cubed_sum(gold, system) for gold in every), float(sum(map(len, every)))))
    return Scores(Share.from_rows(precision), Share.from_rows(recall))


def clusters(mentions: Iterable[Mention]) -> Clusters:
    """Return the cluster of each mention."""
    every = ((one.start, one.end, one.entity) for one in mentions)
    return {(start, end): (start, end) if entity is None else entity for start, end, entity in every}


def _b_cubed_sum(first: Clusters, other: Clusters) -> float:
    """Add up, for each mention of the one, the share of its cluster that is in that of the other."""
    sizes, both = Counter(first.values()), Counter((name, other[span]) for span, name in first.items() if span in other)
    # Each of so many mentions that are in one cluster of both has the others of them, of all in its own.
    return sum(count * count / sizes[name] for (name, _), count in both.items())


def availability(pairs: Sequence[DocumentPair], known: HasBroader) -> Share:
    """Return the share of entities to be masked of which a mention is known to have something broader."""
    rows = []
    for pair in pairs:
        text = pair.gold.text
        flags = [
            any(known(text[one.start : one.end], one.type or "") for one in entity.mentions)
            for annotation in pair.gold.annotations
            for entity in entities_to_mask(annotation)
        ]
        rows.append((float(sum(flags)), float(len(flags))))
    return Share.from_rows(rows)


def relevance(ratings: Sequence[Sequence[bool | None]]) -> Share:
    """Return the share of replacements that suit, micro over raters: a row for each replacement, `None` is no answer.

    The parts are those of each replacement, not of each document.
    """
    answers = [[one for one in row if one is not None] for row in ratings]
    return Share.from_rows((float(sum(row)), float(len(row))) for row in answers)
