"""Dumps of Wikidata: lines as the dumps have them, and everything that can be wrong with them. No network."""

from __future__ import annotations

import bz2
import codecs
import gzip
import io
import json
import sys
from hashlib import sha512
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, strategies as st

from embanon.errors import ConfigError, DecodingError, InputError
from embanon.taxonomy.concept import LINKS, Broader, Concept, Label
from embanon.taxonomy.sources import packed_lines, wikidata_json
from embanon.taxonomy.sources.wikidata import Dump, ItemFilter, estimate
from embanon.taxonomy.sources.wikidata_items import ABSTRACT, MAINTENANCE, PROPERTIES, clean

SECRET = "Geheimnis"

# As latest-all.json has it, shortened only in the number of languages and statements.
ADAMS = r"""{"type":"item","id":"Q42","labels":{"fr":{"language":"fr","value":"Douglas Adams"},"en":{"language":"en","value":"Douglas Adams"},"en-gb":{"language":"en-gb","value":"Douglas No\u00ebl Adams"},"de":{"language":"de","value":"Douglas Adams"}},"descriptions":{"en":{"language":"en","value":"English \"labels\":{ writer"}},"aliases":{"en":[{"language":"en","value":"Douglas \"Bop Ad\" Adams"},{"language":"en","value":"Douglas Adams"}],"ru":[{"language":"ru","value":"\u0410\u0434\u0430\u043c\u0441"}]},"claims":{"P31":[{"mainsnak":{"snaktype":"value","property":"P31","datavalue":{"value":{"entity-type":"item","numeric-id":5,"id":"Q5"},"type":"wikibase-entityid"},"datatype":"wikibase-item"},"type":"statement","id":"Q42$F078E5B3-F9A8-480E-B7AC-D97778CBBEF9","rank":"normal","references":[{"hash":"a4d108601216cffd2ff1819ccf12b483486b62e7","snaks":{"P248":[{"snaktype":"value","property":"P248","datavalue":{"value":{"entity-type":"item","numeric-id":54919,"id":"Q54919"},"type":"wikibase-entityid"},"datatype":"wikibase-item"}]},"snaks-order":["P248"]}]}],"P106":[{"mainsnak":{"snaktype":"value","property":"P106","datavalue":{"value":{"entity-type":"item","numeric-id":214917,"id":"Q214917"},"type":"wikibase-entityid"},"datatype":"wikibase-item"},"type":"statement","qualifiers":{"P31":[{"snaktype":"value","property":"P31","hash":"f0b6b1b0b8d1c3e6a1a6b2a0c7a9c0d2e4f6a8b1","datavalue":{"value":{"entity-type":"item","numeric-id":9,"id":"Q9"},"type":"wikibase-entityid"},"datatype":"wikibase-item"}]},"qualifiers-order":["P31"],"id":"Q42$e0f736bd-4711-c43b-9277-af1e9b2fb85f","rank":"normal"},{"mainsnak":{"snaktype":"value","property":"P106","datavalue":{"value":{"entity-type":"item","numeric-id":28389,"id":"Q28389"},"type":"wikibase-entityid"},"datatype":"wikibase-item"},"type":"statement","id":"Q42$E13E619F-63EF-4B72-99D9-7A45C7C6AD34","rank":"deprecated"}],"P27":[{"mainsnak":{"snaktype":"value","property":"P27","datavalue":{"value":{"entity-type":"item","numeric-id":145,"id":"Q145"},"type":"wikibase-entityid"},"datatype":"wikibase-item"},"type":"statement","id":"Q42$DE2A0C89-6199-44D0-B727-D7A4BE031A2B","rank":"normal"}],"P463":[{"mainsnak":{"snaktype":"somevalue","property":"P463","datatype":"wikibase-item"},"type":"statement","id":"Q42$1","rank":"normal"},{"mainsnak":{"snaktype":"novalue","property":"P463","datatype":"wikibase-item"},"type":"statement","id":"Q42$2","rank":"normal"}],"P569":[{"mainsnak":{"snaktype":"value","property":"P569","datavalue":{"value":{"time":"+1952-03-11T00:00:00Z","timezone":0,"before":0,"after":0,"precision":11,"calendarmodel":"http://www.wikidata.org/entity/Q1985727"},"type":"time"},"datatype":"time"},"type":"statement","id":"Q42$3","rank":"normal"}]},"sitelinks":{"enwiki":{"site":"enwiki","title":"Douglas Adams","badges":["Q17437798"]},"dewiki":{"site":"dewiki","title":"Douglas Adams","badges":[]}},"pageid":138,"ns":0,"title":"Q42","lastrevid":1600533266,"modified":"2022-03-21T22:51:21Z"}"""  # noqa: E501

