"""Annotated texts to train on: marks are read and left out, swaps keep offsets right, corpora teach what they mark."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

from embanon.document import TYPES
from embeddings.build.annotated import OWN_LETTERS, read_letters, read_marked, read_names, read_records, swap_mentions

MARKED = """=== en-X-01 | a note | protect: Ada Berger (PERSON; Addie, A. B.); Acme (ORG; )
Dear [[Ada|PERSON.given|D|ada]], see [[Oslo|LOC.city|Q|oslo]] on [[3 May|DATETIME.date|Q|day]].

=== en-X-02 | a chat | protect: everyone
[[Ben|PERSON.given|O|ben]]: ok
"""


def test_marks_are_read_and_left_out(tmp_path: Path) -> None:
    path = tmp_path / "en.txt"
    path.write_text(MARKED, "utf-8")
    note, chat = read_marked(path)
    assert note.text == "Dear Ada, see Oslo on 3 May."
    assert [(note.text[one.start : one.end], one.type, one.kind, one.identifier) for one in note.mentions] == [
        ("Ada", "PERSON", "given", "DIRECT"), ("Oslo", "LOC", "city", "QUASI"), ("3 May", "DATETIME", "date", "QUASI"),
    ]  # fmt: skip
    assert note.protect == (("Ada Berger", "PERSON", ("Addie", "A. B.")), ("Acme", "ORG", ()))
    assert (chat.protect, chat.mentions[0].identifier, chat.taught) == ((), "OTHER", TYPES)
    assert "Berger" not in repr(note)


def test_our_own_letters_can_be_read() -> None:
    texts = [text for path in sorted(OWN_LETTERS.glob("*.txt")) for text in read_marked(path)]
    assert {text.language for text in texts} == {"de", "en", "es", "pt"}
    assert len({text.id for text in texts}) == len(texts)
    for text in texts:
        assert "[[" not in text.text.replace("[[[", "[")
        assert all(one.type in TYPES and 0 <= one.start < one.end <= len(text.text) for one in text.mentions)


def test_swapped_mentions_are_where_they_say(tmp_path: Path) -> None:
    path = tmp_path / "en.txt"
    path.write_text(MARKED.replace("[[Ben|", "[[Eve|"), "utf-8")
    texts = list(read_marked(path))
    known = {text.text[one.start : one.end] for text in texts for one in text.mentions}
    for seed in range(5):
        for before, after in zip(texts, swap_mentions(texts, seed), strict=True):
            assert [one.kind for one in after.mentions] == [one.kind for one in before.mentions]
            assert {after.text[one.start : one.end] for one in after.mentions} <= known


def test_corpora_teach_what_they_mark(tmp_path: Path) -> None:
    path = tmp_path / "news.conll.gz"
    path.write_bytes(gzip.compress(b"Ada\tB-PER\nBerger\tI-PER\nleft\tO\nOslo\tB-LOC\n.\tO\n\n(\tO\nNo\tO\n)\tO\n\n"))
    (text,) = read_names(path, "en")
    assert text.text == "Ada Berger left Oslo.\n(No)\n"
    assert [text.text[one.start : one.end] for one in text.mentions] == ["Ada Berger", "Oslo"]
    assert set(text.taught) == {"PERSON", "ORG", "LOC"}
    records = tmp_path / "records.jsonl.gz"
    rows = [
        {"id": "1", "text": "Ana, 3 años", "spans": [[0, 3, "NOMBRE_SUJETO"], [5, 11, "EDAD_X"], [0, 2, "UNKNOWN"]]}
    ]
    records.write_bytes(gzip.compress(json.dumps(rows[0]).encode()))
    (record,) = read_records(records, "es", "records", ("PERSON",))
    assert [(one.start, one.end, one.type) for one in record.mentions] == [(0, 3, "PERSON"), (5, 11, "DEM")]


def test_letters_of_json_lines(tmp_path: Path) -> None:
    row = {
        "id": "a", "language": "en", "genre": "note", "text": "Ada left.", "protect": "everyone",
        "mentions": [{"start": 0, "end": 3, "type": "PERSON", "identifier": "DIRECT", "entity": "e"}],
    }  # fmt: skip
    path = tmp_path / "letters.jsonl.gz"
    path.write_bytes(gzip.compress(json.dumps(row).encode()))
    (letter,) = read_letters(path)
    assert (letter.protect, letter.mentions[0].type) == ((), "PERSON")
