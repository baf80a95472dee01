"""Ontologies in RDF, and ladders in tables, as concepts. Nothing is fetched, and no message quotes a file."""

from __future__ import annotations

import gzip
import io
import logging
import os
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings, strategies as st
from rdflib import BNode, Graph, Literal, URIRef

from embanon.errors import ConfigError, EmbanonError, InputError
from embanon.io.read.limits import LIMITS, Limits
from embanon.taxonomy.concept import ANY_LANGUAGE, Broader, Concept, Label
from embanon.taxonomy.sources import graphs, hierarchy, ntriples, read_concepts
from embanon.taxonomy.sources.rdf import concepts, concepts_from_stream, format_of
from embanon.taxonomy.sources.triple_grouping import Gatherer

SECRET = "Geheimnis"
PREFIXES = """
@prefix : <http://x/> .
@prefix skos: <http://www.w3.org/2004/02/skos/core#> .
@prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#> .
@prefix iso: <http://purl.org/iso25964/skos-thes#> .
@prefix obo: <http://purl.obolibrary.org/obo/> .
@prefix oio: <http://www.geneontology.org/formats/oboInOwl#> .
"""
Told = dict[str, tuple[list[str], list[str]]]


def told(found: Iterator[Concept]) -> Told:
    """Return the labels (`en:dog`) and links (`part:hand`) of each concept; those given twice add up."""
    result: Told = {}
    for concept in found:
        labels, links = result.setdefault(concept.id.removeprefix("http://x/"), ([], []))
        labels += [f"{label.language}:{label.text}" for label in concept.labels]
        links += [f"{broad.link}:{broad.id.removeprefix('http://x/')}" for broad in concept.broader]
    return result


def told_of(data: bytes | str, name: str = "x.ttl", **options: Any) -> Told:
    content = data.encode() if isinstance(data, str) else data
    return told(concepts_from_stream(io.BytesIO(content), name, format_of(name) or "", **options))


def failure(data: bytes | str, name: str, **options: Any) -> str:
    with pytest.raises(EmbanonError) as caught:
        told_of(data, name, **options)
    assert SECRET not in str(caught.value)
    assert caught.value.exit_code == 3
    return str(caught.value)


