"""Compute the ladders of money, measures and durations: ranges in the same unit, then what is measured."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from decimal import Decimal
from functools import cache
from typing import Final

from embanon.language import Cue, Lexicon, fold_name, is_known_noun, is_plural, noun_gender
from embanon.taxonomy.ladders.numerals import (
    MORE,
    ParsedNumber,
    count_steps,
    find_number,
    number_steps,
    percentage_steps,
)
from embanon.taxonomy.ladders.tables import Step, Tables, section_labels

_BRACKETS: Final = re.compile(r"\s*\([^()]*\)\s*$")
LEAST_BARE_SUM, LEAST_WITH_CENTS = 1000, 100
SCALES_BEHIND: Final[Mapping[str, int]] = {"m": 6, "mi": 6, "bi": 9, "bn": 9, "k": 3}
"""What letters behind a sum multiply it by, as powers of ten: $97.5M, R$ 20 mi."""
_SCALED: Final = re.compile(r"[ \u00a0]?(?:[kKmM]|mi|bi|bn)\b")
_NO_CENTS: Final = re.compile(r"^[.,](?:-|–|—)|^\.$")
"""What stands for cents where there are none: 12,- €, Fr. 80.–; the period of CHF 10 Mio."""
_CENTS: Final = re.compile(r"\d[.,]\d\d$")
_BARE_RANGE: Final = re.compile(r"\d+\s?[-–]\s?\d+")
"""A score or a record: 289–296."""
_SIGN: Final = re.compile(r"[£$€]")
_YEAR: Final = re.compile(r"(?:19|20)\d\d")
SCALES_OF_SIGNS: Final = frozenset("kKM")
_THINGS: Final = re.compile(r"[^\W\d_]+(?:[ -][^\W\d_]+){0,2}")
LEAST_SEVERAL, LEAST_MANY = 3, 10
"""Things from which on there are more than several."""
LONGEST_PERIOD: Final = 2
"""Words of for how long a sum is."""
DOZEN, MANY = 12, 20
"""Units of time that are no longer several; those that are rounded."""
_RATE: Final = re.compile(r"[^\W\d]+\s?/\s?[^\W\d]+")


def money_steps(phrase: str, tables: Tables) -> list[Step]:
    """Return the steps of an amount of money, in its own currency."""
    last = tables.type("money")
    phrase = _BRACKETS.sub("", phrase)
    number = find_number(phrase, tables)
    if number is None or number.has_others:
        return [last if not _BARE_RANGE.fullmatch(phrase) else tables.type("number")]
    before, after = phrase[: number.start], _NO_CENTS.sub("", phrase[number.end :])
    match = _SCALED.match(after) if before.strip() else None
    if match:
        number, after = _multiplied(number, match[0]), after[match.end() :]
    after, period = _split_period(after, tables)
    if before.strip() and after.strip():
        return [last]
    sign = before.strip() or after.strip()
    least = LEAST_WITH_CENTS if _CENTS.search(phrase[: number.end]) else LEAST_BARE_SUM
    if not sign and number.value >= least:  # of a table whose head says the currency
        return [*number_steps(number, tables, f"{{}}{period}", counted=False), last]
    unit = _currency(sign, tables)
    is_weight = before.strip() and sign.islower()  # Spanish `peso 135 kg` weighs
    if not unit or is_weight or _YEAR.fullmatch(phrase[number.start : number.end]):  # in 2017 dollars
        return [last]
    frame = f"{escape_braces(before)}{{}}" if before.strip() else f"{{}} {escape_braces(after.strip())}"
    frame += period
    if number.value < 1:
        return [last]
    if number.value < 2 and not before.strip() and not sign.isupper() and sign.isalpha():
        return [last]  # one dollar: a range needs the plural
    plural = unit.removeprefix("de ") if number.value >= 2 and not match and not period else ""
    steps = number_steps(number, tables, frame, plural, counted=False)
    return [*steps, last]


def _multiplied(number: ParsedNumber, letters: str) -> ParsedNumber:
    """Return a number with the letters behind it that multiply it."""
    scale = Decimal(10) ** SCALES_BEHIND[letters.strip().lower()]
    return replace(number, value=number.value * scale, scale=number.scale * scale, scale_text=letters)


def _split_period(after: str, tables: Tables) -> tuple[str, str]:
    """Split off for how long a sum is: € im Monat, euros a month."""
    words = after.split()
    for size in range(1, min(len(words), LONGEST_PERIOD) + 1):
        if fold_name(words[-1].strip(".")) in _units(tables):
            kept = " ".join(words[:-size])
            if not kept or _currency(kept, tables):
                return kept, escape_braces(f" {' '.join(words[-size:])}")
    return after, ""


def is_sum(phrase: str) -> bool:
    """Return whether a number is one of money, whatever it was taken for: $97.5M."""
    return bool(_SIGN.search(phrase))


def escape_braces(text: str) -> str:
    """Keep braces of a phrase from being read as a form."""
    return text.replace("{", "{{").replace("}", "}}")


def _currency(sign: str, tables: Tables) -> str:
    """Return the plural of a currency by its sign or code, or the words that name it."""
    names: Mapping[str, str] = tables.content.get("currencies", {})
    if sign[:1] in SCALES_OF_SIGNS and sign[1:] in names:
        return str(names[sign[1:]])  # 86 M€
    if sign in names:
        return str(names[sign])
    words = fold_name(sign).split()
    lexicon = Lexicon.load(tables.language)
    if 1 <= len(words) <= 3 and sign == sign.strip() and lexicon.flags(words[-1]) & Cue.CURRENCY:
        return sign if sign.islower() or len(sign) > 3 else ""
    if 1 <= len(words) <= 3 and lexicon.flags(words[0]) & Cue.CURRENCY and len(sign) > 3:
        return sign
    return ""


def dimension(unit: str, tables: Tables) -> str:
    """Return the label of what a unit measures; empty where that is not known."""
    key = fold_name(unit.strip(" .-‑"))
    labels = section_labels(tables, "dimensions")
    return next((labels[form] for form in (key, key.replace(" ", ""), f"{key}s") if labels.get(form)), "")


def is_rate(phrase: str) -> bool:
    """Return whether a phrase is in so much for each: mg/day is no duration."""
    return bool(_RATE.search(phrase))


def measure_steps(phrase: str, tables: Tables, after: str = "") -> list[Step]:
    """Return the steps of a number with a unit; one that is for each of something else is no length or weight."""
    if fold_name(after.partition(".")[0]).lstrip().startswith(tuple(tables.words("numbers", "each"))):
        return [tables.type("measure")]
    number, last = find_number(phrase, tables), tables.type("measure")
    unit = phrase[number.end :].strip() if number and not phrase[: number.start].strip() else ""
    if number is None or number.has_others or not unit:
        words = unit.split()[:1] or phrase.split()[-1:]
        what = dimension(words[0], tables) if words else ""
        return [(what, "dimension"), last] if what else [last]
    what = dimension(unit, tables)
    if fold_name(unit) in tables.words("numbers", "percent_words"):
        return percentage_steps(phrase, tables)
    if not what:
        return [last]
    joint = phrase[number.end : number.end + 1] if phrase[number.end : number.end + 1] in ("-", "‑") else " "
    singular = number.value < 2 and len(unit) > 3 and unit.isalpha() and not unit.endswith("s")
    if joint != " " or unit != unit.strip("-‑") or singular:
        return [(what, "dimension"), last]
    steps = number_steps(number, tables, f"{{}} {escape_braces(unit)}", counted=False)
    return [*steps, (what, "dimension"), last]


def count_or_measure_steps(phrase: str, tables: Tables, after: str = "") -> list[Step]:
    """Return the steps of a number that may have a unit: `1.80 m` may be found as a count."""
    number = find_number(phrase, tables)
    if number and not phrase[: number.start].strip() and dimension(phrase[number.end :], tables):
        return measure_steps(phrase, tables, after)
    return count_steps(phrase, tables)


def things_steps(phrase: str, tables: Tables) -> list[Step]:
    """Return the steps of a number of things that are said with it: forty pickup trucks; nothing where one is named."""
    last, number = tables.type("number"), find_number(phrase, tables)
    things = phrase[number.end :].strip() if number else ""
    if number is None or number.has_others or phrase[: number.start].strip() or not _THINGS.fullmatch(things):
        return [last]
    are_things = things.islower() or (tables.flag("nouns", "capitalized") and all(map(_is_thing, things.split())))
    if number.value < LEAST_SEVERAL or not are_things:
        return [last]
    if number.value < LEAST_MANY:
        return [(_several(things, noun_gender(things.split()[0], tables.language), tables), "several"), last]
    return [*number_steps(number, tables, f"{{}} {things}", counted=False), last]


def _is_thing(word: str) -> bool:
    """Return whether a German word is no name."""
    return word.islower() or is_known_noun(word, "de") or is_plural(word, "de")


def _several(plural: str, gender: str, tables: Tables) -> str:
    """Return several things, in their gender."""
    form = tables.text("durations", "several_feminine") if gender == "f" else ""
    return (form or tables.text("durations", "several")).format(unit=plural)


@cache
def _units(tables: Tables) -> dict[str, str]:
    """Return the plural of each unit of time by its forms."""
    plurals = {}
    for entry in tables.text("durations", "plurals").split():
        plural, _, forms = entry.partition("=")
        plurals.update({fold_name(form): plural for form in (*forms.split(","), plural)})
    return plurals


def has_time_unit(phrase: str, tables: Tables) -> bool:
    """Return whether a phrase names a unit of time."""
    return any(fold_name(word) in _units(tables) for word in re.findall(r"[^\W\d_]+", phrase))


def duration_steps(phrase: str, tables: Tables) -> list[Step]:
    """Return the steps of a period of time."""
    last = tables.type("duration")
    number = find_number(phrase, tables)
    words = [fold_name(word) for word in re.findall(r"[^\W\d_]+", phrase)]
    units = [word for word in words if word in _units(tables)]
    if number is None or number.has_others or len(units) != 1 or phrase[: number.start].strip():
        return [last]
    rest = phrase[number.end :].strip(" '’.").lower()
    if fold_name(rest) != units[0] or number.value < 2:
        return [last]
    plural = _units(tables)[units[0]]
    rungs: list[Step] = []
    steps = number_steps(number, tables, f"{{}} {plural}", counted=False)
    if number.value >= MANY:
        rungs = [step for step in steps if step[1] != "magnitude"]
        if not rungs:  # thirty years are many
            form = "many_feminine" if _gender(plural, tables) == "f" else "many"
            rungs.append(((tables.text("durations", form) or "{unit}").format(unit=plural), "several"))
    elif number.value >= DOZEN:
        rungs = [step for step in steps if step[1] in (MORE, "range")]
    elif number.value >= LEAST_SEVERAL:
        rungs.append((_several(plural, _gender(plural, tables), tables), "several"))
    return [*rungs, (plural, "unit"), last]


def _gender(plural: str, tables: Tables) -> str:
    return "f" if plural in tables.words("durations", "feminine") else "m"
