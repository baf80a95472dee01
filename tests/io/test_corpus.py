"""A corpus: files, folders, patterns, tables and standard input, read as often as needed. No message quotes a text."""

from __future__ import annotations

import codecs
import csv
import gzip
import io
import json
import os
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, strategies as st

from embanon.errors import ConfigError, DecodingError, InputError
from embanon.io.read.corpus import CORPUS_FORMATS, Corpus, CorpusColumns, CorpusDocument, Tally
from embanon.io.read.csv_tables import read_table
from embanon.io.read.limits import Limits

SECRET = "Geheimnis"
IMAGE = b"\x89PNG\r\n\x1a\n\x00" + bytes(40)
FIRST = b'{"text": "first"}\n'
ROOT_READS_ALL = pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may read everything")
NEEDS_LINKS = pytest.mark.skipif(os.name == "nt", reason="links need a right there")


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return an empty folder, and work in it, so that names are short."""
    folder = tmp_path / "here"
    folder.mkdir()
    monkeypatch.chdir(folder)
    return folder


def write(**files: bytes | str) -> None:
    """Write files; `a__b_txt` is a/b.txt."""
    for name, content in files.items():
        path = Path(name.replace("__", "/").replace("_", "."))
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)


def corpus(*paths: str, **options: Any) -> Corpus:
    return Corpus(paths or ("corpus",), **options)


def ids(*paths: str, **options: Any) -> list[str]:
    return [source.document.id for source in corpus(*paths, **options)]


def told(source: CorpusDocument) -> tuple[str, str, str | None, str | None]:
    return (source.document.id, source.document.text, source.entity, source.document.language)


def failure(*paths: str, **options: Any) -> str:
    with pytest.raises((InputError, ConfigError)) as caught:
        list(corpus(*paths, **options))
    assert SECRET not in str(caught.value)
    return str(caught.value)


# name: file, content, columns, what is read
ROWS: dict[str, tuple[str, bytes, CorpusColumns, list[tuple[str, str, str | None, str | None]]]] = {
    "text alone": ("c.jsonl", b'{"text": "a"}\n\n{"text": "b"}', CorpusColumns(), [
        ("c.jsonl:1", "a", None, None), ("c.jsonl:3", "b", None, None)]),
    "all usual keys": ("c.jsonl", b'{"id": "1", "text": "a", "title": "T", "entity": " E ", "language": "EN"}',
        CorpusColumns(), [("1", "a", "E", "en")]),
    "title": ("c.jsonl", b'{"id": "1", "text": "a", "title": "T"}', CorpusColumns(), [("1", "a", "T", None)]),
    "title where the entity is null": ("c.jsonl", b'{"id": "1", "text": "a", "title": "T", "entity": null}',
    CorpusColumns(),
        [("1", "a", "T", None)]),
    "nothing is known": ("c.jsonl", b'{"id": null, "text": "a", "title": " ", "language": null}', CorpusColumns(),
        [("c.jsonl:1", "a", None, None)]),
    "other keys": ("c.jsonl", b'{"n": "1", "body": "a", "who": "W", "title": "T", "lang": "pt-BR", "text": 1}',
        CorpusColumns("body", "n", "who", "lang"), [("1", "a", "W", "pt")]),
    "titles that are none": ("c.jsonl", b'{"id": "1", "text": "a", "title": 1, "language": "English"}',
        CorpusColumns(id="", entity="", language=""), [("c.jsonl:1", "a", None, None)]),
    "no text": ("c.jsonl", b'{"text": ""}\n{"text": null}\n{"text": " \\n"}\n{"text": "a"}', CorpusColumns(),
        [("c.jsonl:4", "a", None, None)]),
    "lone surrogates": ("c.jsonl", rb'{"id": "\ud83d", "text": "a\udc00\ud83d\ude00", "title": "\ud800"}',
    CorpusColumns(),
        [("\ufffd", "a\ufffd\U0001f600", "\ufffd", None)]),
    "space around a text stays": ("c.jsonl", b'{"text": " a\\n"}', CorpusColumns(), [("c.jsonl:1", " a\n", None,
    None)]),
    "packed": ("c.jsonl.gz", gzip.compress(b'{"text": "a"}'), CorpusColumns(), [("c.jsonl.gz:1", "a", None, None)]),
    "table": ("c.csv", b'id,title,text\n1,T,a\n2,,b\n', CorpusColumns(), [("1", "a", "T", None), ("2", "b", None,
    None)]),
    "table with all": ("c.csv", b'language,id,title,entity,text\nde,1,T,E,a\n,2,T,,b', CorpusColumns(),
        [("1", "a", "E", "de"), ("2", "b", "T", None)]),
    "table of other columns": ("c.csv", b'n,body,who\n1,a,W\n', CorpusColumns("body", "n", "who"), [("1", "a", "W",
    None)]),
    "table of texts": ("c.csv", b'text\na\n\n"b, c"\n', CorpusColumns(), [
        ("c.csv:2", "a", None, None), ("c.csv:4", "b, c", None, None)]),
    "line breaks in quotes": ("c.csv", b'text,x\r\n"a\r\nb\nc\rd ""e""",1\r\nf,2', CorpusColumns(), [
        ("c.csv:2", 'a\r\nb\nc\rd "e"', None, None), ("c.csv:6", "f", None, None)]),
    "line ends of old": ("c.csv", b'text,x\ra,1\rb,2\r', CorpusColumns(), [
        ("c.csv:2", "a", None, None), ("c.csv:3", "b", None, None)]),
    "mark": ("c.csv", codecs.BOM_UTF8 + b'text,x\na,1\n', CorpusColumns(), [("c.csv:2", "a", None, None)]),
    "quoted header with a mark": ("c.csv", codecs.BOM_UTF8 + b'"text","x"\na,1\n', CorpusColumns(), [
        ("c.csv:2", "a", None, None)]),
    "utf-16 with a mark": ("c.tsv", codecs.BOM_UTF16_LE + "text\tx\r\né\t1\r\n".encode("utf-16-le"), CorpusColumns(), [
        ("c.tsv:2", "é", None, None)]),
    "semicolons": ("c.csv", b'id;text\n1;"a;b"\n2;c, d\n', CorpusColumns(), [
        ("1", "a;b", None, None), ("2", "c, d", None, None)]),
    "semicolon in a header with commas": ("c.csv", b'id,text,x;y\n1,a;b,\n', CorpusColumns(), [("1", "a;b", None,
    None)]),
    "tabs": ("c.tsv", b'id\ttext\n1\ta, b; c\n2\t"d\te"\n', CorpusColumns(), [
        ("1", "a, b; c", None, None), ("2", "d\te", None, None)]),
    "packed tabs": ("c.tsv.gz", gzip.compress(b'id\ttext\n1\ta\n'), CorpusColumns(), [("1", "a", None, None)]),
    "packed table": ("C.CSV.GZ", gzip.compress(b'id,text\n1,a\n'), CorpusColumns(), [("1", "a", None, None)]),
    "space around names of columns": ("c.csv", b'\n  \n id , text \n1,a\n', CorpusColumns(), [("1", "a", None, None)]),
    "ids that come again": ("c.csv", b'id,text\n1,a\n1,b\n1#2,c\n1,d\n1#2,e\n', CorpusColumns(), [
        ("1", "a", None, None), ("1#2", "b", None, None), ("1#2#2", "c", None, None), ("1#3", "d", None, None),
        ("1#2#3", "e", None, None)]),
    "plain text": ("c.txt", b'a\r\nb', CorpusColumns("body"), [("c.txt", "a\r\nb", None, None)]),
    "any name": ("c.md", b'a', CorpusColumns(), [("c.md", "a", None, None)]),
}  # fmt: skip

