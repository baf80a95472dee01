"""Learn what kinds mentions are of: `python -m embeddings.build.sorter --data ../shared/data --out …/recognizer`.

Our own letters say the kind of each mention, others its type alone; phrases of the grammar that nobody marked are
nothing. All languages learn together; each keeps the features that it can have.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import numpy as np
import scipy.sparse as sparse
from numpy.typing import NDArray
from scipy.optimize import minimize

from embanon.document import FORMS, TYPES, Phrases
from embanon.language import Lexicon
from embanon.recognize.sorts import (
    KIND_BOUNDS,
    KIND_NAMES,
    LEARNED_KINDS,
    LEAST,
    NOTHING,
    Sorter,
    SortWeights,
    likeliest_kinds,
    type_chances,
)
from embanon.risk.spans import overlaps_any
from embanon.text.analyzer import load_grammar
from embanon.text.find import find_in_text
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
UNMARKED: Final = 3
"""One of so many unmarked phrases that are neither names nor codes is learnt from."""
NAMELIKE: Final = frozenset(("name", "title", "code"))
TESTED: Final = 8
"""One of so many letters is kept for the test."""


@dataclass(slots=True)
class SortedMentions:
    """Mentions with their features, and the first and the last of the kinds that each may be of."""

    languages: list[str] = field(default_factory=list)
    features: list[list[int]] = field(default_factory=list, repr=False)
    kinds: list[tuple[int, int]] = field(default_factory=list)

    @classmethod
    def read(cls, texts: Sequence[AnnotatedText], swapped: Sequence[AnnotatedText] = ()) -> SortedMentions:
        """Collect the mentions of texts, with what is none, and the mentions of swapped ones."""
        result = cls()
        empty = SortWeights(np.zeros(0, np.uint32), np.zeros((0, 0), np.int8), np.ones(1, np.float32))
        sorters = {language: Sorter(empty, Lexicon.load(language)) for language in LANGUAGES}
        without = {id(text) for text in swapped}
        for text in (*texts, *swapped):
            reader = load_grammar(text.language)
            tokens = reader.tag(text.text).tokens
            spans = [(mention.start, mention.end, kinds_of(mention.type, mention.kind)) for mention in text.mentions]
            if id(text) not in without:
                spans += unmarked_phrases(text, find_in_text(reader, text.text)[0])
            for start, end, kinds in spans:
                first = int(np.searchsorted(tokens.end, start, side="right"))
                last = int(np.searchsorted(tokens.start, end, side="left"))
                if first < last:
                    result.languages.append(text.language)
                    result.features += sorters[text.language].hash_mentions(tokens.words, tokens.gap, [first], [last])
                    result.kinds.append(kinds)
        return result


def unmarked_phrases(text: AnnotatedText, phrases: Phrases) -> Iterator[tuple[int, int, tuple[int, int]]]:
    """Yield phrases of the grammar that no annotator marked: all names and codes, and some of the others."""
    marked = [(mention.start, mention.end) for mention in text.mentions]
    free = np.flatnonzero(~overlaps_any(phrases, marked))
    for number, place in enumerate(free.tolist()):
        if FORMS[phrases.form[place]] in NAMELIKE or number % UNMARKED == 0:
            yield int(phrases.start[place]), int(phrases.end[place]), (NOTHING, NOTHING + 1)


def kinds_of(type: str, annotated: str) -> tuple[int, int]:
    """Return the range of kinds that an annotated mention may be of: one, or all of its type."""
    kind, number = kind_of(type, annotated), TYPES.index(type)
    return (kind, kind + 1) if kind >= 0 else (int(KIND_BOUNDS[number]), int(KIND_BOUNDS[number + 1]))


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
    weights = _fit(matrix, np.array(mentions.kinds), steps)
    scale = float(np.abs(weights).max()) / LARGEST
    values = np.rint(weights / scale).astype(np.int8)
    result = {}
    for language in LANGUAGES:
        own = np.array([one == language for one in mentions.languages])
        used = (np.asarray(matrix[own].sum(axis=0)).ravel() > 0) & (np.abs(values).max(axis=1) > 0)
        compiled = SortWeights(keys[used], values[used], np.array([scale], np.float32))
        result[language] = Sorter(compiled, Lexicon.load(language))
    return result


def _fit(matrix: Any, kinds: NDArray[Any], steps: int) -> NDArray[np.float64]:
    size = NOTHING + 1
    numbers = np.arange(size)
    others = (numbers < kinds[:, :1]) | (numbers >= kinds[:, 1:])
    back = matrix.T.tocsr()

    def loss(flat: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        weights = flat.reshape(-1, size)
        scores = matrix @ weights
        scores -= scores.max(axis=1, keepdims=True)
        chances = np.exp(scores)
        chances /= chances.sum(axis=1, keepdims=True)
        allowed = np.where(others, 0.0, chances)
        right = np.maximum(allowed.sum(axis=1, keepdims=True), LEAST)
        value = float(-np.log(right).sum() + STRENGTH / 2 * (weights**2).sum())
        return value, (back @ (chances - allowed / right) + STRENGTH * weights).ravel()

    start = np.zeros(matrix.shape[1] * size)
    found = minimize(loss, start, jac=True, method="L-BFGS-B", options={"maxiter": steps})
    result: NDArray[np.float64] = found.x.reshape(-1, size)
    return result


def measure(sorters: dict[str, Sorter], texts: Sequence[AnnotatedText]) -> dict[str, float]:
    """Return the share of mentions whose type is told, and whose kind is by type, of all, and of those that are sure.

    `nothing` is the share of unmarked phrases that are told from mentions, `mention` that of mentions.
    """
    right: Counter[str] = Counter()
    total: Counter[str] = Counter()
    for text in texts:
        reader = load_grammar(text.language)
        tokens = reader.tag(text.text).tokens
        spans = [(one.start, one.end, one.type, kind_of(one.type, one.kind)) for one in text.mentions]
        phrases = find_in_text(reader, text.text)[0]
        spans += [(start, end, "", NOTHING) for start, end, _ in unmarked_phrases(text, phrases)]
        for start, end, type, kind in spans:
            first = int(np.searchsorted(tokens.end, start, side="right"))
            last = int(np.searchsorted(tokens.start, end, side="left"))
            if first < last:
                chances = sorters[text.language].judge(tokens.words, tokens.gap, [first], [last])
                names, truths = _judged(chances, type, kind, text.language)
                total.update(names)
                right.update(truths)
    return {name: round(right[name] / count, 3) for name, count in sorted(total.items())} | {
        "sure ones": round(total["sure"] / max(1, total["all"]), 3)
    }


def _judged(chances: NDArray[np.float64], type: str, kind: int, language: str) -> tuple[list[str], list[str]]:
    """Return what a mention counts for, and for which of it it was told."""
    is_nothing = bool(chances[0, NOTHING] > HALF)
    if not type:
        return ["nothing"], ["nothing"] * is_nothing
    names, truths = ["mention", "types"], ["mention"] * (not is_nothing)
    truths += ["types"] * bool(type_chances(chances)[0].argmax() == TYPES.index(type))
    if kind < 0:
        return names, truths
    told, chance = likeliest_kinds(chances, np.array([TYPES.index(type)], np.uint8))
    kinds = [type, language, "all", *(["sure"] if chance[0] >= SURE else [])]
    return names + kinds, truths + kinds * bool(told[0] == kind)


SURE, HALF = 0.7, 0.5


def main(arguments: Sequence[str] | None = None) -> int:
    """Train, test on letters that are left out, and write."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--data", type=Path, required=True, metavar="DIR", help="Folder of the training data.")
    parser.add_argument("--out", type=Path, metavar="DIR", help="Folder to write the weights to.")
    args = parser.parse_args(arguments)
    texts = training_letters(args.data, LANGUAGES)
    tested = texts[::TESTED]
    others = [text for number, text in enumerate(texts) if number % TESTED]
    mentions = SortedMentions.read(others, list(swap_mentions(others)))
    print(f"{len(texts)} letters, {len(mentions.kinds)} mentions")
    print(measure(train_sorters(mentions), tested))
    if args.out:
        for language, sorter in train_sorters(SortedMentions.read(texts, list(swap_mentions(texts)))).items():
            (args.out / f"{language}-kinds.npz").write_bytes(sorter.weights.to_bytes())
    return 0


if __name__ == "__main__":
    sys.exit(main())
