"""Measure the method that embanon is named for, as one command: `python -m eval.thesis --data ../shared/data`.

Hassan's method: train word2vec or fastText on the domain (summaries of actors), take the cosine of each noun phrase to
the name, mask what is at or above t, or generalize it through WordNet and Wikidata until the cosine of the replacement
is below t. All steps here are those of `--scorer cosine`.

*Phrases* are trained as phrases, *words* as words alone, of which a phrase is the mean, weighted by rarity; the
thesis's settings are 300 dimensions, 10 epochs and 5 negative samples. *Other texts beside*: diplomatic papers and
judgments. *P R F1*: words of the 25 annotated summaries (wikiactors), beside the masks that were published and *every
phrase*; *over every phrase*: F1 less that of masking every phrase, with what 95 of 100 samples of documents give.
*Documents*: the quartiles of their F1. *Two people*: texts made of two summaries, words of the one who is not protected
count as errors.

*General.*: of what is masked, the share that a rung or a person's number stands for, as in eval.replacement; *bare* a
tag or a type; *marked* `***`, as no rung is known to be below t (*unknown*: those of which the model knows no rung).
*Above*: replacements at or above t, by the scorer and by the model itself. *Utility*: the information after over that
before, as in eval.utility. *Top-1*: TF-IDF on the 25 texts as they are published, among 543 candidates; *suppr.* the
same with `***` for all. *Two*: replacements in the texts about two people, and those of them at or above t.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from embanon.config.settings import RiskLimits, ScoreSettings
from embanon.document import Document
from embanon.entities.entity import Entity
from embanon.model.convert import convert
from embanon.model.foreign import read_foreign
from embanon.model.model import Model
from embanon.replace.checks import WORD
from embanon.replace.methods import Methods
from embanon.replace.plan import Replacer
from embanon.risk.score import Scorer, rarity_of
from embanon.risk.scorers import open_scorer
from embanon.taxonomy.build import build
from embanon.taxonomy.climb import climber
from embanon.taxonomy.sources import read_concepts
from embanon.text.find import find_all
from eval.boundaries import rows
from eval.frequencies import mask
from eval.information import Information
from eval.labeled import CONFIG, PLAIN, Collection, named, plain_words, sources
from eval.published import Attacked, Case, Published, is_general
from eval.risk import DRAWS, counts, f1
from eval.speed import machine
from eval.utility import utility

LIMITS: Final = tuple(np.arange(0.05, 1.0, 0.05).round(2).tolist())
SHOWN: Final = (0.25, 0.5)
"""The limits that the thesis reports."""
EVERY: Final = -1.0
WIKIDATA: Final = ("labels.en", "aliases.en", "derived.P31", "derived.P279")
BESIDE: Final = "w2v1-beside"
PHRASES: Final[tuple[tuple[str, str, dict[str, Any]], ...]] = (
    ("word2vec, phrases", "w2v5", {}),
    ("word2vec, phrases, 1 negative", "w2v1", {"negative": 1}),
    ("1 negative, other texts beside", BESIDE, {"negative": 1}),
    ("fastText, phrases, 1 negative", "fasttext1", {"negative": 1, "backend": "fasttext"}),
)
"""Labels of models of phrases, their folders and options."""
OTHERS: Final = ("frus/documents", "tab/background")
"""Texts of other domains, which show a model what is said of everybody."""
Flags = NDArray[np.bool_]


# Models


def word_model(texts: Sequence[str], kind: str, folder: Path) -> Model:
    """Train gensim on words alone, as the thesis does, and convert what it saves."""
    from gensim import models

    if (folder / kind).exists():
        return Model.open(folder / kind)
    settings = PLAIN if kind == "Word2Vec" else PLAIN | {"bucket": 200_000}
    trained = getattr(models, kind)([plain_words(text) for text in texts], seed=1, **settings)
    path = folder / f"{kind}.gensim"
    trained.save(str(path))
    convert(read_foreign(path, trust_pickle=True), folder / kind, language="en")
    return Model.open(folder / kind)


def phrase_models(data: Path, collection: Collection, folder: Path) -> Iterator[tuple[str, Model]]:
    """Train models of phrases, as the thesis has it, with one negative sample, and with other texts beside."""
    like_his: dict[str, Any] = {"epochs": PLAIN["epochs"], "dimensions": PLAIN["vector_size"]}
    for label, name, options in PHRASES:
        path = folder / name
        if not path.exists():
            texts = collection
            if name == BESIDE:
                texts = Collection.of((*collection.sources, *chain.from_iterable(sources(data, one) for one in OTHERS)))
            texts.train(path, **like_his, **options)
        yield label, Model.open(path)


# What is masked


@dataclass(frozen=True, slots=True, eq=False)
class Judged:
    """A text with its gold, and the cosines of its phrases."""

    case: Case
    gold: Flags
    row: Mapping[str, Any] = field(repr=False)

    def counts(self, limit: float) -> tuple[int, int, int]:
        """Count the words that are masked rightly, wrongly and missed at a limit."""
        phrases, masked = self.case.scored.phrases, np.zeros(len(self.case.text), bool)
        which = self.case.scored.at_least(limit)
        for start, end in zip(phrases.start[which].tolist(), phrases.end[which].tolist(), strict=True):
            masked[start:end] = True
        return counts(self.case.text, self.gold, masked)


def judge(given: Sequence[Mapping[str, Any]], names: Sequence[str], model: Model, finding: Model) -> list[Judged]:
    """Score texts by the cosines of one model; phrases are found by the statistics of another."""
    scorer = Scorer("en", model, ScoreSettings(scorer="cosine"))
    documents = [Document("", row["text"], "en") for row in given]
    found = []
    analyses = find_all(documents, config=CONFIG, statistics=finding.statistics)
    for row, name, analysis in zip(given, names, analyses, strict=True):
        scored = scorer.score(row["text"], analysis.phrases, analysis.sentences, [Entity(name)])
        found.append(Judged(Case(name, row["text"], analysis.sentences.tolist(), scored), mask(dict(row)), row))
    return found


def curve(texts: Sequence[Judged]) -> NDArray[np.int64]:
    """Return the counts of each text (second axis) at each limit (first axis), of every phrase first."""
    return np.array([[text.counts(limit) for text in texts] for limit in (EVERY, *LIMITS)])


def margin(every: NDArray[np.int64], best: NDArray[np.int64]) -> tuple[float, float, float]:
    """Return how much higher F1 is than that of every phrase, and what 95 of 100 samples of texts give."""
    chance = np.random.default_rng(1)
    drawn = (chance.integers(0, len(every), len(every)) for _ in range(DRAWS))
    gains = [f1(best[chosen])[2] - f1(every[chosen])[2] for chosen in drawn]
    low, high = np.quantile(gains, (0.025, 0.975))
    return f1(best)[2] - f1(every)[2], float(low), float(high)


def masking(data: Path, models: Mapping[str, Model], finding: Model) -> Iterator[str]:
    """Return the lines on masking: one table a limit, then the best, then texts about two."""
    given = list(rows(data / "wikiactors/gold.jsonl.gz"))
    names = [named("wikiactors", str(row["doc_id"])) for row in given]
    curves = {label: curve(judge(given, names, model, finding)) for label, model in models.items()}
    yield from ("Words that are masked: P R F1 at each limit", "")
    yield f"{'t':24}" + "".join(f"{label:>32}" for label in curves)
    for place, limit in enumerate(("every phrase", *LIMITS)):
        cells = ["{:.3f} {:.3f} {:.3f}".format(*f1(found[place])) for found in curves.values()]
        yield f"{limit!s:24}" + "".join(f"{cell:>32}" for cell in cells)
    yield from ("", "The best limit", "")
    yield f"{'':34}{'t':>4}{'F1':>6}{'over every phrase':>28}{'documents at .25':>24}"
    for label, found in curves.items():
        best = 1 + int(np.argmax([f1(each)[2] for each in found[1:]]))
        gain, low, high = margin(found[0], found[best])
        spread = np.quantile([f1(row[None])[2] for row in found[1 + LIMITS.index(SHOWN[0])]], (0, 0.25, 0.5, 0.75, 1))
        yield (
            f"{label:34}{LIMITS[best - 1]:4.2f}{f1(found[best])[2]:6.3f}{gain:+10.3f} [{low:+.3f}, {high:+.3f}]  "
            + " ".join(f"{value:.2f}" for value in spread)
        )
    yield from ("", "Masks that were published: P R F1", "")
    text_of = {str(row["doc_id"]): row for row in given}
    for row in rows(data / "wikiactors/peer_masks.jsonl.gz"):
        total = []
        for id, text in text_of.items():
            masked = np.zeros(len(text["text"]), bool)
            for start, end, *_ in row["spans"][id]:
                masked[start:end] = True
            total.append(counts(text["text"], mask(dict(text)), masked))
        yield "{:24}{:.3f} {:.3f} {:.3f}".format(row["system"], *f1(np.array(total)))
    yield from ("", "Two people: F1", "")
    yield f"{'':34}" + "".join(f"{limit!s:>14}" for limit in ("every phrase", *SHOWN, "best t"))
    mixed = list(rows(data / "wikiactors/mixed.jsonl.gz"))
    for label, model in models.items():
        found = curve(judge(mixed, [row["protect"] for row in mixed], model, finding))
        scores = [f1(each)[2] for each in found]
        chosen = [scores[0], *(scores[1 + LIMITS.index(limit)] for limit in SHOWN), max(scores)]
        best_limit = (EVERY, *LIMITS)[int(np.argmax(scores))]
        yield f"{label:34}" + "".join(f"{value:14.3f}" for value in chosen) + f" at {best_limit:g}"


# What stands there instead


def generalizing(data: Path, models: Mapping[str, Model], finding: Model, wikidata: Path) -> Iterator[str]:
    """Return the lines on generalizing, through WordNet, Wikidata and both."""
    given = list(rows(data / "wikiactors/gold.jsonl.gz"))
    names = [named("wikiactors", str(row["doc_id"])) for row in given]
    opened, information = Attacked.of(data), Information.of(finding)
    place = {name: number for number, name in enumerate(opened.names)}
    header = (
        "masked",
        "general.",
        "bare",
        "marked",
        "unknown",
        "above",
        "utility",
        "top-1",
        "suppr.",
        "of two",
        "above",
    )
    mixed = list(rows(data / "wikiactors/mixed.jsonl.gz"))
    yield from ("", "What stands there instead", "")
    yield f"{'':34}{'t':>5} {'through':18}" + "".join(f"{title:>9}" for title in header)
    chains = {"WordNet": ("wordnet",), "Wikidata": (str(wikidata),), "both": ("wordnet", str(wikidata))}
    for label, model in models.items():
        cases = [text.case for text in judge(given, names, model, finding)]
        of_two = [text.case for text in judge(mixed, [row["protect"] for row in mixed], model, finding)]
        there = [number for number, case in enumerate(cases) if case.name in place]
        true = np.array([place[cases[number].name] for number in there])
        for limit in SHOWN:
            for through, stores in chains.items():
                scorer = open_scorer(ScoreSettings(scorer="cosine"), model)

                def publish(cases: Sequence[Case], method: str = "generalize") -> list[Published]:
                    """Publish texts by a method."""
                    settings = (climber(stores, "en"), rarity_of(finding, "en"), RiskLimits(limit), Methods(method))  # noqa: B023
                    replacer = Replacer(*settings, scorer)  # noqa: B023
                    return [case.published(replacer) for case in cases]

                found, gone, others = publish(cases), publish(cases, "suppress"), publish(of_two)
                tops = [opened.top([each[number] for number in there], true)["TF-IDF"] for each in (found, gone)]
                kept = (utility(found, information), *tops)
                cells = [*_shares(found, model, limit), *(f"{value:.3f}" for value in kept)]
                cells += [f"{sum(len(one.edits) for one in others)}", f"{_count_above(others, model, limit)}"]
                yield f"{label:34}{limit:5} {through:18}" + "".join(f"{cell:>9}" for cell in cells)


def _shares(found: Sequence[Published], model: Model, limit: float) -> Iterator[str]:
    """Return how many replacements there are, the shares of their kinds, and how many are at or above a limit."""
    edits = [edit for one in found for edit in one.edits]
    marked = [edit for edit in edits if edit.rung == "suppress"]
    general = sum(is_general(edit) for edit in edits)
    ladders = ([rung.label for rung in edit.ladder.rungs] for edit in marked)
    unknown = sum(bool(labels) and bool(np.isnan(model.find(labels).vectors[:, 0]).all()) for labels in ladders)
    yield f"{len(edits)}"
    for count in (general, len(edits) - len(marked) - general, len(marked)):
        yield f"{count / len(edits):.3f}"
    yield f"{unknown}"
    yield f"{_count_above(found, model, limit)}"


def _count_above(found: Sequence[Published], model: Model, limit: float) -> int:
    """Count the replacements that are at or above a limit, by the scorer or by the model itself."""
    above = 0
    for one in found:
        name = Entity(one.case.name).names[0]
        for edit in one.edits:
            cosine = model.similarity(name, [edit.replacement])[0][0] if WORD.search(edit.replacement) else 0.0
            above += bool(edit.replacement_risk >= limit or cosine >= limit)
    return above


DIFFERENCES: Final = """
Differs from what was published: phrases are cut finer than the thesis's chunks, which swallow units, so that masking
every phrase is better than its best masks, and no limit is better still by more than chance; measures count words, not
chunks; 25 of the 50 annotated texts are here; the collection of {documents:,} summaries has those that are annotated
among it. A replacement at or above t is never written: in a model of so few texts of one kind most general words are
above .25, and therefore so much is marked. Other texts beside bring them down, and phrases, too."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the tables."""
    parser = argparse.ArgumentParser(prog="python -m eval.thesis", description=__doc__)
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--keep", type=Path, help="Folder of models, which are trained if they are not there.")
    options = parser.parse_args(arguments)
    data = options.data
    print(f"{machine(('numpy', 'gensim'))}\n", flush=True)
    collection = Collection.of(sources(data, "actors/corpus"))
    with tempfile.TemporaryDirectory() as name:
        folder = options.keep or Path(name)
        models = dict(phrase_models(data, collection, folder))
        finding = models["word2vec, phrases"]
        models["word2vec, words"] = word_model(collection.texts, "Word2Vec", folder)
        models["fastText, words"] = word_model(collection.texts, "FastText", folder)
        paths = [str(data / "wikidata" / f"{part}.tsv.gz") for part in WIKIDATA]
        build(read_concepts(paths, "wikidata", ["en"]), folder / "wikidata.taxonomy", {})
        for line in masking(data, models, finding):
            print(line, flush=True)
        for line in generalizing(data, models, finding, folder / "wikidata.taxonomy"):
            print(line, flush=True)
    print(DIFFERENCES.format(documents=len(collection.sources)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
