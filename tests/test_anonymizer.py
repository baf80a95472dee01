"""The calls of the library: open, score, anonymize, restore."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import embanon
from embanon.anonymizer import Anonymizer, load, rules_for
from embanon.config.settings import Config
from embanon.document import Document
from embanon.errors import ConfigError, InputError
from embanon.linkage.exposure import Attackers
from tests.risk.test_topics import text_about, trained

TEXT = "Ada Berger was born in Graz on 4 July 1962. Berger studied chemistry at the University of Graz."


@pytest.fixture(scope="module")
def anonymizer() -> Anonymizer:
    return embanon.load(language="en")


@pytest.mark.parametrize(
    "protect", ["Ada Berger", ["Ada Berger"], {"name": "Ada Berger"}, "everyone", [{"name": "Ada Berger"}]]
)
def test_a_text_there_and_back(anonymizer: Anonymizer, protect: Any) -> None:
    done = anonymizer.anonymize(TEXT, protect)
    assert "Berger" not in done.text
    assert "Graz" not in done.text
    assert anonymizer.restore(done.text, done.solutions).text == TEXT


def test_as_the_contract_has_it(anonymizer: Anonymizer) -> None:
    done = anonymizer.anonymize(TEXT, "Ada Berger", id="x")
    row = json.loads(json.dumps(done.to_dict()))
    assert row.keys() == {"id", "text", "edits", "embanon"}
    assert row["id"] == "x"
    assert row["embanon"].keys() == {"version", "config", "model", "taxonomies", "limit"}
    assert row["edits"][0].keys() == {
        "start", "end", "replacement", "risk", "replacement_risk", "type", "entity", "rung",
    }  # fmt: skip
    for word in ("Berger", "Graz", "1962"):
        assert word not in json.dumps(row)
        assert word not in repr(done) + repr(anonymizer.score(TEXT, "Ada Berger"))
    scored = anonymizer.score(TEXT, "Ada Berger").to_dict()
    assert scored["phrases"][0]["start"] == 0
    assert "Berger" not in json.dumps(scored)
    assert "Berger" in json.dumps(anonymizer.score(TEXT, "Ada Berger").to_dict(original=True))


def test_others_need_no_protection(anonymizer: Anonymizer) -> None:
    text = "Ada Berger met Ben Kolb. Kolb wrote a book about trees."
    assert "Kolb" in anonymizer.anonymize(text, "Ada Berger", "Ben Kolb").text
    assert "Kolb" not in anonymizer.anonymize(text, "everyone").text


def test_many_documents_each_with_its_own(anonymizer: Anonymizer) -> None:
    rows = ({"text": TEXT, "protect": "Ada Berger"}, {"text": "Ben Kolb lives in Leeds.", "protect": ["Ben Kolb"]})
    documents = [Document(str(number), row["text"], "en", row) for number, row in enumerate(rows)]
    done = list(anonymizer.anonymize_all(documents, rules_for()))
    assert [one.text for one in done] == [anonymizer.anonymize(row["text"], row["protect"]).text for row in rows]
    both = list(anonymizer.anonymize_all(documents, rules_for("Ada Berger")))
    assert [one.name for one in both[1].scored_document.protected.entities] == ["Ada Berger", "Ben Kolb"]


def test_limit_and_method(anonymizer: Anonymizer) -> None:
    done = anonymizer.anonymize(TEXT, "Ada Berger", limit=1.0, method="suppress")
    assert "***" in done.text
    assert done.limit == 1.0
    assert len(done.edits) <= len(anonymizer.anonymize(TEXT, "Ada Berger", limit=0.1).edits)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"protect": None}, "nobody to protect"),
        ({"protect": []}, "nobody to protect"),
        ({"protect": "a", "limit": 0}, "limit must be above 0"),
        ({"protect": "a", "limit": float("nan")}, "limit must be above 0"),
        ({"protect": "a", "method": "hide"}, "no method 'hide'"),
    ],
)
def test_what_cannot_be_done(anonymizer: Anonymizer, options: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        anonymizer.anonymize(TEXT, **options)
    with pytest.raises(InputError, match="must have a letter"):
        anonymizer.score(TEXT, "!")


def test_open_with_settings() -> None:
    assert load(preset="strict").config.score.effective_limit == 0.28
    assert (
        load(limit=0.4).config.score.effective_limit
        == load(config=Config(), limit=0.4).config.score.effective_limit
        == 0.4
    )
    assert load(config=Config(language="es")).config.language == "es"
    assert load("default").model is not None
    assert load("default").made_with["model"]
    with pytest.raises(ConfigError, match="set them there"):
        load(config=Config(), preset="strict")
    with pytest.raises(ConfigError, match="limit must be above 0"):
        load(limit=2)


def test_the_settings_are_told_by_a_checksum(anonymizer: Anonymizer) -> None:
    assert anonymizer.made_with == load(language="en").made_with
    assert anonymizer.made_with["config"] != load(preset="strict", language="en").made_with["config"]


def test_names_of_the_front_door() -> None:
    assert embanon.Anonymizer is Anonymizer
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = embanon.nothing  # type: ignore[attr-defined]


def test_replacements_give_nothing_back_to_an_attacker() -> None:
    names = ["Ada Berger", "Ben Kolb", "Cora Tolland"]
    texts = ["Berger was a chemist in Austria.", "Kolb was a painter in Denmark.", "Tolland was a painter in Finland."]
    text, alone = "Ada Berger was born in Graz.", load(language="en")
    assert "Austria" in alone.anonymize(text, "Ada Berger").text
    against = replace(alone, attackers=Attackers.from_texts(names, texts))
    done = against.anonymize(text, "Ada Berger")
    assert "Austria" not in done.text
    assert "in a" in done.text
    assert against.anonymize(text, "Ada Berger", "Nobody Else").text == done.text
    unknown = against.anonymize("Zita Orlan was born in Graz.", "Zita Orlan")  # of whom nothing is public
    assert "Austria" in unknown.text


def test_what_is_broader_than_a_topic_tells_of_it(tmp_path: Path) -> None:
    anonymizer = load(trained(tmp_path / "m", 20).path, language="en")
    text = text_about("asthma", 1, named=True) + " She has severe asthma."
    done = anonymizer.anonymize(text, {"name": "asthma", "type": "TOPIC"})
    named = [edit for edit in done.edits if "asthma" in text[edit.start : edit.end]]
    assert named
    assert all(edit.rung in ("tag", "type", "kind") for edit in named)


def test_many_texts_at_once() -> None:
    texts = ["Ada Berger lives in Graz.", "Ben Kolb lives in Leeds."]
    anonymizer = embanon.load(language="en")
    assert [one.text for one in anonymizer.anonymize_all(texts, "everyone")] == [
        anonymizer.anonymize(text, "everyone").text for text in texts
    ]
    assert [one.analysis.document.id for one in anonymizer.score_all(iter(texts), "Ada Berger")] == ["1", "2"]
