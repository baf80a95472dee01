"""Read a date into its parts: which of its words are years, months, days and weekdays; and name others like them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta
from functools import cache
from typing import Final

from embanon.language import Cue, Lexicon, fold_name
from embanon.replace.edit import splice
from embanon.replace.methods import KeyedChoice
from embanon.replace.surrogates.invented_words import match_case
from embanon.taxonomy import (
    DASHES,
    DECADE,
    ENDINGS,
    FIRST_YEAR,
    LAST_YEAR,
    MARKS,
    MAX_PHRASE_LENGTH,
    Tables,
    Token,
    load_tables,
    month_numbers,
    parse_numeric_date,
    tokenize,
    year_from,
)

Changes = dict[int, str]
"""The place of a token -> its replacement."""
KNOWN: Final = int(
    Cue.MONTH | Cue.WEEKDAY | Cue.STOP | Cue.CONNECTOR | Cue.DETERMINER | Cue.SEASON | Cue.TIME_MODIFIER | Cue.HOLIDAY
    | Cue.DAYPART
)  # fmt: skip
"""What may stand in a date beside its numbers."""
FRIDAY: Final = 4
SHORT: Final = 4
"""Letters of a name of a month that is shortened."""
NUMBERED: Final = int(Cue.ORDINAL_WORD | Cue.NUMBER_WORD)
_WORD_BEFORE: Final = re.compile(r"(?:^|(?<=\W))(\w+)(\s+)$")


@dataclass(frozen=True, slots=True)
class ParsedDate:
    """The tokens of a date, and the places in them of its years, months, days and weekdays."""

    written: str = field(repr=False)
    tables: Tables = field(repr=False)
    tokens: list[Token] = field(repr=False)
    years: list[int]
    months: list[int]
    days: list[int]
    weekdays: dict[int, tuple[int, str]]
    """The number of a weekday, Monday is 0, and which of its names it is."""

    @staticmethod
    def parse(written: str, known: Tables) -> ParsedDate:
        """Read a date."""
        tokens = tokenize(written)
        names = weekday_forms(known)
        weekdays = {place: names[token.key] for place, token in enumerate(tokens) if token.key in names}
        months = [place for place, token in enumerate(tokens) if token.key in month_numbers(known)]
        if len(months) > 1 or not months:  # mar is Tuesday's and March's
            months = [place for place in months if place not in weekdays]
        years = [place for place, token in enumerate(tokens) if year_from(token)]
        days = [
            place for place, token in enumerate(tokens)
            if token.text.isdecimal() and len(token.text) <= 2 and 1 <= int(token.text) <= 31
        ]  # fmt: skip
        weekdays = {place: day for place, day in weekdays.items() if place not in months}
        return ParsedDate(written, known, tokens, years, months, days, weekdays)

    def month(self, place: int) -> int:
        """Return the number of a month."""
        return month_numbers(self.tables)[self.tokens[place].key]

    def number(self, place: int) -> int:
        """Return a number in digits."""
        return int(self.tokens[place].text)

    def with_changes(self, changes: Changes) -> str:
        """Write the date with other tokens in some places."""
        tokens = ((place, self.tokens[place]) for place in sorted(changes))
        return splice(self.written, ((token.start, token.end, changes[place]) for place, token in tokens))


@cache
def weekday_forms(known: Tables) -> dict[str, tuple[int, str]]:
    """Return the number and the shape of each form of a weekday's name."""
    forms: dict[str, tuple[int, str]] = {}
    for shape, names in (("full", "weekdays"), ("short", "weekdays_short")):
        for number, name in enumerate(known.text("dates", names).split()):
            forms[fold_name(name)] = number, shape
            if shape == "full" and not name.endswith("s"):
                forms[fold_name(f"{name}s")] = number, "plural"
    return forms


def weekday_name(read: ParsedDate, place: int, number: int) -> str:
    """Return the name of a weekday in the form of another."""
    shape = read.weekdays[place][1]
    name = read.tables.text("dates", "weekdays_short" if shape == "short" else "weekdays").split()[number]
    return match_case(read.tokens[place].text, f"{name}s" if shape == "plural" and not name.endswith("s") else name)


def agree_with_weekday(before: str, written: str, made: str, language: str) -> tuple[str, str]:
    """Return the word before a date, and one that agrees with its weekday if that has another gender now.

    In Portuguese Saturday and Sunday are masculine, the others feminine: na terça-feira, no sábado.
    """
    known = load_tables(language)
    feminine, masculine = (
        known.text("dates", f"before_{gender}_days").split() if known else [] for gender in ("feminine", "masculine")
    )
    word = _WORD_BEFORE.search(before) if known and feminine else None
    if known is None or word is None:
        return "", ""
    was, now = (_is_weekend(date, known) for date in (written, made))
    old, new = (masculine, feminine) if was else (feminine, masculine)
    if was is None or now is None or was == now or word[1].lower() not in old:
        return "", ""
    return word[0], match_case(word[1], new[old.index(word[1].lower())]) + word[2]


