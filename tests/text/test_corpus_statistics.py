from __future__ import annotations

import pickle

from embanon.text.analyzer import load_analyzer
from embanon.text.joins import EMPTY_STATISTICS, CorpusStatistics, StatisticsCounter


def gathered(*texts: str) -> CorpusStatistics:
    reader, gathering = load_analyzer("en"), StatisticsCounter()
    for text in texts:
        analyzed = reader.tag(text)
        gathering.add([(analyzed.tokens, reader.cut(analyzed))])
    return gathering.statistics()


def cut(text: str, statistics: CorpusStatistics) -> list[str]:
    reader = load_analyzer("en")
    analyzed = reader.tag(text)
    found, tokens = reader.cut(analyzed, statistics), analyzed.tokens
    return [text[tokens.start[a] : tokens.end[b - 1]] for a, b in zip(found.first, found.last, strict=True)]


def test_capitals_inside_sentences_count_and_first_words_do_not() -> None:
    statistics = gathered("Rivers flow to Rome.", "The rivers flow, and Rome stands by rivers.")
    assert statistics.capitalized_share == {"rivers": 0.0, "rome": 1.0, "flow": 0.0}


def test_a_word_that_starts_a_sentence_is_proper_if_the_corpus_says_so() -> None:
    statistics = gathered("We like Falcon and the falcon here.", "They sold Falcon to Falcon.")
    assert "Falcon" in cut("Falcon was sold.", statistics)
    assert cut("Rivers were sold.", gathered("By rivers and rivers.")) == ["Rivers"]


def test_a_pronoun_with_a_capital_is_no_name() -> None:
    statistics = gathered("What I see I say.", "They know that I know.")
    assert statistics.capitalized_share["i"] == 1
    assert cut("I say it.", statistics) == []


def test_names_join_if_two_documents_have_them_joined() -> None:
    once = gathered("He works at the Ward for Rivers.")
    twice = gathered("He works at the Ward for Rivers.", "She left the Ward for Rivers in May.")
    assert cut("It is the Ward for Rivers.", once) == ["Ward", "Rivers"]
    assert cut("It is the Ward for Rivers.", twice) == ["Ward for Rivers"]


def test_names_of_more_than_two_parts_join() -> None:
    texts = [f"{name} left the United Kingdom of Great Britain and Northern Ireland." for name in ("Ann", "Carl")]
    found = cut("It is the United Kingdom of Great Britain and Northern Ireland.", gathered(*texts))
    assert found == ["United Kingdom of Great Britain and Northern Ireland"]


def test_nothing_gathered_says_nothing() -> None:
    assert gathered() == EMPTY_STATISTICS
    assert gathered("") == EMPTY_STATISTICS


def test_words_of_the_corpus_are_no_part_of_a_repr() -> None:
    statistics = gathered("We like Falcon and Falcon.")
    assert "alcon" not in repr(statistics)
    assert pickle.loads(pickle.dumps(statistics)) == statistics
