"""Taxonomies as stores: compiled as a naive dictionary would hold them, whole or not at all, and believed with care."""

from __future__ import annotations

import json
import math
import os
import pickle
import random
import shutil
import signal
import subprocess
import sys
import textwrap
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings, strategies as st

from embanon.document import TYPES
from embanon.errors import ConfigError, DataError, InputError, OutputError
from embanon.language.normalize import key
from embanon.storage.folder import TAXONOMY, load, save
from embanon.taxonomy import store as stores
from embanon.taxonomy.build import build
from embanon.taxonomy.concept import ANY_LANGUAGE, LINKS, UPWARD_LINKS, Broader, Concept, Label, clean_label
from embanon.taxonomy.store import SMOOTHING, Store
from embanon.taxonomy.verify import problems, verify

ROOT = Path(__file__).parents[2]
LINUX = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="asks Linux")
SECRET = "Geheimnis"

DOG, CAT, PET = (
    Concept("dog", (Label("en", "dog", 40), Label("en", "hound", 3), Label("de", "Hund")),
            (Broader("pet", "subclass"), Broader("pack", "part")), "MISC", 9.0),
    Concept("cat", (Label("en", "cat", 18), Label(ANY_LANGUAGE, "Felis"), Label("es", "gato")), (Broader("pet",
    "subclass"),)),
    Concept("pet", (Label("en", "pet"), Label("en", "hound", 1)), hidden=True),
)  # fmt: skip


@pytest.fixture(autouse=True)
def unsynchronized(monkeypatch: pytest.MonkeyPatch) -> None:
    """Do not wait for the disk."""
    monkeypatch.setattr("os.fsync", lambda _: None)


def compiled(concepts: Iterable[Concept], folder: Path, name: str = "s") -> Store:
    build(concepts, folder / name, {"license": "free"})
    return Store.open(folder / name)


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return compiled([DOG, CAT, PET], tmp_path)


def there(store: Store) -> None:
    """See that the store is as the fixture has made it, and alone."""
    verify(store.path)
    assert Store.open(store.path).senses("dog", "en") == store.senses("dog", "en") != []
    assert [path.name for path in store.path.parent.iterdir()] == [store.path.name]


def numbered(store: Store, id: str) -> int:
    found = store.find(id)
    assert found is not None
    return found


def meanings(store: Store, phrase: str, language: str) -> list[tuple[str, float]]:
    return [(store.id(sense.concept), round(sense.probability, 4)) for sense in store.senses(phrase, language)]


# What is compiled


def test_a_small_store(store: Store) -> None:
    dog, pet = numbered(store, "dog"), numbered(store, "pet")
    assert (len(store), set(store.languages)) == (3, {"en", "de", "es", ANY_LANGUAGE})
    assert [(store.id(link.concept), link.kind) for link in store.broader(dog)] == [("pet", "subclass")]
    assert (store.labels(dog, "en"), store.label(dog, "de"), store.label(dog, "pt")) == (["dog", "hound"], "Hund", None)
    assert (store.type(dog), store.type(pet), store.hidden(dog), store.hidden(pet)) == ("MISC", "", False, True)
    assert store.labels(numbered(store, "cat"), "es") == ["gato", "Felis"]
    assert store.labels(numbered(store, "cat"), ANY_LANGUAGE) == ["Felis"]
    assert [store.card[name] for name in ("concepts", "labels", "links", "dropped")] == [3, 8, 2, 1]
    assert store.find("rabbit") is None


@pytest.mark.parametrize(
    ("phrase", "language", "expected"),
    [
        pytest.param("dog", "en", [("dog", 1.0)], id="one"),
        pytest.param("  DOG ", "en", [("dog", 1.0)], id="case and spaces"),
        pytest.param("hound", "en", [("dog", 0.7), ("pet", 0.3)], id="counted"),
        pytest.param("dog", "de", [], id="of another language"),
        pytest.param("dog", "xx", [], id="of no language"),
        pytest.param("felis", "xx", [("cat", 1.0)], id="of any language"),
        pytest.param("Felis", ANY_LANGUAGE, [("cat", 1.0)], id="asked as of any"),
        pytest.param("dög", "en", [], id="another accent"),
        pytest.param("rabbit", "en", [], id="unknown"),
        pytest.param("", "en", [], id="empty"),
        pytest.param("\ud800\0", "\udfff", [], id="broken"),
        pytest.param("dog " * 100_000, "en", [], id="long"),
    ],
)
def test_senses(phrase: str, language: str, expected: list[tuple[str, float]], store: Store) -> None:
    assert meanings(store, phrase, language) == expected