# name: Turtle, what is read
CASES: dict[str, tuple[str, Told]] = {
    "broader": (':a skos:prefLabel "A"@en ; skos:broader :b . :b skos:prefLabel "B"@en .',
        {"a": (["en:A"], ["subclass:b"]), "b": (["en:B"], [])}),
    "narrower": (':b skos:prefLabel "B"@en ; skos:narrower :a, :c .',
        {"b": (["en:B"], []), "a": ([], ["subclass:b"]), "c": ([], ["subclass:b"])}),
    "broader transitive, alone": (':a skos:prefLabel "A" ; skos:broaderTransitive :b .',
        {"a": (["mul:A"], ["subclass:b"])}),
    "broader transitive, beside broader": (':a skos:prefLabel "A" ; skos:broaderTransitive :b, :c ; skos:broader :b .',
        {"a": (["mul:A"], ["subclass:b"])}),
    "kinds of broader": (':a skos:prefLabel "A" ; skos:broader :b, :c, :d ; iso:broaderPartitive :b ; '
        'iso:broaderInstantial :c .', {"a": (["mul:A"], ["subclass:d", "part:b", "instance:c"])}),
    "labels in order": (':a skos:hiddenLabel "h"@en ; skos:altLabel "b"@en, "b"@de ; skos:prefLabel "p"@en-GB, "a"@de, '
        '"q"@en .', {"a": (["en:q", "en:p", "en:b", "en:h", "de:a", "de:b"], [])}),
    "the same label twice": (':a skos:altLabel "a"@en, "b"@en ; rdfs:label "b"@en-US .', {"a": (["en:b", "en:a"], [])}),
    "languages": (':a rdfs:label "a"@eng, "b"@und, "c"@zh-Hant, "d" .', {"a": (
        ["en:a", "mul:b", "mul:d", "zh:c"], [])}),
    "subclass": (':a a owl:Class ; rdfs:label "A" ; rdfs:subClassOf :b, owl:Thing, :a . :b a owl:Class .',
        {"a": (["mul:A"], ["subclass:b"])}),
    "its own subclass": (':a rdfs:label "A" ; rdfs:subClassOf :a ; skos:broader :a ; skos:narrower :a .',
        {"a": (["mul:A"], [])}),
    "cycle": (':a rdfs:label "A" ; rdfs:subClassOf :b . :b rdfs:subClassOf :a .',
        {"a": (["mul:A"], ["subclass:b"]), "b": ([], ["subclass:a"])}),
    "instance": (':rex a :Dog, owl:NamedIndividual ; rdfs:label "Rex" . :Dog a owl:Class .',
        {"rex": (["mul:Rex"], ["instance:Dog"])}),
    "part of": (':a rdfs:label "A" ; rdfs:subClassOf [ a owl:Restriction ; owl:onProperty obo:BFO_0000050 ; '
        'owl:someValuesFrom :b ] ; obo:RO_0001025 :c .', {"a": (["mul:A"], ["part:b", "located-in:c"])}),
    "part of, all of": (':a rdfs:label "A" ; rdfs:subClassOf [ a owl:Restriction ; owl:onProperty obo:BFO_0000050 ; '
        'owl:allValuesFrom :b ] .', {"a": (["mul:A"], [])}),
    "another property": (':a rdfs:label "A" ; rdfs:subClassOf [ a owl:Restriction ; owl:onProperty :eats ; '
        'owl:someValuesFrom :b ] .', {"a": (["mul:A"], [])}),
    "a property declared behind": (':a rdfs:label "A" ; :in :b . :in rdfs:subPropertyOf obo:BFO_0000050 .',
        {"a": (["mul:A"], ["part:b"])}),
    "synonyms": (':a rdfs:label "A" ; oio:hasExactSynonym "B" ; oio:hasBroadSynonym "C" .',
        {"a": (["mul:A", "mul:B"], [])}),
    "no concepts": (':a rdfs:label "A" . :p a owl:ObjectProperty ; rdfs:label "P" . :s a skos:ConceptScheme ; '
        'rdfs:label "S" . :o rdfs:label "obsolete" ; owl:deprecated true . owl:Thing rdfs:label "Thing" . '
        '[ rdfs:label "nobody" ; skos:broader :a ] .', {"a": (["mul:A"], [])}),
    "labels that are none": (':a rdfs:label "A", "", " ", :b, "<b>x</b>"^^rdf:HTML .', {"a": (["mul:A"], [])}),
    "control characters": (r':a rdfs:label "A\u0000\u001Bb\nc" .', {"a": (["mul:Ab c"], [])}),
    "huge": (f':a rdfs:label "A" ; skos:altLabel "{"x" * 1_000_000}" .', {"a": (["mul:A"], [])}),
    "relative": ('<#a> rdfs:label "A" . <b> rdfs:label "B" .',
        {"file:///x.ttl#a": (["mul:A"], []), "file:///b": (["mul:B"], [])}),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES.values(), ids=CASES.keys())
def test_turtle_is_read(case: tuple[str, Told]) -> None:
    assert told_of(PREFIXES + case[0]) == case[1]


@pytest.mark.parametrize(("ending", "format"), {"xml": "pretty-xml", "nt": "nt", "jsonld": "json-ld"}.items())
@pytest.mark.parametrize("name", [name for name in CASES if name not in ("control characters", "relative")])
def test_all_formats_say_the_same(ending: str, format: str, name: str) -> None:
    turtle, expected = CASES[name]
    if ending == "nt":  # where a declaration must come first
        turtle = turtle.replace(":in :b", "obo:BFO_0000050 :b")
    data = Graph().parse(data=PREFIXES + turtle, format="turtle").serialize(format=format, encoding="utf-8")
    # rdflib writes triples in any order.
    assert {id: list(map(sorted, both)) for id, both in told_of(data, f"x.{ending}").items()} == {
        id: list(map(sorted, both)) for id, both in expected.items()
    }


