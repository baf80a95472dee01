"""Return the words for peoples and languages as concepts, in all their forms."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Final

import babel

from embanon.language.inflection import inflect_adjective, inflect_noun
from embanon.taxonomy.concept import Broader, Concept, Label
from ontologies.build.demonym_table import COUNTRIES, OTHERS, PARTS, PEOPLES, TOWNSPEOPLE

KIND: Final = "kind:nationality"
LANGUAGE: Final = "kind:language"

PREFIXES: Final[Mapping[str, str]] = {
    "afro": "African", "anglo": "English", "arabo": "Arab", "austro": "Austrian", "belgo": "Belgian",
    "euro": "European", "finno": "Finnish", "franco": "French", "gallo": "French", "germano": "German",
    "graeco": "Greek", "greco": "Greek", "hispano": "Spanish", "ibero": "Iberian", "indo": "Indian",
    "italo": "Italian", "luso": "Portuguese", "polono": "Polish", "russo": "Russian", "serbo": "Serbian",
    "sino": "Chinese", "turco": "Turkish",
    "deutsch": "German", "englisch": "English", "französisch": "French", "griechisch": "Greek",
    "italienisch": "Italian", "russisch": "Russian", "spanisch": "Spanish", "türkisch": "Turkish",
}  # fmt: skip
"""First parts of compounds that are no words of their own, and the English word for the people."""

FAMILIES: Final = """
roa | Romance language | lengua romance | língua românica | romanische Sprache | ca co es fr gl it la lad oc pt rm \
ro sc scn
gem | Germanic language | lengua germánica | língua germânica | germanische Sprache | af da de en fo fy gsw is lb \
nb nds nl nn no sco sv yi
sla | Slavic language | lengua eslava | língua eslava | slawische Sprache | be bg bs cs dsb hr hsb mk pl ru sh sk \
sl sr szl uk
bat | Baltic language | lengua báltica | língua báltica | baltische Sprache | lt lv
cel | Celtic language | lengua celta | língua celta | keltische Sprache | br cy ga gd gv kw
iir | Indo-Iranian language | lengua indoirania | língua indo-iraniana | indoiranische Sprache | as awa bn ckb fa \
gu hi kok ks ku mai mr ne or os pa ps rom sa sd si tg ur
urj | Uralic language | lengua urálica | língua urálica | uralische Sprache | et fi hu se
trk | Turkic language | lengua túrquica | língua turcomana | Turksprache | az ba cv kk ky tk tr tt ug uz
sem | Semitic language | lengua semítica | língua semítica | semitische Sprache | am ar arc he mt syr ti
sit | Sino-Tibetan language | lengua sinotibetana | língua sino-tibetana | sinotibetische Sprache | bo dz my yue zh
dra | Dravidian language | lengua drávida | língua dravídica | dravidische Sprache | kn ml ta te
map | Austronesian language | lengua austronesia | língua austronésia | austronesische Sprache | ceb fil haw id jv \
mg mi ms sm su tet tl to
bnt | Bantu language | lengua bantú | língua banta | Bantusprache | bem kg ki ln lu lg nd nr ny rn rw sn ss st sw \
tn ts umb ve xh zu
"""
"""Families of languages that nobody doubts, with the languages of CLDR in them."""

INDO_EUROPEAN: Final = frozenset(("roa", "gem", "sla", "bat", "cel", "iir"))


def english_forms(word: str) -> Iterator[str]:
    """Return the plural of an English word for a person of some people, where it has one of its own."""
    if word.endswith("man"):
        if word.endswith(("woman", "shman", "chman", "sman", "xman", "yman")):
            yield word[:-2] + "en"
        else:
            yield word + "s"
    elif word == "Czech" or not word.endswith(("s", "x", "z", "ch", "sh", "ese")):
        yield word + "s"


def forms(word: str, language: str, *, noun: bool = False) -> Iterator[str]:
    """Return a word for a people with its forms of gender, number and case."""
    yield word
    if language == "en":
        yield from english_forms(word)
    elif language == "de" and noun:
        yield from inflect_noun(word, language, person=True)
    elif " " not in word:
        yield from inflect_adjective(word, language)


def labels(columns: list[str]) -> tuple[Label, ...]:
    """Return the labels of a row: English, Spanish, Portuguese, German adjectives, German nouns."""
    found: dict[tuple[str, str], None] = {}
    for place, (column, language) in enumerate(zip(columns, ("en", "es", "pt", "de", "de"), strict=False)):
        for word in filter(None, (word.strip() for word in column.split(","))):
            noun = place == 4 or (language == "de" and word[:1].isupper() and not word.startswith("US-am"))
            found.update(dict.fromkeys((language, form) for form in forms(word, language, noun=noun)))
    return tuple(Label(language, form) for language, form in found)


def rows(table: str) -> Iterator[tuple[list[str], tuple[Label, ...]]]:
    """Return the first column's words and the labels of each row of a table."""
    for line in filter(None, (line.strip() for line in table.splitlines())):
        first, *columns = (column.strip() for column in line.split("|"))
        found = labels(columns)
        if found:
            yield first.split(), found


