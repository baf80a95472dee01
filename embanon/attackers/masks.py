"""Rank whom documents are about under many masks at once: for whoever has to choose among masks.

A word that is masked is simply not in the document. What an additive attacker knows of the words of a document is
taken out once for all masks.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

import numpy as np

from embanon.linkage import Additive, Seen
from embanon.model.keys import WORD, key, words_of
from embanon.postings import Bag, Floats, Ints

TIES: Final = 9
"""Decimals in which scores differ that are not the same."""


@dataclass(frozen=True, slots=True, eq=False)
class Masked:
    """The words of a document, and how often each is left under each mask: a row a mask."""

    words: tuple[str, ...] = field(repr=False)
    counts: Ints = field(repr=False)

    @classmethod
    def of(cls, bags: Sequence[Bag]) -> Masked:
        """Take what each mask leaves."""
        places = {word: place for place, word in enumerate(dict.fromkeys(word for one in bags for word in one))}
        counts = np.zeros((len(bags), len(places)), np.int64)
        for row, one in zip(counts, bags, strict=True):
            row[[places[word] for word in one]] = list(one.values())
        return cls(tuple(places), counts)

    @classmethod
    def at(cls, text: str, start: Ints, end: Ints, risk: Floats, limits: Sequence[float]) -> Masked:
        """Mask a text's phrases at or above each limit; an unknown risk (NaN) is above all of them.

        A word is masked if any of its characters is.
        """
        found = list(WORD.finditer(text))
        begins = np.array([one.start() for one in found], np.int64)
        ends = np.array([one.end() for one in found], np.int64)
        highest = np.full(len(found), -np.inf)
        known = np.nan_to_num(np.asarray(risk, np.float64), nan=np.inf)
        first, last = np.searchsorted(ends, start, "right"), np.searchsorted(begins, end, "left")
        for one, here, there in zip(known.tolist(), first.tolist(), last.tolist(), strict=True):
            highest[here:there] = np.maximum(highest[here:there], one)
        places, numbers, owners = dict[str, int](), list[int](), list[int]()
        for number, one in enumerate(found):
            for word in words_of(key(one.group())):
                numbers.append(places.setdefault(word, len(places)))
                owners.append(number)
        left = highest[np.array(owners, np.int64)] < np.asarray(limits, np.float64)[:, None]
        column = np.array(numbers, np.int64)
        counts = [np.bincount(column[row], minlength=len(places)) for row in left]
        return cls(tuple(places), np.array(counts, np.int64).reshape(len(limits), len(places)))


def ranks_under(attacker: Additive, documents: Sequence[Masked], true: Sequence[int] | Ints) -> Floats:
    """Give the rank of each document's candidate, from 1, under each mask: a row a document.

    Candidates that tie share the mean of their ranks.
    """
    rows = [_ranks(attacker, one, int(target)) for one, target in zip(documents, true, strict=True)]
    return np.array(rows, np.float64)


def scores_under(attacker: Additive, document: Masked) -> Floats:
    """Score all candidates under each mask: a row a mask. No norm is taken, which changes no rank."""
    terms = attacker.postings.terms
    columns = np.array([place for place, word in enumerate(document.words) if word in terms], np.int64)
    rows = np.array([terms[document.words[place]] for place in columns.tolist()], np.int64)
    seen = Seen.of(attacker, rows)
    counts = document.counts[:, columns].astype(np.float64)
    return np.array([seen.added(attacker.asked(rows, some)) for some in counts], np.float64)


def _ranks(attacker: Additive, document: Masked, target: int) -> Floats:
    scores = scores_under(attacker, document)
    scores = np.round(scores / np.maximum(scores.max(axis=1, keepdims=True), 1e-300), TIES)
    own = scores[:, [target]]
    return np.asarray(1 + (scores > own).sum(axis=1) + ((scores == own).sum(axis=1) - 1) / 2, np.float64)
