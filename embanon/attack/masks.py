"""Rank the candidates of documents under many masks at once, to choose among masks.

A word that is masked is simply not in the document. What an additive attacker knows of a word is added where the word
comes in, so that many masks that differ little cost hardly more than one.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from embanon.language import key, words_of
from embanon.linkage import AdditiveAttacker, CharacterGrams, Floats, Ints, character_grams, sum_by_index

TIES: Final = 9
"""Decimals in which scores differ that are not the same."""
Flags = NDArray[np.bool_]


@dataclass(frozen=True, slots=True, eq=False)
class AttackerWords:
    """A text as attackers read it: `numbers` are places in `words`, `owners` say in which written word each stands."""

    words: tuple[str, ...] = field(repr=False)
    numbers: Ints = field(repr=False)
    owners: Ints = field(repr=False)

    @classmethod
    def from_words(cls, written: Iterable[str]) -> AttackerWords:
        """Read words as they are written."""
        places, numbers, owners = dict[str, int](), list[int](), list[int]()
        for owner, token in enumerate(written):
            for word in words_of(key(token)):
                numbers.append(places.setdefault(sys.intern(word), len(places)))
                owners.append(owner)
        return cls(tuple(places), np.array(numbers, np.int64), np.array(owners, np.int64))

    def unmasked_text(self, left: Flags) -> str:
        """Return what is read where some of the written words are left."""
        return " ".join(self.words[number] for number in self.numbers[left[self.owners]].tolist())

    def apply_masks(self, left: Flags) -> MaskedCounts:
        """Count what each mask leaves: a row a mask, a column a written word."""
        rows, columns = np.nonzero(left[:, self.owners])
        shape = len(left), len(self.words)
        counts = np.bincount(rows * shape[1] + self.numbers[columns], minlength=shape[0] * shape[1])
        return MaskedCounts(self.words, counts.reshape(shape).astype(np.float64))


@dataclass(frozen=True, slots=True, eq=False)
class MaskedCounts:
    """The terms of a document, and how often each is left under each mask: a row a mask."""

    terms: tuple[str, ...] = field(repr=False)
    counts: Floats = field(repr=False)

    def to_grams(self) -> MaskedCounts:
        """Count runs of characters instead of words."""
        places, gram_numbers, words, times = dict[str, int](), list[int](), list[int](), list[int]()
        for word, term in enumerate(self.terms):
            for gram, count in character_grams({term: 1}).items():
                gram_numbers.append(places.setdefault(gram, len(places)))
                words.append(word)
                times.append(count)
        order = np.argsort(gram_numbers, kind="stable")
        each = self.counts[:, np.array(words, np.int64)[order]] * np.array(times, np.float64)[order]
        starts = np.searchsorted(np.array(gram_numbers, np.int64)[order], np.arange(len(places)))
        return MaskedCounts(tuple(places), np.add.reduceat(each, starts, axis=1) if len(places) else each)


def ranks_by_mask(
    attacker: AdditiveAttacker | CharacterGrams, document: MaskedCounts, target: int
) -> tuple[Floats, Ints]:
    """Return the rank of a document's candidate under each mask, from 1, and how many candidates share it.

    Those who tie share the mean of their ranks.
    """
    new = np.ones(len(document.counts), np.bool_)  # a mask that leaves what the one before does ranks as that does
    new[1:] = (document.counts[1:] != document.counts[:-1]).any(axis=1)
    scores = scores_by_mask(attacker, replace(document, counts=document.counts[new]))
    scores = np.round(scores / max(float(scores.max(initial=0.0)), 1e-300), TIES)
    target_scores = scores[:, [target]]
    ties = (scores == target_scores).sum(axis=1)
    rank = 1 + (scores > target_scores).sum(axis=1) + (ties - 1) / 2
    same = new.cumsum() - 1
    return rank[same], ties[same]


def scores_by_mask(attacker: AdditiveAttacker | CharacterGrams, document: MaskedCounts) -> Floats:
    """Score all candidates under each mask: a row a mask. No norm is taken, which changes no rank."""
    if isinstance(attacker, CharacterGrams):
        return scores_by_mask(attacker.inner, document.to_grams())
    terms, size = attacker.postings.terms, attacker.postings.size
    columns = np.array([place for place, term in enumerate(document.terms) if term in terms], np.int64)
    rows = np.array([terms[document.terms[place]] for place in columns.tolist()], np.int64)
    counts = document.counts[:, columns]
    change = np.diff(attacker.query_weights(rows, counts), axis=0, prepend=0.0)
    masks, changed = np.nonzero(change)
    places, sizes = attacker.postings.places(rows[changed])
    added = attacker.weights[places] * np.repeat(change[masks, changed], sizes)
    summed = sum_by_index(
        np.repeat(masks * size, sizes) + attacker.postings.candidates[places], added, len(counts) * size
    )
    return np.asarray(summed.reshape(len(counts), size).cumsum(axis=0), np.float64)
