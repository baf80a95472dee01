"""How much a document tells of an entity that it need not name: by all its hints together.

What a collection says around the entity's names, and nowhere else, hints at it (`embanon.leak.collection` learns it).
A document is as near as it is as a whole, and as its best passages are: ten weak hints add up; one that is repeated
counts up to three times in a passage, and a passage that is repeated once.

Texts shorter than documents are, as mails and sentences, are measured by passages of their length
(`embanon.leak.passages`).

The risk is the share of documents of the collection that name the entity, among those that read as this one does. Where
too few name it, it is standard from a nearness that one in a thousand has by chance. Where none does, and no sample
shows what is said of it, nobody knows whether any document is about it: then hints are a guess, and never reach that.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import astuple, dataclass, field
from functools import cached_property, lru_cache
from hashlib import blake2b
from pathlib import Path
from statistics import NormalDist
from typing import Final

import numpy as np
from numpy.typing import NDArray

from embanon.document import Phrases
from embanon.entities import Entity, find_mentions, fold_text
from embanon.errors import ConfigError
from embanon.language import key, words_of
from embanon.leak.ledger.records import MOSTLY_UNKNOWN
from embanon.leak.ordinary import Strangeness
from embanon.leak.passages import NO_PASSAGES, PassageScales
from embanon.leak.regression import Flags, Floats, Ints, LogisticCurve, SparseRows, sigmoid
from embanon.leak.vocabulary import PASSAGE_WORDS, Vocabulary, cut_passages, load_arrays, save_arrays
from embanon.risk import SHIFT, TOPIC, Scale

KIND: Final = "hints"
VERSION: Final = 3
NAME_MARK: Final = "ʔʔʔ"
"""The placeholder of a name that is taken out: a word that no text has."""
MIN_PREFIX: Final = 4
"""Letters of a name that also names the entity as the beginning of a word: Korea, Korean."""
MAX_REPEATS: Final = 3
"""How often a word counts in a text at most: ten times tell no more than three."""
SOFTMAX_TEMPERATURE: Final = 0.5
"""How much passages beside the best one count."""
LONE_WORD_SHARE: Final = 0.7
"""How much of its strongest word a passage is not near by."""
STANDARD_RISK_DEVIATIONS: Final = 3.0
"""Deviations from which a document is at standard risk where no share is known: one in a thousand is, by chance."""
CERTAINTY: Final = 1e-6
"""How near to 0 and 1 a risk comes where it is put together of two."""
MAX_GUESSED_RISK: Final = 0.4
"""The highest risk that a description alone can bring: below the standard limit."""


# Names


@dataclass(frozen=True)
class NameMasker:
    """Where texts name an entity: its names, words that begin with one, and parts that give it away."""

    entity: Entity
    language: str

    @cached_property
    def _pattern(self) -> re.Pattern[str]:
        # What all begin with stands before them: three times as fast as with each.
        return re.compile(rf"\b(?:{'|'.join(map(_name_pattern, sorted(self.entity.names, key=len, reverse=True)))})")

    def mask(self, text: str) -> tuple[str, int]:
        """Return a text with a mark for each name, and how many there are."""
        left, count = self._pattern.subn(f" {NAME_MARK} ", text)
        if self.entity.type != "PERSON":  # `bomb` is no name of what is also called an A-bomb
            return left, count
        for start, end in reversed(find_mentions(self.entity, left, fold_text(left), self.language)):
            left, count = f"{left[:start]} {NAME_MARK} {left[end:]}", count + 1
        return left, count


def _name_pattern(name: str) -> str:
    written = re.escape(" ".join(name.split())).replace("\\ ", r"\s+")
    if name == name.upper() and name != name.lower():
        return rf"{written}s?\b"
    return rf"(?i:{written}\w*)" if len(name) >= MIN_PREFIX else rf"(?i:{written}s?\b)"


# Texts


@dataclass(frozen=True, slots=True, eq=False)
class TextRows:
    """Documents as words: whole, and as passages, of which each is somebody's."""

    whole: SparseRows
    passages: SparseRows
    owners: Ints = field(repr=False)
    name_counts: Floats = field(repr=False)
    """Names in each passage."""

    @classmethod
    def from_words(
        cls, texts: Sequence[Sequence[str]], vocabulary: Vocabulary, length: int = PASSAGE_WORDS
    ) -> TextRows:
        """Cut texts; a passage that a text has several times counts once."""
        cut = [list(dict.fromkeys(map(tuple, cut_passages(words, length)))) for words in texts]
        owners = np.repeat(np.arange(len(texts)), [len(some) for some in cut])
        flat = [words for some in cut for words in some]
        counts = np.array([words.count(NAME_MARK) for words in flat], np.float64)
        return cls(vocabulary.rows(texts, MAX_REPEATS), vocabulary.rows(flat, MAX_REPEATS), owners, counts)

    def take(self, chosen: Flags) -> TextRows:
        """Return some of the texts."""
        kept, numbers = chosen[self.owners], np.cumsum(chosen) - 1
        return TextRows(
            self.whole.take(chosen), self.passages.take(kept), numbers[self.owners[kept]], self.name_counts[kept]
        )

    @property
    def known_words(self) -> Floats:
        """Return how many distinct words of each text are known."""
        return np.bincount(self.whole.texts, minlength=self.whole.size).astype(np.float64)

    def mean_scores(self, weights: Floats) -> Floats:
        """Return the mean of what each text is as a whole and of what its best passages are; one word is not enough."""
        strongest = np.zeros(self.whole.size)
        np.maximum.at(strongest, self.whole.texts, self.whole.values * weights[self.whole.words])
        return np.asarray(np.mean(self.scores(weights), axis=0) - LONE_WORD_SHARE * strongest)

    def scores(self, weights: Floats) -> tuple[Floats, Floats]:
        """Return what each text is as a whole, and what its best passages are."""
        scores = self.passages.dot(weights)
        best = np.full(self.whole.size, -np.inf)
        np.maximum.at(best, self.owners, scores)
        beside = np.bincount(self.owners, np.exp((scores - best[self.owners]) / SOFTMAX_TEMPERATURE), self.whole.size)
        return self.whole.dot(weights), np.asarray(best + SOFTMAX_TEMPERATURE * np.log(beside), np.float64)


