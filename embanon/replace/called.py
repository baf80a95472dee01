"""Fit labels that have a determiner which is no article, and such that no grammar fits."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Final

from embanon.language import HYPHENS, Cue, Lexicon, is_plural
from embanon.replace.grammar import FittedLabel, Slot, fit_label, match_capital, without_article, words_before
from embanon.replace.grammar.declension import is_plural_form, parse_label
from embanon.replace.grammar.english import is_plural_noun

INDEFINITE: Final = {"en": "a", "de": "ein", "es": "un", "pt": "um"}
ONE_OF: Final = {
    "en": re.compile(r"(one) of "), "de": re.compile(r"(eine[rs]?|eins) (?:d|dies|eur|ihr|jen|mein|sein|unser)er "),
    "es": re.compile(r"(un[oa]) de (?:[ln]?[ao]s|nuestr[ao]s|mis|sus|tus|vuestr[ao]s|est[ao]s) "),
    "pt": re.compile(r"(uma?) (?:d[ao]s|de (?:[a-z]+[ao]s|seus|meus)) "),
}  # fmt: skip
"""A label of one of several."""
STAND_INS: Final = {
    "one": "a place", "einer": "ein Ort", "eine": "eine Stadt", "eines": "ein Land", "eins": "ein Land",
    "uno": "un lugar", "una": "una zona", "um": "um lugar", "uma": "uma zona",
}  # fmt: skip
"""What stands as that would, by the gender of its first word."""
BARE_ARTICLES: Final = frozenset(("a", "ein", "un"))
"""Articles that are no pronouns: one of our sites, einer unserer Orte."""
ARTICLE_WRITTEN: Final = {
    "en": re.compile(r"\ban?\b"), "de": re.compile(r"\bein(e[mnrs]?)?\b"),
    "es": re.compile(r"\bun(?:as?|os)?\b"), "pt": re.compile(r"\b(n|d)?um(?:as?)?\b"),
}  # fmt: skip
"""How it may be written: with its ending in German, behind what it is contracted with in Portuguese."""
INDEFINITE_AHEAD: Final = {
    "en": re.compile(r"\ban? ([a-z]+ )?$", re.IGNORECASE),
    "de": re.compile(r"\beine?[mnrs]? ([a-zäöüß]+e[mnrs]? )?$", re.IGNORECASE),
    "es": re.compile(r"\buna? ([a-zñáéíóú]+ )?$", re.IGNORECASE),
    "pt": re.compile(r"\buma? ([a-zãáâéêíóôõúç]+ )?$", re.IGNORECASE),
}  # fmt: skip
"""An indefinite article, and an adjective behind it."""
CONTRACTED: Final = {"n": "em ", "d": "de "}
DETERMINERS: Final = int(Cue.DETERMINER | Cue.NUMBER_WORD)


def is_determined(label: str, language: str) -> bool:
    """Return whether a label has a determiner that is no article: our site, one of our sites."""
    if language in ONE_OF and ONE_OF[language].match(label):
        return True
    first, _, rest = label.partition(" ")
    flags = Lexicon.load(language).flags(first.lower())
    return bool(rest) and without_article(label) == label and bool(flags & DETERMINERS)


def fit_determined(slot: Slot, label: str, language: str) -> FittedLabel | None:
    """Fit a label whose determiner stands where an indefinite article would, and in German has its ending."""
    first, _, rest = label.partition(" ")
    if language not in INDEFINITE or _is_hyphenated(slot):
        return None
    if match := ONE_OF[language].match(label):
        return _fit_one_of(slot, label, match[1], language)
    fit = fit_label(slot, f"{INDEFINITE[language]} {rest}", language)
    match = ARTICLE_WRITTEN[language].search(fit.text.lower()) if fit else None
    if fit is None or match is None:
        return None
    ending = (match[1] or "") if match.re.groups else ""
    if language == "pt":
        written = f"{CONTRACTED.get(ending, '')}{first}"
    elif Lexicon.load(language).flags(f"{first}em") & Cue.DETERMINER:  # unser, of which there is unserem
        written = f"{first}{ending}"
    else:
        written = first
    written = match_capital(written, fit.text[match.start() :])
    return replace(fit, text=f"{fit.text[: match.start()]}{written}{fit.text[match.end() :]}")


def _fit_one_of(slot: Slot, label: str, first: str, language: str) -> FittedLabel | None:
    """Fit a label of one of several as a noun of its gender would stand: einer unserer Orte, von einem unserer Orte."""
    stand_in = STAND_INS[first]
    fit = fit_label(slot, stand_in, language)
    noun, rest = stand_in.partition(" ")[2], label.removeprefix(first)
    match = ARTICLE_WRITTEN[language].search(fit.text.lower()) if fit else None
    if fit is None or match is None or fit.text[match.end() :].strip() != noun:
        return None
    written = first if match[0] in BARE_ARTICLES else match[0]
    return replace(fit, text=f"{fit.text[: match.start()]}{match_capital(written, fit.text[match.start() :])}{rest}")


def indefinite_ahead(slot: Slot, label: str, language: str) -> re.Match[str] | None:
    """Return the indefinite article before a slot, with an adjective, where a label is in the plural."""
    match = INDEFINITE_AHEAD[language].search(slot.before) if language in INDEFINITE_AHEAD else None
    if match is None or slot.is_modifier or without_article(label) != label or is_determined(label, language):
        return None
    if language == "en":
        return match if is_plural_noun(label) else None
    if language == "de":
        return match if is_plural_form(parse_label(label).noun, True) else None
    return match if is_plural(label.partition(" ")[0].lower(), language) else None


def is_bound(slot: Slot, language: str) -> bool:
    """Return whether what a slot hangs on leaves no place for a determiner: an article, an adjective, a hyphen."""
    if _is_hyphenated(slot):
        return True
    flags, words = Lexicon.load(language).flags, [word for word, _ in words_before(slot)]
    is_determined = [bool(flags(word.lower()) & Cue.DETERMINER) for word in words[:2]]
    return any(is_determined[:1]) or (any(is_determined) and words[0].islower() and not flags(words[0]) & Cue.STOP)


def _is_hyphenated(slot: Slot) -> bool:
    """Return whether what stands in a slot is a part of a word: Graz-born."""
    return slot.before.endswith(tuple(HYPHENS)) or (slot.after.startswith(tuple(HYPHENS)) and slot.after[1:2].isalnum())


def fit_instead_of(article: str, slot: Slot, label: str) -> FittedLabel:
    """Return a label as it is written, instead of the article before it as well."""
    text = match_capital(label, article if article[:1].isupper() else "")
    return FittedLabel(slot.phrase.start - len(article), text, "", 0.0)


def fit_as_written(slot: Slot, label: str) -> FittedLabel:
    """Return a label as it is written, with a capital where a sentence begins."""
    return FittedLabel(slot.phrase.start, match_capital(label, "A") if slot.starts_sentence else label, "", 0.0)
