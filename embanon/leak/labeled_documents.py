"""Documents labeled sensitive or not, by a field, by folders, or by a table."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import PurePath
from typing import Any, BinaryIO, Final

from embanon.document import Document
from embanon.errors import ConfigError, InputError
from embanon.io import COMMA, LIMITS, TAB, read_table
from embanon.language import key

ID, LABEL = "id", "label"
HEADER_HINT: Final = "a table of labels begins with: id,label"


@dataclass(frozen=True, slots=True)
class DocumentLabel:
    """The label and group that a table gives a document."""

    label: str = field(repr=False)
    group: str | None = field(default=None, repr=False)


def read_labels(stream: BinaryIO, name: str, group: str | None = None) -> dict[str, DocumentLabel]:
    """Read `id,label`, a line each; and a group, if the table has a column of that name."""
    labels = dict[str, DocumentLabel]()
    given = read_table(stream, name, None, LIMITS, TAB if name.lower().endswith(".tsv") else COMMA)
    for column in (ID, LABEL):
        if given.columns.count(column) != 1:
            raise InputError(f"{name}: has no column {column!r}, or more than one; {HEADER_HINT}")
    for number, cells in given.rows:
        id, row = cells[ID].strip(), DocumentLabel(cells[LABEL].strip(), cells.get(group) if group else None)
        if not id:
            raise InputError(f"{name}, line {number}: names no document; {HEADER_HINT}")
        if labels.setdefault(id, row) != row:
            raise InputError(f"{name}, line {number}: a line before says something else of this document; keep one")
    return labels


@dataclass(frozen=True, slots=True)
class Labels:
    """How documents are labeled, and which labels mean what. Labels are compared in folded case."""

    sensitive: tuple[str, ...] = field(repr=False)
    open: tuple[str, ...] = field(default=(), repr=False)
    """Those that are not sensitive; without any, all that are not named as sensitive."""
    label_field: str | None = None
    table: Mapping[str, DocumentLabel] | None = field(default=None, repr=False)
    """Name of a document -> its label; without a field and a table, folders are labels."""
    group: str | None = None

    def __post_init__(self) -> None:
        """Refuse what contradicts itself."""
        if {*map(key, self.sensitive)} & {*map(key, self.open)}:
            raise ConfigError("a label is named as --sensitive and as --open; name it once")

    @property
    def has_groups(self) -> bool:
        """Return whether the table has groups."""
        return any(row.group is not None for row in (self.table or {}).values())

    def label(self, document: Document, path: str, below: str) -> str | None:
        """Return the label of a document of a file; `below` is the name of the file below what was named."""
        if self.label_field is not None:
            return _clean_label(document.fields.get(self.label_field))
        if self.table is not None:
            row = self._find_row(document, path, below)
            return _clean_label(row.label) if row else None
        folders = folders_of(path, below)
        wanted = {*map(key, self.sensitive), *map(key, self.open)}
        return next((one for one in reversed(folders) if key(one) in wanted), folders[-1] if folders else None)

    def group_of(self, document: Document, path: str, below: str) -> str | None:
        """Return what a document has in common with others."""
        if self.group is None:
            return None
        row = self._find_row(document, path, below) if self.table is not None else None
        return _clean_label(row.group) if row and row.group else _clean_label(document.fields.get(self.group))

    def is_sensitive(self, label: str | None) -> bool | None:
        """Return whether a label means sensitive; `None` of one that means neither."""
        if label is None:
            return None
        if key(label) in map(key, self.sensitive):
            return True
        return None if self.open and key(label) not in map(key, self.open) else False

    def lookup_names(self, document: Document, path: str, below: str) -> tuple[str, ...]:
        """Return the names under which a table may have a document."""
        posix = PurePath(path).as_posix()
        if PurePath(document.id).as_posix() == posix:
            return path, posix, below
        return f"{posix}#{document.id}", f"{below}#{document.id}", document.id

    def _find_row(self, document: Document, path: str, below: str) -> DocumentLabel | None:
        known = self.table or {}
        return next((known[one] for one in self.lookup_names(document, path, below) if one in known), None)


def folders_of(path: str, below: str) -> tuple[str, ...]:
    """Return the folders of a file: the one that was named, if that was one, and those below it."""
    return PurePath(path).parts[-len(PurePath(below).parts) - 1 : -1]


def _clean_label(value: Any) -> str | None:
    """Return a label or group as text; what is no word or number is none."""
    text = str(value).strip() if isinstance(value, str | int) else ""
    return text or None


@dataclass(slots=True)
class LabeledDocuments:
    """Labeled documents, each text once, and what was left out."""

    labels: Labels
    texts: list[str] = field(default_factory=list, repr=False)
    is_sensitive: list[bool] = field(default_factory=list, repr=False)
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
    ungrouped: int = 0
    """Documents without the group that was asked for: each is its own."""
    seen_labels: set[str] = field(default_factory=set, repr=False)
    """Labels, in folded case; of folders all, whichever of them is the label."""
    _digests: dict[bytes, int] = field(default_factory=dict, repr=False)
    _disputed: set[int] = field(default_factory=set, repr=False)
    _used_names: set[str] = field(default_factory=set, repr=False)

    def add(self, document: Document, path: str, below: str) -> None:
        """Take a document."""
        label = self.labels.label(document, path, below)
        if self.labels.table is not None:
            self._used_names.update(self.labels.lookup_names(document, path, below))
        if label is not None:
            by_folder = self.labels.label_field is None and self.labels.table is None
            self.seen_labels.update(map(key, folders_of(path, below) if by_folder else (label,)))
        about = self.labels.is_sensitive(label)
        if not document.text.strip():
            self.empty += 1
        elif about is None:
            self.others += label is not None
            self.unlabeled.append(document.text)
        else:
            self._add_text(document.text, about, self.labels.group_of(document, path, below))

    def _add_text(self, text: str, about: bool, group: str | None) -> None:
        digest = sha256(text.encode("utf-8", "surrogatepass")).digest()
        place = self._digests.setdefault(digest, len(self.texts))
        if place < len(self.texts):
            self.repeated += 1
            if self.is_sensitive[place] != about:
                self._disputed.add(place)
            return
        self.ungrouped += group is None and self.labels.group is not None
        self.texts.append(text)
        self.is_sensitive.append(about)
        self.groups.append(f"of {group}" if group is not None else f"alone {place}")

    def finish(self) -> None:
        """Leave out what is disputed, and refuse labels and groups of which there is nothing."""
        self._check_labels()
        self.disputed = len(self._disputed)
        kept = [place for place in range(len(self.texts)) if place not in self._disputed]
        self.texts = [self.texts[place] for place in kept]
        self.is_sensitive = [self.is_sensitive[place] for place in kept]
        self.groups = [self.groups[place] for place in kept]

    def _check_labels(self) -> None:
        if not self.seen_labels:
            raise ConfigError("no document has a label; see --label-field, --labels and --by-folder")
        for option, labels in (("--sensitive", self.labels.sensitive), ("--open", self.labels.open)):
            for place, label in enumerate(labels, 1):
                if key(label) not in self.seen_labels:
                    raise ConfigError(
                        f"{option}, number {place}: no document has this label; the documents have "
                        f"{len(self.seen_labels)} different ones"
                    )
        if self.labels.group is not None and self.ungrouped == len(self.texts):
            raise ConfigError(f"no document has the key or column {self.labels.group!r} of --group-field")

    def counts(self) -> dict[str, int]:
        """Return how many documents there are, and what was not learnt from."""
        return {
            "documents": len(self.texts) + len(self.unlabeled), "unlabeled": len(self.unlabeled) - self.others,
            "neither": self.others, "repeated": self.repeated, "disputed": self.disputed, "empty": self.empty,
        }  # fmt: skip

    def count_unused(self) -> int:
        """Count the rows of the table of labels that are of no document."""
        return sum(name not in self._used_names for name in self.labels.table or ())


def describe_omissions(given: LabeledDocuments) -> list[str]:
    """Return what nothing was learnt from, a line each."""
    counts = (
        (given.repeated, "documents repeat another word for word: learnt from once"),
        (given.disputed, "texts are sensitive by the label of one document and not by that of another: left out"),
        (given.empty, "documents have no text: left out"),
        (given.others, "documents have a label that is neither sensitive nor open: only how rare words are is told by "
            "them"),
        (given.ungrouped, "documents have no group: each counts as its own"),
        (given.count_unused(), "labels of the table are of no document"),
    )  # fmt: skip
    return [f"{count:,} {what}" for count, what in counts if count]
