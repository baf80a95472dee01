"""`embanon attack`: what it writes and never writes, what it refuses, and how it ends."""

from __future__ import annotations

import csv
import gzip
import io
import json
import re
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from embanon.attack.attack import PublicTexts, classify_phrases, read_background_phrases
from embanon.attack.infill import (
    BackgroundPhrases,
    Gap,
    InfillAttacker,
    attack_gaps,
    gaps_from_edits,
    gaps_from_solutions,
)
from embanon.config.settings import Config
from embanon.errors import InputError
from embanon.model.model import Model
from embanon.replace.rewrite import Solution
from embanon.taxonomy.climb import climber
from embanon.taxonomy.store import SHIPPED
from tests.conftest import SECRET
from tests.model.test_contextual import save

Done = subprocess.CompletedProcess[str]
Run = Callable[..., Done]

PUBLIC = [
    {"name": "Ada Berger", "text": "Ada Berger, an actress of Velland, won a prize in 1994. She sings in Torland."},
    {"title": "Ben Marsk", "text": "Ben Marsk is a chemist in Torland; he studies enzymes and acids there."},
    {"name": "Cora Imbry", "text": "Cora Imbry is a sailor who crossed the ocean on a raft, in a storm."},
    {"name": "Dan Olt (singer)", "text": "Dan Olt sings."},
    {"name": "Dan Olt (baker)", "text": "Dan Olt bakes."},
]  # fmt: skip
ORIGINALS = [
    {"id": "1", "text": "Ada Berger is an actress who won a prize in Paris in 1994.", "protect": ["Ada Berger"]},
    {"id": "2", "text": "Ben Marsk studies enzymes in Paris.", "protect": ["Ben Marsk"]},
    {"id": "3", "text": "Cora Imbry met the steam engine in 1921.", "protect": ["Cora Imbry"]},
]  # fmt: skip


def edit(start: int, end: int, replacement: str, type: str) -> dict[str, Any]:
    return {"start": start, "end": end, "replacement": replacement, "type": type}


MASKED = [
    {"id": "1", "text": "Person 1 is an actress who won a prize in Western Europe in the 1990s.",
     "edits": [edit(0, 10, "Person 1", "PERSON"), edit(44, 49, "Western Europe", "LOC"),
               edit(53, 57, "the 1990s", "DATETIME")]},
    {"id": "2", "text": "Person 1 studies enzymes in ***.",
     "edits": [edit(0, 9, "Person 1", "PERSON"), edit(29, 34, "***", "LOC")]},
    {"id": "3", "text": "Person 1 met [MISC 1] in the 1920s.",
     "edits": [edit(0, 10, "Person 1", "PERSON"), edit(15, 31, "[MISC 1]", "MISC"),
               edit(35, 39, "the 1920s", "DATETIME")]},
]  # fmt: skip


def lines(path: Path, *rows: Any) -> Path:
    text = "".join(json.dumps(row) + "\n" for row in rows)
    path.write_bytes(gzip.compress(text.encode()) if path.suffix == ".gz" else text.encode())
    return path


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, inside: Run) -> Run:
    """Return a function that runs the command in this process, in a folder with some texts."""
    work = tmp_path / "work"
    work.mkdir()
    monkeypatch.chdir(work)
    lines(work / "bg.jsonl", *PUBLIC)
    lines(work / "in.jsonl", *ORIGINALS)
    lines(work / "out.jsonl", *MASKED)
    (work / "truth.csv").write_text("id,candidate\n1,Ada Berger\n2,Ben Marsk\n3,Cora Imbry\n")
    return lambda *more: inside("attack", "--background", "bg.jsonl", "--anonymized", "out.jsonl", *more)


def rows(done: Done) -> list[dict[str, Any]]:
    return [json.loads(line) for line in done.stdout.splitlines()]


# What is written


