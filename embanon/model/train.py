"""Train a model on a corpus, and grow one: read, count, learn, save."""

from __future__ import annotations

import logging
import os
import platform
import sys
from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, fields, replace
from functools import lru_cache, partial
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final, cast

import numpy as np
from numpy.typing import NDArray

from embanon.config import Config, TrainingSettings, load, validate_table
from embanon.document import Document, check_texts, to_document
from embanon.errors import ConfigError, DataError, InputError
from embanon.io import Corpus, CorpusDocument, Tally
from embanon.language import variant_arrays
from embanon.model import assemble
from embanon.model.backends import check_backend, library_packages, resolve_backend, train as learn
from embanon.model.collect import CorpusCollector, CorpusCounts
from embanon.model.model import Model
from embanon.model.subwords import Subwords
from embanon.model.task import SPACE_SIGN, PreviousWeights, Progress, TrainedVectors, TrainingTask, TrainingTexts
from embanon.model.vectors import Vectors
from embanon.storage import Arrays, Keys, add_prefix, folder as folders, hash_keys, select_prefix
from embanon.text import (
    AnalyzerLoader,
    CorpusStatistics,
    StatisticsByLanguage,
    TaggingCache,
    find_batches,
    gather_statistics,
    language_of,
    load_caching_analyzer,
)

LOG: Final = logging.getLogger(__name__)

MIN_FREEDOM: Final = 0.01
"""The least that a vector of a model to grow may move, however often its phrase was seen before."""
FREEDOM_EXPONENT: Final = 4
"""How fast a vector grows firm with the share of its occurrences that are old."""
GROWTH_RATE: Final = 0.3
"""The rate of learning in a model that grows, of that of a new one."""
FIXED_SETTINGS: Final = (
    "backend", "dimensions", "window", "negative", "sample", "dtype", "entity_vectors", "subword_min", "subword_max",
    "buckets",
)  # fmt: skip
"""Settings that cannot change when a model grows."""


def ignore_progress(_step: str, _done: float, _of: float) -> None:
    """Show no progress."""


@dataclass(slots=True)
class TrainingCorpus:
    """A corpus as its documents, as often as asked for, without what is there twice or is in the model already.

    `entities` waits for what each document is about, as it is read. Which language it is in is found out once.
    """

    corpus: Corpus | Iterable[CorpusDocument]
    config: Config
    known: frozenset[int]
    progress: Progress
    entities: deque[str | None] = field(default_factory=deque, repr=False)
    tally: Tally = field(default_factory=Tally)
    new_count: int = 0
    repeated_count: int = 0
    _languages: dict[int, str] = field(default_factory=dict, repr=False)

    def __call__(self, step: str) -> Iterator[Document]:
        seen, self.new_count, self.repeated_count, self.tally = set(self.known), 0, 0, Tally()
        self.entities.clear()
        corpus = self.corpus
        size = (corpus.size() or 0) if isinstance(corpus, Corpus) else 0
        for source in corpus.sources(self.tally) if isinstance(corpus, Corpus) else corpus:
            digest = int(hash_keys([source.document.text])[0])
            if digest in seen:
                self.repeated_count += 1
                continue
            seen.add(digest)
            self.new_count += 1
            self.entities.append(source.entity)
            if digest not in self._languages:
                self._languages[digest] = sys.intern(language_of(source.document, self.config))
            yield replace(source.document, language=self._languages[digest])
            self.progress(step, self.tally.bytes, size)

    def warnings(self) -> list[str]:
        """Return what was left out or changed, a line each."""
        same = "documents that the corpus or the model has already, counted once"
        return [*self.tally.warnings(), *([f"{self.repeated_count} {same}"] if self.repeated_count else [])]


