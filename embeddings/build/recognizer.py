"""Train the labelers: `python -m embeddings.build.recognizer --data ../shared/data --out embeddings/recognizer`.

All languages learn together: what they share (cases, outlines, cues, what kind of line) is learnt once, what is a
language's own for each. The classes of words (`word_classes`) say which words stand alike.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import numpy as np
import scipy.sparse as sparse
from numpy.typing import NDArray

from embanon.document import TYPES
from embanon.language import Lexicon, hash_text
from embanon.recognize.features import (
    LOCAL_ROWS,
    LOCAL_SALT,
    SHARED_ROWS,
    SHARED_SALT,
    TokenColumns,
    context_rows,
    describe_words,
    word_features,
)
from embanon.recognize.labeler import LABELS, Chains, Labeler, LabelerWeights, Labels, word_clusters
from embanon.text.analyzer import load_analyzer
from embanon.text.tokens import Tokens
from embeddings.build.annotated import AnnotatedText, read_letters, swap_mentions, training_letters, training_texts
from embeddings.build.crf import CrfWeights, TrainingTokens, train
from embeddings.build.word_classes import WordClusters

LANGUAGES: Final = ("en", "es", "pt", "de")
MIN_COUNT: Final = 2
STRENGTH: Final = 1.0
STEPS: Final = 110
LARGEST: Final = 127


@dataclass(frozen=True, slots=True)
class ReadText:
    """An annotated text as its tokens and their gold labels."""

    source: AnnotatedText
    tokens: Tokens = field(repr=False)
    tags: NDArray[np.uint8] = field(repr=False)
    gold: NDArray[np.int64] = field(repr=False)

    @classmethod
    def read(cls, source: AnnotatedText) -> ReadText:
        """Cut an annotated text into tokens; what another mention has is not labeled again."""
        tagged = load_analyzer(source.language).tag(source.text)
        tokens = tagged.tokens
        gold = np.zeros(len(tokens), np.int64)
        for mention in source.mentions:
            first = int(np.searchsorted(tokens.end, mention.start, side="right"))
            last = int(np.searchsorted(tokens.start, mention.end, side="left"))
            if first < last and not gold[first:last].any():
                begin = 1 + 2 * TYPES.index(mention.type)
                gold[first], gold[first + 1 : last] = begin, begin + 1
        return cls(source, tokens, tagged.tags, gold)

    def allowed(self) -> NDArray[np.bool_]:
        """Return which labels each token may have: outside of mentions also those of types that are not taught."""
        allowed = np.zeros((len(self.gold), len(LABELS)), np.bool_)
        for number, type in enumerate(TYPES):
            if type not in self.source.taught:
                allowed[self.gold == 0, 1 + 2 * number : 3 + 2 * number] = True
        allowed[np.arange(len(self.gold)), self.gold] = True
        return allowed


@dataclass(frozen=True, slots=True)
class FeatureRows:
    """Sparse rows of the features that occur often enough, and what each is: its owner and its key."""

    rows: Any = field(repr=False)
    owners: NDArray[np.int64] = field(repr=False)
    keys: NDArray[np.int64] = field(repr=False)

    @classmethod
    def build(cls, features: NDArray[np.int64], ends: NDArray[np.int64], times: NDArray[np.int64]) -> FeatureRows:
        """Number features; each row ends where `ends` says, and stands for so many `times`."""
        distinct, numbers = np.unique(features, return_inverse=True)
        counts = np.bincount(numbers, np.repeat(times, np.diff(ends)))
        kept = counts >= MIN_COUNT
        number = np.where(kept, np.cumsum(kept) - 1, -1)[numbers]
        totals = np.append(0, np.cumsum(number >= 0))[ends]
        columns = number[number >= 0].astype(np.int32)
        matrix = sparse.csr_matrix(
            (np.ones(len(columns), np.float32), columns, totals), shape=(len(ends) - 1, int(kept.sum()))
        )
        return cls(matrix, distinct[kept] >> OWNER_SHIFT, distinct[kept] & KEY_MASK)


SHARED: Final = 0
"""The owner of features that all languages share; those of a language have its number, from 1 on."""
OWNER_SHIFT: Final = 32
KEY_MASK: Final = (1 << OWNER_SHIFT) - 1


def owner_of(language: str) -> int:
    """Return the number of a language as an owner of features."""
    return LANGUAGES.index(language) + 1


def _word_rows(
    words: Sequence[tuple[str, str]], times: NDArray[np.int64], clusters: dict[str, WordClusters]
) -> FeatureRows:
    """Return the features of distinct words, by language, each of which occurs so many times."""
    lexicons = {language: Lexicon.load(language) for language in clusters}
    features, ends = list[int](), [0]
    for language, word in words:
        owner, known = owner_of(language) << OWNER_SHIFT, clusters[language]
        cluster = int(word_clusters([word], known.words, known.clusters)[0])
        shared, local = word_features(word, lexicons[language].flags(word), cluster)
        features += [hash_text(name, SHARED_SALT) for name in shared]
        features += [owner | hash_text(name, LOCAL_SALT) for name in local]
        ends.append(len(features))
    return FeatureRows.build(np.array(features, np.int64), np.array(ends), times)


@dataclass(slots=True)
class Corpus:
    """Texts as numbers to train on, and what the numbers mean."""

    tokens: TrainingTokens
    words: FeatureRows
    context: FeatureRows

    @classmethod
    def build(cls, texts: Sequence[ReadText], clusters: dict[str, WordClusters]) -> Corpus:
        """Number the features of all tokens."""
        known: dict[tuple[str, str], int] = {("en", ""): 0}
        ids = [
            np.array([known.setdefault((text.source.language, word), len(known)) for word in text.tokens.words])
            for text in texts
        ]
        forms = [word for _, word in known]
        tables = {language: describe_words(forms, _clusters_of(forms, some)) for language, some in clusters.items()}
        times = np.bincount(np.concatenate(ids), minlength=len(known))
        times[0] = MIN_COUNT
        words = _word_rows(list(known), times, clusters)
        context, padded, places = list[Any](), [np.zeros(2, np.int64)], list[Any]()
        starts, lengths, size, count = list[Any](), list[Any](), 2, 0
        for text, numbers in zip(texts, ids, strict=True):
            owner, tokens = owner_of(text.source.language) << OWNER_SHIFT, text.tokens
            table = tables[text.source.language]
            columns = TokenColumns.build(numbers, table, text.tags, tokens.start, tokens.end, tokens.gap)
            shared, local = context_rows(columns)
            context.append(np.stack([*shared, *(row | owner for row in local)], axis=1))
            padded.append(columns.ids)
            places.append(columns.places + size)
            chains = Chains.cut(columns.layout.line_start, tokens.starts_sentence)
            begin, length = _runs(chains, len(numbers))
            starts.append(begin + count)
            lengths.append(length)
            size += len(columns.ids)
            count += len(numbers)
        padded.append(np.zeros(2, np.int64))
        features = np.concatenate(context)
        ends = np.arange(len(features) + 1) * features.shape[1]
        contexts = FeatureRows.build(features.ravel(), ends, np.ones(len(features), np.int64))
        allowed = np.concatenate([text.allowed() for text in texts])
        firsts = np.concatenate(starts)  # where a mention is cut by the end of a chain, it begins again
        allowed[firsts[:, None], np.arange(1, len(LABELS), 2)] |= allowed[firsts[:, None], np.arange(2, len(LABELS), 2)]
        built = TrainingTokens(
            words.rows, contexts.rows, np.concatenate(padded), np.concatenate(places),
            Chains.of_runs(np.concatenate(starts), np.concatenate(lengths)), allowed,
        )  # fmt: skip
        return cls(built, words, contexts)


def _clusters_of(words: Sequence[str], known: WordClusters) -> NDArray[np.int64]:
    return word_clusters(words, known.words, known.clusters)


def _runs(chains: Chains, size: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the starts and lengths of the chains of a text."""
    starts = np.sort(chains.order[: chains.counts[0]])
    return starts, np.diff(np.append(starts, size))