def test_a_table(here: Run) -> None:
    done = here("--truth", "truth.csv")
    assert done.returncode == 0
    first, head, *body = done.stdout.splitlines()
    assert first == "3 documents; 5 candidates"
    assert head.split()[:5] == ["attacker", "text", "top-1", "bounds", "top-5"]
    assert [line.split()[0] for line in body] == ["tfidf", "chance"]
    assert body[1].split()[1] == "0.200"
    assert not done.stderr


def test_floors_need_originals(here: Run) -> None:
    done = here("--originals", "in.jsonl", "--attackers", "tfidf, bm25,tfidf")
    assert done.returncode == 0  # who is protected is said by the originals
    found = [re.split(r"\s{2,}", line)[:2] for line in done.stdout.splitlines()[2:-1]]
    assert found == [["tfidf", "anonymized"], ["tfidf", "originals"], ["tfidf", "names masked"],
                     ["bm25", "anonymized"], ["bm25", "originals"], ["bm25", "names masked"]]  # fmt: skip


def test_other_names_in_the_lines_are_masked_in_the_floor(here: Run) -> None:
    def floor(aliases: list[str]) -> float:
        given = [row | {"text": f"The Raft Captain, of the ocean. {row['text']}"} for row in ORIGINALS]
        given[2]["protect"] = [{"name": "Cora Imbry", "aliases": aliases}]
        lines(Path("in.jsonl"), *given)
        return float(rows(here("--originals", "in.jsonl", "--json"))[2]["mrr"]["value"])

    assert floor(["the Raft Captain, of the ocean"]) < floor([])


def test_lines_of_json_and_a_table_say_the_same(here: Run) -> None:
    (row,) = rows(here("--truth", "truth.csv", "--json", "--top", "2"))
    assert list(row) == ["attacker", "version", "candidates", "documents", "known", "chance", "top_1", "top_2", "mrr",
                         "effective", "confidence"]  # fmt: skip
    assert (row["documents"], row["known"], row["candidates"], row["chance"]) == (3, 3, 5, 0.2)
    assert list(row["top_1"]) == ["value", "low", "high"]
    (same,) = csv.DictReader(io.StringIO(here("--truth", "truth.csv", "--csv", "--top", "2").stdout))
    assert float(same["top_2_high"]) == row["top_2"]["high"]
    assert (same["cases"], same["type"], same["guessable"]) == ("3", "", "")


def test_documents_show_where_and_only_when_asked_what(here: Run) -> None:
    done = here("--truth", "truth.csv", "--by-document", "--json")
    found = {row["id"]: row for row in rows(done)}
    assert list(found["1"]) == ["attacker", "id", "rank", "probability", "confidence", "effective", "clues"]
    assert list(found["1"]["clues"][0]) == ["start", "end", "count", "share"]
    told = {MASKED[0]["text"][clue["start"] : clue["end"]] for clue in found["1"]["clues"]}
    assert {"actress", "prize"} <= told
    assert [row["rank"] for row in rows(done)] == sorted(row["rank"] for row in rows(done))
    for more in (["--json"], ["--csv"], []):
        done = here("--truth", "truth.csv", "--by-document", *more)
        assert "actress" not in done.stdout
        assert "Berger" not in done.stdout
        shown = here("--truth", "truth.csv", "--by-document", "--show-original", *more)
        assert "actress" in shown.stdout
        assert "Berger" in shown.stdout


