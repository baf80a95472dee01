"""A compiled, memory-mapped taxonomy: which concepts a phrase may mean, and what is broader than a concept."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from embanon.data import find_resource
from embanon.document import TYPES
from embanon.errors import DataError
from embanon.language import key
from embanon.storage import TAXONOMY, Arrays, hash_key, load
from embanon.taxonomy.concept import ANY_LANGUAGE, LINKS, Broader, Concept, Label

NO_TYPE: Final = 255
TYPES_BY_CODE: Final = (*TYPES, *("" for _ in range(NO_TYPE + 1 - len(TYPES))))
DTYPES: Final = {
    "concepts.hashes": "<i8", "concepts.ids": "|u1", "concepts.id_ends": "<u8", "concepts.types": "|u1",
    "concepts.weights": "<f4", "concepts.hidden": "|u1", "concepts.information": "<f4",
    "broader.starts": "<u8", "broader.concepts": "<u4", "broader.kinds": "|u1",
    "labels.starts": "<u8", "labels.languages": "|u1", "labels.weights": "<f4", "labels.blob": "|u1",
    "labels.ends": "<u8",
    "senses.keys": "<i8", "senses.starts": "<u4", "senses.concepts": "<u4", "senses.languages": "|u1",
    "senses.weights": "<f4",
}  # fmt: skip
"""The arrays of a store, and what their numbers are; each has one axis."""
ALIKE: Final = (
    ("concepts.hashes", "concepts.id_ends", "concepts.types", "concepts.weights", "concepts.hidden",
     "concepts.information"),
    ("broader.concepts", "broader.kinds"),
    ("labels.languages", "labels.weights", "labels.ends"),
    ("senses.concepts", "senses.languages", "senses.weights"),
)  # fmt: skip
"""Arrays that are as long as each other."""
RUNS: Final = {
    "broader.starts": ("concepts.hashes", "broader.concepts"),
    "labels.starts": ("concepts.hashes", "labels.ends"),
    "senses.starts": ("senses.keys", "senses.concepts"),
}
"""Where the rows of each one start -> what has rows, and the rows."""
ENDS: Final = {"concepts.id_ends": "concepts.ids", "labels.ends": "labels.blob"}
"""Where texts end -> their bytes."""


GENERAL_KINDS: Final = frozenset(("wikidata", "nltk"))
"""Kinds of sources that describe the world at large: what they say of a phrase is screened as what is shipped."""


class Sense(NamedTuple):
    """A concept that a phrase may mean, and how likely."""

    concept: int
    probability: float


class Link(NamedTuple):
    """A concept that is broader, and why (of LINKS)."""

    concept: int
    kind: str


class Store:
    """A store as `build` writes it; many threads and processes may ask it at once."""

    def __init__(self, path: Path, card: dict[str, Any], arrays: Arrays) -> None:
        self.path, self.card = path, card
        if wrong := find_mismatch(card, arrays):
            raise DataError(f"{path}: {wrong}; {TAXONOMY.repair_advice}")
        # Plain views: a slice of a mapped array costs five times one of these.
        get: Callable[[str], Any] = lambda name: np.asarray(arrays[name]).data  # noqa: E731
        self._hashes = get("concepts.hashes")
        self._ids, self._id_ends = get("concepts.ids"), get("concepts.id_ends")
        self._types, self._weights = get("concepts.types"), get("concepts.weights")
        self._hidden, self._information = get("concepts.hidden"), get("concepts.information")
        self._broader = get("broader.starts"), get("broader.concepts"), get("broader.kinds")
        self._labels, self._label_languages = get("labels.starts"), get("labels.languages")
        self._blob, self._ends, self._label_weights = get("labels.blob"), get("labels.ends"), get("labels.weights")
        self._keys, self._senses = get("senses.keys"), get("senses.starts")
        self._meant = get("senses.concepts"), get("senses.languages"), get("senses.weights")
        self._languages = {language: code for code, language in enumerate(card["languages"])}
        self._any = self._languages.get(ANY_LANGUAGE, -1)

    @classmethod
    def open(cls, path: str | Path) -> Store:
        """Open a store's folder; nothing of it is read until it is asked for."""
        return cls(Path(path), *load(Path(path), TAXONOMY))

    def __repr__(self) -> str:
        return f"Store({str(self.path)!r})"

    def __reduce__(self) -> tuple[Callable[..., Store], tuple[Path]]:
        return Store.open, (self.path.absolute(),)  # a process that is sent a store opens it itself

    def __len__(self) -> int:
        return len(self._hashes)

    @property
    def label_count(self) -> int:
        """Return how many labels there are, in all languages."""
        return len(self._label_languages)

    @property
    def is_authored(self) -> bool:
        """Return whether somebody chose its words to be said, and not to describe the world: see `GENERAL_KINDS`."""
        kinds = self.card.get("kinds")
        return not (isinstance(kinds, list) and GENERAL_KINDS.intersection(map(str, kinds)))

    def senses(self, phrase: str, language: str) -> list[Sense]:
        """Return what a phrase may mean in a language, the likeliest first.

        Where labels are counted, they say how likely; else how well known the concepts are.
        """
        hashed = hash_key(key(phrase))
        place = bisect_left(self._keys, hashed)
        if place == len(self._keys) or self._keys[place] != hashed:
            return []
        concepts, languages, weights = self._meant
        code, weights_by_concept = self._languages.get(language, -1), dict[int, float]()
        try:
            for sense in range(self._senses[place], self._senses[place + 1]):
                if languages[sense] in (code, self._any):
                    concept = concepts[sense]
                    weights_by_concept[concept] = max(weights_by_concept.get(concept, 0.0), weights[sense])
            known = {concept: self._weights[concept] for concept in weights_by_concept}
        except IndexError as exc:
            raise self._damaged_error() from exc
        if not any(weights_by_concept.values()):
            weights_by_concept = known
        total = sum(weights_by_concept.values()) + len(weights_by_concept) * SMOOTHING
        senses = [Sense(concept, (weight + SMOOTHING) / total) for concept, weight in weights_by_concept.items()]
        return sorted(senses, key=lambda sense: -sense.probability)

    def broader(self, concept: int) -> list[Link]:
        """Return what is broader than a concept."""
        starts, concepts, kinds = self._broader
        places = range(starts[concept], starts[concept + 1])
        try:
            links = [Link(concepts[place], LINKS[kinds[place]]) for place in places]
        except IndexError as exc:
            raise self._damaged_error() from exc
        if links and max(links).concept >= len(self._hashes):
            raise self._damaged_error()
        return links

    def label(self, concept: int, language: str) -> str | None:
        """Return what a concept is called in a language, or in all."""
        return next(self._texts(concept, language), None)

    def labels(self, concept: int, language: str) -> list[str]:
        """Return all that a concept is called in a language, or in all."""
        return list(self._texts(concept, language))

    def labels_by_language(self, concept: int) -> Iterator[Label]:
        """Return all that a concept is called, in any language."""
        for place in self._label_places(concept):
            yield Label(self._label_language(place), self._text(place), self._label_weights[place])

    def _texts(self, concept: int, language: str) -> Iterator[str]:
        codes = (self._languages.get(language, -1), self._any)
        for code in dict.fromkeys(codes):
            for place in self._label_places(concept):
                if self._label_languages[place] == code:
                    yield self._text(place)

    def _label_places(self, concept: int) -> range:
        """Return the places of the labels of a concept."""
        places = range(self._labels[concept], self._labels[concept + 1])
        if places.stop > len(self._label_languages):
            raise self._damaged_error()
        return places

    def _label_language(self, place: int) -> str:
        """Return the language of a label."""
        try:
            return str(self.card["languages"][self._label_languages[place]])
        except IndexError as exc:
            raise self._damaged_error() from exc

    def _text(self, place: int) -> str:
        start = self._ends[place - 1] if place else 0
        return str(self._blob[start : self._ends[place]], "utf-8", "replace")

    def id(self, concept: int) -> str:
        """Return the id of a concept in its source."""
        start = self._id_ends[concept - 1] if concept else 0
        try:
            return str(self._ids[start : self._id_ends[concept]], "utf-8", "surrogatepass")
        except UnicodeDecodeError:
            raise self._damaged_error() from None

    def find(self, id: str) -> int | None:
        """Return the number of a concept by its id."""
        hashed = hash_key(id)
        place = bisect_left(self._hashes, hashed)
        return place if place < len(self) and self._hashes[place] == hashed else None

    def links(self) -> tuple[NDArray[np.uint32], NDArray[np.uint32], NDArray[np.uint8]]:
        """Return all links as columns: what is narrower, what is broader, and why (the place in LINKS)."""
        starts, concepts, kinds = (np.asarray(column) for column in self._broader)
        return owners(starts).astype(np.uint32), concepts, kinds

    def weights(self) -> NDArray[np.float32]:
        """Return how well known each concept is."""
        return np.asarray(self._weights)

    def shared_concepts(self, other: Store) -> dict[int, int]:
        """Return the concepts that another store has as well, by their ids: number here -> number there."""
        mine, theirs = (np.frombuffer(store._hashes, np.int64) for store in (self, other))
        _, here, there = np.intersect1d(mine, theirs, assume_unique=True, return_indices=True)
        return dict(zip(here.tolist(), there.tolist(), strict=True))

    def hidden(self, concept: int) -> bool:
        """Return whether a concept is climbed through and never shown."""
        return bool(self._hidden[concept])

    def type(self, concept: int) -> str:
        """Return the type that all of a concept is of, or nothing."""
        code: int = self._types[concept]
        return TYPES_BY_CODE[code]

    def information(self, concept: int) -> float:
        """Return how much a concept says, in bits: 0 for what covers all."""
        return float(self._information[concept])

    @cached_property
    def languages(self) -> tuple[str, ...]:
        """Return the languages of the labels."""
        return tuple(self._languages)

    def concepts(self) -> Iterator[Concept]:
        """Return all that was compiled."""
        for number in range(len(self)):
            labels = self.labels_by_language(number)
            broader = (Broader(self.id(link.concept), link.kind) for link in self.broader(number))
            yield Concept(
                self.id(number), tuple(labels), tuple(broader), self.type(number), self._weights[number],
                self.hidden(number),
            )  # fmt: skip

    def _damaged_error(self) -> DataError:
        return DataError(f"{self.path}: is damaged; run: embanon ontology verify {self.path}")


