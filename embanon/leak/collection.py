"""Learn what hints at entities from a collection of documents, some of which name them.

The weights of words are learnt from passages: those that name an entity (the names taken out) and samples of it, beside
passages of documents that do not. They begin with what the description says, and with the words that a model knows to
be near; without any passage they stay there.
"""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from typing import Final

import numpy as np

from embanon.entities import Entity, fold_text
from embanon.errors import ConfigError
from embanon.language import key, words_of
from embanon.leak.hints import EntityHints, Hints, NameMasker, ScoreScales, TextRows, hintable_entities
from embanon.leak.name_index import NameIndex
from embanon.leak.regression import Flags, Floats, Ints, LogisticCurve, SparseRows, balance_classes, fit
from embanon.leak.vocabulary import Vocabulary
from embanon.model import Model, unknown_word_share
from embanon.provenance import folder_checksum
from embanon.risk import Scale

FULL_MENTIONS: Final = 2
"""Mentions in a passage from which it counts in full."""
RIDGE: Final = 1.0
DESCRIPTION_WEIGHT: Final = 0.5
"""What the description counts before anything is learnt, in logits of a usual passage."""
MODEL_WEIGHT: Final = 0.5
"""What nearness in the model counts."""
SHRINKAGE: Final = 0.3
"""How much of the mean variance is added to each direction of a model before it is divided by."""
MEASURED_PASSAGES: Final = 2000
"""Passages by which the directions of a model are measured."""
MIN_NAMING_DOCUMENTS: Final = 8
"""Documents that name an entity, below which nobody knows which share of those like them does."""
SEED: Final = 1
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
"""Documents from which the fitness of a model is judged."""
NEVER_NEAR: Final = Scale(1e9, 1.0)


class Collection:
    """The documents from which hints are learnt: all that name an entity, and others of every kind, or a draw."""

    def __init__(self, texts: Sequence[str], model: Model, language: str = "en") -> None:
        self.model, self.language = model, language
        self._raw_texts = tuple(texts)
        words = [words_of(key(text)) for text in texts]
        self.vocabulary = Vocabulary.from_texts(words)
        self.texts = TextRows.from_words(words, self.vocabulary)

    def __repr__(self) -> str:
        return f"Collection({len(self._raw_texts)} texts)"

    @cached_property
    def vectors(self) -> Floats:
        """Return the model's vectors of the vocabulary."""
        return self.vocabulary.vectors(self.model)

    @cached_property
    def _has_vector(self) -> Flags:
        return np.asarray(self.vectors.any(axis=1))

    @cached_property
    def _passage_moments(self) -> tuple[Floats, Floats]:
        """Return the mean vector of passages, and the inverse of how they spread about it."""
        rows = self.texts.passages
        chosen = np.zeros(rows.size, bool)
        chosen[np.random.default_rng(SEED).permutation(rows.size)[:MEASURED_PASSAGES]] = True
        vectors = _unit_rows(rows.take(chosen).multiply(self.vectors))
        spread = np.atleast_2d(np.cov(vectors.T)) if len(vectors) > 1 else np.zeros((vectors.shape[1],) * 2)
        ridge = SHRINKAGE * max(float(np.trace(spread)) / len(spread), 1e-9)
        inverse = np.linalg.inv(spread + ridge * np.eye(len(spread)))
        return np.asarray(vectors.mean(axis=0)), np.asarray(inverse, np.float64)

    def prior(self, entity: Entity) -> Floats:
        """Return the weights of words before anything is learnt: by the description, and by nearness in the model."""
        rows, described = self.texts.passages, self.vocabulary.rows([words_of(key(entity.description))])
        weights = described.dot_transposed(np.ones(1))
        total = DESCRIPTION_WEIGHT * weights / max(float(rows.dot(weights).std()), 1e-9)
        named = self.model.find(entity.names).vectors.astype(np.float64)
        known = _unit_rows(named[~np.isnan(named).any(axis=1)])
        parts = [_unit_rows(part.sum(axis=0)) for part in (known, described.multiply(self.vectors)) if part.any()]
        if parts:
            mean, inverse = self._passage_moments
            way = np.sum(parts, axis=0)
            way -= mean * (mean @ way) / max(float(mean @ mean), 1e-9)
            near = self.vectors @ (inverse @ way)
            # The usual word says nothing, so that long texts are not nearer.
            usual = rows.dot_transposed(np.ones(rows.size))
            near -= self._has_vector * (usual @ near / max(float(usual @ self._has_vector), 1e-9))
            total = total + MODEL_WEIGHT * near / max(float(rows.dot(near).std()), 1e-9)
        return np.asarray(total)

    def build_hints(self, entities: Sequence[Entity], learnt: Sequence[EntityHints]) -> Hints:
        """Put together what was learnt of entities."""
        return Hints(tuple(entities), self.language, self.vocabulary, tuple(learnt), folder_checksum(self.model.path))

    def learn(self, entity: Entity, *, calibrate: bool = True) -> EntityHints:
        """Learn what hints at an entity; without calibration scores rank documents, and risks are usual ones."""
        mentions = NameMasker(entity, self.language)
        shown = {number: left for number, text in enumerate(self._raw_texts) for left, count in [mentions.mask(text)]
                 if count}  # fmt: skip
        samples = [mentions.mask(text)[0] for text in entity.samples]
        hidden = TextRows.from_words([words_of(key(text)) for text in (*shown.values(), *samples)], self.vocabulary)
        # A sample is about the entity also where it does not name it.
        of_sample = hidden.owners >= len(shown)
        naming = np.zeros(len(self._raw_texts), bool)
        naming[list(shown)] = True
        others = ~naming[self.texts.owners]
        chosen = (hidden.name_counts > 0) | of_sample
        rows = self.texts.passages.take(others).stack(hidden.passages.take(chosen))
        owners = np.concatenate([self.texts.owners[others], np.append(np.flatnonzero(naming), np.full(
            len(samples), -1))[hidden.owners[chosen]]])  # fmt: skip
        counted = np.clip(np.where(of_sample, 1 + hidden.name_counts, hidden.name_counts)[chosen] / FULL_MENTIONS, 0, 1)
        weights = np.concatenate([np.ones(int(others.sum())), counted])
        about = np.arange(rows.size) >= int(others.sum())
        prior = self.prior(entity)
        if not about.any() and not prior.any():
            raise ConfigError(
                "nothing is known of an entity of the policy: no document names it, and no word of its description is "
                "known; describe it in more words, give it samples, or leave it out"
            )
        return _TrainingPassages(self, rows, owners, about, weights, prior, naming, hidden).train(
            len(shown) if calibrate else 0
        )


