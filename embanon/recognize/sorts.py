"""Tell what a mention is: of what type and kind (a school, the number of a file), or nothing that identifies.

A softmax over all kinds and nothing, of the features of the mention's words and of those beside it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
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
KIND_BOUNDS: Final = np.cumsum([0, *(len(LEARNED_KINDS[type]) for type in TYPES)])
"""Where the kinds of each type begin, and where the last ones end."""
NOTHING: Final = len(KIND_NAMES)
"""What stands behind the kinds: no mention."""
_CUES: Final = tuple((int(cue), cue.name) for cue in Cue)
WORDS_BEFORE: Final = 3
LEAST: Final = 1e-9
MAX_KNOWN: Final = 200_000
SHAPED_WORDS, MAX_SIZE = 4, 6
"""Words of a mention whose shapes are looked at, and up to how many are counted."""
LONGEST_MENTION: Final = 12
"""Words of a mention that are looked at."""


@dataclass(frozen=True, slots=True)
class WordHashes:
    """The hashes of what a word tells wherever it stands in a mention, or beside one."""

    inside: tuple[int, ...]
    first: int
    last: tuple[int, ...]
    before: tuple[int, ...]
    """As the nearest word before a mention, the next, …"""
    after: int

    @classmethod
    def of_word(cls, word: str, flags: int) -> WordHashes:
        """Name the features of a word, and hash their names."""
        low = word.lower()[:LONGEST_WORD]
        cues = [name for bit, name in _CUES if flags & bit]
        inside = [f"b={low}", *(f"x{size}={low[-size:]}" for size in (3, 4, 5) if len(low) > size)]
        inside += [f"p={low[:4]}"] * (len(low) > 4) + [f"q={name}" for name in cues]
        return cls(
            _hashes(inside), hash_text(f"f={low}"), _hashes((f"l={low}", *(f"ql={name}" for name in cues))),
            _hashes(f"p{place}={low}" for place in range(WORDS_BEFORE)), hash_text(f"n={low}"),
        )  # fmt: skip


def _hashes(names: Iterable[str]) -> tuple[int, ...]:
    return tuple(map(hash_text, names))


@lru_cache(maxsize=65_536)
def _shape_hashes(words: tuple[str, ...], size: int) -> tuple[int, ...]:
    """Return what the first words of a mention look like, and how many there are."""
    outline, shape = word_outline("".join(words)[:10]), "".join(word_shape(word)[:2] for word in words)
    return _hashes((f"z={size}", f"o={outline}", f"s={shape}"))


@lru_cache(maxsize=65_536)
def _pair_hash(words: tuple[str, ...]) -> int:
    return hash_text("pp=" + " ".join(word.lower()[:LONGEST_WORD] for word in words))


@lru_cache(maxsize=1_024)
def _gap_hashes(gaps: tuple[int, int]) -> tuple[int, ...]:
    return _hashes((f"g={gaps[0]}", f"h={gaps[1]}", f"gh={gaps}"))


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
    known: dict[str, WordHashes] = field(default_factory=dict, repr=False, compare=False)
    """The words that were looked at."""

    def judge(
        self, words: Sequence[str], gap: NDArray[np.int8], first: Sequence[int], last: Sequence[int]
    ) -> NDArray[np.float64]:
        """Return how likely each mention is of each kind, and none at all.

        `words` are those of a text with the gaps before them; each mention goes from its first to before its last.
        """
        if not len(first):
            return np.zeros((0, NOTHING + 1))
        hashes = self.hash_mentions(words, gap, first, last)
        total = sum_hashed_rows(self.weights.keys, self.weights.values, hashes)
        scores: NDArray[np.float64] = total.astype(np.float64) * float(self.weights.scale[0])
        chances: NDArray[np.float64] = np.exp(scores - np.max(scores, axis=1, keepdims=True))
        return _shares(chances)

    def hash_mentions(
        self, words: Sequence[str], gap: NDArray[np.int8], first: Sequence[int], last: Sequence[int]
    ) -> list[list[int]]:
        """Return the hashes of the features of each mention, none of which looks beyond its paragraph."""
        opens = np.append(np.flatnonzero(gap == PARAGRAPH_BREAK), len(words))
        paragraph = np.searchsorted(opens, first, side="right")
        lows, highs = np.append(0, opens)[paragraph].tolist(), opens[paragraph].tolist()
        gaps = [*gap.tolist(), PARAGRAPH_BREAK]
        if len(self.known) > MAX_KNOWN:
            self.known.clear()
        result = []
        for begin, end, low, high in zip(first, last, lows, highs, strict=True):
            inside = [*map(self._of_word, words[begin : min(end, begin + LONGEST_MENTION)])]
            before = words[max(low, begin - WORDS_BEFORE) : begin]
            hashes = [inside[0].first, *inside[-1].last, self._of_word(words[end] if end < high else "").after]
            hashes += [number for word in inside for number in word.inside]
            hashes += [self._of_word(word).before[place] for place, word in enumerate(reversed(before))]
            hashes.append(_pair_hash(tuple(before[-2:])))
            hashes += _shape_hashes(tuple(words[begin : min(end, begin + SHAPED_WORDS)]), min(end - begin, MAX_SIZE))
            hashes += _gap_hashes((gaps[begin], gaps[end] if end < high else PARAGRAPH_BREAK))
            result.append(hashes)
        return result

    def _of_word(self, word: str) -> WordHashes:
        hashes = self.known.get(word)
        if hashes is None:
            hashes = self.known[word] = WordHashes.of_word(word, self.lexicon.flags(word))
        return hashes


def _shares(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return rows that add up to one."""
    total: NDArray[np.float64] = values.sum(axis=1, keepdims=True)
    return values / np.maximum(total, LEAST)


def type_chances(chances: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return how likely each mention is of each type, if it is one."""
    return _shares(np.add.reduceat(chances[:, :NOTHING], KIND_BOUNDS[:-1], axis=1))


def likeliest_kinds(
    chances: NDArray[np.float64], types: NDArray[np.uint8]
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Return the likeliest kind of each mention of a type, as an index into KIND_NAMES, and its chance there."""
    kinds, types = np.arange(NOTHING), types.astype(np.int64)
    others = (kinds < KIND_BOUNDS[types][:, None]) | (kinds >= KIND_BOUNDS[types + 1][:, None])
    within = np.where(others, 0.0, chances[:, :NOTHING] + LEAST)
    best: NDArray[np.int64] = within.argmax(axis=1)
    return best, within[np.arange(len(best)), best] / within.sum(axis=1)


@lru_cache(maxsize=len(LANGUAGES))
def load_sorter(language: str) -> Sorter:
    """Open the shipped sorter of a language (`en`, `es`, `pt`, `de`)."""
    name = f"{language}-kinds.npz"
    data = find_resource("embeddings", "recognizer", name).read_bytes()
    return Sorter(SortWeights.from_bytes(data, name), Lexicon.load(language))
