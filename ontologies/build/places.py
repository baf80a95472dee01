"""Read the names of places from the packages that carry them; the lexicon and the taxonomy share it."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from functools import cache
from typing import Final

import babel
import pycountry
from wordfreq import zipf_frequency

from embanon.language import LANGUAGES

LOCALES: Final = ("en", "es", "pt", "pt_PT", "de")
WORLD: Final = "001"


def is_name(word: str) -> bool:
    """Return whether a string is a name in a script with upper case, without digits and the like."""
    return (
        len(word) > 1
        and word[0] != word[0].lower()
        and all(c.isalpha() or c in " -'’." or unicodedata.combining(c) for c in word)
    )


@cache
def is_country(code: str) -> bool:
    """Return whether a code is one of a country or territory of ISO 3166-1."""
    return len(code) == 2 and pycountry.countries.get(alpha_2=code) is not None


def territory_names(locales: tuple[str, ...] = LOCALES) -> Iterator[tuple[str, str]]:
    """Return the names of countries and parts of the world with their codes of ISO 3166-1 and UN M.49."""
    for locale in locales:
        for code, name in babel.Locale.parse(locale).territories.items():
            # "Myanmar (Birma)" and "Hongkong, SVR China" stand for the names before the mark and in it.
            for part in re.split(r"\s*[(),]\s*", name):
                yield code, part


def official_names() -> Iterator[str]:
    """Return the names that ISO 3166-1 has for countries."""
    for country in pycountry.countries:
        for attribute in ("name", "common_name", "official_name"):
            name = getattr(country, attribute, None)
            if name and "," not in name:
                yield name


def split_name(name: str) -> list[str]:
    """Return the names that an entry of ISO 3166-2 joins: Catalunya [Cataluña]."""
    return re.split(r"\s*[\[\](),/]\s*|\s+-\s+", name)


def is_exonym(name: str) -> bool:
    """Return whether another name of a city is one in use, not a code or a transliteration."""
    if not is_name(name) or len(name) < 4 or name.isupper() or ord(max(name)) > 0x17F:
        return False
    least = 2.0 if " " not in name else 3.0
    languages = (*LANGUAGES, "fr", "it")
    parts = name.split()
    return all(max(zipf_frequency(part, language) for language in languages) >= least for part in parts)


def has_european_letters(name: str) -> bool:
    """Return whether a name has no letters but those of the languages of Europe in Latin script."""
    return all(ord(c) <= 0x24F or c in "’–" for c in name)
