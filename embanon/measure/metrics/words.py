"""Precision and recall of words, of mentions and of entities, micro over documents and annotators.

A word (`\\w+`) is masked, and is gold, if any of its characters is. What counts is whether something is masked, not as
what. Where several people marked a text, each is compared with the output by itself; `spans.united`
makes one of them. A text that nobody marked counts nowhere; one in which somebody marked nothing does.

By type, recall is of what is gold of the type and masked as whatever, precision of what the system masked as of the
type and is gold of whatever type; types are in alphabetical order, what has none under "".
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain
from typing import Final

import numpy as np

from embanon.measure.annotations import NO_MASK, Mention, Pair
from embanon.measure.metrics.share import Scores, Share
from embanon.measure.metrics.spans import Ints, bounds, counted, covered, distinct, marked, overlaps, telling, words
from embanon.measure.metrics.tab import entities as entities_of

UNTYPED: Final = ""
"""The type of mentions that have none."""

Row = tuple[float, float]
ABSENT: Final = ((0.0, 0.0), (0.0, 0.0))
"""Precision and recall of a type in a document that has none of it."""
Asked = Callable[[Mention], bool]
"""Says which mentions are counted."""


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
    return _scores(_words(pair, words(pair.gold.text), _any) for pair in pairs)


def word_scores_by_type(pairs: Sequence[Pair]) -> Mapping[str, Scores]:
    """Compare words by type; one in mentions of several types counts for each."""
    return {
        type: _scores(_words(one, words(one.gold.text), asked) if one else ABSENT for one in some)
        for type, asked, some in _by_type(pairs)
    }


def mention_scores(pairs: Sequence[Pair], is_asked: Asked | None = None) -> Mentions:
    """Compare mentions; those of the same offsets are one."""
    return _found([_mentions(pair, is_asked or _any) for pair in pairs])


def mention_scores_by_type(pairs: Sequence[Pair]) -> Mapping[str, Mentions]:
    """Compare mentions by type; whether something has the same offsets does not depend on its type either."""
    return {
        type: _found([_mentions(one, asked) if one else (ABSENT,) * 3 for one in some])
        for type, asked, some in _by_type(pairs)
    }


def entity_recall(pairs: Sequence[Pair], is_asked: Asked | None = None) -> Share:
    """Give the share of entities all of whose mentions are covered, nothing of them left out."""
    return Share.rows(_entities(pair, is_asked or _any) for pair in pairs)


def entity_recall_by_type(pairs: Sequence[Pair]) -> Mapping[str, Share]:
    """Give that by the type of the first mention."""
    return {
        type: Share.rows(_entities(one, asked) if one else ABSENT[1] for one in some)
        for type, asked, some in _by_type(pairs)
    }


def types(pairs: Sequence[Pair]) -> list[str]:
    """Give the types of gold and output."""
    found = {type_of(one) for pair in pairs for gold in pair.gold.annotations for one in gold.masked}
    return sorted(found | {type_of(one) for pair in pairs for one in pair.output.mentions})


def type_of(mention: Mention) -> str:
    """Give the type of a mention, which may be none."""
    return mention.type or UNTYPED


def _by_type(pairs: Sequence[Pair]) -> Iterator[tuple[str, Asked, list[Pair | None]]]:
    """Give each type, and the documents that have it; of others there is nothing to count."""
    every = [(pair, set(map(type_of, chain(pair.output.mentions, *(one.mentions for one in pair.gold.annotations)))))
             for pair in pairs]  # fmt: skip
    for type in types(pairs):
        yield type, partial(_is_of, type), [pair if type in has else None for pair, has in every]


def _is_of(type: str, mention: Mention) -> bool:
    return type_of(mention) == type


def _any(mention: Mention) -> bool:
    return True


def _words(pair: Pair, every: Ints, is_asked: Asked) -> tuple[Row, Row]:
    """Count words for precision and recall."""
    output = pair.output.mentions
    masked = overlaps(every, bounds(output))
    asked = overlaps(every, bounds(filter(is_asked, output)))
    counts = np.zeros(4)
    for annotation in pair.gold.annotations:
        gold = overlaps(every, bounds(annotation.masked))
        wanted = overlaps(every, bounds(filter(is_asked, annotation.masked)))
        counts += [(asked & gold).sum(), asked.sum(), (masked & wanted).sum(), wanted.sum()]
    found = counts.tolist()
    return (found[0], found[1]), (found[2], found[3])


def _found(rows: Sequence[Sequence[tuple[Row, Row]]]) -> Mentions:
    exact, covered, overlap = (_scores(row[number] for row in rows) for number in range(3))
    return Mentions(exact, covered, overlap)


def _mentions(pair: Pair, is_asked: Asked) -> list[tuple[Row, Row]]:
    """Count mentions: exact, covered, overlap; each for precision and recall."""
    text, output = pair.gold.text, pair.output.mentions
    told, counts = telling(text), np.zeros((3, 2, 2))
    for annotation in pair.gold.annotations:
        for number, (own, other) in enumerate(((output, annotation.masked), (annotation.masked, output))):
            spans, others = distinct(bounds(filter(is_asked, own))), bounds(other)
            there = marked(len(text), others)
            same = len(set(map(tuple, spans.tolist())) & set(map(tuple, others.tolist())))
            hits = (same, covered(told, there, spans).sum(), (counted(there, spans) > 0).sum())
            counts[:, number] += [(hit, len(spans)) for hit in hits]
    return [((p[0], p[1]), (r[0], r[1])) for p, r in counts.tolist()]


def _entities(pair: Pair, is_asked: Asked) -> Row:
    """Count entities that are covered, and all."""
    text, every = pair.gold.text, [entity for one in pair.gold.annotations for entity in entities_of(one)]
    some = [entity for entity in every if is_asked(entity.mentions[0])]
    needed = [(n, one) for n, entity in enumerate(some) for one in entity.mentions if one.identifier != NO_MASK]
    whole = covered(telling(text), marked(len(text), bounds(pair.output.mentions)), bounds(one for _, one in needed))
    left = {number for (number, _), is_covered in zip(needed, whole.tolist(), strict=True) if not is_covered}
    return float(len(some) - len(left)), float(len(some))


def _scores(rows: Iterable[tuple[Row, Row]]) -> Scores:
    found = list(rows)
    return Scores(Share.rows(one for one, _ in found), Share.rows(one for _, one in found))
