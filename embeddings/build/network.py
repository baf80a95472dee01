"""The labeler's network as PyTorch trains it, and what of it embanon keeps.

The layers are those of `embanon.recognize.network`, which reads without PyTorch. Every head learns from what its texts
say: mentions from letters and records, names from corpora of names, kinds from all spans; a label that the annotators
did not look for stays open.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn
from torch.nn import functional

from embanon.recognize.features import CONTEXT
from embanon.recognize.kinds import NOTHING
from embanon.recognize.labeler import FORBIDDEN, LABELS, NAME_LABELS, allowed_transitions
from embanon.recognize.network import REACH, WINDOW, Network

Tensor = Any
LARGEST: Final = 127
JUDGED, JUDGE_DROPPED = 192, 0.3
JUDGE_RATE, JUDGE_DECAY, JUDGE_BATCH = 2e-3, 0.01, 1024


@dataclass(frozen=True, slots=True)
class Sizes:
    """How wide the network is."""

    features: int
    """How many features of words there are; number 0 is none."""
    words: int = 64
    states: int = 64
    judged: int = 128
    dropped: float = 0.3
    """The share of states that training leaves out by chance."""


@dataclass(slots=True)
class Batch:
    """The tokens of some texts as numbers, in rows with room between paragraphs, and what their annotators say."""

    words: Tensor = field(repr=False)
    """Numbers of the features of the distinct words, one word after the other; the first word is the empty one."""
    word_starts: Tensor = field(repr=False)
    ids: Tensor = field(repr=False)
    """Of each row the number of its word, 0 for none."""
    place: Tensor = field(repr=False)
    context: Tensor = field(repr=False)
    label: Tensor = field(repr=False)
    opening: Tensor = field(repr=False)
    paragraph: Tensor = field(repr=False)
    """The number of each token's paragraph."""
    chains: Tensor = field(repr=False)
    """The tokens of each chain, 0 behind its end."""
    in_chain: Tensor = field(repr=False)
    allowed: Tensor = field(repr=False)
    """Which labels each token may have."""
    allowed_names: Tensor = field(repr=False)
    teaches_names: Tensor = field(repr=False)
    """Which chains are of a corpus of names; the others teach mentions."""
    first: Tensor = field(repr=False)
    last: Tensor = field(repr=False)
    kinds: Tensor = field(repr=False)
    """The first kind, and the one behind the last, that each span may be of."""


