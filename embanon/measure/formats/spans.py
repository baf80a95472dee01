"""From a span in any notation to a mention: `[start, end, …]`, or an object whose keys have one of several names."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from embanon.errors import InputError
from embanon.measure.annotations import IDENTIFIERS, Mention
from embanon.measure.formats.rows import JsonRow, json_kind, replace_surrogates

KEYS: Final = {
    "start": ("start", "start_offset", "begin"),
    "end": ("end", "end_offset", "stop"),
    "type": ("type", "entity_type", "label"),
    "entity": ("entity", "entity_id"),
    "identifier": ("identifier", "identifier_type"),
    "replacement": ("replacement",),
    "quoted": ("span_text", "text"),
}
"""What a span says -> the keys that say it in one notation or another."""
LIST_FIELDS: Final = ("type", "replacement")
"""The items after the offsets of a list."""
NO_TYPE: Final = frozenset(("", "UNKNOWN"))
TYPE: Final = re.compile(r"[A-Z][A-Z0-9_-]*")
"""How types are written, and replacements hardly ever are."""


@dataclass(frozen=True, slots=True)
class OutputDocument:
    """What an output says of a document."""

    id: str | None
    """`None` where only the order identifies it."""
    mentions: tuple[Mention, ...]
    text: str | None = field(default=None, repr=False)
    """The original, where the output has it."""
    rewritten: str | None = field(default=None, repr=False)
    """The text with the replacements, where the output has it."""
    system: str = ""
    """Of a file of several systems."""
    has_scores: bool = False
    """Whether its spans have risks or scores, which a limit chooses from."""


def document_location(row: JsonRow, id: str | None) -> str:
    """Name a document in a message."""
    return f"{row.where}: document {id!r}" if id is not None else row.where


def parse_mentions(items: Any, where: str, fields: Sequence[str] = LIST_FIELDS) -> tuple[Mention, ...]:
    """Return the mentions of a list of spans; fields are what is read of each besides its offsets."""
    if not isinstance(items, list):
        raise InputError(f"{where}: its spans must be a list, not {json_kind(items)}")
    return tuple(parse_mention(item, f"{where}, span {number}", fields) for number, item in enumerate(items, 1))


def parse_mention(item: Any, where: str, fields: Sequence[str] = LIST_FIELDS) -> Mention:
    """Return the mention that a span says."""
    if isinstance(item, list):
        if not 2 <= len(item) <= 2 + len(LIST_FIELDS):
            raise InputError(f"{where}: is a list of {len(item)}; it looks like [start, end] or [start, end, type]")
        values = dict(zip(("start", "end", *LIST_FIELDS), item, strict=False))
    elif isinstance(item, dict):
        values = {what: item[key] for what, keys in KEYS.items() for key in keys if key in item}
    else:
        raise InputError(f"{where}: must be a list or an object, not {json_kind(item)}")
    start, end = (_offset(values, what, where) for what in ("start", "end"))
    if start >= end:
        raise InputError(f"{where}: starts at {start} and ends at {end}; a span has at least one character")
    words = {what: _parse_string(values.get(what), what, where) for what in fields}
    if words.get("identifier") not in (None, *IDENTIFIERS):
        raise InputError(f"{where} ({start}-{end}): its identifier type must be one of {', '.join(IDENTIFIERS)}")
    if words.get("type") in NO_TYPE:
        words["type"] = None
    quoted = values.get("quoted")
    return Mention(start, end, **words, quoted=replace_surrogates(quoted) or None if isinstance(quoted, str) else None)


def _offset(values: dict[str, Any], what: str, where: str) -> int:
    value = values.get(what)
    if isinstance(value, bool) or not isinstance(value, int):
        problem = (
            f"not {value if isinstance(value, float) else json_kind(value)}" if what in values else "and is missing"
        )
        raise InputError(f"{where}: its {what} must be a whole number, {problem}")
    if value < 0:
        raise InputError(f"{where}: its {what} is {value}; offsets count from 0")
    return value


def _parse_string(value: Any, what: str, where: str) -> str | None:
    if value is not None and not isinstance(value, str):
        raise InputError(f"{where}: its {what} must be a string, not {json_kind(value)}")
    return None if value is None else replace_surrogates(value)


def check_mentions(mentions: Sequence[Mention], text: str, where: str) -> None:
    """Refuse mentions that end past the text, or quote something other than the text at their offsets."""
    for number, mention in enumerate(mentions, 1):
        if mention.end > len(text):
            raise InputError(
                f"{where}, span {number}: {mention.start}-{mention.end} lies outside the text, which has {len(text)} "
                "characters; count code points, and keep line ends as they are"
            )
        if mention.quoted is not None and mention.quoted.split() != text[mention.start : mention.end].split():
            raise InputError(
                f"{where}, span {number} ({mention.start}-{mention.end}): quotes other words than stand there; count "
                "code points, and keep line ends and the text as they were"
            )


def types_or_replacements(mentions: Sequence[Mention]) -> Callable[[Mention], Mention]:
    """Return what the third items of a system's spans are: types are all in capitals."""
    thirds = [one.type for one in mentions if one.type is not None]
    if all(map(TYPE.fullmatch, thirds)) or any(one.replacement is not None for one in mentions):
        return lambda one: one
    return lambda one: Mention(one.start, one.end, replacement=one.type)


def unique_by_id(documents: Iterator[tuple[str, str, Any]]) -> Iterator[Any]:
    """Yield the document of each id, and refuse duplicates, naming the place of both."""
    seen = dict[str, str]()
    for id, where, document in documents:
        if id in seen:
            raise InputError(f"{where}: document {id!r} is there already ({seen[id]}); each may be there once")
        seen[id] = where
        yield document
