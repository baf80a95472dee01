"""Make terms phrases: what a user has an entry for, where no grammar takes it for one phrase."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Final

import numpy as np

from embanon.document import FORMS, TYPES, Phrases
from embanon.text.kinds import DEFAULT_KINDS
from embanon.text.overlay import RANK_PATTERN, OverlaySpan, number_base_phrases, overlay

LONGEST_ARTICLE: Final = 6
"""Characters before a phrase that may be an article, with a space."""
FORM_OF_TYPE: Final[Mapping[str, str]] = {"CODE": "code", "DATETIME": "date", "QUANTITY": "quantity"}
UNKNOWN_CHANCE: Final = 0.5
"""How likely a term identifies that no phrase stood at."""


def with_terms(text: str, phrases: Phrases, terms: Iterable[tuple[int, int, str]]) -> Phrases:
    """Return phrases with those terms (start, end, type) that are more than one of them; of the phrase that is longest.

    A term inside a longer phrase stays a part of it, and an article does not make a phrase longer.
    """
    units, chances, forms = list[OverlaySpan](), list[float](), list[int]()
    for start, end, type in terms:
        low = int(np.searchsorted(phrases.end, start, side="right"))
        high = int(np.searchsorted(phrases.start, end, side="left"))
        touched = range(low, high)
        if any(_covers(text, phrases, place, start, end) for place in touched):
            continue
        longest = max(touched, key=lambda place: int(phrases.end[place] - phrases.start[place]), default=-1)
        kind = phrases.kinds[phrases.kind[longest]] if touched else ""
        type = type or (TYPES[phrases.type[longest]] if touched else "MISC")
        kind = kind if kind.partition(".")[0] == type else DEFAULT_KINDS[type]
        units.append(OverlaySpan(start, end, type, kind, RANK_PATTERN))
        chances.append(max((float(phrases.chance[place]) for place in touched), default=UNKNOWN_CHANCE)
                       if phrases.chance is not None else 0.0)  # fmt: skip
        forms.append(FORMS.index(FORM_OF_TYPE.get(type, "common" if text[start:end].islower() else "name")))
    if not units:
        return phrases
    result = overlay(phrases, units, text)
    places, chance, form = np.searchsorted(result.start, [unit.start for unit in units]), None, result.form.copy()
    form[places] = forms
    if phrases.chance is not None:
        # What is left of a phrase is as likely a mention as it was.
        before = np.maximum(np.searchsorted(phrases.start, result.start, side="right") - 1, 0)
        chance = phrases.chance[before] if len(phrases) else np.zeros(len(result), np.float32)
        chance[places] = chances
    return replace(result, form=form, chance=chance, base=number_base_phrases(result, text))


def _covers(text: str, phrases: Phrases, place: int, start: int, end: int) -> bool:
    """Return whether a phrase is a term but for its article, or is longer than it."""
    ahead = text[start : phrases.start[place]]
    is_article = len(ahead) <= LONGEST_ARTICLE and ahead[:-1].isalpha() and ahead.endswith(" ") and ahead.islower()
    begins = phrases.start[place] <= start or is_article
    return bool(begins and phrases.end[place] >= end)
