"""Correct what names are taken for: what is said of a name must be true.

A name alone is easily taken for a person or an organization. What stands beside it may know better: in a list of films
Nancy Drew is a film, and what the noun before it says it is. Where nothing else tells that a name is a person's
or an organization's, no more is said than that it is something.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from typing import Final

from embanon.coreference import words_of_name
from embanon.document import Phrase
from embanon.lexicon import PLACE, Cue, Lexicon

WORK: Final = "MISC.work"
AWARD: Final = "MISC.award"
ANYTHING: Final = "MISC.other"
ANYONE: Final = "MISC.name"
"""Somebody or something: not even that it is a thing can be said."""
ORGANIZATION: Final = "ORG.organization"
PERSON: Final = "PERSON.full-name"
ROLE: Final = "DEM.role"
TAKEN: Final = frozenset(("PERSON", "ORG", "LOC", "DEM"))
"""Types that a title is taken for."""
PASSED: Final = frozenset(("DATETIME", "QUANTITY"))
"""Types of what stands in brackets behind a title."""
YEAR: Final = r" ?\((?:[a-z]+ )?(?:18|19|20)\d\d\b[^()]{0,12}\)"
DATED: Final = re.compile(YEAR)
ENDS_DATED: Final = re.compile(f"{YEAR}$")
LISTED: Final = re.compile(rf"[\"”’»]?(?:{YEAR})?(?:, (?:and |or )?| and | or | & )(?:the )?[\"“‘«]?")
"""What stands between two titles of a list."""
HEAD: Final = re.compile(r"\b([^\W\d_]+)(?: such as| like| including|:)?,? (?:the )?[\"“‘«]?$")
"""A noun before a name, or before a list."""
OF_WORK: Final = re.compile(
    r"\b(?:adaptation|production|version|revival|remake|sequel|screening|premiere)s? of [\"“]?$"
)
THE: Final = re.compile(r"\bthe (?:\d{4}(?:[-–]\d\d)? )?$", re.IGNORECASE)
PLURAL: Final = re.compile(r"[A-Z][\w.'’-]* (?:[\w.'’-]+ )*[A-Z]\w+[^\Ws]s")
ENDS: Final = re.compile(r"[,.;:)]| \((?:18|19|20)\d\d\b")
BEST: Final = re.compile(r"(?:Best|Outstanding) [A-Z]")
LATIN: Final = re.compile(r"[A-Za-z]")
"""A name in another script, in an English text, is a person's as it is written at home."""
INITIALS: Final = re.compile(r"(?:[A-Z]\. ?)+ ?[A-Z][a-z]")
WHO: Final = re.compile(
    r"\b(?:as|named|played|portray(?:s|ed|ing)|(?:portrayal|role|voice|son|daughter|wife|husband|widow|death|resignation"
    r"|election) of|marri(?:ed|age to)|alongside|opposite|defeating|met|succeeded|Mr\.?|Mrs\.?|Dr\.?) $"
)
"""What stands before a person."""
WHERE: Final = re.compile(
    r"\b(?:join(?:ed|s|ing)?|found(?:ed|er of)|members? of|signed (?:to|with|by)|work(?:ed|s|ing) (?:at|for)"
    r"|attend(?:ed|s)|employed by|play(?:ed|s|ing) (?:for|with)|director of|owned by|company|firm|club|team|party|bank"
    r"|label) (?:the )?$"
)
"""What stands before an organization."""
ORGANIZED: Final = int(Cue.ORG_HEAD | Cue.ORG_SUFFIX | Cue.ORG_NAME | Cue.LAW_HEAD)
PEOPLE: Final = int(
    Cue.ROLE | Cue.KIN | Cue.TITLE | Cue.NATIONALITY | Cue.DEM | Cue.LANGUAGE | Cue.HEALTH | Cue.AGE | Cue.AWARD_HEAD
)
BEFORE_PEOPLE: Final = int(Cue.ROLE | Cue.KIN | Cue.TITLE)
NEAR: Final = 60


def corrected(text: str, phrases: Sequence[Phrase], fixed: Collection[int], language: str) -> dict[int, Phrase]:
    """Give the phrases, by their places, that are something else than they were taken for; none that are fixed."""
    if language != "en":
        return {}
    lexicon = Lexicon.load(language)
    found: dict[int, str] = {}
    chains = list(_chains(text, phrases))
    for chain in chains:
        found.update(dict.fromkeys(_works(text, phrases, chain, lexicon), WORK))
    for place, phrase in enumerate(phrases):
        if place not in found and _is_name(phrase) and (kind := _alone(text, phrase, lexicon)):
            found[place] = kind
    written = [text[phrase.start : phrase.end] for phrase in phrases]
    known = {written[place]: kind for place, kind in found.items() if place not in fixed}
    people = [place for place, one in enumerate(phrases) if one.type == "PERSON" and written[place] not in known]
    sure = {place for place in people if place in fixed or _is_sure(text, phrases[place], lexicon)}
    known_well = {place for place in sure if place in fixed or _is_called(text, phrases[place], lexicon)}
    sure.update(*(set(chain) & set(people) for chain in chains if not known_well.isdisjoint(chain)))
    words = {word for place in sure for word in words_of_name(written[place])}
    for place in people:
        if words.isdisjoint(words_of_name(written[place])):
            known[written[place]] = ANYONE
    return {
        place: replace(phrase, type=known[name].partition(".")[0], kind=known[name])
        for place, (phrase, name) in enumerate(zip(phrases, written, strict=True))
        if name in known and phrase.type in TAKEN and place not in fixed
    }


