"""`embanon leak learn`: how labels are found, what is left out, what is said of it, and what refuses to be learnt."""

from __future__ import annotations

import json
import os
import random
import subprocess
from collections.abc import Callable, Iterable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, strategies as st

from embanon.document import Document
from embanon.errors import ConfigError
from embanon.leak.labeled_documents import DocumentLabel, LabeledDocuments, Labels
from embanon.leak.learning import LEARNT, LENGTH, WORD, SensitivityTraining, learn
from embanon.leak.sensitivity import Markings, SensitivityModel
from embanon.model.model import Model
from embanon.model.shipped import open_model

Done = subprocess.CompletedProcess[str]
Run = Callable[..., Done]

WAR = ("missile", "submarine", "bomber", "warhead", "troops", "artillery", "radar", "espionage")
PEACE = ("festival", "orchestra", "museum", "library", "scholarship", "tourism", "painting", "concert")
PLAIN = ("the", "meeting", "was", "held", "on", "Monday", "and", "we", "will", "report", "soon", "again")
LABELS = ("Amber", "Green", "Blue")
OUT = ("-o", "s.npz")
FIELD = ("leak", "learn", "papers.jsonl", "--label-field", "marking", "--sensitive", "Amber", *OUT)


def text(chance: random.Random, words: Iterable[str], marking: str = "") -> str:
    some = list(words)
    own = [chance.choice(some) for _ in range(5)]
    return " ".join((marking, *own, *(chance.choice(PLAIN) for _ in range(20)))).strip()


def papers(count: int = 60, seed: int = 1) -> list[dict[str, str]]:
    """Return papers of three kinds; each says its own marking."""
    chance, rows = random.Random(seed), []
    for number in range(count):
        label = LABELS[number % 3]
        words = text(chance, WAR if label == "Amber" else PEACE, label.upper())
        rows.append({"id": f"p{number}", "text": words, "marking": label, "volume": f"v{number % 7}"})
    return rows


def lines(rows: Iterable[object]) -> str:
    return "".join(json.dumps(row) + "\n" for row in rows)


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, inside: Run) -> Run:
    """Return a function that runs the command in this process, in a folder with labeled papers in all forms."""
    work = tmp_path / "work"
    work.mkdir()
    monkeypatch.chdir(work)
    rows = papers()
    Path("papers.jsonl").write_text(lines(rows))
    Path("papers.csv").write_text("id,text,marking,volume\n" + "".join(",".join(row.values()) + "\n" for row in rows))
    Path("labels.csv").write_text("id,label,volume\n" + "".join(
        f"{row['id']}.txt,{row['marking']},{row['volume']}\n" for row in rows))  # fmt: skip
    Path("ids.csv").write_text("id,label\n" + "".join(f"{row['id']},{row['marking']}\n" for row in rows))
    for row in rows:
        for folder in (Path("flat"), Path("by") / row["marking"] / row["volume"]):
            folder.mkdir(parents=True, exist_ok=True)
            (folder / f"{row['id']}.txt").write_text(row["text"])
    return inside


# Where labels come from

WAYS = {
    "a key of lines": ("papers.jsonl", "--label-field", "marking"),
    "a key, and groups": ("papers.jsonl", "--label-field", "marking", "--group-field", "volume"),
    "a column": ("papers.csv", "--label-field", "marking", "--group-field", "volume"),
    "a table of files": ("flat", "--labels", "labels.csv"),
    "a table of files with groups": ("flat", "--labels", "labels.csv", "--group-field", "volume"),
    "a table of ids": ("papers.jsonl", "--labels", "ids.csv"),
    "folders": ("by", "--by-folder"),
    "folders that are named": ("by/Amber", "by/Green/", "by/Blue", "--by-folder"),
    "files in folders": ("by/*/*/*.txt", "--by-folder"),
    "labels in another case": ("papers.jsonl", "--label-field", "marking", "--open", "green", "--open", "BLUE"),
}


@pytest.mark.parametrize("words", WAYS.values(), ids=WAYS)
def test_labels_are_found(here: Run, words: tuple[str, ...]) -> None:
    done = here("leak", "learn", *words, "--sensitive", "Amber", *OUT, "--json")
    row = json.loads(done.stdout)
    assert (done.returncode, done.stderr) == (0, "")
    assert (row["documents"], row["sensitive"], row["others"], row["unlabeled"]) == (60, 20, 40, 0)
    assert row["groups"] == (7 if "--group-field" in words else 60)
    assert row["auc"][LEARNT]["low"] > max(row["auc"][name]["value"] for name in (LENGTH, WORD))
    assert row["brier"] < row["brier_of_share"]
    assert row["above_floors"]


