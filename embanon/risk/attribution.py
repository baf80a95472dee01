"""Whom each phrase is about, in a text about several people: by names, pronouns and the flow of the text.

Sentences are the states of a hidden Markov model whose hidden variable is whom the sentence is about. What is seen is
weighed as differences between the people who are subjects of the text: whether and where a sentence names them, whether
they have been introduced, the gender of its pronouns, its years. Whether a text goes on, alternates or changes at will
is hidden as well, so that one that alternates is found out. With one subject there is nothing to decide.
"""

from __future__ import annotations

import math
import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from embanon.data import find_resource
from embanon.document import Floats, Ints, Phrases
from embanon.entities import BIRTH_OR_LIFESPAN, Entity, PresentEntity
from embanon.language import Cue, Lexicon, key, words_of
from embanon.risk.power import Rarity

FEATURES: Final = ("named", "early", "introduced", "pronoun", "further", "years", "late", "object", "full")
EARLY_CHARACTERS: Final = 40
"""Characters of a sentence in which its subject usually stands."""
SENTENCE_START: Final = 2
"""Characters, such as quotes, behind which a name still begins a sentence."""
MAX_SUBJECTS: Final = 8
"""The most whom a text is about, unless more are protected."""
ITERATIONS: Final = 3
TRAINED_LANGUAGES: Final = ("en",)
"""Languages with parameters of their own."""
GENDER_CONFIDENCE: Final = 0.93
"""How sure a given name, and a pronoun, can be of a gender."""
BIRTH_YEAR: Final = re.compile(r"\b(1[5-9]\d\d|20\d\d)\b")
YEAR: Final = re.compile(r"\b(1[5-9]\d\d|20[0-4]\d)\b")
BIRTH_YEAR_REACH: Final = 80
"""Characters behind a name in which its year of birth may stand."""
INTRODUCTION: Final = re.compile(
    r"\s*(?:\([^()]*(?:\([^()]*\)[^()]*)*\)|,[^,.;]{0,60},)?\s*(?:is|was|es|fue|era|é|foi|ist|war)\b"
)
"""What follows a name that a sentence introduces."""
TITLE: Final = re.compile(r"\s*(?:[^\W\d_a-z][^\W\d_]*\.? ){1,3}")
OVERLAP_WEIGHT: Final = 0.6
"""What the rarity of a shared word counts."""
MAX_EVIDENCE: Final = 5.0
"""The most that other texts may say of a sentence."""
MIN_RARITY: Final = 0.35
"""The rarity from which a shared word counts."""
MAX_TITLE_LENGTH: Final = 30
"""Characters of what may stand before the name that begins a sentence: Field Marshal X, Princess X."""


@dataclass(frozen=True, slots=True)
class AttributionParameters:
    """How much each feature counts, as a logarithm of odds, and how texts go on."""

    weights: tuple[float, ...]
    """In the order of `FEATURES`."""
    stay_probabilities: tuple[float, ...]
    """How likely the next sentence is about the same one where a text goes on, alternates, or changes at will."""
    initial_ways: tuple[float, ...]
    """How likely a text begins in each of these ways."""
    same_way_probability: float
    """How likely it goes on in its way."""

    def to_vector(self) -> Floats:
        """Return them as one row of numbers without bounds."""
        chances = np.array([*self.stay_probabilities, self.same_way_probability])
        return np.concatenate([self.weights, np.log(chances / (1 - chances)), np.log(self.initial_ways)])

    @classmethod
    def from_vector(cls, row: Floats) -> AttributionParameters:
        """Read what `packed` gave."""
        size, ways = len(FEATURES), len(INITIAL_PARAMETERS.stay_probabilities)
        chances = 1 / (1 + np.exp(-row[size : size + ways + 1]))
        begins = np.exp(row[size + ways + 1 :] - np.max(row[size + ways + 1 :]))
        return cls(
            tuple(row[:size].tolist()), tuple(chances[:ways].tolist()), tuple((begins / begins.sum()).tolist()),
            float(chances[ways]),
        )  # fmt: skip

    def to_toml(self) -> str:
        """Write them."""
        rows = [f"{name} = {value:.3f}" for name, value in zip(FEATURES, self.weights, strict=True)]
        lists = {"stay": self.stay_probabilities, "begins": self.initial_ways, "same_way": (self.same_way_probability,)}
        ways = [f"{name} = [{', '.join(f'{one:.4f}' for one in some)}]" for name, some in lists.items()]
        return "\n".join(["[weights]", *rows, "", "[ways]", *ways, ""])

    @classmethod
    def from_toml(cls, text: str) -> AttributionParameters:
        """Read what `to_toml` wrote."""
        table = tomllib.loads(text)
        ways = table["ways"]
        weights = tuple(float(table["weights"][name]) for name in FEATURES)
        return cls(weights, tuple(ways["stay"]), tuple(ways["begins"]), float(ways["same_way"][0]))


