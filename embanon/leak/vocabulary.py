"""Texts as weighted words, by a collection's vocabulary, and the files that store it."""

from __future__ import annotations

import zlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from io import BytesIO
from itertools import chain, pairwise, repeat
from pathlib import Path
from typing import Any, Final
from zipfile import BadZipFile

import numpy as np
from numpy.typing import NDArray

from embanon.errors import DataError
from embanon.io import replace_file
from embanon.leak.ordinary import OrdinaryLanguage
from embanon.leak.regression import Floats, SparseRows
from embanon.model import Model, unit_rows
from embanon.risk import BagOfWords

PASSAGE_WORDS: Final = 100
"""Words of a passage."""
MIN_KNOWN_SHARE: Final = 0.3
"""The share of a text's words, numbers aside, that is known at least, else nothing can be said of it: as of another
language, of which it is a quarter at most."""
MIN_WORD_DOCUMENTS: Final = 2
"""Documents that have a word, below which it is left out."""
ORDINARY_PAGES: Final = 100
"""Pages of the language at large that count beside those of a collection where it is told how rare words are."""


def cut_passages(words: Sequence[str], length: int = PASSAGE_WORDS) -> Iterator[Sequence[str]]:
    """Cut a text into passages; a short end belongs to the last."""
    count = max(round(len(words) / length), 1)
    bounds = [round(len(words) * n / count) for n in range(count + 1)]
    for start, end in pairwise(bounds):
        yield words[start:end]


@dataclass(frozen=True, slots=True, eq=False)
class Vocabulary:
    """The words of a collection, and how rare each is."""

    places: dict[str, int] = field(repr=False)
    rarity: Floats = field(repr=False)
    _numbers: frozenset[str] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        """Know which of the words are numbers."""
        object.__setattr__(self, "_numbers", frozenset(word for word in self.places if word.isdecimal()))

    @classmethod
    def from_texts(
        cls, texts: Iterable[Sequence[str]], language: OrdinaryLanguage | None = None, further: Iterable[str] = ()
    ) -> Vocabulary:
        """Count the words of a collection, as if pages of the language lay in it too; `further` words are kept."""
        documents, total = Counter[str](), 0
        for words in texts:
            total += 1
            documents.update(set(words))
        kept = sorted({*further, *(word for word, count in documents.items() if count >= MIN_WORD_DOCUMENTS)})
        counts, pages = np.array([documents[word] for word in kept], np.float64), 0
        if language is not None:
            pages = ORDINARY_PAGES
            counts += pages * language.page_shares(kept)
        return cls({word: place for place, word in enumerate(kept)}, np.log((1 + total + pages) / (1 + counts)))

    def __len__(self) -> int:
        return len(self.places)

    def count_unknown(self, words: Iterable[str]) -> tuple[int, bool]:
        """Count the words of a text that it lacks, numbers aside; and say whether these are too many."""
        different = set(words) - self._numbers
        lacking = different.difference(self.places)
        numbers = sum(map(str.isdecimal, lacking))
        return len(lacking) - numbers, len(lacking) - numbers > (1 - MIN_KNOWN_SHARE) * (len(different) - numbers)

    def rows(self, texts: Sequence[Sequence[str]], most: int | None = None) -> SparseRows:
        """Return texts as rows of length 1, a word counted so often at most; words of no vocabulary are nothing."""
        lengths = [len(words) for words in texts]
        places = map(self.places.get, chain.from_iterable(texts), repeat(-1))
        numbers = np.fromiter(places, np.int64, sum(lengths))
        owners = np.repeat(np.arange(len(texts)), lengths)
        bag = BagOfWords.from_words(owners, numbers, len(texts), len(self))
        capped = bag if most is None else BagOfWords(bag.texts, bag.words, np.minimum(bag.counts, most), bag.size)
        return SparseRows(bag.texts, bag.words, capped.weights(self.rarity), bag.size, len(self))

    def vectors(self, model: Model) -> Floats:
        """Return the unit vectors that a model has of the words; 0 where it has none."""
        numbers = model.words.keys.find(self.places)
        return np.nan_to_num(unit_rows(model.words.vectors.rows(numbers))).astype(np.float64)

    def to_arrays(self) -> dict[str, NDArray[np.generic]]:
        """Return it as it is stored."""
        blob = "\n".join(self.places).encode("utf-8", "surrogatepass")
        return {"words": np.frombuffer(blob, np.uint8), "rarity": self.rarity}

    @classmethod
    def from_arrays(cls, words: NDArray[np.uint8], rarity: Floats) -> Vocabulary:
        """Take it from where it is stored."""
        written = words.tobytes().decode("utf-8", "surrogatepass").split("\n") if len(words) else []
        if len(written) != len(rarity):
            raise ValueError("words and rarity differ in number")
        return cls({word: place for place, word in enumerate(written)}, np.asarray(rarity, np.float64))


# Files: arrays of what is learnt of a company's documents, never unpickled, for their owner alone

RELEARN_COMMANDS: Final = {"hints": "embanon leak scan --learn", "copies": "embanon leak scan --learn"}
"""Kind -> what learns it, where that is no command of its own."""
READ_ERRORS: Final = (
    ValueError, KeyError, IndexError, OSError, EOFError, MemoryError, TypeError, AttributeError, zlib.error, BadZipFile,
)  # fmt: skip
"""What a file that is none of ours, or that is broken, can lead to."""


def save_arrays(path: Path, kind: str, version: int, arrays: Mapping[str, NDArray[Any]]) -> None:
    """Write arrays, whole or not at all."""
    archive = BytesIO()
    np.savez_compressed(archive, allow_pickle=False, kind=np.array(kind), format=np.array([version]), **arrays)
    replace_file(path, archive.getvalue())


def is_kind(path: Path, kind: str) -> bool:
    """Return whether a file is one of a kind, of whatever format."""
    try:
        with np.load(BytesIO(path.read_bytes()), allow_pickle=False) as arrays:
            return str(arrays["kind"]) == kind
    except READ_ERRORS:
        return False


@contextmanager
def load_arrays(path: Path, kind: str, version: int) -> Iterator[Mapping[str, NDArray[Any]]]:
    """Return the arrays of a file; whatever fails inside is a `DataError`."""
    again = f"learn it again ({RELEARN_COMMANDS.get(kind, 'embanon leak learn')})"
    try:
        # A file that is broken stays open where numpy opens it.
        with np.load(BytesIO(path.read_bytes()), allow_pickle=False) as arrays:
            if str(arrays["kind"]) != kind:
                raise DataError(f"{path.name} holds {arrays['kind']!s}, not {kind}; name another file")
            if (present := int(arrays["format"][0])) != version:
                raise DataError(f"{path.name} has format {present}, this embanon reads {version}; {again}")
            yield arrays
    except FileNotFoundError:
        raise DataError(f"{path.name} is not there; {again}") from None
    except READ_ERRORS as error:
        raise DataError(f"{path.name} is truncated, or not a file of this kind; {again}") from error
