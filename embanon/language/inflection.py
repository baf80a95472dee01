"""Inflection of nouns and adjectives, and genders and plurals of nouns, by lists and endings.

The tables are the sections `inflection` and `genders` of `ontologies/lexicon/*.toml`. No store and no lemma knows
genders; what neither a list nor an ending tells is unknown, and then no article is changed.
"""

from __future__ import annotations

import gzip
from collections.abc import Iterable
from functools import cache, lru_cache
from typing import Any, Final

from embanon.data import find_resource
from embanon.language.detect import language_table
from embanon.language.frequencies import word_share

UNKNOWN_GENDER: Final = ""
COMMON_GENDER: Final = "c"
"""Of nouns that are of either gender: el artista, la artista."""
MAX_ENDING_LENGTH: Final = 6
SURE_ENDINGS: Final = ("schaft", "ung", "heit", "keit", "erin", "käserin")
"""Of German nouns that are feminine, whatever their last letters spell."""
MIN_PART_LENGTH, LONGEST_COMPOUND = 4, 80
"""Characters of a German noun that counts at the end of a compound too."""

InflectionRules = tuple[tuple[str, tuple[str, ...]], ...]
"""Endings, and those that replace them in other forms."""


def _row(language: str, *path: str) -> Any:
    """Return a row or a section of a language's tables; empty where it has none."""
    table: Any = language_table(language)
    for name in path:
        table = table.get(name, {})
    return table


@cache
def _words(language: str, *path: str) -> frozenset[str]:
    return frozenset((_row(language, *path) or "").split())


@cache
def _rules(language: str, name: str) -> InflectionRules:
    pairs = (entry[1:].split("=") for entry in (_row(language, "inflection", name) or "").split())
    return tuple((ending, tuple(filter(None, others.split(",")))) for ending, others in pairs)


@cache
def _irregular_plurals(language: str) -> dict[str, str]:
    return dict(entry.split("=") for entry in (_row(language, "inflection", "irregular") or "").split())


@cache
def _genders(language: str, name: str) -> dict[str, str]:
    """Return the gender of each ending, name and so on that is listed."""
    rows = _row(language, "genders", name)
    return {entry.removeprefix("-"): gender for gender, entries in rows.items() for entry in entries.split()}


@cache
def _listed_nouns(language: str) -> dict[str, tuple[str, str]]:
    """Return the gender and, in German, the plural of each noun that is listed: by hand, or in a dictionary."""
    if language != "de":
        return _nouns_by_hand(language)
    packed = find_resource("ontologies", "gazetteer", "nouns.txt.gz").read_bytes()
    entries = (line.split(" ") for line in gzip.decompress(packed).decode("utf-8").split("\n"))
    known = {noun: (gender, plural[0] if plural else "") for gender, noun, *plural in entries}
    return known | _nouns_by_hand(language)


@cache
def _nouns_by_hand(language: str) -> dict[str, tuple[str, str]]:
    """Return the gender and the plural of the nouns of the lexicon."""
    rows = _row(language, "genders", "nouns")
    return {
        noun: (gender, plural)
        for gender, entries in rows.items()
        for noun, _, plural in (entry.partition("=") for entry in entries.split())
    }


def _inflect(word: str, rules: InflectionRules) -> list[str]:
    """Return the other forms of a word by the first rule whose ending fits."""
    for ending, others in rules:
        if word.endswith(ending):
            stem = word[: len(word) - len(ending)]
            return [stem + other for other in others]
    return []


def inflect_noun(word: str, language: str, *, person: bool = False) -> list[str]:
    """Return the other number, case and, for persons, gender forms of a noun."""
    forms = _inflect(word, _rules(language, "nouns"))
    if person:
        excluded = _words(language, "inflection", "not_feminine")
        women = _inflect(word, _rules(language, "feminines"))
        forms += [form for form in women if form.removesuffix("s") not in excluded]
    return forms


def inflect_adjective(word: str, language: str) -> list[str]:
    """Return the other gender, number and case forms of an adjective."""
    return _inflect(word, _rules(language, "adjectives"))


def inflect_all(words: Iterable[str], language: str, section: str) -> list[str]:
    """Return words with their forms, as the section of a lexicon says that they are nouns, persons or adjectives."""
    if section == "adjectives":
        return [form for word in words for form in (word, *inflect_adjective(word, language))]
    return [form for word in words for form in (word, *inflect_noun(word, language, person=section == "persons"))]


@lru_cache(maxsize=65_536)
def noun_gender(noun: str, language: str) -> str:
    """Return the gender of a noun in the singular: m, f, n, c; nothing where it is not known."""
    listed = _listed_nouns(language)
    if language != "de":
        noun = singular_form(noun.lower(), language) if is_plural(noun.lower(), language) else noun.lower()
    if noun in listed:
        return listed[noun][0]
    if noun in _words(language, "genders", "adjectival"):
        return UNKNOWN_GENDER
    if language == "de" and noun.endswith(SURE_ENDINGS):
        return "f"
    if language == "de" and (part := _last_compound_part(noun)):
        return listed[part][0]
    endings = _genders(language, "endings")
    parts = (noun[-size:] for size in range(MAX_ENDING_LENGTH, 0, -1))
    return next((endings[part] for part in parts if part in endings), UNKNOWN_GENDER)


def article_gender(name: str) -> str:
    """Return the gender, or p, of a German name of a country or region that has an article; nothing of others."""
    return _genders("de", "names").get(name, "")


def is_stressed_feminine(noun: str) -> bool:
    """Return whether the article of a Spanish feminine is, in the singular, that of the other gender."""
    return noun in _words("es", "genders", "stressed")


