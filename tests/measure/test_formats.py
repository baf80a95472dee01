"""Readers of gold and of outputs: every notation, and every way in which a file can be wrong."""

from __future__ import annotations

import codecs
import gzip
import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, strategies as st

from embanon.errors import EmbanonError, InputError
from embanon.io.read.limits import Limits
from embanon.measure.annotations import DIRECT, NO_MASK, Mention
from embanon.measure.formats import read_gold, read_output
from embanon.measure.formats.matching import match_output
from tests.conftest import SECRET

TEXT = "Ada Berger met Ben in Velland."
ADA, BEN = (0, 10), (15, 18)


def write(folder: Path, value: Any, name: str = "x.json") -> str:
    """Write bytes, or JSON: a list of rows is written as lines where the name says so."""
    if not isinstance(value, bytes):
        lines = "\n".join(map(json.dumps, value)) if ".jsonl" in name else json.dumps(value, indent=1)
        value = gzip.compress(lines.encode()) if name.endswith(".gz") else lines.encode()
    (folder / name).write_bytes(value)
    return str(folder / name)


def refused(read: Callable[[], object]) -> str:
    """Return what is said of an input that cannot be read, which tells nothing of its text."""
    with pytest.raises(EmbanonError) as caught:
        read()
    assert caught.value.exit_code == 3
    assert not any(word in str(caught.value) for word in (SECRET, "Ada", "Velland"))
    return str(caught.value)


def tab(**more: Any) -> dict[str, Any]:
    mention = {"start_offset": 0, "end_offset": 10, "entity_type": "PERSON", "entity_id": "e1", "span_text": TEXT[:10]}
    return {
        "doc_id": "1", "text": TEXT, "annotations": {"annotator1": {"entity_mentions": [
            {**mention, "identifier_type": DIRECT, "replacement": {"generalizations": {}}, **more},
            {"start_offset": 15, "end_offset": 18, "entity_type": "UNKNOWN", "identifier_type": NO_MASK},
        ]}, "annotator2": {"entity_mentions": []}},
    }  # fmt: skip


def lines(**more: Any) -> dict[str, Any]:
    return {"id": "1", "text": TEXT, "spans": [[0, 10, "PERSON"], {"start": 15, "end": 18}], **more}


ADA_MENTION, BEN_MENTION = Mention(*ADA, "PERSON"), Mention(*BEN)


# Gold


@pytest.mark.parametrize("name", ["x.json", "x.jsonl", "x.jsonl.gz", "x.json.gz", "x.any"])
def test_documents_of_the_benchmark(name: str, tmp_path: Path) -> None:
    (gold,) = read_gold(write(tmp_path, [tab()], name))
    first, second = gold.annotations
    assert (gold.id, gold.text, first.annotator) == ("1", TEXT, "annotator1")
    assert first.mentions == (Mention(*ADA, "PERSON", "e1", DIRECT), Mention(*BEN, None, None, NO_MASK))
    assert first.mentions_to_mask == first.mentions[:1]
    assert second.mentions == ()


@pytest.mark.parametrize("name", ["x.json", "x.jsonl", "x.jsonl.gz"])
def test_lines_with_spans(name: str, tmp_path: Path) -> None:
    (gold,) = read_gold(write(tmp_path, [lines(language="en_GB")], name))
    assert gold.annotations[0].mentions == (ADA_MENTION, BEN_MENTION)
    assert (gold.text, gold.language) == (TEXT, "en")


def test_a_single_object_is_a_document(tmp_path: Path) -> None:
    assert len(read_gold(write(tmp_path, lines()))) == len(read_gold(write(tmp_path, tab()))) == 1


def brat(folder: Path, marks: str, text: str | None = TEXT, name: str = "a/1") -> str:
    (folder / "b" / name).parent.mkdir(parents=True, exist_ok=True)
    if text is not None:
        (folder / "b" / f"{name}.txt").write_bytes(text.encode())
    (folder / "b" / f"{name}.ann").write_bytes(marks.encode())
    return str(folder / "b")


MARKS = """T1\tPERSON 0 10\tAda Berger
A1\tKnown T1
N1\tReference T1 Q:Q1\tAda
#1\tAnnotatorNotes T1\tsure
R1\tMet Arg1:T1 Arg2:T2
*\tEquiv T1 T2
T2\tPERSON 0 3;15 18\tAda Ben
"""