# name: file, content, what the message says
BAD: dict[str, tuple[str, bytes, str]] = {
    "image": ("c.txt", IMAGE, "c.txt: is an image"),
    "image named as a table": ("c.csv", IMAGE, "c.csv: is an image"),
    "image named as JSON": ("c.jsonl", IMAGE, "c.jsonl, line 1: byte 0 is not UTF-8"),
    "encoding": ("c.txt", b"caf\xe9", "c.txt: byte 3 (line 1) is not UTF-8; name its encoding"),
    "encoding of a table": ("c.csv", b"id,text\n1,a\n2,caf\xe9\n", "c.csv: byte 17 (line 3) is not UTF-8; name its"),
    "encoding of JSON": ("c.jsonl", FIRST + b'{"text": "caf\xe9"}', "c.jsonl, line 2: byte 13 is not UTF-8"),
    "surrogates in bytes": ("c.csv", b"text\n\xed\xa0\x80\n", "c.csv: byte 5 (line 2) is not UTF-8"),
    "zero in a table": ("c.csv", b"id,text\n1,a\n2,b\x00\n", "c.csv: is not text (byte 15 is zero, line 3)"),
    "zero far on": ("c.csv", b"id,text\n" + b"1,abc\n" * 20_000 + b"2,\x00", "is not text (line 20002 has a zero"),
    "no text": ("c.jsonl", FIRST + b'{"id": "2"}', "c.jsonl, line 2: key 'text' is missing; name another"),
    "text is a number": ("c.jsonl", FIRST + b'{"text": 2}', "line 2: key 'text' must be a string, not a number"),
    "title is a list": (
        "c.jsonl", FIRST + f'{{"text": "a", "title": ["{SECRET}"]}}'.encode(),
        "c.jsonl, line 2: key 'title' must be a string, not a list",
    ),
    "title is an object": ("c.jsonl", b'{"text": "a", "title": {}}', "key 'title' must be a string, not an object"),
    "id is a number": ("c.jsonl", b'{"text": "a", "id": 7}', "line 1: key 'id' must be a string, not a number"),
    "language is a word": (
        "c.jsonl", f'{{"text": "a", "language": "{SECRET}"}}'.encode(), "line 1: key 'language': a language is two or",
    ),
    "language of a table is a word": ("c.csv", f"text,language\na,{SECRET}".encode(), "line 2: column 'language'"),
    "not JSON": ("c.jsonl", FIRST + f"{{{SECRET}".encode(), "c.jsonl, line 2, column 2: not JSON"),
    "no object": ("c.jsonl", b"[1]", "c.jsonl, line 1: must be an object, not a list"),
    "only empty": ("c.csv", b"text,x\n,1\n ,2\n", "c.csv: has no document with text; 2 documents without text"),
    "empty text": ("c.txt", b" \n", "c.txt: has no document with text; 1 documents without text"),
    "empty JSON": ("c.jsonl", b"\n", "c.jsonl: has no document with text"),
    "empty table": ("c.csv", b"", "c.csv: is empty; its first line must name the columns"),
    "blank table": ("c.csv", b"\n \n", "c.csv: is empty"),
    "only a header": ("c.csv", b"id,text\n", "c.csv: has no document with text"),
    "no column": ("c.csv", b"id,body\n1,a\n", "no column 'text'; its columns are: id, body; name one with --text-"),
    "no header": ("c.csv", f"1,{SECRET * 9}!\n".encode(), "no column 'text'; its columns are: 1, (82 characters);"),
    "two columns": ("c.csv", b"text,text\na,b\n", "more than one column 'text'; its columns are: text, text"),
    "too few fields": ("c.csv", f"id,text\n1,a\n{SECRET}\n".encode(), "line 3: has 1 fields, and the header has 2"),
    "too many fields": ("c.csv", f'id,text\n1,"a\nb"\n2,{SECRET},x\n'.encode(), "c.csv, line 4: has 3 fields"),
    "quote not closed": ("c.csv", f'id,text\n1,a\n2,"{SECRET}\n3,b\n'.encode(), "line 3: its quotes do not match"),
    "quote within": ("c.csv", f'id,text\n1,"{SECRET}" b\n'.encode(), "c.csv, line 2: its quotes do not match"),
    "no gzip": ("c.csv.gz", b"id,text\n1,a", "c.csv.gz: is not a whole gzip file"),
    "no gzip of JSON": ("c.jsonl.gz", b'{"text": "a"}', "c.jsonl.gz: is not a whole gzip file"),
    "gzip of no name": ("c.gz", gzip.compress(b"abc"), "c.gz: is a gzip file"),
    "long row": ("c.csv", b"text,x\na,1\n" + b'"' + b"a\n" * (1 << 19) + b'b",1', "line 3: a row of more than 1 MB"),
    "long line": ("c.csv", b"text,x\n" + b"a" * (3 << 20), "c.csv, line 2: a row of more than 1 MB"),
    "long header": ("c.csv", b"a" * (2 << 20), "c.csv, line 1: a row of more than 1 MB"),
    "long line of JSON": ("c.jsonl", FIRST + b'{"text": "' + b"a" * (1 << 20) + b'"}', "line 2: has more than 1 MB"),
    "long text": ("c.txt", b"a" * (2 << 20), "c.txt: has more than 1 MB"),
    "bomb": ("c.csv.gz", gzip.compress(b"text,x\n" + (b"a" * 254 + b",\n") * (1 << 14)), "has more than 2 MB"),
    "bomb of JSON": ("c.jsonl.gz", gzip.compress(FIRST + (b" " * 255 + b"\n") * (1 << 14)), "has more than 2 MB"),
    "bomb of one line": ("c.jsonl.gz", gzip.compress(b" " * (2 << 20)), "line 1: has more than 1 MB"),
}  # fmt: skip

