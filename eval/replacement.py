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
from pathlib import Path
from typing import Final

import numpy as np

from embanon.model.model import Model
from eval.published import Attacked, annotated, is_general, masked, scored, trained
from eval.speed import machine

PRESETS: Final = {"standard": (0.645, 0.0), "strict": (0.28, 0.0), "maximal": (0.28, 0.5)}
METHODS: Final = ("suppress", "tag", "generalize")
FAULTS: Final = {
    "a/an": re.compile(r"\b(?:a [aeio]\w|an [bcdfgjklmnpqrstvwxyz]\w)", re.IGNORECASE),
    "doubled": re.compile(r"\b(\w+) \1\b", re.IGNORECASE),
    "article twice": re.compile(r"\b(?:a|an|the|his|her|its|their) (?:a|an|the)\b", re.IGNORECASE),
}


def attacks(data: Path, model: Model) -> Iterator[str]:
    """Give the lines of the attack."""
    opened = Attacked.of(data)
    yield f"{len(opened.names)} documents and candidates\n"
    yield f"{'':24}{'kept':>7}{'general':>9}" + "".join(f"{name:>9}" for name in opened.attackers) + f"{'faults':>9}"
    for preset, (limit, rare) in PRESETS.items():
        for method in METHODS:
            begin = time.perf_counter()
            found = masked(scored(opened.documents, model, rare), model, limit, method)
            took = time.perf_counter() - begin
            left, total = np.sum([one.kept() for one in found], axis=0).tolist()
            edits = [edit for one in found for edit in one.edits]
            general = sum(map(is_general, edits)) / max(len(edits), 1)
            wrong = sum(faults(one.case.text, one.after) for one in found) / max(len(edits), 1)
            yield (
                f"{preset:10}{method:14}{left / total:7.3f}{general:9.3f}"
                + "".join(f"{one:9.3f}" for one in opened.top(found).values())
                + f"{wrong:9.4f}   {total / took:,.0f} words/s"
            )


def faults(before: str, after: str) -> int:
    """Count what is wrong in an anonymized text and was not in the original."""
    return sum(max(len(one.findall(after)) - len(one.findall(before)), 0) for one in FAULTS.values())


def generalized(data: Path, model: Model) -> Iterator[str]:
    """Give the share of masked phrases that are generalized."""
    documents = annotated(data, "wikibios")
    for preset, (limit, rare) in PRESETS.items():
        edits = [edit for one in masked(scored(documents, model, rare), model, limit) for edit in one.edits]
        share = sum(map(is_general, edits)) / len(edits)
        bare = sum(edit.rung == "type" for edit in edits) / len(edits)
        yield f"{preset:10} {len(edits)} masked, generalized {share:.3f} (bar .75), by a bare type {bare:.3f}"


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the tables."""
    parser = argparse.ArgumentParser(prog="python -m eval.replacement", description=__doc__)
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    options = parser.parse_args(arguments)
    print(f"{machine(('numpy',))}\n")
    with tempfile.TemporaryDirectory() as folder:
        model = trained(options.data, Path(folder))
        for line in (*generalized(options.data, model), ""):
            print(line, flush=True)
        for line in attacks(options.data, model):
            print(line, flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
