"""Anonymize documents some at a time, in this process or in others, in the order of their files.

Which chunk a document is in changes nothing of what it becomes, so that any number of processes gives the same bytes.
"""

from __future__ import annotations

import argparse
import hmac
import json
import os
import signal
import sys
import threading
from collections import deque
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from dataclasses import dataclass, field, replace
from multiprocessing import get_context, parent_process
from multiprocessing.process import BaseProcess
from pathlib import PurePosixPath
from typing import Any, Final

from embanon.anonymizer import Anonymized, Anonymizer
from embanon.cli.options import open_anonymizer, report_warnings, text_columns
from embanon.document import Document
from embanon.entities import ProtectionRules, reveals_entity, reveals_protected
from embanon.errors import ConfigError
from embanon.io import ReadOptions, SourceDocument, as_json, read_sources, say
from embanon.replace import Edit, Solution, map_to_source, rewrite
from embanon.report import summary
from embanon.scoring import ScoredDocument
from embanon.text import PIECE_SIZE
from embanon.workflow.folders import NAME_LIKE, Input, file_ending
from embanon.workflow.outputs import is_json_lines

WRITTEN_FIELDS: Final = ("id", "text", "edits", "embanon")
"""The fields of a line."""
DIGITS: Final = 16
"""Of a keyed id."""
MAX_PENDING_PER_PROCESS: Final = 3
"""Chunks that wait for each process."""


@dataclass(frozen=True, slots=True)
class Chunk:
    """Some documents of a file, the last of them, or why it cannot be read."""

    file: Input
    sources: tuple[SourceDocument, ...] = field(default=(), repr=False)
    last: bool = False
    problem: Exception | None = None


@dataclass(frozen=True, slots=True)
class Outcome:
    """What is written of a document."""

    record_id: str
    """Its id in its file, if that has more than one."""
    text: str = field(repr=False)
    solutions: tuple[Solution, ...] = field(repr=False)
    code: int
    identifying_parts: frozenset[str] = field(repr=False)
    """Parts of the name of its file that give somebody away."""
    numbers: dict[str, Any] | None = None
    """What it is summed up by, where a user looks on."""


Outcomes = Sequence[Outcome] | Exception


def read_chunks(files: Iterable[Input], options: argparse.Namespace) -> Iterator[Chunk]:
    """Read files, and cut them into chunks."""
    reading = ReadOptions(options.encoding, text_columns(options, options.carry))
    for one in files:
        held, size = list[SourceDocument](), 0
        try:
            if is_json_lines(one.path, options.format) and (
                taken := [name for name in options.carry if name in WRITTEN_FIELDS]
            ):
                raise ConfigError(f"--carry {taken[0]}: is written anyway; leave it out")
            for source in read_sources(one.path, reading, options.format):
                held.append(source)
                size += len(source.document.text)
                if size > PIECE_SIZE:
                    yield Chunk(one, tuple(held))
                    held, size = [], 0
        except BrokenPipeError:
            raise
        except Exception as exc:
            yield Chunk(one, last=True, problem=exc)
        else:
            yield Chunk(one, tuple(held), last=True)


def anonymize_chunks(
    some: Iterable[Chunk], options: argparse.Namespace, asked: ProtectionRules, key: bytes, doing: Anonymizer
) -> Generator[tuple[Chunk, Outcomes], None, None]:
    """Return what becomes of each chunk, in order."""
    jobs = options.jobs or os.cpu_count() or 1
    if jobs == 1:
        worker = Worker(options, asked, key, doing)
        yield from ((chunk, _try_chunk(worker, chunk)) for chunk in some)
        return
    waiting = deque[tuple[Chunk, Future[Outcomes]]]()
    with ProcessPoolExecutor(
        jobs, get_context("spawn"), _initialize_process, (options, asked, key, doing.secret)
    ) as pool:
        try:
            for chunk in some:
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


