"""Scorers by similarity: one quantity before and after, and no replacement at or above the limit."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import embanon as library
from embanon.anonymizer import Anonymizer, rules_for
from embanon.config.load import load, write_limits
from embanon.config.settings import METHODS, AnonymizeSettings, Config, ScoreSettings
from embanon.document import Document, Floats, Phrases
from embanon.entities.entity import Entity
from embanon.errors import ConfigError
from embanon.model.model import Model
from embanon.risk import scorers
from embanon.risk.power import PhrasePowers
from embanon.risk.scorers import Names, PhraseRisks
from embanon.risk.spans import phrase_spans
from embanon.taxonomy import SHIPPED
from tests.conftest import Run

ADA = Entity("Ada Berger", ("the secretary",))
TEXT = "Ada Berger wrote about the steam engine in Paris. In 1907, the secretary praised the old mill. She saw Zzorzz."
PIECES = st.sampled_from(
    [*TEXT.replace(".", " .").split(), "naval base", "the committee of the company", "a garden", "Ben Marsk", "1919",
     "on 3 March 1919", "Graz", "ada.berger@example.org", "[place 3]", "Person 2", "***", "\n", "🙂", "e\u0301", "שלום",
     "the film Moonlight", "12,500 euros"]
)  # fmt: skip
TEXTS = st.lists(PIECES, max_size=30).map(" ".join)


@pytest.fixture(scope="module")
def model(letters: Path) -> Model:
    return Model.open(letters)


def opened(model: Model | None, limit: float = 0.25, method: str = "generalize", **score: Any) -> Anonymizer:
    score = {"scorer": "cosine", "limit": limit, **score}
    config = Config(language="en", score=ScoreSettings(**score), anonymize=AnonymizeSettings(method=method))
    return Anonymizer(config, model, secret=b"x" * 32)


def similarity(model: Model, phrase: str) -> float:
    """Return the largest cosine to a name of Ada's, as the model gives it; 0 where it is unknown."""
    return max(0.0, *(float(np.nan_to_num(model.similarity(name, [phrase])[0][0])) for name in ADA.names))


@given(TEXTS, st.sampled_from([0.05, 0.25, 0.5, 0.9, 1.0]), st.sampled_from([m for m in METHODS if m != "keep"]))
@settings(max_examples=120)
def test_no_replacement_is_at_or_above_the_limit(model: Model, text: str, limit: float, method: str) -> None:
    (result,) = opened(model, limit, method).anonymize_all([text], rules_for([ADA]))
    for edit in result.edits:
        assert edit.replacement_risk < limit
        assert similarity(model, edit.replacement) < limit or method == "mask"
    edited = {place for edit in result.edits for place in range(edit.start, edit.end)}
    earlier = {place for mark in re.finditer(r"\[place 3\]|Person 2|\*{3}", text) for place in range(*mark.span())}
    scored = result.scored_document.scored
    for (start, end), risky in zip(phrase_spans(scored.phrases), scored.at_least(limit), strict=True):
        assert not risky or not (edited | earlier).isdisjoint(range(start, end))
    assert library.load(language="en").restore(result.text, result.solutions).text == text


def test_the_quantity_is_the_same_before_and_after(model: Model) -> None:
    result = opened(model, 0.9).anonymize(TEXT, [ADA])
    scored = result.scored_document
    for phrase in scored:
        if phrase.risk is not None and phrase.text not in ("Ada Berger", "the secretary"):
            assert phrase.risk == pytest.approx(similarity(model, phrase.text), abs=1e-3)
    for edit in result.edits:
        if edit.rung not in ("suppress", "tag", "person"):
            assert edit.replacement_risk == pytest.approx(similarity(model, edit.replacement), abs=0.02)


def test_why_names_the_cosine_the_name_and_the_look_up(model: Model) -> None:
    scored = opened(model).score(f"{TEXT} Cora Tolland came.", [Entity("Cora Tolland"), ADA])
    why = {phrase.text: phrase.why for phrase in scored}
    assert why["Zzorzz"] == "its words are unknown to the model, so it counts as the riskiest"
    assert why["steam engine"].startswith("cosine 0.")
    assert ", looked up as it is" in why["steam engine"]
    assert "to e2's alias 1" in why["the secretary"]
    rows = scored.to_dict()["phrases"]
    assert all(row["why"]["step"] in ("exact", "variant", "parts", "subwords", "unknown") for row in rows)


def test_everyone_is_whoever_the_text_names(model: Model) -> None:
    result = opened(model, 0.9).anonymize("Ben Marsk praised the garden in Zzorzz.", "everyone")
    assert "Marsk" not in result.text
    assert "Zzorzz" not in result.text


