"""Draw lists of head words (roles, kin, places, works …) from WordNet's nouns and their translations."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from wordfreq import zipf_frequency

from embanon.language.inflection import inflect_adjective, inflect_noun
from embanon.language.lexicon import Cue, fold_name
from ontologies.build.wordnet_files import by_lemma, sense_counts, senses, synsets

ROOTS: Final[Mapping[Cue, str]] = {
    Cue.ROLE: "worker.1 professional.1 leader.1 entertainer.1 creator.2 expert.1 scientist.1 intellectual.1 "
    "contestant.1 communicator.1 spiritual_leader.1 official.1 serviceman.1 criminal.1 learner.1 educator.1 "
    "negotiator.1 businessperson.1 manager.1 employee.1 adjudicator.1 representative.1 combatant.1 head.4 "
    "aristocrat.1 ruler.1 traveler.1 litigant.1 health_professional.1 student.1 athlete.1 advocate.1 "
    "prisoner.1 observer.2 user.1",
    Cue.KIN: "relative.1 spouse.1 lover.1",
    Cue.HEALTH: "illness.1 ill_health.1 symptom.1 injury.1 mental_disorder.1 disability.1",
    Cue.PLACE_HEAD: "body_of_water.1 geological_formation.1 thoroughfare.1 district.1 island.1 road.1 "
    "land_mass.1 settlement.6 municipality.1 municipality.2",
    Cue.ORG_HEAD: "institution.1 administrative_unit.1 musical_organization.1 company.1 military_unit.1 "
    "team.1 government.1 legislature.1 court.1 political_unit.1 religion.2 union.1 school.1 school.2 "
    "hospital.1 church.2 museum.1",
    Cue.WORK_HEAD: "musical_composition.1 literary_composition.1 movie.1 show.3 periodical.1 book.1 "
    "dramatic_composition.1 broadcast.2 poem.1 picture.1 sculpture.1",
    Cue.EVENT_HEAD: "war.1 contest.1 festival.1 meeting.1 military_action.1 disaster.1 misfortune.1 ceremony.1",
    Cue.AWARD_HEAD: "award.2",
    Cue.LAW_HEAD: "legal_document.1 law.2 statute.1 agreement.1",
    Cue.UNIT: "linear_unit.1 area_unit.1 volume_unit.1 mass_unit.1 power_unit.1 temperature_unit.1 "
    "electromagnetic_unit.1 computer_memory_unit.1 pressure_unit.1 work_unit.1",
    Cue.CURRENCY: "monetary_unit.1",
    Cue.NATIONALITY: "inhabitant.1",
    Cue.DEM: "religious_person.1 religionist.1 follower.1",
    Cue.LANGUAGE: "natural_language.1",
}
"""For each cue the senses (`lemma.number`) whose hyponyms are its head words."""

SHARE: Final = 0.5
"""How much of a lemma's use must lie under a root."""

FREQUENT: Final[Mapping[Cue, float]] = {Cue.ROLE: 1.3, Cue.UNIT: 2.0, Cue.NATIONALITY: 1.5, Cue.LANGUAGE: 2.0}
"""The least Zipf frequency of a head word; 2.0 where no other is said."""

DROPPED: Final = """
    act add ahne ahnen alto anna babe ban bank batman beau bebe ben bit blues brief burn burns can check
    cinco close cold creep creeps curio dear dentista doe domestic dorian double draw federal fellow fifth
    finger foot founder france frau general gente gothic grande gut guy habitante harm haupt henry
    heredero hin hombre homem human individuo jerry johnny julio kopf leider leute lieb liebe lieber line
    lisa look main maior major man mann manual mark mayor mejor melhor menor mensch mick mickey mill mine
    minor mujer mulher mundo nachfolger native northern northerner option order pain papa país penny
    pequeno pequeño permit person persona pessoa point pole pop povo private pueblo put quarter real rebel
    regular responsable responsável return rick romeo ron rule run rush rutherford same seat second see
    sent set short smart smoke som spot spots star steady sting stroke superman thing torre torres wale
    wales welt western will woman won wop world
"""
"""Lemmas whose head-word sense is not the one that texts mean, seen among the most frequent words."""

ENDINGS: Final[Mapping[str, tuple[str, ...]]] = {
    "en": ("er", "or", "ist", "ian", "man", "woman", "person"),
    "es": ("or", "ero", "ista", "ólogo", "ante", "ario"),
    "pt": ("or", "eiro", "ista", "ólogo", "ante", "ário"),
    "de": ("er", "ist", "or", "loge", "ent", "ant", "mann", "frau"),
}
"""With these endings any noun for a person is a role."""

