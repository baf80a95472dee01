from __future__ import annotations

import pickle
from dataclasses import replace

import pytest
from hypothesis import given, settings, strategies as st

from embanon.config.settings import AllowRule, Config, DenyRule, PatternRule
from embanon.document import Document
from embanon.text.analyzer import load_analyzer, split_pieces
from embanon.text.find import Analysis, find_all, find_phrases, gather_statistics

ENGLISH = Config(language="en")
VOCABULARY = """The of and Peter Miller New York University 1999 3 May $5 million “ ” ( ) . , : - actor's big film won
j@x.org no. 17582/04 Mr. I. 12 years old 🙂 王小明 £ % § Article A4 'tis DON'T"""
WORDS = st.sampled_from([*VOCABULARY.split(), "\n", "\n\n", "e\u0301", "\ud800"])
TEXTS = st.lists(WORDS, max_size=60).map(" ".join) | st.text(max_size=200)


def spans(analysis: Analysis) -> list[tuple[int, int, str]]:
    return [(phrase.start, phrase.end, phrase.kind) for phrase in analysis.phrases]


def find(text: str, config: Config = ENGLISH) -> list[tuple[str, str]]:
    analysis = find_phrases(Document("x", text), config=config)
    return [(text[phrase.start : phrase.end], phrase.kind) for phrase in analysis.phrases]


@given(TEXTS)
@settings(max_examples=300)
def test_spans_are_sorted_apart_and_slice_back(text: str) -> None:
    for language in ("en", "es", "de", "fr"):
        analysis = find_phrases(Document("x", text, language), config=Config())
        last = 0
        for phrase in analysis.phrases:
            assert last <= phrase.start < phrase.end <= len(text)
            assert phrase.start <= phrase.head_start < phrase.head_end <= phrase.end
            assert not text[phrase.start].isspace()
            assert not text[phrase.end - 1].isspace()
            last = phrase.end


@given(st.lists(TEXTS, min_size=1, max_size=4))
@settings(max_examples=150)
def test_paragraphs_alone_are_the_whole(texts: list[str]) -> None:
    whole = find_phrases(Document("x", "\n\n".join(texts)), config=ENGLISH)
    expected, offset = [], 0
    for text in texts:
        alone = find_phrases(Document("x", text), config=ENGLISH)
        expected += [(one.start + offset, one.end + offset, one.form) for one in alone.phrases]
        offset += len(text) + 2
    # What a name is, its whole document tells.
    assert [(one.start, one.end, one.form) for one in whole.phrases] == expected


@given(st.lists(TEXTS, max_size=5))
@settings(max_examples=100)
def test_many_documents_are_each_alone(texts: list[str]) -> None:
    documents = [Document(str(number), text, "en") for number, text in enumerate(texts)]
    together = list(find_all(documents, config=Config()))
    assert [analysis.document for analysis in together] == documents
    alone = [find_phrases(document, config=Config()) for document in documents]
    assert [list(analysis.phrases) for analysis in together] == [list(analysis.phrases) for analysis in alone]


def test_a_text_of_many_pieces_is_its_paragraphs() -> None:
    paragraph = "Peter Miller was born on 3 May 1975 in Boston and works at Trinity College for j@x.org.\n\n"
    text = paragraph * 8000
    assert len(list(split_pieces(text))) > 2
    analysis = find_phrases(Document("x", text), config=ENGLISH)
    one = find(paragraph)
    assert len(analysis.phrases) == 8000 * len(one)
    last = list(analysis.phrases[-len(one) :])
    assert [(text[phrase.start : phrase.end], phrase.kind) for phrase in last] == one
    assert len({phrase.base for phrase in analysis.phrases}) == 8000 * len({p.base for p in last})


def test_identifiers_go_before_the_grammar_and_the_rest_stays() -> None:
    found = find("Write to j.doe@example.com about application no. 17582/04 of Peter Miller.")
    assert ("j.doe@example.com", "CODE.e-mail") in found
    assert ("17582/04", "CODE.case-number") in found
    assert ("Peter Miller", "PERSON.full-name") in found
    config = replace(ENGLISH, phrases=replace(ENGLISH.phrases, identifiers=False))
    assert ("DE89 3704 0044 0532 0130 00", "CODE.iban") in find("to DE89 3704 0044 0532 0130 00.")
    assert not any(kind == "CODE.iban" for _, kind in find("to DE89 3704 0044 0532 0130 00.", config))


def test_what_the_user_names() -> None:
    pattern = PatternRule("project", "MISC", "MISC.project", regex=r"PX-\d+")
    config = replace(
        ENGLISH,
        patterns=(pattern,),
        allow=(AllowRule(words=("Boston",)),),
        deny=(DenyRule(type="ORG", words=("blue gate",)), DenyRule(type="DEM", lemmas=("nurse",))),
    )
    found = find("The blue gate in Boston holds PX-12, said two nurses who whisper.", config)
    assert ("PX-12", "MISC.project") in found
    assert ("blue gate", "ORG") in found
    assert ("nurses", "DEM") in found
    assert not any(text == "Boston" for text, _ in found)
    assert ("Boston", "LOC.city") in find("The blue gate in Boston.")


