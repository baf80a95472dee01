"""Recognize street lines with a number, and the postcodes that follow them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from embanon.document import Identifier
from embanon.language import has_trait
from embanon.text.grammar import read_pattern
from embanon.text.identifiers.anchors import (
    context_words,
    identifier_table,
    line_end,
    line_start,
    occurrences,
    word_set,
)

# Number first: 221B Baker Street, 12 rue de la Paix
_TABLE: Final = identifier_table("addresses")
NUMBER_FIRST: Final = read_pattern(_TABLE, "number_first")

# Word first: Av. Pedro Rubio, 36. The word itself, in lower case, without its dot.
STREET_WORDS: Final = word_set(_TABLE["streets"])
AMBIGUOUS_STREET_WORDS: Final = word_set(_TABLE["ambiguous_streets"])
"""Words that are streets only with a capital."""
STREET_ABBREVIATIONS: Final = word_set(_TABLE["abbreviations"])
"""Abbreviations that are streets only in a Spanish or Portuguese text: `P.L. 480` and `c. 886` are not."""
ADDRESS_LABELS: Final = word_set(_TABLE["labels"])
_SUFFIXED: Final = re.compile(read_pattern(_TABLE, "suffixed"))

# A number behind a name: no years, no days with a month and a year, nothing after the commonest prepositions.
NUMBER_LAST: Final = read_pattern(_TABLE, "number_last")
_FLOOR_AND_DOOR: Final = re.compile(read_pattern(_TABLE, "floor_and_door"))
_NAME: Final = re.compile(read_pattern(_TABLE, "name"))
_WORD: Final = re.compile(r"[cC]/|[^\W_]+(?:º(?!\w))?")
_CAPITAL_NAME: Final = re.compile(read_pattern(_TABLE, "capital_name"))

_NUMBER_FIRST_LINE: Final = re.compile("[0-9]" + NUMBER_FIRST)
_NUMBER_LAST_LINE: Final = re.compile("[0-9]" + NUMBER_LAST)


def find_address(text: str, position: int, language: str | None) -> Iterator[Identifier]:
    """Find the street line whose number starts at a position, and the postcode that follows it."""
    match = _NUMBER_FIRST_LINE.match(text, position)
    if match and not _is_title_or_year(text, position, match[0]):
        yield Identifier(position, match.end(), "LOC", "address")
    match = _NUMBER_LAST_LINE.match(text, position)
    if match:
        yield from _address(text, position, match.end(), language)


def find_unnumbered_addresses(text: str, language: str | None) -> Iterator[Identifier]:
    """Find street lines without a number, `C/ Mayor s/n`."""
    for slash in occurrences(text, "/"):
        if text[slash - 1 : slash + 2] in ("s/n", "S/N") and slash and not text[slash + 2 : slash + 3].isalnum():
            yield from _address(text, slash - 1, slash + 2, language)


def _address(text: str, start: int, end: int, language: str | None) -> Iterator[Identifier]:
    street = _street(text, start, end, language)
    if street is not None:
        yield Identifier(*street, "LOC", "address")
        yield from _postcode_after(text, street[1])


TITLE_WORDS: Final = word_set(_TABLE["titles"])
PLACE_WORDS: Final = word_set(_TABLE["places"])
_ENGLISH_FUNCTION_WORDS: Final = word_set(_TABLE["function"])
_NOT_STREET_ENDINGS: Final = word_set(_TABLE["not_last"])


def _is_title_or_year(text: str, start: int, value: str) -> bool:
    """Return whether a number before a street's name is a year, or of a film: `21 Jump Street`."""
    left = line_start(text, start, max(0, start - 70))
    words = context_words(text[left:start])
    placed = bool(words) and words[-1] in PLACE_WORDS
    if re.match(r"(?:1[5-9]|20)[0-9]{2}\b", value):
        return bool(words) and words[-1] not in ("at", "address", "number", "no", "near")
    if re.match(r"[0-9]+,", value) and re.search(r"[A-Z][\w.]+ $", text[left:start]):
        return True
    if re.match(r"[.,]? ?\((?:19|20)[0-9]{2}", text[start + len(value) : start + len(value) + 8]):
        return True
    return not placed and not TITLE_WORDS.isdisjoint(words)


def _street(text: str, start: int, end: int, language: str | None) -> tuple[int, int] | None:
    """Return the address that ends in the number `text[start:end]`, floor and door included, or `None`."""
    left = line_start(text, start, max(0, start - 80))
    before = text[left:start]
    if re.match(r",[0-9]{3}", text[end : end + 4]) and "km" not in before[-4:].lower():
        return None
    origin = None
    short = language in _TABLE["abbreviating"]
    words = _WORD.findall(before.lower())
    if not STREET_WORDS.isdisjoint(words) or (short and not STREET_ABBREVIATIONS.isdisjoint(words)):
        for word in _WORD.finditer(before):
            name = None if word[0] == "c/" and language == "pt" else _street_start(before, word, short)  # c/ is com
            # behind a label, the street's own word counts: `Domicilio: Calle Mayor 5`; else the first
            if name is not None and (origin is None or not before[origin:name].strip(" :.,")):
                origin = name
    if origin is None:
        suffixed = _SUFFIXED.search(before)
        is_compound = has_trait(language or "", "closed_compounds")
        if suffixed and (is_compound or not suffixed[0].rstrip(". ").endswith("ring")):
            origin = suffixed.start()
    stop = _door_end(text, end)
    if origin is not None and _LABELED.search(before[:origin]):
        stop = _label_end(text, stop)
    return (left + origin, stop) if origin is not None else _before_postcode(text, left, start, stop)


