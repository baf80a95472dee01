"""Concepts from real endpoints on this machine, and from one that stalls, cuts, floods and sends elsewhere."""

from __future__ import annotations

import contextlib
import gzip
import json
import logging
import os
import re
import shutil
import socket
import ssl
import stat
import subprocess
import sys
import threading
import time
import tracemalloc
from collections.abc import Iterator
from dataclasses import replace
from email.utils import formatdate
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
import rdflib
from hypothesis import given, settings, strategies as st
from SPARQLWrapper import JSON, SPARQLWrapper

from embanon.config.load import load
from embanon.config.settings import SparqlSettings
from embanon.errors import ConfigError, InputError
from embanon.taxonomy.concept import Broader, Concept, Label
from embanon.taxonomy.sources import endpoint_concepts
from embanon.taxonomy.sources.endpoint import Client
from embanon.taxonomy.sources.sparql import all_concepts, concepts, literal
from tests.taxonomy import endpoints
from tests.taxonomy.endpoints import BROKEN, GOOD, SECRET, Server, body, oxigraph, serving, status

WIKIDATA = """\
Q42 label Douglas Adams@en · label Douglas Adams@de · alt Douglas Noël Adams@en · P31 Q5 · P106 Q36180 · P27 Q145
Q5 label human@en · label Mensch@de · label être humain@fr · P279 Q215627
Q36180 label writer@en · alt author@en · label Schriftsteller@de · P279 Q482980 · P31 Q28640
Q482980 label author@en · P279 Q2500638
Q2500638 label creator@en · label Urheber@de-at · P279 Q215627
Q215627 label person@en · label Person@de · P279 Q215627
Q28640 label profession@en
Q145 label United Kingdom@en · label UK@mul · P31 Q3624078 · P361 Q46 · P463 Q1065
Q46 label Europe@en · P31 Q5107
Q23436 label Edinburgh@en · P131 Q22 · P17 Q145 · P17 unknown
Q22 label Scotland@en · P131 Q145
Q12078 label cancer@en · P279 Q12136
Q128581 label breast cancer@en · label Brustkrebs@de · label câncer de mama@pt-br · P279 Q12078 · P279 Q18554
"""
"""Real entities, one a line, with some of their labels and claims."""

SKOS = """\
@base <https://example.org/> .
@prefix skos: <http://www.w3.org/2004/02/skos/core#> .
<disease> a skos:Concept ; skos:prefLabel "disease"@en , "Krankheit"@de .
<tumor> a skos:Concept ; skos:prefLabel "tumor"@en ; skos:altLabel "tumour"@en-GB ; skos:hiddenLabel "tumuor" ;
    skos:broader <disease> , <tumor> , _:b .
<disease> skos:narrower <flu> .
<flu> skos:prefLabel "a \\"real\\" flu \\\\ {100%25} ?x . } #" .
"""

OWL = """\
@base <https://example.org/> .
@prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
<Dog> a owl:Class ; rdfs:label "dog"@en ; rdfs:subClassOf <Animal> , [ a owl:Restriction ] .
<Animal> a owl:Class ; rdfs:label "animal" ; rdfs:subClassOf owl:Thing .
<Lassie> a <Dog> , owl:NamedIndividual ; rdfs:label "Lassie"@en .
"""


def triples() -> Iterator[str]:
    """Write WIKIDATA as Wikidata does."""
    entity, direct = "http://www.wikidata.org/entity/", "http://www.wikidata.org/prop/direct/"
    words = {
        "label": "http://www.w3.org/2000/01/rdf-schema#label",
        "alt": "http://www.w3.org/2004/02/skos/core#altLabel",
    }
    for line in WIKIDATA.splitlines():
        id, _, rest = line.partition(" ")
        for claim in rest.split(" · "):
            word, _, value = claim.partition(" ")
            if word in words:
                text, _, language = value.partition("@")
                yield f'<{entity}{id}> <{words[word]}> "{text}"@{language} .'
            else:
                known = value if value.startswith("Q") else "../.well-known/genid/5"
                yield f"<{entity}{id}> <{direct}{word}> <{entity}{known}> ."