NAME_CUES: Final = frozenset({Cue.NATIONALITY, Cue.DEM, Cue.LANGUAGE})
"""Cues of which only senses with a capitalized English lemma count."""


@dataclass(frozen=True, slots=True)
class Nouns:
    """The nouns of a WordNet folder: who is under whom, and the weight of each sense of each lemma."""

    hyponyms: Mapping[str, tuple[str, ...]]
    weights: Mapping[str, Mapping[str, float]]
    named: frozenset[str]
    lemmas: frozenset[str]

    @classmethod
    def read(cls, folder: Path) -> Nouns:
        """Read `data.noun`, `index.noun` and `index.sense` of a folder."""
        hyponyms: dict[str, list[str]] = defaultdict(list)
        named: set[str] = set()
        lemmas: set[str] = set()
        for synset in synsets(folder):
            lemmas.update(synset.words)
            if any(word[0].isupper() for word in synset.words):
                named.add(synset.offset)
            for symbol, target in synset.links:
                # Instances (`@i`) are names, not head words.
                if symbol == "@":
                    hyponyms[target].append(synset.offset)
        counts = sense_counts(folder)
        weights: dict[str, dict[str, float]] = {}
        for lemma, offsets in senses(folder).items():
            # Senses stand in order of use: untagged ones get a little, the first a little more.
            raw = {o: counts.get((lemma, o), 0) + 1.0 / (rank + 1) for rank, o in enumerate(offsets)}
            total = sum(raw.values())
            weights[lemma] = {offset: value / total for offset, value in raw.items()}
        return cls({k: tuple(v) for k, v in hyponyms.items()}, weights, frozenset(named), frozenset(lemmas))

    def senses_below(self, roots: str) -> frozenset[str]:
        """Return all senses at and below the roots."""
        todo = []
        for root in roots.split():
            lemma, _, number = root.rpartition(".")
            senses = list(self.weights.get(lemma, ()))
            if len(senses) >= int(number):
                todo.append(senses[int(number) - 1])
        seen: set[str] = set()
        while todo:
            offset = todo.pop()
            if offset not in seen:
                seen.add(offset)
                todo.extend(self.hyponyms.get(offset, ()))
        return frozenset(seen)


def _translations(folder: Path, language: str) -> dict[str, dict[str, float]]:
    """Return the lemmas of a language with equal weights for their senses."""
    found = by_lemma(folder, language).items()
    return {lemma.replace(" ", "_"): dict.fromkeys(offsets, 1 / len(offsets)) for lemma, offsets in found}


def head_words(folder: Path, language: str, stop: Callable[[str], bool]) -> dict[str, int]:
    """Return the head words of a language with their cues and inflected forms, function words left out."""
    nouns = Nouns.read(folder)
    weights = nouns.weights if language == "en" else _translations(folder, language)
    dropped = frozenset(DROPPED.split())
    persons = nouns.senses_below("person.1") - nouns.named
    table: dict[str, int] = {}
    for cue, roots in ROOTS.items():
        senses = nouns.senses_below(roots)
        if cue in NAME_CUES:
            senses &= nouns.named
        for lemma, shares in weights.items():
            within = senses
            if cue is Cue.ROLE and lemma.endswith(ENDINGS[language]):
                within = senses | persons
            if lemma.lower() in dropped or stop(lemma):
                continue
            if language == "en" and (cue in NAME_CUES) == (lemma in nouns.lemmas):
                # Rose, the name, is no role; rebel, the noun, is no nationality.
                continue
            if "_" in lemma or len(lemma) < 3 or not lemma.replace("-", "").isalpha():
                continue
            if sum(share for offset, share in shares.items() if offset in within) < SHARE:
                continue
            # Capitals are names in Spanish and Portuguese, whatever the sense: João for a customer.
            if language in ("es", "pt") and lemma[0].isupper():
                continue
            if zipf_frequency(lemma, language) < FREQUENT.get(cue, 2.0):
                continue
            for form in inflected_forms(lemma, language, cue):
                key = fold_name(form)
                if stop(key):
                    continue
                table[key] = table.get(key, 0) | cue
    for key, bits in table.items():
        if bits & Cue.KIN:
            table[key] = bits & ~int(Cue.ROLE)
    return table


def inflected_forms(lemma: str, language: str, cue: Cue) -> Iterable[str]:
    """Return a lemma with its inflected forms, feminine ones where it stands for persons."""
    yield lemma
    if cue is Cue.LANGUAGE:
        return
    yield from inflect_noun(lemma, language, person=cue in (Cue.ROLE, Cue.KIN, Cue.NATIONALITY, Cue.DEM))
    if cue is Cue.NATIONALITY and language in ("es", "pt"):
        yield from inflect_adjective(lemma, language)
