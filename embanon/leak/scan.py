"""Scan documents: say what each discloses of the entities of a policy, and write it down in a ledger.

What is in the ledger as it is, is left; what another document says word for word is taken over. Some documents at a
time are *in hand*: scored, by one process or several, and written down together by this one. Whoever ends it at any
moment loses these, and the next scan does them.
"""

from __future__ import annotations

import os
import signal
import threading
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import astuple, dataclass, field, replace
from fnmatch import fnmatchcase
from hashlib import sha256
from multiprocessing import get_context, parent_process
from multiprocessing.process import BaseProcess
from pathlib import Path, PurePath
from typing import Any, Final

from embanon.config import Config
from embanon.document import Document
from embanon.entities import Entity
from embanon.errors import ConfigError, EmbanonError, InputError, OutputError
from embanon.identity import identity
from embanon.leak.assessing import Assessed, Assessor
from embanon.leak.ledger import Ledger
from embanon.leak.ledger_found import known_contents, missing
from embanon.leak.ledger_rows import Disclosed, Found
from embanon.leak.ledger_scan import Scan
from embanon.leak.near import FEWEST, MANY, Draw, Hinted, meant
from embanon.leak.policy import Item, Policy
from embanon.leak.sketches import Sketches, sketch
from embanon.model.keys import key
from embanon.model.shipped import DEFAULT, located, open_model
from embanon.progress import Line
from embanon.read import FORMATS, STDIN, TEXT, format_of, laid
from embanon.read.laid import Reading

IN_HAND: Final = 1 << 16
"""Characters that are scored and written down together; a longer document stays alone."""
AT_ONCE: Final = 256
"""Documents that are."""
WAITING: Final = 3
"""Of these, how many wait for each process."""
MARKED: Final = 10
"""Lines at the beginning and at the end of a text where its marking stands."""
VERSION: Final = 1
"""Of how risks are found: with another, all documents are scanned again."""


@dataclass(frozen=True, slots=True)
class File:
    """A file to scan."""

    path: str
    size: int = 0


@dataclass(frozen=True, slots=True)
class Plan:
    """By what documents are scanned; processes open it for themselves."""

    policy: Policy = field(repr=False)
    folder: Path
    """Of the policy, where its samples lie."""
    config: Config
    model: str | None = None
    reading: Reading = field(default_factory=Reading)
    format: str | None = None
    label: str | None = None
    """The field of JSON Lines, or the column, that says how a document is marked."""
    hints: Path | None = None
    """What hints at entities; learnt from the documents where it is not there."""
    anew: bool = False
    """Whether it is learnt again."""
    jobs: int = 1

    @property
    def language(self) -> str:
        """Give the language of names and hints."""
        return self.config.phrases.default_language if self.config.language == "auto" else self.config.language

    def entities(self) -> tuple[Entity, ...]:
        """Give the entities as texts are scored by them."""
        return tuple(item.entity(self.folder) for item in self.policy.entities)

    def assessor(self) -> Assessor:
        """Open what assesses documents."""
        entities, model = self.entities(), open_model(self.model) if self.model else None
        near = Hinted.load(self.hints, entities, self.language) if self.hints else None
        return Assessor(entities, self.policy.least, self.config, model, near)

    def fingerprint(self) -> bytes:
        """Give what all risks depend on."""
        made = identity(self.config, located(self.model) if self.model else None, ())
        about = [(astuple(one), item.folders, item.labels)
                 for one, item in zip(self.entities(), self.policy.entities, strict=True)]  # fmt: skip
        hints = sha256(self.hints.read_bytes()).digest() if self.hints else b""
        told = repr((VERSION, made["config"], made["model"], self.policy.least, about, self.label, hints))
        return sha256(told.encode("utf-8", "surrogatepass")).digest()


@dataclass(slots=True)
class Scanned:
    """What became of documents."""

    documents: int = 0
    scored: int = 0
    unchanged: int = 0
    copies: int = 0
    """That say word for word what another does."""
    near: int = 0
    """That nearly repeat another."""
    gone: int = 0
    settled: int = 0
    """Accesses of before, to documents that were unknown until now."""
    left_out: list[str] = field(default_factory=list)
    """Files that could not be read, and why."""
    notes: list[str] = field(default_factory=list)
    faults: list[Exception] = field(default_factory=list, repr=False)
    """Of ours: documents that could not be scored."""
    names: set[str] = field(default_factory=set, repr=False)

    def counts(self) -> dict[str, int]:
        """Give what is written down of it."""
        return {
            "documents": self.documents, "scored": self.scored, "unchanged": self.unchanged, "copies": self.copies,
            "near": self.near, "gone": self.gone, "left_out": len(self.left_out) + len(self.faults),
        }  # fmt: skip


