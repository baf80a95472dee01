"""The lemmatizer: which dictionary form a word has, and which words a list of lemmas means."""

from __future__ import annotations

import gzip
import pickle
import time
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, strategies as st

from embanon.data import find_resource
from embanon.errors import DataError
from embanon.language.lemmas import TAGGED_LANGUAGES, LemmaRule, LemmaTable, Lemmatizer, SplitWord, fold_word
from embeddings.build.treebank import read_treebank

TAGS = ("", "NOUN", "PROPN", "ADJ", "VERB", "AUX", "ADV", "NUM", "X", "VERB+PRON", "no tag")

FORMS = [
    # language, word, tag, lemma
    ("en", "children", "NOUN", "child"),
    ("en", "Doctors", "", "doctor"),
    ("en", "policemen", "NOUN", "policeman"),
    ("en", "buses", "NOUN", "bus"),
    ("en", "bus", "NOUN", "bus"),
    ("en", "boss", "", "boss"),
    ("en", "saw", "VERB", "see"),
    ("en", "saw", "NOUN", "saw"),
    ("en", "RUNNING", "VERB", "run"),
    ("en", "was", "AUX", "be"),
    ("en", "better", "ADJ", "good"),
    ("en", "James", "PROPN", "james"),
    ("en", "James", "", "james"),
    ("es", "abogadas", "NOUN", "abogado"),
    ("es", "capitanes", "NOUN", "capitán"),
    ("es", "voces", "", "voz"),
    ("es", "rojas", "ADJ", "rojo"),
    ("es", "tuvo", "VERB", "tener"),
    ("es", "acusándola", "VERB+PRON", "acusar"),
    ("es", "Flores", "", "flores"),
    ("es", "flores", "", "flor"),
    ("pt", "corações", "NOUN", "coração"),
    ("pt", "hospitais", "", "hospital"),
    ("pt", "alema\u0303es", "NOUN", "alemão"),
    ("pt", "disse-lhe", "VERB+PRON", "dizer"),
    ("pt", "Santos", "", "santos"),
    ("de", "Häusern", "NOUN", "haus"),
    ("de", "Wasserflugzeugen", "NOUN", "wasserflugzeug"),
    ("de", "Bundesländer", "", "bundesland"),
    ("de", "Straßen", "NOUN", "strasse"),
    ("de", "aufgehört", "VERB", "aufhören"),
    ("de", "anzukommen", "VERB", "ankommen"),
    ("de", "gegangen", "VERB", "gehen"),
    ("de", "größten", "ADJ", "gross"),
    ("de", "Müllers", "PROPN", "müller"),
    ("fr", "Médecins", "NOUN", "médecins"),
    ("xx", "STRASSE", "", "strasse"),
]


@pytest.mark.parametrize(("language", "word", "tag", "lemma"), FORMS, ids=lambda value: str(value) or "-")
def test_word_has_its_lemma(language: str, word: str, tag: str, lemma: str) -> None:
    assert Lemmatizer.load(language).lemma(word, tag) == lemma


@pytest.mark.parametrize(
    ("language", "word", "lemmas", "expected"),
    [
        ("en", "Nurses", {"nurse"}, True),
        ("en", "nurse", {"nurse"}, True),
        ("en", "NURSES", {"nurse"}, True),
        ("en", "saw", {"see"}, True),
        ("en", "saw", {"saw"}, True),
        ("en", "nursery", {"nurse"}, False),
        ("en", "nurses", set(), False),
        ("es", "médicas", {"médico"}, True),
        ("es", "Medico", {"médico"}, False),
        ("pt", "ME\u0301DICOS", {"médico"}, True),
        ("de", "Ärzten", {"arzt"}, True),
        ("de", "STRASSEN", {"strasse"}, True),
        ("de", "Straßen", {"straße"}, False),  # entries are folded by the caller
        ("fr", "Médecins", {"médecins"}, True),
        ("fr", "médecins", {"médecin"}, False),
        ("en", "", {"a"}, False),
    ],
)
def test_forms_match_their_lemmas(language: str, word: str, lemmas: set[str], expected: bool) -> None:
    assert bool(Lemmatizer.load(language).lemmas(word) & frozenset(lemmas)) is expected


@given(st.text(st.characters(exclude_categories=())), st.sampled_from(TAGS))
def test_no_word_is_too_strange(word: str, tag: str) -> None:
    for language in (*TAGGED_LANGUAGES, "xx"):
        lemmatizer = Lemmatizer.load(language)
        lemma = lemmatizer.lemma(word, tag)
        assert bool(lemma) == bool(word)
        assert fold_word(word) in lemmatizer.lemmas(word)
        if tag in ("", "NOUN", "VERB"):
            assert lemma in lemmatizer.lemmas(word)


