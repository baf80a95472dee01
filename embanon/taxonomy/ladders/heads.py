"""Find the noun that a description is built on: a *primera mujer que presidió el club* is a mujer."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Final

from embanon.language import PLACE_CUES, Cue, Lexicon, fold_name
from embanon.taxonomy.ladders.numerals import find_number
from embanon.taxonomy.ladders.quantities import has_time_unit
from embanon.taxonomy.ladders.tables import Tables

MARKS: Final = ",.;:()\"“”„«»'‘’!?¡¿"
LEAST_COUNT: Final = 10
"""The least number that may tell of somebody."""
MIN_AGED: Final = 2
"""Words of a duration, with which a description begins."""
MOST_MODIFIERS: Final = 3
"""Words before the head of a description."""

IsNoun = Callable[[str], bool]


def plain_head(phrase: str, tables: Tables, is_noun: IsNoun, *, is_clause: bool = False) -> tuple[str, str]:
    """Return the noun that a description is built on, and a word before it that says that it no longer is so.

    Both are empty where the phrase is a clause without a noun of its own, or where the noun is denied.
    """
    words = _first_part(phrase.split(), tables)
    number = find_number(words[0], tables) if len(words) > 1 else None
    if number is not None and not number.has_others and len(words) > MIN_AGED and has_time_unit(words[1], tables):
        words = words[2:]  # 36 Jahre Lokführer
    elif number is not None and not number.has_others:
        head, former = plain_head(" ".join(words[1:]), tables, is_noun, is_clause=is_clause)
        is_small = number.value < LEAST_COUNT
        return (f"{words[0].lower()} {head}" if head and is_small else head), former  # seven daughters
    if len(words) > 1 and not words[0].isdecimal() and number is None and has_time_unit(words[0], tables):
        return "", ""  # Jahre Lokführer, behind a number
    former, ahead = "", _ahead_of_heads(tables)
    while len(words) > 1 and (word := fold_name(words[0])) in ahead:
        former = words[0].lower() if word in tables.words("nouns", "former") else former
        words = words[1:]
    if not words or fold_name(words[0]) in ahead:
        return "", ""
    last = tables.text("nouns", "position") == "last"
    denied = [word for word in (words[:-1] if last else words) if _denies(word, tables)]  # a draper's assistant is one
    if denied and not last:
        return "", ""  # a deputy mayor is none
    flags = Lexicon.load(tables.language).flags
    bound = [place for place, word in enumerate(words) if flags(word) & (Cue.DETERMINER | Cue.PRONOUN)]
    if bound:
        before = words[: bound[0]]
        if not (tables.flag("nouns", "capitalized") and before and before[-1][:1].isupper()):
            return "", ""  # stopped the wagon: a clause; but Tochter Ihres Vaters
        words = before
    if tables.text("nouns", "position") == "first":
        return (words[0], former) if words[0].islower() and is_noun(words[0]) else ("", "")
    if tables.flag("nouns", "capitalized"):
        while len(words) > 1 and words[0][:1].isupper() and flags(words[0].removesuffix("s")) & PLACE_CUES:
            words = words[1:]  # Deutschlands einziger Hersteller
        before, head = _first_capital(words)
        return (head, former) if len(before) <= MOST_MODIFIERS and is_noun(head) else ("", "")
    days = tables.words("dates", "weekdays_short")
    known = [word for word in words if word.islower() and not word.endswith("ing") and fold_name(word) not in days]
    nouns = [word for word in known if is_noun(word) or is_noun(word.rpartition("-")[2])]
    if is_clause and nouns != words[: len(nouns)]:
        return "", ""  # played bass, her father repaired boats
    if nouns and words[-1][:1].isupper() and words[0][:1].islower() and not flags(nouns[-1]) & Cue.ROLE:
        return "", ""  # a silver Yaris is no silver
    if denied and nouns:
        return " ".join((*(word.lower() for word in denied if word.lower() != nouns[-1]), nouns[-1])), former
    return (nouns[-1], former) if nouns else ("", "")


def unique_words(tables: Tables) -> frozenset[str]:
    """Return the words that say that something is of one alone: first, only, last."""
    return tables.words("nouns", "first") | tables.words("nouns", "unique")


def _ahead_of_heads(tables: Tables) -> frozenset[str]:
    """Return the words before a noun that do not say what it is."""
    return unique_words(tables) | tables.words("nouns", "ahead") | tables.words("nouns", "ahead_of_head")


def _first_part(words: Iterable[str], tables: Tables) -> list[str]:
    """Return the words before the first comma, preposition or relative pronoun."""
    part = list[str]()
    cut = tables.words("nouns", "cut") | tables.words("nouns", "relative")
    for word in words:
        bare = word.strip(MARKS)
        if word[:1] in MARKS or not bare or (part and fold_name(bare) in cut):
            break
        part.append(bare)
        if word[-1] in MARKS:
            break
    return part


def _denies(word: str, tables: Tables) -> bool:
    return any(fold_name(part) in tables.words("nouns", "privative") for part in (word, word.partition("-")[0]))


def _first_capital(words: list[str]) -> tuple[list[str], str]:
    """Return the first word with a capital, and those before it."""
    place = next((number for number, word in enumerate(words) if word[:1].isupper()), len(words))
    return words[:place], words[place] if place < len(words) else ""
