"""What is ordinary stays, and what goes with a phrase goes with it."""

from __future__ import annotations

import pytest

from embanon.anonymizer import load
from embanon.document import Document


def anonymized(text: str, language: str) -> str:
    return next(load(language=language).anonymize_all([Document("x", text, language)], ["Ada Berger"])).text


@pytest.mark.parametrize(
    ("language", "text", "kept"),
    [
        ("en", "Ada Berger's firm was valued at 8.4x revenue.", "8.4x revenue"),
        ("en", "Ada Berger sat in the 7th parliament.", "the 7th parliament"),
        ("es", "Ada Berger cuida de hijos menores de 12 años.", "menores de 12 años"),
        ("es", "Ada Berger cobraba tres pesetas por viaje.", "tres pesetas"),
        ("de", "An: Ada Berger, Personalrat\nBitte um Antwort.", "Personalrat"),
        ("es", "Ada Berger trabaja en Conservas Ruiz, S. A. desde enero.", "S. A."),
    ],
)
def test_what_is_ordinary_stays(language: str, text: str, kept: str) -> None:
    assert kept in anonymized(text, language)


@pytest.mark.parametrize(
    ("language", "text", "expected"),
    [
        ("pt", "Ada Berger paga 780,00 € (setecentos e oitenta euros) de renda.", "cerca de 800 € de renda"),
        ("de", "Ada Berger zahlte ca. 18.000 € für den Wagen.", "zahlte mehr als 10.000 € für"),
        ("en", "Ada Berger paid £97.5m for it.", "about £98m"),
        ("es", "Ada Berger cumplió 16 años en mayo.", "cumplió [edad]"),
        ("en", "Ada Berger came. Her brother Jonas, who is eighty, left.", "in his early 80s"),
        ("en", "From: Karl Berger\nAbout: Ada Berger\n\nAda Berger sleeps.\n\nDear Mr Berger,\n", "Dear Person 1,"),
        ("en", "Ada Berger was 47 and lived with her husband.", "in her late 40s"),
    ],
)
def test_what_goes_with_a_phrase(language: str, text: str, expected: str) -> None:
    assert expected in anonymized(text, language)
