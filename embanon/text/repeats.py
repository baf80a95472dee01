"""Find the people of a text again where they are only a surname or initials: in tables, lists, signatures.

Who is called Marta Lindqvist once is meant by Lindqvist and by ML wherever these stand and are no other word.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from embanon.document import Phrases
from embanon.language import Cue, Lexicon, is_known_noun, word_share
from embanon.text.overlay import RANK_IDENTIFIER, OverlaySpan, number_base_phrases, overlay

FULL_NAME, SURNAME, GIVEN_NAME = "PERSON.full-name", "PERSON.surname", "PERSON.first-name"
INITIALS, HANDLE = "PERSON.initials", "CODE.handle"
LEAST_CHANCE: Final = 0.5
"""The chance from which on a mention is taken for a person who may be found again."""
SHORTEST_NAME: Final = 4
INITIALS_SIZES: Final = (2, 3)
COMMON_SHARE: Final = 1e-5
"""The share of words from which on letters are somebody's initials only by chance."""
COUPLED: Final = re.compile(
    r" (?:und|and|y|e|u\.|&|\+) ([A-ZÀ-Þ][a-zß-ÿ]{2,})(?![\w.-]|['’]?s? [^\W\d_a-zß-ÿ])"
    r"|, ([A-ZÀ-Þ][a-zß-ÿ]{2,})(?= ?<|[ \t]*$|[ \t]{2,})",
    re.MULTILINE,
)
"""A single name behind a conjunction, or a comma that ends the field."""
BEHIND_ARTICLE: Final = re.compile(r"\b(?:[aoà]|d[ao]|n[ao]|el|la|del|al|the|der|die|das|dem|den|des) $", re.IGNORECASE)
LONGEST_ARTICLE: Final = 6
CELL_OPENS: Final = re.compile(r"(?:\n|\||  |\| )$")
CELL_CLOSES: Final = re.compile(r" ?(?:\n|\||:|  |$)")
NO_NAME: Final = int(Cue.ORG_HEAD | Cue.ORG_SUFFIX | Cue.ROLE | Cue.KIN)
Chances = NDArray[np.float32]
NAME: Final = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*\.?")


ATTENDANCE: Final = re.compile(
    r"(?:^[ \t*-]*|(?<=\. ))(?:present|attend(?:ees|ing|ance)|in attendance"
    r"|on(?: (?:the )?(?:call|line)\b[^:\n]{0,20})?(?=:)|apologies|regrets"
    r"|absent|distribution|anw(?:esende?)?\b\.?|entsch(?:uldigt)?\b\.?|teilnehme(?:r|nde)|tn\b|verteiler|asist(?:en|entes)\b"
    r"|excusan?\b|ausentes?\b|presentes?\b|participantes\b)[^:\n]{0,20}:((?:(?!\. [^\W\d_]+:).)+)",
    re.IGNORECASE | re.MULTILINE,
)
"""The field of those who are at a meeting."""
LISTED_INITIALS: Final = re.compile(r"[A-ZÀ-Þ][A-Za-zà-þ'’.]{0,6}[A-ZÀ-Þ]")
OFFICES: Final = frozenset("HR IT QA PR CEO CFO COO CTO HQ RRHH UK US USA EU UE EUA UN ONU".split())
ON_A_CALL: Final = re.compile(r"^On:.*\(|\b(?:Regrets|Apologies|Absent)\b", re.MULTILINE)
"""What says that those who are *on* are on a call."""
BRACKETS: Final = re.compile(r"\([^()]*\)")
SPEAKER: Final = re.compile(r"^([A-ZÀ-Þ]{2,3}):(?=[ \t]+[\"“«(¿¡]?[^\W\d_])", re.MULTILINE)
LEAST_TURNS: Final = 2
"""Turns from which on letters are those of who speaks."""
SURE: Final = 0.99


class Repeat(NamedTuple):
    """A place where somebody is meant who is named elsewhere, and how sure it is that he is one."""

    start: int
    end: int
    kind: str
    chance: float


def find_repeats(text: str, phrases: Phrases, language: str) -> list[Repeat]:
    """Find surnames, initials and user names of the people of a text where no mention is by now, in order."""
    if phrases.chance is None or not len(phrases):
        return []
    sure = phrases.chance >= LEAST_CHANCE
    covered = bytearray(len(text))
    for place in np.flatnonzero(sure).tolist():
        start, end = int(phrases.start[place]), int(phrases.end[place])
        covered[start:end] = b"\1" * (end - start)
    present = [repeat for repeat in _find_present(text, language) if not _is_in_name(text, phrases, repeat)]
    for repeat in present:  # whatever they were taken for
        covered[repeat.start : repeat.end] = b"\0" * (repeat.end - repeat.start)
    chance = phrases.chance
    candidates = [
        *present,
        *_find_forms(text, phrases, chance, language),
        *_find_coupled(text, phrases, chance, language),
    ]
    repeats = list[Repeat]()
    for repeat in sorted(candidates):
        if not any(covered[repeat.start : repeat.end]):
            covered[repeat.start : repeat.end] = b"\1" * (repeat.end - repeat.start)
            repeats.append(repeat)
    return repeats


def _find_forms(text: str, phrases: Phrases, chances: Chances, language: str) -> Iterator[Repeat]:
    """Find other forms of names."""
    kinds = [phrases.kinds.index(kind) for kind in (FULL_NAME, SURNAME, HANDLE) if kind in phrases.kinds]
    forms = dict[str, tuple[str, float]]()
    for place in np.flatnonzero((chances >= LEAST_CHANCE) & np.isin(phrases.kind, kinds)).tolist():
        written = text[phrases.start[place] : phrases.end[place]]
        for form, kind in _short_forms(written, phrases.kinds[phrases.kind[place]], language):
            chance = max(float(chances[place]), forms.get(form, ("", 0.0))[1])
            forms[form] = kind, chance
    if not forms:
        return
    shapes = "|".join(sorted(map(re.escape, forms), key=len, reverse=True))
    for match in re.finditer(rf"(?<![\w./@'’-])(?:{shapes})(?![\w@]|[/-]\w|\.\w)", text):
        if not _is_other_word(text, match, language):
            yield Repeat(*match.span(), *forms[match[0]])


