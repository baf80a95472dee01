"""What a model knows of a topic, measured by the model's own documents that have nothing to do with it.

A text is near a topic in two ways. *By meaning*: the mean of its phrases' vectors, each weighted by its rarity, beside
that of the topic's names, description and samples. *By field*: its words beside those by which the model's documents
that name the topic differ from the others; the more of these there are, the more they count. Documents that do not
name the topic say how near a text comes by chance, so that a risk means the same whatever the topic.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

from embanon.document import Flags, Floats, Ints
from embanon.entities import Entity
from embanon.errors import ConfigError
from embanon.language import Lemmatizer, key, spelling_variant, words_of
from embanon.model import Model, unit_rows

SAMPLE_SIZE: Final = 300
"""Documents that do not name a topic, drawn to tell its field, and as many others to measure by."""
MIN_DOCUMENTS: Final = 40
"""Documents to measure by, below which the tail of what is unrelated is not known."""
MAX_NAMING_DOCUMENTS: Final = 500
"""Documents that name a topic of which its field is learnt, at most."""
FIELD_PRIOR: Final = 16
"""Documents that name a topic from which on its field counts more than its meaning."""
DEFAULT_QUANTILES: Final = (0.45, 0.48)
"""The middle and the tail of cosines, for want of documents to measure by: those of the shipped model."""
MIN_STEM_LENGTH: Final = 4
"""Letters of a name that also names the topic as the beginning of a word: Korea, Korean."""
SEED: Final = 1


TAIL_Z: Final = 1.645
"""Where one in twenty begins, if the middle is 0."""


@dataclass(frozen=True, slots=True, eq=False)
class Scale:
    """The middle of what unrelated texts reach, and how far from there their tail begins."""

    middle: float
    width: float

    @classmethod
    def from_values(cls, values: Floats) -> Scale:
        """Measure values of unrelated texts, of which one in twenty is in the tail."""
        middle, tail = np.quantile(values, [0.5, 0.95])
        return cls(float(middle), max(float(tail - middle), 1e-6) / TAIL_Z)

    def __call__(self, values: Floats) -> Floats:
        return (values - self.middle) / self.width


@dataclass(frozen=True, slots=True, eq=False)
class BagOfWords:
    """Texts as words: which text has which word how often; texts are numbered from 0 to `size`."""

    texts: Ints = field(repr=False)
    words: Ints = field(repr=False)
    counts: Floats = field(repr=False)
    size: int

    @classmethod
    def from_words(cls, texts: Ints, words: Ints, size: int, vocabulary: int) -> BagOfWords:
        """Count the words of each text; -1 is no word."""
        pairs, counts = np.unique((texts * vocabulary + words)[words >= 0], return_counts=True)
        return cls(pairs // max(vocabulary, 1), pairs % max(vocabulary, 1), counts.astype(np.float64), size)

    def weights(self, rarity: Floats) -> Floats:
        """Weigh words by logarithmic frequency and rarity, the words of each text together 1 long."""
        weighed = np.log1p(self.counts) * rarity[self.words]
        lengths = np.sqrt(np.bincount(self.texts, weighed**2, self.size))
        return np.asarray(weighed / np.maximum(lengths[self.texts], 1e-9))

    def dot(self, contrast: Floats, rarity: Floats) -> Floats:
        """Multiply each text with the weights of words."""
        weights = self.weights(rarity) * contrast[self.words]
        return np.asarray(np.bincount(self.texts, weights, self.size), np.float64)


@dataclass(frozen=True, slots=True, eq=False)
class Topic:
    """A topic as a model knows it."""

    names: tuple[tuple[str, ...], ...] = field(repr=False)
    """Names as the dictionary forms of their words."""
    direction: Floats = field(repr=False)
    """A unit vector; empty if the model has none."""
    contrast: Floats = field(repr=False)
    """Of each word of the model, how much more documents that name the topic have of it; empty without any."""
    field_share: float
    """How much the field counts beside the meaning, from 0 to 1."""
    meaning: Scale
    field: Scale
    combined: Scale
    calibrated: bool

    def nearness(self, meaning: Floats, lexical: Floats) -> Floats:
        """Put both ways of being near together, on the scale of unrelated texts."""
        return self.combined(_blend(self.field_share, self.meaning(meaning), self.field(lexical)))


def _blend(share: float, meaning: Floats, lexical: Floats) -> Floats:
    """Weigh two values; one that counts nothing may be unknown."""
    if share in (0, 1):
        return lexical if share else meaning
    return (1 - share) * meaning + share * lexical


class TopicModel:
    """The documents of a model, drawn once, by which all topics are measured. Topics are kept as they are asked for."""

    def __init__(self, model: Model) -> None:
        self.model = model
        self._lemma = lru_cache(maxsize=65_536)(Lemmatizer.load(str(model.card.get("language", ""))).lemma)
        self._topics: dict[Entity, Topic] = {}
        self._vectors: dict[int, Floats] = {}

    @classmethod
    def for_model(cls, model: Model) -> TopicModel:
        """Prepare the measures of a model; nothing is read until a topic is asked for."""
        return cls(model)

    def __repr__(self) -> str:
        return f"Calibration({self.model!r})"

    def __reduce__(self) -> tuple[type[TopicModel], tuple[Model]]:
        return TopicModel, (self.model,)

    def topic(self, entity: Entity) -> Topic:
        """Return a topic as the model knows it; a topic that it knows nothing of cannot be protected."""
        if entity not in self._topics:
            self._topics[entity] = self._learn_topic(entity)
        return self._topics[entity]

    # What names a topic

    def is_naming(self, names: Sequence[Sequence[str]], keys: Sequence[str]) -> Flags:
        """Return which phrases contain all words of a name in sequence, however inflected."""
        naming = np.zeros(len(keys), bool)
        begins = {_stem(name[0]) for name in names}
        for place, phrase in enumerate(keys):
            plain = phrase if phrase.isascii() else spelling_variant(phrase, str)
            if any(begin in plain for begin in begins):
                words = words_of(spelling_variant(phrase, str))
                naming[place] = any(self._has_name(name, words) for name in names)
        return naming

    def _has_name(self, name: Sequence[str], words: Sequence[str]) -> bool:
        return any(
            all(self._is_form_of(mine, word) for mine, word in zip(name, words[start:], strict=False))
            for start in range(len(words) - len(name) + 1)
        )

    def _is_form_of(self, mine: str, word: str) -> bool:
        return word == mine or self._lemma(word) == mine or (len(mine) >= MIN_STEM_LENGTH and word.startswith(mine))

    # The model's documents

    @cached_property
    def _phrases_by_document(self) -> tuple[Ints, NDArray[np.uint32]]:
        """Return the phrases of each document: where those of each begin, and their numbers."""
        postings = self.model.postings
        documents = np.asarray(postings.documents)
        order = np.argsort(documents, kind="stable")
        numbers = np.repeat(np.arange(len(self.model.phrases), dtype=np.uint32), np.diff(postings.starts.astype(int)))
        starts = np.searchsorted(documents[order], np.arange(len(self.model.documents) + 1))
        return starts.astype(np.int64), numbers[order]

    @cached_property
    def _shuffled_documents(self) -> Ints:
        starts, _ = self._phrases_by_document
        return np.random.default_rng(SEED).permutation(np.flatnonzero(np.diff(starts)))

    def _phrases_of(self, documents: Ints) -> tuple[Ints, Ints]:
        """Return the phrases of some documents, and by place among these which has each."""
        starts, numbers = self._phrases_by_document
        parts = [numbers[starts[one] : starts[one + 1]] for one in documents.tolist()]
        whole = np.concatenate([*parts, np.zeros(0, np.uint32)]).astype(np.int64)
        return whole, np.repeat(np.arange(len(parts)), [len(part) for part in parts])

    def _phrases_naming(self, names: Mapping[tuple[str, ...], str]) -> tuple[Ints, Ints]:
        """Return the model's phrases that name a topic, and the documents that have them."""
        keys = self.model.phrases.keys
        ends, blob = keys.ends, keys.blob.tobytes()
        begins = {_stem(words[0]) for name in names for words in (name, words_of(names[name])) if words}
        places = np.array([at for begin in begins for at in _find_bytes(blob, begin)], np.int64)
        numbers = np.unique(np.searchsorted(ends, places, side="right"))
        numbers = numbers[self.is_naming(list(names), keys.texts(numbers))]
        held = [self.model.documents_with(number) for number in numbers.tolist()]
        return numbers, np.unique(np.concatenate([*held, np.zeros(0, np.int64)]))

    @cached_property
    def rarity(self) -> Floats:
        """Return the rarity of each word of the model."""
        return self.model.rarity(self.model.words, np.arange(len(self.model.words)))

    def words(self, keys: Sequence[str]) -> tuple[Ints, Ints]:
        """Return the words of phrases by number, -1 where unknown, and by place which phrase has each."""
        split = [words_of(one) for one in keys]
        numbers = self.model.words.keys.find([word for words in split for word in words])
        return numbers, np.repeat(np.arange(len(split)), [len(words) for words in split])

    def _bag(self, documents: Ints, without: Ints) -> BagOfWords:
        """Return the words of documents of the model, but for those of some phrases."""
        numbers, owners = self._phrases_of(documents)
        kept = ~np.isin(numbers, without)
        distinct, places = np.unique(numbers[kept], return_inverse=True)
        words, owners_of_words = self.words(self.model.phrases.keys.texts(distinct))
        bounds = np.searchsorted(owners_of_words, np.arange(len(distinct) + 1))
        sizes = np.diff(bounds)[places]
        offsets = np.arange(sizes.sum()) - np.repeat(np.cumsum(sizes) - sizes, sizes)
        spread = words[np.repeat(bounds[places], sizes) + offsets]
        return BagOfWords.from_words(np.repeat(owners[kept], sizes), spread, len(documents), len(self.rarity))

    def _document_vectors(self, documents: Ints) -> Floats:
        """Return the vector of each document."""
        vectors = np.zeros((len(documents), self.model.dimensions))
        for place, document in enumerate(documents.tolist()):
            numbers, _ = self._phrases_of(np.array([document]))
            rows = np.nan_to_num(unit_rows(self.model.phrases.vectors.rows(numbers)))
            vectors[place] = self.model.rarity(self.model.phrases, numbers) @ rows
        return vectors

    def _cosines(self, documents: Ints, direction: Floats) -> Floats:
        """Return the cosine of each document to a topic."""
        known = self._vectors
        missing = np.array([one for one in documents.tolist() if one not in known], np.int64)
        known.update(zip(missing.tolist(), self._document_vectors(missing), strict=True))
        means = np.array([known[one] for one in documents.tolist()])
        return np.asarray(means @ direction / np.maximum(np.linalg.norm(means, axis=1), 1e-9))

    # Topics

    def _learn_topic(self, entity: Entity) -> Topic:
        written = [key(name) for name in entity.names]
        names = {words: one for one in written if (words := tuple(words_of(spelling_variant(one, self._lemma))))}
        direction = self._direction(entity)
        phrases, naming = self._phrases_naming(names) if names else (np.zeros(0, np.int64), np.zeros(0, np.int64))
        others = self._shuffled_documents[~np.isin(self._shuffled_documents, naming)]
        measured, background = others[: len(others) // 2][:SAMPLE_SIZE], others[len(others) // 2 :][:SAMPLE_SIZE]
        calibrated = len(measured) >= MIN_DOCUMENTS
        contrast, share = np.zeros(0), 0.0
        if calibrated:
            draw = np.random.default_rng(SEED).permutation(naming)[:MAX_NAMING_DOCUMENTS]
            contrast, share = self._contrast(draw, background, phrases, entity.samples)
        if not len(direction):
            if not share:
                raise ConfigError(
                    "the model knows nothing of a topic to protect: no word of its names, description and samples; "
                    "give it aliases or samples, or train a model on texts about it (embanon train)"
                )
            share = 1.0
        usual = Scale(DEFAULT_QUANTILES[0], (DEFAULT_QUANTILES[1] - DEFAULT_QUANTILES[0]) / TAIL_Z)
        if not calibrated:
            return Topic(tuple(names), direction, contrast, 0.0, usual, usual, Scale(0.0, 1.0), False)
        cosines = self._cosines(measured, direction) if len(direction) else np.zeros(len(measured))
        bag = self._bag(measured, phrases)
        lexical = bag.dot(contrast, self.rarity) if share else cosines
        meaning, lexis = Scale.from_values(cosines), Scale.from_values(lexical)
        whole = Scale.from_values(_blend(share, meaning(cosines), lexis(lexical)))
        return Topic(tuple(names), direction, contrast, share, meaning, lexis, whole, True)

    def _direction(self, entity: Entity) -> Floats:
        """Return the mean of the names, the words of the description, and the samples; empty if none is known."""
        rows = [*self.model.find(entity.names).vectors]
        for text in (entity.description, *entity.samples):
            words = self.model.words.keys.find(words_of(key(text)))
            words = words[self.model.words.vectors.has_vector(words)]
            if len(words):
                rows.append(self.rarity[words] @ unit_rows(self.model.words.vectors.rows(words)))
        known = np.array([row for row in rows if not np.isnan(row).any()], np.float64)
        mean = (known / np.linalg.norm(known, axis=1, keepdims=True)).mean(axis=0) if len(known) else np.zeros(1)
        size = float(np.linalg.norm(mean))
        return np.asarray(mean / size) if size > 0 else np.zeros(0)

    def _contrast(self, naming: Ints, background: Ints, without: Ints, samples: Sequence[str]) -> tuple[Floats, float]:
        """Return how documents that name a topic, and samples, differ from others in each word, and how much
        to trust."""
        count = len(naming) + len(samples)
        if not count:
            return np.zeros(0), 0.0
        total = np.zeros(len(self.rarity))
        bags = [self._bag(naming, without), self._bag(background, without)]
        words, owners = self.words([key(text) for text in samples])
        bags.append(BagOfWords.from_words(owners, words, len(samples), len(total)))
        for bag, part in zip(bags, (1 / count, -1 / max(len(background), 1), 1 / count), strict=True):
            total += part * np.bincount(bag.words, bag.weights(self.rarity), len(total))
        return total, count / (count + FIELD_PRIOR)


def _stem(word: str) -> str:
    """Return what is the same in all inflections of a word, mostly."""
    return word[: max(len(word) - 2, 2)]


def _find_bytes(blob: bytes, begin: str) -> Iterator[int]:
    """Return where a word may begin."""
    coded = begin.encode("utf-8", "surrogatepass")
    at = blob.find(coded)
    while at >= 0:
        yield at
        at = blob.find(coded, at + 1)
