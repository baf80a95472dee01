"""Correct the types of names by their context, and mark those that are only guesses.

A name alone is easily taken for a person or an organization. What stands beside it may know better: in a list of films
Nancy Drew is a film, and what the noun before it says it is. Where nothing else tells that a name is a person's, an
organization's or a place's, it keeps its type, which is the likeliest, and its kind is `name`: no more can be said.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import groupby
from typing import Final

import numpy as np

from embanon.document import FORMS, TYPES, Flags, Ints, Phrases
from embanon.language import PLACE_CUES, Cue, Lexicon
from embanon.text.coreference import words_of_name

WORK: Final = "MISC.work"
AWARD: Final = "MISC.award"
OTHER_KIND: Final = "MISC.other"
UNSURE_CODE: Final = "CODE.number"
UNSURE_KINDS: Final = frozenset(("PERSON.name", "PERSON.word", "ORG.name", "LOC.name", UNSURE_CODE))
"""Kinds of what has its type only as a guess, the likeliest."""
UNSURE: Final = "unsure"
"""Instead of a kind: nothing tells that a name is of its type."""
POSTCODE: Final = "LOC.postcode"
ORGANIZATION: Final = "ORG.organization"
PERSON: Final = "PERSON.full-name"
ROLE: Final = "DEM.role"
COUNTRY_KIND: Final = "LOC.country"
CODE: Final = TYPES.index("CODE")
_IS_CORRECTABLE: Final = np.array([type in ("PERSON", "ORG", "LOC", "DEM") for type in TYPES])
"""Types that something else is taken for."""
_IS_NAME_FORM: Final = np.array([form in ("name", "title") for form in FORMS])
_IS_SKIPPED: Final = np.array([type in ("DATETIME", "QUANTITY") for type in TYPES])
"""Types of what stands in brackets behind a title."""
Span = tuple[int, int]
YEAR: Final = r" ?\((?:[a-z]+ )?(?:18|19|20)\d\d\b[^()]{0,12}\)"
YEAR_AFTER: Final = re.compile(YEAR)
YEAR_AT_END: Final = re.compile(f"{YEAR}$")
LIST_SEPARATOR: Final = re.compile(rf"[\"”’»]?(?:{YEAR})?(?:, (?:and |or )?| and | or | & )(?:the )?[\"“‘«]?")
"""What stands between two titles of a list."""
NOUN_BEFORE_NAME: Final = re.compile(r"\b([^\W\d_]+)(?: such as| like| including|:)?,? (?:the )?[\"“‘«]?$")
"""A noun before a name, or before a list."""
LAST_WORD: Final = re.compile(r"\b[^\W\d_]+\Z")
WORK_NOUN_BEFORE: Final = re.compile(
    r"\b(?:adaptation|production|version|revival|remake|sequel|screening|premiere)s? of [\"“]?$"
)
ARTICLE_BEFORE: Final = re.compile(r"\bthe (?:\d{4}(?:[-–]\d\d)? )?$", re.IGNORECASE)
PLURAL_NAME: Final = re.compile(r"[A-Z][\w.'’-]* (?:[\w.'’-]+ )*[A-Z]\w+[^\Ws]s")
CLAUSE_END: Final = re.compile(r"[,.;:)]| \((?:18|19|20)\d\d\b")
AWARD_FOR: Final = re.compile(r"\b(?:Award|Prize|Cup|Medal|Trophy) for ")
SHORT_CODE: Final = re.compile(r"\d{1,3}(?:/\d{1,2})?")
"""A number that is taken for a code: number 31, 9/11."""
INNER_PERIOD: Final = re.compile(r"[a-z]\.[a-z]")
OFFICES: Final = ("CEO ", "CFO ", "COO ", "MP ", "MEP ")
AWARD_CATEGORY: Final = re.compile(r"(?:Best|Outstanding) [A-Z]")
LATIN: Final = re.compile(r"[A-Za-z]")
"""A name in another script, in an English text, is a person's as it is written at home."""
INITIALS: Final = re.compile(r"(?:[A-Z]\. ?)+ ?[A-Z][a-z]")
BEFORE_PERSON: Final = re.compile(
    r"\b(?:(?<!such )as|named|played|portray(?:s|ed|ing)|(?:portrayal|role|voice|son|daughter|wife|husband|widow|death"
    r"|resignation|election) of|marri(?:ed|age to)|alongside|opposite|defeating|met|succeeded|Mr\.?|Mrs\.?|Dr\.?) $"
)
"""What stands before a person."""
BEFORE_ORGANIZATION: Final = re.compile(
    r"\b(?:join(?:ed|s|ing)?|found(?:ed|er of)|members? of|signed (?:to|with|by)|work(?:ed|s|ing) (?:at|for)"
    r"|attend(?:ed|s)|employed by|play(?:ed|s|ing) (?:for|with)|director of|owned by|company|firm|club|team|party|bank"
    r"|label) (?:the )?$"
)
"""What stands before an organization."""
ORGANIZATION_CUES: Final = int(Cue.ORG_HEAD | Cue.ORG_SUFFIX | Cue.ORG_NAME | Cue.LAW_HEAD)
CHARACTERISTIC_CUES: Final = int(
    Cue.ROLE | Cue.KIN | Cue.TITLE | Cue.NATIONALITY | Cue.DEM | Cue.LANGUAGE | Cue.HEALTH | Cue.AGE | Cue.AWARD_HEAD
)
NON_PERSON_HEADS: Final = int(
    Cue.ORG_HEAD | Cue.ORG_SUFFIX | Cue.PLACE_HEAD | Cue.WORK_HEAD | Cue.EVENT_HEAD | Cue.AWARD_HEAD | Cue.LAW_HEAD
)
"""What the last word of no person's name is."""
CUES_BEFORE_PERSON: Final = int(Cue.ROLE | Cue.KIN | Cue.TITLE)
CONTEXT_LENGTH: Final = 60
REACH: Final = 36
"""Characters before a name that a pattern which ends there can be of: none of them is longer."""