SMALL = Limits(text=1 << 20, line=1 << 20, total=2 << 20, buffered=1 << 10)


@pytest.mark.parametrize("name", ROWS)
def test_rows_are_read(name: str, here: Path) -> None:
    file, content, columns, expected = ROWS[name]
    (here / file).write_bytes(content)
    sources = corpus(file, columns=columns)
    assert [told(source) for source in sources] == expected
    assert [told(source) for source in sources] == expected


@pytest.mark.parametrize("name", BAD)
def test_a_named_file_that_cannot_be_read_is_an_error(name: str, here: Path) -> None:
    file, content, message = BAD[name]
    (here / file).write_bytes(content)
    assert message in failure(file, limits=SMALL)


@pytest.mark.parametrize("name", BAD)
def test_a_file_in_a_folder_is_skipped_unless_some_of_it_was_given(name: str, here: Path) -> None:
    file, content, message = BAD[name]
    write(corpus__a_txt="good", corpus__z_txt="also good")
    (here / "corpus" / file).write_bytes(content)
    tally, given = Tally(), []
    try:
        given += [source.document.id for source in corpus(limits=SMALL).sources(tally)]
    except InputError:
        assert tally.documents > 1
    else:
        assert given == ["corpus/a.txt", "corpus/z.txt"]
        assert tally.skipped == ("has no document" not in message)


