"""Train a linear-chain conditional random field over sparse features, by L-BFGS."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from itertools import pairwise
from typing import Any, Final

import numpy as np
import scipy.sparse as sparse
from numpy.typing import NDArray
from scipy.optimize import minimize

from embanon.recognize.features import OFFSETS
from embanon.recognize.labeler import FORBIDDEN, LABELS, Chains, allowed_transitions

Doubles = NDArray[np.float64]
Floats = NDArray[np.float32]

OFFSET_STRENGTH: Final = np.array([1.5, 1.0, 1.0, 1.0, 1.5], np.float32)[None, :, None]
"""How strongly the weights of words at each offset are held near zero, beside others."""
CORRECTIONS: Final = 6


@dataclass(frozen=True, slots=True)
class TrainingTokens:
    """Tokens as sparse rows: features of distinct words, where they stand, features of tokens, and the gold labels."""

    words: Any = field(repr=False)
    context: Any = field(repr=False)
    padded: NDArray[np.int64] = field(repr=False)
    places: NDArray[np.int64] = field(repr=False)
    chains: Chains = field(repr=False)
    allowed: NDArray[np.bool_] = field(repr=False)
    """Which labels each token may have: one where it is annotated, several where the annotators did not look."""


@dataclass(frozen=True, slots=True)
class CrfWeights:
    """The weights of words by offset, of tokens' features, and of transitions."""

    words: Floats = field(repr=False)
    context: Floats = field(repr=False)
    transitions: Floats = field(repr=False)
    loss: float = 0.0


def _emissions(tokens: TrainingTokens, words: Floats, context: Floats) -> Floats:
    rows = (tokens.words @ words.reshape(len(words), -1)).reshape(-1, len(OFFSETS), len(LABELS))
    total = tokens.context @ context
    for number, offset in enumerate(OFFSETS):
        total = total + rows[tokens.padded[tokens.places + offset], number]
    result: Floats = total
    return result


def train(tokens: TrainingTokens, *, strength: float = 1.0, steps: int = 80) -> CrfWeights:
    """Find the weights that make the gold labels likeliest, held near zero."""
    size = len(LABELS)
    between, first = (part.astype(np.float64) for part in allowed_transitions())
    order, bounds = tokens.chains.order, np.cumsum([0, *tokens.chains.counts]).tolist()
    allowed = tokens.allowed[order]
    is_exact = int(allowed.sum()) == len(allowed)
    score_gold = _only_path(allowed, size, bounds) if is_exact else partial(_expect_allowed, allowed)
    word_count, context_count = tokens.words.shape[1], tokens.context.shape[1]
    words_back, context_back = tokens.words.T.tocsr(), tokens.context.T.tocsr()
    count = len(tokens.places)
    gathers = [
        sparse.csr_matrix(
            (np.ones(count, np.float32), (tokens.padded[tokens.places + offset], np.arange(count))),
            shape=(tokens.words.shape[0], count),
        )
        for offset in OFFSETS
    ]  # fmt: skip
    cuts = np.cumsum([word_count * len(OFFSETS) * size, context_count * size])

    def unpack(weights: Doubles) -> tuple[Floats, Floats, Doubles]:
        words, context, transitions = np.split(weights, cuts)
        return (
            words.reshape(word_count, len(OFFSETS), size).astype(np.float32),
            context.reshape(context_count, size).astype(np.float32), transitions.reshape(size, size),
        )  # fmt: skip

    def loss(weights: Doubles) -> tuple[float, Doubles]:
        words, context, transitions = unpack(weights)
        scores = _emissions(tokens, words, context)[order].astype(np.float64)
        total, chance, expected = expectations(scores, transitions + between, first, bounds)
        gradient = np.empty((count, size), np.float32)
        gold_total, gold_chance, gold_expected = score_gold(scores, transitions + between, first, bounds)
        gradient[order] = chance - gold_chance
        by_word = np.stack([words_back @ (gather @ gradient) for gather in gathers], axis=1)
        held = (OFFSET_STRENGTH * words**2).sum() + (context**2).sum() + (transitions**2).sum()
        value = total - gold_total + 0.5 * strength * held
        parts = (
            by_word + strength * OFFSET_STRENGTH * words, context_back @ gradient + strength * context,
            expected - gold_expected + strength * transitions,
        )  # fmt: skip
        return float(value), np.concatenate([part.ravel() for part in parts]).astype(np.float64)

    start = np.zeros(int(cuts[-1]) + size * size)
    best = minimize(loss, start, jac=True, method="L-BFGS-B", options={"maxiter": steps, "maxcor": CORRECTIONS})
    words, context, transitions = unpack(best.x)
    return CrfWeights(words, context, transitions.astype(np.float32), float(best.fun))


def _expect_allowed(
    allowed: NDArray[np.bool_], scores: Doubles, transitions: Doubles, first: Doubles, bounds: list[int]
) -> tuple[float, Doubles, Doubles]:
    """Return the expectations of the paths that are allowed."""
    return expectations(scores + np.where(allowed, 0.0, FORBIDDEN), transitions, first, bounds)


def _only_path(allowed: NDArray[np.bool_], size: int, bounds: list[int]) -> Callable[..., Any]:
    """Return what gives the same where one path alone is allowed, which is counted once."""
    labels, chance, pairs = allowed.argmax(axis=1), allowed.astype(np.float64), np.zeros((size, size))
    for (low, _), (later, high) in pairwise(_spans(bounds)):
        np.add.at(pairs, (labels[low : low + high - later], labels[later:high]), 1)

    def score(scores: Doubles, transitions: Doubles, first: Doubles, _: list[int]) -> tuple[float, Doubles, Doubles]:
        return (
            float(scores[allowed].sum() + (pairs * transitions).sum() + first[labels[: bounds[1]]].sum()),
            chance,
            pairs,
        )

    return score


def _spans(bounds: list[int]) -> list[tuple[int, int]]:
    return list(pairwise(bounds))


def expectations(
    scores: Doubles, transitions: Doubles, first: Doubles, bounds: list[int]
) -> tuple[float, Doubles, Doubles]:
    """Return the logarithm of the sum over all paths, the chance of each label, and the expected transitions."""
    peak = scores.max(axis=1, keepdims=True)
    likelihood, between, spans = np.exp(scores - peak), np.exp(transitions), _spans(bounds)
    forward, scale = np.empty_like(scores), np.empty(len(scores))
    low, high = spans[0]
    forward[low:high] = likelihood[low:high] * np.exp(first)
    scale[low:high] = forward[low:high].sum(axis=1)
    forward[low:high] /= scale[low:high, None]
    for (before, _), (low, high) in pairwise(spans):
        row = (forward[before : before + high - low] @ between) * likelihood[low:high]
        scale[low:high] = row.sum(axis=1)
        forward[low:high] = row / scale[low:high, None]
    backward, expected = np.ones_like(scores), np.zeros_like(transitions)
    for (before, _), (low, high) in zip(spans[-2::-1], spans[:0:-1], strict=True):
        following = backward[low:high] * likelihood[low:high] / scale[low:high, None]
        backward[before : before + high - low] = following @ between.T
        expected += forward[before : before + high - low].T @ following
    chance = forward * backward
    return float(np.log(scale).sum() + peak.sum()), chance, expected * between
