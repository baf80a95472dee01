"""Measure what vectors and counts tell of phrases: `python -m eval.detection --data ../shared/data`.

*Detection*: how well the score of a phrase tells gold phrases, of which at least half is to be masked, from
harmless ones (AUC). A phrase that is unknown is risky, so above all others: `known` is the AUC without such
phrases, `unk` their number. Cosines are those to the name of whom the document is about; TAB names nobody, there
it is the first phrase that is found to be a person. Collections: for wikiactors and wikibios the actors' corpus
with the biographies, for tab the public text about the cases with the cases themselves; all contain the
documents that are scored, but where it says *left out*. *Topics* and *word pairs* say what they are.
All sets are the developers' halves. Threads make word2vec differ from run to run, so two seeds are shown.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.metadata import version
from itertools import chain
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from embanon.language.normalize import key, words_of
from embanon.model.model import Model, VocabularyTable
from embanon.model.vectors import Vectors
from embanon.storage.folder import MODEL, load, select_prefix
from eval import topics
from eval.labeled import THREADS, Annotated, Collection, Outcome, Score, annotated, judge, sources
from eval.speed import machine

SETS: Final = ("wikiactors", "wikibios", "tab")
COLLECTIONS: Final = {
    ("wikiactors", "wikibios"): ("actors/corpus", "wikibios/gold"),
    ("tab",): ("tab/background", "tab/gold"),
}
SETTINGS: Final[tuple[tuple[str, dict[str, Any]], ...]] = (
    ("word2vec, seed 1", {}),
    ("word2vec, seed 2", {"seed": 2}),
    ("fastText", {"backend": "fasttext"}),
)
LIBRARIES: Final = ("numpy", "gensim", "sentence-transformers")
WIDE: Final = 46
SHIPPED: Final = Path("embeddings/models/en")
PAIRS: Final = (("WordSim-353", "wordsim353.tsv"), ("SimLex-999", "simlex999.txt"))

Floats = NDArray[np.floating[Any]]


def cosine(model: Model) -> Score:
    """Score by the cosine to the name."""
    return lambda document: model.similarity(document.name, document.phrases)[0]


def rarity_of_phrase(model: Model) -> Score:
    """Score by the rarity of the whole phrase."""
    return lambda document: _rarity(model, model.phrases, [key(phrase) for phrase in document.phrases])


def rarity_of_words(model: Model) -> Score:
    """Score by the rarity of the rarest word of a phrase."""

    def score(document: Annotated) -> Floats:
        words = [words_of(key(phrase)) for phrase in document.phrases]
        found = iter(_rarity(model, model.words, [word for some in words for word in some]))
        return np.array([max((next(found) for _ in some), default=np.nan, key=_order) for some in words])

    return score


def _order(value: float) -> float:
    return np.inf if np.isnan(value) else value


def _rarity(model: Model, table: VocabularyTable, keys: Sequence[str]) -> Floats:
    numbers = table.keys.find(keys)
    return np.where(numbers < 0, np.nan, model.rarity(table, numbers))


def association(model: Model, *, left_out: bool) -> Score:
    """Score by the pointwise mutual information of phrase and name over documents, half a document added to counts.

    The documents of the name are those about it, and those that have it. Where what is nearly the same as the
    document that is scored is left out, a phrase that no other has is unknown.
    """

    def score(document: Annotated) -> Floats:
        without = model.near_duplicates(document.text) if left_out else np.zeros(0, np.int64)
        entity = model.find_entity(document.name)
        number = int(model.find([document.name]).numbers[0])
        about = model.documents_about(entity) if entity is not None else without[:0]
        holding = model.documents_with(number) if number >= 0 else without[:0]
        others = np.setdiff1d(np.union1d(about, holding), without)
        numbers = model.find(document.phrases).numbers
        held = np.where(numbers >= 0, model.phrases.documents[numbers].astype(np.int64), 0)
        held = held - model.count_together(numbers, without)
        both = model.count_together(numbers, others)
        total = len(model.documents) - len(without)
        information = np.log2(total * (both + 0.5) / ((held + 0.5) * (len(others) + 0.5)))
        return np.where(held > 0, information, np.nan)

    return score


def entity_cosine(model: Model) -> Score:
    """Score by the cosine to the vector of the entity itself."""
    vectors = Vectors.from_arrays(select_prefix(load(model.path)[1], "entities.vectors"))

    def score(document: Annotated) -> Floats:
        found = model.find(document.phrases).vectors
        entity = model.find_entity(document.name)
        vector = vectors.rows([-1 if entity is None else entity])[0]
        return np.asarray(found @ vector / np.linalg.norm(found, axis=1) / np.linalg.norm(vector))

    return score


@dataclass(frozen=True, slots=True)
class Rows:
    """The outcomes by label and by set."""

    cells: dict[str, dict[str, Outcome]] = field(default_factory=dict)

    def add(self, label: str, documents: Mapping[str, Sequence[Annotated]], score: Score) -> None:
        """Judge a score on some sets."""
        for name, some in documents.items():
            self.cells.setdefault(label, {})[name] = judge(some, score)

    def lines(self) -> Iterator[str]:
        """Write the table."""
        yield f"{'':{WIDE}}" + "".join(f"{name:^22}" for name in SETS)
        yield f"{'':{WIDE}}" + f"{'AUC':>8}{'known':>7}{'unk':>6} " * len(SETS)
        for label, row in self.cells.items():
            yield f"{label:{WIDE}}" + "".join(_cell(row.get(name)) for name in SETS)


def _cell(outcome: Outcome | None) -> str:
    if outcome is None:
        return f"{'-':>8}{'-':>7}{'-':>6} "
    return f"{outcome.area:8.3f}{outcome.known:7.3f}{outcome.unknown:6} "


def floors(rows: Rows, documents: Mapping[str, Sequence[Annotated]], model: Model) -> None:
    """Add what needs no vectors."""
    chance = np.random.default_rng(1)
    rows.add("floor: random, seed 1", documents, lambda document: chance.random(len(document.phrases)))
    rows.add(
        "floor: length in characters", documents, lambda document: np.array([len(p) for p in document.phrases], float)
    )
    rows.add("floor: IDF of the phrase", documents, rarity_of_phrase(model))
    rows.add("floor: IDF of its rarest word", documents, rarity_of_words(model))


def vectors(rows: Rows, documents: Mapping[str, Sequence[Annotated]], collection: Collection, folder: Path) -> None:
    """Train on a collection in several ways, and add what the models tell."""
    for number, (label, options) in enumerate(SETTINGS):
        model = collection.train(folder / "model", **options)
        if number == 0:
            floors(rows, documents, model)
        rows.add(f"cosine: {label}", documents, cosine(model))
        if number == 0:
            rows.add("PMI, the document left out", documents, association(model, left_out=True))
            rows.add("PMI: look-up of the document itself", documents, association(model, left_out=False))
    rows.add("cosine: plain word2vec of words, 10 epochs", documents, collection.plain().score)


def entities(rows: Rows, documents: Mapping[str, Sequence[Annotated]], data: Path, everything: Collection) -> None:
    """Add vectors of entities: with the documents that are scored in training, and without them.

    Without them there is no document about a person left, so for wikiactors the rest of each article is added.
    """
    with tempfile.TemporaryDirectory() as folder:
        model = everything.train(Path(folder) / "model", entity_vectors=True)
        rows.add("entity vector: look-up of the document itself", documents, entity_cosine(model))
        scored = chain.from_iterable(documents.values())
        same = {model.documents.ids[int(n)] for document in scored for n in model.near_duplicates(document.text)}
        left = [source for source in everything.sources if source.document.id not in same]
        model = Collection.of([*left, *sources(data, "wikiactors/background")]).train(
            Path(folder) / "model", entity_vectors=True
        )
        actors = {"wikiactors": documents["wikiactors"]}
        rows.add("entity vector, the document left out", actors, entity_cosine(model))


def contextual(rows: Rows, documents: Mapping[str, Sequence[Annotated]], folder: Path) -> None:
    """Add vectors of a transformer: of phrases alone, and where they stand."""
    from embanon.model.contextual import Contextual

    model = Contextual.open(folder)

    def alone(document: Annotated) -> Floats:
        found = model.vectors([document.name, *document.phrases])
        return np.asarray(found[1:] @ found[0])

    def in_context(document: Annotated) -> Floats:
        return np.asarray(model.in_context(document.text, document.spans) @ model.vectors([document.name])[0])

    rows.add("cosine: contextual, the phrase alone", documents, alone)
    rows.add("cosine: contextual, the phrase in its text", documents, in_context)


def pairs(folder: Path) -> Iterator[str]:
    """Return the lines on pairs of words whose similarity people have judged."""
    import gensim
    from scipy.stats import spearmanr

    if not (folder / MODEL.card).is_file():
        yield f"Word pairs: left out, there is no model {folder}"
        return
    model = Model.open(folder)
    yield f"Word pairs, {folder}: Spearman's correlation with people, of the pairs whose words are both known\n"
    yield f"{'':{WIDE}}{'rho':>8}{'known':>7}{'pairs':>7}"
    for label, name in PAIRS:
        lines = (Path(gensim.__file__).parent / "test" / "test_data" / name).read_text("utf-8").splitlines()
        cells = [line.split("\t") for line in lines if line and not line.startswith("#")]
        left, right = (model.find([row[side] for row in cells]).vectors for side in (0, 1))
        cosines = (left * right).sum(axis=1) / np.linalg.norm(left, axis=1) / np.linalg.norm(right, axis=1)
        known = ~np.isnan(cosines)
        judged = np.array([float(row[2]) for row in cells])
        rho = spearmanr(cosines[known], judged[known]).statistic
        yield f"{label:{WIDE}}{rho:8.3f}{known.mean():7.1%}{len(cells):7}"


def detection(data: Path, transformer: Path | None, called: str) -> Iterator[str]:
    """Return the lines of the table of detection."""
    rows, every = Rows(), dict[str, list[Annotated]]()
    for names, files in COLLECTIONS.items():
        collection = Collection.of(chain.from_iterable(sources(data, file) for file in files))
        documents = {name: annotated(data, name, collection.statistics) for name in names}
        every |= documents
        with tempfile.TemporaryDirectory() as folder:
            vectors(rows, documents, collection, Path(folder))
        if "wikiactors" in names:
            entities(rows, documents, data, collection)
        size = len(collection.counted.sequence)
        yield f"{' and '.join(names)}: {len(collection.sources)} documents, {size} phrases to learn from"
    if transformer:
        contextual(rows, every, transformer)
    for name, some in every.items():
        gold = np.concatenate([document.gold for document in some])
        yield f"{name}: {len(some)} documents, {len(gold)} phrases, {int(gold.sum())} gold"
    yield ""
    yield from rows.lines()
    if transformer:
        yield f"contextual: {called}, sentence-transformers {version('sentence-transformers')}"
    else:
        yield "contextual: left out; --contextual names a folder of sentence-transformers"


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the tables."""
    parser = argparse.ArgumentParser(prog="python -m eval.detection", description=__doc__)
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--model", type=Path, default=SHIPPED, help="whose pairs of words are judged")
    parser.add_argument("--contextual", type=Path, help="a folder of sentence-transformers")
    parser.add_argument("--called", default="a folder of sentence-transformers", help="how the table names that folder")
    options = parser.parse_args(arguments)
    begin = time.perf_counter()
    print(f"{machine(LIBRARIES)}\n\nDetection; seeds 1 and 2, {THREADS} threads\n", flush=True)
    for line in detection(options.data, options.contextual, options.called):
        print(line, flush=True)
    print()
    with tempfile.TemporaryDirectory() as folder:
        for line in topics.report(options.data, Path(folder)):
            print(line, flush=True)
    print("\n" + "\n".join(pairs(options.model)))
    print(f"{time.perf_counter() - begin:.0f} s", file=sys.stderr)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
