"""The RDF properties for labels and broader concepts: of SKOS, RDFS, OBO, ISO 25964 and our own."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from embanon.data import read_toml

TABLE: Final[Mapping[str, Any]] = read_toml("ontologies", "sources", "rdf.toml")
PREFIXES: Final[Mapping[str, str]] = TABLE["prefixes"]
RDF, OWL, SKOS, ISO, OURS = (PREFIXES[name] for name in ("rdf", "owl", "skos", "iso", "embanon"))
IDS: Final = "urn:embanon:id:"
"""Before the id of a concept that is no IRI."""


def expand(name: str) -> str:
    """Return the IRI of a name with a prefix: `skos:broader`."""
    prefix, _, local = name.partition(":")
    return PREFIXES[prefix] + local


TYPE, CONCEPT, BROADER = expand("rdf:type"), expand("skos:Concept"), expand("skos:broader")
SUBCLASS, SUBPROPERTY = expand("rdfs:subClassOf"), expand("rdfs:subPropertyOf")
ON_PROPERTY, SOME, DEPRECATED = expand("owl:onProperty"), expand("owl:someValuesFrom"), expand("owl:deprecated")
OUR_TYPE, OUR_WEIGHT, OUR_HIDDEN = expand("embanon:type"), expand("embanon:weight"), expand("embanon:hidden")
OUR_COUNT: Final = expand("embanon:count")
"""The weight of a label: `"12.0 dog"@en`."""


def _by_iri(section: str) -> dict[str, str]:
    return {expand(name): kind for kind, names in TABLE[section].items() for name in names.split()}


LINKS: Final[Mapping[str, str]] = _by_iri("links")
"""What goes from a concept to a broader one, and why it is broader."""
INVERTED: Final[Mapping[str, str]] = _by_iri("inverted")
"""What goes the other way."""
LABELS: Final[Mapping[str, int]] = {iri: list(TABLE["labels"]).index(kind) for iri, kind in _by_iri("labels").items()}
"""What names a concept, and in which order the names of a language stand."""
META: Final = tuple(PREFIXES[name] for name in TABLE["concepts"]["meta"].split())
"""What is of these vocabularies describes a file, and is nothing in the world."""
NO_CONCEPTS: Final = frozenset(map(expand, TABLE["concepts"]["excluded"].split()))
"""What is of these types is no concept, though it may have a label."""
