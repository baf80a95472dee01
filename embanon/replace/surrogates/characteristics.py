"""Make up what people are: another nationality, language, faith or occupation beside the one that is said."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from embanon.entities import fold_text
from embanon.language import Cue, Lemmatizer, Lexicon
from embanon.replace.surrogates.invented_words import SubstituteRegistry
from embanon.replace.surrogates.keyed import KeyedChoice
from embanon.replace.surrogates.siblings import likeliest_concept, siblings
from embanon.taxonomy import Climber

CUES: Final = {
    "nationality": int(Cue.NATIONALITY), "language": int(Cue.LANGUAGE | Cue.NATIONALITY), "group": int(Cue.DEM),
    "role": int(Cue.ROLE),
}  # fmt: skip
"""Kinds of which there are siblings -> what a sibling must be known as."""
UNINFLECTED: Final = ("language",)
"""Kinds whose words need no gender and case where there is one."""


class CharacteristicSubstitutes:
    """Gives each characteristic of a text one substitute."""

    def __init__(self, climber: Climber, keyed: KeyedChoice, taken: SubstituteRegistry) -> None:
        self._climber, self._keyed, self._taken = climber, keyed, taken
        self._lemma = Lemmatizer.load(climber.language).lemma
        self._lexicon = Lexicon.load(climber.language)
        self._known: dict[str, str | None] = {}

    def substitute_for(self, written: str, kind: str, form: str) -> str | None:
        """Return a label of a sibling: a noun in the singular, or an adjective, to be fitted into its sentence."""
        if kind not in CUES or (self._climber.language != "en" and kind not in UNINFLECTED):
            return None
        first, space, last = fold_text(written).rpartition(" ")
        low = f"{first}{space}{self._lemma(last)}"  # two oboists are what an oboist is
        if low not in self._known:
            self._known[low] = self._taken.take_first(self._siblings(written, low, kind, form), low)
        return self._known[low]

    def _siblings(self, written: str, low: str, kind: str, form: str) -> Iterator[str]:
        concept = likeliest_concept(self._climber, written, "DEM", form)
        if concept is None:
            return
        store, original = concept
        own = self._lexicon.flags(written) & (Cue.NATIONALITY | Cue.LANGUAGE)
        plural = kind == "nationality" and low != fold_text(written)  # of an adjective there is none: only Norwegians
        for one in siblings(store, original, self._keyed, low, alike=kind != "role"):
            label = store.label(one, self._climber.language) or ""
            flags = self._lexicon.flags(label)
            if own & ~flags:  # whoever speaks Welsh does not speak Ugandan
                continue
            if label.isalpha() and flags & CUES[kind] and (label.endswith("an") or not plural):
                yield label
