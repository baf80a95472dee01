"""Opening a large model beside gensim's vectors: time, and memory of a further process. eval.training prints it.

The model is made up. Each time is that of a process of its own, which has imported the library before. The memory
is what a further process shares with no other, while another one has looked the same phrases up.
"""

from __future__ import annotations

import json
import re
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np

from embanon.model.model import Model
from embanon.model.vectors import Vectors
from embanon.storage.folder import add_prefix, save
from embanon.storage.keys import KeyIndex, Keys

PHRASES: Final = 1_000_000
WORDS: Final = 100_000
DIMENSIONS: Final = 300
LOOKED_UP: Final = 1_000
STARTS: Final = 7
"""How often a start is timed."""
WAIT: Final = "--wait"
MEMORY: Final = Path("/proc/self/smaps_rollup")


def made_up(folder: Path) -> tuple[Path, Path]:
    """Write a model of a million phrases, and the same vectors as gensim has them."""
    from gensim.models import KeyedVectors

    chance = np.random.default_rng(1)
    vectors = chance.standard_normal((PHRASES, DIMENSIONS), np.float32)
    phrases = [spelled(number) for number in range(PHRASES)]
    words = [f"word{number}" for number in range(WORDS)]
    ones, variants = np.ones(PHRASES, np.uint32), KeyIndex.from_keys(phrases)
    arrays: dict[str, Any] = {
        **add_prefix("phrases", {**Keys.from_strings(phrases).arrays(), "forms": np.zeros(PHRASES, np.uint8)}),
        **add_prefix("phrases", dict.fromkeys(("counts", "documents", "capitals", "persons"), ones)),
        **add_prefix("phrases.vectors", Vectors.from_rows(vectors, "float16").arrays()),
        **add_prefix("postings", {"starts": np.arange(PHRASES + 1, dtype=np.uint64), "documents": ones * 0}),
        **add_prefix("words", {**Keys.from_strings(words).arrays()}),
        **add_prefix("words", dict.fromkeys(("counts", "documents", "persons"), ones[:WORDS])),
        **add_prefix("words.vectors", Vectors.from_rows(vectors[:WORDS], "float16").arrays()),
        "variants.hashes": variants.hashes, "variants.numbers": variants.numbers,
        **add_prefix("entities", Keys.from_strings(["a name"]).arrays()),
        **add_prefix("documents", {
            **Keys.from_strings(["1"]).arrays(), "digests": np.zeros(1, np.uint64), "entities": np.zeros(1, np.int32),
            "gram_hashes": np.zeros(0, np.uint64), "gram_documents": np.zeros(0, np.uint32),
        }),
    }  # fmt: skip
    ours, theirs = folder / "million", folder / "million.kv"
    card = {
        "backend": "word2vec", "dtype": "float16", "language": "en", "languages": ["en"], "dimensions": DIMENSIONS,
        "phrases": PHRASES, "words": WORDS, "documents": 1, "entities": 1, "units": PHRASES, "corpus": {"license": ""},
    }  # fmt: skip
    save(ours, arrays, card)
    peer = KeyedVectors(DIMENSIONS)
    peer.add_vectors(phrases, vectors)
    peer.save(str(theirs))
    return ours, theirs


def spelled(number: int) -> str:
    """Return a phrase of the made-up model."""
    return f"phrase number {number}"


def looked_up() -> list[str]:
    """Return phrases that are spread over the made-up model."""
    return [spelled(number) for number in range(0, PHRASES, PHRASES // LOOKED_UP)]


def private() -> float:
    """Return the memory, in MB, that this process shares with no other."""
    return sum(map(int, re.findall(r"Private_\w+:\s+(\d+) kB", MEMORY.read_text()))) / 1000


def told(found: dict[str, float], *, wait: bool) -> dict[str, float]:
    """Return what was found; if asked, say it and stay as the process is until standard input ends."""
    if wait:
        print(json.dumps(found), flush=True)
        sys.stdin.read()
    return found


def imported(kind: str, *, wait: bool) -> dict[str, float]:
    """Return the private memory of a process that has imported a library and opened nothing."""
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
    open_ = time.perf_counter() - begin
    look(first)
    both = time.perf_counter() - begin
    look(many)
    return told({"open": 1000 * open_, "first": 1000 * both, "private": private()}, wait=wait)


def opening(folder: Path) -> Iterator[str]:
    """Return the lines of the second table."""
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
    """Return the private memory of a process that opens what another one has open, above one that only imports."""
    if not MEMORY.exists():
        return float("nan")
    return beside("opened", kind, path) - beside("imported", kind)


def beside(task: str, *arguments: object) -> float:
    """Return the private memory of a process that does what another one, which still runs, has done before."""
    pipe, waiting = subprocess.PIPE, command(task, *arguments, WAIT)
    with subprocess.Popen(waiting, stdin=pipe, stdout=pipe, text=True) as first:
        assert first.stdin is not None
        assert first.stdout is not None
        first.stdout.readline()
        found = [worker(task, *arguments)["private"] for _ in range(3)]
        first.stdin.close()
    return statistics.median(found)


def command(task: str, *arguments: object) -> list[str]:
    """Return the command of a worker."""
    return [sys.executable, "-m", "eval.opening", task, *map(str, arguments)]


def worker(task: str, *arguments: object) -> dict[str, float]:
    """Run a task of this module in a process of its own."""
    done = subprocess.run(command(task, *arguments), stdout=subprocess.PIPE, text=True, check=True)
    found: dict[str, float] = json.loads(done.stdout)
    return found


def main(arguments: Sequence[str]) -> int:
    """Do what a worker is asked for."""
    wait = WAIT in arguments
    task, kind, *paths = (argument for argument in arguments if argument != WAIT)
    found = opened(kind, Path(paths[0]), wait=wait) if task == "opened" else imported(kind, wait=wait)
    if not wait:
        print(json.dumps(found))
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
