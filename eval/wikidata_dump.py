"""Generate a dump like those of Wikidata: `python -m eval.wikidata_dump --data ../shared/data --megabytes 100 > FILE`.

Ids, English labels, aliases, P31 and P279 are real; the rest, which a dump has most of, is made from a seed: labels
and descriptions of sixty languages, statements with qualifiers and references, sitelinks. A pool of entities
is repeated under other ids until the size is reached.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import sys
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import cycle
from pathlib import Path
from typing import Any, Final

from embanon.taxonomy.sources.wikidata import Dump, ItemFilter

LANGUAGES: Final = tuple(
    "en fr de es pt nl it sv ru pl ar zh ja uk vi ceb ca no fi hu cs ko fa tr ro id sh eo eu da sk he lt bg sl et hr "
    "sr gl nn simple az ka el ur la ms hy hi th ta te bn ga cy be bs oc ast af sq br sco lb".split()
)
SCRIPTS: Final = {"ru": 0x430, "uk": 0x430, "bg": 0x430, "sr": 0x430, "be": 0x430, "ar": 0x628, "fa": 0x628,
                  "ur": 0x628, "zh": 0x4E00, "ja": 0x3042, "ko": 0xAC00, "he": 0x5D0, "hi": 0x915, "th": 0xE01,
                  "ta": 0xB95, "te": 0xC15, "bn": 0x995, "ka": 0x10D0, "hy": 0x561, "el": 0x3B1}  # fmt: skip
"""Where the letters of languages start that have others than ours."""
STATEMENTS: Final = (3, 14)
POOL: Final = 24 << 20
"""Bytes of entities that differ."""
BLOCK: Final = 1 << 20
WDT: Final = "<http://www.wikidata.org/prop/direct/"
WD: Final = "<http://www.wikidata.org/entity/"


@dataclass(slots=True)
class Real:
    """What is real of an item: labels by kind, and (property, item)."""

    labels: list[str] = field(default_factory=list)
    links: list[tuple[str, str]] = field(default_factory=list)


def real(data: Path) -> dict[str, Real]:
    """Read the subset."""
    items: dict[str, Real] = defaultdict(Real)
    names = {"instance": "P31", "subclass": "P279"}
    for name in ("labels.en", "aliases.en", "derived.P31", "derived.P279"):
        for concept in Dump(str(data / "wikidata" / f"{name}.tsv.gz"), ItemFilter(keep_maintenance=True)):
            items[concept.id].labels += [label.text for label in concept.labels]
            items[concept.id].links += [(names[link.link], link.id) for link in concept.broader]
    return {id: item for id, item in items.items() if item.labels}


class Maker:
    """Makes entities from a seed."""

    def __init__(self, items: dict[str, Real], seed: int) -> None:
        self.random = random.Random(seed)
        self.items = items
        self.ids = sorted(items, key=lambda id: int(id[1:]))
        self.random.shuffle(self.ids)

    def entity(self, id: str) -> dict[str, Any]:
        """Make an entity, as the dumps have it, keys in their order."""
        item, draw = self.items[id], self.random
        known = ["en", *draw.sample(LANGUAGES[1:], draw.choice((2, 8, 25, 59)))]
        labels = {code: {"language": code, "value": spelled(item.labels[0], code)} for code in known}
        also = {code: [{"language": code, "value": spelled(text, code)} for text in item.labels[1:]]
                for code in known if code == "en" or draw.random() < 0.15}  # fmt: skip
        about = {code: {"language": code, "value": spelled(f"{item.labels[0]} ({id})", code)} for code in known[::2]}
        sites = {f"{code}wiki": {"site": f"{code}wiki", "title": labels[code]["value"], "badges": []}
                 for code in known[: draw.choice((0, 1, 4, 20))]}  # fmt: skip
        return {
            "type": "item", "id": id, "labels": labels, "descriptions": about,
            "aliases": {code: terms for code, terms in also.items() if terms}, "claims": self.claims(id, item),
            "sitelinks": sites, "pageid": draw.randrange(10**8), "ns": 0, "title": id,
            "lastrevid": draw.randrange(10**9), "modified": "2024-05-01T10:20:30Z",
        }  # fmt: skip

    def claims(self, id: str, item: Real) -> dict[str, list[dict[str, Any]]]:
        """Make the statements: what is real, places and occupations by chance, and many that nobody needs."""
        draw = self.random
        pairs = [*item.links, *((property, draw.choice(self.ids)) for property in ("P17", "P131", "P106", "P361")
                                if draw.random() < 0.3)]  # fmt: skip
        claims: dict[str, list[dict[str, Any]]] = {}
        for property, value in pairs:
            claims.setdefault(property, []).append(self.statement(id, self.snak(property, value)))
        for _ in range(draw.randint(*STATEMENTS)):
            property = f"P{draw.choice((18, 21, 214, 227, 345, 373, 569, 570, 625, 646, 735, 910, 1559, 2048, 8408))}"
            claims.setdefault(property, []).append(self.statement(id, self.snak(property)))
        return claims

    def statement(self, id: str, snak: dict[str, Any]) -> dict[str, Any]:
        """Make a statement, some with qualifiers, most with references."""
        draw = self.random
        found: dict[str, Any] = {"mainsnak": snak, "type": "statement"}
        if draw.random() < 0.25:
            names = draw.sample(("P580", "P17", "P131", "P1810"), draw.randint(1, 2))
            found["qualifiers"] = {name: [self.snak(name) | {"hash": self.hash()}] for name in names}
            found["qualifiers-order"] = names
        found["id"] = f"{id}${self.hash().upper()[:32]}"
        found["rank"] = draw.choices(("normal", "preferred", "deprecated"), (94, 4, 2))[0]
        if draw.random() < 0.6:
            names = ["P248", *draw.sample(("P813", "P854", "P143"), draw.randint(0, 2))]
            found["references"] = [
                {"hash": self.hash(), "snaks": {name: [self.snak(name)] for name in names}, "snaks-order": names}
            ]
        return found

    def snak(self, property: str, id: str = "") -> dict[str, Any]:
        """Make a value of the kind that its property has."""
        draw = self.random
        kind, type, value = self.value(property, id or draw.choice(self.ids), bool(id))
        if not id and draw.random() < 0.02:
            return {"snaktype": "somevalue", "property": property, "datatype": kind}
        datavalue = {"value": value, "type": type}
        return {"snaktype": "value", "property": property, "datavalue": datavalue, "datatype": kind}

    def value(self, property: str, id: str, item: bool) -> tuple[str, str, Any]:
        """Make a value: its data type, its type, itself."""
        if item or property in ("P17", "P21", "P131", "P143", "P248", "P735", "P910"):
            entity = {"entity-type": "item", "numeric-id": int(id[1:]), "id": id}
            return "wikibase-item", "wikibase-entityid", entity
        if property in ("P569", "P570", "P580", "P813"):
            time = f"+{self.random.randint(1800, 2020)}-01-01T00:00:00Z"
            rest = {"timezone": 0, "before": 0, "after": 0, "precision": 11}
            return "time", "time", {"time": time} | rest | {"calendarmodel": "http://www.wikidata.org/entity/Q1985727"}
        if property == "P625":
            place = {"latitude": self.random.uniform(-90, 90), "longitude": self.random.uniform(-180, 180)}
            where: dict[str, Any] = {
                "altitude": None,
                "precision": 0.0001,
                "globe": "http://www.wikidata.org/entity/Q2",
            }
            return "globe-coordinate", "globecoordinate", where | place
        if property == "P1559":
            return "monolingualtext", "monolingualtext", {"text": self.items[id].labels[0], "language": "en"}
        if property == "P854":
            return "url", "string", f'https://example.org/{self.hash()}?q="{id}"'
        return "external-id", "string", self.hash()[: self.random.randint(5, 20)]

    def hash(self) -> str:
        """Make what stands for a checksum."""
        return f"{self.random.getrandbits(160):040x}"


def spelled(text: str, code: str) -> str:
    """Write a text as another language might: in its script, or with an accent."""
    if first := SCRIPTS.get(code):
        return "".join(chr(first + ord(char) % 24) if char.isalpha() else char for char in text)
    if code in ("en", "ceb", "sh", "nn"):
        return text
    return re.sub("[aeo]", lambda vowel: "áéö"["aeo".index(vowel[0])], text, count=1)


def line(entity: dict[str, Any]) -> bytes:
    """Write an entity as the JSON dumps do, after the place of its own id."""
    whole = json.dumps(entity, separators=(",", ":")).encode("ascii")
    head = f'{{"type":"item","id":"{entity["id"]}"'.encode()
    return whole.removeprefix(head) + b",\n"


def triples(entity: dict[str, Any]) -> list[bytes]:
    """Write an entity as the truthy N-Triples do: each line as what stands before and after its id."""
    id, about = entity["id"], "<https://www.wikidata.org/wiki/Special:EntityData/"
    lines = [
        f"{about}{id}> <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <http://schema.org/Dataset> .",
        f"{about}{id}> <http://schema.org/about> {WD}{id}> .",
        f'{about}{id}> <http://wikiba.se/ontology#sitelinks> "{len(entity["sitelinks"])}"^^'
        "<http://www.w3.org/2001/XMLSchema#integer> .",
        f"{WD}{id}> <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <http://wikiba.se/ontology#Item> .",
    ]
    names = ("http://www.w3.org/2000/01/rdf-schema#label", "http://www.w3.org/2004/02/skos/core#prefLabel")
    for predicate in (*names, "http://schema.org/name"):
        lines += [f"{WD}{id}> <{predicate}> {literal(term)} ." for term in entity["labels"].values()]
    for predicate, terms in (("http://schema.org/description", [entity["descriptions"].values()]),
                             ("http://www.w3.org/2004/02/skos/core#altLabel", entity["aliases"].values())):  # fmt: skip
        lines += [f"{WD}{id}> <{predicate}> {literal(term)} ." for some in terms for term in some]
    for property, statements in entity["claims"].items():
        for value in (each["mainsnak"]["datavalue"]["value"] for each in statements if "datavalue" in each["mainsnak"]):
            item = isinstance(value, dict) and "id" in value
            lines.append(f"{WD}{id}> {WDT}{property}> " + (f"{WD}{value['id']}> ." if item else '"value" .'))
    return [text.encode() for text in lines]


def literal(term: dict[str, str]) -> str:
    """Write a text with its language."""
    return '"' + term["value"].replace("\\", "\\\\").replace('"', '\\"') + f'"@{term["language"]}'


def pool(data: Path, seed: int, size: int, format: str) -> list[tuple[bytes, ...]]:
    """Make entities, each cut at the places where its own id stands."""
    maker, found, made = Maker(real(data), seed), list[tuple[bytes, ...]](), 0
    for id in cycle(maker.ids):
        entity = maker.entity(id)
        if format == "nt":
            text = b"\n".join(triples(entity)) + b"\n"
            parts = tuple(re.split(rb"(?<=^<http://www.wikidata.org/entity/)" + id.encode() + rb"(?=>)|(?<=EntityData/)"
                                   + id.encode() + rb"(?=>)", text, flags=re.MULTILINE))  # fmt: skip
        else:
            parts = (line(entity),)
        found.append(parts)
        made += sum(map(len, parts))
        if made >= size:
            return found
    return found


def blocks(entities: Sequence[tuple[bytes, ...]], size: int, format: str) -> Iterator[bytes]:
    """Repeat the pool under other ids until so many bytes are given."""
    given, held = 0, list[bytes]()
    if format == "json":
        yield b"[\n"
    for number, parts in enumerate(cycle(entities), 1):
        id = b"Q%d" % number
        held.append(id.join(parts) if format == "nt" else b'{"type":"item","id":"%s"%s' % (id, parts[0]))
        given += len(held[-1])
        if given >= size:
            break
        if not number % 64:
            yield b"".join(held)
            held.clear()
    last = b"".join(held)
    yield last if format == "nt" else last[:-2] + b"\n]\n"


def main(arguments: Sequence[str] | None = None) -> int:
    """Write the dump to standard output."""
    parser = argparse.ArgumentParser(prog="python -m eval.wikidata_dump", description=__doc__)
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--megabytes", type=float, default=100.0)
    parser.add_argument("--format", choices=("json", "nt"), default="json")
    parser.add_argument("--seed", type=int, default=7)
    options = parser.parse_args(arguments)
    entities = pool(options.data, options.seed, min(POOL, round(options.megabytes * 1e6)), options.format)
    with open(sys.stdout.fileno(), "wb", 0, closefd=False) as out:
        for block in blocks(entities, round(options.megabytes * 1e6), options.format):
            out.write(block)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
