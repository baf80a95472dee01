"""The nouns that flow through embanon: documents, phrases, identifiers. All offsets are half-open code points."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final, overload

import numpy as np
from numpy.typing import NDArray

from embanon.errors import ArgumentError

TYPES: Final = ("PERSON", "ORG", "LOC", "DATETIME", "DEM", "CODE", "QUANTITY", "MISC")
"""TAB's eight types, in the order of their codes."""

FORMS: Final = ("name", "title", "date", "number", "quantity", "reference", "code", "common")
"""How a phrase is written, which decides how its rarity is read (scoring)."""


@dataclass(frozen=True, slots=True)
class Identifier:
    """A structured identifier; `checked` says that its checksum or registry rule was verified."""

    start: int
    end: int
    type: str
    kind: str
    checked: bool = False


@dataclass(frozen=True, slots=True)
class Phrase:
    """A unit of text that can be masked: `doc.text[start:end]`, its head at `head_start:head_end`.

    `base` numbers the base noun phrase that it belongs to: phrases that touch share the number.
    """

    start: int
    end: int
    type: str
    kind: str
    form: str
    head_start: int
    head_end: int
    base: int

    def to_dict(self) -> dict[str, Any]:
        """Return the fields by name, ready for JSON."""
        return {name: getattr(self, name) for name in self.__slots__}


@dataclass(frozen=True, slots=True)
class Document:
    """A text with its id and language (`None` until given or detected). The text never shows in a repr."""

    id: str
    text: str = field(repr=False)
    language: str | None = None
    fields: Mapping[str, Any] = field(default_factory=dict, repr=False, compare=False)
    """What else came with it: whom to protect. Never written again."""


TYPE_HINTS: Final[tuple[tuple[Any, str], ...]] = (
    (str, "put it into a list: anonymize_all([text])"),
    (Document, "put it into a list: anonymize_all([document])"),
    (bytes, "decode it first: data.decode('utf-8')"),
    (Mapping, "make it a document: embanon.Document(id, row['text'], fields=row)"),
    (list | tuple, "for many texts call anonymize_all(texts) or score_all(texts)"),
    (float | None, "leave out what is missing; anonymize_column keeps it missing"),
)
"""What is passed in place of a text or a list of texts -> what to pass instead."""


def check_text(value: object, name: str = "text") -> None:
    """Refuse what is no text, and never quote it."""
    if not isinstance(value, str):
        raise ArgumentError(f"{name}: must be a text, not {_describe_type(value)}")


def check_texts(texts: object) -> None:
    """Refuse what is no list or other series of texts."""
    if hasattr(texts, "columns"):
        raise ArgumentError("texts: must be a list of texts, not a table; take the column of texts: table['text']")
    if isinstance(texts, str | bytes | Document | Mapping) or not isinstance(texts, Iterable):
        raise ArgumentError(f"texts: must be a list of texts or documents, not {_describe_type(texts)}")


def to_document(text: Document | str, number: int) -> Document:
    """Return a document, which is named by its number where it is only a text."""
    check_text(text.text if isinstance(text, Document) else text, f"text {number}")
    return text if isinstance(text, Document) else Document(str(number), text)


def _describe_type(value: object) -> str:
    hint = next((f"; {hint}" for type, hint in TYPE_HINTS if isinstance(value, type)), "")
    return f"{'None' if value is None else type(value).__name__}{hint}"


@dataclass(frozen=True, slots=True, eq=False)
class Phrases(Sequence[Phrase]):
    """Phrases in columns, in order and without overlap; a `Phrase` is made only when one is asked for."""

    start: NDArray[np.int64]
    end: NDArray[np.int64]
    type: NDArray[np.uint8]
    kind: NDArray[np.integer[Any]]
    form: NDArray[np.uint8]
    head_start: NDArray[np.int64]
    head_end: NDArray[np.int64]
    base: NDArray[np.int64]
    kinds: tuple[str, ...] = field(default=(), repr=False)
    chance: NDArray[np.float32] | None = field(default=None, repr=False)
    """How likely the learned labeler takes each for a mention of what identifies; `None` where it was not asked."""

    def __len__(self) -> int:
        return len(self.start)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Phrases) and len(self) == len(other) and list(self) == list(other)

    __hash__ = None  # type: ignore[assignment]

    @overload
    def __getitem__(self, place: int) -> Phrase: ...
    @overload
    def __getitem__(self, place: slice) -> Phrases: ...
    def __getitem__(self, place: int | slice) -> Phrase | Phrases:
        if isinstance(place, slice):
            return self.select(np.arange(len(self))[place])
        return Phrase(
            int(self.start[place]), int(self.end[place]), TYPES[self.type[place]], self.kinds[self.kind[place]],
            FORMS[self.form[place]], int(self.head_start[place]), int(self.head_end[place]), int(self.base[place]),
        )  # fmt: skip

    def __iter__(self) -> Iterator[Phrase]:
        columns = (getattr(self, name).tolist() for name in COLUMNS)
        for start, end, type_, kind, form, head_start, head_end, base in zip(*columns, strict=True):
            yield Phrase(start, end, TYPES[type_], self.kinds[kind], FORMS[form], head_start, head_end, base)

    def select(self, which: NDArray[Any]) -> Phrases:
        """Return some of the phrases, by number or by mask."""
        chance = None if self.chance is None else self.chance[which]
        return Phrases.from_columns([getattr(self, name)[which] for name in COLUMNS], self.kinds, chance)

    @staticmethod
    def from_columns(
        columns: Sequence[NDArray[Any]], kinds: tuple[str, ...], chance: NDArray[np.float32] | None = None
    ) -> Phrases:
        """Make phrases of columns in the order of `COLUMNS`."""
        return Phrases(**dict(zip(COLUMNS, columns, strict=True)), kinds=kinds, chance=chance)

    def with_kinds(self, kinds: Mapping[int, str]) -> Phrases:
        """Return phrases of which those at some places have another kind, such as `LOC.city`, and its type."""
        if not kinds:
            return self
        known = tuple(dict.fromkeys((*self.kinds, *kinds.values())))
        type, kind, places = self.type.copy(), self.kind.astype(np.int64), list(kinds)
        type[places] = [TYPES.index(kinds[place].partition(".")[0]) for place in places]
        kind[places] = [known.index(kinds[place]) for place in places]
        return replace(self, type=type, kind=kind, kinds=known)

    def shifted(self, offset: int, base: int) -> Phrases:
        """Move the offsets, and number the base phrases from `base` on."""
        return replace(
            self, start=self.start + offset, end=self.end + offset, head_start=self.head_start + offset,
            head_end=self.head_end + offset, base=self.base + base,
        )  # fmt: skip


COLUMNS: Final = ("start", "end", "type", "kind", "form", "head_start", "head_end", "base")

LANGUAGE_CODE: Final = re.compile("[a-z]{2,3}")

LANGUAGE_CODE_HELP: Final = "a language is two or three small letters, such as en"

LANGUAGE_TAG: Final = re.compile(r"\s*([A-Za-z]{2,3})(?:[-_][A-Za-z0-9]{1,8})*\s*")


def language_code(text: str) -> str | None:
    """Return the two or three small letters of a language code with or without a region, `None` if it is none."""
    match = LANGUAGE_TAG.fullmatch(text)
    return match[1].lower() if match else None


Floats = NDArray[np.float64]

Ints = NDArray[np.int64]

Flags = NDArray[np.bool_]


def entity_label(number: int) -> str | None:
    """Return how outputs refer to a protected entity without its name; `None` for -1, which is nobody."""
    return f"e{number + 1}" if number >= 0 else None
