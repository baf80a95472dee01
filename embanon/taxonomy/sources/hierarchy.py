"""Ladders in a table: `narrow,broad` a line, or more columns from the specific to the general.

    violinist,musician,artist
    pianist,musician

Rows may differ in length. A header is one whose first two columns are named so (`narrow,broad`, `child;parent`), and
need not be there. Empty fields, and those without a letter or digit (`*`), are left out. The id of a concept
is made of its label, in small letters, so that a label has one meaning in all of the file.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import nullcontext
from itertools import zip_longest
from typing import BinaryIO, Final

from embanon.errors import InputError
from embanon.io import COMMA, LIMITS, TAB, Limits, open_gzip, open_input, records
from embanon.language import key
from embanon.taxonomy.concept import ANY_LANGUAGE, Broader, Concept, Label, clean_label

HEADERS: Final = (
    frozenset(("narrow", "narrower", "specific", "child", "term", "label", "value", "source", "level 0", "from")),
    frozenset(("broad", "broader", "general", "parent", "hypernym", "class", "target", "level 1", "to")),
)
"""How the first two columns are named, in small letters."""
GZIP: Final = ".gz"
MAX_REMEMBERED_LABELS: Final = 100_000
"""Labels of which it is remembered that they were given."""


def concepts(
    path: str, language: str = ANY_LANGUAGE, encoding: str | None = None, limits: Limits = LIMITS
) -> Iterator[Concept]:
    """Return the concepts of a table of labels in one language."""
    with open_input(path) as stream:
        yield from concepts_from_stream(stream, path, language, encoding, limits)


def concepts_from_stream(
    stream: BinaryIO, name: str, language: str = ANY_LANGUAGE, encoding: str | None = None, limits: Limits = LIMITS
) -> Iterator[Concept]:
    """Return the concepts of a stream.

    The delimiter is a tab where its name ends in .tsv, and .gz says it is packed.
    """
    plain = name.lower().removesuffix(GZIP)
    with open_gzip(stream, name) if plain != name.lower() else nullcontext(stream) as content:
        rows = records(content, name, encoding, limits, TAB if plain.endswith(".tsv") else COMMA)
        yield from _concepts(rows, name, language)


def _concepts(rows: Iterable[tuple[int, list[str]]], name: str, language: str) -> Iterator[Concept]:
    known: set[str] = set()
    linked = False
    for place, (_, fields) in enumerate(rows):
        if place == 0 and _is_header(fields):
            continue
        if place == 0 and {"node1", "node2"} <= set(fields):
            raise InputError(f"{name}: is a table of KGTK; say so: --kind wikidata")
        labels = [text for field in fields if (text := clean_label(field)) and any(map(str.isalnum, text))]
        for narrow, broad in zip_longest(labels, labels[1:]):
            id, above = _id(narrow), _id(broad) if broad else None
            links = (Broader(above, "subclass"),) if above and above != id else ()
            linked = linked or bool(links)
            if links or id not in known:
                yield Concept(id, () if id in known else (Label(language, narrow),), links)
            if len(known) >= MAX_REMEMBERED_LABELS:
                known.clear()
            known.add(id)
    if not linked:
        raise InputError(f"{name}: has no row with two labels; a line looks like: violinist,musician")


def _id(label: str) -> str:
    return f"label:{key(label)}"


def _is_header(fields: list[str]) -> bool:
    names = [field.strip().lower().replace("_", " ") for field in fields[:2]]
    return len(names) == 2 and all(name in known for name, known in zip(names, HEADERS, strict=True))
