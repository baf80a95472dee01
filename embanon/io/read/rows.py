"""From a row to a source: which of its keys hold the text, its id, the entity it is about and its language."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from embanon.document import LANGUAGE_CODE_HELP, Document, language_code
from embanon.errors import ConfigError, InputError
from embanon.io.read.jsonl import JSON_TYPE_NAMES, SURROGATES

USUAL: Final = {"text": ("text",), "id": ("id",), "entity": ("entity", "title"), "language": ("language",)}
"""What a row holds -> the keys that usually hold it, the first one before the others."""


@dataclass(frozen=True, slots=True)
class CorpusDocument:
    """A document of a corpus, and the entity that it says it is about."""

    document: Document
    entity: str | None = field(default=None, repr=False)


@dataclass(frozen=True, slots=True)
class CorpusColumns:
    """Which key of a row, or column of a table, holds what.

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
        """Return the columns that must be there, each with what it holds."""
        for what in USUAL:
            if column := getattr(self, what):
                yield what, column

    def keys(self, what: str) -> tuple[str, ...]:
        """Return the keys to look at, in order."""
        column: str | None = getattr(self, what)
        if column is None:
            return USUAL[what]
        return (column,) if column else ()


@dataclass(frozen=True, slots=True)
class Row:
    """A row as it was read; `line` is where it begins, `None` where it is all of a file."""

    file: str
    line: int | None
    values: Mapping[str, Any] = field(repr=False)
    key_noun: str = "key"
    """What its names are called in a message."""

    @property
    def location(self) -> str:
        """Say where the row is."""
        return self.file if self.line is None else f"{self.file}, line {self.line}"

    def value(self, what: str, columns: CorpusColumns) -> str | None:
        """Return what the row holds as it stands, `None` where that is nothing, or only space."""
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
        """Return the document, `None` where there is no text, and how many lone surrogates are replaced in it."""
        if columns.text not in self.values:
            raise InputError(
                f"{self.location}: {self.key_noun} {columns.text!r} is missing; name another with --text-column"
            )
        text, language = self.value("text", columns), self._language(columns)
        if text is None:
            return None, 0
        id = self.value("id", columns) or (self.file if self.line is None else f"{self.file}:{self.line}")
        parts = [id, text, (self.value("entity", columns) or "").strip()]
        found = 0
        for place, part in enumerate(parts):
            if not part.isascii():
                parts[place], count = SURROGATES.subn("\ufffd", part)
                found += count
        return CorpusDocument(Document(parts[0], parts[1], language), parts[2] or None), found

    def _language(self, columns: CorpusColumns) -> str | None:
        """Return the short code of the language; a value that is none may be anything, and is not quoted."""
        written = self.value("language", columns)
        code = written and language_code(written)
        if written and not code:
            [key] = columns.keys("language")
            raise InputError(
                f"{self.location}: {self.key_noun} {key!r}: {LANGUAGE_CODE_HELP}; leave it empty where it is not known"
            )
        return code
