"""The words of RDF that say what a concept is called and what is broader: of SKOS, RDFS, OBO, ISO 25964 and our own."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

RDF: Final = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
RDFS: Final = "http://www.w3.org/2000/01/rdf-schema#"
OWL: Final = "http://www.w3.org/2002/07/owl#"
SKOS: Final = "http://www.w3.org/2004/02/skos/core#"
XSD: Final = "http://www.w3.org/2001/XMLSchema#"
ISO: Final = "http://purl.org/iso25964/skos-thes#"
OBO: Final = "http://purl.obolibrary.org/obo/"
OBO_WORDS: Final = "http://www.geneontology.org/formats/oboInOwl#"
OURS: Final = "urn:embanon:taxonomy:"
"""What no vocabulary has: our links, types, weights."""
IDS: Final = "urn:embanon:id:"
"""Before the id of a concept that is no IRI."""

TYPE: Final = f"{RDF}type"
CONCEPT: Final = f"{SKOS}Concept"
BROADER: Final = f"{SKOS}broader"
TRANSITIVE: Final = f"{SKOS}broaderTransitive"
SUBCLASS: Final = f"{RDFS}subClassOf"
SUBPROPERTY: Final = f"{RDFS}subPropertyOf"
ON_PROPERTY: Final = f"{OWL}onProperty"
SOME: Final = f"{OWL}someValuesFrom"
DEPRECATED: Final = f"{OWL}deprecated"
OUR_TYPE: Final = f"{OURS}type"
OUR_WEIGHT: Final = f"{OURS}weight"
OUR_COUNT: Final = f"{OURS}count"
"""The weight of a label: `"12.0 dog"@en`."""
OUR_HIDDEN: Final = f"{OURS}hidden"

PREFERRED, ALTERNATIVE, SEARCHED = range(3)

LABELS: Final[Mapping[str, int]] = {
    f"{SKOS}prefLabel": PREFERRED,
    f"{RDFS}label": PREFERRED,
    "http://schema.org/name": PREFERRED,
    "https://schema.org/name": PREFERRED,
    f"{SKOS}altLabel": ALTERNATIVE,
    f"{OBO_WORDS}hasExactSynonym": ALTERNATIVE,
    "http://schema.org/alternateName": ALTERNATIVE,
    "https://schema.org/alternateName": ALTERNATIVE,
    f"{SKOS}hiddenLabel": SEARCHED,
}
"""What names a concept, and in which order the names of a language stand."""

LINKS: Final[Mapping[str, str]] = {
    BROADER: "subclass",
    TRANSITIVE: "subclass",
    SUBCLASS: "subclass",
    f"{SKOS}broadMatch": "subclass",
    f"{ISO}broaderGeneric": "subclass",
    f"{ISO}broaderInstantial": "instance",
    TYPE: "instance",
    f"{ISO}broaderPartitive": "part",
    f"{OBO}BFO_0000050": "part",
    f"{OBO}part_of": "part",
    "http://www.obofoundry.org/ro/ro.owl#part_of": "part",
    "http://purl.org/dc/terms/isPartOf": "part",
    f"{OBO}RO_0001025": "located-in",
    f"{OBO}RO_0002350": "member",
    **{f"{OURS}{link}": link for link in ("part", "located-in", "occupation", "member", "related")},
}
"""What goes from a concept to a broader one, and why it is broader."""

INVERTED: Final[Mapping[str, str]] = {
    f"{SKOS}narrower": "subclass",
    f"{SKOS}narrowerTransitive": "subclass",
    f"{SKOS}narrowMatch": "subclass",
    f"{ISO}narrowerGeneric": "subclass",
    f"{ISO}narrowerInstantial": "instance",
    f"{ISO}narrowerPartitive": "part",
}
"""What goes the other way."""

META: Final = (RDF, RDFS, OWL, SKOS, XSD, OURS)
"""What is of these vocabularies describes a file, and is nothing in the world."""

NO_CONCEPTS: Final = frozenset((
    f"{RDF}Property", f"{OWL}ObjectProperty", f"{OWL}DatatypeProperty", f"{OWL}AnnotationProperty",
    f"{OWL}Ontology", f"{SKOS}ConceptScheme", f"{SKOS}Collection", f"{SKOS}OrderedCollection", f"{RDFS}Datatype",
))  # fmt: skip
"""What is of these types is no concept, though it may have a label."""
