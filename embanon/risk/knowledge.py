"""What texts that are given about those who are present say of whom a sentence speaks: rare words that both have."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from embanon.entities import Entity, PresentEntity
from embanon.language import key, words_of
from embanon.risk.power import Rarity

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

OVERLAP_WEIGHT: Final = 0.6
"""What the rarity of a shared word counts."""
MAX_EVIDENCE: Final = 5.0
"""The most that other texts may say of a sentence."""
MIN_RARITY: Final = 0.35
"""The rarity from which a shared word counts."""


def sample_overlap(
    text: str, people: Sequence[PresentEntity], entities: Sequence[Entity], sentences: Ints, rarity: Rarity
) -> Floats:
    """Say how much the words of each sentence are those of the texts that are given about each."""
    found = np.zeros((len(sentences), len(people)))
    ends = [*sentences[1:].tolist(), len(text)]
    given = [
        {word for sample in entities[one.protected_index].samples for word in words_of(key(sample))}
        if one.protected_index >= 0
        else set()
        for one in people
    ]
    if not any(given):
        return found
    for row, (start, end) in enumerate(zip(sentences.tolist(), ends, strict=True)):
        words = sorted(set(words_of(key(text[start:end]))))
        if not words:
            continue
        rare = np.nan_to_num(rarity.words(words), nan=1.0)
        for column, (one, known) in enumerate(zip(people, given, strict=True)):
            if known:
                shared = [value for word, value in zip(words, rare.tolist(), strict=True)
                          if value >= MIN_RARITY and word in known and word not in one.words]  # fmt: skip
                found[row, column] = sum(shared)
    return np.asarray(
        np.clip(OVERLAP_WEIGHT * (found - found.mean(axis=1, keepdims=True)), -MAX_EVIDENCE, MAX_EVIDENCE)
    )