@lru_cache(maxsize=65_536)
def _word_flags(name: str, language: str) -> tuple[int, ...]:
    """Return what each word of a name is known as."""
    return tuple(map(Lexicon.load(language).flags, name.split()))


@dataclass(frozen=True, slots=True)
class _NameInContext:
    """A name, what stands beside it, and what its words are known as."""

    type: str
    written: str = field(repr=False)
    before: str = field(repr=False)
    after: str = field(repr=False)
    flags: tuple[int, ...]

    @classmethod
    def from_span(cls, text: str, span: Span, type: str, language: str) -> _NameInContext:
        """Look at a place in a text, as far as its paragraph goes."""
        start, end = span
        before = text[max(0, start - CONTEXT_LENGTH) : start].rpartition("\n\n")[2]
        after = text[end : end + CONTEXT_LENGTH].partition("\n\n")[0]
        return cls(type, text[start:end], before, after, _word_flags(text[start:end], language))

    def follows(self, pattern: re.Pattern[str]) -> bool:
        """Return whether a pattern that ends at the name stands before it, within a few words."""
        return pattern.search(self.before, max(0, len(self.before) - REACH)) is not None

    @property
    def unsure_kind(self) -> str:
        """Return its kind where nothing tells that it is of its type."""
        if self.type == "DEM":
            return OTHER_KIND
        return "PERSON.word" if self.type == "PERSON" and len(self.flags) < 2 else f"{self.type}.name"

    @property
    def starts_with_given_name(self) -> bool:
        """Whether it begins with a given name that is no ordinary word."""
        return bool(self.flags[0] & Cue.GIVEN_NAME) and not self.flags[0] & Cue.AMBIGUOUS

    @property
    def reads_as_person(self) -> bool:
        """Whether it begins with a given name, and goes on as the name of a person."""
        if len(self.flags) < 2 or not self.starts_with_given_name or self.flags[-1] & NON_PERSON_HEADS:
            return False
        return self.type == "PERSON" or (self.type == "DEM" and not self.flags[-1] & CHARACTERISTIC_CUES)

    @property
    def ends_with_person(self) -> bool:
        """Whether a given name and another stand behind a role: Texas Ranger Ada Berger."""
        if len(self.flags) < 3 or not self.flags[-2] & Cue.GIVEN_NAME or self.flags[-2] & Cue.AMBIGUOUS:
            return False
        return any(one & CUES_BEFORE_PERSON for one in self.flags[:-2]) and not self.flags[-1] & NON_PERSON_HEADS

    @property
    def is_team(self) -> bool:
        """Whether it has an article and is a plural: the Kemptville Royals."""
        return bool(PLURAL_NAME.fullmatch(self.written) and self.follows(ARTICLE_BEFORE))

    @property
    def is_event(self) -> bool:
        """Whether a word is that of an event or an award, and none that of an organization."""
        events = any(one & (Cue.EVENT_HEAD | Cue.AWARD_HEAD) for one in self.flags)
        return events and not any(one & Cue.ORG_HEAD for one in self.flags)