def test_accents_are_as_keys_have_them(tmp_path: Path) -> None:
    store = compiled([Concept("a", (Label("fr", "E\u0301COLE"), Label("de", "STRASSE"), Label("de", "ﬁn")))], tmp_path)
    for phrase, language in (("école", "fr"), ("Straße", "de"), ("FIN", "de")):
        assert meanings(store, phrase, language) == [("a", 1.0)]
    assert meanings(store, "ecole", "fr") == []


def test_uncounted_labels_have_the_weight_of_their_concepts(tmp_path: Path) -> None:
    some = [
        Concept("big", (Label("en", "Springfield"),), weight=99.5),
        Concept("small", (Label("en", "Springfield"),), weight=2.5),
        Concept("unknown", (Label("en", "x"), Label("en", "Springfield"))),
    ]
    senses = meanings(compiled(some, tmp_path), "springfield", "en")
    assert senses == [("big", 0.9662), ("small", 0.029), ("unknown", 0.0048)]
    # What is counted for one says more than how well known the others are.
    some.append(Concept("small", (Label("en", "springfield", 1.0),)))
    assert meanings(compiled(some, tmp_path), "springfield", "en")[0] == ("small", 0.6)


def test_of_equal_senses_the_one_that_is_called_so_first_is_first(tmp_path: Path) -> None:
    some = [Concept(id, (Label("en", f"x {id}"), Label("en", "pen"))) for id in "abcd"]
    assert meanings(compiled([*some, Concept("e", (Label("en", "pen"),))], tmp_path), "pen", "en")[0][0] == "e"


@pytest.mark.parametrize(
    ("text", "label"),
    [
        pytest.param("a\x00b\x1b[31m\u202e", "ab[31m", id="control characters"),
        pytest.param("two\n lines\t", "two lines", id="lines"),
        pytest.param("\ud800!", "\ufffd!", id="half a character"),
        pytest.param("x" * 400, "x" * 400, id="long"),
        pytest.param("x" * 401, None, id="too long"),
        pytest.param("x" * 10_000_000, None, id="far too long"),
        pytest.param("", None, id="empty"),
        pytest.param(" \u2003\n", None, id="blank"),
        pytest.param("\x00\u200b", None, id="invisible"),
    ],
)
def test_labels_are_one_line_of_text(text: str, label: str | None, tmp_path: Path) -> None:
    store = compiled([Concept("a", (Label("en", text), Label("de", "A")))], tmp_path)
    assert store.label(0, "en") == label
    assert store.card["labels"] == 1 + (label is not None)
    if label is not None:
        assert meanings(store, label, "en") == [("a", 1.0)]


IDS = [
    "Q5",
    "",
    "\0",
    "\x00a",
    "http://a/ü?é",
    "\ud800",
    "\udfff\ud800",
    "?",
    "??",
    "x" * 100_000,
    "😀",
    "'; DROP",
    "\n",
]


def test_ids_are_any_text(tmp_path: Path) -> None:
    store = compiled([Concept(id, (), (Broader(IDS[0], "subclass"),)) for id in IDS], tmp_path)
    verify(store.path)
    assert sorted(store.id(number) for number in range(len(store))) == sorted(IDS)
    assert [store.id(numbered(store, id)) for id in IDS] == IDS
    assert {concept.id for concept in store.concepts()} == set(IDS)


@pytest.mark.parametrize("weight", [math.nan, math.inf, -math.inf, -3.0, 1e300, 5e-324, 0.0])
def test_weights_are_numbers_that_add_up(weight: float, tmp_path: Path) -> None:
    some = [
        Concept("a", (Label("en", "x", weight), Label("en", "y")), weight=weight),
        Concept("b", (Label("en", "x", 1.0), Label("en", "y")), weight=1.0),
    ]
    store = compiled(some, tmp_path)
    verify(store.path)
    for phrase in "xy":
        found = [sense.probability for sense in store.senses(phrase, "en")]
        assert sum(found) == pytest.approx(1)
        assert min(found) >= 0
        assert (store.id(store.senses(phrase, "en")[0].concept) == "a") == (weight > 1)


def test_more_languages_than_are_numbered(tmp_path: Path) -> None:
    def speaking(count: int) -> Iterator[Concept]:
        yield from (Concept(f"{number}", (Label(f"l{number}", "x"),)) for number in range(count))

    assert len(compiled(speaking(256), tmp_path).languages) == 256
    with pytest.raises(InputError, match=r"more than 256 languages; choose .* --languages"):
        compiled(speaking(257), tmp_path)
    assert meanings(Store.open(tmp_path / "s"), "x", "l255") == [("255", 1.0)]
    verify(tmp_path / "s")


