"""What a store of Wikidata says of phrases: which classes hold, which sense is believed, and in which order."""

from __future__ import annotations

from pathlib import Path

import pytest

from embanon.taxonomy.build import build
from embanon.taxonomy.climb import LONGEST_GENERAL, Climber
from embanon.taxonomy.concept import Broader, Concept, Label
from embanon.taxonomy.ladders import Context
from embanon.taxonomy.store import Store

# id: labels; kind of link to ids …
ITEMS = """
Q35120: entity
Q488383: object; subclass Q35120
Q28640: profession; subclass Q35120
Q24017414: second-order class; subclass Q35120
Q215627: person; subclass Q488383
Q5: human; subclass Q215627
Q483501: artist; subclass Q215627; instance Q28640
Q713200: performing artist; subclass Q483501
Q33999: actor, actress; subclass Q713200; instance Q28640
Q900: manual work; subclass Q215627
Q901: glazier; subclass Q900 Q215627
Q101: Mara Quendel; instance Q5; occupation Q33999
Q102: Otto Brandel; instance Q5
Q103: Ines Tavor; occupation Q33999
Q386724: work; subclass Q488383
Q17537576: creative work; subclass Q386724
Q11424: film; subclass Q17537576
Q605: film genre; subclass Q17537576; instance Q24017414
Q15416: television program; subclass Q386724
Q5398426: television series; subclass Q15416
Q201: Ashvale Rising; instance Q605 Q11424
Q202: Harrow Nights; instance Q5398426
Q618779: award; subclass Q488383
Q4220917: film award; subclass Q618779
Q203: Quendel Prize, Quendel; instance Q4220917
Q82794: geographic region; subclass Q488383
Q486972: human settlement; subclass Q82794
Q515: city; subclass Q486972
Q1549591: big city; subclass Q515
Q1093829: city of the United States; subclass Q515
Q301: Springfield; instance Q1093829 Q1549591
Q302: Graz; instance Q1549591
Q303: Ashvale; instance Q515
Q304: MoKa; instance Q515
Q43229: organization; subclass Q488383
Q4830453: business; subclass Q43229
Q401: Tullamore Holdings; instance Q501 Q502 Q503 Q504 Q505 Q506 Q507 Q508 Q509 Q510
Q49848: document; subclass Q386724
Q601: drawer; subclass Q49848
Q602: certificate; subclass Q49848
""" + "".join(f"Q{500 + number}: {word} company; subclass Q4830453\n" for number, word in enumerate(
    "water steel paper glass cotton sugar bread milk wine salt".split(), 1
))  # fmt: skip


def concept(line: str) -> Concept:
    id, rest = line.split(": ", 1)
    names, *links = rest.split("; ")
    broader = [Broader(other, kind) for kind, *others in map(str.split, links) for other in others]
    labels = tuple(Label("en", name) for name in names.split(", "))
    return Concept(id, labels, tuple(broader), "PERSON" if Broader("Q5", "instance") in broader else "")


@pytest.fixture(scope="module")
def climber(tmp_path_factory: pytest.TempPathFactory) -> Climber:
    folder = tmp_path_factory.mktemp("wikidata") / "store"
    build(map(concept, ITEMS.strip().splitlines()), folder, {})
    return Climber({"wikidata": Store.open(folder)}, "en")


