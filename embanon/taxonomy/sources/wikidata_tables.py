"""Tables of Wikidata as KGTK writes them: `node1 label node2` in any order, texts as `'city'@en`.

Labels, aliases and links stand in files of their own, so that a concept comes in parts, which add up. Of an item
whose class is of maintenance only the links' file can tell: it is given hidden there, not left out.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final

from embanon.errors import DecodingError, InputError
from embanon.taxonomy.sources.packed_lines import PackedLines
from embanon.taxonomy.sources.wikidata_items import Item, ItemFilter

COLUMNS: Final = ("node1", "label", "node2")
RANK: Final = "rank"
TEXT: Final = re.compile(r"'((?:[^'\\]|\\.)*)'@([A-Za-z]+(?:-[A-Za-z0-9]+)*)", re.DOTALL)
ITEM: Final = re.compile(r"Q\d+")
LABELS: Final = ("label", "rdfs:label", "skos:prefLabel")
ALIASES: Final = ("alias", "skos:altLabel")
ESCAPE: Final = re.compile(r"\\(.)", re.DOTALL)
ESCAPED: Final = {"a": "\a", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v"}
VALUE_SEPARATOR: Final = re.compile(r"(?<!\\)((?:\\\\)*)\|")
"""Stands between values; that of a text has a backslash before it."""
ADVICE: Final = "fetch the file again, or leave broken lines out (--lenient)"


@dataclass(frozen=True, slots=True)
class Header:
    """Where the columns are."""

    node1: int
    label: int
    node2: int
    rank: int | None

    @classmethod
    def from_lines(cls, lines: PackedLines) -> Header:
        """Read the first line."""
        first = lines.head.removeprefix(codecs.BOM_UTF8).partition(b"\n")[0].rstrip(b"\r")
        names = first.decode("utf-8", "replace").split("\t")
        missing = [name for name in COLUMNS if names.count(name) != 1]
        if missing:
            raise InputError(f"{lines.name}: its first line names no column {missing[0]!r}, or more than one")
        rank = names.index(RANK) if RANK in names else None
        node1, label, node2 = (names.index(name) for name in COLUMNS)
        return cls(node1, label, node2, rank)


@dataclass(slots=True)
class _ItemRows:
    """Rows of one item that stand together; links with their ranks."""

    item: Item
    ranked: list[tuple[str, str, str]]

    def to_item(self) -> Item:
        """Return the item with its links of the best rank: the preferred of a property, or else the normal ones."""
        preferred = {property for property, _, rank in self.ranked if rank == "preferred"}
        kept = ("preferred" if property in preferred else "normal" for property, _, _ in self.ranked)
        pairs = zip(self.ranked, kept, strict=True)
        return replace(self.item, links=[row[:2] for row, best in pairs if row[2] == best])


def items(lines: PackedLines, choice: ItemFilter, header: Header) -> Iterator[tuple[int, Item]]:
    """Return parts of items, each with the byte at which the next one begins."""
    last = max(header.node1, header.label, header.node2, header.rank or 0)
    part: _ItemRows | None = None
    for line in lines:
        if not line.strip() or not lines.start:
            continue
        cells = line.rstrip(b"\r").split(b"\t")
        if len(cells) <= last:
            lines.refuse(f"has {len(cells)} columns, {last + 1} are needed; {ADVICE}")
            continue
        try:
            id, label, value = (cells[place].decode("utf-8") for place in (header.node1, header.label, header.node2))
            rank = cells[header.rank].decode("utf-8") if header.rank is not None else ""
            if part is None or part.item.id != id:
                if part is not None:
                    yield lines.start, part.to_item()
                part = _ItemRows(Item(id), [])
            _add_row(part, choice, label, value, rank or "normal")
        except UnicodeDecodeError as exc:
            lines.refuse(f"byte {exc.start} of a column is not UTF-8; save the file as UTF-8", DecodingError)
        except ValueError:
            lines.refuse(f"no text as KGTK writes it: 'text'@en; {ADVICE}")
    if part is not None:
        yield lines.end, part.to_item()


def _add_row(part: _ItemRows, choice: ItemFilter, label: str, value: str, rank: str) -> None:
    if label in choice.properties:
        part.ranked += [(label, id, rank) for id in value.split("|") if ITEM.fullmatch(id)]
    elif label in LABELS or label in ALIASES:
        kept = part.item.labels if label in LABELS else part.item.aliases
        for text in VALUE_SEPARATOR.sub("\\1\n", value).split("\n") if "|" in value else (value,):
            if not (match := TEXT.fullmatch(text)):
                raise ValueError
            if language := choice.language_by_code.get(match[2].lower()):
                kept.append((language, unescape(match[1])))


def unescape(text: str) -> str:
    """Return a text without its backslashes."""
    return ESCAPE.sub(lambda found: ESCAPED.get(found[1], found[1]), text) if "\\" in text else text
