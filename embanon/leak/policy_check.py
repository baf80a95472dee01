"""Find what is amiss with a policy that can be used all the same: above all, names that hit everything."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from embanon.entities import COMMON_WORD_SHARE
from embanon.language import Frequencies, key, words_of
from embanon.leak.policy import Policy

UNSEEN_SHARE: Final = 1e-9
"""The share of a word that no table of frequencies has."""
COMMON_SHARE: Final = 0.2
"""The share of given documents from which an alias in them is one that hits everything."""
MIN_DOCUMENTS: Final = 10
"""Documents from which such a share says something."""


@dataclass(frozen=True, slots=True)
class PolicyProblem:
    """What is amiss with a policy that can be used all the same; names are secrets, and told by their place."""

    where: str
    what: str


def check_policy(policy: Policy, texts: Iterable[str] = (), language: str = "en") -> list[PolicyProblem]:
    """Find names that hit everything, names of two entities, and entities with nothing to go by.

    What hits everything is told by how frequent its words are, and by the documents that are given.
    """
    names = [
        (f"entities[{number}]{place}", key(name))
        for number, item in enumerate(policy.entities)
        for place, name in [(".name", item.name), *((f".aliases[{n}]", one) for n, one in enumerate(item.aliases))]
    ]
    found = [*_duplicate_names(names), *_frequent_names(names, language), *_widespread_names(names, texts)]
    for number, item in enumerate(policy.entities):
        if not (item.aliases or item.description or item.samples or item.sample_files):
            found.append(
                PolicyProblem(f"entities[{number}]", "has a name alone; add aliases, a description or samples")
            )
    return found


def _duplicate_names(names: Sequence[tuple[str, str]]) -> Iterator[PolicyProblem]:
    first = dict[str, str]()
    for where, name in names:
        before = first.setdefault(name, where)
        if before != where:
            same = before.partition(".")[0] == where.partition(".")[0]
            told = "remove one" if same else "what it stands for cannot be told: remove it from one"
            yield PolicyProblem(where, f"is also {before}; {told}")


def _frequent_names(names: Sequence[tuple[str, str]], language: str) -> Iterator[PolicyProblem]:
    """Find names that stand on many pages: by the product of the shares of their words."""
    words = [words_of(name) for _, name in names]
    frequencies = Frequencies.load(language)
    shares = np.full(sum(map(len, words)), UNSEEN_SHARE)
    if frequencies:
        found = frequencies.shares([word for some in words for word in some])
        shares = np.where(np.isnan(found), UNSEEN_SHARE, found)
    place = 0
    for (where, name), some in zip(names, words, strict=True):
        share = float(np.prod(shares[place : place + len(some)])) if some else 1.0
        place += len(some)
        if len(name.replace(" ", "")) < 2:
            yield PolicyProblem(where, "is a single character, which is everywhere; write the name out")
        elif share >= COMMON_WORD_SHARE:
            yield PolicyProblem(where, "is made of words that are everywhere; remove it, or give a longer name")


def _widespread_names(names: Sequence[tuple[str, str]], texts: Iterable[str]) -> Iterator[PolicyProblem]:
    """Find names that stand in many of the documents that are given."""
    places = defaultdict[tuple[str, ...], list[str]](list)
    for where, name in names:
        places[tuple(words_of(name))].append(where)
    lengths = sorted({len(words) for words in places if words})
    counts, documents = Counter[tuple[str, ...]](), 0
    for text in texts:
        said, documents = words_of(key(text)), documents + 1
        runs = (zip(*(said[offset:] for offset in range(length)), strict=False) for length in lengths)
        counts.update({run for some in runs for run in some if run in places})
    for run, count in counts.items():
        if documents >= MIN_DOCUMENTS and count >= COMMON_SHARE * documents:
            for where in places[run]:
                yield PolicyProblem(
                    where, f"stands in {count} of {documents} documents; remove it, or give a longer name"
                )
