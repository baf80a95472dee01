"""Whom to protect: every way to say it, and what is wrong said without quoting a name."""

from __future__ import annotations

import gzip
import io
import json
import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given as drawn, strategies as st

from embanon.document import Document
from embanon.entities.entity import Entity
from embanon.entities.protected import (
    ProtectedEntities,
    ProtectionRules,
    parse_entity,
    protected_from_row,
    read_protection_file,
    rules_from_options,
)
from embanon.errors import ConfigError, EmbanonError, InputError
from embanon.io.read import read_documents
from embanon.io.read.limits import Limits
from embanon.linkage.exposure import read_background

SECRET = "Geheimnis"
ADA, BEN = Entity("Ada Berger"), Entity("Ben Marsk")


@pytest.mark.parametrize(
    ("row", "expected"),
    [
        ({}, ProtectedEntities()),
        ({"protect": None, "others": None}, ProtectedEntities()),
        ({"protect": []}, ProtectedEntities()),
        ({"protect": "Ada Berger"}, ProtectedEntities((ADA,))),
        ({"protect": ["Ada Berger", {"name": " Ben Marsk "}]}, ProtectedEntities((ADA, BEN))),
        ({"protect": {"name": "Ada Berger"}}, ProtectedEntities((ADA,))),
        ({"protect": ["Ada Berger", "Ada Berger"]}, ProtectedEntities((ADA,))),
        ({"protect": ("Ada Berger",)}, ProtectedEntities((ADA,))),
        ({"protect": "Ada Berger", "others": "Ben Marsk"}, ProtectedEntities((ADA,), (BEN,))),
        ({"protect": "Ada Berger", "others": ["Ada Berger", "Ben Marsk"]}, ProtectedEntities((ADA,), (BEN,))),
        ({"others": ["Ben Marsk"]}, ProtectedEntities((), (BEN,))),
        ({"protect": "everyone"}, ProtectedEntities(everyone=True)),
        ({"protect": ["everyone", "Ada Berger"]}, ProtectedEntities((ADA,), everyone=True)),
        ({"protect": "everyone", "others": ["Ben Marsk"]}, ProtectedEntities((), (BEN,), everyone=True)),
        ({"protect": {"name": "Velland", "aliases": "V.", "type": "ORG"}},
         ProtectedEntities((Entity("Velland", ("V.",), "ORG"),))),
        ({"protect": {"name": "gout", "type": "TOPIC", "description": "An illness.", "samples": ["It hurts."]}},
         ProtectedEntities((Entity("gout", (), "TOPIC", "An illness.", ("It hurts.",)),))),
    ],
)  # fmt: skip
def test_lines(row: dict[str, Any], expected: ProtectedEntities) -> None:
    assert ProtectedEntities() + protected_from_row(row, "x") == expected
    assert ProtectionRules().for_document("x", row) == expected
    assert bool(expected) == bool(expected.entities or expected.everyone)


WRONG = [
    "", " ", "?!", 0, 1, True, False, 1.5, {}, [[]], [None], [""], {"name": ""}, {"name": 1}, {"name": None},
    {"nam": SECRET}, {"name": "x", SECRET: 1}, {SECRET: "PERSON"}, {"name": SECRET, "type": "person"},
    {"name": SECRET, "type": [SECRET]}, {"name": SECRET, "aliases": 1}, {"name": SECRET, "aliases": [1]},
    {"name": SECRET, "aliases": [" "]}, {"name": SECRET, "aliases": {SECRET: 1}}, {"name": SECRET, "aliases": None},
    {"name": SECRET, "samples": [SECRET, 2]}, {"name": SECRET, "description": [SECRET]}, [SECRET, [SECRET]],
]  # fmt: skip


@pytest.mark.parametrize("value", WRONG, ids=repr)
@pytest.mark.parametrize("key", ["protect", "others"])
def test_wrong_lines(key: str, value: Any) -> None:
    with pytest.raises(InputError) as caught:
        ProtectionRules().for_document("letter 7", {key: value})
    assert SECRET not in str(caught.value)
    assert str(caught.value).startswith(f"letter 7, key {key!r}: ")


def test_fields_name_more() -> None:
    asked = rules_from_options(None, ["Ben Marsk"], ["who", "more"])
    found = asked.for_document("x", {"who": "Ada Berger", "more": [], "protect": "Cora Tolland"})
    assert found.entities == (BEN, Entity("Cora Tolland"), ADA)
    assert asked.for_document("x", {"who": "everyone", "more": []}).everyone
    with pytest.raises(InputError, match="letter 7: key 'more' of --protect-field is missing"):
        asked.for_document("letter 7", {"who": SECRET})
    with pytest.raises(InputError, match="letter 7, key 'who': an entity is a name"):
        asked.for_document("letter 7", {"who": 5, "more": []})


