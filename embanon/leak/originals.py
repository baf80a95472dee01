"""Phrases as they are written, from the ledger or the document read again; and names of entities, hidden.

A document is believed only where its content is still what was scanned: else offsets would give other words.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

import numpy as np

from embanon.document import Document
from embanon.errors import EmbanonError
from embanon.io import read_documents
from embanon.language import key
from embanon.leak.alerts import Alert
from embanon.leak.findings import Disclosure, LearnedPhrase, QuotedPhrase, ReportedDocument, ReportedEntity
from embanon.leak.ledger.records import MENTION
from embanon.leak.ledger.report import document_names, known_facts
from embanon.leak.ledger.schema import DOCUMENTS, FOLDERS, TEXTS, VERSIONS, sql
from embanon.leak.ledger.store import Ledger, chunks
from embanon.leak.policy import Policy

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
    written = f"{label or ''}\0{document.language}\0{document.text}"
    return sha256(written.encode("utf-8", "surrogatepass")).digest()


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
        document = self.reread(row.name, row.folder) if self.reread and row is not None and row.name else None
        keyed = self.ledger.secrets.hash_name
        if row is None or document is None or keyed("content", content_digest(document, row.label)) != row.content:
            return {}
        mentions = np.frombuffer(row.mentions, MENTION)[["phrase", "start", "end"]]
        return {phrase: document.text[start:end] for phrase, start, end in mentions.tolist()}


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
        quoted = list[ReportedDocument]()
        for chunk in chunks(documents, 500):
            same = VERSIONS.c.id.in_([document.version for document in chunk])
            rows = self.connection.execute(sql.select(VERSIONS.c.id, VERSIONS.c.mentions).where(same))
            mentions = {row.id: np.frombuffer(row.mentions, MENTION) for row in rows}
            for document in chunk:
                version = document.version
                disclosed = (self._quote_disclosure(version, one, mentions[version]) for one in document.told)
                quoted.append(replace(document, told=tuple(disclosed)))
        return tuple(quoted)

    def _quote_disclosure(self, version: int, disclosure: Disclosure, mentions: Any) -> Disclosure:
        places_of = mentions[mentions["entity"] == disclosure.number]
        places_of = places_of[np.lexsort((places_of["start"], -places_of["risk"]))][:MAX_PHRASES]
        places = (
            QuotedPhrase(start, end, risk, self.originals.text(version, phrase) if self.originals else None)
            for _, start, end, phrase, risk in places_of.tolist()
        )
        return replace(disclosure, places=tuple(places))

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


# Names of entities, hidden

COMBINING_MARKS: Final = "\u0300-\u036f\u3099\u309a"
"""What some systems put behind a letter to make another of it: names of files are written apart on macOS."""
WORD_PART: Final = re.compile(rf"(?:[^\W\d_][{COMBINING_MARKS}]*)+|\d+")
PATH_SEPARATORS: Final = frozenset("/\\")


@dataclass(frozen=True, slots=True)
class NameHider:
    """Names, however their words are joined, with their pseudonyms."""

    names: dict[str, str] = field(default_factory=dict, repr=False)
    max_length: int = 0

    @classmethod
    def from_policy(cls, policy: Policy) -> NameHider:
        """Take the names and aliases of a policy."""
        names = dict[str, str]()
        for number, item in enumerate(policy.entities, 1):
            for name in (item.name, *item.aliases):
                if joined := "".join(key(name[start:end]) for start, end in _word_spans(name)):
                    names.setdefault(joined, f"e{number}")
        return cls(names, max(map(len, names), default=0))

    def __call__(self, text: str) -> str:
        """Return a text with what stands for names in their place: whole words, `aNameLikeThis`, or before a number."""
        spans = list(_word_spans(text)) if self.names else []
        words = [key(text[start:end]) for start, end in spans]
        parts, last, place = list[str](), 0, 0
        while place < len(words):
            end = self._longest_name_end(text, spans, words, place)
            if end > place:
                parts += (text[last : spans[place][0]], self.names["".join(words[place:end])])
                last = spans[end - 1][1]
            place = max(end, place + 1)
        return "".join((*parts, text[last:]))

    def _longest_name_end(self, text: str, spans: list[tuple[int, int]], words: list[str], place: int) -> int:
        """Return the end of the longest name that begins at a word, within one folder."""
        joined, longest = "", place
        for end in range(place, len(words)):
            joined += words[end]
            apart = end > place and not PATH_SEPARATORS.isdisjoint(text[spans[end - 1][1] : spans[end][0]])
            if apart or len(joined) > self.max_length:
                break
            longest = end + 1 if joined in self.names else longest
        return longest


def _word_spans(text: str) -> Iterator[tuple[int, int]]:
    """Return words as half-open spans, parted where a small letter is followed by a capital."""
    for match in WORD_PART.finditer(text):
        start = match.start()
        for place in range(start + 1, match.end()):
            if text[place].isupper() and text[place - 1].islower():
                yield start, place
                start = place
        yield start, match.end()