class Layers(nn.Module):
    """All that is trained."""

    def __init__(self, sizes: Sizes) -> None:
        super().__init__()
        words, states = sizes.words, sizes.states
        self.dropped = sizes.dropped
        self.features = nn.EmbeddingBag(sizes.features, words, mode="sum", padding_idx=0)
        nn.init.normal_(self.features.weight, std=0.1)
        self.norm = nn.LayerNorm(words)
        self.context = nn.EmbeddingBag(sum(CONTEXT.values()), words, mode="sum")
        nn.init.normal_(self.context.weight, std=0.05)
        self.window = nn.Linear((len(WINDOW) + 2) * words, states)
        self.paragraph = nn.Linear(words, states, bias=False)
        self.around = nn.ModuleList(nn.Linear(3 * states, states) for _ in REACH)
        self.back = nn.ModuleList(nn.Linear(states, states) for _ in REACH)
        for layer in self.back:
            nn.init.zeros_(layer.weight)
            nn.init.zeros_(layer.bias)
        self.labels, self.names = nn.Linear(states, len(LABELS)), nn.Linear(states, len(NAME_LABELS))
        self.transitions = nn.Parameter(torch.zeros(len(LABELS), len(LABELS)))
        self.name_transitions = nn.Parameter(torch.zeros(len(NAME_LABELS), len(NAME_LABELS)))
        self.judge, self.kinds = nn.Linear(5 * states + words, sizes.judged), nn.Linear(sizes.judged, NOTHING + 1)

    def drop(self, values: Tensor, share: float = 1.0) -> Tensor:
        """Leave values out by chance, while training."""
        return functional.dropout(values, self.dropped * share, self.training)

    def read(self, batch: Batch) -> tuple[Tensor, Tensor]:
        """Return the vector and the state of each row."""
        words = self.drop(self.norm(self.features(batch.words, batch.word_starts)), 0.5)
        known = torch.cat([torch.zeros_like(words[:1]), words[1:]])  # the empty word has no vector
        size = len(batch.ids)
        vectors = functional.embedding(batch.ids, known)
        vectors = vectors.index_add(0, batch.place, self.context(batch.context))
        around = [vectors[batch.place + offset] for offset in WINDOW]
        lines = [functional.embedding(numbers, known) for numbers in (batch.label, batch.opening)]
        inner = self.window(self.drop(torch.cat([*around, *lines], 1), 0.5))
        count = int(batch.paragraph[-1]) + 1
        sums = torch.zeros(count, vectors.shape[1]).index_add(0, batch.paragraph, vectors[batch.place])
        means = sums / torch.bincount(batch.paragraph, minlength=count).unsqueeze(1)
        state = functional.relu(inner + self.paragraph(means)[batch.paragraph])
        for reach, layer, back in zip(REACH, self.around, self.back, strict=True):
            rows = torch.zeros(size, state.shape[1]).index_copy(0, batch.place, state)
            seen = torch.cat([rows[batch.place - reach], state, rows[batch.place + reach]], 1)
            state = state + back(functional.relu(layer(self.drop(seen, 0.5))))
        return vectors, torch.zeros(size, state.shape[1]).index_copy(0, batch.place, self.drop(state))

    def judge_spans(self, batch: Batch, vectors: Tensor, states: Tensor) -> Tensor:
        """Return what speaks for each kind of each span."""
        begin, end = batch.place[batch.first], batch.place[batch.last - 1]
        length = (batch.last - batch.first).unsqueeze(1)
        means = []
        for rows in (states, vectors):
            sums = rows[batch.place].double().cumsum(0)
            sums = torch.cat([torch.zeros_like(sums[:1]), sums])
            means.append(((sums[batch.last] - sums[batch.first]) / length).float())
        seen = torch.cat([means[0], states[begin], states[end], states[begin - 1], states[end + 1], means[1]], 1)
        return self.kinds(self.drop(functional.relu(self.judge(seen))))

    def loss(self, batch: Batch, kinds: float = 0.5) -> Tensor:
        """Return how unlikely what the annotators say is, by token."""
        vectors, states = self.read(batch)
        tokens = states[batch.place]
        total = torch.zeros(())
        for teaches, layer, transitions, allowed in (
            (~batch.teaches_names, self.labels, self.transitions, batch.allowed),
            (batch.teaches_names, self.names, self.name_transitions, batch.allowed_names),
        ):
            if teaches.any():
                chains, inside = batch.chains[teaches], batch.in_chain[teaches]
                total = total + unlikelihood(layer(tokens), transitions, chains, inside, allowed)
        if len(batch.first):
            total = total + kinds * unlikelihood_of_kinds(self.judge_spans(batch, vectors, states), batch.kinds)
        return total / len(batch.place)


def unlikelihood_of_kinds(scores: Tensor, kinds: Tensor) -> Tensor:
    """Return minus the logarithm of the chance that spans are of one of the kinds that the annotators allow."""
    numbers = torch.arange(NOTHING + 1)
    right = (numbers >= kinds[:, :1]) & (numbers < kinds[:, 1:])
    return (torch.logsumexp(scores, 1) - torch.logsumexp(scores.masked_fill(~right, FORBIDDEN), 1)).sum()