@dataclass(frozen=True, slots=True)
class ScoreScales:
    """The scores of documents that do not name an entity: the middle of both, and how far they spread."""

    whole: tuple[float, float]
    best: tuple[float, float]

    @classmethod
    def fit(cls, whole: Floats, best: Floats) -> ScoreScales:
        """Measure scores."""
        first, second = ((float(one.mean()), max(float(one.std()), 1e-9)) for one in (whole, best))
        return cls(first, second)

    def __call__(self, whole: Floats, best: Floats) -> Floats:
        (middle, width), (other, wide) = self.whole, self.best
        return np.asarray(((whole - middle) / width + (best - other) / wide) / 2)


@dataclass(frozen=True, slots=True, eq=False)
class EntityHints:
    """What hints at one entity."""

    weights: Floats = field(repr=False)
    meaning: Floats = field(repr=False)
    """The weights of words by their vectors alone, which measure passages beside the others."""
    scales: ScoreScales
    tail: Scale
    curve: LogisticCurve | None
    """None where too few documents name the entity."""
    passages: PassageScales = NO_PASSAGES
    has_passages: bool = True
    """Whether passages show what is said of it, and not its description alone."""

    def risk(self, rows: TextRows) -> Floats:
        """Return the risk of texts: of documents, and of what is shorter."""
        scores = rows.scores(self.weights)
        risks = self.document_risk(self.scales(*scores))
        short = self.passages.is_passage(rows.known_words)
        if short.any():
            views = rows.mean_scores(self.weights), rows.mean_scores(self.meaning)
            highest = 1.0 if self.has_passages else MAX_GUESSED_RISK
            whole = np.clip(risks / highest, CERTAINTY, 1 - CERTAINTY)
            logits = self.passages.logits(rows.known_words, *views, np.log(whole / (1 - whole)))
            risks = np.where(short, highest * sigmoid(logits), risks)
        return risks

    def document_risk(self, scores: Floats) -> Floats:
        """Return the risk of the scores of documents."""
        if self.curve:
            return self.curve(scores)
        risks = np.array([NormalDist().cdf(z - STANDARD_RISK_DEVIATIONS + SHIFT) for z in self.tail(scores).tolist()])
        return risks if self.has_passages else MAX_GUESSED_RISK * risks


