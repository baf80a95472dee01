"""From bytes to documents: the table of formats, and a module for each family of them."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import BinaryIO, Final

from embanon.document import Document
from embanon.errors import ConfigError, InputError, MissingTextError
from embanon.io.read.limits import LIMITS, Limits, open_gzip
from embanon.io.read.source_map import ReadOptions, SourceDocument, TextColumns

Reader = Callable[..., Iterator[SourceDocument]]
"""Takes a stream, its name and `ReadOptions`, of tables also the delimiter."""


@dataclass(frozen=True, slots=True)
class Format:
    """How files of a format are read; the reader is imported when it is first needed."""

    module: str
    documents: str = "documents"
    """What reads the documents, laid out in their sources."""
    sources: str = "sources"
    """What reads the sources alone, as restoring does."""
    has_rows: bool = False
    """Whether a file has many documents, each with its id."""
    delimiter: str = ""
    """Of a table."""
    is_gzipped: bool = False

    def reader(self, source: bool) -> Reader:
        """Return the module that reads the format."""
        module = import_module(f"embanon.io.read.{self.module}")
        reader: Reader = getattr(module, self.sources if source else self.documents)
        return partial(reader, delimiter=self.delimiter) if self.delimiter else reader


TEXT: Final = "text"
JSON_LINES_FORMATS: Final = ("jsonl", "jsonl.gz")

FORMATS: Final[dict[str, Format]] = {
    "jsonl": Format("jsonl", "sources", has_rows=True),
    "jsonl.gz": Format("jsonl", "sources", has_rows=True, is_gzipped=True),
    TEXT: Format("text", "sources"),  # also any other ending: it is plain text, or is refused as none
    "markdown": Format("markdown"),
    "html": Format("html_page"),
    "eml": Format("mail"),
    "csv": Format("table_documents", has_rows=True, delimiter=","),
    "tsv": Format("table_documents", has_rows=True, delimiter="\t"),
    "csv.gz": Format("table_documents", has_rows=True, delimiter=",", is_gzipped=True),
    "tsv.gz": Format("table_documents", has_rows=True, delimiter="\t", is_gzipped=True),
}
"""Name of a format -> how it is read."""

ENDINGS: Final = {format: format for format in FORMATS} | {
    "txt": TEXT, "md": "markdown", "htm": "html", "xhtml": "html",
}  # fmt: skip
"""How the name of a file ends -> its format."""

STDIN: Final = "-"


def read_documents(
    path: str,
    encoding: str | None = None,
    format: str | None = None,
    limits: Limits = LIMITS,
    columns: TextColumns | None = None,
) -> Iterator[Document]:
    """Return the documents of a file, or of standard input for "-", whose format is plain text unless named.

    No document comes before all of the input is known to be readable. The encoding is that of plain text. The text of
    a document is what its readers see: of a page that between the tags, of a row its cells.
    """
    for source in read_sources(path, ReadOptions(encoding, columns or TextColumns(), limits), format):
        yield source.document


def read_sources(
    path: str, reading: ReadOptions, format: str | None = None, *, source: bool = False
) -> Iterator[SourceDocument]:
    """Return the documents of an input, each with its source; or the sources alone, as they are written."""
    if format is not None and format not in FORMATS:
        raise ConfigError(f"no format {format!r}; known: {', '.join(FORMATS)}")
    known = FORMATS[format or format_of(path) or TEXT]
    with open_source(path) as stream:
        yield from read_stream(known, stream, path, reading, source=source)


def read_stream(
    known: Format, stream: BinaryIO, name: str, reading: ReadOptions, *, source: bool = False
) -> Iterator[SourceDocument]:
    """Return the documents of a stream of a known format."""
    with open_gzip(stream, name) if known.is_gzipped else nullcontext(stream) as content:
        try:
            yield from known.reader(source)(content, name, reading)
        except MissingTextError:  # before the first document
            if not (reading.whole and reading.columns == TextColumns() and content.seekable()):
                raise
            content.seek(0)
            yield from FORMATS[TEXT].reader(source)(content, name, reading)


def format_of(path: str) -> str | None:
    """Return the format that a name says, or `None`."""
    return next((format for ending, format in ENDINGS.items() if path.lower().endswith(f".{ending}")), None)


def standard_input(advice: str = "name a file, or send a text: embanon … - < FILE") -> BinaryIO:
    """Return the bytes of standard input."""
    if sys.stdin is None:  # as Python has it where it was started with `<&-`
        raise InputError(f"-: standard input is closed; {advice}")
    return sys.stdin.buffer


def open_source(path: str) -> AbstractContextManager[BinaryIO]:
    """Open a file to read its bytes, or standard input for "-", which stays open."""
    return nullcontext(standard_input()) if path == STDIN else open_input(path)


@contextmanager
def open_unpacked(path: str) -> Iterator[BinaryIO]:
    """Open a file to read its bytes, unpacked where its name ends in .gz."""
    with (
        open_input(path) as stream,
        open_gzip(stream, path) if path.endswith(".gz") else nullcontext(stream) as content,
    ):
        yield content


def open_input(path: str) -> BinaryIO:
    """Open a file to read its bytes."""
    try:
        return Path(path).open("rb")
    except (OSError, ValueError) as exc:
        raise open_error(path, exc) from exc


def open_error(path: str, exc: OSError | ValueError) -> InputError:
    """Return the error that explains why a file cannot be opened."""
    if isinstance(exc, FileNotFoundError):
        return InputError(f"{path}: no such file; check the name, or use - for standard input")
    if isinstance(exc, IsADirectoryError):
        return InputError(f"{path}: is a folder; name its files, such as {path.rstrip('/')}/*.txt")
    if isinstance(exc, PermissionError):
        if Path(path).is_dir():  # as Windows says it
            return InputError(f"{path}: is a folder; name its files")
        return InputError(f"{path}: may not be read; change its permissions (chmod u+r)")
    reason = getattr(exc, "strerror", None) or "not a possible name"
    return InputError(f"{path!r}: cannot be opened ({reason})")
