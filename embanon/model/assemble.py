"""Put a counted corpus into the arrays of a model; what a model to grow has counted is added."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from embanon.config import Train
from embanon.model.collect import PERSON, Counted, postings
from embanon.model.duplicates import distinct, grams, without_formulas
from embanon.model.folder import Arrays, over
from embanon.model.keys import Keys, digests, words_of
from embanon.model.model import Model, Table
from embanon.model.vectors import Vectors
from embanon.read.corpus import Ids

Ints = NDArray[np.int64]


def by_count(counted: Counted, old: Model | None) -> Counted:
    """Number phrases and words anew, the frequent first; those of a model to grow keep their numbers."""
    phrase_order = _order(counted.sequence, len(counted.phrases), len(old.phrases) if old else 0)
    word_order = _order(counted.text, len(counted.words), len(old.words) if old else 0)
    return replace(
        counted,
        phrases=[counted.phrases[number] for number in phrase_order.tolist()],
        words=[counted.words[number] for number in word_order.tolist()],
        sequence=_inverse(phrase_order)[counted.sequence],
        text=_inverse(word_order)[counted.text],
    )


def _order(sequence: NDArray[np.int32], size: int, fixed: int) -> NDArray[np.int64]:
    counts = np.bincount(sequence, minlength=size)
    return np.concatenate([np.arange(fixed), fixed + np.argsort(-counts[fixed:], kind="stable")])


def _inverse(order: NDArray[np.int64]) -> NDArray[np.int32]:
    inverse = np.empty(len(order), np.int32)
    inverse[order] = np.arange(len(order), dtype=np.int32)
    return inverse


def _sum(new: NDArray[Any], old: NDArray[Any] | None, dtype: str = "u4") -> NDArray[Any]:
    total = new.astype(np.int64)
    if old is not None:
        total[: len(old)] += old
    return total.astype(dtype)


def _of(table: Table | None, column: str) -> NDArray[Any] | None:
    return None if table is None else getattr(table, column)


def documents(counted: Counted, old: Model | None) -> Arrays:
    """Give the documents: their ids, what they are about, and by which runs of words they are found again."""
    free = Ids(old.documents.ids if old else ())
    ids = [free.unused(id) for id in counted.ids]
    hashes = digests(counted.words)[counted.text]
    runs, holders = grams(hashes, counted.text_bounds)
    if old:
        before = old.documents
        ids = [*before.ids, *ids]
        counted = replace(
            counted,
            digests=np.concatenate([before.digests, counted.digests]),
            entity=np.concatenate([before.entities, counted.entity]),
        )
        runs, holders = distinct(
            np.concatenate([before.gram_hashes, runs]),
            np.concatenate([before.gram_documents.astype(np.int64), holders + len(before)]),
        )
    runs, holders = without_formulas(runs, holders)
    return over("documents", {
        **Keys.of(ids).arrays(), "digests": counted.digests, "entities": counted.entity,
        "gram_hashes": runs, "gram_documents": holders.astype(np.uint32),
    })  # fmt: skip


def phrases(counted: Counted, old: Model | None) -> Arrays:
    """Count phrases, and list the documents of each."""
    size = len(counted.phrases)
    table = old.phrases if old else None
    of, where = postings(counted.sequence, counted.bounds)
    held = np.bincount(of, minlength=size)
    forms = _commonest(counted.sequence, counted.form, size)
    if old:
        if old.phrases.forms is not None:
            forms[: len(old.phrases)] = old.phrases.forms
        sizes: Ints = np.diff(old.postings.starts.astype(np.int64)).astype(np.int64)
        of = np.concatenate([np.repeat(np.arange(len(sizes)), sizes), of])
        where = np.concatenate([old.postings.documents.astype(np.int64), where + len(old.documents)])
        order = np.lexsort((where, of))
        of, where = of[order], where[order]
    counts = np.bincount(counted.sequence, minlength=size)
    capitals = np.bincount(counted.sequence, counted.capital, size)
    persons = np.bincount(counted.sequence, counted.type == PERSON, size)
    return over("phrases", {
        **Keys.of(counted.phrases).arrays(), "forms": forms,
        "counts": _sum(counts, _of(table, "counts")), "documents": _sum(held, _of(table, "documents")),
        "capitals": _sum(capitals, _of(table, "capitals")), "persons": _sum(persons, _of(table, "persons")),
    }) | over("postings", {
        "starts": np.append(0, np.cumsum(np.bincount(of, minlength=size))).astype(np.uint64),
        "documents": where.astype(np.uint32),
    })  # fmt: skip


def _commonest(sequence: NDArray[np.int32], form: NDArray[np.uint8], size: int) -> NDArray[np.uint8]:
    """Give the form that each phrase has most often."""
    kinds = int(form.max(initial=0)) + 1
    votes = np.bincount(sequence.astype(np.int64) * kinds + form, minlength=size * kinds)
    best: NDArray[np.uint8] = votes.reshape(size, kinds).argmax(axis=1).astype(np.uint8)
    return best


def words(counted: Counted, arrays: Arrays, vectors: NDArray[np.float32], options: Train, old: Model | None) -> Arrays:
    """Count words, and give each the mean of the phrases that it is part of."""
    from scipy import sparse

    size, table = len(counted.words), old.words if old else None
    numbers = {word: number for number, word in enumerate(counted.words)}
    parts = [[numbers[word] for word in words_of(phrase)] for phrase in counted.phrases]
    starts = np.append(0, np.cumsum([len(part) for part in parts]))
    flat = np.array([number for part in parts for number in part], np.int64)
    counts = arrays["phrases.counts"].astype(np.float32)
    lengths = np.linalg.norm(vectors, axis=1)
    # Each phrase counts as often as it occurs, whatever its length.
    share = np.divide(counts, lengths, out=np.zeros_like(counts), where=lengths > 0)
    holds = sparse.csr_matrix((np.repeat(share, np.diff(starts)), flat, starts), (len(parts), size), np.float32)
    means = np.asarray(holds.T @ vectors)
    total = np.bincount(flat, np.repeat(counts, np.diff(starts)), size)
    means /= np.maximum(total, 1)[:, None]
    of, _ = postings(counted.text, counted.text_bounds)
    persons = np.bincount(flat, np.repeat(arrays["phrases.persons"], np.diff(starts)), size)
    return over("words", {
        **Keys.of(counted.words).arrays(),
        "counts": _sum(np.bincount(counted.text, minlength=size), _of(table, "counts")),
        "documents": _sum(np.bincount(of, minlength=size), _of(table, "documents")),
        "persons": persons.astype(np.uint32),
    }) | over("words.vectors", Vectors.of(means.astype(np.float32), options.dtype).arrays())  # fmt: skip


def statistics_of(prefix: str, capital: Mapping[str, float], joins: Iterable[str]) -> Arrays:
    """Store what the corpus says of capitals and joined names."""
    words = sorted(capital)
    shares = np.array([capital[word] for word in words], np.float32)
    return over(f"{prefix}.capital", {**Keys.of(words).arrays(), "shares": shares}) | over(
        f"{prefix}.joins", Keys.of(sorted(joins)).arrays()
    )
