"""Concepts as SKOS: what is written is read back, by rdflib and by us, whatever the labels and ids are."""

from __future__ import annotations

import gc
import io
import time
from pathlib import Path

import pytest
from hypothesis import example, given, settings, strategies as st
from rdflib import Graph, Literal, URIRef

from embanon.document import TYPES
from embanon.errors import ConfigError
from embanon.taxonomy.concept import ANY_LANGUAGE, LINKS, MAX_LABEL_LENGTH, Broader, Concept, Label, clean_label
from embanon.taxonomy.export import NTRIPLES, TURTLE, iri_of, to_skos
from embanon.taxonomy.sources.rdf import concepts_from_stream

ENDINGS = {TURTLE: "ttl", NTRIPLES: "nt"}
DOG = Concept(
    "wn:02084071-n",
    (Label("en", "dog", 42.0), Label("en", 'a "dog"'), Label("es", "perro"), Label(ANY_LANGUAGE, "C\\l")),
    (Broader("wn:02083346-n", "subclass"), Broader("Q5", "part")),
    "MISC", 2.5, True,
)  # fmt: skip


def written(concepts: list[Concept], format: str) -> bytes:
    stream = io.BytesIO()
    assert to_skos(iter(concepts), stream, format) == len(concepts)
    return stream.getvalue()


def back(data: bytes, format: str) -> list[Concept]:
    return list(concepts_from_stream(io.BytesIO(data), f"x.{ENDINGS[format]}", format))


def test_a_concept_is_written_as_skos() -> None:
    assert written([DOG], TURTLE).decode() == (
        "@prefix skos: <http://www.w3.org/2004/02/skos/core#> .\n"
        "@prefix iso: <http://purl.org/iso25964/skos-thes#> .\n"
        "@prefix embanon: <urn:embanon:taxonomy:> .\n"
        "\n<wn:02084071-n> a skos:Concept ;\n"
        '    skos:prefLabel "dog"@en ;\n'
        '    skos:altLabel "a \\"dog\\""@en ;\n'
        '    skos:prefLabel "perro"@es ;\n'
        '    skos:prefLabel "C\\\\l" ;\n'
        '    embanon:count "42.0 dog"@en ;\n'
        "    skos:broader <wn:02083346-n> ;\n"
        "    skos:broader <urn:embanon:id:Q5> ;\n"
        "    embanon:part <urn:embanon:id:Q5> ;\n"
        '    embanon:type "MISC" ;\n'
        '    embanon:weight "2.5" ;\n'
        '    embanon:hidden "true" .\n'
    )
    assert back(written([DOG], TURTLE), TURTLE) == [DOG]
    assert back(written([DOG], NTRIPLES), NTRIPLES) == [DOG]


def test_other_formats_are_refused() -> None:
    with pytest.raises(ConfigError, match="known: turtle, ntriples"):
        to_skos([], io.BytesIO(), "xml")


IDS = st.one_of(
    st.from_regex(r"wn:\d{8}-n", fullmatch=True),
    st.from_regex(r"Q\d{1,4}", fullmatch=True),
    st.from_regex(r"https?://[a-z]{1,4}\.org/[a-z#/.?%é-]{0,8}", fullmatch=True),
    st.text(min_size=1, max_size=12),
    st.sampled_from(("_:b1", "urn:embanon:id:x", "a b", "http://x/<y>", "http:x", "mailto:", "#x", "é", "\ud800")),
)
TEXTS = st.text(min_size=1, max_size=20).map(clean_label).filter(bool)
LANGUAGES = ("en", "es", "pt", "de", ANY_LANGUAGE, "zh")


