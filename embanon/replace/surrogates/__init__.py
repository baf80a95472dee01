"""Make up values of the same type: persons, places, organizations, codes, numbers, what people are.

What stands for a value is chosen by a secret, is the same throughout a text, and stands for no other value there.
Substitutes are false: they hide what is true among what could be.
"""

from __future__ import annotations

from functools import partial

from embanon.document import Phrase
from embanon.entities.entity import folded
from embanon.entities.present import Present
from embanon.replace.surrogates.characteristics import Characteristics
from embanon.replace.surrogates.codes import codes
from embanon.replace.surrogates.keyed import Keyed
from embanon.replace.surrogates.numbers import YEAR, numbers
from embanon.replace.surrogates.organizations import Organizations
from embanon.replace.surrogates.people import People
from embanon.replace.surrogates.places import Places
from embanon.replace.surrogates.words import Taken, is_somebody
from embanon.risk.power import Rarity
from embanon.taxonomy.climb import Climber

__all__ = ["Substitutes", "Taken"]


class Substitutes:
    """What stands for the values of one text."""

    def __init__(
        self, text: str, climber: Climber, rarity: Rarity, keyed: Keyed, taken: Taken, *, valid: bool
    ) -> None:  # fmt: skip
        self._language, self._keyed, self._taken, self._valid = climber.language, keyed, taken, valid
        self._is_dated = bool(YEAR.search(text))
        """Whether it may be reckoned how old somebody is: another age would contradict that."""
        known = partial(is_somebody, rarity=rarity, climber=climber)
        self._people = People(text, climber.language, keyed, taken, known)
        self._places = Places(climber, keyed, taken)
        self._organizations = Organizations(climber.language, keyed, taken, self._places)
        self._characteristics = Characteristics(climber, keyed, taken)

    def of(self, written: str, phrase: Phrase, whose: Present | None = None, full: str = "") -> str | None:
        """Give what stands for a phrase; `None` where nothing of its type can be made up.

        `whose` is the person that it names, `full` the longest name of what it names.
        """
        kind = phrase.kind.partition(".")[2]
        match phrase.type:
            case "PERSON":
                return self._people.of(written, whose)
            case "LOC":
                return self._places.of(written, kind)
            case "ORG":
                return self._people.family(written) or self._organizations.of(written, full or written)
            case "CODE":
                made = codes(written, kind, self._keyed, valid=self._valid)
                return self._taken.first(made, folded(written))
            case "QUANTITY":
                return self._taken.first(numbers(written, self._language, self._keyed), folded(written))
            case "DEM" if kind == "age":
                if self._is_dated:
                    return None
                return self._taken.first(numbers(written, self._language, self._keyed), folded(written))
            case "DEM":
                return self._characteristics.of(written, kind, phrase.form)
            case "MISC":
                return self._places.known(written)
        return None