def test_nothing_to_compile(store: Store) -> None:
    with pytest.raises(InputError, match="the source has no concept"):
        build([], store.path, {})
    there(store)
    assert len(compiled([Concept("alone")], store.path.parent, "one")) == 1


# A naive model

TEXTS = st.sampled_from(["dog", "Dog", "DOG ", "hund", "é", "e\u0301", "É", "a  b", "a b", "", " ", "\x00", "ß", "ss"])
LANGUAGES = st.sampled_from(["en", "de", ANY_LANGUAGE])
NAMES = st.sampled_from(["a", "b", "c", "d", "e", "f", "\ud800", "nobody"])
WEIGHTS = st.sampled_from([0.0, 0.0, 0.5, 1.0, 7.0, 1e6])
CONCEPTS = st.builds(
    Concept,
    NAMES.filter(lambda id: id != "nobody"),
    st.lists(st.builds(Label, LANGUAGES, TEXTS, WEIGHTS), max_size=4).map(tuple),
    st.lists(st.builds(Broader, NAMES, st.sampled_from(LINKS)), max_size=4).map(tuple),
    st.sampled_from(["", *TYPES]),
    WEIGHTS,
    st.booleans(),
)
SETS = st.lists(CONCEPTS, min_size=1, max_size=9)


class Naive:
    """What a store must say, from dictionaries."""

    def __init__(self, concepts: list[Concept]) -> None:
        self.labels: dict[str, dict[tuple[str, str], tuple[float, int]]] = {one.id: {} for one in concepts}
        self.links: set[tuple[str, str, str]] = set()
        self.weights, self.hidden, self.types = dict[str, float](), dict[str, bool](), dict[str, str]()
        for one in concepts:
            places: dict[str, int] = {}
            for label in one.labels:
                if text := clean_label(label.text):
                    places[label.language] = place = places.get(label.language, -1) + 1
                    weight, first = self.labels[one.id].get((label.language, text), (0.0, place))
                    self.labels[one.id][label.language, text] = (max(weight, label.weight), min(first, place))
            self.links |= {(one.id, broader.id, broader.link) for broader in one.broader}
            self.weights[one.id] = max(self.weights.get(one.id, 0.0), one.weight)
            self.hidden[one.id] = self.hidden.get(one.id, False) or one.hidden
            known = [type for type in (self.types.get(one.id), one.type) if type]
            self.types[one.id] = min(known, key=TYPES.index, default="")
        self.kept = {link for link in self.links if link[0] != link[1] and link[1] in self.labels}

    def senses(self, phrase: str, language: str) -> dict[str, float]:
        found: dict[str, float] = {}
        for id, labels in self.labels.items():
            for (spoken, text), (weight, _) in labels.items():
                if key(text) == key(phrase) and spoken in (language, ANY_LANGUAGE):
                    found[id] = max(found.get(id, 0.0), weight)
        if not any(found.values()):
            found = {id: self.weights[id] for id in found}
        total = sum(found.values()) + SMOOTHING * len(found)
        return {id: (weight + SMOOTHING) / total for id, weight in found.items()}


@given(SETS)
@settings(max_examples=40)
@example([Concept("a", (), (Broader("a", "part"), Broader("nobody", "member"), Broader("nobody", "member")))])
def test_a_store_is_as_a_dictionary_is(tmp_path: Path, concepts: list[Concept]) -> None:
    store, naive = compiled(concepts, tmp_path), Naive(concepts)
    verify(store.path)
    assert {store.id(number) for number in range(len(store))} == set(naive.labels)
    links = {
        (store.id(one), store.id(link.concept), link.kind) for one in range(len(store)) for link in store.broader(one)
    }
    assert links == naive.kept
    assert (store.card["links"], store.card["dropped"]) == (len(links), len(naive.links - naive.kept))
    for id, labels in naive.labels.items():
        number = numbered(store, id)
        for language in ("en", "de", ANY_LANGUAGE):
            mine = {text: place for (spoken, text), (_, place) in labels.items() if spoken == language}
            named = store.labels(number, language)
            named = named[: len(mine)] if language != ANY_LANGUAGE else named  # before those of any language
            assert set(named) == set(mine)
            assert [mine[text] for text in named] == sorted(mine.values())
        assert (store.type(number), store.hidden(number)) == (naive.types[id], naive.hidden[id])
    for phrase in ("dog", "É", "A B", "SS", "hund", "", "unknown"):
        for language in ("en", "de", ANY_LANGUAGE, "xx"):
            senses = store.senses(phrase, language)
            expected = naive.senses(phrase, language)
            assert {store.id(sense.concept): sense.probability for sense in senses} == pytest.approx(expected)
            likely = [sense.probability for sense in senses]
            assert likely == sorted(likely, reverse=True)
            assert sum(likely) == pytest.approx(1 if senses else 0)