@pytest.mark.parametrize("cut", [5, 15, -8, -1])
@pytest.mark.parametrize("ending", ["jsonl.gz", "csv.gz"])
def test_broken_gzip_is_told(ending: str, cut: int, here: Path) -> None:
    rows = FIRST if "json" in ending else b"text\n"
    Path(f"c.{ending}").write_bytes(gzip.compress(rows * 99)[:cut])
    assert "not a whole gzip file" in failure(f"c.{ending}")


TREE = ("b.txt", "a.txt", "sub/c.txt", "sub/deep/d.txt", "sub/e.csv", "z.txt", ".hidden.txt", ".git/f.txt", "a[1].txt")

# name: paths, what is read, in order
PATHS: dict[str, tuple[tuple[str, ...], str]] = {
    "folder": (("corpus",), "a.txt a[1].txt b.txt sub/c.txt sub/deep/d.txt sub/e.csv z.txt"),
    "folder with a slash": (("corpus/",), "a.txt a[1].txt b.txt sub/c.txt sub/deep/d.txt sub/e.csv z.txt"),
    "files in order": (("corpus/z.txt", "corpus/a.txt"), "z.txt a.txt"),
    "pattern": (("corpus/*.txt",), "a.txt a[1].txt b.txt z.txt"),
    "pattern of folders": (("corpus/s*",), "sub/c.txt sub/deep/d.txt sub/e.csv"),
    "pattern in the middle": (("corpus/*/c.txt",), "sub/c.txt"),
    "any depth": (("corpus/**/*.txt",), "a.txt a[1].txt b.txt sub/c.txt sub/deep/d.txt z.txt"),
    "any depth twice": (("corpus/**/**/d.*",), "sub/deep/d.txt"),
    "all": (("corpus/**",), "a.txt a[1].txt b.txt sub/c.txt sub/deep/d.txt sub/e.csv z.txt"),
    "from the top": (("**/deep/*",), "sub/deep/d.txt"),
    "one character": (("corpus/?.txt",), "a.txt b.txt z.txt"),
    "set of characters": (("corpus/[!a-b]*.txt",), "z.txt"),
    "hidden and named": (("corpus/.hidden.txt",), ".hidden.txt"),
    "hidden folder and named": (("corpus/.git",), ".git/f.txt"),
    "hidden by a pattern": (("corpus/.h*",), ".hidden.txt"),
    "looks like a pattern": (("corpus/a[1].txt",), "a[1].txt"),
    "named twice": (("corpus/z.txt", "corpus/./z.txt", "corpus/*.txt"), "z.txt a.txt a[1].txt b.txt"),
}