def test_names_of_a_command_line(tmp_path: Path) -> None:
    (tmp_path / "e").write_text("Ada Berger\n")
    assert rules_from_options(str(tmp_path / "e"), ["Ben Marsk", "everyone"], ()).for_all == ProtectedEntities(
        (ADA, BEN), everyone=True
    )
    with pytest.raises(InputError, match="--protect: "):
        rules_from_options(None, ["?"], ())
    assert not rules_from_options(None, [], ()).for_all


# Files


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Ada Berger", ProtectedEntities((ADA,))),
        ("\ufeffAda Berger\r\n\r\n  Ben Marsk\t\n", ProtectedEntities((ADA, BEN))),
        ('"Ada Berger"\n{"name": "Ben Marsk"}\nAda Berger\n', ProtectedEntities((ADA, BEN))),
        ('["Ada Berger", {"name": "Ben Marsk"}]', ProtectedEntities((ADA, BEN))),
        ("everyone\n", ProtectedEntities(everyone=True)),
        ("# whom we protect\nEveryone \n# Ben Marsk\n", ProtectedEntities(everyone=True)),
        ('{"name": "Ada\u2028Berger"}\nA\x85B', ProtectedEntities((Entity("Ada\u2028Berger"), Entity("A\x85B")))),
        ("王小明\nسعاد\n", ProtectedEntities((Entity("王小明"), Entity("سعاد")))),
    ],
)
def test_files(text: str, expected: ProtectedEntities, tmp_path: Path) -> None:
    (tmp_path / "e").write_bytes(text.encode())
    found = read_protection_file(str(tmp_path / "e"))
    assert (found.for_all, found.by_document) == (expected, {})


def test_lines_of_documents(tmp_path: Path) -> None:
    rows = [{"id": "1", "protect": ["Ada Berger"]}, {"id": "2", "protect": "everyone", "others": ["Ben Marsk"]},
            {"id": "1", "protect": "Ben Marsk"}, {"id": "3", "protect": []}]  # fmt: skip
    (tmp_path / "e").write_text("\n".join(map(json.dumps, rows)) + "\nCora Tolland\n")
    found, cora = read_protection_file(str(tmp_path / "e")), Entity("Cora Tolland")
    assert found.for_document("1", {}) == ProtectedEntities((cora, ADA, BEN))
    assert found.for_document("2", {}) == ProtectedEntities((cora,), (BEN,), everyone=True)
    assert found.for_document("4", {"protect": "Ben Marsk"}) == ProtectedEntities((cora, BEN))


def deep(count: int) -> bytes:
    return b'{"name": ' + b"[" * count + b"]" * count + b"}"


BAD = {
    "empty": (b"", ConfigError, "names nobody to protect"),
    "blank": (b"\n \n\t\n", ConfigError, "names nobody to protect"),
    "cut": (f'Ada\n{{"name": "{SECRET}'.encode(), InputError, "line 2: not JSON"),
    "pretty": (f'{{\n  "name": "{SECRET}"\n}}'.encode(), InputError, "line 1: not JSON"),
    "deep": (deep(100_000), InputError, "line 1: not JSON"),
    "digits": (b'{"name": ' + b"9" * 10_000 + b"}", InputError, "line 1: not JSON"),
    "latin": (f"{SECRET} B\xe9rger".encode("latin-1"), InputError, "is not UTF-8; save the file as UTF-8"),
    "utf-16": (SECRET.encode("utf-16"), InputError, "is not UTF-8; save the file as UTF-8"),
    "image": (b"\x89PNG\r\n\x1a\n" + bytes(50), InputError, "an image"),
    "gzip": (b"\x1f\x8b\x08" + bytes(50), InputError, "gzip"),
    "zeros": (b"Ada\x00Berger", InputError, "is not text"),
    "signs": (f"{SECRET}\n?!\n".encode(), InputError, "line 2: the name of an entity must have a letter or digit"),
    "keys": (f'{{"name": "Ada", "{SECRET}": 1}}'.encode(), InputError, "line 1: an entity has a key"),
    "list": (f'["{SECRET}", 5]'.encode(), InputError, "line 1: an entity is a name"),
    "type": (f'{{"name": "{SECRET}", "type": "{SECRET}"}}'.encode(), InputError, "type of an entity must be one of"),
    "protect": (f'{{"id": "1", "protect": [["{SECRET}"]]}}'.encode(), InputError, "line 1, key 'protect': an entity"),
    "others": (f'{{"id": "1", "protect": [], "others": ["{SECRET}", 1]}}'.encode(), InputError, "line 1, key 'others'"),
    "no id": (f'{{"protect": ["{SECRET}"]}}'.encode(), InputError, "line 1: an entity has a key"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_files(name: str, tmp_path: Path) -> None:
    data, kind, message = BAD[name]
    (tmp_path / "e").write_bytes(data)
    with pytest.raises(kind) as caught:
        read_protection_file(str(tmp_path / "e"))
    assert message in str(caught.value)
    assert str(tmp_path / "e") in str(caught.value)
    assert SECRET not in str(caught.value)


def test_no_file(tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "none"):
        with pytest.raises(InputError, match=str(path)):
            read_protection_file(str(path))


def test_a_huge_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "e").write_text(f"{SECRET}\n" * 500)
    monkeypatch.setattr(
        "embanon.entities.protected.read_documents", lambda *words: read_documents(*words, limits=Limits(text=1000))
    )
    with pytest.raises(InputError, match="split it"):
        read_protection_file(str(tmp_path / "e"))


def test_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"Ada Berger\n")))
    assert read_protection_file("-").for_all.entities == (ADA,)


