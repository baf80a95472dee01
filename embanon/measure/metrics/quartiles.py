"""MAPA's view: how much of what is harmless stays, and how documents differ. Its F2 is `Scores.f(2)`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from embanon.measure.annotations import DocumentPair
from embanon.measure.metrics.share import Share
from embanon.measure.metrics.spans import overlaps, span_array, word_spans

QUARTERS: Final = (0.0, 0.25, 0.5, 0.75, 1.0)


@dataclass(frozen=True, slots=True)
class Quartiles:
    """The values of documents, from the least to the most, and of how many there is one."""

    least: float
    first: float
    median: float
    third: float
    most: float
    documents: int


def specificity(pairs: Sequence[DocumentPair]) -> Share:
    """Return the share of words that nobody marked and that are left (true negatives), micro over annotators."""
    rows = []
    for pair in pairs:
        every = word_spans(pair.gold.text)
        left = ~overlaps(every, span_array(pair.output.mentions))
        harmless = [~overlaps(every, span_array(one.mentions_to_mask)) for one in pair.gold.annotations]
        rows.append((float(sum((left & one).sum() for one in harmless)), float(sum(one.sum() for one in harmless))))
    return Share.from_rows(rows)


def quartiles(share: Share) -> Quartiles | None:
    """Return how the documents' values spread; `None` where no document has one."""
    values = share.values[~np.isnan(share.values)]
    if not len(values):
        return None
    least, first, median, third, most = np.quantile(values, QUARTERS).tolist()
    return Quartiles(least, first, median, third, most, len(values))