ADAMS_CONCEPT = Concept(
    "Q42",
    (
        Label("en", "Douglas Adams"),
        Label("en", "Douglas Noël Adams"),
        Label("de", "Douglas Adams"),
        Label("en", 'Douglas "Bop Ad" Adams'),
    ),
    (Broader("Q5", "instance"), Broader("Q214917", "occupation"), Broader("Q145", "related")),
    "PERSON",
    2.0,
)

ABOUT = "<https://www.wikidata.org/wiki/Special:EntityData/"
WD, WDT = "<http://www.wikidata.org/entity/", "<http://www.wikidata.org/prop/direct/"
LABEL = "<http://www.w3.org/2000/01/rdf-schema#label>"
ALIAS = "<http://www.w3.org/2004/02/skos/core#altLabel>"
TRIPLES = f"""\
<http://wikiba.se/ontology#Dump> <http://creativecommons.org/ns#license> <http://creativecommons.org/publicdomain/zero/1.0/> .
{ABOUT}Q31> <http://schema.org/about> {WD}Q31> .
{ABOUT}Q31> <http://wikiba.se/ontology#sitelinks> "320"^^<http://www.w3.org/2001/XMLSchema#integer> .
{WD}Q31> <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <http://wikiba.se/ontology#Item> .
<https://it.wikivoyage.org/wiki/Belgio> <http://schema.org/about> {WD}Q31> .
<https://it.wikivoyage.org/wiki/Belgio> <http://schema.org/name> "Belgio"@it .
{WD}Q31> {LABEL} "B\\u00e9lgica"@es .
{WD}Q31> <http://www.w3.org/2004/02/skos/core#prefLabel> "B\\u00e9lgica"@es .
{WD}Q31> <http://schema.org/name> "B\\u00e9lgica"@es .
{WD}Q31> {LABEL} "Belgium"@en .
{WD}Q31> {LABEL} "Belgique"@fr .
{WD}Q31> {ALIAS} "the \\"Kingdom\\"\\n of Belgium"@EN .
{WD}Q31> {ALIAS} "Bélgica do Brasil"@pt-br .
{WD}Q31> {WDT}P31> {WD}Q3624078> .
{WD}Q31> {WDT}P31> {WD}Q6256> .
{WD}Q31> {WDT}P361> <http://www.wikidata.org/.well-known/genid/b1> .
{WD}Q31> {WDT}P361> _:b2 .
{WD}Q31> {WDT}P1082> "11431406"^^<http://www.w3.org/2001/XMLSchema#decimal> .
{ABOUT}Q42> <http://schema.org/about> {WD}Q42> .
{WD}Q42>\t{LABEL}  "Douglas Adams"@en . # a remark
{WD}Q42> {WDT}P31> {WD}Q5> .
{WD}P31> {LABEL} "instance of"@en .
{WD}Q7> {LABEL} "a page"@en .
{WD}Q7> {WDT}P31> {WD}Q4167410> .
"""  # noqa: E501
TRIPLES_CONCEPTS = [
    Concept(
        "Q31",
        (Label("es", "Bélgica"), Label("en", "Belgium"), Label("en", 'the "Kingdom" of Belgium'),
         Label("pt", "Bélgica do Brasil")),
        (Broader("Q3624078", "instance"), Broader("Q6256", "instance")),
        weight=320.0,
    ),
    Concept("Q42", (Label("en", "Douglas Adams"),), (Broader("Q5", "instance"),), "PERSON", 1.0),
]  # fmt: skip

