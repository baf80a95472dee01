"""Measure texts under many limits at once: what is kept, whom an attacker finds, and how near it is to annotations.

A text is scored once. Each of its words then has a level, the highest limit that masks it, and a curve counts levels.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from embanon.annotations import Gold
from embanon.document import TYPES
from embanon.errors import ConfigError
from embanon.floors import WORD
from embanon.judging import Judged
from embanon.linkage import Attacker, Background, Grams, rank
from embanon.model.keys import key, words_of
from embanon.postings import Bag

ATTACKERS: Final = ("TF-IDF", "BM25", "4-grams")
Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Flags = NDArray[np.bool_]

LIMITS: Final = tuple(sorted({*np.round(np.arange(0.05, 1.0, 0.05), 2).tolist(), 0.28, 0.645, 1.0}))
"""The limits that are tried, the presets among them."""
OUTSIDE: Final = -1.0
"""The level of a word that is in no phrase."""
ALWAYS: Final = 9.0
"""The level of a name of whom is protected, and of what is unknown."""
EVERY, NAMES, NOTHING = 0.0, 2.0, 10.0
FLOORS: Final = {EVERY: "every phrase", NAMES: "names only", NOTHING: "nothing masked"}
"""Limits that nobody sets, as what is trivially there."""


@dataclass(frozen=True, slots=True, eq=False)
class Sample:
    """A text as limits see it: words and phrases, each with the highest limit that masks it."""

    id: str
    names: tuple[str, ...] = field(repr=False)
    """Of whom is protected."""
    terms: tuple[tuple[str, ...], ...] = field(repr=False)
    """What attackers read of each word."""
    levels: Floats = field(repr=False)
    """Of words."""
    types: Ints = field(repr=False)
    """Of each word's phrase; -1 outside."""
    marked: Floats | None = field(repr=False)
    """How many annotators mark each word; `None` without annotations."""
    annotators: int
    phrases: Floats = field(repr=False)
    """Levels of phrases."""
    phrase_types: Ints = field(repr=False)
    bits: Floats = field(repr=False)
    """How much each phrase tells, in shares of what is the rarest."""

    @classmethod
    def of(cls, judged: Judged, gold: Gold | None = None) -> Sample:
        """Look at a scored text."""
        text, scored = judged.analysis.document.text, judged.scored
        at = np.array([found.span() for found in WORD.finditer(text)], np.int64).reshape(-1, 2)
        phrases, risk = scored.phrases, np.nan_to_num(scored.risk, nan=ALWAYS)
        risk = np.where(scored.named, ALWAYS, risk)
        levels, types = np.full(len(at), OUTSIDE), np.full(len(at), -1)
        first, last = np.searchsorted(at[:, 1], phrases.start, "right"), np.searchsorted(at[:, 0], phrases.end, "left")
        for place, (a, b) in enumerate(zip(first.tolist(), last.tolist(), strict=True)):
            types[a:b] = np.where(levels[a:b] < risk[place], phrases.type[place], types[a:b])
            levels[a:b] = np.maximum(levels[a:b], risk[place])
        marked = _marked(gold, at) if gold else None
        return cls(
            judged.analysis.document.id, tuple(name for one in judged.protected.entities for name in one.names),
            tuple(tuple(words_of(key(text[a:b]))) for a, b in at.tolist()), levels, types, marked,
            len(gold.annotations) if gold else 0, risk, phrases.type.astype(np.int64),
            np.nan_to_num(scored.powers.rarity, nan=1.0),
        )  # fmt: skip

    def __len__(self) -> int:
        return len(self.levels)

    def halves(self) -> tuple[Sample, Sample]:
        """Cut the words in the middle."""
        middle = len(self) // 2
        return self._part(slice(0, middle)), self._part(slice(middle, None))

    def _part(self, of: slice) -> Sample:
        return replace(self, terms=self.terms[of], levels=self.levels[of], types=self.types[of])

    def bag(self, left: Flags | None = None) -> Bag:
        """Count what attackers read: all of it, or what is left."""
        terms = self.terms if left is None else (self.terms[place] for place in np.flatnonzero(left).tolist())
        return Counter(term for word in terms for term in word)

    def left(self, limit: float, by_type: Mapping[int, float] | None = None) -> Flags:
        """Say which words a limit leaves, those of some types having limits of their own."""
        return self.levels < own_limits(self.types, limit, by_type)


