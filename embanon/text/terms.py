"""Make terms phrases: what a user has an entry for, where no grammar takes it for one phrase."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Final

import numpy as np

from embanon.document import FORMS, TYPES, Phrase, Phrases
from embanon.language import Cue, Lexicon
from embanon.text.kinds import DEFAULT_KINDS
from embanon.text.overlay import RANK_PATTERN, OverlaySpan, number_base_phrases, overlay

LONGEST_ARTICLE: Final = 6
"""Characters before a phrase that may be an article, with a space."""
FORM_OF_TYPE: Final[Mapping[str, str]] = {"CODE": "code", "DATETIME": "date", "QUANTITY": "quantity"}
WORD: Final = re.compile(r"\S+")
SMALL: Final = int(Cue.STOP | Cue.CONNECTOR | Cue.DETERMINER | Cue.PRONOUN)
UNKNOWN_CHANCE: Final = 0.5
"""How likely a term identifies that no phrase stood at."""


def with_terms(text: str, phrases: Phrases, terms: Iterable[tuple[int, int, str]], language: str) -> Phrases:
    """Return phrases with those terms (start, end, type) that are more than one of them.

    A term inside a longer phrase stays a part of it, but for a name or a number that the phrase is about; an article
    does not make a phrase longer.
    """
    units, chances, forms, rests = list[OverlaySpan](), list[float](), list[int](), list[Phrase]()
    for start, end, type in terms:
        low = int(np.searchsorted(phrases.end, start, side="right"))
        high = int(np.searchsorted(phrases.start, end, side="left"))
        touched = range(low, high)
        if any(_covers(text, phrases, place, start, end) for place in touched):
            continue
        rests += (phrases[place] for place in touched)
        main = max(touched, key=lambda place: _weight(phrases[place]), default=-1)
        kind = phrases.kinds[phrases.kind[main]] if touched else ""
        type = type or (TYPES[phrases.type[main]] if touched else "MISC")
        kind = kind if kind.partition(".")[0] == type else DEFAULT_KINDS[type]
        units.append(OverlaySpan(start, end, type, kind, RANK_PATTERN))
        chances.append(max((float(phrases.chance[place]) for place in touched), default=UNKNOWN_CHANCE)
                       if phrases.chance is not None else 0.0)  # fmt: skip
        forms.append(FORMS.index(FORM_OF_TYPE.get(type, "common" if text[start:end].islower() else "name")))
    if not units:
        return phrases
    result = overlay(phrases, units, text)
    result = _trim_rests(text, result, rests, {unit.start for unit in units}, language)
    places, chance, form = np.searchsorted(result.start, [unit.start for unit in units]), None, result.form.copy()
    form[places] = forms
    if phrases.chance is not None:
        # What is left of a phrase is as likely a mention as it was.
        before = np.maximum(np.searchsorted(phrases.start, result.start, side="right") - 1, 0)
        chance = phrases.chance[before] if len(phrases) else np.zeros(len(result), np.float32)
        chance[places] = chances
    return replace(result, form=form, chance=chance, base=number_base_phrases(result, text))


def _weight(phrase: Phrase) -> tuple[bool, bool, int]:
    """Return how much a phrase says of which type a term is that has it: a name, else an amount, else the longest."""
    return phrase.form in ("name", "title"), phrase.type == "QUANTITY", phrase.end - phrase.start


def _trim_rests(text: str, phrases: Phrases, cut: Sequence[Phrase], units: Collection[int], language: str) -> Phrases:
    """Leave out the words at the ends of what is left of a phrase that tell nothing: in Graz, wie sein Onkel.

    Of a name or a quantity only names and numbers tell something, of a description all but the small words.
    """
    flags = Lexicon.load(language).flags
    starts, ends = {phrase.start: phrase for phrase in cut}, {phrase.end: phrase for phrase in cut}
    start, end = phrases.start.copy(), phrases.end.copy()
    for place, (first, last) in enumerate(zip(phrases.start.tolist(), phrases.end.tolist(), strict=True)):
        whole = starts.get(first) or ends.get(last)
        if whole is None or first in units:
            continue
        words = list(WORD.finditer(text, first, last))
        if whole.form == "common":
            words = [word for word in words if not flags(word[0].lower()) & SMALL]
        else:
            words = [word for word in words if _has_name_or_number(word[0])]
        start[place], end[place] = (words[0].start(), words[-1].end()) if words else (first, first)
    head_start = np.clip(phrases.head_start, start, end)
    head_end = np.clip(phrases.head_end, start, end)
    is_lost = head_start >= head_end
    head_start, head_end = np.where(is_lost, start, head_start), np.where(is_lost, end, head_end)
    trimmed = replace(phrases, start=start, end=end, head_start=head_start, head_end=head_end)
    return trimmed.select(start < end)


def _has_name_or_number(written: str) -> bool:
    return written != written.lower() or any(map(str.isdecimal, written))


def _covers(text: str, phrases: Phrases, place: int, start: int, end: int) -> bool:
    """Return whether a phrase is a term but for its article, or is longer and no mere term with something beside it."""
    first, last = int(phrases.start[place]), int(phrases.end[place])
    ahead = text[start:first]
    is_article = len(ahead) <= LONGEST_ARTICLE and ahead[:-1].isalpha() and ahead.endswith(" ") and ahead.islower()
    if not ((first <= start or is_article) and last >= end):
        return False
    return (first >= start and last == end) or not _stands_out(text, phrases, place, start, end)


def _stands_out(text: str, phrases: Phrases, place: int, start: int, end: int) -> bool:
    """Return whether a phrase is about a term, a name or number: Night Ferry last week, but not Porto Editora."""
    first, last = int(phrases.start[place]), int(phrases.end[place])
    is_head = first >= start or (start <= phrases.head_start[place] and phrases.head_end[place] <= end)
    before, after = text[first:start], text[end:last].split()
    is_whole = not _has_name_or_number(before) and (not after or after[0].islower())
    return is_head and is_whole and _has_name_or_number(text[start:end])