def told(store: Store) -> list[Any]:
    """Return all that a store answers."""
    answers: list[Any] = []
    for number in range(len(store)):
        labels = [store.labels(number, language) for language in ("en", "de", ANY_LANGUAGE)]
        answers.append((store.id(number), labels, store.broader(number), store.information(number)))
    return [*answers, *(store.senses(phrase, language) for phrase in ("dog", "é", "a b") for language in ("en", "de"))]


@given(SETS, st.randoms(use_true_random=False))
@settings(max_examples=20)
def test_the_order_of_concepts_does_not_matter(tmp_path: Path, concepts: list[Concept], draw: random.Random) -> None:
    once = list({concept.id: concept for concept in concepts}.values())
    first = told(compiled(once, tmp_path))
    draw.shuffle(once)
    assert told(compiled(once, tmp_path)) == first


def test_the_same_concepts_are_the_same_bytes(store: Store) -> None:
    other = compiled([DOG, CAT, PET], store.path.parent, "t")
    for path in store.path.iterdir():
        assert (other.path / path.name).read_bytes() == path.read_bytes()


@given(SETS)
@settings(max_examples=20)
def test_what_was_compiled_compiles_to_the_same(tmp_path: Path, concepts: list[Concept]) -> None:
    first = compiled(concepts, tmp_path, "first")
    again = compiled(first.concepts(), tmp_path, "again")
    for one, other in zip(told(again), told(first), strict=True):
        # Of senses that are as likely, the order may be another where a concept was given in parts.
        assert sorted(one) == sorted(other) if isinstance(one, list) else one == other
    assert again.card["dropped"] == 0


def test_concepts_are_what_was_compiled(store: Store) -> None:
    def sorted_labels(concept: Concept) -> set[Label]:
        return set(concept.labels)

    back = {concept.id: concept for concept in store.concepts()}
    for concept in (DOG, CAT, PET):
        one = back[concept.id]
        assert sorted_labels(one) == sorted_labels(concept)
        assert (one.type, one.weight, one.hidden) == (concept.type, concept.weight, concept.hidden)
    assert back["dog"].broader == (Broader("pet", "subclass"),)  # there is no pack


# How much a concept says


def bits(pairs: list[tuple[str, str]], folder: Path, link: str = "subclass") -> dict[str, float]:
    names = dict.fromkeys(name for pair in pairs for name in pair)
    some = [
        Concept(name, (Label("en", name),), tuple(Broader(up, link) for down, up in pairs if down == name))
        for name in names
    ]
    store = compiled(some, folder)
    assert problems(store, load(store.path, TAXONOMY)[1]) == []
    return {store.id(number): store.information(number) for number in range(len(store))}


@pytest.mark.parametrize(
    ("pairs", "covered"),
    [
        pytest.param("ab bc", {"a": 1, "b": 2, "c": 3}, id="chain"),
        pytest.param("ac bc cd", {"a": 1, "b": 1, "c": 3, "d": 4}, id="tree"),
        pytest.param("ab ac bd cd de", {"a": 1, "b": 2, "c": 2, "d": 5, "e": 5}, id="diamond, on each way"),
        pytest.param("ab ba", {"a": 2, "b": 2}, id="two that are broader than each other"),
        pytest.param("xa ab bc ca cr rs", {"x": 1, "a": 4, "b": 4, "c": 4, "r": 5, "s": 6}, id="ring with a root"),
        pytest.param("ab ba bc cd dc", {"a": 2, "b": 2, "c": 4, "d": 4}, id="rings on rings"),
        pytest.param("ab ba bm mc cd dc", {"a": 2, "b": 2, "m": 3, "c": 5, "d": 5}, id="between two rings"),
    ],
)
def test_information(pairs: str, covered: dict[str, int], tmp_path: Path) -> None:
    said = bits([(pair[0], pair[1]) for pair in pairs.split()], tmp_path)
    assert said == pytest.approx({name: math.log2(len(covered) / count) for name, count in covered.items()}, abs=1e-6)
    assert not any(math.copysign(1, value) < 0 for value in said.values())


