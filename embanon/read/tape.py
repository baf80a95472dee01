"""A store for rdflib's parsers that only notes what they give, in the order of the file.

Its own stores give triples in the order of hashes, so that labels would stand in another order each time, and they
index what is read once.
"""

from __future__ import annotations

import warnings
from collections.abc import Generator, Iterator
from typing import Any

from rdflib import BNode, Graph, Literal
from rdflib.store import Store

from embanon.read.ntriples import Triple


class Tape(Store):
    """Triples as they come; nothing can be looked up."""

    context_aware = True
    graph_aware = True
    formula_aware = False

    def __init__(self) -> None:
        super().__init__()
        self.triples_noted: list[Triple] = []

    def add(self, triple: Any, context: Any = None, quoted: bool = False) -> None:
        """Note a triple."""
        subject, predicate, value = triple
        narrow = _node(subject)
        if isinstance(value, Literal):
            noted = Triple(narrow, str(predicate), str(value), value.language or "", str(value.datatype or ""))
        else:
            noted = Triple(narrow, str(predicate), _node(value))
        self.triples_noted.append(noted)

    def triples(self, triple_pattern: Any, context: Any = None) -> Iterator[Any]:
        """Find nothing."""
        return iter(())

    def __len__(self, context: Any = None) -> int:
        return len(self.triples_noted)

    def contexts(self, triple: Any = None) -> Generator[Graph, None, None]:
        """Give no graph: they are one."""
        yield from ()

    def namespaces(self) -> Iterator[Any]:
        """Give no prefix: all names are written out."""
        return iter(())

    def add_graph(self, graph: Graph) -> None:
        """Take a graph as part of the one."""


def _node(term: Any) -> str:
    return f"_:{term}" if isinstance(term, BNode) else str(term)


def parsed(text: str, format: str, base: str) -> list[Triple]:
    """Give the triples of a text, whatever graph they are in."""
    tape = Tape()
    with warnings.catch_warnings():
        # rdflib's parsers of TriG and JSON-LD use what rdflib says should not be used.
        warnings.simplefilter("ignore")
        Graph(store=tape, bind_namespaces="none").parse(data=text, format=format, publicID=base)
    return tape.triples_noted