def train(
    corpus: Corpus | Iterable[CorpusDocument | Document | str], target: str | Path, *,
    config: Config | str | Path | None = None, progress: Progress = ignore_progress, update: str | Path | None = None,
) -> dict[str, Any]:  # fmt: skip
    """Train a model on texts, documents or a corpus, and save it as a folder; or grow the model `update`.

    A document may name in its field `entity` whom it is about. Return the card of the model, with its numbers.
    """
    target, update = Path(target), Path(update) if update else None
    config = config if isinstance(config, Config) else load(config).config
    if not isinstance(corpus, Corpus):
        check_texts(corpus)
        corpus = [_corpus_document(text, number) for number, text in enumerate(corpus, 1)]
    sources = cast("Corpus | list[CorpusDocument]", corpus)
    folders.check_target(target)
    options = replace(config.train, threads=config.train.threads or _processors())
    old = Model.open(update) if update else None
    if old:
        options = _keep_fixed_settings(options, old)
    check_backend(options.backend, grows=old is not None)
    known = frozenset(old.documents.digests.tolist() if old else ())
    reading = TrainingCorpus(sources, config, known, progress)
    # The first texts are tagged once for both passes.
    layers = lru_cache(partial(load_caching_analyzer, kept=TaggingCache()))
    statistics = gather_statistics(reading("statistics"), config=config, layers=layers)
    if old:
        statistics = _merge_statistics(old.statistics, statistics)
    counted = _count(reading, config, statistics, layers, old)
    del layers
    if not len(counted.sequence):
        raise InputError(_empty_message(reading, old))
    progress("", 0, 0)
    for warning in reading.warnings():
        LOG.warning("%s", warning)
    arrays, card = build_model(counted, statistics, options, progress, old)
    card["corpus"]["repeated"] = reading.repeated_count
    del old, statistics  # which map files: Windows lets none of them be replaced
    progress("saving", 0, 0)
    folders.save(target, arrays, card)
    return card


def _corpus_document(text: CorpusDocument | Document | str, number: int) -> CorpusDocument:
    if isinstance(text, CorpusDocument):
        return text
    document = to_document(text, number)
    entity = document.fields.get("entity")
    return CorpusDocument(document, entity if isinstance(entity, str) else None)


def _processors() -> int:
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # Windows and macOS know only of all
        return os.cpu_count() or 1


def _empty_message(reading: TrainingCorpus, old: Model | None) -> str:
    if old and not reading.new_count:
        return f"the model has all {reading.repeated_count} documents of the corpus already; it stays as it is"
    return "the corpus has no phrase to learn from; check its files, and the key of its texts (--text-column)"


def _count(
    reading: TrainingCorpus,
    config: Config,
    statistics: StatisticsByLanguage,
    layers: AnalyzerLoader,
    old: Model | None = None,
) -> CorpusCounts:
    first = config.train.entities == "first"
    collector = (
        CorpusCollector(old.phrases.keys, old.words.keys, old.entities, first) if old else CorpusCollector(first=first)
    )
    for together in find_batches(reading("phrases"), config=config, statistics=statistics, layers=layers):
        about = [reading.entities.popleft() for _ in together.documents]
        collector.add(together, about if config.train.entities == "given" else [None] * len(about))
    return collector.to_counts()


def _keep_fixed_settings(options: TrainingSettings, old: Model) -> TrainingSettings:
    """Keep what cannot change when a model grows."""
    if old.output is None:
        raise ConfigError(f"{old.path}: cannot grow: {old.growth_obstacle}; train a new model on both corpora")
    before, path = old.card.get("training", {}), old.path
    try:
        fixed = {name: before[name] for name in FIXED_SETTINGS}
        kept = replace(options, **validate_table(TrainingSettings, fixed, "training.", ""))
    except (KeyError, TypeError, ConfigError) as exc:
        raise DataError(f"{path}: its card lacks how it was trained; run: embanon model verify {path}") from exc
    if kept.problem() or kept.dimensions != old.dimensions or old.output.shape != (len(old.phrases), old.dimensions):
        raise DataError(f"{path}: its card and its arrays do not agree; run: embanon model verify {path}")
    return kept


