"""Documents that nearly repeat another: found by sketches of the runs of eight words that they have.

A sketch holds, of the runs of words of a document, the least of each of sixteen classes. Two documents have as many
numbers in common as they share runs. Those that agree in one of four quarters are compared.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Final
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from embanon.model import GRAM_WORDS, MULTIPLIER

Words = NDArray[np.uint64]
Numbers = NDArray[np.uint32]

SIZE: Final = 16
QUARTERS: Final = 4
MIN_ALIKE: Final = 12
"""Numbers of a sketch that two documents have in common if three of four runs are the same."""
MIN_WORDS: Final = 2 * GRAM_WORDS
"""Words from which a text is long enough to be compared."""
SORTED_TOGETHER: Final = 20_000
"""Documents that are put in order together."""
WORD: Final = re.compile(r"\w+")
MULTIPLE: Final = int(MULTIPLIER)
CLASSES: Final = np.arange(SIZE, dtype=np.uint64)
MASK_64_BITS: Final = (1 << 64) - 1
EMPTY_CLASS: Final = np.uint64(0xFFFFFFFF)


@lru_cache(maxsize=1 << 16)
def _word_hash(word: str) -> int:
    return crc32(word.encode("utf-8", "surrogatepass"))


def sketch(text: str) -> bytes | None:
    """Return the sketch of a text; nothing of a short one."""
    written = WORD.findall(text.lower())
    words = np.fromiter(map(_word_hash, written), np.uint64, len(written))
    if len(words) < MIN_WORDS:
        return None
    count = len(words) - GRAM_WORDS + 1
    runs = words[:count].copy()
    for step in range(1, GRAM_WORDS):
        runs *= MULTIPLIER
        runs += words[step : step + count]
    runs ^= runs >> np.uint64(29)
    runs *= MULTIPLIER
    runs.sort()  # by class, and in each from the least
    classes = runs >> np.uint64(60)
    firsts = np.searchsorted(classes, CLASSES)
    kept = runs[np.minimum(firsts, count - 1)]
    least = np.where(kept >> np.uint64(60) == CLASSES, kept >> np.uint64(24), EMPTY_CLASS).astype(np.uint32)
    filled = np.flatnonzero(least != EMPTY_CLASS)
    if not len(filled):
        return None
    # A class without a run takes over the number of the next one that has any: so do all texts with these runs.
    following = filled[np.searchsorted(filled, np.arange(SIZE)) % len(filled)]
    return least[following].astype("<u4").tobytes()


@dataclass(slots=True)
class SketchIndex:
    """The sketches of documents, in the order in which they came."""

    _names: list[str | None] = field(default_factory=list, repr=False)
    _blocks: list[Numbers] = field(default_factory=list, repr=False)
    """Sketches, many at once."""
    _sorted_quarters: list[tuple[Words, NDArray[np.int32]]] = field(default_factory=list, repr=False)
    """Of each many: their quarters in order, and whose each is."""
    _unsorted: list[Numbers] = field(default_factory=list, repr=False)
    _quarters: dict[int, int] = field(default_factory=dict, repr=False)
    """Quarter of a fresh one -> the first document that has it."""

    @classmethod
    def from_rows(cls, rows: Iterable[tuple[str | None, bytes]]) -> SketchIndex:
        """Take over sketches by name."""
        index = cls()
        for name, data in rows:
            index._add(name, np.frombuffer(data, "<u4"), _quarters(data))
        return index

    def find_near_duplicate(self, name: str, data: bytes) -> str | None:
        """Return the first other document that one nearly repeats, and take that one up."""
        numbers = np.frombuffer(data, "<u4")
        quarters = _quarters(data)
        alike = (one for one in sorted(set(self._candidates(quarters))) if self._is_near(one, name, numbers))
        first = next(alike, None)
        self._add(name, numbers, quarters)
        return None if first is None else self._names[first]

    def _add(self, name: str | None, numbers: Numbers, quarters: Sequence[int]) -> None:
        number = len(self._names)
        self._names.append(name)
        self._unsorted.append(numbers)
        for quarter in quarters:
            self._quarters.setdefault(quarter, number)
        if len(self._unsorted) >= SORTED_TOGETHER:
            held = np.fromiter(self._quarters, np.uint64, len(self._quarters))
            owners = np.fromiter(self._quarters.values(), np.int32, len(held))
            order = np.argsort(held)
            self._blocks.append(np.stack(self._unsorted))
            self._sorted_quarters.append((held[order], owners[order]))
            self._unsorted, self._quarters = [], {}

    def _candidates(self, quarters: Sequence[int]) -> Iterator[int]:
        asked = np.array(quarters, np.uint64)
        for held, owners in self._sorted_quarters:
            places = np.minimum(np.searchsorted(held, asked), len(held) - 1)
            yield from owners[places[held[places] == asked]].tolist()
        yield from (self._quarters[one] for one in quarters if one in self._quarters)

    def _is_near(self, number: int, name: str, numbers: Numbers) -> bool:
        many, place = divmod(number, SORTED_TOGETHER)
        other = self._blocks[many][place] if many < len(self._blocks) else self._unsorted[place]
        known = self._names[number]
        return known is not None and known != name and int((other == numbers).sum()) >= MIN_ALIKE


def _quarters(data: bytes) -> list[int]:
    """Return the four quarters of a sketch, each as a number that also says which it is."""
    size = len(data) // QUARTERS
    wholes = (int.from_bytes(data[size * one : size * (one + 1)], "little") for one in range(QUARTERS))
    return [((whole ^ whole >> 61) * MULTIPLE + one) & MASK_64_BITS for one, whole in enumerate(wholes)]