# Scoring


@dataclass(frozen=True, slots=True, eq=False)
class Hints:
    """What hints at each entity of a policy."""

    entities: tuple[Entity, ...] = field(repr=False)
    language: str
    vocabulary: Vocabulary
    by_entity: tuple[EntityHints, ...] = field(repr=False)
    model: str = ""
    """What tells the model whose vectors it was learnt with."""

    def shares(self, phrases: Sequence[Sequence[str]], places: Iterable[int]) -> Iterator[Floats]:
        """Return what distinct phrases, in words, bring for each of some entities; what speaks against one brings 0."""
        rows = self.vocabulary.rows(phrases)
        # A word that several phrases have is one hint.
        held = np.bincount(rows.words, minlength=rows.width)[rows.words]
        rarity = self.vocabulary.rarity[rows.words] / held
        for place in places:
            values = np.maximum(self.by_entity[place].weights[rows.words], 0) * rarity
            yield np.asarray(np.bincount(rows.texts, values, rows.size), np.float64)

    def save(self, path: Path) -> None:
        """Write it, for its owner alone: it is as secret as the collection."""
        numbers = np.array([list(_to_numbers(one)) for one in self.by_entity]).reshape(len(self.by_entity), -1)
        views = np.array([(one.weights, one.meaning) for one in self.by_entity], np.float32)
        save_arrays(path, KIND, VERSION, {
            **self.vocabulary.to_arrays(), "weights": views.reshape(len(self.by_entity), 2, -1), "numbers": numbers,
            "passages": np.array([one.passages.to_numbers() for one in self.by_entity]),
            "entities": _entities_digest(self.entities, self.language), "model": np.array(self.model),
        })  # fmt: skip

    @classmethod
    def load(cls, path: Path, entities: Sequence[Entity], language: str = "en") -> Hints:
        """Read it, for the same entities."""
        with load_arrays(path, KIND, VERSION) as arrays:
            vocabulary = Vocabulary.from_arrays(arrays["words"], arrays["rarity"])
            weights, numbers = arrays["weights"].astype(np.float64), arrays["numbers"]
            if arrays["entities"].tobytes() != _entities_digest(entities, language).tobytes():
                raise ConfigError(
                    f"{path.name} was learnt for other entities than the policy has; run: embanon leak scan --learn"
                )
            if weights.shape != (len(entities), 2, len(vocabulary)):
                raise ValueError("weights are not those of the vocabulary")
            learnt = tuple(map(_from_numbers, weights, numbers.tolist(), arrays["passages"]))
            if len(learnt) != len(entities):
                raise ValueError("numbers are not those of the entities")
            model = str(arrays["model"])
        return cls(tuple(entities), language, vocabulary, learnt, model)


def _to_numbers(learnt: EntityHints) -> Iterator[float]:
    yield from (*learnt.scales.whole, *learnt.scales.best, learnt.tail.middle, learnt.tail.width)
    yield from (learnt.curve.slope, learnt.curve.bias) if learnt.curve else (np.nan, np.nan)
    yield learnt.has_passages


def _from_numbers(weights: Floats, numbers: Sequence[float], passages: Floats) -> EntityHints:
    first, wide, second, width, middle, tail, slope, bias, shown = numbers
    curve = None if np.isnan(slope) else LogisticCurve(slope, bias)
    scales = ScoreScales((first, wide), (second, width))
    read = PassageScales.from_numbers(passages)
    return EntityHints(weights[0], weights[1], scales, Scale(middle, tail), curve, read, bool(shown))