@pytest.mark.parametrize("kind", ["truth.jsonl", "truth.jsonl.gz", "truth.tsv", "entity", "protect", "id", "files"])
def test_who_is_meant_is_said_in_many_ways(kind: str, here: Run, inside: Run) -> None:
    names = ["Ada Berger", "Ben Marsk", "Cora Imbry"]
    paths, more = ["given.jsonl"], list[str]()
    given = [dict(row) for row in MASKED]
    if kind.startswith("truth"):
        more = ["--truth", kind]
        if kind.endswith("tsv"):
            Path(kind).write_text("entity\tid\n" + "".join(f"{name}\t{n}\n" for n, name in enumerate(names, 1)))
        else:
            lines(Path(kind), *({"id": str(n), "entity": name} for n, name in enumerate(names, 1)))
    elif kind == "files":
        paths = ["folder"]
        Path("folder").mkdir()
        for row, name in zip(given, names, strict=True):
            Path("folder", f"{name}.txt").write_text(row["text"])
    else:
        for row, name in zip(given, names, strict=True):
            row |= {"entity": {"name": name}} if kind == "entity" else {kind: name}
    lines(Path("given.jsonl"), *given)
    done = inside("attack", "--background", "bg.jsonl", "--anonymized", *paths, *more, "--json")
    assert (done.returncode, done.stderr) == (0, "")
    assert rows(done)[0]["known"] == 3


@pytest.mark.parametrize("key", ["entity", "protect"])
def test_brackets_tell_candidates_of_one_name_apart(key: str, here: Run) -> None:
    given = [{**row, key: {"name": f"Dan Olt ({of})"}} for row, of in zip(MASKED, ("singer", "baker"), strict=False)]
    lines(Path("out.jsonl"), *given)
    done = here("--json")
    assert (done.returncode, done.stderr) == (0, "")
    assert rows(done)[0]["known"] == 2
    lines(Path("out.jsonl"), {**MASKED[0], key: "Dan Olt"})
    assert "1: several candidates have the name" in here("--json").stderr


def test_who_is_not_known_counts_for_the_confidence_alone(here: Run) -> None:
    Path("some.csv").write_text("id,candidate\n1,Ada Berger\n2,Ben Marsk\n3,Nobody Known\n9,Ada Berger\n")
    done = here("--truth", "some.csv", "--json")
    (row,) = rows(done)
    assert (row["documents"], row["known"]) == (3, 2)
    assert done.stderr.splitlines() == [
        "embanon: warning: some.csv: 1 id of no document",
        "embanon: warning: some.csv: 1 document about people of whom the background has no text: not known",
    ]
    assert "3 documents, 1 of which are about nobody known; 5" in here("--truth", "some.csv").stdout


def test_candidates_are_chosen(here: Run) -> None:
    Path("few").write_text('Ada Berger\n\n{"name": "Ben Marsk"}\nCora Imbry\n')
    (row,) = rows(here("--truth", "truth.csv", "--candidates", "few", "--json"))
    assert row["candidates"] == 3


def test_a_background_that_has_the_documents_is_said(here: Run) -> None:
    longer = [{**row, "text": row["text"] + " And so it went on for years, and years."} for row in ORIGINALS]
    lines(Path("long.jsonl"), *longer)
    lines(Path("bg.jsonl"), *PUBLIC, {"name": "Ada Berger", "text": longer[0]["text"]})
    done = here("--originals", "long.jsonl")
    assert (done.returncode, "bg.jsonl: has 1 of 3 documents nearly as they were" in done.stderr) == (0, True)


@pytest.mark.parametrize(("limit", "code"), [("1", 0), ("0.1", 1)])
def test_a_share_above_a_limit_ends_with_1(limit: str, code: int, here: Run) -> None:
    done = here("--truth", "truth.csv", "--fail-above", limit)
    assert done.returncode == code
    assert done.stderr.count("is above 0.1") == code


# Guessing what stood there


