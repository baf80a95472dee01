"""Seek planted leakers in made-up companies: `python -m eval.leakers --data ../shared/data`.

Each company (`eval.leaker_worlds`) has 195 ordinary people and five leakers: one reads a mass of documents in a day,
one leaks slowly for a month, one takes much in their last week, one is curious in the files of another group, and one
opens the one big secret; each faintly, plainly or loudly, by chance. What was opened is written into a real ledger, of
which the last 30 days are watched, and 90 days lie before them. An alert of a leaker counts from the day on which they
begin; a false alarm is an ordinary user who is named at all. What documents disclose is what a real scan finds in
papers of the State Department. Rules were made with three companies; nobody looked at the other two before they stood.

Beside embanon stand plain rules (`eval.leaker_floors`): documents a day and what is learnt in a day, above what all but
one of 200 reached in the month before, and the six standard deviations by which embanon gave alerts until then.

| bar, in companies that rules were not made with | |
|---|---|
| ordinary users who are named, of 200 in 30 days | <= 1 |
| leakers who are found | >= 4 of 5 |
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from pathlib import Path
from typing import Final

import numpy as np
import sqlalchemy as sql

from embanon.config.load import load
from embanon.leak.alerts import Standing
from embanon.leak.ledger.access import BATCH_SIZE, Access, write_accesses
from embanon.leak.ledger.knowledge import KnowledgeCache
from embanon.leak.ledger.records import DAY_MILLISECONDS, MENTION, EntityDisclosure, RiskyPhrase, ScanResult
from embanon.leak.ledger.report import find_alerts_since, user_names
from embanon.leak.ledger.scan import LedgerScan
from embanon.leak.ledger.schema import ENTITIES, STANDINGS, VERSIONS
from embanon.leak.ledger.store import Ledger
from embanon.leak.people import EPOCH_ORDINAL, Group, Permission
from embanon.leak.policy import LedgerSettings, Policy, PolicyEntity
from embanon.leak.scan import ScanFile, ScanPlan, scan
from embanon.model.shipped import DEFAULT
from eval.boundaries import rows
from eval.leaker_floors import deviating, highest_days
from eval.leaker_worlds import DEVELOPED, FIRST_DAY, KINDS, LEAKERS, PAST, UNSEEN, Kind, Paper, World, build_world
from eval.planted import secrets
from eval.speed import machine

SETTINGS: Final = LedgerSettings(users="name")
MORNING: Final = 8 * 3_600_000
MINUTE: Final = 60_000
WEEKS: Final = BATCH_SIZE // 4
"""Accesses that are written at once, as logs come."""
FALSE_BAR, FOUND_BAR = 1.0, 0.8
RULES: Final = ("embanon", "documents a day", "worth alone", "six deviations")
STRENGTHS: Final = {1.0: "faint", 2.0: "plain", 4.0: "loud"}
Named = dict[str, list[int]]
"""User -> days on which they were named, from the beginning of the world on."""


def read_papers(data: Path) -> list[Paper]:
    """Scan papers for the planted topics; return what is disclosed."""
    topics = [one.entity for name in ("entity", "later") for one in secrets(name)]
    items = (PolicyEntity(one.name, "topic", one.aliases, one.description, sensitivity=3) for one in topics)
    told = list[dict[int, dict[int, float]]]()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        path = folder / "papers.jsonl"
        path.write_text("".join(
            json.dumps({"id": f"d{number}", "text": row["text"], "language": "en"}) + "\n"
            for number, row in enumerate(rows(data / "frus" / "documents.jsonl.gz"))
        ), encoding="utf-8")  # fmt: skip
        config = replace(load(None, {}).config, language="en")
        plan = ScanPlan(Policy(entities=tuple(items)), folder, config, DEFAULT, hints=folder / "kept.hints")
        with Ledger.open(folder / "ledger.db", bytes(32), create=True) as ledger:
            scan(ledger, plan, [ScanFile(str(path), path.stat().st_size)])
            with ledger.reading() as connection:
                first = connection.execute(sql.select(sql.func.min(ENTITIES.c.id))).scalar() or 0
                for blob in connection.execute(sql.select(VERSIONS.c.mentions).order_by(VERSIONS.c.id)).scalars():
                    phrases = defaultdict[int, dict[int, float]](dict)
                    for entity, _, _, phrase, risk in np.frombuffer(blob, MENTION).tolist():
                        known = phrases[entity - first]
                        known[phrase] = max(known.get(phrase, 0.0), risk)
                    told.append(phrases)
    return [Paper({entity: tuple(found.items()) for entity, found in one.items()}) for one in told]


def policy(world: World) -> Policy:
    """Return what a company protects, and who may know it."""
    helpers = defaultdict[int, list[Permission]](list)
    for entity, name, start, end in world.helpers:
        days = (date.fromordinal(EPOCH_ORDINAL + FIRST_DAY + day) for day in (start, end))
        helpers[entity].append(Permission(name, *days))
    entities = (
        PolicyEntity(f"Entity {number + 1}", "topic", sensitivity=value, may=(*map(Permission, may), *helpers[number]))
        for number, (value, may) in enumerate(zip(world.values.tolist(), world.may, strict=True))
    )  # fmt: skip
    groups = (Group(name, members) for name, members in world.groups.items() if members)
    return Policy(entities=tuple(entities), groups=tuple(groups), ledger=SETTINGS)


def write_world(address: str | Path, world: World, papers: Sequence[Paper]) -> None:
    """Write a company into a ledger that is not there yet: a scan of its documents, and what was opened."""
    with Ledger.open(address, bytes(32), create=True) as ledger:
        scan, results = LedgerScan.begin(ledger, policy(world)), [_disclosed(paper) for paper in papers]
        scan.record([
            ScanResult(path, path.encode(), results[paper], since=(FIRST_DAY - 1000) * DAY_MILLISECONDS)
            for path, paper in world.documents
        ])  # fmt: skip
        scan.end({"documents": len(world.documents)})
        memory, accesses = KnowledgeCache(), list[Access]()
        for place, (person, day, document) in enumerate(world.opened):
            time = (FIRST_DAY + day) * DAY_MILLISECONDS + MORNING + place % 500 * MINUTE + place % MINUTE
            name = world.people[person].name
            accesses.append(Access(name, world.documents[document][0], time, FIRST_DAY + day, "read"))
        for start in range(0, len(accesses), WEEKS):
            write_accesses(ledger, accesses[start : start + WEEKS], SETTINGS, memory)


def _disclosed(paper: Paper) -> tuple[EntityDisclosure, ...]:
    return tuple(
        EntityDisclosure(
            f"Entity {entity + 1}", max(risk for _, risk in told), paper.risk(entity),
            tuple(RiskyPhrase(phrase, risk, place, place + 1) for place, (phrase, risk) in enumerate(told)),
        )
        for entity, told in paper.told.items()
    )  # fmt: skip


def named(address: str | Path, world: World) -> dict[str, Named]:
    """Return whom each rule names on which days."""
    rules, since = policy(world), FIRST_DAY + PAST
    with Ledger.open(address, bytes(32)) as ledger, ledger.reading() as connection:
        alerts = [(one.user, one.day) for one in find_alerts_since(ledger, connection, rules, since, {})]
        standings = [Standing(*row) for row in connection.execute(sql.select(STANDINGS))]
        names = user_names(connection, {one.user for one in standings})
    opened = {(one.user, one.day): float(one.opened) for one in standings}
    gained, before = dict[tuple[int, int], float](), dict[int, float]()
    for one in sorted(standings, key=lambda one: one.day):
        gained[one.user, one.day] = one.total - before.get(one.user, 0.0)
        before[one.user] = one.total
    peers = {user: world.peers[name] for user, name in names.items()}
    found = (
        alerts, highest_days(opened, since), highest_days(gained, since),
        deviating(standings, rules.highest_value, since, peers),
    )  # fmt: skip
    told = dict[str, Named]()
    for rule, raised in zip(RULES, found, strict=True):
        told[rule] = defaultdict[str, list[int]](list)
        for user, day in sorted(raised):
            told[rule][names[user]].append(day - FIRST_DAY)
    return told


@dataclass(slots=True)
class Tally:
    """Whom a rule found in some companies of a kind."""

    ordinary: int = 0
    false: int = 0
    found: dict[tuple[str, float], list[bool]] = field(default_factory=lambda: defaultdict(list))

    def add(self, world: World, told: Named) -> None:
        """Count a company."""
        for person in world.people:
            if person.leaks:
                hit = any(day >= person.leak_days[0] for day in told.get(person.name, ()))
                self.found[person.leaks, person.strength].append(hit)
            else:
                self.ordinary += 1
                self.false += bool(told.get(person.name))

    @property
    def rate(self) -> float:
        """Return how many of 200 ordinary users are named."""
        return 200 * self.false / self.ordinary

    def share(self, *, leaks: str = "", strength: float = 0.0) -> tuple[int, int]:
        """Return how many leakers are found, and how many there are."""
        hits = [
            hit for (what, how), some in self.found.items() for hit in some
            if leaks in ("", what) and strength in (0.0, how)
        ]  # fmt: skip
        return sum(hits), len(hits)


def wilson(hits: int, count: int) -> tuple[float, float]:
    """Return the interval of a share, at 95 %."""
    share, z = hits / count, 1.96
    middle, wide = share + z * z / (2 * count), z * np.sqrt(share * (1 - share) / count + z * z / (4 * count**2))
    scale = 1 + z * z / count
    return max(float((middle - wide) / scale), 0.0), min(float((middle + wide) / scale), 1.0)


def tallied(kind: Kind, papers: Sequence[Paper], seeds: int) -> dict[str, Tally]:
    """Make companies of a kind, and count whom each rule finds."""
    tallies = {rule: Tally() for rule in RULES}
    for seed in range(1, seeds + 1):
        world = build_world(kind, papers, seed)
        with tempfile.TemporaryDirectory() as folder:
            write_world(Path(folder) / "ledger.db", world, papers)
            for rule, told in named(Path(folder) / "ledger.db", world).items():
                tallies[rule].add(world, told)
    return tallies


def lines(kind: Kind, tallies: dict[str, Tally]) -> Iterator[str]:
    """Return the table of a kind."""
    columns = (*(f"{name:>13}" for name in LEAKERS), *(f"{name:>7}" for name in STRENGTHS.values()))
    yield f"{kind.name}: {'not looked at before rules stood' if kind in UNSEEN else 'rules were made with it'}\n"
    yield f"{'':16}{'named of 200':>14}{'':16}{'found':>8}{'':16}{''.join(columns)}"
    for rule, tally in tallies.items():
        low, high = (200 * bound for bound in wilson(tally.false, tally.ordinary))
        hits, count = tally.share()
        least, most = wilson(hits, count)
        each = (tally.share(leaks=name) for name in LEAKERS)
        loud = (tally.share(strength=how) for how in STRENGTHS)
        cells = (*(f"{f'{some} of {known}':>13}" for some, known in each),
                 *(f"{some / max(known, 1):>7.2f}" for some, known in loud))  # fmt: skip
        yield (f"{rule:16}{tally.rate:>14.2f}{f'({low:.2f} – {high:.2f})':>16}{hits / count:>8.2f}"
               f"{f'({least:.2f} – {most:.2f})':>16}{''.join(cells)}")  # fmt: skip
    yield ""


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the tables."""
    parser = argparse.ArgumentParser(prog="python -m eval.leakers", description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--seeds", type=int, default=6, help="companies of each kind")
    parser.add_argument("--only", choices=[kind.name for kind in KINDS], action="append", default=[])
    options = parser.parse_args(arguments)
    print(machine(("numpy", "sqlalchemy")) + "\n", flush=True)
    papers, kept = read_papers(options.data), list[bool]()
    print(f"{options.seeds} companies of each kind, 195 ordinary people and 5 leakers in each; intervals at 95 %\n")
    for kind in (*DEVELOPED, *UNSEEN):
        if kind.name in options.only or not options.only:
            tallies = tallied(kind, papers, options.seeds)
            for line in lines(kind, tallies):
                print(line, flush=True)
            if kind in UNSEEN:
                hits, count = tallies["embanon"].share()
                kept.append(tallies["embanon"].rate <= FALSE_BAR and hits / count >= FOUND_BAR)
    if kept:
        print(f"bar: at most {FALSE_BAR:g} of 200 named and {FOUND_BAR:.0%} found in companies that nobody looked at: "
              f"{'reached' if all(kept) else 'missed'} ({sum(kept)} of {len(kept)})")  # fmt: skip
    return int(not all(kept))


if __name__ == "__main__":
    raise SystemExit(main())