@pytest.fixture(scope="session")
def graphs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Write the graphs as N-Triples."""
    pyoxigraph = pytest.importorskip("pyoxigraph")
    folder = tmp_path_factory.mktemp("graphs")
    (folder / "wikidata").write_text("\n".join(triples()), encoding="utf-8")
    for name, text in (("skos", SKOS), ("owl", OWL)):
        parsed = pyoxigraph.parse(input=text, format=pyoxigraph.RdfFormat.TURTLE)
        found = pyoxigraph.serialize((quad.triple for quad in parsed), format=pyoxigraph.RdfFormat.N_TRIPLES)
        (folder / name).write_bytes(found)
    every = b"\n".join((folder / name).read_bytes() for name in ("wikidata", "skos", "owl"))
    (folder / "all").write_bytes(every)
    return {path.name: path for path in folder.iterdir()}


@pytest.fixture(scope="session")
def served(graphs: dict[str, Path]) -> Iterator[str]:
    """Start rdflib-endpoint with all graphs."""
    for library in ("oxrdflib", "rdflib_endpoint", "uvicorn"):
        if find_spec(library) is None:  # in a process of its own it is imported
            pytest.skip(f"no {library}")
    with endpoints.rdflib_endpoint(graphs["all"]) as address:
        yield address


@pytest.fixture(scope="session", params=["rdflib-endpoint", "oxigraph", "rdflib"])
def address(request: pytest.FixtureRequest, graphs: dict[str, Path]) -> Iterator[str]:
    """Return each of three in turn."""
    if request.param == "rdflib-endpoint":
        yield request.getfixturevalue("served")
        return
    engine = {"oxigraph": endpoints.oxigraph, "rdflib": endpoints.rdflib_engine}[request.param]
    with serving(engine(graphs["all"])) as server:
        yield server.address


def client(address: str, most_bytes: int = 1 << 20, **named: Any) -> Client:
    waits: list[float] = named.pop("waits", [])
    return Client(SparqlSettings(address, **{"seconds": 10.0, "retries": 0} | named), most_bytes, waits.append)


def by_id(found: Iterator[Concept]) -> dict[str, Concept]:
    given = list(found)
    assert len({concept.id for concept in given}) == len(given)
    return {concept.id: concept for concept in given}


def links(concept: Concept) -> set[str]:
    return {f"{broader.link} {broader.id}" for broader in concept.broader}


@pytest.fixture(scope="session")
def misbehaving() -> Iterator[Server]:
    """Return a server that is told what to do."""
    with serving(body(b"")) as server:
        yield server


# What is found


def test_labels_are_climbed(address: str) -> None:
    found = by_id(concepts(client(address), ["Douglas Adams", "Edinburgh", "nobody"]))
    assert set(list(found)[:2]) == {"Q42", "Q23436"}  # breadth first
    assert set(found) == {
        "Q42",
        "Q23436",
        "Q5",
        "Q36180",
        "Q145",
        "Q22",
        "Q482980",
        "Q28640",
        "Q46",
        "Q2500638",
        "Q215627",
    }
    assert found["Q42"] == Concept(
        "Q42",
        (Label("de", "Douglas Adams"), Label("en", "Douglas Adams"), Label("en", "Douglas Noël Adams")),
        (Broader("Q5", "instance"), Broader("Q36180", "occupation"), Broader("Q145", "related")),
    )
    assert links(found["Q23436"]) == {"located-in Q145", "located-in Q22"}  # an unknown country is none
    assert links(found["Q145"]) == {"instance Q3624078", "part Q46", "member Q1065"}
    assert found["Q215627"].broader == ()  # not broader than itself
    assert {label.language for label in found["Q145"].labels} == {"en", "mul"}


@pytest.mark.parametrize(
    ("label", "ids"),
    [
        ("breast cancer", {"Q128581"}),
        ("Breast Cancer", {"Q128581"}),
        ("BREAST  CANCER", {"Q128581"}),
        (" breast\ncancer ", {"Q128581"}),
        ("Brustkrebs", {"Q128581"}),
        ("author", {"Q36180", "Q482980"}),  # one by another name
        ("UK", {"Q145"}),
        ("être humain", set()),  # no language of the settings
        ("cance", set()),
        ("", set()),
        (" ", set()),
        ("x\ud800", set()),
        ("cancer\x00", set()),
        ("\\u0022 } #", set()),
        ("cancer" * 1000, set()),
    ],
    ids=lambda value: ascii(value)[:30] if isinstance(value, str) else "",
)
def test_what_is_called_so(label: str, ids: set[str], address: str) -> None:
    assert set(by_id(concepts(client(address, depth=0), [label]))) == ids


@pytest.mark.parametrize(("depth", "ids"), [(0, "Q42"), (1, "Q42 Q5 Q36180 Q145")])
def test_depth_ends_the_climb(depth: int, ids: str, address: str) -> None:
    assert list(by_id(concepts(client(address, depth=depth), ids=["Q42"]))) == ids.split()


@pytest.mark.parametrize("batch", [1, 2, 200])
@pytest.mark.parametrize("page", [1, 3, 10_000])
def test_batches_and_pages_change_nothing(batch: int, page: int, graphs: dict[str, Path]) -> None:
    with serving(oxigraph(graphs["all"])) as server:
        found = by_id(concepts(client(server.address, batch=batch, page=page), ["Edinburgh"], ["Q42", "Q128581"]))
        whole = by_id(concepts(client(server.address), ["Edinburgh"], ["Q42", "Q128581"]))
    assert found == whole


def test_each_id_is_asked_once(graphs: dict[str, Path]) -> None:
    with serving(oxigraph(graphs["all"])) as server:
        list(concepts(client(server.address, batch=2), ["author"], ["Q42", "Q36180"]))
        asked = [id for query in server.asked for id in re.findall(r"<http://www.wikidata.org/entity/(Q\d+)>", query)]
    assert len(asked) == len(set(asked)) == 12


@pytest.mark.parametrize("dialect", ["wikidata", "skos", "owl"])
def test_everything(dialect: str, address: str) -> None:
    found = by_id(all_concepts(client(address, dialect=dialect)))
    if dialect == "wikidata":
        assert set(found) == {line.partition(" ")[0] for line in WIKIDATA.splitlines()}
    elif dialect == "skos":
        disease, tumor, flu = (found.pop(f"https://example.org/{id}") for id in ("disease", "tumor", "flu"))
        assert not found
        assert tumor.labels == (Label("en", "tumor"), Label("en", "tumour"), Label("mul", "tumuor"))
        assert links(tumor) == links(flu) == {"subclass https://example.org/disease"}
        assert disease.labels == (Label("de", "Krankheit"), Label("en", "disease"))
    else:
        dog, animal, lassie = (found[f"https://example.org/{id}"] for id in ("Dog", "Animal", "Lassie"))
        assert (links(dog), animal.broader) == ({"subclass https://example.org/Animal"}, ())
        assert (links(lassie), animal.labels) == ({"instance https://example.org/Dog"}, (Label("mul", "animal"),))


@pytest.mark.parametrize("dialect", ["wikidata", "skos", "owl"])
def test_everything_in_small_pages(dialect: str, graphs: dict[str, Path]) -> None:
    with serving(oxigraph(graphs["all"])) as server:
        whole = by_id(all_concepts(client(server.address, dialect=dialect)))
        assert by_id(all_concepts(client(server.address, dialect=dialect, page=2, batch=3))) == whole


def test_labels_of_a_country_are_of_its_language(address: str) -> None:
    [cancer] = concepts(client(address, languages=("pt",), depth=0), ids=["Q128581"])
    assert cancer.labels == (Label("pt", "câncer de mama"),)
    [creator] = concepts(client(address, languages=("de-AT",), depth=0), ["Urheber"])
    assert creator.labels == (Label("de", "Urheber"),)


# What cannot get out of its quotes

HOSTILE = 'a "real" flu \\ {100%25} ?x . } #'


ESCAPING = [
    '" } ?a ?b ?c . { ?x ?y "', "'''", '"' * 3, "\\", '\\" } UNION { ?concept ?b ?value } #', '\\u0022 } #',
    "\\U0001F600", 'flu\n" } { ?concept ?b ?value', 'flu\r" }', "flu\0", '\u2028" } #', '\uff02 } #', "}}}}",
    "{{{{", "${x}", "?value", '"@en } #', "<https://example.org/tumor>", "SERVICE <https://evil.example/> { ?a ?b ?c }",
    "\udc80", "\x07\x7f\x1b[2J", "%22", "", " ",
]  # fmt: skip


def test_signs_of_the_language_are_text(address: str) -> None:
    found = by_id(concepts(client(address, dialect="skos", depth=0), [HOSTILE, *ESCAPING]))
    assert list(found) == ["https://example.org/flu"]
    assert found["https://example.org/flu"].labels == (Label("mul", HOSTILE),)


@given(st.text(st.characters(exclude_categories=["Cs"])) | st.text('"\\{}<>\n\r\tu002@^# '))
@settings(max_examples=60)
def test_a_literal_is_its_text(text: str) -> None:
    pyoxigraph = pytest.importorskip("pyoxigraph")
    [row] = pyoxigraph.Store().query(f"SELECT ?x WHERE {{ BIND({literal(text)} AS ?x) }}")
    if "\\u" not in text and "\\U" not in text:  # which are not asked for
        assert row["x"].value == text
        [[value]] = rdflib.Graph().query(f"SELECT ?x WHERE {{ BIND({literal(text)} AS ?x) }}")
        assert str(value) == text


@pytest.mark.parametrize(
    ("id", "dialect"),
    [
        ("Q5> } #", "wikidata"), ("P31", "wikidata"), ("Q0", "wikidata"), ("Q٥", "wikidata"), ("", "wikidata"),
        ("https://example.org/a", "wikidata"), ("https://example.org/a b", "skos"), ("https://a/>", "skos"),
        ("https://a/\\u003e", "skos"), ("https://a/\n", "skos"), ("a", "skos"), ("https://a/\ud800", "owl"),
        ("http://www.w3.org/2002/07/owl#Thing", "owl"),
    ],
)  # fmt: skip
def test_what_is_no_id(id: str, dialect: str) -> None:
    with serving(status(500)) as server:
        with pytest.raises(InputError, match="id 2 of those asked for") as caught:
            list(
                concepts(
                    client(server.address, dialect=dialect), ids=["https://a/b" if dialect != "wikidata" else "Q5", id]
                )
            )
        assert not server.asked
    assert not id or len(id) < 3 or id not in str(caught.value)


def test_a_full_name_is_an_id(address: str) -> None:
    assert list(by_id(concepts(client(address, depth=0), ids=["http://www.wikidata.org/entity/Q5", "Q5"]))) == ["Q5"]


# What misbehaves


@pytest.mark.parametrize("name", BROKEN)
def test_what_goes_wrong_is_said(name: str, caplog: pytest.LogCaptureFixture) -> None:
    reply, message, times = BROKEN[name]
    caplog.set_level(logging.DEBUG)
    with serving(reply) as server:
        asking = client(server.address, seconds=0.3, retries=1, pause=0.01, languages=("en",))
        with pytest.raises(InputError, match=message) as caught:
            list(concepts(asking, ids=["Q8765432"]))
        assert len(server.asked) == times
    said = "".join(map(str, (caught.value, caught.value.__cause__, caplog.text, repr(asking))))
    assert server.address in str(caught.value)
    assert "8765432" not in said
    assert SECRET not in said


@given(st.data())
@settings(max_examples=40)
def test_whatever_is_answered(misbehaving: Server, data: st.DataObject) -> None:
    first, last = sorted(data.draw(st.tuples(*[st.integers(0, len(GOOD))] * 2)))
    misbehaving.replies = [body(GOOD[:first] + data.draw(st.binary(max_size=9)) + GOOD[last:])]
    with contextlib.suppress(InputError):  # and nothing else
        list(concepts(client(misbehaving.address, languages=("en",)), ids=["Q5"]))


def test_a_mislabeled_answer_is_read() -> None:
    with serving(body(b"\xef\xbb\xbf" + GOOD, Content_Type="application/json; charset=latin-1")) as server:
        assert not list(concepts(client(server.address), ids=["Q5"]))


def test_nobody_there() -> None:
    with serving(body(GOOD)) as server:
        pass
    waits: list[float] = []
    with pytest.raises(InputError, match="cannot be reached"):
        list(concepts(client(server.address, retries=3, pause=1.0, waits=waits), ids=["Q5"]))
    assert waits == [1.0, 2.0, 4.0]


@pytest.mark.parametrize(
    ("headers", "waited"),
    [({}, [0.5]), ({"Retry_After": "7"}, [7.0]), ({"Retry_After": "0"}, [0.5]), ({"Retry_After": "-5"}, [0.5])],
)
def test_busy_endpoints_are_asked_again(headers: dict[str, str], waited: list[float], graphs: dict[str, Path]) -> None:
    waits: list[float] = []
    with serving(status(429, **headers), oxigraph(graphs["all"])) as server:
        found = list(concepts(client(server.address, retries=1, pause=0.5, depth=0, waits=waits), ids=["Q5"]))
    assert ([concept.id for concept in found], waits) == (["Q5"], waited)


def test_a_date_to_wait_for() -> None:
    waits: list[float] = []
    with serving(status(503, Retry_After=formatdate(time.time() + 60, usegmt=True)), body(GOOD)) as server:
        list(concepts(client(server.address, retries=1, waits=waits), ids=["Q5"]))
    assert 50 < waits[0] <= 60


def test_a_batch_that_is_too_much_is_halved(graphs: dict[str, Path]) -> None:
    ids = ["Q5", "Q42", "Q46"]
    with serving(status(500), oxigraph(graphs["all"])) as server:
        assert list(by_id(concepts(client(server.address, depth=0), ids=ids))) == ids
        assert len(server.asked) == 3
    with serving(status(500)) as server:
        with pytest.raises(InputError, match="asked for 1 ids, it fails"):
            list(concepts(client(server.address), ids=ids))
        assert len(server.asked) == 2


@pytest.mark.parametrize("most", [1, 4, 7])
def test_a_server_that_gives_less_is_asked_for_the_rest(most: int, graphs: dict[str, Path]) -> None:
    with serving(oxigraph(graphs["all"])) as whole, serving(oxigraph(graphs["all"], most)) as short:
        for call in (all_concepts, lambda asking: concepts(asking, ["author"], ["Q42"])):
            assert by_id(call(client(short.address))) == by_id(call(client(whole.address)))


def test_rows_that_are_lost_are_missed(graphs: dict[str, Path]) -> None:
    def without_last(rows: list[Any]) -> list[Any]:
        return rows[:-1] if len(rows) > 1 else [] if "what" in (rows or [{}])[0] else rows

    losing = oxigraph(graphs["all"], change=without_last)
    with serving(losing) as server, pytest.raises(InputError, match="asked for 1 ids, it gives a partial answer"):
        list(concepts(client(server.address), ids=["Q42"]))


@pytest.mark.parametrize("lost", ["all names", "later names", "the count", "going on"])
def test_a_list_that_is_shorter_than_its_count(lost: str, graphs: dict[str, Path]) -> None:
    def change(rows: list[Any]) -> list[Any]:
        if rows and "value" in rows[0] and "concept" not in rows[0]:
            return [] if lost == "the count" else rows
        if rows and "what" not in rows[0]:
            cursor = int("STR(?concept) >" in server.asked[-1])
            return (
                rows
                if (lost, cursor) in {("later names", 0), ("the count", 1)}
                else []
                if lost != "going on"
                else first
            )
        return rows

    first = [{"concept": {"type": "uri", "value": "http://www.wikidata.org/entity/Q5"}}]
    losing = oxigraph(graphs["all"], change=change)
    with serving(losing) as server, pytest.raises(InputError, match="gives a partial answer"):
        list(all_concepts(client(server.address, page=3)))


def test_what_a_server_adds_is_left_out() -> None:
    odd = [
        {"what": "0", "concept": "http://www.wikidata.org/entity/Q1", "value": "not asked for"},
        {"what": "0", "concept": "http://www.wikidata.org/entity/Q5", "value": " a\x00\ud800 \n b "},
        {"what": "0", "concept": "http://www.wikidata.org/entity/Q5", "value": " "},
        {"what": "1", "value": "of none"},
        {"what": "2", "concept": "http://www.wikidata.org/entity/Q5", "value": "http://www.wikidata.org/entity/Q5> }"},
        {"what": "77", "concept": "http://www.wikidata.org/entity/Q5", "value": "http://www.wikidata.org/entity/Q6"},
        {"what": "99"},
    ]
    rows = [{name: {"type": "literal", "value": text} for name, text in row.items()} for row in odd]
    with serving(body(json.dumps({"results": {"bindings": rows}}).encode())) as server:
        found = list(concepts(client(server.address, depth=0), ids=["Q5"]))
    assert [label.text for concept in found for label in concept.labels] == ["a\x00\ufffd b"]
    assert not found[0].broader


# Who is asked


def test_there_is_no_default() -> None:
    with pytest.raises(ConfigError, match=r"no SPARQL endpoint is named.*endpoint = .* below \[sparql\]") as caught:
        Client(SparqlSettings())
    assert caught.value.exit_code == 2
    assert load().config.sparql.endpoint == ""


def test_what_the_endpoint_is_told() -> None:
    with serving(body(GOOD)) as server:
        address = server.address + "?default-graph-uri=a"
        list(concepts(client(address, agent=""), ["Götz"]))
        list(concepts(client(address, agent="test/1 (mail@example.org)"), ["Götz"]))
    heads = [{name.lower(): value for name, value in head.items()} for head in server.heads]
    assert [head["user-agent"].partition("/")[0] for head in heads] == ["embanon", "test"]
    assert server.paths == ["/sparql?default-graph-uri=a"] * 2
    for head in heads:
        assert head["content-type"] == "application/sparql-query"
        assert set(head) == {
            "host", "user-agent", "accept", "accept-encoding", "connection", "content-type", "content-length",
        }  # fmt: skip
    with serving(status(403)) as server, pytest.raises(InputError) as caught:
        list(concepts(client(server.address + f"?key={SECRET}"), ["Götz"]))
    assert SECRET not in str(caught.value)


def test_no_proxy_to_this_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    with serving(body(GOOD)) as server, serving(body(GOOD)) as proxy:
        for name in ("http_proxy", "https_proxy", "all_proxy"):
            monkeypatch.setenv(name, proxy.address)
        monkeypatch.setenv("no_proxy", "")
        for address in (server.address, server.address.replace("127.0.0.1", "localhost")):
            list(concepts(client(address), ids=["Q5"]))
        with pytest.raises(InputError, match="does not speak TLS"):
            list(concepts(client(server.address.replace("http:", "https:")), ids=["Q5"]))
    assert (len(server.asked), proxy.asked) == (2, [])


def test_a_proxy_sees_the_host_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    with serving(body(GOOD)) as proxy:
        monkeypatch.setenv("https_proxy", proxy.address.replace("//", "//me:p%40ss@"))
        monkeypatch.setenv("no_proxy", "")
        with pytest.raises(InputError, match=r"https://sparql\.example/x: .* cannot be reached \(by its proxy\)"):
            list(concepts(client("https://sparql.example/x"), [SECRET]))
    assert proxy.asked == ["sparql.example:443"]
    assert proxy.heads[0]["Proxy-Authorization"] == "Basic bWU6cEBzcw=="


@pytest.mark.parametrize("proxy", ["http://", "http://a:b", "socks5://127.0.0.1:9", "http://a..b:1"])
def test_what_is_no_proxy(proxy: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("https_proxy", proxy)
    monkeypatch.setenv("no_proxy", "")
    with pytest.raises(InputError, match="has no possible name"):
        list(concepts(client("https://sparql.example/x"), [SECRET]))


@pytest.fixture(scope="session")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make a certificate of this machine that nobody trusts."""
    if not shutil.which("openssl"):
        pytest.skip("no openssl")
    file = tmp_path_factory.mktemp("certificate") / "both.pem"
    command = "openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=test -addext subjectAltName=IP:127.0.0.1"
    done = subprocess.run([*command.split(), "-keyout", "-", "-out", "-"], capture_output=True, check=True)
    file.write_bytes(done.stdout)
    return file


