"""Make up codes and numbers of the same shape: digits for digits, letters for letters; addresses where nobody is.

A number that is valid may be somebody's. So checksums are wrong unless asked for, phone numbers have a prefix that no
country has, and addresses of the net lie in the domains that are reserved for examples (RFC 2606). What is counted is
near to the original, of its magnitude and precision.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cache
from string import ascii_lowercase, ascii_uppercase, digits
from typing import Final

from embanon.language import fold_name
from embanon.replace.edit import mask_characters
from embanon.replace.methods import KeyedChoice
from embanon.replace.surrogates.invented_words import invent_word, match_case
from embanon.taxonomy import find_number, is_ordinal, load_tables, parse_words
from embanon.text import load_validator, national_numbers

EXAMPLE_DOMAINS: Final = ("example.com", "example.org", "example.net")
NO_COUNTRY: Final = "999"
NO_AREA: Final = "000"
"""How international and national phone numbers begin that are nobody's."""
NO_CARD: Final = "0"
CHECKED: Final = {"iban": "iban", "card": "luhn", "bic": "bic"}
_DIGIT: Final = re.compile(r"\d")
_PART: Final = re.compile(r"[^\W_]+")
_ADDRESS: Final = re.compile(r"((?:[A-Za-z][\w+.-]*://)?(?:www\.)?)([^/?#:\s]+)(.*)", re.DOTALL)

Validator = Callable[[str], bool]


def code_candidates(written: str, kind: str, keyed: KeyedChoice, *, valid: bool) -> Iterator[str]:
    """Return codes that could stand for one, `kind` being that of its type: `iban`, `e-mail`."""
    family = kind.partition(".")[0]
    numbers = keyed.tries(f"CODE.{kind}", written)
    make = _ADDRESSES.get(family)
    if make is not None:
        yield from (make(written, number) for number in numbers)
        return
    wanted, checks = valid and family != "phone", _validators(kind)
    for number in numbers:
        made = _set_check_digits(_with_same_shape(written, family, number, valid=wanted), family, valid=wanted)
        plain = "".join(filter(str.isalnum, made))
        if not checks or any(check(plain) for check in checks) == wanted:
            yield made


def mask_with_checksum(written: str, kind: str, keyed: KeyedChoice) -> str | None:
    """Mask a code by digits whose checksum is right; nothing where none is known of the kind."""
    if kind not in ("iban", "card"):
        return None
    digit = (str(number % 10) for number in keyed.numbers("mask", written))
    shown = "".join(next(digit) if sign.isdecimal() else sign for sign in mask_characters(written))
    return _set_check_digits(written[:2] + shown[2:] if kind == "iban" else shown, kind, valid=True)


def _with_same_shape(written: str, family: str, number: int, *, valid: bool) -> str:
    """Replace signs by signs of their class; the country of a bank account stays, and the network of a valid card."""
    made = []
    for place, sign in enumerate(written):
        number, part = divmod(number, 1 << 8) if number >> 8 else (number + 1, place * 31)
        kept = (family == "iban" and place < 2) or (family == "card" and valid and place < 1)
        made.append(sign if kept else _other_character(sign, part))
    shown = "".join(made)
    if family == "phone":
        return _replace_start(shown, NO_COUNTRY if written.lstrip("( ").startswith("+") else NO_AREA)
    return _replace_start(shown, NO_CARD) if family == "card" and not valid else shown


def _other_character(sign: str, part: int) -> str:
    if sign.isdecimal():
        return digits[part % 10]
    if sign.isalpha():
        return (ascii_uppercase if sign.isupper() else ascii_lowercase)[part % 26]
    return sign


def _replace_start(shown: str, first: str) -> str:
    """Put digits in place of the first ones."""
    left = iter(first)
    return _DIGIT.sub(lambda found: next(left, found[0]), shown)


