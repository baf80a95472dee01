"""How near texts of some lengths are: one sentence, a mail, a page.

The fewer words a text has, the farther its score is thrown by one of them. So scores are measured against passages as
long as the text, and what share of these names the entity is learnt for each length. Two views must agree: which words
are spoken where the entity is named, and what is meant there, by vectors of words; a single word that is rare in a
collection, and means nothing of it, convinces only the first.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import ArrayLike

from embanon.leak.regression import Flags, Floats, LogisticCurve

PASSAGE_LENGTHS: Final = (12, 25, 50, 100, 200, 400)
"""Words of passages by which scores are measured."""
USUAL_CURVE: Final = LogisticCurve(1.7, -5.1)
"""What holds where too few documents name an entity to learn it: even at three deviations, which are a thousandth."""
USUAL_COUNT: Final = 5
"""Scores that the usual spread counts for beside those of a few documents."""
PASSAGE_NUMBERS: Final = 7
"""Of a length, as it is stored."""

Spread = tuple[float, float]
"""The middle of scores, and how far they spread."""


@dataclass(frozen=True, slots=True)
class PassageScale:
    """What passages of a length reach that do not name an entity, and how many of each score do."""

    words: float
    """Distinct known words of such a passage."""
    spoken: Spread
    meant: Spread
    curve: LogisticCurve

    @classmethod
    def fit(cls, words: float, spoken: Floats, meant: Floats, curve: LogisticCurve | None = None) -> PassageScale:
        """Measure the scores of other passages; the curve is learnt apart."""
        return cls(words, _spread(spoken), _spread(meant), curve or USUAL_CURVE)

    def nearness(self, spoken: Floats, meant: Floats) -> Floats:
        """Return the mean of both views, in deviations."""
        views = ((spoken - self.spoken[0]) / self.spoken[1], (meant - self.meant[0]) / self.meant[1])
        return np.asarray(np.mean(views, axis=0))


def _spread(scores: Floats) -> Spread:
    return float(scores.mean()), max(float(scores.std()), 1e-9)


def cautious_spread(scores: Floats, usual: Floats) -> Spread:
    """Return the middle of a few scores, and how far they and others like the usual spread; of none, of the usual."""
    middle = float((scores if len(scores) else usual).mean())
    squares = float(((scores - middle) ** 2).sum()) + USUAL_COUNT * float(usual.var())
    return middle, max((squares / (len(scores) + USUAL_COUNT)) ** 0.5, 1e-9)


@dataclass(frozen=True, slots=True)
class PassageScales:
    """The scales of some lengths, from the shortest on; and the length from which a text is a usual document."""

    scales: tuple[PassageScale, ...] = ()
    document_words: float = 0.0

    def is_passage(self, words: Floats) -> Flags:
        """Return whether texts of so many distinct words are shorter than documents are."""
        return words < self.document_words if self.scales else np.zeros(len(words), bool)

    def logits(self, words: Floats, spoken: Floats, meant: Floats, whole: Floats) -> Floats:
        """Return the logits of risks, between those of the next shorter and longer length; `whole` is a document's.

        One word is as near as none: below the shortest length less and less is told.
        """
        known = np.log(np.maximum(words, 1.0))
        at = np.log([1.0, *(scale.words for scale in self.scales), self.document_words])
        table = [scale.curve.logits(scale.nearness(spoken, meant)) for scale in self.scales]
        rows = np.stack([np.full(len(words), self.scales[0].curve.bias), *table, whole])
        upper = np.clip(np.searchsorted(at, known), 1, len(at) - 1)
        share = np.clip((known - at[upper - 1]) / np.maximum(at[upper] - at[upper - 1], 1e-9), 0.0, 1.0)
        columns = np.arange(len(known))
        return np.asarray((1 - share) * rows[upper - 1, columns] + share * rows[upper, columns])

    def to_numbers(self) -> Floats:
        """Return it as it is stored: a row for each length, and one that holds the last number."""
        rows = np.full((len(PASSAGE_LENGTHS) + 1, PASSAGE_NUMBERS), np.nan)
        for place, scale in enumerate(self.scales):
            rows[place] = scale.words, *scale.spoken, *scale.meant, scale.curve.slope, scale.curve.bias
        rows[-1, 0] = self.document_words
        return rows

    @classmethod
    def from_numbers(cls, rows: ArrayLike) -> PassageScales:
        """Take it from where it is stored."""
        table: Sequence[Sequence[float]] = np.asarray(rows, np.float64).tolist()
        scales = tuple(
            PassageScale(words, (spoken, first), (meant, second), LogisticCurve(slope, bias))
            for words, spoken, first, meant, second, slope, bias in table[:-1]
            if not np.isnan(words)
        )
        return cls(scales, table[-1][0])


NO_PASSAGES: Final = PassageScales()
"""Where all texts are measured as documents are."""