def correct_kinds(text: str, phrases: Phrases, fixed: Flags, starts: Ints, language: str) -> Phrases:
    """Return phrases with the types and kinds that their documents give them; what is fixed stays.

    Documents start in the text at `starts`. A name has one type wherever its document has it.
    """
    if language != "en" or not len(phrases):
        return phrases
    lexicon, places = Lexicon.load(language), np.arange(len(phrases))
    spans = list(zip(phrases.start.tolist(), phrases.end.tolist(), strict=True))
    settled = fixed | (phrases.kind == phrases.kinds.index(POSTCODE))
    candidates = places[_IS_CORRECTABLE[phrases.type] & _IS_NAME_FORM[phrases.form] & ~settled].tolist()
    named = {place: _NameInContext.from_span(text, spans[place], TYPES[phrases.type[place]], language)
             for place in candidates}  # fmt: skip
    is_work = [phrases.kinds[kind] == WORK for kind in phrases.kind.tolist()]
    lists = list(_find_lists(text, spans, places[~_IS_SKIPPED[phrases.type]].tolist()))
    better: dict[int, str] = {}
    document = np.searchsorted(starts, phrases.start, side="right").tolist()
    lists_of = {number: list(rows) for number, rows in groupby(lists, lambda row: document[row[0]])}
    for number, group in groupby(candidates, document.__getitem__):
        names = {place: named[place] for place in group}
        better |= _correct_names(text, spans, names, lists_of.get(number, ()), is_work, lexicon)
    codes = places[(phrases.type == CODE) & ~fixed].tolist()
    better |= {place: UNSURE_CODE for place in codes if SHORT_CODE.fullmatch(text, *spans[place])}
    return phrases.with_kinds(better)


def _correct_names(
    text: str, spans: Sequence[Span], names: Mapping[int, _NameInContext], lists: Sequence[Sequence[int]],
    is_work: Sequence[bool], lexicon: Lexicon,
) -> dict[int, str]:  # fmt: skip
    """Return the kinds of the names of a document that are something else than they were taken for, or unsure."""
    kinds_by_place: dict[int, str] = {}
    for places in lists:
        kinds_by_place.update(dict.fromkeys(_listed_works(text, spans, places, names, is_work, lexicon), WORK))
    people = {word for name in names.values() if name.type == "PERSON" for word in words_of_name(name.written)}
    for place, name in names.items():
        if place in kinds_by_place or (name.type == "ORG" and name.written.lower().removesuffix("s") in people):
            continue  # the Bergers
        if kind := _kind_by_context(name, _follows_work_noun(name.before, lexicon)):
            kinds_by_place[place] = kind
    known = {names[place].written: kind for place, kind in kinds_by_place.items()}
    known |= dict.fromkeys(_uncertain_people(names, lists, known, lexicon), UNSURE)
    kinds = ((place, name, known.get(name.written)) for place, name in names.items())
    return {place: name.unsure_kind if kind == UNSURE else kind for place, name, kind in kinds if kind}


def _uncertain_people(
    names: Mapping[int, _NameInContext], lists: Sequence[Sequence[int]], known: Container[str], lexicon: Lexicon
) -> Iterator[str]:
    """Return the names of persons of which nothing tells that they are.

    A list of persons tells it, and another name.
    """
    people = {place: name for place, name in names.items() if name.type == "PERSON" and name.written not in known}
    sure = {place for place, name in people.items() if _is_certain_person(name, lexicon)}
    called = {place for place in sure if people[place].reads_as_person}
    for places in lists:
        if not called.isdisjoint(places):
            sure.update(place for place in places if place in people and len(people[place].flags) > 1)
    words = {word for place in sure for word in words_of_name(people[place].written)}
    for place, name in people.items():
        if place not in sure and words.isdisjoint(words_of_name(name.written)):
            yield name.written


def _find_lists(text: str, spans: Sequence[Span], places: Sequence[int]) -> Iterator[list[int]]:
    """Return the lists of phrases, each by the places of its members, two or more."""
    row: list[int] = []
    for place in places:
        if row:
            end, start = spans[row[-1]][1], spans[place][0]
            if not 2 <= start - end <= CONTEXT_LENGTH or not LIST_SEPARATOR.fullmatch(text, end, start):
                if len(row) > 1:
                    yield row
                row = []
        row.append(place)
    if len(row) > 1:
        yield row


def _listed_works(
    text: str, spans: Sequence[Span], places: Sequence[int], names: Mapping[int, _NameInContext],
    is_work: Sequence[bool], lexicon: Lexicon,
) -> Iterator[int]:  # fmt: skip
    """Return the places of a list that must be works, as others of it are."""
    works = [place for place in places if is_work[place]]
    known = len(works) + 2 * _follows_work_nouns(text, spans[places[0]][0], lexicon)
    for place in places if known else ():
        if name := names.get(place):
            dated = YEAR_AFTER.match(name.after) or YEAR_AT_END.search(name.written)
            if dated or (works and works[0] < place < works[-1]) or (known > 1 and not name.reads_as_person):
                yield place


