"""Tell what texts are about that never name it, and mask it: `python -m eval.topical --data ../shared/data`.

The seven topics of eval.topics in diplomatic papers. The papers are cut into two halves, by chance with a fixed seed;
a model is trained on one half, and the papers of the other are scored, then the other way round; figures are means
of both. A mention is a word that begins with the topic's. All mentions are taken away before scoring, with the whole
phrases that contain them; papers with three or more are to be told from those without any (AUC). The topic is given
as its name alone; what is *labeled* was shown which papers of the training half have three mentions, and which none.

*Masking*: phrases at or above the standard limit are taken out of all papers; what is left is scored by classifiers
that took no part. *Kept* is the share of words that remain, of papers about the topic and of the others; *false* is the
share of papers without a mention whose risk reaches the limit. *No phrases* is what a scorer sees in the words
between the phrases, which nothing masks: how long a text is, and of which kind (he said, we would).

| bar | |
|---|---|
| AUC, mean of the topics | >= .90 |
| AUC after masking, by each classifier that took no part | <= .60, or that of length, whichever is higher |
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from embanon.entities.entity import Entity
from embanon.language.normalize import key, words_of
from embanon.model.model import Model
from embanon.model.shipped import open_model
from embanon.risk.topic_model import TopicModel
from embanon.risk.topics import STANDARD_RISK, TopicRisk, measure_topic_risk
from embanon.taxonomy.store import SHIPPED, open_taxonomy
from embanon.text.find import Analysis, find_all
from eval.labeled import CONFIG, Collection, sources
from eval.printing import print_tables
from eval.topics import MENTIONS, TOPICS, counted, of_topic, units

SEED: Final = 1
NEIGHBORS: Final = 10
WITNESSES: Final = 3
RIDGE: Final = 0.3
FOLDS: Final = 2
NUMBERS: Final = range(len(TOPICS))
OURS: Final = "embanon.topics"
AFTER: Final = "after"
BAR_FOUND: Final = 0.9
BAR_MASKED: Final = 0.6

Floats = NDArray[np.floating[Any]]
Ints = NDArray[np.int64]


def line(label: str, values: Sequence[float]) -> str:
    """Write the mean of the topics, and each."""
    return f"{label:46}{np.mean(values):6.3f}  " + "".join(f"{each:9.3f}" for each in values)


def matrix(lists: Sequence[Sequence[int]], size: int) -> Any:
    """Count numbers in texts."""
    bounds = np.append(0, np.cumsum([len(one) for one in lists]))
    found = counted(np.array([number for one in lists for number in one], np.int32), bounds, size)
    found.sum_duplicates()
    return found


def normed(rows: Floats) -> Floats:
    """Return rows of length 1; what is nothing stays so."""
    return np.asarray(rows / np.maximum(np.linalg.norm(rows, axis=-1, keepdims=True), 1e-9))


def sparse_normed(counts: Any, weights: Floats) -> Any:
    """Return logarithmic frequencies, weighted, each text 1 long."""
    from scipy import sparse

    found = counts.tocsr().copy()
    found.data = 1 + np.log(found.data)
    found = found @ sparse.diags(weights)
    lengths = np.sqrt(np.asarray(found.multiply(found).sum(axis=1)).ravel())
    return sparse.diags(1 / np.maximum(lengths, 1e-9)) @ found


def begins(words: Sequence[str], name: str) -> bool:
    """Return whether one of some words mentions a topic."""
    return any(word.startswith(name) for word in words)


def mentions_of(texts: Sequence[str]) -> Ints:
    """Count the mentions of each topic (a row) in texts."""
    return np.array([[len(re.findall(rf"\b{name}", text.lower())) for text in texts] for name in TOPICS])


@dataclass(frozen=True, slots=True, eq=False)
class Bags:
    """Texts as numbered units (words or phrases), of which some mention a topic."""

    units: Sequence[str] = field(repr=False)
    counts: Any = field(repr=False)
    vectors: Floats = field(repr=False)
    rarity: Floats = field(repr=False)

    def weights(self, topic: int) -> Floats:
        """Return the rarity of each unit, 0 for what mentions a topic."""
        name = TOPICS[topic]
        naming = np.array([name in unit and begins(words_of(unit), name) for unit in self.units])
        return np.asarray(self.rarity * ~naming)

    def means(self, topic: int) -> Floats:
        """Return the mean vector of each text without mentions."""
        return normed(np.asarray(self.counts @ (self.vectors * self.weights(topic)[:, None])))


def bags(lists: Sequence[Sequence[str]], model: Model, phrases: bool) -> Bags:
    """Number the units of texts, and look them up."""
    numbers: dict[str, int] = {}
    texts = [[numbers.setdefault(unit, len(numbers)) for unit in one] for one in lists]
    known, table = list(numbers), model.phrases if phrases else model.words
    found = table.keys.find(known)
    vectors = model.find(known).vectors if phrases else table.vectors.rows(found)
    documents = np.where(found >= 0, table.documents[found], 0) + 0.5
    total = max(int(model.card["documents"]), 1)
    rarity = np.clip(-np.log2(documents / total), 0.01, np.log2(total) + 1)
    if not model.card["documents"]:
        rarity = np.where(found >= 0, model.rarity(table, np.maximum(found, 0)), 0.0)
    with np.errstate(invalid="ignore"):
        return Bags(known, matrix(texts, len(known)), np.nan_to_num(units(vectors)), rarity)


@dataclass(frozen=True, eq=False)
class Half:
    """A model of one half, and the papers of the other."""

    training: Collection
    testing: Collection
    model: Model
    other: Model
    """Trained on the papers that are scored, with another seed: it takes no part."""

    @cached_property
    def mentions(self) -> Ints:
        """Count mentions in the papers that are scored."""
        return mentions_of(self.testing.texts)

    @cached_property
    def learnt(self) -> Ints:
        """Count mentions in the papers of the model."""
        return mentions_of(self.training.texts)

    @cached_property
    def analyses(self) -> list[Analysis]:
        """Return the phrases of the papers that are scored."""
        documents = [source.document for source in self.testing.sources]
        return list(find_all(documents, config=CONFIG, statistics=self.model.statistics))

    @cached_property
    def written(self) -> list[list[str]]:
        """Return the keys of these phrases."""
        return [
            [key(one.document.text[start:end]) for start, end in zip(one.phrases.start, one.phrases.end, strict=True)]
            for one in self.analyses
        ]

    @cached_property
    def phrases(self) -> Bags:
        """Return the papers that are scored as phrases."""
        return bags(self.written, self.model, phrases=True)

    @cached_property
    def words(self) -> Bags:
        """Return the papers that are scored as words."""
        return bags([words_of(key(text)) for text in self.testing.texts], self.model, phrases=False)

    @cached_property
    def trained(self) -> Bags:
        """Return the papers of the model as words."""
        return bags([words_of(key(text)) for text in self.training.texts], self.model, phrases=False)

    @cached_property
    def shipped(self) -> Bags:
        """Return the papers that are scored as words of the shipped model."""
        return bags([words_of(key(text)) for text in self.testing.texts], open_model("default"), phrases=False)

    @cached_property
    def calibration(self) -> TopicModel:
        """Return what measures topics."""
        return TopicModel.for_model(self.model)

    def topical(self, topic: int) -> list[TopicRisk]:
        """Score all papers, without the phrases that mention a topic."""
        name, found = TOPICS[topic], []
        entity = Entity(name, type="TOPIC")
        for one, keys in zip(self.analyses, self.written, strict=True):
            kept = np.array([not (name in each and begins(words_of(each), name)) for each in keys], bool)
            found.append(measure_topic_risk(one.document.text, one.phrases.select(kept), entity, self.calibration))
        return found

    @cached_property
    def outcomes(self) -> list[list[TopicRisk]]:
        """Score all papers for all topics."""
        return [self.topical(topic) for topic in NUMBERS]


# What scores papers


def direction(model: Model, topic: int, phrases: bool = False) -> Floats:
    """Return the vector of a topic's name."""
    name = TOPICS[topic]
    number = model.words.keys.find([name])
    found = model.find([name]).vectors if phrases or number[0] < 0 else model.words.vectors.rows(number)
    return np.asarray(units(found)[0])


