"""The transformer of scikit-learn: its checks where they apply to texts, and real pipelines and searches."""

from __future__ import annotations

import copy
import gc
import pickle
from collections.abc import Callable
from typing import Any

import pytest

import embanon
from embanon.config.settings import Config, ScoreSettings
from embanon.entities.entity import Entity
from embanon.errors import ConfigError, InputError, ProtectedNameWarning

pytest.importorskip("sklearn")

import numpy as np
import pandas as pd
from sklearn.base import clone
from sklearn.compose import ColumnTransformer
from sklearn.exceptions import NotFittedError
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline, make_union
from sklearn.utils import estimator_checks as checks

from embanon.integrations.sklearn import COLUMNS, EmbanonTransformer

ADA = "Ada Berger was born in Graz on 4 July 1962. She is a chemist."
BEN = "Ben Kolb is a plumber in Leeds. He was born in 1971."
TEXTS = [ADA, BEN, "", "Cora Tolland bakes bread in Porto."]
PEOPLE, THINGS = ("Ada Berger", "Ben Marsk", "Cora Tolland"), ("old mill", "steam engine", "naval base", "garden")
LETTERS = [
    f"{PEOPLE[n % 3]} wrote about the {THINGS[n % 4]} and the {THINGS[n // 2 % 4]} in Paris. In {1900 + n}, the "
    f"secretary of the company praised the {THINGS[n % 4]}."
    for n in range(24)
]


@pytest.fixture(scope="module")
def small() -> Config:
    """Return settings for a small model."""
    from embanon.config.settings import TrainingSettings

    return Config(language="en", train=TrainingSettings(dimensions=8, epochs=2, dtype="float32"))


@pytest.mark.parametrize(
    "check",
    [
        checks.check_estimator_cloneable, checks.check_estimator_tags_renamed, checks.check_valid_tag_types,
        checks.check_estimator_repr, checks.check_no_attributes_set_in_init, checks.check_mixin_order,
        checks.check_do_not_raise_errors_in_init_or_set_params, checks.check_parameters_default_constructible,
        checks.check_get_params_invariance, checks.check_set_params,
    ],
    ids=lambda check: check.__name__,
)  # fmt: skip
def test_checks_of_the_library(check: Callable[[str, Any], None]) -> None:
    check("EmbanonTransformer", EmbanonTransformer())


@pytest.mark.parametrize("output", ["text", "risk"])
def test_what_its_further_checks_ask_of_estimators_of_numbers(output: str) -> None:
    made = EmbanonTransformer(output=output, language="en")
    before, given = dict(vars(made)), list(TEXTS)
    with pytest.raises(NotFittedError):
        made.transform(TEXTS)
    assert made.fit(given) is made
    assert given == TEXTS
    assert {name: value for name, value in vars(made).items() if name in before} == before
    assert all(name in before or name.endswith("_") for name in vars(made))
    found = made.transform(TEXTS)
    assert np.array_equal(made.fit_transform(TEXTS), found)
    assert np.array_equal(np.concatenate([made.transform([text]) for text in TEXTS]), found)
    assert np.array_equal(made.transform(TEXTS[::-1]), found[::-1])
    for one in (pickle.loads(pickle.dumps(made)), copy.deepcopy(made), clone(made).fit([])):
        assert np.array_equal(one.transform(TEXTS), found)
    assert len(made.transform([])) == 0


def test_texts_are_those_of_the_library() -> None:
    found = EmbanonTransformer("Ada Berger", language="en").fit_transform([ADA])
    assert found.tolist() == [embanon.load(language="en").anonymize(ADA, "Ada Berger").text]
    options: dict[str, Any] = {"preset": "strict", "limit": 0.2, "method": "tag", "language": "en"}
    found = EmbanonTransformer("Ada Berger", model="default", **options).fit_transform([ADA])
    assert found.tolist() == [embanon.load("default", **options).anonymize(ADA, "Ada Berger").text]