def _set_check_digits(shown: str, family: str, *, valid: bool) -> str:
    """Put the check digits in that a bank account or a card has, right or clearly wrong."""
    if family == "iban":
        return _set_iban_digits(shown) if valid else f"{shown[:2]}00{shown[4:]}"
    if family == "card":
        places = [found.start() for found in _DIGIT.finditer(shown)]
        if places:
            last = places[-1]
            plain = "".join(shown[place] for place in places[:-1])
            right = next(digit for digit in digits if load_validator("luhn")(plain + digit))
            digit = right if valid else digits[(int(right) + 1) % 10]
            return f"{shown[:last]}{digit}{shown[last + 1 :]}"
    return shown


def _set_iban_digits(shown: str) -> str:
    """Compute the check digits of a bank account (ISO 7064, modulo 97)."""
    plain = re.sub(r"[^0-9A-Z]", "", shown.upper())
    value = int("".join(str(int(sign, 36)) for sign in f"{plain[4:]}{plain[:2]}00"))
    return f"{shown[:2]}{98 - value % 97:02}{shown[4:]}"


@cache
def _validators(kind: str) -> tuple[Validator, ...]:
    """Return what checks the numbers of a kind."""
    if kind in CHECKED:
        return (load_validator(CHECKED[kind]),)
    names = dict.fromkeys(row.stdnum_module for row in national_numbers() if row.kind == kind and row.stdnum_module)
    return tuple(load_validator(name) for name in names)


def _mail(written: str, number: int) -> str:
    return f"{_replace_parts(written.partition('@')[0], number)}@{EXAMPLE_DOMAINS[number % len(EXAMPLE_DOMAINS)]}"


def _url(written: str, number: int) -> str:
    match = _ADDRESS.match(written)
    scheme, rest = (match[1], match[3]) if match else ("", "")
    return f"{scheme}{EXAMPLE_DOMAINS[number % len(EXAMPLE_DOMAINS)]}{_replace_parts(rest, number)}"


def _replace_parts(written: str, number: int) -> str:
    """Replace each part of an address: digits by digits, words by words that nobody knows."""
    numbers = iter(number >> (13 * place) for place in range(len(written) + 1))

    def other(match: re.Match[str]) -> str:
        part = match[0]
        choice = next(numbers)
        if part.isalpha():
            return match_case(part, invent_word(choice, len(part)))
        return "".join(_other_character(sign, choice + 7 * place) for place, sign in enumerate(part))

    return _PART.sub(other, written)


_ADDRESSES: Final[dict[str, Callable[[str, int], str]]] = {"e-mail": _mail, "handle": _replace_parts, "url": _url}


CHANGE_DIVISOR: Final = 4
"""One over this is the most that a number changes by, up or down."""
FEWEST: Final = 2
"""One of a thing has no plural."""
YEAR: Final = re.compile(r"(?<![\d.,])(?:1[5-9]|20)\d\d(?!\d|[.,]\d)")


def number_candidates(written: str, language: str, keyed: KeyedChoice) -> Iterator[str]:
    """Return what says another number in the same way; nothing where there is no single one, or one of a thing."""
    known = load_tables(language)
    parsed = find_number(written, known) if known and not is_ordinal(written.strip()) else None
    if known is None or parsed is None or parsed.has_others:
        return
    number_text, before, after = written[parsed.start : parsed.end], written[: parsed.start], written[parsed.end :]
    made: Iterator[str | None]
    several = keyed.tries("QUANTITY", written)
    if any(sign.isdecimal() for sign in number_text):
        if _DIGIT.search(before + after) or not number_text.strip().isascii():
            return
        made = (_nearby_number(number_text, number) for number in several)
    else:
        words = list(parse_words(known.text("numbers", "units")))
        place = words.index(fold_name(number_text)) if fold_name(number_text) in words else 0
        if place < FEWEST:
            return
        step = max(place // CHANGE_DIVISOR, 1)
        nearest = (place + number % (2 * step + 1) - step for number in several)
        made = (match_case(number_text, words[one]) for one in nearest if FEWEST <= one < len(words))
    yield from (f"{before}{one}{after}" for one in made if one is not None and one != number_text)


def _nearby_number(written: str, number: int) -> str | None:
    """Change the digits up to the last that is not 0, as far as that leaves as many of them."""
    plain = "".join(_DIGIT.findall(written))
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
    return _DIGIT.sub(lambda _: next(changed), written)
