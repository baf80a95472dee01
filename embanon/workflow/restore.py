"""Restore files: put the originals back from the table of solutions."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final

from embanon.errors import ConfigError, OutputError
from embanon.io import SourceDocument, UniqueIds, as_json, read_sources
from embanon.replace import FILE, SEAL, Solution, document_name, is_altered, is_of_text, load, restore
from embanon.workflow.anonymize import only_result, output_name
from embanon.workflow.folders import Input, OutputFolder
from embanon.workflow.outputs import FilePlan, compress, input_format, is_json_lines, plan_restoring
from embanon.workflow.results import (
    NOT_FOUND,
    DocumentWarning,
    FileResult,
    FileSettings,
    Progress,
    ignore_progress,
    unlisted_results,
)

GENERATED_FIELDS: Final = ("edits", "embanon")
"""Fields of a line that we wrote."""


def restore_file(
    path: str | Path,
    solutions: str | Path,
    output: str | Path | None = None,
    *,
    key: bytes | None = None,
    format: str | None = None,
    encoding: str | None = None,
    columns: Sequence[str] = ("text",),
    id_column: str | None = None,
    force: bool = False,
) -> FileResult:
    """Write a copy of an anonymized file with the originals put back; without `output` it is the result's `text`.

    `key` is what the table of solutions was encrypted with. The table of another text is refused, without `force`.
    """
    settings = FileSettings(format, encoding, tuple(columns), id_column, table_key=key, force=force)
    return only_result(restore_files([path], solutions, output, settings=settings))


def restore_files(
    inputs: Sequence[str | Path],
    solutions: str | Path,
    output: str | Path | None = None,
    *,
    settings: FileSettings | None = None,
    progress: Progress = ignore_progress,
) -> Iterator[FileResult]:
    """Restore each named file, each file in a folder and each match of a pattern; write the copies."""
    plan = plan_restoring([os.fspath(path) for path in inputs], os.fspath(solutions), output_name(output), ())
    return restore_planned(plan, settings or FileSettings(), progress)


def restore_planned(plan: FilePlan, settings: FileSettings, progress: Progress) -> Generator[FileResult, None, None]:
    """Yield the result of each file, in order."""
    assert plan.solutions is not None
    table, ids = SolutionTable.read(plan.solutions, settings.table_key), UniqueIds()
    yield from unlisted_results(plan.problems)
    joined, read = list[FileResult](), 0
    for file in plan.files:
        progress("restoring", read, plan.size)
        read += file.size
        try:
            name = table.file_key(file, plan.folder)
            result = _restore_file(file, table, name, ids, settings)
            if plan.folder:
                data, output = result.to_bytes(), plan.folder.unused_name(table.original_names.get(name, file.relative))
                is_gzipped = input_format(file.path, settings.format).is_gzipped
                plan.folder.write(output, compress(data) if is_gzipped else data)
                result = replace(result, output=str(plan.folder.path / output))
            else:
                joined.append(result)
        except (OutputError, BrokenPipeError):
            raise
        except Exception as exc:
            result = FileResult(file.path, problem=exc)
        yield result
    if joined or not (plan.files or plan.problems):
        plan.write_joined(joined)


def _restore_file(file: Input, table: SolutionTable, name: str, ids: UniqueIds, settings: FileSettings) -> FileResult:
    texts, warnings, result = list[str](), list[DocumentWarning](), FileResult(file.path)
    is_lines = is_json_lines(file.path, settings.format)
    for source in read_sources(file.path, settings.read_options(), settings.format, source=True):
        if not texts:
            result = FileResult(file.path, codec=source.codec, byte_order_mark=source.byte_order_mark)
        solutions = table.for_document(source, name, ids, force=settings.force)
        restored = restore(source.document.id, source.raw, solutions)
        if restored.missing:
            reason = f"{len(restored.missing)} of {len(solutions)} replacements were not found"
            warnings.append(DocumentWarning(NOT_FOUND, source.document.id, reason))
        texts.append(_line(source, restored.text) if is_lines else source.prefix + restored.text)
    return replace(result, text="".join(texts), documents=len(texts), warnings=tuple(warnings))


def _line(source: SourceDocument, text: str) -> str:
    rest = {name: value for name, value in source.document.fields.items() if name not in GENERATED_FIELDS}
    if source.document.language:
        rest["language"] = source.document.language
    return as_json({"id": source.document.id, "text": text, **rest}) + "\n"


@dataclass(frozen=True, slots=True)
class SolutionTable:
    """The solutions of each document, and the names that files had."""

    by_document: Mapping[str, Sequence[Solution]] = field(repr=False)
    original_names: Mapping[str, str] = field(repr=False)
    seals: Mapping[str, Solution] = field(repr=False)

    @classmethod
    def read(cls, path: str, key: bytes | None) -> SolutionTable:
        """Read a table, and group its lines by document."""
        by_document, names, seals = defaultdict[str, list[Solution]](list), dict[str, str](), dict[str, Solution]()
        for row in load(path, key):
            if row.type == FILE:
                names[row.document] = row.original
            else:
                here = by_document[row.document]  # also of a text without edits
                if row.type == SEAL:
                    seals[row.document] = row
                elif row.type:
                    here.append(row)
        return cls(dict(by_document), names, seals)

    def file_key(self, file: Input, folder: OutputFolder | None) -> str:
        """Return the name of a file in the table; "" if only its ids are there."""
        if folder:
            return file.relative
        known = {document.partition(": ")[0] for document in self.by_document}
        path = file.path.replace("\\", "/")
        return max((name for name in known if f"/{path}".endswith(f"/{name}")), key=len, default="")

    def for_document(self, source: SourceDocument, name: str, ids: UniqueIds, *, force: bool) -> Sequence[Solution]:
        """Return the solutions of a document, if they are of this text."""
        record_id, id = source.record_id, source.document.id
        key = document_name(record_id, name)
        key = ids.make_unique(key if key in self.by_document else record_id or id)
        if key not in self.by_document and len(self.by_document) == 1 and not record_id:
            key = next(iter(self.by_document))  # a text may have another name now
        if key not in self.by_document:
            if self.by_document:
                raise ConfigError(f"{id}: the table has nothing of it; name the table of this text")
            return []
        solutions, seal = self.by_document[key], self.seals.get(key)
        if seal and not force:
            if is_altered(seal, solutions):
                raise ConfigError(f"{id}: the table is not as it was written; name the one that is, or --force")
            if not is_of_text(seal, source.raw):
                raise ConfigError(f"{id}: the table is of another text; name its own, or, of a translation, --force")
        return solutions
