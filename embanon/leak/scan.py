"""Scan documents: say what each discloses of the entities of a policy, and write it down in a ledger.

What is in the ledger as it is, is left; what another document says word for word is taken over. Some documents at a
time are *in hand*: scored, by one process or several, and written down together by this one. Whoever ends it at any
moment loses these, and the next scan does them.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field, replace
from pathlib import PurePath
from typing import Final

from embanon.errors import ConfigError, OutputError
from embanon.io.progress import Line
from embanon.io.read import STDIN
from embanon.language.normalize import key
from embanon.leak.hints import KIND
from embanon.leak.ledger.known import known_contents, missing
from embanon.leak.ledger.ledger import Ledger
from embanon.leak.ledger.rows import Disclosed, Found
from embanon.leak.ledger.scan import Scan
from embanon.leak.near import FEWEST, MANY, Draw, Hinted, meant
from embanon.leak.policy import Item
from embanon.leak.scan_plan import File, Plan, Scanned
from embanon.leak.scan_processes import Asked, assessing
from embanon.leak.scan_texts import Text, Texts
from embanon.leak.sketches import Sketches
from embanon.leak.stored import is_kind
from embanon.model.fitness import STRANGE
from embanon.model.shipped import DEFAULT, located, open_model
from embanon.provenance import of_folder

__all__ = ["File", "Plan", "Scanned", "scan"]

WAITING: Final = 3
"""What is in hand: how many documents, or few of them together, wait for each process."""


def scan(
    ledger: Ledger, plan: Plan, files: Sequence[File], folders: Sequence[str] = (), line: Line | None = None
) -> tuple[Scan, Scanned]:
    """Scan files; say of what was known below folders, and is there no longer, that it is gone."""
    done = Scanned()
    plan = _with_hints(plan, files, done, line)
    begun = Scan.begin(ledger, plan.policy, plan.fingerprint())
    work = _Work(begun, plan, done, Sketches.of((name, data) for _, name, data in begun.sketches()))
    texts = Texts(plan, files, work.done, line)
    with assessing(plan) as assess:
        waiting = deque[tuple[list[Text], Asked]]()
        for some in texts.groups():
            new = work.unknown(some)
            if new:
                waiting.append((new, assess([one.document for one in new])))
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
            known = Hinted.load(plan.hints, entities, plan.language)
        except ConfigError:
            done.notes.append(f"{plan.hints}: is of another policy; what hints at entities is learnt again")
        else:
            if known.hints.model == of_folder(located(plan.model or DEFAULT)):
                return plan
            done.notes.append(f"{plan.hints}: is of another model; what hints at entities is learnt again")
    elif plan.hints.exists() and not is_kind(plan.hints, KIND):  # which it would be written over
        raise ConfigError(f"{plan.hints}: is no file of hints; name another: --hints FILE")
    if len(meant(entities)) > MANY:
        done.notes.append(f"more than {MANY} entities have a meaning: names alone count")
        return replace(plan, hints=None)
    draw = Draw.of(entities, plan.language)
    for one in Texts(plan, [file for file in files if file.path != STDIN], Scanned(), line, "learning").read():
        draw.take(one.content, one.document.text)
    model = open_model(plan.model or DEFAULT)
    hints = draw.learn(model, plan.language)
    if hints is None:
        done.notes.append(f"fewer than {FEWEST} documents to learn hints from: names alone count")
        return replace(plan, hints=None)
    if (strange := draw.strange(model)) > STRANGE:
        done.notes.append(f"the model lacks {strange:.0%} of the words of most documents: it tells little of what is "
            "near to what; train one on texts of this kind, and name it with --model")  # fmt: skip
    try:
        hints.save(plan.hints)
    except OSError as exc:
        raise OutputError(f"{plan.hints}: cannot be written ({exc.strerror}); name another file: --hints FILE") from exc
    return plan


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
        copies = [
            self._found(one, twin.disclosed, twin.unknown, twin.sensitivity) for one, twin in twins if twin is not None
        ]
        if copies:
            self.scan.record(copies)
            self.done.copies += len(copies)
        told = {one.name for one in copies}
        return [one for one in new if one.name not in told]

    def record(self, some: Sequence[Text], asked: Asked) -> None:
        """Write down what was found; a document that nearly repeats one of the same batch behind that one."""
        answers = asked.result() if isinstance(asked, Future) else asked
        batch, names, contents = list[Found](), set[str](), set[bytes]()
        for text, answer in zip(some, answers, strict=True):
            if answer.assessed is None:
                self.done.faults += [answer.problem] if answer.problem else []
                continue
            told = tuple(disclosed for _, disclosed in answer.assessed.disclosed)
            found = self._found(text, told, answer.assessed.unknown, answer.assessed.sensitivity)
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

    def _found(self, text: Text, disclosed: Iterable[Disclosed], unknown: int, sensitivity: float | None) -> Found:
        labels = () if text.label is None else (text.label,)
        where = PurePath(text.path).as_posix() if text.rows or text.path == STDIN else text.name
        lies = "" if text.path == STDIN else where
        told = tuple(replace(one, allowed=self._items[key(one.entity)].allows(lies, labels)) for one in disclosed)
        folder = where if text.rows or text.path == STDIN else None
        said = len(text.document.text), unknown, text.label, folder
        return Found(text.name, text.content, told, *said, sensitivity=sensitivity)
