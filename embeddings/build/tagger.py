"""Train the shipped taggers: `python -m embeddings.build.tagger en --data TREEBANKS --out embeddings/tagger`.

Multinomial logistic regression by L-BFGS. A sentence's gradient needs the distinct words only (the sum of their
features is shared by all places where they stand), which makes it as fast as a compiled trainer. Half of the
sentences are seen a second time in lower case, in capitals or in title case.
"""

from __future__ import annotations

import argparse
import csv
import random
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

import numpy as np
import scipy.sparse as sparse
from numpy.typing import NDArray
from scipy.optimize import minimize

from embanon.errors import MissingExtraError
from embanon.language.lemmas import hash_text, hash_texts
from embanon.language.normalize import word_shape
from embanon.text.tagger import (
    CASED_WORD,
    OFFSETS,
    WORD,
    Tagger,
    TaggerWeights,
    context_cells,
    feature_hashes,
)
from embeddings.build.accuracy import TaggingAccuracy, measure, measure_cases
from embeddings.build.treebank import Sentence, read_treebank, recase

DICTIONARY: Final = 120_000
"""Most frequent words whose dictionary classes are kept."""
FREQUENT: Final = 255
STRENGTH: Final = (10.0, 3.0, 1.0, 3.0, 10.0)
"""How strongly the weights at each offset are held near zero."""
CONTEXT_STRENGTH: Final = 5.0
NOISE: Final = 0.5
MIN_COUNT: Final = 2
FOLDS: Final = 4

WordClassifier = Callable[[str], tuple[str, ...]]


def lemma_classes(language: str) -> WordClassifier:
    """Say of a form what lemmas a dictionary gives it, with and without a capital (simplemma)."""
    import simplemma

    def of(lower: str) -> tuple[str, ...]:
        forms = (lower, lower[:1].upper() + lower[1:])
        lemmas = dict.fromkeys(
            simplemma.lemmatize(f, lang=language) for f in forms if simplemma.is_known(f, lang=language)
        )
        endings = "|".join(("U" if lemma[:1].isupper() else "l") + lemma[-2:].lower() for lemma in lemmas)
        same = "|".join(("U" if lemma[:1].isupper() else "l") + "="[: lemma.lower() == lower] for lemma in lemmas)
        return endings, same

    return of


def package_folder(name: str) -> Path:
    """Find an installed package without importing it."""
    found = find_spec(name)
    if found is None or not found.submodule_search_locations:
        raise MissingExtraError(name, "build")
    return Path(found.submodule_search_locations[0])


def german_noun_classes() -> WordClassifier:
    """Say of a form whether the German Wiktionary has it as a noun, in any case (german-nouns)."""
    with (package_folder("german_nouns") / "nouns.csv").open(encoding="utf-8") as rows:
        cases = ("lemma", "nominativ", "genitiv", "dativ", "akkusativ")
        nouns = {v.lower() for row in csv.DictReader(rows) for k, v in row.items() if v and k and k.startswith(cases)}
    return lambda lower: ("noun" if lower in nouns else "",)


def gazetteer_classes(language: str) -> WordClassifier:
    """Say of a form what names and classes the shipped lexicon knows it as."""
    from embanon.language.lexicon import Cue, Lexicon

    lexicon = Lexicon.load(language)
    mask = int(
        Cue.GIVEN_NAME | Cue.SURNAME | Cue.CITY | Cue.COUNTRY | Cue.REGION | Cue.NATIONALITY | Cue.MONTH | Cue.AMBIGUOUS
        | Cue.WEEKDAY | Cue.ORG_SUFFIX | Cue.TITLE
    )  # fmt: skip

    def of(lower: str) -> tuple[str, ...]:
        known = lexicon.flags(lower[:1].upper() + lower[1:]) & mask
        return (format(known, "x") if known else "",)

    return of


@dataclass(frozen=True, slots=True)
class WordClasses:
    """The dictionary classes of frequent words, numbered; column by column."""

    words: NDArray[np.uint32]
    classes: NDArray[np.uint16]

    @classmethod
    def compile(cls, words: Iterable[str], sources: Sequence[WordClassifier]) -> WordClasses:
        """Number what the sources say of each word (0: nothing); rare classes count as nothing."""
        unique = {hash_text(word): word for word in words}
        keys = sorted(unique)
        said = [[value for source in sources for value in source(unique[key])] for key in keys]
        columns = []
        for column in zip(*said, strict=True):
            counts = Counter(column)
            numbers = {
                value: n
                for n, (value, count) in enumerate(((v, c) for v, c in counts.most_common() if v and c >= 5), 1)
            }
            columns.append([numbers.get(value, 0) for value in column])
        return cls(np.array(keys, dtype=np.uint32), np.array(columns, dtype=np.uint16).T.copy())