CASES = {
    "somebody, by occupation": ("Mara Quendel", "PERSON", "name", ["actor", "performing artist", "person"]),
    "somebody of whom nothing is said": ("Otto Brandel", "PERSON", "name", ["person"]),
    "somebody by occupation alone": ("Ines Tavor", "PERSON", "name", ["actor", "performing artist", "person"]),
    "a film": ("Ashvale Rising", "MISC", "title", ["film", "creative work", "work"]),
    "a film taken for somebody": ("Ashvale Rising", "PERSON", "name", ["film", "creative work", "work"]),
    "a film is no place": ("Ashvale Rising", "LOC", "name", []),
    "a series": ("Harrow Nights", "MISC", "title", ["television series", "television program", "work"]),
    "an award": ("Quendel Prize", "MISC", "name", ["film award", "award"]),
    "one word is no alias": ("Quendel", "MISC", "name", []),
    "no classes of classes": ("actor", "DEM", "common", ["performing artist", "artist", "person"]),
    "a word for a kind of it": ("actress", "DEM", "common", ["performing artist", "artist", "person"]),
    "nobody is work": ("glazier", "DEM", "common", ["person"]),
    "a place": ("Graz", "LOC", "name", ["city", "settlement"]),
    "a place of which there are many": ("Springfield", "LOC", "name", ["settlement"]),
    "a place taken for somebody": ("Ashvale", "PERSON", "name", []),
    "capitals within": ("MoKA", "LOC", "name", []),
    "what a dictionary says as well": ("certificate", "MISC", "common", ["document", "work"]),
    "what a dictionary does not say": ("drawer", "MISC", "common", []),
    "nothing that is above all": ("human settlement", "LOC", "common", []),
    "unknown": ("Zebedee Quorn", "PERSON", "name", []),
}


@pytest.mark.parametrize(("phrase", "type", "form", "labels"), CASES.values(), ids=CASES)
def test_ladders(phrase: str, type: str, form: str, labels: list[str], climber: Climber) -> None:
    rungs = climber.climb(phrase, type, "", form).rungs
    assert [rung.label for rung in rungs if rung.source == "wikidata"] == labels


CONTEXTS = {
    "a part of a larger name": ("Ashvale Rising", "MISC", " Act 1967", []),
    "a number behind it": ("Graz", "LOC", " 4 Tannery Lane", []),
    "somewhere else": ("Graz", "LOC", ", Texas", ["settlement"]),
    "where it is": ("Graz", "LOC", ", Austria", ["city", "settlement"]),
    "a year behind it": ("Graz", "LOC", " (1995)", []),
    "behind it another": ("Graz", "LOC", ", Quendelburg", ["city", "settlement"]),
}


@pytest.mark.parametrize(("phrase", "type", "after", "labels"), CONTEXTS.values(), ids=CONTEXTS)
def test_what_stands_behind(phrase: str, type: str, after: str, labels: list[str], climber: Climber) -> None:
    rungs = climber.climb(phrase, type, "", "name", Context("She saw ", after, phrase)).rungs
    assert [rung.label for rung in rungs if rung.source == "wikidata"] == labels


def test_a_title_is_no_place(climber: Climber) -> None:
    rungs = climber.climb("Graz", "LOC", "", "name", Context("in the 1995 film ", ", for which", "Graz")).rungs
    assert not [rung for rung in rungs if rung.source == "wikidata"]


def test_a_ladder_is_short(climber: Climber) -> None:
    rungs = climber.climb("Tullamore Holdings", "ORG", "", "name").rungs
    labels = [rung.label for rung in rungs if rung.source == "wikidata"]
    assert len(labels) == LONGEST_GENERAL
    assert all(label.endswith("company") for label in labels)


def test_the_occupation_says_why(climber: Climber) -> None:
    assert climber.climb("Mara Quendel", "PERSON", "", "name").rungs[0].kind == "occupation"


def test_a_store_of_others_is_left_as_it_is(tmp_path: Path) -> None:
    """One id of Wikidata among others makes no Wikidata."""
    names = {"Q486972": "settlement", "x": "object", "y": "Velm", "z": "village"}
    links = {"y": "z", "z": "Q486972", "Q486972": "x"}
    concepts = [
        Concept(id, (Label("en", name),), (Broader(links[id], "subclass"),) if id in links else (), "LOC")
        for id, name in names.items()
    ]
    build(concepts, tmp_path / "s", {})
    climber = Climber({"s": Store.open(tmp_path / "s")}, "en")
    rungs = climber.climb("Velm", "LOC", "", "name").rungs
    assert [rung.label for rung in rungs if rung.source == "s"] == ["village", "settlement", "object"]