def test_folders_of_brat(tmp_path: Path) -> None:
    for marks in (MARKS, MARKS.replace("\n", "\r\n")):
        (gold,) = read_gold(brat(tmp_path, marks))
        assert gold.id == "a/1"
        assert gold.annotations[0].mentions == (
            ADA_MENTION, Mention(0, 3, "PERSON", "T2"), Mention(*BEN, "PERSON", "T2"),
        )  # fmt: skip
    (system,) = read_output(brat(tmp_path, MARKS))
    assert (system.name, system.documents[0].text) == ("b", TEXT)


def test_a_span_over_lines_is_quoted_with_spaces(tmp_path: Path) -> None:
    (gold,) = read_gold(brat(tmp_path, "T1\tPERSON 0 10\tAda Berger\n", TEXT.replace(" ", "\n")))
    assert gold.annotations[0].mentions == (ADA_MENTION,)


# Outputs


EDIT = {"start": 0, "end": 10, "replacement": "a woman", "risk": 1.0, "type": "PERSON", "entity": "e1", "rung": "x"}
PRESIDIO = [{"entity_type": "PERSON", "start": 0, "end": 10, "score": 0.9, "analysis_explanation": None},
            {"entity_type": "PERSON", "start": 15, "end": 18, "score": 0.3}]  # fmt: skip
PHRASES = [{"start": 0, "end": 10, "type": "PERSON", "risk": 0.7}, {"start": 15, "end": 18, "type": "PERSON",
            "risk": 0.3}, {"start": 22, "end": 29, "type": "LOC", "risk": None}]  # fmt: skip
PEOPLE = (ADA_MENTION, Mention(*BEN, "PERSON"))
VELLAND = Mention(22, 29, "LOC")

# name: how the file is named, what it holds, the limit, the mentions
OUTPUTS: dict[str, tuple[str, Any, float | None, tuple[Mention, ...]]] = {
    "masks": ("x.json", {"1": [[0, 10], [15, 18]]}, None, (Mention(*ADA), BEN_MENTION)),
    "nothing is masked": ("x.json", {"1": []}, None, ()),
    "lines": ("x.jsonl", [lines()], None, (ADA_MENTION, BEN_MENTION)),
    "lines without text": ("x.jsonl", [{"id": "1", "spans": [[0, 10, "PERSON", "she"]]}], None,
                           (Mention(*ADA, "PERSON", replacement="she"),)),
    "peers": ("x.jsonl", [{"system": "a", "spans": {"1": [[0, 10]]}}], None, (Mention(*ADA),)),
    "peers with types": ("x.json", {"system": "a", "spans": {"1": [[0, 10, "PERSON"]]}}, None, (ADA_MENTION,)),
    "peers with replacements": ("x.json", {"system": "a", "spans": {"1": [[0, 10, "she"], [15, 18, "XY"]]}}, None,
                                (Mention(*ADA, replacement="she"), Mention(*BEN, replacement="XY"))),
    "results of one document": ("x.json", PRESIDIO, None, PEOPLE),
    "results by order": ("x.json", [PRESIDIO], None, PEOPLE),
    "results by id": ("x.json", {"1": PRESIDIO}, None, PEOPLE),
    "results by line": ("x.jsonl", [{"id": "1", "text": TEXT, "results": PRESIDIO}], None, PEOPLE),
    "results without their words": ("x.json", {"1": [one | {"text": ""} for one in PRESIDIO]}, None, PEOPLE),
    "results above a score": ("x.json", {"1": PRESIDIO}, 0.5, PEOPLE[:1]),
    "edits": ("x.jsonl", [{"id": "1", "text": "a woman met Ben in Velland.", "edits": [EDIT], "embanon": {}}], None,
              (Mention(*ADA, "PERSON", replacement="a woman"),)),
    "edits beside spans that were carried along": (
        "x.jsonl", [{"id": "1", "text": "a woman met Ben in Velland.", "edits": [EDIT], "spans": [[0, 7], [15, 18]]}],
        None, (Mention(*ADA, "PERSON", replacement="a woman"),)),
    "risks": ("x.jsonl", [{"id": "1", "risk": 1, "phrases": PHRASES, "unknown": 1}], None, (ADA_MENTION, VELLAND)),
    "risks and a limit": ("x.jsonl", [{"id": "1", "risk": 1, "phrases": PHRASES}], 0.8, (VELLAND,)),
    "phrases": ("x.jsonl", [{"id": "1", "language": "en", "phrases": [
        {"start": 0, "end": 10, "type": "PERSON", "kind": "x"}]}], None, (ADA_MENTION,)),
}  # fmt: skip


