"""N-Triples and N-Quads: strictly, line by line, in the memory of a line.

Of N-Quads the graph is read and left out. Blank nodes keep their `_:`, so that no IRI is taken for one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import BinaryIO, Final, NamedTuple

from embanon.errors import InputError
from embanon.io import Limits, decode_chunks

IRI: Final = r'<((?:[^\x00-\x20<>"{}|^`\\]++|\\u[0-9A-Fa-f]{4}|\\U[0-9A-Fa-f]{8})*+)>'
BLANK: Final = r"(_:[\w:](?:[\w.:·-]*[\w:·-])?)"
LITERAL: Final = (
    r'"((?:[^"\\\n\r]++|\\[tbnrf"\'\\]|\\u[0-9A-Fa-f]{4}|\\U[0-9A-Fa-f]{8})*+)"'
    rf"(?:@([A-Za-z]+(?:-[A-Za-z0-9]+)*(?:--[a-z]+)?)|\^\^{IRI})?"
)
TRIPLE: Final = re.compile(
    rf"[ \t]*(?:{IRI}|{BLANK})[ \t]*{IRI}[ \t]*(?:{IRI}|{BLANK}|{LITERAL})[ \t]*"
    r"(?P<graph>(?:<[^\x00-\x20<>]*>|_:[^\s<>]+?)[ \t]*)?\.[ \t]*(?:\#.*)?"
)
BLANK_LINE: Final = re.compile(r"[ \t]*(?:#.*)?")
ESCAPE: Final = re.compile(r"\\(?:u([0-9A-Fa-f]{4})|U([0-9A-Fa-f]{8})|(.))", re.DOTALL)
ESCAPES: Final = {"t": "\t", "b": "\b", "n": "\n", "r": "\r", "f": "\f", '"': '"', "'": "'", "\\": "\\"}
EXAMPLE: Final = '<…> <…> "…"@en .'


class Triple(NamedTuple):
    """What is said: `value` is a node, or a literal where `language` (or "") is no `None`."""

    subject: str
    predicate: str
    value: str
    language: str | None = None
    datatype: str = ""


def triples(stream: BinaryIO, name: str, limits: Limits, quads: bool = False) -> Iterator[Triple]:
    """Return the triples of all lines; the first line that is none is an error."""
    match = TRIPLE.fullmatch
    for number, line in lines(stream, name, limits):
        matched = match(line)
        if matched is None:
            if BLANK_LINE.fullmatch(line):
                continue
            raise _syntax_error(name, number)
        subject, blank, predicate, iri, node, text, language, datatype, graph = matched.groups()
        if graph and not quads:
            raise InputError(f"{name}, line {number}: has four parts; if it is N-Quads, name it .nq")
        if "\\" in line:
            try:
                subject, predicate, iri = (part and unescape(part) for part in (subject, predicate, iri))
                text, datatype = text and unescape(text), datatype and unescape(datatype)
            except ValueError as exc:  # \U00110000
                raise _syntax_error(name, number) from exc
        if text is None:
            yield Triple(subject or blank, predicate, iri if iri is not None else node)
        else:
            yield Triple(subject or blank, predicate, text, (language or "").lower(), datatype or "")


def lines(stream: BinaryIO, name: str, limits: Limits) -> Iterator[tuple[int, str]]:
    """Return the lines of a text with their numbers, without their ends."""
    number, rest = 1, ""
    for text in decode_chunks(stream, name, "utf-8"):
        rest += text
        *whole, rest = rest.split("\n")
        if len(rest) > limits.line:
            raise InputError(
                f"{name}, line {number + len(whole)}: has more than {limits.line >> 20} MB; is it N-Triples?"
            )
        for line in whole:
            yield number, line.removesuffix("\r")
            number += 1
    yield number, rest.removesuffix("\r")


def unescape(text: str) -> str:
    """Return the text of a literal or an IRI; an escape that is none raises `ValueError`."""
    return ESCAPE.sub(_unescape_match, text) if "\\" in text else text


def _unescape_match(match: re.Match[str]) -> str:
    if code := match[1] or match[2]:
        return chr(int(code, 16))
    if match[3] not in ESCAPES:
        raise ValueError
    return ESCAPES[match[3]]


def _syntax_error(name: str, number: int) -> InputError:
    return InputError(f"{name}, line {number}: is no N-Triples; a line looks like {EXAMPLE}")
