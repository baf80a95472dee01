"""What a text with entries of one's own reads like: whom they are given to, and how their labels stand."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import pytest

import embanon as library
from embanon.taxonomy import climber
from tests.replace.test_entries import build


class Case(NamedTuple):
    """A table, a text, and what becomes of it."""

    rows: tuple[tuple[str, ...], ...]
    text: str
    expected: str
    language: str = "en"
    protect: Any = "everyone"
    others: tuple[str, ...] = ("wordnet", "places")


HOLLIS, TOM = (("Hollis", "a supplier"),), (("Tom Hollis", "a foreman"),)
DOCTORS = ("surgeon", "a doctor"), ("bassoonist", "a musician")
CASES = {
    "no entry is another's of the name": Case(
        HOLLIS,
        "Hollis delivered late. Tom Hollis, a patient, died. Ben Kolb met Tom. Hollis left.",
        "A supplier delivered late. Person 1, a patient, died. Person 2 met Person 1. The supplier left.",
    ),
    "nor a protected person's": Case(
        HOLLIS, "Hollis delivered late. Tom Hollis died.", "A supplier delivered late. Person 1 died.",
        protect=["Tom Hollis"],
    ),
    "nor that of another type": Case(
        (("Mercury", "a project"),), "Mercury grew. Ada Lind met Freddie Mercury.",
        "A project grew. Person 1 met [name 1].",
    ),
    "a part of a name is the same": Case(
        TOM, "Hollis came late. Tom Hollis died. Mr T. Hollis met Ben Kolb.",
        "A foreman came late. The foreman died. The foreman met Person 1.",
    ),
    "a name of two letters is no label's": Case(
        (("Larkspur Hall", "Li house", "a house"),), "Larkspur Hall is where Wei Li works.",
        "A house is where Person 1 works.", protect=["Wei Li"],
    ),
    "nor that of anybody else": Case(
        (("Larkspur Hall", "Li house", "a house"),), "Larkspur Hall is where Wei Li works.",
        "A house is where Person 1 works.",
    ),
    "whose son somebody is": Case(
        DOCTORS, "Ada Lind is a surgeon's son. Ben Kolb is a bassoonist's widow.",
        "Person 1 is a son. Person 2 is a widow.",
    ),
    "a noun whose description is known as another thing": Case(
        DOCTORS, "Ada Lind, a tree surgeon, met a brain surgeon, Ben Kolb, and Tom Marsk, a retired bassoonist.",
        "Person 1, a manual worker, met a doctor, Person 2, and Person 3, a retired musician.",
    ),
    "and where no other store is asked": Case(
        DOCTORS, "Ada Lind, a tree surgeon, was here.", "Person 1, a manual worker, was here.", others=()
    ),
    "a determiner behind another and an adjective": Case(
        (("Larkspur Hall", "our southern site", "a site"),),
        "They sold the beautiful Larkspur Hall. He saw this Larkspur Hall, and went to Larkspur Hall.",
        "They sold the beautiful site. He saw this site, and went to our southern site.",
    ),
    "at a hyphen": Case(
        (("Graz", "our town", "a town"),), "Ada Lind met the Graz-born Ben Kolb in Graz.",
        "Person 1 met a town-born Person 2 in our town.",
    ),
    "one of several in Spanish": Case(
        (("Acme SL", "uno de nuestros clientes", "un cliente"),), "Trabaja en Acme SL y paga a la vieja Acme SL.",
        "Trabaja en uno de nuestros clientes y paga a un viejo cliente.", "es",
    ),
    "in Portuguese": Case(
        (("Acme SL", "uma das nossas empresas", "uma empresa"),), "Trabalha na Acme SL. A Acme SL pagou.",
        "Trabalha numa das nossas empresas. Uma das nossas empresas pagou.", "pt",
    ),
    "in German": Case(
        (("Tallis GmbH", "einer unserer Lieferanten", "ein Lieferant"),), "Die Tallis GmbH sprach mit der Tallis GmbH.",
        "Einer unserer Lieferanten sprach mit einem unserer Lieferanten.", "de",
    ),
    "an article in a list, and a genitive": Case(
        (("Tallis & Sons", "a supplier"), *TOM),
        "Tallis & Sons, Ada Lind and Ben Kolb met. Tom Hollis' car burned. She saw Tom Hollis's house.",
        "A supplier, Person 1 and Person 2 met. A foreman's car burned. She saw the foreman's house.",
    ),
    "who is refused the entry has a number of their own": Case(
        (("Tom Hollis", "our foreman"),), "The beautiful Tom Hollis came. Ada Lind left.",
        "The beautiful Person 2 came. Person 1 left.",
    ),
    "in a case that German does not tell": Case(
        (("Tom Hollis", "ein Vorarbeiter"),), "Wir danken Tom Hollis. Ada Lind kam. Tom Hollis’ Haus brannte.",
        "Wir danken Person 1. Person 2 kam. Person 1s Haus brannte.", "de",
    ),
    "and in others": Case(
        (("Tom Hollis", "ein Vorarbeiter"),), "Ada Lind kam. Gestern rief Tom Hollis an. Wir sprachen mit Tom Hollis.",
        "Person 1 kam. Gestern rief ein Vorarbeiter an. Wir sprachen mit dem Vorarbeiter.", "de",
    ),
    "a label in the plural behind an article": Case(
        (("malignant neoplasm of colon", "malignant neoplasms of digestive organs", "an illness"),),
        "Ada Lind has a malignant neoplasm of colon. Ben Kolb had a large malignant neoplasm of colon.",
        "Person 1 has malignant neoplasms of digestive organs. Person 2 had a neoplasm.",
    ),
    "and in German": Case(
        (("Brustkrebs", "Neubildungen der Brust"),), "Ada Lind hat einen Brustkrebs.",
        "Person 1 hat Neubildungen der Brust.", "de",
    ),
    "and in Spanish": Case(
        (("cáncer de mama", "neoplasias malignas de la mama"),), "Ana Lindo tiene un cáncer de mama.",
        "Persona 1 tiene neoplasias malignas de la mama.", "es",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_what_becomes_of_a_text(tmp_path: Path, name: str) -> None:
    rows, text, expected, language, protect, others = CASES[name]
    anonymizer = library.load(language=language, stores=[build(tmp_path, "own", rows), *others])
    assert anonymizer.anonymize(text, protect).text == expected


def test_a_store_that_is_too_large_for_other_forms_says_so(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    build(tmp_path, "small", DOCTORS)
    assert "note:" not in capsys.readouterr().err
    for name in ("taxonomy.entries", "cli.commands.ontology"):
        monkeypatch.setattr(f"embanon.{name}.MAX_INDEXED", 3)
    store = build(tmp_path, "large", DOCTORS)
    assert "note: of more than 3 labels only exact ones are found; " in capsys.readouterr().err
    entries = climber((store,)).entries
    assert entries.find("surgeon", False)
    assert not entries.find("surgéons", False)
