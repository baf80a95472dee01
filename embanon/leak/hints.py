"""Say how much a document tells of an entity that it need not name: by all its hints together.

What a collection says around the entity's names, and nowhere else, hints at it. The weights of words are learnt from
passages: those that name it (the names taken out) and samples of it, beside passages of documents that do not. They
begin with what the description says, and with the words that a model knows to be near; without any passage they stay
there. A document is as near as it is as a whole, and as its best passages are: ten weak hints add up; one that is
repeated counts up to three times in a passage, and a passage that is repeated once.

The risk is the share of documents of the collection that name the entity, among those that read as this one does.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from hashlib import blake2b
from pathlib import Path
from statistics import NormalDist
from typing import Final

import numpy as np
from numpy.typing import NDArray

from embanon.bags import TAIL, Scale
from embanon.entities import Entity, folded, spans_of
from embanon.errors import ConfigError
from embanon.leak.regression import Curve, Flags, Floats, Ints, Rows, balanced, fit
from embanon.leak.stored import load, save
from embanon.leak.words import Vocabulary, passages
from embanon.model.keys import key, words_of
from embanon.model.model import Model
from embanon.topics import SHIFT

KIND: Final = "hints"
VERSION: Final = 1
NAME: Final = "ʔʔʔ"
"""What stands for a name that is taken out: a word that no text has."""
BEGINNING: Final = 4
"""Letters of a name that also names the entity as the beginning of a word: Korea, Korean."""
CERTAIN: Final = 2
"""Mentions in a passage from which it counts in full."""
SAID: Final = 3
"""How often a word counts in a text at most: what is said ten times tells no more than what is said thrice."""
RIDGE: Final = 1 / 3
DESCRIBED: Final = 0.5
"""What the description counts before anything is learnt, in logits of a usual passage."""
MEANT: Final = 0.5
"""What nearness in the model counts."""
SPREAD: Final = 0.3
"""How much of the mean variance is added to each direction of a model before it is divided by."""
MEASURED: Final = 2000
"""Passages by which the directions of a model are measured."""
WARM: Final = 0.5
"""How much passages beside the best one count."""
FEW: Final = 8
"""Documents that name an entity, below which nobody knows which share of those like them does."""
SEED: Final = 1


@dataclass(frozen=True, slots=True)
class Told:
    """What a document tells of an entity."""

    risk: float
    """Between 0 and 1; 1 where the entity is named."""
    hints: float
    """The risk of what does not name it."""
    score: float
    """How near the document is without the names, in deviations of documents that have nothing to do with it."""
    named: int
    """How often it is named."""


# Names


@dataclass(frozen=True)
class Mentions:
    """Where texts name an entity: its names, words that begin with one, and parts that give it away."""

    entity: Entity
    language: str

    @cached_property
    def _pattern(self) -> re.Pattern[str]:
        return re.compile("|".join(map(_form, sorted(self.entity.names, key=len, reverse=True))))

    def hidden(self, text: str) -> tuple[str, int]:
        """Give a text with a mark for each name, and how many there are."""
        left, count = self._pattern.subn(f" {NAME} ", text)
        if self.entity.type != "PERSON":  # `bomb` is no name of what is also called an A-bomb
            return left, count
        for start, end in reversed(spans_of(self.entity, left, folded(left), self.language)):
            left, count = f"{left[:start]} {NAME} {left[end:]}", count + 1
        return left, count


def _form(name: str) -> str:
    written = re.escape(" ".join(name.split())).replace("\\ ", r"\s+")
    if name == name.upper() and name != name.lower():
        return rf"\b{written}s?\b"
    return rf"(?i:\b{written}\w*)" if len(name) >= BEGINNING else rf"(?i:\b{written}s?\b)"


# Texts


@dataclass(frozen=True, slots=True, eq=False)
class Texts:
    """Documents as words: whole, and as passages, of which each is somebody's."""

    whole: Rows
    passages: Rows
    owners: Ints = field(repr=False)
    counts: Floats = field(repr=False)
    """Names in each passage."""

    @classmethod
    def of(cls, texts: Sequence[Sequence[str]], vocabulary: Vocabulary) -> Texts:
        """Cut texts; a passage that a text has several times counts once."""
        cut = [list(dict.fromkeys(map(tuple, passages(words)))) for words in texts]
        owners = np.repeat(np.arange(len(texts)), [len(some) for some in cut])
        flat = [words for some in cut for words in some]
        counts = np.array([words.count(NAME) for words in flat], np.float64)
        return cls(vocabulary.rows(texts, SAID), vocabulary.rows(flat, SAID), owners, counts)

    def scores(self, weights: Floats) -> tuple[Floats, Floats]:
        """Give what each text is as a whole, and what its best passages are."""
        found = self.passages.dot(weights)
        best = np.full(self.whole.size, -np.inf)
        np.maximum.at(best, self.owners, found)
        beside = np.bincount(self.owners, np.exp((found - best[self.owners]) / WARM), self.whole.size)
        return self.whole.dot(weights), np.asarray(best + WARM * np.log(beside), np.float64)