def test_certificates(certificate: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with serving(body(GOOD)) as server:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate)
        server.socket = context.wrap_socket(server.socket, server_side=True)
        asking = client(server.address.replace("http:", "https:"))
        with pytest.raises(InputError, match=r"a certificate that is not trusted \(self.signed certificate\)"):
            list(concepts(asking, ids=["Q5"]))
        assert not server.asked
        monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
        list(concepts(asking, ids=["Q5"]))
        assert len(server.asked) == 1


def _drip_handshake(listening: socket.socket) -> None:
    with contextlib.suppress(OSError), listening.accept()[0] as accepted:
        for byte in b"\x16\x03\x03\x40\x00" + bytes(20):
            accepted.sendall(bytes([byte]))
            time.sleep(0.05)


@pytest.mark.parametrize("drips", [False, True])
def test_a_handshake_has_to_end_in_time(drips: bool) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        thread = threading.Thread(target=_drip_handshake, args=(listening,))
        if drips:
            thread.start()
        started = time.monotonic()
        address = f"https://127.0.0.1:{listening.getsockname()[1]}/"
        with pytest.raises(InputError, match=r"gave no answer in 0\.3 s"):
            list(concepts(client(address, seconds=0.3), [SECRET]))
        assert time.monotonic() - started < 0.8
        if drips:
            thread.join()


