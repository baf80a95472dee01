"""Train the labelers: `python -m embeddings.build.recognizer --data ../shared/data --out embeddings/recognizer`.

All languages learn together in one network; what they share (cases, outlines, cues, layers) is learnt once, the vectors
of their words for each. Letters and records teach what identifies, corpora of names what is a name, all spans of which
kind they are. The classes of words (`word_classes`) say which words stand alike.
"""

from __future__ import annotations

import argparse
import math
import random
import sys
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final

import numpy as np
import torch
from numpy.typing import NDArray

from embanon.document import TYPES
from embanon.language import Lexicon
from embanon.recognize.features import TokenPlaces, hash_features
from embanon.recognize.kinds import KIND_BOUNDS, NOTHING, likeliest_kinds, type_chances
from embanon.recognize.labeler import LABELS, NAME_LABELS, Chains, Labeler, LabelerWeights, Labels, word_clusters
from embanon.recognize.layout import LINE_BREAK, mark_codes
from embanon.text.analyzer import load_grammar
from embanon.text.find import find_in_text
from embanon.text.tagger import load_tagger
from embanon.text.tokens import Tokens
from embeddings.build.annotated import AnnotatedText, read_letters, swap_mentions, training_letters, training_texts
from embeddings.build.mentions import kinds_of, unmarked_phrases
from embeddings.build.network import Batch, Layers, Sizes, WordTable, compile_network, train_judge
from embeddings.build.word_classes import WordClusters

LANGUAGES: Final = ("en", "es", "pt", "de")
MIN_COUNT: Final = 6
"""How often words with a feature occur, at least."""
PASSES: Final = 5
"""How often training goes through the letters."""
SENTENCES: Final = 4
"""Sentences of each letter that are read alone as well."""
SHORTEST_SENTENCE: Final = 3
JUDGE_PASSES: Final = 6
"""The same of spans, once the network is trained."""
SHARES: Final = {
    "wikiann-train": 0.2, "btc-train": 0.5, "wnut17-train": 0.7, "meddocan": 0.5, "tab": 0.5, "wikibios": 0.5,
}  # fmt: skip
"""The share of texts that one pass reads, where not all."""
BATCH_TOKENS: Final = 5_000
LONGEST: Final = 8_000
"""Tokens of a text that is learnt from."""
RATE, WARM_UP, LOWEST_RATE = 2e-3, 100, 0.02
"""How fast weights move, in how many steps they come up to speed, and what is left of it at the end."""
DECAY: Final = 0.02
FEATURES_DROPPED: Final = 0.15
"""The share of the features of words that training leaves out by chance."""
AVERAGED: Final = 0.998
"""How slowly the average follows the weights; it is what is kept."""
STEPS_BETWEEN: Final = 5


@dataclass(frozen=True, slots=True)
class ReadText:
    """An annotated text as its tokens, their gold labels, and its spans with the kinds that each may be of."""

    source: AnnotatedText
    tokens: Tokens = field(repr=False)
    tags: NDArray[np.uint8] = field(repr=False)
    gold: NDArray[np.int64] = field(repr=False)
    spans: NDArray[np.int64] = field(repr=False)
    """First token, the one behind the last, first kind, the one behind the last."""

    @classmethod
    def read(cls, source: AnnotatedText, *, swapped: bool = False) -> ReadText:
        """Cut an annotated text into tokens; what another mention has is not labeled again.

        Of swapped texts, which are there twice, unmarked phrases are no spans.
        """
        reader = load_grammar(source.language)
        tagged = reader.tag(source.text)
        tokens = tagged.tokens
        gold = np.zeros(len(tokens), np.int64)
        spans = [(mention.start, mention.end, kinds_of(mention.type, mention.kind)) for mention in source.mentions]
        if source.says_all and not swapped and len(tokens):
            spans += unmarked_phrases(source, find_in_text(reader, source.text)[0])
        rows = list[tuple[int, ...]]()
        for number, (start, end, kinds) in enumerate(spans):
            first = int(np.searchsorted(tokens.end, start, side="right"))
            last = int(np.searchsorted(tokens.start, end, side="left"))
            if first >= last:
                continue
            rows.append((first, last, *kinds))
            if number < len(source.mentions) and not gold[first:last].any():
                begin = 1 + 2 * TYPES.index(source.mentions[number].type)
                gold[first], gold[first + 1 : last] = begin, begin + 1
        return cls(source, tokens, tagged.tags, gold, np.array(rows, np.int64).reshape(-1, 4))

    def allowed(self) -> NDArray[np.bool_]:
        """Return which labels each token may have: outside of mentions also those of types that are not taught."""
        allowed = np.zeros((len(self.gold), len(LABELS)), np.bool_)
        for number, type in enumerate(TYPES):
            if type not in self.source.taught:
                allowed[self.gold == 0, 1 + 2 * number : 3 + 2 * number] = True
        allowed[np.arange(len(self.gold)), self.gold] = True
        return allowed


