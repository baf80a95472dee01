"""Names that a text gives an entity itself: acronyms beside its name, nicknames in quotation marks, "known as"."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache
from typing import Final

from embanon.entities.entity import CLASS_WORD_CUES, Entity
from embanon.entities.folding import fold_text
from embanon.entities.spellings import LOWERCASE_NAME_SHARE, names_table, table_words, word_share
from embanon.entities.words import Span
from embanon.language import Cue, Lexicon
from embanon.text import possible_acronyms, words_of_name

QUOTES: Final = "\"'“”„‟‘’‚«»‹›"
ACRONYM: Final = r"[^\W\d_a-zß-öø-ÿ](?:[.&]?[^\W\d_a-zß-öø-ÿ]){1,7}\.?"
NAME: Final = r"[^\W\d_][\w'’-]*(?:[ ][^\W\d_a-zß-öø-ÿ][\w'’-]*){0,2}"
CAPITAL_NAME: Final = r"[^\W\d_a-zß-öø-ÿ][\w'’-]*(?:[ ][^\W\d_a-zß-öø-ÿ][\w'’-]*){0,2}"
ARTICLE: Final = r"(?:(?:the|der|die|das|el|la|los|las|o|a|os|as)\s+)?"
REACH: Final = 120
"""Characters behind a name in which it is said what else it is called."""

IN_BRACKETS: Final = re.compile(
    rf"[^()\n]{{0,40}}?[\s,]*[(–—-]\s*{ARTICLE}[{QUOTES}]?({ACRONYM})[{QUOTES}]?\s*[),;–—-]"
)
BEFORE_BRACKET: Final = re.compile(rf"(?<!\w)({ACRONYM})[{QUOTES}]?\s*[(–—-]\s*[{QUOTES}]?{ARTICLE}$")
QUOTED_BEHIND: Final = re.compile(
    rf"[\s,]*\(\s*(?:[^()\n]{{0,30}}\s)?[{QUOTES}]{ARTICLE}({NAME})[{QUOTES}]", re.IGNORECASE
)
QUOTED_BETWEEN: Final = re.compile(rf"[ ]?[{QUOTES}(]+{ARTICLE}({NAME})[{QUOTES})]+[ ]?", re.IGNORECASE)
HANDLE: Final = re.compile(r"(?:[ ,]*\([ ]*|[ ,]+)@([\w.]{3,30})")
LONG_BEHIND: Final = re.compile(rf"\s*[(–—-]\s*[{QUOTES}]?([^()\n–—]{{6,80}}?)[{QUOTES}]?\s*[)–—]")
LONG_BEFORE: Final = re.compile(rf"((?:[^\s()]+\s+){{2,10}})[(–—]\s*(?:[^\s()]+\s+)?[{QUOTES}]?$")
MIN_LONG_FORM: Final = 3
"""Letters of an acronym whose long form is looked for."""
BEHIND_SUFFIX: Final = r"(?:[ ,]+[^\s,;()–—]{1,12}){0,3}?"
"""The form of a company between its name and what follows: gGmbH, S.A."""


def is_acronym(name: str) -> bool:
    """Return whether a name is an acronym."""
    return re.fullmatch(ACRONYM, name) is not None and name == name.upper()


def discover_aliases(
    entity: Entity, text: str, low: str, mentions: Sequence[Span], language: str
) -> tuple[str, ...]:  # fmt: skip
    """Return the other names that a text gives an entity beside its mentions."""
    known = {fold_text(name) for name in entity.names}
    aliases = dict.fromkeys(
        name for name in _candidates(entity, text, low, mentions, language) if fold_text(name) not in known
    )
    return tuple(aliases)


def _candidates(
    entity: Entity, text: str, low: str, mentions: Sequence[Span], language: str
) -> Iterator[str]:  # fmt: skip
    starts = {start for start, _ in mentions}
    for start, end in _longest(mentions):
        behind = text[end : end + REACH]
        before = text[max(0, start - REACH) : start]
        if (match := IN_BRACKETS.match(behind)) and _fits(match[1], entity):
            yield match[1]
        if (match := BEFORE_BRACKET.search(before)) and _fits(match[1], entity):
            yield match[1]
        if (match := QUOTED_BEHIND.match(behind)) and _is_name(match[1], entity, language):
            yield match[1]
        if (
            (match := QUOTED_BETWEEN.match(behind))
            and end + match.end() in starts
            and _is_name(match[1], entity, language)
        ):
            yield match[1]
        for pattern in _called(language):
            if (match := pattern.match(behind)) and _is_name(match[1], entity, language, called=True):
                yield match[1]
        if match := HANDLE.match(behind):
            yield match[1]
        yield from _long_forms(text[start:end], before, behind)


def _long_forms(mention: str, before: str, behind: str) -> Iterator[str]:
    """Return what an acronym stands for, where that stands beside it: Low Altitude Kit (LAK)."""
    acronym = mention.split()[-1].replace(".", "")
    if len(acronym) < MIN_LONG_FORM or not acronym.isupper():
        return
    if (match := LONG_BEHIND.match(behind)) and acronym in possible_acronyms(match[1]):
        yield match[1]
    if match := LONG_BEFORE.search(before):
        words = match[1].split()
        longer = (" ".join(words[-size:]) for size in range(2, len(words) + 1))
        yield from [name for name in longer if acronym in possible_acronyms(name) and name[0].isupper()][:1]


def _longest(mentions: Sequence[Span]) -> Iterator[Span]:
    """Return mentions that are in no other one."""
    reached = -1
    for start, end in sorted(mentions, key=lambda span: (span[0], -span[1])):
        if end > reached:
            yield start, end
            reached = end


def _fits(acronym: str, entity: Entity) -> bool:
    """Return whether the letters of an acronym stand in a name in this order, the first at the begin of a word."""
    letters = fold_text(acronym.replace(".", "").replace("&", ""))
    for name in map(fold_text, entity.names):
        words = words_of_name(name)
        for place, word in enumerate(words):
            if word[0] == letters[0] and _has_in_order("".join(words[place:]), letters):
                initials = "".join(one[0] for one in words)
                if _has_in_order(letters, initials[:1]) and sum(map(initials.count, set(letters))) >= 2:
                    return True
    return False


def _has_in_order(signs: str, letters: str) -> bool:
    rest = iter(signs)
    return all(letter in rest for letter in letters)


def _is_name(name: str, entity: Entity, language: str, *, called: bool = False) -> bool:
    """Return whether what somebody is called is a name, and no word for what they are: the tenant, la Fundación."""
    lexicon = Lexicon.load(language)
    if is_acronym(name):
        return True
    words = fold_text(name).split()
    flags = [lexicon.flags(word) for word in (*name.lower().split(), *words)]
    if not any(map(str.isalpha, name)) or any(bits & Cue.PRONOUN for bits in flags):
        return False
    if not table_words(language, "parties").isdisjoint(name.lower().split()):
        return False
    if entity.type != "PERSON":
        is_rare = any(word_share(word, language) < LOWERCASE_NAME_SHARE for word in words)
        return is_rare and not any(bits & CLASS_WORD_CUES for bits in flags)
    refused = Cue.STOP if called else Cue.KIN | Cue.TITLE | Cue.STOP | Cue.NATIONALITY
    return not any(bits & refused for bits in flags)


@cache
def _called(language: str) -> tuple[re.Pattern[str], ...]:
    """Return what finds another name behind words that say so."""
    table = names_table(language)

    def words(row: str) -> str:
        return "|".join(re.escape(entry) for entry in sorted(table.get(row, "").split("|"), key=len, reverse=True))

    if not table:
        return ()
    lead = rf"{BEHIND_SUFFIX}[\s,(–—-]{{1,4}}"
    return (
        re.compile(rf"{lead}(?i:{words('called')})[:,]?\s+(?i:{ARTICLE})[{QUOTES}]?(?i:{ARTICLE})({CAPITAL_NAME})"),
        re.compile(rf"{lead}(?i:{words('defined')})[:,]?\s+(?i:{ARTICLE})[{QUOTES}]?(?i:{ARTICLE})({ACRONYM})(?!\w)"),
    )
