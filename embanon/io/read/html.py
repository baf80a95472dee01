"""HTML, well-formed or not: what a reader is told, and where it stands between the tags.

Text is read with its references (`&amp;`) as the signs that they mean; a block tag ends a paragraph, an inline one
ends nothing. Comments are text, and so is what attributes say, behind everything else. Scripts, styles and other
attributes are not read. What only looks like a tag is text: nothing is passed over that is not known.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import partial
from html import escape, unescape
from typing import BinaryIO, Final, NamedTuple
from urllib.parse import quote, unquote_to_bytes

from embanon.document import Document
from embanon.errors import ConfigError
from embanon.io.read.source_map import LINE, PARAGRAPH, SPACE, Laid, Laying, Place, Reading
from embanon.io.read.text import check_encoding, decoded, whole

INLINE: Final = frozenset(
    "a abbr acronym b bdi bdo big cite code data del dfn em font i ins kbd label mark meter output q ruby s samp small "
    "span strike strong time tspan tt u var wbr".split()
)
PARTING: Final = {"br": LINE, "sub": SPACE, "sup": SPACE, "img": SPACE, "rt": SPACE, "rp": SPACE, "input": SPACE}
"""Tags that part words, and no paragraphs."""
BLOCKS: Final = frozenset(
    "address applet area article aside audio base basefont blockquote body button canvas caption center circle col "
    "colgroup clippath datalist dd defs desc details dialog dir div dl dt ellipse embed fieldset figcaption figure "
    "filter footer form frame frameset g h1 h2 h3 h4 h5 h6 head header hgroup hr html iframe image legend li line "
    "lineargradient link main map mask math menu menuitem meta metadata mfrac mi mn mo mrow msub msup mtext nav "
    "noframes noscript object ol optgroup option p param path pattern picture polygon polyline pre progress "
    "radialgradient rect script search section select slot source stop style summary svg symbol table tbody td "
    "template text textarea tfoot th thead title tr track ul use video".split()
)
RAW: Final = frozenset(("script", "style"))
TEXTS: Final = frozenset(
    "abbr alt aria-description aria-label aria-roledescription aria-valuetext content datetime download label "
    "placeholder srcdoc standby summary title value".split()
)
"""Attributes that hold text."""
ADDRESSES: Final = frozenset("action background cite data formaction href longdesc ping poster src srcset".split())
"""Attributes that hold addresses."""
OF_THE_PAGE: Final = frozenset(("base", "link", "script", "source", "use"))
"""Tags whose addresses say how a page looks."""
SWITCHES: Final = frozenset(
    "allowfullscreen async autofocus autoplay checked controls default defer disabled formnovalidate hidden inert "
    "ismap itemscope loop multiple muted nomodule novalidate nowrap open playsinline readonly required reversed "
    "selected".split()
)
"""Attributes without a value."""

SETTINGS: Final = frozenset("color-scheme format-detection generator referrer robots theme-color viewport".split())
"""Names of a `meta` that tells browsers what to do."""

MARKUP: Final = re.compile(
    r"<!--\s*+-->|<!--|-->|<!\[CDATA\[|\]\]>|<(?:(/?)([A-Za-z][\w-]*+(?::[A-Za-z][\w-]*+)?)(?=[\s/>])|[!?][^>]{0,1000}+>)|&[#\w]|[\u00ad\u2060]"
)
EMPTY: Final = re.compile(r"<!--\s*-->")
"""A comment that says nothing, as frameworks put them between words."""
ATTRIBUTE: Final = re.compile(
    r"""[\s/]*+(?:(>)|([^\s/>="'<]++)(?:\s*+=\s*+(?:"([^"]*+)"|'([^']*+)'|([^\s>"'][^\s>]*+)))?+(?![="']))"""
)
REFERENCE: Final = re.compile(
    r"&(?:#0*+[0-9]{0,7}(?<=[0-9])(?![0-9]);?|#[xX]0*+[0-9a-fA-F]{0,6}(?<=[0-9a-fA-F])(?![0-9a-fA-F]);?|[A-Za-z][A-Za-z0-9]{0,31};?)"
)
CODED: Final = re.compile(rf"{REFERENCE.pattern}|(?:%[0-9A-Fa-f]{{2}})+")
SCHEME: Final = re.compile(r"\s*(?:mailto|tel|sms|callto):", re.IGNORECASE)
OF_ITSELF: Final = re.compile(r"\s*(?:#|data:|javascript:|about:|$)", re.IGNORECASE)
"""How an address begins that says nothing, or is no text."""
PACKED: Final = re.compile(r"\s*data:(?:image/(?!svg)|audio/|video/|font/)[^,]{0,200};base64,", re.IGNORECASE)
CHARSET: Final = re.compile(rb"<meta[^>]{1,200}?charset\s*=\s*[\"']?\s*([\w.:-]{2,40})", re.IGNORECASE)
AS_BROWSERS_DO: Final = {"iso8859-1": "cp1252", "ascii": "cp1252"}
HEAD: Final = 4096
BROKEN: Final = 20
"""Tags without an end from which all that follows is taken for text: to look for more of them would take long."""

NODE, VALUE, BARE, ADDRESS = range(4)


def _bare(text: str) -> str:
    """Write an attribute without quotes."""
    return re.sub(r"[\s=`]", lambda found: f"&#{ord(found[0])};", escape(text))


def address(text: str) -> str:
    """Write a part of an address."""
    return quote(text, safe="/:@!$*,;")


ESCAPES: Final = (partial(escape, quote=False), escape, _bare, address)


class Tag(NamedTuple):
    """A tag, where it ends, and where its attributes have which values."""

    name: str
    end: int
    attributes: tuple[tuple[str, Place, int], ...]
    """Name, place of the value (of the name where there is none), notation (-1 where there is no value)."""


def documents(stream: BinaryIO, name: str, reading: Reading) -> Iterator[Laid]:
    """Give the one document of a page; its id is the name of the file."""
    for page in sources(stream, name, reading):
        laying = Laying(page.raw, ESCAPES)
        Scan(laying).read(0, len(page.raw))
        yield laying.laid(name, page.codec, page.mark)


def sources(stream: BinaryIO, name: str, reading: Reading) -> Iterator[Laid]:
    """Give a page as it is written."""
    data = whole(stream, name, reading.encoding, reading.limits, marked=True)
    raw, codec, mark = decoded(data, name, reading.encoding or said_encoding(data))
    yield Laid(Document(name, raw), raw, codec=codec, mark=mark)


def said_encoding(data: bytes) -> str | None:
    """Give the encoding that a page says it has; what nobody knows is none."""
    found = CHARSET.search(data, 0, HEAD)
    if not found:
        return None
    try:
        codec = check_encoding(found[1].decode("ascii", "replace"))
    except ConfigError:
        return None
    return None if codec.startswith("utf-16") else AS_BROWSERS_DO.get(codec, codec)


class Scan:
    """Reads HTML in a part of a source; `first` is the number of the first of its notations."""

    def __init__(self, laying: Laying, first: int = 0) -> None:
        self.laying, self.raw, self.first = laying, laying.raw, first
        self._broken = 0

    def read(self, start: int, end: int) -> None:
        """Lay out the text between the tags."""
        last = start
        while found := MARKUP.search(self.raw, last, end):
            place = found.start()
            self.laying.text(last, place, self.first + NODE)
            last = self._markup(found, end)
            if last == place:  # it only looks like markup
                last = place + 1
                self.laying.text(place, last, self.first + NODE)
        self.laying.text(last, end, self.first + NODE)

    def markup(self, place: int, end: int) -> int:
        """Read what may be a tag, and give where it ends; where it is none, where it begins."""
        found = MARKUP.match(self.raw, place, end)
        return self._markup(found, end) if found else place

    def _markup(self, found: re.Match[str], end: int) -> int:
        """Read what looks like markup, and give where it ends; where it is none, where it begins."""
        place, written = found.start(), found[0]
        if written[0] == "&":
            return self._reference(place, end)
        if found[2]:
            tag = self.tag(place, end)
            if tag is None:
                return place
            return self._after(tag, end) if not found[1] else tag.end
        if len(written) > 1 and not EMPTY.fullmatch(written):
            self.laying.gap(PARAGRAPH)
            if written not in ("<!--", "-->", "<![CDATA[", "]]>"):
                self.laying.unread.append(found.span())
        return found.end()

    def _reference(self, place: int, end: int) -> int:
        found = REFERENCE.match(self.raw, place, end)
        shown = unescape(found[0]) if found else ""
        if not found or shown == found[0]:
            return place
        self.laying.sign(place, found.end(), shown.strip("\u00ad\u2060"), self.first + NODE)
        return found.end()

    def tag(self, place: int, end: int) -> Tag | None:
        """Read a tag with its attributes; `None` where it is none that is known."""
        found = MARKUP.match(self.raw, place, end)
        name = found[2].lower() if found and found[2] else ""
        if not found or not (name in INLINE or name in PARTING or name in BLOCKS or "-" in name or ":" in name):
            return None
        if self._broken > BROKEN:
            return None
        if not (name in INLINE or name in PARTING or name in BLOCKS):
            self.laying.unread.append(found.span(2))
        attributes, last = list[tuple[str, Place, int]](), found.end()
        while one := ATTRIBUTE.match(self.raw, last, end):
            last = one.end()
            if one[1]:
                self._take(name, attributes)
                return Tag(name, last, tuple(attributes))
            value = next((number for number in (3, 4, 5) if one.start(number) >= 0), 0)
            attributes.append((one[2].lower(), one.span(value or 2), (-1, VALUE, VALUE, BARE)[max(0, value - 2)]))
        self._broken += 1
        return None

    def _take(self, name: str, attributes: list[tuple[str, Place, int]]) -> None:
        """Part what the tag parts, and put aside what its attributes say."""
        self.laying.gap("" if name in INLINE else PARTING.get(name, PARAGRAPH))
        for_machines = name == "meta" and self._is_for_machines(attributes)
        for key, place, notation in attributes:
            if notation < 0:
                if key not in SWITCHES:
                    self.laying.unread.append(place)
            elif key in TEXTS and not for_machines:
                self.laying.aside(self.value, *place, self.first + notation)
            elif key in ADDRESSES or key.endswith(":href"):
                if name in OF_THE_PAGE or OF_ITSELF.match(self.raw, *place):
                    if not PACKED.match(self.raw, *place):  # whose letters are those of chance
                        self.laying.unread.append(place)
                else:
                    self.laying.aside(self.address, *place, self.first + ADDRESS)
            elif place[0] < place[1]:
                self.laying.unread.append(place)

    def _is_for_machines(self, attributes: Sequence[tuple[str, Place, int]]) -> bool:
        said = {key: self.raw[slice(*place)].lower() for key, place, _ in attributes}
        return "http-equiv" in said or said.get("name") in SETTINGS

    def _after(self, tag: Tag, end: int) -> int:
        """Pass over a script or a style that ends; give where text goes on."""
        if tag.name not in RAW or self.raw[tag.end - 2] == "/":
            return tag.end
        close = re.compile(rf"</{tag.name}(?=[\s/>])", re.IGNORECASE).search(self.raw, tag.end, end)
        if not close:  # what has no end is read, as nobody knows where it would
            return tag.end
        self.laying.unread.append((tag.end, close.start()))
        return close.start()

    def value(self, start: int, end: int, notation: int) -> None:
        """Lay out what an attribute says."""
        self._coded(REFERENCE, start, end, notation)

    def address(self, start: int, end: int, notation: int) -> None:
        """Lay out an address, without what says how it is called."""
        scheme = SCHEME.match(self.raw, start, end)
        self._coded(CODED, scheme.end() if scheme else start, end, notation)

    def _coded(self, codes: re.Pattern[str], start: int, end: int, notation: int) -> None:
        last = start
        for found in codes.finditer(self.raw, start, end):
            shown = percented(found[0]) if found[0][0] == "%" else unescape(found[0])
            if shown != found[0]:
                self.laying.text(last, found.start(), notation)
                self.laying.sign(*found.span(), shown, notation)
                last = found.end()
        self.laying.text(last, end, notation)


def percented(written: str) -> str:
    """Give the signs that an address writes as numbers; what is no UTF-8 stays as it is."""
    try:
        return unquote_to_bytes(written).decode("utf-8")
    except UnicodeDecodeError:
        return written