def compile_word_classes(language: str, sentences: Iterable[Sentence]) -> WordClasses:
    """Compile what dictionaries say of the treebank's words and of the most frequent words."""
    from wordfreq import top_n_list

    sources = [lemma_classes(language), gazetteer_classes(language)]
    if language == "de":
        sources.append(german_noun_classes())
    words = {word.form.lower() for sentence in sentences for word in sentence} | set(top_n_list(language, DICTIONARY))
    return WordClasses.compile(sorted(words), sources)


def add_recased_copies(sentences: Sequence[Sentence], seed: int = 1) -> tuple[list[Sentence], NDArray[np.int64]]:
    """Add recased copies of some sentences; also give each one's number among the originals."""
    choose = random.Random(seed)
    picked = [number for number in range(len(sentences)) if choose.random() < NOISE]
    copies = [recase(sentences[number], choose.choice(("lower", "upper", "title"))) for number in picked]
    return [*sentences, *copies], np.array([*range(len(sentences)), *picked])


@dataclass(frozen=True, slots=True)
class EncodedSentences:
    """Sentences as numbers: distinct words, the padded sequence of them, the words' places in it, their tags."""

    words: list[str]
    parallel: list[bool]
    sequence: NDArray[np.int64]
    places: NDArray[np.int64]
    tags: NDArray[np.int64]

    @classmethod
    def from_sentences(cls, sentences: Iterable[Sentence], tags: Sequence[str]) -> EncodedSentences:
        """Number words and tags, with two empty words around each sentence."""
        number = {tag: n for n, tag in enumerate(tags)}
        ids, sequence, places, gold = {("", False): 0}, [0, 0], list[int](), list[int]()
        for sentence in sentences:
            for word in sentence:
                places.append(len(sequence))
                sequence.append(ids.setdefault((word.form, word.parallel), len(ids)))
                gold.append(number.get(word.tag, 0))
            sequence += [0, 0]
        words, parallel = map(list, zip(*ids, strict=True))
        return cls(words, parallel, np.array(sequence), np.array(places), np.array(gold))


def _one_hot(columns: NDArray[Any], width: int) -> Any:
    rows = len(columns)
    return sparse.csr_matrix((np.ones(rows, np.float32), (np.arange(rows), columns)), shape=(rows, width))


def _loss(scores: NDArray[np.float32], gold: NDArray[np.int64]) -> tuple[float, NDArray[np.float32]]:
    """Return the negative log-likelihood, and its gradient with respect to the scores."""
    scores = scores - scores.max(axis=1, keepdims=True)
    weights = np.exp(scores)
    total = weights.sum(axis=1)
    every = np.arange(len(gold))
    loss = float((np.log(total) - scores[every, gold]).sum())
    gradient = weights / total[:, None]
    gradient[every, gold] -= 1
    return loss, gradient


def convention_features(word: str) -> list[int]:
    """Return the features by which the parallel treebank may differ: the form, its ending, its shape."""
    lower = word.lower()
    return [
        hash_text("parallel word " + lower),
        hash_text("parallel ending " + lower[-3:]),
        hash_text("parallel " + word_shape(word)),
    ]