def _full(listening: socket.socket, waiting: contextlib.ExitStack) -> tuple[str, int]:
    """Let so many wait at a door that nobody else is let in, or turned away."""
    address: tuple[str, int] = listening.getsockname()
    with contextlib.suppress(TimeoutError):
        while True:
            waiting.enter_context(socket.create_connection(address, timeout=0.1))
    return address


@pytest.mark.skipif(sys.platform != "linux", reason="fills a queue of Linux")
def test_all_addresses_of_a_host_share_the_time(monkeypatch: pytest.MonkeyPatch) -> None:
    with contextlib.ExitStack() as waiting, serving(body(GOOD)) as server:
        full = _full(waiting.enter_context(socket.create_server(("127.0.0.1", 0), backlog=0)), waiting)
        places = [full, full, full]
        monkeypatch.setenv("no_proxy", "*")
        form = socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP, ""
        monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: [(*form, place) for place in places])
        started = time.monotonic()
        with pytest.raises(InputError, match=r"gave no answer in 0\.6 s"):
            list(concepts(client("https://several.example/", seconds=0.6), [SECRET]))
        assert time.monotonic() - started < 0.9
        assert not server.asked
        places[1] = ("127.0.0.1", server.server_port)
        assert not list(concepts(client("http://localhost/", seconds=0.6), [SECRET]))
        assert len(server.asked) == 1