def _broader_demonyms(codes: list[str]) -> list[Broader]:
    return [Broader(f"dem:{_north_american(code)}", "subclass") for code in codes if code != "-"]


def _north_american(part: str) -> str:
    # Who is of Northern America (021) is called North American (003).
    return "003" if part == "021" else part


def demonyms(weights: Mapping[str, float]) -> Iterator[Concept]:
    """Return the words for peoples; `weights` has the inhabitants by the id of the place."""
    kind = Broader(KIND, "instance")
    for (code, *above), found in rows(PARTS):
        yield Concept(
            f"dem:{code}", found, (*_broader_demonyms(above), Broader(f"m49:{code}", "located-in"), kind), "DEM", 1.0
        )
    for (code, *above), found in rows(COUNTRIES):
        yield _people_concept(code, above, found, f"iso:{code}", weights)
    for (code, _, *above), found in rows(OTHERS):
        yield _people_concept(code, above, found, f"iso:{code}", weights)
    for (code, *above), found in rows(PEOPLES):
        yield Concept(f"dem:{code}", found, (*_broader_demonyms(above), kind), "DEM", 1.0)
    for line in filter(None, (line.strip() for line in TOWNSPEOPLE.splitlines())):
        first, *columns = (column.strip() for column in line.split("|"))
        number, country = first.split()
        yield _people_concept(number, [country], labels([*columns[:3], "", columns[3]]), f"geo:{number}", weights)


def _people_concept(
    code: str, above: list[str], found: tuple[Label, ...], place: str, weights: Mapping[str, float]
) -> Concept:
    # Half, for what is both a people and a place, as India in Spanish, is more often the place.
    up = (*_broader_demonyms(above), Broader(place, "located-in"), Broader(KIND, "instance"))
    return Concept(f"dem:{code}", found, up, "DEM", weights.get(place, 0.0) / 2)


def languages() -> Iterator[Concept]:
    """Return the languages that CLDR names, and their families."""
    names = {tag: babel.Locale.parse(tag).languages for tag in ("en", "es", "pt", "de")}
    family: dict[str, str] = {}
    yield Concept(
        "lang:ine",
        tuple(
            Label(tag, name)
            for tag, name in (
                ("en", "Indo-European language"),
                ("es", "lengua indoeuropea"),
                ("pt", "língua indo-europeia"),
                ("de", "indogermanische Sprache"),
            )
        ),
        (Broader(LANGUAGE, "subclass"),),
        "DEM",
    )
    for line in filter(None, FAMILIES.splitlines()):
        code, *called, members = (column.strip() for column in line.split("|"))
        up = "lang:ine" if code in INDO_EUROPEAN else LANGUAGE
        found = tuple(Label(tag, name) for tag, name in zip(names, called, strict=True))
        yield Concept(f"lang:{code}", found, (Broader(up, "subclass"),), "DEM")
        family.update(dict.fromkeys(members.split(), code))
    for code in sorted(names["en"]):
        # Codes with a part more are variants (pt_BR), and mul, und, zxx are none.
        if not re.fullmatch("[a-z]{2,3}", code) or code in ("mul", "und", "zxx", "mis", "root"):
            continue
        found = tuple(Label(tag, names[tag][code]) for tag in names if code in names[tag])
        above = f"lang:{family[code]}" if code in family else LANGUAGE
        yield Concept(f"lang:{code}", found, (Broader(above, "instance"),), "DEM", 1.0)


def compound_parts(label: str) -> list[str]:
    """Return the words that a compound for a people stands for: Anglo-Irish is English and Irish; else none.

    What the parts mean is for the caller to look up: a label without a known last part is no compound.
    """
    parts = [part for part in re.split(r"[-–‑/]", label.strip()) if part]
    if len(parts) < 2 or any(not part.replace(" ", "").replace(".", "").isalpha() for part in parts):
        return []
    return [*(PREFIXES.get(part.casefold(), part) for part in parts[:-1]), parts[-1]]
