"""How documents are scanned: the plan, the worker processes, and the outcome for each document."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import astuple, dataclass, field
from hashlib import sha256
from multiprocessing import get_context, parent_process
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Final

from embanon.config import Config
from embanon.document import Document
from embanon.entities import Entity
from embanon.errors import EmbanonError
from embanon.io import ReadOptions
from embanon.leak.assessor import Assessment, Assessor, entity_language
from embanon.leak.policy import Policy
from embanon.leak.sketches import sketch
from embanon.model import model_folder, open_model
from embanon.provenance import describe_provenance

VERSION: Final = 3
"""Of how risks are found: with another, all documents are scanned again."""


@dataclass(frozen=True, slots=True)
class ScanFile:
    """A file to scan."""

    path: str
    size: int = 0


@dataclass(frozen=True, slots=True)
class ScanPlan:
    """By what documents are scanned; processes open it for themselves."""

    policy: Policy = field(repr=False)
    folder: Path
    """Of the policy, where its samples lie."""
    config: Config
    model: str | None = None
    reading: ReadOptions = field(default_factory=ReadOptions)
    format: str | None = None
    label_field: str | None = None
    """The field of JSON Lines, or the column, that says how a document is marked."""
    hints: Path | None = None
    """What hints at entities; learnt from the documents where it is not there."""
    relearn_hints: bool = False
    """Whether it is learnt again."""
    jobs: int = 1
    sensitivity: Path | None = None
    """What is sensitive as a whole, whatever it is about; without it nobody asks."""
    copies: Path | None = None
    """What near copies are found by, which a scan keeps beside the hints."""

    @property
    def language(self) -> str:
        """Return the language of names and hints."""
        return entity_language(self.config)

    def entities(self) -> tuple[Entity, ...]:
        """Return the entities as texts are scored by them."""
        return self.policy.scored_entities(self.folder)

    def assessor(self) -> Assessor:
        """Open what assesses documents."""
        least = self.policy.least
        return Assessor.open(
            self.policy, self.folder, self.config, self.model, self.hints, self.sensitivity, least, self.copies
        )

    def fingerprint(self) -> bytes:
        """Return what all risks depend on."""
        made = describe_provenance(self.config, model_folder(self.model) if self.model else None, ())
        about = [(astuple(one), item.folders, item.labels)
                 for one, item in zip(self.entities(), self.policy.entities, strict=True)]  # fmt: skip
        hints = sha256(self.hints.read_bytes()).digest() if self.hints else b""
        opinion = [sha256(self.sensitivity.read_bytes()).digest()] if self.sensitivity else []
        parts = VERSION, made["config"], made["model"], self.policy.least, about, self.label_field, hints, *opinion
        return sha256(repr(parts).encode("utf-8", "surrogatepass")).digest()


@dataclass(slots=True)
class ScanSummary:
    """What became of documents."""

    documents: int = 0
    scored: int = 0
    unchanged: int = 0
    copies: int = 0
    """That say word for word what another does."""
    near: int = 0
    """That nearly repeat another."""
    partial: int = 0
    """Of which a part cannot be read, as attachments."""
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
        """Return what is written down of it."""
        return {
            "documents": self.documents, "scored": self.scored, "unchanged": self.unchanged, "copies": self.copies,
            "near": self.near, "partial": self.partial, "gone": self.gone,
            "left_out": len(self.left_out) + len(self.faults),
        }  # fmt: skip


@dataclass(frozen=True, slots=True)
class AssessmentResult:
    """What a process returns of a document."""

    assessed: Assessment | None
    sketch: bytes | None = field(default=None, repr=False)
    problem: Exception | None = None


PendingResults = Future[list[AssessmentResult]] | list[AssessmentResult]


def assess_all(assessor: Assessor, documents: Sequence[Document]) -> list[AssessmentResult]:
    """Assess documents together; if that fails, one by one, so that one does not take the others with it."""
    try:
        assessed = assessor.assess(documents)
    except Exception as exc:
        if len(documents) > 1:
            return [answer for one in documents for answer in assess_all(assessor, [one])]
        kind = type(exc).__name__  # what it says may quote the text
        fault = EmbanonError(f"{documents[0].id}: cannot be scored ({kind}), which is a fault of embanon; report it")
        problem = exc if isinstance(exc, EmbanonError) else fault
        return [AssessmentResult(None, None, problem)]
    return [AssessmentResult(some, sketch(one.text)) for one, some in zip(documents, assessed, strict=True)]


@contextmanager
def open_assessor(plan: ScanPlan) -> Iterator[Callable[[Sequence[Document]], PendingResults]]:
    """Return what assesses documents: here, or in other processes."""
    if plan.jobs == 1:
        assessor = plan.assessor()
        yield lambda some: assess_all(assessor, some)
        return
    if plan.model:
        open_model(plan.model)  # says what is wrong with it better than a process that ends
    with ProcessPoolExecutor(plan.jobs, get_context("spawn"), _start_worker, (plan,)) as pool:
        try:
            yield lambda some: pool.submit(_assess_in_worker, some)
        finally:
            pool.shutdown(wait=True, cancel_futures=True)


_WORKER_ASSESSOR: Final[list[Assessor]] = []
"""What a process of ours works with."""


def _start_worker(plan: ScanPlan) -> None:
    """Get a process ready; that the user interrupts is heard by the one that started it, with which it ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_exit_with_parent, args=(parent_process(),), daemon=True).start()
    _WORKER_ASSESSOR[:] = [plan.assessor()]


def _exit_with_parent(parent: BaseProcess | None) -> None:
    if parent is not None:
        parent.join()
        os._exit(1)


def _assess_in_worker(documents: Sequence[Document]) -> list[AssessmentResult]:
    return assess_all(_WORKER_ASSESSOR[0], documents)
