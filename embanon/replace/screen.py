"""Screen ladders: which rungs may be said of a phrase, because they are true of what is meant, and harmless.

A rung is harmless if its own risk is below the limit: that of a common phrase by the rarity of its words, that of a
name that covers many (a country, a decade) by its rarity alone; labels of the inventory are plain. Without knowing what
an attacker has, what is nearest to the original is left out. Dates of the last years of a text keep their month and
year; births and older dates are never finer than the early, middle or late years of a decade; at stricter limits all
are decades.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Final

from embanon.config import RiskLimits
from embanon.document import Phrase
from embanon.entities import fold_text
from embanon.language import (
    PERSON_CUES,
    PLACE_CUES,
    UNKNOWN_GENDER,
    Cue,
    Lexicon,
    fold_name,
    is_known_noun,
    key,
    noun_gender,
    plural_form,
    word_share,
)
from embanon.replace.checks import WORD, ForbiddenWords, LabelRisk, is_name
from embanon.replace.deeds import plain_deed
from embanon.replace.edit import NO_LADDER, ScreenedLadder
from embanon.replace.grammar import INDEFINITE_ARTICLE, PERSONS, place_within, without_article
from embanon.replace.grammar.english import takes_an
from embanon.replace.merging import POSTCODE
from embanon.replace.ordinary import DESCRIBING, LESS_ORDINARY, NAMEABLE_KINDS, NATIONALITY, Ordinary, is_clause
from embanon.risk import is_everyday_kin, is_running_text
from embanon.taxonomy import (
    ADJECTIVE,
    COMPUTED,
    HEAD,
    HOMES,
    LISTED,
    LOCATED,
    PART_OF_DECADE,
    PART_OF_YEAR,
    ROUGH,
    STAGE,
    WORDNET,
    Climber,
    Context,
    Ladder,
    Rung,
    Store,
    is_day_first,
    is_of_life,
    load_tables,
    unique_words,
    with_month_second,
    years_in,
)
from embanon.text import AGE, DEFAULT_KINDS, KIN, LANDS, is_guess

MOSTLY_NOUN: Final = 1e-4
"""The share of words from which on a noun is no name."""
OCCUPATIONS: Final = frozenset(("DEM.job", "DEM.role"))
AGED_NUMBER: Final = re.compile(r"\d{1,3}[ \u00a0]?(?:a|A|J|yo)\.?")
PROJECTS: Final = frozenset(("project", "projekt", "proyecto", "projeto"))
"""Words of protected names that say only what they are."""
YEAR: Final = re.compile(r"(?:1[89]|20)\d\d")
LARGE_UNIT: Final = re.compile(
    r"[ \u00a0]?(?:Mio|Mrd|Mill|million|billion|thousand|hundred|grand\b|and a half|tausend|mil\b|m\b|bn\b|k\b|[%€£$°])"
)
"""What no age is followed by."""
PLACE_NUMBER: Final = re.compile(r"\d{1,5}(?:[-.]?[A-Z]|[.]?[ºª°](?: [A-Z])?)?|[A-Z]-?\d{1,4}")
"""A bed, a ward or a class that is only a number: 314-B, 4.º B."""
UNIT_AHEAD: Final = re.compile(r"(?:Jahre|Monate|Wochen|years|months|weeks|años|meses|semanas|anos) (?=[^\W\d_])")
"""The unit of the number before a description."""
IN_ADDRESS: Final = re.compile(r"\w, $")
NUMBERED_THING: Final = re.compile(
    r"(?:Flat|Unit|Room|Tree|Bay|Bed|Ward|Suite|Apt\.?|Apartment|Top|Wohnung|Zimmer|Raum|Stiege|Haus|Piso|Sala|Quarto|Apto\.?)"
    r"[ \u00a0](\d{1,4}[A-Za-z]?)"
)
"""A flat or a room that is called by its number."""
NOUN_AHEAD: Final = re.compile(r"([^\W\d_]{3,})[ \u00a0]$")
NOUN_BEHIND: Final = re.compile(
    r"[ \u00a0](?!(?:and|or|y|o|e|und|oder|is|was|ist|es|é)\b)[^\W\d_]{2,}|[ \u00a0]?[%€£$°]|[.,]\d|/"
)
"""Around a number: what it is the number of, and what it counts."""
EITHER: Final = re.compile(r" (?:ou|o|or|oder) (?:uma?|una?|an?|eine?) ")
EXCLUDED_KINDS: Final = frozenset(("month", "year", "person"))
"""Kinds of rungs that tell a date too well, but for those of the last years, or that are numbered."""
RECENT_KINDS: Final = frozenset(("month", "year"))
RECENT, FIRST_RECENT = 5, 2000
"""Years before the last one that a letter speaks of in which dates keep their month; earlier ones are of lives."""
FINE_KINDS: Final = frozenset((PART_OF_DECADE, PART_OF_YEAR))
ENGLISH_HOMES: Final = frozenset(("United Kingdom", "Ireland", "United States"))
"""Countries where most letters in English are from."""
PART_OF_CONTINENT: Final = re.compile(
    r"(?:north|south|east|west|central)(?:ern)? (?!america)|(?:nord|süd|ost|west|mittel|zentral)(?!amerik|indisch)"
    r"|\b(?:occidental|oriental|meridional|septentrional|central)(?:es)?\b|\b(?:oeste|leste|norte|sul|sud|este)-(?!america)",
    re.IGNORECASE,
)
"""In a label of a nationality: people are Europeans, and not Northern Europeans."""
LEAST_AT_HOME: Final = 3
"""Places of a text that lie in the country where it takes place."""
PLAIN_RUNGS: Final = frozenset((LISTED, ROUGH, ADJECTIVE, STAGE))
"""Kinds of rungs that people say of many, however rare their words are."""
FINE_LIMIT: Final = 0.5
"""Below this limit, dates are never finer than a decade."""
PHRASE_PART_KINDS: Final = frozenset(("simpler", "head"))
"""Kinds of rungs of stores that say a part of the phrase itself."""
ILLNESSES: Final = frozenset(("DEM.illness", "DEM.disability"))
LONGEST_NAMEABLE: Final = 3
"""Words of a characteristic that is more than its kind."""
CAPITALS: Final = {"capital city": "city", "hauptstadt": "Stadt", "capital": ""}
"""What a country has one of, and what is said instead where the country is said, too: the next kind where empty."""
WORK_RUNG: Final = "work"
BARE_WORKS: Final = frozenset(("a work", "una obra", "uma obra", "ein werk"))
"""Labels that say nothing of what has a title, or something else: ein Werk is also a factory."""
BARE_PLACES: Final = frozenset(("a place", "place", "un lugar", "lugar", "um lugar", "ein ort", "ort"))
"""Labels that say nothing of what a place is."""
INSTANCE, SUBCLASS = "instance", "subclass"
OF_A_PEOPLE: Final = (NATIONALITY, "DEM.origin", "DEM.language")
PLACE_TYPE_KINDS: Final = frozenset((INSTANCE, "place"))
"""Kinds of rungs that say what a place is."""
SETTLEMENTS: Final[Mapping[str, Mapping[str, str]]] = {
    "en": {"city": "a town", "a city": "a town"}, "es": {"población": "localidad"}, "pt": {"vila": "localidade"},
    "de": {"ortschaft": "Ort"},
}  # fmt: skip
WITH_THE: Final = re.compile(
    r"United |Netherlands|Philippines|Bahamas|Maldives|Americas|Middle East|Caribbean|Soviet Union"
    r"|.* (?:Republic|Islands)$"
)
"""Places whose names have an article in English."""
LADDER_CONTEXT: Final = 240
"""Characters before and after a phrase in which what it is may be said."""
WELL_KNOWN: Final = 100_000
"""The weight (of a gazetteer: about the inhabitants) from which a place is meant wherever its name stands."""


@dataclass(frozen=True, slots=True)
class LadderScreen:
    """Climbs from the phrases of a text, and leaves out what must not be said."""

    text: str = field(repr=False)
    climber: Climber
    label_risk: LabelRisk
    limits: RiskLimits
    ordinary: Ordinary = field(repr=False)
    hidden: ForbiddenWords = field(repr=False)
    known_places: Counter[str] = field(repr=False)
    """The places of the text that stores know, by the countries that they lie in."""
    last_year: int = 0
    """The last year that the text speaks of."""
    is_article: bool = False
    """Whether it is written in paragraphs: there, dates are of lives, and not of letters."""
    is_day_first: bool = False
    """Whether its dates have the day before the month, where that of the language is another way."""

    @classmethod
    def for_text(
        cls, text: str, phrases: Sequence[Phrase], climber: Climber, label_risk: LabelRisk, limits: RiskLimits,
        hidden: ForbiddenWords,
    ) -> LadderScreen:  # fmt: skip
        """Read in which countries the places of a text lie."""
        dates = (text[one.start : one.end] for one in phrases if one.type == "DATETIME")
        last_year = max((year for date in dates for year in years_in(date)), default=0)
        ordinary = Ordinary(text, climber, label_risk, limits)
        is_article = is_running_text(text)
        turned = climber.language == "en" and is_day_first(text, "en")
        screen = cls(text, climber, label_risk, limits, ordinary, hidden, Counter(), last_year, is_article, turned)
        written = {text[one.start : one.end]: one for one in phrases if one.type == "LOC" and one.form == "name"}
        for phrase in written.values():
            screen.known_places.update(screen._countries(screen._climb(phrase)))
        return screen

    def sayable(self, phrase: Phrase) -> Phrase:
        """Return a phrase as what may be said of it: where its type is a guess, a name, unless a store knows it."""
        if phrase.kind == "QUANTITY.count" and AGED_NUMBER.fullmatch(self.ordinary.written(phrase)):
            return replace(phrase, type="DEM", kind=AGE)  # Ilyas, 12 a.
        if phrase.kind == AGE and YEAR.fullmatch(self.ordinary.written(phrase)):
            return replace(phrase, type="DATETIME", kind="DATETIME.year")
        if phrase.kind == AGE and LARGE_UNIT.match(self.text, phrase.end):
            return replace(phrase, type="QUANTITY", kind="QUANTITY.number")
        if phrase.type == "DEM" and (unit := UNIT_AHEAD.match(self.text, phrase.start, phrase.end)):
            before = self.text[max(0, phrase.start - LADDER_CONTEXT) : phrase.start].split()
            if before and before[-1].isdecimal():  # 43 Jahre Lehrerin
                start = unit.end()
                phrase = replace(phrase, start=start, head_start=max(start, phrase.head_start))
        numbered = NUMBERED_THING.fullmatch(self.text, phrase.start, phrase.end)
        beside = (
            IN_ADDRESS.search(self.text[max(0, phrase.start - 3) : phrase.start]) or self.text[phrase.end :][:1] == ","
        )
        if phrase.type in ("MISC", "LOC") and phrase.form in ("name", "title") and numbered and not beside:
            start = numbered.start(1)
            return replace(phrase, start=start, head_start=start, type="CODE", kind=DEFAULT_KINDS["CODE"])  # Flat 4
        is_number = phrase.type == "LOC" and PLACE_NUMBER.fullmatch(self.ordinary.written(phrase))
        if is_number and phrase.kind != POSTCODE:
            return replace(phrase, type="CODE", kind=DEFAULT_KINDS["CODE"])  # bed 314-B
        if phrase.kind == "QUANTITY.count" and self._is_label(phrase):
            return replace(phrase, type="CODE", kind=DEFAULT_KINDS["CODE"])
        if (
            not is_guess(phrase.kind)
            or phrase.type == "CODE"
            or not all(rung.is_bare for rung in self._climb(phrase).rungs)
        ):
            return phrase
        return replace(phrase, type="MISC", kind=DEFAULT_KINDS["MISC"])

    def _is_label(self, phrase: Phrase) -> bool:
        """Return whether a number says which one of a kind is meant, and not how many: locker 14, trailer 5530."""
        before = self.text[max(0, phrase.start - LADDER_CONTEXT) : phrase.start]
        match = NOUN_AHEAD.search(before)
        if not match or not self.ordinary.written(phrase).isdecimal() or NOUN_BEHIND.match(self.text, phrase.end):
            return False
        word = match[1]
        return self.climber.lemma(word.lower()) == word.lower() and self.climber.is_noun(word)

    def entry_ladder(self, phrase: Phrase) -> ScreenedLadder:
        """Return what the stores that the user names say of a phrase itself: all but what has a protected name."""
        if not self.climber.entries:
            return NO_LADDER
        written, head = self.ordinary.written(phrase), self.text[phrase.head_start : phrase.head_end]
        climbed = self.climber.climb_entries(written, phrase.type, phrase.form, head, is_whole=is_clause(phrase))
        if not climbed.rungs and phrase.type == "PERSON":
            climbed = self.climber.climb_entries(self._without_titles(written), phrase.type, phrase.form)
        harmless = tuple(rung for rung in climbed.rungs if self._allows_own(rung, phrase.type))
        return ScreenedLadder(harmless, climbed.rungs) if climbed.rungs else NO_LADDER

    def _allows_own(self, rung: Rung, type: str) -> bool:
        """Return whether what the user calls a phrase may be said: below the limit, and no protected name.

        A scorer by similarity is asked once the label stands in its sentence.
        """
        is_below = self.label_risk.similarity is not None or self.label_risk.risk(rung.label) < self.limits.for_type(
            type
        )
        return is_below and not (self.hidden.matches(rung.label) or self.hidden.has_short_name(rung.label))

    def words_of(self, phrase: Phrase) -> frozenset[str]:
        """Return the words of a phrase without titles, folded, as they are without a genitive's ending."""
        words = WORD.findall(fold_text(self._without_titles(self.ordinary.written(phrase))))
        return frozenset(word.removesuffix("s") or word for word in words)

    def _without_titles(self, name: str) -> str:
        flags, words = Lexicon.load(self.climber.language).flags, name.split()
        while len(words) > 1 and (flags(words[0]) | flags(words[0].rstrip("."))) & Cue.TITLE:
            words = words[1:]
        return " ".join(words)

    def ladder(self, phrase: Phrase, *, bare: bool) -> ScreenedLadder:
        """Return the rungs of a phrase, and those that are harmless; `bare` allows types alone."""
        if phrase.type == "PERSON":
            return NO_LADDER
        if is_clause(phrase):
            return NO_LADDER if bare else self._ladder_of_head(phrase)
        if self.ordinary.is_plain_word(phrase) and not bare and (plain := self._ladder_of_head(phrase)).harmless:
            return plain
        if phrase.kind == KIN and not bare and (kin := self._ladder_of_kin(phrase)):
            return kin
        if phrase.kind == KIN and not bare and self.ordinary.written(phrase).count(" ") >= LONGEST_NAMEABLE:
            return self._ladder_of_head(phrase)  # a christening of a granddaughter is no relative
        if phrase.kind in OCCUPATIONS and not bare and " " in self.ordinary.written(phrase):
            plain = self._ladder_of_head(phrase)
            noun = plain.harmless[0] if plain.harmless else None
            if noun and noun.kind == HEAD and self._says_who(noun.label, self.ordinary.written(phrase)):
                return plain
        climbed = self._climb(phrase)
        every = climbed.rungs
        if phrase.type == "LOC":
            is_large = max(self._weights(climbed), default=0) >= WELL_KNOWN
            every = tuple(_as_settlement(rung, self.climber.language, is_large=is_large) for rung in every)
            every = tuple(map(_add_article, every)) if self.climber.language == "en" else every
        rungs = [rung for rung in every if not self._is_excluded(rung, phrase)]
        if not self._is_meant(phrase, climbed):
            rungs = [
                rung for rung in rungs
                if rung.is_own or (rung.kind != LOCATED and (phrase.type == "LOC" or rung.source == COMPUTED))
            ]  # fmt: skip
        telling = [rung for rung in rungs if not (rung.is_bare or rung.is_own)]
        if len(telling) > 1 and telling[0].source != COMPUTED and self._is_near(telling[0].label):
            rungs.remove(telling[0])
        # A number in words is rarer in texts than one in digits, and American than a nationality.
        covers_many = phrase.type in ("DATETIME", "QUANTITY") or phrase.kind == NATIONALITY
        rarity = 1.0 if covers_many else self.label_risk.rarest_word(self.ordinary.written(phrase))
        harmless = [
            rung for rung in rungs
            if (self._allows_own(rung, phrase.type) if rung.is_own else not self.hidden.matches(rung.label)
                and (rung.is_bare or not (bare or self._tells(rung, rarity, phrase.type))))
        ]  # fmt: skip
        if any(rung.is_own for rung in harmless):
            return ScreenedLadder(tuple(harmless), every)
        if phrase.type == "LOC":
            harmless, every = self._with_kind_in_place(phrase, harmless, every)
        says_little = phrase.type in DESCRIBING and not bare and all(map(_says_person, harmless))
        if says_little and ((plain := self._ladder_of_head(phrase)).harmless or not harmless):
            return plain
        return ScreenedLadder(tuple(sorted(harmless, key=_is_vague)), every)

    def _ladder_of_kin(self, phrase: Phrase) -> ScreenedLadder | None:
        """Return the noun of a description built on a word for a relative: his brother, a bishop, is his brother."""
        plain = self._ladder_of_head(phrase)
        noun = next((rung for rung in plain.harmless if rung.kind == HEAD), None)
        word = noun.label.split()[-1] if noun else ""  # two brothers
        kin = {word, self.climber.lemma(word)}
        if noun is None or not any(is_everyday_kin(one, self.climber.language) for one in kin):
            return None
        # The first woman to do something is more than a woman.
        is_pioneer = bool(self._pioneer(self.ordinary.written(phrase), noun.label))
        return None if is_pioneer else ScreenedLadder((noun,), plain.rungs)

    def head_of(self, phrase: Phrase) -> str:
        """Return the noun that a description is built on; empty of what is none."""
        if phrase.type not in DESCRIBING or phrase.form != "common":
            return ""
        return self.climber.head_of(self.ordinary.written(phrase), phrase.type, is_clause=is_clause(phrase))[0]

    def _pioneer(self, written: str, head: str) -> str:
        """Return what the first woman to do something is; empty of what is not said to be the first."""
        tables = load_tables(self.climber.language)
        first = fold_name(written.split()[0])
        if tables is None or first not in tables.words("nouns", "first"):
            return ""
        return tables.pairs("nouns", "pioneers").get(fold_name(head or first), "")

    def may_say(self, noun: str) -> bool:
        """Return whether a noun of the text may stand alone: no part of a name, and no rare word."""
        is_part = key(noun) not in PROJECTS and self.hidden.matches(noun)
        tells = is_part or self.hidden.reveals(noun)
        return not tells and self.label_risk.allows(noun.lower(), 1.0, "MISC")

    def plain_deed(self, phrase: Phrase) -> str:
        """Return what somebody did in plain words; empty where that cannot be told, or would tell who it was."""
        tables, written = load_tables(self.climber.language), self.ordinary.written(phrase)
        tells = phrase.type in DESCRIBING and phrase.form == "common" and " " in written
        if tables is None or not tells or not self.ordinary.spares_ordinary(phrase) or self.ordinary.is_unique(phrase):
            return ""
        denying = tables.words("nouns", "privative")
        deed = plain_deed(
            written, self.climber.language, self._is_plain_in_deed, unique_words(tables), denying, self._broader_noun
        )
        is_risky = not self.label_risk.allows(deed.lower(), self.label_risk.rarest_word(written), phrase.type)
        return "" if is_risky or self.hidden.matches(deed) or self.hidden.reveals(deed) else deed

    def _broader_noun(self, noun: str) -> str:
        """Return a plain word for a thing, an animal or somebody, in the gender and number of its noun."""
        language = self.climber.language
        base = self.climber.lemma(noun)
        base = base.capitalize() if language == "de" else base
        for label in map(without_article, self.climber.plain_labels(base)):
            is_fit = language == "en" or noun_gender(label, language) == noun_gender(base, language) != UNKNOWN_GENDER
            is_fit &= " " not in label and key(label) not in PERSONS
            if is_fit and self._is_plain_in_deed(label):
                return label if key(noun) == key(base) else plural_form(label, language)
        return ""

    def _is_plain_in_deed(self, word: str) -> bool:
        """Return whether a word of a deed is one that everybody uses, in any of its forms, and no date."""
        flags = Lexicon.load(self.climber.language).flags(word)
        is_name = word[:1].isupper() and flags & (PERSON_CUES | PLACE_CUES)
        is_name = is_name and not (self.climber.language == "de" and _is_mostly_noun(word))
        if is_name or flags & (Cue.MONTH | Cue.SEASON | Cue.HOLIDAY):
            return False
        forms = {word.lower(), self.climber.lemma(word.lower())}
        return min(map(self.label_risk.rarest_word, forms)) <= LESS_ORDINARY

    def _is_unique_alone(self, phrase: Phrase) -> bool:
        """Return whether a description says that something is of one alone, and not what: the only one at night."""
        tables = load_tables(self.climber.language)
        cut = tables.words("nouns", "cut") if tables else ()
        return self.ordinary.is_unique(phrase) and fold_name(self.ordinary.written(phrase).split()[1]) in cut

    def indefinite(self, article: str, noun: str = "") -> str:
        """Return what stands instead of a definite article before a noun in the same case, with a space if anything."""
        tables = load_tables(self.climber.language)
        if self.climber.language == "en" and noun:
            return "an " if takes_an(noun) else "a "
        word = tables.pairs("nouns", "indefinite").get(fold_name(article.strip()), "") if tables else ""
        return f"{word} " if word else ""

    def _ladder_of_head(self, phrase: Phrase) -> ScreenedLadder:
        """Return what the noun says that a description is built on, where nothing is known of the whole."""
        written = self.ordinary.written(phrase)
        rungs = self.climber.climb_from_head(written, phrase.type, is_clause=is_clause(phrase))
        noun = rungs[-1].label if rungs and rungs[-1].kind == HEAD else ""
        if not noun and self._is_unique_alone(phrase):
            rungs = (Rung(written.split()[0].lower(), COMPUTED, HEAD),)  # the only one on the night shift
        if phrase.form != "common":  # a project called Nordlicht is no light
            rungs = tuple(rung for rung in rungs if rung.kind != HEAD or rung.label == noun)
        if label := self._pioneer(written, noun):
            rungs = (Rung(label, COMPUTED, LISTED), *rungs)
        rarity = self.label_risk.rarest_word(written)
        harmless = [
            rung for rung in rungs
            if (rung.label != written or self.ordinary.is_plain_word(phrase) or self.ordinary.is_plain_person(phrase))
            and not self.hidden.matches(rung.label) and not self._tells(rung, rarity, phrase.type)
        ]  # fmt: skip
        if harmless and self.ordinary.is_plain_word(phrase):
            harmless = harmless[-1:]
        elif harmless and harmless[-1].kind == HEAD:  # a widow rather than a person
            harmless = [rung for rung in harmless if not _says_person(rung)]
            is_pioneer = bool(self._pioneer(written, noun))
            says_who = bool(harmless) and self._says_who(harmless[-1].label, written)
            if says_who and not is_pioneer:  # a baker in Zafra is no craftsman
                harmless = [harmless[-1], *harmless[:-1]]
        return ScreenedLadder(tuple(harmless), rungs)

    def _says_who(self, noun: str, written: str) -> bool:
        """Return whether a noun by itself says what somebody does, or is to somebody, in a word that people use.

        Not the chief of a crew, nor what is known with more words than the noun: an operator of cranes.
        """
        flags = Lexicon.load(self.climber.language).flags
        if not flags(noun) & (Cue.ROLE | Cue.KIN) or self.label_risk.rarest_word(noun) > LESS_ORDINARY:
            return False
        if self.climber.is_listed_with_more(written, noun):
            return False
        ahead = written[: written.find(noun)].split()
        return self.climber.language != "en" or not any(self.climber.is_noun(word) for word in ahead[-1:])

    def risk_of(self, rung: Rung, rungs: Sequence[Rung]) -> float:
        """Return the risk of a rung; what a place is adds nothing to where it is: a town in Canada."""
        same = [one.label for one in rungs if rung.kind == LOCATED and one.concept == rung.concept]
        return self.label_risk.risk(same[-1] if same else rung.label)

    def _tells(self, rung: Rung, original_rarity: float, type: str) -> bool:
        """Return whether a rung is risky; a label of the inventory is plain, however rare its words."""
        plain = rung.kind in PLAIN_RUNGS or self.label_risk.allows(rung.label, original_rarity, type)
        return not plain or self.hidden.reveals(rung.label)

    def _climb(self, phrase: Phrase) -> Ladder:
        head = self.text[phrase.head_start : phrase.head_end]
        context = Context.of_line(self.text, phrase.start, phrase.end, head)
        written = self.ordinary.written(phrase)
        if phrase.type == "DATETIME" and self.is_day_first:
            written = with_month_second(written)
        return self.climber.climb(written, phrase.type, phrase.kind, phrase.form, context)

    def _is_excluded(self, rung: Rung, phrase: Phrase) -> bool:
        """Return whether a rung reveals too much, or types the word, not its meaning: a diver is no occupation."""
        if rung.is_own:
            return rung.kind in PHRASE_PART_KINDS  # what the user calls it is said
        if phrase.type == "ORG" and rung.kind == LOCATED:
            return True  # whoever is in Europe is not Europe
        if phrase.kind in OF_A_PEOPLE and (rung.kind == INSTANCE or PART_OF_CONTINENT.search(rung.label)):
            return True  # nobody is a nationality
        if rung.kind == SUBCLASS and phrase.type in DESCRIBING and phrase.kind not in OF_A_PEOPLE:
            # What a dictionary has above a word is rarely what people say.
            return phrase.kind not in OCCUPATIONS or (rung.source == WORDNET and not _says_person(rung))
        if phrase.type == "DEM" and rung.source == COMPUTED and (rung.kind == "kind" or rung.is_bare):
            is_long = (
                self.text.count(" ", phrase.start, phrase.end) >= LONGEST_NAMEABLE
            )  # my dad at home with an illness
            is_named = phrase.form == "name" and phrase.kind not in ILLNESSES  # M. Huntington
            return is_long or phrase.kind not in NAMEABLE_KINDS or is_named
        if rung.kind == WORK_RUNG and key(rung.label) in BARE_WORKS:
            return True
        if rung.kind in FINE_KINDS:
            return self.limits.for_type(phrase.type) < FINE_LIMIT
        if rung.kind in RECENT_KINDS:
            return self.limits.for_type(phrase.type) < FINE_LIMIT or not self._is_recent(phrase)
        return rung.kind in EXCLUDED_KINDS or (rung.kind in PHRASE_PART_KINDS and rung.source != COMPUTED)

    def _is_recent(self, phrase: Phrase) -> bool:
        """Return whether a date is of the last years of the text, and no birth."""
        years = years_in(self.ordinary.written(phrase))
        tables = load_tables(self.climber.language)
        before = self.text[max(0, phrase.start - LADDER_CONTEXT) : phrase.start].rpartition("\n")[2]
        earliest = max(self.last_year - RECENT, FIRST_RECENT)
        recent = not self.is_article and bool(years) and min(years) >= earliest
        return recent and tables is not None and not is_of_life(before, tables)

    def _is_meant(self, phrase: Phrase, ladder: Ladder) -> bool:
        """Return whether what stores know is what the text means, as far as can be told.

        A place is well known, or lies where another place of the text does; else it may be a namesake that stores do
        not have. DOB is no town in Southern Europe, and the film Under Siege no siege.
        """
        if phrase.type == "LOC" and phrase.kind not in LANDS:
            cues = Lexicon.load(self.climber.language).place_cues(self.ordinary.written(phrase))
            if cues & (Cue.COUNTRY | Cue.REGION):
                return True
            near = any(self.known_places[country] > 1 for country in self._countries(ladder))
            return near or max(self._weights(ladder), default=0) >= WELL_KNOWN
        if phrase.type != "MISC":
            return True
        labels = [store.label(place, self.climber.language) or "" for store, place in self._senses(ladder)]
        is_common = phrase.form in ("name", "title") and bool(labels) and all(map(str.islower, labels))
        return not is_common and not any(rung.kind == LOCATED for rung in ladder.rungs)

    def _senses(self, ladder: Ladder) -> list[tuple[Store, int]]:
        """Return the stores and concepts that a ladder is true of."""
        known = ((self.climber.stores[name], id) for name, id, _ in ladder.senses if name in self.climber.stores)
        return [(store, place) for store, id in known if (place := store.find(id)) is not None]

    def _weights(self, ladder: Ladder) -> Iterator[float]:
        """Yield how well known each of the places is that a ladder is true of."""
        return (float(store.weights()[place]) for store, place in self._senses(ladder))

    def _is_near(self, label: str) -> bool:
        """Return whether a label is a name that tells nearly as much as what lies in it: a region, but no country."""
        return is_name(label) and not Lexicon.load(self.climber.language).place_cues(label) & Cue.COUNTRY

    def _countries(self, ladder: Ladder) -> set[str]:
        """Return the countries that a place lies in, as labels."""
        lexicon = Lexicon.load(self.climber.language)
        located = [rung.label for rung in ladder.rungs if rung.kind == LOCATED]
        return {label for label in located if lexicon.place_cues(label) & Cue.COUNTRY}

    def _is_home(self, country: str) -> bool:
        """Return whether a text takes place in a country: that of its language, or of most of its places."""
        country = country.removeprefix("the ")
        most = max(self.known_places.values(), default=0)
        mostly = most >= LEAST_AT_HOME and self.known_places[country] == most
        if self.climber.language == "en" and most > 1:  # of letters; of an article, a town in Ireland says more
            mostly |= not self.is_article and self.known_places[country] == most and country in ENGLISH_HOMES
        return mostly or country in HOMES.get(self.climber.language, frozenset())

    def _with_kind_in_place(
        self, phrase: Phrase, harmless: list[Rung], every: tuple[Rung, ...]
    ) -> tuple[list[Rung], tuple[Rung, ...]]:
        """Say both where a place is and what it is, if both are known: a city in Norway."""
        at_home = [rung for rung in harmless if rung.kind == LOCATED and self._is_home(rung.label)]
        is_city = any(
            rung.kind in PLACE_TYPE_KINDS or (rung.is_bare and key(rung.label) not in BARE_PLACES) for rung in harmless
        )
        if at_home and is_city and phrase.kind not in LANDS:  # a town, and not a town in the country of the text
            harmless = sorted(
                (rung for rung in harmless if rung.kind != LOCATED), key=lambda rung: key(rung.label) in BARE_PLACES
            )
        combined = _kind_in_place(harmless, self.climber.language, is_land=phrase.kind in LANDS)
        if not combined or self.hidden.reveals(combined[1].label):
            return harmless, every
        where, both = combined
        at = every.index(where)
        return [both, *harmless], (*every[:at], both, *every[at:])