@given(st.text(st.characters(exclude_categories=())))
def test_without_data_a_word_is_its_own_lemma(word: str) -> None:
    assert Lemmatizer.load("xx").lemma(word, "NOUN") == fold_word(word)


@given(st.text(alphabet="aeghnrstzäuß-", max_size=12), st.integers(0, 9), st.text(max_size=3), st.booleans())
def test_no_edit_is_too_long(word: str, strip: int, add: str, infix: bool) -> None:
    for language in TAGGED_LANGUAGES:
        parts = SplitWord.from_word(word, language)
        assert bool(parts.apply(LemmaRule(strip, add, infix))) or not word


@pytest.mark.parametrize("language", TAGGED_LANGUAGES)
def test_huge_words_take_no_longer_than_reading_them(language: str) -> None:
    lemmatizer = Lemmatizer.load(language)
    for word in ("zu" * 200_000, "ge" * 200_000, "-se" * 200_000, "ándo" * 200_000, "\ud800" * 200_000):
        times = []
        for part in (word[: len(word) // 10], word):
            start = time.process_time()
            lemmatizer.lemma(part, "VERB")
            lemmatizer.lemmas(part)
            times.append(time.process_time() - start)
        assert times[1] < 100 * times[0]


@pytest.mark.parametrize("language", TAGGED_LANGUAGES)
def test_shipped_files_are_small(language: str) -> None:
    data = find_resource("embeddings", "lemmas", f"{language}.npz").read_bytes()
    assert len(data) < 250_000
    assert LemmaTable.from_bytes(data).rules


@pytest.mark.parametrize("language", TAGGED_LANGUAGES)
def test_arrays_are_consistent(language: str) -> None:
    data = Lemmatizer.load(language).table
    assert data is not None
    assert (np.diff(data.keys.astype(np.int64)) > 0).all()
    assert len(data.keys) == len(data.numbers)
    assert data.numbers.max() == len(data.rules) - 1
    again = LemmaTable.from_bytes(data.to_bytes())
    assert again.rules == data.rules
    assert (again.keys == data.keys).all()
    assert (again.numbers == data.numbers).all()


@pytest.mark.parametrize("length", [0, 1, 100, 10_000])
def test_damaged_file_says_what_to_do(length: int) -> None:
    data = find_resource("embeddings", "lemmas", "en.npz").read_bytes()
    with pytest.raises(DataError, match=r"en\.npz .* reinstall embanon"):
        LemmaTable.from_bytes(data[:length], "en.npz")


def test_language_codes_with_a_region() -> None:
    assert Lemmatizer.load("pt-BR") is Lemmatizer.load("pt") is Lemmatizer.load("PT_br")


def test_lemmatizer_is_pickled_by_its_language() -> None:
    lemmatizer = Lemmatizer.load("de")
    data = pickle.dumps(lemmatizer)
    assert len(data) < 200
    assert pickle.loads(data) is lemmatizer
    own = Lemmatizer("de", Lemmatizer.load("en").table)
    assert pickle.loads(pickle.dumps(own)).lemma("children", "NOUN") == "child"


def test_repr_is_short() -> None:
    assert len(repr(Lemmatizer.load("en"))) < 100


TREEBANK = """# text = del mar don't
1-2\tdel\t_\t_\t_\t_\t_\t_
1\tde\tde\tADP\t_\t3\tcase\t_
2\tel\tel\tDET\t_\t3\tdet\t_
3\tmares\tmar\tNOUN\t_\t0\troot\t_
4-5\tdon't\t_\t_\t_\t_\t_\tSpaceAfter=No
4\tdo\tdo\tAUX\t_\t3\taux\t_
5\tn't\tnot\tPART\t_\t3\tadvmod\t_
"""


@pytest.mark.parametrize(
    ("split", "expected"),
    [
        (False, [("del", ("de", "el")), ("mares", ("mar",)), ("don't", ("do", "not"))]),
        (True, [("del", ("de", "el")), ("mares", ("mar",)), ("do", ("do",)), ("n't", ("not",))]),
    ],
)
def test_treebank_gives_lemmas(tmp_path: Path, split: bool, expected: list[object]) -> None:
    path = tmp_path / "tiny.conllu.gz"
    path.write_bytes(gzip.compress(TREEBANK.encode("utf-8")))
    [sentence] = read_treebank(path, split=split)
    assert [(word.form, word.lemmas) for word in sentence] == expected
