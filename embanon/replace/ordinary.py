"""Tell what is so ordinary that it stays: small numbers and sums, times of day, words that everybody uses."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Final

from embanon.config import RiskLimits
from embanon.document import Phrase
from embanon.language import Cue, Lexicon, fold_name
from embanon.replace.checks import LabelRisk
from embanon.taxonomy import LEAST_COUNT, LOCATED, Climber, find_number, load_tables, unique_words
from embanon.text import AGE, DEFAULT_KINDS, STATEMENT

LEAST_LIMIT: Final = 0.2
"""Below this limit, ordinary words and small numbers are risky as well."""
MOST_ORDINARY: Final = 3
ORDINARY: Final = 0.55
"""The rarity up to which a word is an ordinary one."""
LESS_ORDINARY: Final = 0.8
"""The same of a word for a thing of which there is no label: an attic, a headway."""
WORDS: Final = re.compile(r"[^\W_]+")
NEXT_WORD: Final = re.compile(r" [a-z]{3,}")
PLAIN_PEOPLE: Final = frozenset(("DEM.kin", "DEM.role", "DEM.group", "DEM.status", "DEM.trait"))
COUNTS: Final = frozenset(("QUANTITY.count", "QUANTITY.ordinal", "QUANTITY.number"))
LONGEST_COUNT: Final = 12
"""Letters of a number below the least that may tell of somebody."""
MULTIPLE: Final = re.compile(r"(?:\d|\d{1,2}[.,]\d{1,2})[ \u00a0]?[x×](?: [a-z]+)?", re.IGNORECASE)
"""How many times something: 8.4x."""
AGE_LIMIT: Final = re.compile(
    r"\b(?:menores de|mayores de|maiores de|children (?:under|over)|Kinder (?:unter|über|bis|ab)|under-|over-)[ ]?$"
)
"""Before an age that a rule is for, and nobody's."""
ORDINALS: Final = re.compile(r"\d{1,2}(?:st|nd|rd|th)(?:(?:, | and |, and )\d{1,2}(?:st|nd|rd|th))*")
"""The 7th parliament, the 1st and 2nd."""
LONGEST_LIMIT: Final = 20
TIMES: Final = re.compile(r"[ \u00a0]?[x×](?!\w)")
LEAST_SUM: Final = 100
"""The least sum of money that may."""
CLOCK_TIME: Final = re.compile(
    r"(?:gegen |um |at |las |à?s )?(?:\d{1,2}[:h]\d{2} ?[–-] ?)?"
    r"(?:\d{1,2}[:h]\d{2}(?:[ \u00a0]?(?:h|hrs?|Uhr|horas?|am|pm)\.?)?|\d{1,2}\.\d{2} Uhr)",
    re.IGNORECASE,
)
NAMELIKE: Final = frozenset(("PERSON", "ORG", "LOC", "MISC"))
CURRENCY: Final = re.compile(
    r"[£$€]|EUR|GBP|USD|CHF|Fr\.?|DM|R\$|Euros?|euros?|pounds?|quid|bob|shillings?|dollars?|francs?|Franken|Mark"
    r"|Schilling|reais|escudos?|contos?|pesos|pesetas?|duros?|soles|bolívares"
)
NAMEABLE_KINDS: Final = frozenset(
    f"DEM.{kind}" for kind in "age disability hobby illness kin language offense treatment".split()
)
"""Kinds of characteristics whose kind can stand in a sentence."""
CITY, DURATION = "LOC.town", "DATETIME.duration"
NATIONALITY: Final = "DEM.nationality"
DESCRIBING: Final = frozenset(("DEM", "MISC"))
"""Types of descriptions and clauses."""


