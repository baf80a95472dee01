"""What somebody may know does not count against them: in what they know, in alerts, and in reports."""

from __future__ import annotations

import io
from collections.abc import Iterator
from dataclasses import replace
from datetime import date
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings, strategies as st

from embanon.errors import DataError
from embanon.leak.access import format_day, import_log, parse_day
from embanon.leak.ledger.adoption import adopt_people
from embanon.leak.ledger.erase import erase_before, erase_user
from embanon.leak.ledger.report import explained_alerts, find_users
from embanon.leak.ledger.schema import METADATA, PERMISSIONS, sql
from embanon.leak.ledger.store import Ledger
from embanon.leak.ledger.verify import rebuild, verify
from embanon.leak.people import Group, Permission
from embanon.leak.policy import AlertSettings, Policy
from embanon.leak.report import LeakReportOptions, gather_findings
from tests.leak.ledgers import KEY, KINDS, POLICY, filled, found, where

TODAY = parse_day("2026-05-20")


@pytest.fixture(params=KINDS)
def ledger(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Ledger]:
    with Ledger.open(where(request.param, tmp_path), KEY, create=True, clock=lambda: TODAY * 86_400_000) as ledger:
        filled(
            ledger, found("a", ("Bluebird", [("one", 0.5)])), found("b", ("Bluebird", [("two", 0.5)])),
            found("z", ("Zenith", [("one", 0.5), ("three", 1.0)])),
        )  # fmt: skip
        yield ledger


def may(*names: str | Permission, groups: tuple[Group, ...] = ()) -> Policy:
    """Return a policy where some may know of Bluebird."""
    allowed = tuple(one if isinstance(one, Permission) else Permission(one) for one in names)
    bluebird, *rest = POLICY.entities
    return replace(POLICY, entities=(replace(bluebird, may=allowed), *rest), groups=groups)


def until(who: str, last: str) -> Permission:
    return Permission(who, until=date.fromisoformat(last))


def read_in(ledger: Ledger, policy: Policy, *lines: str) -> int:
    return import_log(ledger, io.BytesIO("\n".join(lines).encode()), "log", policy, now=1e12).written.new


def worth(ledger: Ledger, policy: Policy, user: str = "ada") -> float:
    histories, _ = find_users(ledger, policy, 10, user)
    assert verify(ledger, computed=True).faults == ()
    return histories[0].worth if histories else -1.0


OPENED = ("2026-05-04,ada,a", "2026-05-05,ada,b", "2026-05-06,ada,z")


def test_what_one_may_know_is_worth_nothing(ledger: Ledger) -> None:
    read_in(ledger, POLICY, *OPENED)
    assert worth(ledger, POLICY) == 3.0
    assert worth(ledger, may("research", groups=(Group("Research", ("ADA",)),))) == 2.0  # of Zenith
    _, known = find_users(ledger, POLICY, 10, "ada")
    assert [(one.entity, one.known, one.phrases) for one in known] == [("Zenith", 1.0, 2)]
    assert worth(ledger, may("sales", groups=(Group("sales", ("bob",)),)), "ada") == 2.0  # learnt while they might


@pytest.mark.parametrize(
    ("permission", "expected"),
    [
        (until("ada", "2026-05-03"), 3.0),
        (until("ada", "2026-05-04"), 2.0),
        (until("ada", "2026-05-05"), 0.0),
        (Permission("ada", since=date(2026, 5, 5)), 2.0),
        (Permission("ada", since=date(2026, 5, 6)), 3.0),
    ],
)
def test_on_the_day_of_access(ledger: Ledger, permission: Permission, expected: float) -> None:
    for policy in (POLICY, may(permission), may("ada"), may(permission)):
        read_in(ledger, policy, *OPENED[:2])
    assert worth(ledger, may(permission)) == expected
    rebuild(ledger)
    assert worth(ledger, may(permission)) == expected


