"""What fitting a label into a sentence works on: where it is to stand, and what stands there in the end."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Final, NamedTuple

from embanon.document import Phrase
from embanon.language import Cue, Lemmatizer, Lexicon

TYPE_NOUNS: Final = int(
    Cue.WORK_HEAD | Cue.PLACE_HEAD | Cue.ORG_HEAD | Cue.AWARD_HEAD | Cue.EVENT_HEAD | Cue.LAW_HEAD | Cue.ROLE | Cue.KIN
)
"""Words that say what the name behind them is: the film X."""
AHEAD: Final = re.compile(r"(?:(?:([^\W\d_]+)[ \u00a0])?([^\W\d_]+)[ \u00a0])?([^\W\d_]+)[ \u00a0]$")


class Rendering(NamedTuple):
    """How a label stands: in how many characters before its phrase as well, as what, and that without articles."""

    absorbed: int
    text: str
    bare: str = ""


@dataclass(frozen=True, slots=True)
class FittedLabel:
    """What stands from `start` on instead of a phrase; `counted` if two of the same need telling apart.

    `place` is that of its rung among those it was chosen from; -1 where there was no choice.
    """

    start: int
    text: str = field(repr=False)
    rung: str
    risk: float
    needs_number: bool = False
    rung_index: int = -1
    bare: str = field(default="", repr=False)
    """The text without articles and prepositions, where it has some."""


@dataclass(frozen=True, slots=True)
class Slot:
    """Where a label is to stand."""

    phrase: Phrase
    written: str = field(repr=False)
    head: str = field(repr=False)
    before: str = field(repr=False)
    """What the line has before it, as it is written by now."""
    after: str = field(repr=False)
    editable_before: int
    """How many of the last characters before it may change."""
    starts_sentence: bool
    """Whether a sentence starts here."""
    is_modifier: bool
    """Whether a common noun follows that it belongs to."""
    follows_phrase: bool
    """Whether a phrase stands before it that belongs to it."""
    precedes_name: bool = False
    """Whether the name of a person follows."""


def words_before(slot: Slot) -> tuple[tuple[str, int], ...]:
    """Return up to three words before a slot, the nearest first, each with how many characters lie behind its start."""
    return _words(slot.before)


@lru_cache(maxsize=65_536)
def _words(before: str) -> tuple[tuple[str, int], ...]:
    found = AHEAD.search(before)
    if not found:
        return ()
    return tuple((found[group], len(before) - found.start(group)) for group in (3, 2, 1) if found[group])


@lru_cache(maxsize=65_536)
def lemma(word: str, language: str) -> str:
    """Return the dictionary form of a word."""
    return Lemmatizer.load(language).lemma(word.lower())


def word_flags(word: str, language: str = "en") -> int:
    """Say what a word is known to be."""
    return Lexicon.load(language).flags(word)


def match_capital(text: str, like: str) -> str:
    """Begin a text with a capital where another begins with one."""
    return text[:1].upper() + text[1:] if like[:1].isupper() else text


def rewrite_before(slot: Slot, taken: int, said: str, bare: str) -> Rendering | None:
    """Return a label with the words before it, of which those that stand there already stay; nothing where none may."""
    before = slot.before[len(slot.before) - taken :] if taken else ""
    if taken and said.lower().startswith(before.lower()) and len(said) > taken:
        return Rendering(0, said[taken:], bare)
    return Rendering(taken, match_capital(said, before), bare) if taken <= slot.editable_before else None
