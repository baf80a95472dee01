"""The schema of a model: its documents, its arrays and its card.

That is checked when it is opened, without reading what is in them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from embanon.errors import DataError
from embanon.storage import Arrays, Keys

FLOATS: Final = ("<f2", "<f4")
COLUMN_TYPES: Final[dict[str, tuple[tuple[str, ...], int]]] = {
    "blob": (("|u1",), 1), "ends": (("<u8",), 1), "hashes": (("<u8",), 1), "numbers": (("<u4",), 1),
    "counts": (("<u4",), 1), "documents": (("<u4",), 1), "persons": (("<u4",), 1), "capitals": (("<u4",), 1),
    "forms": (("|u1",), 1), "shares": (("<f4",), 1), "starts": (("<u8",), 1),
    "digests": (("<u8",), 1), "entities": (("<i4",), 1),
    "gram_hashes": (("<u8",), 1), "gram_documents": (("<u4",), 1),
    "data": ((*FLOATS, "|i1"), 2), "scales": (("<f4",), 1), "norms": (("<f4",), 1),
    "output": (FLOATS, 2), "subwords": (FLOATS, 2),
}  # fmt: skip
"""Last part of an array's name -> what its numbers may be, and its axes."""
CARD_NUMBERS: Final = ("dimensions", "phrases", "words", "documents", "units")
CARD_TEXTS: Final = ("backend", "dtype", "language")
MAX_NUMBER: Final = 1 << 53


@dataclass(frozen=True, slots=True, eq=False)
class DocumentTable:
    """The documents of the corpus, by number."""

    ids: Keys = field(repr=False)
    digests: NDArray[np.uint64] = field(repr=False)
    entities: NDArray[np.int32] = field(repr=False)
    gram_hashes: NDArray[np.uint64] = field(repr=False)
    gram_documents: NDArray[np.uint32] = field(repr=False)

    def __len__(self) -> int:
        return len(self.digests)


@dataclass(frozen=True, slots=True, eq=False)
class PhrasePostings:
    """The documents of each phrase n: `documents[starts[n]:starts[n + 1]]`."""

    starts: NDArray[np.uint64] = field(repr=False)
    documents: NDArray[np.uint32] = field(repr=False)


def check_columns(arrays: Arrays) -> None:
    """Refuse an array of other numbers or axes than look-ups are made for."""
    for name, array in arrays.items():
        dtypes, axes = COLUMN_TYPES.get(name.rpartition(".")[2], ((array.dtype.str,), array.ndim))
        if array.dtype.str not in dtypes or array.ndim != axes:
            raise DataError(f"the array {name} is not of its kind; run: embanon model verify MODEL")


def check_card(card: Mapping[str, Any], arrays: Arrays) -> None:
    """Refuse a card that lacks what look-ups ask it."""
    bounds = card.get("subwords", {}) if "subwords" in arrays else {"minimum": 0, "maximum": 0}
    sound = isinstance(card.get("corpus"), dict) and isinstance(bounds, dict)
    sound = sound and all(isinstance(card.get(name), str) for name in CARD_TEXTS)
    sound = sound and all(_is_count(card.get(name)) for name in CARD_NUMBERS)
    sound = sound and all(_is_count(bounds.get(name)) for name in ("minimum", "maximum"))
    sound = sound and isinstance(bounds.get("space", " "), str)
    if not sound:
        raise DataError("the card lacks what a model must say of itself; train it anew, or restore a copy")


def _is_count(value: Any) -> bool:
    return isinstance(value, int) and 0 <= value < MAX_NUMBER


def documents_from_arrays(stored: Arrays) -> DocumentTable:
    """Take what was stored, and see that its sizes agree."""
    keys = Keys.from_arrays(stored)
    runs = len(stored["gram_hashes"]) == len(stored["gram_documents"])
    if not runs or not len(keys) == len(stored["digests"]) == len(stored["entities"]):
        raise DataError("the arrays of documents do not fit together; run: embanon model verify MODEL")
    return DocumentTable(
        keys, stored["digests"], stored["entities"], stored["gram_hashes"], stored["gram_documents"]
    )  # fmt: skip
