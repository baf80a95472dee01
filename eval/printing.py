"""Print the tables of a measurement that trains in a folder of its own."""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from eval.speed import machine

Report = Callable[[Path, Path], Iterator[str]]
"""Gives lines, from the folder of the data and one to write in."""


def print_tables(
    name: str, described: str | None, libraries: Sequence[str], report: Report, arguments: Sequence[str] | None = None
) -> int:
    """Run `python -m eval.NAME`."""
    parser = argparse.ArgumentParser(prog=f"python -m eval.{name}", description=described)
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    options = parser.parse_args(arguments)
    print(f"{machine(libraries)}\n", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        for line in report(options.data, Path(folder)):
            print(line, flush=True)
    return 0
