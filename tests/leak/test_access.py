"""Access logs: how lines are read, what becomes of them, and what users know by them."""

from __future__ import annotations

import gzip
import io
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import replace
from datetime import UTC
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
import sqlalchemy as sql
from hypothesis import given, settings, strategies as st

from embanon.errors import ConfigError, InputError
from embanon.leak.access import (
    ImportResult,
    UnreadableLine,
    format_day,
    import_log,
    parse_day,
    parse_time_zone,
    read_groups,
    read_log,
)
from embanon.leak.ledger.access import Access, write_accesses
from embanon.leak.ledger.knowledge import KnowledgeCache
from embanon.leak.ledger.report import explained_alerts
from embanon.leak.ledger.scan import LedgerScan
from embanon.leak.ledger.store import Ledger
from embanon.leak.ledger.verify import verify
from embanon.leak.policy import AlertSettings
from tests.leak.ledgers import KEY, KINDS, POLICY, filled, found, report, where

NOON = 1_777_896_000_000  # 2026-05-04T12:00:00Z
DAY = parse_day("2026-05-04")

# a line, or a header and a line: what is read
LINES: dict[str, tuple[str, tuple[str, str, int, int, str]]] = {
    "plain": ("2026-05-04T12:00:00Z,ada,a.txt", ("ada", "a.txt", NOON, DAY, "")),
    "with an action": ("2026-05-04T12:00:00Z,ada,a.txt,read", ("ada", "a.txt", NOON, DAY, "read")),
    "with an offset": ("2026-05-05T01:00:00+13:00,ada,a.txt", ("ada", "a.txt", NOON, DAY, "")),
    "without a zone": ("2026-05-04 12:00,ada,a.txt", ("ada", "a.txt", NOON, DAY, "")),
    "a day in digits": ("20260504,ada,a.txt", ("ada", "a.txt", NOON - 43_200_000, DAY, "")),
    "seconds": ("1777896000,ada,a.txt", ("ada", "a.txt", NOON, DAY, "")),
    "parts of a second": ("1777896000.25,ada,a.txt", ("ada", "a.txt", NOON + 250, DAY, "")),
    "milliseconds": ("1777896000000,ada,a.txt", ("ada", "a.txt", NOON, DAY, "")),
    "before 1970": ("1969-12-31T23:59:59Z,ada,a.txt", ("ada", "a.txt", -1000, -1, "")),
    "quoted": ('2026-05-04T12:00:00Z,ada,"a, ""b"".txt"', ("ada", 'a, "b".txt', NOON, DAY, "")),
    "quoted behind spaces": ('2026-05-04T12:00:00Z, ada, "a, b.txt"', ("ada", "a, b.txt", NOON, DAY, "")),
    "spaces": ("2026-05-04T12:00:00Z , ada , a b.txt ", ("ada", "a b.txt", NOON, DAY, "")),
    "columns by name": ("host,document,user,time\nx,a.txt,ada,1777896000", ("ada", "a.txt", NOON, DAY, "")),
    "JSON": ('{"time": "2026-05-04T12:00:00Z", "user": "ada", "document": "a", "x": 1}', ("ada", "a", NOON, DAY, "")),
    "JSON, a number": ('{"time": 1777896000, "user": "ada", "document": "a"}', ("ada", "a", NOON, DAY, "")),
    "a mark of order": ("\ufeff2026-05-04T12:00:00Z,ada,a.txt", ("ada", "a.txt", NOON, DAY, "")),
}
GOOD = b"2026-05-04T12:00:00Z,ada,a.txt\n"
GOOD_JSON = b'{"time": 1, "user": "ada", "document": "a"}\n'
# a line behind a good one: why it is bad
BAD: dict[str, tuple[bytes, str]] = {
    "two columns": (GOOD + b"2026-05-04T12:00:00Z,ada\n", "has 2 columns"),
    "no time": (GOOD + b"yesterday,ada,a.txt\n", "its time is no time"),
    "no such day": (GOOD + b"2026-02-30T12:00:00Z,ada,a.txt\n", "its time is no time"),
    "out of all years": (GOOD + b"99999999999999999,ada,a.txt\n", "out of all years"),
    "infinite": (GOOD_JSON + b'{"time": 1e999, "user": "ada", "document": "a"}\n', "cannot be read"),
    "true is no time": (GOOD_JSON + b'{"time": true, "user": "ada", "document": "a"}\n', "its time is no time"),
    "no user": (GOOD + b"2026-05-04T12:00:00Z, ,a.txt\n", "names no user"),
    "no document": (GOOD + b"2026-05-04T12:00:00Z,ada,\n", "names no document"),
    "not UTF-8": (GOOD + b"2026-05-04T12:00:00Z,ada,\xe9.txt\n", "byte 25 is not UTF-8"),
    "an open quote": (GOOD + b'2026-05-04T12:00:00Z,ada,"a.txt\n', "cannot be read"),
    "too long": (GOOD + b"2026-05-04T12:00:00Z,ada," + b"a" * (1 << 20) + b"\n", "has more than 1 MB"),
    "no JSON": (GOOD_JSON + b"{secret\n", "is not JSON"),
    "a list": (GOOD_JSON + b"[1]\n", "is no object"),
    "a key is missing": (GOOD_JSON + b'{"time": 1, "user": "ada"}\n', "has no key 'document'"),
    "a number as user": (GOOD_JSON + b'{"time": 1, "user": 7, "document": "a"}\n', "must be strings"),
}


