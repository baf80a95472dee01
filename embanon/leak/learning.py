"""Learn what makes documents sensitive from labeled ones, and say how far that can be relied on.

Whatever is said of it is measured on documents of groups from which nothing was learnt: how often a sensitive one
scores above another (AUC), beside what a mere length or a single word would reach, and how stated probabilities are
met. Intervals hold for 95 of 100 and draw whole groups anew.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np

from embanon.leak.labeled import Gathered
from embanon.leak.markings import Markings
from embanon.leak.regression import Curve, Flags, Floats, Ints, Rows
from embanon.leak.sensitivity import Apart, Sensitivity
from embanon.linkage.calibration import wilson
from embanon.model.model import Model

SAMPLES: Final = 400
SEED: Final = 1
LOWEST, HIGHEST = 0.025, 0.975
BINS: Final = 5
TELLING: Final = 20
"""Words that are listed."""
LEARNT: Final = "what is learnt"
LENGTH: Final = "floor: length"
WORD: Final = "floor: the best single word"
SHARE: Final = "floor: share alone"


@dataclass(frozen=True, slots=True)
class Area:
    """How often a sensitive document scores above another one, and within which bounds."""

    value: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Bin:
    """Documents of like probability: how many, what was stated, and what share of them is sensitive."""

    documents: int
    stated: float
    true: float


@dataclass(frozen=True, slots=True)
class Learnt:
    """What was learnt, and what it can tell."""

    sensitivity: Sensitivity
    sensitive: int
    others: int
    groups: int
    areas: dict[str, Area]
    bins: tuple[Bin, ...]
    brier: float
    plain: float
    """The Brier score of who states the same share of every document."""
    telling: tuple[str, ...] = field(default=(), repr=False)
    """Words that say most that a document is sensitive."""

    @property
    def above(self) -> bool:
        """Say whether it tells more than every floor, within its bounds."""
        return all(self.areas[LEARNT].low > one.value for name, one in self.areas.items() if name != LEARNT)

    @property
    def by_a_word(self) -> bool:
        """Say whether a single word tells about as much: a marking that was not taken out, perhaps."""
        return self.areas[WORD].value >= self.areas[LEARNT].low

    def row(self) -> dict[str, Any]:
        """Give the numbers as JSON has them."""
        return {
            "sensitive": self.sensitive, "others": self.others, "groups": self.groups, "above_floors": self.above,
            "auc": {
                name: {"value": round(one.value, 4), "low": round(one.low, 4), "high": round(one.high, 4)}
                for name, one in self.areas.items()
            },
            "calibration": [
                {"documents": one.documents, "stated": round(one.stated, 4), "true": round(one.true, 4)}
                for one in self.bins
            ],
            "brier": round(self.brier, 4), "brier_of_share": round(self.plain, 4),
        }  # fmt: skip


def learn(given: Gathered, model: Model, markings: Markings) -> Learnt:
    """Learn from labeled documents."""
    found, apart = Sensitivity.learn(
        given.texts, given.about, model, groups=given.groups, unmarked=given.unlabeled, markings=markings
    )
    lengths = np.array([len(markings.words_of(text)) for text in given.texts], np.float64)
    scores = {LEARNT: apart.scores, LENGTH: lengths, WORD: _by_a_word(apart), SHARE: np.zeros(len(lengths))}
    _, groups = np.unique(np.array(given.groups, dtype=np.str_), return_inverse=True)
    areas = {name: _area(each, apart.about, groups) for name, each in scores.items()}
    if areas[LENGTH].value < 0.5:
        areas[LENGTH] = _area(-lengths, apart.about, groups)
    stated, share = _across(apart, lambda rest: Curve.of(apart.scores[rest], apart.about[rest])), apart.about.mean()
    bins = tuple(
        Bin(len(part), float(stated[part].mean()), float(apart.about[part].mean()))
        for part in np.array_split(np.argsort(stated, kind="stable"), BINS)
    )
    brier, plain = (float(((each - apart.about) ** 2).mean()) for each in (stated, np.full(len(stated), share)))
    count = int(apart.about.sum())
    others, telling = len(apart.about) - count, _telling(found, apart)
    return Learnt(found, count, others, int(groups.max()) + 1, areas, bins, brier, plain, telling)


def _telling(found: Sensitivity, apart: Apart) -> tuple[str, ...]:
    """Give the words that bring most to the scores of sensitive documents, beside what they bring to others."""
    words, about = list(found.vocabulary.places), apart.about
    mean = apart.rows.back(about / about.sum()) - apart.rows.back(~about / (~about).sum())
    best = np.argsort(-found.weights * mean, kind="stable")
    return tuple(words[place] for place in best.tolist() if found.weights[place] > 0)[:TELLING]


def _across(apart: Apart, learn: Callable[[Flags], Curve]) -> Floats:
    """State the probability of each document by the scores of other folds."""
    stated = np.zeros(len(apart.scores))
    for fold in np.unique(apart.folds).tolist():
        here = apart.folds == fold
        stated[here] = learn(~here)(apart.scores[here])
    return stated


def _by_a_word(apart: Apart) -> Floats:
    """Score documents by the word that tells the others apart best, where it stands or where it does not."""
    scores = np.zeros(len(apart.about))
    for fold in np.unique(apart.folds).tolist():
        here = apart.folds == fold
        rest, about = apart.rows.take(~here), apart.about[~here]
        gap = _shares(rest, about) - _shares(rest, ~about)
        if len(gap):
            word = int(np.abs(gap).argmax())
            has = np.isin(np.arange(len(here)), apart.rows.texts[apart.rows.words == word])
            scores[here & has] = np.sign(gap[word])
    return scores


def _shares(rows: Rows, kind: Flags) -> Floats:
    """Give for each word the share of documents of a kind that have it."""
    there = kind[rows.texts]
    return np.asarray(np.bincount(rows.words[there], minlength=rows.width) / kind.sum(), np.float64)


def _area(scores: Floats, about: Flags, groups: Ints) -> Area:
    """Give the AUC; where all samples agree, its bounds are as if each document of the rarer kind were one case."""
    places, size = np.unique(scores, return_inverse=True)[1], int(groups.max()) + 1
    chance = np.random.default_rng(SEED)
    value = _share_of_pairs(places, about, np.ones(len(about)))
    samples = np.array([
        _share_of_pairs(places, about, chance.multinomial(size, np.full(size, 1 / size))[groups].astype(np.float64))
        for _ in range(SAMPLES)
    ])  # fmt: skip
    low, high = np.nanquantile(samples, (LOWEST, HIGHEST))
    if high - low < 1e-12 and len(np.unique(places)) > 1:
        rarer = int(min(about.sum(), (~about).sum()))
        low, high = wilson(value * rarer, rarer)
    return Area(value, float(low), float(high))


def _share_of_pairs(places: Ints, about: Flags, counted: Floats) -> float:
    """Give the share of pairs in which the sensitive document is above, ties half; NaN without any pair."""
    positive = np.bincount(places, counted * about)
    negative = np.bincount(places, counted * ~about)
    pairs = positive.sum() * negative.sum()
    below = np.cumsum(negative) - negative / 2
    return float(positive @ below / pairs) if pairs else float("nan")
