"""Make up organizations: other names with the same words for their kind, consistently throughout a text."""

from __future__ import annotations

import re
from string import ascii_uppercase
from typing import Final

from embanon.entities import fold_text
from embanon.language import PERSON_CUES, PLACE_CUES, Cue, Frequencies, Lexicon
from embanon.replace.edit import splice
from embanon.replace.methods import KeyedChoice
from embanon.replace.surrogates.invented_words import SubstituteRegistry, match_case
from embanon.replace.surrogates.places import PlaceSubstitutes, other_digits
from embanon.replace.surrogates.pools import adjectives, listed_names, names_behind
from embanon.text import ACRONYM, possible_acronyms

KEPT: Final = int(Cue.ORG_HEAD | Cue.ORG_SUFFIX | Cue.STOP | Cue.CONNECTOR | Cue.DETERMINER | Cue.NUMBER_ABBREVIATION)
"""What a word may be that says what an organization is, and not which."""
NAMES: Final = PERSON_CUES | PLACE_CUES | int(Cue.AMBIGUOUS | Cue.HEALTH | Cue.DEM | Cue.NATIONALITY)
"""What makes a word more than an ordinary one: it may be a name, or tell what somebody has or is."""
ORDINARY: Final = 2e-6
"""The share of words from which a noun is ordinary: names of dictionaries are rarer."""
LONGEST_ACRONYM: Final = 4
NO_HEADS: Final = ("kirchen", "kirch", "münster")
"""Ends of German names of towns that would be words for an organization: Waldkirchen."""
WIDEST: Final = 4
"""Words of a name of a place within a name."""
_WORD: Final = re.compile(r"[^\W_]+(?:[.'’-][^\W_]+)*(?:(?<=s)['’](?=\s))?")
_SEGMENT_END: Final = re.compile(r" [–—-] |[,;|·(]")
_POSSESSIVE: Final = re.compile(r"['’]s?$")


