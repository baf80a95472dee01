"""Training a conditional random field: expectations are those of all paths, and what is taught is learnt."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

sparse = pytest.importorskip("scipy.sparse")

from embanon.recognize.features import OFFSETS  # noqa: E402
from embanon.recognize.labeler import LABELS, Chains, allowed_transitions, decode  # noqa: E402
from embeddings.build.crf import TrainingTokens, expectations, train  # noqa: E402


def test_expectations_are_those_of_all_paths() -> None:
    size, length = len(LABELS), 3
    random = np.random.default_rng(5)
    scores, transitions = random.normal(size=(length, size)), random.normal(size=(size, size))
    between, first = (part.astype(np.float64) for part in allowed_transitions())
    total, chance, expected = expectations(scores, transitions + between, first, [0, 1, 2, 3])
    paths = list(itertools.product(range(size), repeat=length))
    weights = np.array([
        first[path[0]] + sum(scores[place, label] for place, label in enumerate(path))
        + sum((transitions + between)[pair] for pair in itertools.pairwise(path)) for path in paths
    ])  # fmt: skip
    likelihood = np.exp(weights - weights.max())
    assert total == pytest.approx(np.log(likelihood.sum()) + weights.max())
    shares = likelihood / likelihood.sum()
    wanted = np.zeros_like(chance)
    pairs = np.zeros_like(expected)
    for path, share in zip(paths, shares, strict=True):
        wanted[np.arange(length), path] += share
        for pair in itertools.pairwise(path):
            pairs[pair] += share
    np.testing.assert_allclose(chance, wanted, atol=1e-9)
    np.testing.assert_allclose(expected, pairs, atol=1e-9)


@pytest.mark.parametrize("partial", [False, True])
def test_what_is_taught_is_learnt(partial: bool) -> None:
    """Word 1 begins a mention, word 2 goes on; of word 3 nothing may be taught."""
    sentence = [1, 2, 3]
    count = 20
    padded = np.array([0, 0, *itertools.chain.from_iterable([*sentence, 0, 0] for _ in range(count))])
    places = np.flatnonzero(padded > 0)
    allowed = np.zeros((len(places), len(LABELS)), bool)
    for place, word in enumerate(padded[places].tolist()):
        allowed[place, {1: 1, 2: 2, 3: 0}[word]] = True
        if partial and word == 3:
            allowed[place] = True
    words = sparse.csr_matrix(np.eye(4, dtype=np.float32))
    context = sparse.csr_matrix(np.ones((len(places), 1), np.float32))
    chains = Chains.of_runs(np.arange(0, len(places), 3), np.full(count, 3))
    weights = train(TrainingTokens(words, context, padded, places, chains, allowed), strength=0.1, steps=40)
    scores = weights.context[0] + sum(
        weights.words[padded[places[:3] + offset], number] for number, offset in enumerate(OFFSETS)
    )
    between, first = allowed_transitions()
    one = Chains.of_runs(np.array([0]), np.array([3]))
    labels = decode(scores.astype(np.float32), weights.transitions + between, first, one).label.tolist()
    assert labels[:2] == [1, 2]
    assert partial or labels[2] == 0
