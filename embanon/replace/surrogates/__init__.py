"""Make up values of the same type: persons, places, organizations, codes, numbers, what people are.

What stands for a value is chosen by a secret, is the same throughout a text, and stands for no other value there.
Substitutes are false: they hide what is true among what could be.
"""

from __future__ import annotations

from functools import partial

from embanon.document import Phrase
from embanon.entities import PresentEntity, fold_text
from embanon.replace.surrogates.amounts import YEAR, number_candidates
from embanon.replace.surrogates.characteristics import CharacteristicSubstitutes
from embanon.replace.surrogates.codes import code_candidates
from embanon.replace.surrogates.invented_words import SubstituteRegistry, is_known_name
from embanon.replace.surrogates.keyed import KeyedChoice
from embanon.replace.surrogates.organizations import OrganizationSubstitutes
from embanon.replace.surrogates.people import PersonSubstitutes
from embanon.replace.surrogates.places import PlaceSubstitutes
from embanon.risk import Rarity
from embanon.taxonomy import Climber

__all__ = ["SubstituteRegistry", "Substitutes"]


class Substitutes:
    """What stands for the values of one text."""

    def __init__(
        self, text: str, climber: Climber, rarity: Rarity, keyed: KeyedChoice, taken: SubstituteRegistry, *, valid: bool
    ) -> None:  # fmt: skip
        self._language, self._keyed, self._taken, self._valid = climber.language, keyed, taken, valid
        self._is_dated = bool(YEAR.search(text))
        """Whether it may be reckoned how old somebody is: another age would contradict that."""
        known = partial(is_known_name, rarity=rarity, climber=climber)
        self._people = PersonSubstitutes(text, climber.language, keyed, taken, known)
        self._places = PlaceSubstitutes(climber, keyed, taken)
        self._organizations = OrganizationSubstitutes(climber.language, keyed, taken, self._places)
        self._characteristics = CharacteristicSubstitutes(climber, keyed, taken)

    def substitute_for(
        self, written: str, phrase: Phrase, whose: PresentEntity | None = None, full: str = ""
    ) -> str | None:
        """Return what stands for a phrase; `None` where nothing of its type can be made up.

        `whose` is the person that it names, `full` the longest name of what it names.
        """
        kind = phrase.kind.partition(".")[2]
        match phrase.type:
            case "PERSON":
                return self._people.substitute_for(written, whose)
            case "LOC":
                return self._places.substitute_for(written, kind)
            case "ORG":
                return self._people.family_substitute(written) or self._organizations.substitute_for(
                    written, full or written
                )
            case "CODE":
                made = code_candidates(written, kind, self._keyed, valid=self._valid)
                return self._taken.take_first(made, fold_text(written))
            case "QUANTITY":
                return self._taken.take_first(
                    number_candidates(written, self._language, self._keyed), fold_text(written)
                )
            case "DEM" if kind == "age":
                if self._is_dated:
                    return None
                return self._taken.take_first(
                    number_candidates(written, self._language, self._keyed), fold_text(written)
                )
            case "DEM":
                return self._characteristics.substitute_for(written, kind, phrase.form)
            case "MISC":
                return self._places.existing_substitute(written)
        return None
