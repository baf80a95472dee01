"""Which files may be written; each is written whole, or not at all."""

from __future__ import annotations

import gzip
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from embanon.errors import ConfigError, OutputError
from embanon.io import FORMATS, JSON_LINES_FORMATS, STDIN, TEXT, Format, format_of, replace_file, resolve_link
from embanon.workflow.folders import Input, OutputFolder, find_inputs
from embanon.workflow.results import FileResult


@dataclass(frozen=True, slots=True)
class FilePlan:
    """The files to read, and where to write the results."""

    files: tuple[Input, ...]
    problems: tuple[str, ...]
    """Why other inputs cannot be read."""
    output: str
    """A file or a folder; - is left to whoever reads the results."""
    folder: OutputFolder | None = None
    solutions: str | None = None

    @property
    def size(self) -> int:
        """Return the size of all files in bytes."""
        return sum(file.size for file in self.files)

    def write_joined(self, results: Sequence[FileResult]) -> None:
        """Write all results to one file, unless there is a folder, or nowhere to write."""
        if self.folder is None and self.output != STDIN:
            write_file(self.output, join_results(results))


def plan_anonymizing(
    inputs: Sequence[str], output: str, solutions: str | None, others: Sequence[str | None], format: str | None
) -> FilePlan:
    """Find the files to anonymize; refuse outputs that cannot be written, before any work is done.

    `others` are read as well, so that nothing is written over them.
    """
    files, problems = find_inputs(inputs)
    folder = OutputFolder.from_output(output, inputs, files, (*others, solutions))
    texts = [file for file in files if not is_json_lines(file.path, format)]
    if solutions and not folder and len(texts) > 1:
        raise ConfigError("several texts in one file cannot be told apart to be restored; name a folder: -o FOLDER/")
    check_outputs([file.path for file in files], None if folder else output, solutions, others=others)
    return FilePlan(tuple(files), tuple(problems), output, folder, solutions)


def plan_restoring(inputs: Sequence[str], solutions: str, output: str, others: Sequence[str | None]) -> FilePlan:
    """Find the files to restore, without the table of solutions, which may lie beside them."""
    files, problems = find_inputs(inputs)
    if Path(solutions).exists():
        files = [file for file in files if file.path == STDIN or not Path(file.path).samefile(solutions)]
    folder = OutputFolder.from_output(output, inputs, files, (solutions, *others))
    check_outputs([file.path for file in files], None if folder else output, others=(solutions, *others))
    return FilePlan(tuple(files), tuple(problems), output, folder, solutions)


def check_outputs(files: Sequence[str], *outputs: str | None, others: Sequence[str | None] = ()) -> None:
    """Refuse to write over an input, twice to one file, or where no file can be; before any work is done."""
    named = [Path(name).resolve() for name in outputs if name and name != STDIN]
    inputs = {Path(name).resolve() for name in (*files, *others) if name and name != STDIN}
    if len(set(named)) < len(named) or inputs.intersection(named):
        raise ConfigError("an output has the name of an input or of another output; name another file")
    for path in (Path(name) for name in outputs if name and name != STDIN):
        if path.is_dir():
            raise ConfigError(f"{path}: is a folder; name a file for what is written")
        special = path.exists() and not path.is_file()  # a pipe or a device, which is written to
        if not special and not (path.parent.is_dir() and os.access(path.parent, os.W_OK)):
            raise OutputError(f"{path}: its folder is not there, or cannot be written; make it, or name another file")


def is_json_lines(path: str, format: str | None) -> bool:
    """Return whether an input is JSON Lines."""
    return (format or format_of(path)) in JSON_LINES_FORMATS


def input_format(path: str, format: str | None) -> Format:
    """Return the format of an input."""
    return FORMATS[format or format_of(path) or TEXT]


def join_results(results: Sequence[FileResult]) -> bytes:
    """Return one result in its encoding, or several joined in UTF-8."""
    return results[0].to_bytes() if len(results) == 1 else "".join(one.text for one in results).encode("utf-8")


def compress(data: bytes) -> bytes:
    """Return gzipped bytes that do not depend on the time."""
    return gzip.compress(data, mtime=0)


def write_file(path: str, data: bytes, mode: int = 0o666) -> None:
    """Write a file whole, or not at all; packed if its name ends in .gz."""
    try:
        replace_file(resolve_link(path), compress(data) if path.lower().endswith(".gz") else data, mode)
    except OSError as exc:
        raise OutputError(f"{path}: cannot be written ({exc.strerror}); make room, or name another file") from exc
