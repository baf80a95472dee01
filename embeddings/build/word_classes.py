"""Compile the classes of words: `python -m embeddings.build.word_classes pt --data DIR --out embeddings/build/classes`.

Words that stand where the same words stand are of a class. Vectors learnt from texts (word2vec, with few words around,
so that what stands alike counts more than what is spoken of) are halved and halved again; a class is the path of
halves, the first in the lowest bit, so that few bits say little and more say more, as in spaCy's look-up tables, which
are read for languages that have them.
"""

from __future__ import annotations

import argparse
import gzip
import json
import random
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from embanon.data import open_archive, pack_archive
from embanon.language import LANGUAGES, hash_text
from embeddings.build.tagger import package_folder
from embeddings.build.treebank import read_treebank

Floats = NDArray[np.float32]

FOLDER: Final = Path(__file__).parent / "classes"
"""Where compiled classes are."""
FORMAT: Final = 1
CLUSTERED: Final = 120_000
"""Most frequent words whose classes are kept."""
MIN_COUNT: Final = 3
DIMENSIONS: Final = 60
WINDOW: Final = 2
EPOCHS: Final = 15
DEPTH: Final = 10
"""How often words are halved."""
SMALLEST: Final = 8
"""So few words are not halved any more."""
FREQUENT_RANK: Final = 100
"""Ranks from which on words count less and less."""
ROUNDS: Final = 15


@dataclass(frozen=True, slots=True)
class WordClusters:
    """The clusters of a language's frequent words, by sorted hashes."""

    words: NDArray[np.uint32] = field(repr=False)
    clusters: NDArray[np.int32] = field(repr=False)

    @classmethod
    def of(cls, clusters: dict[str, int]) -> WordClusters:
        """Sort words by their hashes; of two with the same, the first is kept."""
        table: dict[int, int] = {}
        for word, number in clusters.items():
            table.setdefault(hash_text(word), number)
        keys = sorted(table)
        return cls(np.array(keys, np.uint32), np.array([table[key] for key in keys], np.int32))

    @classmethod
    def load(cls, language: str) -> WordClusters:
        """Read the compiled classes of a language, else spaCy's, none where there are none."""
        path = FOLDER / f"{language}.npz"
        if path.is_file():
            with open_archive(path.read_bytes(), path.name, FORMAT) as arrays:
                return cls(arrays["words"], arrays["clusters"])
        path = package_folder("spacy_lookups_data") / "data" / f"{language}_lexeme_cluster.json.gz"
        if not path.is_file():
            return cls.of({})
        with gzip.open(path, "rt", encoding="utf-8") as file:
            return cls.of(dict(list(json.load(file).items())[:CLUSTERED]))

    def to_bytes(self) -> bytes:
        """Write as a compressed archive of arrays."""
        return pack_archive(format=np.array([FORMAT]), words=self.words, clusters=self.clusters)


def read_sentences(data: Path, language: str) -> Iterator[list[str]]:
    """Return the words of a treebank and of tagged sentences, but not of the parts that are there to measure.

    Letters are left out: their words would be known better while training than in any letter after it.
    """
    for sentence in read_treebank(data / "treebanks" / language / "train.conllu.gz", split=language == "en"):
        yield [word.form.lower() for word in sentence]
    for path in sorted((data / "ner" / language).glob("*.conll.gz")):
        if "-test" not in path.name:
            yield from _read_tagged(path)


def _read_tagged(path: Path) -> Iterator[list[str]]:
    """Return the words of sentences whose names are tagged."""
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for sentence in lines.read().strip().split("\n\n"):
            yield [row.split()[0].lower() for row in sentence.split("\n") if row.split()]


def learn_vectors(sentences: list[list[str]]) -> tuple[list[str], Floats]:
    """Learn vectors of words, the most frequent first; the same texts give the same vectors."""
    from gensim.models import Word2Vec  # imported only here: most builds do not need it

    random.Random(1).shuffle(sentences)
    vectors = Word2Vec(
        sentences, vector_size=DIMENSIONS, window=WINDOW, min_count=MIN_COUNT, sg=1, negative=8, epochs=EPOCHS,
        sample=1e-4, seed=1, workers=1,
    ).wv  # fmt: skip
    return vectors.index_to_key[:CLUSTERED], np.asarray(vectors.vectors[:CLUSTERED], np.float32)


def halve(vectors: Floats, weight: Floats, start: Floats) -> NDArray[np.bool_]:
    """Part vectors of length one in two by where they point (k-means, from their first principal axis)."""
    apart = vectors - (vectors * weight[:, None]).sum(axis=0) / weight.sum()
    axis = start
    for _ in range(ROUNDS):
        axis = _unit(apart.T @ (weight * (apart @ axis)))
    side: NDArray[np.bool_] = apart @ axis > 0
    for _ in range(ROUNDS):
        if side.all() or not side.any():
            break
        middle = [_unit((vectors[half] * weight[half, None]).sum(axis=0)) for half in (side, ~side)]
        side = vectors @ (middle[0] - middle[1]) > 0
    return side


def _unit(vectors: Floats) -> Floats:
    result: Floats = vectors / (np.linalg.norm(vectors, axis=-1, keepdims=True) + 1e-12)
    return result


def halve_again(vectors: Floats, *, depth: int = DEPTH) -> NDArray[np.int32]:
    """Return the path of halves of each vector, given the most frequent first."""
    vectors, rank = _unit(vectors), np.arange(len(vectors), dtype=np.float32)
    weight: Floats = (rank + FREQUENT_RANK) ** np.float32(-0.5)
    start: Floats = np.random.default_rng(1).standard_normal((vectors.shape[1],), dtype=np.float32)
    path, groups = np.zeros(len(vectors), np.int32), [np.arange(len(vectors))]
    for level in range(depth):
        halves = list[NDArray[Any]]()
        for group in groups:
            if len(group) >= SMALLEST:
                side = halve(vectors[group], weight[group], start)
                path[group[side]] |= 1 << level
                halves += [group[side], group[~side]]
        groups = halves
    return path


def main(arguments: Sequence[str] | None = None) -> int:
    """Learn the classes of a language from texts, and write them."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("language", choices=LANGUAGES)
    parser.add_argument("--data", type=Path, required=True, metavar="DIR", help="Folder of the training data.")
    parser.add_argument("--out", type=Path, default=FOLDER, metavar="DIR", help="Folder to write the classes to.")
    args = parser.parse_args(arguments)
    sentences = list(read_sentences(args.data, args.language))
    words, vectors = learn_vectors(sentences)
    print(f"{len(sentences)} sentences, {sum(map(len, sentences))} words, {len(words)} different ones kept")
    classes = WordClusters.of(dict(zip(words, halve_again(vectors).tolist(), strict=True)))
    args.out.mkdir(parents=True, exist_ok=True)
    (args.out / f"{args.language}.npz").write_bytes(classes.to_bytes())
    return 0


if __name__ == "__main__":
    sys.exit(main())
