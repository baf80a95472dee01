"""Read numbers in digits and words, and compute their ladders: about, between, tens of thousands."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from decimal import ROUND_HALF_UP, Decimal
from functools import cache
from typing import Final

from embanon.language import fold_name, noun_gender
from embanon.taxonomy.ladders.tables import Step, Tables, parse_pairs, parse_words

LARGEST: Final = Decimal(10) ** 15
_PIECE: Final = re.compile(r"\d(?:[\d.,'’\u00a0]*\d)?|\.\d+|[^\W\d_]+\.?|[^\w\s]")
_GOES_ON: Final = re.compile(r"[ \u00a0.,]?\d|\s?[²³]")
_BEGAN: Final = re.compile(r"\d[ \u00a0.,)/]?$")
_ORDINAL: Final = re.compile(r"\d{1,4}(?:st|nd|rd|th|[ºª°])")
_ENGLISH: Final = re.compile(r"[1-9]\d{0,2}(?:,\d{3})+\.\d{2}")
_PLAIN: Final = re.compile(r"0|[1-9]\d*")


@dataclass(frozen=True, slots=True)
class ParsedNumber:
    """A number, and where it stands in its phrase; `others` says that there are more numbers."""

    value: Decimal = field(repr=False)
    start: int
    end: int
    has_others: bool = False
    scale: Decimal = Decimal(1)
    """What a word behind the digits multiplies them by."""
    scale_text: str = ""
    """That word, with what stands before it."""

    def write(self, value: Decimal, tables: Tables) -> str:
        """Write another value as this number is written: in millions if it is."""
        return f"{format_number(value / self.scale, tables)}{self.scale_text}"


def is_ordinal(phrase: str) -> bool:
    """Return whether a phrase is an ordinal in digits: 4th."""
    return bool(_ORDINAL.fullmatch(phrase))


def is_truncated(before: str, after: str) -> bool:
    """Return whether a number goes on beyond its phrase: 400 of `400 000`, 3.55 km of `3.55 km²`."""
    return bool(_GOES_ON.match(after) or _BEGAN.search(before[-3:]))


def find_number(phrase: str, tables: Tables) -> ParsedNumber | None:
    """Find the one number of a phrase; `None` where there is none, or no single way to read it."""
    pieces = [(found[0], found.start(), found.end()) for found in _PIECE.finditer(phrase)]
    runs: list[list[int]] = []
    for place, (piece, _, _) in enumerate(pieces):
        if _is_number(piece, tables):
            if runs and runs[-1][-1] == place - 1:
                runs[-1].append(place)
            elif runs and _joins(pieces, runs[-1][-1], place, tables):
                runs[-1] += [*range(runs[-1][-1] + 1, place + 1)]
            else:
                runs.append([place])
    if not runs:
        return None
    run = runs[0]
    value = _value([pieces[place][0] for place in run], tables)
    if value is None or not 0 <= value < LARGEST:
        return None
    start, end = pieces[run[0]][1], pieces[run[-1]][2]
    power = tables.pairs("numbers", "scales").get(fold_name(pieces[run[-1]][0])) if len(run) == 2 else None
    if power and pieces[run[0]][0][-1:].isdecimal():
        return ParsedNumber(
            value, start, end, len(runs) > 1, Decimal(10) ** int(power), phrase[pieces[run[0]][2] : end]
        )
    return ParsedNumber(value, start, end, len(runs) > 1)


def _joins(pieces: list[tuple[str, int, int]], last: int, place: int, tables: Tables) -> bool:
    """Return whether number words go on after `and` or a hyphen: one hundred and five, twenty-eight."""
    between = fold_name(pieces[last + 1][0]) if place == last + 2 else ""
    joiner = between in tables.words("numbers", "joiner") or (between == "-" and tables.language == "en")
    return joiner and not pieces[last][0][-1:].isdecimal() and not pieces[place][0][:1].isdecimal()


def _is_number(piece: str, tables: Tables) -> bool:
    return (
        piece[-1:].isdecimal()
        or fold_name(piece) in _words(tables)
        or fold_name(piece) in tables.pairs("numbers", "scales")
    )


def _value(pieces: list[str], tables: Tables) -> Decimal | None:
    """Add up digits, number words and scales; `None` where they do not fit together."""
    total, current, started = Decimal(0), Decimal(0), False
    scales = tables.pairs("numbers", "scales")
    smallest = LARGEST  # what may still be added is smaller than the last word
    ceiling = LARGEST
    for piece in pieces:
        key = fold_name(piece)
        if piece[-1:].isdecimal():
            value = _digits(piece, tables)
            if value is None or started:
                return None
            current, started, smallest = value, True, Decimal(0)
        elif key in scales:
            scale = Decimal(10) ** int(scales[key])
            if scale >= ceiling:
                return None
            total += (current if started else Decimal(1)) * scale
            current, started, smallest, ceiling = Decimal(0), False, scale, scale
        elif key in tables.words("numbers", "hundred") and 1 <= current < 10 and started:
            current, smallest = current * 100, Decimal(100)
        elif key in _words(tables):
            value = Decimal(_words(tables)[key])
            if value >= smallest or (started and value == 0):
                return None
            current, started = current + value, True
            smallest = Decimal(100) if value >= 100 else Decimal(10) if value >= 20 and value % 10 == 0 else Decimal(0)
        elif key not in tables.words("numbers", "joiner") and key != "-":
            return None
    return total + current


def _digits(piece: str, tables: Tables) -> Decimal | None:
    """Read digits with their groups and decimals; leading zeros are of codes and of torn numbers."""
    decimal, group = tables.text("numbers", "decimal"), tables.text("numbers", "group")
    if len(piece) > 24:
        return None
    if not (decimal and group):  # of a language of which no more is known
        return Decimal(piece) if _PLAIN.fullmatch(piece) else None
    if decimal == "," and _ENGLISH.fullmatch(piece):  # as in Mexico: 8,500.00
        return Decimal(piece.replace(",", ""))
    groups = re.escape(group)
    if re.fullmatch(rf"[1-9]\d{{0,2}}(?:[{groups} \u00a0'’]\d{{3}})+(?:{re.escape(decimal)}\d+)?", piece):
        piece = re.sub(rf"[{groups} \u00a0'’]", "", piece)
    whole, mark, rest = piece.partition(decimal if decimal in piece else group)
    if mark == group and (tables.language == "en" or (len(rest) == 3 and whole != "0")):
        return None  # 3.500 with a group was read above; only English never writes 36,4
    if (whole and not _PLAIN.fullmatch(whole)) or (mark and not rest.isdecimal()):
        return None
    if not whole and not mark:
        return None
    return Decimal(f"{whole or 0}.{rest}") if mark else Decimal(whole)


@cache
def _words(tables: Tables) -> dict[str, int]:
    """Return the value of each number word; German ones are put together."""
    values = {word: value for value, word in enumerate(parse_words(tables.text("numbers", "units")))}
    values |= {word: 20 + 10 * place for place, word in enumerate(parse_words(tables.text("numbers", "tens")))}
    for name in ("hundreds", "variants"):
        values |= {word: int(value) for word, value in tables.pairs("numbers", name).items()}
    values |= dict.fromkeys(tables.words("numbers", "hundred"), 100)
    if tables.flag("numbers", "one_word"):
        _compounds(values)
    return values


def _compounds(values: dict[str, int]) -> None:
    """Add the German numbers that are written in one word, of which the years are the longest (changes `values`)."""
    ones = {word: value for word, value in values.items() if 1 <= value <= 9 and word not in ("eins",)}
    tens = {word: value for word, value in values.items() if 20 <= value <= 90 and value % 10 == 0}
    values |= {f"{unit}und{ten}": ones[unit] + tens[ten] for unit in ones for ten in tens}
    small = {word: value for word, value in values.items() if 0 < value < 100}
    teens = {word: value for word, value in small.items() if 11 <= value <= 19}
    for unit, value in {**ones, **teens, "": 1}.items():
        values[f"{unit}hundert"] = 100 * value
        values |= {f"{unit}hundert{word}": 100 * value + other for word, other in small.items()}
    for unit in ("", "ein", "zwei"):
        thousand = 1000 * max(ones.get(unit, 1), 1)
        values |= {f"{unit}tausend{word}": thousand + other for word, other in small.items()}


FIRST_TWO_DIGITS: Final = (18, 19, 20)
"""What a year in two numbers begins with: nineteen eighty-one."""
LEAST_SHORT_YEAR: Final = 32
"""The least number that without a century is a year, and no day."""
SPOKEN_YEARS: Final = (1500, 2100)


def year_in_words(phrase: str, tables: Tables, *, has_month: bool) -> tuple[int, int, int] | None:
    """Return the year that the number words of a phrase say, and where they stand; `None` where they say none.

    Of November eighty-one or the winter of seventy-four it is the one that people mean: of the last century, but for
    the first years of this one, which are only told behind a month.
    """
    if any(map(str.isdigit, phrase)):
        return None
    pieces = [(found[0], found.start(), found.end()) for found in _PIECE.finditer(phrase)]
    places = [place for place, (piece, _, _) in enumerate(pieces) if _is_number(piece, tables)]
    if not places:
        return None
    run = pieces[places[0] : places[-1] + 1]
    words = [piece for piece, _, _ in run]
    value = _value(words, tables)
    for cut in range(1, len(words) if value is None else 1):
        century, rest = _value(words[:cut], tables), _value(words[cut:], tables)
        if century in FIRST_TWO_DIGITS and rest is not None and 10 <= rest < 100:
            value = century * 100 + rest
    if value is None:
        return None
    year = int(value)
    if LEAST_SHORT_YEAR <= year < 100 and (has_month or year % 10):  # forty is no year by itself
        year += 1900
    elif has_month and tables.language != "en" and 10 <= year < LEAST_SHORT_YEAR:  # May twelve is a day
        year += 2000
    return (year, run[0][1], run[-1][2]) if SPOKEN_YEARS[0] <= year < SPOKEN_YEARS[1] else None


def format_number(value: Decimal, tables: Tables) -> str:
    """Write a number as the language groups its digits."""
    text = f"{int(value):,}" if value == int(value) else f"{value.normalize():,f}"
    swap = {",": tables.text("numbers", "group"), ".": tables.text("numbers", "decimal")}
    return "".join(swap.get(sign, sign) for sign in text)


MORE: Final = "more"
"""The kind of a step that says what is less: more than 20."""
LEAST_PLURAL: Final = 2
"""The least number behind *more than* whose unit is a plural."""
LEAST_LARGE: Final = 1000
"""From here on a first digit alone says too little."""


def power_of_ten(value: Decimal) -> Decimal:
    """Return the power of ten of the first digit."""
    return Decimal(10) ** value.adjusted()


def first_digit_range(value: Decimal) -> tuple[Decimal, Decimal] | None:
    """Return the fixed range that a value lies in, by its first digit; `None` at its edge, which would repeat it."""
    step = max(power_of_ten(value), Decimal(1)) if value >= 1 else Decimal("0.1")
    low = value // step * step
    return None if low == value else (low, low + step)


def round_off(value: Decimal) -> Decimal | None:
    """Return two digits of a number, or the first where it is near, as it is to most; `None` where neither is less."""
    for digits in (2, 1) if value >= LEAST_LARGE else (1, 2):
        step = power_of_ten(value) / 10 ** (digits - 1) if value else Decimal(1)
        result = (value / step).quantize(Decimal(1), ROUND_HALF_UP) * step
        is_near = digits == 1 and value >= 20 and abs(result - value) <= value / 10
        if result != value and (is_near or (digits == 2 and value >= 100)):
            return result
    return None


def magnitude(value: Decimal, tables: Tables) -> str:
    """Name the largest power of ten of which there are at least two: thousands; empty below 200."""
    best = ""
    for exponent, name in parse_pairs(tables.text("numbers", "magnitudes")):
        if value >= 2 * Decimal(10) ** int(exponent):
            best = name
    return best


def number_steps(
    number: ParsedNumber, tables: Tables, frame: str = "{}", unit: str = "", *, counted: bool = True
) -> list[Step]:
    """Climb from a number: about, between, less than ten, thousands.

    `frame` is what stands around a number, as in `£{}`; `unit` is the plural that magnitudes are of.
    """
    steps: list[Step] = []
    value = number.value
    texts = {name: tables.text("numbers", name) for name in ("about", "range", "more", "less", "fewer", "of")}
    if (feminine := tables.text("numbers", "about_feminine")) and noun_gender(
        frame.split()[-1], tables.language
    ) == "f":
        texts["about"] = feminine
    if (near := round_off(value)) is not None:
        steps.append((texts["about"].format(value=frame.format(number.write(near, tables))), "about"))
    if (edges := first_digit_range(value)) and (value >= 10 or value != int(value)):
        if number.value < 2 * number.scale:  # a million is one, a range of them several
            number = replace(number, scale=Decimal(1), scale_text="")
        low, high = (number.write(edge, tables) for edge in edges)
        if edges[0] >= LEAST_PLURAL:  # people say more than 20, and not 20 to 30; but: the 20 to 30
            steps.append((texts["more"].format(value=frame.format(low)), MORE))
        if not frame.startswith("{}"):
            is_word = number.scale_text[:1].isspace()  # R$ 2 a R$ 3 mi, $90M to $100M
            low = low.removesuffix(number.scale_text) if is_word else low
            low, high = f"{frame.partition('{}')[0].replace('{{', '{').replace('}}', '}')}{low}", frame.format(high)
            steps.append((texts["range"].format(low=low, high=high), "range"))
        else:
            low = low.removesuffix(number.scale_text)
            steps.append((frame.format(texts["range"].format(low=low, high=high)), "range"))
    ceiling = next((limit for limit in (1, 10, 100) if value < limit), 0)
    if ceiling > 1 and not (ceiling == 100 and not counted):
        less = texts["fewer"] if counted and value == int(value) else texts["less"]
        steps.append((less.format(value=frame.format(ceiling)), "range"))
    first = power_of_ten(value) if value else value
    if 100 <= first < value < 2 * first:
        bottom = frame.format(number.write(first, tables))
        steps.append((tables.text("numbers", "more").format(value=bottom), "magnitude"))
    elif value != first and (name := magnitude(value, tables)):
        if not steps and frame != "{}" and value - first >= 2 * number.scale:  # of a number that is round already
            steps.append((texts["more"].format(value=frame.format(number.write(value - first, tables))), MORE))
        if not unit and frame != "{}":
            return steps
        steps.append((texts["of"].format(magnitude=name, unit=unit) if unit else name, "magnitude"))
    return steps


def count_steps(phrase: str, tables: Tables) -> list[Step]:
    """Return the steps of a bare number."""
    number = find_number(phrase, tables)
    last = tables.type("number")
    if number is None or number.has_others or number.value < 2 or number.end - number.start < len(phrase.strip(" ()")):
        return [last] if any(sign.isdecimal() for sign in phrase) or (number and number.value >= 2) else []
    return [*number_steps(number, tables), last]


def percentage_steps(phrase: str, tables: Tables) -> list[Step]:
    """Return the steps of a percentage: its range of ten, which half, that it is one."""
    number, last = find_number(phrase, tables), tables.type("percentage")
    if number is None or number.has_others or number.value >= 100:
        return [last]
    steps: list[Step] = []
    low = number.value // 10 * 10
    if low != number.value:
        span = tables.text("numbers", "range").format(low=int(low), high=int(low) + 10)
        steps.append((tables.text("numbers", "percent").format(range=span), "range"))
    if number.value != 50 and number.value > 0:
        half = "more_than_half" if number.value > 50 else "less_than_half"
        steps.append((tables.text("numbers", half), "magnitude"))
    return [*steps, last]
