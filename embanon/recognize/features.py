"""What the labeler sees: the features of word forms, computed once each, and where tokens stand in their lines.

A word's features are hashed names. Some are the language's own, others are shared by all languages, so that what one
teaches helps another.
"""

from __future__ import annotations

import re
import zlib
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from embanon.language import Cue, hash_text, word_shape
from embanon.recognize.layout import PARAGRAPH_BREAK, Layout

Rows = NDArray[np.int64]

PADDING: Final = 4
"""Empty places between two paragraphs, so that nothing looks beyond its own."""
LONGEST_WORD: Final = 64
CLUSTER_BITS: Final = (4, 6, 8, 11)
"""How many bits of a word's cluster say more and more of it."""

_CAPITAL: Final = re.compile("[A-ZÀ-ÖØ-Þ]")
_SMALL: Final = re.compile("[a-zß-öø-ÿ]")
_DIGIT: Final = re.compile(r"\d")
_REPEATED: Final = re.compile(r"(.)\1+")
_CUES: Final = tuple((int(cue), cue.name) for cue in Cue)


def word_outline(word: str) -> str:
    """Return a word with `A` for capitals, `a` for small letters, `9` for digits."""
    return _DIGIT.sub("9", _SMALL.sub("a", _CAPITAL.sub("A", word)))


def word_features(word: str, cues: int, cluster: int) -> tuple[list[str], list[str]]:
    """Return the names of a word's features: those shared by all languages, and those of its own.

    `cluster` is the number of the words that stand where it stands, -1 for none.
    """
    lower, case, outline = word.lower()[:LONGEST_WORD], word_shape(word), word_outline(word[:LONGEST_WORD])
    runs = _REPEATED.sub(r"\1+", outline)
    shared = [f"s={case}", f"c={runs}", f"l={outline[:12]}", f"w={lower}", f"n={min(len(word), 12)}"]
    local = [f"w={lower}", f"W={word[:LONGEST_WORD]}", f"s={case}", f"xs={lower[-3:]}{case}"]
    local += [f"x={lower[-n:]}" for n in range(1, 6) if len(lower) > n]
    local += [f"p={lower[:n]}" for n in range(2, 6) if len(lower) > n]
    names = [name for bit, name in _CUES if cues & bit]
    shared += [f"q={name}" for name in names] + [f"qs={name}{case}" for name in names]
    local += [f"q={name}" for name in names]
    if not names:
        shared.append(f"q0={case}")
    if cluster >= 0:
        local += [f"k{bits}={cluster & ((1 << bits) - 1)}" for bits in CLUSTER_BITS]
        local += [f"k={cluster}", f"ks={cluster & 255}{case}"]
    else:
        local.append(f"k?={case}")
    return shared, local


def hash_features(word: str, cues: int, cluster: int) -> tuple[list[int], list[int]]:
    """Return the hashes of a word's features: those shared by all languages, and those of its own."""
    shared, local = word_features(word, cues, cluster)
    return [hash_text(name, SHARED_SALT) for name in shared], [hash_text(name, LOCAL_SALT) for name in local]


SHARED_SALT: Final = zlib.crc32(b"shared")
LOCAL_SALT: Final = zlib.crc32(b"own")

TAGS: Final = (
    "ADJ", "ADP", "ADV", "AUX", "CCONJ", "DET", "INTJ", "NOUN", "NUM", "PART", "PRON", "PROPN", "PUNCT", "SCONJ", "SYM",
    "VERB", "X",
)  # fmt: skip
"""The tags of all languages; a word that is several has one for its first part and one for its last."""
CONTEXT: Final = {
    "first tag": len(TAGS), "last tag": len(TAGS), "gap": 5, "gap behind": 5, "place in line": 4, "place from end": 4,
    "length of line": 7, "opens paragraph": 2, "ends paragraph": 2, "behind colon": 6, "in later cell": 2,
    "in brackets": 2, "in quotes": 2,
}  # fmt: skip
"""What is seen of where a token stands, and how many values each has."""


@lru_cache(maxsize=16)
def _parts_of_tags(tags: tuple[str, ...]) -> tuple[Rows, Rows]:
    """Return the numbers of the first and of the last part of each tag."""
    parts = [tag.split("+") for tag in tags]
    return np.array([TAGS.index(one[0]) for one in parts]), np.array([TAGS.index(one[-1]) for one in parts])


@dataclass(frozen=True, slots=True)
class TokenPlaces:
    """Where the tokens of a text stand: in paragraphs with room between them, and in their lines."""

    layout: Layout = field(repr=False)
    place: Rows
    """The row of each token among those of all paragraphs, padded."""
    size: int
    """How many rows there are."""
    paragraph: Rows
    """The first token of each paragraph."""
    context: Rows = field(repr=False)
    """The values of each token in CONTEXT, each a row of one table."""

    @classmethod
    def of_tokens(
        cls, tags: NDArray[np.uint8], tag_names: tuple[str, ...], start: NDArray[Any], end: NDArray[Any],
        gap: NDArray[np.int8], marks: NDArray[np.uint8],
    ) -> TokenPlaces:  # fmt: skip
        """Look at the tokens of a text; there is at least one."""
        layout = Layout.from_tokens(start, end, gap, marks)
        opens = gap == PARAGRAPH_BREAK
        opens[0] = True
        place = np.arange(len(gap)) + PADDING * np.cumsum(opens)
        context = _describe_context(layout, tags, tag_names, gap)
        return cls(layout, place, int(place[-1]) + 1 + PADDING, np.flatnonzero(opens), context)


def _describe_context(
    layout: Layout, tags: NDArray[np.uint8], tag_names: tuple[str, ...], gap: NDArray[np.int8]
) -> Rows:
    size, places = len(gap), np.arange(len(gap))
    first, last = _parts_of_tags(tag_names)
    ending = layout.line_start[layout.line + 1]
    ends_paragraph = np.where(ending < size, gap[np.minimum(ending, size - 1)] == PARAGRAPH_BREAK, True)
    columns = (
        first[tags], last[tags], gap, np.append(gap[1:], PARAGRAPH_BREAK), np.minimum(layout.place_in_line, 3),
        np.minimum(layout.from_line_end, 3), np.minimum(np.diff(layout.line_start)[layout.line], 12) // 2,
        gap[layout.line_start[layout.line]] == PARAGRAPH_BREAK, ends_paragraph,
        np.where(layout.colon >= 0, np.minimum(places - layout.colon, 5), 0),
        layout.cell_start != layout.line_start[layout.line], layout.is_bracketed, layout.is_quoted,
    )  # fmt: skip
    begins = np.cumsum([0, *CONTEXT.values()])[:-1]
    result: Rows = np.stack([column.astype(np.int64) for column in columns], axis=1) + begins
    return result
