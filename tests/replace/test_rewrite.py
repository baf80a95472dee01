"""Rewriting and restoring: exact by offsets, and nearly so in texts that were edited."""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from dataclasses import replace

import pytest
from hypothesis import given, settings, strategies as st

from embanon.replace.edit import Edit
from embanon.replace.rewrite import NUMBERED, Solution, restore, rewrite
from tests.anonymized import anonymized, masker
from tests.replace.test_grammar import sentences

SIGNS = st.text(alphabet="aB ß\u0301İı🙂אا\u200f\n.[]1*", max_size=30)


def edit(start: int, end: int, replacement: str) -> Edit:
    return Edit(start, end, replacement, 0.9, 0.1, "MISC", 0, "tag", 0)


@st.composite
def edited(draw: st.DrawFn) -> tuple[str, list[Edit]]:
    parts = draw(st.lists(st.tuples(SIGNS, SIGNS, SIGNS), max_size=6))
    text, found = "", list[Edit]()
    for kept, original, replacement in parts:
        text += kept
        found.append(edit(len(text), len(text) + len(original), replacement))
        text += original
    return text + draw(SIGNS), found


@given(edited())
@settings(max_examples=300)
def test_restoring_is_exact(given_: tuple[str, list[Edit]]) -> None:
    text, edits = given_
    shown, solutions = rewrite("x", text, edits)
    back = restore("x", shown, solutions)
    assert (back.text, back.restored_count, back.missing) == (text, len(edits), ())
    for one in solutions:
        assert shown[one.at : one.to] == one.replacement
        assert text[one.start : one.end] == one.original


@given(edited(), SIGNS)
@settings(max_examples=200)
def test_any_text_can_be_restored(given_: tuple[str, list[Edit]], other: str) -> None:
    _, solutions = rewrite("x", *given_)
    back = restore("x", other, solutions)
    assert back.restored_count + len(back.missing) == len(solutions)


def test_texts_are_no_part_of_a_repr() -> None:
    shown, solutions = rewrite("x", "Ada left", [edit(0, 3, "[X]")])
    assert "Ada" not in repr(solutions)
    assert "Ada" not in repr(restore("x", shown, solutions))


# Texts that were edited

TEXT = " ".join(sentences(5, 3))


def shuffled(text: str) -> str:
    parts = re.split(r"(?<=[.!?]) (?=[A-Z“])", text)
    random.Random(1).shuffle(parts)
    return " ".join(parts)


def around(text: str) -> str:
    return re.sub(r"\b(is|was|met|won|praised)\b", "has long ago and often", text)


EDITS: dict[str, Callable[[str], str]] = {
    "sentences in another order": shuffled,
    "upper case": str.upper,
    "lower case": str.lower,
    "other words around": around,
    "a preface": lambda text: f"As told by others: {text}",
    "lines": lambda text: text.replace(". ", ".\n\n"),
    "line breaks in the middle": lambda text: re.sub(r"(.{40}\S*) ", r"\1\n", text),
    "other quotes and spaces": lambda text: text.replace("’", "'").replace(" ", "\u00a0"),
    "markdown": lambda text: re.sub(r"(\[?(?:PERSON|Person) \d+\]?)", r"**\1**", text),
}


@pytest.mark.parametrize("name", EDITS)
@pytest.mark.parametrize("method", ["generalize", "tag"])
def test_what_was_edited_is_found(name: str, method: str) -> None:
    shown, solutions = anonymized(TEXT, masker(0.645, method))
    changed = EDITS[name](shown)
    back = restore("x", changed, solutions)
    assert changed != shown
    assert back.restored_count >= 0.99 * len(solutions)
    assert len(solutions) > 30
    tags = [one for one in solutions if NUMBERED.fullmatch(one.replacement)]
    right = sum(one.original.casefold() in back.text.casefold() for one in tags)
    assert right == len(tags)


def test_what_was_deleted_is_listed() -> None:
    shown, solutions = rewrite("x", "Ada met Bo and Cy.", [edit(0, 3, "Person 1"), edit(8, 10, "Person 2")])
    back = restore("x", shown.replace("Person 1 met ", ""), solutions)
    assert (back.text, back.restored_count, back.missing) == ("Bo and Cy.", 1, (solutions[0],))


def test_what_was_doubled_is_restored_twice() -> None:
    shown, solutions = rewrite("x", "Ada met Bo.", [edit(0, 3, "Person 1"), edit(8, 10, "[ORG 2]")])
    back = restore("x", f"{shown} {shown}", solutions)
    assert (back.text, back.missing) == ("Ada met Bo. Ada met Bo.", ())


def test_placeholders_within_placeholders() -> None:
    edits = [edit(3 * number, 3 * number + 2, f"PERSON {number + 1}") for number in range(12)]
    text = " ".join(f"{chr(65 + number)}x" for number in range(12))
    shown, solutions = rewrite("x", text, edits)
    for changed in (" ".join(reversed(re.findall(r"PERSON \d+", shown))), shown.replace(" P", "; P")):
        back = restore("x", changed, solutions)
        assert sorted(re.findall(r"\w+", back.text)) == sorted(text.split())
    edits = [edit(0, 3, "a film [2]"), edit(5, 8, "a film"), edit(10, 13, "film")]
    shown, solutions = rewrite("x", "Rye, Bly, Cot", edits)
    assert restore("x", f"So {shown}", solutions).text == "So Rye, Bly, Cot"


def test_replacements_are_whole_words() -> None:
    _, solutions = rewrite("x", "Rye is here", [edit(0, 3, "a town")])
    for text in ("in a townhouse", "Sea town", "on a town5"):
        assert restore("x", text, solutions).missing
    assert restore("x", "In a Town, now", solutions).text == "In Rye, now"


@pytest.mark.parametrize("text", ["İ", "ß", "ﬃ", "\u1e9e"])
def test_signs_that_change_length_when_folded(text: str) -> None:
    shown, solutions = rewrite("x", "Ada sang.", [edit(0, 3, "Person 1")])
    assert restore("x", f"{text} {shown.upper()}", solutions).text == f"{text} Ada SANG."


def test_restoring_long_texts_is_fast() -> None:
    edits = [edit(10 * number, 10 * number + 4, "***") for number in range(3000)]
    shown, solutions = rewrite("x", "name sang " * 3000, edits)
    back = restore("x", f"So {shown}", solutions)
    assert back.text == "So " + "name sang " * 3000


def test_solutions_that_lie_beyond_the_text() -> None:
    _, solutions = rewrite("x", "Ada", [edit(0, 3, "***")])
    assert restore("x", "Ada", [replace(solutions[0], at=10**9, to=10**9 + 3)]).missing == (
        replace(solutions[0], at=10**9, to=10**9 + 3),
    )
    assert Solution(*[getattr(solutions[0], name) for name in Solution.__slots__]).to_dict()["original"] == "Ada"
