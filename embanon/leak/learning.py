"""Learn what makes documents sensitive from labeled ones, and how reliable that is.

Whatever is said of it is measured on documents of groups from which nothing was learnt: how often a sensitive one
scores above another (AUC), beside what a mere length or a single word would reach, and how stated probabilities are
met. Intervals hold for 95 of 100 and draw whole groups anew.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any, Final

import numpy as np

from embanon.leak.labeled_documents import LabeledDocuments
from embanon.leak.regression import Flags, Floats, Ints, LogisticCurve, SparseRows
from embanon.leak.sensitivity import CrossValidation, Markings, SensitivityModel
from embanon.linkage import wilson_interval
from embanon.model import Model

BOOTSTRAP_SAMPLES: Final = 400
SEED: Final = 1
LOWEST, HIGHEST = 0.025, 0.975
BINS: Final = 5
MAX_TELLING_WORDS: Final = 20
"""Words that are listed."""
LEARNT: Final = "what is learnt"
LENGTH: Final = "floor: length"
WORD: Final = "floor: the best single word"
SHARE: Final = "floor: share alone"


@dataclass(frozen=True, slots=True)
class AucInterval:
    """How often a sensitive document scores above another one, and within which bounds."""

    value: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class CalibrationBin:
    """Documents of like probability: how many, what was stated, and what share of them is sensitive."""

    documents: int
    stated: float
    observed: float


@dataclass(frozen=True, slots=True)
class SensitivityTraining:
    """What was learnt, and what it can tell."""

    sensitivity: SensitivityModel
    sensitive: int
    others: int
    groups: int
    aucs: dict[str, AucInterval]
    bins: tuple[CalibrationBin, ...]
    brier: float
    base_rate_brier: float
    """The Brier score of who states the same share of every document."""
    telling_words: tuple[str, ...] = field(default=(), repr=False)
    """Words that say most that a document is sensitive."""

    @property
    def beats_baselines(self) -> bool:
        """Return whether it tells more than every floor, within its bounds."""
        return all(self.aucs[LEARNT].low > one.value for name, one in self.aucs.items() if name != LEARNT)

    @property
    def is_single_word(self) -> bool:
        """Return whether a single word tells about as much: a marking that was not taken out, perhaps."""
        return self.aucs[WORD].value >= self.aucs[LEARNT].low

    def row(self) -> dict[str, Any]:
        """Return the numbers as JSON has them."""
        return {
            "sensitive": self.sensitive, "others": self.others, "groups": self.groups,
            "above_floors": self.beats_baselines,
            "auc": {
                name: {bound: round(value, 4) for bound, value in asdict(auc).items()}
                for name, auc in self.aucs.items()
            },
            "calibration": [
                {"documents": bin.documents, "stated": round(bin.stated, 4), "true": round(bin.observed, 4)}
                for bin in self.bins
            ],
            "brier": round(self.brier, 4), "brier_of_share": round(self.base_rate_brier, 4),
        }  # fmt: skip


def learn(given: LabeledDocuments, model: Model, markings: Markings) -> SensitivityTraining:
    """Learn from labeled documents."""
    learnt, apart = SensitivityModel.learn(
        given.texts, given.is_sensitive, model, groups=given.groups, unmarked=given.unlabeled, markings=markings
    )
    lengths = np.array([len(markings.unmarked_words(text)) for text in given.texts], np.float64)
    scores = {LEARNT: apart.scores, LENGTH: lengths, WORD: _best_word_scores(apart), SHARE: np.zeros(len(lengths))}
    _, groups = np.unique(np.array(given.groups, dtype=np.str_), return_inverse=True)
    areas = {name: _auc_interval(each, apart.is_sensitive, groups) for name, each in scores.items()}
    if areas[LENGTH].value < 0.5:
        areas[LENGTH] = _auc_interval(-lengths, apart.is_sensitive, groups)
    stated, share = _cross_predict(apart), apart.is_sensitive.mean()
    bins = tuple(
        CalibrationBin(len(part), float(stated[part].mean()), float(apart.is_sensitive[part].mean()))
        for part in np.array_split(np.argsort(stated, kind="stable"), BINS)
    )
    brier, plain = (float(((each - apart.is_sensitive) ** 2).mean()) for each in (stated, np.full(len(stated), share)))
    count = int(apart.is_sensitive.sum())
    others, telling = len(apart.is_sensitive) - count, _find_telling_words(learnt, apart)
    return SensitivityTraining(learnt, count, others, int(groups.max()) + 1, areas, bins, brier, plain, telling)


def _find_telling_words(learnt: SensitivityModel, apart: CrossValidation) -> tuple[str, ...]:
    """Return the words that bring most to the scores of sensitive documents, beside what they bring to others."""
    words, about = list(learnt.vocabulary.places), apart.is_sensitive
    mean = apart.rows.dot_transposed(about / about.sum()) - apart.rows.dot_transposed(~about / (~about).sum())
    best = np.argsort(-learnt.weights * mean, kind="stable")
    return tuple(words[place] for place in best.tolist() if learnt.weights[place] > 0)[:MAX_TELLING_WORDS]


def _cross_predict(apart: CrossValidation) -> Floats:
    """State the probability of each document by the scores of other folds."""
    stated = np.zeros(len(apart.scores))
    for fold in np.unique(apart.folds).tolist():
        here = apart.folds == fold
        curve = LogisticCurve.fit(apart.scores[~here], apart.is_sensitive[~here])
        stated[here] = curve(apart.scores[here])
    return stated


def _best_word_scores(apart: CrossValidation) -> Floats:
    """Score documents by the word that tells the others apart best, where it stands or where it does not."""
    scores = np.zeros(len(apart.is_sensitive))
    for fold in np.unique(apart.folds).tolist():
        here = apart.folds == fold
        rest, about = apart.rows.take(~here), apart.is_sensitive[~here]
        gap = _document_shares(rest, about) - _document_shares(rest, ~about)
        if len(gap):
            word = int(np.abs(gap).argmax())
            has = np.isin(np.arange(len(here)), apart.rows.texts[apart.rows.words == word])
            scores[here & has] = np.sign(gap[word])
    return scores


def _document_shares(rows: SparseRows, kind: Flags) -> Floats:
    """Return for each word the share of documents of a kind that have it."""
    there = kind[rows.texts]
    return np.asarray(np.bincount(rows.words[there], minlength=rows.width) / kind.sum(), np.float64)


def _auc_interval(scores: Floats, about: Flags, groups: Ints) -> AucInterval:
    """Return the AUC; where all samples agree, its bounds are as if each document of the rarer kind were one case."""
    places, size = np.unique(scores, return_inverse=True)[1], int(groups.max()) + 1
    chance = np.random.default_rng(SEED)
    value = _weighted_auc(places, about, np.ones(len(about)))
    samples = np.array([
        _weighted_auc(places, about, chance.multinomial(size, np.full(size, 1 / size))[groups].astype(np.float64))
        for _ in range(BOOTSTRAP_SAMPLES)
    ])  # fmt: skip
    low, high = np.nanquantile(samples, (LOWEST, HIGHEST))
    if high - low < 1e-12 and len(np.unique(places)) > 1:
        rarer = int(min(about.sum(), (~about).sum()))
        low, high = wilson_interval(value * rarer, rarer)
    return AucInterval(value, float(low), float(high))


def _weighted_auc(places: Ints, about: Flags, counted: Floats) -> float:
    """Return the share of pairs in which the sensitive document is above, ties half; NaN without any pair."""
    positive = np.bincount(places, counted * about)
    negative = np.bincount(places, counted * ~about)
    pairs = positive.sum() * negative.sum()
    below = np.cumsum(negative) - negative / 2
    return float(positive @ below / pairs) if pairs else float("nan")
