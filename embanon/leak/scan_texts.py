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
from embanon.io.progress import Line
from embanon.io.read import FORMATS, STDIN, TEXT, format_of, laid
from embanon.leak.originals import content_of
from embanon.leak.scan_plan import File, Plan, Scanned

IN_HAND: Final = 1 << 16
"""Characters that are scored and written down together; a longer document stays alone."""
AT_ONCE: Final = 256
"""Documents that are."""
MARKED: Final = 10
"""Lines at the beginning and at the end of a text where its marking stands."""


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


class Texts:
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
                    self.done.partial += bool(one.left_out)
                    if self.line:
                        self.line(self.step, before + min(size, file.size), self.total)
                    yield self._text(one.document, file.path, format.rows)
            except EmbanonError as exc:
                self.done.left_out.append(str(exc))
            except Exception as exc:  # a fault of ours: the other files are done
                self.done.faults.append(exc)
            else:
                if format.rows and file.path != STDIN:
                    self.rows.append(PurePath(file.path).as_posix())
            before += file.size

    def _text(self, document: Document, path: str, rows: bool) -> Text:
        name = document.id if rows or path == STDIN else PurePath(document.id).as_posix()
        if name in self.done.names:  # of another file
            other = f"{PurePath(path).as_posix()}#{name}"
            name = next(one for n in count(1) if (one := other + f"#{n}" * (n > 1)) not in self.done.names)
        self.done.names.add(name)
        label = self._label(document)
        return Text(replace(document, id=name, fields={}), content_of(document, label), path, label, rows)

    def _label(self, document: Document) -> str | None:
        """Give how a document is marked: in its field, or in a line of its own."""
        if self.plan.label is not None:
            said = document.fields.get(self.plan.label)
            return str(said) if isinstance(said, str | int) and str(said).strip() else None
        if not self.labels:
            return None
        lines = document.text[:2_000].splitlines()[:MARKED] + document.text[-2_000:].splitlines()[-MARKED:]
        return next((line.strip() for line in lines for one in self.labels if fnmatchcase(line.strip(), one)), None)
