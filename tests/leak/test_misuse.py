"""What somebody knows: worked examples and laws."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, strategies as st

from embanon.leak.misuse import FACT, Facts, KnowledgeHistory, combined_risk, distinct_places

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
