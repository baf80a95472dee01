"""What articles about people say of sentences: rare words that both have."""

from __future__ import annotations

import numpy as np
import pytest

from embanon.config.settings import Config
from embanon.document import Document
from embanon.entities.entity import Entity
from embanon.entities.present import PresentEntity, find_present_entities
from embanon.language.frequencies import Frequencies
from embanon.risk.attribution import MAX_EVIDENCE, attribute, sample_overlap
from embanon.risk.power import LanguageRarity
from embanon.text.find import find_phrases

FREQUENCIES = Frequencies.load("en")
assert FREQUENCIES is not None
RARITY = LanguageRarity(FREQUENCIES)
TEXT = "Ada Berger and Orrin Tolland met. He built an astrolabe. Then came a zither. The end was as it was."
SENTENCES = np.array([TEXT.index(word) for word in ("Ada", "He", "Then", "The end")])
ADA = Entity("Ada Berger", samples=("Berger restored a zither and a zzzqx.",))
ORRIN = Entity("Orrin Tolland", samples=("Tolland sold", "an Astrolabe"))


def look(protect: list[Entity], text: str = TEXT, extra: int = 0) -> np.ndarray:
    people = [PresentEntity(n, frozenset(one.name.lower().split()), ((0, 1),)) for n, one in enumerate(protect)]
    people += [PresentEntity(-1, frozenset(("x",)), ((0, 1),))] * extra
    return sample_overlap(text, people, protect, SENTENCES, RARITY)


def test_an_article_about_each_decides() -> None:
    found = look([ADA, ORRIN])
    assert found[1, 1] > 0 > found[1, 0]
    assert found[2, 0] > 0 > found[2, 1]
    assert not found[3].any()  # frequent words say nothing
    assert not found[0].any()  # nor do their names
    np.testing.assert_allclose(found.sum(axis=1), 0, atol=1e-12)


def test_one_article_speaks_for_its_own() -> None:
    found = look([ADA], extra=1)
    assert (found[2] * [1, -1] > 0).all()
    assert not found[1].any()


def test_nothing_given_says_nothing() -> None:
    assert not look([Entity("Ada Berger"), Entity("Orrin Tolland", samples=("", "?!"))]).any()
    assert look([]).shape == (4, 0)
    assert not sample_overlap("", [], [ADA], np.zeros(1, np.int64), RARITY).size


def test_words_that_nobody_knows_are_rare_and_no_sentence_is_certain() -> None:
    words = " ".join(f"zz{letter}q" for letter in "abcdefghijklmnopqrstu")
    found = look([Entity("Ada Berger", samples=(words,)), ORRIN], f"{TEXT} {words}")
    assert found[3].tolist() == [MAX_EVIDENCE, -MAX_EVIDENCE]


@pytest.mark.parametrize(("article", "owner"), [("an astrolabe of brass", 0), ("", 1)])
def test_it_turns_whom_a_sentence_is_about(article: str, owner: int) -> None:
    text = "Peter Berger was a poet. He wrote. Peter Tolland was a smith. He built an astrolabe."
    analysis = find_phrases(Document("x", text), config=Config(language="en"))
    protect = [Entity("Peter Berger", samples=(article,)), Entity("Peter Tolland")]
    people = find_present_entities(text, analysis.phrases, protect, "en")
    more = 20 * sample_overlap(text, people, protect, analysis.sentences, RARITY)
    found = attribute(text, analysis.phrases, people, analysis.sentences, "en", more=more)
    assert found.shares[-1].argmax() == owner
