"""Attacks on anonymized texts with public text about candidates: how often is the right one found?

A number alone says little, so that each attack stands beside its floors: chance, and the same attack on the originals
and on originals in which nothing but the name is masked.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

import numpy as np

from embanon.attack.clues import Clue, TextAttacker
from embanon.attack.infill import BackgroundPhrases
from embanon.attack.intervals import IntervalEstimate, estimate_mean
from embanon.attack.learners import TextVectorizer
from embanon.attack.public import ATTACKERS, NOBODY, PublicTexts, Target
from embanon.config import Config
from embanon.document import Document, Phrase
from embanon.entities import Entity, find_mentions, fold_text, merge_spans
from embanon.errors import ConfigError
from embanon.language import TRAILING_BRACKET
from embanon.linkage import (
    Floats,
    Ints,
    calibrate,
    effective_candidates,
    posterior,
    ranks,
    remove_spans,
    top_probability,
)
from embanon.model import Model
from embanon.text import find_all, load_grammar

__all__ = ["ATTACKERS", "AttackResult", "AttackSummary", "PublicTexts", "Target", "attack"]

TOP: Final = 5
CLUES: Final = 5
LEAVE_ONE_OUT_LIMIT: Final = 20
"""Up to so many documents, each is calibrated on all others; more are in two folds."""
CELLS: Final = 1 << 26
"""Scores that are held at once, documents times candidates: half a gigabyte, and a few times that while they turn into
probabilities."""
ANONYMIZED, ORIGINALS, NAMES_MASKED = "anonymized", "originals", "names masked"


@dataclass(frozen=True, slots=True)
class AttackResult:
    """What an attack says of one document; probabilities are calibrated on other documents, `None` without any."""

    id: str
    rank: float | None
    """Of the true candidate, from 1, ties at their mean; `None` where that candidate is unknown."""
    ties: int
    """How many candidates share the rank; 1 is no tie."""
    probability: float | None
    """That the attacker gives the true candidate."""
    confidence: float | None
    """That the attacker gives their first guess."""
    effective: float | None
    """Number of candidates."""
    guess: str | None = field(repr=False)
    """Who comes first; `None` where several do."""
    clues: tuple[Clue, ...] = ()
    """What speaks most for the true candidate, or for the first guess where that is not known."""

    def probability_in_top(self, top: int) -> float | None:
        """Return whether the candidate is among the first; among those who tie across the cut, by chance."""
        return None if self.rank is None else float(top_probability(self.rank, self.ties, top))

    def to_dict(self, *, original: bool = False) -> dict[str, Any]:
        """Return the fields by name; the name of the guess, and what clues say, only where it is asked for."""
        numbers = {name: getattr(self, name) for name in ("rank", "probability", "confidence", "effective")}
        shown: dict[str, Any] = {name: None if one is None else round(one, 4) for name, one in numbers.items()}
        shown["clues"] = [clue.to_dict(original=original) for clue in self.clues]
        return {"id": self.id, **shown} | ({"guess": self.guess} if original else {})


@dataclass(frozen=True, slots=True)
class AttackSummary:
    """What one attacker finds in one version of the documents; bounds are over documents."""

    attacker: str
    version: str
    """`anonymized`, or a floor: `originals`, `names masked`."""
    candidates: int
    documents: int
    known: int
    """Documents whose true candidate is known: the others count for the confidence alone."""
    top: int
    top_1: IntervalEstimate | None
    """How often the true candidate is ranked first; like all means `None` where there is nothing to take it of."""
    top_n: IntervalEstimate | None
    """How often among the first `top`."""
    mean_reciprocal_rank: IntervalEstimate | None
    """The mean of 1 / rank."""
    effective: IntervalEstimate | None
    """Number of candidates."""
    confidence: IntervalEstimate | None
    results: tuple[AttackResult, ...] = field(default=(), repr=False)

    @property
    def chance(self) -> float:
        """Return how often guessing finds the true one."""
        return 1 / self.candidates

    def to_dict(self, *, original: bool = False) -> dict[str, Any]:
        """Return the fields by name, with all documents."""
        estimates = {
            "top_1": self.top_1, f"top_{self.top}": self.top_n, "mrr": self.mean_reciprocal_rank,
            "effective": self.effective,
            "confidence": self.confidence,
        }  # fmt: skip
        head = {name: getattr(self, name) for name in ("attacker", "version", "candidates", "documents", "known")}
        numbers = {name: one.to_dict() if one else None for name, one in estimates.items()}
        results = [one.to_dict(original=original) for one in self.results]
        return {**head, "chance": round(self.chance, 6), **numbers, "by_document": results}


def attack(
    documents: Sequence[Target], background: PublicTexts, attackers: Mapping[str,
    TextAttacker] | Sequence[str] = ("tfidf",), *,
    top: int = TOP, clues: int = CLUES, model: Model | None = None, vectors: TextVectorizer | None = None,
) -> tuple[AttackSummary, ...]:  # fmt: skip
    """Let attackers, by name or ready, look for whom documents are about; floors stand behind each attack.

    Floors are there if each document has its original.
    """
    true = np.array([background.candidate_number(one) for one in documents], np.int64)
    if not (true != NOBODY).any():
        raise ConfigError(
            "of no document it is known which candidate it is about; say it: --truth FILE, or by 'entity' in its line"
        )
    if top < 1:
        raise ConfigError("the true candidate is looked for among the first 1 or more; give a higher number")
    if len(documents) * len(background.names) > CELLS:
        raise ConfigError("there are too many documents for so many candidates; attack them in parts")
    if isinstance(attackers, Mapping):
        readers = dict(attackers)
    else:
        readers = {name: background.create_attacker(name, model, vectors) for name in attackers}
    versions = {ANONYMIZED: [one.text for one in documents], **_baseline_texts(documents, background)}
    ids = [one.id for one in documents]
    return tuple(
        _run_attack(name, reader, version, ids, texts, true, background, top, clues if version == ANONYMIZED else 0)
        for name, reader in readers.items()
        for version, texts in versions.items()
    )  # fmt: skip


def _baseline_texts(documents: Sequence[Target], background: PublicTexts) -> dict[str, list[str]]:
    """Return the originals, and the originals without the names of whom they are about."""
    originals = [one.original for one in documents if one.original is not None]
    if len(originals) < len(documents):
        return {}
    masked = list(originals)
    for place, (document, text) in enumerate(zip(documents, originals, strict=True)):
        if document.truth:
            names = find_mentions(Entity(document.truth, document.aliases), text, fold_text(text), background.language)
            masked[place] = remove_spans(text, merge_spans(names))
    return {ORIGINALS: originals, NAMES_MASKED: masked}


def _run_attack(
    name: str, reader: TextAttacker, version: str, ids: Sequence[str], texts: Sequence[str], true: Ints,
    background: PublicTexts,
    top: int, clues: int,
) -> AttackSummary:  # fmt: skip
    """Let one attacker read one version of the documents."""
    rows = np.stack([reader.scores(text) for text in texts])
    results = rank_documents(rows, true, ids, background.names)
    if clues:
        aims = np.where(true == NOBODY, rows.argmax(axis=1), true).tolist()
        results = [
            replace(result, clues=tuple(reader.clues(text, aim, row)[:clues]))
            for result, text, aim, row in zip(results, texts, aims, rows, strict=True)
        ]  # fmt: skip
    return summarize_attack(name, version, results, len(background.names), top)


def rank_documents(rows: Floats, true: Ints, ids: Sequence[str], names: Sequence[str]) -> list[AttackResult]:
    """Return how each document's candidate is ranked, and what the attacker believes, from a row of scores each."""
    known = true != NOBODY
    rank = np.full(len(true), np.nan)
    rank[known] = ranks(rows[known], true[known])
    chances = probabilities(rows, true)
    return [
        AttackResult(
            id, float(rank[place]) if known[place] else None,
            int((rows[place] == rows[place, true[place]]).sum()) if known[place] else 0,
            float(chances[place, true[place]]) if chances is not None and known[place] else None,
            float(chances[place].max()) if chances is not None else None,
            effective_candidates(chances[place]) if chances is not None else None,
            names[int(rows[place].argmax())] if (rows[place] == rows[place].max()).sum() == 1 else None,
        )
        for place, id in enumerate(ids)
    ]  # fmt: skip


