"""Make up numbers: near to one, of its magnitude and precision, and written as it is."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice
from typing import Final

from embanon.language import fold_name
from embanon.replace.surrogates.invented_words import match_case
from embanon.replace.surrogates.keyed import MAX_TRIES, KeyedChoice
from embanon.taxonomy import find_number, is_ordinal, load_tables, parse_words

CHANGE_DIVISOR: Final = 4
"""One over this is the most that a number changes by, up or down."""
FEWEST: Final = 2
"""One of a thing has no plural."""
_DIGITS: Final = re.compile(r"\d")
YEAR: Final = re.compile(r"(?<![\d.,])(?:1[5-9]|20)\d\d(?!\d|[.,]\d)")


def number_candidates(written: str, language: str, keyed: KeyedChoice) -> Iterator[str]:
    """Return what says another number in the same way; nothing where there is no single one, or one of a thing."""
    known = load_tables(language)
    found = find_number(written, known) if known and not is_ordinal(written.strip()) else None
    if known is None or found is None or found.has_others:
        return
    said, before, after = written[found.start : found.end], written[: found.start], written[found.end :]
    made: Iterator[str | None]
    several = islice(keyed.numbers("QUANTITY", written), MAX_TRIES)
    if any(sign.isdecimal() for sign in said):
        if _DIGITS.search(before + after) or not said.strip().isascii():
            return
        made = (_nearby_number(said, number) for number in several)
    else:
        words = list(parse_words(known.text("numbers", "units")))
        place = words.index(fold_name(said)) if fold_name(said) in words else 0
        if place < FEWEST:
            return
        step = max(place // CHANGE_DIVISOR, 1)
        nearest = (place + number % (2 * step + 1) - step for number in several)
        made = (match_case(said, words[one]) for one in nearest if FEWEST <= one < len(words))
    yield from (f"{before}{one}{after}" for one in made if one is not None and one != said)


def _nearby_number(said: str, number: int) -> str | None:
    """Change the digits up to the last that is not 0, as far as that leaves as many of them."""
    plain = "".join(_DIGITS.findall(said))
    telling = plain.strip("0")
    if not telling or plain == "1":
        return None
    value, size = int(telling), len(telling)
    step = max(value // CHANGE_DIVISOR, 1)
    low, high = max(value - step, 10 ** (size - 1)), min(value + step, 10**size - 1)
    low = max(low, FEWEST) if len(plain) == 1 else low
    other = low + number % (high - low + 1)
    if other % 10 == 0 or other == value:
        return None
    start = len(plain) - len(plain.lstrip("0"))
    changed = iter(plain[:start] + str(other) + plain[start + size :])
    return _DIGITS.sub(lambda _: next(changed), said)
