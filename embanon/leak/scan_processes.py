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
from embanon.leak.assessing import Assessed, Assessor
from embanon.leak.scan_plan import Plan
from embanon.leak.sketches import sketch
from embanon.model.shipped import open_model


@dataclass(frozen=True, slots=True)
class Answer:
    """What a process says of a document."""

    assessed: Assessed | None
    sketch: bytes | None = field(default=None, repr=False)
    problem: Exception | None = None


Asked = Future[list[Answer]] | list[Answer]


def answers(assessor: Assessor, documents: Sequence[Document]) -> list[Answer]:
    """Assess documents together; if that fails, one by one, so that one does not take the others with it."""
    try:
        assessed = assessor.assess(documents)
    except Exception as exc:
        if len(documents) > 1:
            return [answer for one in documents for answer in answers(assessor, [one])]
        kind = type(exc).__name__  # what it says may quote the text
        fault = EmbanonError(f"{documents[0].id}: cannot be scored ({kind}), which is a fault of embanon; report it")
        told = exc if isinstance(exc, EmbanonError) else fault
        return [Answer(None, None, told)]
    return [Answer(some, sketch(one.text)) for one, some in zip(documents, assessed, strict=True)]


@contextmanager
def assessing(plan: Plan) -> Iterator[Callable[[Sequence[Document]], Asked]]:
    """Give what assesses documents: here, or in other processes."""
    if plan.jobs == 1:
        assessor = plan.assessor()
        yield lambda some: answers(assessor, some)
        return
    if plan.model:
        open_model(plan.model)  # says what is wrong with it better than a process that ends
    with ProcessPoolExecutor(plan.jobs, get_context("spawn"), _open, (plan,)) as pool:
        try:
            yield lambda some: pool.submit(_assess, some)
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
