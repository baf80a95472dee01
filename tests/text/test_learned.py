"""What the labeler sees over the grammar's phrases: nothing overlaps, nothing is lost, kinds are the grammar's."""

from __future__ import annotations

import numpy as np
import pytest

from embanon.config import Config
from embanon.document import TYPES, Document, Phrases
from embanon.recognize import LABELS, NOTHING, Labels, Reading
from embanon.recognize.layout import mark_codes
from embanon.text import find_phrases, load_analyzer
from embanon.text.find import _grammar_phrases
from embanon.text.joins import EMPTY_STATISTICS
from embanon.text.learned import lay_learned

TEXT = "The old Berger mill in Velland burned on 3 May 2021 at night."


class Undecided(Reading):
    """A reading to which all kinds are alike."""

    def __init__(self) -> None:
        pass

    def judge(self, first: np.ndarray, last: np.ndarray) -> np.ndarray:
        return np.full((len(first), NOTHING + 1), 1 / (NOTHING + 1))


def laid(text: str, *mentions: tuple[str, str]) -> dict[str, str]:
    """Return phrases and types after laying some mentions over the grammar's."""
    analyzer = load_analyzer("en")
    analyzed = analyzer.tag(text)
    tokens = analyzed.tokens
    label, inside_types = np.zeros(len(tokens), np.uint8), np.zeros((len(tokens), len(TYPES)), np.float32)
    for written, type in mentions:
        inside = (tokens.start >= text.index(written)) & (tokens.end <= text.index(written) + len(written))
        label[inside] = LABELS.index(f"I-{type}")
        label[np.flatnonzero(inside)[0]] = LABELS.index(f"B-{type}")
        inside_types[inside, TYPES.index(type)] = 1
    labels = Labels(label, inside_types, np.zeros(len(tokens), np.uint8), mark_codes(tokens.words), Undecided())
    grammar = _grammar_phrases(analyzer, analyzed, EMPTY_STATISTICS, None)
    flags = analyzed.features.per_token("facts", "flags")
    phrases, _ = lay_learned(text, grammar, tokens, labels, flags, *[np.zeros(len(tokens), bool)] * 2)
    check(phrases)
    return {text[one.start : one.end]: one.type for one in phrases}


def check(phrases: Phrases) -> None:
    assert (phrases.start[1:] >= phrases.end[:-1]).all()
    assert (phrases.head_start >= phrases.start).all()
    assert (phrases.head_end <= phrases.end).all()


def test_a_mention_replaces_what_it_covers() -> None:
    assert laid(TEXT, ("Berger mill in Velland", "LOC"))["Berger mill in Velland"] == "LOC"


def test_what_sticks_out_stays() -> None:
    found = laid(TEXT, ("Berger", "PERSON"))
    assert found["Berger"] == "PERSON"
    assert "Velland" in found


def test_where_both_agree_the_kind_is_the_grammars() -> None:
    found = find_phrases(Document("x", "She came on 3 May 2021.", "en"), config=Config(language="en")).phrases
    assert {one.kind for one in found} >= {"DATETIME.date"}


def test_dates_are_as_long_as_they_are_written() -> None:
    assert "3 May 2021" in laid(TEXT, ("3 May", "DATETIME"))
    assert {"3 May", "2021"} <= set(laid(TEXT, ("3 May", "DATETIME"), ("2021", "DATETIME")))


def test_other_mentions_give_way_to_the_names_in_them() -> None:
    assert laid(TEXT, ("mill in Velland burned", "MISC")).keys() == laid(TEXT).keys()


@pytest.mark.parametrize("text", ["", " ", "?!", "a\n\nb", "\u0301", "العربية"])
def test_phrases_say_how_likely_they_are_mentions(text: str) -> None:
    phrases = find_phrases(Document("x", text, "en"), config=Config(language="en")).phrases
    assert phrases.chance is None or len(phrases.chance) == len(phrases)


def test_a_language_without_labeler_says_nothing() -> None:
    phrases = find_phrases(Document("x", "Jan Novák bydlí v Brně.", "cs"), config=Config(language="cs")).phrases
    assert phrases.chance is None


def test_short_dates_are_dates_where_one_is() -> None:
    phrases = laid("Here on 12/01 and then on 19/01 again.", ("12/01", "DATETIME"), ("19/01", "CODE"))
    assert phrases["19/01"] == phrases["12/01"] == "DATETIME"
    assert laid("Here is 19/01 again.", ("19/01", "CODE"))["19/01"] == "CODE"
