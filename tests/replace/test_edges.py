"""What goes with a phrase that is replaced: units, genitives, weekdays; nothing of the sentence around it."""

from __future__ import annotations

import pytest

from embanon.replace.edges import end_with_unit, genitive_of, start_of_weekday, without_second_about


@pytest.mark.parametrize(
    ("text", "name", "language", "expected"),
    [
        ("Mareike Ottersbachs Antrag wurde abgelehnt.", "Mareike Ottersbachs", "de", ("s", 0)),
        ("Klaus’ Fahrrad ist weg.", "Klaus", "de", ("s", 1)),
        ("James Burgess' bicycle is gone.", "James Burgess", "en", ("'s", 1)),
        ("Thomas Fieber hat er nicht.", "Thomas", "de", ("", 0)),
        ("Lukas Urlaub ist lang.", "Luka", "de", ("", 0)),
        ("Klaus", "Klaus", "de", ("", 0)),
        ("", "", "de", ("", 0)),
    ],
)  # fmt: skip
def test_the_genitive_of_a_name(text: str, name: str, language: str, expected: tuple[str, int]) -> None:
    assert genitive_of(text, len(name), name, language) == expected


@pytest.mark.parametrize(
    ("text", "language", "kind", "rest"),
    [
        ("71 a, viudo", "es", "DEM.age", ", viudo"),
        ("71 a lo sumo", "es", "DEM.age", " a lo sumo"),
        ("29 J., Verkäuferin", "de", "DEM.age", ", Verkäuferin"),
        ("71 a year ago", "en", "DEM.age", " a year ago"),
        ("42 yo builder", "en", "DEM.age", " builder"),
        ("42", "pt", "DEM.age", ""),
    ],
)  # fmt: skip
def test_the_unit_of_an_age(text: str, language: str, kind: str, rest: str) -> None:
    assert text[end_with_unit(text, 2, "DEM", kind, language) :] == rest


def test_a_weekday_goes_with_its_date_unless_a_preposition_holds_it() -> None:
    for text, start in (("Zeit: Fr., 07.10.2022", 6), ("am Fr., 07.10.2022", 8), ("07.10.2022", 0)):
        assert start_of_weekday(text, 0, text.index("07"), lambda word: word == "Fr") == start


def test_about_is_said_once() -> None:
    assert without_second_about("ca. 6.500 €", 4, "etwa 7.000 €") == "7.000 €"
    assert without_second_about("6.500 €", 0, "etwa 7.000 €") == "etwa 7.000 €"
