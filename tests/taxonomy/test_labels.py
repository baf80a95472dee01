"""The inventory of labels: what is true of a phrase, and what must not be said of it."""

from __future__ import annotations

import time

import pytest

from embanon.language import TAGGED_LANGUAGES
from embanon.taxonomy.labels import SECTIONS, load_inventory
from embanon.taxonomy.ladders.tables import load_tables


@pytest.mark.parametrize(
    ("language", "phrase", "type", "label"),
    [
        ("en", "surgeon", "DEM", "a doctor"),
        ("en", "retired greyhound", "MISC", "a dog"),
        ("de", "Religionslehrerin in Metten", "DEM", "eine Lehrkraft"),
        ("de", "Chorea Huntington", "DEM", "eine neurologische Krankheit"),
        ("es", "bandoneonista", "DEM", "un músico"),
        ("pt", "cancro da mama", "DEM", "uma doença oncológica"),
    ],
)
def test_labels(language: str, phrase: str, type: str, label: str) -> None:
    inventory = load_inventory(language)
    assert inventory
    assert inventory.look_up(phrase, type)[:1] == (label,)


def test_heads_of_names() -> None:
    inventory = load_inventory("en")
    assert inventory
    assert inventory.look_up("Seven Heads Surgery", "ORG", named=True)
    assert not inventory.look_up("Seven Heads Surgery", "PERSON", named=True)


@pytest.mark.parametrize(
    ("language", "phrase"),
    [("en", "former surgeon"), ("en", "alleged burglar"), ("es", "falso médico"), ("en", "zorvath"), ("en", "")],
)
def test_what_is_not_true_is_not_said(language: str, phrase: str) -> None:
    inventory = load_inventory(language)
    assert inventory
    assert inventory.look_up(phrase, "DEM") == ()


def test_a_word_is_no_label_of_itself() -> None:
    inventory = load_inventory("en")
    assert inventory
    assert inventory.look_up("Ambulance Service", "ORG", named=True) == ()


def test_a_surname_is_no_trade() -> None:
    inventory = load_inventory("es")
    assert inventory
    assert inventory.look_up("herrero", "DEM")
    assert not inventory.look_up("Herrero", "DEM", named=True)


@pytest.mark.parametrize("language", TAGGED_LANGUAGES)
def test_the_tables_are_large_and_clean(language: str) -> None:
    inventory, tables = load_inventory(language), load_tables(language)
    assert inventory
    assert tables
    assert set(inventory.words) == {section for sections in SECTIONS.values() for section in sections}
    assert sum(map(len, inventory.words.values())) > 9_000
    assert len(inventory.labels) > 700
    for known in inventory.words.values():
        for word, labels in known.items():
            assert word == word.strip() != ""
            assert all(label == label.strip() != "" for label in labels), word


def test_a_huge_phrase_takes_no_time() -> None:
    inventory = load_inventory("de")
    assert inventory
    start = time.process_time()
    assert inventory.look_up("x" * 1_000_000, "MISC") == ()
    assert inventory.look_up("x " * 1_000_000, "MISC", named=True) == ()
    assert time.process_time() - start < 2


def test_other_languages_have_none() -> None:
    assert load_inventory("fi") is None
