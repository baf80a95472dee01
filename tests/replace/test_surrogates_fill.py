"""Filling by a model: the nearest neighbor that is of the same kind, harmless, and not too near."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from embanon.config.settings import RiskLimits
from embanon.document import Phrase
from embanon.model.shipped import open_model
from embanon.replace.checks import ForbiddenWords, LabelRisk
from embanon.replace.edit import Edit
from embanon.replace.methods import Methods
from embanon.replace.plan import Replacer
from embanon.replace.rewrite import restore, rewrite
from embanon.replace.surrogates import SubstituteRegistry
from embanon.replace.surrogates.fill import FIRST_RARE_RANK, GapFiller
from embanon.risk.power import CorpusRarity
from embanon.risk.score import rarity_of
from embanon.taxonomy.climb import climber
from tests.anonymized import judge

TEXT = "Ada Berger, a violinist from Chicago, studied at Harvard University with two lawyers. She saw Titanic in 1997."
MODEL = open_model("default")
FILL = Methods("fill", neighbors=MODEL.neighbors)


def edits(text: str = TEXT, limit: float = 0.5) -> list[Edit]:
    judged = judge(text)
    mask = Replacer(climber(), CorpusRarity(MODEL), RiskLimits(limit), FILL)
    return mask.plan_edits(text, judged.scored, judged.analysis.sentences.tolist(), judged.protected.entities)


def fill(near: Sequence[str], limit: float = 0.9, text: str = "", words: frozenset[str] = frozenset()) -> GapFiller:
    forbidden = ForbiddenWords(words, ())
    neighbors = [(one, 0.9) for one in near]
    harmless = LabelRisk(rarity_of(None, "en"), RiskLimits(limit))
    return GapFiller(
        lambda phrase, count: neighbors[:count], climber(), harmless, forbidden, SubstituteRegistry(text, forbidden)
    )


def phrase(type: str, kind: str, form: str = "name") -> Phrase:
    return Phrase(0, 1, type, f"{type}.{kind}", form, 0, 1, 0)


CITY, ROLE, COMPANY = phrase("LOC", "city"), phrase("DEM", "role", "common"), phrase("ORG", "organization")
NATIONALITY = phrase("DEM", "nationality", "common")
MANY = ["of the"] * (FIRST_RARE_RANK - 1)

CASES = [
    ("nearer than the twentieth, and more frequent", "Bergen", CITY, ["paris"], "Paris"),
    ("nearer than the twentieth, and rarer", "Paris", CITY, ["bergen"], None),
    ("from the twentieth on, and about as rare", "London", CITY, [*MANY, "paris"], "Paris"),
    ("from the twentieth on, and rarer", "Paris", CITY, [*MANY, "bergen"], None),
    ("the nearest that is safe", "Bergen", CITY, ["table", "oslo", "london", "paris"], "Oslo"),
    ("of another type", "Bergen", CITY, ["music", "norwegian", "actor"], None),
    ("a word of the original", "North Bergen", CITY, ["bergen", "north carolina"], None),
    ("another name of the same", "Greater London", CITY, ["london"], None),
    ("of another kind", "oboist", ROLE, ["uncle", "diabetes", "london"], None),
    ("in the plural", "oboists", ROLE, ["actor", "actors"], "actors"),
    ("in the singular", "oboist", ROLE, ["actors", "actor"], "actor"),
    ("no name", "Velland Bank", COMPANY, ["university", "hotel"], None),
    ("a name", "Velland Bank", COMPANY, ["city university"], "City University"),
    ("a person", "Ada Berger", phrase("PERSON", "full-name"), ["john smith"], None),
    ("a date", "1997", phrase("DATETIME", "year"), ["1998"], None),
    ("a code", "4711", phrase("CODE", "code"), ["4712"], None),
    ("with a capital", "Norwegian", NATIONALITY, [*MANY, "british"], "British"),
    ("with a word that belongs elsewhere", "Velland Bank", COMPANY, ["my university", "our bank"], None),
    ("of another language", "Bergen", CITY, ["nach berlin", "oslo"], "Oslo"),
    ("no neighbors", "Bergen", CITY, [], None),
]  # fmt: skip


@pytest.mark.parametrize(
    ("written", "of", "near", "wanted"), [case[1:] for case in CASES], ids=[case[0] for case in CASES]
)
def test_neighbors(written: str, of: Phrase, near: list[str], wanted: str | None) -> None:
    assert fill(near).neighbor_for(written, of) == wanted


def test_what_is_not_harmless() -> None:
    assert fill(["paris"], limit=0.01).neighbor_for("Bergen", CITY) is None
    assert fill(["paris"], words=frozenset(("paris",))).neighbor_for("Bergen", CITY) is None
    assert fill(["paris"], text="She saw Paris.").neighbor_for("Bergen", CITY) is None


def test_two_originals_have_two_fills() -> None:
    some = fill(["oslo", "paris"])
    assert [some.neighbor_for(one, CITY) for one in ("Bergen", "Molde", "BERGEN")] == ["Oslo", "Paris", "Oslo"]


def test_a_text() -> None:
    found = edits()
    new, solutions = rewrite("x", TEXT, found)
    assert restore("x", new, solutions).text == TEXT
    assert "fill" in {edit.rung for edit in found}
    assert found == edits()
    for edit in found:
        assert TEXT[edit.start : edit.end].lower() not in edit.replacement.lower()
        if edit.rung == "fill":
            assert edit.replacement_risk < 0.5
            assert edit.type in ("LOC", "ORG", "DEM", "MISC")
    assert new.startswith("Person 1")


def test_nothing_is_filled_where_nothing_is_safe() -> None:
    assert "fill" not in {edit.rung for edit in edits(limit=0.001)}
