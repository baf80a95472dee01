"""N-Triples dumps of Wikidata: `latest-truthy.nt.gz`, in which the lines of an item are together.

Lines with other predicates, which are most, are looked at only as far as to know that.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Final

from embanon.errors import DecodingError
from embanon.taxonomy.sources.ntriples import unescape
from embanon.taxonomy.sources.packed_lines import PackedLines
from embanon.taxonomy.sources.wikidata_items import Item, ItemFilter

SUBJECT: Final = re.compile(rb"<https?://[^<>\s]+/(?:entity|wiki/Special:EntityData)/([A-Z]\d+)>")
OBJECT: Final = re.compile(rb"<https?://[^<>\s]+/entity/(Q\d+)>")
LITERAL: Final = re.compile(rb'"((?:[^"\\]+|\\.)*)"@([A-Za-z]+(?:-[A-Za-z0-9]+)*)')
INTEGER: Final = re.compile(rb'"\+?(\d{1,9})"\^\^<http://www\.w3\.org/2001/XMLSchema#integer>')
END: Final = re.compile(rb"\s*\.\s*(?:#.*)?")
ANY_OBJECT: Final = re.compile(rb'(?:<[^<>\s]*>|_:\S+|"(?:[^"\\]+|\\.)*"(?:@[A-Za-z0-9-]+|\^\^<[^<>\s]*>)?)')
NODE: Final = (b"<", b"_:")

LABELS: Final = (b"<http://www.w3.org/2000/01/rdf-schema#label>", b"<http://www.w3.org/2004/02/skos/core#prefLabel>")
ALIAS: Final = b"<http://www.w3.org/2004/02/skos/core#altLabel>"
SITELINKS: Final = b"<http://wikiba.se/ontology#sitelinks>"
DIRECT: Final = ("http://www.wikidata.org/prop/direct/", "https://www.wikidata.org/prop/direct/")
ADVICE: Final = "fetch the file again, or leave broken lines out (--lenient)"

Handler = Callable[[Item, bytes], None]


def items(lines: PackedLines, choice: ItemFilter) -> Iterator[tuple[int, Item]]:
    """Return items, each with the byte at which the next one begins."""
    keeps = _handlers(choice)
    item: Item | None = None
    subject, about = b"", False
    for line in lines:
        parts = line.split(None, 2)
        if len(parts) != 3 or parts[0][:1] == b"#":
            if parts and parts[0][:1] != b"#":
                lines.refuse(f"no triple; {ADVICE}")
            continue
        if parts[0] != subject:
            if not parts[0].startswith(NODE):
                lines.refuse(f"no triple; {ADVICE}")
                continue
            subject = parts[0]
            match = SUBJECT.fullmatch(subject)
            about = match is not None
            if match and (item is None or match[1].decode() != item.id):
                if item is not None:
                    yield lines.start, item
                item = Item(match[1].decode())
        keep = keeps.get(parts[1])
        if keep and about and item is not None:
            _handle_object(keep, item, parts[2], lines)
        elif parts[2][-1] != 46 or parts[1][0] != 60:  # a full stop, <
            _check(parts, lines)
    if item is not None:
        yield lines.end, item


def _handlers(choice: ItemFilter) -> dict[bytes, Handler]:
    """Return what to do with the object of each predicate."""
    keeps: dict[bytes, Handler] = {SITELINKS: _keep_sitelinks}
    for predicate in (*LABELS, ALIAS):
        keeps[predicate] = _text_handler(choice, predicate == ALIAS)
    for property in choice.properties:
        keeps |= {f"<{direct}{property}>".encode(): _link_handler(property) for direct in DIRECT}
    return keeps


def _text_handler(choice: ItemFilter, alias: bool) -> Handler:
    codes = {code.encode(): language for code, language in choice.language_by_code.items()}

    def keep(item: Item, term: bytes) -> None:
        match = LITERAL.match(term)
        if match is None:
            raise ValueError
        language = codes.get(match[2]) or codes.get(match[2].lower())
        if language is not None:
            text = unescape(match[1].decode("utf-8"))
            (item.aliases if alias else item.labels).append((language, text))

    return keep


def _link_handler(property: str) -> Handler:
    def keep(item: Item, term: bytes) -> None:
        if match := OBJECT.match(term):  # else it is a value that is unknown, or none
            item.links.append((property, match[1].decode()))

    return keep


def _keep_sitelinks(item: Item, term: bytes) -> None:
    if match := INTEGER.match(term):
        item.sitelinks = int(match[1])


def _handle_object(keep: Handler, item: Item, term: bytes, lines: PackedLines) -> None:
    """Keep an object, or say what is wrong with it."""
    try:
        if term[-1] != 46 and not _is_ended(term):
            raise ValueError
        keep(item, term)
    except UnicodeDecodeError:
        lines.refuse("is not UTF-8; fetch the file again, or convert it (iconv -t utf-8)", DecodingError)
    except (ValueError, OverflowError):
        lines.refuse(f"no triple; {ADVICE}")


def _is_ended(term: bytes) -> bool:
    match = ANY_OBJECT.match(term)
    return match is not None and END.fullmatch(term, match.end()) is not None


def _check(parts: list[bytes], lines: PackedLines) -> None:
    if not parts[1].startswith(b"<") or not _is_ended(parts[2]):
        lines.refuse(f"no triple; {ADVICE}")