@pytest.mark.parametrize("name", PATHS)
@pytest.mark.parametrize("absolute", [False, True], ids=["relative", "absolute"])
def test_paths_are_found(name: str, absolute: bool, here: Path) -> None:
    for file in TREE:
        path = here / "corpus" / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("text\na\n")
    paths, expected = PATHS[name]
    prefix = f"{here}/" if absolute else ""
    found = corpus(*(prefix + path for path in paths)).files
    assert [file.path for file in found] == [f"{prefix}corpus/{file}" for file in expected.split()]


# name: path, what the message says
NOTHING = {
    "missing": ("none.txt", "none.txt: no such file"),
    "no match": ("corpus/*.txt", "corpus/*.txt: no file matches; check the pattern"),
    "no match in no folder": ("none/**/*.txt", "none/**/*.txt: no file matches"),
    "no match below a file": ("file/*.txt", "file/*.txt: no file matches"),
    "empty folder": ("empty", "empty: has no file that is not hidden"),
    "hidden alone": ("corpus", "corpus: has no file that is not hidden"),
    "empty name": ("", "a name in the corpus is empty"),
    "impossible name": ("a\0*", "not a possible name"),
    "below a file": ("file/x", "cannot be opened (Not a directory)"),
}


@pytest.mark.parametrize("name", NOTHING)
def test_nothing_to_read_is_an_error_at_once(name: str, here: Path) -> None:
    write(corpus__sub___hidden="a", file="a")
    Path("empty/also").mkdir(parents=True)
    path, message = NOTHING[name]
    with pytest.raises(InputError) as caught:
        corpus(path)
    assert message in str(caught.value)


def test_what_is_skipped_is_told(here: Path) -> None:
    write(
        corpus__a_txt="a", corpus__empty_txt="", corpus__meta_csv="x,y\n1,2\n", corpus__c_csv="id,text\n1,\n1,a\n1,b\n"
    )
    for number in range(9):
        (here / "corpus" / f"{number}.png").write_bytes(IMAGE)
    tally = Tally()
    assert len(list(corpus("corpus/**/*").sources(tally))) == 3
    assert (tally.documents, tally.skipped, tally.empty, tally.renamed) == (3, 10, 2, 1)
    assert tally.warnings() == [
        *(f"corpus/{number}.png: is an image; only text can be read" for number in range(5)),
        "… and 5 more",
        "10 files of which nothing could be read, skipped",
        "2 documents without text, skipped",
        "1 ids that are not the first of their kind: #2, #3 … is added to them",
    ]


def test_a_folder_of_which_nothing_can_be_read_is_an_error(here: Path) -> None:
    write(corpus__a_png=IMAGE, corpus__b_png=IMAGE)
    assert failure() == (
        "corpus: has no document with text; corpus/a.png: is an image; only text can be read; "
        "corpus/b.png: is an image; only text can be read; 2 files of which nothing could be read, skipped"
    )


def test_a_file_that_is_named_as_well_is_no_longer_skipped(here: Path) -> None:
    write(corpus__a_txt="a", corpus__b_png=IMAGE)
    assert ids() == ["corpus/a.txt"]
    assert "corpus/b.png: is an image" in failure("corpus", "corpus/b.png")


def test_a_bad_row_after_good_ones_ends_the_reading(here: Path) -> None:
    write(corpus__a_jsonl=FIRST + b'{"text": "b"}\n{"body": "c"}\n')
    sources = iter(corpus())
    assert [next(sources).document.text for _ in range(2)] == ["first", "b"]
    with pytest.raises(InputError, match=r"corpus/a.jsonl, line 3: key 'text' is missing"):
        next(sources)


def test_ids_differ_across_files(here: Path) -> None:
    write(
        corpus__a_jsonl='{"id": "x", "text": "a"}',
        corpus__b_csv="id,text\nx,b\ny,c",
        corpus__c_jsonl='{"id": "x", "text": "d"}',
    )
    assert ids() == ["x", "x#2", "y", "x#3"]
    assert ids("corpus/c.jsonl", "corpus/b.csv") == ["x", "x#2", "y"]


