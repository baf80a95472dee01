"""The noun that a description is built on: nothing of what tells is left, and nothing false is said."""

from __future__ import annotations

import pytest

from embanon.taxonomy import climber

CASES = {
    "en": {
        "lineman killed on the bridge in a storm": "lineman",
        "first woman to chair the club": "woman",
        "draper's assistant from Velland": "assistant",
        "only school on the island": "school",
        "former keeper of the light": "keeper",
        "deputy mayor of the town": "deputy mayor",
        "seven daughters, all keepers": "seven daughters",
        "co-founder of a bank": "co-founder",
        "stopped the wagon off that boy": "",
        "played bass on a record": "",
        "": "",
        "🙂 of the": "",
    },
    "es": {
        "primera mujer que ha arbitrado una final": "mujer",
        "mejores alumnas en treinta años": "alumnas",
        "dirigió como juez la final": "",
        "únicos en la comarca": "",
        "presunto ladrón de la iglesia": "",
    },
    "pt": {
        "única mulher a chefiar um turno": "mulher",
        "neto do antigo presidente da Câmara": "neto",
        "receitas de açordas": "receitas",
        "ganhou a final do concurso": "",
    },
    "de": {
        "einzige Frau in der Schicht": "Frau",
        "letzte Karre vom Band gefahren, die silberne": "Karre",
        "Foto mit dem Aufkleber": "Foto",
        "ehemalige Trainerin des Vereins": "",
        "„Rungholt“ unter Segeln durch den Kanal fuhr": "",
        "Klausnitzer, Justizbeschäftigte": "",
    },
}


@pytest.mark.parametrize(
    ("language", "phrase", "head"),
    [(language, phrase, head) for language, cases in CASES.items() for phrase, head in cases.items()],
)
def test_the_noun_of_a_description(language: str, phrase: str, head: str) -> None:
    assert climber(language=language).head_of(phrase, "MISC", is_clause=True)[0] == head


def test_who_no_longer_is_one_is_said_to_have_been_one() -> None:
    labels = [
        rung.label for rung in climber(language="pt").climb_from_head("antigo padeiro da vila", "DEM", is_clause=True)
    ]
    assert labels
    assert all(label.startswith("antigo ") for label in labels)
