"""The component of spaCy, in real pipelines: found by its name alone, and the same as the call of the library."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import pytest

import embanon
from embanon.errors import ConfigError, EmbanonError, InputError

spacy = pytest.importorskip("spacy")

TEXT = "Ada Berger was born in Graz on 4 July 1962. Berger studied chemistry at the University of Graz."
OTHER = "Ben Kolb is a plumber in Leeds. He was born in 1971."
ADA, BEN = "Ada Berger", "Ben Kolb"


def pipeline(language: str = "en", **config: Any) -> Any:
    nlp = spacy.blank(language)
    nlp.add_pipe("embanon", config=config)
    return nlp


@pytest.fixture(scope="module")
def nlp() -> Any:
    return pipeline(protect=[ADA])


@pytest.fixture(scope="module")
def by_document() -> Any:
    return pipeline()


def made(nlp: Any, text: str, protect: Any) -> Any:
    doc = nlp.make_doc(text)
    doc._.protect = protect
    return doc


def test_a_document_is_told_what_the_library_tells(nlp: Any) -> None:
    doc, done = nlp(TEXT), embanon.load(language="en").anonymize(TEXT, ADA)
    assert doc.text == TEXT
    assert doc._.anonymized == done.text
    assert "Berger" not in doc._.anonymized
    assert doc._.risk == done.scored_document.to_dict()["risk"] == 1.0
    assert doc._.solutions == done.solutions
    assert embanon.load().restore(doc._.anonymized, doc._.solutions).text == TEXT


def test_spans_have_types_risks_replacements_and_entities(nlp: Any) -> None:
    doc = nlp(TEXT)
    assert [(one.text, one.label_, one._.replacement, one._.entity) for one in doc.spans["embanon"]] == [
        ("Ada Berger", "PERSON", "Person 1", "e1"), ("Graz", "LOC", "a city in Austria", "e1"),
        ("4 July 1962", "DATETIME", "in the early 1960s", "e1"), ("Berger", "PERSON", "Person 1", "e1"),
        ("chemistry", "MISC", None, "e1"), ("University of Graz", "ORG", "a university", "e1"),
    ]  # fmt: skip
    phrases = embanon.load(language="en").score(TEXT, ADA).to_dict()["phrases"]
    assert [one._.risk for one in doc.spans["embanon"]] == [row["risk"] for row in phrases]


@pytest.mark.filterwarnings("ignore::embanon.ProtectedNameWarning")
@pytest.mark.parametrize(
    "text", ["", " ", "\n\n", "Nothing here.", "x@ada.berger.org/AdaBerger2-b", "Ada\u00a0Berger’s"]
)
def test_any_text(nlp: Any, text: str) -> None:
    doc, done = nlp(text), embanon.load(language="en").anonymize(text, ADA)
    assert doc._.anonymized == done.text
    for span, phrase in zip(doc.spans["embanon"], done.scored_document.scored.phrases, strict=True):
        assert span.start_char <= phrase.start < phrase.end <= span.end_char


def test_of_phrases_in_one_token_the_riskiest_is_told() -> None:
    nlp = spacy.blank("en")
    nlp.tokenizer = spacy.tokenizer.Tokenizer(nlp.vocab)  # at spaces alone
    nlp.add_pipe("embanon", config={"protect": [ADA]})
    doc = nlp("We met teachers,Ada,Leeds there.")
    [span] = {(one.text, one._.risk, one._.replacement) for one in doc.spans["embanon"] if "," in one.text}
    assert span[:2] == ("teachers,Ada,Leeds", 1.0)


def test_a_document_says_whom_to_protect(by_document: Any) -> None:
    ada = by_document.make_doc(TEXT)
    ada.user_data["protect"] = {"name": "Ada Berger", "aliases": ["A. B."]}
    both = made(by_document, f"{ADA} met {BEN}.", ADA)
    both._.others = BEN
    done = by_document.pipe([ada, made(by_document, OTHER, [BEN]), both])
    assert [name in doc._.anonymized for doc, name in zip(done, (ADA, BEN, BEN), strict=True)] == [False, False, True]


def test_whom_all_protect_and_whom_one_does_are_put_together(nlp: Any) -> None:
    done = nlp(made(nlp, f"{ADA} met {BEN}.", [BEN]))._.anonymized
    assert "Berger" not in done
    assert "Kolb" not in done


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("de", "Ada Berger wurde am 4. Juli 1962 in Graz geboren."),
        ("es", "Ada Berger nació en Graz el 4 de julio de 1962."),
        ("fr", "Ada Berger est née à Graz le 4 juillet 1962."),
    ],
    ids=["de", "es", "fr"],
)
def test_the_language_is_that_of_the_pipeline(language: str, text: str) -> None:
    done = pipeline(language, protect=[ADA])(text)._.anonymized
    assert done == embanon.load(language=language).anonymize(text, ADA).text
    assert pipeline("xx", protect=[ADA])(text)._.anonymized == embanon.load().anonymize(text, ADA).text


def test_settings_are_those_of_the_library() -> None:
    done = pipeline(protect=ADA, method="tag", preset="strict", model="default")(TEXT)._.anonymized
    assert done == embanon.load("default", preset="strict", language="en", method="tag").anonymize(TEXT, ADA).text
    assert "[PERSON 1]" in done
    usual, low = pipeline(protect=ADA)(TEXT), pipeline(protect=ADA, limit=0.001)(TEXT)
    assert not all(one._.replacement for one in usual.spans["embanon"])
    assert all(one._.replacement for one in low.spans["embanon"])


@pytest.mark.filterwarnings("ignore:.*multi-threaded, use of fork:DeprecationWarning")  # of how spaCy starts processes
def test_many_documents_and_processes_give_the_same(nlp: Any, by_document: Any) -> None:
    texts = [TEXT, OTHER, "", f"{ADA} is here."] * 2
    alone = [nlp(text) for text in texts]
    for found in (list(nlp.pipe(texts, batch_size=3)), list(nlp.pipe(texts, n_process=2, batch_size=2))):
        assert [doc._.anonymized for doc in found] == [doc._.anonymized for doc in alone]
        assert [doc._.solutions for doc in found] == [doc._.solutions for doc in alone]
        assert [[one._.risk for one in doc.spans["embanon"]] for doc in found] == [
            [one._.risk for one in doc.spans["embanon"]] for doc in alone
        ]
    sent = by_document.pipe([made(by_document, OTHER, BEN), made(by_document, TEXT, ADA)], n_process=2, batch_size=1)
    assert [doc._.risk for doc in sent] == [1.0, 1.0]
    contexts = nlp.pipe([(TEXT, "a"), (OTHER, "b")], as_tuples=True)
    assert [context for _, context in contexts] == ["a", "b"]


def test_a_pipeline_is_saved_and_loaded(nlp: Any, tmp_path: Path) -> None:
    nlp.to_disk(tmp_path / "saved")
    loaded = spacy.load(tmp_path / "saved")
    assert loaded.pipe_names == ["embanon"]
    again = pipeline(protect=[ADA]).from_bytes(nlp.to_bytes())
    from_config = spacy.blank("en").from_config(nlp.config)
    component = pickle.loads(pickle.dumps(nlp.get_pipe("embanon")))  # as where processes are spawned
    doc = nlp(TEXT)
    for one in (loaded, again, from_config, component):
        assert one(nlp.make_doc(TEXT))._.anonymized == doc._.anonymized
    kept = spacy.tokens.Doc(nlp.vocab).from_bytes(doc.to_bytes())
    assert kept._.solutions == doc._.solutions
    replacements = [[one._.replacement for one in some.spans["embanon"]] for some in (kept, doc)]
    assert replacements[0] == replacements[1]


def test_beside_other_components() -> None:
    nlp = pipeline(protect=[ADA])
    nlp.add_pipe("sentencizer", before="embanon")
    nlp.add_pipe("entity_ruler").add_patterns([{"label": "GPE", "pattern": "Graz"}])
    doc = nlp(TEXT)
    assert [one.text for one in doc.ents] == ["Graz", "Graz"]
    assert len(doc.spans["embanon"]) == 6
    assert not any(nlp.analyze_pipes()["problems"].values())


def test_what_cannot_be_done_is_said_and_the_rest_goes_on(by_document: Any) -> None:
    with pytest.raises(ConfigError, match="nobody to protect"):
        by_document(TEXT)
    with pytest.raises(ConfigError, match="nobody to protect"):
        list(by_document.pipe([made(by_document, TEXT, ADA), TEXT]))
    lenient, failed = pipeline(), list[tuple[int, str]]()
    lenient.set_error_handler(lambda name, _, docs, error: failed.append((len(docs), str(error))))
    found = list(lenient.pipe([made(lenient, TEXT, ADA), TEXT, made(lenient, OTHER, BEN)]))
    assert [doc._.risk for doc in found] == [1.0, 1.0]
    assert len(failed) == 1
    assert "Berger" not in failed[0][1]


@pytest.mark.parametrize(
    ("config", "error", "message"),
    [
        ({"protect": [7]}, InputError, "an entity is a name or an object"),
        ({"protect": [{"nam": BEN}]}, InputError, "a key that is not known"),
        ({"protect": BEN, "preset": "severe"}, ConfigError, "preset must be one of"),
        ({"protect": BEN, "limit": 2}, ConfigError, "limit must be above 0"),
        ({"protect": BEN, "method": "hide"}, ConfigError, "no method"),
        ({"protect": BEN, "model": "nowhere"}, EmbanonError, "nowhere"),
    ],
    ids=["entity", "key", "preset", "limit", "method", "model"],
)
def test_wrong_settings(config: dict[str, Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message) as caught:
        pipeline(**config)(TEXT)
    assert "Kolb" not in str(caught.value)