def train_judge(seen: NDArray[np.float32], kinds: NDArray[np.int64], *, passes: int) -> dict[str, Any]:
    """Train what judges spans by what the network, once trained, sees of them; return the arrays of `Network`.

    While the network learns, a judge of its own shapes the states; this one has all that embanon reads, and the time.
    """
    torch.manual_seed(2)
    layers = nn.Sequential(
        nn.Linear(seen.shape[1], JUDGED), nn.ReLU(), nn.Dropout(JUDGE_DROPPED), nn.Linear(JUDGED, NOTHING + 1)
    )
    optimizer = torch.optim.AdamW(layers.parameters(), lr=JUDGE_RATE, weight_decay=JUDGE_DECAY)
    steps = max(1, passes * (len(seen) // JUDGE_BATCH + 1))
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, steps)
    rows, truth = torch.from_numpy(seen), torch.from_numpy(kinds)
    for _ in range(passes):
        for some in torch.randperm(len(rows)).split(JUDGE_BATCH):
            scores = layers(functional.dropout(rows[some], JUDGE_DROPPED / 2))
            loss = unlikelihood_of_kinds(scores, truth[some]) / len(some)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            schedule.step()
    first, *_, last = layers
    names = {"judge": first.weight.T, "judge_bias": first.bias, "kinds": last.weight.T, "kinds_bias": last.bias}
    return {name: value.detach().numpy().copy() for name, value in names.items()}


def unlikelihood(scores: Tensor, transitions: Tensor, chains: Tensor, inside: Tensor, allowed: Tensor) -> Tensor:
    """Return minus the logarithm of the share of all paths that the paths allowed by the annotators have."""
    between, first = (torch.from_numpy(part) for part in allowed_transitions(len(transitions)))
    rows = scores[chains]
    taught = rows.masked_fill(~allowed[chains], FORBIDDEN)
    between = between + transitions
    return (_all_paths(rows, inside, between, first) - _all_paths(taught, inside, between, first)).sum()


def _all_paths(scores: Tensor, inside: Tensor, between: Tensor, first: Tensor) -> Tensor:
    """Return the logarithm of the sum over all paths of each chain."""
    total = scores[:, 0] + first
    for place in range(1, scores.shape[1]):
        reached = torch.logsumexp(total.unsqueeze(2) + between, 1) + scores[:, place]
        total = torch.where(inside[:, place : place + 1], reached, total)
    return torch.logsumexp(total, 1)


@dataclass(frozen=True, slots=True)
class WordTable:
    """Vectors of features of words as small integers, sorted by the hashes of the features."""

    keys: NDArray[np.uint32] = field(repr=False)
    values: NDArray[np.int8] = field(repr=False)
    scale: NDArray[np.float32] = field(repr=False)

    @classmethod
    def compile(cls, keys: Sequence[int], vectors: NDArray[np.float32]) -> WordTable:
        """Round vectors, each dimension in its own unit."""
        scale = np.maximum(np.abs(vectors).max(axis=0, initial=0.0), 1e-6) / LARGEST
        order = np.argsort(np.array(keys, np.uint32))
        return cls(
            np.array(keys, np.uint32)[order], np.rint(vectors[order] / scale).astype(np.int8), scale.astype(np.float32)
        )


def compile_network(weights: Mapping[str, NDArray[np.float32]], shared: WordTable) -> Network:
    """Return the layers as embanon reads them."""
    words = weights["context.weight"].shape[1]

    def rows(name: str, count: int) -> NDArray[np.float32]:
        """Cut the transposed weights of a layer into those of each of its inputs."""
        columns = weights[name].T
        return columns.reshape(count, len(columns) // count, -1)

    layers = range(len(REACH))
    return Network(
        shared.keys, shared.values, shared.scale, np.stack([weights["norm.weight"], weights["norm.bias"]]),
        weights["context.weight"], (rows("window.weight", len(weights["window.weight"].T) // words)),
        weights["paragraph.weight"].T, weights["window.bias"],
        np.stack([rows(f"around.{number}.weight", 3) for number in layers]),
        np.stack([weights[f"around.{number}.bias"] for number in layers]),
        np.stack([weights[f"back.{number}.weight"].T for number in layers]),
        np.stack([weights[f"back.{number}.bias"] for number in layers]),
        weights["labels.weight"].T, weights["labels.bias"], weights["transitions"],
        weights["names.weight"].T, weights["names.bias"], weights["name_transitions"],
        weights["judge.weight"].T, weights["judge.bias"],
        weights["kinds.weight"].T, weights["kinds.bias"],
    )  # fmt: skip
