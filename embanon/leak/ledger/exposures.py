"""Which documents that disclose something each user opened on which day, kept up to date for alerts."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from typing import Final

import numpy as np

from embanon.config import PRESETS
from embanon.leak.ledger.schema import DISCLOSURES, DOCUMENTS, EXPOSURES, sql
from embanon.leak.ledger.store import select_in, upsert

EXPOSURE: Final = np.dtype(
    [("day", "<i4"), ("document", "<i8"), ("folder", "<u4"), ("entity", "<u4"), ("risk", "<f8")]
)  # fmt: skip
"""A document that somebody opened on a day, and the risk at which it discloses an entity."""
Exposures = np.ndarray[tuple[int], np.dtype[np.void]]
MIN_RISK: Final = PRESETS["standard"][0]
"""What discloses less is no reason for an alert."""
MONTH_BITS: Final = 5
"""Of days, kept together: thirty-two."""

OpenedVersion = tuple[int, int, int, int]
"""User, day, document and its version."""


def update_exposures(connection: sql.Connection, opened: Iterable[OpenedVersion]) -> None:
    """Write down what users opened that discloses something; what is there already is left."""
    distinct = dict.fromkeys(opened)
    disclosed = defaultdict[int, list[tuple[int, float]]](list)
    query = sql.select(DISCLOSURES.c.version, DISCLOSURES.c.entity, DISCLOSURES.c.risk)
    query = query.where(DISCLOSURES.c.risk >= MIN_RISK)
    for row in select_in(connection, query, DISCLOSURES.c.version, {version for *_, version in distinct}):
        disclosed[row.version].append((row.entity, row.risk))
    telling = [one for one in distinct if one[3] in disclosed]
    places = sql.select(DOCUMENTS.c.id, DOCUMENTS.c.folder)
    documents = {document for _, _, document, _ in telling}
    folders = {row.id: row.folder for row in select_in(connection, places, DOCUMENTS.c.id, documents)}
    fresh = defaultdict[tuple[int, int], list[tuple[int, int, int, int, float]]](list)
    for user, day, document, version in telling:
        fresh[user, day >> MONTH_BITS] += (
            (day, document, folders[document], entity, risk) for entity, risk in disclosed[version]
        )  # fmt: skip
    there = sql.select(EXPOSURES)
    rows = select_in(connection, there, EXPOSURES.c.user, {user for user, _ in fresh})
    before = {(row.user, row.month): parse_exposures(row.opened) for row in rows if (row.user, row.month) in fresh}
    upsert(connection, EXPOSURES, [
        {"user": user, "month": month, "opened": _merge(before.get((user, month)), np.array(added, EXPOSURE))}
        for (user, month), added in fresh.items()
    ])  # fmt: skip


def parse_exposures(data: bytes) -> Exposures:
    """Read what somebody opened."""
    exposures: Exposures = np.frombuffer(data, EXPOSURE)
    return exposures


def _merge(before: Exposures | None, added: Exposures) -> bytes:
    """Return exposures in order, each once: of versions that were opened on one day, what disclosed most."""
    rows = added if before is None else np.concatenate((before, added))
    rows = rows[np.lexsort((-rows["risk"], rows["entity"], rows["document"], rows["day"]))]
    keys = np.stack([rows[name].astype(np.int64) for name in ("day", "document", "entity")])
    kept = np.append(True, np.any(keys[:, 1:] != keys[:, :-1], axis=0))
    merged: Exposures = rows[kept]
    return merged.tobytes()
