"""Measure replacements: how much of what is masked is generalized, and whether it gives the risk back.

    python -m eval.replacement --data ../shared/data

*Generalized*: of the masked phrases of the biographies (wikibios), the share that a rung stands for which says more
than the type; `PERSON n` counts, tags and bare types do not.
*Attack*: the actors with a summary and the rest of an article, all as candidates (as in eval.linkage): how often
TF-IDF, BM25 and 4-grams find the right one from the text as it would be published: with generalizations, with tags,
with marks. The masks are the same. The attacker knows placeholders (`PERSON 1`, `[ORG 2]`, `***`) and leaves them out.
Kept are the words of the original that are left. The bar: generalized not above suppressed, + .02.
*Faults*: replacements with a wrong a/an, a doubled word or two articles, by rule.
"""

from __future__ import annotations

import argparse
import re
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from itertools import chain
from pathlib import Path
from typing import Final

import numpy as np

from embanon.document import Document
from embanon.entities import Entity
from embanon.generalize import Edit, Masker
from embanon.linkage import Attacker, Background, Grams, bag, ranks
from embanon.methods import Methods
from embanon.model.model import Model
from embanon.pipeline import find_all
from embanon.power import OfModel
from embanon.rewrite import rewrite
from embanon.score import Limits, Scorer
from embanon.taxonomy.shipped import SHIPPED, climber
from eval.boundaries import rows
from eval.labeled import CONFIG, Collection, named, sources
from eval.speed import machine

PRESETS: Final = {"standard": (0.645, 0.0), "strict": (0.28, 0.0), "maximal": (0.28, 0.5)}
METHODS: Final = ("suppress", "tag", "generalize")
PLACEHOLDER: Final = re.compile(r"\[[A-Z]+ \d+\]|PERSON \d+|\*\*\*|\[\d+\]")
FAULTS: Final = {
    "a/an": re.compile(r"\b(?:a [aeio]\w|an [bcdfgjklmnpqrstvwxyz]\w)", re.IGNORECASE),
    "doubled": re.compile(r"\b(\w+) \1\b", re.IGNORECASE),
    "article twice": re.compile(r"\b(?:a|an|the|his|her|its|their) (?:a|an|the)\b", re.IGNORECASE),
}


def anonymized(
    documents: Sequence[tuple[str, str]], model: Model, preset: str, method: str
) -> Iterator[tuple[str, str, list[Edit]]]:
    """Anonymize texts for the names that they are about; give them, and their edits."""
    limit, rare = PRESETS[preset]
    scorer = Scorer("en", model, Limits(word_idf=rare))
    masker = Masker(climber(SHIPPED, "en"), OfModel(model), limit, Methods(method))
    texts = [Document("", text, "en") for _, text in documents]
    for (name, text), analysis in zip(
        documents, find_all(texts, config=CONFIG, statistics=model.statistics), strict=True
    ):
        scored = scorer.score(text, analysis.phrases, analysis.sentences, [Entity(name)])
        edits = masker.edits(text, scored, analysis.sentences.tolist(), [Entity(name)])
        yield text, rewrite("", text, edits)[0], edits


def kept(text: str, edits: Sequence[Edit]) -> tuple[int, int]:
    """Count the words that are left, and all."""
    gone = sum(len(re.findall(r"\w+", text[edit.start : edit.end])) for edit in edits)
    total = len(re.findall(r"\w+", text))
    return total - gone, total


def is_general(edit: Edit) -> bool:
    """Say that a rung that says more than the type stands there."""
    return edit.rung not in ("tag", "suppress", "type", "mask")


def attacks(data: Path, model: Model) -> Iterator[str]:
    """Give the lines of the attack."""
    background = {
        row.get("title") or row["id"]: row["text"] for row in rows(data / "wikiactors/background_500.jsonl.gz")
    }
    documents = [
        (source.entity, source.document.text)
        for source in sources(data, "actors/corpus")
        if source.entity and source.entity in background
    ]
    names = [name for name, _ in documents]
    known = Background.of(names, [background[name] for name in names])
    attackers: dict[str, Attacker] = {
        "TF-IDF": known.tfidf,
        "BM25": known.bm25,
        "4-grams": Grams.of([background[name] for name in names]),
    }
    yield f"{len(documents)} documents and candidates\n"
    yield f"{'':24}{'kept':>7}{'general':>9}" + "".join(f"{name:>9}" for name in attackers) + f"{'faults':>9}"
    true = np.arange(len(documents))
    for preset in PRESETS:
        for method in METHODS:
            begin = time.perf_counter()
            found = list(anonymized(documents, model, preset, method))
            took = time.perf_counter() - begin
            bags = [bag(PLACEHOLDER.sub(" ", text)) for _, text, _ in found]
            top = [
                (ranks(np.stack([attacker.scores(one) for one in bags]), true) < 2).mean()
                for attacker in attackers.values()
            ]
            left, total = np.sum([kept(text, edits) for text, _, edits in found], axis=0).tolist()
            edits = [edit for *_, some in found for edit in some]
            general = sum(map(is_general, edits)) / max(len(edits), 1)
            wrong = sum(faults(text, after) for text, after, _ in found) / max(len(edits), 1)
            yield (
                f"{preset:10}{method:14}{left / total:7.3f}{general:9.3f}" + "".join(f"{one:9.3f}" for one in top)
                + f"{wrong:9.4f}   {total / took:,.0f} words/s"
            )  # fmt: skip


def faults(before: str, after: str) -> int:
    """Count what is wrong in an anonymized text and was not in the original."""
    return sum(max(len(one.findall(after)) - len(one.findall(before)), 0) for one in FAULTS.values())


def generalized(data: Path, model: Model) -> Iterator[str]:
    """Give the share of masked phrases that are generalized."""
    documents = [(named("wikibios", str(row["doc_id"])), row["text"]) for row in rows(data / "wikibios/gold.jsonl.gz")]
    for preset in PRESETS:
        edits = [edit for *_, some in anonymized(documents, model, preset, "generalize") for edit in some]
        share = sum(map(is_general, edits)) / len(edits)
        bare = sum(edit.rung == "type" for edit in edits) / len(edits)
        yield f"{preset:10} {len(edits)} masked, generalized {share:.3f} (bar .75), by a bare type {bare:.3f}"


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the tables."""
    parser = argparse.ArgumentParser(prog="python -m eval.replacement", description=__doc__)
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    options = parser.parse_args(arguments)
    print(f"{machine(('numpy',))}\n")
    files = ("actors/corpus", "wikibios/gold")
    collection = Collection.of(chain.from_iterable(sources(options.data, file) for file in files))
    with tempfile.TemporaryDirectory() as folder:
        model = collection.train(Path(folder) / "model", epochs=1, dimensions=16)
        for line in (*generalized(options.data, model), ""):
            print(line, flush=True)
        for line in attacks(options.data, model):
            print(line, flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
