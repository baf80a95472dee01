"""Say how much a document tells of an entity that it need not name: by all its hints together.

What a collection says around the entity's names, and nowhere else, hints at it (`embanon.leak.collection` learns it).
A document is as near as it is as a whole, and as its best passages are: ten weak hints add up; one that is repeated
counts up to three times in a passage, and a passage that is repeated once.

The risk is the share of documents of the collection that name the entity, among those that read as this one does. Where
too few name it, it is standard from a nearness that one in a thousand has by chance. Where none does, and no sample
shows what is said of it, nobody knows whether any document is about it: then hints are a guess, and never reach that.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import astuple, dataclass, field
from functools import cached_property
from hashlib import blake2b
from pathlib import Path
from statistics import NormalDist
from typing import Final

import numpy as np
from numpy.typing import NDArray

from embanon.entities.entity import Entity, folded
from embanon.entities.mentions import spans_of
from embanon.errors import ConfigError
from embanon.language.normalize import key, words_of
from embanon.leak.regression import Curve, Floats, Ints, Rows
from embanon.leak.stored import load, save
from embanon.leak.words import Vocabulary, passages
from embanon.risk.bags import Scale
from embanon.risk.topics import SHIFT

KIND: Final = "hints"
VERSION: Final = 2
NAME: Final = "ʔʔʔ"
"""What stands for a name that is taken out: a word that no text has."""
BEGINNING: Final = 4
"""Letters of a name that also names the entity as the beginning of a word: Korea, Korean."""
SAID: Final = 3
"""How often a word counts in a text at most: what is said ten times tells no more than what is said thrice."""
WARM: Final = 0.5
"""How much passages beside the best one count."""
RARE: Final = 3.0
"""Deviations from which a document is at standard risk where no share is known: one in a thousand is, by chance."""
GUESSED: Final = 0.5
"""The highest risk that a description alone can bring."""


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
        # What all begin with stands before them: three times as fast as with each.
        return re.compile(rf"\b(?:{'|'.join(map(_form, sorted(self.entity.names, key=len, reverse=True)))})")

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
        return rf"{written}s?\b"
    return rf"(?i:{written}\w*)" if len(name) >= BEGINNING else rf"(?i:{written}s?\b)"


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


@dataclass(frozen=True, slots=True, eq=False)
class Learnt:
    """What hints at one entity."""

    weights: Floats = field(repr=False)
    scales: Scales
    tail: Scale
    curve: Curve | None
    """None where too few documents name the entity."""
    shown: bool = True
    """Whether passages show what is said of it, and not its description alone."""

    def risk(self, scores: Floats) -> Floats:
        """Give the risk of scores."""
        if self.curve:
            return self.curve(scores)
        found = np.array([NormalDist().cdf(z - RARE + SHIFT) for z in self.tail(scores).tolist()])
        return found if self.shown else GUESSED * found


# Scoring


@dataclass(frozen=True, slots=True, eq=False)
class Hints:
    """What hints at each entity of a policy."""

    entities: tuple[Entity, ...] = field(repr=False)
    language: str
    vocabulary: Vocabulary
    learnt: tuple[Learnt, ...] = field(repr=False)
    model: str = ""
    """What tells the model whose vectors it was learnt with."""

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
        [shares] = self.shares(distinct, [place])
        total = float(shares.sum())
        risks = 1 - (1 - risk) ** (shares / total) if total else np.zeros(len(distinct))
        return np.asarray(risks[[distinct.index(one) for one in keys]], np.float64)

    def shares(self, phrases: Sequence[Sequence[str]], places: Iterable[int]) -> Iterator[Floats]:
        """Give what distinct phrases, in words, bring for each of some entities; what speaks against one brings 0."""
        rows = self.vocabulary.rows(phrases)
        # A word that several phrases have is one hint.
        held = np.bincount(rows.words, minlength=rows.width)[rows.words]
        rarity = self.vocabulary.rarity[rows.words] / held
        for place in places:
            said = np.maximum(self.learnt[place].weights[rows.words], 0) * rarity
            yield np.asarray(np.bincount(rows.texts, said, rows.size), np.float64)

    def _texts(self, text: str) -> Texts:
        return Texts.of([words_of(key(text))], self.vocabulary)

    def save(self, path: Path) -> None:
        """Write it, for its owner alone: it is as secret as the collection."""
        numbers = np.array([list(_numbers(one)) for one in self.learnt]).reshape(len(self.learnt), -1)
        weights = np.array([one.weights for one in self.learnt], np.float32).reshape(len(self.learnt), -1)
        save(path, KIND, VERSION, {
            **self.vocabulary.arrays(), "weights": weights, "numbers": numbers,
            "entities": _digest(self.entities, self.language), "model": np.array(self.model),
        })  # fmt: skip

    @classmethod
    def load(cls, path: Path, entities: Sequence[Entity], language: str = "en") -> Hints:
        """Read it, for the same entities."""
        with load(path, KIND, VERSION) as arrays:
            vocabulary = Vocabulary.from_arrays(arrays["words"], arrays["rarity"])
            weights, numbers = arrays["weights"].astype(np.float64), arrays["numbers"]
            if arrays["entities"].tobytes() != _digest(entities, language).tobytes():
                raise ConfigError(
                    f"{path.name} was learnt for other entities than the policy has; run: embanon leak scan --learn"
                )
            if weights.shape != (len(entities), len(vocabulary)):
                raise ValueError("weights are not those of the vocabulary")
            learnt = tuple(_learnt(row, some.tolist()) for row, some in zip(weights, numbers, strict=True))
            model = str(arrays["model"])
        return cls(tuple(entities), language, vocabulary, learnt, model)


def _numbers(learnt: Learnt) -> Iterator[float]:
    yield from (*learnt.scales.whole, *learnt.scales.best, learnt.tail.middle, learnt.tail.width)
    yield from (learnt.curve.slope, learnt.curve.bias) if learnt.curve else (np.nan, np.nan)
    yield learnt.shown


def _learnt(weights: Floats, numbers: Sequence[float]) -> Learnt:
    first, wide, second, width, middle, tail, slope, bias, shown = numbers
    curve = None if np.isnan(slope) else Curve(slope, bias)
    return Learnt(weights, Scales((first, wide), (second, width)), Scale(middle, tail), curve, bool(shown))


def _digest(entities: Sequence[Entity], language: str) -> NDArray[np.uint8]:
    """Tell one list of entities, with all that hints are learnt from, from another."""
    written = repr((language, [astuple(one) for one in entities]))
    return np.frombuffer(blake2b(written.encode("utf-8", "surrogatepass"), digest_size=16).digest(), np.uint8)
