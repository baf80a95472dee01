"""Read public text about candidates: what an attacker is taken to have."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import nullcontext
from typing import Any, Final

from embanon.errors import InputError
from embanon.io import LIMITS, open_gzip, open_input, rows
from embanon.language import common_language
from embanon.linkage.exposure import Attackers

CANDIDATE_NAME_KEYS: Final = ("name", "title", "entity", "id")
"""Keys of a candidate's name, the first that a line has."""


def candidate_name(row: Mapping[str, Any]) -> str:
    """Return the name of a candidate; "" where a line has none."""
    return next((row[one] for one in CANDIDATE_NAME_KEYS if isinstance(row.get(one), str) and row[one].strip()), "")


def read_candidates(path: str) -> dict[str, str]:
    """Read public text about candidates by name: a line each, with `name`, `title` or `entity`, and `text`."""
    texts: dict[str, list[str]] = {}
    with open_input(path) as plain, open_gzip(plain, path) if path.endswith(".gz") else nullcontext(plain) as stream:
        for number, row in rows(stream, path, LIMITS, LIMITS.total):
            name = candidate_name(row)
            if not name or not isinstance(row.get("text"), str):
                raise InputError(f"{path}, line {number}: a candidate has a name and a text, which are strings")
            texts.setdefault(name, []).append(row["text"])
    return {name: "\n".join(some) for name, some in texts.items()}


def read_background(path: str, language: str) -> Attackers:
    """Read public text about candidates, and learn to attack with it."""
    texts = read_candidates(path)
    return Attackers.from_texts(
        list(texts), list(texts.values()), common_language(texts.values()) if language == "auto" else language
    )
