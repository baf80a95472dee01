"""Measure how often attackers with public text find whom a masked text is about: `python -m eval.linkage`.

The documents are the summaries of the actors of `background_500`; the rest of each one's article is what attackers
know, and every one of these actors is a candidate. *Top-1* is the share of documents whose person is ranked first,
MRR the mean of 1 / rank, *kept* the share of all words that are not masked; in brackets what 95 of 100 bootstrap
samples of the documents give. Masked words are taken out. *Names* are all parts of the person's name; every other
mask has them as well. `power >= x` masks phrases, `idf >= x` words of that rarity wherever they stand, `outside` only
those that stand in no phrase. TF-IDF and BM25 are those of `linkage.attackers`; 4-grams and an embedding (of words,
weighted by rarity, trained on the collection) took no part in any choice. The limits were chosen on these documents.

With background: the defender has the first half of each article and masks further phrases, and words outside
phrases, until TF-IDF and BM25 on that half rank the person behind k. Attackers with the second half, or with the
whole, and other means, took no part.

Risk: the probability that TF-IDF gives the person, calibrated on every other document, against whether an attacker
finds him; *confidence* is what an attacker sees who does not know the person: the probability of his first guess,
against whether it is right. *Said* and *error* are mean distances, over tenths of the documents, from the share that is
linked: of the plain probability, and of the calibrated one. *Within* is the share of documents in whose step what is
found on the documents that were left out lies within the printed bounds: .83 if the bounds are right, as what is found
has an error of its own.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np

from embanon.linkage.attackers import Background, ranks
from embanon.linkage.calibration import Calibration, calibrate, fit_steps, posterior
from embanon.linkage.protection import mask_until_hidden
from eval.boundaries import rows
from eval.frequencies import area
from eval.masked import (
    WIDE,
    Attackers,
    Case,
    Flags,
    Floats,
    Mask,
    Opened,
    covered,
    halves,
    head,
    interval,
    line,
    ranked,
    scored,
    share_kept,
)
from eval.speed import machine

LIBRARIES: Final = ("numpy", "gensim")
STANDARD: Final = 0.645
STRICT: Final = 0.28

PLAIN: Final = (
    Mask("every noun phrase", power=-1.0),
    Mask(f"standard: power >= {STANDARD}", STANDARD),
    Mask(f"strict: power >= {STRICT}", STRICT),
)
SWEEP: Final = tuple(Mask(f"power >= {limit}", limit) for limit in (0.9, 0.8, 0.5, 0.4, 0.34, 0.24, 0.2, 0.15, 0.1))
IDEAS: Final = (
    *(Mask(f"idf >= {rare}", rare=rare) for rare in (0.25, 0.3, 0.35)),
    *(
        Mask(f"power >= {limit}, outside idf >= {rare}", limit, outside=rare)
        for limit in (STANDARD, 0.4, STRICT)
        for rare in (0.4, 0.5)
    ),
    *(
        Mask(f"power >= {limit}, idf >= {rare}", limit, rare)
        for limit in (STANDARD, 0.4, STRICT)
        for rare in (0.35, 0.4, 0.45, 0.5)
    ),
)
BASES: Final = (
    Mask("names alone"),
    Mask(f"power >= {STANDARD}", STANDARD),
    Mask("power >= 0.4", 0.4),
    *(Mask(f"power >= {STANDARD}, idf >= {rare}", STANDARD, rare) for rare in (0.5, 0.45, 0.4, 0.35)),
)
RISKS: Final = (
    Mask("names alone"), Mask("standard", STANDARD), Mask("strict", STRICT), Mask("idf .5", STANDARD, 0.5),
    Mask("idf .4", STANDARD, 0.4),
)  # fmt: skip
"""Masks that documents are calibrated under."""
PAIRS: Final = tuple(
    (("TF-IDF", knows), (name, half))
    for knows, name, half in (
        ("whole", "TF-IDF", "whole"), ("whole", "BM25", "whole"), ("whole", "4-grams", "whole"),
        ("first half", "TF-IDF", "whole"), ("first half", "TF-IDF", "second half"),
    )
)  # fmt: skip
"""What the defender has, and who attacks."""
CONFIDENT: Final = ("TF-IDF", "whole")


def unaided(cases: Sequence[Case], attackers: Attackers) -> Iterator[str]:
    """Return the lines without any background for the defender."""
    yield f"No background for the defender, {len(cases)} documents and candidates: top-1 and MRR\n\n{head(attackers)}"
    true = np.arange(len(cases))
    nothing = [np.zeros(len(case.at), np.bool_) for case in cases]
    yield line("floor: nothing masked", nothing, cases, true, attackers)
    for mask in (Mask("floor: names alone"), *PLAIN):
        yield line(mask.label, [case.masked(mask) for case in cases], cases, true, attackers)
    for mask in (*SWEEP, *IDEAS):
        yield line(mask.label, [case.masked(mask) for case in cases], cases, true, attackers)


def annotated(data: Path, opened: Opened, attackers: Attackers) -> Iterator[str]:
    """Return the lines of the actors that people and others have masked, in the texts that they were given."""
    place_of = {name: place for place, name in enumerate(opened.names)}
    given = [row for row in rows(data / "wikiactors" / "gold.jsonl.gz") if row["doc_id"] in place_of]
    names = [row["doc_id"] for row in given]
    cases, true = opened.cases_of(names, [row["text"] for row in given]), np.array([place_of[name] for name in names])
    few = {name: attackers[name] for name in ("TF-IDF", "BM25", "4-grams")}
    yield f"The {len(cases)} of them with annotations, among the same candidates\n\n{head(few)}"

    def by(spans: Sequence[Sequence[Sequence[int]]]) -> list[Flags]:
        each = [np.array([span[:2] for span in some], np.int64).reshape(-1, 2) for some in spans]
        return [covered(case.at, some) for case, some in zip(cases, each, strict=True)]

    mentions = [[m for a in row["annotations"].values() for m in a["entity_mentions"]] for row in given]
    people = [[(m["start_offset"], m["end_offset"]) for m in some] for some in mentions]
    yield line("people's annotations", by(people), cases, true, few)
    for row in rows(data / "wikiactors" / "peer_masks.jsonl.gz"):
        if all(name in row["spans"] for name in names):
            yield line(f"peer: {row['system']}", by([row["spans"][name] for name in names]), cases, true, few)
    for mask in (*PLAIN, *BASES[2:]):
        yield line(mask.label, [case.masked(mask) for case in cases], cases, true, few)


def protected(case: Case, base: Flags, background: Background, target: int, k: int) -> tuple[Flags, float, bool]:
    """Protect a document: its phrases and the words outside them, on top of masked words."""
    words = case.at
    spans = np.concatenate([case.phrases, words[~case.inside], words[base]])
    masked = np.arange(len(spans)) >= len(spans) - int(base.sum())
    begin = time.perf_counter()
    found = mask_until_hidden(case.text, spans[:, 0], spans[:, 1], masked, background, target, k)
    return covered(words, spans[found.masked]), time.perf_counter() - begin, found.reached


def aided(cases: Sequence[Case], known: Background, groups: Mapping[str, Attackers]) -> Iterator[str]:
    """Return the lines of a defender who has half of the background."""
    wide = {name: 24 if name == "second half" else 11 for name in groups}
    over = "".join(f"{name:{wide[name] * len(group)}}" for name, group in groups.items())
    under = "".join(f"{each:{wide[name]}}" for name, group in groups.items() for each in group)
    yield "The defender has the first half of each article: top-1 of attackers with that half, the other, or both\n"
    yield f"{'':{WIDE}} {'':29}{over}".rstrip()
    yield f"{'masked first':{WIDE}}   k  kept  reached ms/document  {under}".rstrip()
    for mask, k in [*((mask, 10) for mask in BASES), (BASES[-3], 50)]:
        found = [protected(case, case.masked(mask), known, n, k) for n, case in enumerate(cases)]
        masked = [one for one, _, _ in found]
        bags = [case.left(one) for case, one in zip(cases, masked, strict=True)]
        cells = ""
        for name, group in groups.items():
            for attacker in group.values():
                hit = ranked(attacker, bags) < 2
                shown = interval(hit) if name == "second half" else f"{hit.mean():.3f}"
                cells += f"{shown:{wide[name]}}"
        seconds, reached = np.mean([one for _, one, _ in found]), np.mean([one for _, _, one in found])
        start = f"{mask.label:{WIDE}}  {k:2} {share_kept(masked):.3f}   {reached:.3f} {1000 * seconds:11.2f}"
        yield f"{start}  {cells}".rstrip()


@dataclass(frozen=True, slots=True, eq=False)
class Told:
    """What was said of documents that were left out, and what is true."""

    stated: Floats
    share: Floats
    hit: Flags
    within: Flags

    def line(self, label: str) -> str:
        """Write it."""
        said, error = (self._distance(one) for one in (self.stated, self.share))
        ends = f"{self.within.mean():7.3f} {self.hit.mean():7.3f}"
        return f"{label} {area(self.stated, self.hit):.3f} {said:6.3f} {error:6.3f} {ends}"

    def _distance(self, said: Floats) -> float:
        tenths = np.array_split(np.argsort(said, kind="stable"), 10)
        return float(sum(abs(said[one].mean() - self.hit[one].mean()) * len(one) for one in tenths) / len(said))


def told(scores: Floats, hit: Flags, confidence: bool = False) -> Told:
    """Calibrate on every other document, and look at the rest; both ways."""
    places, found = np.arange(len(scores)), list[Told]()
    for fold in (0, 1):
        learnt, rest = places[places % 2 != fold], places[places % 2 == fold]
        temperature = calibrate(scores[learnt], learnt).temperature
        chances = posterior(scores, temperature)
        stated = chances.max(axis=1) if confidence else chances[places, places]
        calibration = Calibration(temperature, fit_steps(stated[learnt], hit[learnt]))
        seen = [calibration.link_rate(one) for one in stated[rest].tolist()]
        share = np.array([one.share for one in seen])
        actual = {one: hit[rest][share == one].mean() for one in set(share.tolist())}
        within = np.array([one.low <= actual[one.share] <= one.high for one in seen])
        found.append(Told(stated[rest], share, hit[rest], within))
    return Told(*(np.concatenate([getattr(one, name) for one in found]) for name in Told.__slots__))


def mixed(each: Sequence[Floats]) -> Floats:
    """Take every document under one of the masks: in turn, so that both folds have all of them."""
    return np.stack([each[place // 2 % len(each)][place] for place in range(len(each[0]))])


def risk(cases: Sequence[Case], groups: Mapping[str, Attackers]) -> Iterator[str]:
    """Return the lines of predicted linkage."""
    bags = {mask.label: [case.left(case.masked(mask)) for case in cases] for mask in RISKS}
    scores = dict[tuple[str, str], dict[str, Floats]]()
    for side in sorted({side for pair in PAIRS for side in pair}):
        attacker = groups[side[1]][side[0]]
        each = {label: np.round(scored(attacker, some), 9) for label, some in bags.items()}
        scores[side] = {"mixed": mixed(list(each.values())), "standard": each["standard"], "strict": each["strict"]}
    true = np.arange(len(cases))
    yield f"Document risk, two folds over {len(cases)} documents; mixed: each under one of five masks\n"
    yield f"{'has background; the attacker':{WIDE}} masks       AUC   said  error  within  linked"
    for knows, attacks in PAIRS:
        for masks, own in scores[knows].items():
            found = told(own, ranks(scores[attacks][masks], true) < 2)
            label = f"{knows[1]}; {', '.join(attacks)}"
            yield found.line(f"{label:{WIDE}} {masks:9}")
    for masks, own in scores[CONFIDENT].items():
        yield told(own, ranks(own, true) < 2, confidence=True).line(f"{'confidence of TF-IDF, whole':{WIDE}} {masks:9}")
    calibration = calibrate(scores[CONFIDENT]["mixed"], true)
    yield f"\nSteps of TF-IDF with the whole background, mixed, temperature {calibration.temperature:.4f}\n"
    yield "stated from   linked   bounds         documents"
    for step in calibration.steps:
        seen = step.link_rate
        yield f"{step.min_probability:11.4f}   {seen.share:6.3f}   {seen.low:.3f}-{seen.high:.3f}  {seen.cases:10}"


def report(data: Path, folder: Path) -> Iterator[str]:
    """Return all lines; a model is trained in a folder."""
    opened = Opened.of(data, folder)
    _, whole = opened.attackers(opened.texts)
    first, second = zip(*map(halves, opened.texts), strict=True)
    known, with_first = opened.attackers(first)
    _, with_second = opened.attackers(second)
    cases = opened.cases
    yield from unaided(cases, whole)
    yield ""
    yield from annotated(data, opened, whole)
    yield ""
    groups = {"first half": with_first, "second half": with_second, "whole": whole}
    yield from aided(cases, known, groups)
    yield ""
    yield from risk(cases, groups)


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the tables."""
    parser = argparse.ArgumentParser(prog="python -m eval.linkage", description=__doc__)
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    options = parser.parse_args(arguments)
    begin = time.perf_counter()
    print(f"{machine(LIBRARIES)}\n", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        for one in report(options.data, Path(folder)):
            print(one, flush=True)
    print(f"{time.perf_counter() - begin:.0f} s", file=sys.stderr)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
