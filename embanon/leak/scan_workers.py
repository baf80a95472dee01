"""Assess the documents of a scan, in this process or in others."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from multiprocessing import get_context, parent_process
from multiprocessing.process import BaseProcess
from typing import Final

from embanon.document import Document
from embanon.errors import EmbanonError
from embanon.leak.assessor import Assessment, Assessor
from embanon.leak.scan_plan import ScanPlan
from embanon.leak.sketches import sketch
from embanon.model import open_model


@dataclass(frozen=True, slots=True)
class AssessmentResult:
    """What a process says of a document."""

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
        told = exc if isinstance(exc, EmbanonError) else fault
        return [AssessmentResult(None, None, told)]
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
