"""The lexicon: what word forms are known to be, and at what cost."""

from __future__ import annotations

import gc
import pickle
import string
import time
import tracemalloc
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given, strategies as st

from embanon.data import find_resource
from embanon.errors import DataError
from embanon.language.lexicon import LANGUAGES, Cue, Lexicon, fold_name

FLAGS = [
    # language, word, cues that it has, cues that it has not
    ("en", "October", "MONTH", ""),
    ("en", "May", "MONTH", ""),
    ("en", "may", "STOP", "MONTH GIVEN_NAME"),
    ("en", "Mr.", "TITLE ABBREVIATION", ""),
    ("en", "Will", "GIVEN_NAME AMBIGUOUS", ""),
    ("en", "will", "STOP", "GIVEN_NAME"),
    ("en", "John", "GIVEN_NAME MALE", "FEMALE ROLE"),
    ("en", "MARY", "GIVEN_NAME FEMALE", "MALE"),
    ("en", "Smith", "SURNAME", ""),
    ("en", "smith", "", "SURNAME"),
    ("en", "London", "CITY MAJOR", "AMBIGUOUS"),
    ("en", "london", "", "CITY"),
    ("en", "Reading", "CITY AMBIGUOUS", ""),
    ("en", "Nice", "CITY AMBIGUOUS", ""),
    ("de", "Klein", "SURNAME AMBIGUOUS", ""),
    ("en", "France", "COUNTRY", ""),
    ("en", "U.S.", "COUNTRY", ""),
    ("en", "us", "STOP", "COUNTRY"),
    ("en", "Polish", "NATIONALITY", ""),
    ("en", "polish", "", "NATIONALITY"),
    ("en", "Turkish", "NATIONALITY", ""),
    ("en", "Americans", "NATIONALITY", ""),
    ("en", "Catholic", "DEM", ""),
    ("en", "actresses", "ROLE", "KIN"),
    ("en", "cardiologist", "ROLE", ""),
    ("en", "stepmother", "KIN", "ROLE"),
    ("en", "ex-wife", "KIN", ""),
    ("en", "65-year-old", "AGE", ""),
    ("en", "Jean-Pierre", "GIVEN_NAME", ""),
    ("en", "Smith-Jones", "SURNAME", ""),
    ("en", "Court", "ORG_HEAD", ""),
    ("en", "universities", "ORG_HEAD", ""),
    ("en", "plc", "ORG_SUFFIX", ""),
    ("en", "as", "", "ORG_SUFFIX"),
    ("en", "Of", "STOP", "CITY SURNAME"),
    ("en", "wolves", "", "SURNAME"),
    ("en", "paragraphs", "REFERENCE", ""),
    ("en", "§", "REFERENCE", ""),
    ("en", "€", "CURRENCY", ""),
    ("en", "leukemia", "HEALTH", ""),
    ("en", "the", "DETERMINER STOP CONNECTOR", ""),
    ("es", "octubre", "MONTH", ""),
    ("es", "GARCÍA", "SURNAME", ""),
    ("es", "GARCIA", "SURNAME", ""),
    ("es", "abogadas", "ROLE", ""),
    ("es", "músico", "ROLE", ""),
    ("es", "música", "", "ROLE"),
    ("es", "españolas", "NATIONALITY", ""),
    ("es", "Londres", "CITY MAJOR", ""),
    ("es", "D.", "TITLE ABBREVIATION", ""),
    ("es", "judía", "DEM", ""),
    ("es", "niñas", "ROLE", "KIN"),
    ("es", "hombre", "ROLE", ""),
    ("es", "mujeres", "KIN", ""),
    ("es", "lactante", "ROLE", ""),
    ("es", "familia", "KIN", ""),
    ("pt", "brasileiras", "NATIONALITY", ""),
    ("pt", "alemães", "NATIONALITY", ""),
    ("pt", "João", "GIVEN_NAME MALE", "ROLE"),
    ("pt", "enfermeiras", "ROLE", ""),
    ("pt", "segunda-feira", "WEEKDAY", ""),
    ("pt", "Moscovo", "CITY", ""),
    ("pt", "crianças", "ROLE", ""),
    ("pt", "homens", "ROLE", ""),
    ("pt", "família", "KIN", ""),
    ("de", "Richterin", "ROLE", ""),
    ("de", "Landgericht", "ORG_HEAD", ""),
    ("de", "Bahnhofstraße", "PLACE_HEAD", ""),
    ("de", "STRASSE", "PLACE_HEAD", ""),
    ("de", "Reich", "PLACE_HEAD", ""),
    ("de", "reich", "", "PLACE_HEAD"),
    ("de", "entwickelte", "", "DEM"),
    ("de", "deutschen", "NATIONALITY", ""),
    ("de", "Frankreichs", "COUNTRY", "PLACE_HEAD"),
    ("de", "Müller", "SURNAME ROLE", ""),
    ("de", "Mädchen", "ROLE", ""),
    ("de", "Junge", "ROLE", ""),
    ("de", "junge", "", "ROLE"),
    ("de", "Familien", "KIN", ""),
    ("fr", "janvier", "MONTH", ""),
    ("fr", "Paris", "CITY MAJOR", ""),
    ("fr", "les", "STOP", ""),
    ("xx", "London", "CITY", ""),
    ("xx", "qwrtz", "", "CITY SURNAME STOP"),
]


