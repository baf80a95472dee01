"""Fit a label into a sentence: its article, gender, number and case, a capital, and no word twice."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Final

from embanon.replace.grammar.english import A_OR_AN, english, is_vowel
from embanon.replace.grammar.german import german
from embanon.replace.grammar.romance import romance
from embanon.replace.grammar.slot import Fitted, Shown, Slot, lemma

__all__ = ["A_OR_AN", "DEFINITE", "INDEFINITE", "Fitted", "Slot", "fitted", "is_vowel"]

INDEFINITE: Final = re.compile(r"^(?:a|an|un|una|um|uma|ein|eine) ")
DEFINITE: Final = re.compile(r"^(?:the|el|la|los|las|o|a|os|as|der|die|das) ")
LAST: Final = re.compile(r"([^\W_][\w'’.-]*)[ \u00a0]+[\"“‘«„]?$")
PERSONS: Final = frozenset(("person", "persona", "pessoa"))
FOLLOWING: Final = re.compile(r"['’]?[\"”’»“]?[ \u00a0]+([^\W\d_]+)")


def _english(slot: Slot, label: str) -> Shown | None:
    found = english(slot, label)
    return Shown(*found) if found else None


GRAMMARS: Final[Mapping[str, Callable[[Slot, str], Shown | None]]] = {
    "en": _english, "es": romance("es"), "pt": romance("pt"), "de": german,
}  # fmt: skip


def fitted(slot: Slot, label: str, language: str) -> Fitted | None:
    """Give a label as it stands in a slot; nothing where it would be wrong there, or say a word twice."""
    grammar = GRAMMARS.get(language)
    found = grammar(slot, label) if grammar else Shown(0, label, label)
    if found is None or _is_double(slot, found, language):
        return None
    shown, taken = found.text, found.taken
    if slot.names and shown.split(" ")[-1].lower() in PERSONS:
        return None  # person PERSON 1
    if slot.opens and not taken and not slot.written[:1].islower():
        shown = shown[:1].upper() + shown[1:]
    return Fitted(slot.phrase.start - taken, shown, "", 0.0, said=found.said)


def _is_double(slot: Slot, shown: Shown, language: str) -> bool:
    """Say that the label begins or ends with the word beside it, in the singular or plural."""
    words = (shown.said or shown.text).lower().split()
    if not words:
        return True
    ahead = LAST.search(slot.before[: len(slot.before) - shown.taken])
    following = FOLLOWING.match(slot.after)
    before, behind = (lemma(found[1], language) if found else None for found in (ahead, following))
    first, last = lemma(words[0], language), lemma(words[-1], language)
    return before in (first, last) or last == behind  # but not: in the 1960s in