def _is_mostly_noun(word: str) -> bool:
    """Return whether a German word that is a surname, too, is hardly ever one: Kind, Mann, but not Vogel."""
    return is_known_noun(word, "de") and word_share(word, "de") >= MOSTLY_NOUN


def _says_person(rung: Rung) -> bool:
    """Return whether a rung says no more than that somebody is meant, or one of two: um irmão ou uma irmã."""
    return key(without_article(rung.label)) in PERSONS or bool(EITHER.search(rung.label))


def _is_vague(rung: Rung) -> bool:
    return " or " in rung.label


def _kind_in_place(rungs: Sequence[Rung], language: str, *, is_land: bool) -> tuple[Rung, Rung] | None:
    """Return where a place is, and what says as well what it is, if both are known: a city in Norway."""
    where = next((rung for rung in rungs if rung.kind == LOCATED), None)
    if language != "en" and is_land:
        return None  # articles before lands are those of names
    kinds = [
        rung
        for rung in rungs
        if rung.kind in PLACE_TYPE_KINDS and not (rung.is_bare or is_proper(rung.label, language))
    ]
    kinds += [rung for rung in rungs if rung.is_bare][:1]  # a town, a district: what is learnt of a place
    if where is None or not kinds or key(kinds[0].label) in BARE_PLACES:
        return None
    within = place_within(where.label, language)
    labels = (CAPITALS.get(key(without_article(kind.label)), kind.label) for kind in kinds)
    kind = next(filter(None, labels), "")
    return (where, replace(where, label=f"{_with_article(kind, language)} {within}")) if within and kind else None


def _with_article(label: str, language: str) -> str:
    return label if language != "en" or INDEFINITE_ARTICLE.match(label) else f"a {label}"


def _as_settlement(rung: Rung, language: str, *, is_large: bool) -> Rung:
    """Call a settlement what people call those whose size is not known: stores call many a village a city."""
    label = SETTLEMENTS.get(language, {}).get(key(rung.label))
    return replace(rung, label=label) if label and not is_large else rung


def _add_article(rung: Rung) -> Rung:
    return replace(rung, label=f"the {rung.label}") if WITH_THE.match(rung.label) else rung


@lru_cache(maxsize=65_536)
def is_proper(label: str, language: str) -> bool:
    """Return whether a label has a name in it: a capital behind its article, which in German nouns have as well."""
    is_noun = bool(INDEFINITE_ARTICLE.match(label))
    if language == "de":
        return not is_noun and not is_known_noun(label.split(" ")[-1], language)
    return any(word[:1].isupper() for word in (label.split()[1:] if is_noun else label.split()))
