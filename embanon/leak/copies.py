"""The index of near copies: shingles of documents that disclose an entity, the names of entities taken out.

It keeps the shingles (`embanon.leak.shingles`) of each such document, its *source*, and the stretch of words in which
each stands; `embanon.leak.copy_search` looks for passages that have those of a stretch. Shingles that also stand in
some documents that disclose nothing, as salutations, clauses and headings do, are *common*, and tell nothing.
"""

from __future__ import annotations

import secrets
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace
from hashlib import blake2b
from itertools import pairwise
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from embanon.entities import Entity
from embanon.errors import ConfigError
from embanon.leak.regression import Flags, Ints
from embanon.leak.shingles import Hashes, Shingles, WordHasher, Words, sort_stably
from embanon.leak.vocabulary import load_arrays, save_arrays

KIND: Final = "copies"
VERSION: Final = 1
SUFFIX: Final = ".copies"
STRETCH_WORDS: Final = 16
"""Telling words of a stretch."""
SALT_BYTES: Final = 16
KEY_BYTES: Final = 16
"""Bytes by which a ledger knows a document."""
SEEN: Final = ("documents", "contents", "files")
"""What is kept of documents that were seen, beside sources."""
FILTER_BITS: Final = (10, 27)
NO_HASHES: Final = np.zeros(0, np.uint32)


@dataclass(frozen=True, slots=True)
class CopySource:
    """A document that discloses entities."""

    name: str = field(repr=False)
    """What it is called where a near copy is reported."""
    key: bytes
    """What a ledger knows it by; nothing of a sample."""
    masked: str = field(repr=False)
    """Its text, without the names of these entities."""
    digest: int
    """Of its text."""
    entities: frozenset[int]


