"""What stands instead of the phrases of one text by methods that make up a value: substitutes, shifts, fills."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from hashlib import blake2b

from embanon.entities.entity import Entity
from embanon.entities.present import Present
from embanon.replace.checks import SAFE, Forbidden, Harmless
from embanon.replace.grammar import A_OR_AN, Fitted, Slot, fitted, is_vowel
from embanon.replace.methods import Methods
from embanon.replace.surrogates import Substitutes, Taken
from embanon.replace.surrogates.dates import Shift, agreeing, days_of, is_day_first
from embanon.replace.surrogates.fill import Fill
from embanon.taxonomy.climb import Climber


class Instead:
    """Makes values up for one text."""

    def __init__(
        self, text: str, methods: Methods, climber: Climber, harmless: Harmless, forbidden: Forbidden,
        protect: Sequence[Entity],
    ) -> None:  # fmt: skip
        self._text, self._methods, self._language, self._protect = text, methods, climber.language, protect
        self._harmless, self._forbidden = harmless, forbidden
        taken = Taken(text, forbidden)
        self._substitutes = Substitutes(
            text, climber, harmless.rarity, methods.keyed, taken, valid=methods.valid
        )  # fmt: skip
        near = methods.neighbors
        self._fill = Fill(near, climber, harmless, forbidden, taken) if near else None
        self._shifts: dict[int, Shift] = {}

    def of(self, method: str, slot: Slot, owner: int, whose: Present | None, full: str) -> Fitted | None:
        """Give what stands in a slot; `None` where the method has nothing true of the type, or safe.

        `owner` is the number of the entity that the phrase speaks of, `whose` the person that it names, and `full` the
        longest name of what it names.
        """
        phrase = slot.phrase
        kind = phrase.kind.partition(".")[2]
        if method == "fill":
            label = self._fill.of(slot.written, phrase) if self._fill else None
            fit = fitted(slot, label, self._language) if label else None
            return replace(fit, rung=method, risk=self._harmless.risk(label or "")) if fit else None
        if phrase.type == "DATETIME":
            made = self._shift(owner).of(slot.written, kind)
        elif method == "substitute":
            made = self._substitutes.of(slot.written, phrase, whose, full)
        else:
            return None
        if made is None or self._forbidden.has(made):
            return None
        method = "shift" if phrase.type == "DATETIME" else method
        if phrase.type == "DEM" and kind != "age":
            fit = fitted(slot, made, self._language)
            return replace(fit, rung=method, risk=SAFE) if fit else None
        return self._agreeing(slot, made, method)

    def _shift(self, owner: int) -> Shift:
        """Give the shift of an entity; where a phrase speaks of none, that of the first, or of the text alone."""
        owner = min(max(owner, 0), len(self._protect) - 1)
        found = self._shifts.get(owner)
        if found is None:
            one = self._protect[owner] if self._protect else None
            whose = one.names[0] if one else blake2b(self._text.encode("utf-8", "surrogatepass")).hexdigest()
            days = days_of(self._methods.keyed, whose, self._methods.shift_days)
            found = self._shifts[owner] = Shift(days, self._language, is_day_first(self._text, self._language))
        return found

    def _agreeing(self, slot: Slot, made: str, method: str) -> Fitted:
        """Change the `a` or `an` before a value where the sound asks for it, or what agrees with a weekday."""
        if self._language == "pt" and method == "shift":
            old, new = agreeing(slot.before, slot.written, made)
            if old and len(old) <= slot.free:
                return Fitted(slot.phrase.start - len(old), f"{new}{made}", method, SAFE)
        found = A_OR_AN.search(slot.before) if self._language == "en" else None
        right = "an" if is_vowel(made) else "a"
        if not found or found[1].lower() == right or len(found[0]) > slot.free:
            return Fitted(slot.phrase.start, made, method, SAFE)
        article = right.capitalize() if found[1][0].isupper() else right
        return Fitted(slot.phrase.start - len(found[0]), f"{article}{found[2]}{made}", method, SAFE)
