"""Measure texts under many limits at once: utility, linked documents, and agreement with annotations.

A text is scored once. Each of its words then has a level, the highest limit that masks it, and a curve counts levels.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from embanon.attack import AttackerWords, ranks_by_mask
from embanon.config import PRESETS
from embanon.language import key, most_frequent_code
from embanon.linkage import AdditiveAttacker, Background, CharacterGrams, top_probability
from embanon.measure.annotations import GoldDocument
from embanon.measure.metrics import spans
from embanon.scoring import ScoredDocument

ATTACKERS: Final = ("TF-IDF", "BM25", "4-grams")
Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Flags = NDArray[np.bool_]

LIMITS: Final = tuple(
    sorted({*np.round(np.arange(0.05, 1.0, 0.05), 2).tolist(), *(limit for limit, _ in PRESETS.values()), 1.0})
)
"""The limits that are tried, the presets among them."""
OUTSIDE: Final = -1.0
"""The level of a word that is in no phrase."""
UNKNOWN: Final = 1.5
"""The level of a phrase of which nothing is known, which is above all limits."""
NAME_LEVEL: Final = 9.0
"""The level of a name of whom is protected."""
EVERY_PHRASE_LIMIT, NAMES_ONLY_LIMIT, NOTHING_MASKED_LIMIT = 0.0, 2.0, 10.0
BASELINE_LIMITS: Final = {
    EVERY_PHRASE_LIMIT: "every phrase",
    NAMES_ONLY_LIMIT: "names only",
    NOTHING_MASKED_LIMIT: "nothing masked",
}
"""RiskLimits that nobody sets, as what is trivially there."""


@dataclass(frozen=True, slots=True, eq=False)
class Sample:
    """A text as limits see it: words and phrases, each with the highest limit that masks it."""

    id: str
    language: str
    names: tuple[str, ...] = field(repr=False)
    """Of whom is protected."""
    names_nobody: bool
    """Whether the text names none of them, so that all of it counts as about them."""
    attacker_words: AttackerWords = field(repr=False)
    """What attackers read of each word."""
    levels: Floats = field(repr=False)
    """Of words."""
    types: Ints = field(repr=False)
    """Of each word's phrase; -1 outside."""
    marked: Floats | None = field(repr=False)
    """How many annotators mark each word; `None` without annotations."""
    annotators: int
    phrases: Floats = field(repr=False)
    """Levels of phrases."""
    bits: Floats = field(repr=False)
    """The information of each phrase, as a share of the rarest phrase's."""

    @classmethod
    def from_scored(cls, scored_document: ScoredDocument, gold: GoldDocument | None = None) -> Sample:
        """Look at a scored text."""
        text, scored = scored_document.analysis.document.text, scored_document.scored
        at = spans.word_spans(text)
        phrases, risk = scored.phrases, np.nan_to_num(scored.risk, nan=UNKNOWN)
        risk = np.where(scored.named, NAME_LEVEL, risk)
        levels, types = np.full(len(at), OUTSIDE), np.full(len(at), -1)
        first, last = np.searchsorted(at[:, 1], phrases.start, "right"), np.searchsorted(at[:, 0], phrases.end, "left")
        for place, (a, b) in enumerate(zip(first.tolist(), last.tolist(), strict=True)):
            types[a:b] = np.where(levels[a:b] < risk[place], phrases.type[place], types[a:b])
            levels[a:b] = np.maximum(levels[a:b], risk[place])
        marked = _annotators_by_word(gold, at) if gold else None
        entities = scored_document.protected.entities
        return cls(
            scored_document.analysis.document.id, scored_document.analysis.language,
            tuple(name for one in entities for name in (one.name, *one.aliases)),
            bool(entities) and len(scored.unmentioned) == len(entities),
            AttackerWords.from_words(text[a:b] for a, b in at.tolist()), levels, types, marked,
            len(gold.annotations) if gold else 0, risk, np.nan_to_num(scored.powers.rarity, nan=1.0),
        )  # fmt: skip

    def __len__(self) -> int:
        return len(self.levels)

    @property
    def full_text(self) -> str:
        """Return all words, as attackers read them."""
        return self.attacker_words.unmasked_text(np.ones(len(self), np.bool_))

    def unmasked_words(self, limits: Sequence[float]) -> Flags:
        """Return which words each limit leaves unmasked, a row for each limit."""
        return np.asarray(self.levels < np.array(limits)[:, None], np.bool_)


def _annotators_by_word(gold: GoldDocument, at: Ints) -> Floats:
    """Count who marks each word; a word is marked if any of its characters is."""
    counts = np.zeros(len(at))
    for annotation in gold.annotations:
        counts += spans.overlaps(at, spans.span_array(annotation.mentions_to_mask))
    return counts


