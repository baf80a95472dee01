"""Scans: every format, what is left and what is done again, processes that are killed, two at once, many entities."""

from __future__ import annotations

import gzip
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from random import Random
from shutil import copytree
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st

from embanon.config.load import load
from embanon.document import Document
from embanon.entities.entity import Entity, fold_text
from embanon.entities.mentions import find_mentions
from embanon.errors import ConfigError, DataError
from embanon.leak.assessor import Assessor, split_risk
from embanon.leak.document_sample import DocumentSample
from embanon.leak.hints import PolicyHints
from embanon.leak.ledger.lookups import scan_outcome
from embanon.leak.ledger.store import Ledger
from embanon.leak.ledger.verify import verify
from embanon.leak.misuse import combined_risk
from embanon.leak.name_index import NameIndex
from embanon.leak.policy import Policy, PolicyEntity
from embanon.leak.scan import ScanFile, ScanPlan, ScanSummary, scan
from embanon.leak.sketches import SketchIndex, sketch
from embanon.model.shipped import model_folder, open_model
from tests.leak.ledgers import KEY, KINDS, document_disclosures, report, where
from tests.leak.test_hints import find_hints

ROOT = Path(__file__).parents[2]
POSIX = pytest.mark.skipif(os.name != "posix", reason="of POSIX")
CONFIG = replace(load(None, {}).config, language="en")
POLICY = Policy(entities=(
    PolicyEntity("Project Bluebird", "project", ("Bluebird", "BB-7"), sensitivity=4, folders=("lab",),
    labels=("SECRET*",)),
    PolicyEntity("Willow Tarn", "person", sensitivity=2),
))  # fmt: skip
SECRET = "The results of Bluebird were shown to the board in May."
PLAIN = "The canteen has a new menu, and the car park is closed on Friday."
LONG = " ".join(f"word{number} of a long and rather dull story" for number in range(30))


