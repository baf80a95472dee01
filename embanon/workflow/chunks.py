"""Anonymize documents in chunks, in this process or in others, in the order of their files.

The chunk of a document does not affect its result, so that any number of processes writes the same bytes.
"""

from __future__ import annotations

import hmac
import os
import signal
import threading
from collections import deque
from collections.abc import Generator, Iterable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from dataclasses import dataclass, field
from multiprocessing import get_context, parent_process
from multiprocessing.process import BaseProcess
from pathlib import PurePosixPath
from typing import Any, Final

from embanon.anonymizer import Anonymized, Anonymizer
from embanon.document import Document
from embanon.entities import ProtectionRules, reveals_entity
from embanon.errors import ConfigError
from embanon.io import SourceDocument, as_json, read_sources
from embanon.replace import Edit, Solution, map_to_source, rewrite, seal_of
from embanon.report import summary
from embanon.scoring import ScoredDocument
from embanon.text import PIECE_SIZE
from embanon.workflow.folders import NAME_LIKE, Input, file_ending
from embanon.workflow.outputs import is_json_lines
from embanon.workflow.results import (
    DocumentWarning,
    FileSettings,
    document_warnings,
    remaining_warnings,
    reveals_whom,
    unread_warnings,
)

WRITTEN_FIELDS: Final = ("id", "text", "edits", "embanon")
"""The fields of a line."""
ID_DIGITS: Final = 16
"""Of a keyed id."""
MAX_PENDING_PER_PROCESS: Final = 3
"""Chunks that wait for each process."""


@dataclass(frozen=True, slots=True)
class Chunk:
    """Some documents of a file, or the reason it cannot be read."""

    file: Input
    sources: tuple[SourceDocument, ...] = field(default=(), repr=False)
    is_last: bool = False
    problem: Exception | None = None


@dataclass(frozen=True, slots=True)
class Outcome:
    """The output of a document."""

    record_id: str
    """Its id in its file, if that has more than one."""
    text: str = field(repr=False)
    solutions: tuple[Solution, ...] = field(repr=False)
    warnings: tuple[DocumentWarning, ...]
    has_remaining_risk: bool
    identifying_parts: frozenset[str] = field(repr=False)
    """Parts of the name of its file that give somebody away."""
    numbers: dict[str, Any] | None = None
    """What it is summed up by."""


Outcomes = Sequence[Outcome] | Exception


def read_chunks(files: Iterable[Input], settings: FileSettings) -> Iterator[Chunk]:
    """Read files, and yield their documents in chunks."""
    for file in files:
        held, size = list[SourceDocument](), 0
        try:
            if is_json_lines(file.path, settings.format) and (
                repeated := [name for name in settings.carry if name in WRITTEN_FIELDS]
            ):
                raise ConfigError(f"--carry {repeated[0]}: is written anyway; leave it out")
            for source in read_sources(file.path, settings.read_options(), settings.format):
                held.append(source)
                size += len(source.document.text)
                if size > PIECE_SIZE:
                    yield Chunk(file, tuple(held))
                    held, size = [], 0
        except BrokenPipeError:
            raise
        except Exception as exc:
            yield Chunk(file, is_last=True, problem=exc)
        else:
            yield Chunk(file, tuple(held), is_last=True)


