"""Say plainly what somebody did: the verb with what stands first behind it, and no more.

*Threw a hymn book at the Easter Vigil* is *threw a book*, *se cayó de la torre arreglando el reloj* is *se cayó de la
torre*. Names, numbers, adjectives and rare nouns go. Where what is left might be false, nothing is said: with a word
that denies, or two objects.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from typing import Final

from embanon.language import compound_head, fold_name, word_share
from embanon.replace.grammar.english import takes_an
from embanon.text import Tokens, load_grammar

SYMBOLS: Final[Mapping[str, str]] = {
    "VERB": "V", "AUX": "V", "NOUN": "N", "PROPN": "P", "DET": "D", "ADJ": "A", "NUM": "#", "ADP": "I", "PRON": "R",
    "ADV": "B", "PART": "B", "CCONJ": "C", "SCONJ": "S", "PUNCT": "U",
}  # fmt: skip
"""A letter for each part of speech, of the first word where two are written as one; X for any other."""
NOUNS: Final = "D?[ABNPX#]*[NPX]"
DEED: Final = re.compile(rf"([#R]R|R*B*)(V(?:[BRI]?V)*R?(?:[BI](?=I))?)B?(?:({NOUNS})|(I)({NOUNS}))?")
"""Who, the verbs, and an object or a preposition with its noun."""
SECOND_OBJECT: Final = re.compile(rf"[DNPX]|B$|(?:I{NOUNS})+D")
"""Behind an object: another one, or the rest of the verb: sold the bishop of Truro a horse, turned it down."""
COUPLED: Final = re.compile(rf"({NOUNS})(?:I{NOUNS})*U?(C)(?=[RB]*V)")
SUBJECT: Final = re.compile(rf"({NOUNS})(?:I{NOUNS})*(?=[RB]*V)")
LONE_NOUN: Final = re.compile(rf"({NOUNS})(?=[RSIU])")
ASIDE: Final = re.compile(rf"I{NOUNS}")
GERMAN: Final = re.compile(r"I+D?[AB#X]*[NP]*|(D?[AB#X]*[NPX])|([VR])|([UCS])|.")
"""What goes, a noun, a verb or pronoun, and where a deed may end."""
RELATIVES: Final = frozenset("who that which whom whose que quien quienes quem cujo cuja cuyo cuya donde onde".split())
PARTICIPLE: Final = re.compile(r"(?:ed|ing|[ai]d[oa]s?|n[td]o)$")
COPULAS: Final = frozenset(
    """is are was were be been am 's es son era eran fue fueron está están estaba ser sido é são foi foram estava está
    ist sind war waren sei bin gewesen wurde wird worden werden""".split()
)
"""Verbs that say nothing without what follows."""
DENYING: Final[Mapping[str, frozenset[str]]] = {
    "en": frozenset(
        """not n't never hardly barely nearly almost allegedly reportedly supposedly falsely wrongly innocent without
        nobody nothing none no neither nor cannot less fewer few little rarely seldom scarcely
        play film novel dream game story""".split()
    ),
    "es": frozenset(
        """no ni nunca jamás casi apenas sin tampoco ningún ninguna nada nadie menos supuestamente presuntamente
        falsamente obra película novela sueño juego""".split()
    ),
    "pt": frozenset(
        """não nunca nem jamais quase sem nenhum nenhuma nada ninguém menos mal supostamente alegadamente peça filme
        romance sonho jogo""".split()
    ),
    "de": frozenset(
        """nicht nie niemals kaum fast beinahe angeblich mutmaßlich fälschlich vermeintlich scheinbar vorgeblich ohne
        außer kein keine keinen keinem keiner keines nichts niemand weder noch selten wenig weniger stück film roman
        traum spiel""".split()
    ),
}
"""Words without which a deed may be another, or is not meant."""
LEFT_OPEN: Final = frozenset(
    """deixou deixar deixei dejó dejar dejé parou paró acabou acabó quedó quedé quedaron echó eché ficou fiquei ficaram
    manteve mantive mantuvo mantuve llegó chegou found came went refused tried began stopped wanted failed kept used
    remained became""".split()
)
"""Verbs that say nothing alone."""
PARTICLES: Final = frozenset("out off down up".split())
WITH_TWO_OBJECTS: Final = frozenset(
    """give gave given sell sold leave left send sent lend lent show showed shown tell told call called name named have
    had make made let set get got keep kept teach taught pay paid owe owed hand handed""".split()
)
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
Broader = Callable[[str], str]
"""A plain word for what a noun means, in its gender and number; empty where none is known."""


def is_sentence(written: str, language: str) -> bool:
    """Return whether a noun and a verb are told, so that no noun alone can stand for it: mi padre se cayó."""
    if language not in SOMETHING or len(written) > LONGEST:
        return False
    return _Deed.read(written, language, bool, frozenset()).has_own_verb()


def plain_deed(
    written: str, language: str, is_plain: IsPlain, unique: frozenset[str], denying: Iterable[str] = (),
    broader: Broader | None = None,
) -> str:  # fmt: skip
    """Return a deed in plain words; empty where no verb is seen, or nothing would be left out.

    `is_plain` says which words may stay, `unique` has those that say that something is of one alone, `denying` those
    before a noun that make it something else: a fake painting. `broader` says plainly what a rare noun is.
    """
    if language not in SOMETHING or len(written) > LONGEST:
        return ""
    deed = _Deed.read(written, language, is_plain, unique, broader)
    if not DENYING[language].union(denying).isdisjoint(map(str.lower, deed.words)):
        return ""
    kept = deed.german() if language == "de" else deed.others(0)
    if not kept or len(kept) == len(deed.symbols):
        return ""
    text = deed.written(kept)
    opens = written[:1].isupper() and (language != "de" or kept[0][0] == 0)
    return text[:1].upper() + text[1:] if opens else text


Kept = list[tuple[int, str]]
"""The places of the words that stay, -1 of one that is not there, and how they are written."""


class _Deed:
    """The words of a deed and their parts of speech."""

    def __init__(
        self, tokens: Tokens, symbols: str, language: str, is_plain: IsPlain, unique: frozenset[str],
        broader: Broader | None,
    ) -> None:  # fmt: skip
        self.tokens, self.words, self.symbols = tokens, tokens.words, symbols
        self.language, self.is_plain, self.unique, self.broader = language, is_plain, unique, broader

    @classmethod
    def read(
        cls, written: str, language: str, is_plain: IsPlain, unique: frozenset[str], broader: Broader | None = None
    ) -> _Deed:
        """Cut a deed into words and tag them."""
        reader = load_grammar(language)
        tagged = reader.tag(written)
        tags = (reader.tagger.tags[tag] for tag in tagged.tags.tolist())
        symbols = "".join(SYMBOLS.get(tag.partition("+")[0], "X") for tag in tags)
        return cls(tagged.tokens, symbols, language, is_plain, unique, broader)

    def written(self, kept: Kept) -> str:
        """Write words as far apart as they were, where they stood side by side."""
        text, last = "", -1
        for place, word in kept:
            touches = place == last + 1 and self.tokens.gap[place] == 0
            text += word if touches else f" {word}"
            last = place
        return text.strip()

    def _as_they_are(self, first: int, last: int) -> Kept:
        return [(place, self.words[place]) for place in range(first, last)]

    def others(self, begin: int) -> Kept:
        """Return what stays from a word on where the verb comes before its object."""
        if coupled := COUPLED.match(self.symbols, begin):
            return self._coupled(coupled)
        if (subject := SUBJECT.match(self.symbols, begin)) and self._is_finite(subject.end()):
            rest, noun = self.others(subject.end()), self._noun(*subject.span(1))
            return [*noun, *rest] if noun and rest else []
        match = DEED.match(self.symbols, begin)
        if not match and (aside := ASIDE.match(self.symbols, begin)):
            return self._aside(*aside.span())
        if not match and (alone := LONE_NOUN.match(self.symbols, begin)):
            return self._noun(*alone.span(1))
        verbs = self.words[match.start(2) : match.end(2)] if match else []
        if not match or verbs[-1].lower() in COPULAS or not all(map(self.is_plain, verbs)):
            return []
        kept = self._as_they_are(begin, match.end(2))
        if (match[3] or match[5]) and self._needs_more(match, verbs):
            return []
        if match[3]:
            return [*kept, *noun] if (noun := self._noun_or_something(*match.span(3))) else []
        if match[4] and (noun := self._noun(*match.span(5))):
            return [*kept, (match.start(4), self.words[match.start(4)]), *noun]
        return kept if verbs[-1].lower() not in LEFT_OPEN else []

    def _needs_more(self, match: re.Match[str], verbs: Iterable[str]) -> bool:
        """Return whether a deed has a second object, or the rest of its verb behind the first."""
        if not WITH_TWO_OBJECTS.isdisjoint(map(str.lower, verbs)):
            return match[3] is None or match[3].count("N") > 1 or "V" in self.symbols[match.end() :]
        end = match.end()
        if self.language == "en" and self._is_cut_short(end):
            return True
        while self.language != "en" and self.symbols[end : end + 1] == "A":  # una final nacional
            end += 1
        is_adverbial = match[5] is not None and not match[5].startswith("D")  # cruzó a caballo la cordillera
        return not is_adverbial and bool(SECOND_OBJECT.match(self.symbols, end))

    def _is_cut_short(self, end: int) -> bool:
        """Return whether a particle of the verb follows, or whose it is: put the fire out, the king of Tonga's dog."""
        follows = self.words[end].lower() if end < len(self.words) else ""
        behind = self.symbols[end + 1 : end + 2]
        owner = end
        while aside := ASIDE.match(self.symbols, owner):
            owner = aside.end()
        is_owner = not {"'s", "’s"}.isdisjoint(self.words[end : owner + 1])
        return is_owner or (follows in PARTICLES and behind not in tuple("DNAPX#"))

    def _is_finite(self, place: int) -> bool:
        """Return whether a verb behind a noun says what it does: not a man killed, nor one who was."""
        verb = self.symbols.index("V", place)
        words = [word.lower() for word in self.words[place : verb + 1]]
        return not RELATIVES.intersection(words) and "to" not in words and not PARTICIPLE.search(words[-1])

    def _coupled(self, match: re.Match[str]) -> Kept:
        """Return what stays of a noun and a further deed: hit the post and went into the dyke."""
        rest, connector = self.others(match.end(2)), match.start(2)
        noun = self._noun_or_something(*match.span(1))
        return [*noun, (connector, self.words[connector]), *rest] if rest and noun else []

    def german(self) -> Kept:
        """Return what stays where the verb may come last: all verbs, and the nouns without a preposition."""
        if "V" not in self.symbols and (aside := ASIDE.match(self.symbols)):
            return self._aside(*aside.span())
        kept, has_noun = Kept(), False
        for match in GERMAN.finditer(self.symbols):
            first, last = match.span()
            if self.words[first].lower() in GENITIVES and first and (match[2] or self.symbols[first - 1] == "N"):
                continue  # der Tod des Gründers
            if match[3]:
                if self.symbols[last : last + 1] != "V" or not kept:
                    break
                kept += self._as_they_are(first, last)
            elif match[2]:
                kept += self._as_they_are(first, last)
            elif match[1]:
                noun = self._noun(first, last)
                has_noun |= bool(noun)
                kept += noun
        is_told = bool(kept) and kept[-1][1].lower() not in COPULAS and all(self.is_plain(word) for _, word in kept)
        return kept if is_told and has_noun else []

    def _aside(self, first: int, last: int) -> Kept:
        """Return a preposition with its noun: with a colony from his father-in-law is with a colony."""
        noun = self._noun(first + 1, last)
        return [(first, self.words[first]), *noun] if noun else []

    def _noun_or_something(self, first: int, last: int) -> Kept:
        """Return a noun, else *something*; nothing of a name, which may be somebody's."""
        if noun := self._noun(first, last):
            return noun
        return [] if self._has_name(first, last) else [(-1, SOMETHING[self.language])]

    def _has_name(self, first: int, last: int) -> bool:
        return any(
            self.symbols[place] == "P"
            or (self.language != "de" and self.symbols[place] in "NX" and self.words[place][:1].isupper())
            for place in range(first, last)
        )

    def _noun(self, first: int, last: int) -> Kept:
        """Return a noun with its article and without the rest; nothing of a name, a number or a rare word."""
        nouns = [place for place in range(first, last) if self.symbols[place] in "NX"]
        is_counted = self.language == "de" and "#" in self.symbols[first:last]  # neun Monate lang
        if self._has_name(first, last) or is_counted or not nouns:
            return []
        place = nouns[-1] if self.language in ("en", "de") else nouns[0]
        noun = self._plain_noun(self.words[place])
        if len(noun) < LEAST_NOUN or self.words[place + 1 : place + 2] == ["."]:  # ret. custodian
            return []
        if self.symbols[first] != "D":
            return [(place, noun)]
        article = self.words[first]
        if self.language == "en" and article.lower() in ("a", "an"):
            article = f"{article[0]}n" if takes_an(noun) else article[0]
        if any(fold_name(word) in self.unique for word in self.words[first:last]):
            article = INDEFINITE[self.language].get(article.lower(), article)
        return [(first, article), (place, noun)]

    def _plain_noun(self, noun: str) -> str:
        """Return a noun, else what a German compound ends in, else what it is in a plain word."""
        if self.is_plain(noun):
            return noun
        is_word = self.language != "de" or word_share(noun, "de") > 0  # a Seehund is no Hund
        last = "" if is_word else compound_head(noun)
        if last and self.is_plain(last):
            return last
        return self.broader(noun) if self.broader else ""

    def has_own_verb(self) -> bool:
        """Return whether what is told has a verb of its own, and is no noun with what belongs to it."""
        if self.language == "de":
            return self.symbols.partition("U")[0].endswith("V")
        subject = SUBJECT.match(self.symbols)
        return subject is not None and self._is_finite(subject.end())
