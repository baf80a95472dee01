"""Measure taggers on treebanks: the share of right tags, and how well nominal words are told from others."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from embanon.text.tagger import Tagger, TaggerWeights
from embanon.text.tokens import WordFormCache
from embeddings.build.treebank import NOMINAL, Sentence, recase


@dataclass(frozen=True, slots=True)
class TaggingAccuracy:
    """Shares of syntactic words: right tag, and F1 of *nominal or not*."""

    upos: float
    nominal: float

    def __str__(self) -> str:
        return f"UPOS {self.upos:.2f} nominal F1 {self.nominal:.2f}"


def compare(pairs: Iterable[tuple[str, str]]) -> TaggingAccuracy:
    """Measure (predicted, gold) tags; a contraction counts as its syntactic words."""
    right = total = both = predicted = gold_count = 0
    for given, gold in pairs:
        parts = given.split("+")
        for number, tag in enumerate(gold.split("+")):
            said = parts[number] if number < len(parts) else ""
            total += 1
            right += said == tag
            both += said in NOMINAL and tag in NOMINAL
            predicted += said in NOMINAL
            gold_count += tag in NOMINAL
    return TaggingAccuracy(100 * right / total, 200 * both / (predicted + gold_count))


def measure(tagger: Tagger, sentences: Sequence[Sentence]) -> TaggingAccuracy:
    """Measure on gold tokens."""
    words = [word for sentence in sentences for word in sentence]
    starts = np.zeros(len(words), dtype=bool)
    starts[np.cumsum([0, *(len(sentence) for sentence in sentences[:-1])])] = True
    found = WordFormCache(tagger.columns()).look_up([word.form for word in words])
    tags = tagger.tag(found, starts)
    return compare((tagger.tags[n], word.tag) for n, word in zip(tags.tolist(), words, strict=True))


def measure_cases(weights: TaggerWeights, test: Sequence[Sentence]) -> dict[str, TaggingAccuracy]:
    """Measure as given, in lower case, in capitals, in title case."""
    tagger = Tagger(weights)
    cases = {how: [recase(s, how) for s in test] for how in ("lower", "upper", "title")}
    return {"as given": measure(tagger, test)} | {how: measure(tagger, sentences) for how, sentences in cases.items()}