def test_infill_by_edits_and_by_a_table(here: Run, letters: Path) -> None:
    by_edits = here("--originals", "in.jsonl", "--attackers", "infill", "--model", letters, "--json", "--top", "3")
    assert by_edits.returncode == 0
    found = {row["type"]: row for row in rows(by_edits)}
    assert list(found) == ["DATETIME", "LOC", "MISC", "PERSON", "all"]
    assert list(found["all"]) == ["attacker", "type", "gaps", "guessable", "top_1", "top_3", "most_frequent"]
    assert found["all"]["gaps"] == 8
    assert found["LOC"]["top_1"]["value"] == 0.5  # every letter names Paris; behind *** may be all that Ben Marsk does
    assert found["LOC"]["guessable"] == 1
    assert found["MISC"]["guessable"] == 1  # the steam engine, without its article
    solutions = []
    for row, original in zip(MASKED, ORIGINALS, strict=True):
        at, last = 0, 0
        for one in row["edits"]:
            at += one["start"] - last
            to, last = at + len(one["replacement"]), one["end"]
            stood = original["text"][one["start"] : one["end"]]
            solutions.append(Solution(str(row["id"]), one["start"], one["end"], at, to, stood, one["replacement"],
                                      one["type"], "e1", 0.9, 0.1))  # fmt: skip
            at = to
    lines(Path("table.jsonl"), *(one.to_dict() for one in solutions))
    by_table = here("--solutions", "table.jsonl", "--attackers", "infill", "--model", letters, "--json", "--top", "3")
    assert by_table.stdout == by_edits.stdout
    more = ["--solutions", "table.jsonl", "--truth", "truth.csv", "--model", letters]
    every = here(*more, "--attackers", "all", "--csv")
    assert len(every.stdout.splitlines()) == 1 + 3 * 5 + 5  # the table has the originals: floors
    text = here(*more, "--attackers", "tfidf,infill")
    assert "most frequent" in text.stdout
    assert "Paris" not in text.stdout + by_table.stdout + every.stdout


def test_a_table_of_solutions_that_was_written_by_anonymizing(here: Run, inside: Run, letters: Path) -> None:
    Path("key").write_text("a key of enough length")
    words = ["--model", letters, "--solutions", "s", "--key-file", "key"]
    inside("anonymize", "in.jsonl", "-o", "new.jsonl", *words)
    done = inside("attack", "--background", "bg.jsonl", "--anonymized", "new.jsonl", "--truth", "truth.csv",
                  "--attackers", "tfidf,infill", "--json", *words)  # fmt: skip
    assert done.returncode == 0
    assert [row["version"] for row in rows(done)[:3]] == ["anonymized", "originals", "names masked"]
    assert rows(done)[1]["top_1"]["value"] == 1
    assert rows(done)[-1]["gaps"] > 3


@pytest.mark.parametrize("said", [[], ["--truth", "names.csv"], ["--originals", "folder"]])
def test_files_that_were_renamed_are_known_by_the_table(said: list[str], here: Run, inside: Run) -> None:
    Path("folder").mkdir()
    names = [str(row["text"])[:10].strip() for row in ORIGINALS]
    for name, row in zip(names, ORIGINALS, strict=True):
        Path("folder", f"{name}.txt").write_text(str(row["text"]))
    Path("names.csv").write_text("id,candidate\n" + "".join(f"{name}.txt,{name}\n" for name in names))
    assert inside("anonymize", "folder", "-o", "new", "--protect", "everyone", "--solutions", "s").returncode == 0
    assert not {path.stem for path in Path("new").iterdir()} & set(names)
    done = here("--anonymized", "new", "--solutions", "s", *said, "--json")
    assert (done.returncode, done.stderr) == (0, "")
    assert [(row["version"], row["known"]) for row in rows(done)][:2] == [("anonymized", 3), ("originals", 3)]
    assert not any(name in done.stdout for name in names)
    alone = here("--anonymized", "new", "--originals", "folder")
    assert (alone.returncode, "that were renamed, --solutions FILE says" in alone.stderr) == (3, True)


@pytest.fixture(scope="module")
def infill(letters: Path) -> InfillAttacker:
    model = Model.open(letters)
    return InfillAttacker.from_model(
        model, climber(SHIPPED, "en"), lambda phrases: classify_phrases(phrases, model, Config(language="en"))
    )


