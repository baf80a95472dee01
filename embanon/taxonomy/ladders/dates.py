"""Compute the ladders of dates: day, month, year, decade, century; weekdays, seasons, holidays, times of day."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from typing import Final

from embanon.language import Cue, Lexicon
from embanon.taxonomy.ladders.numerals import year_in_words
from embanon.taxonomy.ladders.tables import Step, Tables, Token, parse_pairs, parse_words, tokenize

FIRST_YEAR, LAST_YEAR = 1000, 2099
"""The years that four digits are read as."""

PART_OF_DECADE, PART_OF_YEAR = "third", "month alone"
"""Kinds of steps that tell no more than three or four years, or a month or its early, middle or late days of whatever
year."""
FIRST_YEAR_IN_THIRDS, LAST_CENTURY = 1900, 2000
"""The first year of which it is said, but for the first ten years of a century: the late 1900s may be the 1990s."""

_DIGITS: Final = re.compile(r"\(?(\d{1,4})\s?([-/.])\s?(\d{1,2})\s?\2\s?(\d{1,4})\)?")
_SHORT_YEAR: Final = re.compile(r"((?<!\d)\d{1,2}([./-])\d{1,2}\2)(?P<year>\d\d)(?![\d./-])")
_YEARS: Final = re.compile(r"((?:19|20)\d\d)\s?[–—-]\s?((?:19|20)\d\d|\d\d)")
_YEAR: Final = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)")
_BETWEEN_DATES: Final = re.compile(
    r"\s+(?:to|until|till|bis|bis zum|al?|até|hasta(?: el)?|and|und|y|e)\s+|\s*[–—]\s*|\s+-\s+"
)
"""What stands between the first date and the last."""
_ARTICLE_BEHIND: Final = re.compile(r"(?<= a)l$| el$| zum$")
LAST_DAY: Final = 31
MAX_WORDS_OF_LIFE: Final = 3
"""Words before a date in which a birth or death is spoken of."""
LAST_SHORT_YEAR: Final = 30
"""The last year in two digits that is of this century."""
_MONTH_AND_YEAR: Final = re.compile(r"(\d{1,2})[/.]((?:19|20)\d\d)")
_DAY_AND_MONTH: Final = re.compile(r"(\d{1,2})(?:[/.]|(?<=\d\d)-(?=\d\d))(\d{1,2})\.?")
_SHORT_MONTH: Final = re.compile(r"(0[1-9]|1[0-2])/(\d\d)")
"""03/21, where days come before months."""
LAST_MONTH: Final = 12
_DAY_BEFORE_MONTH: Final = re.compile(r"(?<![\d./])(\d{1,2})[/.](\d{1,2})(?!\d)")
_CLOCK_BEHIND: Final = re.compile(
    r"(?<=[\w.])(?:,|,?\s+(?:at|um|gegen|gg\.|a las|às|pelas|–|-))?\s+\d{1,2}[:.h]\d{2}(?!\d|[./-]).{0,12}$",
    re.IGNORECASE,
)
"""A time of day behind a date."""
_DAY_AHEAD: Final = re.compile(r"^d[ií]a (?=\d)", re.IGNORECASE)
DECADE: Final = re.compile(r"(?<!\d)(\d{4}|\d0)(?:['’]?s|ern?|er[ -]?jahren?)(?!\w)")
_ROMAN: Final = ["X" * tens + ones for tens in range(3) for ones in ",I,II,III,IV,V,VI,VII,VIII,IX".split(",")]
"""The Roman numbers up to 29, by what they mean."""
_FROM_ROMAN: Final = {numeral.lower(): number for number, numeral in enumerate(_ROMAN)}
_ROMAN_MONTH: Final = re.compile(r"\b(\d{1,2})[-./ ](XI{0,2}|I{1,3}|IV|VI{0,3}|IX)[-./ ](\d{2}(?:\d{2})?)\b")
_JOINED_MONTH: Final = re.compile(r"\b(\d{1,2})([A-Z]{3})((?:19|20)?\d{2})\b")
ENDINGS: Final = frozenset("st nd rd th º ª °".split())
DASHES: Final = frozenset("-–—~/‐‑")
MARKS: Final = frozenset(".,()[]'’\"“”") | DASHES


@dataclass(frozen=True, slots=True)
class DateSpan:
    """What a date says: years from `first` to `last`, and the month where it is one."""

    first: int
    last: int
    month: int = 0
    day: int = 0
    is_exact: bool = True
    """Whether the year itself may be named: not of a winter, nor circa."""


def date_steps(phrase: str, tables: Tables, kind: str = "") -> list[Step]:
    """Return the steps of a date; empty where nothing true can be said of it."""
    phrase = _DAY_AHEAD.sub("", _CLOCK_BEHIND.sub("", _with_plain_month(phrase)))
    phrase = _with_plain_year(phrase, tables, is_decade=kind == "decade")
    folded = phrase.lower()
    tokens = tokenize(phrase)
    keys = [token.key for token in tokens]
    words = frozenset(keys)
    if steps := _range_steps(phrase, tables):
        return steps
    open_ended = bool(words & tables.words("dates", "before_christ") or words & tables.words("dates", "unbounded"))
    if open_ended and not any(sign.isdecimal() for sign in phrase):
        return []
    if open_ended and not (words & tables.words("dates", "between") and _span(tokens)):
        return [tables.type("date")]
    if steps := _century(keys, folded, tables) or _decades(folded, keys, tables):
        return steps
    if years := _YEARS.fullmatch(phrase.strip(" ()")):
        return _steps_of_years(int(years[1]), int(years[2]), tables)
    moment = _parse_digits(folded, tables) or _parse_words(tokens, tables)
    if moment:
        return [*_steps(moment, tables), tables.type("date")]
    return recurring_steps(tokens, phrase, tables) or _loose_steps(tokens, tables)


def _loose_steps(tokens: list[Token], tables: Tables) -> list[Step]:
    """Climb from what is known of several dates beside each other: their year, their months, else their weekday."""
    numbers, flags = month_numbers(tables), Lexicon.load(tables.language).flags
    names = dict.fromkeys(months(tables)[numbers[token.key] - 1] for token in tokens if token.key in numbers)
    years = {year_from(token) for token in tokens} - {0}
    if len(years) == 1 and (len(names) > 1 or any(flags(token.text) & Cue.HOLIDAY for token in tokens)):
        return [*_steps(DateSpan(min(years), min(years)), tables), tables.type("date")]
    if years:
        return []
    if len(names) > 1 or (names and any(token.text.isdecimal() for token in tokens)):
        return [("–".join(names), PART_OF_YEAR), tables.type("date")]
    weekdays = [token.text for token in tokens if flags(token.text.capitalize()) & Cue.WEEKDAY]
    return [(weekdays[0], "weekday")] if len(weekdays) == 1 and not names else []


def _steps(moment: DateSpan, tables: Tables) -> list[Step]:
    """Climb from a month to its century; the phrase itself is taken out by the ladder."""
    steps: list[Step] = []
    if moment.month:
        name = months(tables)[moment.month - 1]
        if not moment.first:
            return [*_third_of_month(moment.day, name, tables), (name, PART_OF_YEAR)]
        if moment.day:
            form = tables.text("dates", "month_year")
            steps.append((form.format(month=name, year=moment.first), "month"))
    if not moment.first:
        return steps
    if moment.first == moment.last and moment.is_exact:
        steps.append((str(moment.first), "year"))
        steps += _third(moment.first, tables)
    return steps + _decade_and_century(moment, tables)


def _steps_of_years(first: int, last: int, tables: Tables) -> list[Step]:
    """Climb from two years with a dash between them: their parts of decades, their decades."""
    last += first // 100 * 100 * (last < 100)
    last += 100 * (last < first and first % 100 > last % 100)
    steps = _decade_and_century(DateSpan(first, last), tables) if first <= last else []
    labels = tables.content.get("dates", {}).get("short_thirds")
    if labels and steps and first >= FIRST_YEAR_IN_THIRDS:
        parts = [labels[_part_of(year)].format(decade=year // 10 * 10) for year in (first, last)]
        is_one = parts[0] == parts[1]
        steps = [*(_third(first, tables) if is_one else [("–".join(parts), PART_OF_DECADE)]), *steps]
    return [*steps, tables.type("date")]


def _range_steps(phrase: str, tables: Tables) -> list[Step]:
    """Climb from two dates with a word or a dash between them: their months, years, parts of decades, decades."""
    for connector in _BETWEEN_DATES.finditer(phrase):
        first, last = (
            _parse_digits(part.lower(), tables) or _parse_words(tokenize(part), tables)
            for part in (phrase[: connector.start()], phrase[connector.end() :])
        )
        if not (first and last and first.first == first.last <= last.first == last.last and first.first):
            continue
        if not (first.is_exact and last.is_exact and first.month and last.month):
            return []
        steps, joined = list[Step](), _ARTICLE_BEHIND.sub("", connector[0].rstrip()) + " " * connector[0].endswith(" ")
        ladders = [dict[str, str]((kind, label) for label, kind in _steps(one, tables)) for one in (first, last)]
        for kind in ("month", "year", PART_OF_DECADE):
            parts = [ladder.get(kind, "") for ladder in ladders]
            if all(parts):
                steps.append((joined.join(parts) if parts[0] != parts[1] else parts[0], kind))
        return [*steps, *_decade_and_century(DateSpan(first.first, last.first), tables), tables.type("date")]
    return []


def _with_plain_month(phrase: str) -> str:
    """Write 3-IX-1979 and 25JUN23 as dates that others write."""
    phrase = _ROMAN_MONTH.sub(lambda found: f"{found[1]}/{_FROM_ROMAN[found[2].lower()]}/{found[3]}", phrase)
    return _JOINED_MONTH.sub(lambda found: f"{found[1]} {found[2].lower()} {full_year(found[3])}", phrase)


def _with_plain_year(phrase: str, tables: Tables, *, is_decade: bool) -> str:
    """Write November eighty-one with a year in digits; of a decade only what is none: el ochenta y seis."""
    tokens = tokenize(phrase)
    ahead = tokens[-2].key if len(tokens) > 1 else ""
    year = year_in_words(phrase, tables, has_month=ahead in month_numbers(tables))
    if year is None or (is_decade and not year[0] % 10):
        return phrase
    others, flags = tokenize(phrase[: year[1]] + phrase[year[2] :]), Lexicon.load(tables.language).flags
    if not _all_known([one for one in others if not flags(one.text) & Cue.SEASON], tables):
        return phrase
    return f"{phrase[: year[1]]}{year[0]}{phrase[year[2] :]}"


def _decade_and_century(moment: DateSpan, tables: Tables) -> list[Step]:
    """Return decade and century of a span of years, as far as all of it lies there."""
    first, last = moment.first, moment.last
    if not moment.is_exact and first == last:  # two years to either side
        first, last = first - 2, last + 2
    steps: list[Step] = []
    if first // 10 == last // 10:
        steps.append((decade_label(first, tables), "decade"))
    elif moment.is_exact:
        form = tables.text("dates", "decades")
        steps.append((form.format(first=first // 10 * 10, last=last // 10 * 10), "decades"))
    # The year 1900 is of the 19th century by the book and of the 20th in most mouths.
    if first // 100 == last // 100 and first % 100:
        steps.append((century_label(first // 100 + 1, tables), "century"))
    return steps


def _third(year: int, tables: Tables) -> list[Step]:
    """Name the early, middle or late years of a year's decade."""
    labels = tables.content.get("dates", {}).get("thirds")
    if not labels or year < FIRST_YEAR_IN_THIRDS or (year < LAST_CENTURY and not year // 10 % 10):
        return []
    label = labels[_part_of(year)]
    return [(label.format(decade=year // 10 * 10), PART_OF_DECADE)]


def _part_of(year: int) -> int:
    """Return whether a year is an early (0), middle or late one of its decade."""
    return 0 if year % 10 < 4 else 1 if year % 10 < 7 else 2


def _third_of_month(day: int, month: str, tables: Tables) -> list[Step]:
    """Name the early, middle or late days of a month."""
    labels = tables.content.get("dates", {}).get("month_thirds")
    if not labels or not day:
        return []
    return [(labels[min((day - 1) // 10, 2)].format(month=month), PART_OF_YEAR)]


def is_of_life(before: str, tables: Tables) -> bool:
    """Return whether a date behind some text is that of a birth or a death."""
    words = before.lower().replace(":", " ").split()[-MAX_WORDS_OF_LIFE:]
    known = tables.words("dates", "of_life")
    return any(word.strip("(),;") in known for word in words)


def years_in(phrase: str) -> list[int]:
    """Return the years that a date says in digits."""
    return [int(match[0]) for match in _YEAR.finditer(_SHORT_YEAR.sub(_with_century, _with_plain_month(phrase)))]


def decade_label(year: int, tables: Tables) -> str:
    """Name the decade of a year."""
    return tables.text("dates", "decade").format(decade=year // 10 * 10)


def century_label(century: int, tables: Tables) -> str:
    """Name a century, in Roman digits where the language writes them so."""
    write = {"ordinal": _ordinal, "roman": _roman}.get(tables.text("dates", "century_number"), "{}.".format)
    return tables.text("dates", "century").format(century=write(century))


def _ordinal(number: int) -> str:
    ending = {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{'th' if 10 < number % 100 < 14 else ending}"


def _roman(number: int) -> str:
    return _ROMAN[number]


@cache
def months(tables: Tables) -> list[str]:
    """Return the names of the months as labels write them."""
    return tables.text("dates", "months").split()


@cache
def month_numbers(tables: Tables) -> dict[str, int]:
    """Return the number of each form of a month's name."""
    numbers: dict[str, int] = {}
    for name in ("months", "short", "more"):
        plain = [entry for entry in tables.text("dates", name).split() if "=" not in entry]
        numbers.update({key: place + 1 for place, key in enumerate(parse_words(" ".join(plain)))})
        numbers.update({key: int(value) for key, value in parse_pairs(tables.text("dates", name)) if value})
    return numbers


def year_from(token: Token) -> int:
    """Return the year that four digits are, else 0."""
    value = token.number
    return value if value is not None and len(token.text) == 4 and FIRST_YEAR <= value <= LAST_YEAR else 0


@dataclass(frozen=True, slots=True)
class NumericDate:
    """A date in digits: 2003-06-05, 05/06/2003."""

    year: int
    month: int
    day: int
    order: str
    """Which of its numbers is which: `ymd`, `dmy`, `mdy`."""
    is_unambiguous: bool
    """Whether day and month are told apart without knowing which comes first."""
    parts: tuple[tuple[int, int], ...]
    """Where its numbers stand in the phrase."""


def parse_numeric_date(phrase: str, *, day_first: bool) -> NumericDate | None:
    """Read a date in digits; `day_first` says how those are written that may be read both ways."""
    match = _DIGITS.search(phrase)
    if not match or len(match[2]) != 1:
        return None
    parts = (match.span(1), match.span(3), match.span(4))
    first, second, third = (int(match[place]) for place in (1, 3, 4))
    lengths = [end - start for start, end in parts]
    if lengths[0] == 4 and lengths[2] <= 2:
        written = NumericDate(first, second, third, "ymd", True, parts)
    elif lengths[2] == 4 and lengths[0] <= 2:
        sure = first > 12 or second > 12 or first == second
        turned = second > 12 or (first <= 12 and not day_first)
        day, month, order = (second, first, "mdy") if turned else (first, second, "dmy")
        written = NumericDate(third, month, day, order, sure, parts)
    else:
        return None
    is_date = FIRST_YEAR <= written.year <= LAST_YEAR and 1 <= written.month <= 12 and 1 <= written.day <= 31
    return written if is_date else None


def _parse_digits(folded: str, tables: Tables) -> DateSpan | None:
    """Read a date in digits; which is the month must be certain to be said."""
    day_first = tables.flag("dates", "day_first")
    folded = _SHORT_YEAR.sub(_with_century, folded)
    numeric = parse_numeric_date(folded, day_first=day_first)
    if numeric is None and (match := _MONTH_AND_YEAR.fullmatch(folded.strip())) and 1 <= int(match[1]) <= 12:
        return DateSpan(int(match[2]), int(match[2]), int(match[1]))
    if numeric is None:
        return _parse_day_and_month(folded, day_first=day_first)
    is_certain = numeric.is_unambiguous or day_first
    months_named = {int(match[2]) for match in _DAY_BEFORE_MONTH.finditer(folded)} if day_first else {numeric.month}
    return DateSpan(
        numeric.year, numeric.year, numeric.month if is_certain and len(months_named) < 2 else 0, numeric.day
    )


def _with_century(match: re.Match[str]) -> str:
    """Write the year of 14/3/24 in four digits."""
    return f"{match[1]}{full_year(match['year'])}"


def full_year(digits: str) -> int:
    """Return the year that two digits mean, or four say."""
    year = int(digits)
    return year if len(digits) > 2 else year + (2000 if year <= LAST_SHORT_YEAR else 1900)


def _parse_day_and_month(folded: str, *, day_first: bool) -> DateSpan | None:
    """Read a date in digits without its year: 31/10, 14.03.; which is the month must be certain. Else 03/21."""
    short = _SHORT_MONTH.fullmatch(folded.strip()) if day_first else None
    if short and int(short[2]) > LAST_MONTH:
        year = full_year(short[2])
        return DateSpan(year, year, int(short[1]))
    match = _DAY_AND_MONTH.fullmatch(folded.strip())
    if not match:
        return None
    first, second = int(match[1]), int(match[2])
    if not day_first and (first <= 12) == (second <= 12) and first != second:
        return None
    day, month = (first, second) if day_first or first > 12 else (second, first)
    return DateSpan(0, 0, month, day) if 1 <= day <= 31 and 1 <= month <= 12 else None


def _span(tokens: list[Token]) -> DateSpan | None:
    """Read two years: 1998-2004, 1947-48, between 1998 and 2004."""
    years = [(place, year) for place, token in enumerate(tokens) if (year := year_from(token))]
    if len(years) == 2 and years[0][1] <= years[1][1]:
        return DateSpan(years[0][1], years[1][1])
    if len(years) == 1:
        place, first = years[0]
        rest = tokens[place + 1 :]
        if len(rest) >= 2 and rest[0].text in DASHES and len(rest[1].text) == 2 and rest[1].number is not None:
            last = first // 100 * 100 + rest[1].number
            last += 100 * (last < first)
            if len(rest) == 2 and 0 < last - first < 60:
                return DateSpan(first, last)
    return None


def _parse_words(tokens: list[Token], tables: Tables) -> DateSpan | None:
    """Read a date in words: its year or years, and its month."""
    lexicon = Lexicon.load(tables.language)
    years = [year for token in tokens if (year := year_from(token))]
    names = [found for token in tokens if (found := month_numbers(tables).get(token.key))]
    words = [token for token in tokens if not token.text.isdecimal()]
    if any(
        lexicon.flags(token.text) & Cue.TIME_UNIT and not lexicon.flags(token.text) & Cue.DAYPART for token in words
    ) and not _names_part_of_year(tokens, tables):
        return None
    month = names[0] if len(names) == 1 else 0
    if not years:
        if names and len(set(names)) == 1 and any(token.number for token in tokens) and _all_known(tokens, tables):
            days = _days(tokens, tables)
            return DateSpan(0, 0, month, days[0] if len(days) == 1 else 0)
        return None
    if span := _span(tokens):
        return span
    if len(years) != 1 or _has_unexplained_number(tokens, bool(names)):
        return None
    days = _days(tokens, tables)
    vague = bool({token.key for token in tokens} & tables.words("dates", "vague"))
    winter = bool({token.key for token in tokens} & tables.words("dates", "winter"))
    return DateSpan(
        years[0], years[0], 0 if vague or winter else month, days[0] if days else 0, is_exact=not (vague or winter)
    )


def _days(tokens: list[Token], tables: Tables) -> list[int]:
    """Return the numbers of days in a date, in digits or words."""
    ordinals = tables.pairs("dates", "ordinals")
    numbers = (int(ordinals.get(token.key, token.number or 0)) for token in tokens if not year_from(token))
    return [number for number in numbers if 1 <= number <= LAST_DAY]


def _names_part_of_year(tokens: list[Token], tables: Tables) -> bool:
    """Return whether a unit of time names the year or its part, as in `year 2009` and `first quarter of 1904`."""
    parts = tables.words("dates", "year_words")
    places = [place for place, token in enumerate(tokens) if year_from(token)]
    return len(places) == 1 and places[0] == len(tokens) - 1 and any(token.key in parts for token in tokens)


def _has_unexplained_number(tokens: list[Token], month: bool) -> bool:
    """Return whether a number is left over that no day explains: `1758 – 8`."""
    others = [token for token in tokens if token.text.isdecimal() and not year_from(token)]
    return any(not 1 <= (token.number or 0) <= 31 for token in others) or (bool(others) and not month)


def _all_known(tokens: list[Token], tables: Tables) -> bool:
    """Return whether nothing but days, months and function words stands in a date without a year."""
    lexicon = Lexicon.load(tables.language)
    known = int(Cue.MONTH | Cue.WEEKDAY | Cue.STOP | Cue.CONNECTOR | Cue.DETERMINER | Cue.ORDINAL_WORD)
    for token in tokens:
        if token.text.isdecimal():
            if not 1 <= (token.number or 0) <= 31:
                return False
        elif token.text not in MARKS and token.key not in ENDINGS and not lexicon.flags(token.text) & known:
            return False
    return True


def _century(keys: list[str], folded: str, tables: Tables) -> list[Step]:
    """Read a century: 19th century, siglo XX, 20. Jahrhundert; alone it is only a century."""
    if not tables.words("dates", "century_words").intersection(keys):
        return []
    if DECADE.search(folded):
        return []
    numbers = [int(key) for key in keys if key.isdecimal() and len(key) <= 2]
    numbers += [number for key in keys if (number := _FROM_ROMAN.get(key))]
    ordinals = tables.pairs("dates", "ordinals")
    numbers += [int(ordinals[key]) for key in keys if key in ordinals]
    if len(numbers) == 1 and 1 <= numbers[0] <= 21:
        return [(century_label(numbers[0], tables), "century"), tables.type("century")]
    return [tables.type("century" if len(numbers) < 2 else "date")]


def _decades(folded: str, keys: list[str], tables: Tables) -> list[Step]:
    """Read a decade: the 1980s, mid-1980s, la década de 1980; one without its century is only a decade."""
    years = [int(year) for year in DECADE.findall(folded)]
    if not years and tables.words("dates", "decade_words").intersection(keys):
        years = [int(key) for key in keys if key.isdecimal() and int(key) % 10 == 0]
        if not years and not tables.words("dates", "decade_names").intersection(keys):
            return []
    elif not years and not tables.words("dates", "decade_alone").intersection(keys):
        return []
    last = tables.type("decade")
    if len(years) > 1:
        return _decade_span(years, tables)
    if len(years) != 1 or not FIRST_YEAR <= years[0] <= LAST_YEAR:
        return [last]
    year = years[0]
    if year % 10:
        return []
    steps: list[Step] = [(decade_label(year, tables), "decade"), (century_label(year // 100 + 1, tables), "century")]
    return [*steps, tables.type("date" if year % 100 == 0 else "decade")]


def _decade_span(years: list[int], tables: Tables) -> list[Step]:
    """Return the steps of several decades: the 1980s and 1990s."""
    last = tables.type("date")
    if any(not FIRST_YEAR <= year <= LAST_YEAR or year % 10 for year in years):
        return [last]
    moment = DateSpan(min(years), max(years) + 9)
    return [*_decade_and_century(moment, tables), last]


_CLOCK: Final = re.compile(r"(\d{1,2})\s*(?:([:.h])\s*(\d\d)?|(?=\s*[aApP]\.?\s?[mM])|(?=\s*(?:Uhr|o['’]clock)))")


def recurring_steps(tokens: list[Token], phrase: str, tables: Tables) -> list[Step]:
    """Return the steps of what recurs: weekdays, months, seasons, holidays, times of day."""
    lexicon = Lexicon.load(tables.language)
    keys = [token.key for token in tokens]
    flags = lexicon.flags(phrase.strip())
    for token in tokens:
        flags |= lexicon.flags(token.text)
    if clock := _time(phrase, keys, tables):
        return clock
    if flags & Cue.HOLIDAY and not _is_holiday(phrase, tokens, lexicon):
        return []
    if flags & Cue.HOLIDAY and (any(sign.isupper() for sign in phrase) or tables.flag("dates", "small_holidays")):
        name = "occasion" if tables.words("dates", "no_holiday").intersection(keys) else "holiday"
        return [(tables.text("dates", name), "holiday"), tables.type("date")]
    if flags & Cue.WEEKDAY and not any(token.text.isdecimal() for token in tokens):
        days = [key for key in keys if lexicon.flags(key.capitalize()) & Cue.WEEKDAY]
        if len(days) != 1:
            return [tables.type("date")]
        kinds = (("workday", "workdays"), ("weekend", "weekend_days"))
        names = [name for name, listed in kinds if days[0] in tables.words("dates", listed)]
        return [*((tables.text("dates", name), "weekday") for name in names[:1]), tables.type("weekday")]
    if flags & Cue.MONTH and len(tokens) == 1:
        return [tables.type("month")]
    if flags & Cue.SEASON and not any(token.text.isdecimal() for token in tokens) and len(tokens) <= 2:
        return [tables.type("season")]
    return []


def _is_holiday(phrase: str, tokens: list[Token], lexicon: Lexicon) -> bool:
    """Return whether nothing but the name of a holiday stands there: not Saving Christmas."""
    known = int(Cue.HOLIDAY | Cue.STOP | Cue.DETERMINER | Cue.TIME_MODIFIER | Cue.DAYPART)
    return bool(lexicon.flags(phrase) & Cue.HOLIDAY) or all(lexicon.flags(token.text) & known for token in tokens)


def _time(phrase: str, keys: list[str], tables: Tables) -> list[Step]:
    """Read a time of day; the part of the day is said where 12 and 24 hours cannot be confused."""
    match = _CLOCK.match(phrase.strip())
    if not match or int(match[1]) > 24 or (match[2] == "." and "uhr" not in keys):
        return []
    hour, last = int(match[1]), tables.type("time")
    several = len([key for key in keys if key.isdecimal()]) > 2
    if match[2] == "h" and not match[3] and tables.text("dates", "clock24") != "h":
        return []
    if several:
        return [last]
    if tables.words("dates", "afternoon").intersection(keys):
        hour = hour % 12 + 12
    elif tables.words("dates", "morning").intersection(keys):
        hour %= 12
    elif 1 <= hour <= 12:
        return [last]
    if str(hour) in tables.words("dates", "unsure_hours"):
        return [last]
    parts = tables.content["dates"]["day_parts"]
    return [(parts[hour % 24 // 6], "part of the day"), last]