def fit(sentences: Sequence[Sentence], tags: Sequence[str], known: WordClasses, iterations: int = 150) -> TaggerWeights:
    """Fit the first pass."""
    data = EncodedSentences.from_sentences(sentences, tags)
    empty = TaggerWeights(tuple(tags), *_no_arrays(len(tags)))
    looking = replace(empty, words=known.words, classes=known.classes)
    classes = looking.class_rows(data.words).tolist()
    found = [feature_hashes(word, row) for word, row in zip(data.words, classes, strict=True)]
    # What the parallel treebank annotates in its own way is learnt by features of its own, which are left out in the
    # end (Daumé 2007): the rest then keeps to the conventions of the main treebank.
    own = [
        convention_features(word) if parallel else [] for word, parallel in zip(data.words, data.parallel, strict=True)
    ]
    foreign = np.array(sorted({key for of_word in own for key in of_word}), dtype=np.uint32)
    found = [[*of_word, *more] for of_word, more in zip(found, own, strict=True)]
    counts = Counter(key for of_word in found for key in of_word)
    # A word seen once must be told by its shape and affixes, as an unknown word will be.
    seen = Counter(
        key for s in sentences for w in s for key in (hash_text(w.form.lower(), WORD), hash_text(w.form, CASED_WORD))
    )
    seen.update(key for s in sentences for w in s if w.parallel for key in convention_features(w.form))
    forms = {key for of_word in found for key in of_word[2:4]} | set(foreign.tolist())
    kept = sorted(key for key, count in counts.items() if (seen[key] if key in forms else count) >= MIN_COUNT)
    keys = np.array(kept, dtype=np.uint32)
    column = {key: number for number, key in enumerate(kept)}
    cells = [(row, column[key]) for row, of_word in enumerate(found) for key in of_word if key in column]
    rows, columns = np.array(cells).T
    table = sparse.csr_matrix((np.ones(len(rows), np.float32), (rows, columns)), shape=(len(data.words), len(keys)))
    back = table.T.tocsr()
    around = [data.sequence[data.places + offset] for offset in OFFSETS]
    scatter = [_one_hot(ids, len(data.words)).T.tocsr() for ids in around]
    size = (len(OFFSETS), len(keys), len(tags))
    strength = np.repeat(np.array(STRENGTH), len(keys) * len(tags))

    def objective(flat: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        weights = flat.reshape(size).astype(np.float32)
        scores = sum((table @ weights[n])[ids] for n, ids in enumerate(around))
        loss, gradient = _loss(np.asarray(scores), data.tags)
        slope = np.stack([back @ (scatter[n] @ gradient) for n in range(len(OFFSETS))]).ravel()
        return loss + 0.5 * float((strength * flat * flat).sum()), slope + strength * flat

    best = minimize(
        objective,
        np.zeros(size[0] * size[1] * size[2]),
        jac=True,
        method="L-BFGS-B",
        options={"maxiter": iterations, "maxcor": 8},
    )
    weights = best.x.reshape(size).transpose(1, 0, 2)
    scale = 127 / np.abs(weights).max()
    values = np.rint(weights * scale).astype(np.int8)
    useful = (np.abs(values).max(axis=(1, 2)) > 0) & ~np.isin(keys, foreign)
    return replace(looking, keys=keys[useful], values=values[useful])


def _no_arrays(tag_count: int) -> tuple[Any, ...]:
    keys = np.zeros(0, np.uint32)
    return (
        keys,
        np.zeros((0, len(OFFSETS), tag_count), np.int8),
        keys,
        np.zeros((0, 0), np.uint16),
        keys,
        np.zeros((0, tag_count), np.int8),
    )


def first_scores(weights: TaggerWeights, data: EncodedSentences) -> NDArray[np.float32]:
    """Return the first pass's scores of encoded sentences."""
    table = weights.score_words(data.words)
    scores = sum(table[data.sequence[data.places + offset], n].astype(np.float32) for n, offset in enumerate(OFFSETS))
    return np.asarray(scores, dtype=np.float32)


def fit_context(
    sentences: Sequence[Sentence], origin: NDArray[np.int64], weights: TaggerWeights, known: WordClasses
) -> TaggerWeights:
    """Fit the second pass on first-pass scores of sentences that the first pass has not seen (cross-fitted)."""
    tags = weights.tags
    main = [number for number, sentence in enumerate(sentences) if not sentence[0].parallel]
    own, own_origin = [sentences[number] for number in main], origin[main]
    data = EncodedSentences.from_sentences(own, tags)
    lengths = np.array([len(sentence) for sentence in own])
    fold = np.repeat(own_origin % FOLDS, lengths)
    scores = np.zeros((len(data.places), len(tags)), dtype=np.float32)
    for number in range(FOLDS):
        fitted = fit([s for s, n in zip(sentences, origin, strict=True) if n % FOLDS != number], tags, known)
        scale = np.abs(weights.values).mean() / np.abs(fitted.values).mean()
        scores[fold == number] = first_scores(fitted, data)[fold == number] * scale
    common = Counter(word.form.lower() for sentence in sentences for word in sentence).most_common(FREQUENT)
    frequent = np.sort(hash_texts(form for form, _ in common))
    place = np.searchsorted(frequent, hash_texts(word.lower() for word in data.words))
    place = np.minimum(place, len(frequent) - 1)
    known_words = np.where(frequent[place] == hash_texts(word.lower() for word in data.words), place + 1, 0)
    padded = np.full(len(data.sequence), len(tags))
    padded[data.places] = scores.argmax(axis=1)
    cells = context_cells(padded, known_words[data.sequence], data.places, len(tags), len(frequent))
    size, words = len(tags) + 1, len(frequent) + 1
    width = 3 * size * size + 4 * words * size + 2 * words * words
    rows = np.tile(np.arange(len(data.places)), len(cells))
    table = sparse.csr_matrix((np.ones(cells.size, np.float32), (rows, cells.ravel())), shape=(len(data.places), width))
    back = table.T.tocsr()

    def objective(flat: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        inner = flat[1:].reshape(width, len(tags)).astype(np.float32)
        unit = float(flat[0]) * scores / 20
        loss, gradient = _loss(unit + table @ inner, data.tags)
        slope = (back @ gradient).ravel() + CONTEXT_STRENGTH * flat[1:]
        return loss + 0.5 * CONTEXT_STRENGTH * float((flat[1:] ** 2).sum()), np.concatenate(
            [[float((gradient * scores).sum() / 20)], slope]
        )

    found = minimize(
        objective,
        np.concatenate([[1.0], np.zeros(width * len(tags))]),
        jac=True,
        method="L-BFGS-B",
        options={"maxiter": 100},
    )
    inner = found.x[1:].reshape(width, len(tags))
    # Integers on both sides: one unit of the first pass is `first_pass` units of the second.
    unit = found.x[0] / 20
    first_pass = max(1, int(127 / np.abs(inner).max() * unit))
    return replace(
        weights,
        frequent=frequent,
        context=np.rint(np.clip(inner * first_pass / unit, -127, 127)).astype(np.int8),
        first_pass_scale=first_pass,
    )


def train(
    language: str, data: Path, *, log: Callable[[str], Any], second: bool = True
) -> tuple[TaggerWeights, dict[str, TaggingAccuracy]]:
    """Train on the training part, choose on the development part, train on both, measure on the test part."""
    load = partial(read_treebank, split=language == "en")
    parts = {name: list(load(data / language / f"{name}.conllu.gz")) for name in ("train", "dev", "test")}
    both = parts["train"] + parts["dev"]
    known = compile_word_classes(language, both)

    def build(sentences: Sequence[Sentence], second: bool) -> TaggerWeights:
        augmented, origin = add_recased_copies(sentences)
        tags = sorted({word.tag for sentence in sentences for word in sentence})
        weights = fit(augmented, tags, known)
        return fit_context(augmented, origin, weights, known) if second else weights

    tried = build(parts["train"], second)
    dev = [sentence for sentence in parts["dev"] if not sentence[0].parallel]
    with_second = measure(Tagger(tried), dev)
    without = measure(Tagger(replace(tried, frequent=tried.frequent[:0], context=tried.context[:0])), dev)
    log(f"{language} dev: one pass {without}; two passes {with_second}")
    for name, found in measure_cases(tried, parts["test"]).items():
        log(f"{language} test, trained without dev, {name}: {found}")
    weights = build(both, second and with_second.upos > without.upos)
    return weights, measure_cases(weights, parts["test"])


def main(arguments: Sequence[str] | None = None) -> int:
    """Train the taggers named on the command line and write them with their figures."""
    parser = argparse.ArgumentParser(prog="python -m embeddings.build.tagger", description=__doc__)
    parser.add_argument("languages", nargs="+", choices=["en", "es", "pt", "de"])
    parser.add_argument("--data", type=Path, required=True, help="folder with en/train.conllu.gz and so on")
    parser.add_argument("--out", type=Path, required=True, help="folder to write into")
    options = parser.parse_args(arguments)
    for language in options.languages:
        weights, figures = train(language, options.data, log=lambda line: print(line, file=sys.stderr, flush=True))
        (options.out / f"{language}.npz").write_bytes(weights.to_bytes())
        for name, found in figures.items():
            print(f"{language} test, {name}: {found}", flush=True)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