@dataclass(frozen=True, slots=True)
class Worker:
    """Anonymizes documents, and prepares their output."""

    anonymizer: Anonymizer
    rules: ProtectionRules
    settings: FileSettings
    id_key: bytes = field(repr=False)
    """Makes published ids."""

    def outcomes(self, chunk: Chunk) -> Outcomes:
        """Anonymize a chunk, or return the reason it fails."""
        try:
            documents = [source.document for source in chunk.sources]
            results = self.anonymizer.anonymize_all(documents, self.rules, rank=self.settings.rank)
            return [
                self._outcome(chunk.file, source, result)
                for source, result in zip(chunk.sources, results, strict=bool(documents))
            ]
        except BrokenPipeError:
            raise
        except Exception as exc:
            return exc

    def _outcome(self, file: Input, source: SourceDocument, result: Anonymized) -> Outcome:
        publish, scored_document = self.settings.publish, result.scored_document
        is_lines = is_json_lines(file.path, self.settings.format)
        carried = self._carried(source.document) if is_lines else {}
        id = source.record_id or source.document.id
        shown = keyed_id(self.id_key, id) if publish and (is_lines or source.id_span) else id
        edits = map_to_source(source, result.edits)
        if publish and source.id_span:
            id_edit = Edit(*source.id_span, shown, None, 0.0, "CODE", -1, "id", -1)
            edits = sorted([*edits, id_edit], key=lambda edit: edit.start)
        text, solutions = rewrite(shown, source.raw, edits)
        if self.settings.seal:
            solutions.append(seal_of(shown, text, solutions))
        if is_lines:
            row = result.to_dict() | {"id": shown} | carried
            text = as_json({name: row[name] for name in row if name != "edits" or not publish}) + "\n"
        return Outcome(
            shown if source.record_id else "",
            source.prefix + text,
            tuple(solutions),
            (
                *document_warnings(scored_document, file.path, self.settings.rank),
                *remaining_warnings(result, file.path),
                *unread_warnings(source, scored_document, file.path, carried, publish),
            ),
            result.has_remaining_risk,
            frozenset(p for p in PurePosixPath(file.relative).parts if self._is_identifying(p, scored_document)),
            summary(result) if self.settings.count_risks else None,
        )

    def _is_identifying(self, part: str, scored_document: ScoredDocument) -> bool:
        """Return whether a part of a file name gives a person away; if everyone is protected, any word may."""
        stem = part.removesuffix(file_ending(part))
        if scored_document.protected.everyone and NAME_LIKE.search(stem):
            return True
        everybody = (self.rules.for_all, *self.rules.by_document.values())
        known = (entity for protected in everybody for entity in protected.entities)
        return reveals_whom(scored_document, stem) or reveals_entity(stem, known, scored_document.analysis.language)

    def _carried(self, document: Document) -> dict[str, Any]:
        """Return the fields of a line that are written unchanged."""
        row = {**document.fields, "language": document.language}
        return {name: row[name] for name in self.settings.carry if name in row}


def keyed_id(key: bytes, id: str) -> str:
    """Return an id that reveals nothing without the key."""
    return hmac.digest(key, f"id\0{id}".encode("utf-8", "replace"), "sha256").hex()[:ID_DIGITS]


def anonymize_chunks(chunks: Iterable[Chunk], worker: Worker) -> Generator[tuple[Chunk, Outcomes], None, None]:
    """Yield the outcomes of each chunk, in order."""
    jobs = worker.settings.jobs or os.cpu_count() or 1
    if jobs == 1:
        yield from ((chunk, worker.outcomes(chunk)) for chunk in chunks)
        return
    waiting = deque[tuple[Chunk, Future[Outcomes]]]()
    with ProcessPoolExecutor(jobs, get_context("spawn"), _initialize_process, (worker,)) as pool:
        try:
            for chunk in chunks:
                waiting.append((chunk, pool.submit(_process_chunk, chunk)))
                if len(waiting) > MAX_PENDING_PER_PROCESS * jobs:
                    first, future = waiting.popleft()
                    yield first, future.result()
            while waiting:
                first, future = waiting.popleft()
                yield first, future.result()
        finally:
            pool.shutdown(wait=True, cancel_futures=True)


_WORKERS: Final[list[Worker]] = []
"""What a process of ours works with."""


def _initialize_process(worker: Worker) -> None:
    """Prepare a worker process, which ignores interrupts and ends with its parent."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_exit_with_parent, args=(parent_process(),), daemon=True).start()
    _WORKERS[:] = [worker]


def _exit_with_parent(parent: BaseProcess | None) -> None:
    if parent is not None:
        parent.join()
        os._exit(1)


def _process_chunk(chunk: Chunk) -> Outcomes:
    return _WORKERS[0].outcomes(chunk)
