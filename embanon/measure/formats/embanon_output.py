"""What embanon's commands write: the edits of `anonymize`, the risks of `score --json`, and `phrases --json`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from embanon.measure.formats.rows import JsonRow, objects
from embanon.measure.formats.spans import OutputDocument, document_location, parse_mentions

KEYS: Final = ("edits", "phrases")


def is_output(value: Any) -> bool:
    """Tell what embanon writes."""
    return isinstance(value, dict) and "id" in value and any(isinstance(value.get(key), list) for key in KEYS)


def outputs(rows: list[JsonRow], limit: float | None) -> Iterator[tuple[str, OutputDocument]]:
    """Return what is replaced, what is at or above the limit (or unknown), or every phrase where there are no risks."""
    for row in objects(rows):
        id = row.get("id", str)
        where = document_location(row, id)
        if "edits" in row.value:
            edits = parse_mentions(row.get("edits", list), where)
            yield row.where, OutputDocument(id, edits, rewritten=row.get("text", str))
            continue
        phrases = row.get("phrases", list, missing="what --publish writes has no edits; leave it out")
        found = parse_mentions(phrases, where, ("type",))
        risks = [phrase.get("risk") if isinstance(phrase, dict) else None for phrase in phrases]
        kept = [
            one
            for one, risk in zip(found, risks, strict=True)
            if risk is None or limit is None or _number(row, risk) >= limit
        ]
        scored = all(isinstance(phrase, dict) and "risk" in phrase for phrase in phrases)
        yield row.where, OutputDocument(id, tuple(kept), has_scores=scored)


def _number(row: JsonRow, risk: Any) -> float:
    if isinstance(risk, bool) or not isinstance(risk, int | float):
        row.refuse("a risk must be a number, or null where it is unknown")
    return float(risk)
