"""Compile concepts into a store: sorted on disk, in bounded memory, then written as arrays.

The spool is a database in a temporary file, for what it does best: sorting more than fits into memory. What is
read later are arrays (see `store.py`), which are a tenth of the time to ask.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from importlib.metadata import version
from itertools import islice
from pathlib import Path
from shutil import rmtree
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
from embanon.taxonomy.information import information
from embanon.taxonomy.labels import cleaned
from embanon.taxonomy.store import NO_TYPE

BATCH: Final = 20_000
"""Concepts that are spooled at a time."""
ROWS: Final = 100_000
LANGUAGES: Final = 256
MOST: Final = float(np.finfo(np.float32).max)
SPOOL, COLUMN, PREFIX = "spool", ".column", ".embanon-"

SCHEMA: Final = """
    PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA temp_store = FILE; PRAGMA cache_size = -65536;
    PRAGMA locking_mode = EXCLUSIVE;
    CREATE TABLE concept (hash INTEGER, id BLOB, type INTEGER, weight REAL, hidden INTEGER);
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
        with _spooling(target.absolute().parent) as (place, spool):
            languages = _spool(concepts, spool, told)
            told("sorting", 0, 0)
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
            told("saving", 0, 0)
            folders.save(target, arrays, whole, TAXONOMY)
            return whole
    except sqlite3.Error as exc:
        raise OutputError(f"{target}: cannot be compiled ({exc}); make room on its disk") from exc


@contextmanager
def _spooling(beside: Path) -> Iterator[tuple[Path, sqlite3.Connection]]:
    """Give a folder and a database in it, beside the store: where there is room for one, there is for the other."""
    for left in beside.glob(f"{PREFIX}*"):
        if _abandoned(left):
            rmtree(left, ignore_errors=True)
    with (
        TemporaryDirectory(dir=beside, prefix=PREFIX) as place,
        closing(sqlite3.connect(Path(place) / SPOOL)) as spool,
    ):
        yield Path(place), spool


def _abandoned(folder: Path) -> bool:
    """Tell a folder of ours whose process was killed: one that is at work holds the lock of its database."""
    with suppress(OSError, sqlite3.DatabaseError):
        names = {path.name for path in folder.iterdir()}
        if folder.is_symlink() or SPOOL not in names or any(Path(name).suffix != COLUMN for name in names - {SPOOL}):
            return False
        with closing(sqlite3.connect(folder / SPOOL, timeout=0)) as spool:
            try:
                spool.execute("BEGIN EXCLUSIVE")
            except sqlite3.DatabaseError as exc:
                return exc.sqlite_errorcode in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)
        return True
    return False


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
            (hash, _coded(one.id), types.get(one.type, NO_TYPE), one.weight, one.hidden)
            for hash, one in zip(hashes, some, strict=True)
        ))  # fmt: skip
        labels = [
            (hash, label, text, place)
            for hash, one in zip(hashes, some, strict=True)
            for place, label in enumerate(one.labels)
            if (text := cleaned(label.text))
        ]
        keys = _signed(digests(key(text) for _, _, text, _ in labels))
        spool.executemany("INSERT INTO label VALUES (?, ?, ?, ?, ?, ?)", (
            (hashed, hash, languages.setdefault(label.language, len(languages)), label.weight, text, place)
            for hashed, (hash, label, text, place) in zip(keys, labels, strict=True)
        ))  # fmt: skip
        links = [(hash, link) for hash, one in zip(hashes, some, strict=True) for link in one.broader]
        parents = _signed(digests(link.id for _, link in links))
        spool.executemany("INSERT INTO link VALUES (?, ?, ?)", (
            (hash, parent, kinds[link.link]) for parent, (hash, link) in zip(parents, links, strict=True)
        ))  # fmt: skip
        if len(languages) > LANGUAGES:
            raise InputError(
                f"labels of more than {LANGUAGES} languages; choose those that you need: --languages en,de"
            )
        done += len(some)
        told("concepts", done, 0)
    spool.commit()
    return list(languages)


