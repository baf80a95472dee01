"""Read a date into its parts: which of its words are years, months, days and weekdays; and name others like them."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import cache
from typing import Final

from embanon.language.lexicon import Cue, Lexicon, fold
from embanon.substitutes.words import like
from embanon.taxonomy.ladders.dates import ENDINGS, MARKS, month_numbers, year_of
from embanon.taxonomy.ladders.tables import Tables, Token, tokens_of

Changes = dict[int, str]
"""The place of a token -> what stands there instead."""
KNOWN: Final = int(
    Cue.MONTH | Cue.WEEKDAY | Cue.STOP | Cue.CONNECTOR | Cue.DETERMINER | Cue.SEASON | Cue.TIME_MODIFIER | Cue.HOLIDAY
    | Cue.DAYPART
)  # fmt: skip
"""What may stand in a date beside its numbers."""
FRIDAY: Final = 4
SHORT: Final = 4
"""Letters of a name of a month that is shortened."""
NUMBERED: Final = int(Cue.ORDINAL_WORD | Cue.NUMBER_WORD)
WEEKDAYS: Final = {
    "en": ("monday tuesday wednesday thursday friday saturday sunday", "mon tue wed thu fri sat sun"),
    "es": ("lunes martes miércoles jueves viernes sábado domingo", "lun mar mié jue vie sáb dom"),
    "pt": (
        "segunda-feira terça-feira quarta-feira quinta-feira sexta-feira sábado domingo",
        "seg ter qua qui sex sáb dom",
    ),
    "de": ("montag dienstag mittwoch donnerstag freitag samstag sonntag", "mo di mi do fr sa so"),
}
"""Names of weekdays from Monday on, and their short forms."""
_WITH_WOMEN: Final = "na a à da numa uma pela esta essa nesta nessa desta última próxima".split()
_WITH_MEN: Final = "no o ao do num um pelo este esse neste nesse deste último próximo".split()
_BEFORE: Final = re.compile(r"(?:^|(?<=\W))(\w+)(\s+)$")


@dataclass(frozen=True, slots=True)
class Reading:
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
    def of(written: str, known: Tables) -> Reading:
        """Read a date."""
        tokens = tokens_of(written)
        names = weekdays_of(known.language)
        weekdays = {place: names[token.key] for place, token in enumerate(tokens) if token.key in names}
        months = [place for place, token in enumerate(tokens) if token.key in month_numbers(known)]
        if len(months) > 1 or not months:  # mar is Tuesday's and March's
            months = [place for place in months if place not in weekdays]
        years = [place for place, token in enumerate(tokens) if year_of(token)]
        days = [
            place for place, token in enumerate(tokens)
            if token.text.isdecimal() and len(token.text) <= 2 and 1 <= int(token.text) <= 31
        ]  # fmt: skip
        weekdays = {place: day for place, day in weekdays.items() if place not in months}
        return Reading(written, known, tokens, years, months, days, weekdays)

    def month(self, place: int) -> int:
        """Give the number of a month."""
        return month_numbers(self.tables)[self.tokens[place].key]

    def number(self, place: int) -> int:
        """Give a number in digits."""
        return int(self.tokens[place].text)

    def rewritten(self, changes: Changes) -> str:
        """Write the date with other tokens in some places."""
        parts, last = list[str](), 0
        for place, token in enumerate(self.tokens):
            parts += (self.written[last : token.start], changes.get(place, token.text))
            last = token.end
        return "".join((*parts, self.written[last:]))


@cache
def weekdays_of(language: str) -> dict[str, tuple[int, str]]:
    """Give the number and the shape of each form of a weekday's name."""
    found: dict[str, tuple[int, str]] = {}
    for shape, names in zip(("full", "short"), WEEKDAYS.get(language, ("", "")), strict=True):
        for number, name in enumerate(names.split()):
            found[fold(name)] = number, shape
            if shape == "full" and not name.endswith("s"):
                found[fold(f"{name}s")] = number, "plural"
    return found


def weekday_name(read: Reading, place: int, number: int) -> str:
    """Give the name of a weekday in the form of another."""
    full, short = (names.split() for names in WEEKDAYS.get(read.tables.language, ("", "")))
    shape = read.weekdays[place][1]
    name = (short if shape == "short" else full)[number]
    return like(read.tokens[place].text, f"{name}s" if shape == "plural" and not name.endswith("s") else name)


def agreeing(before: str, written: str, made: str) -> tuple[str, str]:
    """Give the word before a Portuguese date, and one that agrees with its weekday if that has another gender now.

    Saturday and Sunday are masculine, the others feminine: na terça-feira, no sábado.
    """
    was, now = (_is_weekend(one) for one in (written, made))
    found = _BEFORE.search(before)
    if was is None or now is None or was == now or not found:
        return "", ""
    old, new = (_WITH_MEN, _WITH_WOMEN) if was else (_WITH_WOMEN, _WITH_MEN)
    if found[1].lower() not in old:
        return "", ""
    return found[0], like(found[1], new[old.index(found[1].lower())]) + found[2]


def _is_weekend(written: str) -> bool | None:
    """Say whether a Portuguese date begins with Saturday or Sunday; `None` where with no weekday."""
    number = next((day for name, (day, _) in weekdays_of("pt").items() if re.match(rf"{name}\b", fold(written))), None)
    return None if number is None else number > FRIDAY


def month_name(read: Reading, place: int, number: int) -> Changes:
    """Give the name of a month in the form of another: in full or short, with its capitals."""
    full = read.tables.text("dates", "months").split()
    short = read.tables.text("dates", "short").split()[: len(full)]
    token = read.tokens[place]
    is_short = token.key not in map(fold, full) and len(token.key) <= SHORT
    name = (short if is_short else full)[number - 1]
    found = {place: like(token.text, name)}
    period = place + 1 < len(read.tokens) and read.tokens[place + 1].text == "."
    if is_short and period and fold(name) in map(fold, full):  # May is not shortened
        found[place + 1] = ""
    return found


def is_known(read: Reading) -> bool:
    """Say that nothing stands in a date that is not understood, and that it says more than a season or holiday."""
    lexicon = Lexicon.load(read.tables.language)
    words = read.tables.words("dates", "year_words")
    unbounded = read.tables.words("dates", "before_christ")
    for token in read.tokens:
        flags = lexicon.flags(token.text)
        if token.text.isdecimal() or token.text in MARKS or token.key in ENDINGS:
            continue
        if token.key in unbounded or (flags & NUMBERED and not flags & (Cue.MONTH | Cue.WEEKDAY)):
            return False
        if not (flags & KNOWN or token.key in words or token.key in weekdays_of(read.tables.language)):
            return False
    return bool(read.years or read.months or read.weekdays)
