"""Make up persons: of the same gender, with names about as frequent, called as the original is wherever it is named.

The surname is chosen for a surname and the other names for the whole person, so that a family stays one and a given
name that many bear does not become one name.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from itertools import chain
from typing import Final
from unicodedata import name as name_of
from unicodedata import normalize

from embanon.entities.entity import folded
from embanon.entities.present import Present, same_given
from embanon.language.frequencies import Frequencies
from embanon.language.lexicon import PERSON, Cue, Lexicon
from embanon.replace.surrogates.keyed import Keyed
from embanon.replace.surrogates.pools import EITHER, FEMALE, MALE, SURNAME, Pool, pools
from embanon.replace.surrogates.words import Taken, like

TITLES: Final = {
    FEMALE: frozenset(
        """mrs ms miss lady madam dame queen princess sra dona dna senora senorita srta dra doctora senhora doutora
        profa frau mme""".split()
    ),
    MALE: frozenset("mr sir lord king prince sr don senor dom senhor herr herrn monsieur".split()),
}
PRONOUNS: Final = {
    "en": {FEMALE: "she her hers herself", MALE: "he him his himself"},
    "es": {FEMALE: "ella", MALE: "él"},
    "pt": {FEMALE: "ela dela", MALE: "ele dele"},
    "de": {FEMALE: "sie ihr ihre ihrer ihren", MALE: "er ihn ihm sein seine seiner seinen"},
}
NEAR: Final = 160
"""Characters behind a name in which a pronoun is taken to mean its bearer."""
BESIDE: Final = 2
"""Words before a name that may be its form of address."""
ALIKE: Final = 0.8
"""The ratio from which a word is taken for another spelling of a name."""
_WORD: Final = re.compile(r"[^\W\d_]+(?:[-'’][^\W\d_]+)*")
_POSSESSIVE: Final = re.compile(r"['’]s?$", re.IGNORECASE)
_LABEL: Final = re.compile(r"([^\W\d_]+): +")
_BRACKETED: Final = re.compile(r" \([^()]*\)$")
"""What somebody is, behind the name: *Ada Berger (chair)*."""
_CODE: Final = re.compile(r"[\d@/_\\]")
_GIVEN, _MIDDLE, _FAMILY = "given", "middle", "surname"


@dataclass(slots=True)
class _Person:
    """Whom a substitute stands for: the words of the name with their parts, and what stands for each part."""

    full: str = field(repr=False)
    gender: str
    parts: dict[str, str] = field(repr=False)
    """The folded word -> given, middle or surname."""
    names: dict[str, str] = field(default_factory=dict, repr=False)
    """The folded word, or the part -> what stands for it."""


class People:
    """Gives each person of a text one substitute."""

    def __init__(
        self, text: str, language: str, keyed: Keyed, taken: Taken, is_somebody: Callable[[str], bool]
    ) -> None:  # fmt: skip
        self._text, self._language, self._keyed, self._taken = text, language, keyed, taken
        self._lexicon, self._known = Lexicon.load(language), Frequencies.load(language)
        self._is_somebody = is_somebody
        self._people: dict[str, _Person] = {}

    def of(self, written: str, whose: Present | None) -> str | None:
        """Give what stands for a mention of somebody; `None` where it is no name in Latin letters."""
        written = normalize("NFC", written)
        full = normalize("NFC", (whose.name or whose.full) if whose else "") or written
        full = _BRACKETED.sub("", self._label(full)[1])
        if _CODE.search(written) or not _is_latin(full):
            return None
        person = self._people.get(full) or self._people.setdefault(full, self._person(full, whose))
        label, name = self._label(written)
        made = self._said(_BRACKETED.sub("", name), person)
        return label + made if made and folded(made) != folded(name) else None

    def family(self, written: str) -> str | None:
        """Give what stands for a family: for the Berlins whoever is Berlin, if anybody here is."""
        low = folded(written)
        for person in self._people.values():
            known = next((one for one, part in person.parts.items() if part == _FAMILY and low in (one, f"{one}s")), "")
            if known:
                return self._for(written, person, set(), rest=0, many=False)
        return None

    def _label(self, written: str) -> tuple[str, str]:
        """Split off what says in what way somebody is named: *Present: Ada Berger*."""
        found = _LABEL.match(written)
        flags = self._lexicon.flags(found[1]) if found else 0
        if not found or not flags or flags & PERSON:
            return "", written
        return found[0], written[found.end() :]

    def _person(self, full: str, whose: Present | None) -> _Person:
        last, comma, first = full.partition(", ")
        words = list(self._words(f"{first} {last}" if comma and " " not in first.strip() else full))
        parts = {folded(word): self._part(word, place, words) for place, word in enumerate(words)}
        return _Person(full, self._gender(words, whose), parts)

    def _words(self, name: str) -> Iterator[str]:
        """Give the words of a name without titles before it, particles and suffixes."""
        started, found, small = False, _WORD.findall(name), name.isupper()
        for place, word in enumerate(found):
            flags = self._lexicon.flags(word)
            if not started and flags & Cue.TITLE and place + 1 < len(found):
                continue
            particle = flags & (Cue.PARTICLE | Cue.CONNECTOR) and (small or word.islower()) and place + 1 < len(found)
            if not (particle or (started and flags & Cue.SUFFIX_NAME)):
                started = True
                yield word

    def _part(self, word: str, place: int, words: Sequence[str]) -> str:
        given = bool(self._lexicon.flags(word) & Cue.GIVEN_NAME)
        if len(words) == 1:
            return _GIVEN if given else _FAMILY
        if place == len(words) - 1:
            return _FAMILY
        return _GIVEN if place == 0 else _MIDDLE if given or len(word) == 1 else _FAMILY

    def _gender(self, words: Sequence[str], whose: Present | None) -> str:
        """Tell a gender by the form of address, the given name, or the pronouns behind it.

        Mr. Whitlock may be her husband, so that a form of address before the surname alone comes last of these.
        """
        spans = whose.spans if whose else ()
        whole = [(start, end) for start, end in spans if words and words[0] in self._text[start:end]]
        cues = self._lexicon.flags(words[0]) & (Cue.FEMALE | Cue.MALE) if words else 0
        by_name = {int(Cue.FEMALE): FEMALE, int(Cue.MALE): MALE}.get(cues)
        if found := self._addressed(whole) or by_name or self._addressed(spans):
            return found
        behind = [word.lower() for _, end in spans for word in _WORD.findall(self._text[end : end + NEAR])]
        told = {
            gender: sum(behind.count(one) for one in said.split())
            for gender, said in PRONOUNS.get(self._language, {}).items()
        }  # fmt: skip
        best = max(told, key=lambda gender: told[gender], default=EITHER)
        return best if told.get(best) and len(set(told.values())) > 1 else EITHER

    def _addressed(self, spans: Iterable[tuple[int, int]]) -> str | None:
        """Give the gender of the first form of address that stands before a name or in it."""
        for start, end in spans:
            before = _WORD.findall(self._text[max(0, start - NEAR) : start].rpartition("\n")[2])[-BESIDE:]
            words = {folded(word) for word in (*before, *_WORD.findall(self._text[start:end]))}
            for gender, titles in TITLES.items():
                if words & titles:
                    return gender
        return None

    def _said(self, written: str, person: _Person) -> str | None:
        """Write a mention with the names of the substitute: what stands between and before them stays."""
        words = [(found.start(), found.end()) for found in _WORD.finditer(written)]
        names = list(self._words(written))
        shown, last, used, started = list[str](), 0, set[str](), False
        for start, end in words:
            token = written[start:end]
            bare = _POSSESSIVE.sub("", token)
            if not names or bare != _POSSESSIVE.sub("", names[0]):
                # A title stays, unless it is a name as well: King. A particle goes with the space behind it, a suffix
                # with that before it.
                if not started and self._lexicon.flags(bare) & Cue.TITLE and not self._taken.is_forbidden(bare):
                    shown.append(written[last:end])
                elif names:
                    shown.append(written[last:start])
                    end += len(written[end:]) - len(written[end:].lstrip())
            else:
                names.pop(0)
                many = len(words) > 1
                made = self._for(bare, person, used, rest=len(names), many=many)
                if made is None:
                    return None
                shown += (written[last:start], made, token[len(bare) :])
                started = True
            last = end
        return "".join((*shown, written[last:])).lstrip(" .\u00a0") if started else None

    def _for(self, word: str, person: _Person, used: set[str], *, rest: int, many: bool) -> str | None:
        """Give what stands for one word of a name."""
        low = folded(word)
        known = low if low in person.parts else next((one for one in person.parts if f"{one}s" == low), "")
        if len(word) == 1 or (word.isupper() and len(word) <= 3 and low not in person.parts and many and rest):
            return self._initials(word, person, used)
        if "".join(person.parts) == low and len(person.parts) > 1:
            names = [self._name(part, one, person) or "" for one, part in person.parts.items()]
            return like(word, "".join(names)) if all(names) else None
        part = person.parts.get(known) or self._guess(low, person, used, rest=rest, many=many)
        made = self._name(part, known or self._other(low, part, person, many=many), person)
        used.add(part)
        genitive = "s" if known and known != low and made and not made.endswith("s") else ""
        return like(word, made) + genitive if made else None

    def _guess(self, low: str, person: _Person, used: set[str], *, rest: int, many: bool) -> str:
        """Say which part a word is that the whole name does not have: a short form, an alias, a slip."""
        first = next(iter(person.parts), "")
        if not many:
            given = same_given(low, first, self._language) or self._lexicon.flags(low.capitalize()) & Cue.GIVEN_NAME
            return _GIVEN if given and person.parts.get(first) == _GIVEN else _FAMILY
        if rest and _GIVEN in used:
            return _MIDDLE if self._lexicon.flags(low.capitalize()) & Cue.GIVEN_NAME else _FAMILY
        return _GIVEN if rest else _FAMILY

    def _other(self, low: str, part: str, person: _Person, *, many: bool) -> str:
        """Say whether a word is another name that somebody has, a maiden name: that has a substitute of its own."""
        if low in person.names:
            return low
        same = [one for one, of in person.parts.items() if (of == _FAMILY) == (part == _FAMILY)]
        if any(SequenceMatcher(None, low, one).ratio() >= ALIKE for one in same):
            return ""  # misspelt
        if part != _FAMILY and (not many or any(same_given(low, one, self._language) for one in same)):
            return ""
        return low

    def _initials(self, word: str, person: _Person, used: set[str]) -> str | None:
        """Give the initials of the substitute."""
        shown = ""
        for sign in word:
            part = _MIDDLE if _GIVEN in used else _GIVEN
            used.add(part)
            known = next((one for one, of in person.parts.items() if of == part and one[0] == folded(sign)), "")
            made = self._name(part, known, person)
            if made is None:
                return None
            shown += made[0] if sign.isupper() else made[0].lower()
        return shown

    def _name(self, part: str, known: str, person: _Person) -> str | None:
        """Give what stands for a part of a name, the same each time."""
        known = known or next((one for one, of in person.parts.items() if of == part), part)
        made = person.names.get(known)
        if made is None:
            made = self._chosen(part, known, person)
            if made is not None:
                person.names[known] = made
        return made

    def _chosen(self, part: str, known: str, person: _Person) -> str | None:
        if part == _FAMILY and "-" in known.strip("-"):  # Berger-Lind is a Berger
            halves = [self._name(part, one, person) or "" for one in known.split("-") if one]
            return "-".join(halves) if all(halves) and len(set(halves)) > 1 else None
        share = self._known.share(known) if self._known else None
        if part == _FAMILY:
            purpose, name, original = "PERSON.surname", known, f"surname {known}"
            some = self._near((SURNAME,), share)
        else:
            purpose, name, original = f"PERSON.{part}.{known}", person.full, f"{part} {known} {person.full}"
            some = self._near((person.gender,) if person.gender != EITHER else (EITHER, FEMALE, MALE), share)
        values = self._keyed.some(purpose, name, tuple(chain.from_iterable(some)))  # few names are of either gender
        other = _GIVEN if part == _FAMILY else _FAMILY
        beside = next((made for one, made in person.names.items() if person.parts.get(one, one) == other), "")
        if beside and part != _MIDDLE:
            whole = f"{beside} {{}}" if part == _FAMILY else f"{{}} {beside}"
            values = (one for one in values if not self._is_somebody(whole.format(one)))
        return self._taken.first(values, original)

    def _near(self, sorts: Iterable[str], share: float | None) -> list[tuple[str, ...]]:
        found: dict[str, Pool] = pools(self._language)
        return [found[sort].near(share) for sort in sorts]


def _is_latin(name: str) -> bool:
    letters = [sign for sign in name if sign.isalpha()]
    return bool(letters) and all(sign.isascii() or name_of(sign, "").startswith("LATIN") for sign in letters)
