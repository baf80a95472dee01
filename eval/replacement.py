"""Measure replacements: how much of what is masked is generalized, and whether it gives the risk back.

    python -m eval.replacement --data ../shared/data

*Generalized*: of the masked phrases of the biographies (wikibios), the share that a rung stands for which says more
than the type; `PERSON n` counts, tags and bare types do not.
*Attack*: the actors with a summary and the rest of an article, all as candidates (as in eval.linkage): how often
TF-IDF, BM25 and 4-grams find the right one from the text as it would be published: with generalizations, with tags,
with marks. The masks are the same. The attacker knows placeholders (`Person 1`, `[ORG 2]`, `***`) and leaves them out.
*Weighed* is generalizing with the attacker's texts at hand, by labels of small linkage gain. Kept are the words of the
original that are left. The bar: generalized not above suppressed, + .02.
*Faults*: replacements whose grammar is wrong by rule (`measure.metrics.faults`); in the other languages over whole
documents of the treebanks, ten sentences each, and clinical records, everyone protected. The bar: 1 %.
"""

from __future__ import annotations

import argparse
import gzip
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise, product
from pathlib import Path
from typing import Final

import numpy as np

from embanon.config.settings import PRESETS, RiskLimits
from embanon.document import Document
from embanon.entities.protected import ProtectedEntities, ProtectionRules
from embanon.measure.metrics.faults import new_faults
from embanon.model.model import Model
from embanon.replace.plan import Replacer
from embanon.replace.rewrite import rewrite
from embanon.risk.score import rarity_of
from embanon.scoring import score_all
from embanon.taxonomy.climb import climber
from embanon.taxonomy.store import SHIPPED
from eval.boundaries import rows
from eval.labeled import CONFIG, named
from eval.published import Attacked, is_general, masked, masker, scored, trained
from eval.speed import machine

TEXT: Final = "# text = "
METHODS: Final = ("suppress", "tag", "generalize")
TEXTS: Final = {"es": ("dev", "meddocan"), "pt": ("dev",), "de": ("dev", "test")}
"""Language -> the parts of its treebank, and other collections."""
TOGETHER: Final = 10
"""Sentences of a treebank that make a document."""
MOST: Final = 200
"""Documents of a collection that are looked at."""


def attacks(data: Path, model: Model) -> Iterator[str]:
    """Return the lines of the attack."""
    attacked = Attacked.of(data)
    yield f"{len(attacked.names)} documents and candidates\n"
    yield f"{'':24}{'kept':>7}{'general':>9}" + "".join(f"{name:>9}" for name in attacked.attackers) + f"{'faults':>9}"
    for preset, (limit, _) in PRESETS.items():
        for method, known in (*((method, None) for method in METHODS), ("generalize", attacked.background)):
            begin, one = time.perf_counter(), masker(model, limit, method)
            found = [
                case.published(one, (known, number) if known is not None else None)
                for number, case in enumerate(scored(attacked.documents, model, preset))
            ]
            took = time.perf_counter() - begin
            left, total = np.sum([some.kept() for some in found], axis=0).tolist()
            edits = [edit for some in found for edit in some.edits]
            general = sum(map(is_general, edits)) / max(len(edits), 1)
            wrong = sum(sum(new_faults(some.case.text, some.after).values()) for some in found) / max(len(edits), 1)
            row = f"{preset:10}{'weighed' if known is not None else method:14}{left / total:7.3f}{general:9.3f}"
            tops = "".join(f"{top:9.3f}" for top in attacked.top(found).values())
            yield f"{row}{tops}{wrong:9.4f}   {total / took:,.0f} words/s"


def documents(data: Path, language: str, part: str) -> Iterator[Document]:
    """Return documents of another language."""
    if part == "meddocan":
        texts = [row["text"] for row in rows(data / "meddocan/dev.jsonl.gz")]
    else:
        with gzip.open(data / f"treebanks/{language}/{part}.conllu.gz", "rt", encoding="utf-8") as lines:
            sentences = [line.removeprefix(TEXT).strip() for line in lines if line.startswith(TEXT)]
        texts = [" ".join(sentences[first : first + TOGETHER]) for first in range(0, len(sentences), TOGETHER)]
    for number, text in enumerate(texts[:MOST]):
        yield Document(str(number), text, language)


def foreign(data: Path) -> Iterator[str]:
    """Return the faults in other languages, everyone protected."""
    for language, parts in TEXTS.items():
        config, rarity = replace(CONFIG, language=language), rarity_of(None, language)
        for part, (preset, (limit, _)) in product(parts, list(PRESETS.items())[:2]):
            one, wrong, count, overlaps = (
                Replacer(climber(SHIPPED, language), rarity, RiskLimits(limit)),
                Counter[str](),
                0,
                0,
            )
            given = ProtectionRules(ProtectedEntities(everyone=True))
            for judged in score_all(documents(data, language, part), given, config=config):
                text = judged.analysis.document.text
                edits = one.plan_edits(text, judged.scored, judged.analysis.sentences.tolist(), ())
                wrong.update(new_faults(text, rewrite("", text, edits)[0], language))
                overlaps += sum(edit.end > other.start for edit, other in pairwise(edits))
                count += len(edits)
            share, which = wrong.total() / max(count, 1), dict(wrong)
            yield f"{language} {part:9} {preset:9} {count:6} edits, faults {share:.4f}, overlaps {overlaps} {which}"


def generalized(data: Path, model: Model) -> Iterator[str]:
    """Return the share of masked phrases that are generalized."""
    documents = [(named("wikibios", str(row["doc_id"])), row["text"]) for row in rows(data / "wikibios/gold.jsonl.gz")]
    for preset, (limit, _) in PRESETS.items():
        edits = [edit for one in masked(scored(documents, model, preset), model, limit) for edit in one.edits]
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
    with tempfile.TemporaryDirectory() as folder:
        model = trained(options.data, Path(folder))
        for line in (*generalized(options.data, model), ""):
            print(line, flush=True)
        for line in attacks(options.data, model):
            print(line, flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
