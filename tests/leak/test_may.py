"""Whether somebody may open a document: yes, no, why, and what they would learn."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given

from embanon.cli.main import main
from embanon.document import Document
from embanon.errors import InputError
from embanon.leak import Answer, Clearance, may
from embanon.leak.access import import_log, parse_day
from embanon.leak.ledger.records import MOSTLY_UNKNOWN
from embanon.leak.ledger.report import find_users
from embanon.leak.ledger.scan import LedgerScan
from embanon.leak.ledger.store import Ledger
from embanon.leak.misuse import FACT, KnowledgeHistory, KnownPhrases, distinct_places
from embanon.leak.people import Group, Permission
from embanon.leak.policy import AlertSettings, Policy
from tests.leak.ledgers import KEY, KINDS, POLICY, filled, found, where
from tests.leak.test_misuse import FACTS, Fact

DAY = parse_day("2026-05-20")
GROUPS = (Group("research", ("Ada", "joe")),)
BLUEBIRD, ZENITH = POLICY.entities


def policy(*names: Permission, **more: Any) -> Policy:
    return replace(POLICY, entities=(replace(BLUEBIRD, may=names), ZENITH), groups=GROUPS, **more)


PEOPLE = policy(
    Permission("research"), Permission("eve", until=date(2026, 5, 19)), Permission("tim", since=date(2026, 6, 1)),
    alerts=AlertSettings(worth=3.5),
)  # fmt: skip


@pytest.fixture(params=KINDS)
def ledger(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Ledger]:
    with Ledger.open(where(request.param, tmp_path), KEY, create=True, clock=lambda: DAY * 86_400_000) as ledger:
        scan = filled(
            ledger, found("all", ("Bluebird", [("one", 0.9)])), found("half", ("Bluebird", [("one", 0.5)])),
            found("rest", ("Bluebird", [("two", 0.5)])),
            found("both", ("Bluebird", [("one", 0.9)]), ("Zenith", [("x", 0.7)])),
            found("none"), found("strange", unknown_words=MOSTLY_UNKNOWN), found("gone", ("Zenith", [("x", 1.0)])),
        )  # fmt: skip
        home = found("home", ("Zenith", [("x", 0.7)]))
        scan.record([replace(home, disclosed=tuple(replace(one, allowed=True) for one in home.disclosed))])
        scan.record_gone(["gone"])
        yield ledger


def ask(ledger: Ledger, user: str, document: str, made: Policy = PEOPLE, day: int | None = None) -> Answer:
    (answer,) = may(ledger, made, user, [document], day)
    return answer


# user, document, day: the reasons against it
ASKED = {
    "in a group": ("ADA", "all", None, []),
    "a group": ("research", "all", None, []),
    "nobody": ("bob", "all", None, ["e1, risk 0.90: may not know it", "would know too much: worth 3.60, limit 3.5"]),
    "ended": (
        "eve", "all", None,
        ["e1, risk 0.90: might know it as eve until 2026-05-19", "would know too much: worth 3.60, limit 3.5"],
    ),
    "on the last day": ("eve", "all", "2026-05-19", []),
    "yet to come": ("tim", "both", "2026-05-31", [
        "e1, risk 0.90: may know it as tim from 2026-06-01 on", "e2, risk 0.70: lies where it may not be mentioned",
        "would know too much: worth 3.60, limit 3.5",
    ]),
    "below the threshold": ("bob", "half", None, []),
    "of another entity": ("ada", "both", None, ["e2, risk 0.70: lies where it may not be mentioned"]),
    "where it may be mentioned": ("bob", "home", None, []),
    "harmless": ("bob", "none", None, []),
    "strange": ("ada", "strange", None, ["too little is known of its words to say what it hints at"]),
}  # fmt: skip


@pytest.mark.parametrize("name", ASKED)
def test_yes_or_no(name: str, ledger: Ledger) -> None:
    user, document, day, reasons = ASKED[name]
    answer = ask(ledger, user, document, day=parse_day(day) if day else None)
    assert list(answer.reasons) == reasons
    assert answer.yes == (not reasons)
    assert answer.is_new_user


def test_what_would_be_learnt(ledger: Ledger) -> None:
    log = "2026-05-04,bob,half\n2026-05-04,ada,half\n2026-05-04,eve,half\n2026-05-20,joe,rest"
    import_log(ledger, io.BytesIO(log.encode()), "log", PEOPLE, now=1e12)
    bob = ask(ledger, "Bob", "all")
    assert (bob.entities[0].known, bob.worth, bob.total) == ((0.5, 0.9), (2.0, 3.6), (2.0, 3.6))
    assert (bob.crosses_limit, bob.is_new_user, len(bob.learnt)) == (True, False, 1)
    assert ask(ledger, "bob", "half").learnt == ()
    ada = ask(ledger, "ada", "both")
    assert [(one.entity, one.known, one.worth) for one in ada.entities] == [
        ("e1", (0.5, 0.9), (0.0, 0.0)), ("e2", (0.0, 0.7), (0.0, 1.4)),
    ]  # fmt: skip
    assert (ada.worth, ada.total) == ((0.0, 1.4), (0.0, 1.4))
    assert ask(ledger, "eve", "rest").worth == (0.0, 2.0)  # learnt while they might, and now no more
    pseudonym = ledger.secrets.hash_user("joe").hex()[:12]
    joe = ask(ledger, pseudonym, "all")
    assert (joe.yes, joe.entities[0].known) == (True, (0.5, 0.95))


def test_as_the_users_are_told(ledger: Ledger) -> None:
    log = "".join(f"2026-05-{day:02},{user},{name}\n" for day, user, name in [
        (4, "bob", "half"), (5, "bob", "both"), (20, "eve", "half"), (6, "eve", "rest"), (7, "ada", "both"),
    ])  # fmt: skip
    import_log(ledger, io.BytesIO(log.encode()), "log", PEOPLE, now=1e12)
    for user in ("bob", "eve", "ada"):
        histories, _ = find_users(ledger, PEOPLE, 1, user)
        answer = ask(ledger, user, "none")
        assert answer.worth == (histories[0].worth,) * 2
        assert answer.total[0] == pytest.approx(histories[0].days[-1].total)


def test_kept_open_while_others_write(ledger: Ledger) -> None:
    clearance = Clearance(ledger, PEOPLE)
    for day, expected in ((4, 0.0), (5, 2.0)):
        answer = clearance.ask("bob", "none")
        assert answer is not None
        assert answer.worth[0] == expected
        import_log(ledger, io.BytesIO(f"2026-05-{day:02},bob,half".encode()), "log", PEOPLE, now=1e12)
    LedgerScan.begin(ledger, PEOPLE).record([found("none", ("Bluebird", [("three", 0.75)]), content="new")])
    changed = clearance.ask("bob", "none")
    assert changed is not None
    assert changed.entities[0].known == (0.5, 0.875)


def test_what_no_scan_has_seen(ledger: Ledger) -> None:
    clearance = Clearance(ledger, PEOPLE)
    assert [clearance.ask("ada", name) for name in ("gone", "never")] == [None, None]
    with pytest.raises(InputError, match="never: is not in the ledger; run: embanon leak scan"):
        ask(ledger, "ada", "never")
    with pytest.raises(InputError, match="is not in the ledger"):
        clearance.ask_text("ada", Document("text", "Bluebird"))
    wider = replace(PEOPLE, entities=(*PEOPLE.entities, replace(ZENITH, name="Kestrel")))
    assert ask(ledger, "ada", "none", wider).reasons == ("no scan has looked for e3; run: embanon leak scan",)


def as_facts(facts: list[Fact]) -> Any:
    import numpy as np

    return np.array(facts, FACT)


@given(FACTS, FACTS)
def test_what_is_known_is_what_histories_say(facts: list[Fact], more: list[Fact]) -> None:
    def last(array: Any) -> dict[int, float]:
        course = KnowledgeHistory.from_facts(array[distinct_places(array)])
        return dict(zip(course.entities.tolist(), course.known[-1].tolist() if len(course.days) else [], strict=True))

    known, new = KnownPhrases.from_facts(as_facts(facts)), KnownPhrases.from_facts(as_facts(more))
    assert known.known() == last(as_facts(facts))
    assert known.known(new) == last(as_facts(facts + more))


# The command

TOML = """\
[[groups]]
name = "research"
members = ["ada"]
[[entities]]
name = "Bluebird"
kind = "project"
aliases = ["BB-7"]
sensitivity = 4
may = ["research", {who = "eve", until = 2026-05-19}]
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("policy.toml").write_text(TOML)
    Path("docs").mkdir()
    Path("docs/secret.txt").write_text("Bluebird is ready.\n")
    Path("docs/lunch.txt").write_text("Lunch is at noon in the yard.\n")
    assert main(["leak", "scan", "docs", *OPTIONS]) == 0
    return tmp_path


