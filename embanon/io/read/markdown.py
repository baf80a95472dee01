"""Markdown: the text that readers see, without its formatting.

A heading, a list item and a table cell are paragraphs; emphasis leaves no gap. Code and front matter are
text. Addresses and titles of links are text, after everything else. HTML inside is read as HTML.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import unescape
from typing import BinaryIO, Final

from embanon.io.read.html_page import ESCAPES as HTML_ESCAPES, REFERENCE, HtmlScanner, escape_url
from embanon.io.read.source_map import PARAGRAPH, ReadOptions, SourceDocument, SourceMapBuilder, unescaped
from embanon.io.read.text import sources

FRONT_MATTER: Final = re.compile(r"(?:---|\+\+\+)[ \t]*\r?\n(?:.*\n){0,1000}?(?:---|\+\+\+|\.\.\.)[ \t]*(?:\r?\n|\Z)")
FENCE: Final = re.compile(r"^[ ]{0,3}((`|~)\2{2,})[ \t]*([^`\n]*)$", re.MULTILINE)
TOKEN: Final = re.compile(
    r"""
      (?P<line>^[ \t]*(?:>[ \t]?)*(?:
          (?P<rule>(?:\|?[ \t]*:?-{2,}:?[ \t]*)(?:\|[ \t]*:?-*:?[ \t]*)*\r?$|=+[ \t\r]*$|(?:[*_-][ \t]*){3,}\r?$)
        | (?P<define>\[(?!\^)(?P<defining>[^\]\n]{1,999})\]:[ \t]*)(?P<defined>\S+)
        | (?P<item>(?:[-*+]|\d{1,9}[.)]|\[\^(?P<noting>[^\]\n]{1,99})\]:)[ \t]+(?:\[[ xX]\][ \t]+)?)?
            (?P<heading>\#{1,6}[ \t]+)
        | (?P<plain_item>(?:[-*+]|\d{1,9}[.)]|\[\^(?P<noted>[^\]\n]{1,99})\]:)[ \t]+(?:\[[ xX]\][ \t]+)?)
      ))
    | (?P<quoted>^[ \t]*(?:>[ \t]?)+)
    | (?P<newline>\n)
    | (?P<escape>\\[!-/:-@\[-`{-~])
    | (?P<code>(?P<ticks>`++)(?P<inside>[^`\n](?:[^`\n]|(?!(?P=ticks))`){0,999})(?P=ticks)(?!`))
    | <(?P<auto>(?:[A-Za-z][A-Za-z0-9+.-]{1,31}:|[^\s<>@]{1,99}@)[^\s<>]{1,2000})>
    | (?P<html><|-->)
    | (?P<link>\]\([ \t]*(?:<(?P<inclosed>[^<>\n]{0,2000})>|(?P<url>(?:[^\s()\\]|\\.|\([^\s()]{0,999}\)){0,2000}))
        (?:\s+(?P<title>"(?:[^"\\\n]|\\.){0,999}"|'(?:[^'\\\n]|\\.){0,999}'|\([^()\n]{0,999}\)))?[ \t]*\))
    | (?P<labelled>\]\[(?P<label>[^\]\[\n]{0,999})\])
    | (?P<open>!?\[)
    | (?P<close>\])
    | (?P<stars>(?<=\S)(?:\*+|~~+)|(?:\*+|~~+)(?=\S)|(?<!\w)_+|_+(?!\w))
    | (?P<reference>&[#\w])
    | (?P<cell>\|)
    | (?P<soft>[\u00ad\u2060])
    """,
    re.VERBOSE | re.MULTILINE,
)
MAX_OPEN_BRACKETS: Final = 1000
"""Brackets that may be open."""

MARKED, ADDRESS, CODE, HTML = range(4)


def escape_markdown(text: str) -> str:
    """Escape a text so that none of it is formatting."""
    return re.sub(r"[\\`*_<|]", lambda match: f"\\{match[0]}", text)


ESCAPES: Final = (escape_markdown, escape_url, unescaped, *HTML_ESCAPES)


def documents(stream: BinaryIO, name: str, reading: ReadOptions) -> Iterator[SourceDocument]:
    """Yield the one document of a file; its id is its name."""
    for file in sources(stream, name, reading, marked=True):
        laying = SourceMapBuilder(file.raw, ESCAPES)
        _map_document(laying, file.raw)
        yield laying.build(name, file.codec, file.byte_order_mark)


def _map_document(laying: SourceMapBuilder, raw: str) -> None:
    start = 0
    if front := FRONT_MATTER.match(raw):
        start = front.end()
        for line in re.finditer(r"[^\n]+", front[0]):
            laying.add_text(*line.span(), CODE)
            laying.add_gap(PARAGRAPH)
    for kind, first, last in split_fences(raw, start):
        if kind == CODE:
            laying.add_gap(PARAGRAPH)
            laying.add_text(first, last, CODE)
            laying.add_gap(PARAGRAPH)
        elif kind == MARKED:
            _Inline(laying).read(first, last)
        else:
            laying.unread_spans.append((first, last))


def split_fences(raw: str, start: int) -> Iterator[tuple[int, int, int]]:
    """Split a text at its fences into Markdown, code, and (-1) the info strings of fences."""
    last = start
    while fence := FENCE.search(raw, last):
        yield MARKED, last, fence.start()
        yield -1, *fence.span(3)
        close = re.compile(rf"^[ ]{{0,3}}{re.escape(fence[2])}{{{len(fence[1])},}}[ \t\r]*$", re.MULTILINE)
        end = close.search(raw, fence.end())
        yield CODE, fence.end(), end.start() if end else len(raw)
        last = end.end() if end else len(raw)
    yield MARKED, last, len(raw)


class _Inline:
    """A reader of Markdown in a part of a source."""

    def __init__(self, laying: SourceMapBuilder) -> None:
        self.builder, self.raw = laying, laying.raw
        self.scan = HtmlScanner(laying, HTML)
        self._heading = False

    def read(self, start: int, end: int) -> None:
        """Map the text between the markup."""
        links, last = self._links(start, end), start
        while token := TOKEN.search(self.raw, last, end):
            place = token.start()
            self.builder.add_text(last, place)
            last = self._token(token, links, end)
            if last <= place:
                last = place + 1
                self.builder.add_text(place, last)
        self.builder.add_text(last, end)

    def _links(self, start: int, end: int) -> frozenset[int]:
        """Return the offsets of brackets that belong to links."""
        opened, places = list[int](), list[int]()
        for token in TOKEN.finditer(self.raw, start, end):
            if token["open"] and len(opened) < MAX_OPEN_BRACKETS:
                opened.append(token.start())
            elif (token["link"] or token["labelled"]) and opened:
                places.append(opened.pop())
                places.append(token.start())
            elif token["close"] and opened:
                opened.pop()
        return frozenset(places)

    def _token(self, token: re.Match[str], links: frozenset[int], end: int) -> int:
        """Read a token, and return where it ends; if it is text, where it begins."""
        laying, place = self.builder, token.start()
        match token.lastgroup:
            case "line":
                return self._line(token)
            case "escape":
                laying.add_decoded(place, token.end(), token[0][1:])
            case "code":
                laying.add_text(*token.span("inside"), CODE)
            case "html":
                return self.scan.markup(place, end)
            case "link" | "labelled" | "open":
                if place not in links:
                    return place
                self._read_link(token)
            case "close":
                return place
            case "newline":
                laying.add_text(*token.span())
                laying.add_gap(PARAGRAPH if self._heading else "")
                self._heading = False
            case "reference":
                reference = REFERENCE.match(self.raw, place, end)
                shown = unescape(reference[0]) if reference else ""
                if not reference or shown == reference[0]:
                    return place
                laying.add_decoded(place, reference.end(), shown.strip("\u00ad\u2060"))
                return reference.end()
            case "cell":
                laying.add_gap(PARAGRAPH)
            case "auto":
                laying.add_text(*token.span("auto"), CODE)
        return token.end()

    def _line(self, token: re.Match[str]) -> int:
        """Read the markup at the beginning of a line."""
        self.builder.add_gap(PARAGRAPH)
        self._heading = token["heading"] is not None  # which ends with its line
        for name in ("noting", "noted"):
            if token[name] and not token[name].isdecimal():
                self.builder.add_text(*token.span(name), CODE)
                self.builder.add_gap(PARAGRAPH)
        if token["define"]:
            self.builder.add_text(*token.span("defining"), CODE)
            self.builder.add_gap(PARAGRAPH)
            self.builder.defer(self.scan.map_url, *token.span("defined"), ADDRESS)
        return token.end()

    def _read_link(self, token: re.Match[str]) -> None:
        for name in ("inclosed", "url"):
            if token[name]:
                self.builder.defer(self.scan.map_url, *token.span(name), ADDRESS)
        if token["title"]:
            self.builder.defer(self.builder.add_text, token.start("title") + 1, token.end("title") - 1, MARKED)
        if token["label"]:
            self.builder.defer(self.builder.add_text, *token.span("label"), MARKED)
