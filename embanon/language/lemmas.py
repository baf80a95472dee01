"""Dictionary forms of words: exceptions first, then the rule of a word's longest known ending.

A rule says how many characters to take off the end and what to put there. Everything is compared in folded
spelling, so that lists of lemmas match whatever the case: lemmas are keys, not text to be shown.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import chain
from typing import Any, Final, NamedTuple
from unicodedata import normalize

import numpy as np
from numpy.typing import NDArray

from embanon.data import find_resource, open_archive, pack_archive
from embanon.language.detect import TAGGED_LANGUAGES, primary_language

FORMAT: Final = 1
LONGEST_WORD: Final = 40
"""Longer words are looked up and tagged by their first and last characters."""
MAX_ENDING_LENGTH: Final = 5
MIN_HEAD_LENGTH: Final = 5
"""Characters of an exception that counts at the end of a compound too."""

GROUP_OF_TAG: Final = {"NOUN": "N", "PROPN": "P", "ADJ": "A", "VERB": "V", "AUX": "V"}
"""Tags with rules of their own; of the other tags only words that the treebank has are known."""
OTHER_GROUP: Final = "O"
UNTAGGED: Final = ""
"""The rules for words without a tag."""
UNTAGGED_CAPITALIZED: Final = "^"
"""The rules for words without a tag that begin with a capital: names, and German nouns."""
OPEN_GROUPS: Final = ("N", "A", "V", "P")

GERMAN_INFIX: Final = re.compile(
    r"(?P<before>(?:ab|an|auf|aus|bei|da|dar|durch|ein|empor|entgegen|entlang|fehl|fern|fest|fort|frei|gegenüber|"
    r"gleich|her|heraus|herum|hervor|hin|hinaus|hinein|hinzu|hoch|kennen|los|mit|nach|nieder|preis|statt|stand|"
    r"teil|um|unter|über|voll|vor|voran|voraus|vorbei|weg|weiter|wieder|zu|zurück|zusammen)?)"
    r"(?P<infix>ge|(?<=.)zu)(?P<after>.{3,})"
)
"""Participles and infinitives have `ge` and `zu` inside: auf-ge-hört, an-zu-kommen."""

CLITICS: Final = {
    "es": (
        (re.compile(r"ándo(?:me|te|se|nos|os|l[aeo]s?){1,2}$"), "ando"),
        (re.compile(r"éndo(?:me|te|se|nos|os|l[aeo]s?){1,2}$"), "endo"),
    ),
    "pt": ((re.compile(r"(?<=.)-(?:[mts]e|lhes?|[nv]os|[ln]?[ao]s?)$"), ""),),
}
"""Pronouns after a verb: what is left has the rules of the verb alone."""


def hash_text(name: str, seed: int = 0) -> int:
    """Hash a name to 32 bits; a seed goes before it: `digest("ab") == digest("b", digest("a"))`."""
    return zlib.crc32(name.encode("utf-8", "surrogatepass"), seed)


def hash_texts(names: Iterable[str]) -> NDArray[np.uint32]:
    """Hash names to 32 bits."""
    return np.array([hash_text(name) for name in names], dtype=np.uint32)


def find_positions(sorted_keys: NDArray[np.integer], keys: NDArray[np.integer]) -> NDArray[np.int64]:
    """Return the place of each key among sorted ones, -1 where it is not there."""
    if not len(sorted_keys):
        return np.full(len(keys), -1, dtype=np.int64)
    place = np.minimum(np.searchsorted(sorted_keys, keys), len(sorted_keys) - 1)
    return np.where(sorted_keys[place] == keys, place, -1)


def sum_hashed_rows(
    keys: NDArray[np.uint32], values: NDArray[np.int8], hashes: Sequence[Sequence[int]]
) -> NDArray[np.int16]:
    """Return for each item the sum of the rows of `values` that its hashes have among the sorted `keys`."""
    flat = np.fromiter(chain.from_iterable(hashes), dtype=np.uint32)
    begins = np.cumsum([0, *map(len, hashes[:-1])])
    place = find_positions(keys, flat)
    rows = values[place].reshape(len(flat), -1)
    rows[place < 0] = 0
    total: NDArray[np.int16] = np.add.reduceat(rows, begins, axis=0, dtype=np.int16)
    return total.reshape(len(hashes), *values.shape[1:])


class LemmaRule(NamedTuple):
    """How a form becomes its lemma: perhaps without the infix, `strip` characters off the end, then `add`."""

    strip: int
    add: str
    infix: bool = False


UNCHANGED: Final = LemmaRule(0, "")


@dataclass(frozen=True, slots=True)
class SplitWord:
    """A folded word, and what it is without the infix: both alike where it has none.

    `after` is what follows the infix; `compound` words may end in known words.
    """

    word: str
    without_infix: str
    after_infix: str
    may_be_compound: bool

    @classmethod
    def from_word(cls, word: str, language: str) -> SplitWord:
        """Take off pronouns, and look for an infix, which only German has."""
        if len(word) > LONGEST_WORD:
            return cls(word, word, "", False)
        for ending, instead in CLITICS.get(language, ()):
            word = ending.sub(instead, word)
        if language == "de" and (match := GERMAN_INFIX.fullmatch(word)):
            return cls(word, match["before"] + match["after"], match["after"], True)
        return cls(word, word, "", language == "de")

    def apply(self, edit: LemmaRule) -> str:
        """Return the word as edited, or as it is where the edit takes off too much."""
        base = self.without_infix if edit.infix else self.word
        if edit.strip > len(base):
            return self.word
        return base[: len(base) - edit.strip] + edit.add or self.word

    def exception_keys(self, group: str) -> list[str]:
        """Name the word itself within a group of tags, and the words that a German compound may end in."""
        if len(self.word) > LONGEST_WORD:
            return []
        last = len(self.word) - MIN_HEAD_LENGTH if self.may_be_compound and group in ("N", UNTAGGED_CAPITALIZED) else 0
        return [f"{group}={self.word[start:]}" for start in range(max(last, 0) + 1)]

    def ending_keys(self, group: str) -> Iterator[str]:
        """Name the word's endings within a group, the longest first."""
        if self.after_infix and group in ("V", UNTAGGED, UNTAGGED_CAPITALIZED):
            yield f"{group}~~{self.after_infix}"
            for size in range(min(MAX_ENDING_LENGTH, len(self.after_infix)), -1, -1):
                yield f"{group}~{self.after_infix[len(self.after_infix) - size :]}"
        for size in range(min(MAX_ENDING_LENGTH, len(self.word) - 1), -1, -1):
            yield f"{group}-{self.word[len(self.word) - size :]}"