def owners(starts: NDArray[np.uint64]) -> NDArray[np.int64]:
    """Return the number of the row that each item is of, by where rows start."""
    sizes = np.diff(starts).astype(np.int64)
    return np.repeat(np.arange(len(sizes)), sizes)


def find_mismatch(card: Mapping[str, Any], arrays: Arrays) -> str:
    """Return what of a store does not fit together, without reading what is in it; empty where all does."""
    languages = card.get("languages")
    if not isinstance(languages, list) or not all(isinstance(language, str) for language in languages):
        return "its card names no languages"
    for name, dtype in DTYPES.items():
        if name not in arrays:
            return f"lacks {name}.npy"
        if arrays[name].dtype.str != dtype or arrays[name].ndim != 1:
            return f"{name}.npy is not of its kind"
    for names in ALIKE:
        if len({len(arrays[name]) for name in names}) > 1:
            return f"{', '.join(f'{name}.npy' for name in names)} do not fit together"
    for name, (rows, items) in RUNS.items():
        starts = arrays[name]
        if len(starts) != len(arrays[rows]) + 1 or starts[0] or starts[-1] != len(arrays[items]):
            return f"{name}.npy does not fit what it counts"
    for name, items in ENDS.items():
        if (arrays[name][-1] if len(arrays[name]) else 0) != len(arrays[items]):
            return f"{name}.npy does not fit what it counts"
    return ""


SMOOTHING: Final = 0.5
"""What each sense counts beside its counts: what was never seen is possible."""


SHIPPED: Final = ("places", "wordnet")
"""Names of the shipped taxonomies, in the order in which they are asked."""


def taxonomy_folder(name: str) -> Path:
    """Return the folder of a taxonomy by its name."""
    if name not in SHIPPED:  # a folder that is called so is ./places
        return Path(name)
    folder = find_resource("ontologies", "stores", name)
    if not isinstance(folder, Path):
        raise DataError("shipped taxonomies are mapped from files; install embanon unpacked (pip install embanon)")
    return folder


@lru_cache(maxsize=16)
def open_taxonomy(name: str) -> Store:
    """Open a taxonomy, once while it is in use."""
    return Store.open(taxonomy_folder(name))
