"""What a single word form, or a short name of several words, is known to be."""

from __future__ import annotations

import gzip
import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from enum import IntEnum, auto
from functools import cache, lru_cache
from typing import Any, Final
from unicodedata import normalize

import numpy as np

from embanon.data import find_resource
from embanon.errors import DataError
from embanon.language.detect import LANGUAGES, language_table, primary_language
from embanon.language.inflection import inflect_all


class Cue(IntEnum):
    """What a word form can be: one bit each, below 2**63; a form may carry several.

    No flag: two that meet would make one of their own, which takes twenty times as long.
    """

    @staticmethod
    def _generate_next_value_(name: str, start: int, count: int, last_values: list[int]) -> int:
        return 1 << count

    MONTH = auto()
    WEEKDAY = auto()
    SEASON = auto()
    HOLIDAY = auto()
    DAYPART = auto()  # a.m., morning, noon, Uhr
    DEICTIC = auto()  # today, yesterday
    DECADE = auto()  # nineties, achtziger
    ERA = auto()  # BC, century, n. Chr.
    TIME_UNIT = auto()
    TIME_MODIFIER = auto()  # early, mid, late, circa
    AGE = auto()
    NUMBER_WORD = auto()
    ORDINAL_WORD = auto()
    SCALE = auto()  # hundred, thousand, million
    UNIT = auto()
    CURRENCY = auto()
    NUMBER_MARK = auto()
    REFERENCE = auto()
    CODE_HEAD = auto()  # passport, account: announces a code
    DIRECTION = auto()
    TITLE = auto()
    PARTICLE = auto()
    SUFFIX_NAME = auto()
    GIVEN_NAME = auto()
    FEMALE = auto()
    MALE = auto()
    SURNAME = auto()
    NATIONALITY = auto()
    LANGUAGE = auto()
    DEM = auto()  # religion, ethnicity, politics, orientation, marital state
    COUNTRY = auto()
    REGION = auto()
    CITY = auto()
    MAJOR = auto()  # of cities: a capital, or 300,000 inhabitants and more
    CONTINENT = auto()
    PLACE_HEAD = auto()
    ORG_HEAD = auto()
    ORG_SUFFIX = auto()
    ORG_NAME = auto()
    WORK_HEAD = auto()
    EVENT_HEAD = auto()
    AWARD_HEAD = auto()
    LAW_HEAD = auto()
    ROLE = auto()
    KIN = auto()
    HEALTH = auto()
    STOP = auto()
    DETERMINER = auto()
    PRONOUN = auto()
    CONNECTOR = auto()
    ABBREVIATION = auto()
    NUMBER_ABBREVIATION = auto()  # an abbreviation only before a number: no., art., vol.
    VAGUE = auto()  # an adjective that says too little to open a phrase: former, other, new
    AMBIGUOUS = auto()  # a name that is an ordinary word as well: Will, Hope, Reading


PLACE_CUES: Final = int(Cue.COUNTRY | Cue.REGION | Cue.CITY | Cue.MAJOR | Cue.CONTINENT)
PERSON_CUES: Final = int(Cue.GIVEN_NAME | Cue.FEMALE | Cue.MALE | Cue.SURNAME)


HEAD_CUES: Final = int(
    Cue.TIME_UNIT | Cue.DECADE | Cue.ERA | Cue.AGE | Cue.NATIONALITY | Cue.DEM | Cue.ROLE | Cue.KIN
    | Cue.HEALTH | Cue.PLACE_HEAD | Cue.ORG_HEAD | Cue.WORK_HEAD | Cue.EVENT_HEAD | Cue.AWARD_HEAD
    | Cue.LAW_HEAD
)  # fmt: skip
"""What the last part of a hyphenated or closed compound says of the whole: `ex-president`, `Landgericht`."""


def fold_name(word: str) -> str:
    """Return the look-up key of a name: composed, case-folded, straight apostrophes, no final period."""
    if word.isascii():
        key = word.lower()
    else:
        key = normalize("NFC", word).casefold().replace("’", "'")
    return key[:-1] if len(key) > 1 and key.endswith(".") else key


def fold_names(words: Iterable[str]) -> list[str]:
    """Return the look-up keys of many names."""
    return [fold_name(word) for word in words]


UNRELIABLE_HEAD_CUES: Final = int(Cue.NATIONALITY | Cue.DEM | Cue.KIN | Cue.HEALTH | Cue.AGE)
"""Too short or too common as endings to say anything of a closed compound."""

MAX_HEAD_LENGTH: Final = 20
"""The most letters of a head inside a closed compound, which keeps the search linear."""

Table = dict[str, int]

INFLECTED_SECTIONS: Final = ("nouns", "persons", "adjectives")
SECTIONS: Final = ("any", "capitalized", "exact", *INFLECTED_SECTIONS)
"""The sections of a language's TOML file; the last three add inflected forms, which match in any case."""
OTHER_SECTIONS: Final = ("compound", "inflection", "genders", "traits", "phrases")
"""Sections that list no cues."""


