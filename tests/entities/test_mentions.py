"""Who a text names: a table of texts, and that no entity, however odd, does any harm."""

from __future__ import annotations

import time

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from embanon.config.settings import Config
from embanon.document import Document
from embanon.entities.entity import Entity, distinctive_words, fold_text
from embanon.entities.mentions import find_mentions
from embanon.entities.present import PresentEntity, find_present_entities, group_phrases, may_be_same_given_name
from embanon.text.find import find_phrases

ADA = Entity("Ada Berger")
BEN = Entity("Ben Marsk")
UNIVERSITY = Entity("University of Velland", type="ORG")


def look(text: str, *protect: Entity, language: str = "en") -> list[PresentEntity]:
    phrases = find_phrases(Document("x", text, language), config=Config(language=language)).phrases
    return find_present_entities(text, phrases, protect, language)


def words(text: str, one: PresentEntity) -> list[str]:
    return [text[start:end] for start, end in one.spans]


@pytest.mark.parametrize(
    ("text", "entity", "expected"),
    [
        ("Ada Berger came. Berger won. Ada left.", ADA, "Ada Berger|Berger|Ada"),
        ("Dr. Berger met Ms Berger and Ms. Ada Berger.", ADA, "Dr. Berger|Ms Berger|Ms. Ada Berger"),
        ("A. Berger left. So did A.M. Berger and A. M. Berger.", ADA, "A. Berger|A.M. Berger|A. M. Berger"),
        ("B. Berger left. E. Berger left. A. Tolland left.", ADA, ""),
        ("I met Ada Maria Berger. Ada M. Berger left.", ADA, "Ada Maria Berger|Ada M. Berger"),
        ("Here Ada Berger came.", Entity("Ada Maria Berger"), "Ada Berger"),
        ("Tom Tolland came. Tommy Tolland left.", Entity("Thomas Tolland"), "Tom Tolland|Tommy Tolland"),
        ("Tim Tolland came.", Entity("Thomas Tolland"), ""),
        ("Ada Berger's house is Berger’s.", ADA, "Ada Berger|Berger"),
        ("ADA BERGER, GRAZ.\n\nada berger left. The berger was eaten.", ADA, "ADA BERGER|ada berger|berger"),
        ("Ada\nBerger came.", ADA, "Ada\nBerger"),
        ("Jerry Marsk met Ben Marsk. Ben left.", BEN, "Ben Marsk|Ben"),
        ("Then Jerry Marsk came.", BEN, ""),
        ("The Bergerac and Adalbert came.", ADA, ""),
        ("Here is Ada Berger (chemist).", Entity("Ada Berger (chemist)"), "Ada Berger"),
        ("Here is Ada Berger.", Entity("Ada Berger (chemist)"), "Ada Berger"),
        ("Here Zaza came.", Entity("Ada Berger", ("Zaza",)), "Zaza"),
        ("Here Ada Berger came.", Entity("Berger"), "Ada Berger"),
        ("Here Ada Berger came.", Entity("Ada"), "Ada Berger"),
        ("Will Tolland will go.", Entity("Will Tolland"), "Will Tolland"),
        ("Here Ádá Bérger came; Ada Berger left.", ADA, "Ádá Bérger|Ada Berger"),
        ("The Universidad de Tórland. The Tórland and Torland teams.", Entity("Universidad de Tórland", type="ORG"),
         "Universidad de Tórland|Tórland|Torland"),
        ("The O’Tarn club won.", Entity("O'Tarn Club", type="ORG"), "O’Tarn club"),
        ("The University of Velland grew. The university won. The UV is old.", UNIVERSITY, "University of Velland|UV"),
        ("The university of velland grew; velland did not.", UNIVERSITY, "university of velland|velland"),
        ("Those who came to WHO.", Entity("WHO", type="ORG"), "WHO"),
        ("Зина Орлова жила в Осло. Зина пела.", Entity("Зина Орлова"), "Зина Орлова|Зина"),
        ("这里王小明来了。", Entity("王小明"), "王小明"),
        ("قالت: سعاد.", Entity("سعاد"), "سعاد"),
    ],
)  # fmt: skip
def test_where_one_is_named(text: str, entity: Entity, expected: str) -> None:
    found = words(text, look(text, entity)[0])
    assert "|".join(found) == expected


