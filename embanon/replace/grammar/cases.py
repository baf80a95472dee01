"""Tell in which case a German name stands that has no article: whose label would say a wrong one, gets none."""

from __future__ import annotations

import re
from typing import Final

from embanon.language import PERSON_CUES, Lexicon, is_dictionary_noun, is_known_noun, word_share
from embanon.replace.grammar.declension import EXPANSIONS, PREPOSITIONS, parse_determiner, parse_label

CLAUSE: Final = re.compile(r"[^.!?;:,(\n\"„“»«–—]*$")
OPENERS: Final = tuple('.!?;:(\n"„“»«–—')
PRONOUNS: Final = frozenset("ich du er sie es wir ihr man wer jemand niemand".split())
COORDINATING: Final = frozenset("und oder sowie als wie bzw".split())
HAVE: Final = frozenset("habe hast hat haben habt hatte hatten hätte hätten".split())
"""Verbs right behind which an object is one in the accusative."""
INFLECTED: Final = re.compile(r"(?:e|en|er|es|em)$")
RARE, USUAL = 1e-5, 1e-4
"""The shares of words below which one that opens a clause is no adverb, and one that can be a noun is one."""


def is_case_known(before: str, label: str) -> bool:
    """Return whether the case of a name is known by what its text has before it, as far as the label depends on it."""
    clause = CLAUSE.search(before)
    words = clause[0].split() if clause else []
    if not words:
        return not before.strip() or before.rstrip(" ").endswith(OPENERS)
    last = words[-1].lower()
    adjectives = 1 if len(words) > 1 and words[-1].islower() and INFLECTED.search(last) else 0
    if last in PREPOSITIONS or any(parse_determiner(word.lower()) for word in (last, words[-1 - adjectives])):
        return True
    if last in COORDINATING:
        return False
    if not _has_subject(words):
        return True
    first, _, rest = label.partition(" ")
    parsed = parse_label(f"ein {rest}" if parse_determiner(first) and rest else label)
    return parsed.is_plural or not rest or (last in HAVE and parsed.gender in ("f", "n"))


def _has_subject(words: list[str]) -> bool:
    """Return whether the words of a clause before a name have a subject already: Wir danken, and Die Ärztin rief."""
    flags, ahead = Lexicon.load("de").flags, ""
    for place, written in enumerate(words):
        word = written.lower()
        determiner = None if word in EXPANSIONS else parse_determiner(word)
        is_free = ahead not in PREPOSITIONS and ahead not in EXPANSIONS and parse_determiner(ahead) is None
        if word in PRONOUNS or (is_free and determiner and any(one.case == "n" for one in determiner[2])):
            return True
        is_name = written[:1].isupper() and bool(flags(written) & PERSON_CUES)
        if is_free and not determiner and (is_name or (place == 0 and _is_noun(written))):
            return True
        ahead = word
    return False


def _is_noun(opening: str) -> bool:
    """Return whether the word that opens a clause is a noun or a name."""
    if opening.lower() in PREPOSITIONS or opening.lower() in EXPANSIONS or not opening[:1].isupper():
        return False
    share = word_share(opening, "de")
    return is_known_noun(opening, "de") or share < (USUAL if is_dictionary_noun(opening, "de") else RARE)