def _is_weekend(written: str, known: Tables) -> bool | None:
    """Return whether a date begins with Saturday or Sunday; `None` where with no weekday."""
    days = (day for name, (day, _) in weekday_forms(known).items() if re.match(rf"{name}\b", fold_name(written)))
    number = next(days, None)
    return None if number is None else number > FRIDAY


def month_name(read: ParsedDate, place: int, number: int) -> Changes:
    """Return the name of a month in the form of another: in full or short, with its capitals."""
    full = read.tables.text("dates", "months").split()
    short = read.tables.text("dates", "short").split()[: len(full)]
    token = read.tokens[place]
    is_short = token.key not in map(fold_name, full) and len(token.key) <= SHORT
    name = (short if is_short else full)[number - 1]
    changes = {place: match_case(token.text, name)}
    period = place + 1 < len(read.tokens) and read.tokens[place + 1].text == "."
    if is_short and period and fold_name(name) in map(fold_name, full):  # May is not shortened
        changes[place + 1] = ""
    return changes


def is_understood(read: ParsedDate) -> bool:
    """Return whether nothing stands in a date that is not understood, and that it says more than a season or
    holiday."""
    lexicon = Lexicon.load(read.tables.language)
    words = read.tables.words("dates", "year_words")
    unbounded = read.tables.words("dates", "before_christ")
    for token in read.tokens:
        flags = lexicon.flags(token.text)
        if token.text.isdecimal() or token.text in MARKS or token.key in ENDINGS:
            continue
        if token.key in unbounded or (flags & NUMBERED and not flags & (Cue.MONTH | Cue.WEEKDAY)):
            return False
        if not (flags & KNOWN or token.key in words or token.key in weekday_forms(read.tables)):
            return False
    return bool(read.years or read.months or read.weekdays)


