"""Assemble a model's arrays from a counted corpus, added to the counts of a model that grows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from embanon.io import UniqueIds
from embanon.language import words_of
from embanon.model.collect import PERSON, CorpusCounts, distinct_pairs
from embanon.model.duplicates import distinct_grams, drop_common_grams, sample_gram_hashes
from embanon.model.model import Model, VocabularyTable
from embanon.model.vectors import slices
from embanon.storage import Arrays, Keys, add_prefix, hash_keys

Ints = NDArray[np.int64]

SMOOTHING: Final = 10.0
"""Occurrences of a phrase that weigh as much as its words do."""


def renumber_by_frequency(counted: CorpusCounts, old: Model | None) -> CorpusCounts:
    """Number phrases and words anew, the frequent first; those of a model to grow keep their numbers."""
    phrase_order = _frequency_order(counted.sequence, len(counted.phrases), len(old.phrases) if old else 0)
    word_order = _frequency_order(counted.text, len(counted.words), len(old.words) if old else 0)
    return replace(
        counted,
        phrases=[counted.phrases[number] for number in phrase_order.tolist()],
        words=[counted.words[number] for number in word_order.tolist()],
        sequence=_inverse(phrase_order)[counted.sequence],
        text=_inverse(word_order)[counted.text],
    )


def _frequency_order(sequence: NDArray[np.int32], size: int, fixed: int) -> NDArray[np.int64]:
    counts = np.bincount(sequence, minlength=size)
    return np.concatenate([np.arange(fixed), fixed + np.argsort(-counts[fixed:], kind="stable")])


def _inverse(order: NDArray[np.int64]) -> NDArray[np.int32]:
    inverse = np.empty(len(order), np.int32)
    inverse[order] = np.arange(len(order), dtype=np.int32)
    return inverse


def _add_counts(new: NDArray[Any], table: VocabularyTable | None, column: str) -> NDArray[Any]:
    """Add what a model to grow has counted, if it has that column."""
    total, old = new.astype(np.int64), getattr(table, column, None)
    if old is not None:
        total[: len(old)] += old
    return total.astype("u4")


def document_arrays(counted: CorpusCounts, old: Model | None) -> Arrays:
    """Return the documents: their ids, what they are about, and by which runs of words they are found again."""
    free = UniqueIds(old.documents.ids if old else ())
    ids = [free.make_unique(id) for id in counted.ids]
    hashes = hash_keys(counted.words)[counted.text]
    runs, holders = sample_gram_hashes(hashes, counted.text_bounds)
    if old:
        before = old.documents
        ids = [*before.ids, *ids]
        counted = replace(
            counted,
            digests=np.concatenate([before.digests, counted.digests]),
            entity=np.concatenate([before.entities, counted.entity]),
        )
        runs, holders = distinct_grams(
            np.concatenate([before.gram_hashes, runs]),
            np.concatenate([before.gram_documents.astype(np.int64), holders + len(before)]),
        )
    runs, holders = drop_common_grams(runs, holders)
    return add_prefix("documents", {
        **Keys.from_strings(ids).arrays(), "digests": counted.digests, "entities": counted.entity,
        "gram_hashes": runs, "gram_documents": holders.astype(np.uint32),
    })  # fmt: skip


def phrase_arrays(counted: CorpusCounts, old: Model | None) -> Arrays:
    """Count phrases, and list the documents of each."""
    size = len(counted.phrases)
    table = old.phrases if old else None
    phrase_numbers, documents = distinct_pairs(counted.sequence, counted.bounds)
    held = np.bincount(phrase_numbers, minlength=size)
    forms = _most_common_form(counted.sequence, counted.form, size)
    if old:
        if old.phrases.forms is not None:
            forms[: len(old.phrases)] = old.phrases.forms
        sizes: Ints = np.diff(old.postings.starts.astype(np.int64)).astype(np.int64)
        phrase_numbers = np.concatenate([np.repeat(np.arange(len(sizes)), sizes), phrase_numbers])
        documents = np.concatenate([old.postings.documents.astype(np.int64), documents + len(old.documents)])
        order = np.lexsort((documents, phrase_numbers))
        phrase_numbers, documents = phrase_numbers[order], documents[order]
    counts = np.bincount(counted.sequence, minlength=size)
    capitals = np.bincount(counted.sequence, counted.capital, size)
    persons = np.bincount(counted.sequence, counted.type == PERSON, size)
    return add_prefix("phrases", {
        **Keys.from_strings(counted.phrases).arrays(), "forms": forms,
        "counts": _add_counts(counts, table, "counts"), "documents": _add_counts(held, table, "documents"),
        "capitals": _add_counts(capitals, table, "capitals"), "persons": _add_counts(persons, table, "persons"),
    }) | add_prefix("postings", {
        "starts": np.append(0, np.cumsum(np.bincount(phrase_numbers, minlength=size))).astype(np.uint64),
        "documents": documents.astype(np.uint32),
    })  # fmt: skip


def _most_common_form(sequence: NDArray[np.int32], form: NDArray[np.uint8], size: int) -> NDArray[np.uint8]:
    """Return the form that each phrase has most often."""
    kinds = int(np.max(form, initial=0)) + 1
    votes = np.bincount(sequence.astype(np.int64) * kinds + form, minlength=size * kinds)
    best: NDArray[np.uint8] = votes.reshape(size, kinds).argmax(axis=1).astype(np.uint8)
    return best


@dataclass(frozen=True, slots=True, eq=False)
class PhraseWords:
    """The words of each phrase n, by number: `words[starts[n]:starts[n + 1]]`."""

    words: Ints
    starts: Ints

    @classmethod
    def from_counts(cls, counted: CorpusCounts) -> PhraseWords:
        """Cut the phrases into words."""
        numbers = {word: number for number, word in enumerate(counted.words)}
        parts = [[numbers[word] for word in words_of(phrase)] for phrase in counted.phrases]
        starts = np.append(0, np.cumsum([len(part) for part in parts]))
        return cls(np.array([number for part in parts for number in part], np.int64), starts)

    def spread_to_words(self, values: NDArray[Any]) -> NDArray[Any]:
        """Return the value of its phrase to each word."""
        return np.repeat(values, np.diff(self.starts))

    def matrix(self, weights: NDArray[Any], size: int) -> Any:
        """Return phrases x words, with a weight for each place."""
        from scipy import sparse

        return sparse.csr_matrix((weights, self.words, self.starts), (len(self.starts) - 1, size), np.float32)


def word_vectors(
    parts: PhraseWords, vectors: NDArray[np.float32], counts: NDArray[Any], size: int
) -> NDArray[np.float32]:
    """Return each word the mean of the phrases that it is part of, each as often as it occurs, whatever its length."""
    counts = counts.astype(np.float32)
    lengths = np.linalg.norm(vectors, axis=1)
    share = np.divide(counts, lengths, out=np.zeros_like(counts), where=lengths > 0)
    total = np.bincount(parts.words, parts.spread_to_words(counts), size)
    means = np.asarray(parts.matrix(parts.spread_to_words(share), size).T @ vectors) / np.maximum(total, 1)[:, None]
    return means.astype(np.float32)


def smooth_phrase_vectors(
    parts: PhraseWords,
    vectors: NDArray[np.float32],
    words: NDArray[np.float32],
    rarity: NDArray[Any],
    counts: NDArray[Any],
) -> NDArray[np.float32]:
    """Draw the vectors of phrases to those of their words, the more the rarer they are; lengths stay.

    A phrase that was seen once is nearly where chance has put it; its words were seen more often. `counts` of 0 leave
    a phrase as it is.
    """
    units = words / np.maximum(np.linalg.norm(words, axis=1, keepdims=True), np.finfo(np.float32).tiny)
    matrix = parts.matrix(rarity[parts.words], len(words))
    smoothed = vectors.copy()
    for part in slices(len(vectors)):
        seen = counts[part, None].astype(np.float32)
        of_words = np.asarray(matrix[part] @ units)
        of_words /= np.maximum(np.linalg.norm(of_words, axis=1, keepdims=True), np.finfo(np.float32).tiny)
        length = np.linalg.norm(vectors[part], axis=1, keepdims=True)
        drawn = seen * vectors[part] / np.maximum(length, np.finfo(np.float32).tiny) + SMOOTHING * of_words
        drawn *= length / np.maximum(np.linalg.norm(drawn, axis=1, keepdims=True), np.finfo(np.float32).tiny)
        smoothed[part] = np.where((seen > 0) & (of_words != 0).any(axis=1, keepdims=True), drawn, vectors[part])
    return smoothed


def word_arrays(counted: CorpusCounts, parts: PhraseWords, arrays: Arrays, old: Model | None) -> Arrays:
    """Count words."""
    size, table = len(counted.words), old.words if old else None
    word_numbers, _ = distinct_pairs(counted.text, counted.text_bounds)
    persons = np.bincount(parts.words, parts.spread_to_words(arrays["phrases.persons"]), size)
    return add_prefix("words", {
        **Keys.from_strings(counted.words).arrays(),
        "counts": _add_counts(np.bincount(counted.text, minlength=size), table, "counts"),
        "documents": _add_counts(np.bincount(word_numbers, minlength=size), table, "documents"),
        "persons": persons.astype(np.uint32),
    })  # fmt: skip


def statistics_arrays(prefix: str, capital: Mapping[str, float], joins: Iterable[str]) -> Arrays:
    """Store what the corpus says of capitals and joined names."""
    words = sorted(capital)
    shares = np.array([capital[word] for word in words], np.float32)
    return add_prefix(f"{prefix}.capital", {**Keys.from_strings(words).arrays(), "shares": shares}) | add_prefix(
        f"{prefix}.joins", Keys.from_strings(sorted(joins)).arrays()
    )
