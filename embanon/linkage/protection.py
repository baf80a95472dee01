"""Mask further phrases until attackers with public text no longer find the target, always on top of a base mask."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from embanon.errors import ConfigError
from embanon.language import WORD, key, words_of
from embanon.linkage.attackers import AttackerView, Background, Floats, Ints, best_rivals, rank

Flags = NDArray[np.bool_]

DEFAULT_RANK: Final = 10
"""The rank that the target shall stay behind."""
MIN_GAIN: Final = 1e-12
"""A contribution that is above rounding."""


@dataclass(frozen=True, slots=True, eq=False)
class Protection:
    """What is masked in the end, and how far that goes."""

    masked: Flags
    """For each phrase."""
    added: tuple[int, ...]
    """The phrases that were masked beyond the base mask, those that gave most away first."""
    ranks: tuple[float, ...]
    """Of the target, for each attacker."""
    reached: bool
    """Whether all ranks are beyond the one that was asked for."""


@dataclass(frozen=True, slots=True, eq=False)
class _MaskableUnits:
    """The words of a document, and the units that can be masked: all phrases that are written the same."""

    words: tuple[str, ...] = field(repr=False)
    """Those that a background knows."""
    word: Ints
    """The number of each occurrence's word."""
    is_unmasked: Flags
    """Whether the occurrence is not masked (changes as units are)."""
    unit: Ints
    """With `place`: that an occurrence is in a unit."""
    occurrence: Ints
    unit_of_phrase: Ints
    """The unit of each phrase; -1 where it is masked from the start."""

    def counts(self) -> Floats:
        """Count the words that are not masked."""
        return np.bincount(self.word[self.is_unmasked], minlength=len(self.words)).astype(np.float64)

    def count_by_unit(self) -> tuple[Ints, Ints, Floats]:
        """Return how often each unmasked word occurs in each unit."""
        living = self.is_unmasked[self.occurrence]
        pairs = self.unit[living] * max(len(self.words), 1) + self.word[self.occurrence[living]]
        pairs, times = np.unique(pairs, return_counts=True)
        return pairs // max(len(self.words), 1), pairs % max(len(self.words), 1), times.astype(np.float64)


def mask_until_hidden(
    text: str, starts: NDArray[Any], ends: NDArray[Any], masked: NDArray[np.bool_], background: Background,
    target: int, k: int = DEFAULT_RANK,
) -> Protection:  # fmt: skip
    """Mask the phrase that gives most away, wherever it occurs, until the target's rank is beyond `k`.

    Phrases are given by where they start and end, and whether the base mask has them. A word outside all phrases
    stays, so whoever wants it masked gives it as a phrase.
    """
    background.check_target(target)
    if not len(starts) == len(ends) == len(masked):
        raise ConfigError(f"{len(starts)} phrases start, {len(ends)} end and {len(masked)} are masked or not")
    if k >= len(background):
        raise ConfigError(f"nobody can be behind rank {k} of {len(background)} candidates; ask for less")
    units = _find_units(text, starts.tolist(), ends.tolist(), np.asarray(masked, np.bool_), background)
    terms = background.tfidf.postings.terms
    rows = np.array([terms[word] for word in units.words], np.int64)
    views = [AttackerView.from_terms(attacker, rows) for attacker in background.attackers]
    counts = units.counts()
    scores = [view.sum_scores(view.attacker.query_weights(rows, counts)) for view in views]
    scales = [one[target] or 1.0 for one in scores]
    result, added = np.array(masked, np.bool_), list[int]()
    alive = np.ones(int(np.max(units.unit, initial=-1)) + 1, np.bool_)
    while True:
        target_ranks = [rank(_round_scores(one), target) for one in scores]
        open_ = [place for place, one in enumerate(target_ranks) if one <= k]
        if not open_ or not alive.any():
            break
        unit, word, times = units.count_by_unit()
        gain = np.zeros(len(alive))
        for place in open_:
            view, weigh = views[place], views[place].attacker.query_weights
            lost = weigh(rows[word], counts[word]) - weigh(rows[word], counts[word] - times)
            telling = view.contrast(target, best_rivals(scores[place], target))
            gain += np.bincount(unit, lost * telling[word], len(alive)) / scales[place]
        best = int(np.argmax(np.where(alive, gain, -np.inf)))
        if gain[best] <= MIN_GAIN:
            break
        alive[best] = False
        units.is_unmasked[units.occurrence[units.unit == best]] = False
        before, counts = counts, units.counts()
        for place, view in enumerate(views):
            change = view.attacker.query_weights(rows, counts) - view.attacker.query_weights(rows, before)
            scores[place] = scores[place] + view.sum_scores(change)
        result |= units.unit_of_phrase == best
        added += np.flatnonzero(units.unit_of_phrase == best).tolist()
    return Protection(result, tuple(added), tuple(target_ranks), not open_)


def _round_scores(scores: Floats) -> Floats:
    """Let scores tie that differ only by the order in which they were summed up."""
    return np.round(scores, 9)


def _find_units(
    text: str, starts: Sequence[int], ends: Sequence[int], masked: Flags, background: Background
) -> _MaskableUnits:
    """Cut a document into the words that the background knows, and its phrases into units."""
    terms = background.tfidf.postings.terms
    numbers: dict[str, int] = {}
    at, until, word = list[int](), list[int](), list[int]()
    for match in WORD.finditer(text):
        for term in words_of(key(match.group())):
            if term in terms:
                at.append(match.start())
                until.append(match.end())
                word.append(numbers.setdefault(term, len(numbers)))
    # A word is in a phrase if any of its characters is.
    first, last = np.searchsorted(until, starts, side="right"), np.searchsorted(at, ends, side="left")
    alive = np.ones(len(word), np.bool_)
    for phrase in np.flatnonzero(masked).tolist():
        alive[first[phrase] : last[phrase]] = False
    keys: dict[str, int] = {}
    of_phrase, inside = np.full(len(starts), -1), set[tuple[int, int]]()
    for phrase in np.flatnonzero(~masked).tolist():
        unit = keys.setdefault(key(text[starts[phrase] : ends[phrase]]), len(keys))
        of_phrase[phrase] = unit
        inside.update((unit, place) for place in range(int(first[phrase]), int(last[phrase])))
    pairs = np.array(sorted(inside), np.int64).reshape(-1, 2)
    return _MaskableUnits(tuple(numbers), np.array(word, np.int64), alive, pairs[:, 0], pairs[:, 1], of_phrase)