TABLE = """\
id	node1	label	node2	rank
a	P10	label	'video'@en	normal
b	Q1	label	'mix\\'n\\'match \\| \\\\'@en	normal
c	Q1	label	'Welt'@de|'univers\\|o'@pt-br	normal
d	Q1	description	'everything'@en	normal
e	Q1	alias	'cosmos'@en	normal
f	Q1	P31	Q2	normal
g	Q1	P31	Q3	preferred
h	Q1	P361	Q4	deprecated
i	Q1	P279	somevalue	normal
j	Q9	P31	Q4167836	normal
"""
TABLE_CONCEPTS = [
    Concept(
        "Q1",
        (Label("en", "mix'n'match | \\"), Label("de", "Welt"), Label("pt", "univers|o"), Label("en", "cosmos")),
        (Broader("Q3", "instance"),),
        weight=1.0,
    )
]  # fmt: skip


def statement(property: str, id: str, rank: str = "normal") -> dict[str, Any]:
    value = {"entity-type": "item", "numeric-id": int(id[1:]), "id": id}
    datavalue = {"value": value, "type": "wikibase-entityid"}
    snak = {"snaktype": "value", "property": property, "datavalue": datavalue, "datatype": "wikibase-item"}
    return {"mainsnak": snak, "type": "statement", "id": f"{id}$1", "rank": rank}


def entity(id: str, label: str = "x", **more: Any) -> dict[str, Any]:
    labels = {"en": {"language": "en", "value": label}}
    return {"type": "item", "id": id, "labels": labels, "descriptions": {}, "aliases": {}, "claims": {}} | more


def line(id: str, label: str = "x", **more: Any) -> str:
    return json.dumps(entity(id, label, **more), separators=(",", ":"))


def array(*lines: str) -> bytes:
    return ("[\n" + ",\n".join(lines) + "\n]\n").encode()


def dump(folder: Path, content: bytes, name: str = "dump", **options: Any) -> Dump:
    (folder / name).write_bytes(content)
    return Dump(str(folder / name), **options)


THREE = [line(f"Q{number}", f"name {number}") for number in (1, 2, 3)]
NAMES = ["Q1", "Q2", "Q3"]
WHOLE = array(*THREE)

# name: what a dump of three items may look like
SHAPES = {
    "array": WHOLE,
    "lines": "\n".join(THREE).encode(),
    "commas and lines of Windows": b"[\r\n" + ",\r\n".join(THREE).encode() + b"\r\n]\r\n",
    "brackets beside the entities": ("[" + ",\n".join(THREE) + "]").encode(),
    "in one line": ("[" + ",".join(THREE) + "]").encode(),
    "byte-order mark": codecs.BOM_UTF8 + WHOLE,
    "empty lines": b"\n\n" + WHOLE.replace(b"\n", b"\n\n"),
    "gzip": gzip.compress(WHOLE),
    "gzip in parts": gzip.compress(WHOLE[:50]) + gzip.compress(WHOLE[50:]),
    "bzip2": bz2.compress(WHOLE),
    "bzip2 in parts": bz2.compress(WHOLE[:50]) + bz2.compress(WHOLE[50:]),
}


@pytest.mark.parametrize("content", SHAPES.values(), ids=SHAPES)
def test_shapes_of_json(content: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = list(dump(tmp_path, content))
    assert [concept.id for concept in found] == NAMES
    assert [concept.labels for concept in found] == [(Label("en", f"name {number}"),) for number in (1, 2, 3)]
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content)))
    assert list(Dump("-")) == found


def test_a_real_line(tmp_path: Path) -> None:
    assert list(dump(tmp_path, array(ADAMS))) == [ADAMS_CONCEPT]


def test_triples(tmp_path: Path) -> None:
    assert list(dump(tmp_path, TRIPLES.encode())) == TRIPLES_CONCEPTS
    assert list(dump(tmp_path, gzip.compress(TRIPLES.encode()))) == TRIPLES_CONCEPTS


