"""The language of a text: right on plain sentences, a stated default where there is nothing to go by."""

from __future__ import annotations

import subprocess
import sys
import time

import pytest
from hypothesis import given, strategies as st

from embanon.language.detect import MAX_SAMPLED_CHARACTERS, DetectedLanguage, common_language, detect

CASES = {
    "en": "She was born in a small town and moved to the city when she was twelve years old.",
    "es": "Nació en un pueblo pequeño y se mudó a la ciudad cuando tenía doce años.",
    "pt": "Nasceu numa pequena vila e mudou-se para a cidade quando tinha doze anos.",
    "de": "Sie wurde in einer kleinen Stadt geboren und zog mit zwölf Jahren in die Großstadt.",
    "fr": "Elle est née dans une petite ville et a déménagé à l'âge de douze ans.",
    "ru": "Она родилась в маленьком городе и переехала, когда ей было двенадцать лет.",
}

NOTHING = ["", " \n\t", "12345 67", "!?", "a", "\ud800\udfff", "\x00" * 99, "0" * 100_000]


@pytest.mark.parametrize("code", CASES)
@pytest.mark.parametrize("change", [str, str.upper, str.lower], ids=["as is", "upper", "lower"])
def test_sentences(code: str, change: type[str]) -> None:
    found = detect(change(CASES[code]))
    assert found.code == code
    assert found.confidence is not None
    assert 0 < found.confidence <= 1


@pytest.mark.parametrize("text", NOTHING, ids=range(len(NOTHING)))
def test_nothing_to_tell_from_gives_the_default(text: str) -> None:
    assert detect(text) == DetectedLanguage("en", None)
    assert detect(text, default="pt") == DetectedLanguage("pt", None)


# text, what is found, whether the detector itself says so
SHORT = [
    ("Hello there.", "en", False),  # German, says the detector, by a little
    ("Guten Tag, Frau Berger", "de", True),
    ("Bonjour tout le monde", "fr", True),
    ("Ich bin hier.", "de", True),
    ("Ada Berger met Carl Lindner.", "de", False),
]


@pytest.mark.parametrize(("text", "code", "sure"), SHORT, ids=lambda value: str(value))
def test_short_texts(text: str, code: str, sure: bool) -> None:
    found = detect(text)
    assert (found.code, found.confidence is not None) == (code, sure)


def test_a_short_text_that_is_near_the_default_is_in_it() -> None:
    assert detect("Hello there.", default="es").code == "de"
    assert detect("Hello there.", default="de").confidence is not None


@given(st.text())
def test_any_text_has_an_answer(text: str) -> None:
    found = detect(text)
    assert found.code.isalpha()
    assert found == detect(text)


def test_only_the_beginning_counts_so_that_a_stream_agrees() -> None:
    text = (CASES["de"] + "\n\n") * 1000
    assert detect(text[:MAX_SAMPLED_CHARACTERS]) == detect(text + CASES["en"] * 100_000)


@pytest.mark.parametrize("code", CASES)
def test_texts_have_the_language_of_most(code: str) -> None:
    assert common_language([*[CASES[code]] * 5, "", CASES["en"]]) == code
    assert common_language(iter([])) == "en"


def test_long_text_takes_no_longer() -> None:
    def seconds(text: str) -> float:
        started = time.process_time()
        detect(text)
        return time.process_time() - started

    beginning = (CASES["es"] * MAX_SAMPLED_CHARACTERS)[: 2 * MAX_SAMPLED_CHARACTERS]
    detect("warm")
    # A hundred times the text, of which the same beginning is read.
    assert min(seconds(beginning * 100) for _ in range(5)) < 50 * min(seconds(beginning) for _ in range(5))


def test_the_detector_is_loaded_when_asked() -> None:
    code = "import sys, embanon.language.detect; sys.exit('eld' in sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True)