def own_limits(types: Ints, limit: float, by_type: Mapping[int, float] | None) -> Floats:
    """Give the limit of each word or phrase."""
    table = np.full(len(TYPES) + 1, limit)  # the last is that of -1
    for type, own in (by_type or {}).items():
        table[type] = own
    return table[types]


def _marked(gold: Gold, at: Ints) -> Floats:
    """Count who marks each word; a word is marked if any of its characters is."""
    found = np.zeros(len(at))
    for annotation in gold.annotations:
        one = np.zeros(len(at), np.bool_)
        for mention in annotation.masked:
            a, b = np.searchsorted(at[:, 1], mention.start, "right"), np.searchsorted(at[:, 0], mention.end, "left")
            one[a:b] = True
        found += one
    return found


@dataclass(frozen=True, slots=True, eq=False)
class Side:
    """Attackers who know the same texts, and what they read: a part of each text here, and whose it is."""

    attackers: tuple[Attacker, ...] = field(repr=False)
    read: tuple[tuple[int, Sample, int], ...] = field(repr=False)
    """The number of a text, what of it is read, and the number of its candidate."""

    @classmethod
    def of(cls, background: Background, known: Sequence[str], read: Iterable[tuple[int, Sample, int]]) -> Side:
        """Let all attackers know what the background does."""
        return cls((*background.attackers, Grams.of(known)), tuple(read))


@dataclass(frozen=True, slots=True, eq=False)
class Attack:
    """Who looks for whom texts are about: TF-IDF, BM25 and 4-grams of characters."""

    sides: tuple[Side, ...]
    candidates: int
    knows: str
    """What attackers know, in words."""
    attacked: int
    """How many of the texts."""

    @classmethod
    def of(cls, samples: Sequence[Sample], texts: Mapping[str, str], language: str = "en") -> Attack:
        """Let attackers know texts about candidates; if none is about a text here, the other half of each as well."""
        known = list(texts.values())
        if known:
            background = Background.of(list(texts), known, language)
            found = ((number, one, _place(background, one)) for number, one in enumerate(samples))
            read = [(number, one, place) for number, one, place in found if place is not None]
            if read:
                return cls((Side.of(background, known, read),), len(known), "the background", len(read))
        if len(samples) + len(known) < 2:
            raise ConfigError("one text among no others is always found; give more texts, or --background FILE")
        halves, size = [one.halves() for one in samples], len(samples) + len(known)
        sides = []
        for attacked in (0, 1):
            others = [" ".join(chain.from_iterable(pair[1 - attacked].terms)) for pair in halves]
            background = Background.of([str(number) for number in range(size)], [*others, *known], language)
            own = ((number, pair[attacked], number) for number, pair in enumerate(halves))
            sides.append(Side.of(background, [*others, *known], own))
        return cls(tuple(sides), size, "the other half of each text", len(samples))

    def ranks(self, texts: int, limits: Sequence[float], by_type: Mapping[int, float] | None = None) -> Floats:
        """Give the rank of each text's candidate, by attacker and limit; NaN of a text that nobody looks for."""
        found = np.full((texts, sum(len(side.attackers) for side in self.sides), len(limits)), np.nan)
        first = 0
        for side in self.sides:
            for number, sample, true in side.read:
                left, last = None, np.zeros(0)
                for place, limit in enumerate(limits):
                    now = sample.left(limit, by_type)
                    if left is None or not np.array_equal(left, now):
                        left, words = now, sample.bag(now)
                        last = np.array([rank(np.round(one.scores(words), 9), true) for one in side.attackers])
                    found[number, first : first + len(last), place] = last
            first += len(side.attackers)
        return found


def _place(background: Background, sample: Sample) -> int | None:
    """Give the candidate that a text is about; `None` where the background does not know it, or knows several."""
    for name in (*sample.names, sample.id):
        with suppress(ConfigError):
            return background.place(name)
    return None


