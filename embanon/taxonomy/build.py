"""Compile concepts into a store: sorted on disk, in bounded memory, then written as arrays.

The spool is a database in a temporary file, for what it does best: sorting more than fits into memory. What is
read later are arrays (see `store.py`), which are a tenth of the time to ask. How much a concept says, in bits, is the
share of all that it covers.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from embanon.errors import InputError, OutputError
from embanon.language import find_positions
from embanon.storage import TAXONOMY, Arrays, folder as folders
from embanon.taxonomy.concept import LINKS, UPWARD_LINKS, Concept
from embanon.taxonomy.domains import Classes, has_domains, refine
from embanon.taxonomy.senses import GENERAL, REFINED
from embanon.taxonomy.spool import (
    DiskColumns,
    Progress,
    SpoolState,
    encode_text,
    resumable_spool,
    spool_concepts,
    temporary_spool,
)
from embanon.taxonomy.store import owners

ROWS: Final = 100_000
MOST: Final = float(np.finfo(np.float32).max)


@dataclass(slots=True)
class Counts:
    """What a store has, and what was left out."""

    concepts: int = 0
    labels: int = 0
    links: int = 0
    dropped: int = 0
    """Links to concepts that nobody defines, and to itself."""
    is_general: bool = False
    """Whether there are classes of Wikidata, which were refined."""


def unfinished_folder(target: Path) -> Path:
    """Return the folder in which a reading that can be taken up again waits."""
    return target.absolute().with_name(f"{target.name}.reading")


def build(
    concepts: Iterable[Concept], target: Path, card: dict[str, Any], progress: Progress | None = None,
    state: SpoolState | None = None, at: Callable[[], int] | None = None,
) -> dict[str, Any]:  # fmt: skip
    """Compile concepts, save the store and return its card; one that is there is replaced when the new one is whole.

    With a `state`, what is read stays beside the target if the work breaks off; `at` tells how far the source is read.
    """
    folders.check_target(target, TAXONOMY)
    report = progress or (lambda step, done, of: None)
    try:
        parent = target.absolute().parent
        with resumable_spool(unfinished_folder(target)) if state else temporary_spool(parent) as (place, spool):
            languages = spool_concepts(concepts, spool, report, state or SpoolState(""), at)
            report("sorting", 0, 0)
            try:
                arrays, counts = _arrays(spool, place)
            except OSError as exc:
                raise OutputError(f"{target}: cannot be compiled ({exc.strerror}); make room on its disk") from exc
            if not counts.concepts:
                raise InputError(f"{target}: nothing to compile: the source has no concept")
            whole = {
                **card, "concepts": counts.concepts, "labels": counts.labels,
                "links": counts.links, "dropped": counts.dropped, "languages": languages,
                "versions": {"embanon": version("embanon")},
            }  # fmt: skip
            if counts.is_general:
                whole |= {"kinds": sorted({*card.get("kinds", ()), GENERAL}), REFINED: True}
            report("saving", 0, 0)
            folders.save(target, arrays, whole, TAXONOMY)
            return whole
    except sqlite3.Error as exc:
        raise OutputError(f"{target}: cannot be compiled ({exc}); make room on its disk") from exc


def _rows(spool: sqlite3.Connection, query: str) -> Iterator[Sequence[Any]]:
    """Return the columns of a query, so many rows at a time."""
    cursor = spool.execute(query)
    while rows := cursor.fetchmany(ROWS):
        yield tuple(zip(*rows, strict=True))


def _weights(column: Sequence[float | None]) -> NDArray[np.float64]:
    """Return weights as they can be added up: what is no number, or below zero, counts nothing."""
    return np.clip(np.nan_to_num(np.array(column, np.float64), posinf=MOST), 0.0, MOST)


def _arrays(spool: sqlite3.Connection, place: Path) -> tuple[Arrays, Counts]:
    concepts = _concepts(spool, place)
    known = concepts["concepts.hashes"]
    links, dropped = _links(spool, place, known)
    labels = _labels(spool, place, known) | _senses(spool, place, known)
    concepts, links, is_general = _refined(concepts, links, labels)
    counts = Counts(len(known), len(labels["labels.languages"]), len(links["broader.concepts"]), dropped, is_general)
    upwards = np.isin(links["broader.kinds"], [LINKS.index(kind) for kind in UPWARD_LINKS])
    parents = links["broader.concepts"][upwards].astype(np.int64)
    children = owners(links["broader.starts"])[upwards]
    bits = information_content(children, parents, len(known))
    return concepts | links | labels | {"concepts.information": bits}, counts


def _refined(concepts: Arrays, links: Arrays, labels: Arrays) -> tuple[Arrays, Arrays, bool]:
    """Return concepts and links with what is known of classes of Wikidata, and whether there are such."""
    known = concepts["concepts.hashes"]
    begins = np.append(0, concepts["concepts.id_ends"][:-1]).astype(np.int64)[: len(known)]
    if not has_domains(known, concepts["concepts.ids"][begins]):
        return concepts, links, False
    named = np.log2(1 + np.diff(labels["labels.starts"]))
    refined = refine(known, Classes(
        concepts["concepts.types"], concepts["concepts.weights"] + named, concepts["concepts.hidden"],
        owners(links["broader.starts"]), links["broader.concepts"].astype(np.int64), links["broader.kinds"],
    ))  # fmt: skip
    columns: Arrays = {"types": refined.types, "weights": refined.weights, "hidden": refined.hidden}
    arrays: Arrays = {
        "starts": _starts(refined.children, len(known)), "concepts": refined.parents.astype(np.uint32),
        "kinds": refined.kinds,
    }  # fmt: skip
    return concepts | folders.add_prefix("concepts", columns), folders.add_prefix("broader", arrays), True


def _concepts(spool: sqlite3.Connection, place: Path) -> Arrays:
    """Return the concepts in the order of their hashes, which is that of their numbers."""
    columns = DiskColumns(place, hashes="i8", types="u1", weights="f4", hidden="u1", ids="u1", id_sizes="i8")
    query = """
        SELECT hash, min(id), min(type), max(weight), max(hidden) FROM concept GROUP BY hash ORDER BY hash
    """
    for hashes, ids, types, weights, hidden in _rows(spool, query):
        columns.add(hashes=hashes, types=types, weights=_weights(weights), hidden=hidden)
        columns.add_texts("ids", "id_sizes", ids)
    arrays = columns.arrays()
    ends = np.cumsum(arrays.pop("id_sizes")).astype(np.uint64)
    return folders.add_prefix("concepts", {**arrays, "id_ends": ends})


def _starts(owners: NDArray[np.int64], size: int) -> NDArray[np.uint64]:
    return np.append(0, np.cumsum(np.bincount(owners, minlength=size))).astype(np.uint64)


def _links(spool: sqlite3.Connection, place: Path, known: NDArray[np.int64]) -> tuple[Arrays, int]:
    columns, dropped = DiskColumns(place, children="i8", concepts="u4", kinds="u1"), 0
    for rows in _rows(spool, "SELECT DISTINCT child, parent, kind FROM link ORDER BY child, kind, parent"):
        child, parent, kind = (np.array(column, np.int64) for column in rows)
        child, parent = find_positions(known, child), find_positions(known, parent)
        good = (child >= 0) & (parent >= 0) & (child != parent)
        dropped += int((~good).sum())
        columns.add(children=child[good], concepts=parent[good], kinds=kind[good])
    arrays = columns.arrays()
    starts = _starts(arrays.pop("children"), len(known))
    return folders.add_prefix("broader", {**arrays, "starts": starts}), dropped


def _labels(spool: sqlite3.Connection, place: Path, known: NDArray[np.int64]) -> Arrays:
    """Return the labels of each concept."""
    columns = DiskColumns(place, owners="i8", languages="u1", label_weights="f4", blob="u1", label_sizes="i8")
    query = """
        SELECT concept, language, max(weight), text FROM label
        GROUP BY concept, language, text ORDER BY concept, language, min(place), min(rowid)
    """
    for concepts, languages, weights, texts in _rows(spool, query):
        owners = find_positions(known, np.array(concepts, np.int64))
        columns.add(owners=owners, languages=languages, label_weights=_weights(weights))
        columns.add_texts("blob", "label_sizes", [encode_text(text) for text in texts])
    arrays = columns.arrays()
    return folders.add_prefix("labels", {
        "starts": _starts(arrays["owners"], len(known)), "languages": arrays["languages"],
        "weights": arrays["label_weights"], "blob": arrays["blob"],
        "ends": np.cumsum(arrays["label_sizes"]).astype(np.uint64),
    })  # fmt: skip


def _senses(spool: sqlite3.Connection, place: Path, known: NDArray[np.int64]) -> Arrays:
    """Return the concepts that each key of a label may mean."""
    columns = DiskColumns(place, keys="i8", meant="u4", spoken="u1", priors="f4")
    query = """
        SELECT key, concept, language, max(weight) FROM label
        GROUP BY key, concept, language ORDER BY key, max(weight) DESC, min(place), concept
    """
    for keys, concepts, languages, weights in _rows(spool, query):
        meant = find_positions(known, np.array(concepts, np.int64))
        columns.add(keys=keys, meant=meant, spoken=languages, priors=_weights(weights))
    arrays = columns.arrays()
    every = arrays["keys"]
    new = np.flatnonzero(np.append(True, np.diff(every) != 0)[: len(every)])
    return folders.add_prefix("senses", {
        "keys": every[new], "starts": np.append(new, len(every)).astype(np.uint32), "concepts": arrays["meant"],
        "languages": arrays["spoken"], "weights": arrays["priors"],
    })  # fmt: skip


Numbers = NDArray[np.int64]


def information_content(children: Numbers, parents: Numbers, size: int) -> NDArray[np.float32]:
    """Return how much each concept says: 0 for what covers all, the most a leaf. Links are in the order of children.

    A concept counts for all that are broader than it, on each way that leads there, so that what is broader never says
    more. Those of a ring are each broader than the others, and say the same.
    """
    rings = _cycle_representatives(children, parents, size)
    if rings is not None:
        children, parents = rings[children], rings[parents]
        links = np.flatnonzero(children != parents)
        links = links[np.argsort(children[links], kind="stable")]
        children, parents = children[links], parents[links]
    covered = np.ones(size) if rings is None else np.bincount(rings, minlength=size).astype(np.float64)
    for links in _waves(children, parents, size):
        above = parents[links]
        np.add.at(covered, above, covered[children[links]])
        covered[above] = np.minimum(covered[above], size)  # ways are many where diamonds stand on diamonds
    if rings is not None:
        covered = covered[rings]
    return (0.0 - np.log2(covered / max(size, 1))).astype(np.float32)


def _waves(children: Numbers, parents: Numbers, size: int) -> Iterator[Numbers]:
    """Return the places of links, first of those from leaves, then of those from what has no other child left."""
    starts = np.append(0, np.cumsum(np.bincount(children, minlength=size)))
    waiting = np.bincount(parents, minlength=size)
    ready = np.flatnonzero(waiting == 0)
    while len(ready):
        links = _ranges(starts[ready], starts[ready + 1])
        yield links
        np.subtract.at(waiting, parents[links], 1)
        touched = np.unique(parents[links])
        ready = touched[waiting[touched] == 0]


def _ranges(starts: Numbers, ends: Numbers) -> Numbers:
    """Return all numbers of several half-open ranges."""
    sizes = ends - starts
    return np.repeat(starts - np.cumsum(sizes) + sizes, sizes) + np.arange(int(sizes.sum()))


def _cycle_representatives(children: Numbers, parents: Numbers, size: int) -> Numbers | None:
    """Return the least number of those of which each concept is broader and narrower; `None` where there are none."""
    for _ in range(2):  # what is not reached from below, and then not from above, is in a ring or between two
        held = np.ones(len(children), np.bool_)
        for links in _waves(children, parents, size):
            held[links] = False
        if not held.any():
            return None
        children, parents = parents[held], children[held]
        order = np.argsort(children, kind="stable")
        children, parents = children[order], parents[order]
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    links = coo_array((np.ones(len(children), np.bool_), (children, parents)), shape=(size, size))
    _, rings = connected_components(links.tocsr(), connection="strong")
    least: Numbers = np.full(size, size)
    np.minimum.at(least, rings, np.arange(size))
    representatives: Numbers = least[rings]
    return representatives
