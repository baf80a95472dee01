"""Decline German: what readings a determiner has, and how determiner, adjectives and noun read in a case."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, NamedTuple

from embanon.language import Lemmatizer, is_plural, noun_gender, plural_form
from embanon.replace.grammar import listed_words, replacement_table

CASES: Final = "nadg"
GENDERS: Final = "mfnp"
"""Nominative, accusative, dative, genitive, each of m, f, n, plural: the order of the endings below."""
GERMAN: Final = replacement_table("de")
ENDINGS: Final[Mapping[str, list[str]]] = {name: forms.split() for name, forms in GERMAN["endings"].items()}
DEFINITE, STRONG, MIXED = ENDINGS["definite"], ENDINGS["strong"], ENDINGS["mixed"]
WEAK, BEHIND_EIN = ENDINGS["weak"], ENDINGS["behind_ein"]
EIN: Final = GERMAN["ein_words"].split()
DER: Final = GERMAN["der_words"].split()
EXPANSIONS: Final = {word: tuple(parts.split()) for word, parts in GERMAN["expansions"].items()}
CONTRACTIONS: Final = {parts: word for word, parts in EXPANSIONS.items() if word not in listed_words("de", "informal")}
PREPOSITIONS: Final = {word: cases for cases, words in GERMAN["prepositions"].items() for word in words.split()}
"""Prepositions -> the cases that they ask for, the likelier first."""
ADJECTIVE: Final = re.compile(
    r"(?:[a-zäöüß-]+|Vereinigte[sr]?|Nördliches|Südliches|Autonome|Dominikanische|Zentralafrikanische)$"
)
ENDING: Final = re.compile(r"(?:e|er|es|en|em)$")
GENITIVE_ES: Final = re.compile(r"[sßxz]$|^[^aeiouäöü]*[aeiouäöü]{1,2}(?:h?[^aeiouäöüh]{1,2}|ch)$", re.IGNORECASE)
"""Of one syllable, or ending in a sibilant."""
WEAK_MASCULINE: Final = re.compile(r"(?:ist|ent|ant|at|og|soph|nom|e)$")
"""Masculine nouns that end in -en but in the nominative."""


class CaseReading(NamedTuple):
    """A case, and a gender or p for the plural."""

    case: str
    gender: str


READINGS: Final = tuple(CaseReading(case, of) for case in CASES for of in GENDERS)


@dataclass(frozen=True, slots=True)
class GermanLabel:
    """A label in its parts."""

    article: str
    """definite, ein or nothing."""
    adjectives: tuple[str, ...]
    noun: str
    rest: str
    """What follows the noun."""
    gender: str
    is_plural: bool


@lru_cache(maxsize=4096)
def parse_determiner(word: str) -> tuple[str, str, tuple[CaseReading, ...]] | None:
    """Return the kind, the stem and the readings of a determiner."""
    if word in EXPANSIONS:
        word = EXPANSIONS[word][1]
    if word in DEFINITE:
        return "definite", "", _readings(DEFINITE, word)
    for stems, kind, endings in ((EIN, "ein", MIXED), (DER, "der", STRONG)):
        for stem in stems:
            ending = word[len(stem) :] or "-"
            if word.startswith(stem) and ending in endings:
                return kind, stem, _readings(endings, ending)
    return None


def _readings(endings: list[str], written: str) -> tuple[CaseReading, ...]:
    return tuple(reading for reading, ending in zip(READINGS, endings, strict=True) if ending == written)


@lru_cache(maxsize=16_384)
def parse_label(label: str) -> GermanLabel:
    first, _, rest = label.partition(" ")
    article = {"der": "definite", "die": "definite", "das": "definite", "ein": "ein", "eine": "ein"}.get(first, "")
    words = (rest if article and rest else label).split(" ")
    nouns = [place for place, word in enumerate(words) if word[:1].isupper() and not ADJECTIVE.match(word)]
    place = nouns[0] if nouns else len(words) - 1
    noun = words[place]
    many = is_plural(noun, "de")
    gender = {"der": "m", "das": "n", "eine": "f"}.get(first, "") or noun_gender(noun, "de")
    gender = "f" if first == "die" and not many else gender
    return GermanLabel(article, tuple(words[:place]), noun, " ".join(words[place + 1 :]), gender, many)


@lru_cache(maxsize=65_536)
def singular(noun: str) -> str:
    low = Lemmatizer.load("de").lemma(noun, "NOUN")
    return low[:1].upper() + low[1:]


@lru_cache(maxsize=65_536)
def is_plural_form(head: str, alone: bool) -> bool:
    """Return whether a noun is in the plural, as far as its form shows.

    Kunden are several where no determiner stands.
    """
    base = singular(head)
    if head == base:
        return False
    many = plural_form(base, "de")
    if not many:
        return head in (f"{base}e", f"{base}en", f"{base}er", f"{base}ern")
    if head.removesuffix("n") != many.removesuffix("n"):
        return False
    return alone or not (noun_gender(base, "de") == "m" and WEAK_MASCULINE.search(base))


def decline(parsed: GermanLabel, reading: CaseReading, kind: str) -> str | None:
    """Return adjectives and noun of a label in a case."""
    gender = "p" if reading.gender == "p" else parsed.gender
    noun = plural_form(parsed.noun, "de") if gender == "p" and not parsed.is_plural else parsed.noun
    if not noun:
        return None
    if gender == "p":
        noun += "n" if reading.case == "d" and not noun.endswith(("n", "s")) else ""
    elif (
        gender == "m" and reading.case != "n" and WEAK_MASCULINE.search(noun) and plural_form(noun, "de").endswith("n")
    ):
        noun = f"{noun.removesuffix('e')}en"
    elif gender in "mn" and gender and reading.case == "g":
        noun += "es" if GENITIVE_ES.search(noun) else "s"
    place = CASES.index(reading.case) * len(GENDERS) + GENDERS.index(gender or "n")
    endings = {"definite": WEAK, "der": WEAK, "ein": BEHIND_EIN}.get(kind, STRONG)
    adjectives = (inflect_adjective(word, endings[place]) for word in parsed.adjectives)
    return " ".join(filter(None, (*adjectives, noun, parsed.rest)))


def inflect_adjective(adjective: str, ending: str) -> str:
    """Return an adjective with another ending; 1960er stays."""
    if adjective[:1].isdecimal():
        return adjective
    return ENDING.sub("", adjective) + ending


def inflect_determiner(kind: str, stem: str, reading: CaseReading, gender: str) -> str:
    """Return a determiner in a case and gender."""
    place = CASES.index(reading.case) * len(GENDERS) + GENDERS.index(gender)
    if kind == "definite":
        return DEFINITE[place]
    ending = (MIXED if kind == "ein" else STRONG)[place].replace("-", "")
    return ("eur" if stem == "euer" and ending else stem) + ending
