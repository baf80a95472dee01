"""Read the tables of places written by hand, as labels."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import Final

from embanon.language.normalize import key
from embanon.taxonomy.concept import Label

LABEL_LANGUAGES: Final = ("en", "es", "pt", "de")


def table_rows(table: str) -> Iterator[list[str]]:
    """Return the columns of each row of a table."""
    for line in filter(None, (line.strip() for line in table.splitlines())):
        yield [column.strip() for column in line.split("|")]


def labels_in_languages(names: list[str]) -> list[Label]:
    """Return names in the four languages as labels."""
    return [Label(language, name) for language, name in zip(LABEL_LANGUAGES, names, strict=True) if name]


def unique_labels(found: list[Label]) -> tuple[Label, ...]:
    """Return labels once; what holds in all languages again where it is shown in one, never twice in one."""
    seen: set[tuple[str, str]] = set()
    kept = []
    for label in found:
        mark = (label.language, key(label.text))
        if label.text and mark not in seen:
            seen.add(mark)
            kept.append(label)
    return tuple(kept)


def labels_by_code(table: str) -> Mapping[str, list[Label]]:
    """Return the labels of a table of codes, languages and names."""
    found: dict[str, list[Label]] = defaultdict(list)
    for first, *others in table_rows(table):
        code, language, name = first.split(" ", 2)
        found[code].extend(Label(language, text) for text in (name, *others))
    return found