@pytest.mark.parametrize("link", LINKS)
def test_only_what_can_be_said_instead_covers(link: str, tmp_path: Path) -> None:
    assert bits([("a", "b")], tmp_path, link)["b"] == (0.0 if link in UPWARD_LINKS else 1.0)


@given(SETS)
@settings(max_examples=40)
def test_what_is_broader_never_says_more(tmp_path: Path, concepts: list[Concept]) -> None:
    store = compiled(concepts, tmp_path)
    said = [store.information(number) for number in range(len(store))]
    upward = [
        (one, link.concept) for one in range(len(store)) for link in store.broader(one) if link.kind in UPWARD_LINKS
    ]
    assert all(0 <= said[up] <= said[down] for down, up in upward)
    leaves = set(range(len(store))) - {up for _, up in upward}
    assert all(said[leaf] == max(said) == pytest.approx(math.log2(len(store))) for leaf in leaves)


def test_diamonds_on_diamonds_do_not_overflow(tmp_path: Path) -> None:
    pairs = [pair for n in range(1500) for pair in ((f"a{n}", f"b{n}"), (f"a{n}", f"c{n}"), (f"b{n}", f"a{n + 1}"),
                                                    (f"c{n}", f"a{n + 1}"))]  # fmt: skip
    some = dict[str, list[str]]()
    for down, up in pairs:
        some.setdefault(down, []).append(up)
        some.setdefault(up, [])
    store = compiled(
        (Concept(id, (), tuple(Broader(up, "subclass") for up in ups)) for id, ups in some.items()), tmp_path
    )
    verify(store.path)
    assert store.information(numbered(store, "a1500")) == 0
    assert store.information(numbered(store, "a0")) == pytest.approx(math.log2(len(store)))


def chain(size: int, ring: bool) -> Iterator[Concept]:
    for number in range(size):
        yield Concept(f"{number}", (), (Broader(f"{(number + 1) % size if ring else number + 1}", "subclass"),))


@pytest.mark.parametrize("ring", [False, True], ids=["chain", "ring"])
def test_deep_chains_and_large_rings(ring: bool, tmp_path: Path) -> None:
    store = compiled(chain(10_000, ring), tmp_path)
    verify(store.path)
    assert store.card["dropped"] == (0 if ring else 1)
    assert store.information(numbered(store, "9999")) == 0
    assert store.information(numbered(store, "0")) == pytest.approx(0 if ring else math.log2(10_000))


def test_a_concept_with_many_children(tmp_path: Path) -> None:
    def family() -> Iterator[Concept]:
        yield Concept("root", (Label("en", "root"),))
        for number in range(100_000):
            yield Concept(f"{number}", (Label("en", "child"),) if number < 1000 else (), (Broader("root", "instance"),))

    store = compiled(family(), tmp_path)
    assert (len(store), store.card["links"]) == (100_001, 100_000)
    assert len(store.senses("child", "en")) == 1000
    assert store.information(numbered(store, "root")) == 0
    assert [store.id(link.concept) for link in store.broader(numbered(store, "99999"))] == ["root"]


# Saving that fails


def failing(error: BaseException) -> Iterator[Concept]:
    yield from (DOG, CAT)
    raise error


@pytest.mark.parametrize(
    "error",
    [InputError("x.nt, line 3: no triple"), KeyboardInterrupt(), OSError(5, "Input/output error"), MemoryError()],
)
def test_a_source_that_fails_leaves_the_old_store(error: BaseException, store: Store) -> None:
    with pytest.raises(type(error)) as caught:
        build(failing(error), store.path, {})
    assert caught.value is error
    there(store)


@pytest.mark.parametrize("step", ["concepts", "sorting", "saving"])
def test_ctrl_c_at_each_step_leaves_the_old_store(step: str, store: Store) -> None:
    def stop(name: str, done: float, of: float) -> None:
        if name == step:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        build([DOG], store.path, {}, stop)
    there(store)


PROGRAM = """
import os, sys
from pathlib import Path
from embanon.errors import EmbanonError
from embanon.taxonomy.build import build
from embanon.taxonomy.concept import Concept, Label
def concepts(count):
    for number in range(count):
        yield Concept(f"{number}", (Label("en", f"a label that is long enough to take its place {number}"),))
"""


def run(code: str, *arguments: Path, **options: Any) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", PROGRAM + textwrap.dedent(code), *map(str, arguments)],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True, **options,
    )  # fmt: skip


