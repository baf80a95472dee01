"""Learn what identifies, from what people decided of the phrases of texts.

    python -m embeddings.build.identification --data ../shared/data --out embeddings/identification

A phrase counts as identifying if more than half of it is to be masked; what belongs to others in their office is left
out. Chances are those of labelers that did not learn from the texts' genre, so that evidence weighs what it will weigh
on texts that nobody has seen. Logistic regression, held near zero.
"""

from __future__ import annotations

import argparse
import gzip
import json
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final

import numpy as np
import scipy.sparse as sparse
from numpy.typing import NDArray
from scipy.optimize import minimize

from embanon.config import PRESETS, load
from embanon.document import Document, Phrases
from embanon.entities.entity import Entity
from embanon.model import Model, train
from embanon.recognize.labeler import Labeler
from embanon.risk.identification import Evidence, Identification
from embanon.risk.power import measure_powers
from embanon.risk.score import Scorer, rarity_of
from embanon.risk.spans import overlaps_any
from embanon.text.analyzer import Analyzer, load_analyzer
from embanon.text.find import NO_STATISTICS, QUALIFIED_KINDS, find_in_text
from embanon.text.joins import EMPTY_STATISTICS
from embanon.text.tagger import load_tagger
from embeddings.build.annotated import AnnotatedText, read_records, training_letters
from embeddings.build.recognizer import LANGUAGES, STEPS, ReadText, leave_out, train_labelers

RIDGE: Final = 2.0
FOLDS: Final = 3
"""Parts in which labelers do not see the genres that they are asked about."""
HALF: Final = 0.5
UNDECIDED: Final = -1


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


def judge(
    texts: Sequence[AnnotatedText], readers: Mapping[str, Analyzer], kinds: Sequence[str], model: Model | None = None
) -> Iterator[JudgedPhrases]:
    """Find the phrases of texts and gather what is seen of them."""
    statistics = model.statistics if model else NO_STATISTICS
    for text in texts:
        known = statistics.get(text.language, EMPTY_STATISTICS)
        phrases, sentences = find_in_text(readers[text.language], text.text, known)
        if not len(phrases):
            continue
        protect = [Entity(name, aliases) for name, aliases in names_of(text)]
        scored = Scorer(text.language, model).score(
            text.text, replace(phrases, chance=None), sentences, protect, everyone=not protect
        )
        named = scored.phrases.select(scored.named)
        powers = measure_powers(text.text, phrases, rarity_of(model, text.language))
        evidence = Evidence.gather(text.text, phrases, powers, kinds, text.language, modeled=model is not None)
        spans = list(zip(named.start.tolist(), named.end.tolist(), strict=True))
        decided = np.where(overlaps_any(phrases, spans), UNDECIDED, decisions(text, phrases))
        yield JudgedPhrases(text, evidence, decided)


def with_labeler(language: str, labeler: Labeler) -> Analyzer:
    """Open the analyzer of a language with a labeler that is not the shipped one."""
    return Analyzer.create(language, load_tagger(language), labeler)