INITIAL_PARAMETERS: Final = AttributionParameters(
    (2.5, 2.5, 3.0, 1.5, 0.5, 0.5, -1.5, -0.8, -0.5), (0.92, 0.04, 0.5), (0.7, 0.1, 0.2), 0.96
)
"""Where learning begins."""


@cache
def load_parameters(language: str) -> AttributionParameters:
    """Return the parameters of a language; what is learnt of English holds where nothing else is."""
    name = language if language in TRAINED_LANGUAGES else "en"
    return AttributionParameters.from_toml(
        find_resource("embeddings", "attribution", f"{name}.toml").read_text("utf-8")
    )


@dataclass(frozen=True, slots=True, eq=False)
class Attribution:
    """For each phrase how likely it speaks of each subject; a subject is a place in the list of who is present."""

    subjects: tuple[int, ...]
    shares: Floats
    """Phrases by subjects; rows add up to 1."""
    sentence: Ints
    """The sentence of each phrase."""
    continuity: float = 1.0
    """The share of the text that goes on about one, and does not alternate."""

    def shares_of(self, place: int) -> Floats:
        """Return how likely each phrase speaks of one who is present; who is no subject owns no phrase."""
        if place not in self.subjects:
            return np.zeros(len(self.shares))
        return self.shares[:, self.subjects.index(place)]


@cache
def _subject_table() -> Mapping[str, Any]:
    """Return the words that tell whom sentences are about."""
    table = tomllib.loads(find_resource("ontologies", "lexicon", "subjects.toml").read_text("utf-8"))
    return table | {name: frozenset(table[name].split()) for name in ("subject_pronouns", "objects")}


@cache
def _gender_pattern(language: str) -> re.Pattern[str] | None:
    row = _subject_table().get(language)
    groups = [f"({'|'.join(row[name])})" for name in ("men", "women")] if row else []
    return re.compile(rf"\b(?:{'|'.join(groups)})\b", re.IGNORECASE) if groups else None


def find_subjects(text: str, people: Sequence[PresentEntity], sentences: Ints) -> list[int]:
    """Choose whom sentences may be about: all the protected that are named, then others who begin sentences.

    Who is introduced (`X (born 1975) is an actor`) or begins two sentences is a subject; who is only mentioned is not.
    """
    candidates = []
    for place, person in enumerate(people):
        if not person.spans:
            continue
        if person.protected_index >= 0:
            candidates.append((-math.inf, place))
            continue
        starts = np.array([start for start, _ in person.spans])
        opens = sentences[np.searchsorted(sentences, starts, side="right") - 1].tolist()
        opening = [
            number for number, (start, begin) in enumerate(zip(starts.tolist(), opens, strict=True))
            if start - begin <= SENTENCE_START or (start - begin <= MAX_TITLE_LENGTH and TITLE.fullmatch(text, begin,
            start))
        ]  # fmt: skip
        ends = [person.spans[number][1] for number in opening]
        introduced = any(INTRODUCTION.match(text, end) or BIRTH_OR_LIFESPAN.match(text, end) for end in ends)
        begins = len(opening)
        if begins >= 2 or (introduced and begins):
            candidates.append((-begins - 2.0 * introduced, place))
    protected = sum(person.protected_index >= 0 and bool(person.spans) for person in people)
    return [place for _, place in sorted(candidates)[: max(MAX_SUBJECTS, protected)]]


def attribute(
    text: str, phrases: Phrases, people: Sequence[PresentEntity], sentences: Ints, language: str,
    parameters: AttributionParameters | None = None, more: Floats | None = None,
) -> Attribution:  # fmt: skip
    """Return whom each phrase of a text is about.

    `more` is further evidence, sentences by people: logarithms of odds, such as those from other texts.
    """
    subjects = find_subjects(text, people, sentences)
    where = np.searchsorted(sentences, phrases.start, side="right") - 1
    parameters = parameters or load_parameters(language)
    if len(subjects) < 2:
        return Attribution(tuple(subjects), np.ones((len(phrases), len(subjects))), where)
    seen = SentenceEvidence.from_text(text, [people[place] for place in subjects], sentences, language)
    posterior, going = seen.infer(parameters, None if more is None else more[:, subjects])
    shares = posterior[where]
    _assign_names(shares, [people[place] for place in subjects])
    return Attribution(tuple(subjects), shares, where, going)


def _assign_names(shares: Floats, subjects: Sequence[PresentEntity]) -> None:
    """Return names to who bears them (changes `shares`)."""
    bears = np.zeros_like(shares)
    for column, person in enumerate(subjects):
        bears[list(person.phrases), column] = 1.0
    named = np.flatnonzero(bears.any(axis=1))
    shares[named] = bears[named] / bears[named].sum(axis=1, keepdims=True)


