"""Precision and recall of words, of mentions and of entities, micro over documents and annotators.

A word (`\\w+`) is masked, and is gold, if any of its characters is. What counts is whether something is masked, not as
what. Where several people marked a text, each is compared with the output by itself. A text that nobody marked
counts nowhere; one in which somebody marked nothing does.

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

from embanon.measure.annotations import NO_MASK, DocumentPair, Mention
from embanon.measure.metrics.share import Scores, Share
from embanon.measure.metrics.spans import (
    Ints,
    count_flagged,
    distinct,
    fully_masked,
    mark_characters,
    overlaps,
    span_array,
    telling_characters,
    word_spans,
)
from embanon.measure.metrics.tab import entities_to_mask as entities_of

UNTYPED: Final = ""
"""The type of mentions that have none."""

HitsAndTotal = tuple[float, float]
NO_COUNTS: Final = ((0.0, 0.0), (0.0, 0.0))
"""Precision and recall of a type in a document that has none of it."""
MentionFilter = Callable[[Mention], bool]
"""Says which mentions are counted."""


@dataclass(frozen=True, slots=True, eq=False)
class MentionScores:
    """Mentions that are found, by what counts as found."""

    exact: Scores
    """The same offsets."""
    covered: Scores
    """All letters and digits of the one are in the other."""
    overlap: Scores
    """A character is shared."""


def word_scores(pairs: Sequence[DocumentPair]) -> Scores:
    """Compare words."""
    return _scores_from_rows(_words(pair, word_spans(pair.gold.text), _accept_any) for pair in pairs)


def word_scores_by_type(pairs: Sequence[DocumentPair]) -> Mapping[str, Scores]:
    """Compare words by type; one in mentions of several types counts for each."""
    return {
        type: _scores_from_rows(
            _words(one, word_spans(one.gold.text), asked) if one else NO_COUNTS for one in documents
        )
        for type, asked, documents in _by_type(pairs)
    }


def mention_scores(pairs: Sequence[DocumentPair], is_asked: MentionFilter | None = None) -> MentionScores:
    """Compare mentions; those of the same offsets are one."""
    return _scores_of_mentions([_mentions(pair, is_asked or _accept_any) for pair in pairs])


def mention_scores_by_type(pairs: Sequence[DocumentPair]) -> Mapping[str, MentionScores]:
    """Compare mentions by type; whether something has the same offsets does not depend on its type either."""
    return {
        type: _scores_of_mentions([_mentions(one, asked) if one else (NO_COUNTS,) * 3 for one in documents])
        for type, asked, documents in _by_type(pairs)
    }


def entity_recall(pairs: Sequence[DocumentPair], is_asked: MentionFilter | None = None) -> Share:
    """Return the share of entities all of whose mentions are covered, nothing of them left out."""
    return Share.from_rows(_entities(pair, is_asked or _accept_any) for pair in pairs)


def entity_recall_by_type(pairs: Sequence[DocumentPair]) -> Mapping[str, Share]:
    """Return that by the type of the first mention."""
    return {
        type: Share.from_rows(_entities(one, asked) if one else NO_COUNTS[1] for one in documents)
        for type, asked, documents in _by_type(pairs)
    }


def specificity(pairs: Sequence[DocumentPair]) -> Share:
    """Return the share of words that nobody marked and that are left (true negatives), micro over annotators."""
    rows = []
    for pair in pairs:
        every = word_spans(pair.gold.text)
        left = ~overlaps(every, span_array(pair.output.mentions))
        harmless = [~overlaps(every, span_array(one.mentions_to_mask)) for one in pair.gold.annotations]
        rows.append((float(sum((left & one).sum() for one in harmless)), float(sum(one.sum() for one in harmless))))
    return Share.from_rows(rows)


def types(pairs: Sequence[DocumentPair]) -> list[str]:
    """Return the types of gold and output."""
    names = {type_of(one) for pair in pairs for gold in pair.gold.annotations for one in gold.mentions_to_mask}
    return sorted(names | {type_of(one) for pair in pairs for one in pair.output.mentions})


def type_of(mention: Mention) -> str:
    """Return the type of a mention, which may be none."""
    return mention.type or UNTYPED


def _by_type(pairs: Sequence[DocumentPair]) -> Iterator[tuple[str, MentionFilter, list[DocumentPair | None]]]:
    """Return each type, and the documents that have it; of others there is nothing to count."""
    every = [(pair, set(map(type_of, chain(pair.output.mentions, *(one.mentions for one in pair.gold.annotations)))))
             for pair in pairs]  # fmt: skip
    for type in types(pairs):
        yield type, partial(_has_type, type), [pair if type in has else None for pair, has in every]


def _has_type(type: str, mention: Mention) -> bool:
    return type_of(mention) == type


def _accept_any(mention: Mention) -> bool:
    return True


def _words(pair: DocumentPair, every: Ints, is_asked: MentionFilter) -> tuple[HitsAndTotal, HitsAndTotal]:
    """Count words for precision and recall."""
    output = pair.output.mentions
    masked = overlaps(every, span_array(output))
    asked = overlaps(every, span_array(filter(is_asked, output)))
    counts = np.zeros(4)
    for annotation in pair.gold.annotations:
        gold = overlaps(every, span_array(annotation.mentions_to_mask))
        wanted = overlaps(every, span_array(filter(is_asked, annotation.mentions_to_mask)))
        counts += [(asked & gold).sum(), asked.sum(), (masked & wanted).sum(), wanted.sum()]
    sums = counts.tolist()
    return (sums[0], sums[1]), (sums[2], sums[3])


def _scores_of_mentions(rows: Sequence[Sequence[tuple[HitsAndTotal, HitsAndTotal]]]) -> MentionScores:
    exact, covered, overlap = (_scores_from_rows(row[number] for row in rows) for number in range(3))
    return MentionScores(exact, covered, overlap)


def _mentions(pair: DocumentPair, is_asked: MentionFilter) -> list[tuple[HitsAndTotal, HitsAndTotal]]:
    """Count mentions: exact, covered, overlap; each for precision and recall."""
    text, output = pair.gold.text, pair.output.mentions
    telling, counts = telling_characters(text), np.zeros((3, 2, 2))
    for annotation in pair.gold.annotations:
        for number, (side, other) in enumerate(
            ((output, annotation.mentions_to_mask), (annotation.mentions_to_mask, output))
        ):
            spans, others = distinct(span_array(filter(is_asked, side))), span_array(other)
            there = mark_characters(len(text), others)
            same = len(set(map(tuple, spans.tolist())) & set(map(tuple, others.tolist())))
            hits = (same, fully_masked(telling, there, spans).sum(), (count_flagged(there, spans) > 0).sum())
            counts[:, number] += [(hit, len(spans)) for hit in hits]
    return [((p[0], p[1]), (r[0], r[1])) for p, r in counts.tolist()]


def _entities(pair: DocumentPair, is_asked: MentionFilter) -> HitsAndTotal:
    """Count entities that are covered, and all."""
    text, every = pair.gold.text, [entity for one in pair.gold.annotations for entity in entities_of(one)]
    asked = [entity for entity in every if is_asked(entity.mentions[0])]
    needed = [(n, one) for n, entity in enumerate(asked) for one in entity.mentions if one.identifier != NO_MASK]
    whole = fully_masked(
        telling_characters(text),
        mark_characters(len(text), span_array(pair.output.mentions)),
        span_array(one for _, one in needed),
    )
    left = {number for (number, _), is_covered in zip(needed, whole.tolist(), strict=True) if not is_covered}
    return float(len(asked) - len(left)), float(len(asked))


def _scores_from_rows(rows: Iterable[tuple[HitsAndTotal, HitsAndTotal]]) -> Scores:
    listed = list(rows)
    return Scores(Share.from_rows(one for one, _ in listed), Share.from_rows(one for _, one in listed))