@dataclass(frozen=True, slots=True, eq=False)
class Curve:
    """What each limit does to each text: rows are texts, columns limits."""

    limits: Floats
    words: Ints = field(repr=False)
    kept: Floats = field(repr=False)
    """Words that are left."""
    bits: Floats = field(repr=False)
    """All that the phrases of a text tell."""
    bits_kept: Floats = field(repr=False)
    ranks: Floats | None = field(repr=False)
    """Of the text's own candidate: texts, attackers, limits."""
    counts: Floats | None = field(repr=False)
    """Words that are masked rightly, wrongly, and missed: texts, limits, three."""

    def of(self, texts: Ints) -> Curve:
        """Take some of the texts, one as often as it is named."""
        return replace(
            self, words=self.words[texts], kept=self.kept[texts], bits=self.bits[texts],
            bits_kept=self.bits_kept[texts], ranks=None if self.ranks is None else self.ranks[texts],
            counts=None if self.counts is None else self.counts[texts],
        )  # fmt: skip

    def __len__(self) -> int:
        return len(self.words)

    def at(self, places: Ints) -> Curve:
        """Take of each text what one limit does to it, named by its place: a curve of one column."""
        rows = np.arange(len(self))
        return replace(
            self, limits=np.array([np.nan]), kept=self.kept[rows, places][:, None],
            bits_kept=self.bits_kept[rows, places][:, None],
            ranks=None if self.ranks is None else self.ranks[rows, :, places][:, :, None],
            counts=None if self.counts is None else self.counts[rows, places][:, None],
        )  # fmt: skip

    @property
    def share_kept(self) -> Floats:
        """Give the share of words that each limit leaves."""
        return np.asarray(self.kept.sum(axis=0) / max(int(self.words.sum()), 1), np.float64)

    @property
    def information(self) -> Floats:
        """Give the share of what phrases tell that each limit leaves, suppressing the rest."""
        return np.asarray(self.bits_kept.sum(axis=0) / (float(self.bits.sum()) or 1.0), np.float64)

    def found(self, first: int = 1) -> Floats:
        """Give how often the own candidate is among the first, mean over attackers and the texts that are attacked."""
        if self.ranks is None or np.isnan(self.ranks).all():
            return np.full(len(self.limits), np.nan)
        hits = np.where(np.isnan(self.ranks), np.nan, self.ranks < first + 0.5)
        return np.asarray(np.nanmean(hits, axis=(0, 1)), np.float64)

    def score(self, beta: float = 1.0) -> Floats:
        """Give precision, recall and F of words: limits, three; NaN without annotations."""
        if self.counts is None:
            return np.full((len(self.limits), 3), np.nan)
        return f_score(self.counts.sum(axis=0), beta)


def f_score(counts: Floats, beta: float = 1.0) -> Floats:
    """Give precision, recall and F of rows of right, wrong and missed; NaN where there is none."""
    right, wrong, missed = counts.T
    weight = beta**2
    with np.errstate(invalid="ignore", divide="ignore"):
        whole = (1 + weight) * right / ((1 + weight) * right + weight * missed + wrong)
        return np.stack([right / (right + wrong), right / (right + missed), whole], axis=1)


def curve(
    samples: Sequence[Sample], attack: Attack | None = None, *, limits: Sequence[float] = LIMITS,
    by_type: Mapping[int, float] | None = None,
) -> Curve:  # fmt: skip
    """Measure texts under limits; types of `by_type` have one of their own that stays."""
    kept, bits, counts = [], [], []
    for one in samples:
        left = np.stack([one.left(limit, by_type) for limit in limits], axis=1)
        kept.append(left.sum(axis=0))
        own = np.stack([own_limits(one.phrase_types, limit, by_type) for limit in limits], axis=1)
        bits.append(np.where(one.phrases[:, None] < own, one.bits[:, None], 0.0).sum(axis=0))
        if one.marked is not None:
            counts.append(counted(one.marked, one.annotators, left))
    whole = bool(counts) and len(counts) == len(samples)
    return Curve(
        np.array(limits), np.array([len(one) for one in samples]), np.array(kept, np.float64),
        np.array([one.bits.sum() for one in samples]), np.array(bits),
        attack.ranks(len(samples), limits, by_type) if attack else None, np.array(counts) if whole else None,
    )  # fmt: skip


def counted(marked: Floats, annotators: int, left: Flags) -> Any:
    """Count words by limit: right, wrong, missed; those of each annotator."""
    own, others = marked[:, None], annotators - marked[:, None]
    return np.stack([np.where(left, 0, own).sum(0), np.where(left, 0, others).sum(0), np.where(left, own, 0).sum(0)], 1)