@pytest.mark.parametrize("name", OUTPUTS)
def test_outputs(name: str, tmp_path: Path) -> None:
    file, value, limit, expected = OUTPUTS[name]
    (system,) = read_output(write(tmp_path, value, file), limit=limit)
    (pair,) = match_output(read_gold(write(tmp_path, [lines()], "gold.jsonl")), system).pairs
    assert pair.output.mentions == expected
    assert system.name == ("a" if name.startswith("peers") else "x")


def test_several_systems(tmp_path: Path) -> None:
    rows = [{"system": name, "spans": {"1": [[0, 10]], "2": []}} for name in ("b", "a")]
    systems = read_output(write(tmp_path, rows, "x.jsonl"))
    assert [(one.name, len(one.documents)) for one in systems] == [("b", 2), ("a", 2)]


def test_a_byte_order_mark_is_none_of_the_text(tmp_path: Path) -> None:
    for mark, codec in ((codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16-le")):
        (tmp_path / "x.jsonl").write_bytes(mark + json.dumps(lines()).encode(codec))
        assert read_gold(str(tmp_path / "x.jsonl"))[0].annotations[0].mentions == (ADA_MENTION, BEN_MENTION)
    (gold,) = read_gold(write(tmp_path, lines(text="\ufeff" + TEXT)))
    assert gold.text == "\ufeff" + TEXT


def test_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    for data in (json.dumps(lines()).encode(), gzip.compress(json.dumps(lines()).encode())):
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(data), "utf-8"))
        assert len(read_gold("-")) == 1
    monkeypatch.setattr("sys.stdin", None)
    with pytest.raises(InputError, match="standard input is closed"):
        read_gold("-")


SPANS = st.integers(0, 40).flatmap(lambda size: st.tuples(
    st.text("aä\u0301😀 \n", min_size=size + 1, max_size=size + 1), st.lists(
        st.tuples(st.integers(0, size), st.integers(1, 5)).map(lambda one: [one[0], min(one[0] + one[1], size + 1)]))
))  # fmt: skip


@given(SPANS)
def test_offsets_are_code_points_in_every_notation(
    tmp_path_factory: pytest.TempPathFactory, given_: tuple[str, list[list[int]]]
) -> None:
    text, spans = given_
    folder = tmp_path_factory.mktemp("x")
    mentions = [{"start_offset": s, "end_offset": e, "span_text": text[s:e]} for s, e in spans]
    golds = [
        {"id": "1", "text": text, "spans": spans},
        {"doc_id": "1", "text": text, "annotations": {"a": {"entity_mentions": mentions}}},
    ]
    for value in golds:
        (gold,) = read_gold(write(folder, value))
        assert [[one.start, one.end] for one in gold.annotations[0].mentions] == spans
        (system,) = read_output(write(folder, {"1": spans}))
        assert match_output((gold,), system).pairs[0].output.mentions == gold.annotations[0].mentions


# What is wrong

LONG = [{"id": str(number), "text": TEXT, "spans": []} for number in range(5)]

