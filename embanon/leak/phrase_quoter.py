"""Put phrases to what is shown of documents, and to what users have learnt."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np

from embanon.leak.findings import Disclosure, LearnedPhrase, QuotedPhrase, ReportedDocument, ReportedEntity
from embanon.leak.ledger.ledger import chunks
from embanon.leak.ledger.records import MENTION
from embanon.leak.ledger.report import document_names, known_facts
from embanon.leak.ledger.schema import VERSIONS
from embanon.leak.ledger.sql import sql
from embanon.leak.misuse import Alert
from embanon.leak.originals import Originals

MAX_PHRASES: Final = 20
"""Phrases that are listed of a document and entity, or of what somebody knows."""


@dataclass(frozen=True, slots=True)
class PhraseQuoter:
    """Puts phrases to what is shown; without originals it leaves all as it is."""

    connection: sql.Connection
    originals: Originals | None

    def quote(self, documents: Iterable[ReportedDocument]) -> tuple[ReportedDocument, ...]:
        """Return documents with the phrases by which they tell, as they are written where that can be known."""
        if self.originals is None:
            return tuple(documents)
        found = list[ReportedDocument]()
        for some in chunks(documents, 500):
            query = sql.select(VERSIONS.c.id, VERSIONS.c.mentions).where(
                VERSIONS.c.id.in_([one.version for one in some])
            )
            mentions = {row.id: np.frombuffer(row.mentions, MENTION) for row in self.connection.execute(query)}
            found += [
                replace(
                    one,
                    told=tuple(self._quote_disclosure(one.version, told, mentions[one.version]) for told in one.told),
                )
                for one in some
            ]
        return tuple(found)

    def _quote_disclosure(self, version: int, told: Disclosure, mentions: Any) -> Disclosure:
        own = mentions[mentions["entity"] == told.number]
        own = own[np.lexsort((own["start"], -own["risk"]))][:MAX_PHRASES]
        places = (
            QuotedPhrase(start, end, risk, self.originals.text(version, phrase) if self.originals else None)
            for _, start, end, phrase, risk in own.tolist()
        )
        return replace(told, places=tuple(places))

    def learned_phrases(
        self, user: int, entities: Mapping[int, ReportedEntity], alert: Alert | None = None
    ) -> tuple[LearnedPhrase, ...]:
        """Return the most telling phrases that a user has learnt; or those that made an alert."""
        facts = known_facts(self.connection, user, alert)
        worth = facts["risk"] * np.array([entities[one].value for one in facts["entity"].tolist()])
        facts = facts[np.lexsort((facts["phrase"], -worth))][:MAX_PHRASES]
        documents = document_names(self.connection, facts["version"].tolist())
        return tuple(
            LearnedPhrase(
                documents[version], entities[entity].label, day, risk,
                self.originals.text(version, phrase) if self.originals else None,
            )
            for entity, day, phrase, risk, version in facts.tolist()
        )  # fmt: skip
