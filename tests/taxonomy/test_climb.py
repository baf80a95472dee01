"""Climbing: ladders by a table of cases, and what is true of every ladder."""

from __future__ import annotations

import pickle
import string
import time
import tomllib
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given, settings, strategies as st

from embanon.document import FORMS, TYPES
from embanon.taxonomy.build import build
from embanon.taxonomy.climb import COMPUTED, MAX_RUNGS, Climber, Ladder, Rung, climber as shipped_climber
from embanon.taxonomy.concept import LINKS, UPWARD_LINKS, Broader, Concept, Label
from embanon.taxonomy.ladders.tables import Context
from embanon.taxonomy.store import SHIPPED, Store

FILE = tomllib.loads((Path(__file__).parents[1] / "cases" / "climb.toml").read_text(encoding="utf-8"))
SECRET = "Geheimnis"


def concept(row: dict[str, Any]) -> Concept:
    labels = [Label(language, text) for language in ("en", "de") for text in row.get(language, ())]
    labels[:1] = [Label("en", labels[0].text, row.get("of", 0))]
    broader = tuple(Broader(id, link) for link in LINKS for id in row.get(link, ()))
    return Concept(
        row["id"], tuple(labels), broader, row.get("type", ""), row.get("weight", 0.0), row.get("hidden", False)
    )  # fmt: skip


def compiled(concepts: Sequence[Concept], path: Path) -> Store:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("os.fsync", lambda _: None)
        build(concepts, path, {})
    return Store.open(path)


@pytest.fixture(scope="module")
def stores(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Store]:
    folder = tmp_path_factory.mktemp("stores")
    return {name: compiled([*map(concept, rows)], folder / name) for name, rows in FILE["stores"].items()}


def climber(stores: dict[str, Store], names: Sequence[str] = ("things",), language: str = "en") -> Climber:
    return Climber({name: stores[name] for name in names}, language)


def told(found: Ladder) -> list[str]:
    """Return what the stores say."""
    return [rung.label for rung in found.rungs if rung.source != COMPUTED]


@pytest.mark.parametrize("case", FILE["cases"], ids=lambda case: case["name"])
def test_cases(case: dict[str, Any], stores: dict[str, Store]) -> None:
    climbing = climber(stores, case.get("stores", ("things",)), case.get("language", "en"))
    similarity = about(case["near"]) if "near" in case else None
    given = (case["text"], case.get("type", ""), case.get("kind", ""), case.get("form", "common"))
    found = climbing.climb(*given, similarity=similarity)
    assert told(found) == case["labels"]
    assert bool(found.senses) == bool(case["labels"])
    assert climbing.climb(*given, similarity=similarity) == found  # as it is remembered


def about(near: Sequence[str]) -> Callable[[Sequence[str]], list[float]]:
    return lambda labels: [1.0 if label in near else float("nan") if label == "thing" else 0.0 for label in labels]


def test_a_rung_says_why(stores: dict[str, Store]) -> None:
    found = climber(stores, ("places", "things")).climb("Lyon", "LOC", form="name")
    assert [(rung.label, rung.source, rung.kind, rung.concept) for rung in found.rungs if rung.source != COMPUTED] == [
        ("France", "places", "located-in", "france"),
        ("city", "places", "instance", "Q515"),
        ("human settlement", "places", "subclass", "Q486972"),
        ("thing", "things", "subclass", "thing"),
    ]
    assert (found.form, found.senses) == ("Lyon", (("places", "lyon", 1.0),))
    assert SECRET not in repr(Ladder((Rung(SECRET, "s", "k"),), SECRET))


@pytest.mark.parametrize(
    ("phrase", "type", "form", "chosen", "above"),
    [
        ("Lyon", "LOC", "name", "France", []),  # what is in France is no city for that
        ("Lyon", "LOC", "name", "city", ["human settlement", "thing"]),
        ("Lyon", "LOC", "name", "human settlement", []),
        ("1986", "DATETIME", "date", "the 1980s", ["the 20th century", "a date"]),
        ("1986", "DATETIME", "date", "a date", []),
    ],
)
def test_what_is_true_of_a_rung_as_well(
    stores: dict[str, Store], phrase: str, type: str, form: str, chosen: str, above: list[str]
) -> None:
    climbing = climber(stores, ("places", "things"))
    rungs = climbing.climb(phrase, type, "DATETIME.year" if type == "DATETIME" else "", form).rungs
    place = next(place for place, rung in enumerate(rungs) if rung.label == chosen)
    told = climbing.labels_implied_by(rungs[place], [rung for rung in rungs[place + 1 :] if rung.label != "a place"])
    assert [label for label in told if label != "place"] == above


