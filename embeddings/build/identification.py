"""Learn what identifies, from what people decided of the phrases of texts.

    python -m embeddings.build.identification --data ../shared/data --out embeddings/identification

A phrase counts as identifying if more than half of it is to be masked; what belongs to others in their office is left
out. Chances are those of labelers that did not learn from the texts' genre, so that evidence weighs what it will weigh
on texts that nobody has seen. Logistic regression, held near zero.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final

import numpy as np
import scipy.sparse as sparse
from numpy.typing import NDArray
from scipy.optimize import minimize

from embanon.config import PRESETS
from embanon.document import TYPES, Phrases
from embanon.entities.entity import Entity
from embanon.recognize import Labeler
from embanon.risk.identification import SIZES, Evidence, Identification
from embanon.risk.score import Scorer
from embanon.risk.spans import overlaps_any
from embanon.text.analyzer import Analyzer
from embanon.text.find import find_in_text
from embanon.text.tagger import load_tagger
from embeddings.build.annotated import AnnotatedText, training_texts
from embeddings.build.recognizer import PASSES, ReadText, leave_out, train_labelers

RIDGE: Final = 2.0
FOLDS: Final = 2
"""Parts in which labelers do not see the genres that they are asked about."""
HALF: Final = 0.5
UNDECIDED: Final = -1
DECIDED_TYPES: Final = len(TYPES)
"""Texts whose annotators marked so many types say what is to be masked; others teach some types alone."""


@dataclass(frozen=True, slots=True)
class JudgedPhrases:
    """The evidence of a text's phrases, and whether each identifies; -1 where nobody decided."""

    source: AnnotatedText
    evidence: Evidence = field(repr=False)
    decided: NDArray[np.int64] = field(repr=False)


def decisions(text: AnnotatedText, phrases: Phrases) -> NDArray[np.int64]:
    """Return which phrases are to be masked, -1 for those of others in their office."""
    marks = np.zeros(len(text.text) + 1)
    others = marks.copy()
    for mention in text.mentions:
        if mention.identifier != "NO_MASK":
            (others if mention.identifier == "OTHER" else marks)[mention.start : mention.end] = 1
    size = np.maximum(phrases.end - phrases.start, 1)
    share, other = (
        (np.append(0, np.cumsum(one))[phrases.end] - np.append(0, np.cumsum(one))[phrases.start]) / size
        for one in (marks, others)
    )
    return np.where(other > 0, UNDECIDED, (share > HALF).astype(np.int64))


