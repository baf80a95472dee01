"""Tell what kind of thing a mention is: an organization may be a school, a code the number of a file.

A softmax over the kinds of the mention's type, of the features of its words and of those beside it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

from embanon.data import find_resource, open_archive, pack_archive
from embanon.document import TYPES
from embanon.language import LANGUAGES, Cue, Lexicon, hash_text, sum_hashed_rows, word_shape
from embanon.recognize.features import LONGEST_WORD, word_outline
from embanon.recognize.layout import PARAGRAPH_BREAK

FORMAT: Final = 1
LEARNED_KINDS: Final[Mapping[str, tuple[str, ...]]] = {
    "PERSON": ("full-name", "first-name", "surname", "initials", "nickname"),
    "ORG": (
        "company", "health", "school", "authority", "police", "court", "club", "church", "party", "union", "media",
        "shop", "department", "group", "organization",
    ),
    "LOC": ("address", "postcode", "town", "district", "region", "country", "site", "nature", "place"),
    "DATETIME": (
        "date", "year", "month", "weekday", "time", "holiday", "season", "decade", "period", "relative",
    ),
    "DEM": (
        "age", "role", "education", "nationality", "origin", "language", "religion", "politics", "union", "illness",
        "treatment", "disability", "sexuality", "kin", "offense", "appearance", "hobby", "status", "habit", "trait",
    ),
    "CODE": (
        "id-number", "phone", "e-mail", "url", "account-number", "plate", "case-number", "handle", "ip", "code",
    ),
    "QUANTITY": ("money", "measure", "count", "percentage", "duration"),
    "MISC": ("event", "work", "project", "award", "vehicle", "product", "law", "animal", "object", "other"),
}  # fmt: skip
"""The kinds that can be told apart, by type."""
KIND_NAMES: Final = tuple(f"{type}.{kind}" for type in TYPES for kind in LEARNED_KINDS[type])
_BOUNDS: Final = np.cumsum([0, *(len(LEARNED_KINDS[type]) for type in TYPES)])
_CUES: Final = tuple((int(cue), cue.name) for cue in Cue)
WORDS_BEFORE: Final = 3
LONGEST_MENTION: Final = 12
"""Words of a mention that are looked at."""


def mention_features(words: Sequence[str], before: Sequence[str], after: str, flags: Sequence[int]) -> list[str]:
    """Return the names of a mention's features: its words, their cues, and the words beside it, the nearest last."""
    lower = [word.lower()[:LONGEST_WORD] for word in words[:LONGEST_MENTION]]
    first, last = lower[0], lower[-1]
    names = [f"f={first}", f"l={last}", f"z={min(len(words), 6)}", f"o={word_outline(''.join(words)[:10])}"]
    names += [f"b={word}" for word in lower]
    names += [f"x{size}={word[-size:]}" for word in lower for size in (3, 4, 5) if len(word) > size]
    names += [f"p={word[:4]}" for word in lower if len(word) > 4]
    names.append("s=" + "".join(word_shape(word)[:2] for word in words[:4]))
    names += [f"q={name}" for bit, name in _CUES for flag in flags if flag & bit]
    names += [f"ql={name}" for bit, name in _CUES if flags and flags[-1] & bit]
    near = [word.lower()[:LONGEST_WORD] for word in before[-WORDS_BEFORE:]]
    names += [f"p{place}={word}" for place, word in enumerate(reversed(near))]
    names.append("pp=" + " ".join(near[-2:]))
    names.append(f"n={after.lower()[:LONGEST_WORD]}")
    return names


@dataclass(frozen=True, slots=True)
class SortWeights:
    """What training leaves for a language: `keys` are sorted hashes of features, `values[feature, kind]` integers."""

    keys: NDArray[np.uint32] = field(repr=False)
    values: NDArray[np.int8] = field(repr=False)
    scale: NDArray[np.float32] = field(repr=False)

    def to_bytes(self) -> bytes:
        """Write as a compressed archive of arrays."""
        return pack_archive(format=np.array([FORMAT]), keys=self.keys, values=self.values, scale=self.scale)

    @classmethod
    def from_bytes(cls, data: bytes, name: str = "sorter") -> SortWeights:
        """Read what `to_bytes` wrote; never unpickles."""
        with open_archive(data, name, FORMAT) as arrays:
            return cls(*(arrays[column] for column in cls.__slots__))


@dataclass(frozen=True, slots=True)
class Sorter:
    """Tells the kinds of mentions in a language."""

    weights: SortWeights
    lexicon: Lexicon = field(repr=False)

    def sort(
        self, words: Sequence[str], gap: NDArray[np.int8], first: Sequence[int], last: Sequence[int],
        types: NDArray[np.uint8],
    ) -> tuple[NDArray[np.int64], NDArray[np.float64]]:  # fmt: skip
        """Return the likeliest kind of each mention, as an index into KIND_NAMES, and how likely it is.

        `words` are those of a text with the gaps before them; each mention goes from its first to before its last.
        """
        if not len(types):
            return np.zeros(0, np.int64), np.zeros(0)
        hashes = self.hash_mentions(words, gap, first, last)
        scores = sum_hashed_rows(self.weights.keys, self.weights.values, hashes) * float(self.weights.scale[0])
        kinds, types = np.arange(len(KIND_NAMES)), types.astype(np.int64)
        others = (kinds < _BOUNDS[types][:, None]) | (kinds >= _BOUNDS[types + 1][:, None])
        scores = np.where(others, -np.inf, scores)
        chances = np.exp(scores - scores.max(axis=1, keepdims=True))
        best: NDArray[np.int64] = chances.argmax(axis=1)
        return best, chances[np.arange(len(best)), best] / chances.sum(axis=1)

    def hash_mentions(
        self, words: Sequence[str], gap: NDArray[np.int8], first: Sequence[int], last: Sequence[int]
    ) -> list[list[int]]:
        """Return the hashes of the features of each mention, none of which looks beyond its paragraph."""
        opens = np.append(np.flatnonzero(gap == PARAGRAPH_BREAK), len(words))
        result = []
        for begin, end in zip(first, last, strict=True):
            place = int(np.searchsorted(opens, begin, side="right"))
            low, high = int(opens[place - 1]) if place else 0, int(opens[place])
            inside = words[begin:end]
            flags = list(map(self.lexicon.flags, inside[:LONGEST_MENTION]))
            before, after = words[max(low, begin - WORDS_BEFORE) : begin], words[end] if end < high else ""
            result.append([hash_text(name) for name in mention_features(inside, before, after, flags)])
        return result


@lru_cache(maxsize=len(LANGUAGES))
def load_sorter(language: str) -> Sorter:
    """Open the shipped sorter of a language (`en`, `es`, `pt`, `de`)."""
    name = f"{language}-kinds.npz"
    data = find_resource("embeddings", "recognizer", name).read_bytes()
    return Sorter(SortWeights.from_bytes(data, name), Lexicon.load(language))
