"""Scorers: how much a phrase of a text gives away, and a label that would stand there instead, as one quantity.

`risk` says how identifying a phrase is; `cosine` how near a model has it to a protected name, as the thesis does that
this library is named for; `contextual` the same of a sentence encoder, which reads phrases and labels where they stand.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Final, Protocol

import numpy as np
from numpy.typing import NDArray

from embanon.config import CONTEXTUAL, COSINE, ScoreSettings
from embanon.document import Floats, Ints, Phrases
from embanon.errors import ConfigError
from embanon.model import Contextual, Model, Step, unit_rows
from embanon.risk.power import PhrasePowers
from embanon.risk.spans import phrase_spans

Rows = NDArray[np.float32]
Names = tuple[tuple[str, ...], ...]
"""The names of each protected entity, aliases behind the first."""
CONTEXT: Final = 240
"""Characters before and behind what an encoder reads."""
CACHE_SIZE: Final = 1 << 18
"""Labels whose similarities are remembered."""


@dataclass(frozen=True, slots=True, eq=False)
class PhraseRisks:
    """The risks of phrases by one scorer; rows of all columns belong together."""

    risk: Floats
    """Between 0 and 1; NaN where the scorer knows nothing of a phrase."""
    entity: Ints | None = None
    """The number of the entity that each is nearest to, -1 where unknown; `None` where risk is no similarity."""
    name: Ints | None = None
    """Of its names the number of the nearest."""
    steps: Ints | None = None
    """What the vector of each rests on (`Step`); `None` where it is read in its text."""
    unknown_names: tuple[int, ...] = ()
    """The entities of whom no name is known to a scorer that compares with names."""
    has_names: bool = True
    """Whether there was anybody to compare with."""
    is_learned: bool = False
    """Whether risks rest on the labeler's chances, not on rarity."""


class PhraseScorer(Protocol):
    """Says what phrases and labels give away of whom is to be protected."""

    def score_phrases(self, text: str, phrases: Phrases, powers: PhrasePowers, names: Names) -> PhraseRisks:
        """Return the risk of each phrase, if it speaks of whom to protect."""

    def score_labels(self, labels: Sequence[str], around: tuple[str, str], names: Names) -> Floats:
        """Return the risk of each label between what is around it; NaN where nothing is known of it."""


@dataclass(frozen=True, slots=True)
class CosineScorer:
    """The cosine of the vectors of a phrase and of the nearest name: exact, else variant, parts or subwords."""

    model: Model
    _name_rows: dict[Names, Rows] = field(default_factory=dict, init=False, repr=False, compare=False)
    _labels: dict[tuple[str, Names], float] = field(default_factory=dict, init=False, repr=False, compare=False)

    def score_phrases(self, text: str, phrases: Phrases, powers: PhrasePowers, names: Names) -> PhraseRisks:
        """Return the similarity of each phrase by itself, wherever it stands."""
        looked_up = self.model.find([text[start:end] for start, end in phrase_spans(phrases)])
        return _nearest(looked_up.vectors, self._rows_of(names), names, looked_up.steps.astype(np.int64))

    def score_labels(self, labels: Sequence[str], around: tuple[str, str], names: Names) -> Floats:
        """Return the similarity of each label by itself."""
        if len(self._labels) > CACHE_SIZE:
            self._labels.clear()
        if new := [label for label in dict.fromkeys(labels) if (label, names) not in self._labels]:
            risks = _nearest(self.model.find(new).vectors, self._rows_of(names), names).risk
            self._labels.update(zip(((label, names) for label in new), risks.tolist(), strict=True))
        return np.array([self._labels[label, names] for label in labels])

    def _rows_of(self, names: Names) -> Rows:
        return _remembered(self._name_rows, names, lambda flat: unit_rows(self.model.find(flat).vectors))


