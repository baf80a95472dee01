"""Formats: what readers see of a file, where it stands in the source, and that what marks it up stays as it was."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import example, given, settings, strategies as st

from embanon.anonymizer import Anonymizer
from embanon.config.settings import AnonymizeSettings, Config
from embanon.entities.protected import ProtectedEntities, ProtectionRules, parse_entities
from embanon.errors import EmbanonError, InputError
from embanon.io.read import FORMATS, read_documents, read_sources
from embanon.io.read.corpus import Corpus
from embanon.io.read.html_page import MARKUP
from embanon.io.read.source_map import ReadOptions, SourceDocument, TextColumns, make_encodable
from embanon.replace.edit import Edit
from embanon.replace.rewrite import map_to_source, restore, rewrite

ADA = ProtectionRules(ProtectedEntities(tuple(parse_entities(["Ada Berger"], ""))))
ENGLISH = Anonymizer(Config(language="en"))
TAGS = Anonymizer(Config(language="en", anonymize=AnonymizeSettings(method="tag")))


def parsed(
    data: str | bytes, format: str, columns: TextColumns | None = None, source: bool = False
) -> list[SourceDocument]:
    stream = io.BytesIO(data.encode() if isinstance(data, str) else data)
    return list(FORMATS[format].reader(source)(stream, "x", ReadOptions(columns=columns or TextColumns())))


def shown(data: str | bytes, format: str) -> list[str]:
    """Return the paragraphs that a reader sees."""
    [one] = parsed(data, format)
    return [" ".join(part.split(" ")).strip() for part in one.document.text.split("\n") if part.strip()]


# name: HTML, its paragraphs
PAGES: dict[str, tuple[str, list[str]]] = {
    "plain": ("Ada Berger", ["Ada Berger"]),
    "inline": ("<b>Ada</b> Berger", ["Ada Berger"]),
    "inside a word": ("Ber<i>ger</i>", ["Berger"]),
    "blocks": ("<p>Ada</p><p>Berger", ["Ada", "Berger"]),
    "cells": ("<td>Ada</td><td>Berger</td>", ["Ada", "Berger"]),
    "line break": ("Ada<br>Berger<br/>x", ["Ada", "Berger", "x"]),
    "note": ("Berger<sup>1</sup>", ["Berger 1"]),
    "references": ("a &amp; b &#39;c&#x27; &eacute;&nbsp;&copy x&y &unknown; &", ["a & b 'c' é\xa0© x&y &unknown; &"]),
    "long references": ("B&#0000000000101;r&#x000000000067;er", ["Berger"]),
    "soft hyphen": ("Ber&shy;ger Ber\u00adger", ["Berger Berger"]),
    "script": ("a<script>if (a<b) {'</p>'}</script >b<STYLE>c</STYLE>", ["a", "b"]),
    "script without end": ("a<script>Ada", ["a", "Ada"]),
    "script that ends itself": ('a<script src="x"/>Ada', ["a", "Ada"]),
    "comment": ("a<!-- Ada <b>B</b>erger -->b", ["a", "Ada Berger", "b"]),
    "empty comment": ("Ber<!-- -->ger<!----> x", ["Berger x"]),
    "comment without end": ("a<!-- Ada", ["a", "Ada"]),
    "data": ("<![CDATA[Ada]]>", ["Ada"]),
    "declaration": ("<!DOCTYPE html><?xml version='1.0'?>Ada", ["Ada"]),
    "attributes": ('<img alt="Ada" title=\'B "x"\' aria-label=C>D', ["D", "Ada", 'B "x"', "C"]),
    "what attributes say is behind": ('<a title="Ada">Ben</a> left', ["Ben left", "Ada"]),
    "addresses": ('<a href="/m%C3%BCller?a=1&amp;b">x</a>', ["x", "/müller?a=1&b"]),
    "mail address": ('<a href="mailto:a@x.org">x</a><a href="tel:+49">y</a>', ["xy", "a@x.org", "+49"]),
    "not UTF-8 in an address": ('<a href="/%FF">x</a>', ["x", "/%FF"]),
    "no addresses": ('<link href=x.css><a href="#top">x</a><img src="data:image/png;base64,AA">', ["x"]),
    "settings": ('<meta name=viewport content="width=1"><meta name="author" content="Ada">', ["Ada"]),
    "a sign alone": ("a < b <3 <- > <", ["a < b <3 <- > <"]),
    "no tag": ("<Ada Berger> <ada@x.org> <https://x.org>", ["<Ada Berger> <ada@x.org> <https://x.org>"]),
    "quote without end": ('<p title="Ada>Berger</p> end', ['<p title="Ada>Berger', "end"]),
    "tag without end": ("a <b", ["a <b"]),
    "tag without end at an attribute": ("a <b title=x ", ["a <b title=x"]),
    "of one's own": ("<my-tag>Ada</my-tag>", ["Ada"]),
    "capitals": ("<P>Ada<P>Berger", ["Ada", "Berger"]),
    "right to left": ("<p dir=rtl>עדה <b>ברגר</b></p>", ["עדה ברגר"]),
    "emoji and marks": ("<p>👩‍👩‍👧 e\u0301&#x1F600;</p>", ["👩‍👩‍👧 e\u0301😀"]),
    "empty": ("", []),
    "bad references": ("&#0; &#xD800; &#1; &#99999999;", ["� �  &#99999999;"]),
}  # fmt: skip

# name: Markdown, its paragraphs
MARKDOWN: dict[str, tuple[str, list[str]]] = {
    "emphasis": ("**Ada** Berger, *Ben* __Marsk__ ~~x~~ _y_", ["Ada Berger, Ben Marsk x y"]),
    "inside a word": ("Ber**ger** a_b_c 5 * 3", ["Berger a_b_c 5 * 3"]),
    "heading": ("# Ada\nBerger left", ["Ada", "Berger left"]),
    "underlined": ("Ada\n===\nBerger\n---\nx", ["Ada", "Berger", "x"]),
    "lists": ("- Ada\n* Ben\n1. Cora\n  - [x] Dan\n", ["Ada", "Ben", "Cora", "Dan"]),
    "quoted": ("> Ada\n> Berger", ["Ada", "Berger"]),
    "code": ("`Ada` ``B`C``\n\n```py\nx = **Ada**\n```\nend", ["Ada B`C", "x = **Ada**", "end"]),
    "fence without end": ("~~~\nAda **x**\n", ["Ada **x**"]),
    "link": ('[**Ada** B](https://x.org/ada "T") left', ["Ada B left", "https://x.org/ada", "T"]),
    "image": ("![Ada](a.png)", ["Ada", "a.png"]),
    "reference": ("[Ada][r] x\n\n[r]: https://x.org", ["Ada x", "r", "r", "https://x.org"]),
    "our own marks": ("[CODE 1] a film [2] [x]", ["[CODE 1] a film [2] [x]"]),
    "footnote": ("a[^1]\n\n[^1]: Ada Berger", ["a[^1]", "Ada Berger"]),
    "named footnote": ("a[^Ada]\n\n[^Ada]: Ben\n[^Cora]: # Dan", ["a[^Ada]", "Ada", "Ben", "Cora", "Dan"]),
    "address": ("<https://x.org> <a@x.org>", ["https://x.org a@x.org"]),
    "escape": (r"\*Ada\* \[x\]", ["*Ada* [x]"]),
    "table": ("| Ada | Ben |\n|:--|--:|\n| a | b |", ["Ada", "Ben", "a", "b"]),
    "front matter": ("---\ntitle: Ada\nby: Ben\n---\nText", ["---", "title: Ada", "by: Ben", "---", "Text"]),
    "html": ('<b title="x">Ada</b>&nbsp;B<!-- c --><p>d', ["Ada\xa0B", "c", "d", "x"]),
    "script": ("<script>**a**</script>b", ["b"]),
    "windows": ("# Ada\r\nBerger\r\n", ["Ada", "Berger"]),
    "empty": ("", []),
}


@pytest.mark.parametrize("name", PAGES)
def test_pages(name: str) -> None:
    page, expected = PAGES[name]
    assert shown(page, "html") == expected


@pytest.mark.parametrize("name", MARKDOWN)
def test_markdown(name: str) -> None:
    written, expected = MARKDOWN[name]
    assert shown(written, "markdown") == expected


def edited(source: SourceDocument, edits: Sequence[tuple[int, int, str]]) -> tuple[str, list[Edit]]:
    given = [Edit(start, end, text, 1.0, 0.1, "MISC", -1, "x", 0) for start, end, text in edits]
    moved = map_to_source(source, given)
    return rewrite("x", source.raw, moved)[0], moved


# name: format, source, what goes, what comes, the result
REPLACED: dict[str, tuple[str, str, str, str, str]] = {
    "over a tag": ("html", "<p><b>Ada</b> Berger left", "Ada Berger", "P 1", "<p><b>P 1</b> left"),
    "over many": ("html", "<b>A</b><i>d</i>a x", "Ada", "P", "<b>P</b><i></i> x"),
    "escaped": ("html", "Ada", "Ada", "<&>", "&lt;&amp;&gt;"),
    "reference": ("html", "x &amp; y", "x & y", "z", "z"),
    "space": ("html", "Ada&nbsp;Berger", "Ada\xa0Berger", "P", "P"),
    "quoted": ("html", '<a title="Ada B">x', "Ada B", 'a "b"', '<a title="a &quot;b&quot;">x'),
    "unquoted": ("html", "<img alt=Ada>x", "Ada", "P 1", "<img alt=P&#32;1>x"),
    "address": ("html", '<a href="/ada">x', "ada", "P 1", '<a href="/P%201">x'),
    "soft hyphen": ("html", "Ber&shy;ger x", "Berger", "P", "P&shy; x"),
    "emphasis": ("markdown", "**Ada** Berger", "Ada Berger", "P 1", "**P 1**"),
    "a mark of ours": ("markdown", "Ada x", "Ada", "***", r"\*\*\* x"),
    "in code": ("markdown", "`Ada` x", "Ada", "***", "`***` x"),
    "link": ("markdown", "[A](/ada) x", "/ada", "a b", "[A](a%20b) x"),
    "over a link": ("markdown", "[Ada](/x) Berger", "Ada Berger", "P", "[P](/x)"),
}


@pytest.mark.parametrize("name", REPLACED)
def test_replaced(name: str) -> None:
    format, raw, old, new, expected = REPLACED[name]
    [source] = parsed(raw, format)
    start = source.document.text.index(old)
    assert edited(source, [(start, start + len(old), new)])[0] == expected


def test_an_edit_takes_in_those_between_its_parts() -> None:
    [source] = parsed('<b>Ada</b><a href="/ada"> Berger</a>', "html")
    text = source.document.text
    address = text.index("/ada")
    places = [(text.index("Ada"), text.index("Berger") + 6, "P 1"), (address + 1, address + 4, "x")]
    written, moved = edited(source, places)
    assert written == '<b>P 1</b><a href="/x"></a>'
    assert len(moved) == 1


PIECES = ["Ada", " Berger ", "<b>", "</b>", "<p>", "&amp;", "&", "<", ">", '<a title="Ada x" href=\'/b\'>', "</a>",
          "é", "\n", "**", "[", "](/x)", "`", "|", "\r\n", "# ", "- ", "👩‍👩‍👧", "\u00ad", "<!--", "-->",
          "<script>", "</script>", '"', "\\"]  # fmt: skip
SOURCES = st.lists(st.sampled_from(PIECES), max_size=25).map("".join)


@given(SOURCES, st.sampled_from(["html", "markdown"]), st.data())
def test_laws_of_sources(raw: str, format: str, data: st.DataObject) -> None:
    [source] = parsed(raw, format)
    text, pieces = source.document.text, source.source_map
    assert source.raw == raw
    assert pieces is not None
    for at, start, end, exact in zip(pieces.text_start, pieces.start, pieces.end, pieces.is_verbatim, strict=True):
        assert not exact or text[at : at + end - start] == raw[start:end]
    taken = sorted(zip(pieces.start.tolist(), pieces.end.tolist(), strict=True))
    assert all(one[1] <= other[0] for one, other in pairwise(taken))
    bounds = sorted(data.draw(st.lists(st.integers(0, len(text)), max_size=6, unique=True)))
    edits = [(a, b, f"P {n}") for n, (a, b) in enumerate(zip(bounds[::2], bounds[1::2], strict=False))]
    assert edited(source, [])[0] == raw
    written, moved = edited(source, edits)
    assert all(one.end <= other.start for one, other in pairwise(moved))
    solutions = rewrite("x", raw, moved)[1]
    assert restore("x", written, solutions).text == raw


def closed_tags(page: str) -> list[str]:
    """Return the names of tags, without what opens like one and never closes, which is text."""
    return [match[0] for match in MARKUP.finditer(page) if match[2] and ">" in page[match.end() :]]


@settings(max_examples=25)
@given(SOURCES, st.sampled_from(["html", "markdown", "text"]))
@example("<b>Ada</b> Berger met <a title='Ada'>Ben", "html")
@example("<Ada Berger ", "html")
def test_what_is_anonymized_comes_back(raw: str, format: str) -> None:
    [source] = parsed(raw, format)
    [one] = TAGS.anonymize_all([source.document], ADA)
    written, solutions = rewrite("x", source.raw, map_to_source(source, one.edits))
    assert restore("x", written, solutions).text == raw
    if format == "html":
        assert closed_tags(written) == closed_tags(raw)
    assert not re.search("Berger", "".join(part.document.text for part in parsed(written, format)))


def test_a_name_between_tags_is_found() -> None:
    page = "<p><b>Ada</b>&nbsp;Ber<i>ger</i> left. <b>She</b> met <span>A</span>da.</p>"
    [source] = parsed(page, "html")
    [one] = ENGLISH.anonymize_all([source.document], ADA)
    written = rewrite("x", source.raw, map_to_source(source, one.edits))[0]
    assert written == "<p><b>Person 1</b><i></i> left. <b>She</b> met <span>Person 1</span>.</p>"


# name: text, encoding, its bytes
ENCODINGS: dict[str, tuple[str, bytes]] = {
    "utf-8": ("x.txt", "Ada Berger, Grüße\r\n".encode()),
    "utf-8 with a mark": ("x.txt", b"\xef\xbb\xbf" + b"Ada Berger"),
    "utf-16": ("x.txt", b"\xff\xfe" + "Ada Berger é\r\n".encode("utf-16-le")),
    "utf-16 be": ("x.md", b"\xfe\xff" + "*Ada* Berger".encode("utf-16-be")),
    "said by the page": ("x.html", '<meta charset="windows-1252"><p>Ada Berger grüßt €'.encode("cp1252")),
    "said by the page as browsers take it": ("x.html", "<meta charset=latin1><p>Ada Berger €".encode("cp1252")),
    "said wrongly": ("x.html", "<meta charset=klingon><p>Ada Berger é".encode()),
}


@pytest.mark.parametrize("name", ENCODINGS)
def test_encodings_stay(name: str, tmp_path: Path) -> None:
    file, data = ENCODINGS[name]
    (tmp_path / file).write_bytes(data)
    for source in (False, True):
        [one] = read_sources(str(tmp_path / file), ReadOptions(), source=source)
        assert one.byte_order_mark + one.raw.encode(one.codec) == data


@pytest.mark.parametrize(
    ("text", "codec", "expected"),
    [("Łódź", "cp1252", "?ódz"), ("a’b–c…", "ascii", "a'b-c."), ("é", "ascii", "e"), ("Łódź", "utf-8", "Łódź")],
)
def test_what_an_encoding_lacks(text: str, codec: str, expected: str) -> None:
    assert make_encodable(text, codec)[:4] == expected[:4]
    make_encodable(text, codec).encode(codec)


# Bad input

BAD = {
    "nested": "<b>" * 10_000 + "Ada Berger" + "</b>" * 10_000,
    "opened": "<b " * 20_000,
    "quotes": '<a "' * 20_000,
    "quotes with ends": '<a ">" ' * 5_000,
    "attributes without end": "<a " + "x=1 " * 20_000,
    "declarations": "<!" * 5_000,
    "comments": "<!--" * 20_000,
    "scripts": "<script>" * 2_000,
    "references": "&#" * 20_000,
    "brackets": "[" * 20_000 + "](x)" * 20_000,
    "backticks": "`a" * 10_000,
    "stars": "*" * 20_000 + " a",
    "fences": "```a\n~~~\n" * 2_000,
    "lines": "- - - - x\n" * 4_000,
    "pipes": "|" * 20_000,
    "front": "---\n" + "a\n" * 20_000,
}


@pytest.mark.parametrize("format", ["html", "markdown"])
@pytest.mark.parametrize("name", BAD)
def test_what_is_broken_is_read_quickly(name: str, format: str) -> None:
    import time

    started = time.process_time()
    [source] = parsed(BAD[name], format)
    assert time.process_time() - started < 5
    assert "Ada Berger" not in BAD[name] or "Ada Berger" in source.document.text


@given(st.binary(max_size=200), st.sampled_from(sorted(FORMATS)))
@example(b'a,text\n"', "csv")
@example(b'text\n"a"""\n\n""\n', "csv")
@example(b"From: \xff =?x?b?y?=\n\n\xff", "eml")
def test_any_bytes_are_documents_or_an_error_of_ours(data: bytes, format: str) -> None:
    for source in (False, True):
        try:
            found = list(parsed(data, format, source=source)) if "gz" not in format else []
        except EmbanonError:
            continue
        for one in found:
            assert edited(one, [])[0] == one.raw


