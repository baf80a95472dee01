"""Time a scan beside plain scoring of the same documents: `python -m eval.scanning --data ../shared/data`.

Plain scoring is what `embanon score` does: documents are read from their file, their phrases found and scored for whom
to protect, and nothing is kept. A scan finds the same phrases, says which of twenty entities each document names or
hints at, finds duplicates, and writes all of it down in a ledger of SQLite that was not there before. The entities are
the fifteen topics of eval.planted, and five people and organizations of these papers.

The bar is for a scan for all twenty beside plain scoring for *one* of them, a person, of which finding phrases is most:
plain scoring for all twenty takes many times that, shown on the first documents. Hints are learnt once from a
collection; what that adds to the first scan is shown apart. Both run in turns, one round after the other, in one
process; figures are medians by the time of the processor, which others cannot slow.

| bar | |
|---|---|
| a scan, beside plain scoring for one person | <= 1.10 |
"""

from __future__ import annotations

import argparse
import gc
import json
import os
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Final

import numpy as np

from embanon.config.load import load
from embanon.entities.entity import Entity
from embanon.entities.protected import ProtectedEntities, ProtectionRules
from embanon.io.read import read_documents
from embanon.leak.ledger.store import Ledger
from embanon.leak.policy import Policy, PolicyEntity
from embanon.leak.scan import ScanFile, ScanPlan, scan
from embanon.model.shipped import DEFAULT, open_model
from embanon.scoring import score_all
from eval.boundaries import rows
from eval.planted import secrets
from eval.speed import machine

BAR: Final = 1.10
ROUNDS: Final = 4
FEW: Final = 200
"""Documents that are scored for all entities, which takes long."""
PEOPLE: Final = (
    ("Henry Kissinger", "person"), ("Andrei Gromyko", "person"), ("Anatoly Dobrynin", "person"),
    ("International Monetary Fund", "organization"), ("Central Intelligence Agency", "organization"),
)  # fmt: skip
CONFIG: Final = replace(load(None, {}).config, language="en")

Run = Callable[[], object]


def policy() -> Policy:
    """Return twenty entities."""
    topics = [one.entity for name in ("entity", "later") for one in secrets(name)]
    items = [PolicyEntity(one.name, "topic", one.aliases, one.description, sensitivity=3) for one in topics]
    return Policy(entities=(*items, *(PolicyEntity(name, kind, sensitivity=3) for name, kind in PEOPLE)))


def plain(path: Path, entities: Sequence[Entity]) -> None:
    """Score documents, and keep nothing."""
    given = ProtectionRules(ProtectedEntities(tuple(entities)))
    for _ in score_all(read_documents(str(path)), given, config=CONFIG, model=open_model(DEFAULT)):
        pass


def scanned(path: Path, folder: Path, hints: Path) -> None:
    """Scan documents into a ledger of its own."""
    with tempfile.TemporaryDirectory(dir=folder) as own:
        plan = ScanPlan(policy(), folder, CONFIG, DEFAULT, hints=hints)
        with Ledger.open(Path(own) / "ledger.db", bytes(32), create=True) as ledger:
            _, done = scan(ledger, plan, [ScanFile(str(path), path.stat().st_size)])
        assert done.scored
        assert not [*done.faults, *done.left_out, *done.notes]


def used(run: Run) -> float:
    """Return the seconds of the processor that something takes."""
    gc.collect()
    before = os.times()
    run()
    after = os.times()
    return after.user + after.system - before.user - before.system


def report(data: Path, folder: Path, rounds: int, documents: int | None) -> Iterator[str]:
    """Return the lines of the table."""
    written = [json.dumps({"id": f"d{n}", "text": row["text"], "language": "en"}) + "\n"
               for n, row in enumerate(rows(data / "frus" / "documents.jsonl.gz"))][:documents]  # fmt: skip
    path, few, hints = folder / "papers.jsonl", folder / "few.jsonl", folder / "kept.hints"
    path.write_text("".join(written), encoding="utf-8")
    few.write_text("".join(written[:FEW]), encoding="utf-8")
    entities = [item.entity(folder) for item in policy().entities]
    person = entities[-len(PEOPLE) :][:1]
    size = path.stat().st_size / 1e6
    yield f"{len(written):,} documents, {size:.1f} MB, {len(entities)} entities; rounds: {rounds}\n"
    yield f"{'':32}{'s':>8}{'beside plain':>14}{'lowest':>9}{'highest':>9}"
    plain(few, person)  # fills what is remembered of words
    learning = used(partial(scanned, path, folder, hints))
    times = np.array([
        [used(partial(plain, path, person)), used(partial(scanned, path, folder, hints))] for _ in range(rounds)
    ])  # fmt: skip
    alone, known = np.median(times, axis=0)
    ratios = times[:, 1] / times[:, 0]
    found = float(np.median(ratios))
    yield f"{'plain scoring, one person':32}{alone:8.2f}{1:14.2f}"
    yield f"{'scan, 20 entities':32}{known:8.2f}{found:14.2f}{ratios.min():9.2f}{ratios.max():9.2f}"
    yield f"  bar: <= {BAR:.2f}; it has {found:.2f}: {'reached' if found <= BAR else 'missed'}"
    yield f"{'the first, which learns hints':32}{learning:8.2f}{learning / alone:14.2f}\n"
    yield f"of these, the first {min(FEW, len(written))}"
    one, many = (used(partial(plain, few, some)) for some in (person, entities))
    yield f"{'plain scoring, one person':32}{one:8.2f}{1:14.2f}"
    yield f"{'plain scoring, 20 entities':32}{many:8.2f}{many / one:14.2f}"


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(prog="python -m eval.scanning", description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("--documents", type=int, help="the first ones alone")
    options = parser.parse_args(arguments)
    print(machine(("numpy", "sqlalchemy")) + "\n")
    with tempfile.TemporaryDirectory() as name:
        for line in report(options.data, Path(name), options.rounds, options.documents):
            print(line, flush=True)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
