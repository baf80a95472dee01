"""Measure replacements: how much of what is masked is generalized, and whether it gives the risk back.

    python -m eval.replacement --data ../shared/data

*Generalized*: of the masked phrases of the biographies (wikibios), the share that a rung stands for which says more
than the type; `PERSON n` counts, tags and bare types do not.
*Attack*: the actors with a summary and the rest of an article, all as candidates (as in eval.linkage): how often
TF-IDF, BM25 and 4-grams find the right one from the text as it would be published: with generalizations, with tags,
with marks. The masks are the same. The attacker knows placeholders (`PERSON 1`, `[ORG 2]`, `***`) and leaves them out.
*Weighed* is generalizing with the attacker's texts at hand, by labels of small linkage gain. Kept are the words of the
original that are left. The bar: generalized not above suppressed, + .02.
*Faults*: replacements whose grammar is wrong by rule (eval.faults); in the other languages over whole documents of
the treebanks, ten sentences each, and clinical records, everyone protected. The bar: 1 %.
"""

from __future__ import annotations

import argparse
import gzip
import re
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import chain, pairwise, product
from pathlib import Path
from typing import Final

import numpy as np

from embanon.document import Document
from embanon.entities import Entity
from embanon.floors import selected, without
from embanon.gain import Gain
from embanon.generalize import Edit, Masker
from embanon.judging import score_all
from embanon.linkage import Attacker, Background, Grams, bag, ranks
from embanon.methods import Methods
from embanon.model.model import Model
from embanon.pipeline import find_all
from embanon.power import OfModel
from embanon.protected import Given, Protected
from embanon.rewrite import rewrite
from embanon.score import Limits, Scorer, rarity_of
from embanon.taxonomy.shipped import SHIPPED, climber
from eval.boundaries import rows
from eval.faults import faults
from eval.labeled import CONFIG, Collection, named, sources
from eval.speed import machine

PRESETS: Final = {"standard": (0.645, 0.0), "strict": (0.28, 0.0), "maximal": (0.28, 0.5)}
TEXT: Final = "# text = "
METHODS: Final = ("suppress", "tag", "generalize")
PLACEHOLDER: Final = re.compile(r"\[[A-Z]+ \d+\]|PERSON \d+|\*\*\*|\[\d+\]")
TEXTS: Final = {"es": ("dev", "meddocan"), "pt": ("dev",), "de": ("dev", "test")}
"""Language -> the parts of its treebank, and other collections."""
TOGETHER: Final = 10
"""Sentences of a treebank that make a document."""
MOST: Final = 200
"""Documents of a collection that are looked at."""


def anonymized(
    documents: Sequence[tuple[str, str]], model: Model, preset: str, method: str, known: Background | None = None
) -> Iterator[tuple[str, str, list[Edit]]]:
    """Anonymize texts for the names that they are about; give them, and their edits.

    With a background, of which text n is that of document n, labels are weighed by what they give back to its owner.
    """
    limit, rare = PRESETS[preset]
    scorer = Scorer("en", model, Limits(word_idf=rare))
    masker = Masker(climber(SHIPPED, "en"), OfModel(model), limit, Methods(method))
    texts = [Document("", text, "en") for _, text in documents]
    for number, ((name, text), analysis) in enumerate(
        zip(documents, find_all(texts, config=CONFIG, statistics=model.statistics), strict=True)
    ):
        scored = scorer.score(text, analysis.phrases, analysis.sentences, [Entity(name)])
        tests = []
        if known is not None:
            rest = without(text, selected(scored.phrases, scored.at_least(limit)))
            tests.append(Gain.of(rest, known, number).is_small)
        edits = masker.edits(text, scored, analysis.sentences.tolist(), [Entity(name)], tests=tests)
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
        for method, weighed in (*((method, None) for method in METHODS), ("generalize", known)):
            begin = time.perf_counter()
            found = list(anonymized(documents, model, preset, method, weighed))
            took = time.perf_counter() - begin
            bags = [bag(PLACEHOLDER.sub(" ", text)) for _, text, _ in found]
            top = [
                (ranks(np.stack([attacker.scores(one) for one in bags]), true) < 2).mean()
                for attacker in attackers.values()
            ]
            left, total = np.sum([kept(text, edits) for text, _, edits in found], axis=0).tolist()
            edits = [edit for *_, some in found for edit in some]
            general = sum(map(is_general, edits)) / max(len(edits), 1)
            wrong = sum(sum(faults(text, after).values()) for text, after, _ in found) / max(len(edits), 1)
            row = f"{preset:10}{'weighed' if weighed else method:14}"
            yield (
                f"{row}{left / total:7.3f}{general:9.3f}" + "".join(f"{one:9.3f}" for one in top)
                + f"{wrong:9.4f}   {total / took:,.0f} words/s"
            )  # fmt: skip


def documents(data: Path, language: str, part: str) -> Iterator[Document]:
    """Give documents of another language."""
    if part == "meddocan":
        texts = [row["text"] for row in rows(data / "meddocan/dev.jsonl.gz")]
    else:
        with gzip.open(data / f"treebanks/{language}/{part}.conllu.gz", "rt", encoding="utf-8") as lines:
            sentences = [line.removeprefix(TEXT).strip() for line in lines if line.startswith(TEXT)]
        texts = [" ".join(sentences[first : first + TOGETHER]) for first in range(0, len(sentences), TOGETHER)]
    for number, text in enumerate(texts[:MOST]):
        yield Document(str(number), text, language)


def foreign(data: Path) -> Iterator[str]:
    """Give the faults in other languages, everyone protected."""
    for language, parts in TEXTS.items():
        config, rarity = replace(CONFIG, language=language), rarity_of(None, language)
        for part, (preset, (limit, _)) in product(parts, list(PRESETS.items())[:2]):
            masker, wrong, count, overlaps = Masker(climber(SHIPPED, language), rarity, limit), Counter[str](), 0, 0
            given = Given(Protected(everyone=True))
            for judged in score_all(documents(data, language, part), given, config=config):
                text = judged.analysis.document.text
                edits = masker.edits(text, judged.scored, judged.analysis.sentences.tolist(), ())
                wrong.update(faults(text, rewrite("", text, edits)[0], language))
                overlaps += sum(one.end > other.start for one, other in pairwise(edits))
                count += len(edits)
            share, which = wrong.total() / max(count, 1), dict(wrong)
            yield f"{language} {part:9} {preset:9} {count:6} edits, faults {share:.4f}, overlaps {overlaps} {which}"


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
    parser.add_argument("--foreign", action="store_true", help="only the grammar of the other languages")
    options = parser.parse_args(arguments)
    print(f"{machine(('numpy',))}\n")
    for line in (*foreign(options.data), ""):
        print(line, flush=True)
    if options.foreign:
        return 0
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
