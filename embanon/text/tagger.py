"""Tag parts of speech by array look-ups: one dictionary look-up per token, then sums of score rows.

A token's score for each tag is the sum of what the words around it say, at -2 … +2. What a word says at a place is
the sum of its features' weights there (form, affixes, shape, what dictionaries say of it); that sum depends on the
word alone, so it is computed once for each distinct word and kept. A second pass adds what the neighboring tags say.

Of languages without a tagger, the script stands in: capitals, digits, stop words.
"""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

import numpy as np
from numpy.typing import NDArray

from embanon.data import find_resource, open_archive, pack_archive
from embanon.language import (
    LONGEST_WORD,
    Cue,
    Lexicon,
    find_positions,
    hash_text,
    hash_texts,
    sum_hashed_rows,
    word_shape,
)
from embanon.text.tokens import FeatureFunction, TokenFeatures

FORMAT: Final = 1
OFFSETS: Final = (-2, -1, 0, 1, 2)


BIAS, SHAPE, WORD, CASED_WORD = hash_text("bias"), hash_text("s"), hash_text("w"), hash_text("W")
SUFFIX, PREFIX, SHAPE_ENDING, CLASS, CLASS_SHAPE, CLASS_ENDING = map(hash_text, "xpycde")


def feature_hashes(word: str, classes: Sequence[int]) -> list[int]:
    """Return the hashed features of a word; `classes` are what the dictionaries know of it, 0 for nothing.

    Its form with and without case; suffixes and prefixes; endings with the shape; classes alone, with the shape
    and with the ending.
    """
    if len(word) > LONGEST_WORD:
        word = word[: LONGEST_WORD // 2] + word[-LONGEST_WORD // 2 :]
    lower, form = word.lower(), word_shape(word)
    crc, size = zlib.crc32, len(lower)
    if word.isascii():  # bytes are characters: slice them at once
        data, tail = lower.encode(), form.encode()
        hashes = [BIAS, crc(tail, SHAPE), crc(data, WORD), crc(word.encode(), CASED_WORD)]
        hashes += [crc(data[-n:], SUFFIX) for n in range(1, min(size, 6))]
        hashes += [crc(data[:n], PREFIX) for n in range(1, min(size, 5))]
        hashes += [crc(data[-2:] + tail, SHAPE_ENDING), crc(data[-3:] + tail, SHAPE_ENDING)]
    else:
        tail = form.encode("utf-8", "surrogatepass")
        hashes = [BIAS, hash_text(form, SHAPE), hash_text(lower, WORD), hash_text(word, CASED_WORD)]
        hashes += [hash_text(lower[-n:], SUFFIX) for n in range(1, min(size, 6))]
        hashes += [hash_text(lower[:n], PREFIX) for n in range(1, min(size, 5))]
        hashes += [hash_text(lower[-2:] + form, SHAPE_ENDING), hash_text(lower[-3:] + form, SHAPE_ENDING)]
    ending = None
    for number, value in enumerate(classes):
        name = b"%d:%d" % (number, value)
        hashes += [crc(name, CLASS), crc(name + tail, CLASS_SHAPE)]
        if value:
            ending = ending or ("/" + lower[-2:]).encode("utf-8", "surrogatepass")
            hashes.append(crc(name + ending, CLASS_ENDING))
    return hashes


@dataclass(frozen=True, slots=True)
class TaggerWeights:
    """What training leaves: arrays only.

    `keys` sorted hashes of features, `values[feature, offset, tag]`; `words` sorted hashes of known lower-case
    forms with their dictionary classes; `frequent` hashes of the words that the second pass knows by themselves,
    `context[cell, tag]` its weights in the order of `context_cells`.
    """

    tags: tuple[str, ...]
    keys: NDArray[np.uint32] = field(repr=False)
    values: NDArray[np.int8] = field(repr=False)
    words: NDArray[np.uint32] = field(repr=False)
    classes: NDArray[np.uint16] = field(repr=False)
    frequent: NDArray[np.uint32] = field(repr=False)
    context: NDArray[np.int8] = field(repr=False)
    first_pass_scale: int = 1
    """How many units of the second pass one unit of the first is worth."""

    def class_rows(self, words: Sequence[str]) -> NDArray[np.uint16]:
        """Return the dictionary classes of words, zeros where nothing is known."""
        place = find_positions(self.words, hash_texts([word.lower() for word in words]))
        rows = np.zeros((len(words), self.classes.shape[1]), dtype=np.uint16)
        rows[place >= 0] = self.classes[place[place >= 0]]
        return rows

    def score_words(self, words: Sequence[str]) -> NDArray[np.int16]:
        """Sum the weights of each word's features: an array of words × offsets × tags."""
        hashes = [feature_hashes(word, row) for word, row in zip(words, self.class_rows(words).tolist(), strict=True)]
        return sum_hashed_rows(self.keys, self.values, hashes)

    def to_bytes(self) -> bytes:
        """Write as a compressed archive of arrays."""
        return pack_archive(
            format=np.array([FORMAT, self.first_pass_scale]), tags=np.array(self.tags), keys=self.keys,
            values=self.values, words=self.words, classes=self.classes, frequent=self.frequent, context=self.context,
        )  # fmt: skip

    @classmethod
    def from_bytes(cls, data: bytes, name: str = "tagger") -> TaggerWeights:
        """Read what `to_bytes` wrote; never unpickles."""
        with open_archive(data, name, FORMAT) as arrays:
            return cls(
                tuple(arrays["tags"].tolist()), arrays["keys"], arrays["values"], arrays["words"],
                arrays["classes"], arrays["frequent"], arrays["context"], int(arrays["format"][1]),
            )  # fmt: skip


def context_cells(
    tags: NDArray[np.int64], frequent: NDArray[np.int64], places: NDArray[np.int64], tag_count: int, word_count: int
) -> NDArray[np.int64]:
    """Return the cells of the second pass's table that each token looks up: tags around it, with frequent words.

    `tags` and `frequent` are padded by two at the borders of sentences (tag `tag_count`, word 0), `places` are the
    tokens' places in them.
    """
    size, words = tag_count + 1, word_count + 1
    before, after = tags[places - 1], tags[places + 1]
    word, word_before, word_after = frequent[places], frequent[places - 1], frequent[places + 1]
    tables = (
        (before * size + after, size * size),
        (tags[places - 2] * size + before, size * size),
        (after * size + tags[places + 2], size * size),
        (word * size + after, words * size),
        (word * size + before, words * size),
        (word_before * size + after, words * size),
        (word_after * size + before, words * size),
        (word_before * words + word, words * words),
        (word * words + word_after, words * words),
    )
    starts = np.cumsum([0] + [count for _, count in tables[:-1]])
    return np.stack([cells + start for (cells, _), start in zip(tables, starts.tolist(), strict=True)])


@dataclass(frozen=True, slots=True)
class Tagger:
    """A tagger ready to run on forms that have its columns."""

    weights: TaggerWeights

    @property
    def tags(self) -> tuple[str, ...]:
        """Name the tags by their numbers; contractions have two or more, joined by `+`."""
        return self.weights.tags

    def frequent_word_ids(self, words: Sequence[str]) -> NDArray[np.int16]:
        """Number the words that the second pass knows by themselves, 0 for all others."""
        positions = find_positions(self.weights.frequent, hash_texts(word.lower() for word in words))
        return (positions + 1).astype(np.int16)

    def columns(self) -> dict[str, FeatureFunction]:
        """Return the columns of forms that tagging reads."""
        return {"rows": self.weights.score_words, "frequent": self.frequent_word_ids}

    def tag(self, features: TokenFeatures, sentence: NDArray[np.bool_]) -> NDArray[np.uint8]:
        """Return the number of each word's tag in `tags`; `sentence` says where sentences start."""
        size = len(features.ids)
        if not size:
            return np.zeros(0, dtype=np.uint8)
        table, weights = features.columns["rows"], self.weights
        places = np.arange(size) + 2 * np.cumsum(sentence)  # two empty words before each sentence, and at the end
        if not sentence[0]:
            places += 2
        padded = np.zeros(int(places[-1]) + 3, dtype=np.int64)
        padded[places] = features.ids
        scores = table[padded[places - 2], 0]
        for number, offset in enumerate(OFFSETS[1:], start=1):
            scores += table[padded[places + offset], number]
        tags = scores.argmax(axis=1)
        if len(weights.context):
            scaled = scores * np.int32(weights.first_pass_scale)
            around = np.full(len(padded), len(self.tags), dtype=np.int64)
            known = features.columns["frequent"][padded].astype(np.int64)
            for _ in range(2):
                around[places] = tags
                again = scaled.copy()
                for row in context_cells(around, known, places, len(self.tags), len(weights.frequent)):
                    again += weights.context[row]
                tags = again.argmax(axis=1)
        result: NDArray[np.uint8] = tags.astype(np.uint8)
        return result


def load_tagger(language: str) -> Tagger:
    """Open the shipped tagger of a language (`en`, `es`, `pt`, `de`)."""
    name = f"{language}.npz"
    return Tagger(TaggerWeights.from_bytes(find_resource("embeddings", "tagger", name).read_bytes(), name))


TAGS: Final = ("X", "NOUN", "PROPN", "NUM", "PUNCT")
_X, _NOUN, _PROPN, _NUM, _PUNCT = range(5)
MAX_FUNCTION_WORD: Final = 3
"""Letters of a lower-case word that is taken for a function word where no list of stop words is known."""


@dataclass(frozen=True, slots=True)
class ScriptTagger:
    """Stands in for a tagger; has its interface."""

    lexicon: Lexicon = field(repr=False)
    tags: tuple[str, ...] = TAGS

    def columns(self) -> dict[str, FeatureFunction]:
        """Return the column of forms that tagging reads."""
        return {"script": self._tag_forms}

    def _tag_forms(self, words: Sequence[str]) -> NDArray[np.uint8]:
        known = bool(self.lexicon.folded)
        return np.array([self._tag(word, known) for word in words], dtype=np.uint8)

    def _tag(self, word: str, known: bool) -> int:
        if not any(map(str.isalpha, word)):
            return _NUM if any(map(str.isdigit, word)) else _PUNCT
        stop = bool(self.lexicon.flags(word.lower()) & Cue.STOP)
        if stop or (word.islower() and not known and len(word) <= MAX_FUNCTION_WORD):
            return _X
        return _PROPN if word[0].isupper() else _NOUN

    def tag(self, features: TokenFeatures, sentence: NDArray[np.bool_]) -> NDArray[np.uint8]:
        """Return the number of each word's tag in `tags`."""
        tags: NDArray[np.uint8] = features.columns["script"][features.ids].copy()
        return tags
