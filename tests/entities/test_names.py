"""How protected names are written: no case of the table leaves one without a word, nor masks what is none."""

from __future__ import annotations

import re
import tomllib
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import embanon
from embanon.entities.entity import Entity

TABLE = tomllib.loads((Path(__file__).parent / "names.toml").read_text("utf-8"))
MARK = re.compile(r"\{([?=]?)([^{}]*)\}")
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
