"""Why a phrase is risky: values of the contract, and a table of sentences."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from embanon.config.settings import Config
from embanon.document import FORMS, Document
from embanon.entities.entity import Entity
from embanon.model.model import Model
from embanon.risk.explain import describe_reason, explain_phrase
from embanon.risk.score import Scorer
from embanon.text.find import find_phrases

KEYS = [
    "kind", "form", "power", "rarity", "documents", "of", "attribution", "subjects", "inherited", "named", "again",
    "topical",
    "linked", "chance",
]  # fmt: skip
PLAIN: dict[str, Any] = {
    "kind": "DEM.role", "form": "common", "power": 0.5, "rarity": 0.5, "documents": None, "of": None,
    "attribution": 1.0, "subjects": 1, "inherited": False, "named": False, "again": False,
    "topical": False, "linked": False, "chance": None,
}  # fmt: skip


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({}, "not rare in the language at large"),
        ({"power": 0.8, "form": "name"}, "a name tells much, though its words are not rare in the language at large"),
        ({"rarity": 0.95}, "very rare in the language at large"),
        ({"rarity": 0.6}, "rare in the language at large"),
        ({"rarity": 0.1}, "common in the language at large"),
        ({"documents": 1, "of": 19592}, "in 1 of 19,592 documents"),
        ({"documents": 0, "of": 5}, "in 0 of 5 documents"),
        ({"named": True, "subjects": 3}, "names e1; not rare in the language at large"),
        ({"form": "code"}, "a code, which stands for one person or thing"),
        ({"form": "reference"}, "refers to a rule, a page or the like, which anybody may"),
        ({"power": None, "rarity": None}, "nothing is known of any of its words, so it counts as the riskiest"),
        ({"inherited": True}, "not rare in the language at large; stands with a name, date or number"),
        ({"again": True}, "not rare in the language at large; is risky at another place of this text"),
        ({"linked": True}, "not rare in the language at large; leads an attacker with public text to e1"),
        ({"subjects": 2}, "not rare in the language at large; speaks of e1 of 2 here (1.00)"),
        ({"subjects": 2, "attribution": 0.3}, "not rare in the language at large; may speak of e1 of 2 here (0.30)"),
        ({"form": "code", "subjects": 2, "attribution": 0.1},
         "a code, which stands for one person or thing; hardly speaks of e1 of 2 here (0.10)"),
        ({"subjects": 2, "attribution": None}, "not rare in the language at large"),
    ],
)  # fmt: skip
def test_sentences(change: dict[str, Any], expected: str) -> None:
    assert describe_reason(PLAIN | change, "e1") == expected


@pytest.mark.parametrize("protect", [(Entity("Ada Berger"),), ()])
def test_values_of_every_form(protect: tuple[Entity, ...], letters: Path) -> None:
    text = (
        "Dr. Ada Berger, a chemist of Velland, was born on 5 June 1961 under Article 8 and paid £12,500 for two old "
        "mills. Write to ada@example.org. Ben Marsk is an actor. He lived in Torland since 1990."
    )
    found = find_phrases(Document("x", text, "en"), config=Config(language="en"))
    for model in (None, Model.open(letters)):
        scorer = Scorer("en", model)
        scored = scorer.score(text, found.phrases, found.sentences, protect, everyone=not protect)
        for place, one in enumerate(scored.phrases):
            reason = explain_phrase(scored, place, scorer.rarity.documents)
            assert list(reason) == KEYS
            assert (reason["kind"], reason["form"]) == (one.kind, one.form)
            assert reason["form"] in FORMS
            assert (reason["documents"] is None) == (reason["of"] is None) == (model is None)
            assert json.loads(json.dumps(reason, allow_nan=False)) == reason
            said = describe_reason(reason, "e1")
            assert said
            assert not re.search(r"nan|None|Ada|Berger|Velland", said)
