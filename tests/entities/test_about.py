"""Whom documents are about: the patient and not the doctor, with other names, by rank; and what is no candidate."""

from __future__ import annotations

import json

import pytest

from embanon.config import Config
from embanon.document import Document
from embanon.entities import ProposedEntity, find_candidates, parse_protected, propose_entities
from embanon.entities.about import score_candidates
from embanon.entities.cues import Layout, mention_cues
from embanon.text import find_phrases

DISCHARGE = """\
Riverside Hospital, Ward 3

Discharge summary
Patient: Ada Berger, born 4 July 1962
Consultant: Dr. Ben Kolb

Mrs Berger was admitted with chest pain. She lives alone.

Dr. Ben Kolb
Consultant cardiologist
"""
ARZTBRIEF = """\
Klinikum Nord

Patientin: Ada Berger, geb. 04.07.1962

Sehr geehrter Herr Kollege Kolb,

wir berichten über Frau Berger, die wegen Brustschmerzen aufgenommen wurde.

Mit freundlichen Grüßen
Dr. med. Jens Wolters
Oberarzt
"""
RULING = """\
JUZGADO DE LO SOCIAL N.º 3

Magistrado: D. Luis Ortega Prieto
Demandante: Dña. Carmen Rojas Vidal

La actora, doña Carmen Rojas, trabajó en la empresa desde 2001. Carmen Rojas pide la nulidad del despido.

Fdo. Luis Ortega Prieto
"""
COMPLAINT = """\
Exmos. Senhores,

Comprei no dia 3 de março uma máquina que avariou. O vosso funcionário Rui Tavares disse-me que não tinha arranjo. Quero
o meu dinheiro de volta.

Com os melhores cumprimentos,
Marta Figueira Lopes
NIF 245 118 903
"""
MAIL = """\
From: Ada Berger <ada@example.org>
To: Ben Kolb
Subject: my leave

Hi Ben,

I need to change my leave again. I have an operation on my knee in May, and my doctor wants me off work.

Thanks
Ada
"""
CHAT = """\
kolb_77: hat jemand erfahrung mit der klinik?
ada_b: ja, ich war da wegen meiner ms
ada_b: ich bin 34 und arbeite halbtags
kolb_77: und?
ada_b: ich kann wieder laufen, mein mann war überrascht
"""
REPORT = "KMS annual report\n\nKMS lost two contracts. KMS will close its yard. The company KMS owes its bank much.\n"
MEMO = "CONFIDENTIAL\nProject Heron\n\nProject Heron is our offer. Nobody may say its name. Heron starts in May.\n"


def proposals(text: str, language: str) -> list[ProposedEntity]:
    analysis = find_phrases(Document("", text, language), config=Config())
    return propose_entities(text, analysis.phrases, language)


@pytest.mark.parametrize(
    ("text", "language", "name", "type"),
    [
        pytest.param(DISCHARGE, "en", "Ada Berger", "PERSON", id="patient, not doctor"),
        pytest.param(ARZTBRIEF, "de", "Ada Berger", "PERSON", id="patient, neither writer nor reader"),
        pytest.param(RULING, "es", "Carmen Rojas Vidal", "PERSON", id="applicant, not judge"),
        pytest.param(COMPLAINT, "pt", "Marta Figueira Lopes", "PERSON", id="who signs"),
        pytest.param(MAIL, "en", "Ada Berger", "PERSON", id="sender, not recipient"),
        pytest.param(CHAT, "de", "ada_b", "PERSON", id="user name"),
        pytest.param(REPORT, "en", "KMS", "ORG", id="organization in capitals"),
        pytest.param(MEMO, "en", "Heron", "MISC", id="project"),
    ],
)
def test_first(text: str, language: str, name: str, type: str) -> None:
    first = proposals(text, language)[0]
    assert (first.entity.name, first.entity.type) == (name, type)
    assert all(0 <= start < end <= len(text) for start, end in first.spans)