def _coded(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def _rows(spool: sqlite3.Connection, query: str) -> Iterator[Sequence[Any]]:
    """Give the columns of a query, so many rows at a time."""
    cursor = spool.execute(query)
    while rows := cursor.fetchmany(ROWS):
        yield tuple(zip(*rows, strict=True))


class Columns:
    """Arrays that grow on disk, so that memory stays bounded whatever their length."""

    def __init__(self, folder: Path, **dtypes: str) -> None:
        self._dtypes = dtypes
        self._files = {name: folder / f"{name}{COLUMN}" for name in dtypes}

    def add(self, **values: Any) -> None:
        """Append to each column."""
        for name, some in values.items():
            with self._files[name].open("ab") as file:
                file.write(np.asarray(some, self._dtypes[name]).tobytes())

    def texts(self, name: str, ends: str, coded: Sequence[bytes]) -> None:
        """Append the bytes of texts, and their lengths."""
        self.add(**{name: np.frombuffer(b"".join(coded), np.uint8), ends: [len(code) for code in coded]})

    def arrays(self) -> Arrays:
        """Give what has been appended, mapped."""
        found: Arrays = {}
        for name, dtype in self._dtypes.items():
            file = self._files[name]
            size = file.stat().st_size // np.dtype(dtype).itemsize if file.exists() else 0
            found[name] = np.memmap(file, dtype, "r", shape=(size,)) if size else np.zeros(0, dtype)
        return found


def _weights(column: Sequence[float | None]) -> NDArray[np.float64]:
    """Give weights as they can be added up: what is no number, or below zero, counts nothing."""
    return np.clip(np.nan_to_num(np.array(column, np.float64), posinf=MOST), 0.0, MOST)


def _arrays(spool: sqlite3.Connection, place: Path) -> tuple[Arrays, Counts]:
    concepts = _concepts(spool, place)
    known = concepts["concepts.hashes"]
    links, dropped = _links(spool, place, known)
    labels = _labels(spool, place, known) | _senses(spool, place, known)
    counts = Counts(len(known), len(labels["labels.languages"]), len(links["broader.concepts"]), dropped)
    upwards = np.isin(links["broader.kinds"], [LINKS.index(kind) for kind in UPWARDS])
    parents = links["broader.concepts"][upwards].astype(np.int64)
    children = _owners(links["broader.starts"])[upwards]
    bits = information(children, parents, len(known))
    return concepts | links | labels | {"concepts.information": bits}, counts


def _concepts(spool: sqlite3.Connection, place: Path) -> Arrays:
    """Give the concepts in the order of their hashes, which is that of their numbers."""
    columns = Columns(place, hashes="i8", types="u1", weights="f4", hidden="u1", ids="u1", id_sizes="i8")
    query = """
        SELECT hash, min(id), min(type), max(weight), max(hidden) FROM concept GROUP BY hash ORDER BY hash
    """
    for hashes, ids, types, weights, hidden in _rows(spool, query):
        columns.add(hashes=hashes, types=types, weights=_weights(weights), hidden=hidden)
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
        GROUP BY concept, language, text ORDER BY concept, language, min(place), min(rowid)
    """
    for concepts, languages, weights, texts in _rows(spool, query):
        owners = _numbers(known, np.array(concepts, np.int64))
        columns.add(owners=owners, languages=languages, label_weights=_weights(weights))
        columns.texts("blob", "label_sizes", [_coded(text) for text in texts])
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
        columns.add(keys=keys, meant=meant, spoken=languages, priors=_weights(weights))
    found = columns.arrays()
    every = found["keys"]
    new = np.flatnonzero(np.append(True, np.diff(every) != 0)[: len(every)])
    return folders.over("senses", {
        "keys": every[new], "starts": np.append(new, len(every)).astype(np.uint32), "concepts": found["meant"],
        "languages": found["spoken"], "weights": found["priors"],
    })  # fmt: skip
