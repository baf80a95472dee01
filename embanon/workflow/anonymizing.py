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
from embanon.cli.options import anonymizer, columns, told
from embanon.document import Document
from embanon.entities.protected import Given
from embanon.entities.residue import gives_away, told_by
from embanon.errors import ConfigError
from embanon.io.messages import say
from embanon.io.read import laid
from embanon.io.read.source_map import Laid, Reading
from embanon.io.terminal import as_json
from embanon.replace.plan import Edit
from embanon.replace.rewrite import Solution, rewrite
from embanon.replace.source import on_source
from embanon.report.report import summary
from embanon.scoring import Judged
from embanon.text.pieces import SIZE
from embanon.workflow.folders import WORD, Input, ending
from embanon.workflow.outputs import is_lines

WRITTEN: Final = ("id", "text", "edits", "embanon")
"""The fields of a line."""
DIGITS: Final = 16
"""Of a keyed id."""
WAITING: Final = 3
"""Chunks that wait for each process."""


@dataclass(frozen=True, slots=True)
class Chunk:
    """Some documents of a file, the last of them, or why it cannot be read."""

    file: Input
    sources: tuple[Laid, ...] = field(default=(), repr=False)
    last: bool = False
    problem: Exception | None = None


@dataclass(frozen=True, slots=True)
class Outcome:
    """What is written of a document."""

    own: str
    """Its id in its file, if that has more than one."""
    text: str = field(repr=False)
    solutions: tuple[Solution, ...] = field(repr=False)
    code: int
    telling: frozenset[str] = field(repr=False)
    """Parts of the name of its file that give somebody away."""
    numbers: dict[str, Any] | None = None
    """What it is summed up by, where a user looks on."""


Outcomes = Sequence[Outcome] | Exception


def chunks(files: Iterable[Input], options: argparse.Namespace) -> Iterator[Chunk]:
    """Read files, and cut them into chunks."""
    reading = Reading(options.encoding, columns(options, options.carry))
    for one in files:
        held, size = list[Laid](), 0
        try:
            if is_lines(one.path, options.format) and (taken := [name for name in options.carry if name in WRITTEN]):
                raise ConfigError(f"--carry {taken[0]}: is written anyway; leave it out")
            for source in laid(one.path, reading, options.format):
                held.append(source)
                size += len(source.document.text)
                if size > SIZE:
                    yield Chunk(one, tuple(held))
                    held, size = [], 0
        except BrokenPipeError:
            raise
        except Exception as exc:
            yield Chunk(one, last=True, problem=exc)
        else:
            yield Chunk(one, tuple(held), last=True)


def outcomes(
    some: Iterable[Chunk], options: argparse.Namespace, asked: Given, key: bytes, doing: Anonymizer
) -> Generator[tuple[Chunk, Outcomes], None, None]:
    """Give what becomes of each chunk, in order."""
    jobs = options.jobs or os.cpu_count() or 1
    if jobs == 1:
        worker = Worker(options, asked, key, doing)
        yield from ((chunk, _tried(worker, chunk)) for chunk in some)
        return
    waiting = deque[tuple[Chunk, Future[Outcomes]]]()
    with ProcessPoolExecutor(jobs, get_context("spawn"), _open, (options, asked, key, doing.secret)) as pool:
        try:
            for chunk in some:
                waiting.append((chunk, pool.submit(_work, chunk)))
                if len(waiting) > WAITING * jobs:
                    first, future = waiting.popleft()
                    yield first, future.result()
            while waiting:
                first, future = waiting.popleft()
                yield first, future.result()
        finally:
            pool.shutdown(wait=True, cancel_futures=True)


_OPENED: Final[list[Worker]] = []
"""What a process of ours works with."""