@pytest.fixture(params=KINDS)
def address(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    return where(request.param, tmp_path)


@pytest.fixture
def ledger(tmp_path: Path) -> Iterator[Ledger]:
    with Ledger.open(tmp_path / "ledger.db", KEY, create=True) as ledger:
        yield ledger


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "docs"
    folder.mkdir()
    monkeypatch.chdir(folder)
    return folder


def plan(policy: Policy = POLICY, **more: Any) -> ScanPlan:
    return ScanPlan(policy, Path(), CONFIG, **more)


def scanned(
    ledger: Ledger, *paths: str, policy: Policy = POLICY, folders: tuple[str, ...] = (), **more: Any
) -> ScanSummary:
    files = [ScanFile(path, Path(path).stat().st_size) for path in paths]
    return scan(ledger, plan(policy, **more), files, folders)[1]


def told(ledger: Ledger, name: str) -> dict[str, float]:
    return {one.entity: one.risk for one in document_disclosures(ledger, name, POLICY)}


# Formats

ROWS = [{"id": "r1", "text": SECRET}, {"id": "r2", "text": PLAIN}]
TABLE = f'id,text\nr1,"{SECRET}"\nr2,"{PLAIN}"\n'
FORMATS: dict[str, tuple[bytes, str]] = {
    "a.txt": (SECRET.encode(), "a.txt"),
    "a.md": (f"# News\n\n{SECRET}\n".encode(), "a.md"),
    "a.html": (f"<html><body><p>{SECRET}</p></body></html>".encode(), "a.html"),
    "a.eml": (f"From: a@example.org\nSubject: News\n\n{SECRET}\n".encode(), "a.eml"),
    "a.jsonl": ("".join(json.dumps(row) + "\n" for row in ROWS).encode(), "r1"),
    "a.jsonl.gz": (gzip.compress("".join(json.dumps(row) + "\n" for row in ROWS).encode()), "r1"),
    "a.csv": (TABLE.encode(), "r1"),
    "a.tsv": (TABLE.replace(",", "\t").replace('"', "").replace("menu\t", "menu,").encode(), "r1"),
    "a.csv.gz": (gzip.compress(TABLE.encode()), "r1"),
    "noid.csv": (f'text\n"{SECRET}"\n'.encode(), "noid.csv:2"),
    "unknown.xyz": (SECRET.encode(), "unknown.xyz"),
}


@pytest.mark.parametrize("name", FORMATS)
def test_every_format_is_scanned(folder: Path, ledger: Ledger, name: str) -> None:
    data, id = FORMATS[name]
    (folder / name).write_bytes(data)
    done = scanned(ledger, name)
    assert (done.left_out, done.faults) == ([], [])
    assert done.scored == done.documents
    assert told(ledger, id) == {"Project Bluebird": 1.0}
    (one,) = document_disclosures(ledger, id, POLICY)
    if name == "a.txt":
        assert [(SECRET[some.start : some.end], some.risk) for some in one.phrases] == [("Bluebird", 1.0)]


def test_rows_lie_in_the_folder_of_their_file(folder: Path, ledger: Ledger) -> None:
    (folder / "lab").mkdir()
    (folder / "lab" / "a.jsonl").write_bytes(FORMATS["a.jsonl"][0])
    (folder / "b.jsonl").write_bytes(FORMATS["a.jsonl"][0])
    scanned(ledger, "lab/a.jsonl", "b.jsonl")
    assert [one.allowed for one in document_disclosures(ledger, "r1")] == [True]
    assert [one.allowed for one in document_disclosures(ledger, "b.jsonl#r1")] == [False]
    assert {one.folder for one in report(ledger).heat} == {"b.jsonl"}


# What is left, and what is done again


def test_a_second_scan_does_what_is_new(folder: Path, ledger: Ledger) -> None:
    for name, text in (("a.txt", SECRET), ("b.txt", PLAIN), ("c.txt", LONG)):
        (folder / name).write_text(text)
    names = "a.txt", "b.txt", "c.txt"
    first, second = scanned(ledger, *names), scanned(ledger, *names)
    assert (first.scored, first.unchanged, second.scored, second.unchanged) == (3, 0, 0, 3)
    (folder / "b.txt").write_text(SECRET + " Again.")
    third = scanned(ledger, *names)
    assert (third.scored, third.unchanged) == (1, 2)
    assert told(ledger, "b.txt") == {"Project Bluebird": 1.0}
    other = replace(POLICY, entities=(*POLICY.entities, PolicyEntity("Canteen menu", "product", sensitivity=1)))
    assert scanned(ledger, *names, policy=other).scored == 3
    dearer = replace(POLICY, threshold=0.7)  # what a document costs is no question to the model
    assert scanned(ledger, *names, policy=dearer).unchanged == 0  # but the policy before had other entities
    assert scanned(ledger, *names, policy=replace(dearer, threshold=0.8)).unchanged == 3


def test_copies_are_not_scored_twice(folder: Path, ledger: Ledger) -> None:
    (folder / "lab").mkdir()
    for name in ("a.txt", "b.txt", "lab/c.txt"):
        (folder / name).write_text(SECRET)
    done = scanned(ledger, "a.txt", "b.txt")
    assert (done.scored, done.copies) == (1, 1)
    done = scanned(ledger, "lab/c.txt")
    assert (done.scored, done.copies) == (0, 1)
    assert [(one.entity, one.risk, one.allowed) for one in document_disclosures(ledger, "lab/c.txt", POLICY)] == [
        ("Project Bluebird", 1.0, True)  # which the others are not
    ]
    assert document_disclosures(ledger, "a.txt")[0].phrases == document_disclosures(ledger, "lab/c.txt")[0].phrases


def test_near_copies_are_found(folder: Path, ledger: Ledger) -> None:
    (folder / "a.txt").write_text(LONG)
    (folder / "b.txt").write_text(LONG.replace("word7 ", "Bluebird "))
    (folder / "c.txt").write_text(LONG.replace("word9 ", "other "))
    (folder / "d.txt").write_text(" ".join(f"nothing{number} alike" for number in range(200)))
    assert scanned(ledger, "a.txt", "b.txt", "d.txt").near == 1
    assert scanned(ledger, "c.txt").near == 1  # also of one that another scan found
    with ledger.reading() as connection:
        query = "SELECT name, near FROM versions JOIN documents ON documents.id = document ORDER BY name"
        near = dict(connection.exec_driver_sql(query).all())  # type: ignore[arg-type]
    assert near["a.txt"] == near["d.txt"] == 0 < near["b.txt"] == near["c.txt"]
    assert told(ledger, "b.txt") == {"Project Bluebird": 1.0}  # scored for itself


@pytest.mark.parametrize(("changed", "least"), [(0, 1.0), (1, 0.9), (4, 0.7), (200, 0.0)])
def test_sketches_find_what_is_nearly_the_same(changed: int, least: float) -> None:
    texts = [" ".join(f"w{(7919 * (one + 1) * (n + 3)) % 10_007}" for n in range(250)) for one in range(100)]
    sketches, found = SketchIndex(), 0
    kept = [sketch(text) for text in texts]
    assert not any(sketches.find_near_duplicate(str(one), data) for one, data in enumerate(kept) if data)
    for one, text in enumerate(texts):
        words = text.split()
        words[20 : 20 + changed] = [f"x{n}" for n in range(changed)]
        data = sketch(" ".join(words))
        assert data
        found += sketches.find_near_duplicate(f"new {one}", data) == str(one)
    assert least * 100 <= found <= (0 if changed == 200 else 100)


def test_what_vanished_is_gone(folder: Path, ledger: Ledger) -> None:
    for name in ("a.txt", "b.txt", "c.txt"):
        (folder / name).write_text(f"{name} {SECRET}")
    (folder / "rows.jsonl").write_bytes(FORMATS["a.jsonl"][0])
    scanned(ledger, "a.txt", "b.txt", "c.txt", "rows.jsonl", folders=(".",))
    (folder / "a.txt").unlink()
    (folder / "c.txt").write_bytes(b"\xff no text any more")
    (folder / "rows.jsonl").write_text(json.dumps(ROWS[1]) + "\n")
    done = scanned(ledger, "b.txt", "c.txt", "rows.jsonl", folders=(".",))
    assert (done.gone, len(done.left_out)) == (2, 1)
    assert told(ledger, "a.txt") == told(ledger, "r1") == {}
    assert told(ledger, "c.txt") == {"Project Bluebird": 1.0}  # it is there, and could not be read
    (folder / "rows.jsonl").unlink()
    assert scanned(ledger, "b.txt", folders=(".",)).gone == 1  # with its file
    (folder / "b.txt").unlink()
    assert scanned(ledger, folders=(".",)).gone == 0  # a folder without anything may not be there at all
    (folder / "d.txt").write_text(PLAIN)
    assert scanned(ledger, "d.txt").gone == 0  # nobody asked for the folder
    (folder.parent / "e.jsonl").write_text(json.dumps({"id": "e1", "text": SECRET}))
    scanned(ledger, "../e.jsonl")
    assert scanned(ledger, "d.txt", folders=(".",)).gone == 1  # but what lies elsewhere is not


def test_what_cannot_be_read_is_named_and_the_others_are_done(folder: Path, ledger: Ledger) -> None:
    (folder / "good.txt").write_text(SECRET)
    (folder / "bad.jsonl").write_text('{"id": "x", "text": "' + SECRET)
    (folder / "binary.txt").write_bytes(bytes(range(256)))
    (folder / "empty.txt").write_text("")
    done = scanned(ledger, "bad.jsonl", "binary.txt", "empty.txt", "good.txt")
    assert [one.partition(":")[0].partition(",")[0] for one in done.left_out] == ["bad.jsonl", "binary.txt"]
    assert "Bluebird" not in "".join(done.left_out)
    assert (done.scored, told(ledger, "good.txt"), told(ledger, "empty.txt")) == (2, {"Project Bluebird": 1.0}, {})


@POSIX
def test_names_that_are_no_text(folder: Path, ledger: Ledger) -> None:
    name = os.fsdecode(b"caf\xe9 \xf0.txt")
    (folder / name).write_text(SECRET)
    assert scanned(ledger, name).scored == 1
    assert scanned(ledger, name).unchanged == 1
    assert told(ledger, name) == {"Project Bluebird": 1.0}
    assert [one.document for one in report(ledger).top] == ["caf? ?.txt"]


# Marks, and folders


@pytest.mark.parametrize(
    ("path", "text", "fields", "allowed"),
    [
        ("sales/a.txt", SECRET, {}, False),
        ("lab/a.txt", SECRET, {}, True),
        ("lab/deep/a.txt", SECRET, {}, True),
        ("lab2/a.txt", SECRET, {}, False),
        ("a.txt", f"SECRET (no foreigners)\n\n{SECRET}", {}, True),
        ("a.txt", f"It is no SECRET at all\n\n{SECRET}", {}, False),
        ("a.jsonl", SECRET, {"mark": "SECRET"}, True),
        ("a.jsonl", SECRET, {"mark": "open"}, False),
        ("a.jsonl", SECRET, {"mark": None}, False),
    ],
)
def test_where_an_entity_may_be_mentioned(
    folder: Path, ledger: Ledger, path: str, text: str, fields: dict[str, Any], allowed: bool
) -> None:
    (folder / path).parent.mkdir(parents=True, exist_ok=True)
    row = {"id": "r", "text": text} | fields
    (folder / path).write_text(json.dumps(row) if path.endswith("jsonl") else text)
    begun, done = scan(ledger, plan(label_field="mark" if fields else None), [ScanFile(path)])
    (one,) = document_disclosures(ledger, "r" if fields else path, POLICY)
    assert one.allowed == allowed
    numbers = {number: place for place, number in enumerate(begun.entities.values())}
    found = scan_outcome(ledger, done.names, numbers)
    highest = max((one.risk for one in found.top), default=0.0)
    assert (found.violation_count, highest, len(found.top)) == ((0, 0.0, 0) if allowed else (1, 1.0, 1))


# Whom a text names

ENTITIES = (
    Entity("Willow Tarn"), Entity("Ada Tarn"), Entity("Zoltan Quibbleworth", ("Zolly",)),
    Entity("Project Bluebird", ("Bluebird", "BB-7"), "TOPIC"), Entity("Wexlo Marine Holdings", ("WMH",), "ORG"),
    Entity("The Teenage Ninja Quorl Turtles", ("Ninja Quorl Turtles",), "TOPIC"),
    Entity("Project 2025", (), "TOPIC"),
)  # fmt: skip
NAMED = [
    ("Willow Tarn left.", {0}),
    ("In the end Tarn left.", {0, 1}),
    ("Mr. Quibbleworth's car", {2}),
    ("Zoltan said so.", set()),  # a given name tells nothing
    ("Zolly said so.", {2}),
    ("the bluebird sings", {3}),
    ("mail zoltan.quibbleworth@example.org", {2}),
    ("ask zoltanquibbleworth!", {2}),
    ("about BB-7, again", {3}),
    ("about BB-77", set()),
    ("WMH will pay", {4}),
    ("The marine holdings of Wexlo", {4}),
    ("a marine holding", set()),
    ("a ninja of the Quorl company", set()),  # a word of a name with several such words
    ("the Ninja Quorl Turtles", {5}),
    ("TNQT is sold", {5}),
    ("The project is late.", set()),
    ("a sea tarnished by oil", set()),
    ("Wil\u00adlow Ta\u200brn left", {0}),
    ("the Ninja\r\n  Quorl Turtles", {5}),
    ("ninja-quorl-turtles.pdf", {5}),
    ("about BB7 and my_bluebird2.txt", {3}),
    ("about the Blue-\nbird", {3}),
    ("the Вluеbird", {3}),  # two letters are Cyrillic
    ("Bluebirds sing", {3}),
    ("Bluebirdie sings", set()),
    ("in 2025, of 2025", set()),  # the number of a project is no name
    ("our project-2025", {6}),
]


@pytest.mark.parametrize(("text", "expected"), NAMED, ids=[text for text, _ in NAMED])
def test_who_is_named(text: str, expected: set[int]) -> None:
    (one,) = Assessor(ENTITIES, 0.28, CONFIG).assess([Document("d", text, "en")])
    assert {number for number, _ in one.disclosed} == expected
    assert all(some.risk == some.strength == 1.0 and some.phrases for _, some in one.disclosed)


WORDS = st.sampled_from(
    "willow Willow tarn Tarn bluebird bb-7 BB-7 wmh WMH wexlo zolly quibbleworth the , . - project x@y".split()
)


@given(st.lists(WORDS, max_size=12).map(" ".join))
def test_no_name_as_it_is_given_is_missed(text: str) -> None:
    low = fold_text(text)
    named = NameIndex.build(ENTITIES, "en").find_entities(low)
    for number, entity in enumerate(ENTITIES):
        spans = [low[start:end] for start, end in find_mentions(entity, text, low, "en")]
        if any(span in map(fold_text, entity.names) for span in spans):
            assert number in named


def test_thousands_of_aliases_are_indexed_in_linear_time() -> None:
    start = time.perf_counter()
    index = NameIndex.build([Entity("Red Falcon", tuple(f"Zorp{n} Quix{n}" for n in range(6000)), "TOPIC")], "en")
    assert time.perf_counter() - start < 5
    assert index.find_entities("of zorp17 quix17") == [0]


def test_ten_thousand_entities(folder: Path, ledger: Ledger) -> None:
    kinds = ("person", "customer", "product")
    items = tuple(
        PolicyEntity(f"{'Alrec Borun Cadal Dremo Elvir'.split()[n % 5]} Zq{n:05}x", kinds[n % 3], sensitivity=1)
        for n in range(10_000)
    )
    (folder / "a.jsonl").write_text("".join(
        json.dumps({"id": str(n), "text": f"{LONG} Then {items[n].name} came to the old mill."}) + "\n"
        for n in range(0, 10_000, 500)
    ))  # fmt: skip
    done = scanned(ledger, "a.jsonl", policy=Policy(entities=items), hints=folder / "none.hints")
    assert done.scored == 20
    assert [one.entity for one in document_disclosures(ledger, "4500", Policy(entities=items))] == [items[4500].name]
    assert "names alone count" in done.notes[0]


# What need not be named

AROUND = "cobalt anode charger electrolyte voltage battery lithium cathode coating furnace".split()
DULL = (
    "the meeting about office carpet paint lunch holiday parking coffee printer window chair lamp floor visit train "
    "hotel ticket city review form letter stamp calendar desk phone manager colleague weekend"
).split()


def dull(chance: Random) -> str:
    return " ".join(chance.choices(DULL, k=40))


def collection() -> list[str]:
    """Return documents that name Bluebird among its words, some that have one of these, and others."""
    chance = Random(1)
    hints = [["Bluebird", *chance.sample(AROUND, 4)] if n % 6 == 0 else chance.sample(AROUND, n % 6 == 1)
             for n in range(240)]  # fmt: skip
    return [f"{dull(chance)} {' '.join(some)} {dull(chance)}" for some in hints]


BLUEBIRD = Entity("Project Bluebird", ("Bluebird",), "TOPIC", "a battery of cobalt that charges fast")


@pytest.fixture(scope="module")
def hinted(tmp_path_factory: pytest.TempPathFactory) -> PolicyHints:
    entities = (BLUEBIRD, Entity("Willow Tarn"))
    draw = DocumentSample.for_entities(entities, "en")
    for n, text in enumerate(collection()):
        draw.add(n.to_bytes(32), text)
    hints = draw.learn(open_model("default"), "en")
    assert hints is not None
    path = tmp_path_factory.mktemp("hints") / "h.hints"
    hints.save(path)
    return PolicyHints.load(path, entities, "en")


def risk(hinted: PolicyHints, text: str) -> float:
    assessor = Assessor((BLUEBIRD, Entity("Willow Tarn")), 1e-6, CONFIG, None, hinted)
    (one,) = assessor.assess([Document("d", text, "en")])
    told = dict(one.disclosed)
    if 0 in told and told[0].phrases:  # who reads it knows what it discloses
        assert combined_risk([some.risk for some in told[0].phrases]) == pytest.approx(told[0].risk, abs=1e-6)
    return told[0].risk if 0 in told else 0.0


def test_ten_hints_count_and_one_ten_times_does_not(hinted: PolicyHints) -> None:
    before = dull(Random(2))
    nothing, one, same, ten = (
        risk(hinted, f"{before} {' '.join(some)}") for some in ([], ["cobalt"], ["cobalt"] * 10, AROUND)
    )
    assert nothing < one <= same < 0.7 < 0.9 < ten
    assert nothing < 0.01
    assert one < 0.4


@given(st.floats(0.0, 1.0), st.lists(st.floats(0.001, 1e6), min_size=1, max_size=12))
def test_shares_make_up_the_risk_again(whole: float, weights: list[float]) -> None:
    parts = split_risk(whole, weights)
    assert combined_risk(parts) == pytest.approx(whole, abs=1e-6)
    assert all(0 <= one <= 1 for one in parts)
    assert split_risk(whole, []) == []


FOREIGN = "Eine Batterie ohne Kobalt lädt in wenigen Minuten, sagt das Büro in München."


def test_of_a_strange_language_nothing_can_be_said(folder: Path, ledger: Ledger) -> None:
    texts = [*collection(), FOREIGN, "Vielleicht kennt Bluebird keine Öfen mehr?", "1234 5678", ""]
    rows = [json.dumps({"id": str(n), "text": text, "language": "en"}) for n, text in enumerate(texts)]
    (folder / "a.jsonl").write_text("\n".join(rows))
    for _ in range(2):  # also where nothing is scored again
        begun, done = scan(ledger, plan(hints=folder / "h.hints"), [ScanFile("a.jsonl")])
        assert scan_outcome(ledger, done.names, dict.fromkeys(begun.entities.values(), 0)).unknown_count == 2
    assert told(ledger, "241")["Project Bluebird"] == 1.0
    assert done.notes == []
    (folder / "b.jsonl").write_text("".join(
        json.dumps({"id": str(n), "text": f"{FOREIGN} {n}", "language": "en"}) + "\n" for n in range(100)
    ))  # fmt: skip
    done = scanned(ledger, "b.jsonl", hints=folder / "b.hints")
    assert "the model lacks" in done.notes[0]


def test_hints_are_learnt_once_and_again_for_another_policy(folder: Path, ledger: Ledger) -> None:
    rows = [{"id": str(n), "text": text} for n, text in enumerate(collection())]
    (folder / "a.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    hints = folder.parent / "h.hints"
    first = scanned(ledger, "a.jsonl", hints=hints)
    assert (first.notes, hints.exists()) == ([], True)
    assert oct(hints.stat().st_mode & 0o777) == "0o600" or os.name != "posix"
    data = hints.read_bytes()
    second = scanned(ledger, "a.jsonl", hints=hints)
    assert (second.unchanged, second.notes, hints.read_bytes()) == (240, [], data)
    (folder / "one.txt").write_text(f"{dull(Random(2))} {' '.join(AROUND)}")
    scanned(ledger, "one.txt", hints=hints)  # one document is enough for what was learnt before
    assert told(ledger, "one.txt")["Project Bluebird"] > 0.5
    other = replace(POLICY, entities=(replace(POLICY.entities[0], description="a bird"), POLICY.entities[1]))
    third = scanned(ledger, "a.jsonl", policy=other, hints=hints)
    assert third.scored + third.copies == 240
    assert "another policy" in third.notes[0]
    with np.load(hints) as arrays:
        before = {**arrays, "format": np.array([2])}
    with hints.open("wb") as stream:
        np.savez_compressed(stream, **before)
    fourth = scanned(ledger, "a.jsonl", policy=other, hints=hints)
    assert "another version" in fourth.notes[0]
    hints.write_bytes(b"nothing of ours")
    with pytest.raises(DataError):
        scanned(ledger, "a.jsonl", policy=other, hints=hints)


@pytest.mark.parametrize("change", ["samples", "description", "aliases", "model", "nothing"])
def test_hints_are_learnt_again_when_what_they_are_learnt_from_changes(
    change: str, folder: Path, ledger: Ledger, tmp_path: Path
) -> None:
    rows = [{"id": str(n), "text": text} for n, text in enumerate(collection()[:120])]
    (folder / "a.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    (folder / "sample.txt").write_text("The furnace is hot.")
    item = replace(POLICY.entities[0], sample_files=("sample.txt",))
    policy, hints, model = Policy(entities=(item,)), tmp_path / "h.hints", None
    assert scanned(ledger, "a.jsonl", policy=policy, hints=hints).scored == 120
    if change == "samples":  # the policy stays as it is
        (folder / "sample.txt").write_text("The electrolyte leaks out of the lithium battery.")
    elif change == "model":
        model = str(tmp_path / "model")
        copytree(model_folder("default"), model)
        (tmp_path / "model" / "model.toml").write_bytes((tmp_path / "model" / "model.toml").read_bytes() + b"\n")
    elif change != "nothing":
        more = ("a bird",) if change == "aliases" else "a bird"
        policy = Policy(entities=(replace(item, **{change: more}),))  # type: ignore[arg-type]
    again = scanned(ledger, "a.jsonl", policy=policy, hints=hints, model=model)
    assert ["learnt again" in note for note in again.notes] == ([] if change == "nothing" else [True])
    assert (again.scored + again.copies, again.unchanged) == ((0, 120) if change == "nothing" else (120, 0))


def test_hints_are_never_written_over_another_file(folder: Path, ledger: Ledger) -> None:
    for n, text in enumerate(collection()[:120]):
        (folder / f"{n}.txt").write_text(text)
    (folder / "policy.toml").write_text("# a policy")
    names = [f"{n}.txt" for n in range(120)]
    with pytest.raises(ConfigError, match=r"no file of hints; name another: --hints FILE"):
        scanned(ledger, *names, hints=folder / "policy.toml", relearn_hints=True)
    assert (folder / "policy.toml").read_text() == "# a policy"
    assert scanned(ledger, *names, hints=folder / "h.hints", relearn_hints=True).scored == 120
    assert (
        scanned(ledger, *names, hints=folder / "h.hints", relearn_hints=True).unchanged == 120
    )  # it is learnt as before


UNKNOWN = Entity("Quillfeather", (), "TOPIC", "A desk with a lamp, and a chair for visits of the manager.")


@pytest.mark.parametrize("shown", [False, True], ids=["described alone", "with a sample"])
def test_what_no_document_names_is_a_guess(shown: bool, tmp_path: Path) -> None:
    """What is only described draws some documents by chance: they do not count as disclosing it."""
    entity = replace(UNKNOWN, samples=(f"{dull(Random(3))} {' '.join(AROUND)}",)) if shown else UNKNOWN
    draw = DocumentSample.for_entities((entity,), "en")
    texts = [text for text in collection() if "Bluebird" not in text]
    for n, text in enumerate(texts):
        draw.add(n.to_bytes(32), text)
    hints = draw.learn(open_model("default"), "en")
    assert hints is not None
    hints.save(tmp_path / "h.hints")
    known = PolicyHints.load(tmp_path / "h.hints", (entity,), "en").hints
    risks = [find_hints(known, text)[0].risk for text in [*texts, f"{dull(Random(2))} {' '.join(AROUND)}"]]
    assert (max(risks) >= 0.5) == shown
    assert sum(one >= 0.2 for one in risks) <= len(risks) / 20


# Processes


def test_more_processes_find_the_same(folder: Path, tmp_path: Path) -> None:
    rows = [{"id": str(n), "text": f"{n} {SECRET} " * (1 + n % 30)} for n in range(60)]
    (folder / "a.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    found = []
    for jobs in (1, 2):
        with Ledger.open(tmp_path / f"{jobs}.db", KEY, create=True) as ledger:
            assert scanned(ledger, "a.jsonl", jobs=jobs).scored == 60
            found.append([(one.document, one.worth, one.risk) for one in report(ledger).top])
    assert found[0] == found[1]


POLICY_TEXT = '[[entities]]\nname = "Project Bluebird"\nkind = "project"\nsensitivity = 4\n'


def started(work: Path, address: str, *files: str) -> subprocess.Popen[str]:
    (work / "policy.toml").write_text(POLICY_TEXT)
    (work / "key").write_text("a key for tests\n")
    (work / "key").chmod(0o600)
    command = [sys.executable, "-m", "embanon", "leak", "scan", *files, "--policy", "policy.toml", "--json"]
    command += ["--ledger", address, "--key-file", "key"]
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    return subprocess.Popen(
        command, cwd=work, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )


def rows_of(work: Path, name: str, count: int, size: int) -> None:
    rows = ({"id": f"d{n}", "text": f"{n} {SECRET} {LONG * size}"} for n in range(count))
    (work / name).write_text("".join(json.dumps(row) + "\n" for row in rows))


def counted(address: str) -> int:
    try:
        with Ledger.open(address, KEY) as ledger:
            return report(ledger).summary.documents
    except Exception:  # it is not made yet
        return 0


@POSIX
def test_a_scan_that_is_killed_goes_on(tmp_path: Path, address: str) -> None:
    rows_of(tmp_path, "a.jsonl", 300, 4)
    process = started(tmp_path, address, "a.jsonl")
    try:
        while not (before := counted(address)) and process.poll() is None:
            time.sleep(0.02)
    finally:
        process.send_signal(signal.SIGKILL)
        process.communicate()
    assert process.returncode == -signal.SIGKILL, "it was done too soon"
    before = counted(address)
    assert 0 < before < 300
    out, err = started(tmp_path, address, "a.jsonl").communicate(timeout=120)
    done = json.loads(out or err)
    assert (done["documents"], done["unchanged"], done["above"]) == (300, before, 300)
    with Ledger.open(address, KEY) as ledger:
        assert report(ledger).summary.documents == 300
        assert verify(ledger, computed=True).sound


def test_two_scans_at_once(tmp_path: Path, address: str) -> None:
    rows_of(tmp_path, "a.jsonl", 120, 3)
    work = [started(tmp_path, address, "a.jsonl") for _ in range(2)]
    done = [json.loads(out or err) for out, err in (one.communicate(timeout=120) for one in work)]
    assert [one["documents"] for one in done] == [120, 120]
    with Ledger.open(address, KEY) as ledger:
        with ledger.reading() as connection:
            assert connection.exec_driver_sql("SELECT count(*) FROM versions").scalar() == 120
        assert (report(ledger).summary.documents, report(ledger).summary.scans) == (120, 2)
        assert verify(ledger, computed=True).sound
