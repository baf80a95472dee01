"""What plain rules would mask, and how much of a text is left then."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, strategies as st

from embanon.linkage.baselines import (
    EVERY_PHRASE,
    NAMES_AND_NUMBERS,
    RAREST_PHRASES,
    Baseline,
    baseline_masks,
    count_words,
    kept,
    measure_baselines,
    remove_spans,
    spans_where,
    word_starts,
)
from tests.anonymized import judge

TEXT = "Ada Berger is a cardiologist who worked in Bergen on 5 June 1975 and paid the man."


@pytest.mark.parametrize(
    ("spans", "share", "rest"),
    [
        ([], 1.0, "one two, three four"),
        ([(0, 3)], 0.75, "  two, three four"),
        ([(0, 7), (9, 14)], 0.25, " ,   four"),
        ([(0, 19)], 0.0, " "),
        ([(3, 4)], 1.0, "one two, three four"),
    ],
    ids=str,
)
def test_words_that_stay(spans: list[tuple[int, int]], share: float, rest: str) -> None:
    text = "one two, three four"
    assert kept(word_starts(text), spans) == pytest.approx(share)
    assert remove_spans(text, spans) == rest


def test_no_words_have_no_share() -> None:
    assert kept(word_starts(" – "), []) is None
    assert Baseline(EVERY_PHRASE, 0, None).to_dict() == {"name": EVERY_PHRASE, "masked": 0, "kept": None, "rank": None}


def test_what_rules_mask() -> None:
    scored = judge(TEXT).scored
    found = {name: [TEXT[start:end] for start, end in spans_where(scored.phrases, mask)]
             for name, mask in baseline_masks(scored, word_starts(TEXT), 0.2).items()}  # fmt: skip
    assert set(found[NAMES_AND_NUMBERS]) == {"Ada Berger", "Bergen", "5 June 1975"}
    assert {"cardiologist", "Bergen"} <= set(found[EVERY_PHRASE])
    assert set(found[RAREST_PHRASES]) < set(found[EVERY_PHRASE])
    assert "man" not in found[RAREST_PHRASES]


@given(st.floats(0, 1))
def test_the_rarest_phrases_have_at_most_the_share_that_is_asked_for(share: float) -> None:
    scored, words = SCORED, word_starts(TEXT)
    found = baseline_masks(scored, words, share)[RAREST_PHRASES]
    assert count_words(words, spans_where(scored.phrases, found)).sum() <= share * len(words) + 0.5
    rarity = np.nan_to_num(scored.powers.rarity, nan=np.inf)
    assert rarity[found].min(initial=np.inf) >= rarity[~found].max(initial=0.0) or not found.any()


SCORED = judge(TEXT).scored


def test_an_attacker_reads_the_rest() -> None:
    read: list[str] = []

    def attack(text: str) -> float:
        read.append(text)
        return float(len(read))

    found = measure_baselines(TEXT, judge(TEXT).scored, 0.2, attack)
    assert [one.rank for one in found] == [1.0, 2.0, 3.0]
    assert "Berger" not in read[0] + read[1]
    assert "cardiologist" in read[1]
    assert found[0].share_kept is not None
    assert found[1].share_kept is not None
    assert found[0].share_kept < found[1].share_kept
    assert all(one.rank is None for one in measure_baselines(TEXT, judge(TEXT).scored, 0.2))


def test_a_text_without_phrases() -> None:
    assert [one.to_dict()["kept"] for one in measure_baselines("", judge("").scored, 0.0)] == [None] * 3
