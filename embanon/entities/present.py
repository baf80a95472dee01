"""Who is present in a text: the protected entities, and the other people it names."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, lru_cache
from itertools import pairwise
from typing import Final

import numpy as np

from embanon.data import read_toml
from embanon.document import FORMS, TYPES, Ints, Phrases
from embanon.entities.entity import (
    INITIAL,
    MIN_MISSPELLED_LENGTH,
    MIN_PART_LENGTH,
    Entity,
)
from embanon.entities.folding import fold_text
from embanon.entities.mentions import find_mentions
from embanon.entities.spellings import nicknames, short_names
from embanon.entities.words import Span, merge_spans
from embanon.language import PERSON_CUES, Cue, Lexicon, key, spelling_variant, word_share
from embanon.text import (
    ACRONYM,
    DEFAULT_KINDS,
    LATIN,
    VisibleText,
    group_names,
    is_guess,
    possible_acronyms,
    words_of_name,
)

HONORIFICS: Final = frozenset("don doña dona d. d.ª dña. sir dame lady lord fray sor padre".split())
"""Titles before given names: Don Ramón is Ramón Peralta."""
NAME_WORD: Final = re.compile(r"[^\W\d_]+")
SURE_INITIAL: Final = 0.6
"""From this chance on, an initial is that of somebody who is named."""
LEAST_SHORT_FORM: Final = 4
"""Letters of a short form of a given name that is no nickname known."""
ORDINARY_SHARE: Final = 1e-5
"""The share of all words from which on a word is no name."""
BYNAMED: Final = 2
"""Words of a given name with what tells its bearer from others: Big Kev."""
PERSON, MISC = TYPES.index("PERSON"), TYPES.index("MISC")

NAME: Final = FORMS.index("name")

BIRTH_WORDS: Final = r"born|née?|nacid[oa]|nascid[oa]|geboren"

BIRTH_OR_LIFESPAN: Final = re.compile(
    rf"\s*\((?:[^()]{{0,80}}?\b(?:{BIRTH_WORDS})\b|[^()]{{0,60}}?\b1[5-9]\d\d\s?[–—-]\s?[^()]{{0,30}}?\b(?:1[5-9]|20)\d\d\b)"
)
"""What says behind a name when its bearer was born, or lived."""

KNOWN_AS: Final = re.compile(
    r"(?:\b(?:known|credited|billed|conocid[oa]|conhecid[oa]|bekannt)\b[^.;]{0,40}?\b(?:as|como|als)(?: the)?"
    r"|\b(?:(?:stage|ring|pen|screen|birth|real|full|maiden|professional)[ -]?name"
    r"|nom(?:br)?e (?:artístico|verdadero|real)|(?:Künstler|Geburts|Mädchen)namen?)(?: (?:was|is|de|es|é|ist|war))?,?"
    rf"|\((?:[^()]{{0,80}}[\s;,])?(?:{BIRTH_WORDS})"
    r"|\d\),? (?:born|nacid[oa]|nascid[oa]|geboren als|eigentlich)(?: as)?)"
    r"\s+[\"“«„]?$"
)
"""The words between two names of one person: X (1931–2014), known professionally as Y."""

MAX_ALIAS_DISTANCE: Final = 160
"""Characters between the two."""

OPENS_NICKNAME: Final = re.compile(
    r"[ ,]{0,2}\(?(?:aka|a\.k\.a\.|alias|genannt|gen\.|known as|called|apodad[oa]|vulgo|conhecid[oa] (?:por|como)|"
    r"conocid[oa] como)? ?[\"“„«‚‘'](?:(?:la|el|o|a|der|die) )?",
    re.IGNORECASE,
)
"""Between somebody's name and what he is called in quotation marks: Dolores Vargas ("la Carmela")."""
MAX_BRACKET_DISTANCE: Final = 40
"""Characters between a name and the same in another script."""


@dataclass(frozen=True, slots=True)
class PresentEntity:
    """One whom a text names: which entity to protect it is, if it is one, its words, and where it is named."""

    protected_index: int
    """Of the protected entity; -1 of another."""
    words: frozenset[str] = field(repr=False)
    spans: tuple[Span, ...]
    phrases: tuple[int, ...] = ()
    """The phrases that name it, or have a part of a protected name."""
    longest_name: str = field(default="", repr=False)
    """Its longest name in the text, the first of these."""
    protected_name: str = field(default="", repr=False)
    """Of an entity that was given: its name."""


