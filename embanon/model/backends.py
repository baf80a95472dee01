"""Training backends: word2vec of gensim, fastText of its library and of gensim, on numbered phrases."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from importlib.metadata import packages_distributions
from importlib.util import find_spec
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from embanon.config import TRAIN_CHOICES
from embanon.errors import ConfigError, MissingExtraError
from embanon.model import fasttext_library
from embanon.model.subwords import Subwords
from embanon.model.task import SPACE_SIGN, PreviousWeights, TrainedVectors, TrainingTask, TrainingTexts

MIN_BATCHES: Final = 20
"""Parts that an epoch has at least, as far as its texts allow: the rate of learning falls from one to the next."""
MAX_BATCH_SIZE: Final = 10_000
"""Numbers in such a part, as gensim has it."""


FASTTEXT: Final = "fasttext-gensim"
"""What `fasttext` stands for: the better of the two, and the faster, see eval/results/subwords.txt."""
LIBRARY: Final = "fasttext-library"


def resolve_backend(name: str) -> str:
    """Return the back-end that a name stands for."""
    return FASTTEXT if name == "fasttext" else name


def check_backend(name: str, grows: bool = False) -> None:
    """Refuse, before any work, a back-end that is unknown or whose library is missing."""
    if resolve_backend(name) not in BACKENDS:
        raise ConfigError(f"no back-end {name!r}; known: {', '.join(TRAIN_CHOICES['backend'])}")
    if resolve_backend(name) == LIBRARY and not grows and find_spec(fasttext_library.MODULE) is None:
        raise MissingExtraError("fastText", "fasttext")


def library_packages(name: str, grows: bool = False) -> tuple[str, ...]:
    """Return the installed packages that train; builds of fastText's library have several names."""
    by_library = resolve_backend(name) == LIBRARY and not grows
    return tuple(packages_distributions()[fasttext_library.MODULE]) if by_library else ("gensim",)


def train(task: TrainingTask) -> TrainedVectors:
    """Train with the back-end that the options name; where a model of fastText grows, gensim goes on with its weights.

    The library itself begins anew whenever it trains.
    """
    name = resolve_backend(task.options.backend)
    check_backend(name, grows := task.before is not None)
    learned = fasttext_gensim(task) if grows and name == LIBRARY else BACKENDS[name](task)
    if learned.subwords is None:
        return learned
    return replace(learned, subwords=learned.subwords.without_unseen(task.tokens()))


def word2vec(task: TrainingTask) -> TrainedVectors:
    """Train skip-grams with negative sampling."""
    model = _gensim().Word2Vec(**_settings(task))
    numbers = range(len(task.counts))
    model.build_vocab_from_freq(dict(zip(numbers, task.counts.tolist(), strict=True)))
    if task.before:
        _restore_weights(model, task.before)
    _run(model, task.texts, task.options.epochs)
    return TrainedVectors(model.wv.vectors, model.syn1neg)


def fasttext_gensim(task: TrainingTask) -> TrainedVectors:
    """Train skip-grams of phrases and of their parts."""
    options, tokens = task.options, task.tokens()
    counts: dict[str, int] = {}
    for token, count in zip(tokens, task.counts.tolist(), strict=True):
        counts[token] = counts.get(token, 0) + count  # a_b and a b are the same here
    parts = {"min_n": options.subword_min, "max_n": options.subword_max, "bucket": options.buckets}
    model = _gensim().FastText(**_settings(task), **parts)
    model.build_vocab_from_freq(counts)
    rows = np.array([model.wv.key_to_index[token] for token in tokens])
    if task.before and task.before.subwords:
        _restore_parts(model, task.before, task.before.subwords, tokens, rows)
    _run(model, replace(task.texts, names=tokens), options.epochs)
    subwords = Subwords(options.subword_min, options.subword_max, model.wv.vectors_ngrams, SPACE_SIGN)
    return TrainedVectors(model.wv.vectors[rows], model.syn1neg[rows], subwords)


BACKENDS: Final[dict[str, Callable[[TrainingTask], TrainedVectors]]] = {
    "word2vec": word2vec, "fasttext-gensim": fasttext_gensim, LIBRARY: fasttext_library.train,
}  # fmt: skip


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


def _restore_parts(
    model: Any, before: PreviousWeights, parts: Subwords, tokens: list[str], rows: NDArray[np.int64]
) -> None:
    """Do the same where a vector is the mean of a row of its own and of those of its parts."""
    known = rows[before.numbers]
    names = [tokens[number] for number in before.numbers.tolist()]
    model.wv.vectors_vocab[known] = parts.decompose(names, before.vectors)
    model.wv.vectors_ngrams[:] = parts.vectors
    model.syn1neg[known] = before.output
    free = np.ones(len(model.wv.vectors_vocab), np.float32)
    free[known] = before.freedom
    model.wv.vectors_vocab_lockf, model.wv.vectors_ngrams_lockf = free, before.subword_freedom


def _run(model: Any, texts: TrainingTexts, epochs: int) -> None:
    if units := texts.token_count:
        model.train(texts, total_words=units, epochs=epochs, compute_loss=False)
    for exc in texts.failure:
        raise exc