def test_graphs_are_one(tmp_path: Path) -> None:
    expected = {"a": (["en:A"], ["subclass:b"]), "b": (["en:B"], [])}
    trig = PREFIXES + ':g { :a skos:prefLabel "A"@en ; skos:broader :b } :b skos:prefLabel "B"@en .'
    quads = (
        '<http://x/a> <http://www.w3.org/2004/02/skos/core#prefLabel> "A"@en <http://x/g> . # comment\n\n'
        "<http://x/a> <http://www.w3.org/2004/02/skos/core#broader> <http://x/b> _:g .\r\n"
        '<http://x/b><http://www.w3.org/2004/02/skos/core#prefLabel>"B"@en.'
    )
    assert told_of(trig, "x.trig") == expected
    assert told_of(quads, "x.nq") == expected
    path = tmp_path / "x.nq.gz"
    path.write_bytes(gzip.compress(quads.encode()))
    assert told(concepts(str(path))) == expected
    assert "line 1: has four parts; if it is N-Quads" in failure(quads, "x.nt")


def test_languages_are_chosen() -> None:
    turtle = PREFIXES + ':a rdfs:label "A"@en-US, "B"@fr, "C" .'
    assert told_of(turtle, languages=("en",)) == {"a": (["en:A", "mul:C"], [])}
    assert told_of(turtle, language="pt") == {"a": (["en:A", "fr:B", "pt:C"], [])}


@pytest.mark.parametrize(
    ("name", "format"),
    {
        "a.nt": "ntriples", "a.NQ.gz": "nquads", "a.ttl.gz": "turtle", "a.owl": "rdfxml", "a.json": "jsonld",
        "a.trig": "trig", "a.csv": None, "ttl": None, "-": None, "a.gz": None,
    }.items(),
)  # fmt: skip
def test_names_say_formats(name: str, format: str | None) -> None:
    assert format_of(name) == format


def test_unknown_formats_are_refused() -> None:
    with pytest.raises(ConfigError, match="its name does not say its format"):
        list(concepts("x.obo"))
    with pytest.raises(ConfigError, match="no format 'obo' of RDF"):
        list(concepts("x.obo", "obo"))
    with pytest.raises(InputError, match="no such file"):
        list(concepts("nowhere.ttl"))


LINE = f'<http://x/a> <http://www.w3.org/2000/01/rdf-schema#label> "{SECRET}" .\n'
RDF = (
    '<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:r="http://www.w3.org/2000/01/rdf-schema#">'
)
LAUGHS = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 10))


def entities(declared: str, used: str = "x") -> str:
    about = f'<r:Class rdf:about="http://x/a"><r:label>{used}</r:label></r:Class>'
    return f"<!DOCTYPE rdf:RDF [{declared}]>{RDF}{about}</rdf:RDF>"


