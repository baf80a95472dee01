"""Recognize phone and fax numbers: international ones anywhere, national ones by context or punctuation."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from embanon.document import Identifier
from embanon.text.grammar import read_pattern
from embanon.text.identifiers.anchors import AnchorWindow, compile_pattern, context_words, identifier_table, word_set

_TABLE: Final = identifier_table("phones")
REGIONS: Final = {language: tuple(regions.split()) for language, regions in _TABLE["regions"].items()}
"""Where national numbers of a language are dialed; without a language, all of them."""

PHONE_LABELS: Final = word_set(_TABLE["labels"])
WEAK_PHONE_LABELS: Final = word_set(_TABLE["weak_labels"])

# International: the sign decides, the library says whether a country has such numbers.
_INTERNATIONAL = re.compile(read_pattern(_TABLE, "international"))
_LABELED = re.compile(read_pattern(_TABLE, "labeled"))
_NUMBER_BEFORE = re.compile(r"[0-9][0-9 .\-]{5,16} ?(?:/|,|;|y|and|or|und|oder|o|e|ou) ?$")

_DATE = re.compile(read_pattern(_TABLE, "date"))
_LIST_SEPARATOR = re.compile(r"[ ]?(?:[/,;y]|and|or|und|oder|o|e|ou|ext\.?)[ ]?")


def _is_valid_number(number: str, regions: tuple[str, ...]) -> bool:
    import phonenumbers  # only when a candidate shows up: it takes longer to load than the rest

    for region in regions:
        try:
            if phonenumbers.is_valid_number(phonenumbers.parse(number, region)):
                return True
        except phonenumbers.NumberParseException:
            continue
    return False


def _is_possible_number(number: str) -> bool:
    import phonenumbers

    try:
        return phonenumbers.is_possible_number(phonenumbers.parse(number, None))
    except phonenumbers.NumberParseException:
        return False


def _dialing_regions(language: str | None) -> tuple[str, ...]:
    if language in REGIONS:
        return REGIONS[language]
    return tuple(dict.fromkeys(region for regions in REGIONS.values() for region in regions))


def _count_digits(text: str) -> int:
    return sum(map(str.isdigit, text))


def find_phones(window: AnchorWindow, language: str | None) -> Iterator[Identifier]:
    """Find the phone numbers of a window."""
    text = window.text
    if _count_digits(text[window.start : window.end]) < 6:
        return
    left = max(0, window.start - 4)
    for match in _INTERNATIONAL.finditer(text, left):
        if match.start() >= window.end:
            break
        start, end = match.span()
        start += text.startswith("(+", start) and ")" not in text[start:end]
        number_end = _international_end(text, start, end)
        if number_end is not None:
            yield window.identifier(start, number_end, "CODE", "phone", True)
    if not PHONE_LABELS.isdisjoint(window.words):
        yield from _find_labeled(window, left)
    yield from _find_national(window, left, language)


def _international_end(text: str, start: int, end: int) -> int | None:
    """Return where an international number ends: what follows it, such as a postcode, is given back."""
    for _ in range(4):
        number = text[start:end]
        number = "+" + number[2:] if number.startswith("00") else number
        if _count_digits(number) >= 7 and _is_possible_number(number) and (number.count("+") == 1):
            return end
        cut = max(text.rfind(mark, start, end) for mark in " -./(")
        if cut <= start:
            return None
        end = len(text[:cut].rstrip(" -./("))
    return None


def _find_labeled(window: AnchorWindow, left: int) -> Iterator[Identifier]:
    text = window.text
    previous = -1
    for match in _LABELED.finditer(text, left):
        start, end = match.span()
        if start >= window.end:
            break
        value = match[0]
        gap = text[max(0, start - 40) : start]
        words = context_words(gap)
        place = next((k for k in range(len(words) - 1, -1, -1) if words[k] in PHONE_LABELS), -1)
        follows = previous >= 0 and _LIST_SEPARATOR.fullmatch(text, previous, start) is not None
        between = words[place + 1 :]
        digits = _count_digits(value)
        if not follows:
            listed = _NUMBER_BEFORE.search(gap) is not None
            is_apart = len(between) > 3 or any(map(str.isdigit, "".join(between)))
            if place < 0 or (is_apart and not listed):
                continue
            if digits < (7 if between or words[place] in WEAK_PHONE_LABELS else 6):
                continue
            if words[place] in WEAK_PHONE_LABELS and digits < 9 and not re.search("[ -]", value):
                continue
        if _DATE.fullmatch(value.strip("()")) or digits > 15 or re.fullmatch(r"[0-9]{1,3}(?:\.[0-9]{3})+", value):
            continue
        previous = end = _without_postcode(value, start, end)
        yield window.identifier(start, end, "CODE", "phone", False)


def _without_postcode(value: str, start: int, end: int) -> int:
    """Return back a postcode that follows a number of nine digits or more."""
    tail = re.search(r"[ .]{1,3}[0-9]{5}$", value)
    return end - len(tail[0]) if tail and _count_digits(value) > 13 else end


def _find_national(window: AnchorWindow, left: int, language: str | None) -> Iterator[Identifier]:
    text = window.text
    regions = _dialing_regions(language)
    for spoken, pattern in _TABLE["shapes"]:
        if spoken and spoken != language:
            continue
        for match in compile_pattern(rf"(?<![\w.,/$€£+-])(?<![0-9] )(?:{pattern})(?![\w]|[-/.,][0-9]| [0-9])").finditer(
            text, left
        ):
            if match.start() >= window.end:
                break
            if not _DATE.fullmatch(match[0]) and _is_valid_number(match[0], regions):
                yield window.identifier(match.start(), match.end(), "CODE", "phone", True)
