"""Look for near copies: passages of a text that also stand, or nearly, in a document that discloses an entity.

A passage, of one sentence or a few, counts by what the shingles tell that it shares with one place of a source, and by
how much of the passage they are: a sentence that is copied is more than half of a longer one. What tells little is
never a copy: three common words are said by everybody. A shingle that some sources have which do not disclose the
entity tells nothing of it; one that many sources have tells little.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

import numpy as np

from embanon.config import PRESETS
from embanon.leak.copies import STRETCH_WORDS, CopyIndex
from embanon.leak.regression import Flags, Floats, Ints
from embanon.leak.shingles import Shingles, TellingWords, token_spans

MAX_POSTINGS: Final = 64
"""Stretches that may have a shingle, above which it tells nothing."""
COMMON_DOCUMENTS: Final = 3
"""Documents that do not disclose an entity, from which a shingle in them tells nothing of it."""
MAX_CANDIDATES: Final = 8
"""Places of sources that are compared with one text, the likeliest first."""
MAX_PASSAGE_SENTENCES: Final = 3
MAX_SENTENCE_WORDS: Final = 40
"""Telling words after which a sentence is cut, as a table is."""
STANDARD_SCORE: Final = 1.8
"""The score of a passage at standard risk, in a text of one passage."""
UNSEEN_COST: Final = 1.5
"""How much higher the score must be where no documents show what is common."""
PASSAGE_WORDS: Final = 64
"""Telling words of a text, above which more than one passage is tried, so that chance has more to choose from."""
ROUGH_SHARE: Final = 0.4
"""The share of the least score that a sentence has by itself, if it is worth comparing."""
PASSAGE_COST: Final = 0.5
"""How much the score must be higher each time when a text is twice as long."""
STANDARD_ODDS: Final = PRESETS["standard"][0] / (1 - PRESETS["standard"][0])
STEEPNESS: Final = 2.0
"""How fast the odds rise with the score."""
FULL_WORDS: Final = 5
"""Distinct telling words from which a passage counts in full: a name with its title is said by many."""
MIN_SCORE: Final = 0.9
"""The score below which nothing is a copy."""


@dataclass(frozen=True, slots=True)
class NearCopy:
    """A passage of a text that nearly repeats a document."""

    entity: int
    risk: float
    source: int
    score: float
    words: Ints = field(repr=False)
    """The tokens of the text that both have."""
    weights: Floats = field(repr=False)
    """What each of these tells."""

    def spans(self, text: str) -> list[tuple[int, int]]:
        """Return where these words stand in the text, as half-open code points."""
        return list(token_spans(text, self.words))


def copy_risk(score: float) -> float:
    """Return the risk of a score."""
    odds = STANDARD_ODDS * (score / STANDARD_SCORE) ** STEEPNESS
    return float(odds / (1 + odds))


def find_copies(
    index: CopyIndex, texts: Sequence[str], disclosed: Sequence[Collection[int]] = ()
) -> list[tuple[NearCopy, ...]]:
    """Return, of each text, the nearest copy for each entity but for those that it discloses anyway."""
    if not len(index) or not texts:
        return [()] * len(texts)
    search = _Search.from_texts(index, texts)
    nearest: list[dict[int, NearCopy]] = [{} for _ in texts]
    known = [frozenset(one) for one in disclosed] or [frozenset[int]()] * len(texts)
    for number, window in search.candidates(index, [index.hasher.digest(text) for text in texts], known):
        for copy in search.compare(index, number, window, known[number]):
            best = nearest[number].get(copy.entity)
            if best is None or copy.score > best.score:
                nearest[number][copy.entity] = copy
    return [tuple(copies[one] for one in sorted(copies)) for copies in nearest]


@dataclass(frozen=True, slots=True, eq=False)
class _Search:
    """Some texts, and where their shingles stand in the sources."""

    words: TellingWords
    shingles: Shingles
    sentences: Ints = field(repr=False)
    """The sentence of each telling word; a long one is several."""
    weights: Floats = field(repr=False)
    """What each shingle tells of a source that has it: nothing where it is common, or stood before in the text."""
    owners: Ints = field(repr=False)
    """Of each posting, the shingle of a text."""
    stretches: Ints = field(repr=False)
    sources: Ints = field(repr=False)
    bounds: Ints
    """The first posting of each text, and the end of the last."""
    costs: Floats
    """By what the scores of each text are divided: in a long one chance has more to choose from."""

    @classmethod
    def from_texts(cls, index: CopyIndex, texts: Sequence[str]) -> _Search:
        """Look shingles up."""
        words = index.hasher.read(texts)
        shingles = Shingles.from_words(words)
        starts, counts = index.postings(shingles.hashes)
        held = np.maximum(counts, 1)
        weights = shingles.weights * (1 - np.log(held) / np.log(len(index) + 2))
        weights[(counts > MAX_POSTINGS) | (counts == 0)] = 0
        weights[_repeated(words, shingles)] = 0
        counts = np.where(weights > 0, counts, 0)
        owners = np.repeat(np.arange(len(counts)), counts)
        before = np.cumsum(counts) - counts
        stretches = index.stretches[np.repeat(starts - before, counts) + np.arange(len(owners))].astype(np.int64)
        return cls(
            words, shingles, _cut_sentences(words), weights, owners, stretches, index.sources_of(stretches),
            np.searchsorted(words.texts[shingles.words[owners]], np.arange(words.text_count + 1)),
            _score_costs(index, words),
        )  # fmt: skip

    def candidates(
        self, index: CopyIndex, digests: Sequence[int], disclosed: Sequence[frozenset[int]]
    ) -> Iterator[tuple[int, int]]:
        """Yield places of sources that have much of a passage of a text: its number, and the first of two stretches."""
        useful = np.ones(len(self.owners), bool)
        texts = np.repeat(np.arange(self.words.text_count), np.diff(self.bounds))
        for number, (digest, known) in enumerate(zip(digests, disclosed, strict=True)):
            itself = index.sources_with(digest)
            if known or itself:
                part = slice(*self.bounds[number : number + 2])
                useful[part] = _useful_sources(index, known, itself)[self.sources[part]]
        chosen = np.flatnonzero(useful)
        if not len(chosen):
            return
        width = int(index.bases[-1]) + 2
        sentences = self.sentences[self.shingles.words]
        cells, where, places = np.unique(
            sentences[self.owners[chosen]] * width + self.stretches[chosen], return_index=True, return_inverse=True
        )
        telling = np.bincount(places, self.weights[self.owners[chosen]])
        following = np.flatnonzero(np.diff(cells) == 1)
        together = telling.copy()
        together[following] += telling[following + 1]
        whole = np.bincount(sentences, self.shingles.weights)[cells // width]
        rough = together**2 / np.maximum(whole, 1e-9)
        order = np.argsort(-rough, kind="stable")
        order = order[rough[order] >= ROUGH_SHARE * MIN_SCORE * self.costs[texts[chosen[where[order]]]]]
        seen = defaultdict[int, set[int]](set)
        for cell in order.tolist():
            number, window = int(texts[chosen[where[cell]]]), int(cells[cell] % width)
            if len(seen[number]) < MAX_CANDIDATES and window not in seen[number]:
                seen[number].add(window)
                yield number, window

    def compare(self, index: CopyIndex, number: int, window: int, known: frozenset[int]) -> Iterator[NearCopy]:
        """Yield the best passage of a text that has much of a place of a source, for each of its entities."""
        part = slice(*self.bounds[number : number + 2])
        near = (self.stretches[part] >= window - 1) & (self.stretches[part] <= window + 2)
        sources = self.sources[part]
        cost = float(self.costs[number])
        inside = (self.stretches[part] == window) | (self.stretches[part] == window + 1)
        for source in np.unique(sources[inside]).tolist():
            matched = np.unique(self.owners[part][near & (sources == source)])
            for entity in sorted(index.entities[source] - known):
                telling = self._telling(index, part, matched, entity)
                if telling.sum() >= MIN_SCORE * cost and (best := self._best_passage(matched, telling)):
                    score, kept = best
                    copy = self._build(entity, source, score / cost, matched[kept], telling[kept])
                    if copy.score >= MIN_SCORE:
                        yield copy

    def _telling(self, index: CopyIndex, part: slice, matched: Ints, entity: int) -> Floats:
        """Return what shingles tell of an entity, which those do not that stand in documents of others."""
        places = np.flatnonzero(np.isin(self.owners[part], matched))
        pairs = np.unique(self.owners[part][places] * len(index) + self.sources[part][places])
        owners, sources = np.divmod(pairs, len(index))
        others = np.bincount(np.searchsorted(matched, owners), ~index.naming(entity)[sources], len(matched))
        return np.where(others >= COMMON_DOCUMENTS, 0.0, self.weights[matched])

    def _best_passage(self, matched: Ints, telling: Floats) -> tuple[float, Flags] | None:
        """Return the passage that scores best: what it shares, times how much of it that is; and its shingles."""
        first, last = self.shingles.words, self.shingles.lasts
        starts, ends = self.sentences[first[matched]], self.sentences[last[matched]]
        sentences = np.unique(starts[telling > 0])
        best: tuple[float, Flags] | None = None
        for start in sentences.tolist():
            for end in range(start, start + MAX_PASSAGE_SENTENCES):
                if end not in sentences:
                    continue
                kept = (starts >= start) & (ends <= end)
                words = np.searchsorted(self.sentences, [start, end + 1])
                few = slice(*np.searchsorted(first, words))
                whole = self.shingles.weights[few][last[few] < words[1]].sum()
                full = self.shingles.weights[matched[kept & (telling > 0)]].sum()
                score = float(telling[kept].sum() * full / whole) if whole else 0.0
                if best is None or score > best[0]:
                    best = score, kept & (telling > 0)
        return best

    def _build(self, entity: int, source: int, score: float, matched: Ints, telling: Floats) -> NearCopy:
        both = np.concatenate([self.shingles.words[matched], self.shingles.lasts[matched]])
        words, places = np.unique(both, return_inverse=True)
        weights = np.bincount(places, np.tile(telling, 2)).astype(np.float64)
        score *= min((len(words) - 1) / (FULL_WORDS - 1), 1.0)
        return NearCopy(entity, copy_risk(score), source, score, self.words.places[words], weights)


def _score_costs(index: CopyIndex, words: TellingWords) -> Floats:
    """Return by what the scores of each text are divided."""
    lengths = np.bincount(words.texts, minlength=words.text_count)
    costs = 1 + PASSAGE_COST * np.maximum(np.log2(np.maximum(lengths, 1) / PASSAGE_WORDS), 0.0)
    return costs if len(index.common) else UNSEEN_COST * costs


def _repeated(words: TellingWords, shingles: Shingles) -> Flags:
    """Return which shingles stood shortly before in the same text: what is repeated tells once."""
    blocks = shingles.words // (3 * STRETCH_WORDS) + words.texts[shingles.words] if len(words.texts) else shingles.words
    _, first = np.unique(shingles.hashes.astype(np.int64) << 31 | blocks, return_index=True)
    repeated = np.ones(len(shingles.hashes), bool)
    repeated[first] = False
    return repeated


def _cut_sentences(words: TellingWords) -> Ints:
    """Return the sentence of each word, long ones cut."""
    number = np.arange(len(words.sentences))
    begins = np.diff(words.sentences, prepend=-1) > 0
    offset = number - np.maximum.accumulate(np.where(begins, number, 0))
    return np.cumsum(begins | (offset > 0) & (offset % MAX_SENTENCE_WORDS == 0))


def _useful_sources(index: CopyIndex, known: frozenset[int], itself: Sequence[int]) -> Flags:
    """Return the sources that disclose more than is known, and are not the text itself."""
    useful = np.array([not one <= known for one in index.entities]) if known else np.ones(len(index), bool)
    useful[[number for number in itself if any(index.keys[number])]] = False  # a sample has no key, and no name in it
    return useful