def test_what_is_computed_comes_behind(stores: dict[str, Store]) -> None:
    for phrase, type in (("Lyon", "LOC"), ("Ada Novak", "PERSON"), ("Unknown", "PERSON")):
        found = climber(stores, ("places", "people")).climb(phrase, type, form="name")
        sources = [rung.source == COMPUTED for rung in found.rungs]
        assert sources == sorted(sources)


def test_computed_alone(stores: dict[str, Store]) -> None:
    found = climber(stores).climb("1986", "DATETIME", "DATETIME.year")
    assert (told(found), found.senses, found.form) == ([], (), "")
    assert [rung.label for rung in found.rungs[:2]] == ["the mid-1980s", "the 1980s"]


def test_a_simpler_form_keeps_all_that_its_concept_says(stores: dict[str, Store]) -> None:
    found = climber(stores).climb("aggressive breast cancer")
    assert (found.form, found.rungs[0].kind, found.rungs[0].kept_information) == ("breast cancer", "simpler", 1.0)
    assert climber(stores).climb("dogs").form == "dog"


def test_without_stores(stores: dict[str, Store]) -> None:
    assert Climber({}, "en").climb("dog") == Ladder()
    assert Climber(stores, "xx").climb("dog", "PERSON").rungs[-1].source == COMPUTED


def test_stores_that_go_on_in_each_other(tmp_path: Path) -> None:
    x, y = (Label("en", "ox"),), (Label("en", "yak"),)
    one = compiled([Concept("x", x, (Broader("y", "subclass"),)), Concept("y", y)], tmp_path / "one")
    other = compiled([Concept("y", y, (Broader("x", "subclass"),)), Concept("x", x)], tmp_path / "other")
    for stores in ({"one": one, "other": other}, {"other": other, "one": one}, {"a": one, "b": other, "c": one}):
        for phrase in ("ox", "yak"):
            assert Climber(stores, "en").climb(phrase).rungs


def test_many_that_are_broader(tmp_path: Path) -> None:
    up = [Concept(f"{n}", (Label("en", f"kind {n}"),), (Broader(f"{n + 1}", "subclass"),)) for n in range(10_000)]
    wide = Concept("wide", (Label("en", "wide"),), tuple(Broader(f"{n}", "subclass") for n in range(0, 10_000, 50)))
    climbing = Climber({"s": compiled([*up, wide], tmp_path / "s")}, "en")
    assert len(told(climbing.climb("kind 0"))) == MAX_RUNGS
    assert len(told(climbing.climb("wide"))) >= MAX_RUNGS


# Many at once


def test_sixteen_threads_and_a_copy(stores: dict[str, Store]) -> None:
    phrases = [(case["text"], case.get("type", "")) for case in FILE["cases"]] * 20
    expected = [climber(stores, [*stores]).climb(*phrase) for phrase in phrases]
    shared = climber(stores, [*stores])
    with ThreadPoolExecutor(16) as threads:
        assert [*threads.map(lambda phrase: shared.climb(*phrase), phrases)] == expected
    copy = pickle.loads(pickle.dumps(shared))
    assert [copy.climb(*phrase) for phrase in phrases] == expected


def test_what_is_remembered_is_quick(stores: dict[str, Store]) -> None:
    climbing = climber(stores)

    def seconds() -> float:
        started = time.process_time()
        for _ in range(1000):
            climbing.climb("breast cancer")
        return time.process_time() - started

    assert min(seconds() for _ in range(3)) < 0.5


# Laws

IDS = st.sampled_from(string.ascii_lowercase[:8])
WORDS = st.sampled_from(["dog", "red dog", "dogs", "cat", "the cat", "Cat", "bank", "city", "pet"])
LABELS = st.builds(Label, st.sampled_from(["en", "en", "de", "mul"]), WORDS, st.sampled_from([0, 1, 9]))
CONCEPTS = st.builds(
    Concept,
    IDS,
    st.lists(LABELS, max_size=3).map(tuple),
    st.lists(st.builds(Broader, IDS, st.sampled_from(LINKS)), max_size=3).map(tuple),
    st.sampled_from(["", "", "LOC", "PERSON", "MISC"]),
    st.sampled_from([0.0, 1.0, 100.0]),
    st.booleans(),
)
PHRASES = WORDS | st.sampled_from(["old red dog", "RED DOGS", "cats", "?"])


def closure(id: str, links: set[tuple[str, str]]) -> set[str]:
    """Return all that is broader, by following every link."""
    found, waiting = {id}, [id]
    while waiting:
        one = waiting.pop()
        for down, up in links:
            if down == one and up not in found:
                found.add(up)
                waiting.append(up)
    return found


