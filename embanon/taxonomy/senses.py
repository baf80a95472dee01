"""Choose what a phrase means in a store that describes the world at large, as Wikidata does.

Such a store has a concept for nearly every word, most often not the one that is meant: *side* is a half there, *drawer*
a file. A main label goes before aliases, also that of the singular (*women* is *woman*, not *female*); what has a
name is no class; and a common noun must be of a domain that a likely sense of it has in WordNet.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain
from typing import Final

from embanon.language import Cue, Lemmatizer, Lexicon, key, word_share
from embanon.taxonomy.concept import UPWARD_LINKS
from embanon.taxonomy.domains import CHECKED, LISTED, SPOKEN, SYNSETS, VAGUE
from embanon.taxonomy.store import Sense, Store, open_taxonomy

GENERAL: Final = "wikidata"
"""The kind of source, in the card of a store, that describes the world at large."""
REFINED: Final = "refined"
"""The key of the card of a store whose classes were refined (see `domains`)."""
DICTIONARY: Final = "wordnet"
GAZETTEER: Final = "places"
SURE: Final = 0.5
"""The probability that the likeliest place of a name must have."""
REGION: Final = "iso:"
"""How the ids of countries and regions begin."""
BEHIND: Final = re.compile(r", ([A-Z][\w.]*(?: [A-Z]\w+)?)")
NUMBERED: Final = re.compile(r" (?:\d|\((?:18|19|20)\d\d\))")
LAST_WORD: Final = re.compile(r"(\w+),? $")
GOES_ON: Final = re.compile(r" [A-Z][a-z]")
UNSAID: Final = re.compile(r"[/()]")
"""Signs of labels that nobody says: city/town."""
ARTICLE: Final = re.compile(r"(?:The|An?) ")
WITHIN: Final = re.compile(r" (?:of|in) (?:the )?(.+)$")
ALIAS_FACTOR: Final = 0.001
"""How much less likely a concept is meant by an alias, where another has the phrase for its main label."""
PROBABLE: Final = 0.2
"""The share of what a phrase may mean from which it counts: a country is likelier than the constituency of its name."""
LIKELY: Final = 0.1
"""The probability from which a sense of the dictionary counts."""
SHORTEST_ALIAS: Final = 4
"""Letters of a common noun that may be an alias alone: od, pls and Cc are abbreviations of anything."""
MOSTLY: Final = 0.7
"""How likely a common noun must mean something of a domain, by the dictionary, where its type does not tell."""
PLAIN_SHARE: Final = 1e-6
"""The share of all words from which a word is one that people use."""
LONGEST_PLAIN: Final = 3
"""Words of a plain label."""


TYPED: Final = frozenset(("DEM", "ORG", "LOC"))
"""Types of phrases that say of which kind a common noun is."""


def is_general(store: Store) -> bool:
    """Return whether a store describes the world at large, with classes that were refined."""
    return store.card.get(REFINED) is True


@dataclass(frozen=True, slots=True)
class Noun:
    """What the dictionary knows of a common noun: how likely each sense is, what it is under; types, and synonyms."""

    senses: tuple[tuple[float, frozenset[str]], ...] = ()
    types: frozenset[str] = frozenset()
    synonyms: frozenset[str] = frozenset()
    broader: frozenset[str] = frozenset()
    """Labels of what is right above it."""

    def share(self, synsets: frozenset[str]) -> float:
        """Return how likely it means something that is under one of the synsets."""
        return sum(probability for probability, above in self.senses if not above.isdisjoint(synsets))


class SenseScreen:
    """Screens the senses that a general store has of phrases in one language."""

    def __init__(self, language: str) -> None:
        self.language = language
        self._lemma = Lemmatizer.load(language).lemma
        self._lexicon = Lexicon.load(language)
        self.region_in = lru_cache(maxsize=65_536)(self._find_region)
        self.regions = lru_cache(maxsize=65_536)(self._find_regions)
        self.noun = lru_cache(maxsize=65_536)(self._find_noun)
        self.likely_above = lru_cache(maxsize=4_096)(self._find_likely_above)

    def screen(
        self, store: Store, phrase: str, type: str, senses: Sequence[Sense], above: Mapping[int, Iterable[str]],
        *, is_name: bool,
    ) -> list[Sense]:  # fmt: skip
        """Return the senses that are believed; `above` has the ids of each and of what is broader, nearest first."""
        senses = [sense for sense in senses if self._is_written_so(store, sense.concept, phrase, type, is_name=is_name)]
        mains = {sense.concept for sense in senses if self._is_main(store, sense.concept, phrase)}
        if not mains and not is_name and (len(phrase) < SHORTEST_ALIAS or self._has_main_singular(store, phrase)):
            return []
        noun = Noun() if is_name else self.noun(phrase)
        if mains:
            words = noun.synonyms if noun.senses else frozenset[str]()
            senses = [
                sense if sense.concept in mains or key(store.label(sense.concept, self.language) or "") in words
                else Sense(sense.concept, sense.probability * ALIAS_FACTOR)
                for sense in senses
            ]  # fmt: skip
        elif is_name and (phrase.isupper() if type != "MISC" else " " not in phrase):
            return []  # 30 Rock is not The Rock, and an MLA may be somebody
        individuals = [sense for sense in senses if self._is_individual(store, sense.concept)] if is_name else []
        if is_name and not individuals and ARTICLE.match(phrase):
            return []  # The River is a title
        if individuals:
            named = [sense for sense in individuals if sense.concept in mains] if type == "LOC" else individuals
            kinds = {store.type(sense.concept) for sense in named}
            # Who knows if Hulk is the film or who is in it, and which Lincoln is meant, or the film?
            is_vague = type == "MISC" and " " not in phrase if type != "LOC" else self.regions(phrase) is None
            return [] if is_vague and len(kinds) > 1 else _probable(individuals)
        noun = self.noun(phrase)
        if not is_name and not mains:  # an alias is a word for it, or for a kind of it, where the dictionary says so
            words = noun.synonyms | noun.broader
            senses = [sense for sense in senses if key(store.label(sense.concept, self.language) or "") in words]
        if not noun.senses:
            return _probable(senses)
        is_typed = type in noun.types and type in TYPED
        least = LIKELY if is_typed else MOSTLY
        senses = [sense for sense in senses if noun.share(_nearest(above[sense.concept])) >= least]
        if is_typed:  # a chair may be somebody, and then is no furniture
            senses = [sense for sense in senses if store.type(sense.concept) == type]
        return _probable(senses)

    def _find_regions(self, place: str) -> frozenset[str] | None:
        """Return the ids of what a place may be in, or be, by the gazetteer; nothing of one that it does not know.

        `None` of a name that several places have, so that nobody can tell: Springfield.
        """
        gazetteer = open_taxonomy(GAZETTEER)
        senses = gazetteer.senses(place, self.language)
        above = [_all_above(gazetteer, [sense]) for sense in senses if sense.probability >= LIKELY]
        regions = [frozenset(id for id in ids if id.startswith(REGION)) for ids in above]
        if senses and (senses[0].probability < SURE or (regions[0] and not regions[0].intersection(*regions[1:]))):
            return None
        return frozenset(chain.from_iterable(above))

    def is_elsewhere(self, place: str, after: str) -> bool:
        """Return whether a region is named behind a place in which what is mostly called so is not: Rome, New York."""
        region = BEHIND.match(after)
        gazetteer = open_taxonomy(GAZETTEER)
        within = (
            {gazetteer.id(sense.concept) for sense in gazetteer.senses(region[1], self.language)} if region else set()
        )
        senses = gazetteer.senses(place, self.language)
        return bool(within and senses) and within.isdisjoint(_all_above(gazetteer, senses[:1]))

    def is_part(self, type: str, before: str, after: str) -> bool:
        """Return whether a name goes on behind the phrase (Criminal Justice Act), or is no place: the film Georgia."""
        if type != "LOC" or GOES_ON.match(after):
            return bool(GOES_ON.match(after))
        word = LAST_WORD.search(before)
        is_work = word is not None and bool(self._lexicon.flags(word[1]) & Cue.WORK_HEAD)
        return is_work or bool(NUMBERED.match(after))

    def is_town_and_region(self, place: str) -> bool:
        """Return whether both a town and a region are likely meant: New York."""
        gazetteer = open_taxonomy(GAZETTEER)
        likely = [sense for sense in gazetteer.senses(place, self.language) if sense.probability >= LIKELY]
        return len({gazetteer.id(sense.concept).startswith(REGION) for sense in likely}) > 1

    def _find_region(self, label: str) -> str:
        """Return the id of the country or region that a label ends in, a city of the United States; empty of none."""
        place = WITHIN.search(label)
        if not place or not place[1][:1].isupper():
            return ""
        gazetteer = open_taxonomy(GAZETTEER)
        senses = gazetteer.senses(place[1], self.language)
        id = gazetteer.id(senses[0].concept) if senses else ""
        return id if id.startswith(REGION) else ""

    def confirmed_of(
        self, phrase: str, type: str, labels: Mapping[str, bool], *, is_open: bool = True
    ) -> frozenset[str]:
        """Return the labels that are said of a common noun, of labels with whether one is the top of its domain.

        They are what the dictionary has above it, and the top behind that; all, where it does not know the noun. Of
        people that it knows by their last word alone, all if it confirms none but the top, where that `is_open`.
        """
        names, words = {key(phrase), key(self._lemma(phrase))}, self.likely_above(phrase)
        tops = {label for label, is_top in labels.items() if is_top}
        others = {label for label in labels if key(label) not in names} - tops
        sure = {label for label in others if key(label) in words or phrase.endswith(f" {label}")}
        if not words:
            return frozenset(others | tops)
        says_top = any(key(label) in words for label in tops)
        if type == "DEM" and is_open and not sure and says_top and not self.noun(phrase).senses:
            return frozenset(others | tops)
        if type == "DEM":  # a performing artist is an artist
            sure |= {label for label in others if any(other.endswith(f" {label}") for other in sure)}
        return frozenset(sure | tops) if sure or (type in TYPED and says_top) else frozenset()

    def confirmed(self, named: Iterable[str], far: Iterable[str]) -> frozenset[str]:
        """Return the labels that are the noun of what is named so, or that the dictionary has above it."""
        named = tuple(named)
        words = frozenset(chain.from_iterable(map(self.likely_above, named)))
        return frozenset(
            label for label in far if key(label) in words or any(other.endswith(f" {label}") for other in named)
        )

    def _find_likely_above(self, phrase: str) -> frozenset[str]:
        """Return the labels that the dictionary has above what a noun mostly means, and of that itself."""
        dictionary = open_taxonomy(DICTIONARY)
        noun = self.noun(phrase)
        if not noun.senses and " " in phrase:
            noun = self.noun(phrase.split()[-1])
        shares = defaultdict[str, float](float)
        for probability, above in noun.senses:
            concepts = (concept for id in above if (concept := dictionary.find(id)) is not None)
            labels = {key(label) for concept in concepts for label in dictionary.labels(concept, self.language)}
            for label in labels:
                shares[label] += probability
        return frozenset(label for label, share in shares.items() if share >= MOSTLY)

    def plainest(self, store: Store, concept: int, above: Iterable[str]) -> tuple[str, bool] | None:
        """Return the main label of a concept, or an alias of plainer words that nothing else has, and if it is plain.

        `above` has its id and those of what is broader. `None` where nobody would say it, where it says nothing, or
        what the dictionary takes for another thing: manual work is nobody.
        """
        if spoken := SPOKEN.get(store.id(concept), {}).get(self.language):
            return spoken, True
        root = next((id for id in above if id in SYNSETS), "")
        synsets = SYNSETS[root] if root in CHECKED else frozenset()
        labels = [label for label in store.labels(concept, self.language) if self._says(label, synsets)]
        if root in LISTED and self.language == "en":
            labels = [label for label in labels if self.noun(label).share(synsets)]
        if not labels:
            return None
        first = store.label(concept, self.language)
        if labels[0] == first and self._is_plain(first):
            return labels[0], True
        for label in labels:
            is_word = len(label) >= SHORTEST_ALIAS and (self.language == "de" or label.islower())
            if label != first and is_word and self._is_plain(label) and len(store.senses(label, self.language)) == 1:
                return label, True
        return None if labels[0] != first or UNSAID.search(labels[0]) else (labels[0], False)

    def _says(self, label: str, synsets: frozenset[str]) -> bool:
        """Return whether a label says something, of what is under these synsets."""
        words = WITHIN.sub("", label).split()
        if self.language == "en" and not VAGUE.isdisjoint(words):
            return False
        noun = self.noun(words[-1]) if words else Noun()
        return not (noun.senses and synsets) or noun.share(synsets) > 0

    def _is_plain(self, label: str) -> bool:
        place = WITHIN.search(label)
        words = (label[: place.start()] if place and place[1][:1].isupper() else label).split()
        spoken = all(word_share(word, self.language) >= PLAIN_SHARE for word in words)
        return spoken and 0 < len(words) <= LONGEST_PLAIN and label.replace(" ", "").isalpha()

    def _is_main(self, store: Store, concept: int, phrase: str) -> bool:
        return key(store.label(concept, self.language) or "") == key(phrase)

    def _is_written_so(self, store: Store, concept: int, phrase: str, type: str, *, is_name: bool) -> bool:
        """Return whether a label is written as the phrase: a firm is no PLC, and Pop nobody's pop."""
        labels = [label for label in store.labels(concept, self.language) if key(label) == key(phrase)]
        if not is_name:
            return any(not label.isupper() or label == phrase for label in labels)
        if not (phrase.islower() or phrase.isupper() or phrase.istitle() or " " in phrase):
            return phrase in labels  # MoCA is not Moca
        exact = any(label[:1] == phrase[:1] and label.isupper() <= phrase.isupper() for label in labels)
        return exact or (type in TYPED and self._is_main(store, concept, phrase) and labels[0].islower())

    def is_named_so(self, store: Store, concept: int, phrase: str) -> bool:
        """Return whether an individual has exactly this name for its main label, and nothing that others know."""
        if any(open_taxonomy(name).senses(phrase, self.language) for name in (GAZETTEER, DICTIONARY)):
            return False
        return self._is_individual(store, concept) and store.label(concept, self.language) == phrase

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
                types = frozenset(dictionary.type(sense.concept) for sense in senses)
                labels = (dictionary.labels(sense.concept, self.language) for sense in senses)
                links = {link.concept for sense in senses for link in dictionary.broader(sense.concept)}
                broader = (dictionary.labels(concept, self.language) for concept in links)
                above = tuple((sense.probability, _all_above(dictionary, [sense])) for sense in senses)
                return Noun(above, types, frozenset(map(key, chain(*labels))), frozenset(map(key, chain(*broader))))
        return Noun()


def _nearest(ids: Iterable[str]) -> frozenset[str]:
    """Return the synsets that the nearest root of a concept stands for."""
    return next((SYNSETS[id] for id in ids if id in SYNSETS), frozenset())


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
    return sorted((sense for sense in senses if sense.probability >= PROBABLE * total), key=unlikely)


def unlikely(sense: Sense) -> float:
    """Return what senses are sorted by, so that the likeliest is the first."""
    return -sense.probability