@dataclass(frozen=True, slots=True, eq=False)
class CopyIndex:
    """The shingles of documents that disclose entities."""

    hasher: WordHasher = field(repr=False)
    hashes: Hashes = field(repr=False)
    """Shingles, ascending, once for each stretch that has one."""
    stretches: Hashes = field(repr=False)
    """Where each stands, counted through all sources."""
    bases: Ints = field(repr=False)
    """The first stretch of each source, and the end of the last."""
    names: tuple[str, ...] = field(repr=False)
    keys: tuple[bytes, ...] = field(repr=False)
    digests: Words = field(repr=False)
    entities: tuple[frozenset[int], ...] = field(repr=False)
    common: Hashes = field(default_factory=lambda: NO_HASHES, repr=False)
    """Shingles of documents that disclose nothing, ascending."""
    _filter: Flags = field(init=False, repr=False)
    """Whether any shingle begins with some bits: most that are asked for are nowhere, and need no search."""
    _naming: dict[int, Flags] = field(default_factory=dict, init=False, repr=False)
    _sources_by_digest: dict[int, list[int]] = field(default_factory=dict, init=False, repr=False)

    def __post_init__(self) -> None:
        bits = np.clip(len(self.hashes).bit_length() + 3, *FILTER_BITS)
        beginnings = np.zeros(1 << bits, bool)
        beginnings[self.hashes >> np.uint32(32 - bits)] = True
        object.__setattr__(self, "_filter", beginnings)
        for number, digest in enumerate(self.digests.tolist()):
            self._sources_by_digest.setdefault(digest, []).append(number)

    @classmethod
    def empty(cls, salt: bytes | None = None, common: Hashes = NO_HASHES) -> CopyIndex:
        """Begin one, by shingles that are common."""
        hasher = WordHasher(salt or secrets.token_bytes(SALT_BYTES))
        return cls(hasher, NO_HASHES, NO_HASHES, np.zeros(1, np.int64), (), (), np.zeros(0, np.uint64), (), common)

    def __len__(self) -> int:
        return len(self.names)

    def add(self, sources: Sequence[CopySource]) -> CopyIndex:
        """Return it with more sources."""
        hashes, stretches, sizes = [NO_HASHES], [NO_HASHES], list[int]()
        start = int(self.bases[-1])
        for source in sources:
            words = self.hasher.read([source.masked])
            shingles = Shingles.from_words(words)
            sizes.append(len(words.hashes) // STRETCH_WORDS + 1)
            places = (start + shingles.words // STRETCH_WORDS).astype(np.uint64)
            both = np.unique(shingles.hashes.astype(np.uint64) << np.uint64(32) | places)
            hashes.append((both >> np.uint64(32)).astype(np.uint32))
            stretches.append((both & np.uint64(0xFFFFFFFF)).astype(np.uint32))
            start += sizes[-1]
        new, where = np.concatenate(hashes), np.concatenate(stretches)
        telling = ~is_in(new, self.common)
        new, where = new[telling], where[telling]
        order = np.argsort(new, kind="stable")
        new, where = new[order], where[order]
        before = np.searchsorted(self.hashes, new, "right")
        return CopyIndex(
            self.hasher, np.insert(self.hashes, before, new), np.insert(self.stretches, before, where),
            np.append(self.bases, self.bases[-1] + np.cumsum(sizes, dtype=np.int64)),
            (*self.names, *(one.name for one in sources)), (*self.keys, *(one.key for one in sources)),
            np.append(self.digests, np.array([one.digest for one in sources], np.uint64)),
            (*self.entities, *(one.entities for one in sources)), self.common,
        )  # fmt: skip

    def with_common(self, common: Hashes) -> CopyIndex:
        """Return it where more shingles are common."""
        common = np.union1d(self.common, common)
        telling = ~is_in(self.hashes, common)
        return replace(self, hashes=self.hashes[telling], stretches=self.stretches[telling], common=common)

    def without(self, keys: Collection[bytes]) -> CopyIndex:
        """Return it without the documents that are known by some keys."""
        kept = [number for number, key in enumerate(self.keys) if key not in keys]
        if len(kept) == len(self):
            return self
        sizes = np.diff(self.bases)
        stays = np.zeros(len(self), bool)
        stays[kept] = True
        bases = np.concatenate([[0], np.cumsum(sizes[stays])])
        shift = np.zeros(len(self), np.int64)
        shift[stays] = self.bases[:-1][stays] - bases[:-1]
        sources = self.sources_of(self.stretches)
        held = stays[sources]
        moved = (self.stretches[held] - shift[sources[held]]).astype(np.uint32)
        return CopyIndex(
            self.hasher, self.hashes[held], moved, bases, tuple(self.names[one] for one in kept),
            tuple(self.keys[one] for one in kept), self.digests[stays], tuple(self.entities[one] for one in kept),
            self.common,
        )  # fmt: skip

    def sources_of(self, stretches: NDArray[np.generic]) -> Ints:
        """Return the source of each of some stretches."""
        return np.searchsorted(self.bases, stretches, "right") - 1

    def postings(self, hashes: Hashes) -> tuple[Ints, Ints]:
        """Return where the stretches of each shingle begin, and how many there are."""
        starts, counts = np.zeros(len(hashes), np.int64), np.zeros(len(hashes), np.int64)
        shift = np.uint32(32 - (len(self._filter).bit_length() - 1))
        likely = np.flatnonzero(self._filter[hashes >> shift])
        asked, order = sort_stably(hashes[likely])  # three times as fast to search for as in disorder
        likely = likely[order]
        starts[likely] = np.searchsorted(self.hashes, asked)
        counts[likely] = np.searchsorted(self.hashes, asked, "right") - starts[likely]
        return starts, counts

    def naming(self, entity: int) -> Flags:
        """Return which sources disclose an entity."""
        known = self._naming.get(entity)
        if known is None:
            known = self._naming[entity] = np.array([entity in one for one in self.entities], bool)
        return known

    def sources_with(self, digest: int) -> Sequence[int]:
        """Return the sources of a text."""
        return self._sources_by_digest.get(digest, ())

    def save(self, path: Path, entities: Sequence[Entity], language: str, seen: dict[str, NDArray[np.uint64]]) -> None:
        """Write it, for its owner alone, with what was seen to build it."""
        blob = "\n".join(name.replace("\n", " ") for name in self.names).encode("utf-8", "surrogatepass")
        numbers = [sorted(one) for one in self.entities]
        save_arrays(path, KIND, VERSION, {
            "salt": np.frombuffer(self.hasher.salt, np.uint8), "hashes": self.hashes, "stretches": self.stretches,
            "bases": self.bases, "names": np.frombuffer(blob, np.uint8), "digests": self.digests,
            "keys": np.frombuffer(b"".join(self.keys), np.uint8), "common": self.common,
            "entity_counts": np.array([len(one) for one in numbers], np.int64),
            "entities": np.array([number for some in numbers for number in some], np.int64),
            "policy": names_digest(entities, language), **seen,
        })  # fmt: skip

    @classmethod
    def load(
        cls, path: Path, entities: Sequence[Entity], language: str, seen: dict[str, NDArray[np.uint64]] | None = None
    ) -> CopyIndex:
        """Read it, for the same entities; `seen` takes what was seen to build it."""
        with load_arrays(path, KIND, VERSION) as arrays:
            if arrays["policy"].tobytes() != names_digest(entities, language).tobytes():
                raise ConfigError(
                    f"{path.name} was made for other entities than the policy has; run: embanon leak scan --learn"
                )
            names = arrays["names"].tobytes().decode("utf-8", "surrogatepass").split("\n")
            keys = arrays["keys"].tobytes()
            ends = np.concatenate([[0], np.cumsum(arrays["entity_counts"])]).tolist()
            numbers = arrays["entities"].tolist()
            count = len(ends) - 1
            index = cls(
                WordHasher(arrays["salt"].tobytes()), arrays["hashes"], arrays["stretches"], arrays["bases"],
                tuple(names if count else ()),
                tuple(keys[at : at + KEY_BYTES] for at in range(0, len(keys), KEY_BYTES)), arrays["digests"],
                tuple(frozenset(numbers[start:end]) for start, end in pairwise(ends)), arrays["common"],
            )  # fmt: skip
            if not (len(index.names) == len(index.keys) == len(index.digests) == len(index.bases) - 1 == count):
                raise ValueError("sources differ in number")
            if len(index.hashes) != len(index.stretches) or not set(numbers) <= set(range(len(entities))):
                raise ValueError("shingles are not those of the sources")
            if len(index.stretches) and int(index.stretches.max()) >= int(index.bases[-1]):
                raise ValueError("a shingle stands nowhere")
            if seen is not None:
                seen |= {name: arrays[name] for name in SEEN}
        return index


def copies_file(hints: Path) -> Path:
    """Return the file of near copies, which lies beside that of hints."""
    return hints.with_suffix(SUFFIX)


def is_in(hashes: Hashes, ascending: Hashes) -> Flags:
    """Return which hashes are among others, in order."""
    if not len(ascending):
        return np.zeros(len(hashes), bool)
    places = np.minimum(np.searchsorted(ascending, hashes), len(ascending) - 1)
    return np.asarray(ascending[places] == hashes)


def names_digest(entities: Sequence[Entity], language: str) -> NDArray[np.uint8]:
    """Return a digest of what entities are called: by that documents are sources."""
    written = repr((language, [(one.name, one.aliases, one.type) for one in entities]))
    return np.frombuffer(blake2b(written.encode("utf-8", "surrogatepass"), digest_size=16).digest(), np.uint8)