@pytest.mark.parametrize(
    ("text", "groups"),
    [
        ("Berger lived there. Then Ada Berger came to see her.", ["Berger|Ada Berger"]),
        ("Ada Berger met Peter Holm. Berger left. Holm stayed.", ["Ada Berger|Berger", "Peter Holm|Holm"]),
        ("Tom Velland acted. Thomas Velland Brandt was born. Thomas left.",
         ["Tom Velland|Thomas Velland Brandt|Thomas"]),
        ("Jerry Marsk came. Ben Marsk came. Marsk left.", ["Jerry Marsk", "Ben Marsk|Marsk"]),
        ("Ada Berger came. B. Berger left.", ["Ada Berger", "B. Berger"]),
        ("Peter Tolland played in It. It won.", ["Peter Tolland"]),
        ("Jay Scott Tarn (born 1959), known by his stage name Orrin Marsk, sings.", ["Jay Scott Tarn|Orrin Marsk"]),
        ("Peter Tolland was better known by his ring name, Orrin Marsk.", ["Peter Tolland|Orrin Marsk"]),
        ("Orrin Marsk (1901 – 1982), born Peter Tolland, sang.", ["Orrin Marsk|Peter Tolland"]),
        ("Orrin Marsk, whose real name was Peter Tolland, sang.", ["Orrin Marsk|Peter Tolland"]),
        ("Orrin Marsk was known by his neighbor Peter Tolland.", ["Orrin Marsk", "Peter Tolland"]),
        ("Orrin Marsk forgot the name. Peter Tolland sang.", ["Orrin Marsk", "Peter Tolland"]),
        ("", []),
        ("Nobody came.", []),
    ],
)  # fmt: skip
def test_who_else_is_there(text: str, groups: list[str]) -> None:
    found = look(text)
    assert ["|".join(words(text, one)) for one in found] == groups
    assert all(one.protected_index == -1 and not one.protected_name for one in found)


def test_what_is_known_of_each() -> None:
    text = "Dr. Ada Berger met Peter Holm at the University of Velland, which Berger left."
    ada, university, orrin = look(text, Entity("Ada Berger (chemist)"), UNIVERSITY)
    assert (ada.protected_index, university.protected_index, orrin.protected_index) == (0, 1, -1)
    assert (ada.longest_name, ada.protected_name, orrin.longest_name) == (
        "Dr. Ada Berger",
        "Ada Berger",
        "Peter Holm",
    )
    assert ada.words == {"ada", "berger"}
    phrases = find_phrases(Document("x", text), config=Config(language="en")).phrases
    for one in (ada, university, orrin):
        assert [(phrases[place].start, phrases[place].end) for place in one.phrases] == list(one.spans)
    assert "Berger" not in repr((ada, ADA))


def test_two_who_are_protected_share_no_name() -> None:
    text = "Jerry Marsk met Ben Marsk. Ben left. Jerry stayed."
    jerry, ben = look(text, Entity("Jerry Marsk"), BEN)
    assert words(text, jerry) == ["Jerry Marsk", "Jerry"]
    assert words(text, ben) == ["Ben Marsk", "Ben"]


def test_only_what_gives_an_entity_away_stands_for_it() -> None:
    assert distinctive_words(UNIVERSITY, "en") == {"velland"}
    assert distinctive_words(Entity("The Bank of the House", type="ORG"), "en") == frozenset()
    assert distinctive_words(Entity("Dr. Ada Jo Berger"), "en") == {"ada", "berger"}


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("tom", "thomas", True), ("t", "thomas", True), ("ben", "benjamin", True), ("tom", "tim", False),
        ("bob", "rob", True), ("jo", "joan", False), ("al", "alexander", True),
    ],
)  # fmt: skip
def test_given_names(one: str, other: str, same: bool) -> None:
    assert may_be_same_given_name(one, other, "en") == may_be_same_given_name(other, one, "en") == same
    assert may_be_same_given_name(one, one, "xx")


ODD = {
    "": 0, " ": 0, "...": 1, "It": 1, "a": 1, "The": 0, "THE": 0, "(": 0, "(x)": 1, "C++": 1, "\\": 1, "[": 1, "'": 0,
    "\ud800": 1, "x" * 5000: 0, "1": 0, "é": 1, "_": 0,
}  # fmt: skip


@pytest.mark.parametrize(("name", "times"), ODD.items(), ids=range(len(ODD)))
@pytest.mark.parametrize("type", ["PERSON", "ORG", "DEM"])
def test_odd_entities_do_no_harm(name: str, times: int, type: str) -> None:
    text = "It was a C++ club (x) of é, \\ and 'tis [ ... \ud800."
    one = look(text, Entity(name, ("", name), type))[0]
    assert one.protected_index == 0
    assert len(one.spans) == times
    assert all(name.casefold() in found.casefold() for found in words(text, one))


SOME = "Ada Berger A. B. Dr. Ben Marsk Berger's Ada-Berger BERGER met . It the 王小明 Bérger \n\n"
NAMES = st.sampled_from(SOME.split(" "))
TEXTS = st.lists(NAMES, max_size=20).map(" ".join) | st.text(max_size=60)


@given(TEXTS, st.lists(TEXTS.map(lambda text: text[:30]), max_size=3))
@settings(max_examples=60)
def test_spans_are_in_order_apart_and_of_one_alone(text: str, names: list[str]) -> None:
    found = look(text, *map(Entity, names))
    assert [one.protected_index for one in found[: len(names)]] == list(range(len(names)))
    for one in found:
        assert list(one.spans) == sorted(one.spans)
        assert all(0 <= start < end <= len(text) for start, end in one.spans)
        assert all(before[1] <= after[0] for before, after in zip(one.spans, one.spans[1:], strict=False))
    others = [place for one in found[len(names) :] for place in one.phrases]
    assert len(others) == len(set(others))