@dataclass(slots=True)
class Design:
    """The evidence of many phrases as sparse rows, and what was decided."""

    sizes: dict[str, int]
    rows: Any = field(repr=False)
    decided: NDArray[np.float64] = field(repr=False)

    @classmethod
    def build(cls, judged: Sequence[JudgedPhrases]) -> Design:
        """Number all classes of all evidence."""
        sizes = {name: size for one in judged for name, (_, size) in one.evidence.columns.items()}
        begins = dict(zip(sizes, np.cumsum([0, *sizes.values()]).tolist(), strict=False))
        columns, counts, decided = list[Any](), list[Any](), list[Any]()
        for one in judged:
            kept = one.decided >= 0
            part = np.stack([column[kept] + begins[name] for name, (column, _) in one.evidence.columns.items()], axis=1)
            columns.append(part.ravel())
            counts.append(np.full(len(part), part.shape[1]))
            decided.append(one.decided[kept])
        indices, ends = np.concatenate(columns), np.append(0, np.cumsum(np.concatenate(counts)))
        shape = (len(ends) - 1, sum(sizes.values()))
        rows = sparse.csr_matrix((np.ones(len(indices)), indices, ends), shape=shape)
        return cls(sizes, rows, np.concatenate(decided))

    def fit(self, kinds: Sequence[str]) -> Identification:
        """Find the weights that make the decisions likeliest, held near zero."""
        rows, decided = self.rows, self.decided.astype(np.float64)

        def loss(weights: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
            odds = rows @ weights[1:] + weights[0]
            value = np.logaddexp(0, odds).sum() - (odds * decided).sum() + RIDGE / 2 * (weights[1:] ** 2).sum()
            error = 1 / (1 + np.exp(-odds)) - decided
            return float(value), np.append(error.sum(), rows.T @ error + RIDGE * weights[1:])

        start = np.zeros(self.rows.shape[1] + 1)
        best = minimize(loss, start, jac=True, method="L-BFGS-B", options={"maxiter": 300}).x
        tables = np.split(best[1:], np.cumsum(list(self.sizes.values()))[:-1])
        return Identification(tuple(kinds), dict(zip(self.sizes, tables, strict=True)), float(best[0]))


def chances(identification: Identification, one: JudgedPhrases) -> NDArray[np.float64]:
    """Return the probabilities that weights give to the phrases of a text."""
    odds = np.full(len(one.decided), identification.bias)
    for name, (column, _) in one.evidence.columns.items():
        odds += identification.weights[name][column]
    result: NDArray[np.float64] = 1 / (1 + np.exp(-odds))
    return result


COLLECTIONS: Final = {"tab": "tab/background", "wikibios": "actors/corpus"}
"""Sets of which a collection is at hand, and where."""
KNOWN_KINDS: Final = tuple(dict.fromkeys((*QUALIFIED_KINDS, "CODE.phone", "CODE.e-mail", "CODE.url", "LOC.address")))


def judged_letters(data: Path, steps: int) -> Iterator[JudgedPhrases]:
    """Judge letters by labelers that have not seen their genre."""
    texts = [text for text in map(ReadText.read, training_letters(data, LANGUAGES)) if len(text.tokens)]
    for others, tested in leave_out(texts, FOLDS):
        labelers = train_labelers(others, steps=steps)
        readers = {language: with_labeler(language, labeler) for language, labeler in labelers.items()}
        yield from judge([text.source for text in tested], readers, KNOWN_KINDS)


def judged_sets(data: Path, readers: Mapping[str, Analyzer], folder: Path) -> Iterator[JudgedPhrases]:
    """Judge sets that labelers have not seen, each with a model of its collection."""
    for name, collection in COLLECTIONS.items():
        texts = list(read_records(data / name / "gold.jsonl.gz", "en", name, ()))
        settings = load(environment={}).config
        with gzip.open(data / f"{collection}.jsonl.gz", "rt", encoding="utf-8") as lines:
            every = [json.loads(line)["text"] for line in lines] + [text.text for text in texts]
        documents = [Document(str(number), text, "en") for number, text in enumerate(dict.fromkeys(every))]
        quick = replace(settings, train=replace(settings.train, epochs=1, dimensions=16, grow=False))
        train(documents, folder / name, config=quick)
        model = Model.open(folder / name)
        for text in texts:
            about = ((text.id.replace("-", " "), "PERSON", ()),) if name == "wikibios" else ()
            yield from judge([replace(text, protect=about)], readers, KNOWN_KINDS, model)


def report(judged: Sequence[JudgedPhrases]) -> Iterator[str]:
    """Say how well weights tell what identifies in genres and sets that they were not learnt from."""
    genres = sorted({one.source.genre for one in judged})
    for number in range(FOLDS):
        tested = {genre for place, genre in enumerate(genres) if place % FOLDS == number}
        learnt = Design.build([one for one in judged if one.source.genre not in tested]).fit(KNOWN_KINDS)
        rest = [one for one in judged if one.source.genre in tested]
        decided = np.concatenate([one.decided for one in rest])
        chance = np.concatenate([chances(learnt, one) for one in rest])[decided >= 0]
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
    parser.add_argument("--steps", type=int, default=STEPS, metavar="N", help="Steps of the labelers' optimizer.")
    args = parser.parse_args(arguments)
    readers = {language: load_analyzer(language) for language in LANGUAGES}
    with tempfile.TemporaryDirectory() as folder:
        judged = [*judged_letters(args.data, args.steps), *judged_sets(args.data, readers, Path(folder))]
    for line in report(judged):
        print(line)
    if args.out:
        args.out.mkdir(parents=True, exist_ok=True)
        (args.out / "weights.npz").write_bytes(Design.build(judged).fit(KNOWN_KINDS).to_bytes())
    return 0


if __name__ == "__main__":
    sys.exit(main())