def find_present_entities(
    text: str, phrases: Phrases, protect: Sequence[Entity], language: str,
    mentions: Sequence[Sequence[Span]] | None = None,
) -> list[PresentEntity]:  # fmt: skip
    """Return who is named in a text: the protected entities first, then other people in order of appearance.

    `mentions` are the spans of the entities, where they are known.
    """
    if mentions is None:
        low = fold_text(text) if protect else ""
        mentions = [find_mentions(entity, text, low, language) for entity in protect]
    starts, ends = phrases.start.tolist(), phrases.end.tolist()
    named = [place for place, type in enumerate(phrases.type.tolist()) if type == PERSON]
    # Whoever was born is a person, whatever the name looks like: Jayne County (born 1947).
    names = np.flatnonzero((phrases.form == NAME) & (phrases.type != PERSON)).tolist()
    named = sorted((*named, *(place for place in names if BIRTH_OR_LIFESPAN.match(text, ends[place]))))
    lexicon = Lexicon.load(language)
    people = _PersonGroups([list(dict.fromkeys(_person_words(entity, lexicon))) for entity in protect], language)
    last, before = 0, None
    for place in named:
        if name := _person_name_words(text[starts[place] : ends[place]], language):
            sure = phrases.chance is None or bool(phrases.chance[place] >= SURE_INITIAL)
            written = text[starts[place] : ends[place]]
            titled = len(name) < len(NAME_WORD.findall(written))
            titled &= language != "pt" and HONORIFICS.isdisjoint(written.lower().split())
            number = people.add(place, name, gender_of(written, language), is_sure=sure and not titled)
            if titled:
                people.note_title(number)
            if before is not None and KNOWN_AS.search(
                text, max(last, starts[place] - MAX_ALIAS_DISTANCE), starts[place]
            ):
                number = people.merge(before, number)
            last, before = ends[place], number
    for place in names:  # Fanta is Fanta Baldé, whatever else bears that name
        if phrases.type[place] == MISC and people.is_given_name(text[starts[place] : ends[place]]):
            people.add(place, _person_name_words(text[starts[place] : ends[place]], language))
    groups = list(people.groups())
    owners = {place: number for number, (_, places) in enumerate(groups) for place in places}
    entities = []
    for number, (known, places) in enumerate(groups):
        index = number if number < len(protect) else -1
        spans, having = [(starts[place], ends[place]) for place in places], set(places)
        for start, end in mentions[index] if index >= 0 else ():
            touched = range(bisect_right(ends, start), bisect_left(starts, end))
            # Else it is of another: Jerry Stiller is not Ben. Where no spaces part names, phrases are too long.
            if all(owners.get(place, index) == index for place in touched) or not LATIN.search(text, start, end):
                spans.append((start, end))
                having.update(touched)
        united = merge_spans(spans)
        full = max((text[start:end] for start, end in united), key=len, default="")
        given = protect[index].names[0] if index >= 0 else ""
        entities.append(PresentEntity(index, known, united, tuple(sorted(having)), full, given))
    return entities


@dataclass(frozen=True, slots=True, eq=False)
class PhraseGroups:
    """Which phrases of a text mean the same."""

    numbers: tuple[int, ...]
    """Of each phrase the place of another that means the same; those that share it do."""
    people: Mapping[int, PresentEntity] = field(repr=False)
    """Whom groups name, by their numbers."""


def group_phrases(
    text: str, phrases: Phrases, people: Sequence[PresentEntity], entities: Sequence[Entity], owner: Ints, language: str
) -> tuple[Phrases, PhraseGroups]:
    """Group the phrases that mean the same, and give those that name somebody their type.

    `owner` has the number of the entity whose name a phrase holds, else -1. A phrase that only has a part of a name (an
    address, a firm) is no mention of the person.
    """
    spans = list(zip(phrases.start.tolist(), phrases.end.tolist(), strict=True))
    written, types = [text[start:end] for start, end in spans], [TYPES[type] for type in phrases.type.tolist()]
    groups = group_names(list(zip(written, types, strict=True)), language)
    named, kinds = dict[int, PresentEntity](), dict[int, str]()

    def settle(place: int, type: str, *, sure: bool) -> None:
        if types[place] != type or (sure and is_guess(phrases.kinds[phrases.kind[place]])):
            types[place], kinds[place] = type, DEFAULT_KINDS[type]

    for person in people:
        protected = entities[person.protected_index] if person.protected_index >= 0 else None
        type = protected.type if protected else "PERSON"
        places = [place for place in person.phrases if types[place] == type or _has_only(written[place], person.words)]
        if places:
            named[places[0]] = person
        for place in places:
            groups[place] = places[0]
            if type == "PERSON" or types[place] == type:
                settle(place, type, sure=protected is not None)
    of_type = [place for place, type in enumerate(types) if type == "PERSON"]
    taken = {place for person in people if person.protected_index >= 0 for place in person.phrases}
    for last, place in pairwise(of_type):
        between = text[spans[last][1] : spans[place][0]]
        if _is_transliteration(between, written[place]):
            groups[place] = groups[last]
        elif OPENS_NICKNAME.fullmatch(between) and place not in taken:
            groups[:] = [groups[last] if group == groups[place] else group for group in groups]
    _join_initials(written, of_type, groups, Lexicon.load(language))
    for place in np.flatnonzero(owner >= 0).tolist():
        entity = entities[owner[place]]
        if entity.type == "PERSON" or words_of_name(written[place]) not in map(words_of_name, entity.names):
            continue
        if entity.type in TYPES:
            settle(place, entity.type, sure=True)
        elif types[place] == "PERSON":  # a project whose name reads as a person's is nobody
            settle(place, "MISC", sure=True)
    return phrases.with_kinds(kinds), PhraseGroups(tuple(groups), named)