def test_risks_have_a_column_for_all_and_one_for_each_type() -> None:
    made = EmbanonTransformer("Ada Berger", output="risk", language="en").fit(TEXTS)
    names, rows = made.get_feature_names_out().tolist(), made.transform([ADA, ""])
    assert names[:3] == ["risk", "risk_PERSON", "risk_ORG"]
    assert rows.shape == (2, len(names)) == (2, 9)
    found = dict(zip(names, rows[0].tolist(), strict=True))
    assert found["risk"] == found["risk_PERSON"] == 1.0
    assert 0.5 < found["risk_DATETIME"] < 1.0
    assert found["risk_CODE"] == 0.0
    assert not rows[1].any()
    assert made.set_params(output="text").get_feature_names_out().tolist() == ["text"]


@pytest.mark.parametrize(
    "texts",
    [[ADA, BEN], (ADA, BEN), np.array([ADA, BEN]), np.array([ADA, BEN], object), iter([ADA, BEN])],
    ids=["list", "tuple", "strings", "objects", "iterator"],
)
def test_what_texts_come_in(texts: Any) -> None:
    found = EmbanonTransformer(language="en").fit([]).transform(texts)
    assert len(found) == 2
    assert "Berger" not in found[0]
    assert "Kolb" not in found[1]


def test_a_text_may_say_whom_to_protect_and_its_language() -> None:
    rows = [
        {"text": f"{ADA} Ben Kolb met her.", "protect": ["Ada Berger"], "others": ["Ben Kolb"], "language": "en"},
        {"text": BEN, "protect": [{"name": "Ben Kolb"}], "id": "b"},
        {"text": "Ada Berger nació en Graz.", "protect": "Ada Berger", "language": "es_ES"},
    ]
    found = EmbanonTransformer(None).fit_transform(rows)
    assert "Berger" not in found[0]
    assert "Kolb" in found[0]
    assert "Kolb" not in found[1]
    assert found[2] == embanon.load(language="es").anonymize("Ada Berger nació en Graz.", "Ada Berger").text


@pytest.mark.parametrize("output", ["text", "risk"])
def test_a_column_transformer_may_name_its_column_both_ways(output: str) -> None:
    table = pd.DataFrame({"text": [ADA, BEN], "age": [61, 52]})
    width = len(COLUMNS[output])
    for data, column in ((table, ["text"]), (table.to_numpy(), [0])):
        made = ColumnTransformer(
            [("ours", EmbanonTransformer(output=output, language="en"), column)], remainder="passthrough"
        )
        found = made.fit_transform(data)
        assert found.shape == (2, width + 1)
        assert found[0, 0] == (1.0 if output == "risk" else embanon.load(language="en").anonymize(ADA, "everyone").text)
        assert made.get_feature_names_out().tolist()[:1] == [f"ours__{output}"]
    inner = EmbanonTransformer(output=output, language="en")
    if output == "text":
        inner = make_pipeline(inner, TfidfVectorizer())
    made = ColumnTransformer([("ours", inner, "text")])
    assert made.fit_transform(table).shape[0] == 2
    assert len(made.get_feature_names_out()) == made.transform(table).shape[1]
    wide = EmbanonTransformer(output=output, language="en").set_output(transform="pandas")
    assert wide.fit_transform(table[["text"]]).columns.tolist() == list(COLUMNS[output])


def test_a_name_that_no_text_has_warns_once() -> None:
    with pytest.warns(ProtectedNameWarning, match=r"^1: does not name e1 \(1 of 2 texts lack a name\)") as caught:
        EmbanonTransformer("Ada Berger", language="en").fit_transform([ADA, BEN])
    assert len(caught) == 1


def test_entities_do_not_show() -> None:
    made = EmbanonTransformer([Entity("Ada Berger")], language="en").fit([])
    assert "Berger" not in repr(made) + repr(make_pipeline(made)) + made._repr_html_()
    assert "Berger" not in clone(made).fit_transform([ADA])[0]


