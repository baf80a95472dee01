"""Collections that are counted once and trained in several ways, and annotated phrases to be told by scores."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from embanon.config.load import load
from embanon.document import TYPES, Document
from embanon.io.read.corpus import CorpusDocument
from embanon.language.normalize import TRAILING_BRACKET
from embanon.model.assemble import renumber_by_frequency
from embanon.model.collect import CorpusCollector, CorpusCounts
from embanon.model.model import Model
from embanon.model.train import build_model
from embanon.storage.folder import save
from embanon.text.find import StatisticsByLanguage, find_all, find_batches, gather_statistics
from eval.boundaries import rows
from eval.frequencies import Flags, area, mask

CONFIG: Final = replace(load(environment={}).config, language="en")
THREADS: Final = 2
PERSON: Final = TYPES.index("PERSON")
PLAIN: Final[dict[str, Any]] = {
    "sg": 1, "vector_size": 300, "window": 10, "epochs": 10, "negative": 5, "min_count": 1, "workers": THREADS,
}  # fmt: skip
"""The settings of the thesis, for words."""

Floats = NDArray[np.float32]
Score = Callable[["Annotated"], NDArray[np.floating[Any]]]
"""Gives each phrase a number that is larger where it shall be masked, NaN where it does not know the phrase."""


@dataclass(frozen=True, slots=True)
class Collection:
    """Documents that differ, and what has been counted of them."""

    sources: tuple[CorpusDocument, ...] = field(repr=False)
    counted: CorpusCounts = field(repr=False)
    statistics: StatisticsByLanguage = field(repr=False)

    @classmethod
    def of(cls, sources: Iterable[CorpusDocument]) -> Collection:
        """Count documents, each text once."""
        different = tuple({source.document.text: source for source in sources}.values())
        documents = [source.document for source in different]
        statistics = gather_statistics(documents, config=CONFIG)
        collector, done = CorpusCollector(), 0
        for together in find_batches(documents, config=CONFIG, statistics=statistics):
            here = different[done : done + len(together.documents)]
            collector.add(together, [source.entity for source in here])
            done += len(here)
        # Numbers are given by count once and for all, so that they are those of every model.
        return cls(different, renumber_by_frequency(collector.to_counts(), None), statistics)

    @property
    def texts(self) -> list[str]:
        """Return the texts."""
        return [source.document.text for source in self.sources]

    def train(self, folder: Path, **options: Any) -> Model:
        """Train a model in a folder, with options other than the usual."""
        chosen = replace(CONFIG.train, threads=THREADS, grow=False, **options)
        save(folder, *build_model(self.counted, self.statistics, chosen))
        return Model.open(folder)

    def plain(self) -> Plain:
        """Train a plain word2vec on the words."""
        texts = self.texts
        return Plain.of(train_plain([plain_words(text) for text in texts]), texts)


def sources(data: Path, name: str) -> Iterator[CorpusDocument]:
    """Return the documents of a file, with the titles or names that say whom they are about."""
    for row in rows(data / f"{name}.jsonl.gz"):
        id = str(row.get("doc_id") or row["id"])
        yield CorpusDocument(Document(f"{name} {id}", row["text"], "en"), row.get("title") or named(name, id) or None)


def named(file: str, id: str) -> str:
    """Return the name that the id of a document is made of, "" where it names nobody."""
    if file.startswith("wikibios"):
        return id.replace("-", " ").strip()
    return TRAILING_BRACKET.sub("", id) if file.startswith("wikiactors") else ""


@dataclass(frozen=True, slots=True)
class Annotated:
    """A document, the name of whom it is about ("" if nobody is known), and its phrases, of which some are gold."""

    name: str = field(repr=False)
    text: str = field(repr=False)
    spans: tuple[tuple[int, int], ...]
    phrases: tuple[str, ...] = field(repr=False)
    gold: Flags


def annotated(data: Path, name: str, statistics: StatisticsByLanguage) -> list[Annotated]:
    """Find the phrases of a set; a phrase is gold when at least half of its characters are to be masked.

    TAB names nobody: there the first phrase is taken that is found to be a person.
    """
    given = list(rows(data / name / "gold.jsonl.gz"))
    documents = [Document("", row["text"], "en") for row in given]
    found = []
    for row, analysis in zip(given, find_all(documents, config=CONFIG, statistics=statistics), strict=True):
        phrases, text = analysis.phrases, row["text"]
        spans = tuple(zip(phrases.start.tolist(), phrases.end.tolist(), strict=True))
        written = tuple(text[start:end] for start, end in spans)
        marked = mask(row)
        gold = np.array([marked[start:end].mean() >= 0.5 for start, end in spans])
        people = np.flatnonzero(phrases.type == PERSON)[:1]
        first = written[int(people[0])] if len(people) else ""
        about = named(name, str(row.get("doc_id", ""))) or first
        found.append(Annotated(about, text, spans, written, gold))
    return found


@dataclass(frozen=True, slots=True)
class Outcome:
    """How well a score tells gold phrases from harmless ones, with unknown ones on top and without them."""

    area: float
    known: float
    unknown: int


def judge(documents: Sequence[Annotated], score: Score) -> Outcome:
    """Score all phrases; one that is unknown is risky, above all others."""
    scores = np.concatenate([np.asarray(score(document), np.float64) for document in documents])
    gold = np.concatenate([document.gold for document in documents])
    known = ~np.isnan(scores)
    whole = area(np.where(known, scores, np.inf), gold)
    some = area(scores[known], gold[known]) if np.ptp(gold[known].astype(int)) else np.nan
    return Outcome(whole, some, int((~known).sum()))


def plain_words(text: str) -> list[str]:
    """Return the words of a text as a plain word2vec is given them."""
    return re.findall(r"\w+", text.lower())


@dataclass(frozen=True, slots=True)
class Plain:
    """A plain word2vec of words: a phrase is the mean of its words, each weighted by its rarity."""

    places: dict[str, int] = field(repr=False)
    vectors: Floats = field(repr=False)
    rarity: NDArray[np.float64] = field(repr=False)

    @classmethod
    def of(cls, trained: Any, texts: Sequence[str]) -> Plain:
        """Take the vectors of gensim, and the texts that they were learnt from."""
        places = trained.key_to_index
        counts = np.zeros(len(places))
        for text in texts:
            counts[[places[word] for word in set(plain_words(text))]] += 1
        rarity = np.maximum(-np.log2((counts + 0.5) / len(texts)), 0.01)
        return cls(places, trained.get_normed_vectors(), rarity)

    def vector(self, phrase: str) -> Floats:
        """Return the unit vector of a phrase; NaN if no word is known."""
        words = [self.places[word] for word in plain_words(phrase) if word in self.places]
        if not words:
            return np.full(self.vectors.shape[1], np.nan, np.float32)
        mean = self.rarity[words] @ self.vectors[words]
        return np.asarray(mean / np.linalg.norm(mean), np.float32)

    def score(self, document: Annotated) -> Floats:
        """Return the cosine of each phrase to the name."""
        name = self.vector(document.name)
        return np.array([self.vector(phrase) @ name for phrase in document.phrases], np.float32)


def train_plain(documents: Sequence[Sequence[str]], seed: int = 1) -> Any:
    """Train gensim's word2vec on documents that are cut into words, and give its vectors."""
    from gensim.models import Word2Vec

    return Word2Vec(documents, seed=seed, **PLAIN).wv
