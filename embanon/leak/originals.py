"""Return phrases as they are written: from the ledger where it keeps them, else from the document read again.

A document is believed only where its content is still what was scanned: else offsets would give other words.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path

import numpy as np

from embanon.document import Document
from embanon.errors import EmbanonError
from embanon.io import read_documents
from embanon.leak.ledger.ledger import Ledger
from embanon.leak.ledger.records import MENTION
from embanon.leak.ledger.schema import DOCUMENTS, FOLDERS, TEXTS, VERSIONS
from embanon.leak.ledger.sql import sql

DocumentReader = Callable[[str, str], Document | None]
"""Gives a document again, by its name and folder, if it can be read."""


def reread_file(name: str, folder: str) -> Document | None:
    """Read a document again: a file of its own, or one of those in the file that is its folder."""
    for path in (name, folder):
        try:
            if Path(path).is_file():
                return next(
                    (one for one in read_documents(path) if path == name or name in (one.id, f"{path}#{one.id}")), None
                )
        except (EmbanonError, OSError, ValueError):
            continue  # it cannot be read any more, or is no possible name
    return None


def content_digest(document: Document, label: str | None) -> bytes:
    """Return what scans tell the content of a document apart by."""
    said = f"{label or ''}\0{document.language}\0{document.text}"
    return sha256(said.encode("utf-8", "surrogatepass")).digest()


@dataclass(frozen=True, slots=True)
class Originals:
    """Phrases of one ledger, each asked for once."""

    ledger: Ledger
    connection: sql.Connection = field(repr=False)
    reread: DocumentReader | None = field(default=None, repr=False)
    _ledger_texts: dict[int, str | None] = field(default_factory=dict, init=False, repr=False)
    _reread_texts: dict[int, dict[int, str]] = field(default_factory=dict, init=False, repr=False)

    def text(self, version: int, phrase: int) -> str | None:
        """Return a phrase of a version of a document, or nothing where it is neither kept nor to be read."""
        if phrase not in self._ledger_texts:
            kept = sql.select(TEXTS.c.text).where(TEXTS.c.phrase == phrase)
            self._ledger_texts[phrase] = self.connection.execute(kept).scalar()
        text = self._ledger_texts[phrase]
        if text is None and self.reread:
            if version not in self._reread_texts:
                self._reread_texts[version] = self._reread_phrases(version)
            text = self._reread_texts[version].get(phrase)
        return text

    def _reread_phrases(self, version: int) -> dict[int, str]:
        """Read a document again; give its phrases, as long as it is the one that was scanned."""
        columns = (DOCUMENTS.c.name, FOLDERS.c.name.label("folder"), VERSIONS.c.label, VERSIONS.c.content)
        query = sql.select(*columns, VERSIONS.c.mentions).join(DOCUMENTS, DOCUMENTS.c.id == VERSIONS.c.document)
        query = query.join(FOLDERS, FOLDERS.c.id == DOCUMENTS.c.folder).where(VERSIONS.c.id == version)
        row = self.connection.execute(query).first()
        found = self.reread(row.name, row.folder) if self.reread and row is not None and row.name else None
        keyed = self.ledger.secrets.hash_name
        if row is None or found is None or keyed("content", content_digest(found, row.label)) != row.content:
            return {}
        mentions = np.frombuffer(row.mentions, MENTION)[["phrase", "start", "end"]]
        return {phrase: found.text[start:end] for phrase, start, end in mentions.tolist()}
