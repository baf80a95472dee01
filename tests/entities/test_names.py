"""How protected names are written: no case of the table leaves one without a word, nor masks what is none."""

from __future__ import annotations

import re
import tomllib
import warnings
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import embanon
from embanon.anonymizer import Anonymizer
from embanon.entities.entity import Entity
from embanon.entities.present import _PersonGroups
from embanon.entities.residue import remaining_names
from embanon.errors import ProtectedNameWarning
from embanon.language import spelling_variant

TABLE = tomllib.loads((Path(__file__).parent / "names.toml").read_text("utf-8"))
MARK = re.compile(r"\{([?=]?)([^{}]*)\}")
WORD = re.compile(r"\w+")
SIGNS = {"": "mask", "?": "tell", "=": "stay"}


def cases() -> Iterator[Any]:
    for language, forms in TABLE.items():
        for form, rows in forms.items():
            for number, row in enumerate(rows, 1):
                yield pytest.param(language, row["protect"], row["text"], id=f"{language} {form} {number}")


def parse(protect: str) -> Entity:
    type, colon, names = protect.partition(": ")
    name, *aliases = (names if colon else protect).split(" | ")
    return Entity(name, tuple(aliases), type if colon else "PERSON")


def parse_text(marked: str) -> tuple[str, list[tuple[str, int, int]]]:
    """Return a text without its marks, and what each asks for where."""
    parts, wanted, size, last = list[str](), list[tuple[str, int, int]](), 0, 0
    for match in MARK.finditer(marked):
        parts += (marked[last : match.start()], match[2])
        size += match.start() - last
        wanted.append((SIGNS[match[1]], size, size + len(match[2])))
        size, last = size + len(match[2]), match.end()
    return "".join((*parts, marked[last:])), wanted


@cache
def anonymizer(language: str) -> Anonymizer:
    return embanon.load(language=language)


@pytest.mark.parametrize(("language", "protect", "marked"), list(cases()))
def test_no_name_is_left_without_a_word(language: str, protect: str, marked: str) -> None:
    text, wanted = parse_text(marked)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ProtectedNameWarning)
        result = anonymizer(language).anonymize(text, protect=parse(protect))
    scored = result.scored_document.scored
    named = [(one.start, one.end) for one, is_named in zip(scored.phrases, scored.named, strict=True) if is_named]
    replaced = [(edit.start, edit.end) for edit in result.edits]
    doubtful = [(one.start, one.end) for one in remaining_names(text, [parse(protect)], language, named)]
    told = [(one.start, one.end) for one in result.remaining_names]
    for sign, start, end in wanted:
        words = [(start + one.start(), start + one.end()) for one in WORD.finditer(text[start:end])]
        if sign == "stay":
            assert not overlap(named, start, end), text[start:end]
        else:  # also where everything else stays, as with a high limit
            known = named if sign == "mask" else [*named, *doubtful]
            assert all(overlap(known, *word) for word in words), text[start:end]
            assert all(overlap([*replaced, *told], *word) for word in words), text[start:end]


def overlap(spans: Iterable[tuple[int, int]], start: int, end: int) -> bool:
    return any(first < end and start < last for first, last in spans)


def test_the_table_has_fifty_cases_in_each_language() -> None:
    assert {language: sum(map(len, forms.values())) >= 50 for language, forms in TABLE.items()} == dict.fromkeys(
        ("en", "de", "es", "pt"), True
    )


@pytest.mark.parametrize(
    ("language", "names", "same"),
    [
        ("en", ["kev doyle", "big kev"], True),
        ("en", ["ada doyle", "otto doyle"], False),
        ("de", ["manni", "manfred schröer"], True),
        ("de", ["manfred schröer", "manni"], True),
        ("de", ["manfred schröer", "manfred holt", "manni"], False),
        ("es", ["jesús roca", "chus"], True),
    ],
)
def test_who_is_called_otherwise(language: str, names: list[str], same: bool) -> None:
    groups = _PersonGroups([], language)
    numbers = [groups.add(place, spelling_variant(name, str).split()) for place, name in enumerate(names)]
    assert (numbers[-1] == numbers[0]) is same
