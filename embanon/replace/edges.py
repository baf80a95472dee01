"""What goes with a phrase that is replaced: the weekday before a date, the unit of an age, its genitive, its period."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Final

from embanon.document import Phrase
from embanon.replace.attributes import APPOSITION, LEFT_OUT, end_of_quotation
from embanon.replace.grammar import FittedLabel
from embanon.taxonomy import find_number, load_tables

ENDS_SENTENCE: Final = re.compile(r"\s*$|\n| [A-Z]")
BEGINS_SENTENCE: Final = re.compile(r"[ \u00a0][A-ZÀ-Þ][a-zß-ÿ]*[ \u00a0,]")
ORDINAL_PERIOD: Final = re.compile(r"\.(?:[,;:)\d–-]| [a-zäöüß(])")
AGE_UNITS: Final = {
    "es": re.compile(r"[ \u00a0]?[aA]\.?(?=[ \t]*(?:[,;:)\n]|$)|[ \t]{2}| que\b)"),
    "pt": re.compile(r"[ \u00a0]?[aA]\.?(?=[ \t]*(?:[,;:)\n]|$)|[ \t]{2})"),
    "de": re.compile(r"[ \u00a0]?J\.?(?=[ \t]*(?:[,;:)\n]|$)|[ \t]{2})"),
    "en": re.compile(r"[ \u00a0]?(?:yo|y/o|yrs?)(?![\w-])"),
}
"""The abbreviated unit behind a bare age: 71 a, 29 J."""
CLOCK_UNIT: Final = re.compile(r"[ \u00a0]?(?:hrs?|h|Uhr|horas?)(?![\w.])")
CLOCK: Final = re.compile(r"\d{1,2}[:.hH]\d\d$")
WEEKDAY: Final = re.compile(r"(?:^|(?<=[\s(:]))([^\W\d_]{2,9})(?:\.,?|,) $")
NO_PREPOSITION: Final = re.compile(r"(?:^|[\n:;(,.–-]|  )[ \t]*$")
"""Before a weekday that no preposition holds."""
ABOUT: Final = re.compile(r"(?:about|etwa|un[oa]s|cerca de) (?=\d|[£$€])")
ABOUT_BEFORE: Final = re.compile(
    r"(?:\bca?\.|\b(?:circa|approx\.?|about|around|rund|etwa|aprox\.?|alrededor de|cerca de|un[oa]s))[ \u00a0]?$",
    re.IGNORECASE,
)


def end_with_unit(text: str, end: int, type: str, kind: str, language: str) -> int:
    """Return where what is replaced ends, with the unit or the period of its legal form that is behind it."""
    if type == "ORG" and text[end : end + 1] == "." and text[end + 1 : end + 2] in (",", ";", ")"):
        return end + 1
    if kind in ("DEM.age", "QUANTITY.count") and text[end - 1].isdecimal():
        match = AGE_UNITS[language].match(text, end) if language in AGE_UNITS else None
    else:
        match = CLOCK_UNIT.match(text, end) if type == "DATETIME" and CLOCK.search(text, max(0, end - 5), end) else None
    return match.end() if match else end


def start_of_weekday(text: str, free: int, start: int, is_weekday: Callable[[str], bool]) -> int:
    """Return where the weekday before a date begins: Fr., 07.10.2022; where there is none, the date."""
    match = WEEKDAY.search(text, max(free, text.rfind("\n", 0, start) + 1), start)
    is_free = (
        match and is_weekday(match[1]) and NO_PREPOSITION.search(text[max(free, match.start() - 3) : match.start()])
    )
    return match.start() if match and is_free else start


def without_second_about(text: str, start: int, replacement: str) -> str:
    """Return a rounded number without its *about* where one stands before it: ca. 7,000."""
    return ABOUT.sub("", replacement, count=1) if ABOUT_BEFORE.search(text[max(0, start - 16) : start]) else replacement


def end_of_address(text: str, end: int, written: str) -> int:
    """Return where an address ends: with its ground floor (4, r/c), without the preposition behind it (44, a)."""
    if written.endswith((", r", " r")) and GROUND_FLOOR.match(text, end):
        return end + len("/c")
    match = PREPOSITION_BEHIND.search(written)
    return end - len(match[0]) if match else end


def end_in_words(text: str, end: int, language: str) -> int:
    """Return where a sum ends that stands behind it once more in words: 780 € (setecentos e oitenta euros)."""
    match, tables = IN_WORDS.match(text, end), load_tables(language)
    number = find_number(match[1], tables) if match and tables else None
    is_sum = match and number and number.start == 0 and not number.has_others and number.value >= LEAST_IN_WORDS
    return match.end() if match and is_sum else end


GROUND_FLOOR: Final = re.compile(r"/c(?!\w)")
PREPOSITION_BEHIND: Final = re.compile(r",? (?:a|y|e|o|de|en|em|and|und|in)$")
IN_WORDS: Final = re.compile(r"[ \u00a0]\(([^\W\d_][^()\d\n]{5,90})\)")
LEAST_IN_WORDS: Final = 20
MAGNITUDE: Final = "magnitude"
OVER: Final = re.compile(r"\b(?:über|over|more than|mehr als|más de|mais de) $")
MORE_THAN: Final = re.compile(r"(?:mehr als|more than|más de|mais de) ")
LONE_INITIAL: Final = re.compile(r"(?:^|[ .])[^\W\d_]$")
INITIAL_GOES_ON: Final = re.compile(r"\.[,;:)]")
RANGE_INSIDE: Final = re.compile(
    r"\d\.?\s?(?:al?|até|bis|to|e|y|and|und|\s[–-]\s)\s?(?:el |ao? |zum )?(?:[^\W\d_]{3,10} (?:de )?)?\d"
)
RANGE_OPENS: Final = re.compile(
    r"\b(between|from|entre|del?|desde(?: el)?|von|vom|zwischen)( (?:dem )?)$", re.IGNORECASE
)
MOMENT_IN: Final = {"en": "in", "es": "en", "pt": "em", "de": "im"}
SEVERAL_MOMENTS: Final = re.compile(r"–| (?:to|bis|y|e|and|until|a finales|a principios|a mediados|ao|até|und|al?) ")


def as_one_moment(text: str, phrase: Phrase, start: int, label: str, free: int, language: str) -> tuple[int, str]:
    """Return where a range of days begins that became one month, and how it reads: between 3 and 9 May is in May."""
    if not RANGE_INSIDE.search(text, phrase.start, phrase.end) or SEVERAL_MOMENTS.search(label) or "[" in label:
        return start, label
    match = RANGE_OPENS.search(text, max(free, phrase.start - 16), phrase.start)
    if not match or (start < phrase.start and not label.lower().startswith("de ")):
        return start, label
    bare = label.removeprefix("de ").removeprefix("De ")
    word = MOMENT_IN.get(language, "in")
    if language == "pt" and bare.startswith(("a ", "o ")):
        word, bare = f"n{bare[0]}", bare[2:]
    elif language == "es" and bare.startswith(("principios", "mediados", "finales")):
        word = "a"
    elif language == "de" and bare.startswith("die "):
        word, bare = "in", f"den {bare.removeprefix('die ')}n"
    elif language == "de" and bare.startswith(("Anfang", "Mitte", "Ende")):
        return match.start(), bare
    word = word.capitalize() if match[1][:1].isupper() else word
    return match.start(), f"{word} {bare}"


ACRONYM: Final = re.compile(r" \([\"“]?([A-ZÀ-Þ][A-ZÀ-Þa-z.&]{1,9})[\"”]?\)")


def end_of_acronym(text: str, start: int, end: int) -> int:
    """Return where the acronym ends that stands in brackets behind the name that it is short for."""
    match = ACRONYM.match(text, end)
    if not match or (text[match.start(1) - 1] != "(" and text.find(match[1], match.end()) >= 0):
        return end  # “LAB” is what it is called from here on
    initials = iter(re.findall(r"(?<!\w)\w", text[start:end].lower()))
    letters = [letter for letter in match[1] if letter.isupper()]
    return match.end() if len(letters) > 1 and all(letter.lower() in initials for letter in letters) else end


def end_of_weekday(text: str, start: int, end: int, label: str) -> int:
    """Return where a German date ends whose comma goes with its weekday: am Mittwoch, dem 12. Juni, ist."""
    is_apposed = WEEKDAY_AHEAD.match(text, start) and GOES_ON_SMALL.match(text, end) and "," not in label
    return end + 1 if is_apposed else end


GOES_ON_SMALL: Final = re.compile(r", [a-zäöü]")
WEEKDAY_AHEAD: Final = re.compile(r"(?:[Aa]m )?[A-Z][a-z]+(?:tag|woch|abend), (?:de[mn] )?\d")


def genitive_of(text: str, end: int, name: str, language: str) -> tuple[str, int]:
    """Return the genitive that a number has where its name has one, and the signs behind the name that it takes."""
    if not name.endswith("s"):
        return "", 0
    if text[end : end + 1] in ("'", "’") and text[end + 1 : end + 2] == " " and language in ("en", "de"):
        return ("'s" if language == "en" else "s"), 1  # Burgess' bicycle
    is_genitive = BEFORE_NOUN.match(text, end) or (
        NOUN_BEHIND.match(text, end) and re.search(rf"\b{re.escape(name[:-1])}\b", text)
    )
    return ("s" if language == "de" and is_genitive else ""), 0


NOUN_BEHIND: Final = re.compile(r"[ \u00a0][A-ZÄÖÜ][a-zäöüß]{2,}")
BEFORE_NOUN: Final = re.compile(r"[ \u00a0][A-ZÄÖÜ][a-zäöüß]{2,} (?:wurde|war|steht|stand|liegt)\b")
"""What stands behind a German genitive, and not behind a first name."""


@dataclass(frozen=True, slots=True)
class Edges:
    """Sees in a text of one language what goes with its phrases."""

    text: str = field(repr=False)
    language: str
    is_weekday: Callable[[str], bool] = field(repr=False, compare=False)

    def fit(self, phrase: Phrase, fitted: FittedLabel, free: int) -> tuple[FittedLabel, int]:
        """Return what stands for a phrase, and where it ends, with what goes with it; before `free` nothing may go."""
        text, start = self.text, fitted.start
        if phrase.type == "DATETIME" and any(map(str.isdecimal, text[phrase.start : phrase.end])):
            start = start_of_weekday(text, free, start, self.is_weekday)
        label = without_second_about(text, start, fitted.text)
        if MORE_THAN.match(label) and (about := ABOUT_BEFORE.search(text, max(free, start - 16), start)):
            start = about.start()  # ca. 18.000 € is mehr als 10.000 €
        if fitted.rung == MAGNITUDE and (over := OVER.search(text, max(free, start - 16), start)):
            start = over.start()  # über neun Millionen Mal is Millionen Mal
        if phrase.type == "DATETIME":
            start, label = as_one_moment(text, phrase, start, label, free, self.language)
        if fitted.rung in (LEFT_OUT, APPOSITION):
            comma = len(",") * (fitted.rung == APPOSITION)
            end = end_of_quotation(text, phrase.start, phrase.end) if fitted.start < phrase.start else phrase.end
            return fitted, end + comma
        end = end_with_unit(text, phrase.end, phrase.type, phrase.kind, self.language)
        if phrase.type == "DATETIME" and self.language == "de":
            end = end_of_weekday(text, phrase.start, end, label)
        written = text[phrase.start : phrase.end]
        if written.count("(") > written.count(")") and text[end : end + 1] == ")":
            end += 1
        if phrase.kind == "DEM.age" and not text[end - 1].isdecimal() and INITIAL_GOES_ON.match(text, end):
            end += 1  # 34 a., NIE
        if phrase.type == "LOC" and end == phrase.end:
            end = end_of_address(text, end, written)
        if phrase.type == "QUANTITY":
            end = end_in_words(text, end, self.language)
        if phrase.type == "PERSON" and LONE_INITIAL.search(written) and INITIAL_GOES_ON.match(text, end):
            end += 1  # dr. b., hat
        is_called = self.language == "en" and phrase.type == "PERSON" and phrase.form in ("name", "title")
        if fitted.rung == "person" or (is_called and not label.endswith("s")):
            ending, taken = genitive_of(text, end, text[phrase.start : phrase.end], self.language)
            return replace(fitted, start=start, text=f"{label}{ending}"), end + taken
        is_named = phrase.type in ("ORG", "MISC") and phrase.form in ("name", "title")
        if (is_named or phrase.kind == "DEM.illness") and fitted.rung != "substitute":
            end = end_of_acronym(text, phrase.start, end)
        end = end if end > phrase.end else end + shift_of_period(text, phrase, label)
        return replace(fitted, start=start, text=label), end


def shift_of_period(text: str, phrase: Phrase, label: str) -> int:
    """Return 1 if the period behind a date is that of its month (am 30.10. um acht), -1 if its last ends a sentence."""
    if phrase.type == "ORG" and text[phrase.end - 1] == "." and BEGINS_SENTENCE.match(text, phrase.end):
        return -1
    written_period = phrase.type == "DATETIME" and text[phrase.end - 1] == "." and label[-1:] != "."
    written_period &= not text.startswith("  ", phrase.start - 2)  # 26.01. in a cell of a table
    if written_period and ENDS_SENTENCE.match(text, phrase.end):
        return -1
    is_ordinal = phrase.type == "DATETIME" and text[phrase.end - 1].isdecimal() and not label[-1:].isdecimal()
    return is_ordinal and bool(ORDINAL_PERIOD.match(text, phrase.end))