@given(st.lists(NAMES, max_size=20).map(" ".join))
def test_whole_names_are_found_whatever_the_phrases(text: str) -> None:
    found = find_mentions(ADA, text, fold_text(text), "en")
    assert len([1 for start, end in found if text[start:end].casefold() == "ada berger"]) >= text.count("Ada Berger ")


HOUSE = Entity("Red House", ("BB-7", "Version 3.5", "Müller-Straße"), "TOPIC")
SPELLED = [
    ("the Red\r\n  House stands", ["Red\r\n  House"]),
    ("> the Red\n> House stands", ["Red\n> House"]),
    ("a red-house, **Red** *House*", ["red-house", "Red** *House"]),
    ("Red\u2011House, Red\u2009House", ["Red\u2011House", "Red\u2009House"]),
    ("see our_red_house_v2.txt, red.house@example.org", ["red_house", "red.house"]),
    ("x.org/Red%20House.pdf, Red&nbsp;House", ["Red%20House", "Red&nbsp;House"]),
    ("two Red Houses and red house's", ["Red Houses", "red house"]),
    ("BB7, bb 7, BB\u20137", ["BB7", "bb 7", "BB\u20137"]),
    ("the Müller Straße", ["Müller Straße"]),
    ("It was red. House flew.", []),
    ("Red\n\nHouse", []),
    ("Red, House", []),
    ("BB-77, ABB-7, BB-7.5", ["BB-7"]),
    ("Version 3-5, version 3.51", []),
    ("Redhouses", []),
]


@pytest.mark.parametrize(("text", "expected"), SPELLED, ids=[ascii(text) for text, _ in SPELLED])
def test_words_of_a_name_may_be_joined_otherwise(text: str, expected: list[str]) -> None:
    assert [text[start:end] for start, end in find_mentions(HOUSE, text, fold_text(text), "en")] == expected


MARK = Entity("Mark", ("Will", "Zorna"))
ORDINARY = [
    ("They mark it, and will come.", ["mark", "will"]),
    ("He marks the wills; mark_down, will_paginate, will2 and 2mark", []),
    ("Marks came, for Mark_2 and WILL_2", ["Marks", "Mark", "WILL"]),
    ("two zornas, zorna_2 and zorna2", ["zorna"] * 2 + ["zornas"]),
]


def test_short_names_are_no_part_of_checksums() -> None:
    text = "5bea2 bea4f c71bea " + " ".join(f"{number}bea{number:x}" for number in range(100))
    assert find_mentions(Entity("Bea"), text, text, "en") == []
    text = "5ABB2 ABB4X x4ABB"
    assert find_mentions(Entity("ABB", type="ORG"), text, fold_text(text), "en") == []
    text = "bea2, our_bea and v_bea2024, 2bea"
    assert len(find_mentions(Entity("Bea"), text, text, "en")) == 4
    text = "在2024年小明5月来了"
    assert find_mentions(Entity("小明"), text, text, "zh") == [(6, 8)]


@pytest.mark.parametrize(("text", "expected"), ORDINARY, ids=[text for text, _ in ORDINARY])
def test_ordinary_words_in_small_letters_are_no_other_forms_of_names(text: str, expected: list[str]) -> None:
    assert sorted(text[slice(*span)] for span in find_mentions(MARK, text, fold_text(text), "en")) == sorted(expected)


def test_a_very_long_name_is_taken_apart_in_linear_time() -> None:
    entity, start = Entity("a" * 60_000 + "1"), time.perf_counter()
    assert find_mentions(entity, "a", "a", "en") == []
    assert time.perf_counter() - start < 2


def test_ten_thousand_entities_take_as_long_as_they_are_many() -> None:
    def took(size: int) -> float:
        signs = "abcdefghijklmnopqrst"
        names = [f"Or{signs[n % 20]}{signs[n // 20 % 20]}n T{signs[n // 400 % 20]}l{size}and" for n in range(size)]
        protect = [Entity(name) for name in names]
        begin = time.process_time()
        found = look(f"Ada Berger met {names[7]}. Berger left.", *protect)
        assert [one.protected_index for one in found if one.spans] == [7, -1]
        return time.process_time() - begin

    took(10)
    assert took(10_000) < 40 * took(1_000)


def test_what_reads_as_a_person_is_no_person_where_a_topic_is_named_so() -> None:
    text = "Marsden met Cora Tolland. Then Marsden slept."
    phrases = find_phrases(Document("x", text, "en"), config=Config(language="en")).phrases
    topic, owner = Entity("Marsden", type="TOPIC"), np.array([0, -1, 0])
    people = find_present_entities(text, phrases, [topic], "en")
    retyped, groups = group_phrases(text, phrases, people, [topic], owner, "en")
    assert [one.type for one in retyped] == ["MISC", "PERSON", "MISC"]
    assert groups.numbers[0] == groups.numbers[2] != groups.numbers[1]
