"""A collection of documents, some of which name entities, from which it is learnt what hints at these."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Final

import numpy as np

from embanon.entities import Entity
from embanon.language import key, words_of
from embanon.leak.hints import MAX_REPEATS, EntityHints, Hints, NameMasker, TextRows
from embanon.leak.ordinary import OrdinaryLanguage
from embanon.leak.regression import Flags, Floats, Ints, SparseRows
from embanon.leak.vocabulary import PASSAGE_WORDS, Vocabulary
from embanon.model import Model
from embanon.provenance import folder_checksum

DESCRIPTION_WEIGHT: Final = 0.5
"""What the description counts before anything is learnt, in logits of a usual passage."""
MODEL_WEIGHT: Final = 0.5
"""What nearness in the model counts."""
SHRINKAGE: Final = 0.3
"""How much of the mean variance is added to each direction of a model before it is divided by."""
MEASURED_PASSAGES: Final = 2000
"""Passages by which the directions of a model are measured."""
SHORT_WORDS: Final = 25
"""Words of a sentence."""
MAX_SHORT_PASSAGES: Final = 15_000
"""Sentences from which it is learnt what speaks of something else."""
ORDINARY_PASSAGES: Final = 2_000
"""Passages about nothing, of either length."""
WINDOWED_DOCUMENTS: Final = 1_500
"""Documents of which passages measure scores."""
WINDOWS_OF_DOCUMENT: Final = 2
"""Passages of each length of a document, or as many more as there are fewer documents."""
MIN_WINDOWS: Final = 600
ORDINARY_WINDOWS: Final = 500
"""Passages about nothing that do, of each length."""
ORDINARY_DOCUMENTS: Final = 200
"""Documents about nothing that tell what is usual where there are few."""
USUAL_WORDS: Final = 150.0
"""Distinct words of a document where there is none."""
SMALL_COLLECTION: Final = 1_000
"""Documents below which words are borrowed from the language at large."""
BORROWED_WORDS: Final = 20_000
SEED: Final = 1


class Collection:
    """The documents from which hints are learnt: all that name an entity, and others of every kind, or a draw.

    A small one borrows words and their rarity from the language at large, and those of `described`, which are texts
    about its entities.
    """

    def __init__(
        self, texts: Sequence[str], model: Model, language: str = "en", described: Sequence[str] = ()
    ) -> None:  # fmt: skip
        self.model, self.language = model, language
        self._raw_texts = tuple(texts)
        self._ordinary = OrdinaryLanguage.load(language)
        self.words = [words_of(key(text)) for text in texts]
        borrowed = set[str]()
        if len(texts) < SMALL_COLLECTION:
            borrowed.update(self._ordinary.frequent_words(BORROWED_WORDS), *(words_of(key(text)) for text in described))
        self.vocabulary = Vocabulary.from_texts(self.words, self._ordinary, borrowed)
        self.texts = TextRows.from_words(self.words, self.vocabulary)

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
    def _reference_passages(self) -> SparseRows:
        """Return passages of documents, with some about nothing where there are few."""
        few = self.texts.passages.size < MEASURED_PASSAGES
        return self.texts.passages.stack(self.ordinary_passages) if few else self.texts.passages

    @cached_property
    def _passage_moments(self) -> tuple[Floats, Floats]:
        """Return the mean vector of passages, and the inverse of how they spread about it."""
        rows = self._reference_passages
        chosen = np.zeros(rows.size, bool)
        chosen[np.random.default_rng(SEED).permutation(rows.size)[:MEASURED_PASSAGES]] = True
        vectors = _unit_rows(rows.take(chosen).multiply(self.vectors))
        spread = np.atleast_2d(np.cov(vectors.T)) if len(vectors) > 1 else np.zeros((vectors.shape[1],) * 2)
        ridge = SHRINKAGE * max(float(np.trace(spread)) / len(spread), 1e-9)
        inverse = np.linalg.inv(spread + ridge * np.eye(len(spread)))
        return np.asarray(vectors.mean(axis=0)), np.asarray(inverse, np.float64)

    @cached_property
    def short_passages(self) -> tuple[SparseRows, Ints]:
        """Return sentences of all documents, or a draw, and whose they are."""
        return _draw_rows(TextRows.from_words(self.words, self.vocabulary, SHORT_WORDS), MAX_SHORT_PASSAGES)

    @cached_property
    def ordinary_passages(self) -> SparseRows:
        """Return passages about nothing, of words that everybody has."""
        rows = [self._draw_ordinary(length, ORDINARY_PASSAGES) for length in (SHORT_WORDS, PASSAGE_WORDS)]
        return self.vocabulary.rows([words for some in rows for words in some], MAX_REPEATS)

    @property
    def usual_words(self) -> float:
        """Return how many distinct words the middle document has."""
        return float(np.median(self.texts.known_words)) if self.words else USUAL_WORDS

    @cached_property
    def ordinary_documents(self) -> TextRows:
        """Return documents about nothing, as long as the others."""
        length = round(float(np.median([len(words) for words in self.words]))) if self.words else PASSAGE_WORDS
        return TextRows.from_words(self._draw_ordinary(max(length, 1), ORDINARY_DOCUMENTS), self.vocabulary)

    def windows(self, length: int) -> tuple[TextRows, Ints]:
        """Return passages of a length from documents, and from ordinary words; and the documents, -1 for the latter."""
        if length not in self._windows:
            chance = np.random.default_rng(SEED + length)
            cut, owners = list[Sequence[str]](), list[int]()
            each = max(MIN_WINDOWS // max(len(self.words), 1), WINDOWS_OF_DOCUMENT)
            for number in chance.permutation(len(self.words))[:WINDOWED_DOCUMENTS].tolist():
                if len(words := self.words[number]) >= length:
                    starts = chance.integers(0, len(words) - length + 1, each).tolist()
                    cut += [words[start : start + length] for start in starts]
                    owners += [number] * each
            drawn = self._draw_ordinary(length, ORDINARY_WINDOWS)
            rows = TextRows.from_words([*cut, *drawn], self.vocabulary)
            self._windows[length] = rows, np.array(owners + [-1] * len(drawn), np.int64)
        return self._windows[length]

    @cached_property
    def _windows(self) -> dict[int, tuple[TextRows, Ints]]:
        return {}

    @cached_property
    def _word_list(self) -> list[str]:
        return list(self.vocabulary.places)

    def _draw_ordinary(self, length: int, count: int) -> list[list[str]]:
        drawn = self._ordinary.draw(self._word_list, length, count, SEED).tolist()
        return [[self._word_list[place] for place in row] for row in drawn]

    def prior(self, entity: Entity) -> tuple[Floats, Floats]:
        """Return the weights of words before anything is learnt: by the description and the model, and by the model."""
        rows, described = self._reference_passages, self.vocabulary.rows([words_of(key(entity.description))])
        weights = described.dot_transposed(np.ones(1))
        total, near = DESCRIPTION_WEIGHT * weights / max(float(rows.dot(weights).std()), 1e-9), np.zeros(len(weights))
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
            near *= MODEL_WEIGHT / max(float(rows.dot(near).std()), 1e-9)
        return np.asarray(total + near), np.asarray(near)

    def build_hints(self, entities: Sequence[Entity], learnt: Sequence[EntityHints]) -> Hints:
        """Put together what was learnt of entities."""
        return Hints(tuple(entities), self.language, self.vocabulary, tuple(learnt), folder_checksum(self.model.path))

    def mask(self, entity: Entity) -> tuple[dict[int, list[str]], list[list[str]]]:
        """Return the words of the documents that name an entity, and of its samples, with marks for names."""
        mentions = NameMasker(entity, self.language)
        shown = {number: words_of(key(left)) for number, text in enumerate(self._raw_texts)
                 for left, count in [mentions.mask(text)] if count}  # fmt: skip
        return shown, [words_of(key(mentions.mask(text)[0])) for text in entity.samples]


def _draw_rows(texts: TextRows, most: int) -> tuple[SparseRows, Ints]:
    """Return the passages of texts, or a draw, and whose they are."""
    chosen = np.zeros(texts.passages.size, bool)
    chosen[np.random.default_rng(SEED).permutation(texts.passages.size)[:most]] = True
    return texts.passages.take(chosen), texts.owners[chosen]


def _unit_rows(rows: Floats) -> Floats:
    """Return rows of length 1; nothing stays nothing."""
    return np.asarray(rows / np.maximum(np.linalg.norm(rows, axis=-1, keepdims=True), 1e-9))