@dataclass(frozen=True, slots=True)
class Ordinary:
    """What the phrases of a text are, where it is ordinary."""

    text: str = field(repr=False)
    climber: Climber
    label_risk: LabelRisk
    limits: RiskLimits

    def is_harmless(self, phrase: Phrase) -> bool:
        """Return whether a phrase is a small number or sum, a time of day or a weekday, or part of a fixed name.

        The ³ of m³ is at any limit.
        """
        written = self.written(phrase)
        if len(written) == 1 and written.isdigit() and not written.isdecimal():
            return True
        if not self.spares_ordinary(phrase):
            return False
        if phrase.kind == NATIONALITY and (following := NEXT_WORD.match(self.text, phrase.end)):
            is_person = Lexicon.load(self.climber.language).flags(following[0].strip()) & (Cue.ROLE | Cue.KIN)
            return not is_person and self.climber.is_fixed(f"{written}{following[0]}")  # American football
        if phrase.type in ("PERSON", "ORG") and self._is_legal_form(written):
            return True
        if ORDINALS.fullmatch(written) and (phrase.type not in ("CODE", "DATETIME") or "," in written):
            return True
        if phrase.kind == AGE and AGE_LIMIT.search(self.text, max(0, phrase.start - LONGEST_LIMIT), phrase.start):
            return True
        times = TIMES.match(self.text, phrase.end)
        if phrase.type == "QUANTITY" and MULTIPLE.fullmatch(f"{written}{times[0] if times else ''}"):
            return True
        is_clock = phrase.type == "DATETIME" and bool(CLOCK_TIME.fullmatch(written))
        is_day = phrase.type == "DATETIME" and written.isalpha() and self.is_weekday(written)
        if is_day or self._is_plain_time(phrase):
            return True
        return is_clock or self._is_small_sum(phrase) or self._is_small_count(phrase)

    def _is_legal_form(self, written: str) -> bool:
        """Return whether nothing but the form of a company was taken for a name: S. A., pty ltd."""
        flags = Lexicon.load(self.climber.language).flags
        joined = "".join(written.split())
        words = (joined, joined.rstrip(".")) if "." in written else written.split()
        is_form = [bool(flags(word) & Cue.ORG_SUFFIX) for word in words]
        return any(is_form) if "." in written else all(is_form)

    def _is_plain_time(self, phrase: Phrase) -> bool:
        """Return whether a phrase is a time that nobody counted: one whole night."""
        written, tables = self.written(phrase), load_tables(self.climber.language)
        if phrase.kind != DURATION or tables is None or find_number(written, tables) is not None:
            return False
        return all(map(self.is_ordinary_word, written.split()))

    def spares_ordinary(self, phrase: Phrase) -> bool:
        """Return whether the limit of a phrase lets ordinary words and small numbers be."""
        return self.limits.for_type(phrase.type) >= LEAST_LIMIT

    def is_thing_for_person(self, phrase: Phrase) -> bool:
        """Return whether what was taken for somebody is a German noun, and no name: Personalrat."""
        written = self.written(phrase)
        if self.climber.language != "de" or phrase.type != "PERSON" or not (written.isalpha() and written.istitle()):
            return False
        flags = Lexicon.load("de").flags(written) & (Cue.GIVEN_NAME | Cue.SURNAME | Cue.TITLE)
        return not flags and self.spares_ordinary(phrase) and self.climber.is_compound_or_noun(written)

    def is_field_label(self, phrase: Phrase) -> bool:
        """Return whether what was taken for a name is the label of a number, in capitals: NIE X-7418802-Z."""
        written = self.written(phrase)
        if phrase.type not in NAMELIKE or not (written.isalpha() and written.isupper() and len(written) > 1):
            return False
        flags = Lexicon.load(self.climber.language).flags(written)
        is_name = flags & (Cue.GIVEN_NAME | Cue.SURNAME)
        return bool(flags & Cue.CODE_HEAD) and not is_name and self.spares_ordinary(phrase)

    def is_weekday(self, word: str) -> bool:
        """Return whether a word is a weekday, or short for one."""
        tables, language = load_tables(self.climber.language), self.climber.language
        short = tables is not None and fold_name(word) in tables.words("dates", "weekdays_short")
        return short or bool(Lexicon.load(language).flags(word) & Cue.WEEKDAY)

    def _is_small_sum(self, phrase: Phrase) -> bool:
        """Return whether a phrase is a sum of less than a hundred, and no more: £5, 23 euros, but not £50k."""
        if phrase.kind != "QUANTITY.money":
            return False
        written, tables = self.written(phrase), load_tables(self.climber.language)
        number = find_number(written, tables) if tables else None
        if number is None or number.has_others or number.value >= LEAST_SUM:
            return False
        return bool(CURRENCY.fullmatch(f"{written[: number.start]}{written[number.end :]}".strip()))

    def _is_small_count(self, phrase: Phrase) -> bool:
        """Return whether a phrase is a number below ten and nothing else, or its ordinal: three, 3), erste."""
        written, tables = self.written(phrase).strip(" ().ªº°"), load_tables(self.climber.language)
        if phrase.kind not in COUNTS or tables is None:
            return False
        number = find_number(written, tables) if len(written) <= LONGEST_COUNT else None
        if number is None:
            ordinals = tables.pairs("dates", "ordinals")
            small = int(ordinals.get(fold_name(written), LEAST_COUNT)) < LEAST_COUNT
            return small or fold_name(written) in tables.words("nouns", "first")
        is_whole = number.value == int(number.value)
        return is_whole and number.value < LEAST_COUNT and (number.start, number.end) == (0, len(written))

    def is_ordinary(self, phrase: Phrase) -> bool:
        """Return whether a description consists of a few words that everybody uses, and tells of nobody alone."""
        words = WORDS.findall(self.written(phrase))
        describes = phrase.type in DESCRIBING and not is_clause(phrase) and phrase.kind not in NAMEABLE_KINDS
        if not describes or len(words) > MOST_ORDINARY or not self.spares_ordinary(phrase):
            return False
        is_title = phrase.type == "DEM" and bool(self.climber.head_of(self.written(phrase), "DEM")[0])  # Speaker
        if phrase.form != "common" and not is_title:
            return False
        rarity = max((self.label_risk.rarest_word(word.lower()) for word in words), default=1.0)
        if any(map(self.says_unique, words)):
            return False
        is_thing = phrase.kind == DEFAULT_KINDS["MISC"] and len(words) == 1
        return rarity <= ORDINARY or (is_thing and rarity <= LESS_ORDINARY and not self._names_place(words[0]))

    def _names_place(self, word: str) -> bool:
        """Return whether a word is the name of a place as well, however it is written: cochem."""
        rungs = self.climber.climb(word.capitalize(), "LOC", CITY, "name").rungs
        return any(rung.kind == LOCATED for rung in rungs)

    def is_plain_word(self, phrase: Phrase) -> bool:
        """Return whether a phrase is one ordinary word for a thing, which alone tells of nobody."""
        is_thing = phrase.kind == DEFAULT_KINDS["MISC"] and phrase.form == "common"
        return is_thing and self.spares_ordinary(phrase) and self.is_ordinary_word(self.written(phrase))

    def is_plain_person(self, phrase: Phrase) -> bool:
        """Return whether a phrase is one ordinary word for somebody: the girl, a granddaughter."""
        is_person = phrase.kind in PLAIN_PEOPLE and self.spares_ordinary(phrase)
        return is_person and self.is_ordinary_word(self.written(phrase))

    def is_ordinary_word(self, word: str) -> bool:
        """Return whether it is a single word that everybody uses."""
        return word.isalpha() and self.label_risk.rarest_word(word) <= ORDINARY

    def is_unique(self, phrase: Phrase) -> bool:
        """Return whether a description begins by saying that it is of one alone."""
        words = self.written(phrase).split()
        return phrase.type in DESCRIBING and phrase.form == "common" and len(words) > 1 and self.says_unique(words[0])

    def says_unique(self, word: str) -> bool:
        """Return whether a word says that something is of one alone: first, only, last."""
        tables = load_tables(self.climber.language)
        return tables is not None and fold_name(word) in unique_words(tables)

    def written(self, phrase: Phrase) -> str:
        """Return how a phrase is written."""
        return self.text[phrase.start : phrase.end]


def is_clause(phrase: Phrase) -> bool:
    """Return whether a phrase tells something in a clause."""
    return phrase.kind.endswith(f".{STATEMENT}")