@pytest.mark.parametrize("reply", [endpoints.endless, endpoints.endless_chunks])
def test_ten_gigabytes_are_not_kept(reply: endpoints.Reply, tmp_path: Path) -> None:
    """The limit is 64 MB; what a server sends beyond that is neither read nor held."""
    with serving(reply) as server:
        tracemalloc.start()
        try:
            with pytest.raises(InputError, match="more than 64 MB"):
                list(concepts(Client(SparqlSettings(server.address, cache=str(tmp_path / "kept"))), [SECRET]))
            assert tracemalloc.get_traced_memory()[1] < 3 * (64 << 20)
        finally:
            tracemalloc.stop()
    assert [path.name for path in (tmp_path / "kept").iterdir()] == ["key"]


# What is kept


def test_answers_are_kept(tmp_path: Path, graphs: dict[str, Path]) -> None:
    folder = tmp_path / "kept" / "here"
    with serving(oxigraph(graphs["all"]), status(400)) as server:
        first = list(concepts(client(server.address, cache=str(folder), depth=0), ids=["Q42"]))
        assert list(concepts(client(server.address, cache=str(folder), depth=0), ids=["Q42"])) == first
        with pytest.raises(InputError):
            list(concepts(client(server.address, cache=str(folder), depth=0), ids=["Q5"]))
    files = sorted(folder.iterdir())
    assert len(files) == 2
    assert b"Douglas" in gzip.decompress(next(file for file in files if file.name != "key").read_bytes())
    if os.name == "posix":
        assert {stat.S_IMODE(file.stat().st_mode) for file in files} == {0o600}
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700