def names_of(text: AnnotatedText) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Return the names of people and organizations to protect, which identify whatever evidence says."""
    return ((name, aliases) for name, type, aliases in text.protect if type in ("PERSON", "ORG"))


def judge(texts: Iterable[AnnotatedText], readers: Mapping[str, Analyzer]) -> Iterator[JudgedPhrases]:
    """Find the phrases of texts and gather what is seen of them."""
    for text in texts:
        phrases, sentences = find_in_text(readers[text.language], text.text)
        if phrases.chance is None or not len(phrases):
            continue
        protect = [Entity(name, aliases) for name, aliases in names_of(text)]
        scored = Scorer(text.language).score(
            text.text, replace(phrases, chance=None), sentences, protect, everyone=not protect
        )
        named = scored.phrases.select(scored.named)
        evidence = Evidence.gather(text.text, phrases, phrases.chance)
        spans = list(zip(named.start.tolist(), named.end.tolist(), strict=True))
        decided = np.where(overlaps_any(phrases, spans), UNDECIDED, decisions(text, phrases))
        yield JudgedPhrases(text, evidence, decided)


def with_labeler(language: str, labeler: Labeler) -> Analyzer:
    """Open the analyzer of a language with a labeler that is not the shipped one."""
    return Analyzer.create(language, load_tagger(language), labeler)


@dataclass(slots=True)
class Design:
    """The evidence of many phrases as sparse rows, and what was decided."""

    rows: Any = field(repr=False)
    decided: NDArray[np.float64] = field(repr=False)

    @classmethod
    def build(cls, judged: Sequence[JudgedPhrases]) -> Design:
        """Number all classes of all evidence."""
        begins = dict(zip(SIZES, np.cumsum([0, *SIZES.values()]).tolist(), strict=False))
        columns = [
            np.stack([column[one.decided >= 0] + begins[name] for name, column in one.evidence.columns.items()], axis=1)
            for one in judged
        ]
        indices = np.concatenate(columns)
        ends = np.arange(len(indices) + 1) * indices.shape[1]
        shape = (len(indices), sum(SIZES.values()))
        rows = sparse.csr_matrix((np.ones(indices.size), indices.ravel(), ends), shape=shape)
        return cls(rows, np.concatenate([one.decided[one.decided >= 0] for one in judged]))

    def fit(self) -> Identification:
        """Find the weights that make the decisions likeliest, held near zero."""
        rows, decided = self.rows, self.decided.astype(np.float64)

        def loss(weights: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
            odds = rows @ weights[1:] + weights[0]
            value = np.logaddexp(0, odds).sum() - (odds * decided).sum() + RIDGE / 2 * (weights[1:] ** 2).sum()
            error = 1 / (1 + np.exp(-odds)) - decided
            return float(value), np.append(error.sum(), rows.T @ error + RIDGE * weights[1:])

        start = np.zeros(self.rows.shape[1] + 1)
        best = minimize(loss, start, jac=True, method="L-BFGS-B", options={"maxiter": 300}).x
        tables = np.split(best[1:], np.cumsum(list(SIZES.values()))[:-1])
        return Identification(dict(zip(SIZES, tables, strict=True)), float(best[0]))


def judge_unseen(texts: Sequence[ReadText], passes: float) -> Iterator[JudgedPhrases]:
    """Judge the texts on whose phrases people decided, by labelers that have not seen their genre."""
    for others, tested in leave_out(texts, FOLDS):
        labelers = train_labelers(others, passes=passes)
        readers = {name: with_labeler(name, labeler) for name, labeler in labelers.items()}
        decided = [text.source for text in tested if len(text.source.taught) >= DECIDED_TYPES]
        yield from judge(decided, readers)


def report(judged: Sequence[JudgedPhrases]) -> Iterator[str]:
    """Say how well weights tell what identifies in genres and sets that they were not learnt from."""
    genres = sorted({one.source.genre for one in judged})
    for number in range(FOLDS):
        tested = {genre for place, genre in enumerate(genres) if place % FOLDS == number}
        learnt = Design.build([one for one in judged if one.source.genre not in tested]).fit()
        rest = [one for one in judged if one.source.genre in tested]
        decided = np.concatenate([one.decided for one in rest])
        chance = np.concatenate([learnt.of_evidence(one.evidence) for one in rest])[decided >= 0]
        yield f"part {number + 1}: {measures(chance, decided[decided >= 0])}"


def measures(chance: NDArray[np.float64], decided: NDArray[np.int64]) -> str:
    """Write F1 at the limits of the presets, and the calibration error."""
    cells = []
    for name, (limit, _) in list(PRESETS.items())[:2]:
        masked = chance >= limit
        right = int((masked & (decided == 1)).sum())
        cells.append(f"{name} F1 {2 * right / max(1, int(masked.sum() + decided.sum())):.3f}")
    bins = np.minimum((chance * 10).astype(np.int64), 9)
    wrong = sum(abs(chance[bins == b].sum() - decided[bins == b].sum()) for b in range(10)) / len(chance)
    return ", ".join([*cells, f"calibration error {wrong:.3f}"])


def main(arguments: Sequence[str] | None = None) -> int:
    """Learn, measure by leaving genres out, and write."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--data", type=Path, required=True, metavar="DIR", help="Folder of the training data.")
    parser.add_argument("--out", type=Path, metavar="DIR", help="Folder to write the weights to.")
    parser.add_argument("--passes", type=float, default=PASSES, metavar="N", help="Times that labelers read letters.")
    args = parser.parse_args(arguments)
    texts = [text for text in map(ReadText.read, training_texts(args.data)) if len(text.tokens)]
    judged = list(judge_unseen(texts, args.passes))
    for line in report(judged):
        print(line)
    if args.out:
        args.out.mkdir(parents=True, exist_ok=True)
        (args.out / "weights.npz").write_bytes(Design.build(judged).fit().to_bytes())
    return 0


if __name__ == "__main__":
    sys.exit(main())