def _open(options: argparse.Namespace, asked: Given, key: bytes, secret: bytes) -> None:
    """Get a process ready; that the user interrupts is heard by the one that started it, with which it ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with, args=(parent_process(),), daemon=True).start()
    _OPENED[:] = [Worker(options, asked, key, replace(anonymizer(options), secret=secret))]


def _end_with(parent: BaseProcess | None) -> None:
    if parent is not None:
        parent.join()
        os._exit(1)


def _work(chunk: Chunk) -> Outcomes:
    return _tried(_OPENED[0], chunk)


def _tried(worker: Worker, chunk: Chunk) -> Outcomes:
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
    asked: Given
    key: bytes = field(repr=False)
    """Of published ids."""
    doing: Anonymizer
    heard: set[str] = field(default_factory=set)
    """Languages that are warned of."""

    def outcomes(self, chunk: Chunk) -> list[Outcome]:
        """Anonymize a chunk."""
        documents = [source.document for source in chunk.sources]
        found = self.doing.anonymize_all(documents, self.asked, rank=self.options.anonymity)
        return [
            self._outcome(chunk.file, source, one) for source, one in zip(chunk.sources, found, strict=bool(documents))
        ]

    def _outcome(self, file: Input, source: Laid, one: Anonymized) -> Outcome:
        publish, lines = self.options.publish, is_lines(file.path, self.options.format)
        carried = self._carried(source.document) if lines else {}
        code = max(told(one.judged, file.path, self.options.anonymity, self.heard), int(one.kept))
        code = max(code, _told_beside(source, one.judged, carried, file.path, publish))
        telling = [part for part in PurePosixPath(file.relative).parts if self._tells(part, one.judged)]
        id = source.own or source.document.id
        shown = keyed(self.key, id) if publish and (lines or source.id) else id
        edits = on_source(source, one.edits)
        if publish and source.id:
            edits = sorted([*edits, _of_id(source.id, shown)], key=lambda edit: edit.start)
        text, solutions = rewrite(shown, source.raw, edits)
        if lines:
            row = one.to_dict() | {"id": shown} | carried
            text = as_json({name: row[name] for name in row if name != "edits" or not publish}) + "\n"
        own = shown if source.own else ""
        numbers = summary(one) if sys.stderr is not None and sys.stderr.isatty() else None
        return Outcome(own, source.before + text, tuple(solutions), code, frozenset(telling), numbers)

    def _tells(self, part: str, judged: Judged) -> bool:
        """Say whether a part of a name of a file gives somebody away; where everyone counts, any word may."""
        stem = part.removesuffix(ending(part))
        if judged.protected.everyone and WORD.search(stem):
            return True
        known = (*self.asked.always.entities, *(entity for of in self.asked.of.values() for entity in of.entities))
        return _told_by(stem, judged) or gives_away(stem, known, judged.analysis.language)

    def _carried(self, document: Document) -> dict[str, Any]:
        """Give the fields of a line that are written as they are."""
        row = {**document.fields, "language": document.language}
        return {name: row[name] for name in self.options.carry if name in row}


def keyed(key: bytes, id: str) -> str:
    """Give an id that tells nobody who lacks the key."""
    return hmac.digest(key, f"id\0{id}".encode("utf-8", "replace"), "sha256").hex()[:DIGITS]


def _of_id(place: tuple[int, int], shown: str) -> Edit:
    """Give the edit that replaces an id."""
    return Edit(*place, shown, None, 0.0, "CODE", -1, "id", -1)


def _told_by(text: str, judged: Judged) -> bool:
    return told_by(text, judged.protected, judged.scored.people, judged.analysis.language)


def _told_beside(source: Laid, judged: Judged, carried: dict[str, Any], path: str, publish: bool) -> int:
    """Warn of what is left out, and of names in what is not read; give the exit code."""
    id = source.document.id
    id, code = path if id == path else f"{path}, {id}", 0
    for reason in beside(source, judged, carried, publish):
        say(f"warning: {id}: {reason}")
        code = 1
    return code


def beside(source: Laid, judged: Judged, carried: Mapping[str, Any], publish: bool) -> Iterator[str]:
    """Give what is left out of a document, and where names are in what is not read of it."""
    yield from source.left_out
    unread = [source.before, *(source.raw[start:end] for start, end in source.unread)]
    unread += [json.dumps(value, ensure_ascii=False) for value in carried.values()]
    if _told_by("\n".join(unread), judged):
        yield "a part of a protected name is in what is not read, and stays (scripts, styles, fields)"
    if source.own and not publish and _told_by(source.own, judged):
        yield "the id has a part of a protected name, and stays; --publish replaces ids"