def _entities_digest(entities: Sequence[Entity], language: str) -> NDArray[np.uint8]:
    """Return a digest of entities, with all that hints are learnt from."""
    written = repr((language, [astuple(one) for one in entities]))
    return np.frombuffer(blake2b(written.encode("utf-8", "surrogatepass"), digest_size=16).digest(), np.uint8)


# Of the entities of a policy


@dataclass(frozen=True, slots=True)
class NearEntity:
    """How near a text is to an entity: its risk, and what each of some phrases (by place) brings of it."""

    entity: int
    risk: float
    places: Ints = field(repr=False)
    shares: Floats = field(repr=False)


@dataclass(frozen=True, slots=True)
class NearResult:
    """What a text tells of entities that it need not name, and its unknown words, or `MOSTLY_UNKNOWN`."""

    near: tuple[NearEntity, ...] = ()
    unknown: int = 0


def hintable_entities(entities: Sequence[Entity]) -> list[int]:
    """Return the entities of which hints can be learnt: what has a meaning, or is described."""
    return [
        number for number, entity in enumerate(entities)
        if entity.type == TOPIC or any(map(str.strip, (entity.description, *entity.samples)))
    ]  # fmt: skip


@dataclass(frozen=True, slots=True, eq=False)
class PolicyHints:
    """What hints at some of the entities of a policy."""

    hints: Hints = field(repr=False)
    numbers: tuple[int, ...]
    """The number of the entity of each."""
    _strangeness: Strangeness = field(init=False, repr=False)

    def __post_init__(self) -> None:
        """Know which words can tell something."""
        strangeness = Strangeness.build(self.hints.vocabulary.places, self.hints.language)
        object.__setattr__(self, "_strangeness", strangeness)

    @classmethod
    def load(cls, path: Path, entities: Sequence[Entity], language: str) -> PolicyHints:
        """Read what was learnt for these entities."""
        numbers = hintable_entities(entities)
        return cls(Hints.load(path, [entities[number] for number in numbers], language), tuple(numbers))

    def find_near(self, texts: Sequence[tuple[str, Phrases]], least: float) -> list[NearResult]:
        """Return what texts tell of entities, as far as that is at or above a risk."""
        vocabulary = self.hints.vocabulary
        words = [words_of(key(text)) for text, _ in texts]
        rows = TextRows.from_words(words, vocabulary)
        risks = np.zeros((len(texts), len(self.numbers)))
        for place, learnt in enumerate(self.hints.by_entity):
            risks[:, place] = learnt.risk(rows)
        known = rows.known_words
        results = []
        for number, (text, phrases) in enumerate(texts):
            hits = np.flatnonzero(risks[number] >= least) if known[number] else np.zeros(0, np.int64)
            near = tuple(self._near_entities(text, phrases, hits, risks[number])) if len(hits) else ()
            unknown, most = self._strangeness.count(words[number])
            results.append(NearResult(near, MOSTLY_UNKNOWN if most else unknown))
        return results

    def _near_entities(self, text: str, phrases: Phrases, hits: Ints, risks: Floats) -> Iterator[NearEntity]:
        """Yield what each phrase brings of the risk of each entity, for many entities at once."""
        first_places = dict[tuple[str, ...], int]()
        for place, (start, end) in enumerate(zip(phrases.start.tolist(), phrases.end.tolist(), strict=True)):
            first_places.setdefault(_phrase_words(text[start:end]), place)
        places = np.array(list(first_places.values()), np.int64)
        for hit, shares in zip(hits.tolist(), self.hints.shares(list(first_places), hits.tolist()), strict=True):
            telling = np.flatnonzero(shares)
            telling = telling[np.argsort(-shares[telling], kind="stable")]
            yield NearEntity(self.numbers[hit], float(risks[hit]), places[telling], shares[telling])


@lru_cache(maxsize=1 << 16)
def _phrase_words(phrase: str) -> tuple[str, ...]:
    return tuple(words_of(key(phrase)))