@dataclass(slots=True)
class Vocabulary:
    """The words of all texts, and the numbers of their features that occur often enough; feature 0 is none."""

    words: dict[tuple[str, str], int] = field(repr=False)
    features: list[NDArray[np.int64]] = field(repr=False)
    names: list[tuple[str, int]] = field(repr=False)
    """Whose each feature is, "" for all languages, and its hash."""

    @classmethod
    def build(cls, texts: Sequence[ReadText]) -> Vocabulary:
        """Count the features of the words of texts."""
        words: dict[tuple[str, str], int] = {("", ""): 0}
        counts = Counter((text.source.language, word) for text in texts for word in text.tokens.words)
        for form in counts:
            words[form] = len(words)
        lexicons = {language: Lexicon.load(language) for language in LANGUAGES}
        clusters = dict[tuple[str, str], int]()
        for language in LANGUAGES:
            own, known = [word for name, word in counts if name == language], WordClusters.load(language)
            numbers = word_clusters(own, known.words, known.clusters).tolist() if own else ()
            clusters.update(zip([(language, word) for word in own], numbers, strict=True))
        described, often = [list[tuple[str, int]]()], Counter[tuple[str, int]]()
        for language, word in counts:
            shared, local = hash_features(word, lexicons[language].flags(word), clusters[language, word])
            described.append([*(("", name) for name in shared), *((language, name) for name in local)])
            for name in set(described[-1]):
                often[name] += counts[language, word]
        names = [("", 0), *(name for name, count in often.items() if count >= MIN_COUNT)]
        number = {name: place for place, name in enumerate(names) if place}
        rows = [np.array([number[name] for name in one if name in number], np.int64) for one in described]
        return cls(words, rows, names)


@dataclass(frozen=True, slots=True)
class NumberedText:
    """A text as the numbers that a batch is put together from."""

    places: TokenPlaces = field(repr=False)
    words: NDArray[np.int64] = field(repr=False)
    label: NDArray[np.int64] = field(repr=False)
    opening: NDArray[np.int64] = field(repr=False)
    starts: NDArray[np.int64] = field(repr=False)
    allowed: NDArray[np.bool_] = field(repr=False)
    names: NDArray[np.bool_] = field(repr=False)
    spans: NDArray[np.int64] = field(repr=False)
    genre: str
    teaches_names: bool

    @classmethod
    def of_text(cls, text: ReadText, vocabulary: Vocabulary) -> NumberedText:
        """Number the words of a text."""
        tokens, source = text.tokens, text.source
        ids = np.array([vocabulary.words.get((source.language, word), 0) for word in tokens.words])
        marks = mark_codes(tokens.words)
        tags = load_grammar(source.language).tagger.tags
        places = TokenPlaces.of_tokens(text.tags, tags, tokens.start, tokens.end, tokens.gap, marks)
        layout = places.layout
        label = np.where(layout.colon >= 0, ids[np.maximum(layout.colon - 1, 0)], 0)
        opening = np.where(layout.place_in_line > 0, ids[layout.line_start[layout.line]], 0)
        chains = Chains.cut(layout.line_start, tokens.starts_sentence)
        starts = np.sort(chains.order[: chains.counts[0]])
        gold = np.where(text.gold < len(NAME_LABELS), text.gold, 0)
        names = np.arange(len(NAME_LABELS)) == gold[:, None]
        allowed = text.allowed()
        for table in (allowed, names):  # where a mention is cut by the end of a chain, it begins again
            inside = np.arange(2, table.shape[1], 2)
            table[starts[:, None], inside - 1] |= table[starts[:, None], inside]
        return cls(places, ids, label, opening, starts, allowed, names, text.spans, source.genre, not source.says_all)