def read(data: bytes, zone: str = "UTC") -> list[tuple[int, Access | UnreadableLine]]:
    return list(read_log(io.BytesIO(data), "log", parse_time_zone(zone)))


@pytest.fixture(params=KINDS)
def ledger(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Ledger]:
    with Ledger.open(where(request.param, tmp_path), KEY, create=True) as ledger:
        yield ledger


def read_in(ledger: Ledger, *lines: str, **options: Any) -> ImportResult:
    return import_log(ledger, io.BytesIO("\n".join(lines).encode()), "log", POLICY, **options)


def line(day: int, user: str, document: str, hour: int = 12) -> str:
    return f"2026-05-{day:02}T{hour:02}:00:00Z,{user},{document}"


# Lines


@pytest.mark.parametrize("name", LINES)
def test_lines(name: str) -> None:
    text, expected = LINES[name]
    [(_, one)] = read(text.encode())
    assert one == Access(*expected)


@pytest.mark.parametrize("name", BAD)
def test_bad_lines_are_told_by_number_and_the_others_kept(name: str) -> None:
    data, why = BAD[name]
    after = data[: data.index(b"\n") + 1]
    first, (number, bad), last = read(data + b"\n" + after)
    assert isinstance(bad, UnreadableLine)
    assert (first[0], number, bad.line, last[0]) == (1, 2, 2, 4)
    assert why in bad.reason
    assert isinstance(last[1], Access)
    assert "secret" not in bad.reason


def test_days_are_those_of_the_zone() -> None:
    late = b"2026-05-04T23:30:00Z,ada,a.txt\n1777937400,ada,a.txt\n2026-05-05T01:30:00,ada,a.txt\n"
    days = [(one.time, format_day(one.day)) for _, one in read(late, "Europe/Berlin") if isinstance(one, Access)]
    assert days == [(1_777_937_400_000, "2026-05-05")] * 3
    with pytest.raises(ConfigError, match="write it as Europe/Berlin"):
        parse_time_zone("Berlin-ish")
    with pytest.raises(ConfigError, match="2026-05-04"):
        parse_day("yesterday")


def test_a_header_must_name_what_is_needed() -> None:
    with pytest.raises(InputError, match="has no column 'time'"):
        read(b"when,user,document\n")


def test_groups() -> None:
    text = b"user,group\nada,research\n\nbob,sales\n"
    assert read_groups(io.BytesIO(text), "groups") == {"ada": "research", "bob": "sales"}
    with pytest.raises(InputError, match="groups, line 2: is no user and group"):
        read_groups(io.BytesIO(b"ada,research\nbob\n"), "groups")