def scan(
    ledger: Ledger, plan: Plan, files: Sequence[File], folders: Sequence[str] = (), line: Line | None = None
) -> tuple[Scan, Scanned]:
    """Scan files; say of what was known below folders, and is there no longer, that it is gone."""
    done = Scanned()
    plan = _with_hints(plan, files, done, line)
    begun = Scan.begin(ledger, plan.policy, plan.fingerprint())
    work = _Work(begun, plan, done, Sketches.of((name, data) for _, name, data in begun.sketches()))
    texts = _Texts(plan, files, work.done, line)
    with _assessing(plan) as assess:
        waiting = deque[tuple[list[Text], Future[list[Answer]] | list[Answer]]]()
        for some in texts.groups():
            new = work.unknown(some)
            if new:
                waiting.append((new, assess(new)))
            while len(waiting) > (WAITING * plan.jobs if plan.jobs > 1 else 0):
                work.record(*waiting.popleft())
        while waiting:
            work.record(*waiting.popleft())
    names = list(missing(ledger, [one for one in folders if one not in texts.empty(folders)], texts.rows,
                         work.done.names))  # fmt: skip
    work.done.gone = begun.gone(names) if names else 0
    work.done.settled = begun.end(work.done.counts())
    return begun, work.done


def _with_hints(plan: Plan, files: Sequence[File], done: Scanned, line: Line | None) -> Plan:
    """Learn what hints at entities, unless it is known, or cannot be."""
    entities = plan.entities()
    if plan.hints is None or not meant(entities):
        return replace(plan, hints=None)
    if plan.hints.exists() and not plan.anew:
        try:
            Hinted.load(plan.hints, entities, plan.language)
        except ConfigError:  # of another policy
            done.notes.append(f"{plan.hints}: is of another policy; what hints at entities is learnt again")
        else:
            return plan
    if len(meant(entities)) > MANY:
        done.notes.append(f"more than {MANY} entities have a meaning: names alone count")
        return replace(plan, hints=None)
    draw = Draw.of(entities, plan.language)
    for one in _Texts(plan, [file for file in files if file.path != STDIN], Scanned(), line, "learning").read():
        draw.take(one.content, one.document.text)
    hints = draw.learn(open_model(plan.model or DEFAULT), plan.language)
    if hints is None:
        done.notes.append(f"fewer than {FEWEST} documents to learn hints from: names alone count")
        return replace(plan, hints=None)
    try:
        hints.save(plan.hints)
    except OSError as exc:
        raise OutputError(f"{plan.hints}: cannot be written ({exc.strerror}); name another file: --hints FILE") from exc
    return plan


# Reading


@dataclass(frozen=True, slots=True)
class Text:
    """A document to scan."""

    document: Document = field(repr=False)
    content: bytes = field(repr=False)
    path: str
    label: str | None = None
    rows: bool = False
    """Whether its file has many."""

    @property
    def name(self) -> str:
        """Give what it is called in the ledger, and in access logs."""
        return self.document.id


class _Texts:
    """Reads files, and hands out some documents at a time."""

    def __init__(
        self, plan: Plan, files: Sequence[File], done: Scanned, line: Line | None, step: str = "scanning"
    ) -> None:
        self.plan, self.files, self.done, self.line, self.step = plan, files, done, line, step
        self.rows: list[str] = []
        """Files of many documents that were read to their end."""
        self.total = sum(one.size for one in files)
        self.labels = sorted({label for item in plan.policy.entities for label in item.labels})

    def groups(self) -> Iterator[list[Text]]:
        """Give documents, a few short ones together."""
        held, size = list[Text](), 0
        for one in self.read():
            length = len(one.document.text)
            if held and (size + length > IN_HAND or len(held) >= AT_ONCE):
                yield held
                held, size = [], 0
            held.append(one)
            size += length
        if held:
            yield held

    def empty(self, folders: Sequence[str]) -> set[str]:
        """Give the folders of which no file was named: they may not be there at all for the moment."""
        paths = [f"{PurePath(one.path).as_posix()}" for one in self.files]
        return {folder for folder in folders
                if not any(folder == "." or path.startswith(folder.rstrip("/") + "/") for path in paths)}  # fmt: skip

    def read(self) -> Iterator[Text]:
        """Give documents, one by one."""
        before = 0
        for file in self.files:
            format = FORMATS[self.plan.format or format_of(file.path) or TEXT]
            size = 0
            try:
                for one in laid(file.path, self.plan.reading, self.plan.format):
                    size += len(one.document.text)
                    if self.line:
                        self.line(self.step, before + min(size, file.size), self.total)
                    yield self._text(one.document, file.path, format.rows)
            except EmbanonError as exc:
                self.done.left_out.append(str(exc))
            else:
                if format.rows and file.path != STDIN:
                    self.rows.append(PurePath(file.path).as_posix())
            before += file.size

    def _text(self, document: Document, path: str, rows: bool) -> Text:
        name = document.id if rows or path == STDIN else PurePath(document.id).as_posix()
        if name in self.done.names:  # of another file
            name = f"{PurePath(path).as_posix()}#{name}"
        self.done.names.add(name)
        label = self._label(document)
        digest = sha256(f"{label or ''}\0{document.language}\0{document.text}".encode("utf-8", "surrogatepass"))
        return Text(replace(document, id=name, fields={}), digest.digest(), path, label, rows)

    def _label(self, document: Document) -> str | None:
        """Give how a document is marked: in its field, or in a line of its own."""
        if self.plan.label is not None:
            said = document.fields.get(self.plan.label)
            return str(said) if isinstance(said, str | int) and str(said).strip() else None
        if not self.labels:
            return None
        lines = document.text[:2_000].splitlines()[:MARKED] + document.text[-2_000:].splitlines()[-MARKED:]
        return next((line.strip() for line in lines for one in self.labels if fnmatchcase(line.strip(), one)), None)


