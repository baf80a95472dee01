"""Agreement of annotators: published examples, the formulas written out, and what cannot be compared."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence
from itertools import combinations, permutations
from typing import Any

import pytest
from hypothesis import given, settings, strategies as st

from embanon.errors import ConfigError
from embanon.measure.agreement import Ratings, cohen, fleiss, krippendorff


def pairs(table: Sequence[Sequence[int]]) -> list[tuple[int, int]]:
    """Return the ratings of a table of counts, a row for each category of the first rater."""
    return [(row, column) for row, counts in enumerate(table) for column, n in enumerate(counts) for _ in range(n)]


def columns(*raters: str) -> list[tuple[int | None, ...]]:
    """Return items of what each rater says of all, a point where nothing."""
    return [tuple(None if label == "." else int(label, 36) for label in row) for row in zip(*raters, strict=True)]


# --- Published -----------------------------------------------------------------------------------------------------

COHEN_1960 = pairs(((88, 14, 18), (10, 40, 10), (2, 6, 12)))
"""Table 1, of 200 cases."""
COHEN_1968 = ((0, 1, 3), (1, 0, 6), (3, 6, 0))
"""The weights of disagreement of the same table in the paper on weighted kappa."""

# Fleiss 1971, as worked in textbooks: ten items, fourteen raters, five categories.
FLEISS = (
    (0, 0, 0, 0, 14), (0, 2, 6, 4, 2), (0, 0, 3, 5, 6), (0, 3, 9, 2, 0), (2, 2, 8, 1, 1),
    (7, 7, 0, 0, 0), (3, 2, 6, 3, 0), (2, 5, 3, 2, 2), (6, 5, 2, 1, 0), (0, 2, 2, 3, 7),
)  # fmt: skip

# Krippendorff 2011, Computing Krippendorff's Alpha-Reliability, examples A to D.
KRIPPENDORFF: dict[str, tuple[tuple[str, ...], str, float]] = {
    "A, two observers, yes or no": (("0100000010", "1110010000"), "nominal", 0.095),
    "B, two observers, five categories": (("aabbdcccedda", "babbbcccEddd".lower()), "nominal", 0.692),
    "C, four observers, some missing": (
        ("123321412...", "1233224125.3", ".3332342251.", "12332441251."), "nominal", 0.743,
    ),
    "D, the same by intervals": (
        ("123321412...", "1233224125.3", ".3332342251.", "12332441251."), "interval", 0.849,
    ),
}  # fmt: skip


def test_cohen_1960() -> None:
    agreement = cohen(COHEN_1960)
    assert agreement.value == pytest.approx(0.492, abs=5e-4)
    assert agreement.observed == pytest.approx(0.70)
    assert (agreement.items, agreement.missing) == (200, 0)


def test_cohen_1968() -> None:
    agreement = cohen(COHEN_1960, lambda one, other: COHEN_1968[one][other])
    assert agreement.value == pytest.approx(0.348, abs=5e-4)
    assert agreement.observed is None


def test_fleiss_1971() -> None:
    agreement = fleiss([[name for name, count in enumerate(row) for _ in range(count)] for row in FLEISS])
    assert agreement.value == pytest.approx(0.210, abs=5e-4)
    assert (agreement.items, agreement.missing) == (10, 0)


@pytest.mark.parametrize("case", KRIPPENDORFF)
def test_krippendorff_2011(case: str) -> None:
    raters, distance, value = KRIPPENDORFF[case]
    assert krippendorff(columns(*raters), distance).value == pytest.approx(value, abs=5e-4)


# --- The formulas, written out -------------------------------------------------------------------------------------


def plain_cohen(ratings: Sequence[tuple[str, str]]) -> float:
    first, second = Counter(one for one, _ in ratings), Counter(other for _, other in ratings)
    observed = sum(one == other for one, other in ratings) / len(ratings)
    chance = sum(first[name] * second[name] for name in first) / len(ratings) ** 2
    return (observed - chance) / (1 - chance)


def plain_fleiss(ratings: Ratings) -> float:
    agreed = [sum(a == b for a, b in permutations(row, 2)) / len(list(permutations(row, 2))) for row in ratings]
    every = Counter(label for row in ratings for label in row)
    chance = sum((count / every.total()) ** 2 for count in every.values())
    return (sum(agreed) / len(agreed) - chance) / (1 - chance)


ROWS = st.lists(st.lists(st.sampled_from("ynm"), min_size=3, max_size=3), min_size=1, max_size=12)


@given(ROWS)
@settings(max_examples=50)
def test_as_the_formulas_say(rows: list[list[str]]) -> None:
    two = [(row[0], row[1]) for row in rows]
    if len({label for pair in two for label in pair}) > 1:
        assert cohen(two).value == pytest.approx(plain_cohen(two))
    agreement = fleiss(rows)
    agreed = [sum(a == b for a, b in combinations(row, 2)) / 3 for row in rows]
    assert agreement.observed == pytest.approx(sum(agreed) / len(rows))
    if agreement.value is not None:
        assert agreement.value == pytest.approx(plain_fleiss(rows))
        assert agreement.value <= 1 + 1e-12


@given(ROWS)
@settings(max_examples=30)
def test_alpha_does_not_ask_who_said_what(rows: list[list[str]]) -> None:
    turned = [row[number % 3 :] + row[: number % 3] for number, row in enumerate(rows)]
    one, other = krippendorff(rows).value, krippendorff(turned).value
    assert one == other if one is None or other is None else one == pytest.approx(other)


# --- Distances -----------------------------------------------------------------------------------------------------


def test_sets_that_share_labels_agree_in_part() -> None:
    rows: list[tuple[Hashable, Hashable]] = [
        (frozenset("ab"), frozenset("ab")), (frozenset("ab"), frozenset("a")), (frozenset(), frozenset()),
        (frozenset("c"), frozenset("cd")),
    ]  # fmt: skip
    nominal, jaccard, masi = (krippendorff(rows, name).value for name in ("nominal", "jaccard", "masi"))
    assert nominal is not None
    assert jaccard is not None
    assert masi is not None
    assert nominal < masi < jaccard < 1  # MASI takes a part for less than the share that it is
    assert cohen(rows, "jaccard").value == pytest.approx(1 - 4 / 11.5)  # of 16 pairs


def test_near_numbers_disagree_less_by_intervals() -> None:
    near, far = [(1, 2), (3, 3), (9, 9)], [(1, 9), (3, 3), (9, 9)]
    assert krippendorff(near).value == pytest.approx(krippendorff(far).value, abs=0.2)
    close, apart = krippendorff(near, "interval").value, krippendorff(far, "interval").value
    assert close is not None
    assert apart is not None
    assert close > 0.9 > apart


@pytest.mark.parametrize(("distance", "message"), [("interval", "compares numbers"), ("ordinal", "must be one of nom")])
def test_distances_that_do_not_fit(distance: str, message: str) -> None:
    for coefficient in (cohen, krippendorff):
        with pytest.raises(ConfigError, match=message):
            coefficient([("Geheimnis", "b"), ("b", "b")], distance)


# --- What is missing -----------------------------------------------------------------------------------------------

GAPS: list[tuple[str | None, ...]] = [("y", "y", None), ("y", "n", "n"), ("n", None, None), ("n", "n", "n")]


def test_kappas_compare_what_all_have_rated() -> None:
    complete = [row for row in GAPS if None not in row]
    assert fleiss(GAPS).value == pytest.approx(plain_fleiss(complete))
    assert (fleiss(GAPS).items, fleiss(GAPS).missing) == (2, 3)
    two: list[tuple[Any, ...]] = [row[:2] for row in GAPS]
    assert cohen([*two, (None, None)]).value == pytest.approx(plain_cohen([("y", "y"), ("y", "n"), ("n", "n")]))
    assert (cohen([*two, (None, None)]).items, cohen([*two, (None, None)]).missing) == (3, 3)


def test_alpha_compares_what_two_have_rated() -> None:
    agreement = krippendorff(GAPS)
    # Of 8 ratings 3 are y; by item 0, 2/3 and 0 of the pairs differ, by chance 2·3·5 of 8·7.
    assert agreement.value == pytest.approx(1 - (3 * 2 / 3 / 8) / (2 * 3 * 5 / (8 * 7)))
    assert (agreement.items, agreement.missing) == (3, 3)


NOBODY: dict[str, list[tuple[str | None, ...]]] = {
    "nothing": [],
    "one rater": [("y",), ("n",)],
    "one of two": [("y", None), (None, "n")],
    "one category": [("y", "y"), ("y", "y")],
}


@pytest.mark.parametrize("case", NOBODY)
def test_where_nobody_could_disagree_nothing_is_known(case: str) -> None:
    assert cohen(NOBODY[case]).value is None
    assert fleiss(NOBODY[case]).value is None
    assert krippendorff(NOBODY[case]).value is None


def test_raters_may_differ_from_item_to_item() -> None:
    done = fleiss([(1, 1, None), (None, 0, 0), (1, None, 1), (0, 0, None), (1, 1, 1)])
    assert (done.value, done.items, done.missing) == (1.0, 4, 4)


def test_cohen_is_of_two() -> None:
    with pytest.raises(ConfigError, match="two raters"):
        cohen([(1, 1, 2), (1, 2, 2)])
