"""Choose the limit: by annotations, by what an attacker finds, by what is kept, or where masking more stops to pay.

Every goal says of each limit of a curve what it is worth; the best is chosen, of equals the highest. How sure that is,
is said by choosing again from texts drawn anew, and by choosing from four fifths what is then measured on the rest.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Protocol

import numpy as np

from embanon.config.settings import PRESETS
from embanon.document import TYPES
from embanon.errors import ConfigError
from embanon.measure.annotations import Gold
from embanon.measure.curve import (
    ATTACKERS,
    EVERY,
    FLOORS,
    LIMITS,
    NAMES,
    NOTHING,
    Attack,
    Curve,
    Floats,
    Ints,
    Sample,
    counted,
    curve,
    f_score,
)
from embanon.scoring import Judged

EXCHANGE: Final = 0.11
"""Without a goal, so large a share of the words may go for people to hide among twice as many."""
STRICT, STANDARD = PRESETS["strict"][0], PRESETS["standard"][0]
"""Without a goal, the limits between which is chosen."""
DRAWS: Final = 200
FOLDS: Final = 5
SEED: Final = 1
QUANTILES: Final = (0.025, 0.975)
ENOUGH: Final = 20
"""Words in phrases that a type needs for a limit of its own."""
GAIN: Final = 0.005
"""What limits by type have to gain on texts held out."""
ROUNDS: Final = 4


class Goal(Protocol):
    """Says what each limit is worth."""

    @property
    def said(self) -> str:
        """Say the goal in words."""

    def worth(self, found: Curve) -> Floats:
        """Give what each limit is worth; NaN where it does not reach the goal."""


@dataclass(frozen=True, slots=True)
class Agree:
    """As near to the annotations as can be."""

    beta: float = 1.0

    @property
    def said(self) -> str:
        """Say the goal in words."""
        return f"agree with the annotations (F{self.beta:g} of words)"

    def worth(self, found: Curve) -> Floats:
        """Give F."""
        return found.score(self.beta)[:, 2]


@dataclass(frozen=True, slots=True)
class Hide:
    """Keep the share of texts whose person is among the first low; as little as that takes."""

    share: float
    first: int = 1

    @property
    def said(self) -> str:
        """Say the goal in words."""
        whom = "at the first rank" if self.first == 1 else f"among the first {self.first}"
        return f"attackers, on average, have the right one {whom} in at most {self.share:g} of the texts"

    def worth(self, found: Curve) -> Floats:
        """Give the limits that reach it."""
        return np.where(found.found(self.first) <= self.share, found.limits, np.nan)


@dataclass(frozen=True, slots=True)
class Keep:
    """Keep a share of what phrases tell, what is masked counting as lost; as little risk as that allows."""

    share: float

    @property
    def said(self) -> str:
        """Say the goal in words."""
        return f"at least {self.share:g} of what phrases tell is left as it is (what is replaced counts as lost)"

    def worth(self, found: Curve) -> Floats:
        """Prefer low limits, of those that reach it."""
        return np.where(found.information >= self.share, -found.limits, np.nan)


@dataclass(frozen=True, slots=True)
class Balance:
    """Mask more than the standard, down to strict, where this hides people: words that are kept, and among how many."""

    exchange: float = EXCHANGE

    @property
    def said(self) -> str:
        """Say the goal in words."""
        return f"between strict and standard, {100 * self.exchange:g} words in a hundred to hide among twice as many"

    def worth(self, found: Curve) -> Floats:
        """Weigh words against people."""
        inside = (found.limits >= STRICT) & (found.limits <= STANDARD)
        return np.where(inside, found.share_kept + self.exchange * found.hidden, np.nan)


def best(goal: Goal, found: Curve) -> int | None:
    """Give the place of the best limit, of equals the highest; `None` where none reaches the goal."""
    worth = np.where((found.limits > EVERY) & (found.limits < NAMES), goal.worth(found), np.nan)
    if np.isnan(worth).all():
        return None
    value = np.nan_to_num(worth, nan=-np.inf).round(9)
    return int(len(value) - 1 - np.argmax(value[::-1]))


@dataclass(frozen=True, slots=True, eq=False)
class Tuned:
    """The limit that was chosen, how sure that is, and the curve that it was chosen from."""

    goal: str
    place: int | None
    """Of the limit in the curve; `None` where no limit reaches the goal."""
    curve: Curve = field(repr=False)
    interval: tuple[float, float] | None
    """Of the limits that are chosen from texts drawn anew."""
    unreached: float
    """The share of such drawings in which no limit reaches the goal."""
    held_out: Curve | None = field(repr=False)
    """Each text under the limit that the others choose, a curve of one column."""
    by_type: Mapping[str, float] = field(default_factory=dict)
    by_type_score: tuple[float, float] | None = None
    """F on texts held out: with one limit, and with those by type."""
    attack: Attack | None = field(default=None, repr=False)

    @property
    def limit(self) -> float | None:
        """Give the limit that is chosen."""
        return None if self.place is None else float(self.curve.limits[self.place])

    def to_dict(self) -> dict[str, Any]:
        """Give all of it, ready for JSON."""
        found, rows = self.curve, list(rows_of(self.curve))
        return {
            "goal": self.goal, "limit": self.limit, "interval": self.interval, "unreached": round(self.unreached, 4),
            "texts": len(found), "words": int(found.words.sum()),
            "attack": None if self.attack is None else {
                "knows": self.attack.knows, "candidates": self.attack.candidates, "texts": self.attack.attacked,
                "attackers": list(ATTACKERS),
            },
            "held_out": None if self.held_out is None else next(rows_of(self.held_out)),
            "by_type": dict(self.by_type), "by_type_score": self.by_type_score, "curve": rows,
        }  # fmt: skip


def rows_of(found: Curve) -> Iterator[dict[str, Any]]:
    """Give the measures of each limit by name; what is not known is `None`, and floors have a name instead."""
    scores, first, rank = found.score(), found.found(), 2**found.hidden
    for place, limit in enumerate(found.limits.tolist()):
        numbers = (limit, found.share_kept[place], found.information[place], first[place], rank[place], *scores[place])
        names = ("limit", "words_kept", "information_kept", "found", "rank", "precision", "recall", "f1")
        row: dict[str, Any] = {
            name: None if np.isnan(value) else round(float(value), 4)
            for name, value in zip(names, numbers, strict=True)
        }
        yield row | {"limit": FLOORS[limit]} if limit in FLOORS else row


def tune(
    samples: Sequence[Sample], goal: Goal, attack: Attack | None = None, *, by_type: bool = False, draws: int = DRAWS,
    seed: int = SEED, limits: Sequence[float] = LIMITS,
) -> Tuned:  # fmt: skip
    """Choose the limit that is worth most."""
    if not samples:
        raise ConfigError("there are no texts to tune by")
    if attack is None and isinstance(goal, Hide | Balance):
        raise ConfigError("this goal needs an attacker; give texts about several people, or --background FILE")
    if by_type and not isinstance(goal, Agree):
        raise ConfigError("limits by type are those nearest to annotations; give --gold FILE, and no other goal")
    limits = (EVERY, *limits, NAMES, NOTHING)
    found = curve(samples, attack, limits=limits)
    if not found.words.any():
        raise ConfigError("the texts have no words; give texts of the kind that is to be anonymized")
    if isinstance(goal, Keep) and not found.bits.any():
        raise ConfigError("the texts have no phrases that tell anything, so that no share of it can be kept")
    if isinstance(goal, Agree) and found.counts is None:
        raise ConfigError("this goal needs annotations of every text: --gold FILE")
    if isinstance(goal, Agree) and found.counts is not None and not found.counts[:, :, [0, 2]].any():
        raise ConfigError("the annotations mark nothing that is to be masked; give texts in which something is marked")
    chance = np.random.default_rng(seed)
    size = len(samples)
    drawn = [best(goal, found.of(chance.integers(0, size, size))) for _ in range(draws)] if size > 1 else []
    chosen = [float(found.limits[place]) for place in drawn if place is not None]
    interval = None
    if chosen:
        low, high = np.quantile(chosen, QUANTILES, method="nearest").tolist()
        interval = (low, high)
    folds = _folds(size, chance)
    own, score = dict[str, float](), None
    if by_type and isinstance(goal, Agree):
        own, score = _typed(samples, goal.beta, found, folds, limits)
    place = best(goal, found)
    unreached = sum(one is None for one in drawn) / max(len(drawn), 1)
    return Tuned(goal.said, place, found, interval, unreached, _held_out(found, goal, folds), own, score, attack)


def _folds(size: int, chance: np.random.Generator) -> list[Ints]:
    """Give the texts of each fold; none where there are too few."""
    return np.array_split(chance.permutation(size), FOLDS) if size >= 2 * FOLDS else []


def _held_out(found: Curve, goal: Goal, folds: Sequence[Ints]) -> Curve | None:
    """Put each text under the limit that the texts outside its fold choose."""
    places = np.zeros(len(found), np.int64)
    for fold in folds:
        place = best(goal, found.of(np.setdiff1d(np.arange(len(found)), fold)))
        if place is None:
            return None
        places[fold] = place
    return found.at(places) if folds else None


def _typed(
    samples: Sequence[Sample], beta: float, found: Curve, folds: Sequence[Ints], limits: Sequence[float]
) -> tuple[dict[str, float], tuple[float, float] | None]:
    """Give types limits of their own, if texts that are held out are then nearer to their annotations."""
    counts = np.stack([_counts_by_type(one, limits) for one in samples])
    words = counts[:, :-1, 0, :2].sum(axis=(0, 2))  # every phrase masked, rightly or not
    able = np.flatnonzero(words >= ENOUGH).tolist()
    every = np.arange(len(samples))
    start = best(Agree(beta), found)
    if not folds or not able or start is None:
        return {}, None
    single, typed = np.zeros(3), np.zeros(3)
    for fold in folds:
        rest = np.setdiff1d(every, fold)
        first = best(Agree(beta), found.of(rest))
        if first is None:
            return {}, None
        single += _sum(counts[fold], [first] * len(TYPES), first)
        typed += _sum(counts[fold], _ascend(counts[rest], first, able, beta), first)
    scores = f_score(np.stack([single, typed]), beta)[:, 2].round(4).tolist()
    chosen = _ascend(counts, start, able, beta) if scores[1] >= scores[0] + GAIN else [start] * len(TYPES)
    own = {TYPES[type]: float(limits[place]) for type, place in enumerate(chosen) if place != start}
    return own, (scores[0], scores[1])


def _counts_by_type(sample: Sample, limits: Sequence[float]) -> Floats:
    """Count the words of each type by limit; the last row is what is in no phrase."""
    assert sample.marked is not None
    found, left = [], sample.left(limits).T
    for type in (*range(len(TYPES)), -1):
        here = sample.types == type
        found.append(counted(sample.marked[here], sample.annotators, left[here]))
    return np.stack(found)


def _sum(counts: Floats, places: Sequence[int], outside: int) -> Floats:
    """Count all words, types under the limits at these places."""
    whole = counts.sum(axis=0)
    return np.asarray(whole[np.arange(len(whole)), [*places, outside]].sum(axis=0), np.float64)


def _ascend(counts: Floats, start: int, able: Sequence[int], beta: float) -> list[int]:
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


def samples_of(judged: Iterable[Judged], gold: Mapping[str, Gold]) -> list[Sample]:
    """Look at scored texts, with the annotations of those that have some."""
    return [Sample.of(one, gold.get(one.analysis.document.id)) for one in judged]
