"""Which documents of a collection near copies are sought of: those that name an entity of the policy, and its samples.

A scan reads what is new before it scores anything, so that a copy is found whether its source comes before or behind
it. Files that were read before, by name, size and time, are not read again; what is gone, or has changed, drops out.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import numpy as np

from embanon.entities import Entity, fold_text
from embanon.errors import ConfigError, DataError, OutputError
from embanon.leak.copies import KEY_BYTES, KIND, NO_HASHES, SEEN, CopyIndex, CopySource
from embanon.leak.hints import NameMasker
from embanon.leak.name_index import NameIndex
from embanon.leak.shingles import Hashes, Shingles
from embanon.leak.vocabulary import is_kind

MAX_COMMON_DOCUMENTS: Final = 4_000
"""Documents that name nobody, from which it is learnt what is common."""
MIN_COMMON_DOCUMENTS: Final = 3
"""Of these, the documents from which a shingle in them is common."""
MAX_CHARACTERS: Final = 20_000
"""Characters of one of them."""
ADDED_TOGETHER: Final = 512
MAX_SOURCES: Final = 200_000
"""Documents of which near copies are sought."""


def add_samples(index: CopyIndex, entities: Sequence[Entity], language: str) -> CopyIndex:
    """Return an index with the samples of entities, each the source of its own entity at least."""
    samples = [
        CopySource(f"sample {place} of e{number + 1}", bytes(KEY_BYTES), NameMasker(entity, language).mask(text)[0],
                   index.hasher.digest(text), frozenset([number]))
        for number, entity in enumerate(entities)
        for place, text in enumerate(entity.samples, 1)
    ]  # fmt: skip
    return index.add(samples) if samples else index


@dataclass(slots=True)
class CopySources:
    """The sources of a collection, as they are kept in a file beside the hints."""

    path: Path
    entities: Sequence[Entity] = field(repr=False)
    language: str
    keyed: Callable[[str], bytes] = field(repr=False)
    """What the ledger knows a document by."""
    shows_names: bool
    """Whether the ledger says what documents are called."""
    index: CopyIndex = field(default_factory=CopyIndex.empty)
    is_new: bool = True
    is_full: bool = False
    """Whether there were more sources than are kept."""
    _documents: dict[int, int] = field(default_factory=dict, repr=False)
    """Digest of a name -> that of its text."""
    _files: set[int] = field(default_factory=set, repr=False)
    _names: NameIndex | None = field(default=None, repr=False)
    _pending: list[CopySource] = field(default_factory=list, repr=False)
    _dropped: set[bytes] = field(default_factory=set, repr=False)
    _others: list[tuple[int, str]] = field(default_factory=list, repr=False)
    _changed: bool = False

    @classmethod
    def open(
        cls, path: Path, entities: Sequence[Entity], language: str, keyed: Callable[[str], bytes], *,
        shows_names: bool, anew: bool = False,
    ) -> CopySources:  # fmt: skip
        """Read them from a file, unless that is of another policy, or is to be made anew."""
        sources = cls(path, entities, language, keyed, shows_names)
        if path.exists() and not is_kind(path, KIND):  # which it would be written over
            raise ConfigError(f"{path}: is no file of near copies; name another file of hints: --hints FILE")
        if anew or not path.exists():
            return sources
        seen = dict.fromkeys(SEEN, np.zeros(0, np.uint64))
        try:
            sources.index = CopyIndex.load(path, entities, language, seen)
        except (ConfigError, DataError):
            return sources
        sources.is_new = False
        sources._documents = dict(zip(seen["documents"].tolist(), seen["contents"].tolist(), strict=True))
        sources._files = set(seen["files"].tolist())
        return sources

    def is_file_known(self, path: str) -> bool:
        """Return whether a file was read before as it is, and remember it."""
        try:
            state = Path(path).stat()
        except OSError:
            return False  # reading it says what is wrong
        digest = self.index.hasher.digest(f"{path}\0{state.st_size}\0{state.st_mtime_ns}")
        known = digest in self._files
        self._files.add(digest)
        self._changed |= not known
        return known

    def read(self, name: str, text: str) -> None:
        """Take a document as it is now."""
        hasher = self.index.hasher
        document, digest = hasher.digest(name), hasher.digest(text)
        before = self._documents.get(document)
        if before == digest:
            return
        self._changed = True
        self._documents[document] = digest
        key = self.keyed(name)
        if before is not None:
            self._drop(key)
        if self._names is None:
            self._names = NameIndex.build(self.entities, self.language)
        masked, named = text, set[int]()
        for number in self._names.find_entities(fold_text(text)):
            left, count = NameMasker(self.entities[number], self.language).mask(masked)
            if count:
                masked = left
                named.add(number)
        if named:
            self.is_full |= len(self.index) + len(self._pending) >= MAX_SOURCES
            if not self.is_full:
                shown = name if self.shows_names else key.hex()[:12]
                self._pending.append(CopySource(shown, key, masked, digest, frozenset(named)))
        elif self.is_new:
            self._keep_other(digest, text[:MAX_CHARACTERS])
        if len(self._pending) >= ADDED_TOGETHER:
            self._settle()

    def forget(self, names: Iterable[str]) -> None:
        """Drop documents that are gone."""
        for name in names:
            if self._documents.pop(self.index.hasher.digest(name), None) is not None:
                self._drop(self.keyed(name))
                self._changed = True

    def save(self) -> None:
        """Write what has changed."""
        self._settle()
        if self.is_new:
            self.index = self.index.with_common(self._common_shingles())
            self.is_new, self._others = False, []
        elif not self._changed:
            return
        documents = np.array(sorted(self._documents), np.uint64)
        contents = np.array([self._documents[one] for one in documents.tolist()], np.uint64)
        files = np.array(sorted(self._files), np.uint64)
        try:
            self.index.save(self.path, self.entities, self.language,
                {"documents": documents, "contents": contents, "files": files})  # fmt: skip
        except OSError as exc:
            raise OutputError(
                f"{self.path}: cannot be written ({exc.strerror}); name another file: --hints FILE"
            ) from exc
        self._changed = False

    def _drop(self, key: bytes) -> None:
        self._dropped.add(key)
        self._pending = [one for one in self._pending if one.key != key]

    def _settle(self) -> None:
        """Take what is dropped out of the index, and put in what is new."""
        if self._dropped:
            self.index = self.index.without(self._dropped)
            self._dropped = set()
        if self._pending:
            self.index = self.index.add(self._pending)
            self._pending = []

    def _keep_other(self, digest: int, text: str) -> None:
        """Keep some documents that name nobody, the same ones in whatever order they come."""
        if len(self._others) < MAX_COMMON_DOCUMENTS:
            heapq.heappush(self._others, (-digest, text))
        elif -digest > self._others[0][0]:
            heapq.heapreplace(self._others, (-digest, text))

    def _common_shingles(self) -> Hashes:
        texts = dict(self._others)
        if len(texts) < MIN_COMMON_DOCUMENTS:
            return NO_HASHES
        read = self.index.hasher.read
        each = [np.unique(Shingles.from_words(read([text])).hashes) for text in texts.values()]
        hashes, counts = np.unique(np.concatenate(each), return_counts=True)
        return hashes[counts >= MIN_COMMON_DOCUMENTS]
