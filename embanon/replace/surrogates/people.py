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
from unicodedata import name as name_of, normalize

from embanon.entities import PresentEntity, fold_text, may_be_same_given_name
from embanon.language import PERSON_CUES, Cue, Frequencies, Lexicon
from embanon.replace.grammar import replacement_table
from embanon.replace.methods import KeyedChoice
from embanon.replace.surrogates.invented_words import SubstituteRegistry, match_case
from embanon.replace.surrogates.pools import EITHER, FEMALE, MALE, SURNAME, NamePool, name_pools

PRONOUN_WINDOW: Final = 160
"""Characters behind a name in which a pronoun is taken to mean its bearer."""
TITLE_WINDOW: Final = 2
"""Words before a name that may be its form of address."""
SPELLING_RATIO: Final = 0.8
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
    """Whom a substitute replaces: the words of the name with their parts, and the surrogate of each part."""

    full: str = field(repr=False)
    gender: str
    parts: dict[str, str] = field(repr=False)
    """The folded word -> given, middle or surname."""
    names: dict[str, str] = field(default_factory=dict, repr=False)
    """The folded word, or the part -> its surrogate."""


class PersonSubstitutes:
    """One substitute for each person of a text."""

    def __init__(
        self, text: str, language: str, keyed: KeyedChoice, taken: SubstituteRegistry, is_somebody: Callable[[str],
        bool]
    ) -> None:  # fmt: skip
        self._text, self._language, self._keyed, self._taken = text, language, keyed, taken
        self._lexicon, self._known = Lexicon.load(language), Frequencies.load(language)
        self._is_somebody = is_somebody
        self._people: dict[str, _Person] = {}

    def substitute_for(self, written: str, whose: PresentEntity | None) -> str | None:
        """Return the surrogate of a mention of a person; `None` where it is not a name in Latin letters."""
        written = normalize("NFC", written)
        full = normalize("NFC", (whose.protected_name or whose.longest_name) if whose else "") or written
        full = _BRACKETED.sub("", self._split_label(full)[1])
        if _CODE.search(written) or not _is_latin(full):
            return None
        person = self._people.get(full) or self._people.setdefault(full, self._person(full, whose))
        label, name = self._split_label(written)
        made = self._render(_BRACKETED.sub("", name), person)
        return label + made if made and fold_text(made) != fold_text(name) else None

    def family_substitute(self, written: str) -> str | None:
        """Return the surrogate of a family: for the Berlins that of a person named Berlin, if there is one."""
        low = fold_text(written)
        for person in self._people.values():
            known = next((one for one, part in person.parts.items() if part == _FAMILY and low in (one, f"{one}s")), "")
            if known:
                return self._substitute_word(written, person, set(), rest=0, many=False)
        return None

    def _split_label(self, written: str) -> tuple[str, str]:
        """Split off what says in what way somebody is named: *Present: Ada Berger*."""
        match = _LABEL.match(written)
        flags = self._lexicon.flags(match[1]) if match else 0
        if not match or not flags or flags & PERSON_CUES:
            return "", written
        return match[0], written[match.end() :]

    def _person(self, full: str, whose: PresentEntity | None) -> _Person:
        last, comma, first = full.partition(", ")
        words = list(self._words(f"{first} {last}" if comma and " " not in first.strip() else full))
        parts = {fold_text(word): self._part_of_name(word, place, words) for place, word in enumerate(words)}
        return _Person(full, self._gender(words, whose), parts)

    def _words(self, name: str) -> Iterator[str]:
        """Return the words of a name without titles before it, particles and suffixes."""
        started, words, small = False, _WORD.findall(name), name.isupper()
        for place, word in enumerate(words):
            flags = self._lexicon.flags(word)
            if not started and flags & Cue.TITLE and place + 1 < len(words):
                continue
            particle = flags & (Cue.PARTICLE | Cue.CONNECTOR) and (small or word.islower()) and place + 1 < len(words)
            if not (particle or (started and flags & Cue.SUFFIX_NAME)):
                started = True
                yield word

    def _part_of_name(self, word: str, place: int, words: Sequence[str]) -> str:
        is_given = bool(self._lexicon.flags(word) & Cue.GIVEN_NAME)
        if len(words) == 1:
            return _GIVEN if is_given else _FAMILY
        if place == len(words) - 1:
            return _FAMILY
        return _GIVEN if place == 0 else _MIDDLE if is_given or len(word) == 1 else _FAMILY

    def _gender(self, words: Sequence[str], whose: PresentEntity | None) -> str:
        """Return the gender that the form of address, the given name, or the pronouns behind it tell.

        Mr. Whitlock may be her husband, so that a form of address before the surname alone comes last of these.
        """
        spans = whose.spans if whose else ()
        whole = [(start, end) for start, end in spans if words and words[0] in self._text[start:end]]
        cues = self._lexicon.flags(words[0]) & (Cue.FEMALE | Cue.MALE) if words else 0
        by_name = {int(Cue.FEMALE): FEMALE, int(Cue.MALE): MALE}.get(cues)
        if by_title := self._gender_by_title(whole) or by_name or self._gender_by_title(spans):
            return by_title
        behind = [word.lower() for _, end in spans for word in _WORD.findall(self._text[end : end + PRONOUN_WINDOW])]
        counts = {
            gender: sum(behind.count(one) for one in pronouns.split())
            for gender, pronouns in replacement_table("people")["pronouns"].get(self._language, {}).items()
        }  # fmt: skip
        best = max(counts, key=lambda gender: counts[gender], default=EITHER)
        return best if counts.get(best) and len(set(counts.values())) > 1 else EITHER

    def _gender_by_title(self, spans: Iterable[tuple[int, int]]) -> str | None:
        """Return the gender of the first form of address before a name or in it."""
        for start, end in spans:
            line = self._text[max(0, start - PRONOUN_WINDOW) : start].rpartition("\n")[2]
            named = _WORD.findall(self._text[start:end])
            words = {fold_text(word) for word in (*_WORD.findall(line)[-TITLE_WINDOW:], *named)}
            for gender in (FEMALE, MALE):
                if words & frozenset(replacement_table("people")["titles"][gender].split()):
                    return gender
        return None

    def _render(self, written: str, person: _Person) -> str | None:
        """Write a mention with the names of the substitute: the words between and before them stay."""
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
                made = self._substitute_word(bare, person, used, rest=len(names), many=many)
                if made is None:
                    return None
                shown += (written[last:start], made, token[len(bare) :])
                started = True
            last = end
        return "".join((*shown, written[last:])).lstrip(" .\u00a0") if started else None

    def _substitute_word(self, word: str, person: _Person, used: set[str], *, rest: int, many: bool) -> str | None:
        """Return the surrogate of one word of a name."""
        low = fold_text(word)
        known = low if low in person.parts else next((one for one in person.parts if f"{one}s" == low), "")
        if len(word) == 1 or (word.isupper() and len(word) <= 3 and low not in person.parts and many and rest):
            return self._initials(word, person, used)
        if "".join(person.parts) == low and len(person.parts) > 1:
            names = [self._substitute_part(part, one, person) or "" for one, part in person.parts.items()]
            return match_case(word, "".join(names)) if all(names) else None
        part = person.parts.get(known) or self._guess_part(low, person, used, rest=rest, many=many)
        made = self._substitute_part(part, known or self._additional_name(low, part, person, many=many), person)
        used.add(part)
        genitive = "s" if known and known != low and made and not made.endswith("s") else ""
        return match_case(word, made) + genitive if made else None

    def _guess_part(self, low: str, person: _Person, used: set[str], *, rest: int, many: bool) -> str:
        """Return the part that a word is which the whole name does not have: a short form, an alias, a slip."""
        first = next(iter(person.parts), "")
        if not many:
            known = self._lexicon.flags(low.capitalize()) & Cue.GIVEN_NAME
            given = known or may_be_same_given_name(low, first, self._language)
            return _GIVEN if given and person.parts.get(first) == _GIVEN else _FAMILY
        if rest and _GIVEN in used:
            return _MIDDLE if self._lexicon.flags(low.capitalize()) & Cue.GIVEN_NAME else _FAMILY
        return _GIVEN if rest else _FAMILY

    def _additional_name(self, low: str, part: str, person: _Person, *, many: bool) -> str:
        """Return whether a word is another name that somebody has, a maiden name: that has a substitute of its own."""
        if low in person.names:
            return low
        same = [one for one, of in person.parts.items() if (of == _FAMILY) == (part == _FAMILY)]
        if any(SequenceMatcher(None, low, one).ratio() >= SPELLING_RATIO for one in same):
            return ""  # misspelt
        if part != _FAMILY and (not many or any(may_be_same_given_name(low, one, self._language) for one in same)):
            return ""
        return low

    def _initials(self, word: str, person: _Person, used: set[str]) -> str | None:
        """Return the initials of the substitute."""
        shown = ""
        for sign in word:
            part = _MIDDLE if _GIVEN in used else _GIVEN
            used.add(part)
            known = next((one for one, of in person.parts.items() if of == part and one[0] == fold_text(sign)), "")
            made = self._substitute_part(part, known, person)
            if made is None:
                return None
            shown += made[0] if sign.isupper() else made[0].lower()
        return shown

    def _substitute_part(self, part: str, known: str, person: _Person) -> str | None:
        """Return what stands for a part of a name, the same each time."""
        known = known or next((one for one, of in person.parts.items() if of == part), part)
        made = person.names.get(known)
        if made is None:
            made = self._choose_name(part, known, person)
            if made is not None:
                person.names[known] = made
        return made

    def _choose_name(self, part: str, known: str, person: _Person) -> str | None:
        if part == _FAMILY and "-" in known.strip("-"):  # Berger-Lind is a Berger
            halves = [self._substitute_part(part, one, person) or "" for one in known.split("-") if one]
            return "-".join(halves) if all(halves) and len(set(halves)) > 1 else None
        share = self._known.share(known) if self._known else None
        if part == _FAMILY:
            purpose, name, original = "PERSON.surname", known, f"surname {known}"
            pools = self._similar_names((SURNAME,), share)
        else:
            purpose, name, original = f"PERSON.{part}.{known}", person.full, f"{part} {known} {person.full}"
            pools = self._similar_names((person.gender,) if person.gender != EITHER else (EITHER, FEMALE, MALE), share)
        values = self._keyed.choices(purpose, name, tuple(chain.from_iterable(pools)))  # few names are of either gender
        other = _GIVEN if part == _FAMILY else _FAMILY
        other_name = next((made for one, made in person.names.items() if person.parts.get(one, one) == other), "")
        if other_name and part != _MIDDLE:
            whole = f"{other_name} {{}}" if part == _FAMILY else f"{{}} {other_name}"
            values = (one for one in values if not self._is_somebody(whole.format(one)))
        return self._taken.take_first(values, original)

    def _similar_names(self, sorts: Iterable[str], share: float | None) -> list[tuple[str, ...]]:
        pools: dict[str, NamePool] = name_pools(self._language)
        return [pools[sort].similar_to(share) for sort in sorts]


def _is_latin(name: str) -> bool:
    letters = [sign for sign in name if sign.isalpha()]
    return bool(letters) and all(sign.isascii() or name_of(sign, "").startswith("LATIN") for sign in letters)
