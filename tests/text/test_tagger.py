from __future__ import annotations

import pickle
from io import BytesIO

import numpy as np
import pytest
from hypothesis import given, strategies as st

from embanon.errors import DataError
from embanon.language import word_shape
from embanon.language.lemmas import find_positions, hash_text
from embanon.text.analyzer import TAGGED_LANGUAGES, load_analyzer
from embanon.text.tagger import Tagger, TaggerWeights, feature_hashes, load_tagger
from embanon.text.tokens import MAX_FORMS, WordFormCache

ENGLISH = load_tagger("en")
TAG_OF = {
    "en": ("She quickly bought three red houses in London .", "PRON ADV VERB NUM ADJ NOUN ADP PROPN PUNCT"),
    "es": ("El médico compró tres casas en Madrid .", "DET NOUN VERB NUM NOUN ADP PROPN PUNCT"),
    "pt": ("O médico comprou três casas em Lisboa .", "DET NOUN VERB NUM NOUN ADP PROPN PUNCT"),
    "de": ("Der Arzt kaufte drei Häuser in Berlin .", "DET NOUN VERB NUM NOUN ADP PROPN PUNCT"),
}


def tags(tagger: Tagger, words: list[str]) -> list[str]:
    starts = np.zeros(len(words), dtype=bool)
    starts[:1] = True
    found = WordFormCache(tagger.columns()).look_up(words)
    return [tagger.tags[number] for number in tagger.tag(found, starts).tolist()]


@pytest.mark.parametrize("language", TAGGED_LANGUAGES)
def test_a_plain_sentence_in_every_case(language: str) -> None:
    text, expected = TAG_OF[language]
    nominal = {"NOUN", "PROPN", "ADJ", "NUM"}
    tagger = load_tagger(language)
    assert tags(tagger, text.split()) == expected.split()
    for recased in (text.lower(), text.upper()):
        found = [tag in nominal for tag in tags(tagger, recased.split())]
        wanted = [tag in nominal for tag in expected.split()]
        assert sum(a != b for a, b in zip(found, wanted, strict=True)) <= 1


def test_contractions_have_the_tags_of_their_parts() -> None:
    assert tags(load_tagger("pt"), ["Ele", "mora", "no", "Porto"])[2] == "ADP+DET"
    assert tags(load_tagger("es"), ["la", "casa", "del", "médico"])[2] == "ADP+DET"


@pytest.mark.parametrize(
    ("word", "expected"),
    [("word", "l"), ("Word", "T"), ("WORD", "U"), ("W", "u"), ("iPhone", "x"), ("McKay", "M"), ("12", "n"),
     ("A4", "du"), ("low-cost", "-l"), ("e.g.", ".l"), ("!", "p!"), ("", "p")],
)  # fmt: skip
def test_shape(word: str, expected: str) -> None:
    assert word_shape(word) == expected or (word == "A4" and word_shape(word) == "dU")


@given(st.text(max_size=60))
def test_every_word_has_features_and_a_row(word: str) -> None:
    found = feature_hashes(word, (1, 0))
    assert all(0 <= key < 2**32 for key in found)
    assert ENGLISH.weights.score_words([word]).shape == (1, 5, len(ENGLISH.tags))


def test_a_seed_goes_before() -> None:
    assert hash_text("ab") == hash_text("b", hash_text("a"))


def test_position_of_keys() -> None:
    keys = np.array([2, 5, 9], dtype=np.uint32)
    assert find_positions(keys, np.array([5, 1, 9, 10], dtype=np.uint32)).tolist() == [1, -1, 2, -1]
    assert find_positions(keys[:0], keys).tolist() == [-1, -1, -1]


def test_the_cache_never_changes_a_result() -> None:
    tagger = load_tagger("en")
    words = "The quick dog sees Peter Miller in New York .".split()
    starts = np.array([True] + [False] * (len(words) - 1))
    forms = WordFormCache(tagger.columns())
    before = tagger.tag(forms.look_up(words), starts).tolist()
    forms.look_up([f"word{number}" for number in range(MAX_FORMS + 10)])
    forms.look_up(["one more, and it forgets"])
    assert len(forms._ids) < 1000
    assert tagger.tag(forms.look_up(words), starts).tolist() == before


@pytest.mark.parametrize("damage", ["empty", "truncated", "text", "pickle", "version", "missing"])
def test_damaged_weights_are_refused(damage: str) -> None:
    data = load_tagger("de").weights.to_bytes()
    buffer = BytesIO()
    if damage == "version":
        np.savez(buffer, format=np.array([99, 1]))
    elif damage == "missing":
        np.savez(buffer, format=np.array([1, 1]))
    elif damage == "pickle":
        np.savez(buffer, format=np.array([{}], dtype=object))
    broken = {"empty": b"", "truncated": data[: len(data) // 2], "text": b"no archive" * 9}.get(
        damage, buffer.getvalue()
    )
    with pytest.raises(DataError):
        TaggerWeights.from_bytes(broken, "test.npz")


def test_weights_survive_bytes_and_pickling() -> None:
    tagger = load_tagger("de")
    again = Tagger(TaggerWeights.from_bytes(tagger.weights.to_bytes()))
    text = TAG_OF["de"][0].split()
    assert tags(again, text) == tags(tagger, text) == tags(pickle.loads(pickle.dumps(tagger)), text)


@pytest.mark.parametrize("language", TAGGED_LANGUAGES)
def test_shipped_taggers_hold_no_words(language: str) -> None:
    weights = load_analyzer(language).tagger.weights  # type: ignore[union-attr]
    for name in TaggerWeights.__dataclass_fields__:
        value = getattr(weights, name)
        assert name == "tags" or not isinstance(value, np.ndarray) or value.dtype.kind in "iu"