def is_known_noun(noun: str, language: str) -> bool:
    """Return whether a noun is listed by hand, with its gender or as one for places."""
    return noun in _nouns_by_hand(language) or noun in _words(language, "genders", "places")


def is_dictionary_noun(noun: str, language: str) -> bool:
    """Return whether a noun is listed at all; it may be a surname as well."""
    return noun in _listed_nouns(language) or is_known_noun(noun, language)


@cache
def _german_plurals() -> frozenset[str]:
    """Return the plurals of all listed nouns."""
    return frozenset(plural for _, plural in _listed_nouns("de").values())


def _last_compound_part(noun: str, others: frozenset[str] = frozenset()) -> str:
    """Return the noun that is listed in which a German compound ends, or one of some others."""
    if len(noun) > LONGEST_COMPOUND:
        return ""
    low, listed = noun.lower(), _listed_nouns("de")
    parts = (low[start:].capitalize() for start in range(3, len(low) - MIN_PART_LENGTH + 1))
    part = next((part for part in parts if part in listed or part in others), "")
    behind = part[1:].capitalize() if part[:1] == "S" else ""
    is_joint = behind in listed and word_share(behind, "de") > word_share(part, "de")
    return behind if is_joint else part  # a Gesundheitsamt is no Samt


DENYING_PARTS: Final = (
    "nicht", "anti", "schein", "pseudo", "ex-", "gegen", "ersatz", "vize", "möchtegern", "halb", "quasi", "un", "miss",
    "spielzeug", "modell", "puppen", "schokoladen", "kunst", "selbst", "ruf", "fast", "beinah", "schaukel", "stecken",
    "attrappen", "papp", "holz", "plastik", "gips", "lebkuchen", "brand",
)  # fmt: skip
"""First parts of compounds that are not what they end in, or may not be."""
SHORT_STEM, LONG_STEM = 3, 5
"""Letters up to which the first part of a German compound is a noun, and from which its last part may be as short."""
JOINTS: Final = ("", "s", "n", "en", "es", "er", "e")
"""What may stand between the parts of a compound."""


def compound_head(noun: str) -> str:
    """Return the noun that a German compound of words that people use ends in; empty of a name that ends like one.

    It is in the singular or plural as the compound is. A Scheinehe is no Ehe.
    """
    if noun.lower().startswith(DENYING_PARTS):
        return ""
    last = _last_compound_part(noun, _german_plurals()) or _short_last_part(noun)
    before = noun.lower().removesuffix(last.lower())
    stems = (before.removesuffix(joint) for joint in JOINTS if before.endswith(joint))
    return last if any(map(_is_first_part, stems)) else ""


def _short_last_part(noun: str) -> str:
    """Return the short noun in which a German compound ends, whose first part is surely a noun: Personal-rat."""
    before, last = noun[:-SHORT_STEM], noun[-SHORT_STEM:].capitalize()
    listed = _listed_nouns("de")
    stems = (before.removesuffix(joint) for joint in JOINTS if before.endswith(joint))
    is_known = last in listed and any(len(stem) >= LONG_STEM and stem in listed for stem in stems)
    return last if is_known else ""


def _is_first_part(stem: str) -> bool:
    """Return whether letters may begin a German compound: a word that people use; a short one is a noun."""
    is_long = len(stem) > SHORT_STEM or stem.capitalize() in _listed_nouns("de")
    return len(stem) >= SHORT_STEM and is_long and word_share(stem, "de") > 0


@lru_cache(maxsize=65_536)
def plural_form(noun: str, language: str) -> str:
    """Return a noun in the plural; nothing where it is not known."""
    if language == "de":
        return _german_plural(noun)
    return _irregular_plurals(language).get(noun) or next(iter(inflect_noun(noun, language)), noun)


def _german_plural(noun: str) -> str:
    if noun in _words("de", "genders", "plural_labels"):
        return noun
    listed = _listed_nouns("de")
    part = noun if noun in listed else _last_compound_part(noun)
    if part:
        plural = listed[part][1]
        if noun == part or not plural:
            return plural
        ahead = noun[: len(noun) - len(part)]
        return ahead + (plural if ahead.endswith("-") else plural.lower())
    return next(iter(_inflect(noun, _rules("de", "plurals"))), "")


@lru_cache(maxsize=65_536)
def is_plural(noun: str, language: str) -> bool:
    """Return whether a noun, as a label has it, is in the plural."""
    if language == "de":
        return any(noun in _words(language, "genders", name) for name in ("plural_labels", "plural_units"))
    endings = tuple(ending[1:] for ending in _words(language, "inflection", "singular_endings"))
    return noun.endswith("s") and noun not in _listed_nouns(language) and not noun.endswith(endings)


@lru_cache(maxsize=65_536)
def singular_form(noun: str, language: str) -> str:
    """Return a Spanish or Portuguese noun in the singular."""
    rule = next((rule for rule in _rules(language, "singulars") if noun.endswith(rule[0])), None)
    return noun[: len(noun) - len(rule[0])] + "".join(rule[1]) if rule else noun


def agreeing_form(adjective: str, language: str, gender: str, plural: bool) -> str:
    """Return a Spanish or Portuguese adjective, which is in its dictionary form, as it agrees."""
    forms = inflect_adjective(adjective, language)
    if plural and gender != "f" and adjective in _irregular_plurals(language):
        return _irregular_plurals(language)[adjective]
    if len(forms) > 2:  # feminine, plural, feminine plural
        return forms[(gender == "f") + (plural << 1) - 1] if gender == "f" or plural else adjective
    return forms[0] if plural and forms else adjective
