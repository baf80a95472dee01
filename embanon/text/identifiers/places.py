"""Recognize postcodes, post-office boxes and coordinates."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from embanon.document import Identifier
from embanon.text.grammar import read_pattern
from embanon.text.identifiers.anchors import AnchorWindow, context_words, identifier_table, word_set

_TABLE: Final = identifier_table("places")
_BOX: Final = re.compile(read_pattern(_TABLE, "box"))

# Postcodes
UK_AREAS: Final = word_set(_TABLE["uk_areas"])
_UK_POSTCODE: Final = re.compile(r"(?<![\w])([A-Z]{1,2})(?:[0-9]{1,2}|[0-9][A-Z]) [0-9][ABD-HJLNP-UW-Z]{2}(?![\w])")
_CANADIAN_POSTCODE: Final = re.compile(read_pattern(_TABLE, "canadian_postcode"))
_US_ZIP: Final = re.compile(read_pattern(_TABLE, "us_zip"))
_POSTCODE_VALUE: Final = re.compile(read_pattern(_TABLE, "postcode_value"))
_BOX_WORDS: Final = word_set(_TABLE["boxes"])
POSTCODE_WORDS: Final = word_set(_TABLE["postcodes"])

# Coordinates
_COORDINATES_IN_DEGREES: Final = re.compile(read_pattern(_TABLE, "coordinates_in_degrees"))
_DECIMAL_COORDINATES: Final = re.compile(read_pattern(_TABLE, "decimal_coordinates"))
COORDINATE_WORDS: Final = word_set(_TABLE["coordinates"])


def find_places(window: AnchorWindow) -> Iterator[Identifier]:
    """Find the postcodes and the coordinates of a window, and post-office boxes."""
    text = window.text
    left, right = max(0, window.start - 5), window.end + 12
    if text[window.end - 1].isalpha():
        for match in _UK_POSTCODE.finditer(text, left, right):
            if match[1] in UK_AREAS:
                yield from _place(window, match.start(), match.end(), "postcode")
        for match in _CANADIAN_POSTCODE.finditer(text, left, right):
            yield from _place(window, match.start(), match.end(), "postcode")
    if "x" in window.words or _BOX_WORDS.intersection(window.words[-3:]):
        for match in _BOX.finditer(text, max(0, window.start - 24)):
            yield from _place(window, match.start(), match.end(), "address")
    before = text[max(0, window.start - 2) : window.start]
    if before == ", " or before[:1].isupper():
        for match in _US_ZIP.finditer(text, max(0, window.start - 6)):
            yield from _place(window, match.start(1), match.end(1), "postcode")
    if POSTCODE_WORDS.intersection(window.words[-2:]):
        postcode = _POSTCODE_VALUE.search(text, max(0, window.start - 3))
        if postcode and postcode.start(1) == window.start:
            yield from _place(window, postcode.start(1), postcode.end(1), "postcode")
    degrees = text[window.start : window.end + 8]
    if "°" in degrees or "º" in degrees:
        for match in _COORDINATES_IN_DEGREES.finditer(text, max(0, window.start - 30), window.end + 40):
            if re.search(r"['’′]|\.[0-9]{2}|[NSEW].+[NSEWO]", match[0]):
                yield from _place(window, match.start(), match.end(), "coordinates")
    if "." not in text[window.start : window.end + 10]:
        return
    for match in _DECIMAL_COORDINATES.finditer(text, max(0, window.start - 14)):
        words = context_words(window.before(match.start(), 48))
        if "°" in match[0] or COORDINATE_WORDS.intersection(words[-7:]):
            yield from _place(window, match.start(), match.end(), "coordinates")


def _place(window: AnchorWindow, start: int, end: int, kind: str) -> Iterator[Identifier]:
    if end > window.start and start < window.end + 1:
        yield window.identifier(start, end, "LOC", kind)
