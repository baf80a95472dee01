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
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from embanon.config.schema import typed
from embanon.config.settings import Config, Train
from embanon.document import Document
from embanon.errors import ConfigError, DataError, InputError
from embanon.io.read.corpus import Corpus, Source, Tally
from embanon.language.normalize import variants_of
from embanon.model import assemble
from embanon.model.backends import Before, Progress, Task, Texts, Trained
from embanon.model.backends import train as learn
from embanon.model.collect import Collector, Counted
from embanon.model.model import Model
from embanon.model.vectors import Vectors
from embanon.storage import folder as folders
from embanon.storage.folder import Arrays, over, under
from embanon.storage.keys import Keys, digests
from embanon.text.analyzer import Kept, remembering
from embanon.text.find import Collected, Layers, find_together, gather, language_of

LOG: Final = logging.getLogger(__name__)

FREEDOM: Final = 0.01
"""The least that a vector of a model to grow may move, however often its phrase was seen before."""
FIRMNESS: Final = 4
"""How fast a vector grows firm with the share of its occurrences that are old."""
GROWING: Final = 0.3
"""The rate of learning in a model that grows, of that of a new one."""
KEPT: Final = ("backend", "dimensions", "window", "negative", "sample", "dtype", "entity_vectors")
"""Settings that cannot change when a model grows."""


def silent(_step: str, _done: float, _of: float) -> None:
    """Tell nobody."""


@dataclass(slots=True)
class Reading:
    """A corpus as its documents, as often as asked for, without what is there twice or is in the model already.

    `entities` waits for what each document is about, as it is read. Which language it is in is found out once.
    """

    corpus: Corpus | Iterable[Source]
    config: Config
    known: frozenset[int]
    progress: Progress
    entities: deque[str | None] = field(default_factory=deque, repr=False)
    tally: Tally = field(default_factory=Tally)
    new: int = 0
    repeated: int = 0
    _languages: dict[int, str] = field(default_factory=dict, repr=False)

    def __call__(self, step: str) -> Iterator[Document]:
        seen, self.new, self.repeated, self.tally = set(self.known), 0, 0, Tally()
        self.entities.clear()
        corpus = self.corpus
        size = (corpus.size() or 0) if isinstance(corpus, Corpus) else 0
        for source in corpus.sources(self.tally) if isinstance(corpus, Corpus) else corpus:
            digest = int(digests([source.document.text])[0])
            if digest in seen:
                self.repeated += 1
                continue
            seen.add(digest)
            self.new += 1
            self.entities.append(source.entity)
            if digest not in self._languages:
                self._languages[digest] = sys.intern(language_of(source.document, self.config))
            yield replace(source.document, language=self._languages[digest])
            self.progress(step, self.tally.bytes, size)

    def warnings(self) -> list[str]:
        """Say what was left out or changed, a line each."""
        same = "documents that the corpus or the model has already, counted once"
        return [*self.tally.warnings(), *([f"{self.repeated} {same}"] if self.repeated else [])]


def train(
    corpus: Corpus | Iterable[Source],
    target: Path,
    *,
    config: Config,
    progress: Progress = silent,
    update: Path | None = None,
) -> dict[str, Any]:  # fmt: skip
    """Train a model on a corpus, which is read twice, and save it; or grow the model `update`. Give its card."""
    folders.check_target(target)
    options = replace(config.train, threads=config.train.threads or _processors())
    old = Model.open(update) if update else None
    if old:
        options = _as_before(options, old)
    known = frozenset(old.documents.digests.tolist() if old else ())
    reading = Reading(corpus, config, known, progress)
    layers = lru_cache(partial(remembering, kept=Kept()))  # the first texts are tagged once for both passes
    statistics = gather(reading("statistics"), config=config, layers=layers)
    if old:
        statistics = _merged(old.statistics, statistics)
    counted = _count(reading, config, statistics, layers, old)
    del layers
    if not len(counted.sequence):
        raise InputError(_nothing(reading, old))
    progress("", 0, 0)
    for warning in reading.warnings():
        LOG.warning("%s", warning)
    arrays, card = build(counted, statistics, options, progress, old)
    card["corpus"]["repeated"] = reading.repeated
    del old, statistics  # which map files: Windows lets none of them be replaced
    progress("saving", 0, 0)
    folders.save(target, arrays, card)
    return card


