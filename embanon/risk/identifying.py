"""The scorer `risk`: how identifying a phrase is, whoever it speaks of, by chances that were learnt and by rarity."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from statistics import median
from typing import Final

import numpy as np

from embanon.document import FORMS, TYPES, Flags, Floats, Phrases
from embanon.language import Cue, Frequencies, Lexicon, key, word_share, words_of
from embanon.model import Model
from embanon.risk.identification import load_identification
from embanon.risk.power import LabelRarity, PhrasePowers, Rarity, rarest_word, scale_score
from embanon.risk.scorers import CACHE_SIZE, Names, PhraseRisks
from embanon.taxonomy import load_inventory

COMMON: Final = FORMS.index("common")
CODE, PERSON = TYPES.index("CODE"), TYPES.index("PERSON")
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
HALF: Final = 0.5
MAY_BE_UNKNOWN: Final = np.array([form in ("name", "title", "common") for form in FORMS])
"""Forms that may be made of words that nobody knows."""
WORD: Final = re.compile(r"\w+")
NAMED_LABEL: Final = 0.1
"""What a name in a label adds to its score."""
NUMBER: Final = 0.3
"""The rarity of a label that has only numbers."""


@dataclass(frozen=True, slots=True)
class LabelWords:
    """How rare the rarest words of labels are, and what risk that is."""

    rarity: Rarity
    _rarities: dict[str, float] = field(default_factory=dict, init=False, repr=False, compare=False)

    def rarest(self, label: str) -> float:
        """Return the rarity of the rarest word of a label; 1 where it is unknown."""
        rarity = self._rarities.get(label)
        if rarity is None:
            words = " ".join(word for word in WORD.findall(key(label)) if not word[:1].isdecimal())
            rarity = float(rarest_word(self.rarity, [words])[0]) if words else NUMBER
            if len(self._rarities) >= CACHE_SIZE:  # originals are asked about as well, which have no end
                self._rarities.clear()
            rarity = self._rarities[label] = 1.0 if rarity != rarity else rarity
        return rarity

    def risk(self, label: str) -> float:
        """Return the risk of a label: half the rarity of its rarest word, as of a common phrase; more of a name."""
        score = self.rarest(label) + (NAMED_LABEL if is_name(label) else 0.0)
        return round(float(scale_score(np.array(score))), 4)


@dataclass(frozen=True, slots=True)
class IdentifyingScorer:
    """Says how identifying phrases are, by the labeler's chances, or where a model knows texts of the kind, rarity."""

    language: str
    model: Model | None
    rarity: Rarity

    def score_phrases(self, text: str, phrases: Phrases, powers: PhrasePowers, names: Names) -> PhraseRisks:
        """Return how identifying each phrase is."""
        power = self._power_of_known(text, phrases, powers)
        if not self._is_learned(text, phrases):
            return PhraseRisks(power)
        probability = load_identification().probability(text, phrases, powers.power)
        probability = np.where(self._are_plain(text, phrases), probability * PLAIN_FACTOR, probability)
        raised = np.minimum(probability * NAMING_FACTOR, 1.0)
        probability = np.where(np.isin(phrases.type, (CODE, PERSON)), raised, probability)
        probability = np.where(_are_surely_people(phrases), np.maximum(probability, HALF), probability)
        # What no one knows is above any limit, if it is as likely as not that it identifies.
        return PhraseRisks(np.where(np.isnan(power) & (probability >= HALF), power, probability), is_learned=True)

    def score_labels(self, labels: Sequence[str], around: tuple[str, str], names: Names) -> Floats:
        """Return the risk of each label by its words, by the language at large where the corpus lacks them."""
        return np.array(list(map(LabelWords(LabelRarity(self.rarity, self.language)).risk, labels)))

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
        return phrases.chance is not None and not (self.model and is_running_text(text))

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


@lru_cache(maxsize=65_536)
def is_name(label: str) -> bool:
    """Return whether a label has a capital behind its article, or a digit."""
    words = label.split()
    words = words[1:] if words and words[0].islower() and len(words) > 1 else words
    return any(word[:1].isupper() or any(map(str.isdecimal, word)) for word in words)
