"""Who a text speaks of: the entities to protect, wherever they are named, and the other people that are present."""

from __future__ import annotations

import re
import tomllib
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache, lru_cache
from itertools import chain
from string import ascii_letters, digits
from typing import Final, NamedTuple
from unicodedata import normalize

import numpy as np

from embanon.data import resource
from embanon.document import FORMS, TYPES, Phrases
from embanon.language.frequencies import Frequencies
from embanon.language.inflection import inflect_noun
from embanon.language.lexicon import Cue, Lexicon
from embanon.storage.keys import BRACKET, key, variant
from embanon.text.coreference import ACRONYM, initials, words_of_name
from embanon.text.tokens import UNSPACED
from embanon.text.visible import ACCENTS, Visible, seen

PERSON: Final = TYPES.index("PERSON")
NAME: Final = FORMS.index("name")
BORN: Final = r"born|née?|nacid[oa]|nascid[oa]|geboren"
LIFE: Final = re.compile(
    rf"\s*\((?:[^()]{{0,80}}?\b(?:{BORN})\b|[^()]{{0,60}}?\b1[5-9]\d\d\s?[–—-]\s?[^()]{{0,30}}?\b(?:1[5-9]|20)\d\d\b)"
)
"""What says behind a name when its bearer was born, or lived."""
KNOWN_AS: Final = re.compile(
    r"(?:\b(?:known|credited|billed|conocid[oa]|conhecid[oa]|bekannt)\b[^.;]{0,40}?\b(?:as|como|als)(?: the)?"
    r"|\b(?:(?:stage|ring|pen|screen|birth|real|full|maiden|professional)[ -]?name"
    r"|nom(?:br)?e (?:artístico|verdadero|real)|(?:Künstler|Geburts|Mädchen)namen?)(?: (?:was|is|de|es|é|ist|war))?,?"
    rf"|\((?:[^()]{{0,80}}[\s;,])?(?:{BORN})|\d\),? (?:born|nacid[oa]|nascid[oa]|geboren als|eigentlich)(?: as)?)"
    r"\s+[\"“«„]?$"
)
"""What stands between two names of one person: X (1931–2014), known professionally as Y."""
APART: Final = 160
"""Characters between the two."""
SHORTEST_PART: Final = 3
"""Letters of a part of a name that gives it away by itself."""
IN_CODES: Final = 5
"""Signs of a name below which it stands in a checksum by chance: 5bea2."""
CODED: Final = ascii_letters + digits
SPELLED_OUT: Final = 7
"""Letters of a name from which one that differs by a single letter is taken for a slip."""
ORDINARY: Final = 1e-4
"""The share of words from which one is too common to give a name away: the `Bank` of a bank, the `will` of Will."""
HOMOGRAPH: Final = 5e-6
"""The share of words below which a part of a name in small letters is the name all the same."""
CLASSES: Final = int(
    Cue.ORG_HEAD | Cue.ORG_SUFFIX | Cue.PLACE_HEAD | Cue.WORK_HEAD | Cue.EVENT_HEAD | Cue.AWARD_HEAD | Cue.LAW_HEAD
    | Cue.ROLE | Cue.STOP | Cue.CONNECTOR | Cue.DETERMINER | Cue.TITLE | Cue.NATIONALITY
)  # fmt: skip
"""What a word may be known as that says a class, and no name."""
REMEMBERED: Final = 1 << 14
"""Entities whose patterns are kept."""
INITIAL: Final = re.compile(r"\b([^\W\d_])\.")
PART: Final = re.compile(r"\w[\w'’]*")
LAST: Final = re.compile(r"(?<![^\W\d_])[^\W\d_]{3,}$")
BEHIND: Final = re.compile(f"[{ACCENTS}]")
PARTED: Final = re.compile(r"\s+|(?<=[^\W_])(?!(?<=\d).\d)[-‐-―−_./\\+·](?=[^\W_])")
"""What parts the words of a name: white space, or a sign between letters; a sign between digits is a part of both."""
JOINED: Final = r"(?:[*_`~]*\s[\s>|*_`~]{0,40}|[-‐-―−]\s{0,40}|[_./\\+·]|%20|&(?:nbsp|#160|#32);)"
"""What may stand between these words instead, as in names of files, addresses, quoted lines and where a line ends."""
PARAGRAPH: Final = re.compile(r"\n[ \t\r>|]*\n")
FIGURED: Final = re.compile(r"(?<=[^\W\d_])[-‐-―−\s](?=\d)|(?<=\d)[-‐-―−\s](?=[^\W\d_])")
"""Where a name may be written as one word, for a letter and a digit part themselves: BB7."""
RUN_ON: Final = re.compile("[" + "".join(f"{chr(low)}-{chr(high)}" for low, high in UNSPACED) + "]")
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
        written = [seen(name) or name for name in (self.name, *self.aliases)]
        return tuple(BRACKET.sub("", name).strip() or name for name in written)


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