@dataclass(frozen=True, slots=True)
class Scales:
    """The scores of documents that do not name an entity: the middle of both, and how far they spread."""

    whole: tuple[float, float]
    best: tuple[float, float]

    @classmethod
    def of(cls, whole: Floats, best: Floats) -> Scales:
        """Measure scores."""
        first, second = ((float(one.mean()), max(float(one.std()), 1e-9)) for one in (whole, best))
        return cls(first, second)

    def __call__(self, whole: Floats, best: Floats) -> Floats:
        (middle, width), (other, wide) = self.whole, self.best
        return np.asarray(((whole - middle) / width + (best - other) / wide) / 2)


# Learning


class Collection:
    """The documents from which hints are learnt: all that name an entity, and others of every kind, or a draw."""

    def __init__(self, texts: Sequence[str], model: Model, language: str = "en") -> None:
        self.model, self.language = model, language
        self._written = tuple(texts)
        words = [words_of(key(text)) for text in texts]
        self.vocabulary = Vocabulary.of(words)
        self.texts = Texts.of(words, self.vocabulary)

    def __repr__(self) -> str:
        return f"Collection({len(self._written)} texts)"

    @cached_property
    def vectors(self) -> Floats:
        """Give the model's vectors of the vocabulary."""
        return self.vocabulary.vectors(self.model)

    @cached_property
    def _known(self) -> Flags:
        return np.asarray(self.vectors.any(axis=1))

    @cached_property
    def _measured(self) -> tuple[Floats, Floats]:
        """Give the mean vector of passages, and the inverse of how they spread about it."""
        rows = self.texts.passages
        chosen = np.zeros(rows.size, bool)
        chosen[np.random.default_rng(SEED).permutation(rows.size)[:MEASURED]] = True
        found = _directions(rows.take(chosen).times(self.vectors))
        spread = np.atleast_2d(np.cov(found.T)) if len(found) > 1 else np.zeros((found.shape[1],) * 2)
        ridge = SPREAD * max(float(np.trace(spread)) / len(spread), 1e-9)
        inverse = np.linalg.inv(spread + ridge * np.eye(len(spread)))
        return np.asarray(found.mean(axis=0)), np.asarray(inverse, np.float64)

    def prior(self, entity: Entity) -> Floats:
        """Give the weights of words before anything is learnt: by the description, and by nearness in the model."""
        rows, described = self.texts.passages, self.vocabulary.rows([words_of(key(entity.description))])
        said = described.back(np.ones(1))
        total = DESCRIBED * said / max(float(rows.dot(said).std()), 1e-9)
        named = self.model.find(entity.names).vectors.astype(np.float64)
        known = _directions(named[~np.isnan(named).any(axis=1)])
        parts = [_directions(part.sum(axis=0)) for part in (known, described.times(self.vectors)) if part.any()]
        if parts:
            mean, inverse = self._measured
            way = np.sum(parts, axis=0)
            way -= mean * (mean @ way) / max(float(mean @ mean), 1e-9)
            near = self.vectors @ (inverse @ way)
            # The usual word says nothing, so that long texts are not nearer.
            usual = rows.back(np.ones(rows.size))
            near -= self._known * (usual @ near / max(float(usual @ self._known), 1e-9))
            total = total + MEANT * near / max(float(rows.dot(near).std()), 1e-9)
        return np.asarray(total)

    def learn(self, entity: Entity, *, calibrate: bool = True) -> Learnt:
        """Learn what hints at an entity; without calibration scores rank documents, and risks are usual ones."""
        mentions = Mentions(entity, self.language)
        shown = {number: left for number, text in enumerate(self._written) for left, count in [mentions.hidden(text)]
                 if count}  # fmt: skip
        samples = [mentions.hidden(text)[0] for text in entity.samples]
        hidden = Texts.of([words_of(key(text)) for text in (*shown.values(), *samples)], self.vocabulary)
        # A sample is about the entity also where it does not name it.
        of_sample = hidden.owners >= len(shown)
        naming = np.zeros(len(self._written), bool)
        naming[list(shown)] = True
        others = ~naming[self.texts.owners]
        chosen = (hidden.counts > 0) | of_sample
        rows = self.texts.passages.take(others).over(hidden.passages.take(chosen))
        owners = np.concatenate([self.texts.owners[others], np.append(np.flatnonzero(naming), np.full(
            len(samples), -1))[hidden.owners[chosen]]])  # fmt: skip
        counted = np.clip(np.where(of_sample, 1 + hidden.counts, hidden.counts)[chosen] / CERTAIN, 0, 1)
        weights = np.concatenate([np.ones(int(others.sum())), counted])
        about = np.arange(rows.size) >= int(others.sum())
        prior = self.prior(entity)
        if not about.any() and not prior.any():
            raise ConfigError(
                "nothing is known of an entity of the policy: no document names it, and no word of its description is "
                "known; describe it in more words, give it samples, or leave it out"
            )
        return _Passages(self, rows, owners, about, weights, prior, naming, hidden).learnt(
            len(shown) if calibrate else 0
        )


