"""Lay out entities × folders: how many documents disclose what, and which of them tell most."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Final

from embanon.leak.findings import ReportedDocument
from embanon.leak.ledger.report import HeatCell
from embanon.leak.name_hider import NameHider

MAX_FOLDERS: Final = 40
"""Rows of a heat map; the others are in the CSV."""
MAX_ENTITIES: Final = 12
"""Columns of it."""
MAX_EXAMPLES: Final = 2
"""Documents to which a cell opens."""


def mask_names(cells: Iterable[HeatCell], said: Mapping[str, str], hide: NameHider) -> tuple[HeatCell, ...]:
    """Return the heat map by what stands for entities; folders whose names differ by what is hidden are one."""
    found = dict[tuple[str, str], HeatCell]()
    for cell in cells:
        one = replace(cell, entity=said[cell.entity], folder=hide(cell.folder))
        other = found.get((one.folder, one.entity))
        if other:
            bands = tuple(sum(both) for both in zip(one.bands, other.bands, strict=True))
            one = replace(one, documents=sum(bands), above=one.above + other.above, bands=bands)
        found[one.folder, one.entity] = one
    return tuple(found.values())


def top_names(cells: Sequence[HeatCell], of: str, most: int) -> list[str]:
    """Return the folders, or entities, that disclose most."""
    sums = defaultdict[str, list[int]](lambda: [0, 0])
    for cell in cells:
        some = sums[getattr(cell, of)]
        some[0] += cell.above
        some[1] += cell.documents
    return sorted(sums, key=lambda one: (-sums[one][0], -sums[one][1], one))[:most]


def pick_examples(
    cells: Sequence[HeatCell], documents: Iterable[ReportedDocument]
) -> dict[tuple[str, str], list[ReportedDocument]]:
    """Return documents for the cells that are shown; those that cost most come first."""
    folders, entities = set(top_names(cells, "folder", MAX_FOLDERS)), set(top_names(cells, "entity", MAX_ENTITIES))
    found = defaultdict[tuple[str, str], list[ReportedDocument]](list)
    for one in documents:
        for told in one.told:
            if one.folder in folders and told.entity in entities and not told.allowed:
                cell = found[one.folder, told.entity]
                if len(cell) < MAX_EXAMPLES:
                    cell.append(replace(one, told=(told,)))
    return found
