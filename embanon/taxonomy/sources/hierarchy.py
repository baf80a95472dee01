"""Ladders in a table: `narrow,broad` a line, or more columns from the specific to the general.

    violinist,musician,artist
    pianist,musician

Rows may differ in length. A header is one whose first two columns are named so (`narrow,broad`, `child;parent`), and
need not be there. Empty fields, and those without a letter or digit (`*`), are left out. The id of a concept is made
of its label, in small letters; where rows of three or more lead on from a label in different ways (`Site North,our
site,Poland` and `Site South,our site,Spain`), of what is broader in its row as well, so that each row keeps its ladder.
"""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field
from itertools import zip_longest
from typing import BinaryIO, Final

from embanon.errors import InputError
from embanon.io import COMMA, LIMITS, STDIN, TAB, Limits, open_gzip, open_source, records
from embanon.language import key
from embanon.storage import hash_key
from embanon.taxonomy.concept import ANY_LANGUAGE, Broader, Concept, Label, clean_label

HEADERS: Final = (
    frozenset(("narrow", "narrower", "specific", "child", "term", "label", "value", "source", "level 0", "from")),
    frozenset(("broad", "broader", "general", "parent", "hypernym", "class", "target", "level 1", "to")),
)
"""How the first two columns are named, in small letters."""
GZIP: Final = ".gz"
LINK: Final = 2
"""Labels of a row that says of one label alone what is broader; a row with more is a ladder."""
MAX_COMPARED: Final = 32
"""Labels of what is broader by which the meanings of a label are told apart."""
MAX_REMEMBERED_LABELS: Final = 100_000
"""Labels of which it is remembered that they were given."""


def concepts(
    paths: Sequence[str], languages: Sequence[str] = (), encoding: str | None = None, limits: Limits = LIMITS
) -> Iterator[Concept]:
    """Return the concepts of tables, whose labels are of each of the languages; of any where none is named."""
    ladders = _Ladders()
    held = {path: ladders.note_table(path, encoding, limits) for path in paths}
    for path, content in held.items():
        with nullcontext(content) if content else open_source(path) as stream:
            yield from _concepts(_rows(stream, path, encoding, limits), ladders, languages)


def _rows(stream: BinaryIO, name: str, encoding: str | None, limits: Limits) -> Iterator[list[str]]:
    """Yield the labels of each row, the specific first; one that is repeated at once counts once.

    The delimiter is a tab where the name ends in .tsv, and .gz says it is packed.
    """
    plain = name.lower().removesuffix(GZIP)
    with open_gzip(stream, name) if plain != name.lower() else nullcontext(stream) as content:
        rows = records(content, name, encoding, limits, TAB if plain.endswith(".tsv") else COMMA)
        for place, (_, fields) in enumerate(rows):
            if place == 0 and _is_header(fields):
                continue
            if place == 0 and {"node1", "node2"} <= set(fields):
                raise InputError(f"{name}: is a table of KGTK; say so: --kind wikidata")
            labels = [text for field in fields if (text := clean_label(field)) and any(map(str.isalnum, text))]
            yield [label for label, before in zip(labels, ("", *labels), strict=False) if key(label) != key(before)]


def _hold(stream: BinaryIO, name: str, limits: Limits) -> BinaryIO:
    """Read a stream that cannot be read twice, such as a pipe."""
    data = stream.read(limits.buffered + 1)
    if len(data) > limits.buffered:
        raise InputError(f"{name}: has more than {limits.buffered >> 20} MB, too much for a pipe; name a file")
    return io.BytesIO(data)


@dataclass(slots=True)
class _Ladders:
    """What is broader than each label in its rows, and so which labels mean different things in different rows."""

    _broader: dict[int, tuple[int, ...]] = field(default_factory=dict, repr=False)
    """Label -> the longest of the ladders that lead on from it; hashed, for there may be millions."""
    _shared: dict[tuple[int, ...], tuple[int, ...]] = field(default_factory=dict, repr=False)
    _ambiguous: set[int] = field(default_factory=set, repr=False)

    def note_table(self, path: str, encoding: str | None, limits: Limits) -> BinaryIO | None:
        """Note the rows of a table, and return what it holds where it cannot be read again, as a pipe."""
        with open_source(path) as stream:
            content = None if path != STDIN and stream.seekable() else _hold(stream, path, limits)
            linked = False
            for labels in _rows(content or stream, path, encoding, limits):
                linked = linked or len(labels) > 1
                self.note(labels)
        if not linked:
            raise InputError(f"{path}: has no row with two labels; a line looks like: violinist,musician")
        if content:
            content.seek(0)
        return content

    def note(self, labels: Sequence[str]) -> None:
        """Note a row; one of two labels is a link, which says nothing of other rows."""
        hashes = tuple(hash_key(key(label)) for label in labels) if len(labels) > LINK else ()
        for place, label in enumerate(hashes[:-1], 1):
            rest = hashes[place : place + MAX_COMPARED]
            rest = self._shared.setdefault(rest, rest)
            known = self._broader.setdefault(label, rest)
            if any(mine != other for mine, other in zip(rest, known, strict=False)):
                self._ambiguous.add(label)
            elif len(rest) > len(known):
                self._broader[label] = rest

    def ids(self, labels: Sequence[str]) -> list[str]:
        """Return the ids of the labels of a row."""
        keys = [key(label) for label in labels]
        ids = [f"label:{each}" for each in keys]
        for place, each in enumerate(keys[:-1] if len(keys) > LINK else ()):
            if hash_key(each) in self._ambiguous:
                ids[place] = f"ladder:{' > '.join(keys[place : place + MAX_COMPARED + 1])}"
        return ids


def _concepts(rows: Iterable[list[str]], ladders: _Ladders, languages: Sequence[str]) -> Iterator[Concept]:
    known: set[str] = set()
    for labels in rows:
        ids = ladders.ids(labels)
        for label, id, above in zip_longest(labels, ids, ids[1:]):
            links = (Broader(above, "subclass"),) if above else ()
            if links or id not in known:
                new = () if id in known else tuple(Label(language, label) for language in languages or (ANY_LANGUAGE,))
                yield Concept(id, new, links)
            if len(known) >= MAX_REMEMBERED_LABELS:
                known.clear()
            known.add(id)


def _is_header(fields: list[str]) -> bool:
    names = [field.strip().lower().replace("_", " ") for field in fields[:2]]
    return len(names) == 2 and all(name in known for name, known in zip(names, HEADERS, strict=True))
