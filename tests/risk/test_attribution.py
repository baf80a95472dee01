"""Of whom phrases speak: texts about several made up, the chain against a plain enumeration, and odd input."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise, product

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from embanon.config.settings import Config
from embanon.document import Document, Phrases
from embanon.entities.entity import Entity
from embanon.entities.present import PresentEntity, find_present_entities
from embanon.risk.attribution import (
    FEATURES,
    INITIAL_PARAMETERS,
    MAX_SUBJECTS,
    Attribution,
    AttributionParameters,
    SentenceEvidence,
    attribute,
    find_subjects,
    forward_backward,
    load_parameters,
)  # fmt: skip
from embanon.text.find import find_phrases

ADA = (
    "Ada Berger (born 3 May 1950) is a painter.", "She grew up in Tolland.", "Berger left her school in 1970.",
    "Her first picture was sold to a bank.", "She lives by the sea.",
)  # fmt: skip
ORRIN = (
    "Orrin Velland (born 9 June 1962) is a judge.", "He studied law in Tarn.", "Velland wrote two books.",
    "His wife keeps bees.", "He plays chess.",
)  # fmt: skip
INGA = (
    "Inga Marsk (born 1 March 1981) is a rower.", "She won a cup.", "Marsk trains in Haka.",
    "Her boat is of oak.", "She sleeps well.",
)  # fmt: skip


def in_turn(*texts: Sequence[str]) -> list[tuple[int, str]]:
    return [(owner, sentence) for row in zip(*texts, strict=True) for owner, sentence in enumerate(row)]


def behind(*texts: Sequence[str]) -> list[tuple[int, str]]:
    return [(owner, sentence) for owner, text in enumerate(texts) for sentence in text]


def look(text: str, *names: str, language: str = "en") -> tuple[Phrases, list[PresentEntity], Attribution]:
    analysis = find_phrases(Document("x", text, language), config=Config(language=language))
    people = find_present_entities(text, analysis.phrases, [Entity(name) for name in names], language)
    return analysis.phrases, people, attribute(text, analysis.phrases, people, analysis.sentences, language)


def right(pieces: Sequence[tuple[int, str]], *names: str, language: str = "en") -> float:
    """Return the share of phrases that go to whom their sentence is about; names are in the order of the owners."""
    text = " ".join(sentence for _, sentence in pieces)
    begins = np.cumsum([0, *(len(sentence) + 1 for _, sentence in pieces[:-1])])
    phrases, people, found = look(text, *names, language=language)
    assert [people[place].protected_index for place in found.subjects] == list(range(len(names)))
    np.testing.assert_allclose(found.shares.sum(axis=1), 1)
    owners = np.array([owner for owner, _ in pieces])[np.searchsorted(begins, phrases.start, side="right") - 1]
    return float((found.shares.argmax(axis=1) == owners).mean())


@pytest.mark.parametrize(
    ("pieces", "names", "least"),
    [
        (behind(ADA, ORRIN), ("Ada Berger", "Orrin Velland"), 1.0),
        (behind(ORRIN, ADA), ("Orrin Velland", "Ada Berger"), 1.0),
        (in_turn(ADA, ORRIN), ("Ada Berger", "Orrin Velland"), 1.0),
        (behind(ADA, INGA), ("Ada Berger", "Inga Marsk"), 1.0),
        (in_turn(ADA, INGA), ("Ada Berger", "Inga Marsk"), 0.8),
        (behind(ADA, ORRIN, INGA), ("Ada Berger", "Orrin Velland", "Inga Marsk"), 1.0),
        (in_turn(ADA, ORRIN, INGA), ("Ada Berger", "Orrin Velland", "Inga Marsk"), 0.7),
    ],
    ids=["behind", "the other first", "in turn", "women behind", "women in turn", "three behind", "three in turn"],
)
def test_joined_texts(pieces: Sequence[tuple[int, str]], names: tuple[str, ...], least: float) -> None:
    assert right(pieces, *names) >= least


TRANSLATED = {
    "es": ("Ada Velland nació en Tolland. Ella vive en una casa. Velland pintó un cuadro.",
           "Orrin Marsk nació en Tarn. Él tiene un barco. Marsk escribió un libro."),
    "pt": ("Ada Velland nasceu em Tolland. Ela vive em uma casa. Velland pintou um quadro.",
           "Orrin Marsk nasceu em Tarn. Ele tem um barco. Marsk escreveu um livro."),
    "de": ("Ada Velland ist Malerin. Velland lebt in Tolland. Velland malte ein Bild.",
           "Orrin Marsk ist Richter. Er hat ein Boot. Marsk schrieb ein Buch."),
}  # fmt: skip


@pytest.mark.parametrize("language", TRANSLATED)
def test_other_languages(language: str) -> None:
    pieces = [(owner, text) for owner, text in enumerate(TRANSLATED[language])]
    assert right(pieces, "Ada Velland", "Orrin Marsk", language=language) == 1


def test_who_a_name_does_not_tell_is_told_by_pronouns() -> None:
    text = "Zaxo Berger is a painter. Quil Velland is a judge. She paints. He judges."
    more = "Berger said that she paints. Velland said that he judges. She sang a song. He told a joke."
    _, _, told = look(f"{text} {more}", "Zaxo Berger", "Quil Velland")
    song, joke = told.shares[-2:]
    assert song[0] > song[1]
    assert joke[1] > joke[0]


def test_with_one_subject_all_is_hers() -> None:
    phrases, _, found = look(" ".join(ADA), "Ada Berger")
    assert found.subjects == (0,)
    assert found.shares_of(0).tolist() == [1.0] * len(phrases)
    assert not found.shares_of(1).any()
    assert found.continuity == 1


@pytest.mark.parametrize("text", ["", " \n\n ", "Nobody came to the house.", "?!", "\ud800"])
def test_nobody_owns_nothing(text: str) -> None:
    phrases, _, found = look(text, "Ada Berger")
    assert found.subjects == ()
    assert found.shares.shape == (len(phrases), 0)
    assert not found.shares_of(0).any()


def test_a_passing_mention_stays_with_the_subject() -> None:
    text = " ".join(ADA[:3]) + " She met Peter Velland at a party. " + " ".join(ADA[3:])
    _, people, found = look(text, "Ada Berger")
    assert [one.protected_index for one in people] == [0, -1]
    assert found.subjects == (0,)
    phrases, people, found = look(text, "Ada Berger", "Peter Velland")
    party = [text[one.start : one.end] for one in phrases].index("party")
    assert found.shares_of(0)[party] > 0.5
    assert found.shares_of(1)[list(people[1].phrases)].tolist() == [1.0]


def test_names_belong_to_who_bears_them() -> None:
    text = " ".join(sentence for _, sentence in in_turn(ADA, ORRIN)) + " The Bergers met ORRIN VELLAND."
    _, people, found = look(text, "Orrin Velland")
    orrin, ada = (next(place for place, one in enumerate(people) if name in one.words) for name in ("orrin", "ada"))
    assert set(found.subjects) == {orrin, ada}
    for one, other in ((orrin, ada), (ada, orrin)):
        assert found.shares_of(one)[list(people[one].phrases)].tolist() == [1.0] * len(people[one].phrases)
        assert not found.shares_of(other)[list(people[one].phrases)].any()


def test_whoever_is_protected_is_a_subject_however_many_there_are() -> None:
    names = [f"Peter {start}{end}" for start in ("Ber", "Dol", "Fan", "Kis") for end in ("land", "vest", "ow")]
    text = " ".join(f"{name} (born 1950) is a man. {name} sings." for name in names)
    _, people, found = look(text, names[-1])
    assert len(people) == len(names)
    assert found.subjects[0] == 0
    assert len(found.subjects) == MAX_SUBJECTS
    _, _, found = look(text, *names)
    assert found.subjects == tuple(range(len(names)))


def test_phrases_with_names_of_two_are_of_both() -> None:
    text = "Ada Berger came. Ada Berger sat. Orrin Velland sang. He ate."
    phrases = find_phrases(Document("x", text), config=Config(language="en"))
    people = find_present_entities(text, phrases.phrases, [Entity("Ada Berger"), Entity("Orrin Velland")], "en")
    both = [replace(one, phrases=(0,)) for one in people]
    found = attribute(text, phrases.phrases, both, phrases.sentences, "en")
    assert found.shares[0].tolist() == [0.5, 0.5]


# What is seen

SENTENCES = (
    "He met Ada Berger in 1940.", "Ada, with Orrin Velland, was born in 1950.", "It was there.", "“Ada”, he said.",
)  # fmt: skip


def seen(text: str, *names: str, language: str = "en") -> SentenceEvidence:
    analysis = find_phrases(Document("x", text, language), config=Config(language=language))
    people = find_present_entities(text, analysis.phrases, [Entity(name) for name in names], language)
    return SentenceEvidence.from_text(text, people[: len(names)], analysis.sentences, language)


def test_what_is_seen_of_sentences() -> None:
    found = seen(" ".join(SENTENCES), "Ada Berger", "Orrin Velland")
    rows = dict(zip(FEATURES, found.features.tolist(), strict=True))
    assert rows["named"] == [[1, 0], [1, 1], [0, 0], [1, 0]]
    assert rows["introduced"] == [[1, 0], [1, 1], [1, 1], [1, 1]]
    assert rows["late"] == [[1, 0], [0, 0], [0, 0], [0, 0]]
    assert rows["object"] == [[0, 0], [0, 1], [0, 0], [0, 0]]
    assert rows["full"] == [[1, 0], [0, 1], [0, 0], [0, 0]]
    assert found.first_gender.tolist() == [1, 0, 0, 1]
    assert not found.further_gender.any()


@pytest.mark.parametrize(
    ("before", "object"),
    [
        ("with ", 1),
        ("and ", 1),
        ("Tolland, ", 1),
        ("where ", 0),
        ("Today ", 0),
        ("Scotland ", 0),
        ("With ", 1),
        ("", 0),
    ],
)
def test_what_stands_before_a_name_makes_it_an_object(before: str, object: int) -> None:
    found = seen(f"{before}Ada Berger sang a song.", "Ada Berger")
    assert found.features[FEATURES.index("object"), 0, 0] == object


@pytest.mark.parametrize(
    ("name", "man"),
    [("Peter Tolland", 1), ("Dr. Peter Tolland", 1), ("Anna Tolland", -1), ("ANNA TOLLAND", -1), ("Zaxo Tolland", 0)],
)
def test_given_names_tell_gender(name: str, man: int) -> None:
    found = seen(f"Here came {name}.", name)
    assert np.sign(found.male[0] - 0.5) == man


def test_years_before_birth_are_of_another() -> None:
    found = seen("Ada Berger (born 1950) came. It was in 1940. It was in 1960.", "Ada Berger")
    assert found.features[FEATURES.index("years"), :, 0].tolist() == [0, -1, 0]


# The chain


def enumerated(emission: np.ndarray, parameters: AttributionParameters) -> np.ndarray:
    """Weigh every way in which a text may go on."""
    size, people = emission.shape
    ways = len(parameters.stay_probabilities)
    found = np.zeros((size, people))
    states = list(product(range(ways), range(people)))
    for path in product(states, repeat=size):
        chance = parameters.initial_ways[path[0][0]] / people
        for (way, one), (to, other) in pairwise(path):
            chance *= (
                parameters.same_way_probability if way == to else (1 - parameters.same_way_probability) / (ways - 1)
            )
            chance *= (
                parameters.stay_probabilities[to]
                if one == other
                else (1 - parameters.stay_probabilities[to]) / (people - 1)
            )
        chance *= np.exp(sum(emission[place, one] for place, (_, one) in enumerate(path)))
        for place, (_, one) in enumerate(path):
            found[place, one] += chance
    return found / found.sum(axis=1, keepdims=True)


EVIDENCE = st.floats(-6, 6)


@given(st.integers(1, 4), st.data())
@settings(max_examples=25)
def test_the_chain_is_what_all_paths_give(size: int, data: st.DataObject) -> None:
    people = data.draw(st.integers(2, 3 if size < 4 else 2))
    emission = np.array(data.draw(st.lists(EVIDENCE, min_size=size * people, max_size=size * people)))
    emission = emission.reshape(size, people)
    found, going = forward_backward(emission, INITIAL_PARAMETERS)
    np.testing.assert_allclose(found, enumerated(emission, INITIAL_PARAMETERS), atol=1e-9)
    assert 0 <= going <= 1
    np.testing.assert_allclose(forward_backward(emission[:, ::-1], INITIAL_PARAMETERS)[0][:, ::-1], found, atol=1e-9)


@given(st.lists(st.sampled_from([-1e4, -800.0, 0.0, 800.0, 1e4]), min_size=2, max_size=40))
def test_evidence_however_strong_leaves_shares(evidence: list[float]) -> None:
    emission = np.array(evidence[: len(evidence) // 2 * 2]).reshape(-1, 2)
    found, _ = forward_backward(emission, INITIAL_PARAMETERS)
    np.testing.assert_allclose(found.sum(axis=1), 1)


def test_a_text_that_alternates_is_found_out() -> None:
    steady = np.repeat([[3.0, 0.0], [0.0, 3.0]], 10, axis=0)
    assert forward_backward(steady, INITIAL_PARAMETERS)[1] > 0.8
    assert forward_backward(np.tile([[3.0, 0.0], [0.0, 3.0]], (10, 1)), INITIAL_PARAMETERS)[1] < 0.2


def test_time_grows_with_the_sentences() -> None:
    def took(size: int) -> float:
        emission = np.random.default_rng(1).normal(size=(size, 2))
        begin = time.process_time()
        forward_backward(emission, INITIAL_PARAMETERS)
        return time.process_time() - begin

    took(10)
    assert took(100_000) < 40 * took(10_000)


def test_a_text_without_any_end_is_one_sentence() -> None:
    text = "and Ada Berger sang and Orrin Velland sang too " * 3000
    phrases, _, found = look(text, "Ada Berger", "Orrin Velland")
    np.testing.assert_allclose(found.shares.sum(axis=1), 1)
    assert len(found.shares) == len(phrases) > 3000
    assert found.sentence.max() == 0


# The parameters

CHANCE = st.floats(0.01, 0.99)
PARAMETERS = st.builds(
    lambda weights, ways, begins, same: AttributionParameters(
        tuple(weights), tuple(ways), tuple(one / sum(begins) for one in begins), same
    ),
    st.lists(st.floats(-9, 9), min_size=len(FEATURES), max_size=len(FEATURES)),
    st.lists(CHANCE, min_size=3, max_size=3), st.lists(CHANCE, min_size=3, max_size=3), CHANCE,
)  # fmt: skip


@given(PARAMETERS)
def test_parameters_come_back(parameters: AttributionParameters) -> None:
    np.testing.assert_allclose(
        AttributionParameters.from_vector(parameters.to_vector()).to_vector(), parameters.to_vector(), atol=1e-9
    )
    read = AttributionParameters.from_toml(parameters.to_toml())
    np.testing.assert_allclose(read.weights, parameters.weights, atol=6e-4)
    np.testing.assert_allclose(
        [*read.stay_probabilities, *read.initial_ways, read.same_way_probability],
        [*parameters.stay_probabilities, *parameters.initial_ways, parameters.same_way_probability], atol=6e-5,
    )  # fmt: skip
    assert AttributionParameters.from_toml(read.to_toml()) == read


def test_what_was_learnt_of_english_serves_all() -> None:
    assert load_parameters("en") == load_parameters("xx")
    assert len(load_parameters("en").weights) == len(FEATURES)


TEXTS = st.lists(
    st.sampled_from("Ada Berger Orrin Velland he She her his met in 1970 . , \n\n (born 1950) is Berger's".split(" ")),
    max_size=40,
).map(" ".join)


@given(TEXTS, st.sampled_from(["en", "es", "pt", "de", "fr"]))
@settings(max_examples=50)
def test_rows_add_up(text: str, language: str) -> None:
    _, people, found = look(text, "Ada Berger", "Orrin Velland", language=language)
    assert set(found.subjects) >= {place for place, one in enumerate(people) if one.protected_index >= 0 and one.spans}
    assert np.all((found.shares >= 0) & (found.shares <= 1))
    if found.subjects:
        np.testing.assert_allclose(found.shares.sum(axis=1), 1)


def test_subjects_begin_sentences() -> None:
    text = "Ada Berger came. A man met Orrin Holt. Here Holt sat."
    analysis = find_phrases(Document("x", text), config=Config(language="en"))
    people = find_present_entities(text, analysis.phrases, [], "en")
    assert [find_subjects(text, people, analysis.sentences), len(people)] == [[], 2]
    twice = f"{text} Ada left."
    analysis = find_phrases(Document("x", twice), config=Config(language="en"))
    assert find_subjects(twice, find_present_entities(twice, analysis.phrases, [], "en"), analysis.sentences) == [0]


TWO = {
    "es": (
        ("María Okoye (nacida en 1961) es una bióloga sueca.", "Estudió en la Universidad de Salamanca.",
         "Fue elegida miembro de la academia en 1994.", "Vive en Bilbao con dos perros."),
        ("Juan Velland (nacido en 1958) es un ingeniero portugués.", "Trabajó en Lisboa para la empresa Orrin.",
         "Fue nombrado director en 2001.", "Está casado con una pintora."),
    ),
    "pt": (
        ("Maria Okoye (nascida em 1961) é uma bióloga sueca.", "Estudou na Universidade de Coimbra.",
         "Foi eleita membro da academia em 1994.", "Vive em Braga com dois cães."),
        ("João Velland (nascido em 1958) é um engenheiro espanhol.", "Trabalhou em Madrid para a empresa Orrin.",
         "Foi nomeado diretor em 2001.", "É casado com uma pintora."),
    ),
    "de": (
        ("Anna Tarnfeld (geboren 1961) ist eine schwedische Biologin.", "Sie studierte in Heidelberg.",
         "Sie wurde 1994 Mitglied der Akademie.", "Sie wohnt in Bremen."),
        ("Jonas Velland (geboren 1958) ist ein portugiesischer Ingenieur.", "Er arbeitete in Lissabon.",
         "Er wurde 2001 Direktor.", "Sein Haus steht in Porto."),
    ),
}  # fmt: skip


@pytest.mark.parametrize("language", TWO)
@pytest.mark.parametrize("turns", [False, True], ids=["behind each other", "in turn"])
def test_where_pronouns_are_dropped_the_gender_of_words_tells(language: str, turns: bool) -> None:
    one, other = TWO[language]
    pairs = [(0, sentence) for sentence in one] + [(1, sentence) for sentence in other]
    if turns:
        pairs = [pair for both in zip(pairs[: len(one)], pairs[len(one) :], strict=True) for pair in both]
    text = " ".join(sentence for _, sentence in pairs)
    analysis = find_phrases(Document("", text, language), config=Config(language=language))
    people = find_present_entities(text, analysis.phrases, [Entity(one[0].partition(" (")[0])], language)
    found = attribute(text, analysis.phrases, people, analysis.sentences, language)
    begins = np.cumsum([0, *(len(sentence) + 1 for _, sentence in pairs[:-1])])
    owners = np.array([owner for owner, _ in pairs])
    home = np.searchsorted(begins, analysis.phrases.start, side="right") - 1
    assert ((found.shares_of(0) >= 0.5) == (owners[home] == 0)).all()
