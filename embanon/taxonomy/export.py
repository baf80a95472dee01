"""Write concepts as SKOS, in Turtle or N-Triples, one after the other; `taxonomy.sources.rdf` reads the same back.

The first label of a language is its `prefLabel`, the others are `altLabel`; those of any language have no tag. Every
link is `skos:broader`; why it is broader, types, weights and what is hidden are said in words of our own (`urn:embanon:
taxonomy:`). An id that is no IRI is written as one (`urn:embanon:id:Q5`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import BinaryIO, Final
from urllib.parse import quote

from embanon.errors import ConfigError
from embanon.taxonomy import vocabulary as words
from embanon.taxonomy.concept import ANY_LANGUAGE, Concept, Label

TURTLE, NTRIPLES = "turtle", "ntriples"
PREFIXES: Final = {"skos": words.SKOS, "iso": words.ISO, "embanon": words.OURS}
IRI: Final = re.compile(r"""[A-Za-z][A-Za-z0-9+.-]*:[^\x00-\x20<>"{}|^`\\\x7f-\x9f\ud800-\udfff]+""")
RELATIVE: Final = re.compile(r"(?:https?|ftp):(?!//[^/])|file:(?!//)|.*/\.{1,2}(?:[/?#]|$)", re.IGNORECASE)
"""What a reader may take for another IRI: one that goes up (`/../`), or one without a host."""
SPECIAL: Final = re.compile('["\\\\\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff\ufffe\uffff]')
SHORT: Final = {"\t": r"\t", "\b": r"\b", "\n": r"\n", "\r": r"\r", "\f": r"\f", '"': r"\"", "\\": r"\\"}
LOCAL: Final = re.compile(r"[A-Za-z][A-Za-z0-9-]*")
TAG: Final = re.compile(r"[A-Za-z]{1,8}(-[A-Za-z0-9]{1,8})*")

Pair = tuple[str, str]
"""A property, and a value as it is written in N-Triples."""


def to_skos(concepts: Iterable[Concept], stream: BinaryIO, format: str = TURTLE) -> int:
    """Write concepts as they come, in UTF-8; return how many there were."""
    if format not in (TURTLE, NTRIPLES):
        raise ConfigError(f"no format {format!r} to write; known: {TURTLE}, {NTRIPLES}")
    count = 0
    if format == TURTLE:
        for prefix, iri in PREFIXES.items():
            stream.write(f"@prefix {prefix}: <{iri}> .\n".encode())
    for count, concept in enumerate(concepts, 1):  # noqa: B007 (given at the end)
        subject, pairs = f"<{iri_of(concept.id)}>", [(f"<{predicate}>", value) for predicate, value in _pairs(concept)]
        if format == TURTLE:
            rows = " ;\n    ".join(f"{_short(predicate)} {_short(value)}" for predicate, value in pairs)
            stream.write(f"\n{subject} {rows} .\n".encode())
        else:
            stream.write("".join(f"{subject} {predicate} {value} .\n" for predicate, value in pairs).encode())
    return count


def iri_of(id: str) -> str:
    """Return the IRI that stands for an id: itself, if it is one."""
    if IRI.fullmatch(id) and not RELATIVE.match(id) and not id.startswith((words.IDS, *words.META)):
        return id
    return words.IDS + quote(id, safe="", errors="surrogatepass")


def _pairs(concept: Concept) -> Iterator[Pair]:
    yield words.TYPE, f"<{words.CONCEPT}>"
    known: set[str] = set()
    for label in concept.labels:
        name = "altLabel" if label.language in known else "prefLabel"
        known.add(label.language)
        yield f"{words.SKOS}{name}", _literal(label.text, label.language)
    yield from (_count(label) for label in concept.labels if label.weight)
    targets: dict[str, dict[str, None]] = {}
    for broader in concept.broader:
        targets.setdefault(broader.id, {})[broader.link] = None
    for broad, links in targets.items():
        node = f"<{iri_of(broad)}>"
        yield words.BROADER, node
        for link in links:
            if link == "instance":
                yield f"{words.ISO}broaderInstantial", node
            elif link != "subclass":
                yield f"{words.OURS}{link}", node
            elif len(links) > 1:
                yield f"{words.ISO}broaderGeneric", node
    if concept.type:
        yield words.OUR_TYPE, _literal(concept.type, ANY_LANGUAGE)
    if concept.weight:
        yield words.OUR_WEIGHT, _literal(repr(float(concept.weight)), ANY_LANGUAGE)
    if concept.hidden:
        yield words.OUR_HIDDEN, _literal("true", ANY_LANGUAGE)


def _count(label: Label) -> Pair:
    return words.OUR_COUNT, _literal(f"{float(label.weight)!r} {label.text}", label.language)


def _literal(text: str, language: str) -> str:
    """Write a literal with its language, if it has one that can be written."""
    written = f'"{SPECIAL.sub(_escaped, text)}"'
    return f"{written}@{language}" if language != ANY_LANGUAGE and TAG.fullmatch(language) else written


def _escaped(match: re.Match[str]) -> str:
    sign = match[0]
    if "\ud800" <= sign <= "\udfff":
        return "\ufffd"  # no encoding can write it
    return SHORT.get(sign) or f"\\u{ord(sign):04X}"


def _short(term: str) -> str:
    """Write a term of Turtle with a prefix, where it has one."""
    if term == f"<{words.TYPE}>":
        return "a"
    for prefix, start in PREFIXES.items():
        if term.startswith(f"<{start}") and LOCAL.fullmatch(local := term[len(start) + 1 : -1]):
            return f"{prefix}:{local}"
    return term