def _join_initials(written: Sequence[str], people: Sequence[int], groups: list[int], lexicon: Lexicon) -> None:
    """Let initials mean the nearest person who has them (changes the groups): OV is Oriol Verdaguer.

    Who has more names has the first and the last initial if nobody else does: Winifred Hepzibah Oldroyd is WO.
    """
    having, shorter = defaultdict[str, list[int]](list), defaultdict[str, list[int]](list)
    for place in people:
        words = list(_without_titles(written[place], lexicon))
        for form in possible_acronyms(" ".join(words)):
            having[form].append(place)
        if len(words) > 2 and min(map(len, words)) > 1:
            shorter[f"{words[0][0]}{words[-1][0]}".upper()].append(place)
    for place in people:
        letters = written[place].replace(".", "").replace(" ", "")
        others = having.get(letters) or shorter.get(letters, [])
        is_one = letters in having or len({groups[other] for other in others}) == 1
        if others and is_one and ACRONYM.fullmatch(letters):
            groups[place] = groups[min(others, key=lambda other: abs(other - place))]


def _has_only(phrase: str, words: Container[str]) -> bool:
    """Return whether a phrase has no other words than these, except in the middle: Ada Lou Berger."""
    every = words_of_name(phrase)
    return all(word in words for word in (every[:1] + every[-1:] if len(every) > 2 else every))


def _is_transliteration(between: str, written: str) -> bool:
    """Return whether a name is the one before it in another script: Ada Berger (王小明)."""
    opened = len(between) < MAX_BRACKET_DISTANCE and ("(" in between or ";" in between) and ")" not in between
    return opened and not LATIN.search(written)


def _person_words(entity: Entity, lexicon: Lexicon) -> Iterable[str]:
    if entity.type == "PERSON":
        for name in entity.names:
            yield from _without_titles(name, lexicon)


@lru_cache(maxsize=65_536)
def _person_name_words(name: str, language: str) -> tuple[str, ...]:
    """Return the words of what is found to name a person.

    None where it is an ordinary word, for It is a film as well.
    """
    lexicon = Lexicon.load(language)
    words = tuple(_without_titles(VisibleText.from_text(name).text, lexicon))
    return words if any(not lexicon.flags(word) & (Cue.STOP | Cue.PRONOUN) for word in words) else ()


def _without_titles(name: str, lexicon: Lexicon) -> Iterable[str]:
    """Return the words of a person's name without titles; initials are words, and no articles: A.B. Berger."""
    spaced = INITIAL.sub(r"\1 ", name)
    words = spelling_variant(key(spaced), str).split() if INITIAL.match(name) else words_of_name(spaced)
    titles = {word for one in spaced.split() if lexicon.flags(one) & Cue.TITLE for word in words_of_name(one)}
    for word in words:  # without accents, so that doña is looked up as it is written
        if len(words) == 1 or not (word in titles or lexicon.flags(word) & Cue.TITLE):
            yield word


def _differ_by_one_letter(word: str, other: str) -> bool:
    """Return whether two words differ by one letter that is added or another."""
    if word == other:
        return False
    short, long = sorted((word, other), key=len)
    same = next((place for place, (a, b) in enumerate(zip(short, long, strict=False)) if a != b), len(short))
    return short[same + (len(short) == len(long)) :] == long[same + 1 :]


@cache
def _titles(gender: str, language: str) -> frozenset[str]:
    """Return the titles of men, or of women."""
    return frozenset(read_toml("ontologies", "lexicon", "about.toml").get(language, {}).get(gender, "").split())


