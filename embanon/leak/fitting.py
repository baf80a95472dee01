"""Learn what hints at one entity of a collection.

The weights of words are learnt from passages, long and short: those that name the entity (the names taken out) and
samples of it, beside passages of documents that do not, and others about nothing. They begin with what the description
says, and with the words that a model knows to be near; without any passage they stay there.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, reduce
from typing import Final

import numpy as np

from embanon.entities import Entity
from embanon.errors import ConfigError
from embanon.leak.collection import SEED, SHORT_WORDS, SMALL_COLLECTION, Collection
from embanon.leak.hints import NAME_MARK, EntityHints, ScoreScales, TextRows
from embanon.leak.passages import PASSAGE_LENGTHS, PassageScale, PassageScales, cautious_spread
from embanon.leak.regression import Flags, Floats, Ints, LogisticCurve, SparseRows, balance_classes, fit
from embanon.leak.vocabulary import cut_passages
from embanon.risk import Scale

FULL_MENTIONS: Final = 2
"""Mentions in a passage from which it counts in full."""
RIDGE: Final = 1.0
MIN_NAMING_DOCUMENTS: Final = 8
"""Documents that name an entity, below which nobody knows which share of those like them does."""
MIN_OTHERS: Final = 20
"""Other documents, below which passages about nothing tell what is usual beside them."""
FEW_DOCUMENTS: Final = 100
"""Documents below which those that do not name the entity teach nothing of what speaks of something else; where hardly
any names it, a small collection (`SMALL_COLLECTION`)."""
FEW_WORDS: Final = 60.0
"""Distinct words from which a text is measured as documents are, where there are few of these."""
MEANING_SCALE: Final = 3.0
"""How long vectors are, in the square mean over passages, which says how freely they are weighed."""
MAX_MEANT: Final = 6_000
"""Sentences of others by which vectors are weighed."""
WINDOWS_OF_NAMING: Final = 4
"""Passages of each length of a document that names the entity, by which scores are measured."""
DOCUMENT_SHARE: Final = 0.7
"""The share of a usual document's words from which a passage is one itself."""

Views = tuple[Floats, Floats]
"""The weights of words, and those by their vectors alone."""


def learn_entity(collection: Collection, entity: Entity, *, calibrate: bool = True) -> EntityHints:
    """Learn what hints at an entity; without calibration scores rank documents, and risks are usual ones."""
    shown, samples = collection.mask(entity)
    naming = np.zeros(len(collection.words), bool)
    naming[list(shown)] = True
    masked = [*shown.values(), *samples]
    numbers = np.array([*shown, *[-1] * len(samples)], np.int64)
    hidden = TextRows.from_words(masked, collection.vocabulary)
    short = TextRows.from_words(masked, collection.vocabulary, SHORT_WORDS)
    parts = [
        _others(collection.texts.passages, collection.texts.owners, naming),
        _others(*collection.short_passages, naming, is_short=True),
        _Part(collection.ordinary_passages, np.full(collection.ordinary_passages.size, -1), is_short=True),
        _telling(hidden, numbers),
        _telling(short, numbers, is_short=True),
    ]
    prior = collection.prior(entity)
    training = _Training(collection, _stack(parts), prior, naming, hidden, shown)
    if not training.passages.is_about.any() and not prior.any():
        raise ConfigError(
            "nothing is known of an entity of the policy: no document names it, and no word of its description is "
            "known; describe it in more words, give it samples, or leave it out"
        )
    return training.learn(len(shown) if calibrate else 0)


@dataclass(frozen=True, slots=True, eq=False)
class _Part:
    """Passages to learn from: whose each is (-1: nobody's), and how much it counts for the entity, 0 for others."""

    rows: SparseRows
    owners: Ints
    about: Floats | None = None
    is_short: bool = False


def _others(rows: SparseRows, owners: Ints, naming: Flags, *, is_short: bool = False) -> _Part:
    """Return the passages of documents that do not name the entity."""
    chosen = ~naming[owners]
    return _Part(rows.take(chosen), owners[chosen], None, is_short)


def _telling(texts: TextRows, numbers: Ints, *, is_short: bool = False) -> _Part:
    """Return the passages that name the entity; one of a sample is about it also where it does not."""
    owners = numbers[texts.owners]
    mentions = texts.name_counts + (owners < 0)
    chosen = mentions > 0
    full = 1 if is_short else FULL_MENTIONS
    return _Part(texts.passages.take(chosen), owners[chosen], np.clip(mentions[chosen] / full, 0, 1), is_short)


@dataclass(frozen=True, slots=True, eq=False)
class _Passages:
    """Passages about an entity and others, whose they are, how much each counts, and which are sentences."""

    rows: SparseRows
    owners: Ints
    is_about: Flags
    weights: Floats
    is_short: Flags

    def take(self, chosen: Flags) -> _Passages:
        """Return some."""
        return _Passages(
            self.rows.take(chosen), self.owners[chosen], self.is_about[chosen], self.weights[chosen],
            self.is_short[chosen],
        )  # fmt: skip


