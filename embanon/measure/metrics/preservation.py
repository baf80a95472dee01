"""TPI and TPS (Manzanares-Salor et al. 2024): the information of terms that are kept, and of what stands instead."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from embanon.measure.annotations import DocumentPair
from embanon.measure.metrics.chunks import PhraseFinder, informative_part, phrases_and_words, touched_spans
from embanon.measure.metrics.information import Information
from embanon.measure.metrics.share import Share, share_columns
from embanon.measure.metrics.similarity import Similarity
from embanon.measure.metrics.spans import base_language, overlaps, span_array

SUPPRESSED: Final = 0.0
"""What a suppressed term keeps."""


@dataclass(frozen=True, slots=True, eq=False)
class PreservedInformation:
    """Both measures (their `by_document` is the mean over documents), and what they rest on."""

    information: Share
    """TPI: the information of terms of which nothing is masked, over that of all."""
    meaning: Share
    """TPS: a term that is replaced counts by how near that is; one of which that is not known is left out."""
    compared: Share
    """Replaced terms of which it is known how near what stands there is."""
    bits: str
    similarity: str


def preserved_information(
    pairs: Sequence[DocumentPair],
    information: Information,
    similarity: Similarity,
    of: PhraseFinder = phrases_and_words,
) -> PreservedInformation:
    """Weigh terms; a term that several mentions touch is as the least of them leaves it."""
    shares = share_columns((_row(pair, information, similarity, of) for pair in pairs), 3)
    return PreservedInformation(shares[0], shares[1], shares[2], information.name, similarity.name)


def _row(
    pair: DocumentPair, information: Information, similarity: Similarity, of: PhraseFinder
) -> list[tuple[float, float]]:
    gold, language = pair.gold, base_language(pair.gold)
    spans = of(gold.text, language)
    bits = information.weigh(gold.text, spans, language)
    alone = ~overlaps(spans, span_array(pair.output.mentions))
    near, replaced = np.where(alone, 1.0, np.nan), np.zeros(len(spans), np.bool_)
    for one, (first, last) in zip(pair.output.mentions, touched_spans(spans, pair.output.mentions), strict=True):
        new = informative_part(one.replacement)
        value = similarity.similarity(gold.text[one.start : one.end], new) if new else SUPPRESSED
        near[first:last] = np.fmin(near[first:last], np.nan if value is None else min(max(value, 0.0), 1.0))
        replaced[first:last] |= bool(new)
    known = ~np.isnan(near)
    return [
        (float(bits[alone].sum()), float(bits.sum())),
        (float((bits * near)[known].sum()), float(bits[known].sum())),
        (float((replaced & known).sum()), float(replaced.sum())),
    ]