def _parse_cue(name: str, where: str) -> int:
    try:
        return int(Cue[name])
    except KeyError as exc:
        raise DataError(f"{where}: {name} is no cue; the cues are listed in embanon/language/lexicon.py") from exc


def _read_classes(language: str) -> tuple[dict[str, Table], Mapping[str, Any]]:
    """Read the hand-written classes of a language: a table per way of matching, and the compound rule."""
    where = f"ontologies/lexicon/{language}.toml"
    content = language_table(language)
    tables: dict[str, Table] = {"any": {}, "capitalized": {}, "exact": {}}
    for section, classes in content.items():
        if section in OTHER_SECTIONS:
            continue
        if section not in SECTIONS:
            raise DataError(f"{where}: [{section}] is no section; use one of {', '.join(SECTIONS)}")
        # German writes nouns with a capital: reich is no Reich.
        noun = language == "de" and section in ("nouns", "persons")
        table = tables.get(section, tables["capitalized" if noun else "any"])
        for name, words in classes.items():
            bit = _parse_cue(name, where)
            forms = [entry.replace("_", " ") for entry in words.split()]
            if section in INFLECTED_SECTIONS:
                forms = inflect_all(forms, language, section)
            for key in forms if section == "exact" else fold_names(forms):
                table[key] = table.get(key, 0) | bit
    return tables, content.get("compound", {})


def _read_gazetteer(path: str) -> bytes:
    with find_resource("ontologies", "gazetteer", path).open("rb") as stream:
        return gzip.decompress(stream.read())


def _read_words(path: str, language: str) -> Table:
    """Read the words of one language from a list for several."""
    table: Table = {}
    for owner, bits, words in _read_groups(path):
        if owner == language:
            table.update(dict.fromkeys(words, bits))
    return table


def _read_groups(path: str) -> Iterator[tuple[str, int, list[str]]]:
    """Yield (language, cues, words) of a list whose groups are headed by `= language CUE …`.

    A word stands in one group of its language only, so that bits never need to be merged.
    """
    for group in _read_gazetteer(path).decode("utf-8").split("= ")[1:]:
        head, *words = group.rstrip("\n").split("\n")
        owner, *marks = head.split()
        yield owner, _parse_cues(marks, path), words


def _parse_cues(marks: Iterable[str], path: str) -> int:
    bits = 0
    for name in marks:
        bits |= _parse_cue(name, f"ontologies/gazetteer/{path}")
    return bits


BLOCK_SIZE: Final = 64
"""How many names lie between two that the index knows."""


@dataclass(frozen=True, slots=True, eq=False)
class NameTable:
    """Names of persons and places: sorted lines `key TAB class`, found by their block.

    A dictionary of the same names takes nine times the memory and three times as long to load.
    """

    lines: bytes = field(repr=False)
    firsts: list[bytes] = field(repr=False)
    starts: list[int] = field(repr=False)
    classes: tuple[int, ...] = field(repr=False)

    @classmethod
    def read(cls, path: str) -> NameTable:
        """Read a list: a row `= CUE …` for each class in order, an empty one, the sorted lines."""
        head, _, body = _read_gazetteer(path).partition(b"\n\n")
        lines = b"\n" + body + b"\n"
        classes = tuple(_parse_cues(row.split()[1:], path) for row in head.decode("ascii").split("\n"))
        breaks = np.flatnonzero(np.frombuffer(lines, dtype=np.uint8) == ord("\n"))
        starts = breaks[:-1:BLOCK_SIZE].tolist()
        firsts = [lines[start + 1 : lines.index(b"\t", start)] for start in starts]
        return cls(lines, firsts, [*starts, len(lines)], classes)

    def get(self, key: str) -> int:
        """Return the cues of a folded name, 0 if it is unknown."""
        # Lone surrogates are in no list, but must not raise.
        data = key.encode("utf-8", "surrogatepass")
        block = bisect_right(self.firsts, data) - 1
        if block < 0:
            return 0
        line = self.lines.find(b"\n%b\t" % data, self.starts[block], self.starts[block + 1])
        if line < 0:
            return 0
        code = line + len(data) + 2
        return self.classes[int(self.lines[code : code + 2], 16)]

    def rows(self) -> Iterator[tuple[str, int]]:
        """Return all names with their cues."""
        for line in self.lines.decode("utf-8").split("\n")[1:-1]:
            name, _, code = line.partition("\t")
            yield name, self.classes[int(code, 16)]


@cache
def _name_table() -> NameTable:
    """Read the names once for all languages; nothing ever writes to the table."""
    return NameTable.read("names.txt.gz")