def compile_weights(corpus: Corpus, weights: CrfWeights, language: str, clusters: WordClusters) -> LabelerWeights:
    """Compile what training found for one language: small integers, and what is not used left out."""
    word_scale = float(np.abs(weights.words).max()) / LARGEST
    rows = np.flatnonzero(np.isin(corpus.words.owners, (SHARED, owner_of(language))))
    values = np.rint(weights.words[rows] / word_scale).astype(np.int8)
    used = np.abs(values).max(axis=(1, 2)) > 0
    keys = corpus.words.keys[rows][used].astype(np.uint32)
    order = np.argsort(keys)
    tables, scales = [], [word_scale]
    for owner, size in ((SHARED, SHARED_ROWS), (owner_of(language), LOCAL_ROWS)):
        numbers = np.flatnonzero(corpus.context.owners == owner)
        found = weights.context[numbers]
        scale = float(np.abs(found).max()) / LARGEST
        table = np.zeros((size, len(LABELS)), np.int8)
        table[corpus.context.keys[numbers]] = np.rint(found / scale)
        tables.append(table)
        scales.append(scale)
    return LabelerWeights(
        keys[order], values[used][order], tables[0], tables[1], np.array(scales, np.float32), weights.transitions,
        clusters.words, clusters.clusters,
    )  # fmt: skip


