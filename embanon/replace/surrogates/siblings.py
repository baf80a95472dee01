"""Find concepts beside one in a taxonomy, and make up what people are: another nationality, faith, occupation.

Siblings are of the same kind, about as well known, with a name in the language.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Collection, Iterator
from functools import lru_cache
from itertools import compress
from typing import Final

import numpy as np

from embanon.entities import fold_text
from embanon.language import Cue, Lemmatizer, Lexicon
from embanon.replace.methods import KeyedChoice
from embanon.replace.surrogates.invented_words import SubstituteRegistry
from embanon.taxonomy import LINKS, LOCATED, Climber, Store

KIND_LINKS: Final = ("instance", "subclass", "occupation")
"""Links to what a kind is, the first that a concept has."""
SHARE: Final = 10
"""One over this is the share of a kind, by rank, that is about as well known."""
MIN_SIBLINGS: Final = 24
"""Siblings of which one is chosen, at the least."""
MAX_CONTAINING_PLACES: Final = 12
"""Steps up to a place that a place is in."""

Ranked = tuple[list[int], list[float]]


@lru_cache(maxsize=8)
def _concepts_by_kind(store: Store) -> dict[int, Ranked]:
    """Return the concepts of each kind with their weights, the least known first."""
    narrower, broader, kinds = store.links()
    wanted = np.isin(kinds, [LINKS.index(concept) for concept in KIND_LINKS])
    weights, members = store.weights(), defaultdict[int, list[int]](list)
    for concept, kind in zip(narrower[wanted].tolist(), broader[wanted].tolist(), strict=True):
        members[kind].append(concept)
    for concepts in members.values():
        concepts.sort(key=lambda concept: (float(weights[concept]), concept))
    return {kind: (concepts, [float(weights[concept]) for concept in concepts]) for kind, concepts in members.items()}


@lru_cache(maxsize=256)
def _concepts_in_place(store: Store, kind: int, place: int) -> Ranked:
    """Return the concepts of a kind that lie in a place."""
    members, weights = _concepts_by_kind(store)[kind]
    inside = [any(place in _places_from(store, link.concept) for link in store.broader(one)) for one in members]
    return list(compress(members, inside)), list(compress(weights, inside))


@lru_cache(maxsize=16_384)
def _places_from(store: Store, place: int) -> frozenset[int]:
    return frozenset((place, *containing_places(store, place)))


def towns_of(store: Store, country: str) -> list[int]:
    """Return the towns of a country by its id, those that are known best."""
    kind, place = store.find("kind:town"), store.find(country)
    towns = [] if kind is None or place is None else _concepts_in_place(store, kind, place)[0]
    return towns[-max(len(towns) // 3, 1) :]


def siblings(
    store: Store, concept: int, keyed: KeyedChoice, name: str, *, within: int | None = None, alike: bool = True
) -> Iterator[int]:  # fmt: skip
    """Choose concepts of the kind of one; `alike` those about as well known, `within` those that lie in a place."""
    kind = next((link.concept for above in KIND_LINKS for link in store.broader(concept) if link.kind == above), None)
    if kind is None:
        return
    members, weights = (
        _concepts_by_kind(store).get(kind, ([], [])) if within is None else _concepts_in_place(store, kind, within)
    )
    if alike:
        place = bisect_left(weights, float(store.weights()[concept]))
        reach = max(len(members) // SHARE, MIN_SIBLINGS) // 2
        low = max(min(place - reach, len(members) - 2 * reach), 0)
        members = members[low : low + 2 * reach + 1]
    chosen = keyed.choices(f"sibling.{store.id(kind)}", name, members)
    yield from (one for one in chosen if one != concept)


def likeliest_concept(climber: Climber, phrase: str, type: str, form: str = "name") -> tuple[Store, int] | None:
    """Return the concept that a phrase most likely means."""
    senses = climber.climb(phrase, type, "", form).senses
    if not senses:
        return None
    source, id, _ = max(senses, key=lambda sense: sense[2])
    store = climber.stores[source]
    concept = store.find(id)
    return None if concept is None else (store, concept)


def containing_places(store: Store, concept: int) -> Collection[int]:
    """Return the places that a place lies in, the nearest first."""
    places, waiting = dict[int, None](), [concept]
    while waiting and len(places) < MAX_CONTAINING_PLACES:
        for link in store.broader(waiting.pop(0)):
            if link.kind == LOCATED and link.concept not in places:
                places[link.concept] = None
                waiting.append(link.concept)
    return places


CUES: Final = {
    "nationality": int(Cue.NATIONALITY), "language": int(Cue.LANGUAGE | Cue.NATIONALITY), "group": int(Cue.DEM),
    "role": int(Cue.ROLE),
}  # fmt: skip
"""Kinds of which there are siblings -> what a sibling must be known as."""
UNINFLECTED: Final = ("language",)
"""Kinds whose words need no gender and case where there is one."""


class CharacteristicSubstitutes:
    """One substitute for each characteristic of a text."""

    def __init__(self, climber: Climber, keyed: KeyedChoice, taken: SubstituteRegistry) -> None:
        self._climber, self._keyed, self._taken = climber, keyed, taken
        self._lemma = Lemmatizer.load(climber.language).lemma
        self._lexicon = Lexicon.load(climber.language)
        self._known: dict[str, str | None] = {}

    def substitute_for(self, written: str, kind: str, form: str) -> str | None:
        """Return a label of a sibling: a noun in the singular, or an adjective, to be fitted into its sentence."""
        if kind not in CUES or (self._climber.language != "en" and kind not in UNINFLECTED):
            return None
        first, space, last = fold_text(written).rpartition(" ")
        low = f"{first}{space}{self._lemma(last)}"  # two oboists are what an oboist is
        if low not in self._known:
            self._known[low] = self._taken.take_first(self._siblings(written, low, kind, form), low)
        return self._known[low]

    def _siblings(self, written: str, low: str, kind: str, form: str) -> Iterator[str]:
        concept = likeliest_concept(self._climber, written, "DEM", form)
        if concept is None:
            return
        store, original = concept
        own_flags = self._lexicon.flags(written) & (Cue.NATIONALITY | Cue.LANGUAGE)
        plural = kind == "nationality" and low != fold_text(written)  # of an adjective there is none: only Norwegians
        for sibling in siblings(store, original, self._keyed, low, alike=kind != "role"):
            label = store.label(sibling, self._climber.language) or ""
            flags = self._lexicon.flags(label)
            if own_flags & ~flags:  # whoever speaks Welsh does not speak Ugandan
                continue
            if label.isalpha() and flags & CUES[kind] and (label.endswith("an") or not plural):
                yield label
