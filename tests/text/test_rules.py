"""The users' own patterns, words, allow and deny lists."""

from __future__ import annotations

import pickle
import random
import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, strategies as st

from embanon.config.load import load
from embanon.config.settings import AllowRule, Config, DenyRule, PatternRule, PhraseSettings
from embanon.errors import ConfigError
from embanon.text.rules import Rules

SECRET = "Geheimnis"


def words(*entries: str, ignore_case: bool = True) -> Config:
    return Config(deny=(DenyRule("ORG", "ORG.own", words=entries, ignore_case=ignore_case),))


def pattern(**fields: Any) -> Config:
    return Config(patterns=(PatternRule("n", "CODE", **fields),))


# name: configuration, text, what is found
CASES = {
    "word": (words("Acme"), "At Acme, acme and ACMEs.", ["Acme", "acme"]),
    "case counts": (words("Acme", ignore_case=False), "At Acme, acme.", ["Acme"]),
    "whole words only": (words("art"), "art, smart, artful, art_1, art-house", ["art", "art"]),
    "several words": (words("New York"), "New York, new\nyork NewYork New, York", ["New York", "new\nyork"]),
    "no entry crosses a paragraph": (words("New York"), "New\n\nYork New\u2029York", []),
    "longest counts": (words("Bank", "Bank of Acme"), "Bank of Acme. Bank of", ["Bank of Acme", "Bank"]),
    "overlapping": (words("a b", "b c"), "a b c", ["a b", "b c"]),
    "signs": (words("C++", "U.S."), "C++ C+ C in the U.S. and U. S.", ["C++", "U.S."]),
    "either apostrophe": (words("O'Brien"), "O’Brien, O'Brien", ["O’Brien", "O'Brien"]),
    "composed or not": (words("Café"), "cafe\u0301 café", ["cafe\u0301", "café"]),
    "sharp s": (words("Straße"), "STRASSE straße", ["STRASSE", "straße"]),
    "script without spaces": (words("東京"), "東京 東京都", ["東京"]),
    "expression": (pattern(regex=r"E-\d+"), "E-1, e-2 xE-33", ["E-1", "E-33"]),
    "expression, any case": (pattern(regex=r"E-\d+", ignore_case=True), "E-1, e-2", ["E-1", "e-2"]),
    "expression that matches nothing at all": (pattern(regex="x*"), "axxb", ["xx"]),
    "properties": (pattern(regex=r"\p{Lu}{2,}"), "ÄÖ ab CD", ["ÄÖ", "CD"]),
    "nothing": (Config(), "New York", []),
}

# name: configuration, what the message says
BAD = {
    "expression": (pattern(regex="a("), "pattern 'n': bad regular expression"),
    "place": (Config(deny=(DenyRule(regex=("ok", "ab[")),)), "deny[0]: bad regular expression at character 4"),
    "empty word": (words(" "), "an entry of its words is empty"),
    "sentence": (words("a " * 99), "more than 64 words"),
    "lemma of two words": (
        Config(deny=(DenyRule(lemmas=("a", "credit card")),)),
        "deny[0]: an entry of its lemmas is not one",
    ),
    "lemma with hyphens": (Config(allow=(AllowRule(lemmas=("sister-in-law",)),)), "allow[0]: an entry of its lemmas"),
    "empty lemma": (Config(deny=(DenyRule(lemmas=(" ",)),)), "deny[0]: an entry of its lemmas is empty"),
    "empty expression": (Config(deny=(DenyRule(regex=("",)),)), "deny[0]: an entry of its regex is empty"),
    "repeat": (Config(allow=(AllowRule(regex=("a{3,2}",)),)), "allow[0]: bad regular expression"),
}


@pytest.mark.parametrize("name", CASES)
def test_rules_find(name: str) -> None:
    config, text, expected = CASES[name]
    found = Rules.from_config(config).find(text, "en")
    assert [text[match.start : match.end] for match in found] == expected


@pytest.mark.parametrize("name", BAD)
def test_mistakes_are_named(name: str) -> None:
    config, message = BAD[name]
    with pytest.raises(ConfigError) as caught:
        Rules.from_config(config)
    assert message in str(caught.value)


