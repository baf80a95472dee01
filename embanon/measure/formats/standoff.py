"""JSON Lines of texts with spans, `{id, text, spans: [[start, end, type], …]}`, and of outputs, with or without text.

Files of peers have a line for each system: `{system, spans: {id: [[start, end, replacement], …]}}`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from embanon.document import language_code
from embanon.measure.annotations import Annotation, Gold
from embanon.measure.formats.rows import Row, clean, named, objects
from embanon.measure.formats.spans import PLACES, Marked, inside, mentions, place, types_or_replacements

ANNOTATOR: Final = "gold"
FIELDS: Final = ("type", "entity", "identifier")


def is_lines(value: Any) -> bool:
    """Tell documents with spans; those that stand beside edits were carried along, and are of the original."""
    first = value[0] if isinstance(value, list) and value else value
    return isinstance(first, dict) and isinstance(first.get("spans"), list) and "edits" not in first


def is_peers(value: Any) -> bool:
    """Tell lines of systems."""
    first = value[0] if isinstance(value, list) and value else value
    return isinstance(first, dict) and isinstance(first.get("spans"), dict)


def golds(rows: list[Row]) -> Iterator[tuple[str, Gold]]:
    """Give the documents, each with where it stands."""
    for row in objects(rows):
        id, text = row.get("id", str), row.get("text", str, missing="first comes the output, then the gold, with texts")
        found = mentions(row.get("spans", list), place(row, id), FIELDS)
        inside(found, text, place(row, id))
        language = row.value.get("language")
        code = language_code(language) if isinstance(language, str) else None
        yield row.where, Gold(id, text, (Annotation(ANNOTATOR, found),), code)


def outputs(rows: list[Row], limit: float | None) -> Iterator[tuple[str, Marked]]:
    """Give what is marked in each document."""
    for row in objects(rows):
        id, text = row.get("id", str), row.value.get("text")
        if text is not None and not isinstance(text, str):
            row.refuse(f"document {id!r}: key 'text' must be a string, not {named(text)}")
        found = mentions(row.get("spans", list), place(row, id), (*PLACES, "entity"))
        yield row.where, Marked(id, found, None if text is None else clean(text))


def peers(rows: list[Row], limit: float | None) -> Iterator[tuple[str, Marked]]:
    """Give what each system masks; a third item is a type or a replacement."""
    for row in objects(rows):
        system, spans = row.get("system", str), row.get("spans", dict)
        where = f"{row.where}: system {system!r}"
        found = {clean(id): mentions(items, f"{where}, document {id!r}") for id, items in spans.items()}
        read = types_or_replacements([one for some in found.values() for one in some])
        for id, some in found.items():
            yield row.where, Marked(id, tuple(map(read, some)), system=system)
