"""The words or sentences that give a candidate away to an attacker, each with what it adds to the score."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Protocol

import numpy as np

from embanon.attack.learners import SentenceClassifier
from embanon.language import WORD, key, words_of
from embanon.linkage import (
    AdditiveAttacker,
    Attacker,
    AttackerView,
    CharacterGrams,
    Floats,
    Ints,
    WordCounts,
    best_rivals,
    character_grams,
    count_words,
)
from embanon.replace import placeholder_pattern

DECIMALS: Final = 9
"""In which scores differ that are not the same."""


@dataclass(frozen=True, slots=True)
class Clue:
    """A word or sentence of a text: its first place, its count, and its share of the target's score."""

    start: int
    end: int
    count: int
    share: float
    """What it adds to the target's score, less what it adds to those of its ten best rivals on average."""
    text: str = field(repr=False)

    def to_dict(self, *, original: bool = False) -> dict[str, Any]:
        """Return the fields; the text itself only on request."""
        shown = {name: getattr(self, name) for name in ("start", "end", "count")} | {"share": round(self.share, 4)}
        return shown | ({"text": self.text} if original else {})


class TextAttacker(Protocol):
    """Whoever reads a text, scores all candidates for it, and can say why."""

    def scores(self, text: str) -> Floats:
        """Score all candidates; larger is likelier."""

    def clues(self, text: str, target: int, scores: Floats) -> list[Clue]:
        """Return what speaks for a candidate, the most telling first."""


def blank_placeholders(text: str) -> str:
    """Blank what we put into texts that is no word, and leave everything where it is."""
    return placeholder_pattern().sub(lambda found: " " * len(found.group()), text)


@dataclass(frozen=True, slots=True)
class WordAttacker:
    """Reads a text as a bag of words; placeholders are none."""

    attacker: Attacker

    def scores(self, text: str) -> Floats:
        """Score all candidates."""
        return np.asarray(np.round(self.attacker.scores(count_words(blank_placeholders(text))), DECIMALS), np.float64)

    def clues(self, text: str, target: int, scores: Floats) -> list[Clue]:
        """Return the words that speak for a candidate, the most telling first."""
        shown = blank_placeholders(text)
        words, scale = count_words(shown), abs(float(scores[target])) or 1.0
        contributions = word_contributions(self.attacker, words, target, best_rivals(scores, target))
        best = sorted(
            (word for word, share in contributions.items() if share > 0), key=lambda word: (-contributions[word], word)
        )
        places = dict[str, tuple[int, int]]()
        for match in WORD.finditer(shown):
            for word in words_of(key(match.group())):
                places.setdefault(word, match.span())
        placed = ((*places[word], word) for word in best if word in places)
        return [
            Clue(start, end, words[word], contributions[word] / scale, text[start:end]) for start, end, word in placed
        ]


@dataclass(frozen=True, slots=True)
class SentenceAttacker:
    """Reads a text sentence by sentence."""

    attacker: SentenceClassifier

    def scores(self, text: str) -> Floats:
        """Score all candidates."""
        return np.asarray(np.round(self.attacker.score(blank_placeholders(text)), DECIMALS), np.float64)

    def clues(self, text: str, target: int, scores: Floats) -> list[Clue]:
        """Return the sentences that speak for a candidate, the most telling first; shares of all that do."""
        spans, each = self.attacker.score_sentences(blank_placeholders(text))
        if not spans:
            return []
        rivals = best_rivals(scores, target)
        gains = each[:, target] - (each[:, rivals].mean(axis=1) if len(rivals) else 0.0)
        total = float(gains[gains > 0].sum()) or 1.0
        order = [place for place in np.argsort(-gains, kind="stable").tolist() if gains[place] > 0]
        placed = ((*spans[place], float(gains[place]) / total) for place in order)
        return [Clue(start, end, 1, share, text[start:end]) for start, end, share in placed]


def word_contributions(attacker: Attacker, words: WordCounts, target: int, rivals: Ints) -> Mapping[str, float]:
    """Return what each word adds to a target's score, less the mean of its rivals'; nothing where nobody can say."""
    if isinstance(attacker, CharacterGrams):
        return _gram_contributions(attacker, words, target, rivals)
    if isinstance(attacker, AdditiveAttacker):
        known, rows, counts = attacker.postings.look_up(words)
        asked = attacker.query_weights(rows, counts)
        gains = asked * AttackerView.from_terms(attacker, rows).contrast(target, rivals) / attacker.norm(asked)
        return dict(zip(known, gains.tolist(), strict=True))
    if hasattr(attacker, "telling"):
        contributions: Mapping[str, float] = attacker.telling(words, target, rivals.tolist())
        return contributions
    return {}


def _gram_contributions(attacker: CharacterGrams, words: WordCounts, target: int, rivals: Ints) -> Mapping[str, float]:
    """Share out what each run of characters adds among the words that have it."""
    every = character_grams(words)
    by_gram = word_contributions(attacker.inner, every, target, rivals)
    return {
        word: sum(
            by_gram.get(gram, 0.0) * times / every[gram] for gram, times in character_grams({word: count}).items()
        )
        for word, count in words.items()
    }