def standard(scores: Floats) -> Floats:
    """Put scores on one scale."""
    return np.asarray((scores - scores.mean()) / max(float(scores.std()), 1e-9))


def length(half: Half, _topic: int) -> Floats:
    """Return the number of words."""
    return np.asarray(half.words.counts.sum(axis=1)).ravel()


def verdict(reached: bool) -> str:
    """Return whether a bar is reached."""
    return "reached" if reached else "missed"


def by_phrases(half: Half, topic: int) -> Floats:
    """Return the cosine of phrases."""
    return half.phrases.means(topic) @ direction(half.model, topic, phrases=True)


def by_words(half: Half, topic: int) -> Floats:
    """Return the cosine of words."""
    return half.words.means(topic) @ direction(half.model, topic)


def by_neighbors(half: Half, topic: int) -> Floats:
    """Add what is nearest to the topic in the model."""
    rows, table = half.trained, half.model.words
    cosines = np.where(rows.weights(topic) > 0, rows.vectors @ direction(half.model, topic), -1.0)
    cosines[table.documents[table.keys.find(rows.units)] < WITNESSES] = -1
    best = np.argsort(-cosines)[:NEIGHBORS]
    center = direction(half.model, topic) + (rows.vectors[best] * cosines[best, None]).mean(axis=0)
    return np.asarray(half.words.means(topic) @ normed(center))


