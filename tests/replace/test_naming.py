"""What stands for the same thing again, for others like it, and for what no word fits."""

from __future__ import annotations

import pytest

from embanon.document import Phrase
from embanon.replace.naming import ELLIPSIS, ExistingPlaceholders, Naming, as_another, strip_number


def phrase(type: str, kind: str = "", form: str = "name") -> Phrase:
    return Phrase(0, 4, type, kind or f"{type}.x", form, 0, 4, 0)


@pytest.mark.parametrize(
    ("language", "label", "wanted"),
    [
        ("en", "a hospital", ["a hospital", "the hospital", "hospital B", "hospital B"]),
        ("en", "an office", ["an office", "the office", "office B", "office B"]),
        ("es", "una empresa", ["una empresa", "la empresa", "la empresa B", "la empresa B"]),
        ("pt", "um clube", ["um clube", "o clube", "o clube B", "o clube B"]),
        ("de", "ein Gericht", ["ein Gericht", "das Gericht", "Gericht B", "Gericht B"]),
    ],
)
def test_first_again_and_another(language: str, label: str, wanted: list[str]) -> None:
    naming, seen = Naming(language), list[str]()
    for group in (7, 7, 9, 9):
        seen.append(next(naming.variants(label, group)))
        naming.note(label.partition(" ")[2], group)
    assert seen == wanted


def test_alone_they_are_numbered() -> None:
    naming = Naming("en")
    naming.note("hospital", 1)
    assert list(naming.variants("a hospital", 1, alone=True)) == ["a hospital"]
    assert list(naming.variants("a hospital", 2, alone=True)) == ["hospital B"]


@pytest.mark.parametrize(
    ("language", "one", "wanted"),
    [
        ("en", phrase("MISC", "MISC.project"), "[project 1]"),
        ("en", phrase("PERSON", "PERSON.name"), "[name 1]"),
        ("en", phrase("DEM", "DEM.religion", "common"), "[religion]"),
        ("en", phrase("DEM", "DEM.statement", "common"), ELLIPSIS),
        ("en", phrase("MISC", "MISC.other", "common"), ELLIPSIS),
        ("de", phrase("ORG"), "[Organisation 1]"),
        ("pt", phrase("DATETIME", "DATETIME.month", "date"), "[mês]"),
        ("fi", phrase("ORG"), "[ORG 1]"),
    ],
)
def test_brackets(language: str, one: Phrase, wanted: str) -> None:
    assert Naming(language).bracket(one, 3) == wanted


def test_brackets_go_on_where_an_earlier_run_stopped() -> None:
    existing = ExistingPlaceholders.from_text("Person 3 saw [project 2] and [ORG 5] […].")
    assert existing.highest == {"PERSON": 3, "project": 2, "ORG": 5}
    assert Naming("en", existing.highest).bracket(phrase("MISC", "MISC.project"), 1) == "[project 3]"
    assert len(existing.spans) == 4


def test_numbers_say_nothing() -> None:
    assert strip_number("hospital B") == "hospital"
    assert strip_number("la empresa C") == "la empresa"
    assert strip_number("a hospital") == "a hospital"
    assert strip_number("C") == "C"


@pytest.mark.parametrize(
    ("text", "language", "expected"),
    [
        ("a hospital in Norway", "en", "another hospital in Norway"),
        ("An inn", "en", "Another inn"),
        ("en un hospital", "es", "en otro hospital"),
        ("numa escola", "pt", "noutra escola"),
        ("de uma empresa", "pt", "de outra empresa"),
        ("einem Verein", "de", "einem anderen Verein"),
        ("ein Krankenhaus", "de", "ein anderes Krankenhaus"),
        ("eine Stadt", "de", "eine andere Stadt"),
        ("the hospital", "en", ""),
        ("hospital", "es", ""),
        ("", "de", ""),
    ],
)  # fmt: skip
def test_the_second_of_a_kind_is_another_one(text: str, language: str, expected: str) -> None:
    assert as_another(text, language) == expected


def test_another_is_one_of_its_kind() -> None:
    assert strip_number("another hospital") == strip_number("hospital B") == "hospital"
    assert strip_number("otra ciudad") == "ciudad"
    assert strip_number("einem anderen Verein") == "Verein"