@given(st.lists(st.sampled_from(["a", "b", "a#2", "a#3", "a#2#2", ""]), max_size=30))
def test_ids_always_differ_and_the_first_stays(given_ids: list[str]) -> None:
    from embanon.io.read.corpus import UniqueIds

    names = UniqueIds()
    made = [names.make_unique(id) for id in given_ids]
    assert len(set(made)) == len(made)
    assert all(new == old or new.startswith(f"{old}#") for new, old in zip(made, given_ids, strict=True))
    assert made[:1] == given_ids[:1]


@pytest.mark.parametrize(("file", "content"), [("c.csv", "text,x\ncafé,1"), ("c.txt", "café")])
def test_other_encodings_are_named(file: str, content: str, here: Path) -> None:
    Path(file).write_bytes(content.encode("cp1252"))
    write(d_jsonl='{"text": "café"}')
    assert [source.document.text for source in corpus(file, "d.jsonl", encoding="cp1252")] == ["café", "café"]
    with pytest.raises(DecodingError, match="is not ASCII; save the file as UTF-8"):
        list(corpus(file, encoding="ascii"))


# name: path, format, how many documents there are
FORMAT_CASES = {
    "named .txt": ("corpus/c.txt", "jsonl", 2),
    "no ending": ("corpus/c", "jsonl", 2),
    "in a folder": ("corpus/**", "jsonl", 4),  # the .txt is one document, the .csv is none at all
    "a table's name holds": ("corpus/c.csv", "jsonl", 1),
}


@pytest.mark.parametrize("name", FORMAT_CASES)
def test_a_format_holds_for_what_no_name_says(name: str, here: Path) -> None:
    write(corpus__c_txt=FIRST * 2, corpus__c=FIRST * 2, corpus__c_csv="text,x\na,1")
    path, format, count = FORMAT_CASES[name]
    assert len(ids(path, format=format)) == count


# name: options, what the message says
OPTIONS: dict[str, tuple[dict[str, Any], str]] = {
    "format": (
        {"format": "xml"},
        "no format 'xml'; known: jsonl, jsonl.gz, text, markdown, html, eml, csv, tsv, csv.gz",
    ),
    "encoding": ({"encoding": "utf-88"}, "--encoding 'utf-88': unknown"),
    "entity": ({"columns": CorpusColumns(entity="titel")}, "a.jsonl: no row has 'titel'; check --entity-column"),
    "id": ({"columns": CorpusColumns(id="nr")}, "a.jsonl: no row has 'nr'; check --id-column"),
}


@pytest.mark.parametrize("name", OPTIONS)
def test_options_that_cannot_be_meant_are_refused(name: str, here: Path) -> None:
    write(a_jsonl=FIRST)
    options, message = OPTIONS[name]
    assert message in failure("a.jsonl", **options)


def test_further_options_that_cannot_be_meant(here: Path) -> None:
    write(a_csv="id,text\n1,a\n")
    assert "has no column 'who'; its columns are: id, text; name one with --entity-column" in failure(
        "a.csv", columns=CorpusColumns(entity="who")
    )
    with pytest.raises(ConfigError, match="--text-column is empty"):
        CorpusColumns(text="")
    with pytest.raises(ConfigError, match="no corpus; name files"):
        Corpus(())


def test_a_key_that_only_some_rows_have_is_enough(here: Path) -> None:
    write(a_jsonl=FIRST + b'{"text": "a", "who": "W"}')
    assert [source.entity for source in corpus("a.jsonl", columns=CorpusColumns(entity="who"))] == [None, "W"]


def test_standard_input_is_read_once_and_given_again(monkeypatch: pytest.MonkeyPatch) -> None:
    stream = io.TextIOWrapper(io.BytesIO(FIRST * 2))
    monkeypatch.setattr(sys, "stdin", stream)
    sources = corpus("-", "-", format="jsonl")
    assert sources.size() is None
    assert [[source.document.id for source in sources] for _ in range(2)] == [["-:1", "-:2"]] * 2
    assert sources.size() == 2 * len(FIRST)


@pytest.mark.parametrize(
    ("format", "data"),
    [
        (None, b"a"),
        ("csv", b"text\na"),
        ("jsonl.gz", gzip.compress(b'{"text": "a"}', mtime=0)),
        ("tsv.gz", gzip.compress(b"text\na", mtime=0)),
    ],
)
def test_standard_input_may_be_of_any_format(format: str | None, data: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))
    assert [source.document.text for source in corpus("-", format=format)] == ["a"]


