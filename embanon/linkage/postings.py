"""Which candidates have a term, and how often: an index that is searched by term."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

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
        for one in bags:
            numbers.extend(terms.setdefault(term, len(terms)) for term in one)
            counts.extend(one.values())
            lengths.append(len(one))
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
        found = [word for word, count in words.items() if count > 0 and word in self.terms]
        rows = np.array([self.terms[word] for word in found], np.int64)
        return found, rows, np.array([words[word] for word in found], np.float64)