def test_what_a_rule_says() -> None:
    config = Config(
        patterns=(
            PatternRule("ward", "LOC", words=("Ward 7",)),
            PatternRule("id", "CODE", "CODE.staff", regex=r"\d\d"),
        ),
        allow=(AllowRule(words=("Monday",), languages=("en",)),),
        deny=(DenyRule("ORG", words=("Acme",), languages=("de", "es")), DenyRule("PERSON", words=("acme",))),
    )
    rules = Rules.from_config(config)
    text = "Ward 7 Monday Acme 12"
    assert [tuple(match) for match in rules.find(text, "en-GB")] == [
        (0, 6, "LOC", "LOC.ward", "pattern"),
        (7, 13, "", "", "allow"),
        (14, 18, "PERSON", "PERSON", "deny"),
        (19, 21, "CODE", "CODE.staff", "pattern"),
    ]
    assert [tuple(match)[2:] for match in rules.find(text, "de")] == [
        ("LOC", "LOC.ward", "pattern"),
        ("ORG", "ORG", "deny"),
        ("PERSON", "PERSON", "deny"),
        ("CODE", "CODE.staff", "pattern"),
    ]


def test_lemmas_are_handed_on() -> None:
    allow, deny = AllowRule(lemmas=("Patient",)), DenyRule("DEM", lemmas=("patient",))
    rules = Rules.from_config(Config(allow=(allow,), deny=(deny,)))
    assert [(rule.action, rule.type) for rule in rules.lemmas["patient"]] == [("allow", ""), ("deny", "DEM")]
    assert rules.find("patient", "en") == []
    assert rules


def test_gazetteers_come_from_the_configuration(tmp_path: Path) -> None:
    (tmp_path / "places.txt").write_text("Springfield\nNorth Haverbrook\n", encoding="utf-8")
    (tmp_path / "embanon.toml").write_text("[[patterns]]\nname='places'\ntype='LOC'\nfile='places.txt'\n")
    rules = Rules.from_config(load(tmp_path / "embanon.toml").config)
    found = rules.find("From Springfield to North Haverbrook", "en")
    assert [(match.start, match.end) for match in found] == [(5, 16), (20, 36)]


def test_rules_can_be_sent_to_another_process() -> None:
    rules = Rules.from_config(Config(patterns=(PatternRule("n", "CODE", regex=r"E-\d+", words=("Acme",)),)))
    assert pickle.loads(pickle.dumps(rules)).find("E-1 Acme", "en") == rules.find("E-1 Acme", "en")


def test_words_do_not_show() -> None:
    rules = Rules.from_config(Config(deny=(DenyRule(words=(SECRET,), lemmas=(SECRET,), regex=(SECRET,)),)))
    assert SECRET not in repr(rules)
    assert SECRET.casefold() not in repr(rules)


def test_an_expression_that_explodes_is_stopped() -> None:
    bad = PatternRule("bad", "LOC", regex="(a+)+[bc]")
    rules = Rules.from_config(Config(patterns=(bad,), phrases=PhraseSettings(regex_seconds=0.2)))
    with pytest.raises(ConfigError, match=r"'bad': took more than 0\.2 s on a text of 5000 characters"):
        rules.find("a" * 5000, "en")


def test_thousands_of_words_cost_no_more_than_a_few() -> None:
    draw = random.Random(7)
    syllables = ["ba", "ke", "li", "mo", "nu", "ra", "se", "ti"]
    vocabulary = ["".join(draw.choices(syllables, k=4)) for _ in range(60_000)]
    text = " ".join(draw.choices(vocabulary, k=100_000))
    seconds = []
    for size in (10, 20_000):
        rules = Rules.from_config(words(*vocabulary[:size]))
        tries = []
        for _ in range(3):
            started = time.process_time()
            rules.find(text, "en")
            tries.append(time.process_time() - started)
        seconds.append(min(tries))
    assert seconds[1] < 40 * seconds[0]  # of two thousand times the words


@pytest.mark.parametrize("unit", ["a ", "a", "\u0301", "' ", "a\n\n", "\U0001f1e6"])
def test_time_grows_with_length_only(unit: str) -> None:
    rules = Rules.from_config(words("a " * 60, "a" * 50, "' ' '"))
    seconds = []
    for length in (20_000, 80_000):
        text = unit * (length // len(unit))
        started = time.process_time()
        rules.find(text, "en")
        seconds.append(time.process_time() - started)
    assert seconds[1] < 16 * seconds[0] + 0.5


TEXTS = st.text(st.sampled_from("aB \n'é\u0301.\ud800"), max_size=40)


@given(TEXTS, st.lists(st.text("aB '.é", min_size=1), max_size=5))
def test_every_match_slices_back(text: str, entries: list[str]) -> None:
    rules = Rules.from_config(words(*(entry for entry in entries if entry.strip())))
    for match in rules.find(text, "en"):
        place = text[match.start : match.end]
        assert place
        assert not place[0].isspace()
        assert not place[-1].isspace()
