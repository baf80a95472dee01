"""Give phrases as they are written: from the ledger where it keeps them, else from the document read again.

A document is believed only where its content is still what was scanned: else offsets would give other words.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
import sqlalchemy as sql

from embanon.leak.ledger import Ledger
from embanon.leak.ledger_rows import MENTION
from embanon.leak.ledger_schema import DOCUMENTS, SCANNED, TEXTS

Reread = Callable[[str], tuple[bytes, str] | None]
"""Gives the content, as scans tell it apart, and the text of a document by its name, if it can be read."""


@dataclass(frozen=True, slots=True)
class Originals:
    """Phrases of one ledger, each asked for once."""

    ledger: Ledger
    connection: sql.Connection = field(repr=False)
    reread: Reread | None = field(default=None, repr=False)
    _kept: dict[int, str | None] = field(default_factory=dict, init=False, repr=False)
    _read: dict[int, dict[int, str]] = field(default_factory=dict, init=False, repr=False)

    def text(self, version: int, phrase: int) -> str | None:
        """Give a phrase of a version of a document, or nothing where it is neither kept nor to be read."""
        if phrase not in self._kept:
            kept = sql.select(TEXTS.c.text).where(TEXTS.c.phrase == phrase)
            self._kept[phrase] = self.connection.execute(kept).scalar()
        text = self._kept[phrase]
        if text is None and self.reread:
            if version not in self._read:
                self._read[version] = self._again(version)
            text = self._read[version].get(phrase)
        return text

    def _again(self, version: int) -> dict[int, str]:
        """Read a document again; give its phrases, as long as it is the one that was scanned."""
        query = sql.select(DOCUMENTS.c.name, SCANNED.c.content, SCANNED.c.mentions)
        query = query.join(DOCUMENTS, DOCUMENTS.c.id == SCANNED.c.document).where(SCANNED.c.id == version)
        row = self.connection.execute(query).first()
        found = self.reread(row.name) if self.reread and row is not None and row.name else None
        if row is None or found is None or self.ledger.secrets.keyed("content", found[0]) != row.content:
            return {}
        mentions = np.frombuffer(row.mentions, MENTION)
        columns = (mentions[name].tolist() for name in ("phrase", "start", "end"))
        return {phrase: found[1][start:end] for phrase, start, end in zip(*columns, strict=True)}
