"""Fill a gap with the nearest safe neighbor of a phrase in a model of embeddings: of the same type, and harmless.

What is very near to a phrase may give it away, so that a neighbor is taken only from the twentieth on, or if it is more
frequent than the phrase.
"""

from __future__ import annotations

from typing import Final

from embanon.document import Phrase
from embanon.entities import folded
from embanon.harmless import WORD, Forbidden, Harmless
from embanon.lemmas import Lemmatizer
from embanon.lexicon import PLACE, Cue, Lexicon
from embanon.methods import Neighbors
from embanon.substitutes.siblings import meant
from embanon.substitutes.taken import Taken
from embanon.taxonomy.climb import Climber

NEIGHBORS: Final = 200
"""How many are looked at."""
FAR: Final = 20
"""The first neighbor that may be as rare as the phrase."""
CUES: Final = {
    "LOC": PLACE,
    "ORG": int(Cue.ORG_NAME | Cue.ORG_HEAD | Cue.ORG_SUFFIX),
    "DEM": int(Cue.NATIONALITY | Cue.LANGUAGE | Cue.DEM | Cue.ROLE | Cue.KIN | Cue.HEALTH),
    "MISC": int(Cue.WORK_HEAD | Cue.EVENT_HEAD | Cue.AWARD_HEAD | Cue.LAW_HEAD),
}  # fmt: skip
"""The types that are filled -> what a word of theirs is known as."""
NAMED: Final = frozenset(("name", "title"))
SMALL: Final = int(Cue.STOP | Cue.CONNECTOR)


class Fill:
    """Finds neighbors of the phrases of one text."""

    def __init__(
        self, neighbors: Neighbors, climber: Climber, harmless: Harmless, forbidden: Forbidden, taken: Taken
    ) -> None:  # fmt: skip
        self._neighbors, self._climber, self._harmless = neighbors, climber, harmless
        self._forbidden, self._taken = forbidden, taken
        self._lexicon, self._lemma = Lexicon.load(climber.language), Lemmatizer.load(climber.language).lemma
        self._known: dict[tuple[str, str], str | None] = {}

    def of(self, written: str, phrase: Phrase) -> str | None:
        """Give the neighbor that stands for a phrase; `None` where none is safe."""
        if phrase.type not in CUES:
            return None
        known = folded(written), phrase.type
        if known not in self._known:
            self._known[known] = self._nearest(written, phrase)
        return self._known[known]

    def _nearest(self, written: str, phrase: Phrase) -> str | None:
        own, words = self._harmless.rare(written), self._lemmas(written)
        plural = self._is_plural(written)
        for rank, (near, _) in enumerate(self._neighbors(written, NEIGHBORS), 1):
            label = self._cased(near) if phrase.form in NAMED else near
            if rank < FAR and self._harmless.rare(label) >= own:
                continue
            if words & self._lemmas(near) or self._forbidden.has(label) or not self._harmless.allows(label, own):
                continue
            if self._is_plural(near) != plural or not self._is_type(label, phrase):
                continue
            if self._taken.is_free(label, folded(written)):
                self._taken.take(label, folded(written))
                return label
        return None

    def _lemmas(self, text: str) -> set[str]:
        return {form for word in WORD.findall(folded(text)) for form in (word, self._lemma(word))}

    def _is_plural(self, text: str) -> bool:
        last = text.split()[-1:] or [""]
        return last[0].islower() and last[0].endswith("s") and self._lemma(last[0]) != last[0]

    def _is_type(self, label: str, phrase: Phrase) -> bool:
        """Say that a label is known to be of the type of a phrase: by a taxonomy, else by its last word."""
        if not all(part.isalpha() for part in WORD.findall(label)):
            return False
        concept = meant(self._climber, label, phrase.type, phrase.form)
        if concept is not None:
            store, number = concept
            return store.type(number) == phrase.type
        flags = self._lexicon.place(label) if phrase.type == "LOC" else self._lexicon.flags(label.split()[-1])
        return bool(flags & CUES[phrase.type])

    def _cased(self, near: str) -> str:
        """Write a key of the model as a name."""
        return " ".join(
            word if self._lexicon.flags(word) & SMALL else word[:1].upper() + word[1:] for word in near.split()
        )