@dataclass(frozen=True, slots=True, eq=False)
class AttackedText:
    """What attackers read of a text, and whose it is."""

    text_number: int
    """The number of the text."""
    readable_words: Flags | bool = field(repr=False)
    """The words that are read."""
    candidate: int


@dataclass(frozen=True, slots=True, eq=False)
class AttackerGroup:
    """Attackers who know the same texts, and what they read."""

    attackers: tuple[AdditiveAttacker | CharacterGrams, ...] = field(repr=False)
    attacked_texts: tuple[AttackedText, ...] = field(repr=False)

    @classmethod
    def create(cls, background: Background, known: Sequence[str], read: Iterable[AttackedText]) -> AttackerGroup:
        """Let all attackers know what the background does."""
        return cls((*background.attackers, CharacterGrams.from_texts(known)), tuple(read))


@dataclass(frozen=True, slots=True, eq=False)
class LinkageAttack:
    """Who looks for whom texts are about: TF-IDF, BM25 and 4-grams of characters."""

    samples: Sequence[Sample] = field(repr=False)
    groups: tuple[AttackerGroup, ...]
    candidates: int
    known_texts: str
    """What attackers know, in words."""
    attacked_count: int
    """How many of the texts."""

    @classmethod
    def from_samples(cls, samples: Sequence[Sample], texts: Mapping[str, str]) -> LinkageAttack | None:
        """Let attackers know texts about candidates; if none is about a text here, the other half of each as well.

        `None` where there is one candidate, who is always found.
        """
        known, language = list(texts.values()), most_frequent_code(one.language for one in samples)
        if len(known) > 1:
            background = Background.from_texts(list(texts), known, language)
            numbered = enumerate(background.find_first((*one.names, one.id)) for one in samples)
            read = [AttackedText(number, True, place) for number, place in numbered if place is not None]
            if read:
                group = AttackerGroup.create(background, known, read)
                return cls(samples, (group,), len(known), "the background", len(read))
        owners = _number_owners(samples)
        size = max(owners, default=-1) + 1 + len(known)
        if size < 2:
            return None
        sides = tuple(_attack_half(samples, owners, known, attacked, language) for attacked in (0, 1))
        return cls(samples, sides, size, "the other half of each text", len(samples))

    def ranks(self, limits: Sequence[float]) -> tuple[Floats, Floats]:
        """Return the rank of each text's candidate, by limit and attacker, and how many share it.

        NaN of a text that nobody looks for.
        """
        shape = len(self.samples), len(limits), sum(len(side.attackers) for side in self.groups)
        rank, ties, first = np.full(shape, np.nan), np.full(shape, np.nan), 0
        for side in self.groups:
            for attacked in side.attacked_texts:
                sample = self.samples[attacked.text_number]
                masked = sample.attacker_words.apply_masks(sample.unmasked_words(limits) & attacked.readable_words)
                for place, attacker in enumerate(side.attackers, first):
                    here = attacked.text_number, slice(None), place
                    rank[here], ties[here] = ranks_by_mask(attacker, masked, attacked.candidate)
            first += len(side.attackers)
        return rank, ties


def _number_owners(samples: Sequence[Sample]) -> list[int]:
    """Number whom texts are about: those in which the same are protected are about the same."""
    seen = dict[Any, int]()
    whom = (frozenset(map(key, one.names)) or number for number, one in enumerate(samples))
    return [seen.setdefault(one, len(seen)) for one in whom]


