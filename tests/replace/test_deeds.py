"""What somebody did, in plain words."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from embanon.replace.deeds import plain_deed

RARE = frozenset("vigil torpedo raspall Jugendamt".split())
UNIQUE = frozenset(("only", "first", "única", "einzige"))


def plain(written: str, language: str) -> str:
    return plain_deed(written, language, lambda word: word not in RARE, UNIQUE)


@pytest.mark.parametrize(
    ("language", "written", "deed"),
    [
        ("en", "stopped the torpedo wagon off that apprentice", "stopped the wagon"),
        ("en", "Played bass on a number one in 1991", "Played bass"),
        ("en", "carried the only dentist over to the mast", "carried a dentist"),
        ("en", "marker post and went into the dyke on its roof", "post and went into the dyke"),
        ("es", "se cayó de la torre arreglando el reloj", "se cayó de la torre"),
        ("es", "saltó del balcón del segundo piso", "saltó del balcón"),
        ("pt", "ganhou a final nacional do concurso de leitura", "ganhou a final"),
        ("de", "siebenjährigen Enkel vor dem Haus zeigte", "Enkel zeigte"),
        ("de", "mit einem einzigen Volk vom Schwiegervater", "mit einem Volk"),
        ("de", "Kind aus einem brennenden Ballonkorb geborgen hat", "Kind geborgen hat"),
    ],
)
def test_the_verb_and_what_stands_first_behind_it_stay(language: str, written: str, deed: str) -> None:
    assert plain(written, language) == deed


@pytest.mark.parametrize(
    ("language", "written"),
    [
        ("en", ""), ("en", "was in Leeds"), ("es", "notorio"), ("en", "x" * 300), ("cs", "spadl z věže"),
        ("de", "ist gehörlos"), ("en", "🙂 \u0301"), ("pt", "العربية"),
    ],
)  # fmt: skip
def test_where_nothing_can_be_said_nothing_is(language: str, written: str) -> None:
    assert plain(written, language) == ""


def test_rare_words_and_names_go() -> None:
    assert plain("kissed a torpedo at the vigil", "en") == "kissed something"
    assert plain("kissed Ada Berger at the vigil", "en") == ""
    assert "raspall" not in plain("ganó la final de raspall en Gandía", "es")


@given(st.text(max_size=80), st.sampled_from(("en", "es", "pt", "de")))
def test_no_word_is_new_but_an_article_or_something(text: str, language: str) -> None:
    deed = plain(text, language).lower().replace(",", "").split()
    allowed = {"something", "algo", "etwas", "a", "un", "una", "um", "uma", "ein", "eine", "einen", "einem"}
    assert all(word in text.lower() or word in allowed for word in deed)


@pytest.mark.parametrize(
    ("language", "written"),
    [
        ("de", "den Brand nicht gelegt, der die Mühle zerstörte"), ("de", "hat beinahe das Haus verloren"),
        ("en", "sold the bishop of the town a stolen horse"), ("en", "gave his mother money at last"),
        ("en", "turned the offer down"), ("en", "had the bishop of the town arrested"),
        ("es", "regaló a su hija un caballo"),
    ],
)  # fmt: skip
def test_what_would_be_false_is_not_said(language: str, written: str) -> None:
    assert plain(written, language) == ""


def test_a_long_list_takes_no_time() -> None:
    assert plain("tuba oboe viola drum harp flute horn bell gong lute " * 4, "en") in ("", "Tuba")