def test_what_is_neither_is_left_out(here: Run) -> None:
    done = here(*FIELD, "--open", "Green", "--json")
    row = json.loads(done.stdout)
    assert (row["documents"], row["sensitive"], row["others"], row["neither"]) == (60, 20, 20, 20)
    assert "20 documents have a label that is neither" in done.stderr


def test_documents_without_a_label_are_counted(here: Run) -> None:
    rows = [
        {**row, "marking": label}
        for row, label in zip(papers(9, 3), (None, "", " ", [], {}, 1.5, "Green"), strict=False)
    ]
    Path("papers.jsonl").write_text(lines([*papers(), *rows]))
    row = json.loads(here(*FIELD, "--json").stdout)
    assert (row["documents"], row["unlabeled"], row["others"]) == (67, 6, 41)


def test_what_is_said_twice_is_learnt_once(here: Run) -> None:
    Path("papers.jsonl").write_text(lines([*papers(), *papers()]))
    done = here(*FIELD, "--json")
    assert (json.loads(done.stdout)["repeated"], json.loads(done.stdout)["sensitive"]) == (60, 20)
    assert "60 documents repeat another word for word" in done.stderr


def test_its_summary_and_its_file(here: Run) -> None:
    done = here(*FIELD)
    assert "documents: 20 sensitive, 40 not, 0 without a label; groups: 60\n" in done.stdout
    assert "what is learnt" in done.stdout
    assert "Brier score: " in done.stdout
    assert not any(word in done.stdout + done.stderr for word in (*WAR, *PEACE))
    if os.name == "posix":
        assert Path("s.npz").stat().st_mode & 0o777 == 0o600
    assert any(word in here(*FIELD, "--show-original").stdout for word in WAR)
    war, peace = SensitivityModel.load(Path("s.npz")).predict(["troops and a radar", "a concert in the museum"])
    assert war > 0.5 > peace


# Markings

TAKEN = {
    "as it stands": ("Amber", "an AMBER paper", "an paper"),
    "in any case": ("amber", "Amber", ""),
    "of some words": ("Limited Official Use", "limited-official\n use only, limited", "only limited"),
    "the longer one first": ("secret use", "secret use", ""),
    "no part of a word": ("red", "redder and red", "redder and"),
    "an open end": ("classif*", "Classified, unclassified", "unclassified"),
    "an end inside": ("code* red", "codeword RED, code", "code"),
    "with signs": ("VS-NfD", "vs nfd VS–NfD", ""),
    "of another language": ("geheim", "GEHEIM Geheimnis", "geheimnis"),
    "nothing of it": ("Amber", "a paper", "a paper"),
}


@pytest.mark.parametrize(("marking", "given", "left"), TAKEN.values(), ids=TAKEN)
def test_markings_are_taken_out(marking: str, given: str, left: str) -> None:
    assert " ".join(Markings.build((), [marking], ()).unmarked_words(given)) == left


def test_usual_markings_are_taken_out() -> None:
    found = Markings.build(["C3"]).unmarked_words(
        "TOP SECRET // NOFORN: C3, declassified 1990. The secretary; streng geheim!"
    )
    assert found == ["1990", "the", "secretary"]


@given(st.lists(st.text(max_size=12), max_size=4), st.text(max_size=60))
def test_what_is_left_stood_there(labels: list[str], given: str) -> None:
    words = iter(Markings().unmarked_words(given))
    assert all(word in words for word in Markings.build(labels, (), ()).unmarked_words(given))


def test_a_marking_without_a_word_is_refused(here: Run) -> None:
    done = here(*FIELD, "--marking", "**")
    assert (done.returncode, "--marking, number 1: has no word" in done.stderr) == (2, True)


def test_a_marking_that_is_not_known_is_suspected_and_can_be_named(here: Run) -> None:
    rows = [{**row, "text": f"{row['text']} {'umbra' if row['marking'] == 'Amber' else ''}"} for row in papers()]
    Path("papers.jsonl").write_text(lines(rows))
    assert "perhaps a marking" in here(*FIELD).stderr
    done = here(*FIELD, "--marking", "umb*")
    assert "perhaps a marking" not in done.stderr
    assert SensitivityModel.load(Path("s.npz")).markings.unmarked_words("UMBRA, amber, secret paper") == ["paper"]


