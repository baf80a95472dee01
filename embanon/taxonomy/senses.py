"""Choose what a phrase means in a store that describes the world at large, as Wikidata does.

Such a store has a concept for nearly every word, most often not the one that is meant: *side* is a half there, *drawer*
a file. A main label goes before aliases, also that of the singular (*women* is *woman*, not *female*); what has a
name is no class; and a common noun must be of a domain that a likely sense of it has in WordNet.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from embanon.language import Lemmatizer, key, word_share
from embanon.taxonomy.concept import UPWARD_LINKS
from embanon.taxonomy.domains import SYNSETS
from embanon.taxonomy.store import Sense, Store, open_taxonomy

GENERAL: Final = "wikidata"
"""The kind of source, in the card of a store, whose classes were refined (see `domains`)."""
DICTIONARY: Final = "wordnet"
GAZETTEER: Final = "places"
SURE: Final = 0.5
"""The probability that the likeliest place of a name must have."""
REGION: Final = "iso:"
"""How the ids of countries and regions begin."""
UNSAID: Final = re.compile(r"[/()]")
"""Signs of labels that nobody says: city/town."""
WITHIN: Final = re.compile(r" (?:of|in) (?:the )?(.+)$")
ALIAS_FACTOR: Final = 0.001
"""How much less likely a concept is meant by an alias, where another has the phrase for its main label."""
PROBABLE: Final = 0.2
"""The share of what a phrase may mean from which it counts: a country is likelier than the constituency of its name."""
LIKELY: Final = 0.1
"""The probability from which a sense of the dictionary counts."""
SHORTEST_ALIAS: Final = 4
"""Letters of a common noun that may be an alias alone: od, pls and Cc are abbreviations of anything."""
PLAIN_SHARE: Final = 1e-6
"""The share of all words from which a word is one that people use."""
LONGEST_PLAIN: Final = 3
"""Words of a plain label."""


TYPED: Final = frozenset(("DEM", "ORG", "LOC"))
"""Types of phrases that say of which kind a common noun is."""


def is_general(store: Store) -> bool:
    """Return whether a store describes the world at large, with classes that were refined."""
    kinds = store.card.get("kinds")
    return isinstance(kinds, list) and GENERAL in kinds


@dataclass(frozen=True, slots=True)
class Noun:
    """What the dictionary knows of a common noun: what its senses are under, and the likely ones, and their types."""

    synsets: frozenset[str] = frozenset()
    likely: frozenset[str] = frozenset()
    types: frozenset[str] = frozenset()
    synonyms: frozenset[str] = frozenset()


class SenseScreen:
    """Screens the senses that a general store has of phrases in one language."""

    def __init__(self, language: str) -> None:
        self.language = language
        self._lemma = Lemmatizer.load(language).lemma
        self.region_in = lru_cache(maxsize=65_536)(self._find_region)
        self.regions = lru_cache(maxsize=65_536)(self._find_regions)
        self.noun = lru_cache(maxsize=65_536)(self._find_noun)

    def screen(
        self, store: Store, phrase: str, type: str, senses: Sequence[Sense], above: Mapping[int, Iterable[str]],
        *, is_name: bool,
    ) -> list[Sense]:  # fmt: skip
        """Return the senses that are believed; `above` has the ids of each concept and of what is broader, nearest first."""
        senses = [sense for sense in senses if self._is_written_so(store, sense.concept, phrase, type, is_name=is_name)]
        mains = {sense.concept for sense in senses if self._is_main(store, sense.concept, phrase)}
        if not mains and not is_name and (len(phrase) < SHORTEST_ALIAS or self._has_main_singular(store, phrase)):
            return []
        if mains:
            senses = [
                sense if sense.concept in mains else Sense(sense.concept, sense.probability * ALIAS_FACTOR)
                for sense in senses
            ]
        individuals = [sense for sense in senses if self._is_individual(store, sense.concept)] if is_name else []
        if individuals:
            return _probable(individuals)
        noun = self.noun(phrase)
        if not is_name and not mains:  # an alias is a word for it where the dictionary says so
            senses = [sense for sense in senses if key(store.label(sense.concept, self.language) or "") in noun.synonyms]
        if not noun.synsets:
            return _probable(senses)
        known = noun.synsets if type in noun.types and type in TYPED else noun.likely
        senses = [sense for sense in senses if self._agrees(above[sense.concept], known)]
        if type in noun.types and type in TYPED:  # a chair may be somebody, and then is no furniture
            senses = [sense for sense in senses if store.type(sense.concept) == type]
        return _probable(senses)

    def _find_regions(self, place: str) -> frozenset[str] | None:
        """Return the ids of what a place may be in, or be, by the gazetteer; nothing of one that it does not know.

        `None` of a name that so many places have that nobody can tell: Springfield.
        """
        gazetteer = open_taxonomy(GAZETTEER)
        senses = gazetteer.senses(place, self.language)
        if senses and senses[0].probability < SURE:
            return None
        return _all_above(gazetteer, [sense for sense in senses if sense.probability >= LIKELY])

    def _find_region(self, label: str) -> str:
        """Return the id of the country or region that a label ends in, a city of the United States; empty of none."""
        place = WITHIN.search(label)
        if not place or not place[1][:1].isupper():
            return ""
        gazetteer = open_taxonomy(GAZETTEER)
        senses = gazetteer.senses(place[1], self.language)
        id = gazetteer.id(senses[0].concept) if senses else ""
        return id if id.startswith(REGION) else ""

    def plainest(self, store: Store, concept: int) -> tuple[str, bool] | None:
        """Return the main label of a concept, or an alias of plainer words that nothing else has, and if it is plain.

        `None` where nobody would say it.
        """
        labels = store.labels(concept, self.language)
        if not labels:
            return None
        if self._is_plain(labels[0]):
            return labels[0], True
        for label in labels[1:]:
            is_word = len(label) >= SHORTEST_ALIAS and (self.language == "de" or label.islower())
            if is_word and self._is_plain(label) and len(store.senses(label, self.language)) == 1:
                return label, True
        return None if UNSAID.search(labels[0]) else (labels[0], False)

    def _is_plain(self, label: str) -> bool:
        words = label.split()
        spoken = all(word_share(word, self.language) >= PLAIN_SHARE for word in words)
        return spoken and len(words) <= LONGEST_PLAIN and label.replace(" ", "").isalpha()

    def _is_main(self, store: Store, concept: int, phrase: str) -> bool:
        return key(store.label(concept, self.language) or "") == key(phrase)

    def _is_written_so(self, store: Store, concept: int, phrase: str, type: str, *, is_name: bool) -> bool:
        """Return whether a label is written as the phrase: a firm is no PLC, and Pop nobody's pop."""
        labels = [label for label in store.labels(concept, self.language) if key(label) == key(phrase)]
        if not is_name:
            return any(not label.isupper() or label == phrase for label in labels)
        exact = any(label[:1] == phrase[:1] and label.isupper() <= phrase.isupper() for label in labels)
        return exact or (type in TYPED and self._is_main(store, concept, phrase) and labels[0].islower())

    def _is_individual(self, store: Store, concept: int) -> bool:
        is_class = any(link.kind == "subclass" for link in store.broader(concept))
        return not is_class and not (store.label(concept, self.language) or "").islower()

    def _has_main_singular(self, store: Store, phrase: str) -> bool:
        *first, last = phrase.split()
        singular = " ".join((*first, self._lemma(last)))
        if key(singular) == key(phrase):
            return False
        return any(self._is_main(store, sense.concept, singular) for sense in store.senses(singular, self.language))

    def _find_noun(self, phrase: str) -> Noun:
        """Return what the dictionary knows of a common noun; nothing of names."""
        dictionary = open_taxonomy(DICTIONARY)
        for written in dict.fromkeys((phrase, self._lemma(phrase))):
            senses = [
                sense for sense in dictionary.senses(written, self.language)
                if self.language == "de" or not (dictionary.label(sense.concept, self.language) or "")[:1].isupper()
            ]  # fmt: skip
            if senses:
                likely = [sense for sense in senses if sense.probability >= LIKELY]
                types = frozenset(dictionary.type(sense.concept) for sense in senses)
                synonyms = {key(label) for sense in senses for label in dictionary.labels(sense.concept, self.language)}
                return Noun(_all_above(dictionary, senses), _all_above(dictionary, likely), types, frozenset(synonyms))
        return Noun()

    @staticmethod
    def _agrees(ids: Iterable[str], synsets: frozenset[str]) -> bool:
        """Return whether the nearest root of a concept stands for a domain that the dictionary knows of the phrase."""
        nearest = next((SYNSETS[id] for id in ids if id in SYNSETS), frozenset[str]())
        return not nearest.isdisjoint(synsets)


def _all_above(store: Store, senses: Iterable[Sense]) -> frozenset[str]:
    """Return the ids of concepts, and of all that is above them."""
    above, waiting = set[str](), [sense.concept for sense in senses]
    while waiting:
        id = store.id(concept := waiting.pop())
        if id not in above:
            above.add(id)
            waiting += [link.concept for link in store.broader(concept) if link.kind in UPWARD_LINKS]
    return frozenset(above)


def _probable(senses: Sequence[Sense]) -> list[Sense]:
    """Return the senses that may be meant, the likeliest first."""
    total = sum(sense.probability for sense in senses)
    return sorted((sense for sense in senses if sense.probability >= PROBABLE * total), key=_unlikely)


def _unlikely(sense: Sense) -> float:
    return -sense.probability
