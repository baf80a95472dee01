"""`embanon anonymize`: replace what gives away whom is to be protected."""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from contextlib import closing
from dataclasses import dataclass, field, replace
from typing import Any, Final

from embanon.cli.options import anonymizer, inputs, protecting, raising, replacing
from embanon.entities.protected import given
from embanon.errors import ConfigError, EmbanonError, InputError, OutputError
from embanon.io.messages import LIVE, failed, say, say_left_out
from embanon.io.progress import Line
from embanon.io.read import STDIN
from embanon.io.read.corpus import Ids
from embanon.io.read.source_map import Laid
from embanon.replace.rewrite import Solution
from embanon.replace.solutions import FILE, UNCHANGED, filed, marker, save
from embanon.replace.surrogates.keyed import random_secret, read_key
from embanon.report.report import line, totals
from embanon.workflow.anonymizing import Chunk, Outcome, Outcomes, chunks, keyed, outcomes
from embanon.workflow.folders import Folder, Input, ending, named
from embanon.workflow.outputs import (
    Part,
    check_outputs,
    encoded,
    format_read,
    is_lines,
    joined,
    progress,
    secret,
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
SAID: Final = 20
"""Documents that are summed up one by one in a terminal."""


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    inputs(parser)
    protecting(parser)
    raising(parser)
    replacing(parser)
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
    files, left_out = named(options.files)
    keys = options.key_file, options.id_key, options.pseudonym_key
    others = options.entities, options.background, options.config, *keys
    folder = Folder.of(options.output, options.files, files, (*others, options.solutions))
    texts = [one for one in files if not is_lines(one.path, options.format)]
    if options.solutions and not folder and len(texts) > 1:
        raise ConfigError("several texts in one file cannot be told apart to be restored; name a folder: -o FOLDER/")
    check_outputs([one.path for one in files], None if folder else options.output, options.solutions, others=others)
    asked = given(options.entities, options.protect, options.protect_field)
    doing, passphrase = anonymizer(options), secret(options, twice=True)
    key = read_key(options.id_key) if options.id_key else random_secret()
    work = _Work(options, key, folder, progress(files), sum(one.size for one in files), left_out)
    work.code, of = InputError.exit_code if left_out else 0, len(files) + len(left_out)
    LIVE[:] = [work.line]
    try:
        with closing(outcomes(chunks(files, options), options, asked, key, doing)) as found:
            work.take_all(found)
    finally:
        LIVE.clear()
        work.line.end()
        if folder and options.solutions and work.finished:  # also where it ends half done: files are written
            save(options.solutions, work.solutions, passphrase)
    if work.finished and not folder:
        if options.solutions:  # first what undoes it
            save(options.solutions, work.solutions, passphrase)
        write_bytes(options.output, [joined(work.parts)])
    for one in work.numbers[:SAID]:
        say(f"{one['id']}: {line(one)}")
    if len(work.numbers) > 1:
        say(f"documents: {len(work.numbers):,}; {line(totals(work.numbers))}")
    say_left_out(left_out, of)
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
class _Done:
    """What a file became."""

    parts: list[str] = field(default_factory=list)
    first: Laid | None = None
    solutions: list[tuple[str, tuple[Solution, ...]]] = field(default_factory=list)
    """Of each document, with its id in the file."""
    telling: set[str] = field(default_factory=set)
    """Parts of its name that give somebody away."""
    code: int = 0
    numbers: list[dict[str, Any]] = field(default_factory=list)
    size: int = 0
    problem: Exception | None = None


@dataclass(slots=True)
class _Work:
    """Takes what becomes of files, and writes each when it is whole."""

    options: argparse.Namespace
    key: bytes = field(repr=False)
    folder: Folder | None
    line: Line
    size: int
    left_out: list[str]
    code: int = 0
    finished: int = 0
    parts: list[Part] = field(default_factory=list)
    solutions: list[Solution] = field(default_factory=list)
    numbers: list[dict[str, Any]] = field(default_factory=list)
    """Of each document, where a user looks on."""
    _done: _Done = field(default_factory=lambda: _Done())
    _ids: Ids = field(default_factory=Ids)
    _read: int = 0

    def take_all(self, found: Iterable[tuple[Chunk, Outcomes]]) -> None:
        """Take chunks in order; a file of which one fails is left out."""
        for chunk, some in found:
            problem = chunk.problem or (some if isinstance(some, Exception) else None)
            self._done.problem = self._done.problem or problem
            if not isinstance(some, Exception):
                self._take(chunk, some)
            if chunk.last:
                self._read += chunk.file.size
                try:
                    self._finish(chunk.file, self._done)
                except Exception as exc:
                    self._leave_out(exc)
                self._done = _Done()

    def _take(self, chunk: Chunk, some: Iterable[Outcome]) -> None:
        done = self._done
        done.first = done.first or next(iter(chunk.sources), None)
        for one, source in zip(some, chunk.sources, strict=True):
            done.parts.append(one.text)
            done.solutions.append((one.own or ("" if self.folder else source.document.id), one.solutions))
            done.telling |= one.telling
            done.numbers += [one.numbers] if one.numbers else []
            done.code = max(done.code, one.code)
            done.size += len(one.text)
        self.line("anonymizing", self._read + min(done.size, chunk.file.size), self.size)

    def _finish(self, file: Input, done: _Done) -> None:
        """Write a file, or keep it to be written."""
        if done.problem:
            raise done.problem
        name = self._name(self.folder, file, done) if self.folder else ""
        solutions = list[Solution]()
        for id, some in done.solutions:
            key = self._ids.unused(filed(id, name))
            solutions += [replace(one, document=key) for one in some] or [marker(UNCHANGED, key)]
        if self.folder and name != file.relative:
            solutions.append(marker(FILE, name, file.relative))
        self.solutions += solutions
        if self.folder:
            zipped = format_read(file.path, self.options.format).zipped
            self.folder.write(name, encoded("".join(done.parts), done.first, zipped))
        else:
            self.parts.append(("".join(done.parts), done.first))
        self.finished += 1
        self.numbers += done.numbers
        self.code = max(self.code, done.code)

    def _leave_out(self, problem: Exception) -> None:
        """Keep why a file is left out, to be said at the end; what is no fault of the file is said at once."""
        if isinstance(problem, OutputError | BrokenPipeError):
            raise problem
        if isinstance(problem, EmbanonError):
            self.left_out.append(str(problem))
            self.code = max(self.code, problem.exit_code)
        else:
            self.code = max(self.code, failed(problem))

    def _name(self, folder: Folder, file: Input, done: _Done) -> str:
        if self.options.publish:
            return folder.unused(keyed(self.key, file.relative) + ending(file.relative))
        return folder.name(file.relative, done.telling)
