"""Lookup of phrases: their keys, and tables of keys that are searched on disk."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from embanon.errors import DataError

BLOCK_SIZE: Final = 65_536
DAMAGED_MESSAGE: Final = "a vocabulary is damaged; run: embanon model verify MODEL"


def hash_keys(keys: Iterable[str]) -> NDArray[np.uint64]:
    """Return a 64-bit hash of each key: no two of a vocabulary share one, nor does a stranger by chance."""
    hashed = (blake2b(key.encode("utf-8", "surrogatepass"), digest_size=8).digest() for key in keys)
    return np.frombuffer(b"".join(hashed), "<u8")


def hash_key(key: str) -> int:
    """Return the hash of one key, as a signed number."""
    hashed = blake2b(key.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return int.from_bytes(hashed, "little", signed=True)


@dataclass(frozen=True, slots=True, eq=False)
class KeyIndex:
    """Hashes in order, and the number that each stands for, which is below `size`."""

    hashes: NDArray[np.uint64] = field(repr=False)
    numbers: NDArray[np.uint32] = field(repr=False)
    size: int

    @classmethod
    def from_keys(cls, keys: Iterable[str]) -> KeyIndex:
        """Index keys by their place; of equal ones the first."""
        hashed = hash_keys(keys)
        hashes, numbers = np.unique(hashed, return_index=True)
        return cls(hashes, numbers.astype(np.uint32), len(hashed))

    def find(self, keys: Iterable[str]) -> NDArray[np.int64]:
        """Return the number of each key, -1 where it is unknown."""
        wanted = hash_keys(keys)
        if not len(self.hashes):
            return np.full(len(wanted), -1)
        places = np.minimum(np.searchsorted(self.hashes, wanted), len(self.hashes) - 1)
        numbers = np.where(self.hashes[places] == wanted, self.numbers[places].astype(np.int64), -1)
        if numbers.max(initial=-1) >= self.size:
            raise DataError(DAMAGED_MESSAGE)
        return numbers


@dataclass(frozen=True, slots=True, eq=False)
class Keys(Sequence[str]):
    """A vocabulary: the keys one behind the other, where each ends, and their index."""

    blob: NDArray[np.uint8] = field(repr=False)
    ends: NDArray[np.uint64] = field(repr=False)
    hash_index: KeyIndex = field(repr=False)

    @classmethod
    def from_strings(cls, keys: Sequence[str]) -> Keys:
        """Make a vocabulary of distinct keys."""
        coded = [key.encode("utf-8", "surrogatepass") for key in keys]
        ends = np.cumsum([len(code) for code in coded], dtype=np.uint64)
        return cls(np.frombuffer(b"".join(coded), np.uint8), ends, KeyIndex.from_keys(keys))

    def __len__(self) -> int:
        return len(self.ends)

    def __getitem__(self, place: Any) -> Any:
        if isinstance(place, slice):
            return self.texts(range(*place.indices(len(self))))
        return self.texts([range(len(self))[place]])[0]

    def __iter__(self) -> Iterator[str]:
        for first in range(0, len(self), BLOCK_SIZE):
            yield from self.texts(range(first, min(first + BLOCK_SIZE, len(self))))

    def __contains__(self, key: object) -> bool:
        return isinstance(key, str) and bool(self.find([key])[0] >= 0)

    def texts(self, numbers: Iterable[int]) -> list[str]:
        """Return the keys of these numbers."""
        places = np.fromiter(numbers, np.int64)
        if np.min(places, initial=0) < 0:
            raise IndexError("an unknown phrase has no key")
        ends = self.ends[places].astype(np.int64)
        starts = np.where(places > 0, self.ends[np.maximum(places - 1, 0)].astype(np.int64), 0)
        spans = zip(starts.tolist(), ends.tolist(), strict=True)
        try:
            return [self.blob[start:end].tobytes().decode("utf-8", "surrogatepass") for start, end in spans]
        except UnicodeDecodeError:
            raise DataError(DAMAGED_MESSAGE) from None  # whose message would quote the vocabulary

    def find(self, keys: Iterable[str]) -> NDArray[np.int64]:
        """Return the number of each key, -1 where it is unknown."""
        return self.hash_index.find(keys)

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return what is stored."""
        return {
            "blob": self.blob,
            "ends": self.ends,
            "hashes": self.hash_index.hashes,
            "numbers": self.hash_index.numbers,
        }

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[Any]]) -> Keys:
        """Take what was stored, and see that its sizes agree."""
        try:
            blob, ends, hashes, numbers = (arrays[name] for name in ("blob", "ends", "hashes", "numbers"))
        except KeyError as exc:
            raise DataError(DAMAGED_MESSAGE) from exc
        keys = cls(blob, ends, KeyIndex(hashes, numbers, len(ends)))
        size = int(keys.ends[-1]) if len(keys) else 0
        if not len(keys) == len(hashes) == len(numbers) or size != len(blob):
            raise DataError("the arrays of a vocabulary do not fit together; run: embanon model verify MODEL")
        return keys


@dataclass(frozen=True, slots=True, eq=False)
class KeyedShares(Mapping[str, float]):
    """A mapping from keys to numbers that stays where it is stored."""

    keys_: Keys = field(repr=False)
    values_: NDArray[np.float32] = field(repr=False)

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[Any]]) -> KeyedShares:
        """Take what was stored, and see that its sizes agree."""
        keys = Keys.from_arrays(arrays)
        if "shares" not in arrays or len(arrays["shares"]) != len(keys):
            raise DataError(DAMAGED_MESSAGE)
        return cls(keys, arrays["shares"])

    def __getitem__(self, key: str) -> float:
        place = int(self.keys_.find([key])[0])
        if place < 0:
            raise KeyError
        return float(self.values_[place])

    def __len__(self) -> int:
        return len(self.keys_)

    def __iter__(self) -> Iterator[str]:
        return iter(self.keys_)


@dataclass(frozen=True, slots=True, eq=False)
class KeySet(Collection[str]):
    """A set of keys that stays where it is stored."""

    keys: Keys = field(repr=False)

    def __contains__(self, key: object) -> bool:
        return key in self.keys

    def __len__(self) -> int:
        return len(self.keys)

    def __iter__(self) -> Iterator[str]:
        return iter(self.keys)