def put_together(texts: Sequence[NumberedText], vocabulary: Vocabulary, dropped: float = 0.0) -> Batch:
    """Return a batch of texts; a share of the features of words is left out by chance."""
    sizes = np.array([len(text.words) for text in texts])
    rows, tokens = np.cumsum([0, *(text.places.size for text in texts)]), np.cumsum([0, *sizes])
    ids = np.zeros(rows[-1], np.int64)
    place = np.concatenate([text.places.place + row for text, row in zip(texts, rows, strict=False)])
    ids[place] = np.concatenate([text.words for text in texts])
    label, opening = (np.concatenate([getattr(text, name) for text in texts]) for name in ("label", "opening"))
    distinct, numbers = np.unique(np.concatenate([[0], ids, label, opening]), return_inverse=True)
    ids, label, opening = np.split(numbers[1:], np.cumsum([len(ids), len(label)]))
    features = [vocabulary.features[word] for word in distinct]
    if dropped:
        features = [one[np.random.random(len(one)) >= dropped] for one in features]
    opens = np.zeros(tokens[-1], np.int64)
    for text, token in zip(texts, tokens, strict=False):
        opens[text.places.paragraph + token] = 1
    starts = np.concatenate([text.starts + token for text, token in zip(texts, tokens, strict=False)])
    lengths = np.diff(np.append(starts, tokens[-1]))
    steps = np.arange(lengths.max())
    inside = steps < lengths[:, None]
    spans = [text.spans + np.array([token, token, 0, 0]) for text, token in zip(texts, tokens, strict=False)]
    first, last, *kinds = np.concatenate(spans).T
    arrays = (
        np.concatenate(features), np.cumsum([0, *map(len, features)])[:-1], ids, place,
        np.concatenate([text.places.context for text in texts]), label, opening, np.cumsum(opens) - 1,
        np.where(inside, starts[:, None] + steps, 0), inside, np.concatenate([text.allowed for text in texts]),
        np.concatenate([text.names for text in texts]),
        np.repeat([text.teaches_names for text in texts], [len(text.starts) for text in texts]),
        first, last, np.stack(kinds, axis=1),
    )  # fmt: skip
    return Batch(*map(torch.from_numpy, arrays))


def batches(texts: Iterable[NumberedText]) -> Iterator[list[NumberedText]]:
    """Yield texts, so many tokens together."""
    together, size = list[NumberedText](), 0
    for text in texts:
        together.append(text)
        size += len(text.words)
        if size >= BATCH_TOKENS:
            yield together
            together, size = [], 0
    if together:
        yield together


@dataclass(slots=True)
class Averages:
    """The average of weights over the last steps, which is better than the last weights."""

    layers: Layers = field(repr=False)
    values: dict[str, Any] = field(default_factory=dict, repr=False)

    def follow(self, step: int) -> None:
        """Move towards the weights."""
        for name, weights in self.layers.named_parameters():
            if name in self.values:
                share = min(AVERAGED, step / (step + 200)) ** STEPS_BETWEEN
                self.values[name].lerp_(weights.detach(), 1 - share)
            else:
                self.values[name] = weights.detach().clone()

    def to_arrays(self) -> dict[str, NDArray[np.float32]]:
        """Return the averages."""
        return {name: value.numpy() for name, value in self.values.items()}


