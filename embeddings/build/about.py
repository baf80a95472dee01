"""Learn whom documents are about, from documents that say whom to protect.

    python -m embeddings.build.about --letters TRAIN.jsonl.gz embeddings/build/letters/*.txt --test DEV.jsonl.gz

A line, or a marked-up document (see `annotated`), is a document: `id`, `language`, `genre`, `text`, `protect` (a list
of `name`, `type`, `aliases`), and `mentions` (`start`, `end`, `type`, `entity`). Documents that protect everyone are
left out. Candidates are those that embanon finds; whoever is named where the protected one is mentioned is the right
one. Weights are those of a multinomial logistic regression over the candidates of a document. What they bring is
measured on genres that were left out.
"""

from __future__ import annotations

import argparse
import gzip
import json
import random
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Final

import numpy as np

from embanon.config import Config
from embanon.document import Document, Floats
from embanon.entities import Candidate, Layout, candidate_features, find_candidates
from embanon.text import find_all
from embeddings.build.annotated import AnnotatedText, read_marked

RIDGE: Final = 8.0
MIN_CANDIDATES: Final = 8
"""Candidates of whom something must be seen for a weight of its own."""
FOLDS: Final = 6
SEED: Final = 1
SHARPNESS: Final = (1.0, 1.2, 1.4, 1.6, 1.8, 2.0, 2.3, 2.6)
"""By what weights are multiplied so that scores are the probabilities that they should be."""

Spans = list[tuple[int, int]]
Row = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Case:
    """What is seen of the candidates of a document, and which of them it is about."""

    language: str
    genre: str
    kind: str
    features: Sequence[Mapping[str, float]] = field(repr=False)
    right: Floats = field(repr=False)


def read_letters(paths: Iterable[Path]) -> list[Row]:
    """Read documents that protect somebody by name."""
    rows = list[Row]()
    for path in paths:
        if path.suffix == ".txt":
            rows += map(_row_of, read_marked(path))
            continue
        content = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
        rows += [json.loads(line) for line in content.decode().split("\n") if line]
    return [row for row in rows if row["protect"] != "everyone"]


def _row_of(text: AnnotatedText) -> Row:
    """Return one of our own letters as a row of JSON lines is."""
    protect = [{"name": name, "type": type, "aliases": list(aliases)} for name, type, aliases in text.protect]
    mentions = [asdict(mention) for mention in text.mentions]
    return {
        "id": text.id, "language": text.language, "genre": text.genre, "text": text.text,
        "protect": protect or "everyone", "mentions": mentions,
    }  # fmt: skip


def build_cases(rows: Sequence[Row]) -> Iterator[Case]:
    """Look at documents as `embanon entities` does."""
    documents = [Document(row["id"], row["text"], row["language"]) for row in rows]
    for row, analysis in zip(rows, find_all(documents, config=Config()), strict=True):
        text, language = row["text"], analysis.language
        candidates = find_candidates(text, analysis.phrases, language)
        layout = Layout.from_text(text, language)
        features = candidate_features(layout, candidates, analysis.phrases, language)
        wanted = [(mentions_of(row, entity), entity) for entity in row["protect"]]
        right = [any(is_right(one, *mentions, entity) for mentions, entity in wanted) for one in candidates]
        people = {entity["type"] for entity in row["protect"]} == {"PERSON"}
        kind = ("one " if len(row["protect"]) == 1 else "several ") + ("people" if people else "things")
        yield Case(
            row["language"], row["genre"], kind.replace("one people", "one person"), features, np.array(right, float)
        )


def mentions_of(row: Row, entity: Row) -> tuple[Spans, Spans]:
    """Return where a protected entity is mentioned, and where others of its type are."""
    names = {_folded(name) for name in (entity["name"], *entity["aliases"])}
    written = defaultdict[str, list[str]](list)
    same = [mention for mention in row["mentions"] if mention["type"] == entity["type"]]
    for mention in same:
        written[mention["entity"]].append(_folded(row["text"][mention["start"] : mention["end"]]))
    ids = {id for id, forms in written.items() if _folded(entity["name"]) in forms or names.issuperset(forms)}
    if not ids:
        counts = Counter(id for id, forms in written.items() for form in forms if form in names)
        ids = {id for id, _ in counts.most_common(1)}
    spans: tuple[Spans, Spans] = [], []
    for mention in same:
        spans[mention["entity"] not in ids].append((mention["start"], mention["end"]))
    return spans


def is_right(candidate: Candidate, own: Spans, others: Spans, entity: Row) -> bool:
    """Return whether most mentions of a candidate are the entity's; by name where it is mentioned nowhere."""
    if not own:
        return bool(candidate.names) and _folded(candidate.names[0]) in map(
            _folded, (entity["name"], *entity["aliases"])
        )
    return _touching(candidate.spans, own) > _touching(candidate.spans, others)


def _touching(spans: Iterable[tuple[int, int]], others: Spans) -> int:
    return sum(any(start < last and first < end for first, last in others) for start, end in spans)


def _folded(name: str) -> str:
    return " ".join(name.casefold().split())


def choose_names(cases: Iterable[Case]) -> list[str]:
    """Return what is seen often enough to be weighed."""
    counts = Counter(name for case in cases for row in case.features for name in row)
    return sorted(name for name, count in counts.items() if count >= MIN_CANDIDATES)