@given(
    st.lists(CONCEPTS, min_size=1, max_size=8), st.lists(CONCEPTS, min_size=1, max_size=8), PHRASES,
    st.sampled_from(["", *TYPES]), st.sampled_from(FORMS), st.sampled_from(["en", "de"]), st.booleans(),
)  # fmt: skip
@settings(max_examples=60)
def test_every_ladder_is_true(
    tmp_path: Path, one: list[Concept], two: list[Concept], phrase: str, type: str, form: str, language: str, near: bool
) -> None:
    stores = {"one": compiled(one, tmp_path / "one"), "two": compiled(two, tmp_path / "two")}
    similarity = about(["dog", "pet"]) if near else None
    found = Climber(stores, language).climb(phrase, type, form=form, similarity=similarity)
    assert Climber(stores, language).climb(phrase, type, form=form, similarity=similarity) == found

    links = {
        (concept.id, broader.id)
        for concept in (*one, *two)
        for broader in concept.broader
        if broader.link in UPWARD_LINKS
    }
    rungs = [rung for rung in found.rungs if rung.source != COMPUTED]
    assert bool(rungs) == bool(found.senses)
    for rung in rungs:
        if rung.kind == "simpler":
            assert (form == "common" or type == "DEM", rung.label in phrase) == (True, True)
            continue
        if rung.kind == "head":
            assert (form != "common", rung.label in phrase.lower()) == (True, True)
            continue
        for _, sense, _ in found.senses:
            assert rung.concept in closure(sense, links)
        store = stores[rung.source]
        number = store.find(rung.concept)
        assert number is not None
        assert not store.hidden(number)
        assert rung.label == store.label(number, language)
    climbing = Climber(stores, language)
    for place, rung in enumerate(rungs):
        later = [other for other in rungs[place + 1 :] if not other.is_bare]
        above = {other.label for other in later if rung.concept and other.concept in closure(rung.concept, links)}
        assert set(climbing.labels_implied_by(rung, later)) <= above
    kept = [rung.kept_information for rung in rungs]
    assert kept == sorted((share for share in kept if share is not None), reverse=True)
    assert all(0 <= share <= 1 for share in kept if share is not None)
    labels = [rung.label.casefold() for rung in found.rungs if rung.kind not in ("simpler", "head")]
    assert len(set(labels)) == len(labels)


TEXTS = st.text(st.characters(), max_size=40) | st.text("dogs cat'-.’\u0301\u200d\x00\ud800İßﬁ\u2028()&", max_size=30)


@given(TEXTS, st.sampled_from(["", *TYPES]), st.sampled_from(FORMS), st.sampled_from(["en", "de", "es", "pt", "xx"]))
@settings(max_examples=200)
@example("dog " * 100_000, "", "common", "en")
@example("x" * 1_000_000, "MISC", "name", "de")
@example("\u0301", "DEM", "common", "pt")
def test_no_phrase_breaks_it(stores: dict[str, Store], phrase: str, type: str, form: str, language: str) -> None:
    found = ALL(stores, language).climb(phrase, type, form=form)
    assert all(rung.label.strip() for rung in found.rungs)


def ALL(stores: dict[str, Store], language: str, known: dict[str, Climber] = {}) -> Climber:  # noqa: B006, N802
    return known.setdefault(language, Climber(stores, language))


NAUGHTY = ["", " ", "\n", "'", "-", "(", ")", "''", "--", "a-", "-a", "of", "the", "the the", "\ufeff", "%s", "{}"]


@pytest.mark.parametrize("phrase", NAUGHTY, ids=repr)
def test_signs_alone(phrase: str, stores: dict[str, Store]) -> None:
    for type in ("", *TYPES):
        assert told(climber(stores).climb(phrase, type)) == []


@pytest.mark.parametrize(
    ("phrase", "before", "after", "has_rungs"),
    [
        ("Office Space", "her roles in ", " (1999)", False), ("Office Space", "her roles in ", " and others", True),
        ("Wren Clinic", "a nurse at ", " (2004)", True), ("Wren Clinic", "a nurse in ", " (2004–2009)", True),
    ],
    ids=["a film", "no year", "a place of work", "years"],
)  # fmt: skip
def test_a_name_with_a_year_behind_it_is_no_place(phrase: str, before: str, after: str, has_rungs: bool) -> None:
    rungs = shipped_climber(SHIPPED, "en").climb(phrase, "ORG", "", "name", Context(before, after, phrase)).rungs
    assert any(not rung.is_bare for rung in rungs) == has_rungs