def lone_sentences(text: ReadText, count: int, choose: random.Random) -> Iterator[AnnotatedText]:
    """Yield so many sentences of a text by chance, each as a text of its own: what somebody tries first.

    Without them, a line that stands alone is taken for a letterhead.
    """
    tokens, source = text.tokens, text.source
    first = np.flatnonzero(tokens.starts_sentence)
    last = np.append(first[1:], len(tokens)) - 1
    whole = [
        (int(tokens.start[begin]), int(tokens.end[end])) for begin, end in zip(first, last, strict=True)
        if end - begin >= SHORTEST_SENTENCE and tokens.words[end] in (".", "!", "?")
        and tokens.gap[begin + 1 : end + 1].max() < LINE_BREAK
    ]  # fmt: skip
    for low, high in choose.sample(whole, min(count, len(whole))):
        inside = [mention for mention in source.mentions if low <= mention.start and mention.end <= high]
        moved = tuple(replace(one, start=one.start - low, end=one.end - low) for one in inside)
        yield replace(source, id=f"{source.id}-{low}", text=source.text[low:high], mentions=moved)


@dataclass(frozen=True, slots=True)
class TrainingTexts:
    """Texts to train on: as they are, letters with mentions swapped, several times, and sentences of letters."""

    texts: Sequence[ReadText] = field(repr=False)
    swapped: Sequence[Sequence[ReadText]] = field(repr=False)

    @classmethod
    def read(cls, texts: Sequence[ReadText], times: int = 3) -> TrainingTexts:
        """Swap the mentions of letters so many times."""
        sources, choose = [text.source for text in texts], random.Random(4)
        letters = [text for text in texts if text.source.says_all]
        texts = [*texts, *(ReadText.read(one) for text in letters for one in lone_sentences(text, SENTENCES, choose))]
        return cls(texts, [[ReadText.read(one, swapped=True) for one in swap_mentions(sources, seed)]
                           for seed in range(1, times + 1)])  # fmt: skip


def train_layers(texts: TrainingTexts, vocabulary: Vocabulary, passes: float) -> dict[str, NDArray[np.float32]]:
    """Train the network; says on stderr how it goes."""
    torch.manual_seed(1)
    np.random.seed(1)
    choose = random.Random(1)
    own, *swapped = (
        [NumberedText.of_text(text, vocabulary) for text in some if len(text.tokens) <= LONGEST]
        for some in (texts.texts, *texts.swapped)
    )

    def one_pass() -> list[NumberedText]:
        chosen = [text for text in own if choose.random() < SHARES.get(text.genre.partition(".")[0], 1.0)]
        chosen += choose.choice(swapped) if swapped else ()
        choose.shuffle(chosen)
        return chosen

    layers = Layers(Sizes(len(vocabulary.names)))
    weights = dict(layers.named_parameters())
    groups = [
        {"params": [weights.pop("features.weight")], "weight_decay": 0.0},
        {"params": list(weights.values()), "weight_decay": DECAY},
    ]
    optimizer = torch.optim.AdamW(groups, lr=RATE, betas=(0.9, 0.98), fused=True)
    total = int(passes * sum(1 for _ in batches(one_pass())))

    def rate(step: int) -> float:
        return min(1, (step + 1) / WARM_UP) * max(LOWEST_RATE, (1 + math.cos(math.pi * min(1, step / total))) / 2)

    schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, rate)
    averages, step, began, lost = Averages(layers), 0, time.monotonic(), 0.0
    while step < total:
        for some in batches(one_pass()):
            loss = layers.loss(put_together(some, vocabulary, FEATURES_DROPPED))
            optimizer.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(layers.parameters(), 1.0)
            optimizer.step()
            schedule.step()
            step, lost = step + 1, lost + float(loss.detach())
            if step % STEPS_BETWEEN == 0:
                averages.follow(step)
            if step % 200 == 0:
                print(f"{step} of {total}: {lost / 200:.4f}, {time.monotonic() - began:.0f} s", file=sys.stderr)
                lost = 0.0
            if step == total:
                break
    return averages.to_arrays()


