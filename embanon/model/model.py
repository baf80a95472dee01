"""A model: a corpus's statistics of phrases, memory-mapped and shared by all processes that open it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from embanon.errors import DataError
from embanon.language import Cue, Lemmatizer, Lexicon, entity_key, key, spelling_variant, words_of
from embanon.model.columns import PhrasePostings, check_card, check_columns, documents_from_arrays
from embanon.model.duplicates import sample_gram_hashes
from embanon.model.subwords import Subwords
from embanon.model.vectors import Vectors, unit_rows
from embanon.storage import Arrays, KeyedShares, KeyIndex, Keys, KeySet, hash_keys, load, select_prefix
from embanon.text import CorpusStatistics

Ints = NDArray[np.int64]
Floats = NDArray[np.float32]


FUNCTION_WORDS: Final = int(Cue.STOP | Cue.CONNECTOR | Cue.DETERMINER)


class Step(IntEnum):
    """What an answer about a phrase is based on."""

    EXACT = 0
    VARIANT = 1
    PARTS = 2
    SUBWORDS = 3
    UNKNOWN = 4


@dataclass(frozen=True, slots=True, eq=False)
class VocabularyTable:
    """Phrases or words, by number: how often each occurs, in how many documents, within how many names of persons."""

    keys: Keys = field(repr=False)
    counts: NDArray[np.uint32] = field(repr=False)
    documents: NDArray[np.uint32] = field(repr=False)
    persons: NDArray[np.uint32] = field(repr=False)
    vectors: Vectors = field(repr=False)
    capitals: NDArray[np.uint32] | None = field(default=None, repr=False)
    forms: NDArray[np.uint8] | None = field(default=None, repr=False)

    def __len__(self) -> int:
        return len(self.keys)


@dataclass(frozen=True, slots=True, eq=False)
class Lookup:
    """Phrases as the model knows them: keys, the step each is based on, its number if it has one, else -1."""

    keys: list[str] = field(repr=False)
    numbers: Ints
    steps: NDArray[np.uint8]
    vectors: Floats = field(repr=False)


class Model:
    """An opened model. All questions about phrases are asked for many at once."""

    def __init__(self, path: Path, card: dict[str, Any], arrays: Arrays) -> None:
        check_columns(arrays)
        check_card(card, arrays)
        self.path, self.card, self._arrays = path, card, arrays
        self.phrases = _table_from_arrays(arrays, "phrases")
        self.words = _table_from_arrays(arrays, "words") if "words.ends" in arrays else self.phrases
        self.variants = KeyIndex(arrays["variants.hashes"], arrays["variants.numbers"], len(self.phrases))
        self.entities = Keys.from_arrays(select_prefix(arrays, "entities"))
        self.documents = documents_from_arrays(select_prefix(arrays, "documents"))
        self.postings = PhrasePostings(arrays["postings.starts"], arrays["postings.documents"])
        self.output = arrays.get("output")
        if not self._sizes_agree():
            raise DataError(f"{path}: its arrays do not fit together; run: embanon model verify {path}")

    def _sizes_agree(self) -> bool:
        """Compare the sizes of arrays that are used together."""
        size, dimensions = len(self.phrases), self.dimensions
        optional = (self._arrays[name] for name in ("output", "subwords") if name in self._arrays)
        return (
            dimensions > 0
            and all(rows.shape[1] == dimensions for rows in (self.words.vectors.data, *optional))
            and len(self.variants.hashes) == len(self.variants.numbers)
            and len(self.postings.starts) == size + 1
            and len(self.postings.documents) == int(self.postings.starts[-1])
            and (self.output is None or len(self.output) == size)
        )

    @classmethod
    def open(cls, path: str | Path) -> Model:
        """Open a model's folder; nothing of it is read until it is asked for."""
        card, arrays = load(Path(path))
        try:
            return cls(Path(path), card, arrays)
        except (KeyError, ValueError, IndexError) as exc:
            raise DataError(f"{path}: lacks arrays of a model; run: embanon model verify {path}") from exc

    def __repr__(self) -> str:
        return f"Model({str(self.path)!r})"

    def __reduce__(self) -> tuple[Callable[..., Model], tuple[Path]]:
        return Model.open, (self.path.absolute(),)  # a process that is sent a model opens it itself

    @property
    def dimensions(self) -> int:
        """Return the length of a vector."""
        return self.phrases.vectors.dimensions

    @property
    def growth_obstacle(self) -> str:
        """Return why the model cannot grow."""
        if self.card.get("public"):
            return "it was made to be shared"
        if self.card.get("backend") == "fasttext":
            return "a model with subwords does not keep what growing needs"
        if self.card.get("backend") == "word2vec":
            return "it was trained with --no-grow"
        return "it was read from a file that lacks what growing needs"

    @cached_property
    def statistics(self) -> Mapping[str, CorpusStatistics]:
        """Return what the corpus says of capitals and of joined names, by language."""
        by_language = {}
        for name in self._arrays:
            if name.startswith("statistics.") and name.endswith(".capital.ends"):
                language = name.split(".")[1]
                capital = select_prefix(self._arrays, f"statistics.{language}.capital")
                joins = Keys.from_arrays(select_prefix(self._arrays, f"statistics.{language}.joins"))
                by_language[language] = CorpusStatistics(KeyedShares.from_arrays(capital), KeySet(joins))
        return by_language

    @cached_property
    def subwords(self) -> Subwords | None:
        """Return the vectors of parts of words, if the model has them."""
        if "subwords" not in self._arrays:
            return None
        bounds = self.card["subwords"]
        return Subwords(bounds["minimum"], bounds["maximum"], self._arrays["subwords"])

    @cached_property
    def _lexicon(self) -> Lexicon:
        return Lexicon.load(str(self.card.get("language", "")))

    @cached_property
    def _lemma(self) -> Callable[[str], str]:
        return lru_cache(maxsize=65_536)(Lemmatizer.load(str(self.card.get("language", ""))).lemma)

    # What a phrase is

    def find(self, phrases: Sequence[str]) -> Lookup:
        """Look phrases up: as they are, else as a variant, else by their words, else by parts of words."""
        keys = [key(phrase) for phrase in phrases]
        numbers = self.phrases.keys.find(phrases if self.card.get("verbatim") else keys)
        steps = np.where(numbers >= 0, Step.EXACT, Step.UNKNOWN).astype(np.uint8)
        left = np.flatnonzero(numbers < 0)
        if len(left) and self.card.get("verbatim"):
            self._accept_matches(numbers, steps, left, self.phrases.keys.find([keys[n] for n in left]), Step.VARIANT)
            left = np.flatnonzero(numbers < 0)
        if len(left):
            variants = self.variants.find([spelling_variant(keys[n], self._lemma) for n in left])
            self._accept_matches(numbers, steps, left, variants, Step.VARIANT)
        vectors = self.phrases.vectors.rows(numbers)
        # A phrase that is known, but without a vector, stands on what its vector is made of.
        for place in np.flatnonzero(np.isnan(vectors[:, 0])).tolist():
            vectors[place], step = self._compose_vector(phrases[place], keys[place])
            steps[place] = step
        return Lookup(keys, numbers, steps, vectors)

    @staticmethod
    def _accept_matches(numbers: Ints, steps: NDArray[np.uint8], left: Ints, matches: Ints, step: Step) -> None:
        known = matches >= 0
        numbers[left[known]] = matches[known]
        steps[left[known]] = step

    def _compose_vector(self, phrase: str, key: str) -> tuple[Floats, Step]:
        """Put the vector of an unknown phrase together from what is known of it."""
        words = words_of(key)
        # A corpus counts these within names alone, where they are rare: the film A in a film would outweigh the film.
        words = [word for word in words if not self._lexicon.flags(word) & FUNCTION_WORDS] or words
        numbers = self.words.keys.find(words)
        if self.card.get("verbatim"):  # whose words may have another case
            numbers = np.where(
                numbers < 0, self.variants.find([spelling_variant(word, self._lemma) for word in words]), numbers
            )
        known = self.words.vectors.has_vector(numbers)
        if known.any():
            alone = self.phrases.keys.find([word for word, is_known in zip(words, known, strict=True) if is_known])
            rows = self.words.vectors.rows(numbers[known])
            # A word that is a phrase as well is what it is alone, not what it is in all others: a film is a film.
            is_phrase = self.phrases.vectors.has_vector(alone)
            rows[is_phrase] = self.phrases.vectors.rows(alone[is_phrase])
            mean: Floats = np.asarray(self.rarity(self.words, numbers[known]) @ unit_rows(rows), np.float32)
            if mean.any():
                return mean, Step.PARTS
        vector = self.subwords.vector(phrase if self.card.get("verbatim") else key) if self.subwords else None
        if vector is not None and vector.any():
            return vector, Step.SUBWORDS
        return np.full(self.dimensions, np.nan, np.float32), Step.UNKNOWN

    def rarity(self, table: VocabularyTable, numbers: ArrayLike) -> NDArray[np.float64]:
        """Return the inverse document frequency of known numbers in bits, at least a little above 0."""
        total, counts = int(self.card["documents"]), table.documents
        if not total:  # a model that was converted may know how often its words occur
            total, counts = max(int(self.card["units"]), 1), table.counts
        shares = (counts[np.asarray(numbers, np.int64)] + 0.5) / total
        return np.clip(-np.log2(shares), 0.01, np.log2(total) + 1)

    # How near phrases are

    def similarity(self, entity: str, phrases: Sequence[str]) -> tuple[Floats, NDArray[np.uint8]]:
        """Return the cosine of each phrase to an entity, and the step it is based on; unknown is NaN."""
        looked_up = self.find([entity, *phrases])
        rows = unit_rows(looked_up.vectors)
        return rows[1:] @ rows[0], looked_up.steps[1:]

    def cosines(self, entities: Sequence[str], numbers: ArrayLike) -> Floats:
        """Return the cosine of each entity (a row) to each phrase by number (a column): one product for all."""
        return self.phrases.vectors.cosines(self.find(entities).vectors, numbers)

    def neighbors(self, phrase: str, count: int = 10) -> list[tuple[str, float]]:
        """Return the phrases nearest to a phrase, but for itself, with their cosines."""
        looked_up = self.find([phrase])
        if np.isnan(looked_up.vectors).any():
            return []
        cosines = self.phrases.vectors.cosines(looked_up.vectors)[0]
        if looked_up.numbers[0] >= 0:
            cosines[looked_up.numbers[0]] = np.nan
        cosines = np.nan_to_num(cosines, nan=-2)
        best = np.argsort(-cosines, kind="stable")[:count]
        best = best[cosines[best] > -2]
        return list(zip(self.phrases.keys.texts(best), cosines[best].tolist(), strict=True))

    # Who goes with what

    def find_entity(self, name: str) -> int | None:
        """Return the number of an entity of the corpus."""
        number = int(self.entities.find([entity_key(name)])[0])
        return number if number >= 0 else None

    def documents_about(self, entity: int) -> Ints:
        """Return the documents about an entity."""
        return np.flatnonzero(self.documents.entities == entity)

    def documents_with(self, number: int) -> Ints:
        """Return the documents that have a phrase; -1 is in none."""
        if number < 0:
            return np.zeros(0, np.int64)
        start, end = self.postings.starts[number : number + 2].astype(np.int64)
        documents = self.postings.documents[start:end].astype(np.int64)
        if np.max(documents, initial=-1) >= len(self.documents):
            raise self._damaged_error()
        return documents

    def count_together(self, numbers: ArrayLike, documents: ArrayLike) -> Ints:
        """Count how many of the given documents contain each phrase; -1 is in none."""
        chosen = np.zeros(max(len(self.documents), 1), bool)
        chosen[np.asarray(documents, np.int64)] = True
        return np.array([chosen[self.documents_with(number)].sum() for number in np.asarray(numbers)], np.int64)

    def near_duplicates(self, text: str, share: float = 0.25) -> Ints:
        """Return the documents that are nearly the same as a text: what scoring it must leave out.

        They have `share` of the runs of words of the shorter of the two in common.
        """
        same = self.documents.digests == hash_keys([text])[0]
        words = hash_keys(words_of(key(text)))
        runs, _ = sample_gram_hashes(words, np.array([0, len(words)]))
        all_hashes = self.documents.gram_hashes
        first, last = np.searchsorted(all_hashes, runs), np.searchsorted(all_hashes, runs, side="right")
        places = [np.arange(a, b) for a, b in zip(first.tolist(), last.tolist(), strict=True) if a < b]
        if places:
            sizes = np.minimum(np.maximum(self._gram_counts, 1), len(runs))
            shared = np.bincount(self.documents.gram_documents[np.concatenate(places)], minlength=len(self.documents))
            same |= shared >= np.maximum(share * sizes, 1)
        return np.flatnonzero(same)

    @cached_property
    def _gram_counts(self) -> Ints:
        if np.max(self.documents.gram_documents, initial=0) >= max(len(self.documents), 1):
            raise self._damaged_error()
        return np.bincount(self.documents.gram_documents, minlength=len(self.documents))

    def _damaged_error(self) -> DataError:
        return DataError(f"{self.path}: names documents that it does not have; run: embanon model verify {self.path}")


def _table_from_arrays(arrays: Arrays, name: str) -> VocabularyTable:
    stored = select_prefix(arrays, name)
    vectors = Vectors.from_arrays(select_prefix(stored, "vectors"))
    keys = Keys.from_arrays(stored)
    sizes = {len(stored[column]) for column in ("counts", "documents", "persons")} | {len(keys), len(vectors)}
    if len(sizes) != 1:
        raise DataError(f"the arrays of {name} do not fit together; run: embanon model verify MODEL")
    return VocabularyTable(
        keys, stored["counts"], stored["documents"], stored["persons"], vectors,
        stored.get("capitals"), stored.get("forms"),
    )  # fmt: skip
