"""What the spans of an annotated text may be: mentions of a kind, or phrases that nobody marked.

Our own letters say the kind of each mention, others its type alone; phrases of the grammar that nobody marked are
nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import numpy as np

from embanon.document import FORMS, TYPES, Phrases
from embanon.recognize.kinds import KIND_BOUNDS, KIND_NAMES, LEARNED_KINDS, NOTHING
from embanon.risk.spans import overlaps_any
from embeddings.build.annotated import AnnotatedText

ANNOTATED_NAMES: Final = {
    "PERSON.full": "full-name", "PERSON.given": "first-name", "PERSON.family": "surname", "PERSON.nick": "nickname",
    "ORG.other": "organization", "LOC.other": "place", "LOC.city": "town",
    "DEM.job": "role", "DEM.other": "trait", "CODE.id": "id-number",
    "CODE.email": "e-mail", "CODE.account": "account-number", "CODE.case": "case-number", "CODE.user": "handle",
    "CODE.other": "code", "QUANTITY.percent": "percentage", "MISC.role": "other",
}  # fmt: skip
"""What annotators write, where it is not the name of a kind."""
UNMARKED: Final = 3
"""One of so many unmarked phrases that are neither names nor codes is learnt from."""
NAMELIKE: Final = frozenset(("name", "title", "code"))


def unmarked_phrases(text: AnnotatedText, phrases: Phrases) -> Iterator[tuple[int, int, tuple[int, int]]]:
    """Yield phrases of the grammar that no annotator marked: all names and codes, and some of the others."""
    marked = [(mention.start, mention.end) for mention in text.mentions]
    free = np.flatnonzero(~overlaps_any(phrases, marked))
    for number, place in enumerate(free.tolist()):
        if FORMS[phrases.form[place]] in NAMELIKE or number % UNMARKED == 0:
            yield int(phrases.start[place]), int(phrases.end[place]), (NOTHING, NOTHING + 1)


def kinds_of(type: str, annotated: str) -> tuple[int, int]:
    """Return the range of kinds that an annotated mention may be of: one, or all of its type."""
    kind, number = kind_of(type, annotated), TYPES.index(type)
    return (kind, kind + 1) if kind >= 0 else (int(KIND_BOUNDS[number]), int(KIND_BOUNDS[number + 1]))


def kind_of(type: str, annotated: str) -> int:
    """Return the number of an annotated kind, -1 where there is none."""
    name = ANNOTATED_NAMES.get(f"{type}.{annotated}", annotated)
    return KIND_NAMES.index(f"{type}.{name}") if name in LEARNED_KINDS.get(type, ()) else -1