@pytest.mark.parametrize(
    ("text", "name", "aliases"),
    [
        pytest.param('Patient: Ada "Addie" Berger. Addie is well.', "Ada Berger", {"Addie"}, id="nickname in quotes"),
        pytest.param("Mr Thomas “Tom” Hanley lives alone. Tom is well.", "Thomas Hanley", {"Tom"}, id="curly quotes"),
        pytest.param("Patient: Ada Berger (née Holt), aged 61.", "Ada Berger", {"Holt"}, id="name of birth"),
        pytest.param("Ada Berger lives alone. A. B. was seen in May.", "Ada Berger", {"A. B."}, id="initials"),
        pytest.param("Ada Berger lives alone. A. B. Smith was seen.", "Ada Berger", set(), id="another's initials"),
        pytest.param("Name: BERGER, Ada\nDate of birth: 1962\n", "Ada BERGER", {"BERGER, Ada"}, id="surname first"),
        pytest.param("Mrs Berger met Dr. Kolb. Mrs Ada Berger lives alone.", "Ada Berger", {"Berger"}, id="titles"),
        pytest.param("Ada Berger (niece) is well. A. is well.", "Ada Berger", set(), id="no role, no letter"),
        pytest.param(MEMO, "Heron", {"Project Heron"}, id="project"),
    ],
)
def test_aliases(text: str, name: str, aliases: set[str]) -> None:
    first = proposals(text, "en")[0].entity
    assert first.name == name
    assert aliases <= set(first.aliases)
    assert not {"A. B.", "niece", "A."} - aliases & set(first.aliases)


def test_ranks() -> None:
    """Scores sum to one and fall; an alias of one is not proposed again; whoever is far behind is only mentioned."""
    every = proposals(DISCHARGE, "en")
    scores = [one.score for one in every]
    assert scores == sorted(scores, reverse=True)
    assert sum(scores) == pytest.approx(1)
    assert [one.proposed for one in every][:2] == [True, False]
    assert len({one.entity.name for one in every}) == len(every)


@pytest.mark.parametrize("text", ["", "  \n", "nothing here names anybody", "1234 5678"])
def test_nobody(text: str) -> None:
    assert proposals(text, "en") == []
    assert score_candidates([]) == []


@pytest.mark.parametrize("language", ["en", "fr", "ru"])
def test_any_language(language: str) -> None:
    """Without words for a language, places and counts decide."""
    assert [one.entity.name for one in proposals("Ada Berger\n\nAda Berger. Ada Berger.", language)][:1] == [
        "Ada Berger"
    ]


def test_same_surname() -> None:
    """A surname alone is the nearest whole name's whose gender it may be."""
    text = "Mrs Ada Berger and Mr Ben Berger came. Mr Berger waited. Mrs Berger was seen. Ada slept."
    analysis = find_phrases(Document("", text, "en"), config=Config())
    by_name = {
        one.names[0]: [text[slice(*span)] for span in one.spans]
        for one in find_candidates(text, analysis.phrases, "en")
    }
    assert by_name == {
        "Mrs Ada Berger": ["Mrs Ada Berger", "Mrs Berger", "Ada"], "Mr Ben Berger": ["Mr Ben Berger", "Mr Berger"]
    }  # fmt: skip


def test_cues() -> None:
    layout = Layout.from_text(DISCHARGE, "en")
    patient, doctor = DISCHARGE.index("Ada"), DISCHARGE.rindex("Ben")
    assert {"patient right before", "patient label", "date after"} <= mention_cues(layout, (patient, patient + 10))
    assert {"academic right before", "official below"} <= mention_cues(layout, (doctor, doctor + 8))


def test_long_line() -> None:
    """Many mentions on a line take no longer than on many lines."""
    text = "Dr. Ada Berger met Ben Kolb in Graz. " * 300
    assert {one.entity.name for one in proposals(text, "en")} == {"Ada Berger", "Ben Kolb"}


def test_proposals_are_read() -> None:
    """What `embanon entities` writes is what `--entities` reads."""
    row = json.loads('{"name": "Ada Berger", "aliases": ["A. B."], "type": "PERSON", "rank": 1, "score": 0.98}')
    protected = parse_protected([row], "here")
    assert [(one.name, one.aliases) for one in protected.entities] == [("Ada Berger", ("A. B.",))]


def test_secret() -> None:
    """Nothing of a text is in a repr."""
    text = DISCHARGE
    analysis = find_phrases(Document("", text, "en"), config=Config())
    candidates = find_candidates(text, analysis.phrases, "en")
    shown = repr((proposals(text, "en"), candidates, Layout.from_text(text, "en")))
    assert "Berger" not in shown