def by_wordnet(half: Half, topic: int) -> Floats:
    """Add what the shipped taxonomies call the topic, and what is broader."""
    labels = set()
    for store in map(open_taxonomy, SHIPPED):
        for sense in store.senses(TOPICS[topic], "en")[:2]:
            concepts = [sense.concept, *(link.concept for link in store.broader(sense.concept))]
            labels |= {label for concept in concepts for label in store.labels(concept, "en")[:3]}
    rows = np.nan_to_num(units(half.model.find(sorted(labels)).vectors)) if labels else np.zeros((1, 1))
    center = direction(half.model, topic) + rows.mean(axis=0)
    return np.asarray(half.words.means(topic) @ normed(center))


def by_centered(half: Half, topic: int) -> Floats:
    """Take the mean of the model's papers and their first principal component away."""
    rows = half.trained.means(topic)
    mean = rows.mean(axis=0)
    first = np.linalg.svd(rows - mean, full_matrices=False)[2][:1]
    found, center = half.words.means(topic) - mean, direction(half.model, topic) - mean
    return np.asarray(normed(found - found @ first.T @ first) @ normed(center - center @ first.T @ first))


def by_shipped(half: Half, topic: int) -> Floats:
    """Add the cosine in the shipped model."""
    shipped = half.shipped.means(topic) @ direction(open_model("default"), topic)
    return standard(by_words(half, topic)) + standard(shipped)


def by_discriminant(half: Half, topic: int) -> Floats:
    """Take the direction by which the model's papers that name the topic differ from the others."""
    rows, named = half.trained.means(topic), half.learnt[topic] > 0
    spread = np.cov(rows.T) + RIDGE * rows.var(axis=0).mean() * np.eye(rows.shape[1])
    between = rows[named].mean(axis=0) - rows[~named].mean(axis=0)
    return np.asarray(half.words.means(topic) @ np.linalg.solve(spread, between))


def by_topical(half: Half, topic: int) -> Floats:
    """Return what embanon says."""
    return np.array([-9.0 if np.isnan(one.z) else one.z for one in half.outcomes[topic]])


def by_labels(half: Half, topic: int) -> Floats:
    """Classify by labeled papers of the training half."""
    return centroid(half, topic, half.learnt[topic], half.trained, half.words)


def centroid(half: Half, topic: int, mentions: Ints, trained: Bags, tested: Bags) -> Floats:
    """Classify by the mean TF-IDF of labeled papers, against that of those without the topic."""
    rows = sparse_normed(trained.counts, trained.weights(topic))
    about, without = (np.asarray(rows[chosen].mean(axis=0)).ravel() for chosen in (mentions >= MENTIONS, mentions == 0))
    places = {unit: place for place, unit in enumerate(trained.units)}
    found = np.array([places.get(unit, -1) for unit in tested.units])
    contrast = np.where(found >= 0, (about - without)[found], 0.0)
    return np.asarray(sparse_normed(tested.counts, tested.weights(topic)) @ contrast)


SCORES: Final[dict[str, Callable[[Half, int], Floats]]] = {
    "floor: search for the name": lambda half, topic: np.zeros(len(half.testing.texts)),
    "floor: length in words": length,
    "cosine of phrases": by_phrases,
    "cosine of words": by_words,
    "cosine of both": lambda half, topic: standard(by_phrases(half, topic)) + standard(by_words(half, topic)),
    "  words, without mean and 1st component": by_centered,
    "  words, 10 neighbors as aliases": by_neighbors,
    "  words, lexical field of WordNet": by_wordnet,
    "  words, and shipped model": by_shipped,
    "  words, discriminant of who names it": by_discriminant,
    OURS: by_topical,
    "TF-IDF centroid, labeled": by_labels,
}


# Masking


def masked(half: Half, topic: int, limit: float) -> tuple[list[list[str]], Floats]:
    """Return the words that are left of each paper at a limit, and their share.

    Phrases with mentions go in any case.
    """
    name, left, shares = TOPICS[topic], list[list[str]](), list[float]()
    for one, keys, outcome in zip(half.analyses, half.written, half.outcomes[topic], strict=True):
        kept = np.array([not (name in each and begins(words_of(each), name)) for each in keys], bool)
        phrases, text = one.phrases, one.document.text
        chosen = ~kept
        chosen[kept] = outcome.risk >= limit
        pieces, last = [], 0
        for place in np.flatnonzero(chosen).tolist():
            pieces.append(text[last : int(phrases.start[place])])
            last = int(phrases.end[place])
        left.append(words_of(key(" ".join([*pieces, text[last:]]))))
        shares.append(len(left[-1]) / max(len(words_of(key(text))), 1))
    return left, np.array(shares)


