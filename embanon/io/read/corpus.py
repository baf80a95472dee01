"""A corpus: the documents of many files, folders and patterns, each with the entity it is about.

Everything streams, and may be read again: a row is yielded as soon as it is read, and an error in the middle
of a file ends the reading. A file in a folder, or found by a pattern, of which nothing can be read (an image, a
table without a column of texts, another encoding) is skipped and counted; a file that was named is an error.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from io import BytesIO
from typing import Any, BinaryIO, Final

from embanon.document import Document
from embanon.errors import ConfigError, InputError
from embanon.io.read import FORMATS, TEXT, format_of, jsonl, open_input, open_source, text
from embanon.io.read.csv_tables import read_table
from embanon.io.read.jsonl import JSON_TYPE_NAMES, SURROGATES, checked_language
from embanon.io.read.limits import LIMITS, Limits, open_gzip, read_errors
from embanon.io.read.paths import File, find_files
from embanon.io.read.source_map import ReadOptions

MARKED: Final = ("markdown", "html", "eml")
"""Formats of which a file is one document, and text what its readers see."""
CORPUS_FORMATS: Final = tuple(FORMATS)

USUAL: Final = {"text": ("text",), "id": ("id",), "entity": ("entity", "title"), "language": ("language",)}
"""What a row holds -> the keys that usually hold it, the first one before the others."""


@dataclass(frozen=True, slots=True)
class CorpusDocument:
    """A document of a corpus, and the entity it is about."""

    document: Document
    entity: str | None = field(default=None, repr=False)


@dataclass(frozen=True, slots=True)
class CorpusColumns:
    """The keys of a row, or columns of a table, and what each holds.

    `None` is the usual one where a row has it: `id`, else the file and the line; `entity`, else `title`; `language`.
    "" is none at all, for titles that name no entity.
    """

    text: str = "text"
    id: str | None = None
    entity: str | None = None
    language: str | None = None

    def __post_init__(self) -> None:
        if not self.text:
            raise ConfigError("--text-column is empty; name the column that holds the texts")

    def required(self) -> Iterator[tuple[str, str]]:
        """Return the required columns, each with what it holds."""
        for what in USUAL:
            if column := getattr(self, what):
                yield what, column

    def keys(self, what: str) -> tuple[str, ...]:
        """Return the keys to try, in order."""
        column: str | None = getattr(self, what)
        if column is None:
            return USUAL[what]
        return (column,) if column else ()


@dataclass(frozen=True, slots=True)
class Row:
    """A row as it was read; `line` is where it begins, or `None` for a whole file."""

    file: str
    line: int | None
    values: Mapping[str, Any] = field(repr=False)
    key_noun: str = "key"
    """What its names are called in a message."""

    @property
    def location(self) -> str:
        """Describe where the row is."""
        return self.file if self.line is None else f"{self.file}, line {self.line}"

    def value(self, what: str, columns: CorpusColumns) -> str | None:
        """Return a value of the row, or `None` if it is missing or blank."""
        for key in columns.keys(what):
            value = self.values.get(key)
            if value is None:
                continue
            if not isinstance(value, str):
                raise InputError(
                    f"{self.location}: {self.key_noun} {key!r} must be a string, not {JSON_TYPE_NAMES[type(value)]}"
                )
            if value and not value.isspace():
                return value
        return None

    def to_document(self, columns: CorpusColumns) -> tuple[CorpusDocument | None, int]:
        """Return the document, or `None` without text, and the number of lone surrogates that were replaced."""
        if columns.text not in self.values:
            raise InputError(
                f"{self.location}: {self.key_noun} {columns.text!r} is missing; name another with --text-column"
            )
        text, language = self.value("text", columns), self._language(columns)
        if text is None:
            return None, 0
        id = self.value("id", columns) or (self.file if self.line is None else f"{self.file}:{self.line}")
        parts = [id, text, (self.value("entity", columns) or "").strip()]
        replaced = 0
        for place, part in enumerate(parts):
            if not part.isascii():
                parts[place], count = SURROGATES.subn("\ufffd", part)
                replaced += count
        return CorpusDocument(Document(parts[0], parts[1], language), parts[2] or None), replaced

    def _language(self, columns: CorpusColumns) -> str | None:
        """Return the short code of the language; an invalid value may be anything, and is not quoted."""
        where = f"{self.location}: {self.key_noun} {next(iter(columns.keys('language')), '')!r}"
        return checked_language(self.value("language", columns), where)


DEFAULT_COLUMNS: Final = CorpusColumns()

MAX_REASONS: Final = 5
"""Skipped files of which it is said why."""


@dataclass(slots=True)
class Tally:
    """Counts of what one reading of a corpus has met."""

    documents: int = 0
    entities: int = 0
    """Documents that say which entity they are about."""
    empty: int = 0
    """Rows and files without text."""
    renamed: int = 0
    """Documents whose id another one had before."""
    replaced: int = 0
    """Lone surrogates, which no encoding can write, read as U+FFFD."""
    skipped: int = 0
    """Files, and folders that cannot be listed."""
    reasons: list[str] = field(default_factory=list)
    """Why the first of them are skipped."""
    bytes: int = 0
    """Bytes of the files that are done with, out of `Corpus.size()`."""

    def skip(self, reason: str) -> None:
        """Count an omission, and keep the first reasons."""
        self.skipped += 1
        if len(self.reasons) < MAX_REASONS:
            self.reasons.append(reason)

    def warnings(self) -> list[str]:
        """Return what was left out or changed, one per line."""
        counts = (
            (self.skipped, "files of which nothing could be read, skipped"),
            (self.empty, "documents without text, skipped"),
            (self.renamed, "ids that are not the first of their kind: #2, #3 … is added to them"),
            (self.replaced, "lone surrogates, read as U+FFFD"),
        )
        rest = self.skipped - len(self.reasons)
        more = [f"… and {rest} more"] if rest else []
        return [*self.reasons, *more, *(f"{count} {what}" for count, what in counts if count)]


@dataclass(frozen=True, slots=True)
class Corpus:
    """Files, folders, patterns and `-`: iterate over its sources as often as needed.

    An encoding is that of plain text and tables. A format holds for what no name says, and for a .txt that was
    named. Standard input and pipes are read once and held, so that they can be read again.
    """

    paths: tuple[str, ...]
    columns: CorpusColumns = DEFAULT_COLUMNS
    encoding: str | None = None
    format: str | None = None
    limits: Limits = LIMITS
    files: tuple[File, ...] = field(init=False, repr=False, compare=False)
    listing_errors: tuple[str, ...] = field(init=False, repr=False, compare=False)
    _buffered: dict[str, bytes] = field(default_factory=dict, init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Find the files; a path that does not exist or matches nothing is an error."""
        if not self.paths:
            raise ConfigError("no corpus; name files, folders or patterns, or - for standard input")
        if self.format is not None and self.format not in CORPUS_FORMATS:
            raise ConfigError(f"no format {self.format!r}; known: {', '.join(CORPUS_FORMATS)}")
        if self.encoding:
            text.check_encoding(self.encoding)
        files, unlisted = find_files(self.paths)
        object.__setattr__(self, "files", files)
        object.__setattr__(self, "listing_errors", unlisted)

    def size(self) -> int | None:
        """Return the size of all files in bytes, packed or not; `None` while that of a pipe is unknown."""
        sizes = [self._size(file) for file in self.files]
        known = [size for size in sizes if size is not None]
        return sum(known) if len(known) == len(sizes) else None

    def __iter__(self) -> Iterator[CorpusDocument]:
        return self.sources(Tally())

    def sources(self, tally: Tally) -> Iterator[CorpusDocument]:
        """Yield the documents in order, counting what is met; a corpus without documents is an error."""
        for reason in self.listing_errors:
            tally.skip(reason)
        ids, missing = UniqueIds(), dict(self.columns.required())
        for file in self.files:
            before, given = tally.bytes, tally.documents
            try:
                for row in self._rows(file, tally):
                    missing = {what: key for what, key in missing.items() if key not in row.values}
                    source, replaced = row.to_document(self.columns)
                    tally.replaced += replaced
                    if source is None:
                        tally.empty += 1
                        continue
                    yield self._counted(source, ids, tally)
            except InputError as exc:
                if file.is_explicit or tally.documents > given:
                    raise
                tally.skip(str(exc))
            tally.bytes = before + (self._size(file) or 0)
        if not tally.documents:
            raise InputError(f"{self._name()}: has no document with text; {'; '.join(tally.warnings())}")
        for what, key in missing.items():
            raise InputError(f"{self._name()}: no row has {key!r}; check --{what}-column")

    def _counted(self, source: CorpusDocument, ids: UniqueIds, tally: Tally) -> CorpusDocument:
        id = ids.make_unique(source.document.id)
        tally.documents += 1
        tally.entities += source.entity is not None
        if id == source.document.id:
            return source
        tally.renamed += 1
        return replace(source, document=replace(source.document, id=id))

    def _rows(self, file: File, tally: Tally) -> Iterator[Row]:
        name, format, before = SURROGATES.sub("\ufffd", file.path), self._format(file), tally.bytes
        with (
            self._opened(file, name) as stream,
            open_gzip(stream, name) if FORMATS[format].is_gzipped else nullcontext(stream) as content,
        ):
            for row in self._parsed(content, name, format):
                tally.bytes = before + stream.tell()
                yield row

    def _parsed(self, stream: BinaryIO, name: str, format: str) -> Iterator[Row]:
        if format == TEXT:
            for document in text.documents(stream, name, self.encoding, self.limits):
                yield Row(name, None, {self.columns.text: document.text})
        elif delimiter := FORMATS[format].delimiter:
            table = read_table(stream, name, self.encoding, self.limits, delimiter)
            for what, column in self.columns.required():
                table.require(name, column, f"name one with --{what}-column")
            for line, values in table.rows:
                yield Row(name, line, values, "column")
        elif format in MARKED:
            reading = ReadOptions(self.encoding, limits=self.limits)
            for source in FORMATS[format].reader(source=False)(stream, name, reading):
                yield Row(name, None, {self.columns.text: source.document.text})
        else:
            for line, values in jsonl.rows(stream, name, self.limits, self.limits.total):
                yield Row(name, line, values)

    def _format(self, file: File) -> str:
        format = format_of(file.path)
        if format == TEXT and file.is_explicit:
            format = None
        return format or self.format or TEXT

    def _opened(self, file: File, name: str) -> BinaryIO:
        if file.size is not None:
            return open_input(file.path)
        if not file.is_explicit:
            raise InputError(f"{name}: is no file that can be read: a pipe, a device or a broken link")
        if file.path not in self._buffered:
            self._buffered[file.path] = _read(file.path, name, self.limits.buffered)
        return BytesIO(self._buffered[file.path])

    def _size(self, file: File) -> int | None:
        return len(self._buffered[file.path]) if file.path in self._buffered else file.size

    def _name(self) -> str:
        return self.paths[0] + (f" and {len(self.paths) - 1} more" if self.paths[1:] else "")


def _read(path: str, name: str, most: int) -> bytes:
    """Read standard input or a pipe to its end."""
    with open_source(path) as stream, read_errors(name):
        data = stream.read(most + 1)
    if len(data) > most:
        raise InputError(f"{name}: has more than {most >> 20} MB; write it to a file first, and name that")
    return data


class UniqueIds:
    """Ids that differ: the first document with an id keeps it, the next are `ID#2`, `ID#3` and so on."""

    def __init__(self, used: Iterable[str] = ()) -> None:
        self._used = set(used)
        self._last: dict[str, int] = {}

    def make_unique(self, id: str) -> str:
        """Return the id, numbered if an earlier document has it."""
        free, number = id, self._last.get(id, 1)
        while free in self._used:
            number += 1
            free = f"{id}#{number}"
        if number > 1:
            self._last[id] = number
        self._used.add(free)
        return free