# Tables

TABLE = 'id,text,ward,note\r\n1,"Ada ""B"" said, so",W3,x\r\n\r\n2,Berger left,W4,"y, z"'


def test_cells() -> None:
    first, second = parsed(TABLE, "csv", TextColumns(("text", "note"), carried=("ward",)))
    assert (first.document.text, second.document.text) == ('Ada "B" said, so\n\nx', "Berger left\n\ny, z")
    assert first.prefix + first.raw + second.raw == TABLE.replace("\r\n\r\n", "\r\n")
    assert (first.record_id, second.record_id) == ("1", "2")
    assert first.document.fields["ward"] == "W3"
    first, second = parsed(TABLE, "csv")
    assert (first.prefix, first.raw, second.raw) == ("id,text\r\n", '1,"Ada ""B"" said, so"\r\n', "2,Berger left")


# name: table, columns, what goes, what comes, the row
CELLS: dict[str, tuple[str, str, str, str, str]] = {
    "quoted": ("csv", 'text\n"a, b"\n', "a, b", 'c "d"', '"c ""d"""\n'),
    "not quoted": ("csv", "text,x\na b,1\n", "a b", 'c, "d"\ne', "c; 'd' e\n"),
    "a quote in it": ("csv", 'text\n"a ""b"" c"\n', 'a "b"', "d", '"d c"\n'),
    "tabs": ("tsv", "text\tx\na b\t1\n", "a b", "c\td, e", "c d, e\n"),
    "semicolons": ("csv", "text;x\na b;1\n", "a b", "c; d", "c, d\n"),
    "formula of ours": ("csv", "text\na b\n", "a b", "=1+1", "'=1+1\n"),
    "formula of ours, quoted": ("csv", 'text\n"a b"\n', "a b", "+1", "\"'+1\"\n"),
    "no formula": ("csv", "text\na b\n", "b", "=1", "a =1\n"),
    "formula of others": ("csv", "text\n=a b\n", "b", "c", "=a c\n"),
}  # fmt: skip


