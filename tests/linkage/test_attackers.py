"""Attackers, their calibration, and protection from them."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from embanon.errors import ConfigError
from embanon.language.normalize import WORD
from embanon.linkage.attackers import (
    AMBIGUOUS,
    UNKNOWN,
    Background,
    CharacterGrams,
    TermPostings,
    Tfidf,
    count_words,
    rank,
    ranks,
)
from embanon.linkage.calibration import (
    Calibration,
    CalibrationStep,
    calibrate,
    effective_candidates,
    fit_steps,
    posterior,
    wilson_interval,
)
from embanon.linkage.protection import mask_until_hidden

NAMES = ("Ada Lovelace", "Alan Turing", "Grace Hopper")
TEXTS = (
    "engine engine engine notes mathematics london",
    "machine mathematics enigma london manchester",
    "compiler navy machine mathematics",
)


@pytest.fixture(scope="module")
def background() -> Background:
    return Background.from_texts(NAMES, TEXTS)


def test_tfidf_is_the_formula(background: Background) -> None:
    # N = 3; df: mathematics 3, london 2, engine 1, machine 2
    def idf(df: int) -> float:
        return math.log(4 / (1 + df)) + 1

    ada = {"engine": (1 + math.log(3)) * idf(1), "notes": idf(1), "mathematics": idf(3), "london": idf(2)}
    document = {"engine": (1 + math.log(2)) * idf(1), "london": idf(2)}
    norms = math.sqrt(sum(v**2 for v in ada.values())) * math.sqrt(sum(v**2 for v in document.values()))
    expected = sum(ada[word] * value for word, value in document.items()) / norms
    found = background.tfidf.scores({"engine": 2, "london": 1, "unheard": 9})
    assert found[0] == pytest.approx(expected)
    assert found[2] == 0
    assert background.tfidf.scores(count_words(TEXTS[1]))[1] == pytest.approx(1)  # the very text


def test_bm25_is_the_formula(background: Background) -> None:
    idf = math.log(1 + (3 - 1 + 0.5) / (1 + 0.5))
    mean = (6 + 5 + 4) / 3
    expected = 2 * idf * 3 * 2.2 / (3 + 1.2 * (0.25 + 0.75 * 6 / mean))
    found = background.bm25.scores({"engine": 2})
    assert found.tolist() == pytest.approx([expected, 0, 0])


def test_a_linear_sum_agrees_with_a_dense_one() -> None:
    draw = np.random.default_rng(1)
    dense = draw.poisson(0.4, (30, 50))
    bags = [{f"w{place}": int(n) for place, n in enumerate(row) if n} for row in dense]
    attacker = Tfidf.from_postings(TermPostings.from_bags(bags))
    weights = np.where(dense > 0, 1 + np.log(np.maximum(dense, 1)), 0) * (np.log(31 / (1 + (dense > 0).sum(0))) + 1)
    weights = weights / np.linalg.norm(weights, axis=1, keepdims=True)
    for place, one in enumerate(bags):
        assert attacker.scores(one) == pytest.approx(weights @ weights[place])


def test_stop_words_say_nothing(background: Background) -> None:
    found = Background.from_texts(NAMES, [f"the and of {text}" for text in TEXTS])
    assert found.tfidf.scores(count_words("the of")).tolist() == [0, 0, 0]
    assert found.tfidf.scores(count_words(TEXTS[0])) == pytest.approx(background.tfidf.scores(count_words(TEXTS[0])))


def test_grams_find_other_forms() -> None:
    grams = CharacterGrams.from_texts(["she programmed compilers", "he sailed ships", ""])
    assert grams.scores(count_words("programming of a compiler")).argmax() == 0
    assert grams.scores({}).tolist() == [0, 0, 0]


@pytest.mark.parametrize(
    ("scores", "true", "expected"),
    [
        ((3, 2, 1), 0, 1.0),
        ((3, 2, 1), 2, 3.0),
        ((3, 3, 1), 1, 1.5),
        ((1, 3, 1, 1), 0, 3.0),
        ((0, 0, 0, 0), 2, 2.5),
        ((7,), 0, 1.0),
    ],
    ids=["first", "last", "tie for the first", "tie behind", "all tie", "alone"],
)
def test_ranks_of_ties_are_their_mean(scores: Sequence[float], true: int, expected: float) -> None:
    assert rank(np.array(scores, np.float64), true) == expected
    assert ranks(np.array([scores], np.float64), np.array([true])).tolist() == [expected]


def test_an_empty_text_tells_nothing(background: Background) -> None:
    for attacker in background.attackers:
        assert rank(attacker.scores(count_words("")), 0) == 2
    none = np.zeros(0, np.int64)
    found = mask_until_hidden("", none, none, none.astype(bool), background, 0, 1)
    assert found.reached
    assert found.added == ()


def test_one_candidate() -> None:
    alone = Background.from_texts(["Ada"], ["engine notes"])
    assert rank(alone.tfidf.scores(count_words("engine")), 0) == 1
    assert effective_candidates(posterior(alone.tfidf.scores(count_words("engine")), 0.1)) == pytest.approx(1)
    with pytest.raises(ConfigError, match="behind rank 10 of 1"):
        mask_until_hidden("engine", np.array([0]), np.array([6]), np.array([False]), alone, 0)


def test_candidates_without_text() -> None:
    silent = Background.from_texts(["Ada", "Alan"], ["", ""])
    for attacker in silent.attackers:
        assert attacker.scores(count_words("engine")).tolist() == [0, 0]


@pytest.mark.parametrize(
    ("names", "asked", "expected"),
    [
        (NAMES, "alan  TURING", 1),
        (("Chris Evans (actor)", "Chris Evans (presenter)"), "Chris Evans (presenter)", 1),
        (("Ada (1815)",), "ada", 0),
        (("Ada (1815)", "Ada"), "Ada", 1),
        (NAMES, "Secret Person", UNKNOWN),
        (("Chris Evans (actor)", "Chris Evans (presenter)"), "Chris Evans", AMBIGUOUS),
    ],
)
def test_candidates_are_found_by_name(names: Sequence[str], asked: str, expected: int) -> None:
    found = Background.from_texts(names, ["x"] * len(names))
    assert found.find_candidate(asked) == expected
    assert found.find_first(["Somebody Else", asked]) == (expected if expected >= 0 else None)


def test_bad_input_is_refused(background: Background) -> None:
    with pytest.raises(ConfigError, match="2 candidates have 1 texts"):
        Background.from_texts(["Ada", "Alan"], ["engine"])
    with pytest.raises(ConfigError, match="no candidates"):
        Background.from_texts([], [])
    for target in (-1, 3):
        with pytest.raises(ConfigError, match="no candidate"):
            background.check_target(target)
    with pytest.raises(ConfigError, match="1 phrases start, 2 end"):
        mask_until_hidden("engine", np.array([0]), np.array([6, 6]), np.array([False]), background, 0, 1)
    with pytest.raises(ConfigError, match="temperature"):
        posterior(np.zeros(3), 0.0)
    with pytest.raises(ConfigError, match="at least one"):
        calibrate(np.zeros((0, 3)), np.zeros(0, np.int64))


def test_nothing_secret_is_shown(background: Background) -> None:
    assert "Turing" not in repr(background)
    assert "enigma" not in repr(background)


# Calibration


@pytest.mark.parametrize(
    ("hits", "cases", "expected"),
    [(0, 0, (0, 1)), (0, 10, (0, 0.278)), (5, 10, (0.237, 0.763)), (10, 10, (0.722, 1)), (1, 50, (0.0035, 0.105))],
)
def test_wilson(hits: int, cases: int, expected: tuple[float, float]) -> None:
    assert wilson_interval(hits, cases) == pytest.approx(expected, abs=1e-3)


def test_isotonic_pools_what_goes_down() -> None:
    stated = np.array([0.1, 0.2, 0.3, 0.3, 0.4, 0.5])
    hit = np.array([False, True, False, False, True, True])
    assert fit_steps(stated, hit) == (
        CalibrationStep(0.1, 0, 1),
        CalibrationStep(0.2, 1, 3),
        CalibrationStep(0.4, 2, 2),
    )
    seen = Calibration(1.0, fit_steps(stated, hit))
    assert seen.link_rate(0.0).share == 0
    assert seen.link_rate(0.35).share == pytest.approx(1 / 3)
    assert seen.link_rate(0.35).cases == 3
    assert seen.link_rate(0.9).share == 1
    assert seen.link_rate(0.9).low == pytest.approx(0.342, abs=1e-3)


def test_effective_is_the_number_of_equals() -> None:
    assert effective_candidates(posterior(np.zeros(7), 0.1)) == pytest.approx(7)
    assert effective_candidates(np.array([1.0, 0, 0])) == pytest.approx(1)


def test_the_temperature_is_the_likeliest() -> None:
    draw = np.random.default_rng(3)
    rows, true = draw.normal(size=(2000, 20)), np.zeros(2000, np.int64)
    for place, row in enumerate(posterior(rows, 0.5)):
        true[place] = draw.choice(20, p=row)
    found = calibrate(rows, true)
    assert found.temperature == pytest.approx(0.5, rel=0.1)
    chances = posterior(rows[0], found.temperature)
    seen = found.link_rate(float(chances[true[0]]))
    assert 1 < effective_candidates(chances) < 20
    assert seen.low <= seen.share <= seen.high


def test_certain_and_useless_scores_calibrate() -> None:
    sure = calibrate(np.eye(4), np.arange(4))
    assert sure.steps[-1].link_rate.share == 1
    useless = calibrate(np.zeros((4, 4)), np.arange(4))
    assert useless.link_rate(0.25).share == 0


@given(st.lists(st.tuples(st.floats(0, 1), st.booleans()), min_size=1, max_size=60))
def test_steps_go_up_and_keep_all_cases(seen: list[tuple[float, bool]]) -> None:
    stated, hit = np.array([one for one, _ in seen]), np.array([one for _, one in seen])
    steps = fit_steps(stated, hit)
    shares = [step.link_rate.share for step in steps]
    assert shares == sorted(shares)
    assert sum(step.cases for step in steps) == len(seen)
    assert sum(step.hits for step in steps) == hit.sum()


# Protection


def spans_of(text: str) -> tuple[np.ndarray, np.ndarray]:
    spans = np.array([found.span() for found in WORD.finditer(text)], np.int64).reshape(-1, 2)
    return spans[:, 0], spans[:, 1]


def left(text: str, starts: np.ndarray, ends: np.ndarray, masked: np.ndarray) -> dict[str, int]:
    signs = list(text)
    for start, end in zip(starts[masked].tolist(), ends[masked].tolist(), strict=True):
        signs[start:end] = "\0" * (end - start)
    return count_words("".join(signs).replace("\0", " "))


WORDS = [f"word{number}" for number in range(25)]
CROWD = Background.from_texts(
    [f"n{number}" for number in range(15)],
    [" ".join(np.random.default_rng(number).choice(WORDS, 30)) for number in range(15)],
)
TEXT = st.lists(st.sampled_from([*WORDS, "the", "unheard"]), max_size=30).map(" ".join)


@given(TEXT, st.integers(0, 14), st.integers(1, 10), st.data())
@settings(deadline=None)
def test_protection_keeps_its_laws(text: str, target: int, k: int, data: st.DataObject) -> None:
    starts, ends = spans_of(text)
    base = np.array([data.draw(st.booleans()) for _ in starts], np.bool_)
    found = mask_until_hidden(text, starts, ends, base, CROWD, target, k)
    assert (found.masked >= base).all()
    assert sorted(found.added) == np.flatnonzero(found.masked & ~base).tolist()
    assert found.reached == all(one > k for one in found.ranks)
    before = [rank(np.round(one.scores(left(text, starts, ends, base)), 9), target) for one in CROWD.attackers]
    after = left(text, starts, ends, found.masked)
    # Scores that are followed step by step are those of the text that is left; the cosine's norm changes no rank.
    tfidf, bm25 = found.ranks
    assert bm25 == rank(np.round(CROWD.bm25.scores(after), 9), target)
    norm = np.sqrt((CROWD.tfidf.query_weights(*CROWD.tfidf.postings.look_up(after)[1:]) ** 2).sum())
    assert tfidf == rank(np.round(CROWD.tfidf.scores(after) * norm, 9), target)
    if all(one > k for one in before):
        assert found.added == ()
    masked = {text[starts[place] : ends[place]] for place in found.added}
    kept = {text[starts[place] : ends[place]] for place in np.flatnonzero(~found.masked).tolist()}
    assert not masked & kept  # all occurrences, or none


def test_whole_phrases_are_masked_wherever_they_stand() -> None:
    names = [f"n{number}" for number in range(4)]
    crowd = Background.from_texts(names, ["red engine boats", "red boats", "boats houses", "red houses"])
    text = "A Red Engine, boats, and the red  engine again."
    starts, ends = np.array([2, 14, 29]), np.array([12, 19, 40])
    found = mask_until_hidden(text, starts, ends, np.zeros(3, bool), crowd, 0, 1)
    assert found.masked.tolist() == [True, False, True]
    assert found.added == (0, 2)
    assert found.reached


def test_what_cannot_be_reached_is_said() -> None:
    crowd = Background.from_texts(["a", "b", "c"], ["engine", "boats", "houses"])
    none = np.zeros(0, np.int64)
    found = mask_until_hidden("engine", none, none, none.astype(bool), crowd, 0, 2)
    assert not found.reached
    assert found.ranks == (1, 1)


def test_protection_is_fast_with_many_candidates() -> None:
    draw = np.random.default_rng(5)
    many = [f"w{place}" for place in range(5000)]
    weights = 1 / np.arange(1, 5001)
    weights /= weights.sum()
    texts = [" ".join(row) for row in draw.choice(many, (10_000, 25), p=weights)]

    def seconds(size: int) -> float:
        crowd = Background.from_texts([str(number) for number in range(size)], texts[:size])
        best = math.inf
        for _ in range(3):
            begin = time.process_time()
            for target in range(10):
                starts, ends = spans_of(texts[target])
                mask_until_hidden(texts[target], starts, ends, np.zeros(len(starts), bool), crowd, target)
            best = min(best, time.process_time() - begin)
        return best

    assert seconds(10_000) < 40 * seconds(500)  # twenty times as many candidates
