"""Say how near many texts are to many entities at once, by what hints at each, and what of it each phrase brings."""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from embanon.document import Phrases
from embanon.entities import Entity, fold_text
from embanon.errors import ConfigError
from embanon.language import key, words_of
from embanon.leak.collection import Collection
from embanon.leak.hints import EntityHints, Hints, ScoreScales, TextRows
from embanon.leak.ledger.records import MOSTLY_UNKNOWN
from embanon.leak.name_index import NameIndex
from embanon.model import Model, unknown_word_share
from embanon.risk import TOPIC, Scale

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

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
MIN_HINT_DOCUMENTS: Final = 100
"""Documents below which nothing tells what is usual."""
FITNESS_DOCUMENTS: Final = 200
"""Documents by which it is told whether a model is fit for them."""
NEVER_NEAR: Final = Scale(1e9, 1.0)


@dataclass(frozen=True, slots=True)
class NearEntity:
    """How near a text is to an entity: its risk, and what each of some phrases (by place) brings of it."""

    entity: int
    risk: float
    places: Ints = field(repr=False)
    shares: Floats = field(repr=False)


@dataclass(frozen=True, slots=True)
class NearResult:
    """What a text tells of entities that it need not name, and how many of its words are unknown, or `UNTOLD`."""

    near: tuple[NearEntity, ...] = ()
    unknown: int = 0


def hintable_entities(entities: Sequence[Entity]) -> list[int]:
    """Return the entities of which hints can be learnt: what has a meaning, or is described."""
    return [
        number for number, one in enumerate(entities)
        if one.type == TOPIC or any(map(str.strip, (one.description, *one.samples)))
    ]  # fmt: skip


@dataclass(frozen=True, slots=True, eq=False)
class PolicyHints:
    """What hints at some of the entities of a policy."""

    hints: Hints = field(repr=False)
    numbers: tuple[int, ...]
    """The number of the entity of each."""

    @classmethod
    def load(cls, path: Path, entities: Sequence[Entity], language: str) -> PolicyHints:
        """Read what was learnt for these entities."""
        numbers = hintable_entities(entities)
        return cls(Hints.load(path, [entities[number] for number in numbers], language), tuple(numbers))

    def find_near(self, texts: Sequence[tuple[str, Phrases]], least: float) -> list[NearResult]:
        """Say what texts tell of entities, as far as that is at or above a risk."""
        vocabulary = self.hints.vocabulary
        words = [words_of(key(text)) for text, _ in texts]
        found = TextRows.from_words(words, vocabulary)
        risks = np.zeros((len(texts), len(self.numbers)))
        for place, learnt in enumerate(self.hints.by_entity):
            risks[:, place] = learnt.risk(learnt.scales(*found.scores(learnt.weights)))
        known = np.bincount(found.whole.texts, minlength=len(texts))
        told = []
        for number, (text, phrases) in enumerate(texts):
            hits = np.flatnonzero(risks[number] >= least) if known[number] else np.zeros(0, np.int64)
            near = tuple(self._near_entities(text, phrases, hits, risks[number])) if len(hits) else ()
            unknown, most = vocabulary.count_unknown(words[number])
            told.append(NearResult(near, MOSTLY_UNKNOWN if most else unknown))
        return told

    def _near_entities(self, text: str, phrases: Phrases, hits: Ints, risks: Floats) -> Iterator[NearEntity]:
        """Return what phrases bring, as `Hints.phrase_risks` has it, for many entities at once."""
        places, keys = list[int](), dict[tuple[str, ...], None]()
        for place, (start, end) in enumerate(zip(phrases.start.tolist(), phrases.end.tolist(), strict=True)):
            said = _phrase_words(text[start:end])
            if said not in keys:
                keys[said] = None
                places.append(place)
        found = hits.tolist()
        for hit, shares in zip(found, self.hints.shares(list(keys), found), strict=True):
            telling = np.flatnonzero(shares)
            telling = telling[np.argsort(-shares[telling], kind="stable")]
            risk = float(risks[hit])
            yield NearEntity(
                self.numbers[hit], risk, np.array(places, np.int64)[telling], np.asarray(shares[telling], float)
            )


@lru_cache(maxsize=1 << 16)
def _phrase_words(phrase: str) -> tuple[str, ...]:
    return tuple(words_of(key(phrase)))


# Learning


@dataclass(slots=True)
class DocumentSample:
    """Documents drawn from many, the same in whatever order these come: some that name each entity, and others."""

    entities: Sequence[Entity] = field(repr=False)
    index: NameIndex = field(repr=False)
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
        if len(texts) < MIN_HINT_DOCUMENTS:
            return None
        collection = Collection([texts[digest] for digest in sorted(texts)], model, language)
        nothing = EntityHints(
            np.zeros(len(collection.vocabulary)), ScoreScales((0.0, 1.0), (0.0, 1.0)), NEVER_NEAR, None
        )
        learnt = list[EntityHints]()
        for entity in self.entities:
            found = nothing
            with suppress(ConfigError):  # nothing is known of it, or every document names it
                found = collection.learn(entity)
            learnt.append(found)
        return collection.build_hints(self.entities, learnt)
