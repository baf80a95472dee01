"""Who a text speaks of: the entities to protect, wherever they are named, and the other people that are present."""

from __future__ import annotations

import re
import tomllib
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cache, lru_cache
from typing import Final
from unicodedata import combining, normalize

from embanon.coreference import ACRONYM, initials, words_of_name
from embanon.document import TYPES, Phrases
from embanon.frequencies import Frequencies
from embanon.lexicon import Cue, Lexicon
from embanon.model.keys import BRACKET, key, variant
from embanon.resources import resource
from embanon.tokens import UNSPACED

PERSON: Final = TYPES.index("PERSON")
SHORTEST_PART: Final = 3
"""Letters of a part of a name that gives it away by itself."""
ORDINARY: Final = 1e-4
"""The share of words from which one is too common to give a name away: the `Bank` of a bank, the `will` of Will."""
CLASSES: Final = int(
    Cue.ORG_HEAD | Cue.ORG_SUFFIX | Cue.PLACE_HEAD | Cue.WORK_HEAD | Cue.EVENT_HEAD | Cue.AWARD_HEAD | Cue.LAW_HEAD
    | Cue.ROLE | Cue.STOP | Cue.CONNECTOR | Cue.DETERMINER | Cue.TITLE | Cue.NATIONALITY
)  # fmt: skip
"""What a word may be known as that says a class, and no name."""
REMEMBERED: Final = 1 << 14
"""Entities whose patterns are kept."""
INITIAL: Final = re.compile(r"\b([^\W\d_])\.")
PART: Final = re.compile(r"\w[\w'’]*")
APOSTROPHE: Final = re.compile("['’]")
RUN_ON: Final = "".join(f"{chr(low)}-{chr(high)}" for low, high in UNSPACED)
"""Characters of scripts without spaces, where a name begins and ends anywhere."""

Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Entity:
    """Somebody or something to protect: a person, organization, place, project, illness, topic; and its other names."""

    name: str = field(repr=False)
    aliases: tuple[str, ...] = field(default=(), repr=False)
    type: str = "PERSON"
    description: str = field(default="", repr=False)
    samples: tuple[str, ...] = field(default=(), repr=False)

    @property
    def names(self) -> tuple[str, ...]:
        """Give all names, without what tells one from another of the same name: `Chris Evans (actor)`."""
        return tuple(BRACKET.sub("", name).strip() or name for name in (self.name, *self.aliases))


@dataclass(frozen=True, slots=True)
class Present:
    """One whom a text names: which entity to protect it is, if it is one, its words, and where it is named."""

    number: int
    """Of the protected entity; -1 of another."""
    words: frozenset[str] = field(repr=False)
    spans: tuple[Span, ...]
    phrases: tuple[int, ...] = ()
    """The phrases that name it, or have a part of a protected name."""
    full: str = field(default="", repr=False)
    """Its longest name in the text, the first of these."""
    name: str = field(default="", repr=False)
    """Of an entity that was given: its name."""


@lru_cache(maxsize=REMEMBERED)
def distinctive(entity: Entity, language: str) -> frozenset[str]:
    """Give the words of an entity's names that give it away wherever they stand, folded.

    Of a person all of three letters and more; of others those that are no words for a class, nor ordinary.
    """
    lexicon, frequencies = Lexicon.load(language), Frequencies.load(language)
    words = {word for name in entity.names for word in words_of_name(name) if len(word) >= SHORTEST_PART}
    if entity.type == "PERSON":
        return frozenset(word for word in words if not lexicon.flags(word) & (Cue.STOP | Cue.CONNECTOR | Cue.TITLE))
    kept = {
        word for word in words
        if not lexicon.flags(word) & CLASSES and not (frequencies and (frequencies.share(word) or 0) > ORDINARY)
    }  # fmt: skip
    return frozenset(kept)


