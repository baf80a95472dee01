"""Sensitivity: what is learnt from markings holds for documents of other folders, and for words never marked."""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, strategies as st

from embanon.errors import ConfigError, DataError
from embanon.leak.regression import LogisticCurve, SparseRows, balance_classes, fit, sigmoid
from embanon.leak.sensitivity import SensitivityModel
from embanon.leak.vocabulary import load_arrays, save_arrays
from embanon.model.model import Model
from embanon.model.shipped import open_model

WAR = ("missile", "submarine", "bomber", "warhead", "troops", "artillery", "radar", "espionage")
PEACE = ("festival", "orchestra", "museum", "library", "scholarship", "tourism", "painting", "concert")
PLAIN = ("the", "meeting", "was", "held", "on", "Monday", "and", "we", "will", "report", "soon", "again")
UNSEEN = ("torpedo", "violin")
"""Words that no marked document has: of war, and of peace."""


def text(chance: random.Random, *words: str) -> str:
    return " ".join(chance.choice(words) for _ in range(5)) + " " + " ".join(chance.choice(PLAIN) for _ in range(30))


def marked(count: int = 60, seed: int = 1) -> tuple[list[str], list[bool], list[str]]:
    chance = random.Random(seed)
    labels = [n % 3 == 0 for n in range(count)]
    return [text(chance, *(WAR if one else PEACE)) for one in labels], labels, [f"folder {n % 7}" for n in range(count)]


@pytest.fixture(scope="module")
def model() -> Model:
    return open_model("default")


@pytest.fixture(scope="module")
def learnt(model: Model) -> SensitivityModel:
    texts, labels, folders = marked()
    return SensitivityModel.learn(texts, labels, model, groups=folders, unmarked=[" ".join(UNSEEN)] * 2)[0]


def test_other_documents_are_told(learnt: SensitivityModel) -> None:
    texts, labels, _ = marked(seed=2)
    stated = learnt.predict(texts)
    about = np.array(labels)
    assert stated[about].min() > stated[~about].max()
    assert stated[about].mean() > 0.8
    assert stated[~about].mean() < 0.2


def test_a_word_that_was_never_marked_tells_by_what_it_means(learnt: SensitivityModel) -> None:
    war, peace = learnt.predict([f"the {word} was there" for word in UNSEEN])
    assert war > peace


def test_nothing_known_is_unknown(learnt: SensitivityModel) -> None:
    assert np.isnan(learnt.predict(["", "qqqq zzzz", "on Monday qqqq zzzz xxxx vvvv wwww yyyy"])).all()
    assert not np.isnan(learnt.predict(["on Monday qqqq zzzz 1 2 3 4 5"])).any()


@given(st.lists(st.text(max_size=80), max_size=5))
def test_any_text_is_between_0_and_1(learnt: SensitivityModel, texts: list[str]) -> None:
    stated = learnt.predict(texts)
    assert len(stated) == len(texts)
    assert ((stated >= 0) & (stated <= 1) | np.isnan(stated)).all()


def test_what_is_saved_says_the_same(learnt: SensitivityModel, tmp_path: Path) -> None:
    path, texts = tmp_path / "sensitivity.npz", marked(seed=3)[0]
    learnt.save(path)
    assert path.stat().st_mode & 0o077 == 0
    assert SensitivityModel.load(path).predict(texts).tolist() == learnt.predict(texts).tolist()


@pytest.mark.parametrize(
    ("texts", "labels", "groups", "says"),
    [
        (["a"] * 30, [True] * 5 + [False] * 25, None, "5 are sensitive"),
        (["a"] * 30, [True] * 30, None, "30 are sensitive"),
        (["a"] * 30, [True] * 20, None, "30 documents have 20 labels"),
        (["a"] * 30, [True] * 15 + [False] * 15, ["x"], "a group for each"),
        ([], [], None, "of 0 labeled"),
    ],
    ids=["few", "one kind", "too few labels", "too few groups", "nothing"],
)
def test_what_cannot_be_learnt_from(
    texts: list[str], labels: list[bool], groups: list[str] | None, says: str, model: Model
) -> None:
    with pytest.raises(ConfigError, match=says):
        SensitivityModel.learn(texts, labels, model, groups=groups)