def test_what_is_opened_again_after_the_end_counts(ledger: Ledger) -> None:
    policy = may(until("ada", "2026-05-05"))
    read_in(ledger, policy, *OPENED[:2])
    assert worth(ledger, policy) == 0.0
    read_in(ledger, policy, "2026-05-10,ada,a")
    assert worth(ledger, policy) == 2.0
    assert worth(ledger, may("ada")) == 0.0
    assert worth(ledger, policy) == 2.0


def test_to_be_taken_out_makes_nothing_unlawful(ledger: Ledger) -> None:
    group = Group("research", ("ada", "bob"))
    read_in(ledger, may("research", groups=(group,)), *OPENED[:2])
    gone = may("research", groups=(Group("research", ("bob",)),))
    assert worth(ledger, gone) == 0.0
    read_in(ledger, gone, "2026-05-20,ada,b", "2026-05-21,ada,a")
    assert worth(ledger, gone) == 2.0  # from the day after
    assert worth(ledger, may(until("ada", "2026-05-04"))) == 3.0  # which says it of the past


def test_those_to_come_and_any_spelling(ledger: Ledger) -> None:
    policy = may("ÉVA", "research", groups=(Group("research", ("ada",)),))
    assert adopt_people(ledger, policy) == 2
    assert adopt_people(ledger, policy) == 0
    read_in(ledger, POLICY, "2026-05-04,E\u0301va,a", "2026-05-04,Bob,a")  # which takes both out again, from tomorrow
    assert (worth(ledger, policy, "éva"), worth(ledger, policy, "bob")) == (0.0, 2.0)


def test_a_group_in_a_log_is_its_members(ledger: Ledger) -> None:
    groups = Group("research", ("ada", "lab")), Group("lab", ("joe",)), Group("empty")
    policy = may("lab", groups=groups)
    assert read_in(ledger, policy, "2026-05-04,RESEARCH,a", "2026-05-04,empty,a", "2026-05-04,ada,a") == 3
    assert read_in(ledger, policy, "2026-05-04,research,a") == 0
    assert {user: worth(ledger, policy, user) for user in ("ada", "joe", "empty", "research")} == {
        "ada": 2.0, "joe": 0.0, "empty": 2.0, "research": -1.0,
    }  # fmt: skip


def test_nobody_is_alarmed_who_may_know(ledger: Ledger) -> None:
    filled(ledger, found("secret", ("Bluebird", [("four", 0.9)])))
    lines = ["2026-05-18,ada,secret", "2026-05-18,bob,secret", "2026-05-18,bob,z"]
    policy = replace(may("ada"), alerts=AlertSettings(worth=3.0))
    read_in(ledger, policy, *lines)
    alerts = explained_alerts(ledger, policy, parse_day("2026-05-01"))
    bob = ledger.secrets.hash_user("bob").hex()[:12]
    assert {(one.alert.rule, one.user) for one in alerts} == {("worth", bob)}
    findings = gather_findings(ledger, policy, LeakReportOptions(since=parse_day("2026-05-01"), original=True))
    assert [(one.worth, len(findings.learnt[one.user])) for one in findings.people] == [(3.6, 3), (0.0, 0)]
    assert {one.user for one in findings.knowers} == {bob}
    until_then = replace(may("ada", until("bob", "2026-05-17")), alerts=policy.alerts)
    both = explained_alerts(ledger, until_then, parse_day("2026-05-01"))
    assert [[fact.document for fact in one.evidence] for one in both] == [["secret"]]


def test_to_erase_somebody_erases_what_they_might(ledger: Ledger) -> None:
    policy = may("ada", "bob", "zoe")
    read_in(ledger, policy, *OPENED, "2026-05-10,bob,a")
    assert _permitted(ledger) == {"ada", "bob", "zoe"}
    erase_user(ledger, "ADA")
    assert _permitted(ledger) == {"bob", "zoe"}
    erase_before(ledger, TODAY)
    assert _permitted(ledger) == {"zoe"}
    erase_user(ledger, "zoe")  # who never opened anything
    assert _permitted(ledger) == set()
    assert verify(ledger, computed=True).faults == ()


