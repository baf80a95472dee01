"""Results of Presidio's analyzer: `{entity_type, start, end, score}`, in a list for each document.

Lists of documents without ids are in the order of the gold.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, Final

from embanon.measure.formats.rows import JsonRow, json_kind, replace_surrogates
from embanon.measure.formats.spans import OutputDocument, document_location, parse_mentions

RESULTS: Final = ("results", "recognizer_results", "analyzer_results", "entities")
"""Keys of a row that may hold its results."""


def is_output(value: Any) -> bool:
    """Tell results: of one document or many, by order or by id."""
    if isinstance(value, list):
        return all(_is_result(item) or _is_results(item) for item in value)
    if not isinstance(value, dict):
        return False
    if _result_key(value) and "id" in value:
        return True
    return bool(value) and all(map(_is_results, value.values()))


def _is_result(value: Any) -> bool:
    return isinstance(value, dict) and "entity_type" in value and "start" in value


def _is_results(value: Any) -> bool:
    return isinstance(value, list) and all(map(_is_result, value))


def _result_key(value: dict[str, Any]) -> str | None:
    return next((key for key in RESULTS if _is_results(value.get(key))), None)


def outputs(rows: list[JsonRow], limit: float | None) -> Iterator[tuple[str, OutputDocument]]:
    """Return what is found in each document, with at least the score of the limit."""
    for row in rows:
        value = row.value
        if isinstance(value, list):
            several = bool(value) and isinstance(value[0], list)
            for number, items in enumerate(value if several else [value], 1):
                yield row.where, _output_document(row, None, items, f"{row.where}, document {number}", limit)
        elif not isinstance(value, dict):
            row.refuse(f"must be a list or an object of results, not {json_kind(value)}")
        elif (key := _result_key(value)) and "id" in value:
            id, text = row.get("id", str), value.get("text")
            found = _output_document(row, id, value[key], document_location(row, id), limit)
            yield row.where, replace(found, text=replace_surrogates(text) if isinstance(text, str) else None)
        else:
            for id, items in value.items():
                yield row.where, _output_document(row, replace_surrogates(id), items, document_location(row, id), limit)


def _output_document(row: JsonRow, id: str | None, items: Any, where: str, limit: float | None) -> OutputDocument:
    found = parse_mentions(items, where, ("type",))
    if limit is None:
        return OutputDocument(id, found)
    kept = tuple(one for one, item in zip(found, items, strict=True) if _score(row, item) >= limit)
    return OutputDocument(id, kept, has_scores=True)


def _score(row: JsonRow, item: Any) -> float:
    score = item.get("score") if isinstance(item, dict) else None
    if isinstance(score, bool) or not isinstance(score, int | float):
        row.refuse("has results without a score; leave --limit out")
    return float(score)
