from __future__ import annotations

import pytest

from embanon.document import Phrase
from embanon.text.analyzer import load_analyzer
from embanon.text.corrections import correct_phrases
from embanon.text.find import text_phrases

CASES = [
    ("She was in the films Titanic (1997), Nancy Drew and Blade (1998).", "Nancy Drew", "MISC"),
    ("He starred in films such as Zebra, Profiler and Ada Berger.", "Ada Berger", "PERSON"),
    ("He was praised for a revival of Equus.", "Equus", "MISC"),
    ("He was seen in the film Suicide Squad.", "Suicide Squad", "MISC"),
    ("The film Ada Berger made was long.", "Ada Berger", "PERSON"),
    ("She won the prize for Best Actress in Bergen.", "Best Actress", "MISC"),
    ("He played for the Kemptville Royals in 1947.", "Kemptville Royals", "ORG"),
    ("He met Ada Berger in Oslo.", "Ada Berger", "PERSON"),
    ("He praised Zorblax Quonk in Oslo.", "Zorblax Quonk", "MISC"),
    ("He met Zorblax Quonk in Oslo.", "Zorblax Quonk", "PERSON"),
    ("Ada Berger and Zorblax Quonk left.", "Zorblax Quonk", "PERSON"),
    ("He wrote to J. K. Quonk.", "J. K. Quonk", "PERSON"),
]


def phrases_of(text: str) -> list[Phrase]:
    return list(text_phrases(load_analyzer("en"), text))


@pytest.mark.parametrize(("text", "name", "expected"), CASES, ids=[name + " " + kind for _, name, kind in CASES])
def test_what_stands_beside_a_name_says_what_it_is(text: str, name: str, expected: str) -> None:
    phrases = phrases_of(text)
    better = correct_phrases(text, phrases, (), "en")
    found = {text[one.start : one.end]: better.get(place, one).type for place, one in enumerate(phrases)}
    assert found[name] == expected


def test_what_is_protected_stays_what_it_is() -> None:
    text = "He was seen in the film Suicide Squad."
    phrases = phrases_of(text)
    assert not correct_phrases(text, phrases, range(len(phrases)), "en")
    assert not correct_phrases(text, phrases, (), "de")
