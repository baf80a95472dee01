"""Tell whether a text writes the day before the month, and write its dates so that they can be read in one way only."""

from __future__ import annotations

import re
from datetime import date
from typing import Final

from embanon.taxonomy.ladders.dates import LAST_MONTH, full_year, month_numbers
from embanon.taxonomy.ladders.tables import load_tables

NUMERIC_DATE: Final = re.compile(
    r"(?<![\d./-])(\d{1,2})(?:(?P<mark>[./-])(\d{1,2})(?P=mark)\d{4}|/(\d{1,2})/\d\d)(?![\d/-]|\.\d)"
)
TURNED: Final = re.compile(r"(?<![\d./-])(\d{1,2})([./-])(\d{1,2})\2(\d{4}|\d\d)(?![\d/-])")
"""A date in digits with its mark."""
LAST_DAY: Final = 31


def is_day_first(text: str, language: str) -> bool:
    """Return whether a text writes the day before the month, by its dates that can be read in one way only."""
    known = load_tables(language)
    every = ((int(one[1]), int(one[3] or one[4])) for one in NUMERIC_DATE.finditer(text))
    pairs = [(first, second) for first, second in every if max(first, second) <= LAST_DAY]
    balance = sum((first > LAST_MONTH) - (second > LAST_MONTH) for first, second in pairs)
    if not balance and pairs and known:  # 4 July, or July 4
        names = "|".join(sorted(map(re.escape, month_numbers(known)), key=len, reverse=True))
        before = len(re.findall(rf"(?i)\b\d{{1,2}}(?:st|nd|rd|th|\.)? (?:of |de )?(?:{names})\b", text))
        balance = before - len(re.findall(rf"(?i)\b(?:{names})\.? \d{{1,2}}(?:st|nd|rd|th)?\b", text))
    return balance > 0 if balance else bool(known and known.flag("dates", "day_first"))


def with_month_second(phrase: str) -> str:
    """Write a date in digits whose day comes first so that it can be read in one way only: 11/09/23 is 2023-09-11."""
    return TURNED.sub(_turned, phrase)


def _turned(match: re.Match[str]) -> str:
    try:
        return date(full_year(match[4]), int(match[3]), int(match[1])).isoformat()
    except ValueError:
        return match[0]
