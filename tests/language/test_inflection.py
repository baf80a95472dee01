"""Genders, plurals and compounds of German nouns, of which a dictionary has most."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from embanon.language import compound_head, is_dictionary_noun, is_known_noun, noun_gender, plural_form

WORDS = st.text(alphabet="abcdeghilmnorstuäöß-", min_size=1, max_size=30).map(str.capitalize)


@pytest.mark.parametrize(
    ("noun", "gender", "plural"),
    [
        ("Gabel", "f", "Gabeln"), ("Ventil", "n", "Ventile"), ("Bratwurstgabel", "f", "Bratwurstgabeln"),
        ("Winzerschaft", "f", None), ("Almkäserin", "f", None), ("Meerestier", "n", "Meerestiere"),
        ("IT-Fachkraft", "f", "IT-Fachkräfte"), ("China", "", None),
    ],
)  # fmt: skip
def test_german_nouns(noun: str, gender: str, plural: str | None) -> None:
    assert noun_gender(noun, "de") == gender
    assert plural is None or plural_form(noun, "de") == plural


@pytest.mark.parametrize(
    ("noun", "last"),
    [
        ("Bratwurstgabel", "Gabel"), ("Gewitterwolken", "Wolken"), ("Personalrat", "Rat"), ("Gesundheitsamt", "Amt"),
        ("Haustier", "Tier"), ("Kantine", ""), ("Bernischen", ""), ("Imkerschaft", ""), ("Staatsanwaltschaft", ""),
        ("Nichtschwimmerin", ""), ("Antialkoholiker", ""), ("Scheinehe", ""), ("Spielzeugpistole", ""),
        ("Brandstiftung", ""), ("", ""), ("🙂", ""),
    ],
)  # fmt: skip
def test_what_german_compounds_end_in(noun: str, last: str) -> None:
    assert compound_head(noun) == last


def test_a_dictionary_knows_more_than_the_lexicon() -> None:
    assert is_dictionary_noun("Müller", "de")
    assert not is_known_noun("Müller", "de")
    assert not is_dictionary_noun("Guinea", "de")
    assert not is_dictionary_noun("Gabel", "en")


@given(WORDS)
def test_a_compound_ends_in_what_it_is(noun: str) -> None:
    last = compound_head(noun)
    assert noun.lower().endswith(last.lower())
    assert len(last) < len(noun)