def test_nothing_to_guess_is_said(here: Run, letters: Path) -> None:
    lines(Path("same.jsonl"), *({**row, "edits": []} for row in ORIGINALS))
    words = "--originals", "same.jsonl", "--attackers", "infill", "--model", letters
    done = here("--anonymized", "same.jsonl", *words, "--fail-above", "0.1")
    assert (done.returncode, done.stdout) == (0, "")
    assert "nothing is replaced" in done.stderr


def test_all_attackers_list_documents_without_the_one_who_looks_for_nobody(here: Run, letters: Path) -> None:
    words = "--truth", "truth.csv", "--originals", "in.jsonl", "--attackers", "all", "--model", letters
    done = here(*words, "--by-document", "--json")
    assert done.returncode == 0
    assert {row["attacker"] for row in rows(done)} == {"tfidf", "bm25", "grams", "embedding", "classifier"}


@pytest.mark.parametrize(
    ("text", "type", "among", "not_among"),
    [
        ("[[the 1910s]]", "DATETIME", "1913", "1921"),
        ("in [[the 1920s]]", "DATETIME", "1921", "1913"),
        ("[[a city in France]]", "LOC", "paris", "1913"),
        ("[[PERSON 3]]", "PERSON", "ada berger", "paris"),
        ("[[Unheard Of]]", "LOC", "paris", "1913"),
        ("[[***]]", "LOC", "garden", ""),
    ],
)
def test_guesses_are_below_the_label(text: str, type: str, among: str, not_among: str, infill: InfillAttacker) -> None:
    start, end = text.index("[["), text.index("]]") - 2
    guesses, count = infill.guess(text.replace("[[", "").replace("]]", ""), Gap(start, end, type, ""), 500)
    assert len(guesses) == count
    assert among in guesses
    assert not_among not in guesses


def test_public_text_about_whom_a_text_is_about_says_what_stood_there(letters: Path, infill: InfillAttacker) -> None:
    model, config = Model.open(letters), Config(language="en")
    public = PublicTexts.from_texts(
        [row.get("name") or row["title"] for row in PUBLIC], [row["text"] for row in PUBLIC]
    )
    informed = InfillAttacker.from_model(
        model,
        climber(SHIPPED, "en"),
        lambda phrases: classify_phrases(phrases, model, config),
        read_background_phrases(public, model, config),
    )
    for text, label, type, wanted in (
        ("Person 1 is an actress who won a prize in the 1990s.", "the 1990s", "DATETIME", "1994"),
        ("Person 1 crossed the ocean on a raft.", "Person 1", "PERSON", "Cora Imbry"),
    ):
        gap = Gap(text.index(label), text.index(label) + len(label), type, wanted)
        assert informed.guess(text, gap, 1)[0] == [wanted.lower()]
        assert informed.rank_original(text, gap).rank == 1
        assert infill.rank_original(text, gap).rank is None
    silent = "He met Person 2."
    gap = Gap(7, 15, "PERSON", "Ada Berger")
    assert informed.rank_original(silent, gap).rank is not None  # nothing says who it is: all of the public text counts


def test_a_phrase_is_guessed_as_what_public_text_has_it_as_too(letters: Path, infill: InfillAttacker) -> None:
    model, gap = Model.open(letters), Gap(0, 7, "LOC", "steam engine")
    public = PublicTexts.from_texts(
        [row.get("name") or row["title"] for row in PUBLIC], [row["text"] for row in PUBLIC]
    )
    (place,) = classify_phrases(["Paris"], model, Config(language="en"))
    assert place is not None
    informed = InfillAttacker.from_model(
        model, climber(SHIPPED, "en"), lambda phrases: classify_phrases(phrases, model, Config(language="en")),
        BackgroundPhrases(public.create_attacker("tfidf"), [[(gap.original, place)] * 2]),
    )  # fmt: skip
    assert gap.original in infill.keys
    assert infill.rank_original("[LOC 1]", gap).rank is None
    assert informed.rank_original("[LOC 1]", gap).rank == 1


