"""What documents disclose of each entity of a policy: by their strongest phrase, and by all together.

Whoever is named is disclosed. Whatever has a meaning, or texts that describe it, is disclosed also by what hints at it:
by all phrases of the document together, so that ten weak hints count, and the same strong one ten times does not. That
risk is shared out among the phrases that it comes from, so that who reads the document knows what it discloses:
`1 - (1 - risk) * (1 - risk) * …` over the distinct phrases that are kept is the risk of the document.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from typing import Final

import numpy as np

from embanon.config import Config
from embanon.document import Document
from embanon.entities import Entity, Span, find_mentions, find_name, find_word, fold_text, joined_names
from embanon.language import key, words_of
from embanon.leak.copies import CopyIndex
from embanon.leak.copy_search import NearCopy, find_copies
from embanon.leak.copy_sources import add_samples
from embanon.leak.hints import NearEntity, NearResult, PolicyHints
from embanon.leak.ledger.records import UNKNOWN_SENSITIVITY, EntityDisclosure, RiskyPhrase
from embanon.leak.name_index import NameIndex
from embanon.leak.policy import Policy
from embanon.leak.regression import Ints
from embanon.leak.sensitivity import SensitivityModel
from embanon.model import Model, open_model
from embanon.risk import TOPIC, ScoredPhrases, Scorer
from embanon.text import NO_STATISTICS, Analysis, VisibleText, find_all

PERSON: Final = "PERSON"
MAX_PHRASES: Final = 12
"""The most phrases of a document that are kept for an entity, from the most telling one."""
RISK_DIGITS: Final = 9
"""Digits of a risk: what a product of matrices rounds off is not shown."""


@dataclass(frozen=True, slots=True)
class Assessment:
    """What a document discloses, its length, and how many of its words are unknown, or `MOSTLY_UNKNOWN`."""

    disclosed: tuple[tuple[int, EntityDisclosure], ...] = field(repr=False)
    """By number of the entity."""
    length: int
    unknown: int
    sensitivity: float | None = None
    """The probability that it is sensitive as a whole; -1 where most words are unknown, `None` if nobody asks."""
    copied_from: bytes | None = field(default=None, repr=False)
    """What the ledger knows the document by of which it has the nearest copy."""


def entity_language(config: Config) -> str:
    """Return the language of names and hints."""
    return config.phrases.default_language if config.language == "auto" else config.language


@dataclass(frozen=True, slots=True)
class Assessor:
    """Assesses what documents disclose of entities, numbered as the policy has them."""

    entities: tuple[Entity, ...] = field(repr=False)
    minimum_risk: float
    config: Config
    model: Model | None = None
    hint_scorer: PolicyHints | None = field(default=None, repr=False)
    """Scores documents that do not name an entity; without it names alone count."""
    sensitivity_model: SensitivityModel | None = field(default=None, repr=False)
    """Scores how sensitive whole documents are."""
    copy_index: CopyIndex | None = field(default=None, repr=False)
    """Finds passages of documents that disclose an entity, where the text does not name it."""
    _name_finders: dict[str, _NameFinder] = field(init=False, default_factory=dict, repr=False)

    @classmethod
    def open(
        cls, policy: Policy, folder: Path, config: Config, model: str | None, hints: Path | None,
        sensitivity: Path | None, minimum_risk: float, copies: Path | None = None,
    ) -> Assessor:  # fmt: skip
        """Open what documents are assessed by; `folder` is that of the policy, where its samples lie."""
        entities = policy.scored_entities(folder)
        return cls(
            entities,
            minimum_risk,
            config,
            open_model(model) if model else None,
            PolicyHints.load(hints, entities, entity_language(config)) if hints else None,
            SensitivityModel.load(sensitivity) if sensitivity else None,
            cls._open_copies(copies, entities, entity_language(config)),
        )

    @staticmethod
    def _open_copies(path: Path | None, entities: tuple[Entity, ...], language: str) -> CopyIndex | None:
        """Open what near copies are found by: documents of a file, and samples."""
        known = CopyIndex.load(path, entities, language) if path else CopyIndex.empty()
        return add_samples(known, entities, language) or None

    def assess(self, documents: Iterable[Document], *, names_alone: bool = False) -> list[Assessment]:
        """Return what each document discloses; `names_alone` leaves out hints and sensitivity."""
        statistics = self.model.statistics if self.model is not None else NO_STATISTICS
        analyses = list(find_all(documents, config=self.config, statistics=statistics))
        texts = [(one.document.text, one.phrases) for one in analyses]
        results = [NearResult()] * len(texts)
        if self.hint_scorer and not names_alone:
            results = self.hint_scorer.find_near(texts, self.minimum_risk)
        opinions = [None] * len(texts) if names_alone else self._predict_sensitivity([text for text, _ in texts])
        named = [self._find_names(one) for one in analyses]
        copies: Sequence[tuple[NearCopy, ...]] = [()] * len(texts)
        if self.copy_index is not None and not names_alone:
            copies = find_copies(self.copy_index, [text for text, _ in texts], named)
        return [
            replace(self._assess_document(analysis, names, result, near), sensitivity=opinion)
            for analysis, names, result, near, opinion in zip(analyses, named, results, copies, opinions, strict=True)
        ]

    def _predict_sensitivity(self, texts: Sequence[str]) -> list[float | None]:
        """Return the probability that each text is sensitive; 0 for one without any word."""
        if self.sensitivity_model is None:
            return [None] * len(texts)
        known = np.nan_to_num(self.sensitivity_model.predict(texts), nan=UNKNOWN_SENSITIVITY).round(RISK_DIGITS)
        stated = zip(known.tolist(), texts, strict=True)
        return [one if one >= 0 or words_of(key(text)) else 0.0 for one, text in stated]

    def _find_names(self, analysis: Analysis) -> dict[int, list[RiskyPhrase]]:
        """Return the names of entities, and the phrases that speak of them."""
        language = analysis.language
        finder = self._name_finders.get(language)
        if finder is None:
            finder = self._name_finders[language] = _NameFinder.build(self.entities, language, self.config, self.model)
        seen = defaultdict[int, list[RiskyPhrase]](list)
        for number, phrase in finder.find_names(analysis, self.minimum_risk):
            seen[number].append(phrase)
        return seen

    def _assess_document(
        self, analysis: Analysis, named: dict[int, list[RiskyPhrase]], hinted: NearResult, copies: Sequence[NearCopy]
    ) -> Assessment:
        text = analysis.document.text
        starts, ends = analysis.phrases.start, analysis.phrases.end
        seen = defaultdict[int, list[RiskyPhrase]](list, named)
        risks = dict.fromkeys(named, 1.0)
        likeliest = {near.entity: near for near in hinted.near}
        copied = dict[int, NearCopy]()
        for copy in copies:
            weaker = copy.entity not in likeliest or likeliest[copy.entity].risk <= copy.risk
            if copy.risk >= self.minimum_risk and weaker:
                copied[copy.entity] = copy
                likeliest[copy.entity] = _copied_phrases(copy, text, starts, ends)
        for near in likeliest.values():
            risks.setdefault(near.entity, max(round(near.risk, RISK_DIGITS), 10.0**-RISK_DIGITS))
            places = near.places[:MAX_PHRASES].tolist()
            for place, risk in zip(places, split_risk(near.risk, near.shares[:MAX_PHRASES].tolist()), strict=True):
                start, end = int(starts[place]), int(ends[place])
                seen[near.entity] += [RiskyPhrase(text[start:end], risk, start, end)] if risk > 0 else []
        disclosed = tuple(
            (number, self._build_disclosure(number, risks[number], seen[number], copied.get(number)))
            for number in sorted(risks)
        )
        keys = [self.copy_index.keys[one.source] for one in sorted(copied.values(), key=lambda one: -one.risk)
                ] if self.copy_index is not None else []  # fmt: skip
        return Assessment(disclosed, len(text), hinted.unknown, copied_from=next(filter(any, keys), None))

    def _build_disclosure(
        self, number: int, risk: float, seen: Sequence[RiskyPhrase], copy: NearCopy | None
    ) -> EntityDisclosure:
        phrases = _distinct_phrases(seen)
        source = self.copy_index.names[copy.source] if copy is not None and self.copy_index is not None else None
        return EntityDisclosure(
            self.entities[number].name, max((one.risk for one in phrases), default=0.0), min(risk, 1.0), phrases,
            near_copy_of=source,
        )  # fmt: skip


def _copied_phrases(copy: NearCopy, text: str, starts: Ints, ends: Ints) -> NearEntity:
    """Return the phrases that a near copy shares with its source, and what each brings, most first."""
    if not len(starts):
        return NearEntity(copy.entity, copy.risk, np.zeros(0, np.int64), np.zeros(0))
    begins = np.array([start for start, _ in copy.spans(text)], np.int64)
    places = np.maximum(np.searchsorted(starts, begins, "right") - 1, 0)
    inside = (starts[places] <= begins) & (begins < ends[places])
    shares = np.bincount(places[inside], copy.weights[inside], len(starts)).astype(np.float64)
    telling = np.flatnonzero(shares)
    telling = telling[np.argsort(-shares[telling], kind="stable")]
    return NearEntity(copy.entity, copy.risk, telling, shares[telling])


def split_risk(risk: float, weights: Sequence[float]) -> list[float]:
    """Share a risk out, so that all shares together make it up again."""
    total = sum(weights)
    return [float(-np.expm1(np.log1p(-min(risk, 1 - 1e-12)) * weight / total)) for weight in weights] if total else []


def _distinct_phrases(seen: Iterable[RiskyPhrase]) -> tuple[RiskyPhrase, ...]:
    """Return the riskiest of the same phrases, most telling first."""
    distinct = dict[str, RiskyPhrase]()
    for phrase in sorted(seen, key=lambda one: (-one.risk, one.start)):
        distinct.setdefault(key(str(phrase.phrase)), phrase)
    return tuple(distinct.values())[:MAX_PHRASES]


# Names


@dataclass(frozen=True, slots=True)
class _NameFinder:
    """Finds the entities that documents of a language name, and the phrases that speak of them."""

    entities: tuple[Entity, ...] = field(repr=False)
    index: NameIndex
    scorer: Scorer

    @classmethod
    def build(cls, entities: tuple[Entity, ...], language: str, config: Config, model: Model | None) -> _NameFinder:
        """Index the entities."""
        settings = replace(config.score, preset="standard", scorer="risk", others="keep")
        return cls(entities, NameIndex.build(entities, language), Scorer(language, model, settings))

    def find_names(self, analysis: Analysis, least: float) -> Iterator[tuple[int, RiskyPhrase]]:
        """Return the names of entities, and the phrases that speak of them, with what each risks."""
        text = analysis.document.text
        visible = VisibleText.from_text(text)
        low = fold_text(visible.text)
        numbers = self.index.find_entities(low)
        if not numbers:
            return
        people = [number for number in numbers if self.entities[number].type != TOPIC]
        scored = self.scorer.score(
            text, analysis.phrases, analysis.sentences, [self.entities[number] for number in people]
        ) if people else None  # fmt: skip
        named = {number: visible.spans(self._find_spans(number, visible.text, low)) for number in numbers}
        for number, person in zip(people, scored.people if scored else (), strict=False):
            if self.entities[number].type == PERSON:  # whom a part of a name means is known by the names of others
                named[number] += person.spans
        there = dict(self._drop_ambiguous(text, named))
        for number, spans in there.items():
            yield from ((number, RiskyPhrase(text[start:end], 1.0, start, end)) for start, end in spans)
        if scored:
            yield from self._find_attributed(text, scored, people, there, least)

    def _find_spans(self, number: int, text: str, low: str) -> list[Span]:
        """Find the names of an entity: of a person those that are run together, whose others are known by phrases."""
        entity = self.entities[number]
        spans = [span for name in joined_names(entity) for span in find_word(low, name, whole=False)]
        return spans if entity.type == PERSON else [*spans, *find_mentions(entity, text, low, self.scorer.language)]

    def _drop_ambiguous(self, text: str, named: Mapping[int, Sequence[Span]]) -> Iterator[tuple[int, list[Span]]]:
        """Leave out parts of names that tell nobody, or stand in a whole name of another."""
        folded = {span: _folded_visible(text[slice(*span)]) for spans in named.values() for span in spans}
        written = {number: {span: folded[span] for span in spans} for number, spans in named.items()}
        whole = {
            span: number for number, spans in written.items() for span, low in spans.items()
            if any(next(find_name(low, name), None) for name in map(fold_text, self.entities[number].names))
        }  # fmt: skip
        for number, spans in written.items():
            kept = [span for span, low in spans.items() if number in self.index.find_entities(low) and (
                whole.get(span) == number
                or not any(start <= span[0] and span[1] <= end and of != number for (start, end), of in whole.items())
            )]  # fmt: skip
            if kept:
                yield number, sorted({*kept, *(span for span in spans if self.entities[number].type == PERSON)})

    def _find_attributed(
        self, text: str, scored: ScoredPhrases, people: Sequence[int], there: Mapping[int, Sequence[Span]], least: float
    ) -> Iterator[tuple[int, RiskyPhrase]]:
        """Return the phrases that speak of who is named."""
        risks = np.nan_to_num(scored.risk, nan=1.0)
        for place in np.flatnonzero((risks >= least) & (scored.owner >= 0)).tolist():
            number = people[int(scored.owner[place])]
            if number in there:
                phrase = scored.phrases[place]
                written = text[phrase.start : phrase.end]
                yield number, RiskyPhrase(written, min(float(risks[place]), 1.0), phrase.start, phrase.end)


@lru_cache(maxsize=1 << 16)
def _folded_visible(written: str) -> str:
    """Return a name as readers see it, folded."""
    return fold_text(VisibleText.from_text(written).text)
