"""What the tables of recognition are made of: texts of tokens, spans with types, and their scores."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from embanon.config.load import load
from embanon.document import Document
from embanon.text.find import find_phrases
from eval.recognition import (
    Read,
    Writer,
    bounds_scores,
    by_rule,
    named,
    read_sentences,
    recognized,
    span_scores,
    spans_of,
    tagged,
    trimmed,
)

WRITTEN = {
    "Ada Berger ( 31 ) , of Graz .": "Ada Berger (31), of Graz.",
    "She 's \" far away \" , is n't she ?": "She's \"far away\", isn't she?",
    "Das „ Haus “ ist alt .": "Das „Haus“ ist alt.",
    "A « casa » custa $ 5 ; 3 % !": "A «casa» custa $5; 3%!",
    ". . .": "...",
}


def text_of(forms: list[tuple[str, int, bool]]) -> str:
    return "".join(form + " " * has_space for form, _, has_space in forms).rstrip()


@pytest.mark.parametrize("tokens", WRITTEN)
def test_tokens_are_written_as_one_writes(tokens: str) -> None:
    assert text_of(by_rule(tokens.split())) == WRITTEN[tokens]


def test_words_stand_where_the_text_has_them() -> None:
    sentence = [
        ("(", "O"),
        ("Ada", "B-PER"),
        ("Berger", "I-PER"),
        (")", "O"),
        ("de", "O"),
        ("o", "O"),
        ("Sul", "B-LOC"),
    ]
    text, words = Writer().write(sentence)
    assert text == "(Ada Berger) de o Sul"
    assert [text[start:end] for start, end, _ in words] == [form for form, _ in sentence]
    known = tuple(form for form, _ in sentence)
    surface = [
        ("(", 1, False),
        ("Ada", 1, True),
        ("Berger", 1, False),
        (")", 1, True),
        ("do", 2, True),
        ("Sul", 1, True),
    ]
    text, words = Writer({known: surface}).write(sentence)
    assert text == "(Ada Berger) do Sul"
    assert {text[start:end]: tag for start, end, tag in spans_of(words)} == {"Ada Berger": "PER", "Sul": "LOC"}


# tags, and the spans of words that they make
TAGGED = {
    "B-PER I-PER O B-PER": {(0, 2), (3, 4)},
    "B-PER B-PER": {(0, 1), (1, 2)},
    "B-PER I-LOC": {(0, 1), (1, 2)},
    "I-ORG I-ORG O I-ORG": {(0, 2), (3, 4)},
    "B-LAW I-LAW B-LOC": {(2, 3)},
    "O O": set(),
}


@pytest.mark.parametrize("tags", TAGGED)
def test_tags_make_spans(tags: str) -> None:
    words = [(number, number + 1, tag) for number, tag in enumerate(tags.split())]
    assert {(start, end) for start, end, _ in spans_of(words)} == TAGGED[tags]


def test_sentences_are_read(tmp_path: Path) -> None:
    path = tmp_path / "some.conll.gz"
    path.write_bytes(gzip.compress(b"Ada\tB-PER\nlives\tO\n\n\nGraz\tB-LOC\n"))
    assert list(read_sentences(path)) == [[("Ada", "B-PER"), ("lives", "O")], [("Graz", "B-LOC")]]


def test_spans_are_compared_with_and_without_types() -> None:
    text = "Ada Berger of Graz"
    given, wanted = frozenset({(0, 10, "PERSON"), (14, 18, "ORG")}), frozenset({(4, 10, "PERSON"), (14, 18, "LOC")})
    read = Read("en", text, given, wanted)
    assert span_scores([read.exact()]).f() == 0
    bounds = bounds_scores([read], None)
    assert (bounds.precision.value, bounds.recall.value) == (0.5, 0.5)
    assert bounds_scores([read], "ORG").precision.value == 1  # what is given as of the type
    assert bounds_scores([read], "ORG").recall.value is None
    assert bounds_scores([read], "LOC").recall.value == 1
    words = span_scores([read.words()])
    assert words.precision.value == pytest.approx(1 / 3)
    assert words.recall.value == 0.5
    same = Read("en", text, wanted, wanted)
    assert span_scores([same.exact(), same.exact("LOC")]).f() == 1


def test_articles_are_left_aside() -> None:
    assert trimmed("the old Graz's", [(0, 14, "LOC")], "en") == {(4, 12, "LOC")}


def test_names_are_mentions_of_three_types() -> None:
    text = "Ada Berger was born in Graz in 1962, says the company."
    analysis = find_phrases(Document("", text, "en"), config=load(environment={}).config)
    mentions = recognized(analysis)
    found = tagged(named(analysis, text))
    assert {text[start:end]: tag for start, end, tag in found} == {"Ada Berger": "PER", "Graz": "LOC"}
    assert tagged([(0, 3, "PERSON"), (4, 6, "DATETIME")]) == {(0, 3, "PER")}
    assert {"Ada Berger", "Graz", "1962"} <= {text[one.start : one.end] for one in mentions}
    text = "Mr. Obama met Dr Merkel in Berlin."
    analysis = find_phrases(Document("", text, "en"), config=load(environment={}).config)
    assert {"Obama", "Merkel", "Berlin"} <= {text[start:end] for start, end, _ in named(analysis, text)}