@dataclass(frozen=True, slots=True, eq=False)
class _Passages:
    """What is learnt from: passages about an entity and others, and the documents that they are from."""

    collection: Collection
    rows: Rows
    owners: Ints
    about: Flags
    counted: Floats
    prior: Floats
    naming: Flags
    hidden: Texts

    def weights(self, chosen: Flags) -> Floats:
        """Learn from some of the passages."""
        rows, about = self.rows.take(chosen), self.about[chosen]
        if not about.any() or about.all():
            return self.prior
        offset = rows.dot(self.prior)
        nothing = np.zeros((rows.size, 0))
        found, _, _ = fit(rows, nothing, about, balanced(about, self.counted[chosen]), offset - offset.mean(), RIDGE)
        return self.prior + found

    def scores(self, weights: Floats) -> tuple[Floats, Floats]:
        """Score all documents of the collection, without names."""
        whole, best = self.collection.texts.scores(weights)
        bare = self.hidden.scores(weights)
        for found, left in zip((whole, best), bare, strict=True):
            found[self.naming] = left[: int(self.naming.sum())]
        return whole, best

    def learnt(self, documents: int) -> Learnt:
        """Learn from all; which share of documents name the entity is told by halves that were not learnt from."""
        weights = self.weights(np.ones(self.rows.size, bool))
        whole, best = self.scores(weights)
        others = ~self.naming
        if not others.any():
            raise ConfigError(
                "every document names an entity of the policy, so that nothing tells hints at it from other words; "
                "give it a name that is less common (embanon leak check-policy), or scan more documents"
            )
        scales = Scales.of(whole[others], best[others])
        tail = Scale.of(scales(whole[others], best[others]))
        if documents < FEW:
            return Learnt(weights, scales, tail, None)
        half = np.random.default_rng(SEED).permutation(len(self.naming)) % 2
        apart = np.zeros(len(half))
        for number in (0, 1):
            left = (self.owners < 0) | (half[self.owners] != number)
            here = half == number
            parts = [one[here] for one in self.scores(self.weights(left))]
            apart[here] = Scales.of(*(one[others[here]] for one in parts))(*parts)
        return Learnt(weights, scales, tail, Curve.of(apart, self.naming))


@dataclass(frozen=True, slots=True, eq=False)
class Learnt:
    """What hints at one entity."""

    weights: Floats = field(repr=False)
    scales: Scales
    tail: Scale
    curve: Curve | None
    """None where too few documents name the entity; then the risk is standard where one in twenty documents is."""

    def risk(self, scores: Floats) -> Floats:
        """Give the risk of scores."""
        if self.curve:
            return self.curve(scores)
        return np.array([NormalDist().cdf(z - TAIL + SHIFT) for z in self.tail(scores).tolist()])


# Scoring


