"""What users know of each entity by now, and what it is worth.

Misuseability (Harel et al. 2012): `K = 1 − Π (1 − risk)` over the *distinct* risky phrases that somebody has seen, each
with its highest risk; it is worth `M = max_e value_e · K_e`, and `Σ_e` beside it. Logarithms are summed as whole
multiples of 2^-36, so that no order of opening can change what comes out, and nothing new can lower it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from embanon.leak.regression import Flags, Floats, Ints

FACT: Final = np.dtype([("entity", "<u4"), ("day", "<i4"), ("phrase", "<i8"), ("risk", "<f8"), ("version", "<i8")])
"""A phrase (keyed) of an entity that somebody knows: since when, its risk, and from which version of a document."""
Facts = np.ndarray[tuple[int], np.dtype[np.void]]

LOG_UNIT: Final = 2.0**-36
LOG_CERTAIN: Final = -40.0
"""The logarithm of what is left by a phrase of risk 1: in floating point, nothing."""
HASH_MULTIPLIER: Final = np.uint64(0x9E3779B97F4A7C15)
"""What tells phrases of one entity from those of another, in one number."""
ALLOWED_OFFSET: Final = np.uint64(0xC2B2AE3D27D4EB4F)
"""What tells phrases that somebody might know from the same ones, in that number."""
MAX_DENSE_SPAN: Final = 1 << 20
"""Numbers that are so near to each other need not be sorted."""
KNOWN_DIGITS: Final = 9
"""Digits of what is known: what units round off is not shown."""


def combined_risk(risks: ArrayLike) -> float:
    """Return what is known after seeing distinct phrases of some risks."""
    return float(_known_share(_log_unknown(np.asarray(risks, np.float64)).sum()))


def _log_unknown(risks: Floats) -> Ints:
    """Return the logarithm of what stays unknown, in units."""
    with np.errstate(divide="ignore"):
        logarithms = np.log1p(-risks)
    return np.rint(np.maximum(logarithms, LOG_CERTAIN) / LOG_UNIT).astype(np.int64)


def _known_share(left: ArrayLike) -> Floats:
    return np.asarray(np.round(-np.expm1(np.asarray(left) * LOG_UNIT), KNOWN_DIGITS) + 0.0)


def distinct_places(facts: Facts, allowed: Flags | None = None) -> Ints:
    """Return the places of facts without those that say nothing: a phrase known before of the same entity, as risky.

    A phrase of an entity stands together, from the highest risk to the lowest, which was known first. What somebody
    might know when they learnt it says nothing of what they learnt when they might not, nor the other way round.
    """
    names = _phrase_names(facts)
    if allowed is not None:
        names[allowed] += ALLOWED_OFFSET
    order = np.argsort(names, kind="stable")  # fast where most are in order: what was known before
    begins = _run_starts(names[order])
    several = ~(begins & np.append(begins[1:], True))
    repeated = facts[order[several]]
    within = np.lexsort((repeated["version"], repeated["day"], -repeated["risk"], names[order[several]]))
    order[several] = order[several][within]
    # The earliest day so far, which begins anew with each phrase: what follows in the order has no higher risk.
    groups: Ints = np.cumsum(begins)[several]
    days = repeated["day"][within] - groups * (1 << 33)
    kept, new = np.ones(len(facts), bool), np.ones(len(repeated), bool)
    new[1:] = days[1:] < np.minimum.accumulate(days)[:-1]
    kept[several] = new
    return np.asarray(order[kept], np.int64)


def _phrase_names(facts: Facts) -> NDArray[np.uint64]:
    """Return a number for each phrase of an entity; chance does not make two of one."""
    phrases = np.ascontiguousarray(facts["phrase"]).view(np.uint64)
    return np.asarray(phrases + facts["entity"] * HASH_MULTIPLIER, np.uint64)


def _run_starts(*columns: NDArray[np.generic]) -> Flags:
    """Return where a run of equal rows begins."""
    begins = np.ones(len(columns[0]), bool)
    begins[1:] = np.any([column[1:] != column[:-1] for column in columns], axis=0)
    return begins


def _unique_inverse(values: Ints) -> tuple[Ints, Ints]:
    """Return distinct values in order, and the place of each among them."""
    low, span = int(values.min()), int(values.max() - values.min())
    if span > MAX_DENSE_SPAN:
        distinct, places = np.unique(values, return_inverse=True)
        return distinct, places
    there = np.zeros(span + 1, bool)
    there[values - low] = True
    return np.flatnonzero(there) + low, (np.cumsum(there) - 1)[values - low]


@dataclass(frozen=True, slots=True, eq=False)
class KnownPhrases:
    """The distinct phrases that somebody knows, each with its highest risk, whenever they learnt it."""

    names: NDArray[np.uint64]
    """In order."""
    entities: Ints
    unknown: Ints
    """Logarithms of what each leaves unknown, in units."""

    @classmethod
    def from_facts(cls, facts: Facts) -> KnownPhrases:
        """Take what is distinct."""
        names = _phrase_names(facts)
        order = np.lexsort((-facts["risk"], names))
        kept = order[_run_starts(names[order])] if len(order) else order
        return cls(names[kept], facts["entity"][kept].astype(np.int64), _log_unknown(facts["risk"][kept]))

    def known(self, more: KnownPhrases | None = None) -> dict[int, float]:
        """Return what is known of each entity, with what else somebody would learn."""
        entities, unknown = self.entities, self.unknown
        if more is not None:
            places = np.minimum(np.searchsorted(self.names, more.names), max(len(self.names) - 1, 0))
            before = np.zeros(len(more.names), np.int64)
            if len(self.names):
                before = np.where(self.names[places] == more.names, self.unknown[places], 0)
            entities = np.concatenate((entities, more.entities))
            unknown = np.concatenate((unknown, np.minimum(more.unknown - before, 0)))
        distinct, place = np.unique(entities, return_inverse=True)
        shares = _known_share(np.bincount(place, unknown, len(distinct)))
        return dict(zip(distinct.tolist(), shares.tolist(), strict=True))


@dataclass(frozen=True, slots=True, eq=False)
class KnowledgeHistory:
    """What somebody knew of each entity at the end of each day on which they learnt something."""

    days: Ints
    entities: Ints
    known: Floats
    """Days × entities."""
    phrases: Ints
    """Of each entity, distinct ones."""

    @classmethod
    def from_facts(cls, facts: Facts) -> KnowledgeHistory:
        """Follow facts through time, distinct and in their order."""
        if not len(facts):
            return cls(np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros((0, 0)), np.zeros(0, np.int64))
        left, begins = _log_unknown(facts["risk"]), _run_starts(facts["entity"], facts["phrase"])
        # Below each fact stands what was known of its phrase before it, at a lower risk: only the rest is new.
        before = np.where(np.append(begins[1:], True), 0, np.append(left[1:], 0))
        days, day = _unique_inverse(facts["day"].astype(np.int64))
        entities, entity = _unique_inverse(facts["entity"].astype(np.int64))
        # Whole numbers, and exact as long as anything is left to be known.
        cells = np.bincount(day * len(entities) + entity, left - before, len(days) * len(entities))
        table = np.cumsum(cells.reshape(len(days), len(entities)), axis=0)
        return cls(days, entities, _known_share(table), np.bincount(entity[begins], minlength=len(entities)))

    def worth(self, values: Mapping[int, float]) -> tuple[Floats, Floats, Ints]:
        """Return for each day the most that is worth something, the sum, and the entity that is worth most (-1.

        None).
        """
        each = self.known * np.array([values.get(entity, 0.0) for entity in self.entities.tolist()])
        if not each.size:
            return np.zeros(len(self.days)), np.zeros(len(self.days)), np.full(len(self.days), -1)
        return each.max(axis=1), np.cumsum(each, axis=1)[:, -1], self.entities[each.argmax(axis=1)]