def compile_labelers(weights: dict[str, NDArray[np.float32]], vocabulary: Vocabulary) -> dict[str, Labeler]:
    """Return the labelers of all languages."""
    vectors = weights["features.weight"]

    def table(language: str) -> WordTable:
        numbers = [number for number, (owner, _) in enumerate(vocabulary.names) if number and owner == language]
        return WordTable.compile([vocabulary.names[number][1] for number in numbers], vectors[numbers])

    network = compile_network(weights, table(""))
    result = {}
    for language in LANGUAGES:
        own, known = table(language), WordClusters.load(language)
        compiled = LabelerWeights(own.keys, own.values, own.scale, known.words, known.clusters)
        result[language] = Labeler(compiled, network, Lexicon.load(language), load_tagger(language).tags)
    return result


def with_judge(labelers: dict[str, Labeler], texts: TrainingTexts, passes: int = JUDGE_PASSES) -> dict[str, Labeler]:
    """Return labelers whose judge of spans has learnt from all that they read."""
    seen, kinds = list[NDArray[np.float32]](), list[NDArray[np.int64]]()
    for text in (*texts.texts, *(text for some in texts.swapped for text in some)):
        if len(text.spans) and text.source.says_all:
            reading = label_text(labelers[text.source.language], text).reading
            seen.append(reading.describe(text.spans[:, 0], text.spans[:, 1]))
            kinds.append(text.spans[:, 2:])
    judge = train_judge(np.concatenate(seen), np.concatenate(kinds), passes=passes)
    return {name: replace(labeler, network=replace(labeler.network, **judge)) for name, labeler in labelers.items()}


def train_labelers(texts: Sequence[ReadText], *, passes: float = PASSES) -> dict[str, Labeler]:
    """Train the labelers of all languages on some texts."""
    vocabulary, training = Vocabulary.build(texts), TrainingTexts.read(texts)
    return with_judge(compile_labelers(train_layers(training, vocabulary, passes), vocabulary), training)


def label_text(labeler: Labeler, text: ReadText) -> Labels:
    """Label an annotated text, which is not empty, by a labeler that may not be the shipped one."""
    tokens = text.tokens
    words = sorted(set(tokens.words))
    number = {word: place for place, word in enumerate(words)}
    features = {name: make(words) for name, make in labeler.columns().items()}
    ids = np.array([number[word] for word in tokens.words], np.int64)
    labels = labeler.label(ids, features, text.tags, tokens.start, tokens.end, tokens.gap, tokens.starts_sentence)
    assert labels is not None
    return labels


