"""What a phrase tells of somebody: its attribute, by its kind; and how authors and their attributes add up."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final

from embanon.entities import fold_text
from embanon.language import key, words_of
from embanon.leak.exposure.authored import Author
from embanon.leak.misuse import combined_risk
from embanon.risk import confidential_category

ATTRIBUTES: Final = {
    "PERSON": "name", "DEM.age": "age", "LOC.address": "address", "LOC.postcode": "address",
    "LOC": "place", "CODE.phone": "contact", "CODE.e-mail": "contact", "CODE.url": "contact", "CODE.handle": "contact",
    "CODE": "number", "ORG.school": "education", "DEM.education": "education", "ORG": "organization",
    "DEM.role": "work", "DEM.kin": "family", "DEM.status": "family", "QUANTITY.money": "money",
    "QUANTITY": "amount", "DATETIME": "date", "DEM": "trait", "MISC": "life",
}  # fmt: skip
"""What kinds of phrases tell of somebody, or else their types; what is confidential goes before."""
FAMILY: Final = "family"
MAX_EVIDENCE: Final = 5
"""Places that are kept of an attribute, the most certain ones."""
LEAST_LEFT: Final = 1e-6
"""What is left to be known at least, so that bits are counted."""
MAX_ATTRIBUTES: Final = 5_000
"""Attributes that are kept of an author; of more the most telling."""


def attribute_of(kind: str) -> str:
    """Return what a phrase of a kind, as DEM.age, tells of whom it speaks."""
    type = kind.partition(".")[0]
    return confidential_category(kind) or ATTRIBUTES.get(kind) or ATTRIBUTES[type]


@dataclass(frozen=True, slots=True)
class Place:
    """Where somebody discloses something, and how certain that is."""

    document: str
    start: int
    end: int
    certainty: float
    day: str | None = None
    text: str = field(default="", repr=False)

    @property
    def rank(self) -> tuple[float, str, str, int]:
        """Return what places are ordered by: the most certain first, then the earliest."""
        return -self.certainty, self.day or "9", self.document, self.start


@dataclass(slots=True)
class Disclosed:
    """One thing that an author has disclosed, over all texts."""

    attribute: str
    of_family: bool
    confidential: bool
    is_own_name: bool = False
    """Whether it is by what the author is known anyhow: their name or address."""
    is_direct: bool = False
    certainty: float = 0.0
    """How certain it is that it speaks of the author."""
    risk: float = 0.0
    """How likely it helps to single the author out, as far as it is theirs."""
    times: int = 0
    texts: int = 0
    since: str | None = None
    until: str | None = None
    places: list[Place] = field(default_factory=list, repr=False)
    _last_text: str = field(default="", repr=False)

    @property
    def label(self) -> str:
        """Return what it is, and whether it is of the family."""
        return f"{self.attribute} of the family" if self.of_family and self.attribute != FAMILY else self.attribute

    def add(self, place: Place, risk: float, *, is_direct: bool) -> None:
        """Count another place where it stands."""
        self.times += 1
        self.texts += place.document != self._last_text
        self._last_text = place.document
        self.certainty, self.risk = max(self.certainty, place.certainty), max(self.risk, risk)
        self.is_direct = self.is_direct or is_direct
        if place.day:
            self.since, self.until = min(self.since or place.day, place.day), max(self.until or place.day, place.day)
        self._keep([*self.places, place])

    def merge(self, other: Disclosed) -> None:
        """Add what another name of the author has disclosed."""
        self.times, self.texts = self.times + other.times, self.texts + other.texts
        self.certainty, self.risk = max(self.certainty, other.certainty), max(self.risk, other.risk)
        self.is_direct = self.is_direct or other.is_direct
        self.since = min(filter(None, (self.since, other.since)), default=None)
        self.until = max(filter(None, (self.until, other.until)), default=None)
        self._keep([*self.places, *other.places])

    def _keep(self, places: Iterable[Place]) -> None:
        self.places = sorted(places, key=lambda place: place.rank)[:MAX_EVIDENCE]


DisclosedKey = tuple[str, bool, str]
"""The attribute, whether it is the family's, and its words."""


def disclosed_key(attribute: str, written: str, *, of_family: bool, is_own_name: bool) -> DisclosedKey:
    """Return what tells distinct attributes apart: their words; all names of the author are one."""
    return attribute, of_family, "" if is_own_name else " ".join(words_of(key(written))) or fold_text(written)


@dataclass(slots=True)
class AuthorExposure:
    """What an author has disclosed of themself."""

    author: Author
    texts: int = 0
    characters: int = 0
    since: str | None = None
    until: str | None = None
    disclosed: dict[DisclosedKey, Disclosed] = field(default_factory=dict, repr=False)

    @property
    def exposure(self) -> float:
        """Return how likely all of it together singles the author out, without their names: `1 - Π (1 - risk)`."""
        return combined_risk(self._risks())

    @property
    def bits(self) -> float:
        """Return the same as a sum that does not end at 1, by which authors are ranked."""
        return sum(-math.log2(max(1 - risk, LEAST_LEFT)) for risk in self._risks())

    def _risks(self) -> list[float]:
        return [one.risk for one in self.disclosed.values() if not one.is_own_name]

    @property
    def direct(self) -> int:
        """Count what singles out alone."""
        return sum(one.is_direct for one in self.disclosed.values())

    @property
    def quasi(self) -> int:
        """Count what helps to single out, together with the rest."""
        return sum(not one.is_direct for one in self.disclosed.values())

    @property
    def confidential(self) -> tuple[str, ...]:
        """Return which confidential attributes are disclosed, of the author or of the family."""
        return tuple(sorted({one.label for one in self.disclosed.values() if one.confidential}))

    def ranked(self) -> list[Disclosed]:
        """Return what is disclosed, the most telling first."""
        return sorted(
            self.disclosed.values(),
            key=lambda one: (-one.risk, -one.times, one.attribute, one.of_family, one.places[0].rank),
        )

    def count_text(self, characters: int, day: str | None) -> None:
        """Count a text."""
        self.texts, self.characters = self.texts + 1, self.characters + characters
        if day:
            self.since, self.until = min(self.since or day, day), max(self.until or day, day)

    def add(
        self, key: DisclosedKey, place: Place, risk: float, *, is_direct: bool, confidential: bool, is_own_name: bool
    ) -> None:  # fmt: skip
        """Add a place where something is disclosed."""
        known = self.disclosed.get(key)
        if known is None:
            if len(self.disclosed) >= 2 * MAX_ATTRIBUTES:
                self._drop_weakest()
            known = self.disclosed[key] = Disclosed(key[0], key[1], confidential, is_own_name)
        known.add(place, risk, is_direct=is_direct)

    def _drop_weakest(self) -> None:
        kept = sorted(self.disclosed.items(), key=lambda item: -item[1].risk)[:MAX_ATTRIBUTES]
        self.disclosed = dict(kept)

    def merge(self, other: AuthorExposure) -> None:
        """Add what is known under another name of the author."""
        self.texts, self.characters = self.texts + other.texts, self.characters + other.characters
        self.since = min(filter(None, (self.since, other.since)), default=None)
        self.until = max(filter(None, (self.until, other.until)), default=None)
        for known, disclosed in other.disclosed.items():
            if known in self.disclosed:
                self.disclosed[known].merge(disclosed)
            else:
                self.disclosed[known] = disclosed
