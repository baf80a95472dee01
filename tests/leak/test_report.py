"""The report of a ledger: what is in it, what never is, that the page stands alone, and that odd ledgers fit."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, strategies as st

from embanon.cli.main import main
from embanon.leak.access import import_log
from embanon.leak.findings import Findings
from embanon.leak.ledger.records import MOSTLY_UNKNOWN
from embanon.leak.ledger.store import Ledger
from embanon.leak.ledger.verify import differing_tables
from embanon.leak.originals import NameHider
from embanon.leak.page import to_html
from embanon.leak.policy import AlertSettings, LedgerSettings, Policy, PolicyEntity
from embanon.leak.report import LeakReportOptions, gather_findings
from embanon.leak.report_rows import COLUMNS, ORIGINAL_COLUMNS, to_csv, to_dict, to_text
from embanon.report.charts import Series, line_chart
from embanon.report.markup import Cell, templates
from eval import leak_ledger as made_up
from tests.leak.ledgers import KEY, KINDS, POLICY, filled, found, where
from tests.report.test_report import checked

DAY = 86_400_000
TODAY = 20_600
LIMITED = replace(POLICY, alerts=AlertSettings(worth=3.0))
NAMES = ("Bluebird", "Zenith", "bluebird", "zenith")
PAPERS = (
    found("sales/mail.txt", ("Bluebird", [("four minutes", 0.9), ("the fair", 0.3)]), ("Zenith", [("north", 0.4)])),
    found("research/bluebird/plan.txt", ("Bluebird", [("cobalt", 0.7)])),
    found("menu.txt"),
)


@pytest.fixture(params=KINDS)
def ledger(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Ledger]:
    with Ledger.open(where(request.param, tmp_path), KEY, create=True, clock=lambda: TODAY * DAY) as ledger:
        yield ledger


@pytest.fixture
def small(tmp_path: Path) -> Iterator[Ledger]:
    with Ledger.open(where("sqlite", tmp_path), KEY, create=True, clock=lambda: TODAY * DAY) as ledger:
        yield ledger


def opened(ledger: Ledger, *rows: tuple[int, str, str], policy: Policy = POLICY) -> None:
    """Let users open documents on days."""
    lines = "".join(f"{day * DAY},{user},{document}\n" for day, user, document in rows)
    import_log(ledger, io.BytesIO(lines.encode()), "log", policy, now=TODAY * DAY / 1000)


def page(some: Findings) -> str:
    text = "".join(to_html(some))
    checked(text)
    return text


def cells(text: str, caption: str) -> list[list[str]]:
    """Return the rows of a table of a page."""
    body = text.partition(f"<caption>{caption}</caption>")[2].partition("</table>")[0]
    rows = re.findall(r"<tr>(.*?)</tr>", body, re.DOTALL)
    return [[re.sub("<[^>]+>", "", cell) for cell in re.findall(r"<t[hd].*?</t[hd]>", row, re.DOTALL)] for row in rows]


def test_a_report_says_what_costs_where_it_lies_and_who_knows(ledger: Ledger) -> None:
    filled(ledger, *PAPERS)
    opened(ledger, (TODAY - 2, "ada", "sales/mail.txt"), (TODAY - 1, "bob", "menu.txt"), (TODAY, "ada", "unseen.txt"))
    some = gather_findings(ledger, LIMITED)
    assert [(one.document, round(one.worth, 2)) for one in some.top] == [
        ("sales/mail.txt", 3.6), ("research/e1/plan.txt", 2.8),
    ]  # fmt: skip
    assert [one.entity for one in some.top[0].told] == ["e1", "e2"]
    assert [one.document for one in some.outside] == [one.document for one in some.top]
    assert {(one.folder, one.entity): (one.above, one.documents) for one in some.heat} == {
        ("sales", "e1"): (1, 1), ("sales", "e2"): (0, 1), ("research/e1", "e1"): (1, 1),
    }  # fmt: skip
    assert (some.summary.documents, some.summary.unscanned, some.summary.users, some.summary.accesses) == (3, 1, 2, 3)
    assert some.violation_count == 2
    assert [(one.alert.rule, one.entity, len(one.evidence)) for one in some.alarms] == [("worth", "e1", 2)]
    assert some.changes.first
    text = page(some)
    assert not [name for name in NAMES if name in text]
    assert "<details>" in text  # evidence of alerts, without texts
    assert "1/1" in text
    assert "the last scan has not ended" not in text


def test_a_report_says_of_how_much_hints_can_say_nothing(ledger: Ledger) -> None:
    filled(ledger, *PAPERS, found("carta.txt", unknown_words=MOSTLY_UNKNOWN))
    some = gather_findings(ledger, POLICY)
    assert some.summary.untold == 1
    assert "1 document of mostly unknown words" in page(some)
    filled(ledger, found("carta.txt", content="letter"))
    assert gather_findings(ledger, POLICY).summary.untold == 0


def test_originals_are_shown_only_where_asked_for(small: Ledger) -> None:
    policy = replace(LIMITED, ledger=LedgerSettings(text=True))
    filled(small, *PAPERS, policy=policy)
    opened(small, (TODAY, "ada", "sales/mail.txt"))
    telling = ("four minutes", "cobalt", *NAMES)
    closed = [page(gather_findings(small, policy)), json.dumps(to_dict(gather_findings(small, policy)))]
    closed += ["".join(to_text(gather_findings(small, policy))), "".join(to_csv(small, policy, LeakReportOptions()))]
    assert not [word for text in closed for word in telling if word in text]
    text = page(gather_findings(small, policy, LeakReportOptions(original=True)))
    assert "four minutes (e1, risk 0.90, 0-1)" in text
    assert "as secret as the documents" in text
    assert "Bluebird" in text
    told = to_dict(gather_findings(small, policy, LeakReportOptions(original=True)))
    assert told["top"][0]["told"][0]["places"][0]["text"] == "four minutes"
    assert told["learnt"]["ada" if "ada" in told["learnt"] else next(iter(told["learnt"]))][0]["text"] == "four minutes"
    assert told["alarms"][0]["evidence"][0]["text"] == "four minutes"


def test_phrases_are_read_again_where_nothing_has_changed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "policy.toml").write_text('[[entities]]\nname = "Velland"\nkind = "project"\nsensitivity = 4\n')
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "a.txt").write_text("We sold VELLAND today.\n", "utf-8")
    rows = [{"id": str(number), "text": f"{number}: to velland."} for number in range(2)]
    (tmp_path / "docs" / "b.jsonl").write_text("\n".join(map(json.dumps, rows)), "utf-8")
    where = ["--ledger", "ledger.db", "--policy", "policy.toml"]
    assert main(["leak", "scan", "docs", *where]) == 0

    def texts() -> list[str]:
        assert main(["leak", "report", *where, "-o", "out.csv", "--show-original"]) == 0
        with (tmp_path / "out.csv").open(encoding="utf-8", newline="") as file:
            return sorted(row["texts"] for row in csv.DictReader(file))

    assert texts() == ["VELLAND", "velland", "velland"]
    (tmp_path / "docs" / "a.txt").write_text("We lost it all to VELLAND.\n", "utf-8")
    (tmp_path / "docs" / "b.jsonl").unlink()
    assert texts() == ["", "", ""]


def test_what_has_changed_since_the_last_scan(ledger: Ledger) -> None:
    filled(ledger, *PAPERS, found("gone.txt", ("Zenith", [("x", 0.8)])))
    changed = found("sales/mail.txt", ("Bluebird", [("the fair", 0.3)]), content="other")
    scan = filled(ledger, changed, found("menu.txt", ("Zenith", [("y", 0.5)]), content="two"), found("new.txt"))
    scan.record_gone(["gone.txt"])
    scan.end({})
    changes = gather_findings(ledger, POLICY).changes
    assert changes.counts == {"changed": 2, "new": 1, "gone": 1, "risk up": 1, "risk down": 2}
    assert [(one.document, one.what, round(one.after - one.before, 2)) for one in changes.rows] == [
        ("sales/mail.txt", "changed", -2.4), ("gone.txt", "gone", -1.6), ("menu.txt", "changed", 1.0),
        ("new.txt", "new", 0.0),
    ]  # fmt: skip
    text = page(gather_findings(ledger, POLICY))
    assert [row for row in cells(text, "Since 2026-05-27 00:00") if row][1:] == [
        ["new", "1"], ["changed", "2"], ["gone", "1"], ["risk up", "1"], ["risk down", "2"],
    ]  # fmt: skip
    filled(ledger)  # a scan that finds nothing new
    assert not gather_findings(ledger, POLICY).changes.counts
    assert not gather_findings(ledger, POLICY, LeakReportOptions(since=TODAY + 1)).changes.counts
    assert gather_findings(ledger, POLICY, LeakReportOptions(since=TODAY)).changes.first  # all scans are of this day


def test_a_document_that_comes_back_is_new(small: Ledger) -> None:
    first = filled(small, *PAPERS)
    first.record_gone(["sales/mail.txt"])
    filled(small, PAPERS[0])
    assert gather_findings(small, POLICY).changes.counts == {"new": 1, "risk up": 1, "risk down": 0}


def test_allowed_documents_cost_nothing(small: Ledger) -> None:
    one = found("a/b.txt", ("Bluebird", [("x", 0.9)]))
    allowed = [type(told)(told.entity, told.strength, told.risk, told.phrases, True) for told in one.disclosed]
    filled(small, found("a/b.txt", content="x"), type(one)("a/c.txt", b"y", tuple(allowed)))
    some = gather_findings(small, POLICY)
    assert (some.top, some.outside, some.violation_count) == ((), (), 0)
    assert "No document is worth anything." in page(some)
    rows = list(csv.DictReader(io.StringIO("".join(to_csv(small, POLICY, LeakReportOptions())))))
    assert [(row["document"], row["worth"], row["allowed"], row["above"]) for row in rows] == [
        ("a/c.txt", "0.0", "1", "1")
    ]


def test_an_empty_ledger_has_a_report(ledger: Ledger) -> None:
    some = gather_findings(ledger, POLICY)
    assert some.changes.at is None
    text = page(some)
    assert "nothing has been scanned yet" in text
    assert "Nobody has opened anything yet" in text
    assert json.dumps(to_dict(some))
    assert "nothing has been scanned" in "".join(to_text(some))
    assert "".join(to_csv(ledger, POLICY, LeakReportOptions())) == ",".join(COLUMNS) + "\n"


def test_one_user_and_clocks_that_jump(small: Ledger) -> None:
    filled(small, *PAPERS)
    opened(small, (-700_000, "ada", "menu.txt"), (TODAY, "ada", "sales/mail.txt"), (2_900_000, "ada", "menu.txt"))
    some = gather_findings(small, LIMITED)
    assert some.since == TODAY - 30  # not thirty days before the year 9910
    text = page(some)
    assert "0053-" in text
    assert "9909-" in text or "9910-" in text
    assert len(some.alarms) == 1
    page(gather_findings(small, LIMITED, LeakReportOptions(since=-719_000)))


def test_names_with_markup_and_controls_are_harmless(small: Ledger) -> None:
    policy = Policy(
        entities=(PolicyEntity("<b>Blue & \"bird\"</b>", "project", sensitivity=4), PolicyEntity("=1+1", "project",
        sensitivity=2)),
        ledger=LedgerSettings(users="name", text=True),
    )  # fmt: skip
    odd = found("=cmd|' /C calc'!A0/<script>x</script>\x1b[2J.txt", ('<b>Blue & "bird"</b>', [("<i>x\x07\n", 0.9)]))
    filled(small, odd, found("-b\u202e;=2+2;c.txt", ("=1+1", [("@y", 0.7)])), policy=policy)
    opened(small, (TODAY, "<u>eve</u>\x1b", odd.name), policy=policy)
    for look in (LeakReportOptions(), LeakReportOptions(original=True)):
        some = gather_findings(small, policy, look)
        text = page(some)
        assert "<script" not in text
        assert not re.search("[\x00-\x08\x0b-\x1f\u202e]", text)
        assert "\x1b" not in "".join(to_text(some))
        rows = list(csv.reader(io.StringIO("".join(to_csv(small, policy, look)))))
        assert rows[0] == [*COLUMNS, *(ORIGINAL_COLUMNS if look.original else ())]
        assert len(rows) == 3
        cells = [part for row in rows for cell in row for part in re.split("[;\t]", cell)]
        assert not [cell for cell in cells if cell.startswith(("=", "@", "-", "+"))]


def test_many_entities_and_folders_fit(small: Ledger) -> None:
    policy = Policy(entities=tuple(PolicyEntity(f"Project N{number}", sensitivity=3) for number in range(200)))
    papers = (
        found(f"folder {number}/a.txt", *((f"Project N{(number * 7 + n) % 200}", [("x", 0.7)]) for n in range(5)))
        for number in range(100)
    )
    filled(small, *papers, policy=policy)
    text = page(gather_findings(small, policy))
    assert "Not shown: 60 folders and 188 entities" in text
    assert len(cells(text, "Entities × folders")) == 41
    assert len(gather_findings(small, policy, LeakReportOptions(max_rows=3)).top) == 3
    assert len("".join(to_csv(small, policy, LeakReportOptions(), most=3)).splitlines()) == 16


def test_an_entity_that_the_policy_no_longer_has_is_told(small: Ledger) -> None:
    filled(small, *PAPERS)
    some = gather_findings(small, Policy(entities=(PolicyEntity("Other", sensitivity=1), POLICY.entities[1])))
    assert [(one.label, one.gone) for one in some.entities] == [("e2", False), ("e3", True)]
    assert "no longer in the policy" in page(some)


def _read_for_months(ledger: Ledger, *more: tuple[int, str, str]) -> None:
    """Let two groups read, each in its folder, a document a day; and somebody more."""
    names = {"x": "Bluebird", "y": "Zenith"}
    filled(ledger, *(
        found(f"{place}/{n}.txt", (name, [(f"{place} {n}", 0.9)])) for place, name in names.items() for n in range(500)
    ))  # fmt: skip
    rows = [
        (TODAY - day, f"{place}{user}", f"{place}/{(6 * day + user) % 480}.txt")
        for place in "xy" for user in range(6) for day in range(75)
    ]  # fmt: skip
    opened(ledger, *rows, *more)


def test_an_alert_is_said_in_a_sentence(small: Ledger) -> None:
    _read_for_months(small, *((TODAY - 1, "y0", f"x/{n}.txt") for n in range(400, 440)))
    some = gather_findings(small, POLICY)
    [alarm] = some.alarms
    assert (alarm.alert.rule, alarm.entity, alarm.alert.documents) == ("day", "e1", 41)
    assert {one.day for one in alarm.evidence} == {TODAY - 1}
    assert alarm.sentence.startswith("learned 145.8 of e1, e2 from 41 documents on 2026-05-26, 40 of them in x")
    assert alarm.sentence.endswith("; on their usual day 1.8, and anybody else at most 3.6")
    told = to_dict(some)["alarms"][0]
    assert (told["rule"], told["since"], told["day"], told["sentence"]) == (
        "day", "2026-05-26", "2026-05-26", alarm.sentence,
    )  # fmt: skip
    assert alarm.sentence in page(some)
    assert alarm.sentence in "".join(to_text(some))


def test_groups_say_who_is_at_home_where(small: Ledger) -> None:
    _read_for_months(small, *((TODAY - day, "x9", f"x/{n * 8 + day}.txt") for day in range(1, 6) for n in range(8)))
    groups = {f"{place}{user}": place for place in "xy" for user in range(10)}
    among_all, in_groups = gather_findings(small, POLICY), gather_findings(small, POLICY, groups=groups)
    assert (len(among_all.alarms) >= len(in_groups.alarms), in_groups.alarms) == (True, ())


def test_of_many_alerts_the_last_ones_are_listed(small: Ledger) -> None:
    filled(small, *PAPERS)
    opened(small, *((TODAY - n % 7, f"user {n}", "sales/mail.txt") for n in range(210)))
    some = gather_findings(small, LIMITED)
    assert (some.alerts, len(some.alarms), some.alarms[-1].alert.day) == (210, 200, TODAY)
    assert "Alerts, the last ones first (the last 200 of 210)" in page(some)


HIDDEN = {
    "a folder": ("research/bluebird/plan.txt", "research/e1/plan.txt"),
    "joined otherwise": ("big_blue-BIRD.txt", "e2.txt"),
    "the longer name": ("big blue bird", "e2"),
    "a part of a word": ("bluebirds.txt", "bluebirds.txt"),
    "an alias": ("x/BB-7/y", "x/e1/y"),
    "in one word with others": ("planBluebirdNorth.txt", "plane1North.txt"),
    "before a number": ("bluebird2026_v3.txt", "e12026_v3.txt"),
    "with an inner capital": ("BlueBird.txt", "e1.txt"),
    "an accent apart": ("d/cafe\u0301 noir.txt", "d/e3.txt"),
    "of two folders": ("blue/bird.txt", "blue/bird.txt"),
    "nothing": ("", ""),
}


@pytest.mark.parametrize(("name", "shown"), HIDDEN.values(), ids=HIDDEN)
def test_names_are_hidden_in_paths(name: str, shown: str) -> None:
    items = (
        PolicyEntity("Bluebird", aliases=("BB-7", "blue bird"), sensitivity=1),
        PolicyEntity("Big Blue Bird", sensitivity=1),
    )
    items = (*items, PolicyEntity("Caf\u00e9 Noir", sensitivity=1))
    assert NameHider.from_policy(Policy(entities=items))(name) == shown
    assert NameHider()(name) == name


@given(st.text(max_size=40))
def test_what_is_hidden_leaves_all_else(name: str) -> None:
    hiding = NameHider.from_policy(Policy(entities=(PolicyEntity("Bluebird", sensitivity=1),)))
    if "bluebird" not in name.casefold():
        assert hiding(name) == name
    assert "Bluebird" not in hiding(f"{name} Bluebird {name}")


def test_a_cell_opens_to_what_is_behind_it() -> None:
    parts: Any = templates().get_template("parts.html").module
    text = parts.table("t", ("a",), [(Cell("<1>", ("<x>", "y"), 0.9),), (Cell(2.0),), (Cell("3", (), 0.1),)])
    assert '<th scope="row" class="h4"><details><summary>&lt;1&gt;</summary><ul><li>&lt;x&gt;</li>' in text
    assert '<th scope="row">2.00</th>' in text
    assert '<th scope="row" class="h0">3</th>' in text


def test_curves_have_a_scale_and_name_some_of_many_places() -> None:
    text = line_chart([f"day {n}" for n in range(100)], [Series("eve", list(range(100)))], None, "Label", top=200.0)
    assert text.count("rotate(-50") == 25
    assert ">200</text>" in text
    assert 'aria-label="Label. eve: 0.00 at day 0, 4.00 at day 4' in text
    assert 'd="M60.0 210.0L' in text


# The command


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "policy.toml").write_text(
        '[[entities]]\nname = "Bluebird"\nkind = "project"\nsensitivity = 4\n'
        '[[entities]]\nname = "Zenith"\nkind = "product"\nsensitivity = 2\n'
    )
    (tmp_path / "ledger.db.key").write_text(KEY.decode() + "\n")
    (tmp_path / "ledger.db.key").chmod(0o600)
    from embanon.replace.methods import read_key

    with Ledger.open(tmp_path / "ledger.db", read_key("ledger.db.key"), create=True) as ledger:
        filled(ledger, *PAPERS)
    return tmp_path


WHERE = ["--ledger", "ledger.db", "--policy", "policy.toml"]
FORMS = {"html": "<!DOCTYPE html>", "json": '{"summary"', "csv": "document,folder", "txt": "warning: "}


@pytest.mark.parametrize(("ending", "begins"), FORMS.items(), ids=FORMS)
def test_the_name_of_the_file_says_its_form(ending: str, begins: str, folder: Path) -> None:
    assert main(["leak", "report", *WHERE, "-o", f"report.{ending}"]) == 0
    assert (folder / f"report.{ending}").read_text("utf-8").startswith(begins)
    assert (folder / f"report.{ending}").stat().st_mode & 0o077 == 0


def test_a_form_can_be_asked_for(folder: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["leak", "report", *WHERE, "--as", "csv", "--top", "1"]) == 0
    assert len(capfd.readouterr().out.splitlines()) == 3
    assert main(["leak", "report", *WHERE, "--as", "text", "--since", "2026-01-01"]) == 0
    assert "sales/mail.txt" in capfd.readouterr().out


BAD: dict[str, tuple[list[str], int]] = {
    "no such ledger": (["--ledger", "missing.db", "--policy", "policy.toml"], 2),
    "no such policy": (["--ledger", "ledger.db", "--policy", "missing.toml"], 2),
    "no ledger at all": (["--ledger", "policy.toml", "--policy", "policy.toml", "--key-file", "ledger.db.key"], 3),
    "over its own ledger": ([*WHERE, "-o", "ledger.db"], 2),
    "over its key": ([*WHERE, "-o", "ledger.db.key"], 2),
    "over its journal": ([*WHERE, "-o", "ledger.db-wal"], 2),
    "over its hints": ([*WHERE, "-o", "ledger.db.hints"], 2),
    "no day": ([*WHERE, "--since", "yesterday"], 2),
    "no groups": ([*WHERE, "--groups", "missing.csv"], 3),
    "no number": ([*WHERE, "--top", "0"], 2),
}


@pytest.mark.parametrize("name", ["ledger.db", "ledger.db.key", "ledger.db-wal", "ledger.db.hints"])
def test_a_head_is_not_written_over_its_ledger(name: str, folder: Path) -> None:
    before = {file.name: file.read_bytes() for file in folder.iterdir()}
    assert main(["leak", "head", "--ledger", "ledger.db", "-o", name]) == 2
    assert before == {file.name: file.read_bytes() for file in folder.iterdir()}


@pytest.mark.parametrize(("words", "code"), BAD.values(), ids=BAD)
def test_bad_input_is_named(words: list[str], code: int, folder: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["leak", "report", *words]) == code
    said = capfd.readouterr()
    assert said.out == ""
    assert said.err.startswith("embanon: ")
    assert "internal" not in said.err


def test_a_made_up_ledger_is_as_the_library_would_have_it(ledger: Ledger) -> None:
    made = made_up.fill(ledger, 60, 4_000)
    assert not differing_tables(ledger)
    made_up.scan_again(ledger, made)
    assert not differing_tables(ledger)
    some = gather_findings(ledger, made_up.policy())
    assert some.summary.accesses
    assert some.changes.counts["changed"] + some.changes.counts.get("gone", 0) == 1
    page(some)


def test_a_number_of_rows_is_that_of_documents_and_entities(small: Ledger) -> None:
    made_up.fill(small, 1_203, 10)
    rows: list[Any] = list(csv.reader(io.StringIO("".join(to_csv(small, made_up.policy(), LeakReportOptions())))))
    assert len(rows) == 1 + 1_203 * made_up.ENTITIES
