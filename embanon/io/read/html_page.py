"""HTML, well-formed or not: the text that readers see, and where it stands between the tags.

References (`&amp;`) are read as the characters they stand for; a block tag ends a paragraph, an inline tag
ends nothing. Comments are text, and so are attributes with text, after everything else. Scripts, styles and other
attributes are not read. What only looks like a tag is text: nothing unknown is skipped.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import partial
from html import escape, unescape
from typing import BinaryIO, Final, NamedTuple
from urllib.parse import quote, unquote_to_bytes

from embanon.data import read_toml
from embanon.document import Document
from embanon.errors import ConfigError
from embanon.io.read.source_map import LINE, PARAGRAPH, SPACE, Offsets, ReadOptions, SourceDocument, SourceMapBuilder
from embanon.io.read.text import check_encoding, decode_with_codec, read_bytes

_WORDS: Final = {
    name: frozenset(words.split()) for name, words in read_toml("ontologies", "sources", "html.toml").items()
}
"""The tags and attributes of each kind."""
INLINE, BLOCKS, RESOURCE_TAGS = _WORDS["inline"], _WORDS["blocks"], _WORDS["resource_tags"]
TEXT_ATTRIBUTES, URL_ATTRIBUTES = _WORDS["text_attributes"], _WORDS["url_attributes"]
BOOLEAN_ATTRIBUTES, BROWSER_META_NAMES = _WORDS["boolean_attributes"], _WORDS["browser_meta_names"]
SEPARATOR_TAGS: Final = {"br": LINE, "sub": SPACE, "sup": SPACE, "img": SPACE, "rt": SPACE, "rp": SPACE, "input": SPACE}
"""Tags that separate words, but not paragraphs."""
RAW: Final = frozenset(("script", "style"))

MARKUP: Final = re.compile(
    r"<!--\s*+-->|<!--|-->|<!\[CDATA\[|\]\]>|<(?:(/?)([A-Za-z][\w-]*+(?::[A-Za-z][\w-]*+)?)(?=[\s/>])|[!?][^>]{0,1000}+>)|&[#\w]|[\u00ad\u2060]"
)
EMPTY: Final = re.compile(r"<!--\s*-->")
"""An empty comment, as frameworks put between words."""
ATTRIBUTE: Final = re.compile(
    r"""[\s/]*+(?:(>)|([^\s/>="'<]++)(?:\s*+=\s*+(?:"([^"]*+)"|'([^']*+)'|([^\s>"'][^\s>]*+)))?+(?![="']))"""
)
REFERENCE: Final = re.compile(
    r"&(?:#0*+[0-9]{0,7}(?<=[0-9])(?![0-9]);?|#[xX]0*+[0-9a-fA-F]{0,6}(?<=[0-9a-fA-F])(?![0-9a-fA-F]);?|[A-Za-z][A-Za-z0-9]{0,31};?)"
)
REFERENCE_OR_PERCENT: Final = re.compile(rf"{REFERENCE.pattern}|(?:%[0-9A-Fa-f]{{2}})+")
CONTACT_SCHEME: Final = re.compile(r"\s*(?:mailto|tel|sms|callto):", re.IGNORECASE)
TEXTLESS_URL: Final = re.compile(r"\s*(?:#|data:|javascript:|about:|$)", re.IGNORECASE)
"""The beginning of an address that holds no text."""
BINARY_DATA_URL: Final = re.compile(r"\s*data:(?:image/(?!svg)|audio/|video/|font/)[^,]{0,200};base64,", re.IGNORECASE)
CHARSET: Final = re.compile(rb"<meta[^>]{1,200}?charset\s*=\s*[\"']?\s*([\w.:-]{2,40})", re.IGNORECASE)
BROWSER_CODECS: Final = {"iso8859-1": "cp1252", "ascii": "cp1252"}
CHARSET_SEARCH_BYTES: Final = 4096
MAX_BROKEN_TAGS: Final = 20
"""Tags without an end from which all that follows is taken for text: to look for more of them would take long."""

NODE, VALUE, BARE, ADDRESS = range(4)


def _escape_unquoted(text: str) -> str:
    """Escape the value of an unquoted attribute."""
    return re.sub(r"[\s=`]", lambda match: f"&#{ord(match[0])};", escape(text))


def escape_url(text: str) -> str:
    """Escape a part of an address."""
    return quote(text, safe="/:@!$*,;")


ESCAPES: Final = (partial(escape, quote=False), escape, _escape_unquoted, escape_url)


class Tag(NamedTuple):
    """A tag, where it ends, and its attributes."""

    name: str
    end: int
    attributes: tuple[tuple[str, Offsets, int], ...]
    """Name, place of the value (of the name where there is none), notation (-1 where there is no value)."""


def documents(stream: BinaryIO, name: str, reading: ReadOptions) -> Iterator[SourceDocument]:
    """Yield the one document of a page; its id is the name of the file."""
    for page in sources(stream, name, reading):
        laying = SourceMapBuilder(page.raw, ESCAPES)
        HtmlScanner(laying).read(0, len(page.raw))
        yield laying.build(name, page.codec, page.byte_order_mark)


def sources(stream: BinaryIO, name: str, reading: ReadOptions) -> Iterator[SourceDocument]:
    """Yield the source of a page."""
    data = read_bytes(stream, name, reading.encoding, reading.limits, marked=True)
    raw, codec, mark = decode_with_codec(data, name, reading.encoding or declared_encoding(data))
    yield SourceDocument(Document(name, raw), raw, codec=codec, byte_order_mark=mark)


def declared_encoding(data: bytes) -> str | None:
    """Return the encoding that a page declares, or `None` if it is unknown."""
    match = CHARSET.search(data, 0, CHARSET_SEARCH_BYTES)
    if not match:
        return None
    try:
        codec = check_encoding(match[1].decode("ascii", "replace"))
    except ConfigError:
        return None
    return None if codec.startswith("utf-16") else BROWSER_CODECS.get(codec, codec)


class HtmlScanner:
    """A reader of HTML in a part of a source; `first` is the number of the first of its notations."""

    def __init__(self, laying: SourceMapBuilder, first: int = 0) -> None:
        self.builder, self.raw, self.first_notation = laying, laying.raw, first
        self._broken = 0

    def read(self, start: int, end: int) -> None:
        """Map the text between the tags."""
        last = start
        while match := MARKUP.search(self.raw, last, end):
            place = match.start()
            self.builder.add_text(last, place, self.first_notation + NODE)
            last = self._markup(match, end)
            if last == place:  # it only looks like markup
                last = place + 1
                self.builder.add_text(place, last, self.first_notation + NODE)
        self.builder.add_text(last, end, self.first_notation + NODE)

    def markup(self, place: int, end: int) -> int:
        """Read a possible tag, and return where it ends; if it is not a tag, where it begins."""
        match = MARKUP.match(self.raw, place, end)
        return self._markup(match, end) if match else place

    def _markup(self, match: re.Match[str], end: int) -> int:
        """Read possible markup, and return where it ends; if it is not markup, where it begins."""
        place, written = match.start(), match[0]
        if written[0] == "&":
            return self._reference(place, end)
        if match[2]:
            tag = self.tag(place, end)
            if tag is None:
                return place
            return self._skip_raw_text(tag, end) if not match[1] else tag.end
        if len(written) > 1 and not EMPTY.fullmatch(written):
            self.builder.add_gap(PARAGRAPH)
            if written not in ("<!--", "-->", "<![CDATA[", "]]>"):
                self.builder.unread_spans.append(match.span())
        return match.end()

    def _reference(self, place: int, end: int) -> int:
        match = REFERENCE.match(self.raw, place, end)
        shown = unescape(match[0]) if match else ""
        if not match or shown == match[0]:
            return place
        self.builder.add_decoded(place, match.end(), shown.strip("\u00ad\u2060"), self.first_notation + NODE)
        return match.end()

    def tag(self, place: int, end: int) -> Tag | None:
        """Read a tag with its attributes; return `None` if it is not a known tag."""
        match = MARKUP.match(self.raw, place, end)
        name = match[2].lower() if match and match[2] else ""
        if not match or not (name in INLINE or name in SEPARATOR_TAGS or name in BLOCKS or "-" in name or ":" in name):
            return None
        if self._broken > MAX_BROKEN_TAGS:
            return None
        if not (name in INLINE or name in SEPARATOR_TAGS or name in BLOCKS):
            self.builder.unread_spans.append(match.span(2))
        attributes, last = list[tuple[str, Offsets, int]](), match.end()
        while entry := ATTRIBUTE.match(self.raw, last, end):
            last = entry.end()
            if entry[1]:
                self._map_attributes(name, attributes)
                return Tag(name, last, tuple(attributes))
            value = next((number for number in (3, 4, 5) if entry.start(number) >= 0), 0)
            attributes.append((entry[2].lower(), entry.span(value or 2), (-1, VALUE, VALUE, BARE)[max(0, value - 2)]))
        self._broken += 1
        return None

    def _map_attributes(self, name: str, attributes: list[tuple[str, Offsets, int]]) -> None:
        """Add the gap that the tag makes, and defer the text of its attributes."""
        self.builder.add_gap("" if name in INLINE else SEPARATOR_TAGS.get(name, PARAGRAPH))
        for_machines = name == "meta" and self._is_for_machines(attributes)
        for key, place, notation in attributes:
            if notation < 0:
                if key not in BOOLEAN_ATTRIBUTES:
                    self.builder.unread_spans.append(place)
            elif key in TEXT_ATTRIBUTES and not for_machines:
                self.builder.defer(self.map_attribute, *place, self.first_notation + notation)
            elif key in URL_ATTRIBUTES or key.endswith(":href"):
                if name in RESOURCE_TAGS or TEXTLESS_URL.match(self.raw, *place):
                    if not BINARY_DATA_URL.match(self.raw, *place):  # whose letters are those of chance
                        self.builder.unread_spans.append(place)
                else:
                    self.builder.defer(self.map_url, *place, self.first_notation + ADDRESS)
            elif place[0] < place[1]:
                self.builder.unread_spans.append(place)

    def _is_for_machines(self, attributes: Sequence[tuple[str, Offsets, int]]) -> bool:
        values = {key: self.raw[slice(*place)].lower() for key, place, _ in attributes}
        return "http-equiv" in values or values.get("name") in BROWSER_META_NAMES

    def _skip_raw_text(self, tag: Tag, end: int) -> int:
        """Skip a script or a style that ends; return where text goes on."""
        if tag.name not in RAW or self.raw[tag.end - 2] == "/":
            return tag.end
        close = re.compile(rf"</{tag.name}(?=[\s/>])", re.IGNORECASE).search(self.raw, tag.end, end)
        if not close:  # what has no end is read, as nobody knows where it would
            return tag.end
        self.builder.unread_spans.append((tag.end, close.start()))
        return close.start()

    def map_attribute(self, start: int, end: int, notation: int) -> None:
        """Map the text of an attribute."""
        self._map_decoded(REFERENCE, start, end, notation)

    def map_url(self, start: int, end: int, notation: int) -> None:
        """Map an address without its scheme."""
        scheme = CONTACT_SCHEME.match(self.raw, start, end)
        self._map_decoded(REFERENCE_OR_PERCENT, scheme.end() if scheme else start, end, notation)

    def _map_decoded(self, codes: re.Pattern[str], start: int, end: int, notation: int) -> None:
        last = start
        for code in codes.finditer(self.raw, start, end):
            shown = decode_percent(code[0]) if code[0][0] == "%" else unescape(code[0])
            if shown != code[0]:
                self.builder.add_text(last, code.start(), notation)
                self.builder.add_decoded(*code.span(), shown, notation)
                last = code.end()
        self.builder.add_text(last, end, notation)


def decode_percent(written: str) -> str:
    """Decode percent signs in an address; what is not UTF-8 stays as it is."""
    try:
        return unquote_to_bytes(written).decode("utf-8")
    except UnicodeDecodeError:
        return written
