"""Make up organizations: other names with the same words for their kind, consistently throughout a text."""

from __future__ import annotations

import re
from string import ascii_uppercase
from typing import Final

from embanon.entities import fold_text
from embanon.language import PLACE_CUES, Cue, Frequencies, Lexicon
from embanon.replace.edit import splice
from embanon.replace.methods import KeyedChoice
from embanon.replace.surrogates.invented_words import SubstituteRegistry, invent_word, match_case
from embanon.replace.surrogates.places import PlaceSubstitutes
from embanon.text import ACRONYM, possible_acronyms

KEPT: Final = int(Cue.ORG_HEAD | Cue.ORG_SUFFIX | Cue.STOP | Cue.CONNECTOR | Cue.DETERMINER)
"""What a word may be that says what an organization is, and not which."""
WIDEST: Final = 4
"""Words of a name of a place within a name."""
_WORD: Final = re.compile(r"[^\W_]+(?:[.'’-][^\W_]+)*")
_POSSESSIVE: Final = re.compile(r"['’]s?$")


class OrganizationSubstitutes:
    """One substitute for each organization of a text."""

    def __init__(self, language: str, keyed: KeyedChoice, taken: SubstituteRegistry, places: PlaceSubstitutes) -> None:
        self._keyed, self._taken, self._places = keyed, taken, places
        self._lexicon, self._frequencies = Lexicon.load(language), Frequencies.load(language)
        self._words: dict[str, str | None] = {}

    def substitute_for(self, written: str, full: str) -> str | None:
        """Return the surrogate of a mention of an organization whose longest name is `full`."""
        name = written.strip("()[] ")
        if ACRONYM.fullmatch(name):
            made = self._replace_acronym(name, full)
            return None if made is None else written.replace(name, made)
        matches = list(_WORD.finditer(written))
        replacements, place = list[tuple[int, int, str]](), 0
        while place < len(matches):
            size, made = self._replace_at(written, matches, place)
            if made is None:
                return None
            start, end = matches[place].start(), matches[place + size - 1].end()
            replacements.append((start, end, made))
            place += size
        replaced = splice(written, replacements)
        return replaced if replaced != written else None

    def _replace_at(self, written: str, matches: list[re.Match[str]], place: int) -> tuple[int, str | None]:
        """Return how many words from a place on are replaced together, and by what."""
        for size in range(min(WIDEST, len(matches) - place), 0, -1):
            name = written[matches[place].start() : matches[place + size - 1].end()]
            is_place = name[:1].isupper() and self._lexicon.place_cues(name) & PLACE_CUES
            if is_place and (made := self._places.substitute_for(name, "")):
                return size, made
        word = _POSSESSIVE.sub("", matches[place][0])
        made = self._replace_word(word)
        return 1, None if made is None else made + matches[place][0][len(word) :]

    def _replace_word(self, word: str) -> str | None:
        if word.islower() or self._lexicon.flags(word) & KEPT:
            return word
        low = fold_text(word)
        if low not in self._words:
            numbers = self._keyed.tries("ORG.word", low)
            if word.isdecimal():
                made = ("".join(str(number // 10**place % 10) for place in range(len(word))) for number in numbers)
            else:
                made = (one for number in numbers if not self._is_word(one := invent_word(number, len(word))))
            self._words[low] = self._taken.take_first(made, f"ORG {low}")
        known = self._words[low]
        return None if known is None else match_case(word, known.capitalize() if word[:1].isupper() else known)

    def _is_word(self, word: str) -> bool:
        is_counted = self._frequencies is not None and self._frequencies.share(word) is not None
        return is_counted or bool(self._lexicon.flags(word.capitalize()))

    def _replace_acronym(self, name: str, full: str) -> str | None:
        """Return the initials of the full name's surrogate, else letters."""
        plain = name.replace(".", "")
        made = self.substitute_for(full, full) if plain in possible_acronyms(full) else None
        short = sorted(possible_acronyms(made), key=lambda one: (abs(len(one) - len(plain)), one)) if made else []
        letters = self._keyed.tries("ORG.acronym", plain)
        more = ("".join(ascii_uppercase[number // 26**place % 26] for place in range(len(plain))) for number in letters)
        return self._taken.take_first((one for one in (*short, *more) if one != plain), f"ORG {plain}")