@pytest.mark.parametrize("order", [(0, 1, 2, 3, 4), (4, 3, 2, 1, 0), (2, 4, 0, 1, 3)])
def test_tables(order: tuple[int, ...], tmp_path: Path) -> None:
    rows = [row.split("\t") for row in TABLE.splitlines()]
    content = "\n".join("\t".join(row[place] for place in order) for row in rows).encode()
    assert list(dump(tmp_path, content)) == TABLE_CONCEPTS
    kept = list(dump(tmp_path, content, choice=ItemFilter(keep_maintenance=True)))
    assert kept[1:] == [Concept("Q9", (), (Broader("Q4167836", "instance"),), weight=1.0, hidden=True)]


def claims(**values: list[dict[str, Any]]) -> dict[str, Any]:
    return {"claims": values}


# name: what an entity has more, its links, its weight, or None where it is left out
ITEMS: dict[str, tuple[dict[str, Any], list[tuple[str, str]] | None, float]] = {
    "nothing": ({}, [], 0.0),
    "empty as of old": ({"claims": [], "aliases": [], "descriptions": [], "sitelinks": []}, [], 0.0),
    "preferred before normal": (
        claims(P131=[statement("P131", "Q1"), statement("P131", "Q2", "preferred"), statement("P131", "Q3")]),
        [("Q2", "located-in")],
        1.0,
    ),
    "deprecated alone": (claims(P31=[statement("P31", "Q1", "deprecated")]), [], 0.0),
    "preferred and unknown": (
        claims(P31=[statement("P31", "Q1"), {"mainsnak": {"snaktype": "somevalue"}, "rank": "preferred"}]),
        [],
        0.0,
    ),
    "the same place twice": (
        claims(P131=[statement("P131", "Q2")], P17=[statement("P17", "Q2")]),
        [("Q2", "located-in")],
        1.0,
    ),
    "itself": (claims(P279=[statement("P279", "Q9")]), [], 0.0),
    "another property": (claims(P21=[statement("P21", "Q2")]), [], 0.0),
    "disambiguation": (claims(P31=[statement("P31", "Q4167410")]), None, 0.0),
    "kind of list": (claims(P279=[statement("P279", "Q13406463")]), None, 0.0),
    "all of them": (
        claims(**{property: [statement(property, f"Q{place + 100}")] for place, property in enumerate(PROPERTIES)}),
        [(f"Q{place + 100}", link) for place, link in enumerate(PROPERTIES.values())],
        8.0,
    ),
    "other kinds of values": (
        claims(
            P31=[
                {"mainsnak": {"snaktype": "value", "datavalue": {"type": "string", "value": "Q1"}}, "rank": "normal"},
                {
                    "mainsnak": {
                        "snaktype": "value",
                        "datavalue": {
                            "type": "wikibase-entityid",
                            "value": {"entity-type": "property", "id": "P5", "numeric-id": 5},
                        },
                    }
                },
                {
                    "mainsnak": {
                        "snaktype": "value",
                        "datavalue": {
                            "type": "wikibase-entityid",
                            "value": {"entity-type": "item", "numeric-id": 16521},
                        },
                    }
                },
            ]
        ),
        [("Q16521", "instance")],
        1.0,
    ),
    "sitelinks": ({"sitelinks": {"enwiki": {}, "dewiki": {}}}, [], 2.0),
}


@pytest.mark.parametrize(("more", "links", "weight"), ITEMS.values(), ids=ITEMS)
def test_items(more: dict[str, Any], links: list[tuple[str, str]] | None, weight: float, tmp_path: Path) -> None:
    found = list(dump(tmp_path, array(line("Q9", **more), line("Q10"))))
    if links is None:
        assert [concept.id for concept in found] == ["Q10"]
        hidden = list(dump(tmp_path, array(line("Q9", **more)), choice=ItemFilter(keep_maintenance=True)))
        assert [concept.hidden for concept in hidden] == [True]
        return
    assert [(broader.id, broader.link) for broader in found[0].broader] == links
    assert found[0].weight == weight


def test_links_are_of_the_contract() -> None:
    assert set(PROPERTIES.values()) <= set(LINKS)
    assert not MAINTENANCE.keys() & ABSTRACT.keys()


