"""Say plainly what somebody did: the verb with what stands first behind it, and no more.

*Threw a hymn book at the Easter Vigil* is *threw a book*, *se cayó de la torre arreglando el reloj* is *se cayó de la
torre*. Names, numbers, adjectives and rare nouns go; what is left out makes nothing false.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Final

from embanon.language import fold_name
from embanon.text import load_grammar

SYMBOLS: Final[Mapping[str, str]] = {
    "VERB": "V", "AUX": "V", "NOUN": "N", "PROPN": "P", "DET": "D", "ADJ": "A", "NUM": "#", "ADP": "I", "PRON": "R",
    "ADV": "B", "PART": "B", "CCONJ": "C", "SCONJ": "S", "PUNCT": "U",
}  # fmt: skip
"""A letter for each part of speech, of the first word where two are written as one; X for any other."""
NOUNS: Final = r"D?(?:[AB#]*[NPX]+)+"
DEED: Final = re.compile(rf"([#R]R|R*B*)(V(?:[BRI]?V)*R?(?:[BI](?=I))?)B?(?:({NOUNS})|(I)({NOUNS}))?")
COUPLED: Final = re.compile(rf"({NOUNS})(?:I{NOUNS})*U?(C)(?=[RB]*V)")
SUBJECT: Final = re.compile(rf"({NOUNS})(?:I{NOUNS})*(?=[RB]*V)")
RELATIVES: Final = frozenset("who that which whom whose que quien quienes quem cujo cuja cuyo cuya donde onde".split())
PARTICIPLE: Final = re.compile(r"(?:ed|ing|[ai]d[oa]s?|n[td]o)$")
LONE_NOUN: Final = re.compile(rf"({NOUNS})(?=[RSIU])")
ASIDE: Final = re.compile(rf"I{NOUNS}")
"""Who, the verbs, and an object or a preposition with its noun."""
GERMAN: Final = re.compile(rf"I+D?[AB#X]*[NP]*|({NOUNS})|([VR])|([UCS])|.")
"""What goes, a noun, a verb or pronoun, and where a deed may end."""
COPULAS: Final = frozenset(
    """is are was were be been am 's es son era eran fue fueron está están estaba ser sido é são foi foram estava está
    ist sind war waren sei bin gewesen wurde wird worden werden""".split()
)
"""Verbs that say nothing without what follows."""
GENITIVES: Final = frozenset("des der eines einer seines seiner ihres ihrer dessen deren".split())
SOMETHING: Final = {"en": "something", "es": "algo", "pt": "algo", "de": "etwas"}
INDEFINITE: Final[Mapping[str, Mapping[str, str]]] = {
    "en": {"the": "a"}, "es": {"el": "un", "la": "una"}, "pt": {"o": "um", "a": "uma"},
    "de": {"der": "ein", "die": "eine", "das": "ein", "den": "einen", "dem": "einem"},
}  # fmt: skip
LEAST_NOUN: Final = 3
LONGEST: Final = 200
"""Characters of a deed that is looked at."""

IsPlain = Callable[[str], bool]


def plain_deed(written: str, language: str, is_plain: IsPlain, unique: frozenset[str]) -> str:
    """Return a deed in plain words; empty where no verb is seen, or nothing would be left out.

    `is_plain` says which words may stay, `unique` has those that say that something is of one alone.
    """
    if language not in SOMETHING or len(written) > LONGEST:
        return ""
    reader = load_grammar(language)
    tagged = reader.tag(written)
    tags = (reader.tagger.tags[tag] for tag in tagged.tags.tolist())
    symbols = "".join(SYMBOLS.get(tag.partition("+")[0], "X") for tag in tags)
    deed = _Deed(tagged.tokens.words, symbols, language, is_plain, unique)
    kept = deed.german() if language == "de" else deed.others()
    if not kept or len(kept) == len(symbols):
        return ""
    text = " ".join(kept).replace(" ,", ",")
    return text[:1].upper() + text[1:] if written[:1].isupper() else text


class _Deed:
    """The words of a deed and their parts of speech."""

    def __init__(
        self, words: Sequence[str], symbols: str, language: str, is_plain: IsPlain, unique: frozenset[str]
    ) -> None:
        self.words, self.symbols, self.language, self.is_plain, self.unique = words, symbols, language, is_plain, unique

    def others(self) -> list[str]:
        """Return what stays where the verb comes before its object."""
        if coupled := COUPLED.match(self.symbols):
            return self._coupled(*coupled.span(1), coupled.start(2))
        if (subject := SUBJECT.match(self.symbols)) and self._is_finite(subject.end()):
            return self._with_subject(*subject.span(1), subject.end())
        match = DEED.match(self.symbols)
        if not match and (aside := ASIDE.match(self.symbols)):
            return self._aside(*aside.span())
        if not match and (alone := LONE_NOUN.match(self.symbols)):
            return self._noun(*alone.span(1))
        if not match or not all(map(self.is_plain, self.words[match.start(2) : match.end(2)])):
            return []
        kept = list(self.words[: match.end(2)])
        if kept[-1].lower() in COPULAS:
            return []
        if match[3]:
            kept += self._noun(*match.span(3)) or [SOMETHING[self.language]]
        elif match[4] and (noun := self._noun(*match.span(5))):
            kept += [self.words[match.start(4)], *noun]
        return kept

    def _is_finite(self, place: int) -> bool:
        """Return whether a verb behind a noun says what it does: not a man killed, nor one who was."""
        verb = self.symbols.index("V", place)
        words = [word.lower() for word in self.words[place : verb + 1]]
        return not RELATIVES.intersection(words) and not PARTICIPLE.search(words[-1])

    def _with_subject(self, first: int, last: int, behind: int) -> list[str]:
        """Return what stays of who did something, and of what."""
        rest = _Deed(self.words[behind:], self.symbols[behind:], self.language, self.is_plain, self.unique).others()
        noun = self._noun(first, last)
        return [*noun, *rest] if noun and rest else []

    def _coupled(self, first: int, last: int, connector: int) -> list[str]:
        """Return what stays of a noun and a further deed: hit the post and went into the dyke."""
        behind = connector + 1
        rest = _Deed(self.words[behind:], self.symbols[behind:], self.language, self.is_plain, self.unique).others()
        noun = self._noun(first, last) or [SOMETHING[self.language]]
        return [*noun, self.words[connector], *rest] if rest else []

    def german(self) -> list[str]:
        """Return what stays where the verb may come last: all verbs, and the nouns without a preposition."""
        if "V" not in self.symbols and (aside := ASIDE.match(self.symbols)):
            return self._aside(*aside.span())
        kept, has_noun, has_verb = list[str](), False, False
        for match in GERMAN.finditer(self.symbols):
            first, last = match.span()
            if self.words[first].lower() in GENITIVES and first and (match[2] or self.symbols[first - 1] == "N"):
                continue  # der Tod des Gründers
            if match[3]:
                if self.symbols[last : last + 1] != "V":
                    break
                kept += self.words[first:last]
            elif match[2]:
                has_verb |= match[2] == "V"
                kept += self.words[first:last]
            elif match[1]:
                noun = self._noun(first, last)
                has_noun |= bool(noun)
                kept += noun
        is_told = bool(kept) and kept[-1].lower() not in COPULAS and all(map(self.is_plain, kept))
        return kept if is_told and (has_noun or has_verb) else []

    def _aside(self, first: int, last: int) -> list[str]:
        """Return a preposition with its noun: with a colony from his father-in-law is with a colony."""
        noun = self._noun(first + 1, last)
        return [self.words[first], *noun] if noun else []

    def _noun(self, first: int, last: int) -> list[str]:
        """Return a noun with its article and without the rest; nothing of a name, a number or a rare word."""
        places = range(first, last)
        nouns = [place for place in places if self.symbols[place] in "NX"]
        is_name = any(
            self.symbols[place] == "P"
            or (self.language != "de" and self.symbols[place] in "NX" and self.words[place][:1].isupper())
            for place in places
        )
        is_counted = self.language == "de" and "#" in self.symbols[first:last]  # neun Monate lang
        if is_name or is_counted or not nouns:
            return []
        noun = self.words[nouns[-1] if self.language in ("en", "de") else nouns[0]]
        if len(noun) < LEAST_NOUN or not self.is_plain(noun):
            return []
        article = [self.words[first]] if self.symbols[first] == "D" else []
        if article and any(fold_name(self.words[place]) in self.unique for place in places):
            changed = INDEFINITE[self.language].get(article[0].lower(), article[0])
            article = [changed]
        return [*article, noun]
