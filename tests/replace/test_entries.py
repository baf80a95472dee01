"""One's own taxonomy wins: a table of 20 rows for each of eight types in four languages, through `anonymize`."""

from __future__ import annotations

import csv
import json
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import embanon as library
from embanon.anonymizer import Anonymized, Anonymizer, rules_for
from embanon.cli.main import main
from embanon.config.settings import AnonymizeSettings, Config, ScoreSettings
from embanon.document import TYPES, Document, Floats, Phrases
from embanon.entities.entity import Entity
from embanon.model import Model, open_model
from embanon.replace.checks import LabelRisk
from embanon.replace.edit import Edit
from embanon.risk import LabelRarity, scorers
from embanon.risk.power import PhrasePowers
from embanon.risk.scorers import Names, PhraseRisks
from tests.conftest import Run

CASES = tomllib.loads((Path(__file__).parents[1] / "cases" / "own.toml").read_text(encoding="utf-8"))
LANGUAGES = ("en", "es", "pt", "de")
ADA = Entity("Ada Berger", ("the nurse",))
ENDINGS = 3
"""Letters at the end of a word that its case may change: einem Lieferanten."""


@dataclass(frozen=True)
class Cell:
    """A row in a sentence."""

    type: str
    phrase: str
    rungs: tuple[str, ...]
    text: str

    def edits_of(self, result: Anonymized) -> list[Edit]:
        start = self.text.index(self.phrase)
        return [edit for edit in result.edits if edit.start < start + len(self.phrase) and edit.end > start]

    def is_rung(self, replacement: str, place: int) -> bool:
        """Return whether a replacement is a rung of the row, but for its article and the ending of its case."""
        rung, words = self.rungs[place].split(" ", 1)[1], replacement.split()
        return len(words) <= len(self.rungs[place].split()) and all(
            any(stem(word) in shown for shown in words) for word in rung.split()
        )


def stem(word: str) -> str:
    return word[: max(3, len(word) - ENDINGS)]


@cache
def cells(language: str) -> tuple[Cell, ...]:
    """Return each row of the tables of a language in one of the sentences of its type, in turn."""
    made = []
    for type, case in CASES[language].items():
        phrases, labels, sentences = (case[name].split("|") for name in ("phrases", "labels", "sentences"))
        for place, phrase in enumerate(phrases):
            rungs = labels[place % len(labels)], case["above"]
            made.append(Cell(type, phrase, rungs, sentences[place % len(sentences)].format(phrase)))
    return tuple(made)


def build(folder: Path, name: str, rows: Sequence[Sequence[str]]) -> str:
    """Compile a table by the command line, and return its store."""
    with (folder / f"{name}.csv").open("w", encoding="utf-8", newline="") as table:
        csv.writer(table).writerows(rows)
    assert main(["ontology", "build", str(folder / f"{name}.csv"), "-o", str(folder / name)]) == 0
    return str(folder / name)


@pytest.fixture(scope="module")
def stores(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[str, ...]]:
    """Return the stores of each language, one of each type."""
    folder = tmp_path_factory.mktemp("tables")
    return {
        language: tuple(
            build(
                folder, f"{language}-{type}", [(one.phrase, *one.rungs) for one in cells(language) if one.type == type]
            )
            for type in CASES[language]
        )
        for language in LANGUAGES
    }


def anonymized(anonymizer: Anonymizer, language: str, protect: Any = "everyone") -> Iterator[tuple[Cell, Anonymized]]:
    documents = [Document(str(number), cell.text, language) for number, cell in enumerate(cells(language))]
    rules = rules_for(protect)
    return zip(cells(language), anonymizer.anonymize_all(documents, rules), strict=True)


def test_tables_are_whole() -> None:
    assert set(CASES) == set(LANGUAGES)
    for language in LANGUAGES:
        assert set(CASES[language]) == set(TYPES)
        assert len(cells(language)) == len({cell.phrase for cell in cells(language)}) == 20 * len(TYPES)


