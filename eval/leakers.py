"""Seek planted leakers in made-up companies: `python -m eval.leakers --data ../shared/data`."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from datetime import date
from pathlib import Path
from typing import Final

from embanon.leak.ledger.access import BATCH_SIZE, Access, write_accesses
from embanon.leak.ledger.knowledge import KnowledgeCache
from embanon.leak.ledger.records import DAY_MILLISECONDS, EntityDisclosure, RiskyPhrase, ScanResult
from embanon.leak.ledger.scan import LedgerScan
from embanon.leak.ledger.store import Ledger
from embanon.leak.people import EPOCH_ORDINAL, Group, Permission
from embanon.leak.policy import LedgerSettings, Policy, PolicyEntity
from eval.leaker_worlds import FIRST_DAY, Paper, World

SETTINGS: Final = LedgerSettings(users="name")
MORNING: Final = 8 * 3_600_000
MINUTE: Final = 60_000


def policy(world: World) -> Policy:
    """Return what the company protects."""
    helpers = defaultdict[int, list[Permission]](list)
    for entity, name, start, end in world.helpers:
        days = (date.fromordinal(EPOCH_ORDINAL + FIRST_DAY + day) for day in (start, end))
        helpers[entity].append(Permission(name, *days))
    entities = (
        PolicyEntity(
            f"Entity {number + 1}", "project", sensitivity=value,
            may=(*map(Permission, may), *helpers[number]),
        )
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
        for start in range(0, len(accesses), BATCH_SIZE // 4):  # some weeks at once, as logs come
            write_accesses(ledger, accesses[start : start + BATCH_SIZE // 4], SETTINGS, memory)


def _disclosed(paper: Paper) -> tuple[EntityDisclosure, ...]:
    return tuple(
        EntityDisclosure(
            f"Entity {entity + 1}", max(risk for _, risk in told), paper.risk(entity),
            tuple(RiskyPhrase(phrase, risk, place, place + 1) for place, (phrase, risk) in enumerate(told)),
        )
        for entity, told in paper.told.items()
    )  # fmt: skip