def probabilities(rows: Floats, true: Ints) -> Floats | None:
    """Turn scores into probabilities, those of each document by what is learnt from others; `None` without others."""
    known = np.flatnonzero(true != NOBODY)
    if len(known) < 2:
        return None
    folds = len(known) if len(known) <= LEAVE_ONE_OUT_LIMIT else 2
    believed = posterior(rows, calibrate(rows[known], true[known]).temperature)
    for fold in range(folds):
        rest, learnt = known[fold::folds], np.delete(known, np.s_[fold::folds])
        believed[rest] = posterior(rows[rest], calibrate(rows[learnt], true[learnt]).temperature)
    return believed


def summarize_attack(
    name: str, version: str, results: Sequence[AttackResult], candidates: int, top: int
) -> AttackSummary:
    """Take means over documents, with their bounds."""
    known = [one for one in results if one.rank is not None]
    first, among = (_mean_interval(one.probability_in_top(most) for one in known) for most in (1, top))
    reciprocal = _mean_interval(1 / one.rank for one in known if one.rank)
    hidden = _mean_interval((one.effective for one in known), least=1.0, most=float(candidates))
    sure = _mean_interval(one.confidence for one in results)
    return AttackSummary(
        name, version, candidates, len(results), len(known), top, first, among, reciprocal, hidden, sure, tuple(results)
    )  # fmt: skip


def _mean_interval(values: Iterable[float | None], least: float = 0.0, most: float = 1.0) -> IntervalEstimate | None:
    """Take the mean of what is known."""
    known = np.array([one for one in values if one is not None], np.float64)
    return estimate_mean(known, least=least, most=most) if len(known) else None


def classify_phrases(phrases: Sequence[str], model: Model, config: Config) -> Iterable[Phrase | None]:
    """Yield what each phrase is when it stands alone; `None` where it is not exactly one phrase."""
    documents = (Document("", one, config.language) for one in phrases)
    analyses = find_all(documents, config=config, statistics=model.statistics, layers=load_grammar)
    for written, analysis in zip(phrases, analyses, strict=True):
        yield next((one for one in analysis.phrases if (one.start, one.end) == (0, len(written))), None)


def read_background_phrases(public: PublicTexts, model: Model, config: Config) -> BackgroundPhrases:
    """Find the phrases of public text, the candidates' names among them."""
    documents = [
        Document("", f"{TRAILING_BRACKET.sub('', name).strip() or name}.\n\n{text}", config.language)
        for name, text in zip(public.names, public.texts, strict=True)
    ]
    analyses = find_all(documents, config=config, statistics=model.statistics)
    return BackgroundPhrases(public.create_attacker("tfidf"), (
        [(one.document.text[phrase.start : phrase.end], phrase) for phrase in one.phrases] for one in analyses
    ))  # fmt: skip


def certainty_order(result: AttackResult) -> tuple[bool, float, float, str]:
    """Return what documents are sorted by, the one that is found most surely first.

    Last those of which none is known.
    """
    return result.rank is None, result.rank or 0.0, -(result.probability or result.confidence or 0.0), result.id
