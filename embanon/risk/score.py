"""Score a text: how much each phrase gives away about whom or what is protected.

Identity: what is powerful enough and speaks of the entity. Names of the entity, and tokens that hold one (addresses,
hashtags, names of files), are 1. A second pass carries the risk that a phrase has once for an owner to where it, or
another name of the same, stands again with that owner.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from statistics import median
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
from embanon.language import Cue, Frequencies, Lexicon, key, word_share, words_of
from embanon.model import Model
from embanon.risk.attribution import attribute, sample_overlap
from embanon.risk.identification import load_identification
from embanon.risk.power import CorpusRarity, LanguageRarity, PhrasePowers, Rarity, measure_powers
from embanon.risk.spans import add_name_phrases, add_rare_words, overlaps_any, phrase_spans
from embanon.risk.topic_model import TopicModel
from embanon.risk.topics import measure_topic_risk
from embanon.taxonomy import load_inventory
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
    if_theirs: Floats | None = None
    """The risk that each phrase would have if it spoke of whom to protect; `None` where all do."""
    is_learned: bool = False
    """Whether risks rest on the labeler's chances, not on rarity."""

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
CODE, PERSON = TYPES.index("CODE"), TYPES.index("PERSON")
MEANINGLESS: Final = tuple(map(TYPES.index, ("DATETIME", "QUANTITY", "CODE")))
"""Types of phrases that are about no topic by what they mean."""
NAMING_FACTOR: Final = 1.25
"""By how much the risk of codes and people is raised: one masked in vain costs little, one left names somebody."""
SURE_PEOPLE: Final = frozenset(f"PERSON.{kind}" for kind in "full-name first-name surname nickname".split())
"""Kinds of what is somebody's name, whoever that is."""
LEAST_NAMED: Final = 0.35
"""The chance of being a mention from which on a name is masked, though it may be that of others in their office."""
EVERYDAY_SHARE: Final = 1e-5
"""The share of words from which on one is an everyday word."""
RARE_KIN: Final = ("twin", "gemel", "gême", "gém", "zwilling")
RECURRING_TIMES: Final = frozenset(f"DATETIME.{kind}" for kind in "weekday month season holiday".split())
LONGEST_TIME: Final = 24
"""Characters of a time that is no more than the name of a month, a day, a feast."""
PLAIN_FACTOR: Final = 0.5
"""How much of their risk words keep that labels consist of: they would stand there as a generalization too."""