@st.composite
def concept(draw: st.DrawFn) -> Concept:
    """Return a concept as readers give them: no label twice, those of a language together."""
    names = draw(st.lists(st.tuples(st.sampled_from(LANGUAGES), TEXTS), min_size=1, unique=True, max_size=5))
    names.sort(key=lambda name: LANGUAGES.index(name[0]))
    id = draw(IDS)
    weights = st.sampled_from((0.0, 0.5, 1.0, 1e300, 1e-7))
    links = draw(st.lists(st.tuples(IDS.filter(lambda broad: broad != id), st.sampled_from(LINKS)), unique=True))
    return Concept(
        id,
        tuple(Label(language, text, draw(weights)) for language, text in names),
        tuple(Broader(broad, link) for broad, link in links),
        draw(st.sampled_from((*TYPES, ""))), draw(weights), draw(st.booleans()),
    )  # fmt: skip


def unordered(concept: Concept) -> tuple[object, ...]:
    # Links of one kind to one concept stand together.
    return (concept.id, concept.labels, frozenset(concept.broader), concept.type, concept.weight, concept.hidden)


@pytest.mark.parametrize("format", ENDINGS)
@given(concepts=st.lists(concept(), min_size=1, max_size=3, unique_by=lambda concept: concept.id))
@settings(max_examples=40, deadline=None)
def test_what_is_written_is_read_back(format: str, concepts: list[Concept]) -> None:
    found = back(written(concepts, format), format)
    assert [unordered(one) for one in found] == [unordered(one) for one in concepts]


@given(st.text(max_size=30), st.sampled_from(("en", ANY_LANGUAGE)))
@example('"\\\x00\x1f\r\n\t\x7f\x85\u2028\ufffe😀', "en")
@settings(max_examples=100, deadline=None)
def test_rdflib_reads_any_label(text: str, language: str) -> None:
    for format, name in ((TURTLE, "turtle"), (NTRIPLES, "nt")):
        graph = Graph().parse(data=written([Concept("x:y", (Label(language, text),))], format), format=name)
        label = Literal(text, lang=None if language == ANY_LANGUAGE else language)
        assert (URIRef("x:y"), URIRef("http://www.w3.org/2004/02/skos/core#prefLabel"), label) in graph


@pytest.mark.parametrize(
    ("text", "clean"),
    {
        "a": "a", " a \t\n b ": "a b", "a\x00b": "ab", "a\x1bb\x85c": "ab c", "": None, "\x00\u200b": None,
        "Präfi\xadgieren": "Präfigieren", "a\u202eb": "ab", "x" * MAX_LABEL_LENGTH: "x" * MAX_LABEL_LENGTH,
        "x" * (MAX_LABEL_LENGTH + 1): None,
        "\ud800": "\ufffd", "a\u00a0b": "a b", "می‌خواهم": "می‌خواهم",
    }.items(),
)  # fmt: skip
def test_labels_are_cleaned(text: str, clean: str | None) -> None:
    assert clean_label(text) == clean


@pytest.mark.parametrize(
    "id", ["wn:1-n", "http://x.org/a#b", "urn:x:é", "file:///a.ttl#b", "http://x/.well", "geo:2950159"]
)
def test_iris_stay(id: str) -> None:
    assert iri_of(id) == id


@pytest.mark.parametrize(
    "id", ["Q5", "a b", "_:b", "urn:embanon:id:Q5", "x:", "http://x/<", "\ud800", "http://x/a/../b"]
)
def test_other_ids_become_iris(id: str) -> None:
    assert iri_of(id).startswith("urn:embanon:id:")
    assert iri_of(id).isascii()


def test_many_links_take_a_linear_time(tmp_path: Path) -> None:
    def seconds(count: int) -> float:
        concept = Concept("x:a", (Label("en", "a"),), tuple(Broader(f"x:{n}", "part") for n in range(count)))
        gc.collect()
        gc.disable()  # what other tests have loaded would be gone through in between
        try:
            start = time.process_time()
            with (tmp_path / "out.nt").open("wb") as stream:
                to_skos([concept], stream, NTRIPLES)
            return time.process_time() - start
        finally:
            gc.enable()

    assert seconds(40_000) < 30 * max(seconds(5_000), 0.01)