def spans_of(labels: NDArray[Any]) -> set[tuple[int, int, int]]:
    """Return first token, the one after the last, and type of each mention."""
    inside = labels > 0
    begins = inside & (labels % 2 == 1)
    starts = np.flatnonzero(begins)
    runs = np.flatnonzero(~inside | begins)
    ends = [int(runs[runs > start][0]) if (runs > start).any() else len(labels) for start in starts.tolist()]
    return {(start, end, int(labels[start] - 1) // 2) for start, end in zip(starts.tolist(), ends, strict=True)}


def measure(labelers: dict[str, Labeler], texts: Sequence[ReadText]) -> dict[str, float]:
    """Return how well mentions or names are found (F1 of exact spans with types), and what is told of spans.

    `types` is the share of annotated mentions whose type is told as of a whole, `kinds` that of kinds within their
    type, `mention` of mentions and `nothing` of unmarked phrases that are told from each other.
    """
    counts: Counter[tuple[str, str]] = Counter()
    for text in texts:
        source = text.source
        labels = label_text(labelers[source.language], text)
        found = spans_of(labels.label if source.says_all else labels.name)
        gold = spans_of(text.gold)
        for name in (source.language, "all") if source.says_all else (source.genre.partition(".")[0],):
            counts.update({(name, "both"): 2 * len(found & gold), (name, "any"): len(found) + len(gold)})
        if not source.says_all or not len(text.spans):
            continue
        first, last, low, high = text.spans.T
        chances = labels.reading.judge(first, last)
        is_none, is_nothing = low == NOTHING, chances[:, NOTHING] > HALF
        type = np.minimum(np.searchsorted(KIND_BOUNDS, low, side="right") - 1, len(TYPES) - 1)
        kind, _ = likeliest_kinds(chances, type.astype(np.uint8))
        one = ~is_none & (high - low == 1)
        for name, which, right in (
            ("types", ~is_none, type_chances(chances).argmax(axis=1) == type), ("kinds", one, kind == low),
            ("mention", ~is_none, ~is_nothing), ("nothing", is_none, is_nothing),
        ):  # fmt: skip
            counts.update({(name, "both"): int((which & right).sum()), (name, "any"): int(which.sum())})
    names = dict.fromkeys(name for name, _ in counts)
    return {name: round(counts[name, "both"] / max(1, counts[name, "any"]), 3) for name in names}


HALF: Final = 0.5


def leave_out(texts: Sequence[ReadText], folds: int, seed: int = 1) -> Iterable[tuple[list[ReadText], list[ReadText]]]:
    """Yield the texts to train on and those to test on, whose genres are not among the others."""
    genres = sorted({text.source.genre for text in texts})
    random.Random(seed).shuffle(genres)
    fold = {genre: number % folds for number, genre in enumerate(genres)}
    for number in range(folds):
        yield (
            [text for text in texts if fold[text.source.genre] != number],
            [text for text in texts if fold[text.source.genre] == number],
        )


def main(arguments: Sequence[str] | None = None) -> int:
    """Train, measure by leaving genres out when asked, and write."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--data", type=Path, required=True, metavar="DIR", help="Folder of the training data.")
    parser.add_argument("--out", type=Path, metavar="DIR", help="Folder to write the labelers to.")
    parser.add_argument("--folds", type=int, default=0, metavar="N", help="Measure by leaving genres out in N parts.")
    parser.add_argument("--without", action="append", default=[], metavar="SET", help="Set to leave out.")
    parser.add_argument("--only", choices=("letters",), help="Train on letters alone.")
    parser.add_argument("--passes", type=float, default=PASSES, metavar="N", help="Times that letters are read.")
    args = parser.parse_args(arguments)
    chosen = training_letters(args.data, LANGUAGES) if args.only else training_texts(args.data, args.without)
    texts = [text for text in map(ReadText.read, chosen) if len(text.tokens)]
    print(f"{len(texts)} texts, {sum(len(text.tokens) for text in texts)} tokens")
    for trained, tested in leave_out(texts, args.folds) if args.folds else ():
        print(measure(train_labelers(trained, passes=args.passes), tested))
    if args.out:
        args.out.mkdir(parents=True, exist_ok=True)
        reference = {text.id for text in read_letters(args.data / "letters" / "train.jsonl.gz")}
        texts += [text for text in texts if text.source.id in reference]  # ours come twice, too: swapped
        labelers = train_labelers(texts, passes=args.passes)
        (args.out / "network.npz").write_bytes(next(iter(labelers.values())).network.to_bytes())
        for language, labeler in labelers.items():
            (args.out / f"{language}.npz").write_bytes(labeler.weights.to_bytes())
    return 0


if __name__ == "__main__":
    sys.exit(main())
