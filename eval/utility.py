"""Measure how much information anonymized texts keep, by the measure of Hassan's thesis, and what attackers find.

    python -m eval.utility --data ../shared/data

*Utility*: the information of all phrases of a text after, over that before. Information is -log2 of the share of the
documents of the collection (actors and biographies) that have the phrase; of what no document has, of its rarest
word. What is kept has all of its own, `***` has none, a replacement its own, at most that of what it stands for; tags,
bare types and `PERSON n` tell no more than the type: none. *As words*: these as well by the word for their type, as
the measure is written. Such a word (`organization`, `characteristic`) is rare in biographies, so tags alone pass the
bar there: this column says nothing of meaning.
*Terms* is the
thesis's recall, the share of tagged terms that are wholly masked, mean over the 25 actors (wikiactors); *recall* that
over words. The limit is the highest at which terms reach his .812. *Top-1*: TF-IDF on the texts as published,
placeholders left out, for these 25 among all candidates, and for the summaries of all candidates.
"""

from __future__ import annotations

import argparse
import re
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np

from embanon.model.model import Model
from eval.boundaries import Span, rows
from eval.frequencies import mask
from eval.information import TAG, Information
from eval.published import STANDARD, UNSAID, Attacked, Case, Published, annotated, masked, scored, trained
from eval.speed import machine

HIS_RECALL: Final = 0.812
LIMITS: Final = (0.645, 0.6, 0.55, 0.5, 0.45, 0.4, 0.34, 0.28, 0.24, 0.2)
METHODS: Final = ("suppress", "tag", "generalize")
BARE: Final = (*UNSAID, "person")
EVERY: Final = 0.0
"""The limit that every phrase is above."""


@dataclass(frozen=True, slots=True)
class Gold:
    """The tagged terms of a text, and which of its characters they are."""

    terms: tuple[Span, ...]
    marked: tuple[bool, ...]


def golds(data: Path) -> list[Gold]:
    """Read what people tagged."""
    found = []
    for row in rows(data / "wikiactors" / "gold.jsonl.gz"):
        terms = {
            (m["start_offset"], m["end_offset"]) for a in row["annotations"].values() for m in a["entity_mentions"]
        }
        found.append(Gold(tuple(sorted(terms)), tuple(mask(row).tolist())))
    return found


def recalls(found: Sequence[Published], golds: Sequence[Gold]) -> tuple[float, float]:
    """Return the share of terms that are wholly masked, mean over texts, and the share of words."""
    of_terms, hit, total = list[float](), 0, 0
    for one, gold in zip(found, golds, strict=True):
        gone = np.zeros(len(one.case.text), bool)
        for edit in one.edits:
            gone[edit.start : edit.end] = True
        signs = np.array([sign.isalnum() for sign in one.case.text], bool)
        if gold.terms:
            whole = [bool(gone[start:end][signs[start:end]].all()) for start, end in gold.terms]
            of_terms.append(float(np.mean(whole)))
        for word in re.finditer(r"\w+", one.case.text):
            if any(gold.marked[word.start() : word.end()]):
                total += 1
                hit += bool(gone[word.start() : word.end()].any())
    return float(np.mean(of_terms)), hit / total


def utility(found: Sequence[Published], information: Information, *, as_words: bool = False) -> float:
    """Return the information after over that before."""
    after = before = 0.0
    for one in found:
        own = information.before(one)
        gone = {place for edit in one.edits for place in one.inside(edit)}
        before += sum(own)
        after += sum(bits for place, bits in enumerate(own) if place not in gone)
        for edit in one.edits:
            says = as_words or (edit.rung not in BARE and not TAG.search(edit.replacement))
            after += information.replaced(one, edit, own) if says else 0.0
    return after / before


def chosen(cases: Sequence[Case], known: Sequence[Gold], model: Model) -> float:
    """Return the highest limit at which his recall is reached."""
    for limit in LIMITS:
        if recalls(masked(cases, model, limit, "suppress"), known)[0] >= HIS_RECALL:
            return limit
    return EVERY


def report(data: Path, model: Model) -> Iterator[str]:
    """Return the table."""
    cases, known = list(scored(annotated(data, "wikiactors"), model)), golds(data)
    opened, information = Attacked.of(data), Information.of(model)
    summaries = list(scored(opened.documents, model))
    place = {name: number for number, name in enumerate(opened.names)}
    there = [number for number, case in enumerate(cases) if case.name in place]
    true = np.array([place[cases[number].name] for number in there])
    limit = chosen(cases, known, model)
    yield f"{len(cases)} texts, {len(there)} among {len(opened.names)} candidates; limit for his recall: {limit}\n"
    yield f"{'':24}{'terms':>7}{'recall':>8}{'utility':>9}{'as words':>10}{'TF-IDF, 25':>12}{'all':>7}"
    ways = [(limit, method) for method in METHODS]
    ways += [(at, method) for at in (STANDARD, 0.28) for method in METHODS if at != limit]
    for at, method in (*ways, (EVERY, "suppress")):
        found = masked(cases, model, at, method)
        terms, words = recalls(found, known)
        alone = opened.top([found[number] for number in there], true)["TF-IDF"]
        every = opened.top(masked(summaries, model, at, method))["TF-IDF"]
        label = f"{at:<6} {method}" if at != EVERY else "floor: every phrase"
        yield (
            f"{label:24}{terms:7.3f}{words:8.3f}{utility(found, information):9.3f}"
            f"{utility(found, information, as_words=True):10.3f}{alone:12.3f}{every:7.3f}"
        )
    yield "\nbar: utility .85 with generalization, at a top-1 not above that of suppression + .02"


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(prog="python -m eval.utility", description=__doc__)
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    options = parser.parse_args(arguments)
    print(f"{machine(('numpy',))}\n")
    with tempfile.TemporaryDirectory() as folder:
        for line in report(options.data, trained(options.data, Path(folder))):
            print(line, flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
