"""Say the gender and the plural of a noun, by lists and endings: a label has an article that agrees, or none.

No store and no lemma knows genders; what neither a list nor an ending tells is unknown, and then no article is changed.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from embanon.inflection import inflect_adjective, inflect_noun
from embanon.nouns import (
    ADJECTIVAL,
    ENDINGS,
    GERMAN_PLURALS,
    LISTED,
    MANY,
    PLURALS,
    SINGULAR,
    SINGULARS,
    UNITS,
)

UNKNOWN: Final = ""
COMMON: Final = "c"
"""Of nouns that are of either gender: el artista, la artista."""
LONGEST_ENDING: Final = 6
SHORTEST_PART: Final = 4
"""Characters of a German noun that counts at the end of a compound too."""


def _listed(language: str) -> dict[str, tuple[str, str]]:
    return {
        noun: (gender, plural)
        for gender, rows in LISTED.get(language, {}).items()
        for noun, _, plural in (row.partition("=") for row in rows.split())
    }


NOUNS: Final = {language: _listed(language) for language in LISTED}
BY_ENDING: Final = {
    language: {ending: gender for gender, rows in of.items() for ending in rows.split()}
    for language, of in ENDINGS.items()
}


@lru_cache(maxsize=65_536)
def gender(noun: str, language: str) -> str:
    """Give the gender of a noun in the singular: m, f, n, c; nothing where it is not known."""
    known = NOUNS.get(language, {})
    if language != "de":
        noun = singular(noun.lower(), language) if is_plural(noun.lower(), language) else noun.lower()
    if noun in known:
        return known[noun][0]
    if language == "de" and noun in ADJECTIVAL:
        return UNKNOWN
    if language == "de" and (part := _last_part(noun)):
        return known[part][0]
    endings = BY_ENDING.get(language, {})
    return next((endings[noun[-size:]] for size in range(LONGEST_ENDING, 0, -1) if noun[-size:] in endings), UNKNOWN)


def _last_part(noun: str) -> str:
    """Give the noun that is listed in which a German compound ends."""
    low, known = noun.lower(), NOUNS["de"]
    parts = (low[start:].capitalize() for start in range(3, len(low) - SHORTEST_PART + 1))
    return next((part for part in parts if part in known), "")


@lru_cache(maxsize=65_536)
def plural(noun: str, language: str) -> str:
    """Give a noun in the plural; nothing where it is not known."""
    if language == "de":
        return _german_plural(noun)
    if noun in PLURALS[language]:
        return PLURALS[language][noun]
    return next(iter(inflect_noun(noun, language)), noun)


def _german_plural(noun: str) -> str:
    if noun in MANY:
        return noun
    known = NOUNS["de"]
    part = noun if noun in known else _last_part(noun)
    if part:
        many = known[part][1]
        return many if noun == part or not many else noun[: len(noun) - len(part)] + many.lower()
    for size in range(LONGEST_ENDING, 0, -1):
        if noun[-size:] in GERMAN_PLURALS:
            return noun[:-size] + GERMAN_PLURALS[noun[-size:]]
    return ""


@lru_cache(maxsize=65_536)
def is_plural(noun: str, language: str) -> bool:
    """Say that a noun, as a label has it, is in the plural."""
    if language == "de":
        return noun in MANY or noun in UNITS
    return noun.endswith("s") and noun not in NOUNS[language] and not noun.endswith(SINGULAR[language])


@lru_cache(maxsize=65_536)
def singular(noun: str, language: str) -> str:
    """Give a Spanish or Portuguese noun in the singular."""
    for ending, other in SINGULARS[language]:
        if noun.endswith(ending):
            return noun[: len(noun) - len(ending)] + other
    return noun


def agreeing(adjective: str, language: str, of: str, many: bool) -> str:
    """Give a Spanish or Portuguese adjective, which is in its dictionary form, as it agrees."""
    forms = tuple(inflect_adjective(adjective, language))
    if many and of != "f" and adjective in PLURALS[language]:
        return PLURALS[language][adjective]
    if len(forms) > 2:  # feminine, plural, feminine plural
        return forms[(of == "f") + (many << 1) - 1] if of == "f" or many else adjective
    return forms[0] if many and forms else adjective