@dataclass(frozen=True, slots=True, eq=False)
class _TrainingPassages:
    """What is learnt from: passages about an entity and others, and the documents that they are from."""

    collection: Collection
    rows: SparseRows
    owners: Ints
    is_about: Flags
    row_weights: Floats
    prior: Floats
    names_entity: Flags
    masked: TextRows

    def fit_weights(self, chosen: Flags) -> Floats:
        """Learn from some of the passages."""
        rows, about = self.rows.take(chosen), self.is_about[chosen]
        if not about.any() or about.all():
            return self.prior
        offset = rows.dot(self.prior)
        nothing, counted = np.zeros((rows.size, 0)), balance_classes(about, self.row_weights[chosen])
        return self.prior + fit(rows, nothing, about, counted, offset - offset.mean(), RIDGE)[0]

    def score_documents(self, weights: Floats) -> tuple[Floats, Floats]:
        """Score all documents of the collection, without names."""
        whole, best = self.collection.texts.scores(weights)
        bare = self.masked.scores(weights)
        for scores, left in zip((whole, best), bare, strict=True):
            scores[self.names_entity] = left[: int(self.names_entity.sum())]
        return whole, best

    def train(self, documents: int) -> EntityHints:
        """Learn from all; which share of documents name the entity is told by halves that were not learnt from."""
        weights = self.fit_weights(np.ones(self.rows.size, bool))
        whole, best = self.score_documents(weights)
        others = ~self.names_entity
        if not others.any():
            raise ConfigError(
                "every document names an entity of the policy, so that nothing tells hints at it from other words; "
                "give it a name that is less common (embanon leak check-policy), or scan more documents"
            )
        scales = ScoreScales.fit(whole[others], best[others])
        tail = Scale.from_values(scales(whole[others], best[others]))
        if documents < MIN_NAMING_DOCUMENTS:
            return EntityHints(weights, scales, tail, None, bool(self.is_about.any()))
        half = np.random.default_rng(SEED).permutation(len(self.names_entity)) % 2
        apart = np.zeros(len(half))
        for number in (0, 1):
            left = (self.owners < 0) | (half[self.owners] != number)
            here = half == number
            parts = [one[here] for one in self.score_documents(self.fit_weights(left))]
            apart[here] = ScoreScales.fit(*(one[others[here]] for one in parts))(*parts)
        return EntityHints(weights, scales, tail, LogisticCurve.fit(apart, self.names_entity))


def _unit_rows(rows: Floats) -> Floats:
    """Return rows of length 1; nothing stays nothing."""
    return np.asarray(rows / np.maximum(np.linalg.norm(rows, axis=-1, keepdims=True), 1e-9))


# Documents to learn from


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
            hints = nothing
            with suppress(ConfigError):  # nothing is known of it, or every document names it
                hints = collection.learn(entity)
            learnt.append(hints)
        return collection.build_hints(self.entities, learnt)
