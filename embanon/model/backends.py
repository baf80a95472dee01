"""Training backends: word2vec and fastText, both from gensim, on numbered phrases."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from embanon.config import TrainingSettings
from embanon.errors import ConfigError
from embanon.model.subwords import Subwords

MAX_TEXT_LENGTH: Final = 1000  # a multiple of usual windows
"""Phrases that are trained as one text; gensim cuts at ten thousand."""
FIRST_ENTITY_SIGN: Final = 0xF0000
"""Where the characters begin that stand for entities in a model of subwords, which have no part in common."""

MIN_BATCHES: Final = 20
"""Parts that an epoch has at least, as far as its texts allow: the rate of learning falls from one to the next."""
MAX_BATCH_SIZE: Final = 10_000
"""Numbers in such a part, as gensim has it."""

Progress = Callable[[str, float, float], None]
"""Receives the task, the steps done, and their total (0: unknown); no steps at all: another message follows."""


@dataclass(frozen=True, slots=True, eq=False)
class TrainingTexts:
    """The corpus as lists of numbers, or of what `names` call them, as often as asked for.

    `places` bounds the documents. `entity` numbers the one of each document, behind all phrases, or -1; it stands
    before each run of `window` phrases, so that all of them see it.
    """

    sequence: NDArray[np.int32] = field(repr=False)
    bounds: NDArray[np.int64] = field(repr=False)
    entity: NDArray[np.int64] = field(repr=False)
    window: int
    progress: Callable[[int], None]
    failure: list[BaseException] = field(default_factory=list, repr=False)
    """Why nothing more is given: gensim would wait for ever for a thread that fails."""
    names: Sequence[str] | None = field(default=None, repr=False)

    @property
    def token_count(self) -> int:
        """Return how many numbers there are to learn from, with those of entities."""
        whole, rest = np.divmod(np.diff(self.bounds), MAX_TEXT_LENGTH)
        runs = whole * -(-MAX_TEXT_LENGTH // self.window) + -(-rest // self.window)
        return len(self.sequence) + int(runs[self.entity >= 0].sum())

    def __iter__(self) -> Iterator[list[int] | list[str]]:
        bounds, entities = self.bounds.tolist(), self.entity.tolist()
        done = 0
        for number, entity in enumerate(entities):
            for start in range(bounds[number], bounds[number + 1], MAX_TEXT_LENGTH):
                numbers = self.sequence[start : min(start + MAX_TEXT_LENGTH, bounds[number + 1])].tolist()
                if self.failure or not self._report_progress(done):
                    return
                done += len(numbers)
                numbers = numbers if entity < 0 else self._with_entity(numbers, entity)
                yield numbers if self.names is None else [self.names[number] for number in numbers]
        self._report_progress(done)

    def _report_progress(self, done: int) -> bool:
        try:
            self.progress(done)
        except BaseException as exc:
            self.failure.append(exc)
        return not self.failure

    def _with_entity(self, numbers: list[int], entity: int) -> list[int]:
        runs = (numbers[first : first + self.window] for first in range(0, len(numbers), self.window))
        return [number for run in runs for number in (entity, *run)]


@dataclass(frozen=True, slots=True, eq=False)
class PreviousWeights:
    """The weights that a model to grow brings for some numbers, and how much each may still move, from 0 to 1."""

    numbers: NDArray[np.int64]
    vectors: NDArray[np.float32] = field(repr=False)
    output: NDArray[np.float32] = field(repr=False)
    freedom: NDArray[np.float32] = field(repr=False)

    def concatenate(self, other: PreviousWeights) -> PreviousWeights:
        """Put the weights of other numbers behind these."""
        pairs = ((getattr(self, item.name), getattr(other, item.name)) for item in fields(self))
        return PreviousWeights(*map(np.concatenate, pairs))


@dataclass(frozen=True, slots=True, eq=False)
class TrainedVectors:
    """Vectors of phrases and then of entities, the weights to go on with, and those of subwords."""

    vectors: NDArray[np.float32] = field(repr=False)
    output: NDArray[np.float32] | None = field(default=None, repr=False)
    subwords: Subwords | None = field(default=None, repr=False)


@dataclass(frozen=True, slots=True, eq=False)
class TrainingTask:
    """What is to be learnt: texts, and how often each number occurs in them (and before); `names` spell them."""

    texts: TrainingTexts
    counts: NDArray[np.int64] = field(repr=False)
    names: Sequence[str] = field(repr=False)
    options: TrainingSettings
    before: PreviousWeights | None = None


def train(task: TrainingTask) -> TrainedVectors:
    """Train with the back-end that the options name."""
    if task.options.backend not in BACKENDS:
        raise ConfigError(f"no back-end {task.options.backend!r}; known: {', '.join(BACKENDS)}")
    return BACKENDS[task.options.backend](task)


def word2vec(task: TrainingTask) -> TrainedVectors:
    """Train skip-grams with negative sampling."""
    model = _gensim().Word2Vec(**_settings(task))
    numbers = range(len(task.counts))
    model.build_vocab_from_freq(dict(zip(numbers, task.counts.tolist(), strict=True)))
    if task.before:
        _restore_weights(model, task.before)
    _run(model, task.texts, task.options.epochs)
    return TrainedVectors(model.wv.vectors, model.syn1neg)


def fasttext(task: TrainingTask) -> TrainedVectors:
    """Train skip-grams of words and of their parts."""
    options = task.options
    parts = {"min_n": options.subword_min, "max_n": options.subword_max, "bucket": options.buckets}
    names = [*task.names, *map(_entity_sign, range(len(task.counts) - len(task.names)))]
    model = _gensim().FastText(**_settings(task), **parts)
    model.build_vocab_from_freq(dict(zip(names, task.counts.tolist(), strict=True)))
    _run(model, replace(task.texts, names=names), options.epochs)
    subwords = Subwords(options.subword_min, options.subword_max, model.wv.vectors_ngrams)
    return TrainedVectors(model.wv.vectors, None, subwords)


BACKENDS: Final[dict[str, Callable[[TrainingTask], TrainedVectors]]] = {"word2vec": word2vec, "fasttext": fasttext}


def _entity_sign(number: int) -> str:
    # One character, so that its only part is itself.
    return chr(FIRST_ENTITY_SIGN + number % 65_000) + chr(FIRST_ENTITY_SIGN + number // 65_000) * (number >= 65_000)


def _gensim() -> Any:
    from gensim import models

    return models


def _settings(task: TrainingTask) -> dict[str, Any]:
    options = task.options
    return {
        "vector_size": options.dimensions, "window": options.window, "sg": 1, "negative": options.negative,
        "sample": options.sample, "alpha": options.rate, "min_alpha": options.rate / 250, "min_count": 1,
        "seed": options.seed, "workers": options.threads, "sorted_vocab": 0,
        "batch_words": min(max(task.texts.token_count // MIN_BATCHES, 1), MAX_BATCH_SIZE),
    }  # fmt: skip


def _restore_weights(model: Any, before: PreviousWeights) -> None:
    """Put the weights of the model that grows in place, and hold what it knows well."""
    model.wv.vectors[before.numbers] = before.vectors
    model.syn1neg[before.numbers] = before.output
    free = np.ones(len(model.wv.vectors), np.float32)
    free[before.numbers] = before.freedom
    model.wv.vectors_lockf = free


def _run(model: Any, texts: TrainingTexts, epochs: int) -> None:
    if units := texts.token_count:
        model.train(texts, total_words=units, epochs=epochs, compute_loss=False)
    for exc in texts.failure:
        raise exc
