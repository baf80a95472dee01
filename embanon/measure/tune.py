"""Choose the limit: by annotations, linked documents, utility, or where more masking stops paying off.

Every goal says of each limit of a curve what it is worth; the best is chosen, of equals the highest. How sure that is,
is said by choosing again from texts drawn anew, and by choosing from four fifths what is then measured on the rest.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Protocol

import numpy as np

from embanon.config import PRESETS
from embanon.document import TYPES
from embanon.errors import ConfigError
from embanon.measure.annotations import GoldDocument
from embanon.measure.curve import (
    ATTACKERS,
    BASELINE_LIMITS,
    EVERY_PHRASE_LIMIT,
    LIMITS,
    NAMES_ONLY_LIMIT,
    NOTHING_MASKED_LIMIT,
    Floats,
    Ints,
    LimitCurve,
    LinkageAttack,
    Sample,
    count_words_by_limit,
    f_score,
    measure_limits,
)
from embanon.measure.metrics.share import rounded
from embanon.scoring import ScoredDocument

EXCHANGE: Final = 0.11
"""Without a goal, so large a share of the words may go for people to hide among twice as many."""
STRICT, STANDARD = PRESETS["strict"][0], PRESETS["standard"][0]
"""Without a goal, the limits between which is chosen."""
DRAWS: Final = 200
FOLDS: Final = 5
SEED: Final = 1
QUANTILES: Final = (0.025, 0.975)
MIN_WORDS_OF_TYPE: Final = 20
"""Words in phrases that a type needs for a limit of its own."""
MIN_GAIN: Final = 0.005
"""What limits by type have to gain on texts held out."""
ROUNDS: Final = 4


class Goal(Protocol):
    """Says what each limit is worth."""

    @property
    def description(self) -> str:
        """The goal in words."""

    def score_limits(self, curve: LimitCurve) -> Floats:
        """Return what each limit is worth; NaN where it does not reach the goal."""


@dataclass(frozen=True, slots=True)
class AgreementGoal:
    """As near to the annotations as can be."""

    beta: float = 1.0

    @property
    def description(self) -> str:
        """The goal in words."""
        return f"agree with the annotations (F{self.beta:g} of words)"

    def score_limits(self, curve: LimitCurve) -> Floats:
        """Return the F score of each limit."""
        return curve.precision_recall_f(self.beta)[:, 2]


@dataclass(frozen=True, slots=True)
class HidingGoal:
    """Keep the share of texts whose person is among the first low; as little as that takes."""

    share: float
    first: int = 1

    @property
    def description(self) -> str:
        """The goal in words."""
        whom = "at the first rank" if self.first == 1 else f"among the first {self.first}"
        return f"attackers, on average, have the right one {whom} in at most {self.share:g} of the texts"

    def score_limits(self, curve: LimitCurve) -> Floats:
        """Return the limits that reach it."""
        return np.where(curve.share_found(self.first) <= self.share, curve.limits, np.nan)


@dataclass(frozen=True, slots=True)
class RetentionGoal:
    """Keep a share of what phrases tell, what is masked counting as lost; as little risk as that allows."""

    share: float

    @property
    def description(self) -> str:
        """The goal in words."""
        return f"at least {self.share:g} of what phrases tell is left as it is (what is replaced counts as lost)"

    def score_limits(self, curve: LimitCurve) -> Floats:
        """Prefer low limits, of those that reach it."""
        return np.where(curve.information_kept >= self.share, -curve.limits, np.nan)


@dataclass(frozen=True, slots=True)
class BalanceGoal:
    """Mask more than the standard, down to strict, where this hides people: words that are kept, and among how many."""

    exchange: float = EXCHANGE

    @property
    def description(self) -> str:
        """The goal in words."""
        return f"between strict and standard, {100 * self.exchange:g} words in a hundred to hide among twice as many"

    def score_limits(self, curve: LimitCurve) -> Floats:
        """Weigh words against people."""
        inside = (curve.limits >= STRICT) & (curve.limits <= STANDARD)
        return np.where(inside, curve.share_kept + self.exchange * curve.mean_log_rank, np.nan)


def best_limit_index(goal: Goal, curve: LimitCurve) -> int | None:
    """Return the place of the best limit, of equals the highest; `None` where none reaches the goal."""
    worth = np.where(
        (curve.limits > EVERY_PHRASE_LIMIT) & (curve.limits < NAMES_ONLY_LIMIT), goal.score_limits(curve), np.nan
    )
    if np.isnan(worth).all():
        return None
    value = np.nan_to_num(worth, nan=-np.inf).round(9)
    return int(len(value) - 1 - np.argmax(value[::-1]))


@dataclass(frozen=True, slots=True, eq=False)
class TuningResult:
    """The limit that was chosen, how sure that is, and the curve that it was chosen from."""

    goal: str
    limit_index: int | None
    """Of the limit in the curve; `None` where no limit reaches the goal."""
    curve: LimitCurve = field(repr=False)
    interval: tuple[float, float] | None
    """Of the limits that are chosen from texts drawn anew."""
    share_unreached: float
    """The share of such drawings in which no limit reaches the goal."""
    held_out: LimitCurve | None = field(repr=False)
    """Each text under the limit that the others choose, a curve of one column."""
    by_type: Mapping[str, float] = field(default_factory=dict)
    by_type_score: tuple[float, float] | None = None
    """F on texts held out: with one limit, and with those by type."""
    attack: LinkageAttack | None = field(default=None, repr=False)

    @property
    def limit(self) -> float | None:
        """Return the limit that is chosen."""
        return None if self.limit_index is None else float(self.curve.limits[self.limit_index])

    def to_dict(self) -> dict[str, Any]:
        """Return all of it, ready for JSON."""
        curve, rows = self.curve, list(curve_rows(self.curve))
        return {
            "goal": self.goal, "limit": self.limit, "interval": self.interval,
            "unreached": round(self.share_unreached, 4),
            "texts": len(curve), "words": int(curve.words.sum()),
            "attack": None if self.attack is None else {
                "knows": self.attack.known_texts, "candidates": self.attack.candidates,
                "texts": self.attack.attacked_count,
                "attackers": list(ATTACKERS),
            },
            "held_out": None if self.held_out is None else next(curve_rows(self.held_out)),
            "by_type": dict(self.by_type), "by_type_score": self.by_type_score, "curve": rows,
        }  # fmt: skip


def curve_rows(curve: LimitCurve) -> Iterator[dict[str, Any]]:
    """Return the measures of each limit by name; what is not known is `None`, and floors have a name instead."""
    scores, first, rank = curve.precision_recall_f(), curve.share_found(), 2**curve.mean_log_rank
    for place, limit in enumerate(curve.limits.tolist()):
        numbers = {
            "limit": limit, "words_kept": curve.share_kept[place], "information_kept": curve.information_kept[place],
            "found": first[place], "rank": rank[place],
            **dict(zip(("precision", "recall", "f1"), scores[place], strict=True)),
        }  # fmt: skip
        row: dict[str, Any] = {name: rounded(float(value)) for name, value in numbers.items()}
        yield row | {"limit": BASELINE_LIMITS[limit]} if limit in BASELINE_LIMITS else row


def tune(
    samples: Sequence[Sample], goal: Goal, attack: LinkageAttack | None = None, *, by_type: bool = False,
    draws: int = DRAWS,
    seed: int = SEED, limits: Sequence[float] = LIMITS,
) -> TuningResult:  # fmt: skip
    """Choose the limit that is worth most."""
    if not samples:
        raise ConfigError("there are no texts to tune by")
    if attack is None and isinstance(goal, HidingGoal | BalanceGoal):
        raise ConfigError("this goal needs an attacker; give texts about several people, or --background FILE")
    if by_type and not isinstance(goal, AgreementGoal):
        raise ConfigError("limits by type are those nearest to annotations; give --gold FILE, and no other goal")
    limits = (EVERY_PHRASE_LIMIT, *limits, NAMES_ONLY_LIMIT, NOTHING_MASKED_LIMIT)
    curve = measure_limits(samples, attack, limits=limits)
    if not curve.words.any():
        raise ConfigError("the texts have no words; give texts of the kind that is to be anonymized")
    if isinstance(goal, RetentionGoal) and not curve.bits.any():
        raise ConfigError("the texts have no phrases that tell anything, so that no share of it can be kept")
    if isinstance(goal, AgreementGoal):
        if curve.counts is None:
            raise ConfigError("this goal needs annotations of every text: --gold FILE")
        if not curve.counts[:, :, [0, 2]].any():
            raise ConfigError("the annotations mark nothing that is to be masked; give texts in which something is "
                              "marked")  # fmt: skip
    chance, size = np.random.default_rng(seed), len(samples)
    drawn = [
        best_limit_index(goal, curve.select_texts(chance.integers(0, size, size)))
        for _ in range(draws if size > 1 else 0)
    ]
    chosen = [float(curve.limits[place]) for place in drawn if place is not None]
    interval = tuple(np.quantile(chosen, QUANTILES, method="nearest").tolist()) if chosen else None
    folds = _folds(size, chance)
    type_limits, score = dict[str, float](), None
    if by_type and isinstance(goal, AgreementGoal):
        type_limits, score = _tune_by_type(samples, goal.beta, curve, folds, limits)
    place = best_limit_index(goal, curve)
    unreached = sum(one is None for one in drawn) / max(len(drawn), 1)
    return TuningResult(
        goal.description, place, curve, interval, unreached, _held_out(curve, goal, folds), type_limits, score, attack
    )


def _folds(size: int, chance: np.random.Generator) -> list[Ints]:
    """Return the texts of each fold; none where there are too few."""
    return np.array_split(chance.permutation(size), FOLDS) if size >= 2 * FOLDS else []


def _held_out(curve: LimitCurve, goal: Goal, folds: Sequence[Ints]) -> LimitCurve | None:
    """Put each text under the limit that the texts outside its fold choose."""
    places = np.zeros(len(curve), np.int64)
    for fold in folds:
        place = best_limit_index(goal, curve.select_texts(np.setdiff1d(np.arange(len(curve)), fold)))
        if place is None:
            return None
        places[fold] = place
    return curve.at_limits(places) if folds else None


def _tune_by_type(
    samples: Sequence[Sample], beta: float, curve: LimitCurve, folds: Sequence[Ints], limits: Sequence[float]
) -> tuple[dict[str, float], tuple[float, float] | None]:
    """Return types limits of their own, if texts that are held out are then nearer to their annotations."""
    counts = np.stack([_counts_by_type(one, limits) for one in samples])
    words = counts[:, :-1, 0, :2].sum(axis=(0, 2))  # every phrase masked, rightly or not
    able = np.flatnonzero(words >= MIN_WORDS_OF_TYPE).tolist()
    every = np.arange(len(samples))
    start = best_limit_index(AgreementGoal(beta), curve)
    if not folds or not able or start is None:
        return {}, None
    single, typed = np.zeros(3), np.zeros(3)
    for fold in folds:
        rest = np.setdiff1d(every, fold)
        first = best_limit_index(AgreementGoal(beta), curve.select_texts(rest))
        if first is None:
            return {}, None
        single += _sum(counts[fold], [first] * len(TYPES), first)
        typed += _sum(counts[fold], _coordinate_ascent(counts[rest], first, able, beta), first)
    scores = f_score(np.stack([single, typed]), beta)[:, 2].round(4).tolist()
    chosen = _coordinate_ascent(counts, start, able, beta) if scores[1] >= scores[0] + MIN_GAIN else []
    type_limits = {TYPES[type]: float(limits[place]) for type, place in enumerate(chosen) if place != start}
    return type_limits, (scores[0], scores[1])


def _counts_by_type(sample: Sample, limits: Sequence[float]) -> Floats:
    """Count the words of each type by limit; the last row is what is in no phrase."""
    assert sample.marked is not None
    counts, left = [], sample.unmasked_words(limits).T
    for type in (*range(len(TYPES)), -1):
        here = sample.types == type
        counts.append(count_words_by_limit(sample.marked[here], sample.annotators, left[here]))
    return np.stack(counts)


def _sum(counts: Floats, places: Sequence[int], outside: int) -> Floats:
    """Count all words, types under the limits at these places."""
    whole = counts.sum(axis=0)
    return np.asarray(whole[np.arange(len(whole)), [*places, outside]].sum(axis=0), np.float64)


def _coordinate_ascent(counts: Floats, start: int, able: Sequence[int], beta: float) -> list[int]:
    """Change the limit of one type at a time, as long as F gains."""
    whole = counts.sum(axis=0)
    places = [start] * len(TYPES)
    for _ in range(ROUNDS):
        before = list(places)
        for type in able:
            rest = whole[np.arange(len(whole)), [*places, start]].sum(axis=0) - whole[type, places[type]]
            scores = f_score(rest + whole[type], beta)[:, 2].round(9)
            scores[[0, -2, -1]] = 0.0  # the floors
            if scores.max() > scores[places[type]]:
                places[type] = int(len(scores) - 1 - np.argmax(scores[::-1]))
        if places == before:
            break
    return places


def build_samples(scored_document: Iterable[ScoredDocument], gold: Mapping[str, GoldDocument]) -> list[Sample]:
    """Look at scored texts, with the annotations of those that have some."""
    return [Sample.from_scored(one, gold.get(one.analysis.document.id)) for one in scored_document]