@dataclass(frozen=True, slots=True)
class Scorer:
    """Scores texts of one language by a model's rarity, or else that of the language at large."""

    language: str
    model: Model | None = None
    settings: ScoreSettings = DEFAULT_SETTINGS
    rarity: Rarity = field(init=False)
    calibration: TopicModel | None = field(init=False, repr=False)

    def __post_init__(self) -> None:
        """Choose where rarity comes from."""
        object.__setattr__(self, "rarity", rarity_of(self.model, self.language))
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
        is_learned = self._is_learned(text, phrases)
        if_theirs = self._risk_if_theirs(text, phrases, powers, protect, is_learned=is_learned)
        risk = if_theirs
        if not owned.all() and self.settings.scorer != "cosine":
            risk = np.where(owned, if_theirs, if_theirs * np.minimum(shares.sum(axis=1), 1.0))
            risk[~owned & np.isnan(if_theirs)] = 0.0 if subjects > 1 else np.nan
        risk, owner = np.where(named, 1.0, risk), np.where(named, named_owner, owner)
        risk, owner, topical = self._add_topic_risk(text, phrases, protect, risk, owner)
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
            None if owned.all() else np.where(named, 1.0, if_theirs),
            is_learned,
        )

    def _add_phrases(self, text: str, phrases: Phrases, mentions: Sequence[EntityMentions]) -> Phrases:
        """Add what is a phrase because of whom to protect, or because it is rare."""
        whole = add_name_phrases(phrases, mentions, text)
        if self.settings.word_idf:
            whole = add_rare_words(text, whole, self.rarity, self.settings.word_idf)
        return whole

    def _risk_if_theirs(
        self, text: str, phrases: Phrases, powers: PhrasePowers, protect: Sequence[Entity], *, is_learned: bool
    ) -> Floats:
        """Return the risk of each phrase if it speaks of whom to protect."""
        if self.settings.scorer == "cosine":
            return self._cosine_risk(text, phrases, protect)
        power = self._power_of_known(text, phrases, powers)
        if is_learned:
            probability = load_identification().probability(text, phrases, powers.power)
            probability = np.where(self._are_plain(text, phrases), probability * PLAIN_FACTOR, probability)
            raised = np.minimum(probability * NAMING_FACTOR, 1.0)
            probability = np.where(np.isin(phrases.type, (CODE, PERSON)), raised, probability)
            probability = np.where(_are_surely_people(phrases), np.maximum(probability, HALF), probability)
            # What no one knows is above any limit, if it is as likely as not that it identifies.
            power = np.where(np.isnan(power) & (probability >= HALF), power, probability)
        return power

    def _are_plain(self, text: str, phrases: Phrases) -> Flags:
        """Return which phrases are words that labels consist of, such as a hospital, or recur, such as April."""
        recurring = [place for place, kind in enumerate(phrases.kinds) if kind in RECURRING_TIMES]
        plain = np.isin(phrases.kind, recurring) & (phrases.end - phrases.start <= LONGEST_TIME)
        for place in np.flatnonzero(plain).tolist():  # April, but not April 1960
            plain[place] = not any(map(str.isdecimal, text[phrases.start[place] : phrases.end[place]]))
        if inventory := load_inventory(self.language):
            common = np.flatnonzero(phrases.form == COMMON)
            spans = zip(phrases.start[common].tolist(), phrases.end[common].tolist(), strict=True)
            words = (text[start:end] for start, end in spans)
            plain[common] = [inventory.is_plain(word) or is_everyday_kin(word, self.language) for word in words]
        return plain

    def _is_learned(self, text: str, phrases: Phrases) -> bool:
        """Return whether the labeler says what identifies; in running text, rarity in texts of its kind says it."""
        known = phrases.chance is not None and self.settings.scorer == "risk"
        return known and not (self.model and is_running_text(text))

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

    def _power_of_known(self, text: str, phrases: Phrases, powers: PhrasePowers) -> Floats:
        """Return powers, NaN where neither the model nor the language knows any word of a name or common phrase."""
        power = powers.power.copy()
        unsure = np.flatnonzero((powers.documents == 0) & MAY_BE_UNKNOWN[phrases.form])
        for place in unsure.tolist():
            words = words_of(key(text[phrases.start[place] : phrases.end[place]]))
            if not any(map(self._is_known_word, words)):
                power[place] = np.nan
        return power

    def _is_known_word(self, word: str) -> bool:
        if any(map(str.isdecimal, word)):
            return True
        frequencies = Frequencies.load(self.language)
        if frequencies is not None and frequencies.share(word) is not None:
            return True
        return self.model is not None and int(self.model.words.keys.find([word])[0]) >= 0

    def _cosine_risk(self, text: str, phrases: Phrases, protect: Sequence[Entity]) -> Floats:
        """Return the plain similarity to the nearest of the entities' names, as the thesis has it."""
        if self.model is None or not protect:
            return np.full(len(phrases), np.nan)
        written = [text[start:end] for start, end in phrase_spans(phrases)]
        cosines = [self.model.similarity(entity.names[0], written)[0] for entity in protect]
        nearest: Floats = np.max(np.stack(cosines).astype(np.float64), axis=0)
        return np.clip(nearest, 0.0, 1.0)

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


HALF: Final = 0.5
MAY_BE_UNKNOWN: Final = np.array([form in ("name", "title", "common") for form in FORMS])
"""Forms that may be made of words that nobody knows."""


def _are_guesses(phrases: Phrases) -> Flags:
    """Return which phrases have their type only as a guess."""
    return np.array([is_guess(kind) for kind in phrases.kinds] or [False])[phrases.kind.astype(np.int64)]


FIELD: Final = re.compile(r"^[^\W\d_][^:\n]{0,40}:[ \t]", re.MULTILINE)
ENTRY: Final = re.compile(r"^[-–•*\[( ]{0,3}(?:[^\W\d_]{2,10}\.?,? )?\d{1,2}(?:[./-]\d{1,2}|\. )", re.MULTILINE)
"""A date that opens an entry of a log."""
LEAST_FIELDS: Final = 3
"""Lines with a label before a colon, as forms and letterheads have them."""
RUNNING_LINE: Final = 85
"""Characters of the median line of a text that is neither a letter nor a form, a table or a chat."""


def is_running_text(text: str) -> bool:
    """Return whether a text is written in paragraphs, as an article is: no form with fields, no log with dates."""
    lengths = [len(line) for line in text.splitlines() if line and not line.isspace()]
    is_form = any(sum(1 for _ in shape.finditer(text)) >= LEAST_FIELDS for shape in (FIELD, ENTRY))
    return bool(lengths) and median(lengths) >= RUNNING_LINE and not is_form


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


def is_everyday_kin(word: str, language: str) -> bool:
    """Return whether a word names one of the relatives that everybody has: a mother, a daughter, no twin."""
    is_kin = bool(Lexicon.load(language).flags(word) & Cue.KIN) and not word.lower().startswith(RARE_KIN)
    return is_kin and word_share(word.lower(), language) >= EVERYDAY_SHARE


def _are_surely_people(phrases: Phrases) -> Flags:
    """Return which phrases name somebody whom the labeler sees."""
    names = [place for place, kind in enumerate(phrases.kinds) if kind in SURE_PEOPLE]
    chance = np.zeros(len(phrases)) if phrases.chance is None else np.nan_to_num(phrases.chance)
    result: Flags = np.isin(phrases.kind, names) & (chance >= LEAST_NAMED)
    return result
