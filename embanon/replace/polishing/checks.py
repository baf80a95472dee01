"""Check what a language model made of a sentence: it may change grammar, and say nothing else.

What stands in brackets, persons with numbers, numbers, words that deny, and every word of content must still be there,
in the same order; what comes in must be words that everybody uses, and none of those that were masked.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final

from embanon.language import PERSON_CUES, PLACE_CUES, Cue, Lemmatizer, Lexicon, fold_name
from embanon.replace.checks import ForbiddenWords, LabelRisk
from embanon.replace.deeds import DENYING
from embanon.replace.naming import placeholder_pattern
from embanon.replace.ordinary import ORDINARY

WORDS: Final = re.compile(r"[^\W_]+(?:['’.-][^\W_]+)*")
NUMBER: Final = re.compile(r"\d+(?:[.,:'’/]\d+)*")
MARKS: Final = re.compile(r"[\"“”„«»()\[\]{}<>|*_#@&%€$£/\\;:?!]")
"""Marks that must be as many as before."""
MAX_NEW: Final = 3
"""Words of content that may come in."""
MAX_GROWTH: Final = 4
"""Words by which a sentence may grow or shrink, beside a third."""
FUNCTION_WORDS: Final = int(Cue.STOP | Cue.DETERMINER | Cue.PRONOUN | Cue.CONNECTOR)
NEVER_NEW: Final = int(
    Cue.MONTH | Cue.WEEKDAY | Cue.SEASON | Cue.HOLIDAY | Cue.DECADE | Cue.NUMBER_WORD | Cue.ORDINAL_WORD | Cue.SCALE
    | Cue.NATIONALITY | Cue.LANGUAGE | Cue.TITLE | Cue.HEALTH | Cue.CURRENCY
)  # fmt: skip
"""What no word may be that comes in."""


@dataclass(frozen=True, slots=True)
class SentenceCheck:
    """Checks the sentences of a document."""

    language: str
    label_risk: LabelRisk = field(repr=False)
    hidden: ForbiddenWords = field(repr=False)
    masked: frozenset[str] = field(repr=False)
    """The words that were masked in the document, folded."""

    def accepts(self, before: str, after: str) -> bool:
        """Return whether the second sentence is the first in other grammar."""
        if not after or "\n" in after or not after.isprintable() or after == before:
            return False
        placeholders = [match[0] for match in placeholder_pattern().finditer(before)]
        if placeholders != [match[0] for match in placeholder_pattern().finditer(after)]:
            return False
        first, second = (placeholder_pattern().sub(" ", sentence) for sentence in (before, after))
        if NUMBER.findall(first) != NUMBER.findall(second):
            return False
        if Counter(MARKS.findall(first)) != Counter(MARKS.findall(second)):
            return False
        return self._has_same_words(WORDS.findall(first), WORDS.findall(second))

    def _has_same_words(self, first: Sequence[str], second: Sequence[str]) -> bool:
        """Return whether all words of content stay, and only plain ones come in."""
        if abs(len(first) - len(second)) > MAX_GROWTH + len(first) // 3:
            return False
        denying = DENYING.get(self.language, frozenset[str]())
        if Counter(word for word in map(str.lower, first) if word in denying) != Counter(
            word for word in map(str.lower, second) if word in denying
        ):
            return False
        place = 0
        for word in self._content(first):
            while place < len(second) and not self._is_form(word, second[place]):
                place += 1
            if place == len(second):
                return False
            place += 1
        known, new = Counter(map(fold_name, first)), list[str]()
        for word in second:
            if known[fold_name(word)]:
                known[fold_name(word)] -= 1
            elif not word[:1].isdecimal():
                new.append(word)
        plain = all(self._is_plain(word, is_first=word == second[0]) for word in new)
        return plain and len(self._content(new)) <= MAX_NEW

    def _content(self, words: Iterable[str]) -> list[str]:
        """Return the words of content."""
        flags = Lexicon.load(self.language).flags
        return [word for word in words if not word[:1].isdecimal() and not flags(word.lower()) & FUNCTION_WORDS]

    def _is_form(self, word: str, other: str) -> bool:
        """Return whether two words are the same, or forms of one."""
        if fold_name(word) == fold_name(other):
            return True
        if word[:1].isupper() != other[:1].isupper() and self.language == "de":
            return False
        lemmas = Lemmatizer.load(self.language).lemmas
        return not {*lemmas(word), *lemmas(word.lower())}.isdisjoint((*lemmas(other), *lemmas(other.lower())))

    def _is_plain(self, word: str, *, is_first: bool) -> bool:
        """Return whether a word that comes in says nothing of anybody."""
        lexicon, low = Lexicon.load(self.language), word.lower()
        if len(word) == 1 and not lexicon.flags(low) & FUNCTION_WORDS:
            return False
        if fold_name(word) in self.masked or self.hidden.matches(word) or lexicon.flags(low) & NEVER_NEW:
            return False
        is_capital = word[:1].isupper() and not is_first
        if is_capital and (self.language != "de" or lexicon.flags(word) & (PERSON_CUES | PLACE_CUES)):
            return False
        return word.isalpha() and self.label_risk.rarest_word(low) <= ORDINARY