SHIFT_WARNING: Final = (
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


def choose_days(keyed: KeyedChoice, whose: str, most: int) -> int:
    """Choose by how many days the dates of somebody are shifted: from -most to most, and never 0."""
    days = keyed.number_below("DATETIME.shift", whose, 2 * most) - most
    return days + (days >= 0)


@dataclass(frozen=True, slots=True)
class DateShift:
    """Shifts the dates of a text in one language."""

    days: int
    language: str
    day_first: bool = False

    def apply(self, written: str, kind: str = "") -> str | None:
        """Return a date shifted; `None` where it cannot be."""
        known = load_tables(self.language)
        if known is None or kind in UNSHIFTED or len(written) > MAX_PHRASE_LENGTH:
            return None
        try:
            made = _shift(ParsedDate.parse(written, known), self.days, day_first=self.day_first)
        except (OverflowError, ValueError):  # beyond the calendar, or no day of it
            return None
        return made if made and fold_name(made) != fold_name(written) else None


def _shift(read: ParsedDate, days: int, *, day_first: bool) -> str | None:
    numeric = parse_numeric_date(read.written, day_first=day_first)
    if numeric:
        start, end = numeric.parts[0][0], numeric.parts[2][1]
        rest = read.written[:start] + read.written[end:]
        if any(map(str.isdecimal, rest)):
            return None
        new = date(numeric.year, numeric.month, numeric.day) + timedelta(days)
        values = dict(zip("ymd", (new.year, new.month, new.day), strict=True))
        parts = [read.written[slice(*part)] for part in numeric.parts]
        short = [part for part, name in zip(parts, numeric.order, strict=True) if name != "y"]
        wide = 2 if all(len(part) == 2 for part in short) or any(part[0] == "0" for part in short) else 1
        made = [f"{values[name]:0{4 if name == 'y' else wide}}" for name in numeric.order]
        side, two, three = numeric.parts
        text = read.written
        middle = f"{made[0]}{text[side[1] : two[0]]}{made[1]}{text[two[1] : three[0]]}{made[2]}"
        before, after = (ParsedDate.parse(some, read.tables) for some in (text[:start], text[end:]))
        sides = [side.with_changes(_rename_weekdays(side, days, new)) for side in (before, after)]
        return f"{sides[0]}{middle}{sides[1]}" if _in_range(new.year) else None
    if decades := DECADE.findall(read.written.lower()):
        return _shift_decades(read, decades, days)
    return _shift_words(read, days) if is_understood(read) else None


def _shift_words(read: ParsedDate, days: int) -> str | None:
    """Shift months with their days and years, and years alone."""
    changes: Changes = {}
    used, dated = set[int](), list[date]()
    day_first = bool(read.days and read.months and read.days[0] < read.months[0])
    for number, place in enumerate(read.months):
        before = read.months[number - 1] if number else -1
        after = read.months[number + 1] if number + 1 < len(read.months) else len(read.tokens)
        own_days = [one for one in read.days if (before < one < place if day_first else place < one < after)]
        year = next((one for one in read.years if one > place), read.years[-1] if read.years else None)
        new = _shift_month(read, place, own_days, year, days)
        if new is None:
            return None
        dated += new if own_days and year is not None else []
        wanted = month_name(read, place, new[0].month)
        days_in_order = zip(own_days, new, strict=False)  # of a month alone there is one, and no day
        wanted |= {
            place: str(day.day).zfill(2 if read.tokens[place].text[0] == "0" else 1) for place, day in days_in_order
        }
        wanted |= {} if year is None else {year: str(new[0].year)}
        if any(changes.get(one, text) != text for one, text in wanted.items()):
            return None  # one year for two dates that now lie in different ones
        changes |= wanted
        used.update(own_days, () if year is None else (year,))
    left = [one for one in read.years if one not in used]
    if read.months and left and not set(read.days) <= used:
        return None
    changes |= _shift_years(read, left, days, used)
    if {place for place, token in enumerate(read.tokens) if token.text.isdecimal()} - set(changes):
        return None
    changes |= _rename_weekdays(read, days, dated[0] if len(dated) == 1 else None) | _fix_ordinals(read, changes)
    return read.with_changes(changes)


def _shift_month(read: ParsedDate, month: int, days: Sequence[int], year: int | None, by: int) -> list[date] | None:
    """Shift the days of one month; `None` where they come to lie in different months."""
    number, first = read.month(month), read.number(year) if year is not None else PLAIN_YEAR
    if year is None and number == 2 and any(read.number(day) == 29 for day in days):
        first = LEAP_YEAR
    if not days:
        new = date(first, number, MIDDLE) + timedelta(by)
        if (new.year, new.month) == (first, number) or (year is None and new.month == number):
            new = date(first, number, MIDDLE) + timedelta(31 if by > 0 else -31)
        return [new] if _in_range(new.year) else None
    shifted = [date(first, number, read.number(day)) + timedelta(by) for day in days]
    same = len({(one.year, one.month) for one in shifted}) == 1
    return shifted if same and _in_range(shifted[0].year) else None


def _shift_years(read: ParsedDate, places: Sequence[int], days: int, used: set[int]) -> Changes:
    """Shift bare years by whole ones, by one at the least; with the second of 1947-48."""
    by = (1 if days > 0 else -1) * max(round(abs(days) / DAYS_OF_YEAR), 1)
    if not all(_in_range(read.number(one) + by) for one in places):
        return {}
    changes = {one: str(read.number(one) + by) for one in places}
    if len(read.years) == 1 and places and not read.months:
        second = places[0] + 2
        dash = second < len(read.tokens) and read.tokens[second - 1].text in DASHES
        if dash and second == len(read.tokens) - 1 and re.fullmatch(r"\d\d", read.tokens[second].text):
            changes[second] = f"{(read.number(second) + by) % 100:02}"
            used.add(second)
    return changes


def _shift_decades(read: ParsedDate, decades: Sequence[str], days: int) -> str | None:
    """Shift decades with their centuries by whole ones, if the days make one."""
    by = round(days / (10 * DAYS_OF_YEAR)) * 10
    numbers = [token.text for token in read.tokens if token.text.isdecimal()]
    if not by or any(len(one) != 4 or not _in_range(int(one) + by) for one in decades) or numbers != list(decades):
        return None
    return DECADE.sub(lambda found: found[0].replace(found[1], str(int(found[1]) + by)), read.written)


def _rename_weekdays(read: ParsedDate, days: int, new: date | None) -> Changes:
    """Name the weekdays of what was shifted."""
    return {
        place: weekday_name(read, place, new.weekday() if new is not None else (number + days) % 7)
        for place, (number, _) in read.weekdays.items()
    }


def _fix_ordinals(read: ParsedDate, changes: Changes) -> Changes:
    """Write the ends of ordinals anew: 1st, 2nd."""
    endings: Changes = {}
    for place, text in changes.items():
        behind = read.tokens[place + 1] if place + 1 < len(read.tokens) else None
        if behind and behind.text == "." and place + 2 < len(read.tokens) and read.tokens[place + 2].key in "ºª":
            endings |= {} if text == "1" else {place + 1: "", place + 2: ""}  # 1.º de maio
        elif behind and behind.key in ENDINGS and behind.start == read.tokens[place].end:
            end = {"1": "st", "2": "nd", "3": "rd"}.get(text[-1], "th") if text not in ("11", "12", "13") else "th"
            endings[place + 1] = (
                match_case(behind.text, end) if behind.text.isascii() else behind.text if text == "1" else ""
            )
    return endings


def _in_range(year: int) -> bool:
    return FIRST_YEAR <= year <= LAST_YEAR