@dataclass(slots=True, eq=False)
class SentenceEvidence:
    """What is seen in sentences of the subjects: feature arrays, sentences by subjects."""

    features: Floats
    """Features by sentences by subjects; those of gender stay 0: they are weighed turn by turn."""
    first_gender: Ints
    """The gender of the first pronoun of each sentence: 1 a man's, -1 a woman's, 0 none."""
    further_gender: NDArray[np.float64]
    """Men's less women's pronouns that follow."""
    male: Floats
    """How likely each subject is a man."""

    @classmethod
    def from_text(cls, text: str, people: Sequence[PresentEntity], sentences: Ints, language: str) -> SentenceEvidence:
        """Look."""
        first, further, pronoun_starts = _pronoun_evidence(text, sentences, language)
        year_matches = list(YEAR.finditer(text))
        homes = _sentence_indices(sentences, [person.start() for person in year_matches])
        years = np.array([int(person[1]) for person in year_matches], np.int64)
        features = np.zeros((len(FEATURES), len(sentences), len(people)))
        for column, person in enumerate(people):
            rows = _name_features(text, person, sentences, pronoun_starts)
            if born := _birth_year(text, person):
                rows["years"][homes[years < born]] = -1
            features[:, :, column] = [rows[name] for name in FEATURES]
        return cls(features, first, further, _male_probabilities(people, language))

    def infer(self, parameters: AttributionParameters, more: Floats | None = None) -> tuple[Floats, float]:
        """Alternate between whom sentences are about, and who is a man."""
        weights = parameters.weights
        weighed = np.tensordot(np.asarray(weights), self.features, axes=1)
        if more is not None:
            weighed = weighed + more
        men, going = self.male, 1.0
        posterior = np.full(weighed.shape, 1 / weighed.shape[1])
        for turn in range(ITERATIONS):
            men = self._male_given_pronouns(posterior) if turn else men
            sure = np.log(np.stack([np.clip(1 - men, 0.02, 0.98), np.clip(men, 0.02, 0.98)]))
            male_odds = sure[1] - sure[0]
            first = np.where(
                self.first_gender[:, None] > 0, sure[1], np.where(self.first_gender[:, None] < 0, sure[0], 0)
            )
            emission = (
                weighed + weights[3] * first + weights[4] * np.clip(self.further_gender, -2, 2)[:, None] * male_odds / 2
            )
            posterior, going = forward_backward(emission, parameters)
        return posterior, going

    def _male_given_pronouns(self, posterior: Floats) -> Floats:
        """Weigh what names say of gender with the pronouns of the sentences that are about each."""
        prior = np.log(self.male) - np.log1p(-self.male)
        heard = self.first_gender.astype(np.float64) @ posterior * math.log(GENDER_CONFIDENCE / (1 - GENDER_CONFIDENCE))
        return np.asarray(1 / (1 + np.exp(-np.clip(prior + heard, -30, 30))))


def _sentence_indices(sentences: Ints, places: Sequence[int]) -> Ints:
    """Return the sentences in which places are."""
    return np.searchsorted(sentences, np.array(places, np.int64), side="right") - 1


def _pronoun_evidence(text: str, sentences: Ints, language: str) -> tuple[Ints, Floats, Ints]:
    """Return by sentence its first pronoun's gender, men's less women's pronouns after it, and a pronoun's start.

    That is the start of its first subject pronoun; past the end of the text where a sentence has none.
    """
    pronouns, size = _gender_pattern(language), len(sentences)
    first, further, pronoun_starts = np.zeros(size, np.int64), np.zeros(size), np.full(size, len(text) + 1)
    matches = list(pronouns.finditer(text)) if pronouns else []
    for match, sentence in zip(
        matches, _sentence_indices(sentences, [match.start() for match in matches]).tolist(), strict=True
    ):
        gender = 1 if match[1] else -1
        if first[sentence]:
            further[sentence] += gender
        else:
            first[sentence] = gender
        if match[0].lower() in _subject_table()["subject_pronouns"]:
            pronoun_starts[sentence] = min(pronoun_starts[sentence], match.start())
    return first, further, pronoun_starts


def _name_features(text: str, person: PresentEntity, sentences: Ints, pronoun_starts: Ints) -> dict[str, Floats]:
    """Return by feature whether and where each sentence names a person; `said` is where its first pronoun starts."""
    rows = {name: np.zeros(len(sentences)) for name in FEATURES}
    starts = np.array([start for start, _ in person.spans], np.int64)
    home = np.searchsorted(sentences, starts, side="right") - 1
    into = starts - sentences[home]
    rows["named"][home] = 1
    rows["early"][home[into <= EARLY_CHARACTERS]] = 1
    rows["introduced"][home[0] :] = 1
    for sentence, (start, end), ahead in zip(home.tolist(), person.spans, into.tolist(), strict=True):
        if _is_object(text, start):
            rows["object"][sentence] = 1
        if " " in text[start:end] and ahead > SENTENCE_START:
            rows["full"][sentence] = 1
    named = np.full(len(sentences), len(text))
    np.minimum.at(named, home, starts)
    rows["late"][(named > pronoun_starts) & (rows["named"] > 0)] = 1
    return rows