@dataclass(frozen=True, slots=True)
class ContextualScorer:
    """The cosine of a phrase as an encoder reads it in its text, and of the nearest name."""

    encoder: Contextual
    _name_rows: dict[Names, Rows] = field(default_factory=dict, init=False, repr=False, compare=False)

    def score_phrases(self, text: str, phrases: Phrases, powers: PhrasePowers, names: Names) -> PhraseRisks:
        """Return the similarity of each phrase between what is around it."""
        return _nearest(self._read(text, phrase_spans(phrases)), self._rows_of(names), names)

    def score_labels(self, labels: Sequence[str], around: tuple[str, str], names: Names) -> Floats:
        """Return the similarity of each label between what would be around it."""
        before, after = around[0][-CONTEXT:], around[1][:CONTEXT]
        place = len(before)
        rows = [self._read(f"{before}{label}{after}", [(place, place + len(label))])[0] for label in labels]
        return _nearest(np.array(rows, np.float32).reshape(len(labels), -1), self._rows_of(names), names).risk

    def _read(self, text: str, spans: Sequence[tuple[int, int]]) -> Rows:
        """Return the vectors of spans, each read between as much of the text as a label is."""
        rows = np.zeros((len(spans), self.encoder.dimensions), np.float32)
        for number, (start, end) in enumerate(spans):
            first = max(0, start - CONTEXT)
            rows[number] = self.encoder.in_context(text[first : end + CONTEXT], [(start - first, end - first)])[0]
        return rows

    def _rows_of(self, names: Names) -> Rows:
        return _remembered(self._name_rows, names, lambda flat: np.asarray(self.encoder.vectors(flat)))


def _remembered(known: dict[Names, Rows], names: Names, read: Callable[[list[str]], Rows]) -> Rows:
    """Return the vectors of names, which are those of many labels, and read them once."""
    if (rows := known.get(names)) is None:
        known.clear()  # texts come one after the other
        rows = known[names] = read([name for each in names for name in each])
    return rows


def _nearest(vectors: Rows, name_rows: Rows, names: Names, steps: Ints | None = None) -> PhraseRisks:
    """Compare vectors (rows) with those of names: the nearest one counts, and what points elsewhere is 0."""
    entities = np.array([number for number, each in enumerate(names) for _ in each], np.int64)
    places = np.array([place for each in names for place in range(len(each))], np.int64)
    nothing = np.full(len(vectors), -1)
    if not len(entities):
        return PhraseRisks(np.full(len(vectors), np.nan), nothing, nothing, steps, has_names=False)
    lacking = tuple(number for number in range(len(names)) if np.isnan(name_rows[entities == number, 0]).all())
    cosines = unit_rows(vectors) @ name_rows.T
    best = np.argmax(np.nan_to_num(cosines, nan=-2.0), axis=1)
    nearest = cosines[np.arange(len(vectors)), best].astype(np.float64)
    if lacking:  # which what is far from all others may be near to
        nearest[:] = np.nan
    known = ~np.isnan(nearest)
    return PhraseRisks(
        np.clip(nearest, 0.0, 1.0), np.where(known, entities[best], -1), np.where(known, places[best], -1), steps,
        lacking,
    )  # fmt: skip


def open_scorer(settings: ScoreSettings, model: Model | None) -> PhraseScorer | None:
    """Return the scorer by similarity that the settings name, `None` of risk; what it needs and lacks is an error."""
    if opener := OPENERS.get(settings.effective_scorer):
        return opener(settings, model)
    return None


def _open_cosine(settings: ScoreSettings, model: Model | None) -> PhraseScorer:
    if model is None:
        raise ConfigError("the scorer cosine needs vectors; name a model: --model MODEL, or --model default")
    return CosineScorer(model)


@cache
def _open_encoder(folder: str) -> Contextual:
    return Contextual.open(Path(folder))


def _open_contextual(settings: ScoreSettings, model: Model | None) -> PhraseScorer:
    return ContextualScorer(_open_encoder(settings.encoder))


OPENERS: Final[dict[str, Callable[[ScoreSettings, Model | None], PhraseScorer]]] = {
    COSINE: _open_cosine, CONTEXTUAL: _open_contextual,
}  # fmt: skip
STEP_LABELS: Final = {
    Step.EXACT: "as it is", Step.VARIANT: "in another spelling", Step.PARTS: "by its words",
    Step.SUBWORDS: "by parts of its words", Step.UNKNOWN: "not at all",
}  # fmt: skip
"""What a look-up rests on, in words."""