def matrix(case: Case, names: Sequence[str]) -> Floats:
    """Return the features of a case as rows of numbers."""
    rows = [[row.get(name, 0.0) for name in names] for row in case.features]
    return np.array(rows, float).reshape(len(rows), len(names))


def fit(matrices: Sequence[Floats], rights: Sequence[Floats]) -> Floats:
    """Return the weights that make the right candidates likeliest."""
    from scipy.optimize import minimize

    known = [place for place, right in enumerate(rights) if right.any() and len(right) > 1]
    rows = np.concatenate([matrices[place] for place in known])
    wanted = np.concatenate([rights[place] / rights[place].sum() for place in known])
    sizes = np.array([len(rights[place]) for place in known])
    starts, home = np.cumsum(sizes) - sizes, np.repeat(np.arange(len(known)), sizes)

    def loss(weights: Floats) -> tuple[float, Floats]:
        sums = rows @ weights
        shares = np.exp(sums - np.maximum.reduceat(sums, starts)[home])
        shares /= np.add.reduceat(shares, starts)[home]
        unlikely = -float((wanted * np.log(np.clip(shares, 1e-12, 1))).sum())
        return unlikely + RIDGE / 2 * float(weights @ weights), rows.T @ (shares - wanted) + RIDGE * weights

    result = minimize(loss, np.zeros(rows.shape[1]), jac=True, method="L-BFGS-B", options={"maxiter": 200})
    return np.asarray(result.x)


def scores_without_genre(cases: Sequence[Case], names: Sequence[str]) -> list[Floats]:
    """Return the sums of each case by weights that were learnt from documents of other genres."""
    genres = sorted({case.genre for case in cases})
    random.Random(SEED).shuffle(genres)
    fold = {genre: number % FOLDS for number, genre in enumerate(genres)}
    matrices, rights = [matrix(case, names) for case in cases], [case.right for case in cases]
    sums: list[Floats] = [np.zeros(0)] * len(cases)
    for number in range(FOLDS):
        kept = [place for place, case in enumerate(cases) if fold[case.genre] != number]
        weights = fit([matrices[place] for place in kept], [rights[place] for place in kept])
        for place, case in enumerate(cases):
            if fold[case.genre] == number:
                sums[place] = matrices[place] @ weights
    return sums


def choose_sharpness(cases: Sequence[Case], sums: Sequence[Floats]) -> float:
    """Return by what to multiply weights so that the right ones of left-out genres are likeliest together."""

    def unlikely(factor: float) -> float:
        total = 0.0
        for case, row in zip(cases, sums, strict=True):
            if case.right.any():
                shares = np.exp(factor * (row - row.max()))
                total -= float(np.log(max((shares * case.right).sum() / shares.sum(), 1e-12)))
        return total

    return min(SHARPNESS, key=unlikely)


def table(cases: Sequence[Case], sums: Sequence[Floats], title: str) -> str:
    """Return how often the first, and one of the first three, is right, by kind, and by language for one person."""
    rows, counts = defaultdict[str, list[tuple[bool, bool]]](list), [title]
    for case, row in zip(cases, sums, strict=True):
        order = np.argsort(-row, kind="stable")
        hit = bool(case.right[order[:1]].any()), bool(case.right[order[:3]].any())
        rows[case.kind].append(hit)
        if case.kind == "one person":
            rows[f"  {case.language}"].append(hit)
    for name, hits in sorted(rows.items()):
        first, three = np.mean(hits, axis=0)
        counts.append(f"  {name:16}{len(hits):5}{first:8.3f}{three:8.3f}")
    return "\n".join(counts)


def to_toml(names: Sequence[str], weights: Floats) -> str:
    """Write weights, those that count."""
    rows = [f"{json.dumps(name)} = {value:.3f}" for name, value in zip(names, weights.tolist(), strict=True)
            if abs(value) >= 5e-4]  # fmt: skip
    return "\n".join(["# Made by embeddings/build/about.py.", "[weights]", *rows, ""])


def main(arguments: Sequence[str] | None = None) -> int:
    """Learn, say what it brings on genres that were left out and on a test, and write the weights."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--letters", type=Path, nargs="+", required=True)
    parser.add_argument("--test", type=Path, nargs="*", default=[])
    parser.add_argument("--out", type=Path, default=Path("embeddings/about/weights.toml"))
    options = parser.parse_args(arguments)
    cases = list(build_cases(read_letters(options.letters)))
    names = choose_names(cases)
    print(f"{len(cases)} documents, {len({case.genre for case in cases})} genres, {len(names)} features")
    sums = scores_without_genre(cases, names)
    print(table(cases, sums, "of genres left out: documents, first right, right among three"))
    sharpness = choose_sharpness(cases, sums)
    weights = sharpness * fit([matrix(case, names) for case in cases], [case.right for case in cases])
    if options.test:
        tests = list(build_cases(read_letters(options.test)))
        print(table(tests, [matrix(case, names) @ weights for case in tests], "of the test"))
    options.out.parent.mkdir(parents=True, exist_ok=True)
    options.out.write_text(to_toml(names, weights), "utf-8")
    print(f"sharpness {sharpness}; {options.out}: {options.out.stat().st_size:,} bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main())