def train_labelers(texts: Sequence[ReadText], *, steps: int = STEPS) -> dict[str, Labeler]:
    """Train the labelers of all languages of some texts."""
    languages = [language for language in LANGUAGES if any(text.source.language == language for text in texts)]
    clusters = {language: WordClusters.load(language) for language in dict.fromkeys(("en", *languages))}
    corpus = Corpus.build(texts, clusters)
    weights = train(corpus.tokens, strength=STRENGTH, steps=steps)
    return {
        language: Labeler(compile_weights(corpus, weights, language, clusters[language]), Lexicon.load(language))
        for language in languages
    }


def label_text(labeler: Labeler, text: ReadText) -> Labels:
    """Label an annotated text by a labeler that may not be the shipped one."""
    tokens = text.tokens
    words = sorted(set(tokens.words))
    number = {word: place for place, word in enumerate(words, start=1)}
    features = {name: make(["", *words]) for name, make in labeler.columns().items()}
    ids = np.array([number[word] for word in tokens.words], np.int64)
    return labeler.label(ids, features, text.tags, tokens.start, tokens.end, tokens.gap, tokens.starts_sentence)


def spans_of(labels: NDArray[Any]) -> set[tuple[int, int, int]]:
    """Return first token, the one after the last, and type of each mention."""
    inside = labels > 0
    begins = inside & (labels % 2 == 1)
    starts = np.flatnonzero(begins)
    runs = np.flatnonzero(~inside | begins)
    ends = [int(runs[runs > start][0]) if (runs > start).any() else len(labels) for start in starts.tolist()]
    return {(start, end, int(labels[start] - 1) // 2) for start, end in zip(starts.tolist(), ends, strict=True)}


def measure(labelers: dict[str, Labeler], texts: Sequence[ReadText]) -> dict[str, float]:
    """Return the F1 of exact spans with their types, by language and of all."""
    counts: Counter[tuple[str, str]] = Counter()
    for text in texts:
        language = text.source.language
        found, gold = spans_of(label_text(labelers[language], text).label), spans_of(text.gold)
        for name in (language, "all"):
            counts.update({(name, "both"): len(found & gold), (name, "any"): len(found) + len(gold)})
    names = dict.fromkeys(name for name, _ in counts)
    return {name: 2 * counts[name, "both"] / max(1, counts[name, "any"]) for name in names}


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
    parser.add_argument("--steps", type=int, default=STEPS, metavar="N", help="Steps of the optimizer.")
    args = parser.parse_args(arguments)
    chosen = training_letters(args.data, LANGUAGES) if args.only else training_texts(args.data, args.without)
    texts = [text for text in map(ReadText.read, chosen) if len(text.tokens)]
    print(f"{len(texts)} texts, {sum(len(text.tokens) for text in texts)} tokens")
    for trained, tested in leave_out(texts, args.folds) if args.folds else ():
        print(
            {
                name: round(value, 3)
                for name, value in measure(train_labelers(trained, steps=args.steps), tested).items()
            }
        )
    reference = {text.id for text in read_letters(args.data / "letters" / "train.jsonl.gz")}
    if args.out:
        args.out.mkdir(parents=True, exist_ok=True)
        # Our own letters come twice, the second time with mentions swapped; so do those of the reference.
        texts += [text for text in texts if text.source.id in reference]
        texts += map(ReadText.read, swap_mentions(chosen))
        for language, labeler in train_labelers(texts, steps=args.steps).items():
            (args.out / f"{language}.npz").write_bytes(labeler.weights.to_bytes())
    return 0


if __name__ == "__main__":
    sys.exit(main())
