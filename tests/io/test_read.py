"""Bytes to documents: strict, and clear about what is wrong. No message quotes a text."""

from __future__ import annotations

import codecs
import contextlib
import gzip
import io
import json
import logging
import os
import sys
from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from embanon.errors import ConfigError, DecodingError, EmbanonError, InputError
from embanon.io.read import format_of, read_documents
from embanon.io.read.limits import Limits
from embanon.io.read.text import decode, decode_chunks

SECRET = "Geheimnis"
CHINESE = "张伟于一九八二年出生在北京，现在住在上海。他是一名医生。"
RUSSIAN = "Она родилась в маленьком городе."

# name: bytes, encoding, text
TEXTS = {
    "utf-8": ("Grüße\n".encode(), None, "Grüße\n"),
    "empty": (b"", None, ""),
    "only a mark": (codecs.BOM_UTF8, None, ""),
    "utf-8 mark is no text": (codecs.BOM_UTF8 + b"a", None, "a"),
    "utf-16 le": (codecs.BOM_UTF16_LE + "aé".encode("utf-16-le"), None, "aé"),
    "utf-16 be": (codecs.BOM_UTF16_BE + "aé".encode("utf-16-be"), None, "aé"),
    "utf-32 le": (codecs.BOM_UTF32_LE + "aé".encode("utf-32-le"), None, "aé"),
    "utf-32 be": (codecs.BOM_UTF32_BE + "aé".encode("utf-32-be"), None, "aé"),
    "named": (b"caf\xe9", "cp1252", "café"),
    "named utf-16 with a mark": (codecs.BOM_UTF16_LE + "a".encode("utf-16-le"), "utf-16", "a"),
    "line ends stay": (b"a\r\nb\rc\n", None, "a\r\nb\rc\n"),
    "form feed and escape": (b"a\x0cb\x1b[1m" + b"c" * 80, None, "a\x0cb\x1b[1m" + "c" * 80),
    "one control among much": (b"a" * 200 + b"\x01", None, "a" * 200 + "\x01"),
    "zero width and emoji": ("a\u200bb👩‍👩‍👧".encode(), None, "a\u200bb👩‍👩‍👧"),
}

# name: bytes, encoding, error, what its message says
BAD = {
    "latin-1": (b"caf\xe9 noir\n", None, DecodingError, "byte 3 (line 1) is not UTF-8"),
    "third line": (b"a\nb\nc\xff\n", None, DecodingError, "byte 5 (line 3)"),
    "cut short": ("é".encode()[:1], None, DecodingError, "byte 0 (line 1)"),
    "surrogate in utf-8": (b"\xed\xa0\x80", None, DecodingError, "byte 0"),
    "odd utf-16": (codecs.BOM_UTF16_LE + b"a\x00b", None, DecodingError, "is not UTF-16-LE"),
    "surrogate in utf-16": (codecs.BOM_UTF16_LE + b"\x00\xd8a\x00", None, DecodingError, "UTF-16"),
    "zeros": (b"abc\x00def", None, InputError, "byte 3 is zero"),
    "zeros far on": (b"a" * 100_000 + b"\x00", None, InputError, "character 100000 is zero"),
    "unmarked utf-16": ("Hello there".encode("utf-16-le"), None, InputError, "--encoding utf-16-le"),
    "unmarked utf-16 be": ("Hello there".encode("utf-16-be"), None, InputError, "--encoding utf-16-be"),
    "three bytes": (b"a\0b", None, InputError, "byte 1 is zero"),
    "unmarked chinese": (CHINESE.encode("utf-16-le"), None, InputError, "--encoding utf-16-le"),
    "unmarked chinese be": (CHINESE.encode("utf-16-be"), None, InputError, "--encoding utf-16-be"),
    "unmarked chinese with spaces": (f"{CHINESE} {CHINESE}\n".encode("utf-16-le"), None, InputError, "utf-16-le"),
    "unmarked russian": (RUSSIAN.encode("utf-16-be"), None, InputError, "--encoding utf-16-be"),
    "shift-jis": (
        "山田太郎は東京に住んでいます。医者です。".encode("cp932"),
        None,
        DecodingError,
        "example: --encoding",
    ),
    "controls": (b"\x01\x02\x03\x04 and so on", None, InputError, "control characters"),
    "pdf": (b"%PDF-1.7\n", None, InputError, "pdftotext"),
    "docx": (b"PK\x03\x04abc", None, InputError, "office document"),
    "gzip": (gzip.compress(b"abc"), None, InputError, "gunzip"),
    "image": (b"\x89PNG\r\n\x1a\n\x00", None, InputError, "image"),
    "random": (bytes(range(256)) * 10, None, InputError, "byte 0 is zero"),
    "no such encoding": (b"a", "utf-88", ConfigError, "unknown"),
    "no encoding of text": (b"a", "rot13", ConfigError, "is not an encoding of text"),
    "wrong encoding named": (b"caf\xe9", "ascii", DecodingError, "is not ASCII"),
}