def gender_of(name: str, language: str) -> int:
    """Return 1 for a name that is a man's, -1 for a woman's by its title or first given name, else 0."""
    words = re.findall(r"[^\W\d_]+", fold_text(name))
    men, women, lexicon = _titles("men", language), _titles("women", language), Lexicon.load(language)
    for word in words:
        if word in men or word in women:
            return (word in men) - (word in women)
        if (flags := lexicon.flags(word.capitalize())) & (Cue.MALE | Cue.FEMALE) and len(words) > 1:
            return bool(flags & Cue.MALE) - bool(flags & Cue.FEMALE)
    return 0


def may_be_same_given_name(name: str, other: str, language: str) -> bool:
    """Return whether two given names may be one person's: the same, the beginning of one, a short form, an initial."""
    short, long = sorted((name, other), key=len)
    if long.startswith(short) and (len(short) >= MIN_PART_LENGTH or len(short) == 1):
        return True
    names = nicknames(language)
    return bool((names.get(name, frozenset()) | {name}) & (names.get(other, frozenset()) | {other}))


class _PersonGroups:
    """Groups of names of persons: by their parts, the last one with such a part where there are several."""

    def __init__(self, protected: Sequence[Sequence[str]], language: str) -> None:
        self._language = language
        self._name = [list(words) for words in protected]
        self._words = [set(words) for words in protected]
        self._places: list[list[int]] = [[] for _ in protected]
        self._gender: list[int] = [0 for _ in protected]
        self._groups_by_word: dict[str, list[int]] = defaultdict(list)
        self._full_names: dict[str, list[int]] = defaultdict(list)
        """Groups that have a name of several words, by how their given name begins."""
        self._titled = set[int]()
        """Groups of which a name had a title."""
        self._protected_count = len(protected)
        for number, words in enumerate(protected):
            self._note_full_name(number)
            for word in words:
                self._groups_by_word[word].append(number)

    def _note_full_name(self, number: int) -> None:
        name = self._name[number]
        if len(name) > 1:
            self._full_names[name[0][:LEAST_SHORT_FORM]].append(number)

    def merge(self, first: int, second: int) -> int:
        """Merge two groups (X, known as Y); return the number that stays, that of a protected one if there is one."""
        keeps, goes = sorted((first, second))
        if keeps == goes or goes < self._protected_count:
            return second
        for word in self._words[goes] - self._words[keeps]:
            self._groups_by_word[word].append(keeps)
        self._words[keeps] |= self._words[goes]
        self._places[keeps] = sorted((*self._places[keeps], *self._places[goes]))
        for word in self._words[goes]:
            self._groups_by_word[word] = [number for number in self._groups_by_word[word] if number != goes]
        self._words[goes], self._places[goes] = set(), []
        return keeps

    def add(self, place: int, words: Sequence[str], gender: int = 0, *, is_sure: bool = True) -> int:
        """Put a name to those of the same person, or to a new one; give its number.

        Frau Clausen is not her father, whose name she has: who is called by a title is of its gender.
        """
        number = self._matching_group(words)
        number = self._begun_with(words) if number is None and is_sure else number
        if number is not None and gender * self._gender[number] < 0:
            others = (other for other in self._groups_with(words) if gender * self._gender[other] > 0)
            number = next(others, number if number < self._protected_count else None)
        if number is None:
            number = len(self._words)
            self._words.append(set())
            self._places.append([])
            self._name.append(list(words))
            self._gender.append(gender)
            self._note_full_name(number)
        self._gender[number] = self._gender[number] or gender
        self._places[number].append(place)
        if number >= self._protected_count:
            for word in words:
                if word not in self._words[number]:
                    self._words[number].add(word)
                    self._groups_by_word[word].append(number)
        return number

    def note_title(self, number: int) -> None:
        """Note that somebody was called by a title: the name behind it may be the surname."""
        self._titled.add(number)

    def is_given_name(self, written: str) -> bool:
        """Return whether a single word is the given name of somebody who is named in full."""
        words = _person_name_words(written, self._language)
        named = (self._name[number] for number in self._groups_with(words)) if len(words) == 1 else ()
        return any(len(name) > 1 and name[0] == words[0] for name in named)

    def _matching_group(self, words: Sequence[str]) -> int | None:
        """Return the person whose names have all these words; initials stand for any name that begins so.

        Of two names with a word in common behind their first names, of which one is short for the other or the same,
        the longer is that of a whole life: Thomas Cruise Mapother is Tom Cruise. Whoever is protected by one word alone
        bears every name that has it.
        """
        long = [word for word in words if len(word) > 1]
        short = [word for word in words if len(word) == 1]
        for number in self._groups_with(long[-1:] or words[-1:]):
            known = self._words[number]
            spelled = all(any(name.startswith(one) for name in known.difference(long)) for one in short)
            if spelled and all(word in known for word in long):
                return number
            if number >= self._protected_count and len(known) == 1 and len(words) > 1 and known <= set(words):
                return number  # the surname came first
        for number in self._groups_with(words[:1]) if len(words) > 1 and len(words[0]) > 1 else ():
            is_given = number >= self._protected_count and self._words[number] == {words[0]}
            if is_given and number not in self._titled:  # Mr Grant is not Grant Holloway
                return number  # the given name came first
        for number in self._groups_with(words[1:]):
            name = self._name[number]
            if len(name) > 1 and (may_be_same_given_name(words[0], name[0], self._language) or set(name) <= set(words)):
                return number
            if (
                number < self._protected_count
                and len(name) > 1
                and words[0][:MIN_PART_LENGTH] == name[0][:MIN_PART_LENGTH]
            ):
                return number  # Rosa may be Rosie: rather too much is taken for a protected one's than too little
        for number in range(self._protected_count) if len(words) > 1 else ():
            name = self._name[number]
            if len(name) > 1 and words[0] == name[0] and _differ_by_one_letter(words[-1], name[-1]):
                return number
        known_by_one = (number for number in self._groups_with(words) if number < self._protected_count)
        group = next((number for number in known_by_one if len(self._words[number]) == 1), None)
        group = self._called_so(words) if group is None else group
        return self._misspelling_of(words) if group is None else group

    def _begun_with(self, words: Sequence[str]) -> int | None:
        """Return the one person whose given name begins with an initial that stands alone: M. is Mailin."""
        if len(words) != 1 or len(words[0]) != 1:
            return None
        begun = [
            number for number, (name, known) in enumerate(zip(self._name, self._words, strict=True))
            if known and len(name[0]) > 1 and name[0][0] == words[0] and name[0] in known
        ]  # fmt: skip
        return begun[0] if len(begun) == 1 else None

    def _called_so(self, words: Sequence[str]) -> int | None:
        """Return the one person whose given name a nickname stands for, or who is named by a nickname alone.

        Manni is Manfred Schröer, and so is Big Kev one Kev Doyle, where nobody else may be meant.
        """
        names = nicknames(self._language)
        if len(words) == 1:
            alike = names.get(words[0], frozenset())
            groups = {number for one in alike for number in self._groups_with([one]) if self._name[number][0] == one}
            if not groups and len(words[0]) >= LEAST_SHORT_FORM:  # Dusti is Dustin Reuter
                alike_begun = self._full_names.get(words[0][:LEAST_SHORT_FORM], ())
                groups = {number for number in alike_begun if self._name[number][0].startswith(words[0])}
        else:
            lexicon = Lexicon.load(self._language)
            bynamed = len(words) == BYNAMED and word_share(words[0], self._language) >= ORDINARY_SHARE
            bynamed &= not lexicon.flags(words[0].capitalize()) & PERSON_CUES
            groups = {
                number for number in self._groups_with(words[-1:]) if bynamed and self._name[number][0] == words[-1]
            }
            called = short_names(self._language).get(words[0], frozenset())
            groups |= {number for one in called for number in self._groups_with([one]) if self._words[number] == {one}}
        return groups.pop() if len(groups) == 1 else None

    def _misspelling_of(self, words: Sequence[str]) -> int | None:
        """Return who is called nearly so, by a long name alone in which one letter differs: Bilimoria is Billimoria."""
        if len(words) > 1 or len(words[0]) < MIN_MISSPELLED_LENGTH:
            return None
        word = words[0]
        near = (known for known in self._groups_by_word if known[0] == word[0] and abs(len(known) - len(word)) <= 1)
        groups = [
            number for known in near if _differ_by_one_letter(known, word) for number in self._groups_by_word[known]
        ]
        return min(groups, default=None)

    def _groups_with(self, words: Sequence[str]) -> list[int]:
        """Return who has a word: the protected first, then the last one that was named."""
        groups = [number for word in words for number in self._groups_by_word.get(word, ())]
        return sorted(
            set(groups), key=lambda number: (number >= self._protected_count, -(self._places[number] or [-1])[-1])
        )

    def groups(self) -> Iterable[tuple[frozenset[str], list[int]]]:
        """Return the words and phrases of each."""
        for number, (words, places) in enumerate(zip(self._words, self._places, strict=True)):
            if places or number < self._protected_count:
                yield frozenset(words), places
