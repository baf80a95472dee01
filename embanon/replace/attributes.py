"""Leave out a name that only says which one of a kind is meant, where the kind stands beside it.

The court of Niebüll is a court, the Avonmouth hub a hub: that reads better than the court of a place, or [place 1] hub.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Final

from embanon.language import Cue, Lexicon, compound_head, is_dictionary_noun
from embanon.replace.checks import SAFE
from embanon.replace.grammar import FittedLabel, Slot
from embanon.replace.grammar.english import takes_an
from embanon.taxonomy import Climber

LEFT_OUT, APPOSITION = "left out", "left out with commas"
"""What is chosen of such a name."""
OPENS_QUOTE, CLOSES_QUOTE = '"“„«‚‘»', '"”“»’‘«'
OWN_NOUN: Final[Mapping[str, re.Pattern[str]]] = {
    "en": re.compile(r"(?P<article>[Tt]he |[Aa]n? )?(?:\S+ )*?[A-Z](?:\S* )+?(?P<noun>[a-z]{3,})"),
    "es": re.compile(
        r"(?P<article>(?:[Ee]l|[Ll]a|[Dd]el|[Aa]l) )?(?P<noun>[a-záéíóúñü]{3,}) .*[A-ZÁÉÍÓÚ].*", re.DOTALL
    ),
    "pt": re.compile(
        r"(?P<article>(?:[OoAa]|[Dd][oa]|[Nn][oa]|[Aa]o|À|à) )?(?P<noun>[a-zà-ú]{3,}) .*[A-ZÀ-Ú].*", re.DOTALL
    ),
    "de": re.compile(r"(?P<article>)(?P<noun>[A-ZÄÖÜ][a-zäöüß]{3,}) .*", re.DOTALL),
}
"""A name with the noun that says what it is: the Amblecote works, lar da Misericórdia, Sägewerk Attenkofer."""
ROMANCE: Final = (
    r"(?:(?:^|[\n:;,(/«“\"–—-] ?|\b(?:el|las?|los|una?s?|del?|al?|en|con|por|para|y|su|sus|mi|est[aeo]|es[ae]|o|as?|os"
    r"|uma?|d[oae]s?|n[oa]s?|aos?|às?|e|em|com|pel[oa]|seu|sua|meu|minha) ))"
)
"""What stands before a noun: of a verb that looks like one, who does it."""
NOUN_BEFORE: Final[Mapping[str, re.Pattern[str]]] = {
    "es": re.compile(rf"{ROMANCE}([a-záéíóúñü]{{3,}})(?: de(?:l| la| las| los)?)? [\"“«]?$", re.IGNORECASE),
    "pt": re.compile(rf"{ROMANCE}([a-zà-ú]{{3,}})(?: d[eoa]s?)? [\"“«]?$", re.IGNORECASE),
    "de": re.compile(r"\b([A-ZÄÖÜ][a-zäöüß]{3,})(?: vo[nm])? [\"„“»«]?$"),
}
"""A noun with the preposition and the quotation mark between it and its name."""
DETERMINER_BEFORE: Final = re.compile(r"\b(the|an?|my|our|their|his|her|your|this|that) $", re.IGNORECASE)
FOLLOWING: Final = re.compile(r" ([a-z]{3,})\b")
APPOSED: Final[Mapping[str, re.Pattern[str]]] = {
    "en": re.compile(r"\b(?:the|our|my|their)[ \u00a0]([^\W\d_]{3,}), $", re.IGNORECASE),
    "es": re.compile(r"\b(?:el|la|los|las)[ \u00a0]([^\W\d_]{3,}), $", re.IGNORECASE),
    "pt": re.compile(r"\b(?:o|a|os|as)[ \u00a0]([^\W\d_]{3,}), $", re.IGNORECASE),
    "de": re.compile(r"\b(?:der|die|das|den|dem|unser\w*|mein\w*)[ \u00a0]([^\W\d_]{3,}), $", re.IGNORECASE),
}
GOES_ON: Final = re.compile(
    r",(?= (?:has|had|is|was|will|would|can|may|must|did|says?|said|told|wrote|sent|ha|había|es|era|fue|tenía|dice|dijo"
    r"|tem|tinha|foi|está|estava|diz|disse|cortou|hat|hatte|ist|war|wird|wurde|kann|muss|sagt|sagte|schickte)\b)"
)
"""Around a name between commas that is that of the noun before it: the contractor, Velland, has …"""
BRACKETED: Final = re.compile(r"\b([^\W\d_]{3,}) \($")
CLOSING_BRACKET: Final = re.compile(r"\)")
RELATIONAL: Final[Mapping[str, frozenset[str]]] = {
    "en": frozenset("front lack terms spite favor favour virtue part side top end kind sort outside inside".split()),
    "es": frozenset(
        """lado través parte torno frente causa cargo favor fin partir medio nombre representación cuenta pesar lugar
        vez caso base cerca dentro encima debajo delante detrás antes después lejos acuerdo entre desde hacia hasta
        para sobre según mitad mayoría resto dueño dirección centro sur norte este oeste""".split()
    ),
    "pt": frozenset(
        """lado través parte torno frente causa cargo favor fim partir meio nome representação conta pesar lugar vez
        caso base perto dentro cima baixo diante atrás antes depois longe acordo entre desde para sobre segundo além
        redor metade maioria resto custo dono direção centro sul norte leste oeste""".split()
    ),
    "de": frozenset(
        "namen auftrag seiten vertretung höhe richtung gegner mitte nähe umgebung hälfte mehrheit rest teil".split()
    ),
}
"""Words that are nouns as well, but say only where, how, or what of something."""
NAMED: Final = int(Cue.GIVEN_NAME | Cue.SURNAME | Cue.TITLE | Cue.CITY | Cue.COUNTRY | Cue.REGION)

NAME_ENDING: Final = re.compile(
    r"(?:land|berg|burg|dorf|feld|bach|tal|thal|wald|hof|haus|stein|mann|au|see|heim|hausen|hammer|länd)(?:er)?$"
)
"""Of German compounds that may be names."""

IsAllowed = Callable[[str], bool]


def leave_out(slot: Slot, climber: Climber, is_allowed: IsAllowed) -> FittedLabel | None:
    """Return the noun, or the article, beside a name without that name; nothing where none stands there.

    `is_allowed` says which nouns tell too much, or are of a name.
    """
    if slot.phrase.form not in ("name", "title"):
        return None

    def is_kind(noun: str) -> bool:
        return _is_kind(noun, climber) and is_allowed(noun)

    if apposed := _between_commas(slot, climber.language, is_kind):
        return apposed
    headed = OWN_NOUN.get(climber.language)
    match = headed.fullmatch(slot.written) if headed else None
    is_listed = match is not None and climber.is_listed(match["noun"])
    if climber.language == "de" and not is_listed and (behind := _behind_noun(slot, "de", is_kind)):
        return behind  # Firma Spaßmobil Velland
    has_article = climber.language != "en" or bool(match and match["article"]) or DETERMINER_BEFORE.search(slot.before)
    if match and has_article and is_kind(match["noun"]):
        return FittedLabel(slot.phrase.start, f"{match['article'] or ''}{match['noun']}", LEFT_OUT, SAFE)
    if climber.language == "en" and slot.is_modifier and (match := DETERMINER_BEFORE.search(slot.before)):
        following = FOLLOWING.match(slot.after)
        if following and len(match[0]) <= slot.editable_before and _is_kind(following[1], climber):
            article = match[1]
            if article.lower() in ("a", "an"):
                article = article[0] + ("n" if takes_an(following[1]) else "")
            return FittedLabel(slot.phrase.start - len(match[0]), article, LEFT_OUT, SAFE)
    return _behind_noun(slot, climber.language, is_kind)


def _behind_noun(slot: Slot, language: str, is_kind: IsAllowed) -> FittedLabel | None:
    """Return the noun before a name: la finca de Velland, Kanzlei Velland."""
    pattern = NOUN_BEFORE.get(language)
    match = pattern.search(slot.before) if pattern else None
    size = match.end() - match.start(1) if match else 0
    if not match or size > slot.editable_before or not is_kind(match[1]):
        return None
    return FittedLabel(slot.phrase.start - size, match[1], LEFT_OUT, SAFE)


def _between_commas(slot: Slot, language: str, is_kind: IsAllowed) -> FittedLabel | None:
    """Return the noun before a name between commas or in brackets: the contractor, Velland, has …"""
    for opens, closes in ((APPOSED.get(language), GOES_ON), (BRACKETED, CLOSING_BRACKET)):
        match = opens.search(slot.before) if opens else None
        if match and closes.match(slot.after) and is_kind(match[1]):
            size = match.end() - match.start(1)
            fits = size <= slot.editable_before
            return FittedLabel(slot.phrase.start - size, match[1], APPOSITION, SAFE) if fits else None
    return None


def _is_kind(noun: str, climber: Climber) -> bool:
    """Return whether a word is a noun that says of what kind something is, and no name.

    In German, where names are written as nouns are, it is one that is listed, or a compound unlike a name.
    """
    if noun.lower() in RELATIONAL.get(climber.language, ()):
        return False
    flags = Lexicon.load(climber.language).flags(noun)
    if climber.language == "de":
        is_noun = is_dictionary_noun(noun, "de") or climber.is_listed(noun)
        return not flags & NAMED and (is_noun or bool(compound_head(noun) and not NAME_ENDING.search(noun)))
    return not flags & Cue.STOP and climber.is_noun(noun)


def end_of_quotation(text: str, start: int, end: int) -> int:
    """Return where the quotation marks end that a name stands in which is left out."""
    opens = text[start - 1 : start] in OPENS_QUOTE and start > 0
    return end + 1 if opens and text[end : end + 1] in CLOSES_QUOTE and text[end : end + 1] else end
