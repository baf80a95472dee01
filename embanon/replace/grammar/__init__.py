"""Fit a label into a sentence: its article, gender, number and case, a capital, and no word twice."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Final

from embanon.replace.grammar.english import A_OR_AN, fit_english, takes_an
from embanon.replace.grammar.german import fit_german
from embanon.replace.grammar.romance import romance_grammar
from embanon.replace.grammar.slot import FittedLabel, Rendering, Slot, lemma

__all__ = ["A_OR_AN", "DEFINITE_ARTICLE", "INDEFINITE_ARTICLE", "FittedLabel", "Slot", "fit_label", "takes_an"]

INDEFINITE_ARTICLE: Final = re.compile(r"^(?:a|an|un|una|um|uma|ein|eine) ")
DEFINITE_ARTICLE: Final = re.compile(r"^(?:the|el|la|los|las|o|a|os|as|der|die|das) ")
WORD_BEFORE: Final = re.compile(r"([^\W_][\w'’.-]*)[ \u00a0]+[\"“‘«„]?$")
PERSONS: Final = frozenset(("person", "persona", "pessoa"))
WORD_AFTER: Final = re.compile(r"['’]?[\"”’»“]?[ \u00a0]+([^\W\d_]+)")


def _english(slot: Slot, label: str) -> Rendering | None:
    found = fit_english(slot, label)
    return Rendering(*found) if found else None


GRAMMARS: Final[Mapping[str, Callable[[Slot, str], Rendering | None]]] = {
    "en": _english, "es": romance_grammar("es"), "pt": romance_grammar("pt"), "de": fit_german,
}  # fmt: skip


def fit_label(slot: Slot, label: str, language: str) -> FittedLabel | None:
    """Return a label as it stands in a slot; nothing where it would be wrong there, or say a word twice."""
    grammar = GRAMMARS.get(language)
    found = grammar(slot, label) if grammar else Rendering(0, label, label)
    if found is None or _repeats_neighbor(slot, found, language):
        return None
    shown, taken = found.text, found.absorbed
    if slot.precedes_name and shown.split(" ")[-1].lower() in PERSONS:
        return None  # person PERSON 1
    if slot.starts_sentence and not taken and not slot.written[:1].islower():
        shown = shown[:1].upper() + shown[1:]
    return FittedLabel(slot.phrase.start - taken, shown, "", 0.0, bare=found.bare)


def _repeats_neighbor(slot: Slot, shown: Rendering, language: str) -> bool:
    """Return whether the label begins or ends with the word beside it, in the singular or plural."""
    words = (shown.bare or shown.text).lower().split()
    if not words:
        return True
    ahead = WORD_BEFORE.search(slot.before[: len(slot.before) - shown.absorbed])
    following = WORD_AFTER.match(slot.after)
    before, behind = (lemma(found[1], language) if found else None for found in (ahead, following))
    first, last = lemma(words[0], language), lemma(words[-1], language)
    return before in (first, last) or last == behind  # but not: in the 1960s in
