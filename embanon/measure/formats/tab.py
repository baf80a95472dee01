"""The Text Anonymization Benchmark: documents that several annotators marked, and what a system masks of each.

Pilán et al. 2022. Documents are `{doc_id, text, annotations: {annotator: {entity_mentions: […]}}}`, in a list or one a
line; masks are `{doc_id: [[start, end], …]}`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from embanon.document import language_code
from embanon.measure.annotations import Annotation, Gold
from embanon.measure.formats.rows import Row, clean, named, objects
from embanon.measure.formats.spans import Marked, inside, mentions, place

FIELDS = ("type", "entity", "identifier")
"""A replacement, where there is one, is not what stands there but what may: that is not read."""


def is_gold(value: Any) -> bool:
    """Tell documents with annotations."""
    first = value[0] if isinstance(value, list) and value else value
    return isinstance(first, dict) and "annotations" in first


def is_output(value: Any) -> bool:
    """Tell masks."""
    return isinstance(value, dict) and bool(value) and all(map(_is_mask, value.values()))


def _is_mask(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(item, list) for item in value)


def golds(rows: list[Row]) -> Iterator[tuple[str, Gold]]:
    """Give the documents, each with where it stands."""
    for row in objects(rows):
        id, text = row.get("doc_id", str), row.get("text", str)
        where = place(row, id)
        said = row.get("annotations", dict)
        if not said:
            row.refuse(f"document {id!r} has no annotator")
        annotations = tuple(_annotation(Row(where, value), clean(name), text) for name, value in said.items())
        language = row.value.get("language")
        yield row.where, Gold(id, text, annotations, language_code(language) if isinstance(language, str) else None)


def _annotation(row: Row, annotator: str, text: str) -> Annotation:
    where = f"{row.where}, annotator {annotator!r}"
    if not isinstance(row.value, dict):
        Row(where, None).refuse(f"must be an object, not {named(row.value)}")
    found = mentions(Row(where, row.value).get("entity_mentions", list), where, FIELDS)
    inside(found, text, where)
    return Annotation(annotator, found)


def outputs(rows: list[Row], limit: float | None) -> Iterator[tuple[str, Marked]]:
    """Give what is masked of each document."""
    for row in rows:
        if not isinstance(row.value, dict):
            row.refuse(f"must be an object of documents, not {named(row.value)}")
        for id, spans in row.value.items():
            yield row.where, Marked(clean(id), mentions(spans, place(row, id), ("type",)))