def test_what_is_hidden_and_what_is_chosen(tmp_path: Path) -> None:
    labels = {code: {"language": code, "value": f"in {code}"} for code in ("en", "fr", "pt-br", "mul", "en-gb")}
    content = array(line("Q35120"), line("P5"), line("L7"), line("Q3", labels=labels))
    found = list(dump(tmp_path, content))
    assert [(concept.id, concept.hidden) for concept in found] == [("Q35120", True), ("Q3", False)]
    languages = [label.language for label in found[1].labels]
    assert languages == ["en", "en", "pt", "mul"]
    assert [concept.id for concept in dump(tmp_path, content, choice=ItemFilter(id_prefixes=("P", "L")))] == [
        "P5",
        "L7",
    ]
    other = list(dump(tmp_path, content, choice=ItemFilter(("fr", "pt-br"))))
    assert [concept.id for concept in other] == ["Q3"]
    assert [label.text for label in other[-1].labels] == ["in fr", "in pt-br", "in mul"]


# name: text, label
TEXTS = {
    "plain": ("Köln", "Köln"),
    "space around": ("  Köln\u00a0", "Köln"),
    "controls": ("a\tb\r\nc\x00d", "a b c d"),
    "lone surrogate": ("a\ud800b", "a\ufffdb"),
    "direction": ("\u200eabc\u202c", "abc"),
    "joiner": ("می\u200cخواهم", "می\u200cخواهم"),
    "nothing": ("\u200b \n", ""),
    "unknown to this Python": ("a\U000e0fff", "a\U000e0fff"),
}


@pytest.mark.parametrize(("text", "label"), TEXTS.values(), ids=TEXTS)
def test_labels_are_cleaned(text: str, label: str, tmp_path: Path) -> None:
    assert clean(text) == label
    found = list(dump(tmp_path, array(line("Q1", text), line("Q2"))))
    assert [each.text for each in found[0].labels] == ([label] if label else ["x"])


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**64 - 1) | st.floats() | st.text(st.characters()),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(("labels", "claims", "P31", "id", 'a"b', "en")), inner, max_size=3)
    ),
    max_leaves=8,
)


@given(
    st.dictionaries(st.sampled_from(("id", "labels", "aliases", "claims", "sitelinks", "extra")), JSON), st.booleans()
)
def test_both_parsers_give_the_same(more: dict[str, Any], ascii: bool) -> None:
    text = json.dumps(entity("Q9") | more, ensure_ascii=ascii).encode("utf-8", "surrogatepass")
    outcomes = []
    for parse in (wikidata_json.parse_line, wikidata_json.parse_with_json):
        try:
            outcomes.append(repr(parse(text)))
        except ValueError as exc:
            outcomes.append(type(exc).__name__)
    assert outcomes[0] == outcomes[1]


@given(JSON)
def test_any_json_is_an_entity_or_is_refused(tmp_path_factory: pytest.TempPathFactory, value: Any) -> None:
    folder = tmp_path_factory.mktemp("any")
    content = array(json.dumps(value), line("Q2"), json.dumps(entity("Q3") | {"labels": value, "claims": value}))
    reading = dump(folder, content, lenient=True)
    assert "Q2" in [concept.id for concept in reading]


