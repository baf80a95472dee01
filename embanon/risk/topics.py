"""How much each phrase reveals that a text is about a topic, even one never named: an illness, a project.

The phrases that tell most are taken away one after the other; what a phrase risks is what the text risks while it is
still there. So a text without all phrases at or above a limit is below it. What is near says `topic_calibration`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from statistics import NormalDist
from typing import Final

import numpy as np

from embanon.config import PRESETS
from embanon.document import Flags, Floats, Ints, Phrases
from embanon.entities import Entity
from embanon.language import key
from embanon.model import unit_rows
from embanon.risk.topic_model import TAIL_Z, Topic, TopicModel

STANDARD_RISK: Final = PRESETS["standard"][0]
"""The risk of a text that is as near a topic as one in twenty that have nothing to do with it."""
SHIFT: Final = NormalDist().inv_cdf(STANDARD_RISK)
SAFETY_MARGIN: Final = 1.0
"""How much further than the middle a text that is near a topic is brought away: classifiers see what is left.

Found on `eval.topical`: at the middle they still see more, further away short texts stand out.
"""
FIELD_WEIGHT: Final = 0.5
"""How much the field counts beside the meaning in what is taken away first, where there are both."""
MIN_LENGTH: Final = 1e-9
"""A length that is none."""


@dataclass(frozen=True, slots=True, eq=False)
class TopicRisk:
    """What a text tells of a topic."""

    risk: Floats = field(repr=False)
    """Of each phrase: 1 if it names the topic, 0 if unrelated, NaN if the model knows nothing of it."""
    document: float
    """The risk of the text: 1 if a phrase names the topic; NaN if no phrase is known."""
    similarity: float
    """The cosine of what does not name the topic to it; NaN if no phrase of that is known."""
    z: float
    """How near the text is without the names: 0 as most unrelated texts are, 1.645 as one of twenty is."""
    named: int
    """Phrases that name the topic."""
    unknown: int
    calibrated: bool
    """Whether the model has documents to measure by; if not, `z` stands on a usual scale."""


def measure_topic_risk(text: str, phrases: Phrases, entity: Entity, calibration: TopicModel) -> TopicRisk:
    """Return what the phrases of a text reveal about a topic.

    A text that is near enough to a topic to be at or above a limit is brought further away than this, by its
    phrases at or above the limit: at the standard one, further than most texts that have nothing to do with it.
    """
    topic, spans = calibration.topic(entity), zip(phrases.start.tolist(), phrases.end.tolist(), strict=True)
    numbers, written = dict[str, int](), list[str]()
    places = np.empty(len(phrases), np.int64)
    for place, (start, end) in enumerate(spans):
        phrase = text[start:end]
        places[place] = number = numbers.setdefault(key(phrase), len(numbers))
        if number == len(written):
            written.append(phrase)
    keys = list(numbers)
    naming = calibration.is_naming(topic.names, keys)
    parts = _TopicTerms.from_phrases(keys, written, naming, topic, calibration)
    order = np.argsort(-parts.gains(), kind="stable")
    order = order[parts.known[order]]
    meaning, z = parts.nearness_as_removed(order)
    risks = np.where(naming, 1.0, np.nan)
    rest = _risk(z[0] - TAIL_Z) if len(order) else math.nan
    # The risk of what is left may rise where it grows shorter; what has been below a limit stays below it.
    risks[order] = [min(rest, _risk(one + SAFETY_MARGIN)) for one in np.minimum.accumulate(z)]
    named, unknown = int(naming[places].sum()), int(np.isnan(risks[places]).sum())
    similarity, far = (float(meaning[0]), float(z[0])) if len(order) else (math.nan, math.nan)
    document = 1.0 if named else rest
    return TopicRisk(risks[places], document, similarity, far, named, unknown, topic.calibrated)


def _risk(z: float) -> float:
    """Return a risk that is standard at 0."""
    return NormalDist().cdf(z + SHIFT)


@dataclass(frozen=True, slots=True, eq=False)
class _TopicTerms:
    """What a text is made of: its distinct phrases, their weighted vectors, and their words.

    Word n of these is number `words[n]`, of phrase `owners[n]`, and stands `counts[n]` times in the text.
    """

    topic: Topic
    rows: Floats = field(repr=False)
    known: Flags = field(repr=False)
    """Whose vector or words are known, and that do not name the topic."""
    words: Ints = field(repr=False)
    owners: Ints = field(repr=False)
    counts: Ints = field(repr=False)
    rarity: Floats = field(repr=False)
    """Of each of the words."""
    contrast: Floats = field(repr=False)

    @classmethod
    def from_phrases(
        cls, keys: Sequence[str], written: Sequence[str], naming: Flags, topic: Topic, calibration: TopicModel
    ) -> _TopicTerms:
        """Look phrases up; those that name the topic are no part."""
        model = calibration.model
        lookup = model.find(written)
        words, owners = calibration.words(keys)
        kept = (words >= 0) & ~naming[owners]
        words, owners = words[kept], owners[kept]
        counts, rarity = np.bincount(words, minlength=1)[words], calibration.rarity[words]
        weights = np.zeros(len(keys))
        np.maximum.at(weights, owners, rarity)
        exact = lookup.numbers >= 0
        weights[exact] = model.rarity(model.phrases, lookup.numbers[exact])
        rows = unit_rows(lookup.vectors).astype(np.float64)
        vectored = ~np.isnan(rows[:, 0]) & ~naming & (len(topic.direction) > 0)
        rows = np.where(vectored[:, None], rows * np.maximum(weights, 0.01)[:, None], 0.0)
        known = vectored.copy() if topic.field_share < 1 else np.zeros(len(keys), bool)
        if topic.field_share:
            known[owners] = True
        contrast = topic.contrast[words] if topic.field_share else np.zeros(len(words))
        return cls(topic, rows, known, words, owners, counts, rarity, contrast)

    def gains(self) -> Floats:
        """Return how much nearer to the topic each phrase brings the text, as the slope at the whole text."""
        topic, whole = self.topic, self.rows.sum(axis=0)
        share = FIELD_WEIGHT if 0 < topic.field_share < 1 else topic.field_share
        gains = np.zeros(len(self.rows))
        if share < 1:
            size = max(float(np.linalg.norm(whole)), MIN_LENGTH)
            slope = (topic.direction - whole * (whole @ topic.direction) / size**2) / size
            gains += (1 - share) / topic.meaning.width * (self.rows @ slope)
        if share:
            weights = np.log1p(self.counts) * self.rarity
            squares, dots = weights**2 / self.counts, weights * self.contrast / self.counts
            size = max(float(np.sqrt(squares.sum())), MIN_LENGTH)
            slopes = (dots - squares * dots.sum() / size**2) / size
            gains += share / topic.field.width * np.bincount(self.owners, slopes, len(gains))
        return gains

    def nearness_as_removed(self, order: Ints) -> tuple[Floats, Floats]:
        """Return the cosine to the topic, and how near the text is, before each phrase is taken away in this order."""
        topic = self.topic
        meaning, lexical = np.full(len(order), np.nan), np.zeros(len(order))
        if len(topic.direction):
            left = np.cumsum(self.rows[order[::-1]], axis=0)[::-1]
            meaning = left @ topic.direction / np.maximum(np.linalg.norm(left, axis=1), MIN_LENGTH)
        if topic.field_share:
            lexical = self._field_as_removed(order)
        return meaning, topic.nearness(meaning, lexical)

    def _field_as_removed(self, order: Ints) -> Floats:
        """Add the phrases one after the other, the last of the order first; a word counts by the logarithm."""
        rank = np.full(len(self.rows), -1)
        rank[order] = np.arange(len(order))
        by_word = np.lexsort((-rank[self.owners], self.words))
        words, ranks = self.words[by_word], rank[self.owners[by_word]]
        places = np.arange(len(words))
        begins = np.maximum.accumulate(np.where(np.diff(words, prepend=-1) != 0, places, 0))
        after, before = (np.log1p(places - begins + more) * self.rarity[by_word] for more in (1, 0))
        dots = np.bincount(ranks, (after - before) * self.contrast[by_word], len(order))
        squares = np.bincount(ranks, after**2 - before**2, len(order))
        sizes = np.sqrt(np.maximum(np.cumsum(squares[::-1])[::-1], MIN_LENGTH))
        return np.asarray(np.cumsum(dots[::-1])[::-1] / sizes)