def _label_end(text: str, stop: int) -> int:
    """Return where the value of a label ends: the rest of its line is the address too, unless it says more."""
    end = line_end(text, stop, stop + 60)
    rest = text[stop:end].rstrip(" .,")
    more = len(rest) > 36 or re.search(r"[0-9]{5}|[@:()]|[.] |; ", rest) or (rest and rest[0] not in " ,#-")
    return stop if more else stop + len(rest)


def _street_start(before: str, word: re.Match[str], short: bool) -> int | None:
    """Return where a street starts if a word is one for streets and the rest is a name, or `None`."""
    key = word[0].lower()
    if key not in STREET_WORDS and not (short and key in STREET_ABBREVIATIONS):
        return None
    following = before[word.end() : word.end() + 1]
    capital = word[0][0].isupper() or key == "c/"
    if key in STREET_ABBREVIATIONS and following not in (".", "/"):
        return None
    if key in ADDRESS_LABELS:
        if following != ":":
            return None
    elif key in AMBIGUOUS_STREET_WORDS and not capital:
        return None
    after = word.end() + (following in (".", ":", "/", ","))
    rest = before[after:]
    if key in STREET_ABBREVIATIONS and (before[: word.start()].endswith((".", "&")) or re.match(r" ?[A-Z]\.", rest)):
        return None  # C.I.A., A. P. S.
    labeled = _LABELED.search(before[: word.start()]) is not None or key == "c/" or key in ADDRESS_LABELS
    # in Spanish and Portuguese a capital in the middle of a sentence says as much as a label
    labeled = labeled or (
        short and capital and key not in AMBIGUOUS_STREET_WORDS and _CLAUSE_WORDS.isdisjoint(context_words(rest))
    )
    labeled = labeled or (key == "calle" and re.fullmatch(r" [^\W\d_]+, ", rest) is not None)
    if not _NAME.fullmatch(rest) or not _is_street_name(rest, labeled):
        return None
    return after + len(rest) - len(rest.lstrip()) if key in ADDRESS_LABELS else word.start()


_LABELED: Final = re.compile(r"(?i:" + "|".join(sorted(ADDRESS_LABELS)) + r") ?:[^.;]{0,20}$")
_CLAUSE_WORDS: Final = word_set(_TABLE["clause"])
_NUMBERING: Final = ("n", "nº", "no", "num", "núm", "km", "número")
_PARTICLES: Final = word_set(_TABLE["particles"])


def _is_street_name(rest: str, labeled: bool) -> bool:
    """Return whether words between a street's word and its number are a name within one sentence."""
    if re.search(r"[0-9]{4}|\b(?i:tel|tlf|tfn|fax|tfno|telf)\b", rest) or re.search(r"[0-9],", rest):
        return False
    if re.search(r"[a-zà-ÿ]{4}\. |[a-z], [a-z]+ [a-z]", rest) and not labeled:
        return False
    words = [word for word in re.findall(r"[^\W\d_]+", rest) if word.lower() not in _NUMBERING]
    if not words:
        return bool(re.search(r"[0-9]|km|K[mM]", rest))
    lower = [word.lower() for word in words]
    if len(words) > 8 or lower[-1] in _NOT_STREET_ENDINGS or not _ENGLISH_FUNCTION_WORDS.isdisjoint(lower):
        return False
    # without a label, `calle`, `plaza`, `largo` are also plain words: then the name must be written as one
    fit = all(word[0].isupper() or word.lower() in _PARTICLES or len(word) < 3 for word in words)
    return labeled or (fit and any(word[0].isupper() for word in words))


def _door_end(text: str, end: int) -> int:
    """Return where floor and door end."""
    tail = _FLOOR_AND_DOOR.match(text, end, line_end(text, end, end + 60))
    return end + len(text[end : tail.end() if tail else end].rstrip(" ,-"))


_PLACE_AFTER = re.compile(read_pattern(_TABLE, "place_after"))


def _before_postcode(text: str, left: int, start: int, stop: int) -> tuple[int, int] | None:
    """Return an address without a street word: a name and a number before a postcode and a place."""
    if not _PLACE_AFTER.match(text, stop, stop + 24) or line_end(text, stop, stop + 24) < stop + 5:
        return None
    before = text[left:start]
    stem = re.sub(r",? ?(?:n[º°o.]{1,2})? ?$", "", before[-60:])
    name = _CAPITAL_NAME.search(stem)
    return (start - len(before[-60:]) + name.start(), stop) if name else None


def _postcode_after(text: str, end: int) -> Iterator[Identifier]:
    postcode = _PLACE_AFTER.match(text, end, line_end(text, end, end + 30))
    if postcode:
        yield Identifier(postcode.start(1), postcode.end(1), "LOC", "postcode")
