"""Where mentions begin and end."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from embanon.recognize import LABELS
from embanon.text import load_analyzer
from embanon.text.bounds import LearnedSpans, _with_names, find_relatives
from tests.text.test_learned import laid


def test_a_name_has_its_title() -> None:
    assert laid("She met Dr. Berger there.", ("Berger", "PERSON")) == {"Dr. Berger": "PERSON"}


def test_an_organization_is_without_the_article_of_its_sentence() -> None:
    assert "Acme Corporation" in laid("The Acme Corporation sued her.", ("The Acme Corporation", "ORG"))
    assert "The Hague" in laid("The Hague is far.", ("The Hague", "LOC"))


def test_no_name_goes_on_in_the_next_column() -> None:
    text = "Turnover     Berlin        Bremen"
    assert {"Berlin", "Bremen"} <= set(laid(text, ("Berlin        Bremen", "LOC")))


def test_names_are_laid_where_no_mention_is() -> None:
    analyzer = load_analyzer("en")
    labels = analyzer.label(analyzer.tag("Prime Minister Tony Blair flew to Washington."))
    assert labels is not None
    label = np.zeros_like(labels.label)
    label[5] = LABELS.index("B-LOC")
    merged = _with_names(replace(labels, label=label, name=np.array([0, 0, 1, 2, 0, 5, 6, 0][: len(label)], np.uint8)))
    assert merged.tolist()[:6] == [0, 0, 1, 2, 0, label[5]]
    assert merged.tolist()[6:] == label.tolist()[6:]


def test_given_names_have_the_surname_before_them_where_both_fill_a_cell() -> None:
    assert "Berger, Ada" in laid("01   Berger, Ada    3 May 2021", ("Ada", "PERSON"))
    assert "Ada" in laid("He met Berger, Ada and Otto.", ("Ada", "PERSON"))


def test_a_title_alone_belongs_to_the_name_behind_it() -> None:
    assert "Mrs Velland" in laid("I saw it. Mrs Velland, and you?", ("Mrs", "PERSON"), ("Velland", "PERSON"))


def spans_of(text: str, written: str, chance: float) -> str:
    """Return what a description is that goes on, the words behind it being described with a chance."""
    analyzed = load_analyzer("en").tag(text)
    tokens = analyzed.tokens
    first = np.flatnonzero(tokens.start >= text.index(written))[:1]
    last = np.flatnonzero(tokens.end <= text.index(written) + len(written))[-1:] + 1
    inside = np.full((len(tokens), 8), chance / 2, np.float32)
    is_verb = np.array([word in ("pulled", "had", "came") for word in tokens.words])
    is_small = np.array([word in ("a", "the", "and") for word in tokens.words])
    spans = LearnedSpans(first, last, np.array([4], np.uint8))
    found = spans.with_whole_deeds(inside, tokens, is_verb, is_small)
    return text[tokens.start[found.first[0]] : tokens.end[found.last[0] - 1]]


def test_a_deed_goes_on_while_it_is_likely_told() -> None:
    text = "She is the nurse who one night pulled two boys out of the canal, and a dog. Nobody came."
    assert spans_of(text, "the nurse who one night", 0.4) == text[text.index("the nurse") : text.index(" Nobody")]
    assert spans_of(text, "the nurse who one night", 0.1) == "the nurse who one night"


def test_a_deed_ends_in_no_article_but_in_its_verb() -> None:
    assert spans_of("It is the boy whom the nurse once pulled.", "the boy whom the nurse once", 0.1).endswith("pulled")
    assert not spans_of("It is the boy whom the nurse and the others saw.", "the boy whom the nurse", 0.1).endswith(
        "and"
    )


@pytest.mark.parametrize(
    ("text", "relatives"),
    [("Der ältere Bruder Nadir kam.", ["Bruder"]), ("Schwester Maike kam.", []), ("Seine Frau Marta kam.", ["Frau"])],
)
def test_relatives_are_no_titles_behind_a_word_in_small_letters(text: str, relatives: list[str]) -> None:
    analyzed = load_analyzer("de").tag(text)
    found = find_relatives(analyzed.tokens, analyzed.features.per_token("facts", "flags"))
    assert [analyzed.tokens.words[place] for place in np.flatnonzero(found)] == relatives