@pytest.mark.parametrize(
    "broken",
    [
        b"",
        b"not gzip",
        gzip.compress(GOOD)[:-9],
        gzip.compress(GOOD[:-9]),
        gzip.compress(b"{}"),
        gzip.compress(b" " * (2 << 20)),
    ],
    ids=["empty", "text", "cut", "JSON cut", "other JSON", "large"],
)
def test_what_is_broken_is_asked_again(broken: bytes, tmp_path: Path, graphs: dict[str, Path]) -> None:
    with serving(oxigraph(graphs["all"])) as server:
        asking = client(server.address, cache=str(tmp_path), depth=0)
        first = list(concepts(asking, ids=["Q42"]))
        [file] = tmp_path.glob("*.gz")
        file.write_bytes(broken)
        assert list(concepts(asking, ids=["Q42"])) == first
        assert list(concepts(asking, ids=["Q42"])) == first
        assert len(server.asked) == 2


def test_what_is_old_is_asked_again(tmp_path: Path, graphs: dict[str, Path]) -> None:
    with serving(oxigraph(graphs["all"])) as server:
        asking = client(server.address, cache=str(tmp_path), cache_days=2.0, depth=0)
        for age, times in ((0, 1), (1, 1), (3, 2), (-1, 3)):
            for file in tmp_path.glob("*.gz"):
                os.utime(file, (time.time() - age * 86_400 - 9,) * 2)
            list(concepts(asking, ids=["Q42"]))
            assert len(server.asked) == times