def test_deny_goes_before_allow() -> None:
    config = replace(ENGLISH, allow=(AllowRule(words=("Boston",)),), deny=(DenyRule(words=("Boston",)),))
    assert [text for text, _ in find("He went to Boston.", config)] == ["Boston"]


def test_a_document_of_many_pieces_is_one_document() -> None:
    text = "He works at the Bureau for Rivers in town.\n\n" * 9000
    assert len(list(split_pieces(text))) > 1
    assert not gather_statistics([Document("x", text, "en")], config=ENGLISH)["en"].joined_names


def test_an_expression_sees_the_whole_document() -> None:
    text = "First words here.\n\n" + "More words follow here.\n\n" * 20000
    config = replace(ENGLISH, patterns=(PatternRule("first", "MISC", "MISC.first", regex=r"\A\w+"),))
    analysis = find_phrases(Document("x", text), config=config)
    assert [(phrase.start, phrase.end) for phrase in analysis.phrases if phrase.kind == "MISC.first"] == [(0, 5)]


def test_german_capitals_tell_no_names() -> None:
    texts = ["Wir sahen viele Hunde und Katzen.", "Sie mag Hunde und Katzen sehr.", "Alle Hunde und Katzen schlafen."]
    statistics = gather_statistics([Document(str(n), text, "de") for n, text in enumerate(texts)], config=Config())
    document = Document("x", "Hunde bellen laut.", "de")
    with_corpus = find_phrases(document, config=Config(), statistics=statistics)
    assert list(with_corpus.phrases) == list(find_phrases(document, config=Config()).phrases)


def test_an_unknown_language_falls_back_and_says_so() -> None:
    analysis = find_phrases(Document("x", "Emmanuel Dupont est né à Lyon.", "fr"), config=Config())
    assert analysis.uses_fallback
    assert not find_phrases(Document("x", "Peter", "en"), config=Config()).uses_fallback


def test_statistics_join_and_tell_capitals() -> None:
    texts = [f"{name} works at the Bureau for Rivers and Lakes in town." for name in ("Ann", "Bob", "Carl")]
    documents = [Document(str(n), text, "en") for n, text in enumerate(texts)]
    statistics = gather_statistics(documents, config=ENGLISH)
    assert "bureau for rivers" in statistics["en"].joined_names
    found = find_phrases(documents[0], config=ENGLISH, statistics=statistics)
    assert any(texts[0][p.start : p.end].startswith("Bureau for Rivers") for p in found.phrases)
    assert statistics["en"].capitalized_share["town"] == 0
    assert "Ann" not in repr(statistics)


@pytest.mark.parametrize("language", ["en", "de", "fr"])
def test_a_layer_can_be_sent_to_another_process(language: str) -> None:
    reader = load_analyzer(language)
    reader.tag("Some words first.")
    again = pickle.loads(pickle.dumps(reader))
    text = "Peter Miller lives in Boston since 1999."
    assert again.cut(again.tag(text)).first.tolist() == reader.cut(reader.tag(text)).first.tolist()


def test_results_are_values() -> None:
    document = Document("x", "Peter Miller lives in Boston.")
    analysis = find_phrases(document, config=ENGLISH)
    assert analysis == find_phrases(document, config=ENGLISH) == pickle.loads(pickle.dumps(analysis))
    assert analysis != find_phrases(Document("x", "Peter lives in Boston."), config=ENGLISH)


def test_text_is_no_part_of_a_repr() -> None:
    analysis = find_phrases(Document("x", "Peter Miller lives in Boston."), config=ENGLISH)
    assert "Miller" not in repr(analysis)
    assert "Miller" not in repr(load_analyzer("en").tag("Peter Miller"))


def starts(text: str) -> list[str]:
    analysis = find_phrases(Document("x", text), config=ENGLISH)
    return [text[begin : begin + 5] for begin in analysis.sentences.tolist()]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("One here. Two there.\n\nThree", ["One h", "Two t", "Three"]),
        ("a politician.Born here", ["a pol", "Born "]),
        ("no end at all", ["no en"]),
        ("  Late.", ["  Lat", "Late."]),
        ("", [""]),
        ("\n\n", ["\n\n"]),
    ],
)
def test_where_sentences_start(text: str, expected: list[str]) -> None:
    assert starts(text) == expected


@given(st.lists(TEXTS, max_size=5))
@settings(max_examples=50)
def test_sentences_of_many_documents_are_those_of_each(texts: list[str]) -> None:
    documents = [Document(str(number), text, "en") for number, text in enumerate(texts)]
    for document, analysis in zip(documents, find_all(documents, config=Config()), strict=True):
        assert analysis.sentences.tolist() == find_phrases(document, config=Config()).sentences.tolist()
        assert analysis.sentences[0] == 0
        assert all(begin <= len(document.text) for begin in analysis.sentences.tolist())


def test_sentences_go_on_through_pieces() -> None:
    text = "He works at the Bureau. She does not.\n\n" * 9000
    assert len(list(split_pieces(text))) > 1
    assert len(find_phrases(Document("x", text), config=ENGLISH).sentences) == 18000