@pytest.mark.parametrize("name", CELLS)
def test_replaced_cells(name: str) -> None:
    format, table, old, new, expected = CELLS[name]
    [source] = parsed(table, format)
    start = source.document.text.index(old)
    assert edited(source, [(start, start + len(old), new)])[0] == expected


CELL = st.text(alphabet='ab ,;"\n\r\t=é', max_size=6)


@given(st.lists(st.tuples(CELL, CELL), min_size=1, max_size=5), st.booleans())
def test_tables_come_back(rows: list[tuple[str, str]], all_quoted: bool) -> None:
    import csv

    out = io.StringIO(newline="")
    writer = csv.writer(out, quoting=csv.QUOTE_ALL if all_quoted else csv.QUOTE_MINIMAL)
    writer.writerows([("text", "other"), *rows])
    found = parsed(out.getvalue(), "csv", TextColumns(("text", "other")))
    assert [one.document.text for one in found] == ["\n\n".join(filter(None, row)) for row in rows]
    assert "".join(one.prefix + one.raw for one in found) == out.getvalue()
    back = parsed(out.getvalue(), "csv", source=True)
    assert "".join(one.prefix + one.raw for one in back) == out.getvalue()


@pytest.mark.parametrize(
    ("table", "columns", "message"),
    [
        ("a,b\n1,2\n", TextColumns(), "has no column 'text'; its columns are: a, b; name those of text with --column"),
        ("text,text\n1,2\n", TextColumns(), "has more than one column 'text'"),
        ("text\na\n", TextColumns(id="nr"), "has no column 'nr'"),
        ("text\na\n", TextColumns(carried=("w",)), "has no column 'w'"),
        ("text,b\na\n", TextColumns(), "line 2: has 1 fields"),
        ('text\n"a\n', TextColumns(), "its quotes do not match"),
        ("text,language\na,klingon!\n", TextColumns(), "row 2: column 'language'"),
        ("", TextColumns(), "is empty"),
    ],
)
def test_tables_that_cannot_be_read(table: str, columns: TextColumns, message: str) -> None:
    with pytest.raises(InputError, match=re.escape(message)):
        parsed(table, "csv", columns)