# name: how the file is named, its bytes or value, what the message says
BAD_GOLD: dict[str, tuple[str, Any, str]] = {
    "empty": ("x.json", b"", "x.json: is empty"),
    "only space": ("x.jsonl", b" \n\n", "x.jsonl: is empty"),
    "an empty list": ("x.json", [], "x.json: has no document"),
    "not JSON": ("x.json", SECRET.encode(), "x.json, line 1, column 1: not JSON"),
    "not JSON further down": ("x.json", b'[\n{"a": 1},\n' + SECRET.encode(), "x.json, line 3, column 1: not JSON"),
    "a broken line": ("x.jsonl", b'{"id": "1", "text": "a", "spans": []}\n{"id"', "line 2, column 6: not JSON"),
    "cut off": ("x.json", json.dumps([tab()])[:-9].encode(), "x.json, line 1, column "),
    "too deep": ("x.json", b"[" * 100_000, "too deep or too large"),
    "a number that is none": ("x.json", b'{"id": "1", "text": "a", "spans": [[0, NaN]]}', "a number that is none"),
    "a number of too many digits": ("x.json", b'{"a": ' + b"9" * 5000 + b"}", "too deep or too large"),
    "a key twice": ("x.json", b'{"id": "1", "id": "2", "text": "a", "spans": []}', "the same key twice"),
    "wrong encoding": ("x.json", b'{"id": "caf\xe9"}', "x.json: byte 11 (line 1) is not UTF-8; save the file as UTF-8"),
    "UTF-16 without a mark": ("x.json", json.dumps(lines()).encode("utf-16-le"), "a mark; save the file as UTF-8"),
    "half of a gzip file": ("x.json", gzip.compress(b"{}")[:-4], "is not a whole gzip file"),
    "a zip file": ("x.json", b"PK\x03\x04", "is a ZIP file"),
    "no object": ("x.json", [1], "its format is not known; name it: --gold-format tab|standoff|brat"),
    "no object further on": ("x.jsonl", [lines(), 1], "x.jsonl, line 2: must be an object, not a number"),
    "no id": ("x.json", {"text": "a", "spans": []}, "x.json: key 'id' is missing"),
    "no text": ("x.json", {"id": "a", "spans": []}, "x.json: key 'text' is missing; first comes the output"),
    "no spans": ("x.json", {"id": "a", "text": SECRET}, "x.json: has texts, but no spans in them"),
    "an id that is a number": ("x.json", lines(id=1), "key 'id' must be a string, not a number"),
    "the same document twice": ("x.jsonl", [lines(), lines()], "document '1' is there already (x.jsonl, line 1)"),
    "outside the text": ("x.json", lines(spans=[[0, 10], [22, 31]]),
                         "document '1', span 2: 22-31 lies outside the text, which has 30 characters"),
    "without an end": ("x.json", lines(spans=[{"start": 1}]), "span 1: its end must be a whole number, and is missing"),
    "ends where it starts": ("x.json", lines(spans=[[3, 3]]), "span 1: starts at 3 and ends at 3"),
    "ends before it starts": ("x.json", lines(spans=[[5, 3]]), "document '1', span 1: starts at 5 and ends at 3"),
    "below 0": ("x.json", lines(spans=[[-3, 3]]), "its start is -3; offsets count from 0"),
    "no whole number": ("x.json", lines(spans=[[0, 3.0]]), "its end must be a whole number, not 3.0"),
    "a truth value": ("x.json", lines(spans=[[True, 3]]), "its start must be a whole number, not true or false"),
    "a string": ("x.json", lines(spans=[["0", 3]]), "its start must be a whole number, not a string"),
    "one item": ("x.json", lines(spans=[[0]]), "span 1: is a list of 1; it looks like"),
    "spans that are none": ("x.json", lines(spans=[SECRET]), "span 1: must be a list or an object, not a string"),
    "a type that is a number": ("x.json", lines(spans=[[0, 3, 4]]), "span 1: its type must be a string, not a number"),
    "no annotator": ("x.json", [{**tab(), "annotations": {}}], "item 1: document '1' has no annotator"),
    "annotations that are none": ("x.json", [{**tab(), "annotations": []}], "key 'annotations' must be an object"),
    "an annotator that is none": ("x.json", [{**tab(), "annotations": {"a": 1}}], "annotator 'a': must be an object"),
    "no mentions": ("x.json", [{**tab(), "annotations": {"a": {}}}], "'a': key 'entity_mentions' is missing"),
    "an unknown identifier": ("x.json", [tab(identifier_type=SECRET)],
                              "'annotator1', span 1 (0-10): its identifier type must be one of DIRECT, QUASI"),
    "other words than are quoted": ("x.json", [tab(span_text=SECRET)], "span 1 (0-10): quotes other words"),
    "an output": ("x.json", {"1": [[0, 3]]}, "x.json: is an output (masks), not gold; first comes the output"),
}  # fmt: skip