class AllRisky:
    """A scorer for whom all phrases are risky, and no label is."""

    def score_phrases(self, text: str, phrases: Phrases, powers: PhrasePowers, names: Names) -> PhraseRisks:
        nobody = np.zeros(len(phrases), np.int64)
        return PhraseRisks(np.ones(len(phrases)), nobody, nobody)

    def score_labels(self, labels: Sequence[str], around: tuple[str, str], names: Names) -> Floats:
        return np.zeros(len(labels))


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_is_replaced_is_the_first_rung_of_the_row(
    monkeypatch: pytest.MonkeyPatch, stores: dict[str, tuple[str, ...]], language: str
) -> None:
    """All 160 rows of a language, where every phrase is replaced."""
    monkeypatch.setitem(scorers.OPENERS, "cosine", lambda settings, model: AllRisky())
    config = Config(language=language, score=ScoreSettings(scorer="cosine"))
    wrong = [
        (cell.text, result.text) for cell, result in anonymized(Anonymizer(config, None, stores[language]), language)
        if len(edits := cell.edits_of(result)) != 1 or not cell.is_rung(edits[0].replacement, 0)
        or cell.phrase in result.text
    ]  # fmt: skip
    assert wrong == []


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("limit", [0.5, 0.2])
def test_by_risk_it_is_the_first_rung_below_the_limit(
    stores: dict[str, tuple[str, ...]], language: str, limit: float
) -> None:
    """Where none is below, it is no rung of the row; what is replaced is said of enough of them to count."""
    anonymizer = library.load(language=language, stores=stores[language], limit=limit)
    replaced, wrong = 0, []
    for cell, result in anonymized(anonymizer, language):
        below = [place for place, rung in enumerate(cell.rungs) if label_risk(language).risk(rung) < limit]
        for edit in cell.edits_of(result):
            replaced += 1
            chosen = [place for place in range(2) if cell.is_rung(edit.replacement, place)]
            if chosen[:1] != below[:1] or edit.replacement_risk >= limit:
                wrong.append((cell.text, result.text, below))
    assert wrong == []
    assert replaced >= 100


@cache
def label_risk(language: str) -> LabelRisk:
    scored = library.load(language=language).score("x", "everyone")
    return LabelRisk(LabelRarity(scored.rarity, language), scored.limits)


@pytest.fixture(scope="module")
def model() -> Model:
    return open_model("default")


@pytest.mark.parametrize("language", ["en", "es"])
@pytest.mark.parametrize("limit", [0.25, 0.4])
def test_by_cosine_it_is_the_first_rung_below_the_limit(
    model: Model, stores: dict[str, tuple[str, ...]], language: str, limit: float
) -> None:
    """What the model does not know as it would stand there is refused; the same quantity says so before and after."""
    config = Config(language=language, score=ScoreSettings(scorer="cosine", limit=limit))
    chosen_rungs, wrong = 0, []
    for cell, result in anonymized(Anonymizer(config, model, stores[language]), language, [ADA]):
        for edit in cell.edits_of(result):
            chosen = [place for place in range(2) if cell.is_rung(edit.replacement, place)]
            chosen_rungs += bool(chosen)
            forms = [[rung, rung.split(" ", 1)[1]] for rung in cell.rungs]
            below = [place for place, form in enumerate(forms) if is_below(model, form, limit)]
            if edit.replacement_risk >= limit or (below and (not chosen or chosen[0] > below[0])):
                wrong.append((cell.text, result.text, below))
    assert wrong == []
    assert chosen_rungs >= 40


def is_below(model: Model, forms: Sequence[str], limit: float) -> bool:
    """Return whether all that a rung may stand as is known, and below the limit for all names."""
    values = np.array([model.similarity(name, forms)[0] for name in ADA.names])
    known = np.nanmax(np.where(np.isnan(values), -1.0, values), axis=0)
    return bool((known > -1).all() and (known < limit).all())


PIECES = st.sampled_from(
    [*(cell.phrase for cell in cells("en")[::4]), "Ada Berger", "the nurse", "of", "in the", "and her", ".", ",", "\n",
     "old", "wrote", "Later", "'s", "("]
)  # fmt: skip