def _processors() -> int:
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # Windows and macOS know only of all
        return os.cpu_count() or 1


def _nothing(reading: Reading, old: Model | None) -> str:
    if old and not reading.new:
        return f"the model has all {reading.repeated} documents of the corpus already; it stays as it is"
    return "the corpus has no phrase to learn from; check its files, and the key of its texts (--text-column)"


def _count(
    reading: Reading, config: Config, statistics: Collected, layers: Layers, old: Model | None = None
) -> Counted:
    first = config.train.entities == "first"
    collector = Collector(old.phrases.keys, old.words.keys, old.entities, first) if old else Collector(first=first)
    for together in find_together(reading("phrases"), config=config, statistics=statistics, layers=layers):
        about = [reading.entities.popleft() for _ in together.documents]
        collector.add(together, about if config.train.entities == "given" else [None] * len(about))
    return collector.counted()


def _as_before(options: Train, old: Model) -> Train:
    """Keep what cannot change when a model grows."""
    if old.output is None:
        raise ConfigError(f"{old.path}: cannot grow: {old.why_not}; train a new model on both corpora")
    before, path = old.card.get("training", {}), old.path
    try:
        kept = replace(options, **typed(Train, {name: before[name] for name in KEPT}, "training.", ""))
    except (KeyError, TypeError, ConfigError) as exc:
        raise DataError(f"{path}: its card lacks how it was trained; run: embanon model verify {path}") from exc
    if kept.problem() or kept.dimensions != old.dimensions or old.output.shape != (len(old.phrases), old.dimensions):
        raise DataError(f"{path}: its card and its arrays do not agree; run: embanon model verify {path}")
    return kept


def _merged(old: Collected, new: Collected) -> Collected:
    """Put statistics together; what both know stays as the model has it."""
    found = dict(old)
    for language, more in new.items():
        mine = old.get(language)
        if mine is None:
            found[language] = more
        else:
            found[language] = replace(
                mine, capital={**more.capital, **mine.capital}, joins=frozenset((*mine.joins, *more.joins))
            )
    return found


def build(
    counted: Counted, statistics: Collected, options: Train, progress: Progress = silent, old: Model | None = None
) -> tuple[Arrays, dict[str, Any]]:
    """Learn vectors, and give the arrays and the card of a model."""
    counted = assemble.by_count(counted, old)
    arrays = assemble.documents(counted, old)
    arrays |= assemble.phrases(counted, old)
    arrays |= over("entities", Keys.of(counted.entities).arrays())
    counts = arrays["phrases.counts"]
    trained = _learn(counted, counts, options, progress, old)
    progress("vectors", 0, 0)
    parts = assemble.Parts.of(counted)
    arrays |= assemble.words(counted, parts, arrays, old)
    vectors = trained.vectors[: len(counted.phrases)]
    means = assemble.means(parts, vectors, counts, len(counted.words))
    if trained.subwords is None:
        rarity = -np.log2((arrays["words.documents"] + 0.5) / (len(arrays["documents.digests"]) + 1))
        # Of a model that grows, only what was seen anew has moved.
        seen = np.bincount(counted.sequence, minlength=len(vectors)) > 0
        vectors = assemble.steadied(parts, vectors, means, rarity, np.where(seen, counts, 0))
    arrays |= over("words.vectors", Vectors.of(means, options.dtype).arrays())
    arrays |= over("phrases.vectors", Vectors.of(vectors, options.dtype).arrays())
    if options.entity_vectors and len(trained.vectors) > len(vectors):
        arrays |= over("entities.vectors", Vectors.of(trained.vectors[len(vectors) :], options.dtype).arrays())
    if options.grow and trained.output is not None:
        arrays["output"] = trained.output[: len(vectors)].astype(np.float16)
        arrays["entities.output"] = trained.output[len(vectors) :].astype(np.float16)
    if trained.subwords:
        arrays["subwords"] = trained.subwords.vectors.astype("float32" if options.dtype == "float32" else "float16")
    arrays |= variants_of(counted.phrases, _language(counted, old))
    for spoken, one in sorted(statistics.items()):
        arrays |= assemble.statistics_of(f"statistics.{spoken}", one.capital, one.joins)
    return arrays, _card(counted, arrays, options, old)