@pytest.mark.parametrize("name", BAD_GOLD)
def test_bad_gold_is_named_and_not_quoted(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file, value, message = BAD_GOLD[name]
    monkeypatch.chdir(tmp_path)
    write(tmp_path, value, file)
    assert message in refused(lambda: read_gold(file))


BAD_OUTPUTS: dict[str, tuple[str, Any, str]] = {
    "gold": ("x.json", [tab()], "is gold (tab), not an output"),
    "unknown": ("x.json", {"a": 1}, "name it: --format peers|standoff|embanon|presidio|masks|brat"),
    "published": ("x.jsonl", [{"id": "1", "text": SECRET}] * 2, "has texts, but no spans in them (anonymize --publish"),
    "of Presidio's anonymizer": ("x.json", {"text": SECRET, "items": [{"start": 0, "end": 3}]}, "of its analyzer"),
    "wrong encoding": ("x.json", b'{"1": "caf\xe9"}', "is not UTF-8; save the file as UTF-8"),
    "outside the text": ("x.json", {"1": [[0, 31]]}, "document '1', span 1: 0-31 lies outside the text"),
    "ends before it starts": ("x.json", {"1": [[0, 3], [7, 4]]}, "x.json: document '1', span 2: starts at 7"),
    "a document twice": ("x.json", b'{"1": [], "1": []}', "the same key twice"),
    "a system twice": ("x.jsonl", [{"system": "a", "spans": {"1": []}}] * 2, "document '1' is there already"),
    "another document": ("x.json", {"2": []}, "no document is in the gold; the output has '2'"),
    "more documents": ("x.json", {"1": [], "2": [], "3": [], "4": [], "5": []},
                       "has documents that the gold lacks (4): '2', '3', '4' and 1 more; to leave them out"),
    "results of two documents": ("x.json", [PRESIDIO, PRESIDIO], "2 documents have no ids, and the gold has 1"),
    "results with and without ids": ("x.jsonl", [{"id": "1", "results": []}, PRESIDIO], "line 1: some documents of"),
    "results without and with ids": ("x.jsonl", [PRESIDIO, {"id": "1", "results": []}], "line 1: some documents of"),
    "another length": ("x.json", lines(text=TEXT + "\r"), "its text has 31 characters, that of the gold 30"),
    "another text": ("x.json", lines(text=TEXT.replace("Ben", "Bea")), "that of the gold from offset 17 on"),
    "other words than are quoted": ("x.json", {"1": [{"entity_type": "PERSON", "start": 0, "end": 10, "score": 1,
                                    "text": SECRET}]}, "x: document '1', span 1 (0-10): quotes other words"),
    "bytes instead of code points": ("x.json", {"id": "1", "phrases": [PHRASES[0], {"start": 14, "end": 17,
                                     "text": "Ben"}]}, "document '1', span 2 (14-17): quotes other words"),
    "edits of another text": ("x.json", {"id": "1", "text": "she met Ben in Velland.", "edits": [EDIT]},
                              "is not that of the gold with its edits, from offset 0 of the output on"),
    "edits that overlap": ("x.json", {"id": "1", "text": "", "edits": [EDIT, {**EDIT, "start": 5}]},
                           "document '1': the edits at 0 and 5 overlap"),
    "a risk that is none": ("x.json", {"id": "1", "phrases": [{**PHRASES[0], "risk": SECRET}]}, "must be a number"),
    "no edits": ("x.jsonl", [{"id": "1", "edits": [], "text": TEXT}, {"id": "2", "text": TEXT}],
                 "line 2: key 'phrases' is missing; what --publish writes has no edits"),
}  # fmt: skip


@pytest.mark.parametrize("name", BAD_OUTPUTS)
def test_bad_outputs_are_named_and_not_quoted(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file, value, message = BAD_OUTPUTS[name]
    monkeypatch.chdir(tmp_path)
    write(tmp_path, value, file)
    gold = read_gold(write(tmp_path, lines(), "gold.json"))
    assert message in refused(lambda: match_output(gold, read_output(file)[0]))


def test_a_score_that_is_missing(tmp_path: Path) -> None:
    path = write(tmp_path, {"1": [{"entity_type": "PERSON", "start": 0, "end": 3}]})
    assert len(read_output(path)[0].documents[0].mentions) == 1
    with pytest.raises(InputError, match="results without a score; leave --limit out"):
        read_output(path, limit=0.5)


def test_missing_documents(tmp_path: Path) -> None:
    golds = read_gold(write(tmp_path, LONG))
    (system,) = read_output(write(tmp_path, {"1": [[0, 3]], "x": []}))
    with pytest.raises(InputError, match=r"lacks 4 of 5 documents of the gold: '0', '2', '3' and 1 more; .*--missing"):
        match_output(golds, system)
    found = match_output(golds, system, lenient=True)
    assert (found.missing_ids, found.extra_ids) == (("0", "2", "3", "4"), ("x",))
    assert [len(pair.output.mentions) for pair in found.pairs] == [0, 1, 0, 0, 0]


# name: marks, text, what the message says
BAD_BRAT = {
    "outside": ("T1\tX 0 31\tAda\n", TEXT, "1.ann, line 1, span 1: 0-31 lies outside the text"),
    "other words": (f"\nT1\tX 0 3\t{SECRET}\n", TEXT, "1.ann, line 2, span 1 (0-3): quotes other words"),
    "no offsets": (f"T1\tX\t{SECRET}\n", TEXT, "line 1: is not T1<tab>TYPE START END<tab>WORDS"),
    "no numbers": ("T1\tX ½ 3\ta\n", TEXT, "line 1: is not T1"),
    "huge numbers": (f"T1\tX 0 {'9' * 5000}\ta\n", TEXT, "line 1: is not T1"),
    "ends before it starts": ("T1\tX 3 1\t\n", TEXT, "line 1: starts at 3 and ends at 1"),
    "binary": ("T1\tX 0 1\tA\n", "%PDF-", "1.txt: is a PDF file"),
}


@pytest.mark.parametrize("name", BAD_BRAT)
def test_bad_folders_of_brat(name: str, tmp_path: Path) -> None:
    marks, text, message = BAD_BRAT[name]
    with pytest.raises(EmbanonError) as caught:
        read_gold(brat(tmp_path, marks, text))
    assert message in str(caught.value)
    assert SECRET not in str(caught.value)


def test_what_is_kept_is_not_masked(tmp_path: Path) -> None:
    spans = [[0, 10, "PERSON", "a woman"], [15, 18, "PERSON", "Ben"], [22, 29, "LOC", " velland"]]
    edits = [{"start": start, "end": end, "type": type, "replacement": new} for start, end, type, new in spans[:2]]
    golds = read_gold(write(tmp_path, [lines(spans=[])], "gold.jsonl"))
    for value, kept in (
        ({"id": "1", "spans": spans}, 2),
        ({"id": "1", "text": "a woman met Ben in Velland.", "edits": edits}, 1),
    ):
        (system,) = read_output(write(tmp_path, value, "x.json"))
        found = match_output(golds, system)
        assert found.pairs[0].output.mentions == (Mention(*ADA, "PERSON", replacement="a woman"),)
        assert found.unchanged_count == kept


def test_what_an_output_quotes_is_compared_with_the_gold(tmp_path: Path) -> None:
    (gold,) = golds = read_gold(brat(tmp_path, MARKS))
    for marks, message in (
        ("T1\tX 0 4;15 19\tAda  Ben \n", None),
        ("T1\tX 15 18\t\n", None),
        (f"T1\tX 14 17\t{SECRET}\n", "document 'a/1', span 1 (14-17): quotes other words"),
        ("T1\tX 0 3;14 17\tAda Ben\n", "document 'a/1', span 2 (14-17): quotes other words"),
    ):
        (system,) = read_output(brat(tmp_path / "alone", marks, None))
        if message is None:
            assert match_output(golds, system).pairs[0].gold is gold
        else:
            assert message in refused(lambda system=system: match_output(golds, system))


def test_what_a_folder_may_lack(tmp_path: Path) -> None:
    (tmp_path / "b").mkdir()
    for read in (read_gold, read_output):
        with pytest.raises(InputError, match=r"b: has no \.\w+ file; a folder of brat has"):
            read(str(tmp_path / "b"))
    folder = brat(tmp_path, MARKS, None)
    assert len(read_output(folder)[0].documents[0].mentions) == 3
    (tmp_path / "b" / "2.txt").write_text(TEXT)
    with pytest.raises(InputError, match=r"2\.txt: has no \.ann beside it"):
        read_gold(folder)
    (tmp_path / "b" / "2.ann").write_text("")
    with pytest.raises(InputError, match=r"a/1\.ann: has no \.txt beside it"):
        read_gold(folder)
    with pytest.raises(InputError, match="is a folder; only brat has one"):
        read_gold(folder, "tab")
    with pytest.raises(InputError, match="is no folder"):
        read_gold(write(tmp_path, lines()), "brat")


def test_more_than_memory_is_refused(tmp_path: Path) -> None:
    path = write(tmp_path, LONG, "x.jsonl.gz")
    with pytest.raises(InputError, match="has more than 0 MB"):
        read_gold(path, limits=Limits(text=200))
    with pytest.raises(InputError, match="has more than 0 MB"):
        read_output(path, limits=Limits(text=200))
