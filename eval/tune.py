"""Measure the limits that are chosen without annotations: `python -m eval.tune --data ../shared/data`.

Without annotations and without a goal, `embanon tune` masks more than the standard limit only where this pays: words
that are kept, and eleven words in a hundred for each time that the rank of people doubles. Attackers (TF-IDF, BM25,
4-grams) know the rest of the articles of 543 actors, the public text about 127 cases, or, for biographies of which
nothing public is at hand, the other half of each text. *F1* is that of the words at this limit; *best* that of
the best limit, found with all annotations; *held out* is F1 of a fifth of the texts at the limit that annotations of
the rest choose, or that the rest choose without annotations. *Near* is the share of 200 samples of the texts, drawn
with replacement, from which a limit is chosen that is within .03 of the best F1. The *constants* are single limits
for all three; the best of them is chosen with all annotations. *Others*: the exchange of words for people is chosen on
the two other sets (the middle of those that come nearest to their best F1), instead of the eleven that embanon has.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import Final

import numpy as np

from embanon.document import Document
from embanon.entities.entity import Entity
from embanon.entities.protected import ProtectedEntities, ProtectionRules
from embanon.measure.curve import LIMITS, Floats, LinkageAttack
from embanon.measure.formats import read_gold
from embanon.measure.tune import (
    DRAWS,
    SEED,
    AgreementGoal,
    BalanceGoal,
    TuningResult,
    best_limit_index,
    build_samples,
    tune,
)
from embanon.model.model import Model
from embanon.scoring import score_all
from eval.boundaries import rows
from eval.labeled import CONFIG, Collection, named, sources
from eval.printing import print_tables
from eval.risk import COLLECTIONS

BACKGROUND: Final = {
    "wikiactors": ("wikiactors/background_500", "wikiactors/background"), "wikibios": (), "tab": ("tab/background",),
}  # fmt: skip
NEAR: Final = 0.03
EXCHANGES: Final = tuple(np.round(np.arange(0.01, 0.305, 0.01), 2).tolist())


@dataclass(frozen=True, slots=True, eq=False)
class Set:
    """A set with its curve, chosen from with annotations and without."""

    name: str
    told: TuningResult
    untold: TuningResult
    attack: LinkageAttack = field(repr=False)

    @property
    def scores(self) -> Floats:
        """Give F1 by limit."""
        return self.told.curve.precision_recall_f()[:, 2]

    def at(self, exchange: float) -> float:
        """Give F1 at the limit that is chosen by an exchange of words for people."""
        place = best_limit_index(BalanceGoal(exchange), self.told.curve)
        return float(self.scores[place]) if place is not None else 0.0

    @property
    def best(self) -> float:
        """Give F1 at the best limit."""
        return float(np.nanmax(self.scores))


def measured(data: Path, name: str, model: Model) -> Set:
    """Score a set and choose its limits."""
    golds = {one.id: one for one in read_gold(str(data / name / "gold.jsonl.gz"))}
    who = {id: named(name, id) for id in golds}
    of = {
        id: ProtectedEntities((Entity(one),)) if one and name != "tab" else ProtectedEntities(everyone=True)
        for id, one in who.items()
    }
    documents = [Document(id, one.text, "en") for id, one in golds.items()]
    samples = build_samples(score_all(documents, ProtectionRules(by_document=of), config=CONFIG, model=model), golds)
    texts = {row["id"]: row["text"] for file in BACKGROUND[name] for row in rows(data / f"{file}.jsonl.gz")}
    attack = LinkageAttack.from_samples(samples, texts)
    assert attack is not None
    return Set(name, tune(samples, AgreementGoal(), attack), tune(samples, BalanceGoal(), attack), attack)


def near(one: Set) -> float:
    """Return how often a limit near the best is chosen from texts drawn anew."""
    chance, curve = np.random.default_rng(SEED), one.told.curve
    size = len(curve)
    places = [best_limit_index(BalanceGoal(), curve.select_texts(chance.integers(0, size, size))) for _ in range(DRAWS)]
    return float(np.mean([place is not None and one.scores[place] >= one.best - NEAR for place in places]))


def report(data: Path, folder: Path) -> Iterator[str]:
    """Return the lines."""
    found = list[Set]()
    for names, files in COLLECTIONS.items():
        collection = Collection.of(chain.from_iterable(sources(data, file) for file in files))
        model = collection.train(folder / names[0], epochs=1, dimensions=16)
        found += [measured(data, name, model) for name in names]
    yield "Limits\n"
    yield f"{'':12}{'without annotations':>39}{'with all of them':>24}"
    yield (
        f"{'':12}{'limit':>7}{'interval':>15}{'F1':>7}{'held out':>10}"
        f"{'best':>7}{'limit':>7}{'held out':>10}{'near':>6}  {'others':>6}"
    )
    for one in found:
        rest = [other for other in found if other is not one]
        assert one.untold.limit_index is not None
        low, high = one.untold.interval or (np.nan, np.nan)
        yield (
            f"{one.name:12}{one.untold.limit:7.3f}{f'{low:.3f} - {high:.3f}':>15}"
            f"{one.scores[one.untold.limit_index]:7.3f}"
            f"{_held_out(one.untold):10.3f}{one.best:7.3f}{one.told.limit:7.3f}"
            f"{_held_out(one.told):10.3f}{near(one):6.2f}  {one.at(_of_others(rest)):6.3f}"
        )
    constants = np.mean([one.scores for one in found], axis=0)
    place = int(np.nanargmax(constants))
    limits = found[0].told.curve.limits
    chosen = np.mean([one.at(BalanceGoal().exchange) for one in found])
    told = np.mean([one.best for one in found])
    yield "\nMean\n"
    yield (
        f"mean F1: {chosen:.3f} chosen without annotations; {told:.3f} by all annotations; "
        f"best constant, {limits[place]:g}: {constants[place]:.3f}"
    )
    yield "constants: " + ", ".join(
        f"{limit:g} {value:.3f}" for limit, value in zip(limits, constants, strict=True) if limit in LIMITS
    )
    for one in found:
        yield f"\n{one.name}: attackers know {one.attack.known_texts}, {one.attack.candidates} candidates\n"
        yield f"{'':16}{'words kept':>11}{'found':>7}{'rank':>7}{'P':>7}{'R':>7}{'F1':>7}"
        yield from _curve(one)
    yield "\nbar: F1 within .03 of the best, on all three; mean above the best constant"


def _held_out(tuned: TuningResult) -> float:
    return float(tuned.held_out.precision_recall_f()[0, 2]) if tuned.held_out is not None else np.nan


def _of_others(rest: Sequence[Set]) -> float:
    """Return the middle of the exchanges that come nearest to the best F1 of some sets."""
    values = np.array([sum(one.at(exchange) for one in rest) for exchange in EXCHANGES]).round(9)
    return float(np.median(np.array(EXCHANGES)[values == values.max()]))


def _curve(one: Set) -> Iterator[str]:
    for row in one.untold.to_dict()["curve"]:
        columns = {"words_kept": ".3f", "found": ".3f", "rank": ".1f", "precision": ".3f", "recall": ".3f", "f1": ".3f"}
        cells = ["" if row[name] is None else format(row[name], how) for name, how in columns.items()]
        yield f"{row['limit']!s:16}{cells[0]:>11}" + "".join(f"{cell:>7}" for cell in cells[1:])


if __name__ == "__main__":
    raise SystemExit(print_tables("tune", __doc__, ("numpy",), report))