def _merge_statistics(old: StatisticsByLanguage, new: StatisticsByLanguage) -> StatisticsByLanguage:
    """Put statistics together; what both know stays as the model has it."""
    merged = dict(old)
    for language, more in new.items():
        mine = old.get(language, CorpusStatistics())
        share = {**more.capitalized_share, **mine.capitalized_share}
        merged[language] = CorpusStatistics(share, frozenset((*mine.joined_names, *more.joined_names)))
    return merged


def build_model(
    counted: CorpusCounts,
    statistics: StatisticsByLanguage,
    options: TrainingSettings,
    progress: Progress = ignore_progress,
    old: Model | None = None,
) -> tuple[Arrays, dict[str, Any]]:
    """Learn vectors, and return the arrays and the card of a model."""
    options = replace(options, backend=resolve_backend(options.backend))
    counted = assemble.renumber_by_frequency(counted, old)
    arrays = assemble.document_arrays(counted, old)
    arrays |= assemble.phrase_arrays(counted, old)
    arrays |= add_prefix("entities", Keys.from_strings(counted.entities).arrays())
    counts = arrays["phrases.counts"]
    trained = _learn_vectors(counted, counts, options, progress, old)
    progress("vectors", 0, 0)
    parts = assemble.PhraseWords.from_counts(counted)
    arrays |= assemble.word_arrays(counted, parts, arrays, old)
    vectors = trained.vectors[: len(counted.phrases)]
    means = assemble.word_vectors(parts, vectors, counts, len(counted.words))
    if trained.subwords is None:
        rarity = -np.log2((arrays["words.documents"] + 0.5) / (len(arrays["documents.digests"]) + 1))
        # Of a model that grows, only what was seen anew has moved.
        seen = np.bincount(counted.sequence, minlength=len(vectors)) > 0
        vectors = assemble.smooth_phrase_vectors(parts, vectors, means, rarity, np.where(seen, counts, 0))
    arrays |= add_prefix("words.vectors", Vectors.from_rows(means, options.dtype).arrays())
    arrays |= add_prefix("phrases.vectors", Vectors.from_rows(vectors, options.dtype).arrays())
    if options.entity_vectors and len(trained.vectors) > len(vectors):
        entity_vectors = Vectors.from_rows(trained.vectors[len(vectors) :], options.dtype)
        arrays |= add_prefix("entities.vectors", entity_vectors.arrays())
    if options.grow and trained.output is not None:
        arrays["output"] = trained.output[: len(vectors)].astype(np.float16)
        arrays["entities.output"] = trained.output[len(vectors) :].astype(np.float16)
    if trained.subwords:
        arrays["subwords"] = trained.subwords.vectors.astype("float32" if options.dtype == "float32" else "float16")
    arrays |= variant_arrays(counted.phrases, _main_language(counted, old))
    for spoken, corpus_statistics in sorted(statistics.items()):
        arrays |= assemble.statistics_arrays(
            f"statistics.{spoken}", corpus_statistics.capitalized_share, corpus_statistics.joined_names
        )
    return arrays, _card(counted, arrays, options, old)


def _main_language(counted: CorpusCounts, old: Model | None) -> str:
    """Return the language that most documents are in; a model that grows keeps its own."""
    before = str(old.card.get("language", "")) if old else ""
    return before or counted.languages.most_common(1)[0][0]


def _learn_vectors(
    counted: CorpusCounts, counts: NDArray[np.uint32], options: TrainingSettings, progress: Progress, old: Model | None
) -> TrainedVectors:
    entities = len(counted.entities) if options.entity_vectors else 0
    shown = (counted.entity >= 0) & options.entity_vectors
    about = np.where(shown, counted.entity.astype(np.int64) + len(counted.phrases), -1)
    texts = TrainingTexts(
        counted.sequence, counted.bounds, about, options.window, _EpochProgress(options, counted, progress)
    )
    documents = np.bincount(about[shown], minlength=len(counts) + entities)[len(counts) :]
    every = np.concatenate([counts.astype(np.int64), np.maximum(documents, 1)])
    before = _previous_weights(old, counted, options) if old else None
    if old:
        options = replace(options, rate=options.rate * GROWTH_RATE)
    return learn(TrainingTask(texts, every, counted.phrases, options, before))


