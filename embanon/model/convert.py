"""Convert vectors of other tools to a model, and a model to a form that can be shared."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from embanon.errors import ConfigError
from embanon.language import PERSON_CUES, PLACE_CUES, Cue, Lexicon, variant_arrays, words_of
from embanon.model.foreign import ForeignEmbeddings
from embanon.model.model import Model, VocabularyTable
from embanon.model.vectors import Vectors
from embanon.storage import Arrays, Keys, add_prefix, folder as folders

MIN_DOCUMENTS: Final = 5
"""Documents that must have what a public model shows."""
MAX_PERSON_SHARE_OF_PHRASE: Final = 0.1
"""The share of a phrase's occurrences as a person from which a public model leaves it out."""
MAX_PERSON_SHARE_OF_WORD: Final = 0.3
"""The same for a word, which occurs in names of places and works as well."""


def convert(
    foreign: ForeignEmbeddings, target: Path, *, dtype: str = "float16", language: str = "", license: str = ""
) -> None:
    """Save what a file of another tool holds as a model; keys stay as they are written."""
    folders.check_target(target)
    size = len(foreign.keys)
    counts = np.zeros(size) if foreign.counts is None else foreign.counts
    arrays = add_prefix("phrases", {
        **Keys.from_strings(foreign.keys).arrays(), "forms": np.zeros(size, np.uint8),
        "counts": np.clip(counts, 0, 2**32 - 1).astype(np.uint32), "documents": np.zeros(size, np.uint32),
        "persons": np.zeros(size, np.uint32), "capitals": np.zeros(size, np.uint32),
    })  # fmt: skip
    arrays |= add_prefix("phrases.vectors", Vectors.from_rows(foreign.vectors, dtype).arrays())
    arrays |= empty_document_arrays(size) | variant_arrays(foreign.keys, language)
    card: dict[str, Any] = {
        "backend": foreign.kind, "verbatim": True, "dimensions": int(foreign.vectors.shape[1]), "dtype": dtype,
        "phrases": size, "words": size, "documents": 0, "entities": 0, "units": int(counts.sum()),
        "language": language, "languages": [language] if language else [], "corpus": {"license": license},
        "versions": {"embanon": version("embanon")},
    }  # fmt: skip
    if foreign.subwords:
        arrays["subwords"] = foreign.subwords.vectors.astype("float32" if dtype == "float32" else "float16")
        card["subwords"] = {"minimum": foreign.subwords.minimum, "maximum": foreign.subwords.maximum}
    folders.save(target, arrays, card)


def empty_document_arrays(phrases: int) -> Arrays:
    """Return the arrays of a model that knows no documents."""
    empty: Arrays = {
        **Keys.from_strings([]).arrays(), "digests": np.zeros(0, np.uint64), "entities": np.zeros(0, np.int32),
        "gram_hashes": np.zeros(0, np.uint64), "gram_documents": np.zeros(0, np.uint32),
    }  # fmt: skip
    return (
        add_prefix("documents", empty)
        | add_prefix("entities", Keys.from_strings([]).arrays())
        | add_prefix("postings", {"starts": np.zeros(phrases + 1, np.uint64), "documents": np.zeros(0, np.uint32)})
    )


@dataclass(frozen=True, slots=True)
class ExportOptions:
    """What a model for others keeps: phrases of enough documents that are no persons, and at most so many."""

    min_documents: int = MIN_DOCUMENTS
    phrases: int = 0  # 0: all
    words: int = 0
    dtype: str = ""
    card: dict[str, Any] = field(default_factory=dict)


def export(model: Model, target: Path, public: ExportOptions = ExportOptions()) -> dict[str, Any]:
    """Save a model without rare phrases, names of persons, documents and entities; return its card.

    What is frequent in a secret corpus may still be a secret: the caller decides.
    """
    folders.check_target(target)
    if public.min_documents < 2:
        raise ConfigError("--least must be at least 2: what stands in one document alone is its secret")
    if model.card.get("verbatim"):
        raise ConfigError(f"{model.path}: was converted and tells nothing of documents; it is public as it is")
    if model.card.get("subwords"):
        raise ConfigError(f"{model.path}: its subwords would still spell what is left out; train with word2vec")
    flags = Lexicon.load(str(model.card["language"])).flags
    words = _is_shareable(model.words, MAX_PERSON_SHARE_OF_WORD, public, public.words)
    words &= np.array([not _is_person_name(word, flags) for word in model.words.keys], bool)
    kept_words = {word for word, kept in zip(model.words.keys, words.tolist(), strict=True) if kept}
    phrases = _is_shareable(model.phrases, MAX_PERSON_SHARE_OF_PHRASE, public, 0)
    phrases &= np.array([kept_words.issuperset(words_of(phrase)) for phrase in model.phrases.keys], bool)
    phrases &= _keep_most_frequent(model.phrases, phrases, public.phrases)
    dtype = public.dtype or model.card["dtype"]
    kept = np.flatnonzero(phrases)
    if not len(kept):
        raise ConfigError(f"{model.path}: nothing is left to share; train on more, or lower --least")
    arrays = _table_arrays(model.phrases, kept, "phrases", dtype) | _table_arrays(
        model.words, np.flatnonzero(words), "words", dtype
    )
    arrays |= empty_document_arrays(len(kept))
    arrays |= variant_arrays(model.phrases.keys.texts(kept), str(model.card["language"]))
    left_out = ("files", "corpus", "entities", "subwords")
    card = {name: value for name, value in model.card.items() if name not in left_out} | {
        "public": True, "least": public.min_documents, "dtype": dtype, "phrases": len(kept), "words": int(words.sum()),
        "entities": 0, "corpus": {"license": model.card["corpus"].get("license", "")}, **public.card,
    }  # fmt: skip
    folders.save(target, arrays, card)
    return card


def _is_shareable(table: VocabularyTable, personal: float, public: ExportOptions, most: int) -> NDArray[np.bool_]:
    kept = (table.documents >= public.min_documents) & (table.persons < personal * table.counts)
    return kept & _keep_most_frequent(table, kept, most)


def _keep_most_frequent(table: VocabularyTable, kept: NDArray[np.bool_], most: int) -> NDArray[np.bool_]:
    """Return the most frequent of those that are kept; 0 means all."""
    if not most or kept.sum() <= most:
        return kept
    chosen = np.zeros(len(table), bool)
    chosen[np.flatnonzero(kept)[np.argsort(-table.counts[kept].astype(np.int64), kind="stable")[:most]]] = True
    return chosen


def _is_person_name(word: str, flags: Callable[[str], int]) -> bool:
    """Return whether a word is known as a name of persons, and as nothing else."""
    cues = flags(word.capitalize())
    return bool(cues & PERSON_CUES) and not cues & (PLACE_CUES | int(Cue.AMBIGUOUS))


def _table_arrays(table: VocabularyTable, kept: NDArray[np.int64], name: str, dtype: str) -> Arrays:
    columns = {
        column: values[kept]
        for column in ("counts", "documents", "persons", "capitals", "forms")
        if (values := getattr(table, column)) is not None
    }
    rows = np.nan_to_num(table.vectors.rows(kept))
    return add_prefix(name, {**Keys.from_strings(table.keys.texts(kept)).arrays(), **columns}) | add_prefix(
        f"{name}.vectors", Vectors.from_rows(rows, dtype).arrays()
    )