@LINUX
def test_a_full_disk_leaves_the_old_store(store: Store) -> None:
    code = """
        import resource, signal
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        def fill(step, done, of):
            limit = 100_000 if step == full else 1 << 30
            resource.setrlimit(resource.RLIMIT_FSIZE, (limit, resource.RLIM_INFINITY))
        for full in ("concepts", "sorting", "saving"):
            try:
                build(concepts(50_000), Path(sys.argv[1]), {}, fill)
            except EmbanonError as exc:
                print(type(exc).__name__, exc)
    """
    output, errors = run(code, store.path).communicate()
    lines = output.splitlines()
    assert errors == ""
    assert [line.removeprefix(f"OutputError {store.path}: cannot be ").split()[0] for line in lines] == [
        "compiled", "compiled", "saved",
    ]  # fmt: skip
    there(store)


@LINUX
def test_a_killed_process_leaves_the_old_store(store: Store) -> None:
    code = """
        def slowly():
            yield from concepts(20_000)
            print("here", flush=True)
            sys.stdin.read()
        build(slowly(), Path(sys.argv[1]), {})
    """
    process = run(code, store.path, stdin=subprocess.PIPE)
    assert process.stdout is not None
    assert process.stdout.readline() == "here\n"
    beside = store.path.parent
    spools = {path for path in beside.iterdir() if path != store.path}
    assert len(spools) == 1
    foreign = beside / ".embanon-mine"
    foreign.mkdir()
    (foreign / "letter.txt").touch()
    # A build beside it leaves its spool alone while it is at work, and puts it away when it is dead.
    compiled([DOG, CAT, PET], beside)
    assert {path for path in beside.iterdir() if path != store.path} == {foreign, *spools}
    process.send_signal(signal.SIGKILL)
    process.communicate()
    assert process.returncode == -signal.SIGKILL
    assert {path for path in beside.iterdir() if path != store.path} == {foreign, *spools}
    compiled([DOG, CAT, PET], beside)
    assert {path for path in beside.iterdir() if path != store.path} == {foreign}
    shutil.rmtree(foreign)
    there(store)


def a_model(folder: Path) -> None:
    save(folder / "x", {"a": np.zeros(3, "u4")}, {"license": "free"})


def a_foreign_folder(folder: Path) -> None:
    (folder / "x").mkdir()
    (folder / "x" / "letter.txt").write_text(SECRET)


def a_model_aside(folder: Path) -> None:
    save(folder / "y", {"a": np.zeros(3, "u4")}, {"license": "free"})
    (folder / "y").rename(folder / "x.previous")


@pytest.mark.parametrize(
    ("make", "message"),
    [
        pytest.param(a_model, "is there and is no taxonomy", id="model"),
        pytest.param(a_foreign_folder, "is there and is no taxonomy", id="foreign folder"),
        pytest.param(a_model_aside, "its name is needed while a taxonomy is saved", id="model that was being replaced"),
        pytest.param(lambda folder: (folder / "x").touch(), "is there and is no taxonomy", id="file"),
    ],
)
def test_targets_that_are_refused_before_any_work(make: Callable[[Path], None], message: str, tmp_path: Path) -> None:
    make(tmp_path)
    before = {path: path.is_file() and path.read_bytes() for path in tmp_path.rglob("*")}
    with pytest.raises(ConfigError, match=message):
        build(failing(AssertionError()), tmp_path / "x", {})
    assert {path: path.is_file() and path.read_bytes() for path in tmp_path.rglob("*")} == before


def test_a_model_does_not_replace_a_taxonomy(store: Store) -> None:
    with pytest.raises(ConfigError, match="is there and is no model"):
        save(store.path, {"a": np.zeros(3, "u4")}, {})
    there(store)