def test_ten_thousand_entities(tmp_path: Path) -> None:
    (tmp_path / "e").write_text("".join(f"Person {number}\n" for number in range(10_000)))
    begin = time.process_time()
    assert len(read_protection_file(str(tmp_path / "e")).for_document("x", {}).entities) == 10_000
    assert time.process_time() - begin < 2


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5) | st.just(SECRET),
    lambda some: (
        st.lists(some, max_size=3)
        | st.dictionaries(
            st.sampled_from(["name", "aliases", "type", "samples", "description", SECRET]), some, max_size=4
        )
    ),
    max_leaves=8,
)


@drawn(VALUES)
def test_any_value_is_read_or_refused(value: Any) -> None:
    message, found = "", ProtectedEntities()
    try:
        found = protected_from_row({"protect": value}, "x")
    except EmbanonError as exc:
        message = str(exc)
    assert SECRET not in message + repr(found)
    assert all(any(map(str.isalnum, one.name)) for one in found.entities)


def test_adding_keeps_order() -> None:
    one, other = ProtectedEntities((ADA,), (BEN,)), ProtectedEntities((BEN, ADA))
    assert one + other == ProtectedEntities((ADA, BEN))
    assert parse_entity("Ada Berger", "x") == ADA


def test_one_who_is_named_twice_is_one() -> None:
    one = ProtectedEntities((ADA, Entity("Velland", type="ORG")))
    more = Entity("ada  berger", ("A. B.",), "PERSON", "A singer.", ("She sang.",))
    other = ProtectedEntities(
        (more, Entity("Velland", type="LOC"), Entity("Ada Berger", ("A. B.", "Ada B."))), (ADA, BEN)
    )
    whole = Entity("Ada Berger", ("A. B.", "Ada B."), "PERSON", "A singer.", ("She sang.",))
    assert one + other == ProtectedEntities((whole, *one.entities[1:], other.entities[1]), (BEN,))


# Public text


def background(path: Path, *rows: Any) -> str:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return str(path)


def test_backgrounds(tmp_path: Path) -> None:
    rows = [{"name": "Ada Berger", "text": "An actress."}, {"title": "Ben Marsk", "text": "A chemist."},
            {"name": "Ada Berger", "text": "Of Velland."}]  # fmt: skip
    found = read_background(background(tmp_path / "b", *rows), "auto")
    assert found.background.names == ("Ada Berger", "Ben Marsk")
    assert found.find_target(ADA) == 0
    packed = tmp_path / "b.jsonl.gz"
    packed.write_bytes(gzip.compress((tmp_path / "b").read_bytes()))
    assert read_background(str(packed), "auto").background.names == found.background.names


@pytest.mark.parametrize(
    ("rows", "kind"),
    [
        ([], ConfigError), ([{"name": SECRET, "text": "x"}], ConfigError), ([{"name": SECRET}], InputError),
        ([{"text": SECRET}], InputError), ([{"name": " ", "text": SECRET}], InputError), ([SECRET], InputError),
        ([{"name": [SECRET], "text": SECRET}], InputError), ([{"name": "x", "text": [SECRET]}], InputError),
    ],
)  # fmt: skip
def test_bad_backgrounds(rows: list[Any], kind: type[EmbanonError], tmp_path: Path) -> None:
    with pytest.raises(kind) as caught:
        read_background(background(tmp_path / "b", *rows), "en")
    assert SECRET not in str(caught.value)


def test_fields_of_a_line(tmp_path: Path) -> None:
    row = {"id": "1", "text": "x", "language": "en", "protect": [SECRET], "more": 1}
    (document,) = read_documents(background(tmp_path / "d.jsonl", row))
    assert document.fields == {"protect": [SECRET], "more": 1}
    assert document == Document("1", "x", "en")
    assert hash(document) == hash(Document("1", "x", "en"))
    assert SECRET not in repr(document)
