"""The nouns of who is protected: an entity, and how its names may be written."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from string import ascii_letters, digits
from typing import Final, NamedTuple
from unicodedata import normalize

from embanon.entities.folding import fold_text
from embanon.language import TRAILING_BRACKET, Cue, Frequencies, Lexicon, inflect_noun
from embanon.text import ACCENTS, ACRONYM, UNSPACED_SCRIPTS, possible_acronyms, strip_invisible, words_of_name

MIN_PART_LENGTH: Final = 3
"""Letters of a part of a name that gives it away by itself."""

MIN_LENGTH_IN_CODES: Final = 5
"""Length of a name below which it may occur in a checksum by chance: 5bea2."""

CODE_CHARACTERS: Final = ascii_letters + digits

MIN_MISSPELLED_LENGTH: Final = 7
"""Letters of a name from which one that differs by a single letter is taken for a slip."""

COMMON_WORD_SHARE: Final = 1e-4
"""The share of words from which one is too common to give a name away: the `Bank` of a bank, the `will` of Will."""

CLASS_WORD_CUES: Final = int(
    Cue.ORG_HEAD | Cue.ORG_SUFFIX | Cue.PLACE_HEAD | Cue.WORK_HEAD | Cue.EVENT_HEAD | Cue.AWARD_HEAD | Cue.LAW_HEAD
    | Cue.ROLE | Cue.STOP | Cue.CONNECTOR | Cue.DETERMINER | Cue.TITLE | Cue.NATIONALITY
)  # fmt: skip
"""What a word may be known as that says a class, and no name."""

ENTITY_CACHE_SIZE: Final = 1 << 14
"""Entities whose patterns are kept."""

INITIAL: Final = re.compile(r"\b([^\W\d_])\.")

NAME_WORD: Final = re.compile(r"\w[\w'’]*")

LAST_WORD: Final = re.compile(r"(?<![^\W\d_])[^\W\d_]{3,}$")

COMBINING_ACCENTS: Final = re.compile(f"[{ACCENTS}]")

WORD_SEPARATOR: Final = re.compile(r"\s+|(?<=[^\W_])(?!(?<=\d).\d)[-‐-―−_./\\+·](?=[^\W_])")
"""What parts the words of a name: white space, or a sign between letters; a sign between digits is a part of both."""

LETTER_DIGIT_BREAK: Final = re.compile(r"(?<=[^\W\d_])[-‐-―−\s](?=\d)|(?<=\d)[-‐-―−\s](?=[^\W\d_])")
"""Where a name may be written as one word, for a letter and a digit part themselves: BB7."""

UNSPACED_SCRIPT: Final = re.compile("[" + "".join(f"{chr(low)}-{chr(high)}" for low, high in UNSPACED_SCRIPTS) + "]")
"""Characters of scripts without spaces, where a name begins and ends anywhere."""


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
        """Return all names, without what tells one from another of the same name: `Chris Evans (actor)`."""
        written = [strip_invisible(name) or name for name in (self.name, *self.aliases)]
        return tuple(TRAILING_BRACKET.sub("", name).strip() or name for name in written)


@lru_cache(maxsize=ENTITY_CACHE_SIZE)
def distinctive_words(entity: Entity, language: str) -> frozenset[str]:
    """Return the words of an entity's names that give it away wherever they stand, folded.

    Of a person all of three letters and more; of others those that are no words for a class, nor ordinary.
    """
    lexicon, frequencies = Lexicon.load(language), Frequencies.load(language)
    words = {fold_text(word) for name in entity.names for word in words_of_name(name) if len(word) >= MIN_PART_LENGTH}
    if entity.type == "PERSON":
        return frozenset(word for word in words if not lexicon.flags(word) & (Cue.STOP | Cue.CONNECTOR | Cue.TITLE))
    kept = {
        word for word in words
        if not lexicon.flags(word) & CLASS_WORD_CUES and not (frequencies and (frequencies.share(word)
            or 0) > COMMON_WORD_SHARE)
    }  # fmt: skip
    return frozenset(kept)


class _NameForms(NamedTuple):
    """What an entity is called: whole names, words that are parts, acronyms."""

    full_names: tuple[str, ...]
    common_words: frozenset[str]
    """Whole names that are ordinary words; in small letters these stand alone, or name nobody: will, will_paginate."""
    inflected_common_words: frozenset[str]
    """Other forms of these, that name nobody in small letters: marks."""
    parts: tuple[str, ...]
    acronyms: tuple[str, ...]


@lru_cache(maxsize=ENTITY_CACHE_SIZE)
def _name_forms(entity: Entity, language: str) -> _NameForms:
    spelled = {name for name in entity.names if ACRONYM.fullmatch(name) and name == name.upper()}
    names = [name for name in entity.names if name.strip() and name not in spelled]
    words = distinctive_words(entity, language)
    parts = words | {
        part for name in names for part in NAME_WORD.findall(name) if words.issuperset(words_of_name(part))
    }
    if entity.type != "PERSON":
        spelled |= {form for name in entity.names for form in possible_acronyms(name)}
    given = [" ".join(name.split()) for name in names]
    figured = [LETTER_DIGIT_BREAK.sub("", name) for name in (*given, *spelled)]
    whole = {one for name in (*given, *(set(figured) - spelled)) for one in _accent_variants(name)}
    frequencies = Frequencies.load(language)
    common = frozenset(name for name in whole if frequencies and (frequencies.share(name) or 0) > COMMON_WORD_SHARE)
    forms = frozenset(form for name in common for form in _inflected_forms(name, language)) - whole
    whole |= {form for name in whole for form in _inflected_forms(name, language)}
    known = {one for part in parts for one in _accent_variants(part)} - whole
    ordered = tuple(sorted(whole, key=len, reverse=True))
    return _NameForms(ordered, common, forms, tuple(sorted(known)), tuple(sorted(spelled)))


def _accent_variants(name: str) -> Iterator[str]:
    """Return a name folded, with its accents in the letters, behind them, and without them."""
    yield fold_text(normalize("NFC", name))
    if not name.isascii():
        parted = fold_text(normalize("NFD", name))
        yield from (parted, COMBINING_ACCENTS.sub("", parted))


def _inflected_forms(name: str, language: str) -> Iterator[str]:
    """Return the other forms of a folded name by those of its last word."""
    if last := LAST_WORD.search(name):
        yield from (name[: last.start()] + form for form in inflect_noun(last[0], language))


@lru_cache(maxsize=1 << 16)
def split_name(name: str) -> tuple[str, ...]:
    """Return the words of a folded name, whatever joins them."""
    return tuple(word for word in WORD_SEPARATOR.split(name) if word)


def searched_forms(entity: Entity, language: str) -> tuple[frozenset[str], frozenset[str]]:
    """Return all that `spans_of` looks for, folded: names as they are given, and parts and initials of them."""
    names = _name_forms(entity, language)
    given = frozenset(names.acronyms) & frozenset(entity.names)
    parts = (*names.parts, *(fold_text(form) for form in names.acronyms if form not in given))
    return frozenset((*names.full_names, *map(fold_text, given))), frozenset(parts)
