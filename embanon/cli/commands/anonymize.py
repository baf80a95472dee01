"""`embanon anonymize`: replace what gives away whom is to be protected."""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from contextlib import closing
from dataclasses import dataclass, field, replace
from typing import Any, Final

from embanon.cli.options import (
    add_input_arguments,
    add_replacement_arguments,
    add_risk_arguments,
    add_scoring_arguments,
    open_anonymizer,
)
from embanon.entities import rules_from_options
from embanon.errors import ConfigError, EmbanonError, InputError, OutputError
from embanon.io import (
    PROGRESS_LINES,
    STDIN,
    ProgressLine,
    SourceDocument,
    UniqueIds,
    report_failure,
    report_omitted,
    say,
)
from embanon.replace import FILE, UNCHANGED, Solution, document_name, marker_line, random_secret, read_key, save
from embanon.report import summary_line, totals
from embanon.workflow import (
    Chunk,
    Input,
    Outcome,
    Outcomes,
    OutputFolder,
    OutputPart,
    anonymize_chunks,
    check_outputs,
    encode_text,
    file_ending,
    find_inputs,
    input_format,
    is_json_lines,
    join_parts,
    keyed_id,
    progress_line,
    read_chunks,
    read_table_key,
    write_bytes,
)

EXAMPLE: Final = """\
Of JSON Lines the output is JSON Lines with the edits; of anything else it is the same with other words: what marks a
text up stays. Of a table only the id, the columns of text and those of --carry are written, of an e-mail who writes to
whom about what, and the parts of text. Scripts, styles and attachments are not read; exit code 1 says that one is left
out, or has a part of a protected name. Files of a folder keep their names but for what these give away.
Keep the table of solutions as secret as the text: it undoes everything.

examples:
  embanon anonymize letter.txt --entities protect.jsonl -o anonymized.txt --solutions table.jsonl
  embanon anonymize letters.jsonl --model our.model -o out.jsonl --preset strict
  embanon anonymize cases.csv --column report --protect-field patient --carry ward -o out.csv
  embanon anonymize letters/ --entities protect.jsonl -o anonymized/ --solutions table.sealed --key-file key.txt
"""
MAX_SUMMARIES: Final = 20
"""Documents that are summed up one by one in a terminal."""


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    add_input_arguments(parser)
    add_scoring_arguments(parser)
    add_risk_arguments(parser)
    add_replacement_arguments(parser)
    add = parser.add_argument
    add("-o", "--output", metavar="FILE", default=STDIN, help="where to write: a file, or a folder (standard output)")
    add("--solutions", metavar="FILE", help="the table that undoes the edits; only you may read it")
    add("--key-file", metavar="FILE", help="encrypt the table with what this file holds")
    add("--passphrase", action="store_true", help="ask for a passphrase, and encrypt the table with it")
    add("--carry", action="append", default=[], metavar="FIELD", help="of lines and tables: write this as it is, too")
    add("--publish", action="store_true", help="leave out the edits, and replace ids and names of files")
    add("--jobs", type=int, default=1, metavar="N", help="processes that work at the same time (1; 0: one a processor)")
    add("--id-key", metavar="FILE", help="with --publish: what it holds makes the same ids each time (else by chance)")


def run(options: argparse.Namespace) -> int:
    """Anonymize each document, and write a file when every one of it is done."""
    _check(options)
    files, left_out = find_inputs(options.files)
    keys = options.key_file, options.id_key, options.pseudonym_key
    others = options.entities, options.background, options.config, *keys
    folder = OutputFolder.from_output(options.output, options.files, files, (*others, options.solutions))
    texts = [one for one in files if not is_json_lines(one.path, options.format)]
    if options.solutions and not folder and len(texts) > 1:
        raise ConfigError("several texts in one file cannot be told apart to be restored; name a folder: -o FOLDER/")
    check_outputs([one.path for one in files], None if folder else options.output, options.solutions, others=others)
    asked = rules_from_options(options.entities, options.protect, options.protect_field)
    doing, passphrase = open_anonymizer(options), read_table_key(options, twice=True)
    key = read_key(options.id_key) if options.id_key else random_secret()
    work = _OutputWriter(options, key, folder, progress_line(files), sum(one.size for one in files), left_out)
    work.code, of = InputError.exit_code if left_out else 0, len(files) + len(left_out)
    PROGRESS_LINES[:] = [work.line]
    try:
        with closing(anonymize_chunks(read_chunks(files, options), options, asked, key, doing)) as found:
            work.process(found)
    finally:
        PROGRESS_LINES.clear()
        work.line.clear()
        if folder and options.solutions and work.finished_files:  # also where it ends half done: files are written
            save(options.solutions, work.solutions, passphrase)
    if work.finished_files and not folder:
        if options.solutions:  # first what undoes it
            save(options.solutions, work.solutions, passphrase)
        write_bytes(options.output, [join_parts(work.parts)])
    for one in work.numbers[:MAX_SUMMARIES]:
        say(f"{one['id']}: {summary_line(one)}")
    if len(work.numbers) > 1:
        say(f"documents: {len(work.numbers):,}; {summary_line(totals(work.numbers))}")
    report_omitted(left_out, of)
    return work.code


