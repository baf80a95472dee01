"""Turtle, TriG, RDF/XML and JSON-LD: through a graph of rdflib, whole files in memory, nothing from elsewhere.

The libraries would fetch the contexts that JSON-LD names, and would unfold entities of XML: both are looked at first.
`owl:imports` and document types of XML are never followed. Relative IRIs are put behind `file:///NAME`.
"""

from __future__ import annotations

import json
import logging
import re
import warnings
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from io import BytesIO
from pathlib import PurePath
from typing import Any, BinaryIO, Final
from urllib.parse import quote
from xml.parsers import expat

from rdflib import BNode, Graph, Literal
from rdflib.store import Store

from embanon.errors import ConfigError, InputError
from embanon.io import decode_chunks, read_errors
from embanon.taxonomy import vocabulary as words
from embanon.taxonomy.sources.ntriples import Triple

MAX_BYTES: Final = 128 << 20
"""Bytes of a file, after unpacking: what is held takes some twenty times as many (WordNet in Turtle: 19 MB, 370)."""
MAX_ENTITY_LENGTH: Final = 10_000
"""Characters that an entity of XML may stand for; ontologies shorten their IRIs by entities."""
MAX_ENTITIES: Final = 1000
"""Entities of a file."""
MAX_EXPANSION: Final = 16 << 20
"""Characters that all entities of a file may add to it."""
XML_ENCODING: Final = re.compile(rb"""<\?xml[^>]{0,200}?encoding\s*=\s*["']([A-Za-z][\w.-]*)["']""")
XML_DECLARATION: Final = re.compile(r"^\s*<\?xml[^>]*\?>")
ENTITY_REFERENCE: Final = re.compile("&([^&;#\\s]+);")
LOGGERS: Final = ("rdflib.term", "rdflib.plugins.parsers.jsonld", "rdflib.plugins.parsers.ntriples", "rdflib.graph")

FORMATS: Final = {"turtle": "turtle", "trig": "trig", "rdfxml": "xml", "jsonld": "json-ld"}
"""Our name of a format -> rdflib's."""


def triples(stream: BinaryIO, name: str, format: str, largest: int = MAX_BYTES) -> Iterator[Triple]:
    """Return the triples of all graphs of a file; first those that declare properties."""
    text = _text(stream, name, format, largest)
    if format == "rdfxml":
        text = XML_DECLARATION.sub("", text)
        _check_entities(text, name)
    elif format == "jsonld":
        _check_contexts(text, name)
    parsed = _parsed(text, name, format)
    del text
    # What a property is must be known before it is used.
    yield from (triple for triple in parsed if triple.predicate == words.SUBPROPERTY)
    yield from parsed


def _text(stream: BinaryIO, name: str, format: str, largest: int) -> str:
    with read_errors(name):
        data = stream.read(largest + 1)
    if len(data) > largest:
        raise InputError(
            f"{name}: has more than {largest >> 20} MB, too much to hold as a graph; convert it to N-Triples, "
            "which is read line by line (for example: riot --output=nt)"
        )
    encoding: str | None = "utf-8"
    if format == "rdfxml":
        declared = XML_ENCODING.match(data[:1024].lstrip())
        encoding = declared[1].decode("ascii") if declared else None
    try:
        return "".join(decode_chunks(BytesIO(data), name, encoding))
    except ConfigError as exc:
        raise InputError(f"{name}: says that it has an encoding that is unknown; save the file as UTF-8") from exc


def _parsed(text: str, name: str, format: str) -> list[Triple]:
    try:
        with _silence_rdflib():
            return parse_triples(text, FORMATS[format], f"file:///{quote(PurePath(name).name)}")
    except Exception as exc:  # parsers raise whatever they stumble over
        line = _line(exc)
        where = name if line is None else f"{name}, line {line}"
        # Not chained: their messages quote the file.
        raise InputError(
            f"{where}: is no {format}, or is broken; check it with its own tool (riot --validate)"
        ) from None


def _line(exc: Exception) -> int | None:
    """Return the line that a parser names."""
    if isinstance(lines := getattr(exc, "lines", None), int):
        return lines + 1
    number = getattr(exc, "getLineNumber", lambda: None)()
    return number if isinstance(number, int) else None


@contextmanager
def _silence_rdflib() -> Iterator[None]:
    """Keep what rdflib logs to itself: it quotes what it finds odd."""
    refuse = logging.Filter()
    refuse.filter = lambda record: False  # type: ignore[method-assign]
    loggers = [logging.getLogger(name) for name in LOGGERS]
    for logger in loggers:
        logger.addFilter(refuse)
    try:
        yield
    finally:
        for logger in loggers:
            logger.removeFilter(refuse)


def _check_contexts(text: str, name: str) -> None:
    """Refuse JSON-LD that is made of more than one file: a context that is named would be fetched."""
    try:
        todo = [json.loads(text)]
    except json.JSONDecodeError as exc:
        raise InputError(f"{name}, line {exc.lineno}: is no JSON ({exc.msg})") from None
    except (RecursionError, ValueError):
        raise InputError(f"{name}: is JSON that is too deep or too large") from None
    while todo:
        value = todo.pop()
        if isinstance(value, list):
            todo += value
        elif isinstance(value, dict):
            context = value.get("@context")
            contexts = context if isinstance(context, list) else [context]
            if "@import" in value or any(isinstance(one, str) for one in contexts):
                raise InputError(
                    f"{name}: names a context that is elsewhere, and nothing is fetched; put the context itself "
                    "into the file, or convert it to N-Triples"
                )
            todo += value.values()