# name: line, what its message says
BAD_LINES = {
    "not json": (f"{{{SECRET}", "column 2: not JSON"),
    "a list": ("[1]", "must be an object, not a list"),
    "a string": (f'"{SECRET}"', "must be an object, not a string"),
    "no text": ('{"id": "1"}', "key 'text' is missing"),
    "no id": (f'{{"text": "{SECRET}"}}', "key 'id' is missing"),
    "id is a number": (f'{{"id": 1, "text": "{SECRET}"}}', "key 'id' must be a string, not a number"),
    "text is null": ('{"id": "1", "text": null}', "key 'text' must be a string, not null"),
    "language is a list": ('{"id": "1", "text": "", "language": []}', "key 'language' must be a string"),
    "language is a word": ('{"id": "1", "text": "", "language": "English"}', "key 'language': a language is two or"),
    "language is empty": ('{"id": "1", "text": "", "language": ""}', "leave it out"),
    "language is a secret": (f'{{"id": "1", "text": "", "language": "{SECRET * 999}"}}', "key 'language'"),
    "language is obeyed": (r'{"id": "1", "text": "", "language": "x\u001b[31m"}', "key 'language'"),
    "too deep": ("[" * 200_000, "line 2"),
    "huge number": ('{"id": "1", "text": "", "n": ' + "9" * 10_000 + "}", "too large"),
    "control in a string": ('{"id": "1", "text": "a\tb"}', "not JSON"),
}


@pytest.mark.parametrize("name", TEXTS)
@pytest.mark.parametrize("streamed", [False, True], ids=["whole", "stream"])
def test_text_is_read(name: str, streamed: bool, tmp_path: Path) -> None:
    data, encoding, text = TEXTS[name]
    if streamed:
        assert "".join(decode_chunks(io.BytesIO(data), "x.txt", encoding, size=3)) == text
        return
    path = tmp_path / "x.txt"
    path.write_bytes(data)
    [document] = read_documents(str(path), encoding)
    assert (document.id, document.text, document.language) == (str(path), text, None)


@pytest.mark.parametrize("name", BAD)
@pytest.mark.parametrize("streamed", [False, True], ids=["whole", "stream"])
def test_what_is_no_text_is_refused(name: str, streamed: bool, tmp_path: Path) -> None:
    data, encoding, error, message = BAD[name]
    path = tmp_path / "x.txt"
    path.write_bytes(data)
    source = decode_chunks(io.BytesIO(data), str(path), encoding) if streamed else read_documents(str(path), encoding)
    with pytest.raises(error) as caught:
        list(source)
    if not streamed or "character" not in message:
        assert message in str(caught.value)


@given(st.binary(max_size=200))
def test_any_bytes_are_text_or_an_error_of_ours(data: bytes) -> None:
    with contextlib.suppress(EmbanonError):
        assert isinstance(decode(data, "x"), str)


@given(st.text(st.characters(exclude_categories=["Cs", "Cc"])))
def test_what_was_written_is_read(text: str) -> None:
    expected = text.removeprefix("\ufeff")
    assert decode(text.encode(), "x") == expected
    assert "".join(decode_chunks(io.BytesIO(text.encode()), "x", size=1)) == expected


def test_stream_errors_name_the_place() -> None:
    data = b"ok\n" * 50_000 + b"\xff"
    with pytest.raises(DecodingError, match=r"byte 150000 \(line 50001\)"):
        list(decode_chunks(io.BytesIO(data), "x", size=1000))


