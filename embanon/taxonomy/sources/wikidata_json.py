"""JSON dumps of Wikidata: an array with an entity a line, or JSON Lines. Every line is parsed as a whole."""

from __future__ import annotations

import codecs
import json
from collections.abc import Callable, Iterator
from typing import Any, Final

import orjson

from embanon.errors import DecodingError
from embanon.taxonomy.sources.packed_lines import PackedLines
from embanon.taxonomy.sources.wikidata_items import Item, ItemFilter

ADVICE: Final = "write one entity a line (jq -c '.[]'), or leave broken lines out (--lenient)"

Parse = Callable[[bytes], Any]


def parse_with_json(line: bytes) -> Any:
    """Parse a line with Python's own parser."""
    return json.loads(line.decode("utf-8"))


def parse_line(line: bytes) -> Any:
    """Parse a line with orjson, about twice as fast; what that refuses, Python's parser decides on."""
    try:
        return orjson.loads(line)
    except ValueError:  # lone surrogates, NaN
        return parse_with_json(line)


def items(lines: PackedLines, choice: ItemFilter, parse: Parse = parse_line) -> Iterator[tuple[int, Item]]:
    """Return items, each with the byte that is reached when it is done with."""
    open_end = False
    for line in lines:
        text = line.removeprefix(codecs.BOM_UTF8).strip() if lines.number == 1 else line.strip()
        if text in (b"", b"[", b"]", b","):
            open_end = text == b"[" or (open_end and text != b"]")
            continue
        open_end = text.endswith(b",")
        for entity, end in _entities(text, lines, parse):
            try:
                item = _item(entity, choice)
            except (AttributeError, KeyError, TypeError, ValueError):
                lines.refuse(f"no entity as Wikidata writes it; {ADVICE}")
            else:
                yield end, item
    if open_end and not lines.lenient:
        lines.refuse("ends there, without the closing ]; fetch it again (wget -c), or read what is there (--lenient)")


def _entities(text: bytes, lines: PackedLines, parse: Parse) -> Iterator[tuple[Any, int]]:
    """Return the entity of a line, or those of a whole array in one line."""
    whole = text.startswith(b"[") and text.endswith(b"]")
    if not whole:
        text = text.removeprefix(b"[").removesuffix(b"]").removesuffix(b",")
    try:
        parsed = parse(text)
    except UnicodeDecodeError as exc:
        lines.refuse(f"byte {exc.start} is not UTF-8; save the file as UTF-8", DecodingError)
    except json.JSONDecodeError as exc:
        lines.refuse(f"column {exc.colno}: not JSON ({exc.msg}); {ADVICE}")
    except (RecursionError, ValueError):
        lines.refuse(f"JSON that is too deep or too large; {ADVICE}")
    else:
        several = parsed if whole and isinstance(parsed, list) else [parsed]
        for number, entity in enumerate(several, 1):
            yield entity, lines.end if number == len(several) else lines.start


def _item(entity: Any, choice: ItemFilter) -> Item:
    """Keep what is needed of an entity; what is not shaped as one raises what Python raises."""
    id = entity["id"]
    if not isinstance(id, str):
        raise TypeError
    item = Item(id)
    if not id.startswith(choice.id_prefixes):
        return item
    labels, aliases = _mapping(entity, "labels"), _mapping(entity, "aliases")
    for code, language in choice.language_by_code.items():
        if code in labels:
            item.labels.append((language, _text(labels[code])))
        if code in aliases:
            item.aliases += [(language, _text(alias)) for alias in aliases[code]]
    claims = _mapping(entity, "claims")
    for property in choice.properties:
        if property in claims:
            item.links += [(property, id) for id in _values(claims[property])]
    if "sitelinks" in entity:
        item.sitelinks = len(_mapping(entity, "sitelinks"))
    return item


def _mapping(entity: dict[str, Any], key: str) -> dict[str, Any]:
    mapping = entity.get(key)
    if mapping is None or mapping == []:  # as empty ones were written till 2019
        return {}
    if not isinstance(mapping, dict):
        raise TypeError
    return mapping


def _text(term: Any) -> str:
    text = term["value"]
    if not isinstance(text, str):
        raise TypeError
    return text


def _values(statements: list[dict[str, Any]]) -> Iterator[str]:
    """Return the items of the statements of the best rank: the preferred, or else the normal ones."""
    ranks = [statement.get("rank", "normal") for statement in statements]
    best = "preferred" if "preferred" in ranks else "normal"
    for statement, rank in zip(statements, ranks, strict=True):
        snak = statement["mainsnak"]
        if rank != best or snak["snaktype"] != "value":
            continue
        datavalue = snak["datavalue"]
        if datavalue["type"] == "wikibase-entityid" and (id := _id(datavalue["value"])):
            yield id


def _id(value: dict[str, Any]) -> str | None:
    """Return the id of an item, which old dumps have as a number alone; `None` of other entities."""
    if "id" in value:
        id = value["id"]
        return id if isinstance(id, str) and id.startswith("Q") else None
    return f"Q{int(value['numeric-id'])}" if value.get("entity-type", "item") == "item" else None
