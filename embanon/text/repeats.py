"""Find the people of a text again where they are only a surname or initials: in tables, lists, signatures.

Who is called Marta Lindqvist once is meant by Lindqvist and by ML wherever these stand and are no other word.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Final, NamedTuple

import numpy as np

from embanon.document import Phrases
from embanon.language import Cue, Frequencies, Lexicon, is_known_noun
from embanon.text.overlay import RANK_IDENTIFIER, OverlaySpan, number_base_phrases, overlay

FULL_NAME, SURNAME, INITIALS = "PERSON.full-name", "PERSON.surname", "PERSON.initials"
LEAST_CHANCE: Final = 0.5
"""The chance from which on a mention is taken for a person who may be found again."""
SHORTEST_NAME: Final = 4
INITIALS_SIZES: Final = (2, 3)
COMMON_SHARE: Final = 1e-5
"""The share of words from which on letters are somebody's initials only by chance."""
NAME: Final = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*\.?")


class Repeat(NamedTuple):
    """A place where somebody is meant who is named elsewhere, and how sure it is that he is one."""

    start: int
    end: int
    kind: str
    chance: float


def find_repeats(text: str, phrases: Phrases, language: str) -> list[Repeat]:
    """Find surnames and initials of the people of a text where no mention is by now, in order."""
    if phrases.chance is None or not len(phrases):
        return []
    sure = phrases.chance >= LEAST_CHANCE
    kinds = [phrases.kinds.index(kind) for kind in (FULL_NAME, SURNAME) if kind in phrases.kinds]
    forms = dict[str, tuple[str, float]]()
    for place in np.flatnonzero(sure & np.isin(phrases.kind, kinds)).tolist():
        written = text[phrases.start[place] : phrases.end[place]]
        for form, kind in _short_forms(written, phrases.kinds[phrases.kind[place]], language):
            chance = max(float(phrases.chance[place]), forms.get(form, ("", 0.0))[1])
            forms[form] = kind, chance
    if not forms:
        return []
    covered = bytearray(len(text))
    for place in np.flatnonzero(sure).tolist():
        start, end = int(phrases.start[place]), int(phrases.end[place])
        covered[start:end] = b"\1" * (end - start)
    shapes = "|".join(sorted(map(re.escape, forms), key=len, reverse=True))
    pattern = re.compile(rf"(?<![\w./@'’-])(?:{shapes})(?![\w@]|[/-]\w|\.\w)")
    return [
        Repeat(*match.span(), *forms[match[0]])
        for match in pattern.finditer(text)
        if not any(covered[match.start() : match.end()])
    ]


def with_repeats(text: str, phrases: Phrases, language: str) -> Phrases:
    """Return the phrases of a document with the places where its people are found again."""
    repeats = find_repeats(text, phrases, language)
    if phrases.chance is None or not repeats:
        return phrases
    laid = [OverlaySpan(one.start, one.end, "PERSON", one.kind, RANK_IDENTIFIER) for one in repeats]
    result = overlay(phrases, laid, text)
    # What is left of a phrase is as likely a mention as it was.
    before = np.maximum(np.searchsorted(phrases.start, result.start, side="right") - 1, 0)
    chance = phrases.chance[before]
    chance[np.searchsorted(result.start, [one.start for one in repeats])] = [one.chance for one in repeats]
    return replace(result, chance=chance, base=number_base_phrases(result, text))


def _short_forms(name: str, kind: str, language: str) -> Iterator[tuple[str, str]]:
    """Yield how else somebody may be called, and what that is."""
    words = NAME.findall(name)
    names = [word for word in words if word[0].isupper() and not word.endswith(".") and not word.isupper()]
    if words and words[-1] in names and len(words[-1]) >= SHORTEST_NAME and not _is_word(words[-1], language):
        yield words[-1], SURNAME
    if kind == FULL_NAME and len(names) == len(words) and len(names) in INITIALS_SIZES:
        letters = [name[0] for name in names]
        if not _is_word("".join(letters), language):
            yield "".join(letters), INITIALS
        for form in (".".join(letters) + ".", ". ".join(letters) + "."):
            yield form, INITIALS


def _is_word(name: str, language: str) -> bool:
    """Return whether a name or letters are another word as well."""
    flags = Lexicon.load(language).flags(name)
    if not name.isupper():
        return bool(flags & Cue.TITLE) or is_known_noun(name, language) or is_known_noun(name.lower(), language)
    frequencies = Frequencies.load(language)
    share = frequencies.share(name.lower()) if frequencies else None
    return (share or 0) > COMMON_SHARE or bool(flags)
