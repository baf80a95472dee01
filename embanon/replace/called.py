"""Fit labels that have a determiner which is no article, and such that no grammar fits."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Final

from embanon.language import Cue, Lexicon
from embanon.replace.grammar import FittedLabel, Slot, fit_label, match_capital, without_article

INDEFINITE: Final = {"en": "a", "de": "ein", "es": "un", "pt": "um"}
STAND_IN: Final = "a place"
ARTICLE_WRITTEN: Final = {
    "en": re.compile(r"\ban?\b"), "de": re.compile(r"\bein(e[mnrs]?)?\b"),
    "es": re.compile(r"\bun(?:as?|os)?\b"), "pt": re.compile(r"\b(n|d)?um(?:as?)?\b"),
}  # fmt: skip
"""How it may be written: with its ending in German, behind what it is contracted with in Portuguese."""
CONTRACTED: Final = {"n": "em ", "d": "de "}
DETERMINERS: Final = int(Cue.DETERMINER | Cue.NUMBER_WORD)


def is_determined(label: str, language: str) -> bool:
    """Return whether a label has a determiner that is no article: our site, one of our sites."""
    first, _, rest = label.partition(" ")
    flags = Lexicon.load(language).flags(first.lower())
    return bool(rest) and without_article(label) == label and bool(flags & DETERMINERS)


def fit_determined(slot: Slot, label: str, language: str) -> FittedLabel | None:
    """Fit a label whose determiner stands where an indefinite article would, and in German has its ending."""
    first, _, rest = label.partition(" ")
    if language not in INDEFINITE:
        return None
    if language == "en" and rest.startswith("of "):  # one of our sites
        fit = fit_label(slot, STAND_IN, language)
        return replace(fit, text=match_capital(label, fit.text)) if fit and fit.text.lower() == STAND_IN else None
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


def fit_as_written(slot: Slot, label: str) -> FittedLabel:
    """Return a label as it is written, with a capital where a sentence begins."""
    return FittedLabel(slot.phrase.start, match_capital(label, "A") if slot.starts_sentence else label, "", 0.0)
