"""Score a text: how much each phrase gives away about whom or what is protected.

Identity: what is powerful enough and speaks of the entity. Names of the entity, and tokens that hold one (addresses,
hashtags, names of files), are 1. A second pass carries the risk that a phrase has once for an owner to where it, or
another name of the same, stands again with that owner.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Final

import numpy as np

from embanon.config import RiskLimits, ScoreSettings
from embanon.document import FORMS, TYPES, Flags, Floats, Ints, Phrases
from embanon.entities import (
    Entity,
    EntityMentions,
    PhraseGroups,
    PresentEntity,
    find_present_entities,
    fold_text,
    group_phrases,
)
from embanon.errors import ConfigError
from embanon.language import Frequencies, key
from embanon.model import Model
from embanon.risk.attribution import attribute, sample_overlap
from embanon.risk.identifying import IdentifyingScorer
from embanon.risk.power import CorpusRarity, LanguageRarity, PhrasePowers, Rarity, measure_powers
from embanon.risk.scorers import Names, PhraseRisks, PhraseScorer, open_scorer
from embanon.risk.spans import add_name_phrases, add_rare_words, overlaps_any
from embanon.risk.topic_model import TopicModel
from embanon.risk.topics import measure_topic_risk
from embanon.text import VisibleText, is_guess

COMMON, NAME = (FORMS.index(form) for form in ("common", "name"))
TOPIC: Final = "TOPIC"
"""The type of what is not named, but spoken of: a project, an illness, a belief."""


@dataclass(frozen=True, slots=True, eq=False)
class ScoredPhrases:
    """The phrases of a text with their risks, and why; rows of all columns belong together."""

    phrases: Phrases
    risk: Floats
    """Between 0 and 1; NaN where nothing is known of any part of a phrase, which is above any limit."""
    owner: Ints
    """The number of the entity that a phrase is riskiest for; -1 where for none."""
    powers: PhrasePowers
    attribution: Floats
    """How likely a phrase speaks of its owner."""
    named: Flags
    """Whether it holds a name of a protected entity."""
    is_repeated: Flags
    """Whether its risk is that of another place where the same stands."""
    topical: Flags
    """Whether its risk is what it tells of a topic."""
    linked: Flags
    """Whether it is masked because an attacker with public text would find the entity by it."""
    people: tuple[PresentEntity, ...] = field(repr=False)
    groups: PhraseGroups = field(repr=False)
    """Which of the phrases mean the same."""
    subject_count: int
    """How many the text speaks of."""
    unmentioned: tuple[int, ...]
    """The protected entities that the text does not name."""
    measured: PhraseRisks
    """By the scorer alone, wherever phrases stand and whomever they speak of."""
    if_theirs: Floats | None = None
    """The risk that each phrase would have if it spoke of whom to protect; `None` where all do."""

    @property
    def uncompared(self) -> tuple[int, ...]:
        """Return the entities of whom the scorer knows no name, where it compares with names."""
        return self.measured.unknown_names

    @property
    def unknown_count(self) -> int:
        """Count the phrases of which nothing is known."""
        return int(np.isnan(self.risk).sum())

    @property
    def highest_risk(self) -> float:
        """Return the largest risk of a phrase: 1 where one is unknown, 0 where there is none."""
        return float(np.max(np.nan_to_num(self.risk, nan=1.0), initial=0.0))

    def limit_of_each(self, limits: RiskLimits | float) -> Floats:
        """Return the limit that holds for each phrase."""
        limits = limits if isinstance(limits, RiskLimits) else RiskLimits(limits)
        return limits.for_types(self.phrases.type)

    def at_least(self, limits: RiskLimits | float) -> Flags:
        """Return which phrases are at or above their limit."""
        return np.nan_to_num(self.risk, nan=np.inf) >= self.limit_of_each(limits)

    def kept_for_others(self, limits: RiskLimits | float) -> Flags:
        """Return which phrases are below their limit only because they speak of others."""
        if self.if_theirs is None:
            return np.zeros(len(self.phrases), bool)
        risky = np.nan_to_num(self.if_theirs, nan=np.inf) >= self.limit_of_each(limits)
        return risky & ~self.at_least(limits)


DEFAULT_SETTINGS: Final = ScoreSettings()
MEANINGLESS: Final = tuple(map(TYPES.index, ("DATETIME", "QUANTITY", "CODE")))
"""Types of phrases that are about no topic by what they mean."""


@dataclass(frozen=True, slots=True)
class Scorer:
    """Scores texts of one language by a model's rarity, or else that of the language at large."""

    language: str
    model: Model | None = None
    settings: ScoreSettings = DEFAULT_SETTINGS
    rarity: Rarity = field(init=False)
    calibration: TopicModel | None = field(init=False, repr=False)
    similarity: PhraseScorer | None = field(init=False, repr=False)
    """What compares with names, where that is what counts; else phrases are scored by how identifying they are."""
    _scorer: PhraseScorer = field(init=False, repr=False)

    def __post_init__(self) -> None:
        """Choose where rarity comes from, and what risk is."""
        object.__setattr__(self, "similarity", open_scorer(self.settings, self.model))
        object.__setattr__(self, "rarity", rarity_of(self.model, self.language))
        identifying = IdentifyingScorer(self.language, self.model, self.rarity)
        object.__setattr__(self, "_scorer", self.similarity or identifying)
        object.__setattr__(self, "calibration", TopicModel.for_model(self.model) if self.model else None)

    def score(
        self, text: str, phrases: Phrases, sentences: Ints, protect: Sequence[Entity],
        others: Sequence[Entity] = (), *, everyone: bool = False,
    ) -> ScoredPhrases:  # fmt: skip
        """Score the phrases of a text for the entities to protect; `others` need not be, `everyone` protects all."""
        entities = (*protect, *others)
        visible = VisibleText.from_text(text)
        low = fold_text(visible.text)
        mentions = [
            EntityMentions.find(entity, visible.text, low, self.language).in_original(visible) for entity in entities
        ]
        phrases = self._add_phrases(text, phrases, mentions[: len(protect)])
        people = find_present_entities(text, phrases, entities, self.language, [one.spans for one in mentions])
        named, named_owner = self._find_named(phrases, people, mentions[: len(protect)], everyone=everyone)
        mentioned = np.where(named & (not everyone), named_owner, -1)
        phrases, groups = group_phrases(text, phrases, people, entities, mentioned, self.language)
        powers = measure_powers(text, phrases, self.rarity)
        shares, subjects = self._attribution_shares(
            text, phrases, people, entities, sentences, len(protect), everyone=everyone
        )
        owner = np.argmax(shares, axis=1) if shares.shape[1] else np.full(len(phrases), -1)
        owner[~shares.any(axis=1)] = -1
        # who is protected beside others is not safer for it: what counts is that it is one of them
        owned = shares.sum(axis=1) >= self.settings.attribution_limit
        named_first = 0 if everyone else next((n for n, entity in enumerate(protect) if entity.type != TOPIC), -1)
        if self.settings.others == "mask" and not others and named_first >= 0:
            owned[:] = True
            owner[owner < 0] = named_first
        names = compared_names(protect, text, people if everyone else ())
        measured = self._scorer.score_phrases(text, phrases, powers, names)
        risk = if_theirs = measured.risk
        if measured.entity is not None and not everyone:  # whom a phrase is near to is whom it gives away
            owner, owned = np.where(measured.entity >= 0, measured.entity, owner), np.ones(len(phrases), bool)
        if not owned.all():
            risk = np.where(owned, if_theirs, if_theirs * np.minimum(shares.sum(axis=1), 1.0))
            risk[~owned & np.isnan(if_theirs)] = 0.0 if subjects > 1 else np.nan
        risk, owner = np.where(named, 1.0, risk), np.where(named, named_owner, owner)
        risk, owner, topical = self._add_topic_risk(text, phrases, protect if not self.similarity else (), risk, owner)
        risk, again = carry_risk(text, phrases, groups.numbers, risk, owner, owned)
        share = np.where(named, 1.0, shares.max(axis=1, initial=0.0))
        missing = tuple(
            number for number, entity in enumerate(protect) if not people[number].spans and entity.type != TOPIC
        )
        linked = np.zeros(len(phrases), bool)
        return ScoredPhrases(
            phrases,
            risk,
            owner,
            powers,
            share,
            named,
            again,
            topical,
            linked,
            tuple(people),
            groups,
            subjects,
            missing,
            measured,
            None if owned.all() else np.where(named, 1.0, if_theirs),
        )

    def _add_phrases(self, text: str, phrases: Phrases, mentions: Sequence[EntityMentions]) -> Phrases:
        """Add what is a phrase because of whom to protect, or because it is rare."""
        whole = add_name_phrases(phrases, mentions, text)
        if self.settings.word_idf:
            whole = add_rare_words(text, whole, self.rarity, self.settings.word_idf)
        return whole

    def _add_topic_risk(
        self, text: str, phrases: Phrases, protect: Sequence[Entity], risk: Floats, owner: Ints
    ) -> tuple[Floats, Ints, Flags]:
        """Add what phrases tell of topics, where that is more; what the model does not know tells of any."""
        topical = np.zeros(len(phrases), bool)
        for number, entity in enumerate(protect):
            if entity.type != TOPIC:
                continue
            if self.calibration is None:
                raise ConfigError("a topic is told by vectors; name a model of texts of this kind: --model MODEL")
            topic_risk = measure_topic_risk(text, phrases, entity, self.calibration).risk
            more = np.nan_to_num(topic_risk, nan=np.inf) > np.nan_to_num(risk, nan=np.inf)
            more &= ~np.isin(phrases.type, MEANINGLESS)
            risk, owner, topical = np.where(more, topic_risk, risk), np.where(more, number, owner), topical | more
        return risk, owner, topical

    def _attribution_shares(
        self, text: str, phrases: Phrases, people: Sequence[PresentEntity], entities: Sequence[Entity], sentences: Ints,
        protected: int, *, everyone: bool,
    ) -> tuple[Floats, int]:  # fmt: skip
        """Return how likely each phrase speaks of each protected entity, and how many the text speaks of."""
        # No sentence is about a topic as it is about a person.
        topics = {number for number, entity in enumerate(entities) if entity.type == TOPIC}
        people = [replace(one, spans=()) if place in topics else one for place, one in enumerate(people)]
        more = sample_overlap(text, people, entities, sentences, self.rarity)
        attribution = attribute(text, phrases, people, sentences, self.language, more=more)
        if everyone:
            return np.ones((len(phrases), 1)), len(attribution.subjects)
        shares = np.zeros((len(phrases), protected))
        for number in set(attribution.subjects) & set(range(protected)):
            shares[:, number] = attribution.shares_of(number)
        asked = [number for number in range(protected) if number not in topics]
        if asked and not any(people[number].spans for number in asked):
            shares[:, asked] = 1.0  # nobody protected is named: as if all were about them
        elif len(attribution.subjects) == 1 and attribution.subjects[0] < protected:
            shares[:, attribution.subjects[0]] = 1.0
        return shares, len(attribution.subjects)

    @staticmethod
    def _find_named(
        phrases: Phrases, people: Sequence[PresentEntity], mentions: Sequence[EntityMentions], *, everyone: bool
    ) -> tuple[Flags, Ints]:
        """Return which phrases contain a name of a protected entity, and of which one."""
        named, owner = np.zeros(len(phrases), bool), np.full(len(phrases), -1)
        for number, (person, also) in enumerate(zip(people, mentions, strict=False)):
            held = overlaps_any(phrases, [*person.spans, *also.spans, *also.embedded])  # also within a name of another
            owner[held & ~named] = number
            named |= held
        if everyone:
            held = overlaps_any(phrases, [span for person in people for span in person.spans]) & ~_are_guesses(phrases)
            owner[held & ~named] = 0
            named |= held
        return named, owner