def test_what_is_unknown_of_whom_to_protect_is_said(embanon: Run, letters: Path) -> None:
    done = embanon("anonymize", "-", "--model", letters, "--preset", "thesis", "--protect", "Xy Qqorz",
                   stdin=b"Xy Qqorz wrote about the garden.")  # fmt: skip
    assert "the scorer knows no name of e1" in done.stderr
    assert "garden" not in done.stdout


COMMANDS = {
    "score": ("score", "-"), "anonymize": ("anonymize", "-"), "report": ("report", "-"), "tune": ("tune", "-"),
}  # fmt: skip


@pytest.mark.parametrize("command", COMMANDS)
def test_without_a_model_nothing_is_done(embanon: Run, command: str) -> None:
    done = embanon(*COMMANDS[command], "--scorer", "cosine", "--protect", "Ada Berger", stdin=TEXT.encode())
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.endswith("name a model: --model MODEL, or --model default\n")
    assert "Ada" not in done.stderr


def test_without_a_model_nothing_is_loaded() -> None:
    with pytest.raises(ConfigError, match="--model default"):
        library.load(preset="thesis")


def test_what_is_written_says_what_it_was_made_with(embanon: Run, letters: Path) -> None:
    lines = (json.dumps({"id": "x", "text": TEXT, "protect": ["Ada Berger"]}) + "\n").encode()
    row = json.loads(embanon("anonymize", "-", "--format", "jsonl", "--model", letters, "--preset", "thesis",
                             stdin=lines).stdout)  # fmt: skip
    assert (row["embanon"]["scorer"], row["embanon"]["limit"]) == ("cosine", 0.25)
    row = json.loads(embanon("report", "-", "--as", "json", "--model", letters, "--preset", "thesis-0.5",
                             "--protect", "Ada Berger", stdin=TEXT.encode()).stdout)  # fmt: skip
    assert (row["settings"]["scorer"], row["limit"]) == ("cosine", 0.5)
    assert row["above"] == 0


@pytest.mark.parametrize(
    ("score", "limit", "scorer"),
    [
        ({}, 0.5, "risk"), ({"preset": "thesis"}, 0.25, "cosine"), ({"preset": "thesis-0.5"}, 0.5, "cosine"),
        ({"scorer": "cosine"}, 0.25, "cosine"), ({"scorer": "cosine", "limit": 0.7, "preset": "strict"}, 0.7, "cosine"),
        ({"preset": "thesis", "scorer": "contextual", "encoder": "x"}, 0.25, "contextual"),
    ],
)  # fmt: skip
def test_presets_are_of_a_scorer(score: dict[str, Any], limit: float, scorer: str) -> None:
    made = ScoreSettings(**score)
    assert (made.problem(), made.effective_limit, made.effective_scorer) == ("", limit, scorer)


@pytest.mark.parametrize(
    "score",
    [
        {"preset": "thesis", "scorer": "risk"}, {"preset": "strict", "scorer": "cosine"}, {"scorer": "contextual"},
        {"encoder": "x"}, {"preset": "thesis", "encoder": "x"},
    ],
)  # fmt: skip
def test_what_does_not_go_together_is_refused(score: dict[str, Any]) -> None:
    assert ScoreSettings(**score).problem()


class Overlap:
    """A scorer of one's own: the share of letters that a phrase has in common with a name."""

    def score_phrases(self, text: str, phrases: Phrases, powers: PhrasePowers, names: Names) -> PhraseRisks:
        risk = self.score_labels([text[start:end] for start, end in phrase_spans(phrases)], ("", ""), names)
        return PhraseRisks(risk, np.zeros(len(risk), np.int64), np.zeros(len(risk), np.int64))

    def score_labels(self, labels: Sequence[str], around: tuple[str, str], names: Names) -> Floats:
        letters = set(names[0][0].casefold())
        return np.array(
            [len(letters & set(label.casefold())) / len(letters | set(label.casefold())) for label in labels]
        )


