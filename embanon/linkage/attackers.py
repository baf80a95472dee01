"""Attackers who rank candidates by public text about each, and the clues in a document that give one away.

A document is a bag of words; what is masked is simply not in it. All attackers here add up what each word says of
each candidate, so that it is known what a word contributes, and what is left without it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, Protocol

import numpy as np
from numpy.typing import NDArray

from embanon.errors import ConfigError
from embanon.language import Cue, Lexicon, entity_key, key, words_of

MAX_RIVALS: Final = 10
"""How many of the other candidates a target is compared with."""
SATURATION: Final = 1.2
LENGTH_NORMALIZATION: Final = 0.75
"""BM25's k1 and b."""
GRAM_LENGTH: Final = 4


Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
WordCounts = Mapping[str, int]
"""How often each word occurs."""


def sum_by_index(places: Ints, values: Floats, size: int) -> Floats:
    """Sum values by place; without any, NumPy would count instead."""
    return np.bincount(places, values, size).astype(np.float64, copy=False)


@dataclass(frozen=True, slots=True, eq=False)
class TermPostings:
    """Which candidates have a term, and how often: one term's behind the other's, each in the candidates' order."""

    terms: Mapping[str, int] = field(repr=False)
    starts: Ints = field(repr=False)
    candidates: Ints = field(repr=False)
    counts: Floats = field(repr=False)
    size: int
    """The number of candidates."""
    documents: Ints = field(init=False, repr=False)
    """How many candidates have each term."""

    def __post_init__(self) -> None:
        """Count them."""
        object.__setattr__(self, "documents", np.diff(self.starts))

    @classmethod
    def from_bags(cls, bags: Iterable[WordCounts]) -> TermPostings:
        """Index what each candidate has."""
        terms: dict[str, int] = {}
        numbers, counts, lengths = list[int](), list[int](), list[int]()
        for bag in bags:
            numbers.extend(terms.setdefault(term, len(terms)) for term in bag)
            counts.extend(bag.values())
            lengths.append(len(bag))
        rows, columns = np.array(numbers, np.int64), np.repeat(np.arange(len(lengths)), lengths)
        order = np.argsort(rows, kind="stable")
        starts = np.concatenate([[0], np.cumsum(np.bincount(rows, minlength=len(terms)))]).astype(np.int64)
        return cls(terms, starts, columns[order], np.array(counts, np.float64)[order], len(lengths))

    def places(self, rows: Ints) -> tuple[Ints, Ints]:
        """Return the places of the postings of some terms, and how many each has."""
        sizes = self.documents[rows]
        before = np.cumsum(sizes) - sizes
        return np.arange(sizes.sum()) + np.repeat(self.starts[rows] - before, sizes), sizes

    def look_up(self, words: WordCounts) -> tuple[list[str], Ints, Floats]:
        """Return the words that are terms, their numbers and how often each occurs."""
        known = [word for word, count in words.items() if count > 0 and word in self.terms]
        rows = np.array([self.terms[word] for word in known], np.int64)
        return known, rows, np.array([words[word] for word in known], np.float64)


class Attacker(Protocol):
    """Whoever gives every candidate a number that is larger where a document is more likely about it."""

    def scores(self, words: WordCounts) -> Floats:
        """Score all candidates; words that nothing is known of say nothing."""


def count_words(text: str) -> Counter[str]:
    """Count the words of a text."""
    return Counter(words_of(key(text)))


@dataclass(frozen=True, slots=True, eq=False)
class AdditiveAttacker:
    """An attacker who sums over terms: a term's weight in the document times that in the candidate."""

    postings: TermPostings
    weights: Floats = field(repr=False)
    """Of each posting."""
    idf: Floats = field(repr=False)

    def query_weights(self, rows: Ints, counts: Floats) -> Floats:
        """Weigh the terms of a document, each by its number and how often it occurs."""
        raise NotImplementedError

    def norm(self, asked: Floats) -> float:
        """Return what scores are divided by, which changes no rank."""
        return 1.0

    def scores(self, words: WordCounts) -> Floats:
        """Score all candidates."""
        _, rows, counts = self.postings.look_up(words)
        asked = self.query_weights(rows, counts)
        return AttackerView.from_terms(self, rows).sum_scores(asked) / self.norm(asked)