# name: file, content, what is said
BAD: dict[str, tuple[str, bytes | str, str]] = {
    "empty nt": ("x.nt", "", "x.nt: has no concept with a label"),
    "empty turtle": ("x.ttl", "", "x.ttl: has no concept with a label"),
    "empty json": ("x.jsonld", "", "x.jsonld, line 1: is no JSON"),
    "empty xml": ("x.rdf", "", "x.rdf, line 1: is no XML"),
    "no labels": ("x.ttl", "<http://x/a> <http://x/b> <http://x/c> .", "has no concept with a label"),
    "text as nt": ("x.nt", LINE + SECRET, "x.nt, line 2: is no N-Triples; a line looks like"),
    "no end": ("x.nt", LINE.replace(" .", ""), "line 1: is no N-Triples"),
    "space in an IRI": ("x.nt", LINE + "<http://x/ b> <http://x/b> <http://x/c> .", "line 2: is no N-Triples"),
    "literal as subject": ("x.nt", '"a" <http://x/b> <http://x/c> .', "line 1: is no N-Triples"),
    "wrong escape": ("x.nt", r'<http://x/a> <http://x/b> "\x" .', "line 1: is no N-Triples"),
    "no such character": ("x.nt", r'<http://x/a> <http://x/b> "\U00110000" .', "line 1: is no N-Triples"),
    "five parts": ("x.nq", "<a:a> <b:b> <c:c> <d:d> <e:e> .", "line 1: is no N-Triples"),
    "text as turtle": ("x.ttl", f"\n\n{SECRET} {SECRET}", "x.ttl, line 3: is no turtle"),
    "unclosed turtle": ("x.ttl", f'<http://x/a> <http://x/b> "{SECRET}', "x.ttl: is no turtle"),
    "deep turtle": ("x.ttl", "<a:a> <b:b> " + "[ <b:b> " * 50_000, "x.ttl: is no turtle"),
    "turtle as xml": ("x.owl", f"<http://x/a> a {SECRET} .", "x.owl, line 1: is no XML"),
    "cut xml": ("x.rdf", f"{RDF}\n<r:Class>{SECRET}", "x.rdf, line 2: is no rdfxml"),
    "OWL/XML": ("x.owl", '<Ontology xmlns="http://www.w3.org/2002/07/owl#" ontologyIRI="x:y"/>', "is OWL/XML; convert"),
    "text as json": ("x.jsonld", f"[\n{SECRET}", "x.jsonld, line 2: is no JSON"),
    "deep json": ("x.jsonld", "[" * 100_000, "x.jsonld: is JSON that is too deep"),
    "binary nt": ("x.nt", b"\x89PNG\r\n\x1a\n\x00" + bytes(40), "x.nt: is an image"),
    "binary turtle": ("x.ttl", b"PK\x03\x04" + bytes(40), "x.ttl: is a ZIP file"),
    "binary xml": ("x.rdf", bytes(range(40)), "x.rdf: is not text"),
    "packed, and not named so": ("x.nt", gzip.compress(LINE.encode()), "x.nt: is a gzip file"),
    "cut gzip": ("x.nt.gz", gzip.compress(LINE.encode() * 9)[:-9], "x.nt.gz: is not a whole gzip file"),
    "cut gzip of turtle": ("x.ttl.gz", gzip.compress(LINE.encode() * 9)[:-9], "x.ttl.gz: is not a whole gzip file"),
    "no gzip": ("x.ttl.gz", LINE, "x.ttl.gz: is not a whole gzip file"),
    "latin-1 nt": ("x.nt", LINE.encode() + "é".encode("latin-1"), "byte 72 (line 2) is not UTF-8"),
    "latin-1 turtle": ("x.ttl", "\né".encode("latin-1"), "x.ttl: byte 1 (line 2) is not UTF-8"),
    "unknown encoding": ("x.rdf", f'<?xml version="1.0" encoding="klingon"?>{RDF}</rdf:RDF>', "that is unknown"),
    "outer entity": ("x.rdf", entities('<!ENTITY x SYSTEM "file:///etc/passwd">', "&x;"), "come from elsewhere"),
    "outer parameter": ("x.rdf", entities('<!ENTITY % x SYSTEM "http://127.0.0.1:9/"> %x;'), "come from elsewhere"),
    "billion laughs": ("x.rdf", entities(f'<!ENTITY l0 "lol">{LAUGHS}', "&l9;"), "grow beyond measure"),
    "billion laughs in an attribute of the first element": ("x.rdf", entities(f'<!ENTITY l0 "lol">{LAUGHS}').replace(
        "<rdf:RDF ", '<rdf:RDF xml:lang="&l9;" '), "grow beyond measure"),
    "entity in itself": ("x.rdf", entities('<!ENTITY x "a&y;"> <!ENTITY y "&x;">', "&x;"), "grow beyond measure"),
    "quadratic": ("x.rdf", entities(f'<!ENTITY x "{"y" * 9000}">', "&x;" * 5000), "grow beyond measure"),
    "entities without number": ("x.rdf", entities("".join(f'<!ENTITY x{n} "">' for n in range(1001))), "beyond"),
    "remote context": ("x.jsonld", '{"@context": "http://127.0.0.1:9/c", "@id": "x:y"}', "a context that is elsewhere"),
    "remote context in a list": ("x.jsonld", '[{"@context": [{}, "c.jsonld"]}]', "a context that is elsewhere"),
    "remote context in a term": ("x.jsonld", '{"@context": {"a": {"@id": "x:a", "@context": "file:///c"}}}',
        "a context that is elsewhere"),
    "import": ("x.jsonld", '{"@context": {"@import": "http://127.0.0.1:9/c"}}', "a context that is elsewhere"),
}  # fmt: skip


@pytest.mark.parametrize("case", BAD.values(), ids=BAD.keys())
def test_bad_files_are_refused(case: tuple[str, bytes | str, str]) -> None:
    name, content, message = case
    assert message in failure(content, name)


