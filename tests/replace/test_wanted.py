"""What a careful person would publish: what must go goes, what is harmless stays, and how many texts read the same.

`tests/cases/wanted` has sixty sentences and twelve letters a language, each with what a person wrote instead. Nobody in
them exists. The floors are what is reached; they are raised, never lowered without a word in the changelog.
"""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import embanon
from embanon.document import Document

CASES = Path(__file__).parents[1] / "cases" / "wanted"
LANGUAGES = ("en", "de", "es", "pt")
FLOORS = {"en": (0.96, 0.94, 0.46), "de": (0.95, 0.93, 0.38), "es": (0.97, 0.96, 0.4), "pt": (0.97, 0.95, 0.38)}
"""The shares of strings that go, of strings that stay, and of sentences that come out as the person's."""


@cache
def cases(language: str) -> list[dict[str, Any]]:
    content = tomllib.loads((CASES / f"{language}.toml").read_text("utf-8"))
    return [*content["sentence"], *content["letter"]]


@cache
def published(language: str) -> list[str]:
    """Return the texts as they come out at the default settings."""
    tool = embanon.Anonymizer()
    return [
        next(iter(tool.anonymize_all([Document(str(number), case["text"], language)], protect=protected(case)))).text
        for number, case in enumerate(cases(language))
    ]


def protected(case: dict[str, Any]) -> str:
    return str(case["protect"])


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("language", LANGUAGES)
def test_enough_is_as_a_person_would_write_it(language: str) -> None:
    texts, gone, kept, same = published(language), [], [], []
    for case, text in zip(cases(language), texts, strict=True):
        gone += [secret not in text for secret in case["gone"]]
        kept += [harmless in text for harmless in case["kept"]]
        same.append(text == case["output"])
    shares = tuple(round(sum(rows) / len(rows), 3) for rows in (gone, kept, same[:60]))
    assert all(share >= floor for share, floor in zip(shares, FLOORS[language], strict=True)), shares


@pytest.mark.parametrize("language", LANGUAGES)
def test_there_are_enough(language: str) -> None:
    content = tomllib.loads((CASES / f"{language}.toml").read_text("utf-8"))
    assert (len(content["sentence"]), len(content["letter"])) == (60, 12)
