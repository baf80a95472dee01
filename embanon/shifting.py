"""Shift dates by a number of days that is the same for all dates of a person, so that intervals are kept.

A date is written as it was: in digits or words, with or without a day or year. What says no day is shifted as far as it
says: a month by months, a year by years, a decade by decades. What cannot be read, or stays the same, is not shifted.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Final

from embanon.dated import Changes, Reading, is_known, month_name, weekday_name
from embanon.keyed import Keyed
from embanon.language.lexicon import fold
from embanon.substitutes.words import like
from embanon.taxonomy.ladders.dates import (
    DASHES,
    DECADE,
    ENDINGS,
    FIRST,
    LAST,
    in_digits,
    month_numbers,
)  # fmt: skip
from embanon.taxonomy.ladders.tables import LONGEST, tables

KNOWN_DATE: Final = (
    "Dates are shifted by one number of days for each person: whoever knows one of the dates knows all of them."
)
DAYS_OF_YEAR: Final = 365.25
MIDDLE: Final = 15
"""The day that is taken of a month without one."""
PLAIN_YEAR: Final = 2001
LEAP_YEAR: Final = 2000
"""The years that are taken of a day without one."""
UNSHIFTED: Final = frozenset(("duration", "time", "century"))
"""Kinds that say no point in time, or too long a one."""
ALL_DIGITS: Final = re.compile(r"(?<!\d)(\d{1,2})[./-](\d{1,2})[./-]\d{4}(?!\d)")


def days_of(keyed: Keyed, whose: str, most: int) -> int:
    """Choose by how many days the dates of somebody are shifted: from -most to most, and never 0."""
    days = keyed.one("DATETIME.shift", whose, 2 * most) - most
    return days + (days >= 0)


def is_day_first(text: str, language: str) -> bool:
    """Say whether a text writes the day before the month, by its dates that can be read in one way only."""
    known = tables(language)
    found = [(int(one[1]), int(one[2])) for one in ALL_DIGITS.finditer(text)]
    told = sum((first > 12) - (second > 12) for first, second in found)
    if not told and found and known:  # 4 July, or July 4
        names = "|".join(sorted(map(re.escape, month_numbers(known)), key=len, reverse=True))
        before = len(re.findall(rf"(?i)\b\d{{1,2}}(?:st|nd|rd|th|\.)? (?:of |de )?(?:{names})\b", text))
        told = before - len(re.findall(rf"(?i)\b(?:{names})\.? \d{{1,2}}(?:st|nd|rd|th)?\b", text))
    return told > 0 if told else bool(known and known.content["dates"].get("day_first", False))


@dataclass(frozen=True, slots=True)
class Shift:
    """Shifts the dates of a text in one language."""

    days: int
    language: str
    day_first: bool = False

    def of(self, written: str, kind: str = "") -> str | None:
        """Give a date shifted; `None` where it cannot be."""
        known = tables(self.language)
        if known is None or kind in UNSHIFTED or len(written) > LONGEST:
            return None
        try:
            made = _shifted(Reading.of(written, known), self.days, day_first=self.day_first)
        except (OverflowError, ValueError):  # beyond the calendar, or no day of it
            return None
        return made if made and fold(made) != fold(written) else None


def _shifted(read: Reading, days: int, *, day_first: bool) -> str | None:
    found = in_digits(read.written, day_first=day_first)
    if found:
        start, end = found.parts[0][0], found.parts[2][1]
        rest = read.written[:start] + read.written[end:]
        if any(map(str.isdecimal, rest)):
            return None
        new = date(found.year, found.month, found.day) + timedelta(days)
        values = dict(zip("ymd", (new.year, new.month, new.day), strict=True))
        parts = [read.written[slice(*part)] for part in found.parts]
        short = [part for part, name in zip(parts, found.order, strict=True) if name != "y"]
        wide = 2 if all(len(part) == 2 for part in short) or any(part[0] == "0" for part in short) else 1
        made = [f"{values[name]:0{4 if name == 'y' else wide}}" for name in found.order]
        one, two, three = found.parts
        text = read.written
        middle = f"{made[0]}{text[one[1] : two[0]]}{made[1]}{text[two[1] : three[0]]}{made[2]}"
        before, after = (Reading.of(some, read.tables) for some in (text[:start], text[end:]))
        sides = [one.rewritten(_ofweekdays_of(one, days, new)) for one in (before, after)]
        return f"{sides[0]}{middle}{sides[1]}" if _in_range(new.year) else None
    if decades := DECADE.findall(read.written.lower()):
        return _decades(read, decades, days)
    return _in_words(read, days) if is_known(read) else None


def _in_words(read: Reading, days: int) -> str | None:
    """Shift months with their days and years, and years alone."""
    changes: Changes = {}
    used, dated = set[int](), list[date]()
    day_first = bool(read.days and read.months and read.days[0] < read.months[0])
    for number, place in enumerate(read.months):
        before = read.months[number - 1] if number else -1
        after = read.months[number + 1] if number + 1 < len(read.months) else len(read.tokens)
        own = [one for one in read.days if (before < one < place if day_first else place < one < after)]
        year = next((one for one in read.years if one > place), read.years[-1] if read.years else None)
        new = _moved(read, place, own, year, days)
        if new is None:
            return None
        dated += new if own and year is not None else []
        wanted = month_name(read, place, new[0].month)
        wanted |= {one: str(day.day).zfill(2 if read.tokens[one].text[0] == "0" else 1) for one, day in zip(own, new)}  # noqa: B905
        wanted |= {} if year is None else {year: str(new[0].year)}
        if any(changes.get(one, text) != text for one, text in wanted.items()):
            return None  # one year for two dates that now lie in different ones
        changes |= wanted
        used.update(own, () if year is None else (year,))
    left = [one for one in read.years if one not in used]
    if read.months and left and not set(read.days) <= used:
        return None
    changes |= _years(read, left, days, used)
    if {place for place, token in enumerate(read.tokens) if token.text.isdecimal()} - set(changes):
        return None
    changes |= _ofweekdays_of(read, days, dated[0] if len(dated) == 1 else None) | _endings(read, changes)
    return read.rewritten(changes)


def _moved(read: Reading, month: int, days: Sequence[int], year: int | None, by: int) -> list[date] | None:
    """Shift the days of one month; `None` where they come to lie in different months."""
    number, first = read.month(month), read.number(year) if year is not None else PLAIN_YEAR
    if year is None and number == 2 and any(read.number(day) == 29 for day in days):
        first = LEAP_YEAR
    if not days:
        new = date(first, number, MIDDLE) + timedelta(by)
        if (new.year, new.month) == (first, number) or (year is None and new.month == number):
            new = date(first, number, MIDDLE) + timedelta(31 if by > 0 else -31)
        return [new] if _in_range(new.year) else None
    found = [date(first, number, read.number(day)) + timedelta(by) for day in days]
    same = len({(one.year, one.month) for one in found}) == 1
    return found if same and _in_range(found[0].year) else None


def _years(read: Reading, places: Sequence[int], days: int, used: set[int]) -> Changes:
    """Shift bare years by whole ones, by one at the least; with the second of 1947-48."""
    by = (1 if days > 0 else -1) * max(round(abs(days) / DAYS_OF_YEAR), 1)
    if not all(_in_range(read.number(one) + by) for one in places):
        return {}
    found = {one: str(read.number(one) + by) for one in places}
    if len(read.years) == 1 and places and not read.months:
        second = places[0] + 2
        dash = second < len(read.tokens) and read.tokens[second - 1].text in DASHES
        if dash and second == len(read.tokens) - 1 and re.fullmatch(r"\d\d", read.tokens[second].text):
            found[second] = f"{(read.number(second) + by) % 100:02}"
            used.add(second)
    return found


def _decades(read: Reading, said: Sequence[str], days: int) -> str | None:
    """Shift decades with their centuries by whole ones, if the days make one."""
    by = round(days / (10 * DAYS_OF_YEAR)) * 10
    numbers = [token.text for token in read.tokens if token.text.isdecimal()]
    if not by or any(len(one) != 4 or not _in_range(int(one) + by) for one in said) or numbers != list(said):
        return None
    return DECADE.sub(lambda found: found[0].replace(found[1], str(int(found[1]) + by)), read.written)


def _ofweekdays_of(read: Reading, days: int, new: date | None) -> Changes:
    """Name the weekdays of what was shifted."""
    return {
        place: weekday_name(read, place, new.weekday() if new is not None else (number + days) % 7)
        for place, (number, _) in read.weekdays.items()
    }


def _endings(read: Reading, changes: Changes) -> Changes:
    """Write the ends of ordinals anew: 1st, 2nd."""
    found: Changes = {}
    for place, text in changes.items():
        behind = read.tokens[place + 1] if place + 1 < len(read.tokens) else None
        if behind and behind.text == "." and place + 2 < len(read.tokens) and read.tokens[place + 2].key in "ºª":
            found |= {} if text == "1" else {place + 1: "", place + 2: ""}  # 1.º de maio
        elif behind and behind.key in ENDINGS and behind.start == read.tokens[place].end:
            end = {"1": "st", "2": "nd", "3": "rd"}.get(text[-1], "th") if text not in ("11", "12", "13") else "th"
            found[place + 1] = like(behind.text, end) if behind.text.isascii() else behind.text if text == "1" else ""
    return found


def _in_range(year: int) -> bool:
    return FIRST <= year <= LAST
