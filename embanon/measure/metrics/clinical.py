"""The measures of the MEDDOCAN task (Marimon et al. 2019): named entities, spans strict and merged, leak score."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from embanon.measure.annotations import DocumentPair, Mention
from embanon.measure.metrics.share import Scores, Share, share_columns
from embanon.measure.metrics.spans import base_language, lie_within
from embanon.text import load_analyzer, split_pieces, tokenize

Span = tuple[int, int]
SentenceCounter = Callable[[str, str], int]
"""Counts the sentences of a text in a language."""


@dataclass(frozen=True, slots=True, eq=False)
class ClinicalScores:
    """What the task reports; all are micro over documents and annotators."""

    entities: Scores
    """Offsets and type are the same."""
    strict: Scores
    """Offsets are the same."""
    merged: Scores
    """Of both sides neighbors are one where no letter or digit lies between; then offsets are the same."""
    task: Scores
    """Merged as the script of the task counts it: spans that are the same strictly or merged are hits (a merged one
    beside its parts), and the others are wrong unless a hit has them."""
    leak: Share
    """Entities that are missed, by sentence."""


def count_sentences(text: str, language: str) -> int:
    """Count sentences by the project's own rules."""
    reader = load_analyzer(language)
    cut = (tokenize(piece, reader.abbreviations, reader.language) for _, piece in split_pieces(text))
    return sum(int(tokens.starts_sentence.sum()) for tokens in cut)


def clinical_scores(pairs: Sequence[DocumentPair], sentences: SentenceCounter = count_sentences) -> ClinicalScores:
    """Measure documents."""
    shares = share_columns((_row(pair, sentences) for pair in pairs), 9)
    entities, strict, merged, task = (Scores(*shares[place : place + 2]) for place in range(0, 8, 2))
    return ClinicalScores(entities, strict, merged, task, shares[8])


def _row(pair: DocumentPair, sentences: SentenceCounter) -> list[tuple[float, float]]:
    """Return hits and of how many: each comparison's precision and recall, then misses by sentence."""
    text, output = pair.gold.text, pair.output.mentions
    masked, masked_typed = _spans(output), _typed_spans(output)
    joined = merge_neighbors(text, masked)
    counts, missed = np.zeros((4, 2, 2)), 0
    for annotation in pair.gold.annotations:
        wanted, typed = _spans(annotation.mentions_to_mask), _typed_spans(annotation.mentions_to_mask)
        whole = merge_neighbors(text, wanted)
        hits = (wanted & masked) | (whole & joined)
        sides = ((masked_typed, typed), (masked, wanted), (joined, whole))
        counts[:3, 0] += [_shared_count(system, gold) for system, gold in sides]
        counts[:3, 1] += [_shared_count(gold, system) for system, gold in sides]
        counts[3] += [_task_count(masked, hits), _task_count(wanted, hits)]
        missed += len(typed - masked_typed)
    length = sentences(text, base_language(pair.gold)) * len(pair.gold.annotations)
    return [*((hits, of) for hits, of in counts.reshape(8, 2).tolist()), (missed, length)]


def _spans(mentions: Iterable[Mention]) -> set[Span]:
    return {(one.start, one.end) for one in mentions}


def _typed_spans(mentions: Iterable[Mention]) -> set[tuple[int, int, str | None]]:
    return {(one.start, one.end, one.type) for one in mentions}


def _shared_count(counted: set[Any], others: set[Any]) -> Span:
    return len(counted & others), len(counted)


def _task_count(counted: set[Span], hits: set[Span]) -> Span:
    """Count all hits, and beside them the spans that no hit has."""
    others, within = (np.array(sorted(spans), np.int64).reshape(-1, 2) for spans in (counted - hits, hits))
    return len(hits), len(hits) + int((~lie_within(others, within)).sum())


def merge_neighbors(text: str, spans: Iterable[Span]) -> set[Span]:
    """Join spans that overlap, touch, or have no letter or digit between them."""
    merged = list[Span]()
    for start, end in sorted(spans):
        if merged and not any(map(str.isalnum, text[merged[-1][1] : start])):
            merged[-1] = (merged[-1][0], max(merged[-1][1], end))
        else:
            merged.append((start, end))
    return set(merged)
