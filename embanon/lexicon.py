"""Say what a single word form, or a short name of several words, is known to be."""

from __future__ import annotations

import gzip
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import IntFlag, auto
from functools import cache
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from embanon.errors import DataError
from embanon.resources import resource


class Cue(IntFlag):
    """What a word form can be; a form may carry several. All bits are below 2**63."""

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
    AMBIGUOUS = auto()  # a name that is an ordinary word as well: Will, Hope, Reading


PLACE: Final = int(Cue.COUNTRY | Cue.REGION | Cue.CITY | Cue.MAJOR | Cue.CONTINENT)
PERSON: Final = int(Cue.GIVEN_NAME | Cue.FEMALE | Cue.MALE | Cue.SURNAME)

LANGUAGES: Final = ("en", "es", "pt", "de")

HEADS: Final = int(
    Cue.TIME_UNIT | Cue.AGE | Cue.NATIONALITY | Cue.DEM | Cue.PLACE_HEAD | Cue.ORG_HEAD | Cue.WORK_HEAD | Cue.EVENT_HEAD
    | Cue.AWARD_HEAD | Cue.LAW_HEAD | Cue.ROLE | Cue.KIN | Cue.HEALTH | Cue.DECADE | Cue.ERA
)  # fmt: skip
"""What the last part of a hyphenated or closed compound says of the whole: `ex-president`, `Landgericht`."""

Rule = tuple[str, tuple[str, ...]]

NOUNS: Final[Mapping[str, tuple[Rule, ...]]] = {
    "en": (
        ("quy", ("quies",)), ("ay", ("ays",)), ("ey", ("eys",)), ("oy", ("oys",)), ("y", ("ies",)),
        ("sis", ("ses",)), ("woman", ("women",)), ("man", ("men",)), ("wife", ("wives",)),
        ("s", ("ses",)), ("x", ("xes",)), ("z", ("zes",)), ("ch", ("ches",)), ("sh", ("shes",)), ("", ("s",)),
    ),
    "es": (
        ("z", ("ces",)), ("ión", ("iones",)), ("ón", ("ones", "ona", "onas")), ("án", ("anes", "ana", "anas")),
        ("és", ("eses", "esa", "esas")), ("ín", ("ines", "ina", "inas")), ("dor", ("dores", "dora", "doras")),
        ("tor", ("tores", "tora", "toras")), ("sor", ("sores", "sora", "soras")), ("s", ()),
        ("a", ("as",)), ("e", ("es",)), ("o", ("os",)), ("í", ("íes", "ís")), ("", ("es",)),
    ),
    "pt": (
        ("ção", ("ções",)), ("são", ("sões",)), ("ão", ("ões", "ãos", "ães", "ã", "ãs", "oa", "oas")),
        ("al", ("ais",)), ("el", ("éis",)), ("ol", ("óis",)), ("il", ("is", "eis")), ("m", ("ns",)),
        ("dor", ("dores", "dora", "doras")), ("tor", ("tores", "tora", "toras")), ("sor", ("sores", "sora", "soras")),
        ("ês", ("eses", "esa", "esas")), ("r", ("res",)), ("z", ("zes",)), ("s", ()), ("", ("s",)),
    ),
    "de": (
        ("erin", ("erinnen",)), ("in", ("innen", "ins")), ("chen", ("chens",)), ("en", ("ens",)),
        ("er", ("ers", "ern")), ("el", ("els", "eln")), ("um", ("ums", "en")), ("us", ("usse", "en")), ("e", ("en", "es")),
        ("ung", ("ungen",)), ("heit", ("heiten",)), ("keit", ("keiten",)), ("schaft", ("schaften",)),
        ("ion", ("ionen",)), ("tät", ("täten",)), ("ik", ("iken",)), ("or", ("ors", "oren")),
        ("ist", ("isten",)), ("ent", ("enten", "ents", "ente")), ("ant", ("anten",)), ("mann", ("manns", "männer", "leute")),
        ("", ("s", "es", "e", "en")),
    ),
}  # fmt: skip
"""The other forms of a noun by its ending, the first that fits; too many forms do less harm than a missing one."""