def test_standard_input_that_cannot_be_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", None)
    assert "standard input is closed" in failure("-")
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"a" * 2000)))
    assert "write it to a file first" in failure("-", limits=SMALL)
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"")))
    assert failure("-") == "-: has no document with text; 1 documents without text, skipped"


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes there")
def test_a_pipe_that_is_named_is_read_and_one_in_a_folder_is_not(here: Path) -> None:
    write(corpus__a_txt="a")
    os.mkfifo("corpus/pipe.jsonl")
    tally = Tally()
    assert [source.document.id for source in corpus().sources(tally)] == ["corpus/a.txt"]
    assert tally.reasons == ["corpus/pipe.jsonl: is no file that can be read: a pipe, a device or a broken link"]
    writer = threading.Thread(target=Path("corpus/pipe.jsonl").write_bytes, args=(FIRST,))
    writer.start()
    sources = corpus("corpus/pipe.jsonl")
    assert [[source.document.text for source in sources] for _ in range(2)] == [["first"]] * 2
    writer.join()


@NEEDS_LINKS
def test_loops_of_links_end(here: Path) -> None:
    write(corpus__a_txt="a", corpus__sub__b_txt="b", elsewhere__c_txt="c")
    for link, target in (
        ("sub/up", ".."),
        ("sub/up2", ".."),
        ("sub/out", "../../elsewhere"),
        ("self", "self"),
        ("z", "a.txt"),
    ):
        (here / "corpus" / link).symlink_to(target)
    (here / "elsewhere" / "back").symlink_to("../corpus")
    for path in ("corpus", "corpus/**/*", "corpus/**", "**/*"):
        tally = Tally()
        texts = [source.document.text for source in corpus(path).sources(tally)]
        assert sorted(texts) == ["a", "b", "c"], path
        assert tally.skipped == 1, path  # the link to itself


@ROOT_READS_ALL
def test_what_may_not_be_read(here: Path) -> None:
    write(corpus__a_txt="a", corpus__b_txt="b", corpus__sub__c_txt="c", shut__a_txt="a")
    Path("corpus/b.txt").chmod(0)
    Path("corpus/sub").chmod(0)
    Path("shut").chmod(0)
    try:
        tally = Tally()
        assert [source.document.id for source in corpus().sources(tally)] == ["corpus/a.txt"]
        assert tally.skipped == 2
        assert "may not be read; change its permissions" in failure("corpus/b.txt")
        assert "cannot be listed (Permission denied); change its permissions" in failure("shut")
    finally:
        Path("corpus/sub").chmod(0o700)
        Path("shut").chmod(0o700)


