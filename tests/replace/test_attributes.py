"""Names that only say which of a kind is meant."""

from __future__ import annotations

import pytest

from embanon.anonymizer import load
from embanon.document import Phrase
from embanon.entities import Entity
from embanon.replace.attributes import APPOSITION, LEFT_OUT, end_of_quotation, leave_out
from embanon.replace.grammar import FittedLabel, Slot
from embanon.taxonomy import SHIPPED, climber


def left_out(text: str, name: str, language: str, *, modifies: bool = False) -> FittedLabel | None:
    """Return what stands for a name, of which a common noun may follow."""
    start = text.index(name)
    phrase = Phrase(start, start + len(name), "LOC", "LOC.name", "name", start, start + len(name), 0)
    slot = Slot(phrase, name, name, text[:start], text[start + len(name) :], start, start == 0, modifies, False)
    return leave_out(slot, climber(SHIPPED, language), lambda noun: noun != "casa")


@pytest.mark.parametrize(
    ("language", "text", "name", "noun"),
    [
        ("en", "They met at the Velland regatta.", "Velland regatta", "regatta"),
        ("es", "vendió la finca La Jarilla", "La Jarilla", "finca"),
        ("es", "lo vio en la iglesia de la Antigua", "Antigua", "iglesia"),
        ("pt", "A oficina Ponteiro de Ouro abriu", "Ponteiro de Ouro", "oficina"),
        ("pt", "está no lar da Misericórdia", "lar da Misericórdia", "lar"),
        ("de", "von der Firma Ohlendieck", "Ohlendieck", "Firma"),
    ],
)
def test_the_noun_beside_a_name_says_enough(language: str, text: str, name: str, noun: str) -> None:
    fit = left_out(text, name, language)
    assert fit is not None
    assert (fit.text, fit.rung) == (noun, LEFT_OUT)
    assert text[fit.start :].startswith(noun) or name.endswith(noun)


def test_before_its_noun_a_name_leaves_the_article() -> None:
    fit = left_out("over from an Averstock hub today", "Averstock", "en", modifies=True)
    assert fit is not None
    assert fit.text == "a"


@pytest.mark.parametrize("text", ["The contractor, Velland, has written.", "the agency (Velland) wrote"])
def test_between_commas_and_in_brackets_a_name_goes_with_them(text: str) -> None:
    fit = left_out(text, "Velland", "en")
    assert fit is not None
    assert fit.rung == APPOSITION


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("en", "She went to Velland"), ("es", "se llama Velland"), ("es", "en nombre de Velland"), ("en", "Velland"),
        ("de", "Frau Velland"), ("en", "the baker, Velland, and the nurse"), ("fr", "la ferme Velland"),
        ("en", "We packed the car, Velland, sandwiches and a rope."), ("es", "Ella visita Velland cada año"),
        ("es", "la mitad de Velland"), ("de", "in Richtung Velland"), ("de", "bei Wackerland Velland"),
    ],
)  # fmt: skip
def test_elsewhere_it_needs_a_label(language: str, text: str) -> None:
    assert left_out(text, "Velland", language) is None


def test_a_noun_that_tells_does_not_stay() -> None:
    assert left_out("vendió la casa Velland", "Velland", "es") is None


def test_quotation_marks_go_with_their_name() -> None:
    text = "la novela «El pozo» y"
    start = text.index("El pozo")
    assert end_of_quotation(text, start, start + len("El pozo")) == text.index(" y")
    assert end_of_quotation("Velland", 0, 7) == 7


def test_a_protected_project_is_a_project_everywhere() -> None:
    text = 'Memo on "Project Snowdrop": Snowdrop is late. Nobody may speak of Snowdrop.'
    result = load(language="en").anonymize(text, protect=[Entity("Project Snowdrop", ("Snowdrop",), "MISC")]).text
    assert "nowdrop" not in result
    assert "flower" not in result
    assert result.count('"') == 2
