"""Compile concepts into a store: sorted on disk, in bounded memory, then written as arrays.

The spool is a database in a temporary file, for what it does best: sorting more than fits into memory. What is
read later are arrays (see `store.py`), which are a tenth of the time to ask.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from importlib.metadata import version
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from embanon.document import TYPES
from embanon.errors import InputError, OutputError
from embanon.model import folder as folders
from embanon.model.folder import TAXONOMY, Arrays
from embanon.model.keys import digests, key
from embanon.taxonomy.concept import LINKS, UPWARDS, Concept
from embanon.taxonomy.store import LABEL_LIMIT, NO_TYPE

BATCH: Final = 20_000
"""Concepts that are spooled at a time."""
ROWS: Final = 100_000

SCHEMA: Final = """
    PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA temp_store = FILE; PRAGMA cache_size = -65536;
    CREATE TABLE concept (hash INTEGER, id TEXT, type INTEGER, weight REAL, hidden INTEGER);
    CREATE TABLE label (key INTEGER, concept INTEGER, language INTEGER, weight REAL, text TEXT, place INTEGER);
    CREATE TABLE link (child INTEGER, parent INTEGER, kind INTEGER);
"""

Progress = Callable[[str, float, float], None]


@dataclass(slots=True)
class Counts:
    """What a store has, and what was left out."""

    concepts: int = 0
    labels: int = 0
    links: int = 0
    dropped: int = 0
    """Links to concepts that nobody defines, and to itself."""


def build(
    concepts: Iterable[Concept], target: Path, card: dict[str, Any], progress: Progress | None = None
) -> dict[str, Any]:
    """Compile concepts, save the store and give its card; one that is there is replaced when the new one is whole."""
    folders.check_target(target, TAXONOMY)
    told = progress or (lambda step, done, of: None)
    try:
        # The spool stands beside the store: where there is room for the one, there is for the other.
        with (
            TemporaryDirectory(dir=target.absolute().parent, prefix=f".{target.name}.") as place,
            closing(sqlite3.connect(Path(place) / "spool")) as spool,
        ):
            languages = _spool(concepts, spool, told)
            told("sorting", 0, 0)
            arrays, counts = _arrays(spool, Path(place))
            if not counts.concepts:
                raise InputError(f"{target}: nothing to compile: the source has no concept")
            whole = {
                **card, "concepts": counts.concepts, "labels": counts.labels,
                "links": counts.links, "dropped": counts.dropped, "languages": languages,
                "versions": {"embanon": version("embanon")},
            }  # fmt: skip
            told("saving", 0, 0)
            folders.save(target, arrays, whole, TAXONOMY)
            return whole
    except sqlite3.Error as exc:
        raise OutputError(f"{target}: cannot be compiled ({exc}); make room on its disk") from exc


def _signed(hashes: NDArray[np.uint64]) -> list[int]:
    found: list[int] = hashes.view(np.int64).tolist()
    return found


def _spool(concepts: Iterable[Concept], spool: sqlite3.Connection, told: Progress) -> list[str]:
    spool.executescript(SCHEMA)
    languages: dict[str, int] = {}
    kinds = {kind: code for code, kind in enumerate(LINKS)}
    types = {type: code for code, type in enumerate(TYPES)}
    source, done = iter(concepts), 0
    while some := list(islice(source, BATCH)):
        hashes = _signed(digests(concept.id for concept in some))
        spool.executemany("INSERT INTO concept VALUES (?, ?, ?, ?, ?)", (
            (hash, one.id, types.get(one.type, NO_TYPE), one.weight, one.hidden)
            for hash, one in zip(hashes, some, strict=True)
        ))  # fmt: skip
        labels = [
            (hash, label, place)
            for hash, one in zip(hashes, some, strict=True)
            for place, label in enumerate(one.labels)
            if 0 < len(label.text) <= LABEL_LIMIT and not label.text.isspace()
        ]
        keys = _signed(digests(key(label.text) for _, label, _ in labels))
        spool.executemany("INSERT INTO label VALUES (?, ?, ?, ?, ?, ?)", (
            (hashed, hash, languages.setdefault(label.language, len(languages)), label.weight, label.text, place)
            for hashed, (hash, label, place) in zip(keys, labels, strict=True)
        ))  # fmt: skip
        links = [(hash, link) for hash, one in zip(hashes, some, strict=True) for link in one.broader]
        parents = _signed(digests(link.id for _, link in links))
        spool.executemany("INSERT INTO link VALUES (?, ?, ?)", (
            (hash, parent, kinds[link.link]) for parent, (hash, link) in zip(parents, links, strict=True)
        ))  # fmt: skip
        done += len(some)
        told("concepts", done, 0)
    spool.commit()
    if len(languages) > 256:
        raise InputError("labels of more than 256 languages; choose those that you need")
    return list(languages)


def _rows(spool: sqlite3.Connection, query: str) -> Iterator[Sequence[Any]]:
    """Give the columns of a query, so many rows at a time."""
    cursor = spool.execute(query)
    while rows := cursor.fetchmany(ROWS):
        yield tuple(zip(*rows, strict=True))


class Columns:
    """Arrays that grow on disk, so that memory stays bounded whatever their length."""

    def __init__(self, folder: Path, **dtypes: str) -> None:
        self._folder, self._dtypes = folder, dtypes
        self._files = {name: (folder / f"{name}.column").open("wb") for name in dtypes}

    def add(self, **values: Any) -> None:
        """Append to each column."""
        for name, some in values.items():
            np.asarray(some, self._dtypes[name]).tofile(self._files[name])

    def texts(self, name: str, ends: str, texts: Iterable[str]) -> None:
        """Append texts as bytes, and their lengths."""
        coded = [text.encode("utf-8", "replace") for text in texts]
        self.add(**{name: np.frombuffer(b"".join(coded), np.uint8), ends: [len(code) for code in coded]})

    def arrays(self) -> Arrays:
        """Give what has been appended, mapped."""
        found: Arrays = {}
        for name, dtype in self._dtypes.items():
            file = self._files[name]
            file.close()
            size = Path(file.name).stat().st_size // np.dtype(dtype).itemsize
            found[name] = np.memmap(file.name, dtype, "r", shape=(size,)) if size else np.zeros(0, dtype)
        return found


def _arrays(spool: sqlite3.Connection, place: Path) -> tuple[Arrays, Counts]:
    concepts = _concepts(spool, place)
    known = concepts["concepts.hashes"]
    links, dropped = _links(spool, place, known)
    labels = _labels(spool, place, known) | _senses(spool, place, known)
    counts = Counts(len(known), len(labels["labels.languages"]), len(links["broader.concepts"]), dropped)
    return concepts | links | labels | _information(links, len(known)), counts


def _concepts(spool: sqlite3.Connection, place: Path) -> Arrays:
    """Give the concepts in the order of their hashes, which is that of their numbers."""
    columns = Columns(place, hashes="i8", types="u1", weights="f4", hidden="u1", ids="u1", id_sizes="i8")
    query = """
        SELECT hash, min(id), min(type), max(weight), max(hidden) FROM concept GROUP BY hash ORDER BY hash
    """
    for hashes, ids, types, weights, hidden in _rows(spool, query):
        columns.add(hashes=hashes, types=types, weights=weights, hidden=hidden)
        columns.texts("ids", "id_sizes", ids)
    found = columns.arrays()
    ends = np.cumsum(found.pop("id_sizes")).astype(np.uint64)
    return folders.over("concepts", {**found, "id_ends": ends})


def _numbers(known: NDArray[np.int64], hashes: NDArray[np.int64]) -> NDArray[np.int64]:
    places = np.minimum(np.searchsorted(known, hashes), max(len(known) - 1, 0))
    if not len(known):
        return np.full(len(hashes), -1)
    return np.where(known[places] == hashes, places, -1)


def _starts(owners: NDArray[np.int64], size: int) -> NDArray[np.uint64]:
    return np.append(0, np.cumsum(np.bincount(owners, minlength=size))).astype(np.uint64)


def _owners(starts: NDArray[np.uint64]) -> NDArray[np.int64]:
    sizes = starts[1:].astype(np.int64) - starts[:-1].astype(np.int64)
    return np.repeat(np.arange(len(sizes)), sizes)


def _links(spool: sqlite3.Connection, place: Path, known: NDArray[np.int64]) -> tuple[Arrays, int]:
    columns, dropped = Columns(place, children="i8", concepts="u4", kinds="u1"), 0
    for rows in _rows(spool, "SELECT DISTINCT child, parent, kind FROM link ORDER BY child, kind, parent"):
        child, parent, kind = (np.array(column, np.int64) for column in rows)
        child, parent = _numbers(known, child), _numbers(known, parent)
        good = (child >= 0) & (parent >= 0) & (child != parent)
        dropped += int((~good).sum())
        columns.add(children=child[good], concepts=parent[good], kinds=kind[good])
    found = columns.arrays()
    starts = _starts(found.pop("children"), len(known))
    return folders.over("broader", {**found, "starts": starts}), dropped


def _labels(spool: sqlite3.Connection, place: Path, known: NDArray[np.int64]) -> Arrays:
    """Give the labels of each concept."""
    columns = Columns(place, owners="i8", languages="u1", label_weights="f4", blob="u1", label_sizes="i8")
    query = """
        SELECT concept, language, max(weight), text FROM label
        GROUP BY concept, language, text ORDER BY concept, language, min(place)
    """
    for concepts, languages, weights, texts in _rows(spool, query):
        owners = _numbers(known, np.array(concepts, np.int64))
        columns.add(owners=owners, languages=languages, label_weights=weights)
        columns.texts("blob", "label_sizes", texts)
    found = columns.arrays()
    return folders.over("labels", {
        "starts": _starts(found["owners"], len(known)), "languages": found["languages"],
        "weights": found["label_weights"], "blob": found["blob"],
        "ends": np.cumsum(found["label_sizes"]).astype(np.uint64),
    })  # fmt: skip


def _senses(spool: sqlite3.Connection, place: Path, known: NDArray[np.int64]) -> Arrays:
    """Give the concepts that each key of a label may mean."""
    columns = Columns(place, keys="i8", meant="u4", spoken="u1", priors="f4")
    query = """
        SELECT key, concept, language, max(weight) FROM label
        GROUP BY key, concept, language ORDER BY key, max(weight) DESC, min(place), concept
    """
    for keys, concepts, languages, weights in _rows(spool, query):
        meant = _numbers(known, np.array(concepts, np.int64))
        columns.add(keys=keys, meant=meant, spoken=languages, priors=weights)
    found = columns.arrays()
    every = found["keys"]
    new = np.flatnonzero(np.append(True, np.diff(every) != 0)[: len(every)])
    return folders.over("senses", {
        "keys": every[new], "starts": np.append(new, len(every)).astype(np.uint32), "concepts": found["meant"],
        "languages": found["spoken"], "weights": found["priors"],
    })  # fmt: skip


def _information(links: Arrays, size: int) -> Arrays:
    """Give the share of all concepts that each one covers, in bits: 0 says nothing, the most a leaf.

    A concept counts for all that are broader than it by a link that generalizes, on each way that leads there, so that
    what is broader never says more. Concepts in a cycle count for nobody.
    """
    upwards = np.isin(links["broader.kinds"], [LINKS.index(kind) for kind in UPWARDS])
    parents = links["broader.concepts"][upwards].astype(np.int64)
    children = _owners(links["broader.starts"])[upwards]
    starts = _starts(children, size).astype(np.int64)
    covered = np.ones(size)
    waiting = np.bincount(parents, minlength=size)
    ready = np.flatnonzero(waiting == 0)
    while len(ready):
        edges = _ranges(starts[ready], starts[ready + 1])
        np.add.at(covered, parents[edges], covered[children[edges]])
        np.subtract.at(waiting, parents[edges], 1)
        touched = np.unique(parents[edges])
        ready = touched[waiting[touched] == 0]
    return {"concepts.information": -np.log2(np.minimum(covered / max(size, 1), 1)).astype(np.float32)}


def _ranges(starts: NDArray[np.int64], ends: NDArray[np.int64]) -> NDArray[np.int64]:
    """Give all numbers of several half-open ranges."""
    sizes = ends - starts
    return np.repeat(starts - np.cumsum(sizes) + sizes, sizes) + np.arange(int(sizes.sum()))
