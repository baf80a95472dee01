"""Documents to learn hints from, drawn from many."""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Final

import numpy as np

from embanon.entities import Entity, fold_text
from embanon.errors import ConfigError
from embanon.leak.collection import Collection
from embanon.leak.fitting import learn_entity
from embanon.leak.hints import EntityHints, Hints, ScoreScales, hintable_entities
from embanon.leak.name_index import NameIndex
from embanon.model import Model, unknown_word_share
from embanon.risk import Scale

MAX_OTHERS: Final = 4_000
"""Documents from which hints are learnt, of those that name nobody."""
MAX_NAMING: Final = 4_000
"""Of those that name an entity, shared among all entities."""
NAMING_BOUNDS: Final = (8, 300)
"""The fewest and the most of these for one entity."""
MAX_CHARACTERS: Final = 20_000
"""Characters of a document from which hints are learnt."""
MAX_HINTED_ENTITIES: Final = 500
"""Entities of which hints are learnt; with more, names alone count."""
MIN_HINT_DOCUMENTS: Final = 5
"""Documents below which nothing is learnt of them,"""
MIN_HINT_SAMPLES: Final = 3
"""unless an entity has so many samples."""
FITNESS_DOCUMENTS: Final = 200
"""Documents from which the fitness of a model is judged."""
NEVER_NEAR: Final = Scale(1e9, 1.0)


@dataclass(slots=True)
class DocumentSample:
    """Documents drawn from many, the same in whatever order these come: some that name each entity, and others."""

    entities: Sequence[Entity] = field(repr=False)
    index: NameIndex = field(repr=False)
    untaught: int = 0
    """Entities of which nothing was learnt."""
    _others: list[tuple[bytes, str]] = field(default_factory=list, repr=False)
    _naming: dict[int, list[tuple[bytes, str]]] = field(default_factory=dict, repr=False)

    @classmethod
    def for_entities(cls, entities: Sequence[Entity], language: str) -> DocumentSample:
        """Begin."""
        chosen = [entities[number] for number in hintable_entities(entities)]
        return cls(chosen, NameIndex.build(chosen, language))

    def add(self, digest: bytes, text: str) -> None:
        """Take a document, or not."""
        text = text[:MAX_CHARACTERS]
        named = self.index.find_entities(fold_text(text))
        turned = bytes(255 - byte for byte in digest)  # the heap drops the least of these, the largest of those
        each = int(np.clip(MAX_NAMING // max(len(self.entities), 1), *NAMING_BOUNDS))
        for heap, size in [(self._naming.setdefault(one, []), each) for one in named] or [(self._others, MAX_OTHERS)]:
            if len(heap) < size:
                heapq.heappush(heap, (turned, text))
            elif turned > heap[0][0]:
                heapq.heapreplace(heap, (turned, text))

    def _sampled_texts(self) -> dict[bytes, str]:
        return dict(one for heap in (self._others, *self._naming.values()) for one in heap)

    def median_strangeness(self, model: Model) -> float:
        """Return the share of words that a model lacks, of the middle one of some documents."""
        texts = self._sampled_texts()
        return float(np.median([unknown_word_share(texts[one], model)[1] for one in sorted(texts)[:FITNESS_DOCUMENTS]]))

    def learn(self, model: Model, language: str) -> Hints | None:
        """Learn what hints at the entities; of one of which nothing is known, nothing ever does. `None`: too few."""
        texts = self._sampled_texts()
        if len(texts) < MIN_HINT_DOCUMENTS and max(len(one.samples) for one in self.entities) < MIN_HINT_SAMPLES:
            return None
        described = [text for entity in self.entities for text in (entity.description, *entity.samples)]
        collection = Collection([texts[digest] for digest in sorted(texts)], model, language, described)
        nowhere = np.zeros(len(collection.vocabulary))
        nothing = EntityHints(nowhere, nowhere, ScoreScales((0.0, 1.0), (0.0, 1.0)), NEVER_NEAR, None)
        learnt = list[EntityHints]()
        for entity in self.entities:
            hints = nothing
            with suppress(ConfigError):  # nothing is known of it, or every document names it
                hints = learn_entity(collection, entity)
            learnt.append(hints)
            self.untaught += hints is nothing
        return collection.build_hints(self.entities, learnt)
