"""Train the labelers: `python -m embeddings.build.recognizer --data ../shared/data --out embeddings/recognizer`.

All languages learn together: what they share (cases, outlines, cues, what kind of line) is learnt once, what is a
language's own for each. The clusters of words (MIT, of spaCy's look-up tables) say which words stand alike.
"""

from __future__ import annotations

import argparse
import gzip
import json
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
    OWN_ROWS,
    OWN_SALT,
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
from embeddings.build.annotated import AnnotatedText, training_letters, training_texts
from embeddings.build.crf import CrfWeights, TrainingTokens, train
from embeddings.build.tagger import package_folder

LANGUAGES: Final = ("en", "es", "pt", "de")
CLUSTERED: Final = 120_000
"""Most frequent words whose clusters are kept."""
MIN_COUNT: Final = 2
STRENGTH: Final = 1.0
STEPS: Final = 100
LARGEST: Final = 127


@dataclass(frozen=True, slots=True)
class WordClusters:
    """The clusters of a language's frequent words, by sorted hashes."""

    words: NDArray[np.uint32] = field(repr=False)
    clusters: NDArray[np.int32] = field(repr=False)

    @classmethod
    def load(cls, language: str) -> WordClusters:
        """Read the clusters of a language, none where there are none."""
        path = package_folder("spacy_lookups_data") / "data" / f"{language}_lexeme_cluster.json.gz"
        table: dict[int, int] = {}
        if path.is_file():
            with gzip.open(path, "rt", encoding="utf-8") as file:
                for word, cluster in list(json.load(file).items())[:CLUSTERED]:
                    table.setdefault(hash_text(word), cluster)
        keys = sorted(table)
        return cls(np.array(keys, np.uint32), np.array([table[key] for key in keys], np.int32))


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


class FeatureNumbers:
    """Features that occur often enough, numbered; the language is part of what is a language's own."""

    def __init__(self, counts: Counter[tuple[str, int]]) -> None:
        kept = sorted(feature for feature, count in counts.items() if count >= MIN_COUNT)
        self.keys = kept
        self.number = {feature: number for number, feature in enumerate(kept)}

    def rows(self, features: Iterable[Sequence[tuple[str, int]]]) -> Any:
        """Return sparse rows of ones."""
        columns, ends = list[int](), [0]
        for row in features:
            columns += sorted({self.number[feature] for feature in row if feature in self.number})
            ends.append(len(columns))
        data = np.ones(len(columns), np.float32)
        return sparse.csr_matrix(
            (data, np.array(columns, np.int32), np.array(ends)), shape=(len(ends) - 1, len(self.keys))
        )


SHARED: Final = ""
"""Instead of a language: features that all share."""


def _word_rows(words: Sequence[tuple[str, str]], clusters: dict[str, WordClusters]) -> list[list[tuple[str, int]]]:
    """Return the features of distinct words, by language."""
    lexicons = {language: Lexicon.load(language) for language in clusters}
    rows = list[list[tuple[str, int]]]()
    for language, word in words:
        known = clusters[language]
        cluster = int(word_clusters([word], known.words, known.clusters)[0])
        shared, own = word_features(word, lexicons[language].flags(word), cluster)
        rows.append(
            [(SHARED, hash_text(name, SHARED_SALT)) for name in shared]
            + [(language, hash_text(name, OWN_SALT)) for name in own]
        )
    return rows


@dataclass(slots=True)
class Corpus:
    """Texts as numbers to train on, and what the numbers mean."""

    tokens: TrainingTokens
    words: FeatureNumbers
    context: FeatureNumbers

    @classmethod
    def build(cls, texts: Sequence[ReadText], clusters: dict[str, WordClusters]) -> Corpus:
        """Number the features of all tokens."""
        known: dict[tuple[str, str], int] = {("en", ""): 0}
        ids = [
            np.array([known.setdefault((text.source.language, word), len(known)) for word in text.tokens.words])
            for text in texts
        ]
        word_rows = _word_rows(list(known), clusters)
        tables = {
            language: describe_words(
                [word for _, word in known], _clusters_of([word for _, word in known], clusters[language])
            )
            for language in clusters
        }
        context = list[list[tuple[str, int]]]()
        padded, places, starts, lengths, size, count = (
            [np.zeros(2, np.int64)],
            list[Any](),
            list[Any](),
            list[Any](),
            2,
            0,
        )
        for text, numbers in zip(texts, ids, strict=True):
            if not len(numbers):
                continue
            language, tokens = text.source.language, text.tokens
            columns = TokenColumns.build(numbers, tables[language], text.tags, tokens.start, tokens.end, tokens.gap)
            shared, own = context_rows(columns)
            # A template's number keeps its rows apart from those of others while we count.
            rows = [(SHARED, row) for row in shared] + [(language, row) for row in own]
            context += [
                list(zip([owner for owner, _ in rows], row, strict=True))
                for row in np.stack([row for _, row in rows], axis=1).tolist()
            ]
            padded.append(columns.ids)
            places.append(columns.places + size)
            chains = Chains.cut(columns.layout.line_start, tokens.starts_sentence)
            begin, length = _runs(chains, len(numbers))
            starts.append(begin + count)
            lengths.append(length)
            size += len(columns.ids)
            count += len(numbers)
        padded.append(np.zeros(2, np.int64))
        frequency = Counter(number for numbers in ids for number in numbers.tolist())
        word_counts: Counter[tuple[str, int]] = Counter()
        for number, row in enumerate(word_rows):
            for feature in row:
                word_counts[feature] += frequency[number] or MIN_COUNT
        words = FeatureNumbers(word_counts)
        contexts = FeatureNumbers(Counter(feature for row in context for feature in row))
        allowed = np.concatenate([text.allowed() for text in texts])
        firsts = np.concatenate(starts)  # where a mention is cut by the end of a chain, it begins again
        allowed[firsts[:, None], np.arange(1, len(LABELS), 2)] |= allowed[firsts[:, None], np.arange(2, len(LABELS), 2)]
        built = TrainingTokens(
            words.rows(word_rows), contexts.rows(context), np.concatenate(padded), np.concatenate(places),
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
    rows = [(key, number) for number, (owner, key) in enumerate(corpus.words.keys) if owner in (SHARED, language)]
    values = np.rint(weights.words[[number for _, number in rows]] / word_scale).astype(np.int8)
    used = np.abs(values).max(axis=(1, 2)) > 0
    keys = np.array([key for key, _ in rows], np.uint32)[used]
    order = np.argsort(keys)
    tables, scales = [], [word_scale]
    for owner, size in ((SHARED, SHARED_ROWS), (language, OWN_ROWS)):
        numbers = [number for number, (whose, _) in enumerate(corpus.context.keys) if whose == owner]
        found = weights.context[numbers]
        scale = float(np.abs(found).max()) / LARGEST
        table = np.zeros((size, len(LABELS)), np.int8)
        table[[corpus.context.keys[number][1] for number in numbers]] = np.rint(found / scale)
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
    texts = [ReadText.read(text) for text in chosen]
    print(f"{len(texts)} texts, {sum(len(text.tokens) for text in texts)} tokens")
    for trained, tested in leave_out(texts, args.folds) if args.folds else ():
        print(
            {
                name: round(value, 3)
                for name, value in measure(train_labelers(trained, steps=args.steps), tested).items()
            }
        )
    if args.out:
        args.out.mkdir(parents=True, exist_ok=True)
        for language, labeler in train_labelers(texts, steps=args.steps).items():
            (args.out / f"{language}.npz").write_bytes(labeler.weights.to_bytes())
    return 0


if __name__ == "__main__":
    sys.exit(main())