def _stack(parts: Sequence[_Part]) -> _Passages:
    rows = reduce(SparseRows.stack, [part.rows for part in parts])
    sizes = [part.rows.size for part in parts]
    weights = [np.ones(part.rows.size) if part.about is None else part.about for part in parts]
    owners = np.concatenate([part.owners for part in parts])
    about = np.repeat([part.about is not None for part in parts], sizes)
    short = np.repeat([part.is_short for part in parts], sizes)
    return _Passages(rows, owners, about, np.concatenate(weights), short)


@dataclass(frozen=True, eq=False)
class _Training:
    """What is learnt from: passages, what is known before them, and the documents that they are from."""

    collection: Collection
    passages: _Passages
    prior: Floats
    names_entity: Flags
    hidden: TextRows
    masked: Mapping[int, list[str]] = field(repr=False)

    @property
    def _has_naming_documents(self) -> bool:
        return int(self.names_entity.sum()) >= MIN_NAMING_DOCUMENTS

    @property
    def _has_few_documents(self) -> bool:
        return len(self.names_entity) < (FEW_DOCUMENTS if self._has_naming_documents else SMALL_COLLECTION)

    def fit_views(self, chosen: Flags) -> Views:
        """Learn from some of the passages."""
        if self._has_few_documents:  # too large a part of which may be about it, without its name
            chosen = chosen & (self.passages.is_about | (self.passages.owners < 0))
        kept = self.passages.take(chosen)
        if not kept.is_about.any() or kept.is_about.all():
            return self.prior, self.prior
        offset = kept.rows.dot(self.prior)
        counted = balance_classes(kept.is_about, kept.weights)
        nothing = np.zeros((kept.rows.size, 0))
        weights = self.prior + fit(kept.rows, nothing, kept.is_about, counted, offset - offset.mean(), RIDGE)[0]
        # A few sentences tell what kind of texts they are from, and not what is meant in them.
        return weights, self._fit_meaning(chosen) if self._has_naming_documents else weights

    @cached_property
    def _drawn_sentences(self) -> Flags:
        """Return which passages are sentences about the entity, or of a draw of others."""
        sentences, about = self.passages.is_short, self.passages.is_about
        others = np.random.default_rng(SEED).permutation(np.flatnonzero(sentences & ~about))
        drawn = sentences & about
        drawn[others[:MAX_MEANT]] = True
        return drawn

    @cached_property
    def _meant_sentences(self) -> Floats:
        """Return the sums of the vectors of their words."""
        return self.passages.rows.take(self._drawn_sentences).multiply(self.collection.vectors)

    def _fit_meaning(self, chosen: Flags) -> Floats:
        """Learn which vectors speak of the entity, from sentences."""
        kept = self._drawn_sentences & chosen
        about, meant = self.passages.is_about[kept], self._meant_sentences[chosen[self._drawn_sentences]]
        meant = meant - meant.mean(axis=0)
        spread = float(np.sqrt((meant**2).sum(axis=1).mean()))
        if spread < 1e-9 or not about.any():
            return self.prior
        scale = MEANING_SCALE / spread
        counted = balance_classes(about, self.passages.weights[kept])
        wordless = SparseRows(np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros(0), len(about), 0)
        ways = fit(wordless, meant * scale, about, counted, np.zeros(len(about)), RIDGE)[1]
        return np.asarray(self.collection.vectors @ (ways * scale))

    def score_documents(self, weights: Floats) -> tuple[Floats, Floats]:
        """Score all documents of the collection, without names."""
        whole, best = self.collection.texts.scores(weights)
        bare = self.hidden.scores(weights)
        for scores, left in zip((whole, best), bare, strict=True):
            scores[self.names_entity] = left[: int(self.names_entity.sum())]
        return whole, best

    def learn(self, documents: int) -> EntityHints:
        """Learn from all; which share of documents name the entity is told by halves that were not learnt from."""
        others = ~self.names_entity
        if len(others) >= MIN_OTHERS and not others.any():
            raise ConfigError(
                "every document names an entity of the policy, so that nothing tells hints at it from other words; "
                "give it a name that is less common (embanon leak check-policy), or scan more documents"
            )
        views = self.fit_views(np.ones(self.passages.rows.size, bool))
        half = np.random.default_rng(SEED).permutation(len(others)) % 2
        curve, halves = None, list[Views]()
        is_known = documents >= MIN_NAMING_DOCUMENTS and others.sum() >= MIN_OTHERS
        whole, best = (scores[others] for scores in self.score_documents(views[0]))
        scales = ScoreScales.fit(whole, best) if is_known else self._cautious_scales(views[0], whole, best)
        if is_known:
            apart = np.zeros(len(half))
            for number in (0, 1):
                here = half == number
                halves.append(self.fit_views(~np.append(here, False)[self.passages.owners]))
                parts = [scores[here] for scores in self.score_documents(halves[-1][0])]
                apart[here] = ScoreScales.fit(*(scores[others[here]] for scores in parts))(*parts)
            curve = LogisticCurve.fit(apart, self.names_entity)
        tail = Scale.from_values(scales(whole, best)) if others.sum() >= MIN_OTHERS else Scale(0.0, 1.0)
        shows = bool(self.passages.is_about.any() and (is_known or others.sum() >= FEW_DOCUMENTS))
        return EntityHints(*views, scales, tail, curve, self._measure_passages(views, halves, half), shows)

    def _cautious_scales(self, weights: Floats, whole: Floats, best: Floats) -> ScoreScales:
        """Measure the scores of few documents, with the spread of documents about nothing beside."""
        ordinary = self.collection.ordinary_documents.scores(weights)
        return ScoreScales(*(
            cautious_spread(scores, usual) for scores, usual in zip((whole, best), ordinary, strict=True)
        ))  # fmt: skip

    def _measure_passages(self, views: Views, halves: Sequence[Views], half: Ints) -> PassageScales:
        """Measure the scores of passages; which share of a score names the entity is told by the halves."""
        usual, scales = self.collection.usual_words, list[PassageScale]()
        if self._has_few_documents:
            usual = min(usual, FEW_WORDS)
        for length in PASSAGE_LENGTHS:
            windows = self._windows(length)
            real = windows.other_owners >= 0
            words = float(windows.others.known_words[real].mean()) if real.any() else 0.0
            if 0 < words <= DOCUMENT_SHARE * usual:
                curve = windows.fit_curve(halves, half, self._window_count(length)) if halves else None
                spoken, meant = (windows.others.mean_scores(view)[real] for view in views)
                scales.append(PassageScale.fit(words, spoken, meant, curve))
        return PassageScales(tuple(scales), usual)

    def _windows(self, length: int) -> _Windows:
        """Return passages of a length: those of other documents, and those that name the entity, without the name."""
        others, owners = self.collection.windows(length)
        chosen = ~np.append(self.names_entity, False)[owners]  # the last is that of ordinary words
        cut, naming = list[Sequence[str]](), list[int]()
        for number, words in self.masked.items():
            telling = [part for part in cut_passages(words, length) if NAME_MARK in part]
            cut += telling[:: -(-len(telling) // WINDOWS_OF_NAMING) or 1]
            naming += [number] * (len(cut) - len(naming))
        about = TextRows.from_words(cut, self.collection.vocabulary)
        return _Windows(others.take(chosen), owners[chosen], about, np.array(naming, np.int64))

    def _window_count(self, length: int) -> tuple[float, float]:
        """Return how many passages of a length there are in other documents, and how many name the entity."""
        sizes = np.array([len(words) for words in self.collection.words], np.float64)
        naming = sum(NAME_MARK in part for words in self.masked.values() for part in cut_passages(words, length))
        return max(float(sizes[~self.names_entity].sum()) / length, 1.0), max(float(naming), 1.0)


@dataclass(frozen=True, slots=True, eq=False)
class _Windows:
    """Passages of a length, and the documents that they are from; -1 for those of ordinary words."""

    others: TextRows
    other_owners: Ints
    about: TextRows
    about_owners: Ints

    def fit_curve(self, halves: Sequence[Views], half: Ints, counts: tuple[float, float]) -> LogisticCurve | None:
        """Learn which share of passages names the entity; ordinary ones count as much as those of other documents."""
        if not len(self.about_owners):
            return None
        weights = self._weights(counts)
        nearness = np.zeros(len(weights))
        for number, views in enumerate(halves):
            (spoken, spoken_about), (meant, meant_about) = (
                (self.others.mean_scores(view), self.about.mean_scores(view)) for view in views
            )
            here, there = self._of_half(half, number)
            real = here & (self.other_owners >= 0)
            scale = PassageScale.fit(0.0, spoken[real], meant[real])
            near = scale.nearness(np.append(spoken, spoken_about), np.append(meant, meant_about))
            kept = np.append(here, there)
            nearness[kept] = near[kept]
        about = np.arange(len(nearness)) >= len(self.other_owners)
        return LogisticCurve.fit(nearness, about, weights * len(weights) / weights.sum())

    def _weights(self, counts: tuple[float, float]) -> Floats:
        """Return for how many passages each stands, of others, of ordinary words and of those about the entity."""
        ordinary = self.other_owners < 0
        each = [counts[0] / max(int(kind.sum()), 1) for kind in (ordinary, ~ordinary)]
        about = np.full(len(self.about_owners), counts[1] / max(len(self.about_owners), 1))
        return np.append(np.where(ordinary, *each), about)

    def _of_half(self, half: Ints, number: int) -> tuple[Flags, Flags]:
        """Return which passages are of a half of the documents; of ordinary ones, every other."""
        places = np.arange(len(self.other_owners)) % 2
        return np.where(self.other_owners < 0, places, half[self.other_owners]) == number, half[
            self.about_owners
        ] == number