def test_an_original_that_is_no_phrase_is_never_guessed(infill: InfillAttacker) -> None:
    found = infill.rank_original("the 1910s", Gap(0, 9, "DATETIME", "12 May 1913"))
    assert (found.rank, found.is_most_frequent) == (None, False)
    assert infill.rank_original("the 1910s", Gap(0, 9, "DATETIME", "the 1913")).rank is not None
    assert infill.guess("x", Gap(0, 1, "CODE", ""), 5) == ([], 0)
    assert attack_gaps(infill, [("", [])], 5) == ()


def test_gaps_that_do_not_fit_are_refused() -> None:
    with pytest.raises(InputError, match=r"7: .* at 0"):
        gaps_from_edits("x", "Ada", [edit(0, 3, "Person 1", "PERSON")], "7")
    with pytest.raises(InputError, match="7: an edit has"):
        gaps_from_edits("x", "Ada", [SECRET], "7")
    with pytest.raises(InputError, match=r"7: has changed .* at 0"):
        gaps_from_solutions("x", [Solution("7", 0, 3, 0, 8, "Ada", "Person 1", "PERSON", "e1", 1, 0.1)], "7")
    assert gaps_from_edits("Ada", "Ada", [edit(0, 3, "Ada", "PERSON")], "7") == []  # kept as it is
    assert gaps_from_edits("Ada", "Ada", None, "7") == []