def test_entities_of_ontologies_and_encodings_are_read() -> None:
    head = '<?xml version="1.0" encoding="ISO-8859-1"?>\n<!DOCTYPE rdf:RDF [<!ENTITY x "http://x/"><!ENTITY y "&x;b">]>'
    body = f'{RDF}<r:Class rdf:about="&x;a"><r:label>é</r:label><r:subClassOf rdf:resource="&y;"/></r:Class></rdf:RDF>'
    assert told_of((head + body).encode("latin-1"), "x.owl") == {"a": (["mul:é"], ["subclass:b"])}
    utf_16 = (head.replace("ISO-8859-1", "UTF-16") + body).encode("utf-16")
    assert told_of(utf_16, "x.owl") == {"a": (["mul:é"], ["subclass:b"])}


@pytest.fixture
def server() -> Iterator[tuple[str, list[bytes]]]:
    """Listen on this machine, and note who comes."""
    calls: list[bytes] = []
    listening = socket.create_server(("127.0.0.1", 0))

    def serve() -> None:
        while True:
            try:
                connection, _ = listening.accept()
            except OSError:
                return
            calls.append(connection.recv(100))
            connection.close()

    thread = threading.Thread(target=serve, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{listening.getsockname()[1]}", calls
    listening.shutdown(socket.SHUT_RDWR)
    listening.close()
    thread.join(5)


def test_nothing_is_fetched(server: tuple[str, list[bytes]]) -> None:
    url, calls = server
    ontology = f'<o:o> a owl:Ontology ; owl:imports <{url}/o.ttl> . <{url}/a> rdfs:label "A" ; rdfs:seeAlso <{url}> .'
    assert list(told_of(PREFIXES + ontology)) == [f"{url}/a"]
    doctype = f'<!DOCTYPE rdf:RDF PUBLIC "-//X//EN" "{url}/x.dtd">'
    body = f'<r:Class rdf:about="http://x/a" xml:base="{url}"><r:label>A</r:label></r:Class></rdf:RDF>'
    assert list(told_of(doctype + RDF + body, "x.rdf")) == ["a"]
    failure(f'{{"@context": "{url}/c.jsonld", "@id": "x:a"}}', "x.jsonld")
    failure(entities(f'<!ENTITY x SYSTEM "{url}/x">', "&x;"), "x.rdf")
    assert calls == []
    socket.create_connection(("127.0.0.1", int(url.rpartition(":")[2]))).close()
    time.sleep(0.1)
    assert len(calls) == 1  # it does listen


def test_large_graphs_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(InputError, match=r"x.ttl: has more than 1 MB, too much to hold as a graph; convert it to N-Tr"):
        list(graphs.triples(io.BytesIO(b" " * (1 << 20) + b"#"), "x.ttl", "turtle", 1 << 20))


def test_long_lines_are_refused() -> None:
    data = LINE.replace(SECRET, "x" * (3 << 20))
    with pytest.raises(InputError, match="line 1: has more than 1 MB"):
        list(concepts_from_stream(io.BytesIO(data.encode()), "x.nt", "ntriples", limits=Limits(line=1 << 20)))


def test_what_rdflib_finds_odd_is_not_logged(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.DEBUG):
        turtle = (
            f'<http://x/ {SECRET}> rdfs:label "A" . :b rdfs:label "{SECRET}"^^<http://www.w3.org/2001/XMLSchema#int> .'
        )
        told_of(PREFIXES + turtle)
    assert SECRET not in caplog.text


def test_what_is_held_is_bounded_and_adds_up() -> None:
    rows = [
        ntriples.Triple(f"x:{n % 50}", "http://www.w3.org/2000/01/rdf-schema#label", f"l{n}", "") for n in range(500)
    ]
    found = list(Gatherer(held=10).concepts(rows))
    assert len(found) > 50
    assert {label.text for concept in found for label in concept.labels} == {f"l{n}" for n in range(500)}
    assert len(list(Gatherer().concepts(rows))) == 50


def test_restrictions_are_held_in_bounds() -> None:
    owl = "http://www.w3.org/2002/07/owl#"
    rows = [
        triple
        for n in range(100)
        for triple in (
            ntriples.Triple(f"x:{n}", "http://www.w3.org/2000/01/rdf-schema#subClassOf", f"_:{n}"),
            ntriples.Triple(f"_:{n}", f"{owl}onProperty", "http://purl.obolibrary.org/obo/BFO_0000050"),
            ntriples.Triple(f"_:{n}", f"{owl}someValuesFrom", f"x:{n + 1}"),
        )
    ]
    found = list(Gatherer(held=5).concepts(rows))
    assert [concept.broader for concept in found] == [(Broader(f"x:{n + 1}", "part"),) for n in range(100)]


def test_many_children_take_a_linear_time() -> None:
    def seconds(count: int) -> float:
        skos = "http://www.w3.org/2004/02/skos/core#"
        lines = [f'<x:a> <{skos}narrower> <x:{n}> .\n<x:{n}> <{skos}prefLabel> "{n}" .\n' for n in range(count)]
        start = time.process_time()
        assert sum(1 for _ in concepts_from_stream(io.BytesIO("".join(lines).encode()), "x.nt", "ntriples")) == count
        return time.process_time() - start

    assert seconds(16_000) < 30 * max(seconds(2_000), 0.02)


# A raw control character is text to N-Triples; many of them are a sign of a binary file to us.
WRITTEN = st.text(st.one_of(st.characters(exclude_categories=("Cs", "Cc")), st.sampled_from('\n\r\t"\\')), max_size=8)
TERMS = st.one_of(
    st.sampled_from(("http://x/a", "urn:é", "http://x/b#c")).map(URIRef),
    st.builds(Literal, WRITTEN, lang=st.sampled_from((None, "en", "de-AT"))),
    st.sampled_from(("b1", "N0")).map(BNode),
)


@given(st.lists(st.tuples(TERMS.filter(lambda term: not isinstance(term, Literal)), TERMS), min_size=1, max_size=5))
@settings(max_examples=40, deadline=None)
def test_lines_are_read_as_rdflib_writes_them(pairs: list[tuple[Any, Any]]) -> None:
    graph = Graph()
    for subject, value in pairs:
        graph.add((subject, URIRef("http://x/p"), value))
    data = graph.serialize(format="nt", encoding="utf-8")
    found = set(ntriples.triples(io.BytesIO(data), "x.nt", LIMITS))
    expected = set()
    for subject, _, value in graph:
        language = (value.language or "").lower() if isinstance(value, Literal) else None
        names = [f"_:{term}" if isinstance(term, BNode) else str(term) for term in (subject, value)]
        expected.add(ntriples.Triple(names[0], "http://x/p", names[1], language))
    assert found == expected


# name: file, content, what is read
LADDERS: dict[str, tuple[str, str, Told]] = {
    "two columns": ("x.csv", "violinist,musician\nmusician,artist\n", {
        "label:violinist": (["mul:violinist"], ["subclass:label:musician"]),
        "label:musician": (["mul:musician"], ["subclass:label:artist"]),
        "label:artist": (["mul:artist"], [])}),
    "header": ("x.csv", "Narrow;Broad\na;b\n", {
        "label:a": (["mul:a"], ["subclass:label:b"]), "label:b": (["mul:b"], [])}),
    "a row that looks like one": ("x.csv", "child,person\n", {
        "label:child": (["mul:child"], ["subclass:label:person"]), "label:person": (["mul:person"], [])}),
    "columns of various lengths": ("x.tsv", "A, x\tb\tc\n\nd\tB\t\n*\t***\n", {
        "label:a, x": (["mul:A, x"], ["subclass:label:b"]), "label:b": (["mul:b"], ["subclass:label:c"]),
        "label:c": (["mul:c"], []), "label:d": (["mul:d"], ["subclass:label:b"])}),
    "itself": ("x.csv", "a,a,b\n", {"label:a": (["mul:a"], ["subclass:label:b"]), "label:b": (["mul:b"], [])}),
    "quotes": ("x.csv", '"a ""b""",c\n', {
        'label:a "b"': (['mul:a "b"'], ["subclass:label:c"]), "label:c": (["mul:c"], [])}),
    "rows that lead on differently": ("x.csv", "n,site,Poland\ns,site,Spain\n", {
        "label:n": (["mul:n"], ["subclass:ladder:site > poland"]),
        "label:s": (["mul:s"], ["subclass:ladder:site > spain"]),
        "ladder:site > poland": (["mul:site"], ["subclass:label:poland"]), "label:poland": (["mul:Poland"], []),
        "ladder:site > spain": (["mul:site"], ["subclass:label:spain"]), "label:spain": (["mul:Spain"], [])}),
    "rows that lead further": ("x.csv", "n,site,Gdynia,Poland\ns,site,Gdynia\nt,site\n", {
        **{f"label:{one}": ([f"mul:{one}"], ["subclass:label:site"]) for one in "nst"},
        "label:site": (["mul:site"], ["subclass:label:gdynia"] * 2),
        "label:gdynia": (["mul:Gdynia"], ["subclass:label:poland"]), "label:poland": (["mul:Poland"], [])}),
    "links to several": ("x.csv", "dog,pet\ndog,mammal\n", {
        "label:dog": (["mul:dog"], ["subclass:label:pet", "subclass:label:mammal"]),
        "label:pet": (["mul:pet"], []), "label:mammal": (["mul:mammal"], [])}),
    "cycle": ("x.csv", "a,b\nb,a\n", {
        "label:a": (["mul:a"], ["subclass:label:b"]), "label:b": (["mul:b"], ["subclass:label:a"])}),
}  # fmt: skip


@pytest.mark.parametrize("case", LADDERS.values(), ids=LADDERS.keys())
def test_ladders_are_read(case: tuple[str, str, Told], tmp_path: Path) -> None:
    name, content, expected = case
    (tmp_path / name).write_text(content)
    assert told(hierarchy.concepts([str(tmp_path / name)])) == expected


def test_packed_tables_pipes_and_several_files_are_read_twice(tmp_path: Path) -> None:
    content = b"n,site,Poland\ns,site,Spain\n"
    for name, data in {"x.csv": content, "n.csv": content[:14], "s.csv": content[14:]}.items():
        (tmp_path / name).write_bytes(data)
    (tmp_path / "x.csv.gz").write_bytes(gzip.compress(content))
    expected = told(hierarchy.concepts([str(tmp_path / "x.csv")]))
    assert told(hierarchy.concepts([str(tmp_path / "x.csv.gz")])) == expected
    assert told(read_concepts([str(tmp_path / "n.csv"), str(tmp_path / "s.csv")])) == expected
    for limits in (LIMITS, Limits(buffered=9)):
        read, write = os.pipe()
        os.write(write, content)
        os.close(write)
        with nullcontext() if limits is LIMITS else pytest.raises(InputError, match="too much for a pipe"):
            assert told(hierarchy.concepts([f"/dev/fd/{read}"], limits=limits)) == expected
        os.close(read)


def test_rows_of_thousands_of_labels_take_no_more_than_they_have(tmp_path: Path) -> None:
    rows = (",".join(f"{start}{number}" if number % 2 else f"{number}" for number in range(5000)) for start in "ab")
    (tmp_path / "x.csv").write_text("\n".join(rows))
    ids = [concept.id for concept in hierarchy.concepts([str(tmp_path / "x.csv")])]
    assert len(set(ids)) == 2 * 5000
    assert max(map(len, ids)) < 500


def test_ladders_of_a_language_are_read(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_bytes("Geiger,Künstler\n".encode("cp1252"))
    found = list(hierarchy.concepts([str(path)], ("de",), "cp1252"))
    assert found[1] == Concept("label:künstler", (Label("de", "Künstler"),))
    assert ANY_LANGUAGE not in {label.language for concept in found for label in concept.labels}


@pytest.mark.parametrize(
    ("content", "message"),
    {
        "": "x.csv: has no row with two labels; a line looks like",
        f"{SECRET}\n{SECRET}\n": "has no row with two labels",
        "narrow,broad\n": "has no row with two labels",
        f'a,b\n"{SECRET}"x,b\n': "line 2: its quotes do not match",
        f'a,b\nc,"{SECRET}\n': "x.csv, line 2",
        "\x00\x01": "is not text",
        "a,b\n\udcff,c\n": "byte 4 (line 2) is not UTF-8",
    }.items(),
)
def test_bad_ladders_are_refused(content: str, message: str, tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_bytes(content.encode("utf-8", "surrogateescape"))
    with pytest.raises(InputError) as caught:
        list(hierarchy.concepts([str(tmp_path / "x.csv")]))
    assert message in str(caught.value)
    assert SECRET not in str(caught.value)