def test_the_command_is_installed(embanon: Run, tmp_path: Path) -> None:
    (tmp_path / "work").mkdir()
    (tmp_path / "work" / "papers.jsonl").write_text(lines(papers()))
    done = embanon(*FIELD[:2], "-", "--format", "jsonl", *FIELD[3:], stdin=lines(papers()).encode())
    assert (done.returncode, done.stderr) == (0, "")
    done = embanon(*FIELD[:-1], "none/s.npz")
    assert (done.returncode, "its folder is not there" in done.stderr) == (141, True)


# What cannot be learnt from

HEAD = ("leak", "learn")
SENSE = ("--sensitive", "Amber", *OUT)
WRONG = {
    "no labels": ((*HEAD, "papers.jsonl", *SENSE), 2, "one of the arguments --label-field --labels --by-folder"),
    "two ways": ((*FIELD, "--by-folder"), 2, "not allowed with"),
    "no sensitive label": ((*FIELD[:5], *OUT), 2, "required: --sensitive"),
    "no output": ((*FIELD[:-2],), 2, "required: -o"),
    "standard output": ((*FIELD[:-2], "-o", "-"), 2, "name a file"),
    "an input as output": ((*FIELD[:-1], "papers.jsonl"), 2, "name another file"),
    "a folder as output": ((*FIELD[:-1], "by"), 2, "is a folder"),
    "a label that nobody has": ((*FIELD, "--sensitive", "Red"), 2, "--sensitive, number 2: no document has this label"),
    "an open label that nobody has": ((*FIELD, "--open", "Red"), 2, "--open, number 1: no document has this label"),
    "a label that is both": ((*FIELD, "--open", "AMBER"), 2, "named as --sensitive and as --open"),
    "one class only": ((*FIELD, *("--sensitive", "Green", "--sensitive", "Blue")), 2, "60 are sensitive; label at"),
    "a key that nobody has": ((*HEAD, "papers.jsonl", "--label-field", "none", *SENSE), 2, "no document has a label"),
    "a column that is none": ((*HEAD, "papers.csv", "--label-field", "none", *SENSE), 3, "has no column 'none'"),
    "a group that nobody has": ((*FIELD, "--group-field", "none"), 2, "'none' of --group-field"),
    "a group that is the label": ((*FIELD, "--group-field", "marking"), 2, "of one group"),
    "no such file": ((*HEAD, "none.jsonl", *FIELD[3:]), 3, "none.jsonl: no such file"),
    "no such model": ((*FIELD, "--model", "none"), 3, "none"),
    "standard input twice": ((*HEAD, "-", "-", *FIELD[3:]), 2, "more than once"),
    "no such labels": ((*HEAD, "flat", "--labels", "none.csv", *SENSE), 3, "none.csv: no such file"),
    "labels of nothing here": ((*HEAD, "flat", "--labels", "ids.csv", *SENSE), 2, "no document has a label"),
}


@pytest.mark.parametrize(("words", "code", "said"), WRONG.values(), ids=WRONG)
def test_what_is_wrong_is_said(here: Run, words: tuple[str, ...], code: int, said: str) -> None:
    done = here(*words)
    assert (done.returncode, done.stdout) == (code, "")
    assert said in done.stderr
    assert not Path("s.npz").exists()


TABLES = {
    "empty": ("", "is empty"),
    "no header": ("p1.txt,Amber\n", "has no column 'id'"),
    "no label": ("id,marking\np1.txt,Amber\n", "has no column 'label'"),
    "two labels": ("id,label,label\np1.txt,Amber,Blue\n", "or more than one"),
    "a short row": ("id,label\np1.txt\n", "line 2: has 1 fields"),
    "no document": ("id,label\n,Amber\n", "line 2: names no document"),
    "two things of one": ("id,label\np1.txt,Amber\np1.txt,Geheimnis\n", "line 3: a line before says something else"),
    "not text": (b"id,label\np1.txt,\xff\xfe\n", "not UTF-8"),
}


@pytest.mark.parametrize(("content", "said"), TABLES.values(), ids=TABLES)
def test_a_table_of_labels_that_is_none(here: Run, content: str | bytes, said: str) -> None:
    Path("labels.csv").write_bytes(content if isinstance(content, bytes) else content.encode())
    done = here("leak", "learn", "flat", "--labels", "labels.csv", *SENSE)
    assert (done.returncode, done.stdout) == (3, "")
    assert said in done.stderr