def _previous_weights(old: Model, counted: CorpusCounts, options: TrainingSettings) -> PreviousWeights:
    """Let a phrase move by the share of its occurrences that are new, an entity by that of its documents."""
    assert old.output is not None
    known = np.arange(len(old.phrases))
    before = PreviousWeights(
        known, np.nan_to_num(old.phrases.vectors.rows(known)), old.output.astype(np.float32),
        _freedom(np.bincount(counted.sequence), old.phrases.counts),
        *_previous_subwords(old, counted),
    )  # fmt: skip
    stored = select_prefix(folders.load(old.path)[1], "entities")
    if not options.entity_vectors or "vectors.data" not in stored or "output" not in stored:
        return before
    known = np.arange(len(old.entities))
    about = old.documents.entities
    return before.concatenate(PreviousWeights(
        known + len(counted.phrases), np.nan_to_num(Vectors.from_arrays(select_prefix(stored, "vectors")).rows(known)),
        stored["output"].astype(np.float32),
        _freedom(
            np.bincount(counted.entity[counted.entity >= 0]), np.bincount(about[about >= 0], minlength=len(known))
        ),
    ))  # fmt: skip


def _previous_subwords(old: Model, counted: CorpusCounts) -> tuple[Subwords | None, NDArray[np.float32] | None]:
    """Let a part of phrases move by the share of its occurrences that are new."""
    if old.subwords is None:
        return None, None
    parts = replace(old.subwords, vectors=old.subwords.vectors.astype(np.float32))
    new = parts.count_occurrences(counted.phrases, np.bincount(counted.sequence, minlength=len(counted.phrases)))
    return parts, _freedom(new, parts.count_occurrences(old.phrases.keys[:], old.phrases.counts))


def _freedom(new: NDArray[Any], before: NDArray[Any]) -> NDArray[np.float32]:
    new = np.pad(new[: len(before)], (0, max(len(before) - len(new), 0)))
    share = new / np.maximum(new + before, 1)
    freedom: NDArray[np.float32] = np.maximum(share**FREEDOM_EXPONENT, MIN_FREEDOM).astype(np.float32)
    return freedom


class _EpochProgress:
    """Says how much of the training is done, as the texts are given out."""

    def __init__(self, options: TrainingSettings, counted: CorpusCounts, progress: Progress) -> None:
        self._units, self._epochs, self._progress = max(len(counted.sequence), 1), options.epochs, progress
        self._before, self._last = 0, 0

    def __call__(self, done: int) -> None:
        if done < self._last:
            self._before += self._units
        self._last = done
        self._progress("training", self._before + done, self._units * self._epochs)


def _card(counted: CorpusCounts, arrays: Arrays, options: TrainingSettings, old: Model | None) -> dict[str, Any]:
    checksum = sha256(arrays["documents.digests"].tobytes()).hexdigest()
    before = old.card if old else {}
    languages = set(counted.languages) | set(before.get("languages", ()))
    training = {item.name: getattr(options, item.name) for item in fields(options) if item.name != "license"}
    subwords = {"minimum": options.subword_min, "maximum": options.subword_max, "space": SPACE_SIGN}
    return {
        "backend": options.backend,
        "dimensions": options.dimensions,
        "dtype": options.dtype,
        "phrases": len(counted.phrases),
        "words": len(counted.words),
        "documents": len(arrays["documents.digests"]),
        "entities": len(counted.entities),
        "units": int(arrays["phrases.counts"].sum(dtype=np.int64)),
        "language": _main_language(counted, old),
        "languages": sorted(languages),
        "grown": int(before.get("grown", 0)) + bool(old),
        "corpus": {"checksum": checksum, "license": options.license or before.get("corpus", {}).get("license", "")},
        "training": training,
        **({"subwords": subwords} if "subwords" in arrays else {}),
        "versions": {"python": platform.python_version()}
        | {
            name: version(name)
            for name in ("embanon", *library_packages(options.backend, old is not None), "numpy", "scipy")
        },
    }