@pytest.mark.parametrize("damage", ["truncated", "other kind", "newer", "no arrays", "missing", "pickled", "weights"])
def test_what_cannot_be_read(damage: str, learnt: SensitivityModel, tmp_path: Path) -> None:
    path = tmp_path / "file.npz"
    learnt.save(path)
    if damage == "truncated":
        path.write_bytes(path.read_bytes()[:-100])
    elif damage == "other kind":
        save_arrays(path, "hints", 1, {})
    elif damage == "newer":
        save_arrays(path, "sensitivity", 99, {})
    elif damage == "no arrays":
        path.write_bytes(b"not an archive")
    elif damage == "missing":
        path.unlink()
    elif damage == "pickled":
        np.savez(path, kind=np.array("sensitivity"), format=np.array([1]), words=np.array([{}], object))
    else:
        save_arrays(
            path, "sensitivity", 1, {**learnt.vocabulary.to_arrays(), "weights": np.zeros(3), "numbers": np.zeros(2)}
        )
    with pytest.raises(DataError, match=r"file\.npz"):
        SensitivityModel.load(path)


def test_arrays_are_read_inside_alone(tmp_path: Path) -> None:
    path = tmp_path / "some.npz"
    save_arrays(path, "some", 2, {"numbers": np.arange(3)})
    with load_arrays(path, "some", 2) as arrays:
        assert arrays["numbers"].tolist() == [0, 1, 2]


def test_nothing_shows_words(learnt: SensitivityModel) -> None:
    assert "missile" not in repr(learnt)


# The regression


def rows(table: np.ndarray) -> SparseRows:
    texts, words = np.nonzero(table)
    return SparseRows(texts, words, table[texts, words], *table.shape)


@given(st.integers(0, 10_000))
def test_a_fit_is_at_the_bottom(seed: int) -> None:
    chance = np.random.default_rng(seed)
    table = chance.random((30, 6)) * (chance.random((30, 6)) < 0.5)
    dense, offset = chance.normal(size=(30, 2)), chance.normal(size=30)
    about = chance.random(30) < 0.4
    about[:2] = True, False
    counted = balance_classes(about, np.ones(30))
    words, columns, bias = fit(rows(table), dense, about, counted, offset, 0.5)
    error = counted * (sigmoid(offset + table @ words + dense @ columns + bias) - about)
    slopes = np.concatenate([table.T @ error + 0.5 * words, dense.T @ error + 0.5 * columns, [error.sum()]])
    assert np.abs(slopes).max() < 0.05


def test_rows_are_taken_and_stacked() -> None:
    table = np.array([[0, 2.0], [1, 0], [3, 4]])
    found = rows(table)
    weights = np.array([1.0, 10.0])
    assert found.dot(weights).tolist() == (table @ weights).tolist()
    assert found.dot_transposed(np.arange(3.0)).tolist() == (table.T @ np.arange(3.0)).tolist()
    assert found.multiply(np.eye(2)).tolist() == table.tolist()
    chosen = np.array([True, False, True])
    assert found.take(chosen).multiply(np.eye(2)).tolist() == table[chosen].tolist()
    assert found.stack(found).multiply(np.eye(2)).tolist() == [*table.tolist(), *table.tolist()]


def test_both_kinds_count_the_same() -> None:
    counted = balance_classes(np.array([True, False, False, False]), np.ones(4))
    assert counted.tolist() == pytest.approx([2, 2 / 3, 2 / 3, 2 / 3])


def test_a_curve_is_never_certain_and_never_falls() -> None:
    curve = LogisticCurve.fit(np.arange(40.0), np.arange(40) >= 20)
    stated = curve(np.arange(40.0))
    assert (np.diff(stated) >= 0).all()
    assert 0 < stated[0] < 0.1 < 0.9 < stated[-1] < 1
    assert LogisticCurve.fit(np.arange(40.0), np.arange(40) < 20).slope == 0
