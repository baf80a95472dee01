"""Say what documents disclose of each of the entities of a policy: by their strongest phrase, and by all together.

Whoever is named is disclosed. Whatever has a meaning, or texts that describe it, is disclosed also by what is near to
it: by all phrases of the document together, so that ten weak hints count, and the same strong one ten times does not.
Its risk is shared out among the phrases that it comes from, so that who reads the document knows what it discloses:
`1 - (1 - risk) * (1 - risk) * …` over the distinct phrases that are kept is the risk of the document.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final, Protocol

import numpy as np

from embanon.config import Config
from embanon.document import Document, Phrases
from embanon.entities import Entity, folded, spans_of
from embanon.leak.ledger_rows import Disclosed, Seen
from embanon.leak.names import Index
from embanon.leak.near import Told, Topics
from embanon.model.keys import key
from embanon.model.model import Model
from embanon.pipeline import NOTHING, Analysis, find_all
from embanon.score import TOPIC, Limits, Scorer
from embanon.topic_calibration import Calibration
from embanon.visible import Visible

KEPT: Final = 12
"""Phrases of a document that are kept for an entity: the most telling ones."""
DIGITS: Final = 9
"""Digits of a risk: rounding inside a product of matrices is not said."""


class Nearness(Protocol):
    """Whatever says how near texts are to entities, by number."""

    def told(self, texts: Sequence[tuple[str, Phrases]], least: float) -> list[Told]:
        """Say what texts tell of entities, as far as that is at or above a risk."""


@dataclass(frozen=True, slots=True)
class Assessed:
    """What a document discloses, how long it is, and how many of its phrases are unknown."""

    disclosed: tuple[tuple[int, Disclosed], ...] = field(repr=False)
    """By number of the entity."""
    length: int
    unknown: int


@dataclass(frozen=True, slots=True)
class Assessor:
    """Says what documents disclose of entities, numbered as the policy has them."""

    entities: tuple[Entity, ...] = field(repr=False)
    least: float
    config: Config
    model: Model | None = None
    near: Nearness | None = field(default=None, repr=False)
    """What says how near documents are that do not name an entity; without it names alone count."""
    _named: dict[str, _Named] = field(init=False, default_factory=dict, repr=False)

    @classmethod
    def of(cls, entities: Sequence[Entity], least: float, config: Config, model: Model | None = None) -> Assessor:
        """Open what assesses by a model; one that was trained on documents says also what is near."""
        meant = [
            (number, one) for number, one in enumerate(entities) if one.type == TOPIC or one.description or one.samples
        ]
        measures = model is not None and len(model.documents) > 0
        near = Topics.of(meant, Calibration.of(model)) if model is not None and measures and meant else None
        return cls(tuple(entities), least, config, model, near)

    def assess(self, documents: Iterable[Document]) -> list[Assessed]:
        """Say what each document discloses."""
        statistics = self.model.statistics if self.model is not None else NOTHING
        found = list(find_all(documents, config=self.config, statistics=statistics))
        texts = [(one.document.text, one.phrases) for one in found]
        told = self.near.told(texts, self.least) if self.near else [Told((), (), 0)] * len(found)
        return [self._assessed(one, some) for one, some in zip(found, told, strict=True)]

    def _assessed(self, analysis: Analysis, told: Told) -> Assessed:
        text, language = analysis.document.text, analysis.language
        named = self._named.get(language)
        if named is None:
            named = self._named[language] = _Named.of(self.entities, language, self.config, self.model)
        bounds = _bounds(analysis.phrases)
        seen = defaultdict[int, list[Seen]](list)
        for number, one in named.told(analysis, self.least):
            seen[number].append(one)
        for number, place in told.naming:
            start, end = bounds(place)
            seen[number].append(Seen(text[start:end], 1.0, start, end))
        risks = dict.fromkeys(seen, 1.0)
        for near in told.near:
            risks.setdefault(near.topic, round(near.risk, DIGITS))
            places = near.places[:KEPT].tolist()
            for place, risk in zip(places, shared(near.risk, near.shares[:KEPT].tolist()), strict=True):
                start, end = bounds(place)
                seen[near.topic].append(Seen(text[start:end], risk, start, end))
        disclosed = tuple((number, self._disclosed(number, risks[number], seen[number])) for number in sorted(risks))
        return Assessed(disclosed, len(text), told.unknown)

    def _disclosed(self, number: int, risk: float, seen: Sequence[Seen]) -> Disclosed:
        phrases = tuple(_distinct(seen))
        return Disclosed(
            self.entities[number].name, max((one.risk for one in phrases), default=0.0), min(risk, 1.0), phrases
        )


def shared(risk: float, weights: Sequence[float]) -> list[float]:
    """Share a risk out, so that all shares together make it up again."""
    total = sum(weights)
    return [float(-np.expm1(np.log1p(-min(risk, 1 - 1e-12)) * weight / total)) for weight in weights] if total else []


def _bounds(phrases: Phrases) -> Callable[[int], tuple[int, int]]:
    return lambda place: (int(phrases.start[place]), int(phrases.end[place]))


def _distinct(seen: Iterable[Seen]) -> Iterator[Seen]:
    """Give the riskiest of the same phrases, most telling first."""
    known = set[str]()
    for one in sorted(seen, key=lambda one: (-one.risk, one.start)):
        said = key(str(one.phrase))
        if said not in known and len(known) < KEPT:
            known.add(said)
            yield one


# Names


@dataclass(frozen=True, slots=True)
class _Named:
    """Says whom documents of a language name, and what they say of them."""

    entities: tuple[Entity, ...] = field(repr=False)
    index: Index
    scorer: Scorer

    @classmethod
    def of(cls, entities: tuple[Entity, ...], language: str, config: Config, model: Model | None) -> _Named:
        """Index the entities."""
        wanted = config.score
        limits = Limits(wanted.attribution_limit, 0.0, "risk", wanted.lowest, wanted.limits.given())
        return cls(entities, Index.of(entities, language), Scorer(language, model, limits))

    def told(self, analysis: Analysis, least: float) -> Iterator[tuple[int, Seen]]:
        """Give the names of entities, and the phrases that speak of them, with what each risks."""
        visible = Visible.of(analysis.document.text)
        low = folded(visible.text)
        found = self.index.among(low)
        things = [number for number in found if self.entities[number].type == TOPIC]
        for number in things:
            spans = spans_of(self.entities[number], visible.text, low, self.scorer.language)
            telling = [span for span in spans if number in self.index.names.get(low[slice(*span)], ())]
            for start, end in visible.spans(telling):
                yield number, Seen(analysis.document.text[start:end], 1.0, start, end)
        if people := [number for number in found if self.entities[number].type != TOPIC]:
            yield from self._people(analysis, people, least)

    def _people(self, analysis: Analysis, numbers: Sequence[int], least: float) -> Iterator[tuple[int, Seen]]:
        text = analysis.document.text
        scored = self.scorer.score(
            text, analysis.phrases, analysis.sentences, [self.entities[number] for number in numbers]
        )
        there = dict[int, int]()
        for place, (number, one) in enumerate(zip(numbers, scored.people, strict=False)):
            for start, end in one.spans:
                there[place] = number
                yield number, Seen(text[start:end], 1.0, start, end)
        risks = np.nan_to_num(scored.risk, nan=1.0)
        for place in np.flatnonzero((risks >= least) & np.isin(scored.owner, list(there))).tolist():
            phrase = scored.phrases[place]
            risk = min(float(risks[place]), 1.0)
            yield there[int(scored.owner[place])], Seen(text[phrase.start : phrase.end], risk, phrase.start, phrase.end)
