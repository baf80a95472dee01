"""Say how near texts are to many topics at once: what `embanon.topics` says of each, by one product of matrices.

A text is near a topic by all of its distinct phrases together, so that many weak hints count, and the same strong one
ten times counts once. How much of that each phrase brings is its share.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from statistics import NormalDist
from typing import Final

import numpy as np
from numpy.typing import NDArray

from embanon.bags import TAIL, Bag
from embanon.document import Phrases
from embanon.entities import Entity
from embanon.errors import ConfigError
from embanon.leak.names import Index
from embanon.model.keys import key, variant
from embanon.model.vectors import units
from embanon.topic_calibration import Calibration, Topic
from embanon.topics import EVEN, SHIFT

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

LEAST: Final = 1e-9
"""A length that is none."""


@dataclass(frozen=True, slots=True)
class Near:
    """How near a text is to a topic: its risk, and what each of some phrases (by place) brings of it."""

    topic: int
    risk: float
    places: Ints = field(repr=False)
    shares: Floats = field(repr=False)


@dataclass(frozen=True, slots=True)
class Told:
    """What a text tells of topics."""

    near: tuple[Near, ...]
    naming: tuple[tuple[int, int], ...]
    """Topics that a phrase names, and the place of that."""
    unknown: int
    """Phrases of which the model knows nothing."""


@dataclass(frozen=True, slots=True, eq=False)
class Topics:
    """Topics as a model knows them, side by side."""

    calibration: Calibration = field(repr=False)
    known: tuple[Topic, ...] = field(repr=False)
    numbers: tuple[int, ...]
    """The number of the entity of each."""
    missing: tuple[int, ...]
    """Entities of which the model knows nothing."""
    index: Index = field(repr=False)
    directions: Floats = field(repr=False)
    contrasts: NDArray[np.float32] = field(repr=False)
    """Words by topics."""
    scales: Floats = field(repr=False)
    """Of each topic: share; middle and width of meaning, of field and of both."""

    @classmethod
    def of(cls, entities: Sequence[tuple[int, Entity]], calibration: Calibration) -> Topics:
        """Learn topics, numbered as they are given."""
        known, numbers, missing = list[Topic](), list[int](), list[int]()
        for number, entity in entities:
            try:
                known.append(calibration.topic(entity))
                numbers.append(number)
            except ConfigError:  # its name can be looked for all the same
                missing.append(number)
        begins = dict[str, tuple[int, ...]]()
        for place, topic in enumerate(known):
            for name in topic.names:
                begin = name[0][: max(len(name[0]) - 2, 2)]
                begins[begin] = (*begins.get(begin, ()), place)
        dimensions = calibration.model.dimensions
        directions = np.zeros((len(known), dimensions))
        for place, topic in enumerate(known):
            directions[place] = topic.direction if len(topic.direction) else 0.0
        fields = [place for place, topic in enumerate(known) if topic.share]
        contrasts = np.zeros((len(calibration.rarity) if fields else 0, len(known)), np.float32)
        for place in fields:
            contrasts[:, place] = known[place].contrast
        scales = [
            (one.share, one.meaning.middle, one.meaning.width, one.field.middle, one.field.width, one.whole.middle,
             one.whole.width) for one in known
        ]  # fmt: skip
        return cls(
            calibration, tuple(known), tuple(numbers), tuple(missing), Index.by_words(begins), directions, contrasts,
            np.array(scales).reshape(-1, 7),
        )  # fmt: skip

    def told(self, texts: Sequence[tuple[str, Phrases]], least: float) -> list[Told]:
        """Say what texts tell of topics, as far as that is at or above a risk."""
        if not self.known:
            return [Told((), (), 0) for _ in texts]
        many = _Many.of(texts, self.calibration, bool(len(self.contrasts)))
        z = self._far(many)
        above = z >= NormalDist().inv_cdf(min(least, 1 - LEAST)) - SHIFT + TAIL
        found = []
        for number in range(len(texts)):
            hits = np.flatnonzero(above[number])
            risks = [NormalDist().cdf(one - TAIL + SHIFT) for one in z[number, hits].tolist()]
            near = tuple(self._near(many, number, hits, risks)) if len(hits) else ()
            found.append(Told(near, tuple(self._naming(many, number)), many.unknown(number)))
        return found

    def _far(self, many: _Many) -> Floats:
        """Give how near each text is to each topic, on the scale of unrelated texts; NaN where nothing is known."""
        share, middle, width, low, wide, whole_middle, whole_width = self.scales.T
        cosines = many.wholes @ self.directions.T / np.maximum(many.sizes, LEAST)[:, None]
        mixed = (cosines - middle) / width
        if len(self.contrasts):
            bag = many.bag
            weights = bag.weights(self.calibration.rarity)
            dots = np.zeros((bag.size, len(self.known)))
            np.add.at(dots, bag.texts, weights[:, None] * self.contrasts[bag.words])
            mixed = np.where(share < 1, (1 - share) * mixed, 0.0) + share * (dots - low) / wide
        return np.where(many.known[:, None], (mixed - whole_middle) / whole_width, np.nan)

    def _near(self, many: _Many, number: int, hits: Ints, risks: Sequence[float]) -> Iterator[Near]:
        """Give the share of phrases: how much nearer each brings the whole text, as `embanon.topics` has it."""
        pairs = many.pairs_of(number)
        rows, whole, size = many.rows[pairs], many.wholes[number], max(float(many.sizes[number]), LEAST)
        for hit, risk in zip(hits.tolist(), risks, strict=True):
            topic, direction = self.known[hit], self.directions[hit]
            share = EVEN if 0 < topic.share < 1 else topic.share
            slope = (direction - whole * (whole @ direction) / size**2) / size
            gains = (1 - share) / topic.meaning.width * (rows @ slope)
            if share:
                gains += share / topic.field.width * many.lexical(number, self.contrasts[:, hit])
            gains = np.maximum(gains, 0.0)
            telling = np.flatnonzero(gains)
            telling = telling[np.argsort(-gains[telling], kind="stable")]
            yield Near(self.numbers[hit], risk, many.places[many.bounds[number] + telling], gains[telling])

    def _naming(self, many: _Many, number: int) -> Iterator[tuple[int, int]]:
        keys = [many.keys[pair] for pair in many.pairs_of(number).tolist()]
        plain = " ".join(one if one.isascii() else variant(one, str) for one in keys)
        for topic in self.index.among(plain):
            named = self.calibration.naming(self.known[topic].names, keys)
            for place in np.flatnonzero(named).tolist():
                yield self.numbers[topic], int(many.places[many.bounds[number] + place])


@dataclass(frozen=True, slots=True, eq=False)
class _Many:
    """Texts as what they are made of: distinct phrases of all of them, looked up once."""

    keys: list[str] = field(repr=False)
    rows: Floats = field(repr=False)
    """Weighted vectors of the phrases."""
    numbers: Ints = field(repr=False)
    """The distinct phrases of one text after the other, from `bounds[text]` on."""
    places: Ints = field(repr=False)
    """Where each of these stands first in its text, as a phrase."""
    bounds: Ints
    wholes: Floats = field(repr=False)
    sizes: Floats
    known: NDArray[np.bool_]
    said: NDArray[np.bool_] = field(repr=False)
    """Of which phrases anything is known."""
    words: Ints = field(repr=False)
    of_words: Ints = field(repr=False)
    """Words of phrases, from `of_words[phrase]` on; -1 is unknown."""
    bag: Bag = field(repr=False)
    rarity: Floats = field(repr=False)

    @classmethod
    def of(cls, texts: Sequence[tuple[str, Phrases]], calibration: Calibration, lexical: bool) -> _Many:
        """Look phrases up."""
        model, known, written = calibration.model, dict[str, int](), list[str]()
        numbers, places, bounds = list[int](), list[int](), [0]
        keys_of = dict[str, str]()
        for text, phrases in texts:
            mine = dict[int, int]()
            for place, (start, end) in enumerate(zip(phrases.start.tolist(), phrases.end.tolist(), strict=True)):
                phrase = text[start:end]
                one = keys_of.get(phrase)
                if one is None:
                    one = keys_of[phrase] = key(phrase)
                number = known.setdefault(one, len(known))
                if number == len(written):
                    written.append(phrase)
                mine.setdefault(number, place)
            numbers += mine
            places += mine.values()
            bounds.append(len(numbers))
        keys = list(known)
        found = model.find(written)
        words, owners = calibration.words(keys)
        weights = np.zeros(len(keys))
        kept = words >= 0
        np.maximum.at(weights, owners[kept], calibration.rarity[words[kept]])
        exact = found.numbers >= 0
        weights[exact] = model.rarity(model.phrases, found.numbers[exact])
        rows = units(found.vectors).astype(np.float64)
        vectored = ~np.isnan(rows[:, 0])
        rows = np.where(vectored[:, None], rows * np.maximum(weights, 0.01)[:, None], 0.0)
        said = vectored.copy()
        if lexical:
            said[owners[kept]] = True
        pairs, starts = np.array(numbers, np.int64), np.array(bounds, np.int64)
        owner = np.repeat(np.arange(len(texts)), np.diff(starts))
        wholes = _summed(rows[pairs], starts)
        of_words = np.searchsorted(owners, np.arange(len(keys) + 1))
        bag = _bag(pairs, owner, words, of_words, len(texts), len(calibration.rarity)) if lexical else EMPTY
        return cls(
            keys, rows, pairs, np.array(places, np.int64), starts, wholes, np.linalg.norm(wholes, axis=1),
            np.bincount(owner[said[pairs]], minlength=len(texts)) > 0, said, words, of_words, bag, calibration.rarity,
        )  # fmt: skip

    def pairs_of(self, number: int) -> Ints:
        """Give the distinct phrases of a text."""
        return self.numbers[self.bounds[number] : self.bounds[number + 1]]

    def unknown(self, number: int) -> int:
        """Count the distinct phrases of a text of which nothing is known."""
        return int((~self.said[self.pairs_of(number)]).sum())

    def lexical(self, number: int, contrast: NDArray[np.float32]) -> Floats:
        """Give how much nearer the words of each phrase bring a text to the field of a topic."""
        words, owners = _words_of(self.pairs_of(number), self.words, self.of_words)
        kept = words >= 0
        words, owners = words[kept], owners[kept]
        _, inverse, each = np.unique(words, return_inverse=True, return_counts=True)
        counts = each[inverse]
        weights = np.log1p(counts) * self.rarity[words]
        squares, dots = weights**2 / counts, weights * contrast[words] / counts
        size = max(float(np.sqrt(squares.sum())), LEAST)
        slopes = (dots - squares * dots.sum() / size**2) / size
        return np.asarray(np.bincount(owners, slopes, len(self.pairs_of(number))), np.float64)


EMPTY: Final = Bag(np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros(0), 0)


def _summed(rows: Floats, starts: Ints) -> Floats:
    """Sum the rows from each start to the next."""
    found = np.zeros((len(starts) - 1, rows.shape[1]))
    filled = np.flatnonzero(np.diff(starts))  # what follows an empty one begins where that does
    if len(filled):
        found[filled] = np.add.reduceat(rows, starts[filled])
    return found


def _words_of(phrases: Ints, words: Ints, of_words: Ints) -> tuple[Ints, Ints]:
    """Give the words of some phrases, and by place among these which has each."""
    sizes = of_words[phrases + 1] - of_words[phrases]
    ends = np.cumsum(sizes)
    gathered = np.arange(ends[-1] if len(ends) else 0) + np.repeat(of_words[phrases] - ends + sizes, sizes)
    return words[gathered], np.repeat(np.arange(len(phrases)), sizes)


def _bag(pairs: Ints, owner: Ints, words: Ints, of_words: Ints, size: int, vocabulary: int) -> Bag:
    found, of = _words_of(pairs, words, of_words)
    return Bag.of(owner[of], found, size, vocabulary)
