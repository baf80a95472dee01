"""The probability that a whole document is sensitive, whatever it is about: learnt from labeled documents.

A document is its words, by rarity, and what a model knows them to mean: the sum of their vectors. Both are learnt
together, so that a word that no marked document has, but that is near to those that tell, tells as well. What is
learnt comes down to one weight for each word, which is all that is kept: no vector, and no document.

Markings that stand in the texts are taken out, else they are all that is learnt: however they are joined, and in any
case, as `Top-Secret` or `TOP SECRET`. A star stands for the rest of a word: `classif*`.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from embanon.data import find_resource
from embanon.errors import ConfigError
from embanon.language import key, words_of
from embanon.leak.regression import Flags, Floats, Ints, LogisticCurve, SparseRows, balance_classes, fit
from embanon.leak.vocabulary import Vocabulary, load_arrays, save_arrays
from embanon.model import Model

MARKING_WORD: Final = re.compile(r"\w+\*?")


@cache
def usual_markings() -> tuple[str, ...]:
    """Return markings that are usual in some languages, in folded case."""
    table = tomllib.loads(find_resource("ontologies", "lexicon", "markings.toml").read_text("utf-8"))
    return tuple(marking for markings in table.values() for marking in markings)


@dataclass(frozen=True)
class Markings:
    """Markings, as words in folded case."""

    words: tuple[str, ...] = field(default=(), repr=False)

    @classmethod
    def build(cls, labels: Iterable[str], further: Iterable[str] = (), usual: Iterable[str] | None = None) -> Markings:
        """Take labels as they are written, and words of which a star may leave the end open."""
        markings = {" ".join(words_of(key(label))) for label in labels}
        for place, written in enumerate(further, 1):
            marking = " ".join(MARKING_WORD.findall(key(written)))
            if not marking:
                raise ConfigError(f"--marking, number {place}: has no word; write one as it stands in texts: classif*")
            markings.add(marking)
        return cls(tuple(sorted({*markings, *(usual_markings() if usual is None else usual)} - {""})))

    @cached_property
    def _pattern(self) -> re.Pattern[str]:
        longest = sorted(self.words, key=lambda one: (-len(one), one))
        patterns = "|".join(re.escape(one).replace(r"\*", r"\S*") for one in longest)
        return re.compile(rf"(?<!\S)(?:{patterns})(?!\S)")

    def unmarked_words(self, text: str) -> list[str]:
        """Return the words of a text without its markings."""
        words = words_of(key(text))
        return self._pattern.sub(" ", " ".join(words)).split() if self.words else words


SENSITIVE_ABOVE: Final = 0.9
"""The probability from which a document is taken for sensitive, unless it is said."""
KIND: Final = "sensitivity"
VERSION: Final = 1
VECTOR_SCALE: Final = 1.0
"""How long the part of the vectors is beside that of the words, in the square mean over documents."""
RIDGE: Final = 0.1
FOLDS: Final = 5
"""Parts of the documents that are told by the others, to learn what share of a score is sensitive."""
MIN_LABELED: Final = 10
"""Documents of either kind, below which nothing is learnt."""
SEED: Final = 1


@dataclass(frozen=True, slots=True, eq=False)
class CrossValidation:
    """Marked documents, each scored by what was learnt from those of other folds."""

    rows: SparseRows = field(repr=False)
    is_sensitive: Flags = field(repr=False)
    folds: Ints = field(repr=False)
    scores: Floats = field(repr=False)


@dataclass(frozen=True, slots=True, eq=False)
class SensitivityModel:
    """What makes documents sensitive: a weight for each word."""

    vocabulary: Vocabulary
    weights: Floats = field(repr=False)
    curve: LogisticCurve
    markings: Markings = field(default_factory=Markings)

    @classmethod
    def learn(
        cls, texts: Sequence[str], sensitive: Sequence[bool], model: Model, *,
        groups: Sequence[str] | None = None, unmarked: Sequence[str] = (), markings: Markings | None = None,
    ) -> tuple[SensitivityModel, CrossValidation]:  # fmt: skip
        """Learn from labeled documents; return also how well each is told by the others.

        Documents of one group (a folder, a case) are told by those of others, so that what a group has in common is
        not taken for what is sensitive. Documents without a marking tell how rare words are.
        """
        about, markings = np.array(sensitive, bool), markings or Markings()
        _check_labels(about, len(texts), groups)
        folds = _assign_folds(groups or [str(n) for n in range(len(texts))], about)
        words = [markings.unmarked_words(text) for text in texts]
        vocabulary = Vocabulary.from_texts([*words, *(markings.unmarked_words(text) for text in unmarked)])
        rows = vocabulary.rows(words)
        learner = WeightLearner.create(rows, vocabulary.vectors(model))
        apart = cross_validate(rows, about, folds, learner)
        learnt = cls(vocabulary, learner(rows, about), LogisticCurve.fit(apart, about), markings)
        return learnt, CrossValidation(rows, about, folds, apart)

    def predict(self, texts: Sequence[str]) -> Floats:
        """Return the probability that each text is sensitive; NaN where most words are unknown."""
        words = [self.markings.unmarked_words(text) for text in texts]
        rows = self.vocabulary.rows(words)
        known = np.bincount(rows.texts, minlength=rows.size) > 0
        known &= np.array([not self.vocabulary.count_unknown(some)[1] for some in words], bool)
        return np.where(known, self.curve(rows.dot(self.weights)), np.nan)

    def save(self, path: Path) -> None:
        """Write it, for its owner alone: it knows the words of sensitive documents."""
        numbers = np.array([self.curve.slope, self.curve.bias])
        markings = np.frombuffer("\n".join(self.markings.words).encode("utf-8", "surrogatepass"), np.uint8)
        arrays = {"weights": self.weights, "numbers": numbers, "markings": markings}
        save_arrays(path, KIND, VERSION, {**self.vocabulary.to_arrays(), **arrays})

    @classmethod
    def load(cls, path: Path) -> SensitivityModel:
        """Read it."""
        with load_arrays(path, KIND, VERSION) as arrays:
            vocabulary = Vocabulary.from_arrays(arrays["words"], arrays["rarity"])
            weights, numbers = np.asarray(arrays["weights"], np.float64), arrays["numbers"]
            if weights.shape != (len(vocabulary),) or numbers.shape != (2,) or not np.isfinite(weights).all():
                raise ValueError("weights are not those of the vocabulary")
            markings = arrays["markings"].tobytes().decode("utf-8", "surrogatepass")
            curve = LogisticCurve(float(numbers[0]), float(numbers[1]))
            return cls(vocabulary, weights, curve, Markings(tuple(markings.split("\n")) if markings else ()))


@dataclass(frozen=True, slots=True, eq=False)
class WeightLearner:
    """Gives weights of words, learnt from rows of which some are sensitive."""

    vectors: Floats = field(repr=False)
    """Of each word, so long that they count as much as they should beside the words themselves."""

    @classmethod
    def create(cls, rows: SparseRows, vectors: Floats) -> WeightLearner:
        """Measure the vectors on documents; nothing has to be known of these."""
        meant = rows.multiply(vectors)
        spread = float(np.sqrt(((meant - meant.mean(axis=0)) ** 2).sum(axis=1).mean()))
        return cls(vectors * (VECTOR_SCALE / spread if spread > 1e-9 else 0.0))

    def __call__(self, rows: SparseRows, about: Flags) -> Floats:
        meant = rows.multiply(self.vectors)
        counted = balance_classes(about, np.ones(rows.size))
        words, ways, _ = fit(rows, meant - meant.mean(axis=0), about, counted, np.zeros(rows.size), RIDGE)
        return np.asarray(words + self.vectors @ ways)


def cross_validate(rows: SparseRows, about: Flags, folds: Ints, learn: Callable[[SparseRows, Flags], Floats]) -> Floats:
    """Return scores of documents by what was learnt from other folds."""
    scores = np.zeros(rows.size)
    for number in np.unique(folds).tolist():
        here = folds == number
        if about[~here].any() and not about[~here].all():
            scores[here] = rows.take(here).dot(learn(rows.take(~here), about[~here]))
    return scores


def _assign_folds(groups: Sequence[str], about: Flags) -> Ints:
    """Put groups into folds: the largest first, each where it is missed most, so that both kinds are in all of them."""
    names, numbers = np.unique(np.array(groups, dtype=np.str_), return_inverse=True)
    sizes = np.bincount(numbers)
    kinds = np.array([np.bincount(numbers, kind, len(names)) / kind.sum() for kind in (about, ~about)]).T
    order = np.random.default_rng(SEED).permutation(len(names))
    chosen, filled = np.zeros(len(names), np.int64), np.zeros((FOLDS, 2))
    for group in order[np.argsort(-sizes[order], kind="stable")].tolist():
        chosen[group] = int(((filled + kinds[group]) ** 2).sum(axis=1).argmin())
        filled[chosen[group]] += kinds[group]
    if (filled > 1 - 1e-9).any():
        raise ConfigError(
            "all documents of one kind are of one group, so that none of it can be told by others; name what more "
            "groups have (--group-field), or nothing"
        )
    return np.asarray(chosen[numbers], np.int64)


def _check_labels(about: NDArray[np.bool_], size: int, groups: Sequence[str] | None) -> None:
    if len(about) != size or (groups is not None and len(groups) != size):
        raise ConfigError(f"{size} documents have {len(about)} labels; give one for each, and a group for each or none")
    count = int(about.sum())
    if min(count, size - count) < MIN_LABELED:
        raise ConfigError(
            f"of {size} labeled documents {count} are sensitive; label at least {MIN_LABELED} that are, "
            f"and {MIN_LABELED} that are not"
        )
