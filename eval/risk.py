"""Measure risk: which words are masked, whose they are, and how fast: `python -m eval.risk --data ../shared/data`.

*Detection*: word precision, recall and F1 with 95 % intervals (bootstrap over documents), at the presets standard
(.645) and strict (.28), and the AUC of phrases, of which one is gold if at least half of it is to be masked. Floors:
every noun phrase; names, titles, dates, numbers and quantities. Models are counted from the set's collection, the
scored documents among it. `tab` names nobody: everyone is protected. ER: entities whose mentions are all masked, direct
and quasi identifiers, on wikibios.
*Owner*: texts made of two biographies of which one is to be protected, strict preset, attribution from .5 and from .2;
words of the other count as errors. Nothing but the text is needed; *articles*: with the rest of an article about each.
The floor masks whatever is powerful; *perfect owner* gives each phrase its owner.
*Sentences*: of raw texts joined two by two and three by three, whether about the protected one or another; and the
right owner of sentences that name another, in texts joined with that one's (linked) and alone (single).
*Speed*: from text to risks, on one core, with the share of finding phrases.
"""

from __future__ import annotations

import argparse
import random
import re
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, islice
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from embanon.config import settings
from embanon.document import FORMS, Document, Phrases
from embanon.entities.entity import Entity
from embanon.entities.present import find_present_entities
from embanon.language.normalize import TRAILING_BRACKET
from embanon.model.model import Model
from embanon.risk.attribution import attribute, load_parameters
from embanon.risk.score import ScoredPhrases, Scorer
from embanon.text.find import StatisticsByLanguage, find_all, gather_statistics
from embeddings.build.attribution import (
    LONGEST,
    SHORTEST,
    build_cases,
    documents,
    make_texts,
    share_right,
    split_sentences,
)
from eval.boundaries import rows
from eval.frequencies import area, mask
from eval.labeled import CONFIG, Collection, named, sources
from eval.speed import machine

COLLECTIONS: Final = {
    ("wikiactors", "wikibios"): ("actors/corpus", "wikibios/gold"),
    ("tab",): ("tab/background", "tab/gold"),
}
PRESETS: Final = {name: settings.PRESETS[name][0] for name in ("standard", "strict")}
WORD: Final = re.compile(r"\w+")
DRAWS: Final = 1000
SEED: Final = 77
"""Another than parameters are learnt with."""
TEXTS: Final = 100
NAMED: Final = [FORMS.index(form) for form in ("name", "title", "date", "number", "quantity", "code")]

Flags = NDArray[np.bool_]


@dataclass(frozen=True, slots=True, eq=False)
class Item:
    """A text, what of it is to be masked, its phrases, and what was scored."""

    text: str = field(repr=False)
    gold: Flags
    phrases: Phrases
    scored: ScoredPhrases
    row: Mapping[str, Any] = field(repr=False)


def counts(text: str, gold: Flags, masked: Flags) -> tuple[int, int, int]:
    """Count words that are masked rightly, wrongly, and missed."""
    spans = [found.span() for found in WORD.finditer(text)]
    wanted = np.array([gold[start:end].any() for start, end in spans], bool)
    got = np.array([masked[start:end].any() for start, end in spans], bool)
    return int((wanted & got).sum()), int((~wanted & got).sum()), int((wanted & ~got).sum())


def f1(some: NDArray[np.int64]) -> tuple[float, float, float]:
    """Return precision, recall and F1 of counts that are added up."""
    right, wrong, missed = some.sum(axis=0).tolist()
    return (
        right / max(right + wrong, 1), right / max(right + missed, 1), 2 * right / max(2 * right + wrong + missed, 1),
    )  # fmt: skip


def measured(items: Sequence[Item], which: Callable[[Item], Flags]) -> str:
    """Return a cell: precision, recall, F1 and its interval."""
    every = np.array([counts(item.text, item.gold, masked(item, which(item))) for item in items])
    chance = np.random.default_rng(1)
    draws = [f1(every[chance.integers(0, len(every), len(every))])[2] for _ in range(DRAWS)]
    low, high = np.quantile(draws, (0.025, 0.975))
    precision, recall, score = f1(every)
    return f"{precision:.3f} {recall:.3f} {score:.3f} [{low:.3f}, {high:.3f}]"


def masked(item: Item, which: Flags) -> Flags:
    """Return the characters of the phrases that are masked."""
    found, phrases = np.zeros(len(item.text), bool), item.scored.phrases
    for start, end in zip(phrases.start[which].tolist(), phrases.end[which].tolist(), strict=True):
        found[start:end] = True
    return found


def scored(data: Path, name: str, model: Model) -> list[Item]:
    """Score a set."""
    given, scorer = list(rows(data / name / "gold.jsonl.gz")), Scorer("en", model)
    documents = [Document("", row["text"], "en") for row in given]
    found = []
    for row, analysis in zip(given, find_all(documents, config=CONFIG, statistics=model.statistics), strict=True):
        who = named(name, str(row.get("doc_id", "")))
        protect = [Entity(who)] if who else []
        result = scorer.score(row["text"], analysis.phrases, analysis.sentences, protect, everyone=not who)
        found.append(Item(row["text"], mask(row), analysis.phrases, result, row))
    return found


