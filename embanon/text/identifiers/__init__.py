"""Recognize structured identifiers: what a table, a checksum or a label can tell without a model.

The order of the families is the order of the table: with equal length and check, the first one wins.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable

from embanon.document import Identifier
from embanon.text.identifiers.addresses import NUMBER_FIRST, NUMBER_LAST, find_address, find_unnumbered_addresses
from embanon.text.identifiers.anchors import ANCHOR, FIRST_DIGIT, AnchorWindow, compile_pattern, window_at
from embanon.text.identifiers.codes import find_codes, find_marked_codes
from embanon.text.identifiers.national import find_national_numbers
from embanon.text.identifiers.phones import find_phones
from embanon.text.identifiers.places import find_places
from embanon.text.identifiers.records import find_records

_CANDIDATE = f"{FIRST_DIGIT}(?={ANCHOR}|{NUMBER_FIRST}|{NUMBER_LAST})"
_ANCHORED = "[0-9]" + ANCHOR


def identify(text: str, language: str | None = None) -> list[Identifier]:
    """Find the structured identifiers of a text, sorted and without overlaps; none crosses a line."""
    found = [*find_marked_codes(text), *find_unnumbered_addresses(text, language)]
    anchored = listed = coded = -1
    for head in compile_pattern(_CANDIDATE).finditer(text):
        start = head.start()
        anchor = compile_pattern(_ANCHORED).match(text, start) if start >= anchored else None
        if anchor:
            anchored = anchor.end()
            window = window_at(text, start, anchored)
            records = list(find_records(window, listed))
            listed = max([listed, *(record.end for record in records if record.kind == "case-number")])
            found.extend(records)
            if not _is_plain_case(window, records):
                # a window's codes are found at once, so that anchors crowded in it cost no more than one
                if anchored > coded:
                    found.extend(find_codes(window))
                    coded = window.offset + len(window.text) - (45 if window.is_cut else 0)
                found.extend(find_national_numbers(window))
                found.extend(find_phones(window, language))
                found.extend(find_places(window))
        found.extend(find_address(text, start, language))
    return resolve_identifiers(found)


def _is_plain_case(window: AnchorWindow, records: list[Identifier]) -> bool:
    """Return whether the anchor is a case number and no more, so that nothing else needs to be tried."""
    start, end = window.offset + window.start, window.offset + window.end
    return any(record.kind == "case-number" and record.start <= start and record.end >= end for record in records)


def resolve_identifiers(found: Iterable[Identifier]) -> list[Identifier]:
    """Keep the longest of overlapping identifiers, then the checked one, then the first of the table."""
    kept: list[Identifier] = []
    group: list[Identifier] = []
    end = -1
    # sorting is stable, so equals stay in the order of the table
    for identifier in sorted(found, key=lambda identifier: identifier.start):
        if identifier.start >= end:
            kept.extend(_resolve_cluster(group))
            group = []
        group.append(identifier)
        end = max(end, identifier.end)
    return kept + _resolve_cluster(group)


def _resolve_cluster(group: list[Identifier]) -> list[Identifier]:
    """Resolve identifiers that overlap in a chain."""
    if len(group) < 2:
        return group
    kept: list[Identifier] = []
    for identifier in sorted(group, key=lambda identifier: (identifier.start - identifier.end, not identifier.checked)):
        place = bisect_right(kept, identifier.start, key=lambda other: other.start)
        free = place == 0 or kept[place - 1].end <= identifier.start
        if free and (place == len(kept) or identifier.end <= kept[place].start):
            kept.insert(place, identifier)
    return kept


__all__ = ["identify", "resolve_identifiers"]