def _permitted(ledger: Ledger) -> set[str]:
    names = {ledger.secrets.hash_user(name): name for name in ("ada", "bob", "zoe")}
    with ledger.reading() as connection:
        return {names[keyed] for keyed in connection.execute(sql.select(PERMISSIONS.c.keyed)).scalars()}


def test_who_may_know_what_cannot_be_changed_unseen(ledger: Ledger) -> None:
    read_in(ledger, may("bob"), *OPENED)
    with ledger.engine.begin() as connection:
        connection.execute(sql.update(PERMISSIONS).values(keyed=ledger.secrets.hash_user("ada")))
        connection.execute(sql.update(PERMISSIONS).values(windows=b"?"))
    with pytest.raises(DataError, match="run: embanon leak verify"):
        find_users(ledger, may("bob"), 1)
    assert [str(fault) for fault in verify(ledger).faults] == [
        "permissions 1 was changed, moved or added (batch 5, place 0)"
    ]


@pytest.mark.parametrize("kind", KINDS)
def test_a_ledger_of_before(kind: str, tmp_path: Path) -> None:
    address = where(kind, tmp_path)
    with Ledger.open(address, KEY, create=True) as old:
        filled(old, found("a", ("Bluebird", [("one", 0.5)])))
        with old.engine.begin() as connection:
            connection.execute(sql.text("DROP TABLE permissions"))
            connection.execute(sql.text("UPDATE ledger SET version = 2"))
    with Ledger.open(address, KEY) as ledger:
        read_in(ledger, may("ada"), *OPENED)
        assert worth(ledger, may("ada")) == 0.0
        assert set(METADATA.tables) <= set(sql.inspect(ledger.engine).get_table_names())


DAYS = st.integers(1, 9)
GRANTS = st.none() | st.tuples(DAYS, DAYS).map(sorted)
STEPS = st.lists(st.tuples(DAYS, st.sampled_from("abz")) | st.tuples(st.just("policy"), GRANTS), max_size=12)


@settings(max_examples=25, deadline=None)
@given(STEPS)
def test_in_whatever_order(steps: list[tuple[object, object]]) -> None:
    """Compare with what is opened outside of the last windows, whatever policies and logs came before."""
    documents = {"a": [("one", 0.5)], "b": [("one", 0.25), ("two", 0.5)], "z": []}
    policy, opened = may("ada"), set[tuple[int, str]]()
    with (
        TemporaryDirectory() as folder,
        Ledger.open(f"{folder}/l.db", KEY, create=True, clock=lambda: TODAY * 86_400_000) as ledger,
    ):
        filled(ledger, *(found(name, ("Bluebird", some)) if some else found(name) for name, some in documents.items()))
        for what, value in [*steps, ("policy", [3, 6])]:
            if what == "policy":
                days = None if value is None else [date(2026, 5, day) for day in value]  # type: ignore[attr-defined]
                policy = may("ada") if days is None else may(Permission("ada", *days))
            else:
                assert isinstance(what, int)
                opened.add((what, str(value)))
                read_in(ledger, policy, f"2026-05-{what:02},ada,{value}")
        read_in(ledger, policy, *(f"2026-05-{day:02},ada,{name}" for day, name in sorted(opened)))
        left = dict[str, float]()
        for day, name in opened:
            for phrase, risk in documents[name] if not 3 <= day <= 6 else []:
                left[phrase] = min(left.get(phrase, 1.0), 1 - risk)
        expected = 1.0
        for share in left.values():
            expected *= share
        if opened:
            assert worth(ledger, policy) == pytest.approx(4 * (1 - expected))
            assert format_day(find_users(ledger, policy, 1)[0][0].days[0].day) == f"2026-05-{min(opened)[0]:02}"