def gold_phrases(item: Item) -> Flags:
    """Say which phrases are gold."""
    phrases = item.scored.phrases
    bounds = zip(phrases.start.tolist(), phrases.end.tolist(), strict=True)
    return np.array([item.gold[start:end].mean() >= 0.5 for start, end in bounds], bool)


def entity_recall(items: Sequence[Item], limit: float, kind: str) -> float:
    """Return the share of entities of a kind of which all mentions are masked."""
    hits = total = 0
    for item in items:
        hidden = masked(item, item.scored.at_least(limit))
        for annotation in item.row["annotations"].values():
            entities: dict[str, bool] = {}
            for one in annotation["entity_mentions"]:
                if one["identifier_type"] == kind:
                    start, end = one["start_offset"], one["end_offset"]
                    letters = [place for place in range(start, end) if item.text[place].isalnum()]
                    entities[one["entity_id"]] = entities.get(one["entity_id"], True) and bool(hidden[letters].all())
            hits, total = hits + sum(entities.values()), total + len(entities)
    return hits / max(total, 1)


def detection(data: Path, folder: Path) -> Iterator[str]:
    """Return the lines on detection."""
    yield f"{'':12}{'':18}{'P':>6}{'R':>6}{'F1':>6}{'95 %':>9}"
    for names, files in COLLECTIONS.items():
        collection = Collection.of(chain.from_iterable(sources(data, file) for file in files))
        model = collection.train(folder / names[0], epochs=1, dimensions=16)
        for name in names:
            items = scored(data, name, model)
            yield f"{name:12}{'every phrase':18}{measured(items, at_least(0.0))}"
            yield f"{'':12}{'names, numbers':18}{measured(items, of_form)}"
            for preset, limit in PRESETS.items():
                yield f"{'':12}{preset:18}{measured(items, at_least(limit))}"
            yield f"{'':12}{'perfect choice':18}{measured(items, gold_phrases)}"
            risks = np.concatenate([np.nan_to_num(item.scored.risk, nan=2.0) for item in items])
            gold = np.concatenate([gold_phrases(item) for item in items])
            unknown = sum(item.scored.unknown_count for item in items)
            yield f"{'':12}AUC {area(risks, gold):.3f}, {unknown} of {len(risks)} phrases unknown"
            if name == "wikibios":
                for preset, limit in PRESETS.items():
                    direct, quasi = (entity_recall(items, limit, kind) for kind in ("DIRECT", "QUASI"))
                    yield f"{'':12}{preset}: ER direct {direct:.3f}, quasi {quasi:.3f}"


def of_form(item: Item) -> Flags:
    """Choose names, titles, dates, numbers, quantities and codes."""
    return np.isin(item.scored.phrases.form, NAMED)


def at_least(limit: float) -> Callable[[Item], Flags]:
    """Choose what is at or above a limit."""
    return lambda item: item.scored.at_least(limit)


def owners(data: Path, folder: Path) -> Iterator[str]:
    """Return the lines on texts about two."""
    given = list(rows(data / "wikiactors/mixed.jsonl.gz"))
    articles = {row["id"]: row["text"] for row in rows(data / "wikiactors/background.jsonl.gz")}
    model = Model.open(folder / "wikiactors")
    documents = [Document("", row["text"], "en") for row in given]
    analyses = list(find_all(documents, config=CONFIG, statistics=model.statistics))
    yield f"{'':26}{'P':>6}{'R':>6}{'F1':>6}{'95 %':>9}"
    for label, told in (("text alone", False), ("articles", True)):
        for limit in (0.5, 0.2):
            scorer = Scorer("en", model, settings.ScoreSettings(attribution_limit=limit, others="keep"))
            items = []
            for row, analysis in zip(given, analyses, strict=True):
                text = row["text"]
                protect, other = (
                    Entity(row[who], samples=(articles[row[who]],) if told else ()) for who in ("protect", "other")
                )
                result = scorer.score(text, analysis.phrases, analysis.sentences, [protect], [other] if told else [])
                items.append(Item(text, mask(row), analysis.phrases, result, row))
            for kind in ("all", "concatenated", "interleaved"):
                some = [item for item in items if kind in ("all", item.row["kind"])]
                cell = measured(some, lambda item: owned(item, limit))  # noqa: B023
                yield f"{f'{label}, from {limit}' if kind == 'all' else f'   {kind}':26}{cell}"
            if not told and limit == 0.5:
                yield f"{'floor: whoever it is of':26}{measured(items, lambda item: powerful(item))}"
                yield f"{'perfect owner':26}{measured(items, lambda item: powerful(item) & gold_phrases(item))}"