def _language(counted: Counted, old: Model | None) -> str:
    """Give the language that most documents are in; a model that grows keeps its own."""
    before = str(old.card.get("language", "")) if old else ""
    return before or counted.languages.most_common(1)[0][0]


def _learn(
    counted: Counted, counts: NDArray[np.uint32], options: Train, progress: Progress, old: Model | None
) -> Trained:
    about = counted.entity.astype(np.int64)
    entities = 0
    if options.entity_vectors:
        entities = len(counted.entities)
        about = np.where(about >= 0, about + len(counted.phrases), -1)
    else:
        about = np.full(len(about), -1)
    texts = Texts(counted.sequence, counted.bounds, about, options.window, _Epochs(options, counted, progress))
    shown = np.bincount(about[about >= 0], minlength=len(counts) + entities)[len(counts) :]
    every = np.concatenate([counts.astype(np.int64), np.maximum(shown, 1)])
    before = _before(old, counted, options) if old else None
    if old:
        options = replace(options, rate=options.rate * GROWING)
    return learn(Task(texts, every, counted.phrases, options, before))


def _before(old: Model, counted: Counted, options: Train) -> Before:
    """Let a phrase move by the share of its occurrences that are new, an entity by that of its documents."""
    assert old.output is not None
    known = np.arange(len(old.phrases))
    before = Before(
        known, np.nan_to_num(old.phrases.vectors.rows(known)), old.output.astype(np.float32),
        _freedom(counted.sequence, old.phrases.counts),
    )  # fmt: skip
    stored = under(folders.load(old.path)[1], "entities")
    if not options.entity_vectors or "vectors.data" not in stored or "output" not in stored:
        return before
    known = np.arange(len(old.entities))
    about = old.documents.entities
    return before.and_those_of(Before(
        known + len(counted.phrases), np.nan_to_num(Vectors.from_arrays(under(stored, "vectors")).rows(known)),
        stored["output"].astype(np.float32),
        _freedom(counted.entity[counted.entity >= 0], np.bincount(about[about >= 0], minlength=len(known))),
    ))  # fmt: skip


def _freedom(numbers: NDArray[np.int32], before: NDArray[Any]) -> NDArray[np.float32]:
    new = np.bincount(numbers, minlength=len(before))[: len(before)]
    share = new / np.maximum(new + before, 1)
    freedom: NDArray[np.float32] = np.maximum(share**FIRMNESS, FREEDOM).astype(np.float32)
    return freedom


class _Epochs:
    """Says how much of the training is done, as the texts are given out."""

    def __init__(self, options: Train, counted: Counted, progress: Progress) -> None:
        self._units, self._epochs, self._progress = max(len(counted.sequence), 1), options.epochs, progress
        self._before, self._last = 0, 0

    def __call__(self, done: int) -> None:
        if done < self._last:
            self._before += self._units
        self._last = done
        self._progress("training", self._before + done, self._units * self._epochs)


def _card(counted: Counted, arrays: Arrays, options: Train, old: Model | None) -> dict[str, Any]:
    checksum = sha256(arrays["documents.digests"].tobytes()).hexdigest()
    before = old.card if old else {}
    languages = set(counted.languages) | set(before.get("languages", ()))
    training = {item.name: getattr(options, item.name) for item in fields(options) if item.name != "license"}
    subwords = {"minimum": options.subword_min, "maximum": options.subword_max}
    return {
        "backend": options.backend,
        "dimensions": options.dimensions,
        "dtype": options.dtype,
        "phrases": len(counted.phrases),
        "words": len(counted.words),
        "documents": len(arrays["documents.digests"]),
        "entities": len(counted.entities),
        "units": int(arrays["phrases.counts"].sum(dtype=np.int64)),
        "language": _language(counted, old),
        "languages": sorted(languages),
        "grown": int(before.get("grown", 0)) + bool(old),
        "corpus": {"checksum": checksum, "license": options.license or before.get("corpus", {}).get("license", "")},
        "training": training,
        **({"subwords": subwords} if "subwords" in arrays else {}),
        "versions": {"python": platform.python_version()}
        | {name: version(name) for name in ("embanon", "gensim", "numpy", "scipy")},
    }
