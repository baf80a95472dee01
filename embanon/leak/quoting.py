"""Put phrases to what is shown of documents, and to what users have learnt."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np

from embanon.leak.findings import Learnt, Place, Protected, Shown, Told
from embanon.leak.ledger.ledger import chunks
from embanon.leak.ledger.report import document_names, facts_known
from embanon.leak.ledger.rows import MENTION
from embanon.leak.ledger.schema import SCANNED
from embanon.leak.ledger.sql import sql
from embanon.leak.misuse import Alert
from embanon.leak.originals import Originals

PLACES: Final = 20
"""Phrases that are listed of a document and entity, or of what somebody knows."""


@dataclass(frozen=True, slots=True)
class Phrases:
    """Puts phrases to what is shown; without originals it leaves all as it is."""

    connection: sql.Connection
    originals: Originals | None

    def put(self, documents: Iterable[Shown]) -> tuple[Shown, ...]:
        """Give documents with the phrases by which they tell, as they are written where that can be known."""
        if self.originals is None:
            return tuple(documents)
        found = list[Shown]()
        for some in chunks(documents, 500):
            query = sql.select(SCANNED.c.id, SCANNED.c.mentions).where(SCANNED.c.id.in_([one.version for one in some]))
            mentions = {row.id: np.frombuffer(row.mentions, MENTION) for row in self.connection.execute(query)}
            found += [
                replace(one, told=tuple(self._placed(one.version, told, mentions[one.version]) for told in one.told))
                for one in some
            ]
        return tuple(found)

    def _placed(self, version: int, told: Told, mentions: Any) -> Told:
        own = mentions[mentions["entity"] == told.number]
        own = own[np.lexsort((own["start"], -own["risk"]))][:PLACES]
        places = (
            Place(start, end, risk, self.originals.text(version, phrase) if self.originals else None)
            for _, start, end, phrase, risk in own.tolist()
        )
        return replace(told, places=tuple(places))

    def learnt(self, user: int, entities: Mapping[int, Protected], alert: Alert | None = None) -> tuple[Learnt, ...]:
        """Give the most telling phrases that a user has learnt; or those that made an alert."""
        facts = facts_known(self.connection, user, alert)
        worth = facts["risk"] * np.array([entities[one].value for one in facts["entity"].tolist()])
        facts = facts[np.lexsort((facts["phrase"], -worth))][:PLACES]
        documents = document_names(self.connection, facts["version"].tolist())
        return tuple(
            Learnt(
                documents[version], entities[entity].label, day, risk,
                self.originals.text(version, phrase) if self.originals else None,
            )
            for entity, day, phrase, risk, version in facts.tolist()
        )  # fmt: skip
