"""How files are read and written, the result of each, and its warnings."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from embanon.anonymizer import Anonymized, describe_remaining
from embanon.entities import reveals_protected
from embanon.errors import InputError
from embanon.io import ReadOptions, SourceDocument, TextColumns
from embanon.model import fitness_problem
from embanon.risk import CorpusRarity, others_caution
from embanon.scoring import ScoredDocument

Progress = Callable[[str, float, float], None]
"""Takes a step, how many bytes of it are done, and of how many."""

NO_TAGGER, UNFIT_MODEL, UNKNOWN_NAME = "no-tagger", "unfit-model", "unknown-name"
NOT_NAMED, RANK_NOT_REACHED, PART_OMITTED = "not-named", "rank-not-reached", "part-omitted"
NAME_OUTSIDE_TEXT, NAME_IN_ID, NOT_FOUND = "name-outside-text", "name-in-id", "not-found"
NAME_REMAINS, SPEAKS_OF_OTHERS = "name-remains", "speaks-of-others"
NOTES: Final = frozenset((NO_TAGGER, UNFIT_MODEL, SPEAKS_OF_OTHERS))
"""What holds for many documents, and need be said only once."""
MAX_LISTED_ENTITIES: Final = 5


def ignore_progress(_step: str, _done: float, _of: float) -> None:
    """Ignore progress."""


@dataclass(frozen=True, slots=True)
class FileSettings:
    """How files are read and written."""

    format: str | None = None
    """`None` is what the name of each file says."""
    encoding: str | None = None
    columns: tuple[str, ...] = ("text",)
    """Columns of a table to read as text."""
    id_column: str | None = None
    carry: tuple[str, ...] = ()
    """Fields of lines and columns of tables that are written as they are."""
    publish: bool = False
    """Leave out the edits, and replace ids and names of files."""
    id_key: bytes | None = field(default=None, repr=False)
    """Makes the same published ids each time; `None` is by chance."""
    table_key: bytes | None = field(default=None, repr=False)
    """Encrypts the table of solutions."""
    force: bool = False
    """Restore also by a table that seems to be of another text."""
    seal: bool = False
    """Seal the solutions of each text: a table of them is written."""
    rank: int = 0
    """Raise risks until attackers rank the entity behind it."""
    jobs: int = 1
    """Processes that work at the same time; 0 is one a processor."""
    count_risks: bool = False
    """Sum up each document in numbers."""

    def read_options(self) -> ReadOptions:
        """Return how files are read."""
        return ReadOptions(self.encoding, TextColumns(self.columns, self.id_column, self.carry))


@dataclass(frozen=True, slots=True)
class DocumentWarning:
    """A warning about a document, which never quotes its text."""

    code: str
    document: str
    """The path of its file, with its id where the file has several; empty where it is not about one document."""
    message: str

    @property
    def is_note(self) -> bool:
        """Return whether the warning holds for many documents without being a failure."""
        return self.code in NOTES

    def __str__(self) -> str:
        return f"{self.document}: {self.message}" if self.document else self.message


@dataclass(frozen=True, slots=True)
class FileResult:
    """The result of a file."""

    path: str
    output: str | None = None
    """Where it was written; `None` where it was not, or shares a file with others."""
    text: str = field(default="", repr=False)
    documents: int = 0
    warnings: tuple[DocumentWarning, ...] = ()
    has_remaining_risk: bool = False
    """Whether a risk at or above the limit is left."""
    numbers: tuple[Mapping[str, Any], ...] = field(default=(), repr=False)
    """Of each document, where risks are counted."""
    problem: Exception | None = None
    """Why it was left out."""
    codec: str = "utf-8"
    byte_order_mark: bytes = b""

    @property
    def is_clean(self) -> bool:
        """Return whether there is nothing to warn of."""
        warned = any(not warning.is_note for warning in self.warnings)
        return self.problem is None and not self.has_remaining_risk and not warned

    def to_bytes(self) -> bytes:
        """Return the text in the encoding of its file, with its byte-order mark."""
        try:
            return self.byte_order_mark + self.text.encode(self.codec)
        except UnicodeEncodeError:  # which quotes the text
            reason = "has a character that its encoding cannot write; save it as UTF-8"
            raise InputError(f"{self.path}: {reason}") from None


def unlisted_results(problems: Sequence[str]) -> Iterator[FileResult]:
    """Yield a result for each input that cannot be listed."""
    for problem in problems:
        yield FileResult(problem.partition(": ")[0], problem=InputError(problem))


def document_warnings(scored_document: ScoredDocument, path: str, rank: int) -> Iterator[DocumentWarning]:
    """Yield reasons to doubt the risks of a document."""
    analysis, scored = scored_document.analysis, scored_document.scored
    id = document_label(path, analysis.document.id)
    if analysis.uses_fallback:
        yield DocumentWarning(NO_TAGGER, "", f"no tagger for {analysis.language!r}: phrases are found by script alone")
    if missing := [f"e{number + 1}" for number in scored.unmentioned]:
        is_nobody = len(missing) == len(scored_document.protected.entities)
        effect = ": scored as if all of it were about them" if is_nobody else ""
        names = ", ".join(missing[:MAX_LISTED_ENTITIES])
        yield DocumentWarning(NOT_NAMED, id, f"does not name {names}{effect}; check the spelling, or add aliases")
    if kept := int(scored.kept_for_others(scored_document.limits).sum()):
        yield DocumentWarning(SPEAKS_OF_OTHERS, id, others_caution(kept))
    if scored.uncompared:
        names = ", ".join(f"e{number + 1}" for number in scored.uncompared[:MAX_LISTED_ENTITIES])
        yield DocumentWarning(UNKNOWN_NAME, id, f"the scorer knows no name of {names}; add an alias that it knows")
    if not scored.measured.has_names:
        yield DocumentWarning(UNKNOWN_NAME, id, "names nobody to compare with; all phrases count as the riskiest")
    if isinstance(scored_document.rarity, CorpusRarity):
        problem = fitness_problem(analysis.document.text, analysis.language, scored_document.rarity.model)
        if problem:
            yield DocumentWarning(UNFIT_MODEL, id, f"{problem}; low risks mean little (embanon doctor)")
    if rank and not scored_document.is_rank_reached:
        reason = (
            "words outside its phrases give it away"
            if scored_document.exposure
            else "the background has no text about its entity"
        )
        yield DocumentWarning(RANK_NOT_REACHED, id, f"not behind rank {rank}: {reason}")


def remaining_warnings(result: Anonymized, path: str) -> Iterator[DocumentWarning]:
    """Yield where words stay in a document that may be names of whom to protect."""
    if result.remaining_names:
        yield DocumentWarning(NAME_REMAINS, document_label(path, result.id), describe_remaining(result))


def unread_warnings(
    source: SourceDocument, scored_document: ScoredDocument, path: str, carried: Mapping[str, Any], publish: bool
) -> Iterator[DocumentWarning]:
    """Yield what is left out of a document, and where unread parts have protected names."""
    id = document_label(path, source.document.id)
    yield from (DocumentWarning(PART_OMITTED, id, reason) for reason in source.omitted_parts)
    unread = [source.prefix, *(source.raw[start:end] for start, end in source.unread_spans)]
    unread += [json.dumps(value, ensure_ascii=False) for value in carried.values()]
    if reveals_whom(scored_document, "\n".join(unread)):
        reason = "a part of a protected name is in what is not read, and stays (scripts, styles, fields)"
        yield DocumentWarning(NAME_OUTSIDE_TEXT, id, reason)
    if source.record_id and not publish and reveals_whom(scored_document, source.record_id):
        reason = "the id has a part of a protected name, and stays; --publish replaces ids"
        yield DocumentWarning(NAME_IN_ID, id, reason)


def document_label(path: str, id: str) -> str:
    """Return the name of a document for messages."""
    return path if id == path else f"{path}, {id}"


def reveals_whom(scored_document: ScoredDocument, text: str) -> bool:
    """Return whether words outside the text contain a part of a protected name."""
    people, language = scored_document.scored.people, scored_document.analysis.language
    return reveals_protected(text, scored_document.protected, people, language)
