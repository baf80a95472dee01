"""The spool of concepts to compile: a database and columns on disk, in a folder next to the store."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from shutil import rmtree
from tempfile import TemporaryDirectory
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from embanon.document import TYPES
from embanon.errors import ConfigError, InputError
from embanon.language import key
from embanon.storage import Arrays, hash_keys
from embanon.taxonomy.concept import LINKS, Concept, Label, clean_label
from embanon.taxonomy.store import NO_TYPE

BATCH: Final = 20_000
"""Concepts that are spooled at a time."""
LANGUAGES: Final = 256
SPOOL, COLUMN, PREFIX = "spool", ".column", ".embanon-"

FAST_PRAGMAS: Final = """
    PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA temp_store = FILE; PRAGMA cache_size = -65536;
    PRAGMA locking_mode = EXCLUSIVE;
"""
RESUMABLE_PRAGMAS: Final = FAST_PRAGMAS.replace("journal_mode = OFF", "journal_mode = PERSIST")
"""For a spool that is taken up again: a process that is killed leaves the last batch that was whole."""
SCHEMA: Final = """
    CREATE TABLE concept (hash INTEGER, id BLOB, type INTEGER, weight REAL, hidden INTEGER);
    CREATE TABLE label (key INTEGER, concept INTEGER, language INTEGER, weight REAL, text TEXT, place INTEGER);
    CREATE TABLE link (child INTEGER, parent INTEGER, kind INTEGER);
    CREATE TABLE state (source TEXT, position INTEGER, done INTEGER, languages TEXT);