def cues(names: str) -> int:
    return sum(int(Cue[name]) for name in names.split())


@pytest.mark.parametrize(("language", "word", "has", "lacks"), FLAGS, ids=lambda value: str(value) or "-")
def test_word_has_its_cues(language: str, word: str, has: str, lacks: str) -> None:
    found = Lexicon.load(language).flags(word)
    assert found & cues(has) == cues(has)
    assert not found & cues(lacks)


@pytest.mark.parametrize(
    ("name", "has"),
    [
        ("New York", "CITY"),
        ("new york", "CITY"),
        ("United Kingdom", "COUNTRY"),
        ("Costa Rica", "COUNTRY"),
        ("Estados Unidos", "COUNTRY"),
        ("Vereinigte Staaten", "COUNTRY"),
        ("SÃO  PAULO", "CITY REGION"),
        ("SAO\nPAULO", "CITY REGION"),
        ("Nueva York", "CITY"),
        ("Soviet Union", "COUNTRY"),
        ("Blue Suede Shoes", ""),
        ("", ""),
    ],
)
def test_place_of_several_words(name: str, has: str) -> None:
    found = Lexicon.load("en").place_cues(name)
    assert found & cues(has) == cues(has)
    assert bool(found) == bool(has)


def test_cues_fit_a_signed_integer() -> None:
    assert max(Cue) < 2**63


@given(st.text(st.characters(exclude_categories=())))
def test_no_string_is_too_strange(word: str) -> None:
    for language in ("en", "de", "xx"):
        lexicon = Lexicon.load(language)
        assert lexicon.flags(word) >= 0
        assert lexicon.place_cues(word) >= 0


@given(st.text())
def test_names_need_a_capital(word: str) -> None:
    if word == fold_name(word):
        assert not Lexicon.load("xx").flags(word) & (Cue.CITY | Cue.GIVEN_NAME | Cue.SURNAME)


def test_composed_and_decomposed_forms_are_one() -> None:
    lexicon = Lexicon.load("pt")
    assert lexicon.flags("Joa\u0303o") == lexicon.flags("Jo\u00e3o") != 0


def test_lexicon_is_pickled_by_its_language() -> None:
    lexicon = Lexicon.load("de")
    data = pickle.dumps(lexicon)
    assert len(data) < 200
    assert pickle.loads(data) is lexicon


def test_language_codes_with_a_region() -> None:
    assert Lexicon.load("pt-BR") is Lexicon.load("pt") is Lexicon.load("PT_br")


def test_any_code_costs_next_to_nothing() -> None:
    Lexicon.load("xx")
    codes = [a + b + c for a in "qrstuvwxyz" for b in string.ascii_lowercase for c in string.ascii_lowercase]
    tracemalloc.start()
    started = time.process_time()
    for code in codes:
        Lexicon.load(code)
    seconds, kept = time.process_time() - started, tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    started = time.process_time()
    Lexicon.load_handwritten("en")
    assert seconds / len(codes) < time.process_time() - started  # far less than to read a lexicon
    assert kept < 100_000
    assert Lexicon.load("xx").folded is Lexicon.load("qq").folded


def test_threads_see_the_same() -> None:
    with ThreadPoolExecutor(8) as pool:
        found = set(pool.map(lambda _: Lexicon.load("es").flags("abogada"), range(64)))
    assert len(found) == 1


def test_repr_is_short() -> None:
    assert len(repr(Lexicon.load("en"))) < 200


def test_names_share_one_table() -> None:
    assert Lexicon.load("en").names is Lexicon.load("de").names


def test_shipped_lists_are_small() -> None:
    folder = find_resource("ontologies", "gazetteer")
    sizes = [len(file.read_bytes()) for file in folder.iterdir() if file.name.endswith(".gz")]
    assert sum(sizes) < 3_000_000


def test_missing_data_says_what_to_do() -> None:
    with pytest.raises(DataError, match="pip install"):
        find_resource("ontologies", "nowhere.txt")


def test_look_up_takes_no_longer_in_long_words() -> None:
    lexicon = Lexicon.load("de")

    def seconds(word: str) -> float:
        gc.collect()
        start = time.process_time()
        for _ in range(20):
            lexicon.flags(word)
        return time.process_time() - start

    # Closed compounds are searched end by end: only ends that can be a head may be tried.
    assert min(seconds("X" * 200_000) for _ in range(3)) < 200 * min(seconds("X" * 20_000) for _ in range(3))


def test_every_class_of_every_language_is_known() -> None:
    for language in LANGUAGES:
        lexicon = Lexicon.load_handwritten(language)
        tables = (lexicon.exact, lexicon.folded, lexicon.capitalized)
        present = 0
        for table in tables:
            for bits in table.values():
                present |= bits
        words = "MONTH WEEKDAY SEASON TIME_UNIT NUMBER_WORD UNIT CURRENCY TITLE PARTICLE NATIONALITY DEM"
        words += " ORG_HEAD ORG_SUFFIX PLACE_HEAD WORK_HEAD EVENT_HEAD AWARD_HEAD LAW_HEAD ROLE KIN REFERENCE"
        words += " NUMBER_MARK STOP ABBREVIATION HEALTH CONNECTOR AGE SCALE ERA DETERMINER PRONOUN"
        assert present & cues(words) == cues(words)