def sentences(data: Path) -> Iterator[str]:
    """Return the lines on sentences of joined raw texts, of people that no parameter was learnt from or set by."""
    out = frozenset(
        TRAILING_BRACKET.sub("", row["id"]).strip().casefold() for row in rows(data / "wikiactors/background.jsonl.gz")
    )
    found = documents(data / "actors/corpus.jsonl.gz", out)
    statistics = gather_statistics((Document("", text, "en") for _, text in found), config=CONFIG)
    chance = random.Random(SEED)
    usable = [(name, split_sentences(text)) for name, text in found]
    usable = [(name, some) for name, some in usable if SHORTEST <= len(some) <= LONGEST]
    chance.shuffle(usable)
    for size in (2, 3):
        for kind in ("concatenated", "interleaved"):
            some = [_joined(usable[n * size : n * size + size], kind) for n in range(TEXTS)]
            yield f"{f'{size} people, {kind}':26}{_right(some, statistics):.3f}"
    made = [one for one in make_texts(found, 6 * TEXTS, SEED) if one.kind in ("linked", "single")]
    for kind in ("linked", "single"):
        known = list(build_cases([one for one in made if one.kind == kind], statistics))
        whole, naming = (
            share_right(known, load_parameters("en")),
            share_right(known, load_parameters("en"), passing=True),
        )
        yield f"{f'{kind} texts':26}{whole:.3f}; sentences about one that name another {naming:.3f}"


def _joined(some: Sequence[tuple[str, list[str]]], kind: str) -> tuple[str, str, list[tuple[int, int]]]:
    """Join texts, and give whom to protect, and where sentences begin and whose each is."""
    pieces = [(owner, one) for owner, (_, sentences) in enumerate(some) for one in sentences]
    if kind == "interleaved":
        most = max(len(sentences) for _, sentences in some)
        pieces = [
            (owner, sentences[place])
            for place in range(most)
            for owner, (_, sentences) in enumerate(some)
            if place < len(sentences)
        ]
    at, begins = 0, []
    for owner, one in pieces:
        begins.append((at, owner))
        at += len(one) + 1
    return some[0][0], " ".join(one for _, one in pieces), begins


def _right(made: Sequence[tuple[str, str, list[tuple[int, int]]]], statistics: StatisticsByLanguage) -> float:
    """Return the share of sentences that are rightly found to be about whom is protected, or about another."""
    hits = total = 0
    analyses = find_all([Document("", text, "en") for _, text, _ in made], config=CONFIG, statistics=statistics)
    for (name, text, begins), analysis in zip(made, analyses, strict=True):
        people = find_present_entities(text, analysis.phrases, [Entity(name)], "en")
        told = attribute(text, analysis.phrases, people, analysis.sentences, "en")
        starts = np.array([start for start, _ in begins])
        owners = np.array([owner for _, owner in begins])
        home = np.searchsorted(starts, analysis.phrases.start, side="right") - 1
        said = told.shares_of(0) >= 0.5
        for sentence in np.unique(home).tolist():
            ours = said[home == sentence].mean() >= 0.5
            hits += bool(ours) == (owners[sentence] == 0)
            total += 1
    return hits / max(total, 1)


def powerful(item: Item) -> Flags:
    """Say which phrases are powerful enough, whoever they speak of."""
    return np.asarray(np.nan_to_num(item.scored.powers.power, nan=1.0) >= PRESETS["strict"])


def owned(item: Item, limit: float) -> Flags:
    """Say which phrases are masked: powerful, and of the protected one."""
    return np.asarray(item.scored.named | (powerful(item) & (item.scored.attribution >= limit)))


def speed(data: Path, folder: Path) -> Iterator[str]:
    """Return the lines on speed, for short texts and for long ones."""
    for label, name, model_name in (("short", "actors/corpus", "wikiactors"), ("long", "tab/background", "tab")):
        model = Model.open(folder / model_name)
        chosen = list(islice(sources(data, name), 3000))
        words = sum(len(source.document.text.split()) for source in chosen)
        took = []
        for _ in range(2):  # the second time what is kept of words is there, as in any longer run
            begin = time.perf_counter()
            documents = [source.document for source in chosen]
            analyses = list(find_all(documents, config=CONFIG, statistics=model.statistics))
            found = time.perf_counter()
            scorer = Scorer("en", model)
            for source, analysis in zip(chosen, analyses, strict=True):
                protect = [Entity(source.entity)] if source.entity else []
                scorer.score(source.document.text, analysis.phrases, analysis.sentences, protect, everyone=not protect)
            took.append((found - begin, time.perf_counter() - found))
        first, then = took[-1]
        yield (
            f"{label}, {words / len(chosen):,.0f} words a text: {words / (first + then):,.0f} words/s from "
            f"text to risks (bar 250,000); phrases {words / first:,.0f}, scores {words / then:,.0f}"
        )


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the tables."""
    parser = argparse.ArgumentParser(prog="python -m eval.risk", description=__doc__)
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    options = parser.parse_args(arguments)
    print(f"{machine(('numpy',))}\n\nDetection\n")
    with tempfile.TemporaryDirectory() as folder:
        for line in detection(options.data, Path(folder)):
            print(line, flush=True)
        print("\nOwner: texts of two, strict\n")
        for line in owners(options.data, Path(folder)):
            print(line, flush=True)
        print("\nSentences of joined raw texts, about the protected one or not\n")
        for line in sentences(options.data):
            print(line, flush=True)
        print("\nSpeed\n")
        for line in speed(options.data, Path(folder)):
            print(line, flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
