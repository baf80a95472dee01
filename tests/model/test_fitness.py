"""Whether a model is fit for a text."""

from __future__ import annotations

from pathlib import Path

import pytest

from embanon.config.settings import Config
from embanon.document import Document
from embanon.model.fitness import MIN_WORDS, Fitness, measure_fitness, unknown_word_share
from embanon.model.model import Model, Step
from embanon.text.find import find_phrases

KNOWN = (
    "Ada Berger wrote about the old mill and the old mill in Paris. In 1900, the secretary of the company praised the "
    "old mill, before the committee met in the hall of the city."
)
FOREIGN = " ".join(f"zor{chr(97 + number)}ax" for number in range(26))


@pytest.fixture(scope="module")
def model(letters: Path) -> Model:
    return Model.open(letters)


def fit(text: str, model: Model, language: str = "en") -> Fitness:
    phrases = find_phrases(Document("x", text, language), config=Config(language=language)).phrases
    found = measure_fitness(text, phrases, language, model)
    assert sum(found.steps) == len(phrases)
    assert len(found.steps) == len(Step)
    return found


def test_a_text_of_the_corpus(model: Model) -> None:
    found = fit(KNOWN, model)
    assert (found.strange, found.problem, found.same >= 1) == (0.0, "", True)
    assert found.steps[Step.EXACT] > 0
    assert (found.language, found.spoken) == ("en", "en")


def test_a_strange_text(model: Model) -> None:
    found = fit(FOREIGN, model)
    assert (found.words, found.strange, found.same) == (26, 1.0, 0)
    assert "does not know 100% of the words; train one" in found.problem
    assert "zor" not in found.problem


def test_another_language(model: Model) -> None:
    assert fit(KNOWN, model, "de").problem == "the model is of en, the text of de"


@pytest.mark.parametrize(
    ("words", "strange", "language", "problem"),
    [
        (MIN_WORDS, 0.26, "en", True),
        (MIN_WORDS - 1, 1.0, "en", False),
        (MIN_WORDS, 0.25, "en", False),
        (0, 0.0, "", False),
    ],
)
def test_what_is_a_problem(words: int, strange: float, language: str, problem: bool) -> None:
    assert bool(Fitness(words, strange, (), language, "en", 0).problem) == problem


@pytest.mark.parametrize(
    ("text", "expected"),
    [("", (0, 0.0)), ("1994 2b 🙂 ?!", (0, 0.0)), ("the garden", (2, 0.0)), ("The THE Zorzz, the", (2, 0.5))],
)
def test_strange_words_are_counted_once(text: str, expected: tuple[int, float], model: Model) -> None:
    assert unknown_word_share(text, model) == expected


@pytest.mark.parametrize("text", ["", "\n\n", "🙂", "قال سعاد نعم", "e\u0301 \u0301"])
def test_odd_texts(text: str, model: Model) -> None:
    assert fit(text, model).same == 0
