"""The single words that an entity may be named by, and how sure each of them is."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import pairwise
from types import MappingProxyType
from typing import Final

from embanon.entities.entity import (
    CLASS_WORD_CUES,
    ENTITY_CACHE_SIZE,
    MIN_PART_LENGTH,
    Entity,
    _name_forms,
    distinctive_words,
)
from embanon.entities.folding import fold_text
from embanon.entities.spellings import (
    LINK_CUES,
    LOWERCASE_NAME_SHARE,
    MIN_JOINED_LENGTH,
    UNKNOWN_SHARE,
    inflections,
    initials_of,
    is_common,
    is_ordinary,
    joined_forms,
    short_names,
    spellings,
    word_share,
)
from embanon.language import Cue, Lexicon
from embanon.text import ACRONYM, possible_acronyms, words_of_name

LINK, CLASS, NICKNAME, WEAK, CAPITAL, SURE = range(6)
"""Small words and words for a class; other words that name only together; what others may be called as well; what names
where something beside it says so; with a capital; always."""

MIN_WORD_LENGTH: Final = 2
"""Letters of a word that is no initial."""

WORD: Final = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
POSSESSIVE: Final = re.compile(r"(?<=.{3})['’]s$")
APOSTROPHE: Final = re.compile(r"['’]")

MIN_WHOLE_LENGTH: Final = 4
"""Letters of a whole name that is run together."""

MIN_ACRONYM_LENGTH: Final = 3
"""Letters of an acronym, or of initials, that gives an entity away without points."""


@dataclass(frozen=True, slots=True)
class NameParts:
    """What an entity may be called in a text, folded."""

    words: Mapping[str, tuple[int, int]] = field(repr=False)
    """Each form: how sure it is, and a number that the forms of a word share."""
    runs: frozenset[str] = field(repr=False)
    """Words run together, as in user names."""
    letters: frozenset[str] = field(repr=False)
    """First letters of a person's names, and of two of them: HP Ruhl."""
    surnames: frozenset[str] = field(repr=False)
    """First letters of the last ones."""
    initials: frozenset[str] = field(repr=False)
    """Of a person, in the order of the names."""
    acronyms: frozenset[str] = field(repr=False)
    """Of others, in capitals and without points."""


@lru_cache(maxsize=ENTITY_CACHE_SIZE)
def name_parts(entity: Entity, language: str) -> NameParts:
    """Return what an entity may be called by a single word."""
    person = entity.type == "PERSON"
    rows = [_name_words(name, language, person=person) for name in entity.names if not ACRONYM.fullmatch(name)]
    rows = [row for row in rows if row]
    links = frozenset(fold_text(word) for row in rows for word in row if _is_link(word, language))
    words = MappingProxyType(_words(entity, rows, links, language))
    acronyms, none = frozenset(_acronyms(entity)), frozenset[str]()
    if not person:
        return NameParts(words, none, none, none, none, acronyms)
    names = [tuple(map(fold_text, row)) for row in rows]
    runs = frozenset(_runs(rows, links, language)) - words.keys()
    letters = frozenset(word[0] for name in names for word in name if word not in links)
    letters |= {first[0] + other[0] for name in names for first, other in pairwise(name) if len(name) > MIN_WORD_LENGTH}
    surnames = frozenset(name[-1][0] for name in names)
    initials = frozenset(letters for name in names for letters in initials_of(name, links))
    return NameParts(words, runs, letters, surnames, initials, acronyms)


def _words(
    entity: Entity, rows: Sequence[tuple[str, ...]], links: frozenset[str], language: str
) -> dict[str, tuple[int, int]]:
    """Return the forms of each word of the names, the surest of those that are written the same."""
    words, person = dict[str, tuple[int, int]](), entity.type == "PERSON"
    distinctive = distinctive_words(entity, language)
    for number, word in enumerate(dict.fromkeys(word for row in rows for word in row), 1):
        strength = _strength(word, distinctive, links, language, person=person)
        for form, sure in _forms(word, strength, language, person=person):
            if sure > words.get(form, (-1, 0))[0]:
                words[form] = sure, number
    for part in _name_forms(entity, language).parts:  # with the signs that they are written with: o'tarn
        known = [words[word] for word in map(fold_text, words_of_name(part)) if word in words]
        words.setdefault(part, max(known, default=(LINK, 0)))
    return words


def _name_words(name: str, language: str, *, person: bool) -> tuple[str, ...]:
    """Return the words of a name in small letters, a person's without titles before it."""
    lexicon = Lexicon.load(language)
    words = [APOSTROPHE.sub("", POSSESSIVE.sub("", word)).lower() for word in WORD.findall(name)]
    if not person:
        return tuple(words)
    titles = {word for word in words[:-1] if (lexicon.flags(word) | lexicon.flags(word + ".")) & Cue.TITLE}
    return tuple(word for word in words if word not in titles or word in words[-1:])


def _is_link(word: str, language: str) -> bool:
    return bool(Lexicon.load(language).flags(word) & LINK_CUES)


def _strength(word: str, distinctive: frozenset[str], links: frozenset[str], language: str, *, person: bool) -> int:
    """Return how sure a word of a name is by itself."""
    cues, folded = Lexicon.load(language).flags(word), fold_text(word)
    if len(word) < MIN_WORD_LENGTH or folded in links or not any(map(str.isalpha, word)):
        return LINK
    if not person and folded not in distinctive:
        return LINK if cues & CLASS_WORD_CUES else CLASS
    if cues & Cue.STOP or (len(word) < MIN_PART_LENGTH and is_common(word, language)):
        return WEAK
    return CAPITAL if len(word) < MIN_PART_LENGTH or any(is_ordinary(one, language) for one in (word, folded)) else SURE


def _forms(word: str, strength: int, language: str, *, person: bool) -> Iterable[tuple[str, int]]:
    """Return how a word is spelled and inflected, and how sure each form is; those that are other words never are."""
    for spelled in spellings(word):
        yield spelled, strength
        if len(word) >= MIN_PART_LENGTH and strength != WEAK and strength != LINK:
            for form in inflections(spelled, language, person=person):
                if not is_common(form, language):
                    yield form, _strength_of_form(form, strength, language)
    if person:
        yield from ((short, NICKNAME) for short in short_names(language).get(fold_text(word), ()))


def _strength_of_form(form: str, strength: int, language: str) -> int:
    """Return how sure an inflected word is: one that is another word never is, an unknown one of a person always."""
    if is_ordinary(form, language):
        return min(strength, WEAK)
    return SURE if strength == CAPITAL and word_share(form, language) < UNKNOWN_SHARE else strength


def _runs(names: Iterable[tuple[str, ...]], links: frozenset[str], language: str) -> Iterable[str]:
    """Return what a person's names are run together to, as far as it is no word of its own."""
    for name in names:
        for joined in joined_forms(name, links):
            if len(joined) >= MIN_JOINED_LENGTH:
                yield from (form for form in spellings(joined) if word_share(form, language) < LOWERCASE_NAME_SHARE)
        whole = "".join(name)
        if len(name) > 1 and len(whole) >= MIN_WHOLE_LENGTH and not word_share(whole, language):
            yield from spellings(whole)
            yield from spellings("".join(reversed(name)))


def _acronyms(entity: Entity) -> Iterable[str]:
    """Return the acronyms of an entity: those that are its names, and those that its names may have."""
    for name in entity.names:
        if ACRONYM.fullmatch(name) and name == name.upper():
            yield name.replace(".", "")
        elif entity.type != "PERSON":
            yield from possible_acronyms(name)