def _check(options: argparse.Namespace) -> None:
    """Refuse options that do not fit together."""
    if (options.key_file or options.passphrase) and not options.solutions:
        raise ConfigError("there is no table to encrypt; name it: --solutions FILE")
    if options.id_key and not options.publish:
        raise ConfigError("--id-key makes the ids of --publish; give both")
    if options.jobs < 0:
        raise ConfigError("--jobs must be a number from 0")


@dataclass(slots=True)
class _FileResult:
    """What a file became."""

    parts: list[str] = field(default_factory=list)
    first: SourceDocument | None = None
    solutions: list[tuple[str, tuple[Solution, ...]]] = field(default_factory=list)
    """Of each document, with its id in the file."""
    identifying_parts: set[str] = field(default_factory=set)
    """Parts of its name that give somebody away."""
    code: int = 0
    numbers: list[dict[str, Any]] = field(default_factory=list)
    size: int = 0
    problem: Exception | None = None


@dataclass(slots=True)
class _OutputWriter:
    """Takes what becomes of files, and writes each when it is whole."""

    options: argparse.Namespace
    key: bytes = field(repr=False)
    folder: OutputFolder | None
    line: ProgressLine
    size: int
    omitted: list[str]
    code: int = 0
    finished_files: int = 0
    parts: list[OutputPart] = field(default_factory=list)
    solutions: list[Solution] = field(default_factory=list)
    numbers: list[dict[str, Any]] = field(default_factory=list)
    """Of each document, where a user looks on."""
    _current: _FileResult = field(default_factory=lambda: _FileResult())
    _ids: UniqueIds = field(default_factory=UniqueIds)
    _read: int = 0

    def process(self, found: Iterable[tuple[Chunk, Outcomes]]) -> None:
        """Take chunks in order; a file of which one fails is left out."""
        for chunk, some in found:
            problem = chunk.problem or (some if isinstance(some, Exception) else None)
            self._current.problem = self._current.problem or problem
            if not isinstance(some, Exception):
                self._add_chunk(chunk, some)
            if chunk.last:
                self._read += chunk.file.size
                try:
                    self._finish(chunk.file, self._current)
                except Exception as exc:
                    self._omit_file(exc)
                self._current = _FileResult()

    def _add_chunk(self, chunk: Chunk, some: Iterable[Outcome]) -> None:
        done = self._current
        done.first = done.first or next(iter(chunk.sources), None)
        for one, source in zip(some, chunk.sources, strict=True):
            done.parts.append(one.text)
            done.solutions.append((one.record_id or ("" if self.folder else source.document.id), one.solutions))
            done.identifying_parts |= one.identifying_parts
            done.numbers += [one.numbers] if one.numbers else []
            done.code = max(done.code, one.code)
            done.size += len(one.text)
        self.line("anonymizing", self._read + min(done.size, chunk.file.size), self.size)

    def _finish(self, file: Input, done: _FileResult) -> None:
        """Write a file, or keep it to be written."""
        if done.problem:
            raise done.problem
        name = self._name(self.folder, file, done) if self.folder else ""
        solutions = list[Solution]()
        for id, some in done.solutions:
            key = self._ids.make_unique(document_name(id, name))
            solutions += [replace(one, document=key) for one in some] or [marker_line(UNCHANGED, key)]
        if self.folder and name != file.relative:
            solutions.append(marker_line(FILE, name, file.relative))
        self.solutions += solutions
        if self.folder:
            zipped = input_format(file.path, self.options.format).is_gzipped
            self.folder.write(name, encode_text("".join(done.parts), done.first, zipped))
        else:
            self.parts.append(("".join(done.parts), done.first))
        self.finished_files += 1
        self.numbers += done.numbers
        self.code = max(self.code, done.code)

    def _omit_file(self, problem: Exception) -> None:
        """Keep why a file is left out, to be said at the end; what is no fault of the file is said at once."""
        if isinstance(problem, OutputError | BrokenPipeError):
            raise problem
        if isinstance(problem, EmbanonError):
            self.omitted.append(str(problem))
            self.code = max(self.code, problem.exit_code)
        else:
            self.code = max(self.code, report_failure(problem))

    def _name(self, folder: OutputFolder, file: Input, done: _FileResult) -> str:
        if self.options.publish:
            return folder.unused_name(keyed_id(self.key, file.relative) + file_ending(file.relative))
        return folder.output_name(file.relative, done.identifying_parts)
