"""Tell sensitive papers by what is marked: `python -m eval.markings --data ../shared/data`.

Diplomatic papers that were *Secret* or *Top Secret* are to be told from those of *Limited Official Use*, unclassified
and without a marking (AUC); *Confidential* and *Official Use Only* are neither. Whatever stands in the texts of
markings is taken out before, for all methods: the words secret, confidential, (de)classified, restricted, sensitive,
Nodis, Exdis, Eyes Only and so on, and what editors say of lines that are not declassified.

Learnt on one half, tested on the other, then the other way round; no volume of the edition is in both. By *volume*:
halves drawn by chance, with as many unclassified papers in each as can be, mean of six draws. By *time*: the earlier
volumes and the later ones. *Within*: pairs of papers of the same volume alone, so that nothing that volumes differ
by (year, country, editor) helps. Intervals are 95 %, by bootstrap over volumes; so is what is gained over the best
floor. Rarity is that of the whole collection, which needs no marking; vectors are *own*: trained on
the whole collection beside court cases and actors, the texts of eval.planted; or those of the shipped model, which has
read the papers with what their texts say of markings.

| bar | |
|---|---|
| AUC | above every floor, the interval of the gain as well |
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from embanon.document import Document
from embanon.io.read.corpus import CorpusDocument
from embanon.language.normalize import key, words_of
from embanon.leak.regression import SparseRows
from embanon.leak.sensitivity import SensitivityModel, WeightLearner
from embanon.leak.vocabulary import Vocabulary
from embanon.model.model import Model
from embanon.model.shipped import open_model
from eval import labeled
from eval.boundaries import rows
from eval.frequencies import area
from eval.planted import collection
from eval.printing import print_tables

SENSITIVE: Final = ("Secret", "Top Secret")
OPEN: Final = ("Limited Official Use", "Unclassified", "No classification marking")
MARKING: Final = re.compile(
    r"\[[^\]]{0,200}?not\s+declassified[^\]]{0,80}\]"
    r"|\b(?:top[\s-]+secret|secret(?:ly|s)?|confidential(?:ly|ity)?|(?:de|un|re|over)?-?classif\w+"
    r"|(?:limited[\s-]+)?official[\s-]+use(?:[\s-]+only)?|no[\s-]?dis|ex[\s-]?dis|lim[\s-]?dis|noforn"
    r"|no[\s-]?distribution|(?:limit(?:ed)?|exclusive)[\s-]distribution|eyes[\s-]+only|restricted(?:[\s-]+data)?"
    r"|sensitive)\b",
    re.IGNORECASE,
)
DRAWS: Final = 6
RESAMPLED: Final = 400
BINS: Final = 5

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Flags = NDArray[np.bool_]
Score = Callable[[Flags], Floats]
"""Scores all papers, after learning from some."""


@dataclass(frozen=True, eq=False)
class Papers:
    """Papers whose marking is known, and the words of the whole collection."""

    texts: tuple[str, ...] = field(repr=False)
    every: tuple[str, ...] = field(repr=False)
    sensitive: Flags
    volumes: Ints
    dates: tuple[str, ...]

    @classmethod
    def of(cls, data: Path) -> Papers:
        """Read the collection, and take markings out."""
        given = list(rows(data / "frus" / "documents.jsonl.gz"))
        kept = [row for row in given if row["classification"] in SENSITIVE + OPEN]
        _, volumes = np.unique([row["id"].partition("#")[0] for row in kept], return_inverse=True)
        texts, every = (tuple(MARKING.sub(" ", row["text"]) for row in some) for some in (kept, given))
        about = np.array([row["classification"] in SENSITIVE for row in kept])
        return cls(texts, every, about, volumes, tuple(row["date"] for row in kept))

    @cached_property
    def vocabulary(self) -> Vocabulary:
        """Count the words of the collection."""
        return Vocabulary.from_texts([words_of(key(text)) for text in self.every])

    @cached_property
    def words(self) -> list[list[str]]:
        """Return the words of each paper."""
        return [words_of(key(text)) for text in self.texts]

    @cached_property
    def rows(self) -> SparseRows:
        """Return the papers as words."""
        return self.vocabulary.rows(self.words)

    # Halves

    def halves(self) -> dict[str, list[Flags]]:
        """Return the first half of each way of cutting; the other is the second."""
        count = int(self.volumes.max()) + 1
        plain = np.bincount(self.volumes, ~self.sensitive).astype(np.float64)
        middle = [sorted(d for d, v in zip(self.dates, self.volumes, strict=True) if v == n) for n in range(count)]
        order = np.array(sorted(range(count), key=lambda n: middle[n][len(middle[n]) // 2]))
        early = order[: int(np.searchsorted(np.cumsum(np.bincount(self.volumes)[order]), len(self.volumes) / 2)) + 1]
        return {
            "volume": [self._drawn(plain, np.random.default_rng(seed)) for seed in range(DRAWS)],
            "time": [np.isin(self.volumes, early)],
        }

    def _drawn(self, plain: Floats, chance: np.random.Generator) -> Flags:
        """Return each of two volumes that are alike to another half."""
        order = np.argsort(-plain + chance.random(len(plain)) / 2)
        first = [order[n + int(chance.random() < 0.5) : n + 2][:1] for n in range(0, len(order), 2)]
        return np.isin(self.volumes, np.concatenate(first))


# What tells them


def by_regression(papers: Papers, strength: float) -> Score:
    """Classify by TF-IDF, with scikit-learn."""
    from scipy import sparse
    from sklearn.linear_model import LogisticRegression

    every = papers.rows
    table = sparse.csr_matrix((every.values, (every.texts, every.words)), (every.size, every.width))

    def score(shown: Flags) -> Floats:
        learner = LogisticRegression(C=strength, class_weight="balanced", max_iter=500)
        learner.fit(table[shown], papers.sensitive[shown])
        return np.asarray(learner.decision_function(table))

    return score


def by_meaning(papers: Papers, model: Model) -> Score:
    """Classify by the mean vector alone, with scikit-learn."""
    from sklearn.linear_model import LogisticRegression

    means = papers.rows.multiply(papers.vocabulary.vectors(model))
    means /= np.maximum(np.linalg.norm(means, axis=1, keepdims=True), 1e-9)

    def score(shown: Flags) -> Floats:
        learner = LogisticRegression(C=10, class_weight="balanced", max_iter=500)
        learner.fit(means[shown], papers.sensitive[shown])
        return np.asarray(learner.decision_function(means))

    return score


def by_sensitivity(papers: Papers, model: Model) -> Score:
    """Return what embanon says."""
    learner = WeightLearner.create(papers.rows, papers.vocabulary.vectors(model))

    def score(shown: Flags) -> Floats:
        return papers.rows.dot(learner(papers.rows.take(shown), papers.sensitive[shown]))

    return score


def methods(papers: Papers, own: Model) -> dict[str, Score]:
    """Return what is compared; floors first."""
    lengths = np.array([len(words) for words in papers.words], np.float64)
    places, rarity = papers.vocabulary.places, papers.vocabulary.rarity
    sums = np.array([sum(rarity[places[word]] for word in words if word in places) for words in papers.words])
    return {
        "floor: length": lambda _: lengths,
        "floor: sum of idf": lambda _: sums,
        **{f"floor: TF-IDF, logistic, C = {c}": by_regression(papers, c) for c in (0.3, 3, 30)},
        "mean vector, logistic": by_meaning(papers, own),
        "embanon.leak, shipped vectors": by_sensitivity(papers, open_model("default")),
        "embanon.leak, own vectors": by_sensitivity(papers, own),
    }


# The table


def within(scores: Floats, about: Flags, volumes: Ints) -> float:
    """Return the AUC of pairs of one volume."""
    right = pairs = 0.0
    for number in np.unique(volumes).tolist():
        here = volumes == number
        count = float(about[here].sum()) * float((~about[here]).sum())
        if count:
            right += count * area(scores[here], about[here])
            pairs += count
    return right / pairs


def tested(papers: Papers, halves: Sequence[Flags], score: Score) -> list[tuple[Flags, Floats]]:
    """Return what is tested, with the scores, of both halves of each cut."""
    return [(~shown, score(shown)) for half in halves for shown in (half, ~half)]


def resampled(papers: Papers, found: dict[str, list[tuple[Flags, Floats]]]) -> dict[str, Floats]:
    """Return the mean AUC of each method on volumes drawn anew."""
    chance, members = np.random.default_rng(1), [np.flatnonzero(papers.volumes == n) for n in set(papers.volumes)]
    drawn: dict[str, list[float]] = {label: [] for label in found}
    for _ in range(RESAMPLED):
        chosen = np.concatenate([members[n] for n in chance.integers(0, len(members), len(members))])
        for label, parts in found.items():
            drawn[label].append(mean_area(papers, parts, chosen))
    return {label: np.array(values) for label, values in drawn.items()}


def mean_area(papers: Papers, parts: Sequence[tuple[Flags, Floats]], chosen: Ints) -> float:
    """Return the mean AUC over halves."""
    values = []
    for part, scores in parts:
        here = chosen[part[chosen]]
        about = papers.sensitive[here]
        if about.any() and not about.all():
            values.append(area(scores[here], about))
    return float(np.mean(values))


def calibrated(papers: Papers, half: Flags, model: Model) -> Iterator[str]:
    """Say how well stated probabilities are met, later papers by earlier ones."""
    shown = np.flatnonzero(half)
    learnt, _ = SensitivityModel.learn(
        [papers.texts[n] for n in shown.tolist()], papers.sensitive[shown].tolist(), model,
        groups=papers.volumes[shown].astype(str).tolist(), unmarked=papers.every,
    )  # fmt: skip
    left = np.flatnonzero(~half)
    stated, about = learnt.predict([papers.texts[n] for n in left.tolist()]), papers.sensitive[left]
    yield "\nstated and true shares of sensitive papers, later ones told by earlier ones, by fifths"
    for part in np.array_split(np.argsort(stated), BINS):
        yield f"{len(part):6}{stated[part].mean():8.2f}{about[part].mean():8.2f}"
    base = papers.sensitive[shown].mean()
    brier, plain = ((each - about) ** 2 for each in (stated, np.full(len(about), base)))
    yield f"Brier score {brier.mean():.3f}; of the share alone {plain.mean():.3f}"


def report(data: Path, folder: Path) -> Iterator[str]:
    """Return the lines of the tables."""
    papers = Papers.of(data)
    count = int(papers.sensitive.sum())
    yield f"{count} sensitive papers, {len(papers.texts) - count} others, {len(set(papers.volumes))} volumes\n"
    planted = collection(data)
    texts = (*papers.every, *planted.texts[planted.papers :])
    sources = (CorpusDocument(Document(f"{n}", text, "en"), None) for n, text in enumerate(texts))
    own = labeled.Collection.of(sources).train(folder)
    scores, everyone = methods(papers, own), np.arange(len(papers.texts))
    cuts = papers.halves()
    for cut, halves in cuts.items():
        found = {label: tested(papers, halves, score) for label, score in scores.items()}
        drawn = resampled(papers, found)
        means = {label: mean_area(papers, parts, everyone) for label, parts in found.items()}
        best = max((label for label in means if label.startswith("floor")), key=means.__getitem__)
        yield f"By {cut}\n"
        yield f"{'':36}{'AUC':>6}{'interval':>16}{'within':>8}{'gain':>8}{'interval':>18}"
        for label, parts in found.items():
            inside = np.mean([within(s[part], papers.sensitive[part], papers.volumes[part]) for part, s in parts])
            low, high = np.quantile(drawn[label], [0.025, 0.975])
            less, more = np.quantile(drawn[label] - drawn[best], [0.025, 0.975])
            cells = f"{means[label]:6.3f}{low:9.3f}-{high:.3f}{inside:9.3f}"
            yield f"{label:36}{cells}{means[label] - means[best]:+8.3f}{less:+11.3f}..{more:+.3f}"
            if label == tuple(found)[-1]:
                yield f"  bar: above every floor; {'reached' if less > 0 else 'missed'} with its interval\n"
    yield from calibrated(papers, cuts["time"][0], own)


if __name__ == "__main__":
    raise SystemExit(print_tables("markings", __doc__, ("numpy", "gensim", "scikit-learn"), report))
