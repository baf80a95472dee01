"""Normalization of phrases for lookup: their key, their words, and what their spellings share."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import Any, Final
from unicodedata import category, combining, normalize

from numpy.typing import NDArray

from embanon.language.lemmas import Lemmatizer
from embanon.storage import KeyIndex

WORD: Final = re.compile(r"\w+")
"""A word of a key: what is counted, and what an unknown phrase is put together from."""

TRAILING_BRACKET: Final = re.compile(r"\([^()]*\)$")

SIGNS: Final = re.compile(r"[^\w\s]+")

HYPHENS: Final = "-\u2010\u2011"
"""Signs that parts of words are joined by."""

DROPPED_SIGNS: Final = str.maketrans("", "", ".'’")
"""Signs that vanish (U.S., O'Brien); every other one parts words."""

DECIMAL_POINT: Final = re.compile(r"(?<=\d)\.(?=\d)")
"""Parts words as well: 3.5 is not 35."""

ACCENT_CLASSES: Final = frozenset((1, *range(10, 36), *range(200, 241)))
"""Classes of marks that spellings may lack: accents and the points of Hebrew and Arabic, no vowel of India."""

VARIATION_SELECTORS: Final = dict.fromkeys(range(0xFE00, 0xFE10))
"""Marks that choose how a sign is drawn."""

POSSESSIVE: Final = re.compile(r"['’]s\b")


def key(phrase: str) -> str:
    """Return what a phrase is looked up by: composed, in folded case, with single spaces."""
    if not phrase.isascii():
        phrase = normalize("NFC", normalize("NFKC", phrase).casefold())
    return " ".join(phrase.lower().split())


def entity_key(name: str) -> str:
    """Return the key of an entity's name without what tells it from another of this name: `Chris Evans (actor)`."""
    whole = key(name)
    return TRAILING_BRACKET.sub("", whole).rstrip() or whole


def words_of(key: str) -> list[str]:
    """Return the words of a key, or of a text whose case is folded."""
    return WORD.findall(key)


def spelling_variant(key: str, lemma: Callable[[str], str]) -> str:
    """Return what spellings of one phrase share: no accents, no signs, dictionary forms."""
    if not key.isascii():
        bare = normalize("NFKD", key.translate(VARIATION_SELECTORS))
        key = " ".join("".join(sign for sign in bare if combining(sign) not in ACCENT_CLASSES).split()) or key
    if not key.replace(" ", "").isalnum():
        plain = POSSESSIVE.sub("", key).replace("&", " and ").replace("_", " ")
        plain = DECIMAL_POINT.sub(" ", plain).translate(DROPPED_SIGNS)
        key = " ".join(SIGNS.sub(_signs_to_spaces, plain).split()) or key
    return " ".join(map(lemma, key.split(" ")))


def _signs_to_spaces(signs: re.Match[str]) -> str:
    """Return spaces for signs, but not for marks, which are parts of letters."""
    text = signs.group()
    return " " if text.isascii() else "".join(sign if category(sign) in ("Mn", "Mc") else " " for sign in text)


def variant_arrays(keys: Iterable[str], language: str) -> dict[str, NDArray[Any]]:
    """Index what the spellings of each key share, as it is stored."""
    lemma = lru_cache(maxsize=1 << 20)(Lemmatizer.load(language).lemma)
    index = KeyIndex.from_keys(spelling_variant(one, lemma) for one in map(key, keys))
    return {"variants.hashes": index.hashes, "variants.numbers": index.numbers}


def word_shape(word: str) -> str:
    """Return the shape of a word: its case, and whether it has digits, hyphens or periods."""
    mark = ("d" if any(map(str.isdigit, word)) else "") + ("-" if "-" in word else "") + ("." if "." in word else "")
    if word.islower():
        return mark + "l"
    if word.isupper():
        return mark + ("u" if len(word) == 1 else "U")
    if word[:1].isupper():
        return mark + ("T" if word[1:].islower() else "M")
    if word.isdigit():
        return "n"
    if not any(map(str.isalnum, word)):
        return mark + "p" + word[:1]
    return mark + "x"
