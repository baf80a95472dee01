"""Choose what stands instead of each risky phrase: the most specific true generalization that is harmless.

A rung is harmless if its own risk is below the limit: that of a common phrase by the rarity of its words, that of a
name that covers many (a country, a decade) by its rarity alone. Without knowing what an attacker has, what is nearest
to the original is left out, and dates are never finer than a decade. Where no rung is left, the type is said.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

import numpy as np

from embanon.coreference import group
from embanon.document import TYPES, Phrase
from embanon.entities import Entity, distinctive, folded
from embanon.fitting import Fitted, fitted
from embanon.model.keys import key
from embanon.power import Rarity, rarest
from embanon.score import Scored
from embanon.taxonomy.climb import COMPUTED, Climber, Rung
from embanon.taxonomy.computed import Context

METHODS: Final = ("generalize", "suppress", "tag", "mask", "keep")
MARK: Final = "***"
"""What stands for anything that is suppressed: its length says nothing."""
LEFT_OUT: Final = frozenset(("month", "year", "person"))
"""Kinds of rungs that tell a date too well, or that are numbered."""
OF_ITSELF: Final = frozenset(("simpler", "head"))
"""Kinds of rungs of stores that say a part of the phrase itself."""
NEAR: Final = 240
"""Characters before and after a phrase in which what it is may be said."""
SAFE: Final = 0.1
"""The risk of a mark, or of a type."""
WORD: Final = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class Edit:
    """A replacement in a text: `text[start:end]` becomes `replacement`."""

    start: int
    end: int
    replacement: str = field(repr=False)
    risk: float | None
    """Of what stood there; `None` where nothing is known of it."""
    replacement_risk: float
    type: str
    entity: int
    """The number of the entity that it was risky for; -1 where for none."""
    rung: str
    """What was chosen: the kind of the rung, else the method."""
    group: int
    """Shared by phrases that mean the same."""


@dataclass(frozen=True, slots=True)
class Masker:
    """Replaces risky phrases in texts of one language."""

    climber: Climber
    rarity: Rarity
    limit: float
    method: str = "generalize"

    def edits(self, text: str, scored: Scored, sentences: Sequence[int], protect: Sequence[Entity]) -> list[Edit]:
        """Choose the edits of a text, in order and without overlap."""
        risky = np.flatnonzero(scored.at_least(self.limit)).tolist()
        groups = self._groups(text, scored)
        numbers = _numbers(scored, groups, risky)
        forbidden = [word for entity in protect for word in distinctive(entity, self.climber.language)]
        chosen: dict[int, tuple[Rung | None, ...]] = {}
        labels: dict[tuple[str, str], list[int]] = {}
        found: list[Edit] = []
        starts = frozenset(sentences)
        for place in risky:
            phrase = scored.phrases[place]
            of = groups[place]
            if of not in chosen or not any(chosen[of]):
                chosen[of] = self._rungs(text, phrase, forbidden)
            fit = self._replacement(text, phrase, chosen[of], numbers[of], phrase.start in starts)
            same = labels.setdefault((phrase.type, key(fit.text)), [])
            if of not in same:
                same.append(of)
            shown = fit.text
            if len(same) > 1 and fit.counted and same.index(of):
                shown = f"{shown} [{same.index(of) + 1}]"  # another one: two films stay two
            start = max(fit.start, found[-1].end) if found else fit.start
            risk = float(scored.risk[place])
            found.append(Edit(
                start, phrase.end, shown, None if risk != risk else round(risk, 4), fit.risk, phrase.type,
                int(scored.owner[place]), fit.rung, of,
            ))  # fmt: skip
        return found

    def _groups(self, text: str, scored: Scored) -> list[int]:
        """Number phrases so that those that mean the same share a number."""
        phrases = scored.phrases
        names = [(text[one.start : one.end], one.type) for one in phrases]
        found = group(names, self.climber.language)
        for one in scored.people:
            for place in one.phrases:
                found[place] = min(one.phrases)
        return found

    def _rungs(self, text: str, phrase: Phrase, forbidden: Sequence[str]) -> tuple[Rung | None, ...]:
        """Give the harmless rungs of a phrase, most specific first."""
        if self.method != "generalize" or phrase.type == "PERSON":
            return ()
        written = text[phrase.start : phrase.end]
        before = text[max(0, phrase.start - NEAR) : phrase.start].rpartition("\n")[2]
        after = text[phrase.end : phrase.end + NEAR].partition("\n")[0]
        context = Context(before, after, text[phrase.head_start : phrase.head_end])
        rungs = self.climber.climb(written, phrase.type, phrase.kind, phrase.form, context).rungs
        rungs = tuple(rung for rung in rungs if not _left_out(rung))
        telling = [rung for rung in rungs if not rung.bare]
        if len(telling) > 1 and telling[0].source != COMPUTED and _is_name(telling[0].label):
            rungs = tuple(rung for rung in rungs if rung is not telling[0])
        own = self._rarity(written)
        return tuple(rung for rung in rungs if self._is_harmless(rung, own, forbidden))

    def _is_harmless(self, rung: Rung, own: float, forbidden: Sequence[str]) -> bool:
        low = folded(rung.label)
        if any(word in low for word in forbidden):
            return False
        return rung.bare or (self.risk_of(rung.label) < self.limit and self._rarity(rung.label) <= own + SAFE)

    def _rarity(self, label: str) -> float:
        words = " ".join(word for word in WORD.findall(key(label)) if not word[:1].isdecimal())
        found = float(rarest(self.rarity, [words])[0]) if words else 0.3
        return 1.0 if found != found else found

    def risk_of(self, label: str) -> float:
        """Give the risk of a label: half the rarity of its rarest word, as of a common phrase; more of a name."""
        return round(min(1.0, (self._rarity(label) + (SAFE if _is_name(label) else 0.0)) / 2), 4)

    def _replacement(self, text: str, phrase: Phrase, rungs: Sequence[Rung | None], number: int, opens: bool) -> Fitted:
        """Fit what is chosen into its sentence."""
        match self.method:
            case "suppress":
                return Fitted(phrase.start, MARK, "suppress", SAFE)
            case "mask":
                return Fitted(phrase.start, masked(text[phrase.start : phrase.end]), "mask", SAFE)
            case "keep":
                return Fitted(phrase.start, text[phrase.start : phrase.end], "keep", 1.0)
        if phrase.type == "PERSON" and self.method == "generalize":
            return Fitted(phrase.start, f"PERSON {number}", "person", SAFE)
        for rung in rungs if self.method == "generalize" else ():
            if rung and (fit := fitted(text, phrase, rung.label, opens, self.climber.language)):
                return Fitted(
                    fit.start, fit.text, rung.kind, self.risk_of(rung.label), counted=not _is_name(rung.label)
                )
        return Fitted(phrase.start, f"[{phrase.type} {number}]", "tag", SAFE)


def _numbers(scored: Scored, groups: Sequence[int], risky: Sequence[int]) -> dict[int, int]:
    """Number the groups of each type in the order in which they come."""
    seen: Counter[str] = Counter()
    found: dict[int, int] = {}
    for place in risky:
        if groups[place] not in found:
            type = TYPES[scored.phrases.type[place]]
            seen[type] += 1
            found[groups[place]] = seen[type]
    return found


def _left_out(rung: Rung) -> bool:
    return rung.kind in LEFT_OUT or (rung.kind in OF_ITSELF and rung.source != COMPUTED)


def _is_name(label: str) -> bool:
    """Say that a label has a capital behind its article, or a digit."""
    words = label.split()
    words = words[1:] if words and words[0].islower() and len(words) > 1 else words
    return any(word[:1].isupper() or any(map(str.isdecimal, word)) for word in words)


def masked(phrase: str) -> str:
    """Replace letters and digits by signs of their class; what is between stays."""
    return "".join(_signs(phrase))


def _signs(phrase: str) -> Iterator[str]:
    for sign in phrase:
        yield "9" if sign.isdecimal() else "X" if sign.isupper() else "x" if sign.isalpha() else sign