@lru_cache(maxsize=REMEMBERED)
def _pattern(entity: Entity, language: str) -> re.Pattern[str] | None:
    """Match the names of an entity: whole ones in any case, parts with a capital, acronyms as they are."""
    spelled = {name for name in entity.names if ACRONYM.fullmatch(name) and name == name.upper()}
    whole = [name for name in entity.names if name.strip() and name not in spelled]
    words = distinctive(entity, language)
    parts = words | {part for name in whole for part in PART.findall(name) if words.issuperset(words_of_name(part))}
    if entity.type != "PERSON":
        spelled |= {form for name in entity.names for form in initials(name)}
    choices = [f"(?i:{_either(whole)})"] if whole else []
    if parts:
        choices.append(f"(?=[^\\W\\d_a-zà-ÿ])(?i:{_either(parts)})")
    if spelled:
        choices.append(_either(spelled))
    # Not for all: such a class takes a hundred times as long to compile.
    letter = rf"[^\W{RUN_ON}]" if re.search(f"[{RUN_ON}]", "".join(entity.names)) else r"\w"
    return re.compile(f"(?<!{letter})(?:{'|'.join(choices)})(?!{letter})") if choices else None


def _either(names: Iterable[str]) -> str:
    """Match any of some names, the longest first, whatever their white space, apostrophes and accents."""
    spellings = sorted({one for name in names for one in _spellings(name)}, key=lambda name: (-len(name), name))
    spaced = (r"\s+".join(map(re.escape, one.split())) for one in spellings)
    return APOSTROPHE.sub("['’]", "|".join(spaced))


def _spellings(name: str) -> Iterable[str]:
    """Give a name with accents in one letter or two, and without."""
    yield name
    if not name.isascii():
        apart = normalize("NFD", name)
        yield from (normalize("NFC", name), apart, "".join(sign for sign in apart if not combining(sign)))


def spans_of(entity: Entity, text: str, language: str) -> list[Span]:
    """Find where a text names an entity, whatever the phrases are."""
    pattern = _pattern(entity, language)
    return [found.span() for found in pattern.finditer(text)] if pattern else []


def present(text: str, phrases: Phrases, protect: Sequence[Entity], language: str) -> list[Present]:
    """Say who is named in a text: the protected entities first, then other people in the order in which they come."""
    named = [place for place, type in enumerate(phrases.type.tolist()) if type == PERSON]
    starts, ends = phrases.start.tolist(), phrases.end.tolist()
    lexicon = Lexicon.load(language)
    people = _People([list(dict.fromkeys(_words_of(entity, lexicon))) for entity in protect], language)
    for place in named:
        name = [*_bare(text[starts[place] : ends[place]], lexicon)]
        if any(not lexicon.flags(word) & (Cue.STOP | Cue.PRONOUN) for word in name):  # It is a film as well
            people.add(place, name)
    groups = list(people.groups())
    owners = {place: number for number, (_, places) in enumerate(groups) for place in places}
    found = []
    for number, (words, places) in enumerate(groups):
        own = number if number < len(protect) else -1
        spans, having = [(starts[place], ends[place]) for place in places], set(places)
        for start, end in spans_of(protect[own], text, language) if own >= 0 else ():
            touched = range(bisect_right(ends, start), bisect_left(starts, end))
            if all(owners.get(place, own) == own for place in touched):  # else of another: Jerry Stiller is not Ben
                spans.append((start, end))
                having.update(touched)
        united = _united(spans)
        full = max((text[start:end] for start, end in united), key=len, default="")
        given = protect[own].names[0] if own >= 0 else ""
        found.append(Present(own, words, united, tuple(sorted(having)), full, given))
    return found


def _united(spans: Iterable[Span]) -> tuple[Span, ...]:
    """Put spans in order, those that overlap as one."""
    found: list[Span] = []
    for start, end in sorted(spans):
        if found and start < found[-1][1]:
            found[-1] = (found[-1][0], max(end, found[-1][1]))
        else:
            found.append((start, end))
    return tuple(found)


def _words_of(entity: Entity, lexicon: Lexicon) -> Iterable[str]:
    if entity.type == "PERSON":
        for name in entity.names:
            yield from _bare(name, lexicon)


