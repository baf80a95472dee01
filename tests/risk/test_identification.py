"""Risk as a probability: between 0 and 1, higher where a mention is likelier, the power where nothing was learnt."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from embanon.config import Config
from embanon.document import Document
from embanon.errors import DataError
from embanon.risk.identification import SIZES, Evidence, Identification, load_identification
from embanon.text import find_phrases

TEXT = "Maria Lopez keeps bees. Maria Lopez likes the garden and the weather."


def test_a_likelier_mention_is_riskier() -> None:
    phrases = find_phrases(Document("x", TEXT, "en"), config=Config(language="en")).phrases
    power = np.full(len(phrases), 0.3)
    chances = [np.full(len(phrases), chance, np.float32) for chance in (0.01, 0.3, 0.7, 0.99)]
    risks = [load_identification().probability(TEXT, replace(phrases, chance=chance), power) for chance in chances]
    assert all((lower <= higher).all() for lower, higher in pairwise(risks))
    assert ((risks[0] >= 0) & (risks[-1] <= 1)).all()


def test_what_nothing_was_learnt_of_keeps_its_power() -> None:
    phrases = find_phrases(Document("x", TEXT, "en"), config=Config(language="en")).phrases
    power = np.linspace(0.1, 0.9, len(phrases))
    unknown = np.full(len(phrases), np.nan, np.float32)
    for chance in (None, unknown):
        result = load_identification().probability(TEXT, replace(phrases, chance=chance), power)
        np.testing.assert_array_equal(result, power)


def test_weights_round_trip() -> None:
    weights = load_identification()
    again = Identification.from_bytes(weights.to_bytes())
    assert again.bias == weights.bias
    assert {name: len(table) for name, table in again.weights.items()} == SIZES


def test_bad_weights_are_refused() -> None:
    with pytest.raises(DataError):
        Identification.from_bytes(b"no archive")


def test_the_same_elsewhere_counts() -> None:
    phrases = find_phrases(Document("x", TEXT, "en"), config=Config(language="en")).phrases
    chance = np.zeros(len(phrases), np.float32)
    chance[0] = 1
    elsewhere = Evidence.gather(TEXT, phrases, chance).columns["elsewhere"]
    alike = [place for place, one in enumerate(phrases) if TEXT[one.start : one.end] == "Maria Lopez"]
    assert len(alike) == 2
    assert elsewhere[alike[1]] > Evidence.gather(TEXT, phrases, np.zeros_like(chance)).columns["elsewhere"][alike[1]]