class OrganizationSubstitutes:
    """One substitute for each organization of a text."""

    def __init__(self, keyed: KeyedChoice, taken: SubstituteRegistry, places: PlaceSubstitutes) -> None:
        self._keyed, self._taken, self._places, self._language = keyed, taken, places, places.climber.language
        self._lexicon, self._frequencies = Lexicon.load(self._language), Frequencies.load(self._language)
        self._words: dict[str, str | None] = {}
        """The folded word -> what stands for it; `None` of an ordinary one that tells which organization it is."""

    def substitute_for(self, written: str, full: str) -> str | None:
        """Return the surrogate of a mention of an organization whose longest name is `full`."""
        name = written.strip("()[] ")
        plain = name.replace(".", "")
        if ACRONYM.fullmatch(name) and (len(plain) <= LONGEST_ACRONYM or plain in possible_acronyms(full)):
            made = self._replace_acronym(plain, full)
            return None if made is None else written.replace(name, made)
        if (word := self._telling_word(full)) is not None:
            self._words.setdefault(fold_text(word), None)
        matches = list(_WORD.finditer(written))
        replacements, place = list[tuple[int, int, str]](), 0
        while place < len(matches):
            size, made = self._replace_at(written, matches, place)
            if made is None:
                return None
            replacements.append((matches[place].start(), matches[place + size - 1].end(), made))
            place += size
        replaced = splice(written, replacements)
        return replaced if replaced != written else None

    def _replace_at(self, written: str, matches: list[re.Match[str]], place: int) -> tuple[int, str | None]:
        """Return how many words from a place on are replaced together, and by what."""
        for size in range(min(WIDEST, len(matches) - place), 0, -1):
            name = written[matches[place].start() : matches[place + size - 1].end()]
            is_place = name[:1].isupper() and (self._places.existing_substitute(name) or self._is_place(name))
            if is_place and (made := self._places.substitute_for(name, "")):
                return size, made
        word, shouted = _POSSESSIVE.sub("", matches[place][0]), _is_shouted(written)
        before, rest = matches[place - 1][0].lower() if place else "", matches[place][0][len(word) :]
        if fold_text(word) not in self._words and self._is_kept(word, shouted=shouted):
            return 1, matches[place][0]
        made = self._replace_word(word, before, shouted=shouted)
        rest = f"{rest}s" if made and rest in ("'", "’") and not made.endswith("s") else rest
        return 1, None if made is None else made + rest

    def _is_place(self, name: str) -> bool:
        """Return whether a part of a name is a place: a town that is no word as well, and no saint."""
        cues, flags = self._lexicon.place_cues(name) & PLACE_CUES, self._lexicon.flags(name)
        first, *rest = name.split()
        if self._is_saint(first):
            return bool(rest and cues & Cue.CITY)
        if rest:
            around = self._lexicon.flags(first) | self._lexicon.flags(rest[-1])
            return bool(cues) or (not around & KEPT and self._places.concept_of(name) is not None)
        if cues & ~Cue.CITY or flags & Cue.AMBIGUOUS:
            return bool(cues & ~Cue.CITY)
        may_be = cues or not (flags or self._is_kept(name))
        return bool(cues and not flags & PERSON_CUES) or (bool(may_be) and self._places.is_at_home(name))

    def _telling_word(self, name: str) -> str | None:
        """Return the word that tells which organization it is where all are ordinary; `None` where one is not."""
        first, shouted = _SEGMENT_END.split(name.strip())[0], _is_shouted(name)
        every = [_POSSESSIVE.sub("", word) for word in _WORD.findall(first)]
        words = [word for word in every if not (word.islower() or self._is_for_kind(word))]
        words = [word for word in words if word.isalpha() and (shouted or not word.isupper())] or words
        if not all(self._is_kept(word, shouted=shouted) for word in words) or any(
            word[:1].isupper() and self._is_place(word) for word in every
        ):
            return None
        words = [word for word in words if not self._is_trade(word)] or words
        return words[0 if self._language in ("en", "de") else -1] if words else None

    def _is_saint(self, word: str) -> bool:
        """Return whether a word announces what is called so: San, la."""
        return names_behind(self._language, word) != names_behind(self._language, "")

    def _is_for_kind(self, word: str) -> bool:
        """Return whether a word says what an organization is, and never which: GmbH, Hospital, Saint."""
        flags = self._lexicon.flags(word.upper() if word[:1].islower() else word)  # gGmbH
        known = bool(flags & KEPT or (flags & Cue.ABBREVIATION and not flags & NAMES))
        return self._is_saint(word) or (known and not word.lower().endswith(NO_HEADS))

    def _is_trade(self, word: str) -> bool:
        low, trades = word.lower(), listed_names(self._language, "trades")
        return low.endswith(trades) if self._language == "de" else low in trades

    def _is_kept(self, word: str, *, shouted: bool = False) -> bool:
        """Return whether a word stays in a name: one for its kind, an ordinary noun, an acronym that many know."""
        if word.islower() or self._is_for_kind(word):
            return True
        share = (self._frequencies.share(word) if self._frequencies else None) or 0.0
        if self._taken.is_forbidden(word) or any(map(str.isdecimal, word)):
            return False
        if word.isupper() and not shouted:
            return len(word) <= LONGEST_ACRONYM and share > 0
        if self._is_trade(word) or share < ORDINARY or self._lexicon.flags(word) & NAMES:
            return self._is_trade(word)
        return self._places.climber.is_noun(word.capitalize() if self._language == "de" else word.lower())

    def _replace_word(self, word: str, before: str, *, shouted: bool) -> str | None:
        """Return what stands for a word behind another."""
        low, language = fold_text(word), self._language
        if any(map(str.isdecimal, word)):
            digits = (other_digits(word, number) for number in self._keyed.tries("ORG.word", word))
            return self._taken.take_first(digits, f"ORG {low}")
        if word.isupper() and not shouted and 1 < len(word) <= LONGEST_ACRONYM:
            return self._replace_acronym(word, word)
        if self._words.get(low) is None:
            cities = (low[:-2], f"{low[:-2]}en", f"{low[:-2]}e") if language == "de" and low.endswith("er") else ()
            is_adjective = any(map(self._lexicon.place_cues, cities))
            pool = adjectives(language) if is_adjective else names_behind(language, before)
            self._words[low] = self._taken.take_first(self._keyed.choices("ORG.word", low, pool), f"ORG {low}")
        known = self._words[low]
        return None if known is None else match_case(word, known)

    def _replace_acronym(self, plain: str, full: str) -> str | None:
        """Return the initials of the full name's surrogate, else letters; `plain` has no periods."""
        made = self.substitute_for(full, full) if plain in possible_acronyms(full) else None
        short = sorted(possible_acronyms(made), key=lambda one: (abs(len(one) - len(plain)), one)) if made else []
        letters = self._keyed.tries("ORG.acronym", plain)
        more = ("".join(ascii_uppercase[number // 26**place % 26] for place in range(len(plain))) for number in letters)
        return self._taken.take_first((one for one in (*short, *more) if one != plain), f"ORG {plain}")


def _is_shouted(name: str) -> bool:
    """Return whether a name of several words is all in capitals: no word of it is an acronym for that."""
    return " " in name.strip() and name.replace("º", "").replace("ª", "").isupper()
