"""Outputs whose spans may have risks or scores to filter by a limit: those of embanon and of Presidio.

embanon writes edits (`anonymize`), risks (`score --json`) and phrases (`phrases --json`). Presidio's analyzer gives
`{entity_type, start, end, score}`, in a list for each document; without ids they are in the order of the gold.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, Final

from embanon.measure.formats.rows import JsonRow, json_kind, objects, replace_surrogates
from embanon.measure.formats.spans import OutputDocument, document_location, parse_mentions

KEYS: Final = ("edits", "phrases")
RESULTS: Final = ("results", "recognizer_results", "analyzer_results", "entities")
"""Keys of a row that may hold its results."""


def is_embanon(value: Any) -> bool:
    """Return whether this is an output of embanon."""
    return isinstance(value, dict) and "id" in value and any(isinstance(value.get(key), list) for key in KEYS)


def embanon_outputs(
    rows: list[JsonRow], limit: float | None, default: float | None = None
) -> Iterator[tuple[str, OutputDocument]]:
    """Return what is replaced, what is at or above the limit (or unknown), or every phrase where there are no risks.

    Without a limit it is that which a row was scored with, else the default.
    """
    for row in objects(rows):
        id = row.get("id", str)
        where = document_location(row, id)
        if "edits" in row.value:
            edits = parse_mentions(row.get("edits", list), where)
            yield row.where, OutputDocument(id, edits, rewritten=row.get("text", str))
            continue
        phrases = row.get("phrases", list, missing="what --publish writes has no edits; leave it out")
        risks = [phrase.get("risk") if isinstance(phrase, dict) else None for phrase in phrases]
        least, by_type = default if limit is None else limit, dict[str, float]()
        if limit is None and "embanon" in row.value:
            least, by_type = _limits_of(row)
        kept = tuple(
            mention
            for mention, risk in zip(parse_mentions(phrases, where, ("type",)), risks, strict=True)
            if risk is None
            or least is None
            or _number(row, risk, "a risk must be a number, or null where it is unknown")
            >= by_type.get(mention.type or "", least)
        )
        scored = all(isinstance(phrase, dict) and "risk" in phrase for phrase in phrases)
        yield row.where, OutputDocument(id, kept, has_scores=scored)


def _limits_of(row: JsonRow) -> tuple[float, dict[str, float]]:
    """Return the limit that a row was scored with, and those of types."""
    made = row.get("embanon", dict)
    wrong = "what it was scored with must have limits that are numbers"
    by_type = made.get("limits", {})
    if not isinstance(by_type, dict):
        row.refuse(wrong)
    return _number(row, made.get("limit"), wrong), {type: _number(row, value, wrong) for type, value in by_type.items()}


def is_presidio(value: Any) -> bool:
    """Return whether these are results of Presidio: of one document or many, by order or by id."""
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


def presidio_outputs(rows: list[JsonRow], limit: float | None) -> Iterator[tuple[str, OutputDocument]]:
    """Return what is found in each document, with at least the score of the limit."""
    for row in rows:
        value = row.value
        if isinstance(value, list):
            several = bool(value) and isinstance(value[0], list)
            for number, items in enumerate(value if several else [value], 1):
                yield row.where, _results(row, None, items, f"{row.where}, document {number}", limit)
        elif not isinstance(value, dict):
            row.refuse(f"must be a list or an object of results, not {json_kind(value)}")
        elif (key := _result_key(value)) and "id" in value:
            id, text = row.get("id", str), value.get("text")
            output = _results(row, id, value[key], document_location(row, id), limit)
            yield row.where, replace(output, text=replace_surrogates(text) if isinstance(text, str) else None)
        else:
            for id, items in value.items():
                yield row.where, _results(row, replace_surrogates(id), items, document_location(row, id), limit)


def _results(row: JsonRow, id: str | None, items: Any, where: str, limit: float | None) -> OutputDocument:
    mentions = parse_mentions(items, where, ("type",))
    if limit is None:
        return OutputDocument(id, mentions)
    scores = [item.get("score") if isinstance(item, dict) else None for item in items]
    kept = tuple(
        mention
        for mention, score in zip(mentions, scores, strict=True)
        if _number(row, score, "has results without a score; leave --limit out") >= limit
    )
    return OutputDocument(id, kept, has_scores=True)


def _number(row: JsonRow, value: Any, refusal: str) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        row.refuse(refusal)
    return float(value)