def _check_entities(text: str, name: str) -> None:
    """Refuse entities that come from elsewhere, or grow to more than a shortened IRI would."""
    values: dict[str, str] = {}

    def declare(entity: str, parameter: bool, value: str | None, *outside: str | None) -> None:
        if parameter or value is None:
            raise InputError(f"{name}: has entities that come from elsewhere; write out what they stand for")
        values.setdefault(entity, value)

    def end(*_: object) -> None:
        raise _StopParsing

    def begin(element: str, attributes: dict[str, str]) -> None:
        if element == f"{words.OWL} Ontology" and "ontologyIRI" in attributes:
            raise InputError(f"{name}: is OWL/XML; convert it to RDF/XML or Turtle (robot convert)")
        raise _StopParsing

    # Attributes are unfolded before an element is told of: the declarations are looked at first, by themselves.
    _prolog(text, name, EntityDeclHandler=declare, EndDoctypeDeclHandler=end, StartElementHandler=end)
    sizes = _entity_lengths(values) if len(values) <= MAX_ENTITIES else {"": MAX_ENTITY_LENGTH + 1}
    if values:
        whole = sum(sizes.get(found[1], 0) for found in ENTITY_REFERENCE.finditer(text))
        if max(sizes.values()) > MAX_ENTITY_LENGTH or whole > MAX_EXPANSION + 10 * len(text):
            raise InputError(f"{name}: has entities that grow beyond measure; write out what they stand for")
    _prolog(text, name, StartElementHandler=begin)


def _prolog(text: str, name: str, **handlers: Any) -> None:
    """Parse until a handler has enough."""
    parser = expat.ParserCreate("utf-8", namespace_separator=" ")
    for handler, function in handlers.items():
        setattr(parser, handler, function)
    try:
        parser.Parse(text.encode("utf-8"), True)
    except _StopParsing:
        return
    except expat.ExpatError as exc:
        raise InputError(f"{name}, line {exc.lineno}: is no XML ({expat.ErrorString(exc.code)})") from None


class _StopParsing(Exception):  # noqa: N818 (it ends a parser, and is no error)
    """What is asked of the beginning of a file is known."""


def _entity_lengths(values: dict[str, str]) -> dict[str, int]:
    """Return how long each entity is, with those in it; more than `ENTITY` is said to be so long."""
    sizes: dict[str, int] = {}
    for entity in values:
        # What is unfolded a level at a time has its size after so many levels, or is too long, or goes round.
        size, level = 0, {entity: 1}
        for _ in range(MAX_ENTITY_LENGTH):
            if not level or size > MAX_ENTITY_LENGTH:
                break
            size += sum(count * len(values[name]) for name, count in level.items())
            below: dict[str, int] = {}
            for name, count in level.items():
                for match in ENTITY_REFERENCE.finditer(values[name]):
                    if match[1] in values:
                        below[match[1]] = below.get(match[1], 0) + count
            level = below
        sizes[entity] = MAX_ENTITY_LENGTH + 1 if level else size
    return sizes


class TripleRecorder(Store):
    """Triples as they come; nothing can be looked up."""

    context_aware = True
    graph_aware = True
    formula_aware = False

    def __init__(self) -> None:
        super().__init__()
        self.recorded_triples: list[Triple] = []

    def add(self, triple: Any, context: Any = None, quoted: bool = False) -> None:
        """Note a triple."""
        subject, predicate, value = triple
        narrow = _node(subject)
        if isinstance(value, Literal):
            noted = Triple(narrow, str(predicate), str(value), value.language or "", str(value.datatype or ""))
        else:
            noted = Triple(narrow, str(predicate), _node(value))
        self.recorded_triples.append(noted)

    def triples(self, triple_pattern: Any, context: Any = None) -> Iterator[Any]:
        """Find nothing."""
        return iter(())

    def __len__(self, context: Any = None) -> int:
        return len(self.recorded_triples)

    def contexts(self, triple: Any = None) -> Generator[Graph, None, None]:
        """Return no graph: they are one."""
        yield from ()

    def namespaces(self) -> Iterator[Any]:
        """Return no prefix: all names are written out."""
        return iter(())

    def add_graph(self, graph: Graph) -> None:
        """Take a graph as part of the one."""


def _node(term: Any) -> str:
    return f"_:{term}" if isinstance(term, BNode) else str(term)


def parse_triples(text: str, format: str, base: str) -> list[Triple]:
    """Return the triples of a text, whatever graph they are in."""
    tape = TripleRecorder()
    with warnings.catch_warnings():
        # rdflib's parsers of TriG and JSON-LD use what rdflib says should not be used.
        warnings.simplefilter("ignore")
        Graph(store=tape, bind_namespaces="none").parse(data=text, format=format, publicID=base)
    return tape.recorded_triples
