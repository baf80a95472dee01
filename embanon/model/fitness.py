"""Whether a model is fit for a text: a low risk from a model that does not know the words means nothing."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from embanon.document import Phrases
from embanon.language import key, words_of
from embanon.model.model import Model, Step

MAX_UNKNOWN_SHARE: Final = 0.25
"""The share of a text's distinct words from which a model that lacks them is unfit for it."""
MIN_WORDS: Final = 20
"""Distinct words from which that can be said."""


@dataclass(frozen=True, slots=True)
class Fitness:
    """How well a model knows a text."""

    words: int
    """Distinct words."""
    strange: float
    """The share of them that the model lacks."""
    steps: tuple[int, ...]
    """How many phrases stand on each step, in the order of `Step`."""
    language: str
    spoken: str
    """The language of the model, and that of the text."""
    same: int
    """Documents of the model that are nearly the same as the text."""

    @property
    def problem(self) -> str:
        """Return why the model is not fit, or nothing."""
        return _problem(self.words, self.strange, self.language, self.spoken)


def fitness_problem(text: str, language: str, model: Model) -> str:
    """Return why a model is not fit for a text of a language, or nothing."""
    return _problem(*unknown_word_share(text, model), str(model.card.get("language", "")), language)


def _problem(words: int, strange: float, language: str, spoken: str) -> str:
    if language and spoken != language:
        return f"the model is of {language}, the text of {spoken}"
    if words >= MIN_WORDS and strange > MAX_UNKNOWN_SHARE:
        return f"the model does not know {strange:.0%} of the words; train one on texts of this kind"
    return ""


def unknown_word_share(text: str, model: Model) -> tuple[int, float]:
    """Return the number of distinct words of a text, those of digits aside, and the share that a model lacks."""
    words = sorted({word for word in words_of(key(text)) if not any(map(str.isdecimal, word))})
    if not words:
        return 0, 0.0
    return len(words), float((model.words.keys.find(words) < 0).mean())


def measure_fitness(text: str, phrases: Phrases, language: str, model: Model) -> Fitness:
    """Compare a text with what a model knows."""
    written = [text[start:end] for start, end in zip(phrases.start.tolist(), phrases.end.tolist(), strict=True)]
    steps = np.bincount(model.find(written).steps if written else np.zeros(0, np.int64), minlength=len(Step))
    words, strange = unknown_word_share(text, model)
    model_language = str(model.card.get("language", ""))
    return Fitness(words, strange, tuple(steps.tolist()), model_language, language, len(model.near_duplicates(text)))
