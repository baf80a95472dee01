"""What the labeler sees: the features of word forms, computed once each, and those of tokens in their lines.

A word's features are hashed names; a token's are numbers that say in which row of a table to look. Some are the
language's own, others are shared by all languages, so that what one teaches helps another.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from embanon.language import Cue, hash_text, word_shape
from embanon.recognize.layout import Layout, mark_codes

Hashes = NDArray[np.uint32]
Rows = NDArray[np.int64]

OFFSETS: Final = (-2, -1, 0, 1, 2)
PADDING: Final = 2
"""Empty words between two lines, so that no feature looks beyond its line."""
LONGEST_WORD: Final = 64
CLUSTER_BITS: Final = (4, 6, 8, 11)
"""How many bits of a word's cluster say more and more of it."""
CLASS_BITS: Final = 10
"""Bits of the cluster that pairs of words look at."""
LOCAL_ROWS: Final = 1 << 17
SHARED_ROWS: Final = 1 << 16

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


def hash_features(word: str, cues: int, cluster: int) -> list[int]:
    """Return the hashes of a word's features, shared and local."""
    shared, local = word_features(word, cues, cluster)
    return [hash_text(name, SHARED_SALT) for name in shared] + [hash_text(name, LOCAL_SALT) for name in local]


SHARED_SALT: Final = zlib.crc32(b"shared")
LOCAL_SALT: Final = zlib.crc32(b"own")

TOKEN_DTYPE: Final = np.dtype(
    [("word", np.uint32), ("case", np.uint32), ("outline", np.uint32), ("cluster", np.uint32), ("mark", np.uint8)]
)


def describe_words(words: Sequence[str], clusters: NDArray[np.int64]) -> NDArray[Any]:
    """Return what tokens' features read of word forms."""
    table = np.zeros(len(words), TOKEN_DTYPE)
    table["word"] = [hash_text(word.lower()[:LONGEST_WORD]) for word in words]
    table["case"] = [hash_text(word_shape(word)) for word in words]
    table["outline"] = [hash_text(word_outline(word[:6])) for word in words]
    table["cluster"] = np.where(clusters >= 0, clusters & ((1 << CLASS_BITS) - 1), 1 << CLASS_BITS)
    table["mark"] = mark_codes(words)
    return table


@dataclass(frozen=True, slots=True)
class TokenColumns:
    """The tokens of a text as numbers, padded between lines, and where each stands among them."""

    places: Rows
    ids: Rows
    table: NDArray[Any] = field(repr=False)
    tags: NDArray[np.uint32] = field(repr=False)
    layout: Layout = field(repr=False)
    gap: NDArray[np.int8] = field(repr=False)

    @classmethod
    def build(
        cls, ids: Rows, table: NDArray[Any], tags: NDArray[np.uint8], start: NDArray[Any], end: NDArray[Any],
        gap: NDArray[np.int8],
    ) -> TokenColumns:  # fmt: skip
        """Pad the tokens of a text; row 0 of `table` is the empty word."""
        layout = Layout.from_tokens(start, end, gap, table["mark"][ids])
        places = np.arange(len(ids)) + PADDING * (layout.line + 1)
        padded = np.zeros(int(places[-1]) + PADDING + 1, np.int64)
        padded[places] = ids
        padded_tags = np.full(len(padded), NO_TAG, np.uint32)
        padded_tags[places] = tags
        return cls(places, padded, table, padded_tags, layout, gap)

    def at(self, column: str, offset: int = 0) -> Hashes:
        """Return a column of the words at an offset from each token."""
        values: Hashes = self.table[column][self.ids[self.places + offset]].astype(np.uint32)
        return values

    def tag_at(self, offset: int) -> Hashes:
        """Return the tags at an offset from each token."""
        values: Hashes = self.tags[self.places + offset]
        return values


NO_TAG: Final = 255
_MULTIPLIERS: Final = tuple(np.uint32(value) for value in (0x9E3779B1, 0x85EBCA77, 0xC2B2AE3D, 0x27D4EB2F))


