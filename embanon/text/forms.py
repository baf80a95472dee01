"""What each distinct word form is, computed once and kept: its number, shape, cues and rows of scores.

A token then costs one dictionary look-up; everything after it is arrays. This is only a cache: results never
depend on what it holds, and it forgets all when it has grown too large.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

FeatureFunction = Callable[[Sequence[str]], NDArray[Any]]

MAX_FORMS: Final = 60_000
"""Distinct forms that are kept."""
BATCH: Final = 1024


@dataclass(frozen=True, slots=True)
class TokenFeatures:
    """The numbers of the words asked for, and the columns that they index."""

    ids: NDArray[np.int64]
    columns: dict[str, NDArray[Any]] = field(repr=False)

    def per_token(self, column: str, name: str = "") -> NDArray[Any]:
        """Return a column for each of the words, or one field of it."""
        values = self.columns[column]
        return (values[name] if name else values)[self.ids]


class WordFormCache:
    """Columns of facts about word forms. The first form is the empty one, number 0."""

    def __init__(self, columns: dict[str, FeatureFunction]) -> None:
        self._make = columns
        self._lock = threading.Lock()
        self._clear()

    def __getstate__(self) -> dict[str, Any]:
        return {"columns": self._make}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__init__(**state)  # type: ignore[misc]

    def _clear(self) -> None:
        self._ids: dict[str, int] = {"": 0}
        self._columns = {name: make([""]) for name, make in self._make.items()}

    def _add_words(self, words: Sequence[str]) -> None:
        if len(self._ids) > MAX_FORMS:
            self._clear()
        new = list(dict.fromkeys(word for word in words if word not in self._ids))
        first, needed = len(self._ids), len(self._ids) + len(new)
        for name, column in self._columns.items():
            if needed > len(column):  # grow by doubling; readers keep the old array, whose rows stay right
                grown = np.zeros((max(needed, 2 * len(column)), *column.shape[1:]), column.dtype)
                grown[:first] = column[:first]
                self._columns[name] = column = grown
            for low in range(0, len(new), BATCH):
                some = new[low : low + BATCH]
                column[first + low : first + low + len(some)] = self._make[name](some)
        self._ids.update(zip(new, range(first, needed), strict=True))

    def look_up(self, words: Sequence[str]) -> TokenFeatures:
        """Number the words, learning those that are new."""
        with self._lock:
            ids = list(map(self._ids.get, words))
            if None in ids:
                self._add_words(words)
                ids = list(map(self._ids.get, words))
            return TokenFeatures(np.array(ids, dtype=np.int64), dict(self._columns))
