"""Check replacements of a risky phrase: no part of a protected name, and nothing risky itself."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Final

import numpy as np

from embanon.config import RiskLimits
from embanon.entities import MIN_EMBEDDED_LENGTH, MIN_PART_LENGTH, Entity, distinctive_words, fold_text
from embanon.language import Cue, Lexicon, key
from embanon.linkage import AttackerView, Background, Ints, best_rivals, count_words
from embanon.model import unit_rows
from embanon.replace.grammar import listed_words, without_article
from embanon.risk import (
    TOPIC,
    LabelWords,
    Names,
    PhraseScorer,
    Rarity,
    ScoredPhrases,
    Topic,
    TopicModel,
    is_name as is_name,
    phrase_spans,
)

SAFE: Final = 0.1
"""The risk of a mark, a type, or a value that is made up; and how much rarer a label may be than what it replaces."""
WORD: Final = re.compile(r"\w+")
LETTERS: Final = re.compile(r"[\w'’-]*[^\W\d_][\w'’-]*")
"""Words, but no numbers: of what is called Person 1, the model is asked about a person."""
LabelTest = Callable[[str], bool]
"""Whether a label may replace a phrase."""


@dataclass(frozen=True, slots=True)
class ForbiddenWords:
    """Words that no label may have."""

    words: frozenset[str] = field(repr=False)
    substrings: tuple[str, ...] = field(repr=False)
    """Those that are long enough to tell a name inside a word."""
    short: frozenset[str] = field(default=frozenset(), repr=False)
    """Names of two letters, which with a capital are no other words: Li."""
    tests: tuple[LabelTest, ...] = ()
    """What else a label must pass that says more than a type."""

    def reveals(self, label: str) -> bool:
        """Return whether a label reveals too much to an attacker, or about a topic."""
        return not all(test(label) for test in self.tests)

    def matches(self, label: str) -> bool:
        """Return whether a label has one of them."""
        low = fold_text(label)
        return not self.words.isdisjoint(WORD.findall(low)) or any(word in low for word in self.substrings)

    def has_short_name(self, label: str) -> bool:
        """Return whether a label has a name of two letters, with its capital."""
        return any(word[:1].isupper() and fold_text(word) in self.short for word in WORD.findall(label))


def collect_forbidden(
    scored: ScoredPhrases, protect: Sequence[Entity], language: str, tests: Sequence[LabelTest] = ()
) -> ForbiddenWords:
    """Gather the words of protected names, and of other people in the text."""
    words = {word for entity in protect for word in distinctive_words(entity, language)}
    inside = tuple(sorted(word for word in words if len(word) >= MIN_EMBEDDED_LENGTH))
    others = {
        word
        for person in scored.people
        if person.protected_index < 0 or person.protected_index >= len(protect)
        for word in person.words
    }
    lexicon = Lexicon.load(language)  # the `the` of a stage name is in every decade
    known = {word for word in others if len(word) >= MIN_PART_LENGTH and not lexicon.flags(word) & Cue.STOP}
    written = {word for entity in protect for name in entity.names for word in WORD.findall(name) if word[:1].isupper()}
    few = {fold_text(word) for word in written} | {word for word in others if not lexicon.flags(word) & Cue.STOP}
    short = frozenset(word for word in few if len(word) == MIN_PART_LENGTH - 1)
    return ForbiddenWords(frozenset(words | known), inside, short, tuple(tests))


@dataclass(frozen=True, slots=True)
class LabelRisk:
    """The risks of labels: by the rarity of their words, or by how similar they are to protected names."""

    rarity: Rarity
    limits: RiskLimits
    similarity: PhraseScorer | None = None
    """What measures originals as well, if that is no rarity; then nothing is said that it has at or above the limit."""
    names: Names = field(default=(), repr=False)
    _words: LabelWords = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Remember the rarities of words."""
        object.__setattr__(self, "_words", LabelWords(self.rarity))

    def rarest_word(self, label: str) -> float:
        """Return the rarity of the rarest word of a label; 1 where it is unknown."""
        return self._words.rarest(label)

    def risk(self, label: str) -> float:
        """Return the risk of a label by its words."""
        return self._words.risk(label)

    def allows(self, label: str, original_rarity: float, type: str) -> bool:
        """Return whether a label's risk is below the limit of a type, and it is not rarer than what it replaces."""
        known = self.risk(label) < self.limits.for_type(type) and self.rarest_word(label) <= original_rarity + SAFE
        known |= self.similarity is not None  # which is asked once the label stands in its sentence
        return known and listed_words("offensive", "words").isdisjoint(key(label).split())

    def similarity_of(
        self, text: str, around: tuple[str, str], label: str = "", *, is_made_up: bool = False
    ) -> float | None:
        """Return how similar what is to be written is to a protected name: 0 of marks, `None` where unknown.

        Both the words that stand there then and the label that they are fitted from count; of what is called Person 1,
        a person as well. Of what is made up, what is known of it counts.
        """
        if self.similarity is None or not WORD.search(text):
            return 0.0
        words = " ".join(LETTERS.findall(text)) or text
        forms = tuple(dict.fromkeys(form for form in (words, text, without_article(label)) if form))
        values = self.similarity.score_labels(forms, around, self.names)
        is_unknown = np.isnan(values).all() if is_made_up else np.isnan(values[0])
        return None if is_unknown else round(float(np.nanmax(values)), 4)