@given(st.lists(PIECES, max_size=16).map(" ".join), st.sampled_from([0.05, 0.15, 0.25, 0.5]), st.booleans())
@settings(max_examples=60)
def test_no_rung_of_ones_own_is_at_or_above_the_limit(
    model: Model, stores: dict[str, tuple[str, ...]], text: str, limit: float, by_cosine: bool
) -> None:
    config = Config(language="en", score=ScoreSettings(scorer="cosine" if by_cosine else "risk", limit=limit))
    (result,) = Anonymizer(config, model, stores["en"]).anonymize_all([text], rules_for([ADA]))
    for edit in result.edits:
        rung = edit.ladder.harmless[edit.rung_index] if edit.rung_index >= 0 else None
        assert edit.replacement_risk < limit or not (by_cosine or (rung and rung.is_own))
    assert library.load(language="en").restore(result.text, result.solutions).text == text


PORTO = [("Porto", "Portugal", "Europe"), ("Graz", "Austria", "Europe")]


def test_the_table_of_the_readme(embanon: Run, tmp_path: Path) -> None:
    store = build(tmp_path, "towns", PORTO)
    text = b"Ada Berger moved from Graz to Porto in 2019. She liked Porto."
    done = embanon("anonymize", "-", "--protect", "Ada Berger", "--store", store, stdin=text)
    assert done.stdout.startswith("Person 1 moved from Austria to Portugal ")
    assert "She liked Portugal" in done.stdout
    lower = embanon("anonymize", "-", "--protect", "Ada Berger", "--store", store, "--limit", "0.2", stdin=text)
    assert "to Europe" in lower.stdout  # Portugal is at .224


def test_the_order_of_stores_is_that_of_the_options(embanon: Run, tmp_path: Path) -> None:
    first, second = build(tmp_path, "a", [("Porto", "a harbor")]), build(tmp_path, "b", [("Porto", "a customer site")])
    for order in ((first, second), (second, first), (first, "places"), ("places", second)):
        words = [word for store in order for word in ("--store", store)]
        done = embanon("anonymize", "-", "--protect", "Ada", *words, stdin=b"Ada went to Porto.")
        expected = next(label for store, label in ((first, "harbor"), (second, "customer site")) if store in order)
        expected = "customer site" if order[0] == second else expected
        assert expected in done.stdout, order


def test_settings_name_stores_relative_to_their_file(embanon: Run, tmp_path: Path) -> None:
    build(tmp_path, "towns", PORTO)
    (tmp_path / "embanon.toml").write_text('[anonymize]\nstores = ["towns", "wordnet"]\n')
    done = embanon("anonymize", "-", "--protect", "Ada", "--config", tmp_path / "embanon.toml",
                   stdin=b"Ada went to Porto.")  # fmt: skip
    assert "to Portugal" in done.stdout


RDF = """
@prefix skos: <http://www.w3.org/2004/02/skos/core#> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix owl: <http://www.w3.org/2002/07/owl#> . @prefix : <http://example.org/> .
"""
SKOS = ':{0} a skos:Concept; skos:prefLabel "{1}"@en; skos:broader :{0}x . :{0}x skos:prefLabel "{2}"@en .\n'
OWL = ':{0} a owl:Class; rdfs:label "{1}"@en; rdfs:subClassOf :{0}x . :{0}x a owl:Class; rdfs:label "{2}"@en .\n'
PLAIN = ':{0} rdfs:label "{1}"; rdfs:subClassOf :{0}x . :{0}x rdfs:label "{2}" .\n'
NAMED = [
    ("a", "Larkspur Hall", "our southern site"),
    ("b", "Tallis & Sons", "a supplier"),
    ("c", "Tom Hollis", "a nurse"),
]


@pytest.mark.parametrize("form", [SKOS, OWL, PLAIN], ids=["skos", "owl", "rdf"])
def test_concepts_without_types_hold_for_places_organizations_and_persons(tmp_path: Path, form: str) -> None:
    (tmp_path / "own.ttl").write_text(RDF + "".join(form.format(*row) for row in NAMED))
    assert main(["ontology", "build", str(tmp_path / "own.ttl"), "-o", str(tmp_path / "own")]) == 0
    anonymizer = library.load(stores=[str(tmp_path / "own"), "wordnet", "places"], language="en")
    text = "Tom Hollis works for Tallis & Sons near Larkspur Hall in Graz."
    assert anonymizer.anonymize(text, "everyone").text.startswith("A nurse works for a supplier near our southern site")