class Tfidf(AdditiveAttacker):
    """The cosine of `(1 + ln tf) · (ln((1 + N) / (1 + df)) + 1)`."""

    __slots__ = ()

    @classmethod
    def from_postings(cls, postings: TermPostings) -> Tfidf:
        """Weigh the postings."""
        idf = np.log((1 + postings.size) / (1 + postings.documents)) + 1
        weights = (1 + np.log(postings.counts)) * np.repeat(idf, postings.documents)
        norms = np.sqrt(np.bincount(postings.candidates, weights**2, postings.size))
        return cls(postings, weights / norms[postings.candidates], idf)

    def query_weights(self, rows: Ints, counts: Floats) -> Floats:
        """Weigh the terms of a document."""
        return np.where(counts > 0, 1 + np.log(np.maximum(counts, 1)), 0) * self.idf[rows]

    def norm(self, asked: Floats) -> float:
        """Return the length of the document's vector."""
        return float(np.sqrt((asked**2).sum())) or 1.0


class Bm25(AdditiveAttacker):
    """Okapi BM25, with an inverse document frequency that is never negative."""

    __slots__ = ()

    @classmethod
    def from_postings(cls, postings: TermPostings) -> Bm25:
        """Weigh the postings."""
        idf = np.log1p((postings.size - postings.documents + 0.5) / (postings.documents + 0.5))
        lengths = np.bincount(postings.candidates, postings.counts, postings.size)
        relative = lengths / (lengths.mean() or 1.0) if len(lengths) else lengths
        slowed = SATURATION * (1 - LENGTH_NORMALIZATION + LENGTH_NORMALIZATION * relative)[postings.candidates]
        weights = postings.counts * (SATURATION + 1) / (postings.counts + slowed)
        return cls(postings, weights * np.repeat(idf, postings.documents), idf)

    def query_weights(self, rows: Ints, counts: Floats) -> Floats:
        """Count each occurrence."""
        return counts


@dataclass(frozen=True, slots=True, eq=False)
class CharacterGrams:
    """TF-IDF of the four characters in a row inside words: for measuring, as an attacker that nothing is tuned on."""

    inner: Tfidf

    @classmethod
    def from_texts(cls, texts: Iterable[str]) -> CharacterGrams:
        """Index texts; stop words count."""
        return cls(Tfidf.from_postings(TermPostings.from_bags(character_grams(count_words(text)) for text in texts)))

    def scores(self, words: WordCounts) -> Floats:
        """Score all candidates."""
        return self.inner.scores(character_grams(words))


def character_grams(words: WordCounts) -> WordCounts:
    """Count the runs of four characters inside words, which begin and end with a space."""
    counts: dict[str, int] = {}
    for word, count in words.items():
        padded = f" {word} "
        for start in range(max(len(padded) - GRAM_LENGTH + 1, 1)):
            gram = padded[start : start + GRAM_LENGTH]
            counts[gram] = counts.get(gram, 0) + count
    return counts


@dataclass(frozen=True, slots=True, eq=False)
class Background:
    """Public text about candidates: what an attacker has, or what a defender knows of it."""

    names: tuple[str, ...] = field(repr=False)
    tfidf: Tfidf
    bm25: Bm25
    _places: Mapping[str, int] = field(repr=False)

    @classmethod
    def from_texts(cls, names: Sequence[str], texts: Sequence[str], language: str = "en") -> Background:
        """Index the text about each candidate, without stop words."""
        if len(names) != len(texts):
            raise ConfigError(f"{len(names)} candidates have {len(texts)} texts; give one text for each")
        if not names:
            raise ConfigError("the background has no candidates; give a text about each of several")
        stop = _stop_words(language)
        postings = TermPostings.from_bags(
            {word: n for word, n in count_words(text).items() if not stop(word)} for text in texts
        )
        return cls(tuple(names), Tfidf.from_postings(postings), Bm25.from_postings(postings), _index_names(names))

    def __len__(self) -> int:
        return len(self.names)

    @property
    def attackers(self) -> tuple[AdditiveAttacker, ...]:
        """Return those that documents are protected from."""
        return (self.tfidf, self.bm25)

    def find_candidate(self, name: str) -> int:
        """Return the number of a candidate by its name, with or without the brackets after it.

        `UNKNOWN` where the background has nobody of the name, `SEVERAL` where it cannot tell who is meant.
        """
        return self._places.get(key(name), self._places.get(entity_key(name), UNKNOWN))

    def find_first(self, names: Iterable[str]) -> int | None:
        """Return the number of the candidate that the first known name means; `None` where each is unknown or vague."""
        return next((number for number in map(self.find_candidate, names) if number >= 0), None)

    def check_target(self, target: int) -> None:
        """Refuse a number that no candidate has."""
        if not 0 <= target < len(self):
            raise ConfigError(f"there is no candidate {target}: the background has {len(self)}, counted from 0")


