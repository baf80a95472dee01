"""A second opinion in ledgers: old ledgers take it in, marks hold it, scans write it, reports show it."""

from __future__ import annotations

import csv
import io
import json
import random
import subprocess
from collections import defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sql

from embanon.leak.ledger.chain import ChainHead
from embanon.leak.ledger.lookups import summarize_documents, summarize_sensitivity
from embanon.leak.ledger.records import UNKNOWN_SENSITIVITY, ScanResult
from embanon.leak.ledger.schema import METADATA, VERSION
from embanon.leak.ledger.store import Ledger
from embanon.leak.ledger.verify import verify
from embanon.leak.page import to_html
from embanon.leak.report import LeakReportOptions, gather_findings
from embanon.leak.report_rows import COLUMNS, to_csv, to_dict, to_text
from tests.leak.ledgers import KEY, KINDS, POLICY, filled, found, where
from tests.leak.test_learn import PEACE, WAR, lines, papers, text
from tests.report.test_report import checked

Done = subprocess.CompletedProcess[str]
Run = Callable[..., Done]

OLD = Path(__file__).parents[1] / "cases" / "ledger-1.jsonl"
"""A ledger as version 1 made it, and the statements by which it made its tables."""


@pytest.fixture(params=KINDS)
def address(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    return where(request.param, tmp_path)


@pytest.fixture
def ledger(address: str) -> Iterator[Ledger]:
    with Ledger.open(address, KEY, create=True) as ledger:
        yield ledger


def run(ledger: Ledger, statement: str) -> None:
    with ledger.engine.begin() as connection:
        connection.execute(sql.text(statement))


def columns(ledger: Ledger) -> dict[str, set[tuple[str, str, bool]]]:
    """Return the columns of all tables, with their types."""
    with ledger.reading() as connection:
        known = sql.inspect(connection)
        kinds = {"FLOAT": "REAL", "DOUBLE PRECISION": "REAL"}  # names of one type
        return {
            name: {(one["name"], kinds.get(str(one["type"]), str(one["type"])), bool(one["nullable"]))
                   for one in known.get_columns(name)}
            for name in known.get_table_names()
        }  # fmt: skip


def old(address: str) -> None:
    """Make a ledger of version 1."""
    engine = sql.create_engine(address if "://" in address else f"sqlite:///{address}")
    rows = defaultdict[str, list[dict[str, Any]]](list)
    with engine.begin() as connection:
        for line in OLD.read_text().splitlines():
            one = json.loads(line)
            if one.get("database") == engine.dialect.name:
                connection.execute(sql.text(one["statement"]))
            elif "table" in one:
                row = {name: bytes.fromhex(value["hex"]) if isinstance(value, dict) else value
                       for name, value in one["row"].items()}  # fmt: skip
                rows[one["table"]].append(row)
        for name, some in rows.items():
            connection.execute(sql.insert(sql.table(name, *map(sql.column, some[0]))), some)
    engine.dispose()


# Old ledgers


def test_an_old_ledger_is_read_and_its_marks_hold(address: str, tmp_path: Path) -> None:
    old(address)
    with Ledger.open(address, KEY) as ledger:
        with ledger.reading() as connection:
            assert connection.execute(sql.text("SELECT version FROM ledger")).scalar() == VERSION
            assert summarize_sensitivity(connection, 0.5, 10).documents == 0
        checked = verify(ledger, computed=True)
        assert (checked.faults, checked.batches > 5, checked.entries > 20) == ((), True, True)
        before = ledger.head()
        filled(ledger, *(found(f"new/{place}", sensitivity=place / 4) for place in range(5)))
        assert verify(ledger, ChainHead(before.ledger, before.batch, before.chained), computed=True).sound
        with ledger.reading() as connection:
            assert summarize_sensitivity(connection, 0.5, 10).documents == 5
    other = where("sqlite", tmp_path / "new") if "://" not in address else where("postgresql", tmp_path)
    Path(tmp_path / "new").mkdir()
    with Ledger.open(address, KEY) as ledger, Ledger.open(other, KEY, create=True) as new:
        assert columns(ledger) == columns(new)
        assert set(columns(new)) == set(METADATA.tables)


def test_an_old_ledger_goes_on_where_it_was(address: str) -> None:
    """What is there as it is needs no scan; a version is added only where something differs."""
    old(address)
    with Ledger.open(address, KEY) as ledger:
        scan = filled(ledger, found("folder 0/3", content="nothing"))
        assert scan.find_current([("folder 0/3", b"nothing")]) == {"folder 0/3"}
        with ledger.reading() as connection:
            assert connection.execute(sql.text("SELECT count(*) FROM versions")).scalar() == 5


CHANGES = {
    "a value is changed": "UPDATE versions SET sensitivity = 0.25 WHERE id = 6",
    "a value is taken away": "UPDATE versions SET sensitivity = NULL WHERE id = 6",
    "a value is added to an old entry": "UPDATE versions SET sensitivity = 0.5 WHERE id = 1",
    "a value is added to a new entry": "UPDATE versions SET sensitivity = 0 WHERE id = 7",
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_marks_hold_it(address: str, change: str) -> None:
    old(address)
    with Ledger.open(address, KEY) as ledger:
        filled(ledger, found("new/a", sensitivity=0.75), found("new/b"))
        assert verify(ledger).sound
        run(ledger, change)
        assert [(one.table, one.what) for one in verify(ledger).faults] == [("versions", "was changed, moved or added")]


# What no entity explains


PAPERS = (
    found("hr/a.txt", sensitivity=0.99, label="internal"),
    found("hr/b.txt", ("Bluebird", [("cobalt", 0.95)]), sensitivity=0.98),
    found("hr/c.txt", ("Bluebird", [("sky", 0.05)]), sensitivity=0.97),
    found("hr/d.txt", sensitivity=0.5),
    found("hr/e.txt", sensitivity=UNKNOWN_SENSITIVITY),
    found("hr/f.txt"),
)


def test_what_no_entity_explains_is_told(ledger: Ledger) -> None:
    filled(ledger, *PAPERS)
    with ledger.reading() as connection:
        said = summarize_sensitivity(connection, 0.9, 10)
        assert [one.document for one in said.top] == ["hr/a.txt", "hr/c.txt"]
        assert (said.documents, said.unknown, said.sensitive, said.top[0].label) == (5, 1, 2, "internal")
        assert summarize_sensitivity(connection, 0.9, 1).sensitive == 2
        assert len(summarize_sensitivity(connection, 0.9, 1).top) == 1
        assert summarize_sensitivity(connection, 0.5, 9).sensitive == 3
    names = [one.name for one in PAPERS]
    assert summarize_documents(ledger, names, 0.9, 10) == said
    assert summarize_documents(ledger, names[1:3], 0.9, 10).sensitive == 1
    assert summarize_documents(ledger, [], 0.9, 10).documents == 0


def test_only_what_is_there_now_counts(ledger: Ledger) -> None:
    scan = filled(ledger, *PAPERS)
    scan.record_gone(["hr/a.txt"])
    scan.record([found("hr/c.txt", content="other", sensitivity=0.1)])
    with ledger.reading() as connection:
        said = summarize_sensitivity(connection, 0.9, 10)
    assert (said.documents, said.sensitive) == (4, 0)
    assert verify(ledger, computed=True).sound


def test_what_is_allowed_is_explained_as_well(ledger: Ledger) -> None:
    from dataclasses import replace

    one = PAPERS[1]
    filled(ledger, replace(one, disclosed=tuple(replace(some, allowed=True) for some in one.disclosed)))
    assert summarize_documents(ledger, [one.name], 0.9, 10).sensitive == 0


@pytest.mark.parametrize("value", [1.1, -0.5, float("nan"), float("inf")])
def test_no_probability_is_refused(value: float) -> None:
    with pytest.raises(ValueError, match="from 0 to 1, or -1"):
        ScanResult("a", b"", sensitivity=value)


# Reports


def test_a_report_shows_it(ledger: Ledger) -> None:
    filled(ledger, *PAPERS)
    some = gather_findings(ledger, POLICY)
    page = "".join(to_html(some))
    checked(page)
    assert "Sensitive by what is in it, of no entity of the policy" in page
    assert "2 of 5 documents are sensitive with a probability of 0.9 or more" in page
    assert "Of 1 nothing can be said." in page
    assert page.index("hr/a.txt") < page.rindex("hr/c.txt")
    row = json.loads(json.dumps(to_dict(some)))["opinions"]
    assert [(one["document"], one["sensitivity"]) for one in row["top"]] == [("hr/a.txt", 0.99), ("hr/c.txt", 0.97)]
    assert (row["documents"], row["unknown"], row["sensitive"], row["limit"]) == (5, 1, 2, 0.9)
    assert "hr/a.txt" in "".join(to_text(some))
    assert gather_findings(ledger, POLICY, LeakReportOptions(sensitive_above=0.5)).opinions.sensitive == 3


def test_a_table_has_documents_of_no_entity_too(ledger: Ledger) -> None:
    filled(ledger, *PAPERS)
    rows = list(csv.DictReader(io.StringIO("".join(to_csv(ledger, POLICY, LeakReportOptions())))))
    assert {row["document"]: (row["entity"], row["sensitivity"]) for row in rows} == {
        "hr/a.txt": ("", "0.99"), "hr/b.txt": ("e1", "0.98"), "hr/c.txt": ("e1", "0.97"), "hr/d.txt": ("", "0.5"),
    }  # fmt: skip
    shown = list(csv.reader(io.StringIO("".join(to_csv(ledger, POLICY, LeakReportOptions(original=True))))))
    assert {len(row) for row in shown} == {len(COLUMNS) + 2}


def test_names_are_hidden_there(ledger: Ledger) -> None:
    filled(ledger, found("bluebird/plan.txt", sensitivity=0.99, label="Zenith"))
    said = "".join(to_html(gather_findings(ledger, POLICY)))
    assert "e1/plan.txt" in said
    assert not any(name in said.lower() for name in ("bluebird", "zenith"))


def test_where_nobody_asked_nothing_is_said(ledger: Ledger) -> None:
    filled(ledger, PAPERS[-1])
    some = gather_findings(ledger, POLICY)
    assert "<h2>Sensitive" not in "".join(to_html(some))
    assert (some.opinions.documents, some.opinions.top) == (0, ())


# Scans

SCAN = ("leak", "scan", "docs", "--policy", "policy.toml", "--ledger", "l.db")
ASKED = (*SCAN, "--sensitivity", "s.npz")


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, inside: Run) -> Run:
    """Return a function that runs the command in this process, in a folder with documents and what was learnt."""
    work = tmp_path / "work"
    (work / "docs").mkdir(parents=True)
    monkeypatch.chdir(work)
    Path("policy.toml").write_text('[[entities]]\nname = "Geheimnis"\nkind = "project"\nsensitivity = 4\n')
    Path("papers.jsonl").write_text(lines(papers()))
    words = ("--label-field", "marking", "--sensitive", "Amber", "-o", "s.npz")
    assert inside("leak", "learn", "papers.jsonl", *words).returncode == 0
    chance = random.Random(7)
    war = " ".join(text(chance, WAR[:4]) for _ in range(2))
    named = f"Geheimnis: {' '.join(WAR[4:])}"  # in words of its own: else the others would be near copies of it
    own = {"war": war, "copy": war, "named": named, "peace": text(chance, PEACE), "none": "цирк приехал"}
    for name, content in {**own, "empty": ""}.items():
        Path(f"docs/{name}.txt").write_text(content, "utf-8")
    return inside


def test_a_scan_asks_for_it_and_writes_it_down(here: Run) -> None:
    row = json.loads(here(*ASKED, "--json").stdout)
    assert (row["scored"], row["copies"]) == (5, 1)
    said = row["sensitivity"]
    assert (said["documents"], said["unknown"], said["sensitive"], said["limit"]) == (6, 1, 2, 0.9)
    assert {one["document"] for one in said["top"]} == {"docs/war.txt", "docs/copy.txt"}
    again = here(*ASKED)
    assert "unchanged: 6" in again.stdout
    assert (
        "sensitive by what is in it, of no entity of the policy: 2 (from 0.9); of which nothing can be said: 1\n"
        in (again.stdout)
    )
    assert here("leak", "verify", "--ledger", "l.db", "--computed").returncode == 0
    report = here("leak", "report", "--ledger", "l.db", "--policy", "policy.toml", "--as", "html").stdout
    assert "2 of 6 documents are sensitive" in report
    high = ("leak", "report", "--ledger", "l.db", "--policy", "policy.toml", "--as", "json", "--sensitivity-above", "1")
    assert json.loads(here(*high).stdout)["opinions"]["sensitive"] == 0
    assert here(*high[:-1], "0").returncode == 2


def test_it_is_asked_for_later_too(here: Run) -> None:
    assert "sensitive" not in here(*SCAN).stdout
    row = json.loads(here(*ASKED, "--json").stdout)
    assert (row["unchanged"], row["sensitivity"]["documents"]) == (0, 6)
    assert json.loads(here(*ASKED, "--json").stdout)["unchanged"] == 6


def test_several_processes_say_the_same(here: Run) -> None:
    one = json.loads(here(*ASKED, "--json").stdout)["sensitivity"]
    two = json.loads(here(*ASKED[:-4], "--ledger", "m.db", *ASKED[-2:], "--jobs", "2", "--json").stdout)["sensitivity"]
    assert one == two


def test_what_was_learnt_is_no_document(here: Run) -> None:
    Path("docs/s.npz").write_bytes(Path("s.npz").read_bytes())
    done = here(*SCAN, "--sensitivity", "docs/s.npz", "--json")
    assert (done.returncode, json.loads(done.stdout)["documents"]) == (0, 6)