@dataclass(frozen=True, slots=True, eq=False)
class Lexicon:
    """What word forms are known to be in one language. Made by `Lexicon.load`, never changed afterwards."""

    language: str
    exact: Mapping[str, int] = field(repr=False)
    folded: Mapping[str, int] = field(repr=False)
    capitalized: Mapping[str, int] = field(repr=False)
    names: NameTable = field(repr=False)
    min_head_length: int = 0
    """The fewest letters of a head inside a closed compound, or 0 where compounds are not written closed."""
    genitive_suffix: str = ""
    """What the genitive adds to a name without an apostrophe."""

    @staticmethod
    def load(language: str) -> Lexicon:
        """Load the lexicon of a language; unknown ones know names, places and perhaps stop words."""
        return _load(primary_language(language))

    @staticmethod
    def load_handwritten(language: str) -> Lexicon:
        """Load the hand-written classes of a language alone, which is all that there is before compiling."""
        tables, compound = _read_classes(language)
        empty = NameTable(b"", [], [0], ())
        shortest = int(compound.get("shortest", 0))
        genitive = str(compound.get("genitive", ""))
        return Lexicon(language, tables["exact"], tables["any"], tables["capitalized"], empty, shortest, genitive)

    def __reduce__(self) -> tuple[Callable[[str], Lexicon], tuple[str]]:
        return _load, (self.language,)

    def flags(self, word: str) -> int:
        """Return the cues of a word form as an integer, 0 if it is unknown."""
        key = fold_name(word)
        bits = self.exact.get(word, 0) | self.folded.get(key, 0)
        if word[:1] != key[:1]:
            bits |= self.capitalized.get(key, 0) | self.names.get(key)
        if word.endswith("."):
            bits |= self.exact.get(word[:-1], 0)
        return bits or self._compound(word, key)

    def place_cues(self, name: str) -> int:
        """Return the place cues of a name of one or several words, in any case; 0 if it is unknown."""
        key = fold_name(" ".join(name.split()))
        return (self.names.get(key) | self.capitalized.get(key, 0)) & PLACE_CUES

    def _compound(self, word: str, key: str) -> int:
        """Return what the last part of a compound says of it."""
        left, hyphen, right = key.rpartition("-")
        if hyphen and left and right:
            cut = len(word) - len(right)
            bits = (self.folded.get(right, 0) | self.capitalized.get(right, 0)) & HEAD_CUES
            if word[:1].isupper() and word[cut : cut + 1].isupper():
                # Jean-Pierre, Smith-Jones: a name if the first part is one as well.
                first = self.names.get(left.partition("-")[0])
                bits |= self.names.get(right) & first & PERSON_CUES
            return bits
        if not word[:1].isupper():
            return 0
        if self.genitive_suffix and key.endswith(self.genitive_suffix):
            name = key[: -len(self.genitive_suffix)]
            if bits := self.names.get(name) | (self.capitalized.get(name, 0) & PLACE_CUES):
                return bits
        if self.min_head_length:
            for start in range(max(3, len(key) - MAX_HEAD_LENGTH), len(key) - self.min_head_length + 1):
                if bits := self.capitalized.get(key[start:], 0) & HEAD_CUES & ~UNRELIABLE_HEAD_CUES:
                    return bits
        return 0


NO_WORDS: Final[Table] = {}

OTHER_LANGUAGES_FILE: Final = "other.txt.gz"


def _load(language: str) -> Lexicon:
    if language in LANGUAGES:
        return _load_full(language)
    # Not kept: texts may name any code, and putting the shared tables together takes no time.
    return Lexicon(language, NO_WORDS, _words_by_language().get(language, NO_WORDS), NO_WORDS, _name_table())


@cache
def _words_by_language() -> Mapping[str, Table]:
    """Read the words of all languages without a lexicon of their own, by language."""
    tables: dict[str, Table] = {}
    for owner, bits, words in _read_groups(OTHER_LANGUAGES_FILE):
        tables.setdefault(owner, {}).update(dict.fromkeys(words, bits))
    return tables


@cache
def _load_full(language: str) -> Lexicon:
    lexicon = Lexicon.load_handwritten(language)
    folded, capitalized = lexicon.folded, _merge_tables(lexicon.capitalized, _read_words("common.txt.gz", language))
    heads = _read_words("heads.txt.gz", language)
    if language == "de":
        capitalized = _merge_tables(capitalized, heads)
    else:
        folded = _merge_tables(folded, heads)
    return replace(lexicon, folded=folded, capitalized=capitalized, names=_name_table())


def _merge_tables(table: Mapping[str, int], other: Mapping[str, int]) -> Table:
    return {**table, **{word: bits | table.get(word, 0) for word, bits in other.items()}}


@lru_cache(maxsize=4)
def _first_words(names: NameTable) -> frozenset[str]:
    return frozenset(word.decode("utf-8") for word in re.findall(rb"\n([^\n\t ]+) ", names.lines))


@lru_cache(maxsize=8)
def first_words_of_places(lexicon: Lexicon) -> frozenset[str]:
    """Return the first words of all places of several words, which spares most look-ups."""
    return _first_words(lexicon.names).union(name.partition(" ")[0] for name in lexicon.capitalized if " " in name)
