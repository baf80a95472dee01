"""Recognize numbers of cases, files, patients, members and vehicles by the label directly before them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from embanon.document import Identifier
from embanon.text.grammar import read_pattern
from embanon.text.identifiers.anchors import AnchorWindow, compile_pattern, context_words, identifier_table, word_set

_TABLE: Final = identifier_table("records")
NUMBER_WORDS: Final = word_set(_TABLE["numbers"])
LINK_WORDS: Final = word_set(_TABLE["links"])
LAW_WORDS: Final = word_set(_TABLE["laws"])
CASE_WORDS: Final = word_set(_TABLE["cases"])

_VALUE = re.compile(read_pattern(_TABLE, "value"))
_NUMBER_AND_YEAR = re.compile(r"(?<![\w/.,\-§])([0-9]{1,6})/([0-9]{2,4})(?![\w/]|[.,\-][0-9])")
_LIST_SEPARATOR = re.compile(r"(?:,? ?(?:and|und|y|e|et|&|to|or)? )|, ?|; ?")
_DATE = re.compile(read_pattern(_TABLE, "date"))


PLATE_WORDS: Final = word_set(_TABLE["plates"])
_PLATE = re.compile(read_pattern(_TABLE, "plate"))


def find_records(window: AnchorWindow, previous: int) -> Iterator[Identifier]:
    """Find the case and record numbers of a window; `previous` is where the last case ended."""
    text = window.text
    left, right = max(0, window.start - 24), window.end + 36
    near = text[left:right]
    for kind, gate, pattern in _TABLE["shapes"]:
        if gate in near:
            for match in compile_pattern(pattern).finditer(text, left, right):
                if match.end(1) > window.start and match.start(1) < window.end:
                    yield window.identifier(match.start(1), match.end(1), "CODE", kind)
    if "/" in near:
        yield from _find_numbered_cases(window, previous)
    if not PLATE_WORDS.isdisjoint(window.words):
        for match in _PLATE.finditer(text, max(0, window.start - 8)):
            words = context_words(window.before(match.start(), 40))
            if match.start() < window.end and PLATE_WORDS.intersection(words[-4:]):
                yield window.identifier(match.start(), match.end(), "CODE", "plate")
    yield from _find_labeled(window)


def _find_numbered_cases(window: AnchorWindow, previous: int) -> Iterator[Identifier]:
    """Find numbers such as `17582/04`: after a word for a case, a number sign, or in a list of them."""
    text = window.text
    previous -= window.offset
    for match in _NUMBER_AND_YEAR.finditer(text, max(0, window.start - 8), window.end + 10):
        start, end = match.span()
        if end <= window.start or start >= window.end:
            continue
        number, year = match.groups()
        if len(year) == 3 or (len(year) == 4 and not year.startswith(("19", "20"))):
            continue
        listed = 0 <= previous < start and _LIST_SEPARATOR.fullmatch(text, previous, start) is not None
        if listed or _is_case(context_words(window.before(start, 60)), number, year):
            previous = end
            yield window.identifier(start, end, "CODE", "case-number")


def _is_case(words: list[str], number: str, year: str) -> bool:
    """Return whether the words before a pair of numbers make it a case; the nearest word that decides wins."""
    numbered = bool(words) and words[-1] in NUMBER_WORDS
    for word in words[: -9 if len(words) < 9 else None : -1][:8]:
        if word in LAW_WORDS:
            return False
        if word in CASE_WORDS:
            return numbered or len(number) > 2
    if numbered:
        return len(number) > 2 or len(year) == 4
    # five digits and a year are an application to Strasbourg; fewer may be a fraction or a month
    return len(number) >= 5 and len(year) == 2


_KIND_OF_LABEL: Final[dict[str, str]] = {
    label.replace("_", " "): kind for kind, labels in reversed(_TABLE["labels"].items()) for label in labels.split()
}
_STANDALONE_LABELS: Final = frozenset(label.replace("_", " ") for label in _TABLE["standalone"].split())
_LAST_WORDS: Final = frozenset(label.split()[-1] for label in _KIND_OF_LABEL)


def _find_labeled(window: AnchorWindow) -> Iterator[Identifier]:
    """Find `NHC: 2594890`, `file no. 4711/B`: a label, perhaps a word for number, and the number."""
    text = window.text
    if _LAST_WORDS.isdisjoint(window.words[-6:]) and not "".join(window.words[-1:]).endswith("nºcol"):
        return
    for match in compile_pattern(r"(?<![\w])[A-Z]{0,4}[-/]?[0-9]").finditer(text, max(0, window.start - 8)):
        start = match.start()
        if start > window.start:
            return
        before = window.before(start, 48).lower()
        kind = _kind_of(before)
        if kind is None:
            continue
        value = _VALUE.match(text, start)
        if value is None or text[value.end() : value.end() + 1].isalnum():
            continue
        number = value[0]
        digits = sum(map(str.isdigit, number))
        is_year = digits == 4 and number.isdigit() and number[:2] in ("18", "19", "20")
        if digits < 4 or is_year or _DATE.fullmatch(number):
            continue
        yield window.identifier(start, value.end(), "CODE", kind)


def _kind_of(before: str) -> str | None:
    """Return the kind of the label that ends a context, or `None`."""
    stem = before.rstrip(" \u00a0")
    marked = stem.endswith((":", "#", "=", "-"))
    words = re.findall(r"[\wº°]+", stem.replace(".", " "))[-6:]
    numbered = "#" in stem[-3:]
    while words and (words[-1] in NUMBER_WORDS or words[-1] in LINK_WORDS):
        numbered = numbered or words[-1] in NUMBER_WORDS
        words.pop()
    if words and words[-1].endswith("nºcol"):
        words[-1] = "nºcol"
    for length in (3, 2, 1):
        label = " ".join(words[-length:])
        kind = _KIND_OF_LABEL.get(label) if len(words) >= length else None
        if kind and (marked or numbered or label in _STANDALONE_LABELS):
            return kind
    return None
