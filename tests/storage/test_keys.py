"""Keys of phrases, and vocabularies that are searched where they lie: whatever was written, and whatever was stored."""

from __future__ import annotations

import time

import numpy as np
import pytest
from hypothesis import example, given, strategies as st

from embanon.errors import DataError
from embanon.language.lemmas import Lemmatizer
from embanon.language.normalize import entity_key, key, spelling_variant, variant_arrays, words_of
from embanon.storage.keys import KeyedShares, KeyIndex, Keys, KeySet, hash_keys

SECRET = "Geheimnis"
TEXTS = st.text(max_size=20) | st.text("aÀé'’.-_ (\u0301\u0130ßﬁ①\u3000\u00a0\ud800", max_size=12)
VOCABULARIES = st.lists(TEXTS, unique=True, max_size=30)


@pytest.mark.parametrize(
    ("phrase", "expected"),
    [
        pytest.param("Ada Lovelace", "ada lovelace", id="case"),
        pytest.param("  Ada \n\tLovelace\x1c", "ada lovelace", id="spaces"),
        pytest.param("Ada\u00a0Lovelace\u3000x", "ada lovelace x", id="spaces of other kinds"),
        pytest.param("ÉCOLE", "école", id="accents stay"),
        pytest.param("e\u0301cole", "école", id="composed"),
        pytest.param("Straße", "strasse", id="sharp s"),
        pytest.param("STRASSE", "strasse", id="and in capitals"),
        pytest.param("ﬁn ①", "fin 1", id="compatible"),
        pytest.param("ＡＤＡ", "ada", id="full width"),
        pytest.param("ΟΔΟΣ", "οδοσ", id="final sigma"),
        pytest.param("İstanbul", "i\u0307stanbul", id="dotted i"),
        pytest.param("U.S.", "u.s.", id="initials stay"),
        pytest.param("O’Brien", "o’brien", id="apostrophes stay"),
        pytest.param("New_York", "new_york", id="underscores stay"),
        pytest.param("שלום עולם", "שלום עולם", id="right to left"),
        pytest.param("👩‍⚕️", "👩‍⚕️", id="emoji"),
        pytest.param("a\ud800B", "a\ud800b", id="lone surrogate"),
        pytest.param(" \n", "", id="only spaces"),
        pytest.param("", "", id="empty"),
        pytest.param("?!", "?!", id="only signs"),
    ],
)
def test_key(phrase: str, expected: str) -> None:
    assert key(phrase) == expected


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("Chris Evans (actor)", "chris evans"),
        ("Chris Evans(actor)  ", "chris evans"),
        ("张伟（演员）", "张伟"),
        ("Paris (band) (1971)", "paris (band)"),
        ("(What's the Story) Morning Glory", "(what's the story) morning glory"),
        ("(1941)", "(1941)"),
        ("A (b", "a (b"),
        ("A b)", "a b)"),
        ("()", "()"),
        ("", ""),
    ],
)
def test_key_of_an_entity(name: str, expected: str) -> None:
    assert entity_key(name) == expected


@pytest.mark.parametrize("name", [" " * 100_000, "x" + " " * 100_000 + "y", "(" * 100_000, "() " * 30_000 + "x"])
def test_the_key_of_an_endless_name_is_quick(name: str) -> None:
    started = time.process_time()
    entity_key(name)
    assert time.process_time() - started < 1


# Pairs that have one variant, and pairs that must not have.
ALIKE = [
    ("José", "Jose"), ("Zoe\u0308", "Zoe"), ("naïve", "naive"), ("שָׁלוֹם", "שלום"), ("U.S.", "US"),
    ("O’Brien", "O'Brien"),
    ("O’Brien", "OBrien"), ("Obama's", "Obama"), ("heart-attack", "heart attack"), ("heart attacks", "heart attack"),
    ("New_York", "New York"), ("R&D", "R and D"), ("1,000", "1 000"), ("1.000", "1,000"), ("“letter”", "letter"),
    ("❤️", "❤"), ("J. Smith", "J Smith"), ("well–known", "well-known"),
]  # fmt: skip
APART = [
    ("3.5", "35"), ("1.2.2020", "122020"), ("v1.2", "v12"), ("ガス", "カス"), ("हिन्दी", "हन्द"), ("कुल", "कल"),
    ("ad", "a d"),
    ("?!", "..."), ("", "."), ("น้ำ", "นา"),
]  # fmt: skip


def varied(phrase: str) -> str:
    return spelling_variant(key(phrase), Lemmatizer.load("en").lemma)


@pytest.mark.parametrize(("one", "other"), ALIKE)
def test_spellings_of_one_phrase(one: str, other: str) -> None:
    assert varied(one) == varied(other)


@pytest.mark.parametrize(("one", "other"), APART)
def test_spellings_of_two_phrases(one: str, other: str) -> None:
    assert varied(one) != varied(other)


@given(TEXTS)
def test_a_key_is_its_own_key(phrase: str) -> None:
    assert key(key(phrase)) == key(phrase)
    assert entity_key(phrase) == key(entity_key(phrase))


@given(TEXTS)
@example("0 \u0300 0")
def test_a_variant_has_single_spaces_and_is_empty_only_for_nothing(phrase: str) -> None:
    found = spelling_variant(key(phrase), str)
    assert " ".join(found.split()) == found
    assert bool(found) == bool(key(phrase))
    assert (
        found.casefold().upper() == spelling_variant(key(phrase.upper()), str).casefold().upper()
        or not phrase.isascii()
    )


@given(TEXTS)
def test_words_of_a_key_are_words(phrase: str) -> None:
    assert all(" " not in word and word for word in words_of(key(phrase)))


