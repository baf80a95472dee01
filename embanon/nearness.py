"""Say which labels are too near to a protected topic to stand in a text about it: nervous disorder for epilepsy."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

import numpy as np

from embanon.entities.mentions import Entity
from embanon.fitting import DEFINITE, INDEFINITE
from embanon.model.vectors import units
from embanon.risk.score import TOPIC, Scored, bounds_of
from embanon.risk.topic_model import Calibration, Topic
from embanon.storage.keys import key

DRAWN: Final = 4096
"""Phrases of a model that tell how near to a topic phrases usually are."""


@dataclass(frozen=True, slots=True, eq=False)
class Nearness:
    """The topics of a document, each with the cosine above which a label says more of it than what is left does."""

    calibration: Calibration = field(repr=False)
    topics: tuple[tuple[Topic, float], ...] = field(repr=False)
    _known: dict[str, bool] = field(default_factory=dict, init=False, repr=False)

    @classmethod
    def of(
        cls, text: str, scored: Scored, protect: Sequence[Entity], limit: float, calibration: Calibration
    ) -> Nearness | None:
        """Measure what is below the limit; nothing where no topic is protected."""
        topics = [calibration.topic(entity) for entity in protect if entity.type == TOPIC]
        if not topics:
            return None
        masked = scored.at_least(limit).tolist()
        left = [
            text[start:end] for (start, end), gone in zip(bounds_of(scored.phrases), masked, strict=True) if not gone
        ]
        return cls(calibration, tuple((topic, _bound(topic, left, calibration)) for topic in topics))

    def is_far(self, label: str) -> bool:
        """Say that a label tells of no topic, as far as the model knows it."""
        found = self._known.get(label)
        if found is None:
            bare = DEFINITE.sub("", INDEFINITE.sub("", key(label), count=1), count=1)
            found = self._known[label] = all(self._is_far(bare, *topic) for topic in self.topics)
        return found

    def _is_far(self, label: str, topic: Topic, bound: float) -> bool:
        if self.calibration.naming(topic.names, [label])[0]:
            return False
        if not len(topic.direction):
            return True
        cosine = units(self.calibration.model.find([label]).vectors)[0] @ topic.direction
        return not cosine > bound  # a small corpus lacks most labels


def _bound(topic: Topic, left: Sequence[str], calibration: Calibration) -> float:
    """Give the cosine of the middle of all phrases, or that of the nearest phrase that is left, if that is nearer."""
    if not len(topic.direction):
        return 1.0
    model = calibration.model
    size = len(model.phrases)
    drawn = np.arange(size)[:: max(size // DRAWN, 1)]
    usual = units(model.phrases.vectors.rows(drawn)) @ topic.direction
    own = units(model.find(left).vectors) @ topic.direction if left else np.zeros(0)
    return float(np.fmax(np.nanmedian(usual), np.nanmax(own) if np.isfinite(own).any() else -1.0))