# name: content, error, what its message says
BAD: dict[str, tuple[bytes, type[InputError], str]] = {
    "empty": (b"", InputError, "is empty"),
    "white": (b" \n\n", InputError, "is empty"),
    "no entity": (b"[\n]\n", InputError, "has no entity"),
    "prose": (SECRET.encode() * 9, InputError, "is no dump of Wikidata"),
    "broken line": (array(THREE[0], SECRET, THREE[1]), InputError, "line 3: column 1: not JSON"),
    "half a line": (WHOLE[:-30], InputError, "line 4: column"),
    "cut between lines": (WHOLE[: WHOLE.rindex(b",\n") + 2], InputError, "without the closing ]"),
    "not an entity": (array(THREE[0], '{"a": 1}'), InputError, "line 3: no entity as Wikidata writes it"),
    "a number": (array("5"), InputError, "line 2: no entity"),
    "labels of another shape": (array(line("Q1", labels={"en": SECRET})), InputError, "line 2: no entity"),
    "claims of another shape": (array(line("Q1", claims={"P31": [SECRET]})), InputError, "line 2: no entity"),
    "over many lines": (json.dumps(entity("Q1"), indent=1).encode(), InputError, "line 1: column 2"),
    "too deep": (b'{"id":' + b"[" * 100_000, InputError, "line 1: JSON that is too deep"),
    "latin-1": (array(THREE[0], "café").decode().encode("latin-1"), DecodingError, "line 3: byte 3 is not UTF-8"),
    "utf-16": (WHOLE.decode().encode("utf-16"), DecodingError, "iconv"),
    "unmarked utf-16": (WHOLE.decode().encode("utf-16-le"), DecodingError, "iconv"),
    "truncated gzip": (gzip.compress(WHOLE)[:-9], InputError, "not a whole gzip"),
    "corrupt gzip": (gzip.compress(WHOLE)[:20] + b"\xff" * 99, InputError, "not a whole gzip"),
    "truncated bzip2": (bz2.compress(WHOLE)[:-9], InputError, "not a whole bzip2"),
    "corrupt bzip2": (b"BZh9" + b"x" * 99, InputError, "not a whole bzip2"),
    "zstandard": (b"\x28\xb5\x2f\xfd" + b"x" * 99, InputError, "zstd -dc"),
    "zip": (b"PK\x03\x04" + b"x" * 99, InputError, "unzip -p"),
    "xml": (b"<?xml version='1.0'?>\n<mediawiki>", InputError, "is XML"),
    "turtle": (b"@prefix wd: <http://www.wikidata.org/entity/> .\n", InputError, "is Turtle"),
    "triples of others": (b"<http://a/b> <http://a/c> <http://a/d> .\n", InputError, "has no entity"),
    "no triple": (TRIPLES.encode() + SECRET.encode(), InputError, "line 25: no triple"),
    "no triple of three words": (TRIPLES.encode() + b"a b c .\n", InputError, "line 25: no triple"),
    "triple without an end": (TRIPLES.encode()[:-3], InputError, "line 24: no triple"),
    "literal without an end": (f'{WD}Q1> {LABEL} "{SECRET}@en .\n'.encode(), InputError, "line 1: no triple"),
    "no such escape": (f'{WD}Q1> {LABEL} "{SECRET}\\x"@en .\n'.encode(), InputError, "line 1: no triple"),
    "no such character": (f'{WD}Q1> {LABEL} "\\UFFFFFFFF"@en .\n'.encode(), InputError, "line 1: no triple"),
    "latin-1 triple": (f'{WD}Q1> {LABEL} "café"@en .\n'.encode("latin-1"), DecodingError, "line 1: is not UTF-8"),
    "table without a column": (b"node1\tnode2\nQ1\tQ2\n", InputError, "names no column 'label'"),
    "table cut": (TABLE.encode() + b"k\tQ1\n", InputError, "line 12: has 2 columns, 5 are needed"),
    "table without quotes": (f"node1\tlabel\tnode2\nQ1\tlabel\t{SECRET}\n".encode(), InputError, "line 2: no text"),
    "latin-1 table": ("node1\tlabel\tnode2\nQ1\tlabel\t'café'@en\n".encode("latin-1"), DecodingError, "line 2: byte"),
}


@pytest.mark.parametrize(("content", "error", "message"), BAD.values(), ids=BAD)
def test_bad_input(content: bytes, error: type[InputError], message: str, tmp_path: Path) -> None:
    with pytest.raises(InputError) as found:
        list(dump(tmp_path, content))
    assert type(found.value) is error
    assert message in str(found.value)
    assert SECRET not in str(found.value)


