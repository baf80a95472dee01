"""Wikidata dumps as concepts: JSON, N-Triples or KGTK tables, detected by content; gzip, bzip2, standard input.

Everything streams: memory is that of one line. A reading can be taken up again at the byte that `Dump.offset` told.
"""

from __future__ import annotations

import codecs
from collections.abc import Iterator
from dataclasses import dataclass
from types import TracebackType
from typing import Final, Self

from embanon.errors import ConfigError, DecodingError, InputError
from embanon.io import STDIN
from embanon.taxonomy.concept import Concept
from embanon.taxonomy.sources import wikidata_json, wikidata_tables, wikidata_triples
from embanon.taxonomy.sources.packed_lines import PackedLines
from embanon.taxonomy.sources.wikidata_items import DEFAULT_FILTER, Item, ItemFilter

__all__ = ["DEFAULT_FILTER", "Dump", "Estimate", "ItemFilter", "estimate"]

JSON: Final = "json"
TRIPLES: Final = "nt"
TABLE: Final = "kgtk"
FOREIGN_SIGNATURES: Final = {
    b"<?xml": "XML", b"<!doctype": "a page of the web", b"<html": "a page of the web", b"<rdf:": "RDF/XML",
    b"@prefix": "Turtle", b"prefix": "Turtle",
}  # fmt: skip
"""How files begin that are sometimes taken for dumps."""
EXPECTED_FORMATS: Final = (
    "latest-all.json.gz, latest-truthy.nt.gz or a table of KGTK with the columns node1, label, node2"
)

SAMPLE: Final = 32 << 20
LABEL_BYTES: Final = 40
LINK_BYTES: Final = 8
"""What a store takes up for each."""


class Dump(Iterator[Concept]):
    """The concepts of a dump, or of standard input for "-", as they come.

    A line that cannot be read is an error with its number; or is counted as broken, where `lenient`. What is not
    needed of N-Triples is not checked. `start` is the `offset` that an earlier reading has told.
    """

    def __init__(
        self, path: str, choice: ItemFilter = DEFAULT_FILTER, *, start: int = 0, lenient: bool = False
    ) -> None:
        if start < 0:
            raise ConfigError(f"a dump cannot be read from byte {start}; the first one is 0")
        self.name = path
        self.item_filter = choice
        self.offset = start
        """The unpacked byte at which to start another time, when all concepts given so far are done with."""
        self.entities = 0
        """Entities read, kept or not; of tables, parts of them."""
        self.lines = PackedLines(path, lenient=lenient)
        """The file, which tells its size, how much of it is read, and how many lines are broken."""
        try:
            self.format = _format(self.lines)
            self._items = self._open_items(start)
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, exc: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """Close the file."""
        self.lines.close()

    def __next__(self) -> Concept:
        for offset, item in self._items:
            self.offset = offset
            self.entities += 1
            if concept := self.item_filter.concept(item):
                return concept
        self.offset = max(self.offset, self.lines.end)
        self.close()
        raise StopIteration

    def _open_items(self, start: int) -> Iterator[tuple[int, Item]]:
        header = wikidata_tables.Header.from_lines(self.lines) if self.format == TABLE else None
        if start:
            self.lines.skip(start)
        if header is not None:
            items = wikidata_tables.items(self.lines, self.item_filter, header)
        else:
            items = READERS[self.format](self.lines, self.item_filter)
        return items if start else self._refuse_empty(items)

    def _refuse_empty(self, items: Iterator[tuple[int, Item]]) -> Iterator[tuple[int, Item]]:
        """Refuse a dump in which nothing is."""
        first = next(items, None)
        if first is None:
            raise InputError(f"{self.name}: has no entity that can be read; a dump is {EXPECTED_FORMATS}")
        yield first
        yield from items


READERS: Final = {JSON: wikidata_json.items, TRIPLES: wikidata_triples.items}


def _format(lines: PackedLines) -> str:
    """Return the format of a dump, by how it begins."""
    head = lines.head.removeprefix(codecs.BOM_UTF8).lstrip()
    if not head:
        raise InputError(f"{lines.name}: is empty; a dump is {EXPECTED_FORMATS}")
    if head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)) or b"\0" in head[:64]:
        raise DecodingError(f"{lines.name}: is not UTF-8; convert it (iconv -f utf-16 -t utf-8)")
    for begin, what in FOREIGN_SIGNATURES.items():
        if head[: len(begin)].lower() == begin:
            raise InputError(f"{lines.name}: is {what}, no dump that is read here; a dump is {EXPECTED_FORMATS}")
    if head.startswith((b"[", b"{")):
        return JSON
    if head.startswith((b"<", b"_:")) or (head.startswith(b"#") and b"\t" not in head.partition(b"\n")[0]):
        return TRIPLES
    first = head.partition(b"\n")[0].rstrip(b"\r").split(b"\t")
    if {b"node1", b"node2"} & set(first):
        return TABLE
    raise InputError(f"{lines.name}: is no dump of Wikidata; a dump is {EXPECTED_FORMATS}")


@dataclass(frozen=True, slots=True)
class Estimate:
    """What a dump will give, from its beginning, where the best known items are: rather too much than too little."""

    entities: int
    concepts: int
    labels: int
    links: int
    share: float
    """Of the dump that was read for it; 1 says that all is counted, not estimated."""

    @property
    def bytes(self) -> int:
        """Return the size of the store."""
        return LABEL_BYTES * self.labels + LINK_BYTES * self.links


def estimate(path: str, choice: ItemFilter = DEFAULT_FILTER, *, sample: int = SAMPLE) -> Estimate:
    """Read so many bytes of a file, unpacked, and tell from them what the whole will give."""
    if path == STDIN:
        raise ConfigError("-: standard input can be read once only; name a file to estimate its size")
    kept = labels = links = 0
    with Dump(path, choice, lenient=True) as dump:
        if dump.lines.size is None:
            raise ConfigError(f"{path}: can be read once only; name a file to estimate its size")
        for concept in dump:
            kept, labels, links = kept + 1, labels + len(concept.labels), links + len(concept.broader)
            share = (dump.lines.bytes_read if dump.lines.is_packed else dump.offset) / dump.lines.size
            if dump.offset >= sample and share < 1:
                break
        else:
            share = 1.0
        counts = (dump.entities, kept, labels, links)
    entities, kept, labels, links = (round(count / share) for count in counts)
    return Estimate(entities, kept, labels, links, share)
