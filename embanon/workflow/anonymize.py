"""Anonymize files: write an anonymized copy of each, and the table of solutions that undoes it."""

from __future__ import annotations

import os
from collections.abc import Generator, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from pathlib import Path

from embanon.anonymizer import Anonymizer, Protect, load, rules_for
from embanon.document import Document
from embanon.entities import ProtectionRules
from embanon.errors import OutputError
from embanon.io import STDIN, SourceDocument, UniqueIds
from embanon.replace import Solution, document_name, file_line, random_secret, save
from embanon.workflow.chunks import Chunk, Outcome, Worker, anonymize_chunks, keyed_id, read_chunks
from embanon.workflow.folders import Input, file_ending
from embanon.workflow.outputs import FilePlan, compress, input_format, plan_anonymizing
from embanon.workflow.results import FileResult, FileSettings, Progress, ignore_progress, unlisted_results

AnyPath = str | os.PathLike[str]


def anonymize_file(
    path: str | Path,
    output: str | Path | None = None,
    *,
    protect: Protect | ProtectionRules | None = None,
    anonymizer: Anonymizer | None = None,
    solutions: str | Path | None = None,
    key: bytes | None = None,
    format: str | None = None,
    encoding: str | None = None,
    columns: Sequence[str] = ("text",),
    id_column: str | None = None,
    carry: Sequence[str] = (),
    publish: bool = False,
) -> FileResult:
    """Write an anonymized copy of a file; the original is not changed.

    Without `output`, the copy is only the `text` of the result. `solutions` is where to write the table that undoes
    it, encrypted with `key`.
    """
    settings = FileSettings(format, encoding, tuple(columns), id_column, tuple(carry), publish, table_key=key)
    return only_result(
        anonymize_files([path], output, protect=protect, anonymizer=anonymizer, solutions=solutions, settings=settings)
    )


def anonymize_files(
    inputs: Sequence[str | Path],
    output: str | Path | None = None,
    *,
    protect: Protect | ProtectionRules | None = None,
    anonymizer: Anonymizer | None = None,
    solutions: str | Path | None = None,
    settings: FileSettings | None = None,
    progress: Progress = ignore_progress,
) -> Iterator[FileResult]:
    """Write an anonymized copy of each named file, each file in a folder, and each match of a pattern.

    Reading begins with the first result, and all is written only after the last. A file
    that cannot be read is a result with its `problem`.
    """
    settings = settings or FileSettings()
    table = None if solutions is None else os.fspath(solutions)
    plan = plan_anonymizing([os.fspath(path) for path in inputs], output_name(output), table, (), settings.format)
    rules = protect if isinstance(protect, ProtectionRules) else rules_for(protect)
    return anonymize_planned(plan, anonymizer or load(), rules, settings, progress)


def output_name(output: str | Path | None) -> str:
    """Return the output as commands name it."""
    return STDIN if output is None else os.fspath(output)


def only_result(results: Iterator[FileResult]) -> FileResult:
    """Return the one result, or raise its problem."""
    first, *_ = list(results)
    if first.problem is not None:
        raise first.problem
    return first


def anonymize_planned(
    plan: FilePlan, anonymizer: Anonymizer, rules: ProtectionRules, settings: FileSettings, progress: Progress
) -> Generator[FileResult, None, None]:
    """Yield the result of each file, in order, writing a file once all its documents are done."""
    yield from unlisted_results(plan.problems)
    sealing = replace(settings, seal=plan.solutions is not None)
    worker = Worker(anonymizer, rules, sealing, settings.id_key or random_secret())
    files, joined = _FileWriter(plan, worker), list[FileResult]()
    try:
        with closing(anonymize_chunks(read_chunks(plan.files, settings), worker)) as done:
            for chunk, outcomes in done:
                files.add(chunk, outcomes)
                progress("anonymizing", files.read_size(chunk), plan.size)
                if chunk.is_last:
                    result = files.finish(chunk.file)
                    if not plan.folder and not result.problem:
                        joined.append(result)
                    yield result
    finally:
        if plan.folder and files.finished:  # also where it ends half done: files are written
            files.save_solutions()
    if joined:
        files.save_solutions()  # first what undoes it
        plan.write_joined(joined)