@given(st.binary(max_size=200))
def test_anything_is_read_or_told(data: bytes) -> None:
    lines = [one for one in data.split(b"\n") if one]
    try:
        found = read(data)
    except InputError:
        return  # a header that lacks a column
    assert len(found) <= len(lines)


# What becomes of them


def test_worked_examples(ledger: Ledger) -> None:
    filled(
        ledger, found("a", ("Bluebird", [("one", 0.5)])), found("b", ("Bluebird", [("two", 0.5)])),
        found("c", ("Bluebird", [("three", 1.0)])),
    )  # fmt: skip
    read_in(ledger, line(1, "ada", "a"), line(2, "ada", "b"), line(3, "ada", "a"), line(4, "ada", "c"))
    [ada] = report(ledger).people
    assert [(format_day(day.day)[8:], day.worth, day.total) for day in ada.days] == [
        ("01", 2.0, 2.0), ("02", 3.0, 3.0), ("03", 3.0, 3.0), ("04", 4.0, 4.0),
    ]  # fmt: skip


def test_the_same_document_a_hundred_times_gains_nothing(ledger: Ledger) -> None:
    filled(ledger, found("a", ("Bluebird", [("one", 0.5), ("two", 0.25)])))
    done = read_in(ledger, *(f"{1_777_896_000 + n * 5000},ada,a" for n in range(100)))
    assert (done.written.new, done.written.known) == (100, 0)
    [ada] = report(ledger).people
    assert {day.worth for day in ada.days} == {2.5}
    assert sum(day.opened for day in ada.days) == 100


def test_the_same_log_twice_changes_nothing(ledger: Ledger) -> None:
    filled(ledger, found("a", ("Bluebird", [("one", 0.5)])))
    lines = [line(day, user, "a") for day in (1, 2) for user in ("ada", "bob")]
    first, second = read_in(ledger, *lines, lines[0]), read_in(ledger, *lines, line(3, "bob", "a"))
    assert (first.written.new, first.written.known) == (4, 1)
    assert (second.written.new, second.written.known) == (1, 4)
    assert report(ledger).summary.accesses == 5
    assert verify(ledger, computed=True).sound


def test_unknown_documents_are_kept_until_they_are_scanned(ledger: Ledger) -> None:
    done = read_in(ledger, line(1, "ada", "a"), line(2, "ada", "a"), line(1, "ada", "z"))
    assert (done.written.new, done.written.waiting) == (3, 3)
    made = report(ledger)
    assert (made.summary.unscanned, made.summary.documents, made.people[0].worth) == (2, 0, 0.0)
    scan = LedgerScan.begin(ledger, POLICY)
    scan.record([found("a", ("Bluebird", [("one", 0.5)]))])
    assert scan.end({}) == 2
    [ada] = report(ledger).people
    assert [(day.opened, day.worth) for day in ada.days] == [(2, 2.0), (1, 2.0)]
    assert read_in(ledger, line(1, "ada", "a")).settled == 0
    assert verify(ledger, computed=True).sound


def test_who_opened_a_version_knows_that_version(ledger: Ledger) -> None:
    scan = LedgerScan.begin(ledger, POLICY)
    scan.record([found("a", ("Bluebird", [("one", 0.5)]), since=0)])
    scan.record([found("a", ("Bluebird", [("two", 0.75)]), content="new", since=NOON)])
    read_in(ledger, line(4, "early", "a", 11), line(4, "late", "a", 12), line(4, "both", "a", 11), line(5, "both", "a"))
    assert {one.user: one.worth for one in report(ledger).people} == {
        _pseudonym(ledger, "early"): 2.0, _pseudonym(ledger, "late"): 3.0, _pseudonym(ledger, "both"): 3.5,
    }  # fmt: skip


