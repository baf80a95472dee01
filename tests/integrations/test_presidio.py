"""The recognizer and the operator of Presidio in its real engines, without any language model of theirs."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

import embanon
from embanon.config.settings import Config
from embanon.errors import ConfigError, InputError

pytest.importorskip("presidio_analyzer")
pytest.importorskip("presidio_anonymizer")

from presidio_analyzer import AnalyzerEngine, Pattern, PatternRecognizer, RecognizerRegistry, RecognizerResult
from presidio_analyzer.nlp_engine import NoOpNlpEngine
from presidio_anonymizer import AnonymizerEngine
from presidio_anonymizer.entities import InvalidParamError, OperatorConfig

from embanon.integrations.presidio import NAMES, EmbanonOperator, EmbanonRecognizer, protecting, replacing

ADA, BEN = "Ada Berger", "Ben Kolb"
TEXT = "Ada Berger was born in Graz on 4 July 1962. Berger studied chemistry at the University of Graz."
BOTH = f"{ADA} studied chemistry in Graz. {BEN} is a plumber in Leeds."


def analyzer(*recognizers: Any, languages: Sequence[str] = ("en",)) -> AnalyzerEngine:
    registry = RecognizerRegistry(recognizers=list(recognizers), supported_languages=list(languages))
    engine = NoOpNlpEngine([{"lang_code": language, "model_name": ""} for language in languages])
    return AnalyzerEngine(registry=registry, nlp_engine=engine, supported_languages=list(languages))


def found(text: str, results: Sequence[RecognizerResult]) -> list[tuple[str, str]]:
    return [(text[one.start : one.end], one.entity_type) for one in sorted(results, key=lambda one: one.start)]


def anonymized(text: str, results: Sequence[RecognizerResult], **options: Any) -> str:
    engine = AnonymizerEngine()
    engine.add_anonymizer(EmbanonOperator)
    return str(engine.anonymize(text, list(results), {"DEFAULT": replacing(text, results)}, **options).text)


@pytest.fixture(scope="module")
def engine() -> AnalyzerEngine:
    return analyzer(EmbanonRecognizer([ADA]))


def test_results_are_what_is_to_be_replaced_with_risks_and_reasons(engine: AnalyzerEngine) -> None:
    results = engine.analyze(TEXT, language="en", return_decision_process=True)
    assert found(TEXT, results) == [
        ("Ada Berger", "PERSON"), ("Graz", "LOCATION"), ("on 4 July 1962", "DATE_TIME"), ("Berger", "PERSON"),
        ("the University of Graz", "ORGANIZATION"),
    ]  # fmt: skip
    edits = embanon.load(language="en").anonymize(TEXT, ADA).edits
    assert {(one.start, one.end, one.score) for one in results} == {(one.start, one.end, one.risk) for one in edits}
    first = min(results, key=lambda one: one.start)
    assert first.analysis_explanation.textual_explanation.startswith("names e1")
    assert first.analysis_explanation.pattern_name == "PERSON.full-name"
    assert first.recognition_metadata["replacement"] == "Person 1"
    assert first.recognition_metadata["entity"] == "e1"
    assert first.recognition_metadata["recognizer_name"] == "EmbanonRecognizer"


@pytest.mark.parametrize(
    ("phrase", "name"),
    [
        ("ada@example.org", "EMAIL_ADDRESS"), ("https://example.org/ada", "URL"), ("+44 20 7946 0958", "PHONE_NUMBER"),
        ("GB29 NWBK 6016 1331 9268 19", "IBAN_CODE"), ("4111 1111 1111 1111", "CREDIT_CARD"),
        ("192.168.17.4", "IP_ADDRESS"), ("SSN 536-22-1234", "US_SSN"), ("4 July 1962", "DATE_TIME"),
        ("Reykjavik", "LOCATION"), ("aged 47", "AGE"), ("Buddhists", "NRP"), ("Kestrel Foundation", "ORGANIZATION"),
        ("case number 12-CV-04821", "ID"),
    ],
    ids=lambda value: value.split()[0],
)  # fmt: skip
def test_types_have_the_names_of_presidio(phrase: str, name: str) -> None:
    text = f"She wrote of {phrase} there."
    results = analyzer(EmbanonRecognizer(limit=0.01)).analyze(text, language="en")
    assert name in {type for written, type in found(text, results) if written.split()[-1] in phrase}


def test_names_of_types_can_be_changed() -> None:
    recognizer = EmbanonRecognizer([ADA], names={"PERSON": "PATIENT", "LOC.city": "CITY"})
    assert {"PATIENT", "CITY", "LOCATION"} <= set(recognizer.supported_entities)
    assert "PERSON" not in recognizer.supported_entities
    results = analyzer(recognizer).analyze(TEXT, language="en")
    assert [type for _, type in found(TEXT, results)] == ["PATIENT", "CITY", "DATE_TIME", "PATIENT", "ORGANIZATION"]
    assert NAMES["PERSON"] == "PERSON"


def test_what_is_not_asked_for_is_left_out(engine: AnalyzerEngine) -> None:
    results = engine.analyze(TEXT, language="en", entities=["LOCATION", "DATE_TIME"])
    assert {type for _, type in found(TEXT, results)} == {"LOCATION", "DATE_TIME"}
    every = {one.score for one in engine.analyze(TEXT, language="en")}
    for least in (0.95, 1.0):
        sure = engine.analyze(TEXT, language="en", score_threshold=least)
        assert 0 < len(sure) < len(engine.analyze(TEXT, language="en"))
        assert {one.score for one in sure} == {score for score in every if score >= least}
    only = EmbanonRecognizer([ADA], supported_entities=["PERSON"])
    assert {type for _, type in found(TEXT, only.analyze(TEXT))} == {"PERSON"}


def test_whom_to_protect_in_some_calls(engine: AnalyzerEngine) -> None:
    def names() -> set[str]:
        results = engine.analyze(BOTH, language="en", return_decision_process=True)
        reasons = {BOTH[one.start : one.end]: one.analysis_explanation.textual_explanation for one in results}
        return {phrase for phrase, reason in reasons.items() if reason.startswith("names")}

    assert names() == {ADA}
    with protecting(BEN):
        assert names() == {BEN}
        with ThreadPoolExecutor(1) as others:
            assert others.submit(names).result() == {ADA}
        with protecting("everyone"):
            assert names() == {ADA, BEN}
    assert names() == {ADA}
    with pytest.raises(ConfigError, match="nobody to protect"), protecting([]):
        names()


def test_ad_hoc() -> None:
    recognizer, numbers = EmbanonRecognizer([ADA]), PatternRecognizer("NUMBER", patterns=[Pattern("", r"\d{4}", 0.5)])
    results = analyzer(numbers).analyze(
        TEXT, language="en", ad_hoc_recognizers=[recognizer], entities=recognizer.supported_entities
    )  # fmt: skip
    assert found(TEXT, results) == found(TEXT, recognizer.analyze(TEXT))


TEXTS = {
    "short": TEXT,
    "list": "Ada Berger lived in Oslo, Bergen and Molde. Her books are in Spanish and Welsh.",
    "neighbors": "Ada Berger, a Swedish marine biologist, met an Icelandic Lutheran priest in Reykjavik Iceland.",
    "lines": "Ada Berger\nGraz\nada@example.org\n\nBorn: 4 July 1962",
    "empty": "",
}


@pytest.mark.parametrize("method", ["generalize", "tag", "suppress", "mask", "keep"])
@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
@pytest.mark.parametrize("names", [{}, dict.fromkeys(NAMES, "SECRET")], ids=["types", "one type"])
def test_the_operator_gives_the_text_of_the_library(text: str, method: str, names: dict[str, str]) -> None:
    recognizer = EmbanonRecognizer([ADA], names=names, method=method, preset="maximal")
    results = analyzer(recognizer).analyze(text, language="en")
    expected = embanon.load(preset="maximal", language="en", method=method).anonymize(text, ADA).text
    assert anonymized(text, results) == expected
    assert anonymized(text, results, merge_entities_with_spaces=False) == expected


def test_what_others_have_found_is_replaced_by_its_type() -> None:
    text = "Ada Berger lives in Graz with a dog."
    pets = PatternRecognizer("PET", patterns=[Pattern("pet", "dog", 0.9)])
    people = PatternRecognizer("PERSON", patterns=[Pattern("person", "Berger lives", 0.9)])
    results = analyzer(EmbanonRecognizer([ADA]), pets, people).analyze(text, language="en")
    # two results for the name overlap, and are made one by Presidio
    assert anonymized(text, results) == "<PERSON> in a city in Austria with a <PET>."
    assert anonymized(text, [RecognizerResult("PERSON", 0, 10, 1.0)]).startswith("<PERSON> lives")


def test_a_recognizer_speaks_one_language() -> None:
    text = "Ada Berger nació en Graz el 4 de julio de 1962."
    engine = analyzer(
        EmbanonRecognizer([ADA]), EmbanonRecognizer([ADA], supported_language="es"), languages=("en", "es")
    )
    results = engine.analyze(text, language="es")
    assert anonymized(text, results) == embanon.load(language="es").anonymize(text, ADA).text
    assert EmbanonRecognizer([ADA], config=Config(), supported_language="es").analyze(text) == sorted(results)


def test_made_of_what_it_tells_of_itself() -> None:
    recognizer = EmbanonRecognizer([ADA], name="ours", supported_language="de")
    told = recognizer.to_dict()
    assert ADA not in str(told)
    assert EmbanonRecognizer.from_dict(told).to_dict() == told


@pytest.mark.parametrize("params", [{}, {"replacements": ["Ada"]}, {"replacements": None}], ids=str)
def test_an_operator_without_replacements(params: dict[str, Any]) -> None:
    engine = AnonymizerEngine()
    engine.add_anonymizer(EmbanonOperator)
    with pytest.raises(InvalidParamError, match=r"use replacing\(text, results\)"):
        engine.anonymize(TEXT, [RecognizerResult("PERSON", 0, 10, 1.0)], {"DEFAULT": OperatorConfig("embanon", params)})


def test_wrong_settings() -> None:
    with pytest.raises(InputError, match="an entity is a name or an object"):
        EmbanonRecognizer([7])
    with pytest.raises(ConfigError, match="preset must be one of"):
        EmbanonRecognizer(preset="severe")
    with pytest.raises(ConfigError, match="nobody to protect"):
        EmbanonRecognizer(None).analyze(TEXT)