def test_who_is_protected_may_stand_in_a_column(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_text("id,text,protect,who\n1,Ada Berger left.,Ada Berger,\n2,Ben Marsk left.,,Ben Marsk\n")
    documents = list(read_documents(str(path)))
    found = list(ENGLISH.anonymize_all(documents, ProtectionRules(fields=("who",))))
    assert [one.text for one in found] == ["Person 1 left.", "Person 1 left."]


def test_what_is_trained_on_is_what_is_seen(tmp_path: Path) -> None:
    for name, content in {
        "a.html": "<p><b>Ada</b> Berger",
        "b.md": "**Ben** Marsk",
        "c.eml": "Subject: Cora\n\n",
    }.items():
        (tmp_path / name).write_text(content)
    assert [source.document.text for source in Corpus((str(tmp_path),))] == ["Ada Berger", "Ben Marsk", "Cora"]


def test_all_formats_are_read_by_their_names(tmp_path: Path) -> None:
    files = {
        "a.txt": "Ada", "a.md": "*Ada*", "a.html": "<p>Ada</p>", "a.csv": "text\nAda\n", "a.tsv": "text\nAda\n",
        "a.eml": "Subject: Ada\n\n", "a.jsonl": json.dumps({"id": "1", "text": "Ada"}),
    }  # fmt: skip
    for name, content in files.items():
        (tmp_path / name).write_text(content)
        assert [one.text for one in read_documents(str(tmp_path / name))] == ["Ada"], name