def test_long_and_strange_names_of_stores(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("x" * 246, "a [b]*", "ü \udcff", "./deep/../s"):
        (tmp_path / "deep").mkdir(exist_ok=True)
        build([DOG], Path(name), {})
        verify(Path(name))
    with pytest.raises(OutputError, match="File name too long"):
        build([DOG], Path("x" * 250), {})


# Many at once


def questions(store: Store) -> list[Any]:
    return [told(store), [store.senses(phrase, "en") for phrase in ("dog", "hound", "cat", "felis", "?")]]


def test_sixteen_threads_and_another_process(store: Store) -> None:
    expected = questions(store)
    with ThreadPoolExecutor(16) as threads:
        assert list(threads.map(lambda _: questions(store), range(200))) == [expected] * 200
    copy = pickle.loads(pickle.dumps(store))
    assert (questions(copy), copy.path) == (expected, store.path)
    assert repr(store) == f"Store({str(store.path)!r})"


def test_a_store_may_be_sent_to_where_its_path_is_another(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(store.path.parent)
    sent = pickle.dumps(Store.open(store.path.name))
    monkeypatch.chdir("/")
    assert questions(pickle.loads(sent)) == questions(store)


def test_an_old_store_stays_readable_while_it_is_replaced(store: Store) -> None:
    before = questions(store)
    compiled([CAT], store.path.parent)
    assert questions(store) == before
    assert len(Store.open(store.path)) == 1


PROCESS = """
import json, sys, time
from embanon.taxonomy.store import Store
def kilobytes():
    rows = [line.split() for line in open("/proc/self/smaps_rollup")]
    return {row[0]: int(row[1]) for row in rows[1:]}
def private(found):
    return found["Private_Clean:"] + found["Private_Dirty:"]
before = kilobytes()
started = time.process_time()
store = Store.open(sys.argv[1])
opened = time.process_time() - started
total = sum(bytes(view)[0] + sum(bytes(view[::2048])) for view in (store._ids, store._blob))
after = kilobytes()
print(json.dumps([opened, private(after) - private(before), after["Rss:"] - before["Rss:"]]))
"""


@pytest.mark.skipif(not Path("/proc/self/smaps_rollup").exists(), reason="asks Linux")
def test_processes_share_a_store(tmp_path: Path) -> None:
    some = (Concept(f"{n}" + "i" * 20_000, (Label("en", f"{n}" + "x" * 390),)) for n in range(1_000))
    store = compiled(some, tmp_path)
    held = bytes(store._ids)  # all of it is mapped here
    assert len(held) > 20_000_000
    code = PROCESS.replace("bytes(view)[0] + ", "")
    process = subprocess.run(
        [sys.executable, "-c", code, str(store.path)], capture_output=True, check=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)}, text=True,
    )  # fmt: skip
    opened, private, mapped = json.loads(process.stdout)
    assert opened < 1
    assert mapped > 15_000
    assert private < 10_000


def test_opening_does_not_read(store: Store) -> None:
    started = time.process_time()
    Store.open(store.path)
    assert time.process_time() - started < 1


# Stores that make no sense


def ask_everything(store: Store) -> None:
    size = len(store)
    for phrase in ("dog", "hound", "felis", "", "?"):
        for language in ("en", "de", ANY_LANGUAGE, "xx"):
            senses = store.senses(phrase, language)
            assert all(0 <= sense.concept < size for sense in senses)
    for number in range(size):
        assert all(0 <= link.concept < size and link.kind in LINKS for link in store.broader(number))
        assert store.find(store.id(number)) in (None, *range(size))
        assert store.type(number) in ("", *TYPES)
        assert store.label(number, "en") is None or len(store.labels(number, "en")) > 0
        assert isinstance(store.hidden(number), bool)
        assert isinstance(store.information(number), float)
    assert len(list(store.concepts())) == size


def changes(array: Any) -> Iterator[tuple[str, Any]]:
    """Return what may become of an array, and how that is called."""
    draw = np.random.default_rng(1)
    yield "missing", None
    yield "empty", array[:0]
    yield "cut", array[:-1]
    yield "longer", np.concatenate([array, array[:1]])
    yield "reversed", array[::-1].copy()
    yield "zero", np.zeros_like(array)
    yield "ones", np.frombuffer(b"\xff" * array.nbytes, array.dtype)
    yield "noise", np.frombuffer(draw.bytes(array.nbytes), array.dtype)
    if len(array) > 2:
        yield (
            "inside",
            np.concatenate([array[:1], np.frombuffer(b"\xff" * array[1:-1].nbytes, array.dtype), array[-1:]]),
        )
    yield "other axes", array[None]
    yield "wide", np.repeat(array[..., None], 2, -1)
    for dtype in ("f8", "f2", "f4", "i8", "u1", "?"):
        yield dtype, array.astype(dtype)


