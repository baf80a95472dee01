"""Tell what a text is about when nothing in it names it: topics of diplomatic papers, all mentions removed.

The papers with at least three mentions of a topic are to be told from those with none. The score is the cosine
of the mean of a paper's phrases (or words), each weighted by its rarity, to the name of the topic.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from embanon.language.normalize import words_of
from embanon.model.model import Model, VocabularyTable
from eval.frequencies import area
from eval.labeled import Collection, Plain, plain_words, sources

TOPICS: Final = ("nuclear", "oil", "vietnam", "israel", "berlin", "cuba", "korea")
"""A mention is a word that begins so."""
MENTIONS: Final = 3
SETTINGS: Final[tuple[tuple[str, dict[str, Any]], ...]] = (
    ("word2vec, seed 1", {}),
    ("word2vec, seed 2", {"seed": 2}),
    ("word2vec, 10 epochs", {"epochs": 10}),
)

Floats = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Space:
    """What documents are made of: keys, their unit vectors, their rarity, and how often each is in each document."""

    keys: Sequence[str] = field(repr=False)
    units: Floats = field(repr=False)
    rarity: NDArray[np.float64] = field(repr=False)
    counts: Any = field(repr=False)

    def areas(self, topic: Callable[[str], Floats], mentions: NDArray[np.int64]) -> list[float]:
        """Return the AUC of each topic, whose vector is `topic` of its name."""
        weighted = np.asarray(self.units * self.rarity[:, None], np.float32)
        weighted[~np.isfinite(weighted)] = 0
        whole = self.counts @ weighted
        found = []
        for number, name in enumerate(TOPICS):
            naming = [n for n, key in enumerate(self.keys) if name in key and _names(key, name)]
            means = whole - self.counts[:, naming] @ weighted[naming]
            # A document of which nothing is left is about nothing.
            cosines = means @ topic(name) / np.maximum(np.linalg.norm(means, axis=1), 1e-9)
            found.append(of_topic(cosines, mentions[number]))
        return found


def _names(key: str, name: str) -> bool:
    return any(word.startswith(name) for word in words_of(key))


def of_topic(scores: NDArray[np.floating[Any]], mentions: NDArray[np.int64]) -> float:
    """Return the AUC of one topic; documents with one or two mentions are neither."""
    clear = (mentions == 0) | (mentions >= MENTIONS)
    return area(np.asarray(scores[clear], np.float64), mentions[clear] >= MENTIONS)


def units(rows: Floats) -> Floats:
    """Return rows of length 1."""
    return np.asarray(rows / np.linalg.norm(rows, axis=1, keepdims=True), np.float32)


def counted(sequence: NDArray[np.int32], bounds: NDArray[np.int64], size: int) -> Any:
    """Count each number in each document, as a sparse matrix."""
    from scipy import sparse

    return sparse.csr_matrix((np.ones(len(sequence), np.float32), sequence, bounds), (len(bounds) - 1, size))


def of_model(model: Model, table: VocabularyTable, sequence: NDArray[np.int32], bounds: NDArray[np.int64]) -> Space:
    """Return the space of a model's phrases or words."""
    every = np.arange(len(table))
    rows = table.vectors.rows(every)
    return Space(list(table.keys), units(rows), model.rarity(table, every), counted(sequence, bounds, len(table)))


def of_plain(plain: Plain, texts: Sequence[str]) -> Space:
    """Return the space of a plain word2vec."""
    documents = [[plain.places[word] for word in plain_words(text)] for text in texts]
    sequence = np.array([number for document in documents for number in document], np.int32)
    bounds = np.append(0, np.cumsum([len(document) for document in documents]))
    return Space(list(plain.places), plain.vectors, plain.rarity, counted(sequence, bounds, len(plain.places)))


def line(label: str, areas: Sequence[float]) -> str:
    """Write the mean of the topics, and each."""
    return f"{label:36}{np.mean(areas):6.3f}  " + "".join(f"{each:9.3f}" for each in areas)


def report(data: Path, folder: Path) -> Iterator[str]:
    """Return the lines of the table; models are trained in a folder."""
    collection = Collection.of(sources(data, "frus/documents"))
    counts, texts = collection.counted, collection.texts
    mentions = np.array([[len(re.findall(rf"\b{name}", text.lower())) for text in texts] for name in TOPICS])
    many, few = (mentions >= MENTIONS).sum(axis=1), (mentions == 0).sum(axis=1)
    yield f"Topics of {len(texts)} diplomatic papers without their names, AUC\n"
    yield f"{'':36}{'mean':>6}  " + "".join(f"{name:>9}" for name in TOPICS)
    yield f"{'papers about it':36}{'':6}  " + "".join(f"{n:9}" for n in many)
    yield f"{'papers without it':36}{'':6}  " + "".join(f"{n:9}" for n in few)
    yield line("floor: search for the name", [of_topic(np.zeros(len(texts)), each) for each in mentions])
    yield line("floor: length in phrases", [of_topic(np.diff(counts.bounds), each) for each in mentions])
    for label, options in SETTINGS:
        model = collection.train(folder / "topics", **options)
        phrases = of_model(model, model.phrases, counts.sequence, counts.bounds)
        words = of_model(model, model.words, counts.text, counts.text_bounds)
        for what, space, table in (("phrases", phrases, model.phrases), ("words", words, model.words)):

            def topic(name: str, model: Model = model, table: VocabularyTable = table) -> Floats:
                number = table.keys.find([name])
                found = table.vectors.rows(number) if number[0] >= 0 else model.find([name]).vectors
                return np.asarray(units(found)[0])

            yield line(f"{label}: {what}", space.areas(topic, mentions))
    plain = collection.plain()
    yield line("plain word2vec, 10 epochs: words", of_plain(plain, texts).areas(plain.vector, mentions))
