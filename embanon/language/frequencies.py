"""Word frequencies of a language at large: the basis of rarity where there is no collection.

The tables hold words, not hashes of them: a rare name taken for some frequent word would look harmless, so an
unknown word must never be found. Words are compared in folded spelling; one with a digit is never known.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import repeat, takewhile
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from embanon.data import find_resource, open_archive, pack_archive
from embanon.language.detect import TAGGED_LANGUAGES, primary_language
from embanon.language.lemmas import fold_word

FORMAT: Final = 1
ARRAY_LAYOUTS: Final = [(1, "f8"), (1, "u1"), (1, "u1")]
"""Dimensions and types of a file's levels, numbers of levels, and counts of shared characters."""
MOST_SHARED: Final = 255
TYPICAL_DOCUMENT_LENGTH: Final = 300
"""Words of the typical document that document frequencies stand for: a page.

The longest of those tried (30 to 3000 words) with which the idf is not below that of a real collection on average:
too rare is the safe side (embeddings/frequencies/README.md).
"""


def is_listed(word: str) -> bool:
    """Return whether a word may have a frequency: one of letters, without any digit."""
    return any(map(str.isalpha, word)) and not any(map(str.isnumeric, word))


@dataclass(frozen=True, slots=True, eq=False)
class Frequencies:
    """Frequencies of a language's words.

    `levels[words[fold(word)]]` is the word's share of all words; the last level is that of unknown words, NaN.
    """

    language: str
    words: Mapping[str, int] = field(repr=False)
    levels: NDArray[np.float64] = field(repr=False)

    @classmethod
    def load(cls, language: str) -> Frequencies | None:
        """Load the frequencies of a language, once; `None` but for `en`, `es`, `pt`, `de`."""
        return _load(primary_language(language))

    def __reduce__(self) -> tuple[Callable[..., Frequencies | None], tuple[Any, ...]]:
        # Processes that are sent shipped frequencies open the file themselves.
        if _load(self.language) is self:
            return _load, (self.language,)
        return Frequencies, (self.language, self.words, self.levels)

    @property
    def document_count(self) -> int:
        """Return the number of documents in which the rarest word of the list occurs about once."""
        return max(round(1 / (float(np.min(self.levels[:-1], initial=0.5)) * TYPICAL_DOCUMENT_LENGTH)), 2)

    def share(self, word: str) -> float | None:
        """Return the share of a word among all words; `None` where it is unknown."""
        level = self.words.get(fold_word(word))
        return None if level is None else float(self.levels[level])

    def shares(self, words: Sequence[str]) -> NDArray[np.float64]:
        """Return the shares of many words; NaN where one is unknown."""
        return self.levels[self._level_numbers(words)]

    def idf(self, words: Sequence[str]) -> NDArray[np.float64]:
        """Return inverse document frequencies from 0 to 1, as those of a collection of so many `documents`.

        NaN where a word is unknown: rarer than all that are listed, if it is a word of the language at all.
        """
        documents = self.document_count
        largest = np.log2(documents)
        # The share of documents that have a word, as if words fell at random (Poisson).
        frequency = documents * -np.expm1(-self.levels * TYPICAL_DOCUMENT_LENGTH)
        bits = np.clip(-np.log2((frequency + 0.5) / documents), 0.0, largest + 1)
        return np.asarray((bits / largest)[self._level_numbers(words)], dtype=np.float64)

    def _level_numbers(self, words: Sequence[str]) -> NDArray[np.intp]:
        levels = map(self.words.get, map(fold_word, words), repeat(len(self.levels) - 1))
        return np.fromiter(levels, np.intp, len(words))

    def to_bytes(self) -> bytes:
        """Write as a compressed archive of arrays: each word, in order, without the beginning it shares."""
        words = sorted(self.words)
        shared = [_shared_prefix_length(before, word) for before, word in zip(["", *words], words, strict=False)]
        rests = "\n".join(word[count:] for word, count in zip(words, shared, strict=True))
        return pack_archive(
            format=np.array([FORMAT]), shared=np.array(shared, np.uint8),
            rests=np.frombuffer(rests.encode("utf-8"), np.uint8),
            number=np.array([self.words[word] for word in words], np.uint8), levels=self.levels[:-1],
        )  # fmt: skip

    @classmethod
    def from_bytes(cls, data: bytes, language: str, name: str = "frequencies") -> Frequencies:
        """Read what `to_bytes` wrote; never unpickles."""
        with open_archive(data, name, FORMAT) as arrays:
            levels, number, shared = arrays["levels"], arrays["number"], arrays["shared"]
            if [(array.ndim, array.dtype.str[1:]) for array in (levels, number, shared)] != ARRAY_LAYOUTS:
                raise ValueError
            if not (0 < levels.min(initial=1) <= levels.max(initial=0) <= 1) or number.max(initial=0) >= len(levels):
                raise ValueError
            rests = arrays["rests"].tobytes().decode("utf-8").split("\n")
            words = _restore_words(shared.tolist(), rests)
            return cls(language, dict(zip(words, number.tolist(), strict=True)), np.append(levels, np.nan))


def word_share(word: str, language: str) -> float:
    """Return the share of a word among all words of a language; 0 where it is not known."""
    frequencies = Frequencies.load(language)
    return (frequencies.share(word) or 0.0) if frequencies else 0.0


def _shared_prefix_length(before: str, word: str) -> int:
    """Count the characters that a word begins with as the one before it does."""
    pairs = zip(before[:MOST_SHARED], word, strict=False)
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))


def _restore_words(shared: Iterable[int], rests: Iterable[str]) -> list[str]:
    words, word = list[str](), ""
    for count, rest in zip(shared, rests, strict=True):
        word = word[:count] + rest
        words.append(word)
    return words


@lru_cache(maxsize=len(TAGGED_LANGUAGES) + 1)
def _load(language: str) -> Frequencies | None:
    if language not in TAGGED_LANGUAGES:
        return None
    name = f"{language}.npz"
    return Frequencies.from_bytes(find_resource("embeddings", "frequencies", name).read_bytes(), language, name)