def test_too_few_are_refused(here: Run) -> None:
    Path("papers.jsonl").write_text(lines(papers(27)))
    done = here(*FIELD)
    assert (done.returncode, "of 27 labeled documents 9 are sensitive; label at least 10" in done.stderr) == (2, True)


def test_labels_that_differ_on_one_text_are_told(here: Run) -> None:
    Path("papers.jsonl").write_text(lines([*papers(), {**papers()[0], "id": "again", "marking": "Green"}]))
    done = here(*FIELD, "--json")
    assert (done.returncode, json.loads(done.stdout)["sensitive"], json.loads(done.stdout)["disputed"]) == (0, 19, 1)
    assert "1 texts are sensitive by the label of one document and not by that of another" in done.stderr


def test_what_cannot_be_read_is_left_out_and_said(here: Run) -> None:
    Path("flat/bad.txt").write_bytes(b"\xff\xfe\xff Geheimnis")
    done = here("leak", "learn", "flat", "--labels", "labels.csv", *SENSE, "--json")
    assert (done.returncode, json.loads(done.stdout)["left_out"]) == (3, 1)
    assert "flat/bad.txt" in done.stderr
    assert Path("s.npz").exists()


def test_its_own_files_are_no_documents(here: Run) -> None:
    Path("flat/labels.csv").write_bytes(Path("labels.csv").read_bytes())
    for _ in range(2):
        done = here("leak", "learn", "flat", "--labels", "flat/labels.csv", "--sensitive", "Amber", "-o", "flat/s.npz")
        assert (done.returncode, done.stderr) == (0, "")


def test_labels_of_no_document_are_counted(here: Run) -> None:
    Path("flat/p1.txt").unlink()
    done = here("leak", "learn", "flat", "--labels", "labels.csv", *SENSE)
    assert (done.returncode, "1 labels of the table are of no document" in done.stderr) == (0, True)


def test_chance_is_not_taken_for_knowledge(here: Run) -> None:
    chance = random.Random(4)
    rows = [{**row, "text": text(chance, PLAIN)} for row in papers()]
    Path("papers.jsonl").write_text(lines(rows))
    done = here(*FIELD, "--json")
    assert not json.loads(done.stdout)["above_floors"]
    assert "do not rely on it" in done.stderr


# The library


@pytest.fixture(scope="module")
def model() -> Model:
    return open_model("default")


def gathered(labels: Labels, rows: Iterable[dict[str, str]]) -> LabeledDocuments:
    found = LabeledDocuments(labels)
    for row in rows:
        found.add(Document(row["id"], row["text"], fields=row), "papers.jsonl", "papers.jsonl")
    return found


def test_what_groups_have_in_common_is_not_taken_for_what_is_sensitive(model: Model) -> None:
    """A word that only a sensitive author has tells nothing of other authors."""
    chance, rows = random.Random(2), list[dict[str, str]]()
    for number in range(80):
        author = number % 8
        words = text(chance, (f"writer{author}",))
        rows.append({"id": str(number), "text": words, "marking": "Amber" if author < 4 else "Green",
                     "author": f"a{author}"})  # fmt: skip
    blind: SensitivityTraining = learn(gathered(Labels(("Amber",), label_field="marking"), rows), model, Markings())
    fair = learn(gathered(Labels(("Amber",), label_field="marking", group="author"), rows), model, Markings())
    assert blind.aucs[LEARNT].value > 0.9
    assert fair.aucs[LEARNT].value < 0.7
    assert not fair.beats_baselines


FOLDERS = [
    ("docs/secret/a.txt", "secret/a.txt", "secret"),
    ("docs/secret/1990/a.txt", "secret/1990/a.txt", "secret"),
    ("docs/1990/a.txt", "1990/a.txt", "1990"),
    ("secret/a.txt", "a.txt", "secret"),
    ("/home/secret/docs/b/a.txt", "b/a.txt", "b"),
    ("a.txt", "a.txt", None),
]


@pytest.mark.parametrize(("path", "below", "label"), FOLDERS, ids=[path for path, *_ in FOLDERS])
def test_the_folder_that_is_named_is_the_label(path: str, below: str, label: str | None) -> None:
    assert Labels(("Secret",)).label(Document(path, ""), path, below) == label


