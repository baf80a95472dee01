"""What somebody knows: worked examples, laws, and when it is too much."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, strategies as st

from embanon.leak.misuse import (
    FACT,
    AlertLimits,
    Facts,
    KnowledgeHistory,
    Standing,
    combined_risk,
    distinct_places,
    find_alerts,
)
from embanon.leak.policy import AlertSettings

Fact = tuple[int, int, int, float, int]

# risks of distinct phrases: what is known
KNOWN = {
    "nothing": ([], 0.0),
    "one phrase": ([0.5], 0.5),
    "two phrases": ([0.5, 0.5], 0.75),
    "a certain one": ([1.0], 1.0),
    "a certain one among others": ([0.1, 1.0, 0.5], 1.0),
    "ten weak hints": ([0.2] * 10, round(1 - 0.8**10, 9)),
}
# entity, day, phrase, risk, version
FACTS = st.lists(
    st.tuples(
        st.integers(1, 3), st.integers(-5, 5), st.integers(-3, 3), st.sampled_from([0.1, 0.3, 0.5, 0.999, 1.0]),
        st.integers(1, 4),
    ),
    max_size=30,
)  # fmt: skip


def course(facts: list[Fact]) -> KnowledgeHistory:
    array: Facts = np.array(facts, FACT)
    return KnowledgeHistory.from_facts(array[distinct_places(array)])


def naive(facts: list[Fact], entity: int, day: int) -> float:
    """Follow the formula."""
    highest = dict[int, float]()
    for of, since, phrase, risk, _ in facts:
        if of == entity and since <= day:
            highest[phrase] = max(highest.get(phrase, 0.0), risk)
    return 1 - float(np.prod([1 - risk for risk in highest.values()]))


@pytest.mark.parametrize("name", KNOWN)
def test_worked_examples(name: str) -> None:
    risks, expected = KNOWN[name]
    assert combined_risk(risks) == expected


def test_worked_examples_of_worth() -> None:
    facts = [(1, 0, 11, 0.5, 1), (1, 1, 12, 0.5, 2), (1, 2, 11, 0.5, 1), (1, 3, 13, 1.0, 3)]
    worth = [course(facts[: count + 1]).worth({1: 4.0})[0][-1] for count in range(4)]
    assert worth == [2.0, 3.0, 3.0, 4.0]
    two = course([(1, 0, 11, 0.5, 1), (2, 0, 11, 0.5, 1)]).worth({1: 4.0, 2: 2.0})
    assert [column.tolist() for column in two] == [[2.0], [3.0], [1]]


def test_a_phrase_counts_with_its_highest_risk_from_when_it_was_seen() -> None:
    found = course([(1, 5, 11, 0.5, 1), (1, 3, 11, 0.25, 2), (1, 9, 11, 0.25, 3)])
    assert (found.days.tolist(), found.known.ravel().tolist()) == ([3, 5], [0.25, 0.5])
    assert found.phrases.tolist() == [1]


@given(FACTS)
def test_as_the_formula_says(facts: list[Fact]) -> None:
    found = course(facts)
    for row, day in enumerate(found.days.tolist()):
        for column, entity in enumerate(found.entities.tolist()):
            assert found.known[row, column] == pytest.approx(naive(facts, entity, day), abs=1e-8)


@given(FACTS, st.randoms(use_true_random=False))
def test_order_and_repetition_do_not_count(facts: list[Fact], random: np.random.Generator) -> None:
    again = facts + facts[: len(facts) // 2]
    random.shuffle(again)
    one, other = course(facts), course(again)
    assert (one.days.tolist(), one.known.tolist()) == (other.days.tolist(), other.known.tolist())
    assert [column.tolist() for column in one.worth({1: 5.0, 2: 3.0})] == [
        column.tolist() for column in other.worth({1: 5.0, 2: 3.0})
    ]


@given(FACTS, FACTS)
def test_it_never_decreases(facts: list[Fact], more: list[Fact]) -> None:
    values = {1: 5.0, 2: 3.0, 3: 1.0}
    worth, total, _ = course(facts).worth(values)
    assert (np.diff(worth) >= 0).all()
    assert (np.diff(total) >= 0).all()
    grown, sum_of_all, _ = course(facts + more).worth(values)
    if facts:
        assert grown[-1] >= worth[-1]
        assert sum_of_all[-1] >= total[-1]


@given(st.lists(st.floats(0.001, 1.0), max_size=40), st.floats(0.001, 1.0))
def test_more_phrases_are_never_less(risks: list[float], more: float) -> None:
    assert 0 <= combined_risk(risks) <= combined_risk([*risks, more]) <= 1
    assert combined_risk(risks) == combined_risk(risks[::-1])


# Alerts

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