UNKNOWN: Final = -1
AMBIGUOUS: Final = -2


def _index_names(names: Sequence[str]) -> dict[str, int]:
    """Number candidates by name; a whole name goes before one without its bracket."""
    numbers: dict[str, int] = {}
    for normalize in (entity_key, key):
        here: dict[str, int] = {}
        for place, name in enumerate(names):
            here[normalize(name)] = AMBIGUOUS if normalize(name) in here else place
        numbers |= here
    return numbers


def _stop_words(language: str) -> Callable[[str], bool]:
    lexicon, seen = Lexicon.load(language), dict[str, bool]()

    def stop(word: str) -> bool:
        if word not in seen:
            seen[word] = bool(lexicon.flags(word) & Cue.STOP)
        return seen[word]

    return stop


def rank(scores: Floats, true: int) -> float:
    """Return the rank of a candidate, from 1; those that tie with it share the mean of theirs."""
    score = scores[true]
    return float(1 + (scores > score).sum() + ((scores == score).sum() - 1) / 2)


def ranks(rows: Floats, true: Ints) -> Floats:
    """Return the rank of each document's candidate: a row of scores for each."""
    return np.array([rank(row, one) for row, one in zip(rows, true.tolist(), strict=True)])


def top_probability(rank: Floats | float, ties: Floats | float, top: int) -> Floats:
    """Return whether a candidate is among the first; where some who tie are, and some are not, by chance."""
    return np.clip((top - (rank - 1 - (ties - 1) / 2)) / ties, 0.0, 1.0)


def best_rivals(scores: Floats, target: int, count: int = MAX_RIVALS) -> Ints:
    """Return the candidates that score highest, but for the target."""
    count = min(count, len(scores) - 1)
    if count <= 0:
        return np.zeros(0, np.int64)
    others = scores.copy()
    others[target] = -np.inf
    return np.argpartition(-others, count - 1)[:count]


@dataclass(frozen=True, slots=True, eq=False)
class AttackerView:
    """A document as one attacker sees it: the terms that it knows, and the weight of each for each candidate."""

    attacker: AdditiveAttacker
    rows: Ints
    _candidates: Ints = field(repr=False)
    _weights: Floats = field(repr=False)
    _terms: Ints = field(repr=False)

    @classmethod
    def from_terms(cls, attacker: AdditiveAttacker, rows: Ints) -> AttackerView:
        """Take the postings of the terms out, once for all questions."""
        places, sizes = attacker.postings.places(rows)
        terms = np.repeat(np.arange(len(rows)), sizes)
        return cls(attacker, rows, attacker.postings.candidates[places], attacker.weights[places], terms)

    def sum_scores(self, asked: Floats) -> Floats:
        """Sum what terms of these weights say of each candidate."""
        return sum_by_index(self._candidates, self._weights * asked[self._terms], self.attacker.postings.size)

    def contrast(self, target: int, rivals: Ints) -> Floats:
        """Return for each term its weight for the target, less the mean of its rivals."""
        share = np.zeros(self.attacker.postings.size)
        share[rivals] = -1 / max(len(rivals), 1)
        share[target] = 1
        return sum_by_index(self._terms, self._weights * share[self._candidates], len(self.rows))
