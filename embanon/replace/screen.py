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
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Final

from embanon.config import RiskLimits
from embanon.document import Phrase
from embanon.language import Cue, Lexicon, is_known_noun, key
from embanon.replace.checks import ForbiddenWords, LabelRisk, is_name
from embanon.replace.edit import NO_LADDER, ScreenedLadder
from embanon.replace.grammar import INDEFINITE_ARTICLE, place_within, without_article
from embanon.risk import is_running_text
from embanon.taxonomy import (
    COMPUTED,
    LISTED,
    LOCATED,
    PART_OF_DECADE,
    PART_OF_YEAR,
    Climber,
    Context,
    Ladder,
    Rung,
    Store,
    is_of_life,
    load_tables,
    years_in,
)
from embanon.text import DEFAULT_KINDS, LANDS, STATEMENT, is_guess

EXCLUDED_KINDS: Final = frozenset(("month", "year", "person"))
"""Kinds of rungs that tell a date too well, but for those of the last years, or that are numbered."""
RECENT_KINDS: Final = frozenset(("month", "year"))
RECENT, FIRST_RECENT = 5, 2000
"""Years before the last one that a letter speaks of in which dates keep their month; earlier ones are of lives."""
FINE_KINDS: Final = frozenset((PART_OF_DECADE, PART_OF_YEAR))
FINE_LIMIT: Final = 0.5
"""Below this limit, dates are never finer than a decade."""
PHRASE_PART_KINDS: Final = frozenset(("simpler", "head"))
"""Kinds of rungs of stores that say a part of the phrase itself."""
NAMEABLE_KINDS: Final = frozenset(
    f"DEM.{kind}" for kind in "age disability hobby illness kin language offense treatment".split()
)
"""Kinds of characteristics whose kind can stand in a sentence."""
LONGEST_NAMEABLE: Final = 3
"""Words of a characteristic that is more than its kind."""
CAPITALS: Final = {"capital city": "city", "hauptstadt": "Stadt", "capital": ""}
"""What a country has one of, and what is said instead where the country is said, too: the next kind where empty."""
WORK_RUNG: Final = "work"
BARE_WORKS: Final = frozenset(("a work", "una obra", "uma obra", "ein werk"))
"""Labels that say nothing of what has a title, or something else: ein Werk is also a factory."""
BARE_PLACES: Final = frozenset(("a place", "place", "un lugar", "lugar", "um lugar", "ein ort", "ort"))
"""Labels that say nothing of what a place is."""
PLACE_TYPE_KINDS: Final = frozenset(("instance", "place"))
"""Kinds of rungs that say what a place is."""
CITIES: Final = frozenset(("city", "a city"))
SMALLEST_TOWN: Final = 5_000
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
    hidden: ForbiddenWords = field(repr=False)
    known_places: Counter[str] = field(repr=False)
    """The places of the text that stores know, by the countries that they lie in."""
    last_year: int = 0
    """The last year that the text speaks of."""
    is_article: bool = False
    """Whether it is written in paragraphs: there, dates are of lives, and not of letters."""

    @classmethod
    def for_text(
        cls, text: str, phrases: Sequence[Phrase], climber: Climber, label_risk: LabelRisk, limits: RiskLimits,
        hidden: ForbiddenWords,
    ) -> LadderScreen:  # fmt: skip
        """Read in which countries the places of a text lie."""
        dates = (text[one.start : one.end] for one in phrases if one.type == "DATETIME")
        last_year = max((year for date in dates for year in years_in(date)), default=0)
        screen = cls(text, climber, label_risk, limits, hidden, Counter(), last_year, is_running_text(text))
        written = {text[one.start : one.end]: one for one in phrases if one.type == "LOC" and one.form == "name"}
        for phrase in written.values():
            screen.known_places.update(screen._countries(screen._climb(phrase)))
        return screen

    def sayable(self, phrase: Phrase) -> Phrase:
        """Return a phrase as what may be said of it: where its type is a guess, a name, unless a store knows it."""
        if (
            not is_guess(phrase.kind)
            or phrase.type == "CODE"
            or not all(rung.is_bare for rung in self._climb(phrase).rungs)
        ):
            return phrase
        return replace(phrase, type="MISC", kind=DEFAULT_KINDS["MISC"])

    def ladder(self, phrase: Phrase, *, bare: bool) -> ScreenedLadder:
        """Return the rungs of a phrase, and those that are harmless; `bare` allows types alone."""
        if phrase.type == "PERSON" or phrase.kind.endswith(f".{STATEMENT}"):
            return NO_LADDER
        climbed = self._climb(phrase)
        every = climbed.rungs
        if phrase.type == "LOC" and self.climber.language == "en":
            size = max(self._weights(climbed), default=0)
            every = tuple(_with_size(rung, size) for rung in map(_add_article, every))
        rungs = [rung for rung in every if not self._is_excluded(rung, phrase)]
        if not self._is_meant(phrase, climbed):
            rungs = [
                rung for rung in rungs if rung.kind != LOCATED and (phrase.type == "LOC" or rung.source == COMPUTED)
            ]
        telling = [rung for rung in rungs if not rung.is_bare]
        if len(telling) > 1 and telling[0].source != COMPUTED and self._is_near(telling[0].label):
            rungs.remove(telling[0])
        written = self.text[phrase.start : phrase.end]
        # What covers a date is never rarer.
        rarity = 1.0 if phrase.type == "DATETIME" else self.label_risk.rarest_word(written)
        harmless = [
            rung for rung in rungs
            if not self.hidden.matches(rung.label)
            and (rung.is_bare or not (bare or self._tells(rung, rarity, phrase.type)))
        ]  # fmt: skip
        if phrase.type == "LOC":
            harmless, every = self._with_kind_in_place(phrase, harmless, every)
        return ScreenedLadder(tuple(sorted(harmless, key=_is_vague)), every)

    def risk_of(self, rung: Rung, rungs: Sequence[Rung]) -> float:
        """Return the risk of a rung; what a place is adds nothing to where it is: a town in Canada."""
        same = [one.label for one in rungs if rung.kind == LOCATED and one.concept == rung.concept]
        return self.label_risk.risk(same[-1] if same else rung.label)

    def _tells(self, rung: Rung, original_rarity: float, type: str) -> bool:
        """Return whether a rung is risky; a label of the inventory is plain, however rare its words."""
        plain = rung.kind == LISTED or self.label_risk.allows(rung.label, original_rarity, type)
        return not plain or self.hidden.reveals(rung.label)

    def _climb(self, phrase: Phrase) -> Ladder:
        text = self.text
        before = text[max(0, phrase.start - LADDER_CONTEXT) : phrase.start].rpartition("\n")[2]
        after = text[phrase.end : phrase.end + LADDER_CONTEXT].partition("\n")[0]
        context = Context(before, after, text[phrase.head_start : phrase.head_end])
        written = text[phrase.start : phrase.end]
        return self.climber.climb(written, phrase.type, phrase.kind, phrase.form, context)

    def _is_excluded(self, rung: Rung, phrase: Phrase) -> bool:
        """Return whether a rung reveals too much, or types the word, not its meaning: a diver is no occupation."""
        if phrase.type == "DEM" and rung.source == COMPUTED and (rung.kind == "kind" or rung.is_bare):
            is_long = (
                self.text.count(" ", phrase.start, phrase.end) >= LONGEST_NAMEABLE
            )  # my dad at home with an illness
            return is_long or phrase.kind not in NAMEABLE_KINDS or phrase.form == "name"
        if rung.kind == WORK_RUNG and key(rung.label) in BARE_WORKS:
            return True
        if rung.kind in FINE_KINDS:
            return self.limits.for_type(phrase.type) < FINE_LIMIT
        if rung.kind in RECENT_KINDS:
            return self.limits.for_type(phrase.type) < FINE_LIMIT or not self._is_recent(phrase)
        return rung.kind in EXCLUDED_KINDS or (rung.kind in PHRASE_PART_KINDS and rung.source != COMPUTED)

    def _is_recent(self, phrase: Phrase) -> bool:
        """Return whether a date is of the last years of the text, and no birth."""
        years = years_in(self.text[phrase.start : phrase.end])
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
            written = self.text[phrase.start : phrase.end]
            if Lexicon.load(self.climber.language).place_cues(written) & (Cue.COUNTRY | Cue.REGION):
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

    def _with_kind_in_place(
        self, phrase: Phrase, harmless: list[Rung], every: tuple[Rung, ...]
    ) -> tuple[list[Rung], tuple[Rung, ...]]:
        """Say both where a place is and what it is, if both are known: a city in Norway."""
        combined = _kind_in_place(harmless, self.climber.language, is_land=phrase.kind in LANDS)
        if not combined or self.hidden.reveals(combined[1].label):
            return harmless, every
        where, both = combined
        at = every.index(where)
        return [both, *harmless], (*every[:at], both, *every[at:])


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


def _with_size(rung: Rung, size: float) -> Rung:
    """Call a settlement what its size asks for: stores call many a village a city."""
    is_wrong = rung.label in CITIES and size < WELL_KNOWN
    return replace(rung, label="a village" if 0 < size < SMALLEST_TOWN else "a town") if is_wrong else rung


def _add_article(rung: Rung) -> Rung:
    return replace(rung, label=f"the {rung.label}") if WITH_THE.match(rung.label) else rung


@lru_cache(maxsize=65_536)
def is_proper(label: str, language: str) -> bool:
    """Return whether a label has a name in it: a capital behind its article, which in German nouns have as well."""
    is_noun = bool(INDEFINITE_ARTICLE.match(label))
    if language == "de":
        return not is_noun and not is_known_noun(label.split(" ")[-1], language)
    return any(word[:1].isupper() for word in (label.split()[1:] if is_noun else label.split()))
