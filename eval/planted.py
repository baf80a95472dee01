"""Find planted secrets: papers about something whose every mention is gone, among thousands of others.

    python -m eval.planted --data ../shared/data

For each of ten entities (`planted.toml`: the seven topics of eval.topics, and the three countries besides that have
most papers to themselves) the 30 diplomatic papers with the most mentions of the name or an alias are planted,
without these mentions; the first in the file where as many are mentioned. The next three are the samples. They hide
among 5,000 other texts, none with a mention: the diplomatic papers without one, the background of `tab`, and actors,
drawn by chance with a fixed seed. Papers with fewer mentions are not scored; they lie in the collection, as
other files of a company do.

What finds them is given the names and a description of two sentences, or the three samples as well. It learns from the
*whole* collection, the planted papers among it as they lie there, or from what is *apart*: all but what is planted for
any of the ten. *Nobody names it*: nothing is learnt; what describes an entity is all there is. Vectors of words are
trained on the same texts, each planted paper without what it is planted for. The shipped model has read the papers
with all names in them: what it finds is no measure, and is shown for that alone.

Figures are means over the entities: how many of the 30 are among the first 60 of all, and of the diplomatic papers
alone; both AUC; the former for each. Floors: search for the names; similarity to the description (and samples) by
TF-IDF; a logistic regression on TF-IDF, learnt from papers that name the entity (names taken out) and the description;
style (function words, length), learnt from papers that name the entity, and by five folds of what is planted.

| bar | |
|---|---|
| of 30 planted, in the first 60, from a description | >= 20 |
| the same, with three samples | >= 25 |
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from embanon.document import Document
from embanon.entities.entity import Entity
from embanon.io.read.corpus import CorpusDocument
from embanon.language.lexicon import Cue, Lexicon
from embanon.language.normalize import key, words_of
from embanon.leak.collection import Collection as Known
from embanon.leak.fitting import learn_entity
from embanon.leak.hints import EntityHints, NameMasker, ScoreScales, TextRows
from embanon.leak.regression import SparseRows, balance_classes, fit
from embanon.model.model import Model
from embanon.model.shipped import open_model
from eval import labeled
from eval.boundaries import rows
from eval.frequencies import area
from eval.printing import print_tables

ENTITIES: Final = Path(__file__).with_name("planted.toml")
PLANTED: Final = 30
SAMPLES: Final = 3
LEAST: Final = 3
"""Mentions of a paper that is planted."""
HIDING: Final = 5000
SEED: Final = 1
FIRST: Final = 60
FOLDS: Final = 5
DESCRIBED: Final = 20
"""Papers that a description counts for where a classifier learns."""
RIDGE: Final = 0.01
DRAWS: Final = 1000
CERTAIN: Final = 0.5
BARS: Final = {False: 20, True: 25}

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


def mention(names: Sequence[str]) -> re.Pattern[str]:
    """Return what finds mentions: words that begin with a name; names in capitals stand so, and by themselves."""
    longest = sorted(names, key=len, reverse=True)
    return re.compile(
        "|".join(
            rf"\b{re.escape(name)}[sS]?\b" if name.isupper() else rf"(?i:\b{re.escape(name)}\w*)" for name in longest
        )
    )


@dataclass(frozen=True, slots=True)
class Secret:
    """What shall not be told of, what finds its mentions, and what is taken out of texts."""

    entity: Entity
    counted: re.Pattern[str] = field(repr=False)
    removed: re.Pattern[str] = field(repr=False)

    @classmethod
    def of(cls, row: dict[str, Any]) -> Secret:
        """Read a row of the file."""
        names = [row["name"], *row["aliases"]]
        entity = Entity(row["name"], tuple(row["aliases"]), "TOPIC", row["description"].strip())
        return cls(entity, mention(names), mention([*names, *row.get("ambiguous", ())]))


def secrets(name: str = "entity") -> list[Secret]:
    """Read the ten, or those of another list."""
    return [Secret.of(row) for row in tomllib.loads(ENTITIES.read_text("utf-8"))[name]]


@dataclass(frozen=True, slots=True, eq=False)
class Hidden:
    """A secret, and by number which texts are planted, are samples, and hide these."""

    secret: Secret
    planted: Ints
    samples: Ints
    others: Ints

    def entity(self, texts: Sequence[str], samples: bool) -> Entity:
        """Return the entity, with or without its samples."""
        chosen = tuple(texts[number] for number in self.samples.tolist()) if samples else ()
        return replace(self.secret.entity, samples=chosen)


@dataclass(frozen=True, slots=True, eq=False)
class Collection:
    """All texts, the diplomatic papers first, as they were written; and what is hidden in them."""

    texts: tuple[str, ...] = field(repr=False)
    papers: int
    hidden: tuple[Hidden, ...]

    def lying(self) -> list[str]:
        """Return all texts as they lie about: those that are planted without what they are planted for."""
        texts = list(self.texts)
        for hidden in self.hidden:
            for number in hidden.planted.tolist():
                texts[number] = hidden.secret.removed.sub("", texts[number])
        return texts


def collection(data: Path, name: str = "entity") -> Collection:
    """Build the set, of a list of entities."""
    frus, tab, actors = (
        list(dict.fromkeys(row["text"] for row in rows(data / f"{name}.jsonl.gz")))
        for name in ("frus/documents", "tab/background", "actors/corpus")
    )
    drawn = np.random.default_rng(SEED).permutation(len(actors))[:HIDING]
    texts = (*frus, *tab, *(actors[number] for number in drawn.tolist()))
    found = []
    for secret in secrets(name):
        mentions = np.array([len(secret.counted.findall(text)) for text in texts])
        order = np.argsort(-mentions[: len(frus)], kind="stable")[: PLANTED + SAMPLES]
        assert mentions[order[-1]] >= LEAST, "too few papers"
        others = np.flatnonzero(mentions == 0)[:HIDING]
        found.append(Hidden(secret, order[:PLANTED], order[PLANTED:], others))
    last = max(int(hidden.others[-1]) for hidden in found) + 1
    return Collection(texts[:last], len(frus), tuple(found))


# What finds planted papers


@dataclass(frozen=True, eq=False)
class Task:
    """The set, what is learnt from, and the texts that are scored, as that knows their words."""

    collection: Collection
    known: Known
    scored: TextRows
    found: dict[str, EntityHints] = field(default_factory=dict, repr=False)
    """What was learnt from descriptions, which takes a while."""

    @classmethod
    def of(cls, collection: Collection, model: Model, chosen: Ints | None = None) -> Task:
        """Learn from the texts as they lie about, or from some."""
        texts = collection.lying()
        known = Known([texts[n] for n in chosen.tolist()] if chosen is not None else texts, model)
        return cls(collection, known, TextRows.from_words([words_of(key(text)) for text in texts], known.vocabulary))

    @cached_property
    def table(self) -> Floats:
        """Return the style of each text."""
        return styles(self.collection.texts)

    def rows(self, texts: Sequence[str]) -> SparseRows:
        """Return texts as the words that are known."""
        return self.known.vocabulary.rows([words_of(key(text)) for text in texts])

    def learnt(self, hidden: Hidden, samples: bool) -> EntityHints:
        """Learn; risks are stated from descriptions alone."""
        entity = hidden.entity(self.collection.texts, samples)
        if samples:
            return learn_entity(self.known, entity, calibrate=False)
        return self.found.get(entity.name) or self.found.setdefault(entity.name, learn_entity(self.known, entity))

    def hints(self, hidden: Hidden, samples: bool) -> Floats:
        """Return what embanon says."""
        learnt = self.learnt(hidden, samples)
        return learnt.scales(*self.scored.scores(learnt.weights))

    def ranked(self, hidden: Hidden, samples: bool) -> Floats:
        """Return the same, without learning what risks to state."""
        learnt = learn_entity(self.known, hidden.entity(self.collection.texts, samples), calibrate=False)
        return learnt.scales(*self.scored.scores(learnt.weights))

    def risks(self, hidden: Hidden) -> Floats:
        """Return the risks that embanon states."""
        return self.learnt(hidden, False).document_risk(self.hints(hidden, False))

    def unnamed(self, hidden: Hidden, _samples: bool) -> Floats:
        """Return what embanon says where no document names the entity."""
        whole, best = self.scored.scores(self.known.prior(hidden.secret.entity)[0])
        return ScoreScales.fit(whole[hidden.others], best[hidden.others])(whole, best)

    def similar(self, hidden: Hidden, samples: bool) -> Floats:
        """Return the mean cosine to the description and the samples."""
        entity = hidden.entity(self.collection.texts, samples)
        asked = self.rows([entity.description, *(hidden.secret.removed.sub("", text) for text in entity.samples)])
        return self.scored.whole.dot(asked.dot_transposed(np.ones(asked.size)))

    def classified(self, hidden: Hidden, _samples: bool) -> Floats:
        """Classify by TF-IDF, with scikit-learn: papers that name the entity (names taken out) and its description."""
        from scipy import sparse
        from sklearn.linear_model import LogisticRegression

        def table(rows: SparseRows) -> Any:
            return sparse.csr_matrix((rows.values, (rows.texts, rows.words)), (rows.size, rows.width))

        lying, secret = self.collection.lying(), hidden.secret
        about = np.array([bool(secret.counted.search(text)) for text in lying])
        every = table(self.rows(lying))
        shown = [secret.removed.sub("", lying[number]) for number in np.flatnonzero(about).tolist()]
        shown += [secret.entity.description] * DESCRIBED
        learner = LogisticRegression(C=1, class_weight="balanced", max_iter=300)
        learner.fit(
            sparse.vstack([every[~about], table(self.rows(shown))]), np.arange(len(lying) + DESCRIBED) >= (~about).sum()
        )
        return np.asarray(learner.decision_function(every))

    def named(self, hidden: Hidden, _samples: bool) -> Floats:
        """Count names."""
        mentions = NameMasker(hidden.secret.entity, "en")
        return np.array([mentions.mask(text)[1] for text in self.collection.lying()], np.float64)

    def style(self, hidden: Hidden, _samples: bool) -> Floats:
        """Learn the style of papers that name the entity."""
        found = np.array([bool(hidden.secret.counted.search(text)) for text in self.collection.lying()])
        return styled(self.table, found, np.ones(len(found), bool))

    def style_shown(self, hidden: Hidden, _samples: bool) -> Floats:
        """Learn the style of what is planted, of other folds."""
        table, about = self.table, np.zeros(len(self.collection.texts), bool)
        about[hidden.planted] = True
        usable = about.copy()
        usable[hidden.others] = True
        fold = np.random.default_rng(SEED).permutation(len(about)) % FOLDS
        parts = [styled(table, about, usable & (fold != n)) * (fold == n) for n in range(FOLDS)]
        return np.asarray(np.sum(parts, axis=0))


def styles(texts: Sequence[str]) -> Floats:
    """Return the shares of function words, and the logarithm of the length."""
    lexicon, places = Lexicon.load("en"), dict[str, int]()
    cut = [words_of(key(text)) for text in texts]
    for word in sorted({word for words in cut for word in words}):
        if lexicon.flags(word) & Cue.STOP:
            places[word] = len(places)
    table = np.zeros((len(texts), len(places) + 1))
    for row, words in zip(table, cut, strict=True):
        for word in words:
            if word in places:
                row[places[word]] += 1 / len(words)
        row[-1] = np.log1p(len(words))
    return np.asarray((table - table.mean(axis=0)) / np.maximum(table.std(axis=0), 1e-9))


def styled(table: Floats, about: NDArray[np.bool_], shown: NDArray[np.bool_]) -> Floats:
    """Learn from what is shown, and score everything."""
    empty = SparseRows(np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros(0), int(shown.sum()), 0)
    counted = balance_classes(about[shown], np.ones(empty.size))
    _, weights, bias = fit(empty, table[shown], about[shown], counted, np.zeros(empty.size), RIDGE * empty.size)
    return np.asarray(table @ weights + bias)


# The table


def judged(scores: Floats, hidden: Hidden, papers: int) -> tuple[float, ...]:
    """Return how many are among the first of all, and of the papers, and both areas; what ties stands as by chance."""
    found: list[float] = []
    areas: list[float] = []
    for others in (hidden.others, hidden.others[hidden.others < papers]):
        numbers = np.random.default_rng(SEED).permutation(np.concatenate([hidden.planted, others]))
        first = numbers[np.argsort(-scores[numbers], kind="stable")[:FIRST]]
        found.append(float(np.isin(first, hidden.planted).sum()))
        areas.append(area(scores[numbers], np.isin(numbers, hidden.planted)))
    return (*found, *areas)


def line(label: str, each: Sequence[tuple[float, ...]]) -> str:
    """Write means, the interval of the first (over entities and papers alike), and each."""
    table = np.array(each)
    drawn = np.random.default_rng(SEED).integers(0, len(table), (DRAWS, len(table)))
    low, high = np.quantile(table[drawn, 0].mean(axis=1), [0.025, 0.975])
    means = table.mean(axis=0)
    cells = f"{means[0]:6.1f} {low:5.1f}-{high:4.1f}{means[1]:7.1f}{means[2]:7.3f}{means[3]:7.3f}   "
    return f"{label:44}{cells}" + "".join(f"{int(one):4}" for one in table[:, 0])


Score = Callable[[Hidden, bool], Floats]


def lines(collection: Collection, tasks: Sequence[tuple[str, Score, Sequence[bool]]]) -> Iterator[tuple[str, float]]:
    """Return the lines of a table, and the mean of each."""
    for label, score, given in tasks:
        for samples in given:
            each = [judged(score(one, samples), one, collection.papers) for one in collection.hidden]
            yield line(f"{label}{', samples' if samples else ''}", each), float(np.mean([one[0] for one in each]))


def head(collection: Collection) -> str:
    """Write what the columns are."""
    names = " ".join(hidden.secret.entity.name for hidden in collection.hidden)
    return f"{'':44}{'first 60 of all':>17}{'papers':>7}{'AUC':>7}{'papers':>7}    {names}"


def own(texts: Iterable[str], folder: Path) -> Model:
    """Train vectors on texts."""
    documents = (CorpusDocument(Document(f"{n}", text, "en"), None) for n, text in enumerate(texts))
    return labeled.Collection.of(documents).train(folder)


def report(data: Path, folder: Path) -> Iterator[str]:
    """Return the lines of the tables."""
    found, later, both = collection(data), collection(data, "later"), (False, True)
    lying, second = found.lying(), later.hidden
    for hidden in second:
        for number in hidden.planted.tolist():
            lying[number] = hidden.secret.removed.sub("", lying[number])
    rest = np.setdiff1d(np.arange(len(lying)), np.concatenate([hidden.planted for hidden in found.hidden]))
    whole = Task.of(found, trained := own(lying, folder / "whole"))
    others = [int((hidden.others < found.papers).sum()) for hidden in found.hidden]
    yield f"{PLANTED} of each, hidden among {HIDING:,} texts; {min(others)} to {max(others)} are diplomatic papers\n"
    yield head(found)
    yield from (each for each, _ in lines(found, (
        ("floor: search for the names", whole.named, (False,)),
        ("floor: TF-IDF, description", whole.similar, both),
        ("floor: TF-IDF, logistic regression", whole.classified, (False,)),
        ("floor: style of papers that name it", whole.style, (False,)),
        ("floor: style, told which are planted", whole.style_shown, (False,)),
        ("nobody names it", whole.unnamed, (False,)),
    )))  # fmt: skip
    for samples in both:
        ((each, mean),) = lines(found, [("embanon.leak, whole", whole.hints, (samples,))])
        bar = BARS[samples]
        yield f"{each}\n  bar: >= {bar}; it has {mean:.1f}: {'reached' if mean >= bar else 'missed'}"
    apart = Task.of(found, own((lying[n] for n in rest.tolist()), folder / "apart"), rest)
    shipped = Task.of(found, open_model("default"))
    yield from (each for each, _ in lines(found, (
        ("embanon.leak, apart", apart.ranked, both), ("no measure: whole, shipped vectors", shipped.ranked, (False,)),
    )))  # fmt: skip
    risks = [(whole.risks(hidden), hidden) for hidden in found.hidden]
    hit = np.mean([int((risk[one.planted] >= CERTAIN).sum()) for risk, one in risks])
    false = np.mean([int((risk[one.others] >= CERTAIN).sum()) for risk, one in risks])
    yield f"\nat a risk of {CERTAIN}, from a description: {hit:.1f} of {PLANTED}, and {false:.1f} of {HIDING:,} others"
    task = Task.of(later, trained)
    yield f"\nFive that nothing was tuned on\n\n{head(later)}"
    yield from (each for each, _ in lines(later, (
        ("floor: TF-IDF, description", task.similar, both),
        ("floor: TF-IDF, logistic regression", task.classified, (False,)), ("embanon.leak, whole", task.ranked, both),
    )))  # fmt: skip


if __name__ == "__main__":
    raise SystemExit(print_tables("planted", __doc__, ("numpy", "gensim", "scikit-learn"), report))
