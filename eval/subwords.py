"""Measure the fastText library beside gensim's fastText: `python -m eval.subwords --data ../shared/data`.

One corpus, counted once: the first summaries of actors and those of the annotated ones (wikiactors, developers'
half). Each back-end learns it with the same settings, the usual ones, once for each seed and in turns; word2vec
stands beside them. *Seconds* are of learning alone, by the wall clock and by the processors, other processes
included. *AUC*: how well the cosine to the name tells gold phrases from harmless ones, as in eval.detection; the
biographies (wikibios, developers' half) are not in the corpus, so that parts of words answer for many of them.
*Spread* is from the lowest to the highest seed.
"""

from __future__ import annotations

import os
import statistics
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Final

import numpy as np

from embanon.config.settings import TrainingSettings
from embanon.io.read.corpus import CorpusDocument
from embanon.language.normalize import TRAILING_BRACKET
from embanon.model.model import Model, Step
from embanon.model.train import build_model
from embanon.storage.folder import save
from eval.boundaries import rows
from eval.detection import cosine
from eval.labeled import CONFIG, Annotated, Collection, annotated, judge, named, sources
from eval.printing import print_tables

SETS: Final = ("wikiactors", "wikibios")
BACKENDS: Final = {
    "fasttext-library": "fastText library", "fasttext-gensim": "gensim's fastText", "word2vec": "gensim's word2vec",
}  # fmt: skip
LIBRARIES: Final = ("numpy", "gensim")
DOCUMENTS: Final = 2_500
SEEDS: Final = (1, 2, 3)
THREADS: Final = 2


@dataclass(frozen=True, slots=True)
class Run:
    """What a back-end took, and how well its vectors tell, a set each."""

    wall: float
    processors: float
    areas: tuple[float, ...]


def corpus(data: Path) -> Iterator[CorpusDocument]:
    """Return the summaries of the annotated actors, and the first ones."""
    annotated_names = {named("wikiactors", row["doc_id"]) for row in rows(data / "wikiactors/gold.jsonl.gz")}
    every = list(sources(data, "actors/corpus"))
    about = (source for source in every if TRAILING_BRACKET.sub("", source.entity or "").strip() in annotated_names)
    yield from islice((*about, *every), DOCUMENTS)


def learn(collection: Collection, options: TrainingSettings, folder: Path) -> tuple[Model, float, float]:
    """Train, and return the model with the seconds until its vectors were there."""
    ends: list[tuple[float, float]] = []

    def clock(step: str, _done: float, _total: float) -> None:
        if step == "vectors":
            ends.append((time.perf_counter(), sum(os.times()[:4])))

    begin = (time.perf_counter(), sum(os.times()[:4]))
    save(folder, *build_model(collection.counted, collection.statistics, options, clock))
    wall, processors = (end - start for end, start in zip(ends[0], begin, strict=True))
    return Model.open(folder), wall, processors


def runs(collection: Collection, sets: dict[str, list[Annotated]], folder: Path) -> dict[str, list[Run]]:
    """Train with all back-ends in turns, fastText's with each seed."""
    outcomes: dict[str, list[Run]] = {name: [] for name in BACKENDS}
    for seed in SEEDS:
        for name, done in outcomes.items():
            if name == "word2vec" and seed != SEEDS[0]:
                continue
            options = TrainingSettings(backend=name, seed=seed, threads=THREADS, grow=False)
            model, wall, processors = learn(collection, options, folder / f"{name}-{seed}")
            areas = tuple(judge(documents, cosine(model)).area for documents in sets.values())
            done.append(Run(wall, processors, areas))
            print(f"{name}, seed {seed}: {wall:.1f} s, {areas[0]:.3f}", file=sys.stderr, flush=True)
    return outcomes


def by_parts(documents: Sequence[Annotated], model: Model) -> float:
    """Return the share of phrases for which parts of words answer."""
    steps = np.concatenate([model.find(document.phrases).steps for document in documents])
    return float((steps == Step.SUBWORDS).mean())


def table(data: Path, folder: Path) -> Iterator[str]:
    """Return the lines of the table."""
    collection = Collection.of(corpus(data))
    sets = {name: annotated(data, name, collection.statistics) for name in SETS}
    outcomes = runs(collection, sets, folder)
    card = Model.open(folder / "fasttext-library-1").card
    yield (
        f"{card['documents']:,} documents, {card['units']:,} phrases, {card['phrases']:,} differ; "
        f"{card['dimensions']} dimensions, {CONFIG.train.epochs} epochs, {THREADS} threads, seeds {SEEDS}; "
        f"fasttext-community {card['versions']['fasttext-community']}\n"
    )
    yield f"{'':22}{'wall, s':>9}{'processors, s':>15}" + "".join(
        f"{name + ', AUC':>18}{'spread':>14}" for name in SETS
    )
    for name, label in BACKENDS.items():
        yield f"{label:22}{_seconds(outcomes[name])}" + "".join(_areas(outcomes[name], place) for place in range(2))
    mine, other = outcomes["fasttext-library"], outcomes["fasttext-gensim"]
    ratios = [_median(mine, what) / _median(other, what) for what in ("wall", "processors")]
    gains = [_mean(mine, place) - _mean(other, place) for place in range(2)]
    yield f"{'library / gensim':22}{ratios[0]:9.2f}{ratios[1]:15.2f}" + "".join(
        f"{gain:+18.3f}{'':14}" for gain in gains
    )
    shares = (by_parts(documents, Model.open(folder / "fasttext-library-1")) for documents in sets.values())
    yield "\nphrases for which parts of words answer: " + ", ".join(
        f"{name} {share:.1%}" for name, share in zip(sets, shares, strict=True)
    )


def _seconds(done: Sequence[Run]) -> str:
    return f"{_median(done, 'wall'):9.1f}{_median(done, 'processors'):15.1f}"


def _median(done: Sequence[Run], what: str) -> float:
    return float(statistics.median(getattr(run, what) for run in done))


def _mean(done: Sequence[Run], place: int) -> float:
    return statistics.mean(run.areas[place] for run in done)


def _areas(done: Sequence[Run], place: int) -> str:
    areas = [run.areas[place] for run in done]
    spread = f"{min(areas):.3f}-{max(areas):.3f}" if len(areas) > 1 else "-"
    return f"{statistics.mean(areas):18.3f}{spread:>14}"


if __name__ == "__main__":
    raise SystemExit(print_tables("subwords", __doc__, LIBRARIES, table))
