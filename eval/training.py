"""Measure training, opening and looking up: `python -m eval.training --data ../shared/data`.

*Training*: seconds from the raw text of the actors' corpus to the saved model, all of `embanon train` in a process
of its own with its defaults (300 dimensions, window 10, 4 epochs), beside gensim's word2vec with the thesis's
settings (the same, 10 epochs) on words that are cut before, texts that repeat included, of which only the training
counts; in turns, by the wall clock and by the time of all processors. *AUC*: how well the cosine to the name tells
gold phrases from harmless ones, as in eval.detection; the biographies are not in the corpus. *Similarity*: one
entity to all phrases of ten thousand documents. *Opening*: a made-up model, see eval.opening.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Final

import numpy as np

from embanon.language.normalize import key
from embanon.model.model import Model
from embanon.text.find import find_all
from eval.boundaries import rows
from eval.detection import cosine
from eval.labeled import CONFIG, Plain, annotated, judge, plain_words, sources, train_plain
from eval.opening import opening
from eval.speed import machine

CORPUS: Final = "actors/corpus"
SETS: Final = ("wikiactors", "wikibios")
LIBRARIES: Final = ("numpy", "gensim")
DOCUMENTS: Final = 10_000
REPEATS: Final = 5


# Training


def trained(corpus: Path, model: Path) -> tuple[float, float]:
    """Run `embanon train`, and give its seconds by the wall clock and by the processors."""
    before, begin = os.times(), time.perf_counter()
    command = [sys.executable, "-m", "embanon", "train", str(corpus), "-o", str(model), "--quiet"]
    subprocess.run(command, stdout=subprocess.PIPE, check=True)
    wall, after = time.perf_counter() - begin, os.times()
    return wall, after.children_user + after.children_system - before.children_user - before.children_system


def plain(corpus: Path, vectors: Path) -> dict[str, float]:
    """Train gensim's word2vec in this process, save its vectors, and give the seconds of the training alone."""
    cut = [plain_words(row["text"]) for row in rows(corpus)]
    begin, before = time.perf_counter(), time.process_time()
    found = train_plain(cut)
    wall, processor = time.perf_counter() - begin, time.process_time() - before
    found.save(str(vectors))
    return {"wall": wall, "processor": processor, "words": sum(map(len, cut))}


def training(data: Path, folder: Path, rounds: int) -> Iterator[str]:
    """Return the lines of the first table; the model is left in the folder."""
    from gensim.models import KeyedVectors

    corpus = data / f"{CORPUS}.jsonl.gz"
    model, vectors = folder / "model", folder / "plain.kv"
    ours, theirs = [], []
    for _ in range(rounds):
        ours.append(trained(corpus, model))
        command = [sys.executable, "-m", "eval.training", "--plain", str(corpus), str(vectors)]
        found = json.loads(subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout)
        theirs.append((found["wall"], found["processor"]))
    opened = Model.open(model)
    units, documents = opened.card["units"], opened.card["documents"]
    yield f"Training, {documents:,} documents, {units:,} phrases, {found['words']:,.0f} words; median of {rounds}\n"
    yield f"{'':44}{'wall, s':>9}{'processors, s':>15}  {'rounds':<24}"
    medians = []
    for label, pairs in (("embanon train, from raw text, saved", ours), ("gensim word2vec, words cut before", theirs)):
        wall, processor = (statistics.median(column) for column in zip(*pairs, strict=True))
        medians.append((wall, processor))
        yield f"{label:44}{wall:9.1f}{processor:15.1f}  " + ", ".join(f"{pair[0]:.1f}" for pair in pairs)
    ratios = [mine / other for mine, other in zip(*medians, strict=True)]
    yield f"{'ratio (bar: 0.5 by the wall clock)':44}{ratios[0]:9.2f}{ratios[1]:15.2f}\n"
    yield f"{'AUC of the cosine to the name':44}" + "".join(f"{name:>12}{'known':>8}{'unk':>6}" for name in SETS)
    sets = {name: annotated(data, name, opened.statistics) for name in SETS}
    peer = Plain.of(KeyedVectors.load(str(vectors)), [row["text"] for row in rows(corpus)])
    for label, score in (("embanon", cosine(opened)), ("gensim, words weighted by rarity", peer.score)):
        outcomes = [judge(some, score) for some in sets.values()]
        yield f"{label:44}" + "".join(f"{one.area:12.3f}{one.known:8.3f}{one.unknown:6}" for one in outcomes)


# Similarity


def similarity(data: Path, model: Model) -> Iterator[str]:
    """Return the lines of the third table."""
    from gensim.models import KeyedVectors

    documents = (source.document for source in islice(sources(data, CORPUS), DOCUMENTS))
    phrases = [
        analysis.document.text[start:end]
        for analysis in find_all(documents, config=CONFIG, statistics=model.statistics)
        for start, end in zip(analysis.phrases.start.tolist(), analysis.phrases.end.tolist(), strict=True)
    ]
    keys = [key(phrase) for phrase in phrases]
    numbers = model.phrases.keys.find(keys)
    name = "Angelina Jolie"
    every = np.arange(len(model.phrases))
    peer = KeyedVectors(model.dimensions)
    peer.add_vectors(list(model.phrases.keys), model.phrases.vectors.rows(every))
    vector, places = peer[key(name)], np.maximum(numbers, 0)
    yield f"Similarity, one entity x {len(phrases):,} phrases of {DOCUMENTS:,} documents, median of {REPEATS}\n"
    yield f"{'':52}{'scores/s':>14}"
    known = numbers >= 0
    tasks: dict[str, Callable[[], object]] = {
        "Model.cosines, numbers at hand (bar: 5,000,000)": lambda: model.cosines([name], numbers),
        "Model.phrases.keys.find, then Model.cosines": lambda: model.cosines([name], model.phrases.keys.find(keys)),
        "Model.find alone, from strings": lambda: model.find(phrases),
        "Model.similarity, from strings": lambda: model.similarity(name, phrases),
        "gensim cosine_similarities, numbers at hand": lambda: peer.cosine_similarities(vector, peer.vectors[places]),
    }
    for label, task in tasks.items():
        task()
        seconds = []
        for _ in range(REPEATS):
            begin = time.perf_counter()
            task()
            seconds.append(time.perf_counter() - begin)
        yield f"{label:52}{len(phrases) / statistics.median(seconds):14,.0f}"
    yield f"{known.mean():.1%} of the phrases are known as they are, {len(np.unique(numbers[known])):,} differ"


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the tables."""
    parser = argparse.ArgumentParser(prog="python -m eval.training", description=__doc__)
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--rounds", type=int, default=2, help="of training")
    parser.add_argument("--plain", type=Path, nargs=2, help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    if options.plain:
        print(json.dumps(plain(*options.plain)))
        return 0
    print(f"{machine(LIBRARIES)}\n", flush=True)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for line in training(options.data, folder, options.rounds):
            print(line, flush=True)
        print()
        for line in similarity(options.data, Model.open(folder / "model")):
            print(line, flush=True)
        print()
        for line in opening(folder):
            print(line, flush=True)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
