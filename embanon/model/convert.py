"""Make a model of what another tool has trained, or of a model itself, for others to have."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from embanon.errors import ConfigError
from embanon.language.lexicon import PERSON, PLACE, Cue, Lexicon
from embanon.language.normalize import variants_of, words_of
from embanon.model.foreign import Foreign
from embanon.model.model import Model, Table
from embanon.model.vectors import Vectors
from embanon.storage import folder as folders
from embanon.storage.folder import Arrays, over
from embanon.storage.keys import Keys

LEAST: Final = 5
"""Documents that must have what a public model shows."""
PERSONAL_PHRASE: Final = 0.1
"""The share of a phrase's occurrences as a person from which a public model leaves it out."""
PERSONAL_WORD: Final = 0.3
"""The same for a word, which stands in names of places and works as well."""


def convert(foreign: Foreign, target: Path, *, dtype: str = "float16", language: str = "", license: str = "") -> None:
    """Save what a file of another tool holds as a model; keys stay as they are written."""
    folders.check_target(target)
    size = len(foreign.keys)
    counts = np.zeros(size) if foreign.counts is None else foreign.counts
    arrays = over("phrases", {
        **Keys.of(foreign.keys).arrays(), "forms": np.zeros(size, np.uint8),
        "counts": np.clip(counts, 0, 2**32 - 1).astype(np.uint32), "documents": np.zeros(size, np.uint32),
        "persons": np.zeros(size, np.uint32), "capitals": np.zeros(size, np.uint32),
    })  # fmt: skip
    arrays |= over("phrases.vectors", Vectors.of(foreign.vectors, dtype).arrays())
    arrays |= nothing_of_documents(size) | variants_of(foreign.keys, language)
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


def nothing_of_documents(phrases: int) -> Arrays:
    """Give the arrays of a model that knows no documents."""
    empty: Arrays = {
        **Keys.of([]).arrays(), "digests": np.zeros(0, np.uint64), "entities": np.zeros(0, np.int32),
        "gram_hashes": np.zeros(0, np.uint64), "gram_documents": np.zeros(0, np.uint32),
    }  # fmt: skip
    return (
        over("documents", empty)
        | over("entities", Keys.of([]).arrays())
        | over("postings", {"starts": np.zeros(phrases + 1, np.uint64), "documents": np.zeros(0, np.uint32)})
    )


@dataclass(frozen=True, slots=True)
class Public:
    """What a model for others keeps: phrases of enough documents that are no persons, and at most so many."""

    least: int = LEAST
    phrases: int = 0  # 0: all
    words: int = 0
    dtype: str = ""
    card: dict[str, Any] = field(default_factory=dict)


def export(model: Model, target: Path, public: Public = Public()) -> dict[str, Any]:
    """Save a model without rare phrases, names of persons, documents and entities; give its card.

    What is frequent in a secret corpus may still be a secret: the caller decides.
    """
    folders.check_target(target)
    if public.least < 2:
        raise ConfigError("--least must be at least 2: what stands in one document alone is its secret")
    if model.card.get("verbatim"):
        raise ConfigError(f"{model.path}: was converted and tells nothing of documents; it is public as it is")
    if model.card.get("subwords"):
        raise ConfigError(f"{model.path}: its subwords would still spell what is left out; train with word2vec")
    flags = Lexicon.load(str(model.card["language"])).flags
    words = _kept(model.words, PERSONAL_WORD, public, public.words)
    words &= np.array([not _personal(word, flags) for word in model.words.keys], bool)
    said = {word for word, kept in zip(model.words.keys, words.tolist(), strict=True) if kept}
    phrases = _kept(model.phrases, PERSONAL_PHRASE, public, 0)
    phrases &= np.array([said.issuperset(words_of(phrase)) for phrase in model.phrases.keys], bool)
    phrases &= _most(model.phrases, phrases, public.phrases)
    dtype = public.dtype or model.card["dtype"]
    kept = np.flatnonzero(phrases)
    if not len(kept):
        raise ConfigError(f"{model.path}: nothing is left to share; train on more, or lower --least")
    arrays = _table(model.phrases, kept, "phrases", dtype) | _table(model.words, np.flatnonzero(words), "words", dtype)
    arrays |= nothing_of_documents(len(kept))
    arrays |= variants_of(model.phrases.keys.texts(kept), str(model.card["language"]))
    left_out = ("files", "corpus", "entities", "subwords")
    card = {name: value for name, value in model.card.items() if name not in left_out} | {
        "public": True, "least": public.least, "dtype": dtype, "phrases": len(kept), "words": int(words.sum()),
        "entities": 0, "corpus": {"license": model.card["corpus"].get("license", "")}, **public.card,
    }  # fmt: skip
    folders.save(target, arrays, card)
    return card


def _kept(table: Table, personal: float, public: Public, most: int) -> NDArray[np.bool_]:
    kept = (table.documents >= public.least) & (table.persons < personal * table.counts)
    return kept & _most(table, kept, most)


def _most(table: Table, kept: NDArray[np.bool_], most: int) -> NDArray[np.bool_]:
    """Tell the most frequent of those that are kept; 0 means all."""
    if not most or kept.sum() <= most:
        return kept
    chosen = np.zeros(len(table), bool)
    chosen[np.flatnonzero(kept)[np.argsort(-table.counts[kept].astype(np.int64), kind="stable")[:most]]] = True
    return chosen


def _personal(word: str, flags: Callable[[str], int]) -> bool:
    """Tell a word that is known as a name of persons, and as nothing else."""
    cues = flags(word.capitalize())
    return bool(cues & PERSON) and not cues & (PLACE | int(Cue.AMBIGUOUS))


def _table(table: Table, kept: NDArray[np.int64], name: str, dtype: str) -> Arrays:
    columns = {
        column: values[kept]
        for column in ("counts", "documents", "persons", "capitals", "forms")
        if (values := getattr(table, column)) is not None
    }
    rows = np.nan_to_num(table.vectors.rows(kept))
    return over(name, {**Keys.of(table.keys.texts(kept)).arrays(), **columns}) | over(
        f"{name}.vectors", Vectors.of(rows, dtype).arrays()
    )
