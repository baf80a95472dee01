"""Scans: documents are read and scored, and what they disclose of the entities of a policy goes into a ledger.

What is in the ledger as it is, is left; what another document says word for word is taken over. Some documents at a
time are *in hand*: scored, by one process or several, and written down together by this one. Whoever ends it at any
moment loses these, and the next scan does them.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from functools import cached_property, partial
from itertools import count
from pathlib import PurePath
from typing import Final

from embanon.document import Document
from embanon.errors import ConfigError, DataError, EmbanonError, OutputError
from embanon.io import FORMATS, STDIN, TEXT, ProgressLine, format_of, read_sources
from embanon.language import key
from embanon.leak.copies import copies_file
from embanon.leak.copy_sources import MAX_SOURCES, CopySources
from embanon.leak.document_sample import MAX_HINTED_ENTITIES, MIN_HINT_DOCUMENTS, DocumentSample
from embanon.leak.hints import KIND, PolicyHints, hintable_entities
from embanon.leak.ledger.lookups import known_contents, missing_documents
from embanon.leak.ledger.records import EntityDisclosure, ScanResult
from embanon.leak.ledger.scan import LedgerScan
from embanon.leak.ledger.store import Ledger
from embanon.leak.originals import content_digest
from embanon.leak.policy import PolicyEntity
from embanon.leak.scan_plan import PendingResults, ScanFile, ScanPlan, ScanSummary, open_assessor
from embanon.leak.sketches import SketchIndex
from embanon.leak.vocabulary import is_kind
from embanon.model import DEFAULT, MAX_UNKNOWN_SHARE, model_folder, open_model
from embanon.provenance import folder_checksum

BATCH_CHARACTERS: Final = 1 << 16
"""Characters that are scored and written down together; a longer document stays alone."""
BATCH_DOCUMENTS: Final = 256
"""Documents that are."""
MARKING_LINES: Final = 10
"""Lines at the beginning and at the end of a text that may contain its marking."""


@dataclass(frozen=True, slots=True)
class ScanDocument:
    """A document to scan."""

    document: Document = field(repr=False)
    content: bytes = field(repr=False)
    path: str
    label: str | None = None
    is_table_row: bool = False
    """Whether its file has many."""

    @property
    def name(self) -> str:
        """Return what it is called in the ledger, and in access logs."""
        return self.document.id


@dataclass
class ScanReader:
    """Reads files, and hands out some documents at a time."""

    plan: ScanPlan
    files: Sequence[ScanFile]
    summary: ScanSummary
    line: ProgressLine | None
    step: str = "scanning"
    complete_tables: list[str] = field(default_factory=list)
    """Files of many documents that were read to their end."""

    @cached_property
    def _labels(self) -> list[str]:
        return sorted({label for item in self.plan.policy.entities for label in item.labels})

    def batches(self) -> Iterator[list[ScanDocument]]:
        """Return documents, a few short ones together."""
        held, size = list[ScanDocument](), 0
        for document in self.read():
            length = len(document.document.text)
            if held and (size + length > BATCH_CHARACTERS or len(held) >= BATCH_DOCUMENTS):
                yield held
                held, size = [], 0
            held.append(document)
            size += length
        if held:
            yield held

    def listed_folders(self, folders: Sequence[str]) -> list[str]:
        """Return the folders of which a file was named: others may not be there at all for the moment."""
        paths = [PurePath(one.path).as_posix() for one in self.files]
        return [folder for folder in folders
                if any(folder == "." or path.startswith(folder.rstrip("/") + "/") for path in paths)]  # fmt: skip

    def read(self) -> Iterator[ScanDocument]:
        """Return documents, one by one."""
        before, total = 0, sum(file.size for file in self.files)
        for file in self.files:
            format = FORMATS[self.plan.format or format_of(file.path) or TEXT]
            size = 0
            try:
                for source in read_sources(file.path, self.plan.reading, self.plan.format):
                    size += len(source.document.text)
                    self.summary.partial += bool(source.omitted_parts)
                    if self.line:
                        self.line(self.step, before + min(size, file.size), total)
                    yield self._build_document(source.document, file.path, format.has_rows)
            except EmbanonError as exc:
                self.summary.left_out.append(str(exc))
            except Exception as exc:  # a fault of ours: the other files are done
                self.summary.faults.append(exc)
            else:
                if format.has_rows and file.path != STDIN:
                    self.complete_tables.append(PurePath(file.path).as_posix())
            before += file.size

    def _build_document(self, document: Document, path: str, rows: bool) -> ScanDocument:
        name = document.id if rows or path == STDIN else PurePath(document.id).as_posix()
        if name in self.summary.names:  # of another file
            other = f"{PurePath(path).as_posix()}#{name}"
            name = next(one for n in count(1) if (one := other + f"#{n}" * (n > 1)) not in self.summary.names)
        self.summary.names.add(name)
        label = self._find_label(document)
        return ScanDocument(replace(document, id=name, fields={}), content_digest(document, label), path, label, rows)

    def _find_label(self, document: Document) -> str | None:
        """Return how a document is marked: in its field, or in a line of its own."""
        if self.plan.label_field is not None:
            value = document.fields.get(self.plan.label_field)
            return str(value) if isinstance(value, str | int) and str(value).strip() else None
        if not self._labels:
            return None
        head, tail = document.text[:2_000].splitlines(), document.text[-2_000:].splitlines()
        lines = map(str.strip, head[:MARKING_LINES] + tail[-MARKING_LINES:])
        return next((line for line in lines for one in self._labels if fnmatchcase(line, one)), None)


__all__ = ["ScanFile", "ScanPlan", "ScanSummary", "scan"]

MAX_HELD_COPIES: Final = 1_000
"""Near copies that wait for their sources to be written down."""
BATCHES_PER_JOB: Final = 3
"""What is in hand: how many documents, or few of them together, wait for each process."""


def scan(
    ledger: Ledger,
    plan: ScanPlan,
    files: Sequence[ScanFile],
    folders: Sequence[str] = (),
    line: ProgressLine | None = None,
) -> tuple[LedgerScan, ScanSummary]:
    """Scan files; what was known below folders, and is there no longer, is written down as gone."""
    done = ScanSummary()
    copies = _open_copies(plan, ledger)
    plan = _prepare_hints(plan, files, done, line)
    if copies:
        plan = replace(plan, copies=copies.path)
        _read_sources(copies, plan, files, done, line)
    begun = LedgerScan.begin(ledger, plan.policy, plan.fingerprint())
    known = SketchIndex.from_rows((name, data) for _, name, data in begun.sketches())
    work = _ScanRun(begun, plan, done, known, copies)
    texts = ScanReader(plan, files, work.done, line)
    with open_assessor(plan) as assess:
        waiting = deque[tuple[list[ScanDocument], PendingResults]]()
        for batch in texts.batches():
            new = work.select_new(batch)
            if new:
                waiting.append((new, assess([one.document for one in new])))
            while len(waiting) > (BATCHES_PER_JOB * plan.jobs if plan.jobs > 1 else 0):
                work.record(*waiting.popleft())
        while waiting:
            work.record(*waiting.popleft())
    work.record_copied()
    names = list(missing_documents(ledger, texts.listed_folders(folders), texts.complete_tables, work.done.names))
    work.done.gone = begun.record_gone(names) if names else 0
    if copies:
        copies.forget(names)
        copies.save()
    work.done.settled = begun.end(work.done.counts())
    return begun, work.done


def _open_copies(plan: ScanPlan, ledger: Ledger) -> CopySources | None:
    """Open the sources of near copies, which are kept beside the hints."""
    if plan.hints is None:
        return None
    keyed = partial(ledger.secrets.hash_name, "document")
    shown = plan.policy.ledger.documents == "path"
    return CopySources.open(
        copies_file(plan.hints), plan.entities(), plan.language, keyed, shows_names=shown, anew=plan.relearn_hints
    )


def _read_sources(
    copies: CopySources, plan: ScanPlan, files: Sequence[ScanFile], done: ScanSummary, line: ProgressLine | None
) -> None:
    """Read what is new, so that a copy is found before its source is scored."""
    new = [file for file in files if file.path != STDIN and not copies.is_file_known(file.path)]
    for document in ScanReader(plan, new, ScanSummary(), line, "reading").read():
        copies.read(document.name, document.document.text)
    copies.save()
    if copies.is_full:
        done.notes.append(f"more than {MAX_SOURCES:,} documents name an entity: near copies of others are not found")


def _prepare_hints(plan: ScanPlan, files: Sequence[ScanFile], done: ScanSummary, line: ProgressLine | None) -> ScanPlan:
    """Learn what hints at entities, unless it is known, or cannot be."""
    entities = plan.entities()
    if plan.hints is None or not hintable_entities(entities):
        return replace(plan, hints=None)
    if plan.hints.exists() and not plan.relearn_hints:
        try:
            known = PolicyHints.load(plan.hints, entities, plan.language)
        except ConfigError:
            done.notes.append(f"{plan.hints}: is of another policy; what hints at entities is learnt again")
        except DataError:
            if not is_kind(plan.hints, KIND):
                raise
            done.notes.append(f"{plan.hints}: is of another version; what hints at entities is learnt again")
        else:
            if known.hints.model == folder_checksum(model_folder(plan.model or DEFAULT)):
                return plan
            done.notes.append(f"{plan.hints}: is of another model; what hints at entities is learnt again")
    elif plan.hints.exists() and not is_kind(plan.hints, KIND):  # which it would be written over
        raise ConfigError(f"{plan.hints}: is no file of hints; name another: --hints FILE")
    if len(hintable_entities(entities)) > MAX_HINTED_ENTITIES:
        done.notes.append(f"more than {MAX_HINTED_ENTITIES} entities have a meaning: names alone count")
        return replace(plan, hints=None)
    draw = DocumentSample.for_entities(entities, plan.language)
    for document in ScanReader(
        plan, [file for file in files if file.path != STDIN], ScanSummary(), line, "learning"
    ).read():
        draw.add(document.content, document.document.text)
    model = open_model(plan.model or DEFAULT)
    hints = draw.learn(model, plan.language)
    if hints is None:
        done.notes.append(f"fewer than {MIN_HINT_DOCUMENTS} documents to learn hints from: names alone count")
        return replace(plan, hints=None)
    if draw.untaught:
        done.notes.append(f"nothing is learnt of {draw.untaught:,} of the entities: nothing known describes "
            "them, or every document names them")  # fmt: skip
    if (strange := draw.median_strangeness(model)) > MAX_UNKNOWN_SHARE:
        done.notes.append(f"the model lacks {strange:.0%} of the words of most documents: it tells little of what is "
            "near to what; train one on texts of this kind, and name it with --model")  # fmt: skip
    try:
        hints.save(plan.hints)
    except OSError as exc:
        raise OutputError(f"{plan.hints}: cannot be written ({exc.strerror}); name another file: --hints FILE") from exc
    return plan


@dataclass(slots=True)
class _ScanRun:
    """Asks the ledger, and writes to it."""

    scan: LedgerScan
    plan: ScanPlan
    done: ScanSummary
    sketches: SketchIndex
    copies: CopySources | None = None
    _copied: list[ScanResult] = field(default_factory=list, repr=False)
    """Near copies, which are written down behind their sources."""
    _entities_by_key: dict[str, PolicyEntity] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        """Find what a policy says of an entity by its name, as names are compared."""
        self._entities_by_key = {key(item.name): item for item in self.plan.policy.entities}

    def select_new(self, documents: Sequence[ScanDocument]) -> list[ScanDocument]:
        """Return the documents that are to be scored; others are as they were, or are written down."""
        self.done.documents += len(documents)
        current = self.scan.find_current([(one.name, one.content) for one in documents])
        self.done.unchanged += len(current)
        new = [one for one in documents if one.name not in current]
        if self.copies:
            for document in new:  # what could not be read before, or has changed since
                self.copies.read(document.name, document.document.text)
        known = known_contents(self.scan, [one.content for one in new]) if new else set()
        copies = [
            self._build_result(document, twin.disclosed, twin.unknown_words, twin.sensitivity)
            for document in new
            if document.content in known and (twin := self.scan.find_same_content(document.content))
        ]
        if copies:
            self.scan.record(copies)
            self.done.copies += len(copies)
        copied = {one.name for one in copies}
        return [one for one in new if one.name not in copied]

    def record(self, documents: Sequence[ScanDocument], asked: PendingResults) -> None:
        """Write down what was found; a document that nearly repeats one of the same batch behind that one."""
        answers = asked.result() if isinstance(asked, Future) else asked
        batch, names, contents = list[ScanResult](), set[str](), set[bytes]()
        for text, answer in zip(documents, answers, strict=True):
            if answer.assessed is None:
                self.done.faults += [answer.problem] if answer.problem else []
                continue
            disclosures = tuple(disclosure for _, disclosure in answer.assessed.disclosed)
            result = self._build_result(text, disclosures, answer.assessed.unknown, answer.assessed.sensitivity)
            if text.content in contents:
                self.done.copies += 1
            else:
                contents.add(text.content)
                near = self.sketches.find_near_duplicate(text.name, answer.sketch) if answer.sketch else None
                result = replace(result, sketch=answer.sketch, near_duplicate_of=near)
                self.done.scored += 1
                self.done.near += near is not None
            if answer.assessed.copied_from:
                self._copied.append(replace(result, near_duplicate_of=answer.assessed.copied_from))
                if len(self._copied) >= MAX_HELD_COPIES:
                    self.record_copied()
                continue
            if result.near_duplicate_of in names:
                self.scan.record(batch)
                batch, names = [], set()
            batch.append(result)
            names.add(result.name)
        if batch:
            self.scan.record(batch)

    def record_copied(self) -> None:
        """Write down near copies."""
        if self._copied:
            self.scan.record(self._copied)
            self._copied = []

    def _build_result(
        self, text: ScanDocument, disclosed: Iterable[EntityDisclosure], unknown: int, sensitivity: float | None
    ) -> ScanResult:
        labels = () if text.label is None else (text.label,)
        where = PurePath(text.path).as_posix() if text.is_table_row or text.path == STDIN else text.name
        lies = "" if text.path == STDIN else where
        checked = tuple(
            replace(one, allowed=self._entities_by_key[key(one.entity)].allows(lies, labels)) for one in disclosed
        )
        folder = where if text.is_table_row or text.path == STDIN else None
        details = len(text.document.text), unknown, text.label, folder
        return ScanResult(text.name, text.content, checked, *details, sensitivity=sensitivity)