MISLEADING = {"weights", "information", "types", "hidden", "kinds", "concepts", "languages", "ids", "starts"}
"""Whatever they hold may be so, where it is in range: only their checksums tell."""


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_whatever_is_in_an_array_is_answered_or_named(store: Store) -> None:
    card, mapped = load(store.path, TAXONOMY)
    arrays = {name: np.array(array) for name, array in mapped.items()}
    assert set(arrays) == set(stores.DTYPES)
    assert problems(store, arrays) == []
    for name, array in arrays.items():
        for change, changed in changes(array):
            given = {key: value for key, value in {**arrays, name: changed}.items() if value is not None}
            said = ""
            for ask in (ask_everything, lambda opened: problems(opened, given)):  # noqa: B023
                try:
                    said += str(ask(Store(store.path, card, given)) or "")
                except DataError as exc:
                    said += str(exc)
            same = changed is not None and changed.dtype == array.dtype and np.array_equal(changed, array)
            assert said or same or name.rpartition(".")[2] in MISLEADING, (name, change)


@pytest.mark.parametrize(
    ("key", "value"),
    [("languages", None), ("languages", 5), ("languages", "abc"), ("languages", [1, 2]), ("languages", [["en"]]),
     ("languages", []), ("languages", ["en"]), ("languages", ["en"] * 4)],
)  # fmt: skip
def test_cards_that_lack_what_is_asked(key: str, value: Any, store: Store) -> None:
    card, arrays = load(store.path, TAXONOMY)
    changed = {name: item for name, item in {**card, key: value}.items() if item is not None}
    if value == ["en"] * 4:  # only their names are lost
        ask_everything(Store(store.path, changed, arrays))
        return
    with pytest.raises(DataError, match=r"names no languages|embanon ontology verify"):
        ask_everything(Store(store.path, changed, arrays))


def test_wrong_numbers_under_right_checksums_are_named(store: Store, tmp_path: Path) -> None:
    card, arrays = load(store.path, TAXONOMY)
    verify(store.path)
    for name, changed in (
        ("broader.concepts", arrays["broader.concepts"] + np.uint32(5)),
        ("broader.kinds", arrays["broader.kinds"] + np.uint8(100)),
        ("labels.languages", arrays["labels.languages"] + np.uint8(9)),
        ("labels.blob", arrays["labels.blob"] + np.uint8(1)),
        ("concepts.ids", arrays["concepts.ids"] + np.uint8(1)),
        ("concepts.types", arrays["concepts.types"] * np.uint8(0) + np.uint8(9)),
        ("concepts.hashes", arrays["concepts.hashes"][::-1]),
        ("concepts.information", arrays["concepts.information"] + np.float32(np.nan)),
        ("senses.weights", arrays["senses.weights"] - np.float32(1)),
        ("senses.keys", arrays["senses.keys"][::-1]),
    ):
        save(tmp_path / "t", {**arrays, name: changed}, card, TAXONOMY)
        with pytest.raises(DataError, match=rf"does not make sense: {name}\b.*compile it anew"):
            verify(tmp_path / "t")


def test_a_changed_file_is_named(store: Store) -> None:
    path = store.path / "labels.blob.npy"
    path.write_bytes(path.read_bytes()[:-1] + b"!")
    with pytest.raises(DataError, match=r"changed since it was saved: labels\.blob\.npy; restore a copy, or compile"):
        verify(store.path)


@pytest.mark.parametrize("name", ["none", "a\0b", "x" * 300])
def test_no_store(name: str, tmp_path: Path) -> None:
    with pytest.raises(DataError):
        Store.open(tmp_path / name)


def test_a_model_is_no_store(tmp_path: Path) -> None:
    a_model(tmp_path)
    with pytest.raises(DataError, match=r"has no taxonomy\.toml.*embanon ontology build"):
        Store.open(tmp_path / "x")
    save(tmp_path / "y", {"a": np.zeros(3, "u4")}, {"languages": ["en"]}, TAXONOMY)
    with pytest.raises(DataError, match=r"lacks concepts\.hashes\.npy"):
        Store.open(tmp_path / "y")


def test_a_look_up_is_quick(store: Store) -> None:
    def seconds() -> float:
        started = time.process_time()
        for _ in range(1000):
            store.senses("hound", "en")
        return time.process_time() - started

    assert min(seconds() for _ in range(3)) < 0.5


def test_what_two_stores_share(store: Store, tmp_path: Path) -> None:
    other = compiled(
        [Concept("ant"), CAT, Concept("pet", (Label("de", "Haustier"),)), Concept("DOG")], tmp_path, "other"
    )
    shared = store.shared_concepts(other)
    assert {(store.id(here), other.id(there)) for here, there in shared.items()} == {("cat", "cat"), ("pet", "pet")}
    assert other.shared_concepts(store) == {there: here for here, there in shared.items()}
    assert store.shared_concepts(store) == {number: number for number in range(len(store))}
    assert store.shared_concepts(compiled([Concept("ant")], tmp_path, "ant")) == {}