@dataclass(frozen=True, slots=True, eq=False)
class Hints:
    """What hints at each entity of a policy."""

    entities: tuple[Entity, ...] = field(repr=False)
    language: str
    vocabulary: Vocabulary
    learnt: tuple[Learnt, ...] = field(repr=False)

    @classmethod
    def learn(cls, texts: Sequence[str], entities: Sequence[Entity], model: Model, language: str = "en") -> Hints:
        """Learn from the documents of a collection, of which some name the entities."""
        collection = Collection(texts, model, language)
        learnt = tuple(collection.learn(entity) for entity in entities)
        return cls(tuple(replace(one, samples=()) for one in entities), language, collection.vocabulary, learnt)

    def told(self, text: str) -> list[Told]:
        """Say what a document tells of each entity."""
        found, plain = [], self._texts(text)
        for entity, learnt in zip(self.entities, self.learnt, strict=True):
            left, named = Mentions(entity, self.language).hidden(text)
            bare = self._texts(left) if named else plain
            score = learnt.scales(*bare.scores(learnt.weights))
            hints = float(learnt.risk(score)[0])
            found.append(Told(1.0 if named else hints, hints, float(score[0]), named))
        return found

    def phrase_risks(self, phrases: Sequence[str], place: int, risk: float) -> Floats:
        """Share the risk of hints out among the phrases of a document, so that all together make up this risk.

        Together is `1 - (1 - risk) * (1 - risk) * …`, over distinct phrases, as misuseability adds them up; a phrase
        that is given several times has the same risk each time. One that speaks against the entity has 0.
        """
        keys = [tuple(words_of(key(phrase))) for phrase in phrases]
        distinct = list(dict.fromkeys(keys))
        rows = self.vocabulary.rows(distinct)
        weights = self.learnt[place].weights
        # A word that several phrases have is one hint.
        held = np.bincount(rows.words, minlength=rows.width)[rows.words]
        said = np.maximum(weights[rows.words], 0) * self.vocabulary.rarity[rows.words] / held
        shares = np.bincount(rows.texts, said, rows.size)
        total = float(shares.sum())
        risks = 1 - (1 - risk) ** (shares / total) if total else np.zeros(rows.size)
        return np.asarray(risks[[distinct.index(one) for one in keys]], np.float64)

    def _texts(self, text: str) -> Texts:
        return Texts.of([words_of(key(text))], self.vocabulary)

    def save(self, path: Path) -> None:
        """Write it, for its owner alone: it is as secret as the collection."""
        numbers = np.array([list(_numbers(one)) for one in self.learnt]).reshape(len(self.learnt), -1)
        weights = np.array([one.weights for one in self.learnt], np.float32).reshape(len(self.learnt), -1)
        save(path, KIND, VERSION, {
            **self.vocabulary.arrays(), "weights": weights, "numbers": numbers, "entities": _digest(self.entities),
        })  # fmt: skip

    @classmethod
    def load(cls, path: Path, entities: Sequence[Entity], language: str = "en") -> Hints:
        """Read it, for the same entities."""
        with load(path, KIND, VERSION) as arrays:
            vocabulary = Vocabulary.from_arrays(arrays["words"], arrays["rarity"])
            weights, numbers = arrays["weights"].astype(np.float64), arrays["numbers"]
            if arrays["entities"].tobytes() != _digest(entities).tobytes():
                raise ConfigError(f"{path.name} was learnt for other entities than those of the policy; learn it again")
            if weights.shape != (len(entities), len(vocabulary)):
                raise ValueError("weights are not those of the vocabulary")
            learnt = tuple(_learnt(row, some.tolist()) for row, some in zip(weights, numbers, strict=True))
        return cls(tuple(replace(one, samples=()) for one in entities), language, vocabulary, learnt)


def _numbers(learnt: Learnt) -> Iterator[float]:
    yield from (*learnt.scales.whole, *learnt.scales.best, learnt.tail.middle, learnt.tail.width)
    yield from (learnt.curve.slope, learnt.curve.bias) if learnt.curve else (np.nan, np.nan)


def _learnt(weights: Floats, numbers: Sequence[float]) -> Learnt:
    first, wide, second, width, middle, tail, slope, bias = numbers
    curve = None if np.isnan(slope) else Curve(slope, bias)
    return Learnt(weights, Scales((first, wide), (second, width)), Scale(middle, tail), curve)


def _digest(entities: Sequence[Entity]) -> NDArray[np.uint8]:
    """Tell one list of entities from another."""
    written = "\0".join("\1".join((one.type, one.description, *one.names)) for one in entities)
    return np.frombuffer(blake2b(written.encode("utf-8", "surrogatepass"), digest_size=16).digest(), np.uint8)


def _directions(rows: Floats) -> Floats:
    """Give rows of length 1; nothing stays nothing."""
    return np.asarray(rows / np.maximum(np.linalg.norm(rows, axis=-1, keepdims=True), 1e-9))
