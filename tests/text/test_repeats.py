"""People found again: by surname and initials, where nothing else is meant, in their own document."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from embanon.anonymizer import load
from embanon.document import FORMS, TYPES, Document, Phrases
from embanon.text.find import QUALIFIED_KINDS
from embanon.text.repeats import find_repeats, with_repeats

NAMES = ("Marta Lindqvist", "Dr. Iain Strachan", "Jonas Fleck", "Katja Richter")
PRESENT = f"Present: {', '.join(NAMES)}\n"


def people(text: str, chance: float = 0.9) -> Phrases:
    places = [(text.index(name), text.index(name) + len(name)) for name in NAMES]
    start, end = np.array(places).T
    same = np.ones(len(places), np.int64)
    columns = [
        start, end, same * TYPES.index("PERSON"), same * QUALIFIED_KINDS.index("PERSON.full-name"),
        same * FORMS.index("name"), start, end, same,
    ]  # fmt: skip
    phrases = Phrases.from_columns(columns, QUALIFIED_KINDS)
    return replace(phrases, chance=np.full(len(places), chance, np.float32))


def again(words: str, language: str = "en", chance: float = 0.9) -> list[tuple[str, str]]:
    text = PRESENT + words
    found = find_repeats(text, people(text, chance), language)
    return [(text[one.start : one.end], one.kind.partition(".")[2]) for one in found]


@pytest.mark.parametrize(
    ("words", "found"),
    [
        ("ask Strachan, Lindqvist", [("Strachan", "surname"), ("Lindqvist", "surname")]),
        ("JF | offers | Friday", [("JF", "initials")]),
        ("J. F. and J.F. and JF.", [("J. F.", "initials"), ("J.F.", "initials"), ("JF", "initials")]),
        ("Strachan's boat, \u201eStrachan\u201c", [("Strachan", "surname")] * 2),
    ],
)
def test_who_is_named_once_is_found_again(words: str, found: list[tuple[str, str]]) -> None:
    assert again(words) == found


@pytest.mark.parametrize(
    "words", ["XY", "O'Strachan", "strachan", "Strachans", "a@Strachan.example", "Strachan.example", "JF-12", "jf", ""]
)
def test_what_is_nobody_is_not(words: str) -> None:
    assert again(words) == []


def test_a_surname_that_is_a_word_stays() -> None:
    assert again("Der Richter kommt um neun.", "de") == []


def test_whom_nobody_is_sure_of_is_not_looked_for() -> None:
    assert again("ask Strachan and JF", chance=0.4) == []


def test_what_is_found_again_is_a_phrase_as_sure_as_the_first() -> None:
    text = f"{PRESENT}Strachan Boats, JF"
    first = people(text)
    phrases = with_repeats(text, first, "en")
    written = {text[one.start : one.end]: place for place, one in enumerate(phrases)}
    assert {"Strachan", "JF", *NAMES} <= set(written)
    assert phrases.chance is not None
    assert phrases.chance[[written["JF"], written["Strachan"]]].tolist() == pytest.approx([0.9] * 2)
    assert with_repeats(PRESENT, people(PRESENT), "en").start.tolist() == people(PRESENT).start.tolist()


def test_no_one_is_looked_for_in_another_document() -> None:
    here, there = "Present: Jonas Fleck, driver.\n", "The JF line is worth much.\n"
    documents = [Document(str(number), text, "en") for number, text in enumerate((here, there, here + there))]
    done = load(language="en").anonymize_all(documents, protect="everyone")
    assert ["JF" in one.text for one in done] == [False, True, False]


MINUTES = "Present: AMcL (chair), RJS, DO'D, PW\n\nRJS asked. The post rang DO'D. GDP fell.\n\nPW"


def test_who_is_present_is_found_by_initials_wherever_they_stand() -> None:
    found = find_repeats(
        MINUTES, replace(people(PRESENT).select(np.zeros(4, bool)), chance=np.zeros(0, np.float32)), "en"
    )
    assert not found  # where nothing is labeled, nobody asks
    phrases = people(PRESENT + MINUTES)
    again = [(PRESENT + MINUTES)[one.start : one.end] for one in find_repeats(PRESENT + MINUTES, phrases, "en")]
    assert [again.count(name) for name in ("AMcL", "RJS", "DO'D", "PW", "GDP")] == [1, 2, 2, 2, 0]


def test_who_speaks_is_found_by_initials() -> None:
    text = PRESENT + "MJT: I was there.\nNGX: Why?\nMJT: For MJT it was far.\nNGX: Oh.\n"
    assert [text[one.start : one.end] for one in find_repeats(text, people(text), "en")].count("MJT") == 3


def anonymized(text: str, language: str = "en") -> str:
    anonymizer = load(language=language)
    return next(anonymizer.anonymize_all([Document("x", text, language)], "everyone")).text


def test_surnames_that_are_nouns_are_found_again() -> None:
    text = "Anwesend: Petra Keller, Jan Ahlers\nTOP 1: Keller erläutert den Haushalt.\nTOP 2: Auftrag an Keller"
    assert "Keller" not in anonymized(text, "de")


def test_who_is_on_a_call_is_found_by_initials() -> None:
    text = "On: BH (chair), TLM, RQ (Fenwick, Aldous). Regrets: DDK\n\nTLM asked for the figures; DDK sends them."
    result = anonymized(text)
    assert not {"TLM", "DDK", "RQ"} & set(result.replace(";", " ").split())


@pytest.mark.parametrize(
    "line", ["Ongoing: COPD, CKD, T2DM", "On examination: NAD, PERRLA, JVP", "On Mondays: AM, PM", "Only: HGV, LGV"]
)
def test_other_lines_are_no_lists_of_people(line: str) -> None:
    assert anonymized(f"{line}\n") == f"{line}\n"
