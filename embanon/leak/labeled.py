"""Gather documents with what is said of them: sensitive or not, by a field, by folders, or by a table of labels."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import PurePath
from typing import Any, BinaryIO, Final

from embanon.document import Document
from embanon.errors import ConfigError, InputError
from embanon.io.read.limits import LIMITS
from embanon.io.read.tabular import COMMA, TAB, table
from embanon.language.normalize import key

ID, LABEL = "id", "label"
LINE: Final = "a table of labels begins with: id,label"


@dataclass(frozen=True, slots=True)
class Row:
    """What a table says of a document."""

    label: str = field(repr=False)
    group: str | None = field(default=None, repr=False)


def read_labels(stream: BinaryIO, name: str, group: str | None = None) -> dict[str, Row]:
    """Read `id,label`, a line each; and a group, if the table has a column of that name."""
    found = dict[str, Row]()
    given = table(stream, name, None, LIMITS, TAB if name.lower().endswith(".tsv") else COMMA)
    for column in (ID, LABEL):
        if given.columns.count(column) != 1:
            raise InputError(f"{name}: has no column {column!r}, or more than one; {LINE}")
    for number, cells in given.rows:
        id, row = cells[ID].strip(), Row(cells[LABEL].strip(), cells.get(group) if group else None)
        if not id:
            raise InputError(f"{name}, line {number}: names no document; {LINE}")
        if found.setdefault(id, row) != row:
            raise InputError(f"{name}, line {number}: a line before says something else of this document; keep one")
    return found


@dataclass(frozen=True, slots=True)
class Labels:
    """How documents are labeled, and which labels mean what. Labels are compared in folded case."""

    sensitive: tuple[str, ...] = field(repr=False)
    open: tuple[str, ...] = field(default=(), repr=False)
    """Those that are not sensitive; without any, all that are not named as sensitive."""
    key: str | None = None
    table: Mapping[str, Row] | None = field(default=None, repr=False)
    """Name of a document -> what is said of it; without key and table, folders are labels."""
    group: str | None = None

    def __post_init__(self) -> None:
        """Refuse what contradicts itself."""
        if {*map(key, self.sensitive)} & {*map(key, self.open)}:
            raise ConfigError("a label is named as --sensitive and as --open; name it once")

    @property
    def grouped(self) -> bool:
        """Say whether the table has groups."""
        return any(row.group is not None for row in (self.table or {}).values())

    def label(self, document: Document, path: str, below: str) -> str | None:
        """Give the label of a document of a file; `below` is the name of the file below what was named."""
        if self.key is not None:
            return _said(document.fields.get(self.key))
        if self.table is not None:
            row = self._row(document, path, below)
            return _said(row.label) if row else None
        folders = folders_of(path, below)
        wanted = {*map(key, self.sensitive), *map(key, self.open)}
        return next((one for one in reversed(folders) if key(one) in wanted), folders[-1] if folders else None)

    def group_of(self, document: Document, path: str, below: str) -> str | None:
        """Give what a document has in common with others."""
        if self.group is None:
            return None
        row = self._row(document, path, below) if self.table is not None else None
        return _said(row.group) if row and row.group else _said(document.fields.get(self.group))

    def about(self, label: str | None) -> bool | None:
        """Say whether a label means sensitive; `None` of one that means neither."""
        if label is None:
            return None
        if key(label) in map(key, self.sensitive):
            return True
        return None if self.open and key(label) not in map(key, self.open) else False

    def names(self, document: Document, path: str, below: str) -> tuple[str, ...]:
        """Give the names under which a table may have a document."""
        posix = PurePath(path).as_posix()
        if PurePath(document.id).as_posix() == posix:
            return path, posix, below
        return f"{posix}#{document.id}", f"{below}#{document.id}", document.id

    def _row(self, document: Document, path: str, below: str) -> Row | None:
        known = self.table or {}
        return next((known[one] for one in self.names(document, path, below) if one in known), None)


def folders_of(path: str, below: str) -> tuple[str, ...]:
    """Give the folders of a file: the one that was named, if that was one, and those below it."""
    return PurePath(path).parts[-len(PurePath(below).parts) - 1 : -1]


def _said(value: Any) -> str | None:
    """Give a label or group as text; what is no word or number is none."""
    said = str(value).strip() if isinstance(value, str | int) else ""
    return said or None


@dataclass(slots=True)
class Gathered:
    """Labeled documents, each text once, and what was left out."""

    labels: Labels
    texts: list[str] = field(default_factory=list, repr=False)
    about: list[bool] = field(default_factory=list, repr=False)
    groups: list[str] = field(default_factory=list, repr=False)
    unlabeled: list[str] = field(default_factory=list, repr=False)
    """Texts that tell how rare words are, and nothing else."""
    others: int = 0
    """Documents with a label that means neither."""
    repeated: int = 0
    """Documents that say word for word what one before does."""
    disputed: int = 0
    """Texts that are sensitive by the label of one document, and not by that of another: nothing is learnt of them."""
    empty: int = 0
    """Documents without a word."""
    alone: int = 0
    """Documents without the group that was asked for: each is its own."""
    met: set[str] = field(default_factory=set, repr=False)
    """Labels, in folded case; of folders all, whichever of them is the label."""
    _places: dict[bytes, int] = field(default_factory=dict, repr=False)
    _disputed: set[int] = field(default_factory=set, repr=False)
    _used: set[str] = field(default_factory=set, repr=False)

    def take(self, document: Document, path: str, below: str) -> None:
        """Take a document."""
        label = self.labels.label(document, path, below)
        if self.labels.table is not None:
            self._used.update(self.labels.names(document, path, below))
        if label is not None:
            by_folder = self.labels.key is None and self.labels.table is None
            self.met.update(map(key, folders_of(path, below) if by_folder else (label,)))
        about = self.labels.about(label)
        if not document.text.strip():
            self.empty += 1
        elif about is None:
            self.others += label is not None
            self.unlabeled.append(document.text)
        else:
            self._add(document.text, about, self.labels.group_of(document, path, below))

    def _add(self, text: str, about: bool, group: str | None) -> None:
        digest = sha256(text.encode("utf-8", "surrogatepass")).digest()
        place = self._places.setdefault(digest, len(self.texts))
        if place < len(self.texts):
            self.repeated += 1
            if self.about[place] != about:
                self._disputed.add(place)
            return
        self.alone += group is None and self.labels.group is not None
        self.texts.append(text)
        self.about.append(about)
        self.groups.append(f"of {group}" if group is not None else f"alone {place}")

    def finish(self) -> None:
        """Leave out what is disputed, and refuse labels and groups of which there is nothing."""
        self._check()
        self.disputed = len(self._disputed)
        kept = [place for place in range(len(self.texts)) if place not in self._disputed]
        self.texts = [self.texts[place] for place in kept]
        self.about = [self.about[place] for place in kept]
        self.groups = [self.groups[place] for place in kept]

    def _check(self) -> None:
        if not self.met:
            raise ConfigError("no document has a label; see --label-field, --labels and --by-folder")
        for option, labels in (("--sensitive", self.labels.sensitive), ("--open", self.labels.open)):
            for place, label in enumerate(labels, 1):
                if key(label) not in self.met:
                    raise ConfigError(
                        f"{option}, number {place}: no document has this label; the documents have "
                        f"{len(self.met)} different ones"
                    )
        if self.labels.group is not None and self.alone == len(self.texts):
            raise ConfigError(f"no document has the key or column {self.labels.group!r} of --group-field")

    def counts(self) -> dict[str, int]:
        """Give how many documents there are, and what was not learnt from."""
        return {
            "documents": len(self.texts) + len(self.unlabeled), "unlabeled": len(self.unlabeled) - self.others,
            "neither": self.others, "repeated": self.repeated, "disputed": self.disputed, "empty": self.empty,
        }  # fmt: skip

    def unused(self) -> int:
        """Count the rows of the table of labels that are of no document."""
        return sum(name not in self._used for name in self.labels.table or ())


def notes(given: Gathered) -> list[str]:
    """Say what was left out of what is learnt."""
    counts = (
        (given.repeated, "documents repeat another word for word: learnt from once"),
        (given.disputed, "texts are sensitive by the label of one document and not by that of another: left out"),
        (given.empty, "documents have no text: left out"),
        (given.others, "documents have a label that is neither sensitive nor open: only how rare words are is told by "
            "them"),
        (given.alone, "documents have no group: each counts as its own"),
        (given.unused(), "labels of the table are of no document"),
    )  # fmt: skip
    return [f"{count:,} {what}" for count, what in counts if count]
