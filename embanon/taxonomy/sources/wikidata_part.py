"""The part of dumps of Wikidata that labels need: what is called so, and all that is above it.

Dumps are read twice, for what is above an item may stand before it. From the first reading, links stay on disk as pairs
of numbers; memory is that of the ids that are needed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

import numpy as np
from numpy.typing import NDArray

from embanon.errors import ConfigError, InputError
from embanon.io import STDIN
from embanon.language import find_positions, key
from embanon.storage import hash_keys
from embanon.taxonomy.concept import UPWARD_LINKS, Concept
from embanon.taxonomy.sources.wikidata import Dump
from embanon.taxonomy.sources.wikidata_items import DEFAULT_FILTER, ItemFilter
from embanon.taxonomy.spool import DiskColumns

EVERY: Final = 20_000
"""Concepts between two reports."""
CHUNK: Final = 1 << 24
"""Links that are looked at together."""
PREFIX: Final = ".embanon-part-"

Numbers = NDArray[np.int64]
Report = Callable[[str, float, float], None]


def needed_concepts(
    paths: Sequence[str], labels: Iterable[str], languages: Sequence[str], folder: Path, report: Report
) -> Iterator[Concept]:
    """Yield the concepts that have one of the labels, and those above them; links are kept in `folder` meanwhile."""
    if STDIN in paths:
        raise ConfigError("-: standard input can be read once, and --for reads a dump twice; name a file")
    choice = ItemFilter(languages=tuple(languages)) if languages else DEFAULT_FILTER
    wanted = frozenset(map(key, labels)) - {""}
    with TemporaryDirectory(dir=folder, prefix=PREFIX) as place:
        columns = DiskColumns(Path(place), children="i8", parents="i8")
        named = _read_links(_read(paths, choice, "searching", report), wanted, columns)
        if not len(named):
            raise InputError(f"{', '.join(paths)}: none of the {len(wanted):,} phrases of the texts names an item")
        needed = _with_all_above(named, columns)
    ids = _Numbers(needed)
    yield from (concept for concept in _read(paths, choice, "taking", report) if ids.has(concept.id))


def _read(paths: Sequence[str], choice: ItemFilter, step: str, report: Report) -> Iterator[Concept]:
    """Yield the concepts of all dumps, and report how far each is read."""
    for path in paths:
        with Dump(path, choice) as dump:
            for place, concept in enumerate(dump):
                if place % EVERY == 0:
                    report(step, dump.lines.bytes_read, dump.lines.size or 0)
                yield concept


def _read_links(concepts: Iterable[Concept], wanted: frozenset[str], columns: DiskColumns) -> Numbers:
    """Write all links upwards, and return the sorted numbers of what has a wanted label."""
    children, parents, named = list[int](), list[int](), set[int]()
    for concept in concepts:
        number = _number(concept.id)
        if any(key(label.text) in wanted for label in concept.labels):
            named.add(number)
        above = [_number(link.id) for link in concept.broader if link.link in UPWARD_LINKS]
        children += [number] * len(above)
        parents += above
        if len(children) >= EVERY:
            columns.add(children=children, parents=parents)
            children, parents = [], []
    columns.add(children=children, parents=parents)
    return np.array(sorted(named), np.int64)


def _with_all_above(named: Numbers, columns: DiskColumns) -> Numbers:
    """Return the numbers of concepts and of all that is above them, sorted."""
    arrays = columns.arrays()
    children, parents = arrays["children"], arrays["parents"]
    needed = reached = named
    while len(reached):
        parts = [
            parents[start : start + CHUNK][find_positions(reached, children[start : start + CHUNK]) >= 0]
            for start in range(0, len(children), CHUNK)
        ]
        above = np.unique(np.concatenate(parts)) if parts else named[:0]
        reached = above[find_positions(needed, above) < 0]
        needed = np.union1d(needed, reached)
    return needed


class _Numbers:
    """A set of ids that takes eight bytes of each."""

    def __init__(self, sorted_numbers: Numbers) -> None:
        self._numbers = sorted_numbers

    def has(self, id: str) -> bool:
        """Return whether an id is in it."""
        number = _number(id)
        place = int(np.searchsorted(self._numbers, number))
        return place < len(self._numbers) and int(self._numbers[place]) == number


def _number(id: str) -> int:
    """Return the number of an item; of another id, one that no item has."""
    digits = id[1:]
    if digits.isascii() and digits.isdecimal() and len(digits) < 18:
        return int(digits)
    return -1 - (int(hash_keys([id])[0]) >> 1)
