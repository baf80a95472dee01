"""Evidence on names: what each observation is worth, what words beside a name say, and the scores that add up."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from embanon.text.columns import Bools, Ints

NAME_CLASSES: Final = (
    ("person", "full-name"), ("org", "organization"), ("loc", "place"), ("work", "work"), ("award", "award"),
    ("event", "event"), ("law", "law"), ("role", "role"), ("ill", "illness"), ("day", "holiday"),
    ("group", "group"), ("kin", "kin"),
)  # fmt: skip
"""What a name may be, and the kind that it has when nothing finer is known."""
CLASS_NUMBER: Final = {name: number for number, (name, _) in enumerate(NAME_CLASSES)}

# What an observation is worth to each class: ten is as good as certain, one breaks a tie. The *head* is the
# last word before an "of" (English, German) or the first word (Spanish, Portuguese).
EVIDENCE_WEIGHTS: Final[Mapping[str, Mapping[str, float]]] = {
    "always": {"person": 1, "org": 0.5, "work": 0.2},
    # Its own words.
    "title first": {"person": 8},
    "title first, organization's head": {"person": -4},  # Lord Keeper's Office
    "given first": {"person": 4},
    "given first, ambiguous": {"person": -2},
    "surname last": {"person": 1.5},
    "initial": {"person": 4},
    "suffix of names": {"person": 4},
    "particle": {"person": 1.5},
    "given twice": {"person": 3},
    "two to four names": {"person": 0.5},
    "five or more words": {"person": -2, "org": 1, "work": 1},
    "organization's head": {"org": 7},
    "organization's first": {"org": 4},
    "organization's word": {"org": 2.5},
    "company's suffix": {"org": 8},
    "known organization": {"org": 5},
    "house of an organization": {"org": 6},
    "acronym": {"org": 3, "person": -1},
    "acronym first or last": {"org": 3, "person": -1},
    "acronym, quoted": {"org": 4},
    "place's head": {"loc": 6},
    "place's head, one word": {"loc": 2},
    "place's first": {"loc": 4},
    "country": {"loc": 7},
    "region": {"loc": 5},
    "major city": {"loc": 5},
    "city": {"loc": 2.5},
    "place, ambiguous": {"loc": -1.5},
    "place of several words": {"loc": 3},
    "place last": {"loc": 1, "org": 0.5},
    "place first": {"org": 1.5, "person": -1.5},
    "place first, after an article": {"org": 3, "role": -2},
    "direction first": {"loc": 3},
    "work's head": {"work": 4},
    "award's head": {"award": 9},
    "event's head": {"event": 6},
    "law's head": {"law": 6},
    "year first": {"event": 3},
    "year in brackets": {"work": 7},
    "function word": {"work": 1.5, "org": 0.5, "person": -2},
    "number": {"work": 1, "event": 1, "person": -2},
    "role": {"role": 5},
    "role, then a name": {"role": -3, "person": 4},
    "illness": {"ill": 7},
    "holiday": {"day": 5},
    "group": {"group": 2},
    "group, one word": {"group": 3},
    "kin": {"kin": 5.5},
    "quoted": {"work": 5, "person": -1},
    # What stands beside it.
    "role before": {"person": 4},
    "work before": {"work": 5},
    "event before": {"event": 3},
    "organization before": {"org": 3},
    "place before": {"loc": 6},
    "label of names": {"person": 6},
    "postcode before": {"loc": 4},
    "organization after": {"org": 2},
    "event after": {"event": 1, "org": 0.5},
    "role in apposition": {"person": 3},
    "kin of": {"person": 3},
    "place of": {"loc": 5},
    "role of": {"org": 1.5, "loc": 1},
    "in": {"loc": 2, "work": 1, "person": -2},
    "in, before a place": {"loc": 3, "person": -1},
    "from": {"loc": 1},
    "at": {"org": 2, "loc": 1, "person": -1},
    "by": {"person": 1},
    "for": {"org": 1},
    "article": {"org": 1.5, "work": 1, "event": 1, "award": 0.5, "person": -2.5},
    "who after": {"person": 4},
    "verb after": {"person": 0.5},
    "possessive after": {"person": 0.5},
    "wider place after": {"loc": 3},
    # What the paragraph's longer names say of a single word.
    "part of person": {"person": 4},
    "part of org": {"org": 2.5},
    "part of loc": {"loc": 1},
    # What its neighbors in a list are, and the name that it stands behind in brackets.
    "beside person": {"person": 2},
    "beside org": {"org": 2},
    "beside loc": {"loc": 2},
    "beside work": {"work": 3},
    "behind loc": {"loc": 2},
    "alias of person": {"person": 4},
    "alias of org": {"org": 7},
    "alias of loc": {"loc": 4},
    "alias of work": {"work": 3},
}
_ROW: Final = {name: number for number, name in enumerate(EVIDENCE_WEIGHTS)}
_ENTRIES: Final = tuple(
    (row, CLASS_NUMBER[name], np.float32(worth))
    for row, worths in enumerate(EVIDENCE_WEIGHTS.values())
    for name, worth in worths.items()
)
_FIRST_LATE_ROW: Final = _ROW["part of person"]
"""The first row of what other names say."""

# Words that say what the name after them is: closed classes whose senses no cue of the lexicon tells apart.
_PRECEDING_WORDS: Final = {
    "en": {"in": "in near inside outside throughout", "from": "from to into across toward", "at": "at",
           "for": "for", "by": "by with", "label": "name named surname called"},
    "es": {"in": "en", "from": "desde hacia hasta a", "at": "", "for": "para",
           "by": "por con",
           "label": "nombre nombres apellido apellidos llamado llamada"},
    "pt": {"in": "em no na nos nas", "from": "desde até a à ao", "at": "", "for": "para",
           "by": "por pelo pela com",
           "label": "nome nomes apelido apelidos sobrenome chamado chamada"},
    "de": {"in": "in im bei nach aus", "from": "ab über", "at": "am an", "for": "für",
           "by": "durch mit",
           "label": "name vorname nachname namens geborene geb"},
}  # fmt: skip
PRECEDING_SENSES: Final = ("in", "from", "at", "for", "by", "label")
RELATIVE_PRONOUNS: Final = {
    language: frozenset(words.split())
    for language, words in {
        "en": "who whom whose himself herself", "es": "quien quienes", "pt": "quem", "de": "selbst",
    }.items()
}  # fmt: skip


def _number_words(rows: Mapping[str, str]) -> dict[str, int]:
    """Number the words before a name by what they say: the place in `SAID`, from 1."""
    words = {word: 1 + PRECEDING_SENSES.index(name) for name, listed in rows.items() for word in listed.split()}
    return {**words, **{word.capitalize(): number for word, number in words.items()}}


SENSE_OF_PRECEDING_WORD: Final = {language: _number_words(rows) for language, rows in _PRECEDING_WORDS.items()}


@dataclass(frozen=True, slots=True)
class NameEvidence:
    """What has been observed of some names: a row of each observation, all of them absent at first."""

    rows: NDArray[np.float32]

    @classmethod
    def for_names(cls, count: int) -> NameEvidence:
        """Make room for so many names."""
        return cls(np.zeros((len(EVIDENCE_WEIGHTS), count), dtype=np.float32))

    def __getitem__(self, name: str) -> Bools:
        noted: Bools = self.rows[_ROW[name]] != 0
        return noted

    def __setitem__(self, name: str, values: Bools) -> None:
        self.rows[_ROW[name]] = values

    def note(self, observations: Mapping[str, Bools]) -> None:
        """Note several observations."""
        for name, values in observations.items():
            self[name] = values

    def scores(self, *, late: bool) -> NDArray[np.float32]:
        """Add up what a name's own words and surroundings are worth, or (late) what other names say of it.

        The table is small and mostly zeros: adding its entries is faster than a matrix product of observations
        and worths, starts no threads and rounds alike on all machines.
        """
        rows = slice(_FIRST_LATE_ROW, None) if late else slice(0, _FIRST_LATE_ROW)
        scores = np.zeros((len(NAME_CLASSES), self.rows.shape[1]), dtype=np.float32)
        seen = [False] * len(EVIDENCE_WEIGHTS)
        seen[rows] = np.any(self.rows[rows] != 0, axis=1).tolist()
        for row, number, worth in _ENTRIES:
            if seen[row]:
                scores[number] += worth * self.rows[row]
        return scores


def likeliest_classes(scores: NDArray[np.float32]) -> Ints:
    """Return the class with the highest score, as an index into CLASSES."""
    chosen: Ints = np.argmax(scores, axis=0)
    return chosen
