"""What stands instead of the phrases of one text by methods that make up a value: substitutes, shifts, fills."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from hashlib import blake2b

from embanon.entities import Entity, PresentEntity
from embanon.replace.checks import SAFE, ForbiddenWords, LabelRisk
from embanon.replace.grammar import FittedLabel, Slot, fit_label
from embanon.replace.grammar.english import article_before
from embanon.replace.methods import Methods
from embanon.replace.surrogates import SubstituteRegistry, Substitutes
from embanon.replace.surrogates.dates import DateShift, agree_with_weekday, choose_days, is_day_first
from embanon.replace.surrogates.fill import GapFiller
from embanon.taxonomy import Climber


class Surrogates:
    """Makes values up for one text."""

    def __init__(
        self, text: str, methods: Methods, climber: Climber, harmless: LabelRisk, forbidden: ForbiddenWords,
        protect: Sequence[Entity],
    ) -> None:  # fmt: skip
        self._text, self._methods, self._language, self._protect = text, methods, climber.language, protect
        self._harmless, self._forbidden = harmless, forbidden
        taken = SubstituteRegistry(text, forbidden)
        self._substitutes = Substitutes(
            text, climber, harmless.rarity, methods.keyed, taken, valid=methods.valid
        )  # fmt: skip
        near = methods.neighbors
        self._fill = GapFiller(near, climber, harmless, forbidden, taken) if near else None
        self._shifts: dict[int, DateShift] = {}

    def for_slot(
        self, method: str, slot: Slot, owner: int, whose: PresentEntity | None, full: str
    ) -> FittedLabel | None:
        """Return what stands in a slot; `None` where the method has nothing true of the type, or safe.

        `owner` is the number of the entity that the phrase speaks of, `whose` the person that it names, and `full` the
        longest name of what it names.
        """
        phrase = slot.phrase
        kind = phrase.kind.partition(".")[2]
        if method == "fill":
            label = self._fill.neighbor_for(slot.written, phrase) if self._fill else None
            fit = fit_label(slot, label, self._language) if label else None
            return replace(fit, rung=method, risk=self._harmless.risk(label or "")) if fit else None
        if phrase.type == "DATETIME":
            made = self._shift_for(owner).apply(slot.written, kind)
        elif method == "substitute":
            made = self._substitutes.substitute_for(slot.written, phrase, whose, full)
        else:
            return None
        if made is None or self._forbidden.matches(made):
            return None
        method = "shift" if phrase.type == "DATETIME" else method
        if phrase.type == "DEM" and kind != "age":
            fit = fit_label(slot, made, self._language)
            return replace(fit, rung=method, risk=SAFE) if fit else None
        return self._adjust_before(slot, made, method)

    def _shift_for(self, owner: int) -> DateShift:
        """Return the shift of an entity; where a phrase speaks of none, that of the first, or of the text alone."""
        owner = min(max(owner, 0), len(self._protect) - 1)
        found = self._shifts.get(owner)
        if found is None:
            one = self._protect[owner] if self._protect else None
            whose = one.names[0] if one else blake2b(self._text.encode("utf-8", "surrogatepass")).hexdigest()
            days = choose_days(self._methods.keyed, whose, self._methods.shift_days)
            found = self._shifts[owner] = DateShift(days, self._language, is_day_first(self._text, self._language))
        return found

    def _adjust_before(self, slot: Slot, made: str, method: str) -> FittedLabel:
        """Change the `a` or `an` before a value where the sound asks for it, or what agrees with a weekday."""
        if method == "shift":
            old, new = agree_with_weekday(slot.before, slot.written, made, self._language)
            if old and len(old) <= slot.editable_before:
                return FittedLabel(slot.phrase.start - len(old), f"{new}{made}", method, SAFE)
        length, article = article_before(slot, made) if self._language == "en" else (0, "")
        return FittedLabel(slot.phrase.start - length, f"{article}{made}", method, SAFE)
