"""Linkage gain: what speaks for the target alone is much, what speaks for all or nobody is nothing."""

from __future__ import annotations

import pytest

from embanon.linkage.attackers import Background
from embanon.replace.checks import LinkageGain

NAMES = ["Ada Berger", "Ben Marsk", "Cora Tolland"]
TEXTS = [
    "Berger is a Norwegian oboist of the 1960s who plays in an orchestra.",
    "Marsk is an actor of the 1950s who plays in a theater.",
    "Tolland is an actor of the 1960s who plays in films.",
]


@pytest.fixture(scope="module")
def gain() -> LinkageGain:
    return LinkageGain.for_document("plays in the 1960s", Background.from_texts(NAMES, TEXTS), 0)


@pytest.mark.parametrize(
    ("label", "small"),
    [
        ("a Norwegian", False), ("an oboist", False), ("plays", True), ("an actor", True), ("a theater", True),
        ("the", True), ("", True), ("something unheard of", True), ("🙂", True), ("a Norwegian actor", False),
    ],
)  # fmt: skip
def test_what_is_given_back(gain: LinkageGain, label: str, small: bool) -> None:
    assert gain.is_small(label) is small
    assert gain(label) == gain(label.upper())


def test_what_many_share_tells_little(gain: LinkageGain) -> None:
    assert gain("an orchestra") > gain("the 1960s") > gain("an actor")
    assert gain("an actor") < 0


def test_texts_are_no_part_of_a_repr(gain: LinkageGain) -> None:
    assert "Berger" not in repr(gain)
    assert "oboist" not in repr(gain)


def test_two_candidates_are_enough() -> None:
    assert not LinkageGain.for_document("", Background.from_texts(NAMES[:2], TEXTS[:2]), 0).is_small("oboist")
