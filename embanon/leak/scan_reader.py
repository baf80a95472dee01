"""Read the documents of a scan: what each is called, how it is marked, and what its content is told by."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from itertools import count
from pathlib import PurePath
from typing import Final

from embanon.document import Document
from embanon.errors import EmbanonError
from embanon.io import FORMATS, STDIN, TEXT, ProgressLine, format_of, read_sources
from embanon.leak.originals import content_digest
from embanon.leak.scan_plan import ScanFile, ScanPlan, ScanSummary

BATCH_CHARACTERS: Final = 1 << 16
"""Characters that are scored and written down together; a longer document stays alone."""
BATCH_DOCUMENTS: Final = 256
"""Documents that are."""
MARKING_LINES: Final = 10
"""Lines at the beginning and at the end of a text where its marking stands."""


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


class ScanReader:
    """Reads files, and hands out some documents at a time."""

    def __init__(
        self,
        plan: ScanPlan,
        files: Sequence[ScanFile],
        done: ScanSummary,
        line: ProgressLine | None,
        step: str = "scanning",
    ) -> None:
        self.plan, self.files, self.summary, self.line, self.step = plan, files, done, line, step
        self.complete_tables: list[str] = []
        """Files of many documents that were read to their end."""
        self.total = sum(one.size for one in files)
        self.labels = sorted({label for item in plan.policy.entities for label in item.labels})

    def batches(self) -> Iterator[list[ScanDocument]]:
        """Return documents, a few short ones together."""
        held, size = list[ScanDocument](), 0
        for one in self.read():
            length = len(one.document.text)
            if held and (size + length > BATCH_CHARACTERS or len(held) >= BATCH_DOCUMENTS):
                yield held
                held, size = [], 0
            held.append(one)
            size += length
        if held:
            yield held

    def unlisted_folders(self, folders: Sequence[str]) -> set[str]:
        """Return the folders of which no file was named: they may not be there at all for the moment."""
        paths = [f"{PurePath(one.path).as_posix()}" for one in self.files]
        return {folder for folder in folders
                if not any(folder == "." or path.startswith(folder.rstrip("/") + "/") for path in paths)}  # fmt: skip

    def read(self) -> Iterator[ScanDocument]:
        """Return documents, one by one."""
        before = 0
        for file in self.files:
            format = FORMATS[self.plan.format or format_of(file.path) or TEXT]
            size = 0
            try:
                for one in read_sources(file.path, self.plan.reading, self.plan.format):
                    size += len(one.document.text)
                    self.summary.partial += bool(one.omitted_parts)
                    if self.line:
                        self.line(self.step, before + min(size, file.size), self.total)
                    yield self._build_document(one.document, file.path, format.has_rows)
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
            said = document.fields.get(self.plan.label_field)
            return str(said) if isinstance(said, str | int) and str(said).strip() else None
        if not self.labels:
            return None
        lines = (
            document.text[:2_000].splitlines()[:MARKING_LINES] + document.text[-2_000:].splitlines()[-MARKING_LINES:]
        )
        return next((line.strip() for line in lines for one in self.labels if fnmatchcase(line.strip(), one)), None)
