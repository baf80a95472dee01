"""The calls of the library: open, score, anonymize, restore."""

from __future__ import annotations

import json
import subprocess
import sys
import warnings
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import embanon
from embanon.anonymizer import Anonymized, Anonymizer, load, rules_for
from embanon.config.settings import Config
from embanon.document import Document
from embanon.errors import ArgumentError, ConfigError, EmbanonError, InputError, ProtectedNameWarning
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
    assert row["embanon"].keys() == {"scorer", "version", "config", "model", "taxonomies", "limit"}
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
    assert load(preset="strict").config.score.effective_limit == 0.2
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
    assert embanon.__version__ == load().made_with["version"]
    assert {name for name in embanon.__all__ if not hasattr(embanon, name)} == set()
    assert set(embanon.__all__) <= set(dir(embanon)) | {"__version__"}
    failures = {name for name, value in vars(embanon.errors).items() if isinstance(value, type)}
    assert failures <= set(embanon.__all__)


def test_the_front_door_opens_quickly() -> None:
    code = "import sys, embanon; print(len([name for name in sys.modules if name.startswith('embanon')]))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert int(done.stdout) == 1


USER_SCRIPT = """
import embanon
from embanon import Anonymized, Document, Edit, Entity, ScoredPhrase, Solution

anonymizer = embanon.load("default", language="en", limit=0.5)
done: Anonymized = anonymizer.anonymize("Ada was here.", [Entity("Ada"), "Ben"], method="tag")
text: str = done.text
solutions: tuple[Solution, ...] = done.solutions
edits: tuple[Edit, ...] = done.edits
phrases: list[ScoredPhrase] = sorted(anonymizer.score(text, "everyone"), key=lambda phrase: phrase.risk or 1.0)
words: list[tuple[str, int, str | None, str]] = [(one.text, one.start, one.entity, one.why) for one in phrases]
many: list[str] = [one.text for one in anonymizer.anonymize_all([Document("1", text), text], Entity("Ada"))]
names: list[str] = ["Ada"]
back: str = anonymizer.restore(done.text, anonymizer.anonymize(text, names).solutions).text
documents: int = embanon.train(many, "our.model")["documents"]
file = embanon.anonymize_file("note.txt", "out.txt", protect=[Entity("Ada"), "Ben"], anonymizer=anonymizer)
copy: str = embanon.restore_file("out.txt", "out.jsonl").text + (file.output or "")
print(embanon.open_model("default").path, embanon.__version__, done.report.to_dict(), embanon.Config().language)
anonymizer.anonymize(1)  # type: ignore[arg-type]
anonymizer.score(text, protect=7)  # type: ignore[arg-type]
"""


def test_a_script_of_a_user_has_all_types(tmp_path: Path) -> None:
    (tmp_path / "script.py").write_text(USER_SCRIPT)
    root = Path(embanon.__file__).parents[1]
    settings = tmp_path / "mypy.ini"
    settings.write_text(
        f"[mypy]\nstrict = true\nmypy_path = {root}\nfollow_imports = silent\n"
        "[mypy-regex.*,gensim.*,scipy.*,stdnum.*,phonenumbers.*,eld.*]\nignore_missing_imports = true\n"
    )
    command = [
        sys.executable,
        "-m",
        "mypy",
        "--config-file",
        settings,
        "--cache-dir",
        root / ".mypy_cache",
        "script.py",
    ]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout


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
    with pytest.warns(ProtectedNameWarning, match="^2: does not name e1"):
        assert [one.id for one in anonymizer.score_all(iter(texts), "Ada Berger")] == ["1", "2"]


def test_phrases_by_place_each_with_its_risk_and_why(anonymizer: Anonymizer) -> None:
    scored = anonymizer.score(TEXT, "Ada Berger")
    assert [phrase.start for phrase in scored] == sorted(phrase.start for phrase in scored.phrases)
    assert all(phrase.text == TEXT[phrase.start : phrase.end] for phrase in scored)
    first = scored.phrases[0]
    assert (first.text, first.type, first.risk, first.entity) == ("Ada Berger", "PERSON", 1.0, "e1")
    assert first.why.startswith("names e1")
    assert [phrase.risk for phrase in scored] == [row["risk"] for row in scored.to_dict()["phrases"]]


