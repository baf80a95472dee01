"""Bounds of shares: as drawing documents one by one gives them, and where nothing varies."""

from __future__ import annotations

import random

import numpy as np
import pytest
from hypothesis import given, strategies as st

from embanon.attack.intervals import BOOTSTRAP, WILSON, IntervalEstimate
from embanon.linkage.calibration import wilson_interval
from embanon.measure.metrics.intervals import (
    f_bounds,
    resampled_ratios,
    share_bounds,
)
from embanon.measure.metrics.share import Scores, Share, f_score

ROWS = [(3.0, 4.0), (0.0, 5.0), (7.0, 9.0), (0.0, 0.0), (2.0, 2.0), (5.0, 11.0), (1.0, 6.0)]
PARTS = st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)).map(lambda two: (min(two), max(two))), max_size=8)


def test_bounds_are_those_of_documents_drawn_one_by_one() -> None:
    found = share_bounds(Share.from_rows(ROWS), samples=20_000)
    chance, values = random.Random(3), []
    for _ in range(20_000):
        some = chance.choices(ROWS, k=len(ROWS))
        values.append(sum(hits for hits, _ in some) / sum(of for _, of in some))
    values.sort()
    assert found is not None
    assert found.method == BOOTSTRAP
    assert found.low == pytest.approx(values[500], abs=0.01)
    assert found.high == pytest.approx(values[-501], abs=0.01)


SAME = {
    "all hits": ([(3, 3), (5, 5), (0, 0), (1, 1)], wilson_interval(3, 3)),
    "no hits": ([(0, 3), (0, 5)], wilson_interval(0, 2)),
    "one document": ([(1, 4)], wilson_interval(0.25, 1)),
    "equal documents": ([(1, 2)] * 6, wilson_interval(3, 6)),
}


@pytest.mark.parametrize("case", SAME)
def test_where_nothing_varies_each_document_is_a_case(case: str) -> None:
    rows, bounds = SAME[case]
    share = Share.from_rows(rows)
    assert share.value is not None
    assert share_bounds(share) == IntervalEstimate(share.value, *bounds, WILSON)


@pytest.mark.parametrize("rows", [[], [(0, 0)], [(0, 0)] * 5])
def test_of_nothing_nothing_is_known(rows: list[tuple[float, float]]) -> None:
    share = Share.from_rows(rows)
    assert share.value is None
    assert share_bounds(share) is None
    assert f_bounds(Scores(share, share)) is None


def test_samples_are_the_same_however_many_are_drawn_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    share = Share.from_rows(ROWS)
    whole = share_bounds(share)
    for cells in (1, 7, 100, 6999):
        monkeypatch.setattr("embanon.measure.metrics.intervals.CELLS", cells)
        assert share_bounds(share) == whole


def test_the_same_seed_gives_the_same_bounds() -> None:
    share = Share.from_rows(ROWS)
    assert share_bounds(share) == share_bounds(share)
    assert share_bounds(share) != share_bounds(share, seed=2)


def test_f_is_drawn_with_both() -> None:
    precision, recall = Share.from_rows(ROWS), Share.from_rows(reversed(ROWS))
    both = resampled_ratios([precision, recall])
    found = f_bounds(Scores(precision, recall), 2.0)
    assert found is not None
    low, high = np.quantile(f_score(*both, 2.0), (0.025, 0.975))
    assert (found.low, found.high) == (low, high)
    value = Scores(precision, recall).f(2.0)
    assert value is not None
    assert found.low < value < found.high


F = {
    "both": (0.5, 1.0, 1.0, 2 / 3),
    "recall counts more": (0.5, 1.0, 2.0, 5 / 6),
    "nothing masked": (None, 0.0, 1.0, 0.0),
    "nothing to find": (0.0, None, 1.0, 0.0),
    "neither": (None, None, 1.0, None),
    "no precision": (None, 0.5, 1.0, None),
    "both none": (0.0, 0.0, 1.0, 0.0),
}


@pytest.mark.parametrize("case", F)
def test_f(case: str) -> None:
    precision, recall, beta, expected = F[case]
    shares = [Share.from_values([value]) for value in (precision, recall)]
    assert Scores(*shares).f(beta) == (None if expected is None else pytest.approx(expected))


def test_means_over_documents() -> None:
    share = Share.from_rows(ROWS)
    assert share.value == pytest.approx(18 / 37)
    assert share.document_mean.value == pytest.approx((3 / 4 + 0 + 7 / 9 + 1 + 5 / 11 + 1 / 6) / 6)
    assert Share.from_values([None, 0.5, float("nan"), 1.0]).value == 0.75
    assert Share.from_values([]).value is None


@given(PARTS)
def test_bounds_hold_the_share(rows: list[tuple[float, float]]) -> None:
    share = Share.from_rows(rows)
    found = share_bounds(share, samples=200)
    if share.value is None:
        assert found is None
        return
    assert found is not None
    assert -1e-9 <= found.low <= found.high <= 1 + 1e-9
    if found.method == WILSON:
        assert found.low - 1e-9 <= share.value <= found.high + 1e-9


def test_many_documents_are_drawn_in_little_room() -> None:
    rows = np.stack([np.arange(20_000) % 3, np.full(20_000, 3)], axis=1).astype(float)
    found = share_bounds(Share(rows[:, 0], rows[:, 1]), samples=300)
    assert found is not None
    assert found.high - found.low < 0.02