def test_a_folder_that_cannot_be_listed_is_told(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(corpus__a_txt="a", corpus__sub__c_txt="c", corpus__tub__d_txt="d")
    scandir = os.scandir

    def shut(folder: Path) -> Any:
        if Path(folder).name in denied:
            raise PermissionError(13, "Permission denied")
        return scandir(folder)

    monkeypatch.setattr(os, "scandir", shut)
    denied = {"sub"}
    tally = Tally()
    assert [source.document.text for source in corpus().sources(tally)] == ["a", "d"]
    assert tally.reasons == ["corpus/sub: cannot be listed (Permission denied); change its permissions (chmod u+rx)"]
    denied = {"corpus"}
    assert "corpus: cannot be listed (Permission denied); change its permissions" in failure()


MODEL = {"corpus__m__model_toml": "format = 1", "corpus__m__phrases_npy": IMAGE, "corpus__m__sub__b_txt": "b"}


@pytest.mark.parametrize("path", ["corpus", "corpus/*", "corpus/**/*.t*", "."])
def test_a_model_beside_its_corpus_is_left_out_and_told(path: str, here: Path) -> None:
    write(corpus__a_txt="a", corpus__z__c_txt="c", **MODEL)
    tally = Tally()
    assert [source.document.text for source in corpus(path).sources(tally)] == ["a", "c"]
    assert (tally.skipped, tally.reasons) == (1, ["corpus/m: is a model, not texts"])


@pytest.mark.parametrize("path", ["corpus/m", "corpus/m/*", "corpus/m/*.toml"])
def test_a_model_is_no_corpus(path: str, here: Path) -> None:
    write(**MODEL)
    assert failure(path) == "corpus/m: is a model, not texts"


def test_what_is_no_model_is_read(here: Path) -> None:
    write(corpus__m__model_toml="a", corpus__m__b_txt="b", corpus__n__x_npy=IMAGE, corpus__n__c_txt="c")
    assert ids() == ["corpus/m/b.txt", "corpus/m/model.toml", "corpus/n/c.txt"]
    write(**MODEL)
    assert ids("corpus/m/model.toml") == ["corpus/m/model.toml"]  # who names a file has it


@pytest.mark.skipif(sys.platform != "linux", reason="names are text there")
def test_a_name_that_is_no_text_becomes_an_id_that_can_be_written(here: Path) -> None:
    write(corpus__a_txt="a")
    Path(os.fsdecode(b"corpus/\xff.txt")).write_text("b")
    Path(os.fsdecode(b"corpus/\xfe.png")).write_bytes(IMAGE)
    tally = Tally()
    assert [source.document.id for source in corpus().sources(tally)] == ["corpus/a.txt", "corpus/\ufffd.txt"]
    assert tally.reasons == ["corpus/\ufffd.png: is an image; only text can be read"]


def test_progress_reaches_the_size(here: Path) -> None:
    write(
        corpus__a_txt="abc",
        corpus__b_jsonl=FIRST * 9,
        corpus__c_png=IMAGE,
        corpus__d_csv_gz=gzip.compress(b"text\na\nb"),
    )
    sources, tally = corpus(), Tally()
    seen = [tally.bytes for _ in sources.sources(tally)]
    assert seen == sorted(seen)
    assert tally.bytes == sources.size() == sum(file.stat().st_size for file in Path("corpus").iterdir())


def test_rows_stream(here: Path) -> None:
    class Endless(io.RawIOBase):
        read_so_far = 0

        def readable(self) -> bool:
            return True

        def readinto(self, buffer: Any) -> int:
            data = (b"text,x\n" if not self.read_so_far else b"a,1\n" * 1000)[: len(buffer)]
            buffer[: len(data)] = data
            self.read_so_far += len(data)
            return len(data)

    stream = Endless()
    rows = read_table(io.BufferedReader(stream), "c.csv", None, Limits(), ",").rows
    assert [next(rows)[0] for _ in range(3)] == [2, 3, 4]
    assert stream.read_so_far < 8 << 20


def test_the_limit_of_csv_is_left_as_it_was(here: Path) -> None:
    before = csv.field_size_limit()
    write(a_csv=b"text,x\n" + b"a" * 200_000 + b",1\nb,2\n", b_csv='text\n"a')
    sources = iter(corpus("a.csv", "b.csv"))
    assert len(next(sources).document.text) == 200_000
    assert csv.field_size_limit() == before
    with pytest.raises(InputError):
        list(sources)
    assert csv.field_size_limit() == before


CELLS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00\ufeff"), max_size=20)


@given(st.lists(st.tuples(CELLS, CELLS), max_size=9), st.sampled_from([",", "\t"]), st.integers(1, 9))
def test_what_was_written_as_a_table_is_read(rows: list[tuple[str, str]], delimiter: str, size: int) -> None:
    from embanon.io.read import csv_tables

    file = io.StringIO(newline="")
    csv.writer(file, delimiter=delimiter, quoting=csv.QUOTE_ALL).writerows([("x", "text"), *rows])
    text = file.getvalue()

    def pieces(*_: object) -> Iterator[str]:
        return (text[start : start + size] for start in range(0, len(text), size))

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(csv_tables, "decode_chunks", pieces)
        found = read_table(io.BytesIO(), "c", None, Limits(), delimiter)
        assert [(row["x"], row["text"]) for _, row in found.rows] == rows


@given(st.binary(max_size=300), st.sampled_from(CORPUS_FORMATS))
def test_any_bytes_are_sources_or_an_error_of_ours(tmp_path: Path, data: bytes, format: str) -> None:
    path = tmp_path / "x"
    path.write_bytes(data)
    try:
        sources = list(corpus(str(path), format=format))
    except InputError:
        return
    assert all(json.dumps(told(source), ensure_ascii=False).encode() for source in sources)


def test_text_never_shows_in_a_repr(here: Path) -> None:
    write(a_jsonl=f'{{"id": "1", "text": "{SECRET}", "title": "{SECRET}"}}')
    [source] = corpus("a.jsonl")
    assert source.entity == SECRET
    assert SECRET not in repr(source)
