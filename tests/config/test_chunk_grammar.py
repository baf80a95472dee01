"""Chunk grammars of users: what is compiled, and what is said of each mistake, by its line."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from embanon.config.chunk_grammar import MAX_GRAMMAR_LENGTH, compile_chunk_grammar
from embanon.config.load import load
from embanon.errors import ConfigError

Run = Callable[..., "subprocess.CompletedProcess[str]"]

GOOD = {
    "usual": "NP: {<DET>?<ADJ>*<NOUN|PROPN>+}",
    "steps": "NBAR: {<ADJ>*<NOUN>+}\nPP: {<ADP><NBAR>}\nNP: {<NBAR><PP>*}",
    "comments": "# my phrases: names\nNP: {<PROPN>+}  # and <FOO> is none\n\n    # a: b\n    {<NOUN>+}",
    "strip, split, merge": "NP: {<.*>+}\n}<VERB|AUX>+{\n<NOUN>}{<DET>\n<ADJ>{}<NOUN>",
    "contractions": "NP: {<NOUN><ADP_DET><NOUN>}",
    "groups": "NP: {(<ADJ>|<NOUN>)*<(NOUN|PROPN)>}",
    "any tag that begins so": "NP: {<N.*>+}",
}

# name: the grammar, what the message says
BAD = {
    "no rule": ("Geheimnis", "line 1 is no rule of a chunk grammar of NLTK; such as NP: {<ADJ>*"),
    "no stage": ("{<NOUN>}", "line 1 is no rule"),
    "second line": ("NP: {<NOUN>}\n{<NOUN>", "line 2 is no rule"),
    "line behind a comment": ("# names: these\nNP: {<NOUN>}\n\n}<DET>(", "line 4 is no rule"),
    "open group": ("NP: {(<NOUN>}", "line 1 is no rule"),
    "open bracket": ("NP: {<NOUN|}", "line 1 is no rule"),
    "braces in braces": ("NP: {{<NOUN>}}", "line 1 is no rule"),
    "tags of another set": ("NP: {<DT>?<NN.*>+}", "line 1: <DT> is no tag; tags are ADJ ADP ADV AUX"),
    "one of several": ("NP: {<ADJ>}\n{<NOUN|NNS>}", "line 2: <NOUN|NNS> is no tag"),
    "an unknown chunk": ("NP: {<NBAR>}", "<NBAR> is no tag"),
    "no tag between": ("NP: {<>}", "line 1"),
    "another label": ("CHUNK: {<NOUN>}", "has no rule of NP, which says what a phrase is"),
    "a label alone": ("NP:", "has no rule of NP"),
    "rules without tags": ("NP: {}", "has no rule of NP"),
    "too long": ("NP: {<NOUN>}" + " " * MAX_GRAMMAR_LENGTH, "has more than 100,000 characters"),
    "no end of work": ("NP: {<(N|N)*Z>}\n" + "N" * 60 + ": {<NOUN>}", "is no tag"),
}


@pytest.mark.parametrize("grammar", GOOD.values(), ids=GOOD)
def test_grammars_are_compiled_once(grammar: str) -> None:
    assert compile_chunk_grammar(grammar) is compile_chunk_grammar(grammar)


@pytest.mark.parametrize("name", BAD)
def test_mistakes_are_named(name: str) -> None:
    grammar, message = BAD[name]
    with pytest.raises(ConfigError) as caught:
        compile_chunk_grammar(grammar)
    assert str(caught.value).startswith("phrases.grammar: ")
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)
    assert "Geheimnis" not in str(caught.value)


def test_the_line_of_a_long_grammar_is_found_fast() -> None:
    lines = ["NP: {<NOUN>}", *["{<ADJ><NOUN>}"] * 2000]
    lines[1500] = "{<ADJ"
    start = time.process_time()
    with pytest.raises(ConfigError, match="line 1501 is no rule"):
        compile_chunk_grammar("\n".join(lines))
    assert time.process_time() - start < 20


# name: the settings, what the message says
SETTINGS = {
    "no grammar": ('chunker = "nltk"', "phrases.grammar is missing, for chunker"),
    "blank grammar": ('chunker = "nltk"\ngrammar = " "', "phrases.grammar is missing"),
    "no such chunker": ('chunker = "spacy"', "phrases.chunker must be one of embanon, nltk (file "),
    "of no chunker": ('grammar = "NP: {<NOUN>}"', 'grammar is of another chunker; set phrases.chunker = "nltk"'),
    "two grammars": ('chunker = "nltk"\ngrammar = "x"\ngrammar_file = "y"', "are two grammars; keep one"),
    "no file": ('chunker = "nltk"\ngrammar_file = "no.txt"', "no.txt cannot be read"),
    "a bad file": ('chunker = "nltk"\ngrammar_file = "bad.txt"', "bad.txt: line 2 is no rule"),
    "not UTF-8": ('chunker = "nltk"\ngrammar_file = "latin.txt"', "latin.txt, byte 2 is not UTF-8"),
    "a large file": ('chunker = "nltk"\ngrammar_file = "large.txt"', "large.txt is larger than 100,000 bytes"),
    "no language": ('chunker = "nltk"\ngrammar = "NP: {<X>}"\ngrammar_languages = ["English"]', "grammar_languages"),
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "good.txt").write_text("\ufeff# one\nNP: {<NOUN>+}\n", encoding="utf-8")
    (tmp_path / "bad.txt").write_text("NP: {<NOUN>+}\n{<NOUN>\n")
    (tmp_path / "latin.txt").write_bytes("# \xe9".encode("latin-1"))
    (tmp_path / "large.txt").write_text("#" * (MAX_GRAMMAR_LENGTH + 1))
    return tmp_path


@pytest.mark.parametrize("name", SETTINGS)
def test_mistakes_of_settings(name: str, folder: Path, inside: Run) -> None:
    values, message = SETTINGS[name]
    (folder / "e.toml").write_text(f"[phrases]\n{values}\n")
    (folder / "t.txt").write_text("The ship sank.")
    with pytest.raises(ConfigError) as caught:
        load(folder / "e.toml")
    assert message in str(caught.value)
    done = inside("phrases", folder / "t.txt", "--config", folder / "e.toml")
    assert (done.returncode, done.stdout, len(done.stderr.splitlines())) == (2, "", 1)


def test_a_file_is_named_from_where_it_is_named(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir("/")
    (folder / "e.toml").write_text('[phrases]\nchunker = "nltk"\ngrammar_file = "good.txt"\n')
    loaded = load(folder / "e.toml")
    assert loaded.config.phrases.grammar == "# one\nNP: {<NOUN>+}\n"
    assert loaded.origins["phrases.grammar"] == f"file {folder / 'good.txt'}"
    monkeypatch.chdir(folder)
    environment = {"EMBANON_PHRASES_CHUNKER": "nltk", "EMBANON_PHRASES_GRAMMAR_FILE": "good.txt"}
    (folder / "sub").mkdir()
    (folder / "sub" / "e.toml").write_text('language = "en"\n')
    assert load(folder / "sub" / "e.toml", environment=environment).config.phrases.grammar.startswith("# one")


def test_nltk_is_imported_only_for_it() -> None:
    program = (
        "import sys, embanon.text.find as find, embanon.document as document, embanon.measure.sheets\n"
        "from embanon.config import Config\n"
        "find.find_phrases(document.Document('x', 'The ship sank.'), config=Config(language='en'))\n"
        "assert 'nltk' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", program], check=True)