# What is refused


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        ([], 2, "of no document it is known"),
        (["--truth", "truth.csv", "--attackers", "tfidff"], 2, "no attacker 'tfidff'; did you mean 'tfidf'?"),
        (["--attackers", "zzz"], 2, "no attacker 'zzz'; known here: tfidf"),
        (["--truth", "truth.csv", "--attackers", ","], 2, "names nobody"),
        (["--attackers", "tfidf,infill", "--model", "default", "--by-document", "--json"], 2, "leave one out"),
        (["--truth", "truth.csv", "--attackers", "embedding"], 2, "--model MODEL"),
        (["--truth", "truth.csv", "--attackers", "infill", "--model", "default"], 2, "infill needs what stood there"),
        (["--truth", "truth.csv", "--top", "0"], 2, "--top"),
        (["--truth", "truth.csv", "--fail-above", "2"], 2, "--fail-above"),
        (["--truth", "truth.csv", "--show-original"], 2, "--by-document"),
        (["--truth", "truth.csv", "--key-file", "key"], 2, "--solutions"),
        (["--truth", "truth.csv", "--sentences", "folder"], 2, "--attackers classifier"),
        (["--truth", "none.csv"], 3, "none.csv: no such file"),
        (["--truth", "bg.txt"], 2, "bg.txt: is neither"),
        (["--truth", "bad.csv"], 3, "bad.csv, line 2: says not which"),
        (["--truth", "twice.csv"], 3, "twice.csv, line 3: names another"),
        (["--truth", "several.csv"], 2, "1: several candidates"),
        (["--truth", "truth.csv", "--candidates", "who"], 2, "who, line 2: the background has no text about"),
        (["--truth", "truth.csv", "--candidates", "olt"], 2, "olt, line 1: the background has several"),
        (["--truth", "truth.csv", "--candidates", "again"], 2, "again, line 2: names a candidate again"),
        (["--truth", "truth.csv", "--candidates", "one"], 2, "one candidate"),
        (["--truth", "truth.csv", "--originals", "few.jsonl"], 3, "2: has no original of its id (2 of 3"),
        (["--truth", "truth.csv", "--solutions", "wrong.jsonl"], 2, "1: the table of solutions has nothing of it"),
        (["--truth", "truth.csv", "--solutions", "wrong.jsonl", "--anonymized", "page.html"], 2, "which is marked up"),
        (["--truth", "truth.csv", "--background", "empty.jsonl"], 3, "empty.jsonl: is empty"),
        (["--truth", "truth.csv", "--background", "binary.jsonl"], 3, "binary.jsonl, line 1"),
        (["--truth", "truth.csv", "--background", "alike.jsonl"], 2, "candidates 1 and 2 of the background"),
        (["--truth", "truth.csv", "--background", "lacks.jsonl"], 3, "lacks.jsonl, line 1: a candidate has a name"),
        (["--truth", "truth.csv", "--anonymized", "binary.txt"], 3, "binary.txt"),
        (["--truth", "truth.csv", "--anonymized", "nothing"], 3, "nothing"),
        (["--truth", "truth.csv", "--anonymized", "empty.jsonl"], 3, "empty.jsonl: has no document"),
        (["--truth", "truth.csv", "--anonymized", "out.jsonl", "in.jsonl"], 3, "two documents have the id '1'"),
        (["--truth", "-", "--anonymized", "-"], 2, "more than once"),
    ],
)
def test_what_is_wrong_is_said_and_quotes_nothing(words: list[str], code: int, said: str, here: Run) -> None:
    lines(Path("alike.jsonl"), {"name": "Ada", "text": "x"}, {"name": "ADA", "text": SECRET})
    lines(Path("lacks.jsonl"), {"name": "Ada", "txt": SECRET})
    lines(Path("few.jsonl"), ORIGINALS[0])
    solution = Solution("9", 0, 3, 0, 8, SECRET, "Person 1", "PERSON", "e1", 1, 0.1)
    lines(Path("wrong.jsonl"), solution.to_dict())
    for name, text in {
        "empty.jsonl": "", "page.html": f"<p>{SECRET}</p>", "bg.txt": SECRET, "olt": "Dan Olt",
        "bad.csv": f"id,who\n1,{SECRET}\n",
        "twice.csv": f"id,candidate\n1,Ada Berger\n1,{SECRET}\n", "several.csv": "id,candidate\n1,Dan Olt\n",
        "who": f"Ada Berger\n{SECRET}\n", "again": "Ada Berger\nada berger\n", "one": "Ada Berger\n",
    }.items():  # fmt: skip
        Path(name).write_text(text)
    for name in ("binary.jsonl", "binary.txt"):
        Path(name).write_bytes(b"\x89PNG\0\xff" + SECRET.encode())
    Path("nothing").mkdir()
    done = here(*words)
    assert (done.returncode, done.stdout) == (code, "")
    assert said in done.stderr


def test_a_transformer_needs_its_extra_or_its_folder(here: Run) -> None:
    done = here("--truth", "truth.csv", "--attackers", "classifier", "--sentences", "nowhere")
    assert done.returncode in (2, 3)
    assert "nowhere" in done.stderr or "embanon[contextual]" in done.stderr


def test_a_transformer_reads_the_sentences(tmp_path: Path, here: Run) -> None:
    folder = save(tmp_path / "transformer")
    about = ["The actress was born in Berlin. She played a role.", "A queen lived in the old town. The town is old."]
    lines(Path("bg.jsonl"), *({"name": name, "text": text} for name, text in zip("AB", about, strict=True)))
    texts = ["*** played a role. [PERSON 1] was born in Berlin.", "The town is old.", "***"]
    lines(Path("out.jsonl"), *({"id": name, "text": text} for name, text in zip("ABC", texts, strict=True)))
    Path("truth.csv").write_text("id,candidate\nA,A\nB,B\nC,A\n")
    done = here(
        "--truth", "truth.csv", "--attackers", "classifier", "--sentences", str(folder), "--by-document", "--json"
    )
    found = {row["id"]: row for row in rows(done)}
    assert [found[name]["rank"] for name in "ABC"] == [1, 1, 1.5]  # of nothing nothing is known
    assert found["B"]["clues"] == [{"start": 0, "end": 16, "count": 1, "share": 1}]