def _initialize_process(options: argparse.Namespace, asked: ProtectionRules, key: bytes, secret: bytes) -> None:
    """Get a process ready; that the user interrupts is heard by the one that started it, with which it ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_exit_with_parent, args=(parent_process(),), daemon=True).start()
    _WORKERS[:] = [Worker(options, asked, key, replace(open_anonymizer(options), secret=secret))]


def _exit_with_parent(parent: BaseProcess | None) -> None:
    if parent is not None:
        parent.join()
        os._exit(1)


def _process_chunk(chunk: Chunk) -> Outcomes:
    return _try_chunk(_WORKERS[0], chunk)


def _try_chunk(worker: Worker, chunk: Chunk) -> Outcomes:
    try:
        return worker.outcomes(chunk)
    except BrokenPipeError:
        raise
    except Exception as exc:
        return exc


@dataclass(frozen=True, slots=True)
class Worker:
    """Anonymizes documents, and says what is written of them."""

    options: argparse.Namespace
    protection: ProtectionRules
    key: bytes = field(repr=False)
    """Of published ids."""
    anonymizer: Anonymizer
    warned_languages: set[str] = field(default_factory=set)
    """Languages that are warned of."""

    def outcomes(self, chunk: Chunk) -> list[Outcome]:
        """Anonymize a chunk."""
        documents = [source.document for source in chunk.sources]
        found = self.anonymizer.anonymize_all(documents, self.protection, rank=self.options.anonymity)
        return [
            self._outcome(chunk.file, source, one) for source, one in zip(chunk.sources, found, strict=bool(documents))
        ]

    def _outcome(self, file: Input, source: SourceDocument, one: Anonymized) -> Outcome:
        publish, lines = self.options.publish, is_json_lines(file.path, self.options.format)
        carried = self._carried(source.document) if lines else {}
        code = max(
            report_warnings(one.scored_document, file.path, self.options.anonymity, self.warned_languages),
            int(one.has_remaining_risk),
        )
        code = max(code, _warn_unread(source, one.scored_document, carried, file.path, publish))
        telling = [
            part for part in PurePosixPath(file.relative).parts if self._is_identifying(part, one.scored_document)
        ]
        id = source.record_id or source.document.id
        shown = keyed_id(self.key, id) if publish and (lines or source.id_span) else id
        edits = map_to_source(source, one.edits)
        if publish and source.id_span:
            edits = sorted([*edits, _id_edit(source.id_span, shown)], key=lambda edit: edit.start)
        text, solutions = rewrite(shown, source.raw, edits)
        if lines:
            row = one.to_dict() | {"id": shown} | carried
            text = as_json({name: row[name] for name in row if name != "edits" or not publish}) + "\n"
        own = shown if source.record_id else ""
        numbers = summary(one) if sys.stderr is not None and sys.stderr.isatty() else None
        return Outcome(own, source.prefix + text, tuple(solutions), code, frozenset(telling), numbers)

    def _is_identifying(self, part: str, judged: ScoredDocument) -> bool:
        """Return whether a part of a name of a file gives somebody away; where everyone counts, any word may."""
        stem = part.removesuffix(file_ending(part))
        if judged.protected.everyone and NAME_LIKE.search(stem):
            return True
        known = (
            *self.protection.for_all.entities,
            *(entity for of in self.protection.by_document.values() for entity in of.entities),
        )
        return _is_disclosed_by(stem, judged) or reveals_entity(stem, known, judged.analysis.language)

    def _carried(self, document: Document) -> dict[str, Any]:
        """Return the fields of a line that are written as they are."""
        row = {**document.fields, "language": document.language}
        return {name: row[name] for name in self.options.carry if name in row}


def keyed_id(key: bytes, id: str) -> str:
    """Return an id that tells nobody who lacks the key."""
    return hmac.digest(key, f"id\0{id}".encode("utf-8", "replace"), "sha256").hex()[:DIGITS]


def _id_edit(place: tuple[int, int], shown: str) -> Edit:
    """Return the edit that replaces an id."""
    return Edit(*place, shown, None, 0.0, "CODE", -1, "id", -1)


def _is_disclosed_by(text: str, judged: ScoredDocument) -> bool:
    return reveals_protected(text, judged.protected, judged.scored.people, judged.analysis.language)


def _warn_unread(
    source: SourceDocument, judged: ScoredDocument, carried: dict[str, Any], path: str, publish: bool
) -> int:
    """Warn of what is left out, and of names in what is not read; give the exit code."""
    id = source.document.id
    id, code = path if id == path else f"{path}, {id}", 0
    for reason in unread_warnings(source, judged, carried, publish):
        say(f"warning: {id}: {reason}")
        code = 1
    return code


def unread_warnings(
    source: SourceDocument, judged: ScoredDocument, carried: Mapping[str, Any], publish: bool
) -> Iterator[str]:
    """Return what is left out of a document, and where names are in what is not read of it."""
    yield from source.omitted_parts
    unread = [source.prefix, *(source.raw[start:end] for start, end in source.unread_spans)]
    unread += [json.dumps(value, ensure_ascii=False) for value in carried.values()]
    if _is_disclosed_by("\n".join(unread), judged):
        yield "a part of a protected name is in what is not read, and stays (scripts, styles, fields)"
    if source.record_id and not publish and _is_disclosed_by(source.record_id, judged):
        yield "the id has a part of a protected name, and stays; --publish replaces ids"