def test_missing_and_folder(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no such file"):
        list(read_documents(str(tmp_path / "none.txt")))
    with pytest.raises(InputError, match="is a folder"):
        list(read_documents(str(tmp_path)))
    with pytest.raises(InputError, match="not a possible name"):
        list(read_documents("a\0b"))


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may read everything")
def test_file_without_permission(tmp_path: Path) -> None:
    path = tmp_path / "x.txt"
    path.write_text("a")
    path.chmod(0)
    with pytest.raises(InputError, match="chmod"):
        list(read_documents(str(path)))


def test_file_that_can_only_be_read(tmp_path: Path) -> None:
    path = tmp_path / "x.txt"
    path.write_text("a")
    path.chmod(0o444)
    assert [document.text for document in read_documents(str(path))] == ["a"]


def test_too_large(tmp_path: Path) -> None:
    path = tmp_path / "x.txt"
    path.write_bytes(b"a" * (2 << 20))
    with pytest.raises(InputError, match="more than 1 MB"):
        list(read_documents(str(path), limits=Limits(text=1 << 20)))


@pytest.mark.parametrize("ending", [".jsonl", ".jsonl.gz"])
def test_json_lines_are_read(ending: str, tmp_path: Path) -> None:
    rows = [{"id": "1", "text": "a\n\u2028b", "language": "de"}, {"id": "2", "text": "", "protect": ["x"]}]
    data = b"\xef\xbb\xbf" + b"\r\n\n".join(json.dumps(row, ensure_ascii=False).encode() for row in rows)
    path = tmp_path / f"x{ending}"
    path.write_bytes(gzip.compress(data) if ending.endswith("gz") else data)
    assert [(document.id, document.text, document.language) for document in read_documents(str(path))] == [
        ("1", "a\n\u2028b", "de"),
        ("2", "", None),
    ]


@pytest.mark.parametrize(
    ("written", "code"), [('"EN"', "en"), ('"en_US"', "en"), ('" pt-BR "', "pt"), ("null", None), ('"haw"', "haw")]
)
def test_languages_of_rows_are_short_codes(written: str, code: str | None, tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    path.write_text(f'{{"id": "1", "text": "", "language": {written}}}')
    assert [document.language for document in read_documents(str(path))] == [code]


@pytest.mark.parametrize("name", BAD_LINES)
def test_a_bad_line_is_named_before_anything_is_given(name: str, tmp_path: Path) -> None:
    line, message = BAD_LINES[name]
    path = tmp_path / "x.jsonl"
    path.write_text('{"id": "0", "text": "good"}\n' + line + "\n", encoding="utf-8")
    documents = read_documents(str(path))
    with pytest.raises(InputError) as caught:
        next(documents)
    assert message in str(caught.value)
    assert f"{path}, line 2" in str(caught.value)
    assert SECRET not in str(caught.value)


def test_lone_surrogates_in_json_keep_offsets(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    path = tmp_path / "x.jsonl"
    path.write_text(r'{"id": "1", "text": "a\ud83db \ud83d\ude00"}')
    with caplog.at_level(logging.WARNING, "embanon"):
        [document] = read_documents(str(path))
    assert document.text == "a\ufffdb \U0001f600"
    assert [record.getMessage() for record in caplog.records] == [
        f"{path}, line 1: 1 lone surrogates in key 'text' are read as U+FFFD"
    ]


def test_json_lines_are_utf_8(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    path.write_bytes(b'{"id": "1", "text": "caf\xe9"}')
    with pytest.raises(DecodingError, match="line 1: byte 24"):
        list(read_documents(str(path)))
    with pytest.raises(InputError, match="always UTF-8"):
        list(read_documents(str(path), "latin-1"))


@pytest.mark.parametrize("cut", [5, 15, -8, -1])
def test_broken_gzip(cut: int, tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl.gz"
    path.write_bytes(gzip.compress(b'{"id": "1", "text": "a"}\n' * 99)[:cut])
    with pytest.raises(InputError, match="not a whole gzip file"):
        list(read_documents(str(path)))


def test_gzip_in_name_only(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl.gz"
    path.write_text('{"id": "1", "text": "a"}')
    with pytest.raises(InputError, match="gzip"):
        list(read_documents(str(path)))


@pytest.mark.parametrize("limits", [Limits(line=1 << 20), Limits(total=1 << 20)], ids=["line", "total"])
def test_a_small_file_that_unpacks_to_much_is_refused(limits: Limits, tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl.gz"
    path.write_bytes(gzip.compress(b'{"id": "1", "text": "' + b"a" * (2 << 20) + b'"}'))
    with pytest.raises(InputError, match="more than 1 MB"):
        list(read_documents(str(path), limits=limits))


def test_text_never_shows_in_a_repr() -> None:
    assert SECRET not in repr(next(read_bytes(SECRET.encode())))


def read_bytes(data: bytes):  # type: ignore[no-untyped-def]
    from embanon.io.read import text
    from embanon.io.read.limits import LIMITS

    return text.documents(io.BytesIO(data), "x", None, LIMITS)


def test_closed_standard_input_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", None)
    with pytest.raises(InputError, match="standard input is closed"):
        list(read_documents("-"))


@pytest.mark.parametrize(
    ("name", "format"),
    [
        ("a.JSONL", "jsonl"),
        ("a.jsonl.gz", "jsonl.gz"),
        ("a.txt", "text"),
        ("a.MD", "markdown"),
        ("a.htm", "html"),
        ("a.log", None),
        ("-", None),
    ],
)
def test_names_say_the_format(name: str, format: str | None) -> None:
    assert format_of(name) == format


def test_standard_input_may_be_json_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    stream = io.TextIOWrapper(io.BytesIO(b'{"id": "1", "text": "a"}'))
    monkeypatch.setattr(sys, "stdin", stream)
    assert [document.id for document in read_documents("-", format="jsonl")] == ["1"]
