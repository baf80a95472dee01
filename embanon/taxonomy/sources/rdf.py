"""Ontologies and thesauri in RDF: SKOS, RDFS and OWL as concepts.

N-Triples and N-Quads are read line by line, in bounded memory; Turtle, TriG, RDF/XML and JSON-LD are held as a graph.
All of them may be packed (gz). Nothing is ever fetched from elsewhere. The id of a concept is its IRI.

* `skos:broader`, `narrower` the other way, `rdfs:subClassOf`: a kind of. `broaderTransitive` counts where nothing
  nearer is said. `rdf:type`: an instance of, but for the types of OWL and SKOS themselves. `part of` of OBO, ISO 25964
  and Dublin Core, also as a restriction of OWL, and properties that are declared to be kinds of these (in
  N-Triples before they are used): a part of.
* `skos:prefLabel`, `rdfs:label` are shown; `altLabel`, exact synonyms and `hiddenLabel` only find. `en-US` is `en`,
  behind plain `en`. A label without a language is `mul`, of any: what else it is cannot be known, unless it is said.
* Nodes without a name, properties, schemes and what is deprecated are no concepts.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from contextlib import nullcontext
from typing import BinaryIO, Final

from embanon.errors import ConfigError, InputError
from embanon.io import LIMITS, Limits, open_gzip, open_source
from embanon.taxonomy.concept import ANY_LANGUAGE, Concept
from embanon.taxonomy.sources import ntriples
from embanon.taxonomy.sources.ntriples import Triple
from embanon.taxonomy.sources.triple_grouping import MAX_SUBJECTS, Gatherer

GRAPH_FORMATS: Final = ("turtle", "trig", "rdfxml", "jsonld")
"""Those that are held as a graph of rdflib, which is imported only then."""
FORMATS: Final = ("ntriples", "nquads", *GRAPH_FORMATS)
ENDINGS: Final = {
    "nt": "ntriples", "ntriples": "ntriples", "nq": "nquads", "nquads": "nquads", "ttl": "turtle", "turtle": "turtle",
    "n3": "turtle", "trig": "trig", "rdf": "rdfxml", "owl": "rdfxml", "xml": "rdfxml", "skos": "rdfxml",
    "jsonld": "jsonld", "json": "jsonld",
}  # fmt: skip
"""How the name of a file ends -> its format."""
GZIP: Final = ".gz"


def concepts(
    path: str, format: str | None = None, language: str = ANY_LANGUAGE, languages: Collection[str] | None = None,
    limits: Limits = LIMITS,
) -> Iterator[Concept]:  # fmt: skip
    """Return the concepts of a file, or of standard input for "-".

    `language` is that of labels that do not say theirs; of the others only those of `languages` are kept, if given. A
    concept of a large N-Triples file may come in several parts.
    """
    format = format or format_of(path)
    if format is None:
        raise ConfigError(f"{path}: its name does not say its format; name it: --kind {', '.join(FORMATS)}")
    if format not in FORMATS:
        raise ConfigError(f"no format {format!r} of RDF; known: {', '.join(FORMATS)}")
    with open_source(path) as stream:
        yield from concepts_from_stream(stream, path, format, language, languages, limits)


def concepts_from_stream(
    stream: BinaryIO, name: str, format: str, language: str = ANY_LANGUAGE,
    languages: Collection[str] | None = None, limits: Limits = LIMITS,
) -> Iterator[Concept]:  # fmt: skip
    """Return the concepts of a stream, which is unpacked where its name ends in .gz."""
    packed = open_gzip(stream, name) if name.lower().endswith(GZIP) else nullcontext(stream)
    with packed as content:
        gatherer = Gatherer(language, languages, 1 << 62 if format in GRAPH_FORMATS else MAX_SUBJECTS)
        yield from gatherer.concepts(_triples(content, name, format, limits))
    if not gatherer.labeled_count:
        raise InputError(f"{name}: has no concept with a label (skos:prefLabel, rdfs:label); is it an ontology?")


def format_of(path: str) -> str | None:
    """Return the format that a name says, or `None`."""
    plain = path.lower().removesuffix(GZIP)
    return ENDINGS.get(plain.rpartition(".")[2]) if "." in plain else None


def _triples(stream: BinaryIO, name: str, format: str, limits: Limits) -> Iterator[Triple]:
    if format in GRAPH_FORMATS:
        from embanon.taxonomy.sources import graphs

        return graphs.triples(stream, name, format)
    return ntriples.triples(stream, name, limits, format == "nquads")
