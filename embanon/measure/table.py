"""The table of all measures, by group, with the inputs each requires.

A measure gives a share, whose rows are documents, so that its bounds and its value in each document are known; or the
reason why there is none, which is never 0.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Final

import numpy as np

from embanon.attack import IntervalEstimate
from embanon.measure.annotations import DocumentPair, MaskedDocument, Mention
from embanon.measure.instruments import Instruments
from embanon.measure.metrics import chunks, clinical, coreference, faults, share, tab, truth, words
from embanon.measure.metrics.intervals import f_bounds, share_bounds
from embanon.measure.metrics.share import EQUAL, Scores, Share, rounded
from embanon.measure.metrics.spans import base_language
from embanon.taxonomy import Climber

RECALL_TWICE: Final = 2.0


@dataclass(frozen=True, slots=True)
class Figure:
    """A measure of an output; where there is no value, why."""

    group: str
    name: str
    value: float | None
    bounds: IntervalEstimate | None = None
    reason: str = ""

    def to_dict(self) -> dict[str, Any]:
        """Return value and bounds, or the reason."""
        if self.value is None:
            return {"value": None, "reason": self.reason}
        bounds = self.bounds
        shown = {"low": rounded(bounds.low), "high": rounded(bounds.high), "bounds": bounds.method} if bounds else {}
        return {"value": rounded(self.value), **shown}


@dataclass(frozen=True, slots=True)
class FScore:
    """The mean of precision and recall, of which the second may count more."""

    scores: Scores
    beta: float = EQUAL


Quantity = Share | FScore | float | None
MeasureRow = tuple[str, Quantity, str]
"""The name of a measure, what it gives, and why it may have no value."""
Measure = Callable[[Sequence[DocumentPair], Instruments], Iterator[MeasureRow]]

EMPTY: Final = "there is nothing to count"
UNMARKED: Final = "nothing is to be masked"
UNMASKED: Final = "nothing is masked"
NO_IDENTIFIER_TYPES: Final = "the gold does not tell direct identifiers from others"
NO_SUCH_ENTITY: Final = "the gold has no entity of this kind"
NO_COMMON_TYPE: Final = "gold and output have no type in common"
NO_ENTITY_IDS: Final = "gold and output do not both say which mentions are one entity"
UNREPLACED: Final = "the output has no replacements"


def _precision_recall_f1(scores: Scores, prefix: str = "") -> Iterator[MeasureRow]:
    yield f"{prefix}P", scores.precision, UNMASKED
    yield f"{prefix}R", scores.recall, UNMARKED
    yield f"{prefix}F1", FScore(scores), EMPTY


def _words(pairs: Sequence[DocumentPair], _with: Instruments) -> Iterator[MeasureRow]:
    scores = words.word_scores(pairs)
    yield from _precision_recall_f1(scores)
    yield "F2", FScore(scores, RECALL_TWICE), EMPTY


def _mentions(pairs: Sequence[DocumentPair], _with: Instruments) -> Iterator[MeasureRow]:
    result = words.mention_scores(pairs)
    for name, scores in (("exact", result.exact), ("covered", result.covered)):
        yield from _precision_recall_f1(scores, f"{name} ")
        yield f"{name} F2", FScore(scores, RECALL_TWICE), EMPTY


def _entities(pairs: Sequence[DocumentPair], using: Instruments) -> Iterator[MeasureRow]:
    yield "R", words.entity_recall(pairs), UNMARKED
    both = _has_entities(pair.output.mentions for pair in pairs) and _has_entities(
        one.mentions for pair in pairs for one in pair.gold.annotations
    )
    if both:
        yield from _precision_recall_f1(coreference.b_cubed(pairs), "B3 ")
    else:
        yield "B3 F1", None, NO_ENTITY_IDS
    shares = [
        coreference.availability([pair], _has_broader(using.climber_for(base_language(pair.gold)))) for pair in pairs
    ]
    yield "availability", _joined(shares), UNMARKED


def _joined(shares: Sequence[Share]) -> Share:
    """Put the documents of several shares in a row."""
    return Share(np.concatenate([one.hits for one in shares]), np.concatenate([one.totals for one in shares]))


def _has_broader(climber: Climber) -> coreference.HasBroader:
    def known(phrase: str, type: str) -> bool:
        rungs = climber.climb(phrase, type, form="common" if phrase.islower() else "name").rungs
        return any(not rung.is_bare for rung in rungs)

    return known


def _has_entities(groups: Iterable[Sequence[Mention]]) -> bool:
    return any(one.entity is not None for mentions in groups for one in mentions)


def _tab(pairs: Sequence[DocumentPair], using: Instruments) -> Iterator[MeasureRow]:
    scores = tab.tab_scores(pairs, using.tags, using.information, using.find_uninformative)
    reason = NO_IDENTIFIER_TYPES if scores.direct.value is None and scores.quasi.value is None else NO_SUCH_ENTITY
    yield "ER_di", scores.direct, reason
    yield "ER_qi", scores.quasi, reason
    yield "ER", scores.entities, UNMARKED
    yield "R", scores.recall, UNMARKED
    yield "P", scores.precision, UNMASKED
    yield "WP", scores.weighted, UNMASKED


def _types(pairs: Sequence[DocumentPair], _with: Instruments) -> Iterator[MeasureRow]:
    by_type = words.word_scores_by_type(pairs)
    if set(by_type) <= {words.UNTYPED}:
        yield "by type", None, NO_COMMON_TYPE
        return
    mentions, entities = words.mention_scores_by_type(pairs), words.entity_recall_by_type(pairs)
    for type, scores in by_type.items():
        yield f"{type or 'untyped'} P", scores.precision, "the output has none of this type"
        recalls = {"R": scores.recall, "mentions R": mentions[type].covered.recall, "entities R": entities[type]}
        for name, recall in recalls.items():
            yield f"{type or 'untyped'} {name}", recall, "the gold has none of this type"


def _chunks(pairs: Sequence[DocumentPair], _with: Instruments) -> Iterator[MeasureRow]:
    yield from _precision_recall_f1(chunks.chunk_scores(pairs))


def _spread(pairs: Sequence[DocumentPair], _with: Instruments) -> Iterator[MeasureRow]:
    yield "specificity", words.specificity(pairs), EMPTY
    spread = share.quartiles(words.word_scores(pairs).recall)
    for name in share.QUARTERS:
        yield f"R, {name}", spread.get(name), UNMARKED


def _clinical(pairs: Sequence[DocumentPair], using: Instruments) -> Iterator[MeasureRow]:
    scores = clinical.clinical_scores(pairs, using.count_sentences)
    typed = _types_of(pairs, gold=True) & _types_of(pairs, gold=False)
    yield "NER F1", FScore(scores.entities) if typed else None, EMPTY if typed else NO_COMMON_TYPE
    yield "strict F1", FScore(scores.strict), EMPTY
    yield "merged F1", FScore(scores.merged), EMPTY
    yield "task F1", FScore(scores.task), EMPTY
    yield "leak", scores.leak if typed else None, EMPTY if typed else NO_COMMON_TYPE


def _types_of(pairs: Sequence[DocumentPair], *, gold: bool) -> set[str]:
    groups = (
        (one.mentions_to_mask for pair in pairs for one in pair.gold.annotations)
        if gold
        else (p.output.mentions for p in pairs)
    )
    return {one.type for mentions in groups for one in mentions if one.type}


def _information_kept(pairs: Sequence[DocumentPair], using: Instruments) -> Iterator[MeasureRow]:
    """Return what is left if all that is masked says nothing, and what replacements give back."""
    replaced = _is_replaced(pairs)
    bare = list(map(_without_replacements, pairs))
    yield "utility, suppressed", chunks.utility(bare, using.bits, using.find_phrases), EMPTY
    if replaced:
        yield "utility", chunks.utility(pairs, using.bits, using.find_phrases), EMPTY
    else:
        yield "utility", None, UNREPLACED
    terms = partial(chunks.phrases_and_words, phrases=using.find_phrases)
    kept = chunks.preserved_information(pairs, using.bits, using.similarity, terms)
    yield "TPI", kept.information, EMPTY
    if using.similarity and replaced:
        yield "TPS", kept.meaning, EMPTY
        yield "TPS, compared", kept.compared, "no replacement says more than a type"
    else:
        yield "TPS", None, "no model says how near replacements are: --model" if replaced else UNREPLACED


def _without_replacements(pair: DocumentPair) -> DocumentPair:
    mentions = tuple(replace(one, replacement=None) for one in pair.output.mentions)
    return replace(pair, output=MaskedDocument(pair.output.id, mentions))


def _replacements(pairs: Sequence[DocumentPair], using: Instruments) -> Iterator[MeasureRow]:
    if not _is_replaced(pairs):
        yield "true", None, UNREPLACED
        return
    scores = [truth.truth_scores([pair], using.climber_for(base_language(pair.gold))) for pair in pairs]
    yield "true", _joined([one.true for one in scores]), "of no replacement is it known whether it is true"
    yield "known", _joined([one.known for one in scores]), "no replacement says more than a type"
    yield "faults", faults.grammar_faults(pairs), "there are no rules of grammar for this language"


def _is_replaced(pairs: Sequence[DocumentPair]) -> bool:
    return any(one.replacement for pair in pairs for one in pair.output.mentions)


GROUPS: Final[dict[str, Measure]] = {
    "words": _words,
    "mentions": _mentions,
    "entities": _entities,
    "TAB": _tab,
    "chunks (Hassan)": _chunks,
    "documents (MAPA)": _spread,
    "spans (MEDDOCAN)": _clinical,
    "kept": _information_kept,
    "replacements": _replacements,
    "types": _types,
}
"""Name of a group -> what measures it."""
NOT_FOR_BASELINES: Final = ("replacements", "types")
"""What plain rules do not have."""


def figures(pairs: Sequence[DocumentPair], using: Instruments, *, bounds: bool, seed: int) -> Iterator[Figure]:
    """Return all measures of an output; of plain rules, which have no types, without bounds."""
    for group, measure in GROUPS.items():
        if group in NOT_FOR_BASELINES and not bounds:
            continue
        for name, quantity, reason in measure(pairs, using):
            value, interval = _value(quantity), None
            if bounds and value is not None:
                interval = _bounds(quantity, seed)
            yield Figure(group, name, value, interval, "" if value is not None else reason)


def _value(quantity: Quantity) -> float | None:
    if isinstance(quantity, Share):
        return quantity.value
    value = quantity.scores.f(quantity.beta) if isinstance(quantity, FScore) else quantity
    return None if value is None or np.isnan(value) else value


def _bounds(quantity: Quantity, seed: int) -> IntervalEstimate | None:
    if isinstance(quantity, Share):
        return share_bounds(quantity, seed=seed)
    return f_bounds(quantity.scores, quantity.beta, seed=seed) if isinstance(quantity, FScore) else None