def _are_guesses(phrases: Phrases) -> Flags:
    """Return which phrases have their type only as a guess."""
    return np.array([is_guess(kind) for kind in phrases.kinds] or [False])[phrases.kind.astype(np.int64)]


def compared_names(protect: Sequence[Entity], text: str, people: Sequence[PresentEntity] = ()) -> Names:
    """Return the names that phrases are compared with: of whom to protect, or of all that a text names."""
    present = [tuple(dict.fromkeys(text[start:end] for start, end in person.spans)) for person in people]
    return (*(entity.names for entity in protect), *filter(None, present))


def rarity_of(model: Model | None, language: str) -> Rarity:
    """Choose where rarity comes from: the model's corpus, else the language at large, else English."""
    if model is not None:
        return CorpusRarity(model)
    frequencies = Frequencies.load(language) or Frequencies.load("en")
    assert frequencies is not None
    return LanguageRarity(frequencies)


def carry_risk(
    text: str, phrases: Phrases, groups: Sequence[int], risk: Floats, owner: Ints, owned: Flags
) -> tuple[Floats, Flags]:
    """Carry the largest risk that a phrase has for an owner to where the same stands again with that owner.

    The same is another name of the same, or what is written the same.
    """
    together: dict[tuple[int | str, int], list[int]] = defaultdict(list)
    # A common phrase says the same everywhere: what it inherits stays where it is.
    for place in np.flatnonzero(owned & (phrases.form != COMMON)).tolist():
        is_name = phrases.form[place] == NAME
        same = groups[place] if is_name else key(text[phrases.start[place] : phrases.end[place]])
        together[same, int(owner[place])].append(place)
    carried, again = risk.copy(), np.zeros(len(risk), bool)
    for places in together.values():
        if len(places) > 1:
            highest = np.max(np.nan_to_num(risk[places], nan=-1.0))
            lower = [place for place in places if risk[place] < highest]
            carried[lower], again[lower] = highest, True
    return carried, again