@dataclass(slots=True)
class _FileContent:
    """The content of an output file so far."""

    first: SourceDocument | None = None
    outcomes: list[Outcome] = field(default_factory=list)
    ids: list[str] = field(default_factory=list)
    """Of each document in the file."""
    size: int = 0
    problem: Exception | None = None


@dataclass(slots=True)
class _FileWriter:
    """Collects anonymized documents, and writes each file once it is complete."""

    plan: FilePlan
    worker: Worker
    finished: int = 0
    solutions: list[Solution] = field(default_factory=list)
    _current: _FileContent = field(default_factory=_FileContent)
    _ids: UniqueIds = field(default_factory=UniqueIds)
    _read: int = 0

    def add(self, chunk: Chunk, outcomes: Iterable[Outcome] | Exception) -> None:
        """Add a chunk."""
        content = self._current
        if isinstance(outcomes, Exception):
            content.problem = content.problem or chunk.problem or outcomes
            return
        content.problem = content.problem or chunk.problem
        content.first = content.first or next(iter(chunk.sources), None)
        for outcome, source in zip(outcomes, chunk.sources, strict=True):
            content.outcomes.append(outcome)
            content.ids.append(outcome.record_id or ("" if self.plan.folder else source.document.id))
            content.size += len(outcome.text)

    def read_size(self, chunk: Chunk) -> int:
        """Return roughly how many bytes are done."""
        return self._read + min(self._current.size, chunk.file.size)

    def finish(self, file: Input) -> FileResult:
        """Write a file, or keep it to be joined; a file with a failed chunk is left out."""
        content, self._current = self._current, _FileContent()
        self._read += file.size
        result = _file_result(file, content)
        if content.problem is None:
            try:
                result = self._write(file, content, result)
            except (OutputError, BrokenPipeError):
                raise
            except Exception as exc:
                content.problem = exc
        if content.problem is not None:
            return FileResult(file.path, warnings=result.warnings, problem=content.problem)
        self.finished += 1
        return result

    def _write(self, file: Input, content: _FileContent, result: FileResult) -> FileResult:
        folder, settings = self.plan.folder, self.worker.settings
        name = self._output_name(file, content) if folder else ""
        solutions = list[Solution]()
        for id, outcome in zip(content.ids, content.outcomes, strict=True):
            key = self._ids.make_unique(document_name(id, name))
            solutions += [replace(row, document=key) for row in outcome.solutions]
        if folder and name != file.relative:
            solutions.append(file_line(name, file.relative))
        self.solutions += solutions
        if folder is None:
            return result
        data = result.to_bytes()
        is_gzipped = input_format(file.path, settings.format).is_gzipped
        folder.write(name, compress(data) if is_gzipped else data)
        return replace(result, output=str(folder.path / name))

    def _output_name(self, file: Input, content: _FileContent) -> str:
        assert self.plan.folder is not None
        if self.worker.settings.publish:
            name = keyed_id(self.worker.id_key, file.relative) + file_ending(file.relative)
            return self.plan.folder.unused_name(name)
        parts = frozenset[str]().union(*(outcome.identifying_parts for outcome in content.outcomes))
        return self.plan.folder.output_name(file.relative, parts)

    def save_solutions(self) -> None:
        """Write the table of solutions, if requested."""
        if self.plan.solutions:
            save(self.plan.solutions, self.solutions, self.worker.settings.table_key)


def _file_result(file: Input, content: _FileContent) -> FileResult:
    first = content.first or SourceDocument(Document(file.path, ""), "")
    return FileResult(
        file.path,
        text="".join(outcome.text for outcome in content.outcomes),
        documents=len(content.outcomes),
        warnings=tuple(warning for outcome in content.outcomes for warning in outcome.warnings),
        has_remaining_risk=any(outcome.has_remaining_risk for outcome in content.outcomes),
        numbers=tuple(outcome.numbers for outcome in content.outcomes if outcome.numbers),
        codec=first.codec,
        byte_order_mark=first.byte_order_mark,
    )
