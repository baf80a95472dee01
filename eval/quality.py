"""Measure what systems mask beside what people mark: `python -m eval.quality --data ../shared/data`.

P, R, F1 and F2 of words with 95 % intervals (bootstrap over documents); ER: entities that are masked, direct and quasi
identifiers, as the Text Anonymization Benchmark counts them, where gold says which they are (of `wikiactors` it calls
all quasi); *spec*: of the words that are to stay, how many do. `mixed` are texts about two, of whom one is protected:
words of the other are to stay.

Systems: embanon at its presets, as it scores by default; on `mixed` also with attribution from .5. Floors: nothing;
every noun phrase (as embanon cuts them, and as NLTK's book does); every word with a capital; and in each document as
many words as embanon masks, at random or the rarest (by inverse document frequency in the set's collection). Peers that
are installed run here (*live*, see eval/peers.py), what others published is taken as it is: *people* are annotators,
NER3, NER4 and NER7 models of Stanford, Word2Vec the thesis at its limits. Peers do not know whom to protect.

Speed: words a second of processor time (so that neither other processes nor further cores count), from text to spans,
in turns over the same texts of all sets, which all have read before.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Final

import numpy as np

from embanon.attack.intervals import IntervalEstimate
from embanon.config.settings import ScoreSettings
from embanon.document import Document
from embanon.entities.entity import Entity
from embanon.language.normalize import key, words_of
from embanon.measure.annotations import DocumentPair, GoldDocument, MaskedDocument, Mention
from embanon.measure.formats import read_gold
from embanon.measure.metrics.intervals import f_bounds, share_bounds
from embanon.measure.metrics.spans import Flags, Ints, overlaps, word_spans
from embanon.measure.metrics.tab import tab_scores
from embanon.measure.metrics.words import specificity, word_scores
from embanon.model.model import Model
from embanon.risk.power import CorpusRarity
from embanon.risk.score import ScoredPhrases, Scorer
from embanon.text.analyzer import load_analyzer
from embanon.text.find import find_all
from eval.boundaries import Span, chunks, rows
from eval.labeled import CONFIG, Collection, named, sources
from eval.peers import Find, installed
from eval.risk import COLLECTIONS, PRESETS
from eval.speed import machine

SETS: Final = {"wikiactors": "wikiactors", "mixed": "wikiactors", "wikibios": "wikibios", "tab": "tab"}
"""The folder of each set."""
NAMES: Final = {"manual": "people", "manual_old": "people, before", "presidio": "Presidio", "spacy": "spaCy"}
"""How published systems are called here, where otherwise."""
LIBRARIES: Final = ("numpy", "spacy", "presidio-analyzer", "scrubadub")
OWNED: Final = 0.5
"""The other limit of attribution, for texts about two."""
SEED: Final = 1
ROUNDS: Final = 3
WIDE: Final = 36

Spans = Sequence[Span]
Masks = list[Spans]
"""What a system masks, text by text."""


@dataclass(frozen=True, slots=True, eq=False)
class Texts:
    """A set: its texts with gold, whom to protect in each ("" for everyone), and the model of its collection."""

    name: str
    golds: tuple[GoldDocument, ...] = field(repr=False)
    protect: tuple[str, ...] = field(repr=False)
    model: Model

    @property
    def texts(self) -> list[str]:
        """Return the texts."""
        return [gold.text for gold in self.golds]

    def pairs(self, masks: Sequence[Spans]) -> list[DocumentPair]:
        """Put gold and what is masked together."""
        return [
            DocumentPair(gold, MaskedDocument(gold.id, tuple(Mention(start, end) for start, end in spans)))
            for gold, spans in zip(self.golds, masks, strict=True)
        ]


def opened(data: Path, name: str, model: Model) -> Texts:
    """Read a set."""
    path = data / SETS[name] / ("mixed.jsonl.gz" if name == "mixed" else "gold.jsonl.gz")
    golds = tuple(replace(gold, language="en") for gold in read_gold(str(path)))
    who = [row["protect"] for row in rows(path)] if name == "mixed" else [named(name, gold.id) for gold in golds]
    return Texts(name, golds, tuple(who), model)


def scored(texts: Texts, attribution: float = ScoreSettings().attribution_limit) -> Iterator[ScoredPhrases]:
    """Score a set, from the texts."""
    scorer = Scorer("en", texts.model, ScoreSettings(attribution_limit=attribution, others="keep"))
    documents = [Document("", text, "en") for text in texts.texts]
    analyses = find_all(documents, config=CONFIG, statistics=texts.model.statistics)
    for text, who, one in zip(texts.texts, texts.protect, analyses, strict=True):
        protect = [Entity(who)] if who else []
        yield scorer.score(text, one.phrases, one.sentences, protect, everyone=not who)


def chosen(one: ScoredPhrases, which: Flags) -> Spans:
    """Return where some phrases stand."""
    phrases = one.phrases
    return list(zip(phrases.start[which].tolist(), phrases.end[which].tolist(), strict=True))


def ours(texts: Texts) -> Iterator[tuple[str, Masks]]:
    """Return what embanon masks, and every phrase."""
    known = list(scored(texts))
    for preset, limit in PRESETS.items():
        yield f"embanon, {preset}", [chosen(one, one.at_least(limit)) for one in known]
    if texts.name == "mixed":
        again = scored(texts, OWNED)
        strict = PRESETS["strict"]
        yield (
            f"embanon, strict, from {OWNED}",
            [chosen(one, one.at_least(strict) & (one.named | (one.attribution >= OWNED))) for one in again],
        )
    yield "floor: nothing", [()] * len(known)
    yield "floor: every noun phrase", [chosen(one, np.ones(len(one.phrases), np.bool_)) for one in known]
    reader = load_analyzer("en")
    yield "floor: every noun chunk", [chunks(reader, text, texts.model.statistics["en"]) for text in texts.texts]
    yield "floor: every capital", [capitals(text) for text in texts.texts]


def capitals(text: str) -> Spans:
    """Return the words that begin with a capital."""
    return [(start, end) for start, end in word_spans(text).tolist() if text[start].isupper()]


def as_many(texts: Texts, label: str, masks: Masks) -> Iterator[tuple[str, Masks]]:
    """Return floors that mask as many words of each document as some masks do."""
    chance, rarity = np.random.default_rng(SEED), CorpusRarity(texts.model)
    random, rarest = list[Spans](), list[Spans]()
    for text, spans in zip(texts.texts, masks, strict=True):
        every = word_spans(text)
        count = int(touched(every, spans).sum())
        random.append(every[np.sort(chance.permutation(len(every))[:count])].tolist())
        folded = [next(iter(words_of(key(text[start:end]))), "") for start, end in every.tolist()]
        order = np.argsort(-rarity.words(folded), kind="stable")
        rarest.append(every[np.sort(order[:count])].tolist())
    yield f"floor: random words, as {label}", random
    yield f"floor: rarest words, as {label}", rarest


def touched(every: Ints, spans: Spans) -> Flags:
    """Say which words have a character in one of some spans."""
    return overlaps(every, np.array(spans, np.int64).reshape(-1, 2))


def published(data: Path, texts: Texts) -> Iterator[tuple[str, Masks]]:
    """Return what others published of a set."""
    path = data / texts.name / "peer_masks.jsonl.gz"
    for row in sorted(rows(path), key=lambda row: str(row["system"]).lower()) if path.is_file() else ():
        name = str(row["system"])
        masks: Masks = [[(start, end) for start, end, *_ in row["spans"][gold.id]] for gold in texts.golds]
        yield f"{NAMES.get(name.lower(), name)}, published", masks


def systems(data: Path, texts: Texts, peers: Mapping[str, Find]) -> Iterator[tuple[str, Masks]]:
    """Return all systems with what they mask."""
    found = dict(ours(texts))
    yield from found.items()
    for preset in PRESETS:
        yield from as_many(texts, preset, found[f"embanon, {preset}"])
    for label, find in peers.items():
        yield label, list[Spans](find(texts.texts))
    yield from published(data, texts)


def cell(value: float | None, bounds: IntervalEstimate | None = None) -> str:
    """Write a share, with its interval."""
    if value is None:
        return "-"
    return f"{value:.3f}" + (f" ({bounds.low:.3f}-{bounds.high:.3f})" if bounds else "")


def line(pairs: Sequence[DocumentPair]) -> str:
    """Write the measures of a system."""
    found, entities = word_scores(pairs), tab_scores(pairs)
    cells = [cell(share.value, share_bounds(share)) for share in (found.precision, found.recall)]
    cells += [cell(found.f(beta), f_bounds(found, beta)) for beta in (1.0, 2.0)]
    short = [cell(share.value) for share in (entities.direct, entities.quasi, specificity(pairs))]
    return "".join(f"{one:21}" for one in cells) + "".join(f"{one:>7}" for one in short)


def report(data: Path, every: Sequence[Texts], peers: Mapping[str, Find]) -> Iterator[str]:
    """Return the lines of the table, set by set."""
    for texts in every:
        count = sum(len(word_spans(text)) for text in texts.texts)
        head = "".join(f"{name:21}" for name in ("P", "R", "F1", "F2"))
        yield f"{texts.name}: {len(texts.golds)} documents, {count:,} words\n"
        yield f"{'':{WIDE}}{head}{'ER di':>7}{'ER qi':>7}{'spec':>7}"
        for label, masks in systems(data, texts, peers):
            yield f"{label:{WIDE}}{line(texts.pairs(masks))}"
        yield ""


def speed(every: Sequence[Texts], peers: Mapping[str, Find]) -> Iterator[str]:
    """Return the lines on speed."""
    tasks: dict[str, Callable[[], object]] = {"embanon": lambda: [list(scored(texts)) for texts in every]}
    for label, find in peers.items():
        tasks[label] = partial(lambda find: [find(texts.texts) for texts in every], find)
    taken: dict[str, list[float]] = {label: [] for label in tasks}
    for number in range(ROUNDS + 1):  # the first round warms up
        for label, task in tasks.items():
            begin = time.process_time()
            task()
            if number:
                taken[label].append(time.process_time() - begin)
    count = sum(len(word_spans(text)) for texts in every for text in texts.texts)
    seconds = {label: statistics.median(some) for label, some in taken.items()}
    yield f"{'':{WIDE}}{'words/s':>12}{'embanon is faster by':>24}"
    for label, some in seconds.items():
        yield f"{label:{WIDE}}{count / some:12,.0f}{some / seconds['embanon']:24.1f}"


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the tables."""
    parser = argparse.ArgumentParser(prog="python -m eval.quality", description=__doc__)
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    options = parser.parse_args(arguments)
    print(machine(LIBRARIES) + "\n", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        every = []
        for names, files in COLLECTIONS.items():
            collection = Collection.of(chain.from_iterable(sources(options.data, file) for file in files))
            model = collection.train(Path(folder) / names[0], epochs=1, dimensions=16)
            every += [opened(options.data, name, model) for name, home in SETS.items() if home in names]
        peers = {peer.label: peer.open() for peer in installed()}
        for one in report(options.data, every, peers):
            print(one, flush=True)
        print("Speed\n")
        for one in speed(every, peers):
            print(one, flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
