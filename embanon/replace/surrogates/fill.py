"""Fill a gap with the nearest safe neighbor of a phrase in a model of embeddings: of the same type, and harmless.

What is very near to a phrase may give it away, so that a neighbor is taken only from the twentieth on, or if it is more
frequent than the phrase.
"""

from __future__ import annotations

from typing import Final

from embanon.document import Phrase
from embanon.entities import fold_text
from embanon.language import LANGUAGES, PLACE_CUES, Cue, Frequencies, Lemmatizer, Lexicon
from embanon.replace.checks import WORD, ForbiddenWords, LabelRisk
from embanon.replace.methods import Neighbors
from embanon.replace.surrogates.invented_words import SubstituteRegistry
from embanon.replace.surrogates.siblings import likeliest_concept
from embanon.taxonomy import Climber

NEIGHBORS: Final = 200
"""How many are looked at."""
FIRST_RARE_RANK: Final = 20
"""The first neighbor that may be as rare as the phrase."""
FOREIGN: Final = 30
"""How many times as frequent in another language a word is that is none of ours."""
CUES: Final = {
    "LOC": PLACE_CUES, "ORG": int(Cue.ORG_NAME | Cue.ORG_HEAD | Cue.ORG_SUFFIX),
    "DEM.nationality": int(Cue.NATIONALITY), "DEM.language": int(Cue.LANGUAGE), "DEM.group": int(Cue.DEM),
    "DEM.role": int(Cue.ROLE), "DEM.kin": int(Cue.KIN), "DEM.illness": int(Cue.HEALTH),
    "MISC.work": int(Cue.WORK_HEAD), "MISC.event": int(Cue.EVENT_HEAD), "MISC.award": int(Cue.AWARD_HEAD),
    "MISC.law": int(Cue.LAW_HEAD),
}  # fmt: skip
"""The types and kinds that are filled -> what the last word of a neighbor must be known as."""
NAMED: Final = frozenset(("name", "title"))
SMALL: Final = int(Cue.STOP | Cue.CONNECTOR)


class GapFiller:
    """Neighbors of the phrases of one text."""

    def __init__(
        self, neighbors: Neighbors, climber: Climber, harmless: LabelRisk, forbidden: ForbiddenWords,
        taken: SubstituteRegistry
    ) -> None:  # fmt: skip
        self._neighbors, self._climber, self._harmless = neighbors, climber, harmless
        self._forbidden, self._taken = forbidden, taken
        self._lexicon, self._lemma = Lexicon.load(climber.language), Lemmatizer.load(climber.language).lemma
        self._frequencies = {one: known for one in LANGUAGES if (known := Frequencies.load(one))}
        self._known: dict[tuple[str, str], str | None] = {}

    def neighbor_for(self, written: str, phrase: Phrase) -> str | None:
        """Return the neighbor that replaces a phrase; `None` where none is safe."""
        if not _cues(phrase):
            return None
        known = fold_text(written), phrase.type
        if known not in self._known:
            self._known[known] = self._nearest(written, phrase)
        return self._known[known]

    def _nearest(self, written: str, phrase: Phrase) -> str | None:
        original_rarity, words = self._harmless.rarest_word(written), self._lemmas(written)
        plural, itself = self._is_plural(written), likeliest_concept(self._climber, written, phrase.type, phrase.form)
        for rank, (near, _) in enumerate(self._neighbors(written, NEIGHBORS), 1):
            label = self._capitalize(near) if phrase.form in NAMED or self._is_capitalized(phrase) else near
            if rank < FIRST_RARE_RANK and self._harmless.rarest_word(label) >= original_rarity:
                continue
            if words & self._lemmas(near) or self._forbidden.matches(label) or self._forbidden.reveals(label):
                continue
            if not self._harmless.allows(label, original_rarity, phrase.type):
                continue
            if self._is_plural(near) != plural or not self._matches_type(label, phrase):
                continue
            if itself is not None and likeliest_concept(self._climber, label, phrase.type, phrase.form) == itself:
                continue  # another name of the same
            if self._taken.is_free(label, fold_text(written)):
                self._taken.take(label, fold_text(written))
                return label
        return None

    def _lemmas(self, text: str) -> set[str]:
        return {form for word in WORD.findall(fold_text(text)) for form in (word, self._lemma(word))}

    def _is_plural(self, text: str) -> bool:
        last = text.split()[-1:] or [""]
        return last[0].islower() and last[0].endswith("s") and self._lemma(last[0]) != last[0]

    def _matches_type(self, label: str, phrase: Phrase) -> bool:
        """Return whether a label is known to be of the type and kind of a phrase."""
        words = label.split()
        if not all(part.isalpha() for part in WORD.findall(label)) or not self._is_of_language(label):
            return False
        if phrase.type == "LOC":
            return bool(self._lexicon.place_cues(label) & PLACE_CUES)
        flags = self._lexicon.flags(words[-1])
        alone = phrase.form in NAMED and len(words) < 2 and not flags & Cue.ORG_NAME  # a Shop is no name
        return bool(flags & _cues(phrase)) and not alone

    def _is_of_language(self, label: str) -> bool:
        """Return whether the words of a label are of the language: a model may be of another."""
        frequencies = self._frequencies.get(self._climber.language)
        if frequencies is None:
            return False
        for word in WORD.findall(label):
            shares = [found for known in self._frequencies.values() if (found := known.share(word)) is not None]
            if not shares or (frequencies.share(word) or 0.0) * FOREIGN < max(shares):
                return False
        return not self._lexicon.flags(label.split()[0]) & Cue.DETERMINER  # my party

    def _is_capitalized(self, phrase: Phrase) -> bool:
        """Return whether a word is written with a capital also where it is no name: Norwegian."""
        return self._climber.language == "en" and phrase.kind in ("DEM.nationality", "DEM.language")

    def _capitalize(self, near: str) -> str:
        """Write a key of the model as a name."""
        return " ".join(
            word if self._lexicon.flags(word) & SMALL else word[:1].upper() + word[1:] for word in near.split()
        )


def _cues(phrase: Phrase) -> int:
    return CUES.get(phrase.kind, CUES.get(phrase.type, 0))