FEMININES: Final[Mapping[str, tuple[Rule, ...]]] = {
    "es": (("o", ("a", "as")), ("or", ("ora", "oras")), ("ín", ("ina",)), ("ante", ("anta",))),
    "pt": (("o", ("a", "as")), ("or", ("ora", "oras")), ("ês", ("esa", "esas"))),
    "de": (("e", ("in", "innen")), ("in", ()), ("er", ("erin", "erinnen")), ("ist", ("istin", "istinnen")),
           ("or", ("orin", "orinnen")), ("ent", ("entin", "entinnen")), ("ant", ("antin", "antinnen")),
           ("at", ("atin", "atinnen")), ("mann", ("frau", "frauen")), ("", ("in", "innen"))),
}  # fmt: skip
"""The forms that a noun for a person takes for women, added to those of `NOUNS`."""

ADJECTIVES: Final[Mapping[str, tuple[Rule, ...]]] = {
    "es": (
        ("o", ("a", "os", "as")), ("és", ("esa", "eses", "esas")), ("án", ("ana", "anes", "anas")),
        ("ón", ("ona", "ones", "onas")), ("ín", ("ina", "ines", "inas")), ("ol", ("ola", "oles", "olas")),
        ("dor", ("dora", "dores", "doras")), ("a", ("as",)), ("e", ("es",)), ("í", ("íes", "ís")), ("ú", ("úes", "ús")),
        ("s", ()), ("", ("es",)),
    ),
    "pt": (
        ("ão", ("ã", "ãos", "ãs", "ães", "ões")), ("eu", ("eia", "eus", "eias")), ("o", ("a", "os", "as")),
        ("ês", ("esa", "eses", "esas")), ("al", ("ais",)), ("el", ("éis",)), ("ol", ("ola", "óis", "olas")),
        ("dor", ("dora", "dores", "doras")), ("a", ("as",)), ("s", ()), ("", ("s",)),
    ),
    "de": (("e", ("n", "r", "s", "m")), ("", ("e", "en", "er", "es", "em"))),
}  # fmt: skip
"""The other forms of an adjective by its ending; English has none. German `-e` only takes what follows it."""


def inflect(word: str, rules: Iterable[Rule]) -> Iterator[str]:
    """Give the other forms of a word by the first rule whose ending fits."""
    for ending, others in rules:
        if word.endswith(ending):
            stem = word[: len(word) - len(ending)]
            yield from (stem + other for other in others)
            return


def inflect_noun(word: str, language: str, *, person: bool = False) -> Iterator[str]:
    """Give the other number, case and, for persons, gender forms of a noun."""
    yield from inflect(word, NOUNS.get(language, ()))
    if person:
        yield from inflect(word, FEMININES.get(language, ()))


def inflect_adjective(word: str, language: str) -> Iterator[str]:
    """Give the other gender, number and case forms of an adjective."""
    rules = ADJECTIVES.get(language, ())
    if language == "de" and word.endswith("e"):
        yield from (word + other for other in rules[0][1])
    else:
        yield from inflect(word, rules)


def fold(word: str) -> str:
    """Give the look-up key of a word or name: case-folded, straight apostrophes, no final period."""
    key = word.casefold()
    if "’" in key:
        key = key.replace("’", "'")
    return key[:-1] if len(key) > 1 and key.endswith(".") else key


Table = dict[str, int]

_SECTIONS: Final[Mapping[str, Callable[[str, str], Iterable[str]] | None]] = {
    "any": None,
    "capitalized": None,
    "exact": None,
    "nouns": inflect_noun,
    "persons": lambda word, language: inflect_noun(word, language, person=True),
    "adjectives": inflect_adjective,
}
"""The sections of a language's TOML file; the last three add inflected forms, which match in any case."""


def _cue(name: str, where: str) -> int:
    try:
        return int(Cue[name])
    except KeyError as exc:
        raise DataError(f"{where}: {name} is no cue; the cues are listed in embanon/lexicon.py") from exc


def _closed(language: str) -> tuple[dict[str, Table], Mapping[str, Any]]:
    """Read the hand-written classes of a language: a table per way of matching, and the compound rule."""
    where = f"ontologies/lexicon/{language}.toml"
    content = tomllib.loads(resource("ontologies", "lexicon", f"{language}.toml").read_text("utf-8"))
    compound = content.pop("compound", {})
    tables: dict[str, Table] = {"any": {}, "capitalized": {}, "exact": {}}
    for section, classes in content.items():
        if section not in _SECTIONS:
            raise DataError(f"{where}: [{section}] is no section; use one of {', '.join(_SECTIONS)}")
        forms = _SECTIONS[section]
        table = tables.get(section, tables["any"])
        for name, words in classes.items():
            bit = _cue(name, where)
            for entry in words.split():
                word = entry.replace("_", " ")
                for form in (word, *(forms(word, language) if forms else ())):
                    key = form if section == "exact" else fold(form)
                    table[key] = table.get(key, 0) | bit
    return tables, compound