def _find_present(text: str, language: str) -> Iterator[Repeat]:
    """Find the initials of those who are said to be present, or who speak, wherever they stand: Present: RJS, AMcL."""
    items = (
        item.strip(" .")
        for field in ATTENDANCE.finditer(text)
        if not field[0].lower().lstrip(" \t*-").startswith("on:") or ON_A_CALL.search(text)
        for item in re.split("[,;/]", BRACKETS.sub("", field[1]))
    )
    forms = {item for item in items if LISTED_INITIALS.fullmatch(item) and item not in OFFICES}
    spoken = Counter(match[1] for match in SPEAKER.finditer(text))
    speakers = {form for form, count in spoken.items() if count >= LEAST_TURNS and not _is_word(form, language)}
    forms |= {one for one in speakers if len(speakers) > 1 or f"({one})" in text}  # one alone is a field: CP: 28040
    if not forms:
        return
    shapes = "|".join(sorted(map(re.escape, forms), key=len, reverse=True))
    for match in re.finditer(rf"(?<![\w.'’-])(?:{shapes})(?!\w|['’-]\w{{2}})(?:(?<=\.\w)\.)?", text):
        yield Repeat(*match.span(), INITIALS, SURE)


def _is_in_name(text: str, phrases: Phrases, repeat: Repeat) -> bool:
    """Return whether initials are a part of a longer name by now."""
    place = int(np.searchsorted(phrases.end, repeat.start, side="right"))
    inside = place < len(phrases) and phrases.start[place] <= repeat.start and phrases.end[place] >= repeat.end
    return bool(inside and phrases.end[place] - phrases.start[place] > repeat.end - repeat.start + 1)


def _find_coupled(text: str, phrases: Phrases, chances: Chances, language: str) -> Iterator[Repeat]:
    """Find names that are coupled with somebody's: Richter Pohl und Grabau, the field An: Wübbena, Foelke."""
    kinds = [phrases.kinds.index(kind) for kind in (SURNAME, GIVEN_NAME) if kind in phrases.kinds]
    for place in np.flatnonzero((chances >= LEAST_CHANCE) & np.isin(phrases.kind, kinds)).tolist():
        match = COUPLED.match(text, phrases.end[place])
        name = (match[1] or match[2]) if match else ""
        if match and not _is_word(name, language) and not Lexicon.load(language).flags(name) & NO_NAME:
            begin = match.start(1) if match[1] else match.start(2)
            chance = float(chances[place])
            yield Repeat(begin, begin + len(name), phrases.kinds[phrases.kind[place]], chance)


def with_repeats(text: str, phrases: Phrases, language: str) -> Phrases:
    """Return the phrases of a document with the places where its people are found again."""
    repeats = find_repeats(text, phrases, language)
    if phrases.chance is None or not repeats:
        return phrases
    laid = [OverlaySpan(one.start, one.end, one.kind.partition(".")[0], one.kind, RANK_IDENTIFIER) for one in repeats]
    result = overlay(phrases, laid, text)
    # What is left of a phrase is as likely a mention as it was.
    before = np.maximum(np.searchsorted(phrases.start, result.start, side="right") - 1, 0)
    chance = phrases.chance[before]
    chance[np.searchsorted(result.start, [one.start for one in repeats])] = [one.chance for one in repeats]
    return replace(result, chance=chance, base=number_base_phrases(result, text))


def _short_forms(name: str, kind: str, language: str) -> Iterator[tuple[str, str]]:
    """Yield how else somebody may be called, and what that is."""
    if kind == HANDLE:  # the poster RA_Tobi is @RA_Tobi
        bare = name.removeprefix("@")
        if len(bare) >= SHORTEST_NAME and not (bare.isalpha() and bare.islower()):
            yield bare, HANDLE
        return
    words = NAME.findall(name)
    names = [word for word in words if word[0].isupper() and not word.endswith(".") and not word.isupper()]
    if words and words[-1] in names and len(words[-1]) >= SHORTEST_NAME and not _is_word(words[-1], language):
        yield words[-1], SURNAME
    if kind == FULL_NAME and len(names) == len(words) and len(names) in INITIALS_SIZES:
        letters = [name[0] for name in names]
        yield "".join(letters), INITIALS
        for form in (".".join(letters) + ".", ". ".join(letters) + "."):
            yield form, INITIALS


def _is_other_word(text: str, match: re.Match[str], language: str) -> bool:
    """Return whether letters are another word; one in capitals may be somebody in a cell of his own."""
    if not (match[0].isupper() and match[0].isalpha()):
        return False
    if BEHIND_ARTICLE.search(text, max(0, match.start() - LONGEST_ARTICLE), match.start()):
        return True  # da ACT: an authority
    opens = CELL_OPENS.search(text, max(0, match.start() - 2), match.start()) or match.start() == 0
    return _is_word(match[0], language) and not (opens and CELL_CLOSES.match(text, match.end()))


def _is_word(name: str, language: str) -> bool:
    """Return whether a name or letters are another word as well."""
    flags = Lexicon.load(language).flags(name)
    if not name.isupper():
        return bool(flags & Cue.TITLE) or is_known_noun(name, language) or is_known_noun(name.lower(), language)
    return word_share(name.lower(), language) > COMMON_SHARE or bool(flags)