def _is_name(phrase: Phrase) -> bool:
    return phrase.type in TAKEN and phrase.form in ("name", "title")


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
        if not known or not _is_name(phrase):
            continue
        dated = DATED.match(text, phrase.end) or ENDS_DATED.search(text[phrase.start : phrase.end])
        between = bool(works) and works[0] < place < works[-1]
        if dated or between or (known > 1 and not _is_called(text, phrase, lexicon)):
            yield place


def _alone(text: str, phrase: Phrase, lexicon: Lexicon) -> str:
    """Say of which kind a name is by its words and those before it; "" where it may be what it was taken for."""
    written, before = text[phrase.start : phrase.end], text[max(0, phrase.start - NEAR) : phrase.start]
    called = _is_called(text, phrase, lexicon)
    flags = [lexicon.flags(word) for word in written.split()]
    if BEST.match(written):
        return AWARD
    announced = OF_WORK.search(before) or _is_announced(text, phrase, lexicon, several=False)
    if announced and (not called or ENDS.match(text, phrase.end)):  # but not: the film Ada Berger made
        return WORK
    team = THE.search(before) and PLURAL.fullmatch(written)
    match phrase.type:
        case "PERSON":
            small = any(word.islower() and not lexicon.flags(word) & Cue.PARTICLE for word in written.split())
            return ORGANIZATION if not called and team else ANYONE if small else ""
        case "ORG" if _is_someone(flags):
            return PERSON
        case "ORG" if flags[0] & Cue.ROLE and " of " in written:
            return ROLE
        case "ORG":
            words = written.split()
            acronym = any(word.isupper() and len(word) > 1 for word in words) and not _is_of_event(flags)
            sure = acronym or "&" in written or any(one & ORGANIZED for one in flags) or flags[-1] & PLACE
            return "" if sure or WHERE.search(before) else ANYTHING
        case "DEM":
            return _of_characteristic(written, flags, called=called, team=bool(team))
    return ""


def _is_of_event(flags: Sequence[int]) -> bool:
    """Say that a word is that of an event or an award."""
    return any(one & (Cue.EVENT_HEAD | Cue.AWARD_HEAD) and not one & Cue.ORG_HEAD for one in flags)


def _is_someone(flags: Sequence[int]) -> bool:
    """Say that a name is that of a person behind a role: Texas Ranger Ada Berger."""
    if len(flags) < 3 or not flags[-2] & Cue.GIVEN_NAME or flags[-2] & Cue.AMBIGUOUS:
        return False
    return any(one & BEFORE_PEOPLE for one in flags[:-2]) and not flags[-1] & ORGANIZED


def _of_characteristic(written: str, flags: Sequence[int], *, called: bool, team: bool) -> str:
    if called or _is_someone(flags):
        return PERSON
    if written.startswith("The "):
        return WORK
    if len(flags) > 1 and team and not any(one & (Cue.NATIONALITY | Cue.DEM) for one in flags):
        return ORGANIZATION
    return "" if any(one & PEOPLE for one in flags) or not written[:1].isupper() else ANYTHING


def _is_announced(text: str, phrase: Phrase, lexicon: Lexicon, *, several: bool) -> bool:
    """Say that a noun for works stands before a name: the film X; for several, in the plural: films such as X."""
    found = HEAD.search(text, max(0, phrase.start - NEAR), phrase.start)
    if not found or not found[1].islower() or not lexicon.flags(found[1]) & Cue.WORK_HEAD:
        return False
    if several:  # one series, or many
        return found[1].endswith("s") and (not found[1].endswith("series") or found[0] != f"{found[1]} ")
    return found[0] == f"{found[1]} "


def _is_called(text: str, phrase: Phrase, lexicon: Lexicon) -> bool:
    """Say that a name begins with a given name that is no ordinary word, and goes on."""
    first, *rest = text[phrase.start : phrase.end].split()
    flags = lexicon.flags(first)
    named = phrase.type == "PERSON" or (
        phrase.type == "DEM" and not lexicon.flags(rest[-1] if rest else first) & PEOPLE
    )
    return named and bool(rest) and bool(flags & Cue.GIVEN_NAME) and not flags & Cue.AMBIGUOUS


def _is_sure(text: str, phrase: Phrase, lexicon: Lexicon) -> bool:
    """Say that something tells that a name is a person's: a given name, a title, initials, or the words before it."""
    written = text[phrase.start : phrase.end]
    before = text[max(0, phrase.start - NEAR) : phrase.start]
    first, *rest = written.split()
    if lexicon.flags(first) & (Cue.GIVEN_NAME | Cue.TITLE) or INITIALS.match(written) or not LATIN.search(written):
        return True
    if rest and not lexicon.flags(first) and lexicon.flags(rest[-1]) & Cue.SURNAME:
        return True
    words = before.split()
    last = words[-1] if words and before.endswith(" ") else ""
    return bool(WHO.search(before) or lexicon.flags(last) & BEFORE_PEOPLE)