def read_groups(path: str) -> Iterator[tuple[tuple[str, ...], list[str]]]:
    """Read a compiled list: groups of lines, each headed by `= CUE CUE …`."""
    with resource("ontologies", "gazetteer", path).open("rb") as stream:
        content = gzip.decompress(stream.read()).decode("utf-8")
    for group in content.split("= ")[1:]:
        head, *words = group.rstrip("\n").split("\n")
        yield tuple(head.split()), words


def _compiled(path: str, only: str | None = None) -> Table:
    """Read a compiled list into one table; `only` keeps the groups whose first mark is that language."""
    table: Table = {}
    for marks, words in read_groups(path):
        if only is not None:
            if marks[0] != only:
                continue
            marks = marks[1:]
        bits = 0
        for name in marks:
            bits |= _cue(name, f"ontologies/gazetteer/{path}")
        # A word stands in one group only, so that groups never need to be merged.
        table.update(dict.fromkeys(words, bits))
    return table


@cache
def _names() -> Table:
    """Read the names of persons and places once for all languages; nothing ever writes to the table."""
    return _compiled("names.txt.gz")


@dataclass(frozen=True, slots=True, eq=False)
class Lexicon:
    """What word forms are known to be in one language. Made by `Lexicon.load`, never changed afterwards."""

    language: str
    exact: Mapping[str, int] = field(repr=False)
    folded: Mapping[str, int] = field(repr=False)
    capitalized: Mapping[str, int] = field(repr=False)
    names: Mapping[str, int] = field(repr=False)
    shortest: int = 0
    """The fewest letters of a head inside a closed compound, or 0 where compounds are not written closed."""

    @staticmethod
    def load(language: str) -> Lexicon:
        """Load the lexicon of a language; unknown ones know names, places and perhaps stop words."""
        return _load(language)

    def __reduce__(self) -> tuple[Callable[[str], Lexicon], tuple[str]]:
        return _load, (self.language,)

    def flags(self, word: str) -> int:
        """Give the cues of a word form as an integer, 0 if it is unknown."""
        key = fold(word)
        bits = self.exact.get(word, 0) | self.folded.get(key, 0)
        if word[:1].isupper() or (word[:1] != key[:1]):
            bits |= self.capitalized.get(key, 0) | self.names.get(key, 0)
        if word.endswith("."):
            bits |= self.exact.get(word[:-1], 0)
        return bits or self._compound(word, key)

    def flags_many(self, words: Sequence[str]) -> NDArray[np.int64]:
        """Give the cues of many word forms."""
        return np.fromiter(map(self.flags, words), dtype=np.int64, count=len(words))

    def place(self, name: str) -> int:
        """Give the place cues of a name of one or several words, in any case; 0 if it is unknown."""
        return (self.names.get(key := fold(name), 0) | self.capitalized.get(key, 0)) & PLACE

    def _compound(self, word: str, key: str) -> int:
        """Give what the last part of a compound says of it."""
        left, hyphen, right = key.rpartition("-")
        if hyphen and left and right:
            cut = len(word) - len(right)
            bits = self.folded.get(right, 0) & HEADS
            if word[:1].isupper() and word[cut : cut + 1].isupper():
                # Jean-Pierre, Smith-Jones: a name if the first part is one as well.
                first = self.names.get(left.partition("-")[0], 0)
                bits |= self.names.get(right, 0) & first & PERSON
                bits |= self.capitalized.get(right, 0) & HEADS
            return bits
        if self.shortest:
            for start in range(3, len(key) - self.shortest + 1):
                if bits := self.folded.get(key[start:], 0) & HEADS:
                    return bits
        return 0


@cache
def _load(language: str) -> Lexicon:
    if language not in LANGUAGES:
        return Lexicon(language, {}, _compiled("other.txt.gz", only=language), {}, _names())
    tables, compound = _closed(language)
    folded = tables["any"]
    for word, bits in _compiled("heads.txt.gz", only=language).items():
        folded[word] = folded.get(word, 0) | bits
    for word, bits in _compiled("common.txt.gz", only=language).items():
        tables["capitalized"][word] = tables["capitalized"].get(word, 0) | bits
    return Lexicon(
        language, tables["exact"], folded, tables["capitalized"], _names(), int(compound.get("shortest", 0))
    )