def fold_word(word: str) -> str:
    """Return the look-up key of a word, as the lists of the users have it: composed, case-folded."""
    if word.isascii():
        return word.lower()
    return normalize("NFC", word).replace("’", "'").casefold()


def tag_group(word: str, tag: str) -> str:
    """Return the group of a tag, without a tag that of the word's case; of a contraction, of its first part."""
    if not tag:
        return UNTAGGED_CAPITALIZED if word[:1].isupper() and (len(word) == 1 or not word.isupper()) else UNTAGGED
    return next((GROUP_OF_TAG[part] for part in tag.split("+") if part in GROUP_OF_TAG), OTHER_GROUP)


@dataclass(frozen=True, slots=True)
class LemmaTable:
    """What training leaves: `keys` are sorted hashes of words and endings, `numbers` those of their edits."""

    keys: NDArray[np.uint32] = field(repr=False)
    numbers: NDArray[np.uint16] = field(repr=False)
    rules: tuple[LemmaRule, ...] = field(repr=False)

    def to_bytes(self) -> bytes:
        """Write as a compressed archive of arrays."""
        return pack_archive(
            format=np.array([FORMAT]), keys=self.keys, numbers=self.numbers,
            strip=np.array([edit.strip for edit in self.rules], np.uint8),
            infix=np.array([edit.infix for edit in self.rules], np.bool_),
            add=np.frombuffer("\n".join(edit.add for edit in self.rules).encode("utf-8"), np.uint8),
        )  # fmt: skip

    @classmethod
    def from_bytes(cls, data: bytes, name: str = "lemmas") -> LemmaTable:
        """Read what `to_bytes` wrote; never unpickles."""
        with open_archive(data, name, FORMAT) as arrays:
            added = arrays["add"].tobytes().decode("utf-8").split("\n")
            rows = zip(arrays["strip"].tolist(), added, arrays["infix"].tolist(), strict=True)
            return cls(arrays["keys"], arrays["numbers"], tuple(LemmaRule(*row) for row in rows))


@dataclass(frozen=True, slots=True)
class Lemmatizer:
    """Lemmas of one language; without data every word is its own lemma, folded."""

    language: str
    table: LemmaTable | None = field(default=None, repr=False)

    @staticmethod
    def load(language: str) -> Lemmatizer:
        """Load the lemmatizer of a language; but for `en`, `es`, `pt`, `de` it only folds the word's case."""
        return _load(primary_language(language))

    def __reduce__(self) -> tuple[Callable[..., Lemmatizer], tuple[Any, ...]]:
        # Processes that are sent a shipped lemmatizer open the file themselves.
        if _load(self.language) is self:
            return _load, (self.language,)
        return Lemmatizer, (self.language, self.table)

    def lemma(self, word: str, tag: str = "") -> str:
        """Return the folded lemma of a word under a tag; without a tag the likeliest, rather not as a verb."""
        return self._look_up(fold_word(word), (tag_group(word, tag),))[0]

    def lemmas(self, word: str) -> frozenset[str]:
        """Return the folded word and its lemmas under every tag.

        Lemmas are dictionary forms: Spanish `abogadas` is a form of `abogado`, not of `abogada`.
        """
        key = fold_word(word)
        return frozenset((key, *self._look_up(key, (*OPEN_GROUPS, OTHER_GROUP, UNTAGGED, UNTAGGED_CAPITALIZED))))

    def _look_up(self, word: str, groups: tuple[str, ...]) -> list[str]:
        if self.table is None or not word:
            return [word] * len(groups)
        parts = SplitWord.from_word(word, self.language)
        names = [[*parts.exception_keys(group), *parts.ending_keys(group)] for group in groups]
        places = find_positions(self.table.keys, hash_texts(name for of_group in names for name in of_group)).tolist()
        result = []
        for of_group in names:
            known = [place for place in places[: len(of_group)] if place >= 0]
            del places[: len(of_group)]
            edit = self.table.rules[self.table.numbers[known[0]]] if known else UNCHANGED
            result.append(parts.apply(edit))
        return result


@lru_cache(maxsize=16)
def _load(language: str) -> Lemmatizer:
    if language not in TAGGED_LANGUAGES:
        return Lemmatizer(language)
    name = f"{language}.npz"
    return Lemmatizer(language, LemmaTable.from_bytes(find_resource("embeddings", "lemmas", name).read_bytes(), name))
