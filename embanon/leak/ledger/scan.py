"""Results of scans: a new version of a document whenever its content, or what scans it, changes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np

from embanon.errors import ConfigError
from embanon.language import key
from embanon.leak.ledger.access import settle_waiting
from embanon.leak.ledger.adoption import adopt_people
from embanon.leak.ledger.documents import (
    DisclosureRows,
    EntityValues,
    LastVersion,
    add_documents,
    adopt_policy,
    document_worth,
    find_last_versions,
    read_disclosed,
    read_values,
    replace_versions,
)
from embanon.leak.ledger.records import MENTION, EntityDisclosure, ScanResult, storable
from embanon.leak.ledger.schema import DISCLOSURES, DOCUMENTS, TEXTS, VERSIONS, sql
from embanon.leak.ledger.store import Batch, Ledger, chunks, insert, upsert
from embanon.leak.policy import LedgerSettings, Policy

GONE: Final = b""


@dataclass(frozen=True, slots=True, eq=False)
class LedgerScan:
    """A scan that has begun."""

    ledger: Ledger
    id: int
    fingerprint: bytes
    entities: Mapping[str, int] = field(repr=False)
    """Key of a name -> number."""
    settings: LedgerSettings

    @classmethod
    def begin(cls, ledger: Ledger, policy: Policy, fingerprint: bytes = b"") -> LedgerScan:
        """Begin a scan. The fingerprint is of all that risks depend on: model, options, entities with their names."""
        made = ledger.secrets.hash_name("content", b"fingerprint" + fingerprint)
        entities = adopt_policy(ledger, policy)
        adopt_people(ledger, policy)
        with ledger.writing("scan") as batch:
            id = batch.add_event("scan", {"fingerprint": made.hex()})
        return cls(ledger, id, made, entities, policy.ledger)

    def find_current(self, documents: Iterable[tuple[str, bytes]]) -> set[str]:
        """Return the names of documents that are in the ledger with this content, and need no scan."""
        secrets, current = self.ledger.secrets, set[str]()
        with self.ledger.reading() as connection:
            for chunk in chunks(documents):
                keyed = {secrets.hash_name("document", name): (name, content) for name, content in chunk}
                for version in find_last_versions(connection, keyed):
                    name, content = keyed[version.keyed]
                    if self._is_current(version, content):
                        current.add(name)
        return current

    def find_same_content(self, content: bytes) -> ScanResult | None:
        """Return what was found of another document with the same content, whatever the names of both."""
        same = (VERSIONS.c.content == self._content_hash(content)) & (VERSIONS.c.fingerprint == self.fingerprint)
        with self.ledger.reading() as connection:
            query = sql.select(VERSIONS, DOCUMENTS.c.name).join(DOCUMENTS, DOCUMENTS.c.id == VERSIONS.c.document)
            row = connection.execute(query.where(same).order_by(VERSIONS.c.id).limit(1)).mappings().first()
            if row is None:
                return None
            names = {number: name for name, number in self.entities.items()}
            disclosed = read_disclosed(connection, row["id"], row["mentions"], names)
        details = row["length"], row["unknown"], row["label"]
        return ScanResult(row["name"] or "", content, disclosed, *details, sensitivity=row["sensitivity"])

    def sketches(self) -> Iterator[tuple[int, str | None, bytes]]:
        """Return the sketches of all documents as they are: what near duplicates are found by."""
        query = sql.select(DOCUMENTS.c.id, DOCUMENTS.c.name, VERSIONS.c.sketch)
        query = query.join(VERSIONS, VERSIONS.c.id == DOCUMENTS.c.version).where(VERSIONS.c.sketch.is_not(None))
        with self.ledger.reading() as connection:
            for row in connection.execution_options(yield_per=10_000).execute(query.order_by(DOCUMENTS.c.id)):
                yield tuple(row)

    def record(self, results: Sequence[ScanResult]) -> int:
        """Write down documents, all of them or none; what is there already is left. Return how many are new."""
        with self.ledger.writing("documents") as batch:
            return self._record(batch, list({one.name: one for one in results}.values()))

    def record_gone(self, names: Sequence[str]) -> int:
        """Write down that documents are no longer there."""
        return self.record([ScanResult(name, GONE) for name in names])

    def end(self, counts: Mapping[str, int]) -> int:
        """End the scan with its counts; return how many accesses waited for what it found."""
        with self.ledger.writing("scan") as batch:
            batch.add_event("scan ended", dict(counts), self.id)
        return settle_waiting(self.ledger)

    def _content_hash(self, content: bytes) -> bytes | None:
        return self.ledger.secrets.hash_name("content", content) if content != GONE else None

    def _is_current(self, version: LastVersion, content: bytes) -> bool:
        held = version.number > 0 and version.content == self._content_hash(content)
        return held and (content == GONE or version.fingerprint == self.fingerprint)

    def _record(self, batch: Batch, results: list[ScanResult]) -> int:
        keyed = {self.ledger.secrets.hash_name("document", one.name): one for one in results}
        known = {one.keyed: one for one in find_last_versions(batch.connection, keyed)}
        new = {
            hash: result
            for hash, result in keyed.items()
            if not (hash in known and self._is_current(known[hash], result.content))
            and (hash in known or result.content != GONE)
        }
        if not new:
            return 0
        fresh = {hash: (one.name, one.folder) for hash, one in new.items() if hash not in known}
        known |= {one.keyed: one for one in add_documents(batch, fresh, self.settings)}
        entities = {self._entity_id(key(some.entity)) for one in new.values() for some in one.disclosed}
        values = read_values(batch.connection, entities)
        before = [known[hash] for hash in new]
        made = self._add_versions(batch, list(new.values()), before, values)
        replace_versions(batch.connection, before, made, values)
        if self.settings.text:
            self._write_texts(batch, results)
        return len(new)

    def _add_versions(
        self, batch: Batch, new: Sequence[ScanResult], before: Sequence[LastVersion], values: EntityValues
    ) -> dict[int, tuple[int, DisclosureRows]]:
        """Add versions and what they disclose; give those of each document."""
        near = self._near_versions(batch.connection, new)
        versions, made = list[dict[str, Any]](), dict[int, tuple[int, DisclosureRows]]()
        for id, (result, old) in enumerate(zip(new, before, strict=True), batch.next_id(VERSIONS)):
            rows_of = [self._disclosure_row(id, some) for some in _check_entities(result)]
            disclosed = sorted((row for row, _ in rows_of), key=lambda row: int(row["entity"]))
            made[old.id] = id, disclosed
            versions.append({
                "id": id, "document": old.id, "number": old.number + 1, "scan": self.id,
                "since": batch.at if result.since is None else result.since,
                "content": self._content_hash(result.content), "fingerprint": self.fingerprint,
                "length": result.length, "unknown": result.unknown_words,
                "label": None if result.label is None else storable(result.label),
                "near": near.get(result.near_duplicate_of or "", 0),
                "worth": document_worth(disclosed, values)[0], "sketch": result.sketch or None,
                "mentions": b"".join(mentions for _, mentions in rows_of), "disclosures": disclosed,
                "sensitivity": None if result.sensitivity is None else float(result.sensitivity),
            })  # fmt: skip
        batch.add(VERSIONS, versions)
        insert(batch.connection, DISCLOSURES, [row for _, rows in made.values() for row in rows])
        return made

    def _disclosure_row(self, version: int, disclosure: EntityDisclosure) -> tuple[dict[str, Any], bytes]:
        number = self._entity_id(key(disclosure.entity))
        seen = [(number, some.start, some.end, self._phrase_id(some.phrase), some.risk) for some in disclosure.phrases]
        row = {
            "version": version, "entity": number, "strength": float(disclosure.strength),
            "risk": float(disclosure.risk), "phrases": len({phrase for _, _, _, phrase, _ in seen}),
            "allowed": int(disclosure.allowed),
        }  # fmt: skip
        return row, np.array(seen, MENTION).tobytes()

    def _entity_id(self, name: str) -> int:
        if name not in self.entities:
            raise ConfigError("a scan names an entity that is not in its policy; begin it with the policy it uses")
        return self.entities[name]

    def _phrase_id(self, phrase: str | int) -> int:
        return self.ledger.secrets.hash_phrase(phrase) if isinstance(phrase, str) else phrase

    def _near_versions(self, connection: sql.Connection, results: Iterable[ScanResult]) -> dict[str | bytes, int]:
        hashed = self.ledger.secrets.hash_name
        near = {one.near_duplicate_of for one in results if one.near_duplicate_of}
        keyed = {one if isinstance(one, bytes) else hashed("document", one): one for one in near}
        return {keyed[one.keyed]: one.version for one in find_last_versions(connection, keyed)}

    def _write_texts(self, batch: Batch, results: Iterable[ScanResult]) -> None:
        rows = {
            self._phrase_id(phrase.phrase): phrase.phrase
            for result in results
            for disclosure in result.disclosed
            for phrase in disclosure.phrases
            if isinstance(phrase.phrase, str)
        }
        upsert(batch.connection, TEXTS, [{"phrase": id, "text": storable(text)} for id, text in rows.items()])


def _check_entities(result: ScanResult) -> tuple[EntityDisclosure, ...]:
    if len({key(one.entity) for one in result.disclosed}) < len(result.disclosed):
        raise ValueError("an entity is disclosed once in a document, by all of its phrases")
    return result.disclosed
