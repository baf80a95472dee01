"""When somebody knows too much, or learns too fast."""

from __future__ import annotations

import numpy as np
import pytest

from embanon.leak.alerts import AlertLimits, Standing, find_alerts
from embanon.leak.policy import AlertSettings

STEADY = [(user, day, 0.1 * (day + 1 + user % 2)) for user in range(6) for day in range(20)]


def standings(rows: list[tuple[int, int, float]]) -> list[Standing]:
    return [Standing(user, day, 1, total, total, 7) for user, day, total in rows]


def raised(rows: list[tuple[int, int, float]], since: int = 20, **rules: float) -> list[tuple[str, int, int]]:
    limits = AlertLimits.from_settings(AlertSettings(**rules), 4.0)  # type: ignore[arg-type]
    return [(one.rule, one.user, one.day) for one in find_alerts(standings(rows), limits, since)]


# later rows: alerts
ALERTS = {
    "as usual": ([(0, 20, 2.1)], []),
    "below what can be a jump": ([(0, 20, 2.0 + 0.19)], []),
    "a jump": ([(0, 20, 2.0 + 0.9)], [("group", 0, 20), ("own past", 0, 20)]),
    "too much": ([(0, 20, 2.1), (0, 21, 3.5)], [("group", 0, 21), ("own past", 0, 21), ("worth", 0, 21)]),
    "too much is told once": ([(0, 20, 3.0), (0, 21, 3.1)], [("group", 0, 20), ("own past", 0, 20), ("worth", 0, 20)]),
    "somebody new has no past": ([(9, 20, 2.0)], [("group", 9, 20)]),
    "centuries later": ([(0, 90_000, 2.9)], [("group", 0, 90_000), ("own past", 0, 90_000)]),
}


@pytest.mark.parametrize("name", ALERTS)
def test_alerts(name: str) -> None:
    rows, expected = ALERTS[name]
    assert sorted(raised(STEADY + rows)) == sorted(expected)


def test_those_who_learn_now_and_then_raise_few_alerts() -> None:
    chance, users, days = np.random.default_rng(1), 100, 90
    gains = chance.exponential(0.3, (users, days)) * (chance.random((users, days)) < 0.15)
    gains[0, 80] += 4.0  # all at once
    gains[1, 85:88] += 2.5  # a part each day
    totals = np.cumsum(gains, axis=1).tolist()
    rows = [(user, day, totals[user][day]) for user in range(users) for day in range(days)]
    found = raised(rows, 60, worth=1e9)
    for rule in ("own past", "group"):
        told = {user for name, user, _ in found if name == rule}
        assert {0, 1} <= told, rule
        assert len(told) <= 30, rule


def test_who_learns_the_same_each_day_raises_no_alert() -> None:
    rows = [(user, day, (1234.56 / 7) * (day + 1)) for user in range(6) for day in range(30)]
    assert raised(rows, 0, worth=1e9) == []


def test_the_first_that_somebody_learns_is_no_jump_where_others_learn_as_much() -> None:
    others = [(user, day, 0.5 * (day // 2 + user)) for user in range(1, 9) for day in range(30)]  # each second day
    nothing = [(0, day, 0.0) for day in range(20)]
    assert raised([*others, *nothing, (0, 20, 0.5)]) == []
    assert ("own past", 0, 20) in raised([*others, *nothing, (0, 20, 2.9)])


def test_alerts_of_groups() -> None:
    rows = standings([*STEADY, (0, 20, 2.9)])
    limits = AlertLimits.from_settings(AlertSettings(), 4.0)
    few = {0: "a", 1: "a"}  # too few for anything to be usual
    assert {one.rule for one in find_alerts(rows, limits, 20, few)} == {"own past"}


def test_no_alerts_of_nothing() -> None:
    assert raised([]) == []
    assert raised(STEADY, since=50) == []


def test_an_alert_says_by_how_much() -> None:
    [_, alert] = find_alerts(standings([*STEADY, (0, 20, 2.9)]), AlertLimits.from_settings(AlertSettings(), 4.0), 20)
    assert (alert.rule, round(alert.value, 6), round(alert.limit, 6), alert.entity) == ("own past", 0.9, 0.2, 7)
