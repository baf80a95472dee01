"""JSON Lines of texts with spans, `{id, text, spans: [[start, end, type], …]}`, and of outputs, with or without text.

Files of peers have a line for each system: `{system, spans: {id: [[start, end, replacement], …]}}`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from embanon.measure.annotations import Annotation, GoldDocument
from embanon.measure.formats.rows import JsonRow, first_object, json_kind, objects, replace_surrogates
from embanon.measure.formats.spans import (
    LIST_FIELDS,
    OutputDocument,
    check_mentions,
    document_location,
    parse_mentions,
    types_or_replacements,
)

ANNOTATOR: Final = "gold"
FIELDS: Final = ("type", "entity", "identifier")


def is_lines(value: Any) -> bool:
    """Return whether these are documents with spans; spans beside edits are those of the original."""
    first = first_object(value)
    return isinstance(first.get("spans"), list) and "edits" not in first


def is_peers(value: Any) -> bool:
    """Return whether these are lines of a system's output."""
    return isinstance(first_object(value).get("spans"), dict)


def golds(rows: list[JsonRow]) -> Iterator[tuple[str, GoldDocument]]:
    """Return the documents, each with its place."""
    for row in objects(rows):
        id, text = row.get("id", str), row.get("text", str, missing="first comes the output, then the gold, with texts")
        mentions = parse_mentions(row.get("spans", list), document_location(row, id), FIELDS)
        check_mentions(mentions, text, document_location(row, id))
        yield row.where, GoldDocument(id, text, (Annotation(ANNOTATOR, mentions),), row.language)


def outputs(rows: list[JsonRow], limit: float | None) -> Iterator[tuple[str, OutputDocument]]:
    """Return what is marked in each document."""
    for row in objects(rows):
        id, text = row.get("id", str), row.value.get("text")
        if text is not None and not isinstance(text, str):
            row.refuse(f"document {id!r}: key 'text' must be a string, not {json_kind(text)}")
        mentions = parse_mentions(row.get("spans", list), document_location(row, id), (*LIST_FIELDS, "entity"))
        yield row.where, OutputDocument(id, mentions, None if text is None else replace_surrogates(text))


def peers(rows: list[JsonRow], limit: float | None) -> Iterator[tuple[str, OutputDocument]]:
    """Return what each system masks; a third item is a type or a replacement."""
    for row in objects(rows):
        system, spans = row.get("system", str), row.get("spans", dict)
        where = f"{row.where}: system {system!r}"
        by_id = {
            replace_surrogates(id): parse_mentions(items, f"{where}, document {id!r}") for id, items in spans.items()
        }
        read = types_or_replacements([one for some in by_id.values() for one in some])
        for id, mentions in by_id.items():
            yield row.where, OutputDocument(id, tuple(map(read, mentions)), system=system)
