from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, strategies as st

from embanon.text.tokens import tokenize

ABBREVIATIONS = {"Mr": False, "St": False, "etc": True, "Ph.D": True}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("John's low-budget film", "John|'s|low|-|budget|film"),
        ("didn't can’t I'm we'll they've", "did|n't|ca|n’t|I|'m|we|'ll|they|'ve"),
        ("O'Brien rock'n'roll", "O'Brien|rock'n'roll"),
        ("Mr. Smith etc. ended.", "Mr.|Smith|etc.|ended|."),
        ("J.R.R. Tolkien, U.S. and e.g. that", "J.R.R.|Tolkien|,|U.S.|and|e.g.|that"),
        ("$3.5 million, 1,234.56 at 10:30", "$|3.5|million|,|1,234.56|at|10:30"),
        ("batted .225 (1982)", "batted|.225|(|1982|)"),
        ("wait... what?! -- no", "wait|...|what|?|!|--|no"),
        ("end.Next site.com", "end|.|Next|site.com"),
        ("e\u0301te\u0301 na\u00efve", "e\u0301te\u0301|na\u00efve"),
        ("than I. He", "than|I|.|He"),
        ("Mr I. Forbes", "Mr|I.|Forbes"),
        ("\ud800x", "\ud800|x"),
        ("a\u200bb", "a|b"),
        ("王小明", "王|小|明"),
        ("", ""),
        ("\n \n", ""),
    ],
)
def test_tokens(text: str, expected: str) -> None:
    assert "|".join(tokenize(text, ABBREVIATIONS).words) == expected


def test_other_languages_keep_hyphens_and_german_its_ordinals() -> None:
    assert tokenize("Baden-Württemberg am 3. Mai", {}, "de").words == ["Baden-Württemberg", "am", "3.", "Mai"]
    assert tokenize("disse-lhe", {}, "pt").words == ["disse-lhe"]


@pytest.mark.parametrize(
    ("text", "starts"),
    [
        ("One. Two! Three? four", ["One", "Two", "Three"]),
        ("Mr. Smith came. He left.", ["Mr.", "He"]),
        ("“Go!” She went.", ["“", "She"]),
        ("Title\n\nText", ["Title", "Text"]),
        ("a\u2029b", ["a", "b"]),
        ("first\r\n\r\nsecond", ["first", "second"]),
        ("a politician.Born in 1975", ["a", "Born"]),
        ("of the party.[4]She left", ["of"]),
        ("in 1975.She left (early).He stayed!They ate", ["in", "She", "He", "They"]),
        ("J.Smith and U.S.Army and A.B and e.g.This", ["J.Smith"]),
        ("it is v.Large, version 2.Beta and site.com", ["it"]),
        ("the end.X and end.IBM, then.", ["the"]),
        ("end.", ["end"]),
        ("end.N", ["end"]),
    ],
)
def test_sentences(text: str, starts: list[str]) -> None:
    tokens = tokenize(text, ABBREVIATIONS)
    assert [word for word, begins in zip(tokens.words, tokens.starts_sentence, strict=True) if begins] == starts


def test_full_lines_are_soft_and_short_ones_hard() -> None:
    full = "This line is as long as a line can be in this column of text\nand goes on. Then the line was\nfull"
    assert tokenize(full).gap[tokenize(full).words.index("and")] == 2
    short = tokenize("Name: Peter\nTown: Rome")
    assert short.gap[short.words.index("Town")] == 3


@given(st.text(max_size=300))
def test_tokens_slice_back_in_order_and_miss_nothing(text: str) -> None:
    for language in ("en", "de"):
        tokens = tokenize(text, ABBREVIATIONS, language)
        assert [text[a:b] for a, b in zip(tokens.start, tokens.end, strict=True)] == tokens.words
        assert np.all(tokens.start[1:] >= tokens.end[:-1])
        covered = np.zeros(len(text) + 1, dtype=int)
        np.add.at(covered, tokens.start, 1)
        np.add.at(covered, tokens.end, -1)
        inside = np.cumsum(covered)[:-1] > 0
        left = [char for char, within in zip(text, inside, strict=True) if not within]
        assert not any(char.isalnum() for char in left)


@given(st.lists(st.text(max_size=80), max_size=4))
def test_paragraphs_are_cut_alone(texts: list[str]) -> None:
    whole = tokenize("\n\n".join(texts), ABBREVIATIONS)
    alone = [tokenize(text, ABBREVIATIONS) for text in texts]
    assert whole.words == [word for tokens in alone for word in tokens.words]
    assert whole.starts_sentence.tolist() == [begins for tokens in alone for begins in tokens.starts_sentence.tolist()]