def folded(text: str) -> str:
    """Give a text as names are compared, sign for sign: in small letters, without accents, white space as spaces."""
    low = text.translate(_plain_signs()).lower() if not text.isascii() else text.translate(BLANKS).lower()
    return low if len(low) == len(text) else "".join(sign.lower() if len(sign.lower()) == 1 else sign for sign in text)


LETTERS: Final = (
    range(0xC0, 0x250), range(0x1D2C, 0x1D6B), range(0x1E00, 0x1F00), range(0x2070, 0x20A0), range(0x24B6, 0x24EA),
    range(0xFF21, 0xFF5B), range(0x1D400, 0x1D6A4),
)  # fmt: skip
"""Letters that are others with an accent, or drawn otherwise: raised, in a circle, wide, bold."""
BLANKS: Final = dict.fromkeys(map(ord, "\t\n\r\x0b\x0c\u00a0"), " ") | {ord("’"): "'"}


@cache
def _plain_signs() -> dict[int, str]:
    """Give letters without their accents, where that is one letter."""
    found = dict(BLANKS)
    for code in chain(*LETTERS):
        plain = normalize("NFKD", chr(code))[0]
        if plain.isalpha():
            found[code] = plain
    return found


class _Names(NamedTuple):
    """What an entity is called: whole names, words that are parts, acronyms."""

    whole: tuple[str, ...]
    common: frozenset[str]
    """Whole names that are ordinary words; in small letters these stand alone, or name nobody: will, will_paginate."""
    forms: frozenset[str]
    """Other forms of these, that name nobody in small letters: marks."""
    parts: tuple[str, ...]
    spelled: tuple[str, ...]


@lru_cache(maxsize=REMEMBERED)
def _names(entity: Entity, language: str) -> _Names:
    spelled = {name for name in entity.names if ACRONYM.fullmatch(name) and name == name.upper()}
    names = [name for name in entity.names if name.strip() and name not in spelled]
    words = distinctive(entity, language)
    parts = words | {part for name in names for part in PART.findall(name) if words.issuperset(words_of_name(part))}
    if entity.type != "PERSON":
        spelled |= {form for name in entity.names for form in initials(name)}
    given = [" ".join(name.split()) for name in names]
    figured = [FIGURED.sub("", name) for name in (*given, *spelled)]
    whole = {one for name in (*given, *(set(figured) - spelled)) for one in _spellings(name)}
    frequencies = Frequencies.load(language)
    common = frozenset(name for name in whole if frequencies and (frequencies.share(name) or 0) > ORDINARY)
    forms = frozenset(form for name in common for form in _inflected(name, language)) - whole
    whole |= {form for name in whole for form in _inflected(name, language)}
    known = {one for part in parts for one in _spellings(part)} - whole
    ordered = tuple(sorted(whole, key=len, reverse=True))
    return _Names(ordered, common, forms, tuple(sorted(known)), tuple(sorted(spelled)))


def _spellings(name: str) -> Iterator[str]:
    """Give a name folded, with its accents in the letters, behind them, and without them."""
    yield folded(normalize("NFC", name))
    if not name.isascii():
        parted = folded(normalize("NFD", name))
        yield from (parted, BEHIND.sub("", parted))


def _inflected(name: str, language: str) -> Iterator[str]:
    """Give the other forms of a folded name by those of its last word."""
    if last := LAST.search(name):
        yield from (name[: last.start()] + form for form in inflect_noun(last[0], language))


@lru_cache(maxsize=1 << 16)
def words_in(name: str) -> tuple[str, ...]:
    """Give the words of a folded name, whatever joins them."""
    return tuple(word for word in PARTED.split(name) if word)


