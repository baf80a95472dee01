"""Measure training, opening and looking up: `python -m eval.training --data ../shared/data`.

*Training*: seconds from the raw text of the actors' corpus to the saved model, all of `embanon train` in a process
of its own with its defaults (300 dimensions, window 10, 5 epochs), beside gensim's word2vec with the thesis's
settings (the same, 10 epochs) on words that are cut before, of which only the training counts; in turns, by the
wall clock and by the time of both processors. *AUC*: how well the cosine to the name tells gold phrases from
harmless ones, as in eval.detection; the biographies are not in the corpus. *Opening*: a made-up model of a million
phrases, each time in a process that has imported the library; the memory is that of a further process, while
another one has looked the same phrases up. *Similarity*: one entity to all phrases of ten thousand documents.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any, Final

import numpy as np

from embanon.model.folder import over, save
from embanon.model.keys import Index, Keys, key
from embanon.model.model import Model
from embanon.model.vectors import Vectors
from embanon.pipeline import find_all
from eval.boundaries import rows
from eval.detection import cosine
from eval.labeled import CONFIG, Plain, annotated, judge, plain_words, sources, train_plain
from eval.speed import machine

CORPUS: Final = "actors/corpus"
SETS: Final = ("wikiactors", "wikibios")
LIBRARIES: Final = ("numpy", "gensim")
PHRASES: Final = 1_000_000
WORDS: Final = 100_000
DIMENSIONS: Final = 300
LOOKED_UP: Final = 1_000
DOCUMENTS: Final = 10_000
STARTS: Final = 7
"""How often a start is timed."""
REPEATS: Final = 5
MEMORY: Final = Path("/proc/self/smaps_rollup")


# Training


def trained(corpus: Path, model: Path) -> tuple[float, float]:
    """Run `embanon train`, and give its seconds by the wall clock and by the processors."""
    before, begin = os.times(), time.perf_counter()
    command = [sys.executable, "-m", "embanon.cli", "train", str(corpus), "-o", str(model), "--quiet"]
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
    """Give the lines of the first table; the model is left in the folder."""
    from gensim.models import KeyedVectors

    corpus = data / f"{CORPUS}.jsonl.gz"
    model, vectors = folder / "model", folder / "plain.kv"
    ours, theirs = [], []
    for _ in range(rounds):
        ours.append(trained(corpus, model))
        found = worker("plain", corpus, vectors)
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


# Opening


def made_up(folder: Path) -> tuple[Path, Path]:
    """Write a model of a million phrases, and the same vectors as gensim has them."""
    from gensim.models import KeyedVectors

    chance = np.random.default_rng(1)
    vectors = chance.standard_normal((PHRASES, DIMENSIONS), np.float32)
    phrases = [spelled(number) for number in range(PHRASES)]
    words = [f"word{number}" for number in range(WORDS)]
    ones, variants = np.ones(PHRASES, np.uint32), Index.of(phrases)
    arrays: dict[str, Any] = {
        **over("phrases", {**Keys.of(phrases).arrays(), "forms": np.zeros(PHRASES, np.uint8)}),
        **over("phrases", dict.fromkeys(("counts", "documents", "capitals", "persons"), ones)),
        **over("phrases.vectors", Vectors.of(vectors, "float16").arrays()),
        **over("postings", {"starts": np.arange(PHRASES + 1, dtype=np.uint64), "documents": ones * 0}),
        **over("words", {**Keys.of(words).arrays()}),
        **over("words", dict.fromkeys(("counts", "documents", "persons"), ones[:WORDS])),
        **over("words.vectors", Vectors.of(vectors[:WORDS], "float16").arrays()),
        "variants.hashes": variants.hashes, "variants.numbers": variants.numbers,
        **over("entities", Keys.of(["a name"]).arrays()),
        **over("documents", {
            **Keys.of(["1"]).arrays(), "digests": np.zeros(1, np.uint64), "entities": np.zeros(1, np.int32),
            "gram_hashes": np.zeros(0, np.uint64), "gram_documents": np.zeros(0, np.uint32),
        }),
    }  # fmt: skip
    ours, theirs = folder / "million", folder / "million.kv"
    save(ours, arrays, {"documents": 1, "units": PHRASES, "language": "en"})
    peer = KeyedVectors(DIMENSIONS)
    peer.add_vectors(phrases, vectors)
    peer.save(str(theirs))
    return ours, theirs


def spelled(number: int) -> str:
    """Give a phrase of the made-up model."""
    return f"phrase number {number}"


def looked_up() -> list[str]:
    """Give phrases that are spread over the made-up model."""
    return [spelled(number) for number in range(0, PHRASES, PHRASES // LOOKED_UP)]


def private() -> float:
    """Give the memory, in MB, that this process shares with no other."""
    return sum(map(int, re.findall(r"Private_\w+:\s+(\d+) kB", MEMORY.read_text()))) / 1000


def told(found: dict[str, float], *, wait: bool) -> dict[str, float]:
    """Give what was found; if asked, say it and stay as the process is until standard input ends."""
    if wait:
        print(json.dumps(found), flush=True)
        sys.stdin.read()
    return found


def imported(kind: str, *, wait: bool) -> dict[str, float]:
    """Give the private memory of a process that has imported a library and opened nothing."""
    if kind == "gensim":
        import gensim.models  # noqa: F401
    return told({"private": private()}, wait=wait)


def opened(kind: str, path: Path, *, wait: bool) -> dict[str, float]:
    """Open a model, look one phrase up, then a thousand; keep it open, if asked, until standard input ends."""
    first, many = [spelled(PHRASES // 2 + 1)], looked_up()
    look: Callable[[list[str]], object]
    if kind == "gensim":
        from gensim.models import KeyedVectors

        begin = time.perf_counter()
        look = KeyedVectors.load(str(path), mmap="r").__getitem__
    else:
        begin = time.perf_counter()
        look = Model.open(path).find
    opening = time.perf_counter() - begin
    look(first)
    both = time.perf_counter() - begin
    look(many)
    return told({"open": 1000 * opening, "first": 1000 * both, "private": private()}, wait=wait)


def opening(folder: Path) -> Iterator[str]:
    """Give the lines of the second table."""
    paths = dict(zip(("embanon", "gensim"), made_up(folder), strict=True))
    yield f"Opening {PHRASES:,} phrases of {DIMENSIONS} dimensions, median of {STARTS} processes, files read before\n"
    yield f"{'':32}{'open, ms':>10}{'and find, ms':>14}{'memory of a further process, MB':>34}"
    firsts = []
    for kind, label in (("embanon", "Model.open, half precision"), ("gensim", "gensim .kv, mapped, single")):
        times = [worker("opened", kind, paths[kind]) for _ in range(STARTS + 1)][1:]
        open_, first = (statistics.median(one[name] for one in times) for name in ("open", "first"))
        memory = further(kind, paths[kind])
        firsts.append(first)
        yield f"{label:32}{open_:10.1f}{first:14.1f}{memory:34.1f}"
    yield f"{'gensim / embanon':32}{'':10}{firsts[1] / firsts[0]:13.0f}x"
    yield f"{'bar':32}{'':10}{100:14}{50:34}"


def further(kind: str, path: Path) -> float:
    """Give the private memory of a process that opens what another one has open, above one that only imports."""
    if not MEMORY.exists():
        return float("nan")
    return beside("opened", kind, path) - beside("imported", kind)


def beside(task: str, *arguments: object) -> float:
    """Give the private memory of a process that does what another one, which still runs, has done before."""
    pipe, waiting = subprocess.PIPE, command(task, *arguments, "--wait")
    with subprocess.Popen(waiting, stdin=pipe, stdout=pipe, text=True) as first:
        assert first.stdin is not None
        assert first.stdout is not None
        first.stdout.readline()
        found = [worker(task, *arguments)["private"] for _ in range(3)]
        first.stdin.close()
    return statistics.median(found)


# Similarity


def similarity(data: Path, model: Model) -> Iterator[str]:
    """Give the lines of the third table."""
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


# Processes


def command(task: str, *arguments: object) -> list[str]:
    """Give the command of a worker."""
    return [sys.executable, "-m", "eval.training", "--worker", task, *map(str, arguments)]


def worker(task: str, *arguments: object) -> dict[str, float]:
    """Run a task of this module in a process of its own."""
    done = subprocess.run(command(task, *arguments), stdout=subprocess.PIPE, text=True, check=True)
    found: dict[str, float] = json.loads(done.stdout)
    return found


def work(task: str, arguments: Sequence[str], *, wait: bool) -> dict[str, float]:
    """Do what a worker is asked for."""
    if task == "plain":
        return plain(Path(arguments[0]), Path(arguments[1]))
    if task == "imported":
        return imported(arguments[0], wait=wait)
    return opened(arguments[0], Path(arguments[1]), wait=wait)


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the tables."""
    parser = argparse.ArgumentParser(prog="python -m eval.training", description=__doc__)
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--rounds", type=int, default=2, help="of training")
    parser.add_argument("--worker", nargs="+", help=argparse.SUPPRESS)
    parser.add_argument("--wait", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    if options.worker:
        found = work(options.worker[0], options.worker[1:], wait=options.wait)
        if not options.wait:
            print(json.dumps(found))
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