OPTIONS = ["--policy", "policy.toml", "--ledger", "ledger.db"]


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, list[str], str]:
    capsys.readouterr()
    code = main(["leak", "may", *arguments, *OPTIONS])
    written = capsys.readouterr()
    return code, written.out.splitlines(), written.err


def test_the_command(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(capsys, "ada", "docs/secret.txt", "./docs/lunch.txt")[:2] == (0, [
        "docs/secret.txt: yes",
        "  e1: risk 1.00, threshold 0.5; may know it as research; would know 1.00 of it, now 0.00",
        "docs/lunch.txt: yes", "  nothing new to them",
    ])  # fmt: skip
    code, lines, notes = run(capsys, "bob", "docs/secret.txt")
    assert (code, lines) == (1, [
        "docs/secret.txt: no",
        "  e1: risk 1.00, threshold 0.5; may not know it; would know 1.00 of it, now 0.00",
        "  worth 4.00 then, now 0.00",
    ])  # fmt: skip
    assert "the ledger does not know this user, who has seen nothing by it" in notes
    assert "bob" not in notes
    assert run(capsys, "eve", "docs/secret.txt", "--on", "2026-05-19")[0] == 0
    assert run(capsys, "eve", "docs/secret.txt", "--on", "2026-05-20")[0] == 1


def test_a_file_that_no_scan_has_seen(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("new.txt").write_text("BB-7 flies.\n")
    Path("page.html").write_text("<html><script>var name = 'Bluebird';</script><p>Lunch.</p></html>")
    Path("rows.jsonl").write_text('{"id": "a", "text": "Lunch."}\n{"id": "b", "text": "Bluebird."}\n')
    for name in ("new.txt", "page.html", "rows.jsonl"):
        assert run(capsys, "ada", name)[0] == 0
        assert run(capsys, "bob", name)[0] == 1
    code, lines, _ = run(capsys, "bob", "new.txt", "docs/secret.txt", "--json", "--show-original")
    rows = [json.loads(line) for line in lines]
    assert code == 1
    assert [(row["may"], row["from"], row["entities"][0]["name"]) for row in rows] == [
        (False, "file", "Bluebird"), (False, "ledger", "Bluebird"),
    ]  # fmt: skip
    assert rows[0]["worth"] == {"before": 0.0, "after": 4.0}
    assert "Bluebird" not in "".join(run(capsys, "bob", "new.txt", "--json")[1])


def test_what_is_asked_wrongly(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, lines, notes = run(capsys, "ada", "nothing.txt", "docs/secret.txt")
    assert (code, len(lines)) == (3, 2)
    assert "nothing.txt: is no file, and no document that a scan has seen" in notes
    assert run(capsys, " ", "docs/secret.txt")[0] == 2
    assert run(capsys, "ada", "docs/secret.txt", "--on", "tomorrow")[0] == 2
    Path("docs/secret.txt").unlink()  # it is not read again
    assert run(capsys, "ada", "docs/secret.txt")[0] == 0