def test_results_are_shown_in_one_line_without_text(anonymizer: Anonymizer) -> None:
    scored, done = anonymizer.score(TEXT, "Ada Berger"), anonymizer.anonymize(TEXT, "Ada Berger")
    shown = [scored, *scored, done, *done.edits, *done.solutions, anonymizer.restore(done.text, done.solutions)]
    for line in map(repr, [*shown, anonymizer, done.report, load("default")]):
        assert "\n" not in line
        assert not {"Berger", "Graz", "1962", "chemistry"} & set(line.replace("'", " ").split())
    assert repr(done) == "Anonymized(id='text', edits=5, limit=0.5)"
    assert done.report.numbers["replaced"] == 5


def test_notebooks_show_the_text_that_was_scored_and_no_original_of_one_that_was_anonymized(
    anonymizer: Anonymizer,
) -> None:
    scored = anonymizer.score(TEXT, "Ada Berger")._repr_html_()
    done = anonymizer.anonymize(TEXT, "Ada Berger")._repr_html_()
    assert scored.startswith("<iframe sandbox srcdoc=")
    assert "Berger" in scored
    assert "Person 1" in done
    assert not [word for word in ("Berger", "Graz", "1962") if word in done]


def test_who_is_not_named_is_warned_of_without_the_name(anonymizer: Anonymizer) -> None:
    calls: list[Callable[[], Any]] = [
        lambda: anonymizer.score(TEXT, ["Ada Berger", "Zita Orlan"]),
        lambda: anonymizer.anonymize(TEXT, ["Ada Berger", "Zita Orlan"]),
        lambda: list(anonymizer.score_all([TEXT], ["Ada Berger", "Zita Orlan"])),
        lambda: list(anonymizer.anonymize_all([TEXT], ["Ada Berger", "Zita Orlan"])),
        lambda: anonymizer.anonymize_column(pd.Series([TEXT]), ["Ada Berger", "Zita Orlan"]),
    ]
    for call in calls:
        with pytest.warns(ProtectedNameWarning, match=r"does not name e2; check the spelling") as caught:
            call()
        assert [warning.filename for warning in caught] == [__file__]
        assert "Orlan" not in str(caught[0].message)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ProtectedNameWarning)
        assert calls[1]().text == anonymizer.anonymize(TEXT, "Ada Berger").text


def test_what_may_be_left_of_a_name_is_warned_of_by_lines(anonymizer: Anonymizer) -> None:
    text = "Will Orlan left.\nThen tom saw will and will again."
    calls: list[Callable[[], Any]] = [
        lambda: anonymizer.anonymize(text, "Will Orlan"),
        lambda: next(anonymizer.anonymize_all([text], "Will Orlan")),
        lambda: anonymizer.anonymize_column(pd.Series([text]), "Will Orlan"),
    ]
    for call in calls:
        with pytest.warns(ProtectedNameWarning, match=r"2 words stay that may be a name of e1: line 2; add") as caught:
            done = call()
        assert [warning.filename for warning in caught] == [__file__]
        assert "Orlan" not in str(caught[0].message)
        if isinstance(done, Anonymized):
            assert [(text[one.start : one.end], one.entity) for one in done.remaining_names] == [("will", 0)] * 2
            assert done.has_remaining_risk
            assert "2 words stay" in done.report.cautions[0]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        done = anonymizer.anonymize(text, {"name": "Will Orlan", "aliases": ["will"]})
    assert not done.remaining_names
    assert "will" not in done.text


@pytest.mark.parametrize("kind", ["str", "object", "string", "category"])
def test_a_column_of_pandas(anonymizer: Anonymizer, kind: str) -> None:
    texts = pd.Series([TEXT, None, "Ben Kolb lives in Leeds.", float("nan")], [3, 3, 1, 2], name="note").astype(kind)
    names = pd.Series(["Ada Berger", None, [embanon.Entity("Ben Kolb")], ""], texts.index)
    done = anonymizer.anonymize_column(texts, names)
    assert (done.name, done.index.tolist()) == ("note", [3, 3, 1, 2])
    assert done.dtype == (object if kind == "category" else texts.dtype)
    assert done.isna().tolist() == [False, True, False, True]
    expected = [anonymizer.anonymize(TEXT, "Ada Berger").text, anonymizer.anonymize(texts.iloc[2], "Ben Kolb").text]
    assert done.dropna().tolist() == expected
    assert anonymizer.anonymize_column(texts, "everyone").isna().tolist() == [False, True, False, True]
    assert texts.iloc[0] == TEXT
    assert anonymizer.anonymize_column(texts[:0], "everyone").tolist() == []
    with pytest.raises(ConfigError, match="row 0: names nobody to protect"):
        anonymizer.anonymize_column(texts, names.where([False] * 4, None))
    with pytest.raises(ConfigError, match="another index"):
        anonymizer.anonymize_column(texts, names.reset_index(drop=True))


