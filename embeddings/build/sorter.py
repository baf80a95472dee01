"""Learn what kinds mentions are of: `python -m embeddings.build.sorter --data ../shared/data --out …/recognizer`.

Our own letters say the kind of each mention. All languages learn together; each keeps the features that it can have.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import numpy as np
import scipy.sparse as sparse
from numpy.typing import NDArray
from scipy.optimize import minimize

from embanon.document import TYPES
from embanon.language import Lexicon
from embanon.recognize.sorts import KIND_NAMES, LEARNED_KINDS, Sorter, SortWeights
from embanon.text.analyzer import load_grammar
from embeddings.build.annotated import AnnotatedText, swap_mentions, training_letters

LANGUAGES: Final = ("en", "es", "pt", "de")
ANNOTATED_NAMES: Final = {
    "PERSON.full": "full-name", "PERSON.given": "first-name", "PERSON.family": "surname", "PERSON.nick": "nickname",
    "ORG.other": "organization", "LOC.other": "place", "LOC.city": "town",
    "DEM.job": "role", "DEM.other": "trait", "CODE.id": "id-number",
    "CODE.email": "e-mail", "CODE.account": "account-number", "CODE.case": "case-number", "CODE.user": "handle",
    "CODE.other": "code", "QUANTITY.percent": "percentage", "MISC.role": "other",
}  # fmt: skip
"""What annotators write, where it is not the name of a kind."""
MIN_COUNT: Final = 2
STRENGTH: Final = 0.5
STEPS: Final = 120
LARGEST: Final = 127
TESTED: Final = 8
"""One of so many letters is kept for the test."""


@dataclass(slots=True)
class SortedMentions:
    """Mentions with their features, types and kinds."""

    languages: list[str] = field(default_factory=list)
    features: list[list[int]] = field(default_factory=list, repr=False)
    types: list[int] = field(default_factory=list)
    kinds: list[int] = field(default_factory=list)

    @classmethod
    def read(cls, texts: Sequence[AnnotatedText]) -> SortedMentions:
        """Collect the mentions whose kind is known."""
        result = cls()
        empty = SortWeights(np.zeros(0, np.uint32), np.zeros((0, 0), np.int8), np.ones(1, np.float32))
        sorters = {language: Sorter(empty, Lexicon.load(language)) for language in LANGUAGES}
        for text in texts:
            tokens = load_grammar(text.language).tag(text.text).tokens
            for mention in text.mentions:
                kind = kind_of(mention.type, mention.kind)
                first = int(np.searchsorted(tokens.end, mention.start, side="right"))
                last = int(np.searchsorted(tokens.start, mention.end, side="left"))
                if kind >= 0 and first < last:
                    result.languages.append(text.language)
                    hashes = sorters[text.language].hash_mentions(tokens.words, tokens.gap, [first], [last])
                    result.features += hashes
                    result.types.append(TYPES.index(mention.type))
                    result.kinds.append(kind)
        return result


def kind_of(type: str, annotated: str) -> int:
    """Return the number of an annotated kind, -1 where there is none."""
    name = ANNOTATED_NAMES.get(f"{type}.{annotated}", annotated)
    return KIND_NAMES.index(f"{type}.{name}") if name in LEARNED_KINDS.get(type, ()) else -1


def train_sorters(mentions: SortedMentions, steps: int = STEPS) -> dict[str, Sorter]:
    """Find the weights that make the annotated kinds likeliest, held near zero, and compile them by language."""
    counts = Counter(feature for row in mentions.features for feature in set(row))
    keys = np.array(sorted(feature for feature, count in counts.items() if count >= MIN_COUNT), np.uint32)
    place = {int(feature): number for number, feature in enumerate(keys)}
    rows = [[place[feature] for feature in row if feature in place] for row in mentions.features]
    ends = np.cumsum([0, *map(len, rows)])
    columns = np.concatenate([np.array(row, np.int64) for row in rows])
    matrix = sparse.csr_matrix((np.ones(len(columns)), columns, ends), shape=(len(rows), len(keys)))
    weights = _fit(matrix, np.array(mentions.types), np.array(mentions.kinds), steps)
    scale = float(np.abs(weights).max()) / LARGEST
    values = np.rint(weights / scale).astype(np.int8)
    result = {}
    for language in LANGUAGES:
        own = np.array([one == language for one in mentions.languages])
        used = (np.asarray(matrix[own].sum(axis=0)).ravel() > 0) & (np.abs(values).max(axis=1) > 0)
        compiled = SortWeights(keys[used], values[used], np.array([scale], np.float32))
        result[language] = Sorter(compiled, Lexicon.load(language))
    return result


def _fit(matrix: Any, types: NDArray[Any], kinds: NDArray[Any], steps: int) -> NDArray[np.float64]:
    size = len(KIND_NAMES)
    type_of_kind = np.array([TYPES.index(name.partition(".")[0]) for name in KIND_NAMES])
    others = type_of_kind[None, :] != types[:, None]
    back, rows = matrix.T.tocsr(), np.arange(len(kinds))

    def loss(flat: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        weights = flat.reshape(-1, size)
        scores = matrix @ weights
        scores[others] = -np.inf
        scores -= scores.max(axis=1, keepdims=True)
        chances = np.exp(scores)
        total = chances.sum(axis=1, keepdims=True)
        value = float((np.log(total[:, 0]) - scores[rows, kinds]).sum() + STRENGTH / 2 * (weights**2).sum())
        chances /= total
        chances[rows, kinds] -= 1
        return value, (back @ chances + STRENGTH * weights).ravel()

    start = np.zeros(matrix.shape[1] * size)
    found = minimize(loss, start, jac=True, method="L-BFGS-B", options={"maxiter": steps})
    result: NDArray[np.float64] = found.x.reshape(-1, size)
    return result


def measure(sorters: dict[str, Sorter], texts: Sequence[AnnotatedText]) -> dict[str, float]:
    """Return the share of mentions whose kind is told, by type and of all, and of those that are sure."""
    right: Counter[str] = Counter()
    total: Counter[str] = Counter()
    for text in texts:
        tokens = load_grammar(text.language).tag(text.text).tokens
        for mention in text.mentions:
            first = int(np.searchsorted(tokens.end, mention.start, side="right"))
            last = int(np.searchsorted(tokens.start, mention.end, side="left"))
            kind = kind_of(mention.type, mention.kind)
            if kind < 0 or first >= last:
                continue
            types = np.array([TYPES.index(mention.type)], np.uint8)
            told, chance = sorters[text.language].sort(tokens.words, tokens.gap, [first], [last], types)
            names = [mention.type, text.language, "all", *(["sure"] if chance[0] >= SURE else [])]
            total.update(names)
            right.update(names if told[0] == kind else [])
    return {name: round(right[name] / count, 3) for name, count in sorted(total.items())} | {
        "sure ones": round(total["sure"] / max(1, total["all"]), 3)
    }


SURE: Final = 0.7


def main(arguments: Sequence[str] | None = None) -> int:
    """Train, test on letters that are left out, and write."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--data", type=Path, required=True, metavar="DIR", help="Folder of the training data.")
    parser.add_argument("--out", type=Path, metavar="DIR", help="Folder to write the weights to.")
    args = parser.parse_args(arguments)
    texts = [text for text in training_letters(args.data, LANGUAGES) if any(one.kind for one in text.mentions)]
    tested = texts[::TESTED]
    others = [text for number, text in enumerate(texts) if number % TESTED]
    mentions = SortedMentions.read([*others, *swap_mentions(others)])
    print(f"{len(texts)} letters, {len(mentions.kinds)} mentions")
    print(measure(train_sorters(mentions), tested))
    if args.out:
        for language, sorter in train_sorters(SortedMentions.read([*texts, *swap_mentions(texts)])).items():
            (args.out / f"{language}-kinds.npz").write_bytes(sorter.weights.to_bytes())
    return 0


if __name__ == "__main__":
    sys.exit(main())