@given(st.dictionaries(st.text(min_size=1, max_size=5), st.sampled_from(["Amber", "Green"])), st.text(max_size=5))
def test_any_table_has_a_label_or_none(rows: dict[str, str], id: str) -> None:
    labels = Labels(("Amber",), table={name: DocumentLabel(label) for name, label in rows.items()})
    label = labels.label(Document(id, ""), "papers.jsonl", "papers.jsonl")
    assert label in ("Amber", "Green", None)
    assert labels.is_sensitive(label) is (None if label is None else label == "Amber")


def test_nothing_is_learnt_of_what_is_disputed_or_empty() -> None:
    found = LabeledDocuments(Labels(("Amber",), label_field="marking"))
    for number, (said, marking) in enumerate([("same", "Amber"), ("own", "Green"), ("same", "Green"), (" ", "Amber")]):
        found.add(Document(str(number), said, fields={"marking": marking}), "f", "f")
    found.finish()
    assert (found.texts, found.is_sensitive, found.groups) == (["own"], [False], ["alone 1"])
    assert (found.disputed, found.empty, found.repeated) == (1, 1, 1)
    with pytest.raises(ConfigError, match="named as --sensitive and as --open"):
        Labels(("Amber",), ("amber",))


def test_nothing_shows_what_is_learnt_from(model: Model) -> None:
    given = gathered(Labels(("Amber",), label_field="marking"), papers())
    found = learn(given, model, Markings.build(["Amber"]))
    assert not any(word in repr(given) + repr(found) for word in (*WAR, "amber", "Amber"))
    assert np.isfinite([found.brier, found.base_rate_brier]).all()


# A second opinion at the gate

POLICY = '[[entities]]\nname = "Velland"\nkind = "project"\nsensitivity = 4\n'
CHECK = ("leak", "check", "-", "--policy", "policy.toml", "--sensitivity", "s.npz")
GATE = {
    "sensitive": ("troops, missile, radar, warhead, bomber, submarine", (), 1),
    "not": ("a festival, a concert, the museum, a library, tourism and painting", (), 0),
    "a limit that both keep": ("troops, missile, radar, warhead", ("--sensitivity-above", "1"), 0),
    "nothing": ("", (), 0),
    "nothing known": ("цирк приехал", (), 1),
    "of an entity": ("the Velland festival, a concert, the museum, a library, tourism, painting", (), 1),
    "quietly": ("troops, missile, radar, warhead, bomber, submarine", ("--quiet",), 1),
    "marked in the text alone": ("AMBER: a festival, a concert, the museum, a library, tourism", (), 0),
}


@pytest.mark.parametrize(("given", "options", "code"), GATE.values(), ids=GATE)
def test_what_is_sensitive_is_refused(here: Run, given: str, options: tuple[str, ...], code: int) -> None:
    Path("policy.toml").write_text(POLICY)
    here(*FIELD)
    done = here(*CHECK, *options, stdin=given.encode())
    assert (done.returncode, done.stderr) == (code, "")
    assert bool(done.stdout) == bool(code and "--quiet" not in options)
    assert "troops" not in done.stdout
    if "sensitive by" in done.stdout:
        assert "limit 0.9" in done.stdout
        assert "no masking helps" in done.stdout
    row = json.loads(here(*CHECK, *[one for one in options if one != "--quiet"], "--json", stdin=given.encode()).stdout)
    assert row["passes"] == (not code)
    assert row["sensitivity"] is None or 0 <= row["sensitivity"] <= 1


GATE_WRONG = {
    "no file": (("--sensitivity", "none.npz"), 3, "none.npz is not there"),
    "another file": (("--sensitivity", "papers.csv"), 3, "not a file of this kind"),
    "a limit without a file": (("--sensitivity-above", ".5"), 2, "needs what was learnt"),
    "no probability": (("--sensitivity", "none.npz", "--sensitivity-above", "2"), 2, "at most 1"),
}


@pytest.mark.parametrize(("options", "code", "said"), GATE_WRONG.values(), ids=GATE_WRONG)
@pytest.mark.parametrize("action", ["check", "scan"])
def test_a_wrong_opinion_is_refused(here: Run, action: str, options: tuple[str, ...], code: int, said: str) -> None:
    Path("policy.toml").write_text(POLICY)
    ledger = ("--ledger", "l.db") if action == "scan" else ()
    done = here("leak", action, "flat/p1.txt", "--policy", "policy.toml", *ledger, *options)
    assert (done.returncode, said in done.stderr) == (code, True)
    assert not Path("l.db").exists()