@lru_cache(maxsize=REMEMBERED)
def _joined(words: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile(JOINED.join(map(re.escape, words)))


def named_in(low: str, name: str) -> Iterator[Span]:
    """Find a whole name in a folded text, whatever joins its words: red-falcon is Red Falcon."""
    words = words_in(name)
    if len(words) < 2:
        yield from occurrences(low, name)
    elif all(word in low for word in words):
        pattern, at = _joined(words), 0
        while found := pattern.search(low, at):
            if is_whole(low, *found.span()):
                yield found.span()
            at = found.start() + 1


def occurrences(low: str, word: str, *, whole: bool = True) -> Iterator[Span]:
    """Find a word in a text; `whole` leaves out what is in the middle of a longer one."""
    at = low.find(word)
    while at >= 0:
        end = at + len(word)
        if not whole or is_whole(low, at, end):
            yield at, end
        at = low.find(word, end)


def _joins(sign: str, last: str) -> bool:
    """Say that a sign beside the last one of a name makes it a part of a longer word; where words run on none does."""
    return sign.isalnum() and sign.isdecimal() == last.isdecimal() and not RUN_ON.match(sign)


def spans_of(entity: Entity, text: str, low: str, language: str) -> list[Span]:
    """Find where a text names an entity, whatever the phrases are: whole names, parts with a capital, acronyms.

    `low` is the folded text.
    """
    names, found = _names(entity, language), list[Span]()
    for name in names.whole:
        found += (
            span for span in named_in(low, name)
            if not PARAGRAPH.search(text, *span) and (not text[span[0]].islower() or _is_small(name, names, low, *span))
        )  # fmt: skip
    whole = sorted(found)
    for part in names.parts:
        for start, end in occurrences(low, part):
            if _stands_out(text[start], part, language) and not _within(whole, start, end):
                found.append((start, end))
    for form in names.spelled:
        found += (span for span in occurrences(text, form) if not _within(whole, *span))
    return sorted(set(found))


def written(entity: Entity, language: str) -> tuple[frozenset[str], frozenset[str]]:
    """Give all that `spans_of` looks for, folded: names as they are given, and parts and initials of them."""
    names = _names(entity, language)
    given = frozenset(names.spelled) & frozenset(entity.names)
    parts = (*names.parts, *(folded(form) for form in names.spelled if form not in given))
    return frozenset((*names.whole, *map(folded, given))), frozenset(parts)


def _in_code(low: str, start: int, end: int) -> bool:
    """Say that letters or digits stand on both sides of a name, or mixed on one; bea2 and 2bea are no code."""
    before, behind = low[max(start - IN_CODES, 0) : start], low[end : end + IN_CODES]
    left, right = before[len(before.rstrip(CODED)) :], behind[: len(behind) - len(behind.lstrip(CODED))]
    beside = left or right
    return bool(left and right) or not (beside.isalpha() or beside.isdecimal() or not beside)


def is_whole(low: str, start: int, end: int) -> bool:
    """Say that what stands in a folded text is not in the middle of a longer word, nor a few letters of a code."""
    before, behind = low[start - 1 : start] if start else "", low[end : end + 1]
    if (before and _joins(before, low[start])) or (behind and _joins(behind, low[end - 1])):
        return False
    beside = before.isalnum() or behind.isalnum()
    return end - start >= IN_CODES or not (beside and _in_code(low, start, end))


def _is_small(name: str, names: _Names, low: str, start: int, end: int) -> bool:
    """Say that a name stands there in small letters, and no ordinary word: will_paginate and marks name nobody."""
    if name in names.common:
        beside = low[max(start - 1, 0) : start] + low[end : end + 1]
        return "_" not in beside and not any(map(str.isdecimal, beside))
    return name not in names.forms


def _within(spans: Sequence[Span], start: int, end: int) -> bool:
    near = bisect_left(spans, (start + 1, 0)) - 1
    return near >= 0 and end <= spans[near][1]


def _stands_out(first: str, word: str, language: str) -> bool:
    """Say that a word is a part of a name: it has a capital, or it is no ordinary word."""
    if not first.islower():
        return True
    frequencies = Frequencies.load(language)
    return frequencies is not None and (frequencies.share(word) or 0) < HOMOGRAPH


def present(
    text: str, phrases: Phrases, protect: Sequence[Entity], language: str,
    mentions: Sequence[Sequence[Span]] | None = None,
) -> list[Present]:  # fmt: skip
    """Say who is named in a text: the protected entities first, then other people in the order in which they come.

    `mentions` are the spans of the entities, where they are known.
    """
    if mentions is None:
        low = folded(text) if protect else ""
        mentions = [spans_of(entity, text, low, language) for entity in protect]
    starts, ends = phrases.start.tolist(), phrases.end.tolist()
    named = [place for place, type in enumerate(phrases.type.tolist()) if type == PERSON]
    # Whoever was born is a person, whatever the name looks like: Jayne County (born 1947).
    names = np.flatnonzero((phrases.form == NAME) & (phrases.type != PERSON)).tolist()
    named = sorted((*named, *(place for place in names if LIFE.match(text, ends[place]))))
    lexicon = Lexicon.load(language)
    people = _People([list(dict.fromkeys(_words_of(entity, lexicon))) for entity in protect], language)
    last, before = 0, None
    for place in named:
        if name := _person(text[starts[place] : ends[place]], language):
            number = people.add(place, name)
            if before is not None and KNOWN_AS.search(text, max(last, starts[place] - APART), starts[place]):
                number = people.join(before, number)
            last, before = ends[place], number
    groups = list(people.groups())
    owners = {place: number for number, (_, places) in enumerate(groups) for place in places}
    found = []
    for number, (known, places) in enumerate(groups):
        own = number if number < len(protect) else -1
        spans, having = [(starts[place], ends[place]) for place in places], set(places)
        for start, end in mentions[own] if own >= 0 else ():
            touched = range(bisect_right(ends, start), bisect_left(starts, end))
            if all(owners.get(place, own) == own for place in touched):  # else of another: Jerry Stiller is not Ben
                spans.append((start, end))
                having.update(touched)
        united = _united(spans)
        full = max((text[start:end] for start, end in united), key=len, default="")
        given = protect[own].names[0] if own >= 0 else ""
        found.append(Present(own, known, united, tuple(sorted(having)), full, given))
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


@lru_cache(maxsize=65_536)
def _person(name: str, language: str) -> tuple[str, ...]:
    """Give the words of what is found to name a person; none where it is an ordinary word, for It is a film as well."""
    lexicon = Lexicon.load(language)
    words = tuple(_bare(Visible.of(name).text, lexicon))
    return words if any(not lexicon.flags(word) & (Cue.STOP | Cue.PRONOUN) for word in words) else ()


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


def _differ_by_one(one: str, other: str) -> bool:
    """Say that two words differ by one letter that is added or another."""
    if one == other:
        return False
    short, long = sorted((one, other), key=len)
    same = next((place for place, (a, b) in enumerate(zip(short, long, strict=False)) if a != b), len(short))
    return short[same + (len(short) == len(long)) :] == long[same + 1 :]


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

    def join(self, one: int, other: int) -> int:
        """Make one of two: X, known as Y; give the number that stays, which is that of a protected one if one is."""
        keeps, goes = sorted((one, other))
        if keeps == goes or goes < self._fixed:
            return other
        for word in self._words[goes] - self._words[keeps]:
            self._having[word].append(keeps)
        self._words[keeps] |= self._words[goes]
        self._places[keeps] = sorted((*self._places[keeps], *self._places[goes]))
        for word in self._words[goes]:
            self._having[word] = [number for number in self._having[word] if number != goes]
        self._words[goes], self._places[goes] = set(), []
        return keeps

    def add(self, place: int, words: Sequence[str]) -> int:
        """Put a name to those of the same person, or to a new one; give its number."""
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
        return number

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
            if number < self._fixed and len(name) > 1 and words[0][:SHORTEST_PART] == name[0][:SHORTEST_PART]:
                return number  # Rosa may be Rosie: rather too much is taken for a protected one's than too little
        for number in range(self._fixed) if len(words) > 1 else ():
            name = self._name[number]
            if len(name) > 1 and words[0] == name[0] and _differ_by_one(words[-1], name[-1]):
                return number
        known_by_one = (number for number in self._candidates(words) if number < self._fixed)
        found = next((number for number in known_by_one if len(self._words[number]) == 1), None)
        return self._misspelled(words) if found is None else found

    def _misspelled(self, words: Sequence[str]) -> int | None:
        """Give who is called nearly so, by a long name alone in which one letter differs: Bilimoria is Billimoria."""
        if len(words) > 1 or len(words[0]) < SPELLED_OUT:
            return None
        word = words[0]
        near = (known for known in self._having if known[0] == word[0] and abs(len(known) - len(word)) <= 1)
        found = [number for known in near if _differ_by_one(known, word) for number in self._having[known]]
        return min(found, default=None)

    def _candidates(self, words: Sequence[str]) -> list[int]:
        """Give who has a word: the protected first, then the last one that was named."""
        found = [number for word in words for number in self._having.get(word, ())]
        return sorted(set(found), key=lambda number: (number >= self._fixed, -(self._places[number] or [-1])[-1]))

    def groups(self) -> Iterable[tuple[frozenset[str], list[int]]]:
        """Give the words and phrases of each."""
        for number, (words, places) in enumerate(zip(self._words, self._places, strict=True)):
            if places or number < self._fixed:
                yield frozenset(words), places