# Writing down


@dataclass(frozen=True, slots=True)
class Answer:
    """What a process says of a document."""

    assessed: Assessed | None
    sketch: bytes | None = field(default=None, repr=False)
    problem: Exception | None = None


@dataclass(slots=True)
class _Work:
    """Asks the ledger, and writes to it."""

    scan: Scan
    plan: Plan
    done: Scanned
    sketches: Sketches
    _items: dict[str, Item] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        """Find what a policy says of an entity by its name, as names are compared."""
        self._items = {key(item.name): item for item in self.plan.policy.entities}

    def unknown(self, some: Sequence[Text]) -> list[Text]:
        """Give the documents that are to be scored; others are as they were, or are written down."""
        self.done.documents += len(some)
        current = self.scan.current([(one.name, one.content) for one in some])
        self.done.unchanged += len(current)
        new = [one for one in some if one.name not in current]
        known = known_contents(self.scan, [one.content for one in new]) if new else set()
        twins = [(one, self.scan.twin(one.content)) for one in new if one.content in known]
        copies = [self._found(one, twin.disclosed, twin.unknown) for one, twin in twins if twin is not None]
        if copies:
            self.scan.record(copies)
            self.done.copies += len(copies)
        told = {one.name for one in copies}
        return [one for one in new if one.name not in told]

    def record(self, some: Sequence[Text], asked: Future[list[Answer]] | list[Answer]) -> None:
        """Write down what was found; a document that nearly repeats one of the same batch behind that one."""
        answers = asked.result() if isinstance(asked, Future) else asked
        batch, names, contents = list[Found](), set[str](), set[bytes]()
        for text, answer in zip(some, answers, strict=True):
            if answer.assessed is None:
                self.done.faults += [answer.problem] if answer.problem else []
                continue
            told = tuple(disclosed for _, disclosed in answer.assessed.disclosed)
            found = self._found(text, told, answer.assessed.unknown)
            if text.content in contents:
                self.done.copies += 1
            else:
                contents.add(text.content)
                near = self.sketches.near(text.name, answer.sketch) if answer.sketch else None
                found = replace(found, sketch=answer.sketch, near=near)
                self.done.scored += 1
                self.done.near += near is not None
            if found.near in names:
                self.scan.record(batch)
                batch, names = [], set()
            batch.append(found)
            names.add(found.name)
        if batch:
            self.scan.record(batch)

    def _found(self, text: Text, disclosed: Iterable[Disclosed], unknown: int) -> Found:
        labels = () if text.label is None else (text.label,)
        where = PurePath(text.path).as_posix() if text.rows else text.name
        told = tuple(replace(one, allowed=self._items[key(one.entity)].allows(where, labels)) for one in disclosed)
        folder = where if text.rows and text.path != STDIN else None
        return Found(text.name, text.content, told, len(text.document.text), unknown, text.label, folder)


# Scoring


def answers(assessor: Assessor, documents: Sequence[Document]) -> list[Answer]:
    """Assess documents together; if that fails, one by one, so that one does not take the others with it."""
    try:
        assessed = assessor.assess(documents)
    except Exception as exc:
        if len(documents) > 1:
            return [answer for one in documents for answer in answers(assessor, [one])]
        told = exc if isinstance(exc, EmbanonError) else InputError(
            f"{documents[0].id}: cannot be scored ({type(exc).__name__}); this is a fault of embanon"
        )  # fmt: skip
        return [Answer(None, None, told)]
    return [Answer(some, sketch(one.text)) for one, some in zip(documents, assessed, strict=True)]


@contextmanager
def _assessing(plan: Plan) -> Iterator[Any]:
    """Give what assesses documents: here, or in other processes."""
    if plan.jobs == 1:
        assessor = plan.assessor()
        yield lambda some: answers(assessor, [one.document for one in some])
        return
    if plan.model:
        open_model(plan.model)  # says what is wrong with it better than a process that ends
    with ProcessPoolExecutor(plan.jobs, get_context("spawn"), _open, (plan,)) as pool:
        try:
            yield lambda some: pool.submit(_assess, [one.document for one in some])
        finally:
            pool.shutdown(wait=True, cancel_futures=True)


_OPENED: Final[list[Assessor]] = []
"""What a process of ours works with."""


def _open(plan: Plan) -> None:
    """Get a process ready; that the user interrupts is heard by the one that started it, with which it ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with, args=(parent_process(),), daemon=True).start()
    _OPENED[:] = [plan.assessor()]


def _end_with(parent: BaseProcess | None) -> None:
    if parent is not None:
        parent.join()
        os._exit(1)


def _assess(documents: Sequence[Document]) -> list[Answer]:
    return answers(_OPENED[0], documents)