def _is_object(text: str, start: int) -> bool:
    """Return whether what stands before a name makes it no subject: with X, Y and X, X's."""
    before = text[max(0, start - 14) : start].rstrip()
    return before.endswith(",") or before.rpartition(" ")[2].lower() in _subject_table()["objects"]


def _birth_year(text: str, person: PresentEntity) -> int:
    """Return the year behind the first names of a person that may be that of birth; 0 where there is none."""
    for _, end in person.spans[:3]:
        behind = text[end : end + BIRTH_YEAR_REACH]
        if ("born" in behind or behind.lstrip().startswith("(")) and (year := BIRTH_YEAR.search(behind)):
            return int(year[1])
    return 0


def _male_probabilities(people: Sequence[PresentEntity], language: str) -> Floats:
    """Return how likely each person is a man, by given names."""
    lexicon = Lexicon.load(language)
    probabilities = []
    for person in people:
        flags = [lexicon.flags(word.capitalize()) for word in person.longest_name.split()]
        given = next((some for some in flags if not some & Cue.TITLE), 0)
        male, female = bool(given & Cue.MALE), bool(given & Cue.FEMALE)
        probabilities.append(
            GENDER_CONFIDENCE if male and not female else 1 - GENDER_CONFIDENCE if female and not male else 0.5
        )
    return np.array(probabilities)


@lru_cache(maxsize=256)
def _transitions(people: int, parameters: AttributionParameters) -> Floats:
    """Return the probabilities of steps between ways and people."""
    persons = []
    for stay in parameters.stay_probabilities:
        same = np.full((people, people), (1 - stay) / (people - 1))
        np.fill_diagonal(same, stay)
        persons.append(same)
    ways = range(len(persons))
    other = (1 - parameters.same_way_probability) / (len(persons) - 1)
    rows = [
        np.hstack([persons[to] * (parameters.same_way_probability if to == way else other) for to in ways])
        for way in ways
    ]
    return np.vstack(rows)


def forward_backward(emission: Floats, parameters: AttributionParameters) -> tuple[Floats, float]:
    """Return whom each sentence is about, by its evidence and its neighbors, and the share of text that goes on."""
    size, people = emission.shape
    count = len(parameters.stay_probabilities)
    seen = np.tile(np.exp(emission - emission.max(axis=1, keepdims=True)), count)
    steps = _transitions(people, parameters)
    ahead = np.empty((size, people * count))
    row = np.repeat(parameters.initial_ways, people) / people * seen[0]
    ahead[0] = row / row.sum()
    for place in range(1, size):
        row = (ahead[place - 1] @ steps) * seen[place]
        ahead[place] = row / (row.sum() or 1e-300)
    behind = np.ones(people * count)
    for place in range(size - 2, -1, -1):
        behind = steps @ (behind * seen[place + 1])
        behind /= behind.max() or 1e-300
        ahead[place] *= behind
    ahead /= ahead.sum(axis=1, keepdims=True)
    ways = ahead.reshape(size, count, people)
    return ways.sum(axis=1), float(ways[:, 0].sum() / size)


def sample_overlap(
    text: str, people: Sequence[PresentEntity], entities: Sequence[Entity], sentences: Ints, rarity: Rarity
) -> Floats:
    """Return how much each sentence shares its words with the sample texts about each person."""
    overlap = np.zeros((len(sentences), len(people)))
    ends = [*sentences[1:].tolist(), len(text)]
    given = [
        {word for sample in entities[person.protected_index].samples for word in words_of(key(sample))}
        if person.protected_index >= 0
        else set()
        for person in people
    ]
    if not any(given):
        return overlap
    for row, (start, end) in enumerate(zip(sentences.tolist(), ends, strict=True)):
        words = sorted(set(words_of(key(text[start:end]))))
        if not words:
            continue
        rare = np.nan_to_num(rarity.words(words), nan=1.0)
        for column, (person, known) in enumerate(zip(people, given, strict=True)):
            if known:
                shared = [value for word, value in zip(words, rare.tolist(), strict=True)
                          if value >= MIN_RARITY and word in known and word not in person.words]  # fmt: skip
                overlap[row, column] = sum(shared)
    return np.asarray(
        np.clip(OVERLAP_WEIGHT * (overlap - overlap.mean(axis=1, keepdims=True)), -MAX_EVIDENCE, MAX_EVIDENCE)
    )
