"""Correct what names are taken for by what stands beside them: in a list of films, Nancy Drew is a film.

What is said of a name must be true. A name alone is often taken for a person's, or an organization's; the words
around it may know better: a list of works, a noun that says what it is, an article before a plural.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterator, Sequence
from dataclasses import replace
from typing import Final

from embanon.document import Phrase
from embanon.lexicon import Cue, Lexicon

WORK: Final = "MISC.work"
ORGANIZATION: Final = "ORG.organization"
AWARD: Final = "MISC.award"
TAKEN: Final = frozenset(("PERSON", "ORG", "LOC", "DEM"))
"""Types that a title is taken for."""
PASSED: Final = frozenset(("DATETIME", "QUANTITY"))
"""Types of what stands in brackets behind a title."""
YEAR: Final = r" ?\((?:[a-z]+ )?(?:18|19|20)\d\d\b[^()]{0,12}\)"
DATED: Final = re.compile(YEAR)
ENDS_DATED: Final = re.compile(f"{YEAR}$")
LISTED: Final = re.compile(
    rf"[\"”’»]?(?:{YEAR})?(?:, (?:and |or |und |y |e )?| and | or | und | y | e | & )(?:the )?[\"“‘«]?"
)
"""What stands between two titles of a list."""
HEAD: Final = re.compile(r"\b([^\W\d_]+)(?: such as| like| including|:)?,? (?:the )?[\"“‘«]?$")
"""A noun before a name, or before a list."""
OF: Final = re.compile(
    r"\b(?:adaptation|production|productions|version|revival|remake|sequel|screening|premiere)s? of [\"“]?$"
)
THE: Final = re.compile(r"\bthe (?:\d{4}(?:[-–]\d\d)? )?$", re.IGNORECASE)
PLURAL: Final = re.compile(r"[A-Z][\w.'’-]* (?:[\w.'’-]+ )*[A-Z]\w+[^\Ws]s")
BEST: Final = re.compile(r"(?:Best|Outstanding) [A-Z]")
NEAR: Final = 60


def corrected(text: str, phrases: Sequence[Phrase], fixed: Container[int], language: str) -> dict[int, Phrase]:
    """Give the phrases, by their places, that are something else than they were taken for; none that are fixed."""
    if language != "en":
        return {}
    lexicon = Lexicon.load(language)
    found: dict[int, str] = {}
    for chain in _chains(text, phrases):
        found.update(dict.fromkeys(_works(text, phrases, chain, lexicon), WORK))
    for place, phrase in enumerate(phrases):
        if place not in found and (kind := _alone(text, phrase, lexicon)):
            found[place] = kind
    written_as = [text[phrase.start : phrase.end] for phrase in phrases]
    known = {written_as[place]: kind for place, kind in found.items() if place not in fixed}
    return {
        place: replace(phrase, type=known[written].partition(".")[0], kind=known[written])
        for place, (phrase, written) in enumerate(zip(phrases, written_as, strict=True))
        if written in known and phrase.type in TAKEN and place not in fixed
    }  # fmt: skip


def _chains(text: str, phrases: Sequence[Phrase]) -> Iterator[list[int]]:
    """Give the lists of names, each by the places of its members."""
    chain: list[int] = []
    for place, phrase in enumerate(phrases):
        if phrase.type in PASSED:
            continue
        if chain and not LISTED.fullmatch(text[phrases[chain[-1]].end : phrase.start]):
            yield chain
            chain = []
        chain.append(place)
    if chain:
        yield chain


def _works(text: str, phrases: Sequence[Phrase], chain: Sequence[int], lexicon: Lexicon) -> Iterator[int]:
    """Give the places of a list that must be works, as others of it are."""
    works = [place for place in chain if phrases[place].kind == WORK]
    known = len(works)
    if len(chain) > 1 and _is_announced(text, phrases[chain[0]], lexicon, several=True):
        known += 2
    for place in chain:
        phrase = phrases[place]
        if not known or phrase.type not in TAKEN or phrase.form not in ("name", "title"):
            continue
        dated = DATED.match(text, phrase.end) or ENDS_DATED.search(text[phrase.start : phrase.end])
        between = bool(works) and works[0] < place < works[-1]
        if dated or between or (known > 1 and not _is_person(text, phrase, lexicon)):
            yield place


def _alone(text: str, phrase: Phrase, lexicon: Lexicon) -> str:
    """Say of which kind a name is by the words before it; "" where they do not tell."""
    if phrase.type not in TAKEN or phrase.form not in ("name", "title"):
        return ""
    written, before = text[phrase.start : phrase.end], text[max(0, phrase.start - NEAR) : phrase.start]
    if phrase.type == "DEM":
        return AWARD if BEST.match(written) else ""
    if _is_person(text, phrase, lexicon):
        return ""
    if OF.search(before) or _is_announced(text, phrase, lexicon, several=False):
        return WORK
    return ORGANIZATION if phrase.type == "PERSON" and THE.search(before) and PLURAL.fullmatch(written) else ""


def _is_announced(text: str, phrase: Phrase, lexicon: Lexicon, *, several: bool) -> bool:
    """Say that a noun for works stands before a name: the film X; for several, in the plural: films such as X."""
    found = HEAD.search(text, max(0, phrase.start - NEAR), phrase.start)
    if not found or not found[1].islower() or not lexicon.flags(found[1]) & Cue.WORK_HEAD:
        return False
    if several:  # one series, or many
        return found[1].endswith("s") and (not found[1].endswith("series") or found[0] != f"{found[1]} ")
    return found[0] == f"{found[1]} "


def _is_person(text: str, phrase: Phrase, lexicon: Lexicon) -> bool:
    """Say that a name begins with a given name that is no ordinary word, and goes on."""
    first, *rest = text[phrase.start : phrase.end].split()
    flags = lexicon.flags(first)
    return phrase.type == "PERSON" and bool(rest) and bool(flags & Cue.GIVEN_NAME) and not flags & Cue.AMBIGUOUS