def test_a_scorer_is_any_object_with_two_methods(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(scorers.OPENERS, "cosine", lambda settings, model: Overlap())
    result = opened(None, 0.2).anonymize(TEXT, [Entity("Ada Berger")])
    assert result.edits
    for edit in result.edits:
        assert edit.replacement_risk < 0.2
    assert "Ada" not in result.text


def test_an_encoder_reads_phrases_and_labels_where_they_stand(tmp_path: Path) -> None:
    pytest.importorskip("sentence_transformers")
    from tests.model.test_contextual import save

    folder = save(tmp_path / "encoder")
    anonymizer = opened(None, 0.3, scorer="contextual", encoder=str(folder))
    result = anonymizer.anonymize("Maria lived in old Berlin, the town of a queen.", "Maria")
    assert "Maria" not in result.text
    for edit in result.edits:
        assert edit.replacement_risk < 0.3
    assert any("read in its text" in phrase.why for phrase in result.scored_document)


def test_an_encoder_that_is_none_is_refused(embanon: Run, tmp_path: Path) -> None:
    done = embanon("score", "-", "--scorer", "contextual", "--encoder", tmp_path / "none", "--protect", "Ada",
                   stdin=b"Ada.")  # fmt: skip
    assert (done.returncode, done.stdout) == (3, "")
    assert "none" in done.stderr
    done = embanon("score", "-", "--scorer", "contextual", "--protect", "Ada", stdin=b"Ada.")
    assert (done.returncode, done.stdout) == (2, "")


def test_documents_come_in_order_and_stores_are_the_shipped_ones(model: Model) -> None:
    anonymizer = opened(model)
    results = list(anonymizer.anonymize_all([Document("1", TEXT, "en"), Document("2", TEXT, "en")], [ADA]))
    assert [one.text for one in results] == [results[0].text] * 2
    assert anonymizer.stores == SHIPPED


def test_whom_nothing_is_known_of_leaves_nothing_compared(model: Model) -> None:
    """What is far from Ada may be near to whom the model does not know."""
    (alone,) = opened(model, 0.9).anonymize_all([TEXT], rules_for([ADA]))
    (both,) = opened(model, 0.9).anonymize_all([TEXT], rules_for([ADA, Entity("Zorka Blatt")]))
    assert {(edit.start, edit.end) for edit in alone.edits} < {(edit.start, edit.end) for edit in both.edits}


def test_where_nobody_is_named_is_said(embanon: Run, letters: Path, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("Physics is taught on ice by employees.", "utf-8")
    options = ("--protect", "everyone", "--model", str(letters), "--preset", "thesis", "--language", "en")
    done = embanon("score", str(tmp_path / "a.txt"), *options)
    assert "names nobody to compare with" in done.stderr


def test_risks_say_by_what_limit_they_are_judged(embanon: Run, letters: Path, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text(TEXT, "utf-8")
    options = ("--protect", "Ada Berger", "--model", str(letters), "--preset", "thesis", "--language", "en", "--json")
    (tmp_path / "risks.jsonl").write_text(embanon("score", str(tmp_path / "a.txt"), *options).stdout, "utf-8")
    (row,) = map(json.loads, (tmp_path / "risks.jsonl").read_text("utf-8").splitlines())
    assert row["embanon"] == {"scorer": "cosine", "limit": 0.25}
    gold = [phrase for phrase in row["phrases"] if phrase["risk"] is None or phrase["risk"] >= 0.25]
    spans = [[phrase["start"], phrase["end"], phrase["type"]] for phrase in gold]
    (tmp_path / "gold.jsonl").write_text(json.dumps({"id": row["id"], "text": TEXT, "spans": spans}), "utf-8")
    done = embanon("evaluate", str(tmp_path / "risks.jsonl"), str(tmp_path / "gold.jsonl"), "--no-floors", "--json")
    assert json.loads(done.stdout)["measures"]


@pytest.mark.parametrize(
    ("options", "limit"),
    [
        ({}, 0.75),
        ({"score.scorer": "cosine"}, 0.75),
        ({"score.scorer": "risk"}, 0.5),
        ({"score.preset": "thesis"}, 0.25),
    ],
    ids=["none", "the same scorer", "another", "a preset"],
)
def test_limits_are_those_of_their_scorer(options: dict[str, Any], limit: float, tmp_path: Path) -> None:
    (tmp_path / "own.toml").write_text('[score]\nscorer = "cosine"\nlimit = 0.75\nlimits = {LOC = 0.9}\n', "utf-8")
    score = load(tmp_path / "own.toml", options, {}).config.score
    assert score.effective_limit == limit
    assert bool(score.limits.by_type()) == (score.effective_scorer == "cosine")


def test_a_tuned_file_can_be_read(tmp_path: Path) -> None:
    (tmp_path / "own.toml").write_text('[score]\npreset = "thesis"\n', "utf-8")
    write_limits(tmp_path / "own.toml", 0.35, {}, ScoreSettings(scorer="risk"))
    assert load(tmp_path / "own.toml", {}, {}).config.score.effective_limit == 0.35
