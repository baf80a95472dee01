"""How concepts are written at an endpoint of SPARQL: the paths of their labels and links, and what their ids are."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from embanon.taxonomy.concept import ANY

PREFIXES: Final = """\
PREFIX owl: <http://www.w3.org/2002/07/owl#>
PREFIX rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#>
PREFIX rdfs: <http://www.w3.org/2000/01/rdf-schema#>
PREFIX skos: <http://www.w3.org/2004/02/skos/core#>
PREFIX isothes: <http://purl.org/iso25964/skos-thes#>
PREFIX oio: <http://www.geneontology.org/formats/oboInOwl#>
PREFIX wdt: <http://www.wikidata.org/prop/direct/>
"""
VOCABULARIES: Final = (
    "http://www.w3.org/1999/02/22-rdf",
    "http://www.w3.org/2000/01/rdf",
    "http://www.w3.org/2002/07/owl",
)
"""What begins so describes how concepts are written, and is none."""

IRI: Final = re.compile('[A-Za-z][A-Za-z0-9+.-]*:[^\x00-\x20\x7f-\x9f<>"{}|^`\\\\\ud800-\udfff]+')


@dataclass(frozen=True, slots=True)
class Dialect:
    """How concepts are written: `labels` the first of which is shown, `links` each with its path, `members` all."""

    labels: tuple[str, ...]
    links: tuple[tuple[str, str], ...]
    members: str
    tag: str
    """The language of labels that are the same in all."""
    base: str = ""
    id: re.Pattern[str] = re.compile("(?!)")
    """What the id of a concept looks like that is written behind `base`."""

    def iri(self, id: str) -> str:
        """Give the full name of a concept, "" where the id is none."""
        if self.id.fullmatch(id):
            return self.base + id
        return id if IRI.fullmatch(id) else ""

    def short(self, iri: str) -> str:
        """Give the id of a concept by its full name, "" where that names none."""
        if self.base:
            id = iri.removeprefix(self.base)
            return id if id != iri and self.id.fullmatch(id) else ""
        return iri if IRI.fullmatch(iri) and not iri.startswith(VOCABULARIES) else ""


DIALECTS: Final = {
    "wikidata": Dialect(
        labels=("rdfs:label", "skos:altLabel"),
        links=(
            ("subclass", "wdt:P279"),
            ("instance", "wdt:P31"),
            ("part", "wdt:P361"),
            ("located-in", "wdt:P131|wdt:P17"),
            ("occupation", "wdt:P106"),
            ("member", "wdt:P463"),
            ("related", "wdt:P27"),
        ),
        members='?concept rdfs:label ?label FILTER(STRSTARTS(STR(?concept), "http://www.wikidata.org/entity/Q"))',
        tag=ANY,
        base="http://www.wikidata.org/entity/",
        id=re.compile("Q[1-9][0-9]{0,18}"),
    ),
    "skos": Dialect(
        labels=("skos:prefLabel", "skos:altLabel", "skos:hiddenLabel"),
        links=(
            ("subclass", "skos:broader|^skos:narrower|isothes:broaderGeneric"),
            ("instance", "isothes:broaderInstantial"),
            ("part", "isothes:broaderPartitive"),
        ),
        members="{ ?concept a skos:Concept } UNION { ?concept skos:prefLabel ?label } FILTER(isIRI(?concept))",
        tag="",
    ),
    "owl": Dialect(
        labels=("rdfs:label", "skos:prefLabel", "skos:altLabel", "oio:hasExactSynonym"),
        links=(("subclass", "rdfs:subClassOf"), ("instance", "rdf:type")),
        members="{ ?concept rdfs:label ?label } UNION { ?concept rdfs:subClassOf ?class } FILTER(isIRI(?concept))",
        tag="",
    ),
}
"""Name -> how its concepts are written; without `base`, an id is the full name."""
