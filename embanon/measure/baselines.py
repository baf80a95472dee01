"""Mask words by trivial rules: the baselines for any system on the same documents.

Nothing; every noun phrase; each word that has a capital or a digit; and as many words as the system masked, by chance
or the rarest ones of the language. Words that stand side by side are one span, as a system would mask them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from embanon.language import Frequencies
from embanon.measure.annotations import DocumentPair, GoldDocument, MaskedDocument, Mention
from embanon.measure.metrics.spans import overlaps, span_array, word_spans
from embanon.risk import LanguageRarity

Ints = NDArray[np.int64]
Flags = NDArray[np.bool_]
Phrases = Sequence[Ints]
"""Where the noun phrases of each document start and end."""

NOTHING: Final = "nothing"
EVERY_NOUN_PHRASE: Final = "every noun phrase"
CAPITALS: Final = "words with capital or digit"
RANDOM: Final = "as many words, random"
RAREST: Final = "as many words, the rarest"
SYSTEM_INDEPENDENT_RULES: Final = (NOTHING, EVERY_NOUN_PHRASE, CAPITALS)
"""Rules that do not look at the system."""
EQUAL_COUNT_RULES: Final = (RANDOM, RAREST)
"""Rules that mask as many words as it does."""
RULES: Final = (*SYSTEM_INDEPENDENT_RULES, *EQUAL_COUNT_RULES)
UNLISTED: Final = np.inf
"""A word that no list has is rarer than all that one has."""


def masked_words(pair: DocumentPair) -> tuple[Ints, Flags]:
    """Return the words of a document, and which of them a system masked."""
    every = word_spans(pair.gold.text)
    return every, overlaps(every, span_array(pair.output.mentions))


def mask_by_rules(
    pairs: Sequence[DocumentPair], rules: Sequence[str], phrases: Phrases, seed: int
) -> Iterator[tuple[str, list[DocumentPair]]]:
    """Return what each rule masks instead of what the system did."""
    golds = [pair.gold for pair in pairs]
    masked = [masked_words(pair) for pair in pairs]
    every, count = [some for some, _ in masked], sum(int(flags.sum()) for _, flags in masked)
    chance = np.random.default_rng(seed).permutation(sum(map(len, every)))
    ways: dict[str, Callable[[], Sequence[Ints]]] = {
        NOTHING: lambda: [np.zeros((0, 2), np.int64)] * len(golds),
        EVERY_NOUN_PHRASE: lambda: phrases,
        CAPITALS: lambda: _choose_spans(
            golds, every, np.array([_has_capital_or_digit(word) for word in _words(golds, every)], np.bool_)
        ),
        RANDOM: lambda: _choose_spans(golds, every, chance < count),
        RAREST: lambda: _choose_spans(golds, every, _choose_rarest(_rarities(golds, every), chance, count)),
    }
    for rule in rules:
        yield rule, [_pair(gold, spans) for gold, spans in zip(golds, ways[rule](), strict=True)]


def _words(golds: Sequence[GoldDocument], every: Sequence[Ints]) -> Iterator[str]:
    for gold, spans in zip(golds, every, strict=True):
        yield from (gold.text[start:end] for start, end in spans.tolist())


def _has_capital_or_digit(word: str) -> bool:
    return word[:1].isupper() or any(map(str.isdecimal, word))


def _rarities(golds: Sequence[GoldDocument], every: Sequence[Ints]) -> NDArray[np.float64]:
    """Return the inverse document frequency of each word; a number has that of numbers."""
    rarities = [np.zeros(0)]
    for gold, spans in zip(golds, every, strict=True):
        known = Frequencies.load(gold.language or "en") or Frequencies.load("en")
        assert known is not None
        rarities.append(LanguageRarity(known).words(list(_words([gold], [spans]))))
    return np.nan_to_num(np.concatenate(rarities), nan=UNLISTED)


def _choose_rarest(rarities: NDArray[np.float64], chance: Ints, count: int) -> Flags:
    """Choose the rarest; by chance among those that are as rare as the last one."""
    chosen = np.zeros(len(rarities), np.bool_)
    chosen[np.lexsort((chance, -rarities))[:count]] = True
    return chosen


def _choose_spans(golds: Sequence[GoldDocument], every: Sequence[Ints], flags: Flags) -> list[Ints]:
    """Return the spans of chosen words, document by document."""
    ends = np.cumsum([len(some) for some in every])[:-1]
    parts = np.split(flags, ends) if len(every) else []
    return [_runs(gold.text, some, part) for gold, some, part in zip(golds, every, parts, strict=True)]


def _runs(text: str, every: Ints, chosen: Flags) -> Ints:
    """Join chosen words between which there is only space."""
    spans = every[chosen]
    if not len(spans):
        return spans
    between = zip(spans[:-1, 1].tolist(), spans[1:, 0].tolist(), strict=True)
    opens = np.array([True, *(not text[end:start].isspace() for end, start in between)], np.bool_)
    last = np.append(np.flatnonzero(opens)[1:], len(spans)) - 1
    return np.stack([spans[opens, 0], spans[last, 1]], axis=1)


def _pair(gold: GoldDocument, spans: Ints) -> DocumentPair:
    return DocumentPair(gold, MaskedDocument(gold.id, tuple(Mention(start, end) for start, end in spans.tolist())))
