"""Whom a document may be about: the people, organizations and named things in it, each with all of its mentions."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Final

from embanon.document import Phrases
from embanon.entities.entity import Entity
from embanon.entities.folding import fold_text
from embanon.entities.mentions import find_mentions
from embanon.entities.present import (
    BIRTH_OR_LIFESPAN,
    _person_name_words,
    _PersonGroups,
    gender_of,
    may_be_same_given_name,
)
from embanon.entities.words import Span
from embanon.language import Cue, Lexicon
from embanon.text import ACRONYM, group_names

NAMED_TYPES: Final = ("ORG", "MISC")
"""Types of what a document may be about that is no person, where it has a name: a firm, a project."""

MAX_SEARCHED: Final = 200
"""People in a text up to which their names are looked for outside of phrases, too."""

NUMERIC_TYPES: Final = ("CODE", "DATETIME", "QUANTITY")
"""Types of what may hold a part of a name and names nobody: an address of e-mail."""

USER_NAME: Final = re.compile(
    r"(?:(?<![\w@./-])(?=[\w.-]*[^\W\d_])\w+_\w+|(?<=[\s(:,>]@)(?=[\w.-]*[^\W\d_])[\w.-]{2,30}\w)(?![\w@/]|\.\w)"
)
"""A user name: words joined by a low line, or behind an at sign; no part of an address."""

SPEAKER: Final = re.compile(
    r"^[ \t>*_-]*(?:\[?\(?\d[\d:.,/ \u202f-]{3,20}(?:[ap]\.? ?m\.?)?\]?\)?[ \t–-]*)?"
    r"([^\W\d]\w{2,20}(?:[ .-][^\W\d]\w{1,20})?)(?: ?\(?\d{1,2}[:.h]\d\d\)?)?[*_]{0,2}: ",
    re.MULTILINE,
)
"""Who speaks in a chat or an interview: a word or two before a colon at the beginning of a line."""

Bearer = tuple[int, int, int]
"""The place of a whole name among the names, its group, and its gender."""

TypedSpan = tuple[int, int, str, str]
"""Where a phrase starts and ends, its type and its form."""

MIN_TURNS: Final = 2
"""How often somebody speaks from whom a word before a colon is a user name, not a label."""


REVERSED: Final = re.compile(r", ?((?:[^\W\d_][\w'’-]*\.?)(?: [^\W\d_][\w'’-]*\.?){0,2})")
"""What stands behind a surname that comes first: Berger, Ada M."""
NICKNAME_BETWEEN: Final = re.compile(r" [\"“„«‘'][^\W\d_][\w'’-]{1,20}[\"”“»’'] (?=[^\W\d_])")
"""A nickname between the given names and the surname of one: Ada "Addie" Berger."""
LABEL_BEFORE: Final = re.compile(r"(?:^|[:\t|\n]) *$")
VALUE_END: Final = re.compile(r" *(?:$|[\r\n\t|(<,;/]|  | [–-] )")
"""What stands around a whole value of a form."""
MAX_LABEL: Final = 40
"""Characters of a line, or of what begins one, that is a label."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """One whom a document may be about, and where it is named, in order."""

    type: str
    spans: tuple[Span, ...]
    names: tuple[str, ...] = field(repr=False)
    """As they are written in the text, the fullest first."""


def find_candidates(text: str, phrases: Phrases, language: str) -> list[Candidate]:
    """Return the people, then the organizations and other things that a text names, each once."""
    spans = [(phrase.start, phrase.end, phrase.type, phrase.form) for phrase in phrases]
    return group_candidates(text, spans, language)


def group_candidates(text: str, spans: Sequence[TypedSpan], language: str) -> list[Candidate]:
    """Return whom spans with their types and forms name, and user names."""
    users = list(_user_names(text))
    named = _join_reversed(text, list(_join_nicknamed(text, sorted(_named_people(text, spans, users)))), language)
    people = _group_people(text, [*named, *users], language)
    taken = sorted(span for mentions in people for span in mentions)
    codes = [(start, end) for start, end, type, _ in spans if type in NUMERIC_TYPES]
    closed = sorted((*taken, *codes))
    if len(people) <= MAX_SEARCHED:
        low = fold_text(text)
        people = [_with_other_mentions(text, low, mentions, closed, language) for mentions in people]
    things = [
        (start, end, type)
        for start, end, type, form in spans
        if type in NAMED_TYPES
        and (form == "name" or (type == "ORG" and form != "common"))
        and not _overlaps(taken, start, end)
    ]
    return [*(_candidate(text, "PERSON", spans) for spans in people), *_group_things(text, things, language)]


def _named_people(
    text: str, spans: Iterable[TypedSpan], users: Iterable[Span]
) -> Iterator[Span]:  # fmt: skip
    """Return the phrases that name a person, and who was born, but for what holds a user name."""
    known = sorted(users)
    for start, end, type, form in spans:
        named = type == "PERSON" or (form == "name" and BIRTH_OR_LIFESPAN.match(text, end))
        if named and not _overlaps(known, start, end):
            yield start, end


def _user_names(text: str) -> Iterator[Span]:
    """Return user names, and who speaks repeatedly under a name in small letters."""
    taken = [match.span() for match in USER_NAME.finditer(text)]
    yield from taken
    spoken = [match.span(1) for match in SPEAKER.finditer(text) if text[match.start(1)].islower()]
    turns = Counter(text[start:end] for start, end in spoken)
    for start, end in spoken:
        if turns[text[start:end]] >= MIN_TURNS and not _overlaps(taken, start, end):
            yield start, end


def _join_nicknamed(text: str, spans: Sequence[Span]) -> Iterator[Span]:
    """Join given names with the nickname in quotation marks and the surname behind them: Ada "Addie" Berger."""
    last = 0
    for place, (start, end) in enumerate(spans):
        if start < last:
            continue
        if match := NICKNAME_BETWEEN.match(text, end):
            behind = (stop for begin, stop in spans[place + 1 : place + 3] if begin <= match.end() < stop)
            end = next(behind, end)
        yield start, end
        last = end


def _join_reversed(text: str, spans: Sequence[Span], language: str) -> Iterator[Span]:
    """Join surnames with the given names that stand behind them after a comma."""
    lexicon, last = Lexicon.load(language), 0
    for start, end in spans:
        if start < last:
            continue
        if " " not in text[start:end] and (match := REVERSED.match(text, end)):
            is_value = LABEL_BEFORE.search(text, max(start - MAX_LABEL, 0), start) and VALUE_END.match(
                text, match.end()
            )
            given = [word for word in match[1].split() if is_value or _may_be_given(word, lexicon)]
            if (
                given
                and text[match.start(1) :].startswith(given[0])
                and (is_value or not _may_be_given(text[start:end], lexicon))
            ):
                end = match.start(1) + match[1].find(given[-1]) + len(given[-1])
        yield start, end
        last = end


def _may_be_given(word: str, lexicon: Lexicon) -> bool:
    """Return whether a word may be a given name, or is the initial of one."""
    is_initial = len(word.rstrip(".")) == 1 and word[0].isupper()
    return is_initial or (word[0].isupper() and bool(lexicon.flags(word.capitalize()) & Cue.GIVEN_NAME))


def _group_people(text: str, spans: Iterable[Span], language: str) -> list[list[Span]]:
    """Group mentions of people by whom they name: whole names first, then single words by the nearest whole name."""
    ordered = [
        (span, words) for span in sorted(set(spans)) if (words := _person_name_words(text[slice(*span)], language))
    ]
    groups = _PersonGroups([], language)
    bearers = defaultdict[str, list[Bearer]](list)
    for place, (span, words) in enumerate(ordered):
        if len(words) > 1:
            group, gender = groups.add(place, words), gender_of(text[slice(*span)], language)
            for word in words:
                bearers[word].append((place, group, gender))
    members = defaultdict[int, list[Span]](list)
    for group, (_, places) in enumerate(groups.groups()):
        members[group] += (ordered[place][0] for place in places)
    rest, short = _PersonGroups([], language), dict[str, list[Bearer]]()
    for place, (span, words) in enumerate(ordered):
        if len(words) == 1:
            gender, word = gender_of(text[slice(*span)], language), words[0]
            near = _nearest(bearers.get(word, ()), place, gender)
            if near is None:
                if word not in short:
                    short[word] = _short_for(word, bearers, language)
                near = _nearest(short[word], place, gender)
            members[-1 - rest.add(place, words) if near is None else near].append(span)
    return [sorted(mentions) for _, mentions in sorted(members.items(), key=lambda item: min(item[1]))]


def _short_for(word: str, bearers: Mapping[str, Sequence[Bearer]], language: str) -> list[Bearer]:
    """Return who has a given name for which a word is a nickname, or that begins with it."""
    named = [name for name in bearers if len(name) > 1 and may_be_same_given_name(word, name, language)]
    return sorted(mention for name in named for mention in bearers[name])


def _nearest(mentions: Sequence[Bearer], place: int, gender: int) -> int | None:
    """Return the group of the last whole name before a place, else of the first behind it, that may be of a gender."""
    at = bisect_left(mentions, (place, 0, 0))
    fit = (
        mentions[near][1]
        for near in chain(reversed(range(at)), range(at, len(mentions)))
        if gender * mentions[near][2] >= 0
    )
    return next(fit, None)


def _with_other_mentions(
    text: str, low: str, spans: Sequence[Span], taken: Sequence[Span], language: str
) -> list[Span]:
    """Add where a person is named that no phrase says, and no other is."""
    full = max((text[start:end] for start, end in spans), key=len)
    more = find_mentions(Entity(" ".join(full.split())), text, low, language)
    return sorted({*spans, *(span for span in more if not _overlaps(taken, *span))})


def _group_things(text: str, things: Sequence[tuple[int, int, str]], language: str) -> Iterator[Candidate]:
    """Group mentions of organizations and things by what they name; the type is that of most of them."""
    names = [(" ".join(text[start:end].split()), type) for start, end, type in things]
    members = defaultdict[int, list[int]](list)
    for place, group in enumerate(group_names(names, language)):
        members[group].append(place)
    for places in members.values():
        types = Counter(names[place][1] for place in places)
        yield _candidate(text, types.most_common(1)[0][0], [things[place][:2] for place in places])


def _candidate(text: str, type: str, spans: Sequence[Span]) -> Candidate:
    """Put together a candidate, its fullest name first."""
    names = Counter(
        " ".join(text[start:end].partition(" (")[0].split()).strip("*_\"'“”„«»()[]") for start, end in spans
    )
    ordered = sorted(filter(None, names), key=lambda name: (bool(ACRONYM.fullmatch(name)), -len(name), name))
    return Candidate(type, tuple(spans), tuple(ordered))


def _overlaps(spans: Sequence[Span], start: int, end: int) -> bool:
    """Return whether one of these sorted spans overlaps another."""
    near = bisect_left(spans, (start, start))
    return any(first < end and start < last for first, last in spans[max(near - 1, 0) : near + 1])