def _bare(name: str, lexicon: Lexicon) -> Iterable[str]:
    """Give the words of a person's name without titles; initials are words, and no articles: A.B. Berger."""
    spaced = INITIAL.sub(r"\1 ", name)
    words = variant(key(spaced), str).split() if INITIAL.match(name) else words_of_name(spaced)
    for word in words:
        if len(words) == 1 or not lexicon.flags(word) & Cue.TITLE:
            yield word


@cache
def _nicknames(language: str) -> dict[str, frozenset[str]]:
    """Give the names that each given name may be short for, or be called as."""
    table = tomllib.loads(resource("ontologies", "lexicon", "nicknames.toml").read_text("utf-8"))
    found: dict[str, set[str]] = defaultdict(set)
    for row in table.get(language, "").split():
        name, _, short = row.partition("=")
        for one in short.split(","):
            found[_plain(one)].add(_plain(name))
    return {name: frozenset(of) for name, of in found.items()}


def _plain(name: str) -> str:
    return variant(name, str)


def same_given(one: str, other: str, language: str) -> bool:
    """Say that two given names may be one person's: the same, the beginning of one, a short form, an initial."""
    short, long = sorted((one, other), key=len)
    if long.startswith(short) and (len(short) >= SHORTEST_PART or len(short) == 1):
        return True
    names = _nicknames(language)
    return bool((names.get(one, frozenset()) | {one}) & (names.get(other, frozenset()) | {other}))


class _People:
    """Groups of names of persons: by their parts, the last one with such a part where there are several."""

    def __init__(self, protected: Sequence[Sequence[str]], language: str) -> None:
        self._language = language
        self._name = [list(words) for words in protected]
        self._words = [set(words) for words in protected]
        self._places: list[list[int]] = [[] for _ in protected]
        self._having: dict[str, list[int]] = defaultdict(list)
        self._fixed = len(protected)
        for number, words in enumerate(protected):
            for word in words:
                self._having[word].append(number)

    def add(self, place: int, words: Sequence[str]) -> None:
        """Put a name to those of the same person, or to a new one."""
        if not words:
            return
        number = self._same(words)
        if number is None:
            number = len(self._words)
            self._words.append(set())
            self._places.append([])
            self._name.append(list(words))
        self._places[number].append(place)
        if number >= self._fixed:
            for word in words:
                if word not in self._words[number]:
                    self._words[number].add(word)
                    self._having[word].append(number)

    def _same(self, words: Sequence[str]) -> int | None:
        """Give the person whose names have all these words; initials stand for any name that begins so.

        Of two names with a word in common behind their first names, of which one is short for the other or the same,
        the longer is that of a whole life: Thomas Cruise Mapother is Tom Cruise. Whoever is protected by one word alone
        bears every name that has it.
        """
        long = [word for word in words if len(word) > 1]
        short = [word for word in words if len(word) == 1]
        for number in self._candidates(long[-1:] or words[-1:]):
            known = self._words[number]
            spelled = all(any(name.startswith(one) for name in known.difference(long)) for one in short)
            if spelled and all(word in known for word in long):
                return number
            if number >= self._fixed and len(known) == 1 and len(words) > 1 and known <= set(words):
                return number  # the surname came first
        for number in self._candidates(words[1:]):
            name = self._name[number]
            if len(name) > 1 and (same_given(words[0], name[0], self._language) or set(name) <= set(words)):
                return number
        known_by_one = (number for number in self._candidates(words) if number < self._fixed)
        return next((number for number in known_by_one if len(self._words[number]) == 1), None)

    def _candidates(self, words: Sequence[str]) -> list[int]:
        """Give who has a word: the protected first, then the last one that was named."""
        found = [number for word in words for number in self._having.get(word, ())]
        return sorted(set(found), key=lambda number: (number >= self._fixed, -(self._places[number] or [-1])[-1]))

    def groups(self) -> Iterable[tuple[frozenset[str], list[int]]]:
        """Give the words and phrases of each."""
        return ((frozenset(words), places) for words, places in zip(self._words, self._places, strict=True))
