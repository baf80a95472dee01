"""Near copies: what is found of a document in other words, what is not, the file, and scans that keep it true."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from embanon.cli.main import main
from embanon.config.settings import PRESETS
from embanon.entities.entity import Entity
from embanon.errors import ConfigError, DataError
from embanon.leak.copies import CopyIndex, CopySource, copies_file
from embanon.leak.copy_search import copy_risk, find_copies
from embanon.leak.copy_sources import CopySources, add_samples
from embanon.leak.shingles import Shingles, WordHasher, word_information

SALT = bytes(16)
LIMIT = PRESETS["standard"][0]
LEAST = PRESETS["strict"][0]
ENTITIES = (Entity("Bluebird", (), "TOPIC"), Entity("Heron", (), "TOPIC"))
PAPER = """Dear colleagues,

The sorbent of column three now recovers 92 percent lithium from brine. Trials at the Saltmarsh plant begin in March,
when the second membrane stack arrives from the foundry. Magnesium fouling remains the weak point of the cascade, and
acid rinses shorten the life of every cartridge. The licence of the Norwegian patent expires before winter.

Kind regards"""
SENTENCE = "The sorbent of column three now recovers 92 percent lithium from brine."
MAIL = """Hi Ruth,

thanks for the photographs of your garden, the roses look wonderful this year. {}