def by_folds(half: Half, topic: int, tested: Bags) -> Floats:
    """Classify by labeled papers, as they were, of the other fold of those that are scored."""
    found, fold = np.zeros(len(half.testing.texts)), np.arange(len(half.testing.texts)) % FOLDS
    for number in range(FOLDS):
        shown = np.where(fold == number, -1, half.mentions[topic])
        found = np.where(fold == number, centroid(half, topic, shown, half.words, tested), found)
    return found


def masking(halves: Sequence[Half]) -> Iterator[str]:
    """Return the lines of the second table."""
    rows: dict[str, list[list[float]]] = {}
    for half in halves:
        found: dict[str, list[float]] = {}
        for topic in NUMBERS:
            mentions = half.mentions[topic]
            left, shares = masked(half, topic, STANDARD_RISK)
            bare, rest = masked(half, topic, -np.inf)
            clean, about = mentions == 0, mentions >= MENTIONS
            risky = np.array([one.document for one in half.outcomes[topic]]) >= STANDARD_RISK
            words = [words_of(key(text)) for text in half.testing.texts]
            for state, lists in (("before", words), ("no phrases", bare), (AFTER, left)):
                papers, others = bags(lists, half.model, phrases=False), bags(lists, half.other, phrases=False)
                scores = {
                    "TF-IDF, trained half": centroid(half, topic, half.learnt[topic], half.trained, papers),
                    "TF-IDF, scored half": by_folds(half, topic, papers),
                    "word2vec, scored half, seed 2": others.means(topic) @ direction(half.other, topic),
                }
                for label, score in scores.items():
                    found.setdefault(f"{label}, {state}", []).append(of_topic(score, mentions))
            found.setdefault("kept of papers about it", []).append(float(shares[about].mean()))
            found.setdefault("kept of papers without it", []).append(float(shares[clean].mean()))
            found.setdefault("kept if all phrases are gone", []).append(float(rest[about].mean()))
            found.setdefault("found: papers about it at the limit", []).append(float(risky[about].mean()))
            found.setdefault("false: papers without it", []).append(float(risky[clean].mean()))
        for label, values in found.items():
            rows.setdefault(label, []).append(values)
    means = {label: np.mean(both, axis=0) for label, both in rows.items()}
    for label, topics in means.items():
        yield line(label, topics.tolist())
    worst = max(float(topics.mean()) for label, topics in means.items() if label.endswith(AFTER))
    bar = max(
        BAR_MASKED, float(np.mean([of_topic(length(half, n), half.mentions[n]) for half in halves for n in NUMBERS]))
    )
    seen = f"the one that sees most has {worst:.3f}: {verdict(worst <= bar)}"
    yield f"\nbar: every classifier {AFTER} masking <= {bar:.3f}; {seen}"


def halved(data: Path, folder: Path) -> list[Half]:
    """Cut the papers into halves, and train on both."""
    different = list({one.document.text: one for one in sources(data, "frus/documents")}.values())
    order = np.random.default_rng(SEED).permutation(len(different))
    collections = [Collection.of([different[n] for n in np.sort(order[part::2])]) for part in (0, 1)]
    models = [one.train(folder / f"model{part}") for part, one in enumerate(collections)]
    others = [one.train(folder / f"other{part}", seed=2) for part, one in enumerate(collections)]
    return [Half(collections[a], collections[b], models[a], others[b]) for a, b in ((0, 1), (1, 0))]


def report(data: Path, folder: Path) -> Iterator[str]:
    """Return the lines of both tables."""
    halves = halved(data, folder)
    yield f"Topics of diplomatic papers without their names, {len(halves[0].testing.texts)} in each half, AUC\n"
    yield f"{'':46}{'mean':>6}  " + "".join(f"{name:>9}" for name in TOPICS)
    mentions = np.concatenate([half.mentions for half in halves], axis=1)
    for label, chosen in (("about it", mentions >= MENTIONS), ("without it", mentions == 0)):
        counts = chosen.sum(axis=1)
        yield f"{f'papers {label}':52}  " + "".join(f"{count:9}" for count in counts)
    found = 0.0
    for label, score in SCORES.items():
        each = [[of_topic(score(half, n), half.mentions[n]) for n in NUMBERS] for half in halves]
        yield line(label, np.mean(each, axis=0).tolist())
        if label == OURS:
            found = float(np.mean(each))
    yield f"\nbar: {OURS} >= {BAR_FOUND}; it has {found:.3f}: {verdict(found >= BAR_FOUND)}"
    yield f"\nMasking at the standard limit, {STANDARD_RISK}: AUC, and shares\n"
    yield from masking(halves)


if __name__ == "__main__":
    raise SystemExit(print_tables("topical", __doc__, ("numpy", "gensim", "scipy"), report))