TERMS = {
    "a name with a time behind it": ("en", "The paper praised Night Ferry last week.", "praised a product last "),
    "an amount with a day behind it": ("es", "El perito midió 4.812 litros aquel día.", "midió un valor aquel "),
    "two phrases are one": ("es", "El perito midió 275 caballos aquel día.", "midió un valor aquel "),
    "a name within a longer name": ("en", "She studied at the University of Porto.", "studied at a university."),
    "a name before a longer name": ("en", "She wrote to Porto Editora.", "wrote to ["),
    "a place behind a name": ("en", "He works near Larkspur Hall in Graz.", "near our site in Austria."),
    "a determiner of its own": ("de", "Er wohnt im Larkspurheim.", "wohnt in unserem Standort."),
    "another's determiner": ("es", "Vive en el Palacio Larkspur.", "Vive en nuestra sede."),
    "a number before": ("en", "The Tallis Hall is his.", "One of our sites is his."),
    "a code that is called a number": ("en", "It was marked KX-2031-B on both sides.", "marked a number on both "),
    "a month is no verb": ("en", "They may come to Porto.", "They may come to Portugal."),
}  # fmt: skip


@pytest.mark.parametrize("case", TERMS)
def test_where_an_entry_stands(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, case: str) -> None:
    monkeypatch.setitem(scorers.OPENERS, "cosine", lambda settings, model: AllRisky())
    rows = [("Night Ferry", "a product"), ("4.812 litros", "un valor"), ("275 caballos", "un valor"), *PORTO,
            ("May", "a month"), ("Larkspur Hall", "our site"), ("Larkspurheim", "unser Standort"),
            ("Palacio Larkspur", "nuestra sede"), ("Tallis Hall", "one of our sites"),
            ("KX-2031-B", "a number")]  # fmt: skip
    language, text, expected = TERMS[case]
    config = Config(language=language, score=ScoreSettings(scorer="cosine"))
    anonymizer = Anonymizer(config, None, (build(tmp_path, "own", rows), "wordnet", "places"))
    (result,) = anonymizer.anonymize_all([Document("1", text, language)], rules_for("everyone"))
    assert expected in result.text


def test_who_is_refused_a_rung_keeps_a_number_of_their_own(model: Model, tmp_path: Path) -> None:
    store = build(tmp_path, "own", [("Tom Hollis", "a teacher"), ("Lucy Adeyemi", "a nurse", "a person")])
    config = Config(language="en", score=ScoreSettings(scorer="cosine", limit=0.35))
    text = "Tom Hollis met Lucy Adeyemi and Ben Marsk. Tom slept."
    (result,) = Anonymizer(config, model, (store,)).anonymize_all([text], rules_for([ADA]))
    assert result.text.startswith("Person 1 met a person and")
    assert "Person 1 slept" in result.text
    cautions = " ".join(result.report.cautions)
    assert "2 of " in cautions
    assert "no rung of your own taxonomy: none there is known to be below the limit" in cautions


def test_what_is_protected_is_no_rung(tmp_path: Path) -> None:
    store = build(tmp_path, "own", [("Larkspur Hall", "Ada Berger's house", "a house")])
    result = library.load(stores=[store], language="en").anonymize("Ada Berger lives in Larkspur Hall.", ["Ada Berger"])
    assert "Berger" not in result.text
    assert "a house" in result.text


def test_other_methods_do_not_ask_the_table(tmp_path: Path) -> None:
    store = build(tmp_path, "own", PORTO)
    config = Config(language="en", anonymize=AnonymizeSettings(method="tag"))
    assert "Portugal" not in Anonymizer(config, None, (store,)).anonymize("Ada went to Porto.", ["Ada"]).text


def test_the_report_says_whose_rung_it_is(embanon: Run, tmp_path: Path) -> None:
    store = build(tmp_path, "towns", PORTO)
    done = embanon("report", "-", "--as", "json", "--protect", "Ada", "--store", store, stdin=b"Ada went to Porto.")
    rows = json.loads(done.stdout)["edits"]
    assert [row["source"] for row in rows if "Portugal" in row["replacement"]] == ["towns"]