def test_partial_answers_are_not_kept(tmp_path: Path, graphs: dict[str, Path]) -> None:
    nothing = body(b'{"results": {"bindings": []}}')
    with serving(nothing, oxigraph(graphs["all"], 2), nothing, oxigraph(graphs["all"])) as server:
        asking = client(server.address, cache=str(tmp_path), depth=0)
        for _ in range(2):
            with pytest.raises(InputError, match="partial answer"):
                list(concepts(asking, ids=["Q42"]))
            assert not list(tmp_path.glob("*.gz"))
        assert [concept.id for concept in concepts(asking, ids=["Q42"])] == ["Q42"]


def test_names_of_files_tell_nothing(tmp_path: Path) -> None:
    names = []
    with serving(body(GOOD)) as server:
        for place in "ab":
            list(concepts(client(server.address, cache=str(tmp_path / place)), ids=["Q42"]))
            names += [file.name for file in (tmp_path / place).glob("*.gz")]
    assert len(set(names)) == 2  # the same question, other keys


def test_folders_that_cannot_keep(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(ConfigError, match=r"cannot keep answers .* change sparql\.cache"):
        client("https://example.org", cache=str(tmp_path / "file"))
    (tmp_path / "key").write_text("short")
    with pytest.raises(ConfigError, match="is not the key of a cache"):
        client("https://example.org", cache=str(tmp_path))
    (tmp_path / "key").unlink()
    with serving(body(GOOD)) as server:
        asking = client(server.address, cache=str(tmp_path))
        shutil.rmtree(tmp_path)
        with pytest.raises(ConfigError, match="cannot keep answers"):
            list(concepts(asking, ids=["Q42"]))


# Settings

# line: what the message says
SETTINGS = {
    "endpoint = 'sparql'": ".endpoint must be an address in ASCII",
    "endpoint = 'ftp://example.org'": ".endpoint must be an address",
    "endpoint = 'file:///etc/passwd'": ".endpoint must be an address",
    "endpoint = 'https://'": ".endpoint must be an address",
    "endpoint = 'https://a:99999999/'": ".endpoint must be an address",
    "endpoint = 'https://[::1/'": ".endpoint must be an address",
    "endpoint = 'https://exämple.org/'": ".endpoint must be an address",
    "endpoint = 'https://a/ b'": ".endpoint must be an address",
    'endpoint = "https://a/\\r\\nX: y"': ".endpoint must be an address",
    "endpoint = 'https://a/#b'": ".endpoint must be an address",
    f"endpoint = 'https://me:{SECRET}@a/'": ".endpoint must not hold a name and password",
    "endpoint = 'http://example.org/'": "must begin with https://",
    "endpoint = 'http://127.0.0.1.example.org/'": "must begin with https://",
    "endpoint = 'http://localhost.example.org/'": "must begin with https://",
    "dialect = 'rdf'": ".dialect must be one of wikidata, skos, owl",
    "languages = []": ".languages: a language is",
    "languages = ['en', 'English']": ".languages: a language is",
    "batch = 0": ".batch must be from 1",
    "page = 0": ".page must be from 1",
    "seconds = nan": ".seconds must be from",
    "retries = -1": ".retries must be from 0",
    "pause = inf": ".pause must be from 0",
    "depth = 1000": ".depth must be from 0",
    "cache_days = -1": ".cache_days must be from 0",
    'agent = "a\\nb"': ".agent must be ASCII",
    "agent = 'ä'": ".agent must be ASCII",
}


@pytest.mark.parametrize("line", SETTINGS)
def test_mistakes_in_settings(line: str, tmp_path: Path) -> None:
    (tmp_path / "embanon.toml").write_text(f"[sparql]\n{line}", encoding="utf-8")
    with pytest.raises(ConfigError) as caught:
        load(tmp_path / "embanon.toml")
    assert f"sparql{SETTINGS[line]}" in str(caught.value) or SETTINGS[line] in str(caught.value)
    assert str(tmp_path) in str(caught.value) or "default" in str(caught.value)
    assert SECRET not in str(caught.value)


@pytest.mark.parametrize(
    "written",
    [
        "https://query.example.org/sparql?x=y",
        "http://127.0.0.1:7200/",
        "http://localhost/a",
        "http://[::1]:80/",
        "HTTPS://A/",
    ],
)
def test_addresses(written: str) -> None:
    assert not SparqlSettings(written).problem()
    assert not SparqlSettings("http://example.org/", insecure=True).problem()


def test_a_client_checks_its_settings() -> None:
    with pytest.raises(ConfigError, match=r"sparql\.page must be"):
        Client(replace(SparqlSettings("https://a/"), page=-1))


# SPARQLWrapper


def test_the_same_as_sparqlwrapper_alone(served: str) -> None:
    query = "SELECT ?a ?b WHERE { ?a <http://www.wikidata.org/prop/direct/P279> ?b } ORDER BY ?a ?b"
    wrapper = SPARQLWrapper(served, returnFormat=JSON)
    wrapper.setQuery(query)
    alone = wrapper.queryAndConvert()["results"]["bindings"]
    assert client(served).rows(query, "all") == alone != []


def test_labels_that_quote_sparql_take_no_time() -> None:
    """The expression by which SPARQLWrapper looks for the type of a query takes 10 s for 400 such labels."""
    labels = [f"PREFIX a: <{number}" for number in range(1000)]
    with serving(body(GOOD)) as server:
        started = time.monotonic()
        assert not list(concepts(client(server.address, batch=1000), labels))
        assert time.monotonic() - started < 5
    assert len(server.asked) == 1


# Many labels


def test_thousands_of_labels(graphs: dict[str, Path]) -> None:
    shown: list[tuple[str, float, float]] = []
    labels = [*(f"nobody {number}" for number in range(3000)), "Douglas Adams", "Edinburgh", "author", "Edinburgh"]
    with serving(oxigraph(graphs["all"])) as server:
        client_settings = SparqlSettings(server.address, batch=1000)
        found = by_id(endpoint_concepts(client_settings, iter(labels), lambda *step: shown.append(step)))
        asked = re.findall(r"<http://www.wikidata.org/entity/(Q\d+)>", "".join(server.asked))
    assert len(server.asked) == 4 + 4  # of labels, and of each step
    assert len(asked) == len(set(asked)) == 14  # also what the endpoint does not know
    assert len(found) == 11
    assert shown[:4] == [("labels", done, 3003) for done in (1000, 2000, 3000, 3003)]
    assert shown[4:] == [("concepts", done, done) for done in (4, 9, 13, 14)]


def test_a_batch_that_is_far_too_much_is_halved_again(graphs: dict[str, Path]) -> None:
    answering = oxigraph(graphs["all"])

    def reply(handler: endpoints.Handler, query: str) -> None:
        status(500)(handler, query) if query.count("<http://www.wikidata.org/entity/") > 1 else answering(
            handler, query
        )

    ids = ["Q5", "Q42", "Q46", "Q145"]
    with serving(reply) as server:
        assert list(by_id(concepts(client(server.address, depth=0), ids=ids))) == ids
        assert len(server.asked) == 7


def test_threads_share_a_client(address: str) -> None:
    asking, found = client(address), []

    def ask() -> None:
        found.append(sorted(concept.id for concept in concepts(asking, ["Edinburgh"])))

    threads = [threading.Thread(target=ask) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 4
    assert all(ids == found[0] for ids in found)
