from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from embanon.config.settings import Config, DenyRule
from embanon.document import Document
from embanon.entities.entity import Entity
from embanon.text.corrections import correct_kinds
from embanon.text.find import find_all, find_phrases
from tests.anonymized import judge, masker

CASES = [
    ("She was in the films Titanic (1997), Nancy Drew and Blade (1998).", "Nancy Drew", "MISC.work"),
    ("He starred in films such as Zebra, Profiler and Ada Berger.", "Ada Berger", "PERSON.full-name"),
    ("He was praised for a revival of Equus.", "Equus", "MISC.work"),
    ("He was seen in the film Suicide Squad.", "Suicide Squad", "MISC.work"),
    ("The film Ada Berger made was long.", "Ada Berger", "PERSON.full-name"),
    ("She won the prize for Best Actress in Bergen.", "Best Actress", "MISC.award"),
    ("He played for the Kemptville Royals in 1947.", "Kemptville Royals", "ORG.organization"),
    ("He met Ada Berger in Oslo.", "Ada Berger", "PERSON.full-name"),
    ("He praised Zorblax Quonk in Oslo.", "Zorblax Quonk", "PERSON.name"),
    ("He met Zorblax Quonk in Oslo.", "Zorblax Quonk", "PERSON.full-name"),
    ("Ada Berger and Zorblax Quonk left.", "Zorblax Quonk", "PERSON.full-name"),
    ("He wrote to J. K. Quonk.", "J. K. Quonk", "PERSON.full-name"),
]


ENGLISH = Config(language="en")


def kinds(text: str, config: Config = ENGLISH) -> dict[str, str]:
    found = find_phrases(Document("x", text), config=config).phrases
    return {text[one.start : one.end]: one.kind for one in found}


@pytest.mark.parametrize(("text", "name", "expected"), CASES, ids=[name + " " + kind for _, name, kind in CASES])
def test_what_stands_beside_a_name_says_what_it_is(text: str, name: str, expected: str) -> None:
    assert kinds(text)[name] == expected


def test_what_the_user_names_stays_what_it_is() -> None:
    text = "He was seen in the film Suicide Squad."
    assert kinds(text)["Suicide Squad"] == "MISC.work"
    denied = replace(ENGLISH, deny=(DenyRule("ORG", words=("Suicide Squad",)),))
    assert kinds(text, denied)["Suicide Squad"] == "ORG"


def test_who_is_protected_is_what_they_are_said_to_be() -> None:
    text = "He was seen in the film Suicide Squad. Zorblax Quonk left Oslo."
    for type in ("PERSON", "ORG"):
        found = judge(text, [Entity("Suicide Squad", type=type), Entity("Zorblax Quonk", type=type)]).scored.phrases
        types = {text[one.start : one.end]: one.type for one in found}
        assert types["Suicide Squad"] == types["Zorblax Quonk"] == type


def test_other_languages_keep_what_they_have() -> None:
    text = "Er sah den Film Suicide Squad."
    phrases = find_phrases(Document("x", text), config=Config(language="de")).phrases
    assert correct_kinds(text, phrases, np.zeros(len(phrases), bool), np.zeros(1, np.int64), "de") is phrases


def test_documents_that_are_read_together_do_not_tell_of_each_other() -> None:
    texts = ["He was seen in the film Quonk.", "He met Quonk in Oslo.", " Quonk and Ada Berger left."]
    together = find_all([Document(str(number), text, "en") for number, text in enumerate(texts)], config=ENGLISH)
    found = [[phrase.kind for phrase in one.phrases] for one in together]
    assert found == [list(kinds(text).values()) for text in texts]


@pytest.mark.parametrize("method", ["generalize", "tag"])
def test_the_type_is_the_same_from_phrases_to_edits(method: str) -> None:
    text = "Zorblax Quonk praised Blim Krant, the Velvet Frond and Torland. See no. 31 in the film Suicide Squad."
    types = {one.start: one.type for one in find_phrases(Document("x", text), config=ENGLISH).phrases}
    judged = judge(text, ["Cora Tolland"])
    assert {one.start: one.type for one in judged.scored.phrases} == types
    edits = masker(0.05, method).plan_edits(text, judged.scored, [0], judged.protected.entities)
    assert edits
    assert {edit.end: edit.type for edit in edits}.items() <= {
        one.end: one.type for one in judged.scored.phrases
    }.items()