def mix(template: int, rows: int, *values: NDArray[Any]) -> Rows:
    """Return the row of a table of so many rows (a power of two) that a template's values say."""
    mixed = np.full(len(values[0]), template * 0x51ED27 + 1, np.uint32)
    for value, multiplier in zip(values, _MULTIPLIERS, strict=False):
        mixed = (mixed ^ value.astype(np.uint32)) * multiplier
        mixed ^= mixed >> np.uint32(15)
    mixed *= _MULTIPLIERS[0]
    return (mixed >> np.uint32(32 - (rows.bit_length() - 1))).astype(np.int64)


def context_rows(columns: TokenColumns) -> tuple[list[Rows], list[Rows]]:
    """Return the rows that each token looks up: in the table shared by all languages, and in the language's own."""
    layout, size = columns.layout, len(columns.places)
    line_opens = layout.line_start[layout.line]
    opens_paragraph = columns.gap[line_opens] == 4
    word = {offset: columns.at("word", offset) for offset in OFFSETS}
    case = {offset: columns.at("case", offset) for offset in OFFSETS}
    tag = {offset: columns.tag_at(offset) for offset in OFFSETS}
    outline = {offset: columns.at("outline", offset) for offset in (-1, 0, 1)}
    cluster = {offset: columns.at("cluster", offset) for offset in (-1, 0, 1)}
    gap = columns.gap.astype(np.uint32)
    gap_after = np.append(gap[1:], np.uint32(4))
    first = np.minimum(layout.place_in_line, 3)
    last = np.minimum(layout.from_line_end, 3)
    length = np.diff(layout.line_start)[layout.line]
    colon = layout.colon
    behind = colon >= 0
    distance = np.where(behind, np.minimum(np.arange(size) - colon, 5), 0)
    written = columns.table["word"][columns.ids[columns.places]]
    label = np.where(behind, written[np.maximum(colon - 1, 0)], 0)
    label_before = np.where(behind & (colon - 2 >= layout.cell_start), written[np.maximum(colon - 2, 0)], 0)
    opening = written[line_opens]
    closing = np.where(opens_paragraph, 0, written[np.maximum(line_opens - 1, 0)])
    later_cell = layout.cell_start != layout.line_start[layout.line]
    ending = layout.line_start[layout.line + 1]
    ends_paragraph = np.where(ending < size, gap[np.minimum(ending, size - 1)] == 4, True)
    shared = [
        (np.zeros(size),), (first,), (last,), (gap, gap_after), (np.minimum(length, 12) // 2,),
        (case[0], gap, gap_after), (opens_paragraph, ends_paragraph, np.minimum(length, 6)), (distance,),
        (later_cell,), (layout.is_bracketed, layout.is_quoted), (case[-1], case[0], case[1]),
        (case[-2], case[-1], case[0]), (case[0], case[1], case[2]), (outline[-1], outline[0], outline[1]),
    ]  # fmt: skip
    local = [
        (tag[0],), (tag[-1],), (tag[1],), (tag[-2], tag[-1]), (tag[-1], tag[0]), (tag[0], tag[1]), (tag[1], tag[2]),
        (tag[0], case[0]), (tag[-1], tag[0], tag[1]), (word[-1], word[0]), (word[0], word[1]), (word[-2], word[-1]),
        (word[1], word[2]), (cluster[-1], cluster[0]), (cluster[0], cluster[1]), (cluster[-1], cluster[1]),
        (label,), (label, np.minimum(distance, 3)), (label, label_before), (np.where(behind, opening, 0),),
        (opening,), (closing,),
    ]  # fmt: skip
    return (
        [mix(number, SHARED_ROWS, *map(np.asarray, values)) for number, values in enumerate(shared)],
        [mix(number, LOCAL_ROWS, *map(np.asarray, values)) for number, values in enumerate(local)],
    )