def _attack_half(
    samples: Sequence[Sample], owners: Sequence[int], known: Sequence[str], attacked: int, language: str
) -> AttackerGroup:  # fmt: skip
    """Let attackers know one half of each text, and read the other."""
    shown, read = [list[str]() for _ in range(max(owners) + 1)], []
    for number, (sample, owner) in enumerate(zip(samples, owners, strict=True)):
        inside = (np.arange(len(sample)) >= len(sample) // 2) == bool(attacked)
        shown[owner].append(sample.attacker_words.unmasked_text(~inside))
        read.append(AttackedText(number, inside, owner))
    texts = [*map(" ".join, shown), *known]
    background = Background.from_texts(list(map(str, range(len(texts)))), texts, language)
    return AttackerGroup.create(background, texts, read)


BY_LIMIT: Final = ("kept", "bits_kept", "ranks", "ties", "counts")
"""What a curve has of each text by limit; the rest is the same under all."""


@dataclass(frozen=True, slots=True, eq=False)
class LimitCurve:
    """What each limit does to each text: rows are texts, columns limits."""

    limits: Floats
    words: Ints = field(repr=False)
    kept: Floats = field(repr=False)
    """Words that are left."""
    bits: Floats = field(repr=False)
    """All that the phrases of a text tell."""
    bits_kept: Floats = field(repr=False)
    ranks: Floats | None = field(repr=False)
    """Of the text's own candidate: texts, limits, attackers."""
    ties: Floats | None = field(repr=False)
    """How many share the rank."""
    counts: Floats | None = field(repr=False)
    """Words that are masked rightly, wrongly, and missed: texts, limits, three."""

    def select_texts(self, texts: Ints) -> LimitCurve:
        """Take some of the texts, one as often as it is named."""
        return self._map_arrays(("words", "bits", *BY_LIMIT), lambda one: one[texts])

    def __len__(self) -> int:
        return len(self.words)

    def at_limits(self, places: Ints) -> LimitCurve:
        """Take of each text what one limit does to it, named by its place: a curve of one column."""
        rows = np.arange(len(self))
        return replace(self._map_arrays(BY_LIMIT, lambda one: one[rows, places][:, None]), limits=np.array([np.nan]))

    def _map_arrays(self, names: Iterable[str], taken: Callable[[Any], Any]) -> LimitCurve:
        every: dict[str, Any] = {name: getattr(self, name) for name in names}
        return replace(self, **{name: taken(one) for name, one in every.items() if one is not None})

    @property
    def share_kept(self) -> Floats:
        """Return the share of words that each limit leaves; NaN of texts without any."""
        return np.asarray(self.kept.sum(axis=0) / (int(self.words.sum()) or np.nan), np.float64)

    @property
    def information_kept(self) -> Floats:
        """Return the share of what phrases tell that each limit leaves, the rest being lost; NaN of nothing."""
        return np.asarray(self.bits_kept.sum(axis=0) / (float(self.bits.sum()) or np.nan), np.float64)

    def share_found(self, first: int = 1) -> Floats:
        """Return how often the own candidate is among the first, mean over attackers and the texts that are
        attacked."""
        return self._mean_over_ranks(lambda ranks, ties: top_probability(ranks, ties, first))

    @property
    def mean_log_rank(self) -> Floats:
        """Return the mean binary logarithm of the own candidate's rank: one more is to hide among twice as many."""
        return self._mean_over_ranks(lambda ranks, _: np.asarray(np.log2(ranks), np.float64))

    def _mean_over_ranks(self, measure: Callable[[Floats, Floats], Floats]) -> Floats:
        """Return the mean of a measure over attackers and the texts that are attacked; NaN where none is."""
        if self.ranks is None or self.ties is None or np.isnan(self.ranks).all():
            return np.full(len(self.limits), np.nan)
        return np.asarray(np.nanmean(measure(self.ranks, self.ties), axis=(0, 2)), np.float64)

    def precision_recall_f(self, beta: float = 1.0) -> Floats:
        """Return precision, recall and F of words: limits, three; NaN without annotations."""
        if self.counts is None:
            return np.full((len(self.limits), 3), np.nan)
        return f_score(self.counts.sum(axis=0), beta)


def f_score(counts: Floats, beta: float = 1.0) -> Floats:
    """Return precision, recall and F of rows of right, wrong and missed; NaN where there is none."""
    right, wrong, missed = counts.T
    weight = beta**2
    with np.errstate(invalid="ignore", divide="ignore"):
        whole = (1 + weight) * right / ((1 + weight) * right + weight * missed + wrong)
        return np.stack([right / (right + wrong), right / (right + missed), whole], axis=1)


def measure_limits(
    samples: Sequence[Sample], attack: LinkageAttack | None = None, *, limits: Sequence[float] = LIMITS
) -> LimitCurve:  # fmt: skip
    """Measure texts under limits."""
    kept, bits, counts = [], [], []
    for sample in samples:
        left = sample.unmasked_words(limits).T
        kept.append(left.sum(axis=0))
        bits.append(np.where(sample.phrases[:, None] < np.array(limits), sample.bits[:, None], 0.0).sum(axis=0))
        if sample.marked is not None:
            counts.append(count_words_by_limit(sample.marked, sample.annotators, left))
    whole = bool(counts) and len(counts) == len(samples)
    ranks, ties = attack.ranks(limits) if attack else (None, None)
    return LimitCurve(
        np.array(limits), np.array([len(one) for one in samples]), np.array(kept, np.float64),
        np.array([one.bits.sum() for one in samples]), np.array(bits),
        ranks, ties, np.array(counts) if whole else None,
    )  # fmt: skip


def count_words_by_limit(marked: Floats, annotators: int, left: Flags) -> Any:
    """Count words by limit: right, wrong, missed; those of each annotator."""
    wanted, others = marked[:, None], annotators - marked[:, None]
    return np.stack(
        [np.where(left, 0, wanted).sum(0), np.where(left, 0, others).sum(0), np.where(left, wanted, 0).sum(0)], 1
    )
