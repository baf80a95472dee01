"""Count a corpus: which phrases and words it has, in which documents, about which entities."""

from __future__ import annotations

from array import array
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from embanon.document import FORMS, TYPES
from embanon.language import entity_key, key, words_of
from embanon.model.duplicates import document_of_each
from embanon.storage import hash_keys
from embanon.text import DocumentBatch

PERSON: Final = TYPES.index("PERSON")
ORG: Final = TYPES.index("ORG")
NAME: Final = FORMS.index("name")

Ints = NDArray[np.int64]


class Numbering:
    """Numbers for strings, in the order in which they are first seen."""

    def __init__(self, known: Iterable[str] = ()) -> None:
        # A dictionary that numbers what it does not have: looking up a thousand words is one call of C.
        self._numbers: defaultdict[str, int] = defaultdict()
        self._numbers.default_factory = self._numbers.__len__
        for text in known:
            self._numbers[text]

    def __len__(self) -> int:
        return len(self._numbers)

    def number_of_each(self, texts: Iterable[str]) -> Ints:
        """Number the texts."""
        return np.fromiter(map(self._numbers.__getitem__, texts), np.int64)

    def texts(self) -> list[str]:
        """Return what is numbered, in order."""
        return list(self._numbers)


@dataclass(frozen=True, slots=True, eq=False)
class CorpusCounts:
    """What a corpus has. Phrases, words, documents and entities are numbered.

    `sequence` has the phrases of all documents in order, document n from `bounds[n]` to `bounds[n + 1]`.
    """

    phrases: list[str] = field(repr=False)
    words: list[str] = field(repr=False)
    entities: list[str] = field(repr=False)
    sequence: NDArray[np.int32] = field(repr=False)
    bounds: Ints = field(repr=False)
    form: NDArray[np.uint8] = field(repr=False)
    type: NDArray[np.uint8] = field(repr=False)
    capital: NDArray[np.bool_] = field(repr=False)
    text: NDArray[np.int32] = field(repr=False)
    text_bounds: Ints = field(repr=False)
    ids: list[str] = field(repr=False)
    digests: NDArray[np.uint64] = field(repr=False)
    entity: NDArray[np.int32] = field(repr=False)
    languages: Counter[str] = field(repr=False)


class CorpusCollector:
    """Counts documents as their phrases are found; `known` are the phrases, words and entities of a model to grow."""

    def __init__(
        self, phrases: Iterable[str] = (), words: Iterable[str] = (), entities: Iterable[str] = (), first: bool = False
    ) -> None:
        self._phrases, self._words, self._entities = Numbering(phrases), Numbering(words), Numbering(entities)
        self._first = first
        self._columns: dict[str, list[NDArray[Any]]] = defaultdict(list)
        self._sizes, self._lengths = array("q"), array("q")
        self._ids: list[str] = []
        self._texts: list[str] = []
        self._entity = array("i")
        self._languages: Counter[str] = Counter()

    def add(self, together: DocumentBatch, entities: Sequence[str | None]) -> None:
        """Count documents that were read together, and what each is about."""
        text, phrases, starts = together.text, together.phrases, together.starts
        spans = zip(phrases.start.tolist(), phrases.end.tolist(), strict=True)
        written = [text[start:end] for start, end in spans]
        self._columns["sequence"].append(self._phrases.number_of_each(map(key, written)).astype(np.int32))
        self._columns["form"].append(phrases.form)
        self._columns["type"].append(phrases.type)
        self._columns["capital"].append(np.fromiter((phrase[:1].isupper() for phrase in written), bool))
        bounds = np.append(np.searchsorted(phrases.start, starts), len(phrases))
        self._sizes.extend(np.diff(bounds).tolist())
        for document in together.documents:
            words = self._words.number_of_each(words_of(key(document.text)))
            self._columns["text"].append(words.astype(np.int32))
            self._lengths.append(len(words))
            self._ids.append(document.id)
        self._texts.extend(hash_keys(document.text for document in together.documents).tolist())
        self._languages[together.language] += len(together.documents)
        if self._first:
            entities = self._first_names(phrases.form, phrases.type, bounds.tolist(), written)
        keys = [entity_key(entity) if entity else "" for entity in entities]
        self._entity.extend(int(self._entities.number_of_each([name])[0]) if name else -1 for name in keys)

    @staticmethod
    def _first_names(
        form: NDArray[np.uint8], type: NDArray[np.uint8], bounds: list[int], written: list[str]
    ) -> list[str | None]:
        """Return the first name of a person or organization in each document."""
        named = (form == NAME) & ((type == PERSON) | (type == ORG))
        places = [np.flatnonzero(named[start:end])[:1] + start for start, end in pairwise(bounds)]
        return [written[int(place[0])] if len(place) else None for place in places]

    def to_counts(self) -> CorpusCounts:
        """Return what has been counted."""
        # Words of phrases, as their keys have them, are words of the texts; in rare scripts a cut changes them.
        phrases = self._phrases.texts()
        for phrase in phrases:
            self._words.number_of_each(words_of(phrase))
        columns = {
            name: np.concatenate(self._columns[name]) if self._columns[name] else np.zeros(0, dtype)
            for name, dtype in (("sequence", "i4"), ("form", "u1"), ("type", "u1"), ("capital", "?"), ("text", "i4"))
        }
        return CorpusCounts(
            phrases=phrases, words=self._words.texts(), entities=self._entities.texts(), ids=self._ids,
            bounds=_bounds(self._sizes), text_bounds=_bounds(self._lengths),
            digests=np.array(self._texts, np.uint64), entity=np.array(self._entity, np.int32),
            languages=self._languages, **columns,
        )  # fmt: skip


def _bounds(sizes: array[int]) -> Ints:
    return np.concatenate([[0], np.cumsum(np.array(sizes, np.int64))])


def distinct_pairs(sequence: NDArray[np.int32], bounds: Ints) -> tuple[Ints, Ints]:
    """Return the distinct pairs of a number and a document that has it, in order."""
    documents = max(len(bounds) - 1, 1)
    pairs = np.sort(sequence.astype(np.int64) * documents + document_of_each(bounds))
    pairs = pairs[np.diff(pairs, prepend=-1) != 0]
    return pairs // documents, pairs % documents