def test_what_was_read_of_a_log_that_is_cut_is_kept(ledger: Ledger) -> None:
    lines = "".join(f"{1_777_896_000 + n},user {hash((n, 7))},a.txt\n" for n in range(5000))
    packed = gzip.compress(lines.encode(), mtime=0)
    begins = packed[: len(packed) // 2]
    for data in (begins, begins + bytes(1000)):
        with (
            gzip.GzipFile(fileobj=io.BytesIO(data)) as stream,
            pytest.raises(InputError, match=r"cannot be read behind line \d+; what was read is kept"),
        ):
            import_log(ledger, stream, "log.gz", POLICY)  # type: ignore[arg-type]
        assert report(ledger).summary.accesses > 1000


@pytest.mark.parametrize("kind", KINDS)
def test_clocks_of_logs_and_scans_that_differ_are_no_tampering(kind: str, tmp_path: Path) -> None:
    now = [NOON]
    with Ledger.open(where(kind, tmp_path), KEY, create=True, clock=lambda: now[0]) as ledger:
        scan = LedgerScan.begin(ledger, POLICY)
        scan.record([found("a", ("Bluebird", [("one", 0.5)]))])
        read_in(ledger, line(4, "ada", "a", 14), line(4, "bob", "later", 14))
        for hours, content in ((1, "new"), (-1, "of a clock that went back"), (3, "newest")):
            now[0] = NOON + hours * 3_600_000
            scan.record([found(name, ("Bluebird", [(content, 0.5)]), content=content) for name in ("a", "later")])
        scan.end({"documents": 2})
        assert [str(fault) for fault in verify(ledger, computed=True).faults] == []
        assert [one.worth for one in report(ledger).people] == [2.0, 2.0]


def _pseudonym(ledger: Ledger, user: str) -> str:
    return ledger.secrets.hash_name("user", user).hex()[:12]


def test_clocks_that_jump_are_told_and_nothing_is_lost(ledger: Ledger) -> None:
    filled(ledger, found("a", ("Bluebird", [("one", 0.5)])), found("b", ("Bluebird", [("two", 0.5)])))
    lines = line(4, "ada", "b"), line(4, "ada", "a", 11), line(2, "ada", "a"), "2099-01-01,ada,a", line(5, "ada", "a")
    done = read_in(ledger, *lines, now=NOON / 1000 + 86_400)
    assert (done.back.lines, done.ahead.lines, done.bad.count, done.written.new) == ([3], [4], 0, 5)
    [ada] = report(ledger).people
    assert [(format_day(day.day), day.worth) for day in ada.days] == [
        ("2026-05-02", 2.0), ("2026-05-04", 3.0), ("2026-05-05", 3.0), ("2099-01-01", 3.0),
    ]  # fmt: skip


def test_a_clock_that_jumps_does_not_have_all_years_read(ledger: Ledger) -> None:
    asked = list[Any]()
    lines = "5,ada,a.txt\n" + "".join(f"{1_777_896_000 + 7 * n},ada,a.txt\n" for n in range(100))
    import_log(ledger, io.BytesIO(lines.encode()), "log", POLICY)
    sql.event.listen(
        ledger.engine, "before_cursor_execute", lambda _c, _d, said, values, *_: asked.append((said, values))
    )  # fmt: skip
    assert import_log(ledger, io.BytesIO(lines.encode()), "log", POLICY).written.known == 101
    spans = [values for said, values in asked if "BETWEEN" in said]
    assert len(spans) == 2
    for values in spans:
        low, high = sorted(values.values() if isinstance(values, dict) else values)[-2:]
        assert high - low < 86_400_000


def test_bad_lines_do_not_stop_a_log(ledger: Ledger) -> None:
    done = read_in(ledger, line(1, "ada", "a"), "nonsense", line(2, "ada", "a"))
    assert (done.lines, done.written.new, done.bad.lines, done.reasons[0].line) == (3, 2, [2], 2)
    with pytest.raises(InputError, match="no line can be read; line 1: has 1 columns"):
        read_in(ledger, "nonsense", "more of it")
    assert read_in(ledger).lines == 0


DOCUMENTS = st.sampled_from(["a", "b", "c", "later"])
OPENED = st.lists(st.tuples(st.integers(1, 9), st.sampled_from(["ada", "bob"]), DOCUMENTS), max_size=12)


@settings(max_examples=15)
@given(OPENED, st.randoms(use_true_random=False), st.integers(0, 12))
def test_order_does_not_count(opened: list[tuple[int, str, str]], random: Any, cut: int) -> None:
    """Read a log at once; and in another order, in two parts, with a document that is scanned between them."""
    documents = [
        found("a", ("Bluebird", [("one", 0.5), ("two", 0.3)])), found("b", ("Bluebird", [("one", 0.7)])),
        found("c", ("Zenith", [("two", 0.9)]), ("Bluebird", [("two", 0.2)])), found("later", ("Zenith", [("x", 1.0)])),
    ]  # fmt: skip
    lines = [line(*one) for one in opened]
    shuffled = list(lines)
    random.shuffle(shuffled)
    with TemporaryDirectory() as folder, ExitStack() as stack:
        one, two = (stack.enter_context(Ledger.open(f"{folder}/{name}.db", KEY, create=True)) for name in "ab")
        filled(one, *documents)
        read_in(one, *lines)
        filled(two, *documents[:3])
        read_in(two, *shuffled[:cut])
        filled(two, documents[3])
        read_in(two, *shuffled[cut:])
        assert _standings(one) == _standings(two)
        assert verify(two, computed=True).sound


def _standings(ledger: Ledger) -> list[object]:
    people = report(ledger).people
    return sorted([one.worth, [(day.day, day.opened, day.worth, day.total) for day in one.days]] for one in people)


def test_what_is_remembered_is_forgotten_when_others_write(ledger: Ledger) -> None:
    filled(ledger, found("a", ("Bluebird", [("one", 0.5)])), found("b", ("Bluebird", [("two", 0.5)])))
    memory, other = KnowledgeCache(), KnowledgeCache()
    for day, (document, own) in enumerate([("a", memory), ("b", other), ("a", memory)]):
        write_accesses(ledger, [Access("ada", document, NOON + day, DAY + day)], POLICY.ledger, own)
    assert report(ledger).people[0].worth == 3.0
    assert verify(ledger, computed=True).sound


# Alerts


def test_an_alert_has_its_evidence(ledger: Ledger) -> None:
    quiet = [found(f"q{n}", ("Zenith", [(f"dull {n}", 0.001)])) for n in range(20)]
    loud = found("loud", ("Bluebird", [("one", 0.9), ("two", 0.5)]), ("Zenith", [("two", 0.3)]))
    filled(ledger, *quiet, loud)
    users = ["ada", "bob", "eve", "joe", "sue", "tim"]
    read_in(ledger, *(line(1 + day, user, f"q{day}") for day in range(20) for user in users), line(25, "eve", "loud"))
    limited = replace(POLICY, alerts=AlertSettings(worth=3.0))
    [one] = explained_alerts(ledger, limited, parse_day("2026-05-10"), dict.fromkeys(users, "research"))
    assert (one.alert.rule, one.user) == ("worth", _pseudonym(ledger, "eve"))
    assert (format_day(one.alert.day), one.entities) == ("2026-05-25", ("Bluebird",))
    assert one.alert.value == pytest.approx(4 * 0.95)
    assert [(some.document, some.entity, some.risk) for some in one.evidence] == [
        ("loud", "Bluebird", 0.9), ("loud", "Bluebird", 0.5),
    ]  # fmt: skip
    assert one.evidence[0].phrase == f"{ledger.secrets.hash_phrase('one') & (1 << 64) - 1:016x}"
    assert explained_alerts(ledger, POLICY, parse_day("2026-06-01")) == []


def test_a_day_is_a_number() -> None:
    assert (parse_day("1970-01-01"), format_day(DAY), parse_time_zone("utc")) == (0, "2026-05-04", UTC)