def _kind_by_context(name: _NameInContext, announced: bool) -> str:
    """Return the kind of a name by its words and those before it; "" where it may be what it was taken for."""
    if AWARD_CATEGORY.match(name.written) or AWARD_FOR.search(name.written):
        return AWARD
    if (announced or name.follows(WORK_NOUN_BEFORE)) and (not name.reads_as_person or CLAUSE_END.match(name.after)):
        return WORK  # but not: the film Ada Berger made
    if name.flags[-1] & Cue.WORK_HEAD and name.written.split()[-1].islower():
        return WORK
    match name.type:
        case "PERSON":
            return _correct_person(name)
        case "ORG":
            return _correct_organization(name)
        case "DEM":
            return _correct_characteristic(name)
        case "LOC":
            return "" if any(one & (PLACE_CUES | NON_PERSON_HEADS) for one in name.flags) else UNSURE
    return ""


def _correct_person(name: _NameInContext) -> str:
    first = name.flags[0]
    if not name.reads_as_person and name.is_team:
        return ORGANIZATION
    if len(name.flags) == 1 and first & Cue.COUNTRY and not first & (Cue.GIVEN_NAME | Cue.SURNAME):
        return COUNTRY_KIND
    if len(name.flags) > 2 and first & Cue.TITLE and name.flags[1] & Cue.ROLE and not name.flags[-1] & Cue.SURNAME:
        return ROLE  # General Officer Commanding
    if len(name.flags) == 1 and len(name.written) > 2 and name.written.isupper():
        return UNSURE
    words = zip(name.written.split(), name.flags, strict=True)
    small = any(word.islower() and not flags & Cue.PARTICLE and word[0] != "(" for word, flags in words)
    within = name.before.endswith(" in ") and len(name.flags) < 3 and not name.reads_as_person
    unlike = small or within or INNER_PERIOD.search(name.written) or name.flags[-1] & NON_PERSON_HEADS
    return UNSURE if unlike else ""


def _correct_organization(name: _NameInContext) -> str:
    if name.ends_with_person:
        return PERSON
    headed = any(one & Cue.ORG_HEAD for one in name.flags)
    if (name.flags[0] & Cue.ROLE or name.written.startswith(OFFICES)) and " of " in name.written and not headed:
        return ROLE
    if name.is_event:
        return UNSURE
    acronym = any(word.isupper() and len(word) > 2 for word in name.written.split())
    pair = "&" in name.written and not name.starts_with_given_name  # Will & Grace
    place = name.flags[-1] & PLACE_CUES and not name.flags[-1] & Cue.AMBIGUOUS
    sure = (
        acronym
        or pair
        or place
        or any(one & ORGANIZATION_CUES for one in name.flags)
        or name.follows(BEFORE_ORGANIZATION)
    )
    return "" if sure else UNSURE


def _correct_characteristic(name: _NameInContext) -> str:
    if name.reads_as_person or name.ends_with_person:
        return PERSON
    if name.written.startswith("The "):
        return WORK
    if not name.written[:1].isupper():
        return ""
    nationality = any(one & (Cue.NATIONALITY | Cue.DEM | Cue.LANGUAGE) for one in name.flags)
    if len(name.flags) > 1 and name.is_team and not nationality:
        return ORGANIZATION
    within = name.before.endswith(" in ") and not nationality  # in Natural Born Killers
    return OTHER_KIND if within or not any(one & CHARACTERISTIC_CUES for one in name.flags) else ""


def _follows_work_noun(before: str, lexicon: Lexicon) -> bool:
    """Return whether a noun for a work stands right before a name: the film X."""
    before = before.removesuffix("\n")
    if not before.endswith(" "):
        return False
    word = before[:-1].rpartition(" ")[2]
    if not word.isalpha():
        match = LAST_WORD.search(word)
        word = match[0] if match else ""
    return word.islower() and bool(lexicon.flags(word) & Cue.WORK_HEAD)


def _follows_work_nouns(text: str, start: int, lexicon: Lexicon) -> bool:
    """Return whether a noun for several works stands before a list: films such as X."""
    match = NOUN_BEFORE_NAME.search(text, max(0, start - CONTEXT_LENGTH), start)
    if not match or not match[1].islower() or not lexicon.flags(match[1]) & Cue.WORK_HEAD:
        return False  # and of series: one series, or many
    return match[1].endswith("s") and (not match[1].endswith("series") or match[0] != f"{match[1]} ")


def _is_certain_person(name: _NameInContext, lexicon: Lexicon) -> bool:
    """Return whether something tells that a name is a person's.

    A given name, a title, initials, or the words before it.
    """
    first, *rest = name.flags
    if first & (Cue.GIVEN_NAME | Cue.TITLE) or INITIALS.match(name.written) or not LATIN.search(name.written):
        return True
    if rest and not first and rest[-1] & Cue.SURNAME:
        return True
    words = name.before.split()
    last = words[-1] if words and name.before.endswith(" ") else ""
    return bool(name.follows(BEFORE_PERSON) or lexicon.flags(last) & CUES_BEFORE_PERSON)