MAX_GAIN: Final = 0.1
"""The gain from which a replacement is left for a more general one."""
SCALE: Final = 100


@dataclass(frozen=True, slots=True, eq=False)
class LinkageGain:
    """The gain of labels for an attacker on one document: what speaks for the target, and not for its rivals."""

    background: Background
    target: int
    rivals: Ints = field(repr=False)
    _known: dict[str, float] = field(default_factory=dict, init=False, repr=False)

    @classmethod
    def for_document(cls, masked: str, background: Background, target: int) -> LinkageGain:
        """Find the rivals that the masked text leaves."""
        return cls(background, target, best_rivals(background.tfidf.scores(count_words(masked)), target))

    def __call__(self, label: str) -> float:
        """Sum over the words of a label: rarity times the weight for the target, less the mean of its rivals'."""
        gain = self._known.get(label)
        if gain is None:
            attacker = self.background.tfidf
            _, rows, counts = attacker.postings.look_up(count_words(label))
            telling = AttackerView.from_terms(attacker, rows).contrast(self.target, self.rivals)
            gain = self._known[label] = SCALE * float(attacker.query_weights(rows, counts) @ telling)
        return gain

    def is_small(self, label: str) -> bool:
        """Return whether a label gives nothing back that counts."""
        return self(label) <= MAX_GAIN


DRAWN: Final = 4096
"""Phrases of a model that tell how near to a topic phrases usually are."""


@dataclass(frozen=True, slots=True, eq=False)
class TopicNearness:
    """The topics of a document, each with the cosine above which a label says more of it than what is left does."""

    calibration: TopicModel = field(repr=False)
    topics: tuple[tuple[Topic, float], ...] = field(repr=False)
    _known: dict[str, bool] = field(default_factory=dict, init=False, repr=False)

    @classmethod
    def for_document(
        cls,
        text: str,
        scored: ScoredPhrases,
        protect: Sequence[Entity],
        limits: RiskLimits | float,
        calibration: TopicModel,
    ) -> TopicNearness | None:
        """Measure what is below the limits; nothing where no topic is protected."""
        topics = [calibration.topic(entity) for entity in protect if entity.type == TOPIC]
        if not topics:
            return None
        masked = scored.at_least(limits).tolist()
        left = [
            text[start:end] for (start, end), gone in zip(phrase_spans(scored.phrases), masked, strict=True) if not gone
        ]
        return cls(calibration, tuple((topic, _cosine_limit(topic, left, calibration)) for topic in topics))

    def is_far(self, label: str) -> bool:
        """Return whether a label reveals no topic, as far as the model knows it."""
        far = self._known.get(label)
        if far is None:
            bare = without_article(key(label))
            far = self._known[label] = all(self._is_far(bare, *topic) for topic in self.topics)
        return far

    def _is_far(self, label: str, topic: Topic, bound: float) -> bool:
        if self.calibration.is_naming(topic.names, [label])[0]:
            return False
        if not len(topic.direction):
            return True
        cosine = unit_rows(self.calibration.model.find([label]).vectors)[0] @ topic.direction
        return not cosine > bound  # a small corpus lacks most labels


def _cosine_limit(topic: Topic, left: Sequence[str], calibration: TopicModel) -> float:
    """Return the cosine of the middle of all phrases, or that of the nearest phrase that is left, if that is nearer."""
    if not len(topic.direction):
        return 1.0
    model = calibration.model
    size = len(model.phrases)
    drawn = np.arange(size)[:: max(size // DRAWN, 1)]
    usual = unit_rows(model.phrases.vectors.rows(drawn)) @ topic.direction
    nearness = unit_rows(model.find(left).vectors) @ topic.direction if left else np.zeros(0)
    return float(np.fmax(np.nanmedian(usual), np.nanmax(nearness) if np.isfinite(nearness).any() else -1.0))
