"""Measure reading dumps of Wikidata: `python -m eval.wikidata --data ../shared/data --gigabytes 5`.

A dump is generated and sent through a pipe to the standard input of another process, which runs on one core and
gives concepts. *MB* are uncompressed; *processor* counts the reader's own time alone. *Peak* is its largest resident
memory; *above start* what is more than after its imports.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import subprocess
import sys
import time
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

from embanon.io.read import STDIN
from embanon.taxonomy.sources import wikidata_json
from embanon.taxonomy.sources.wikidata import Dump
from eval.speed import STATUS, machine, resident

CASES: Final = (("json", "orjson"), ("json", "json"), ("nt", ""))
"""Format of the dump, and what parses it."""


def peak() -> float:
    """Return the largest resident memory of this process so far, in MB; not a number where it is not told."""
    return resident(STATUS.read_text())["peak"] if STATUS.exists() else math.nan


def read(parser: str) -> dict[str, Any]:
    """Read standard input to its end, and say what it took."""
    if parser == "json":
        wikidata_json.items.__defaults__ = (wikidata_json.parse_with_json,)
    before = peak()
    dump = Dump(STDIN)  # which waits for the first line
    wall, processor = time.perf_counter(), time.process_time()
    given = labels = links = 0
    for concept in dump:
        given, labels, links = given + 1, labels + len(concept.labels), links + len(concept.broader)
    return {
        "seconds": time.perf_counter() - wall, "processor": time.process_time() - processor,
        "bytes": dump.offset, "lines": dump.lines.number, "entities": dump.entities, "concepts": given,
        "labels": labels, "links": links, "peak": peak(), "before": before,
    }  # fmt: skip


def measure(data: Path, gigabytes: float, format: str, parser: str, core: int | None) -> dict[str, Any]:
    """Stream a dump to a reader in a process of its own."""
    size = ("--megabytes", str(1000 * gigabytes), "--format", format)
    make = [sys.executable, "-m", "eval.wikidata_dump", "--data", str(data), *size]
    take = [sys.executable, "-m", "eval.wikidata", "--worker", parser or "none"]
    if core is not None:
        take += ["--core", str(core)]
    with subprocess.Popen(make, stdout=subprocess.PIPE) as maker:
        done = subprocess.run(take, stdin=maker.stdout, stdout=subprocess.PIPE, check=True)
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(prog="python -m eval.wikidata", description=__doc__)
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--gigabytes", type=float, default=0.5, help="of JSON; of N-Triples a quarter of it")
    parser.add_argument("--core", type=int, help="to read on (default: the last one that is ours)")
    parser.add_argument("--worker", help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    core = options.core
    if core is None and hasattr(os, "sched_getaffinity"):
        core = max(os.sched_getaffinity(0))
    if options.worker:
        if options.core is not None and hasattr(os, "sched_setaffinity"):
            os.sched_setaffinity(0, {options.core})
        print(json.dumps(read(options.worker)))
        return 0
    print(f"{machine()}\n\n{'':14}{'GB':>7}{'MB/s':>7}{'processor':>11}{'lines/s':>12}{'entities':>11}{'labels':>11}"
          f"{'links':>11}{'peak MB':>9}{'above start':>13}")  # fmt: skip
    for format, library in CASES:
        if library == "orjson" and not find_spec(library):
            continue
        size = options.gigabytes * (1 if format == "json" else 0.25)
        found = measure(options.data, size, format, library, core)
        megabytes, name = found["bytes"] / 1e6, f"{format} {library and 'by ' + library}"
        print(f"{name:14}{megabytes / 1000:7.2f}{megabytes / found['seconds']:7.0f}"
              f"{megabytes / found['processor']:11.0f}{found['lines'] / found['seconds']:12,.0f}"
              f"{found['entities']:11,}{found['labels']:11,}{found['links']:11,}{found['peak']:9.0f}"
              f"{found['peak'] - found['before']:13.0f}", flush=True)  # fmt: skip
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
