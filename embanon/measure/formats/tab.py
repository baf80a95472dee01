"""The Text Anonymization Benchmark: documents that several annotators marked, and what a system masks of each.

Pilán et al. 2022. Documents are `{doc_id, text, annotations: {annotator: {entity_mentions: […]}}}`, in a list or one a
line; masks are `{doc_id: [[start, end], …]}`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from embanon.measure.annotations import Annotation, GoldDocument
from embanon.measure.formats.rows import JsonRow, first_object, json_kind, objects, replace_surrogates
from embanon.measure.formats.spans import OutputDocument, check_mentions, document_location, parse_mentions

FIELDS = ("type", "entity", "identifier")
"""A replacement here is only a suggestion, which is not read."""


def is_gold(value: Any) -> bool:
    """Return whether these are documents with annotations."""
    return "annotations" in first_object(value)


def is_output(value: Any) -> bool:
    """Return whether these are masks."""
    return isinstance(value, dict) and bool(value) and all(map(_is_mask, value.values()))


def _is_mask(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(item, list) for item in value)


def golds(rows: list[JsonRow]) -> Iterator[tuple[str, GoldDocument]]:
    """Return the documents, each with its place."""
    for row in objects(rows):
        id, text = row.get("doc_id", str), row.get("text", str)
        where = document_location(row, id)
        annotators = row.get("annotations", dict)
        if not annotators:
            row.refuse(f"document {id!r} has no annotator")
        annotations = tuple(
            _annotation(JsonRow(where, value), replace_surrogates(name), text) for name, value in annotators.items()
        )
        yield row.where, GoldDocument(id, text, annotations, row.language)


def _annotation(row: JsonRow, annotator: str, text: str) -> Annotation:
    where = f"{row.where}, annotator {annotator!r}"
    if not isinstance(row.value, dict):
        JsonRow(where, None).refuse(f"must be an object, not {json_kind(row.value)}")
    mentions = parse_mentions(JsonRow(where, row.value).get("entity_mentions", list), where, FIELDS)
    check_mentions(mentions, text, where)
    return Annotation(annotator, mentions)


def outputs(rows: list[JsonRow], limit: float | None) -> Iterator[tuple[str, OutputDocument]]:
    """Return what is masked of each document."""
    for row in rows:
        if not isinstance(row.value, dict):
            row.refuse(f"must be an object of documents, not {json_kind(row.value)}")
        for id, spans in row.value.items():
            yield (
                row.where,
                OutputDocument(replace_surrogates(id), parse_mentions(spans, document_location(row, id), ("type",))),
            )