@given(VOCABULARIES, st.lists(TEXTS, max_size=5))
def test_a_vocabulary_finds_its_keys_and_no_others(vocabulary: list[str], strangers: list[str]) -> None:
    keys = Keys.from_strings(vocabulary)
    keys = Keys.from_arrays({name: array.copy() for name, array in keys.arrays().items()})
    assert keys.find(vocabulary).tolist() == list(range(len(vocabulary)))
    assert [*keys] == vocabulary == keys[:] == keys.texts(range(len(vocabulary)))
    for stranger in strangers:
        assert (keys.find([stranger])[0] == -1) == (stranger not in vocabulary) == (stranger not in keys)
    assert keys.find([]).tolist() == []


@given(VOCABULARIES, st.slices(30), st.integers(-40, 40))
def test_a_vocabulary_is_a_sequence(vocabulary: list[str], part: slice, place: int) -> None:
    keys = Keys.from_strings(vocabulary)
    assert keys[part] == vocabulary[part]
    if -len(vocabulary) <= place < len(vocabulary):
        assert keys[place] == vocabulary[place]
    else:
        with pytest.raises(IndexError):
            keys[place]
    assert [*reversed(keys)] == vocabulary[::-1]


def test_a_vocabulary_longer_than_a_slice(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("embanon.storage.keys.BLOCK_SIZE", 3)
    words = [str(number) for number in range(10)]
    assert [*Keys.from_strings(words)] == words


def test_an_empty_vocabulary() -> None:
    keys = Keys.from_strings([])
    assert (len(keys), [*keys], keys[:], "" in keys, 5 in keys) == (0, [], [], False, False)
    assert keys.find(["", "a"]).tolist() == [-1, -1]
    assert {array.dtype.str for array in keys.arrays().values()} == {"|u1", "<u8", "<u4"}


def test_the_unknown_has_no_key() -> None:
    with pytest.raises(IndexError):
        Keys.from_strings(["a", "b"]).texts([-1])  # not all keys in one


def test_of_equal_keys_the_first_is_found() -> None:
    index = KeyIndex.from_keys(["b", "a", "b", "c", "a"])
    assert index.find(["a", "b", "c", "d"]).tolist() == [1, 0, 3, -1]
    stored = variant_arrays(["Heart attacks", "heart attack", "U.S."], "en")
    assert KeyIndex(stored["variants.hashes"], stored["variants.numbers"], 3).find(["heart attack"]).tolist() == [0]


def test_a_mapping_and_a_set_that_stay_where_they_are() -> None:
    keys = Keys.from_strings(["b", "a"])
    shares = KeyedShares.from_arrays({**keys.arrays(), "shares": np.array([0.5, 0.25], np.float32)})
    assert dict(shares) == {"b": 0.5, "a": 0.25}
    assert shares.get("c") is None
    with pytest.raises(KeyError) as caught:
        shares[SECRET]
    assert SECRET not in repr(caught.value)
    assert ("a" in KeySet(keys), "c" in KeySet(keys), len(KeySet(keys)), [*KeySet(keys)]) == (
        True,
        False,
        2,
        ["b", "a"],
    )


def test_keys_are_not_shown() -> None:
    keys = Keys.from_strings([SECRET])
    assert SECRET not in repr([keys, KeySet(keys), KeyedShares(keys, np.ones(1, np.float32))])


BAD = {
    "number beyond": {"numbers": np.array([9, 0, 1], np.uint32)},
    "number far beyond": {"numbers": np.full(3, 2**32 - 1, np.uint32)},
    "ends fall": {"ends": np.array([5, 1, 12], np.uint64)},
    "ends beyond": {"ends": np.array([2**63, 2**64 - 1, 12], np.uint64)},
    "not UTF-8": {"blob": np.full(12, 0xFF, np.uint8)},
    "hashes fall": {"hashes": np.sort(hash_keys([SECRET, "b", "cd"]))[::-1]},
    "other hashes": {"hashes": np.zeros(3, np.uint64)},
    "last end": {"ends": np.array([1, 2, 99], np.uint64)},
    "no last end": {"ends": np.array([1, 2, 2**64 - 1], np.uint64)},
    "too few numbers": {"numbers": np.zeros(2, np.uint32)},
    "too few hashes": {"hashes": np.zeros(2, np.uint64)},
    "no hashes": {"hashes": np.zeros(0, np.uint64), "numbers": np.zeros(0, np.uint32)},
    "too few ends": {"ends": np.array([12], np.uint64)},
    "no ends": {"ends": np.zeros(0, np.uint64)},
}


@pytest.mark.parametrize("name", BAD)
def test_what_was_stored_may_be_anything(name: str) -> None:
    arrays = Keys.from_strings([SECRET, "b", "cd"]).arrays() | BAD[name]
    for ask in (
        lambda keys: keys.find([SECRET, "b", "cd", "x"]),
        lambda keys: keys[:],
        lambda keys: [*keys],
        lambda keys: keys[-1],
    ):
        error, found = DataError("embanon model verify"), None
        try:
            found = ask(Keys.from_arrays(arrays))
        except DataError as exc:
            error = exc
        assert "embanon model verify" in str(error)
        assert SECRET not in f"{error!r} {error.__cause__!r}"
        assert not isinstance(found, np.ndarray) or ((found >= -1) & (found < 3)).all()


@pytest.mark.parametrize("name", ["blob", "ends", "hashes", "numbers"])
def test_what_was_not_stored(name: str) -> None:
    arrays = Keys.from_strings(["a"]).arrays()
    del arrays[name]
    with pytest.raises(DataError):
        Keys.from_arrays(arrays)
