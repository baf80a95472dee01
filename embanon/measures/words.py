"""Precision and recall of words, of mentions and of entities, micro over documents and annotators.

A word (`\\w+`) is masked, and is gold, if any of its characters is. What counts is whether something is masked, not as
what. Where several people marked a text, each is compared with the output by itself; `embanon.measures.spans.united`
makes one of them. A text that nobody marked counts nowhere; one in which somebody marked nothing does.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final

import numpy as np

from embanon.annotations import NO_MASK, Mention, Pair
from embanon.measures.share import Scores, Share
from embanon.measures.spans import Flags, Ints, bounds, counted, covered, distinct, marked, telling, words
from embanon.measures.tab import entities as entities_of

UNTYPED: Final = ""
"""The type of mentions that have none."""

Row = tuple[float, float]


@dataclass(frozen=True, slots=True, eq=False)
class Mentions:
    """Mentions that are found, by what counts as found."""

    exact: Scores
    """The same offsets."""
    covered: Scores
    """All letters and digits of the one are in the other."""
    overlap: Scores
    """A character is shared."""


def word_scores(pairs: Sequence[Pair]) -> Scores:
    """Compare words."""
    return _scores(_compared(pair, words(pair.gold.text), _any) for pair in pairs)


def word_scores_by_type(pairs: Sequence[Pair]) -> Mapping[str, Scores]:
    """Compare words by type, in alphabetical order.

    Recall: the gold words of the type that are masked, as whatever. Precision: the words that the system masked as of
    the type that are gold, of whatever type. The words of several types count for each.
    """
    types = {type_of(one) for pair in pairs for gold in pair.gold.annotations for one in gold.masked}
    types |= {type_of(one) for pair in pairs for one in pair.output.mentions}
    every = [words(pair.gold.text) for pair in pairs]
    found = {}
    for type in sorted(types):
        found[type] = _scores(
            _compared(pair, some, partial(_is_of, type)) for pair, some in zip(pairs, every, strict=True)
        )
    return found


def type_of(mention: Mention) -> str:
    """Give the type of a mention, which may be none."""
    return mention.type or UNTYPED


def _is_of(type: str, mention: Mention) -> bool:
    return type_of(mention) == type


def _any(mention: Mention) -> bool:
    return True


def _compared(pair: Pair, every: Ints, is_asked: Callable[[Mention], bool]) -> tuple[Row, Row]:
    """Count the words of a document for precision and recall, of the mentions that are asked for."""
    text, output = pair.gold.text, pair.output.mentions
    masked = _touched(text, every, bounds(output))
    asked = _touched(text, every, bounds(filter(is_asked, output)))
    counts = np.zeros(4)
    for annotation in pair.gold.annotations:
        gold = _touched(text, every, bounds(annotation.masked))
        wanted = _touched(text, every, bounds(filter(is_asked, annotation.masked)))
        counts += [(asked & gold).sum(), asked.sum(), (masked & wanted).sum(), wanted.sum()]
    found = counts.tolist()
    return (found[0], found[1]), (found[2], found[3])


def _touched(text: str, every: Ints, spans: Ints) -> Flags:
    """Say which words have a character in one of some spans."""
    return counted(marked(len(text), spans), every) > 0


def mention_scores(pairs: Sequence[Pair]) -> Mentions:
    """Compare mentions; those of the same offsets are one."""
    found = [list(rows) for rows in zip(*map(_of_mentions, pairs), strict=True)] or [[], [], []]
    return Mentions(*map(_scores, found))


def _of_mentions(pair: Pair) -> list[tuple[Row, Row]]:
    """Count the mentions of a document: exact, covered, overlap; each for precision and recall."""
    text, output = pair.gold.text, distinct(bounds(pair.output.mentions))
    told, masked = telling(text), marked(len(text), output)
    counts = np.zeros((3, 2, 2))
    for annotation in pair.gold.annotations:
        gold = distinct(bounds(annotation.masked))
        wanted = marked(len(text), gold)
        same = len(set(map(tuple, gold.tolist())) & set(map(tuple, output.tolist())))
        for number, (spans, other) in enumerate(((output, wanted), (gold, masked))):
            hits = (same, covered(told, other, spans).sum(), (counted(other, spans) > 0).sum())
            counts[:, number] += [(hit, len(spans)) for hit in hits]
    return [((p[0], p[1]), (r[0], r[1])) for p, r in counts.tolist()]


def entity_recall(pairs: Sequence[Pair]) -> Share:
    """Give the share of entities all of whose mentions are covered, nothing of them left out."""
    rows = []
    for pair in pairs:
        text = pair.gold.text
        told, masked = telling(text), marked(len(text), bounds(pair.output.mentions))
        found = [
            covered(told, masked, bounds(one for one in entity.mentions if one.identifier != NO_MASK)).all()
            for annotation in pair.gold.annotations
            for entity in entities_of(annotation)
        ]
        rows.append((float(sum(found)), float(len(found))))
    return Share.rows(rows)


def _scores(rows: Iterable[tuple[Row, Row]]) -> Scores:
    found = list(rows)
    return Scores(Share.rows(one for one, _ in found), Share.rows(one for _, one in found))
