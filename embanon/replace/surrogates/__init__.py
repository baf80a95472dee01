"""Make up values of the same type: persons, places, organizations, codes, numbers, dates, what people are.

What stands for a value is chosen by a secret, is the same throughout a text, and stands for no other value there.
Substitutes are false: they hide what is true among what could be.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from hashlib import blake2b

from embanon.document import Phrase
from embanon.entities import Entity, PresentEntity, fold_text
from embanon.replace.checks import SAFE, ForbiddenWords, LabelRisk
from embanon.replace.grammar import FittedLabel, Slot, fit_label
from embanon.replace.grammar.english import article_before
from embanon.replace.methods import KeyedChoice, Methods
from embanon.replace.surrogates.codes import YEAR, code_candidates, number_candidates
from embanon.replace.surrogates.dates import DateShift, agree_with_weekday, choose_days
from embanon.replace.surrogates.fill import GapFiller
from embanon.replace.surrogates.invented_words import SubstituteRegistry, is_known_name
from embanon.replace.surrogates.organizations import OrganizationSubstitutes
from embanon.replace.surrogates.people import PersonSubstitutes
from embanon.replace.surrogates.places import PlaceSubstitutes
from embanon.replace.surrogates.siblings import CharacteristicSubstitutes
from embanon.risk import Rarity
from embanon.taxonomy import Climber, is_day_first

__all__ = ["SubstituteRegistry", "Substitutes"]


class Substitutes:
    """The surrogates of the values of one text."""

    def __init__(
        self, text: str, climber: Climber, rarity: Rarity, keyed: KeyedChoice, taken: SubstituteRegistry, *, valid: bool
    ) -> None:  # fmt: skip
        self._language, self._keyed, self._taken, self._valid = climber.language, keyed, taken, valid
        self._is_dated = bool(YEAR.search(text))
        """Whether it may be reckoned how old somebody is: another age would contradict that."""
        known = partial(is_known_name, rarity=rarity, climber=climber)
        self._people = PersonSubstitutes(text, climber.language, keyed, taken, known)
        self._places = PlaceSubstitutes(climber, keyed, taken)
        self._organizations = OrganizationSubstitutes(keyed, taken, self._places)
        self._characteristics = CharacteristicSubstitutes(climber, keyed, taken)

    def substitute_for(
        self, written: str, phrase: Phrase, whose: PresentEntity | None = None, full: str = ""
    ) -> str | None:
        """Return the surrogate of a phrase; `None` where nothing of its type can be made up.

        `whose` is the person that it names, `full` the longest name of what it names.
        """
        kind = phrase.kind.partition(".")[2]
        match phrase.type:
            case "PERSON":
                return self._people.substitute_for(written, whose)
            case "LOC":
                return self._places.substitute_for(written, kind)
            case "ORG":
                family = self._people.family_substitute(written)
                return family or self._organizations.substitute_for(written, full or written)
            case "CODE":
                made = code_candidates(written, kind, self._keyed, valid=self._valid)
                return self._taken.take_first(made, fold_text(written))
            case "DEM" if kind == "age" and self._is_dated:
                return None
            case "QUANTITY" | "DEM" if phrase.type == "QUANTITY" or kind == "age":
                made = number_candidates(written, self._language, self._keyed)
                return self._taken.take_first(made, fold_text(written))
            case "DEM":
                return self._characteristics.substitute_for(written, kind, phrase.form)
            case "MISC":
                return self._places.existing_substitute(written)
        return None


class Surrogates:
    """Values made up for one text."""

    def __init__(
        self, text: str, methods: Methods, climber: Climber, harmless: LabelRisk, forbidden: ForbiddenWords,
        protect: Sequence[Entity],
    ) -> None:  # fmt: skip
        self._text, self._methods, self._language, self._protect = text, methods, climber.language, protect
        self._harmless, self._forbidden = harmless, forbidden
        taken = SubstituteRegistry(text, forbidden)
        self._substitutes = Substitutes(text, climber, harmless.rarity, methods.keyed, taken, valid=methods.valid)
        near = methods.neighbors
        self._fill = GapFiller(near, climber, harmless, forbidden, taken) if near else None
        self._shifts: dict[int, DateShift] = {}

    def for_slot(
        self, method: str, slot: Slot, owner: int, whose: PresentEntity | None, full: str
    ) -> FittedLabel | None:
        """Return the surrogate in a slot; `None` where the method has nothing true of the type, or safe.

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
        shift = self._shifts.get(owner)
        if shift is None:
            entity = self._protect[owner] if self._protect else None
            whose = entity.names[0] if entity else blake2b(self._text.encode("utf-8", "surrogatepass")).hexdigest()
            days = choose_days(self._methods.keyed, whose, self._methods.shift_days)
            shift = self._shifts[owner] = DateShift(days, self._language, is_day_first(self._text, self._language))
        return shift

    def _adjust_before(self, slot: Slot, made: str, method: str) -> FittedLabel:
        """Change the `a` or `an` before a value where the sound asks for it, or what agrees with a weekday."""
        if method == "shift":
            old, new = agree_with_weekday(slot.before, slot.written, made, self._language)
            if old and len(old) <= slot.editable_before:
                return FittedLabel(slot.phrase.start - len(old), f"{new}{made}", method, SAFE)
        length, article = article_before(slot, made) if self._language == "en" else (0, "")
        was_acronym = slot.phrase.type == "LOC" and slot.written.isupper() and not made.isupper()
        if was_acronym and slot.before.endswith(" the "):
            length = min(len("the "), slot.editable_before)  # the UK, but Spain
        return FittedLabel(slot.phrase.start - length, f"{article}{made}", method, SAFE)