Shall we meet for coffee on Saturday? The bakery beside the station has new cakes. Love, Ines"""
HARMLESS = (
    "Lunch is at noon in the yard.",
    "I am ill today and stay at home.",
    "Dear colleagues, the canteen is closed on Friday. Kind regards",
    MAIL.format("The boiler is broken again."),
)


def index(*texts: str, entities: frozenset[int] = frozenset([0])) -> CopyIndex:
    empty = CopyIndex.empty(SALT)
    return empty.add([
        CopySource(f"paper {number}", number.to_bytes(16), text, empty.hasher.digest(text), entities)
        for number, text in enumerate(texts, 1)
    ])  # fmt: skip


def risk(known: CopyIndex, text: str, entity: int = 0) -> float:
    (near,) = find_copies(known, [text])
    return max((one.risk for one in near if one.entity == entity), default=0.0)


@pytest.mark.parametrize("text", [
    SENTENCE,
    "The sorbent of column three now recovers 71 percent lithium from brine.",
    "From brine, 92 percent of lithium is now recovered: the sorbent of column three.",
    "Lithium from brine: the sorbent of column three now yields 92 percent.",
    "Magnesium fouling stays the weak point of the cascade; acid rinses shorten every cartridge's life.",
    "THE SORBENT OF COLUMN THREE\nNOW RECOVERS 92 PERCENT LITHIUM FROM BRINE",
    MAIL.format(f"Somebody wrote:\n> {SENTENCE}\n"),
])  # fmt: skip
def test_copies_are_found(text: str) -> None:
    assert risk(index(PAPER), text) >= LIMIT


@pytest.mark.parametrize("text", HARMLESS)
def test_what_everybody_says_is_no_copy(text: str) -> None:
    assert risk(index(PAPER), text) < LEAST


@pytest.mark.parametrize("text", ["", " ", "\0", "1 2 3 4", ". . .", "the of and", "\ud800", "漢字かな交じり文" * 9])
def test_texts_that_say_nothing(text: str) -> None:
    assert find_copies(index(PAPER), [text]) == [()]
    assert find_copies(index(text, PAPER), [SENTENCE])[0]


def test_an_entity_that_is_disclosed_anyway_and_the_document_itself_are_no_copies() -> None:
    known = index(PAPER)
    assert find_copies(known, [SENTENCE], [{0}]) == [()]
    assert find_copies(known, [PAPER]) == [()]
    assert find_copies(known, [SENTENCE + " " + PAPER])[0][0].source == 0


def test_texts_of_a_batch_are_told_apart() -> None:
    texts = [HARMLESS[0], SENTENCE, "", HARMLESS[3], MAIL.format(SENTENCE)]
    together = find_copies(index(PAPER), texts)
    assert [bool(near) for near in together] == [False, True, False, False, True]
    for text, near in zip(texts, together, strict=True):
        (alone,) = find_copies(index(PAPER), [text])
        assert [one.risk for one in alone] == [one.risk for one in near]


def test_the_words_of_a_copy_are_evidence() -> None:
    text = MAIL.format(SENTENCE)
    ((near,),) = find_copies(index(PAPER), [text])
    written = [text[start:end] for start, end in near.spans(text)]
    assert {"sorbent", "lithium", "brine"} <= set(written)
    assert len(near.weights) == len(written)
    assert "garden" not in written


def test_what_stands_in_documents_of_others_tells_nothing() -> None:
    clause = "This message and its attachments are privileged, and unauthorised disclosure is strictly forbidden."
    known = index(PAPER + "\n" + clause)
    assert risk(known, clause) >= LIMIT
    common = Shingles.from_words(known.hasher.read([clause])).hashes
    assert risk(known.with_common(common), clause) == 0
    assert risk(known.with_common(common), SENTENCE) >= LIMIT
    others = [CopySource(f"other {n}", bytes([n]) * 16, f"{clause} Number {n}", n, frozenset([1])) for n in range(3)]
    assert risk(known.add(others), clause, 0) == 0
    assert risk(known.add(others), SENTENCE, 0) >= LIMIT


@settings(max_examples=30, deadline=None)
@given(st.permutations(SENTENCE.rstrip(".").split()))
def test_order_changes_little_and_never_fails(words: list[str]) -> None:
    assert 0 <= risk(index(PAPER), " ".join(words)) <= 1


@given(st.floats(0, 1e6), st.floats(0, 1e6))
def test_risk_rises_with_the_score(low: float, high: float) -> None:
    low, high = sorted((low, high))
    assert 0 <= copy_risk(low) <= copy_risk(high) <= 1


@pytest.mark.parametrize(("word", "telling"), [("the", False), ("92", False), ("of", False), ("lithium", True),
                                              ("und", False), ("sorbent", True), ("b2b", False)])  # fmt: skip
def test_what_words_tell(word: str, telling: bool) -> None:
    assert (word_information(word) > 0) == telling


def test_hashes_depend_on_the_salt() -> None:
    first, second = (WordHasher(bytes([n]) * 16).read([SENTENCE]).hashes for n in (1, 2))
    assert not np.isin(first, second).any()
    assert "sorbent" not in repr(index(PAPER))


def test_sources_come_and_go() -> None:
    other = "The quarry of Dunmore supplies gravel for the harbour wall, and barges tow it past the lighthouse."
    both = index(PAPER, other)
    assert risk(both, SENTENCE) >= LIMIT
    left = both.without({(1).to_bytes(16)})
    assert (left.names, risk(left, SENTENCE)) == (("paper 2",), 0)
    assert risk(left, other.replace("gravel", "pebbles")) >= LIMIT
    assert len(both.without({(1).to_bytes(16), (2).to_bytes(16)})) == 0
    alone = index(other)
    assert np.array_equal(left.hashes, alone.hashes)
    assert np.array_equal(left.stretches, alone.stretches)


# The file


def test_the_file_keeps_it_and_is_for_its_owner_alone(tmp_path: Path) -> None:
    path = tmp_path / "kept.copies"
    seen = {name: np.zeros(0, np.uint64) for name in ("documents", "contents", "files")}
    index(PAPER).save(path, ENTITIES, "en", seen)
    assert path.stat().st_mode & 0o077 == 0
    assert b"sorbent" not in path.read_bytes()
    assert risk(CopyIndex.load(path, ENTITIES, "en"), SENTENCE) == risk(index(PAPER), SENTENCE)
    with pytest.raises(ConfigError, match=r"other entities .* --learn"):
        CopyIndex.load(path, ENTITIES[:1], "en")
    whole = path.read_bytes()
    for broken in (whole[: len(whole) // 2], b"", b"PK\x03\x04nonsense"):
        path.write_bytes(broken)
        with pytest.raises(DataError, match="not a file of this kind"):
            CopyIndex.load(path, ENTITIES, "en")
    with pytest.raises(DataError, match="is not there"):
        CopyIndex.load(tmp_path / "no.copies", ENTITIES, "en")


def test_a_file_whose_numbers_lead_nowhere_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "kept.copies"
    known = index(PAPER)
    known.stretches[0] = 10_000
    known.save(path, ENTITIES, "en", {})
    with pytest.raises(DataError, match="not a file of this kind"):
        CopyIndex.load(path, ENTITIES, "en")


def open_sources(path: Path, **more: bool) -> CopySources:
    return CopySources.open(path, ENTITIES, "en", lambda name: name.encode().ljust(16), shows_names=True, **more)


def test_sources_of_a_collection_are_kept_true(tmp_path: Path) -> None:
    path = tmp_path / "kept.copies"
    sources = open_sources(path)
    sources.read("a.txt", f"Bluebird: {PAPER}")
    sources.read("b.txt", HARMLESS[0])
    sources.save()
    again = open_sources(path)
    assert again.index.names == ("a.txt",)
    again.read("a.txt", f"Bluebird: {PAPER}")
    again.read("b.txt", "Bluebird " + HARMLESS[3])
    again.save()
    assert open_sources(path).index.names == ("a.txt", "b.txt")
    again.read("a.txt", PAPER)  # which names nobody any more
    again.forget(["b.txt", "never there"])
    again.save()
    assert open_sources(path).index.names == ()
    again.read("a.txt", f"Bluebird: {PAPER}")
    again.save()
    assert risk(open_sources(path).index, SENTENCE) >= LIMIT
    assert not len(open_sources(path, anew=True).index)
    path.write_text("my own notes", "utf-8")
    with pytest.raises(ConfigError, match="is no file of near copies"):
        open_sources(path)


def test_samples_are_sources() -> None:
    entities = (Entity("Bluebird", (), "TOPIC", "", (PAPER,)), ENTITIES[1])
    known = add_samples(CopyIndex.empty(SALT), entities, "en")
    assert known.names == ("sample 1 of e1",)
    assert risk(known, SENTENCE) >= LIMIT
    assert max(risk(known, text) for text in HARMLESS) < LEAST


# Commands

POLICY = '[[entities]]\nname = "Bluebird"\nkind = "project"\nsensitivity = 4\n'


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "policy.toml").write_text(POLICY, "utf-8")
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "a mail.txt").write_text(MAIL.format(SENTENCE), "utf-8")
    (tmp_path / "docs" / "report on Bluebird.txt").write_text(f"Project Bluebird. {PAPER}", "utf-8")
    (tmp_path / "docs" / "soup.txt").write_text(HARMLESS[3], "utf-8")
    return tmp_path


def scanned(capsys: pytest.CaptureFixture[str], *more: str) -> dict[str, dict[str, object]]:
    command = ["leak", "scan", "docs", "--policy", "policy.toml", "--ledger", "ledger.db", "--json", "--language", "en"]
    assert main([*command, *more]) == 0
    return {one["document"]: one for one in json.loads(capsys.readouterr().out)["top"]}


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_a_scan_finds_copies_before_their_source_and_says_of_what(
    folder: Path, capsys: pytest.CaptureFixture[str], jobs: str
) -> None:
    top = scanned(capsys, "--jobs", jobs)
    assert set(top) == {"docs/a mail.txt", "docs/report on Bluebird.txt"}
    assert top["docs/a mail.txt"]["near_copy_of"] == "docs/report on Bluebird.txt"
    assert LIMIT <= float(str(top["docs/a mail.txt"]["risk"])) < 1
    assert main(["leak", "report", "--policy", "policy.toml", "--ledger", "ledger.db", "-o", "report.json"]) == 0
    written = (folder / "report.json").read_text("utf-8")
    assert '"near_copy_of": "docs/report on e1.txt"' in written
    assert "sorbent" not in written
    capsys.readouterr()


def test_a_later_scan_keeps_the_sources_true(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    scanned(capsys)
    later = folder / "docs" / "later.txt"
    later.write_text("The licence of the Norwegian patent expires before winter, they say.", "utf-8")
    assert scanned(capsys)["docs/later.txt"]["near_copy_of"] == "docs/report on Bluebird.txt"
    (folder / "docs" / "report on Bluebird.txt").unlink()
    later.unlink()
    scanned(capsys)
    later.write_text("The licence of the Norwegian patent expires before winter, we hear.", "utf-8")
    assert "docs/later.txt" not in scanned(capsys)
    (folder / "docs" / "z.txt").write_text(f"Of Bluebird! {PAPER}", "utf-8")
    later.write_text("The licence of the Norwegian patent expires before the winter.", "utf-8")
    assert scanned(capsys)["docs/later.txt"]["near_copy_of"] == "docs/z.txt"


def test_the_gate_says_of_what_a_mail_is_a_copy(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "policy.toml").write_text(POLICY + 'sample_files = ["docs/report on Bluebird.txt"]\n', "utf-8")
    command = ["leak", "check", "docs/a mail.txt", "docs/soup.txt", "--policy", "policy.toml", "--language", "en"]
    assert main(command) == 1
    printed = capsys.readouterr().out
    assert "near copy of sample 1 of e1" in printed
    assert "sorbent" not in printed
    assert "soup.txt" not in printed
    assert main([*command[:3], *command[4:], "--json"]) == 1
    (reason,) = json.loads(capsys.readouterr().out)["reasons"]
    assert reason["near_copy_of"] == "sample 1 of e1"


def test_the_gate_knows_the_documents_of_a_ledger(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    scanned(capsys)
    command = [
        "leak",
        "check",
        "docs/a mail.txt",
        "--policy",
        "policy.toml",
        "--language",
        "en",
        "--ledger",
        "ledger.db",
    ]
    assert main(command) == 1
    assert "near copy of docs/report on e1.txt" in capsys.readouterr().out
    (folder / "policy.toml").write_text(POLICY.replace("Bluebird", "Heron"), "utf-8")
    assert main(command) == 2
    assert "other entities" in capsys.readouterr().err


def test_keyed_ledgers_keep_names_to_themselves(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "policy.toml").write_text('[ledger]\ndocuments = "keyed"\n' + POLICY, "utf-8")
    source = str(scanned(capsys)["docs/a mail.txt"]["near_copy_of"])
    assert len(source) == 12
    assert "Bluebird" not in source
    known = CopyIndex.load(copies_file(folder / "ledger.db.hints"), [Entity("Bluebird", (), "TOPIC")], "en")
    assert known.names == (source,)