def test_broken_lines_are_left_out_when_asked(tmp_path: Path) -> None:
    reading = dump(tmp_path, array(THREE[0], SECRET, THREE[1], '{"id": 5}', THREE[2])[:-2], lenient=True)
    assert [concept.id for concept in reading] == NAMES
    assert reading.lines.broken_lines == 2
    reading = dump(tmp_path, TRIPLES.encode() + b"a b c .\nabc\n" + b'<a> <b> "c\n', lenient=True)
    assert (list(reading), reading.lines.broken_lines) == (TRIPLES_CONCEPTS, 3)
    reading = dump(tmp_path, TABLE.encode() + b"k\tQ1\n", lenient=True)
    assert (list(reading), reading.lines.broken_lines) == (TABLE_CONCEPTS, 1)
    with pytest.raises(InputError, match="has no entity"):
        list(dump(tmp_path, b"{" + SECRET.encode(), lenient=True))


@pytest.mark.parametrize("place", range(4))
@pytest.mark.parametrize("block", [7, 1 << 20])
def test_long_lines(place: int, block: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(packed_lines, "MAX_LINE_BYTES", 500)
    monkeypatch.setattr(packed_lines, "BLOCK", block)
    lines = [*THREE[:place], line("Q9", "x" * 2000), *THREE[place:]]
    content = "\n".join(lines).encode()
    with pytest.raises(InputError, match=f"line {place + 1}: has more than"):
        list(dump(tmp_path, content))
    reading = dump(tmp_path, content, lenient=True)
    offsets = [(concept.id, reading.offset) for concept in reading]
    assert [id for id, _ in offsets] == NAMES
    assert (reading.lines.broken_lines, reading.offset) == (1, len(content))
    for id, offset in offsets:
        assert content[:offset].rstrip().endswith(THREE[NAMES.index(id)].encode())


@pytest.mark.parametrize("pack", [bytes, gzip.compress, bz2.compress], ids=["plain", "gzip", "bzip2"])
@pytest.mark.parametrize("piped", [False, True], ids=["file", "stdin"])
@pytest.mark.parametrize("content", [WHOLE, WHOLE.rstrip(), TRIPLES.encode(), TABLE.encode()])
def test_taken_up_again(
    content: bytes, piped: bool, pack: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    choice = ItemFilter(keep_maintenance=True)

    def reading(start: int) -> Dump:
        if not piped:
            return dump(tmp_path, pack(content), choice=choice, start=start)
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(pack(content))))
        return Dump("-", choice, start=start)

    first = reading(0)
    steps = [(concept, first.offset) for concept in first]
    assert first.offset == len(content)
    for done, (_, offset) in enumerate(steps, 1):
        again = reading(offset)
        assert list(again) == [concept for concept, _ in steps[done:]]
        assert again.offset == len(content)
    for wrong in (5, len(content) + 5):
        with pytest.raises(InputError, match="no line begins at byte"):
            reading(wrong)


def test_progress(tmp_path: Path) -> None:
    packed = gzip.compress(WHOLE)
    with dump(tmp_path, packed) as reading:
        assert (reading.lines.size, reading.lines.is_packed, reading.format) == (len(packed), True, "json")
        assert len(list(reading)) == 3
        assert (reading.lines.bytes_read, reading.offset, reading.entities) == (len(packed), len(WHOLE), 3)


def test_estimate(tmp_path: Path) -> None:
    links = {"claims": {"P31": [statement("P31", "Q7")]}}
    lines = [line(f"Q{number}", sha512(b"%d" % number).hexdigest(), **links) for number in range(10, 6010)]
    whole, path = array(*lines), tmp_path / "dump"
    for content in (whole, gzip.compress(whole)):
        path.write_bytes(content)
        found = estimate(str(path))
        assert (found.share, found.entities, found.labels, found.links, found.bytes) == (1, 6000, 6000, 6000, 288_000)
        part = estimate(str(path), sample=len(whole) // 4)
        assert part.share < 1
        assert part.entities == pytest.approx(6000, rel=0.01 if content is whole else 0.4)
    with pytest.raises(ConfigError, match="once only"):
        estimate("-")


def test_no_such_place(tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "none"):
        with pytest.raises(InputError):
            Dump(str(path))
    with pytest.raises(ConfigError):
        dump(tmp_path, WHOLE, start=-1)
