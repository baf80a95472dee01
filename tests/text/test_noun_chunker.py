"""Noun phrases by a chunk grammar of the user's: what it decides, what it does not, and that all commands follow it."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings, strategies as st
from nltk import redos

from embanon.config.settings import Config, PatternRule, PhraseSettings
from embanon.document import Document
from embanon.errors import ConfigError
from embanon.model.model import Model
from embanon.text.analyzer import load_grammar
from embanon.text.find import find_phrases, text_phrases
from embanon.text.joins import EMPTY_STATISTICS
from embanon.text.noun_chunker import NounChunker

Run = Callable[..., "subprocess.CompletedProcess[str]"]

USUAL = "NP: {<DET>?<ADJ>*<NOUN|PROPN>+}"
WHOLE = "NBAR: {<ADJ>*<NOUN>+}\nPP: {<ADP><DET>?<NBAR>}\nNP: {<NBAR><PP>*}"


def chunked(grammar: str, language: str = "en", *languages: str) -> Config:
    return Config(language=language, phrases=PhraseSettings("en", True, 2.0, "nltk", grammar, "", languages))


def found(text: str, config: Config) -> list[str]:
    return [text[phrase.start : phrase.end] for phrase in find_phrases(Document("x", text), config=config).phrases]


# name: the text, its language, the grammar, the phrases
CASES: dict[str, tuple[str, str, str, list[str]]] = {
    "articles stay outside": ("She saw the old red boat.", "en", USUAL, ["old red boat"]),
    "nouns with what follows": ("The captain of the ship laughed.", "en", WHOLE, ["captain of the ship"]),
    "of verbs": ("The ship sank.", "en", "NP: {<VERB>}", ["sank"]),
    "of nothing that is there": ("The ship sank.", "en", "NP: {<NUM><NUM>}", []),
    "contractions": ("Vimos el barco del puerto.", "es", "NP: {<NOUN><ADP_DET><NOUN>}", ["barco del puerto"]),
    "around a date": ("The crew of 5 June 2003 laughed.", "en", "NP: {<NOUN><ADP><NUM>}", ["crew", "5 June 2003"]),
    "a role within": ("She met the Swedish author.", "en", USUAL, ["Swedish author"]),
    "a title stays": ("He wrote «The Old House» at sea.", "en", "NP: {<NOUN>}", ["The Old House", "sea"]),
    "identifiers stay": ("Old mail to ada@example.org came.", "en", USUAL, ["Old mail", "ada@example.org"]),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_phrases(name: str) -> None:
    text, language, grammar, phrases = CASES[name]
    assert found(text, chunked(grammar, language)) == phrases


def test_patterns_of_the_user_go_over_chunks() -> None:
    rule = PatternRule(name="mill", type="LOC", words=("old mill",))
    config = chunked("NP: {<ADJ>*<NOUN>+}")
    text = "She bought the big old mill."
    assert found(text, config) == ["big old mill"]
    with_rule = Config(language="en", phrases=config.phrases, patterns=(rule,))
    assert "old mill" in found(text, with_rule)


def test_a_grammar_for_a_language_leaves_others_alone() -> None:
    text = "The captain of the ship laughed."
    assert found(text, chunked(WHOLE, "en", "es")) == found(text, Config(language="en")) != [text[4:23]]
    assert found(text, chunked(WHOLE, "en", "es", "en")) == [text[4:23]]


@pytest.mark.filterwarnings("ignore:no tagger")
def test_a_language_that_embanon_has_no_words_of() -> None:
    text = "Ada ha visto Banca di Roma e Compagnia di Genova."
    assert "Banca di Roma" not in found(text, Config(language="it"))
    phrases = found(text, chunked("NP: {<PROPN>+<X>?<PROPN>+}\n{<PROPN>}", "it", "it"))
    assert [phrase for phrase in phrases if " " in phrase] == ["Banca di Roma", "Compagnia di Genova"]


WORDS = st.sampled_from(
    [*"The old New York mill of 5 May 2003 “ ” ( ) . , j@x.org £ % DON'T 🙂".split(), "\n\n", "\ud800"]
)
TEXTS = st.lists(WORDS, max_size=30).map(" ".join) | st.text(max_size=80)


@given(TEXTS, st.sampled_from((USUAL, WHOLE, "NP: {<.*>+}", "NP: {<.*>}\n<.*>{}<.*>")), st.sampled_from(("en", "de")))
@settings(max_examples=120)
def test_spans_are_sorted_apart_and_slice_back(text: str, grammar: str, language: str) -> None:
    last = 0
    for phrase in find_phrases(Document("x", text), config=chunked(grammar, language)).phrases:
        assert last <= phrase.start < phrase.end <= len(text)
        assert phrase.start <= phrase.head_start < phrase.head_end <= phrase.end
        last = phrase.end


def test_a_long_sentence_is_read_in_parts() -> None:
    chunker = NounChunker.from_settings(chunked("NP: {<ADJ>*<NOUN>+}").phrases)
    text = "old mill " * 2000
    phrases = text_phrases(load_grammar("en"), text, EMPTY_STATISTICS, chunker=chunker)
    assert {text[start:end] for start, end in zip(phrases.start, phrases.end, strict=True)} == {"old mill"}
    assert len(phrases) == 2000


def test_a_rule_that_takes_too_long_is_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    """NLTK stops an expression by the clock; what it was about is not said."""
    monkeypatch.setattr(redos, "DEFAULT_TIMEOUT", 0.1)
    with pytest.raises(ConfigError) as caught:
        found("old mill " * 40, chunked("NP: {(<ADJ><NOUN>|<ADJ>|<NOUN>)*<X>}"))
    assert str(caught.value) == (
        "phrases.grammar: took too long for a sentence of 80 words; make its rules simpler"
    )  # fmt: skip


# --- Through the commands ------------------------------------------------------------------------------------------

LETTER = "Ada Berger came from Graz. She praised the engine of the boat. It was green and made a lot of noise."


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, inside: Run) -> Run:
    """Return a function that runs the command in a folder with a letter, a corpus and settings."""
    (tmp_path / "work").mkdir()
    monkeypatch.chdir(tmp_path / "work")
    Path("t.txt").write_text(LETTER)
    Path("c.jsonl").write_text("".join(
        json.dumps({"id": str(n), "who": "Ada Berger", "text": f"{LETTER} She came in {1900 + n}."}) + "\n"
        for n in range(20)
    ))  # fmt: skip
    Path("g.txt").write_text(WHOLE)
    Path("e.toml").write_text('[phrases]\nchunker = "nltk"\ngrammar_file = "g.txt"\n')
    return inside


def test_all_commands_follow(here: Run) -> None:
    whole, with_grammar = "engine of the boat", ("--config", "e.toml")
    small = ("--dimensions", "4", "--epochs", "1", "--threads", "1", "--quiet")
    for folder, options in (("chunked", with_grammar), ("plain", ())):
        assert here("train", "c.jsonl", "-o", folder, *small, *options).returncode == 0
        assert (whole in Model.open(folder).phrases.keys) == bool(options)
    ada = ("t.txt", "--protect", "Ada Berger")
    for options, count in ((with_grammar, 4), ((), 6)):
        row = json.loads(here("score", *ada, "--json", *options).stdout)
        phrases = {LETTER[phrase["start"] : phrase["end"]] for phrase in row["phrases"]}
        assert (whole in phrases) == bool(options)
        assert json.loads(here("report", *ada, "--as", "json", *options).stdout)["phrases"] == count
        masked = here("anonymize", *ada, "--limit", "0.001", "--method", "suppress", *options).stdout
        assert ("praised the ***. " if options else "praised the *** of the ***. ") in masked