"""

Progress = Callable[[str, float, float], None]


@dataclass(slots=True)
class SpoolState:
    """How far a source was read into a spool: from `position` on it can be taken up again."""

    source: str
    """What tells one reading from another: files, their sizes, choices."""
    position: int = 0
    done: int = 0
    languages: dict[str, int] = field(default_factory=dict)

    @classmethod
    def read(cls, folder: Path, source: str) -> SpoolState:
        """Read how far a reading that was broken off came; a new one where there was none."""
        if not (folder / SPOOL).exists():
            return cls(source)
        try:
            with closing(sqlite3.connect(folder / SPOOL, timeout=0)) as spool:
                row = spool.execute("SELECT source, position, done, languages FROM state").fetchone()
        except sqlite3.DatabaseError as exc:
            if exc.sqlite_errorcode == sqlite3.SQLITE_BUSY:
                raise ConfigError(f"{folder}: another build is at work there; wait for it") from exc
            row = None  # it was killed before it had a batch
        if row is None:
            rmtree(folder)
            return cls(source)
        if row[0] != source:
            raise ConfigError(
                f"{folder}: was begun from another source, or with other choices; remove it to begin anew"
            )
        return cls(source, row[1], row[2], {name: code for code, name in enumerate(json.loads(row[3]))})

    def save(self, spool: sqlite3.Connection) -> None:
        """Write it with what was spooled, as one."""
        spool.execute("DELETE FROM state")
        row = (self.source, self.position, self.done, json.dumps(list(self.languages)))
        spool.execute("INSERT INTO state VALUES (?, ?, ?, ?)", row)
        spool.commit()


@contextmanager
def resumable_spool(folder: Path) -> Iterator[tuple[Path, sqlite3.Connection]]:
    """Return a folder and a database in it that stay if the work breaks off, and go when it is done."""
    folder.mkdir(mode=0o700, exist_ok=True)
    for left in folder.glob(f"*{COLUMN}"):
        left.unlink()
    with closing(sqlite3.connect(folder / SPOOL)) as spool:
        spool.executescript(RESUMABLE_PRAGMAS)
        yield folder, spool
    rmtree(folder)


@contextmanager
def temporary_spool(parent: Path) -> Iterator[tuple[Path, sqlite3.Connection]]:
    """Return a folder and a database in it, beside the store: where there is room for one, there is for the other."""
    for left in parent.glob(f"{PREFIX}*"):
        if _abandoned(left):
            rmtree(left, ignore_errors=True)
    with TemporaryDirectory(dir=parent, prefix=PREFIX) as place, closing(sqlite3.connect(Path(place) / SPOOL)) as spool:
        spool.executescript(FAST_PRAGMAS)
        yield Path(place), spool


def _abandoned(folder: Path) -> bool:
    """Return whether a folder of ours was left by a process that was killed: one at work locks its database."""
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
    numbers: list[int] = hashes.view(np.int64).tolist()
    return numbers


def spool_concepts(
    concepts: Iterable[Concept], spool: sqlite3.Connection, report: Progress, state: SpoolState,
    at: Callable[[], int] | None = None,
) -> list[str]:  # fmt: skip
    """Spool concepts, and return the languages of their labels in the order of their codes.

    `at` tells the position behind all that was given so far; then every batch is saved with it.
    """
    if not state.done:
        spool.executescript(SCHEMA)
    languages = state.languages
    kinds = {kind: code for code, kind in enumerate(LINKS)}
    types = {type: code for code, type in enumerate(TYPES)}
    source = iter(concepts)
    while batch := list(islice(source, BATCH)):
        hashes = _signed(hash_keys(concept.id for concept in batch))
        spool.executemany("INSERT INTO concept VALUES (?, ?, ?, ?, ?)", (
            (hash, encode_text(item.id), types.get(item.type, NO_TYPE), item.weight, item.hidden)
            for hash, item in zip(hashes, batch, strict=True)
        ))  # fmt: skip
        labels = [
            (hash, label, text, place)
            for hash, item in zip(hashes, batch, strict=True)
            for label, text, place in _usable_labels(item.labels)
        ]
        keys = _signed(hash_keys(key(text) for _, _, text, _ in labels))
        spool.executemany("INSERT INTO label VALUES (?, ?, ?, ?, ?, ?)", (
            (hashed, hash, languages.setdefault(label.language, len(languages)), label.weight, text, place)
            for hashed, (hash, label, text, place) in zip(keys, labels, strict=True)
        ))  # fmt: skip
        links = [(hash, link) for hash, item in zip(hashes, batch, strict=True) for link in item.broader]
        parents = _signed(hash_keys(link.id for _, link in links))
        spool.executemany("INSERT INTO link VALUES (?, ?, ?)", (
            (hash, parent, kinds[link.link]) for parent, (hash, link) in zip(parents, links, strict=True)
        ))  # fmt: skip
        if len(languages) > LANGUAGES:
            raise InputError(
                f"labels of more than {LANGUAGES} languages; choose those that you need: --languages en,de"
            )
        state.done += len(batch)
        if at is not None:
            state.position = at()
            state.save(spool)
        report("concepts", state.done, 0)
    spool.commit()
    return list(languages)


def _usable_labels(labels: Iterable[Label]) -> Iterator[tuple[Label, str, int]]:
    """Return the labels that can be shown, each with its text and its place among those of its language."""
    places: dict[str, int] = {}
    for label in labels:
        if text := clean_label(label.text):
            places[label.language] = place = places.get(label.language, -1) + 1
            yield label, text, place


def encode_text(text: str) -> bytes:
    """Return the bytes of a text, whatever is in it."""
    return text.encode("utf-8", "surrogatepass")


class DiskColumns:
    """Arrays that grow on disk, so that memory stays bounded whatever their length."""

    def __init__(self, folder: Path, **dtypes: str) -> None:
        self._dtypes = dtypes
        self._files = {name: folder / f"{name}{COLUMN}" for name in dtypes}

    def add(self, **values: Any) -> None:
        """Append to each column."""
        for name, items in values.items():
            with self._files[name].open("ab") as file:
                file.write(np.asarray(items, self._dtypes[name]).tobytes())

    def add_texts(self, name: str, ends: str, texts: Sequence[bytes]) -> None:
        """Append the bytes of texts, and their lengths."""
        self.add(**{name: np.frombuffer(b"".join(texts), np.uint8), ends: [len(code) for code in texts]})

    def arrays(self) -> Arrays:
        """Return what has been appended, mapped."""
        mapped: Arrays = {}
        for name, dtype in self._dtypes.items():
            file = self._files[name]
            size = file.stat().st_size // np.dtype(dtype).itemsize if file.exists() else 0
            mapped[name] = np.memmap(file, dtype, "r", shape=(size,)) if size else np.zeros(0, dtype)
        return mapped
