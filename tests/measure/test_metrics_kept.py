"""Noun phrases, information that is kept, truth and grammar of what stands there instead."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from numpy.typing import NDArray

from embanon.measure.annotations import Annotation, DocumentPair, Mention
from embanon.measure.metrics.chunks import (
    chunk_scores,
    informative_part,
    noun_phrases,
    phrases_and_words,
    preserved_information,
    utility,
)
from embanon.measure.metrics.faults import grammar_faults, masked_text, new_faults
from embanon.measure.metrics.information import CorpusInformation, FrequencyInformation
from embanon.measure.metrics.similarity import VectorSimilarity
from embanon.measure.metrics.truth import is_true, truth_scores, verdicts
from embanon.model.shipped import open_model
from embanon.taxonomy.climb import Climber, climber
from tests.measure.measured import CORPORA, mention, pair, whole, words_with_cuts

TEXT = "Ada Berger, a famous violinist, lived in Oslo and played an old violin."


class Letters:
    """A phrase tells as many bits as it has letters."""

    name = "letters"

    def bits(self, phrases: list[str], language: str) -> NDArray[np.float64]:
        return np.array([float(sum(map(str.isalnum, phrase))) for phrase in phrases])

    def weigh(self, text: str, spans: NDArray[np.int64], language: str) -> NDArray[np.float64]:
        return self.bits([text[start:end] for start, end in spans.tolist()], language)


def spelled(text: str, language: str) -> NDArray[np.int64]:
    """Take words for phrases."""
    return np.array(words_with_cuts(text), np.int64).reshape(-1, 2)


class SameLetter:
    """Take texts that begin alike for half the same."""

    name = "first letters"

    def similarity(self, text: str, other: str) -> float | None:
        return 0.5 if text[:1].lower() == other[:1].lower() else None


SAME_LETTER = SameLetter()


def test_phrases_and_terms_of_a_text() -> None:
    phrases = [TEXT[start:end] for start, end in noun_phrases(TEXT, "en").tolist()]
    assert phrases == ["Ada Berger", "violinist", "Oslo", "old violin"]
    found = [TEXT[start:end] for start, end in phrases_and_words(TEXT, "en").tolist()]
    assert found == [
        "Ada Berger",
        "a",
        "famous",
        "violinist",
        "lived",
        "in",
        "Oslo",
        "and",
        "played",
        "an",
        "old violin",
    ]
    assert noun_phrases("", "en").shape == phrases_and_words("", "en").shape == (0, 2)
    long = f"{TEXT}\n\n" * 4000
    assert len(noun_phrases(long, "en")) == 16_000


CHUNKS = {
    "a phrase with a tagged word": (whole(TEXT, "violinist"), whole(TEXT, "famous violinist"), 1.0, 1.0),
    "a term of which a part is left": (whole(TEXT, "Ada Berger"), whole(TEXT, "Ada"), 1.0, 0.0),
    "a phrase too many": (whole(TEXT, "Oslo"), whole(TEXT, "Oslo", "old violin"), 0.5, 1.0),
    "signs may stay": (whole(TEXT, "Ada Berger,"), whole(TEXT, "Ada", "Berger"), 1.0, 1.0),
    "nothing masked": (whole(TEXT, "Oslo"), [], None, 0.0),
    "nothing tagged": ([], whole(TEXT, "Oslo"), 0.0, None),
}


@pytest.mark.parametrize("case", CHUNKS)
def test_chunks(case: str) -> None:
    gold, output, precision, recall = CHUNKS[case]
    found = chunk_scores([pair(TEXT, [gold], output)])
    assert (found.precision.value, found.recall.value) == (precision, recall)


def test_chunks_are_means_over_documents() -> None:
    rows = [CHUNKS["a phrase too many"], CHUNKS["a term of which a part is left"], CHUNKS["nothing tagged"]]
    found = chunk_scores([pair(TEXT, [gold], output) for gold, output, _, _ in rows])
    assert found.precision.value == pytest.approx((0.5 + 1 + 0) / 3)
    assert found.recall.value == pytest.approx((1 + 0) / 2)


def replaced(what: str, by: str | None) -> Mention:
    return mention(TEXT, what, replacement=by)


ALL = float(sum(map(str.isalnum, TEXT)))
UTILITY = {
    "all is kept": ([], ALL),
    "suppressed": ([replaced("Oslo", None)], ALL - 4),
    "suppressed by a mark": ([replaced("Oslo", "***")], ALL - 4),
    "a mask says nothing": ([replaced("Oslo", "Xxxx"), replaced("Ada Berger", "Xxx Xxxxxx, 99/9")], ALL - 4 - 9),
    "a type without brackets says nothing": ([replaced("Oslo", "LOC"), replaced("violinist", "JOB_TITLE_2")], ALL - 13),
    "nor does one in two kinds of them": ([replaced("Oslo", "<[CITY]>")], ALL - 4),
    "what has other letters is none": ([replaced("violinist", "tax")], ALL - 9 + 3),
    "a tag says nothing": ([replaced("Oslo", "[LOC 1]")], ALL - 4),
    "generalized": ([replaced("violinist", "player")], ALL - 9 + 6),
    "no more than what was there": ([replaced("Oslo", "the capital of Norway")], ALL),
    "one for two": ([replaced("Ada Berger", "woman")], ALL - 9 + 5),
    "a part of a word": ([replaced("Berg", None)], ALL - 6),
    "two for one": ([replaced("violin", "thing"), replaced("ist", "er")], ALL - 9 + 5),
}


@pytest.mark.parametrize("case", UTILITY)
def test_utility(case: str) -> None:
    output, after = UTILITY[case]
    found = utility([pair(TEXT, [], output)], Letters(), spelled)
    assert found.sums == (after, ALL)


def test_utility_of_nothing_is_not_known() -> None:
    assert utility([pair("", [], [])], Letters()).value is None
    assert utility([], FrequencyInformation()).value is None


SAID = {
    "[PERSON 1]": "", "Person 1": "", "<PERSON>": "", "[[NAME]]": "", "{{DATE_TIME}}": "", "***": "", "XXXX": "",
    "a city [2]": "city", "in the 1960s": "1960s", "Boeing 747": "Boeing 747", "NATO": "NATO", "": "",
    "[LOC 1] and a river": "and a river",
}  # fmt: skip


@pytest.mark.parametrize("replacement", SAID)
def test_what_a_replacement_says(replacement: str) -> None:
    assert informative_part(replacement) == SAID[replacement]
    assert informative_part(None) == ""


KEPT = {
    "nothing masked": ([], ALL, ALL, ALL, (0, 0)),
    "suppressed": ([replaced("Oslo", None)], ALL - 4, ALL - 4, ALL, (0, 0)),
    "replaced": ([replaced("Oslo", "overseas")], ALL - 4, ALL - 2, ALL, (1, 1)),
    "not known how near": ([replaced("Oslo", "Norway")], ALL - 4, ALL - 4, ALL - 4, (0, 1)),
    "several words": ([replaced("Ada Berger", "artist")], ALL - 9, ALL - 4.5, ALL, (2, 2)),
    "two mentions, the least counts": (
        [replaced("violin", "vessel"), replaced("ist", None)], ALL - 9, ALL - 9, ALL, (1, 1)
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", KEPT)
def test_kept(case: str) -> None:
    output, information, meaning, of, compared = KEPT[case]
    found = preserved_information([pair(TEXT, [], output)], Letters(), SAME_LETTER, spelled)
    assert found.information.sums == (information, ALL)
    assert found.meaning.sums == (meaning, of)
    assert found.compared.sums == compared


@settings(max_examples=50)
@given(CORPORA)
def test_masking_everything_keeps_nothing(documents: list[DocumentPair]) -> None:
    for one in documents:
        text = one.gold.text
        every = pair(text, [], [Mention(0, len(text))] if text else [])
        found = preserved_information([every], Letters(), SAME_LETTER)
        assert found.information.value in (0.0, None)
        assert found.meaning.value in (0.0, None)
        assert utility([every], Letters()).value in (0.0, None)
        part = preserved_information([one], Letters(), SAME_LETTER)
        assert part.information.value is None or 0 <= part.information.value <= 1
        rest = DocumentPair(one.gold, type(one.output)("x", one.output.mentions[1:]))
        assert (preserved_information([rest], Letters(), SAME_LETTER).information.hits >= part.information.hits).all()


def test_a_models_corpus_and_vectors() -> None:
    model = open_model("default")
    corpus, vectors = CorpusInformation.from_model(model), VectorSimilarity(model, uses_phrases=False)
    bits = corpus.bits(["film", "Kurkaev Osman", "***", "film"])
    assert 0 < bits[0] < bits[1]
    assert bits[2] == 0
    assert bits[3] == bits[0]
    assert corpus.weigh("a film", np.array([(2, 6)]), "en").tolist() == [bits[0]]
    near, far = vectors.similarity("film", "movie"), vectors.similarity("film", "Kurkaevic")
    assert near is not None
    assert 0 < near <= 1
    assert far is None
    assert vectors.similarity("film", "film") == pytest.approx(1.0)


# --- Truth -------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def taxonomies() -> Climber:
    return climber()


TRUTH: dict[tuple[str, str, str], bool | None] = {
    ("Berlin", "Germany", "LOC"): True, ("Berlin", "a city in Germany", "LOC"): True,
    ("Berlin", "France", "LOC"): False, ("Berlin", "a city in France", "LOC"): False,
    ("violinist", "a musician", "DEM"): True, ("violinist", "instrumentalist", "DEM"): True,
    ("violinist", "animal", "DEM"): False, ("violinist", "violinist", "DEM"): True,
    ("dog", "cat", ""): False, ("dog", "animal", ""): True, ("dog", "vessel of no kind", ""): None,
    ("3 May 1961", "the 1960s", "DATETIME"): True, ("3 May 1961", "in the 1950s", "DATETIME"): False,
    ("3 May 1961", "date in the 1960s", "DATETIME"): True, ("3 May 1961", "date in the 1950s", "DATETIME"): False,
    ("3 May 1961", "some day", "DATETIME"): None, ("Ruslan Kurkaev", "a person", "PERSON"): True,
    ("Ruslan Kurkaev", "a dog", "PERSON"): None, ("Kurkaev Holding", "a country", "ORG"): None,
    ("the Netherlands", "Europe", "LOC"): True, ("the Republic of Turkey", "Asia", "LOC"): True,
    ("the Republic of Turkey", "Africa", "LOC"): False, ("The Hague", "a city", "LOC"): True,
    ("in Berlin", "in France", "LOC"): False, ("On 3 May 1961", "In the 1960s", "DATETIME"): True,
    ("in El Salvador", "Central America", "LOC"): True, ("In El Salvador", "Brazil", "LOC"): False,
    ("in Los Angeles", "a city in California", "LOC"): True, ("In The Hague", "the Netherlands", "LOC"): True,
}  # fmt: skip


@pytest.mark.parametrize("case", TRUTH, ids=" = ".join)
def test_truth(case: tuple[str, str, str], taxonomies: Climber) -> None:
    original, replacement, type = case
    assert is_true(original, replacement, taxonomies, type) is TRUTH[case]


FOREIGN: dict[tuple[str, str, str, str], bool | None] = {
    ("es", "12 cm", "10 a 20 cm", "QUANTITY"): True, ("es", "63 %", "80 a 90 %", "QUANTITY"): False,
    ("es", "el 3 de mayo de 1994", "en una fecha", "DATETIME"): True, ("es", "la paciente", "el enfermo", "DEM"): True,
    ("pt", "110", "100 a 200", "QUANTITY"): True, ("pt", "do Brasil", "de um país", "LOC"): True,
    ("de", "am 3. Mai 1994", "in den 1990er Jahren", "DATETIME"): True,
    ("de", "am 3. Mai 1994", "in den 1980er Jahren", "DATETIME"): False,
    ("de", "die Schweiz", "Europa", "LOC"): True, ("de", "die Schweiz", "Asien", "LOC"): False,
}  # fmt: skip


@pytest.mark.parametrize("case", FOREIGN, ids=" = ".join)
def test_truth_in_other_languages_whatever_articles_stand_before(case: tuple[str, str, str, str]) -> None:
    language, original, replacement, type = case
    assert is_true(original, replacement, climber(language=language), type) is FOREIGN[case]


def test_truth_of_documents(taxonomies: Climber) -> None:
    text = "A dog of Berlin, and Kurkaev."
    rows = (("dog", "animal", "MISC"), ("Berlin", "France", "LOC"), ("Kurkaev", "elf", "MISC"), ("A", "[MISC 1]", ""))
    output = [mention(text, one, type=type, replacement=new) for one, new, type in rows]
    output.append(mention(text, "and"))
    found = truth_scores([pair(text, [], output), pair("", [], [])], taxonomies)
    assert (found.true.sums, found.known.sums) == ((1, 2), (2, 3))
    told = [answer for _, answer in verdicts(pair(text, [], output), taxonomies)]
    assert told == [True, False, None]
    assert truth_scores([], taxonomies).true.value is None


# --- Grammar -----------------------------------------------------------------------------------------------------

GRAMMAR = {
    "good": ("Ada met a violinist.", {"violinist": "musician"}, {}),
    "a/an": ("Ada met a violinist.", {"violinist": "artist"}, {"a/an": 1}),
    "two articles": ("Ada met a violinist.", {"violinist": "the artist"}, {"article twice": 1}),
    "one of several": ("Two violinists in Oslo sang.", {"violinists": "person"}, {"number": 1}),
    "several of one": ("A violinist in Oslo sang.", {"violinist": "persons"}, {"number": 1}),
    "a noun before another": ("Three Berlin councils met.", {"Berlin": "place"}, {}),
    "no capital": ("It rained. Berger sang.", {"Berger": "the artist"}, {"no capital": 1}),
    "twice": ("Ada saw the city Oslo.", {"Oslo": "city"}, {"doubled": 1}),
    "suppressed": ("Ada met a violinist.", {"violinist": None}, {}),
}


@pytest.mark.parametrize("case", GRAMMAR)
def test_grammar(case: str) -> None:
    text, edits, expected = GRAMMAR[case]
    output = [mention(text, what, replacement=by) for what, by in edits.items()]
    document = pair(text, [], output)
    assert new_faults(text, masked_text(document)) == expected
    assert grammar_faults([document]).sums == (sum(expected.values()), len(output))


def test_grammar_of_a_language_without_rules_is_not_known() -> None:
    found = grammar_faults([pair("Ada est à Oslo.", [], whole("Ada est à Oslo.", "Oslo"), "fr")])
    assert found.value is None


def test_a_masked_text() -> None:
    output = [replaced("Oslo", "a city"), replaced("Ada Berger", None), replaced("Berger", "nobody")]
    assert masked_text(pair(TEXT, [], output)) == "***, a famous violinist, lived in a city and played an old violin."
    assert "Oslo" not in repr(Annotation("a", (mention(TEXT, "Oslo", replacement="Oslo"),)))