def test_in_a_pipeline_and_a_search() -> None:
    texts, labels = [ADA, BEN] * 4, [0, 1] * 4
    made = make_pipeline(
        make_union(
            make_pipeline(EmbanonTransformer(language="en"), TfidfVectorizer()),
            EmbanonTransformer(output="risk", language="en"),
        ),
        LogisticRegression(),
    )
    search = GridSearchCV(
        make_pipeline(EmbanonTransformer(language="en"), TfidfVectorizer(), LogisticRegression()),
        {"embanontransformer__limit": [0.28, 0.645], "embanontransformer__method": ["generalize", "tag"]},
        cv=2, error_score="raise",
    )  # fmt: skip
    assert made.fit(texts, labels).score(texts, labels) == 1.0
    assert search.fit(texts, labels).best_score_ == 1.0
    words = search.best_estimator_[1].get_feature_names_out().tolist()
    assert "born" in words
    assert not {"berger", "kolb", "1962"} & set(words)
    names = made[0].get_feature_names_out().tolist()
    assert "embanontransformer__risk_PERSON" in names


def test_a_model_of_the_texts_is_trained_and_goes_with_the_transformer(small: Config) -> None:
    made = EmbanonTransformer(train=True, output="risk", config=small).fit(LETTERS)
    folder, found = made.folder_.model, made.transform(LETTERS)
    assert made.anonymizer_.model.card["documents"] == len(LETTERS)
    assert not np.array_equal(found, EmbanonTransformer(output="risk", config=small).fit_transform(LETTERS))
    assert np.array_equal(clone(made).fit_transform(LETTERS), found)  # the same texts, the same model
    sent, copied = pickle.dumps(made), copy.deepcopy(made)
    assert copied.folder_.model != folder
    del made
    gc.collect()
    assert not folder.parent.exists()
    for one in (pickle.loads(sent), copied):
        assert np.array_equal(one.transform(LETTERS), found)
    copied.set_params(train=False).fit([])
    assert copied.anonymizer_.model is None
    assert pickle.loads(pickle.dumps(copied)).anonymizer_.model is None


def test_a_model_of_texts_knows_whom_they_are_about(small: Config) -> None:
    rows = [{"text": text, "entity": PEOPLE[n % 3], "protect": [PEOPLE[n % 3]]} for n, text in enumerate(LETTERS)]
    made = EmbanonTransformer(None, train=True, config=small).fit(rows)
    assert made.anonymizer_.model.card["entities"] == 3
    assert not any(person in text for person, text in zip(PEOPLE * 8, made.transform(rows), strict=True))


@pytest.mark.parametrize(
    ("options", "texts", "error", "message"),
    [
        ({}, "Ben Kolb", InputError, "X must be a list or one column"),
        ({}, np.array([["Ben Kolb", ""]]), InputError, "of a table, take the column"),
        ({}, ["a", 7], InputError, r"X\[1\]: must be a text"),
        ({}, [{"txt": "Ben Kolb"}], InputError, r"X\[0\]: must be a text"),
        ({}, [{"text": "Ben Kolb", "language": "Kolb!"}], InputError, "'language'"),
        ({}, [{"text": "Ben Kolb", "language": 7}], InputError, "'language'"),
        ({}, [{"text": "Ben Kolb", "entity": ["Kolb"]}], InputError, "'entity'"),
        ({"output": "words"}, ["Ben Kolb"], ConfigError, "output must be one of text, risk"),
        ({"method": "hide"}, ["Ben Kolb"], ConfigError, "no method"),
        ({"preset": "severe"}, ["Ben Kolb"], ConfigError, "preset must be one of"),
        ({"protect": None}, ["Ben Kolb"], ConfigError, "nobody to protect"),
        ({"config": Config(score=ScoreSettings()), "preset": "strict"}, ["Ben Kolb"], ConfigError, "set them there"),
        ({"train": True, "model": "default"}, ["Ben Kolb"], ConfigError, "train makes a model"),
        ({"train": True}, [""], InputError, "no phrase to learn from"),
    ],
    ids=[
        "a string", "a table", "a number", "no text", "language", "language a number", "entity", "output", "method",
        "preset", "nobody", "two presets", "two models", "nothing to learn",
    ],
)  # fmt: skip
def test_what_cannot_be_done(options: dict[str, Any], texts: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message) as caught:
        EmbanonTransformer(**options).fit_transform(texts)
    assert "Kolb" not in str(caught.value)