TABLE = pd.DataFrame({"text": [TEXT]})


@pytest.mark.parametrize(
    ("call", "value", "message"),
    [
        *(("one", value, message) for value, message in [
            (None, "text: must be a text, not None; leave out what is missing"),
            (float("nan"), "text: must be a text, not float; leave out what is missing"),
            (b"Berger", "text: must be a text, not bytes; decode it first"),
            ({"text": "Berger"}, "not dict; make it a document"),
            (["Berger"], "not list; for many texts call anonymize_all"),
            (Document("1", "Berger"), "not Document; put it into a list"),
            (7, "text: must be a text, not int"),
        ]),
        *(("many", value, message) for value, message in [
            ("Berger", "texts: must be a list of texts or documents, not str; put it into a list"),
            (None, "texts: must be a list of texts or documents, not None"),
            (b"Berger", "not bytes; decode it first"),
            ({"text": "Berger"}, "not dict; make it a document"),
            (Document("1", "Berger"), "not Document; put it into a list"),
            (TABLE, r"take the column of texts: table\['text'\]"),
            ([TEXT, None], "text 2: must be a text, not None; leave out what is missing"),
            ([float("nan")], "text 1: must be a text, not float"),
            ([b"Berger"], "text 1: must be a text, not bytes; decode it first"),
            ([{"text": "Berger"}], "text 1: must be a text, not dict; make it a document"),
            ([Document("1", None)], "text 1: must be a text, not None"),  # type: ignore[arg-type]
        ]),
        *(("column", value, "must be one column of pandas") for value in (None, "Berger", ["Berger"], TABLE)),
        ("column", pd.Series([TEXT, 7]), "row 1: must be a text, not int"),
        ("column", pd.Series([b"Berger"]), "row 0: must be a text, not bytes; decode it first"),
    ],
)  # fmt: skip
def test_what_is_no_text_is_refused_with_what_to_type(
    anonymizer: Anonymizer, call: str, value: Any, message: str, tmp_path: Path
) -> None:
    def train(texts: Any) -> Iterator[Any]:
        yield embanon.train(texts, tmp_path / "m", config=Config())

    calls: dict[str, list[Callable[[Any], Any]]] = {
        "one": [lambda text: anonymizer.score(text, "everyone"), lambda text: anonymizer.anonymize(text, "everyone"),
                lambda text: anonymizer.restore(text, [])],
        "many": [lambda texts: list(anonymizer.score_all(texts, "everyone")),
                 lambda texts: list(anonymizer.anonymize_all(texts, "everyone")), lambda texts: list(train(texts))],
        "column": [lambda column: anonymizer.anonymize_column(column, "everyone")],
    }  # fmt: skip
    for refuse in calls[call]:
        with pytest.raises(TypeError, match=message) as caught:
            refuse(value)
        assert isinstance(caught.value, EmbanonError)
        assert "Berger" not in str(caught.value)


def test_solutions_must_be_solutions(anonymizer: Anonymizer) -> None:
    with pytest.raises(ArgumentError, match=r"anonymized\.solutions"):
        anonymizer.restore(TEXT, [("Ada", "Person 1")])  # type: ignore[list-item]


def test_training_on_a_list_of_texts(tmp_path: Path) -> None:
    settings = Config(train=replace(Config().train, dimensions=8, epochs=1, threads=1), language="en")
    texts = [f"Ada Berger wrote about the garden of {place}." for place in ("Graz", "Leeds", "Porto", "Lyon")] * 3
    card = embanon.train(
        iter([*texts, "Ben Kolb wrote about a garden in Porto."]), str(tmp_path / "m"), config=settings
    )
    assert (card["documents"], card["entities"]) == (5, 0)
    assert embanon.open_model(tmp_path / "m").card["documents"] == 5
    documents = [Document(str(n), text, fields={"entity": "Ada Berger"}) for n, text in enumerate(texts)]
    assert embanon.train(documents, tmp_path / "named", config=settings)["entities"] == 1


def test_a_file_there_and_back(anonymizer: Anonymizer, tmp_path: Path) -> None:
    note, done, table = (tmp_path / name for name in ("note.txt", "done.txt", "table.jsonl"))
    note.write_text(TEXT)
    result = embanon.anonymize_file(note, done, protect="Ada Berger", anonymizer=anonymizer, solutions=table)
    assert result.is_clean
    assert done.read_text() == result.text == anonymizer.anonymize(TEXT, "Ada Berger").text
    assert embanon.restore_file(done, table).text == note.read_text() == TEXT
